//! Percent-encodes and decodes as browsers do, according to the [URL Standard](https://url.spec.whatwg.org/).
//!
//! This module follows the standard at commit [6ae84860d128] of 2 July 2026. For each percent-encode set of section
//! 1.3, it has an encoder with the name of the standard. The module [`sets`] has the same sets as `ByteSet`. Since
//! March 2025, [`PATH`] and the encoders that extend it encode `^`.
//!
//! Only [`COMPONENT`] and [`FORM`] encode `%`, so only these two are for data. The other encoders are for URLs. They
//! keep `%`, so that text that is already encoded isn't encoded again.
//!
//! ```
//! use percent_standards::whatwg;
//!
//! assert_eq!(whatwg::FRAGMENT.encode("`a b`"), "%60a%20b%60");
//! assert_eq!(whatwg::COMPONENT.encode("a/b?"), "a%2Fb%3F"); // for data
//! assert_eq!(whatwg::FORM.encode("a b~"), "a+b%7E");
//! ```
//!
//! The URL parser treats each component in its own way. Some components also depend on whether the scheme is *special*.
//! These calls do the same:
//!
//! | component | call |
//! | --- | --- |
//! | user name, password | [`USERINFO`]`.encode` |
//! | path | `encode_path` |
//! | opaque path, as in `mailto:` and `javascript:` | `encode_opaque_path` |
//! | opaque host | [`C0_CONTROL`]`.encode` |
//! | query | `encode_query`, or `encode_query_in` for a document in another charset |
//! | fragment | [`FRAGMENT`]`.encode` |
//!
//! Pass each component to these calls as the parser sees it (4.4). The parser has then already split the input. It has
//! removed tabs, line feeds and carriage returns, and also control characters and spaces at the start and end.
//!
//! [6ae84860d128]: https://url.spec.whatwg.org/commit-snapshots/6ae84860d12800bcf563668e7cc821360dce6062/

use percent_simd::{AsBytes, ByteSet, Encoder, RawEncoder, presets, sets};

use crate::uri::dots::Dots;
use crate::uri::schemes::{SPECIAL, is_one_of};

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

/// Encodes the [C0 control percent-encode set](https://url.spec.whatwg.org/#c0-control-percent-encode-set).
///
/// Use it for opaque paths and opaque hosts. Space and `%` stay.
pub const C0_CONTROL: Encoder = Encoder::new(sets::WHATWG_C0_CONTROL);
/// Encodes the [fragment percent-encode set](https://url.spec.whatwg.org/#fragment-percent-encode-set). `%` stays.
pub const FRAGMENT: Encoder = Encoder::new(sets::WHATWG_FRAGMENT);
/// Encodes the [query percent-encode set](https://url.spec.whatwg.org/#query-percent-encode-set).
///
/// Use it for queries of schemes that aren't special. `%` stays.
pub const QUERY: Encoder = Encoder::new(sets::WHATWG_QUERY);
/// Encodes the [special-query percent-encode set](https://url.spec.whatwg.org/#special-query-percent-encode-set).
///
/// Use it for queries of special schemes. `%` stays.
pub const SPECIAL_QUERY: Encoder = Encoder::new(sets::WHATWG_SPECIAL_QUERY);
/// Encodes the [path percent-encode set](https://url.spec.whatwg.org/#path-percent-encode-set), with `^`. `%` stays.
pub const PATH: Encoder = Encoder::new(sets::WHATWG_PATH);
/// Encodes the [userinfo percent-encode set](https://url.spec.whatwg.org/#userinfo-percent-encode-set). `%` stays.
pub const USERINFO: Encoder = Encoder::new(sets::WHATWG_USERINFO);
/// Encodes the [component percent-encode set](https://url.spec.whatwg.org/#component-percent-encode-set).
///
/// Use it for data. It does the same as `encodeURIComponent`.
pub const COMPONENT: Encoder = Encoder::new(sets::WHATWG_COMPONENT);
/// Encodes the [`application/x-www-form-urlencoded` percent-encode set][set]. A space becomes `+`.
///
/// [set]: https://url.spec.whatwg.org/#application-x-www-form-urlencoded-percent-encode-set
pub const FORM: Encoder = presets::WHATWG_FORM;

/// Returns true for a [special scheme](https://url.spec.whatwg.org/#special-scheme). Pass the scheme without its `:`.
///
/// The special schemes are `ftp`, `file`, `http`, `https`, `ws` and `wss`, in upper or lower case.
///
/// # Examples
///
/// ```
/// assert!(percent_standards::whatwg::is_special("HTTPS"));
/// assert!(!percent_standards::whatwg::is_special("mailto"));
/// ```
#[must_use]
pub fn is_special(scheme: &str) -> bool {
    is_one_of(scheme.as_bytes(), &SPECIAL)
}

/// Returns true for a [single-dot URL path segment](https://url.spec.whatwg.org/#single-dot-path-segment).
///
/// This is `.`, `%2e` or `%2E`.
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

/// Returns true for a [double-dot URL path segment](https://url.spec.whatwg.org/#double-dot-path-segment).
///
/// This is `..`. Each of the dots may be written `%2e` or `%2E`.
///
/// # Examples
///
/// ```
/// assert!(percent_standards::whatwg::is_double_dot(".%2e"));
/// assert!(!percent_standards::whatwg::is_double_dot("%252e%252e")); // it would be one only after decoding
/// ```
#[must_use]
pub fn is_double_dot(segment: &str) -> bool {
    Dots::Decoded.count(segment.as_bytes()) == 2
}

/// [Percent-decodes](https://url.spec.whatwg.org/#percent-decode) the triplets of `input`, and keeps all other bytes.
///
/// A malformed `%` stays. Borrows if no change is needed. This is [`Decoder::decode`], but with the name of the
/// standard.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::whatwg::percent_decode("%25%s%1G"), &b"%%s%1G"[..]); // the example of the standard
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
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

/// Encodes the query of a URL with this scheme, as the URL parser does.
///
/// Pass the query without its `?`. Borrows if no change is needed. See [4.4, query
/// state](https://url.spec.whatwg.org/#query-state).
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
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_query<'a>(scheme: &str, query: &'a str) -> Cow<'a, str> {
    self::query(scheme).encode(query)
}

/// Encodes the query of a URL in a document in `charset`, as the URL parser does.
///
/// If the scheme is `http`, `https`, `ftp` or `file`, the query is converted to the output encoding of `charset`. For
/// all other schemes, the query is converted to UTF-8. All other rules are the same as in [`encode_query`]. See [4.4,
/// query state](https://url.spec.whatwg.org/#query-state).
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
/// Panics if memory cannot be allocated.
#[cfg(feature = "encoding")]
#[must_use]
pub fn encode_query_in<'a>(scheme: &str, charset: Charset, query: &'a str) -> Cow<'a, str> {
    let is_socket = is_one_of(scheme.as_bytes(), &["ws", "wss"]);
    let charset = if is_special(scheme) && !is_socket { charset } else { Charset::UTF_8 };
    percent_encode_after_encoding(charset, query, &self::query(scheme))
}

/// Encodes the path of a URL with this scheme, and removes its dot segments, as the URL parser does.
///
/// - The path is split at `/`. In special schemes, it is also split at `\`. `%2F` isn't a separator.
/// - Dot segments are resolved, even if they are written with `%2e`.
/// - In `file:`, the `|` of a drive letter becomes `:`, and a `..` doesn't remove the drive.
/// - The path of a special scheme is never empty.
///
/// Borrows if no change is needed. See [4.4, path start state and path
/// state](https://url.spec.whatwg.org/#path-start-state).
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
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_path<'a>(scheme: &str, path: &'a str) -> Cow<'a, str> {
    if let Some(encoded) = encode_plain_path(path) {
        return encoded;
    }
    let is_special = is_special(scheme);
    // `PATH` keeps dots and the separators of segments. So we can search for dot segments after the encoding.
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

/// Encodes `path` with [`PATH`]. If the rules of a scheme may require a change besides this encoding, returns `None`.
/// Most paths need no such change.
///
/// In a path that starts with a slash, only these can need another change: a `\`, the `|` of a drive letter, and a
/// segment that starts with `.` or `%`.
#[cfg(feature = "alloc")]
fn encode_plain_path(path: &str) -> Option<Cow<'_, str>> {
    const SUSPECTS: ByteSet = ByteSet::of(b"\\|.%");
    static PLAIN: RawEncoder = RawEncoder::new(sets::WHATWG_PATH.difference(SUSPECTS));
    static FIND_SUSPECTS: RawEncoder = RawEncoder::new(SUSPECTS.complement());
    let bytes = path.as_bytes();
    if bytes.first() != Some(&b'/') {
        return None;
    }
    // The first byte is a slash, so a `.` or `%` always has a byte before it.
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

/// Returns the offset of the [Windows drive letter](https://url.spec.whatwg.org/#windows-drive-letter) in a `file`
/// path.
///
/// After dot segments are removed, the drive letter is the first segment. No `..` removes it.
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

/// Encodes an opaque path, as the URL parser does.
///
/// If a query or a fragment follows, `is_followed` is true. Then a space at the end becomes `%20`. Without this, the
/// space would be lost if someone removed the query and the fragment. All other spaces stay. Borrows if no change is
/// needed. See [4.4, opaque path state](https://url.spec.whatwg.org/#cannot-be-a-base-url-path-state).
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
/// Panics if memory cannot be allocated.
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

/// Converts `input` to `charset`, and then percent-encodes the bytes with `encoder`.
///
/// This is [percent-encode after encoding](https://url.spec.whatwg.org/#string-percent-encode-after-encoding) of the
/// standard. It uses the output encoding of `charset`, and converts the whole input with one encoder. Borrows if no
/// change is needed.
///
/// - A character that the charset lacks becomes a numeric character reference. The `&`, `#` and `;` of this reference
///   are always encoded: `%26%23N%3B`.
/// - In ISO-2022-JP, some control characters would shift to another set of characters. They become a reference to
///   U+FFFD.
/// - In ISO-2022-JP, `%` can also be a byte of a character. The sets for URLs keep `%`, so a result in ISO-2022-JP
///   can't be decoded reliably. [`FORM`] encodes `%`, so its result can.
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
/// Panics if memory cannot be allocated.
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

/// Returns an upper bound for the length of a result in bytes. If the bound exceeds a `usize`, returns `None`.
///
/// The bound holds for the encoders and calls of this module, if the input has `input_len` bytes. It is 14 times the
/// length of the input, because U+000E in ISO-2022-JP becomes `%26%2365533%3B`. Without input the bound is 1, because an
/// empty path can become `/`.
///
/// In UTF-8, a result has at most three times the length of the input. Only a path can be longer, by one `/`.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::whatwg::max_encoded_len(2), Some(28));
/// assert_eq!(percent_standards::whatwg::max_encoded_len(usize::MAX / 13), None);
/// ```
#[must_use]
pub const fn max_encoded_len(input_len: usize) -> Option<usize> {
    if input_len == 0 { Some(1) } else { input_len.checked_mul(14) }
}
