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
//! A format can write a URL with escapes of its own: `http:\u002f\u002fu:p@h` in JSON, `http://u&#58;p&#64;h` in XML. So the text
//! of fields is searched as it is, and again without these escapes. The search doesn't know the format, so it
//! reads the escapes of all formats. It may therefore hide more than necessary. Each password that one of the searches
//! finds is hidden.

use std::ops::Range;

use memchr::{memchr, memchr2, memchr2_iter, memchr3};
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

/// The characters with a name in XML (XML 1.0, 4.6).
const ENTITIES: [(&[u8], u8); 5] =
    [(b"&amp;", b'&'), (b"&lt;", b'<'), (b"&gt;", b'>'), (b"&quot;", b'"'), (b"&apos;", b'\'')];

/// Overwrites the passwords in `bytes`.
pub fn mask(bytes: &mut [u8], scope: Scope) {
    let mut from = 0;
    while from < bytes.len() {
        let len = piece_len(&bytes[from..], scope);
        let piece = &mut bytes[from..from + len];
        for range in passwords(piece, scope) {
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
    // A format may write an `@` as an escape that starts with `\` or `&`. So a text with one of these two bytes is
    // searched even if it has no `@`.
    let may_be_escaped = scope.is_field() && memchr2(b'\\', b'&', text).is_some();
    if memchr2(b'@', b'%', text).is_none() && !may_be_escaped {
        return;
    }
    mask(text, scope);
    spare.clear();
    let (mut from, mut copied) = (0, 0);
    while from < text.len() {
        let len = piece_len(&text[from..], scope);
        for range in passwords(&text[from..from + len], scope) {
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

/// Returns the ranges of the passwords in `piece`, in order. With [`Scope::Field`], also finds passwords that are
/// written with escapes of the format.
fn passwords(piece: &[u8], scope: Scope) -> Vec<Range<usize>> {
    let mut found: Vec<_> = uri::passwords(piece).collect();
    let mut next = if scope.is_field() { unescaped(piece, |at| at) } else { None };
    for _ in 0..LAYERS {
        let Some((text, offsets)) = next else { break };
        found.extend(uri::passwords(&text).map(|range| offsets[range.start]..offsets[range.end]));
        next = unescaped(&text, |at| offsets[at]);
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

/// Decodes one layer of the format's escapes in `text`. Returns the decoded text and a list. For each decoded byte, the
/// list has `offset(at)`: `at` is the position in `text` of the byte or escape that the decoded byte comes from.
/// Returns `None` if there is no escape.
///
/// The decoded text is only searched for passwords, so some of its characters may be wrong. An escaped control becomes
/// a space, so that an escaped line end doesn't end a password. An escaped character above ASCII becomes 0xFF.
fn unescaped(text: &[u8], offset: impl Fn(usize) -> usize) -> Option<(Vec<u8>, Vec<usize>)> {
    let first = memchr2_iter(b'\\', b'&', text).find(|&at| escape(&text[at..]).is_some())?;
    let (mut out, mut offsets) = (text[..first].to_vec(), (0..first).map(&offset).collect::<Vec<_>>());
    let mut at = first;
    while at < text.len() {
        let (byte, len) = match escape(&text[at..]) {
            Some((0..0x20 | 0x7F, len)) => (b' ', len),
            Some((code, len)) => (u8::try_from(code).ok().filter(u8::is_ascii).unwrap_or(0xFF), len),
            None => (text[at], 1),
        };
        out.push(byte);
        offsets.push(offset(at));
        at += len;
    }
    Some((out, offsets))
}

/// Returns the character of the escape at the start of `text`, and the length of the escape.
fn escape(text: &[u8]) -> Option<(u32, usize)> {
    let hex = |digits: &[u8]| {
        let digit = |sum: u32, digit: &u8| Some(sum * 16 + char::from(*digit).to_digit(16)?);
        digits.iter().try_fold(0, digit)
    };
    match text {
        [b'\\', b'u', rest @ ..] => Some((hex(rest.get(..4)?)?, 6)),
        [b'\\', b'x', rest @ ..] => Some((hex(rest.get(..2)?)?, 4)),
        [b'\\', b'b' | b'f' | b'n' | b'r' | b't' | b'v', ..] => Some((u32::from(b' '), 2)),
        [b'\\', byte, ..] if byte.is_ascii_punctuation() => Some((u32::from(*byte), 2)),
        [b'&', b'#', rest @ ..] => {
            let (prefix, radix) = if let [b'x' | b'X', ..] = rest { (1, 16) } else { (0, 10) };
            let digits = rest[prefix..].iter().map_while(|&digit| char::from(digit).to_digit(radix));
            let (len, code) = digits
                .fold((0, 0_u32), |(len, code), digit| (len + 1, code.saturating_mul(radix).saturating_add(digit)));
            let end = 2 + prefix + len;
            (len > 0 && text.get(end) == Some(&b';')).then_some((code, end + 1))
        }
        [b'&', ..] => {
            ENTITIES.iter().find(|(name, _)| text.starts_with(name)).map(|&(name, byte)| (byte.into(), name.len()))
        }
        _ => None,
    }
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
