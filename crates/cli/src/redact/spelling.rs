//! Reads the spellings of a character: escapes such as `\x3a`, names such as `&colon;`, and similar characters such as a full-width
//! colon. So a password is found even if the delimiters around it have such a spelling.

use percent_simd::{ByteSet, RawEncoder};

/// The first bytes of spellings.
const STARTS: ByteSet = ByteSet::of(b"\\&%\t\r\xC0\xC1\xE0\xE2\xEF\xF0");

/// We read `%XX` only for these bytes. They start another spelling, or browsers drop them. The search for passwords reads
/// all other escapes by itself.
const READ: ByteSet = ByteSet::of(b"\\&\t\n\r");

/// The characters with a name in XML (XML 1.0, 4.6), and others with a name in HTML that a URL may need.
const ENTITIES: [(&[u8], u8); 16] = [
    (b"&amp;", b'&'),
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
    (b"&colon;", b':'),
    (b"&commat;", b'@'),
    (b"&sol;", b'/'),
    (b"&bsol;", b'\\'),
    (b"&percnt;", b'%'),
    (b"&num;", b'#'),
    (b"&quest;", b'?'),
    (b"&Tab;", b'\t'),
    (b"&NewLine;", b'\n'),
    (b"&AMP;", b'&'),
    (b"&QUOT;", b'"'),
];

/// Returns false if `text` surely has no spelling that [`plain`] reads.
pub fn may_occur(text: &[u8]) -> bool {
    first(text).is_some()
}

fn first(text: &[u8]) -> Option<usize> {
    static FIRST: RawEncoder = RawEncoder::new(STARTS.complement());
    FIRST.first_changed(text)
}

/// Writes the characters of one layer of spellings in `text`. Returns the new text and a list. For each byte of the new
/// text, the list has `offset(at)`: `at` is the position in `text` of the byte or spelling that the new byte comes from.
/// Returns `None` if there is no spelling.
///
/// The new text is only searched for passwords, so some of its characters may be wrong. A control becomes a space or a tab,
/// so that an escaped line end doesn't end a password.
pub fn plain(text: &[u8], offset: impl Fn(usize) -> usize) -> Option<(Vec<u8>, Vec<usize>)> {
    let mut at = 0;
    let start = loop {
        at += first(&text[at..])?;
        if spelling(text, at).is_some() {
            break at;
        }
        at += 1;
    };
    let (mut out, mut offsets) = (text[..start].to_vec(), (0..start).map(&offset).collect::<Vec<_>>());
    at = start;
    while at < text.len() {
        let (byte, len) = spelling(text, at).unwrap_or((Some(text[at]), 1));
        if let Some(byte) = byte {
            out.push(byte);
            offsets.push(offset(at));
        }
        at += len;
    }
    Some((out, offsets))
}

/// Reads the spelling at `at`. Returns its byte and its length. A spelling without a byte is dropped.
fn spelling(text: &[u8], at: usize) -> Option<(Option<u8>, usize)> {
    if let b'\t' | b'\r' = text[at] {
        return dropped(text, at).map(|len| (None, len));
    }
    let (code, len) = character(&text[at..])?;
    let byte = match code {
        0x09 | 0x0A | 0x0D => b'\t',
        0..0x20 | 0x7F => b' ',
        0x20..=0xFF => code as u8,
        _ => ascii(code).unwrap_or(0xFF),
    };
    Some((Some(byte), len))
}

/// Returns the length of the tabs at `at` if they are between two delimiters before an authority, or before a colon.
/// Browsers drop tabs and line ends in a URL (URL Standard, 4.4).
fn dropped(text: &[u8], at: usize) -> Option<usize> {
    let is_tab = |byte: &&u8| matches!(byte, b'\t' | b'\r');
    if text[..at].last().is_none_or(|byte| is_tab(&byte)) {
        return None;
    }
    let len = text[at..].iter().take_while(is_tab).count();
    let follows = matches!(
        text[..at],
        [.., b':' | b'/' | b'\\'] | [.., b'2', b'F' | b'f'] | [.., b'3', b'A' | b'a'] | [.., b'5', b'C' | b'c']
    );
    match text.get(at + len)? {
        b':' => Some(len),
        b'/' | b'\\' | b'%' if follows => Some(len),
        _ => None,
    }
}

/// Returns the ASCII character that looks like `code` and that programs read in its place: by compatibility (Unicode,
/// NFKC) or as Windows converts it to a charset.
fn ascii(code: u32) -> Option<u8> {
    match code {
        0xFF01..=0xFF5E => Some((code - 0xFEE0) as u8),
        0xFE13 | 0xFE55 | 0x2236 => Some(b':'),
        0x2044 | 0x2215 => Some(b'/'),
        0xFE68 | 0x2216 => Some(b'\\'),
        0xFE6A => Some(b'%'),
        0xFE6B => Some(b'@'),
        _ => None,
    }
}

/// Returns the character at the start of `text`, and its length, if the character has another spelling.
fn character(text: &[u8]) -> Option<(u32, usize)> {
    match *text {
        [b'\\', b'u' | b'x', b'{', ..] => braces(text),
        [b'\\', b'u', ..] => hex(text, 2, 4),
        [b'\\', b'U', ..] => hex(text, 2, 8),
        [b'\\', b'x' | b'X', ..] => hex(text, 2, 2),
        [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            Some(([a, b, c].iter().fold(0, |code, digit| code * 8 + u32::from(digit - b'0')), 4))
        }
        [b'\\', b'b' | b'f' | b'v', ..] => Some((u32::from(b' '), 2)),
        [b'\\', b'n' | b'r' | b't', ..] => Some((u32::from(b'\t'), 2)),
        [b'\\', byte, ..] if byte.is_ascii_punctuation() => Some((u32::from(byte), 2)),
        [b'%', ..] => percent(text),
        [b'&', b'#', ..] => reference(text, 2),
        [b'&', b'%', b'2', b'3', ..] => reference(text, 4),
        [b'&', ..] => {
            ENTITIES.iter().find(|(name, _)| text.starts_with(name)).map(|&(name, byte)| (byte.into(), name.len()))
        }
        [first, ..] if first >= 0xC0 => utf8(first, 1, |at| Some((*text.get(at)?, at + 1))),
        _ => None,
    }
}

/// Returns the character of `len` hexadecimal digits at `start`, and the offset after them.
fn hex(text: &[u8], start: usize, len: usize) -> Option<(u32, usize)> {
    let digit = |sum: u32, digit: &u8| Some(sum << 4 | char::from(*digit).to_digit(16)?);
    Some((text.get(start..start + len)?.iter().try_fold(0, digit)?, start + len))
}

/// Returns the character of digits at `start`, and the offset after them.
fn number(text: &[u8], start: usize, radix: u32) -> Option<(u32, usize)> {
    let digits = text[start..].iter().map_while(|&digit| char::from(digit).to_digit(radix));
    let add = |(code, end): (u32, usize), digit| (code.saturating_mul(radix).saturating_add(digit), end + 1);
    Some(digits.fold((0, start), add)).filter(|&(_, end)| end > start)
}

/// Reads `\u{3a}`.
fn braces(text: &[u8]) -> Option<(u32, usize)> {
    let (code, end) = number(text, 3, 16)?;
    (text.get(end) == Some(&b'}')).then_some((code, end + 1))
}

/// Reads `&#58;` or `&#x3a;`, whose digits or `x` are at `start`. HTML also reads it without the semicolon.
fn reference(text: &[u8], start: usize) -> Option<(u32, usize)> {
    let (from, radix) = if let Some(b'x' | b'X') = text.get(start) { (start + 1, 16) } else { (start, 10) };
    let (code, end) = number(text, from, radix)?;
    Some((code, end + usize::from(text.get(end) == Some(&b';'))))
}

/// Reads `%u003a`, or the escapes of a byte in [`READ`] or of a character in UTF-8. Each `%` may be escaped itself, even
/// several times.
fn percent(text: &[u8]) -> Option<(u32, usize)> {
    let (byte, end) = triplet(text, 0)?;
    match byte {
        Byte::Unicode => hex(text, end, 4),
        Byte::One(byte) if READ.contains(byte) => Some((byte.into(), end)),
        Byte::One(byte) => utf8(byte, end, |at| match triplet(text, at)? {
            (Byte::One(byte), end) => Some((byte, end)),
            (Byte::Unicode, _) => None,
        }),
    }
}

/// The meaning of a `%`.
enum Byte {
    /// Two digits follow.
    One(u8),
    /// `u` and four digits follow.
    Unicode,
}

/// Reads the escape at `at`. Returns the offset of its end, or of its four digits.
fn triplet(text: &[u8], at: usize) -> Option<(Byte, usize)> {
    let rest = text.get(at..)?.strip_prefix(b"%")?;
    let layers = rest.chunks_exact(2).take_while(|digits| digits == b"25").count();
    let start = at + 1 + 2 * layers;
    match text.get(start)? {
        b'u' | b'U' => Some((Byte::Unicode, start + 1)),
        _ => hex(text, start, 2).map(|(byte, end)| (Byte::One(byte as u8), end)),
    }
}

/// Reads a character in UTF-8 that is read as another one, or that has more bytes than it needs. `first` is its first byte,
/// and `next` returns the byte at an offset and the offset after it.
fn utf8(first: u8, mut at: usize, next: impl Fn(usize) -> Option<(u8, usize)>) -> Option<(u32, usize)> {
    let (more, mut code) = match first {
        0xC0 | 0xC1 => (1, u32::from(first & 0x1F)),
        0xE0 | 0xE2 | 0xEF => (2, u32::from(first & 0x0F)),
        0xF0 => (3, 0),
        _ => return None,
    };
    for _ in 0..more {
        let (byte, end) = next(at).filter(|(byte, _)| matches!(byte, 0x80..0xC0))?;
        (code, at) = (code << 6 | u32::from(byte & 0x3F), end);
    }
    (code < 0x80 || ascii(code).is_some()).then_some((code, at))
}
