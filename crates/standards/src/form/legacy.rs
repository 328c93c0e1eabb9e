//! Parses forms in charsets other than UTF-8. The rules are from the URL Standard as it was until April 2016 (in its
//! section 5.1 at that time). They include an encoding override, `_charset_`, and `isindex`. Needs the feature
//! `encoding`.
//!
//! ```
//! use percent_standards::charset::Charset;
//! use percent_standards::form::legacy::Parser;
//!
//! let form = Parser::new(Charset::UTF_8).use_charset().parse("a=%E9&_charset_=windows-1252")?;
//! assert_eq!(form.pairs, [("a".into(), "é".into()), ("_charset_".into(), "windows-1252".into())]);
//! assert_eq!(form.charset, Charset::WINDOWS_1252);
//! # Ok::<(), percent_standards::form::ParseError>(())
//! ```

use alloc::borrow::Cow;
use alloc::vec::Vec;

use percent_simd::{AsBytes, ByteSet, Decoder, Plus};

use super::ParseError;
use crate::charset::Charset;
use crate::memory;

/// Parses `application/x-www-form-urlencoded` in a charset.
///
/// A malformed `%` stays as it is. Bytes that aren't text in the charset become U+FFFD, as in the standard.
#[derive(Clone, Copy, Debug)]
pub struct Parser {
    charset: Charset,
    use_charset: bool,
    isindex: bool,
    bom: bool,
    semicolon: bool,
}

/// A parsed form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<'a> {
    /// Names and values.
    pub pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The charset of the form: the charset of the parser, or of the field `_charset_`.
    pub charset: Charset,
}

const FORM: Decoder = Decoder::new().plus(Plus::Always);
const SPACES: Decoder = FORM.keep(ByteSet::ALL);

impl Parser {
    /// Returns a parser for forms in `charset` (the standard's "encoding override").
    #[must_use]
    pub const fn new(charset: Charset) -> Parser {
        Parser { charset, use_charset: false, isindex: false, bom: false, semicolon: false }
    }

    /// If a pair is called `_charset_` and its value is a known label, decodes all pairs in this charset (the
    /// standard's "use charset flag"). If several pairs are like this, takes the first.
    #[must_use]
    pub const fn use_charset(mut self) -> Parser {
        self.use_charset = true;
        self
    }

    /// If the text before the first `&` has no `=`, reads it as a value with an empty name (the standard's "isindex
    /// flag").
    #[must_use]
    pub const fn isindex(mut self) -> Parser {
        self.isindex = true;
        self
    }

    /// If a name or value starts with a byte order mark, decodes it in the charset of this mark, and removes the mark.
    ///
    /// The old standard did this, because it called "decode" (Encoding Standard 6) for each name and value. By default,
    /// the mark stays, as the character U+FEFF. Today's standard keeps it, too.
    #[must_use]
    pub const fn sniff_bom(mut self) -> Parser {
        self.bom = true;
        self
    }

    /// Also splits at `;`, as HTML 4.01 B.2.2 recommends to servers. But another program that reads the same query
    /// might not split at `;`.
    #[must_use]
    pub const fn semicolons(mut self) -> Parser {
        self.semicolon = true;
        self
    }

    /// Returns the pairs of `input`, a query without its `?`. In charsets other than UTF-8, `input` must be ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// use percent_standards::form::legacy::Parser;
    /// let form = Parser::new(Charset::SHIFT_JIS).isindex().parse("%83%5C+b&&c")?;
    /// assert_eq!(form.pairs, [("".into(), "ソ b".into()), ("c".into(), "".into())]);
    /// # Ok::<(), percent_standards::form::ParseError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the charset isn't UTF-8 and a byte isn't ASCII, returns [`ParseError::NotAscii`].
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated.
    pub fn parse<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Parsed<'a>, ParseError> {
        let input = input.as_bytes();
        if self.charset != Charset::UTF_8
            && let Some(offset) = input.iter().position(|byte| !byte.is_ascii())
        {
            return Err(ParseError::NotAscii { offset });
        }
        let sequences = || {
            let parts = input.split(|&byte| byte == b'&' || self.semicolon && byte == b';');
            parts.enumerate().filter_map(|(i, part)| self.split(part, i == 0))
        };
        // The first pass finds the charset. The second pass decodes all pairs in that charset, including the pairs
        // before `_charset_`.
        let label = |(name, value): (&[u8], &[u8])| {
            if name == b"_charset_" { Charset::for_label(&SPACES.decode(value)) } else { None }
        };
        let named = if self.use_charset { sequences().find_map(label) } else { None };
        let charset = named.unwrap_or(self.charset);
        let mut pairs = Vec::new();
        for (name, value) in sequences() {
            memory::push(&mut pairs, (self.decode(charset, name), self.decode(charset, value)));
        }
        Ok(Parsed { pairs, charset })
    }

    /// Returns the name and the value in `part`, which is the text between two separators. If `part` isn't a pair,
    /// returns `None`.
    fn split<'a>(&self, part: &'a [u8], is_first: bool) -> Option<(&'a [u8], &'a [u8])> {
        match memchr::memchr(b'=', part) {
            Some(at) => Some((&part[..at], &part[at + 1..])),
            None if self.isindex && is_first => Some((b"", part)),
            None if part.is_empty() => None,
            None => Some((part, b"")),
        }
    }

    fn decode<'a>(&self, charset: Charset, part: &'a [u8]) -> Cow<'a, str> {
        let bytes = FORM.decode(part);
        match (&bytes, Charset::for_bom(&bytes).filter(|_| self.bom)) {
            (bytes, Some((charset, length))) => Cow::Owned(memory::owned(charset.decode_lossy(&bytes[length..]))),
            (Cow::Borrowed(bytes), None) => charset.decode_lossy(*bytes),
            (Cow::Owned(bytes), None) => Cow::Owned(memory::owned(charset.decode_lossy(bytes))),
        }
    }
}
