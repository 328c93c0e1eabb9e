//! The registrable domain of a host, by the public suffix list.

use alloc::string::{String, ToString};
use core::net::Ipv4Addr;

use percent_simd::Decoder;

/// The greatest length of a host that is a domain name: 253 characters (RFC 1035 2.3.4), each of up to four bytes, and each byte
/// as an escape.
const LONGEST: usize = 253 * 4 * 3;

/// Returns the registrable domain of `host`: its public suffix and one label before it, decoded and in lower case.
///
/// Use it to group hosts by their owner. The list of public suffixes (<https://publicsuffix.org>) is the version in the
/// crate `psl`. Returns `None` for an address, for a host that is itself a public suffix, and for a host that is longer
/// than a domain name can be. An escaped dot separates labels, because a host is decoded before it is looked up (RFC 3986
/// 3.2.2). A dot at the end is left out.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::registrable_domain;
///
/// assert_eq!(registrable_domain("www.Example.co.uk").as_deref(), Some("example.co.uk"));
/// assert_eq!(registrable_domain("a.b%2Eexample.com.").as_deref(), Some("example.com"));
/// assert_eq!(registrable_domain("co.uk"), None);
/// assert_eq!(registrable_domain("127.0.0.1"), None);
/// assert_eq!(registrable_domain("[::1]"), None);
/// ```
#[must_use]
pub fn registrable_domain(host: &str) -> Option<String> {
    if host.len() > LONGEST {
        return None;
    }
    let decoded = Decoder::new().decode(host);
    let host = str::from_utf8(&decoded).ok()?.to_lowercase();
    if host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok() {
        return None;
    }
    psl::domain_str(host.strip_suffix('.').unwrap_or(&host)).map(ToString::to_string)
}
