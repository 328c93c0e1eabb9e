//! Splits a request's path and query as a gateway does ([RFC 3875](https://www.rfc-editor.org/rfc/rfc3875)).
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

/// Decodes the end of a request's path to `PATH_INFO`, which is "not URL-encoded" (RFC 3875 4.1.5). Whether a `/` was
/// an escaped one cannot be told afterwards; a malformed escape stays as it is.
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi;
/// assert_eq!(cgi::PATH_INFO.decode_utf8("/this%2eis%2epath%3binfo")?, "/this.is.path;info");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
pub const PATH_INFO: Decoder = Decoder::new();

/// Decodes the end of a request's path to `PATH_INFO`, and fails where that would lose something: at `%2F`, as
/// RFC 3875 4.1.5 lets a server do, at `%00`, which no environment variable can hold, and at a malformed escape.
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

/// Encodes a `PATH_INFO` again, as for `PATH_TRANSLATED` and for the URI of a script (RFC 3875 3.3, 4.1.6): `;`, `=`
/// and `?` are reserved there and become triplets; what else RFC 3875 2.3 reserves must not.
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

/// Returns the path of a request's target, and its query: what follows the first `?`, as it stands, which is what
/// `QUERY_STRING` is to be (RFC 3875 4.1.7). One that is absent is empty.
///
/// A form in it is for [`form::parse`](super::parse()), which splits first and decodes then, as RFC 3875 2.3 asks.
#[must_use]
pub fn split(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// Returns whether a query is an indexed one, a list of words: it has no unencoded `=` (RFC 3875 4.4). This is for
/// requests with the method GET or HEAD only.
#[must_use]
pub fn is_indexed<Q: AsBytes + ?Sized>(query: &Q) -> bool {
    memchr::memchr(b'=', query.as_bytes()).is_none()
}

/// Which words of an indexed query make a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Words {
    /// Those of the grammar of RFC 3875 4.4, as far as empty words and malformed escapes are concerned: one of these,
    /// and there is no command line.
    Strict,
    /// All: an empty word, as in `a++b`, is an empty argument, and a malformed escape stays as it is.
    Lenient,
}

/// Returns the command line that an indexed query asks for: its words, which `+` separates, each decoded
/// (RFC 3875 4.4, 7.2). None where there is to be no command line at all: the query is not [indexed](is_indexed), or a
/// word cannot be an argument, because it has a NUL or is not one of these [`Words`]. An empty query has no words.
///
/// Nothing else is done about words that mean more to a shell or a program: `-x` is an option, and `*` a pattern.
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
/// If memory cannot be allocated.
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

/// Returns the indexed query of these words (RFC 3875 4.4): each encoded, `=` and `+` too, with `+` between them.
///
/// # Examples
///
/// ```
/// use percent_standards::form::cgi;
/// assert_eq!(cgi::query(["a=b+c d", "e"]), "a%3Db%2Bc%20d+e");
/// ```
///
/// An empty word is written, though the grammar has none; [`Words::Lenient`] reads it back, unless it is the only one.
///
/// # Panics
///
/// If memory cannot be allocated.
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
