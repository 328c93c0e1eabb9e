//! The error of values in HTTP fields.

use core::fmt;

use percent_simd::{DecodeError, DecodeErrorKind};

/// The reason why text is no [extended value](super::ExtValue), or no member of the field [`baggage`](super::baggage).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FieldError {
    /// The offset of the fault, in bytes of the input. In an error of [`baggage::build`](super::baggage::build), this
    /// is the offset in the key.
    pub offset: usize,
    /// The kind of error.
    pub kind: FieldErrorKind,
}

/// The kind of a [`FieldError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldErrorKind {
    /// An extended value lacks one or both of its `'`.
    Quote,
    /// The charset of an extended value is neither UTF-8 nor ISO-8859-1.
    Charset,
    /// The text between the two `'` of an extended value isn't a language tag (RFC 5646 2.1).
    Language,
    /// An extended value has a character that must be percent-encoded (RFC 8187 3.2.1, `attr-char`).
    Character,
    /// An extended value ends inside a triplet, as in `%` or `%4`.
    Truncated,
    /// In an extended value, a character after a `%` isn't a hexadecimal digit.
    NotHex,
    /// The bytes of an extended value aren't UTF-8.
    InvalidUtf8,
    /// A key in `baggage` isn't a token. It is empty, or has a character that tokens can't have.
    Key,
    /// A member of `baggage` has no `=`.
    NoValue,
    /// A value in `baggage` has a character that must be percent-encoded (`baggage-octet`).
    Value,
}

impl FieldError {
    pub(super) const fn new(offset: usize, kind: FieldErrorKind) -> FieldError {
        FieldError { offset, kind }
    }
}

impl From<DecodeError> for FieldError {
    fn from(error: DecodeError) -> FieldError {
        let kind = match error.kind {
            DecodeErrorKind::Truncated => FieldErrorKind::Truncated,
            DecodeErrorKind::NotHex => FieldErrorKind::NotHex,
            DecodeErrorKind::Rejected(_) => FieldErrorKind::Character,
            _ => FieldErrorKind::InvalidUtf8,
        };
        FieldError::new(error.offset, kind)
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            FieldErrorKind::Quote => {
                write!(f, "a `'` is missing at byte {offset}: an extended value is `charset'language'value`")
            }
            FieldErrorKind::Charset => write!(f, "the charset at byte {offset} is neither UTF-8 nor ISO-8859-1"),
            FieldErrorKind::Language => write!(f, "the text at byte {offset} is not a language tag"),
            FieldErrorKind::Character => {
                write!(f, "the character at byte {offset} is not allowed in an extended value")
            }
            FieldErrorKind::Truncated => {
                write!(f, "the value ends inside the escape at byte {offset}: a `%` needs two hexadecimal digits")
            }
            FieldErrorKind::NotHex => {
                write!(f, "the `%` at byte {offset} is not followed by two hexadecimal digits")
            }
            FieldErrorKind::InvalidUtf8 => {
                write!(f, "the value is not UTF-8 from byte {offset} on")
            }
            FieldErrorKind::Key => write!(f, "the key is not a token at byte {offset}"),
            FieldErrorKind::NoValue => write!(f, "a `=` is missing at byte {offset}: a member is `key=value`"),
            FieldErrorKind::Value => {
                write!(f, "the character at byte {offset} is not allowed in a value; escape it as `%XX`")
            }
        }
    }
}

impl core::error::Error for FieldError {}
