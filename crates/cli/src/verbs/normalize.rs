//! `pct normalize`.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memmem};
use percent_simd::{ByteSet, DecodeError};
use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::formats::Syntax;
use percent_simd_records::guard::Guard;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::uri::{Normalizer, RequestTarget, TargetForm, Uri, normalize_escapes, sanitize_escapes};

use super::normal::{normalized, sanitized};
use crate::args::Values;
use crate::run;

/// Normalize URIs: what means the same is written the same
///
/// Normalize URIs and references, one a line (RFC 3986 6.2.2): the escapes of letters,
/// digits and - . _ ~ are decoded, the digits of all others are in upper case, scheme
/// and host in lower case, and the segments . and .. go. Nothing else is decoded and
/// nothing is encoded, so a URI means what it meant, and no line is forged.
///
/// Of the target of a request (RFC 9112 3.2), in a log, all of //HOST/x is a path, and
/// stays. --base puts its scheme and authority in front.
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
    values: Values,
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

/// The bytes that dot segments start with, but for those at the start of a relative path.
pub static DOT: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new("/."));

impl Normalize {
    /// Returns the normal form of a value.
    fn normal<'a>(&self, value: &'a str, syntax: Syntax) -> Result<Cow<'a, str>, DecodeError> {
        let normalizer = if self.by_scheme { Normalizer::new().by_scheme() } else { Normalizer::new() };
        match (self.escapes_only, self.sanitize) {
            (true, true) => Ok(sanitize_escapes(value)),
            (true, false) => normalize_escapes(value),
            (false, true) => Ok(sanitized(&normalizer, value, syntax)),
            (false, false) => normalized(&normalizer, value, syntax),
        }
    }
}

impl Args {
    /// How values are dealt with.
    pub fn config(&self) -> VerbConfig {
        let (by_scheme, escapes_only, sanitize) = (self.by_scheme, self.escapes_only, self.sanitize);
        self.values.bad.config(Normalize { by_scheme, escapes_only, sanitize, base: self.base.clone() })
    }
}

pub fn run(args: &Args) -> u8 {
    run::run_verb(&args.values.lines, &args.values.fields, || args.config())
}

/// Returns whether `reference` is sure to be normal, by its syntax or by its scheme, too; it has no `%` and no `/.` in it.
///
/// It is one of the many with a scheme and a host in lower case and without a port, or with a path only: all that takes more than
/// a look is not sure.
pub fn is_surely_normal(reference: &[u8], by_scheme: bool) -> bool {
    if let Some(rest) = reference.strip_prefix(b"http").map(|rest| rest.strip_prefix(b"s").unwrap_or(rest))
        && let Some(rest) = rest.strip_prefix(b"://")
    {
        return is_plain_authority(rest, by_scheme);
    }
    let ends = |byte: &u8| matches!(byte, b':' | b'/' | b'?' | b'#');
    let len = reference.iter().position(ends).unwrap_or(reference.len());
    let (first, rest) = reference.split_at(len);
    if first.starts_with(b".") {
        return false;
    }
    let rest = match rest {
        [b':', rest @ ..] => {
            let is_scheme = first.first().is_some_and(u8::is_ascii_lowercase)
                && first.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            // Without an authority there may be dots in front.
            if !is_scheme || !rest.starts_with(b"//") {
                return false;
            }
            rest
        }
        _ if first.is_empty() => rest,
        _ => return true,
    };
    rest.strip_prefix(b"//").is_none_or(|rest| is_plain_authority(rest, by_scheme))
}

/// Whether what follows `//` is sure to be normal, dot segments aside: a host and nothing else, in lower case, and a path.
fn is_plain_authority(rest: &[u8], by_scheme: bool) -> bool {
    /// The bytes that end an authority, and those that take a closer look.
    const ENDS: ByteSet = ByteSet::of(b"/?#");
    const STOPS: ByteSet = ENDS.union(ByteSet::range(b'A', b'Z')).union(ByteSet::of(b":@["));
    let end = rest.iter().find(|&&byte| STOPS.contains(byte));
    end.is_none_or(|end| ENDS.contains(*end)) && !(by_scheme && end != Some(&b'/'))
}

/// Returns the URI that a value stands for, if a base is needed for that.
fn resolved(base: &str, text: &str, syntax: Syntax) -> Option<String> {
    let base = Uri::split(base);
    match syntax {
        // An empty text here is no reference to the base, but an empty line.
        Syntax::Reference if !text.is_empty() => base.resolve(&Uri::split(text)).ok(),
        // The target takes the place of all that follows the authority (RFC 9112 3.3). Without an authority, a path that begins
        // with `//` would be read as one.
        Syntax::Target => {
            let target = RequestTarget::split(text);
            let is_resolved = target.form() == TargetForm::Origin && base.authority.is_some();
            let (path, query) = (target.path(), target.query());
            is_resolved.then(|| Uri { path, query, fragment: None, ..base }.to_string())
        }
        Syntax::Reference | Syntax::Query => None,
    }
}

impl Verb for Normalize {
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        let Ok(text) = str::from_utf8(lines) else { return false };
        if self.base.is_some() || memchr(b'\r', lines).is_some() {
            return false;
        }
        let start = out.len();
        // The places of the next, which most lines have none of.
        let find_escape = |from: usize| memchr(b'%', &lines[from..]).map_or(lines.len(), |at| from + at);
        let find_dot = |from: usize| DOT.find(&lines[from..]).map_or(lines.len(), |at| from + at);
        let (mut escape, mut dot) = (find_escape(0), find_dot(0));
        let (mut at, mut done) = (0, 0);
        for end in memchr_iter(b'\n', lines) {
            if escape < at {
                escape = find_escape(at);
            }
            if dot < at {
                dot = find_dot(at);
            }
            let is_normal =
                escape > end && (self.escapes_only || dot > end && is_surely_normal(&lines[at..end], self.by_scheme));
            if !is_normal {
                out.extend_from_slice(&lines[done..at]);
                let Ok(normal) = self.normal(&text[at..end], Syntax::Reference) else {
                    out.truncate(start);
                    return false;
                };
                out.extend_from_slice(normal.as_bytes());
                done = end;
            }
            at = end + 1;
        }
        out.extend_from_slice(&lines[done..]);
        true
    }

    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
        _: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let text = diagnostic::text(value)?;
        let resolved = self.base.as_deref().and_then(|base| resolved(base, text, context.syntax));
        let (text_of, syntax) = match &resolved {
            Some(resolved) => (&**resolved, Syntax::Reference),
            None => (text, context.syntax),
        };
        match self.normal(text_of, syntax) {
            Ok(normal) => out.extend_from_slice(normal.as_bytes()),
            Err(error) => {
                // In the reference, and not in what it was resolved to.
                let offset = percent_simd::Decoder::new().strict().check(text).err().map_or(0, |error| error.offset);
                return Err(Diagnostic::of_escape(offset, error.kind));
            }
        }
        Ok(())
    }
}
