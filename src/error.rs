//! What can go wrong, and where.

use core::fmt;

/// Why strict or checked decoding stopped, and where in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodeError {
    /// Offset, in bytes of the *input*, of the `%` that is to blame; for [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8)
    /// the offset of the first byte (or of the `%` that stands for it) of the ill-formed sequence.
    pub offset: usize,
    /// What is wrong there.
    pub kind: DecodeErrorKind,
}

/// What is wrong at [`DecodeError::offset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a triplet: `%` or `%4` (RFC 3986 2.1 asks for two hexadecimal digits).
    Truncated,
    /// A character after the `%` is no hexadecimal digit, as in `%zz` or `%4z` (RFC 3986 2.1).
    NotHex,
    /// The triplet stands for this byte, which the decoder was told to reject.
    Rejected(u8),
    /// The decoded bytes are not UTF-8 there (RFC 3629).
    InvalidUtf8,
    /// The decoded bytes stand for no character there in the charset that was asked for.
    InvalidInCharset,
}

impl DecodeError {
    pub(crate) const fn new(offset: usize, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { offset, kind }
    }

    /// The error for the malformed `%` at `offset` of `src`.
    pub(crate) fn malformed(src: &[u8], offset: usize) -> DecodeError {
        let digits = &src[offset + 1..src.len().min(offset + 3)];
        let kind = if digits.len() < 2 && digits.iter().all(u8::is_ascii_hexdigit) {
            DecodeErrorKind::Truncated
        } else {
            DecodeErrorKind::NotHex
        };
        DecodeError::new(offset, kind)
    }

    /// The same error in an input that has `before` more bytes in front.
    pub(crate) const fn shifted(self, before: usize) -> DecodeError {
        DecodeError::new(self.offset.saturating_add(before), self.kind)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            DecodeErrorKind::Truncated => {
                write!(f, "the input ends inside the escape at byte {offset}: a `%` needs two hexadecimal digits")
            }
            DecodeErrorKind::NotHex => {
                write!(
                    f,
                    "the `%` at byte {offset} is not followed by two hexadecimal digits; write a literal `%` as `%25`"
                )
            }
            DecodeErrorKind::Rejected(byte) => {
                write!(f, "the escape at byte {offset} stands for the octet {byte:#04X}, which is not accepted here")
            }
            DecodeErrorKind::InvalidUtf8 => {
                write!(
                    f,
                    "the decoded text is not UTF-8 from byte {offset} of the input on; decode to bytes, or lossily"
                )
            }
            DecodeErrorKind::InvalidInCharset => {
                write!(
                    f,
                    "the decoded octets are not in the charset from byte {offset} of the input on; \
                     name another, decode to bytes, or lossily"
                )
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// The caller's buffer is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputTooSmall {
    /// The length, in bytes, that would have been enough; `usize::MAX` where the exact figure does not fit a `usize`.
    pub needed: usize,
}

impl fmt::Display for OutputTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output buffer is too small: {} bytes are needed", self.needed)
    }
}

impl core::error::Error for OutputTooSmall {}

/// Why a checked decode into a caller's buffer failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecodeSliceError {
    /// The input is at fault.
    Decode(DecodeError),
    /// The buffer is too small.
    OutputTooSmall(OutputTooSmall),
}

impl From<DecodeError> for DecodeSliceError {
    fn from(error: DecodeError) -> Self {
        DecodeSliceError::Decode(error)
    }
}

impl From<OutputTooSmall> for DecodeSliceError {
    fn from(error: OutputTooSmall) -> Self {
        DecodeSliceError::OutputTooSmall(error)
    }
}

impl fmt::Display for DecodeSliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeSliceError::Decode(error) => error.fmt(f),
            DecodeSliceError::OutputTooSmall(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DecodeSliceError {}
