//! Replaces the values of fields, one record after the other.

use std::ops::Range;
use std::sync::Arc;

use percent_simd_records::formats::Kind;
use percent_simd_records::framing::{Framing, Record};
use percent_simd_records::guard::Guard;
use percent_simd_records::transform::{Effects, Transform};
use percent_simd_records::verb::VerbConfig;

use super::beside::Beside;
use super::pass::{Pass, Verdict};
use super::walk::{Filter, Walk};
use crate::chunk::Stop;

/// The plan that replaces fields.
pub struct Fields {
    pub transforms: Vec<Transform>,
    pub filter: Filter,
    pub results: Results,
    /// The verb, if it has diagnostics.
    pub verb: Option<Arc<VerbConfig>>,
}

/// The place of the results.
pub enum Results {
    InPlace,
    Beside(Beside),
    /// The results are dropped, because only findings are reported.
    Nowhere,
}

impl Fields {
    /// Returns the bytes that stay escaped in a record that is one field.
    pub fn guard(&self) -> &Guard {
        self.transforms[0].guard()
    }

    /// Processes the records in `range` of the chunk, one by one.
    pub fn each(&self, pass: &mut Pass, range: Range<usize>) -> Option<Stop> {
        let bytes = &pass.chunk.bytes()[..range.end];
        let is_rows = pass.format.framing() == Framing::Rows;
        let mut walk = Walk::new(pass.format, pass.policies.is_strict, pass.chunk, bytes, range.start, true);
        pass.copied = range.start;
        // The offset of the next byte that can change a record, or the length of `bytes` if there is none.
        let mut wanted = None;
        let mut find = |done: usize| {
            let find = || self.filter.find(&bytes[done..]).map_or(bytes.len(), |len| done + len);
            *wanted.insert(wanted.filter(|at| *at >= done).unwrap_or_else(find))
        };
        loop {
            let is_header = pass.layout.header;
            let Some(step) = walk.next(is_header, &mut find) else { break };
            let end = step.start + step.record.len;
            let first = step.first.filter(|first| self.filter.is_needed(&bytes[step.start + first..end]));
            let first = first.or(is_header.then_some(0));
            // A RowBinary row that is cut off must be reported even if it has no escape.
            let may_be_cut = is_rows && end == bytes.len();
            if !walk.inspects() && first.is_none() && !may_be_cut {
                pass.outcome.fit.is_sample = true;
                continue;
            }
            let misfits = pass.outcome.fit.misfits();
            let stop = self.record(pass, step.start, step.record, first);
            if stop.is_some() || pass.stops() {
                return stop;
            }
            if pass.outcome.fit.misfits() > misfits {
                // If one record isn't in the format, later records often aren't in the format either. So we inspect all
                // records from here on.
                walk.inspect_all();
            }
        }
        pass.outcome.fit.is_sample |= walk.has_skipped;
        pass.copy_to(bytes.len());
        None
    }

    /// Processes the record at `start`. Returns a reason if the job has to stop. Only bytes from `first` on can change;
    /// if `first` is `None`, the record is only compared with its format. This method may leave the unchanged bytes at
    /// the end of the record for a later copy.
    fn record(&self, pass: &mut Pass, start: usize, record: Record, first: Option<usize>) -> Option<Stop> {
        let whole = &pass.chunk.bytes()[start..start + record.len];
        let (body, end) = whole.split_at(record.body);
        // A field can hold a record of another format, as in `cri:combined`. If fields are rewritten, the transform checks these
        // inner records. Otherwise `find_fields` checks them.
        let kind = pass.find_fields(body, first.is_none());
        let stop = match (kind, first) {
            (Kind::Data, None) | (Kind::Comment, _) => None,
            (Kind::Data, Some(first)) => {
                pass.values.clear();
                if pass.policies.inspect || matches!(self.results, Results::Beside(_)) {
                    pass.read_values(&self.transforms, body, first);
                }
                match pass.judge(&self.transforms, start, body) {
                    Verdict::Go => self.rewrite(pass, start, body, end, first),
                    Verdict::Skip => {
                        pass.outcome.stats.skipped += 1;
                        pass.copy_to(start);
                        pass.copied = start + record.len;
                        None
                    }
                    Verdict::Stop(found) => Some(Stop::Found(found)),
                }
            }
            (Kind::Header, _) => {
                pass.copy_to(start + record.body);
                if let Results::Beside(beside) = &self.results {
                    beside.push_header(pass);
                }
                None
            }
            (Kind::Unrecognized, _) => {
                pass.outcome.stats.effects.unrecognized += u64::from(first.is_some());
                (pass.format.framing() == Framing::Rows).then_some(Stop::Row(start))
            }
        };
        if stop.is_some() {
            pass.copy_to(start);
        }
        stop
    }

    /// Rewrites the record at `start`, whose fields have been found.
    fn rewrite(&self, pass: &mut Pass, start: usize, body: &[u8], end: &[u8], first: usize) -> Option<Stop> {
        if self.verb.is_some() {
            pass.copy_to(start);
        }
        let before = pass.out.len();
        let Effects { unrecognized, unread, .. } = pass.outcome.stats.effects;
        let stop = match &self.results {
            Results::Nowhere => None,
            Results::Beside(beside) => beside.push(&self.transforms, pass, start, body),
            Results::InPlace => {
                self.replace(pass, start, body, first);
                None
            }
        };
        let effects = &mut pass.outcome.stats.effects;
        let (unrecognized, unread) = (effects.unrecognized - unrecognized, effects.unread - unread);
        pass.outcome.fit.unread += u64::from(unread > 0);
        pass.outcome.fit.unrecognized += u64::from(unread == 0 && unrecognized > 0);
        let skips = std::mem::take(&mut effects.diagnostics.skips);
        let record_end = start + body.len() + end.len();
        if pass.format.framing() == Framing::Paragraphs && end.is_empty() && body.ends_with(b"\n") {
            // An empty line ends a group of lines. If the input ends without this line, we add a line end.
            pass.copy_to(record_end);
            pass.out.push(b'\n');
        }
        if skips {
            pass.out.truncate(before);
            pass.copied = record_end;
        }
        stop
    }

    /// Replaces the values of the fields that end at or after `first`. Reads the values if they have not been read yet.
    fn replace(&self, pass: &mut Pass, start: usize, body: &[u8], first: usize) {
        let bytes = pass.chunk.bytes();
        let effects = &mut pass.outcome.stats.effects;
        for (number, field) in pass.fields.iter().enumerate().filter(|(_, field)| field.range.end >= first) {
            let transform = &self.transforms[field.rule];
            let raw = &body[field.range.clone()];
            let fresh;
            let value = match pass.values.get(number) {
                Some(value) => value,
                None => {
                    fresh = transform.read(raw, first.checked_sub(field.range.start));
                    &fresh
                }
            };
            let at = start + field.range.start;
            let diagnostics = effects.diagnostics.list.len();
            if transform.rewrite(&bytes[pass.copied..at], value, &mut pass.scratch.text, pass.out, effects) {
                pass.copied = start + field.range.end;
            }
            let width = transform.is_verbatim().then_some(raw.len());
            effects.diagnostics.place(diagnostics, at, width);
        }
    }
}
