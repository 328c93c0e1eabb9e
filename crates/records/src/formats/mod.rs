//! Formats of records: each says which bytes of a record are fields to work on, and what may not appear in them.
//!
//! That is all that others know of a format: [`Format::fields`] gives ranges, each with a [`Rule`]. A
//! format is a [`Row`] of [`FORMATS`], beside others of its kind in a file of their own.

/// Makes a [`Row`] of a format of this type and shape.
macro_rules! row {
    ($format:ident, $row:ident, $shape:ident, $help:literal, $fields:literal, $sniff:expr) => {
        pub const $row: Row = Row {
            name: $shape.name,
            help: $help,
            fields: $fields,
            build: |choice| Ok(Box::new($format::new(&$shape, choice)?)),
            sniff: $sniff,
        };
    };
}

mod access;
mod delimited;
mod json;
mod labelled;
mod logfmt;
mod nested;
mod pattern;
mod role;
mod sitemap;
mod sniff;
mod spaced;
mod token;
mod user;
mod warc;
mod whole;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use memchr::memmem;
use percent_simd::ByteSet;

use crate::framing::Framing;

pub use json::{each_key as json_each_key, push_escaped as json_push, unescaped as json_unescaped};
pub use nested::Envelope;
pub use role::{Role, role_of};
pub use sitemap::{push_escaped as xml_push, unescaped as xml_unescaped};
pub use sniff::{Guess, Sample, resolve, suggest};
pub use user::{Source, UserFormat};

/// A field's bytes in a record, and what holds for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which of the chosen fields it is.
    pub choice: usize,
    /// Its bytes in the record.
    pub range: Range<usize>,
    /// Which of the format's rules is its.
    pub rule: usize,
    /// The start in the record of the object of which it is a member: another can be put right behind it
    /// ([`ExtraField::Member`]).
    pub object: Option<usize>,
}

/// The rules for the value of a field.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Bytes that would forge or break a record: escapes of these stay.
    pub keep: ByteSet,
    /// How a value is written there.
    pub wrap: Wrap,
    /// What a value is.
    pub syntax: Syntax,
}

/// What the value of a field is, which decides how it is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A URL or a reference (RFC 3986 4.1): `//h/x` names the host `h`.
    Reference,
    /// The target of a request (RFC 9112 3.2): `//h/x` is a path, and no fragment follows a `#`.
    Target,
    /// A query without its `?`.
    Query,
}

impl Syntax {
    /// Returns whether a value is a query.
    pub fn is_query(self) -> bool {
        self == Syntax::Query
    }
}

/// How a value is written in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// As it is.
    Verbatim,
    /// A string of JSON, without its quotes.
    Json,
    /// In quotes, where it has to be (RFC 4180); fields with this delimiter.
    Csv(u8),
    /// Text of XML, without `<` and with references for some characters.
    Xml,
    /// Behind its length.
    Row,
}

impl Wrap {
    /// Returns the ASCII bytes that can't be written at all: escapes of these stay even if all others may come out.
    pub fn not_held(self) -> ByteSet {
        if self == Wrap::Xml { sitemap::NOT_HELD } else { ByteSet::EMPTY }
    }
}

/// How a format takes a further value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtraField {
    /// Not at all.
    Nowhere,
    /// As the next member of the object.
    Member,
    /// At the end of the record.
    Column {
        /// Bytes in front of a value.
        before: Vec<u8>,
        /// Bytes behind it.
        after: Vec<u8>,
        /// Bytes in front of the name in a header.
        header: Vec<u8>,
        /// Text in place of a value where there is none.
        absent: &'static str,
    },
}

/// The columns as they are known at some place of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The positions of the chosen fields, from 0; `None` for those that are missing.
    pub columns: Vec<Option<usize>>,
    /// Whether the next record is a header.
    pub header: bool,
    /// How many columns a header has named.
    pub width: Option<usize>,
    /// Whether one of them is the stem of IIS.
    pub has_stem: bool,
}

impl Layout {
    /// Whether the column of this choice is there, or there may be one where no header says which there are.
    pub fn has(&self, choice: usize) -> bool {
        self.columns.get(choice).is_none_or(Option::is_some)
    }
}

/// The kinds of records.
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

/// The fields that a format was built for, and the rules for their values.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Names of the fields that were asked for, then of those of the [context](Choice::context).
    pub names: Vec<String>,
    /// How many of these were asked for.
    pub asked: usize,
    /// The rules; [`Field::rule`] is an index in this.
    pub rules: Vec<Rule>,
}

impl Plan {
    /// Returns a plan for the fields of `choice`, or for the `usual` ones, and for those of the `context` if that is wanted.
    fn new(
        choice: &Choice,
        usual: impl IntoIterator<Item = impl Into<String>>,
        context: impl IntoIterator<Item = impl Into<String>>,
    ) -> Plan {
        let usual = usual.into_iter().map(Into::into);
        let mut names = if choice.fields.is_empty() { usual.collect() } else { choice.fields.clone() };
        let asked = names.len();
        names.extend(context.into_iter().filter(|_| choice.context).map(Into::<String>::into));
        Plan { names, asked, rules: Vec::new() }
    }

    /// Returns the plan of a format with one field.
    fn of_one(name: &str, rule: Rule) -> Plan {
        Plan { names: vec![name.to_string()], asked: 1, rules: vec![rule] }
    }

    /// Returns the names of the fields that were asked for.
    pub fn asked_names(&self) -> &[String] {
        &self.names[..self.asked]
    }

    /// Returns how many fields belong to the context.
    pub fn context_len(&self) -> usize {
        self.names.len() - self.asked
    }
}

/// One format of records.
pub trait Format: Send + Sync {
    /// How an input is made of its records.
    fn framing(&self) -> Framing {
        Framing::Lines
    }

    /// Returns the fields that it was built for, and their rules.
    fn plan(&self) -> &Plan;

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

    /// Whether no triplet can reach across the bounds of a field.
    fn is_delimited(&self) -> bool {
        true
    }

    /// How many layers of encoding are to come off, where nobody says otherwise.
    fn layers(&self) -> usize {
        1
    }

    /// Says what is wrong with the columns that the start of an input names: those chosen are none of them, or the one that
    /// results are to be put in is.
    fn mismatch(&self, _head: &[u8], _to: Option<&str>) -> Option<String> {
        None
    }

    /// Whether the input names its columns, so that which of those chosen are there is known only then.
    fn has_header(&self) -> bool {
        false
    }

    /// The format of the records that its fields hold, if that is what they do.
    fn inner(&self) -> Option<Arc<dyn Format>> {
        None
    }

    /// Returns the layout that is known before the first record.
    fn layout(&self) -> Layout {
        Layout::default()
    }

    /// Puts the fields of `record`, which comes without its end, into `fields`, in the order of their bytes.
    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind;

    /// Brings `layout` from the start of `chunk`, which is whole records, to its end.
    fn advance(&self, _chunk: &[u8], _layout: &mut Layout) {}

    /// Returns how many of the records in `chunk` are headers or lines that are marked as comments, so that they don't count.
    fn others(&self, _chunk: &[u8], _layout: &Layout) -> u64 {
        0
    }
}

/// A format that has a name.
pub struct Row {
    /// Returns its name.
    pub name: &'static str,
    /// Its description, in a line.
    pub help: &'static str,
    /// The fields that it has by name; those in front of `;` are worked on if none is chosen.
    pub fields: &'static str,
    /// Returns the format with the fields of a choice, or a message.
    pub build: fn(&Choice) -> Result<Box<dyn Format>, String>,
    /// Whether an input is in this format, by its first lines.
    pub sniff: fn(&Sample) -> bool,
}

/// The formats, those that are more particular before those that are less so: the first that fits is the one.
pub const FORMATS: &[&Row] = &[
    &whole::LINES,
    &whole::TEXT,
    &delimited::CLOUDFRONT,
    &delimited::W3C,
    &delimited::ZEEK,
    &delimited::URLHAUS,
    &sitemap::SITEMAP,
    &warc::WARC,
    &json::CLOUDFLARE,
    &json::AKAMAI,
    &json::FASTLY,
    &json::SURICATA,
    &json::GCP,
    &json::AWS_WAF,
    &json::AZURE,
    &json::CADDY,
    &json::TRAEFIK,
    &json::ENVOY,
    &json::NDJSON,
    &json::JSON,
    &spaced::ALB,
    &spaced::ELB,
    &spaced::S3,
    &spaced::SQUID,
    &spaced::HAPROXY,
    &spaced::ENVOY,
    &spaced::CDX,
    &access::APACHE_VHOST,
    &access::COMBINED,
    &access::CLF,
    &labelled::NGINX_ERROR,
    &labelled::APACHE_ERROR,
    &logfmt::LOGFMT,
    &delimited::TSV,
    &delimited::CSV,
    &delimited::CSV_SEMICOLON,
    &delimited::CSV_BAR,
];

/// The format that was asked for.
#[derive(Clone)]
pub enum Name {
    /// The one that the first lines are in; text if that is none, where that is accepted.
    Auto {
        /// Whether that is accepted.
        or_text: bool,
    },
    /// Records that end with NUL.
    Null,
    /// Lines up to an empty one.
    Paragraphs,
    /// Bytes without records.
    Raw,
    /// Strings of ClickHouse's RowBinary.
    Rows,
    /// One of [`FORMATS`].
    Row(&'static Row),
    /// One of the user's.
    User(Arc<UserFormat>),
    /// The format that this `log_format` of nginx writes.
    Nginx(String),
    /// The format that this `LogFormat` of Apache writes.
    Apache(String),
    /// Records of another format inside of records; `None` where the first lines tell which.
    Nested(&'static Envelope, Option<Box<Name>>),
}

impl PartialEq for Name {
    fn eq(&self, other: &Name) -> bool {
        self.text() == other.text()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl Name {
    /// Each line is one field.
    pub const LINES: Name = Name::Row(&whole::LINES);

    /// Returns the format that `text` names, which may be one of `users`.
    ///
    /// # Errors
    ///
    /// A message that says which names are near.
    pub fn parse(text: &str, users: &[Arc<UserFormat>]) -> Result<Name, String> {
        if let Some(format) = text.strip_prefix("nginx:") {
            return Ok(Name::Nginx(format.to_string()));
        }
        if let Some(format) = text.strip_prefix("apache:") {
            return Ok(Name::Apache(format.to_string()));
        }
        let (outer, inner) = text.split_once(':').map_or((text, None), |(outer, inner)| (outer, Some(inner)));
        if let Some(envelope) = nested::ENVELOPES.iter().find(|envelope| envelope.name.eq_ignore_ascii_case(outer)) {
            let inner = inner.map(|inner| Name::parse(inner, users).map(Box::new)).transpose()?;
            return Ok(Name::Nested(envelope, inner));
        }
        let text = text.to_ascii_lowercase();
        match &*text {
            "auto" => return Ok(Name::Auto { or_text: false }),
            "auto,text" => return Ok(Name::Auto { or_text: true }),
            _ => {}
        }
        // Varnish writes the Combined Log Format, Traefik that and more behind it.
        let name = if matches!(&*text, "varnish" | "traefik-clf") { "combined" } else { &text };
        if let Some(row) = FORMATS.iter().find(|row| row.name == name) {
            return Ok(Name::Row(row));
        }
        users.iter().find(|format| format.name == name).cloned().map(Name::User).ok_or_else(|| {
            let near = FORMATS.iter().filter(|row| row.name.contains(name) || name.contains(row.name));
            let near: Vec<_> = near.map(|row| row.name).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(", ")) };
            format!(
                "there is none of that name; {near}`pct formats` lists all, nginx:FORMAT and apache:FORMAT among them"
            )
        })
    }

    /// Returns its name.
    pub fn text(&self) -> Cow<'static, str> {
        match self {
            Name::Auto { .. } => "auto".into(),
            Name::Null => "NUL-separated".into(),
            Name::Paragraphs => "paragraphs".into(),
            Name::Raw => "bytes".into(),
            Name::Rows => "rowbinary".into(),
            Name::Nginx(_) => "nginx".into(),
            Name::Apache(_) => "apache".into(),
            Name::Row(row) => row.name.into(),
            Name::User(format) => format.name.clone().into(),
            Name::Nested(envelope, None) => envelope.name.into(),
            Name::Nested(envelope, Some(inner)) => format!("{}:{}", envelope.name, inner.text()).into(),
        }
    }

    /// Whether all of a record is one field, whatever is in it.
    pub fn is_whole(&self) -> bool {
        match self {
            Name::Null | Name::Paragraphs | Name::Raw | Name::Rows => true,
            Name::Row(row) => row.name == whole::LINES.name,
            _ => false,
        }
    }
}

/// The fields to be worked on.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Names, numbers or pointers; none is what the format has URLs in.
    pub fields: Vec<String>,
    /// Whether the first line of CSV and TSV is a header; if nobody says, it is one where a field goes by name.
    pub header: Option<bool>,
    /// Whether fields are wanted besides that tell who asked for the URLs, whom, and what came of it.
    pub context: bool,
}

/// The names of all formats but those of the user, and of what stands around others.
pub fn names() -> Vec<&'static str> {
    let envelopes = nested::ENVELOPES.iter().map(|envelope| envelope.name);
    ["auto"].into_iter().chain(FORMATS.iter().map(|row| row.name)).chain(envelopes).collect()
}

/// The names of the fields of all formats, each once.
pub fn field_names() -> Vec<&'static str> {
    let fields = FORMATS.iter().flat_map(|row| row.fields.split([',', ';'])).map(str::trim);
    let names: std::collections::BTreeSet<&'static str> = fields.filter(|name| !name.is_empty()).collect();
    names.into_iter().collect()
}

/// Lists all formats, a line each, with those of `users`.
pub fn list(users: &[Arc<UserFormat>]) -> String {
    let mut text = String::from(
        "Formats for --format, and the fields that are worked on if none is named; behind `;`, others.\n\n",
    );
    let mut row = |name: &str, help: &str, fields: &str| {
        let fields = if fields.is_empty() { String::new() } else { format!("\n{:14}{fields}", "") };
        text.push_str(&format!("{name:13} {help}{fields}\n"));
    };
    row("auto", "the one that the first lines are in; `auto,text`: or else text", "");
    row("nginx:FORMAT", "what `log_format` says, as in nginx:'$remote_addr \"$request\"'", "variables with URLs");
    row("apache:FORMAT", "what `LogFormat` says", "variables with URLs");
    FORMATS.iter().for_each(|format| row(format.name, format.help, format.fields));
    users.iter().for_each(|format| row(&format.name, &format.help, &format.fields()));
    text.push_str(
        "\nAround records of another format, NAME:FORMAT, or NAME where the first lines tell which that is:\n\n",
    );
    let mut row = |name: &str, help: &str| text.push_str(&format!("{name:13} {help}\n"));
    nested::ENVELOPES.iter().for_each(|envelope| row(envelope.name, envelope.help));
    text
}

/// Returns the format called `name`, with the fields of `choice`.
///
/// # Errors
///
/// A message that says which fields there are, or that `name` leaves open which format it is.
pub fn build(name: &Name, choice: &Choice) -> Result<Box<dyn Format>, String> {
    Ok(match name {
        Name::Row(row) => (row.build)(choice)?,
        Name::User(format) => format.build(choice)?,
        Name::Null => Box::new(whole::Whole::new(Framing::Null, choice)?),
        Name::Paragraphs => Box::new(whole::Whole::new(Framing::Paragraphs, choice)?),
        Name::Raw => Box::new(whole::Whole::new(Framing::Raw, choice)?),
        Name::Rows => Box::new(whole::Whole::new(Framing::Rows, choice)?),
        Name::Nginx(format) => Box::new(pattern::Pattern::nginx(format, choice)?),
        Name::Apache(format) => Box::new(pattern::Pattern::apache(format, choice)?),
        Name::Nested(envelope, Some(inner)) => envelope.around(build(inner, choice)?)?,
        Name::Auto { .. } | Name::Nested(_, None) => {
            return Err(format!("the first lines have to tell what {} is", name.text()));
        }
    })
}

/// Escapes that stay in every format of text: those of the controls.
const CONTROLS: ByteSet = ByteSet::CONTROLS;

/// Bytes that end a value in quotes, or begin an escape of its format.
const IN_QUOTES: ByteSet = CONTROLS.union(ByteSet::of(b"\"\\"));

/// Bytes that end a value between spaces, or make it one in quotes or brackets.
const IN_SPACES: ByteSet = IN_QUOTES.union(ByteSet::of(b" []"));

/// Returns how many lines of `chunk` start with `mark`.
fn lines_that_start_with(chunk: &[u8], mark: &[u8]) -> u64 {
    let others = memmem::find_iter(chunk, &[b"\n", mark].concat()).count();
    others as u64 + u64::from(chunk.starts_with(mark))
}

/// Length of `bytes` up to the quote that ends a value; a backslash makes the next byte part of it.
fn quote(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'"', bytes).find(|&at| {
        // Two backslashes are one that is part of the value.
        let backslashes = bytes[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
        backslashes % 2 == 0
    })
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

/// The bytes that come behind a target.
static HTTP: LazyLock<memmem::Finder> = LazyLock::new(|| memmem::Finder::new(" HTTP/"));

/// Finds the target in a request line, `GET /path HTTP/1.1`, and whether there are spaces in it.
fn target(request: &[u8]) -> Option<(Range<usize>, bool)> {
    let start = memchr::memchr(b' ', request)? + 1;
    let rest = &request[start..];
    let first = memchr::memchr(b' ', rest);
    if let Some(len) = first.filter(|&len| rest[len..].starts_with(b" HTTP/") && !rest.starts_with(b"HTTP/")) {
        return Some((start..start + len, false));
    }
    // Text after the version is no part of the target, even if it ends with another version.
    let end = HTTP.find(&request[start - 1..]).map_or(request.len(), |at| start - 1 + at);
    Some((start.min(end)..end, first.is_some_and(|len| start + len < end)))
}

/// Bytes that may not come out in a target with a space in it, where they might be read as its end, ` HTTP/`.
const VERSION: ByteSet = ByteSet::of(b"HTP/");

/// Other names of the fields of logs.
const ALIASES: [(&str, &str); 6] = [
    ("ip", "client"),
    ("request", "target"),
    ("url", "target"),
    ("referer", "referrer"),
    ("agent", "user-agent"),
    ("useragent", "user-agent"),
];

/// Returns the name by which the formats of logs know `field`, in lower case.
fn alias(field: &str) -> String {
    let lower = field.to_ascii_lowercase();
    ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower, |(_, name)| (*name).to_string())
}

/// The message for fields that a format does not have.
fn unknown(field: &str, format: &str, there: &[&str]) -> String {
    format!("{format} has no field `{field}`; there are {}", there.join(", "))
}
