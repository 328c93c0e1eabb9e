//! The interface of all formats. A format finds the fields of a record, and has a rule for the value of each field.

mod choice;
mod extra;
mod parts;

use std::ops::Range;
use std::sync::Arc;

use percent_simd::ByteSet;

pub use self::choice::{Choice, Role, Use};
pub(super) use self::choice::{Mixed, decoded_names, usual_names};
pub use self::extra::ExtraField;
pub use self::parts::{Parts, rows};
use super::candidates::Candidates;
pub use super::facts::Syntax;
use super::shape::{DELIMITERS, HTTP, Sample, is_one, is_plain, is_whole_url, without_start};
use super::wrap::Wrap;
use crate::framing::Framing;

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The index of the field in [`Schema::names`].
    pub choice: usize,
    /// The range of the field's bytes in the record.
    pub range: Range<usize>,
    /// The index of the field's rule in [`Schema::rules`].
    pub rule: usize,
    /// If the field is a member of a JSON object, this is the offset of the object's opening brace. Before we add a
    /// result to this object ([`ExtraField::Member`]), we search the members of this object for the name of the result.
    pub object: Option<usize>,
}

impl Field {
    /// Moves the range of the field by `len` bytes. Use it if the field's record is a part of a larger record that
    /// starts `len` bytes earlier.
    pub(super) fn shift(&mut self, len: usize) {
        self.range = self.range.start + len..self.range.end + len;
        self.object = self.object.map(|object| object + len);
    }
}

/// The rule for a field: which escapes stay, and how its value is written.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Bytes whose escapes stay. If these escapes were decoded, the bytes would forge or break a record.
    pub keep: ByteSet,
    /// How a value is written.
    pub wrap: Wrap,
    /// The syntax of a value.
    pub syntax: Syntax,
}

/// The columns of the next record, as far as lines of the input have already named them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The position of each chosen field, from 0. The position of a missing field is `None`.
    pub columns: Vec<Option<usize>>,
    /// Each position with a chosen field, and the index of the field. Sorted by position. A field has several places if the header
    /// has its name several times.
    pub places: Vec<(usize, usize)>,
    /// If true, the next record is a header, or a record before the header.
    pub header: bool,
    /// The number of records before the header.
    pub preamble: usize,
    /// The number of columns that the header names.
    pub width: Option<usize>,
    /// If true, tabs separate the names of the columns, so a column may contain blanks.
    pub has_tabs: bool,
    /// If true, one of the columns is `cs-uri-stem`, as in logs of IIS.
    pub has_stem: bool,
    /// If the first line with names has been read: true if it has columns with URLs besides `cs-uri-stem`.
    pub has_others: Option<bool>,
}

impl Layout {
    /// Returns true if the column of the chosen field `choice` exists. Also returns true if the file has no header to
    /// check.
    pub fn has(&self, choice: usize) -> bool {
        self.columns.get(choice).is_none_or(Option::is_some)
    }

    /// Returns the index of the chosen field that the column at this position belongs to.
    pub fn choice_of(&self, column: usize) -> Option<usize> {
        let found = self.places.binary_search_by_key(&column, |&(at, _)| at);
        found.ok().map(|place| self.places[place].1)
    }
}

/// The bytes that no value of a format contains, because these bytes end the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// Only the end of the record ends a value. Before the end, a value can contain any byte.
    Record,
    /// A tab.
    Tab,
    /// A `"`, except after a backslash.
    Quote,
    /// If the value starts with a quote, a `"` that isn't doubled. Otherwise, this delimiter with a `"` directly after
    /// it.
    Csv(u8),
}

/// The kind of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A record with data. It needn't have a chosen field.
    Data,
    /// A header with the names of columns.
    Header,
    /// A comment of the format.
    Comment,
    /// A record that doesn't fit the format, for example because it is cut off. Such a record is copied unchanged.
    Unrecognized,
}

/// The fields that a format was built for, and the rules for their values.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The names of the requested fields, followed by the names of the [context](Choice::roles).
    pub names: Vec<String>,
    /// The number of requested fields.
    pub asked: usize,
    /// The rules. [`Field::rule`] is an index into this list.
    pub rules: Vec<Rule>,
    /// True if the fields are URLs that were found in a text. If false, the URL of a request is in the first field that has one.
    pub is_text: bool,
    /// True if the format was built for a verb that doesn't write the values back.
    pub(super) only_reads: bool,
    /// The fields with another name in the format, such as fields that the user chose by number. Their roles follow from these
    /// names.
    pub(super) numbered: Vec<(usize, &'static str)>,
    /// For each requested field, its kind if it is in [`Choice::mixed`] or [`Choice::texts`]. Empty if no field is.
    pub(super) mixed: Vec<Option<Mixed>>,
    /// Finds the URLs in the text of a mixed field. If this is `None`, the field has only URLs without a text.
    pub(super) next: Option<NextUrl>,
}

/// Returns the bounds of the first URL or target in a text after an offset, and true for a target. This is
/// `urls::next_in_text`. Formats pass it to their schema, because that file depends on this one.
pub type NextUrl = fn(&[u8], usize) -> Option<(Range<usize>, bool)>;

impl Schema {
    /// Returns a schema for the fields of `choice`. If `choice` has no fields, uses the `usual` fields. Adds
    /// the fields of `context`.
    pub(super) fn new(
        choice: &Choice,
        usual: impl IntoIterator<Item = impl Into<String>>,
        context: impl IntoIterator<Item = impl Into<String>>,
    ) -> Schema {
        let mut names = choice.fields.clone();
        // These two loops are smaller than `extend`, and exist once for each format.
        if names.is_empty() {
            usual.into_iter().for_each(|name| names.push(name.into()));
        }
        let asked = names.len();
        let mixed = choice.kinds_of(&names);
        context.into_iter().for_each(|name| names.push(name.into()));
        let only_reads = choice.usage != Use::Rewrite;
        Schema { names, asked, only_reads, mixed, ..Schema::default() }
    }

    /// Returns true if the field number `choice` is [mixed](Choice::mixed).
    pub(super) fn is_mixed(&self, choice: usize) -> bool {
        self.mixed.get(choice).is_some_and(Option::is_some)
    }

    /// Sets the rules. If a field is mixed, two more lists of rules follow: for the URLs in the text of each value, and
    /// for the targets. In a text, a decoded delimiter could end a URL. `next` finds both.
    pub(super) fn set_rules(&mut self, rules: Vec<Rule>, next: NextUrl) {
        self.next = Some(next);
        let lists = if self.mixed.is_empty() { 1 } else { 3 };
        let inside = |list: usize, rule: Rule| match list {
            0 => rule,
            list => Rule {
                keep: rule.keep | DELIMITERS | HTTP,
                // A URL in a CSV cell has no quotes, and the quotes around the cell stay.
                wrap: if matches!(rule.wrap, Wrap::Csv(_)) { Wrap::Verbatim } else { rule.wrap },
                syntax: if list == 1 { Syntax::Reference } else { Syntax::Target },
            },
        };
        for list in 0..lists {
            rules.iter().for_each(|&rule| self.rules.push(inside(list, rule)));
        }
    }

    /// Replaces each value of a mixed field that isn't a URL by the URLs and targets in its text.
    fn find_in_texts(&self, record: &[u8], fields: &mut Vec<Field>) {
        let rules = self.rules.len() / 3;
        for field in std::mem::take(fields) {
            let raw = &record[field.range.clone()];
            let wrap = self.rules[field.rule].wrap;
            // Rules after the three lists are for whole values.
            let mixed = self.mixed.get(field.choice).copied().flatten().filter(|_| field.rule < 3 * rules);
            // An invalid value stays a field, so that it is reported.
            let Some((mixed, value)) = mixed.and_then(|mixed| Some((mixed, wrap.read(raw)?))) else {
                fields.push(field);
                continue;
            };
            let is_whole = match mixed {
                Mixed::Text => {
                    let is_target = self.rules[field.rule].syntax == Syntax::Target && value.starts_with(b"/");
                    is_whole_url(&value) || is_target && is_plain(&value)
                }
                Mixed::Urls => self
                    .next
                    .and_then(|next| next(&value, 0))
                    .is_none_or(|(range, _)| is_one(&value) && !value[range.end..].starts_with(b" HTTP/")),
            };
            if is_whole {
                fields.push(field);
                continue;
            }
            let (mut at, mut places) = (0, wrap.places(raw));
            while let Some((range, is_target)) = self.next.and_then(|next| next(&value, at)) {
                at = range.end;
                let list = 1 + usize::from(is_target);
                let range = field.range.start + places(range.start)..field.range.start + places(range.end);
                // A member beside a text could be the result for any of its URLs, so it gets none.
                fields.push(Field { choice: field.choice, range, rule: list * rules + field.rule, object: None });
            }
        }
    }

    /// Returns the schema of a format with one field.
    pub(super) fn of_one(name: &str, rule: Rule) -> Schema {
        Schema { names: vec![name.to_string()], asked: 1, rules: vec![rule], ..Schema::default() }
    }

    /// Returns the number of the field that a record calls `name`. Upper and lower case are equal.
    pub(super) fn choice_of(&self, name: &[u8]) -> Option<usize> {
        self.names.iter().position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
    }

    /// Returns the names of the requested fields.
    pub fn asked_names(&self) -> &[String] {
        &self.names[..self.asked]
    }

    /// Returns true if a record is one field, as in a list of URLs. No name promises a URL then.
    pub fn is_list(&self) -> bool {
        self.asked_names() == ["record"]
    }

    /// Returns the number of [context](Choice::roles) fields.
    pub fn context_len(&self) -> usize {
        self.names.len() - self.asked
    }
}

/// A format of records.
pub trait Format: Send + Sync {
    /// Returns the framing of the records.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// Returns the fields that the format was built for, and their rules.
    fn schema(&self) -> &Schema;

    /// Returns where a record can take an additional value. The format must be able to read the record with this value.
    fn extra_field(&self) -> ExtraField {
        ExtraField::Nowhere
    }

    /// Returns true if every record consists of one field.
    fn is_whole(&self) -> bool {
        false
    }

    /// If the record may have [`Parts`], returns those of `fields`. If `joins_only` is true, a value alone in its array belongs to
    /// the part around the array. This is right for rows, but not for requests: several arrays may have one request each.
    fn parts(&self, _record: &[u8], _fields: &[Field], _joins_only: bool) -> Option<Parts> {
        None
    }

    /// Returns a byte that we search for in addition to `%`, because a record with this byte may matter even if it has
    /// no `%`. This byte is one of two kinds: the first byte of a line that changes the layout, like `#`, or the first
    /// byte of an escape of the format that may mean `%`, like `\` in JSON.
    fn mark(&self) -> Option<u8> {
        None
    }

    /// Returns the bytes that surely end a value, whoever chose its text. If you search a record for a secret, search the
    /// text between these bytes.
    fn bounds(&self) -> Bounds {
        Bounds::Record
    }

    /// Returns true if the server that writes this format escapes some bytes as `\xHH` or with a backslash.
    fn has_log_escapes(&self) -> bool {
        false
    }

    /// Returns true if every escape lies either inside a field or outside all fields. If this returns false, an escape
    /// may start in a field and end after it.
    fn is_delimited(&self) -> bool {
        true
    }

    /// Returns the number of layers of escapes to decode by default.
    fn layers(&self) -> usize {
        1
    }

    /// Checks the column names at the start of an input, and returns a message if a chosen column is missing. `to` is the name
    /// of the column for the results; it must be new. If `has_cells` is true, the output has one value for each field, so each
    /// name must belong to only one column.
    fn mismatch(&self, _head: &[u8], _to: Option<&str>, _has_cells: bool) -> Option<String> {
        None
    }

    /// Returns the names of the requested fields for messages, as a user writes them.
    fn shown_names(&self) -> &[String] {
        self.schema().asked_names()
    }

    /// Returns the name of the field number `choice`, as a user writes it. The field may be a context field.
    fn shown_name(&self, choice: usize) -> &str {
        &self.schema().names[choice]
    }

    /// Returns the named fields of the first records in `head`, with their values. If the fields of this format have no
    /// names, returns no candidates.
    fn candidates(&self, _head: &[u8]) -> Candidates {
        Candidates::default()
    }

    /// Returns true if this format was built for the field called `name`.
    fn has_chosen(&self, name: &str) -> bool {
        self.shown_names().iter().any(|chosen| chosen.eq_ignore_ascii_case(name))
    }

    /// Returns the number of fields that can be chosen in addition to the fields that this format was built for.
    fn room(&self) -> usize {
        64
    }

    /// Returns true if a line of the input names the columns. In this case, the positions of chosen columns are unknown
    /// until we have read this line.
    fn has_header(&self) -> bool {
        false
    }

    /// If the fields contain records, returns the format of these records.
    fn inner(&self) -> Option<Arc<dyn Format>> {
        None
    }

    /// Returns the layout before the first record.
    fn layout(&self) -> Layout {
        Layout::default()
    }

    /// Appends the fields of `record` to `fields`, in ascending order of their offsets, and returns the kind of the record.
    /// `record` has no line end.
    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind;

    /// Does the same as [`fields`](Self::fields) for a record that may start with a byte order mark, for example the
    /// first record of a file. The byte order mark isn't part of the record, and neither are NULs at its start. `fields` must be
    /// empty.
    ///
    /// In a [mixed](Choice::mixed) field, finds the URLs and targets inside the text.
    fn find_fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let rest = without_start(record);
        let kind = self.fields(rest, layout, fields);
        if !self.schema().mixed.is_empty() {
            self.schema().find_in_texts(rest, fields);
        }
        let start = record.len() - rest.len();
        if start > 0 {
            fields.iter_mut().for_each(|field| field.shift(start));
        }
        kind
    }

    /// Changes `layout`, which is the layout at the start of `chunk`, to the layout at the end of `chunk`. `chunk`
    /// consists of whole records.
    fn advance(&self, _chunk: &[u8], _layout: &mut Layout) {}

    /// Returns the number of headers and comments in `chunk`, which don't count as records.
    fn others(&self, _chunk: &[u8], _layout: &Layout) -> u64 {
        0
    }
}

/// True in the WebAssembly module, which only rewrites records. Without messages, rows and further fields, it is smaller.
pub(super) const IS_MODULE: bool = cfg!(all(target_family = "wasm", target_os = "unknown"));

/// A format with a name.
pub struct Row {
    /// The name.
    pub name: &'static str,
    /// A one-line description.
    pub help: &'static str,
    /// The names of the format's fields, separated by commas, in up to three lists with `;` between them: the default fields;
    /// other fields; fields that the program decodes before it writes the record (see [`Use::Read`]).
    pub fields: &'static str,
    /// Builds the format with the fields of a choice. Returns a message if a field doesn't exist.
    pub build: fn(&Choice) -> Result<Box<dyn Format>, String>,
    /// Returns true if the first lines of an input look like this format.
    pub sniff: fn(&Sample) -> bool,
}

/// Returns the names in `fields`, which is a list as in [`Row::fields`].
pub fn field_names(fields: &'static str) -> Vec<&'static str> {
    fields.split([',', ';']).map(str::trim).filter(|name| !name.is_empty()).collect()
}

/// Returns the message for a field that a format does not have.
pub(super) fn unknown(field: &str, format: &str, there: &[&str]) -> String {
    format!("{format} has no field `{field}`; there are {}", there.join(", "))
}

/// Returns `text`, which only `pct formats` shows. The WebAssembly module has no such command. There the result is empty,
/// so that the module is smaller.
pub(super) const fn shown(text: &'static str) -> &'static str {
    if IS_MODULE { "" } else { text }
}

/// Returns the format that `new` builds. Exists once for each type of a format, so that a [`Row`] is small.
#[inline(never)]
pub(super) fn boxed<S, F: Format + 'static>(
    new: fn(&'static S, &Choice) -> Result<F, String>,
    shape: &'static S,
    choice: &Choice,
) -> Result<Box<dyn Format>, String> {
    Ok(Box::new(new(shape, choice)?))
}

/// Implements methods of [`Format`] by calling the same methods of the format in the field `$field`.
macro_rules! forward {
    ($field:ident: $($method:ident -> $result:ty),+ $(,)?) => {
        $(
            fn $method(&self) -> $result {
                self.$field.$method()
            }
        )+
    };
}
pub(super) use forward;

/// Makes a [`Row`] for the format of the type `$format` and the shape `$shape`. Without `$fields`, the row has the fields of
/// the shape. Without `$sniff`, it has the test of the type.
macro_rules! row {
    ($format:ident, $row:ident, $shape:ident, $help:literal) => {
        row!($format, $row, $shape, $help, |sample| $format::sniff(&$shape, sample));
    };
    ($format:ident, $row:ident, $shape:ident, $help:literal, $sniff:expr) => {
        row!($format, $row, $shape, $help, $shape.fields, $sniff);
    };
    ($format:ident, $row:ident, $shape:ident, $help:literal, $fields:expr, $sniff:expr) => {
        pub const $row: Row = Row {
            name: $shape.name,
            help: $crate::formats::format::shown($help),
            fields: $crate::formats::format::shown($fields),
            build: |choice| $crate::formats::format::boxed($format::new, &$shape, choice),
            sniff: $sniff,
        };
    };
}
pub(super) use row;
