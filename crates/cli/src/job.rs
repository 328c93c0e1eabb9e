//! Processes a chunk of records: the one place where formats, transforms and reports meet.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr2, memchr3, memrchr};
use percent_simd::Plus;
use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::formats::{ExtraField, Field, Format, Kind, Layout, json_each_key, json_push};
use percent_simd_records::framing::{Framing, Record};
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Spec, Transform, unwrapped};
use percent_simd_records::verb::VerbConfig;

use crate::findings::{self, Fit, Found, Stats};
use crate::record_verb::{Mark, RecordVerb, RecordView};
use crate::tally::{self, Attack, Column, Request, Tally};

/// So many bytes of lines are handed to a verb at once, unless one line has more.
const WINDOW: usize = 16 * 1024;

/// So many of them are dealt with line by line, if one of them holds a finding.
const FEW: usize = 512;

/// The longest record whose fields are looked for; a longer one stays as it is.
pub const LONGEST: usize = 8 << 20;

/// The chunks of which all records are compared with their format, escapes or not, and the bytes of others of which one record is.
const INSPECTED_CHUNKS: u64 = 4;
const INSPECTED_EVERY: usize = 32 * 1024;

/// Works on all bytes of a chunk at once, where every record is one field and nothing is asked about single ones.
pub trait BulkTransform: Send + Sync {
    /// Appends to `out` what comes of `bytes`, which start in a query or not; the offset where it is malformed, if that
    /// is not to be: what comes before it has been appended then.
    fn run(&self, bytes: &[u8], in_query: bool, scratch: &mut Scratch, out: &mut Vec<u8>) -> Result<(), usize>;

    /// Length of `bytes`, the middle of a long record, without what the next bytes might change the meaning of.
    fn decided(&self, bytes: &[u8]) -> usize;
}

/// Does nothing to chunks as a whole.
pub struct NoBulk;

impl BulkTransform for NoBulk {
    fn run(&self, _: &[u8], _: bool, _: &mut Scratch, _: &mut Vec<u8>) -> Result<(), usize> {
        Ok(())
    }

    fn decided(&self, bytes: &[u8]) -> usize {
        bytes.len()
    }
}

/// Memory that is used again from chunk to chunk.
#[derive(Default)]
pub struct Scratch {
    pub spaced: Vec<u8>,
    value: Vec<u8>,
    fields: Vec<Field>,
    tally: Option<Tally>,
    decoded: Vec<u8>,
    candidates: Vec<Range<usize>>,
}

/// How an input is dealt with.
pub struct Job {
    /// The name of the input.
    pub name: String,
    /// Something to be said of the input before it is dealt with.
    pub note: Option<String>,
    pub format: Box<dyn Format>,
    transforms: Vec<Transform>,
    bulk: Option<Box<dyn BulkTransform>>,
    verb: Option<Arc<VerbConfig>>,
    record_verb: Option<Box<dyn RecordVerb>>,
    extra_field: Option<(ExtraField, Vec<String>)>,
    filter: QuickFilter,
    /// Whether every field is looked at.
    inspect: bool,
    on_error: Policy,
    on_utf8: Policy,
    /// Places of each kind that are told.
    limit: usize,
    /// Whether nothing is to be written but the report.
    pub quiet: bool,
    is_strict: bool,
    /// Whether the verb may deal with many lines at once.
    takes_lines: bool,
    /// Whether what becomes of fields is not asked for.
    discards: bool,
    tally: Option<(tally::Shared, Vec<Column>)>,
}

/// Options of a job besides the transform.
#[derive(Default)]
pub struct JobOptions {
    /// Name for the results, which go beside the fields then; `{}` in it is the field's.
    pub to: Option<String>,
    /// Whether every field is looked at, and places of each kind are told up to the limit.
    pub inspect: bool,
    pub limit: usize,
    /// Whether nothing is to be written but the report.
    pub quiet: bool,
    /// Whether every record is compared with its format.
    pub is_strict: bool,
    /// The tally of what requests ask for, and whether the fields were named, so that their values count, too.
    pub tally: Option<(tally::Shared, bool)>,
}

/// Bytes without which a record stays as it is.
enum QuickFilter {
    /// None: every record is worked on.
    All,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
}

impl QuickFilter {
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match *self {
            QuickFilter::All => (!bytes.is_empty()).then_some(0),
            QuickFilter::One(a) => memchr(a, bytes),
            QuickFilter::Two(a, b) => memchr2(a, b, bytes),
            QuickFilter::Three(a, b, c) => memchr3(a, b, c, bytes),
        }
    }

    /// Whether a record has to be worked on that ends with `rest`, the first byte of which was found. A `?` stands for the `+`
    /// behind it.
    fn is_needed(&self, rest: &[u8]) -> bool {
        match *self {
            _ if rest.first() != Some(&b'?') => true,
            QuickFilter::Two(a, b'?') => memchr2(a, b'+', rest).is_some(),
            QuickFilter::Three(a, b'?', mark) => memchr3(a, b'+', mark, rest).is_some(),
            _ => true,
        }
    }
}

/// The records of a chunk that are compared with their format, though nothing in them asks for it.
struct Inspection {
    /// The next is the one that has this byte, or starts behind it.
    next: usize,
    /// How many bytes lie between one and the next.
    every: usize,
}

impl Inspection {
    /// Whether the record that ends at `end` is one of them; then the next is further on.
    fn pass(&mut self, end: usize) -> bool {
        let is_one = self.next < end;
        if is_one {
            self.next = end + self.every;
        }
        is_one
    }
}

/// Some records, or a piece of one, in the order of the input.
#[derive(Default)]
pub struct Chunk {
    pub buffer: Vec<u8>,
    /// Its start in the buffer, and its length; the bytes from its end up to `ahead` from its start are those that follow.
    pub start: usize,
    pub len: usize,
    pub ahead: usize,
    /// How many came before.
    pub number: u64,
    /// The columns as they are known at its start.
    pub layout: Layout,
    /// Whether it starts behind the `?` of a record that another chunk holds the start of.
    pub in_query: bool,
    /// Whether it is a piece of a record too long to be dealt with, and if so the first.
    pub too_long: Option<bool>,
    /// Whether there is no more to come.
    pub last: bool,
}

impl Chunk {
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.len]
    }
}

/// The result of a chunk, besides its output.
pub struct Outcome {
    pub stats: Stats,
    pub fit: Fit,
    pub attacks: Vec<Attack>,
    /// The reason to stop; the output before it has been written.
    pub stop: Option<Stop>,
    /// The marks of a verb for records.
    pub marks: Vec<Mark>,
}

/// A reason to end a job.
pub enum Stop {
    /// Something that a policy does not let pass.
    Found(Found),
    /// A row that is cut off, or whose length makes no sense, at this offset in the chunk.
    Row(usize),
    /// A field at this offset in the chunk whose result has the name of another member of its object; what is to be said.
    Taken(usize, String),
}

impl Job {
    pub fn new(
        format: Box<dyn Format>,
        spec: &Spec,
        bulk: Box<dyn BulkTransform>,
        options: JobOptions,
    ) -> Result<Job, String> {
        let is_whole = format.is_whole();
        let repeat = spec.repeat.unwrap_or(format.layers());
        let usual = if is_whole { Policy::Raw } else { Policy::Keep };
        let on_utf8 = spec.on_utf8.unwrap_or(usual);
        let is_verb = matches!(spec.action, Action::Verb(_));
        let takes_chunks = is_whole
            && repeat == 1
            && spec.part.is_none()
            && options.to.is_none()
            && on_utf8 == Policy::Raw
            && spec.on_error != Policy::Replace
            && !matches!(spec.action, Action::Normalize | Action::Verb(_));
        let inspect = options.inspect
            || spec.on_error == Policy::Skip
            || matches!(on_utf8, Policy::Skip | Policy::Fail)
            || spec.on_error == Policy::Fail && !takes_chunks;
        let is_plain = takes_chunks && !inspect;
        let extra_field = match &options.to {
            None => None,
            Some(to) => {
                let names = &format.plan().names;
                // Which columns there are is known only with the header, and which members with the record.
                let is_known = !format.has_header() && format.extra_field() != ExtraField::Member;
                if names.len() > 1 && !to.contains("{}") && is_known {
                    return Err(format!(
                        "pct: `--to {to}` is one name for {} fields; put {{}} in it for each one's own, as in --to '{{}}_decoded'",
                        names.len()
                    ));
                }
                if format.extra_field() == ExtraField::Nowhere {
                    return Err("pct: --to needs records that take another field; name a --format".into());
                }
                Some((format.extra_field(), names.iter().map(|name| to.replace("{}", name)).collect()))
            }
        };
        if spec.unescape_log && !format.has_log_escapes() {
            return Err("pct: --unescape-log is for logs as nginx and Apache write them; name one of their formats, \
                        clf, combined, nginx:... or apache:..."
                .into());
        }
        let mark = if spec.unescape_log { Some(b'\\') } else { format.mark() };
        // A `+` is a space after a `?` only. The filter looks for `?`, which is rarer: every date of a log has a `+` in it.
        let plus = match spec.action {
            Action::Decode { plus: Plus::Never } => None,
            _ if spec.keep.contains(b' ') => None,
            Action::Decode { plus: Plus::AfterQuery }
                if format.inner().is_none() && !format.plan().rules.iter().any(|rule| rule.syntax.is_query()) =>
            {
                Some(b'?')
            }
            _ => Some(b'+'),
        };
        let filter = match (&spec.action, plus, mark) {
            _ if extra_field.is_some() || options.tally.is_some() => QuickFilter::All,
            (Action::Encode(_) | Action::Verb(_), ..) => QuickFilter::All,
            (Action::Normalize, _, Some(mark)) | (_, None, Some(mark)) => QuickFilter::Two(b'%', mark),
            (Action::Normalize, _, None) | (_, None, None) => QuickFilter::One(b'%'),
            (_, Some(plus), Some(mark)) => QuickFilter::Three(b'%', plus, mark),
            (_, Some(plus), None) => QuickFilter::Two(b'%', plus),
        };
        let tally = options.tally.map(|(shared, is_named)| {
            let inner = format.inner();
            let format = inner.as_deref().unwrap_or(&*format);
            (shared, Column::all(&format.plan().names, format.plan().context_len(), is_named))
        });
        let transforms = Transform::all(spec, &*format, repeat);
        let takes_lines = is_whole
            && is_verb
            && format.framing() == Framing::Lines
            && !inspect
            && spec.part.is_none()
            && repeat == 1
            && extra_field.is_none();
        let discards = options.quiet && !is_verb && repeat == 1 && transforms.iter().all(Transform::is_verbatim);
        Ok(Job {
            transforms,
            name: String::new(),
            note: None,
            verb: match &spec.action {
                Action::Verb(config) => Some(Arc::clone(config)),
                _ => None,
            },
            record_verb: None,
            bulk: is_plain.then_some(bulk),
            extra_field,
            filter,
            inspect,
            on_error: spec.on_error,
            on_utf8,
            limit: options.limit,
            quiet: options.quiet,
            is_strict: options.is_strict,
            takes_lines,
            discards,
            tally,
            format,
        })
    }

    /// A job that hands its records to `verb`.
    pub fn of_records(
        format: Box<dyn Format>,
        spec: &Spec,
        is_strict: bool,
        verb: impl RecordVerb + 'static,
    ) -> Result<Job, String> {
        let options = JobOptions { is_strict, ..JobOptions::default() };
        let job = Job::new(format, spec, Box::new(NoBulk), options)?;
        Ok(Job { record_verb: Some(Box::new(verb)), bulk: None, ..job })
    }

    /// The verb for records, if the job has one.
    pub fn record_verb(&self) -> Option<&dyn RecordVerb> {
        self.record_verb.as_deref()
    }

    /// Whether long records are dealt with piece by piece, as they come.
    pub fn is_bulk(&self) -> bool {
        self.bulk.is_some()
    }

    /// Whether places are told.
    pub fn tells_places(&self) -> bool {
        self.inspect || self.on_error == Policy::Fail || self.verb.is_some() || self.record_verb.is_some()
    }

    /// Whether it may stop at a place though places are not told.
    pub fn may_stop(&self) -> bool {
        self.format.framing() == Framing::Rows || matches!(self.extra_field, Some((ExtraField::Member, _)))
    }

    /// The verb, if it is one with diagnostics.
    pub fn verb(&self) -> Option<&VerbConfig> {
        self.verb.as_deref()
    }

    /// Whether a record that is too long may be dealt with piece by piece.
    pub fn is_piecemeal(&self) -> bool {
        let is_whole = self.format.is_whole() && self.record_verb.is_none();
        is_whole && self.verb().is_none_or(|config| config.verb.decided(b"").is_some())
    }

    /// Whether what was stats is counted.
    pub fn inspects(&self) -> bool {
        self.inspect
    }

    /// The summary of what requests ask for, if that is wanted.
    pub fn tally(&self) -> Option<&tally::Shared> {
        self.tally.as_ref().map(|(shared, _)| shared)
    }

    /// Places of each kind that are told.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Length of the front of `bytes`, the middle of a long record, that can be dealt with by itself.
    pub fn decided(&self, bytes: &[u8]) -> usize {
        if let Some(bulk) = &self.bulk {
            return bulk.decided(bytes);
        }
        if let Some(end) = self.verb().and_then(|config| config.verb.decided(bytes)) {
            return end;
        }
        // No escape of an escape has anything else in it, nor is it part of a sequence of UTF-8.
        bytes
            .iter()
            .rposition(|byte| byte.is_ascii() && *byte != b'%' && !byte.is_ascii_hexdigit())
            .map_or(0, |at| at + 1)
    }

    /// Puts into `out` what comes of `chunk`.
    pub fn run(&self, chunk: &Chunk, scratch: &mut Scratch, out: &mut Vec<u8>) -> Outcome {
        out.clear();
        let bytes = chunk.bytes();
        let mut stats = Stats::new(self.limit);
        stats.effects.diagnostics.limit = self.verb().map_or(0, |config| config.limit);
        let mut fit = Fit::default();
        let mut attacks = Vec::new();
        let mut marks = Vec::new();
        if let Some(verb) = self.record_verb().filter(|_| chunk.number == 0) {
            verb.begin(out);
        }
        let stop = match (chunk.too_long, &self.bulk) {
            (Some(is_first), _) if self.record_verb.is_some() => {
                stats.oversized += u64::from(is_first);
                if self.record_verb().is_some_and(RecordVerb::passes_oversized) {
                    out.extend(bytes);
                }
                None
            }
            (Some(is_first), _) => {
                stats.oversized += u64::from(is_first);
                out.extend(bytes);
                if let Some(config) = self.verb() {
                    self.too_long(config, is_first, &mut stats);
                    if config.on_bad != Policy::Keep {
                        out.clear();
                    }
                }
                None
            }
            (None, Some(bulk)) => {
                let bad = bulk.run(bytes, chunk.in_query, scratch, out).err();
                bad.map(|at| malformed(&chunk.buffer[chunk.start..chunk.start + chunk.ahead], at))
            }
            (None, None) => {
                let layout = chunk.layout.clone();
                let records = Records {
                    job: self,
                    chunk,
                    copied: 0,
                    scratch,
                    out,
                    stats: &mut stats,
                    fit: &mut fit,
                    attacks: &mut attacks,
                    layout,
                };
                match self.record_verb() {
                    Some(verb) => records.visit(verb, &mut marks),
                    None => records.run(),
                }
            }
        };
        if self.inspect {
            stats.bytes = bytes.len() as u64;
            stats.records = match chunk.too_long {
                Some(is_first) => u64::from(is_first),
                None => {
                    let all = self.format.framing().count(bytes, chunk.last);
                    all.saturating_sub(self.format.others(bytes, &chunk.layout))
                }
            };
        }
        if self.quiet {
            out.clear();
        }
        Outcome { stats, fit, attacks, stop, marks }
    }

    fn too_long(&self, config: &VerbConfig, is_first: bool, stats: &mut Stats) {
        if is_first {
            let mebibytes = LONGEST >> 20;
            let text = format!("the record is longer than {mebibytes} MiB, too long to be dealt with");
            stats.effects.diagnostics.bad(Diagnostic { kind: "too-long", ..Diagnostic::new(0, text) }, config.on_bad);
        }
    }
}

fn malformed(bytes: &[u8], at: usize) -> Stop {
    Stop::Found(Found::new(findings::Kind::Malformed, at, &bytes[at..], 3))
}

/// A pass over the records of a chunk.
struct Records<'a> {
    job: &'a Job,
    chunk: &'a Chunk,
    /// Length of the front of the chunk of which all that comes has been written.
    copied: usize,
    scratch: &'a mut Scratch,
    out: &'a mut Vec<u8>,
    stats: &'a mut Stats,
    fit: &'a mut Fit,
    attacks: &'a mut Vec<Attack>,
    layout: Layout,
}

impl Records<'_> {
    fn run(mut self) -> Option<Stop> {
        let len = self.chunk.bytes().len();
        let Some(config) = self.job.verb().filter(|_| self.job.takes_lines) else { return self.each(0..len) };
        // Lines that hold a finding are dealt with one by one, and only the few around them.
        let mut done = 0;
        while done < len {
            let bytes = &self.chunk.bytes()[done..];
            let window = memrchr(b'\n', &bytes[..bytes.len().min(WINDOW)]).map(|at| at + 1);
            let end = done + window.or_else(|| memchr(b'\n', bytes).map(|at| at + 1)).unwrap_or(bytes.len());
            let stop = self.lines(config, done..end);
            if stop.is_some() || self.stats.effects.diagnostics.stops {
                return stop;
            }
            done = end;
        }
        None
    }

    /// Deals with the lines in a part of the chunk: all at once, or else each half of them so.
    fn lines(&mut self, config: &VerbConfig, range: Range<usize>) -> Option<Stop> {
        let lines = &self.chunk.bytes()[range.clone()];
        let guard = self.job.transforms[0].guard();
        if lines.ends_with(b"\n") && config.verb.apply_lines(lines, guard, self.out) {
            self.copied = range.end;
            return None;
        }
        let middle =
            memrchr(b'\n', &lines[..lines.len() / 2]).filter(|_| lines.len() > FEW).map(|at| range.start + at + 1);
        let Some(middle) = middle else { return self.each(range) };
        let stop = self.lines(config, range.start..middle);
        if stop.is_some() || self.stats.effects.diagnostics.stops {
            return stop;
        }
        self.lines(config, middle..range.end)
    }

    /// Deals with the records in a part of the chunk, one by one.
    fn each(&mut self, range: Range<usize>) -> Option<Stop> {
        let (bytes, framing) = (&self.chunk.bytes()[..range.end], self.job.format.framing());
        let is_local = framing.is_local(&bytes[range.start..]) && !matches!(self.job.filter, QuickFilter::All);
        let mut inspection = self.inspection(range.start);
        self.copied = range.start;
        let mut done = range.start;
        // The next byte for which a record has to be looked at, or the end.
        let mut wanted = None;
        while done < bytes.len() {
            // With its offset in the record.
            let (start, record, first) = if is_local && !self.layout.header {
                let find = || self.job.filter.find(&bytes[done..]).map_or(bytes.len(), |len| done + len);
                let at = wanted.filter(|at| *at >= done).unwrap_or_else(find);
                wanted = Some(at);
                let next = at.min(inspection.next.max(done));
                if next == bytes.len() {
                    break;
                }
                let (start, record) = framing.around(bytes, done, next);
                (start, record, (at < start + record.len).then(|| at - start))
            } else {
                let record = framing.first(&bytes[done..]);
                (done, record, self.job.filter.find(&bytes[done..done + record.len]))
            };
            done = start + record.len;
            let first = first.filter(|first| self.job.filter.is_needed(&bytes[start + first..done]));
            let first = first.or(self.layout.header.then_some(0));
            // A row that is cut off ends the chunk, with an escape or without.
            let may_be_cut = framing == Framing::Rows && done == bytes.len();
            if !inspection.pass(done) && first.is_none() && !may_be_cut {
                continue;
            }
            let unrecognized = self.fit.unrecognized;
            let stop = self.record(start, record, first);
            if stop.is_some() || self.stats.effects.diagnostics.stops {
                return stop;
            }
            if self.fit.unrecognized > unrecognized {
                // One that is not like its format is seldom the only one: from here on all are counted.
                inspection = Inspection { next: done, every: 0 };
            }
        }
        self.copy_to(bytes.len());
        None
    }

    /// Appends what stands between the end of what has been written and `end`.
    fn copy_to(&mut self, end: usize) {
        if !self.job.quiet {
            self.out.extend_from_slice(&self.chunk.bytes()[self.copied..end]);
        }
        self.copied = end;
    }

    /// Returns which of the records from `start` on are compared with their format, whatever is in them.
    fn inspection(&self, start: usize) -> Inspection {
        match self.chunk.number {
            _ if self.job.format.is_whole() => Inspection { next: usize::MAX, every: 0 },
            _ if self.job.is_strict => Inspection { next: start, every: 0 },
            ..INSPECTED_CHUNKS => Inspection { next: start, every: 0 },
            _ => Inspection { next: start, every: INSPECTED_EVERY },
        }
    }

    /// Hands the records to a verb, without those that cannot matter to it.
    fn visit(mut self, verb: &dyn RecordVerb, marks: &mut Vec<Mark>) -> Option<Stop> {
        let (bytes, framing) = (self.chunk.bytes(), self.job.format.framing());
        let mut candidates = std::mem::take(&mut self.scratch.candidates);
        candidates.clear();
        let is_selective = verb.find_candidates(bytes, &mut self.scratch.decoded, &mut candidates);
        let skips = is_selective && verb.skips();
        let is_local = skips && framing.is_local(bytes);
        let mut rest = &candidates[..];
        let mut inspection = self.inspection(0);
        let mut fields = std::mem::take(&mut self.scratch.fields);
        let mut done = 0;
        while done < bytes.len() {
            while let [first, after @ ..] = rest
                && first.end <= done
            {
                rest = after;
            }
            let (start, record) = if is_local && !self.layout.header {
                let next = rest.first().map_or(bytes.len(), |first| first.start).min(inspection.next).max(done);
                if next == bytes.len() {
                    break;
                }
                framing.around(bytes, done, next)
            } else {
                (done, framing.first(&bytes[done..]))
            };
            done = start + record.len;
            let is_candidate = !is_selective || rest.first().is_some_and(|first| first.start < done);
            if !inspection.pass(done) && skips && !is_candidate && !self.layout.header {
                continue;
            }
            let whole = &bytes[start..done];
            let body = &whole[..record.body];
            fields.clear();
            let kind = self.job.format.fields(body, &mut self.layout, &mut fields);
            let kind = self.kind_inside(kind, body, &fields);
            self.fit.count(kind, &fields, self.job.format.plan().names.len());
            let transforms = &self.job.transforms[..];
            let view = RecordView { start, whole, body, kind, fields: &fields, transforms, framing };
            verb.visit(&view, is_candidate, self.out, marks);
        }
        self.scratch.fields = fields;
        self.scratch.candidates = candidates;
        None
    }

    /// Appends what comes of the record at `start`, of which nothing in front of `first` changes, and nothing at all if there is
    /// none; or says what to stop at. What stays as it is at its end may be left to be copied later.
    fn record(&mut self, start: usize, record: Record, first: Option<usize>) -> Option<Stop> {
        let whole = &self.chunk.bytes()[start..start + record.len];
        let (body, end) = whole.split_at(record.body);
        let mut fields = std::mem::take(&mut self.scratch.fields);
        fields.clear();
        let mut kind = self.job.format.fields(body, &mut self.layout, &mut fields);
        // A transform looks into the fields itself.
        if first.is_none() || self.job.tally.is_some() {
            kind = self.kind_inside(kind, body, &fields);
        }
        let mut stop = None;
        self.fit.count(kind, &fields, self.job.format.plan().names.len());
        let unrecognized = self.stats.effects.unrecognized;
        self.stats.effects.unrecognized += u64::from(first.is_some() && kind == Kind::Unrecognized);
        match (kind, first) {
            (Kind::Data, None) => {}
            (Kind::Data, _) if self.job.tally.is_some() => {
                self.judge(start, body, &fields);
                self.tally(start, body, &fields);
            }
            (Kind::Data, Some(first)) => match self.judge(start, body, &fields) {
                Verdict::Go => {
                    if self.job.verb.is_some() {
                        self.copy_to(start);
                    }
                    let before = self.out.len();
                    stop = self.data(start, body, &fields, first);
                    self.fit.unrecognized += u64::from(self.stats.effects.unrecognized > unrecognized);
                    let is_paragraph = self.job.format.framing() == Framing::Paragraphs;
                    if is_paragraph && end.is_empty() && body.ends_with(b"\n") {
                        // The last of the lines up to an empty one that is not there.
                        self.copy_to(start + record.len);
                        self.out.push(b'\n');
                    }
                    if std::mem::take(&mut self.stats.effects.diagnostics.skips) {
                        self.out.truncate(before);
                        self.copied = start + record.len;
                    }
                }
                Verdict::Skip => {
                    self.stats.skipped += 1;
                    self.copy_to(start);
                    self.copied = start + record.len;
                }
                Verdict::Stop(found) => stop = Some(Stop::Found(found)),
            },
            (Kind::Header, _) => {
                self.copy_to(start + record.body);
                if let Some((ExtraField::Column { header, .. }, names)) = &self.job.extra_field {
                    let layout = &self.layout;
                    for (_, name) in names.iter().enumerate().filter(|(choice, _)| layout.has(*choice)) {
                        self.out.extend(header.iter().copied().chain(name.bytes()));
                    }
                }
            }
            (Kind::Unrecognized, _) if self.job.format.framing() == Framing::Rows => stop = Some(Stop::Row(start)),
            (Kind::Comment | Kind::Unrecognized, _) => {}
        }
        if stop.is_some() {
            self.copy_to(start);
        }
        self.scratch.fields = fields;
        stop
    }

    /// Returns the kind of a record, which its format says is `kind`: if its fields hold records of another format that aren't of
    /// that, it isn't recognized either.
    fn kind_inside(&self, kind: Kind, body: &[u8], fields: &[Field]) -> Kind {
        let format = &self.job.format;
        let Some(inner) = format.inner().filter(|_| kind == Kind::Data) else { return kind };
        let is_inside = |field: &Field| {
            let record = unwrapped(format.plan().rules[field.rule].wrap, &body[field.range.clone()])?;
            let record = record.strip_suffix(b"\n").unwrap_or(&record);
            let kind = inner.fields(record, &mut inner.layout(), &mut Vec::new());
            (kind != Kind::Unrecognized).then_some(())
        };
        if fields.iter().all(|field| is_inside(field).is_some()) { kind } else { Kind::Unrecognized }
    }

    /// Looks at the fields of a record, if anybody wants to know.
    fn judge(&mut self, start: usize, body: &[u8], fields: &[Field]) -> Verdict {
        if !self.job.inspect {
            return Verdict::Go;
        }
        let before = (self.stats.count(findings::Kind::Malformed), self.stats.count(findings::Kind::InvalidUtf8));
        let (escapes, found) = (self.stats.escapes, self.stats.found.len());
        // The finding that stops the job is reported, however many came before.
        let fails = self.job.on_error == Policy::Fail || self.job.on_utf8 == Policy::Fail;
        self.stats.limit = if fails { usize::MAX } else { self.job.limit };
        let names = self.job.format.plan().asked;
        for field in fields {
            // Fields of the context hold no URLs.
            if field.choice >= names {
                continue;
            }
            let raw = &body[field.range.clone()];
            let value = memchr2(b'%', b'\\', raw).and_then(|_| self.job.transforms[field.rule].value(raw));
            if let Some(value) = value.filter(|value| memchr(b'%', value).is_some()) {
                self.stats.inspect(&value, start + field.range.start);
            }
        }
        self.stats.dense(3 * (self.stats.escapes - escapes), body.len());
        let new = |kind, before| self.stats.count(kind) > before;
        let (bad, bad_utf8) = (new(findings::Kind::Malformed, before.0), new(findings::Kind::InvalidUtf8, before.1));
        let stops = [
            (findings::Kind::Malformed, bad && self.job.on_error == Policy::Fail),
            (findings::Kind::InvalidUtf8, bad_utf8 && self.job.on_utf8 == Policy::Fail),
        ];
        for (kind, _) in stops.into_iter().filter(|(_, stops)| *stops) {
            if let Some(found) = self.stats.found[found..].iter().find(|found| found.kind == kind) {
                return Verdict::Stop(found.clone());
            }
        }
        if bad && self.job.on_error == Policy::Skip || bad_utf8 && self.job.on_utf8 == Policy::Skip {
            return Verdict::Skip;
        }
        Verdict::Go
    }

    /// Counts what a record asks for.
    fn tally(&mut self, start: usize, body: &[u8], fields: &[Field]) {
        let Some((shared, columns)) = &self.job.tally else { return };
        let tally = self.scratch.tally.get_or_insert_with(|| Tally::new(shared));
        let mut request = Request::default();
        let format = &self.job.format;
        let Some(inner) = format.inner() else {
            for field in fields {
                let rule = format.plan().rules[field.rule];
                let (column, offset) = (&columns[field.choice], start + field.range.start);
                if let Some(value) = unwrapped(rule.wrap, &body[field.range.clone()]) {
                    request.field(field.choice, column, rule.syntax, value, offset, tally);
                }
            }
            request.count(tally, self.attacks);
            return;
        };
        // The field is a record of another format, of which nothing more than its start can be said where it stands.
        for field in fields {
            let outer = unwrapped(format.plan().rules[field.rule].wrap, &body[field.range.clone()]);
            let Some(record) = outer else { continue };
            let (mut layout, mut inside) = (inner.layout(), Vec::new());
            inner.fields(record.strip_suffix(b"\n").unwrap_or(&record), &mut layout, &mut inside);
            let mut request = Request::default();
            for held in inside {
                let rule = inner.plan().rules[held.rule];
                if let Some(value) = unwrapped(rule.wrap, &record[held.range.clone()]) {
                    let offset = start + field.range.start;
                    request.field(held.choice, &columns[held.choice], rule.syntax, value, offset, tally);
                }
            }
            request.count(tally, self.attacks);
        }
    }

    /// Appends what comes of the fields of a record with data that are not in front of `first`, or says what to stop at.
    fn data(&mut self, start: usize, body: &[u8], fields: &[Field], first: usize) -> Option<Stop> {
        let job = self.job;
        if job.discards {
            return None;
        }
        let Some((extra, names)) = &job.extra_field else {
            for field in fields.iter().filter(|field| field.range.end >= first) {
                let transform = &job.transforms[field.rule];
                let at = start + field.range.start;
                let (before, raw) = (&self.chunk.bytes()[self.copied..at], &body[field.range.clone()]);
                let diagnostics = self.stats.effects.diagnostics.list.len();
                if transform.field(before, raw, &mut self.scratch.value, self.out, &mut self.stats.effects) {
                    self.copied = start + field.range.end;
                }
                let width = transform.is_verbatim().then_some(raw.len());
                self.stats.effects.diagnostics.place(diagnostics, at, width);
            }
            return None;
        };
        if *extra == ExtraField::Member {
            if let Some((at, text)) = taken(body, fields, names) {
                return Some(Stop::Taken(start + at, text));
            }
            for field in fields.iter().filter(|field| field.object.is_some()) {
                // Behind the quote that ends the string.
                self.copy_to(start + field.range.end + 1);
                self.out.extend(b",\"");
                json_push(&names[field.choice], self.out);
                self.out.extend(b"\":\"");
                let (raw, effects) = (&body[field.range.clone()], &mut self.stats.effects);
                job.transforms[field.rule].extra_field(raw, &mut self.scratch.value, self.out, effects);
                self.out.push(b'"');
            }
        }
        let ExtraField::Column { before, after, absent, .. } = extra else { return None };
        self.copy_to(start + body.len());
        for choice in (0..names.len()).filter(|&choice| self.layout.has(choice)) {
            self.out.extend(before);
            match fields.iter().find(|field| field.choice == choice) {
                Some(field) => {
                    let (raw, effects) = (&body[field.range.clone()], &mut self.stats.effects);
                    job.transforms[field.rule].extra_field(raw, &mut self.scratch.value, self.out, effects);
                }
                None => self.out.extend(absent.bytes()),
            }
            self.out.extend(after);
        }
        None
    }
}

/// The first of the `fields` of a record, each to be followed by a member with its name of `names`, beside which a member of
/// that name is or is to be, with what is to be said of it.
fn taken(record: &[u8], fields: &[Field], names: &[String]) -> Option<(usize, String)> {
    let (mut objects, mut there, mut new) = (HashSet::new(), HashSet::new(), HashSet::new());
    for field in fields {
        let Some(object) = field.object else { continue };
        if objects.insert(object) {
            json_each_key(record, object, |key| {
                if let Some(name) = names.iter().find(|name| name.as_bytes() == key) {
                    there.insert((object, name.as_str()));
                }
            });
        }
        let name = names[field.choice].as_str();
        let text = if there.contains(&(object, name)) {
            format!("the object has a member `{name}` already; name another with --to")
        } else if !new.insert((object, name)) {
            format!(
                "two results in one object would be `{name}`; put {{}} in --to for each field's own, or choose one with -f"
            )
        } else {
            continue;
        };
        return Some((field.range.start, text));
    }
    None
}

/// The decision on a record.
enum Verdict {
    Go,
    Skip,
    Stop(Found),
}

/// Returns where a chunk of `bytes` may end that is followed by more; 0 if nowhere.
pub fn cut(job: &Job, bytes: &[u8]) -> usize {
    match job.format.framing() {
        Framing::Raw => job.decided(bytes),
        framing => framing.whole(bytes),
    }
}

/// Returns where a record that is too long ends, its end of line included.
pub fn resume(job: &Job, bytes: &[u8]) -> Option<usize> {
    match job.format.framing() {
        // An empty line may be cut in two only where no other byte comes in between.
        Framing::Paragraphs if bytes.starts_with(b"\n") => Some(1),
        Framing::Paragraphs => percent_simd_records::framing::paragraph(bytes),
        framing => framing.end().and_then(|end| memchr(end, bytes)).map(|at| at + 1),
    }
}

/// Whether `bytes`, of the front of which records have been cut off, ends with part of one.
pub fn is_inside(job: &Job, bytes: &[u8]) -> bool {
    job.format.framing().end().is_none_or(|end| memrchr(end, bytes) != Some(bytes.len().wrapping_sub(1)))
}
