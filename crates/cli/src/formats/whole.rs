//! Records that are one field: lines, NUL-separated records, bytes, rows of RowBinary.

use percent_simd::ByteSet;

use super::{CONTROLS, Choice, ExtraField, Field, Format, Kind, Layout, Rule, Wrap};
use crate::records::{Framing, row};

pub struct Whole {
    framing: Framing,
    rules: [Rule; 1],
    names: [String; 1],
}

impl Whole {
    pub fn new(framing: Framing, choice: &Choice) -> Result<Whole, String> {
        if let Some(field) = choice.fields.first() {
            return Err(format!(
                "pct: there is no field `{field}` where all of a record is one; name a format, as in --format combined"
            ));
        }
        let (keep, wrap) = match framing {
            Framing::Lines | Framing::Paragraphs | Framing::Csv(_) => (CONTROLS, Wrap::Verbatim),
            Framing::Null => (ByteSet::of(b"\0"), Wrap::Verbatim),
            Framing::Raw => (ByteSet::EMPTY, Wrap::Verbatim),
            Framing::Rows => (ByteSet::EMPTY, Wrap::Row),
        };
        Ok(Whole { framing, rules: [Rule { keep, wrap, query: false }], names: ["record".into()] })
    }
}

impl Format for Whole {
    fn framing(&self) -> Framing {
        self.framing
    }

    fn rules(&self) -> &[Rule] {
        &self.rules
    }

    fn names(&self) -> &[String] {
        &self.names
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
        self.framing != Framing::Rows
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if self.framing == Framing::Rows && row(record).is_none_or(|(_, len)| len != record.len()) {
            return Kind::Unrecognized;
        }
        fields.push(Field { choice: 0, range: 0..record.len(), rule: 0, member: false });
        Kind::Data
    }
}
