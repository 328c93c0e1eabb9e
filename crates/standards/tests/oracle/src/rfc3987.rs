//! Runs the steps of RFC 3987 3.1 and 3.2 character by character.

use percent_simd_oracle::triplet;

/// The ranges of `ucschar`, as they are printed in 2.2.
const UCSCHAR: [(u32, u32); 17] = [
    (0xA0, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFEF),
    (0x10000, 0x1FFFD),
    (0x20000, 0x2FFFD),
    (0x30000, 0x3FFFD),
    (0x40000, 0x4FFFD),
    (0x50000, 0x5FFFD),
    (0x60000, 0x6FFFD),
    (0x70000, 0x7FFFD),
    (0x80000, 0x8FFFD),
    (0x90000, 0x9FFFD),
    (0xA0000, 0xAFFFD),
    (0xB0000, 0xBFFFD),
    (0xC0000, 0xCFFFD),
    (0xD0000, 0xDFFFD),
    (0xE1000, 0xEFFFD),
];
const IPRIVATE: [(u32, u32); 3] = [(0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)];
/// The bidi controls of 4.1.
pub const BIDI: [u32; 7] = [0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E];
/// The bidi controls that are newer than the RFC.
pub const BIDI_SINCE: [u32; 5] = [0x61C, 0x2066, 0x2067, 0x2068, 0x2069];

fn is_in(ranges: &[(u32, u32)], c: char) -> bool {
    ranges.iter().any(|&(first, last)| (first..=last).contains(&(c as u32)))
}

/// Returns true if the character is a `ucschar`.
pub fn ucschar(c: char) -> bool {
    is_in(&UCSCHAR, c)
}

/// Returns true if the character is an `iprivate`.
pub fn iprivate(c: char) -> bool {
    is_in(&IPRIVATE, c)
}

/// Writes each byte as a triplet.
pub fn triplets(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("%{byte:02X}")).collect()
}

/// Converts an IRI to a URI with step 2 of 3.1.
pub fn naive_to_uri(iri: &str) -> String {
    iri.chars()
        .map(|c| if ucschar(c) || iprivate(c) { triplets(c.to_string().as_bytes()) } else { c.to_string() })
        .collect()
}

/// If a triplet is at the start of `text`, returns its byte.
fn byte(text: &str) -> Option<u8> {
    triplet(text.as_bytes())
}

/// Converts the triplets of the first character of `text` as in 3.2. Returns the result, and the number of bytes that
/// were read.
fn naive_triplets(text: &str, query: bool) -> (String, usize) {
    let Some(first) = byte(text) else { return (String::new(), 0) };
    if first < 0x80 {
        let c = char::from(first);
        let unreserved = c.is_ascii_alphanumeric() || "-._~".contains(c);
        return (if unreserved { c.to_string() } else { text[..3].to_string() }, 3);
    }
    let bytes: Vec<u8> = (0..4).map_while(|n| byte(text.get(3 * n..)?)).collect();
    for n in 2..=bytes.len() {
        let Ok(legal) = std::str::from_utf8(&bytes[..n]) else { continue };
        let Some(c) = legal.chars().next() else { continue };
        let bidi = BIDI.contains(&(c as u32)) || BIDI_SINCE.contains(&(c as u32));
        let stands = (ucschar(c) || query && iprivate(c)) && !bidi;
        return (if stands { c.to_string() } else { triplets(&bytes[..n]) }, 3 * n);
    }
    (triplets(&bytes[..1]), 3)
}

/// Converts a URI to an IRI as in 3.2.
///
/// Two kinds of text stay as they are: an escaped scheme, and a malformed `%` together with the digits that could
/// complete it.
pub fn naive_to_iri(uri: &str) -> String {
    if let Some((scheme, rest)) = uri.split_once(':')
        && scheme.contains('%')
        && !scheme.contains(['/', '?', '#'])
    {
        return format!("{scheme}:{}", naive_triplets_decoded(rest));
    }
    naive_triplets_decoded(uri)
}

fn naive_triplets_decoded(uri: &str) -> String {
    let mut out = String::new();
    let (mut query, mut fragment) = (false, false);
    // The number of digits that the last malformed `%` still lacks.
    let mut digits = 0;
    let mut rest = uri;
    while let Some(c) = rest.chars().next() {
        let is_digit = byte(rest).unwrap_or(rest.as_bytes()[0]).is_ascii_hexdigit();
        let kept = digits > 0 && is_digit;
        digits = if kept { digits - 1 } else { 0 };
        let (piece, read) = naive_triplets(rest, query && !fragment);
        let (piece, read) = match read {
            0 => (c.to_string(), c.len_utf8()),
            _ if kept => (rest[..3].to_string(), 3),
            _ => (piece, read),
        };
        if c == '%' && byte(rest).is_none() {
            digits = 2;
        }
        query |= c == '?';
        fragment |= c == '#';
        out += &piece;
        rest = &rest[read..];
    }
    out
}
