//! Writes a query in one canonical form, so that equal queries become equal text. Signatures and keys of caches need
//! this.
//!
//! # The idea
//!
//! A list holds the start of each pair, and we sort this list. For sorting, no decoded text is stored: [`Key`] yields
//! the decoded bytes of a name or a value one by one, and a comparison stops at the first difference. So a comparison
//! of two pairs never reads more of each than the length of the shorter pair. Sorting takes `n log n` time, if `n` is
//! the length of the query.
//!
//! Two kinds of text are compared:
//!
//! - Signatures sort the *encoded* text. A `%` is smaller than every unreserved character, and the digits of triplets
//!   have the same order as the bytes. So every byte that is encoded comes before every byte that isn't. Within each of
//!   the two groups, bytes are compared by their values.
//! - `URLSearchParams.sort()` compares code units of UTF-16. They have the same order as the characters, with one
//!   exception: the characters from U+E000 to U+FFFF come after the characters above U+FFFF, which are surrogates in
//!   UTF-16. Before that, bytes that aren't UTF-8 have become U+FFFD, so two names of different bytes can be equal.

use core::cmp::Ordering;
use core::iter;

use memchr::{memchr, memchr_iter};
use percent_simd::{AsBytes, Encoder, OutputTooSmall, internal::triplet, presets, sets};

use crate::utf8::{NotUtf8, Utf8};

#[cfg(feature = "alloc")]
use super::pieces::into_text;
#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// Encodes all bytes that aren't unreserved.
static ENCODER: Encoder = presets::AWS_SIGV4;

/// The order of the pairs in a canonical query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueryOrder {
    /// The pairs keep their order.
    Kept,
    /// The pairs are sorted by the decoded name, in the order of UTF-16 code units. Pairs with equal names keep their
    /// order. This is the order of
    /// [`URLSearchParams.sort()`](https://url.spec.whatwg.org/#dom-urlsearchparams-sort): bytes that aren't UTF-8 count
    /// as U+FFFD.
    Name,
    /// The pairs are sorted by the encoded name, and then by the encoded value, byte by byte. This is the order of
    /// signatures ([RFC 5849 3.4.1.3.2](https://www.rfc-editor.org/rfc/rfc5849#section-3.4.1.3.2)).
    NameAndValue,
}

/// Writes queries in a canonical form. Sorts the pairs, drops some of them, and encodes the others in one way.
///
/// | you need | start with | pairs | `+` is | written |
/// | --- | --- | --- | --- | --- |
/// | AWS Signature Version 4, V4 signatures of Google Cloud Storage | [`sigv4`](Self::sigv4) | by name, then value | a plus sign | encoded, always with `=` |
/// | OAuth 1.0 | [`oauth1`](Self::oauth1) | by name, then value | a space | encoded, always with `=` |
/// | a key of a cache | [`cache_key`](Self::cache_key) | by name | a space | as they are |
/// | the same query without some pairs | [`as_written`](Self::as_written) | as they are | a space | as they are |
///
/// "Encoded" means that only unreserved characters stay, and that all other bytes are triplets in upper case (the set
/// [`presets::AWS_SIGV4`]). The result doesn't depend on how the input was encoded. A `%` that starts no triplet
/// becomes `%25`. "As they are" means that no byte of a pair changes.
///
/// `&` separates pairs, and the first `=` of a pair ends its name. Empty pairs, as in `a&&b`, are removed. Only
/// [`as_written`](Self::as_written) keeps them.
///
/// Pass the query without its `?`. For a whole reference, call [`canonicalize_uri`](Self::canonicalize_uri).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::CanonicalQuery;
///
/// const SIGNED: CanonicalQuery = CanonicalQuery::sigv4().drop_names(&["X-Amz-Signature"]);
/// assert_eq!(SIGNED.canonicalize("b=1+2&a=%2b&c&X-Amz-Signature=0f"), "a=%2B&b=1%2B2&c=");
///
/// const KEY: CanonicalQuery = CanonicalQuery::cache_key().drop_names(&["utm_*", "fbclid"]);
/// assert_eq!(KEY.canonicalize("utm_source=email&id=42&a=1+2"), "a=1+2&id=42");
/// ```
///
/// `examples/signatures.rs` shows whole requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CanonicalQuery<'d> {
    order: QueryOrder,
    encodes: bool,
    /// True if a `+` means a space.
    plus: bool,
    dropped: &'d [&'d str],
}

impl<'d> CanonicalQuery<'d> {
    const fn new(order: QueryOrder, encodes: bool, plus: bool) -> CanonicalQuery<'d> {
        CanonicalQuery { order, encodes, plus, dropped: &[] }
    }

    /// Builds the canonical query of [AWS Signature Version
    /// 4](https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html#create-canonical-request),
    /// step 1. Google Cloud Storage also calls it canonical query string.
    ///
    /// If a request has its signature in the query, drop `X-Amz-Signature` (or `X-Goog-Signature`) before you check the
    /// request.
    #[must_use]
    pub const fn sigv4() -> CanonicalQuery<'d> {
        CanonicalQuery::new(QueryOrder::NameAndValue, true, false)
    }

    /// Builds the normalized parameters of OAuth 1.0
    /// ([RFC 5849 3.4.1.3](https://www.rfc-editor.org/rfc/rfc5849#section-3.4.1.3)).
    ///
    /// The parameters come from three sources: the query, the field `Authorization`, and a body that is a form. Join
    /// them with `&` first. Drop `oauth_signature` and `realm`. In the base string, the result must be encoded once
    /// more: use [`presets::OAUTH1`].
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::CanonicalQuery;
    ///
    /// let (query, body) = ("b5=%3D%253D&a3=a&c%40=&a2=r%20b", "c2&a3=2+q");
    /// let parameters = format!("{query}&{body}");
    /// assert_eq!(
    ///     CanonicalQuery::oauth1().canonicalize(&parameters),
    ///     "a2=r%20b&a3=2%20q&a3=a&b5=%3D%253D&c%40=&c2=",
    /// );
    /// ```
    #[must_use]
    pub const fn oauth1() -> CanonicalQuery<'d> {
        CanonicalQuery::new(QueryOrder::NameAndValue, true, true)
    }

    /// Builds a key of a cache: sorts the pairs by name, and changes no pair. Pairs with equal names keep their order,
    /// because this order may have a meaning.
    ///
    /// For some servers, the answer also depends on the order of pairs with different names. Don't use the key for
    /// these servers.
    #[must_use]
    pub const fn cache_key() -> CanonicalQuery<'d> {
        CanonicalQuery::new(QueryOrder::Name, false, true)
    }

    /// Leaves the query as it is. Use this with [`drop_names`](Self::drop_names). For example, CloudFront signs a URL
    /// as it is written, and you can remove the parameters of the signature from this URL.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::CanonicalQuery;
    ///
    /// const UNSIGNED: CanonicalQuery =
    ///     CanonicalQuery::as_written().drop_names(&["Expires", "Signature", "Key-Pair-Id", "Policy"]);
    /// assert_eq!(UNSIGNED.canonicalize("size=%6d&&a=1&Expires=9&Signature=x~&Key-Pair-Id=K"), "size=%6d&&a=1");
    /// ```
    #[must_use]
    pub const fn as_written() -> CanonicalQuery<'d> {
        CanonicalQuery::new(QueryOrder::Kept, false, true)
    }

    /// Sorts the pairs by `order`.
    #[must_use]
    pub const fn order(mut self, order: QueryOrder) -> CanonicalQuery<'d> {
        self.order = order;
        self
    }

    /// Drops the pairs with these names. If you call this again, the new names replace the earlier ones.
    ///
    /// Names are compared after decoding, and their case matters. A `*` at the end of a name matches any text: `utm_*`
    /// drops every name that begins with `utm_`.
    #[must_use]
    pub const fn drop_names(mut self, names: &'d [&'d str]) -> CanonicalQuery<'d> {
        self.dropped = names;
        self
    }

    /// Returns the canonical form of `query`. If `query` is already canonical, borrows it.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn canonicalize<'q>(&self, query: &'q str) -> Cow<'q, str> {
        let bytes = query.as_bytes();
        if self.is_canonical(query) {
            return Cow::Borrowed(query);
        }
        let mut starts = memory::vec(self.kept(bytes).count());
        starts.extend(self.kept(bytes));
        if self.order != QueryOrder::Kept {
            starts.sort_unstable_by(|&a, &b| self.compare(bytes, a, b));
        }
        let mut text = memory::vec(self.len(bytes));
        self.write(bytes, starts.into_iter(), |piece| text.extend_from_slice(piece));
        Cow::Owned(into_text(text))
    }

    /// Returns `uri` with a canonical query. If no pair is left, the `?` is removed too.
    ///
    /// `uri` can be any reference, or the target of a request. The other components stay as they are. Borrows if there
    /// is no query, or if the query is already canonical.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::CanonicalQuery;
    ///
    /// const KEY: CanonicalQuery = CanonicalQuery::cache_key().drop_names(&["utm_*"]);
    /// assert_eq!(KEY.canonicalize_uri("http://h/?b&a#utm_x"), "http://h/?a&b#utm_x");
    /// assert_eq!(KEY.canonicalize_uri("/page?utm_source=x"), "/page");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn canonicalize_uri<'u>(&self, uri: &'u str) -> Cow<'u, str> {
        let end = memchr(b'#', uri.as_bytes()).unwrap_or(uri.len());
        let Some(mark) = memchr(b'?', &uri.as_bytes()[..end]) else { return Cow::Borrowed(uri) };
        match self.canonicalize(&uri[mark + 1..end]) {
            Cow::Borrowed(_) => Cow::Borrowed(uri),
            Cow::Owned(query) if query.is_empty() => Cow::Owned(memory::concat(&[&uri[..mark], &uri[end..]])),
            Cow::Owned(query) => Cow::Owned(memory::concat(&[&uri[..=mark], &query, &uri[end..]])),
        }
    }

    /// Writes the canonical form of `query` to the start of `out`, and returns it. Doesn't allocate. `query` may
    /// contain any bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::CanonicalQuery;
    ///
    /// let mut out = [0; 64];
    /// assert_eq!(CanonicalQuery::sigv4().canonicalize_slice(b"b=\xFF&a", &mut out)?, b"a=&b=%FF");
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too small, returns an error. If the pairs have to be sorted, `out` also needs 8 bytes for each pair,
    /// after the result. After an error, the contents of `out` are unspecified.
    pub fn canonicalize_slice<'o, I: AsBytes + ?Sized>(
        &self,
        query: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let query = query.as_bytes();
        let len = self.len(query);
        let is_sorted = self.order == QueryOrder::Kept || self.is_sorted(query);
        let pairs = if is_sorted { 0 } else { self.kept(query).count() };
        let needed = len.saturating_add(pairs.saturating_mul(8));
        if out.len() < needed {
            return Err(OutputTooSmall::new(needed));
        }
        let (text, memory) = out.split_at_mut(len);
        let mut written = 0;
        let write = |piece: &[u8]| {
            text[written..written + piece.len()].copy_from_slice(piece);
            written += piece.len();
        };
        if is_sorted {
            self.write(query, self.kept(query), write);
        } else {
            let starts = &mut memory.as_chunks_mut::<8>().0[..pairs];
            for (slot, start) in starts.iter_mut().zip(self.kept(query)) {
                *slot = (start as u64).to_ne_bytes();
            }
            let start = |slot: &[u8; 8]| u64::from_ne_bytes(*slot) as usize;
            starts.sort_unstable_by(|a, b| self.compare(query, start(a), start(b)));
            self.write(query, starts.iter().map(start), write);
        }
        Ok(text)
    }

    /// Returns true if `query` is in the canonical form.
    #[must_use]
    pub fn is_canonical<I: AsBytes + ?Sized>(&self, query: &I) -> bool {
        let query = query.as_bytes();
        let mut rest = Some(query);
        self.write(query, self.kept(query), |piece| rest = rest.and_then(|rest| rest.strip_prefix(piece)));
        rest == Some(&[]) && (self.order == QueryOrder::Kept || self.is_sorted(query))
    }

    fn is_sorted(&self, query: &[u8]) -> bool {
        self.kept(query).is_sorted_by(|&a, &b| self.compare(query, a, b) != Ordering::Greater)
    }

    /// Returns the start of each pair that we don't drop.
    fn kept(&self, query: &[u8]) -> impl Iterator<Item = usize> {
        let keeps_empty = self.order == QueryOrder::Kept && !self.encodes;
        let starts = iter::once(0).chain(memchr_iter(b'&', query).map(|at| at + 1));
        starts.filter(move |&start| {
            let is_empty = matches!(query.get(start), None | Some(b'&'));
            if is_empty { keeps_empty } else { !self.is_dropped(query, start) }
        })
    }

    /// Returns true if `dropped` has the name of the pair at `start`.
    fn is_dropped(&self, query: &[u8], start: usize) -> bool {
        self.dropped.iter().any(|dropped| {
            let mut name = self.name(query, start);
            let (text, is_prefix) = dropped.strip_suffix('*').map_or((*dropped, false), |text| (text, true));
            text.bytes().all(|byte| name.next() == Some(byte)) && (is_prefix || name.next().is_none())
        })
    }

    /// Compares two pairs by the order of this query. If the pairs are equal, the pair that comes first in the query is
    /// smaller.
    fn compare(&self, query: &[u8], a: usize, b: usize) -> Ordering {
        let (mut left, mut right) = (self.name(query, a), self.name(query, b));
        let order = if self.order == QueryOrder::NameAndValue {
            let rank = |byte| (sets::RFC3986_UNRESERVED.contains(byte), byte);
            let names = left.by_ref().map(rank).cmp(right.by_ref().map(rank));
            names.then_with(|| left.into_value().map(rank).cmp(right.into_value().map(rank)))
        } else {
            // In UTF-16, the characters from U+E000 to U+FFFF come last.
            let rank = |character| (matches!(character, '\u{E000}'..='\u{FFFF}'), character);
            let (left, right) = (|| left.next_character().map(rank), || right.next_character().map(rank));
            iter::from_fn(left).cmp(iter::from_fn(right))
        };
        order.then(a.cmp(&b))
    }

    /// Returns the decoded bytes of the name of the pair at `start`.
    fn name<'q>(&self, query: &'q [u8], start: usize) -> Key<'q> {
        Key { query, at: start, ends_at_equals: true, plus: self.plus }
    }

    /// Returns the length of the canonical form. This length doesn't depend on the order of the pairs.
    fn len(&self, query: &[u8]) -> usize {
        let mut len = 0_usize;
        self.write(query, self.kept(query), |piece| len = len.saturating_add(piece.len()));
        len
    }

    /// Writes the pairs at `starts` piece by piece.
    fn write(&self, query: &[u8], starts: impl Iterator<Item = usize>, mut out: impl FnMut(&[u8])) {
        for (number, start) in starts.enumerate() {
            if number > 0 {
                out(b"&");
            }
            if !self.encodes {
                let pair = &query[start..];
                out(&pair[..memchr(b'&', pair).unwrap_or(pair.len())]);
                continue;
            }
            let mut name = self.name(query, start);
            name.encode(&mut out);
            out(b"=");
            name.into_value().encode(&mut out);
        }
    }
}

/// An iterator over the decoded bytes of a name or a value. A name ends at `&` or `=`, and a value at `&`.
#[derive(Clone)]
struct Key<'q> {
    query: &'q [u8],
    at: usize,
    ends_at_equals: bool,
    plus: bool,
}

impl Key<'_> {
    /// Returns the value of the pair. Before you call this, read the name to its end.
    fn into_value(mut self) -> Self {
        if self.ends_at_equals {
            self.at += usize::from(self.query.get(self.at) == Some(&b'='));
            self.ends_at_equals = false;
        }
        self
    }

    /// Returns the next character of the decoded text. For bytes that aren't UTF-8, returns U+FFFD as browsers do: once
    /// for each incomplete character, and once for each other invalid byte.
    #[inline]
    fn next_character(&mut self) -> Option<char> {
        let first = self.next()?;
        Some(if first.is_ascii() { char::from(first) } else { self.character_from(first) })
    }

    /// Returns the character that begins with the byte `first`, and reads its other bytes.
    fn character_from(&mut self, first: u8) -> char {
        let mut utf8 = Utf8::default();
        let mut pushed = utf8.push(first);
        while pushed == Ok(None) {
            let mut after = self.clone();
            pushed = after.next().map_or(Err(NotUtf8), |byte| utf8.push(byte));
            if pushed.is_ok() {
                *self = after;
            }
        }
        pushed.ok().flatten().unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Reads to the end of the name or value, and passes the encoded text to `out` piece by piece.
    fn encode(&mut self, out: &mut impl FnMut(&[u8])) {
        loop {
            let rest = &self.query[self.at..];
            let run = rest.iter().position(|&byte| !sets::RFC3986_UNRESERVED.contains(byte)).unwrap_or(rest.len());
            if run > 0 {
                out(&rest[..run]);
                self.at += run;
            }
            match self.next() {
                Some(byte) if sets::RFC3986_UNRESERVED.contains(byte) => out(&[byte]),
                Some(byte) => out(ENCODER.triplet(byte).as_bytes()),
                None => return,
            }
        }
    }
}

impl Iterator for Key<'_> {
    type Item = u8;

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = match *self.query.get(self.at)? {
            b'&' => return None,
            b'=' if self.ends_at_equals => return None,
            b'+' if self.plus => b' ',
            b'%' => match triplet(self.query, self.at) {
                Some(byte) => {
                    self.at += 2;
                    byte
                }
                None => b'%',
            },
            byte => byte,
        };
        self.at += 1;
        Some(byte)
    }
}
