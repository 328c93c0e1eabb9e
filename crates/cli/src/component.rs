//! Decodes text that can be split again, such as a path or a query.
//!
//! If all escapes of `/a%2Fb` were decoded, the result would be the path `/a/b`, which is a different path. So the
//! escapes of separators stay. But `%252F` also decodes to `%2F`, so a `%2F` in the result could come from `%2F` or
//! from `%252F`. To prevent this, a `%25` stays as well if decoding it would make an escape of a separator.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};
use percent_simd::internal::triplet;
use percent_simd::{ByteSet, Decoder};

/// Returns true if decoding the `%25` of `text` would make an escape of a separator. If so, the `%25` has to stay.
pub fn hides_separators(text: &[u8], separators: ByteSet) -> bool {
    // Without `%25` and malformed escapes, decoding can't produce an escape.
    let can_produce = |at: usize| matches!(triplet(text, at), None | Some(b'%'));
    !separators.is_empty()
        && memchr_iter(b'%', text).any(can_produce)
        && count(&Decoder::new().keep(separators).decode(text), separators | PERCENT) != count(text, separators)
}

/// The byte whose escapes also stay if [`hides_separators`] returns true. If they stay, decoding makes no new escapes
/// at all.
pub const PERCENT: ByteSet = ByteSet::of(b"%");

/// Returns the number of escapes of bytes in `set`.
fn count(text: &[u8], set: ByteSet) -> usize {
    memchr_iter(b'%', text).filter(|&at| triplet(text, at).is_some_and(|byte| set.contains(byte))).count()
}

/// Returns the decoded path. Escaped slashes stay escaped, with their digits in upper case.
pub fn decoded_path(path: &[u8]) -> Cow<'_, [u8]> {
    const SLASH: ByteSet = ByteSet::of(b"/");
    if memchr(b'%', path).is_none() {
        return Cow::Borrowed(path);
    }
    let keep = if hides_separators(path, SLASH) { SLASH | PERCENT } else { SLASH };
    Decoder::new().keep_upper(keep).decode(path)
}

/// Returns the length of the host and port at the start of a URL without a scheme, as in `localhost:80/a` and
/// `h.example:443`, or 0. Proxies write a server in this form. RFC 3986 would read the host as a scheme.
pub fn host_and_port_len(url: &[u8]) -> usize {
    let is_in_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let host = url.iter().take_while(is_in_host).count();
    let Some(rest) = url[host..].strip_prefix(b":") else { return 0 };
    let port = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let has_path =
        matches!(rest[port..], [b'/'] | [b'?', ..]) || rest[port..].starts_with(b"/") && rest[port + 1] != b'/';
    let has_dot = url[..host].contains(&b'.');
    // `javascript:1/2` has a scheme.
    let is_port = has_dot || port >= 4 || [&b"80"[..], b"443"].contains(&&rest[..port]);
    let is_host = host > 0 && (1..=5).contains(&port) && is_port && (has_path || has_dot && rest.len() == port);
    if is_host { host + 1 + port } else { 0 }
}

#[cfg(test)]
mod tests {
    use percent_simd_oracle::check;

    use super::*;

    /// Returns the segments of a path, each decoded.
    fn segments(path: &[u8]) -> Vec<Vec<u8>> {
        path.split(|&byte| byte == b'/').map(|segment| Decoder::new().decode(segment).into_owned()).collect()
    }

    #[test]
    fn a_port_tells_a_host_from_a_scheme() {
        for (host, rest) in [
            ("localhost:80", "/a"),
            ("h:443", "/"),
            ("h.example:443", ""),
            ("h.example:443", "?a=b"),
            ("192.0.2.1:80", "/"),
            ("", "tel:911"),
            ("", "javascript:1/2"),
            ("", "urn:1:2"),
            ("", "http://h:80/"),
            ("", "h:80//a"),
            ("", ":80/"),
            ("", "h:123456/"),
            ("", "/a:80/"),
            ("", "h:/a"),
            ("", ""),
            ("", "h"),
        ] {
            assert_eq!(host_and_port_len(format!("{host}{rest}").as_bytes()), host.len(), "{host}{rest}");
        }
    }

    #[test]
    fn different_paths_stay_different() {
        for (path, decoded) in [
            ("/a%2fb%20c", "/a%2Fb c"),
            ("/a/b%20c", "/a/b c"),
            ("/a%252Fb", "/a%252Fb"),
            ("/a%25252Fb", "/a%25252Fb"),
            ("/100%25", "/100%"),
            ("/%2541", "/%41"),
            ("/100%/%41", "/100%/A"),
            ("/%%32F%41", "/%%32FA"),
        ] {
            assert_eq!(String::from_utf8_lossy(&decoded_path(path.as_bytes())), decoded, "{path}");
        }
    }

    #[test]
    fn escaped_separators_stay_and_no_others_appear() {
        const PIECES: [&str; 12] = ["/", "%2F", "%2f", "%25", "%", "2", "F", "%32", "%46", "a", "%61", "%C3"];
        fn holds(text: Vec<u8>) -> bool {
            let path: Vec<u8> =
                text.iter().flat_map(|&byte| PIECES[usize::from(byte) % PIECES.len()].bytes()).collect();
            let out = decoded_path(&path);
            let slash = ByteSet::of(b"/");
            assert_eq!(segments(&out).len(), segments(&path).len(), "{}", path.escape_ascii());
            assert_eq!(count(&out, slash), count(&path, slash), "{} {}", path.escape_ascii(), out.escape_ascii());
            true
        }
        check(20_000, holds as fn(Vec<u8>) -> bool);
    }
}
