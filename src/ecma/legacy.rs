//! `escape` and `unescape` over WTF-8, of which UTF-8 is a part; and `%uXXXX` among triplets of UTF-8.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::convert::Infallible;

use memchr::{memchr, memmem};

use super::wtf8::{self, Piece};
use crate::decode::Decoder;
use crate::encode::{Encoder, RawEncoder};
use crate::set::ByteSet;
use crate::sets;
use crate::sink;

pub(super) const ESCAPE: Encoder = Encoder::new(sets::ECMA_ESCAPE);
const DECODE: Decoder = Decoder::new();

/// `%uXXXX` and `%XX` at their longest.
pub(super) const LONGEST: usize = 6;

/// What `escape` makes of a code unit above ASCII.
pub(super) fn push_escape(unit: u16, mut put: impl FnMut(&[u8])) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |shift: u32| HEX[usize::from(unit >> shift & 0xF)];
    if unit < 0x100 {
        put(&[b'%', digit(4), digit(0)]);
    } else {
        put(&[b'%', b'u', digit(12), digit(8), digit(4), digit(0)]);
    }
}

/// The code unit that the `%uXXXX` at the front of `rest` stands for.
fn unit(rest: &[u8]) -> Option<u16> {
    let [b'%', b'u', digits @ ..] = rest else { return None };
    let value = |unit: u32, &digit: &u8| Some(unit << 4 | char::from(digit).to_digit(16)?);
    u16::try_from(digits.get(..4)?.iter().try_fold(0, value)?).ok()
}

/// Offset of the first `%uXXXX`, and its code unit.
fn find_unit(src: &[u8]) -> Option<(usize, u16)> {
    if let Some(unit) = unit(src) {
        return Some((0, unit)); // they come in rows
    }
    memmem::find_iter(src, b"%u").find_map(|at| Some((at, unit(&src[at..])?)))
}

/// Length of the ASCII at the front.
fn ascii_len(src: &[u8]) -> usize {
    const ASCII: RawEncoder = RawEncoder::new(ByteSet::ASCII);
    ASCII.first_changed(src).unwrap_or(src.len())
}

/// `escape` of WTF-8; `None` where nothing changes.
pub(super) fn escape(src: &[u8]) -> Option<String> {
    ESCAPE.first_changed(src)?;
    let mut out = String::with_capacity(escaped_len(src));
    let mut rest = src;
    while !rest.is_empty() {
        let (ascii, after) = rest.split_at(ascii_len(rest));
        ESCAPE.encode_into(ascii, &mut out);
        let other = after.iter().position(u8::is_ascii).unwrap_or(after.len());
        let mut push = |unit| push_escape(unit, |escape| out.extend(escape.iter().map(|&byte| char::from(byte))));
        for piece in wtf8::pieces(&after[..other]).flatten() {
            match piece {
                Piece::Text(text) => text.encode_utf16().for_each(&mut push),
                Piece::Surrogate(unit) => push(unit),
            }
        }
        rest = &after[other..];
    }
    Some(out)
}

/// How long `escape` makes it. Three for each octet is right for characters of two octets from U+0100 on, and of four;
/// it is three too many for those of Latin-1, and of three octets.
fn escaped_len(src: &[u8]) -> usize {
    const SHORTER: ByteSet = ByteSet::of(b"\xC2\xC3").union(ByteSet::range(0xE0, 0xEF));
    const COUNT: RawEncoder = RawEncoder::new(SHORTER.complement());
    let shorter = COUNT.encoded_len(src).map_or(0, |len| (len - src.len()) / 2);
    ESCAPE.raw().encoded_len(src).map_or(src.len(), |len| len - 3 * shorter)
}

/// What `unescape` comes to in ASCII without surrogates side by side: they may be halves.
pub(super) trait Unescaped {
    /// Characters of Latin-1.
    fn latin1(&mut self, octets: &[u8]);
    /// A code unit.
    fn unit(&mut self, unit: u16);
}

/// `unescape` of ASCII.
pub(super) fn unescape_ascii(mut src: &[u8], out: &mut impl Unescaped) {
    while !src.is_empty() {
        let found = find_unit(src);
        let (plain, after) = src.split_at(found.map_or(src.len(), |(at, _)| at));
        let put = |octets: &[u8]| {
            out.latin1(octets);
            Ok::<(), Infallible>(())
        };
        let Ok(_) = sink::pieces(DECODE.options().for_input(plain), plain, put);
        if let Some((_, unit)) = found {
            out.unit(unit);
        }
        src = after.get(LONGEST..).unwrap_or_default();
    }
}

/// Whether `unescape` would change something.
fn is_escaped(src: &[u8]) -> bool {
    DECODE.first_changed(src).is_some() || find_unit(src).is_some()
}

/// `unescape` of WTF-8; `None` where nothing changes.
pub(super) fn unescape(src: &[u8]) -> Option<Vec<u8>> {
    if !is_escaped(src) {
        return None;
    }
    let mut out = wtf8::Joined(Vec::with_capacity(src.len()));
    let mut rest = src;
    while !rest.is_empty() {
        let (raw, after) = rest.split_at(memchr(b'%', rest).unwrap_or(rest.len()));
        out.raw(raw);
        let (ascii, after) = after.split_at(ascii_len(after));
        unescape_ascii(ascii, &mut out);
        rest = after;
    }
    out.0.shrink_to_fit();
    Some(out.0)
}

/// Offset of the first escape in `text` that stands for a surrogate alone; its length where none does.
pub(super) fn first_lone(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some((skipped, first)) = find_unit(&text[at..]) {
        at += skipped;
        let next = unit(&text[at + LONGEST..]);
        match char::decode_utf16([Some(first), next].into_iter().flatten()).next() {
            Some(Ok(character)) => at += LONGEST * character.len_utf16(),
            _ => return at,
        }
    }
    text.len()
}

/// Decodes `%XX` as an octet, and `%uXXXX` as the UTF-8 of its code unit: the mix that IIS, old scripts and their logs
/// have. No standard knows it; so no other decoder here reads `%uXXXX`, but for [`unescape`](super::unescape).
///
/// Two surrogates side by side, `%uD83D%uDCA9`, are one character; one that stands alone stays as it is written, as does
/// every other malformed `%`. The input itself where nothing changes. The result is octets, of which nothing is known.
///
/// ```
/// use percent_simd::ecma::decode_with_u;
/// assert_eq!(decode_with_u("%C3%A9%u00e9%uD83D%uDCA9"), "éé💩".as_bytes());
/// assert_eq!(decode_with_u("%uD83D%41 %u12 100%"), &b"%uD83DA %u12 100%"[..]);
/// ```
///
/// # Panics
/// As `Vec` does, where memory cannot be had.
#[must_use]
pub fn decode_with_u<I: AsRef<[u8]> + ?Sized>(input: &I) -> Cow<'_, [u8]> {
    let src = input.as_ref();
    let Some(mut found) = find_unit(src) else { return DECODE.decode(src) };
    let mut out = Vec::with_capacity(src.len());
    let mut rest = src;
    loop {
        let (plain, after) = rest.split_at(found.0);
        DECODE.decode_into(plain, &mut out);
        let second = unit(&after[LONGEST..]);
        let read = match char::decode_utf16([Some(found.1), second].into_iter().flatten()).next() {
            Some(Ok(character)) => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                LONGEST * character.len_utf16()
            }
            _ => {
                out.extend_from_slice(&after[..LONGEST]);
                LONGEST
            }
        };
        rest = &after[read..];
        let Some(next) = find_unit(rest) else { break };
        found = next;
    }
    DECODE.decode_into(rest, &mut out);
    if out.len() == src.len() {
        return Cow::Borrowed(src);
    }
    out.shrink_to_fit();
    Cow::Owned(out)
}
