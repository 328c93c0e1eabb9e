//! `pct lint`.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use percent_simd::uri::{self, FindingKind};
use percent_simd::{Decoder, sets};
use percent_simd_records::diagnostic::{Diagnostic, Diagnostics};
use percent_simd_records::place::Place;
use percent_simd_records::policy::Policy;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use serde_json::json;

use crate::args::{Fields, Lines};
use crate::run;

/// Find what URIs had better not contain, as FILE:LINE:COLUMN
///
/// Find what URIs, one a line, had better not contain (RFC 3986 2):
///
///   malformed       a % that two hexadecimal digits do not follow
///   double-encoded  %25 and two hexadecimal digits
///   over-encoded    the escape of a letter, a digit or - . _ ~
///   lower-case      an escape with digits in lower case
///   illegal         controls, spaces, <>"\^`{|} and all beyond ASCII
///
/// Each is a line, FILE:LINE:COLUMN: KIND: WHAT: REMEDY, as editors read them from
/// compilers. Columns are bytes, from 1.
///
/// The exit status is 1 if something was found.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct lint urls.txt
  pct lint --ignore lower-case,over-encoded urls.txt
  pct lint --json urls.txt | jq -r .kind | sort | uniq -c
  pct lint --format combined access.log    of the URLs in a log
  pct lint --quiet urls.txt || echo no"
)]
pub struct Args {
    /// Write an object of JSON for each finding
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    /// Write how many there are of each kind, and not where
    #[arg(short, long, conflicts_with_all = ["json", "quiet"])]
    count: bool,

    /// Pass over these kinds
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', hide_possible_values = true)]
    ignore: Vec<Finding>,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    lines: Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Finding {
    Malformed,
    DoubleEncoded,
    OverEncoded,
    LowerCase,
    Illegal,
}

const KINDS: [(&str, Finding); 5] = [
    ("malformed", Finding::Malformed),
    ("double-encoded", Finding::DoubleEncoded),
    ("over-encoded", Finding::OverEncoded),
    ("lower-case", Finding::LowerCase),
    ("illegal", Finding::Illegal),
];

/// So much of what was found is shown.
const SHOWN: usize = 24;

/// How many there are of each of [`KINDS`].
type Counts = [AtomicU64; KINDS.len()];

#[derive(Clone, Debug)]
struct Lint {
    json: bool,
    ignore: Vec<Finding>,
    counts: Arc<Counts>,
}

pub fn run(args: &Args) -> u8 {
    let Args { json, count, ref ignore, ref fields, ref lines } = *args;
    let quiet = lines.input.quiet;
    let lint = Lint { json, ignore: ignore.clone(), counts: Arc::default() };
    let limit = if quiet || count { 0 } else { usize::MAX };
    let code = run::run_verb(lines, fields, || VerbConfig {
        verb: Box::new(lint.clone()),
        on_bad: Policy::Keep,
        limit,
        lists: true,
    });
    if !count || code > 1 {
        return code;
    }
    let rows = KINDS.iter().zip(&*lint.counts).filter(|((_, finding), _)| !lint.ignore.contains(finding));
    let rows = rows.map(|((name, _), count)| format!("{:>9} {name}\n", count.load(Ordering::Relaxed)));
    code.max(run::print(rows.collect::<String>()))
}

impl Verb for Lint {
    fn apply(
        &self,
        value: &[u8],
        _: &FieldContext,
        _: &mut Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        for found in uri::lint(value) {
            let finding = match found.kind {
                FindingKind::Malformed => Finding::Malformed,
                FindingKind::DoubleEncoded => Finding::DoubleEncoded,
                FindingKind::OverEncoded => Finding::OverEncoded,
                FindingKind::LowerCase => Finding::LowerCase,
                _ => Finding::Illegal,
            };
            if self.ignore.contains(&finding) {
                continue;
            }
            self.counts[finding as usize].fetch_add(1, Ordering::Relaxed);
            let mut diagnostic = Diagnostic::new(found.offset, "");
            if diagnostics.is_telling() {
                // Of a malformed escape, what is no escape.
                let len = if finding == Finding::Malformed { 3 } else { found.len.min(SHOWN) };
                let rest = &value[found.offset..];
                diagnostic.text = String::from_utf8_lossy(&rest[..len.min(rest.len())]).into_owned().into();
                (diagnostic.len, diagnostic.kind) = (found.len, KINDS[finding as usize].0);
            }
            diagnostics.push(diagnostic);
        }
        Ok(())
    }

    fn decided(&self, bytes: &[u8]) -> Option<usize> {
        // Not in an escape, nor in what may be several bytes of the same finding.
        let ends = |byte: &u8| sets::RFC3986_URI.contains(*byte) && *byte != b'%' && !byte.is_ascii_hexdigit();
        Some(bytes.iter().rposition(ends).map_or(bytes.len().saturating_sub(4), |at| at + 1))
    }

    fn list(&self, name: &str, place: Place, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
        let Diagnostic { kind, text, len, .. } = diagnostic;
        let remedy = remedy(kind, text);
        let (line, column) = (place.line, place.column());
        let shown = if self.json {
            let (offset, length) = (place.offset, len);
            json!({
                "file": name, "line": line, "column": column, "offset": offset, "length": length,
                "kind": kind, "text": text, "remedy": remedy,
            })
            .to_string()
        } else {
            let more = if *kind != "malformed" && *len > SHOWN { "..." } else { "" };
            let text: String = text.chars().map(printable).collect();
            let name: String = name.chars().map(printable).collect();
            format!("{name}:{line}:{column}: {kind}: `{text}`{more}: {remedy}")
        };
        out.extend(shown.bytes());
        out.push(b'\n');
    }
}

/// A character, as an escape of Rust if a terminal would not just show it.
fn printable(c: char) -> Cow<'static, str> {
    match c {
        ' ' => " ".into(),
        '"' | '\'' | '\\' => c.to_string().into(),
        c => c.escape_debug().to_string().into(),
    }
}

/// What to do about a finding that stands as `text`.
fn remedy(kind: &str, text: &str) -> String {
    match kind {
        "malformed" => "write `%25` for a `%` as such".into(),
        "double-encoded" => format!("encoded twice? then write `%{}`", text.get(3..).unwrap_or_default()),
        "over-encoded" => format!("write `{}`", Decoder::new().decode_utf8_lossy(text)),
        "too-long" => "it was passed over".into(),
        "lower-case" => format!("write `{}`", text.to_ascii_uppercase()),
        _ => "percent-encode it".into(),
    }
}
