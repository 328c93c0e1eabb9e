//! Parses a form into pairs in one pass, in blocks of 64 bytes. Each block begins at the start of a pair.

use core::iter::FusedIterator;
use core::ops::Range;

use percent_simd::{
    AsBytes, ByteSet, DecodeError, DecodeErrorKind, Decoder, Engine, Plus,
    internal::{ScannedForm, malformed},
};

use super::ParseError;
#[cfg(feature = "alloc")]
use super::block;
#[cfg(feature = "serde")]
use super::serde::{Config, Duplicates};

#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};

/// Decodes a name or value as [`parse`] does. For example, it decodes the name of a [`Pair`].
///
/// A `+` becomes a space before triplets are decoded, so `%2B` becomes a plus sign ([URL Standard
/// 5.1](https://url.spec.whatwg.org/#urlencoded-parsing), from step 3.4).
///
/// # Examples
///
/// ```
/// use percent_standards::form;
/// assert_eq!(form::DECODER.decode("1+%2B+1"), &b"1 + 1"[..]);
/// ```
pub const DECODER: Decoder = Decoder::new().plus(Plus::Always);

/// Returns the pairs of a form. Names and values are decoded to text ([URL Standard
/// 5.1](https://url.spec.whatwg.org/#urlencoded-parsing)).
///
/// - `&` separates pairs. Empty pairs are skipped.
/// - The first `=` ends the name. A pair without `=` has an empty value.
/// - A `+` is a space.
/// - A `%` that starts no triplet stays.
/// - Bytes that aren't UTF-8 become U+FFFD: one for each maximal ill-formed part.
/// - A byte order mark stays. A `?` at the start also stays, so pass the query without its `?`.
///
/// If decoding doesn't change a name or value, it is borrowed.
///
/// # Examples
///
/// ```
/// use percent_standards::form;
///
/// let mut pairs = form::parse("a%26b=c%3Dd&&e&=%zz");
/// assert_eq!(pairs.next(), Some(("a&b".into(), "c=d".into())));
/// assert_eq!(pairs.next(), Some(("e".into(), "".into())));
/// assert_eq!(pairs.next(), Some(("".into(), "%zz".into())));
/// assert_eq!(pairs.next(), None);
/// ```
///
/// This function does the same as [`Parser::parse`] without options.
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn parse<I: AsBytes + ?Sized>(input: &I) -> Parse<'_> {
    Parser::new().parse(input)
}

/// Parses forms leniently. Only [`parse_utf8`](Self::parse_utf8) can fail.
///
/// # Examples
///
/// ```
/// use percent_standards::form::{self, Pair};
///
/// const HTML4: form::Parser = form::Parser::new().semicolons();
/// let pairs: Vec<_> = HTML4.parse("a=1;b=2&c").collect();
/// assert_eq!(pairs, [("a".into(), "1".into()), ("b".into(), "2".into()), ("c".into(), "".into())]);
///
/// // Values that aren't text, and undecoded pairs.
/// let mut bytes = form::Parser::new().parse_bytes("info_hash=%12%FF+");
/// assert_eq!(bytes.next(), Some((b"info_hash".into(), b"\x12\xFF ".into())));
/// let mut raw = form::Parser::new().parse_raw("a+b");
/// assert_eq!(raw.next(), Some(Pair { offset: 0, name: b"a+b", value: None }));
/// ```
///
/// | you want | call |
/// | --- | --- |
/// | an error for a malformed escape | [`strict`](Self::strict) |
/// | an error for too many pairs | [`limit`](Self::limit) |
/// | an error for NUL or other characters | [`reject`](Self::reject) |
/// | an error for text that isn't UTF-8 | [`parse_utf8`](Self::parse_utf8) |
#[derive(Clone, Copy, Debug)]
pub struct Parser(ParseOptions);

/// Parses forms. Unlike [`Parser`], it returns an error for a malformed escape, for too many pairs, or for a rejected
/// byte. [`Parser::strict`], [`Parser::limit`] and [`Parser::reject`] create this parser.
///
/// # Examples
///
/// ```
/// use percent_standards::form::{ParseError, Parser};
///
/// let pairs: Result<Vec<_>, _> = Parser::new().strict().parse("a=1&b=100%&c").collect();
/// let error = pairs.unwrap_err();
/// assert_eq!(error.offset(), 9); // of the `%`, in the whole input
/// assert_eq!(error.to_string(), "the `%` at byte 9 is not followed by two hexadecimal digits");
///
/// let pairs: Result<Vec<_>, _> = Parser::new().limit(2).parse("a&b&&c").collect();
/// assert_eq!(pairs, Err(ParseError::TooManyPairs { limit: 2, offset: 5 }));
/// ```
///
/// After an error in a pair, the iterators continue with the next pair. But if the form exceeds the limit, the
/// iterators end.
#[derive(Clone, Copy, Debug)]
pub struct CheckedParser(ParseOptions);

#[derive(Clone, Copy, Debug)]
struct ParseOptions {
    /// A second byte that ends a pair. The first is always `&`. If [`Parser::semicolons`] is set, the second is `;`.
    /// Otherwise it is `&` again.
    separator: u8,
    strict: bool,
    limit: usize,
    /// The bytes that no decoded name or value may have.
    reject: ByteSet,
    #[cfg(feature = "serde")]
    config: Config,
    engine: Option<&'static Engine>,
}

impl Parser {
    /// Creates a parser that follows the URL Standard.
    #[must_use]
    pub const fn new() -> Parser {
        Parser(ParseOptions {
            separator: b'&',
            strict: false,
            limit: usize::MAX,
            reject: ByteSet::EMPTY,
            #[cfg(feature = "serde")]
            config: Config::new(),
            engine: None,
        })
    }
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new()
    }
}

macro_rules! options {
    ($parser:ident) => {
        impl $parser {
            /// Also ends a pair at `;`. [HTML 4.01 B.2.2](https://www.w3.org/TR/html401/appendix/notes.html#h-B.2.2)
            /// asks servers to allow this.
            ///
            /// The URL Standard doesn't split at `;`. If a cache in front of the server splits a request in another way
            /// than the server, the two may read different pairs.
            #[must_use]
            pub const fn semicolons(mut self) -> $parser {
                self.0.separator = b';';
                self
            }

            /// Fails at a `%` that starts no triplet.
            #[must_use]
            pub const fn strict(self) -> CheckedParser {
                let mut options = self.0;
                options.strict = true;
                CheckedParser(options)
            }

            /// Fails if there are more than `pairs` pairs.
            #[must_use]
            pub const fn limit(self, pairs: usize) -> CheckedParser {
                let mut options = self.0;
                options.limit = pairs;
                CheckedParser(options)
            }

            /// Fails if a decoded name or value has a byte of `set`, such as NUL or another control character.
            ///
            /// The result is the same for an escaped byte and for a byte that isn't escaped. A `+` counts as a space.
            /// Unlike [`Decoder::reject`], this doesn't make the parser strict. If you call it several times, the bytes
            /// of all sets are rejected.
            ///
            /// # Examples
            ///
            /// ```
            /// use percent_simd::ByteSet;
            /// use percent_standards::form::{ParseError, Parser};
            ///
            /// let parser = Parser::new().reject(ByteSet::of(b"\0"));
            /// let pairs: Result<Vec<_>, _> = parser.parse("a=100%&q=foo%00").collect();
            /// assert_eq!(pairs, Err(ParseError::Rejected { byte: 0, offset: 12 }));
            /// assert!(parser.parse("q=foo\0").any(|pair| pair.is_err()));
            /// ```
            #[must_use]
            pub const fn reject(self, set: ByteSet) -> CheckedParser {
                let mut options = self.0;
                options.reject = options.reject.union(set);
                CheckedParser(options)
            }

            /// Sets how serde reads the form: empty values, checkboxes, repeated names, names with brackets.
            ///
            /// # Examples
            ///
            /// ```
            /// use percent_standards::form::{Config, Parser};
            ///
            /// let parser = Parser::new().limit(1000).config(Config { bool_on: true, ..Config::new() });
            /// let pairs: Vec<(String, bool)> = parser.deserialize("ok=on")?;
            /// assert_eq!(pairs, [("ok".into(), true)]);
            /// # Ok::<(), percent_standards::form::SerdeError>(())
            /// ```
            #[cfg(feature = "serde")]
            #[must_use]
            pub const fn config(mut self, config: Config) -> $parser {
                self.0.config = config;
                self
            }

            /// Passes the values of a repeated name to serde one by one, as `serde_urlencoded` does. This is
            /// [`Duplicates::Separate`].
            ///
            /// With this option, a map keeps the last value, and a struct reports a duplicate field. Without it, only a
            /// sequence may take the values of a repeated name.
            ///
            /// # Examples
            ///
            /// ```
            /// use std::collections::BTreeMap;
            /// use percent_standards::form::Parser;
            ///
            /// let map: BTreeMap<String, u8> = Parser::new().last_wins().deserialize("a=1&b=2&a=3")?;
            /// assert_eq!(map, BTreeMap::from([("a".into(), 3), ("b".into(), 2)]));
            /// # Ok::<(), percent_standards::form::SerdeError>(())
            /// ```
            #[cfg(feature = "serde")]
            #[must_use]
            pub const fn last_wins(mut self) -> $parser {
                self.0.config.duplicates = Duplicates::Separate;
                self
            }

            /// Uses `engine` instead of the best engine.
            #[must_use]
            pub const fn with_engine(mut self, engine: &'static Engine) -> $parser {
                self.0.engine = Some(engine);
                self
            }

            /// Returns the pairs decoded to text. If bytes aren't UTF-8, returns an error with their offset.
            ///
            /// # Examples
            ///
            /// ```
            /// use percent_standards::form::Parser;
            /// let pairs: Result<Vec<_>, _> = Parser::new().parse_utf8("a=%C3%A9&b=%E9").collect();
            /// assert_eq!(pairs.unwrap_err().offset(), 11);
            /// ```
            #[cfg(feature = "alloc")]
            #[must_use]
            pub fn parse_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> ParseUtf8<'a> {
                ParseUtf8(PairScanner::new(self.0, input.as_bytes()))
            }
        }
    };
}

options!(Parser);
options!(CheckedParser);

impl Parser {
    /// Returns the pairs decoded to text, as [`parse`] does. Bytes that aren't UTF-8 become U+FFFD.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn parse<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Parse<'a> {
        Parse(PairScanner::new(self.0, input.as_bytes()))
    }

    /// Returns the pairs decoded to bytes.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn parse_bytes<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> ParseBytes<'a> {
        ParseBytes(PairScanner::new(self.0, input.as_bytes()))
    }

    /// Returns the pairs undecoded.
    #[must_use]
    pub fn parse_raw<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> ParseRaw<'a> {
        ParseRaw(PairScanner::new(self.0, input.as_bytes()))
    }
}

impl CheckedParser {
    #[cfg(feature = "serde")]
    pub(super) const fn serde_config(&self) -> Config {
        self.0.config
    }

    #[cfg(feature = "serde")]
    pub(super) fn scanner<'a>(&self, input: &'a [u8]) -> PairScanner<'a> {
        PairScanner::new(self.0, input)
    }

    /// Returns the pairs decoded to text. Bytes that aren't UTF-8 become U+FFFD.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn parse<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> CheckedParse<'a> {
        CheckedParse(PairScanner::new(self.0, input.as_bytes()))
    }

    /// Returns the pairs decoded to bytes.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn parse_bytes<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> CheckedParseBytes<'a> {
        CheckedParseBytes(PairScanner::new(self.0, input.as_bytes()))
    }

    /// Returns the pairs undecoded.
    #[must_use]
    pub fn parse_raw<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> CheckedParseRaw<'a> {
        CheckedParseRaw(PairScanner::new(self.0, input.as_bytes()))
    }
}

/// An undecoded pair. [`DECODER`] decodes its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair<'a> {
    /// The offset of the pair and of its name, in bytes of the input.
    pub offset: usize,
    /// The text before the first `=`. If there is no `=`, this is the whole pair.
    pub name: &'a [u8],
    /// The text after the first `=`, if there is one.
    pub value: Option<&'a [u8]>,
}

impl<'a> Pair<'a> {
    /// Returns the name and the value. A missing value is empty.
    fn parts(&self) -> (&'a [u8], &'a [u8]) {
        (self.name, self.value.unwrap_or_default())
    }

    /// Returns the offset of the value, in bytes of the input. If there is no value, this is the offset of the end of
    /// the pair.
    #[must_use]
    pub const fn value_offset(&self) -> usize {
        self.offset + self.name.len() + self.value.is_some() as usize
    }
}

/// The position of a pair: the start of the pair, the end of its name, and the end of the pair. All three are offsets
/// from the start of the block. A block begins at the start of a pair. If this first pair is longer than the block, it
/// is the only pair of the block.
#[derive(Clone, Copy)]
pub(super) struct Span {
    start: usize,
    equals: usize,
    end: usize,
}

impl Span {
    #[inline]
    pub(super) fn is_in_block(self) -> bool {
        self.end <= ScannedForm::LEN
    }

    #[inline]
    pub(super) fn name(self) -> Range<usize> {
        self.start..self.equals
    }

    /// Returns the lanes of the value. If there is no `=`, the range is empty.
    #[inline]
    pub(super) fn value(self) -> Range<usize> {
        self.end.min(self.equals + 1)..self.end
    }
}

/// Finds one pair after the other. One scan finds the ends of all pairs in a block, and decodes the whole block. If the
/// next pair doesn't end in this block, a new block begins with this pair. If a pair is longer than a block, a
/// [`Decoder`] decodes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairScanner<'a> {
    options: ParseOptions,
    input: &'a [u8],
    /// The offset of the block in the input.
    base: usize,
    pub(super) block: ScannedForm<'a>,
    /// The lane where the search continues.
    at: usize,
    /// The number of pairs found.
    found: usize,
}

impl<'a> PairScanner<'a> {
    #[inline]
    fn new(options: ParseOptions, input: &'a [u8]) -> PairScanner<'a> {
        PairScanner { options, input, base: 0, block: ScannedForm::default(), at: 0, found: 0 }
    }

    /// Scans the block at `base`.
    #[inline(never)]
    fn scan(&mut self, base: usize) {
        self.block.scan(self.options.engine, &self.input[base..], self.options.separator);
        (self.base, self.at) = (base, 0);
    }

    /// Returns the next pair that is not empty.
    #[inline(always)]
    fn next_pair(&mut self) -> Option<Span> {
        loop {
            let (start, seen) = (self.at, self.block.src().len());
            let lanes_left = u64::MAX.unbounded_shl(start as u32);
            let separators = self.block.separators() & lanes_left;
            if separators == 0 && self.base + seen < self.input.len() {
                if start == 0 && seen != 0 {
                    return Some(self.long_pair());
                }
                self.scan(self.base + start);
                continue;
            }
            if start >= seen {
                return None;
            }
            let end = seen.min(separators.trailing_zeros() as usize);
            self.at = end + 1;
            if start < end {
                let equals = end.min((self.block.equals() & lanes_left).trailing_zeros() as usize);
                return Some(Span { start, equals, end });
            }
        }
    }

    /// Returns the pair at the start of the block, which is longer than the block.
    #[inline(never)]
    fn long_pair(&mut self) -> Span {
        let rest = &self.input[self.base..];
        let beyond = &rest[ScannedForm::LEN..];
        let end = ScannedForm::LEN + memchr::memchr2(b'&', self.options.separator, beyond).unwrap_or(beyond.len());
        self.at = rest.len().min(end + 1);
        Span { start: 0, equals: memchr::memchr(b'=', &rest[..end]).unwrap_or(end), end }
    }

    /// Returns a pair of the current block, undecoded.
    #[inline]
    pub(super) fn raw(&self, pair: Span) -> Pair<'a> {
        let value = (pair.equals < pair.end).then(|| self.part(pair.value()));
        Pair { offset: self.base + pair.start, name: self.part(pair.name()), value }
    }

    /// Returns a name or a value, undecoded.
    #[inline]
    pub(super) fn part(&self, part: Range<usize>) -> &'a [u8] {
        &self.input[self.base..][part]
    }

    /// Returns the next pair. If this pair exceeds the limit on the number of pairs, returns an error.
    #[inline(always)]
    fn next_within_limit(&mut self) -> Option<Result<Span, ParseError>> {
        let limit = self.options.limit;
        if self.found > limit {
            return None;
        }
        let pair = self.next_pair()?;
        self.found += 1;
        if self.found > limit {
            return Some(Err(ParseError::TooManyPairs { limit, offset: self.raw(pair).offset }));
        }
        Some(Ok(pair))
    }

    /// Returns true if this pair needs a check: it may have a rejected byte, or a malformed escape that is an error.
    #[inline]
    fn is_suspect(&self, pair: Span) -> bool {
        self.options.strict && (!pair.is_in_block() || self.block.is_malformed(&(pair.start..pair.end)))
            || !self.options.reject.is_empty()
    }

    /// Returns the next pair. If this pair exceeds the limit on the number of pairs, or fails a check of the options,
    /// returns an error.
    // This function is inlined, and `check` doesn't return the pair. So the three offsets of the pair stay in
    // registers.
    #[inline(always)]
    pub(super) fn next_checked(&mut self) -> Option<Result<Span, ParseError>> {
        let pair = match self.next_within_limit()? {
            Ok(pair) => pair,
            Err(error) => return Some(Err(error)),
        };
        if self.is_suspect(pair)
            && let Err(error) = self.check(pair)
        {
            return Some(Err(error));
        }
        Some(Ok(pair))
    }

    /// Returns the first error of the pair.
    #[inline(never)]
    fn check(&self, pair: Span) -> Result<(), ParseError> {
        let raw = self.raw(pair);
        let (name, value) = raw.parts();
        self.check_part(name, raw.offset)?;
        self.check_part(value, raw.value_offset())
    }

    /// Checks a name or a value that starts at `offset`.
    fn check_part(&self, part: &[u8], offset: usize) -> Result<(), ParseError> {
        let malformed = if self.options.strict { self.decoder().strict().check(part).err() } else { None };
        let rejected = first_rejected(part, self.options.reject);
        match (malformed, rejected) {
            (Some(error), None) => Err(self.placed(error.shifted(offset))),
            (Some(error), Some((at, _))) if error.offset < at => Err(self.placed(error.shifted(offset))),
            (_, Some((at, byte))) => Err(ParseError::Rejected { byte, offset: offset + at }),
            (None, None) => Ok(()),
        }
    }

    /// Converts the error of a name or value into an error of the whole input. If a value ends with `%4`, the decoder
    /// reports [`Truncated`](DecodeErrorKind::Truncated), because it sees only the value. But if a delimiter follows
    /// the `%4` in the input, the right error is [`NotHex`](DecodeErrorKind::NotHex).
    #[cold]
    fn placed(&self, error: DecodeError) -> ParseError {
        let is_malformed = matches!(error.kind, DecodeErrorKind::Truncated | DecodeErrorKind::NotHex);
        ParseError::Decode(if is_malformed { malformed(self.input, error.offset) } else { error })
    }

    #[inline]
    pub(super) fn decoder(&self) -> Decoder {
        match self.options.engine {
            Some(engine) => DECODER.with_engine(engine),
            None => DECODER,
        }
    }

    /// Returns an upper limit for the number of remaining pairs.
    pub(super) fn max_pairs_left(&self) -> usize {
        (self.input.len() - self.input.len().min(self.base + self.at)).div_ceil(2)
    }
}

#[cfg(feature = "alloc")]
impl<'a> PairScanner<'a> {
    /// Returns the name and the value of a pair that fits into the block, is ASCII, and isn't changed by decoding. Most
    /// pairs are like this. For all other pairs, returns `None`.
    #[inline(always)]
    pub(super) fn borrowed_ascii(&self, pair: Span) -> Option<(&'a str, &'a str)> {
        if pair.is_in_block() { self.block.borrowed_ascii(pair.start, pair.equals, pair.end) } else { None }
    }

    #[inline(always)]
    fn lossy(&self, pair: Span) -> (Cow<'a, str>, Cow<'a, str>) {
        if pair.is_in_block() {
            return (self.text_lossy(pair.name()), self.text_lossy(pair.value()));
        }
        self.long_lossy(pair)
    }

    /// Decodes the name or value at `part` of the block.
    #[inline(always)]
    fn text_lossy(&self, part: Range<usize>) -> Cow<'a, str> {
        block::text(&self.block, &part).unwrap_or_else(|| self.replaced(part.start, part.end))
    }

    #[cold]
    fn replaced(&self, start: usize, end: usize) -> Cow<'a, str> {
        self.decoder().decode_utf8_lossy(self.part(start..end))
    }

    #[inline(never)]
    fn long_lossy(&self, pair: Span) -> (Cow<'a, str>, Cow<'a, str>) {
        let (name, value) = self.raw(pair).parts();
        (self.decoder().decode_utf8_lossy(name), self.decoder().decode_utf8_lossy(value))
    }

    #[inline(always)]
    fn bytes(&self, pair: Span) -> (Cow<'a, [u8]>, Cow<'a, [u8]>) {
        if pair.is_in_block() {
            return (block::bytes(&self.block, &pair.name()), block::bytes(&self.block, &pair.value()));
        }
        self.long_bytes(pair)
    }

    #[inline(never)]
    fn long_bytes(&self, pair: Span) -> (Cow<'a, [u8]>, Cow<'a, [u8]>) {
        let (name, value) = self.raw(pair).parts();
        (self.decoder().decode(name), self.decoder().decode(value))
    }

    #[inline(always)]
    fn utf8(&self, pair: Span) -> Result<(Cow<'a, str>, Cow<'a, str>), ParseError> {
        if pair.is_in_block()
            && !self.is_suspect(pair)
            && let Some(name) = block::text(&self.block, &pair.name())
            && let Some(value) = block::text(&self.block, &pair.value())
        {
            return Ok((name, value));
        }
        self.long_utf8(pair)
    }

    /// Does the same as [`utf8`](Self::utf8) for a pair that is longer than the block, isn't UTF-8, or needs a check of
    /// the options (see [`is_suspect`](Self::is_suspect)).
    #[inline(never)]
    fn long_utf8(&self, pair: Span) -> Result<(Cow<'a, str>, Cow<'a, str>), ParseError> {
        let text = |part, before| {
            if !self.options.reject.is_empty() {
                self.check_part(part, before)?;
            }
            let text = if self.options.strict {
                self.decoder().strict().decode_utf8(part)
            } else {
                self.decoder().decode_utf8(part)
            };
            text.map_err(|error| self.placed(error.shifted(before)))
        };
        let raw = self.raw(pair);
        let (name, value) = raw.parts();
        Ok((text(name, raw.offset)?, text(value, raw.value_offset())?))
    }
}

/// `part` is an undecoded name or value. Returns the first byte of the decoded text that is in `set`, and its offset in
/// `part`.
fn first_rejected(part: &[u8], set: ByteSet) -> Option<(usize, u8)> {
    if set.is_empty() {
        return None;
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut at = 0;
    while at < part.len() {
        let (byte, len) = match &part[at..] {
            [b'%', high, low, ..] => match (digit(high), digit(low)) {
                (Some(high), Some(low)) => ((high * 16 + low) as u8, 3),
                _ => (b'%', 1),
            },
            [b'+', ..] => (b' ', 1),
            rest => (rest[0], 1),
        };
        if set.contains(byte) {
            return Some((at, byte));
        }
        at += len;
    }
    None
}

/// Defines iterators over pairs. Each definition ends with an expression that takes the next item from `scanner`.
macro_rules! pairs {
    ($($(#[$doc:meta])* $name:ident: $item:ty = |$scanner:ident| $next:expr;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name<'a>(PairScanner<'a>);

            impl<'a> Iterator for $name<'a> {
                type Item = $item;

                #[inline(always)]
                fn next(&mut self) -> Option<$item> {
                    let $scanner = &mut self.0;
                    $next
                }

                fn size_hint(&self) -> (usize, Option<usize>) {
                    (0, Some(self.0.max_pairs_left()))
                }
            }

            impl FusedIterator for $name<'_> {}
        )+
    };
}

#[cfg(feature = "alloc")]
pairs! {
    /// An iterator over the pairs of a form as text. Bytes that aren't UTF-8 become U+FFFD. Created by [`parse()`] and
    /// [`Parser::parse`].
    Parse: (Cow<'a, str>, Cow<'a, str>) = |scanner| {
        let pair = scanner.next_pair()?;
        if let Some((name, value)) = scanner.borrowed_ascii(pair) {
            return Some((Cow::Borrowed(name), Cow::Borrowed(value)));
        }
        Some(scanner.lossy(pair))
    };
    /// An iterator over the pairs of a form as bytes. [`Parser::parse_bytes`] creates it.
    ParseBytes: (Cow<'a, [u8]>, Cow<'a, [u8]>) = |scanner| {
        let pair = scanner.next_pair()?;
        if let Some((name, value)) = scanner.borrowed_ascii(pair) {
            return Some((Cow::Borrowed(name.as_bytes()), Cow::Borrowed(value.as_bytes())));
        }
        Some(scanner.bytes(pair))
    };
    /// An iterator over the pairs of a form as text, or over errors. Created by [`Parser::parse_utf8`] and
    /// [`CheckedParser::parse_utf8`].
    ParseUtf8: Result<(Cow<'a, str>, Cow<'a, str>), ParseError> = |scanner| {
        let pair = match scanner.next_within_limit()? {
            Ok(pair) => pair,
            Err(error) => return Some(Err(error)),
        };
        if !scanner.is_suspect(pair) && let Some((name, value)) = scanner.borrowed_ascii(pair) {
            return Some(Ok((Cow::Borrowed(name), Cow::Borrowed(value))));
        }
        Some(scanner.utf8(pair))
    };
    /// An iterator over the pairs of a form as text, or over errors. Bytes that aren't UTF-8 become U+FFFD. Created by
    /// [`CheckedParser::parse`].
    CheckedParse: Result<(Cow<'a, str>, Cow<'a, str>), ParseError> =
        |scanner| Some(scanner.next_checked()?.map(|pair| scanner.lossy(pair)));
    /// An iterator over the pairs of a form as bytes, or over errors. Created by [`CheckedParser::parse_bytes`].
    CheckedParseBytes: Result<(Cow<'a, [u8]>, Cow<'a, [u8]>), ParseError> =
        |scanner| Some(scanner.next_checked()?.map(|pair| scanner.bytes(pair)));
}

pairs! {
    /// An iterator over the undecoded pairs of a form. [`Parser::parse_raw`] creates it.
    ParseRaw: Pair<'a> = |scanner| scanner.next_pair().map(|pair| scanner.raw(pair));
    /// An iterator over the undecoded pairs of a form, or over errors. Created by [`CheckedParser::parse_raw`].
    CheckedParseRaw: Result<Pair<'a>, ParseError> = |scanner| scanner.next_checked().map(|pair| Ok(scanner.raw(pair?)));
}

#[cfg(feature = "alloc")]
impl Parse<'_> {
    /// Returns the pairs as owned strings.
    pub fn into_owned(self) -> impl FusedIterator<Item = (String, String)> {
        self.map(|(name, value)| (memory::owned(name), memory::owned(value)))
    }
}
