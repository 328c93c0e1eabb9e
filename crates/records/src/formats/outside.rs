//! Finds URLs outside of the fields that are read, so that `pct` can report them.
//!
//! A recognized format may be wrong, and a record may have URLs outside of its fields. Without a message, a user would miss these
//! URLs. So we read the first records again, in the same way as `urls`, and look for other URLs than those of the fields. The search
//! in `found` already reports the fields that it leaves out, so the value of any field counts as known.
//!
//! If fields have no names, a record may also have URLs that users don't expect in the output, such as the page of a client program.
//! So in these formats we only look at the lines between the records.

use std::cell::Cell;
use std::collections::HashSet;
use std::iter;

use memchr::{memchr, memmem};

use super::format::{Choice, Field, Kind};
use super::names::{Name, build};
use super::shape::{Sample, first_records, has_query, is_absolute, is_object, starts_with_tag, without_mark};
use super::table::Table;
use super::urls::{self, URLS};
use super::values::paths;
use crate::framing::Framing;

/// The maximum number of URLs that we search for in all values.
const SEARCHES: usize = 100;

/// Returns the number of first records in `head` that have a URL outside of the fields of the format `name`, which was recognized.
/// `choice` has the fields.
pub(super) fn outside(name: &Name, choice: &Choice, head: &[u8]) -> usize {
    match name {
        Name::Row(row) => {
            let Ok(format) = build(name, choice) else { return 0 };
            if !matches!(format.framing(), Framing::Lines | Framing::Csv(_) | Framing::Json) || starts_with_tag(head) {
                return 0;
            }
            let table = Table::of(row.name, without_mark(head));
            let candidates = table.map_or_else(|| format.candidates(head), |table| table.candidates());
            let has_names = !candidates.all.is_empty();
            let mut values: HashSet<Vec<u8>> = HashSet::new();
            for field in candidates.all {
                // Azure writes the names of claims as URLs. A name in several records is no data. In a JSON pointer, `~1` is a slash.
                let name = Some(field.name.replace("~1", "/").into_bytes()).filter(|_| field.values.len() > 1);
                let all = field.values.into_iter().map(|(_, value)| value).chain(name);
                values.extend(all.filter(|value| memmem::find(value, b"://").is_some()));
            }
            let parts: Vec<Vec<u8>> = values.iter().flat_map(|value| urls_in(value)).map(<[u8]>::to_vec).collect();
            values.extend(parts);
            let is_urls = row.name == URLS.name;
            let (mut layout, mut fields, mut read) = (format.layout(), Vec::new(), Vec::new());
            let (mut rest, mut others) = (Vec::new(), 0);
            for (_, record) in first_records(format.framing(), head) {
                fields.clear();
                let kind = format.fields(record, &mut layout, &mut fields);
                if !has_names {
                    read.extend(
                        fields.iter().map(|field| &record[field.range.clone()]).filter(|value| value.len() > 1),
                    );
                }
                if is_urls {
                    others += usize::from(has_path(record, &fields));
                } else if kind != Kind::Unrecognized && (has_names || fields.is_empty()) && !record.starts_with(b"#") {
                    rest.push(record);
                }
            }
            let searches = Cell::new(0);
            let is_known = |url: &[u8]| {
                let has = |text: &[u8], part: &[u8]| memmem::find(text, part).is_some();
                // Most URLs are in a value in the same form. A search in all values takes time.
                values.contains(url)
                    || searches.replace(searches.get() + 1) >= SEARCHES
                    || values.iter().any(|value| has(value, url))
                    || read.iter().any(|value| has(value, url) || url.ends_with(value))
            };
            let count = others + rest.iter().filter(|record| has_url(record, &is_known)).count();
            // The lines of a framework between the requests are often messages at its start. Their URLs are addresses of servers,
            // without a query.
            let is_plain = |url: &[u8]| is_known(url) || !has_query(url);
            let is_reported = has_names || is_urls || count > 2 || rest.iter().any(|record| has_url(record, &is_plain));
            if is_reported { count } else { 0 }
        }
        Name::Nested(envelope, Some(inner)) => {
            let sample = Sample::new(head);
            let has_prefix = |line: &&&[u8]| {
                let content = envelope.contents(&Sample { head: line, lines: vec![line] });
                let prefix = content.first().and_then(|content| line.strip_suffix(content.as_slice()));
                prefix.is_some_and(|prefix| !is_object(prefix) && has_url(prefix, &|_| false))
            };
            let prefixes = sample.lines.iter().filter(has_prefix).count();
            let contents = envelope.contents(&sample).join(&b'\n');
            prefixes.max(outside(inner, choice, &[&contents, &b"\n"[..]].concat()))
        }
        Name::Inside { row, field, inner: Some(inner) } => {
            let outer = Choice {
                fields: vec![field.clone()],
                header: choice.header,
                preamble: choice.preamble,
                ..Choice::default()
            };
            let Ok(format) = (row.build)(&outer) else { return 0 };
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
        _ => 0,
    }
}

/// Returns true if `text` has a URL with a scheme and a path, for which `is_known` returns false. A URL without a path is often the
/// address of the server that writes the log.
fn has_url(text: &[u8], is_known: &dyn Fn(&[u8]) -> bool) -> bool {
    urls_in(text).any(|url| {
        let host = memmem::find(url, b"://").map_or(url, |at| &url[at + 3..]);
        let has_path = memchr(b'/', host).is_some_and(|slash| host.len() > slash + 1);
        has_path && is_absolute(url) && !is_known(url)
    })
}

/// Returns the URLs and targets in `text`.
fn urls_in(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    iter::from_fn(move || {
        let (range, _) = urls::next(text, at)?;
        at = range.end;
        // A comma or a bar after a cell doesn't end a URL in a line of any form.
        text[range].split(|byte| b",;|".contains(byte)).next()
    })
}

/// Returns true if `record` has a path or a query outside of `fields`.
fn has_path(record: &[u8], fields: &[Field]) -> bool {
    let mut rest = record.to_vec();
    fields.iter().for_each(|field| rest[field.range.clone()].fill(b' '));
    let is_query = |word: &[u8]| word.starts_with(b"?") && has_query(word);
    paths(&rest).next().is_some() || rest.split(|byte| b" \t\"'`".contains(byte)).any(is_query)
}
