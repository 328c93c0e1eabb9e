//! A list of decoded pairs, which can be sorted.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::cmp::Ordering;
use core::fmt;

use percent_simd::AsBytes;

use super::{display, parse, serialize};
use crate::memory;

/// A name and a value.
type Text<'a> = (Cow<'a, str>, Cow<'a, str>);

/// A list of decoded pairs, like the object `URLSearchParams` of JavaScript.
///
/// # Examples
///
/// ```
/// use percent_standards::form::Pairs;
///
/// let pairs = Pairs::parse("z=b&a=b&z=a&a=a").sorted();
/// assert_eq!(pairs.serialize(), "a=b&a=a&z=b&z=a");
/// assert_eq!(pairs.as_slice()[0], ("a".into(), "b".into()));
/// ```
///
/// To sort a query without changing how its pairs are written, use
/// [`CanonicalQuery`](https://docs.rs/percent-standards/latest/percent_standards/uri/struct.CanonicalQuery.html).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pairs<'a>(Vec<Text<'a>>);

impl<'a> Pairs<'a> {
    /// Returns the pairs of a form, decoded as [`parse`](super::parse()) decodes them.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn parse<I: AsBytes + ?Sized>(input: &'a I) -> Pairs<'a> {
        parse(input).collect()
    }

    /// Sorts the pairs by name, in the order of their UTF-16 code units
    /// ([`URLSearchParams.sort()`](https://url.spec.whatwg.org/#dom-urlsearchparams-sort)). Pairs with equal names keep
    /// their order.
    ///
    /// This order can differ from the order of `str`. It differs if at some place, one name has a character above
    /// U+FFFF and the other name has a character from U+E000 to U+FFFF.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::form::Pairs;
    ///
    /// // The cases of the standard's tests.
    /// assert_eq!(Pairs::parse("\u{FFFD}=1&\u{FFFC}&a=2").sorted().serialize(), "a=2&%EF%BF%BC=&%EF%BF%BD=1");
    /// assert_eq!(Pairs::parse("ﬃ&🌈").sorted().serialize(), "%F0%9F%8C%88=&%EF%AC%83=");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn sorted(mut self) -> Pairs<'a> {
        // A stable sort of the standard library allocates, and ends the process if memory runs out. So we sort indices
        // with an unstable sort, which doesn't allocate, and compare the indices of equal names.
        let pairs = &mut self.0;
        let mut order = memory::collect(0..pairs.len());
        order.sort_unstable_by(|&a: &usize, &b| compare_utf16(&pairs[a].0, &pairs[b].0).then(a.cmp(&b)));
        for first in 0..order.len() {
            // The pair at `order[at]` must move to `at`, the pair at `order[order[at]]` to `order[at]`, and so on. We
            // follow these moves until they come back to `first`.
            let mut at = first;
            while order[at] != first {
                let from = order[at];
                pairs.swap(at, from);
                order[at] = at;
                at = from;
            }
            order[at] = at;
        }
        self
    }

    /// Returns the pairs.
    #[must_use]
    pub fn as_slice(&self) -> &[(Cow<'a, str>, Cow<'a, str>)] {
        &self.0
    }

    /// Returns the pairs as a form, as [`serialize`](super::serialize()) writes it. `Display` writes the same text.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn serialize(&self) -> String {
        serialize(&self.0)
    }
}

/// Compares two texts by their code units in UTF-16.
///
/// The bytes of UTF-8 have the same order, with one exception. The characters from U+E000 to U+FFFF begin with 0xEE or
/// 0xEF, so in UTF-8 they come before the characters above U+FFFF, which begin with 0xF0 to 0xF4. In UTF-16, the order
/// is the other way round, because the characters above U+FFFF are surrogates, and surrogates are smaller than U+E000.
fn compare_utf16(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let rank = |byte: u8| u16::from(byte) + if matches!(byte, 0xEE | 0xEF) { 0x100 } else { 0 };
    match a.iter().zip(b).find(|(a, b)| a != b) {
        Some((&a, &b)) => rank(a).cmp(&rank(b)),
        None => a.len().cmp(&b.len()),
    }
}

impl<'a> FromIterator<(Cow<'a, str>, Cow<'a, str>)> for Pairs<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>>(pairs: I) -> Pairs<'a> {
        let mut list = Vec::new();
        pairs.into_iter().for_each(|pair| memory::push(&mut list, pair));
        Pairs(list)
    }
}

impl<'a> IntoIterator for Pairs<'a> {
    type Item = (Cow<'a, str>, Cow<'a, str>);
    type IntoIter = alloc::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for Pairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        display(&self.0).fmt(f)
    }
}
