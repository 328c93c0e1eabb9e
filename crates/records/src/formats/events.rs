//! Windows events in XML, with one event in each line. `wevtutil` and the forwarders of logs write them. The fields are
//! the data of the event, by their names: `<Data Name="cs-uri-query">a=b</Data>`. A server that writes events, such as
//! IIS, escapes `<` and `&`, so a client can't forge data.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::candidates::Candidates;
use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, shown};
use super::role;
use super::shape::{CONTROLS, first_records, has_all};
use super::wrap::Wrap;
use crate::framing::Framing;

pub const WINEVENT: Row = Row {
    name: "winevent",
    help: shown("Windows events in XML, one in each line, by the names of their data"),
    fields: shown("cs-uri-query, csReferer, url, ..."),
    build: |choice| Ok(Box::new(Events::new(choice))),
    sniff: |sample| sample.most(|line| line.starts_with(b"<Event") && has_all(line, &["<Data Name="])),
};

/// The names of data with URLs. IIS writes `cs-uri-stem` decoded, so it isn't one of them.
const USUAL: [&str; 3] = ["cs-uri-query", "csReferer", "url"];

struct Events {
    schema: Schema,
}

impl Events {
    fn new(choice: &Choice) -> Events {
        let mut schema = Schema::new(choice, USUAL, role::context(choice));
        let syntax = |name: &String| choice.found_syntax(name).unwrap_or_else(|| role::syntax_of(name));
        let wrap = if choice.is_legacy { Wrap::LegacyXml } else { Wrap::Xml };
        let rule = |name| Rule { keep: CONTROLS, wrap, syntax: syntax(name) };
        schema.rules = schema.names.iter().map(rule).collect();
        Events { schema }
    }
}

/// Returns the data of an event: the name and the bounds of each value.
fn data(record: &[u8]) -> impl Iterator<Item = (&[u8], Range<usize>)> {
    const START: &[u8] = b"<Data Name=";
    memmem::find_iter(record, START).filter_map(|at| {
        let quote = *record.get(at + START.len()).filter(|&byte| b"\"'".contains(byte))?;
        let start = at + START.len() + 1;
        let name = &record[start..start + memchr(quote, &record[start..])?];
        let value = start + name.len() + 2;
        // An element without text ends with `/>`.
        let is_open = record[value - 1..].starts_with(b">");
        // Text may contain `>` (XML 1.0, 2.4).
        let end = value + memchr(b'<', record.get(value..)?)?;
        (is_open && record[end..].starts_with(b"</Data")).then_some((name, value..end))
    })
}

impl Format for Events {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        let mut candidates = Candidates::default();
        for (number, record) in first_records(Framing::Lines, head) {
            for (name, range) in data(record) {
                let value = Wrap::Xml.read(&record[range]).unwrap_or_default();
                candidates.push(&String::from_utf8_lossy(name), number, &value);
            }
        }
        candidates
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        for (name, range) in data(record) {
            let is_it = |known: &String| name.eq_ignore_ascii_case(known.as_bytes());
            let choice = self.schema.names.iter().position(is_it);
            fields.extend(choice.map(|choice| Field { choice, range, rule: choice, object: None }));
        }
        match record.trim_ascii().first() {
            Some(b'<') => Kind::Data,
            Some(_) => {
                fields.clear();
                Kind::Unrecognized
            }
            None => Kind::Comment,
        }
    }
}
