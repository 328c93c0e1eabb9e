//! Implements ECMA-262's `encodeURI` family, `escape` and `unescape` (16th edition, June 2025).
//!
//! These are the functions of [ECMA-262 19.2.6](https://tc39.es/ecma262/#sec-uri-handling-functions) and of its
//! [Annex B.2.1](https://tc39.es/ecma262/#sec-additional-properties-of-the-global-object), for three kinds of strings:
//!
//! | strings | functions |
//! | --- | --- |
//! | `&str` | in this module |
//! | UTF-16 code units, which can have lone surrogates | [`utf16`] |
//! | the same strings as bytes, in [WTF-8](https://simonsapin.github.io/wtf-8/) | [`wtf8`] |
//!
//! Functions that return a `Cow` borrow their input if no change is needed. If ECMAScript would throw a `URIError`, the
//! Rust function returns an [`EcmaError`] with the offset of the fault.
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
//! For slices, streams and batches, use the encoders [`presets::ECMA_ENCODE_URI`] and
//! [`presets::ECMA_ENCODE_URI_COMPONENT`], or a [`Decoder`] that keeps [`sets::ECMA_DECODE_URI_PRESERVE`].

use percent_simd::{CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, Encoder, presets, sets};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::error::positioned_error;

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

positioned_error! {
    /// The error for a string that can't be encoded or decoded. ECMAScript throws a `URIError` for it.
    EcmaError {
        /// The offset in the input. For text and WTF-8 it counts bytes, and for UTF-16 code units.
        ///
        /// It is the offset of the malformed `%` or of the surrogate. If several triplets together aren't UTF-8, it is the
        /// offset of the `%` of the first triplet.
        offset
    }
    EcmaErrorKind {
        /// The input ends inside a triplet, as in `%` or `%4` (`Decode`, step 4.c.i).
        Truncated => "the input ends inside the escape at offset {offset}: a `%` needs two hexadecimal digits",
        /// A character after the `%` isn't a hexadecimal digit (`ParseHexOctet`).
        NotHex => "the `%` at offset {offset} is not followed by two hexadecimal digits",
        /// The triplets decode to bytes that aren't UTF-8 (`Decode`, step 4.c). If these bytes are Latin-1, use
        /// [`unescape`].
        InvalidUtf8 => "the escapes at offset {offset} are not UTF-8",
        /// A lone surrogate, which UTF-8 can't represent. It is an error in the input of `Encode`, and in any result that
        /// must be a `str`. If you want U+FFFD in its place, call a function whose name ends in `_lossy`, or call
        /// `to_well_formed` first.
        LoneSurrogate => "the surrogate at offset {offset} has no other half",
        /// The input isn't WTF-8, so it isn't a string of ECMAScript.
        NotWtf8 => "the input is not WTF-8 from offset {offset} on",
    }
}

impl EcmaError {
    /// Converts the error of a part into an error of the whole input. The part starts at `before`. If `is_more` is
    /// true, more input follows the part, and it doesn't begin with a hexadecimal digit. So a `%` at the end of the
    /// part is malformed, but not truncated.
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
            // The only other kind is `InvalidUtf8`, because the decoders of this module reject no byte, and decode only
            // to UTF-8.
            _ => EcmaErrorKind::InvalidUtf8,
        };
        EcmaError::new(error.offset, kind)
    }
}

/// Encodes all characters that aren't allowed in a URI, including `%`, `[` and `]`.
///
/// This is `encodeURI` ([19.2.6.3](https://tc39.es/ecma262/#sec-encodeuri-uri)). Borrows `text` if no change is needed.
/// A `str` has no lone surrogate, so the call can't fail.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::encode_uri("/a b?c#[100%]"), "/a%20b?c#%5B100%25%5D");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated. This holds for all functions of this module.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_uri(text: &str) -> Cow<'_, str> {
    ENCODE_URI.encode(text)
}

/// Encodes all characters except letters, digits, `-`, `_`, `.`, `!`, `~`, `*`, `'`, `(` and `)`.
///
/// This is `encodeURIComponent` ([19.2.6.4](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)). Borrows
/// `text` if no change is needed. A `str` has no lone surrogate, so the call can't fail.
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

/// Decodes all triplets except the escapes of `;`, `/`, `?`, `:`, `@`, `&`, `=`, `+`, `$`, `,` and `#`. These escapes
/// stay.
///
/// This is `decodeURI` ([19.2.6.1](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)). Borrows `text` if no change
/// is needed. Offsets of errors are in bytes of `text`.
///
/// The standard also decodes letters, so the result may have a scheme that `text` doesn't have: `%6Aavascript:` becomes
/// `javascript:`. To show or follow a URI, use [`iri::to_iri`](crate::iri::to_iri) instead.
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
/// Returns an error for a malformed `%`, and for triplets that aren't UTF-8.
#[cfg(feature = "alloc")]
pub fn decode_uri(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    Ok(DECODE_URI.decode_utf8(text)?)
}

/// Decodes all triplets. Each `%` must start a triplet, and the result must be UTF-8.
///
/// This is `decodeURIComponent` ([19.2.6.2](https://tc39.es/ecma262/#sec-decodeuricomponent-encodeduricomponent)).
/// Borrows `text` if no change is needed. Offsets of errors are in bytes of `text`.
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
/// Returns an error for a malformed `%`, and for triplets that aren't UTF-8.
#[cfg(feature = "alloc")]
pub fn decode_uri_component(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    // `Decode` reads a character only from adjacent triplets, but `decode_utf8` checks the whole result. Still, both
    // accept the same input: an unescaped character can't complete a character that triplets began. `text` is UTF-8, so
    // each of its characters begins with a leading byte.
    Ok(DECODE_URI_COMPONENT.decode_utf8(text)?)
}

/// Writes code units below 256 as `%XX` and others as `%uXXXX`. Letters, digits, `@`, `*`, `_`, `+`, `-`, `.` and `/`
/// stay.
///
/// This is `escape` ([Annex B.2.1.1](https://tc39.es/ecma262/#sec-escape-string)). Borrows `text` if no change is
/// needed.
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

/// Decodes `%XX` to a character of Latin-1, and `%uXXXX` to a code unit. Any other `%` is copied.
///
/// This is `unescape` ([Annex B.2.1.2](https://tc39.es/ecma262/#sec-unescape-string)), but it returns text.
///
/// Borrows `text` if no change is needed. If the result has a lone surrogate, it isn't text. To get it anyway, use
/// [`unescape_lossy`], [`unescape_utf16`] or [`unescape_wtf8`].
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
/// If the result has a lone surrogate, returns an error with the offset of its escape, in bytes of `text`.
#[cfg(feature = "alloc")]
pub fn unescape(text: &str) -> Result<Cow<'_, str>, EcmaError> {
    let Some(unescaped) = pieces::unescape(text.as_bytes()) else { return Ok(Cow::Borrowed(text)) };
    match String::from_utf8(unescaped) {
        Ok(string) => Ok(Cow::Owned(string)),
        Err(_) => Err(EcmaError::new(legacy::first_lone(text.as_bytes()), EcmaErrorKind::LoneSurrogate)),
    }
}

/// Unescapes like [`unescape`], but replaces each lone surrogate by U+FFFD.
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

/// Unescapes like [`unescape`], but returns code units, as ECMAScript does.
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

/// Unescapes like [`unescape`], but returns [WTF-8](https://simonsapin.github.io/wtf-8/).
///
/// A lone surrogate becomes three bytes. If the two surrogates of a pair are adjacent in the result, they become the
/// four bytes of their character.
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
