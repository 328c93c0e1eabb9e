//! Reads lists of `name=value` in a field. The values are percent-encoded.

use core::iter::FusedIterator;

use percent_simd::{DecodeError, Decoder};

use super::text;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// Returns the pairs of a list like `a=1,b=2`. `delimiter` separates the pairs.
///
/// Use it for a list that has percent-encoded values, and no call of its own in this module. Examples are the variable
/// `OTEL_EXPORTER_OTLP_HEADERS` of [OpenTelemetry](https://opentelemetry.io/docs/specs/otel/protocol/exporter/) with
/// `,` and the field `Cookie` with `;`. For the field `baggage`, use [`baggage::parse`](super::baggage::parse), which
/// also checks the grammar.
///
/// - The list is split first, so `%2C` is data.
/// - The first `=` ends the name. An element without `=` has no value.
/// - Spaces and tabs around names, values and elements are removed. Empty elements are skipped ([RFC 9110
///   5.6.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1.2)).
/// - Names aren't decoded: in a field, a name is a token, and in tokens `%` is an ordinary character.
/// - Quotes have no meaning.
///
/// # Examples
///
/// ```
/// use percent_standards::http;
///
/// let mut pairs = http::pairs("Authorization=Basic%20dXNl, k%65y=a%2Cb+c%3D", b',');
/// let first = pairs.next().unwrap();
/// assert_eq!((first.name, first.decode_value()?), ("Authorization", "Basic dXNl".into()));
/// let second = pairs.next().unwrap();
/// assert_eq!((second.name, second.decode_value()?), ("k%65y", "a,b+c=".into()));
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[must_use]
pub fn pairs(list: &str, delimiter: u8) -> Pairs<'_> {
    Pairs { list, delimiter, at: 0 }
}

/// An iterator over the pairs of a list. [`pairs`] creates it.
#[derive(Clone, Debug)]
pub struct Pairs<'a> {
    list: &'a str,
    delimiter: u8,
    /// The offset of the next element.
    at: usize,
}

/// An undecoded pair of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ListPair<'a> {
    /// The text before the first `=`.
    pub name: &'a str,
    /// The text after the first `=`, if there is one.
    pub value: Option<&'a str>,
    /// The offset of the name in the list, in bytes.
    pub offset: usize,
    /// The offset of the value. If there is no value, this is the offset of the end of the name.
    pub value_offset: usize,
}

#[cfg(feature = "alloc")]
impl<'a> ListPair<'a> {
    /// Returns the decoded value. A missing value is empty. A `+` stays, and so does a `%` that starts no triplet.
    ///
    /// # Errors
    ///
    /// If the value isn't UTF-8, returns an error with the offset in the list.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn decode_value(&self) -> Result<Cow<'a, str>, DecodeError> {
        let value = Decoder::new().decode_utf8(self.value.unwrap_or_default());
        value.map_err(|error| error.shifted(self.value_offset))
    }
}

impl<'a> Iterator for Pairs<'a> {
    type Item = ListPair<'a>;

    fn next(&mut self) -> Option<ListPair<'a>> {
        loop {
            let rest = self.list.get(self.at..)?;
            let end = memchr::memchr(self.delimiter, rest.as_bytes()).unwrap_or(rest.len());
            let start = self.at;
            // If the delimiter is a byte above ASCII and would split a character, `get` returns `None`, and the
            // iteration ends.
            let element = rest.get(..end)?;
            self.at = start + end + 1;
            let (name, after) = match element.split_once('=') {
                Some((name, value)) => (name, Some((value, start + name.len() + 1))),
                None => (element, None),
            };
            let (name, offset) = text::trimmed(name, start);
            let value = after.map(|(value, at)| text::trimmed(value, at));
            if !name.is_empty() || value.is_some() {
                let value_offset = value.map_or(offset + name.len(), |(_, at)| at);
                return Some(ListPair { name, value: value.map(|(value, _)| value), offset, value_offset });
            }
        }
    }
}

impl FusedIterator for Pairs<'_> {}
