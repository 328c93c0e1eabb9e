//! The parts of values that are counted.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3, memrchr};
use percent_simd::{Decoder, Plus};
use percent_simd_records::formats::{Syntax, is_ipv6};
use percent_standards::uri::{TargetBounds, TargetForm, redact_bytes};

use crate::component::host_and_port_len;

/// Returns the host with its port, the path and the query of a URL or target. A missing part is `None`.
pub fn split(url: &[u8], syntax: Syntax) -> (Option<&[u8]>, Option<&[u8]>, Option<&[u8]>) {
    let url = match syntax {
        Syntax::Target => url,
        _ => &url[..memchr(b'#', url).unwrap_or(url.len())],
    };
    // We split a reference like a target, so `//host/x` counts as a path. References that begin with `//` and a host are rare.
    let (server, url) = url.split_at(host_and_port_len(url));
    let bounds = TargetBounds::split(url);
    let path = match &url[bounds.path()] {
        b"" if bounds.form() == TargetForm::Absolute && bounds.authority().is_some() => Some(&b"/"[..]),
        path => Some(path).filter(|path| !path.is_empty()),
    };
    let host = if server.is_empty() { bounds.authority().map(|range| &url[range]) } else { Some(server) };
    let host = host.map(|authority| &authority[memrchr(b'@', authority).map_or(0, |at| at + 1)..]);
    (host, path, bounds.query().map(|range| &url[range]))
}

/// Returns the status in a value that may have several parts. Squid writes the result of its cache before the status, and other
/// proxies write a second number after it: `TCP_MISS/200` and `403/80`. If the value is a word, returns `None`.
pub fn status_in(value: &[u8]) -> Option<&[u8]> {
    let is_status = |part: &&[u8]| part.len() == 3 && part.iter().all(u8::is_ascii_digit);
    let mut parts = value.split(|&byte| byte == b'/');
    let part = parts.clone().find(is_status).or_else(|| parts.next_back())?;
    part.first().is_some_and(u8::is_ascii_digit).then_some(part)
}

/// Returns the client in a value, in the same spelling whether its port follows or not.
pub fn client_in(value: &[u8]) -> &[u8] {
    // Some programs write a `;` after each value.
    let client = first_of(value);
    match without_port(client.strip_suffix(b";").unwrap_or(client)) {
        [b'[', address @ .., b']'] if memchr(b':', address).is_some() => address,
        client => client,
    }
}

/// Returns the first of the clients in a list. In `X-Forwarded-For`, proxies follow the client.
fn first_of(clients: &[u8]) -> &[u8] {
    clients.split(|&byte| byte == b',').next().unwrap_or_default()
}

/// Returns a client without its port. Some programs write a port after an IPv6 address without brackets around the address. We
/// know that it is a port if the address isn't valid with it.
fn without_port(client: &[u8]) -> &[u8] {
    let Some(at) = memrchr(b':', client) else { return client };
    let (host, port) = (&client[..at], &client[at + 1..]);
    let is_after_ipv6 = || !is_ipv6(client) && is_ipv6(host) && port.iter().all(u8::is_ascii_digit);
    // A dot is in an IPv4 address or a name, and a zone after `%` has no colon.
    let has_port = memchr3(b'.', b'%', b']', host).is_some() || is_after_ipv6();
    if has_port { host } else { client }
}

// The next two functions search for an escape before they set up a decoder, because few names have an escape, and the
// search takes less time than a decoder.

pub fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'%', text) {
        None => Cow::Borrowed(text),
        Some(_) => Decoder::new().decode(text),
    }
}

pub fn decoded_name(text: &[u8]) -> Cow<'_, [u8]> {
    match memchr2(b'%', b'+', text) {
        None => Cow::Borrowed(text),
        Some(_) => Decoder::new().plus(Plus::Always).decode(text),
    }
}

/// Hides the passwords in a decoded text if `redacts` is true.
pub fn hidden(text: Cow<'_, [u8]>, redacts: bool) -> Cow<'_, [u8]> {
    match text {
        text if !redacts => text,
        Cow::Borrowed(text) => redact_bytes(text),
        Cow::Owned(text) => Cow::Owned(redact_bytes(&text).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_clients_are_split() {
        let text = |part: Option<&[u8]>| part.map(|part| String::from_utf8_lossy(part).into_owned());
        let parts = |url: &str, syntax| {
            let (authority, path, query) = split(url.as_bytes(), syntax);
            [text(authority), text(path), text(query)].map(Option::unwrap_or_default)
        };
        for syntax in [Syntax::Target, Syntax::Reference] {
            assert_eq!(parts("http://h:80/p?u=http://x/", syntax), ["h:80", "/p", "u=http://x/"]);
            assert_eq!(parts("https://h", syntax), ["h", "/", ""]);
            assert_eq!(parts("https://h?q", syntax), ["h", "/", "q"]);
            assert_eq!(parts("/r?u=http://x/", syntax), ["", "/r", "u=http://x/"]);
            assert_eq!(parts("//h/x", syntax), ["", "//h/x", ""]);
        }
        assert_eq!(parts("/a/b?c=d#e", Syntax::Reference), ["", "/a/b", "c=d"]);
        assert_eq!(parts("/a#b?c=d#e", Syntax::Target), ["", "/a#b", "c=d#e"]);
        assert_eq!(parts("h:443", Syntax::Target), ["h:443", "", ""]);
        assert_eq!(parts("*", Syntax::Target), ["", "", ""]);
        for (client, bare) in [
            ("1.2.3.4:56", "1.2.3.4"),
            ("::1", "::1"),
            ("[::1]:80", "[::1]"),
            ("h", "h"),
            ("::1:52114", "::1"),
            ("::1:443", "::1:443"),
            ("2001:db8:0:0:0:0:0:1:443", "2001:db8:0:0:0:0:0:1"),
            ("2001:db8:0:0:0:0:0:1", "2001:db8:0:0:0:0:0:1"),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.1"),
            ("::ffff:192.0.2.1:443", "::ffff:192.0.2.1"),
            ("fe80::1%eth0:443", "fe80::1%eth0"),
        ] {
            assert_eq!(without_port(client.as_bytes()), bare.as_bytes());
        }
        for (value, client) in [
            ("192.0.2.1, 192.0.2.2", "192.0.2.1"),
            ("192.0.2.1;", "192.0.2.1"),
            ("[fd00::1]:80", "fd00::1"),
            ("[fd00::1]", "fd00::1"),
            ("fd00::1", "fd00::1"),
            ("[filtered]", "[filtered]"),
        ] {
            assert_eq!(client_in(value.as_bytes()), client.as_bytes());
        }
        for (value, status) in [
            ("200", Some("200")),
            ("TCP_MISS/200", Some("200")),
            ("403/80", Some("403")),
            ("200/0", Some("200")),
            ("403/200", Some("403")),
            ("0", Some("0")),
            ("a/0", Some("0")),
            ("ok", None),
            ("200/ok", Some("200")),
            ("", None),
        ] {
            assert_eq!(status_in(value.as_bytes()), status.map(str::as_bytes), "{value}");
        }
    }
}
