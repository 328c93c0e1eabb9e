//! Checks components by the grammars of URIs (RFC 3986 3), of IRIs (RFC 3987 2.2) and of URNs (RFC 8141 2).

use core::net::Ipv6Addr;

use memchr::memchr;

use percent_simd::{ByteSet, Encoder, RawEncoder, sets};

use super::error::{Component, UriError, UriErrorKind};
use super::ucschar::{FIRSTS_OF_NEITHER, find_refused, is_allowed_in_iri};

/// The form of a host (RFC 3986 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostKind {
    /// `IPv4address`: `127.0.0.1`.
    Ipv4,
    /// `IPv6address` in brackets: `[::1]`.
    Ipv6,
    /// `IPv6addrz` in brackets, with the zone that RFC 6874 adds: `[fe80::1%25eth0]`.
    Ipv6Zoned,
    /// `IPvFuture` in brackets: `[v7.x]`.
    IpvFuture,
    /// `reg-name`, which may be empty. Invalid IPv4 addresses like `256.0.0.1` are also a `reg-name`.
    RegName,
}

/// The characters that may follow the first one in `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (3.1).
const SCHEME: ByteSet = sets::ALPHANUMERIC.union(ByteSet::of(b"+-."));

/// The grammar for checking a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// RFC 3986.
    Uri,
    /// RFC 3986 with RFC 6874: an IPv6 address may have a zone.
    ZonedUri,
    /// RFC 3987.
    Iri,
}

/// Returns the offset of the first character that makes `scheme` invalid.
pub(super) fn scheme_error(scheme: &[u8]) -> Option<usize> {
    let starts = scheme.first().is_some_and(u8::is_ascii_alphabetic);
    if starts { scheme.iter().position(|&byte| !SCHEME.contains(byte)) } else { Some(0) }
}

pub(super) fn fault(offset: usize, kind: UriErrorKind) -> Result<(), UriError> {
    Err(UriError { offset, kind })
}

/// Checks that a URI may contain `text` as this component (RFC 3986 3; RFC 8141 2).
///
/// If a component doesn't allow a character, this character must be written as triplets. For a path, one rule isn't
/// checked: if the URI has an authority, the path must be empty or start with `/`.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Component, UriErrorKind, check_component};
///
/// assert_eq!(check_component("q=a%20b", Component::Query), Ok(()));
/// let error = check_component("q=a b", Component::Query).unwrap_err();
/// assert_eq!((error.offset, error.kind), (3, UriErrorKind::Character(Component::Query)));
/// assert_eq!(check_component("[::1]", Component::Host), Ok(()));
/// ```
///
/// # Errors
///
/// Returns the first character that the component doesn't allow, or the first `%` that starts no triplet. If a host is
/// in brackets but isn't an IP literal, returns [`UriErrorKind::IpLiteral`].
pub fn check_component(text: &str, component: Component) -> Result<(), UriError> {
    match component {
        Component::Host => check_host(text, 0, Grammar::Uri),
        Component::Nss | Component::RComponent | Component::QComponent => check_urn_component(text, 0, component),
        _ => check_component_at(text, 0, component, Grammar::Uri),
    }
}

/// Returns the first fault of a host that starts at `offset`.
pub(super) fn check_host(host: &str, offset: usize, grammar: Grammar) -> Result<(), UriError> {
    if !host.starts_with('[') {
        return check_component_at(host, offset, Component::Host, grammar);
    }
    let Some(end) = memchr(b']', host.as_bytes()) else {
        return fault(offset, UriErrorKind::IpLiteral);
    };
    match ip_literal(&host[1..end]) {
        Some(HostKind::Ipv6Zoned) if grammar == Grammar::ZonedUri => {}
        Some(HostKind::Ipv6 | HostKind::IpvFuture) => {}
        _ => fault(offset, UriErrorKind::IpLiteral)?,
    }
    if end + 1 < host.len() { fault(offset + end + 1, UriErrorKind::Character(Component::Host)) } else { Ok(()) }
}

/// Returns the first fault of a component that starts at `offset`.
pub(super) fn check_component_at(
    text: &str,
    offset: usize,
    component: Component,
    grammar: Grammar,
) -> Result<(), UriError> {
    // An encoder that keeps triplets changes exactly the characters that are faults. So the first change is the first
    // fault.
    const USERINFO: Encoder = super::USERINFO.keep_triplets();
    const HOST: Encoder = super::REG_NAME.keep_triplets();
    const PATH: Encoder = super::PATH.keep_triplets();
    const QUERY: Encoder = super::QUERY.keep_triplets();
    static ENCODERS: [Encoder; 4] = [USERINFO, HOST, PATH, QUERY];
    let [userinfo, host, path, query] = &ENCODERS;
    let found = match (grammar, component) {
        (Grammar::Iri, component) => find_iri_fault(text, component),
        (_, Component::Userinfo) => userinfo.first_changed(text),
        (_, Component::Host) => host.first_changed(text),
        (_, Component::Path | Component::Nss) => path.first_changed(text),
        (_, Component::Query | Component::Fragment | Component::RComponent | Component::QComponent) => {
            query.first_changed(text)
        }
    };
    match found {
        Some(at) if text.as_bytes()[at] == b'%' => fault(offset + at, UriErrorKind::Escape(component)),
        Some(at) => fault(offset + at, UriErrorKind::Character(component)),
        None => Ok(()),
    }
}

/// Returns the offset of the first character that this component of an IRI can't contain.
///
/// The component may contain triplets, and the characters of the same component in a URI. It may also contain the
/// characters above ASCII that an IRI allows there.
fn find_iri_fault(text: &str, component: Component) -> Option<usize> {
    const fn finder(set: ByteSet) -> RawEncoder {
        RawEncoder::new(set.union(ByteSet::range(0x80, 0xFF))).keep_triplets()
    }
    static USERINFO: RawEncoder = finder(sets::RFC3986_USERINFO);
    static HOST: RawEncoder = finder(sets::RFC3986_REG_NAME);
    static PATH: RawEncoder = finder(sets::RFC3986_PATH);
    static QUERY: RawEncoder = finder(sets::RFC3986_QUERY);
    /// Finds the first byte of each character above ASCII that a component can't contain. Also finds some characters
    /// that are allowed.
    static REFUSED: RawEncoder = RawEncoder::new(FIRSTS_OF_NEITHER.union(ByteSet::of(b"\xE2\xEE")).complement());
    let allowed = match component {
        Component::Userinfo => &USERINFO,
        Component::Host => &HOST,
        Component::Path => &PATH,
        _ => &QUERY,
    };
    let private = component == Component::Query;
    let ascii = allowed.first_changed(text);
    find_refused(&text[..ascii.unwrap_or(text.len())], &REFUSED, |c| !is_allowed_in_iri(c, private)).or(ascii)
}

/// Returns the first fault in a component of a URN. The component starts at `offset`.
///
/// Every component except the fragment must start with a `pchar` (RFC 8141 2).
pub(super) fn check_urn_component(text: &str, offset: usize, component: Component) -> Result<(), UriError> {
    match text.as_bytes().first() {
        _ if component == Component::Fragment => {}
        None => fault(offset, UriErrorKind::Empty(component))?,
        Some(b'/' | b'?') => fault(offset, UriErrorKind::Character(component))?,
        Some(_) => {}
    }
    check_component_at(text, offset, component, Grammar::Uri)
}

/// Returns the kind of the text between brackets (RFC 3986 3.2.2, RFC 6874 2). If it isn't a valid address, returns
/// `None`.
pub(super) fn ip_literal(text: &str) -> Option<HostKind> {
    /// `1*( unreserved / sub-delims / ":" )`
    const FUTURE: ByteSet = sets::RFC3986_USERINFO;
    if is_ipv6(text) {
        return Some(HostKind::Ipv6);
    }
    if let Some(future) = text.strip_prefix(['v', 'V']) {
        let (version, address) = future.split_once('.')?;
        let is_hex = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_address = !address.is_empty() && address.bytes().all(|byte| FUTURE.contains(byte));
        return (is_hex && is_address).then_some(HostKind::IpvFuture);
    }
    const ZONE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).keep_triplets();
    let (address, zone) = text.split_at(memchr(b'%', text.as_bytes())?);
    let zone = zone.strip_prefix("%25")?;
    (is_ipv6(address) && !zone.is_empty() && ZONE.first_changed(zone).is_none()).then_some(HostKind::Ipv6Zoned)
}

/// Returns true for an IPv6 address without brackets (RFC 3986 3.2.2, `IPv6address`).
#[inline(never)]
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}
