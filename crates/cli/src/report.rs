//! Reports findings, as text or as JSON. Each place is written when it is found, and the counts follow at the end.

use std::fmt::Write as _;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};

use percent_simd_records::transform::LAYERS;
use serde_json::{Value, json};

use crate::findings::{DENSITY, KINDS, Kind, Located, Stats};
use crate::message::{printable_line, printable_name, with_text};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    Text,
    Json,
}

/// When output is colored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    /// Returns true if output is colored. `is_terminal` is true if the output goes to a terminal.
    pub fn is_now(self, is_terminal: bool) -> bool {
        let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && !wants_none,
        }
    }
}

/// The findings of one input.
pub struct Entry {
    pub name: Vec<u8>,
    pub format: String,
    pub stats: Stats,
}

/// Whether text is colored.
#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    pub fn with(self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1B[{code}m{text}\x1B[0m") } else { text.to_string() }
    }

    /// Colours the bytes that `push` appends to `out`. Allocates nothing.
    pub fn around(self, code: &str, out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
        if self.0 {
            [b"\x1B[", code.as_bytes(), b"m"].into_iter().for_each(|part| out.extend_from_slice(part));
        }
        push(out);
        if self.0 {
            out.extend_from_slice(b"\x1B[0m");
        }
    }
}

/// Formats `number` with a comma between thousands.
pub fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `number` and a noun in the singular or plural, such as `1 line` or `2 lines`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", commas(number), if number == 1 { "" } else { "s" })
}

fn kind_text(kind: Kind) -> (&'static str, &'static str) {
    let (_, json, text) = KINDS[kind as usize];
    (json, text)
}

/// Standard error, as the output of a report.
///
/// If the program that reads standard output closes the pipe, it needs no more output, so `pct` ends with success. If
/// the reader of standard error closes the pipe, the output isn't finished. So we change the kind of this error, and
/// `pct` reports it like any other error.
struct ErrorOutput;

impl Write for ErrorOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        io::stderr().write(bytes).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => io::Error::other("the reader of standard error closed it"),
            _ => error,
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// A report. It writes each place as soon as the place is found, so memory doesn't grow with the number of places.
pub struct Report {
    to: BufWriter<Box<dyn Write + Send>>,
    form: Form,
    paint: Paint,
    /// `entries` counts the entries so far, one for each input. `places` counts the places written for the last entry.
    entries: usize,
    places: usize,
    /// `named` is the name of the last input. `shown` is the printable form of this name.
    named: Vec<u8>,
    shown: Vec<u8>,
    line: Vec<u8>,
}

impl Report {
    /// Returns a report to standard output.
    pub fn to_output(output: Box<dyn Write + Send>, form: Form, color: When) -> Report {
        Report::new(output, form, Paint(color.is_now(io::stdout().is_terminal())))
    }

    /// Returns a report to standard error.
    pub fn to_error(form: Form, color: When) -> Report {
        Report::new(Box::new(ErrorOutput), form, Paint(color.is_now(io::stderr().is_terminal())))
    }

    fn new(to: Box<dyn Write + Send>, form: Form, paint: Paint) -> Report {
        let (named, shown, line) = (Vec::new(), Vec::new(), Vec::new());
        Report { to: BufWriter::new(to), form, paint, entries: 0, places: 0, named, shown, line }
    }

    /// Returns the colors of this report.
    pub fn paint(&self) -> Paint {
        self.paint
    }

    /// Begins the part of the report about an input.
    pub fn begin(&mut self) -> io::Result<()> {
        self.entries += 1;
        self.places = 0;
        match self.form {
            Form::Text => Ok(()),
            Form::Json if self.entries == 1 => self.to.write_all(b"{\"inputs\":[{\"places\":["),
            Form::Json => self.to.write_all(b",{\"places\":["),
        }
    }

    /// Writes the place of a finding in the input called `name`. The caller must have called [`begin`](Self::begin) for
    /// this input.
    pub fn place(&mut self, name: &[u8], located: &Located) -> io::Result<()> {
        self.places += 1;
        match self.form {
            Form::Text => {
                if self.named != name {
                    (self.named, self.shown) = (name.into(), printable_name(name).into_owned());
                }
                self.line.clear();
                push_place(&self.shown, located, self.paint, &mut self.line);
                self.to.write_all(&self.line)
            }
            Form::Json => {
                let comma = if self.places > 1 { "," } else { "" };
                write!(self.to, "{comma}{}", place_json(located))
            }
        }
    }

    /// Ends the part of the report about an input.
    pub fn end(&mut self, entry: &Entry) -> io::Result<()> {
        match self.form {
            Form::Text => Ok(()),
            // The array of places ends here, and the counts follow in the same object.
            Form::Json => write!(self.to, "],{}", &entry_json(entry).to_string()[1..]),
        }
    }

    /// Ends the report. A report in text gets the counts of all inputs. A report in JSON gets the members `more`.
    pub fn finish(&mut self, entries: &[Entry], more: &serde_json::Map<String, Value>) -> io::Result<()> {
        let members: String = more.iter().map(|(name, value)| format!(",{}:{value}", json!(name))).collect();
        match self.form {
            Form::Text => self.to.write_all(counts(entries, self.paint).as_bytes())?,
            Form::Json if self.entries == 0 => writeln!(self.to, "{{\"inputs\":[]{members}}}")?,
            Form::Json => writeln!(self.to, "]{members}}}")?,
        }
        self.to.flush()
    }
}

/// Appends the line for a place. `name` is the printable name of the input.
fn push_place(name: &[u8], Located { place, found }: &Located, paint: Paint, line: &mut Vec<u8>) {
    let bad = matches!(found.kind, Kind::Malformed | Kind::InvalidUtf8 | Kind::Overlong);
    let what = kind_text(found.kind).1;
    paint.around("35", line, |line| {
        line.extend_from_slice(name);
        // Writing to memory can't fail.
        let _ = write!(line, ":{}:{}", place.line, place.column());
    });
    line.extend_from_slice(b": ");
    paint.around(if bad { "31" } else { "33" }, line, |line| line.extend_from_slice(what.as_bytes()));
    line.extend_from_slice(b": ");
    line.extend(found.bytes().escape_ascii());
    line.push(b'\n');
}

fn place_json(Located { place, found }: &Located) -> Value {
    json!({
        "kind": kind_text(found.kind).0,
        "line": place.line,
        "column": place.column(),
        "offset": place.offset,
        "bytes": found.bytes().escape_ascii().to_string(),
    })
}

/// Returns the counts as text.
fn counts(entries: &[Entry], paint: Paint) -> String {
    let mut text = String::new();
    for entry in entries {
        let stats = &entry.stats;
        let _ = writeln!(
            text,
            "{} ({})",
            paint.with("1", &printable_line(&String::from_utf8_lossy(&entry.name))),
            entry.format
        );
        let mut row = |what: &str, count: u64| {
            if count > 0 || matches!(what, "records" | "escapes" | "malformed escape" | "invalid UTF-8") {
                let _ = writeln!(text, "  {what:28} {:>16}", commas(count));
            }
        };
        row("bytes", stats.bytes);
        row("records", stats.records);
        row("fields with a %", stats.fields);
        row("escapes", stats.escapes);
        for (kind, _, what) in KINDS {
            row(what, stats.count(kind));
        }
        row("records not in the format", stats.effects.unrecognized);
        row("records too long", stats.oversized);
        row("records skipped", stats.skipped);
        for (layers, &fields) in stats.effects.layers.iter().enumerate().skip(1) {
            let more = if layers == LAYERS { "+" } else { "" };
            row(&format!("fields of {layers}{more} layers"), fields);
        }
    }
    text
}

/// Returns the counts of an input as JSON.
pub fn entry_json(entry: &Entry) -> Value {
    let stats = &entry.stats;
    let counts: serde_json::Map<String, Value> =
        KINDS.iter().map(|&(kind, name, _)| (name.to_string(), json!(stats.count(kind)))).collect();
    let escaped: serde_json::Map<String, Value> = stats
        .escaped_bytes
        .iter()
        .enumerate()
        .filter(|&(_, &count)| count > 0)
        .map(|(byte, &count)| (format!("%{byte:02X}"), json!(count)))
        .collect();
    let layers = stats
        .effects
        .layers
        .iter()
        .rposition(|&count| count > 0)
        .map_or(&[][..], |last| &stats.effects.layers[1..=last]);
    let density: Vec<Value> = DENSITY
        .iter()
        .zip(stats.density)
        .map(|(from, records)| json!({ "from_percent": from, "records": records }))
        .collect();
    let shown = json!({
        "format": entry.format,
        "bytes": stats.bytes,
        "records": stats.records,
        "fields": stats.fields,
        "escapes": stats.escapes,
        "found": counts,
        "not_in_format": stats.effects.unrecognized,
        "too_long": stats.oversized,
        "left_out": stats.skipped,
        "layers": layers,
        "escaped_bytes": escaped,
        "density": density,
    });
    with_text(shown, "name", &entry.name)
}
