//! `pct repair`: repairs links that people have pasted, so that they work.

use std::borrow::Cow;

use percent_simd::{ByteSet, RawEncoder, sets};
use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::formats::{Syntax, Use};
use percent_simd_records::guard::Guard;
use percent_simd_records::place::Place;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::uri::{Change, RepairKind, Repairer};

use super::{lint, rewrite_lines};
use crate::args::Values;
use crate::run;

/// Repair links that people paste, with spaces, raw letters, a bare % and so on
///
/// Repair each link, one per line, if its fault has only one remedy. Valid links stay, and
/// so do faults that could mean different things. `pct lint` finds those. The kinds are:
///
///   surroundings    blanks, quotes or <> around the link
///   line-break      a line break in the link, as mail makes; needs -0
///   space           a space becomes %20
///   non-ascii       é becomes %C3%A9
///   percent         a % that starts no escape becomes %25
///   bracket         [ and ] outside of a host become %5B and %5D
///   illegal         controls and one of <>"\^`{|} are escaped
///   u-escape        %u4E2D becomes %E4%B8%AD
///   entity          &amp;NAME= in a query becomes &NAME=
///   backslash       \ becomes / in http, https and ftp, before the query
///   double-encoded  %25C3%25A9 becomes %C3%A9, if all of a component is like this
///   punctuation     (http://h/), “http://h/” and <http://h/>. become http://h/
///   idn             the host bücher.example becomes xn--bcher-kva.example
///   ipv6            the host 2001:db8::1 becomes [2001:db8::1]
///
/// No other repair changes a host, and no delimiter of components is added.
///
/// A line that is not UTF-8 stays as it is. It is reported on stderr, and the exit status
/// is 1. With --list, it is in the list, with the kind not-utf-8, and the exit status is
/// also 1 if there is a repair.
#[allow(rustdoc::broken_intra_doc_links, reason = "this is the help text, which isn't Markdown")]
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo '<http://h/a b?q=é&amp;x=%>' | pct repair    http://h/a%20b?q=%C3%A9&x=%25
  pct repair --without idn,non-ascii links          keep raw letters
  pct repair --list links                           list repairs as FILE:LINE:COLUMN
  pct repair -0 < mail-links                        join links that were broken into lines"
)]
pub struct Args {
    /// Do not repair faults of these kinds
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kind)]
    without: Vec<RepairKind>,

    /// Write a line FILE:LINE:COLUMN: KIND: TEXT: REASON for each repair, and no links
    #[arg(long)]
    list: bool,

    /// With --list, write a JSON object for each repair
    #[arg(long, requires = "list")]
    json: bool,

    #[command(flatten)]
    values: Values,
}

/// The kind of a value that isn't UTF-8, in the lists of `--list`.
const NOT_UTF8: &str = "not-utf-8";

/// Parses a kind for `--without`.
fn kind(name: &str) -> Result<RepairKind, String> {
    let mut kinds = RepairKind::ALL.iter().copied();
    kinds.find(|kind| kind.name() == name).ok_or_else(|| {
        let names: Vec<_> = RepairKind::ALL.iter().map(|kind| kind.name()).collect();
        format!("the kinds are {}", names.join(", "))
    })
}

#[derive(Clone, Copy, Debug)]
struct Repair {
    repairer: Repairer,
    list: bool,
    json: bool,
}

impl Args {
    /// Returns the configuration of the verb.
    pub fn config(&self) -> VerbConfig {
        let repairer = self.without.iter().fold(Repairer::new(), |repairer, &kind| repairer.without(kind));
        let config = self.values.bad.config(Repair { repairer, list: self.list, json: self.json });
        let quiet = self.values.lines.input.quiet;
        match self.list {
            true => VerbConfig { lists: true, limit: if quiet { 0 } else { usize::MAX }, ..config },
            false => config,
        }
    }
}

pub fn run(args: &Args) -> u8 {
    let usage = if args.list { Use::Check } else { Use::Rewrite };
    run::run_verb(&args.values.streams().reading_urls().with_usage(usage), args.config())
}

/// Finds the first byte that may need a repair, for example a second `#` or `@`, or a `(` around the link. A line end never
/// needs a repair.
static PLAIN: RawEncoder = RawEncoder::new(sets::RFC3986_URI.difference(ByteSet::of(b"[]&%#@(':")).with(b'\n'));

/// Returns the offset of the first byte of `text` that may need a repair. A `:` may need one in an IPv6 address without
/// brackets. There, at most four digits separate it from the next `:`.
fn first_fault(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += PLAIN.first_changed(&text[at..])?;
        let Some(after) = text.as_bytes()[at..].strip_prefix(b":") else { return Some(at) };
        let digits = after.iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
        if after.get(digits) == Some(&b':') {
            return Some(at);
        }
        at += 1;
    }
}

impl Repair {
    /// Returns the repairer for `value`, and a prefix that makes the value a reference.
    fn in_context(&self, value: &str, context: &FieldContext) -> (Repairer, &'static str) {
        // If the log adds a layer of escapes, it belongs in the value.
        let all = if context.layers > 1 { self.repairer.without(RepairKind::DoubleEncoded) } else { self.repairer };
        // In a target or a query, no host follows `//` (RFC 9112 3.2). So we put `x://h` before the value, and the
        // repairer can't read a host in the value. The repairer leaves backslashes unchanged, because `x` could be the
        // letter of a drive.
        let around = [RepairKind::Surroundings, RepairKind::Punctuation, RepairKind::LineBreak];
        let part = around.iter().fold(all, |repairer, &kind| repairer.without(kind));
        match context.syntax {
            Syntax::Target if value.starts_with('/') => (part, "x://h"),
            Syntax::Query => (part, "x://h?"),
            _ => (all, ""),
        }
    }

    /// Returns the repaired value, and the repairs.
    fn repaired<'v>(&self, value: &'v str, context: &FieldContext) -> (Cow<'v, str>, Vec<Change>) {
        // If the fields of a format can't contain a backslash as data, a backslash starts an escape of the log, for
        // example `\x22`. A repair could damage this escape, so we leave the value unchanged.
        if context.guard.keep().contains(b'\\') && value.contains('\\') {
            return (Cow::Borrowed(value), Vec::new());
        }
        let (repairer, front) = self.in_context(value, context);
        if front.is_empty() {
            let repaired = repairer.repair(value);
            return (repaired.text, repaired.changes);
        }
        let whole = [front, value].concat();
        let mut repaired = repairer.repair(&whole);
        for Change { range, .. } in &mut repaired.changes {
            *range = range.start - front.len()..range.end - front.len();
        }
        (Cow::Owned(repaired.text[front.len()..].to_string()), repaired.changes)
    }
}

impl Verb for Repair {
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        let Ok(text) = str::from_utf8(lines) else { return false };
        if self.list || text.contains('\r') {
            return false;
        }
        rewrite_lines(text, first_fault, out, |line, out| {
            out.extend_from_slice(self.repairer.repair(line).text.as_bytes());
            true
        })
    }

    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        out.extend_from_slice(self.repaired(diagnostic::text(value)?, context).0.as_bytes());
        Ok(())
    }

    fn find(&self, value: &[u8], context: &FieldContext, found: &mut Diagnostics) -> Result<(), Diagnostic> {
        let shown = |at: usize, len| lint::shown(&value[at..], len).into();
        let text = diagnostic::text(value).map_err(|found| Diagnostic {
            kind: NOT_UTF8,
            text: shown(found.offset, 1),
            ..found
        })?;
        for Change { range, kind, .. } in self.repaired(text, context).1 {
            let mut diagnostic = Diagnostic::new(range.start, "");
            if found.is_telling() {
                diagnostic.text = shown(range.start, range.len());
                (diagnostic.len, diagnostic.kind) = (range.len(), kind.name());
            }
            found.push(diagnostic);
        }
        Ok(())
    }

    fn list(&self, name: &[u8], place: Place, diagnostic: &Diagnostic, out: &mut Vec<u8>) {
        let reason = match diagnostic.kind {
            NOT_UTF8 => "it is not UTF-8, so its line is not repaired",
            name => kind(name).map_or("it was skipped", RepairKind::reason),
        };
        lint::list(name, place, diagnostic, self.json, reason, out);
    }
}
