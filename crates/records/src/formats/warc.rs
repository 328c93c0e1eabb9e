//! WARC (ISO 28500:2017). The fields are the headers with URIs. The block after the headers is always copied.

use memchr::memchr;
use percent_simd::ByteSet;

use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, shown};
use super::shape::CONTROLS;
use super::wrap::Wrap;
use crate::framing::{Framing, warc_headers_len};

pub const WARC: Row = Row {
    name: "warc",
    help: shown("WARC: headers of records; blocks are copied"),
    fields: shown("WARC-Target-URI, WARC-Refers-To-Target-URI; any other header"),
    build: |choice| Ok(Box::new(Warc::new(choice))),
    sniff: |sample| sample.head.starts_with(b"WARC/"),
};

/// The headers with URIs of the Web (ISO 28500:2017, 5.11 and 5.13). The list has no `WARC-Profile` and no
/// `WARC-Record-ID`, because they hold identifiers.
const USUAL: [&str; 2] = ["WARC-Target-URI", "WARC-Refers-To-Target-URI"];

struct Warc {
    schema: Schema,
}

impl Warc {
    fn new(choice: &Choice) -> Warc {
        // Some writers put URIs in angle brackets, as in the grammar of WARC 1.0. So a decoded bracket or space could
        // end a URI.
        let keep = CONTROLS | ByteSet::of(b" <>");
        let rules = vec![Rule { keep, wrap: Wrap::Verbatim, syntax: Syntax::Reference }];
        Warc { schema: Schema { rules, ..Schema::new(choice, USUAL, [""; 0]) } }
    }
}

impl Format for Warc {
    fn framing(&self) -> Framing {
        Framing::Warc
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if !record.starts_with(b"WARC/") {
            return if record.trim_ascii().is_empty() { Kind::Comment } else { Kind::Unrecognized };
        }
        // If no empty line follows the headers, the headers extend to the end of the record.
        let headers = &record[..warc_headers_len(record).unwrap_or(record.len())];
        let mut start = 0;
        for line in headers.split_inclusive(|&byte| byte == b'\n') {
            if let Some(colon) = memchr(b':', line) {
                let name = &line[..colon];
                if let Some(choice) = self.schema.choice_of(name) {
                    let value = line[colon + 1..].trim_ascii_start();
                    let from = start + line.len() - value.len();
                    let range = match value.trim_ascii_end() {
                        [b'<', uri @ .., b'>'] => from + 1..from + 1 + uri.len(),
                        uri => from..from + uri.len(),
                    };
                    fields.push(Field { choice, range, rule: 0, object: None });
                }
            }
            start += line.len();
        }
        Kind::Data
    }
}
