//! Logs of Web frameworks and application servers, and small text files. A record is a line with fixed text around its
//! fields.
//!
//! A format is a table of templates in the syntax of nginx's `log_format`. The name of a variable, for example
//! `$client`, `$status` or `$number`, also determines the values that it can have. The whole record must fit the
//! template.
//!
//! Most of these programs also write other lines to the same log, for example when they start. A [`Mark`] distinguishes
//! records from these lines. It is a text that every record contains, or a test for the start of a record. A line
//! without the mark counts as a comment.

mod shapes;
mod tools;

use memchr::memmem;

pub use self::shapes::*;
pub use self::tools::*;
use super::format::{Bounds, Choice, Field, Format, Kind, Layout, Schema, field_names, unknown};
use super::pattern::Pattern;
use super::role::schema_of;
use super::shape::Sample;
use super::token::{Quotes, sort_fields, without_overlaps};

struct Shape {
    name: &'static str,
    /// The templates of a record. We use the first template that fits.
    lines: &'static [&'static str],
    /// The fields. The default fields come before the `;`.
    fields: &'static str,
    /// How the program writes a quote in a value.
    quotes: Quotes,
    mark: Mark,
}

/// The mark of a record. A line without this mark counts as a comment.
#[derive(Clone, Copy)]
enum Mark {
    /// Every record contains this text.
    Text(&'static str),
    /// The start of every record passes this test.
    Start(fn(&[u8]) -> bool),
}

impl Mark {
    fn is_in(self, record: &[u8]) -> bool {
        match self {
            Mark::Text(text) => memmem::find(record, text.as_bytes()).is_some(),
            Mark::Start(is_start) => is_start(record),
        }
    }
}

/// A template. For each field of `pattern`, `choices` has the index of this field among the chosen fields.
struct Template {
    pattern: Pattern,
    choices: Vec<usize>,
    first_rule: usize,
}

pub struct Line {
    shape: &'static Shape,
    templates: Vec<Template>,
    schema: Schema,
}

impl Line {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Line, String> {
        let mut schema = schema_of(shape.fields, choice);
        let mut templates = Vec::new();
        for template in shape.lines {
            let (pattern, choices) = Pattern::built_in(template, shape.quotes, &schema.names)?;
            let first_rule = schema.rules.len();
            schema.rules.extend_from_slice(&pattern.schema().rules);
            templates.push(Template { pattern, choices, first_rule });
        }
        let is_there = |number: usize| templates.iter().any(|template: &Template| template.choices.contains(&number));
        if let Some(at) = (0..schema.names.len()).find(|&at| !is_there(at)) {
            return Err(unknown(&schema.names[at], shape.name, &field_names(shape.fields)));
        }
        Ok(Line { shape, templates, schema })
    }

    /// Returns true if one of the first lines is a record. One is enough, because no other format has such records.
    fn sniff(shape: &'static Shape, sample: &Sample) -> bool {
        let line = Line::new(shape, &Choice::default());
        line.is_ok_and(|line| sample.lines.iter().any(|record| line.read(record, &mut Vec::new())))
    }

    /// Adds the fields of `record`. If it fits no template, returns false.
    fn read(&self, record: &[u8], fields: &mut Vec<Field>) -> bool {
        self.templates.iter().any(|template| {
            fields.clear();
            let is_it = template.pattern.read(record, fields).is_some();
            for field in fields.iter_mut() {
                field.choice = template.choices[field.choice];
                field.rule += template.first_rule;
            }
            is_it
        })
    }
}

impl Format for Line {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        match self.shape.quotes {
            Quotes::Backslash => Bounds::Quote,
            Quotes::Plain => Bounds::Record,
        }
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if self.read(record, fields) {
            sort_fields(fields);
            without_overlaps(fields);
            return Kind::Data;
        }
        fields.clear();
        if self.shape.mark.is_in(record) { Kind::Unrecognized } else { Kind::Comment }
    }
}
