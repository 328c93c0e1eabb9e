//! `pct normalize`: writes equivalent URIs the same way.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::{memchr, memchr_iter, memmem};
use percent_simd::{ByteSet, DecodeError};
use percent_simd_records::diagnostic::{self, Diagnostic};
use percent_simd_records::formats::Syntax;
use percent_simd_records::guard::Guard;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::uri::{
    CanonicalQuery, Normalizer, RequestTarget, TargetForm, Uri, normalize_escapes, sanitize_escapes,
};

use super::normal::{normalized, sanitized};
use crate::args::Values;
use crate::run;

/// Normalize URIs: write equivalent URIs the same way
///
/// Normalize URIs and references, one per line (RFC 3986 6.2.2):
///
///   escapes of letters, digits and - . _ ~ are decoded
///   other escapes get upper-case digits
///   scheme and host become lower case
///   the segments . and .. are removed
///
/// No other byte is decoded or encoded, so a URI keeps its meaning, and no line is forged.
///
/// If the target of a request (RFC 9112 3.2), as in a log, is //HOST/x, all of it is a
/// path, and stays. --base gives targets the scheme and authority of the base.
///
/// A line that is not UTF-8, or has a % that starts no escape, stays as it is. It is
/// reported on stderr, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'HTTP://ex%41mple.COM/a/../%7Eb%2f' | pct normalize   http://example.com/~b%2F
  pct normalize --by-scheme urls | sort -u     http://h:80 and http://h/ become the same
  pct normalize --sanitize urls                100% becomes 100%25
  pct normalize --base http://h/docs/ links    ../a becomes http://h/a
  pct normalize --sort-query --drop 'utm_*'    /?b&a&utm_id=1 becomes /?a&b
  pct normalize --format combined access.log   normalize only targets and referrers"
)]
pub struct Args {
    /// Also drop an empty or default port, and write / for an empty path
    /// (RFC 3986 6.2.3)
    #[arg(long, verbatim_doc_comment)]
    by_scheme: bool,

    /// Normalize only escapes
    #[arg(long, conflicts_with = "by_scheme")]
    escapes_only: bool,

    /// Write %25 for each % that starts no escape
    #[arg(long)]
    sanitize: bool,

    /// First resolve references against this URI (RFC 3986 5.2)
    #[arg(long, value_name = "URI", value_parser = base)]
    base: Option<String>,

    /// Sort the parameters of the query by name; equal names keep their order
    #[arg(long)]
    sort_query: bool,

    /// Drop the parameters with these names from the query; * at the end of a
    /// name stands for any text
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = name, verbatim_doc_comment)]
    drop: Vec<&'static str>,

    /// Merge slashes: remove empty segments from the path, except the last
    #[arg(long)]
    merge_slashes: bool,

    #[command(flatten)]
    values: Values,
}

/// Parses a name for `--drop`. The command line is parsed once, so the name may stay in memory.
fn name(text: &str) -> Result<&'static str, String> {
    Ok(String::leak(text.to_string()))
}

/// Parses a URI for `--base`.
fn base(text: &str) -> Result<String, String> {
    let uri = Uri::parse(text).map_err(|error| error.to_string())?;
    match uri.scheme {
        Some(_) => Ok(text.to_string()),
        None => Err("a base needs a scheme, as in http://example.com/".into()),
    }
}

#[derive(Clone, Debug)]
struct Normalize {
    by_scheme: bool,
    escapes_only: bool,
    sanitize: bool,
    base: Option<String>,
    sort_query: bool,
    drop: Vec<&'static str>,
    merge_slashes: bool,
}

/// Finds the start of a dot segment, except at the start of a relative path.
pub static DOT: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new("/."));

impl Normalize {
    /// Returns the normal form of a value.
    ///
    /// Slashes are merged first, because `..` must not remove an empty segment. The query is sorted last, by the
    /// normal form of the names.
    fn normal<'a>(&self, value: &'a str, syntax: Syntax) -> Result<Cow<'a, str>, DecodeError> {
        let merged = if self.merge_slashes { merged(value, syntax) } else { Cow::Borrowed(value) };
        let normal = match merged {
            Cow::Borrowed(value) => self.without_options(value, syntax)?,
            Cow::Owned(value) => Cow::Owned(self.without_options(&value, syntax)?.into_owned()),
        };
        let query = match (self.sort_query, &*self.drop) {
            (false, []) => return Ok(normal),
            (false, names) => CanonicalQuery::as_written().drop_names(names),
            (true, names) => CanonicalQuery::cache_key().drop_names(names),
        };
        Ok(match normal {
            Cow::Borrowed(text) => sorted(query, text, syntax),
            Cow::Owned(text) => Cow::Owned(sorted(query, &text, syntax).into_owned()),
        })
    }

    /// Returns the normal form, without the options for slashes and for the query.
    fn without_options<'a>(&self, value: &'a str, syntax: Syntax) -> Result<Cow<'a, str>, DecodeError> {
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
    /// Returns the configuration of the verb.
    pub fn config(&self) -> VerbConfig {
        self.values.bad.config(Normalize {
            by_scheme: self.by_scheme,
            escapes_only: self.escapes_only,
            sanitize: self.sanitize,
            base: self.base.clone(),
            sort_query: self.sort_query,
            drop: self.drop.clone(),
            merge_slashes: self.merge_slashes,
        })
    }
}

pub fn run(args: &Args) -> u8 {
    run::run_verb(&args.values.streams().reading_urls(), args.config())
}

/// Returns true if `reference` is certainly normal. `reference` must have no `%` and no `/.`. If `by_scheme` is true,
/// "normal" includes the normalization by scheme (RFC 3986 6.2.3).
///
/// This is a quick check for common URLs: they have a lower-case scheme and host without a port, or are only a path.
/// For all other references, the function returns false, even if they are normal.
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
            // Without an authority, the path may start with dots, which the search for `/.` doesn't find.
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

/// Returns true if `rest`, the text after `//`, starts with a lower-case host, and has no user and no port. In this
/// case, only dot segments in the path could need normalization.
fn is_plain_authority(rest: &[u8], by_scheme: bool) -> bool {
    /// `ENDS` are the bytes that end an authority. If the search stops at any other byte of `STOPS`, a full check is needed.
    const ENDS: ByteSet = ByteSet::of(b"/?#");
    const STOPS: ByteSet = ENDS.union(ByteSet::range(b'A', b'Z')).union(ByteSet::of(b":@["));
    let end = rest.iter().find(|&&byte| STOPS.contains(byte));
    end.is_none_or(|end| ENDS.contains(*end)) && !(by_scheme && end != Some(&b'/'))
}

/// Returns the value with a canonical query.
fn sorted<'a>(query: CanonicalQuery<'_>, text: &'a str, syntax: Syntax) -> Cow<'a, str> {
    match syntax {
        Syntax::Query => query.canonicalize(text),
        Syntax::Reference | Syntax::Target => query.canonicalize_uri(text),
    }
}

/// Returns the value without empty segments in its path. The last segment stays even if it is empty.
fn merged(text: &str, syntax: Syntax) -> Cow<'_, str> {
    let path = match syntax {
        Syntax::Reference => Uri::split(text).path,
        Syntax::Target => RequestTarget::split(text).path(),
        Syntax::Query => return Cow::Borrowed(text),
    };
    if memmem::find(path.as_bytes(), b"//").is_none() {
        return Cow::Borrowed(text);
    }
    let mut merged = String::with_capacity(path.len());
    for segment in path.split_inclusive('/') {
        if segment != "/" || !merged.ends_with('/') {
            merged.push_str(segment);
        }
    }
    // The path is a part of the text.
    let start = path.as_ptr().addr() - text.as_ptr().addr();
    Cow::Owned([&text[..start], &merged, &text[start + path.len()..]].concat())
}

/// Returns the URI that a value resolves to, or `None` if a value of this kind is not resolved against the base.
fn resolved(base: &str, text: &str, syntax: Syntax) -> Option<String> {
    let base = Uri::split(base);
    match syntax {
        // An empty text is an empty line, not a reference to the base.
        Syntax::Reference if !text.is_empty() => base.resolve(&Uri::split(text)).ok(),
        // The target replaces everything after the authority of the base (RFC 9112 3.3). If the base had no authority, a target
        // that begins with `//` would be read as an authority.
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
        let has_options = self.base.is_some() || self.sort_query || self.merge_slashes || !self.drop.is_empty();
        if has_options || memchr(b'\r', lines).is_some() {
            return false;
        }
        let start = out.len();
        // The offsets of the next `%` and of the next `/.`. If a line has neither, and passes a quick check of its
        // scheme and host, it is normal. Most lines do.
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

    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let text = diagnostic::text(value)?;
        let resolved = self.base.as_deref().and_then(|base| resolved(base, text, context.syntax));
        let (text_of, syntax) = match &resolved {
            Some(resolved) => (&**resolved, Syntax::Reference),
            None => (text, context.syntax),
        };
        match self.normal(text_of, syntax) {
            Ok(normal) => out.extend_from_slice(normal.as_bytes()),
            Err(error) => {
                // We report the offset in the reference of the user, not in the URI that it resolves to.
                let offset = percent_simd::Decoder::new().strict().check(text).err().map_or(0, |error| error.offset);
                return Err(Diagnostic::of_escape(offset, error.kind));
            }
        }
        Ok(())
    }
}
