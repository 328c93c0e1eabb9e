//! `pct stats`: counts requests, their escapes, and possible attacks. Writes text, JSON, SVG and HTML.

mod against;
mod groups;
mod page;
mod picture;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use percent_simd::Plus;
use percent_simd_records::formats::{Choice, Format, Role, Use};
use percent_simd_records::transform::{Action, Spec};
use serde_json::{Map, Value, json};

use self::against::Against;
use crate::args::{Binary, Fields, Input, Malformed, Streams, places};
use crate::findings::{DENSITY, Stats};
use crate::job::Job;
use crate::message::{complain, printable_line, text_members, with_text};
use crate::output::OutputFile;
use crate::plan::Policies;
use crate::report::{Entry, Form, Paint, Report, When, commas, counted, entry_json};
use crate::run;
use crate::tally::{Attacks, By, Example, Shared, Summary, Top};
use crate::user_formats;

/// The maximum length of a label and of a bar in the terminal, in characters.
const LABEL: usize = 44;
const WIDTH: usize = 24;

/// Count requests, their escapes, and possible attacks
///
/// Count paths, hosts, parameters, statuses, clients and referring hosts, if the format has
/// fields for them. With -f, also count the values of the chosen fields. Paths, names and
/// values are decoded once before they are counted. In a path, %2F stays as it is.
///
/// Possible attacks are path traversal (`..` after decoding all layers), double encoding,
/// overlong UTF-8, NUL and other controls, escaped separators in a path, and U+FEFF. They are
/// counted by kind, by client and by path, with the first example and its place.
/// `pct grep --attack all` prints their records.
///
/// Counts are exact until a table needs more than 32 MiB in a thread. From then on, rare
/// names are dropped, and the report shows by how much a count can be too low.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct stats --format auto access.log
  pct stats --format auto -f user-agent --top 20 access.log
  pct stats --format auto --html report.html --svg report.svg *.log.gz
  pct stats --format auto --by hour access.log
  pct stats --format auto --against yesterday.log access.log
  pct stats --format auto --json access.log | jq .top.paths"
)]
pub struct Args {
    /// Write a report to FILE, as one HTML page that needs no other file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the charts to FILE, as SVG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    svg: Option<PathBuf>,

    /// Also show the paths, parameters and attacks that the log FILE does not
    /// have, for example the log of the day before
    #[arg(long, value_name = "FILE", help_heading = "Output", verbatim_doc_comment)]
    against: Option<PathBuf>,

    /// Write JSON to standard output, as --report=json does
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Group the requests by `minute`, `hour` or `day`, in the zone of the log,
    /// and count errors and attacks in each group; or show the paths of each
    /// `status`
    #[arg(long, value_name = "WHAT", hide_possible_values = true, help_heading = "Output", verbatim_doc_comment)]
    by: Option<By>,

    /// Show the N most frequent names of each table
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    top: usize,

    /// Write `text` or `json`
    #[arg(
        long,
        value_name = "FORM",
        require_equals = true,
        default_value = "text",
        hide_possible_values = true,
        help_heading = "Output"
    )]
    report: Form,

    /// List the first N places of each kind of malformed or suspicious
    /// values, or `all`
    #[arg(
        long,
        value_name = "N",
        value_parser = places,
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Output",
        verbatim_doc_comment
    )]
    positions: usize,

    /// Color the output: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        hide_default_value = true,
        help_heading = "Output"
    )]
    color: When,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    binary: Binary,

    #[command(flatten)]
    fields: Fields,
}

/// Runs the verb on all inputs. Returns the exit status.
pub fn run(args: Args) -> u8 {
    let Args { html, svg, against, json, by, top, report: form, positions, color, input, binary, mut fields } = args;
    let form = if json { Form::Json } else { form };
    let (is_strict, is_named) = (fields.strict_format, !fields.field.is_empty());
    let roles: &[Role] = match by.is_some_and(By::is_time) {
        true => &[Role::Client, Role::Host, Role::Status, Role::Time],
        false => &[Role::Client, Role::Host, Role::Status],
    };
    fields.of_verb = Choice { roles, usage: Use::Read, ..Choice::default() };
    let malformed = Malformed { check: true, ..Malformed::default() };
    let streams = Streams { input, binary, fields, malformed, reads_urls: true, ..Streams::default() };
    // `stats` counts the kinds of attacks that the file of the user's formats defines. So this file must be valid, even
    // if no format of the user is needed.
    if let Err(message) = user_formats::check() {
        complain(&format!("pct: {message}"));
        return 2;
    }
    let mut sources = run::sources(streams.input.names());
    sources.extend(against.clone());
    let [svg, html] = match open(&sources, svg.as_deref(), html.as_deref(), streams.input.quiet) {
        Ok(files) => files,
        Err(message) => {
            complain(&message);
            return 2;
        }
    };
    let mut report = match run::report_to_output(&sources, form, color) {
        Ok(report) => report,
        Err(code) => return code,
    };
    let policies = Policies { inspect: true, limit: positions, quiet: true, is_strict, ..Policies::default() };
    let count = |streams: &Streams, policies: Policies, report: Option<&mut Report>| {
        let shared = Shared::default();
        let make = |format: Box<dyn Format>, _: Option<run::Start>| {
            if !format.is_whole() {
                return Ok(Job::of_tally(format, &shared, is_named, by, policies));
            }
            Job::new(format, &Spec::of(Action::Decode { plus: Plus::Never }), None, None, policies)
        };
        let ran = run::all(streams, &make, report);
        let summary = std::mem::take(&mut *shared.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        (ran, summary)
    };
    let earlier = against.map(|file| {
        let mut earlier = streams.clone();
        earlier.input.files = vec![file.clone()];
        let (ran, summary) = count(&earlier, Policies { limit: 0, ..policies }, None);
        (ran, Against { name: file.display().to_string(), summary })
    });
    let (run::Ran { mut code, mut entries, mut is_whole }, summary) = count(&streams, policies, Some(&mut report));
    let against = earlier.map(|(ran, against)| {
        code = code.max(ran.code);
        is_whole &= ran.is_whole;
        against
    });
    let mut seen = Stats::new(0);
    entries.iter().for_each(|entry| seen.add(&entry.stats));
    let files: Vec<String> =
        entries.iter().map(|entry| format!("{} ({})", String::from_utf8_lossy(&entry.name), entry.format)).collect();
    let total = Entry {
        name: format!("all {} inputs", entries.len()).into_bytes(),
        format: "total".into(),
        stats: seen.clone(),
    };
    let data = Data { files, seen, summary, against, by, top };
    let paint = report.paint();
    let mut more = Map::new();
    if form == Form::Json {
        more.insert("total".into(), entry_json(&total));
        more.extend(data.json());
    } else if entries.len() > 1 {
        entries.push(total);
    }
    code = code.max(run::finish(&mut report, &entries, &more));
    if form == Form::Text {
        code = code.max(run::print(data.text(paint)));
    }
    if !is_whole {
        [svg, html].into_iter().flatten().for_each(OutputFile::abandon);
        return code;
    }
    code = code.max(svg.map_or(0, |file| file.finish_with(picture::svg(&data).as_bytes())));
    code.max(html.map_or(0, |file| file.finish_with(page::html(&data).as_bytes())))
}

/// Opens the files for SVG and HTML. `sources` are the files that are read.
fn open(
    sources: &[PathBuf],
    svg: Option<&Path>,
    html: Option<&Path>,
    is_quiet: bool,
) -> Result<[Option<OutputFile>; 2], String> {
    let open = |path: Option<&Path>, others: &[PathBuf]| {
        path.map(|path| OutputFile::open(path, &[sources, others].concat(), is_quiet)).transpose()
    };
    Ok([open(svg, html.map(Path::to_path_buf).as_slice())?, open(html, &[])?])
}

/// The data that all outputs show: text, JSON, SVG and HTML.
struct Data {
    /// The names of the inputs, each with its format.
    files: Vec<String>,
    seen: Stats,
    summary: Summary,
    against: Option<Against>,
    by: Option<By>,
    top: usize,
}

/// A histogram: its title, its bars, a note, and `all`, the count that is shown as 100 %.
struct Chart {
    title: String,
    bars: Vec<(String, u64)>,
    all: u64,
    note: String,
}

impl Chart {
    /// Returns the largest count, but at least 1.
    fn most(&self) -> u64 {
        self.bars.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1)
    }
}

impl Data {
    fn charts(&self) -> Vec<Chart> {
        let requests = self.summary.counts.requests;
        let tables = self.summary.counts.tables();
        let of_table = |(name, table): &(std::borrow::Cow<str>, &Top<()>)| Chart {
            title: capitalized(name),
            bars: table.most(self.top).into_iter().map(|(name, count, ())| (shown(name), count)).collect(),
            all: requests,
            note: note(table),
        };
        let mut charts = self.by.map_or_else(Vec::new, |by| groups::charts(by, &self.summary.counts, self.top));
        charts.extend(tables.iter().map(of_table));
        charts.extend(self.against.iter().flat_map(|against| against.charts(&self.summary, self.top)));
        let (title, all) = ("Records by share of bytes in escapes".into(), self.seen.records);
        charts.push(Chart { title, bars: density(&self.seen), all, note: String::new() });
        let (title, all) = ("The most frequent escapes".into(), self.seen.escapes);
        charts.push(Chart { title, bars: frequent(&self.seen, self.top), all, note: String::new() });
        charts
    }

    /// Returns the tables of attacks by client and by path.
    fn attackers(&self) -> [(&'static str, &Top<Attacks>); 2] {
        [("client", &self.summary.clients), ("path", &self.summary.paths)]
    }

    fn text(&self, paint: Paint) -> String {
        let mut text = String::new();
        for chart in self.charts() {
            let most = chart.most();
            let _ = writeln!(text, "\n{}{}", paint.with("1", &chart.title), chart.note);
            for (label, count) in chart.bars {
                let (label, bar) = (cut(&label, LABEL), bar(count, most));
                let _ = writeln!(
                    text,
                    "  {label:LABEL$} {}{:pad$} {:>13} {:5.1} %",
                    paint.with("36", &bar),
                    "",
                    commas(count),
                    share(count, chart.all),
                    pad = WIDTH - bar.chars().count()
                );
            }
        }
        if self.summary.attacked == 0 {
            return text;
        }
        let title = paint.with("1", "Possible attacks");
        let _ = writeln!(text, "\n{title} (in {})", counted(self.summary.attacked, "request"));
        for (kind, count, example) in self.summary.kinds() {
            if let Some(example) = example {
                let name = cut(&printable_line(&kind.title), LABEL);
                let _ = writeln!(text, "  {name:LABEL$} {:>13}  {}", commas(count), example_text(example, paint));
            }
        }
        for (what, top) in self.attackers() {
            if !top.is_empty() {
                let _ = writeln!(text, "\n{}{}", paint.with("1", &format!("By {what}")), note(top));
            }
            for (name, count, about) in top.most(self.top) {
                let (name, kinds) =
                    (cut(&shown(name), LABEL), printable_line(&about.names(|kind| &kind.title).join(", ")));
                let example = example_text(&about.example, paint);
                let _ = writeln!(
                    text,
                    "  {name:LABEL$} {:>13}  {kinds}\n  {:LABEL$}{:15} {example}",
                    commas(count),
                    "",
                    ""
                );
            }
        }
        text
    }

    /// Returns the members of the JSON report besides the counts of each input.
    fn json(&self) -> Map<String, Value> {
        let top = |top: &Top<()>| {
            let values: Vec<_> = top.most(self.top).into_iter().map(|(name, count, ())| named(name, count)).collect();
            json!({
                "exact": top.lost() == 0,
                "too_low_by_at_most": top.lost(),
                "distinct": top.distinct(),
                "values": values.into_iter().map(Value::Object).collect::<Vec<_>>(),
            })
        };
        let tables: Map<String, Value> = self
            .summary
            .counts
            .tables()
            .into_iter()
            .map(|(name, table)| (name.replace(' ', "_"), top(table)))
            .collect();
        let kinds = self.summary.kinds().map(|(kind, count, example)| {
            (kind.name.to_string(), json!({ "count": count, "example": example.map(example_json) }))
        });
        let kinds: Map<String, Value> = kinds.collect();
        let by = |top: &Top<Attacks>| -> Vec<Value> {
            let row = |(name, count, about): (&[u8], u64, &Attacks)| {
                let mut row = named(name, count);
                row.insert("kinds".into(), json!(about.names(|kind| &kind.name)));
                row.insert("example".into(), example_json(&about.example));
                Value::Object(row)
            };
            top.most(self.top).into_iter().map(row).collect()
        };
        let Summary { attacked, clients, paths, .. } = &self.summary;
        let attacks = json!({ "requests": attacked, "kinds": kinds, "clients": by(clients), "paths": by(paths) });
        let mut all = Map::from_iter([
            ("requests".to_string(), json!(self.summary.counts.requests)),
            ("top".to_string(), Value::Object(tables)),
            ("attacks".to_string(), attacks),
        ]);
        all.extend(self.by.map(|by| ("by".to_string(), groups::json(by, &self.summary.counts, self.top))));
        all.extend(self.against.iter().map(|against| ("new".to_string(), against.json(&self.summary, self.top))));
        all
    }
}

fn named(name: &[u8], count: u64) -> Map<String, Value> {
    let mut members = text_members("value", name);
    members.insert("count".into(), json!(count));
    members
}

fn example_json(example: &Example) -> Value {
    let shown = json!({ "line": example.line, "column": example.column });
    with_text(with_text(shown, "input", &example.input), "value", &example.value)
}

/// Formats the place of an example.
fn place(example: &Example) -> String {
    printable_line(&format!("{}:{}:{}", String::from_utf8_lossy(&example.input), example.line, example.column))
}

fn example_text(example: &Example, paint: Paint) -> String {
    format!("{}: {}", paint.with("35", &place(example)), shown(&example.value))
}

/// Returns a note with the number of names in a table, or with the largest possible error of its counts.
fn note<T: Clone>(top: &Top<T>) -> String {
    match top.lost() {
        0 => format!(" ({})", commas(top.distinct() as u64)),
        lost => format!(" (approximate: counts may be up to {} too low)", commas(lost)),
    }
}

/// Returns `name` in a printable form: one line, without characters that control a terminal or change the direction of text.
fn shown(name: &[u8]) -> String {
    printable_line(&String::from_utf8_lossy(name))
}

/// Shortens `text` to at most `most` characters.
fn cut(text: &str, most: usize) -> String {
    match text.chars().count() {
        len if len <= most => text.to_string(),
        _ => text.chars().take(most - 1).chain(['…']).collect(),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// Returns the bars of a histogram. The histogram groups records by the share of their bytes that belongs to escapes.
fn density(seen: &Stats) -> Vec<(String, u64)> {
    let some: u64 = seen.density.iter().sum();
    let mut bars = vec![("none".to_string(), seen.records.saturating_sub(some))];
    for (at, &records) in seen.density.iter().enumerate() {
        let label = match (DENSITY[at], DENSITY.get(at + 1)) {
            (0, _) => "below 1 %".to_string(),
            (from, Some(to)) => format!("{from} to {to} %"),
            (from, None) => format!("{from} %"),
        };
        bars.push((label, records));
    }
    bars
}

/// Returns the bars for the most frequent escapes.
fn frequent(seen: &Stats, top: usize) -> Vec<(String, u64)> {
    let mut bytes: Vec<(usize, u64)> =
        seen.escaped_bytes.iter().copied().enumerate().filter(|&(_, count)| count > 0).collect();
    bytes.sort_by_key(|&(byte, count)| (std::cmp::Reverse(count), byte));
    bytes.truncate(top);
    let label = |byte: usize| match byte as u8 {
        b' ' => "%20 space".to_string(),
        byte @ 0x21..=0x7E => format!("%{byte:02X} {}", char::from(byte)),
        byte => format!("%{byte:02X}"),
    };
    bytes.into_iter().map(|(byte, count)| (label(byte), count)).collect()
}

fn share(count: u64, all: u64) -> f64 {
    100.0 * count as f64 / (all as f64).max(1.0)
}

/// Returns a bar, precise to an eighth of a character. Any count above 0 is visible.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (u128::from(count) * 8 * WIDTH as u128).div_ceil(u128::from(most.max(1))) as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

/// Escapes `text` for one line of XML or HTML, between tags or in an attribute.
fn markup(text: &str) -> String {
    let text = printable_line(text);
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
