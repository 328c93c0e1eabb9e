//! Writes the output of chunks in the order of the input, and collects the places and counts of findings.

use std::io::{self, Write};

use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::place::{Place, Places};

use super::{RunError, Worker, lock};
use crate::chunk::{Chunk, Outcome, Stop};
use crate::compress::Compression;
use crate::findings::{Fit, KINDS, Located, Stats};
use crate::job::Job;
use crate::record_verb::Turn;
use crate::redact;
use crate::report::Report;

/// The number of bytes that we keep from the start of an input. If the input isn't in the given format, we use these bytes to
/// suggest a better format.
const HEAD: usize = 16 * 1024;

/// The destination of the output, and its compression.
pub struct Sink<'a> {
    pub to: &'a mut (dyn Write + Send),
    pub compression: Option<Compression>,
    /// The line end that the last record of the previous input lacks. We write this line end before the next output.
    pub owed_end: Option<u8>,
    /// The report that gets the places of findings.
    pub report: Option<&'a mut Report>,
}

impl<'a> Sink<'a> {
    /// Returns a sink without a report.
    #[cfg(test)]
    pub fn new(to: &'a mut (dyn Write + Send), compression: Option<Compression>) -> Sink<'a> {
        Sink { to, compression, owed_end: None, report: None }
    }

    /// Writes the owed line end, then `text`, which isn't compressed yet.
    pub fn write_text(&mut self, text: Vec<u8>) -> io::Result<()> {
        let packed = self.packed(text);
        self.write(&packed)
    }

    /// Returns `text`, compressed if needed.
    fn packed(&self, text: Vec<u8>) -> Vec<u8> {
        match self.compression {
            Some(compression) if !text.is_empty() => {
                let mut packed = Vec::new();
                compression.member(&text, &mut packed);
                packed
            }
            _ => text,
        }
    }

    /// Writes the owed line end, then `out`, which is already compressed.
    fn write(&mut self, out: &[u8]) -> io::Result<()> {
        if let Some(end) = self.owed_end.take_if(|_| !out.is_empty()) {
            let mut packed = Vec::new();
            match self.compression {
                Some(compression) => compression.member(&[end], &mut packed),
                None => packed.push(end),
            }
            self.to.write_all(&packed)?;
        }
        self.to.write_all(out)?;
        self.to.flush()
    }
}

/// The result of a run over one input.
pub struct RunResult {
    pub stats: Stats,
    pub fit: Fit,
    /// The start of the input.
    pub head: Vec<u8>,
    /// The last byte of the output before compression.
    pub last_byte: Option<u8>,
    /// The first few diagnostics of a verb.
    pub diagnostics: Vec<(Place, Diagnostic)>,
    pub diagnosed: u64,
    /// The line of the first record that is too long, if the job [reports places](Job::reports_places).
    pub oversized_line: Option<u64>,
    pub error: Option<RunError>,
}

/// The part of the work that the threads do in the order of the chunks: writing the output and adding up the counts.
pub struct OrderedWriter<'a, 'b> {
    pub next: u64,
    pub sink: &'a mut Sink<'b>,
    pub place: Place,
    /// The number of places reported so far for each kind of finding.
    pub reported: [usize; KINDS.len()],
    pub ran: RunResult,
}

impl OrderedWriter<'_, '_> {
    /// Writes the output of the next chunk. Returns true if the run should go on.
    pub fn take(&mut self, job: &Job, worker: &Worker, outcome: &Outcome) -> bool {
        let Worker { chunk, out, .. } = worker;
        self.next = chunk.number + 1;
        let (ordered, goes_on) = self.ordered(job, worker, outcome);
        let last_byte = ordered.as_ref().map_or(worker.last_byte, |text| text.last().copied());
        let listed = ordered.or_else(|| self.listed(job, chunk, outcome)).map(|text| self.sink.packed(text));
        let out = listed.as_deref().unwrap_or(out);
        let mut written = self.sink.write(out);
        self.ran.last_byte = last_byte.or(self.ran.last_byte);
        self.ran.fit.add(&outcome.fit);
        if chunk.number == 0 && !job.format.is_whole() {
            self.ran.head = chunk.bytes()[..chunk.len.min(HEAD)].to_vec();
        }
        let place_of = |at| Places::new(self.place, chunk.bytes()).at(at);
        match &outcome.stop {
            Some(Stop::Row(at)) => self.ran.error = Some(RunError::Row(place_of(*at))),
            Some(Stop::Taken(at, text)) => self.ran.error = Some(RunError::Taken(place_of(*at), text.clone())),
            Some(Stop::Found(_)) | None => {}
        }
        self.tally(job, chunk, outcome);
        if job.reports_places() {
            let located = self.locate(job, chunk, outcome);
            written = written.and(located);
        } else {
            self.ran.stats.oversized += outcome.stats.oversized;
            if job.may_stop() {
                self.place.advance(chunk.bytes());
            }
        }
        if let Err(error) = written {
            self.ran.error = Some(RunError::Write(error));
        }
        self.ran.error.is_none() && goes_on
    }

    /// Returns the output of a verb that needs the records in the order of the input, or `None` for any other verb. The
    /// `bool` is true if the run should go on.
    fn ordered(&self, job: &Job, worker: &Worker, outcome: &Outcome) -> (Option<Vec<u8>>, bool) {
        let Some(verb) = job.record_verb().filter(|verb| verb.is_ordered()) else { return (None, true) };
        if worker.chunk.too_long.is_some() {
            return (Some(worker.out.clone()), true);
        }
        let bytes = worker.chunk.bytes();
        let turn = Turn { name: &job.name, place: self.place, bytes, text: &worker.out, marks: &outcome.marks };
        let mut text = Vec::new();
        let goes_on = verb.write(&turn, &mut text);
        if let Some(scope) = job.redacted_output() {
            redact::redact(&mut text, scope, &mut Vec::new());
        }
        (Some(text), goes_on)
    }

    /// Adds the attacks and their places to the summary.
    fn tally(&self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let Some(shared) = job.tally().filter(|_| !outcome.attacks.is_empty()) else { return };
        let mut attacks: Vec<_> = outcome.attacks.iter().collect();
        attacks.sort_by_key(|attack| attack.offset);
        let mut summary = lock(shared);
        let name = job.name.as_slice().into();
        let mut places = Places::new(self.place, chunk.bytes());
        for attack in attacks {
            summary.attack(&name, places.at(attack.offset), attack);
        }
    }

    /// If the verb lists its diagnostics, returns this list as the output.
    fn listed(&self, job: &Job, chunk: &Chunk, outcome: &Outcome) -> Option<Vec<u8>> {
        let config = job.verb().filter(|config| config.lists)?;
        let mut text = Vec::new();
        self.each_diagnostic(chunk, outcome, |place, diagnostic| {
            config.verb.list(&job.name, place, diagnostic, &mut text)
        });
        Some(text)
    }

    fn each_diagnostic(&self, chunk: &Chunk, outcome: &Outcome, mut each: impl FnMut(Place, &Diagnostic)) {
        let mut places = Places::new(self.place, chunk.bytes());
        for diagnostic in &outcome.stats.effects.diagnostics.list {
            each(places.at(diagnostic.offset), diagnostic);
        }
    }

    /// If the verb doesn't list its diagnostics, counts them, and keeps the first ones.
    fn diagnose(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) {
        let diagnostics = &outcome.stats.effects.diagnostics;
        self.ran.diagnosed += diagnostics.count;
        let Some(config) = job.verb().filter(|config| !config.lists) else { return };
        let mut located = Vec::new();
        self.each_diagnostic(chunk, outcome, |place, diagnostic| located.push((place, diagnostic.clone())));
        if let Some((place, diagnostic)) = located.pop_if(|_| diagnostics.stops) {
            self.ran.error = Some(RunError::Diagnosed(place, diagnostic));
        }
        located.truncate(config.limit.saturating_sub(self.ran.diagnostics.len()));
        self.ran.diagnostics.extend(located);
    }

    /// Reports the places of findings, and adds up the counts.
    fn locate(&mut self, job: &Job, chunk: &Chunk, outcome: &Outcome) -> io::Result<()> {
        let bytes = chunk.bytes();
        let mut places = Places::new(self.place, bytes);
        let mut written = Ok(());
        for found in &outcome.stats.found {
            let reported = &mut self.reported[found.kind as usize];
            if *reported < job.limit() {
                *reported += 1;
                let place = places.at(found.offset);
                if let Some(report) = self.sink.report.as_mut().filter(|_| written.is_ok()) {
                    written = report.place(&job.name, &Located { place, found: found.clone() });
                }
            }
        }
        self.diagnose(job, chunk, outcome);
        if outcome.stats.oversized > 0 {
            self.ran.oversized_line.get_or_insert(self.place.line);
        }
        if let Some(Stop::Found(found)) = &outcome.stop {
            let place = Places::new(self.place, bytes).at(found.offset);
            self.ran.error = Some(RunError::Malformed(Located { place, found: found.clone() }));
        }
        self.place.advance(bytes);
        self.ran.stats.add(&outcome.stats);
        written
    }
}
