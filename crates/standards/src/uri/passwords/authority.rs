//! The grammar of an authority in a text, and the delimiters in it, which may be escaped.

use memchr::{memchr, memchr_iter, memchr2, memrchr};
use percent_simd::{ByteSet, RawEncoder, sets};

/// Bytes at the end of a URL that probably belong to the sentence or the list around the URL.
const CLOSING: ByteSet = ByteSet::of(b"'),;]}.!*");

/// Returns true if a URL may have this authority. The authority may list several hosts. `rest` is the text after the
/// authority.
///
/// The check is a bit stricter than RFC 3986 3.2. A port must not be empty. A host must not be empty if it is before a
/// port or after an `@`.
pub(super) fn is_valid(authority: &[u8], rest: &[u8]) -> bool {
    static USERINFO: RawEncoder =
        RawEncoder::new(sets::RFC3986_USERINFO.union(ByteSet::range(0x80, 0xFF))).keep_triplets();
    static HOST: RawEncoder = RawEncoder::new(sets::RFC3986_REG_NAME.union(ByteSet::range(0x80, 0xFF))).keep_triplets();
    let mut end = authority.len();
    match rest {
        [b'/' | b'?' | b'#', ..] | [b'\\', b'/' | b'\\', ..] => {}
        // In JSON, `\"` ends a text.
        [b'\\', byte, ..] if *byte != b'"' => return false,
        _ => end = authority.iter().rposition(|&byte| !CLOSING.contains(byte)).map_or(0, |at| at + 1),
    }
    // If the `]` ends an IPv6 address, it belongs to the authority.
    end += usize::from(authority.get(end) == Some(&b']') && authority[..end].contains(&b'['));
    let authority = &authority[..end];
    let (userinfo, mut hosts) = match memrchr(b'@', authority) {
        Some(at) => (Some(&authority[..at]), &authority[at + 1..]),
        None => (None, authority),
    };
    if userinfo.is_some_and(|userinfo| USERINFO.first_changed(userinfo).is_some()) {
        return false;
    }
    if userinfo.is_none() && hosts.is_empty() {
        return true;
    }
    // In `u:1,p%40h`, someone escaped the `@` by mistake. The text after the comma is no second host.
    if memchr(b',', hosts).is_some() && memchr_iter(b'%', hosts).any(|at| symbol(hosts, at).0 == b'@') {
        return false;
    }
    loop {
        let (host, after) = match hosts {
            [b'[', ..] => hosts.split_at(memchr(b']', hosts).map_or(0, |at| at + 1)),
            _ => hosts.split_at(memchr2(b':', b',', hosts).unwrap_or(hosts.len())),
        };
        if host.is_empty() || host[0] != b'[' && HOST.first_changed(host).is_some() {
            return false;
        }
        let port = after.strip_prefix(b":").map(|rest| &rest[..memchr(b',', rest).unwrap_or(rest.len())]);
        if port.is_some_and(|port| !is_port(port)) {
            return false;
        }
        match &after[port.map_or(0, |port| port.len() + 1)..] {
            [] => return true,
            [b',', rest @ ..] => hosts = rest,
            _ => return false,
        }
    }
}

/// Returns true for a number from 0 to 65535 that has at most five digits.
pub(super) fn is_port(text: &[u8]) -> bool {
    let number = || text.iter().fold(0, |sum, digit| 10 * sum + u32::from(digit - b'0'));
    matches!(text.len(), 1..=5) && text.iter().all(u8::is_ascii_digit) && number() <= 0xFFFF
}

/// Returns the byte of `text` at `at`, and its length in the text. If the byte is an escape, or an escape that was escaped
/// again, it is decoded.
pub(super) fn symbol(text: &[u8], at: usize) -> (u8, usize) {
    if text[at] != b'%' {
        return (text[at], 1);
    }
    let mut digits = at + 1;
    while text[digits..].starts_with(b"25") {
        digits += 2;
    }
    let digit = |at: usize| text.get(at).and_then(|&digit| char::from(digit).to_digit(16));
    match (digit(digits), digit(digits + 1)) {
        (Some(high), Some(low)) => ((high << 4 | low) as u8, digits + 2 - at),
        // No digits follow the `25`. So this is not an escape of an escape, but a malformed `%` with text after it.
        _ => (b'%', digits - at),
    }
}
