//! The plans for the records of an input. Only [`Plan::choose`] decides which options can be combined.
//!
//! | plan | granularity | used for |
//! | --- | --- | --- |
//! | [`Bulk`](Plan::Bulk) | chunk by chunk | `decode` and `encode`, if every record is one field |
//! | [`Lines`](Plan::Lines) | many lines at once, then single lines | verbs with diagnostics, if every line is one field |
//! | [`Fields`](Plan::Fields) | field by field | `decode`, `encode` and verbs with diagnostics, in all other cases |
//! | [`Records`](Plan::Records) | record by record | verbs that choose or rewrite records |
//! | [`Tally`](Plan::Tally) | record by record | `stats` |

mod beside;
mod bulk;
mod fields;
mod lines;
mod pass;
mod policies;
mod records;
mod tally;
mod walk;

use std::sync::Arc;

use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::formats::{Format, without_mark};
use percent_simd_records::framing::Framing;
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Spec, Transform};
use percent_simd_records::verb::VerbConfig;

use self::beside::Beside;
pub use self::bulk::BulkTransform;
use self::fields::{Fields, Results};
use self::lines::Lines;
use self::pass::Pass;
pub use self::policies::Policies;
pub use self::records::Records;
pub use self::tally::Tally;
use self::walk::Filter;
use crate::chunk::{Chunk, LONGEST, Outcome, Scratch};
use crate::record_verb::RecordVerb;

/// The way to process the records of an input.
pub enum Plan {
    Bulk(Box<dyn BulkTransform>),
    Lines(Lines),
    Fields(Fields),
    Records(Records),
    Tally(Tally),
}

impl Plan {
    /// Chooses the plan for `spec`, and completes the policies. `bulk` is used if whole chunks can be processed at once. If `to` is
    /// given, results are added beside their fields under this name. In `to`, the field's name replaces `{}`.
    ///
    /// # Errors
    ///
    /// Returns a message if the options can't be used with the format.
    pub fn choose(
        format: &dyn Format,
        spec: &Spec,
        bulk: Option<Box<dyn BulkTransform>>,
        to: Option<&str>,
        policies: Policies,
    ) -> Result<(Plan, Policies), String> {
        let beside = to.map(|to| Beside::new(format, to)).transpose()?;
        if spec.unescape_log && !format.has_log_escapes() {
            return Err("pct: --unescape-log is for logs that nginx or Apache writes; name one of their formats: \
                        clf, combined, nginx:... or apache:..."
                .into());
        }
        let is_whole = format.is_whole();
        let layers = spec.layers(format);
        let on_error = spec.on_error;
        let on_utf8 = spec.on_utf8.unwrap_or(if is_whole { Policy::Raw } else { Policy::Keep });
        let inspects = policies.inspect || on_error == Policy::Skip || matches!(on_utf8, Policy::Skip | Policy::Fail);
        let inspect = inspects || on_error == Policy::Fail;
        let policies = Policies { on_error, on_utf8, inspect, ..policies };
        let is_plain = is_whole && layers == 1 && spec.part.is_none() && beside.is_none();
        // Whole chunks can't be processed at once if a policy has to look at each field: `replace` for malformed
        // escapes, `fail` if the verb encodes, and every policy except `raw` for invalid UTF-8.
        let is_strict = on_error == Policy::Fail && matches!(spec.action, Action::Encode(_));
        let is_direct = on_error != Policy::Replace && on_utf8 == Policy::Raw && !inspects && !is_strict;
        if let (Some(bulk), Action::Decode { .. } | Action::Encode(_)) = (bulk, &spec.action)
            && is_plain
            && is_direct
        {
            return Ok((Plan::Bulk(bulk), Policies { inspect: false, ..policies }));
        }
        let transforms = Transform::all(spec, format);
        let verb = match &spec.action {
            Action::Verb(config) => Some(Arc::clone(config)),
            _ => None,
        };
        let is_unwanted =
            policies.quiet && verb.is_none() && layers == 1 && transforms.iter().all(Transform::is_verbatim);
        let filter = if beside.is_some() { Filter::ALL } else { Filter::of(format, spec) };
        let results = match beside {
            _ if is_unwanted => Results::Nowhere,
            Some(beside) => Results::Beside(beside),
            None => Results::InPlace,
        };
        let fields = Fields { transforms, filter, results, verb: verb.clone() };
        let plan = match verb {
            Some(config) if is_plain && format.framing() == Framing::Lines && !policies.inspect => {
                Plan::Lines(Lines { config, fields })
            }
            _ => Plan::Fields(fields),
        };
        Ok((plan, policies))
    }

    /// Returns the verb that reports diagnostics, if the plan has one.
    pub fn verb(&self) -> Option<&VerbConfig> {
        match self {
            Plan::Lines(lines) => Some(&lines.config),
            Plan::Fields(fields) => fields.verb.as_deref(),
            Plan::Bulk(_) | Plan::Records(_) | Plan::Tally(_) => None,
        }
    }

    /// Returns the verb that works on whole records, if the plan has one.
    pub fn record_verb(&self) -> Option<&dyn RecordVerb> {
        match self {
            Plan::Records(records) => Some(&*records.verb),
            _ => None,
        }
    }

    /// Returns true if the plan adds a member to each object. The job stops at an object that already has a member of
    /// the same name.
    pub fn may_lack_place(&self) -> bool {
        matches!(self, Plan::Fields(Fields { results: Results::Beside(Beside::Member(_)), .. }))
    }

    /// Returns false for `decode` and `encode`, which read bytes.
    fn reads_text(&self) -> bool {
        !matches!(self, Plan::Bulk(_) | Plan::Fields(Fields { verb: None, .. }))
    }

    /// Processes `chunk`, and appends the output to `out`.
    pub fn run(
        &self,
        format: &dyn Format,
        policies: &Policies,
        chunk: &Chunk,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Outcome {
        let mut pass = Pass::new(format, policies, chunk, scratch, out);
        let is_lines = matches!(format.framing(), Framing::Lines | Framing::Paragraphs);
        if chunk.number == 0 && is_lines && self.reads_text() {
            pass.mark_len = chunk.bytes().len() - without_mark(chunk.bytes()).len();
        }
        if let Some(config) = self.verb() {
            pass.outcome.stats.effects.diagnostics.limit = config.limit;
        }
        if let Some(verb) = self.record_verb().filter(|_| chunk.number == 0) {
            verb.begin(pass.out);
        }
        let stop = match self {
            _ if chunk.too_long.is_some() => {
                self.pass_over(&mut pass);
                None
            }
            Plan::Bulk(bulk) => bulk::run(&**bulk, &mut pass),
            Plan::Lines(lines) => lines.run(&mut pass),
            Plan::Fields(fields) => fields.each(&mut pass, 0..chunk.bytes().len()),
            Plan::Records(records) => {
                records.run(&mut pass);
                None
            }
            Plan::Tally(tally) => tally.run(&mut pass),
        };
        pass.outcome.stop = stop;
        pass.finish()
    }

    /// Skips a piece of a record that is too long.
    fn pass_over(&self, pass: &mut Pass) {
        let is_first = pass.chunk.too_long == Some(true);
        pass.outcome.stats.oversized += u64::from(is_first);
        let keeps = match (self.record_verb(), self.verb()) {
            (Some(verb), _) => verb.passes_oversized(),
            (None, Some(config)) => config.on_bad == Policy::Keep,
            (None, None) => true,
        };
        // If passwords are hidden, the piece is dropped. A password could be cut between two pieces, and then we might
        // not find it.
        if keeps && !pass.policies.redacts {
            pass.out.extend(pass.chunk.bytes());
        }
        if let Some(verb) = self.record_verb().filter(|_| is_first) {
            verb.visit_oversized(pass.out);
        }
        if let Some(config) = self.verb().filter(|_| is_first) {
            let mebibytes = LONGEST >> 20;
            let text = format!("the record is longer than {mebibytes} MiB, which is too long to process");
            let diagnostic = Diagnostic { kind: "too-long", ..Diagnostic::new(0, text) };
            pass.outcome.stats.effects.diagnostics.bad(diagnostic, config.on_bad);
        }
    }
}
