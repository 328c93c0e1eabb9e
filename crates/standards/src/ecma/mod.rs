//! ECMA-262's `encodeURI` family, `escape` and `unescape` (16th edition, June 2025).
//!
//! The functions of [ECMA-262 19.2.6](https://tc39.es/ecma262/#sec-uri-handling-functions) and of its
//! [Annex B.2.1](https://tc39.es/ecma262/#sec-additional-properties-of-the-global-object), here over `&str`, in
//! [`utf16`] over code units, in which a surrogate may stand alone, and in [`wtf8`] over
//! [WTF-8](https://simonsapin.github.io/wtf-8/), which holds the same strings in bytes. They all borrow where nothing
//! changes, and where ECMAScript throws a `URIError`, they return a [`EcmaError`], which says where.
//!
//! ```
//! use percent_standards::ecma;
//!
//! assert_eq!(ecma::encode_uri_component("a/b c é"), "a%2Fb%20c%20%C3%A9");
//! assert_eq!(ecma::encode_uri("http://h/a b?c=é"), "http://h/a%20b?c=%C3%A9");
//! assert_eq!(ecma::decode_uri_component("a%2Fb")?, "a/b");
//! assert_eq!(ecma::decode_uri("a%2Fb%20c")?, "a%2Fb c");
//! assert_eq!(ecma::escape("é€"), "%E9%u20AC");
//! assert_eq!(ecma::unescape("%E9%u20AC")?, "é€");
//! # Ok::<(), ecma::EcmaError>(())
//! ```
//!
//! For slices, streams and batches take the encoders [`presets::ECMA_ENCODE_URI`] and [`presets::ECMA_ENCODE_URI_COMPONENT`], or
//! a [`Decoder`] that keeps [`sets::ECMA_DECODE_URI_PRESERVE`].

use core::fmt;

use percent_simd::{CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, Encoder, presets, sets};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

#[cfg(feature = "alloc")]
mod legacy;
#[cfg(feature = "alloc")]
mod pieces;
#[cfg(feature = "alloc")]
pub mod utf16;
#[cfg(feature = "alloc")]
pub mod wtf8;

#[cfg(feature = "alloc")]
pub(crate) use legacy::{LONGEST, find_unit};
#[cfg(feature = "alloc")]
pub use legacy::{UEscape, decode_with_u, find_u_escape};

const ENCODE_URI: Encoder = presets::ECMA_ENCODE_URI;
const ENCODE_URI_COMPONENT: Encoder = presets::ECMA_ENCODE_URI_COMPONENT;
const DECODE_URI: CheckedDecoder = Decoder::new().keep(sets::ECMA_DECODE_URI_PRESERVE).strict();
const DECODE_URI_COMPONENT: CheckedDecoder = Decoder::new().strict();

/// The fault of a string that can't be encoded or decoded, for which ECMAScript throws a `URIError`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EcmaError {
    /// Offset in the input, in its own units: bytes of text or of WTF-8, code units of UTF-16. That of the `%`, or of
    /// the surrogate, that is to blame; where several bytes go together, that of the `%` of the first.
    pub offset: usize,
    /// The kind of error.
    pub kind: EcmaErrorKind,
}

impl EcmaError {
    /// Makes a value of its parts, for tests and for code that finds the like by other means.
    #[must_use]
    pub const fn new(offset: usize, kind: EcmaErrorKind) -> EcmaError {
        EcmaError { offset, kind }
    }
}

/// The kind of a [`EcmaError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EcmaErrorKind {
    /// The input ends inside a triplet: `%` or `%4` (`Decode`, step 4.c.i).
    Truncated,
    /// A character after the `%` is no hexadecimal digit (`ParseHexOctet`).
    NotHex,
    /// The bytes that the triplets stand for are not UTF-8 (`Decode`, step 4.c). Latin-1 is for [`unescape`].
    InvalidUtf8,
    /// A surrogate stands alone, which has no UTF-8 (`Encode`; and where the result is to be a `str`). The functions
    /// whose names end in `_lossy` replace it by U+FFFD, and so does `to_well_formed` before a call.
    LoneSurrogate,
    /// The input is no WTF-8, thus no string of ECMAScript at all.
    NotWtf8,
}

impl EcmaError {
    /// Returns the error in a part of an input that starts at `before`, and after which there `is_more`.
    #[cfg(feature = "alloc")]
    fn of_part(error: DecodeError, before: usize, is_more: bool) -> EcmaError {
        let EcmaError { offset, kind } = error.into();
        let kind = if is_more && kind == EcmaErrorKind::Truncated { EcmaErrorKind::NotHex } else { kind };
        EcmaError::new(offset.saturating_add(before), kind)
    }
}

impl From<DecodeError> for EcmaError {
    fn from(error: DecodeError) -> EcmaError {
        let kind = match error.kind {
            DecodeErrorKind::Truncated => EcmaErrorKind::Truncated,
            DecodeErrorKind::NotHex => EcmaErrorKind::NotHex,
            // Nothing is rejected here, and no other charset is asked for.
            _ => EcmaErrorKind::InvalidUtf8,
        };
        EcmaError::new(error.offset, kind)
    }
}

impl fmt::Display for EcmaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            EcmaErrorKind::Truncated => {
                write!(f, "the input ends inside the escape at offset {offset}: a `%` needs two hexadecimal digits")
            }
            EcmaErrorKind::NotHex => {
                write!(f, "the `%` at offset {offset} is not followed by two hexadecimal digits")
            }
            EcmaErrorKind::InvalidUtf8 => {
                write!(f, "the escapes at offset {offset} are not UTF-8")
            }
            EcmaErrorKind::LoneSurrogate => {
                write!(f, "the surrogate at offset {offset} stands alone")
            }
            EcmaErrorKind::NotWtf8 => write!(f, "the input is not WTF-8 from offset {offset} on"),
        }
    }
}

impl core::error::Error for EcmaError {}

/// `encodeURI` ([19.2.6.3](https://tc39.es/ecma262/#sec-encodeuri-uri)): leaves what may stand in a URI; `%`, `[` and
/// `]` may not.
///
/// `text` itself where nothing changes. It cannot fail: in a `str` no surrogate stands alone.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::encode_uri("/a b?c#[100%]"), "/a%20b?c#%5B100%25%5D");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated, here and in the other functions.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_uri(text: &str) -> Cow<'_, str> {
    ENCODE_URI.encode(text)
}

/// `encodeURIComponent` ([19.2.6.4](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)): leaves letters,
/// digits and `- _ . ! ~ * ' ( )`.
///
/// `text` itself where nothing changes. It cannot fail: in a `str` no surrogate stands alone.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::encode_uri_component("it's 1+1"), "it's%201%2B1");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_uri_component(text: &str) -> Cow<'_, str> {
    ENCODE_URI_COMPONENT.encode(text)
}

/// `decodeURI` ([19.2.6.1](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)): decodes all triplets but those of
/// `; / ? : @ & = + $ , #`, which stay as they are written.
///
/// `text` itself where nothing changes. Offsets of errors are in bytes of `text`. As the standard has it, the result
/// may have a scheme that `text` has not: `%6Aavascript:` becomes `javascript:`. What is to be shown or followed is
/// better mapped by [`iri::to_iri`](crate::iri::to_iri).
///
/// # Examples
///
/// ```
/// use percent_standards::ecma;
/// assert_eq!(ecma::decode_uri("%2f%41%C3%A9%25")?, "%2fAé%");
/// assert_eq!(ecma::decode_uri("%C3%2F").unwrap_err().kind, ecma::EcmaErrorKind::InvalidUtf8);
/// # Ok::<(), ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// A malformed `%`, and triplets that are not UTF-8.
#[cfg(feature = "alloc")]
pub fn decode_uri(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    Ok(DECODE_URI.decode_utf8(text)?)
}

/// `decodeURIComponent` ([19.2.6.2](https://tc39.es/ecma262/#sec-decodeuricomponent-encodeduricomponent)): decodes all
/// triplets. Each must be well-formed, and what they stand for must be UTF-8.
///
/// `text` itself where nothing changes. Offsets of errors are in bytes of `text`.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::{self, EcmaErrorKind};
/// assert_eq!(ecma::decode_uri_component("%F0%9F%92%A9")?, "💩");
/// let error = ecma::decode_uri_component("ab%C0%80").unwrap_err();
/// assert_eq!((error.offset, error.kind), (2, EcmaErrorKind::InvalidUtf8));
/// # Ok::<(), ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// A malformed `%`, and triplets that are not UTF-8.
#[cfg(feature = "alloc")]
pub fn decode_uri_component(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    // `Decode` wants the triplets of a character side by side. Bytes of a character that stands in `text` itself never
    // mend what triplets have begun: they come whole, first byte first. So the result is UTF-8 exactly if each run of
    // triplets is.
    Ok(DECODE_URI_COMPONENT.decode_utf8(text)?)
}

/// `escape` ([Annex B.2.1.1](https://tc39.es/ecma262/#sec-escape-string)): code units below 256 as `%XX`, others as
/// `%uXXXX`; letters, digits and `@ * _ + - . /` stay.
///
/// `text` itself where nothing changes.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::escape("é€💩 +~"), "%E9%u20AC%uD83D%uDCA9%20+%7E");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    pieces::escape(text.as_bytes()).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// `unescape` ([Annex B.2.1.2](https://tc39.es/ecma262/#sec-unescape-string)) to text: `%XX` is a character of Latin-1,
/// `%uXXXX` a code unit; any other `%` is copied.
///
/// `text` itself where nothing changes. Where the result holds a surrogate without its other half, it is no text, and
/// the offset of its escape is returned, in bytes of `text`.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma;
/// assert_eq!(ecma::unescape("%E9%u20AC%uD83D%uDCA9%U0041%u12%%41")?, "é€💩%U0041%u12%A");
/// assert_eq!(ecma::unescape("a%uD83Db").unwrap_err().offset, 1);
/// # Ok::<(), ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// A surrogate that stands alone in the result.
#[cfg(feature = "alloc")]
pub fn unescape(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    let Some(unescaped) = pieces::unescape(text.as_bytes()) else { return Ok(Cow::Borrowed(text)) };
    match String::from_utf8(unescaped) {
        Ok(string) => Ok(Cow::Owned(string)),
        Err(_) => Err(EcmaError::new(legacy::first_lone(text.as_bytes()), EcmaErrorKind::LoneSurrogate)),
    }
}

/// [`unescape`], with U+FFFD for each surrogate that stands alone.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::unescape_lossy("a%uD83Db"), "a\u{FFFD}b");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn unescape_lossy(text: &str) -> Cow<'_, str> {
    match pieces::unescape(text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(unescaped) => Cow::Owned(match String::from_utf8(unescaped) {
            Ok(string) => string,
            Err(error) => pieces::replaced(error.as_bytes()),
        }),
    }
}

/// [`unescape`] to code units, as ECMAScript has it.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::unescape_utf16("a%uD83Db"), [0x61, 0xD83D, 0x62]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn unescape_utf16(text: &str) -> Vec<u16> {
    wtf8::to_units(&unescape_wtf8(text))
}

/// [`unescape`] to [WTF-8](https://simonsapin.github.io/wtf-8/): a surrogate that stands alone is three bytes, two that
/// come to stand side by side are the four of their character.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::unescape_wtf8("a%uD83Db"), &b"a\xED\xA0\xBDb"[..]);
/// assert_eq!(percent_standards::ecma::unescape_wtf8("%uD83D%uDCA9"), "💩".as_bytes());
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn unescape_wtf8(text: &str) -> Cow<'_, [u8]> {
    pieces::unescape(text.as_bytes()).map_or(Cow::Borrowed(text.as_bytes()), Cow::Owned)
}
