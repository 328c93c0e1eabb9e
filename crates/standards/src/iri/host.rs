//! Converts the hosts of IRIs to ASCII and back (UTS 46).

use alloc::borrow::Cow;
use core::ops::Range;

use percent_simd::{ByteSet, Decoder};

use super::{FIND_ENCODED, stays_encoded, to_iri};
use crate::memory;
use crate::uri::idn::{to_ascii, to_dns_name};
use crate::uri::ucschar::find_refused;
use crate::uri::{Uri, UriError, UriErrorKind};

/// The rules that [`host_to_ascii_with`] applies to host names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostRules {
    /// Allows names that the DNS can store. A name has at most 253 characters. Its labels have 1 to 63 letters, digits
    /// and hyphens, and no hyphen at the start or end.
    ///
    /// A dot may follow the last label. The rules are from RFC 3490 4.1 with `UseSTD3ASCIIRules`, and from [UTS 46
    /// 4.2](https://www.unicode.org/reports/tr46/#ToASCII) with `CheckHyphens` and `VerifyDnsLength`.
    #[default]
    Dns,
    /// Allows the domains that browsers accept in URLs. A domain may have any length.
    ///
    /// All ASCII characters are allowed except the [forbidden domain code
    /// points](https://url.spec.whatwg.org/#forbidden-domain-code-point), so `_` is allowed. The rules are from the
    /// domain parser in the [URL Standard 3.3](https://url.spec.whatwg.org/#concept-domain-to-ascii), with `beStrict`
    /// false.
    ///
    /// If a domain is in ASCII, there are no further checks. So a label may begin with `xn--` even if it isn't
    /// Punycode. The standard has had this rule since June 2026 (commit
    /// [a8d5ca3716c3](https://github.com/whatwg/url/commit/a8d5ca3716c31145d103d83d1cae65a881dd4d7a)). If the domain
    /// has a character above ASCII, such a label is still an error.
    Url,
}

/// Converts the host of `iri` to ASCII, as the DNS requires.
///
/// Each label is converted by `ToASCII` ([RFC 3987 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)), in its
/// version in [UTS 46](https://www.unicode.org/reports/tr46/). Only the host changes. To convert the other components,
/// call [`to_uri`](super::to_uri). This call is [`host_to_ascii_with`] with [`HostRules::Dns`].
///
/// # Examples
///
/// ```
/// use percent_standards::iri::{host_to_ascii, to_uri};
///
/// assert_eq!(to_uri(&host_to_ascii("http://résumé.example.org/é")?), "http://xn--rsum-bpad.example.org/%C3%A9");
/// assert_eq!(host_to_ascii("http://r%C3%A9sum%C3%A9.org")?, "http://xn--rsum-bpad.org");
/// assert_eq!(host_to_ascii("http://a..b/").unwrap_err().offset, 7);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// # Errors
///
/// If the host isn't a DNS name and can't be mapped to one, returns [`UriErrorKind::Host`] with the offset of the host.
///
/// # Panics
///
/// If memory cannot be allocated, panics or ends the process, as the standard library does.
pub fn host_to_ascii(iri: &str) -> Result<Cow<'_, str>, UriError> {
    host_to_ascii_with(iri, HostRules::Dns)
}

/// Converts the host of `iri` to ASCII by the given rules.
///
/// If the host is in ASCII, the rules check it, but it stays as it is, even if it has upper-case letters. The same
/// holds if the host has triplets that decode to ASCII. A host that begins with a bracket must be an address.
///
/// Borrows if no change is needed. This is the case if there is no host, or if the host is empty, an address in
/// brackets, or valid ASCII.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::{HostRules, host_to_ascii_with};
///
/// assert!(host_to_ascii_with("http://my_host/", HostRules::Dns).is_err());
/// assert_eq!(host_to_ascii_with("http://my_host/", HostRules::Url)?, "http://my_host/");
/// assert!(host_to_ascii_with("http://exa mple/", HostRules::Url).is_err());
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// # Errors
///
/// If the rules forbid the host, or if it can't be mapped, returns [`UriErrorKind::Host`] with the offset of the host.
///
/// # Panics
///
/// If memory cannot be allocated, panics or ends the process, as the standard library does.
pub fn host_to_ascii_with(iri: &str, rules: HostRules) -> Result<Cow<'_, str>, UriError> {
    let Some(host) = registered_name(iri) else {
        return match find_bad_address(iri) {
            Some(offset) => Err(UriError { offset, kind: UriErrorKind::Host }),
            None => Ok(Cow::Borrowed(iri)),
        };
    };
    let name = match rules {
        HostRules::Dns => to_iri(&iri[host.clone()]),
        // The host parser decodes triplets (URL Standard 3.5).
        HostRules::Url => Decoder::new().decode_utf8_lossy(&iri[host.clone()]),
    };
    let ascii = ascii_name(&name, rules).ok_or(UriError { offset: host.start, kind: UriErrorKind::Host })?;
    if name.is_ascii() {
        return Ok(Cow::Borrowed(iri));
    }
    Ok(Cow::Owned(memory::concat(&[&iri[..host.start], &ascii, &iri[host.end..]])))
}

/// Makes the host of `iri` readable. Labels that begin with `xn--` are converted by `ToUnicode`.
///
/// This is the inverse of [`host_to_ascii`] ([UTS 46](https://www.unicode.org/reports/tr46/)). Never fails.
///
/// Borrows if no label begins with `xn--`, or if the host already has a character above ASCII. Also borrows if
/// [`host_to_ascii`] couldn't convert the readable host back, because then a program couldn't look up the readable host
/// in the DNS.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::{host_to_unicode, to_iri};
/// assert_eq!(host_to_unicode(&to_iri("http://xn--rsum-bpad.org/%C3%A9")), "http://résumé.org/é");
/// ```
#[must_use]
pub fn host_to_unicode(iri: &str) -> Cow<'_, str> {
    use idna::uts46::{AsciiDenyList, Hyphens, Uts46};

    let Some(host) = registered_name(iri) else { return Cow::Borrowed(iri) };
    let ascii = &iri[host.clone()];
    let is_encoded = |label: &[u8]| label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--"));
    if !ascii.is_ascii() || !ascii.as_bytes().split(|&byte| byte == b'.').any(is_encoded) {
        return Cow::Borrowed(iri);
    }
    let (name, result) = Uts46::new().to_unicode(ascii.as_bytes(), AsciiDenyList::STD3, Hyphens::CheckFirstLast);
    let comes_back = || ascii_name(&name, HostRules::Dns).is_some_and(|back| back.eq_ignore_ascii_case(ascii));
    if result.is_err() || find_refused(&name, &FIND_ENCODED, |c| stays_encoded(c, false)).is_some() || !comes_back() {
        return Cow::Borrowed(iri);
    }
    Cow::Owned(memory::concat(&[&iri[..host.start], &name, &iri[host.end..]]))
}

/// Returns the range of the host. If the host is an address or is empty, returns `None`.
fn registered_name(iri: &str) -> Option<Range<usize>> {
    let host = Uri::split(iri).host_range()?;
    let name = &iri[host.clone()];
    (!name.is_empty() && !name.starts_with('[')).then_some(host)
}

/// If the host begins with a bracket (RFC 3986 3.2.2) but isn't an address, returns its offset.
fn find_bad_address(iri: &str) -> Option<usize> {
    let uri = Uri::split(iri);
    let authority = uri.authority_parts()?;
    let is_bad = authority.host.starts_with('[') && authority.host_kind().is_none();
    uri.host_range().filter(|_| is_bad).map(|host| host.start)
}

/// The forbidden domain code points (URL Standard 3.2). All of them are ASCII.
const FORBIDDEN_IN_DOMAIN: ByteSet = ByteSet::range(0, b' ').union(ByteSet::of(b"#%/:<>?@[\\]^|\x7F"));

/// If the rules allow `name`, converts it to ASCII. A name in ASCII stays as it is.
fn ascii_name(name: &str, rules: HostRules) -> Option<Cow<'_, str>> {
    use idna::uts46::{AsciiDenyList, DnsLength, Hyphens};

    match rules {
        HostRules::Url if name.is_ascii() => {
            let is_good = !name.bytes().any(|byte| FORBIDDEN_IN_DOMAIN.contains(byte));
            is_good.then_some(Cow::Borrowed(name))
        }
        HostRules::Dns => to_dns_name(name),
        HostRules::Url => to_ascii(name, AsciiDenyList::URL, Hyphens::Allow, DnsLength::Ignore),
    }
}
