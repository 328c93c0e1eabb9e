//! Converts the charsets that the Encoding Standard lacks, and encodes text as UTF-16.

use encoding_rs::{Encoding, mem};

/// The number of bytes converted at a time.
pub(super) const CHUNK: usize = if cfg!(fuzzing) { 64 } else { 2048 };

/// A piece of the result of a conversion to bytes.
pub(crate) enum Piece<'a> {
    Bytes(&'a [u8]),
    /// A character that the charset lacks. The first field is its offset. The second field is the character that a
    /// numeric reference would name: the character itself, or U+FFFD for three control characters in ISO-2022-JP.
    Unmappable(usize, char),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Builtin {
    Utf32Be,
    Utf32Le,
    UsAscii,
    Latin1,
    Ibm037,
    Ibm437,
    Ibm850,
}

/// Names and aliases of IANA's registry, preferred names first.
const NAMES: &[(Builtin, &[&str])] = &[
    (Builtin::Utf32Be, &["UTF-32BE", "csUTF32BE"]),
    (Builtin::Utf32Le, &["UTF-32LE", "csUTF32LE"]),
    (
        Builtin::UsAscii,
        &[
            "US-ASCII", "iso-ir-6", "ANSI_X3.4-1968", "ANSI_X3.4-1986", "ISO_646.irv:1991", "ISO646-US", "ASCII", "us",
            "IBM367", "cp367", "csASCII",
        ],
    ),
    (
        Builtin::Latin1,
        &[
            "ISO-8859-1", "ISO_8859-1:1987", "iso-ir-100", "ISO_8859-1", "latin1", "l1", "IBM819", "CP819",
            "csISOLatin1",
        ],
    ),
    (Builtin::Ibm037, &["IBM037", "cp037", "ebcdic-cp-us", "ebcdic-cp-ca", "ebcdic-cp-wt", "ebcdic-cp-nl", "csIBM037"]),
    (Builtin::Ibm437, &["IBM437", "cp437", "437", "csPC8CodePage437"]),
    (Builtin::Ibm850, &["IBM850", "cp850", "850", "csPC850Multilingual"]),
];

/// For each byte of IBM's code page 37, the character of ISO 8859-1.
pub(super) const FROM_IBM037: [u8; 256] = [
    0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, //
    0x10, 0x11, 0x12, 0x13, 0x9D, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F, //
    0x80, 0x81, 0x82, 0x83, 0x84, 0x0A, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07, //
    0x90, 0x91, 0x16, 0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A, //
    0x20, 0xA0, 0xE2, 0xE4, 0xE0, 0xE1, 0xE3, 0xE5, 0xE7, 0xF1, 0xA2, 0x2E, 0x3C, 0x28, 0x2B, 0x7C, //
    0x26, 0xE9, 0xEA, 0xEB, 0xE8, 0xED, 0xEE, 0xEF, 0xEC, 0xDF, 0x21, 0x24, 0x2A, 0x29, 0x3B, 0xAC, //
    0x2D, 0x2F, 0xC2, 0xC4, 0xC0, 0xC1, 0xC3, 0xC5, 0xC7, 0xD1, 0xA6, 0x2C, 0x25, 0x5F, 0x3E, 0x3F, //
    0xF8, 0xC9, 0xCA, 0xCB, 0xC8, 0xCD, 0xCE, 0xCF, 0xCC, 0x60, 0x3A, 0x23, 0x40, 0x27, 0x3D, 0x22, //
    0xD8, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0xAB, 0xBB, 0xF0, 0xFD, 0xFE, 0xB1, //
    0xB0, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x72, 0xAA, 0xBA, 0xE6, 0xB8, 0xC6, 0xA4, //
    0xB5, 0x7E, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0xA1, 0xBF, 0xD0, 0xDD, 0xDE, 0xAE, //
    0x5E, 0xA3, 0xA5, 0xB7, 0xA9, 0xA7, 0xB6, 0xBC, 0xBD, 0xBE, 0x5B, 0x5D, 0xAF, 0xA8, 0xB4, 0xD7, //
    0x7B, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0xAD, 0xF4, 0xF6, 0xF2, 0xF3, 0xF5, //
    0x7D, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51, 0x52, 0xB9, 0xFB, 0xFC, 0xF9, 0xFA, 0xFF, //
    0x5C, 0xF7, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5A, 0xB2, 0xD4, 0xD6, 0xD2, 0xD3, 0xD5, //
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0xB3, 0xDB, 0xDC, 0xD9, 0xDA, 0x9F, //
];

const TO_IBM037: [u8; 256] = {
    let mut to = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        to[FROM_IBM037[byte] as usize] = byte as u8;
        byte += 1;
    }
    to
};

/// The characters for the bytes from 0x80 to 0xFF in IBM's code page 437, as in the GNU C library and Python.
#[rustfmt::skip] // 16 characters in each row
const FROM_IBM437: [char; 128] = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å',
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ',
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '⌐', '¬', '½', '¼', '¡', '«', '»',
    '░', '▒', '▓', '│', '┤', '╡', '╢', '╖', '╕', '╣', '║', '╗', '╝', '╜', '╛', '┐',
    '└', '┴', '┬', '├', '─', '┼', '╞', '╟', '╚', '╔', '╩', '╦', '╠', '═', '╬', '╧',
    '╨', '╤', '╥', '╙', '╘', '╒', '╓', '╫', '╪', '┘', '┌', '█', '▄', '▌', '▐', '▀',
    'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ', 'ε', '∩',
    '≡', '±', '≥', '≤', '⌠', '⌡', '÷', '≈', '°', '∙', '·', '√', 'ⁿ', '²', '■', '\u{A0}',
];

/// The characters for the bytes from 0x80 to 0xFF in IBM's code page 850, as in the GNU C library and Python.
#[rustfmt::skip] // 16 characters in each row
const FROM_IBM850: [char; 128] = [
    'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å',
    'É', 'æ', 'Æ', 'ô', 'ö', 'ò', 'û', 'ù', 'ÿ', 'Ö', 'Ü', 'ø', '£', 'Ø', '×', 'ƒ',
    'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '®', '¬', '½', '¼', '¡', '«', '»',
    '░', '▒', '▓', '│', '┤', 'Á', 'Â', 'À', '©', '╣', '║', '╗', '╝', '¢', '¥', '┐',
    '└', '┴', '┬', '├', '─', '┼', 'ã', 'Ã', '╚', '╔', '╩', '╦', '╠', '═', '╬', '¤',
    'ð', 'Ð', 'Ê', 'Ë', 'È', 'ı', 'Í', 'Î', 'Ï', '┘', '┌', '█', '▄', '¦', 'Ì', '▀',
    'Ó', 'ß', 'Ô', 'Ò', 'õ', 'Õ', 'µ', 'þ', 'Þ', 'Ú', 'Û', 'Ù', 'ý', 'Ý', '¯', '´',
    '\u{AD}', '±', '‗', '¾', '¶', '§', '÷', '¸', '°', '¨', '·', '¹', '³', '²', '■', '\u{A0}',
];

const TO_IBM437: [(char, u8); 128] = sorted(&FROM_IBM437);
const TO_IBM850: [(char, u8); 128] = sorted(&FROM_IBM850);

/// Returns the characters for the bytes from 0x80 to 0xFF, each with its byte. They are sorted by character.
const fn sorted(from: &[char; 128]) -> [(char, u8); 128] {
    let mut to = [('\0', 0); 128];
    let mut len = 0;
    while len < 128 {
        let mut at = len;
        while at > 0 && to[at - 1].0 > from[len] {
            to[at] = to[at - 1];
            at -= 1;
        }
        to[at] = (from[len], 0x80 + len as u8);
        len += 1;
    }
    to
}

impl Builtin {
    pub(super) fn all() -> impl Iterator<Item = Builtin> + Clone {
        NAMES.iter().map(|(own, _)| *own)
    }

    pub(super) fn for_name(name: &[u8]) -> Option<Builtin> {
        let is_called = |names: &[&str]| names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        NAMES.iter().find(|(_, names)| is_called(names)).map(|(own, _)| *own)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Builtin::Utf32Be => "UTF-32BE",
            Builtin::Utf32Le => "UTF-32LE",
            Builtin::UsAscii => "US-ASCII",
            Builtin::Latin1 => "ISO-8859-1",
            Builtin::Ibm037 => "IBM037",
            Builtin::Ibm437 => "IBM437",
            Builtin::Ibm850 => "IBM850",
        }
    }

    pub(super) fn is_ascii_compatible(self) -> bool {
        matches!(self, Builtin::UsAscii | Builtin::Latin1 | Builtin::Ibm437 | Builtin::Ibm850)
    }

    pub(super) fn byte_of(self, ascii: u8) -> u8 {
        if self == Builtin::Ibm037 { TO_IBM037[usize::from(ascii)] } else { ascii }
    }

    /// Returns the character of `byte` in IBM437 or IBM850. If the byte is below 0x80, or for any other charset,
    /// returns `None`.
    pub(super) fn upper_character(self, byte: u8) -> Option<char> {
        let upper = usize::from(byte).checked_sub(0x80)?;
        match self {
            Builtin::Ibm437 => FROM_IBM437.get(upper).copied(),
            Builtin::Ibm850 => FROM_IBM850.get(upper).copied(),
            _ => None,
        }
    }

    /// Returns the byte of a character above US-ASCII in IBM437 or IBM850. If the code page lacks the character, or for
    /// any other charset, returns `None`.
    fn upper_byte(self, character: char) -> Option<u8> {
        let to = match self {
            Builtin::Ibm437 => &TO_IBM437,
            Builtin::Ibm850 => &TO_IBM850,
            _ => return None,
        };
        let found = to.binary_search_by_key(&character, |&(known, _)| known).ok()?;
        to.get(found).map(|&(_, byte)| byte)
    }

    /// Calls `each` with each piece of the converted `text`, like [`Charset::convert`](super::Charset::convert).
    pub(super) fn convert<E>(self, text: &str, mut each: impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        match self {
            Builtin::Utf32Be => return convert_units(text.chars().map(|c| u32::from(c).to_be_bytes()), each),
            Builtin::Utf32Le => return convert_units(text.chars().map(|c| u32::from(c).to_le_bytes()), each),
            Builtin::UsAscii | Builtin::Latin1 | Builtin::Ibm037 | Builtin::Ibm437 | Builtin::Ibm850 => {}
        }
        let mut chunk = [0; CHUNK];
        let mut read = 0;
        while read < text.len() {
            let near = chunk_of(text.get(read..).unwrap_or_default(), CHUNK);
            let known = match self {
                Builtin::UsAscii | Builtin::Ibm437 | Builtin::Ibm850 => Encoding::ascii_valid_up_to(near.as_bytes()),
                _ => mem::str_latin1_up_to(near),
            };
            let (run, after) = near.split_at_checked(known).unwrap_or((near, ""));
            // The result has no more bytes than `run`.
            let len = mem::convert_utf8_to_latin1_lossy(run.as_bytes(), &mut chunk);
            let bytes = &mut chunk[..len];
            if self == Builtin::Ibm037 {
                bytes.iter_mut().for_each(|byte| *byte = TO_IBM037[usize::from(*byte)]);
            }
            each(Piece::Bytes(bytes))?;
            read += run.len();
            if let Some(character) = after.chars().next() {
                match self.upper_byte(character) {
                    Some(byte) => each(Piece::Bytes(&[byte]))?,
                    None => each(Piece::Unmappable(read, character))?,
                }
                read += character.len_utf8();
            }
        }
        Ok(())
    }

    /// Returns the character of a unit of UTF-32. For a surrogate, or a number above U+10FFFF, returns `None`.
    pub(super) fn character(self, unit: [u8; 4]) -> Option<char> {
        char::from_u32(if self == Builtin::Utf32Be { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) })
    }
}

/// Returns the longest prefix of `text` that has at most `limit` bytes and ends between characters.
fn chunk_of(text: &str, limit: usize) -> &str {
    (0..=text.len().min(limit)).rev().find_map(|end| text.get(..end)).unwrap_or(text)
}

/// Calls `each` with the bytes of `text` in UTF-16, piece by piece. `to_bytes` converts one unit.
pub(super) fn convert_utf16<E>(
    mut text: &str,
    to_bytes: impl Fn(u16) -> [u8; 2],
    mut each: impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let (mut units, mut chunk) = ([0; CHUNK], [0; 2 * CHUNK]);
    while !text.is_empty() {
        // UTF-16 has no more units than UTF-8 has bytes, and `encoding_rs` needs room for one more unit. So CHUNK - 1
        // bytes of `text` fit into the CHUNK units of `units`.
        let now = chunk_of(text, CHUNK - 1);
        let later = text.get(now.len()..).unwrap_or_default();
        let length = mem::convert_str_to_utf16(now, &mut units);
        for (pair, &unit) in chunk.chunks_exact_mut(2).zip(&units[..length]) {
            pair.copy_from_slice(&to_bytes(unit));
        }
        each(Piece::Bytes(&chunk[..2 * length]))?;
        text = later;
    }
    Ok(())
}

fn convert_units<const N: usize, E>(
    mut units: impl Iterator<Item = [u8; N]>,
    mut each: impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut chunk = [0; CHUNK];
    loop {
        let mut len = 0;
        for (room, unit) in chunk.chunks_exact_mut(N).zip(units.by_ref()) {
            room.copy_from_slice(&unit);
            len += N;
        }
        if len == 0 {
            return Ok(());
        }
        each(Piece::Bytes(&chunk[..len]))?;
    }
}
