//! Hides the passwords in text that contains URLs.

use alloc::{borrow::Cow, vec::Vec};

use percent_simd::AsBytes;

use super::passwords::{HIDDEN_PASSWORD, passwords};
use super::pieces::into_text;
use crate::memory;

/// Replaces each password in the text by `***` (RFC 3986 3.2.1). Borrows if there is none.
///
/// Use it before you log or show a URL or a connection string. The text may be anything: one URL, a URL that doesn't
/// parse, `user:password@host` without a scheme, or a line of a log with several URLs. If a URL doesn't parse, all text
/// from its first `:` to the last `@` of the line is hidden. So more than the password may be hidden, but not less.
/// [`passwords`] describes the search. Redacting a second time changes nothing.
///
/// Only passwords before an `@` are found. A token stays if it is in a query, or in the place of the user.
///
/// Some passwords with a `/`, `?` or `#` are not found:
///
/// - without `//`, if the user isn't at the start of a line: `see root:a/b@h`;
/// - if the text before this character is a valid list of hosts: in `http://u:12/3@h` and `db://u:12,3#4@h`, `u` is a
///   host with the port 12.
///
/// If a password has an `@`, and after it a `/`, `?`, `#`, white space, a quote, a backtick, `<` or `>`, the text
/// before this character is a valid URL with another host. So only the text before the `@` is hidden: `p` in
/// `root:p@ss/w@h`, and `p` in `http://root:p@s s@h`. To be safe, encode each password with
/// [`encode_password`](super::encode_password) when you build the URL.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::redact;
///
/// assert_eq!(redact("mysql://root:p@ss@localhost/db"), "mysql://root:***@localhost/db");
/// assert_eq!(redact("root:p@ss@localhost"), "root:***@localhost");
/// assert_eq!(redact("amqp://u:a/b#c@h"), "amqp://u:***@h");
/// assert_eq!(redact("GET http://a:b@h/ via http://c:d@proxy:80"), "GET http://a:***@h/ via http://c:***@proxy:80");
/// assert_eq!(redact("/login?next=http%3A%2F%2Fu%3Ap%40h"), "/login?next=http%3A%2F%2Fu%3A***%40h");
/// assert_eq!(redact("http://h:80/@me mailto:me@h"), "http://h:80/@me mailto:me@h");
/// assert_eq!(redact("root:p@ss/w@h"), "root:***@ss/w@h"); // the host is `ss` (RFC 3986 3.2)
/// assert_eq!(redact("http://root:p@s s@h"), "http://root:***@s s@h"); // as in `http://root:p@h mailto:me@h`
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    // A password starts after a `:` and ends before an `@` or a `%`, so the text around it is still UTF-8.
    replaced(text.as_bytes()).map_or(Cow::Borrowed(text), |bytes| Cow::Owned(into_text(bytes)))
}

/// Replaces each password in the bytes by `***`. If there is none, borrows the bytes.
///
/// Does the same as [`redact`], but accepts bytes that aren't UTF-8.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::redact_bytes;
///
/// assert_eq!(redact_bytes(b"ftp://u:\xFF@h/\xE9"), &b"ftp://u:***@h/\xE9"[..]);
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn redact_bytes<I: AsBytes + ?Sized>(text: &I) -> Cow<'_, [u8]> {
    replaced(text.as_bytes()).map_or(Cow::Borrowed(text.as_bytes()), Cow::Owned)
}

/// Replaces each password by `***`, and returns the new text. If no password has to be replaced, returns `None`.
///
/// A password may contain a byte that ends an earlier authority. If we hide this password, the byte disappears, and the
/// next round finds a longer password. So we search again until nothing changes. More than two rounds are rare.
fn replaced(text: &[u8]) -> Option<Vec<u8>> {
    /// A limit on the rounds, so that the time is linear.
    const ROUNDS: usize = 8;
    let mut out = replaced_once(text)?;
    for _ in 1..ROUNDS {
        match replaced_once(&out) {
            Some(next) => out = next,
            None => break,
        }
    }
    Some(out)
}

/// Searches once, replaces each found password by `***`, and returns the new text. If no password has to be replaced,
/// returns `None`.
fn replaced_once(text: &[u8]) -> Option<Vec<u8>> {
    let mut found = passwords(text).filter(|range| text[range.clone()] != *HIDDEN_PASSWORD.as_bytes()).peekable();
    found.peek()?;
    let mut out = memory::vec(text.len());
    let mut copied = 0;
    for range in found {
        memory::extend(&mut out, &text[copied..range.start]);
        memory::extend(&mut out, HIDDEN_PASSWORD.as_bytes());
        copied = range.end;
    }
    memory::extend(&mut out, &text[copied..]);
    Some(out)
}
