//! Finds authorities that mislead a reader: a userinfo that looks like a host, odd IPv4 addresses, and look-alike
//! names.

use core::iter::Peekable;
use core::net::Ipv4Addr;

use memchr::{memchr, memrchr};

use percent_simd::{internal::triplet, sets};

use super::check::is_ipv6;
use super::deceptive::unit;
use super::finding::{Finding, FindingKind};
use super::passwords::{Passwords, is_slash, passwords};
use super::schemes::{WITH_HOST, is_one_of};

/// An iterator over the findings of all authorities, in order.
///
/// An authority follows `//` at the start of the text, or `://` anywhere in the text. So a URL in the query of another
/// URL is checked, too. After `http:` and other schemes of the Web, browsers accept any number of slashes and
/// backslashes (URL Standard 4.4).
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
            let colon = self.at + memchr(b':', &self.text[self.at..])?;
            self.at = colon + 1;
            let rest = &self.text[self.at..];
            // The longest scheme of the Web has five bytes. One more byte shows if a longer scheme ends in it.
            let before = &self.text[colon.saturating_sub(6)..colon];
            let is_other = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte);
            let scheme = before.rsplit(is_other).next().unwrap_or_default();
            if is_one_of(scheme, &WITH_HOST) {
                let slashes = rest.iter().take_while(|&&byte| is_slash(byte)).count();
                if slashes > 0 {
                    return Some(self.at + slashes);
                }
            } else if rest.starts_with(b"//") {
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
            let host = host_of(&authority[host_at..]);
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

/// Yields a byte for each character of `text`, as browsers read it: triplets are decoded once, raw tabs are dropped (URL
/// Standard 4.4), and characters that look like ASCII are mapped to it (UTS 46). Every other character above ASCII
/// becomes 0xFF. A malformed `%` stays.
fn folded(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut at = 0;
    core::iter::from_fn(move || {
        at += text.get(at..)?.iter().take_while(|&&byte| byte == b'\t').count();
        let &raw = text.get(at)?;
        let (byte, len) = match unit(text, at) {
            Some(unit) => (ascii(unit.character), unit.len),
            None => (raw, if triplet(text, at).is_some() { 3 } else { 1 }),
        };
        at += len;
        Some(byte)
    })
}

/// Returns the ASCII character to which UTS 46 maps a dot, a full-width form, or a digit in another style. If UTS 46
/// maps the character to a text with a delimiter, returns `/`. Returns 0xFF for all other characters above ASCII. The
/// digits 1 to 9 are one class here, and so is a number in a circle.
fn ascii(character: char) -> u8 {
    match character {
        '\0'..='\x7F' => character as u8,
        '。' | '｡' => b'.',
        '\u{FF01}'..='\u{FF5E}' => (character as u32 - 0xFEE0) as u8,
        '⁇'..='⁉' | '℀' | '℁' | '℅' | '℆' | '⩴' | '\u{FE13}' | '\u{FE16}' | '﹕' | '﹖' | '﹟' | '﹨' | '﹫' => {
            b'/'
        }
        '⁰' | '₀' | '⓪' => b'0',
        '²' | '³' | '¹' | '⁴'..='⁹' | '₁'..='₉' | '①'..='⑳' => b'1',
        '\u{1D7CE}'..='\u{1D7FF}' => b'0' + ((character as u32 - 0x1D7CE) % 10) as u8,
        '\u{1FBF0}'..='\u{1FBF9}' => b'0' + (character as u32 - 0x1FBF0) as u8,
        _ => 0xFF,
    }
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
    for byte in folded(userinfo) {
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

/// Returns the host at the start of a text, without its port. The host can be an IPv6 address without brackets.
fn host_of(text: &[u8]) -> &[u8] {
    let len = text.iter().take_while(|&&byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.')).count();
    if str::from_utf8(&text[..len]).is_ok_and(is_ipv6) {
        return &text[..len];
    }
    &text[..text.iter().position(|byte| matches!(byte, b':' | b'\\')).unwrap_or(text.len())]
}

/// Returns the finding in a host, as [`host_of`] returns it.
fn host_kind(host: &[u8]) -> Option<FindingKind> {
    let is_address = |host: &str| host.parse::<Ipv4Addr>().is_ok();
    // Only IPv6 addresses have a raw `:`.
    if host.first() == Some(&b'[') || memchr(b':', host).is_some() || str::from_utf8(host).is_ok_and(is_address) {
        return None;
    }
    // Most hosts end in one of these letters, and no number does.
    let is_name = host.last().is_none_or(|last| matches!(last, b'g'..=b'w' | b'y' | b'z'));
    if !is_name || !host.is_ascii() || memchr(b'%', host).is_some() {
        match last_label(host) {
            None => return Some(FindingKind::HostDelimiter),
            Some(last) if last.is_number() => return Some(FindingKind::OddIpv4),
            Some(_) => {}
        }
    }
    #[cfg(feature = "confusables")]
    if let Some(kind) = super::scripts::finding(host) {
        return Some(kind);
    }
    None
}

/// Returns true if browsers read the host as an IPv4 address, or refuse it ([URL Standard
/// 3.5](https://url.spec.whatwg.org/#ends-in-a-number-checker)).
#[cfg(feature = "idna")]
pub(super) fn ends_in_number(host: &[u8]) -> bool {
    last_label(host).is_some_and(Number::is_number)
}

/// Returns the kind of the last label of a host. An empty label after it doesn't count. If the host has an escaped
/// delimiter, or a character that UTS 46 maps to one, returns `None`.
///
/// Full-width characters, and digits in circles or other styles, count as ASCII, as in UTS 46.
fn last_label(host: &[u8]) -> Option<Number> {
    let (mut number, mut last) = (Number::Empty, Number::Empty);
    for byte in folded(host) {
        match byte {
            b'.' => (last, number) = (number, Number::Empty),
            b'/' | b'?' | b'#' | b'@' | b':' | b'\\' => return None,
            _ => number = number.push(byte),
        }
    }
    Some(if number == Number::Empty { last } else { number })
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
