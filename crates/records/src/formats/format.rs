//! What all formats have in common: a format finds the fields of a record, and has a rule for the values of each.

use std::ops::Range;
use std::sync::Arc;

use percent_simd::ByteSet;

use super::shape::Sample;
use super::wrap::Wrap;
use crate::framing::Framing;

/// A field's bytes in a record, and what holds for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which of the chosen fields it is.
    pub choice: usize,
    /// Its bytes in the record.
    pub range: Range<usize>,
    /// Which of the format's rules is its.
    pub rule: usize,
    /// The start in the record of the object of which it is a member: another can be put right behind it
    /// ([`ExtraField::Member`]).
    pub object: Option<usize>,
}

/// The rules for the value of a field.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Bytes that would forge or break a record: escapes of these stay.
    pub keep: ByteSet,
    /// How a value is written there.
    pub wrap: Wrap,
    /// What a value is.
    pub syntax: Syntax,
}

/// What the value of a field is, which decides how it is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A URL or a reference (RFC 3986 4.1): `//h/x` names the host `h`.
    Reference,
    /// The target of a request (RFC 9112 3.2): `//h/x` is a path, and no fragment follows a `#`.
    Target,
    /// A query without its `?`.
    Query,
}

impl Syntax {
    /// Returns whether a value is a query.
    pub fn is_query(self) -> bool {
        self == Syntax::Query
    }
}

/// How a format takes a further value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraField {
    /// Not at all.
    Nowhere,
    /// As the next member of the object.
    Member,
    /// At the end of the record.
    Column {
        /// Bytes in front of a value.
        before: Vec<u8>,
        /// Bytes behind it.
        after: Vec<u8>,
        /// Bytes in front of the name in a header.
        header: Vec<u8>,
        /// Text in place of a missing value.
        absent: &'static str,
    },
}

/// The columns as they are known at some place of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The positions of the chosen fields, from 0; `None` for those that are missing.
    pub columns: Vec<Option<usize>>,
    /// Whether the next record is a header.
    pub header: bool,
    /// How many columns a header has named.
    pub width: Option<usize>,
    /// Whether one of them is the stem of IIS.
    pub has_stem: bool,
}

impl Layout {
    /// Returns true if this column exists, or if the file has no header to check.
    pub fn has(&self, choice: usize) -> bool {
        self.columns.get(choice).is_none_or(Option::is_some)
    }
}

/// The kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A record with data, even if no field was found in it.
    Data,
    /// A header with the names of columns.
    Header,
    /// A comment of the format.
    Comment,
    /// A record of another form: cut off, or with quotes that do not close. It stays as it is.
    Unrecognized,
}

/// The fields that a format was built for, and the rules for their values.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// Names of the fields that were asked for, then of those of the [context](Choice::context).
    pub names: Vec<String>,
    /// How many of these were asked for.
    pub asked: usize,
    /// The rules; [`Field::rule`] is an index in this.
    pub rules: Vec<Rule>,
}

impl Schema {
    /// Returns a schema for the fields of `choice`, or for the `usual` ones, and for those of the `context` if that is wanted.
    pub(super) fn new(
        choice: &Choice,
        usual: impl IntoIterator<Item = impl Into<String>>,
        context: impl IntoIterator<Item = impl Into<String>>,
    ) -> Schema {
        let usual = usual.into_iter().map(Into::into);
        let mut names = if choice.fields.is_empty() { usual.collect() } else { choice.fields.clone() };
        let asked = names.len();
        names.extend(context.into_iter().filter(|_| choice.context).map(Into::<String>::into));
        Schema { names, asked, rules: Vec::new() }
    }

    /// Returns the schema of a format with one field.
    pub(super) fn of_one(name: &str, rule: Rule) -> Schema {
        Schema { names: vec![name.to_string()], asked: 1, rules: vec![rule] }
    }

    /// Returns the names of the fields that were asked for.
    pub fn asked_names(&self) -> &[String] {
        &self.names[..self.asked]
    }

    /// Returns how many fields belong to the context.
    pub fn context_len(&self) -> usize {
        self.names.len() - self.asked
    }
}

/// One format of records.
pub trait Format: Send + Sync {
    /// How an input is made of its records.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// Returns the fields that it was built for, and their rules.
    fn schema(&self) -> &Schema;

    /// How it takes a further value.
    fn extra_field(&self) -> ExtraField {
        ExtraField::Nowhere
    }

    /// Whether every record is one field, and that all of it.
    fn is_whole(&self) -> bool {
        false
    }

    /// Returns a byte that makes a record worth a look, even if nothing in it changes.
    fn mark(&self) -> Option<u8> {
        None
    }

    /// Whether its writer puts an escape of [`log_escape`] for an byte that would break a record, and for others.
    fn has_log_escapes(&self) -> bool {
        false
    }

    /// Whether no triplet can reach across the bounds of a field.
    fn is_delimited(&self) -> bool {
        true
    }

    /// Returns how many layers of encoding come off by default.
    fn layers(&self) -> usize {
        1
    }

    /// Checks the columns that the start of an input names. Returns a message if a chosen column is missing, or if the column for
    /// results is there already.
    fn mismatch(&self, _head: &[u8], _to: Option<&str>) -> Option<String> {
        None
    }

    /// Whether the input names its columns, so that which of those chosen are there is known only then.
    fn has_header(&self) -> bool {
        false
    }

    /// The format of the records that its fields hold, if that is what they do.
    fn inner(&self) -> Option<Arc<dyn Format>> {
        None
    }

    /// Returns the layout that is known before the first record.
    fn layout(&self) -> Layout {
        Layout::default()
    }

    /// Puts the fields of `record`, which comes without its end, into `fields`, in the order of their bytes.
    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind;

    /// Brings `layout` from the start of `chunk`, which is whole records, to its end.
    fn advance(&self, _chunk: &[u8], _layout: &mut Layout) {}

    /// Returns how many of the records in `chunk` are headers or lines that are marked as comments, so that they don't count.
    fn others(&self, _chunk: &[u8], _layout: &Layout) -> u64 {
        0
    }
}

/// A format that has a name.
pub struct Row {
    /// Returns its name.
    pub name: &'static str,
    /// Its description, in a line.
    pub help: &'static str,
    /// The names of its fields. Those in front of `;` are the default.
    pub fields: &'static str,
    /// Returns the format with the fields of a choice, or a message.
    pub build: fn(&Choice) -> Result<Box<dyn Format>, String>,
    /// Whether an input is in this format, by its first lines.
    pub sniff: fn(&Sample) -> bool,
}

/// The fields to be worked on.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Names, numbers or pointers. If empty, the fields with URLs.
    pub fields: Vec<String>,
    /// Whether the first line of CSV and TSV is a header. By default it is one if a field is chosen by name.
    pub header: Option<bool>,
    /// Whether to add the fields with the client, the host and the status of a request.
    pub context: bool,
}

/// The message for fields that a format does not have.
pub(super) fn unknown(field: &str, format: &str, there: &[&str]) -> String {
    format!("{format} has no field `{field}`; there are {}", there.join(", "))
}

/// Makes a [`Row`] of a format of this type and shape.
macro_rules! row {
    ($format:ident, $row:ident, $shape:ident, $help:literal, $fields:literal, $sniff:expr) => {
        pub const $row: Row = Row {
            name: $shape.name,
            help: $help,
            fields: $fields,
            build: |choice| Ok(Box::new($format::new(&$shape, choice)?)),
            sniff: $sniff,
        };
    };
}
pub(super) use row;
