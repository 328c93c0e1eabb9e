//! All inputs of a command, one after the other, and what is said of them.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::memmem;
use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::formats::{self, Choice, Format, Guess, Name};
use percent_simd_records::place::Place;
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Spec};
use percent_simd_records::verb::VerbConfig;

use crate::args::{Fields, Lines, Streams};
use crate::chunk::LONGEST;
use crate::compress::{self, Compression};
use crate::findings::{Fit, Kind, Stats};
use crate::inplace::{Batch, Plan, Replacement, Target, plan};
use crate::job::Job;
use crate::message::complain;
use crate::output::{OutputFile, is_standard, name_of, say_failed, separate_standard_output};
use crate::pipeline::{self, BLOCK, Blocks, RunError, RunResult, Sink, Source};
use crate::plan::Options;
use crate::progress::{Counted, Progress};
use crate::record_verb::RecordVerb;
use crate::report::{Entry, Form, Report, When, commas};
use crate::user_formats;

/// So much of an input is read ahead to tell what it is.
const HEAD: usize = 64 * 1024;
/// So much, where a charset is guessed.
const FAR_HEAD: usize = 1 << 20;

/// A message of the formats, as one of `pct`.
pub fn of_pct(message: String) -> String {
    format!("pct: {message}")
}

/// Makes a job of a format, for an input that starts with these bytes.
type Make<'a> = &'a dyn Fn(Box<dyn Format>, &[u8]) -> Result<Job, String>;

/// An input, and what is known of it.
struct Input<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// The input as a file, if it is one that is not compressed.
    blocks: Option<FileBlocks<'a>>,
    compression: Option<Compression>,
    is_file: bool,
    /// Its first bytes, uncompressed; those of the reader come behind them.
    head: Vec<u8>,
}

/// An input, and where its result goes.
enum Task<'a> {
    /// A text of the command line, to the output.
    Text(&'a Path),
    /// A file, to the output.
    File(&'a Path),
    /// A file, by its name, to its own place; or why that is impossible.
    Replace(PathBuf, io::Result<Target>),
}

/// Why a file was left out, or an input not dealt with to its end; and whether there is any use in going on.
enum Ended {
    Well,
    /// It was dealt with to its end, but something in it was bad.
    WithRemarks(u8),
    Badly(u8),
    Fatally(u8),
}

/// All inputs, each through a job of its own, with a report for whoever wants one; the exit status.
pub fn run(streams: &Streams, make: Make) -> u8 {
    let form = streams.malformed.report.unwrap_or(Form::Text);
    let mut report = match streams.malformed.check {
        true => match report_to_output(streams, form, streams.malformed.color) {
            Ok(report) => Some(report),
            Err(code) => return code,
        },
        false => streams.malformed.report.map(|form| Report::to_error(form, streams.malformed.color)),
    };
    let (mut code, entries) = all(streams, make, report.as_mut());
    let bad: u64 = entries.iter().map(|entry| entry.stats.bad()).sum();
    if let Some(report) = &mut report {
        code = code.max(finish(report, &entries));
        if streams.malformed.check {
            code = code.max(u8::from(bad > 0));
        }
    } else if streams.says_counts() && bad > 0 && !streams.input.quiet {
        tell_counts(&entries);
    }
    code
}

/// Returns a report that goes to standard output, or the exit status if that is one of the inputs.
pub fn report_to_output(streams: &Streams, form: Form, color: When) -> Result<Report, u8> {
    if let Err(message) = separate_standard_output(&sources(streams.input.names())) {
        complain(&message);
        return Err(2);
    }
    match standard_output() {
        Ok(output) => Ok(Report::to_output(output, form, color)),
        Err(error) => Err(report_error("standard output", &RunError::Write(error))),
    }
}

/// Ends a report; the exit status.
pub fn finish(report: &mut Report, entries: &[Entry]) -> u8 {
    report.finish(entries).map_or_else(|error| report_error("the report", &RunError::Write(error)), |()| 0)
}

/// Like [`finish`], with more members where the report is JSON.
pub fn finish_with(report: &mut Report, entries: &[Entry], more: &serde_json::Map<String, serde_json::Value>) -> u8 {
    let finished = report.finish_with(entries, more);
    finished.map_or_else(|error| report_error("the report", &RunError::Write(error)), |()| 0)
}

/// Carries a verb out on all inputs; the exit status.
pub fn run_verb(lines: &Lines, fields: &Fields, make: impl Fn() -> VerbConfig) -> u8 {
    let streams = Streams {
        input: lines.input.clone(),
        output: lines.output.clone(),
        fields: fields.clone(),
        ..Streams::default()
    };
    run(&streams, &|format, _| verb_job(format, make(), fields.strict_format))
}

/// A job that does nothing but carry out a verb.
pub fn verb_job(format: Box<dyn Format>, config: VerbConfig, is_strict: bool) -> Result<Job, String> {
    let options = Options { quiet: config.lists, is_strict, ..Options::default() };
    Job::new(format, &Spec::of(Action::Verb(config.into())), None, &options)
}

/// All inputs; the exit status, and what was found.
pub fn all(streams: &Streams, make: Make, report: Option<&mut Report>) -> (u8, Vec<Entry>) {
    let checked = streams.check().and_then(|()| match streams.format() {
        // Errors in these are known only with the input.
        Name::Auto { .. } | Name::Nested(_, None) => Ok(()),
        format => make(formats::build(&format, &streams.fields.choice()).map_err(of_pct)?, b"").map(|_| ()),
    });
    let texts: Vec<PathBuf> = streams.texts.text.iter().map(PathBuf::from).collect();
    let files = if texts.is_empty() { streams.input.names() } else { &[] };
    let planned = checked.and_then(|()| {
        let plan = streams.placement.in_place.as_ref().map(|suffix| plan(files, suffix.as_deref().unwrap_or_default()));
        Ok((plan.transpose().map_err(of_pct)?, Output::open(streams, files)?))
    });
    let (plan, mut output) = match planned {
        Ok(planned) => planned,
        Err(message) => {
            complain(&message);
            return (2, Vec::new());
        }
    };
    let to_stdout = matches!(output.place, Destination::Standard) && streams.has_output();
    let progress = Progress::new(files, to_stdout);
    let mut all = All {
        streams,
        make,
        progress: &progress,
        report,
        entries: Vec::new(),
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
    for task in tasks {
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
    code = code.max(say_failed(all.batch.commit()));
    (code.max(output.finish()), all.entries)
}

/// The format of `file`, and its first bytes; or the exit status where there is none.
pub fn look(streams: &Streams, file: &Path) -> Result<(Guess, Vec<u8>), u8> {
    let progress = Progress::new(&[], true);
    let all = All {
        streams,
        make: &|_, _| Err("pct: nothing is written here".into()),
        progress: &progress,
        report: None,
        entries: Vec::new(),
        owed_end: None,
        batch: Batch::default(),
    };
    let name = name_of(file);
    let mut input = all.open(file).map_err(|error| report_error(&name, &RunError::Open(error)))?;
    all.recognize(&name, &mut input).map_err(|ended| match ended {
        Ended::Well => 0,
        Ended::WithRemarks(code) | Ended::Badly(code) | Ended::Fatally(code) => code,
    })
}

struct All<'a> {
    streams: &'a Streams,
    make: Make<'a>,
    progress: &'a Progress,
    report: Option<&'a mut Report>,
    entries: Vec<Entry>,
    /// The end of line that the last record written lacks.
    owed_end: Option<u8>,
    /// Files that are to be replaced.
    batch: Batch,
}

impl<'a> All<'a> {
    /// One file to the output.
    fn file(&mut self, file: &Path, output: &mut Output) -> Ended {
        let name = name_of(file);
        match self.open(file) {
            Ok(input) => self.input(&name, input, &mut *output.to, output.compression),
            Err(error) => {
                let may_be_text = error.kind() == ErrorKind::NotFound && self.streams.takes_texts;
                let ended = Ended::Badly(report_error(&name, &RunError::Open(error)));
                if may_be_text && looks_like_text(file) {
                    complain("pct: if that is a text, and no name of a file, write --text in front of it");
                }
                ended
            }
        }
    }

    /// One text of the command line to the output, and an end behind it.
    fn text(&mut self, text: &Path, output: &mut Output) -> Ended {
        let bytes = text.as_os_str().as_encoded_bytes();
        let reader = Box::new(Cursor::new(bytes.to_vec()));
        let input = Input { reader, blocks: None, compression: None, is_file: true, head: Vec::new() };
        self.owed_end = None;
        let ended = self.input("<text>", input, &mut *output.to, None);
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

    /// One file to its own place.
    fn in_place(&mut self, file: &Path, target: io::Result<Target>) -> Ended {
        self.owed_end = None;
        let opened = target.and_then(|target| {
            let old = target.open()?;
            let replacement = Replacement::of(&target, &old)?;
            Ok((replacement, self.open_file(old)?))
        });
        let (mut replacement, input) = match opened {
            Ok(opened) => opened,
            Err(error) => return Ended::Badly(say_failed(vec![(file.to_path_buf(), error)])),
        };
        let name = name_of(file);
        let compression = self.streams.output.compress.or(input.compression);
        let ended = self.input(&name, input, replacement.file(), compression);
        if !matches!(ended, Ended::Well) {
            complain(&format!("pct: {name} is left as it was"));
            return ended;
        }
        match say_failed(self.batch.push(replacement)) {
            0 => Ended::Well,
            code => Ended::Badly(code),
        }
    }

    /// Opens a file, or standard input, and whatever compresses it.
    fn open(&self, file: &Path) -> io::Result<Input<'a>> {
        if is_standard(file) { self.open_raw(standard_input()?, None) } else { self.open_file(File::open(file)?) }
    }

    fn open_file(&self, file: File) -> io::Result<Input<'a>> {
        let same = if file.metadata()?.is_file() { Some(file.try_clone()?) } else { None };
        self.open_raw(Box::new(file), same)
    }

    /// Opens an input, and whatever compresses it. `same` is the input as well, if it is a regular file.
    fn open_raw(&self, raw: Box<dyn Read + Send>, same: Option<File>) -> io::Result<Input<'a>> {
        let is_file = same.is_some();
        let progress = self.progress;
        let mut counted = Counted::new(raw, progress);
        if self.streams.format() == Name::Rows {
            // The length of a row may look like anything.
            let blocks = same.filter(|_| cfg!(unix)).map(|file| FileBlocks { file, progress });
            return Ok(Input { reader: Box::new(counted), blocks, compression: None, is_file, head: Vec::new() });
        }
        // A folder opens, but does not read: that is told when it is read.
        let (head, error) = match read_head(&mut counted, self.head_len(), compress::may_be) {
            Ok(head) => (head, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        let compression = Compression::of(&head);
        let Some(form) = compression else {
            self.refuse(&head)?;
            let blocks = same.filter(|_| cfg!(unix)).map(|file| FileBlocks { file, progress });
            let reader = Box::new(Failing(error).chain(counted));
            return Ok(Input { reader, blocks, compression, is_file, head });
        };
        let mut reader = form.reader(Box::new(Cursor::new(head).chain(counted)))?;
        let (head, error) = match read_head(&mut reader, self.head_len(), |_| false) {
            Ok(head) => (head, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        self.refuse(&head)?;
        Ok(Input { reader: Box::new(Failing(error).chain(reader)), blocks: None, compression, is_file, head })
    }

    /// How much of an input is read to tell what it is.
    fn head_len(&self) -> usize {
        if self.streams.looks_ahead { FAR_HEAD } else { HEAD }
    }

    /// Fails if what starts with `head` holds no text, and text is wanted.
    fn refuse(&self, head: &[u8]) -> io::Result<()> {
        match compress::foreign(head).filter(|_| !matches!(self.streams.format(), Name::Raw)) {
            Some(what) => Err(io::Error::other(format!("it is {what}"))),
            None => Ok(()),
        }
    }

    /// The format of an input, the fields that are to be worked on, and its first bytes.
    fn recognize(&self, name: &str, input: &mut Input) -> Result<(Guess, Vec<u8>), Ended> {
        let format = self.streams.format();
        let mut head = std::mem::take(&mut input.head);
        if !format.is_whole() {
            // The line that names the columns may come only with the next read.
            while !tells_names(&head) && head.len() < HEAD {
                match read_head(&mut input.reader, HEAD - head.len(), |_| false) {
                    Ok(more) if more.is_empty() => break,
                    Ok(more) => head.extend(more),
                    Err(error) => return Err(Ended::Badly(report_error(name, &RunError::Read(error)))),
                }
            }
        }
        let wrong = |message: String| {
            // Nothing else that could be said of it would help.
            let message = if is_utf16(&head) { format!("is left out: {UTF16}") } else { message };
            complain(&format!("pct: {name} {message}"));
            Ended::Badly(2)
        };
        let guess = user_formats::recognize(&format, &head).map_err(wrong)?;
        if guess.name != format && !self.streams.input.quiet {
            complain(&format!("pct: {name} is taken for {}", guess.name.text()));
        }
        Ok((guess, head))
    }

    fn input(
        &mut self,
        name: &str,
        mut input: Input,
        to: &mut (dyn Write + Send),
        compression: Option<Compression>,
    ) -> Ended {
        let (guess, head) = match self.recognize(name, &mut input) {
            Ok(found) => found,
            Err(ended) => return ended,
        };
        let asked = self.streams.fields.choice();
        let choice = match guess.choice {
            Some(guessed) if asked.fields.is_empty() => {
                Choice { header: asked.header.or(guessed.header), context: asked.context, ..guessed }
            }
            _ => asked,
        };
        let built = formats::build(&guess.name, &choice).map_err(of_pct).and_then(|format| {
            let mismatch = format.mismatch(&head, self.streams.placement.to.as_deref());
            mismatch.map_or(Ok(format), |what| Err(format!("pct: {name} has {what}")))
        });
        let mut job = match built.and_then(|format| (self.make)(format, &head)) {
            Ok(job) => job,
            Err(message) => {
                complain(&message);
                return Ended::Badly(2);
            }
        };
        job.name = name.to_string();
        if let Some(note) = job.note.as_ref().filter(|_| !self.streams.input.quiet) {
            complain(&format!("pct: {name}: {note}"));
        }
        let is_utf16 = is_utf16(&head) && !matches!(guess.name, Name::Raw | Name::Null | Name::Rows);
        let fills = input.is_file || compression.is_some();
        let reader = Cursor::new(head).chain(input.reader);
        let blocks = input.blocks.as_ref().map(|blocks| blocks as &dyn Blocks);
        let source = Source::new(reader, &job, BLOCK, fills).with_blocks(blocks);
        if let Some(report) = &mut self.report
            && let Err(error) = report.begin()
        {
            return Ended::Fatally(report_error("the report", &RunError::Write(error)));
        }
        let mut sink = Sink { to, compression, owed_end: self.owed_end, report: self.report.as_deref_mut() };
        let RunResult { stats, fit, head, last_byte, diagnostics, diagnosed, error } =
            pipeline::run(source, &job, &mut sink, self.streams.threads());
        let mut last_byte = last_byte;
        if let Some(verb) = job.record_verb().filter(|_| error.is_none()) {
            let mut text = Vec::new();
            verb.end(name, &mut text);
            last_byte = text.last().copied().or(last_byte);
            if let Err(error) = sink.write_text(text) {
                return Ended::Fatally(report_error(name, &RunError::Write(error)));
            }
        }
        let separator = job.format.framing().separator();
        self.owed_end = match last_byte {
            Some(last) => separator.filter(|&end| end != last),
            None => sink.owed_end,
        };
        if diagnosed > 0 && !job.verb().is_some_and(|config| config.lists) {
            self.progress.finish();
            tell_diagnostics(name, &job, &diagnostics, diagnosed, error.is_some());
        }
        let misfits = Misfits { name, format: &guess.name, job: &job, fit: &fit, stats: &stats, head: &head, is_utf16 };
        // Of a row that is cut off more is said below.
        let is_misfit = !matches!(error, Some(RunError::Row(_))) && self.tell_misfits(&misfits);
        let entry = Entry { name: name.to_string(), format: guess.name.text().into_owned(), stats };
        if let Some(report) = &mut self.report
            && let Err(error) = report.end(&entry)
        {
            return Ended::Fatally(report_error("the report", &RunError::Write(error)));
        }
        if job.inspects() {
            self.entries.push(entry);
        }
        match error {
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

    /// Says what of an input did not fit what was asked for, in a line each; whether anything did not.
    fn tell_misfits(&self, misfits: &Misfits) -> bool {
        let lines = misfits.lines(self.streams.fields.field.is_empty());
        if !self.streams.input.quiet {
            self.progress.finish();
            lines.iter().for_each(|line| complain(&format!("pct: {}: {line}", misfits.name)));
        }
        !lines.is_empty()
    }
}

/// Explains an input that is not in the format that was given.
struct Misfits<'a> {
    name: &'a str,
    format: &'a Name,
    job: &'a Job,
    fit: &'a Fit,
    stats: &'a Stats,
    head: &'a [u8],
    is_utf16: bool,
}

impl Misfits<'_> {
    /// Says what did not fit, and what would; `is_usual` if no field was named.
    fn lines(&self, is_usual: bool) -> Vec<String> {
        let Fit { inspected, unrecognized, ref with_field } = *self.fit;
        let format = self.format.text();
        if self.is_utf16 {
            return vec![UTF16.to_string()];
        }
        let left = if self.job.record_verb().is_some() { "are passed over" } else { "stay as they are" };
        let mut lines = Vec::new();
        if self.stats.oversized > 0 && (!self.format.is_whole() || self.job.record_verb().is_some()) {
            let (count, mebibytes) = (commas(self.stats.oversized), LONGEST >> 20);
            let is_passed = self.job.record_verb().is_some_and(RecordVerb::passes_oversized);
            let left = if is_passed { "stay as they are" } else { left };
            lines.push(format!("{count} of its records are longer than {mebibytes} MiB, and {left}"));
        }
        let better = || user_formats::better(self.head).filter(|better| better != self.format);
        let hint = || better().map_or(String::new(), |better| format!("; --format '{}'?", better.text()));
        if unrecognized > 0 {
            let (some, all) = (commas(unrecognized), commas(inspected));
            let why = if self.job.format.has_header() && unrecognized == inspected { self.no_columns() } else { "" };
            lines.push(format!("{some} of {all} records looked at are not {format}, and {left}{why}{}", hint()));
        }
        let fitting = inspected - unrecognized;
        let names = self.job.format.plan().asked_names();
        let never: Vec<&str> = names
            .iter()
            .enumerate()
            .filter(|(at, _)| with_field.get(*at).is_none_or(|&count| count == 0))
            .map(|(_, name)| name.as_str())
            .collect();
        // Of those that are only usual, one is enough.
        if fitting > 0 && !never.is_empty() && (!is_usual || never.len() == names.len()) {
            let (never, all) = (never.join(", "), commas(fitting));
            let never =
                if is_usual { format!("none of the fields that hold URLs ({never})") } else { format!("no {never}") };
            let hint = if is_usual { format!("{}; name one with -f", hint()) } else { hint() };
            lines.push(format!("there is {never} in any of {all} records looked at{hint}"));
        }
        lines
    }

    /// Why there are no columns.
    fn no_columns(&self) -> &'static str {
        let names = |line: &[u8]| line.starts_with(b"#Fields:") || line.starts_with(b"#fields");
        match self.format.text().as_ref() {
            "w3c" | "cloudfront" | "zeek" if !self.head.split(|&byte| byte == b'\n').any(names) => {
                ": no line of #Fields says which columns there are"
            }
            _ => "",
        }
    }
}

/// Says what to do about an input in UTF-16.
const UTF16: &str = "this is UTF-16, in which there is no escape; pipe it through `iconv -f UTF-16 -t UTF-8`";

/// Whether an input that starts with `head` is UTF-16: by its mark, or by the zeros of its first line.
fn is_utf16(head: &[u8]) -> bool {
    let zeros = |from: usize| head.iter().skip(from).step_by(2).take(16).filter(|&&byte| byte == 0).count();
    let has_mark = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    has_mark && zeros(0) + zeros(1) > 0 || head.len() >= 32 && zeros(0).max(zeros(1)) == 16
}

/// The destination of all output without a destination of its own.
enum Destination {
    Nowhere,
    Standard,
    File(OutputFile),
}

struct Output {
    place: Destination,
    name: String,
    to: Box<dyn Write + Send>,
    compression: Option<Compression>,
    wrote: Arc<AtomicBool>,
    /// Whether every input was dealt with to its end.
    is_whole: bool,
}

/// Notes whether anything is written.
struct Noting(Box<dyn Write + Send>, Arc<AtomicBool>);

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.store(true, Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Output {
    fn open(streams: &Streams, inputs: &[PathBuf]) -> Result<Output, String> {
        let path = streams.output.output.as_deref().filter(|path| !is_standard(path));
        let name = path.map_or("standard output".into(), name_of);
        let failed = |error: io::Error| format!("pct: cannot write to {name}: {error}");
        let compression = streams.output.compress.or_else(|| path.and_then(Compression::by_name));
        let sources = sources(inputs);
        let (place, to): (_, Box<dyn Write + Send>) = match path {
            _ if !streams.has_output() => (Destination::Nowhere, Box::new(io::sink())),
            None => {
                separate_standard_output(&sources)?;
                (Destination::Standard, standard_output().map_err(failed)?)
            }
            Some(path) => {
                let file = OutputFile::open(path, &sources, streams.input.quiet)?;
                let to = file.writer().map_err(failed)?;
                (Destination::File(file), Box::new(to))
            }
        };
        let wrote = Arc::default();
        let noting = Noting(to, Arc::clone(&wrote));
        Ok(Output { place, name, to: Box::new(noting), compression, wrote, is_whole: true })
    }

    /// Ends the output, which is a whole file even if there was nothing; the exit status.
    fn finish(mut self) -> u8 {
        if let Some(compression) = self.compression.filter(|_| !matches!(self.place, Destination::Nowhere))
            && !self.wrote.load(Ordering::Relaxed)
        {
            let mut empty = Vec::new();
            compression.member(b"", &mut empty);
            if let Err(error) = self.to.write_all(&empty) {
                return report_error(&self.name, &RunError::Write(error));
            }
        }
        match self.place {
            Destination::File(file) if self.is_whole => file.finish(),
            Destination::File(file) => {
                file.abandon();
                0
            }
            Destination::Nowhere | Destination::Standard => 0,
        }
    }
}

/// Returns all files that are read: the inputs, and the user's formats.
pub fn sources(inputs: &[PathBuf]) -> Vec<&Path> {
    inputs.iter().map(PathBuf::as_path).chain(user_formats::file()).collect()
}

/// Says how many malformed values there were.
fn tell_counts(entries: &[Entry]) {
    let count = |kind| entries.iter().map(|entry| entry.stats.count(kind)).sum();
    let skipped = entries.iter().map(|entry| entry.stats.skipped).sum();
    let [malformed, invalid, skipped] = [count(Kind::Malformed), count(Kind::InvalidUtf8), skipped].map(commas);
    complain(&format!("pct: malformed escapes: {malformed}, fields not UTF-8: {invalid}, records left out: {skipped}"));
}

/// Says where a verb could do nothing, and how often.
fn tell_diagnostics(name: &str, job: &Job, diagnostics: &[(Place, Diagnostic)], count: u64, is_cut: bool) {
    for (place, diagnostic) in diagnostics {
        complain(&place.said(name, &diagnostic.text));
    }
    let Some(config) = job.verb().filter(|_| !is_cut) else { return };
    let number = commas(count);
    complain(&match config.on_bad {
        Policy::Keep => format!("pct: {name}: nothing could be done about {number}, which stay as they are"),
        _ => format!("pct: {name}: nothing could be done about {number}, whose records are left out"),
    });
}

/// Writes `text` to standard output; the exit status.
pub fn print(text: impl AsRef<[u8]>) -> u8 {
    standard_output()
        .and_then(|mut output| output.write_all(text.as_ref()))
        .map_or_else(|error| report_error("standard output", &RunError::Write(error)), |()| 0)
}

/// Says what is wrong with the input called `name`; the exit status for that.
pub fn report_error(name: &str, error: &RunError) -> u8 {
    match error {
        RunError::Open(error) => complain(&format!("pct: cannot open {name}, so it is left out: {error}")),
        RunError::Read(error) => complain(&format!("pct: cannot read {name} to its end: {error}")),
        // Whoever reads the output has seen enough.
        RunError::Write(error) if error.kind() == ErrorKind::BrokenPipe => return 0,
        RunError::Write(error) => complain(&format!("pct: cannot write the output: {error}")),
        RunError::Row(place) => complain(&format!(
            "pct: {name}: byte {}: the row that starts here is cut off, or its length is none; what is before it is done",
            place.offset
        )),
        RunError::Taken(place, text) => {
            complain(&format!("pct: {}; what is before its record is done", place.said(name, text)));
        }
        RunError::Malformed(located) => {
            complain(&format!("{name}:{located}"));
            return 1;
        }
        RunError::Diagnosed(place, diagnostic) => {
            complain(&place.said(name, &diagnostic.text));
            return 1;
        }
    }
    2
}

/// Whether what was given as the name of a file has in it what texts to encode or to decode have, and names hardly.
fn looks_like_text(name: &Path) -> bool {
    let bytes = name.as_os_str().as_encoded_bytes();
    !bytes.is_ascii() || bytes.iter().any(|byte| b"% ?=&+#".contains(byte)) || memmem::find(bytes, b"://").is_some()
}

/// A file, read anywhere.
struct FileBlocks<'a> {
    #[cfg_attr(not(unix), allow(dead_code))]
    file: File,
    progress: &'a Progress,
}

impl FileBlocks<'_> {
    #[cfg(unix)]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
        Err(ErrorKind::Unsupported.into())
    }
}

impl Blocks for FileBlocks<'_> {
    fn read_block(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(offset + filled as u64, &mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.progress.read(filled);
        Ok(filled)
    }
}

/// Fails once, if there is an error.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Whether `head` has a line that is data or names columns.
fn tells_names(head: &[u8]) -> bool {
    let is_names =
        |line: &[u8]| line.starts_with(b"#Fields:") || line.starts_with(b"#fields") || line.starts_with(b"# id,");
    let is_such = |line: &[u8]| line.ends_with(b"\n") && (line[0] != b'#' || is_names(line));
    head.split_inclusive(|&byte| byte == b'\n').any(is_such)
}

/// The first bytes of `input`: as many as one read gives, and as long as there `is_more` wanted, but not beyond `most`.
fn read_head(input: &mut impl Read, most: usize, is_more: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let mut head = vec![0; most];
    let mut filled = 0;
    while filled < most && (filled == 0 || is_more(&head[..filled])) {
        match input.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    head.truncate(filled);
    Ok(head)
}

/// Standard input and output without the buffers that [`io::stdin`] and [`io::stdout`] have.
#[cfg(unix)]
pub fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
}

#[cfg(unix)]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    Ok(Box::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
pub fn standard_output() -> io::Result<Box<dyn Write + Send>> {
    Ok(Box::new(io::stdout()))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}
