//! Finds the passwords in text that contains URLs.
//!
//! A malformed URL must not make this search miss a password. Passwords often contain `@`, `/` or `#`, and then the URL
//! is malformed. So the search has two rules:
//!
//! 1. If the authority is valid (RFC 3986 3.2), the password is the text between the first `:` and the `@` (3.2.1).
//!    Here an authority may also have several hosts, or characters above ASCII.
//! 2. Otherwise the password is all text between the first `:` and the last `@` of the line. If the line has no `@`
//!    after the `:`, the password ends at the last escaped `@` of the word. This may hide more than the password, but
//!    not less.
//!
//! An authority starts after `://`. It ends at `/`, `?`, `#`, white space, a quote, `<`, `>` or a control character. So
//! several URLs can be found in one line of a log. Some text can be read in two ways. The search reads it like this:
//!
//! - `http://root:12/34@h` is a valid URL. Its host is `root`, its port is 12, and there is an `@` in its path. If a
//!   text is a valid URL up to a space or a quote, we read it in the same way. So in `http://root:p@s s@h`, the host is
//!   `s`, and `s@h` is other text.
//! - `root:p@ss@h` is a user, a password and a host without a scheme, although `root` could be a scheme. The search
//!   knows `mailto` and other schemes whose `@` doesn't follow a password. So `mailto:a@b` stays.
//!
//! Escaped URLs are found, too. If a query has `http%3A%2F%2Fu%3Ap%40h`, decoding it would show the password.
//!
//! The scan visits each `:` from left to right. From there, it looks back to the start of the word, and forward to the
//! end of the authority. It visits a byte of an authority at most twice, and looks up the last `@` once for each line.
//! So it takes linear time.

mod authority;

use core::iter::FusedIterator;
use core::ops::Range;

use memchr::{memchr, memchr2, memchr3, memrchr};

use percent_simd::{AsBytes, ByteSet, RawEncoder};

use self::authority::{is_port, is_valid, symbol};
use super::schemes::{WITH_HOST, is_one_of};

/// The text that replaces a password: `***`.
pub const HIDDEN_PASSWORD: &str = "***";

/// Finds the passwords in a text: their ranges, in order.
///
/// [`redact`](super::redact) replaces these ranges. Use this call to hide them in another way, or to report them.
///
/// - An authority starts after `://`, or after `//` or `\\` at the start of a word. A word also starts after `?` and `#`.
///   If the authority is valid and has a `:` before its `@`, it has a password (RFC 3986 3.2.1).
/// - If the authority is invalid, all text from its first `:` to the last `@` of the line counts as the password. If no
///   `@` follows, the password ends at the last escaped `@`. For example, `http://u:p%40h` is invalid, because `p%40h`
///   would be its port, and a port has only digits.
/// - If all colons before the last `@` of an authority are escaped, the first of them ends the user. So the password of
///   `http://u%3Ap@h` is `p`. In a valid URL, `u%3Ap` is a user (3.2.1), but a program may have escaped the whole
///   userinfo.
/// - A user may have a domain of Windows: in `http://CORP\jane:p@proxy`, the password is `p`. Browsers would read the
///   backslash as a slash.
/// - A word `user:password@host` without `//` also has a password. Known schemes such as `mailto` aren't users. If its
///   `:` or its `@` is escaped, the word has none: `from%3Aa%40b` is a common value in a query, and `12%3A00%40home`
///   has the same form. So decode the text before you search it.
/// - An escaped `://`, or an escaped `//` at the start of a word, is also found, even if it is escaped several times. The
///   delimiters after it may be escaped or not. If a delimiter is escaped more often than the `://`, it doesn't end the
///   authority or the password. A raw `&`, white space or a quote ends an escaped URL.
///
/// An empty password isn't reported. Takes linear time.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::passwords;
///
/// let text = "http://u:secret@h/ u:p@h";
/// assert!(passwords(text).map(|range| &text[range]).eq(["secret", "p"]));
/// ```
#[must_use]
pub fn passwords<I: AsBytes + ?Sized>(text: &I) -> Passwords<'_> {
    let text = text.as_bytes();
    // Every password ends before an `@`, which is raw or escaped.
    let at = if memchr2(b'@', b'%', text).is_none() { text.len() } else { 0 };
    Passwords {
        text,
        at,
        floor: at,
        starts_word: true,
        searched: 0,
        line: 0..0,
        last: None,
        authority: 0..0,
        last_of_authority: None,
        word_end: 0,
        last_of_word: None,
        in_escaped: None,
        in_word: None,
        in_line: None,
    }
}

/// An iterator over the ranges of passwords. Created by [`passwords`].
#[derive(Clone, Debug)]
pub struct Passwords<'a> {
    text: &'a [u8],
    /// The offset at which the search continues.
    at: usize,
    /// The search for the start of a word doesn't look at bytes before this offset.
    floor: usize,
    /// True if a word starts at `floor`.
    starts_word: bool,
    /// The end of the last escaped colon whose word has been searched.
    searched: usize,
    /// The last line for which `find_line` was called, and the last `@` of this line.
    line: Range<usize>,
    last: Option<usize>,
    /// The rest of the last authority, from the offset that was passed to `find_authority`, and the last `@` in this
    /// rest.
    authority: Range<usize>,
    last_of_authority: Option<usize>,
    /// The end of the last word with an escaped authority, and the last `@` in this word. The `@` may be escaped.
    word_end: usize,
    last_of_word: Option<usize>,
    /// The starts of three possible passwords whose ends we haven't found:
    /// - `in_escaped`: no `@`, raw or escaped, follows in the word. The authority is escaped.
    /// - `in_word`: no `@` follows in the authority, which has no `//` before it. The range ends with the authority.
    /// - `in_line`: an `@` follows in the line, after the authority. But [`is_plain`](Self::is_plain) returned false,
    ///   so the password doesn't extend to this `@`.
    ///
    /// A later password may contain the byte that ended our search for an `@`. If we hid only the later password, this
    /// byte would be gone. Then redacting again would find the `@` after the later password, and hide all text from the
    /// first start to this `@`. So we hide both passwords at once.
    in_escaped: Option<usize>,
    in_word: Option<Range<usize>>,
    in_line: Option<usize>,
}

/// The slashes before an authority.
struct Slashes {
    count: usize,
    end: usize,
    /// If true, the delimiters after these slashes can be escaped or raw.
    is_escaped: bool,
    /// The length of the longest escape in the first two slashes and the colon before them.
    longest: usize,
}

/// Bytes that no URL contains. They separate the URLs in a text.
const GAPS: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b" \"<>`"));

/// Bytes that end an authority.
const ENDS: ByteSet = GAPS.union(ByteSet::of(b"/\\?#"));

/// Bytes that can come directly before a word.
const BEFORE_WORDS: ByteSet = GAPS.union(ByteSet::of(b"=(,;|{}[]&'?#"));

/// Schemes whose URIs may contain an `@`, but no password before it.
const NO_USERS: [&str; 17] = [
    "acct", "cid", "data", "file", "im", "javascript", "jsr", "mailto", "mid", "news", "npm", "pkg", "pres", "tag",
    "tel", "urn", "xmpp",
];

pub(super) fn is_slash(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\')
}

impl Iterator for Passwords<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(at) = memchr2(b':', b'%', self.text.get(self.at..)?) {
            let colon = self.at + at;
            let (byte, len) = symbol(self.text, colon);
            if byte != b':' {
                self.at = colon + len;
                continue;
            }
            self.find_line(colon);
            if let Some(range) = self.after_colon(colon, colon + len).filter(|range| !range.is_empty()) {
                return Some(self.joined(range));
            }
        }
        self.at = self.text.len();
        None
    }
}

impl FusedIterator for Passwords<'_> {}

impl Passwords<'_> {
    /// Finds the line of `at`, and its last `@`. If the previous call was for the same line, does nothing.
    fn find_line(&mut self, at: usize) {
        if at >= self.line.end {
            let start =
                memrchr(b'\n', &self.text[self.line.end..at]).map_or(self.line.end, |end| self.line.end + end + 1);
            let end = memchr(b'\n', &self.text[at..]).map_or(self.text.len(), |len| at + len);
            self.line = start..end;
            self.last = memrchr(b'@', &self.text[start..end]).map(|at| start + at);
            (self.in_escaped, self.in_word, self.in_line) = (None, None, None);
        }
    }

    /// Returns the password `found`. If redacting again would find a longer password, returns the longer one.
    fn joined(&mut self, mut found: Range<usize>) -> Range<usize> {
        for _ in 0..2 {
            if let Some(word) = self.in_word.clone().filter(|word| found.start <= word.end) {
                let end = self.find_authority(found.end);
                match self.last_of_authority.filter(|&at| at >= found.end) {
                    Some(at) => (self.in_word, found) = (None, word.start.min(found.start)..at),
                    None => self.in_word = Some(word.start..end),
                }
            }
            if let Some(start) = self.in_escaped.filter(|_| found.start <= self.word_end) {
                let last = self.last_escaped(found.end).unwrap_or(found.end);
                (self.in_escaped, found) = (None, start.min(found.start)..last);
            }
        }
        if let Some(start) = self.in_line.filter(|&at| self.last == Some(found.end) && self.is_plain(at, &found)) {
            found.start = start;
        }
        if self.at <= found.end {
            self.go_on(found.end + symbol(self.text, found.end).1);
        }
        found
    }

    /// Continues the search at `at`, in the middle of a word.
    fn go_on(&mut self, at: usize) {
        (self.at, self.floor, self.starts_word) = (at, at, false);
    }

    /// Returns the password of the authority that contains this colon, or that starts after it. `after` is the end of
    /// the colon. The search always advances beyond the colon.
    fn after_colon(&mut self, colon: usize, after: usize) -> Option<Range<usize>> {
        let text = self.text;
        let Slashes { count, end: authority, is_escaped, longest } = self.slashes(after, after - colon);
        if after > colon + 1 && count < 2 {
            return self.in_escaped_word(colon, after);
        }
        let gap = text[self.floor..colon].iter().rposition(|&byte| BEFORE_WORDS.contains(byte));
        let start = gap.map_or(self.floor, |at| self.floor + at + 1);
        let is_first = gap.is_some() || self.starts_word;
        self.go_on(after);
        let word = &text[start..colon];
        let scheme = word.iter().rposition(|&byte| is_slash(byte)).map_or(0, |at| at + 1);
        // The domain and the user of Windows, as in `CORP\jane`.
        let user = start + memchr(b'\\', word).map_or(0, |at| at + 1);
        if count >= 2 {
            return match () {
                () if is_one_of(word, &["file"]) && self.is_drive_at(authority) => {
                    self.go_on(authority);
                    None
                }
                () if is_escaped => self.in_escaped(authority, longest),
                () => self.in_authority(authority),
            };
        }
        if !is_first || word.is_empty() {
            return None;
        }
        match () {
            // Servers merge the slashes of a path, as in `/proxy/http:/u:p@h`.
            () if count == 1 && is_one_of(&word[scheme..], &WITH_HOST) => self.in_authority(authority),
            () if self.slashes(start, 1).count >= 2 => self.after_slashes(start),
            () if word.iter().any(|&byte| byte != b'\\' && ENDS.contains(byte) || byte == b'@') => None,
            () if user > start + 1 && user < colon => self.in_word(user, after),
            () if user > start => None,
            () if is_one_of(word, &["sip", "sips"]) => {
                self.starts_word = true;
                None
            }
            () if is_one_of(word, &NO_USERS) => None,
            // This is a path of Windows, such as `C:\x@y`, and has no password.
            () if word.len() == 1 && count == 1 => None,
            () => self.in_word(start, after),
        }
    }

    /// Returns the slashes at `at`. `longest` is the length of the colon before them, or 1.
    ///
    /// If the colon or the first slash is escaped, each later delimiter can be escaped or raw. If both are raw, an
    /// escaped slash is no delimiter.
    fn slashes(&self, at: usize, longest: usize) -> Slashes {
        let mut found = Slashes { count: 0, end: at, is_escaped: longest > 1, longest };
        while found.end < self.line.end {
            let (byte, len) = symbol(self.text, found.end);
            found.is_escaped |= found.count == 0 && is_slash(byte) && len > 1;
            if !is_slash(byte) || len > 1 && !found.is_escaped {
                break;
            }
            if found.count < 2 {
                found.longest = found.longest.max(len);
            }
            (found.count, found.end) = (found.count + 1, found.end + len);
        }
        found
    }

    /// Returns the password of the authority after the slashes at `start`.
    fn after_slashes(&mut self, start: usize) -> Option<Range<usize>> {
        match self.slashes(start, 1) {
            Slashes { end, is_escaped: true, longest, .. } => self.in_escaped(end, longest),
            Slashes { end, .. } => self.in_authority(end),
        }
    }

    /// Returns the password of the word that contains this escaped colon, if two slashes are before its authority, as
    /// in `//u%3Ap@h`. The first escaped colon of a word finds the password, so later ones don't search again.
    fn in_escaped_word(&mut self, colon: usize, after: usize) -> Option<Range<usize>> {
        let from = self.floor.max(self.searched);
        let gap = self.text[from..colon].iter().rposition(|&byte| BEFORE_WORDS.contains(byte));
        let start = gap.map_or(from, |at| from + at + 1);
        let is_first = gap.is_some() || self.starts_word && from == self.floor;
        self.searched = after;
        let found = if is_first && self.slashes(start, 1).count >= 2 { self.after_slashes(start) } else { None };
        self.at = self.at.max(after);
        found
    }

    /// Returns the password of an authority in which only escaped colons separate the user from the password, as in
    /// `u%3Ap@h` and `u%3Ap%40h:80`. Then the userinfo was escaped as a whole. In `us%3Aer:p@h`, the escaped colon is
    /// part of the user.
    fn in_escaped_userinfo(&self, authority: Range<usize>) -> Option<Range<usize>> {
        let (mut is_separated, mut password, mut found) = (false, None, None);
        let mut at = authority.start;
        while let Some(next) = memchr3(b':', b'@', b'%', &self.text[at..authority.end]) {
            at += next;
            let (byte, len) = symbol(self.text, at);
            match byte {
                b':' if len == 1 => is_separated = true,
                b':' => password = password.or(Some(at + len)),
                b'@' if is_separated => return None,
                b'@' => found = password.map(|password| password..at),
                _ => {}
            }
            at += len;
        }
        found
    }

    /// Returns true if `start..end` is the domain of a user of Windows, as in `CORP\jane:p@h`. Browsers read a backslash
    /// as a slash, but proxies and shares use such users.
    fn is_domain(&self, start: usize, end: usize) -> bool {
        let is_separator = matches!(&self.text[end..self.line.end], [b'\\', next, ..] if !b"/\\\"".contains(next));
        is_separator && memchr3(b':', b'@', b'%', &self.text[start..end]).is_none()
    }

    /// Returns the password of the authority at `start`.
    fn in_authority(&mut self, start: usize) -> Option<Range<usize>> {
        let (first, mut start, mut end) = (start, start, self.find_authority(start));
        while self.is_domain(start, end) {
            start = end + 1;
            end = self.find_authority(start);
        }
        if let Some(password) = self.in_escaped_userinfo(start..end) {
            self.go_on(password.end + symbol(self.text, password.end).1);
            return Some(password);
        }
        let authority = &self.text[start..end];
        let colon = memchr(b':', authority).map(|at| start + at + 1);
        let is_valid = is_valid(authority, &self.text[end..self.line.end]);
        let last = if is_valid { memrchr(b'@', authority).map(|at| start + at) } else { self.last };
        let mut found = colon.zip(last).filter(|(colon, last)| colon <= last);
        if let Some(colon) = colon.filter(|_| found.is_none() && !is_valid) {
            // A port has only digits (RFC 3986 3.2.3). So in `u:p%40h`, someone escaped the `@` by mistake.
            found = self.last_escaped(start).filter(|&last| colon <= last).map(|last| (colon, last));
        }
        // The rest of the authority may contain an escaped URL.
        self.go_on(found.map_or(first, |(_, last)| last + symbol(self.text, last).1));
        found.map(|(colon, last)| colon..last)
    }

    /// Returns the password of a word that has no scheme. The first colon of the word ends at `password`.
    fn in_word(&mut self, start: usize, password: usize) -> Option<Range<usize>> {
        let end = self.find_authority(start);
        let authority = &self.text[start..end];
        let at = self.last_of_authority.filter(|&at| at >= password);
        let may_be_longer = start == self.line.start
            && self.last.is_some_and(|last| last > end)
            && !is_valid(authority, &self.text[end..self.line.end]);
        let last = match (at, self.last) {
            // If the text between the two `@` is plain, redacting again would find the longer password. So we return
            // the longer one now.
            (_, Some(last)) if may_be_longer && self.is_plain(password, &(password..at.unwrap_or(password))) => last,
            (Some(at), _) => at,
            _ => {
                self.in_line = Some(password).filter(|_| may_be_longer);
                if self.in_word.as_ref().is_none_or(|word| word.end != end) {
                    self.in_word = Some(password..end);
                }
                return None;
            }
        };
        self.go_on(last + 1);
        Some(password..last)
    }

    /// Returns true if the text from `password` to the end of the line, without the range `hidden`, is a part of one
    /// word, and no authority starts in it. Then a `/`, `?` or `#` in this text may belong to a password, as in
    /// `root:a/b@h`. Otherwise these bytes end the password.
    fn is_plain(&self, password: usize, hidden: &Range<usize>) -> bool {
        let ends = |text: &[u8]| {
            text.iter().any(|&byte| GAPS.contains(byte))
                || text.windows(3).any(|three| match three {
                    [b':', slash, _] if is_slash(*slash) => true,
                    [b'2', b'F' | b'f', _] | [b'5', b'C' | b'c', _] => true,
                    [before, slash, second] => BEFORE_WORDS.contains(*before) && is_slash(*slash) && is_slash(*second),
                    _ => false,
                })
        };
        !ends(&self.text[password..hidden.start]) && !ends(&self.text[hidden.end..self.line.end])
    }

    /// Returns the password of the authority at `start`. Its delimiters may be escaped. `longest` is the length of the
    /// longest escape in the `://` before the authority.
    ///
    /// If the escape of a delimiter is longer than `longest`, the delimiter was escaped more often than the `://`. If
    /// the URL is decoded until the `://` is raw, such a delimiter is still an escape, so it doesn't end the authority.
    /// If the URL is decoded once more, it does. Because both readings are possible, we treat the URL as invalid, so
    /// that more text is hidden.
    fn in_escaped(&mut self, start: usize, longest: usize) -> Option<Range<usize>> {
        let (mut colon, mut last_colon, mut port, mut at, mut ats) = (None, None, None, None, 0);
        let (mut end, mut is_ambiguous) = (start, false);
        while end < self.line.end {
            let (byte, len) = symbol(self.text, end);
            match byte {
                b':' => {
                    colon = colon.or(Some(end + len));
                    last_colon = Some(end..end + len);
                    port = port.or(Some(end + len));
                }
                b'@' => {
                    is_ambiguous |= len > longest;
                    (at, ats, port) = (Some(end..end + len), ats + 1, None);
                }
                b'&' if len == 1 => break,
                // The domain of a user of Windows, as in `in_authority`.
                b'\\' if colon.is_none() && at.is_none() && !self.is_slash_at(end + len) => {}
                _ if ENDS.contains(byte) && len <= longest => break,
                _ if ENDS.contains(byte) => is_ambiguous = true,
                _ => {}
            }
            end += len;
        }
        let host = at.as_ref().map_or(start, |at| at.end);
        let is_host = port.is_none_or(|port| host + 1 < port && is_port(&self.text[port..end]));
        let is_valid = ats <= 1 && !is_ambiguous && is_host && (ats == 0 || host < end);
        let last = if is_valid { at.map(|at| at.start) } else { self.last_escaped(start) };
        match (colon, last) {
            (Some(colon), Some(last)) if colon <= last => {
                self.go_on(if is_valid { end } else { last + symbol(self.text, last).1 });
                Some(colon..last)
            }
            _ => {
                self.in_escaped = self.in_escaped.or(colon.filter(|_| !is_valid));
                // A colon directly before the end of the authority may belong to the `://` of another URL.
                self.go_on(last_colon.filter(|colon| colon.end == end).map_or(end, |colon| colon.start));
                None
            }
        }
    }

    /// Returns the offset of the last `@` in the word around `start`. In this word, the `@` may be escaped.
    fn last_escaped(&mut self, start: usize) -> Option<usize> {
        if start >= self.word_end {
            let (mut at, mut last) = (start, None);
            while at < self.line.end && self.text[at] != b'&' && !GAPS.contains(self.text[at]) {
                let (byte, len) = symbol(self.text, at);
                if byte == b'@' {
                    last = Some(at);
                }
                at += len;
            }
            (self.word_end, self.last_of_word, self.in_escaped) = (at, last, None);
        }
        self.last_of_word
    }

    /// Returns true if a slash or a backslash is at this offset. It may be escaped.
    fn is_slash_at(&self, at: usize) -> bool {
        at < self.line.end && is_slash(symbol(self.text, at).0)
    }

    /// Returns true if a drive of Windows is at this offset, as in `file:///C:/x@y`. Its delimiters may be escaped.
    fn is_drive_at(&self, at: usize) -> bool {
        let drive = &self.text[at..self.line.end];
        drive.len() > 1 && drive[0].is_ascii_alphabetic() && {
            let (byte, len) = symbol(drive, 1);
            byte == b':' && (1 + len == drive.len() || ENDS.contains(symbol(drive, 1 + len).0))
        }
    }

    /// Finds the end of the authority that contains `start`, and the last `@` of this authority.
    fn find_authority(&mut self, start: usize) -> usize {
        static END: RawEncoder = RawEncoder::new(ENDS.complement());
        if !self.authority.contains(&start) {
            let rest = &self.text[start..self.line.end];
            self.authority = start..start + END.first_changed(rest).unwrap_or(rest.len());
            self.last_of_authority = memrchr(b'@', &self.text[self.authority.clone()]).map(|at| start + at);
        }
        self.authority.end
    }
}
