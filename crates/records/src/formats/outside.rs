//! Finds URLs outside of the fields that are read, so that `pct` can report them.
//!
//! A recognized format may be wrong, and a record may have URLs outside of its fields. Without a message, a user would miss these
//! URLs. So we read the first records again, in the same way as `urls`, and look for URLs outside of all named fields:
//!
//! - The search in `found` already reports the named fields that it leaves out.
//! - In other formats, a named field that isn't chosen has no URLs that users expect in the output. An example is the page of a client
//!   program in the user agent.

use std::cell::Cell;
use std::collections::HashSet;
use std::iter;

use memchr::{memchr, memmem};

use super::format::{Choice, Field, Format, IS_MODULE, Kind, Row, field_names};
use super::found::Outside;
use super::inside::outer;
use super::names::{Name, build};
use super::role::{Hint, hint};
use super::shape::{
    Sample, first_records, has_escape, has_query, is_digits, is_object, is_plain, last, starts_with_tag, without_mark,
};
use super::table::Table;
use super::token::{METHODS, is_usual_client};
use super::urls::{self, URLS};
use super::values;
use super::words;
use super::wrap::Wrap;
use crate::framing::Framing;

/// The maximum number of URLs that we search for in all values.
const SEARCHES: usize = 100;

/// The text of a record that isn't read.
struct Rest {
    text: Vec<u8>,
    kind: Kind,
    /// The values of the record that are read. If its kind isn't `Data`, this is `None`.
    own: Option<Vec<Vec<u8>>>,
}

/// Finds the first records in `head` that have a URL outside of the fields of the format `name`, which was recognized.
/// `choice` has the fields.
pub(super) fn outside(name: &Name, choice: &Choice, head: &[u8]) -> Outside {
    match name {
        Name::Row(row) | Name::OrUrls(row) => {
            let Ok(format) = build(name, choice) else { return Outside::default() };
            if !matches!(format.framing(), Framing::Lines | Framing::Csv(_) | Framing::Json) || starts_with_tag(head) {
                return Outside::default();
            }
            let table = Table::of(row.name, without_mark(head));
            let candidates = table.map_or_else(|| format.candidates(head), |table| table.candidates());
            let format =
                if candidates.all.is_empty() { with_all_fields(name, row, choice).unwrap_or(format) } else { format };
            let mut known: HashSet<Vec<u8>> = HashSet::new();
            for field in candidates.all {
                // Azure writes the names of claims as URLs. A name in several records is no data. In a JSON pointer, `~1` is a slash.
                let name = Some(field.name.replace("~1", "/").into_bytes()).filter(|_| field.values.len() > 1);
                let all = field.values.into_iter().map(|(_, value)| value).chain(name);
                known.extend(all.filter(|value| memchr(b'/', value).is_some()));
            }
            let (mut layout, mut fields) = (format.layout(), Vec::new());
            let (mut rests, mut others) = (Vec::new(), Vec::new());
            let preamble = layout.preamble;
            let main = matches!(name, Name::OrUrls(_)).then(|| (row.build)(&Choice::default()).ok()).flatten();
            for (number, record) in first_records(format.framing(), head) {
                fields.clear();
                // The preamble counts empty records, too.
                layout.preamble = preamble.saturating_sub(number);
                let kind = format.fields(record, &mut layout, &mut fields);
                // The lines that don't fit the main format are read as `urls`.
                let is_other = |main: &dyn Format| {
                    kind == Kind::Data && main.fields(record, &mut main.layout(), &mut Vec::new()) != Kind::Data
                };
                if row.name == URLS.name || main.as_deref().is_some_and(is_other) {
                    others.extend(has_path(record, &fields).then(|| path_word(record, &fields)));
                }
                if row.name == URLS.name {
                    continue;
                }
                if kind != Kind::Data {
                    // The record is skipped.
                    rests.extend((!record.starts_with(b"#")).then(|| Rest { text: record.to_vec(), kind, own: None }));
                } else if !record.starts_with(b"#") {
                    let values = fields.iter().map(|field| &record[field.range.clone()]);
                    let own: Vec<_> = values.filter(|value| value.len() > 1).map(<[u8]>::to_vec).collect();
                    known.extend(own.iter().cloned());
                    rests.push(Rest { text: without(record, &fields), kind, own: Some(own) });
                }
            }
            let parts: Vec<Vec<u8>> =
                known.iter().flat_map(|value| urls_in(value, Kind::Data)).map(|found| found.url.to_vec()).collect();
            known.extend(parts);
            let searches = Cell::new(0);
            // The path and the query may be two values.
            let is_joined = |url: &[u8]| {
                let at = memchr(b'?', url);
                at.is_some_and(|at| known.contains(&url[..at]) && known.contains(&url[at + 1..]))
            };
            // A target may be a part of another URL: that of the upstream in the same record, or of a line of a framework.
            let ends_with = |url: &[u8], target: &Vec<u8>| target.starts_with(b"/") && url.ends_with(target);
            let is_known = |url: &[u8], is_whole: bool, own: Option<&[Vec<u8>]>| {
                // Most URLs are in a value in the same form. A search in all values takes time. If `url` has the path `/`, a value may
                // start with `url` by chance, as a target starts with the referrer `http://h/`. So this value doesn't have `url`.
                let is_in = |value: &[u8]| memmem::find(value, url).is_some_and(|at| at > 0 || !url.ends_with(b"/"));
                let is_part = || {
                    searches.replace(searches.get() + 1) >= SEARCHES
                        || known.iter().any(|value| is_in(value) || own.is_none() && ends_with(url, value))
                        || own.into_iter().flatten().any(|value| ends_with(url, value))
                };
                known.contains(url) || is_joined(url) || !is_whole && is_part()
            };
            let is_anywhere = |url: &[u8], is_whole: bool| is_known(url, is_whole, None);
            // A framework may name the path of a request without a sign of a URL, as in `Not Found: /x`. The word before it may be a
            // name of files, as in `directories: /app`.
            let names_path = |text: &[u8]| {
                last(text, b": /").is_some_and(|at| {
                    let word = text[..at].rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
                    let names_files = hint(&String::from_utf8_lossy(word)) == Hint::Other;
                    let path = &text[at + 2..];
                    !names_files && is_plain(path) && values::is_path(path) && !is_anywhere(path, false)
                })
            };
            let is_named = |rest: &&Rest| {
                rest.kind != Kind::Data && names_path(&rest.text) && !has_url(&rest.text, rest.kind, &is_anywhere)
            };
            let named = rests.iter().filter(is_named).count();
            let first = others.first().copied().flatten();
            rests.retain(|rest| {
                has_url(&rest.text, rest.kind, &|url, is_whole| is_known(url, is_whole, rest.own.as_deref()))
            });
            // A framework names routes and its own address in other lines. Only these are surely requests: a request line, a target
            // with a name or a status, or a method and a target with an escape or a query.
            let has_request = |text: &[u8]| {
                let has_sign = |url: &[u8]| has_query(url) || has_escape(url);
                urls_in(text, Kind::Comment).any(|found| found.is_request && !is_anywhere(found.url, found.is_whole))
                    || urls_in(text, Kind::Unrecognized)
                        .any(|found| found.is_request && has_sign(found.url) && !is_anywhere(found.url, found.is_whole))
            };
            let is_skipped = |rest: &&Rest| match rest.kind {
                Kind::Unrecognized => true,
                Kind::Comment => has_request(&rest.text),
                _ => false,
            };
            Outside {
                records: others.len() + rests.len() + named,
                skipped: rests.iter().filter(is_skipped).count(),
                word: first.filter(|_| others.iter().all(|word| *word == first)),
            }
        }
        Name::Nested(envelope, Some(inner)) => {
            let sample = Sample::new(head);
            let has_prefix = |line: &&&[u8]| {
                let content = envelope.contents(&Sample { head: line, lines: vec![line] });
                let prefix = content.first().and_then(|content| line.strip_suffix(content.as_slice()));
                prefix.is_some_and(|prefix| !is_object(prefix) && has_url(prefix, Kind::Data, &|_, _| false))
            };
            let prefixes = sample.lines.iter().filter(has_prefix).count();
            let contents = envelope.contents(&sample).join(&b'\n');
            let inside = outside(inner, choice, &[&contents, &b"\n"[..]].concat());
            Outside { records: prefixes.max(inside.records), ..inside }
        }
        Name::Inside { row, field, inner: Some(inner) } => {
            let Ok(format) = outer(row, field, choice) else { return Outside::default() };
            let (mut layout, mut fields, mut records) = (format.layout(), Vec::new(), Vec::new());
            for (_, record) in first_records(format.framing(), head) {
                fields.clear();
                format.fields(record, &mut layout, &mut fields);
                let wrap = |field: &Field| format.schema().rules[field.rule].wrap;
                let mut values = fields.iter().filter_map(|field| wrap(field).read(&record[field.range.clone()]));
                records.extend(values.next().filter(|value| !value.contains(&b'\n')).map(|value| value.into_owned()));
            }
            outside(inner, choice, &[records.join(&b'\n'), b"\n".to_vec()].concat())
        }
        _ => Outside::default(),
    }
}

/// Returns true if at least half of the lines have URLs, but are no records of the format `name`. An example is a log that has each
/// request in two formats. In a format that writes values with escapes of its own, `urls` can't read the values.
///
/// Also returns true if a field has a sequence of a terminal. The format of the same lines without these sequences fits better.
pub(super) fn misses_urls(name: &Name, choice: Option<&Choice>, sample: &Sample) -> bool {
    let Ok(format) = build(name, &choice.cloned().unwrap_or_default()) else { return false };
    let is_plain = format.schema().rules.iter().all(|rule| rule.wrap == Wrap::Verbatim);
    let fields = |line: &[u8]| {
        let mut fields = Vec::new();
        (format.fields(line, &mut format.layout(), &mut fields), fields)
    };
    let is_missed = |line: &[u8]| fields(line).0 == Kind::Unrecognized && urls::next(line, 0).is_some();
    let has_sequence = |line: &&[u8]| {
        let in_field = |field: &Field| memchr(0x1B, &line[field.range.clone()]).is_some();
        memchr(0x1B, line).is_some() && fields(line).1.iter().any(in_field)
    };
    let has_lines = is_plain && format.framing() == Framing::Lines && !format.has_header();
    has_lines && (!IS_MODULE && sample.lines.iter().any(has_sequence) || sample.most(is_missed))
}

/// Builds the format `name` of `row` with all its named fields, in addition to the fields of `choice`.
fn with_all_fields(name: &Name, row: &Row, choice: &Choice) -> Option<Box<dyn Format>> {
    let of_urls: &[&str] = if matches!(name, Name::OrUrls(_)) { &["url", "target", "referrer"] } else { &[] };
    let all = [&field_names(row.fields), of_urls].concat();
    let mut fields = choice.fields.clone();
    for name in all {
        if !name.contains([' ', '.']) && !fields.iter().any(|field| field == name) {
            fields.push(name.to_string());
        }
    }
    build(name, &Choice { fields, ..choice.clone() }).ok()
}

/// Returns `record` with blanks in place of `fields`.
fn without(record: &[u8], fields: &[Field]) -> Vec<u8> {
    let mut rest = record.to_vec();
    fields.iter().for_each(|field| rest[field.range.clone()].fill(b' '));
    rest
}

/// Returns true if `text` has a URL with a scheme and a path, for which `is_known` returns false. A URL without a path is often the
/// address of the server that writes the log. In other lines than records, a URL with the path `/` often is, too. `kind` is the kind
/// of the record. If it is `Data`, `text` is the text outside of its fields. If it is `Unrecognized`, known URLs count, too: the
/// record has another form, and is a record of its own.
fn has_url(text: &[u8], kind: Kind, is_known: &dyn Fn(&[u8], bool) -> bool) -> bool {
    urls_in(text, kind).any(|Found { url, is_request, is_whole }| {
        let has_sign = match memmem::find(url, b"://") {
            Some(at) => {
                let after = &url[at + 3..];
                is_whole || memchr(b'/', after).is_some_and(|slash| kind == Kind::Data || after.len() > slash + 1)
            }
            None => {
                is_request && (url.len() > 1 || kind == Kind::Unrecognized) && url[0] == b'/'
                    || has_query(url)
                    || has_escape(url)
            }
        };
        has_sign && (kind == Kind::Unrecognized || !is_known(url, is_whole))
    })
}

/// Returns true if a line that is no record has a URL with a host and a path.
pub fn has_whole_url(line: &[u8]) -> bool {
    has_url(line, Kind::Comment, &|url, _| memmem::find(url, b"://").is_none())
}

/// A URL or target in a line.
struct Found<'a> {
    url: &'a [u8],
    /// If true, it is surely in a request.
    is_request: bool,
    /// If true, it is a URL with a host in a line that has the method before it, and the version or the status of the response after
    /// it. This is a request of its own, even if a record has the same path: a service sends requests to other hosts.
    is_whole: bool,
}

/// Returns the URLs and targets in `text`. In a record that isn't in the format, a method before the target is enough for a request.
/// In other lines of a framework (`Comment`), a target after a method is often a route. It is in a request if a name precedes it, if a
/// status follows it, or if the line says that the target is missing, as in `No mapping for GET /x`.
fn urls_in(text: &[u8], kind: Kind) -> impl Iterator<Item = Found<'_>> {
    let mut at = 0;
    iter::from_fn(move || {
        let (range, _) = urls::find(text, at, true)?;
        let has_method = || urls::next(&text[..range.end], at).is_some_and(|(target, _)| target == range);
        let after = &text[range.end..];
        let is_whole = kind != Kind::Data
            && text[range.start].is_ascii_alphabetic()
            && memmem::find(&text[range.clone()], b"://").is_some()
            && has_answer(after)
            && ends_with_method(&text[at..range.start]);
        let is_request = match kind {
            Kind::Unrecognized => has_method(),
            // An indented line has details of the record before it.
            Kind::Comment if !text.starts_with(b" ") => {
                is_whole
                    || urls::has_label(&text[..range.start], &text[range.start..])
                    || urls::precedes_status(text, &range)
                    || has_method() && says_missing(&text[at..range.start])
            }
            _ => false,
        };
        at = range.end;
        // A comma, a bar after a cell or an escape of JSON doesn't end a URL in a line of any form.
        let url = text[range].split(|byte| b",;|\\".contains(byte)).next().unwrap_or_default();
        Some(Found { url, is_request: is_request || after.starts_with(b" HTTP/"), is_whole })
    })
}

/// Returns true if `before`, the text before a URL, ends with a method.
fn ends_with_method(before: &[u8]) -> bool {
    let len = before.iter().rev().take_while(|byte| b" \"'`:-|>([".contains(byte)).count();
    let before = &before[..before.len() - len];
    let is_word = |rest: &[u8]| !rest.last().is_some_and(u8::is_ascii_alphanumeric);
    len > 0 && METHODS.iter().any(|method| before.strip_suffix(*method).is_some_and(is_word))
}

/// Returns true if `after`, the text after a URL, starts with a version or a status. Punctuation may precede it, as in ` - 200 ` and
/// ` "HTTP/1.1 200 OK"`.
fn has_answer(after: &[u8]) -> bool {
    let is_mark = |byte: &&u8| !byte.is_ascii_alphanumeric() && byte.is_ascii_graphic() || **byte == b' ';
    let len = after.iter().take(8).take_while(is_mark).count();
    let answer = &after[len..];
    let digits = answer.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_status = || digits == 3 && !answer.get(digits).is_some_and(u8::is_ascii_alphanumeric);
    memchr(b' ', &after[..len]).is_some() && (answer.starts_with(b"HTTP/") || is_status())
}

/// Returns true if a word of `text` says that something is missing or impossible, as in `No route matches` and `Cannot GET`.
fn says_missing(text: &[u8]) -> bool {
    let mut words = text.split(|byte| !byte.is_ascii_alphabetic());
    words.any(|word| [&b"No"[..], b"no", b"Not", b"not", b"Cannot", b"cannot"].contains(&word))
}

/// Returns true if `record` has a path or a query outside of `fields`.
fn has_path(record: &[u8], fields: &[Field]) -> bool {
    let rest = without(record, fields);
    let is_query = |word: &[u8]| (word.starts_with(b"?") || memchr(b'/', word).is_some()) && has_query(word);
    // A server may write the query as the word after the target. IIS then writes the port, and other servers write the client.
    let has_next_query = |field: &Field| {
        let Some(rest) = record[field.range.end..].strip_prefix(b" ") else { return false };
        let mut words = rest.split(|byte| *byte == b' ');
        let (query, after) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let is_client = || is_usual_client(after.strip_suffix(b",").unwrap_or(after));
        values::is_query(query) && (memchr(b'&', query).is_some() || is_digits(after) || is_client())
    };
    let mut start = 0;
    let mut words = values::words(&rest);
    let has_path = words.any(|word| {
        // A name of URLs may precede a relative path, as in `uri=a/b`, and a host and a port may precede a path.
        let is_it = values::is_path(word)
            || memchr(b'/', word).is_some_and(|at| {
                urls::host_start(&rest, 0, start + at).is_some() || urls::has_label(&rest[..start], b"")
            });
        start += word.len() + 1;
        is_it
    });
    has_path || rest.split(|byte| b" \t\"'`".contains(byte)).any(is_query) || fields.iter().any(has_next_query)
}

/// Returns the number of the word that is a path outside of `fields`, starting with 1, for the format [`words`].
fn path_word(record: &[u8], fields: &[Field]) -> Option<usize> {
    let rest = without(record, fields);
    let tokens = words::tokens(record)?;
    tokens.iter().position(|token| values::is_path(&rest[token.value.clone()])).map(|at| at + 1)
}
