//! Defines [`Authority`], an authority that is split into its parts (RFC 3986 3.2).

use core::net::Ipv4Addr;

use memchr::memrchr;

use super::check::{Grammar, HostKind, check_component_at, check_host, fault, ip_literal};
use super::credentials::split_port;
use super::error::{Component, UriError, UriErrorKind};

/// An authority, split (RFC 3986 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authority<'a> {
    /// The text before the last `@` (3.2.1). The grammar allows at most one `@`.
    pub userinfo: Option<&'a str>,
    /// The host. It may be empty. An IP literal includes its brackets (3.2.2).
    pub host: &'a str,
    /// The text after the first `:` that follows the userinfo and isn't in brackets. This text may be empty (3.2.3).
    pub port: Option<&'a str>,
}

impl<'a> Authority<'a> {
    /// Splits any text as the authority of a URI.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Authority, HostKind};
    ///
    /// let authority = Authority::split("me:secret@[::1]:8080");
    /// assert_eq!(authority, Authority { userinfo: Some("me:secret"), host: "[::1]", port: Some("8080") });
    /// assert_eq!(authority.host_kind(), Some(HostKind::Ipv6));
    /// ```
    #[must_use]
    pub fn split(authority: &'a str) -> Authority<'a> {
        let (userinfo, rest) = match memrchr(b'@', authority.as_bytes()) {
            Some(at) => (Some(&authority[..at]), &authority[at + 1..]),
            None => (None, authority),
        };
        let (host, port) = split_port(rest);
        Authority { userinfo, host, port }
    }

    /// Returns the form of the host. If the host isn't valid by the grammar, returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Authority, HostKind};
    ///
    /// let kind = |authority| Authority::split(authority).host_kind();
    /// assert_eq!(kind("127.0.0.1:80"), Some(HostKind::Ipv4));
    /// assert_eq!(kind("127.0.0.256"), Some(HostKind::RegName));
    /// assert_eq!(kind("[127.0.0.1]"), None);
    /// ```
    #[must_use]
    pub fn host_kind(&self) -> Option<HostKind> {
        match self.host.strip_prefix('[') {
            Some(literal) => ip_literal(literal.strip_suffix(']')?),
            None if self.host.parse::<Ipv4Addr>().is_ok() => Some(HostKind::Ipv4),
            None => {
                check_component_at(self.host, 0, Component::Host, Grammar::Uri).is_ok().then_some(HostKind::RegName)
            }
        }
    }

    /// Returns true if the authority is valid by every [`Grammar`]. The caller has already checked that the authority
    /// has no brackets, and only characters that a URI may contain.
    pub(super) fn is_plain(&self) -> bool {
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        !self.userinfo.is_some_and(|userinfo| userinfo.contains('@')) && self.port.is_none_or(is_number)
    }

    /// Returns the first fault of this authority, which starts at `offset`.
    pub(super) fn check(&self, offset: usize, grammar: Grammar) -> Result<(), UriError> {
        let host_offset = offset + self.userinfo.map_or(0, |userinfo| userinfo.len() + 1);
        if let Some(userinfo) = self.userinfo {
            check_component_at(userinfo, offset, Component::Userinfo, grammar)?;
        }
        check_host(self.host, host_offset, grammar)?;
        match self.port.and_then(|port| port.bytes().position(|byte| !byte.is_ascii_digit())) {
            Some(at) => fault(host_offset + self.host.len() + 1 + at, UriErrorKind::Port),
            None => Ok(()),
        }
    }
}

/// Splits a host before its zone (RFC 6874 2). For example, splits `[fe80::1%25eth0]` into `[fe80::1` and `%25eth0]`.
///
/// The letters of a zone are case-sensitive. The other letters of a host are not (RFC 3986 3.2.2).
pub(super) fn split_zone(host: &str) -> (&str, &str) {
    let zone = if host.starts_with('[') { host.as_bytes().windows(3).position(|three| three == b"%25") } else { None };
    host.split_at(zone.unwrap_or(host.len()))
}
