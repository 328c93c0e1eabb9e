//! Splits WTF-8 into text and lone surrogates, and escapes and unescapes WTF-8. Every UTF-8 text is WTF-8.

use alloc::{string::String, vec::Vec};

use memchr::memchr;

use percent_simd::{ByteSet, RawEncoder, internal::text as checked_text};

use super::legacy::{
    DECODE, ESCAPE, Escaped, LANES, LONGEST, Unescaped, ascii_len, escape_few, find_unit, unescape_ascii,
};
use super::{EcmaError, EcmaErrorKind};
use crate::memory;

/// A part of WTF-8: text, or a lone surrogate.
pub(super) enum Piece<'a> {
    Text(&'a str),
    Surrogate(u16),
}

/// Returns the parts of `input`. The iterator ends with an error at the first bytes that aren't WTF-8.
pub(super) fn pieces(input: &[u8]) -> Pieces<'_> {
    Pieces { input, at: 0 }
}

pub(super) struct Pieces<'a> {
    input: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Piece<'a>, EcmaError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.input[self.at..];
        let text = text_at_front(rest, self.at == 0)?;
        if !text.is_empty() {
            self.at += text.len();
            return Some(Ok(Piece::Text(text)));
        }
        let piece = match (surrogate(rest), rest.get(3..).and_then(surrogate)) {
            (Some(0xD800..0xDC00), Some(0xDC00..)) | (None, _) => {
                let error = EcmaError::new(self.at, EcmaErrorKind::NotWtf8);
                self.at = self.input.len();
                return Some(Err(error));
            }
            (Some(unit), _) => Piece::Surrogate(unit),
        };
        self.at += 3;
        Some(Ok(piece))
    }
}

/// Returns the surrogate at the start of `bytes`.
fn surrogate(bytes: &[u8]) -> Option<u16> {
    match *bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F))
        }
        _ => None,
    }
}

/// Returns the text at the start of `bytes`. If `bytes` is empty, returns `None`. If `likely_all` is true, first checks
/// if all of `bytes` is text.
fn text_at_front(bytes: &[u8], likely_all: bool) -> Option<&str> {
    if bytes.is_empty() {
        return None;
    }
    if likely_all && let Some(text) = checked_text(bytes) {
        return Some(text);
    }
    let valid = str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    str::from_utf8(&bytes[..valid]).ok()
}

/// Replaces each surrogate in WTF-8 by U+FFFD.
pub(super) fn replaced(input: &[u8]) -> String {
    let mut out = memory::string(input.len());
    for piece in pieces(input).flatten() {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Surrogate(_) => out.push('\u{FFFD}'),
        }
    }
    out
}

/// Escapes WTF-8. If no character needs an escape, returns `None`.
pub(super) fn escape(src: &[u8]) -> Option<String> {
    ESCAPE.first_changed(src)?;
    let mut out = memory::vec(escaped_len(src));
    let mut escaped = [0; LANES * LONGEST];
    for piece in pieces(src).flatten() {
        match piece {
            Piece::Text(text) => escape_text(text, &mut escaped, &mut out),
            Piece::Surrogate(unit) => out.extend_from_slice(escape_few([unit].into_iter(), &mut escaped)),
        }
    }
    String::from_utf8(out).ok() // never fails, because the escaped form is ASCII
}

fn escape_text(mut text: &str, escaped: &mut Escaped, out: &mut Vec<u8>) {
    while !text.is_empty() {
        let ascii = ascii_len(text.as_bytes());
        let (piece, after) = if ascii >= LANES {
            let (ascii, after) = text.split_at(ascii);
            ESCAPE.encode_into_vec(ascii, out);
            ("", after)
        } else {
            let end = (0..=text.len().min(LANES)).rev().find(|&end| text.is_char_boundary(end));
            text.split_at(end.unwrap_or(0))
        };
        out.extend_from_slice(escape_few(piece.encode_utf16(), escaped));
        text = after;
    }
}

/// Returns an upper limit for the length of the escaped form.
///
/// `ESCAPE.raw()` writes three bytes for each byte that it escapes. For a character, this length is exact or too long:
///
/// - It is exact for a character of four bytes: 12 bytes for two `%uXXXX`. It is also exact for a character of two
///   bytes from U+0100 on: 6 bytes for one `%uXXXX`.
/// - It is three bytes too long for a character of three bytes: 9 bytes, but one `%uXXXX` has 6. It is also three bytes
///   too long for a character of two bytes in Latin-1: 6 bytes, but one `%XX` has 3.
///
/// `SHORTER` has the first bytes of the characters for which the length is too long. We subtract three bytes for each
/// such character.
fn escaped_len(src: &[u8]) -> usize {
    const SHORTER: ByteSet = ByteSet::of(b"\xC2\xC3").union(ByteSet::range(0xE0, 0xEF));
    const COUNT: RawEncoder = RawEncoder::new(SHORTER.complement());
    let shorter = COUNT.encoded_len(src).map_or(0, |len| (len - src.len()) / 2);
    ESCAPE.raw().encoded_len(src).map_or(src.len(), |len| len - 3 * shorter)
}

/// Returns true if `unescape` changes `src`.
fn is_escaped(src: &[u8]) -> bool {
    DECODE.first_changed(src).is_some() || find_unit::<false>(src).is_some()
}

/// Unescapes WTF-8. If the input has no escape, returns `None`.
pub(super) fn unescape(src: &[u8]) -> Option<Vec<u8>> {
    if !is_escaped(src) {
        return None;
    }
    let mut out = Joined(memory::vec(src.len()));
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

/// A buffer of WTF-8. If the two halves of a surrogate pair become adjacent, it joins them.
struct Joined(Vec<u8>);

impl Joined {
    /// Appends a part of the input, which is WTF-8. A surrogate at the start of the part may complete a pair.
    fn raw(&mut self, bytes: &[u8]) {
        match surrogate(bytes) {
            Some(unit @ 0xDC00..) => {
                self.unit(unit);
                self.0.extend_from_slice(&bytes[3..]);
            }
            _ => self.0.extend_from_slice(bytes),
        }
    }
}

impl Unescaped for Joined {
    fn latin1(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(32) {
            if part.is_ascii() {
                self.0.extend_from_slice(part);
            } else {
                let mut utf8 = [0; 2];
                part.iter().for_each(|&byte| {
                    self.0.extend_from_slice(char::from(byte).encode_utf8(&mut utf8).as_bytes());
                });
            }
        }
    }

    fn unit(&mut self, unit: u16) {
        let before = self.0.len().saturating_sub(3);
        let pair = surrogate(&self.0[before..]).map(|lead| char::decode_utf16([lead, unit]).next());
        let mut utf8 = [0; 4];
        let bytes = match (pair, char::from_u32(u32::from(unit))) {
            (Some(Some(Ok(character))), _) => {
                self.0.truncate(before);
                character.encode_utf8(&mut utf8).as_bytes()
            }
            (_, Some(character)) => character.encode_utf8(&mut utf8).as_bytes(),
            (_, None) => &[0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8],
        };
        self.0.extend_from_slice(bytes);
    }
}
