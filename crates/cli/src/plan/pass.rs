//! A pass over a chunk: the state and the steps that all plans share.

use memchr::memchr;
use percent_simd_records::formats::{Field, Format, Kind, Layout, Wrap};
use percent_simd_records::framing::Framing;
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{ReadRecord, Transform, Value};

use super::policies::Policies;
use crate::chunk::{Chunk, Outcome, Scratch};
use crate::findings::{self, Fit, Found, Stats};
use crate::later;
use crate::tally::Attack;

/// A pass over a chunk.
pub struct Pass<'a> {
    pub format: &'a dyn Format,
    pub policies: &'a Policies,
    pub chunk: &'a Chunk,
    pub scratch: &'a mut Scratch,
    /// The columns that the input has named before the current record.
    pub layout: Layout,
    /// The fields of the current record, and their values if they have been read.
    pub fields: Vec<Field>,
    pub values: Vec<Value<'a>>,
    /// The number of bytes of the chunk whose output has been written.
    pub copied: usize,
    /// The length of the byte order mark at the start of the chunk. The mark is a part of the file, not of the first line.
    pub mark_len: usize,
    pub out: &'a mut Vec<u8>,
    pub outcome: Outcome,
}

/// The decision about a record: process it, skip it, or stop the job.
pub enum Verdict {
    Go,
    Skip,
    Stop(Found),
}

impl<'a> Pass<'a> {
    pub fn new(
        format: &'a dyn Format,
        policies: &'a Policies,
        chunk: &'a Chunk,
        scratch: &'a mut Scratch,
        out: &'a mut Vec<u8>,
    ) -> Pass<'a> {
        // The finding that stops the job is always reported, so a limit must not drop it.
        let fails = policies.on_error == Policy::Fail || policies.on_utf8 == Policy::Fail;
        let stats = Stats::new(if fails { usize::MAX } else { policies.limit });
        let outcome = Outcome { stats, fit: Fit::default(), attacks: Vec::new(), stop: None, marks: Vec::new() };
        let (layout, fields) = (chunk.layout.clone(), std::mem::take(&mut scratch.fields));
        Pass {
            format,
            policies,
            chunk,
            scratch,
            layout,
            fields,
            values: Vec::new(),
            copied: 0,
            mark_len: 0,
            out,
            outcome,
        }
    }

    /// Returns the outcome, and gives the memory of `fields` back to `scratch` for the next chunk.
    pub fn finish(self) -> Outcome {
        self.scratch.fields = self.fields;
        self.outcome
    }

    /// Appends the bytes of the chunk from the end of the last output up to `end`.
    pub fn copy_to(&mut self, end: usize) {
        if !self.policies.quiet {
            self.out.extend_from_slice(&self.chunk.bytes()[self.copied..end]);
        }
        self.copied = end;
    }

    /// Returns true if a verb has a diagnostic that stops the job.
    pub fn stops(&self) -> bool {
        self.outcome.stats.effects.diagnostics.stops
    }

    /// Finds the fields of a record, and counts the record. If `looks_inside` is true, also checks that the records
    /// inside the fields are in the inner format.
    pub fn find_fields(&mut self, body: &[u8], looks_inside: bool) -> Kind {
        self.fields.clear();
        let kind = self.format.find_fields(body, &mut self.layout, &mut self.fields);
        // Most formats have left out the byte order mark. If the record is one field, it still has the mark.
        if self.mark_len > 0 && std::ptr::eq(body.as_ptr(), self.chunk.bytes().as_ptr()) {
            let whole = self.fields.iter_mut().filter(|field| field.range.start == 0);
            whole.for_each(|field| field.range.start = self.mark_len);
        }
        let kind = if looks_inside { self.kind_inside(kind, body) } else { kind };
        let kind = if self.is_blank(kind, body) { Kind::Comment } else { kind };
        self.outcome.fit.count(kind, &self.fields, self.format.schema().names.len());
        if kind == Kind::Comment && self.policies.tells_lines {
            self.outcome.fit.later.search_line(body);
        }
        let is_searched = self.policies.tells_unread && kind == Kind::Data && later::is_due(self.outcome.fit.inspected);
        if is_searched && later::has_url(body, &self.fields) {
            self.outcome.fit.later.search(self.format, body);
        }
        kind
    }

    /// Counts a record if one of its values can't be read. An example is XML with an unknown reference. `cut` and `grep` leave out
    /// this value.
    pub fn count_unread(&mut self, kind: Kind, body: &[u8]) {
        let rules = &self.format.schema().rules;
        let is_unread = |field: &Field| {
            let (wrap, raw) = (rules[field.rule].wrap, &body[field.range.clone()]);
            // All other values can be read.
            let may_fail = match wrap {
                Wrap::Json => memchr(b'\\', raw).is_some(),
                Wrap::Xml { is_ascii } => is_ascii || memchr(b'&', raw).is_some(),
                _ => false,
            };
            may_fail && wrap.read(raw).is_none()
        };
        self.outcome.fit.unread += u64::from(kind == Kind::Data && self.fields.iter().any(is_unread));
    }

    /// Returns true if a record is only a blank line, which counts like a comment. A format may also read a blank line as data.
    fn is_blank(&self, kind: Kind, body: &[u8]) -> bool {
        kind == Kind::Unrecognized && self.format.framing() != Framing::Rows && body.trim_ascii().is_empty()
    }

    /// Returns the final kind of a record whose kind in the outer format is `kind`. If a field should hold a record of
    /// an inner format but holds other text, the kind is `Unrecognized`.
    fn kind_inside(&self, kind: Kind, body: &[u8]) -> Kind {
        let Some(inner) = self.format.inner().filter(|_| kind == Kind::Data) else { return kind };
        let is_inside = |field: &Field| {
            let record = self.format.schema().rules[field.rule].wrap.read(&body[field.range.clone()])?;
            let record = record.strip_suffix(b"\n").unwrap_or(&record);
            let kind = inner.find_fields(record, &mut inner.layout(), &mut Vec::new());
            let kind = if self.is_blank(kind, record) { Kind::Comment } else { kind };
            (kind != Kind::Unrecognized).then_some(())
        };
        if self.fields.iter().all(|field| is_inside(field).is_some()) { kind } else { Kind::Unrecognized }
    }

    /// Reads the values of the fields. Only bytes of the record from offset `first` on can change.
    pub fn read_values(&mut self, transforms: &[Transform], body: &'a [u8], first: usize) {
        let asked = self.format.schema().asked;
        self.values.clear();
        self.values.extend(self.fields.iter().map(|field| {
            let (raw, transform) = (&body[field.range.clone()], &transforms[field.rule]);
            match () {
                () if field.range.end < first => Value::unread(raw),
                // Context fields hold no URLs, so they never change.
                () if field.choice >= asked => transform.read_unchanged(raw),
                () => transform.read(raw, first.checked_sub(field.range.start)),
            }
        }));
    }

    /// Inspects the fields of a record and of the records inside these fields. Calls `also` for each of these records.
    pub fn inspect(
        &mut self,
        transforms: &[Transform],
        start: usize,
        body: &[u8],
        mut also: impl FnMut(&ReadRecord, &mut Scratch, &mut Vec<Attack>),
    ) {
        let Pass { format, fields, values, scratch, outcome: Outcome { stats, attacks, .. }, .. } = self;
        let escapes = stats.escapes;
        let record = ReadRecord { format: *format, body, fields, values, start, is_inside: false };
        record.each(transforms, &mut |record| {
            for (field, value) in record.fields.iter().zip(record.values) {
                if let Some((text, first)) = value.escaped() {
                    stats.inspect(text, first, record.start + field.range.start);
                }
            }
            also(record, scratch, attacks);
        });
        stats.dense(3 * (stats.escapes - escapes), body.len());
    }

    /// Inspects the fields of a record, if needed, and applies the policies.
    pub fn judge(&mut self, transforms: &[Transform], start: usize, body: &[u8]) -> Verdict {
        let Policies { on_error, on_utf8, inspect, .. } = *self.policies;
        if !inspect {
            return Verdict::Go;
        }
        let counts =
            |stats: &Stats| [findings::Kind::Malformed, findings::Kind::InvalidUtf8].map(|kind| stats.count(kind));
        let (before, found) = (counts(&self.outcome.stats), self.outcome.stats.found.len());
        self.inspect(transforms, start, body, |_, _, _| {});
        let stats = &self.outcome.stats;
        let after = counts(stats);
        let (bad, bad_utf8) = (after[0] > before[0], after[1] > before[1]);
        let stops = [
            (findings::Kind::Malformed, bad && on_error == Policy::Fail),
            (findings::Kind::InvalidUtf8, bad_utf8 && on_utf8 == Policy::Fail),
        ];
        for (kind, _) in stops.into_iter().filter(|(_, stops)| *stops) {
            if let Some(found) = stats.found[found..].iter().find(|found| found.kind == kind) {
                return Verdict::Stop(found.clone());
            }
        }
        match bad && on_error == Policy::Skip || bad_utf8 && on_utf8 == Policy::Skip {
            true => Verdict::Skip,
            false => Verdict::Go,
        }
    }
}
