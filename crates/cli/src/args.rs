//! What the verbs that work on streams have in common on the command line.

use std::path::PathBuf;

use percent_simd::Engine;

use crate::compress::Compression;
use crate::formats::{Choice, Name};
use crate::job::JobOptions;
use crate::transform::{OnError, OnUtf8};

/// Places of each kind that a report tells, if nobody says otherwise.
pub const PLACES: usize = 5;

/// Where bytes come from, what a record is, and which of its fields are meant.
#[derive(clap::Args)]
pub struct Input {
    /// Files to read, one after the other; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Bytes, not lines: decode escaped controls, encode line ends
    #[arg(long, conflicts_with = "null")]
    raw: bool,

    /// Records end with NUL: decode all but %00, encode all but NUL
    #[arg(short = '0', long, conflicts_with_all = ["format", "rowbinary"])]
    null: bool,

    /// Rows of one String in ClickHouse's RowBinary, as many out as in
    #[arg(long, conflicts_with_all = ["format", "raw"])]
    rowbinary: bool,

    /// Work on fields of: clf, combined, alb, s3, cloudfront, w3c, csv,
    /// tsv, ndjson, `nginx:LOG_FORMAT`, `apache:LOGFORMAT`; `auto` tells
    /// which from the first lines; `lines` are fields as a whole
    #[arg(long, value_name = "NAME", value_parser = Name::parse, verbatim_doc_comment)]
    format: Option<Name>,

    /// Work on these fields, by name or number (from 1), or in NDJSON by
    /// pointer (`/a/b`, `/a/*`); if not given, those with URLs
    #[arg(short, long, value_name = "FIELD,...", verbatim_doc_comment)]
    field: Vec<String>,

    /// The first line of CSV or TSV is a header, even if no field is named
    #[arg(long)]
    header: bool,

    /// Tell the first N places of each kind in the report, or `all`; usually 5
    #[arg(long, value_name = "N", value_parser = places)]
    positions: Option<usize>,

    /// Use N threads; by default, as many as there are cores
    #[arg(short = 'j', long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Colours in the report: auto, always or never
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true, hide_default_value = true)]
    pub color: When,

    /// Use this engine, not the best; `pct engines` lists them
    #[arg(long, value_name = "NAME", value_parser = engine)]
    pub engine: Option<&'static Engine>,
}

/// Where bytes go to, and what is told of them.
#[derive(clap::Args, Default)]
pub struct Writing {
    /// Write to FILE instead of standard output; .gz and .zst compress
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Put each result in the place of its file, whole or not at all;
    /// with =SUFFIX the old file stays, with that behind its name
    #[arg(
        long,
        value_name = "SUFFIX",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["output", "check"],
        verbatim_doc_comment
    )]
    pub in_place: Option<String>,

    /// Leave the fields, and put the results beside them, under this name;
    /// `{}` in it is the field's
    #[arg(long, value_name = "NAME", conflicts_with = "rowbinary", verbatim_doc_comment)]
    pub to: Option<String>,

    /// Bad escapes: `keep` them, `replace` each % by U+FFFD, `skip` the
    /// record, or `fail`: stop there with exit status 1
    #[arg(long, value_name = "POLICY", hide_possible_values = true, verbatim_doc_comment)]
    pub on_error: Option<OnError>,

    /// What decodes to no UTF-8: `keep` it escaped, `replace`, `skip` or
    /// `fail`, as above, or let it out `raw`, which lines do
    #[arg(long, value_name = "POLICY", hide_possible_values = true, verbatim_doc_comment)]
    pub on_utf8: Option<OnUtf8>,

    /// Write nothing but the report, and that to standard output; exit
    /// status 1 if there are malformed escapes or invalid UTF-8
    #[arg(long, conflicts_with = "output", verbatim_doc_comment)]
    pub check: bool,

    /// Say on stderr what was seen, as `text`, which no value means too,
    /// or `json`
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

    /// Compress the output: gz or zst
    #[arg(short = 'z', long, value_name = "FORM", hide_possible_values = true)]
    pub compress: Option<Compression>,
}

/// Both, for the verbs that work on streams.
#[derive(clap::Args)]
pub struct Streams {
    #[command(flatten)]
    pub input: Input,

    #[command(flatten)]
    pub writing: Writing,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    Text,
    Json,
}

/// When there is colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

impl When {
    /// Whether there is, on what is a terminal or not.
    pub fn is_now(self, is_terminal: bool) -> bool {
        let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal && !wants_none,
        }
    }
}

impl Input {
    /// The input of a verb that has no options but these.
    pub fn of(
        files: Vec<PathBuf>,
        null: bool,
        format: Option<Name>,
        field: Vec<String>,
        header: bool,
        threads: Option<usize>,
    ) -> Input {
        Input {
            files,
            raw: false,
            null,
            rowbinary: false,
            format,
            field,
            header,
            positions: None,
            threads,
            color: When::Auto,
            engine: None,
        }
    }

    /// The format that was asked for.
    pub fn format(&self) -> Name {
        match &self.format {
            _ if self.null => Name::Null,
            _ if self.rowbinary => Name::Rows,
            Some(format) => format.clone(),
            None if self.raw => Name::Raw,
            None => Name::Lines,
        }
    }

    /// Whether escapes come out though they forge or break a record.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    pub fn choice(&self) -> Choice {
        let split = |field: &String| match field.starts_with('/') {
            true => vec![field.clone()],
            false => field.split(',').map(String::from).collect(),
        };
        let fields = self.field.iter().flat_map(split).collect();
        Choice { fields, header: self.header.then_some(true) }
    }

    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Places of each kind that are told.
    pub fn places(&self) -> usize {
        self.positions.unwrap_or(PLACES)
    }
}

impl Writing {
    pub fn on_error(&self) -> OnError {
        self.on_error.unwrap_or(OnError::Keep)
    }

    /// Whether a line on stderr says how many bad ones there were.
    pub fn says_counts(&self) -> bool {
        let is_told = matches!(self.on_error, Some(OnError::Replace | OnError::Skip));
        is_told || matches!(self.on_utf8, Some(OnUtf8::Replace | OnUtf8::Skip))
    }

    /// Whether a record with something bad is left out.
    fn skips(&self) -> bool {
        self.on_error == Some(OnError::Skip) || self.on_utf8 == Some(OnUtf8::Skip)
    }
}

impl Streams {
    pub fn job_options(&self) -> JobOptions {
        let tells = self.writing.check || self.writing.report.is_some();
        let most = if tells { self.input.places() } else { 0 };
        let look = tells || self.writing.says_counts();
        JobOptions { to: self.writing.to.clone(), look, quiet: self.writing.check, most }
    }

    /// What is wrong with the options, taken together.
    pub fn check(&self) -> Result<(), String> {
        if self.input.rowbinary && self.writing.skips() {
            return Err(
                "pct: --rowbinary has a row out for each row in, so none can be skipped; keep or replace".into()
            );
        }
        if self.writing.in_place.is_some() && self.input.files.is_empty() {
            return Err("pct: --in-place needs the names of files".into());
        }
        if self.writing.in_place.is_some() && self.input.files.iter().any(|file| file.as_os_str() == "-") {
            return Err("pct: --in-place has no place for standard input; leave out `-`".into());
        }
        Ok(())
    }
}

fn engine(name: &str) -> Result<&'static Engine, String> {
    Engine::by_name(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<_> = Engine::available().map(Engine::name).collect();
        format!("there is none of that name; this CPU runs {}", names.join(", "))
    })
}

pub fn places(text: &str) -> Result<usize, String> {
    match text.parse() {
        _ if text == "all" => Ok(usize::MAX),
        Ok(places) => Ok(places),
        Err(_) => Err("a number is wanted, or `all`".into()),
    }
}

pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("a number of threads is wanted, from 1 to 1024".into()),
    }
}
