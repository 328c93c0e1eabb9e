//! Reads a record of an access log.

use std::ops::Range;

use memchr::{memchr, memchr2, memmem, memrchr};

use super::Shape;
use crate::formats::shape::{self, count, is_absolute, is_digits, is_in_name};
use crate::formats::token::{
    Around, LONGEST_TIME, Quotes, Token, USUAL_TIME, is_client, is_host, is_log_time, is_number, is_usual_client,
    method_len, quote, request_line, status_after,
};
use crate::formats::values::is_absent;

/// The bounds of the parts of a record.
#[derive(Debug, Default)]
pub struct Record {
    /// The order of the client and the host, if it is known; see [`Choice::client_first`](super::Choice::client_first).
    pub client_first: Option<bool>,
    pub host: Range<usize>,
    pub client: Range<usize>,
    pub identity: Range<usize>,
    pub user: Range<usize>,
    pub time: Range<usize>,
    pub request: Range<usize>,
    /// The target in the request line, and true if the target contains blanks. If the client sent no request line, this
    /// is `None`.
    pub target: Option<(Range<usize>, bool)>,
    pub status: Range<usize>,
    pub referrer: Option<Range<usize>>,
    pub user_agent: Option<Range<usize>>,
    /// The offset of the byte before the next word or string, or the length of the record if no more words or strings
    /// follow. This byte is usually a blank, and the user agent's closing quote if a word follows it directly.
    pub rest: usize,
}

/// Returns the length of the request line at the start of `text`, up to its closing quote, and the bounds of its
/// target.
///
/// This is a fast path: it gives the same result as [`quote`] and [`request_line`], but needs only one pass. If the
/// target has blanks or quotes, or if the text isn't a request line, returns `None`.
fn usual_request(text: &[u8]) -> Option<(usize, Range<usize>)> {
    let method = if text.starts_with(b"GET ") { 3 } else { method_len(text) };
    let target = text[method..].strip_prefix(b" ").filter(|target| method > 0 && !target.starts_with(b"HTTP/"))?;
    let len = memchr2(b' ', b'"', target)?;
    let version = match &target[len..] {
        [b' ', b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9', b'"', ..] => 9,
        [b' ', b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'"', ..] => 7,
        _ => return None,
    };
    Some((method + 1 + len + version, method + 1..method + 1 + len))
}

/// Returns true if `text` starts with a blank and the word `-`, which stands for a missing value.
fn is_missing(text: &[u8]) -> bool {
    matches!(text, b" -" | [b' ', b'-', b' ', ..])
}

/// If `text` starts with a blank and a status or `-`, returns the length of the status without the blank.
fn status_len(text: &[u8]) -> Option<usize> {
    status_after(text).map(<[u8]>::len).or_else(|| is_missing(text).then_some(1))
}

/// Returns the last of the bare words before the first string, if it is a referrer without quotes: a URL, or a `-` if no second value
/// follows the string. `after` is the text after the string, which then is the user agent.
fn bare_referrer<'a>(words: &'a [u8], after: &[u8]) -> Option<&'a [u8]> {
    let at = memrchr(b' ', words)?;
    let word = &words[at + 1..];
    let has_next = after.starts_with(b" \"") || is_missing(after);
    (word == b"-" && !has_next || is_absolute(word)).then_some(word)
}

/// Returns the length of the letters, digits and `._-` at the start of `text`.
fn name_prefix(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_in_name(byte)).count()
}

/// If `text` starts with a name, a `=` or `:` and a value in quotes, like `uct="0.000"`, returns the length of the name and
/// the byte after it. Otherwise returns 0.
fn name_len(text: &[u8]) -> usize {
    let len = name_prefix(text);
    if len > 0 && matches!(text[len..], [b'=' | b':', b'"', ..]) { len + 1 } else { 0 }
}

/// Returns [`Record::rest`] for a record whose user agent ends with the quote before `end`.
///
/// In a copied `log_format`, the blank between `"$http_user_agent"` and `rt=$request_time` is often lost. We accept a name and a
/// `=` after the quote, or a text in brackets, and no other text: it could be the rest of a user agent that contains a quote.
fn rest_after(line: &[u8], end: usize) -> Option<usize> {
    let after = &line[end..];
    let len = name_prefix(after);
    match after {
        [] | [b' ', ..] => Some(end),
        [b'A'..=b'Z' | b'a'..=b'z', ..] if after.get(len) == Some(&b'=') => Some(end - 1),
        [b'[', text @ ..] => {
            let len = memchr2(b']', b'"', text).filter(|len| text[*len] == b']')?;
            matches!(text[len + 1..], [] | [b' ', ..]).then_some(end - 1)
        }
        _ => None,
    }
}

/// Returns true if `text` ends with a blank and an HTTP version, like a request line.
fn ends_with_version(text: &[u8]) -> bool {
    shape::last(text, b" HTTP/").is_some_and(|at| text.len() - at <= b" HTTP/1.1".len())
}

/// Returns true for a user agent that starts with a product and its version, as in `curl/8.0`. A client could send a relative
/// referrer such as `a/1?x`, so only a blank may follow.
pub fn is_product(text: &[u8]) -> bool {
    let product = text.split(|&byte| byte == b' ').next().unwrap_or_default();
    let is_word = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-+".contains(byte));
    memchr(b'/', product).is_some_and(|at| {
        let (name, version) = (&product[..at], &product[at + 1..]);
        at > 0 && version.first().is_some_and(u8::is_ascii_digit) && is_word(name) && is_word(version)
    })
}

/// Returns true for an address of version 4, with or without a port, and for text with two colons, as in version 6.
fn is_address(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_digit() || b".:".contains(byte)) || count(word, b':') > 1
}

/// Returns true if `line` is a record of this shape. If `is_longer` is true, a string must follow the size.
pub fn fits(line: &[u8], shape: &Shape, is_longer: bool) -> bool {
    let mut record = Record::default();
    // A string alone after the size may be a note of the server, such as `"Invalid credentials"`.
    let is_referrer = |range: &Range<usize>| is_absent(&line[range.clone()]) || is_absolute(&line[range.clone()]);
    let has_strings =
        |record: &Record| record.user_agent.is_some() || record.referrer.as_ref().is_some_and(is_referrer);
    record.read(line, shape).is_some() && (!is_longer || has_strings(&record))
}

/// The anchor, before the request: a time in brackets, and the quote after it.
struct Anchor {
    pub time: Range<usize>,
    /// The quote that opens the first string after the time.
    open: usize,
    /// If true, `open` is the first quote of the record.
    is_first_quote: bool,
}

impl Anchor {
    fn find(line: &[u8]) -> Option<Anchor> {
        let first = memchr(b'"', line)?;
        Anchor::at(line, first).map(|anchor| Anchor { is_first_quote: true, ..anchor }).or_else(|| {
            // If the record starts with a client in quotes, the anchor comes after the closing quote of the client.
            let from = if first == 0 { 1 + quote(&line[1..])? } else { first };
            Anchor::after(line, from)
        })
    }

    /// Returns the anchor whose opening quote is at `open`. Returns `None` if no time in brackets precedes this quote.
    fn at(line: &[u8], open: usize) -> Option<Anchor> {
        let before = line[..open].strip_suffix(b"] ")?;
        let usual = before.len().wrapping_sub(USUAL_TIME);
        let start = match before.get(usual.wrapping_sub(1)) {
            Some(b'[') => usual,
            _ => {
                let from = before.len().saturating_sub(LONGEST_TIME + 1);
                from + memrchr(b'[', &before[from..])? + 1
            }
        };
        let is_it = start >= 2 && before[start - 2] == b' ' && is_log_time(&before[start..]);
        is_it.then_some(Anchor { time: start..before.len(), open, is_first_quote: false })
    }

    /// Returns the first anchor whose opening quote is after `from`.
    fn after(line: &[u8], from: usize) -> Option<Anchor> {
        memmem::find_iter(&line[from..], b"] \"").find_map(|at| Anchor::at(line, from + at + 2))
    }
}

impl Record {
    /// Reads the parts of `line`, a record of the shape `shape`. Returns `None` if `line` doesn't fit this shape.
    pub fn read(&mut self, line: &[u8], shape: &Shape) -> Option<()> {
        let anchor = Anchor::find(line)?;
        self.read_front(&line[..anchor.time.start - 2], shape)?;
        self.read_request(line, anchor.open)?;
        if shape.is_combined {
            self.read_combined(line)?;
        } else {
            self.read_size(line)?;
        }
        // A record with a second anchor can be read in two ways. We search for a second anchor only if one is possible:
        // if a quote comes before the first anchor, if words or strings follow the parts of `Record`, or if a value
        // ends with `] ` before its closing quote.
        let is_end = |value: &Range<usize>| line[..value.end].ends_with(b"] ");
        let is_suspect = !anchor.is_first_quote || is_end(&self.request) || self.referrer.as_ref().is_some_and(is_end);
        if (is_suspect || self.rest < line.len()) && Anchor::after(line, anchor.open).is_some() {
            return None;
        }
        self.time = anchor.time;
        (self.rest == line.len() || !shape.is_combined || self.is_further(line)).then_some(())
    }

    /// Reads the text before the time: `client identity user`, or `host client identity user`.
    ///
    /// Returns `None` for any other text, for example a header of syslog.
    fn read_front(&mut self, front: &[u8], shape: &Shape) -> Option<()> {
        if let Some(client) = front.strip_suffix(b" - -")
            && !shape.has_host
            && is_usual_client(client)
        {
            let end = client.len();
            (self.client, self.identity, self.user) = (0..end, end + 1..end + 2, end + 3..end + 4);
            return Some(());
        }
        let mut at = 0;
        let mut has_port = false;
        if shape.has_host {
            let len = memchr(b' ', front)?;
            let host = &front[..len];
            let port = memrchr(b':', host).map(|colon| &host[colon + 1..]);
            has_port = port.is_some_and(is_digits) && len > port.unwrap_or_default().len() + 1;
            if memchr(b'"', host).is_some() || !has_port && !is_host(host) {
                return None;
            }
            self.host = 0..len;
            at = len + 1;
        }
        at = self.read_client(front, at)?;
        if shape.has_host && !has_port && front[..at].ends_with(b" -") {
            return None;
        }
        let mut has_quotes = front[..at].ends_with(b"\"");
        // Some servers write X-Forwarded-For between the client and the user.
        if front.get(at + 1) == Some(&b'"') && front[at + 1..] != *b"\"\"" {
            at = Token::at(front, at + 1, Quotes::Backslash).filter(|_| !has_quotes)?.end;
            has_quotes = true;
        }
        let (host, client) = (&front[self.host.clone()], &front[self.client.clone()]);
        // An address after a name is a client, even without an identity and a user.
        let may_end = || !shape.has_host || is_address(client) && !is_address(host);
        // An address with a port may be the host. A name after any other address is the host, and so is a name with a port.
        let is_server = has_port && (count(host, b':') == 1 || host[0] == b'[') && !client.contains(&b':');
        let is_name = || client.iter().any(u8::is_ascii_alphabetic) && !is_address(client) && !client.ends_with(b":");
        let is_client_first = || self.client_first.unwrap_or_else(|| !is_server && is_address(host) && is_name());
        if shape.has_host && is_client_first() {
            std::mem::swap(&mut self.host, &mut self.client);
        }
        let Some(rest) = front.get(at + 1..) else { return may_end().then_some(()) };
        let identity = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
        self.identity = at + 1..at + 1 + identity;
        let Some(user) = rest.get(identity + 1..) else {
            self.user = front.len()..front.len();
            return may_end().then_some(());
        };
        // A user name may contain blanks if the identity before it is `-`. With any other identity, blanks more likely
        // mean that the line starts with a host or a syslog header, so the line doesn't fit.
        if rest[..identity] != *b"-" && (identity == 0 || memchr(b' ', user).is_some()) {
            return None;
        }
        let start = front.len() - user.len();
        if user == b"\"\"" {
            self.user = start + 1..start + 1;
            return Some(());
        }
        self.user = start..front.len();
        // If the user name contains a quote, and a string in quotes came before the user name, that string could end at
        // the quote in the user name. So the record can be read in two ways.
        (!has_quotes || quote(user).is_none()).then_some(())
    }

    /// Reads the client at `at`, and returns its end. The client is an address, a name, a list of addresses and names
    /// with commas and perhaps blanks between them, or any text in quotes.
    fn read_client(&mut self, front: &[u8], at: usize) -> Option<usize> {
        if front.get(at) == Some(&b'"') {
            let token = Token::at(front, at, Quotes::Backslash)?;
            self.client = token.value;
            return Some(token.end);
        }
        let mut end = at;
        loop {
            let rest = front.get(end..)?;
            let len = memchr(b' ', rest).unwrap_or(rest.len());
            let word = &rest[..len];
            let (address, is_last) = word.strip_suffix(b",").map_or((word, true), |address| (address, false));
            if !address.split(|&byte| byte == b',').all(is_client) {
                return None;
            }
            end += len;
            if is_last {
                self.client = at..end;
                return Some(end);
            }
            end += 1;
        }
    }

    /// Reads the quoted strings from `open` to the status. The last string is the request.
    fn read_request(&mut self, line: &[u8], open: usize) -> Option<()> {
        let text = &line[open + 1..];
        if let Some((len, target)) = usual_request(text)
            && let Some(status) = status_len(&text[len + 1..])
        {
            let start = open + 1;
            self.target = Some((start + target.start..start + target.end, false));
            self.request = start..start + len;
            self.status = start + len + 2..start + len + 2 + status;
            return Some(());
        }
        /// The maximum number of strings before the request, such as a host or X-Forwarded-For.
        const MOST_IN_FRONT: usize = 4;
        let mut start = open + 1;
        for _ in 0..=MOST_IN_FRONT {
            let end = start + quote(&line[start..])?;
            let target = request_line(&line[start..end]);
            let after = &line[end + 1..];
            if after.starts_with(b" \"") {
                // If two of the strings are request lines, either could be the real request.
                if target.is_some() {
                    return None;
                }
                start = end + 3;
                continue;
            }
            let status = status_len(after)?;
            // If the client sent no valid request line, the server answers with an error. In place of the request line,
            // it logs the received bytes, `-`, or an empty string.
            let may_be_none = || match &line[start..end] {
                b"" | b"-" => true,
                text => text[0] != b' ' && !matches!(after[1], b'1'..=b'3' | b'-'),
            };
            if target.is_none() && !may_be_none() {
                return None;
            }
            self.target = target.map(|(range, has_spaces)| (start + range.start..start + range.end, has_spaces));
            self.request = start..end;
            self.status = end + 2..end + 2 + status;
            return Some(());
        }
        None
    }

    /// Returns the bounds of the number or `-` after the status. In most formats this is the size of the response. If
    /// other text follows the status, returns `None`.
    pub fn size(&self, line: &[u8]) -> Option<Range<usize>> {
        let start = self.status.end + 1;
        let rest = line.get(start..).filter(|rest| matches!(rest, [b'0'..=b'9' | b'-', ..]))?;
        Some(start..start + memchr(b' ', rest).unwrap_or(rest.len()))
    }

    /// Reads the size of a record that may end after its status.
    fn read_size(&mut self, line: &[u8]) -> Option<()> {
        self.rest = if self.status.end == line.len() { line.len() } else { self.size(line)?.end };
        Some(())
    }

    /// Reads the referrer and the user agent. Before these two come the size and, in some logs, durations or other bare
    /// words. If no string follows, the record is in the Common Log Format: some programs write both.
    ///
    /// We accept a record that is cut off in its user agent. Otherwise a client could hide its request by sending a
    /// long user agent.
    fn read_combined(&mut self, line: &[u8]) -> Option<()> {
        let sizes = line.get(self.status.end + 1..).unwrap_or_default();
        let Some(len) = memchr(b'"', sizes) else { return self.read_size(line) };
        let is_size = matches!(sizes[0], b'0'..=b'9' | b'-');
        if !is_size || !sizes[..len].ends_with(b" ") || sizes[..len].ends_with(b"] ") {
            return None;
        }
        let start = self.status.end + 1 + len + 1;
        let end = start + quote(&line[start..])?;
        self.referrer = Some(start..end);
        self.rest = line.len();
        let after = &line[end + 1..];
        let is_usual = after.starts_with(b" \"") && is_digits(&sizes[..len - 1]);
        // Some servers write a referrer without quotes, or only a missing one.
        if !is_usual && let Some(bare) = bare_referrer(&sizes[..len - 1], after) {
            self.referrer = Some(start - 2 - bare.len()..start - 2);
            self.user_agent = Some(start..end);
            self.rest = rest_after(line, end + 1)?;
            return Some(());
        }
        let agent = match after {
            // A record with a single string has no referrer.
            [] if is_product(&line[start..end]) => {
                self.user_agent = self.referrer.take();
                return Some(());
            }
            [] => return Some(()),
            [b' ', b'"', agent @ ..] => agent,
            // If a string ends like a request line, it may be the end of the real one, as in `is_further`.
            _ if is_missing(after) && !ends_with_version(&line[start..end]) => {
                self.user_agent = Some(end + 2..end + 3);
                self.rest = end + 3;
                return Some(());
            }
            // In place of the user agent, a name and a `=` may follow, as in `"http://h/" rt=0.1`.
            [b' ', b'A'..=b'Z' | b'a'..=b'z', ..]
                if after.get(1 + name_prefix(&after[1..])) == Some(&b'=') && !ends_with_version(&line[start..end]) =>
            {
                self.rest = end + 1;
                return Some(());
            }
            _ => return None,
        };
        let Some(len) = quote(agent) else { return Some(()) };
        let start = end + 3;
        self.user_agent = Some(start..start + len);
        self.rest = rest_after(line, start + len + 1)?;
        Some(())
    }

    /// Returns true if a server could have written the words and strings after the user agent.
    ///
    /// If a server doesn't escape quotes, a client can put a forged record into a value. Then the rest of the real
    /// record follows the forged user agent. So we return false if one of these signs follows:
    ///
    /// - a quote in the middle of a word, except after `name=`;
    /// - a string with a byte other than a blank after its closing quote;
    /// - a word that starts with `[` or `{`, if no closing bracket or brace follows;
    /// - a request line or the end of one in quotes, and a status after it;
    /// - if the user agent ends with an HTTP version: a status, a size and a referrer.
    fn is_further(&self, line: &[u8]) -> bool {
        if self.user_agent.as_ref().is_some_and(|agent| ends_with_version(&line[agent.clone()])) {
            let mut words = line[self.rest..].split(|&byte| byte == b' ').skip(2);
            let mut next = || words.next().unwrap_or_default();
            let (size, referrer) = (next(), next());
            if status_len(&line[self.rest..]).is_some()
                && (size == b"-" || is_number(size))
                && (referrer == b"-" || referrer.starts_with(b"\""))
            {
                return false;
            }
        }
        let mut at = self.rest;
        while at < line.len() {
            let start = at + 1 + name_len(&line[at + 1..]);
            // A record may be cut off inside a string.
            let Some(token) = Token::at(line, start, Quotes::Backslash) else {
                return line[start..].starts_with(b"\"") && quote(&line[start + 1..]).is_none();
            };
            let value = &line[token.value.clone()];
            let is_request = || request_line(value).is_some() || ends_with_version(value);
            at = token.end;
            if token.around == Around::Quotes && status_len(&line[at..]).is_some() && is_request() {
                return false;
            }
        }
        true
    }
}

/// If the host precedes the client in most of the records in `lines`, returns `Some(false)`, and if it follows the client,
/// `Some(true)`. A record with two addresses decides nothing, because a client may send an address as the host.
pub fn client_first<'a>(lines: impl Iterator<Item = &'a [u8]>, shape: &Shape) -> Option<bool> {
    let (mut clients, mut hosts) = (0, 0);
    for line in lines {
        let mut record = Record::default();
        if record.read(line, shape).is_some() {
            let is_client_first = record.client.start < record.host.start;
            clients += usize::from(is_client_first);
            hosts += usize::from(!is_client_first && !is_address(&line[record.host]));
        }
    }
    (clients != hosts).then_some(clients > hosts)
}
