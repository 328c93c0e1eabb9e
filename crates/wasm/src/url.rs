//! Splits URLs into components, segments and pairs, and returns their offsets.
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use percent_simd::Decoder;
use percent_standards::uri::{Part, Uri, UriErrorKind};

use crate::units::Units;

/// The kind of a part of a URL.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text before the first `:`.
    Scheme,
    /// The text before the last `@` of the authority.
    Userinfo,
    /// The host.
    Host,
    /// The port.
    Port,
    /// A segment of the path.
    Segment,
    /// A name in the query. Its value follows, if it has one.
    Name,
    /// A value in the query.
    Value,
    /// The text after the first `#`.
    Fragment,
}

/// How many numbers describe a part: kind, offset and length in UTF-16, and how many layers of escapes it has.
const FIELDS: usize = 4;

/// At most this many layers are counted.
const MAX_LAYERS: usize = 1 << 20;

/// Splits a URL or a reference, or a bare query if `is_query` is set. The output begins with two numbers: the offset in UTF-16
/// of the first violation of the grammar (all ones if there is none), and the kind of the violation ([`error_number`]). At most
/// `max` parts follow, in the order of the text. All numbers have 32 bits.
pub fn split(text: &str, is_query: bool, max: usize) -> Vec<u8> {
    let mut parts = Parts { text, max, units: Units::of(text), out: Vec::new() };
    let uri = if is_query { Uri { query: Some(text), ..Uri::default() } } else { Uri::split(text) };
    let error = (!is_query).then(|| Uri::parse(text).err()).flatten();
    let at = error.map_or(u32::MAX, |error| Units::of(text).at(error.offset));
    parts.words([at, error.map_or(0, |error| error_number(error.kind)), 0, 0]);
    if let Some(scheme) = uri.scheme {
        parts.push(Kind::Scheme, scheme);
    }
    if let Some(authority) = uri.authority_parts() {
        if let Some(userinfo) = authority.userinfo {
            parts.push(Kind::Userinfo, userinfo);
        }
        parts.push(Kind::Host, authority.host);
        if let Some(port) = authority.port {
            parts.push(Kind::Port, port);
        }
    }
    let is_rooted = uri.path.starts_with('/');
    if !uri.path.is_empty() {
        for segment in uri.segments().skip(usize::from(is_rooted)) {
            parts.part(Kind::Segment, &segment);
        }
    }
    for pair in uri.query_pairs() {
        if parts.max < 2 {
            break;
        }
        parts.part(Kind::Name, &pair.name);
        if let Some(value) = &pair.value {
            parts.part(Kind::Value, value);
        }
    }
    if let Some(fragment) = uri.fragment {
        parts.push(Kind::Fragment, fragment);
    }
    parts.out
}

/// Returns the number of a kind of error:
///
/// - from 1 on, if a component has a character that RFC 3986 doesn't allow there;
/// - from 11 on, if a component has a malformed escape;
/// - from 21 on, for all other errors.
fn error_number(kind: UriErrorKind) -> u32 {
    match kind {
        UriErrorKind::Character(component) => 1 + component as u32,
        UriErrorKind::Escape(component) => 11 + component as u32,
        UriErrorKind::Scheme => 21,
        UriErrorKind::Port => 22,
        UriErrorKind::IpLiteral => 23,
        _ => 24,
    }
}

struct Parts<'a> {
    text: &'a str,
    max: usize,
    units: Units<'a>,
    out: Vec<u8>,
}

impl Parts<'_> {
    fn words(&mut self, words: [u32; FIELDS]) {
        self.out.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }

    fn part(&mut self, kind: Kind, part: &Part<'_>) {
        self.push(kind, part.raw());
    }

    /// Adds a part. `raw` is a slice of the text.
    fn push(&mut self, kind: Kind, raw: &str) {
        if self.max == 0 {
            return;
        }
        self.max -= 1;
        let offset = raw.as_ptr().addr() - self.text.as_ptr().addr();
        let start = self.units.at(offset);
        let end = self.units.at(offset + raw.len());
        let layers = Decoder::new().decode_layers(raw, MAX_LAYERS).layers;
        self.words([kind as u32, start, end - start, layers as u32]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, is_query: bool) -> Vec<(u32, &str, u32)> {
        let bytes = split(text, is_query, usize::MAX);
        let words: Vec<u32> = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        let part = |part: &[u32]| (part[0], &text[part[1] as usize..][..part[2] as usize], part[3]);
        words[FIELDS..].chunks_exact(FIELDS).map(part).collect()
    }

    #[test]
    fn parts_are_reported_with_their_layers() {
        let url = "https://me@h.example:8080/a/b%2Fc?q=%252B&next#f%20";
        assert_eq!(
            parts(url, false),
            [
                (0, "https", 0),
                (1, "me", 0),
                (2, "h.example", 0),
                (3, "8080", 0),
                (4, "a", 0),
                (4, "b%2Fc", 1),
                (5, "q", 0),
                (6, "%252B", 2),
                (5, "next", 0),
                (7, "f%20", 1),
            ]
        );
        assert_eq!(parts("a=1&b", true), [(5, "a", 0), (6, "1", 0), (5, "b", 0)]);
        assert_eq!(parts("a=1&b=2", true).len(), 4);
    }

    #[test]
    fn offsets_and_errors_are_in_utf16() {
        let bytes = split("http://h/é b", false, usize::MAX);
        assert_eq!(bytes[..8], [9, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(bytes[16 * 3 + 4..16 * 3 + 12], [9, 0, 0, 0, 3, 0, 0, 0]);
    }
}
