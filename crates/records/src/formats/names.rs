//! Finds formats by name: [`FORMATS`], the formats of users, and the format strings of servers.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::format::{self, Choice, Format, IS_MODULE, Row, shown};
use super::inside::{Inside, OUTER};
use super::nested::{ENVELOPES, Envelope};
use super::or_urls::OrUrls;
use super::pattern::Pattern;
use super::user::UserFormat;
use super::whole::Whole;
use super::{
    access, audit, delimited, events, json, labelled, line, logfmt, markup, otlp, pairs, spaced, urls, warc, whole,
    words,
};
use crate::framing::Framing;

/// All formats. `auto` takes the first format that fits, so special formats come before general formats.
pub const FORMATS: &[&Row] = &[
    &whole::LINES,
    &whole::TEXT,
    &delimited::CLOUDFRONT,
    &delimited::W3C,
    &delimited::ZEEK,
    &delimited::URLHAUS,
    &delimited::UMBRELLA,
    &delimited::BUNNY,
    &delimited::PANOS,
    &markup::SITEMAP,
    &markup::FEED,
    &markup::BOOKMARKS,
    &events::WINEVENT,
    &markup::XML,
    &warc::WARC,
    &audit::AUDIT,
    &json::HAR,
    &json::ELASTICSEARCH,
    &json::CLOUDFLARE,
    &json::AKAMAI,
    &json::FASTLY,
    &json::SURICATA,
    &json::AWS_WAF,
    &json::GCP,
    &json::AZURE,
    &json::CADDY,
    &json::TRAEFIK,
    &json::ENVOY,
    &json::K8S_AUDIT,
    &json::KONG,
    &json::AKAMAI_SIEM,
    &json::MODSECURITY,
    &json::CLOUDFRONT_JSON,
    &json::PINO,
    &json::ECS,
    &otlp::OTLP,
    &json::OTEL,
    &json::ZSCALER,
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
    &line::UVICORN,
    &line::GIN,
    &line::RAILS,
    &line::DJANGO,
    &line::UWSGI,
    &line::MORGAN,
    &line::PHP,
    &line::CHI,
    &line::PHOENIX,
    &line::KOA,
    &line::ASPNET,
    &line::ROCKET,
    &line::TORNADO,
    &line::ACTIX,
    &line::TOWER,
    &line::DAPHNE,
    &line::SPRING,
    &line::SOLR,
    &line::CONFLUENCE,
    &line::SURICATA,
    &line::WGET,
    &line::CURL,
    &line::GOBUSTER,
    &line::PRIVOXY,
    &line::APT_CACHER,
    &line::GITEA,
    &line::SCRAPY,
    &line::OAUTH2,
    &line::IIS,
    &line::SHORTCUT,
    &pairs::LTSV,
    &pairs::CEF,
    &pairs::LEEF,
    &logfmt::LOGFMT,
    &pairs::COMMA,
    &delimited::TSV,
    &delimited::CSV,
    &delimited::CSV_SEMICOLON,
    &delimited::CSV_BAR,
    &words::WORDS,
    &urls::URLS,
];

/// The requested format.
#[derive(Clone)]
pub enum Name {
    /// The format is recognized by the first lines of the input.
    Auto {
        /// If true, and if no format is recognized, the input is read as `text`.
        or_text: bool,
    },
    /// Each record is one field and ends with NUL.
    Null,
    /// Each record is a group of lines and ends with an empty line.
    Paragraphs,
    /// Bytes without records.
    Raw,
    /// Strings of ClickHouse's RowBinary.
    Rows,
    /// One of [`FORMATS`].
    Row(&'static Row),
    /// One of [`FORMATS`]. Its other lines are read as `urls`.
    OrUrls(&'static Row),
    /// One of the user's formats.
    User(Arc<UserFormat>),
    /// The format that this `log_format` of nginx writes.
    Nginx(String),
    /// The format that this `LogFormat` of Apache writes.
    Apache(String),
    /// An envelope, and the format of the records inside it. If the format is `None`, it is recognized by the first
    /// lines.
    Nested(&'static Envelope, Option<Box<Name>>),
    /// Records of another format, each inside a field of an outer record.
    Inside {
        /// The format that has the field.
        row: &'static Row,
        /// The name of the field, or the pointer to the field without its first `/`.
        field: String,
        /// The format of the records in the field. If `None`, it is recognized by the first records.
        inner: Option<Box<Name>>,
    },
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
    /// The format `lines`: each line is one field.
    pub const LINES: Name = Name::Row(&whole::LINES);

    /// Returns the format with the name `text`. Also looks for this name in `users`.
    ///
    /// # Errors
    ///
    /// Returns a message that suggests similar names.
    pub fn parse(text: &str, users: &[Arc<UserFormat>]) -> Result<Name, String> {
        if let Some(format) = text.strip_prefix("nginx:") {
            return Ok(Name::Nginx(format.to_string()));
        }
        if let Some(format) = text.strip_prefix("apache:") {
            return Ok(Name::Apache(format.to_string()));
        }
        let (outer, inner) = text.split_once(':').map_or((text, None), |(outer, inner)| (outer, Some(inner)));
        if let Some((name, field)) = outer.split_once('/')
            && let Some(row) =
                FORMATS.iter().find(|row| OUTER.contains(&row.name) && row.name.eq_ignore_ascii_case(name))
        {
            let field = field.trim_start_matches('/').to_string();
            let inner = inner.map(|inner| Name::parse(inner, users).map(Box::new)).transpose()?;
            return Ok(Name::Inside { row, field, inner });
        }
        if let Some(envelope) = ENVELOPES.iter().find(|envelope| envelope.name.eq_ignore_ascii_case(outer)) {
            let inner = inner.map(|inner| Name::parse(inner, users).map(Box::new)).transpose()?;
            return Ok(Name::Nested(envelope, inner));
        }
        let text = text.to_ascii_lowercase();
        match &*text {
            "auto" => return Ok(Name::Auto { or_text: false }),
            "auto,text" => return Ok(Name::Auto { or_text: true }),
            _ => {}
        }
        // Varnish writes the Combined Log Format. Traefik writes the same format with additional fields at the end.
        let name = if matches!(&*text, "varnish" | "traefik-clf") { "combined" } else { &text };
        let row_of = |name: &str| FORMATS.iter().find(|row| row.name == name).copied();
        if let Some(row) = row_of(name) {
            return Ok(Name::Row(row));
        }
        if let Some(row) = name.strip_suffix(",urls").and_then(row_of) {
            return Ok(Name::OrUrls(row));
        }
        users.iter().find(|format| format.name == name).cloned().map(Name::User).ok_or_else(|| {
            let is_near = |row: &&&Row| !IS_MODULE && (row.name.contains(name) || name.contains(row.name));
            let near = FORMATS.iter().filter(is_near);
            let near: Vec<_> = near.map(|row| row.name).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", near.join(", ")) };
            let all = shown("`pct formats` lists all, nginx:FORMAT and apache:FORMAT among them");
            format!("no format has this name; {near}{all}")
        })
    }

    /// Checks that a user may give the name `name` to a new format.
    ///
    /// # Errors
    ///
    /// Returns a message if the name has wrong characters or belongs to another format.
    pub fn check_new(name: &str) -> Result<(), String> {
        let is_in_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_in_name) {
            return Err(format!("`{name}` is not a valid name; use a to z, 0 to 9, - and _"));
        }
        let is_taken = FORMATS.iter().any(|row| row.name == name)
            || ENVELOPES.iter().any(|envelope| envelope.name == name)
            || ["auto", "nginx", "apache", "varnish", "traefik-clf"].contains(&name);
        match is_taken {
            true => Err(format!("pct already has a format `{name}`; choose another name")),
            false => Ok(()),
        }
    }

    /// Returns the name for messages.
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
            Name::OrUrls(row) => format!("{},urls", row.name).into(),
            Name::User(format) => format.name.clone().into(),
            Name::Nested(envelope, None) => envelope.name.into(),
            Name::Nested(envelope, Some(inner)) => format!("{}:{}", envelope.name, inner.text()).into(),
            Name::Inside { row, field, inner: None } => format!("{}/{field}", row.name).into(),
            Name::Inside { row, field, inner: Some(inner) } => format!("{}/{field}:{}", row.name, inner.text()).into(),
        }
    }

    /// Returns the format of the innermost records.
    pub(super) fn innermost(&self) -> &Name {
        match self {
            Name::Nested(_, Some(inner)) | Name::Inside { inner: Some(inner), .. } => inner.innermost(),
            name => name,
        }
    }

    /// Returns the format that also reads the lines which aren't in this format.
    pub(super) fn or_urls(&self) -> Option<Name> {
        self.with_innermost(&|name| match name {
            Name::Row(row) => Some(Name::OrUrls(row)),
            _ => None,
        })
    }

    /// Returns the format without [`Name::OrUrls`]: other lines don't fit it.
    pub fn without_urls(self) -> Name {
        let plain = self.with_innermost(&|name| match name {
            Name::OrUrls(row) => Some(Name::Row(row)),
            _ => None,
        });
        plain.unwrap_or(self)
    }

    /// Replaces the format of the innermost records by the result of `change`.
    fn with_innermost(&self, change: &dyn Fn(&Name) -> Option<Name>) -> Option<Name> {
        let changed = |inner: &Name| inner.with_innermost(change).map(|inner| Some(Box::new(inner)));
        match self {
            Name::Nested(envelope, Some(inner)) => Some(Name::Nested(envelope, changed(inner)?)),
            Name::Inside { row, field, inner: Some(inner) } => {
                Some(Name::Inside { row, field: field.clone(), inner: changed(inner)? })
            }
            name => change(name),
        }
    }

    /// Returns true if every record is one field, with any content.
    pub fn is_whole(&self) -> bool {
        match self {
            Name::Null | Name::Paragraphs | Name::Raw | Name::Rows => true,
            Name::Row(row) => row.name == whole::LINES.name,
            _ => false,
        }
    }
}

/// Returns `auto`, and the names of the built-in formats and of the envelopes. An envelope is a format that wraps
/// another format. The formats that a user defines are not included.
pub fn names() -> Vec<&'static str> {
    let envelopes = ENVELOPES.iter().map(|envelope| envelope.name);
    ["auto"].into_iter().chain(FORMATS.iter().map(|row| row.name)).chain(envelopes).collect()
}

/// Returns the names of the fields of all formats, without duplicates.
pub fn field_names() -> Vec<&'static str> {
    let names: BTreeSet<_> = FORMATS.iter().flat_map(|row| format::field_names(row.fields)).collect();
    names.into_iter().collect()
}

/// Returns a text that lists all built-in formats, and the formats in `users`. Each format has its own line.
pub fn list(users: &[Arc<UserFormat>]) -> String {
    let mut text = String::from(
        "Formats for --format, with their fields. Without -f, the fields before `;` are used.\n\
             `cut`, `grep`, `stats` and `unique` also use the fields after the second `;`, which the program has decoded.\n\n",
    );
    let mut row = |name: &str, help: &str, fields: &str| {
        let fields = if fields.is_empty() { String::new() } else { format!("\n{:14}{fields}", "") };
        text.push_str(&format!("{name:13} {help}{fields}\n"));
    };
    row("auto", "recognizes the format by the first lines; `auto,text` uses text if it can't", "");
    row(
        "nginx:FORMAT",
        "the format of this `log_format`, as in nginx:'$remote_addr \"$request\"'",
        "variables with URLs",
    );
    row("apache:FORMAT", "the format of this `LogFormat`", "variables with URLs");
    FORMATS.iter().for_each(|format| row(format.name, format.help, format.fields));
    users.iter().for_each(|format| row(&format.name, &format.help, &format.fields()));
    text.push_str(
        "\nFor records inside another format, NAME:FORMAT. If you leave out FORMAT, it is recognized by the first lines.\n\n",
    );
    let mut row = |name: &str, help: &str| text.push_str(&format!("{name:13} {help}\n"));
    ENVELOPES.iter().for_each(|envelope| row(envelope.name, envelope.help));
    text.push_str(
        "\nFor records inside a field, OUTER/FIELD:FORMAT, as in ndjson/message:combined or csv/_raw:combined.\n",
    );
    text.push_str(&format!("OUTER is one of {}.\n", OUTER.join(", ")));
    text.push_str("\nFor a log with other lines among its records, FORMAT,urls reads these lines as urls.\n");
    text
}

/// Returns the format called `name`, with the fields of `choice`.
///
/// # Errors
///
/// If the format lacks a chosen field, or if `name` is `Auto` or lacks an inner format, returns a message.
pub fn build(name: &Name, choice: &Choice) -> Result<Box<dyn Format>, String> {
    Ok(match name {
        Name::Row(row) => (row.build)(choice)?,
        // Only `pct` chooses this format.
        Name::OrUrls(row) if !IS_MODULE => Box::new(OrUrls::new(row, choice)?),
        Name::User(format) => format.build(choice)?,
        Name::Null => Box::new(Whole::new(Framing::Null, choice)?),
        Name::Paragraphs => Box::new(Whole::new(Framing::Paragraphs, choice)?),
        Name::Raw => Box::new(Whole::new(Framing::Raw, choice)?),
        Name::Rows => Box::new(Whole::new(Framing::Rows, choice)?),
        Name::Nginx(format) => Box::new(Pattern::nginx(format, choice)?),
        Name::Apache(format) => Box::new(Pattern::apache(format, choice)?),
        Name::Nested(envelope, Some(inner)) => envelope.around(build(inner, choice)?)?,
        Name::Inside { row, field, inner: Some(inner) } => {
            Box::new(Inside::of(row, field, build(inner, choice)?, choice)?)
        }
        Name::Auto { .. } | Name::OrUrls(_) | Name::Nested(_, None) | Name::Inside { inner: None, .. } => {
            return Err(format!("{} can only be recognized by the first lines of an input", name.text()));
        }
    })
}
