//! Defines [`CheckedDecoder`], which returns an error at a malformed `%`, or at an escape that it is to reject.
#![forbid(unsafe_code)]

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
use crate::error::{DecodeInPlaceError, TryDecodeError};
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};
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

/// A result whose only other error is that memory cannot be allocated, for which a call panics.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn or_panic<T>(result: Result<T, TryDecodeError>) -> Result<T, DecodeError> {
    result.or_else(|error| match error {
        TryDecodeError::Decode(error) => Err(error),
        TryDecodeError::Memory(error) => memory::infallible(Err(error)),
    })
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
    /// If something is wrong with the input, or the bytes cannot be stored.
    pub fn try_decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, TryDecodeError> {
        let src = input.as_bytes();
        Ok(sink::cow_or_error(self.0.for_input(src), src)??)
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
    /// If something is wrong with the input, or the decoded bytes are not UTF-8 or cannot be stored.
    pub fn try_decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, TryDecodeError> {
        Ok(self.0.text(Source::new(input))??)
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
        or_panic(self.try_decode_utf8_lossy(input))
    }

    /// Like [`decode_utf8_lossy`](Self::decode_utf8_lossy), but does not panic.
    ///
    /// # Errors
    ///
    /// If an escape is wrong, or the text cannot be stored.
    pub fn try_decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, TryDecodeError> {
        let (text, error) = self.0.lossy_text(Source::new(input))?;
        error.map_or(Ok(text), |error| Err(error.into()))
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
    /// If memory cannot be allocated; [`try_decode_valid_utf8`](Self::try_decode_valid_utf8) returns an error instead.
    pub fn decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        or_panic(self.try_decode_valid_utf8(input))
    }

    /// Like [`decode_valid_utf8`](Self::decode_valid_utf8), but does not panic.
    ///
    /// # Errors
    ///
    /// If an escape is wrong, or the text cannot be stored.
    pub fn try_decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, TryDecodeError> {
        let (text, error) = self.0.valid_text(Source::new(input))?;
        error.map_or(Ok(text), |error| Err(error.into()))
    }

    /// Appends the decoded bytes to `out`. Returns how many those are.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input; `out` is then as it was.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode_into`](Self::try_decode_into) returns an error instead.
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, DecodeError> {
        or_panic(self.try_decode_into(input, out))
    }

    /// Like [`decode_into`](Self::decode_into), but does not panic.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the bytes cannot be stored; `out` is then as it was.
    pub fn try_decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, TryDecodeError> {
        let (src, before) = (input.as_bytes(), out.len());
        let result = sink::append(self.0.for_input(src), src, out)?;
        match result.error {
            None => Ok(result.written),
            Some(error) => {
                out.truncate(before);
                Err(error.into())
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
    /// If memory cannot be allocated; [`try_decode_into_string`](Self::try_decode_into_string) returns an error instead.
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        or_panic(self.try_decode_into_string(input, out))
    }

    /// Like [`decode_into_string`](Self::decode_into_string), but does not panic.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the decoded bytes are not UTF-8 or cannot be stored; `out` is then as it
    /// was.
    pub fn try_decode_into_string<I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &mut String,
    ) -> Result<usize, TryDecodeError> {
        let src = input.as_bytes();
        Ok(sink::append_text(self.0.for_input(src), src, out)??)
    }

    /// Decodes a vector in place: nothing is allocated, and the capacity stays.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, with the vector as it was: it is checked first.
    pub fn decode_vec(&self, mut vec: Vec<u8>) -> Result<Vec<u8>, DecodeInPlaceError<Vec<u8>>> {
        if let Err(error) = self.check(&vec) {
            return Err(DecodeInPlaceError::new(error, vec));
        }
        let written = self.0.in_place(&mut vec, false).written;
        vec.truncate(written);
        Ok(vec)
    }

    /// Decodes a string in place: nothing is allocated, and the capacity stays.
    ///
    /// # Errors
    ///
    /// If something is wrong with the input, or the decoded bytes are not UTF-8, with the string as it was: what it
    /// decodes to is checked first.
    pub fn decode_string(&self, string: String) -> Result<String, DecodeInPlaceError<String>> {
        let decoding = self.0.for_input(string.as_bytes());
        sink::text::decode_string(decoding, string).map_err(|(error, string)| DecodeInPlaceError::new(error, string))
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
