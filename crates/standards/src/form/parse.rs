//! Defines the parsers of forms, and the iterators over pairs.

use core::iter::FusedIterator;

use percent_simd::{AsBytes, ByteSet, Engine};

use super::ParseError;
use super::scan::{Pair, PairScanner, ParseOptions};
#[cfg(feature = "serde")]
use super::serde::{Config, Duplicates};

#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};

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
            /// Unlike [`Decoder::reject`](percent_simd::Decoder::reject), this doesn't make the parser strict. If you call
            /// it several times, the bytes of all sets are rejected.
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
