//! The functions of ECMAScript on strings of UTF-16 code units, which can have lone surrogates.
//!
//! Input, output and the offsets of errors are in code units. The codec works on bytes. So these functions convert the
//! strings to bytes block by block, in buffers on the stack.

mod convert;

use alloc::{borrow::Cow, vec::Vec};

use percent_simd::internal::{Cell, EMPTY_CELL};
use percent_simd::{CheckedDecoder, DecodeError, DecodeErrorKind, Encoder, SliceError, internal};

#[doc(hidden)] // the tests call it with each engine
pub use self::convert::to_utf8;
pub(super) use self::convert::widen;
use self::convert::{narrow, widen_ascii};
use super::legacy::{self, LANES, Unescaped};
use super::{DECODE_URI, DECODE_URI_COMPONENT, ENCODE_URI, ENCODE_URI_COMPONENT, EcmaError, EcmaErrorKind};
use crate::memory;

/// Encodes like `encodeURI` ([19.2.6.3](https://tc39.es/ecma262/#sec-encodeuri-uri)). A lone surrogate is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::{EcmaErrorKind, utf16};
/// let units: Vec<u16> = "/é".encode_utf16().collect();
/// assert_eq!(String::from_utf16_lossy(&utf16::encode_uri(&units)?), "/%C3%A9");
/// let error = utf16::encode_uri(&[0x2F, 0xDCA9, 0xD83D]).unwrap_err();
/// assert_eq!((error.offset, error.kind), (1, EcmaErrorKind::LoneSurrogate));
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a lone surrogate.
///
/// # Panics
///
/// Panics if memory cannot be allocated. This holds for all functions of this module.
pub fn encode_uri(units: &[u16]) -> Result<Cow<'_, [u16]>, EcmaError> {
    encode(&ENCODE_URI, units)
}

/// Encodes like `encodeURIComponent` ([19.2.6.4](https://tc39.es/ecma262/#sec-encodeuricomponent-uricomponent)).
///
/// A lone surrogate is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// let units: Vec<u16> = "/é".encode_utf16().collect();
/// assert_eq!(String::from_utf16_lossy(&utf16::encode_uri_component(&units)?), "%2F%C3%A9");
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a lone surrogate.
pub fn encode_uri_component(units: &[u16]) -> Result<Cow<'_, [u16]>, EcmaError> {
    encode(&ENCODE_URI_COMPONENT, units)
}

/// Decodes like `decodeURI` ([19.2.6.1](https://tc39.es/ecma262/#sec-decodeuri-encodeduri)).
///
/// A surrogate in the input stays as it is. If a surrogate is encoded as triplets, as in `%ED%A0%80`, this is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// let units: Vec<u16> = "%2f%C3%A9".encode_utf16().collect();
/// assert_eq!(String::from_utf16_lossy(&utf16::decode_uri(&units)?), "%2fé");
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a malformed `%`, and for triplets that aren't UTF-8.
pub fn decode_uri(units: &[u16]) -> Result<Cow<'_, [u16]>, EcmaError> {
    decode(&DECODE_URI, units)
}

/// Decodes like `decodeURIComponent` ([19.2.6.2](https://tc39.es/ecma262/#sec-decodeuricomponent-encodeduricomponent)).
///
/// A surrogate in the input stays as it is. If a surrogate is encoded as triplets, as in `%ED%A0%80`, this is an error.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// let mut units = vec![0xD800];
/// units.extend("%41%C3%A9".encode_utf16());
/// assert_eq!(*utf16::decode_uri_component(&units)?, [0xD800, 0x41, 0xE9]);
/// # Ok::<(), percent_standards::ecma::EcmaError>(())
/// ```
///
/// # Errors
///
/// Returns an error for a malformed `%`, and for triplets that aren't UTF-8.
pub fn decode_uri_component(units: &[u16]) -> Result<Cow<'_, [u16]>, EcmaError> {
    decode(&DECODE_URI_COMPONENT, units)
}

/// Encodes like `escape` ([Annex B.2.1.1](https://tc39.es/ecma262/#sec-escape-string)). The call can't fail.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// assert_eq!(String::from_utf16_lossy(&utf16::escape(&[0xE9, 0xD83D])), "%E9%uD83D");
/// ```
#[must_use]
pub fn escape(units: &[u16]) -> Cow<'_, [u16]> {
    let mut len = 0;
    escape_pieces(units, |piece| len += piece.len());
    if len == units.len() {
        return Cow::Borrowed(units); // no unit was escaped, because an escape would make the text longer
    }
    let mut out = memory::vec(len);
    escape_pieces(units, |piece| widen_ascii(piece, &mut out));
    Cow::Owned(out)
}

/// Decodes like `unescape` ([Annex B.2.1.2](https://tc39.es/ecma262/#sec-unescape-string)).
///
/// The call can't fail: a malformed `%` is copied.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// let units: Vec<u16> = "%E9%uD83D%u12".encode_utf16().collect();
/// assert_eq!(*utf16::unescape(&units), [0xE9, 0xD83D, 0x25, 0x75, 0x31, 0x32]);
/// ```
#[must_use]
pub fn unescape(units: &[u16]) -> Cow<'_, [u16]> {
    let Some(first) = percent(units) else { return Cow::Borrowed(units) };
    let mut ascii = [0; SHORT];
    let mut out = memory::vec(units.len());
    let mut at = 0;
    let mut next = first;
    while at < units.len() {
        out.extend_from_slice(&units[at..at + next]);
        at += next;
        at += unescape_block(&units[at..], &mut ascii, &mut out);
        next = percent(&units[at..]).unwrap_or(units.len() - at);
    }
    shorter(units, out)
}

/// Replaces each lone surrogate by U+FFFD.
///
/// This is `String.prototype.toWellFormed` ([22.1.3.31](https://tc39.es/ecma262/#sec-string.prototype.towellformed)),
/// and the conversion to `USVString` in Web IDL. Borrows `units` if it has no lone surrogate.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::utf16;
/// assert_eq!(*utf16::to_well_formed(&[0x61, 0xD83D, 0xD83D, 0xDCA9]), [0x61, 0xFFFD, 0xD83D, 0xDCA9]);
/// ```
#[must_use]
pub fn to_well_formed(units: &[u16]) -> Cow<'_, [u16]> {
    if char::decode_utf16(units.iter().copied()).all(|character| character.is_ok()) {
        return Cow::Borrowed(units);
    }
    let mut out = memory::vec(units.len());
    for character in char::decode_utf16(units.iter().copied()) {
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf16(&mut [0; 2]));
    }
    Cow::Owned(out)
}

/// The number of code units in a block, if the whole input fits into one block of this size. Each call clears its
/// buffers, and short buffers take less time to clear.
const SHORT: usize = 256;
/// The number of code units in a block, if the input is longer than `SHORT`.
const LONG: usize = 2048;

/// Passes the UTF-8 of `units` to `put`, block by block. At a lone surrogate, stops with an error.
fn blocks(units: &[u16], buffer: &mut [u8], mut put: impl FnMut(&[u8])) -> Result<(), EcmaError> {
    let mut at = 0;
    while at < units.len() {
        let (read, written) = to_utf8(None, &units[at..], buffer);
        put(&buffer[..written]);
        at += read;
        if read == 0 {
            return Err(EcmaError::new(at, EcmaErrorKind::LoneSurrogate));
        }
    }
    Ok(())
}

fn encode<'a>(encoder: &Encoder, units: &'a [u16]) -> Result<Cow<'a, [u16]>, EcmaError> {
    if units.len() <= SHORT {
        let mut utf8 = [0; 3 * SHORT];
        let (read, written) = to_utf8(None, units, &mut utf8);
        if read == units.len() {
            let mut buffer = [EMPTY_CELL; 9 * SHORT];
            if let Ok(encoded) = internal::encode_cells(encoder, &utf8[..written], &mut buffer) {
                let changed = encoded.len() != units.len(); // an escape is longer than the escaped character
                let owned = || Cow::Owned(memory::collect(encoded.bytes().map(u16::from)));
                return Ok(if changed { owned() } else { Cow::Borrowed(units) });
            }
        }
    }
    let mut utf8 = [0; 3 * LONG];
    let len = encoded_len(encoder, units, &mut [0; LONG]);
    if len == Some(units.len()) {
        return Ok(Cow::Borrowed(units));
    }
    let mut out = memory::vec(len.unwrap_or(usize::MAX));
    let mut buffer = [EMPTY_CELL; 9 * LONG];
    blocks(units, &mut utf8, |block| {
        if let Ok(encoded) = internal::encode_cells(encoder, block, &mut buffer) {
            widen_ascii(encoded.as_bytes(), &mut out);
        }
    })?;
    Ok(Cow::Owned(out))
}

/// Returns the exact length of the encoded `units`, in code units, if `units` has no lone surrogate. If the length
/// exceeds a `usize`, returns `None`. `buffer` is memory for one block.
fn encoded_len(encoder: &Encoder, units: &[u16], buffer: &mut [u8; LONG]) -> Option<usize> {
    let mut len = 0_usize;
    for block in units.chunks(LONG) {
        let ascii = &mut buffer[..block.len()];
        if narrow(block, ascii) < block.len() {
            len = len.checked_add(count_others(block, ascii))?;
        }
        len = len.checked_add(encoder.encoded_len(ascii)?)?;
    }
    Some(len)
}

/// Copies `block` to `ascii`, but writes `A` for each unit that isn't ASCII. Later each `A` is replaced by the escapes
/// of its unit. Returns the number of units by which the text then grows.
fn count_others(block: &[u16], ascii: &mut [u8]) -> usize {
    // The escapes of a unit replace its `A`. So for each unit, the text grows by the length of the escapes minus 1:
    // - for a character of two bytes, the escapes have 6 units (`%C3%A9`), so we add 5;
    // - for a character of three bytes, the escapes have 9 units, so we add 8;
    // - for a surrogate pair, the escapes have 12 units, which is 6 for each surrogate, so we add 5 for each surrogate.
    //
    // The sum for a block fits a `u16`.
    const { assert!(8 * LONG <= u16::MAX as usize) };
    let mut more = 0_u16;
    for (byte, &unit) in ascii.iter_mut().zip(block) {
        *byte = if unit < 0x80 { unit as u8 } else { b'A' };
        let is_surrogate = unit & 0xF800 == 0xD800;
        more += 5 * u16::from(unit >= 0x80) + 3 * u16::from((unit >= 0x800) & !is_surrogate);
    }
    usize::from(more)
}

/// Returns the offset of the first `%`.
fn percent(units: &[u16]) -> Option<usize> {
    const PERCENT: u16 = b'%' as u16;
    let none = |lanes: &&[u16]| !lanes.iter().fold(false, |any, &unit| any | (unit == PERCENT));
    let clean = (units.chunks_exact(LANES).take_while(none).count()) * LANES;
    let more = units[clean..].iter().position(|&unit| unit == PERCENT)?;
    Some(clean + more)
}

/// If `out` and `units` have the same length, borrows `units`. Otherwise returns `out`. A decoded escape is always
/// shorter than the escape. So if the length is the same, `units` had no escape.
fn shorter(units: &[u16], mut out: Vec<u16>) -> Cow<'_, [u16]> {
    if out.len() == units.len() {
        return Cow::Borrowed(units);
    }
    out.shrink_to_fit();
    Cow::Owned(out)
}

fn decode<'a>(decoder: &CheckedDecoder, units: &'a [u16]) -> Result<Cow<'a, [u16]>, EcmaError> {
    let first = percent(units);
    if first.is_some()
        && let Some(decoded) = decode_ascii(decoder, units)
    {
        return Ok(Cow::Owned(decoded));
    }
    match first {
        None => Ok(Cow::Borrowed(units)),
        Some(first) if units.len() <= SHORT => decode_from::<SHORT>(decoder, units, first),
        Some(first) => decode_from::<LONG>(decoder, units, first),
    }
}

/// Decodes short ASCII to ASCII, with one allocation of exactly the right length. Most input is like this. If the input
/// is long, isn't ASCII, is malformed, or stays the same, or if the result isn't ASCII, returns `None`.
fn decode_ascii(decoder: &CheckedDecoder, units: &[u16]) -> Option<Vec<u16>> {
    let mut ascii = [0; SHORT];
    let mut bytes = [EMPTY_CELL; SHORT];
    if units.len() > SHORT || narrow(units, &mut ascii) < units.len() {
        return None;
    }
    let bytes = internal::decode_cells(decoder, &ascii[..units.len()], &mut bytes).ok()?;
    (bytes.is_ascii() && bytes.len() < units.len()).then(|| memory::collect(bytes.iter().map(|&byte| u16::from(byte))))
}

/// Decodes `units` in blocks of `BLOCK` units. `next` is the offset of the first `%`.
#[inline]
fn decode_from<'a, const BLOCK: usize>(
    decoder: &CheckedDecoder,
    units: &'a [u16],
    mut next: usize,
) -> Result<Cow<'a, [u16]>, EcmaError> {
    let mut ascii = [0; BLOCK];
    let mut bytes = [EMPTY_CELL; BLOCK];
    let mut out = memory::vec(units.len());
    let mut at = 0;
    while at < units.len() {
        out.extend_from_slice(&units[at..at + next]);
        at += next;
        let rest = &units[at..];
        at += decode_block(decoder, rest, &mut ascii, &mut bytes, &mut out)
            .map_err(|error| EcmaError::of_part(error, at, rest.iter().any(|&unit| unit >= 0x80)))?;
        next = percent(&units[at..]).unwrap_or(units.len() - at);
    }
    Ok(shorter(units, out))
}

/// Decodes the ASCII text at the start of `units` into `out`, but at most as many units as the buffers have room for.
/// Returns the number of units read.
///
/// If a non-ASCII unit follows the ASCII text, the decoded bytes must not end inside a character. If they do, this is
/// an error, because the triplets of a character must be adjacent.
#[inline]
fn decode_block(
    decoder: &CheckedDecoder,
    units: &[u16],
    ascii: &mut [u8],
    bytes: &mut [Cell],
    out: &mut Vec<u16>,
) -> Result<usize, DecodeError> {
    let len = narrow(units, ascii);
    let is_last = len < ascii.len() || len == units.len();
    let ascii = if is_last { &ascii[..len] } else { &ascii[..legacy::DECODE.settled_prefix_len(ascii)] };
    let bytes = match internal::decode_cells(decoder, ascii, bytes) {
        Ok(bytes) => bytes,
        Err(SliceError::Input(error)) => return Err(first_error(decoder, ascii, error)),
        // The output fits, because decoding never makes text longer.
        Err(SliceError::OutputTooSmall(_)) => &mut [],
    };
    if bytes.is_ascii() {
        widen_ascii(bytes, out);
        return Ok(ascii.len());
    }
    let complete = if is_last { bytes.len() } else { internal::complete_utf8_len(bytes) };
    match internal::text(&bytes[..complete]) {
        Some(text) => widen(text, out),
        None => return Err(first_error(decoder, ascii, DecodeError::new(0, DecodeErrorKind::InvalidUtf8))),
    }
    // The bytes after `complete` are the start of a character, and each of them comes from a triplet. The next call
    // reads these triplets again.
    Ok(ascii.len() - 3 * (bytes.len() - complete))
}

/// Returns the first error in `ascii`. If `ascii` has no error, returns `known`.
#[cold]
fn first_error(decoder: &CheckedDecoder, ascii: &[u8], known: DecodeError) -> DecodeError {
    decoder.decode_utf8(ascii).err().unwrap_or(known)
}

/// Passes the escaped form of `units` to `put`, piece by piece.
fn escape_pieces(units: &[u16], mut put: impl FnMut(&[u8])) {
    let mut ascii = [0; SHORT];
    let mut buffer = [EMPTY_CELL; 3 * SHORT];
    let mut escaped = [0; LANES * legacy::LONGEST];
    let mut rest = units;
    while !rest.is_empty() {
        let len = narrow(rest, &mut ascii);
        let (units, after) = rest.split_at(if len < LANES { rest.len().min(LANES) } else { len });
        if len < LANES {
            put(legacy::escape_few(units.iter().copied(), &mut escaped));
        } else if let Ok(escaped) = internal::encode_cells(&legacy::ESCAPE, &ascii[..len], &mut buffer) {
            put(escaped.as_bytes());
        }
        rest = after;
    }
}

/// Unescapes the ASCII text at the start of `units` into `out`, but at most as many units as `ascii` has room for.
/// Returns the number of units read.
fn unescape_block(units: &[u16], ascii: &mut [u8], out: &mut Vec<u16>) -> usize {
    let mut len = narrow(units, ascii);
    if len == ascii.len() && len < units.len() {
        let end = &ascii[len - (legacy::LONGEST - 1)..];
        len -= end.iter().position(|&byte| byte == b'%').map_or(0, |at| end.len() - at);
    }
    legacy::unescape_ascii(&ascii[..len], out);
    len
}

impl Unescaped for Vec<u16> {
    fn latin1(&mut self, bytes: &[u8]) {
        widen_ascii(bytes, self);
    }

    fn unit(&mut self, unit: u16) {
        self.push(unit);
    }
}
