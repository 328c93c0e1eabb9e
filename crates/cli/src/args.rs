//! Options that several verbs share, in groups.

mod values;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};

use percent_simd::Engine;
use percent_simd_records::formats::{Choice, Format, Name, Use};
use percent_simd_records::policy::{self, Policy};
use percent_simd_records::verb::{Verb, VerbConfig};

use self::values::{engine, threads};
pub use self::values::{part, places};
use crate::compress::Compression;
use crate::folders;
use crate::inplace::is_standard;
use crate::plan::Policies;
use crate::report::{Form, When};
use crate::user_formats;

/// The default for `--positions`: the number of reported places for each kind of finding.
pub const PLACES: usize = 5;

/// The inputs, and the number of threads that work on them.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Input {
    /// Read these files, one after the other; `-` or no file is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Also read the files in folders, and in their subfolders. Hidden files,
    /// and files that .gitignore or .ignore name, are left out
    #[arg(short, long, verbatim_doc_comment)]
    pub recursive: bool,

    /// With -r, read only files whose names match GLOB, as in -g '*.log'; with a
    /// `!` in front, leave these files out
    #[arg(short, long, value_name = "GLOB", requires = "recursive", verbatim_doc_comment)]
    glob: Vec<String>,

    /// With -r, also read hidden files, and files that .gitignore or .ignore name
    #[arg(long, requires = "recursive")]
    no_ignore: bool,

    /// The files that were found in folders.
    #[arg(skip)]
    found: OnceLock<Vec<PathBuf>>,

    /// Split records at NUL, not at line ends
    #[arg(short = '0', long)]
    pub null: bool,

    /// Use N threads; 0, the default, uses as many as there are cores
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Print only errors on stderr
    #[arg(short, long)]
    pub quiet: bool,

    /// Hide the passwords of URLs as *** in all output; also in URLs that do
    /// not parse, up to the last @
    #[arg(long, help_heading = "Output", verbatim_doc_comment)]
    pub redact: bool,
}

/// The format of the records, and the fields to work on.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Fields")]
pub struct Fields {
    /// Read records in this format; `pct formats` lists all. `auto`
    /// detects it from the first lines. `auto,text` does too, and reads
    /// an unknown format as `text`, which keeps the escapes of delimiters
    #[arg(long, value_name = "NAME", value_parser = user_formats::parse_name, conflicts_with = "null", verbatim_doc_comment)]
    pub format: Option<Name>,

    /// Read your own formats from FILE, not from `pct/formats.toml` in your
    /// configuration folder; `pct formats --help` shows the syntax
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub formats: Option<PathBuf>,

    /// Work on these fields: names, numbers from 1, ranges (`3-5`) or JSON
    /// pointers (`/a/b`, `/a/*`). The default is the fields that hold URLs
    #[arg(short, long, value_name = "FIELD,...", verbatim_doc_comment)]
    pub field: Vec<String>,

    /// Read the first line of CSV or TSV as a header, even without --field
    #[arg(long)]
    pub header: bool,

    /// Exit with status 2 if a record is not in the format, or if a field
    /// never occurs
    #[arg(long, verbatim_doc_comment)]
    pub strict_format: bool,

    /// The choice of the verb, without the fields and the header of the command line.
    #[arg(skip)]
    pub of_verb: Choice,
}

/// The destination of the output.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Write to FILE, which appears when it is complete; the ending .gz, .zst,
    /// .bz2 or .xz sets the compression. `-` is standard output
    #[arg(short, long, value_name = "FILE", verbatim_doc_comment)]
    pub output: Option<PathBuf>,

    /// Compress the output as gz, zst, bz2 or xz
    #[arg(short = 'z', long, value_name = "FORM", hide_possible_values = true)]
    pub compress: Option<Compression>,
}

impl Output {
    /// Returns true if the output goes to a terminal, uncompressed.
    pub fn is_terminal(&self) -> bool {
        let is_standard = self.output.as_deref().is_none_or(is_standard);
        is_standard && self.compress.is_none() && std::io::stdout().is_terminal()
    }

    /// Returns true if decoded fields of `format` go to a terminal. If so, the verb keeps the escapes of invalid UTF-8, of
    /// C1 controls and of bidi controls. A format that doesn't keep the escape of ESC, such as `raw`, is for programs only, so
    /// this returns false.
    pub fn shows(&self, format: &dyn Format) -> bool {
        self.is_terminal() && format.schema().rules.iter().all(|rule| rule.keep.contains(0x1B))
    }
}

/// Input and output of a verb that works on lines.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Lines {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub output: Output,
}

/// Options for inputs that are not split at line ends or NULs: plain bytes, and rows of RowBinary.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Binary {
    /// Treat input as bytes, not lines: also decode controls or encode line ends
    #[arg(long, conflicts_with = "null")]
    raw: bool,

    /// Read and write ClickHouse's RowBinary, with one String in each row
    #[arg(long, conflicts_with_all = ["format", "raw", "null"])]
    rowbinary: bool,
}

/// Texts on the command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Input")]
pub struct Texts {
    /// Work on these texts, not on files; end each result with a line end
    #[arg(long, value_name = "TEXT", num_args = 1.., conflicts_with_all = ["files", "output", "compress", "in_place", "rowbinary"])]
    pub text: Vec<OsString>,
}

/// Options that say what happens to malformed values, and how they are reported.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Malformed input")]
pub struct Malformed {
    /// If an escape is malformed, `keep` it, `replace` its % with U+FFFD, `skip`
    /// the record, or `fail`: stop with exit status 1
    #[arg(long, value_name = "POLICY", value_parser = policy::for_escapes, verbatim_doc_comment)]
    pub on_error: Option<Policy>,

    /// If escapes do not decode to UTF-8, `keep` them, `replace` them with
    /// U+FFFD, `skip` the record, `fail` as above, or decode them anyway
    /// (`raw`), which is the default for lines
    #[arg(long, value_name = "POLICY", value_parser = policy::for_utf8, verbatim_doc_comment)]
    pub on_utf8: Option<Policy>,

    /// Write only the report, to standard output; exit with status 1 if there
    /// are malformed escapes or invalid UTF-8
    #[arg(long, conflicts_with = "output", verbatim_doc_comment)]
    pub check: bool,

    /// Report the findings on stderr, as `text` or `json`
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

    /// Report the first N findings of each kind, or `all`; the default is 5
    #[arg(long, value_name = "N", value_parser = places)]
    pub positions: Option<usize>,

    /// Color the report: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    pub color: When,
}

/// Options that write results to the input files or beside the fields, not only to the output.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Placement {
    /// Replace each input file with its result, whole or not at all; =SUFFIX
    /// keeps the old file under its name with SUFFIX appended
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

    /// Keep the fields, and add the results beside them under this name; `{}`
    /// in the name stands for the field's name
    #[arg(long, value_name = "NAME", conflicts_with = "rowbinary", verbatim_doc_comment)]
    pub to: Option<String>,
}

/// Options for values that a verb can't convert.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Malformed input")]
pub struct BadValues {
    /// If a value cannot be converted, `keep` it, `skip` the record, or `fail`:
    /// stop at this value. With all three, the exit status is 1
    #[arg(long, value_name = "POLICY", value_parser = policy::for_values, verbatim_doc_comment)]
    pub on_error: Option<Policy>,

    /// Report the first N values with an error, or `all`; the default is 5
    #[arg(long, value_name = "N", value_parser = places)]
    pub positions: Option<usize>,
}

/// All options of a verb that converts values one by one.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Values {
    #[command(flatten)]
    pub fields: Fields,

    #[command(flatten)]
    pub bad: BadValues,

    #[command(flatten)]
    pub lines: Lines,
}

/// All options that affect how inputs are processed. If a verb lacks an option, the option has its default value here.
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

    /// Whether the verb has `--text`.
    #[arg(skip = true)]
    pub takes_texts: bool,

    /// Whether more bytes than usual are read before the work starts, to guess a charset.
    #[arg(skip)]
    pub looks_ahead: bool,

    /// Whether each text of the command line is one record, even if it contains line ends.
    #[arg(skip)]
    pub keeps_texts_whole: bool,

    /// Whether the verb reads a record that is one field as one URL. Its results for the lines of a log are then useless.
    #[arg(skip)]
    pub reads_urls: bool,

    /// Use this engine, not the fastest; `pct engines` lists them
    #[arg(long, value_name = "NAME", value_parser = engine, help_heading = "Speed")]
    pub engine: Option<&'static Engine>,
}

impl Input {
    /// Returns the files to read, or `-` if no file is named.
    pub fn names(&self) -> &[PathBuf] {
        static STANDARD: LazyLock<[PathBuf; 1]> = LazyLock::new(|| [PathBuf::from("-")]);
        match () {
            () if self.recursive => self.found.get_or_init(|| folders::files(&self.files, &self.glob, !self.no_ignore)),
            () if self.files.is_empty() => &*STANDARD,
            () => &self.files,
        }
    }

    /// Returns true if there may be more than one input.
    pub fn has_several(&self) -> bool {
        self.recursive || self.files.len() > 1
    }
}

impl Fields {
    /// Returns the chosen fields. A comma in a pointer is written `\,`.
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
        Choice { fields, header: self.header.then_some(true), ..self.of_verb.clone() }
    }
}

/// The maximum number of fields in a range.
const MAX_RANGE: usize = 1000;

/// Returns the numbers of a range such as `3-5`.
fn range(text: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
    (first <= last && last - first < MAX_RANGE).then_some(first..=last)
}

impl Values {
    pub fn streams(&self) -> Streams {
        Streams::of(&self.lines.input, &self.lines.output, &self.fields)
    }
}

impl Streams {
    /// Returns the streams of a verb whose only options are `input`, `output` and `fields`.
    pub fn of(input: &Input, output: &Output, fields: &Fields) -> Streams {
        let (input, output, fields) = (input.clone(), output.clone(), fields.clone());
        Streams { input, output, fields, ..Streams::default() }
    }

    /// Returns the streams of a verb that reads URLs.
    pub fn reading_urls(self) -> Streams {
        Streams { reads_urls: true, ..self }
    }

    /// Sets how the verb uses the values.
    pub fn with_usage(mut self, usage: Use) -> Streams {
        self.fields.of_verb.usage = usage;
        self
    }

    /// Treats the operands as texts, not as file names.
    pub fn take_operands_for_texts(&mut self) {
        if self.input.files.iter().any(|file| file.as_os_str() != "-") {
            self.texts.text.extend(self.input.files.drain(..).map(PathBuf::into_os_string));
        }
    }

    /// Returns the format that the options ask for.
    pub fn format(&self) -> Name {
        match &self.fields.format {
            _ if self.input.null => Name::Null,
            _ if self.binary.rowbinary => Name::Rows,
            Some(format) => format.clone(),
            None if self.binary.raw || self.keeps_texts_whole => Name::Raw,
            None => Name::LINES,
        }
    }

    /// Returns true if `--raw` is given. This option decodes escapes even if the result forges or breaks a record.
    pub fn is_raw(&self) -> bool {
        self.binary.raw
    }

    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.input.threads.filter(|&threads| threads > 0).unwrap_or_else(cores)
    }

    /// Returns the number of places to report for each kind of finding.
    pub fn places(&self) -> usize {
        self.malformed.positions.unwrap_or(PLACES)
    }

    pub fn on_error(&self) -> Policy {
        self.malformed.on_error.unwrap_or(Policy::Keep)
    }

    /// Returns true if a policy changes or skips malformed values.
    pub fn changes_malformed(&self) -> bool {
        let policies = [self.malformed.on_error, self.malformed.on_utf8];
        policies.iter().any(|policy| matches!(policy, Some(Policy::Replace | Policy::Skip)))
    }

    /// Returns true if a report is written to standard output or standard error.
    pub fn reports(&self) -> bool {
        self.malformed.check || self.malformed.report.is_some()
    }

    /// Returns the policies that the options determine. `Plan::choose` sets the other policies, which depend on the
    /// verb and the format.
    pub fn policies(&self) -> Policies {
        let limit = if self.reports() { self.places() } else { 0 };
        let inspect = self.reports() || self.changes_malformed();
        let (quiet, is_strict) = (self.malformed.check, self.fields.strict_format);
        Policies { inspect, limit, quiet, is_strict, ..Policies::default() }
    }

    /// Returns the argument of `--to`, the name for results that are added beside their fields.
    pub fn to(&self) -> Option<&str> {
        self.placement.to.as_deref()
    }

    /// Returns true if the results are written to the output.
    pub fn has_output(&self) -> bool {
        self.placement.in_place.is_none() && !self.malformed.check
    }

    /// Returns an error if the options contradict each other.
    pub fn check(&self) -> Result<(), String> {
        folders::check(&self.input.glob).map_err(|message| format!("pct: --glob: {message}"))?;
        let skips = [self.malformed.on_error, self.malformed.on_utf8].contains(&Some(Policy::Skip));
        if self.binary.rowbinary && skips {
            return Err(
                "pct: --rowbinary writes a row for each input row, so `skip` is impossible; use keep or replace".into(),
            );
        }
        if self.input.redact && (self.binary.raw || self.binary.rowbinary) {
            return Err("pct: --redact needs lines or fields; leave out --raw or --rowbinary".into());
        }
        if self.placement.in_place.is_some() && self.input.files.is_empty() && !self.input.recursive {
            return Err("pct: --in-place needs file names".into());
        }
        if self.placement.in_place.is_some() && self.input.files.iter().any(|file| is_standard(file)) {
            return Err("pct: --in-place cannot replace standard input; leave out `-`".into());
        }
        Ok(())
    }
}

impl BadValues {
    /// Returns the configuration of `verb`. By default, a value that the verb can't convert stays as it is.
    pub fn config(&self, verb: impl Verb + 'static) -> VerbConfig {
        VerbConfig {
            verb: Box::new(verb),
            on_bad: self.on_error.unwrap_or(Policy::Keep),
            limit: self.positions.unwrap_or(PLACES),
            lists: false,
        }
    }
}
