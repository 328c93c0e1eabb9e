//! `pct normalize`.

use std::borrow::Cow;

use percent_simd::uri::{Normalizer, Uri, normalize_escapes, sanitize_escapes};
use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};

use crate::args::{BadValues, Fields, Lines};
use crate::run;

/// Normalize URIs: what means the same is written the same
///
/// Normalize URIs and references, one a line (RFC 3986 6.2.2): the escapes of letters,
/// digits and - . _ ~ are decoded, the digits of all others are in upper case, scheme
/// and host in lower case, and the segments . and .. go. Nothing else is decoded and
/// nothing is encoded, so a URI means what it meant, and no line is forged.
///
/// A line with a % that starts no escape, or that is no UTF-8, stays as it is. That is
/// told on stderr, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'HTTP://ex%41mple.COM/a/../%7Eb%2f' | pct normalize   http://example.com/~b%2F
  pct normalize --by-scheme urls | sort -u     http://h:80 and http://h/ are the same
  pct normalize --sanitize urls                100% becomes 100%25
  pct normalize --base http://h/docs/ links    ../a becomes http://h/a
  pct normalize --format combined access.log   targets and referrers, nothing else"
)]
pub struct Args {
    /// Drop the default port too, and an empty one; an empty path
    /// becomes / (RFC 3986 6.2.3)
    #[arg(long, verbatim_doc_comment)]
    by_scheme: bool,

    /// Normalize escapes and nothing else
    #[arg(long, conflicts_with = "by_scheme")]
    escapes_only: bool,

    /// Write %25 for each % that starts no escape
    #[arg(long)]
    sanitize: bool,

    /// Resolve references by this URI first (RFC 3986 5.2)
    #[arg(long, value_name = "URI", value_parser = base)]
    base: Option<String>,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    bad: BadValues,

    #[command(flatten)]
    lines: Lines,
}

/// A URI that others can be resolved by.
fn base(text: &str) -> Result<String, String> {
    let uri = Uri::parse(text).map_err(|error| error.to_string())?;
    match uri.scheme {
        Some(_) => Ok(text.to_string()),
        None => Err("a base has a scheme, as in http://example.com/".into()),
    }
}

#[derive(Clone, Debug)]
struct Normalize {
    by_scheme: bool,
    escapes_only: bool,
    sanitize: bool,
    base: Option<String>,
}

impl Args {
    /// How values are dealt with.
    pub fn config(&self) -> VerbConfig {
        let (by_scheme, escapes_only, sanitize) = (self.by_scheme, self.escapes_only, self.sanitize);
        self.bad.config(Normalize { by_scheme, escapes_only, sanitize, base: self.base.clone() })
    }
}

pub fn run(args: &Args) -> u8 {
    run::run_verb(&args.lines, &args.fields, || args.config())
}

impl Verb for Normalize {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>, _: &mut Diagnostics) -> Result<(), Diagnostic> {
        let text = diagnostic::text(value)?;
        let resolved = match &self.base {
            // What is empty here is no reference to the base, but a line with nothing on it.
            Some(base) if !text.is_empty() => Uri::split(base).resolve(&Uri::split(text)).map(Cow::Owned),
            _ => Ok(Cow::Borrowed(text)),
        };
        // The base has a scheme, so there is no other case.
        let resolved = resolved.unwrap_or(Cow::Borrowed(text));
        let normalizer = if self.by_scheme { Normalizer::new().by_scheme() } else { Normalizer::new() };
        let normal = match (self.escapes_only, self.sanitize) {
            (true, true) => Ok(sanitize_escapes(&resolved)),
            (true, false) => normalize_escapes(&resolved),
            (false, true) => Ok(normalizer.sanitize(&resolved)),
            (false, false) => normalizer.normalize(&resolved),
        };
        match normal {
            Ok(normal) => out.extend(normal.bytes()),
            Err(error) => {
                // In the reference, and not in what it was resolved to.
                let offset = percent_simd::Decoder::new().strict().check(text).err().map_or(0, |error| error.offset);
                return Err(Diagnostic::of_escape(offset, error.kind));
            }
        }
        Ok(())
    }
}
