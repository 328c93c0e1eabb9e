//! Opens inputs, and detects their compression and format.

use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::Path;

use memchr::{memchr, memchr_iter};
use percent_simd_records::formats::{self, Bounds, Guess, Name};
use percent_simd_records::framing::Framing;

use super::report_error;
use super::wide::{self, Wide};
use crate::args::Streams;
use crate::compress::{self, Compression};
use crate::inplace::{is_standard, refused_folder};
use crate::message::{complain, listed};
use crate::pipeline::{Blocks, RunError};
use crate::progress::{Counted, Progress};
use crate::redact::{self, Scope};
use crate::user_formats;

/// The number of bytes that are read ahead to detect the format.
const HEAD: usize = 64 * 1024;
/// The number of lines of a file that are read ahead to find fields with URLs, if they fit into `FAR_HEAD` bytes.
const RECORDS: usize = 100;
/// The number of bytes that are read ahead to guess a charset, or to find fields in long lines.
const FAR_HEAD: usize = 1 << 20;
/// The number of bytes of a file that are read ahead if the first `HEAD` bytes have no URL.
const FARTHEST_HEAD: usize = 8 << 20;

/// An opened input.
pub struct Input<'a> {
    pub reader: Box<dyn Read + Send + 'a>,
    /// The input as a file that can be read at any offset, if it is a regular file and isn't compressed.
    pub blocks: Option<FileBlocks<'a>>,
    pub compression: Option<Compression>,
    /// The charset of the input, if it isn't read as it is. `head` and `reader` have UTF-8 in place of UTF-16.
    pub wide: Option<Wide>,
    /// If true, we may wait for many bytes before we write a result: the input is a file, or it is compressed. A compressor holds many
    /// records back, so the user expects to wait.
    pub may_wait: bool,
    /// The first bytes of the input, decompressed. `reader` continues after these bytes.
    pub head: Vec<u8>,
    /// The error of the read after `head`. It is reported after the records of `head`.
    pub error: Option<io::Error>,
}

impl<'a> Input<'a> {
    /// Reads up to `most` more bytes into `head`, and returns their number. After the first read, reads on while `is_more` returns true.
    fn read_more(&mut self, most: usize, is_more: impl Fn(&[u8]) -> bool) -> usize {
        if self.error.is_some() {
            return 0;
        }
        let (more, error) = read_head(&mut self.reader, most, is_more);
        self.error = error;
        self.head.extend(&more);
        more.len()
    }

    /// Reads more bytes into `head` until its first JSON object ends, or until `head` has `FARTHEST_HEAD` bytes.
    fn read_object(&mut self) {
        let Some(mut scan) = Framing::Json.end_scan() else { return };
        let mut searched = 0;
        while scan.end(&self.head[searched..]).is_none() && self.head.len() < FARTHEST_HEAD {
            searched = self.head.len();
            if self.read_more(HEAD, |_| false) == 0 {
                break;
            }
        }
    }

    /// Returns all bytes of the input, starting with `head`.
    pub fn into_reader(self) -> impl Read + Send + use<'a> {
        Cursor::new(self.head).chain(Failing(self.error)).chain(self.reader)
    }
}

/// Opens inputs as the options ask.
#[derive(Clone, Copy)]
pub struct Opener<'a> {
    pub streams: &'a Streams,
    pub progress: &'a Progress,
}

impl<'a> Opener<'a> {
    /// Opens a file or standard input, and decompresses it if needed.
    pub fn open(&self, file: &Path) -> io::Result<Input<'a>> {
        if is_standard(file) { self.open_raw(standard_input()?, None) } else { self.open_file(File::open(file)?) }
    }

    pub fn open_file(&self, file: File) -> io::Result<Input<'a>> {
        let kind = file.metadata()?;
        // On Unix, a folder can be opened but not read.
        if kind.is_dir() {
            return Err(refused_folder());
        }
        let same = if kind.is_file() { Some(file.try_clone()?) } else { None };
        self.open_raw(Box::new(file), same)
    }

    /// Opens an input, and decompresses it if needed. If the input is a regular file, `same` is a second handle to it.
    fn open_raw(&self, raw: Box<dyn Read + Send>, same: Option<File>) -> io::Result<Input<'a>> {
        let is_file = same.is_some();
        let progress = self.progress;
        let mut reader: Box<dyn Read + Send + 'a> = Box::new(Counted::new(raw, progress));
        if self.streams.format() == Name::Rows {
            // A RowBinary row starts with its length, which may look like the magic bytes of any file type. So we don't
            // look for magic bytes.
            let blocks = same.filter(|_| cfg!(unix)).map(|file| FileBlocks { file, progress });
            return Ok(Input {
                reader,
                blocks,
                compression: None,
                wide: None,
                may_wait: is_file,
                head: Vec::new(),
                error: None,
            });
        }
        let most = self.head_len();
        let (mut head, mut error) = read_head(&mut reader, most, |head| compress::may_be(head) || wide::may_be(head));
        let compression = Compression::of(&head);
        if let Some(form) = compression {
            reader = form.reader(Box::new(Cursor::new(head).chain(Failing(error)).chain(reader)))?;
            // A decoder returns at the end of each member, and a member may be one record.
            (head, error) = read_head(&mut reader, most, |_| true);
        }
        let may_wait = is_file || compression.is_some();
        let wide = Wide::of(&head).filter(|_| !matches!(self.streams.format(), Name::Raw | Name::Null));
        if let Some(Wide::Utf16(charset, _)) = wide {
            reader = wide::as_utf8(charset, head, Failing(error).chain(reader));
            (head, error) = read_head(&mut reader, most, |_| may_wait);
        }
        self.refuse(&head)?;
        let is_copied = compression.is_some() || wide.is_some();
        let blocks = same.filter(|_| cfg!(unix) && !is_copied).map(|file| FileBlocks { file, progress });
        Ok(Input { reader, blocks, compression, wide, may_wait, head, error })
    }

    /// Returns the number of bytes to read ahead.
    fn head_len(&self) -> usize {
        if self.streams.looks_ahead { FAR_HEAD } else { HEAD }
    }

    /// Fails if an input that starts with `head` isn't text. With `--raw`, any input is accepted.
    fn refuse(&self, head: &[u8]) -> io::Result<()> {
        match compress::foreign(head).filter(|_| !matches!(self.streams.format(), Name::Raw)) {
            Some(what) => Err(io::Error::other(format!("it is {what}"))),
            None => Ok(()),
        }
    }

    /// Returns the format and fields of an input. May read more bytes into `input.head`. Returns the exit status if the format is
    /// unknown.
    pub fn recognize(&self, name: &str, input: &mut Input) -> Result<Recognized, u8> {
        let format = self.streams.format();
        if !format.is_whole() {
            // The first read may end before the line that names the columns, so we read more.
            while !has_data_or_names(&input.head)
                && input.head.len() < HEAD
                && input.read_more(HEAD - input.head.len(), |_| false) > 0
            {}
        }
        if input.head.is_empty()
            && let Some(error) = input.error.take()
        {
            return Err(report_error(name, &RunError::Read(error)));
        }
        let wrong = |message: String| {
            complain(&format!("pct: {name} {message}"));
            2
        };
        if !matches!(format, Name::Raw | Name::Null | Name::Rows) {
            let is_in_place = self.streams.placement.in_place.is_some();
            // The first read of a pipe may have been too short to recognize the charset.
            if let Some(wide) = input.wide.or_else(|| Wide::of(&input.head)) {
                let charset = wide.name();
                if is_in_place || input.wide.is_none() || wide == Wide::Utf32 {
                    return Err(wrong(format!(
                        "is skipped: it is {charset}; convert it by `iconv -f {charset} -t UTF-8`"
                    )));
                }
                if !self.streams.input.quiet {
                    complain(&format!("pct: {name} is {charset}, and is read as UTF-8"));
                }
            }
            // In 100 kB of an image or a font, about three triplets occur by chance. Decoding them would destroy the file.
            if is_in_place && memchr(b'\0', &input.head).is_some() {
                return Err(wrong(
                    "is skipped: it has a byte 0, so it is probably no text; if it is, write the result to another file"
                        .into(),
                ));
            }
        }
        // We look for fields in the first records. If the records are long, they need more bytes.
        if input.may_wait && input.head.len() >= HEAD && memchr_iter(b'\n', &input.head).count() < RECORDS {
            input.read_more(FAR_HEAD.saturating_sub(input.head.len()), |_| true);
        }
        // The last line of a whole file is complete, also without a line end. Add the end, so that the line doesn't count as cut off.
        let head = &input.head;
        let is_all = input.may_wait && head.len() < HEAD && input.error.is_none();
        let lacks_end = is_all && memchr(b'\0', head).is_none() && !head.ends_with(b"\n");
        let ended = lacks_end.then(|| [&head[..], b"\n"].concat());
        let (mut guess, mut masked) = self.guess(ended.as_deref().unwrap_or(head));
        // A document may be one record, which has to be in memory anyway. So we look for fields in all of it.
        let framing = |guess: &Guess| formats::build(&guess.name, &guess.choice.clone().unwrap_or_default()).ok();
        let framing = guess.as_ref().ok().and_then(framing).map(|format| format.framing());
        let before = input.head.len();
        if framing == Some(Framing::Json) {
            input.read_object();
        }
        if input.head.len() > before {
            (guess, masked) = self.guess(&input.head);
        }
        // A single line of this length is hardly a log.
        let has_lines = input.head.len() >= HEAD && memchr(b'\n', &input.head).is_some();
        if input.may_wait && has_lines && !guess.as_ref().is_ok_and(|guess| guess.has_field) {
            input.read_more(FARTHEST_HEAD, |_| true);
            (guess, masked) = self.guess(&input.head);
        }
        // If a read failed, the format may be unknown because of it.
        if guess.is_err()
            && let Some(error) = input.error.take()
        {
            return Err(report_error(name, &RunError::Read(error)));
        }
        let guess = guess.map_err(wrong)?;
        if self.streams.input.quiet {
            return Ok(Recognized { guess, masked });
        }
        let is_default = self.streams.fields.format.is_none() && format == Name::LINES;
        if is_default
            && self.streams.reads_urls
            && let Some(better) = user_formats::log_or_table(masked.as_ref().unwrap_or(&input.head))
        {
            let better = better.text();
            let option = formats::quoted(&better);
            complain(&format!(
                "pct: {name}: each line is read as one URL, but the first lines are in the format {better}; --format {option}?"
            ));
        }
        if guess.name != format {
            let format = guess.name.text();
            let note = match format.rsplit(':').next() {
                Some("urls") => {
                    ": only URLs with a scheme, targets after a method or a name such as uri=, and paths with an escape or a query"
                }
                Some(inner) if inner.ends_with(",urls") => ": of its other lines, only URLs and targets are read",
                _ => "",
            };
            complain(&format!("pct: {name} is read as {format}{note}"));
        }
        if self.streams.fields.field.is_empty() {
            tell_fields(name, &guess);
        }
        Ok(Recognized { guess, masked })
    }

    /// Guesses the format and fields of an input that starts with `head`. With `--redact`, overwrites the passwords in a copy of
    /// `head`, guesses from the copy, and also returns it. So the verb, which sees overwritten passwords, too, finds each
    /// guessed field by its name, and no message shows a password.
    fn guess(&self, head: &[u8]) -> (Result<Guess, String>, Option<Vec<u8>>) {
        let format = self.streams.format();
        let is_strict = self.streams.fields.strict_format || self.streams.to().is_some();
        let recognize = |head: &[u8]| {
            let mut guess = user_formats::recognize(&format, head)?;
            // Every record has to fit, or takes a new column.
            if is_strict && guess.name != format {
                guess.name = guess.name.without_urls();
            }
            Ok(guess)
        };
        let guess: Result<Guess, String> = recognize(head);
        if !self.streams.input.redact {
            return (guess, None);
        }
        // The first guess is only used for the bytes that end a field.
        let choice = self.streams.fields.choice();
        let built = guess.ok().and_then(|guess| formats::build(&guess.name, &guess.complete(&choice)).ok());
        let mut masked = head.to_vec();
        redact::mask(&mut masked, built.map_or(Scope::Field(Bounds::Record), |format| Scope::of(&*format)));
        (recognize(&masked), Some(masked))
    }
}

/// Reports the fields that were found with the help of their values, and the fields that the user has to check.
fn tell_fields(name: &str, guess: &Guess) {
    let doubts = &guess.doubts;
    if let Some(first) = doubts.by_value.first() {
        let fields = listed(&doubts.by_value);
        complain(&format!(
            "pct: {name}: the values of these fields look like URLs: {fields}; to choose other fields, name them, as in {}",
            formats::field_option(first)
        ));
    }
    let partly = guess.choice.iter().flat_map(|choice| choice.mixed.iter().chain(&choice.texts));
    let partly: Vec<&str> = partly.map(String::as_str).collect();
    if !partly.is_empty() {
        let fields = listed(&partly);
        complain(&format!("pct: {name}: if a value of these fields has more text, only its URLs are read: {fields}"));
    }
    if doubts.left_out > 0 {
        complain(&format!(
            "pct: {name}: {} more fields have URLs, but there are too many to read at once; name them with -f",
            doubts.left_out
        ));
    }
    // If no field is read, the message at the end of the input lists all fields.
    for (unread, reason) in [
        (&doubts.unread, "these fields also look like URLs or paths, but they are not read"),
        (
            &doubts.texts,
            "the names of these fields are known, but their first values are no URLs, so they are not read",
        ),
    ] {
        if unread.is_empty() || !guess.has_field {
            continue;
        }
        let fields = listed(unread);
        // In XML, fields can't be chosen by the names of elements. Of the records in a field, only some of the names are fields.
        let format = guess.name.text();
        let hint = match (&guess.name, unread.first()) {
            (Name::Row(_) | Name::Nested(..), Some(first)) if format != "xml" && format != "feed" => {
                let option = formats::quoted(&format);
                format!("; to read one, name it, as in --format {option} {}", formats::field_option(first))
            }
            _ => String::new(),
        };
        complain(&format!("pct: {name}: {reason}: {fields}{hint}"));
    }
    let (records, word) = (doubts.outside.records, doubts.outside.word);
    if records > 0 {
        let format = guess.name.text();
        let what = match format.strip_suffix("urls").filter(|outer| outer.is_empty() || outer.ends_with([':', ','])) {
            Some(outer) => {
                let option = formats::quoted(&format!("{outer}words"));
                let hint = word
                    .filter(|_| !outer.ends_with(','))
                    .map(|word| format!("; if they are targets, read them with --format {option} -f {word}"));
                format!("paths or queries outside of the URLs, which are not read{}", hint.unwrap_or_default())
            }
            None => {
                format!("URLs outside of the fields of {format}, which are not read; --format urls reads all lines")
            }
        };
        let has = if records == 1 { "has" } else { "have" };
        complain(&format!("pct: {name}: {records} of its first records {has} {what}"));
    }
    if !doubts.doubtful.is_empty() {
        let fields = listed(&doubts.doubtful);
        complain(&format!("pct: {name}: these fields are read as targets, but they may be paths of files: {fields}"));
    }
}

/// The format and fields of an input.
pub struct Recognized {
    pub guess: Guess,
    /// The first bytes of the input without their passwords, if `--redact` is given.
    pub masked: Option<Vec<u8>>,
}

/// A file that is read at given offsets.
pub struct FileBlocks<'a> {
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
        match fill(buffer, |filled, rest| self.read_at(offset + filled as u64, rest), |_| true) {
            (filled, None) => {
                self.progress.read(filled);
                Ok(filled)
            }
            (_, Some(error)) => Err(error),
        }
    }
}

/// A reader without bytes. If the reader has an error, the first read returns this error.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// Returns true if `head` has a complete line that is no comment: a record, or a line that names the columns.
fn has_data_or_names(head: &[u8]) -> bool {
    let is_names =
        |line: &[u8]| line.starts_with(b"#Fields:") || line.starts_with(b"#fields") || line.starts_with(b"# id,");
    let is_full_line = |line: &[u8]| line.ends_with(b"\n") && (line[0] != b'#' || is_names(line));
    head.split_inclusive(|&byte| byte == b'\n').any(is_full_line)
}

/// Returns the next bytes of `input`, at most `most`, and the error if a read fails. After the first read, reads on while `is_more`
/// returns true.
fn read_head(input: &mut impl Read, most: usize, is_more: impl Fn(&[u8]) -> bool) -> (Vec<u8>, Option<io::Error>) {
    let mut head = vec![0; most];
    let (filled, error) = fill(&mut head, |_, rest| input.read(rest), is_more);
    head.truncate(filled);
    (head, error)
}

/// Fills `buffer` until it is full, the input ends, a read fails, or `is_more` returns false after a read. `read` gets the number of
/// bytes read so far, and the rest of the buffer. Returns the number of bytes, and the error.
fn fill(
    buffer: &mut [u8],
    mut read: impl FnMut(usize, &mut [u8]) -> io::Result<usize>,
    is_more: impl Fn(&[u8]) -> bool,
) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() && (filled == 0 || is_more(&buffer[..filled])) {
        match read(filled, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// Returns standard input without the buffer of [`io::stdin`].
#[cfg(unix)]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    crate::closed::check(0)?;
    Ok(Box::new(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
}

#[cfg(not(unix))]
fn standard_input() -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}
