//! Converts names of hosts to ASCII (UTS 46).

use alloc::borrow::Cow;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

/// Converts `name` to ASCII, with these options of [UTS 46 4.2](https://www.unicode.org/reports/tr46/#ToASCII). If it
/// has no ASCII form, returns `None`.
pub(crate) fn to_ascii(name: &str, denied: AsciiDenyList, hyphens: Hyphens, length: DnsLength) -> Option<Cow<'_, str>> {
    let ascii = Uts46::new().to_ascii(name.as_bytes(), denied, hyphens, length).ok()?;
    // UTS 46 4.1, V4: after decoding, a label must not begin with `xn--`. Punycode writes ASCII characters first, so
    // the encoded form of a label that breaks this rule begins with `xn--xn--`.
    let is_good = !ascii.is_empty() && !ascii.split('.').any(|label| label.starts_with("xn--xn--"));
    is_good.then_some(ascii)
}

/// Converts `name` to a name that the DNS can store.
pub(crate) fn to_dns_name(name: &str) -> Option<Cow<'_, str>> {
    // A name of the DNS has at most 253 bytes, and so at most 253 characters of up to four bytes. Don't convert a longer name:
    // the crate `idna` ends the process if it gets no memory.
    const LEN: usize = 1024;
    if name.len() > LEN {
        return None;
    }
    to_ascii(name, AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::VerifyAllowRootDot)
}
