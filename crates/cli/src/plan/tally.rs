//! Counts the requests of a log.

use std::borrow::Cow;

use percent_simd::Plus;
use percent_simd_records::formats::{Field, Format, Kind, Parts, Schema, innermost, rows};
use percent_simd_records::framing::Framing;
use percent_simd_records::transform::{Action, ReadRecord, Spec, Transform};

use super::pass::Pass;
use super::walk::Walk;
use crate::chunk::Stop;
use crate::tally::{Attack, By, Column, Request, Shared, Tally as Counter};

/// The plan that counts requests in a summary.
pub struct Tally {
    pub shared: Shared,
    by: Option<By>,
    columns: Vec<Column>,
    transforms: Vec<Transform>,
}

impl Tally {
    /// Returns the plan for requests in `format`. If `is_named` is true, the user chose the fields, so their values are
    /// counted too. If `by` is `Some`, the requests are grouped.
    pub fn new(format: &dyn Format, shared: Shared, is_named: bool, by: Option<By>) -> Tally {
        let inner = innermost(format);
        let columns = Column::all(inner.as_deref().unwrap_or(format), is_named);
        let spec = Spec::of(Action::Decode { plus: Plus::Never });
        Tally { shared, by, columns, transforms: Transform::all(&spec, format) }
    }

    pub fn run(&self, pass: &mut Pass) -> Option<Stop> {
        let bytes = pass.chunk.bytes();
        let mut walk = Walk::new(pass.format, pass.policies.is_strict, pass.chunk, bytes, 0, false);
        while let Some(step) = walk.next(pass.layout.header, |done| done) {
            let body = &bytes[step.start..][..step.record.body];
            match pass.find_fields(body, true) {
                Kind::Data => {
                    pass.read_values(&self.transforms, body, 0);
                    let unread = u64::from(pass.values.iter().any(|value| value.text.is_none()));
                    pass.outcome.fit.unread += unread;
                    pass.outcome.stats.effects.unrecognized += unread;
                    let redacts = pass.policies.redacts;
                    pass.inspect(&self.transforms, step.start, body, |record, scratch, attacks| {
                        let new = || Counter::new(&self.shared, self.by, redacts);
                        self.count_record(record, scratch.tally.get_or_insert_with(new), attacks);
                    });
                }
                Kind::Unrecognized => {
                    pass.outcome.stats.effects.unrecognized += 1;
                    if pass.format.framing() == Framing::Rows {
                        return Some(Stop::Row(step.start));
                    }
                }
                Kind::Header | Kind::Comment => {}
            }
        }
        None
    }

    /// Counts the requests of a record. If it is inside a field, the place that we report for a value is the start of the field.
    fn count_record(&self, record: &ReadRecord, counter: &mut Counter, attacks: &mut Vec<Attack>) {
        let ReadRecord { format, body, fields, values, .. } = *record;
        let schema = format.schema();
        let mut count = |numbers: &mut dyn Iterator<Item = usize>| {
            let mut request = Request::default();
            for (field, text) in numbers.filter_map(|at| Some((&fields[at], values[at].text.as_deref()?))) {
                let (column, syntax) = (&self.columns[field.choice], schema.rules[field.rule].syntax);
                let offset = record.start + if record.is_inside { 0 } else { field.range.start };
                request.field(rank(schema, field), column, syntax, Cow::Borrowed(text), offset, counter);
            }
            request.count(counter, attacks);
        };
        // If a URL is in no part, the record is one request, and its parts belong to it.
        let is_one =
            |parts: &Parts| fields.iter().zip(parts).any(|(field, part)| field.choice < schema.asked && part.is_none());
        let Some(parts) = format.parts(body, fields).filter(|parts| !is_one(parts)) else {
            return count(&mut (0..fields.len()));
        };
        // A row with only context fields is no request. An example is the span of a database query.
        let is_request = |row: &&[(usize, usize)]| row.iter().any(|&(_, at)| fields[at].choice < schema.asked);
        for row in rows(&parts).chunk_by(|one, next| one.0 == next.0).filter(is_request) {
            count(&mut row.iter().map(|&(_, at)| at));
        }
    }
}

/// Returns the index of the field, or 0 if no field is more important than another.
fn rank(schema: &Schema, field: &Field) -> usize {
    if schema.is_text { 0 } else { field.choice }
}
