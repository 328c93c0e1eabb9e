//! `pct iri`.

use std::borrow::Cow;

use memchr::{memchr, memmem};
use percent_simd_records::diagnostic::{self, Diagnostic, Diagnostics};
use percent_simd_records::formats::Syntax;
use percent_simd_records::guard::Guard;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::iri;
use percent_standards::uri::{RequestTarget, TargetForm};

use super::rewrite_lines;
use crate::args::Values;
use crate::run;

/// Write URIs as IRIs, to be read, and back
///
/// Write URIs as IRIs, one a line (RFC 3987 3.2): escapes become the letters and signs
/// of all scripts where these may stand in an IRI. The escapes of spaces, delimiters,
/// controls and bytes that are no UTF-8 stay, and so do those of the characters that
/// turn text around (RFC 3987 4.1 and those since): what is shown is what is there.
///
/// With --to-uri it goes the way back (RFC 3987 3.1): each character beyond ASCII
/// becomes the escapes of its UTF-8.
///
/// A line that is no UTF-8 stays as it is, and so does one whose host has no form in
/// ASCII where that is asked for. That is told on stderr, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'http://h/caf%C3%A9%2F%E2%80%AE' | pct iri     http://h/café%2F%E2%80%AE
  pct iri --host urls                 xn--rsum-bpad.org is résumé.org
  pct iri --to-uri --host iris        what a browser asks the network for
  pct iri --format combined access.log    a log to be read"
)]
pub struct Args {
    /// The way back: IRIs to URIs
    #[arg(long)]
    to_uri: bool,

    /// Host names too: xn-- to what it stands for (ToUnicode, UTS 46),
    /// with --to-uri the way back (ToASCII)
    #[arg(long, verbatim_doc_comment)]
    host: bool,

    /// With --to-uri, also escape what stands in no URI: spaces, quotes,
    /// braces (a LEIRI, the anyURI of XML)
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
    /// How values are dealt with.
    pub fn config(&self) -> VerbConfig {
        self.values.bad.config(Iri { to_uri: self.to_uri, host: self.host, legacy: self.legacy })
    }
}

pub fn run(args: &Args) -> u8 {
    run::run_verb(&args.values.lines, &args.values.fields, || args.config())
}

impl Verb for Iri {
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        let Ok(text) = str::from_utf8(lines) else { return false };
        if self.host || self.legacy || text.contains('\r') {
            return false;
        }
        if self.to_uri && text.is_ascii() {
            out.extend_from_slice(lines);
            return true;
        }
        // Only escapes, or only what is not ASCII, makes a difference.
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

    fn apply(
        &self,
        value: &[u8],
        context: &FieldContext,
        out: &mut Vec<u8>,
        _: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let text = diagnostic::text(value)?;
        // Only a reference names a host after two slashes. A target does so after its scheme.
        let may_have_host = match context.syntax {
            Syntax::Reference => true,
            Syntax::Target => RequestTarget::split(text).form() == TargetForm::Absolute,
            Syntax::Query => false,
        };
        let hosted = match (self.host && may_have_host, self.to_uri) {
            (false, _) => Cow::Borrowed(text),
            (true, false) => iri::host_to_unicode(text),
            (true, true) => iri::host_to_ascii(text).map_err(|error| {
                Diagnostic::new(error.offset, "this host has no form in ASCII; leave out --host, and it is escaped")
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

/// Returns the IRI of `uri`, in which U+2028 and U+2029 stay escapes: some programs end a line at them.
fn to_iri(uri: &str) -> Cow<'_, str> {
    let iri = iri::to_iri(uri);
    match memmem::find(iri.as_bytes(), "\u{2028}".as_bytes())
        .or_else(|| memmem::find(iri.as_bytes(), "\u{2029}".as_bytes()))
    {
        None => iri,
        Some(_) => Cow::Owned(iri.replace('\u{2028}', "%E2%80%A8").replace('\u{2029}', "%E2%80%A9")),
    }
}
