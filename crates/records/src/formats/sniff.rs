//! Recognizes the format of an input by its first lines.

use std::sync::Arc;

use memchr::memchr;

use super::format::Choice;
use super::names::{FORMATS, Name, build};
use super::nested::{ENVELOPES, Envelope};
use super::shape::{Sample, count, is_absolute, is_object};
use super::user::UserFormat;
use super::whole::TEXT;
use crate::framing::csv_field_end;

/// A recognized format.
#[derive(Debug)]
pub struct Guess {
    /// The format.
    pub name: Name,
    /// The fields in which we found URLs. `None` if the format itself says which fields hold URLs.
    pub choice: Option<Choice>,
}

/// Returns the format of an input that starts with `head`. If `name` is `Auto` or an envelope without a format, recognizes the
/// format. Otherwise returns `name`.
///
/// # Errors
///
/// Returns the reason why the format is unknown, and a remedy. The caller prints this message directly after the name of the input.
pub fn resolve(name: &Name, head: &[u8], users: &[Arc<UserFormat>]) -> Result<Guess, String> {
    let sample = Sample::new(head);
    match name {
        Name::Auto { or_text } => match guess(&sample, users, DEEPEST) {
            Some(guess) => Ok(guess),
            None if *or_text || sample.lines.is_empty() => Ok(text()),
            None => Err(unrecognized(&sample)),
        },
        Name::Nested(envelope, None) => guess_inside(envelope, &sample, users, DEEPEST).ok_or_else(|| {
            format!("the content of {} has no known format; name its format, as in {0}:combined", envelope.name)
        }),
        // A table without a known column name may still have columns whose values are URLs.
        Name::Row(row) if !(row.sniff)(&sample) => {
            let choice = columns(&sample).filter(|guess| guess.name == *name).and_then(|guess| guess.choice);
            Ok(Guess { name: name.clone(), choice })
        }
        name => Ok(Guess { name: name.clone(), choice: None }),
    }
}

/// Returns the likely format of an input that starts with `head`, to suggest it to the user.
pub fn suggest(head: &[u8], users: &[Arc<UserFormat>]) -> Option<Name> {
    guess(&Sample::new(head), users, DEEPEST).map(|guess| guess.name).filter(|name| *name != text().name)
}

fn text() -> Guess {
    Guess { name: Name::Row(&TEXT), choice: None }
}

/// The maximum number of nested envelopes that `auto` recognizes.
const DEEPEST: usize = 4;

/// Returns the format of an input with at most `depth` nested envelopes.
fn guess(sample: &Sample, users: &[Arc<UserFormat>], depth: usize) -> Option<Guess> {
    if memchr(0, sample.head).is_some() && memchr(b'\n', sample.head).is_none() {
        return Some(Guess { name: Name::Null, choice: None });
    }
    if let Some(format) = users.iter().find(|format| format.sniff(sample)) {
        return Some(Guess { name: Name::User(Arc::clone(format)), choice: None });
    }
    let nested = |is_vague: bool| {
        let mut envelopes = ENVELOPES.iter().filter(|envelope| envelope.is_vague == is_vague && depth > 0);
        envelopes.find_map(|envelope| {
            let found = (envelope.sniff)(sample).then(|| guess_inside(envelope, sample, users, depth - 1))??;
            // Records in an envelope can't have a header, so `build` refuses a format with a header.
            build(&found.name, &found.choice.clone().unwrap_or_default()).is_ok().then_some(found)
        })
    };
    let row = || FORMATS.iter().find(|row| (row.sniff)(sample)).map(|row| Guess { name: Name::Row(row), choice: None });
    nested(false).or_else(row).or_else(|| nested(true)).or_else(|| columns(sample))
}

/// Returns the format of the records inside `envelope`, which may contain up to `depth` more envelopes.
fn guess_inside(
    envelope: &'static Envelope,
    sample: &Sample,
    users: &[Arc<UserFormat>],
    depth: usize,
) -> Option<Guess> {
    let inner = envelope.contents(sample);
    let lines: Vec<&[u8]> = inner.iter().map(Vec::as_slice).collect();
    let found = guess(&Sample { head: lines.first().copied().unwrap_or_default(), lines }, users, depth)?;
    Some(Guess { name: Name::Nested(envelope, Some(Box::new(found.name))), choice: found.choice })
}

/// Returns the reason why an input is skipped, and a remedy.
fn unrecognized(sample: &Sample) -> String {
    const SHOWN: usize = 60;
    let line = sample.lines.first().copied().unwrap_or_default();
    let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned();
    let more = if line.len() > SHOWN { "..." } else { "" };
    let likely = match line {
        _ if sample.most(is_object) => "ndjson or json",
        _ if sample.most(|line| count(line, b'"') >= 2) => "combined, nginx:LOG_FORMAT, apache:LOGFORMAT or csv",
        _ if sample.most(|line| count(line, b'\t') > 0) => "tsv",
        _ if sample.most(|line| count(line, b',') > 0) => "csv",
        _ => "nginx:LOG_FORMAT for a log, lines for lists",
    };
    format!(
        "has no known format, so it is skipped. It starts with `{shown}`{more}; name a --format: {likely}; \
         `pct formats` lists all. --format text keeps all delimiters, quotes and blanks escaped"
    )
}

/// Returns the format and the URL columns of a table without known column names.
fn columns(sample: &Sample) -> Option<Guess> {
    for (delimiter, name) in [(b'\t', "tsv"), (b',', "csv"), (b';', "csv;"), (b'|', "csv|")] {
        let rows: Vec<Vec<Vec<u8>>> = sample.lines.iter().map(|line| cells(line, delimiter)).collect();
        let (first, rest) = rows.split_first()?;
        let width = first.len();
        // Any of these delimiters except the tab may also be a byte of a URL. So we count the columns: in a table, every row has
        // the same number of them.
        if width < 2 || rows.iter().rev().skip(1).any(|row| row.len() != width) || sample.lines.len() < 2 {
            continue;
        }
        let is_urls = |column: usize| {
            let cells =
                || rest.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty() && *cell != b"-");
            cells().count() > 0 && cells().all(|cell| is_absolute(cell))
        };
        let columns: Vec<usize> = (0..width).filter(|&column| is_urls(column)).collect();
        if columns.is_empty() {
            continue;
        }
        let has_header = !columns.iter().any(|&column| is_absolute(&first[column]));
        let row = FORMATS.iter().find(|row| row.name == name)?;
        let fields = columns.iter().map(|column| (column + 1).to_string()).collect();
        return Some(Guess {
            name: Name::Row(row),
            choice: Some(Choice { fields, header: Some(has_header), context: false }),
        });
    }
    None
}

/// Returns the cells of a row, without their quotes. If quotes don't close, the last cell ends with the line.
fn cells(line: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let (mut cells, mut at) = (Vec::new(), 0);
    loop {
        let closed = if delimiter == b'\t' { at } else { csv_field_end(line, at).unwrap_or(line.len()) };
        let end = memchr(delimiter, &line[closed..]).map_or(line.len(), |len| closed + len);
        let cell = &line[at..end];
        let inner = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
        cells.push(inner.unwrap_or(cell).to_vec());
        if end == line.len() {
            return cells;
        }
        at = end + 1;
    }
}
