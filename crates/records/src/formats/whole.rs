//! Formats in which each record is one field: lines, records that end with NUL, bytes, and rows of RowBinary.

use percent_simd::ByteSet;

use super::format::{Choice, ExtraField, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, shown};
use super::shape::{CONTROLS, DELIMITERS, is_url};
use super::wrap::Wrap;
use crate::framing::{Framing, row};

pub const LINES: Row = Row {
    name: "lines",
    help: shown("each line is one field; all escapes except controls are decoded"),
    fields: "",
    build: |choice| Ok(Box::new(Whole::new(Framing::Lines, choice)?)),
    // Any input consists of lines, so `auto` never chooses this format.
    sniff: |_| false,
};

pub const TEXT: Row = Row {
    name: "text",
    help: shown("each line is one field; delimiters of any format stay escaped"),
    fields: "",
    build: |choice| {
        let mut whole = Whole::new(Framing::Lines, choice)?;
        whole.schema.rules[0].keep = DELIMITERS;
        Ok(Box::new(Whole { is_text: true, ..whole }))
    },
    sniff: |sample| sample.all(|line| is_url(line) && !line.iter().any(|byte| b" \"'<>\\\t|".contains(byte))),
};

pub struct Whole {
    framing: Framing,
    /// If true, the format of the lines is unknown.
    is_text: bool,
    schema: Schema,
}

impl Whole {
    pub fn new(framing: Framing, choice: &Choice) -> Result<Whole, String> {
        if let Some(field) = choice.fields.first() {
            return Err(format!(
                "there is no field `{field}`, because each record is one field{}",
                shown("; name a format, or use --format auto")
            ));
        }
        let (keep, wrap) = match framing {
            Framing::Lines
            | Framing::Paragraphs
            | Framing::Csv(_)
            | Framing::Json
            | Framing::Elements(_)
            | Framing::Tags
            | Framing::Warc
            | Framing::Audit => (CONTROLS, Wrap::Verbatim),
            Framing::Null => (ByteSet::of(b"\0"), Wrap::Verbatim),
            Framing::Raw => (ByteSet::EMPTY, Wrap::Verbatim),
            Framing::Rows => (ByteSet::EMPTY, Wrap::Row),
        };
        Ok(Whole {
            framing,
            is_text: false,
            schema: Schema::of_one("record", Rule { keep, wrap, syntax: Syntax::Reference }),
        })
    }
}

impl Format for Whole {
    fn framing(&self) -> Framing {
        self.framing
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        match self.framing {
            Framing::Lines => {
                ExtraField::Column { before: b"\t".into(), after: Vec::new(), header: b"\t".into(), absent: "" }
            }
            _ => ExtraField::Nowhere,
        }
    }

    fn is_whole(&self) -> bool {
        self.framing != Framing::Rows && !self.is_text
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if self.framing == Framing::Rows && row(record).is_none_or(|(_, len)| len != record.len()) {
            return Kind::Unrecognized;
        }
        fields.push(Field { choice: 0, range: 0..record.len(), rule: 0, object: None });
        Kind::Data
    }

    /// Unlike the default method, doesn't skip a byte order mark: the whole record is one field, so the mark is part of
    /// it.
    fn find_fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        self.fields(record, layout, fields)
    }
}
