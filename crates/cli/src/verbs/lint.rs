//! `pct lint`: finds mistakes in URIs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use memchr::{memchr, memchr_iter, memmem, memrchr};
use percent_simd::{ByteSet, Decoder, RawEncoder, sets};
use percent_simd_records::diagnostic::{Diagnostic, Diagnostics};
use percent_simd_records::formats::{Syntax, Use};
use percent_simd_records::guard::Guard;
use percent_simd_records::place::Place;
use percent_simd_records::policy::Policy;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::uri::{self, FindingKind};
use serde_json::json;

use crate::args::{Fields, Lines, Streams};
use crate::message::{printable_name, push_json, with_text};
use crate::run;

/// Find mistakes in URIs, as FILE:LINE:COLUMN
///
/// Find text that URIs should not contain (RFC 3986 2), and text that misleads a reader.
/// Each line is a URI. The kinds are:
///
///   malformed         a % without two hexadecimal digits after it
///   double-encoded    %25 followed by two hexadecimal digits
///   over-encoded      the escape of a letter, a digit or - . _ ~
///   lower-case        an escape with lower-case digits
///   illegal           controls, spaces, <>"\^`{|} and everything beyond ASCII; in the
///                     target of a request, which has no fragment, also #
///   password          a password before the host, which is not shown (RFC 3986 3.2.1)
///   bidi              a character that changes the direction of text, raw or escaped
///   invisible         a zero-width or other invisible character, raw or escaped, but not
///                     in emoji, or in words of Persian or Hindi
///   overlong          UTF-8 with too many bytes, which some programs decode: %C0%AF is /
///   mojibake          UTF-8 that was encoded in UTF-8 again: %C3%83%C2%A9 for é
///   look-alike        a character that looks like a slash or backslash
///   host-in-userinfo  a user that looks like a host: http://google.com@evil.example/
///   odd-ipv4          a host that browsers read as an IPv4 address: 0x7f.1
///   host-delimiter    a host with an escaped delimiter, such as %2F, or with a character
///                     that becomes one, such as ℀, which becomes a/c
///   mixed-script      a host that mixes scripts, such as Latin and Cyrillic (UTS 39),
///                     also in Punycode
///   confusable        a host in other letters that looks like ASCII (UTS 39)
///
/// Each finding is a line FILE:LINE:COLUMN: KIND: TEXT: REMEDY. Editors can read it like the
/// errors of a compiler. Columns count bytes, from 1.
///
/// The exit status is 1 if there is a finding.
#[allow(rustdoc::bare_urls, reason = "this is the help text, which isn't Markdown")]
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
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kinds(), hide_possible_values = true)]
    ignore: Vec<FindingKind>,

    #[command(flatten)]
    fields: Fields,

    #[command(flatten)]
    lines: Lines,
}

/// Parses a kind for `--ignore`.
fn kinds() -> impl TypedValueParser<Value = FindingKind> {
    let by_name = |name: String| FindingKind::ALL.iter().find(|kind| kind.name() == name).copied().ok_or("unknown");
    PossibleValuesParser::new(FindingKind::ALL.iter().map(|kind| kind.name())).try_map(by_name)
}

/// At most this number of bytes of a finding are shown.
const SHOWN: usize = 24;

/// The number of findings of each kind, in the order of [`FindingKind::ALL`].
type Counts = [AtomicU64; FindingKind::ALL.len()];

#[derive(Clone, Debug)]
struct Lint {
    json: bool,
    ignore: Vec<FindingKind>,
    /// The number of findings of each kind, if they are only counted.
    counts: Option<Arc<Counts>>,
}

/// Finds illegal characters and `@`. A line end is no illegal character here.
static PLAIN: RawEncoder = RawEncoder::new(sets::RFC3986_URI.with(b'%').with(b'\n').without(b'@'));

/// The first bytes, in UTF-8, of characters that may be findings, and the first bytes of overlong forms.
const DOUBTFUL: ByteSet = ByteSet::range(0xC0, 0xC3)
    .union(ByteSet::range(0xE0, 0xE3))
    .union(ByteSet::of(b"\xCD\xD8\xEF"))
    .union(ByteSet::range(0xF0, 0xFF));

/// Returns true if the `%` before `rest` starts an escape that is certainly no finding.
fn is_fine(rest: &[u8]) -> bool {
    let digit = |at: usize| match rest.get(at) {
        Some(digit @ b'0'..=b'9') => Some(digit - b'0'),
        Some(digit @ b'A'..=b'F') => Some(digit - b'A' + 10),
        _ => None,
    };
    let byte = digit(0).zip(digit(1)).map(|(high, low)| high << 4 | low);
    // An escaped `@` may end an escaped password, which is a finding.
    byte.is_some_and(|byte| {
        !matches!(byte, b'%' | b'@') && !sets::RFC3986_UNRESERVED.contains(byte) && !DOUBTFUL.contains(byte)
    })
}

/// `rest` is the text after `//`. Returns true if the authority there is certainly not a finding: it has no user, no
/// escape and no Punycode, and its last character can't be part of a number.
fn is_fine_authority(rest: &[u8]) -> bool {
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#' | b':' | b'\n'));
    let (host, rest) = rest.split_at(end.unwrap_or(rest.len()));
    let is_number = |byte: &u8| byte.is_ascii_hexdigit() || matches!(byte, b'.' | b'x' | b'X');
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'.';
    !rest.starts_with(b":") && host.iter().all(is_plain) && !host.last().is_some_and(is_number)
}

/// Returns true if no line of `lines` has a finding. `lines` must have only characters of URIs.
fn are_fine(lines: &[u8]) -> bool {
    let mut from = 0;
    let mut escapes = memchr_iter(b'%', lines).filter(|&at| !is_fine(&lines[at + 1..])).peekable();
    let doubtful = memmem::find_iter(lines, b"//").filter(|&at| !is_fine_authority(&lines[at + 2..]));
    let mut authorities = doubtful.peekable();
    // Each line with doubtful text is checked once.
    while let Some(at) = match (escapes.peek(), authorities.peek()) {
        (Some(escape), Some(authority)) if escape > authority => authorities.next(),
        (Some(_), _) => escapes.next(),
        (None, _) => authorities.next(),
    } {
        if at < from {
            continue;
        }
        let start = memrchr(b'\n', &lines[from..at]).map_or(from, |end| from + end + 1);
        from = memchr(b'\n', &lines[at..]).map_or(lines.len(), |end| at + end);
        if uri::lint(&lines[start..from]).next().is_some() {
            return false;
        }
    }
    true
}

pub fn run(args: &Args) -> u8 {
    let Args { json, count, ref ignore, ref fields, ref lines } = *args;
    let quiet = lines.input.quiet;
    let counts = Arc::<Counts>::default();
    let lint = Lint { json, ignore: ignore.clone(), counts: count.then(|| Arc::clone(&counts)) };
    let limit = if quiet || count { 0 } else { usize::MAX };
    let streams = Streams::of(&lines.input, &lines.output, fields).reading_urls().with_usage(Use::Check);
    let config = VerbConfig { verb: Box::new(lint), on_bad: Policy::Keep, limit, lists: true };
    let code = run::run_verb(&streams, config);
    if !count || code > 1 {
        return code;
    }
    let rows = FindingKind::ALL.iter().zip(&*counts).filter(|(kind, _)| !ignore.contains(kind));
    let rows = rows.map(|(kind, count)| format!("{:>9} {}\n", count.load(Ordering::Relaxed), kind.name()));
    code.max(run::print(rows.collect::<String>()))
}

impl Verb for Lint {
    // The output is a list, so this isn't called.
    fn apply(&self, _: &[u8], _: &FieldContext, _: &mut Vec<u8>) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn find(&self, value: &[u8], context: &FieldContext, diagnostics: &mut Diagnostics) -> Result<(), Diagnostic> {
        // Targets and queries have no fragment, so `#` is illegal in them (RFC 9112 3.2).
        let no_reference = if context.syntax == Syntax::Reference { &[][..] } else { value };
        let hashes = memchr_iter(b'#', no_reference).map(|at| uri::Finding::new(at, 1, FindingKind::Illegal));
        let mut hashes = hashes.peekable();
        let mut rest = uri::lint(value).peekable();
        while let Some(found) = match rest.peek() {
            Some(next) => hashes.next_if(|hash| hash.offset < next.offset).or_else(|| rest.next()),
            None => hashes.next(),
        } {
            if found.kind == FindingKind::Password {
                while hashes.next_if(|hash| hash.offset < found.offset + found.len).is_some() {}
            }
            if self.ignore.contains(&found.kind) {
                continue;
            }
            if let Some(counts) = &self.counts {
                counts[found.kind as usize].fetch_add(1, Ordering::Relaxed);
            }
            let mut diagnostic = Diagnostic::new(found.offset, "");
            if diagnostics.is_telling() {
                // A password is never shown. A malformed escape is shown with the two bytes after its `%`, if no password starts there.
                if found.kind == FindingKind::Password {
                    diagnostic.text = uri::HIDDEN_PASSWORD.into();
                } else {
                    let len = if found.kind == FindingKind::Malformed { 3 } else { found.len };
                    let password = rest.peek().filter(|next| next.kind == FindingKind::Password);
                    let end = password.map_or(value.len(), |password| password.offset);
                    diagnostic.text = shown(&value[found.offset..end], len).into();
                }
                (diagnostic.len, diagnostic.kind) = (found.len, found.kind.name());
            }
            diagnostics.push(diagnostic);
        }
        Ok(())
    }

    fn apply_lines(&self, lines: &[u8], _: &Guard, _: &mut Vec<u8>) -> bool {
        // Most lines have no finding, and two quick tests are enough to know that. `PLAIN` finds illegal characters,
        // and each `@`, because a password may end before it. `are_fine` then checks the escapes and the authorities.
        PLAIN.first_changed(lines).is_none() && are_fine(lines)
    }

    fn decided(&self, bytes: &[u8]) -> Option<usize> {
        // A chunk must not end inside an escape, an authority, or a finding of several bytes. So we cut after a `?`, a
        // `#` or a `/`, but only if no authority can start there: no slash follows the byte, and a `/` doesn't follow
        // another slash or a `:`.
        let ends_part = |at: &usize| {
            let before = at.checked_sub(1).map_or(b':', |before| bytes[before]);
            let after = bytes.get(at + 1).copied().unwrap_or(b'/');
            after != b'/' && (matches!(bytes[*at], b'?' | b'#') || bytes[*at] == b'/' && !matches!(before, b'/' | b':'))
        };
        // If no part ends in `bytes`, we cut after a character of URIs that can't belong to an escape.
        let ends = |byte: &u8| sets::RFC3986_URI.contains(*byte) && *byte != b'%' && !byte.is_ascii_hexdigit();
        let part = (0..bytes.len()).rev().find(ends_part);
        let end = part.or_else(|| bytes.iter().rposition(ends));
        Some(end.map_or(bytes.len().saturating_sub(4), |at| at + 1))
    }

    fn list(&self, name: &[u8], place: Place, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
        let mut remedy = Vec::new();
        push_remedy(diagnostic.kind, &diagnostic.text, &mut remedy);
        list(name, place, diagnostic, self.json, &String::from_utf8_lossy(&remedy), out);
    }
}

/// Returns the first `len` bytes as text, but at most [`SHOWN`].
pub fn shown(bytes: &[u8], len: usize) -> String {
    String::from_utf8_lossy(&bytes[..len.min(SHOWN).min(bytes.len())]).into_owned()
}

/// Appends the line of a finding or a repair.
pub fn list(name: &[u8], place: Place, diagnostic: &Diagnostic, json: bool, remedy: &str, out: &mut Vec<u8>) {
    let Diagnostic { kind, text, len, .. } = diagnostic;
    let (line, column) = (place.line, place.column());
    if json {
        let (offset, length) = (place.offset, len);
        let shown = json!({
            "line": line, "column": column, "offset": offset, "length": length,
            "kind": kind, "text": text, "remedy": remedy,
        });
        push_json(&with_text(shown, "file", name), out);
    } else {
        out.extend_from_slice(&printable_name(name));
        for number in [line, column] {
            out.push(b':');
            out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        out.extend_from_slice(b": ");
        out.extend_from_slice(kind.as_bytes());
        out.extend_from_slice(b": `");
        push_printable(text, out);
        let is_cut = !matches!(*kind, "malformed" | "password") && *len > SHOWN;
        out.extend_from_slice(if is_cut { b"`...: " } else { b"`: " });
        out.extend_from_slice(remedy.as_bytes());
    }
    out.push(b'\n');
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
        "bidi" => ("readers see the text after it in another order; remove it", b""),
        "invisible" => ("readers do not see it; remove it", b""),
        "overlong" => ("it is not UTF-8, but some programs decode it; refuse it", b""),
        "mojibake" => ("encode the original text once", b""),
        "look-alike" => ("it is not the slash that it looks like; remove it", b""),
        "host-in-userinfo" => ("the host comes after the last `@`", b""),
        "odd-ipv4" => ("write an IPv4 address as four decimal numbers", b""),
        "host-delimiter" => ("programs disagree about where this host ends; refuse it", b""),
        "mixed-script" => ("it mixes scripts; compare it with the name that you expect", b""),
        "confusable" => ("it looks like another name; compare it with the name that you expect", b""),
        _ => ("percent-encode it", b""),
    };
    out.extend_from_slice(before.as_bytes());
    if !after.is_empty() {
        out.extend_from_slice(after);
        out.push(b'`');
    }
}
