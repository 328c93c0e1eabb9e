//! Escapes code units as `%uXXXX` and `%XX`, unescapes ASCII text, and decodes bytes that contain both kinds of
//! escapes.

use alloc::borrow::Cow;

use percent_simd::internal::{self, EMPTY_CELL, triplet};
use percent_simd::{AsBytes, Decoder, Encoder, sets};

use crate::memory;

pub(super) const ESCAPE: Encoder = Encoder::new(sets::ECMA_ESCAPE);
pub(super) const DECODE: Decoder = Decoder::new();

/// The length of the longest escape, `%uXXXX`.
pub(crate) const LONGEST: usize = 6;

/// The number of code units or bytes that we test at once. If there are fewer, a loop is faster than a call of the
/// codec.
pub(super) const LANES: usize = 32;
/// An array with room for the longest escaped form of [`LANES`] code units.
pub(super) type Escaped = [u8; LANES * LONGEST];

/// Writes the escaped form of up to [`LANES`] code units.
pub(super) fn escape_few(units: impl Iterator<Item = u16>, out: &mut Escaped) -> &[u8] {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut len = 0;
    for unit in units.take(LANES) {
        let digit = |shift: u32| HEX[usize::from(unit >> shift & 0xF)];
        let (escape, length) = match unit {
            0..0x80 if sets::ECMA_ESCAPE.contains(unit as u8) => ([unit as u8, 0, 0, 0, 0, 0], 1),
            0..0x100 => ([b'%', digit(4), digit(0), 0, 0, 0], 3),
            _ => ([b'%', b'u', digit(12), digit(8), digit(4), digit(0)], LONGEST),
        };
        out[len..len + LONGEST].copy_from_slice(&escape);
        len += length;
    }
    &out[..len]
}

/// Returns true if `byte` can be the `u` in `%uXXXX`. If `ANY_CASE` is true, this can also be `U`.
const fn is_u<const ANY_CASE: bool>(byte: u8) -> bool {
    byte | (ANY_CASE as u8) << 5 == b'u'
}

/// If `rest` starts with `%uXXXX`, returns its code unit.
fn unit<const ANY_CASE: bool>(rest: &[u8]) -> Option<u16> {
    let [b'%', u, digits @ ..] = rest else { return None };
    if !is_u::<ANY_CASE>(*u) {
        return None;
    }
    let value = |unit: u32, &digit: &u8| Some(unit << 4 | char::from(digit).to_digit(16)?);
    u16::try_from(digits.get(..4)?.iter().try_fold(0, value)?).ok()
}

/// Returns the offset and the code unit of the first `%uXXXX`. If `ANY_CASE` is true, also finds `%UXXXX`.
pub(crate) fn find_unit<const ANY_CASE: bool>(src: &[u8]) -> Option<(usize, u16)> {
    let mut at = 0;
    while at < src.len() {
        let lanes = &src[at..src.len().min(at + LANES)];
        let next = src[at + 1..].iter().take(LANES);
        if lanes.iter().zip(next).fold(false, |any, (&a, &b)| any | ((a == b'%') & is_u::<ANY_CASE>(b))) {
            let found = (at..at + lanes.len()).find_map(|at| Some((at, unit::<ANY_CASE>(&src[at..])?)));
            if found.is_some() {
                return found;
            }
        }
        at += lanes.len();
    }
    None
}

/// Returns the length of the ASCII text at the start of `src`.
pub(super) fn ascii_len(src: &[u8]) -> usize {
    let lanes = src.chunks(LANES).take_while(|lanes| lanes.is_ascii()).count();
    let at = src.len().min(lanes * LANES);
    src[at..].iter().position(|byte| !byte.is_ascii()).map_or(src.len(), |more| at + more)
}

/// Receives the result of [`unescape_ascii`], part by part. A surrogate in one part and a surrogate in the next may
/// form a character.
pub(super) trait Unescaped {
    /// Appends characters of Latin-1.
    fn latin1(&mut self, bytes: &[u8]);
    /// Appends a code unit.
    fn unit(&mut self, unit: u16);
}

/// Unescapes the ASCII text `src` into `out`.
pub(super) fn unescape_ascii(mut src: &[u8], out: &mut impl Unescaped) {
    while !src.is_empty() {
        let found = find_unit::<false>(src);
        let (plain, after) = src.split_at(found.map_or(src.len(), |(at, _)| at));
        if plain.len() < LANES {
            unescape_short(plain, out);
        } else {
            unescape_long(plain, out);
        }
        if let Some((_, unit)) = found {
            out.unit(unit);
        }
        src = after.get(LONGEST..).unwrap_or_default();
    }
}

/// Unescapes `plain` into `out`. `plain` is ASCII and has no `%uXXXX`.
fn unescape_long(mut plain: &[u8], out: &mut impl Unescaped) {
    const PIECE: usize = 1024;
    let mut buffer = [EMPTY_CELL; PIECE];
    while !plain.is_empty() {
        let piece = plain.get(..PIECE).map_or(plain, |piece| &piece[..DECODE.settled_prefix_len(piece)]);
        // The output fits, because decoding never makes text longer.
        out.latin1(internal::decode_cells(&DECODE.as_checked(), piece, &mut buffer).unwrap_or_default());
        plain = &plain[piece.len()..];
    }
}

/// Unescapes `plain` into `out`. `plain` is ASCII, shorter than [`LANES`] bytes, and has no `%uXXXX`.
fn unescape_short(plain: &[u8], out: &mut impl Unescaped) {
    let (mut bytes, mut len, mut at) = ([0; LANES], 0, 0);
    while at < plain.len() {
        let triplet = triplet(plain, at);
        bytes[len] = triplet.unwrap_or(plain[at]);
        at += if triplet.is_some() { 3 } else { 1 };
        len += 1;
    }
    out.latin1(&bytes[..len]);
}

/// Returns the offset of the first `%uXXXX` in `text` that is a lone surrogate. If there is none, returns the length of
/// `text`.
pub(super) fn first_lone(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some((skipped, first)) = find_unit::<false>(&text[at..]) {
        at += skipped;
        let next = unit::<false>(&text[at + LONGEST..]);
        match char::decode_utf16([Some(first), next].into_iter().flatten()).next() {
            Some(Ok(character)) => at += LONGEST * character.len_utf16(),
            _ => return at,
        }
    }
    text.len()
}

/// A `%uXXXX` found by [`find_u_escape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UEscape {
    /// The offset of the `%`, in bytes of the input.
    pub offset: usize,
    /// The length of the escape: 6 bytes. If it consists of two surrogates that form a character, the length is 12.
    pub len: usize,
    /// The code unit of the first four hexadecimal digits.
    pub unit: u16,
    /// The character. For a lone surrogate, this is `None`.
    pub character: Option<char>,
}

/// Returns the first `%uXXXX` of `input`, according to the rules of [`decode_with_u`].
///
/// Call it in a loop to decode the text between these escapes by your own rules, or to decode without allocation.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::find_u_escape;
/// let found = find_u_escape("%41%uD83D%uDCA9").unwrap();
/// assert_eq!((found.offset, found.len, found.unit, found.character), (3, 12, 0xD83D, Some('\u{1F4A9}')));
/// ```
#[must_use]
pub fn find_u_escape<I: AsBytes + ?Sized>(input: &I) -> Option<UEscape> {
    let src = input.as_bytes();
    let (offset, first) = find_unit::<false>(src)?;
    let second = src.get(offset + LONGEST..).and_then(unit::<false>);
    let character = char::decode_utf16([Some(first), second].into_iter().flatten()).next().and_then(Result::ok);
    let units = character.map_or(1, char::len_utf16);
    Some(UEscape { offset, len: LONGEST * units, unit: first, character })
}

/// Decodes `%XX` as a byte, and `%uXXXX` as the UTF-8 of its code unit.
///
/// IIS, old scripts and their logs use both kinds of escapes in one text. No standard describes this mix. The other
/// functions that read `%uXXXX` are the `unescape` functions and [`waf`](crate::waf).
///
/// Two adjacent surrogates, as in `%uD83D%uDCA9`, become one character. The escape of a lone surrogate stays as it is,
/// and so does a malformed `%`. Borrows the input if no change is needed. The result may contain any bytes, so check it
/// before you use it as text.
///
/// # Examples
///
/// ```
/// use percent_standards::ecma::decode_with_u;
/// assert_eq!(decode_with_u("%C3%A9%u00e9%uD83D%uDCA9"), "éé💩".as_bytes());
/// assert_eq!(decode_with_u("%uD83D%41 %u12 100%"), &b"%uD83DA %u12 100%"[..]);
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn decode_with_u<I: AsBytes + ?Sized>(input: &I) -> Cow<'_, [u8]> {
    let src = input.as_bytes();
    let Some(mut found) = find_u_escape(src) else { return DECODE.decode(src) };
    let mut out = memory::vec(src.len());
    let mut rest = src;
    loop {
        let (plain, after) = rest.split_at(found.offset);
        let (escape, after) = after.split_at(found.len);
        DECODE.decode_into(plain, &mut out);
        match found.character {
            Some(character) => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            None => out.extend_from_slice(escape),
        }
        rest = after;
        let Some(next) = find_u_escape(rest) else { break };
        found = next;
    }
    DECODE.decode_into(rest, &mut out);
    if out.len() == src.len() {
        return Cow::Borrowed(src);
    }
    out.shrink_to_fit();
    Cow::Owned(out)
}
