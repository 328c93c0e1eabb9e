//! The pieces of a log line between blanks, and tests for them: clients, times, statuses, request lines.

use std::net::Ipv6Addr;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use percent_simd::ByteSet;

use super::format::{Field, Rule, Syntax};
use super::shape::{IN_QUOTES, IN_SPACES, VERSION, is_digits, is_url};
use super::wrap::Wrap;

/// How a server writes a quote inside a quoted value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// The server writes a backslash first: Apache writes a quote as `\"`, and nginx and AWS write it as `\x22`. So the
    /// byte after a backslash is always part of the value.
    Backslash,
    /// The server writes no backslash. HAProxy writes a quote as `#22`. Envoy and S3 leave it unescaped, so a record
    /// may have too many quotes.
    Plain,
}

impl Quotes {
    /// Returns the length of the value at the start of `bytes`. The byte before `bytes` is the opening quote.
    pub fn close(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Quotes::Backslash => quote(bytes),
            Quotes::Plain => memchr(b'"', bytes),
        }
    }
}

/// Returns the length of `bytes` up to the quote that ends the value. A quote after a backslash is part of the value.
pub fn quote(bytes: &[u8]) -> Option<usize> {
    memchr_iter(b'"', bytes).find(|&at| {
        // Two backslashes mean one backslash. So a quote is escaped only if an odd number of backslashes precedes it.
        let backslashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        backslashes % 2 == 0
    })
}

/// Finds ` HTTP/`, the text that follows a target.
static HTTP: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new(" HTTP/"));

/// The protocols whose request lines have the form of HTTP's. Scanners send them to every server.
const PROTOCOLS: [&[u8]; 3] = [b" RTSP/", b" SIP/", b" ICAP/"];

/// Returns the offset of the version at the end of `text`, a request line without ` HTTP/`. If it has no version of another
/// protocol, returns its length.
fn other_version(text: &[u8]) -> usize {
    let last = memrchr(b' ', text);
    last.filter(|&at| PROTOCOLS.iter().any(|name| text[at..].starts_with(name))).unwrap_or(text.len())
}

/// Returns true if `text` starts with ` HTTP/`, or if it is one of the bare versions that Hypercorn writes
/// (hypercorn/logging.py, `AccessLogAtoms`).
fn is_version(text: &[u8]) -> bool {
    text.starts_with(b" HTTP/") || matches!(text, b" 1.0" | b" 1.1" | b" 2" | b" 3")
}

/// Returns the bounds of the target in a request line such as `GET /path HTTP/1.1`, and true if the target contains spaces.
pub fn target(request: &[u8]) -> Option<(Range<usize>, bool)> {
    let start = memchr(b' ', request)? + 1;
    let rest = &request[start..];
    let first = memchr(b' ', rest);
    if let Some(len) = first.filter(|&len| is_version(&rest[len..]) && !rest.starts_with(b"HTTP/")) {
        return Some((start..start + len, false));
    }
    // The target ends at the first ` HTTP/`. This holds even if another ` HTTP/` follows later.
    let end = HTTP.find(&request[start - 1..]).map_or_else(|| other_version(request), |at| start - 1 + at);
    Some((start.min(end)..end, first.is_some_and(|len| start + len < end)))
}

/// The indices of the four rules for the pieces of a line: for a value in quotes, for the target of a request line, for
/// a target that contains spaces, and for a bare word.
pub const QUOTED: usize = 0;
pub const REQUEST: usize = 1;
pub const REQUEST_WITH_SPACES: usize = 2;
pub const BARE: usize = 3;

/// Returns the range of a target in its record, and the index of its rule. `start` is the offset of the request line.
/// `rule` is the index of the rule for a target without spaces, and the rule after it is for a target with spaces.
pub fn target_field((range, has_spaces): (Range<usize>, bool), start: usize, rule: usize) -> (Range<usize>, usize) {
    (start + range.start..start + range.end, rule + usize::from(has_spaces))
}

/// Returns the rules with the indices `QUOTED` to `BARE`. `own` is the set of bytes that start an escape of the format.
/// `bare` is the syntax of bare words.
pub fn line_rules(own: ByteSet, bare: Syntax) -> Vec<Rule> {
    let rule = |keep: ByteSet, syntax| Rule { keep: keep | own, wrap: Wrap::Verbatim, syntax };
    vec![
        rule(IN_QUOTES, Syntax::Reference),
        rule(IN_SPACES, Syntax::Target),
        rule(IN_SPACES | VERSION, Syntax::Target),
        rule(IN_SPACES, bare),
    ]
}

/// Sorts fields by their offsets.
pub fn sort_fields(fields: &mut [Field]) {
    fields.sort_by_key(|field| field.range.start);
}

/// Removes each field that overlaps the field before it. So a field that the user chose twice, for example by name and
/// by number, is changed only once.
pub fn without_overlaps(fields: &mut Vec<Field>) {
    fields.dedup_by(|later, sooner| later.range.start < sooner.range.end);
}

/// The marks around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    Nothing,
    Quotes,
    Brackets,
    Braces,
}

/// A piece of a line.
#[derive(Clone, Debug)]
pub struct Token {
    /// The bounds of the value, without its quotes or brackets.
    pub value: Range<usize>,
    pub around: Around,
    /// The end of the piece: the next blank, or the end of the line.
    pub end: usize,
}

impl Token {
    /// Returns the piece at `at`.
    ///
    /// If the quotes or brackets of the piece don't close, or if its quotes close in the middle of a word, returns
    /// `None`. Also returns `None` for a bare word with a quote, because the word is then the rest of a value whose
    /// quotes closed too early.
    pub fn at(line: &[u8], at: usize, quotes: Quotes) -> Option<Token> {
        let rest = line.get(at..)?;
        let (around, len) = match rest.first() {
            Some(b'"') => (Around::Quotes, quotes.close(&rest[1..])?),
            Some(b'[') => (Around::Brackets, memchr(b']', rest)? - 1),
            Some(b'{') => (Around::Braces, memchr(b'}', rest)? - 1),
            _ => (Around::Nothing, memchr(b' ', rest).unwrap_or(rest.len())),
        };
        let is_end = |end: usize| line.get(end).is_none_or(|&next| next == b' ');
        if around != Around::Nothing && is_end(at + len + 2) {
            return Some(Token { value: at + 1..at + 1 + len, around, end: at + len + 2 });
        }
        if around == Around::Quotes {
            return None;
        }
        // The word goes on after its brackets, as in `[2001:db8::1]:80`.
        let end = at + memchr(b' ', rest).unwrap_or(rest.len());
        if memchr(b'"', &line[at..end]).is_some() {
            return None;
        }
        Some(Token { value: at..end, around: Around::Nothing, end })
    }
}

/// Returns true for a client as servers write it: an address, a host name, `-`, or `unix:` for a socket. After it, a
/// port may follow.
pub fn is_client(word: &[u8]) -> bool {
    if is_host(word) {
        return true;
    }
    if word.starts_with(b"unix:") {
        return true;
    }
    if let Some((inner, after)) = word.strip_prefix(b"[").and_then(|rest| split_at_byte(rest, b']')) {
        return is_ipv6(inner) && (after.is_empty() || after.strip_prefix(b":").is_some_and(is_digits));
    }
    match split_at_byte(word, b':') {
        Some((host, port)) if is_digits(port) => is_host(host),
        // Some servers write a port after an IPv6 address without putting brackets around the address.
        _ => is_ipv6(word) || memrchr(b':', word).is_some_and(|at| is_digits(&word[at + 1..]) && is_ipv6(&word[..at])),
    }
}

/// Returns true for most IPv4 addresses: 8 to 16 bytes, all of them digits and dots.
///
/// Nearly all clients are IPv4 addresses, and their lengths differ. So a CPU can't predict when a loop over the bytes
/// ends. Instead of a loop, we test the first 8 bytes and the last 8 bytes, each as a `u64`. If the address is shorter
/// than 16 bytes, the two parts overlap.
pub fn is_usual_client(word: &[u8]) -> bool {
    const LOW: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = 0x80 * LOW;
    let is_address = |bytes: &[u8; 8]| {
        let bytes = u64::from_ne_bytes(*bytes);
        // In each of these masks, a high bit shows a wrong byte: a byte above `9` or not ASCII, a byte below `.`, or a
        // `/`, which is between `.` and `9` in ASCII.
        let above = bytes | (bytes & !HIGH) + (0x7F - u64::from(b'9')) * LOW;
        let not_below = (bytes | HIGH) - u64::from(b'.') * LOW;
        let slash = bytes ^ u64::from(b'/') * LOW;
        let slash = (slash | HIGH) - LOW;
        (above | !not_below | !slash) & HIGH == 0
    };
    match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) if word.len() <= 16 => is_address(first) & is_address(last),
        _ => false,
    }
}

/// Returns true for a host name, an IPv4 address, and `-`.
pub fn is_host(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|&byte| IN_HOST.contains(byte))
}

const ALPHANUMERIC: ByteSet =
    ByteSet::range(b'0', b'9').union(ByteSet::range(b'A', b'Z')).union(ByteSet::range(b'a', b'z'));
const IN_HOST: ByteSet = ALPHANUMERIC.union(ByteSet::of(b".-_"));

/// Returns true for an IPv6 address without brackets.
pub fn is_ipv6(word: &[u8]) -> bool {
    // The address may end with `%` and a zone, as in `fe80::1%eth0` (RFC 4007 11).
    let (address, _) = split_at_byte(word, b'%').unwrap_or((word, b""));
    str::from_utf8(address).is_ok_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// Returns true for a number, with or without a fraction or a sign, and for `-`.
pub fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|&byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+'))
}

/// Returns true for three digits, and for `-`.
pub fn is_status(word: &[u8]) -> bool {
    word == b"-" || word.len() == 3 && is_digits(word)
}

/// If `text` starts with a blank and a status of three digits, returns the status. Another blank or the end of `text` must follow
/// it.
pub fn status_after(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b' ', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9'] | [b' ', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b' ', ..] => {
            Some(&text[1..4])
        }
        _ => None,
    }
}

/// Returns true for the time in the brackets of an access log, usually one like `10/Oct/2000:13:55:36 -0700`.
///
/// Administrators can change the format of this time. So we accept any text that consists of digits, letters and the
/// punctuation of dates.
pub fn is_log_time(text: &[u8]) -> bool {
    if text.len() == USUAL_TIME && [text[2], text[6], text[11], text[14], text[17], text[20]] == *b"//::: " {
        return true;
    }
    let is_part = |&byte: &u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b"/:+-.,_ ".contains(&byte);
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    (6..=LONGEST_TIME).contains(&text.len()) && digits >= 4 && text.iter().all(is_part)
}

/// Two lengths: of the time `10/Oct/2000:13:55:36 -0700`, and of the longest time that we accept.
pub const USUAL_TIME: usize = 26;
pub const LONGEST_TIME: usize = 48;

/// Returns the bounds of the target in a request line, and true if the target contains blanks.
///
/// If `text` isn't a request line, returns `None`. A request line is a method, a target, and a version of HTTP. After
/// an upper-case method, the version may be missing (HTTP/0.9).
pub fn request_line(text: &[u8]) -> Option<(Range<usize>, bool)> {
    let method = method_len(text);
    if method == 0 || text.get(method) != Some(&b' ') {
        return None;
    }
    let (target, has_spaces) = target(text)?;
    let has_version = text[target.end..].starts_with(b" HTTP/");
    let is_simple = || !target.is_empty() && text[..method].iter().all(u8::is_ascii_uppercase);
    (has_version || is_simple()).then_some((target, has_spaces))
}

/// Does the same as [`request_line`] for a value that may also be other text. If the version is missing, the method must
/// be a usual one, and the target must be a path or a URL. It then ends at the first blank.
///
/// The method may also be missing, as in `http://h/x HTTP/1.1`.
pub fn request_in(text: &[u8]) -> Option<(Range<usize>, bool)> {
    if has_version(text) && is_url(text) {
        let target = 0..text.len() - VERSION_LEN;
        return Some((target.clone(), memchr(b' ', &text[target]).is_some()));
    }
    let (target, has_spaces) = request_line(text)?;
    if is_version(&text[target.end..]) {
        return Some((target, has_spaces));
    }
    let is_usual = METHODS.contains(&&text[..method_len(text)]) && is_url(&text[target.clone()]);
    let len = memchr(b' ', &text[target.clone()]).unwrap_or(target.len());
    is_usual.then_some((target.start..target.start + len, false))
}

/// The length of ` HTTP/1.1`.
const VERSION_LEN: usize = 9;

/// Returns true if `text` ends with a version, as in ` HTTP/1.1`.
pub fn has_version(text: &[u8]) -> bool {
    let end = text.len().checked_sub(VERSION_LEN).map(|at| &text[at..]);
    matches!(end, Some([b' ', b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9']))
}

/// Returns the length of the method at the start of `text`.
pub fn method_len(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| IN_METHOD.contains(byte)).count()
}

/// If `text` starts with a method in capital letters, a space and a slash, returns the length of the method.
pub fn method_before_path(text: &[u8]) -> Option<usize> {
    let len = text.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    (len > 0 && text[len..].starts_with(b" /")).then_some(len)
}

/// The methods that logs of an unknown format contain.
pub const METHODS: [&[u8]; 9] =
    [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH", b"CONNECT", b"PROPFIND"];

/// The bytes of a method: a token of HTTP (RFC 9110 5.6.2).
const IN_METHOD: ByteSet = ALPHANUMERIC.union(ByteSet::of(b"!#$%&'*+-.^_`|~"));

/// Splits `text` at the first `byte`. The result is the text before this byte, and the text after it.
pub fn split_at_byte(text: &[u8], byte: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|&there| there == byte)?;
    Some((&text[..at], &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_recognized() {
        for client in [
            "-", "192.0.2.1", "192.0.2.1:4711", "unix:", "unix:/run/x.sock", "::1", "2001:db8::1", "fe80::1%eth0",
            "::ffff:192.0.2.1", "[2001:db8::1]", "[::1]:80", "2001:db8:0:1:2:3:4:5:4711", "www.example.com",
            "www.example.com:443", "web_1", "localhost",
        ] {
            assert!(is_client(client.as_bytes()), "{client}");
        }
        for other in [
            "",
            "2025-01-22T13:09:20.606136+01:00",
            "2025-01-22T13:09:20Z",
            "2025-01-22T13:09:20",
            "12:00:00",
            "nginx:",
            "nginx[12]:",
            "<134>1",
            "<134>Oct",
            "|",
            "web|",
            "[12]",
            "[::1",
            "[::1]x",
            "1.2.3.4,",
            "a\"b",
            "\"\"",
            "a:b",
            ":80",
            "é",
        ] {
            assert!(!is_client(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn usual_clients_are_8_to_16_digits_and_dots() {
        for byte in 0..=u8::MAX {
            for at in 0..10 {
                let mut word = *b"0123456789";
                word[at] = byte;
                let expected = byte.is_ascii_digit() || byte == b'.';
                assert_eq!(is_usual_client(&word), expected, "{}", word.escape_ascii());
            }
        }
        for len in 0..20 {
            assert_eq!(is_usual_client(&vec![b'1'; len]), (8..=16).contains(&len));
        }
    }

    #[test]
    fn times_are_recognized() {
        for time in [
            "10/Oct/2000:13:55:36 -0700",
            "10/Oct/2000:13:55:36",
            "2000-10-10T13:55:36+00:00",
            "10/Oct/2000 13:55:36",
            "Tue, 10 Oct 2000 13:55:36 GMT",
            "971186136.123",
            "10/déc./2000:13:55:36 +0100",
        ] {
            assert!(is_log_time(time.as_bytes()), "{time}");
        }
        for other in
            ["", "x", "core:error", "pid 12", "10/Oct/2000 \"13:55:36\"", "10/Oct/2000 [13:55:36", &"1".repeat(49)]
        {
            assert!(!is_log_time(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn targets_are_found_in_request_lines() {
        for (line, target) in [
            ("GET /a HTTP/1.1", "/a"),
            ("GET /a b HTTP/1.1", "/a b"),
            ("GET /a HTTP/1.1 HTTP/1.1", "/a"),
            ("M-SEARCH * HTTP/1.1", "*"),
            ("get /a HTTP/1.0", "/a"),
            ("GET /a", "/a"),
            ("GET /a 1.1", "/a"),
            ("GET /a 1.1 HTTP/1.1", "/a 1.1"),
            ("GET HTTP/1.1", ""),
            ("OPTIONS / RTSP/1.0", "/"),
            ("OPTIONS sip:nm SIP/2.0", "sip:nm"),
            ("REQMOD icap://h/x?a ICAP/1.0", "icap://h/x?a"),
            ("OPTIONS /a b RTSP/1.0", "/a b"),
            ("OPTIONS / RTSP/1.0 HTTP/1.1", "/ RTSP/1.0"),
            ("OPTIONS / RTSP/1.0 x", "/ RTSP/1.0 x"),
        ] {
            let found = request_line(line.as_bytes()).map(|(range, _)| &line[range]);
            assert_eq!(found, Some(target), "{line}");
        }
        for line in
            ["", "-", "GET", "GET ", "example.com", "\\x16\\x03\\x01", "\\x16 /a HTTP/1.1", "a b", " GET /a HTTP/1.1"]
        {
            assert_eq!(request_line(line.as_bytes()), None, "{line}");
        }
    }
}
