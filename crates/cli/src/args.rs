//! The options that verbs have in common, in groups.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use percent_simd::Engine;
use percent_simd_records::formats::{Choice, Name};
use percent_simd_records::policy::{self, Policy};
use percent_simd_records::transform::Part;
use percent_simd_records::verb::{Verb, VerbConfig};

use crate::compress::Compression;
use crate::plan::Policies;
use crate::report::{Form, When};
use crate::user_formats;

/// So many places of each kind are reported, unless another number is given.
pub const PLACES: usize = 5;

/// The source of the bytes, and the number of threads that work on them.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Files to read, one after the other; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Records end with NUL, and not with a line
    #[arg(short = '0', long)]
    pub null: bool,

    /// Use N threads; 0, like no option, is as many as there are cores
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Say nothing on stderr but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// Which fields of a record are meant.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Fields")]
pub struct Fields {
    /// Work on fields of this format; `pct formats` lists all. `auto`
    /// recognizes it by the first lines; `auto,text` takes what it does
    /// not know for text, of which delimiters stay escaped
    #[arg(long, value_name = "NAME", value_parser = user_formats::parse_name, conflicts_with = "null", verbatim_doc_comment)]
    pub format: Option<Name>,

    /// Formats of your own are in this file, not in `pct/formats.toml` of
    /// your configuration; `pct formats --help` shows how to write one
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub formats: Option<PathBuf>,

    /// Work on these fields: names, numbers from 1, ranges (`3-5`) or in
    /// JSON pointers (`/a/b`, `/a/*`). If not given, those with URLs
    #[arg(short, long, value_name = "FIELD,...", verbatim_doc_comment)]
    pub field: Vec<String>,

    /// The first line of CSV or TSV is a header, even if no field is named
    #[arg(long)]
    pub header: bool,

    /// Records that are not in the format, and fields that are never
    /// there, make the exit status 2
    #[arg(long, verbatim_doc_comment)]
    pub strict_format: bool,

    /// Whether the verb looks at clients, hosts and statuses, too.
    #[arg(skip)]
    pub context: bool,
}

/// The place of the output.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Write to FILE, once all is done; its name (.gz, .zst, .bz2, .xz)
    /// says how it is compressed. `-` is standard output
    #[arg(short, long, value_name = "FILE", verbatim_doc_comment)]
    pub output: Option<PathBuf>,

    /// Compress the output: gz, zst, bz2 or xz
    #[arg(short = 'z', long, value_name = "FORM", hide_possible_values = true)]
    pub compress: Option<Compression>,
}

impl Output {
    /// Whether what is written goes to a terminal.
    pub fn is_terminal(&self) -> bool {
        let is_standard = self.output.as_deref().is_none_or(|path| path == Path::new("-"));
        is_standard && self.compress.is_none() && std::io::stdout().is_terminal()
    }
}

/// Records of a verb that is for lines, where they come from and where they go.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Lines {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: Output,
}

/// Records that are neither lines nor end with NUL.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Binary {
    /// Bytes, not lines: decode escaped controls, encode line ends
    #[arg(long, conflicts_with = "null")]
    raw: bool,

    /// Rows of one String in ClickHouse's RowBinary, as many out as in
    #[arg(long, conflicts_with_all = ["format", "raw", "null"])]
    rowbinary: bool,
}

/// Texts that stand on the command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Texts {
    /// Work on these texts, and on no file; each result ends with a line
    #[arg(long, value_name = "TEXT", num_args = 1.., conflicts_with_all = ["files", "output", "compress", "in_place", "rowbinary"])]
    pub text: Vec<OsString>,
}

/// The treatment of malformed values, and the report of them.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "What is malformed")]
pub struct Malformed {
    /// Bad escapes: `keep` them, `replace` each % by U+FFFD, `skip` the
    /// record, or `fail`: stop there with exit status 1
    #[arg(long, value_name = "POLICY", value_parser = policy::for_escapes, verbatim_doc_comment)]
    pub on_error: Option<Policy>,

    /// What decodes to no UTF-8: `keep` it escaped, `replace`, `skip` or
    /// `fail`, as above, or let it out `raw`, which lines do
    #[arg(long, value_name = "POLICY", value_parser = policy::for_utf8, verbatim_doc_comment)]
    pub on_utf8: Option<Policy>,

    /// Write nothing but the report, and that to standard output; exit
    /// status 1 if there are malformed escapes or invalid UTF-8
    #[arg(long, conflicts_with = "output", verbatim_doc_comment)]
    pub check: bool,

    /// Report what was found on stderr, as `text` or `json`
    #[arg(
        long,
        value_name = "FORM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    pub report: Option<Form>,

    /// Report the first N places of each kind, or `all`; 5 if not given
    #[arg(long, value_name = "N", value_parser = places)]
    pub positions: Option<usize>,

    /// Colours in the report: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    pub color: When,
}

/// Destinations of results that do not replace their fields in the output.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Placement {
    /// Put each result in the place of its file, whole or not at all;
    /// with =SUFFIX the old file stays, with that behind its name
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        value_parser = clap::builder::NonEmptyStringValueParser::new(),
        conflicts_with_all = ["output", "check"],
        verbatim_doc_comment
    )]
    pub in_place: Option<Option<String>>,

    /// Leave the fields, and put the results beside them, under this name;
    /// `{}` in it is the field's
    #[arg(long, value_name = "NAME", conflicts_with = "rowbinary", verbatim_doc_comment)]
    pub to: Option<String>,
}

/// The treatment of values that a verb cannot convert.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "What is malformed")]
pub struct BadValues {
    /// Records with something bad: `keep` it, `skip` them, or `fail`:
    /// stop there. The exit status is 1 with each
    #[arg(long, value_name = "POLICY", value_parser = policy::for_values, verbatim_doc_comment)]
    pub on_error: Option<Policy>,

    /// Report the first N places where something is bad, or `all`; 5 if not given
    #[arg(long, value_name = "N", value_parser = places)]
    pub positions: Option<usize>,
}

/// The values that a verb converts one by one, and the treatment of those that it cannot convert.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Values {
    #[command(flatten)]
    pub fields: Fields,

    #[command(flatten)]
    pub bad: BadValues,

    #[command(flatten)]
    pub lines: Lines,
}

/// All that a verb needs to run on inputs; those with fewer options have the defaults of the others.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Streams {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub binary: Binary,

    #[command(flatten)]
    pub fields: Fields,

    #[command(flatten)]
    pub malformed: Malformed,

    #[command(flatten)]
    pub output: Output,

    #[command(flatten)]
    pub placement: Placement,

    #[command(flatten)]
    pub texts: Texts,

    /// Whether there is `--text`.
    #[arg(skip = true)]
    pub takes_texts: bool,

    /// Whether more of an input is looked at before it is dealt with.
    #[arg(skip)]
    pub looks_ahead: bool,

    /// Whether a text of the command line is one record, whatever is in it.
    #[arg(skip)]
    pub keeps_texts_whole: bool,

    /// Use this engine, not the best; `pct engines` lists them
    #[arg(long, value_name = "NAME", value_parser = engine, help_heading = "Speed")]
    pub engine: Option<&'static Engine>,
}

impl Input {
    /// Returns the files to read: `-` if none was given.
    pub fn names(&self) -> &[PathBuf] {
        static STANDARD: LazyLock<[PathBuf; 1]> = LazyLock::new(|| [PathBuf::from("-")]);
        if self.files.is_empty() { &*STANDARD } else { &self.files }
    }
}

impl Fields {
    /// The fields that were chosen. A comma in a pointer is written `\,`.
    pub fn choice(&self) -> Choice {
        let mut fields = Vec::new();
        for list in &self.field {
            for field in list.replace("\\,", "\0").split(',') {
                match range(field) {
                    Some(numbers) => fields.extend(numbers.map(|number| number.to_string())),
                    None => fields.push(field.replace('\0', ",")),
                }
            }
        }
        Choice { fields, header: self.header.then_some(true), context: self.context }
    }
}

/// So many fields a range may stand for.
const MAX_RANGE: usize = 1000;

/// The numbers that `3-5` stands for.
fn range(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
    (first <= last && last - first < MAX_RANGE).then_some(first..=last)
}

impl Streams {
    /// Returns the streams of a verb with these options only.
    pub fn of(input: &Input, output: &Output, fields: &Fields) -> Streams {
        let (input, output, fields) = (input.clone(), output.clone(), fields.clone());
        Streams { input, output, fields, ..Streams::default() }
    }

    /// Takes operands for texts, and not for names of files.
    pub fn take_operands_for_texts(&mut self) {
        if self.input.files.iter().any(|file| file.as_os_str() != "-") {
            self.texts.text.extend(self.input.files.drain(..).map(PathBuf::into_os_string));
        }
    }

    /// The format that was asked for.
    pub fn format(&self) -> Name {
        match &self.fields.format {
            _ if self.input.null => Name::Null,
            _ if self.binary.rowbinary => Name::Rows,
            Some(format) => format.clone(),
            None if self.binary.raw || self.keeps_texts_whole => Name::Raw,
            None => Name::LINES,
        }
    }

    /// Whether escapes come out though they forge or break a record.
    pub fn is_raw(&self) -> bool {
        self.binary.raw
    }

    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.input.threads.filter(|&threads| threads > 0).unwrap_or_else(cores)
    }

    /// Places of each kind that are reported.
    pub fn places(&self) -> usize {
        self.malformed.positions.unwrap_or(PLACES)
    }

    pub fn on_error(&self) -> Policy {
        self.malformed.on_error.unwrap_or(Policy::Keep)
    }

    /// Whether a policy was asked for that changes or leaves out what is malformed.
    pub fn says_counts(&self) -> bool {
        let policies = [self.malformed.on_error, self.malformed.on_utf8];
        policies.iter().any(|policy| matches!(policy, Some(Policy::Replace | Policy::Skip)))
    }

    /// Whether a report is wanted, here or there.
    pub fn reports(&self) -> bool {
        self.malformed.check || self.malformed.report.is_some()
    }

    /// Returns the policies, as far as they do not depend on the verb and the format.
    pub fn policies(&self) -> Policies {
        let limit = if self.reports() { self.places() } else { 0 };
        let inspect = self.reports() || self.says_counts();
        let (quiet, is_strict) = (self.malformed.check, self.fields.strict_format);
        Policies { inspect, limit, quiet, is_strict, ..Policies::default() }
    }

    /// Returns the name for results that go beside the fields.
    pub fn to(&self) -> Option<&str> {
        self.placement.to.as_deref()
    }

    /// Whether what is written is wanted.
    pub fn has_output(&self) -> bool {
        self.placement.in_place.is_none() && !self.malformed.check
    }

    /// Returns what is wrong with the options, taken together.
    pub fn check(&self) -> Result<(), String> {
        let skips = [self.malformed.on_error, self.malformed.on_utf8].contains(&Some(Policy::Skip));
        if self.binary.rowbinary && skips {
            return Err(
                "pct: --rowbinary has a row out for each row in, so none can be skipped; keep or replace".into()
            );
        }
        if self.placement.in_place.is_some() && self.input.files.is_empty() {
            return Err("pct: --in-place needs the names of files".into());
        }
        if self.placement.in_place.is_some() && self.input.files.iter().any(|file| file.as_os_str() == "-") {
            return Err("pct: --in-place has no place for standard input; leave out `-`".into());
        }
        Ok(())
    }
}

impl BadValues {
    /// The configuration of a verb that leaves bad values as they are, unless the options say otherwise.
    pub fn config(&self, verb: impl Verb + 'static) -> VerbConfig {
        VerbConfig {
            verb: Box::new(verb),
            on_bad: self.on_error.unwrap_or(Policy::Keep),
            limit: self.positions.unwrap_or(PLACES),
            lists: false,
        }
    }
}

fn engine(name: &str) -> Result<&'static Engine, String> {
    Engine::by_name(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<_> = Engine::available().map(Engine::name).collect();
        format!("there is none of that name; this CPU runs {}", names.join(", "))
    })
}

/// A number of places, or `all`.
pub fn places(text: &str) -> Result<usize, String> {
    match text.parse() {
        _ if text == "all" => Ok(usize::MAX),
        Ok(places) => Ok(places),
        Err(_) => Err("a number is wanted, or `all`".into()),
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 0..=1024) => Ok(threads),
        _ => Err("a number of threads is wanted, up to 1024".into()),
    }
}

/// The parser of `--part`.
pub fn part() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::NAMES.map(|(name, _)| name))
        .try_map(|text| Part::NAMES.into_iter().find(|(name, _)| *name == text).map(|(_, part)| part).ok_or("no part"))
}
