//! `pct grep`: finds records with a decoded field that matches.

mod matcher;
mod show;

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use percent_simd_records::formats::{Format, Role, Use, innermost, role_of};
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Spec};

use self::matcher::{Compiled, Matcher, Patterns};
use self::show::{Grep, Shown, Style};
use super::decode::Layers;
use crate::args::{Fields, Input, Output, Streams};
use crate::job::Job;
use crate::message::complain;
use crate::report::{Paint, When};
use crate::run;
use crate::user_formats::{self, attacks::Kinds};

/// Find records whose decoded fields match a pattern
///
/// Find the records with a field that matches PATTERN after decoding, and write them
/// unchanged. So PATTERN finds a text in all its escaped forms. It is written in the syntax
/// of ripgrep and the regex crate; ^ and $ match the start and the end of a field.
///
/// Options with the names of ripgrep's options do the same, except -f, which chooses a
/// field. Headers and comments of a format are not records, so they never match.
///
/// The exit status is 0 after a match, 1 without a match, and 2 after an error.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    next_help_heading = "Output",
    mut_arg("output", |output| output.short(None)),
    mut_arg("quiet", |quiet| quiet.help("Write no records; only the exit status shows if one matches")),
    after_help = "\
Examples:
  pct grep --format auto -f target '\\.\\./' *.log.gz    find ../, ..%2F, %2e%2e/ and so on
  pct grep --repeat=stable -i 'union\\s+select' urls    find it in any number of layers
  pct grep --format combined -c -f referrer café access.log   count the matches
  pct grep --format auto --decoded -n admin access.log        show decoded records, numbered
  pct grep --format ndjson -f /url -o 'id=\\d+' log.json      show only the matches
  pct grep --format auto --attack traversal,nul *.log.gz      find possible attacks"
)]
pub struct Args {
    /// Search for this pattern; if -e or --attack is given, this operand is a file
    #[arg(value_name = "PATTERN", required_unless_present_any = ["regexp", "attacks"], help_heading = None::<&str>)]
    pattern: Option<OsString>,

    /// Search for this pattern; give -e again to search for more patterns
    #[arg(short = 'e', long, value_name = "PATTERN", help_heading = "Matching", allow_hyphen_values = true)]
    regexp: Vec<String>,

    /// Search for possible attacks of this kind, as `pct stats` counts them:
    /// traversal, double_encoding, overlong_utf8, nul, control,
    /// encoded_separator, byte_order_mark, one of your own, or `all`
    #[arg(
        long = "attack",
        value_name = "KIND,...",
        value_delimiter = ',',
        conflicts_with_all = ["regexp", "fixed_strings", "ignore_case", "word_regexp", "line_regexp", "normalize", "plus", "repeat"],
        help_heading = "Matching",
        verbatim_doc_comment
    )]
    attacks: Vec<String>,

    /// Read the pattern as plain text, not as a regular expression
    #[arg(short = 'F', long, help_heading = "Matching")]
    fixed_strings: bool,

    /// Ignore case
    #[arg(short, long, help_heading = "Matching")]
    ignore_case: bool,

    /// Match only whole words
    #[arg(short, long, help_heading = "Matching")]
    word_regexp: bool,

    /// Match only whole fields
    #[arg(short = 'x', long, help_heading = "Matching")]
    line_regexp: bool,

    /// Select the records that do not match
    #[arg(short = 'v', long, help_heading = "Matching")]
    invert_match: bool,

    /// Match URLs in their normal form, without . and .. in paths
    #[arg(long, help_heading = "Matching")]
    normalize: bool,

    /// Write records decoded, as `pct decode` does
    #[arg(short, long, conflicts_with_all = ["only_matching", "json"])]
    decoded: bool,

    /// Write each match on a line of its own, decoded except for controls
    #[arg(short, long, conflicts_with_all = ["invert_match", "json"])]
    only_matching: bool,

    /// Write a JSON object for each record: its place, the record, and the
    /// matches with their fields
    #[arg(long, conflicts_with_all = ["count", "files_with_matches"], verbatim_doc_comment)]
    json: bool,

    /// Write the number of matching records, for each file with a match
    #[arg(short, long)]
    count: bool,

    /// Write the names of the files with a match
    #[arg(short = 'l', long, conflicts_with = "count")]
    files_with_matches: bool,

    /// Write the line number before each record
    #[arg(short = 'n', long)]
    line_number: bool,

    /// Write the file name before each record, even for a single file
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    with_filename: bool,

    /// End each file name with NUL, for xargs -0, and escape no controls in it
    #[arg(short = 'Z', long, conflicts_with = "json")]
    null_names: bool,

    /// Write no file names, even for several files
    #[arg(short = 'I', long)]
    no_filename: bool,

    /// Stop after N records in each file
    #[arg(short = 'm', long, value_name = "N")]
    max_count: Option<u64>,

    /// Also write N records after each match
    #[arg(short = 'A', long, value_name = "N")]
    after_context: Option<usize>,

    /// Also write N records before each match
    #[arg(short = 'B', long, value_name = "N")]
    before_context: Option<usize>,

    /// Also write N records before and after each match
    #[arg(short = 'C', long, value_name = "N")]
    context: Option<usize>,

    /// Also write headers and comments, so that a table stays a table
    #[arg(long, conflicts_with_all = ["count", "files_with_matches", "json", "only_matching", "context", "after_context", "before_context"])]
    keep_header: bool,

    /// Color the output: auto, always or never
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

/// Searches all inputs for the patterns. Returns the exit status.
pub fn run(mut args: Args) -> u8 {
    let mut patterns = std::mem::take(&mut args.regexp);
    match args.pattern.take() {
        // With -e or --attack, the first operand is a file, not a pattern.
        Some(file) if !patterns.is_empty() || !args.attacks.is_empty() => args.input.files.insert(0, file.into()),
        Some(pattern) => match pattern.into_string() {
            Ok(pattern) => patterns.push(pattern),
            Err(_) => {
                complain("pct: the pattern is not UTF-8; write a byte of it as \\xFF");
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
    let streams = Streams::of(&args.input, &args.output, &args.fields).with_usage(Use::Read);
    let run::Ran { code, .. } = run::all(&streams, &|format, _| Ok(search.job(format, |matcher| matcher)), None);
    match code {
        0 => u8::from(!search.found.load(Ordering::Relaxed)),
        code => code,
    }
}

/// The search in all inputs.
struct Search<'a> {
    args: &'a Args,
    compiled: Arc<Compiled>,
    /// The kinds of attacks to find, as bits, or 0 to find the patterns.
    attacks: u64,
    style: Arc<Style>,
    /// Whether any record has matched.
    found: Arc<AtomicBool>,
    /// Whether any record has been written with its context.
    wrote: Arc<AtomicBool>,
}

impl Search<'_> {
    fn new(args: &Args, texts: Vec<String>) -> Result<Search<'_>, String> {
        let attacks = attacks(&args.attacks)?;
        let patterns = Patterns {
            // In a search for attacks, the whole value is the match.
            texts: if attacks == 0 { texts } else { vec!["(?s-u)^.+$".into()] },
            is_fixed: args.fixed_strings,
            ignores_case: args.ignore_case,
            is_word: args.word_regexp,
            is_whole: args.line_regexp,
        };
        let compiled = Arc::new(patterns.compile()?);
        Ok(Search {
            args,
            compiled,
            attacks,
            style: Arc::new(args.style()),
            found: Arc::default(),
            wrote: Arc::default(),
        })
    }

    /// Returns the job for an input in `format`. `adapt` may change the matcher, for example in tests.
    fn job(&self, format: Box<dyn Format>, adapt: impl Fn(Matcher) -> Matcher) -> Job {
        let args = self.args;
        let plus = args.layers.plus();
        let on_utf8 = args.output.shows(&*format).then_some(Policy::Keep);
        let spec = Spec { repeat: args.layers.repeat, on_utf8, ..Spec::of(Action::Decode { plus }) };
        let inner = innermost(&*format);
        let records = inner.as_deref().unwrap_or(&*format);
        let layers = if self.attacks == 0 { spec.layers(records) } else { usize::MAX };
        let matcher = Matcher::new(Arc::clone(&self.compiled), &*format, plus, layers, args.normalize);
        let schema = records.schema();
        let is_referrer = |choice| role_of(schema.role_name(choice)) == Role::Referrer;
        let grep = Grep {
            matcher: adapt(matcher.for_attacks(self.attacks, &*format)),
            // In a referrer, an escaped separator is harmless, as in a query. So a referrer is searched like a query.
            is_query: (0..schema.names.len()).map(|choice| self.attacks != 0 && is_referrer(choice)).collect(),
            names: schema.names.clone(),
            invert: args.invert_match,
            style: Arc::clone(&self.style),
            found: Arc::clone(&self.found),
            wrote: Arc::clone(&self.wrote),
            state: Mutex::default(),
        };
        Job::of_records(format, &spec, args.fields.strict_format, grep)
    }
}

/// Returns the bits of the kinds of attacks called `names`.
fn attacks(names: &[String]) -> Result<u64, String> {
    if names.is_empty() {
        return Ok(0);
    }
    user_formats::check()?;
    let kinds = Kinds::get();
    names.iter().try_fold(0, |bits, name| match kinds.bit(name) {
        Some(bit) => Ok(bits | bit),
        None => {
            let known: Vec<&str> = kinds.all.iter().map(|kind| &*kind.name).collect();
            Err(format!("no kind of attack is called `{name}`; choose all, {}", known.join(", ")))
        }
    })
}

impl Args {
    fn style(&self) -> Style {
        let has_several = self.input.has_several();
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
            null_names: self.null_names,
            numbers: self.line_number,
            before: self.before_context.unwrap_or(both),
            after: self.after_context.unwrap_or(both),
            limit: self.max_count.unwrap_or(u64::MAX),
            keeps_header: self.keep_header,
            paint: Paint(self.color.is_now(is_terminal)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use clap::Parser;
    use percent_simd_oracle::check_sized;

    use super::*;
    use crate::pipeline::{self, Sink, Source};
    use crate::{Cli, Command};
    use percent_simd_records::formats;

    thread_local! {
        /// The searches made so far, by their arguments. Making one takes longer than most runs.
        static SEARCHES: RefCell<HashMap<String, &'static Search<'static>>> = RefCell::default();
    }

    /// Returns the search of `pct grep` with these arguments.
    fn search_of(args: &[&str]) -> &'static Search<'static> {
        let make = || {
            let Command::Grep(parsed) = Cli::try_parse_from([&["pct", "grep"], args].concat()).unwrap().command else {
                panic!("not grep");
            };
            let args: &'static Args = Box::leak(Box::new(parsed));
            let mut patterns = args.regexp.clone();
            patterns.extend(args.pattern.clone().map(|pattern| pattern.into_string().unwrap()));
            &*Box::leak(Box::new(Search::new(args, patterns).unwrap()))
        };
        SEARCHES.with_borrow_mut(|searches| *searches.entry(args.join("\n")).or_insert_with(make))
    }

    /// Returns the output of `pct grep` for each of `runs`: for `input` in chunks of so many bytes. If the flag of a run is
    /// false, every field is matched.
    fn grep<const N: usize>(format: &[&str], args: &[&str], input: &[u8], runs: [(usize, bool); N]) -> [Vec<u8>; N] {
        let search = search_of(args);
        let chosen = search_of(&[format, &["a"]].concat()).args;
        let streams = Streams { input: chosen.input.clone(), fields: chosen.fields.clone(), ..Streams::default() };
        runs.map(|(block, is_filtered)| {
            search.found.store(false, Ordering::Relaxed);
            search.wrote.store(false, Ordering::Relaxed);
            let format = formats::build(&streams.format(), &streams.fields.choice()).unwrap();
            let job = search.job(format, |matcher| if is_filtered { matcher } else { matcher.unfiltered() });
            let mut out = Vec::new();
            let source = Source::new(input, &job, block, true);
            pipeline::run(source, &job, &mut Sink::new(&mut out, None), 1);
            job.record_verb().unwrap().end(b"input", &mut out);
            out
        })
    }

    const PATTERNS: [&[&str]; 26] = [
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
        &["--attack=all"],
        &["--attack=all"],
        &["--attack=traversal"],
        &["--attack=double_encoding,nul"],
        &["--attack=overlong_utf8,control"],
        &["--attack=encoded_separator,byte_order_mark"],
    ];
    const FORMATS: [&[&str]; 13] = [
        &[],
        &["--null"],
        &["--format=text"],
        &["--format=clf"],
        &["--format=logfmt", "-furl"],
        &["--format=csv", "-f2"],
        &["--format=tsv", "-f2"],
        &["--format=ndjson", "-f/url"],
        &["--format=json", "-f/url"],
        &["--format=sitemap"],
        &["--format=w3c"],
        &["--format=docker:ndjson", "-f/url"],
        &["--format=nginx:x%$args $uri%a$request_uri", "-fargs,uri,request_uri"],
    ];
    /// The options. The options that `--attack` allows come first.
    const OPTIONS: [&[&str]; 9] = [
        &[],
        &["-v"],
        &["-n", "-C1"],
        &["--json"],
        &["--plus"],
        &["--plus=after-query"],
        &["--repeat=2"],
        &["--repeat=stable"],
        &["--normalize", "-c"],
    ];
    const PIECES: [&str; 64] = [
        "a", "a", "b", "b", "ab", "A", "B", "%61", "%62", "%41", "%42", "%2561", "%25", "61", "%", "%0A", "%0a", "%00",
        "%250A", "%20", "+", " ", "%22", "\"", "\"\"", "\\", "\\u0061", "\\u0025", "&amp;", "é", "%C3%A9", "%c3",
        "%A9", "\n", "\n", "\r\n", "\0", ",", "\t", "/", "%2F", "%5c", "..", ".", "%2e", "%252E", "%7f", "%c0%AF",
        "%e0%80", "%ef%bb%BF", "\u{FEFF}", "?", "{\"url\":\"", "\"}\n", "\"GET /", " HTTP/1.1\" ", "\\x61", "\\\"",
        "\\n", "\\x2", " url=\"", "\\xC3", "{\"log\":\"{\\\"url\\\":\\\"", "\\\"}\"}\n",
    ];

    #[test]
    fn the_filter_skips_no_line_that_matches() {
        fn holds(text: Vec<u8>, pattern: usize, format: usize, option: usize) -> bool {
            let mut input: Vec<u8> =
                text.iter().flat_map(|&byte| PIECES[usize::from(byte) % PIECES.len()].bytes()).collect();
            let format = FORMATS[format % FORMATS.len()];
            if format == ["--format=w3c"] {
                input.splice(0..0, *b"#Fields: x cs-uri-query\n");
            }
            let pattern = PATTERNS[pattern % PATTERNS.len()];
            let allowed = if pattern[0].starts_with("--attack") { 4 } else { OPTIONS.len() };
            let option = OPTIONS[option % allowed];
            let args = [option, pattern].concat();
            let runs = [(1 << 20, false), (1 << 20, true), (64, true), (7, true)];
            let outputs = grep(format, &args, &input, runs);
            for (out, (block, _)) in outputs.iter().zip(runs) {
                assert!(*out == outputs[0], "{format:?} {args:?} in blocks of {block}: {}", input.escape_ascii());
            }
            true
        }
        check_sized(60, 8000, holds as fn(Vec<u8>, usize, usize, usize) -> bool);
    }
}
