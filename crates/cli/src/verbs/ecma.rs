//! `pct escape` and `pct unescape`: ECMAScript's functions.

use std::borrow::Cow;

use percent_simd::ByteSet;
use percent_simd_records::diagnostic::{self, Diagnostic};
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::ecma::{self, EcmaError, EcmaErrorKind, wtf8};

use crate::args::Values;
use crate::run;

/// Escape as JavaScript does: escape(), encodeURI(), encodeURIComponent()
///
/// Escape each line like JavaScript's escape() (ECMA-262 Annex B.2.1.1). Characters below
/// U+0100 become %XX, others %uXXXX. Letters, digits and @*_+-./ stay. With --uri it works
/// like encodeURI(), and with --component like encodeURIComponent(): it writes the escapes
/// of UTF-8 (ECMA-262 19.2.6).
///
/// The input may have a lone surrogate, as three bytes (WTF-8). escape() has an escape for
/// it; for the other functions it is a URIError. A line with an error stays as it is. It is
/// reported on stderr with line and offset, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'é€ +' | pct escape                %E9%u20AC%20+
  echo '/a b?é' | pct escape --uri        /a%20b?%C3%A9
  echo \"it's 1+1\" | pct escape --component    it's%201%2B1"
)]
pub struct EscapeArgs {
    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    values: Values,
}

/// Unescape as JavaScript does: unescape(), decodeURI(), decodeURIComponent()
///
/// Unescape each line like JavaScript's unescape() (ECMA-262 Annex B.2.1.2). %XX is a
/// character of Latin-1, %uXXXX is a code unit, and any other % stays. With --uri it works
/// like decodeURI(), which keeps the escapes of ; / ? : @ & = + $ , #. With --component it
/// works like decodeURIComponent() (ECMA-262 19.2.6).
///
/// Escapes of controls stay, so no value can end a line and forge the next one, send ESC
/// to a terminal, or change the direction of text. With --null only %00 stays.
///
/// If JavaScript would throw a URIError, or the result has a lone surrogate, the line stays
/// as it is. It is reported on stderr with line and offset, and the exit status is 1.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo '%E9%u20AC%uD83D%uDE00' | pct unescape      é€😀
  echo 'a%2Fb%20c' | pct unescape --uri            a%2Fb c
  echo 'a%2Fb%20c' | pct unescape --component      a/b c
  pct unescape --component --positions all < values > /dev/null
                                                   list all URIErrors"
)]
pub struct UnescapeArgs {
    #[command(flatten)]
    which: Which,

    /// Write U+FFFD for a lone surrogate
    #[arg(long, conflicts_with_all = ["uri", "component"])]
    lossy: bool,

    #[command(flatten)]
    values: Values,
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct Which {
    /// Work like encodeURI() or decodeURI(), on a whole URI
    #[arg(long, conflicts_with = "component")]
    uri: bool,

    /// Work like encodeURIComponent() or decodeURIComponent(), on part of a URI
    #[arg(long)]
    component: bool,
}

pub fn escape(args: &EscapeArgs) -> u8 {
    run::run_verb(&args.values.streams(), args.values.bad.config(Escape { which: args.which }))
}

impl UnescapeArgs {
    /// Returns the configuration of the verb.
    pub fn config(&self) -> VerbConfig {
        self.values.bad.config(Unescape { which: self.which, lossy: self.lossy })
    }
}

pub fn unescape(args: &UnescapeArgs) -> u8 {
    run::run_verb(&args.values.streams(), args.config())
}

fn diagnostic(error: EcmaError) -> Diagnostic {
    let text = match error.kind {
        EcmaErrorKind::Truncated => "URIError: this escape is cut off; two hexadecimal digits must follow a `%`",
        EcmaErrorKind::NotHex => "URIError: two hexadecimal digits must follow this `%`; write `%25` for a literal `%`",
        EcmaErrorKind::InvalidUtf8 => {
            "URIError: these escapes are not UTF-8; if they are Latin-1, leave out --uri and --component"
        }
        EcmaErrorKind::LoneSurrogate => "this is a lone surrogate, which text cannot contain",
        _ => "the rest of this value is not UTF-8, so it is not a string",
    };
    Diagnostic::new(error.offset, text)
}

#[derive(Clone, Copy, Debug)]
struct Escape {
    which: Which,
}

impl Verb for Escape {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let escaped = match self.which {
            Which { uri: true, .. } => wtf8::encode_uri(value),
            Which { component: true, .. } => wtf8::encode_uri_component(value),
            _ => wtf8::escape(value),
        };
        out.extend(escaped.map_err(diagnostic)?.bytes());
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
struct Unescape {
    which: Which,
    lossy: bool,
}

impl Unescape {
    fn text<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, EcmaError> {
        match self.which {
            Which { uri: true, .. } => ecma::decode_uri(text),
            Which { component: true, .. } => ecma::decode_uri_component(text),
            _ if self.lossy => Ok(ecma::unescape_lossy(text)),
            _ => ecma::unescape(text),
        }
    }
}

impl Verb for Unescape {
    fn apply(&self, value: &[u8], context: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let is_latin1 = !self.which.uri && !self.which.component;
        diagnostic::text(value)?;
        // Characters that the input has unescaped must stay, but `guard` would escape some of them. They are never part
        // of an escape. So we copy the runs of these characters, and convert only the text between the runs.
        let kept = context.guard.keep() | ByteSet::CONTROLS;
        let stands = |byte: &u8| kept.contains(*byte) && *byte != b'%' && !byte.is_ascii_alphanumeric();
        let mut start = 0;
        for run in value.chunk_by(|a, b| stands(a) == stands(b)) {
            let text = diagnostic::text(run)?;
            if stands(&run[0]) {
                out.extend(run);
                start += run.len();
                continue;
            }
            match self.text(text).map_err(|error| diagnostic(error).shifted(start))? {
                Cow::Borrowed(text) => out.extend(text.bytes()),
                Cow::Owned(text) if is_latin1 => context.guard.push_ecma(&text, out),
                Cow::Owned(text) => context.guard.push(&text, out),
            }
            start += run.len();
        }
        Ok(())
    }
}
