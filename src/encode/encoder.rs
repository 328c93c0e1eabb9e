//! Defines [`Encoder`], whose output is always ASCII text.
#![forbid(unsafe_code)]

use core::fmt;
#[cfg(feature = "simd")]
use core::mem::MaybeUninit;

use super::{EncodePieces, RawEncoder};
use crate::codec::Encoding;
use crate::engine::Engine;
use crate::error::OutputTooSmall;
use crate::input::{AsBytes, Source};
#[cfg(feature = "alloc")]
use crate::memory;
use crate::set::ByteSet;
use crate::sink;
use crate::sink::ascii::AsciiEncoding;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Percent-encodes bytes to text.
///
/// An encoder has a set of bytes that stay as they are. Every other byte becomes a triplet, `%` and two hexadecimal
/// digits (RFC 3986 2.1). Bytes of 0x80 and above always become triplets, even if the set contains them, so the result
/// is ASCII text. To leave these bytes as they are, use a [`RawEncoder`].
///
/// ```
/// use percent_simd::{ByteSet, Encoder, sets};
///
/// const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);
/// assert_eq!(SEGMENT.encode("AC/DC & Ελλάς"), "AC%2FDC%20&%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
///
/// // Any bytes, any set.
/// let hex_only = Encoder::new(ByteSet::EMPTY).lowercase();
/// assert_eq!(hex_only.encode(b"\x00\xFF"), "%00%ff");
/// ```
///
/// An encoder is a `Copy` value of somewhat more than a hundred bytes. Keep it in a `const` or a `static`. Encode each
/// component of a URI once, *before* you join the components (RFC 3986 2.4).
///
/// Encoders are equal if their sets, options and engines are equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoder(RawEncoder);

/// Shows the set, and the options that differ from the default.
impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show("Encoder", f)
    }
}

impl Encoder {
    /// Returns an encoder with the options and the set of `raw`. The set must be ASCII.
    pub(super) const fn of_ascii(raw: RawEncoder) -> Encoder {
        Encoder(raw)
    }

    #[inline]
    pub(crate) fn encoding(&self) -> Encoding<'_> {
        self.0.encoding()
    }

    /// Returns the codec, in a type that guarantees text.
    #[inline]
    pub(crate) fn ascii(&self) -> AsciiEncoding<'_> {
        AsciiEncoding::new(self.encoding())
    }

    /// Makes an encoder that leaves the ASCII bytes of `allowed` as they are. Bytes of 0x80 and above are always
    /// encoded.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> Encoder {
        Encoder(RawEncoder::of(allowed, allowed.intersection(ByteSet::ASCII)))
    }

    /// Makes an encoder that encodes the bytes of `escaped` and all bytes of 0x80 and above.
    ///
    /// Use it instead of [`new`](Self::new) if you know which bytes must be encoded. If `escaped` lacks `%`, decoding
    /// the output may not give the original data.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{ByteSet, Encoder};
    /// const QUOTED: Encoder = Encoder::escaping(ByteSet::CONTROLS.union(ByteSet::of(b"\"%")));
    /// assert_eq!(QUOTED.encode("100% \"é\"\n"), "100%25 %22%C3%A9%22%0A");
    /// ```
    #[must_use]
    pub const fn escaping(escaped: ByteSet) -> Encoder {
        Encoder::new(escaped.complement())
    }

    /// Writes hexadecimal digits in lower case. The default is upper case, which RFC 3986 2.1 asks for.
    #[must_use]
    pub const fn lowercase(self) -> Encoder {
        Encoder(self.0.lowercase())
    }

    /// Writes a space as `+`, even if the set contains the space (URL Standard 1.3, "spaceAsPlus").
    ///
    /// The set shouldn't contain `+`, because spaces and pluses would look the same in the output.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// assert_eq!(Encoder::new(sets::RFC3986_UNRESERVED).space_to_plus().encode("1 + 1"), "1+%2B+1");
    /// ```
    #[must_use]
    pub const fn space_to_plus(self) -> Encoder {
        Encoder(self.0.space_to_plus())
    }

    /// Leaves valid triplets as they are, so that encoded text isn't encoded again (RFC 6570 3.2.3).
    ///
    /// Any other `%` becomes `%25`, even if the set contains `%`.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// let encoder = Encoder::new(sets::RFC3986_PATH).keep_triplets();
    /// assert_eq!(encoder.encode("/100% a%20b"), "/100%25%20a%20b");
    /// ```
    #[must_use]
    pub const fn keep_triplets(self) -> Encoder {
        Encoder(self.0.keep_triplets())
    }

    /// Uses `engine` instead of the best one.
    #[must_use]
    pub const fn with_engine(self, engine: &'static Engine) -> Encoder {
        Encoder(self.0.with_engine(engine))
    }

    /// Returns the set that this encoder was made from.
    #[must_use]
    pub const fn allowed(&self) -> ByteSet {
        self.0.allowed()
    }

    /// Returns the encoded text. It borrows `input`, without allocation, if and only if it equals `input`.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_encode`](Self::try_encode) returns an error instead.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline(always)] // so that the result is in registers
    pub fn encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        memory::infallible(self.try_encode(input))
    }

    /// Does the same as [`encode`](Self::encode), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated.
    #[cfg(feature = "alloc")]
    #[inline(always)] // so that the result is in registers
    pub fn try_encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, TryReserveError> {
        self.ascii().cow(Source::new(input))
    }

    /// Returns the encoded text as a new `String`, in an allocation of exactly its length.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline(always)] // so that the result is in registers
    pub fn encode_to_string<I: AsBytes + ?Sized>(&self, input: &I) -> String {
        memory::infallible(self.ascii().string(input.as_bytes()))
    }

    /// Appends the encoded text to `out`. Returns the number of bytes appended.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_encode_into`](Self::try_encode_into) returns an error instead.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> usize {
        memory::infallible(self.try_encode_into(input, out))
    }

    /// Does the same as [`encode_into`](Self::encode_into), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated; `out` is then unchanged.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn try_encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, TryReserveError> {
        self.ascii().append(input.as_bytes(), out)
    }

    /// Appends the encoded text to a vector of bytes. Returns the number of bytes appended.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[cfg(feature = "alloc")]
    pub fn encode_into_vec<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        self.0.encode_into(input, out)
    }

    /// Writes the encoded text to the front of `out`, and returns it.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// let mut buffer = [0; 8];
    /// assert_eq!(encoder.encode_slice("a b", &mut buffer).unwrap(), "a%20b");
    /// assert_eq!(encoder.encode_slice("a & b", &mut buffer).unwrap_err().needed, 11);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified. To get only as much output as fits, use a [`stream`](Self::stream).
    pub fn encode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o str, OutputTooSmall> {
        self.ascii().slice(input.as_bytes(), sink::OutputBuffer::initialized(out))
    }

    /// Does the same as [`encode_slice`](Self::encode_slice), but takes uninitialised memory.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified. To get only as much output as fits, use a [`stream`](Self::stream).
    #[cfg(feature = "simd")]
    pub fn encode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o str, OutputTooSmall> {
        self.ascii().slice(input.as_bytes(), sink::OutputBuffer::new(out))
    }

    /// Returns the encoded text in pieces, without allocation. A piece is a stretch of unchanged input, or a triplet.
    /// The result implements `Display`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// let pieces = ENCODER.pieces("a b c");
    /// assert_eq!(format!("/{pieces}/"), "/a%20b%20c/");
    /// assert!(pieces.eq(["a", "%20", "b", "%20", "c"]));
    /// ```
    #[must_use]
    #[inline]
    pub fn pieces<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> EncodePieces<'a> {
        EncodePieces::new(*self, input)
    }

    /// Writes the encoded text to `out`, without allocation.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` returns an error.
    pub fn encode_fmt<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
        self.ascii().pieces(input.as_bytes(), |piece| out.write_str(piece))
    }

    /// Writes the encoded text to `out`, without allocation. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` returns an error.
    #[cfg(feature = "std")]
    pub fn encode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        self.0.encode_io(input, out)
    }

    /// Returns the exact length of the encoded text in bytes, or `None` if a `usize` can't hold it.
    #[must_use]
    pub fn encoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.0.encoded_len(input)
    }

    /// Returns the offset of the first byte of `input` that encoding would change.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// assert_eq!(Encoder::new(sets::RFC3986_PATH).first_changed("/a b"), Some(2));
    /// ```
    #[must_use]
    #[inline]
    pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.0.first_changed(input)
    }

    /// Returns the triplet of `byte`, even if the set contains it. The digits have the case of this encoder.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{ByteSet, Encoder};
    /// assert_eq!(Encoder::new(ByteSet::EMPTY).triplet(b'/'), "%2F");
    /// ```
    #[must_use]
    #[inline]
    pub fn triplet(&self, byte: u8) -> &'static str {
        self.ascii().triplet(byte)
    }

    /// Returns true if a space becomes `+`.
    pub(crate) const fn writes_plus(&self) -> bool {
        self.0.profile.plus
    }

    /// Returns this encoder as a [`RawEncoder`], with the same output.
    #[must_use]
    pub const fn raw(&self) -> &RawEncoder {
        &self.0
    }
}
