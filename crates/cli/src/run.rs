//! All inputs of a command, one after the other, and what is told of them.

use std::fs::{self, File};
use std::io::{self, Cursor, ErrorKind, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::args::{Form, Streams};
use crate::complain;
use crate::compress::{self, Compression};
use crate::formats::{self, Format, Name};
use crate::inplace::Replacement;
use crate::job::Job;
use crate::pipeline::{self, BLOCK, Blocks, RunError, RunResult, Sink, Source};
use crate::progress::{Counted, Progress};
use crate::report::{self, Entry, Kind, Paint, Place};
use crate::verb::{Diagnostic, OnBad};

/// So much of an input is read ahead to tell what it is.
const HEAD: usize = 64 * 1024;

/// As many bytes tell whether it is compressed.
const MAGIC: usize = 4;

/// What makes a job of a format.
type Make<'a> = &'a dyn Fn(Box<dyn Format>) -> Result<Job, String>;

/// An input, and what is known of it.
struct Input<'a> {
    reader: Box<dyn Read + Send + 'a>,
    /// The same, if it is a file that is not compressed.
    blocks: Option<FileBlocks<'a>>,
    compression: Option<Compression>,
    is_file: bool,
}

/// Why a file was left out, or an input not dealt with to its end; and whether there is any use in going on.
enum Ended {
    Well,
    Badly(u8),
    Fatally(u8),
}

/// All inputs, each through a job of its own, and what was seen to whoever wants to know; the exit status.
pub fn run(streams: &Streams, make: Make) -> u8 {
    let (code, entries) = all(streams, make);
    code.max(tell(streams, &entries))
}

/// All inputs; the exit status, and what was seen.
pub fn all(streams: &Streams, make: Make) -> (u8, Vec<Entry>) {
    let checked = streams.check().and_then(|()| match streams.input.format() {
        // What is wrong with that is known only with the input.
        Name::Auto => Ok(()),
        format => make(formats::build(&format, &streams.input.choice())?).map(|_| ()),
    });
    if let Err(message) = checked {
        complain(&message);
        return (2, Vec::new());
    }
    let mut output = match Output::open(streams) {
        Ok(output) => output,
        Err(message) => {
            complain(&message);
            return (2, Vec::new());
        }
    };
    let standard_input = [PathBuf::from("-")];
    let files = if streams.input.files.is_empty() { &standard_input } else { &streams.input.files[..] };
    let to_stdout = streams.writing.output.is_none() && output.is_wanted;
    let progress = Progress::new(files, to_stdout);
    let mut all = All { streams, make, progress: &progress, entries: Vec::new() };
    let mut code = 0;
    for file in files {
        let ended = match streams.writing.in_place {
            Some(_) => all.in_place(file),
            None => all.file(file, &mut output),
        };
        match ended {
            Ended::Well => {}
            Ended::Badly(status) => code = code.max(status),
            Ended::Fatally(status) => {
                code = code.max(status);
                break;
            }
        }
    }
    progress.finish();
    (code.max(output.finish()), all.entries)
}

struct All<'a> {
    streams: &'a Streams,
    make: Make<'a>,
    progress: &'a Progress,
    entries: Vec<Entry>,
}

impl All<'_> {
    /// One file to the output.
    fn file(&mut self, file: &Path, output: &mut Output) -> Ended {
        let name = name_of(file);
        match open(file, self.progress) {
            Ok(input) => {
                let compression = output.compression;
                self.input(&name, input, &mut Sink { to: &mut *output.to, compression })
            }
            Err(error) => Ended::Badly(report(&name, &RunError::Open(error))),
        }
    }

    /// One file to its own place.
    fn in_place(&mut self, file: &Path) -> Ended {
        let name = name_of(file);
        let mut replacement = match Replacement::extra_field(file) {
            Ok(replacement) => replacement,
            Err(error) => {
                complain(&format!("pct: cannot replace {name}, so it is left as it is: {error}"));
                return Ended::Badly(2);
            }
        };
        let input = match open(file, self.progress) {
            Ok(input) => input,
            Err(error) => return Ended::Badly(report(&name, &RunError::Open(error))),
        };
        let compression = self.streams.writing.compress.or(input.compression);
        let ended = self.input(&name, input, &mut Sink { to: replacement.file(), compression });
        if !matches!(ended, Ended::Well) {
            complain(&format!("pct: {name} is left as it was"));
            return ended;
        }
        let suffix = self.streams.writing.in_place.as_deref().unwrap_or_default();
        match replacement.commit(suffix) {
            Ok(()) => Ended::Well,
            Err(error) => {
                complain(&format!("pct: cannot replace {name}, so it is left as it is: {error}"));
                Ended::Badly(2)
            }
        }
    }

    fn input(&mut self, name: &str, mut input: Input, sink: &mut Sink) -> Ended {
        let mut format = self.streams.input.format();
        let has_names = matches!(format, Name::Auto | Name::Csv | Name::Tsv | Name::W3c | Name::CloudFront);
        let head = match has_names {
            true => read_head(&mut input.reader, HEAD, |head| !tells_names(head)),
            false => Ok(Vec::new()),
        };
        let head = match head {
            Ok(head) => head,
            Err(error) => return Ended::Badly(report(name, &RunError::Read(error))),
        };
        if format == Name::Auto {
            format = formats::guess(&head);
            complain(&format!("pct: {name} is taken for {}", format.text()));
        }
        let built = formats::build(&format, &self.streams.input.choice()).and_then(|format| {
            let missing = format.missing(&head).map(|what| format!("pct: {name} has {what}"));
            missing.map_or(Ok(format), Err)
        });
        let job = built.and_then(self.make);
        let mut job = match job {
            Ok(job) => job,
            Err(message) => {
                complain(&message);
                return Ended::Badly(2);
            }
        };
        job.name = name.to_string();
        let fills = input.is_file || sink.compression.is_some();
        let reader = Cursor::new(head).chain(input.reader);
        let blocks = input.blocks.as_ref().map(|blocks| blocks as &dyn Blocks);
        let source = Source::new(reader, &job, BLOCK, fills).with_blocks(blocks);
        let RunResult { seen, located, diagnostics, diagnosed, error } =
            pipeline::run(source, &job, sink, self.streams.input.threads());
        if job.looks() {
            self.entries.push(Entry { name: name.to_string(), format: format.text().to_string(), seen, located });
        }
        let lists = job.verb().is_some_and(|config| config.lists);
        if diagnosed > 0 && !lists {
            self.progress.finish();
            tell_remarks(name, &job, &diagnostics, diagnosed, error.is_some());
        }
        match error {
            None if diagnosed > 0 => Ended::Badly(1),
            None => Ended::Well,
            Some(error) => {
                self.progress.finish();
                let code = report(name, &error);
                match error {
                    RunError::Write(_) | RunError::Malformed(_) | RunError::Diagnosed(..) => Ended::Fatally(code),
                    RunError::Open(_) | RunError::Read(_) => Ended::Badly(code),
                }
            }
        }
    }
}

/// Where everything goes that has no place of its own.
struct Output {
    to: Box<dyn Write + Send>,
    compression: Option<Compression>,
    is_wanted: bool,
    wrote: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

/// Notes whether anything is written.
struct Noting(Box<dyn Write + Send>, std::sync::Arc<std::sync::atomic::AtomicBool>);

impl Write for Noting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.store(true, std::sync::atomic::Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Output {
    fn open(streams: &Streams) -> Result<Output, String> {
        let compression =
            streams.writing.compress.or_else(|| streams.writing.output.as_deref().and_then(Compression::by_name));
        let to = match &streams.writing.output {
            _ if streams.writing.in_place.is_some() || streams.writing.check => Box::new(io::sink()),
            Some(path) => create(path, &streams.input.files)?,
            None => standard_output().map_err(|error| format!("pct: cannot write to standard output: {error}"))?,
        };
        let wrote = std::sync::Arc::default();
        let noting = Noting(to, std::sync::Arc::clone(&wrote));
        let is_wanted = streams.writing.in_place.is_none() && !streams.writing.check;
        Ok(Output { to: Box::new(noting), compression, is_wanted, wrote })
    }

    /// Ends the output, which is a whole file even if there was nothing; the exit status.
    fn finish(&mut self) -> u8 {
        let Some(compression) = self.compression.filter(|_| self.is_wanted) else { return 0 };
        if self.wrote.load(std::sync::atomic::Ordering::Relaxed) {
            return 0;
        }
        let mut empty = Vec::new();
        compression.member(b"", &mut empty);
        self.to.write_all(&empty).map_or_else(|error| report("the output", &RunError::Write(error)), |()| 0)
    }
}

fn create(path: &Path, inputs: &[PathBuf]) -> Result<Box<dyn Write + Send>, String> {
    let place = fs::canonicalize(path).ok().filter(|place| place.is_file());
    if place.is_some() && inputs.iter().any(|file| fs::canonicalize(file).ok() == place) {
        let name = path.display();
        return Err(format!(
            "pct: {name} is to be read and written, and would be emptied first; write to another file, then rename it, \
             or say --in-place"
        ));
    }
    match File::create(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(format!("pct: cannot write to {}: {error}", path.display())),
    }
}

/// Says what was seen, to whoever asked; the exit status.
fn tell(streams: &Streams, entries: &[Entry]) -> u8 {
    let bad: u64 = entries.iter().map(|entry| entry.seen.bad()).sum();
    let form = streams.writing.report.or(streams.writing.check.then_some(Form::Text));
    if let Some(form) = form {
        let is_terminal = if streams.writing.check { io::stdout().is_terminal() } else { io::stderr().is_terminal() };
        let text = match form {
            Form::Text => report::text(entries, Paint(streams.input.color.is_now(is_terminal))),
            Form::Json => report::json(entries),
        };
        if streams.writing.check {
            let status = print(&text);
            return status.max(u8::from(bad > 0));
        }
        complain(text.trim_end());
    } else if streams.writing.says_counts() && bad > 0 {
        let count = |kind| entries.iter().map(|entry| entry.seen.count(kind)).sum();
        let skipped = entries.iter().map(|entry| entry.seen.skipped).sum();
        let [malformed, invalid, skipped] =
            [count(Kind::Malformed), count(Kind::InvalidUtf8), skipped].map(report::commas);
        complain(&format!(
            "pct: malformed escapes: {malformed}, fields not UTF-8: {invalid}, records left out: {skipped}"
        ));
    }
    0
}

/// Says where a verb could do nothing, and how often.
fn tell_remarks(name: &str, job: &Job, diagnostics: &[(Place, Diagnostic)], count: u64, is_cut: bool) {
    for (place, diagnostic) in diagnostics {
        complain(&place.said(name, &diagnostic.text));
    }
    let Some(config) = job.verb().filter(|_| !is_cut) else { return };
    let number = report::commas(count);
    complain(&match config.on_bad {
        OnBad::Keep => format!("pct: {name}: nothing could be done about {number}, which stay as they are"),
        _ => format!("pct: {name}: nothing could be done about {number}, whose records are left out"),
    });
}

/// Writes `text` to standard output; the exit status.
pub fn print(text: &str) -> u8 {
    standard_output()
        .and_then(|mut output| output.write_all(text.as_bytes()))
        .map_or_else(|error| report("standard output", &RunError::Write(error)), |()| 0)
}

/// Says what is wrong with the input called `name`; the exit status for that.
pub fn report(name: &str, error: &RunError) -> u8 {
    match error {
        RunError::Open(error) => complain(&format!("pct: cannot open {name}, so it is left out: {error}")),
        RunError::Read(error) => complain(&format!("pct: cannot read {name} to its end: {error}")),
        // Whoever reads the output has seen enough.
        RunError::Write(error) if error.kind() == ErrorKind::BrokenPipe => return 0,
        RunError::Write(error) => complain(&format!("pct: cannot write the output: {error}")),
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

fn is_standard(file: &Path) -> bool {
    file.as_os_str() == "-"
}

fn name_of(file: &Path) -> String {
    if is_standard(file) { "<stdin>".into() } else { file.display().to_string() }
}

/// Opens a file, or standard input, and whatever compresses it.
fn open<'a>(file: &Path, progress: &'a Progress) -> io::Result<Input<'a>> {
    let (raw, same): (Box<dyn Read + Send>, _) = if is_standard(file) {
        (standard_input()?, None)
    } else {
        let file = File::open(file)?;
        let same = if file.metadata()?.is_file() { Some(file.try_clone()?) } else { None };
        (Box::new(file), same)
    };
    let mut counted = Counted::new(raw, progress);
    // A folder opens, but does not read: that is told when it is read.
    let (head, error) = match read_head(&mut counted, MAGIC, compress::may_be) {
        Ok(head) => (head, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let compression = Compression::of(&head);
    let whole = Cursor::new(head).chain(Failing(error)).chain(counted);
    let reader: Box<dyn Read + Send> = match compression {
        Some(compression) => compression.reader(Box::new(whole))?,
        None => Box::new(whole),
    };
    let is_file = same.is_some();
    let blocks = same.filter(|_| compression.is_none() && cfg!(unix)).map(|file| FileBlocks { file, progress });
    Ok(Input { reader, blocks, compression, is_file })
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

/// Whether `head`, of which the first few bytes were read for themselves, has a line that is data or names columns.
fn tells_names(head: &[u8]) -> bool {
    let is_such = |line: &[u8]| line.ends_with(b"\n") && (line[0] != b'#' || line.starts_with(b"#Fields:"));
    head.len() > MAGIC && head.split_inclusive(|&byte| byte == b'\n').any(is_such)
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
