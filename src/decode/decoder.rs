//! Defines [`Decoder`], which keeps a malformed `%`.
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

/// Percent-decodes, leniently: a malformed `%` is copied. Only calls that return text can fail, where the bytes are not
/// UTF-8, or not in the charset.
///
/// By itself this is the URL Standard's percent-decode (1.3): a triplet becomes its byte, once; a `%` that starts none
/// is copied, as is everything else, `+` included. The result may hold any bytes, NUL and `/` among them: check it
/// after decoding.
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
/// // All but what would change where the path splits, or make new triplets.
/// const PATH: Decoder = Decoder::new().keep(percent_simd::ByteSet::of(b"/\\%\0"));
/// assert_eq!(PATH.decode("/AC%2FDC/%7E"), &b"/AC%2FDC/~"[..]);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
///
/// To make malformed escapes errors, ask for [`strict`](Self::strict); for escapes of some bytes, for
/// [`reject`](Self::reject).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decoder(pub(super) DecodeOptions);

/// The decoded bytes, and the first malformed `%`.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Decoded<'a> {
    /// The decoded bytes. They borrow the input if, and only if, nothing changes.
    pub bytes: Cow<'a, [u8]>,
    /// Offset, in bytes of the input, of the first `%` that starts no triplet.
    pub first_malformed: Option<usize>,
}

impl Decoder {
    /// Returns a decoder that decodes every triplet and copies everything else.
    #[must_use]
    #[inline]
    pub const fn new() -> Decoder {
        Decoder(DecodeOptions::NEW)
    }

    /// Returns a [`CheckedDecoder`] with these options and no further check: only its calls for UTF-8 can fail.
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
    /// Returns the decoded bytes. If, and only if, nothing changes, they borrow `input`, and nothing is allocated.
    ///
    /// Otherwise each `%` is counted first, and they are in one allocation of exactly their length, which is the peak of
    /// memory. Where a `%` is malformed, that grows once; where triplets are kept, it may be a third longer.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode`](Self::try_decode) returns an error instead.
    #[must_use]
    #[inline(always)] // so that the result is in registers
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, [u8]> {
        memory::infallible(self.try_decode(input))
    }

    /// Like [`decode`](Self::decode), but does not panic.
    ///
    /// # Errors
    ///
    /// If the bytes cannot be stored.
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

    /// Returns the decoded text, or `input` itself exactly where nothing changes.
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
    /// If the decoded bytes are not UTF-8, with the offset in `input` of the first that are not.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated; [`try_decode_utf8`](Self::try_decode_utf8) returns an error instead.
    #[inline(always)] // so that text that stays is borrowed in registers
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        match self.0.short_text(Source::new(input)) {
            Some(text) => Ok(text),
            None => memory::infallible(self.0.long_text(Source::new(input))),
        }
    }

    /// Like [`decode_utf8`](Self::decode_utf8), but does not panic. Both errors convert to [`std::io::Error`]: use `??`.
    ///
    /// # Errors
    ///
    /// If the text cannot be stored. The inner error is that of [`decode_utf8`](Self::decode_utf8).
    #[inline(always)] // so that text that stays is borrowed in registers
    pub fn try_decode_utf8<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        match self.0.short_text(Source::new(input)) {
            Some(text) => Ok(Ok(text)),
            None => self.0.long_text(Source::new(input)),
        }
    }

    /// Returns the decoded text, with U+FFFD for every maximal ill-formed part, as [`String::from_utf8_lossy`] has it.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        memory::infallible(self.0.lossy_text(Source::new(input))).0
    }

    /// Returns the decoded text, in which all that is not UTF-8 stays percent-encoded, as browsers show a link before
    /// it is clicked. `input` itself exactly where nothing changes.
    ///
    /// Triplets stay as they are spelled. A byte of 0x80 or above that stands in the input unescaped, and is not part of
    /// UTF-8, becomes a triplet. The result is for reading: a `%FF` in it may have been `%FF` or `%25FF`, unless the
    /// decoder [keeps](Self::keep) `%`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{ByteSet, Decoder};
    ///
    /// assert_eq!(Decoder::new().decode_valid_utf8("caf%c3%a9, caf%e9, %F0%9F%92"), "café, caf%e9, %F0%9F%92");
    /// assert_eq!(Decoder::new().decode_valid_utf8(b"caf\xE9"), "caf%E9");
    ///
    /// // What could forge a line, or hide how far a host name goes, stays escaped.
    /// const STATUS_BAR: Decoder = Decoder::new().keep(ByteSet::CONTROLS.union(ByteSet::of(b"%/?#@: ")));
    /// assert_eq!(STATUS_BAR.decode_valid_utf8("/%D0%B4%2F%0a%ff"), "/д%2F%0a%ff");
    /// ```
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn decode_valid_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        memory::infallible(self.0.valid_text(Source::new(input))).0
    }

    /// Appends the decoded bytes to `out`. Returns how many those are.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[inline(always)] // so that its result is in registers
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        let src = input.as_bytes();
        memory::infallible(sink::append(self.0.for_input(src), src, out)).written
    }

    /// Appends the decoded text to `out`. Returns how many bytes that is.
    ///
    /// # Errors
    ///
    /// If the decoded bytes are not UTF-8, with the offset in `input` of the first that are not; `out` is then as it was.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        self.as_checked().decode_into_string(input, out)
    }

    /// Decodes a vector in place. This allocates nothing, and the capacity stays.
    pub fn decode_vec(&self, vec: &mut Vec<u8>) {
        let written = self.0.in_place(vec, false).written;
        vec.truncate(written);
    }

    /// Decodes a string in place. This allocates nothing, and the capacity stays.
    ///
    /// # Errors
    ///
    /// If the decoded bytes are not UTF-8, with the offset of the first that are not; the string is then as it was.
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
    /// If `out` is too small, with the length that it needs; what it holds is then unspecified.
    #[inline(always)] // so that its result is in registers
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let src = input.as_bytes();
        sink::slice(self.0.for_input(src), src, sink::OutputBuffer::initialized(out)).map(|(decoded, _)| decoded)
    }

    /// Like [`decode_slice`](Self::decode_slice), but takes memory that need not be initialised.
    ///
    /// # Errors
    ///
    /// If `out` is too small, with the length that it needs; what it holds is then unspecified.
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

    /// Decodes `buffer` into its own front, and returns the decoded bytes. What follows them is unspecified.
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

    /// Writes the decoded bytes to `out`, without allocation. Returns how many those are.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        Ok(sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?.0)
    }

    /// Returns exactly how many bytes the decoded form has.
    #[must_use]
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        let src = input.as_bytes();
        self.0.for_input(src).output_len(src).unwrap_or(src.len())
    }

    /// Returns how much of `input` can be decoded before more of it is there: the length of the longest prefix whose
    /// decoded form does not depend on what follows. Input that is decoded piece by piece is cut there.
    ///
    /// # Examples
    ///
    /// ```
    /// let decoder = percent_simd::Decoder::new();
    /// assert_eq!((decoder.decided_len("a%4"), decoder.decided_len("a%4z")), (1, 4));
    /// ```
    #[must_use]
    pub fn decided_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        self.0.profile.decided_len(input.as_bytes())
    }

    /// Returns the offset of the first `%` of `input` that starts no triplet.
    #[must_use]
    pub fn first_malformed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        let src = input.as_bytes();
        self.strict().options().for_input(src).count(src).1.malformed
    }
}

/// A decoder that finds nothing wrong but ill-formed UTF-8, for code that takes either kind.
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
