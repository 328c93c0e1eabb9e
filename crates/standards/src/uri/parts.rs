//! Splits paths, queries and parameters into parts, so that each part can be decoded separately (RFC 3986 2.4, 7.3).

use core::iter::FusedIterator;

use memchr::{memchr, memrchr};

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use percent_simd::{CheckedDecoder, DecodeError, Decoder};

/// A part of a URI between two delimiters, not yet decoded.
///
/// If decoding doesn't change the part, the decoded part borrows from the URI. The offsets of errors count bytes from
/// the start of the text that was split.
///
/// # Examples
///
/// ```
/// use percent_simd::{ByteSet, Decoder};
/// use percent_standards::uri;
///
/// let part = uri::segments("/a/50%25%").nth(2).unwrap();
/// assert_eq!((part.raw(), part.offset()), ("50%25%", 3));
/// assert_eq!(part.decode(), &b"50%%"[..]); // lenient: a malformed % is kept
/// assert_eq!(part.decode_strict().unwrap_err().offset, 8);
///
/// // Reject an escaped slash.
/// const NAME: percent_simd::CheckedDecoder = Decoder::new().strict().reject(ByteSet::of(b"/\\\0"));
/// let part = uri::segments("/a%2F..").nth(1).unwrap();
/// assert_eq!(part.decode_with(&NAME).unwrap_err().offset, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part<'a> {
    raw: &'a str,
    offset: usize,
}

impl<'a> Part<'a> {
    pub(super) fn new(raw: &'a str, offset: usize) -> Part<'a> {
        Part { raw, offset }
    }

    /// Returns the part as it is written in the URI.
    #[must_use]
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Returns the offset of the part, in bytes of the text that was split.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }
}

#[cfg(feature = "alloc")]
impl<'a> Part<'a> {
    /// Returns the decoded bytes. A malformed `%` is kept.
    #[must_use]
    pub fn decode(&self) -> Cow<'a, [u8]> {
        LENIENT.decode(self.raw)
    }

    /// Returns the decoded text. A malformed `%` is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// let part = percent_standards::uri::segments("%C3%A9/100%/%FF").nth(2).unwrap();
    /// assert_eq!(part.decode_utf8().unwrap_err().offset, 12);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the decoded part isn't UTF-8.
    pub fn decode_utf8(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.placed(LENIENT.decode_utf8(self.raw))
    }

    /// Returns the decoded text. Each maximal part that isn't UTF-8 becomes U+FFFD. A malformed `%` is kept.
    #[must_use]
    pub fn decode_utf8_lossy(&self) -> Cow<'a, str> {
        LENIENT.decode_utf8_lossy(self.raw)
    }

    /// Returns the decoded bytes. A malformed `%` is an error.
    ///
    /// # Errors
    ///
    /// Returns an error for a `%` that starts no triplet, with its offset.
    pub fn decode_strict(&self) -> Result<Cow<'a, [u8]>, DecodeError> {
        self.placed(STRICT.decode(self.raw))
    }

    /// Returns the decoded text. A malformed `%` is an error, and so is a byte that isn't UTF-8.
    ///
    /// # Errors
    ///
    /// Returns an error for a `%` that starts no triplet, and for text that isn't UTF-8, with the offset.
    pub fn decode_utf8_strict(&self) -> Result<Cow<'a, str>, DecodeError> {
        self.placed(STRICT.decode_utf8(self.raw))
    }

    /// Decodes the part to bytes with `decoder`: a [`Decoder`], a [`CheckedDecoder`], or a reference to one.
    ///
    /// # Errors
    ///
    /// Returns the error of `decoder`.
    pub fn decode_with(&self, decoder: impl Into<CheckedDecoder>) -> Result<Cow<'a, [u8]>, DecodeError> {
        self.placed(decoder.into().decode(self.raw))
    }

    /// Decodes the part to text with `decoder`: a [`Decoder`], a [`CheckedDecoder`], or a reference to one.
    ///
    /// # Errors
    ///
    /// Returns the error of `decoder`. If the text isn't UTF-8, returns
    /// [`InvalidUtf8`](percent_simd::DecodeErrorKind::InvalidUtf8).
    pub fn decode_utf8_with(&self, decoder: impl Into<CheckedDecoder>) -> Result<Cow<'a, str>, DecodeError> {
        self.placed(decoder.into().decode_utf8(self.raw))
    }

    fn placed<T>(&self, result: Result<T, DecodeError>) -> Result<T, DecodeError> {
        result.map_err(|error| error.shifted(self.offset))
    }
}

#[cfg(feature = "alloc")]
static LENIENT: Decoder = Decoder::new();
#[cfg(feature = "alloc")]
static STRICT: CheckedDecoder = Decoder::new().strict();

/// An iterator over the segments of a path. Created by [`segments`].
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    /// The text that isn't split yet. `offset` is its offset. At the end of the iteration, this is `None`.
    rest: Option<&'a str>,
    offset: usize,
}

/// Splits a path at its slashes (RFC 3986 3.3).
///
/// The text before the first slash is also a segment. In an absolute path, this segment is empty. So if you join the
/// segments with slashes, you get the path again. You can iterate from both ends.
///
/// # Examples
///
/// ```
/// use percent_standards::uri;
///
/// let segments = |path| uri::segments(path).map(|part| part.decode_utf8_lossy()).collect::<Vec<_>>();
/// assert_eq!(segments("/a%2Fb/c%3Fd"), ["", "a/b", "c?d"]);
/// assert_eq!(segments("a/"), ["a", ""]);
/// assert_eq!(segments(""), [""]);
/// ```
#[must_use]
pub fn segments(path: &str) -> Segments<'_> {
    segments_at(path, 0)
}

pub(super) fn segments_at(path: &str, offset: usize) -> Segments<'_> {
    Segments { rest: Some(path), offset }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let (rest, offset) = (self.rest?, self.offset);
        let Some(at) = memchr(b'/', rest.as_bytes()) else {
            self.rest = None;
            return Some(Part { raw: rest, offset });
        };
        self.rest = Some(&rest[at + 1..]);
        self.offset += at + 1;
        Some(Part { raw: &rest[..at], offset })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(self.rest.is_some()), self.rest.map(|rest| rest.len() + 1).or(Some(0)))
    }
}

impl<'a> DoubleEndedIterator for Segments<'a> {
    fn next_back(&mut self) -> Option<Part<'a>> {
        let rest = self.rest?;
        let Some(at) = memrchr(b'/', rest.as_bytes()) else {
            self.rest = None;
            return Some(Part { raw: rest, offset: self.offset });
        };
        self.rest = Some(&rest[..at]);
        Some(Part { raw: &rest[at + 1..], offset: self.offset + at + 1 })
    }
}

impl FusedIterator for Segments<'_> {}

/// A name with an optional value: a parameter of a segment (RFC 3986 3.3), or a pair of a query (3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter<'a> {
    /// The text before the first `=`.
    pub name: Part<'a>,
    /// The text after the first `=`. If there is no `=`, this is `None`, which isn't the same as an empty value.
    pub value: Option<Part<'a>>,
}

/// An iterator over names with values. Created by [`query_pairs`] and [`parameters`].
#[derive(Clone, Debug)]
pub struct Parameters<'a> {
    rest: &'a str,
    separator: u8,
    offset: usize,
}

/// Splits a query, without its `?`, at each `&`. Then splits each pair at its first `=` (RFC 3986 3.4).
///
/// Between two adjacent `&`, there is no pair. A `+` stays a `+`, as in all parts of a URI. To read the query of an
/// HTML form, use the module `form`.
///
/// # Examples
///
/// ```
/// use percent_standards::uri;
///
/// let pairs: Vec<_> = uri::query_pairs("a%26b=c%3Dd&&e=f+g=h&i")
///     .map(|pair| (pair.name.decode_utf8_lossy(), pair.value.map(|value| value.decode_utf8_lossy())))
///     .collect();
/// assert_eq!(pairs, [
///     ("a&b".into(), Some("c=d".into())),
///     ("e".into(), Some("f+g=h".into())),
///     ("i".into(), None),
/// ]);
/// ```
#[must_use]
pub fn query_pairs(query: &str) -> Parameters<'_> {
    pairs_at(query, b'&', 0)
}

pub(super) fn pairs_at(rest: &str, separator: u8, offset: usize) -> Parameters<'_> {
    Parameters { rest, separator, offset }
}

/// Splits a segment of a path into its name and its parameters `;name=value` (RFC 3986 3.3, RFC 2396 3.3).
///
/// Offsets count from the start of the segment.
///
/// # Examples
///
/// ```
/// use percent_standards::uri;
///
/// let (name, mut parameters) = uri::parameters("photo%3B1;v=1.1;draft");
/// assert_eq!(name.decode_utf8_lossy(), "photo;1");
/// let version = parameters.next().unwrap();
/// assert_eq!((version.name.raw(), version.value.unwrap().raw()), ("v", "1.1"));
/// assert_eq!(parameters.next().unwrap().value, None);
/// ```
#[must_use]
pub fn parameters(segment: &str) -> (Part<'_>, Parameters<'_>) {
    let at = memchr(b';', segment.as_bytes()).unwrap_or(segment.len());
    let (name, rest) = segment.split_at(at);
    (Part { raw: name, offset: 0 }, pairs_at(rest, b';', at))
}

impl<'a> Iterator for Parameters<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Parameter<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let (pair, offset) = match memchr(self.separator, self.rest.as_bytes()) {
                Some(at) => (&self.rest[..at], at + 1),
                None => (self.rest, self.rest.len()),
            };
            let start = self.offset;
            self.rest = &self.rest[offset..];
            self.offset += offset;
            if !pair.is_empty() {
                return Some(Parameter::split(pair, start));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.rest.len().div_ceil(2)))
    }
}

impl FusedIterator for Parameters<'_> {}

impl<'a> Parameter<'a> {
    fn split(pair: &'a str, offset: usize) -> Parameter<'a> {
        match memchr(b'=', pair.as_bytes()) {
            Some(at) => Parameter {
                name: Part { raw: &pair[..at], offset },
                value: Some(Part { raw: &pair[at + 1..], offset: offset + at + 1 }),
            },
            None => Parameter { name: Part { raw: pair, offset }, value: None },
        }
    }
}
