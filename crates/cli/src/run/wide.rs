//! Reads UTF-16 as UTF-8.

use std::io::{Cursor, Read};

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;

/// A charset whose characters have 16 or 32 bits. A search for `%` in its bytes finds no escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// The charset, and its name for `iconv`. With the name `UTF-16`, `iconv` reads the byte order mark, and leaves it out.
    Utf16(&'static Encoding, &'static str),
    Utf32,
}

impl Wide {
    /// Returns the charset of an input that starts with `head`. Its signs are a byte order mark, or a zero in every second byte of
    /// the first characters.
    pub fn of(head: &[u8]) -> Option<Wide> {
        let zeros = |from: usize| head.iter().skip(from).step_by(2).take(16).filter(|&&byte| byte == 0).count();
        let all = 16.min(head.len() / 2);
        let has_zero = || zeros(0) + zeros(1) > 0;
        match head {
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => Some(Wide::Utf32),
            [0xFF, 0xFE, ..] if has_zero() => Some(Wide::Utf16(UTF_16LE, "UTF-16")),
            [0xFE, 0xFF, ..] if has_zero() => Some(Wide::Utf16(UTF_16BE, "UTF-16")),
            _ if all >= 4 && zeros(0) == 0 && zeros(1) == all => Some(Wide::Utf16(UTF_16LE, "UTF-16LE")),
            _ if all >= 4 && zeros(0) == all && zeros(1) == 0 => Some(Wide::Utf16(UTF_16BE, "UTF-16BE")),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Wide::Utf16(_, name) => name,
            Wide::Utf32 => "UTF-32",
        }
    }
}

/// Returns true if `head` may be a part of a byte order mark.
pub fn may_be(head: &[u8]) -> bool {
    matches!(head, [0xFF | 0xFE] | [0xFF, 0xFE] | [0xFF, 0xFE, _] | [0xFE, 0xFF])
}

/// Returns the text of `head` and `rest`, which are in UTF-16, as UTF-8 without a byte order mark. A surrogate without its pair
/// becomes U+FFFD.
pub fn as_utf8<'a>(
    charset: &'static Encoding,
    head: Vec<u8>,
    rest: impl Read + Send + 'a,
) -> Box<dyn Read + Send + 'a> {
    let mut builder = DecodeReaderBytesBuilder::new();
    Box::new(builder.encoding(Some(charset)).strip_bom(true).build(Cursor::new(head).chain(rest)))
}
