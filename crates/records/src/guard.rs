//! The guard: a list of characters that stay escaped, because they could forge a record or control a terminal.

use memchr::memchr3;
use percent_simd::{ByteSet, Encoder, RawEncoder};
use percent_standards::{ecma, iri};

/// Returns the non-ASCII controls of `text`, with their offsets:
///
/// - U+0080 to U+009F, which control terminals;
/// - bidi controls, which change the direction of text;
/// - U+2028 and U+2029, at which some programs end a line, for example Python's `splitlines`.
pub fn non_ascii_controls(text: &str) -> impl Iterator<Item = (usize, char)> {
    // Each of these controls starts with the byte 0xC2, 0xD8 or 0xE2, and its second byte is from 0x80 to 0x9F. Many
    // other characters also start with one of the three bytes, so we test the second byte too.
    let bytes = text.as_bytes();
    let from = memchr3(0xC2, 0xD8, 0xE2, bytes).unwrap_or(bytes.len());
    let starts = |pair: &[u8]| matches!(pair, [0xC2 | 0xD8 | 0xE2, 0x80..=0x9F]);
    let pairs = bytes[from..].windows(2).enumerate().filter(move |(_, pair)| starts(pair));
    pairs.filter_map(move |(at, _)| {
        let c = text[from + at..].chars().next()?;
        is_non_ascii_control(c).then_some((from + at, c))
    })
}

/// Returns true if the character is one of the [`non_ascii_controls`].
pub const fn is_non_ascii_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}' | '\u{2028}' | '\u{2029}') || iri::is_bidi_control(c)
}

/// The characters that stay escaped, because they could forge a record, control a terminal, or deceive a reader.
#[derive(Clone, Debug)]
pub struct Guard {
    keep: ByteSet,
    escaping: RawEncoder,
    /// If true, non-ASCII controls stay escaped too.
    non_ascii_controls: bool,
}

/// Escapes every byte.
const ALL: Encoder = Encoder::new(ByteSet::EMPTY);

impl Guard {
    /// Returns a guard that keeps the bytes of `keep` escaped. If `keep` contains ESC, non-ASCII controls stay escaped
    /// too.
    pub fn new(keep: ByteSet) -> Guard {
        Guard { keep, escaping: RawEncoder::new(!keep), non_ascii_controls: keep.contains(0x1B) }
    }

    /// Returns the bytes that stay escaped.
    pub fn keep(&self) -> ByteSet {
        self.keep
    }

    /// Appends `bytes`. Guarded characters, and bytes that aren't UTF-8, are percent-encoded.
    pub fn push_bytes(&self, bytes: &[u8], out: &mut Vec<u8>) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.push(text, out);
        }
        for chunk in bytes.utf8_chunks() {
            self.push(chunk.valid(), out);
            ALL.encode_into_vec(chunk.invalid(), out);
        }
    }

    /// Appends `text`. Guarded characters are percent-encoded as UTF-8.
    pub fn push(&self, text: &str, out: &mut Vec<u8>) {
        self.push_with(text, out, |control, out| {
            ALL.encode_into_vec(control, out);
        });
    }

    /// Appends `text`. Guarded characters are escaped so that JavaScript's `unescape` can read them: as `%XX` for
    /// Latin-1, otherwise as `%uXXXX`.
    pub fn push_ecma(&self, text: &str, out: &mut Vec<u8>) {
        self.push_with(text, out, |control, out| out.extend(ecma::escape(control).bytes()));
    }

    fn push_with(&self, text: &str, out: &mut Vec<u8>, mut push_control: impl FnMut(&str, &mut Vec<u8>)) {
        let mut done = 0;
        for (at, control) in non_ascii_controls(text).filter(|_| self.non_ascii_controls) {
            let end = at + control.len_utf8();
            self.escaping.encode_into(&text[done..at], out);
            push_control(&text[at..end], out);
            done = end;
        }
        self.escaping.encode_into(&text[done..], out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_above_ascii_are_found_among_all_characters() {
        const BIDI: [u32; 12] =
            [0x61C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069];
        for c in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            let found: Vec<_> = non_ascii_controls(&format!("é{c}")).collect();
            let expected = c.is_control() || "\u{2028}\u{2029}".contains(c) || BIDI.contains(&u32::from(c));
            assert_eq!(found, if expected { vec![(2, c)] } else { vec![] }, "{c:?}");
        }
    }

    #[test]
    fn guarded_characters_stay_escaped() {
        let guard = Guard::new(ByteSet::CONTROLS);
        let mut out = Vec::new();
        guard.push("a\n\u{9B}\u{C2}\u{1B}é\u{202E}“\u{61C}ج", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "a%0A%C2%9B\u{C2}%1Bé%E2%80%AE“%D8%9Cج");
        let mut out = Vec::new();
        guard.push_ecma("\n\u{9B}\u{202E}", &mut out);
        assert_eq!(out, b"%0A%9B%u202E");
        let mut out = Vec::new();
        guard.push_bytes(b"\xC2\x9B\xC2\xFF\x9B", &mut out);
        assert_eq!(out, b"%C2%9B%C2%FF%9B");
    }
}
