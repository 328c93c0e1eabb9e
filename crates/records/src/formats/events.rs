//! Windows events in XML, with one event in each line. `wevtutil` and the forwarders of logs write them. The fields are
//! the data of the event, by their names: `<Data Name="cs-uri-query">a=b</Data>`. In the values, IIS and other
//! servers escape `<` and `&`, so a client can't forge data.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::candidates::Candidates;
use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, shown, usual_names};
use super::role;
use super::shape::{CONTROLS, has_all};
use super::urls::next_in_text;
use super::wrap::Wrap;
use crate::framing::Framing;

pub const WINEVENT: Row = Row {
    name: "winevent",
    help: shown("Windows events in XML, one in each line, by the names of their data"),
    fields: shown("cs-uri-query, csReferer, url, ...;; cs-uri-stem"),
    build: |choice| Ok(Box::new(Events::new(choice))),
    sniff: |sample| sample.most(|line| line.starts_with(b"<Event") && has_all(line, &["<Data Name="])),
};

/// The fields. IIS writes `cs-uri-stem` decoded.
const FIELDS: &str = "cs-uri-query, csReferer, url;; cs-uri-stem";

struct Events {
    schema: Schema,
}

impl Events {
    fn new(choice: &Choice) -> Events {
        let mut schema = Schema::new(choice, usual_names(FIELDS, choice), role::context(choice));
        let syntax = |name: &String| choice.found_syntax(name).unwrap_or_else(|| role::syntax_of(name));
        let wrap = Wrap::Xml { is_ascii: choice.is_legacy };
        let rule = |name| Rule { keep: CONTROLS, wrap, syntax: syntax(name) };
        let rules = schema.names.iter().map(rule).collect();
        schema.set_rules(rules, next_in_text);
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
        Candidates::of_records(Framing::Lines, head, &|record, push| {
            for (name, range) in data(record) {
                push(name, &Wrap::Xml { is_ascii: false }.read(&record[range]).unwrap_or_default());
            }
        })
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        for (name, range) in data(record) {
            let choice = self.schema.choice_of(name);
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
