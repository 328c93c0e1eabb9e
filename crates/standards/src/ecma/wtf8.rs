//! The functions of ECMAScript on [WTF-8](https://simonsapin.github.io/wtf-8/). WTF-8 is UTF-8 that may also have lone
//! surrogates, each as three bytes: ED, A0 to BF, 80 to BF. On Windows, Rust's `OsStr` is WTF-8, and many JavaScript
//! engines can export WTF-8.
//!
//! All other bytes that aren't UTF-8 are an error. If a surrogate pair is written as three bytes for each surrogate,
//! this is also an error, because WTF-8 writes the pair as four bytes. Offsets are in bytes.

use alloc::{borrow::Cow, string::String, vec::Vec};

use percent_simd::{CheckedDecoder, Encoder, internal::text};

use super::pieces::{self, Piece, pieces, replaced};
use super::utf16::widen;
use super::{DECODE_URI, DECODE_URI_COMPONENT, ENCODE_URI, ENCODE_URI_COMPONENT, EcmaError, EcmaErrorKind};
use crate::memory;

/// Encodes like `encodeURI` ([19.2.6.3](https://tc39.es/ecma262/#sec-encodeuri-uri)). A lone surrogate is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::{EcmaErrorKind, wtf8};
/// assert_eq!(wtf8::encode_uri("/é".as_bytes())?, "/%C3%A9");
/// let error = wtf8::encode_uri(b"/\xED\xA0\x80").unwrap_err();
/// assert_eq!((error.offset, error.kind), (1, EcmaErrorKind::LoneSurrogate));
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a lone surrogate, and for input that isn't WTF-8.
///
/// # Panics
///
/// Panics if memory cannot be allocated. This holds for all functions of this module.
pub fn encode_uri(input: &[u8]) -> Result<Cow<'_, str>, EcmaError> {
    encode(&ENCODE_URI, input)
}

/// Encodes like `encodeURIComponent` ([19.2.6.4](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)).
///
/// A lone surrogate is an error.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::wtf8::encode_uri_component("/é".as_bytes())?, "%2F%C3%A9");
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a lone surrogate, and for input that isn't WTF-8.
pub fn encode_uri_component(input: &[u8]) -> Result<Cow<'_, str>, EcmaError> {
    encode(&ENCODE_URI_COMPONENT, input)
}

/// Decodes like `decodeURI` ([19.2.6.1](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)), to WTF-8.
///
/// A surrogate in the input stays as it is. If a surrogate is encoded as triplets, as in `%ED%A0%80`, this is an error.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::wtf8::decode_uri(b"%41\xED\xA0\x80%2f")?, &b"A\xED\xA0\x80%2f"[..]);
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a malformed `%`, for triplets that aren't UTF-8, and for input that isn't WTF-8.
pub fn decode_uri(input: &[u8]) -> Result<Cow<'_, [u8]>, EcmaError> {
    decode(&DECODE_URI, input)
}

/// Decodes like `decodeURIComponent` ([19.2.6.2](https://tc39.es/ecma262/#sec-decodeuricomponent-encodeduricomponent)),
/// to WTF-8.
///
/// A surrogate in the input stays as it is. If a surrogate is encoded as triplets, as in `%ED%A0%80`, this is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::{EcmaErrorKind, wtf8};
/// assert_eq!(wtf8::decode_uri_component(b"%41\xED\xA0\x80%2F")?, &b"A\xED\xA0\x80/"[..]);
/// assert_eq!(wtf8::decode_uri_component(b"%ED%A0%80").unwrap_err().kind, EcmaErrorKind::InvalidUtf8);
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a malformed `%`, for triplets that aren't UTF-8, and for input that isn't WTF-8.
pub fn decode_uri_component(input: &[u8]) -> Result<Cow<'_, [u8]>, EcmaError> {
    decode(&DECODE_URI_COMPONENT, input)
}

/// Encodes like `escape` ([Annex B.2.1.1](https://tc39.es/ecma262/#sec-escape-string)). The call fails only if the
/// input isn't WTF-8.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::wtf8::escape(b"\xC3\xA9\xED\xA0\x80")?, "%E9%uD800");
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for input that isn't WTF-8.
pub fn escape(input: &[u8]) -> Result<Cow<'_, str>, EcmaError> {
    check(input)?;
    Ok(match pieces::escape(input) {
        Some(escaped) => Cow::Owned(escaped),
        // No character of the input needs an escape, so the input is ASCII.
        None => String::from_utf8_lossy(input),
    })
}

/// Decodes like `unescape` ([Annex B.2.1.2](https://tc39.es/ecma262/#sec-unescape-string)), to WTF-8.
///
/// If the two halves of a surrogate pair become adjacent, they are joined to one character. The call fails only if the
/// input isn't WTF-8.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::wtf8::unescape(b"\xED\xA0\xBD%uDCA9")?, "💩".as_bytes());
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for input that isn't WTF-8.
pub fn unescape(input: &[u8]) -> Result<Cow<'_, [u8]>, EcmaError> {
    check(input)?;
    Ok(pieces::unescape(input).map_or(Cow::Borrowed(input), Cow::Owned))
}

/// Replaces each lone surrogate by U+FFFD.
///
/// This is `String.prototype.toWellFormed` ([22.1.3.31](https://tc39.es/ecma262/#sec-string.prototype.towellformed)),
/// and the conversion to `USVString` in Web IDL.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::ecma::wtf8::to_well_formed(b"a\xED\xA0\x80b")?, "a\u{FFFD}b");
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for input that isn't WTF-8.
pub fn to_well_formed(input: &[u8]) -> Result<Cow<'_, str>, EcmaError> {
    match text(input) {
        Some(text) => Ok(Cow::Borrowed(text)),
        None => check(input).map(|()| Cow::Owned(replaced(input))),
    }
}

/// Returns an error if `input` isn't WTF-8.
fn check(input: &[u8]) -> Result<(), EcmaError> {
    pieces(input).try_for_each(|piece| piece.map(|_| ()))
}

/// Converts WTF-8 to code units.
pub(super) fn to_units(input: &[u8]) -> Vec<u16> {
    let mut out = memory::vec(input.len());
    for piece in pieces(input).flatten() {
        match piece {
            Piece::Text(text) => widen(text, &mut out),
            Piece::Surrogate(unit) => out.push(unit),
        }
    }
    out.shrink_to_fit();
    out
}

fn encode<'a>(encoder: &Encoder, input: &'a [u8]) -> Result<Cow<'a, str>, EcmaError> {
    let mut pieces = pieces(input);
    while let Some(piece) = pieces.next() {
        if let Piece::Surrogate(_) = piece? {
            return Err(EcmaError::new(pieces.at - 3, EcmaErrorKind::LoneSurrogate));
        }
    }
    Ok(encoder.encode(input))
}

/// Decodes each text between surrogates separately. This is right, because a surrogate never completes a character that
/// triplets began.
fn decode<'a>(decoder: &CheckedDecoder, input: &'a [u8]) -> Result<Cow<'a, [u8]>, EcmaError> {
    if let Some(text) = text(input) {
        return Ok(match decoder.decode_utf8(text)? {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    let mut out = String::new();
    let mut all = memory::vec(input.len());
    let mut at = 0;
    for piece in pieces(input) {
        match piece? {
            Piece::Text(text) => {
                out.clear();
                decoder
                    .decode_into_string(text, &mut out)
                    .map_err(|error| EcmaError::of_part(error, at, at + text.len() < input.len()))?;
                all.extend_from_slice(out.as_bytes());
                at += text.len();
            }
            Piece::Surrogate(_) => {
                all.extend_from_slice(&input[at..at + 3]);
                at += 3;
            }
        }
    }
    if all.len() == input.len() {
        return Ok(Cow::Borrowed(input)); // no triplet was decoded, because decoding makes the output shorter
    }
    all.shrink_to_fit();
    Ok(Cow::Owned(all))
}
