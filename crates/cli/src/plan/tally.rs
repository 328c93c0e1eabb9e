//! Counts the requests of a log.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use percent_simd::Plus;
use percent_simd_records::formats::{Field, Format, Kind, Parts, Schema, innermost, rows};
use percent_simd_records::framing::Framing;
use percent_simd_records::transform::{Action, ReadRecord, Spec, Transform};

use super::pass::Pass;
use super::walk::Walk;
use crate::chunk::Stop;
use crate::tally::{Attack, By, Column, Request, Shared, Tally as Counter, Time};

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
                    // A record inside a field may have its time outside of this field.
                    let is_timed = self.by.is_some_and(By::is_time);
                    let has_inner = is_timed && pass.format.inner().is_some();
                    let around = if has_inner { outside(&pass.fields, &(0..body.len()), |_| true) } else { Vec::new() };
                    pass.inspect(&self.transforms, step.start, body, |record, scratch, attacks| {
                        let new = || Counter::new(&self.shared, self.by, redacts);
                        self.count_record(record, body, &around, scratch.tally.get_or_insert_with(new), attacks);
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
    /// `outer` is the record with this field, and `around` has the parts of `outer` outside of it.
    fn count_record(
        &self,
        record: &ReadRecord,
        outer: &[u8],
        around: &[Range<usize>],
        counter: &mut Counter,
        attacks: &mut Vec<Attack>,
    ) {
        let ReadRecord { format, body, fields, values, .. } = *record;
        let schema = format.schema();
        let time_around = OnceCell::new();
        let mut count = |numbers: &mut dyn Iterator<Item = usize>, part: Range<usize>| {
            let mut request = Request::default();
            for (field, text) in numbers.filter_map(|at| Some((&fields[at], values[at].text.as_deref()?))) {
                let (column, syntax) = (&self.columns[field.choice], schema.rules[field.rule].syntax);
                let offset = record.start + if record.is_inside { 0 } else { field.range.start };
                request.field(rank(schema, field), column, syntax, Cow::Borrowed(text), offset, counter);
            }
            if self.by.is_some_and(By::is_time) && request.lacks_time() {
                // A client chooses the text of a URL.
                let here = outside(fields, &part, |field| field.choice < schema.asked);
                let time = here.into_iter().find_map(|range| Time::find(&body[range]));
                let outer_time = || around.iter().find_map(|range| Time::find(&outer[range.clone()]));
                request.time_without_field(time.or_else(|| time_around.get_or_init(outer_time).clone()));
            }
            request.count(counter, attacks);
        };
        // If a URL is in no part, the record is one request, and its parts belong to it.
        let is_one =
            |parts: &Parts| fields.iter().zip(parts).any(|(field, part)| field.choice < schema.asked && part.is_none());
        let Some(parts) = format.parts(body, fields, false).filter(|parts| !is_one(parts)) else {
            return count(&mut (0..fields.len()), 0..body.len());
        };
        // A row with only context fields is no request. An example is the span of a database query.
        let is_request = |row: &&[(usize, usize)]| row.iter().any(|&(_, at)| fields[at].choice < schema.asked);
        for row in rows(&parts).chunk_by(|one, next| one.0 == next.0).filter(is_request) {
            let part = parts[row[0].1].clone().unwrap_or(0..body.len());
            count(&mut row.iter().map(|&(_, at)| at), part);
        }
    }
}

/// Returns the ranges of `part` between the fields for which `is_left_out` returns true. `fields` are in ascending order.
fn outside(fields: &[Field], part: &Range<usize>, is_left_out: impl Fn(&&Field) -> bool) -> Vec<Range<usize>> {
    let mut from = part.start;
    let mut all = Vec::new();
    // A document has many parts, so we look only at the fields of this part.
    let first = fields.partition_point(|field| field.range.start < part.start);
    for field in fields[first..].iter().take_while(|field| field.range.start < part.end).filter(is_left_out) {
        all.push(from..field.range.start.max(from));
        from = from.max(field.range.end);
    }
    all.push(from..part.end.max(from));
    all
}

/// Returns the index of the field, or 0 if no field is more important than another.
fn rank(schema: &Schema, field: &Field) -> usize {
    if schema.is_text { 0 } else { field.choice }
}
