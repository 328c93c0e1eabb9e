//! `pct form`: converts forms to pairs of names and values, and pairs to forms.

mod delimit;
mod json;
mod nested;
mod write;

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memchr;
use percent_simd::{ByteSet, DecodeError, DecodeErrorKind, Decoder, Plus, RawEncoder};
use percent_simd_records::diagnostic::Diagnostic;
use percent_simd_records::formats::{Name, json_push};
use percent_simd_records::guard::{Guard, non_ascii_controls};
use percent_simd_records::policy::Policy;
use percent_simd_records::verb::{FieldContext, Verb, VerbConfig};
use percent_standards::charset::Charset;
use percent_standards::form::{self, ParseError, Parser};

use self::delimit::push_delimited;
use self::nested::Dialect;
use self::write::Write;
use super::charset::{Choice, Reading};
use crate::args::{Fields, Lines, PLACES, Streams, places};
use crate::{run, sets};

/// Split forms and query strings into pairs, or join pairs into forms
///
/// Split each form into pairs. A form is a line (application/x-www-form-urlencoded, URL
/// Standard 5). Each pair becomes a line: the decoded name, a TAB, and the decoded value.
/// An empty line ends the form. With --json each form becomes a line of JSON.
///
/// Without --json, the escapes of controls, of \, of % and of invalid UTF-8 stay. So no
/// value can forge a pair or send ESC to a terminal, and --encode restores the form. In
/// JSON, invalid UTF-8 becomes U+FFFD.
///
/// A form that --strict, --limit or --reject refuses is skipped, with a message on stderr
/// and exit status 1. So is a line that --encode cannot read.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  echo 'q=caf%C3%A9+1&tag=a%26b' | pct form       q<TAB>café 1, tag<TAB>a&b
  pct form --json < bodies | jq -c                [[\"q\",\"café 1\"],[\"tag\",\"a&b\"]]
  pct form --json --object < bodies               {\"q\":\"café 1\",\"tag\":[\"a\",\"b\"]}
  pct form --json --nested php < bodies           {\"a\":{\"b\":[\"1\"]}} for a[b][]=1
  pct form --url urls | cut -f1 | sort | uniq -c  count names in the queries of URLs
  printf 'q\\tcafé 1\\n' | pct form --encode        q=caf%C3%A9+1
  echo '{\"q\":[\"1\",\"2\"]}' | pct form --encode --json    q=1&q=2"
)]
pub struct Args {
    /// Join pairs into forms. A line without a TAB becomes a name without a =,
    /// and so does a pair with the value null in JSON
    #[arg(long, conflicts_with = "utf8_or", verbatim_doc_comment)]
    encode: bool,

    /// Write a line of JSON for each form: an array of [name, value]. With
    /// --encode, read arrays or objects
    #[arg(long, verbatim_doc_comment)]
    json: bool,

    /// With --json, write an object; the values of a repeated name become an
    /// array
    #[arg(long, requires = "json", conflicts_with = "encode", verbatim_doc_comment)]
    object: bool,

    /// With --json, read names with brackets as objects and arrays; with
    /// --encode, write such names. DIALECT is php, rails or serde_qs
    #[arg(
        long,
        value_name = "DIALECT",
        requires = "json",
        conflicts_with_all = ["object", "charset", "utf8_or"],
        hide_possible_values = true,
        verbatim_doc_comment
    )]
    nested: Option<Dialect>,

    /// End a pair at ; as well as at & (HTML 4.01 B.2.2); with --encode,
    /// write ;
    #[arg(long, verbatim_doc_comment)]
    semicolons: bool,

    /// Read a URL on each line, and split its query: from ? to #
    #[arg(long, conflicts_with = "encode")]
    url: bool,

    /// Refuse forms with a malformed % or with invalid text
    #[arg(long, conflicts_with = "encode")]
    strict: bool,

    /// Refuse forms with more than N pairs
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Refuse forms with one of these characters in a decoded name or value,
    /// such as %00
    #[arg(long, value_name = "CHARS", value_parser = sets::bytes, conflicts_with = "encode", verbatim_doc_comment)]
    reject: Option<ByteSet>,

    #[command(flatten)]
    charset: Choice,

    /// With --encode, write &#N; for a character that the charset lacks
    #[arg(long, requires_all = ["encode", "charset"])]
    references: bool,

    /// With --encode, write a space as %20, not +
    #[arg(long, requires = "encode")]
    percent_spaces: bool,

    /// If a form is refused, `skip` it, or `fail`: stop at this form
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    on_error: Option<Policy>,

    /// Report the first N refused forms, or `all`; the default is 5
    #[arg(long, value_name = "N", value_parser = places)]
    positions: Option<usize>,

    #[command(flatten)]
    lines: Lines,
}

fn policy(text: &str) -> Result<Policy, String> {
    match text {
        "skip" => Ok(Policy::Skip),
        "fail" => Ok(Policy::Fail),
        _ => Err("a refused form has no pairs, so it cannot be kept; use `skip` or `fail`".into()),
    }
}

impl Args {
    /// Returns the format of the input if each record has several lines: with `--encode`, but without `--json` and
    /// `--null`. Otherwise returns `None`, because each record is a line or ends with NUL.
    pub fn format(&self) -> Option<Name> {
        (self.encode && !self.json && !self.lines.input.null).then_some(Name::Paragraphs)
    }

    /// Returns the configuration of the verb.
    pub fn config(&self) -> VerbConfig {
        VerbConfig {
            verb: if self.encode { Box::new(self.write()) } else { Box::new(self.parse()) },
            on_bad: self.on_error.unwrap_or(Policy::Skip),
            limit: self.positions.unwrap_or(PLACES),
            lists: false,
        }
    }

    fn parse(&self) -> Parse {
        let parser = if self.semicolons { Parser::new().semicolons() } else { Parser::new() };
        Parse {
            parser: parser.limit(self.limit.unwrap_or(usize::MAX)).reject(self.reject.unwrap_or_default()),
            reading: self.charset.reading(),
            strict: self.strict,
            url: self.url,
            json: self.json,
            object: self.object,
            nested: self.nested,
            guard: Guard::new(Parse::KEPT),
            is_special: self.json
                || self.object
                || self.url
                || self.strict
                || self.semicolons
                || self.limit.is_some()
                || self.reject.is_some()
                || self.charset.reading().is_some(),
        }
    }

    fn write(&self) -> Write {
        let charset = match self.charset.reading() {
            Some(Reading::In(charset)) => charset,
            _ => Charset::UTF_8,
        };
        Write {
            json: self.json,
            limit: self.limit.unwrap_or(usize::MAX),
            semicolons: self.semicolons,
            percent_spaces: self.percent_spaces,
            charset,
            references: self.references,
            nested: self.nested,
        }
    }
}

pub fn run(args: &Args) -> u8 {
    let fields = Fields { format: args.format(), ..Fields::default() };
    run::run_verb(&Streams::of(&args.lines.input, &args.lines.output, &fields), args.config())
}

/// The verb that splits forms into pairs.
#[derive(Clone, Debug)]
struct Parse {
    parser: form::CheckedParser,
    reading: Option<Reading>,
    strict: bool,
    url: bool,
    json: bool,
    object: bool,
    nested: Option<Dialect>,
    guard: Guard,
    /// If true, an option asks for an output other than lines of pairs in UTF-8. In this case, we process lines one by
    /// one.
    is_special: bool,
}

impl Parse {
    /// The bytes whose escapes stay in names and values.
    const KEPT: ByteSet = ByteSet::CONTROLS.union(ByteSet::of(b"\\%"));
    /// Finds and escapes the bytes that may be in a form, but would have a meaning in the output lines.
    const RAW: RawEncoder = RawEncoder::new(ByteSet::CONTROLS.union(ByteSet::of(b"\\")).complement().with(b'\n'));
    const DECODER: Decoder = Decoder::new().plus(Plus::Always).keep_upper(Parse::KEPT);
}

impl Verb for Parse {
    /// JSON has no byte order mark (RFC 8259 8.1).
    fn keeps_mark(&self) -> bool {
        !self.json
    }

    /// Replaces the first `=` of each pair with a tab and each `&` with a line end, then decodes all lines as one text. This is
    /// safe for two reasons. No escape contains `=` or `&`. And a decoded `=` or `&` can't be mistaken for a delimiter, because the
    /// delimiters have already been replaced.
    fn apply_lines(&self, lines: &[u8], _: &Guard, out: &mut Vec<u8>) -> bool {
        if self.is_special || Parse::RAW.first_changed(lines).is_some() {
            return false;
        }
        let mut pairs = Vec::new();
        push_delimited(lines, &mut pairs);
        let start = out.len();
        if Parse::DECODER.strict().decode_into(&pairs, out).is_err() {
            out.truncate(start);
            return false;
        }
        let is_text = str::from_utf8(&out[start..]).is_ok_and(|text| non_ascii_controls(text).next().is_none());
        if !is_text {
            out.truncate(start);
        }
        is_text
    }

    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        let (start, form) = if self.url { query(value) } else { (0, value) };
        if let Some(dialect) = self.nested {
            let pushed = dialect.push_json(self.parser, self.strict, form, out);
            return pushed.map_err(|error| error.shifted(start));
        }
        let mut pairs = Vec::new();
        for pair in self.parser.parse_raw(form) {
            let form::Pair { name, value, offset } = pair.map_err(|error| refused(error).shifted(start))?;
            let value_offset = offset + name.len() + 1;
            let name = self.part(name).map_err(|error| fault(start + offset, error))?;
            let value = self.part(value.unwrap_or_default()).map_err(|error| fault(start + value_offset, error))?;
            if self.json {
                pairs.push((name, value));
                continue;
            }
            self.guard.push_bytes(&name, out);
            out.push(b'\t');
            self.guard.push_bytes(&value, out);
            out.push(b'\n');
        }
        if self.json {
            self.push_json(&pairs, out);
        }
        Ok(())
    }
}

impl Parse {
    /// Returns the decoded bytes of a name or a value.
    fn part<'a>(&self, raw: &'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError> {
        let bytes = |text: Cow<'a, str>| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        let checked = form::DECODER.strict();
        Ok(match (self.reading, self.strict) {
            (None, false) => form::DECODER.decode(raw),
            (None, true) => bytes(checked.decode_utf8(raw)?),
            (Some(reading), false) => bytes(reading.lossy(&form::DECODER, raw)),
            (Some(reading), true) => bytes(reading.strict(&checked, raw)?),
        })
    }

    /// Appends the pairs as JSON.
    fn push_json(&self, pairs: &[(Cow<[u8]>, Cow<[u8]>)], out: &mut Vec<u8>) {
        if self.object {
            return push_object(pairs, out);
        }
        push_pairs(pairs, out);
    }
}

/// Appends an array of pairs.
pub fn push_pairs(pairs: &[(Cow<[u8]>, Cow<[u8]>)], out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, (name, value)) in pairs.iter().enumerate() {
        out.extend(if number > 0 { &b",["[..] } else { b"[" });
        push_string(name, out);
        out.push(b',');
        push_string(value, out);
        out.push(b']');
    }
    out.push(b']');
}

/// Appends an object. Each name becomes one member, in the order in which the names first occur.
pub fn push_object(pairs: &[(Cow<[u8]>, Cow<[u8]>)], out: &mut Vec<u8>) {
    let mut places: HashMap<Cow<str>, usize> = HashMap::new();
    let mut members: Vec<(&[u8], Vec<&[u8]>)> = Vec::new();
    for (name, value) in pairs {
        // Two different names that are not UTF-8 may become the same name in JSON. So we compare the names as JSON has
        // them, with U+FFFD in place of invalid bytes.
        let place = *places.entry(String::from_utf8_lossy(name)).or_insert_with(|| {
            members.push((name, Vec::new()));
            members.len() - 1
        });
        members[place].1.push(value);
    }
    out.push(b'{');
    for (number, (name, values)) in members.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        push_string(name, out);
        out.push(b':');
        match values[..] {
            [value] => push_string(value, out),
            _ => {
                for (number, value) in values.iter().enumerate() {
                    out.push(if number > 0 { b',' } else { b'[' });
                    push_string(value, out);
                }
                out.push(b']');
            }
        }
    }
    out.push(b'}');
}

/// Appends a JSON string. Invalid UTF-8 becomes U+FFFD. U+007F and non-ASCII controls are escaped too, although JSON does not
/// require it.
pub fn push_string(bytes: &[u8], out: &mut Vec<u8>) {
    let text = String::from_utf8_lossy(bytes);
    out.push(b'"');
    let mut done = 0;
    for (at, control) in non_ascii_controls(&text) {
        push_without(&text[done..at], out);
        out.extend(format!("\\u{:04x}", u32::from(control)).bytes());
        done = at + control.len_utf8();
    }
    push_without(&text[done..], out);
    out.push(b'"');
}

/// Appends part of a JSON string, and escapes U+007F. The text must not have non-ASCII controls.
fn push_without(text: &str, out: &mut Vec<u8>) {
    for (number, part) in text.split('\u{7F}').enumerate() {
        if number > 0 {
            out.extend(b"\\u007f");
        }
        json_push(part, out);
    }
}

/// Returns the offset of the query of a URL, and the query.
fn query(url: &[u8]) -> (usize, &[u8]) {
    let end = memchr(b'#', url).unwrap_or(url.len());
    let start = memchr(b'?', &url[..end]).map_or(end, |at| at + 1);
    (start, &url[start..end])
}

fn refused(error: ParseError) -> Diagnostic {
    match error {
        ParseError::Decode(error) => fault(0, error),
        ParseError::TooManyPairs { limit, offset } => {
            Diagnostic::new(offset, format!("this pair exceeds the --limit of {limit}"))
        }
        ParseError::Rejected { byte, offset } => {
            Diagnostic::new(offset, format!("this is the character %{byte:02X}, which --reject refuses"))
        }
        _ => Diagnostic::new(error.offset(), "this is not a form"),
    }
}

fn fault(at: usize, error: DecodeError) -> Diagnostic {
    // The message for `Truncated` says that the line ends in an escape. In a form, only a name or a value ends in an
    // escape, not the line. So we report that digits are missing.
    let kind = match error.kind {
        DecodeErrorKind::Truncated => DecodeErrorKind::NotHex,
        kind => kind,
    };
    Diagnostic::of_escape(error.offset, kind).shifted(at)
}
