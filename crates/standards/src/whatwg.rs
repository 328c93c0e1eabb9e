//! Percent-encoding as the [URL Standard](https://url.spec.whatwg.org/) has it, the way browsers do it: at commit [6ae84860d128]
//! of 2 July 2026.
//!
//! The percent-encode sets of section 1.3 are here as encoders, under the names that the standard gives them, and with
//! `^` in those from [`PATH`] on, where it is since March 2025. All but [`COMPONENT`] and [`FORM`] leave `%` as it is, so
//! that what is encoded already is not encoded again: they are for URLs, not for data. The module [`sets`] has them as
//! sets.
//!
//! ```
//! use percent_standards::whatwg;
//!
//! assert_eq!(whatwg::FRAGMENT.encode("`a b`"), "%60a%20b%60");
//! assert_eq!(whatwg::COMPONENT.encode("a/b?"), "a%2Fb%3F"); // for data
//! assert_eq!(whatwg::FORM.encode("a b~"), "a+b%7E");
//! ```
//!
//! The call that does to a component what its URL parser does depends on the scheme, which is *special* or not:
//!
//! | component | call |
//! | --- | --- |
//! | user name, password | [`USERINFO`]`.encode` |
//! | path | `encode_path` |
//! | opaque path, as in `mailto:` and `javascript:` | `encode_opaque_path` |
//! | opaque host | [`C0_CONTROL`]`.encode` |
//! | query | `encode_query`, in a document of another charset `encode_query_in` |
//! | fragment | [`FRAGMENT`]`.encode` |
//!
//! They take the component as the parser finds it: it has been split, and of the input all tabs, line feeds and
//! carriage returns, and controls and spaces at both ends, have been removed (4.4).
//!
//! [6ae84860d128]: https://url.spec.whatwg.org/commit-snapshots/6ae84860d12800bcf563668e7cc821360dce6062/

use percent_simd::{AsBytes, ByteSet, Encoder, RawEncoder, presets, sets};

use crate::uri::dots::Dots;

#[cfg(feature = "alloc")]
use crate::memory;

#[cfg(feature = "encoding")]
use crate::charset::{Charset, Piece, push_reference};
#[cfg(feature = "alloc")]
use crate::uri::{dots::Kept, pieces::build};
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "encoding")]
use alloc::string::String;
#[cfg(feature = "alloc")]
use percent_simd::{Decoder, internal::ChangedBytes};

/// The [C0 control percent-encode set](https://url.spec.whatwg.org/#c0-control-percent-encode-set): opaque paths and
/// opaque hosts. Space and `%` stay.
pub const C0_CONTROL: Encoder = Encoder::new(sets::WHATWG_C0_CONTROL);
/// The [fragment percent-encode set](https://url.spec.whatwg.org/#fragment-percent-encode-set). `%` stays.
pub const FRAGMENT: Encoder = Encoder::new(sets::WHATWG_FRAGMENT);
/// The [query percent-encode set](https://url.spec.whatwg.org/#query-percent-encode-set): queries of schemes that are
/// not special. `%` stays.
pub const QUERY: Encoder = Encoder::new(sets::WHATWG_QUERY);
/// The [special-query percent-encode set](https://url.spec.whatwg.org/#special-query-percent-encode-set): queries of
/// special schemes. `%` stays.
pub const SPECIAL_QUERY: Encoder = Encoder::new(sets::WHATWG_SPECIAL_QUERY);
/// The [path percent-encode set](https://url.spec.whatwg.org/#path-percent-encode-set), with `^`. `%` stays.
pub const PATH: Encoder = Encoder::new(sets::WHATWG_PATH);
/// The [userinfo percent-encode set](https://url.spec.whatwg.org/#userinfo-percent-encode-set). `%` stays.
pub const USERINFO: Encoder = Encoder::new(sets::WHATWG_USERINFO);
/// The [component percent-encode set](https://url.spec.whatwg.org/#component-percent-encode-set), the one for data:
/// `encodeURIComponent`.
pub const COMPONENT: Encoder = Encoder::new(sets::WHATWG_COMPONENT);
/// The [`application/x-www-form-urlencoded` percent-encode set][set] with spaceAsPlus.
///
/// [set]: https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set
pub const FORM: Encoder = presets::WHATWG_FORM;

/// Returns whether `scheme`, without its `:`, is a [special scheme](https://url.spec.whatwg.org/#special-scheme):
/// `ftp`, `file`, `http`, `https`, `ws` or `wss`. The case of ASCII letters does not matter.
///
/// # Examples
///
/// ```
/// assert!(percent_standards::whatwg::is_special("HTTPS"));
/// assert!(!percent_standards::whatwg::is_special("mailto"));
/// ```
#[must_use]
pub fn is_special(scheme: &str) -> bool {
    ["ftp", "file", "http", "https", "ws", "wss"].iter().any(|special| scheme.eq_ignore_ascii_case(special))
}

/// Returns whether `segment` is a [single-dot URL path segment](https://url.spec.whatwg.org/#single-dot-path-segment):
/// `.` or `%2e`, the case of the `e` does not matter.
///
/// # Examples
///
/// ```
/// assert!(percent_standards::whatwg::is_single_dot("%2E"));
/// ```
#[must_use]
pub fn is_single_dot(segment: &str) -> bool {
    Dots::Decoded.count(segment.as_bytes()) == 1
}

/// Returns whether `segment` is a [double-dot URL path segment](https://url.spec.whatwg.org/#double-dot-path-segment):
/// `..`, each dot as itself or as `%2e`, the case of the `e` does not matter.
///
/// # Examples
///
/// ```
/// assert!(percent_standards::whatwg::is_double_dot(".%2e"));
/// assert!(!percent_standards::whatwg::is_double_dot("%252e%252e")); // decoded once it would be
/// ```
#[must_use]
pub fn is_double_dot(segment: &str) -> bool {
    Dots::Decoded.count(segment.as_bytes()) == 2
}

/// [Percent-decodes](https://url.spec.whatwg.org/#percent-decode): the bytes that triplets stand for, and all other
/// bytes as they are, a malformed `%` too; `input` itself where nothing changes. [`Decoder::decode`] under the name of
/// the standard.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::whatwg::percent_decode("%25%s%1G"), &b"%%s%1G"[..]); // the example of the standard
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn percent_decode<I: AsBytes + ?Sized>(input: &I) -> Cow<'_, [u8]> {
    Decoder::new().decode(input)
}

/// Returns the encoder for the query of a URL with this scheme: [`SPECIAL_QUERY`] or [`QUERY`].
#[must_use]
pub fn query(scheme: &str) -> Encoder {
    if is_special(scheme) { SPECIAL_QUERY } else { QUERY }
}

/// Encodes the query, without its `?`, of a URL with this scheme, as the URL parser does
/// ([4.4, query state](https://url.spec.whatwg.org/#query-state)); `query` itself where nothing changes.
///
/// # Examples
///
/// ```
/// use percent_standards::whatwg::encode_query;
/// assert_eq!(encode_query("http", "q='a b'&%zz"), "q=%27a%20b%27&%zz");
/// assert_eq!(encode_query("gopher", "q='a b'"), "q='a%20b'");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_query<'a>(scheme: &str, query: &'a str) -> Cow<'a, str> {
    self::query(scheme).encode(query)
}

/// Like [`encode_query`], for a URL in a document in `charset`
/// ([4.4, query state](https://url.spec.whatwg.org/#query-state)): special schemes but `ws` and `wss` use its output
/// encoding, all others UTF-8.
///
/// # Examples
///
/// ```
/// use percent_standards::{charset::Charset, whatwg::encode_query_in};
/// assert_eq!(encode_query_in("http", Charset::SHIFT_JIS, "表"), "%95\\");
/// assert_eq!(encode_query_in("ws", Charset::SHIFT_JIS, "表"), "%E8%A1%A8");
/// assert_eq!(encode_query_in("http", Charset::UTF_16LE, "表"), "%E8%A1%A8");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "encoding")]
#[must_use]
pub fn encode_query_in<'a>(scheme: &str, charset: Charset, query: &'a str) -> Cow<'a, str> {
    let is_socket = ["ws", "wss"].iter().any(|socket| scheme.eq_ignore_ascii_case(socket));
    let charset = if is_special(scheme) && !is_socket { charset } else { Charset::UTF_8 };
    percent_encode_after_encoding(charset, query, &self::query(scheme))
}

/// Encodes the path of a URL with this scheme, as the URL parser does
/// ([4.4, path start state and path state](https://url.spec.whatwg.org/#path-start-state)), and removes its dot
/// segments; `path` itself where nothing changes.
///
/// It splits at `/`, in special schemes at `\` too; segments that are dots, or `%2e`, are resolved; `%2F` splits
/// nothing. In `file:` a drive letter's `|` becomes `:` and `..` does not go above it. A special scheme's path is never
/// empty.
///
/// # Examples
///
/// ```
/// use percent_standards::whatwg::encode_path;
/// assert_eq!(encode_path("http", "/a%2fb/%2E%2e/c d"), "/c%20d");
/// assert_eq!(encode_path("http", r"\a'{}^"), "/a'%7B%7D%5E");
/// assert_eq!(encode_path("foo", r"/a\b"), r"/a\b");
/// assert_eq!(encode_path("file", "/C|/../d"), "/C:/d");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_path<'a>(scheme: &str, path: &'a str) -> Cow<'a, str> {
    if let Some(encoded) = encode_plain_path(path) {
        return encoded;
    }
    let is_special = is_special(scheme);
    // Neither dots nor what separates segments is encoded.
    let mut path = PATH.encode(path);
    if is_special && path.contains('\\') {
        path = Cow::Owned(memory::replace(&path, b'\\', "/"));
    }
    if !path.starts_with('/') && (is_special || !path.is_empty()) {
        path = Cow::Owned(memory::concat(&["/", &path]));
    }
    let drive = if scheme.eq_ignore_ascii_case("file") { find_drive(&path) } else { None };
    match drive {
        Some(at) => {
            let (letter, rest) = (&path[at..=at], &path[at + 2..]);
            if at == 1 && path[2..].starts_with(':') && !Dots::Decoded.any(rest) {
                return path;
            }
            Cow::Owned(build(Kept::new("", rest, Dots::Decoded).chain([":", letter, "/"])))
        }
        None if Dots::Decoded.any(&path) => Cow::Owned(build(Kept::new("", &path, Dots::Decoded))),
        None => path,
    }
}

/// Encodes `path` if what [`PATH`] encodes is all that any scheme changes in it, as with most paths.
///
/// A path that starts with a slash can else only change at a `\\`, in a drive letter's `|`, and in segments that start with a
/// `.` or a `%`.
#[cfg(feature = "alloc")]
fn encode_plain_path(path: &str) -> Option<Cow<'_, str>> {
    const SUSPECTS: ByteSet = ByteSet::of(b"\\|.%");
    static PLAIN: RawEncoder = RawEncoder::new(sets::WHATWG_PATH.difference(SUSPECTS));
    static FIND_SUSPECTS: RawEncoder = RawEncoder::new(SUSPECTS.complement());
    let bytes = path.as_bytes();
    if bytes.first() != Some(&b'/') {
        return None;
    }
    // No suspect is the first byte, so there is one before it.
    let is_inside = |at: usize| matches!(bytes[at], b'.' | b'%') && bytes[at - 1] != b'/';
    match ChangedBytes::new(&PLAIN, bytes).find(|&at| !is_inside(at)) {
        None => Some(Cow::Borrowed(path)),
        Some(at) if SUSPECTS.contains(bytes[at]) => None,
        Some(at) => {
            let is_plain = ChangedBytes::new(&FIND_SUSPECTS, &bytes[at..]).all(|after| is_inside(at + after));
            is_plain.then(|| PATH.encode(path))
        }
    }
}

/// Returns where the [Windows drive letter](https://url.spec.whatwg.org/#windows-drive-letter) of a `file` path is: the
/// segment that is first once the dot segments before it are gone. No `..` removes it.
#[cfg(feature = "alloc")]
fn find_drive(path: &str) -> Option<usize> {
    let (mut at, mut depth) = (1, 0usize);
    for segment in path.get(1..)?.split('/') {
        match (Dots::Decoded.count(segment.as_bytes()), segment.as_bytes()) {
            (0, [letter, b':' | b'|']) if depth == 0 && letter.is_ascii_alphabetic() => return Some(at),
            (0, _) => depth += 1,
            (dots, _) => depth = depth.saturating_sub(dots - 1),
        }
        at += segment.len() + 1;
    }
    None
}

/// Encodes an opaque path, as the URL parser does
/// ([4.4, opaque path state](https://url.spec.whatwg.org/#cannot-be-a-base-url-path-state)); `path` itself where
/// nothing changes. Spaces stay but for one at the end, where a query or a fragment follows: it becomes `%20`, or it
/// would be lost with them.
///
/// # Examples
///
/// ```
/// use percent_standards::whatwg::encode_opaque_path;
/// assert_eq!(encode_opaque_path("a b\u{1}  ", true), "a b%01 %20");
/// assert_eq!(encode_opaque_path("a b", false), "a b");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_opaque_path(path: &str, is_followed: bool) -> Cow<'_, str> {
    match path.strip_suffix(' ') {
        Some(before) if is_followed => {
            let mut encoded = C0_CONTROL.encode_to_string(before);
            memory::push_str(&mut encoded, "%20");
            Cow::Owned(encoded)
        }
        _ => C0_CONTROL.encode(path),
    }
}

/// [Percent-encodes after encoding](https://url.spec.whatwg.org/#string-percent-encode-after-encoding): takes `input`
/// to bytes in the output encoding of `charset`, by one encoder over all of it, and encodes those by `encoder`;
/// `input` itself where nothing changes.
///
/// A character without bytes becomes a numeric character reference whose `&`, `#` and `;` are always encoded:
/// `%26%23N%3B`. In ISO-2022-JP that is U+FFFD's for the controls that would shift, and bytes of characters are data,
/// so `%`, which the sets of URLs let stay, comes out raw: such a query can't be decoded reliably. With [`FORM`] it
/// can.
///
/// # Examples
///
/// ```
/// use percent_standards::{charset::Charset, whatwg::{self, percent_encode_after_encoding}};
/// assert_eq!(percent_encode_after_encoding(Charset::WINDOWS_1252, "é ☃", &whatwg::FORM), "%E9+%26%239731%3B");
/// assert_eq!(percent_encode_after_encoding(Charset::ISO_2022_JP, "ア", &whatwg::QUERY), "%1B$B%%22%1B(B");
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
#[cfg(feature = "encoding")]
#[must_use]
pub fn percent_encode_after_encoding<'a>(charset: Charset, input: &'a str, encoder: &Encoder) -> Cow<'a, str> {
    let charset = charset.output_encoding();
    if charset.is_same(input.as_bytes()) {
        return encoder.encode(input);
    }
    let (mut out, mut bytes) = (String::new(), memory::vec(input.len()));
    charset.convert_all(input, |piece| match piece {
        Piece::Bytes(piece) => memory::extend(&mut bytes, piece),
        Piece::Unmappable(_, character) => {
            if !bytes.is_empty() {
                encoder.encode_into(&bytes, &mut out);
                bytes.clear();
            }
            push_reference(&mut out, "%26%23", character, "%3B");
        }
    });
    encoder.encode_into(&bytes, &mut out);
    Cow::Owned(out)
}

/// Returns how long `input_len` bytes can become, in bytes, by the encoders and calls of this module: 14 times as long;
/// `None` if a `usize` can't say. In UTF-8 it is no more than three times.
///
/// The longest is U+000E in ISO-2022-JP, `%26%2365533%3B`. Only a path can grow beyond, by one `/`.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::whatwg::max_encoded_len(2), Some(28));
/// assert_eq!(percent_standards::whatwg::max_encoded_len(usize::MAX / 13), None);
/// ```
#[must_use]
pub const fn max_encoded_len(input_len: usize) -> Option<usize> {
    input_len.checked_mul(14)
}
