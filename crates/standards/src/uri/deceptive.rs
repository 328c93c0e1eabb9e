//! Finds characters that mislead a reader: invisible characters, look-alike slashes, and text that was decoded by a
//! wrong rule.
//!
//! All checks work on ranges of code points. They need no tables of Unicode, so a WebAssembly module stays small.

use percent_simd::internal::triplet;

use super::finding::FindingKind;

/// The longest sequence that the old rules of UTF-8 allow (RFC 2279 2).
const LONGEST: usize = 6;

/// A character of the text. In the text it is raw, or written as triplets.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    pub character: char,
    /// The length in the text, in bytes.
    pub len: usize,
}

/// Reads bytes of the text one by one. Either all of them are raw, or all are triplets.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    text: &'a [u8],
    at: usize,
    escaped: bool,
}

impl Iterator for Bytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (byte, len) = match self.escaped {
            true => (triplet(self.text, self.at)?, 3),
            false => (*self.text.get(self.at)?, 1),
        };
        self.at += len;
        Some(byte)
    }
}

/// Starts to read at `at`.
fn bytes(text: &[u8], at: usize) -> Bytes<'_> {
    Bytes { text, at, escaped: text.get(at) == Some(&b'%') }
}

/// Returns the character at `at`. If the bytes there aren't UTF-8, returns `None`.
pub(super) fn unit(text: &[u8], at: usize) -> Option<Unit> {
    let mut bytes = bytes(text, at);
    let start = bytes;
    let width = match bytes.next()? {
        0..0x80 => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let mut buffer = [0; 4];
    buffer.iter_mut().zip(start.take(width)).for_each(|(to, byte)| *to = byte);
    let character = str::from_utf8(&buffer[..width]).ok()?.chars().next()?;
    Some(Unit { character, len: if start.escaped { 3 * width } else { width } })
}

/// If there is overlong UTF-8 at `at`, returns its length (RFC 3629 3).
///
/// Overlong UTF-8 has more bytes than its character needs: `C0 AF` is a slash in two bytes. If a decoder accepts it,
/// the decoder finds characters that a filter hasn't seen. Also finds the sequences of five and six bytes of RFC 2279.
fn overlong_len(text: &[u8], at: usize) -> Option<usize> {
    /// The smallest code point that needs a sequence of 2 bytes, of 3 bytes, and so on.
    const LEAST: [u32; LONGEST - 1] = [0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];
    let mut bytes = bytes(text, at);
    let escaped = bytes.escaped;
    let first = bytes.next()?;
    let width = first.leading_ones() as usize;
    let least = *LEAST.get(width.checked_sub(2)?)?;
    let mut code = u32::from(first) & (0x7F >> width);
    for _ in 1..width {
        let byte = bytes.next().filter(|byte| byte & 0xC0 == 0x80)?;
        code = code << 6 | u32::from(byte & 0x3F);
    }
    (code < least).then_some(if escaped { 3 * width } else { width })
}

/// Returns the byte that encodes this character in windows-1252 or in ISO 8859-1.
fn latin_byte(character: char) -> Option<u8> {
    const HIGH: [char; 27] = [
        '€', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 'Ž', '‘', '’', '“', '”', '•', '–', '—', '˜', '™',
        'š', '›', 'œ', 'ž', 'Ÿ',
    ];
    const BYTES: [u8; 27] = *b"\x80\x82\x83\x84\x85\x86\x87\x88\x89\x8A\x8B\x8C\x8E\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9A\x9B\x9C\x9E\x9F";
    match u32::from(character) {
        code @ 0x80..=0xFF => Some(code as u8),
        0..0x80 => None,
        _ => HIGH.iter().position(|&high| high == character).map(|at| BYTES[at]),
    }
}

/// If the character at `at` was encoded in UTF-8 twice, returns its length in `text`. Also returns the first byte of
/// the result of the first encoding.
fn doubled(text: &[u8], at: usize) -> Option<(usize, u8)> {
    let (mut buffer, mut end) = ([0; 4], at);
    let mut width = 1;
    let mut at_byte = 0;
    while at_byte < width {
        let unit = unit(text, end)?;
        let byte = latin_byte(unit.character)?;
        if at_byte == 0 {
            width = match u32::from(unit.character) {
                0xC2..=0xDF => 2,
                0xE0..=0xEF => 3,
                0xF0..=0xF4 => 4,
                _ => return None,
            };
        }
        buffer[at_byte] = byte;
        end += unit.len;
        at_byte += 1;
    }
    str::from_utf8(&buffer[..width]).ok()?;
    Some((end - at, buffer[0]))
}

/// If there is mojibake at `at`, returns its length. Mojibake is UTF-8 that was read as windows-1252 or ISO 8859-1. The
/// characters that were read were then encoded in UTF-8 again.
///
/// For example, `é` becomes the pair `Ã©`. A pair that begins with `Â` or `Ã` always counts as mojibake, and so does a
/// sequence of three or four characters. All other pairs, like `Ü»`, also occur in good text, so they count only if
/// another pair or sequence follows.
fn mojibake_len(text: &[u8], at: usize) -> Option<usize> {
    let (mut len, first) = doubled(text, at)?;
    let mut is_certain = matches!(first, 0xC2 | 0xC3 | 0xE0..);
    while let Some((more, _)) = doubled(text, at + len) {
        len += more;
        is_certain = true;
    }
    is_certain.then_some(len)
}

/// Returns true for a character that looks like a slash or a backslash, but isn't one.
const fn looks_like_slash(character: char) -> bool {
    matches!(
        character,
        '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{29F5}'
            | '\u{29F8}'
            | '\u{29F9}'
            | '\u{FE68}'
            | '\u{FF0F}'
            | '\u{FF3C}'
    )
}

/// Returns true for a character that a reader can't see: a C1 control, a `Default_Ignorable_Code_Point`, or a blank
/// without width. Bidi controls and joiners are excluded.
const fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{80}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns true for a variation selector. It changes the look of the character before it.
const fn is_selector(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// Returns true for a character of a script that uses joiners. These are the scripts from Arabic to Sinhala, and some
/// other scripts of Asia.
///
/// In these scripts, a joiner changes the shape of letters (RFC 5892 A.1, A.2).
const fn takes_joiners(character: char) -> bool {
    matches!(character,
        '\u{600}'..='\u{DFF}' | '\u{F00}'..='\u{109F}' | '\u{1780}'..='\u{18AF}' | '\u{A840}'..='\u{A8FF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}')
}

/// Returns true for a virama. A joiner after a virama isn't deceptive, even at the end of a word.
const fn is_virama(character: char) -> bool {
    let code = character as u32;
    matches!(code, 0x900..=0xD7F) && code & 0x7F == 0x4D || code == 0xDCA
}

/// Returns true for a character that can be a part of an emoji sequence (UTS 51).
const fn is_pictographic(character: char) -> bool {
    matches!(character, '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{25A0}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// If there is the flag of a region at `at`, returns its length. The flag consists of a black flag, five tags and the
/// end tag (UTS 51, ED-14a).
fn flag_len(text: &[u8], at: usize) -> Option<usize> {
    let mut len = 0;
    for place in 0..7 {
        let unit = unit(text, at + len)?;
        let fits = match place {
            0 => unit.character == '\u{1F3F4}',
            6 => unit.character == '\u{E007F}',
            _ => matches!(unit.character, '\u{E0061}'..='\u{E007A}'),
        };
        if !fits {
            return None;
        }
        len += unit.len;
    }
    Some(len)
}

/// The result of [`look`].
pub(super) struct Look {
    /// The length of the examined text.
    pub len: usize,
    /// The last character of the examined text. If the bytes aren't UTF-8, this is `None`.
    pub last: Option<char>,
    pub kind: Option<FindingKind>,
}

/// Examines the byte above ASCII at `at`, which is raw or escaped. `before` is the character directly before it.
pub(super) fn look(text: &[u8], at: usize, before: Option<char>) -> Look {
    if let Some(len) = overlong_len(text, at) {
        return Look { len, last: None, kind: Some(FindingKind::Overlong) };
    }
    let Some(Unit { character, len }) = unit(text, at) else {
        return Look { len: if text[at] == b'%' { 3 } else { 1 }, last: None, kind: None };
    };
    if matches!(character, '\u{C2}'..='\u{F4}')
        && let Some(len) = mojibake_len(text, at)
    {
        return Look { len, last: None, kind: Some(FindingKind::Mojibake) };
    }
    if character == '\u{1F3F4}'
        && let Some(len) = flag_len(text, at)
    {
        return Look { len, last: Some('\u{1F3F4}'), kind: None };
    }
    let after = || unit(text, at + len).map(|unit| unit.character);
    let kind = match character {
        _ if super::ucschar::is_bidi_control(character) => Some(FindingKind::Bidi),
        _ if looks_like_slash(character) => Some(FindingKind::LookAlike),
        '\u{200C}' | '\u{200D}' => {
            let in_emoji = || {
                character == '\u{200D}'
                    && before.is_some_and(|c| is_pictographic(c) || c == '\u{FE0F}')
                    && after().is_some_and(is_pictographic)
            };
            let in_word =
                || before.is_some_and(|c| takes_joiners(c) && (is_virama(c) || after().is_some_and(takes_joiners)));
            (!in_emoji() && !in_word()).then_some(FindingKind::Invisible)
        }
        _ if is_selector(character) => {
            let fits = |c: char| match c {
                '0'..='9' | '#' | '*' => matches!(character, '\u{FE0E}' | '\u{FE0F}'),
                c => !c.is_ascii() && !is_selector(c) && !is_invisible(c) && !matches!(c, '\u{200C}' | '\u{200D}'),
            };
            (!before.is_some_and(fits)).then_some(FindingKind::Invisible)
        }
        // A Mongolian selector belongs to the letter before it.
        '\u{180B}'..='\u{180F}' if matches!(before, Some('\u{1820}'..='\u{18AA}')) => None,
        _ if is_invisible(character) => Some(FindingKind::Invisible),
        _ => None,
    };
    Look { len, last: Some(character), kind }
}
