//! Encodes and decodes in the simplest way, without any code of the library.

use std::collections::BTreeSet;

/// The options of decoding.
#[derive(Clone, Debug, Default)]
pub struct Decoding {
    /// Bytes whose escapes stay.
    pub keep: BTreeSet<u8>,
    /// If `None`, a `+` stays. If `Some(false)`, every `+` becomes a space. If `Some(true)`, only a `+` after the first `?` of a
    /// record becomes a space.
    pub plus: Option<bool>,
    /// The byte that ends a record.
    pub end: Option<u8>,
}

/// Returns the bytes that stay escaped if records are lines.
pub fn controls() -> BTreeSet<u8> {
    (0..0x20).chain([0x7F]).collect()
}

/// Returns a table that has `true` for each byte of `bytes`. A set would take most of the time of encoding.
fn table(bytes: &BTreeSet<u8>) -> [bool; 256] {
    let mut table = [false; 256];
    bytes.iter().for_each(|&byte| table[usize::from(byte)] = true);
    table
}

fn digit(byte: Option<&u8>) -> Option<u8> {
    let digit = char::from(*byte?).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// If `rest` starts with an escape, returns the byte that the escape decodes to.
pub fn escape(rest: &[u8]) -> Option<u8> {
    if rest.first() != Some(&b'%') {
        return None;
    }
    Some(digit(rest.get(1))? * 16 + digit(rest.get(2))?)
}

/// Returns the decoded bytes, and the offset of the first malformed `%`.
pub fn decode(decoding: &Decoding, input: &[u8]) -> (Vec<u8>, Option<usize>) {
    let keep = table(&decoding.keep);
    let mut out = Vec::new();
    let mut malformed = None;
    let mut query = false;
    let mut at = 0;
    while at < input.len() {
        let byte = input[at];
        match escape(&input[at..]) {
            Some(byte) => {
                if keep[usize::from(byte)] {
                    out.extend(&input[at..at + 3]);
                } else {
                    out.push(byte);
                }
                at += 3;
                continue;
            }
            None if byte == b'%' => malformed = malformed.or(Some(at)),
            None => {}
        }
        let space = match decoding.plus {
            None => false,
            Some(false) => true,
            Some(true) => query,
        };
        out.push(if byte == b'+' && space { b' ' } else { byte });
        query |= byte == b'?';
        query &= Some(byte) != decoding.end;
        at += 1;
    }
    (out, malformed)
}

/// The options of encoding.
#[derive(Clone, Debug, Default)]
pub struct Encoding {
    /// Bytes that are not encoded.
    pub stay: BTreeSet<u8>,
    /// If true, LF and CR LF stay as they are.
    pub lines: bool,
    pub lower: bool,
    pub plus: bool,
    pub keep_escapes: bool,
}

/// Returns the encoded bytes.
pub fn encode(encoding: &Encoding, input: &[u8]) -> Vec<u8> {
    let stay = table(&encoding.stay);
    let digits = if encoding.lower { b"0123456789abcdef" } else { b"0123456789ABCDEF" };
    let mut out = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let byte = input[at];
        if encoding.keep_escapes && escape(&input[at..]).is_some() {
            out.extend(&input[at..at + 3]);
            at += 3;
            continue;
        }
        let line_end = byte == b'\n' || byte == b'\r' && input.get(at + 1) == Some(&b'\n');
        let stays = stay[usize::from(byte)] && !(byte == b'%' && encoding.keep_escapes);
        if encoding.plus && byte == b' ' {
            out.push(b'+');
        } else if stays || encoding.lines && line_end {
            out.push(byte);
        } else {
            out.extend([b'%', digits[usize::from(byte / 16)], digits[usize::from(byte % 16)]]);
        }
        at += 1;
    }
    out
}
