//! `pct formats`: lists the formats, or shows how a file is read.

use std::fmt::Write;
use std::path::PathBuf;

use percent_simd::Plus;
use percent_simd_records::formats::{Choice, Kind, Name, Role, build, without_mark};
use percent_simd_records::transform::{Action, Effects, Spec, Transform};

use crate::args::{Fields, Streams};
use crate::message::{complain, printable_line};
use crate::run;
use crate::user_formats;

/// List the formats that --format takes, or show how FILE is read
///
/// With FILE, show the format of the file, the fields of its first record, as written and
/// decoded, and this record as `pct decode` writes it.
///
/// Define formats of your own in `pct/formats.toml` in your configuration folder
/// ($XDG_CONFIG_HOME, or ~/.config), or in the file that --formats names:
///
///   [[format]]
///   name = "edge"
///   nginx = '$remote_addr [$time_local] "$request" $status "$http_referer"'
///
///   [[format]]
///   name = "app"
///   json = ["/req/url", "/req/headers/Referer/*"]
///   recognize = ['"svc":"app"']
///
/// `apache = '...'` takes a LogFormat. `urls` names the fields that hold URLs. `queries`
/// names the fields of `urls` that hold a query without its `?`. `keep` lists further
/// characters that stay escaped.
///
/// The same file can have kinds of attacks for `pct stats` and `pct grep --attack`:
///
///   [[attack]]
///   name = "sql"
///   help = "SQL injection"
///   pattern = '(?i)union\s+(all\s+)?select'
#[allow(rustdoc::broken_intra_doc_links, reason = "this is the help text, which isn't Markdown")]
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  pct formats
  pct formats access.log
  pct formats --formats formats.toml app.log"
)]
pub struct Args {
    /// Show how this file is read; `-` is standard input
    file: Option<PathBuf>,

    /// Read FILE in this format; the default is to detect it
    #[arg(long, value_name = "NAME", value_parser = user_formats::parse_name)]
    format: Option<Name>,

    /// Show these fields; the default is the fields that hold URLs
    #[arg(short, long, value_name = "FIELD,...")]
    field: Vec<String>,

    /// Read your own formats from FILE
    #[arg(long, value_name = "FILE")]
    formats: Option<PathBuf>,
}

/// Lists the formats, or shows how a file is read. Returns the exit status.
pub fn run(args: Args) -> u8 {
    let Args { file, format, field, formats } = args;
    let Some(file) = file else {
        return match user_formats::list() {
            Ok(list) => run::print(&list),
            Err(message) => {
                complain(&format!("pct: {message}"));
                2
            }
        };
    };
    let format = Some(format.unwrap_or(Name::Auto { or_text: false }));
    let fields = Fields { format, field, formats, ..Fields::default() };
    let mut streams = Streams { fields, ..Streams::default() };
    streams.input.quiet = true;
    let (guess, head) = match run::look(&streams, &file) {
        Ok(found) => found,
        Err(code) => return code,
    };
    let choice = guess.complete(&streams.fields.choice());
    match shown(&guess.name, &Choice { roles: &[Role::Client, Role::Host, Role::Status], ..choice }, &head) {
        Ok(text) => run::print(&text),
        Err(message) => {
            complain(&message);
            2
        }
    }
}

/// Returns the format, the fields, and the first record that has one of the fields.
fn shown(name: &Name, choice: &Choice, head: &[u8]) -> Result<String, String> {
    let format = build(name, choice).map_err(run::with_program_name)?;
    let head = without_mark(head);
    let mut text = format!("{}\n", name.text());
    let spec = Spec { on_utf8: None, ..Spec::of(Action::Decode { plus: Plus::Never }) };
    let transforms = Transform::all(&spec, &*format);
    let (mut layout, mut fields, mut at) = (format.layout(), Vec::new(), 0);
    let printed = |bytes: &[u8]| printable_line(&String::from_utf8_lossy(bytes));
    let is_context = |choice: usize| choice >= format.schema().asked;
    while at < head.len() {
        let record = format.framing().first(&head[at..]);
        let body = &head[at..at + record.body];
        at += record.len;
        fields.clear();
        if format.find_fields(body, &mut layout, &mut fields) != Kind::Data || fields.is_empty() {
            continue;
        }
        let (mut decoded, mut done) = (Vec::new(), 0);
        text.push_str("\nfields\n");
        for field in &fields {
            let raw = &body[field.range.clone()];
            let mut value = Vec::new();
            let (transform, mut effects) = (&transforms[field.rule], Effects::default());
            if is_context(field.choice) || !transform.field(b"", raw, &mut Vec::new(), &mut value, &mut effects) {
                value.extend(raw);
            }
            let _ = writeln!(text, "  {:20} {}", format.shown_name(field.choice), printed(raw));
            if value != raw {
                let _ = writeln!(text, "  {:20} {}", "  decoded", printed(&value));
            }
            decoded.extend(&body[done..field.range.start]);
            decoded.extend(value);
            done = field.range.end;
        }
        decoded.extend(&body[done..]);
        let _ = writeln!(text, "\nfirst record\n  {}\n  {}", printed(body), printed(&decoded));
        return Ok(text);
    }
    text.push_str("\nnone of the first records has any of the fields\n");
    Ok(text)
}
