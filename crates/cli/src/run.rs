//! Runs all inputs of a command, one after the other, and prints the messages about them.

mod destination;
mod doubles;
mod input;
mod messages;
mod misfits;
mod wide;

use std::io::{self, Cursor, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;
use percent_simd_records::formats::{self, Format, Guess, Name};
use percent_simd_records::transform::{Action, Spec};
use percent_simd_records::verb::VerbConfig;

use self::destination::{Destination, Output};
use self::doubles::doubles;
use self::input::{Input, Opener, Recognized};
pub use self::messages::report_error;
use self::messages::{print_counts, print_diagnostics};
use self::misfits::Misfits;
use crate::args::Streams;
use crate::compress::Compression;
use crate::inplace::{Batch, Plan, Replacement, Target, plan};
use crate::job::Job;
use crate::message::complain;
use crate::output::{check_standard_output, name_of, raw_name_of, report_failed, standard_output};
use crate::pipeline::{self, BLOCK, Blocks, RunError, RunResult, Sink, Source};
use crate::plan::Policies;
use crate::progress::Progress;
use crate::report::{Entry, Form, Report, When};
use crate::user_formats;

/// Puts `pct: ` before a message of the crate `percent-simd-records`.
pub fn with_program_name(message: String) -> String {
    format!("pct: {message}")
}

/// Makes the job for an input, whose format is the first argument. The second argument is `None` if the options are checked
/// before an input is read.
type Make<'a> = &'a dyn Fn(Box<dyn Format>, Option<Start>) -> Result<Job, String>;

/// The start of an input.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The name of the input for messages.
    pub name: &'a str,
    /// The first bytes.
    pub head: &'a [u8],
    /// If true, the input is a file or compressed. Otherwise it is a pipe, whose `head` may be short.
    pub may_wait: bool,
    /// If true, another input follows.
    pub has_next: bool,
}

/// An input and the destination of its result.
enum Task<'a> {
    /// A text of the command line, written to the output.
    Text(&'a Path),
    /// A file, written to the output.
    File(&'a Path),
    /// A file to replace, or the reason why it can't be replaced.
    Replace(PathBuf, io::Result<Target>),
}

/// How the work on an input ended. The number in a variant is the exit status.
enum Ended {
    Well,
    /// The whole input was processed, but parts of it were malformed or not in the format.
    WithRemarks(u8),
    /// The input was skipped, or not processed to its end. Later inputs are still processed.
    Badly(u8),
    /// An error stopped the work. Later inputs are not processed.
    Fatally(u8),
}

/// Makes a job for each input, and runs the job. Writes a report if the options ask for one. Returns the exit status.
pub fn run(streams: &Streams, make: Make) -> u8 {
    let form = streams.malformed.report.unwrap_or(Form::Text);
    let mut report = match streams.malformed.check {
        true => match report_to_output(&sources(streams.input.names()), form, streams.malformed.color) {
            Ok(report) => Some(report),
            Err(code) => return code,
        },
        false => streams.malformed.report.map(|form| Report::to_error(form, streams.malformed.color)),
    };
    let Ran { mut code, entries, .. } = all(streams, make, report.as_mut());
    let bad: u64 = entries.iter().map(|entry| entry.stats.bad()).sum();
    if let Some(report) = &mut report {
        code = code.max(finish(report, &entries, &serde_json::Map::new()));
        if streams.malformed.check {
            code = code.max(u8::from(bad > 0));
        }
    } else if streams.changes_malformed() && bad > 0 && !streams.input.quiet {
        print_counts(&entries);
    }
    code
}

/// Returns a report to standard output, or the exit status if standard output is one of the files that are read.
pub fn report_to_output(sources: &[PathBuf], form: Form, color: When) -> Result<Report, u8> {
    if let Err(message) = check_standard_output(sources) {
        complain(&message);
        return Err(2);
    }
    match standard_output() {
        Ok(output) => Ok(Report::to_output(output, form, color)),
        Err(error) => Err(report_error("standard output", &RunError::Write(error))),
    }
}

/// Ends a report. Adds the members `more` to a report in JSON. Returns the exit status.
pub fn finish(report: &mut Report, entries: &[Entry], more: &serde_json::Map<String, serde_json::Value>) -> u8 {
    let finished = report.finish(entries, more);
    finished.map_or_else(|error| report_error("the report", &RunError::Write(error)), |()| 0)
}

/// Runs a verb on all inputs. Returns the exit status.
pub fn run_verb(streams: &Streams, config: VerbConfig) -> u8 {
    let config = Arc::new(config);
    run(streams, &|format, _| verb_job(format, Arc::clone(&config), streams.fields.strict_format))
}

/// Returns a job that only runs a verb.
pub fn verb_job(format: Box<dyn Format>, config: Arc<VerbConfig>, is_strict: bool) -> Result<Job, String> {
    let policies = Policies { quiet: config.lists, is_strict, ..Policies::default() };
    Job::new(format, &Spec::of(Action::Verb(config)), None, None, policies)
}

/// The result of running all inputs.
pub struct Ran {
    /// The exit status.
    pub code: u8,
    /// The findings.
    pub entries: Vec<Entry>,
    /// If true, every input has been processed to its end.
    pub is_whole: bool,
}

/// Runs all inputs.
pub fn all(streams: &Streams, make: Make, report: Option<&mut Report>) -> Ran {
    let checked = streams.check().and_then(|()| match streams.format() {
        // We don't know the format before we read the input, so we can't check the options yet.
        format if is_open(&format) => Ok(()),
        format => make(formats::build(&format, &streams.fields.choice()).map_err(with_program_name)?, None).map(|_| ()),
    });
    let texts: Vec<PathBuf> = streams.texts.text.iter().map(PathBuf::from).collect();
    let files = if texts.is_empty() { streams.input.names() } else { &[] };
    let planned = checked.and_then(|()| {
        let plan = streams
            .placement
            .in_place
            .as_ref()
            .map(|suffix| plan(files, &user_formats::files(), suffix.as_deref().unwrap_or_default()));
        Ok((plan.transpose().map_err(with_program_name)?, Output::open(streams, files)?))
    });
    let (plan, mut output) = match planned {
        Ok(planned) => planned,
        Err(message) => {
            complain(&message);
            return Ran { code: 2, entries: Vec::new(), is_whole: false };
        }
    };
    let to_stdout = matches!(output.place, Destination::Standard) && streams.has_output();
    let progress = Progress::new(files, to_stdout);
    let mut all = All {
        streams,
        make,
        progress: &progress,
        opener: Opener { streams, progress: &progress },
        report,
        entries: Vec::new(),
        has_next: false,
        owed_end: None,
        batch: Batch::default(),
    };
    let mut code = 0;
    let tasks: Vec<Task> = match plan {
        _ if !texts.is_empty() => texts.iter().map(|text| Task::Text(text)).collect(),
        Some(Plan { targets, notes }) => {
            notes.iter().filter(|_| !streams.input.quiet).for_each(|note| complain(&format!("pct: {note}")));
            targets.into_iter().map(|(file, target)| Task::Replace(file, target)).collect()
        }
        None => files.iter().map(|file| Task::File(file)).collect(),
    };
    let mut tasks = tasks.into_iter();
    while let Some(task) = tasks.next() {
        all.has_next = tasks.len() > 0;
        let ended = match task {
            Task::Text(text) => all.text(text, &mut output),
            Task::File(file) => all.file(file, &mut output),
            Task::Replace(file, target) => all.in_place(&file, target),
        };
        match ended {
            Ended::Well => {}
            Ended::WithRemarks(status) => code = code.max(status),
            Ended::Badly(status) => {
                code = code.max(status);
                output.is_whole = false;
            }
            Ended::Fatally(status) => {
                code = code.max(status);
                output.is_whole = false;
                break;
            }
        }
    }
    progress.finish();
    code = code.max(report_failed(all.batch.commit()));
    let is_whole = output.is_whole;
    Ran { code: code.max(output.finish()), entries: all.entries, is_whole }
}

/// Returns the format of `file` and its first bytes, or the exit status if the format is unknown.
pub fn look(streams: &Streams, file: &Path) -> Result<(Guess, Vec<u8>), u8> {
    let progress = Progress::new(&[], true);
    let opener = Opener { streams, progress: &progress };
    let name = name_of(file);
    let mut input = opener.open(file).map_err(|error| report_error(&name, &RunError::Open(error)))?;
    let Recognized { guess, masked } = opener.recognize(&name, &mut input)?;
    Ok((guess, masked.unwrap_or(input.head)))
}

struct All<'a> {
    streams: &'a Streams,
    make: Make<'a>,
    progress: &'a Progress,
    opener: Opener<'a>,
    report: Option<&'a mut Report>,
    entries: Vec<Entry>,
    /// If true, another input follows.
    has_next: bool,
    /// The line end that the last written record lacks.
    owed_end: Option<u8>,
    /// Replacements that are not yet renamed over their files.
    batch: Batch,
}

impl<'a> All<'a> {
    /// Processes a file, and writes its result to the output.
    fn file(&mut self, file: &Path, output: &mut Output) -> Ended {
        let name = name_of(file);
        match self.opener.open(file) {
            Ok(input) => self.input(&name, raw_name_of(file), input, &mut *output.to, output.compression),
            Err(error) => {
                let may_be_text = error.kind() == ErrorKind::NotFound && self.streams.takes_texts;
                let ended = Ended::Badly(report_error(&name, &RunError::Open(error)));
                if may_be_text && looks_like_text(file) {
                    complain("pct: if this is a text and not a file name, write --text in front of it");
                }
                ended
            }
        }
    }

    /// Processes a text of the command line, and writes its result and a line end to the output.
    fn text(&mut self, text: &Path, output: &mut Output) -> Ended {
        let bytes = text.as_os_str().as_encoded_bytes();
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let (blocks, compression, wide, error) = (None, None, None, None);
        let input = Input { reader, blocks, compression, wide, may_wait: true, head: Vec::new(), error };
        self.owed_end = None;
        let ended = self.input("<text>", b"<text>", input, &mut *output.to, None);
        let ends_well = matches!(ended, Ended::Well | Ended::WithRemarks(_));
        let end = if self.streams.input.null { b'\0' } else { b'\n' };
        let has_end = bytes.ends_with(&[end]) && !self.streams.keeps_texts_whole;
        if !ends_well || !self.streams.has_output() || self.streams.is_raw() || has_end {
            return ended;
        }
        match output.to.write_all(&[end]) {
            Ok(()) => ended,
            Err(error) => Ended::Fatally(report_error("<text>", &RunError::Write(error))),
        }
    }

    /// Processes a file, and replaces it with the result.
    fn in_place(&mut self, file: &Path, target: io::Result<Target>) -> Ended {
        self.owed_end = None;
        let opened = target.and_then(|target| {
            let old = target.open()?;
            let replacement = Replacement::of(&target, &old)?;
            Ok((replacement, self.opener.open_file(old)?))
        });
        let (mut replacement, input) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ended::Badly(report_failed(vec![(file.to_path_buf(), error)])),
        };
        let name = name_of(file);
        let compression = self.streams.output.compress.or(input.compression);
        let ended = self.input(&name, raw_name_of(file), input, replacement.file(), compression);
        if !matches!(ended, Ended::Well) {
            complain(&format!("pct: {name} is left as it was"));
            return ended;
        }
        if let Some(compression) = compression.filter(|_| replacement.is_empty())
            && let Err(error) = compression.write_empty(replacement.file())
        {
            return Ended::Fatally(report_error(&name, &RunError::Write(error)));
        }
        match report_failed(self.batch.push(replacement)) {
            0 => Ended::Well,
            code => Ended::Badly(code),
        }
    }

    /// Processes an input. `name` is its name for messages, and `raw_name` its name for other programs.
    fn input(
        &mut self,
        name: &str,
        raw_name: &[u8],
        mut input: Input,
        to: &mut (dyn Write + Send),
        compression: Option<Compression>,
    ) -> Ended {
        let format = self.streams.format();
        // An empty input has no format, so it accepts every name of a field.
        let is_empty = input.head.is_empty() && is_open(&format);
        let recognized = match is_empty {
            true => Ok(Recognized { guess: Guess::of(format), masked: None }),
            false => self.opener.recognize(name, &mut input),
        };
        let Recognized { guess, masked } = match recognized {
            Ok(found) => found,
            Err(code) => return Ended::Badly(code),
        };
        let head = masked.as_deref().unwrap_or(&input.head);
        let choice = guess.complete(&self.streams.fields.choice());
        let named = if is_empty { any_fields(!choice.fields.is_empty()) } else { guess.name.clone() };
        let built = formats::build(&named, &choice).map_err(with_program_name).and_then(|format| {
            let has_cells = choice.words || self.streams.to().is_some();
            if let Some(what) = format.mismatch(head, self.streams.to(), has_cells) {
                return Err(format!("pct: {name} has {what}"));
            }
            // If each field gets a cell, the cells of doubles would be empty.
            let is_named = has_cells && !self.streams.fields.field.is_empty();
            let double = if is_named { doubles(&guess.name, &choice, &*format, head) } else { Vec::new() };
            match double.first() {
                Some(&(owner, other)) => Err(format!(
                    "pct: {name} is skipped: `{}` and `{}` are the same field; choose only one of them",
                    choice.fields[owner], choice.fields[other]
                )),
                None => Ok(format),
            }
        });
        let start = Start { name, head, may_wait: input.may_wait, has_next: self.has_next };
        let mut job = match built.and_then(|format| (self.make)(format, Some(start))) {
            Ok(job) => job,
            Err(message) => {
                complain(&message);
                return Ended::Badly(2);
            }
        };
        job.name = raw_name.to_vec();
        if self.streams.input.redact {
            job.redact();
        }
        if self.streams.fields.field.is_empty() && !self.streams.input.quiet {
            // Later lines are reported only if `auto` chose the format, no message told of the first lines, and no option forbids
            // lines of another form.
            let is_found = guess.name != self.streams.format() && guess.doubts.outside.records == 0;
            let is_strict = self.streams.fields.strict_format || self.streams.to().is_some();
            job.tell_unread(head, is_found && !is_strict);
        }
        if let Some(note) = job.note.as_ref().filter(|_| !self.streams.input.quiet) {
            complain(&format!("pct: {name}: {note}"));
        }
        let fills = input.may_wait || compression.is_some();
        let file_blocks = input.blocks.take();
        let reader = input.into_reader();
        let blocks = file_blocks.as_ref().map(|blocks| blocks as &dyn Blocks);
        let source = Source::new(reader, &job, BLOCK, fills).with_blocks(blocks);
        if let Some(report) = &mut self.report
            && let Err(error) = report.begin()
        {
            return Ended::Fatally(report_error("the report", &RunError::Write(error)));
        }
        let mut sink = Sink { to, compression, owed_end: self.owed_end, report: self.report.as_deref_mut() };
        let RunResult { stats, fit, head, last_byte, diagnostics, diagnosed, oversized_line, error } =
            pipeline::run(source, &job, &mut sink, self.streams.threads());
        // A verb writes the ends of its own records, and of its last text.
        let mut has_own_end = job.record_verb().is_some_and(|verb| verb.table().is_some());
        let mut last_byte = last_byte;
        if let Some(verb) = job.record_verb().filter(|_| error.is_none()) {
            let mut text = Vec::new();
            verb.end(raw_name, &mut text);
            has_own_end |= !text.is_empty();
            last_byte = text.last().copied().or(last_byte);
            if let Err(error) = sink.write_text(text) {
                return Ended::Fatally(report_error(name, &RunError::Write(error)));
            }
        }
        let separator = job.format.framing().separator().filter(|_| !has_own_end);
        self.owed_end = match last_byte {
            Some(last) => separator.filter(|&end| end != last),
            None => sink.owed_end,
        };
        if diagnosed > 0 && !job.verb().is_some_and(|config| config.lists) {
            self.progress.finish();
            print_diagnostics(name, &job, &diagnostics, diagnosed, error.is_some());
        }
        let (format, head) = (&guess.name, &head[..]);
        let misfits =
            Misfits { name, format, choice: &choice, job: &job, fit: &fit, stats: &stats, oversized_line, head };
        // If a RowBinary row is cut off, `report_error` prints the only message.
        let is_misfit = !matches!(error, Some(RunError::Row(_))) && self.print_misfits(&misfits);
        let stats_oversized = stats.oversized;
        let entry = Entry { name: raw_name.to_vec(), format: guess.name.text().into_owned(), stats };
        if let Some(report) = &mut self.report
            && let Err(error) = report.end(&entry)
        {
            return Ended::Fatally(report_error("the report", &RunError::Write(error)));
        }
        if job.inspects() {
            self.entries.push(entry);
        }
        match error {
            // The exit status shows that a record was left out. Otherwise `--in-place` would lose the record without an
            // error, and an incomplete search would seem to be complete.
            None if stats_oversized > 0 && (self.streams.input.redact || job.skips_oversized()) => {
                Ended::WithRemarks(2)
            }
            None if is_misfit && self.streams.fields.strict_format => Ended::WithRemarks(2),
            None if diagnosed > 0 => Ended::WithRemarks(1),
            None => Ended::Well,
            Some(error) => {
                self.progress.finish();
                let code = report_error(name, &error);
                match error {
                    RunError::Write(_) | RunError::Malformed(_) | RunError::Diagnosed(..) => Ended::Fatally(code),
                    RunError::Open(_) | RunError::Read(_) | RunError::Row(_) | RunError::Taken(..) => {
                        Ended::Badly(code)
                    }
                }
            }
        }
    }

    /// Prints a line for each mismatch between the input and the options. Returns true if there is a mismatch.
    fn print_misfits(&self, misfits: &Misfits) -> bool {
        let lines = misfits.lines(self.streams.fields.field.is_empty());
        if !self.streams.input.quiet {
            self.progress.finish();
            let remarks = lines.iter().map(String::as_str).chain(misfits.header_alone());
            remarks.for_each(|line| complain(&format!("pct: {}: {line}", misfits.name)));
        }
        !lines.is_empty()
    }
}

/// Returns true if the format is recognized by the first lines of an input.
fn is_open(format: &Name) -> bool {
    matches!(format, Name::Auto { .. } | Name::Nested(_, None) | Name::Inside { inner: None, .. })
}

/// Returns a format for an empty input. If `has_names` is true, it accepts all names of fields.
fn any_fields(has_names: bool) -> Name {
    Name::parse(if has_names { "ndjson" } else { "text" }, &[]).unwrap_or(Name::LINES)
}

/// Returns all files that are read: the inputs, and the files that define formats.
pub fn sources(inputs: &[PathBuf]) -> Vec<PathBuf> {
    [inputs, &user_formats::files()].concat()
}

/// Writes `text` to standard output. Returns the exit status.
pub fn print(text: impl AsRef<[u8]>) -> u8 {
    standard_output()
        .and_then(|mut output| output.write_all(text.as_ref()))
        .map_or_else(|error| report_error("standard output", &RunError::Write(error)), |()| 0)
}

/// Returns true if a file name has characters that are rare in file names but frequent in texts to encode or decode.
fn looks_like_text(name: &Path) -> bool {
    let bytes = name.as_os_str().as_encoded_bytes();
    !bytes.is_ascii() || bytes.iter().any(|byte| b"% ?=&+#".contains(byte)) || memmem::find(bytes, b"://").is_some()
}
