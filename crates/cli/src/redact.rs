//! Hides passwords in the input and in the output of any verb (`--redact`).
//!
//! The passwords of the input are overwritten with `*`, byte for byte, before a verb sees the input. So no output,
//! message or report can show a password, and all offsets and columns stay right. The format and the names of fields are
//! also guessed from overwritten bytes. But decoding can show a URL that the input doesn't have, for example if only the
//! `:` of `http://u%3Ap@h` is escaped. So the output is searched again, and there each password becomes `***`.
//!
//! Long passwords can span a delimiter of the format, because everything up to the last `@` counts as the password of a URL that
//! doesn't parse. In a format with fields, the search ends at the byte that surely ends a field ([`Bounds`]), and delimiters stay
//! as they are. So the record keeps its fields.
//!
//! A delimiter of a URL can be written in many ways: `http:\u002f\u002fu:p@h` in JSON, `http://u&#58;p&#64;h` in XML, `//u\x3ap@h`
//! in the logs of servers, `//u%u003Ap@h` in scripts. So the text is searched as it is, and again without these spellings
//! (`spelling.rs`). The search doesn't know the next reader of the text, so it reads the escapes of all formats. It may
//! therefore hide more than necessary. Each password that one of the searches finds is hidden.

mod spelling;

use std::ops::Range;

use memchr::{memchr, memchr2, memchr3};
use percent_simd::{ByteSet, RawEncoder};
use percent_simd_records::formats::{Bounds, Format};
use percent_simd_records::framing::Framing;
use percent_standards::uri;

/// The kind of parts into which we split a text to search it for passwords. No password continues after the end of its
/// part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A line.
    Line,
    /// A record that ends with NUL.
    Null,
    /// The text of one or more fields in a record, up to the next byte that surely ends a field.
    Field(Bounds),
}

impl Scope {
    /// Returns the scope for an input in `format`.
    pub fn of(format: &dyn Format) -> Scope {
        match format.framing() {
            _ if !format.is_whole() => Scope::Field(format.bounds()),
            Framing::Null => Scope::Null,
            _ => Scope::Line,
        }
    }

    fn is_field(self) -> bool {
        matches!(self, Scope::Field(_))
    }
}

/// The text that replaces a password.
const HIDDEN: &[u8] = uri::HIDDEN_PASSWORD.as_bytes();

/// Bytes that can separate fields. With [`Scope::Field`], they stay as they are, even inside a password, so that the
/// record keeps its fields.
const DELIMITERS: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b" \"',;|[]{}()=<>"));

/// The number of layers of escapes that are searched. A log of containers can have JSON in the strings of JSON.
const LAYERS: usize = 4;

/// Overwrites the passwords in `bytes`.
pub fn mask(bytes: &mut [u8], scope: Scope) {
    let mut from = 0;
    while from < bytes.len() {
        let len = piece_len(&bytes[from..], scope);
        let piece = &mut bytes[from..from + len];
        for range in passwords(piece) {
            overwrite(piece, range, scope);
        }
        from += len;
    }
}

/// Overwrites a password in `piece`. With [`Scope::Field`], delimiters stay.
///
/// If a delimiter follows a backslash, the backslash stays. Otherwise we overwrite both the backslash and the next
/// character, because a `*` after a backslash would be invalid in JSON.
fn overwrite(piece: &mut [u8], password: Range<usize>, scope: Scope) {
    let mut at = password.start;
    while at < password.end {
        let slashes = match scope {
            Scope::Field(_) => piece[at..password.end].iter().take_while(|&&byte| byte == b'\\').count(),
            _ => 0,
        };
        let end = password.end.min(at + slashes + 1);
        let stays = scope.is_field() && DELIMITERS.contains(piece[end - 1]);
        if !stays {
            piece[at..end].fill(b'*');
        }
        at = end;
    }
}

/// Replaces the passwords in `text` by `***`. `spare` is scratch memory.
pub fn redact(text: &mut Vec<u8>, scope: Scope, spare: &mut Vec<u8>) {
    if memchr(b'@', text).is_none() && !spelling::may_occur(text) {
        return;
    }
    mask(text, scope);
    spare.clear();
    let (mut from, mut copied) = (0, 0);
    while from < text.len() {
        let len = piece_len(&text[from..], scope);
        for range in passwords(&text[from..from + len]) {
            let range = from + range.start..from + range.end;
            // With `Scope::Field`, `mask` keeps delimiters. So a password that contains a delimiter stays as `mask` has
            // written it.
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

/// Returns the ranges of the passwords in `piece`, in order. Also finds passwords whose delimiters have other spellings.
fn passwords(piece: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<_> = uri::passwords(piece).collect();
    let mut next = spelling::plain(piece, |at| at);
    for _ in 0..LAYERS {
        let Some((text, offsets)) = next else { break };
        found.extend(uri::passwords(&text).map(|range| offsets[range.start]..offsets[range.end]));
        next = spelling::plain(&text, |at| offsets[at]);
    }
    found.sort_unstable_by_key(|range| range.start);
    found.dedup_by(|range, before| {
        let overlaps = range.start <= before.end;
        if overlaps {
            before.end = before.end.max(range.end);
        }
        overlaps
    });
    found
}

/// Returns the length of the first piece of `text`, with the byte that ends the piece. The next search reads only this piece.
fn piece_len(text: &[u8], scope: Scope) -> usize {
    let end = match scope {
        Scope::Null => memchr(b'\0', text),
        Scope::Line => memchr(b'\n', text),
        Scope::Field(Bounds::Record) => memchr2(b'\n', b'\0', text),
        Scope::Field(Bounds::Tab) => memchr3(b'\t', b'\n', b'\0', text),
        Scope::Field(Bounds::Quote) => quote(text),
        Scope::Field(Bounds::Csv(delimiter)) => csv_end(text, delimiter),
    };
    end.map_or(text.len(), |at| at + 1)
}

/// Returns the offset of the first `"`, line feed or NUL that isn't after a backslash.
fn quote(text: &[u8]) -> Option<usize> {
    static ENDS: RawEncoder = RawEncoder::new(ByteSet::of(b"\"\n\0\\").complement());
    let mut at = 0;
    loop {
        at += ENDS.first_changed(text.get(at..)?)?;
        if text[at] != b'\\' {
            return Some(at);
        }
        at += 2;
    }
}

/// If `text` starts with a quote, returns the offset of the closing quote. Otherwise returns the offset of the
/// delimiter before the next opening quote. If a line feed or NUL comes first, returns its offset.
fn csv_end(text: &[u8], delimiter: u8) -> Option<usize> {
    let is_quoted = text.first() == Some(&b'"');
    let mut at = usize::from(is_quoted);
    loop {
        at += memchr3(b'"', b'\n', b'\0', text.get(at..)?)?;
        match (text[at], text.get(at + 1)) {
            (b'"', Some(b'"')) if is_quoted => at += 2,
            (b'"', _) if is_quoted => return Some(at),
            (b'"', _) if text[at - 1] == delimiter => return Some(at - 1),
            (b'"', _) => at += 1,
            _ => return Some(at),
        }
    }
}
