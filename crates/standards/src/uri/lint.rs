//! Finds text that a URI should not contain.

use core::iter::{FusedIterator, Peekable};

use percent_simd::{AsBytes, Encoder, internal::triplet, sets};

use super::deceptive::{look, unit};
use super::finding::{Finding, FindingKind};
use super::hosts::Hosts;
use super::passwords::{Passwords, passwords};

/// An iterator over findings, in order. Created by [`lint`].
#[derive(Clone, Debug)]
pub struct Lint<'a> {
    hosts: Peekable<Hosts<'a>>,
    characters: Peekable<Characters<'a>>,
}

/// Finds text that should not be in a URI or in a part of a URI, and text that misleads a reader.
///
/// The number of findings has no limit. Findings are in the order of their offsets. Findings in characters and escapes
/// don't overlap each other. A finding in a host or in a userinfo can overlap findings in characters and escapes, and
/// then comes before them. A password is one finding, which includes all its characters.
///
/// Clean text is skipped in whole blocks. This function checks only the characters, the escapes, the userinfo and the
/// hosts. To check the grammar, call [`Uri::parse`](super::Uri::parse).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{FindingKind::*, lint};
///
/// let found = |text: &str| lint(text).map(|found| (found.offset, found.len, found.kind)).collect::<Vec<_>>();
/// assert_eq!(found("/%7euser/%2fa b/%2541/100%"), [
///     (1, 3, OverEncoded),
///     (9, 3, LowerCase),
///     (13, 1, Illegal),
///     (16, 5, DoubleEncoded),
///     (25, 1, Malformed),
/// ]);
/// assert_eq!(found("//google.com@0x7f.1/%E2%80%AE%C0%AF"), [
///     (2, 10, HostInUserinfo),
///     (13, 6, OddIpv4),
///     (20, 9, Bidi),
///     (29, 6, Overlong),
/// ]);
/// ```
///
/// # Panics
///
/// With the feature `confusables`, panics or ends the process if memory cannot be allocated. Without this feature, the
/// call doesn't allocate.
#[must_use]
pub fn lint<I: AsBytes + ?Sized>(text: &I) -> Lint<'_> {
    let text = text.as_bytes();
    let characters = Characters { text, at: 0, looked: 0, before: None, passwords: passwords(text).peekable() };
    Lint { hosts: Hosts::new(text).peekable(), characters: characters.peekable() }
}

impl Iterator for Lint<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        match (self.hosts.peek(), self.characters.peek()) {
            (Some(host), Some(character)) if host.offset > character.offset => self.characters.next(),
            (Some(_), _) => self.hosts.next(),
            (None, _) => self.characters.next(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let most = |(_, most): (usize, Option<usize>)| most.unwrap_or_default();
        (0, Some(most(self.hosts.size_hint()).saturating_add(most(self.characters.size_hint()))))
    }
}

impl FusedIterator for Lint<'_> {}

/// An iterator over the findings in characters and escapes.
#[derive(Clone, Debug)]
struct Characters<'a> {
    text: &'a [u8],
    at: usize,
    /// The end of the last character above ASCII that we have examined.
    looked: usize,
    /// The character before the offset `looked`, or before the offset `at` if `at` is greater.
    before: Option<char>,
    passwords: Peekable<Passwords<'a>>,
}

/// Skips every byte that a URI may contain, except `%`.
static URI: Encoder = Encoder::new(sets::RFC3986_URI);

impl Iterator for Characters<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        while let Some(&byte) = self.text.get(self.at) {
            while self.passwords.next_if(|password| password.start < self.at).is_some() {}
            let end = self.text.len();
            let password = self.passwords.peek().cloned().unwrap_or(end..end);
            let (len, kind) = match byte {
                _ if password.start == self.at => {
                    self.before = None;
                    (password.len(), Some(FindingKind::Password))
                }
                b'%' => self.escape(),
                byte if sets::RFC3986_URI.contains(byte) => {
                    let rest = &self.text[self.at..password.start];
                    let len = URI.first_changed(rest).unwrap_or(rest.len());
                    self.before = rest[..len].last().map(|&last| char::from(last));
                    (len, None)
                }
                _ => self.illegal(password.start),
            };
            let offset = self.at;
            self.at += len;
            if let Some(kind) = kind {
                return Some(Finding { offset, len, kind });
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.text.len() - self.at))
    }
}

impl Characters<'_> {
    /// Examines the character above ASCII at `at`. Returns the length and the kind of its finding. If there is no
    /// finding, or if this character was already examined, returns `None`.
    fn look(&mut self, at: usize) -> Option<(usize, FindingKind)> {
        if at < self.looked {
            return None;
        }
        let look = look(self.text, at, self.before);
        if let Some(kind) = look.kind {
            return Some((look.len, kind));
        }
        (self.looked, self.before) = (at + look.len, look.last);
        None
    }

    /// At the current position is a byte that no URI contains. Returns the length and the kind of the finding there.
    /// The finding ends before `end`, the start of the next password.
    fn illegal(&mut self, end: usize) -> (usize, Option<FindingKind>) {
        let start = self.at;
        let mut at = start;
        while let Some(&byte) = self.text[..end].get(at)
            && byte != b'%'
            && !sets::RFC3986_URI.contains(byte)
        {
            if byte.is_ascii() {
                self.before = Some(char::from(byte));
            } else if let Some((len, kind)) = self.look(at) {
                if at > start {
                    break; // the next call reports the finding that starts here
                }
                self.pass(at, len);
                return (len, Some(kind));
            }
            at += 1;
        }
        (at - start, Some(FindingKind::Illegal))
    }

    /// If the finding at `at` is a single character, sets `before` to this character. Otherwise sets it to `None`.
    fn pass(&mut self, at: usize, len: usize) {
        self.before = unit(self.text, at).filter(|unit| unit.len == len).map(|unit| unit.character);
    }

    /// Returns the length of the escape or finding at the current position, and the kind of the finding. If the escape
    /// has no fault, the kind is `None`.
    fn escape(&mut self) -> (usize, Option<FindingKind>) {
        let Some(byte) = triplet(self.text, self.at) else {
            self.before = Some('%');
            return (1, Some(FindingKind::Malformed));
        };
        if byte.is_ascii() {
            self.before = Some(char::from(byte));
        } else if let Some((len, kind)) = self.look(self.at) {
            self.pass(self.at, len);
            return (len, Some(kind));
        }
        let after = self.text.get(self.at + 3..).unwrap_or_default();
        if byte == b'%' && matches!(after, [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit()) {
            return (5, Some(FindingKind::DoubleEncoded));
        }
        let is_lower = self.text[self.at + 1..self.at + 3].iter().any(u8::is_ascii_lowercase);
        let kind = match () {
            () if sets::RFC3986_UNRESERVED.contains(byte) => Some(FindingKind::OverEncoded),
            () if is_lower => Some(FindingKind::LowerCase),
            () => None,
        };
        (3, kind)
    }
}
