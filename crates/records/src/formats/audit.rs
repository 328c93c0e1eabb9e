//! ModSecurity's audit log in its native form. A record is a transaction: sections that start with `--ID-A--`, `--ID-B--` and so on.
//!
//! | section | content | fields |
//! | --- | --- | --- |
//! | A | `[time] transaction client port server port` | `time`, `client` |
//! | B | the request line and the headers of the request | `target`, `referrer`, `host` |
//! | F | the status line and the headers of the response | `status`, `location` |
//!
//! All other sections are copied, for example the body of the request. A body may contain lines that look like the
//! first lines of sections. But the ID in these lines differs, because the client can't know the ID of the record.

use std::ops::Range;

use memchr::memchr;
use percent_simd::ByteSet;

use super::format::{Choice, Field, Format, Kind, Layout, Row, Schema, Syntax, field_names, shown, unknown};
use super::role::{alias, schema_of};
use super::token::{BARE, QUOTED, REQUEST, line_rules, request_line, sort_fields, target_field, without_overlaps};
use crate::framing::{Framing, audit_section};

pub const AUDIT: Row = Row {
    name: "modsecurity-audit",
    help: shown("ModSecurity, audit log in the native format: a record for each transaction"),
    fields: FIELDS,
    build: |choice| Ok(Box::new(Audit::new(choice)?)),
    sniff: |sample| {
        let sections = sample.lines.iter().filter_map(|line| audit_section(line));
        sections.take(2).map(|(_, letter)| letter).eq(*b"AB")
    },
};

const FIELDS: &str = "target, referrer, location; client, host, time, status";

struct Audit {
    schema: Schema,
}

impl Audit {
    fn new(choice: &Choice) -> Result<Audit, String> {
        let names = field_names(FIELDS);
        if let Some(field) = choice.fields.iter().find(|field| !names.contains(&alias(field).as_str())) {
            return Err(unknown(field, AUDIT.name, &names));
        }
        let rules = line_rules(ByteSet::EMPTY, Syntax::Reference);
        Ok(Audit { schema: Schema { rules, ..schema_of(FIELDS, choice) } })
    }

    /// Adds the field called `name` if it is chosen.
    fn add(&self, name: &str, range: Range<usize>, rule: usize, fields: &mut Vec<Field>) {
        if let Some(choice) = self.schema.names.iter().position(|chosen| alias(chosen) == name) {
            fields.push(Field { choice, range, rule, object: None });
        }
    }

    /// Adds the fields of a line in `section`. `number` counts the lines of the section from 1, and `at` is the offset
    /// of the line.
    fn line(&self, section: u8, number: usize, line: &[u8], at: usize, fields: &mut Vec<Field>) {
        let words = || {
            line.split(|&byte| byte == b' ').scan(at, |start, word| {
                let range = *start..*start + word.len();
                *start = range.end + 1;
                Some(range)
            })
        };
        match (section, number) {
            (b'A', 1) => {
                if let Some(len) = line.strip_prefix(b"[").and_then(|time| memchr(b']', time)) {
                    self.add("time", at + 1..at + 1 + len, BARE, fields);
                }
                let after_time = words().skip_while(|word| line[..word.end - at].last() != Some(&b']'));
                after_time.skip(2).take(1).for_each(|word| self.add("client", word, BARE, fields));
            }
            (b'B', 1) => {
                if let Some(target) = request_line(line) {
                    let (range, rule) = target_field(target, at, REQUEST);
                    self.add("target", range, rule, fields);
                }
            }
            (b'F', 1) => words().skip(1).take(1).for_each(|word| self.add("status", word, BARE, fields)),
            (b'B' | b'F', _) => {
                let headers: [(u8, &[u8], &str); 3] =
                    [(b'B', b"referer:", "referrer"), (b'B', b"host:", "host"), (b'F', b"location:", "location")];
                let is_it = |start: &[u8]| line.get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start));
                let found = headers.iter().find(|(in_section, start, _)| *in_section == section && is_it(start));
                if let Some((_, start, name)) = found {
                    let value = line[start.len()..].trim_ascii_start();
                    let from = at + line.len() - value.len();
                    self.add(name, from..from + value.trim_ascii_end().len(), QUOTED, fields);
                }
            }
            _ => {}
        }
    }
}

impl Format for Audit {
    fn framing(&self) -> Framing {
        Framing::Audit
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if record.is_empty() {
            return Kind::Comment;
        }
        let (mut at, mut id, mut section, mut number) = (0, None, 0, 0);
        for line in record.split_inclusive(|&byte| byte == b'\n') {
            let text = line.trim_ascii_end();
            match audit_section(text) {
                Some((own, letter)) if *id.get_or_insert(own) == own => (section, number) = (letter, 0),
                _ if id.is_none() => return Kind::Unrecognized,
                _ => {
                    number += 1;
                    self.line(section, number, text, at, fields);
                }
            }
            at += line.len();
        }
        // A record that lacks its last line is cut off.
        if section != b'Z' || number > 0 {
            fields.clear();
            return Kind::Unrecognized;
        }
        sort_fields(fields);
        without_overlaps(fields);
        Kind::Data
    }

    fn others(&self, chunk: &[u8], _: &Layout) -> u64 {
        let (mut at, mut others) = (0, 0);
        while at < chunk.len() {
            let record = self.framing().first(&chunk[at..]);
            others += u64::from(record.body == 0);
            at += record.len;
        }
        others
    }
}
