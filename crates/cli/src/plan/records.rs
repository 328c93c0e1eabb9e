//! Passes whole records to a verb. Skips records that can't affect the output of the verb.

use percent_simd_records::formats::Format;
use percent_simd_records::transform::{Spec, Transform};

use super::pass::Pass;
use super::walk::Walk;
use crate::record_verb::{RecordVerb, RecordView};

/// The plan for a verb that works on whole records.
pub struct Records {
    pub verb: Box<dyn RecordVerb>,
    transforms: Vec<Transform>,
}

impl Records {
    pub fn new(format: &dyn Format, spec: &Spec, verb: impl RecordVerb + 'static) -> Records {
        Records { verb: Box::new(verb), transforms: Transform::all(spec, format) }
    }

    pub fn run(&self, pass: &mut Pass) {
        let (chunk, format) = (pass.chunk, pass.format);
        let bytes = chunk.bytes();
        let mut candidates = std::mem::take(&mut pass.scratch.candidates);
        candidates.clear();
        let is_selective = self.verb.find_candidates(bytes, &mut pass.scratch.text, &mut candidates);
        let skips = is_selective && self.verb.skips();
        let mut walk = Walk::new(pass.format, pass.policies.is_strict, chunk, bytes, 0, skips);
        let mut rest = &candidates[..];
        let mut find = |done: usize| {
            while let [first, after @ ..] = rest
                && first.end <= done
            {
                rest = after;
            }
            match is_selective {
                true => rest.first().map_or(bytes.len(), |first| first.start.max(done)),
                false => done,
            }
        };
        loop {
            let is_header = pass.layout.header;
            let Some(step) = walk.next(is_header, &mut find) else { break };
            let is_candidate = step.first.is_some();
            if !walk.inspects() && skips && !is_candidate && !is_header {
                pass.outcome.fit.is_sample = true;
                continue;
            }
            let whole = &bytes[step.start..][..step.record.len];
            let body = &whole[..step.record.body];
            let kind = pass.find_fields(body, true);
            pass.count_unread(kind, body);
            let (start, transforms) = (step.start, &self.transforms[..]);
            let view = RecordView { start, whole, body, kind, fields: &pass.fields, transforms, format };
            self.verb.visit(&view, is_candidate, pass.out, &mut pass.outcome.marks);
        }
        pass.outcome.fit.is_sample |= walk.has_skipped;
        pass.scratch.candidates = candidates;
    }
}
