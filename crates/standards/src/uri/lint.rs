//! Finds text that a URI should not contain.

use core::iter::{FusedIterator, Peekable};

use percent_simd::{AsBytes, Encoder, internal::triplet, sets};

use super::redact::{Passwords, passwords};

/// A fault that [`lint`] has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Finding {
    /// The offset at which the fault starts, in bytes of the text.
    pub offset: usize,
    /// The length of the fault, in bytes.
    pub len: usize,
    /// The kind of fault.
    pub kind: FindingKind,
}

impl Finding {
    /// Creates a finding from its parts, for tests and for code that finds faults by other means.
    #[must_use]
    pub const fn new(offset: usize, len: usize, kind: FindingKind) -> Finding {
        Finding { offset, len, kind }
    }
}

/// The kind of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A `%` without two hexadecimal digits after it (RFC 3986 2.1).
    Malformed,
    /// `%25` and two hexadecimal digits. Most likely the text was encoded twice (2.4). The length includes
    /// all five bytes.
    DoubleEncoded,
    /// A triplet of an unreserved character, which should not be encoded (2.3).
    OverEncoded,
    /// A triplet with lower-case digits (2.1) that isn't over-encoded.
    LowerCase,
    /// A run of bytes that no URI contains: control characters, spaces, ``"<>\^`{|}``, and all bytes above ASCII (2).
    Illegal,
    /// A password in the userinfo (3.2.1), as [`passwords`] finds it. Don't show its text. Other faults inside it aren't
    /// reported.
    Password,
}

/// An iterator over findings, in order. [`lint`] creates it.
#[derive(Clone, Debug)]
pub struct Lint<'a> {
    text: &'a [u8],
    at: usize,
    passwords: Peekable<Passwords<'a>>,
}

/// Finds text that a URI, or a part of one, should not contain.
///
/// Each byte is in at most one finding. A password is one finding, with all characters in it. Clean text is skipped in
/// whole blocks. This function doesn't check the grammar, only the characters, the escapes and the userinfo. To check the
/// grammar, call [`Uri::parse`](super::Uri::parse).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{FindingKind::*, lint};
///
/// let found: Vec<_> = lint("/%7euser/%2fa b/%2541/100%").map(|found| (found.offset, found.len, found.kind)).collect();
/// assert_eq!(found, [
///     (1, 3, OverEncoded),
///     (9, 3, LowerCase),
///     (13, 1, Illegal),
///     (16, 5, DoubleEncoded),
///     (25, 1, Malformed),
/// ]);
/// ```
#[must_use]
pub fn lint<I: AsBytes + ?Sized>(text: &I) -> Lint<'_> {
    Lint { text: text.as_bytes(), at: 0, passwords: passwords(text).peekable() }
}

/// Skips every byte that a URI may contain, except `%`.
static URI: Encoder = Encoder::new(sets::RFC3986_URI);

impl Iterator for Lint<'_> {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        while let Some(&byte) = self.text.get(self.at) {
            while self.passwords.next_if(|password| password.start < self.at).is_some() {}
            let end = self.text.len();
            let password = self.passwords.peek().cloned().unwrap_or(end..end);
            let rest = &self.text[self.at..password.start];
            let (len, kind) = match byte {
                _ if password.start == self.at => (password.len(), Some(FindingKind::Password)),
                b'%' => self.escape(),
                byte if sets::RFC3986_URI.contains(byte) => (URI.first_changed(rest).unwrap_or(rest.len()), None),
                _ => {
                    let legal = |&byte: &u8| byte == b'%' || sets::RFC3986_URI.contains(byte);
                    (rest.iter().position(legal).unwrap_or(rest.len()), Some(FindingKind::Illegal))
                }
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

impl FusedIterator for Lint<'_> {}

impl Lint<'_> {
    /// Returns the length of the escape at the current position, and its fault.
    fn escape(&self) -> (usize, Option<FindingKind>) {
        let Some(byte) = triplet(self.text, self.at) else {
            return (1, Some(FindingKind::Malformed));
        };
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
