//! Reads UTF-16 as UTF-8.

use std::io::{self, Cursor, Read};
use std::ops::Range;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use memchr::{memchr, memmem};

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
/// becomes U+FFFD. If the text is XML, its declaration names UTF-8.
pub fn as_utf8<'a>(
    charset: &'static Encoding,
    head: Vec<u8>,
    rest: impl Read + Send + 'a,
) -> Box<dyn Read + Send + 'a> {
    let mut builder = DecodeReaderBytesBuilder::new();
    let reader = builder.encoding(Some(charset)).strip_bom(true).build(Cursor::new(head).chain(rest));
    Box::new(Declared { reader, start: Vec::new(), at: None })
}

/// The maximum length of a declaration of XML.
const LONGEST: usize = 1024;

/// Reads UTF-8 that was UTF-16. A declaration of XML at its start still names UTF-16 (XML 1.0, 4.3.3), so it is changed.
struct Declared<R> {
    reader: R,
    /// The first bytes of the text.
    start: Vec<u8>,
    /// The number of bytes of `start` that have been read. Before the declaration has arrived, this is `None`.
    at: Option<usize>,
}

impl<R: Read> Read for Declared<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        const XML: &[u8] = b"<?xml";
        while self.at.is_none() {
            let len = self.start.len();
            let may_be = self.start.starts_with(XML) || XML.starts_with(&self.start);
            let mut more = [0; LONGEST];
            let read = if may_be && len < LONGEST { self.reader.read(&mut more)? } else { 0 };
            self.start.extend_from_slice(&more[..read]);
            let end = memmem::find(&self.start, b"?>");
            if self.start.starts_with(XML)
                && let Some(end) = end
                && let Some(name) = charset_name(&self.start[..end])
            {
                self.start.splice(name, *b"UTF-8");
            }
            self.at = (read == 0 || end.is_some()).then_some(0);
        }
        let at = self.at.unwrap_or_default();
        if at == self.start.len() {
            return self.reader.read(out);
        }
        let len = (&self.start[at..]).read(out)?;
        self.at = Some(at + len);
        Ok(len)
    }
}

/// Returns the bounds of the charset's name in a declaration of XML.
fn charset_name(declaration: &[u8]) -> Option<Range<usize>> {
    let at = memmem::find(declaration, b"encoding")? + b"encoding".len();
    let quote = at + declaration[at..].iter().position(|byte| b"\"'".contains(byte))?;
    let len = memchr(declaration[quote], &declaration[quote + 1..])?;
    Some(quote + 1..quote + 1 + len)
}
