#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

use core::{fmt, slice};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};
#[cfg(feature = "alloc")]
use core::str::{self, Utf8Error};

#[cfg(feature = "alloc")]
use percent_simd::Decoder;
use percent_simd::{ByteSet, EncodePieces, Encoder, internal};

mod ascii_set;

pub use ascii_set::{AsciiSet, CONTROLS, NON_ALPHANUMERIC};

/// Writes every byte as a triplet.
const TRIPLETS: Encoder = Encoder::new(ByteSet::EMPTY);
#[cfg(feature = "alloc")]
const DECODER: Decoder = Decoder::new();

/// Returns the triplet of `byte`, with upper-case digits (RFC 3986 2.1).
///
/// No set applies: every byte becomes a triplet.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_encoding::percent_encode_byte(b'f'), "%66");
/// ```
#[inline]
pub fn percent_encode_byte(byte: u8) -> &'static str {
    TRIPLETS.triplet(byte)
}

/// Percent-encodes the bytes in `ascii_set`, and all bytes that are not ASCII.
///
/// This is "percent-encode after encoding" of the URL Standard (1.3), with an ASCII set. The result encodes only when
/// you use it. The result is an iterator over pieces of text, implements `Display`, and converts to a `Cow<str>`. The
/// `Cow` borrows if every byte stays.
///
/// # Examples
///
/// ```
/// use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
/// assert_eq!(percent_encode(b"caf\xE9 ?", NON_ALPHANUMERIC).to_string(), "caf%E9%20%3F");
/// ```
#[inline]
pub fn percent_encode<'a>(input: &'a [u8], ascii_set: &'static AsciiSet) -> PercentEncode<'a> {
    PercentEncode::new(input, ascii_set)
}

/// Percent-encodes the UTF-8 bytes of `input`, like [`percent_encode`].
///
/// # Examples
///
/// ```
/// use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
/// assert_eq!(utf8_percent_encode("café ?", NON_ALPHANUMERIC).to_string(), "caf%C3%A9%20%3F");
/// ```
#[inline]
pub fn utf8_percent_encode<'a>(input: &'a str, ascii_set: &'static AsciiSet) -> PercentEncode<'a> {
    percent_encode(input.as_bytes(), ascii_set)
}

/// An encoding that runs when you iterate over it, display it or convert it.
///
/// [`percent_encode`], [`utf8_percent_encode`] and [`AsciiSet::encode`] return it. It is an iterator over pieces of
/// text. A piece is a single triplet, or a run of bytes that stay. A run is borrowed from the input, and as long as
/// possible.
#[derive(Clone)]
pub struct PercentEncode<'a> {
    pieces: EncodePieces<'a, &'a Encoder>,
    ascii_set: &'a AsciiSet,
}

impl<'a> PercentEncode<'a> {
    #[inline]
    fn new(bytes: &'a [u8], ascii_set: &'a AsciiSet) -> PercentEncode<'a> {
        PercentEncode { pieces: EncodePieces::new(ascii_set.encoder(), bytes), ascii_set }
    }

    /// Returns the input that has not been encoded yet.
    #[inline]
    fn bytes(&self) -> &'a [u8] {
        internal::rest(&self.pieces)
    }
}

impl fmt::Debug for PercentEncode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PercentEncode").field("bytes", &self.bytes()).field("ascii_set", &self.ascii_set).finish()
    }
}

impl PartialEq for PercentEncode<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes() && self.ascii_set == other.ascii_set
    }
}

impl Eq for PercentEncode<'_> {}

impl<'a> Iterator for PercentEncode<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        self.pieces.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.pieces.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, f: F) -> B {
        self.pieces.fold(init, f)
    }
}

impl PercentEncode<'_> {
    /// Encodes the rest of the input to a new `String`, in one allocation of exactly its length.
    ///
    /// Without this method, `ToString::to_string` would write through a formatter.
    #[cfg(feature = "alloc")]
    #[allow(clippy::inherent_to_string_shadow_display)] // this method and `Display` write the same text
    #[inline]
    pub fn to_string(&self) -> String {
        self.ascii_set.encoder().encode_to_string(self.bytes())
    }
}

/// Writes the encoded form of the rest of the input. Ignores the formatter's width and other options.
impl fmt::Display for PercentEncode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ascii_set.encoder().encode_fmt(self.bytes(), f)
    }
}

/// Encodes the rest of the input. Borrows if the rest is empty, has only bytes that stay, or encodes to one triplet.
#[cfg(feature = "alloc")]
impl<'a> From<PercentEncode<'a>> for Cow<'a, str> {
    #[inline]
    fn from(encode: PercentEncode<'a>) -> Cow<'a, str> {
        match *encode.bytes() {
            [byte] if encode.ascii_set.should_percent_encode(byte) => Cow::Borrowed(percent_encode_byte(byte)),
            _ => encode.ascii_set.encoder().encode(encode.bytes()),
        }
    }
}

/// Percent-decodes the bytes of `input`, like [`percent_decode`].
///
/// # Examples
///
/// ```
/// assert_eq!(percent_encoding::percent_decode_str("100%25").decode_utf8()?, "100%");
/// # Ok::<(), std::str::Utf8Error>(())
/// ```
#[inline]
pub fn percent_decode_str(input: &str) -> PercentDecode<'_> {
    percent_decode(input.as_bytes())
}

/// Percent-decodes `input` (URL Standard 1.3).
///
/// A `%` and two hexadecimal digits become the byte with that value. All other bytes are kept, also malformed escapes
/// and `+`. The result decodes only when you use it. The result is an iterator over bytes, and converts to a `Cow` of
/// bytes or of text. The `Cow` borrows if there is no valid triplet.
///
/// # Examples
///
/// ```
/// use percent_encoding::percent_decode;
/// assert_eq!(percent_decode(b"caf%c3%a9 100%zz").decode_utf8()?, "café 100%zz");
/// # Ok::<(), std::str::Utf8Error>(())
/// ```
#[inline]
pub fn percent_decode(input: &[u8]) -> PercentDecode<'_> {
    PercentDecode { bytes: input.iter() }
}

/// A decoding that runs when you iterate over it or convert it. [`percent_decode`] and [`percent_decode_str`] return
/// it.
#[derive(Clone, Debug)]
pub struct PercentDecode<'a> {
    bytes: slice::Iter<'a, u8>,
}

impl Iterator for PercentDecode<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let &byte = self.bytes.next()?;
        if byte != b'%' {
            return Some(byte);
        }
        Some(match *self.bytes.as_slice() {
            [high, low, ref rest @ ..] => match (value(high), value(low)) {
                (Some(high), Some(low)) => {
                    self.bytes = rest.iter();
                    high << 4 | low
                }
                _ => byte,
            },
            _ => byte,
        })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.bytes.len().div_ceil(3), Some(self.bytes.len()))
    }
}

/// Returns the value of a hexadecimal digit.
#[inline]
fn value(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Decodes the rest of the input. Borrows if there is no valid triplet.
#[cfg(feature = "alloc")]
impl<'a> From<PercentDecode<'a>> for Cow<'a, [u8]> {
    #[inline]
    fn from(decode: PercentDecode<'a>) -> Cow<'a, [u8]> {
        // Short inputs are often host names, which rarely have a triplet. So we look for a `%` before we call an engine.
        const SHORT: usize = 16;
        let input = decode.bytes.as_slice();
        if input.len() <= SHORT && input.iter().fold(true, |clean, &byte| clean & (byte != b'%')) {
            return Cow::Borrowed(input);
        }
        DECODER.decode(input)
    }
}

#[cfg(feature = "alloc")]
impl<'a> PercentDecode<'a> {
    /// Decodes to text. Borrows if there is no valid triplet.
    ///
    /// # Errors
    ///
    /// Returns an error if the decoded bytes are not UTF-8. The offset in the error counts decoded bytes.
    pub fn decode_utf8(self) -> Result<Cow<'a, str>, Utf8Error> {
        let input = self.bytes.as_slice();
        DECODER.decode_utf8(input).map_err(|_| ill_formed(input))
    }

    /// Decodes to text, with U+FFFD for each maximal part that is not UTF-8.
    ///
    /// The replacement is the same as in [`String::from_utf8_lossy`](alloc::string::String::from_utf8_lossy). The result borrows
    /// if it equals the input.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(percent_encoding::percent_decode_str("%F0%9F%92 %96").decode_utf8_lossy(), "\u{FFFD} \u{FFFD}");
    /// ```
    pub fn decode_utf8_lossy(self) -> Cow<'a, str> {
        DECODER.decode_utf8_lossy(self.bytes.as_slice())
    }
}

/// Returns the standard library's error for an `input` whose decoding is not UTF-8.
#[cfg(feature = "alloc")]
#[cold]
fn ill_formed(input: &[u8]) -> Utf8Error {
    str::from_utf8(&DECODER.decode(input)).expect_err("a decoder has found it to be ill-formed")
}
