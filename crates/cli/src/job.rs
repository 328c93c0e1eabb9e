//! The work on an input: its format, its plan, and the places where it can be cut into chunks.

use std::collections::BTreeSet;

use memchr::{memchr, memrchr};
use percent_simd_records::formats::{self, Format};
use percent_simd_records::framing::{Framing, paragraph};
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::Spec;
use percent_simd_records::verb::VerbConfig;

use crate::chunk::{Chunk, Outcome, Scratch};
use crate::later;
use crate::plan::{BulkTransform, Plan, Policies, Records, Tally};
use crate::record_verb::RecordVerb;
use crate::redact::Scope;
use crate::tally::{By, Shared};

/// The work on an input.
pub struct Job {
    /// The name of the input.
    pub name: Vec<u8>,
    /// A message that is printed before the work starts.
    pub note: Option<String>,
    pub format: Box<dyn Format>,
    /// The fields that have a URL in the first records and aren't chosen.
    pub unread_at_first: BTreeSet<String>,
    policies: Policies,
    plan: Plan,
}

impl Job {
    /// Returns the job for `spec`; see [`Plan::choose`].
    ///
    /// # Errors
    ///
    /// Returns a message if the options can't be used with the format.
    pub fn new(
        format: Box<dyn Format>,
        spec: &Spec,
        bulk: Option<Box<dyn BulkTransform>>,
        to: Option<&str>,
        policies: Policies,
    ) -> Result<Job, String> {
        let (plan, policies) = Plan::choose(&*format, spec, bulk, to, policies)?;
        Ok(Job::of(format, plan, policies))
    }

    /// Returns the job that passes each record to `verb`.
    pub fn of_records(format: Box<dyn Format>, spec: &Spec, is_strict: bool, verb: impl RecordVerb + 'static) -> Job {
        let plan = Plan::Records(Records::new(&*format, spec, verb));
        Job::of(format, plan, Policies { is_strict, ..Policies::default() })
    }

    /// Returns the job that adds the counts of requests to `shared`. If `is_named` is true, the job also counts the
    /// values of the chosen fields. If `by` is `Some`, it also groups the requests, for example by hour.
    pub fn of_tally(
        format: Box<dyn Format>,
        shared: &Shared,
        is_named: bool,
        by: Option<By>,
        policies: Policies,
    ) -> Job {
        let plan = Plan::Tally(Tally::new(&*format, Shared::clone(shared), is_named, by));
        Job::of(format, plan, policies)
    }

    fn of(format: Box<dyn Format>, plan: Plan, policies: Policies) -> Job {
        Job { name: Vec::new(), note: None, format, unread_at_first: BTreeSet::new(), policies, plan }
    }

    /// Returns the verb that works on whole records, if the job has one.
    pub fn record_verb(&self) -> Option<&dyn RecordVerb> {
        self.plan.record_verb()
    }

    /// Returns the verb that reports diagnostics, if the job has one.
    pub fn verb(&self) -> Option<&VerbConfig> {
        self.plan.verb()
    }

    /// Returns the summary of requests, if this job writes one.
    pub fn tally(&self) -> Option<&Shared> {
        match &self.plan {
            Plan::Tally(tally) => Some(&tally.shared),
            _ => None,
        }
    }

    /// Returns true if a chunk is processed as a whole, not record by record. A record that is longer than a chunk is then processed
    /// in pieces.
    pub fn is_bulk(&self) -> bool {
        matches!(self.plan, Plan::Bulk(_)) && !self.policies.redacts
    }

    /// Hides passwords in the input and the output.
    pub fn redact(&mut self) {
        self.policies.redacts = true;
    }

    /// Reports URLs in fields that aren't chosen, if the format can find all fields of a single record. `head` is the start of the
    /// input. If `tells_lines` is true, also reports URLs in lines that are no records.
    pub fn tell_unread(&mut self, head: &[u8], tells_lines: bool) {
        self.policies.tells_lines = tells_lines && self.format.framing() == Framing::Lines;
        let is_single = matches!(self.format.framing(), Framing::Lines | Framing::Json) && !self.format.has_header();
        if is_single {
            let candidates = self.format.candidates(head);
            self.policies.tells_unread = !candidates.all.is_empty();
            self.unread_at_first = later::unread(candidates, &*self.format).collect();
        }
    }

    /// Returns the scope of passwords in the input, if passwords are hidden.
    pub fn redacted_input(&self) -> Option<Scope> {
        self.policies.redacts.then(|| Scope::of(&*self.format))
    }

    /// Returns the scope of passwords in the output, if passwords are hidden.
    pub fn redacted_output(&self) -> Option<Scope> {
        let table = self.record_verb().and_then(|verb| verb.table());
        self.redacted_input().map(|scope| table.map_or(scope, Scope::Field))
    }

    /// Returns true if records that are too long to be split into fields are missing in the output. Also returns true
    /// for a job that writes only a report, because the report lacks such records.
    pub fn skips_oversized(&self) -> bool {
        self.policies.quiet || self.tally().is_some() || self.record_verb().is_some_and(|verb| !verb.passes_oversized())
    }

    /// Returns true if places of findings are reported.
    pub fn reports_places(&self) -> bool {
        let fails = self.policies.on_error == Policy::Fail;
        self.policies.inspect || fails || self.verb().is_some() || self.record_verb().is_some()
    }

    /// Returns true if the job may stop with an error whose message needs a place, even if no places of findings are reported.
    pub fn may_stop(&self) -> bool {
        self.format.framing() == Framing::Rows || self.plan.may_lack_place()
    }

    /// Returns true if a very long record can be processed piece by piece, with the same result as the whole record.
    pub fn is_piecemeal(&self) -> bool {
        // A password must not be cut.
        let is_whole = self.format.is_whole() && self.record_verb().is_none() && !self.policies.redacts;
        let can_be_cut = || match (&self.plan, self.verb()) {
            (Plan::Bulk(_), _) => true,
            (_, Some(config)) => config.verb.decided(b"").is_some(),
            // Policies for errors, parts of URLs, and reports need whole records, so a record can't be cut. But a raw
            // input is a single record of any length, so it has to be cut.
            (_, None) => self.format.framing() == Framing::Raw,
        };
        is_whole && can_be_cut()
    }

    /// Returns true if every field is inspected.
    pub fn inspects(&self) -> bool {
        self.policies.inspect
    }

    /// Returns the number of places to report for each kind of finding.
    pub fn limit(&self) -> usize {
        self.policies.limit
    }

    /// Returns the length of the prefix of `bytes` that can be processed before the next bytes arrive. `bytes` is a piece of a long
    /// record. Earlier calls returned 0 for `bytes[..searched]`.
    pub fn decided(&self, bytes: &[u8], searched: usize) -> usize {
        if let Plan::Bulk(bulk) = &self.plan {
            return bulk.decided(bytes);
        }
        if let Some(end) = self.verb().and_then(|config| config.verb.decided(bytes)) {
            return end;
        }
        // We cut after a byte that can't be part of an escape (even of an escaped escape) or of a multi-byte UTF-8
        // sequence.
        bytes[searched..]
            .iter()
            .rposition(|byte| byte.is_ascii() && *byte != b'%' && !byte.is_ascii_hexdigit())
            .map_or(0, |at| searched + at + 1)
    }

    /// Returns the last offset in `bytes` where a chunk may end, or 0 if there is none. More bytes follow. Earlier calls returned 0
    /// for `bytes[..searched]`.
    pub fn cut(&self, bytes: &[u8], searched: usize) -> usize {
        match self.format.framing() {
            Framing::Raw => self.decided(bytes, searched),
            framing if framing.end().is_some_and(|end| memchr(end, &bytes[searched..]).is_none()) => 0,
            framing => framing.whole(bytes),
        }
    }

    /// `bytes` starts inside a record that is too long and is skipped. Returns the offset after the end of this record,
    /// or `None` if `bytes` doesn't contain this end.
    pub fn resume(&self, bytes: &[u8]) -> Option<usize> {
        match self.format.framing() {
            // The previous piece may have ended between the two line feeds that end the record.
            Framing::Paragraphs if bytes.starts_with(b"\n") => Some(1),
            Framing::Paragraphs => paragraph(bytes),
            framing => framing.end().and_then(|end| memchr(end, bytes)).map(|at| at + 1),
        }
    }

    /// Returns true if `bytes` ends inside a record.
    pub fn is_inside(&self, bytes: &[u8]) -> bool {
        self.format.framing().end().is_none_or(|end| memrchr(end, bytes) != Some(bytes.len().wrapping_sub(1)))
    }

    /// Processes `chunk`, and writes the output to `out`.
    pub fn run(&self, chunk: &Chunk, scratch: &mut Scratch, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        let mut outcome = self.plan.run(&*self.format, &self.policies, chunk, scratch, out);
        if self.policies.inspect {
            let bytes = chunk.bytes();
            outcome.stats.bytes = bytes.len() as u64;
            outcome.stats.records = match chunk.too_long {
                Some(is_first) => u64::from(is_first),
                None => {
                    let all = self.format.framing().count(bytes, chunk.last);
                    all.saturating_sub(self.format.others(formats::without_mark(bytes), &chunk.layout))
                }
            };
        }
        if self.policies.quiet {
            out.clear();
        }
        outcome
    }
}
