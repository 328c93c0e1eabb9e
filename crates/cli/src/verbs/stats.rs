//! `pct stats`: how dense escapes are, and which there are, in the terminal and as SVG.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use percent_simd::Plus;

use crate::args::{Binary, Fields, Input, Malformed, PLACES, Streams, places};
use crate::diagnostic::complain;
use crate::findings::{DENSITY, Stats};
use crate::formats::Format;
use crate::job::{Job, JobOptions, NoBulk};
use crate::report::{Form, Paint, Report, When, commas};
use crate::run;
use crate::transform::{Action, Spec};

/// What a bar in the terminal has at most.
const WIDTH: usize = 40;

/// Count escapes, and draw how dense they are and which are the most frequent
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pct stats --format auto access.log         of target and referrer
  pct stats --svg escapes.svg *.log.gz       as a picture, too
  pct stats --report=json urls | jq .inputs[0].escaped_bytes")]
pub struct Args {
    /// Write the drawing to FILE, as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Show the N most frequent escapes
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,

    /// Write `text` or `json`
    #[arg(long, value_name = "FORM", require_equals = true, default_value = "text", hide_possible_values = true)]
    report: Form,

    /// Report the first N places of each kind, or `all`; 5 if not given
    #[arg(long, value_name = "N", value_parser = places, default_value_t = PLACES, hide_default_value = true)]
    positions: usize,

    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    color: When,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    binary: Binary,

    #[command(flatten)]
    fields: Fields,
}

fn job(format: Box<dyn Format>, limit: usize, is_strict: bool) -> Result<Job, String> {
    let spec = Spec::of(Action::Decode { plus: Plus::Never });
    Job::new(format, &spec, Box::new(NoBulk), JobOptions { to: None, inspect: true, limit, quiet: true, is_strict })
}

/// Looks at all inputs and draws what was seen; the exit status.
pub fn run(args: Args) -> u8 {
    let Args { svg, top, report: form, positions, color, input, binary, fields } = args;
    let is_strict = fields.strict_format;
    let malformed = Malformed { check: true, ..Malformed::default() };
    let streams = Streams { input, binary, fields, malformed, ..Streams::default() };
    let mut report = match run::standard_output() {
        Ok(output) => Report::to_output(output, form, color),
        Err(error) => {
            complain(&format!("pct: cannot write to standard output: {error}"));
            return 2;
        }
    };
    let (mut code, entries) = run::all(&streams, &|format| job(format, positions, is_strict), Some(&mut report));
    let mut seen = Stats::new(0);
    entries.iter().for_each(|entry| seen.add(&entry.stats));
    let paint = report.paint();
    code = code.max(run::finish(&mut report, &entries));
    if form == Form::Text {
        code = code.max(run::print(&draw(&seen, top, paint)));
    }
    if let Some(path) = svg
        && let Err(error) = fs::write(&path, picture(&seen, top))
    {
        complain(&format!("pct: cannot write to {}: {error}", path.display()));
        code = 2;
    }
    code
}

/// Rows of a histogram.
type Bars = Vec<(String, u64)>;

/// A histogram: what it is of, its rows, and what they are parts of.
struct Chart {
    title: &'static str,
    bars: Bars,
    all: u64,
}

/// Records by how much of them is escapes.
fn density(seen: &Stats) -> Bars {
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

/// The most frequent escapes.
fn frequent(seen: &Stats, top: usize) -> Bars {
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

fn draw(seen: &Stats, top: usize, paint: Paint) -> String {
    let mut text = String::new();
    for Chart { title, bars, all } in charts(seen, top) {
        let _ = writeln!(text, "\n{}", paint.with("1", title));
        let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
        for (label, count) in bars {
            let bar = bar(count, most);
            let _ = writeln!(
                text,
                "  {label:12} {}{:pad$} {:>15} {:5.1} %",
                paint.with("36", &bar),
                "",
                commas(count),
                share(count, all),
                pad = WIDTH - bar.chars().count()
            );
        }
    }
    text
}

fn charts(seen: &Stats, top: usize) -> [Chart; 2] {
    let title = "Records, by the share of their bytes that is escapes";
    [
        Chart { title, bars: density(seen), all: seen.records },
        Chart { title: "The most frequent escapes", bars: frequent(seen, top), all: seen.escapes },
    ]
}

/// A bar to eighths of a character; what is there at all is to be seen.
fn bar(count: u64, most: u64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (u128::from(count) * 8 * WIDTH as u128).div_ceil(u128::from(most.max(1))) as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

/// Both histograms as SVG.
fn picture(seen: &Stats, top: usize) -> String {
    let charts = charts(seen, top);
    let rows: usize = charts.iter().map(|chart| chart.bars.len() + 3).sum();
    let height = 22 * rows + 10;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"{height}\" viewBox=\"0 0 760 {height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
         <title>Escapes in {} records</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        commas(seen.records)
    );
    let mut y = 10;
    for Chart { title, bars, all } in charts {
        y += 22;
        let _ = writeln!(svg, "<text x=\"20\" y=\"{y}\" font-weight=\"bold\">{title}</text>");
        let most = bars.iter().map(|&(_, count)| count).max().unwrap_or(0).max(1);
        for (label, count) in bars {
            y += 22;
            let width = 420.0 * count as f64 / most as f64;
            let label = label.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = writeln!(
                svg,
                "<text x=\"120\" y=\"{y}\" text-anchor=\"end\">{label}</text>\
                 <rect x=\"130\" y=\"{}\" width=\"{width:.1}\" height=\"16\" fill=\"#2a7f9e\"/>\
                 <text x=\"{:.1}\" y=\"{y}\">{} ({:.1} %)</text>",
                y - 13,
                136.0 + width,
                commas(count),
                share(count, all)
            );
        }
        y += 22;
    }
    svg.push_str("</svg>\n");
    svg
}
