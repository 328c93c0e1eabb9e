//! The error of parsing a form.

use core::fmt;

use percent_simd::DecodeError;

/// An error in a form, with its offset in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseError {
    /// A name or a value can't be decoded. The offset counts from the start of the whole input.
    Decode(DecodeError),
    /// The form has more pairs than the parser's limit.
    TooManyPairs {
        /// The limit.
        limit: usize,
        /// The offset of the first pair beyond the limit, in bytes of the input.
        offset: usize,
    },
    /// The form has a byte that isn't ASCII, and its charset isn't UTF-8. In charsets other than UTF-8, bytes above
    /// ASCII must be escaped.
    NotAscii {
        /// The offset of the byte in the input.
        offset: usize,
    },
    /// A decoded name or value has a byte that the parser [rejects](super::Parser::reject).
    Rejected {
        /// The decoded byte.
        byte: u8,
        /// The offset of the byte or of its escape, in bytes of the input.
        offset: usize,
    },
}

impl ParseError {
    /// Returns the offset of the error, in bytes of the whole input.
    #[must_use]
    pub const fn offset(&self) -> usize {
        match self {
            ParseError::Decode(error) => error.offset,
            ParseError::TooManyPairs { offset, .. }
            | ParseError::NotAscii { offset }
            | ParseError::Rejected { offset, .. } => *offset,
        }
    }
}

impl From<DecodeError> for ParseError {
    fn from(error: DecodeError) -> ParseError {
        ParseError::Decode(error)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Decode(error) => error.fmt(f),
            ParseError::TooManyPairs { limit, offset } => {
                write!(f, "more than {limit} pairs: the first too many is at byte {offset}")
            }
            ParseError::NotAscii { offset } => {
                write!(f, "the byte at offset {offset} is not ASCII; escape it as `%XX`")
            }
            ParseError::Rejected { byte, offset } => {
                write!(f, "the character 0x{byte:02X} at byte {offset} is not allowed here, escaped or not")
            }
        }
    }
}

impl core::error::Error for ParseError {}
