//! The errors of the codec, each with an offset.

use core::fmt;
#[cfg(feature = "std")]
use std::io;

/// Why decoding stopped, and where in the input.
///
/// Its text is for whoever sent the input: what is wrong and where, no advice to the programmer. Nothing of the input is
/// in it but the value of a rejected byte.
///
/// # Examples
///
/// ```
/// let error = percent_simd::Decoder::new().strict().decode("50%").unwrap_err();
/// assert_eq!(error.to_string(), "the input ends inside the escape at byte 2");
/// assert_eq!(error.kind.to_string(), "the input ends inside an escape");
/// # #[cfg(feature = "std")]
/// assert_eq!(std::io::Error::from(error).kind(), std::io::ErrorKind::InvalidData);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DecodeError {
    /// Offset, in bytes of the *input*, of the `%` that is to blame; for [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8)
    /// the offset of the first byte (or of the `%` that stands for it) of the ill-formed sequence.
    pub offset: usize,
    /// The kind of error.
    pub kind: DecodeErrorKind,
}

/// The kind of a [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input ends inside a triplet: `%` or `%4` (RFC 3986 2.1 asks for two hexadecimal digits). A `%` that stands for
    /// itself is written `%25`.
    Truncated,
    /// A character after the `%` is no hexadecimal digit, as in `%zz` or `%4z` (RFC 3986 2.1). A `%` that stands for itself
    /// is written `%25`.
    NotHex,
    /// The triplet stands for this byte, which the decoder was told to reject.
    Rejected(u8),
    /// The decoded bytes are not UTF-8 there (RFC 3629). Calls that return bytes, or end in `_lossy`, take them.
    InvalidUtf8,
    /// The decoded bytes stand for no character there in the charset that was asked for. Calls that end in `_lossy` take
    /// them.
    InvalidInCharset,
}

impl DecodeError {
    /// Makes an error of its parts, for code that decodes by other means, and for tests.
    #[must_use]
    pub const fn new(offset: usize, kind: DecodeErrorKind) -> DecodeError {
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

    /// Returns the error with its offset moved by `before`: that many bytes precede the input it was found in.
    #[must_use]
    pub const fn shifted(self, before: usize) -> DecodeError {
        DecodeError::new(self.offset.saturating_add(before), self.kind)
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeErrorKind::Truncated => f.write_str("the input ends inside an escape"),
            DecodeErrorKind::NotHex => f.write_str("a `%` is not followed by two hexadecimal digits"),
            DecodeErrorKind::Rejected(byte) => {
                write!(f, "an escape stands for the byte {byte:#04X}, which is not accepted")
            }
            DecodeErrorKind::InvalidUtf8 => f.write_str("the decoded text is not UTF-8"),
            DecodeErrorKind::InvalidInCharset => f.write_str("the decoded text is not in the expected charset"),
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            DecodeErrorKind::Truncated => write!(f, "the input ends inside the escape at byte {offset}"),
            DecodeErrorKind::NotHex => {
                write!(f, "the `%` at byte {offset} is not followed by two hexadecimal digits")
            }
            DecodeErrorKind::Rejected(byte) => {
                write!(f, "the escape at byte {offset} stands for the byte {byte:#04X}, which is not accepted")
            }
            DecodeErrorKind::InvalidUtf8 | DecodeErrorKind::InvalidInCharset => {
                write!(f, "{} from byte {offset} of the input on", self.kind)
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Returns an error of the kind `InvalidData`, with the [`DecodeError`] inside.
#[cfg(feature = "std")]
impl From<DecodeError> for io::Error {
    fn from(error: DecodeError) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// The caller's buffer is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutputTooSmall {
    /// The length, in bytes, that would have been enough; `usize::MAX` where the exact figure does not fit a `usize`.
    pub needed: usize,
}

impl OutputTooSmall {
    /// Makes an error that asks for `needed` bytes, for tests and for code that wraps these calls.
    #[must_use]
    pub const fn new(needed: usize) -> OutputTooSmall {
        OutputTooSmall { needed }
    }
}

impl fmt::Display for OutputTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output buffer is too small: {} bytes are needed", self.needed)
    }
}

impl core::error::Error for OutputTooSmall {}

/// Returns an error of the kind `WriteZero`, with the [`OutputTooSmall`] inside.
#[cfg(feature = "std")]
impl From<OutputTooSmall> for io::Error {
    fn from(error: OutputTooSmall) -> io::Error {
        io::Error::new(io::ErrorKind::WriteZero, error)
    }
}

/// The error of a checked decode into a caller's buffer: either the input or the buffer is at fault.
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

/// Wraps the [`DecodeError`] or the [`OutputTooSmall`], as these convert by themselves.
#[cfg(feature = "std")]
impl From<DecodeSliceError> for io::Error {
    fn from(error: DecodeSliceError) -> io::Error {
        match error {
            DecodeSliceError::Decode(error) => error.into(),
            DecodeSliceError::OutputTooSmall(error) => error.into(),
        }
    }
}
