//! The user, the password and the hosts of an authority.

use core::iter::FusedIterator;

use memchr::{memchr, memchr2};

use super::Authority;
use super::parts::Part;

impl<'a> Authority<'a> {
    /// Returns the name of the user, not yet decoded: the userinfo before its first `:` (RFC 3986 3.2.1).
    ///
    /// Split first, then decode: `us%3Aer:p` has the user `us:er`. The offset in the result counts from the start of
    /// the authority.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Authority;
    ///
    /// let authority = Authority::split("us%3Aer:p%40ss@h");
    /// assert_eq!(authority.user().unwrap().decode_utf8()?, "us:er");
    /// assert_eq!(authority.password().unwrap().decode_utf8()?, "p@ss");
    /// assert_eq!(Authority::split("h").user(), None);
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    #[must_use]
    pub fn user(&self) -> Option<Part<'a>> {
        let userinfo = self.userinfo?;
        let end = memchr(b':', userinfo.as_bytes()).unwrap_or(userinfo.len());
        Some(Part::new(&userinfo[..end], 0))
    }

    /// Returns the password, not yet decoded: the userinfo after its first `:` (RFC 3986 3.2.1).
    ///
    /// If the userinfo has no `:`, returns `None`. The password may contain more colons. Never log it. To hide it in a
    /// text, call [`redact`](super::redact).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Authority;
    ///
    /// assert_eq!(Authority::split("me:a:b@h").password().map(|part| part.raw()), Some("a:b"));
    /// assert_eq!(Authority::split("me:@h").password().map(|part| part.raw()), Some(""));
    /// assert_eq!(Authority::split("me@h:80").password(), None);
    /// ```
    #[must_use]
    pub fn password(&self) -> Option<Part<'a>> {
        let userinfo = self.userinfo?;
        let start = memchr(b':', userinfo.as_bytes())? + 1;
        Some(Part::new(&userinfo[start..], start))
    }

    /// Splits the hosts of a connection string at each comma that isn't in brackets. Each item is an authority without
    /// userinfo.
    ///
    /// RFC 3986 has only one host, and its name may contain commas. But PostgreSQL, MongoDB, Kafka and others write
    /// several hosts, each with its own port. Split such a URL with [`Uri::split`](super::Uri::split), because
    /// [`Uri::parse`](super::Uri::parse) rejects the comma in the port. If there is only one host, there is one item.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Authority, Uri};
    ///
    /// let uri = Uri::split("postgresql://u:p@h1:5432,[::1]:5433,h3/db");
    /// let hosts: Vec<_> = uri.authority_parts().unwrap().hosts().map(|one| (one.host, one.port)).collect();
    /// assert_eq!(hosts, [("h1", Some("5432")), ("[::1]", Some("5433")), ("h3", None)]);
    ///
    /// assert_eq!(Authority::split("h:1").hosts().count(), 1);
    /// ```
    #[must_use]
    pub fn hosts(&self) -> Hosts<'a> {
        Hosts { host: Some(self.host), port: self.port }
    }
}

/// An iterator over the hosts of an authority. Created by [`Authority::hosts`].
#[derive(Clone, Debug)]
pub struct Hosts<'a> {
    /// The text that isn't split yet, up to its first `:` outside brackets. At the end of the iteration, this is
    /// `None`.
    host: Option<&'a str>,
    /// The text after this `:`.
    port: Option<&'a str>,
}

impl<'a> Iterator for Hosts<'a> {
    type Item = Authority<'a>;

    fn next(&mut self) -> Option<Authority<'a>> {
        let hosts = self.host?;
        let from = bracket_end(hosts.as_bytes());
        if let Some(at) = memchr(b',', &hosts.as_bytes()[from..]) {
            self.host = Some(&hosts[from + at + 1..]);
            return Some(Authority { userinfo: None, host: &hosts[..from + at], port: None });
        }
        let port = self.port.take();
        let end = port.and_then(|port| memchr(b',', port.as_bytes()));
        let (port, rest) = match (port, end) {
            (Some(port), Some(end)) => (Some(&port[..end]), Some(&port[end + 1..])),
            _ => (port, None),
        };
        self.host = None;
        if let Some((host, port)) = rest.map(split_port) {
            (self.host, self.port) = (Some(host), port);
        }
        Some(Authority { userinfo: None, host: hosts, port })
    }
}

impl FusedIterator for Hosts<'_> {}

/// If `host` starts with the `[` of an IP literal, returns the offset of the `]`. If this `]` is missing, returns the
/// length of `host`. If `host` doesn't start with `[`, returns 0.
fn bracket_end(host: &[u8]) -> usize {
    match host.first() {
        Some(b'[') => memchr(b']', host).unwrap_or(host.len()),
        _ => 0,
    }
}

/// Splits a host, or a list of hosts, before the first `:` that isn't in the brackets of an IP literal.
pub(super) fn split_port(text: &str) -> (&str, Option<&str>) {
    let bytes = text.as_bytes();
    let mut start = 0;
    loop {
        // The next host starts after a comma.
        let from = start + bracket_end(&bytes[start..]);
        match memchr2(b':', b',', &bytes[from..]).map(|at| from + at) {
            Some(at) if bytes[at] == b':' => return (&text[..at], Some(&text[at + 1..])),
            Some(at) => start = at + 1,
            None => return (text, None),
        }
    }
}
