//! Defines [`TemplateError`].

use core::fmt;

/// The error of parsing or expanding a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TemplateError {
    /// The offset of the fault, in bytes of the template.
    pub offset: usize,
    /// The kind of error.
    pub kind: TemplateErrorKind,
}

impl TemplateError {
    /// Creates an error from its parts, for tests and for code that finds errors by other means.
    #[must_use]
    pub const fn new(offset: usize, kind: TemplateErrorKind) -> TemplateError {
        TemplateError { offset, kind }
    }
}

/// The kind of a [`TemplateError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// A character that isn't allowed outside of expressions (2.1), for example `}`, a space or a quote.
    Literal,
    /// A `%` without two hexadecimal digits after it.
    Escape,
    /// An expression that isn't closed. The offset is the start of the expression.
    Unclosed,
    /// An operator that is reserved for extensions: one of `=,!@|` (2.2).
    Operator,
    /// A name that is empty or ends in a dot, or a character that a name can't have at this place (2.3).
    Name,
    /// A modifier that is neither `*` nor a `:` with a number from 1 to 9999, or text after a modifier (2.4).
    Modifier,
    /// A prefix modifier after a variable whose value is a list or pairs (2.4.1).
    PrefixOfComposite,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            TemplateErrorKind::Literal => {
                write!(f, "the character at byte {offset} is not allowed in a template")
            }
            TemplateErrorKind::Escape => {
                write!(f, "the `%` at byte {offset} is not followed by two hexadecimal digits")
            }
            TemplateErrorKind::Unclosed => write!(f, "the expression at byte {offset} lacks its `}}`"),
            TemplateErrorKind::Operator => {
                write!(f, "the operator at byte {offset} is reserved; use one of `+#./;?&`")
            }
            TemplateErrorKind::Name => {
                write!(
                    f,
                    "a name is malformed at byte {offset}; it may have letters, digits, `_`, escapes and single dots"
                )
            }
            TemplateErrorKind::Modifier => {
                write!(f, "the modifier at byte {offset} is neither `*` nor `:` and a number of 1 to 9999")
            }
            TemplateErrorKind::PrefixOfComposite => {
                write!(f, "the variable at byte {offset} has a prefix, so its value must be a string")
            }
        }
    }
}

impl core::error::Error for TemplateError {}

pub(super) fn fault<T>(offset: usize, kind: TemplateErrorKind) -> Result<T, TemplateError> {
    Err(TemplateError { offset, kind })
}
