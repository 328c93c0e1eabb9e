//! Splits the path and query of a request as a CGI gateway does ([RFC 3875](https://www.rfc-editor.org/rfc/rfc3875)).
//!
//! ```
//! use percent_standards::form::cgi;
//!
//! let (path, query) = cgi::split("/cgi-bin/search/a%3Bb?red+green%2Bblue");
//! assert_eq!(query, "red+green%2Bblue"); // QUERY_STRING is passed on as it is
//! # #[cfg(feature = "alloc")] {
//! assert_eq!(cgi::PATH_INFO.decode(&path["/cgi-bin/search".len()..]), &b"/a;b"[..]);
//! let words = cgi::arguments(query, cgi::Words::Strict).unwrap();
//! assert_eq!(words, [&b"red"[..], b"green+blue"]);
//! # }
//! ```

#[cfg(feature = "alloc")]
use crate::memory;
use percent_simd::{AsBytes, ByteSet, CheckedDecoder, Decoder, Encoder, sets};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};

/// Decodes the end of a request's path to `PATH_INFO`, which is "not URL-encoded" (RFC 3875 4.1.5).
///
/// A malformed escape stays as it is. The result doesn't show which `/` was escaped. If you need to know, use
/// [`PATH_INFO_STRICT`].
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi;
/// assert_eq!(cgi::PATH_INFO.decode_utf8("/this%2eis%2epath%3binfo")?, "/this.is.path;info");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
pub const PATH_INFO: Decoder = Decoder::new();

/// Decodes the end of a request's path to `PATH_INFO`. Fails if the result would lose information.
///
/// It fails at:
/// - `%2F`, which RFC 3875 4.1.5 allows a server to reject;
/// - `%00`, because no environment variable can hold a NUL;
/// - a malformed escape.
///
/// # Examples
///
/// ```
/// use percent_simd::DecodeErrorKind;
/// use percent_standards::form::cgi;
/// let error = cgi::PATH_INFO_STRICT.check("/a%2Fb").unwrap_err();
/// assert_eq!((error.offset, error.kind), (2, DecodeErrorKind::Rejected(b'/')));
/// ```
pub const PATH_INFO_STRICT: CheckedDecoder = Decoder::new().strict().reject(ByteSet::of(b"/\0"));

/// Encodes a `PATH_INFO` as a part of `PATH_TRANSLATED`, or of the URI of a script (RFC 3875 3.3, 4.1.6).
///
/// `;`, `=` and `?` are reserved in these two places, and become triplets. The other reserved characters of RFC 3875
/// 2.3 must stay as they are.
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi;
/// let mut buffer = [0; 64];
/// let path = cgi::EXTRA_PATH.encode_slice("/this.is.the.path;info", &mut buffer);
/// assert_eq!(path, Ok("/this.is.the.path%3Binfo"));
/// ```
pub const EXTRA_PATH: Encoder = Encoder::new(sets::RFC3875_EXTRA_PATH);

/// Splits a request's target at the first `?` into its path and its query. A missing part is empty.
///
/// The query isn't decoded, because the server passes it on encoded, as `QUERY_STRING` (RFC 3875 4.1.7). If the query
/// is a form, read it with [`form::parse`](super::parse()), which splits before it decodes, as RFC 3875 2.3 asks.
#[must_use]
pub fn split(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// Returns true if a query is indexed: a list of words that has no unencoded `=` (RFC 3875 4.4).
///
/// Only the query of a GET or HEAD request can be indexed.
#[must_use]
pub fn is_indexed<Q: AsBytes + ?Sized>(query: &Q) -> bool {
    memchr::memchr(b'=', query.as_bytes()).is_none()
}

/// The kind of words that [`arguments`] accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Words {
    /// Only words that aren't empty and have no malformed escape, as in the grammar of RFC 3875 4.4. If the query has
    /// any other word, [`arguments`] returns `None`.
    Strict,
    /// All words. An empty word, as in `a++b`, is an empty argument. A malformed escape stays as it is.
    Lenient,
}

/// Returns the command line of an indexed query: its words, split at `+` and decoded (RFC 3875 4.4, 7.2).
///
/// An empty query has no words. In these cases the program must get no command line, so the result is `None`:
/// - the query is not [indexed](is_indexed);
/// - a word contains a NUL, escaped or not;
/// - with [`Words::Strict`], a word is empty or has a malformed escape.
///
/// Check the words yourself if a shell or a program gives them a special meaning: `-x` is an option, and `*` is
/// a pattern.
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi::{Words, arguments};
///
/// assert_eq!(arguments("a+b%20c", Words::Strict).unwrap(), [&b"a"[..], b"b c"]);
/// assert_eq!(arguments("a=b+c", Words::Strict), None);
/// assert_eq!(arguments("a++b", Words::Strict), None);
/// assert_eq!(arguments("a++b", Words::Lenient).unwrap(), [&b"a"[..], b"", b"b"]);
/// assert_eq!(arguments("a+%00", Words::Lenient), None);
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn arguments<Q: AsBytes + ?Sized>(query: &Q, words: Words) -> Option<Vec<Cow<'_, [u8]>>> {
    let query = query.as_bytes();
    if query.is_empty() {
        return Some(Vec::new());
    }
    if !is_indexed(query) || memchr::memchr(0, query).is_some() {
        return None;
    }
    let decoder = Decoder::new().reject(ByteSet::of(b"\0"));
    let decoder = if words == Words::Strict { decoder.strict() } else { decoder };
    let mut arguments = Vec::new();
    for word in query.split(|&byte| byte == b'+') {
        if word.is_empty() && words == Words::Strict {
            return None;
        }
        memory::push(&mut arguments, decoder.decode(word).ok()?);
    }
    Some(arguments)
}

/// Returns the indexed query that consists of these words (RFC 3875 4.4). Each word is encoded, including every `=` and
/// `+` in the word. `+` separates the words.
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi;
/// assert_eq!(cgi::query(["a=b+c d", "e"]), "a%3Db%2Bc%20d+e");
/// ```
///
/// The grammar of the RFC has no empty words. But this function writes them, and [`Words::Lenient`] reads them back.
/// There is one exception: a single empty word gives an empty query, and an empty query has no words.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn query<W: AsBytes>(words: impl IntoIterator<Item = W>) -> String {
    const WORD: Encoder = Encoder::new(sets::RFC3875_SEARCH_WORD);
    let mut query = String::new();
    for (number, word) in words.into_iter().enumerate() {
        if number > 0 {
            memory::push_str(&mut query, "+");
        }
        WORD.encode_into(&word, &mut query);
    }
    query
}
