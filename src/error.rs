//! Defines the errors of the codec.

use core::fmt;
#[cfg(feature = "std")]
use std::io;

/// The reason why decoding stopped, with its offset in the input.
///
/// The message is written for the sender of the input. The message names the fault and its offset, and gives no advice
/// to the programmer. The only part of the input that it shows is the value of a rejected byte.
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
    /// Offset of the faulty `%`, in bytes of the *input*.
    ///
    /// For [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8), this is the offset of the first byte of the ill-formed
    /// sequence. If that byte is escaped, this is the offset of its `%`.
    pub offset: usize,
    /// The kind of error.
    pub kind: DecodeErrorKind,
}

/// The kind of a [`DecodeError`].
// With a tag of one byte, the compiler copies the other bytes of a result in two parts that overlap. The CPU then waits
// for both parts: 4 ns in a call that takes 45.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum DecodeErrorKind {
    /// The input ends inside a triplet: `%` or `%4`. RFC 3986 2.1 requires two hexadecimal digits. A literal `%` is
    /// written `%25`.
    Truncated,
    /// A character after the `%` isn't a hexadecimal digit, as in `%zz` or `%4z` (RFC 3986 2.1). A literal `%` is
    /// written `%25`.
    NotHex,
    /// The triplet decodes to this byte, which the decoder rejects.
    Rejected(u8),
    /// The decoded bytes aren't UTF-8 at this offset (RFC 3629). Calls that return bytes, and calls whose name ends in
    /// `_lossy`, never return this error.
    InvalidUtf8,
    /// The decoded bytes at this offset aren't a character in the requested charset. Calls whose name ends in `_lossy`
    /// never return this error.
    InvalidInCharset,
}

impl DecodeError {
    /// Makes an error. Use it in tests, or in code that decodes in another way and returns this type.
    #[must_use]
    pub const fn new(offset: usize, kind: DecodeErrorKind) -> DecodeError {
        DecodeError { offset, kind }
    }

    /// Returns the error for the malformed `%` at `offset` of `src`.
    pub(crate) fn malformed(src: &[u8], offset: usize) -> DecodeError {
        let digits = &src[offset + 1..src.len().min(offset + 3)];
        let kind = if digits.len() < 2 && digits.iter().all(u8::is_ascii_hexdigit) {
            DecodeErrorKind::Truncated
        } else {
            DecodeErrorKind::NotHex
        };
        DecodeError::new(offset, kind)
    }

    /// Returns the error with `before` added to its offset. Use it if you decoded only a part of the input, which has
    /// `before` bytes before this part.
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
                write!(f, "an escape decodes to the byte {byte:#04X}, which is rejected")
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
                write!(f, "the escape at byte {offset} decodes to the byte {byte:#04X}, which is rejected")
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

/// The error for a caller's buffer that is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OutputTooSmall {
    /// The length that the buffer needs, in bytes. If a `usize` can't hold the length, this is `usize::MAX`.
    pub needed: usize,
}

impl OutputTooSmall {
    /// Makes an error that asks for `needed` bytes. Use it in tests, or in code that wraps calls of this crate.
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

/// The error of a call that writes to a caller's buffer: either the input or the buffer is at fault.
///
/// `E` is the error for a fault of the input. For checked decoding, this is [`DecodeError`]. The message is the message
/// of the inner error. A call that accepts every input returns only [`OutputTooSmall`].
///
/// # Examples
///
/// ```
/// use percent_simd::{Decoder, OutputTooSmall, SliceError};
///
/// let strict = Decoder::new().strict();
/// assert_eq!(strict.decode_slice("%41b", &mut [0; 1]), Err(SliceError::OutputTooSmall(OutputTooSmall::new(2))));
/// match strict.decode_slice("a%4", &mut [0; 8]) {
///     Err(SliceError::Input(error)) => assert_eq!(error.offset, 1),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SliceError<E> {
    /// The input is at fault.
    Input(E),
    /// The buffer is too small.
    OutputTooSmall(OutputTooSmall),
}

impl From<DecodeError> for SliceError<DecodeError> {
    fn from(error: DecodeError) -> Self {
        SliceError::Input(error)
    }
}

impl<E> From<OutputTooSmall> for SliceError<E> {
    fn from(error: OutputTooSmall) -> Self {
        SliceError::OutputTooSmall(error)
    }
}

impl<E: fmt::Display> fmt::Display for SliceError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SliceError::Input(error) => error.fmt(f),
            SliceError::OutputTooSmall(error) => error.fmt(f),
        }
    }
}

impl<E: core::error::Error> core::error::Error for SliceError<E> {}

/// Converts the inner `E` or [`OutputTooSmall`] to an `io::Error`.
#[cfg(feature = "std")]
impl<E: Into<io::Error>> From<SliceError<E>> for io::Error {
    fn from(error: SliceError<E>) -> io::Error {
        match error {
            SliceError::Input(error) => error.into(),
            SliceError::OutputTooSmall(error) => error.into(),
        }
    }
}
