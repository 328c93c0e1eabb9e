//! `pct cut`: turns records into rows of columns.

mod columns;
mod decoding;
mod part;
mod rows;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;
#[cfg(feature = "arrow")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use percent_simd::{ByteSet, RawEncoder};
use percent_simd_records::formats::{Bounds, Choice, Format, Kind, Syntax, Use, innermost, json_push};
use percent_simd_records::guard::Guard;
use percent_simd_records::transform::{Action, Effects, Spec, Transform};
use percent_standards::form::{self, Parser};
use percent_standards::uri::{self, Uri};

use self::columns::{Asked, Column, Columns};
use self::decoding::Decoding;
use self::part::{Part, split, text_of};
use self::rows::{Cells, Form, Row};
use super::decode::Layers;
use crate::args::{Fields, Input, Output, Streams};
use crate::job::Job;
use crate::message::complain;
#[cfg(feature = "arrow")]
use crate::record_verb::Turn;
use crate::record_verb::{Mark, RecordVerb, RecordView};
use crate::run;
use crate::sets;

/// Write fields, parts of URLs and query parameters as columns
///
/// Write a row for each record, as TSV by default. A column is a decoded field, or a
/// decoded part of its URL. For a part, write a dot and its name after the field's name:
///
///   scheme origin authority userinfo user host host.domain hosts port
///   password      shown as *** without --show-passwords
///   path file extension query fragment
///   segments[N]   a segment of the path: 1 is the first, -1 is the last
///   query.NAME    the first value of the parameter NAME
///   query.*       all parameters, as a JSON object
///   params        all parameters, as a JSON array of pairs
///
/// Without -f, the columns are the fields of the format that usually hold URLs, as far as the
/// first records of the first input have them. Later values of other fields are reported. With
/// --json, they are written instead, as further members.
///
/// The URL is split before its parts are decoded. If a part can be split again, as a path or
/// a query can, the escapes of its separators stay: /a%2Fb is not /a/b.
///
/// The target of a request (RFC 9112 3.2) is not split like a URL: all of //h/x is a path.
/// A target has no fragment, so a # does not end the path or the query.
///
/// If each record is one URL, name only the parts: host,query.q. Write \. for a dot that is
/// part of a field's name. In parameters, + is a space.
///
/// If a record has several values of a field, each further value has a row of its own. In
/// JSON, each element of an array has a row: -f '/id,/hits/*/url'.
///
/// Each row is one line. In CSV and TSV, controls and bytes that are not UTF-8 are always
/// written as escapes, even if they were not escaped before. With --null only NUL is
/// escaped; in JSON all is decoded. A part that a record lacks is empty, or null in JSON.
#[allow(rustdoc::broken_intra_doc_links, reason = "this is the help text, which isn't Markdown")]
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    mut_arg("null", |null| null.help("Write each value with a NUL after it, for xargs -0")),
    after_help = "\
Examples:
  pct cut --format auto -f target.path,referrer.host access.log   write two columns
  pct cut -f host,query.utm_source --csv urls                     list campaigns by host
  pct cut --format combined -f 'target.query.*' --json access.log   write parameters as objects"
)]
pub struct Args {
    /// Write CSV (RFC 4180)
    #[arg(long, conflicts_with_all = ["json", "null"])]
    csv: bool,

    /// Write TSV, the default
    #[arg(long, conflicts_with_all = ["json", "null", "csv"])]
    tsv: bool,

    /// Write a JSON object for each record
    #[arg(long, conflicts_with = "null")]
    json: bool,

    /// Write a stream in Arrow's IPC format; every column is text
    #[cfg(feature = "arrow")]
    #[arg(long, conflicts_with_all = ["json", "null", "csv", "tsv"])]
    arrow: bool,

    /// Leave out the line of column names
    #[arg(long)]
    no_header: bool,

    /// Also decode the separators of a part, and controls: with a raw line end
    /// or tab in a value, a row of TSV is broken
    #[arg(long, conflicts_with = "null", verbatim_doc_comment)]
    raw: bool,

    /// Keep these characters escaped; write a % as %25, other bytes as %XX
    #[arg(long, value_name = "CHARS", value_parser = sets::bytes, help_heading = "Decoding")]
    keep: Option<ByteSet>,

    /// Show passwords in the column `password`, not ***
    #[arg(long, conflicts_with = "redact")]
    show_passwords: bool,

    #[command(flatten)]
    layers: Layers,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,
}

/// Writes the columns of all inputs. Returns the exit status.
pub fn run(args: &Args) -> u8 {
    let form = match () {
        () if args.json => Form::Json,
        () if args.csv => Form::Csv,
        #[cfg(feature = "arrow")]
        () if args.arrow => Form::Arrow,
        () if args.input.null => Form::Null,
        () => Form::Tsv,
    };
    let mut input = args.input.clone();
    input.null = false;
    // If a record is one field, the field has no name.
    let is_whole = args.fields.format.as_ref().is_none_or(|format| format.is_whole());
    let asked = Asked::new(args.fields.choice().fields, is_whole);
    if let Some(name) = asked.repeated().filter(|_| form.finds_by_name()) {
        complain(&format!("pct: the column `{name}` is chosen twice; in this form of output, choose it only once"));
        return 2;
    }
    if let Some(name) = asked.unknown().filter(|_| is_whole) {
        let hint = match name.starts_with("segments[") {
            true => "segments count from 1 at the start, and from -1 at the end",
            false => "name a format, or use --format auto",
        };
        complain(&format!("pct: there is no field `{name}`, because each record is one field; {hint}"));
        return 2;
    }
    let field = match asked.fields.as_slice() {
        [only] if only.is_empty() => Vec::new(),
        all => all.iter().map(|field| field.replace(',', "\\,")).collect(),
    };
    let of_verb = Choice { words: true, usage: Use::Read, ..Choice::default() };
    let fields = Fields { field, of_verb, ..args.fields.clone() };
    let streams = Streams::of(&input, &args.output, &fields).reading_urls();
    let has_header = Arc::new(AtomicBool::new(args.no_header || form.has_no_header()));
    #[cfg(feature = "arrow")]
    let arrow: Arc<OnceLock<super::arrow::Writer>> = Arc::default();
    let make = |format: Box<dyn Format>, start: Option<run::Start>| {
        let plus = args.layers.plus();
        let is_left_out = start.is_some_and(|start| asked.leaves_out(&start));
        let (format, columns) = asked.columns(format, start, form != Form::Json && !is_left_out)?;
        // With `--raw`, a stream in Arrow's format can hold controls, but no bytes that aren't UTF-8.
        let is_raw = args.raw;
        let (raw, keep) = (is_raw && form.writes_bytes(), args.keep.unwrap_or(ByteSet::EMPTY));
        let spec = Spec { repeat: args.layers.repeat, raw, keep, ..Spec::of_fields(Action::Decode { plus }) };
        let inner = innermost(&*format);
        let layers = spec.layers(inner.as_deref().unwrap_or(&*format));
        let whole = |syntax| Transform::for_rule(&spec, &form.rule(syntax), layers);
        let decoding =
            |column: &Column| Decoding::new(&column.part, &spec, is_raw, &form.rule(Syntax::Reference), layers);
        #[cfg(feature = "arrow")]
        if form == Form::Arrow && start.is_some() && !is_left_out && arrow.get().is_none() {
            let names = columns.all.iter().map(|column| column.name.as_str());
            let writer =
                super::arrow::Writer::new(names).map_err(|error| format!("pct: cannot write Arrow: {error}"))?;
            let _ = arrow.set(writer);
        }
        let cut = Cut {
            #[cfg(feature = "arrow")]
            arrow: Arc::clone(&arrow),
            whole: [whole(Syntax::Reference), whole(Syntax::Query)],
            parts: columns.all.iter().map(decoding).collect(),
            hides_passwords: !args.show_passwords,
            is_raw: raw,
            guard: Guard::new(form.rule(Syntax::Reference).keep),
            has_header: Arc::clone(&has_header),
            is_left_out,
            columns,
            form,
        };
        Ok(Job::of_records(format, &spec, args.fields.strict_format, cut))
    };
    run::all(&streams, &make, None).code
}

struct Cut {
    columns: Columns,
    form: Form,
    /// The transforms of whole fields: the first for references, the second for queries.
    whole: [Transform; 2],
    /// For each column, the decoding of the part that the column shows.
    parts: Vec<Decoding>,
    hides_passwords: bool,
    /// If true, controls and bytes that are not UTF-8 are written as they are.
    is_raw: bool,
    /// Escapes all bytes that a cell must not contain, whether the input had them escaped or not.
    guard: Guard,
    /// If true, the line with the names of the columns has been written.
    has_header: Arc<AtomicBool>,
    /// If true, the input is empty, and another input writes this line.
    is_left_out: bool,
    #[cfg(feature = "arrow")]
    arrow: Arc<OnceLock<super::arrow::Writer>>,
}

thread_local! {
    /// The memory of each thread.
    static ROW: RefCell<(Row, Effects)> = RefCell::default();
}

/// Finds the first byte that at least one form of output has to change. If a value has no byte like this, it is copied.
static PLAIN: RawEncoder = RawEncoder::new(ByteSet::range(b' ', b'~').difference(ByteSet::of(b"%+\"\\,")));

impl Cut {
    fn push_header(&self, out: &mut Vec<u8>) {
        if self.is_left_out || self.has_header.swap(true, Ordering::Relaxed) {
            return;
        }
        let (wrap, mut guarded) = (self.form.rule(Syntax::Reference).wrap, Vec::new());
        for (number, column) in self.columns.all.iter().enumerate() {
            out.extend(if number > 0 { self.form.separator() } else { b"" });
            guarded.clear();
            self.guard.push(&column.name, &mut guarded);
            wrap.write(&guarded, b"", out);
        }
        out.push(b'\n');
    }

    /// Appends a value as a cell needs it: decoded, and with quotes or escapes of the output format.
    fn push_value(&self, transform: &Transform, value: &[u8], row: &mut Row, effects: &mut Effects) {
        if PLAIN.first_changed(value).is_none() {
            return row.text.extend_from_slice(value);
        }
        row.guarded.clear();
        let value = match self.form {
            // In all forms except JSON, unescaped bytes of the input could forge rows, just like decoded bytes. So we
            // escape them here.
            _ if self.form != Form::Json && !self.is_raw => {
                self.guard.push_bytes(value, &mut row.guarded);
                &row.guarded[..]
            }
            _ => value,
        };
        transform.written(value, &mut row.scratch, &mut row.text, effects);
    }

    /// Fills the cells of all columns that show the field with the index `choice`, or a part of this field.
    /// Returns false if no column does.
    fn fill(&self, choice: usize, syntax: Syntax, value: &[u8], row: &mut Row, effects: &mut Effects) -> bool {
        let columns = self.columns.of(choice);
        if columns.is_empty() {
            return false;
        }
        let is_taken_apart = |number: &&usize| self.columns.all[**number].part != Part::All;
        let url = columns.iter().find(is_taken_apart).map(|_| text_of(value));
        let url = url.as_deref().unwrap_or_default();
        let uri = split(url, syntax);
        let is_taken = std::mem::replace(&mut row.taken[choice], true);
        let value_number = row.more.last().map_or(0, |(before, ..)| before + 1);
        for &number in columns {
            let start = row.text.len();
            if self.columns.all[number].part == Part::All {
                self.push_value(&self.whole[usize::from(syntax.is_query())], value, row, effects);
            } else if !self.push_part(number, &uri, syntax, row, effects) {
                continue;
            }
            row.add(is_taken.then_some(value_number), number, start, &self.columns);
        }
        true
    }

    /// Appends the part of a value that the column with the index `number` shows. Returns false if the value lacks this
    /// part.
    fn push_part(&self, number: usize, uri: &Uri, syntax: Syntax, row: &mut Row, effects: &mut Effects) -> bool {
        let part = &self.columns.all[number].part;
        if part.is_json() {
            let mut json = Vec::new();
            let transform = self.parts[number].transform(b"");
            let decode = |text: &[u8]| {
                let (mut scratch, mut decoded) = (Vec::new(), Vec::new());
                transform.written(text, &mut scratch, &mut decoded, &mut Effects::default());
                decoded
            };
            let is_there = part.push_json(uri, decode, &mut json);
            if is_there {
                self.push_json(&json, row);
            }
            return is_there;
        }
        let found = match part {
            Part::Parameter(name) => {
                let Some(query) = uri.query else { return false };
                let pairs = Parser::new();
                let mut pairs = pairs.parse_raw(query);
                let Some(pair) = pairs.find(|pair| *form::DECODER.decode(pair.name) == **name) else { return false };
                Cow::Borrowed(pair.value.unwrap_or_default())
            }
            part => match part.text(uri, syntax) {
                None => return false,
                Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
                Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
            },
        };
        if *part == Part::Password && self.hides_passwords && !found.is_empty() {
            row.text.extend(uri::HIDDEN_PASSWORD.as_bytes());
            return true;
        }
        self.push_value(self.parts[number].transform(&found), &found, row, effects);
        true
    }

    /// Appends JSON whose strings are decoded.
    fn push_json(&self, json: &[u8], row: &mut Row) {
        match self.form {
            Form::Json => row.text.extend(json),
            // We write the JSON without decoding it again.
            _ => self.form.rule(Syntax::Reference).wrap.write(json, b"", &mut row.text),
        }
    }

    /// Appends the rows. If `is_first` is false, leaves out a row without cells.
    fn push_rows(&self, row: &mut Row, is_first: bool, out: &mut Vec<u8>) {
        if is_first || row.cells.all.iter().any(Option::is_some) {
            self.push_row(&row.cells, &row.text, out);
        }
        for value in row.more.chunk_by(|one, next| one.0 == next.0) {
            row.cells.clear(&self.columns);
            value.iter().for_each(|(_, number, cell)| row.cells.set(*number, cell.clone(), &self.columns));
            self.push_row(&row.cells, &row.text, out);
        }
    }

    /// Appends a row.
    fn push_row(&self, cells: &Cells, text: &[u8], out: &mut Vec<u8>) {
        #[cfg(feature = "arrow")]
        if self.form == Form::Arrow {
            return cells
                .all
                .iter()
                .for_each(|cell| super::arrow::push_cell(cell.clone().map(|range| &text[range]), out));
        }
        if self.form == Form::Json {
            out.push(b'{');
        }
        for (place, number) in (0..self.columns.fixed).chain(cells.optional.iter().copied()).enumerate() {
            let (column, cell) = (&self.columns.all[number], &cells.all[number]);
            out.extend_from_slice(if place > 0 { self.form.separator() } else { b"" });
            let text = cell.clone().map(|range| &text[range]);
            if self.form != Form::Json {
                out.extend_from_slice(text.unwrap_or_default());
                out.extend(if self.form == Form::Null { &b"\0"[..] } else { b"" });
                continue;
            }
            out.push(b'"');
            json_push(&column.name, out);
            out.extend(b"\":");
            match text {
                Some(text) if column.part.is_json() => out.extend(text),
                Some(text) => {
                    out.push(b'"');
                    out.extend(text);
                    out.push(b'"');
                }
                None => out.extend(b"null"),
            }
        }
        out.extend(match self.form {
            Form::Json => &b"}\n"[..],
            Form::Null => b"",
            #[cfg(feature = "arrow")]
            Form::Arrow => b"",
            Form::Tsv | Form::Csv => b"\n",
        });
    }
}

impl RecordVerb for Cut {
    fn table(&self) -> Option<Bounds> {
        Some(match self.form {
            Form::Json => Bounds::Quote,
            Form::Csv => Bounds::Csv(b','),
            _ => Bounds::Tab,
        })
    }

    fn begin(&self, out: &mut Vec<u8>) {
        self.push_header(out);
    }

    fn visit(&self, record: &RecordView, _: bool, out: &mut Vec<u8>, _: &mut Vec<Mark>) {
        if record.kind != Kind::Data {
            return;
        }
        ROW.with_borrow_mut(|(row, effects)| {
            row.clear(&self.columns);
            let mut last = 0;
            record.each_value_of_rows(|number, choice, syntax, value| {
                if number > last {
                    self.push_rows(row, last == 0, out);
                    row.clear(&self.columns);
                    last = number;
                }
                if !self.fill(choice, syntax, &value, row, effects) {
                    self.columns.count_other(choice);
                }
            });
            self.push_rows(row, last == 0, out);
        });
    }

    fn visit_oversized(&self, out: &mut Vec<u8>) {
        // We write an empty row, so that the record is not lost without a trace.
        let mut row = Row::default();
        row.clear(&self.columns);
        self.push_rows(&mut row, true, out);
    }

    fn remark(&self) -> Option<String> {
        self.columns.remark()
    }

    #[cfg(feature = "arrow")]
    fn is_ordered(&self) -> bool {
        self.form == Form::Arrow
    }

    #[cfg(feature = "arrow")]
    fn write(&self, turn: &Turn, out: &mut Vec<u8>) -> bool {
        let written = self.arrow.get().map(|writer| writer.write(turn.text, out));
        if let Some(Err(error)) = &written {
            complain(&format!("pct: cannot write Arrow: {error}"));
        }
        matches!(written, Some(Ok(())))
    }

    fn end(&self, _: &[u8], out: &mut Vec<u8>) {
        #[cfg(feature = "arrow")]
        if let Some(writer) = self.arrow.get() {
            // Even without a record, the stream needs a schema. This call writes the schema if it has not been written.
            let _ = writer.write(b"", out);
        }
        // Even without a record, the output needs a header.
        self.push_header(out);
    }
}
