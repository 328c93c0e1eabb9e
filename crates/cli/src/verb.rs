//! Verbs that deal with one value at a time, be it a record or a field: how they plug into a job, and what they say.
//!
//! A [`Verb`] sees no input and no output. It gets a value, and gives what comes of it, or a [`Diagnostic`] that says where the
//! value is not as it should be. What becomes of such values is not its concern: see [`OnBad`].

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use memchr::memchr3;
use percent_simd::{ByteSet, DecodeErrorKind, Encoder, Plus, RawEncoder, ecma, iri};

use crate::args::{Input, Streams, Writing};
use crate::compress::Compression;
use crate::formats::{Format, Name};
use crate::job::{Job, JobOptions, NoBulk};
use crate::report::Place;
use crate::run;
use crate::transform::{Action, Spec};

/// What is done to a value.
pub trait Verb: fmt::Debug + Send + Sync {
    /// Appends to `out` what comes of `value`, or says why nothing does.
    fn apply(
        &self,
        value: &[u8],
        around: &FieldContext,
        out: &mut Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic>;

    /// Where a `+` is a space, before what the field is has been asked.
    fn plus(&self) -> Plus {
        Plus::Never
    }

    /// Length of the front of `bytes`, the middle of a long line, that can be dealt with by itself; `None` if lines must
    /// be whole.
    fn decided(&self, _bytes: &[u8]) -> Option<usize> {
        None
    }

    /// Where the output is a list of diagnostics: appends one of them.
    fn list(&self, _name: &str, _place: Place, _remark: &Diagnostic, _out: &mut Vec<u8>) {}
}

/// What a verb has to know of where a value stands.
#[derive(Clone, Copy, Debug)]
pub struct FieldContext<'a> {
    pub guard: &'a Guard,
    pub plus: Plus,
    /// How many layers are to come off.
    pub layers: usize,
}

/// Something to be said of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// In the value; once that has been placed, in the chunk.
    pub offset: usize,
    pub len: usize,
    /// What it is called in JSON.
    pub kind: &'static str,
    /// What is wrong, and what to do about it.
    pub text: Cow<'static, str>,
}

impl Diagnostic {
    pub fn new(offset: usize, text: impl Into<Cow<'static, str>>) -> Diagnostic {
        Diagnostic { offset, len: 1, kind: "", text: text.into() }
    }

    /// What is wrong with an escape.
    pub fn of_escape(offset: usize, kind: DecodeErrorKind) -> Diagnostic {
        Diagnostic::new(
            offset,
            match kind {
                DecodeErrorKind::Truncated => "an escape is cut off here; write `%25` for a `%` as such",
                DecodeErrorKind::NotHex => "no two hexadecimal digits follow this `%`; write `%25` for a `%` as such",
                DecodeErrorKind::InvalidUtf8 => "from here on this is not UTF-8, decoded",
                DecodeErrorKind::InvalidInCharset => "from here on this is not in the charset, decoded; name another",
                _ => "this escape is not accepted",
            },
        )
    }

    /// The same diagnostic on a value that stands `by` further on.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Diagnostic {
        self.offset += by;
        self
    }
}

/// The text of a value, or where it is none.
pub fn text(value: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(value).map_err(|error| {
        Diagnostic::new(error.valid_up_to(), "this is not UTF-8, so it is no text; decode or encode it before")
    })
}

/// Diagnostics on some records.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// The first so many of them.
    pub list: Vec<Diagnostic>,
    pub most: usize,
    pub count: u64,
    /// Whether the record is to be left out.
    pub skips: bool,
    /// Whether nothing is to be done any more.
    pub stops: bool,
}

impl Diagnostics {
    /// Whether the next diagnostic is told.
    pub fn is_telling(&self) -> bool {
        self.list.len() < self.most
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.is_telling() {
            self.list.push(diagnostic);
        }
    }

    /// Takes note of a value that nothing comes of.
    pub fn bad(&mut self, diagnostic: Diagnostic, on_bad: OnBad) {
        if on_bad == OnBad::Fail && self.stops {
            return;
        }
        if on_bad == OnBad::Fail {
            // What everything ends at is told in any case.
            self.most = usize::MAX;
        }
        self.push(diagnostic);
        self.skips |= on_bad != OnBad::Keep;
        self.stops |= on_bad == OnBad::Fail;
    }

    /// Says of the diagnostics from `first` on where the value stands, `width` bytes long as it is written there; where it is
    /// not written as it is, only its start is known.
    pub fn place(&mut self, first: usize, start: usize, width: Option<usize>) {
        for diagnostic in self.list.get_mut(first..).unwrap_or_default() {
            diagnostic.offset = start + width.map_or(0, |width| diagnostic.offset.min(width));
        }
    }
}

/// What becomes of values that nothing comes of, or of their records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum OnBad {
    /// They stay as they are.
    Keep,
    /// Their records are left out.
    Skip,
    /// That is where everything ends.
    Fail,
}

/// A verb, and how it is config out.
#[derive(Debug)]
pub struct VerbConfig {
    pub verb: Box<dyn Verb>,
    pub on_bad: OnBad,
    /// So many diagnostics are told.
    pub most: usize,
    /// Whether the output is a list of diagnostics.
    pub lists: bool,
}

/// The controls of `text` that are not ASCII, with their offsets: U+0080 to U+009F, which drive terminals, and those that
/// turn around what a reader sees.
pub fn non_ascii_controls(text: &str) -> impl Iterator<Item = (usize, char)> {
    // One starts with a pair that is rare, two of the three bytes in front being those of other scripts and signs too.
    let bytes = text.as_bytes();
    let from = memchr3(0xC2, 0xD8, 0xE2, bytes).unwrap_or(bytes.len());
    let starts = |pair: &[u8]| matches!(pair, [0xC2 | 0xD8 | 0xE2, 0x80..=0x9F]);
    let pairs = bytes[from..].windows(2).enumerate().filter(move |(_, pair)| starts(pair));
    pairs.filter_map(move |(at, _)| {
        let c = text[from + at..].chars().next()?;
        is_non_ascii_control(c).then_some((from + at, c))
    })
}

/// Whether the character is one of [`non_ascii_controls`].
pub const fn is_non_ascii_control(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{9F}') || iri::is_bidi_control(c)
}

/// What may not come out of an escape, because it would forge a record, drive a terminal, or deceive who reads it.
#[derive(Clone, Debug)]
pub struct Guard {
    keep: ByteSet,
    escaping: RawEncoder,
    /// Whether controls that are not ASCII may not, either.
    non_ascii_controls: bool,
}

/// Every byte to an escape.
const ALL: Encoder = Encoder::new(ByteSet::EMPTY);

impl Guard {
    /// Keeps what is in `keep` from coming out.
    pub fn new(keep: ByteSet) -> Guard {
        Guard { keep, escaping: RawEncoder::new(!keep), non_ascii_controls: keep.contains(0x1B) }
    }

    /// What may not come out.
    pub fn keep(&self) -> ByteSet {
        self.keep
    }

    /// Appends text with what it guards against as escapes of UTF-8, bytes that are no UTF-8 too.
    pub fn push_bytes(&self, bytes: &[u8], out: &mut Vec<u8>) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.push(text, out);
        }
        for chunk in bytes.utf8_chunks() {
            self.push(chunk.valid(), out);
            ALL.encode_into_vec(chunk.invalid(), out);
        }
    }

    /// Appends text with what it guards against as escapes of UTF-8.
    pub fn push(&self, text: &str, out: &mut Vec<u8>) {
        self.push_with(text, out, |control, out| {
            ALL.encode_into_vec(control, out);
        });
    }

    /// The same with the escapes that `unescape` reads, those of Latin-1 and `%uXXXX`.
    pub fn push_ecma(&self, text: &str, out: &mut Vec<u8>) {
        self.push_with(text, out, |control, out| out.extend(ecma::escape(control).bytes()));
    }

    fn push_with(&self, text: &str, out: &mut Vec<u8>, mut push_control: impl FnMut(&str, &mut Vec<u8>)) {
        let mut done = 0;
        for (at, control) in non_ascii_controls(text).filter(|_| self.non_ascii_controls) {
            let end = at + control.len_utf8();
            self.escaping.encode_into(&text[done..at], out);
            push_control(&text[at..end], out);
            done = end;
        }
        self.escaping.encode_into(&text[done..], out);
    }
}

/// The parts of `value` between controls of ASCII, and those; with their offsets. No escape has a control in it.
pub fn between_controls(value: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let is_control = |byte: &u8| byte.is_ascii_control();
    let same = move |a: &u8, b: &u8| is_control(a) == is_control(b);
    value.chunk_by(same).scan(0, |at, run| {
        let start = *at;
        *at += run.len();
        Some((start, run))
    })
}

/// Records, where they come from and where they go.
#[derive(Clone, Debug, clap::Args)]
pub struct Lines {
    /// Files to read, one after the other; none, or `-`, is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Records end with NUL, and not with a line
    #[arg(short = '0', long)]
    pub null: bool,

    /// Write to FILE instead of standard output; .gz and .zst compress
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Compress the output: gz or zst
    #[arg(short = 'z', long, value_name = "FORM", hide_possible_values = true)]
    compress: Option<Compression>,

    /// Use N threads; by default, as many as there are cores
    #[arg(short = 'j', long, value_name = "N", value_parser = crate::args::threads)]
    threads: Option<usize>,
}

/// Which fields of a record are meant.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Fields {
    /// Work on fields of: clf, combined, alb, s3, cloudfront, w3c, csv,
    /// tsv, ndjson, `nginx:LOG_FORMAT`, `apache:LOGFORMAT`; `auto` tells
    /// which from the first lines; `lines` are fields as a whole
    #[arg(long, value_name = "NAME", value_parser = Name::parse, verbatim_doc_comment, conflicts_with = "null")]
    pub format: Option<Name>,

    /// Work on these fields, by name or number (from 1), or in NDJSON by
    /// pointer (`/a/b`, `/a/*`); if not given, those with URLs
    #[arg(short, long, value_name = "FIELD,...", verbatim_doc_comment)]
    pub field: Vec<String>,

    /// The first line of CSV or TSV is a header, even if no field is named
    #[arg(long)]
    pub header: bool,
}

/// What is told, and done, where nothing comes of a value.
#[derive(clap::Args)]
pub struct Bad {
    /// Records with something bad: `keep` it, `skip` them, or `fail`:
    /// stop there. The exit status is 1 with each
    #[arg(long, value_name = "POLICY", hide_possible_values = true, verbatim_doc_comment)]
    pub on_error: Option<OnBad>,

    /// Tell the first N places where something is bad, or `all`; 5 if not given
    #[arg(long, value_name = "N", value_parser = crate::args::places)]
    pub positions: Option<usize>,
}

impl Bad {
    /// A verb that leaves bad values as they are, if nobody says otherwise.
    pub fn config(&self, verb: impl Verb + 'static) -> VerbConfig {
        VerbConfig {
            verb: Box::new(verb),
            on_bad: self.on_error.unwrap_or(OnBad::Keep),
            most: self.positions.unwrap_or(crate::args::PLACES),
            lists: false,
        }
    }
}

/// Carries a verb out on all inputs; the exit status.
pub fn run(lines: &Lines, fields: &Fields, make: impl Fn() -> VerbConfig) -> u8 {
    let Lines { files, null, output, compress, threads } = lines.clone();
    let Fields { format, field, header } = fields.clone();
    let input = Input::of(files, null, format, field, header, threads);
    let writing = Writing { output, compress, ..Writing::default() };
    run::run(&Streams { input, writing }, &|format| job(format, make()))
}

fn job(format: Box<dyn Format>, config: VerbConfig) -> Result<Job, String> {
    let quiet = config.lists;
    let spec = Spec::of(Action::Verb(config.into()));
    Job::new(format, &spec, Box::new(NoBulk), JobOptions { to: None, look: false, quiet, most: 0 })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use percent_simd_oracle::{check, check_sized};
    use quickcheck::TestResult;

    use super::*;
    use crate::pipeline::{self, Sink, Source};
    use crate::{Cli, Command, formats};

    /// What the verb of a command line makes of `input` in blocks of so many bytes, and how many diagnostics it has.
    fn pump(args: &[&str], input: &[u8], block: usize) -> (Vec<u8>, u64) {
        let command = Cli::try_parse_from([&["pct"], args].concat()).unwrap().command;
        let (name, config) = match &command {
            Command::Normalize(args) => (Name::Lines, args.config()),
            Command::Iri(args) => (Name::Lines, args.config()),
            Command::Unescape(args) => (Name::Lines, args.config()),
            Command::Form(args) => (args.format().unwrap_or(Name::Lines), args.config()),
            _ => unreachable!("no verb of this kind"),
        };
        let format = formats::build(&name, &formats::Choice::default()).unwrap();
        let job = job(format, config).unwrap();
        let mut out = Vec::new();
        let source = Source::new(input, &job, block, true);
        let ran = pipeline::run(source, &job, &mut Sink { to: &mut out, compression: None }, 1);
        (out, ran.diagnosed)
    }

    #[test]
    fn how_an_input_is_cut_does_not_matter() {
        const VERBS: [&[&str]; 6] = [
            &["normalize"],
            &["iri"],
            &["unescape", "--component"],
            &["form"],
            &["form", "--encode"],
            &["form", "--json", "--strict"],
        ];
        const ALPHABET: &[u8] = b"%%%%%0019aAfuF\r\n\n\n\n\n\t\t&=+;\0/.?\x1B\xC3\xA9\xFF";
        fn holds(text: Vec<u8>, which: usize, block: usize) -> TestResult {
            let text: Vec<u8> = text.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let (args, block) = (VERBS[which % VERBS.len()], [3, 5, 8, 64][block % 4]);
            TestResult::from_bool(pump(args, &text, block) == pump(args, &text, 1 << 20))
        }
        check_sized(200, 3000, holds as fn(Vec<u8>, usize, usize) -> TestResult);
    }

    #[test]
    fn pairs_come_back() {
        fn holds(form: Vec<u8>) -> bool {
            const ALPHABET: &[u8] = b"%%%2509aA\r\t&=+\\\0\x1B\xC2\x9B\xFF";
            let form: Vec<u8> = form.iter().map(|&byte| ALPHABET[usize::from(byte) % ALPHABET.len()]).collect();
            let pairs = |form: &[u8]| percent_simd::form::Parser::new().parse_bytes(form).count();
            let (lines, _) = pump(&["form"], &form, 1 << 20);
            let (back, diagnostics) = pump(&["form", "--encode"], &lines, 1 << 20);
            let same = percent_simd::form::Parser::new()
                .parse_bytes(&form)
                .eq(percent_simd::form::Parser::new().parse_bytes(back.strip_suffix(b"\n").unwrap_or(&back)));
            let printable = lines.iter().all(|&byte| byte == b'\n' || byte == b'\t' || !byte.is_ascii_control());
            let lines = lines.iter().filter(|&&byte| byte == b'\n').count();
            same && printable && diagnostics == 0 && lines == pairs(&form)
        }
        check(2000, holds as fn(Vec<u8>) -> bool);
    }

    #[test]
    fn controls_of_all_characters() {
        const BIDI: [u32; 12] =
            [0x61C, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069];
        for c in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            let found: Vec<_> = non_ascii_controls(&format!("é{c}")).collect();
            let expected = c.is_control() || BIDI.contains(&u32::from(c));
            assert_eq!(found, if expected { vec![(2, c)] } else { vec![] }, "{c:?}");
        }
    }

    #[test]
    fn nothing_comes_out_that_is_guarded_against() {
        let guard = Guard::new(ByteSet::CONTROLS);
        let mut out = Vec::new();
        guard.push("a\n\u{9B}\u{C2}\u{1B}é\u{202E}“\u{61C}ج", &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "a%0A%C2%9B\u{C2}%1Bé%E2%80%AE“%D8%9Cج");
        let mut out = Vec::new();
        guard.push_ecma("\n\u{9B}\u{202E}", &mut out);
        assert_eq!(out, b"%0A%9B%u202E");
        let mut out = Vec::new();
        guard.push_bytes(b"\xC2\x9B\xC2\xFF\x9B", &mut out);
        assert_eq!(out, b"%C2%9B%C2%FF%9B");
    }
}
