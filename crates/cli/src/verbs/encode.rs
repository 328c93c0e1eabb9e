//! `pct encode`: encodes bytes as escapes.

use std::ffi::OsString;

use memchr::memchr_iter;
use percent_simd::presets::Preset;
use percent_simd::{ByteSet, RawEncoder};
use percent_simd_records::formats::Format;
use percent_simd_records::framing::Framing;
use percent_simd_records::policy::Policy;
use percent_simd_records::transform::{Action, Part, Spec};
use percent_simd_records::verb::VerbConfig;
use percent_standards::charset::Charset;

use super::charset;
use super::decode::whole;
use crate::args::{Streams, part};
use crate::job::Job;
use crate::plan::BulkTransform;
use crate::run;
use crate::sets;

/// Percent-encode: every byte that is not in the set becomes %XX
///
/// Percent-encode: every byte that is not in the set becomes %XX.
///
/// Each line is a record. Its end, LF or CR LF, stays as it is. Any other CR is data, and
/// is encoded.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    next_help_heading = "Encoding",
    after_help = "\
Examples:
  printf '%s' 'AC/DC & ?' | pct encode          AC%2FDC%20%26%20%3F
  pct encode --text 'hello world'               hello%20world
  pct encode --set WHATWG_FORM values           encode as browsers encode forms
  pct encode --set RFC3986_URI --keep-escapes   repair URLs, and keep their escapes
  pct encode --allow '/:' paths                 also leave / and : as they are
  find . -print0 | pct encode -0 --allow /      encode names that may have newlines
  echo 表 | pct encode --charset sjis           %95%5C
  pct encode --raw key.bin                      encode any bytes; newlines become %0A"
)]
pub struct Args {
    /// Leave the bytes of this set as they are; `pct sets` lists all. The set
    /// also chooses how spaces and digits are written. In the name, upper and
    /// lower case are equal, and so are - and _.
    #[arg(long, value_name = "NAME", default_value = "RFC3986_UNRESERVED", value_parser = sets::parse, verbatim_doc_comment)]
    set: &'static Preset,

    /// Do not encode these characters; write a % as %25, other bytes as %XX
    #[arg(long, value_name = "CHARS", value_parser = sets::bytes)]
    allow: Option<ByteSet>,

    /// Write hexadecimal digits in lower case: %c3, not %C3
    #[arg(long)]
    lower: bool,

    /// Write a space as +; write + as %2B unless it is in --allow
    #[arg(long)]
    plus: bool,

    /// Leave valid escapes as they are; any other % becomes %25
    #[arg(long)]
    keep_escapes: bool,

    /// Convert the text from UTF-8 to this charset, then encode its bytes;
    /// `pct charsets` lists all. A character that the charset lacks stops the
    /// run with exit status 1; with --on-error=skip, its record is skipped
    #[arg(long, value_name = "LABEL", value_parser = charset::parse, verbatim_doc_comment)]
    charset: Option<Charset>,

    /// Write &#N; for a character that the charset lacks, as browsers do
    #[arg(long, requires = "charset")]
    references: bool,

    /// Encode only this part of each URL: path, query, values or fragment. In a
    /// path, / stays
    #[arg(long, value_name = "PART", value_parser = part(), hide_possible_values = true, verbatim_doc_comment)]
    part: Option<Part>,

    #[command(flatten)]
    pub streams: Streams,
}

/// Runs the verb on all inputs. Returns the exit status.
pub fn run(mut args: Args) -> u8 {
    // Each text of `--text` is one record, even if it contains line ends. But `--charset` needs lines, so with this
    // option, we split the texts into lines.
    let has_line_ends = |text: &OsString| text.as_encoded_bytes().iter().any(|byte| b"\r\n".contains(byte));
    let streams = &mut args.streams;
    streams.keeps_texts_whole = args.charset.is_none() && streams.texts.text.iter().any(has_line_ends);
    run::run(&args.streams, &|format, _| args.job(format))
}

impl Args {
    /// Returns the job for an input in `format`.
    pub fn job(&self, format: Box<dyn Format>) -> Result<Job, String> {
        let direct = self.direct(format.framing());
        if let Some(charset) = self.charset {
            return self.write(format, charset, direct);
        }
        let spec = Spec {
            part: self.part,
            on_error: self.streams.on_error(),
            on_utf8: self.streams.malformed.on_utf8,
            raw: self.streams.is_raw(),
            engine: self.streams.engine,
            ..Spec::of(Action::Encode(direct.within))
        };
        Job::new(format, &spec, Some(Box::new(direct)), self.streams.to(), self.streams.policies())
    }

    /// Returns the job that first converts the text from UTF-8 to another charset, and then encodes it.
    fn write(&self, format: Box<dyn Format>, charset: Charset, direct: Encode) -> Result<Job, String> {
        if format.framing() == Framing::Raw {
            return Err("pct: --charset needs records (lines, or --null); leave out --raw".into());
        }
        let on_bad = match self.streams.malformed.on_error {
            None | Some(Policy::Fail) => Policy::Fail,
            Some(Policy::Skip) => Policy::Skip,
            Some(Policy::Keep | Policy::Raw | Policy::Replace) => {
                return Err(
                    "pct: a character that the charset lacks cannot be kept; use skip or fail, or --references".into(),
                );
            }
        };
        let verb = charset::Encode { charset, encoder: direct.within, references: self.references };
        let config = VerbConfig { verb: Box::new(verb), on_bad, limit: self.streams.places(), lists: false };
        let spec = Spec {
            part: self.part,
            raw: self.streams.is_raw(),
            engine: self.streams.engine,
            ..Spec::of(Action::Verb(config.into()))
        };
        Job::new(format, &spec, None, self.streams.to(), self.streams.policies())
    }

    fn direct(&self, framing: Framing) -> Encode {
        let set = if self.plus { self.set.allowed.without(b'+') } else { self.set.allowed };
        // If the `/` of a path were encoded, the first segment would become a part of the host.
        let slash = if self.part == Some(Part::Path) { ByteSet::of(b"/") } else { ByteSet::EMPTY };
        let set = set | slash | self.allow.unwrap_or_default();
        let keep_escapes = self.keep_escapes || self.set.keep_triplets;
        let encoder = |set| {
            let mut encoder = RawEncoder::new(set);
            if self.lower || self.set.lowercase {
                encoder = encoder.lowercase();
            }
            if self.plus || self.set.space_to_plus {
                encoder = encoder.space_to_plus();
            }
            if keep_escapes {
                encoder = encoder.keep_triplets();
            }
            if let Some(engine) = self.streams.engine {
                encoder = encoder.with_engine(engine);
            }
            encoder
        };
        let stays = match framing {
            Framing::Lines => ByteSet::of(b"\n\r"),
            Framing::Null => ByteSet::of(b"\0"),
            _ => ByteSet::EMPTY,
        };
        Encode {
            encoder: encoder(set | stays),
            within: encoder(set),
            bare_cr: (framing == Framing::Lines).then(|| encoder(set).encode("\r").into_owned()),
            keep_escapes,
        }
    }
}

/// Encodes whole records, many at once.
struct Encode {
    /// Encodes whole records. Leaves the ends of records as they are. If records are lines, it leaves every CR, because
    /// `bare_cr` replaces each CR that isn't part of a line end.
    encoder: RawEncoder,
    /// Encodes the text inside a record.
    within: RawEncoder,
    /// The encoding of a CR that isn't part of a line end. `None` if records are not lines.
    bare_cr: Option<Vec<u8>>,
    keep_escapes: bool,
}

impl BulkTransform for Encode {
    fn run(&self, bytes: &[u8], _: bool, _: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), usize> {
        let mut start = 0;
        if let Some(bare_cr) = &self.bare_cr {
            for cr in memchr_iter(b'\r', bytes) {
                if bytes.get(cr + 1) != Some(&b'\n') {
                    if start < cr {
                        self.encoder.encode_into(&bytes[start..cr], out);
                    }
                    out.extend(bare_cr);
                    start = cr + 1;
                }
            }
        }
        self.encoder.encode_into(&bytes[start..], out);
        Ok(())
    }

    fn decided(&self, bytes: &[u8]) -> usize {
        match *bytes {
            [.., b'\r'] if self.bare_cr.is_some() => bytes.len() - 1,
            _ if self.keep_escapes => whole(bytes),
            _ => bytes.len(),
        }
    }
}
