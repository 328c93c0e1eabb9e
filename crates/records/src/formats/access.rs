//! Access logs: the Common Log Format, the Combined Log Format, and Apache's format that starts with a host.
//!
//! `client identity user [time] "request" status size "referrer" "user agent" ...`
//!
//! The client controls most of a record: the user name, the request, the referrer, the user agent, and in many configurations a
//! quoted `X-Forwarded-For` or `Host`. Apache writes a quote in such values as `\"`, and nginx as `\x22`. But some servers escape
//! no byte at all. A user name may contain blanks and brackets, and an empty user name is `""`. So the first quote doesn't reliably
//! start the request, and the number of words before the request is unknown. We find the request in three steps:
//!
//! 1. The anchor is a time in brackets, followed by a quote: `[10/Oct/2000:13:55:36 -0700] "`. If the server escapes
//!    quotes, no text before the anchor looks like an anchor.
//! 2. One or more quoted strings follow the anchor, for example a host and the request. The request is the last of them, and a
//!    status follows it.
//! 3. We check everything else: the client before the anchor, the request line, the status, sizes, referrer and user agent.
//!
//! If a record has two anchors, or two strings that could be the request, it can be read in two ways. Then we copy the
//! record unchanged. We do the same with a record that doesn't fit the format.

mod record;

use std::ops::Range;

use percent_simd::ByteSet;

use self::record::{Record, client_first, fits, is_product};
use super::format::{
    Bounds, Choice, ExtraField, Field, Format, IS_MODULE, Kind, Layout, Row, Schema, Syntax, field_names, row, unknown,
};
use super::role::{alias, schema_of};
use super::shape::{Sample, is_absolute, is_url};
use super::token::{
    Around, BARE, QUOTED, Quotes, REQUEST, REQUEST_WITH_SPACES, Token, line_rules, sort_fields, target_field,
    without_overlaps,
};
use super::values::is_absent;

/// A part of a record. The order of the variants is the order in the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Host,
    Client,
    Identity,
    User,
    Time,
    /// The target in the request line.
    Target,
    /// The whole request line.
    Request,
    Status,
    Size,
    Referrer,
    UserAgent,
    /// A word or quoted string after all other parts. The number counts these words and strings, starting with 0.
    Further(usize),
}

/// The parts that a user can choose by number, starting with 1. If the format has no host, `Client` is number 1.
const NUMBERED: [Part; 10] = [
    Part::Host,
    Part::Client,
    Part::Identity,
    Part::User,
    Part::Time,
    Part::Request,
    Part::Status,
    Part::Size,
    Part::Referrer,
    Part::UserAgent,
];

struct Shape {
    name: &'static str,
    /// The fields. The default fields come before the `;`.
    fields: &'static str,
    has_host: bool,
    /// If true, a referrer and a user agent follow the size.
    is_combined: bool,
}

/// The names of fields, each with the part of the record that the field holds.
const NAMED: [(&str, Part); 7] = [
    ("host", Part::Host),
    ("target", Part::Target),
    ("client", Part::Client),
    ("time", Part::Time),
    ("status", Part::Status),
    ("referrer", Part::Referrer),
    ("user-agent", Part::UserAgent),
];

const S_CLF: Shape = Shape { name: "clf", fields: "target; client, time, status", has_host: false, is_combined: false };
const S_COMBINED: Shape = Shape {
    name: "combined",
    fields: "target, referrer; user-agent, client, time, status",
    has_host: false,
    is_combined: true,
};
/// The format `vhost_combined` of Debian's apache2.conf, with or without the port:
/// `%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"`.
const S_APACHE_VHOST: Shape = Shape {
    name: "apache-vhost",
    fields: "target, referrer; user-agent, host, client, time, status",
    has_host: true,
    ..S_COMBINED
};

row!(Access, CLF, S_CLF, "Common Log Format");
row!(Access, COMBINED, S_COMBINED, "Combined Log Format, as nginx, Apache, Varnish and Traefik write it");
row!(
    Access,
    APACHE_VHOST,
    S_APACHE_VHOST,
    "Combined Log Format after a host, with or without its port: Apache's vhost_combined, Debian's other_vhosts_access.log"
);

pub struct Access {
    shape: &'static Shape,
    /// The chosen parts, in their order in a record. Each part comes with the index of its name in the names of
    /// `schema`.
    wanted: Vec<(Part, usize)>,
    client_first: Option<bool>,
    schema: Schema,
}

impl Access {
    /// Returns true if most of the first lines are records. Records of CLF fit the longer format, too, so a record must have a
    /// string after its size.
    fn sniff(shape: &Shape, sample: &Sample) -> bool {
        let is_longer = |line: &[u8]| fits(line.trim_ascii_end(), shape, true);
        sample.most(|line| fits(line, shape, false))
            && (shape.has_host || !shape.is_combined || sample.head.split(|byte| *byte == b'\n').any(is_longer))
    }

    fn new(shape: &'static Shape, choice: &Choice) -> Result<Access, String> {
        let mut schema = schema_of(shape.fields, choice);
        let names = field_names(shape.fields);
        let numbered = || NUMBERED.into_iter().filter(|part| *part != Part::Host || shape.has_host);
        let numbered = || numbered().filter(|part| *part < Part::Referrer || shape.is_combined);
        let mut wanted = Vec::new();
        for (number, field) in schema.names.iter().enumerate() {
            let name = alias(field);
            let is_it = |known: &&(&str, Part)| known.0 == name && names.contains(&known.0);
            let known = NAMED.iter().find(is_it).map(|&(_, part)| part);
            let by_number = || {
                let at = name.parse::<usize>().ok()?.checked_sub(1)?;
                Some(numbered().nth(at).unwrap_or_else(|| Part::Further(at - numbered().count())))
            };
            let Some(part) = known.or_else(by_number) else {
                return Err(unknown(field, shape.name, &[&names[..], &["numbers from 1"]].concat()));
            };
            // `sort_by_key` would make the WebAssembly module 5 KB larger.
            let at = wanted.partition_point(|(known, _)| *known <= part);
            wanted.insert(at, (part, number));
        }
        schema.set_role_names(|field| {
            let &(part, _) = wanted.iter().find(|(_, number)| *number == field)?;
            // The number of the user agent is only found if the referrer is in its place; see `order`.
            let part = if choice.is_found && part == Part::UserAgent { Part::Referrer } else { part };
            NAMED.iter().find(|(_, named)| *named == part).map(|(name, _)| *name)
        });
        schema.rules = line_rules(ByteSet::EMPTY, Syntax::Reference);
        Ok(Access { shape, wanted, client_first: choice.client_first, schema })
    }
}

/// Returns the range of a word or quoted string, and true if it is in quotes, brackets or braces. `number` counts the
/// words and strings after the blank at `at`, starting with 0.
fn further(line: &[u8], at: usize, number: usize) -> Option<(Range<usize>, bool)> {
    let mut at = at;
    for _ in 0..number {
        at = Token::at(line, at + 1, Quotes::Backslash)?.end;
    }
    let token = Token::at(line, at + 1, Quotes::Backslash)?;
    Some((token.value, token.around != Around::Nothing))
}

/// Returns a choice for the format `name` if its first records have another order of fields than usual.
pub fn order(name: &str, sample: &Sample) -> Option<Choice> {
    if IS_MODULE {
        return None;
    }
    let has_host = name == S_APACHE_VHOST.name;
    let lines = sample.lines.iter().copied().filter(|_| has_host);
    let client_first = client_first(lines, &S_APACHE_VHOST);
    let referrer = referrer_after(name, sample);
    let is_unusual = client_first.is_some() || referrer.is_some();
    let fields = referrer.map_or_else(Vec::new, |number| vec!["target".to_string(), number]);
    let is_found = !fields.is_empty();
    is_unusual.then(|| Choice { fields, client_first, is_found, ..Choice::default() })
}

/// In some logs, a string such as the host or a duration precedes the referrer. If the first records of the format `name` have this
/// form, returns the number of the referrer. In nine of ten of them, the first string is no URL, and the second is a URL or missing.
fn referrer_after(name: &str, sample: &Sample) -> Option<String> {
    let shape = [&S_COMBINED, &S_APACHE_VHOST].into_iter().find(|shape| shape.name == name)?;
    let (mut hits, mut all, mut is_sure) = (0, 0, false);
    for line in &sample.lines {
        let mut record = Record::default();
        let is_record = record.read(line, shape).is_some();
        let (Some(first), Some(second), true) = (record.referrer, record.user_agent, is_record) else { continue };
        let (first, second) = (&line[first], &line[second]);
        let has_agent = || further(line, record.rest, 0).is_some_and(|(range, _)| is_product(&line[range]));
        all += 1;
        hits += usize::from(!is_absent(first) && !is_url(first) && (is_absent(second) || is_absolute(second)));
        is_sure |= is_absolute(second) || has_agent();
    }
    (is_sure && hits > 0 && 10 * hits >= 9 * all).then(|| (NUMBERED.len() - usize::from(!shape.has_host)).to_string())
}

impl Format for Access {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::quoted(b"")
    }

    fn bounds(&self) -> Bounds {
        Bounds::Quote
    }

    fn has_log_escapes(&self) -> bool {
        true
    }

    fn fields(&self, line: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut record = Record { client_first: self.client_first, ..Record::default() };
        if record.read(line, self.shape).is_none() {
            return Kind::Unrecognized;
        }
        for &(part, choice) in &self.wanted {
            let in_quotes = |range: &Range<usize>| line[..range.start].ends_with(b"\"");
            let (range, rule) = match part {
                Part::Target => match &record.target {
                    Some(target) => target_field(target.clone(), 0, REQUEST),
                    None => continue,
                },
                Part::Request => (record.request.clone(), REQUEST_WITH_SPACES),
                Part::Referrer | Part::UserAgent => {
                    let value = if part == Part::Referrer { &record.referrer } else { &record.user_agent };
                    match value {
                        Some(range) => (range.clone(), if in_quotes(range) { QUOTED } else { BARE }),
                        None => continue,
                    }
                }
                Part::Further(number) => match further(line, record.rest, number) {
                    Some((range, in_quotes)) => (range, if in_quotes { QUOTED } else { BARE }),
                    None => continue,
                },
                _ => {
                    let range = match part {
                        Part::Size => record.size(line).unwrap_or_default(),
                        Part::Host => record.host.clone(),
                        Part::Client => record.client.clone(),
                        Part::Identity => record.identity.clone(),
                        Part::User => record.user.clone(),
                        Part::Time => record.time.clone(),
                        _ => record.status.clone(),
                    };
                    // An empty range means that the record lacks this part, for example the identity, the user or the size.
                    if range == (0..0) {
                        continue;
                    }
                    let rule = if in_quotes(&range) { QUOTED } else { BARE };
                    (range, rule)
                }
            };
            fields.push(Field { choice, range, rule, object: None });
        }
        if record.client.start < record.host.start {
            sort_fields(fields);
        }
        without_overlaps(fields);
        Kind::Data
    }
}
