//! The first lines of an input, predicates that several formats share, and sets of bytes that several formats keep escaped.

use memchr::{memchr, memchr_iter, memmem, memrchr};
use percent_simd::{ByteSet, sets};

use crate::framing::Framing;

/// Returns the text without the byte order mark of UTF-8 at its start.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text)
}

/// Returns the line without the NULs at its start. If a log is emptied while a program writes to it, the program continues at its old
/// place, and the system fills the space before it with NULs.
pub fn without_nuls(line: &[u8]) -> &[u8] {
    let nuls = line.iter().take_while(|&&byte| byte == 0).count();
    &line[nuls..]
}

/// Returns the record without a byte order mark and NULs at its start.
#[inline(never)]
pub fn without_start(record: &[u8]) -> &[u8] {
    without_nuls(without_mark(record))
}

/// The number of lines in a sample.
const LINES: usize = 20;

/// The first lines of an input.
pub struct Sample<'a> {
    /// The start of the input, without a byte order mark.
    pub head: &'a [u8],
    /// The first lines that are not empty, without their line ends. The last one may be cut off.
    pub lines: Vec<&'a [u8]>,
}

impl<'a> Sample<'a> {
    /// Returns the first lines of an input that starts with `head`.
    pub fn new(head: &'a [u8]) -> Sample<'a> {
        let head = without_mark(head);
        let lines = head.split(|&byte| byte == b'\n');
        let lines = lines.map(|line| without_nuls(line.strip_suffix(b"\r").unwrap_or(line)));
        Sample { head, lines: lines.filter(|line| !line.is_empty()).take(LINES).collect() }
    }

    /// Returns true if at least half of the lines pass the test. Some lines may fail, because the last line may be cut off, and
    /// logs contain bad lines.
    pub fn most(&self, is_so: impl Fn(&[u8]) -> bool) -> bool {
        self.most_are(&is_so)
    }

    /// Does the same as [`most`](Self::most). Exists once for all tests.
    fn most_are(&self, is_so: &dyn Fn(&[u8]) -> bool) -> bool {
        let hits = self.lines.iter().filter(|line| is_so(line)).count();
        hits > 0 && 2 * hits >= self.lines.len()
    }

    /// Returns true if the sample has lines and all of them pass the test.
    pub fn all(&self, is_so: impl Fn(&[u8]) -> bool) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| is_so(line))
    }
}

/// The number of records in which we look for fields with URLs.
const RECORDS: usize = 100;

/// Returns the first records of an input that starts with `head`, each with its number and without its end. Leaves out
/// empty records. If the last record may be cut off, leaves it out too, unless it is the only record.
pub fn first_records(framing: Framing, head: &[u8]) -> Vec<(usize, &[u8])> {
    let head = without_mark(head);
    let (mut records, mut at, mut number) = (Vec::new(), 0, 0);
    while at < head.len() && records.len() < RECORDS {
        let record = framing.first(&head[at..]);
        let is_cut = at + record.len == head.len() && record.len == record.body && framing.end().is_some();
        let body = without_nuls(&head[at..at + record.body]);
        if !body.is_empty() && (!is_cut || records.is_empty()) {
            records.push((number, body));
        }
        at += record.len;
        number += 1;
    }
    records
}

/// Returns the first records of `head` with a sign of a URL: a scheme, an escape or a request. If `has_header` is true, the
/// first record comes before them, because it may be a header.
pub fn with_signs(framing: Framing, head: &[u8], has_header: bool) -> Vec<u8> {
    /// We look for fields in fewer records.
    const RECORDS: usize = 200;
    /// A longer record takes too much time.
    const LONGEST: usize = 64 * 1024;
    let (mut found, mut records, mut at) = (Vec::new(), 0, 0);
    while at < head.len() && records < RECORDS {
        let record = &head[at..at + framing.first(&head[at..]).len];
        let has = |text: &[u8]| memmem::find(record, text).is_some();
        let has_sign = || memchr(b'%', record).is_some() || has(b"://") || has(b" HTTP/");
        if has_header && at == 0 || record.len() <= LONGEST && has_sign() {
            found.extend_from_slice(record);
            records += 1;
        }
        at += record.len();
    }
    found
}

/// Returns true if `line` contains all the strings in `texts`.
pub fn has_all(line: &[u8], texts: &[impl AsRef<[u8]>]) -> bool {
    texts.iter().all(|text| memmem::find(line, text.as_ref()).is_some())
}

/// Returns the offset of the last `part` in `text`. `memmem::rfind` would make the module of the page 1.5 KB larger.
pub fn last(text: &[u8], part: &[u8]) -> Option<usize> {
    let Some((&first, rest)) = part.split_first() else { return Some(text.len()) };
    let mut end = text.len();
    while let Some(at) = memrchr(first, &text[..end]) {
        if text[at + 1..].starts_with(rest) {
            return Some(at);
        }
        end = at;
    }
    None
}

/// Returns the number of times `byte` occurs in `line`.
pub fn count(line: &[u8], byte: u8) -> usize {
    memchr_iter(byte, line).count()
}

/// Returns the number of lines in `chunk` that start with `mark`.
pub fn lines_that_start_with(chunk: &[u8], mark: &[u8]) -> u64 {
    let others = memmem::find_iter(chunk, &[b"\n", mark].concat()).count();
    others as u64 + u64::from(chunk.starts_with(mark))
}

/// Returns the number of lines in `chunk` that consist only of a line end.
pub fn empty_lines(chunk: &[u8]) -> u64 {
    let is_empty = |&at: &usize| matches!(chunk[..at], [] | [b'\r'] | [.., b'\n'] | [.., b'\n', b'\r']);
    memchr_iter(b'\n', chunk).filter(is_empty).count() as u64
}

/// Returns true if `head` starts with a tag. Syslog starts with a priority such as `<134>`, which is no tag.
pub fn starts_with_tag(head: &[u8]) -> bool {
    matches!(head.trim_ascii_start(), [b'<', b'A'..=b'Z' | b'a'..=b'z' | b'!' | b'?', ..])
}

/// Returns true for a line that may be a JSON object. Ruby writes a hash as `{ "key" => "value" }`.
pub fn is_object(line: &[u8]) -> bool {
    let inner = line.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    inner.is_some_and(|inner| match inner {
        [b'"', key @ ..] => {
            let close = memchr_iter(b'"', key).find(|&at| at == 0 || key[at - 1] != b'\\');
            let rest = close.map_or(&[][..], |at| key[at + 1..].trim_ascii_start());
            rest.first().is_none_or(|&byte| byte == b':')
        }
        _ => inner.starts_with(b"}"),
    })
}

/// Returns true for a time like `2018-07-02T22:23:00.186641Z`. In place of `Z`, there may be an offset like `+01:00`.
pub fn is_time(word: &[u8]) -> bool {
    word.len() >= 19 && word[4] == b'-' && word[10] == b'T' && word[13] == b':' && word[0].is_ascii_digit()
}

/// Returns true for a URL like `http://...`, with any scheme before the `://`.
pub fn is_absolute(text: &[u8]) -> bool {
    scheme(text).is_some_and(|scheme| !has_name(scheme))
}

/// Returns the text before `://`, if it consists of the bytes of a scheme.
fn scheme(text: &[u8]) -> Option<&[u8]> {
    let scheme = memmem::find(text, b"://").map(|at| &text[..at])?;
    let is_in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(is_in_scheme);
    is_scheme.then_some(scheme)
}

/// Returns true if a name and a dot precede the scheme, as in `connection.https`.
pub fn has_name(scheme: &[u8]) -> bool {
    scheme.strip_suffix(b"s").unwrap_or(scheme).ends_with(b".http")
}

/// Returns true for a URL with a scheme, and for a path as in a request line.
pub fn is_url(text: &[u8]) -> bool {
    text.starts_with(b"/") || is_absolute(text)
}

/// Returns true if the whole text is one URL with a host, and has a sign that only URLs have: a scheme, an escape or a query.
/// The URL of a package, such as `pkg:npm/%40babel/core@7`, has no host.
pub fn is_whole_url(text: &[u8]) -> bool {
    let has_scheme = || is_absolute(text) || text.starts_with(b"pkg:");
    let has_sign = || has_escape(text) || has_query(text);
    is_plain(text) && is_one(text) && (has_scheme() || is_host_and_path(text) && has_sign())
}

/// Returns true if `text` is one value: a URL, a target, a query or other text without a URL. If it returns false, `text`
/// has a URL and more text.
///
/// Programs write blanks into URLs with names of files. So a blank ends a URL only if a control, a quote, markup, another
/// URL, or the punctuation of a sentence shows that text follows.
pub fn is_one(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    if text.iter().any(|byte| *byte < b' ') {
        return false;
    }
    let (false, Some(at)) = (text.starts_with(b"/"), memmem::find(text, b"://")) else { return true };
    let (before, after) = (&text[..at], &text[at + 3..]);
    if !is_absolute(text) {
        // A URL in a path or a query, or after another scheme, belongs to the value. After any other text, as in `uri=http://h`
        // and `'http://h`, it is only a part of the value.
        let is_in_scheme = |byte: &u8| byte.is_ascii_lowercase() || b"+-:".contains(byte);
        return is_plain(text) && (before.iter().any(|byte| b"/?&".contains(byte)) || before.iter().all(is_in_scheme));
    }
    if is_plain(text) {
        let up_to = |ends: &[u8]| after.split(|byte| ends.contains(byte)).next().unwrap_or_default();
        let path = up_to(b"?#");
        let is_list = (0..path.len()).any(|at| b",;".contains(&path[at]) && is_next_url(&path[at + 1..]));
        return !up_to(b"/?#").contains(&b';') && !is_list;
    }
    let rest = memchr(b' ', text).map_or(&b""[..], |at| &text[at..]);
    let is_sentence = || text.windows(2).any(|two| two[1] == b' ' && b",;:".contains(&two[0]));
    memmem::find(rest, b"://").is_none() && !rest.iter().any(|byte| b"\"<>".contains(byte)) && !is_sentence()
}

/// Returns true if `text`, which follows a comma or a semicolon, starts the next URL of a list.
pub fn is_next_url(text: &[u8]) -> bool {
    text.starts_with(b"http://") || text.starts_with(b"https://")
}

/// Returns true if `text` has no blank, control, quote, angle bracket or backslash.
pub fn is_plain(text: &[u8]) -> bool {
    !text.iter().any(|&byte| byte <= b' ' || byte == 0x7F || b"\"<>\\".contains(&byte))
}

/// Returns true if `text` has an escape.
pub fn has_escape(text: &[u8]) -> bool {
    text.windows(3).any(|three| three[0] == b'%' && three[1..].iter().all(u8::is_ascii_hexdigit))
}

/// Returns true if `target` has a `?`, and a `=` after the `?`. A target like this has a query.
pub fn has_query(target: &[u8]) -> bool {
    memchr(b'?', target).is_some_and(|at| memchr(b'=', &target[at..]).is_some())
}

/// Returns true for `example.com/x` and for `example.com:443/x`.
pub fn is_host_and_path(text: &[u8]) -> bool {
    let Some(len) = memchr(b'/', text) else { return false };
    let port = memchr(b':', &text[..len]).filter(|&at| is_digits(&text[at + 1..len]));
    let host = &text[..port.unwrap_or(len)];
    let top = host.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    host.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        && host.first().is_some_and(u8::is_ascii_alphanumeric)
        && (2..host.len()).contains(&top.len())
        && top.iter().all(u8::is_ascii_alphabetic)
}

/// Returns the length of a prefix like `web_1  | `. foreman and similar programs also write a time:
/// `13:09:20 web.1  | `.
pub fn compose(line: &[u8]) -> Option<usize> {
    let time = if is_clock(line) && line.get(8) == Some(&b' ') { 9 } else { 0 };
    let name = line[time..].iter().take_while(|&&byte| is_in_name(byte)).count();
    let rest = &line[time + name..];
    let blanks = rest.iter().take_while(|&&byte| byte == b' ').count();
    let is_it = name > 0 && blanks > 0 && rest[blanks..].starts_with(b"| ");
    is_it.then_some(time + name + blanks + 2)
}

/// Returns true if `text` starts with a time like `22:14:15`.
pub fn is_clock(text: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| if at % 3 == 2 { *byte == b':' } else { byte.is_ascii_digit() };
    text.get(..8).is_some_and(|clock| clock.iter().enumerate().all(fits))
}

/// Returns true for a byte of the name of a host, a service or a program.
pub fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-".contains(&byte)
}

/// Returns true for one or more digits.
pub fn is_digits(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// The ASCII controls. Their escapes stay in every text format.
pub const CONTROLS: ByteSet = ByteSet::CONTROLS;

/// Bytes whose escapes stay in a value in quotes. If one of these bytes were decoded, it would end the value or start
/// an escape of the format.
pub const IN_QUOTES: ByteSet = CONTROLS.union(ByteSet::of(b"\"\\"));

/// Bytes whose escapes stay in a field between spaces. If one of these bytes were decoded, it would end the field, or
/// start a field in quotes or brackets.
pub const IN_SPACES: ByteSet = IN_QUOTES.union(ByteSet::of(b" []"));

/// Bytes whose escapes stay in a URL in a text. If they were decoded, they could form ` HTTP/`, which ends a target.
pub const HTTP: ByteSet = ByteSet::of(b"HTP/");

/// Bytes whose escapes stay in a target that contains a space. If they were decoded, they could form ` HTTP/` or the name of
/// another protocol (`PROTOCOLS` in token.rs), which ends the target.
pub const VERSION: ByteSet = HTTP.union(ByteSet::of(b"RSICA"));

/// All ASCII bytes except the ones listed in this expression. Each byte of this set is a delimiter, a quote, an escape,
/// markup or a blank in some format.
pub const DELIMITERS: ByteSet =
    sets::RFC3986_UNRESERVED.union(ByteSet::of(b"/%@!$*+")).union(ByteSet::range(0x80, 0xFF)).complement();
