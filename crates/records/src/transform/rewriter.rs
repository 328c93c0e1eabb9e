//! Rewrites the records of an input, and the records inside fields.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Effects, Spec, Transform, Value};
use crate::formats::{Field, Format, Kind, Layout, Syntax, rows};

/// Memory that is reused from record to record.
#[derive(Default)]
struct RecordScratch {
    fields: Vec<Field>,
    value: Vec<u8>,
}

/// Appends a record with its fields transformed. `body` is the record without its end, for example without its line end
/// or NUL.
fn rewrite_record(
    format: &dyn Format,
    transforms: &[Transform],
    body: &[u8],
    layout: &mut Layout,
    scratch: &mut RecordScratch,
    out: &mut Vec<u8>,
    effects: &mut Effects,
) {
    let RecordScratch { fields, value } = scratch;
    fields.clear();
    let kind = format.find_fields(body, layout, fields);
    effects.unrecognized += u64::from(kind == Kind::Unrecognized);
    let mut at = 0;
    for field in fields.iter().filter(|_| kind == Kind::Data) {
        let (before, raw) = (&body[at..field.range.start], &body[field.range.clone()]);
        if transforms[field.rule].field(before, raw, value, out, effects) {
            at = field.range.end;
        }
    }
    out.extend_from_slice(&body[at..]);
}

/// Rewrites the chosen fields of an input according to a [`Spec`]. All other bytes are copied.
///
/// # Examples
///
/// ```
/// use percent_simd::Plus;
/// use percent_simd_records::formats::{Choice, Name, build};
/// use percent_simd_records::transform::{Action, Rewriter, Spec};
///
/// let name = Name::parse("csv", &[]).unwrap();
/// let format = build(&name, &Choice { fields: vec!["url".into()], ..Choice::default() }).unwrap();
/// let spec = Spec::of_fields(Action::Decode { plus: Plus::Never });
/// let mut rewriter = Rewriter::new(format, &spec);
/// let mut out = Vec::new();
/// rewriter.rewrite(b"id,url\n1,/a%2Cb%0A\n2,/caf%C3%A9\n", &mut out);
/// assert_eq!(out, "id,url\n1,\"/a,b%0A\"\n2,/café\n".as_bytes());
/// ```
pub struct Rewriter {
    format: Box<dyn Format>,
    transforms: Vec<Transform>,
    layout: Layout,
    scratch: RecordScratch,
    effects: Effects,
}

impl Rewriter {
    /// Returns a rewriter of records in `format`.
    pub fn new(format: Box<dyn Format>, spec: &Spec) -> Rewriter {
        let transforms = Transform::all(spec, &*format);
        let layout = format.layout();
        Rewriter { format, transforms, layout, scratch: RecordScratch::default(), effects: Effects::default() }
    }

    /// Returns the length of the longest prefix of `bytes` that consists of whole records.
    ///
    /// You can [rewrite](Self::rewrite) this prefix before the rest of the input arrives.
    pub fn whole_len(&self, bytes: &[u8]) -> usize {
        self.format.framing().whole(bytes)
    }

    /// Appends to `out` the rewritten `records`, which are the next records of the input.
    pub fn rewrite(&mut self, records: &[u8], out: &mut Vec<u8>) {
        let framing = self.format.framing();
        let mut rest = records;
        while !rest.is_empty() {
            let record = framing.first(rest);
            let (body, end) = rest[..record.len].split_at(record.body);
            let (scratch, effects) = (&mut self.scratch, &mut self.effects);
            rewrite_record(&*self.format, &self.transforms, body, &mut self.layout, scratch, out, effects);
            out.extend(end);
            rest = &rest[record.len..];
        }
    }

    /// Returns the counts of events so far.
    pub fn effects(&self) -> &Effects {
        &self.effects
    }
}

/// The format of a record inside a field, and the transforms for its fields.
pub(super) struct Inner {
    pub format: Arc<dyn Format>,
    pub transforms: Vec<Transform>,
}

impl Inner {
    /// Appends the rewritten `record`. It may have a line end.
    pub fn work(&self, record: &[u8], out: &mut Vec<u8>, effects: &mut Effects) {
        let (body, end) = record.split_at(record.strip_suffix(b"\n").unwrap_or(record).len());
        let mut scratch = RecordScratch::default();
        rewrite_record(&*self.format, &self.transforms, body, &mut self.format.layout(), &mut scratch, out, effects);
        out.extend(end);
    }

    /// Calls `each` for each field of `record`.
    pub fn each_value(&self, record: &[u8], each: &mut dyn FnMut(usize, Syntax, Cow<[u8]>)) {
        self.each_value_of_rows(record, &mut |_, choice, syntax, value| each(choice, syntax, value));
    }

    /// Does the same, row by row. The first argument of `each` is the number of the row.
    fn each_value_of_rows(&self, record: &[u8], each: &mut dyn FnMut(usize, usize, Syntax, Cow<[u8]>)) {
        if let Some((body, fields)) = self.find_fields(record) {
            each_value_of_rows(&*self.format, &self.transforms, body, &fields, each);
        }
    }

    /// If `record` fits the format, returns it without its line end, and its fields.
    fn find_fields<'a>(&self, record: &'a [u8]) -> Option<(&'a [u8], Vec<Field>)> {
        let (body, mut fields) = (record.strip_suffix(b"\n").unwrap_or(record), Vec::new());
        let kind = self.format.find_fields(body, &mut self.format.layout(), &mut fields);
        (kind == Kind::Data).then_some((body, fields))
    }
}

/// Calls `each` for each value of `fields` in `record`, row by row. The arguments of `each` are the number of the row, the index of
/// the field among the chosen fields, the syntax, and the value. If fields contain records, each inner record has rows of its own.
pub fn each_value_of_rows(
    format: &dyn Format,
    transforms: &[Transform],
    record: &[u8],
    fields: &[Field],
    each: &mut dyn FnMut(usize, usize, Syntax, Cow<[u8]>),
) {
    let mut value_of = |row: usize, field: &Field| {
        let transform = &transforms[field.rule];
        let Some(value) = transform.text(&record[field.range.clone()]) else { return row };
        let Some(inner) = &transform.inner else {
            each(row, field.choice, transform.syntax, value);
            return row;
        };
        let mut next = row;
        inner.each_value_of_rows(&value, &mut |number, choice, syntax, value| {
            next = row + number + 1;
            each(row + number, choice, syntax, value);
        });
        next
    };
    match format.parts(record, fields, true) {
        Some(parts) => rows(&parts).into_iter().for_each(|(row, number)| {
            value_of(row, &fields[number]);
        }),
        None => {
            fields.iter().fold(0, value_of);
        }
    }
}

/// A record, and the values of its fields.
pub struct ReadRecord<'a> {
    /// The format of the record.
    pub format: &'a dyn Format,
    /// The record without its end.
    pub body: &'a [u8],
    /// The fields of the record.
    pub fields: &'a [Field],
    /// The value of each field.
    pub values: &'a [Value<'a>],
    /// The offset of the record. If it is inside a field of another record, this is the offset of this field.
    pub start: usize,
    /// If true, the record is inside a field of another record.
    pub is_inside: bool,
}

impl ReadRecord<'_> {
    /// Calls `each` for the record. If its fields contain records, calls `each` for these records instead. `transforms` are those of
    /// the record's format.
    pub fn each(&self, transforms: &[Transform], each: &mut dyn FnMut(&ReadRecord)) {
        if self.format.inner().is_none() {
            return each(self);
        }
        for (field, value) in self.fields.iter().zip(self.values) {
            let (Some(inner), Some(record)) = (&transforms[field.rule].inner, &value.text) else { continue };
            let Some((body, fields)) = inner.find_fields(record) else { continue };
            let Inner { format, transforms } = inner;
            let asked = format.schema().asked;
            let read = |field: &Field| {
                let (raw, transform) = (&body[field.range.clone()], &transforms[field.rule]);
                // Context fields hold no URLs, so they never change.
                if field.choice < asked { transform.read(raw, None) } else { transform.read_unchanged(raw) }
            };
            let values: Vec<Value> = fields.iter().map(read).collect();
            let start = if self.is_inside { self.start } else { self.start + field.range.start };
            ReadRecord { format: &**format, body, fields: &fields, values: &values, start, is_inside: true }
                .each(transforms, each);
        }
    }
}
