//! Defines [`Decoder`], which copies a malformed `%`.
#![forbid(unsafe_code)]

#[cfg(feature = "simd")]
use core::mem::MaybeUninit;

use super::{CheckedDecoder, DecodeOptions};
use crate::codec::Codec;
use crate::error::OutputTooSmall;
use crate::input::AsBytes;
#[cfg(feature = "alloc")]
use crate::input::Source;
#[cfg(feature = "alloc")]
use crate::memory;
use crate::sink;

#[cfg(feature = "alloc")]
use crate::error::DecodeError;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Percent-decodes leniently: a malformed `%` is copied.
///
/// Only one kind of input makes a call fail: calls that return text fail if the decoded bytes aren't UTF-8.
///
/// Without options, a `Decoder` does the URL Standard's percent-decode (1.3). Each triplet is decoded once, to its
/// byte. All other bytes are copied, including a malformed `%` and `+`. The result may contain any bytes, even NUL and
/// `/`, so check it after decoding.
///
/// # Examples
///
/// ```
/// use percent_simd::{Decoder, Plus, sets};
///
/// assert_eq!(Decoder::new().decode("100%25 %41%zz"), &b"100% A%zz"[..]);
/// assert_eq!(Decoder::new().decode_utf8("%CE%B1")?, "α");
///
/// const QUERY: Decoder = Decoder::new().plus(Plus::AfterQuery);
/// assert_eq!(QUERY.decode("/a+b?q=1+1%2B"), &b"/a+b?q=1 1+"[..]);
///
/// // Keeps escapes of `/`, `\` and NUL, so that the path still splits in the same way.
/// // Also keeps escapes of `%`, so that no new triplet appears.
/// const PATH: Decoder = Decoder::new().keep(percent_simd::ByteSet::of(b"/\\%\0"));
/// assert_eq!(PATH.decode("/AC%2FDC/%7E"), &b"/AC%2FDC/~"[..]);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
///
/// To get an error for a malformed `%`, use [`strict`](Self::strict). To get an error for escapes of some bytes, use
/// [`reject`](Self::reject).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decoder(pub(super) DecodeOptions);

/// The decoded bytes, and the first malformed `%`.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The decoded bytes. They borrow the input if and only if they equal it.
    pub bytes: Cow<'a, [u8]>,
    /// Offset, in bytes of the input, of the first `%` that starts no triplet.
    pub first_malformed: Option<usize>,
}

impl Decoder {
    /// Returns a decoder that decodes every triplet and copies all other bytes.
    #[must_use]
    #[inline]
    pub const fn new() -> Decoder {
        Decoder(DecodeOptions::NEW)
    }

    /// Returns a [`CheckedDecoder`] with these options and no further check. Only its calls that return text can fail.
    #[must_use]
    pub const fn as_checked(&self) -> CheckedDecoder {
        CheckedDecoder(self.0)
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

#[cfg(feature = "alloc")]
impl Decoder {
    /// Returns the decoded bytes. They borrow `input`, without allocation, if and only if they equal `input`.
    ///
    /// If they differ from `input`, at most a quarter of the result's memory is unused. For a long input, this call first
    /// allocates as many bytes as `input` has. If the result leaves more than a quarter of them unused, the call moves it to
    /// an allocation of the exact length.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_decode`](Self::try_decode) returns an error instead.
    #[must_use]
    #[inline(always)] // so that the result is in registers
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, [u8]> {
        memory::infallible(self.try_decode(input))
    }

    /// Does the same as [`decode`](Self::decode), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated.
    #[inline(always)] // so that the result is in registers
    pub fn try_decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, TryReserveError> {
        let src = input.as_bytes();
        sink::cow(self.0.for_input(src), src)
    }

    /// Decodes, and finds the first `%` that starts no triplet.
    pub(crate) fn decode_with_report<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Decoded<'a> {
        let (bytes, result) = memory::infallible(self.0.cow(input.as_bytes()));
        Decoded { bytes, first_malformed: result.malformed.offset(input.as_bytes()) }
    }

    /// Returns the decoded text. It borrows `input` if and only if it equals `input`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder};
    ///
    /// assert_eq!(Decoder::new().decode_utf8("%C3%A9")?, "é");
    /// let error = Decoder::new().decode_utf8("ab%C3%A9%C0%AF").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (8, DecodeErrorKind::InvalidUtf8)); // an overlong `/`
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the decoded bytes aren't UTF-8. The error has the offset in `input` of the first ill-formed
    /// sequence.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`CheckedDecoder::try_decode_utf8`] returns an error instead.
    #[inline(always)] // so that unchanged text is returned in registers
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        match self.0.short_text(Source::new(input)) {
            Some(text) => Ok(text),
            None => memory::infallible(self.0.long_text(Source::new(input))),
        }
    }

    /// Returns the decoded text, with U+FFFD for every maximal ill-formed part, as in [`String::from_utf8_lossy`].
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[must_use]
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        memory::infallible(self.0.lossy_text(Source::new(input))).0
    }

    /// Returns the decoded text, in which bytes that aren't UTF-8 are percent-encoded, as browsers show a link.
    ///
    /// The text borrows `input` if and only if it equals `input`. Triplets of bytes that aren't UTF-8 stay as they are
    /// written. An unescaped byte of 0x80 or above that isn't part of UTF-8 becomes a triplet. Use the result only for
    /// display. If the decoder doesn't [keep](Self::keep) `%`, the inputs `%FF` and `%25FF` both become `%FF`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{ByteSet, Decoder};
    ///
    /// assert_eq!(Decoder::new().decode_valid_utf8("caf%c3%a9, caf%e9, %F0%9F%92"), "café, caf%e9, %F0%9F%92");
    /// assert_eq!(Decoder::new().decode_valid_utf8(b"caf\xE9"), "caf%E9");
    ///
    /// // Escapes that could forge a line, or hide the end of a host name, stay.
    /// const STATUS_BAR: Decoder = Decoder::new().keep(ByteSet::CONTROLS.union(ByteSet::of(b"%/?#@: ")));
    /// assert_eq!(STATUS_BAR.decode_valid_utf8("/%D0%B4%2F%0a%ff"), "/д%2F%0a%ff");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[must_use]
    pub fn decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        memory::infallible(self.0.valid_text(Source::new(input))).0
    }

    /// Appends the decoded bytes to `out`. Returns the number of bytes appended.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[inline(always)] // so that its result is in registers
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        let src = input.as_bytes();
        memory::infallible(sink::append(self.0.for_input(src), src, out)).written
    }

    /// Appends the decoded text to `out`. Returns the number of bytes appended.
    ///
    /// # Errors
    ///
    /// Returns an error if the decoded bytes aren't UTF-8. The error has the offset in `input` of the first ill-formed
    /// sequence, and `out` is then unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        self.as_checked().decode_into_string(input, out)
    }

    /// Decodes a vector in place, without allocation. The capacity stays the same.
    pub fn decode_vec(&self, vec: &mut Vec<u8>) {
        let written = self.0.in_place(vec, false).written;
        vec.truncate(written);
    }

    /// Decodes a string in place, without allocation. The capacity stays the same.
    ///
    /// # Errors
    ///
    /// Returns an error if the decoded bytes aren't UTF-8. The error has the offset of the first ill-formed sequence,
    /// and the string is then unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder};
    ///
    /// let mut text = String::from("caf%C3%A9");
    /// Decoder::new().decode_string(&mut text)?;
    /// assert_eq!(text, "café");
    /// let mut text = String::from("%41%FF");
    /// let error = Decoder::new().decode_string(&mut text).unwrap_err();
    /// assert_eq!((error.offset, error.kind, &*text), (3, DecodeErrorKind::InvalidUtf8, "%41%FF"));
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    pub fn decode_string(&self, string: &mut String) -> Result<(), DecodeError> {
        self.as_checked().decode_string(string)
    }
}

impl Decoder {
    /// Writes the decoded bytes to the front of `out`, and returns them.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Decoder;
    ///
    /// let mut buffer = [0; 3];
    /// assert_eq!(Decoder::new().decode_slice("%41b%43", &mut buffer).unwrap(), b"AbC");
    /// assert_eq!(Decoder::new().decode_slice("%41bcd", &mut buffer).unwrap_err().needed, 4);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified.
    #[inline(always)] // so that its result is in registers
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let src = input.as_bytes();
        sink::slice(self.0.for_input(src), src, sink::OutputBuffer::initialized(out)).map(|(decoded, _)| decoded)
    }

    /// Does the same as [`decode_slice`](Self::decode_slice), but takes uninitialised memory.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified.
    #[cfg(feature = "simd")]
    #[inline(always)] // so that its result is in registers
    pub fn decode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let src = input.as_bytes();
        sink::slice(self.0.for_input(src), src, sink::OutputBuffer::new(out)).map(|(decoded, _)| decoded)
    }

    /// Decodes `buffer` in place, and returns the decoded bytes. They are at the start of the buffer. The bytes after
    /// them are unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut buffer = *b"a%20b";
    /// assert_eq!(percent_simd::Decoder::new().decode_in_place(&mut buffer), b"a b");
    /// ```
    pub fn decode_in_place<'b>(&self, buffer: &'b mut [u8]) -> &'b mut [u8] {
        let written = self.0.in_place(buffer, false).written;
        &mut buffer[..written]
    }

    /// Writes the decoded bytes to `out`, without allocation. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` returns an error.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        Ok(sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?.0)
    }

    /// Returns the exact length of the decoded form in bytes.
    #[must_use]
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        let src = input.as_bytes();
        self.0.for_input(src).output_len(src).unwrap_or(src.len())
    }

    /// Returns the length of the longest prefix of `input` whose decoded form doesn't depend on further input.
    ///
    /// If you decode input piece by piece, end each piece at this length.
    ///
    /// # Examples
    ///
    /// ```
    /// let decoder = percent_simd::Decoder::new();
    /// assert_eq!((decoder.settled_prefix_len("a%4"), decoder.settled_prefix_len("a%4z")), (1, 4));
    /// ```
    #[must_use]
    pub fn settled_prefix_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        self.0.profile.settled_prefix_len(input.as_bytes())
    }

    /// Returns the offset of the first `%` of `input` that starts no triplet.
    #[must_use]
    pub fn first_malformed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        let src = input.as_bytes();
        self.strict().options().for_input(src).count(src).1.malformed
    }
}

/// Makes a checked decoder that only fails for ill-formed UTF-8. Use this conversion in code that takes a `Decoder` or
/// a `CheckedDecoder`.
impl From<Decoder> for CheckedDecoder {
    fn from(decoder: Decoder) -> CheckedDecoder {
        decoder.as_checked()
    }
}

/// Copies the decoder.
impl From<&Decoder> for CheckedDecoder {
    fn from(decoder: &Decoder) -> CheckedDecoder {
        decoder.as_checked()
    }
}
