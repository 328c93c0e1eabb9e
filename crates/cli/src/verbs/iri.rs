//! `pct iri`: converts URIs to readable IRIs, and IRIs to URIs.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use percent_simd_records::diagnostic::{self, Diagnostic};
use percent_simd_records::formats::Syntax;
use percent_simd_records::guard::Guard;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::iri;
use percent_standards::uri::{RequestTarget, TargetForm};

use super::rewrite_lines;
use crate::args::Values;
use crate::run;

/// Convert URIs to readable IRIs, or IRIs to URIs
///
/// Convert each URI, one per line, to an IRI (RFC 3987 3.2): escapes become letters and
/// signs of all scripts if an IRI allows them. Escapes of spaces, delimiters, controls and
/// invalid UTF-8 stay. Escapes of characters that change the direction of text (RFC 3987
/// 4.1 and newer ones) stay too, so you see all characters in their real order.
///
/// With --to-uri, convert IRIs to URIs (RFC 3987 3.1): each character beyond ASCII becomes
/// the escapes of its UTF-8 bytes.
///
/// A line that is not UTF-8 stays as it is. So does a line whose host has no ASCII form, if
/// --host asks for this form. Both are reported on stderr, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'http://h/caf%C3%A9%2F%E2%80%AE' | pct iri     http://h/café%2F%E2%80%AE
  pct iri --host urls                 xn--rsum-bpad.org becomes résumé.org
  pct iri --to-uri --host iris        the URIs that a browser sends
  pct iri --format combined access.log    a readable log"
)]
pub struct Args {
    /// Convert IRIs to URIs
    #[arg(long)]
    to_uri: bool,

    /// Convert host names too: from xn-- to Unicode (ToUnicode, UTS 46), or
    /// with --to-uri from Unicode to xn-- (ToASCII)
    #[arg(long, verbatim_doc_comment)]
    host: bool,

    /// With --to-uri, also escape characters that no URI contains: spaces,
    /// quotes, braces (a LEIRI, the anyURI of XML)
    #[arg(long, requires = "to_uri", verbatim_doc_comment)]
    legacy: bool,

    #[command(flatten)]
    values: Values,
}

#[derive(Clone, Copy, Debug)]
struct Iri {
    to_uri: bool,
    host: bool,
    legacy: bool,
}

impl Args {
    /// Returns the configuration of the verb.
    pub fn config(&self) -> VerbConfig {
        self.values.bad.config(Iri { to_uri: self.to_uri, host: self.host, legacy: self.legacy })
    }
}

pub fn run(args: &Args) -> u8 {
    run::run_verb(&args.values.streams().reading_urls(), args.config())
}

impl Verb for Iri {
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        let Ok(text) = str::from_utf8(lines) else { return false };
        if self.host || self.legacy || text.contains('\r') || !self.to_uri && has_separators(text) {
            return false;
        }
        if self.to_uri && text.is_ascii() {
            out.extend_from_slice(lines);
            return true;
        }
        // A conversion to a URI changes only non-ASCII characters. Without separators, a conversion to an IRI changes only
        // escapes.
        let find = |text: &str| match self.to_uri {
            true => text.bytes().position(|byte| !byte.is_ascii()),
            false => memchr(b'%', text.as_bytes()),
        };
        rewrite_lines(text, find, out, |line, out| {
            let changed = if self.to_uri { iri::to_uri(line) } else { to_iri(line) };
            out.extend_from_slice(changed.as_bytes());
            true
        })
    }

    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let text = diagnostic::text(value)?;
        // In a reference, a host may follow two slashes at the start. A target has a host only after a scheme.
        let may_have_host = match context.syntax {
            Syntax::Reference => true,
            Syntax::Target => RequestTarget::split(text).form() == TargetForm::Absolute,
            Syntax::Query => false,
        };
        let hosted = match (self.host && may_have_host, self.to_uri) {
            (false, _) => Cow::Borrowed(text),
            (true, false) => iri::host_to_unicode(text),
            (true, true) => iri::host_to_ascii(text).map_err(|error| {
                Diagnostic::new(error.offset, "this host has no ASCII form; leave out --host to escape it instead")
            })?,
        };
        let changed = match (self.to_uri, self.legacy) {
            (false, _) => to_iri(&hosted),
            (true, false) => iri::to_uri(&hosted),
            (true, true) => iri::to_uri_legacy(&hosted),
        };
        out.extend_from_slice(changed.as_bytes());
        Ok(())
    }
}

/// The characters that stay escaped because some programs end a line there.
const SEPARATORS: [(&str, &str); 2] = [("\u{2028}", "%E2%80%A8"), ("\u{2029}", "%E2%80%A9")];

fn has_separators(text: &str) -> bool {
    SEPARATORS.iter().any(|(separator, _)| memmem::find(text.as_bytes(), separator.as_bytes()).is_some())
}

/// Returns the IRI of `uri`. Its [`SEPARATORS`] are escaped.
fn to_iri(uri: &str) -> Cow<'_, str> {
    let iri = iri::to_iri(uri);
    if !has_separators(&iri) {
        return iri;
    }
    Cow::Owned(SEPARATORS.iter().fold(iri.into_owned(), |iri, (separator, escape)| iri.replace(separator, escape)))
}
