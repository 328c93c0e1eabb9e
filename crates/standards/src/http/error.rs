//! The error of values in HTTP fields.

use percent_simd::{DecodeError, DecodeErrorKind};

use crate::error::positioned_error;

positioned_error! {
    /// The reason why text is no [extended value](super::ExtValue), or no member of the field [`baggage`](super::baggage).
    FieldError {
        /// The offset of the fault, in bytes of the input. In an error of [`baggage::build`](super::baggage::build), this
        /// is the offset in the key.
        offset
    }
    FieldErrorKind {
        /// An extended value lacks one or both of its `'`.
        Quote => "a `'` is missing at byte {offset}: an extended value is `charset'language'value`",
        /// The charset of an extended value is neither UTF-8 nor ISO-8859-1.
        Charset => "the charset at byte {offset} is neither UTF-8 nor ISO-8859-1",
        /// The text between the two `'` of an extended value isn't a language tag (RFC 5646 2.1).
        Language => "the text at byte {offset} is not a language tag",
        /// An extended value has a character that must be percent-encoded (RFC 8187 3.2.1, `attr-char`).
        Character => "the character at byte {offset} is not allowed in an extended value",
        /// An extended value ends inside a triplet, as in `%` or `%4`.
        Truncated => "the value ends inside the escape at byte {offset}: a `%` needs two hexadecimal digits",
        /// In an extended value, a character after a `%` isn't a hexadecimal digit.
        NotHex => "the `%` at byte {offset} is not followed by two hexadecimal digits",
        /// The bytes of an extended value aren't UTF-8.
        InvalidUtf8 => "the value is not UTF-8 from byte {offset} on",
        /// A key in `baggage` isn't a token. It is empty, or has a character that tokens can't have.
        Key => "the key is not a token at byte {offset}",
        /// A member of `baggage` has no `=`.
        NoValue => "a `=` is missing at byte {offset}: a member is `key=value`",
        /// A value in `baggage` has a character that must be percent-encoded (`baggage-octet`).
        Value => "the character at byte {offset} is not allowed in a value; escape it as `%XX`",
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
