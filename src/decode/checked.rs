//! Defines [`CheckedDecoder`], which returns an error for a malformed `%`, or for an escape of a rejected byte.
#![forbid(unsafe_code)]

use core::mem;
#[cfg(feature = "simd")]
use core::mem::MaybeUninit;

use super::DecodeOptions;
use crate::codec::Codec;
use crate::error::{DecodeError, SliceError};
use crate::input::AsBytes;
#[cfg(feature = "alloc")]
use crate::input::Source;
#[cfg(feature = "alloc")]
use crate::memory;
use crate::sink;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Percent-decodes, and fails for faulty escapes. The error has the reason and the offset in the input.
///
/// [`Decoder::strict`](crate::Decoder::strict) makes a decoder that returns an error for a malformed `%`.
/// [`Decoder::reject`](crate::Decoder::reject) makes a decoder that returns an error for an escape of a rejected byte.
/// Set the other options first: a `CheckedDecoder` keeps the options of its [`Decoder`](crate::Decoder). Below, a
/// malformed `%` and an escape of a rejected byte are both called a *faulty escape*.
///
/// # Examples
///
/// ```
/// use percent_simd::{ByteSet, DecodeErrorKind, Decoder};
///
/// const STRICT: percent_simd::CheckedDecoder = Decoder::new().strict().reject(ByteSet::CONTROLS);
/// let error = STRICT.decode("a%20b%zz").unwrap_err();
/// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::NotHex));
/// let error = STRICT.decode("a%20b%00").unwrap_err();
/// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::Rejected(0)));
/// assert_eq!(STRICT.decode_utf8("%CE%B1")?, "α");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CheckedDecoder(pub(super) DecodeOptions);

/// Copies the decoder.
impl From<&CheckedDecoder> for CheckedDecoder {
    fn from(decoder: &CheckedDecoder) -> CheckedDecoder {
        *decoder
    }
}

#[cfg(feature = "alloc")]
impl CheckedDecoder {
    /// Returns the decoded bytes. They borrow `input`, without allocation, if and only if they equal `input`.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_decode`](Self::try_decode) returns an error instead.
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, DecodeError> {
        let src = input.as_bytes();
        memory::infallible(sink::cow_or_error(self.0.for_input(src), src))
    }

    /// Does the same as [`decode`](Self::decode), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated. The inner error is the error of [`decode`](Self::decode).
    pub fn try_decode<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, [u8]>, DecodeError>, TryReserveError> {
        let src = input.as_bytes();
        sink::cow_or_error(self.0.for_input(src), src)
    }

    /// Returns the decoded text. It borrows `input` if and only if it equals `input`.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or the decoded bytes aren't UTF-8.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_decode_utf8`](Self::try_decode_utf8) returns an error instead.
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        memory::infallible(self.0.text(Source::new(input)))
    }

    /// Does the same as [`decode_utf8`](Self::decode_utf8), but does not panic. Both errors convert to
    /// [`std::io::Error`]: use `??`.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated. The inner error is the error of
    /// [`decode_utf8`](Self::decode_utf8).
    pub fn try_decode_utf8<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        self.0.text(Source::new(input))
    }

    /// Returns the decoded text, with U+FFFD for every maximal ill-formed part, as in [`String::from_utf8_lossy`].
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_decode_utf8_lossy`](Self::try_decode_utf8_lossy) returns an error
    /// instead.
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        memory::infallible(self.try_decode_utf8_lossy(input))
    }

    /// Does the same as [`decode_utf8_lossy`](Self::decode_utf8_lossy), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated. The inner error is the error of
    /// [`decode_utf8_lossy`](Self::decode_utf8_lossy).
    pub fn try_decode_utf8_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        let (text, error) = self.0.lossy_text(Source::new(input))?;
        Ok(error.map_or(Ok(text), Err))
    }

    /// Returns the decoded text, in which bytes that aren't UTF-8 are percent-encoded.
    ///
    /// See [`Decoder::decode_valid_utf8`](crate::Decoder::decode_valid_utf8).
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        let (text, error) = memory::infallible(self.0.valid_text(Source::new(input)));
        error.map_or(Ok(text), Err)
    }

    /// Appends the decoded bytes to `out`. Returns the number of bytes appended.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape; `out` is then unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, DecodeError> {
        let (src, before) = (input.as_bytes(), out.len());
        let result = memory::infallible(sink::append(self.0.for_input(src), src, out));
        match result.error {
            None => Ok(result.written),
            Some(error) => {
                out.truncate(before);
                Err(error)
            }
        }
    }

    /// Appends the decoded text to `out`. Returns the number of bytes appended.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or the decoded bytes aren't UTF-8; `out` is then unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        memory::infallible(sink::append_text(self.0.for_input(src), src, out))
    }

    /// Decodes a vector in place, without allocation. The capacity stays the same.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape. The vector is then unchanged, because the input is checked
    /// first.
    pub fn decode_vec(&self, vec: &mut Vec<u8>) -> Result<(), DecodeError> {
        self.check(vec)?;
        let written = self.0.in_place(vec, false).written;
        vec.truncate(written);
        Ok(())
    }

    /// Decodes a string in place, without allocation. The capacity stays the same.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or the decoded bytes aren't UTF-8. The string is then
    /// unchanged, because the escapes and the UTF-8 are checked first.
    pub fn decode_string(&self, string: &mut String) -> Result<(), DecodeError> {
        let decoding = self.0.for_input(string.as_bytes());
        let (text, result) = match sink::text::decode_string(decoding, mem::take(string)) {
            Ok(decoded) => (decoded, Ok(())),
            Err((error, input)) => (input, Err(error)),
        };
        *string = text;
        result
    }
}

impl CheckedDecoder {
    /// Writes the decoded bytes to the front of `out`, and returns them.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or `out` is too small. The contents of `out` are then
    /// unspecified.
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], SliceError<DecodeError>> {
        let src = input.as_bytes();
        self.decode_cells(src, sink::OutputBuffer::initialized(out))
    }

    /// Does the same as [`decode_slice`](Self::decode_slice), but takes uninitialised memory.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape, or `out` is too small. The contents of `out` are then
    /// unspecified.
    #[cfg(feature = "simd")]
    pub fn decode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], SliceError<DecodeError>> {
        self.decode_cells(input.as_bytes(), sink::OutputBuffer::new(out))
    }

    #[inline(always)]
    pub(crate) fn decode_cells<'o>(
        &self,
        src: &[u8],
        out: sink::OutputBuffer<'o>,
    ) -> Result<&'o mut [u8], SliceError<DecodeError>> {
        let (decoded, result) = sink::slice(self.0.for_input(src), src, out)?;
        result.error.map_or(Ok(decoded), |error| Err(error.into()))
    }

    /// Decodes `buffer` in place, and returns the decoded bytes. They are at the start of the buffer. The bytes after
    /// them are unspecified.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape. The contents of `buffer` before the escape are then
    /// unspecified.
    pub fn decode_in_place<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], DecodeError> {
        let result = self.0.in_place(buffer, false);
        match result.error {
            None => Ok(&mut buffer[..result.written]),
            Some(error) => Err(error),
        }
    }

    /// Writes the decoded bytes to `out`. Returns the number of bytes written. Allocates only to return an error.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` returns an error, or if the input has a faulty escape. For a faulty escape, the error
    /// has the kind `InvalidData` and the [`DecodeError`] inside. The decoded bytes before the escape have been
    /// written.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        let (written, error) = sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?;
        error.map_or(Ok(written), |error| Err(error.into()))
    }

    /// Returns the exact length of the decoded form in bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape. The call doesn't check whether the decoded form is UTF-8.
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        let decoding = self.0.for_input(src);
        let (triplets, scanned) = decoding.count(src);
        let error = if scanned.stopped_at < src.len() { decoding.stop_error(src, scanned.stopped_at) } else { None };
        error.map_or(Ok(scanned.stopped_at - 2 * triplets), Err)
    }

    /// Checks that `input` can be decoded.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape. The call doesn't check whether the decoded form is UTF-8.
    pub fn check<I: AsBytes + ?Sized>(&self, input: &I) -> Result<(), DecodeError> {
        self.decoded_len(input).map(|_| ())
    }
}
