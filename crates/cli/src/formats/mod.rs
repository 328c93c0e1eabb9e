//! Formats of records: each says which bytes of a record are fields to work on, and what may not appear in them.
//!
//! That is all that the rest of the command knows of a format: [`Format::fields`] gives ranges, each with a [`Rule`].

mod auto;
mod delimited;
mod ndjson;
mod pattern;
mod quoted;
mod whole;

use std::ops::Range;

use percent_simd::ByteSet;

use crate::records::Framing;

pub use auto::guess;
pub use ndjson::{push_escaped as json_push, unescaped as json_unescaped};

/// A field's bytes in a record, and what holds for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which of the chosen fields it is.
    pub choice: usize,
    pub range: Range<usize>,
    /// Which of the format's rules is its.
    pub rule: usize,
    /// Whether another can be put right behind it ([`ExtraField::Member`]).
    pub member: bool,
}

/// What holds for the value of a field.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What may not appear in it, because a record would be forged or broken: escapes of these stay.
    pub keep: ByteSet,
    pub wrap: Wrap,
    /// Whether it is a query without the `?`, and not a URL.
    pub query: bool,
}

/// How a value is written in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    Verbatim,
    /// A string of JSON, without its quotes.
    Json,
    /// In quotes, where it has to be (RFC 4180); fields with this delimiter.
    Csv(u8),
    /// Behind its length.
    Row,
}

/// How a format takes a further value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraField {
    /// Not at all.
    Nowhere,
    /// As the next member of the object.
    Member,
    /// At the end of the record, between these; in a header, its name behind the third; where there is none, the fourth.
    Column { before: Vec<u8>, after: Vec<u8>, header: Vec<u8>, absent: &'static str },
}

/// What is known of the columns at some place of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Where the chosen fields are, from 0; `None` for those that are not there.
    pub columns: Vec<Option<usize>>,
    /// Whether the next record is a header.
    pub header: bool,
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One with data; its fields are those found, which may be none.
    Data,
    /// A header: names of columns.
    Header,
    /// Neither: a diagnostic of the format.
    Comment,
    /// Not what this format is like: cut off, or with quotes that do not close. It stays as it is.
    Unrecognized,
}

/// One format of records.
pub trait Format: Send + Sync {
    fn framing(&self) -> Framing;

    /// What holds for its fields; [`Field::rule`] is an index in this.
    fn rules(&self) -> &[Rule];

    /// Names of the chosen fields.
    fn names(&self) -> &[String];

    /// How it takes a further value.
    fn extra_field(&self) -> ExtraField;

    /// Whether every record is one field, and that all of it.
    fn is_whole(&self) -> bool {
        false
    }

    /// A byte that a record must be looked at for, though nothing in it is to be changed.
    fn mark(&self) -> Option<u8> {
        None
    }

    /// Whether its writer puts an escape of [`log_escape`] for an byte that would break a record, and for others.
    fn has_log_escapes(&self) -> bool {
        false
    }

    /// How many layers of encoding are to come off, where nobody says otherwise.
    fn layers(&self) -> usize {
        1
    }

    /// Whether the start of an input tells which columns there are, and what is wrong if those chosen are none of them.
    fn missing(&self, _head: &[u8]) -> Option<String> {
        None
    }

    /// What is known before the first record.
    fn layout(&self) -> Layout {
        Layout::default()
    }

    /// Puts the fields of `record`, which comes without its end, into `fields`, in the order of their bytes.
    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind;

    /// Brings `layout` from the start of `chunk`, which is whole records, to its end.
    fn advance(&self, _chunk: &[u8], _layout: &mut Layout) {}
}

/// The formats by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    Auto,
    Lines,
    Null,
    Paragraphs,
    Raw,
    Rows,
    Clf,
    Combined,
    Alb,
    S3,
    CloudFront,
    W3c,
    Csv,
    Tsv,
    Ndjson,
    Nginx(String),
    Apache(String),
}

/// Names on the command line, and what each is.
pub const NAMES: [(&str, Name, &str); 11] = [
    ("auto", Name::Auto, "what the first lines look like; says on stderr what that is"),
    ("lines", Name::Lines, "each line is one field"),
    ("clf", Name::Clf, "Common Log Format: target"),
    ("combined", Name::Combined, "Combined Log Format: target, referrer, user-agent"),
    ("alb", Name::Alb, "AWS load balancers: target, user-agent, redirect-url"),
    ("s3", Name::S3, "S3 server access: key, target, referrer, user-agent"),
    ("cloudfront", Name::CloudFront, "CloudFront standard, by column; two layers come off"),
    ("w3c", Name::W3c, "W3C extended (IIS), by column of #Fields"),
    ("csv", Name::Csv, "RFC 4180, by column"),
    ("tsv", Name::Tsv, "tabs, by column"),
    ("ndjson", Name::Ndjson, "an object a line, by JSON pointer"),
];

impl Name {
    /// The format that `text` names.
    pub fn parse(text: &str) -> Result<Name, String> {
        if let Some(format) = text.strip_prefix("nginx:") {
            return Ok(Name::Nginx(format.to_string()));
        }
        if let Some(format) = text.strip_prefix("apache:") {
            return Ok(Name::Apache(format.to_string()));
        }
        let text = text.to_ascii_lowercase();
        let named = NAMES.iter().find(|(name, _, _)| *name == text).map(|(_, name, _)| name.clone());
        named.ok_or_else(|| {
            let names: Vec<_> = NAMES.iter().map(|(name, _, _)| *name).collect();
            format!("there is none of that name; there are {}, nginx:FORMAT and apache:FORMAT", names.join(", "))
        })
    }

    /// What it is called.
    pub fn text(&self) -> &str {
        match self {
            Name::Null => "NUL-separated",
            Name::Paragraphs => "paragraphs",
            Name::Raw => "bytes",
            Name::Rows => "rowbinary",
            Name::Nginx(_) => "nginx",
            Name::Apache(_) => "apache",
            _ => NAMES.iter().find(|(_, name, _)| name == self).map_or("", |(text, _, _)| text),
        }
    }
}

/// What is to be worked on.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Names, numbers or pointers; none is what the format has URLs in.
    pub fields: Vec<String>,
    /// Whether the first line of CSV and TSV is a header; if nobody says, it is one where a field goes by name.
    pub header: Option<bool>,
}

/// The format called `name`, with the fields of `choice`.
pub fn build(name: &Name, choice: &Choice) -> Result<Box<dyn Format>, String> {
    Ok(match name {
        Name::Auto | Name::Lines => Box::new(whole::Whole::new(Framing::Lines, choice)?),
        Name::Null => Box::new(whole::Whole::new(Framing::Null, choice)?),
        Name::Paragraphs => Box::new(whole::Whole::new(Framing::Paragraphs, choice)?),
        Name::Raw => Box::new(whole::Whole::new(Framing::Raw, choice)?),
        Name::Rows => Box::new(whole::Whole::new(Framing::Rows, choice)?),
        Name::Clf | Name::Combined | Name::Alb | Name::S3 => Box::new(quoted::Quoted::new(name, choice)?),
        Name::CloudFront | Name::W3c | Name::Csv | Name::Tsv => Box::new(delimited::Delimited::new(name, choice)?),
        Name::Ndjson => Box::new(ndjson::Ndjson::new(choice)?),
        Name::Nginx(format) => Box::new(pattern::Pattern::nginx(format, choice)?),
        Name::Apache(format) => Box::new(pattern::Pattern::apache(format, choice)?),
    })
}

/// Escapes that stay in every format of text: those of the controls.
const CONTROLS: ByteSet = ByteSet::CONTROLS;

/// What ends a value in quotes, or makes an escape of its format.
const IN_QUOTES: ByteSet = CONTROLS.union(ByteSet::of(b"\"\\"));

/// What ends a value between spaces, or makes it one in quotes or brackets.
const IN_SPACES: ByteSet = IN_QUOTES.union(ByteSet::of(b" []"));

/// Length of `bytes` up to the quote that ends a value; a backslash makes the next byte part of it.
fn quote(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// The byte that a server has written as the escape in front, and that one's length.
///
/// `\xHH`: nginx (`log_format`, `escape=default`) for `"`, `\`, 0x00 to 0x1F and 0x7F to 0xFF; Apache (`mod_log_config`,
/// Format Notes) for bytes that do not print, of which some have a letter, and `\"` and `\\`.
pub fn log_escape(bytes: &[u8]) -> Option<(u8, usize)> {
    let [b'\\', kind, rest @ ..] = bytes else { return None };
    let letter = match kind {
        b'"' | b'\\' => *kind,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'r' => b'\r',
        b'x' => {
            let digit = |at: usize| char::from(*rest.get(at)?).to_digit(16);
            return Some(((digit(0)? * 16 + digit(1)?) as u8, 4));
        }
        _ => return None,
    };
    Some((letter, 2))
}

/// Where the target is in a request line, `GET /path HTTP/1.1`.
fn target(request: &[u8]) -> Option<Range<usize>> {
    let start = memchr::memchr(b' ', request)? + 1;
    let end = memchr::memmem::rfind(request, b" HTTP/").filter(|&end| end >= start).unwrap_or(request.len());
    Some(start..end)
}

/// The message for fields that a format does not have.
fn unknown(field: &str, format: &str, there: &[&str]) -> String {
    format!("pct: {format} has no field `{field}`; there are {}", there.join(", "))
}
