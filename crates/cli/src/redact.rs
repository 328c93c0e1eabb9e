//! Hides passwords in the input and in the output of any verb (`--redact`).
//!
//! The passwords of the input are overwritten with as many `*`, before a verb sees them. So no output, message or report can show
//! them, and all offsets and columns stay right. But decoding can show a URL that the input doesn't have, for example if only the
//! `:` of `http://u%3Ap@h` is escaped. So the output is searched again, and there each password becomes `***`.
//!
//! Long passwords can span a delimiter of the format, because everything up to the last `@` counts as the password of a URL that
//! doesn't parse. In a format with fields, the search is limited to quoted text, and delimiters stay as they are. So the record
//! keeps its fields.

use memchr::memchr;
use percent_simd::{ByteSet, RawEncoder};
use percent_standards::uri;

/// The text that is searched for a password as a whole. A password never continues after this text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A line.
    Line,
    /// A record that ends with NUL.
    Null,
    /// Text between quotes and tabs in a record with fields.
    Field,
}

/// The text that replaces a password.
const HIDDEN: &[u8] = uri::HIDDEN_PASSWORD.as_bytes();

/// Bytes that can separate fields. They stay.
const DELIMITERS: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b" \"'\\,;|[]{}()=<>"));

/// Overwrites the passwords in `bytes`.
pub fn mask(bytes: &mut [u8], scope: Scope) {
    let mut from = 0;
    while from < bytes.len() {
        let len = piece_len(&bytes[from..], scope);
        let piece = &bytes[from..from + len];
        let found: Vec<_> = uri::passwords(piece).collect();
        for range in found {
            let password = &mut bytes[from + range.start..from + range.end];
            password
                .iter_mut()
                .filter(|byte| scope != Scope::Field || !DELIMITERS.contains(**byte))
                .for_each(|byte| *byte = b'*');
        }
        from += len;
    }
}

/// Replaces the passwords in `text` by `***`. `spare` is scratch memory.
pub fn redact(text: &mut Vec<u8>, scope: Scope, spare: &mut Vec<u8>) {
    if memchr(b'@', text).is_none() && memchr(b'%', text).is_none() {
        return;
    }
    mask(text, scope);
    spare.clear();
    let (mut from, mut copied) = (0, 0);
    while from < text.len() {
        let len = piece_len(&text[from..], scope);
        for range in uri::passwords(&text[from..from + len]) {
            let range = from + range.start..from + range.end;
            // In a field, `mask` has left the delimiters in the password.
            if text[range.clone()].iter().all(|&byte| byte == b'*') {
                spare.extend_from_slice(&text[copied..range.start]);
                spare.extend_from_slice(HIDDEN);
                copied = range.end;
            }
        }
        from += len;
    }
    spare.extend_from_slice(&text[copied..]);
    std::mem::swap(text, spare);
}

/// Returns the length of the first piece of `text`, with the byte that ends the piece. The next search reads only this piece.
fn piece_len(text: &[u8], scope: Scope) -> usize {
    static ENDS: RawEncoder = RawEncoder::new(ByteSet::of(b"\"\t\n\0\\").complement());
    let mut at = 0;
    if scope != Scope::Field {
        let end = if scope == Scope::Null { b'\0' } else { b'\n' };
        return memchr(end, text).map_or(text.len(), |at| at + 1);
    }
    while let Some(len) = ENDS.first_changed(&text[at..]) {
        at += len;
        match text[at..] {
            // An escaped quote, and a quote that CSV writes twice, are inside the quoted text.
            [b'\\', _, ..] => at += 2,
            [b'"', b'"', ..] => at += 2,
            _ => return at + 1,
        }
    }
    text.len()
}
