//! `pct lint`: finds mistakes in URIs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use memchr::memchr_iter;
use percent_simd::{Decoder, RawEncoder, sets};
use percent_simd_records::diagnostic::{Diagnostic, Diagnostics};
use percent_simd_records::formats::Syntax;
use percent_simd_records::guard::Guard;
use percent_simd_records::place::Place;
use percent_simd_records::policy::Policy;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::uri::{self, FindingKind};
use serde_json::json;

use crate::args::{Fields, Lines};
use crate::run;

/// Find mistakes in URIs, as FILE:LINE:COLUMN
///
/// Find text that URIs should not contain (RFC 3986 2). Each line is a URI. The kinds are:
///
///   malformed       a % without two hexadecimal digits after it
///   double-encoded  %25 followed by two hexadecimal digits
///   over-encoded    the escape of a letter, a digit or - . _ ~
///   lower-case      an escape with lower-case digits
///   illegal         controls, spaces, <>"\^`{|} and everything beyond ASCII; in the
///                   target of a request, which has no fragment, also #
///   password        a password before the host, which is not shown (RFC 3986 3.2.1)
///
/// Each finding is a line FILE:LINE:COLUMN: KIND: TEXT: REMEDY. Editors can read it like the
/// errors of a compiler. Columns count bytes, from 1.
///
/// The exit status is 1 if there is a finding.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct lint urls.txt
  pct lint --ignore lower-case,over-encoded urls.txt
  pct lint --json urls.txt | jq -r .kind | sort | uniq -c
  pct lint --format combined access.log    check the URLs in a log
  pct lint --quiet urls.txt || echo no"
)]
pub struct Args {
    /// Write a JSON object for each finding
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    /// Write only the number of findings of each kind
    #[arg(short, long, conflicts_with_all = ["json", "quiet"])]
    count: bool,

    /// Ignore findings of these kinds
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
    Password,
}

const KINDS: [(&str, Finding); 6] = [
    ("malformed", Finding::Malformed),
    ("double-encoded", Finding::DoubleEncoded),
    ("over-encoded", Finding::OverEncoded),
    ("lower-case", Finding::LowerCase),
    ("illegal", Finding::Illegal),
    ("password", Finding::Password),
];

/// At most this number of bytes of a finding are shown.
const SHOWN: usize = 24;

/// The number of findings of each of [`KINDS`].
type Counts = [AtomicU64; KINDS.len()];

#[derive(Clone, Debug)]
struct Lint {
    json: bool,
    ignore: Vec<Finding>,
    /// The number of findings of each kind, if they are only counted.
    counts: Option<Arc<Counts>>,
}

/// Finds the first byte that may start a finding. A line end never starts one.
static PLAIN: RawEncoder = RawEncoder::new(sets::RFC3986_URI.with(b'%').with(b'\n').without(b'@'));

/// Returns true if the `%` before `rest` starts an escape that is certainly no finding.
fn is_fine(rest: &[u8]) -> bool {
    let digit = |at: usize| match rest.get(at) {
        Some(digit @ b'0'..=b'9') => Some(digit - b'0'),
        Some(digit @ b'A'..=b'F') => Some(digit - b'A' + 10),
        _ => None,
    };
    let byte = digit(0).zip(digit(1)).map(|(high, low)| high << 4 | low);
    // An escaped password ends before an escaped `@`.
    byte.is_some_and(|byte| byte != b'%' && byte != b'@' && !sets::RFC3986_UNRESERVED.contains(byte))
}

pub fn run(args: &Args) -> u8 {
    let Args { json, count, ref ignore, ref fields, ref lines } = *args;
    let quiet = lines.input.quiet;
    let counts = Arc::<Counts>::default();
    let lint = Lint { json, ignore: ignore.clone(), counts: count.then(|| Arc::clone(&counts)) };
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
    let rows = KINDS.iter().zip(&*counts).filter(|((_, finding), _)| !lint.ignore.contains(finding));
    let rows = rows.map(|((name, _), count)| format!("{:>9} {name}\n", count.load(Ordering::Relaxed)));
    code.max(run::print(rows.collect::<String>()))
}

impl Verb for Lint {
    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        _: &mut Vec<u8>,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        // Targets and queries have no fragment, so `#` is illegal in them (RFC 9112 3.2).
        let no_reference = if context.syntax == Syntax::Reference { &[][..] } else { value };
        let hashes = memchr_iter(b'#', no_reference).map(|at| uri::Finding::new(at, 1, FindingKind::Illegal));
        let mut hashes = hashes.peekable();
        let mut rest = uri::lint(value).peekable();
        while let Some(found) = match rest.peek() {
            Some(next) => hashes.next_if(|hash| hash.offset < next.offset).or_else(|| rest.next()),
            None => hashes.next(),
        } {
            let finding = match found.kind {
                FindingKind::Malformed => Finding::Malformed,
                FindingKind::DoubleEncoded => Finding::DoubleEncoded,
                FindingKind::OverEncoded => Finding::OverEncoded,
                FindingKind::LowerCase => Finding::LowerCase,
                FindingKind::Password => Finding::Password,
                _ => Finding::Illegal,
            };
            if finding == Finding::Password {
                while hashes.next_if(|hash| hash.offset < found.offset + found.len).is_some() {}
            }
            if self.ignore.contains(&finding) {
                continue;
            }
            if let Some(counts) = &self.counts {
                counts[finding as usize].fetch_add(1, Ordering::Relaxed);
            }
            let mut diagnostic = Diagnostic::new(found.offset, "");
            if diagnostics.is_telling() {
                // A malformed escape is shown with the two bytes after its `%`.
                let len = if finding == Finding::Malformed { 3 } else { found.len.min(SHOWN) };
                let rest = &value[found.offset..];
                diagnostic.text = match finding {
                    Finding::Password => "***".into(),
                    _ => String::from_utf8_lossy(&rest[..len.min(rest.len())]).into_owned().into(),
                };
                (diagnostic.len, diagnostic.kind) = (found.len, KINDS[finding as usize].0);
            }
            diagnostics.push(diagnostic);
        }
        Ok(())
    }

    fn apply_lines(&self, lines: &[u8], _: &Guard, _: &mut Vec<u8>) -> bool {
        // Most lines have no finding, and a quick scan is enough to know that. A password ends before an `@`.
        PLAIN.first_changed(lines).is_none() && memchr_iter(b'%', lines).all(|at| is_fine(&lines[at + 1..]))
    }

    fn decided(&self, bytes: &[u8]) -> Option<usize> {
        // A chunk must not end inside an escape or inside a finding of several bytes.
        let ends = |byte: &u8| sets::RFC3986_URI.contains(*byte) && *byte != b'%' && !byte.is_ascii_hexdigit();
        Some(bytes.iter().rposition(ends).map_or(bytes.len().saturating_sub(4), |at| at + 1))
    }

    fn list(&self, name: &str, place: Place, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
        let Diagnostic { kind, text, len, .. } = diagnostic;
        let (line, column) = (place.line, place.column());
        if self.json {
            let (offset, length) = (place.offset, len);
            let mut remedy = Vec::new();
            push_remedy(kind, text, &mut remedy);
            let shown = json!({
                "file": name, "line": line, "column": column, "offset": offset, "length": length,
                "kind": kind, "text": text, "remedy": String::from_utf8_lossy(&remedy),
            });
            out.extend_from_slice(shown.to_string().as_bytes());
        } else {
            push_printable(name, out);
            for number in [line, column] {
                out.push(b':');
                out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
            }
            out.extend_from_slice(b": ");
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(b": `");
            push_printable(text, out);
            out.extend_from_slice(if !matches!(*kind, "malformed" | "password") && *len > SHOWN {
                b"`...: "
            } else {
                b"`: "
            });
            push_remedy(kind, text, out);
        }
        out.push(b'\n');
    }
}

/// Appends `text`. Characters other than printable ASCII are escaped as in a Rust string.
fn push_printable(text: &str, out: &mut Vec<u8>) {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return out.extend_from_slice(text.as_bytes());
    }
    for c in text.chars() {
        match c {
            ' '..='~' => out.push(c as u8),
            c => out.extend(c.escape_debug().to_string().bytes()),
        }
    }
}

/// Appends the remedy for a finding with the text `text`.
fn push_remedy(kind: &str, text: &str, out: &mut Vec<u8>) {
    let (before, after): (&str, &[u8]) = match kind {
        "malformed" => ("write `%25` for a literal `%`", b""),
        "double-encoded" => ("if it was encoded twice, write `%", text.as_bytes().get(3..).unwrap_or_default()),
        "over-encoded" => ("write `", &Decoder::new().decode(text)),
        "too-long" => ("it was skipped", b""),
        "password" => ("leave it out, and change it if this text has been shown", b""),
        "lower-case" => ("write `", &text.to_ascii_uppercase().into_bytes()),
        _ => ("percent-encode it", b""),
    };
    out.extend_from_slice(before.as_bytes());
    if !after.is_empty() {
        out.extend_from_slice(after);
        out.push(b'`');
    }
}
