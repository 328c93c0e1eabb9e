//! Defines [`TemplateError`].

use crate::error::positioned_error;

positioned_error! {
    /// The error of parsing or expanding a template.
    TemplateError {
        /// The offset of the fault, in bytes of the template.
        offset
    }
    TemplateErrorKind {
        /// A character that isn't allowed outside of expressions (2.1), for example `}`, a space or a quote.
        Literal => "the character at byte {offset} is not allowed in a template",
        /// A `%` without two hexadecimal digits after it.
        Escape => "the `%` at byte {offset} is not followed by two hexadecimal digits",
        /// An expression that isn't closed. The offset is the start of the expression.
        Unclosed => "the expression at byte {offset} lacks its `}}`",
        /// An operator that is reserved for extensions: one of `=,!@|` (2.2).
        Operator => "the operator at byte {offset} is reserved; use one of `+#./;?&`",
        /// A name that is empty or ends in a dot, or a character that a name can't have at this place (2.3).
        Name => "a name is malformed at byte {offset}; it may have letters, digits, `_`, escapes and single dots",
        /// A modifier that is neither `*` nor a `:` with a number from 1 to 9999, or text after a modifier (2.4).
        Modifier => "the modifier at byte {offset} is neither `*` nor `:` and a number of 1 to 9999",
        /// A prefix modifier after a variable whose value is a list or pairs (2.4.1).
        PrefixOfComposite => "the variable at byte {offset} has a prefix, so its value must be a string",
    }
}

pub(super) fn fault<T>(offset: usize, kind: TemplateErrorKind) -> Result<T, TemplateError> {
    Err(TemplateError { offset, kind })
}
