//! OTLP in JSON, and exports of Jaeger and of Go. Attributes are objects in a list:
//! `{"key":"http.target","value":{"stringValue":"/x"}}`, `{"key":"http.target","type":"string","value":"/x"}` or
//! `{"Key":"http.target","Value":{"Type":"STRING","Value":"/x"}}`. The fields are the values, and each is chosen by its key.
//!
//! A record is a document or a line, and may have many spans. Each span or log record is a part of the record.

use memchr::memmem;

use super::candidates::Candidates;
use super::format::{Bounds, Choice, Field, Format, IS_MODULE, Kind, Layout, Parts, Row, Rule, Schema, Syntax, shown};
use super::json::{Attribute, attribute_parts, attributes};
use super::role::{is_context, syntax_of};
use super::shape::{CONTROLS, is_object};
use super::token::sort_fields;
use super::wrap::Wrap;
use crate::framing::Framing;

pub const OTLP: Row = Row {
    name: "otlp",
    help: shown("OpenTelemetry and Jaeger, with lists of attributes; keys are the names of fields"),
    fields: shown("http.target, http.url, url.full, url.path, url.query; any other attribute"),
    build: |choice| Ok(Box::new(Otlp::new(choice))),
    sniff: |sample| {
        let head = sample.head.trim_ascii_start();
        let is_json = is_object(head.strip_prefix(b"[").unwrap_or(head));
        let has = |text: &[u8]| memmem::find(head, text).is_some();
        // The spans of Zipkin 1 have annotations instead of tags. The spans of Go's exporter for the console have types.
        let is_list = has(b"\"key\"") && (has(b"\"stringValue\"") || has(b"\"tags\"") || has(b"\"binaryAnnotations\""))
            || has(b"\"Key\"") && has(b"\"STRING\"");
        is_json && is_list && USUAL.iter().any(|name| has(format!("\"{name}\"").as_bytes()))
    },
};

/// opentelemetry.io, semantic conventions for HTTP and for URLs, and their names before version 1.23.
const USUAL: [&str; 5] = ["http.target", "http.url", "url.full", "url.path", "url.query"];
const CONTEXT: [&str; 11] = [
    "client.address", "http.client_ip", "net.peer.ip", "net.sock.peer.addr", "http.host", "server.address",
    "http.status_code", "http.response.status_code", "url.scheme", "http.scheme", "server.port",
];

/// The rule for numbers.
const WORD: usize = 3;

struct Otlp {
    schema: Schema,
}

impl Otlp {
    fn new(choice: &Choice) -> Otlp {
        let rule = |syntax, wrap| Rule { keep: CONTROLS, wrap, syntax };
        let rules = vec![
            rule(Syntax::Reference, Wrap::Json),
            rule(Syntax::Target, Wrap::Json),
            rule(Syntax::Query, Wrap::Json),
            rule(Syntax::Reference, Wrap::Verbatim),
        ];
        let context = CONTEXT.into_iter().filter(|name| is_context(name, choice));
        Otlp { schema: Schema { rules, ..Schema::new(choice, USUAL, context) } }
    }
}

impl Format for Otlp {
    fn framing(&self) -> Framing {
        Framing::Json
    }

    fn bounds(&self) -> Bounds {
        Bounds::Quote
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        Candidates::of_records(self.framing(), head, &|record, push| {
            let _ = attributes(record, |found| {
                if let Some(value) = Wrap::Json.read(&record[found.value]) {
                    push(&record[found.key], &value);
                }
            });
        })
    }

    /// A part is a span, a log record, or what surrounds several of them.
    fn parts(&self, record: &[u8], fields: &[Field], joins_only: bool) -> Option<Parts> {
        (!IS_MODULE && !fields.is_empty()).then(|| attribute_parts(record, fields, joins_only))
    }

    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte);
        if record.iter().all(is_between) {
            return Kind::Comment;
        }
        let add = |Attribute { key, value, is_text }: Attribute| {
            let key = &record[key];
            let Some(choice) = self.schema.names.iter().position(|name| name.as_bytes() == key) else { return };
            let name = self.schema.names[choice].as_str();
            let rule = match syntax_of(name) {
                _ if CONTEXT.contains(&name) && !is_text => WORD,
                _ if !is_text => return,
                Syntax::Reference => 0,
                Syntax::Target => 1,
                Syntax::Query => 2,
            };
            fields.push(Field { choice, range: value, rule, object: None });
        };
        if attributes(record, add).is_none() {
            fields.clear();
            return Kind::Unrecognized;
        }
        sort_fields(fields);
        Kind::Data
    }
}
