//! `pct grep`: the records with a field that matches, decoded.

mod matcher;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use percent_simd::ByteSet;
use percent_simd_records::formats::{Format, Kind};
use percent_simd_records::framing::Framing;
use percent_simd_records::guard::Guard;
use percent_simd_records::place::Place;
use percent_simd_records::transform::{Action, Effects, Spec};
use serde_json::json;

use self::matcher::{Compiled, Matcher, Patterns};
use super::decode::Layers;
use crate::args::{Fields, Input, Output, Streams};
use crate::job::Job;
use crate::message::{complain, printable_line};
use crate::record_verb::{Mark, RecordVerb, RecordView, Turn};
use crate::report::{Paint, When};
use crate::run;

/// Find records by what their fields are, decoded
///
/// Find the records of which a field matches PATTERN once it is decoded, whatever of it
/// is written as %XX, and write them as they are. The syntax is that of ripgrep and of
/// the regex crate; ^ and $ are the start and the end of a field.
///
/// Options are those of ripgrep where they mean the same, but that -f is a field.
/// Headers and comments of a format are no records, so they match nothing.
///
/// The exit status is 0 if something matched, 1 if nothing did, and 2 if something is
/// wrong.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    next_help_heading = "Output",
    mut_arg("output", |output| output.short(None)),
    after_help = "\
Examples:
  pct grep --format auto -f target '\\.\\./' *.log.gz    ..%2F, %2e%2e/ and all others
  pct grep --repeat=stable -i 'union\\s+select' urls    however often it is encoded
  pct grep --format combined -c -f referrer café access.log   how many
  pct grep --format auto --decoded -n admin access.log        to be read, with line numbers
  pct grep --format ndjson -f /url -o 'id=\\d+' log.json      nothing but what matched"
)]
pub struct Args {
    /// What to look for; with -e, a file
    #[arg(value_name = "PATTERN", required_unless_present = "regexp", help_heading = None::<&str>)]
    pattern: Option<OsString>,

    /// Look for this pattern; given more than once, for any of them
    #[arg(short = 'e', long, value_name = "PATTERN", help_heading = "Matching", allow_hyphen_values = true)]
    regexp: Vec<String>,

    /// The pattern is text, and not a regular expression
    #[arg(short = 'F', long, help_heading = "Matching")]
    fixed_strings: bool,

    /// Case does not matter
    #[arg(short, long, help_heading = "Matching")]
    ignore_case: bool,

    /// Match whole words only
    #[arg(short, long, help_heading = "Matching")]
    word_regexp: bool,

    /// Match whole fields only
    #[arg(short = 'x', long, help_heading = "Matching")]
    line_regexp: bool,

    /// Take the records that do not match
    #[arg(short = 'v', long, help_heading = "Matching")]
    invert_match: bool,

    /// Match URLs in their normal form, with . and .. of paths gone
    #[arg(long, help_heading = "Matching")]
    normalize: bool,

    /// Write records as `pct decode` does, decoded
    #[arg(short, long, conflicts_with_all = ["only_matching", "json"])]
    decoded: bool,

    /// Write what matched, decoded but for controls, each on a line
    #[arg(short, long, conflicts_with_all = ["invert_match", "json"])]
    only_matching: bool,

    /// Write an object of JSON for each record: where it is, the record,
    /// and what matched in which field
    #[arg(long, conflicts_with_all = ["count", "files_with_matches"], verbatim_doc_comment)]
    json: bool,

    /// Write how many records of each file match, of those with any
    #[arg(short, long)]
    count: bool,

    /// Write the names of files with a match
    #[arg(short = 'l', long, conflicts_with = "count")]
    files_with_matches: bool,

    /// Write the line number in front of each record
    #[arg(short = 'n', long)]
    line_number: bool,

    /// Write the name of the file in front, even if there is but one
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    with_filename: bool,

    /// Write no name of a file in front, even if there are several
    #[arg(short = 'I', long)]
    no_filename: bool,

    /// Stop in each file after N records
    #[arg(short = 'm', long, value_name = "N")]
    max_count: Option<u64>,

    /// Write N records behind each match too
    #[arg(short = 'A', long, value_name = "N")]
    after_context: Option<usize>,

    /// Write N records in front of each match too
    #[arg(short = 'B', long, value_name = "N")]
    before_context: Option<usize>,

    /// Write N records in front of and behind each match too
    #[arg(short = 'C', long, value_name = "N")]
    context: Option<usize>,

    /// Write headers and comments too, so that a table stays one
    #[arg(long, conflicts_with_all = ["count", "files_with_matches", "json", "only_matching", "context", "after_context", "before_context"])]
    keep_header: bool,

    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    color: When,

    #[command(flatten)]
    layers: Layers,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    input: Input,

    #[command(flatten)]
    output: Output,
}

/// Looks for the patterns in all inputs; the exit status.
pub fn run(mut args: Args) -> u8 {
    let mut patterns = std::mem::take(&mut args.regexp);
    match args.pattern.take() {
        // With -e, what comes first is a file.
        Some(file) if !patterns.is_empty() => args.input.files.insert(0, file.into()),
        Some(pattern) => match pattern.into_string() {
            Ok(pattern) => patterns.push(pattern),
            Err(_) => {
                complain("pct: the pattern is not UTF-8; write \\xFF for a byte of it");
                return 2;
            }
        },
        None => {}
    }
    let search = match Search::new(&args, patterns) {
        Ok(search) => search,
        Err(message) => {
            complain(&format!("pct: {message}"));
            return 2;
        }
    };
    let streams = Streams {
        input: args.input.clone(),
        fields: args.fields.clone(),
        output: args.output.clone(),
        ..Streams::default()
    };
    let (code, _) = run::all(&streams, &|format, _| Ok(search.job(format, |matcher| matcher)), None);
    match code {
        0 => u8::from(!search.found.load(Ordering::Relaxed)),
        code => code,
    }
}

/// A search in all inputs.
struct Search<'a> {
    args: &'a Args,
    compiled: Arc<Compiled>,
    style: Arc<Style>,
    /// Whether anything was found.
    found: Arc<AtomicBool>,
    /// Whether a record was written with its context.
    wrote: Arc<AtomicBool>,
}

impl Search<'_> {
    fn new(args: &Args, texts: Vec<String>) -> Result<Search<'_>, String> {
        let patterns = Patterns {
            texts,
            is_fixed: args.fixed_strings,
            ignores_case: args.ignore_case,
            is_word: args.word_regexp,
            is_whole: args.line_regexp,
        };
        let compiled = Arc::new(patterns.compile()?);
        Ok(Search { args, compiled, style: Arc::new(args.style()), found: Arc::default(), wrote: Arc::default() })
    }

    /// The search in an input in `format`, with what `adapt` makes of its matcher.
    fn job(&self, format: Box<dyn Format>, adapt: impl Fn(Matcher) -> Matcher) -> Job {
        let args = self.args;
        let plus = args.layers.plus();
        let layers = args.layers.repeat.unwrap_or(format.layers());
        let matcher = Matcher::new(Arc::clone(&self.compiled), &*format, plus, layers, args.normalize);
        let names = format.inner().map_or_else(|| format.plan().names.clone(), |inner| inner.plan().names.clone());
        let spec = Spec { repeat: args.layers.repeat, on_utf8: None, ..Spec::of(Action::Decode { plus }) };
        let grep = Grep {
            matcher: adapt(matcher),
            names,
            invert: args.invert_match,
            style: Arc::clone(&self.style),
            found: Arc::clone(&self.found),
            wrote: Arc::clone(&self.wrote),
            state: Mutex::default(),
        };
        Job::of_records(format, &spec, args.fields.strict_format, grep)
    }
}

impl Args {
    fn style(&self) -> Style {
        let has_several = self.input.files.len() > 1;
        let both = self.context.unwrap_or(0);
        let is_terminal = self.output.is_terminal();
        let output = match () {
            () if self.input.quiet => Shown::Nothing,
            () if self.count => Shown::Count,
            () if self.files_with_matches => Shown::Name,
            () if self.json => Shown::Json,
            () if self.only_matching => Shown::Matches,
            () if self.decoded => Shown::Decoded,
            () => Shown::Record,
        };
        Style {
            output,
            names: (has_several || self.with_filename) && !self.no_filename,
            numbers: self.line_number,
            before: self.before_context.unwrap_or(both),
            after: self.after_context.unwrap_or(both),
            limit: self.max_count.unwrap_or(u64::MAX),
            keeps_header: self.keep_header,
            paint: Paint(self.color.is_now(is_terminal)),
        }
    }
}

/// The output for a record that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Record,
    Decoded,
    Matches,
    Json,
    /// How many there are in each file.
    Count,
    /// The names of files with such records.
    Name,
    Nothing,
}

/// How records are shown.
struct Style {
    output: Shown,
    names: bool,
    numbers: bool,
    before: usize,
    after: usize,
    limit: u64,
    keeps_header: bool,
    paint: Paint,
}

impl Style {
    fn has_context(&self) -> bool {
        self.before + self.after > 0 && matches!(self.output, Shown::Record | Shown::Decoded)
    }

    /// Whether nothing has to be known of the records before.
    fn is_simple(&self) -> bool {
        let shown = matches!(self.output, Shown::Record | Shown::Decoded | Shown::Matches);
        shown && !self.names && !self.numbers && !self.has_context() && self.limit == u64::MAX
    }
}

/// The search in one input.
struct Grep {
    matcher: Matcher,
    names: Vec<String>,
    invert: bool,
    style: Arc<Style>,
    /// Whether anything was found in any input, and written with its context.
    found: Arc<AtomicBool>,
    wrote: Arc<AtomicBool>,
    state: Mutex<State>,
}

/// Facts about the records of an input up to some place.
#[derive(Default)]
struct State {
    chosen: u64,
    /// The last records that were not written, each with its number among all and as it would be written.
    before: VecDeque<(u64, Vec<u8>)>,
    /// How many are still to be written behind the last one chosen.
    after: usize,
    /// How many records there were, and the number of the last one written.
    records: u64,
    last_written: Option<u64>,
}

impl Grep {
    /// Appends what is to be shown of a record, and a mark for each line of it.
    fn show(&self, record: &RecordView, out: &mut Vec<u8>, marks: &mut Vec<Mark>, is_hit: bool) {
        let mut mark = |text: Range<usize>| {
            if !self.style.is_simple() {
                marks.push(Mark { start: record.start, text, key: 0, is_hit });
            }
        };
        let start = out.len();
        match self.style.output {
            Shown::Record => record.push_whole(out),
            Shown::Decoded => {
                self.push_decoded(record, out);
                record.push_end(out);
            }
            Shown::Matches => {
                let guard = Guard::new(ByteSet::CONTROLS);
                record.each_value(|_, syntax, value| {
                    self.matcher.each_match(&value, syntax, |text, found| {
                        let start = out.len();
                        self.style.push_match(&text[found], &guard, out);
                        record.push_end(out);
                        mark(start..out.len());
                    });
                });
                return;
            }
            Shown::Json => {
                let mut matches = Vec::new();
                record.each_value(|choice, syntax, value| {
                    self.matcher.each_match(&value, syntax, |text, found| {
                        matches.push(json!({
                            "field": self.names.get(choice),
                            "value": String::from_utf8_lossy(text),
                            "match": String::from_utf8_lossy(&text[found.clone()]),
                            "start": found.start,
                            "end": found.end,
                        }));
                    });
                });
                let shown = json!({ "record": String::from_utf8_lossy(record.trimmed()), "matches": matches });
                out.extend(shown.to_string().bytes().chain(*b"\n"));
            }
            Shown::Count | Shown::Name | Shown::Nothing => {}
        }
        mark(start..out.len());
    }

    /// Appends the record as `pct decode` writes it.
    fn push_decoded(&self, record: &RecordView, out: &mut Vec<u8>) {
        let (mut scratch, mut effects) = (Vec::new(), Effects::default());
        let trimmed = record.trimmed();
        // Its offset in the record, with the bytes in front of the body.
        let first = trimmed.as_ptr().addr() - record.body.as_ptr().addr();
        let mut at = first;
        for field in record.fields {
            let (before, raw) = (&record.body[at..field.range.start], &record.body[field.range.clone()]);
            if record.transforms[field.rule].field(before, raw, &mut scratch, out, &mut effects) {
                at = field.range.end;
            }
        }
        out.extend(&record.body[at..first + trimmed.len()]);
    }

    /// Appends what stands in front of a line: the name of its file, and its number.
    fn prefix(&self, name: &str, place: Place, separator: char, out: &mut Vec<u8>) {
        let paint = self.style.paint;
        if self.style.names {
            out.extend(paint.with("35", &printable_line(name)).bytes());
            out.extend(paint.with("36", &separator.to_string()).bytes());
        }
        if self.style.numbers {
            out.extend(paint.with("32", &place.line.to_string()).bytes());
            out.extend(paint.with("36", &separator.to_string()).bytes());
        }
    }

    /// Writes a record that was chosen, with those in front of it, or one behind it; keeps the others.
    fn write_with_context(
        &self,
        state: &mut State,
        name: &str,
        place: Place,
        text: &[u8],
        is_hit: bool,
        out: &mut Vec<u8>,
    ) {
        let number = state.records;
        state.records += 1;
        let is_written = is_hit || state.after > 0;
        if !is_written {
            let mut line = Vec::new();
            self.prefix(name, place, '-', &mut line);
            line.extend(text);
            state.before.push_back((number, line));
            if state.before.len() > self.style.before {
                state.before.pop_front();
            }
            return;
        }
        let first = if is_hit { state.before.front().map_or(number, |(first, _)| *first) } else { number };
        // Between groups, those of different files too, as ripgrep does.
        let wrote = self.wrote.swap(true, Ordering::Relaxed);
        if wrote && state.last_written.is_none_or(|last| last + 1 < first) {
            out.extend(b"--\n");
        }
        if is_hit {
            state.before.drain(..).for_each(|(_, line)| out.extend(line));
            state.after = self.style.after;
        } else {
            state.after -= 1;
        }
        self.prefix(name, place, if is_hit { ':' } else { '-' }, out);
        out.extend(text);
        state.last_written = Some(number);
    }
}

impl Style {
    /// Appends what matched, without what drives a terminal or forges a line.
    fn push_match(&self, text: &[u8], guard: &Guard, out: &mut Vec<u8>) {
        let (on, off) = if self.paint.0 { (&b"\x1B[1;31m"[..], &b"\x1B[0m"[..]) } else { (&b""[..], &b""[..]) };
        out.extend(on);
        guard.push_bytes(text, out);
        out.extend(off);
    }
}

impl RecordVerb for Grep {
    fn find_candidates(&self, bytes: &[u8], scratch: &mut Vec<u8>, lines: &mut Vec<Range<usize>>) -> bool {
        self.matcher.find_candidates(bytes, scratch, lines)
    }

    fn skips(&self) -> bool {
        !self.invert && !self.style.has_context() && !self.style.keeps_header
    }

    fn visit(&self, record: &RecordView, is_candidate: bool, out: &mut Vec<u8>, marks: &mut Vec<Mark>) {
        if matches!(record.kind, Kind::Header | Kind::Comment) {
            if self.style.keeps_header {
                let start = out.len();
                record.push_whole(out);
                marks.push(Mark { start: record.start, text: start..out.len(), key: 0, is_hit: false });
            }
            return;
        }
        if record.framing == Framing::Json && record.trimmed().is_empty() {
            // White space between objects.
            return;
        }
        let mut is_hit = false;
        if is_candidate {
            record.each_value(|_, syntax, value| is_hit = is_hit || self.matcher.is_match(&value, syntax));
        }
        is_hit ^= self.invert;
        if is_hit {
            self.found.store(true, Ordering::Relaxed);
        }
        if is_hit || self.style.has_context() {
            self.show(record, out, marks, is_hit);
        }
    }

    fn passes_oversized(&self) -> bool {
        // Nothing is known to match in them.
        let passes = self.invert && matches!(self.style.output, Shown::Record | Shown::Decoded);
        self.found.fetch_or(passes, Ordering::Relaxed);
        passes
    }

    fn is_ordered(&self) -> bool {
        !self.style.is_simple()
    }

    fn write(&self, turn: &Turn, out: &mut Vec<u8>) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let mut last_start = None;
        turn.each_mark(|place, text, mark| {
            if self.style.has_context() {
                let is_over = state.chosen >= self.style.limit && (mark.is_hit || state.after == 0);
                if !is_over {
                    state.chosen += u64::from(mark.is_hit);
                    self.write_with_context(state, turn.name, place, text, mark.is_hit, out);
                }
                return !is_over;
            }
            if !mark.is_hit {
                out.extend(text);
                return true;
            }
            // Several lines may be of one record.
            let is_new = last_start.replace(mark.start) != Some(mark.start);
            if is_new && state.chosen >= self.style.limit {
                return false;
            }
            state.chosen += u64::from(is_new);
            match self.style.output {
                Shown::Name | Shown::Nothing => return false,
                Shown::Count => {}
                Shown::Json => {
                    let place = json!({ "file": turn.name, "line": place.line, "offset": place.offset }).to_string();
                    // Both are objects, and become one.
                    out.extend(place.trim_end_matches('}').bytes().chain(*b","));
                    out.extend(&text[1..]);
                }
                Shown::Record | Shown::Decoded | Shown::Matches => {
                    self.prefix(turn.name, place, ':', out);
                    out.extend(text);
                }
            }
            true
        })
    }

    fn end(&self, name: &str, out: &mut Vec<u8>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let name = self.style.paint.with("35", &printable_line(name));
        match self.style.output {
            Shown::Count if state.chosen > 0 && self.style.names => {
                out.extend(format!("{name}:{}\n", state.chosen).bytes())
            }
            Shown::Count if state.chosen > 0 => out.extend(format!("{}\n", state.chosen).bytes()),
            Shown::Name if state.chosen > 0 => out.extend(format!("{name}\n").bytes()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use percent_simd_oracle::check_sized;

    use super::*;
    use crate::pipeline::{self, Sink, Source};
    use crate::{Cli, Command};
    use percent_simd_records::formats;

    /// Returns the output of `pct grep` for `input` in chunks of `block` bytes.
    fn grep(args: &[&str], input: &[u8], block: usize, is_filtered: bool) -> Vec<u8> {
        let Command::Grep(args) = Cli::try_parse_from([&["pct", "grep"], args].concat()).unwrap().command else {
            panic!("not grep");
        };
        let mut patterns = args.regexp.clone();
        patterns.extend(args.pattern.clone().map(|pattern| pattern.into_string().unwrap()));
        let search = Search::new(&args, patterns).unwrap();
        let streams = Streams { input: args.input.clone(), fields: args.fields.clone(), ..Streams::default() };
        let format = formats::build(&streams.format(), &args.fields.choice()).unwrap();
        let job = search.job(format, |matcher| if is_filtered { matcher } else { matcher.unfiltered() });
        let mut out = Vec::new();
        let source = Source::new(input, &job, block, true);
        pipeline::run(source, &job, &mut Sink::new(&mut out, None), 1);
        job.record_verb().unwrap().end("input", &mut out);
        out
    }

    const PATTERNS: [&[&str]; 20] = [
        &["ab"],
        &["a"],
        &["-F", "a b"],
        &["-F", "%41"],
        &["-i", "AB"],
        &["-w", "ab"],
        &["-x", "ab"],
        &["^a"],
        &["a$"],
        &["a[^x]b"],
        &[r"a\sb"],
        &[r"\n"],
        &[r"\x00"],
        &["\"a"],
        &["-e", "ab", "-e", "/b"],
        &["(?i)ab|é"],
        &["é"],
        &["(?s-u)a.b"],
        &["a*"],
        &["[ab]{3}"],
    ];
    const FORMATS: [&[&str]; 12] = [
        &[],
        &["--null"],
        &["--format=text"],
        &["--format=clf"],
        &["--format=csv", "-f2"],
        &["--format=tsv", "-f2"],
        &["--format=ndjson", "-f/url"],
        &["--format=json", "-f/url"],
        &["--format=sitemap"],
        &["--format=w3c"],
        &["--format=docker:ndjson", "-f/url"],
        &["--format=nginx:x%$args $uri%a$request_uri", "-fargs,uri,request_uri"],
    ];
    const OPTIONS: [&[&str]; 9] = [
        &[],
        &["-v"],
        &["--plus"],
        &["--plus=after-query"],
        &["--repeat=2"],
        &["--repeat=stable"],
        &["-n", "-C1"],
        &["--json"],
        &["--normalize", "-c"],
    ];
    const PIECES: [&str; 48] = [
        "a",
        "a",
        "b",
        "b",
        "ab",
        "A",
        "B",
        "%61",
        "%62",
        "%41",
        "%42",
        "%2561",
        "%25",
        "61",
        "%",
        "%0A",
        "%0a",
        "%00",
        "%250A",
        "%20",
        "+",
        " ",
        "%22",
        "\"",
        "\"\"",
        "\\",
        "\\u0061",
        "\\u0025",
        "&amp;",
        "é",
        "%C3%A9",
        "%c3",
        "%A9",
        "\n",
        "\n",
        "\r\n",
        "\0",
        ",",
        "\t",
        "/",
        "%2F",
        "?",
        "{\"url\":\"",
        "\"}\n",
        "\"GET /",
        " HTTP/1.1\" ",
        "{\"log\":\"{\\\"url\\\":\\\"",
        "\\\"}\"}\n",
    ];

    #[test]
    fn the_filter_passes_over_nothing_that_matches() {
        fn holds(text: Vec<u8>, pattern: usize, format: usize, option: usize) -> bool {
            let mut input: Vec<u8> =
                text.iter().flat_map(|&byte| PIECES[usize::from(byte) % PIECES.len()].bytes()).collect();
            if FORMATS[format % FORMATS.len()] == ["--format=w3c"] {
                input.splice(0..0, *b"#Fields: x cs-uri-query\n");
            }
            let (pattern, option) = (PATTERNS[pattern % PATTERNS.len()], OPTIONS[option % OPTIONS.len()]);
            let args = [FORMATS[format % FORMATS.len()], option, pattern].concat();
            let plain = grep(&args, &input, 1 << 20, false);
            [1 << 20, 64, 7].iter().all(|&block| {
                let same = grep(&args, &input, block, true) == plain;
                assert!(same, "{args:?} in blocks of {block}: {}", input.escape_ascii());
                same
            })
        }
        check_sized(60, 8000, holds as fn(Vec<u8>, usize, usize, usize) -> bool);
    }
}
