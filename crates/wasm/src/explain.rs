//! Finds every escape in a text, with the class of the escape. Also finds characters that a reader should check.
#![forbid(unsafe_code)]

use alloc::vec::Vec;
use core::ops::Range;

use percent_simd::{ByteSet, Decoder, sets};
use percent_standards::uri::{FindingKind, lint};

use crate::units::Units;

/// The class of an escape, or of text that should be escaped.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The escape of a character that a URI can have only as an escape: a space, `"`, `%`.
    Needed,
    /// The escape of an unreserved character. Without the escape, the character would mean the same (RFC 3986 2.3).
    Needless,
    /// The escape of a reserved character. Without the escape, the character could mean something else (RFC 3986 2.2).
    Reserved,
    /// The escapes of the bytes of one character beyond ASCII.
    Utf8,
    /// The escape of a byte that isn't UTF-8 at its position.
    InvalidUtf8,
    /// The escape of an ASCII control character.
    Control,
    /// A character that is invisible or changes the direction of its surroundings, escaped or not.
    Invisible,
    /// A malformed `%`.
    Malformed,
    /// `%25` and two hexadecimal digits: most likely a character that was encoded twice.
    Double,
    /// A run of unescaped characters that no URI can have.
    Raw,
    /// A `+` that means a space.
    Plus,
}

/// The number of classes.
pub const CLASSES: usize = Class::Plus as usize + 1;

/// How many numbers describe a span: the offset and the length in bytes, the offset and the length in UTF-16, the
/// class, and the byte or character that the span encodes.
const FIELDS: usize = 6;

/// This bit is added to the class if the escape has hexadecimal digits in lower case.
const LOWERCASE: u32 = 1 << 8;

/// Explains `text`. The output has the count of each class, then at most `max` spans of each class, in the order of the text. `classes`
/// has one bit for each class. Only spans of these classes are written. All numbers have 32 bits.
pub fn explain(text: &str, classes: u32, plus: bool, max: usize) -> Vec<u8> {
    let mut spans = Spans { text, classes, max, counts: [0; CLASSES], out: Vec::new(), units: Units::of(text) };
    let mut from = 0;
    // A run of raw characters, which may have several findings.
    let mut raw = 0..0;
    for finding in lint(text) {
        let end = finding.offset + finding.len;
        let class = match finding.kind {
            FindingKind::Malformed => Class::Malformed,
            FindingKind::DoubleEncoded => Class::Double,
            FindingKind::Illegal => {
                spans.add_raw(finding.offset..end, &mut raw, &mut from, plus);
                continue;
            }
            FindingKind::Bidi | FindingKind::Invisible => Class::Invisible,
            FindingKind::LookAlike | FindingKind::Mojibake | FindingKind::Overlong => {
                let characters = text[finding.offset..end].char_indices().filter(|(_, c)| !c.is_ascii());
                for (at, character) in characters {
                    let start = finding.offset + at;
                    spans.add_raw(start..start + character.len_utf8(), &mut raw, &mut from, plus);
                }
                continue;
            }
            _ => continue,
        };
        spans.end_raw(&mut raw, &mut from, plus);
        spans.between(from, finding.offset, plus);
        let code = match class {
            Class::Invisible => first_character(&text[finding.offset..end]),
            _ => u32::from(b'%'),
        };
        spans.push(finding.offset, finding.len, class, code);
        from = end;
    }
    spans.end_raw(&mut raw, &mut from, plus);
    spans.between(from, text.len(), plus);
    let mut words: Vec<u8> = spans.counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    words.extend_from_slice(&spans.out);
    words
}

struct Spans<'a> {
    text: &'a str,
    classes: u32,
    max: usize,
    counts: [u32; CLASSES],
    out: Vec<u8>,
    units: Units<'a>,
}

impl Spans<'_> {
    fn push(&mut self, offset: usize, len: usize, class: Class, code: u32) {
        self.counts[class as usize] += 1;
        if self.counts[class as usize] as usize > self.max || self.classes >> class as u32 & 1 == 0 {
            return;
        }
        let start = self.units.at(offset);
        let end = self.units.at(offset + len);
        let span = &self.text.as_bytes()[offset..offset + len];
        let is_lower = span[0] == b'%' && span.iter().any(|byte| matches!(byte, b'a'..=b'f'));
        let class = class as u32 | if is_lower { LOWERCASE } else { 0 };
        let span: [u32; FIELDS] = [offset as u32, len as u32, start, end - start, class, code];
        self.out.extend(span.into_iter().flat_map(u32::to_le_bytes));
    }

    /// If `range` continues the run of raw characters, adds it to the run. Otherwise ends the run and starts another
    /// one.
    fn add_raw(&mut self, range: Range<usize>, raw: &mut Range<usize>, from: &mut usize, plus: bool) {
        if raw.start == raw.end || raw.end != range.start {
            self.end_raw(raw, from, plus);
            raw.start = range.start;
        }
        raw.end = range.end;
    }

    /// Ends the run of raw characters. Adds the spans between `from` and the run, and then the run's own span. `from`
    /// becomes the end of the run. If the run is empty, adds no span.
    fn end_raw(&mut self, raw: &mut Range<usize>, from: &mut usize, plus: bool) {
        if raw.start != raw.end {
            self.between(*from, raw.start, plus);
            self.raw(raw.start, raw.end);
            *from = raw.end;
            *raw = 0..0;
        }
    }

    /// Adds the spans in text that consists of well-formed escapes and characters that URIs can have.
    fn between(&mut self, from: usize, to: usize, plus: bool) {
        let decoder = Decoder::new().plus(if plus { percent_simd::Plus::Always } else { percent_simd::Plus::Never });
        let text = &self.text.as_bytes()[..to];
        let mut at = from;
        let mut run = Vec::new();
        while let Some(next) = decoder.first_changed(&text[at..]) {
            at += next;
            if text[at] == b'+' {
                self.push(at, 1, Class::Plus, u32::from(b' '));
                at += 1;
                continue;
            }
            let escape = |at: usize| {
                let escape = text.get(at..at + 3)?;
                Decoder::new().decode(escape).first().copied().filter(|_| escape[0] == b'%')
            };
            let start = at;
            run.clear();
            while let Some(byte) = escape(at) {
                if byte.is_ascii() {
                    break;
                }
                run.push(byte);
                at += 3;
            }
            self.beyond_ascii(start, &run);
            if run.is_empty() {
                if let Some(byte) = escape(at) {
                    self.push(at, 3, class_of(byte), u32::from(byte));
                }
                at += 3;
            }
        }
    }

    /// Adds the spans of adjacent escapes. All of these escapes encode bytes beyond ASCII.
    fn beyond_ascii(&mut self, mut at: usize, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                let len = 3 * character.len_utf8();
                self.push(at, len, Class::Utf8, u32::from(character));
                at += len;
            }
            for &byte in chunk.invalid() {
                self.push(at, 3, Class::InvalidUtf8, u32::from(byte));
                at += 3;
            }
        }
    }

    /// Adds the span of a run of characters that no URI can have.
    fn raw(&mut self, from: usize, to: usize) {
        let first = self.text[from..].chars().next().map_or(0, u32::from);
        self.push(from, to - from, Class::Raw, first);
    }
}

/// Returns the first character of a text, raw or escaped.
fn first_character(text: &str) -> u32 {
    let decoded = Decoder::new().decode(text);
    decoded.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()).map_or(0, u32::from)
}

fn class_of(byte: u8) -> Class {
    const RESERVED: ByteSet = sets::RFC3986_GEN_DELIMS.union(sets::RFC3986_SUB_DELIMS);
    match byte {
        _ if sets::RFC3986_UNRESERVED.contains(byte) => Class::Needless,
        _ if RESERVED.contains(byte) => Class::Reserved,
        _ if ByteSet::CONTROLS.contains(byte) => Class::Control,
        _ => Class::Needed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// Returns offset, length, class and code of each span.
    fn spans(text: &str, plus: bool) -> Vec<(u32, u32, u32, u32)> {
        let bytes = explain(text, !0, plus, usize::MAX);
        let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        words[CLASSES..].chunks_exact(FIELDS).map(|span| (span[2], span[3], span[4], span[5])).collect()
    }

    #[test]
    fn every_class_is_reported() {
        use Class::*;
        let text = "é%20%41%2f%C3%A9%ff%0A%E2%80%AE%zz%2541+ \u{202E}";
        let expected = [
            (0, 1, Raw, 0xE9),
            (1, 3, Needed, 0x20),
            (4, 3, Needless, 0x41),
            (7, 3, Reserved, 0x2F),
            (10, 6, Utf8, 0xE9),
            (16, 3, InvalidUtf8, 0xFF),
            (19, 3, Control, 0x0A),
            (22, 9, Invisible, 0x202E),
            (31, 1, Malformed, 0x25),
            (34, 5, Double, 0x25),
            (39, 1, Plus, 0x20),
            (40, 1, Raw, 0x20),
            (41, 1, Invisible, 0x202E),
        ];
        let got = spans(text, true);
        assert_eq!(got.len(), expected.len(), "{got:?}");
        for ((offset, len, class, code), expected) in got.into_iter().zip(expected) {
            assert_eq!((offset, len, class & 0xFF, code), (expected.0, expected.1, expected.2 as u32, expected.3));
            assert_eq!(class & LOWERCASE != 0, matches!(offset, 7 | 16), "at {offset}");
        }
        assert!(spans("a+b", false).is_empty());
    }

    /// A run of raw characters is one span, whatever other findings it has.
    #[test]
    fn raw_text_that_misleads_is_in_its_run() {
        let raw = |text| spans(text, false).iter().map(|span| (span.0, span.1, span.2)).collect::<Vec<_>>();
        assert_eq!(raw("aéÃ©∕ b"), [(1, 5, Class::Raw as u32)]);
        assert_eq!(
            raw("é\u{202E}Ã©"),
            [(0, 1, Class::Raw as u32), (1, 1, Class::Invisible as u32), (2, 2, Class::Raw as u32)]
        );
        assert_eq!(raw("%C3%83©").len(), 2);
    }

    /// A joiner between emoji, and in Persian, has a purpose (RFC 5892 A.1, A.2). A joiner between Latin letters has no
    /// purpose.
    #[test]
    fn joiners_with_a_purpose_are_no_findings() {
        let invisible = |text| spans(text, false).iter().filter(|span| span.2 == Class::Invisible as u32).count();
        assert_eq!(invisible("%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB 👩\u{200D}💻 می\u{200C}خواهم שָׁלוֹם"), 0);
        assert_eq!(invisible("a%E2%80%8Db a\u{200D}b"), 2);
    }

    #[test]
    fn every_class_has_its_own_limit() {
        let bytes = explain(&format!("{}%E2%80%AE", "%zz".repeat(500)), !0, false, 5);
        assert_eq!(bytes.len(), 4 * (CLASSES + 6 * FIELDS));
    }

    #[test]
    fn counts_include_spans_beyond_the_limit() {
        let text = "%20".repeat(1000);
        let bytes = explain(&text, 1 << Class::Needed as u32, false, 10);
        assert_eq!(bytes[..4], 1000_u32.to_le_bytes());
        assert_eq!(bytes.len(), 4 * (CLASSES + 10 * FIELDS));
        assert_eq!(explain(&text, 1 << Class::Malformed as u32, false, 10).len(), 4 * CLASSES);
    }
}
