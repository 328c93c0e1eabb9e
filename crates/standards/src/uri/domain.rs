//! The registrable domain of a host, by the public suffix list.

use alloc::string::{String, ToString};

use percent_simd::Decoder;

/// The maximum length of a host that is a domain name. A domain name has up to 253 characters (RFC 1035 2.3.4). Each
/// character has up to four bytes, and each byte can be written as an escape of three bytes.
const LONGEST: usize = 253 * 4 * 3;

/// Returns the registrable domain of `host`: its public suffix and the label before it. The result is decoded and in
/// lower case.
///
/// Use it to group hosts by their owner. The list of public suffixes (<https://publicsuffix.org>) is the version in the
/// crate `psl`. If the host is an address, is itself a public suffix, or is longer than a domain name can be, returns
/// `None`. A host is decoded before it is looked up (RFC 3986 3.2.2), so an escaped dot separates labels. A dot at the
/// end is removed. If the last label is a number, the host is an IPv4 address (WHATWG URL 3.5).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::registrable_domain;
///
/// assert_eq!(registrable_domain("www.Example.co.uk").as_deref(), Some("example.co.uk"));
/// assert_eq!(registrable_domain("a.b%2Eexample.com.").as_deref(), Some("example.com"));
/// assert_eq!(registrable_domain("co.uk"), None);
/// assert_eq!(registrable_domain("127.0.0.1."), None);
/// assert_eq!(registrable_domain("[::1]"), None);
/// ```
#[must_use]
pub fn registrable_domain(host: &str) -> Option<String> {
    if host.len() > LONGEST {
        return None;
    }
    let decoded = Decoder::new().decode(host);
    let host = str::from_utf8(&decoded).ok()?.to_lowercase();
    let host = host.strip_suffix('.').unwrap_or(&host);
    let last = host.rsplit('.').next().unwrap_or(host);
    if host.starts_with('[') || last.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    psl::domain_str(host).map(ToString::to_string)
}
