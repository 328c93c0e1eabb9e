//! Lines of any form, for logs in an unknown format. The fields are URLs with a scheme, targets after a method (`GET /x`),
//! and targets after a name (`uri=/x`), at any place of a line.
//!
//! A line has no delimiters that we know. So a value ends at the first byte that URLs don't have, and punctuation at its
//! end belongs to the sentence around it. As in `text`, the escapes of all delimiters stay.

mod end;

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2_iter, memrchr};

use self::end::{end, starts_with_escape, value_end};
use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, shown, unknown};
use super::role::{Hint, hint};
use super::shape::{
    DELIMITERS, Sample, VERSION, count, has_escape, has_name, has_query, is_digits, is_host_and_path, starts_with_tag,
};
use super::token::{METHODS, request_line, status_after};
use super::values::is_file;
use super::wrap::Wrap;

pub const URLS: Row = Row {
    name: "urls",
    help: shown(
        "at any place of a line: URLs with a scheme, targets after a method or a name such as uri=, paths with an escape or a query",
    ),
    fields: shown("url, target, location, referrer"),
    build: |choice| Ok(Box::new(Urls::new(choice)?)),
    // `auto` chooses this format only if no other format fits.
    sniff: |_| false,
};

/// The names of the fields. A field's rule has the same index. The last rule is for a target that contains blanks.
const KNOWN: [&str; 4] = ["url", "target", "location", "referrer"];
const URL: usize = 0;
const TARGET: usize = 1;
const LOCATION: usize = 2;
const REFERRER: usize = 3;
const TARGET_WITH_SPACES: usize = 4;
/// The first of the same rules for values in a JSON string.
const IN_JSON: usize = 5;

struct Urls {
    schema: Schema,
}

impl Urls {
    fn new(choice: &Choice) -> Result<Urls, String> {
        let mut schema = Schema::new(choice, KNOWN, [""; 0]);
        if let Some(field) = schema.names.iter().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(unknown(field, URLS.name, &KNOWN));
        }
        let rule = |keep, syntax| Rule { keep, wrap: Wrap::Verbatim, syntax };
        schema.is_text = true;
        schema.rules = vec![
            rule(DELIMITERS, Syntax::Reference),
            rule(DELIMITERS, Syntax::Target),
            rule(DELIMITERS, Syntax::Reference),
            rule(DELIMITERS, Syntax::Reference),
            rule(DELIMITERS | VERSION, Syntax::Target),
        ];
        schema.rules.extend_from_within(..);
        schema.rules[IN_JSON..].iter_mut().for_each(|rule| rule.wrap = Wrap::Json);
        Ok(Urls { schema })
    }
}

/// Returns true if each backslash in `value` starts an escape of `&` or `=`, as in a JSON string.
fn is_in_json(value: &[u8]) -> bool {
    value.is_ascii() && memchr_iter(b'\\', value).all(|at| starts_with_escape(&value[at..]))
}

/// Returns true if the start of the input has a URL or a target. If `is_any` is true, a path with an escape or a query is a
/// target, too. In markup, `&amp;` means `&`, so we don't read markup as lines.
pub fn fits(sample: &Sample, is_any: bool) -> bool {
    let mut lines = sample.head.split(|&byte| byte == b'\n');
    let has_url = |line: &[u8]| find(line, 0, is_any).is_some();
    let has_nul = |line: &&[u8]| memchr(0, line).is_some();
    !starts_with_tag(sample.head) && !sample.lines.iter().any(has_nul) && lines.any(has_url)
}

/// Returns the bounds of the first URL or target in `line` after `from`, and the index of its rule.
pub(super) fn next(line: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    find(line, from, false)
}

/// Does the same as [`next`]. If `is_any` is true, a path with an escape or a query is a target, too, at any place of the line.
pub(super) fn find(line: &[u8], from: usize, is_any: bool) -> Option<(Range<usize>, usize)> {
    let mut checked = from;
    let find_at = |at: usize| {
        let slash = from + at;
        if line[slash] == b'C' {
            return connect(line, from, slash).map(|range| (range, TARGET));
        }
        let before = &line[from..slash];
        match (before, &line[slash + 1..]) {
            ([scheme @ .., b':'], [b'/', host, ..])
                if host.is_ascii_alphanumeric() || b"[%/".contains(host) || *host >= 0x80 =>
            {
                let is_in_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                let len = scheme.iter().rev().take_while(is_in_scheme).count();
                // Before the scheme, there may be a name and a dot, as in `connection.https://h`.
                let len =
                    if has_name(scheme) { memrchr(b'.', scheme).map_or(len, |at| scheme.len() - at - 1) } else { len };
                let start = slash - 1 - len;
                // An escape of a quoted text may precede the scheme, as in `\nhttp://h` and `\u0027http://h`.
                let escape = match &line[start..] {
                    _ if !line[..start].ends_with(b"\\") => 0,
                    [b'n' | b'r' | b't', ..] => 1,
                    [b'u', digits @ ..] if digits.iter().take(4).all(u8::is_ascii_hexdigit) => 5,
                    _ => 0,
                };
                let start = start + escape;
                // The first letters may be the digits of an escape.
                if !line[start].is_ascii_alphabetic() || line[from..start].ends_with(b"%") {
                    return None;
                }
                Some(match target(line, from, start, slash + 2) {
                    Some(found) if line[found.0.end..].starts_with(b" HTTP/") => found,
                    Some((range, _)) => (range, url_rule(line, from, start)),
                    None => (start..value_end(line, start, slash + 2), url_rule(line, from, start)),
                })
            }
            ([rest @ .., b' ', b'H', b'T', b'T', b'P'], _) => {
                let len = rest.iter().rev().take_while(|&&byte| byte != b' ').count();
                let start = from + rest.len() - len;
                target(line, from, start, start + 1)
            }
            ([.., b'>' | b'-', b' '], _) if is_redirect(line, from, slash) || from > 0 && before.ends_with(b"] - ") => {
                Some((slash..end(line, slash + 1), LOCATION))
            }
            // Nikto writes a list of paths, as in `+ /admin/: A login page was found.` Before a path, there may be a number, as in
            // `+ OSVDB-12: /admin/: ...`.
            ([b'+', b' ', number @ ..], _)
                if from == 0
                    && number.len() <= MOST
                    && (number.is_empty() || number.ends_with(b": "))
                    && count(number, b' ') < 2 =>
            {
                let end = end(line, slash + 1);
                line[end..].starts_with(b": ").then_some((slash..end, TARGET))
            }
            _ => {
                let is_first = matches!(
                    before,
                    [] | [.., b' ' | b'\t' | b'"' | b'\'' | b'`' | b'=' | b':' | b'|' | b'(' | b'[' | b'>']
                );
                if is_first && let Some(found) = target(line, from, slash, slash + 1) {
                    return Some(found);
                }
                if !is_first && let Some(start) = labelled_host(line, from, slash) {
                    return Some((start..value_end(line, start, slash + 1), url_rule(line, from, start)));
                }
                let is_labelled = is_first && has_label(before, &line[slash..]);
                // If a path has no sign of a URL, neither have its parts.
                let is_port = before.last().is_some_and(u8::is_ascii_digit);
                if !is_labelled && (!is_any || slash < checked || !is_first && !is_port) {
                    return None;
                }
                let (start, rule) = if is_first { (slash, TARGET) } else { (host_start(line, from, slash)?, URL) };
                let range = start..value_end(line, start, slash + 1);
                checked = range.end;
                let path = &line[range.clone()];
                let has_sign = has_query(path) || has_escape(path) && !is_file(path);
                (is_labelled || has_sign || has_status(line, &range)).then_some((range, rule))
            }
        }
    };
    memchr2_iter(b'/', b'C', &line[from..]).find_map(find_at)
}

/// Returns the bounds of the host and port after the method `CONNECT` at `at`. Its version may be missing.
fn connect(line: &[u8], from: usize, at: usize) -> Option<Range<usize>> {
    let rest = line[at..].strip_prefix(b"CONNECT ")?;
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(byte)).count();
    // Punctuation of the sentence may follow.
    let value = rest[..len].strip_suffix(b":").or(rest[..len].strip_suffix(b".")).unwrap_or(&rest[..len]);
    let colon = memrchr(b':', value)?;
    let is_word = !line[from..at].last().is_some_and(u8::is_ascii_alphanumeric);
    let (host, port) = (&value[..colon], &value[colon + 1..]);
    // In a text, a word and a number may follow, as in `CONNECT error: 5`.
    let has_sign = host.contains(&b'.') || host.ends_with(b"]") || host == b"localhost" || port == b"443";
    let is_host = has_sign && !is_digits(host) && is_digits(port);
    // If a path follows, the host and the path are one URL.
    let is_whole = !rest[len..].first().is_some_and(|byte| b"/?#%@".contains(byte));
    let start = line.len() - rest.len();
    (is_word && is_host && is_whole).then(|| start..start + value.len())
}

/// Returns the length of a host and port at the end of `text`.
fn host_len(text: &[u8]) -> usize {
    let is_in_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-:".contains(byte);
    text.iter().rev().take(MOST).take_while(is_in_host).count()
}

/// Returns the start of the host and port before `slash`, as in `localhost:80/a`. A host without a port may also be a name of
/// a package, as in `example.com/a`.
pub(super) fn host_start(line: &[u8], from: usize, slash: usize) -> Option<usize> {
    let start = slash - host_len(&line[from..slash]);
    let is_first = line[from..start].last().is_none_or(|byte| b" \t\"'`=|([>".contains(byte));
    let host = &line[start..slash];
    let has_port = |at: usize| !is_digits(&host[..at]) && is_digits(&host[at + 1..]);
    (is_first && memchr(b':', host).is_some_and(has_port)).then_some(start)
}

/// Returns the start of the host before `slash` if a name of URLs precedes it, as in `URL: h.example/a` and `url=h:80/a`.
fn labelled_host(line: &[u8], from: usize, slash: usize) -> Option<usize> {
    let start = slash - host_len(&line[from..slash]);
    let is_host = || is_host_and_path(&line[start..=slash]) || host_start(line, from, slash) == Some(start);
    (is_host() && has_label(&line[from..start], b"")).then_some(start)
}

/// Returns true if a time in brackets precedes the path at `range`, and a status follows it, as in `[...] "/x" 404` of an access
/// log without methods.
fn has_status(line: &[u8], range: &Range<usize>) -> bool {
    let before = &line[..range.start];
    before.strip_suffix(b"\"").unwrap_or(before).ends_with(b"] ") && precedes_status(line, range)
}

/// Returns true if a status follows the target at `range`. If the target starts after a quote, the quote must close before the
/// status.
pub(super) fn precedes_status(line: &[u8], range: &Range<usize>) -> bool {
    let is_quoted = line[..range.start].ends_with(b"\"");
    let after = line[range.end..].strip_prefix(if is_quoted { &b"\""[..] } else { b"" });
    matches!(after.and_then(status_after), Some([b'1'..=b'5', ..]))
}

/// Does the same as [`next`] for the text of a field: returns the bounds, and true for a target.
pub(super) fn next_in_text(text: &[u8], from: usize) -> Option<(Range<usize>, bool)> {
    next(text, from).map(|(range, rule)| (range, !matches!(rule, URL | LOCATION | REFERRER)))
}

/// Returns true if an arrow precedes `start`, as in `http://h/a => /b`. Crawlers and scanners write a redirect like
/// this. Without a URL or target before the arrow, the arrow has another meaning.
fn is_redirect(line: &[u8], from: usize, start: usize) -> bool {
    from > 0 && matches!(&line[from..start], [.., b'-' | b'=', b'>', b' '])
}

/// Returns the rule of the URL at `start`.
fn url_rule(line: &[u8], from: usize, start: usize) -> usize {
    if is_redirect(line, from, start) {
        LOCATION
    } else if precedes_referrer(&line[from..start]) {
        REFERRER
    } else {
        URL
    }
}

/// Returns true if a referrer follows `before`: after a name as in `referrer: "`, or after the target and the size in an access log, as
/// in ` HTTP/1.1" 200 12 "`.
fn precedes_referrer(before: &[u8]) -> bool {
    let marks = before.iter().rev().take(MOST).take_while(|byte| b" \"'=:>[(".contains(byte)).count();
    let name = &before[..before.len() - marks];
    let ends_with =
        |word: &[u8]| name.len() >= word.len() && name[name.len() - word.len()..].eq_ignore_ascii_case(word);
    let is_after_size = || {
        let version = before.strip_prefix(b" HTTP/")?;
        let answer = &version[memchr(b' ', version)?..];
        let size = answer[1 + status_after(answer)?.len()..].strip_prefix(b" ")?.strip_suffix(b" \"")?;
        (size == b"-" || is_digits(size)).then_some(())
    };
    marks > 0 && (ends_with(b"referer") || ends_with(b"referrer")) || is_after_size().is_some()
}

/// The maximum number of blanks in a row, and of bytes in a label, that we skip. We need a limit because a line may have many
/// slashes.
const MOST: usize = 64;

/// Returns `text` without the blanks at its end.
fn without_blanks(text: &[u8]) -> &[u8] {
    &text[..text.len() - text.iter().rev().take(MOST).take_while(|byte| **byte == b' ').count()]
}

/// Returns true if `before`, the text before a value, ends with a name that hints at URLs. Punctuation may follow
/// the name, as in `uri=`, `uri=[`, `"requestUri": "` and `:url=>"`. The debug exporter of OpenTelemetry writes the type of the value, as in
/// `http.target: Str(`. `after` is the text from the value on.
pub(super) fn has_label(before: &[u8], after: &[u8]) -> bool {
    let before = before.strip_suffix(b"Str(").or(before.strip_suffix(b"[")).unwrap_or(before);
    let is_quote = |byte: &u8| b"\"'".contains(byte);
    let is_in_quotes = before.last().is_some_and(is_quote);
    let text = without_blanks(before.strip_suffix(b"\"").or(before.strip_suffix(b"'")).unwrap_or(before));
    let text = text.strip_suffix(b">").filter(|text| text.ends_with(b"=")).unwrap_or(text);
    let text = without_blanks(text.strip_suffix(b"=").or(text.strip_suffix(b":")).unwrap_or(text));
    // Cisco ASA writes the address of the server before the target, as in `URL 192.0.2.1:/x`.
    let address = text.iter().rev().take(MOST).take_while(|&&byte| byte.is_ascii_digit() || byte == b'.').count();
    let text = if before.ends_with(b":") { without_blanks(&text[..text.len() - address]) } else { text };
    let has_quotes = text.last().is_some_and(is_quote);
    let text = &text[..text.len() - usize::from(has_quotes)];
    let is_in_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let len = text.iter().rev().take(MOST).take_while(is_in_name).count();
    let name = &text[text.len() - len..];
    // `hint` is slow, so it only gets names with the last letters of a name of URLs.
    const ENDS: [&[u8; 3]; 16] = [
        b"url", b"rls", b"uri", b"ris", b"iri", b"ref", b"rer", b"ull", b"nal", b"raw", b"ath", b"ery", b"get", b"ing",
        b"nfo", b"tem",
    ];
    let end = name.last_chunk().map(|end: &[u8; 3]| end.map(|byte| byte.to_ascii_lowercase()));
    // If both the name and the value have quotes, they are from an object, as in `"path" => "/x"`.
    let is_member = is_in_quotes && has_quotes;
    let is_likely = is_member || end.is_some_and(|end| ENDS.contains(&&end));
    // A path beside a method is a target, as in `method=GET path=/x` and `path:/x|method:GET`.
    let precedes_method = || {
        let next = after.iter().take(4 * MOST).position(|byte| b" ,;|".contains(byte)).map(|len| &after[len + 1..]);
        let name = next.and_then(|next| next.strip_prefix(b"method"));
        name.is_some_and(|rest| matches!(rest, [b'=' | b':', b'A'..=b'Z', ..]))
    };
    let is_beside = || {
        let around = without_blanks(&text[..text.len() - len]);
        let around = around.strip_suffix(b",").unwrap_or(around);
        let rest = METHODS.iter().find_map(|method| around.strip_suffix(*method));
        rest.is_some_and(|rest| rest.ends_with(b"=") || rest.ends_with(b": ")) || precedes_method()
    };
    let fits = |hint: Hint| hint == Hint::Url || hint == Hint::Maybe && (is_member || is_beside());
    is_likely && std::str::from_utf8(name).is_ok_and(|name| fits(hint(name)))
}

/// Returns `before`, the text before a target, without a scheme and a host after a method. For example, Nginx Proxy Manager writes
/// `GET http h.example "/x"`.
fn without_host(before: &[u8]) -> &[u8] {
    let mut rest = before;
    for _ in 0..2 {
        let (around, word) = rest.split_at(rest.len() - host_len(rest));
        let is_it = [&b"http"[..], b"https"].contains(&word) || word.iter().any(|byte| b".:".contains(byte));
        match around.strip_suffix(b" ") {
            Some(around) if is_it => rest = without_blanks(around),
            _ => break,
        }
    }
    if METHODS.iter().any(|method| rest.ends_with(method)) { rest } else { before }
}

/// Bytes that URLs don't have, and that attacks have.
const MARKUP: [u8; 3] = [b'"', b'<', b'{'];

/// Returns the target at `start`, which contains the byte before `at`. If no method precedes it, returns `None`.
fn target(line: &[u8], from: usize, start: usize, at: usize) -> Option<(Range<usize>, usize)> {
    let before = &line[from..start];
    let quotes = usize::from(before.last().is_some_and(|byte| b"\"'`".contains(byte)));
    let before = before[..before.len() - quotes].strip_suffix(b" ").map(without_blanks)?;
    let bracketed = before.strip_suffix(b"]").or(before.strip_suffix(b")"));
    let before = bracketed.unwrap_or(before);
    // Some logs have a separator between the method and the target, as in `POST -- /x`, `GET | /x` and `GET: /x`.
    let dashes = before.iter().rev().take(2).take_while(|byte| b"-|:>".contains(byte)).count();
    let before = if dashes > 0 { without_blanks(&before[..before.len() - dashes]) } else { before };
    let before = without_host(before);
    let len = before.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    let (around, method) = before.split_at(before.len() - len);
    if len < 3 || method == b"HTTP" || around.last().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return None;
    }
    // A target in quotes ends at the first ` HTTP/`, so it may contain blanks.
    let close = if around.ends_with(b"\"") { b'"' } else { b' ' };
    let len = memchr(close, &line[start..]).unwrap_or(line.len() - start);
    let stop = start + len + if close == b' ' { b" HTTP/".len() } else { 0 };
    let first = from + around.len();
    if let Some((range, has_spaces)) = request_line(&line[first..stop.min(line.len())]) {
        let range = first + range.start..first + range.end;
        if range.start == start && line[range.end..].starts_with(b" HTTP/") {
            return Some((range, if has_spaces { TARGET_WITH_SPACES } else { TARGET }));
        }
    }
    // If the line lacks the version, we must know the method.
    METHODS.contains(&method).then(|| {
        let mut last = end(line, at);
        // Attacks have paths of Windows. After a text, a `\` starts an escape such as `\n`.
        while let [b'\\', next, ..] = line[last..]
            && next > b' '
            && !b"nrt\"'\\".contains(&next)
        {
            last = end(line, last + 1);
        }
        let rest = &line[last..];
        let rest = &rest[..rest.iter().position(|byte| *byte <= b' ').unwrap_or(rest.len())];
        let has_markup = |text: &[u8]| text.iter().any(|byte| MARKUP.contains(byte));
        // After another target, we would have to read the line again for each target.
        let is_enclosed = bracketed.is_none() && around.last().is_some_and(|byte| *byte != b' ');
        if from > 0 || is_enclosed || !has_markup(rest) {
            return (start..last, TARGET);
        }
        // Some servers write raw markup in a target, as in `GET /?a='<script>`. If the line has the same byte before the
        // target, it may enclose the target, as in `"Handled GET /x"`.
        let enclosing = MARKUP.map(|byte| if memchr(byte, &line[..start]).is_some() { byte } else { b' ' });
        let len = rest.iter().position(|byte| enclosing.contains(byte)).unwrap_or(rest.len());
        // The target may be in a sentence, too, as in `GET /<x>: a text`.
        let part = rest[..len].strip_suffix(b":").unwrap_or(&rest[..len]);
        let len = if has_markup(part) { part.len() } else { 0 };
        (start..last + len, TARGET)
    })
}

impl Format for Urls {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let (mut at, mut kind) = (0, Kind::Comment);
        while let Some((mut range, mut rule)) = find(record, at, true) {
            let name = KNOWN.get(rule).unwrap_or(&KNOWN[TARGET]);
            let choice = self.schema.names.iter().position(|chosen| chosen == name);
            let is_escape = |at: &usize| starts_with_escape(&record[range.start + at..]);
            match memchr_iter(b'\\', &record[range.clone()]).find(is_escape) {
                // A text may have the same bytes, so they aren't written in another form.
                Some(len) if !self.schema.only_reads => range.end = range.start + len,
                Some(_) if is_in_json(&record[range.clone()]) => rule += IN_JSON,
                _ => {}
            }
            (at, kind) = (range.end, Kind::Data);
            fields.extend(choice.map(|choice| Field { choice, range, rule, object: None }));
        }
        kind
    }
}

#[cfg(test)]
mod tests;
