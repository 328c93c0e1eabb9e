//! Finds authorities that mislead a reader: a userinfo that looks like a host, odd IPv4 addresses, and look-alike
//! names.

use core::iter::Peekable;

use memchr::{memchr, memrchr};

use percent_simd::{internal::triplet, sets};

use super::finding::{Finding, FindingKind};
use super::redact::{Passwords, passwords};

/// An iterator over the findings of all authorities, in order.
///
/// An authority follows `//` at the start of the text, or `://` anywhere in the text. So a URL in the query of another
/// URL is checked, too.
#[derive(Clone, Debug)]
pub(super) struct Hosts<'a> {
    text: &'a [u8],
    at: usize,
    /// A finding in the last host. We return it after the finding in the userinfo of the same authority.
    pending: Option<Finding>,
    /// The passwords, starting with the first one that ends after the start of the last finding.
    passwords: Peekable<Passwords<'a>>,
}

impl<'a> Hosts<'a> {
    pub(super) fn new(text: &'a [u8]) -> Hosts<'a> {
        Hosts { text, at: 0, pending: None, passwords: passwords(text).peekable() }
    }

    /// Returns the start of the next authority.
    fn next_start(&mut self) -> Option<usize> {
        if self.at == 0 && self.text.starts_with(b"//") {
            return Some(2);
        }
        loop {
            self.at += memchr(b':', &self.text[self.at..])? + 1;
            if self.text[self.at..].starts_with(b"//") {
                return Some(self.at + 2);
            }
        }
    }

    /// Shortens the finding so that it ends before the next password. If the finding starts inside a password, returns
    /// `None`.
    fn without_password(&mut self, found: Finding) -> Option<Finding> {
        while self.passwords.next_if(|password| password.end <= found.offset).is_some() {}
        let end = self.passwords.peek().map_or(self.text.len(), |password| password.start);
        let len = end.checked_sub(found.offset).filter(|&len| len > 0)?.min(found.len);
        Some(Finding::new(found.offset, len, found.kind))
    }
}

impl Iterator for Hosts<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        if let Some(finding) = self.pending.take() {
            return Some(finding);
        }
        loop {
            let Some(start) = self.next_start() else {
                self.at = self.text.len();
                return None;
            };
            let ends = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'\r' | b'\n');
            let rest = &self.text[start..];
            let authority = &rest[..rest.iter().position(ends).unwrap_or(rest.len())];
            self.at = start + authority.len();
            let at = memrchr(b'@', authority);
            let host_at = at.map_or(0, |at| at + 1);
            let host = &authority[host_at..];
            let host = &host[..host.iter().position(|byte| matches!(byte, b':' | b'\\')).unwrap_or(host.len())];
            let userinfo = at.filter(|&at| looks_like_host(&authority[..at]));
            // The text after a `:` may be a password. The `:` may be escaped.
            let is_colon = |&at: &usize| authority[at] == b':' || triplet(authority, at) == Some(b':');
            let user_end = |at: usize| (0..at).find(is_colon).unwrap_or(at);
            let userinfo = userinfo.map(|at| Finding::new(start, user_end(at), FindingKind::HostInUserinfo));
            let userinfo = userinfo.and_then(|found| self.without_password(found));
            let host = host_kind(host).map(|kind| Finding::new(start + host_at, host.len(), kind));
            let host = host.and_then(|found| self.without_password(found));
            match userinfo {
                Some(_) => self.pending = host,
                None if host.is_none() => continue,
                None => return host,
            }
            return userinfo;
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // An authority has at most two findings. If it has two, it has at least two bytes. So the bytes from `at` on
        // have no more findings than bytes. A pending finding is in the authority before `at`, so we add it.
        (usize::from(self.pending.is_some()), Some(self.text.len() - self.at + usize::from(self.pending.is_some())))
    }
}

/// Decodes the triplets of `text` once, and drops raw tabs, because browsers drop them (URL Standard 4.4). All other
/// bytes stay, including a malformed `%`.
fn decoded(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        at += text.get(at..)?.iter().take_while(|&&byte| byte == b'\t').count();
        let &raw = text.get(at)?;
        let escaped = triplet(text, at);
        at += if escaped.is_some() { 3 } else { 1 };
        Some(escaped.unwrap_or(raw))
    })
}

/// The label of a name that is being read.
#[derive(Clone, Copy, Default)]
struct Label {
    len: usize,
    /// The first four bytes, in lower case.
    first: [u8; 4],
    has_digit: bool,
    has_letter: bool,
    has_hyphen: bool,
}

impl Label {
    fn push(&mut self, byte: u8) {
        if let Some(first) = self.first.get_mut(self.len) {
            *first = byte.to_ascii_lowercase();
        }
        self.len += 1;
        match byte {
            b'0'..=b'9' => self.has_digit = true,
            b'-' | b'_' => self.has_hyphen = true,
            _ => self.has_letter = true,
        }
    }

    fn is_number(&self) -> bool {
        self.len > 0 && !self.has_letter && !self.has_hyphen
    }

    /// Returns true if this label can be the last label of a name in the DNS.
    fn is_top_level(&self) -> bool {
        self.len >= 2 && !self.has_digit && !self.has_hyphen || self.first == *b"xn--"
    }
}

/// Returns true if a userinfo begins with a name that looks like a host: `google.com`, `www.google.com:443`,
/// `google.com%2F`, `google.com&login`, or an IPv4 address.
///
/// Also returns true for a user like `john.smith`. We would need a list of all top-level domains to know that this is
/// no host.
fn looks_like_host(userinfo: &[u8]) -> bool {
    let is_userinfo = |byte| sets::RFC3986_USERINFO.contains(byte) || matches!(byte, b'%' | b'\t' | 0x80..);
    let (mut label, mut last, mut dots, mut numbers) = (Label::default(), Label::default(), 0, 0);
    for byte in decoded(userinfo) {
        match byte {
            b'.' if label.len == 0 => break,
            b'.' => {
                numbers += usize::from(label.is_number());
                (last, label, dots) = (label, Label::default(), dots + 1);
            }
            b'-' | b'_' | 0x80.. => label.push(byte),
            _ if byte.is_ascii_alphanumeric() => label.push(byte),
            b':' | b'/' | b'\\' | b'?' | b'#' | b'@' | b' ' => break,
            // Another character ends the name, as `&` does in the example of RFC 3986 7.6. But if the text before the
            // `@` isn't a valid userinfo, this may be the end of a link, as in `'http://a.b', 'c@d'`.
            _ if userinfo.iter().all(|&byte| is_userinfo(byte)) => break,
            _ => return false,
        }
    }
    if label.len > 0 {
        numbers += usize::from(label.is_number());
        (last, dots) = (label, dots + 1);
    }
    dots >= 2 && last.is_top_level() || dots == 4 && numbers == 4
}

/// Returns the finding in a host. The host is passed without its port.
fn host_kind(host: &[u8]) -> Option<FindingKind> {
    if host.first() == Some(&b'[') {
        return None;
    }
    if is_odd_ipv4(host) {
        return Some(FindingKind::OddIpv4);
    }
    #[cfg(feature = "confusables")]
    if let Some(kind) = super::scripts::finding(host) {
        return Some(kind);
    }
    None
}

/// Returns true if a browser reads the host as an IPv4 address, although it isn't an `IPv4address` (RFC 3986 3.2.2,
/// 7.4).
///
/// A browser does so if the last label is a number ([URL Standard
/// 3.5](https://url.spec.whatwg.org/#ends-in-a-number-checker)). Full-width characters count as ASCII, as in UTS 46.
fn is_odd_ipv4(host: &[u8]) -> bool {
    let is_address = |host: &str| host.parse::<core::net::Ipv4Addr>().is_ok();
    // Most hosts end in one of these letters, and no number does. So for most hosts, the check ends here.
    if host.last().is_none_or(|last| matches!(last, b'g'..=b'w' | b'y' | b'z'))
        || str::from_utf8(host).is_ok_and(is_address)
    {
        return false;
    }
    let (mut number, mut last) = (Number::Empty, Number::Empty);
    let mut bytes = decoded(host);
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            // 0xE3 is the first byte of U+3002, a dot. 0xEF is the first byte of U+FF61, also a dot, and of U+FF01 to
            // U+FF5E, the full-width forms of ASCII.
            0xE3 | 0xEF => match (byte, bytes.next(), bytes.next()) {
                (0xE3, Some(0x80), Some(0x82)) | (0xEF, Some(0xBD), Some(0xA1)) => b'.',
                (0xEF, Some(0xBC), Some(low @ 0x81..=0xBF)) => low - 0x60,
                (0xEF, Some(0xBD), Some(low @ 0x80..=0x9E)) => low - 0x20,
                _ => 0xFF,
            },
            byte => byte,
        };
        if byte == b'.' {
            (last, number) = (number, Number::Empty);
        } else {
            number = number.push(byte);
        }
    }
    match number {
        Number::Empty => last.is_number(),
        number => number.is_number(),
    }
}

/// The kind of a label, as far as the label has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Empty,
    /// A single `0`. It may be the start of `0x`.
    Zero,
    Decimal,
    Hexadecimal,
    /// Not a number.
    Text,
}

impl Number {
    fn push(self, byte: u8) -> Number {
        match (self, byte) {
            (Number::Empty, b'0') => Number::Zero,
            (Number::Empty | Number::Zero | Number::Decimal, b'0'..=b'9') => Number::Decimal,
            (Number::Zero, b'x' | b'X') => Number::Hexadecimal,
            (Number::Hexadecimal, byte) if byte.is_ascii_hexdigit() => Number::Hexadecimal,
            _ => Number::Text,
        }
    }

    fn is_number(self) -> bool {
        !matches!(self, Number::Empty | Number::Text)
    }
}
