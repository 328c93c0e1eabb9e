//! Defines [`CheckedDecoder`], which returns an error at a malformed `%`, or at an escape that it is to reject.
#![forbid(unsafe_code)]

use core::mem;
#[cfg(feature = "simd")]
use core::mem::MaybeUninit;

use super::DecodeOptions;
use crate::codec::Codec;
use crate::error::{DecodeError, DecodeSliceError};
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

/// Percent-decodes, and fails where the input is not as it should be: with the offset in the input, and why.
///
/// Made by [`Decoder::strict`](crate::Decoder::strict) and [`Decoder::reject`](crate::Decoder::reject).
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
    /// Returns the decoded bytes, or `input` itself exactly where nothing changes, which needs no allocation.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode`](Self::try_decode) returns an error instead.
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, DecodeError> {
        let src = input.as_bytes();
        memory::infallible(sink::cow_or_error(self.0.for_input(src), src))
    }

    /// Like [`decode`](Self::decode), but does not panic.
    ///
    /// # Errors
    ///
    /// If the result cannot be stored. The inner error is that of [`decode`](Self::decode).
    pub fn try_decode<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, [u8]>, DecodeError>, TryReserveError> {
        let src = input.as_bytes();
        sink::cow_or_error(self.0.for_input(src), src)
    }

    /// Returns the decoded text, or `input` itself exactly where nothing changes.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the decoded bytes are not UTF-8.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode_utf8`](Self::try_decode_utf8) returns an error instead.
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        memory::infallible(self.0.text(Source::new(input)))
    }

    /// Like [`decode_utf8`](Self::decode_utf8), but does not panic.
    ///
    /// # Errors
    ///
    /// If the result cannot be stored. The inner error is that of [`decode_utf8`](Self::decode_utf8).
    pub fn try_decode_utf8<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        self.0.text(Source::new(input))
    }

    /// Returns the decoded text, with U+FFFD for every maximal ill-formed part, as [`String::from_utf8_lossy`] has it.
    ///
    /// # Errors
    ///
    /// If an escape is wrong.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode_utf8_lossy`](Self::try_decode_utf8_lossy) returns an error instead.
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        memory::infallible(self.try_decode_utf8_lossy(input))
    }

    /// Like [`decode_utf8_lossy`](Self::decode_utf8_lossy), but does not panic.
    ///
    /// # Errors
    ///
    /// If the result cannot be stored. The inner error is that of [`decode_utf8_lossy`](Self::decode_utf8_lossy).
    pub fn try_decode_utf8_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        let (text, error) = self.0.lossy_text(Source::new(input))?;
        Ok(error.map_or(Ok(text), Err))
    }

    /// Returns the decoded text, in which all that is not UTF-8 stays percent-encoded, as
    /// [`Decoder::decode_valid_utf8`](crate::Decoder::decode_valid_utf8) does.
    ///
    /// # Errors
    ///
    /// If an escape is wrong.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        let (text, error) = memory::infallible(self.0.valid_text(Source::new(input)));
        error.map_or(Ok(text), Err)
    }

    /// Appends the decoded bytes to `out`. Returns how many those are.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input; `out` is then as it was.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
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

    /// Appends the decoded text to `out`. Returns how many bytes that is.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the decoded bytes are not UTF-8; `out` is then as it was.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        memory::infallible(sink::append_text(self.0.for_input(src), src, out))
    }

    /// Decodes a vector in place. This allocates nothing, and the capacity stays.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, which is checked first; the vector is then as it was.
    pub fn decode_vec(&self, vec: &mut Vec<u8>) -> Result<(), DecodeError> {
        self.check(vec)?;
        let written = self.0.in_place(vec, false).written;
        vec.truncate(written);
        Ok(())
    }

    /// Decodes a string in place. This allocates nothing, and the capacity stays.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the decoded bytes are not UTF-8, which is checked first; the string is then as
    /// it was.
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
    /// If something is wrong with the input, or `out` is too small; what `out` holds is then unspecified.
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], DecodeSliceError> {
        let src = input.as_bytes();
        self.decode_cells(src, sink::OutputBuffer::initialized(out))
    }

    /// Like [`decode_slice`](Self::decode_slice), but takes memory that need not be initialised.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or `out` is too small; what `out` holds is then unspecified.
    #[cfg(feature = "simd")]
    pub fn decode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], DecodeSliceError> {
        self.decode_cells(input.as_bytes(), sink::OutputBuffer::new(out))
    }

    #[inline(always)]
    pub(crate) fn decode_cells<'o>(
        &self,
        src: &[u8],
        out: sink::OutputBuffer<'o>,
    ) -> Result<&'o mut [u8], DecodeSliceError> {
        let (decoded, result) = sink::slice(self.0.for_input(src), src, out)?;
        result.error.map_or(Ok(decoded), |error| Err(error.into()))
    }

    /// Decodes `buffer` into its own front, and returns the decoded bytes. What follows them is unspecified.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input. What precedes that in the buffer has been decoded already.
    pub fn decode_in_place<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], DecodeError> {
        let result = self.0.in_place(buffer, false);
        match result.error {
            None => Ok(&mut buffer[..result.written]),
            Some(error) => Err(error),
        }
    }

    /// Writes the decoded bytes to `out`. Returns how many those are. Nothing is allocated, but for an error.
    ///
    /// # Errors
    ///
    /// Those of `out`; and of the kind `InvalidData`, with the [`DecodeError`] inside, if something is wrong with the
    /// input. What precedes that has been written.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        let (written, error) = sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?;
        error.map_or(Ok(written), |error| Err(error.into()))
    }

    /// Returns exactly how many bytes the decoded form has.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input; what it decodes to is not looked at as text.
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        let decoding = self.0.for_input(src);
        let (triplets, scanned) = decoding.count(src);
        let error = if scanned.stopped_at < src.len() { decoding.error_at(src, scanned.stopped_at) } else { None };
        error.map_or(Ok(scanned.stopped_at - 2 * triplets), Err)
    }

    /// Checks that `input` can be decoded.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input; what it decodes to is not looked at as text.
    pub fn check<I: AsBytes + ?Sized>(&self, input: &I) -> Result<(), DecodeError> {
        self.decoded_len(input).map(|_| ())
    }
}
