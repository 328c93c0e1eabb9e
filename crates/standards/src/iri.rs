//! Converts and checks IRIs (RFC 3987).
//!
//! An IRI is a URI that may contain characters of all scripts.
//!
//! | to do this | call | RFC 3987 |
//! | --- | --- | --- |
//! | convert an IRI to a URI, in ASCII | [`to_uri`] | [3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1) |
//! | make a URI readable | [`to_iri`] | [3.2](https://www.rfc-editor.org/rfc/rfc3987#section-3.2) |
//! | check text | [`check`] | [2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2) |
//!
//! ```
//! use percent_standards::iri;
//!
//! assert_eq!(iri::to_uri("http://example.org/Dürst?q=日本"), "http://example.org/D%C3%BCrst?q=%E6%97%A5%E6%9C%AC");
//! assert_eq!(iri::to_iri("http://example.org/D%C3%BCrst/D%FCrst%2F"), "http://example.org/Dürst/D%FCrst%2F");
//! assert_eq!(iri::check("http://example.org/a b").unwrap_err().offset, 20);
//! ```
//!
//! `to_uri` and `to_iri` don't convert the host to or from its DNS form. `host_to_ascii` and `host_to_unicode` do
//! (feature `idna`).

#[cfg(feature = "idna")]
mod host;

#[cfg(feature = "alloc")]
use memchr::{memchr, memchr_iter};

use percent_simd::{ByteSet, CheckedDecoder, Decoder, Encoder, RawEncoder, internal::triplet, sets};

use crate::uri::ucschar::{FIRSTS_OF_NEITHER, find_refused, is_allowed_in_iri};
use crate::uri::{Grammar, Uri, UriError, UriErrorKind};

#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use crate::uri::{self, escaped_scheme_len};
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};
#[cfg(feature = "alloc")]
use percent_simd::DecodeError;

#[cfg(feature = "idna")]
pub use host::{HostRules, host_to_ascii, host_to_ascii_with, host_to_unicode};

pub use crate::uri::ucschar::{is_bidi_control, is_iprivate, is_ucschar};

/// `FIND_NEITHER` stops at the first byte of each character that is neither `ucschar` nor `iprivate`. `FIND_ENCODED`
/// stops at the first byte of each character whose triplets aren't decoded. Both also stop at some other characters. So
/// after each stop, `find_refused` checks the character.
static FIND_NEITHER: RawEncoder = RawEncoder::new(FIRSTS_OF_NEITHER.complement());
static FIND_ENCODED: RawEncoder = RawEncoder::new(FIRSTS_OF_NEITHER.union(ByteSet::of(b"\xD8\xE2\xEE")).complement());

/// Converts an IRI to a URI ([RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)).
///
/// Each `ucschar` and each `iprivate` becomes the triplets of its UTF-8. All other text stays, including triplets and a
/// malformed `%`.
///
/// - The host is converted to triplets, too. If you need the `xn--` form for the DNS, call `host_to_ascii` (feature
///   `idna`) first.
/// - Borrows if no change is needed. A URI needs no change, so you can convert twice.
/// - Never fails. Characters that no IRI may contain, ASCII or not, stay as they are. [`check`] finds them.
/// - Doesn't normalize, because the text is already Unicode (step 1c of 3.1).
///
/// # Examples
///
/// ```
/// use percent_standards::iri::to_uri;
/// assert_eq!(to_uri("http://www.example.org/red%09rosé#red"), "http://www.example.org/red%09ros%C3%A9#red");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated. This holds for all functions of this module.
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_uri(iri: &str) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(ByteSet::ASCII);
    let stays = |c: char| !c.is_ascii() && !is_ucschar(c) && !is_iprivate(c);
    let find_staying = |text| find_refused(text, &FIND_NEITHER, stays);
    let Some(mut staying) = find_staying(iri) else { return ENCODER.encode(iri) };
    let mut out = memory::string(iri.len());
    let mut rest = iri;
    loop {
        let (text, after) = rest.split_at(staying);
        ENCODER.encode_into(text, &mut out);
        let (text, after) = after.split_at(after.find(|c: char| !c.is_ascii() && !stays(c)).unwrap_or(after.len()));
        memory::push_str(&mut out, text);
        rest = after;
        let Some(next) = find_staying(rest) else { break };
        staying = next;
    }
    ENCODER.encode_into(rest, &mut out);
    if out.len() == iri.len() { Cow::Borrowed(iri) } else { Cow::Owned(out) }
}

/// Converts a reference in XML to a URI. In XML, a reference may contain spaces, quotes, braces and similar characters.
///
/// Examples are an `href` of XLink ([XLink 1.0 5.4](https://www.w3.org/TR/2001/REC-xlink-20010627/#link-locators)), an
/// `anyURI`, and a LEIRI.
///
/// Every character that a URI must not contain becomes triplets:
///
/// - `"`, `<`, `>`, `\`, `^`, `{`, `|`, `}`, the backtick and the space, which RFC 3987 3.1 allows to be converted;
/// - control characters;
/// - all characters above ASCII, even those that aren't `ucschar`.
///
/// `#`, `%`, `[` and `]` stay. Borrows if no change is needed.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::to_uri_legacy;
/// assert_eq!(to_uri_legacy("a b/{é}%20[#]"), "a%20b/%7B%C3%A9%7D%20[#]");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_uri_legacy(text: &str) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(sets::XLINK_ANYURI);
    ENCODER.encode(text)
}

/// Decodes the triplets of unreserved characters, and the triplets of bytes that may belong to a character above ASCII.
const READABLE: Decoder = Decoder::new().keep(ByteSet::ASCII.difference(sets::RFC3986_UNRESERVED));
const WELL_FORMED: CheckedDecoder = READABLE.strict();
const TRIPLETS: Encoder = Encoder::new(ByteSet::EMPTY);

/// Converts a URI to an IRI. Decodes each triplet that has a readable form with the same meaning.
///
/// The rules of [RFC 3987 3.2](https://www.rfc-editor.org/rfc/rfc3987#section-3.2):
///
/// | these triplets | are |
/// | --- | --- |
/// | unreserved characters; UTF-8 of a `ucschar`; in the query also UTF-8 of an `iprivate` | decoded |
/// | bytes that aren't UTF-8; other characters above ASCII; bidi controls (4.1), even newer ones than in the RFC (U+061C, U+2066 to U+2069) | kept, with upper-case digits |
/// | reserved characters; `%`; characters that no URI may contain | kept as written |
///
/// Three more kinds of text stay as they are written:
///
/// - characters above ASCII that aren't encoded;
/// - a malformed `%`, and the text after it that could complete a triplet;
/// - text before the first `:` that has a `%` in the place of a scheme, because decoding could turn this text into a
///   scheme.
///
/// Borrows if no change is needed. Converting a second time has no effect.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::{to_iri, to_uri};
/// assert_eq!(to_iri("/caf%c3%a9%2f%41%25"), "/café%2fA%25");
/// assert_eq!(to_iri("/%EE%80%80?%EE%80%80"), "/%EE%80%80?\u{E000}");
/// assert_eq!(to_iri("/%E2%80%AE%fc"), "/%E2%80%AE%FC");
/// assert_eq!(to_iri("%6Aavascript:%61"), "%6Aavascript:a");
/// assert_eq!(to_uri(&to_iri("/caf%C3%A9")), "/caf%C3%A9");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_iri(uri: &str) -> Cow<'_, str> {
    let (scheme, rest) = uri.split_at(escaped_scheme_len(uri));
    match readable(rest) {
        iri if scheme.is_empty() => iri,
        Cow::Borrowed(_) => Cow::Borrowed(uri),
        Cow::Owned(rest) => Cow::Owned(memory::concat(&[scheme, &rest])),
    }
}

/// Does the same as [`to_iri`], for a `uri` in which decoding can't create a scheme.
#[cfg(feature = "alloc")]
fn readable(uri: &str) -> Cow<'_, str> {
    if let Ok(iri) = WELL_FORMED.decode_utf8(uri)
        && find_refused(&iri, &FIND_ENCODED, |c| stays_encoded(c, false)).is_none()
    {
        return iri;
    }
    let fragment = memchr(b'#', uri.as_bytes()).unwrap_or(uri.len());
    let query = memchr(b'?', &uri.as_bytes()[..fragment]).unwrap_or(fragment);
    let mut iri = Iri { text: memory::string(uri.len()), bytes: Vec::new(), private: false };
    iri.push_part(&uri[..query]);
    iri.private = true;
    iri.push_part(&uri[query..fragment]);
    iri.private = false;
    iri.push_part(&uri[fragment..]);
    if iri.text == uri {
        return Cow::Borrowed(uri);
    }
    iri.text.shrink_to_fit();
    Cow::Owned(iri.text)
}

/// Returns true if [`to_iri`] keeps the triplets of this character. In the query, which may contain `iprivate`
/// characters, `private` is true.
const fn stays_encoded(character: char, private: bool) -> bool {
    !is_allowed_in_iri(character, private) || is_bidi_control(character)
}

/// An IRI that is being built from a URI. Some triplets of this URI must be kept.
#[cfg(feature = "alloc")]
struct Iri {
    text: String,
    /// A buffer for decoded triplets.
    bytes: Vec<u8>,
    /// True if the current part is the query, which may contain `iprivate` characters.
    private: bool,
}

#[cfg(feature = "alloc")]
impl Iri {
    /// Appends a part. An unescaped character above ASCII stays. It separates the triplets before it from the triplets
    /// after it: we decode the two groups separately.
    fn push_part(&mut self, mut part: &str) {
        const ASCII: RawEncoder = RawEncoder::new(ByteSet::ASCII);
        while !part.is_empty() {
            let (raw, after) = part.split_at(memchr(b'%', part.as_bytes()).unwrap_or(part.len()));
            memory::push_str(&mut self.text, raw);
            let (ascii, after) = after.split_at(ASCII.first_changed(after).unwrap_or(after.len()));
            self.push_ascii(ascii.as_bytes());
            part = after;
        }
    }

    /// Appends ASCII text. A malformed `%` stays. Triplets after it also stay if they would decode to its missing
    /// digits: `%%34%31` stays, because decoding would give the triplet `%41`.
    fn push_ascii(&mut self, ascii: &[u8]) {
        let mut bytes = core::mem::take(&mut self.bytes);
        bytes.clear();
        let mut start = 0;
        for at in memchr_iter(b'%', ascii) {
            if at >= start && triplet(ascii, at).is_none() {
                let end = at + stray_len(&ascii[at..]);
                if ascii[at + 1..end].contains(&b'%') {
                    READABLE.decode_into(&ascii[start..at], &mut bytes);
                    memory::extend(&mut bytes, &ascii[at..end]);
                    start = end;
                }
            }
        }
        READABLE.decode_into(&ascii[start..], &mut bytes);
        // `bytes[torn..at]` isn't UTF-8, and we haven't appended it to `text` yet.
        let (mut torn, mut at) = (0, 0);
        while at < bytes.len() {
            let (valid, invalid) = match str::from_utf8(&bytes[at..]) {
                Ok(text) => (text.len(), 0),
                Err(error) => (error.valid_up_to(), error.error_len().unwrap_or(bytes.len())), // incomplete: go past the end
            };
            if let (1.., Ok(text)) = (valid, str::from_utf8(&bytes[at..at + valid])) {
                TRIPLETS.encode_into(&bytes[torn..at], &mut self.text);
                self.push_text(text);
                torn = at + valid;
            }
            at += valid + invalid;
        }
        TRIPLETS.encode_into(&bytes[torn..], &mut self.text);
        self.bytes = bytes;
    }

    fn push_text(&mut self, mut text: &str) {
        let private = self.private;
        let refused = |c: char| !c.is_ascii() && stays_encoded(c, private);
        while let Some(at) = find_refused(text, &FIND_ENCODED, refused) {
            let (before, after) = text.split_at(at);
            let (encoded, after) = after.split_at(after.find(|c| !refused(c)).unwrap_or(after.len()));
            memory::push_str(&mut self.text, before);
            TRIPLETS.encode_into(encoded, &mut self.text);
            text = after;
        }
        memory::push_str(&mut self.text, text);
    }
}

/// Returns the length of the malformed `%` at the start, and of up to two hexadecimal digits after it. The digits may
/// be raw or escaped.
///
/// If these digits were decoded, the `%` would become a triplet: `%%34%31` would become `%41`.
#[cfg(feature = "alloc")]
fn stray_len(ascii: &[u8]) -> usize {
    let mut len = ascii.len().min(1);
    for _ in 0..2 {
        len += match (ascii.get(len), triplet(ascii, len)) {
            (Some(digit), _) if digit.is_ascii_hexdigit() => 1,
            (_, Some(byte)) if byte.is_ascii_hexdigit() => 3,
            _ => break,
        };
    }
    len
}

/// Checks that `iri` is an `IRI` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)).
///
/// Checks the scheme, delimiters, triplets, addresses, ports and every character, as [`Uri::parse`] does for URIs. A
/// bidi control that RFC 3987 4.1 lists is an error. Newer bidi controls are accepted, because the grammar allows them.
/// Rules that hold only for some schemes aren't checked.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::check;
/// use percent_standards::uri::{Component, UriErrorKind};
///
/// assert_eq!(check("http://例え.jp/引き?割り=\u{E000}#é"), Ok(()));
/// let error = check("http://h/\u{E000}").unwrap_err();
/// assert_eq!((error.offset, error.kind), (9, UriErrorKind::Character(Component::Path)));
/// assert_eq!(check("//h/").unwrap_err().kind, UriErrorKind::NoScheme);
/// ```
///
/// # Errors
///
/// Returns the first fault, with its offset in bytes of `iri`.
pub fn check(iri: &str) -> Result<(), UriError> {
    match Uri::parse_as(iri, Grammar::Iri)?.scheme {
        Some(_) => Ok(()),
        None => Err(UriError { offset: 0, kind: UriErrorKind::NoScheme }),
    }
}

/// Checks that `reference` is an `IRI-reference`, which may lack a scheme.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::check_reference;
///
/// assert_eq!(check_reference("../é?q#f"), Ok(()));
/// assert!(check_reference("1:2").is_err()); // `1` isn't a scheme, and the first segment must not contain a `:`
/// ```
///
/// # Errors
///
/// Returns the first fault, with its offset in bytes of `reference`.
pub fn check_reference(reference: &str) -> Result<(), UriError> {
    Uri::parse_as(reference, Grammar::Iri).map(|_| ())
}

/// Normalizes an IRI or a reference (RFC 3987 5.3.2): first as [`uri::normalize`] does, and then as [`to_iri`] does.
///
/// So an IRI and its URI have the same normal form. Characters above ASCII stay as they are:
///
/// - They aren't converted to Unicode normalization form C (5.3.2.2).
/// - In the host they keep their case. To normalize the host, call [`host_to_ascii`] (feature `idna`).
///
/// # Examples
///
/// ```
/// use percent_standards::iri;
///
/// let normal = "example://a/b/c/%7Bfoo%7D/rosé";
/// assert_eq!(iri::normalize("eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9")?, normal); // 5.3.2
/// assert_eq!(iri::normalize(normal)?, normal);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
///
/// # Errors
///
/// If a `%` starts no triplet, returns an error with the offset of this `%` in bytes of `iri`.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
pub fn normalize(iri: &str) -> Result<Cow<'_, str>, DecodeError> {
    Ok(match uri::normalize(iri)? {
        Cow::Borrowed(normal) => to_iri(normal),
        Cow::Owned(normal) => match to_iri(&normal) {
            Cow::Borrowed(_) => Cow::Owned(normal),
            Cow::Owned(iri) => Cow::Owned(iri),
        },
    })
}
