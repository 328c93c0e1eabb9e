//! Error logs of nginx and Apache, with a label before each value.
//!
//! Both servers write text of the client between the labels, and nginx escapes no byte of this text. So a line can be
//! read in two ways if it contains a label twice, if its labels are not in their usual order, or if ` HTTP/1.1"` occurs
//! after the request. Then we copy the line unchanged.

use std::ops::Range;

use memchr::{memchr, memmem};
use percent_simd::ByteSet;

use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, field_names, row, unknown};
use super::role::schema_of;
use super::shape::{IN_QUOTES, IN_SPACES, VERSION};
use super::token::{sort_fields, target, target_field, without_overlaps};
use super::values::is_file;
use super::wrap::Wrap;

/// A value after a label.
struct Label {
    name: &'static str,
    text: &'static str,
    /// The byte that ends the value. If the value ends with the line or before a referrer, this is `None`.
    end: Option<u8>,
    holds: Holds,
    /// If true, this is a default field, so a record may contain the label only once even if the field isn't chosen.
    usual: bool,
}

/// The text after a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// The text is the value.
    Value,
    /// The text is a request line, and the field is its target.
    Request,
    /// The text is a path in a message. Other messages have the same words before other text, or before the path of a file.
    Path,
}

/// Returns the range of a value in a line, or `None` if the line lacks this value.
type Place = fn(&[u8]) -> Option<Range<usize>>;

struct Shape {
    name: &'static str,
    /// The names of the values at the start of a line, and their ranges.
    places: &'static [(&'static str, Place)],
    /// The fields, as in [`Row::fields`](super::format::Row::fields).
    fields: &'static str,
    /// The labels, in their order in a line.
    labels: &'static [Label],
    /// The labels in messages. They come before the other labels in a line.
    messages: &'static [Label],
    fits: fn(&[u8]) -> bool,
}

const S_NGINX: Shape = Shape {
    name: "nginx-error",
    places: &[("time", |_| Some(0..19))],
    fields: "target, upstream, referrer; client, host, time",
    labels: &[
        Label { name: "client", text: ", client: ", end: Some(b','), holds: Holds::Value, usual: false },
        Label { name: "target", text: ", request: \"", end: Some(b'"'), holds: Holds::Request, usual: true },
        Label { name: "upstream", text: ", upstream: \"", end: Some(b'"'), holds: Holds::Value, usual: true },
        Label { name: "host", text: ", host: \"", end: Some(b'"'), holds: Holds::Value, usual: false },
        Label { name: "referrer", text: ", referrer: \"", end: Some(b'"'), holds: Holds::Value, usual: true },
    ],
    messages: &[],
    fits: is_nginx,
};
const S_APACHE: Shape = Shape {
    name: "apache-error",
    places: &[("time", |line| Some(1..memchr(b']', line)?)), ("client", apache_client)],
    fields: "target, referrer; client, host, time; path",
    labels: &[
        Label {
            name: "target",
            text: " AH00126: Invalid URI in request ",
            end: None,
            holds: Holds::Request,
            usual: true,
        },
        // ModSecurity writes these two. Apache has already decoded the path.
        Label { name: "host", text: " [hostname \"", end: Some(b'"'), holds: Holds::Value, usual: false },
        Label { name: "path", text: " [uri \"", end: Some(b'"'), holds: Holds::Value, usual: false },
        Label { name: "referrer", text: REFERRER, end: None, holds: Holds::Value, usual: true },
    ],
    messages: MESSAGES,
    fits: is_apache,
};
const REFERRER: &str = ", referer: ";
/// The messages of Apache about a target or a path: of the core, mod_auth_basic, mod_authz_core, mod_proxy and mod_rewrite. Apache has
/// already decoded the paths.
const MESSAGES: &[Label] = &[
    Label { name: "target", text: " AH00127: Cannot map ", end: None, holds: Holds::Request, usual: true },
    Label { name: "target", text: " invalid URI path (", end: Some(b')'), holds: Holds::Path, usual: true },
    path_after(" failure for \"", Some(b'"')),
    path_after(" not found: ", None),
    path_after(" returned by ", None),
    path_after(" for the URL ", Some(b' ')),
    path_after(" access to ", Some(b' ')),
    path_after(" requested uri ", None),
    path_after(" to uri '", Some(b'\'')),
];

const fn path_after(text: &'static str, end: Option<u8>) -> Label {
    Label { name: "path", text, end, holds: Holds::Path, usual: false }
}

row!(Labelled, NGINX_ERROR, S_NGINX, "error logs of nginx", |sample| sample.most(is_nginx));
row!(Labelled, APACHE_ERROR, S_APACHE, "error logs of Apache", |sample| sample.most(is_apache));

/// Returns true for a line like
/// `2024/01/02 03:04:05 [error] 12#12: *1 open() "/x" failed (2: No such file or directory), client: ...`
fn is_nginx(line: &[u8]) -> bool {
    const LEVELS: [&[u8]; 8] = [b"debug", b"info", b"notice", b"warn", b"error", b"crit", b"alert", b"emerg"];
    let has_time = line.len() > 22 && line[4] == b'/' && line[7] == b'/' && line[10] == b' ' && line[19..21] == *b" [";
    // Loggers of Go write the same time, but no level in brackets after it.
    has_time && memchr(b']', &line[21..]).is_some_and(|len| LEVELS.contains(&&line[21..21 + len]))
}

/// Returns true for a line like
/// `[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708:tid 4328636416] [client 72.15.99.187:35712] File ...`
///
/// PHP's built-in server writes the same time, then a client: `[::1]:35712`.
fn is_apache(line: &[u8]) -> bool {
    let is_level = |at: usize| {
        let close = memchr(b']', &line[at..]).map(|len| at + len);
        at < 43 && close.is_some_and(|close| line.get(close + 1) == Some(&b' '))
    };
    line.first() == Some(&b'[')
        && line.get(4) == Some(&b' ')
        && memmem::find(line, b"] [").is_some_and(|at| is_level(at + b"] [".len()))
}

/// Returns the range of the client in the brackets before the message. ModSecurity names the client again in its message.
fn apache_client(line: &[u8]) -> Option<Range<usize>> {
    let (mut at, mark) = (0, b"[client ");
    while line.get(at) == Some(&b'[') {
        let end = at + memchr(b']', &line[at..])?;
        if line[at..].starts_with(mark) {
            return Some(at + mark.len()..end);
        }
        at = end + 2;
    }
    None
}

/// Returns true if `text` contains ` HTTP/1.1"`, or the same text with a different version number.
fn has_version(text: &[u8]) -> bool {
    memmem::find_iter(text, b" HTTP/").any(|at| {
        let version = text[at..].iter().skip(b" HTTP/".len()).find(|byte| !byte.is_ascii_digit() && **byte != b'.');
        version == Some(&b'"')
    })
}

const IN_LINE: usize = 0;
/// The rule for a target. The rule after it is for a target with spaces.
const REQUEST: usize = 1;
/// The rule for a value that ends with the line. In this value, spaces stay escaped, because a decoded space would look
/// like a space between words.
const UP_TO_END: usize = 3;

enum Chosen {
    Label(&'static Label),
    Place(Place),
}

pub struct Labelled {
    shape: &'static Shape,
    /// The label or the place of each name in `schema`.
    chosen: Vec<Chosen>,
    schema: Schema,
}

impl Labelled {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Labelled, String> {
        let mut schema = schema_of(shape.fields, choice);
        for name in &mut schema.names {
            *name = name.to_ascii_lowercase().replace("referer", "referrer");
        }
        let find = |name: &String| {
            let label = shape.labels.iter().find(|label| label.name == name).map(Chosen::Label);
            let place = || shape.places.iter().find(|(known, _)| known == name).map(|(_, place)| Chosen::Place(*place));
            label.or_else(place).ok_or_else(|| unknown(name, shape.name, &field_names(shape.fields)))
        };
        let rule = |keep, syntax| Rule { keep, wrap: Wrap::Verbatim, syntax };
        // Every label starts with a comma or contains a quote. If both stay escaped, a value can't imitate a label. This also
        // holds for a value that ends with the line.
        let in_line = IN_QUOTES | ByteSet::of(b",");
        schema.rules = vec![
            rule(in_line, Syntax::Reference),
            rule(IN_SPACES | in_line, Syntax::Target),
            rule(IN_SPACES | in_line | VERSION, Syntax::Target),
            rule(IN_SPACES | in_line, Syntax::Reference),
        ];
        Ok(Labelled { shape, chosen: schema.names.iter().map(find).collect::<Result<_, _>>()?, schema })
    }
}

impl Format for Labelled {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if !(self.shape.fits)(record) {
            return Kind::Unrecognized;
        }
        for (choice, chosen) in self.chosen.iter().enumerate() {
            if let Chosen::Place(place) = chosen
                && let Some(range) = place(record)
            {
                fields.push(Field { choice, range, rule: IN_LINE, object: None });
            }
        }
        let mut before = 0;
        for label in self.shape.messages.iter().chain(self.shape.labels) {
            let is_it = |chosen: &Chosen| matches!(chosen, Chosen::Label(chosen) if chosen.name == label.name);
            let chosen = self.chosen.iter().position(is_it);
            if !label.usual && chosen.is_none() {
                continue;
            }
            let mut places = memmem::find_iter(record, label.text);
            let (Some(at), again) = (places.next(), places.next()) else { continue };
            let start = at + label.text.len();
            let rest = &record[start..];
            let len = match label.end {
                Some(end) => memchr(end, rest),
                None => Some(memmem::find(rest, REFERRER.as_bytes()).unwrap_or(rest.len())),
            };
            let is_path = || rest.starts_with(b"/") && !len.is_some_and(|len| is_file(&rest[..len]));
            if label.holds == Holds::Path && !is_path() {
                continue;
            }
            let is_doubtful = || match (label.holds, label.end) {
                (Holds::Request, Some(_)) => len.is_some_and(|len| has_version(&rest[len + 1..])),
                // No byte marks the end of this request, so it must have exactly one version.
                (Holds::Request, None) => memmem::find_iter(rest, b" HTTP/").count() != 1,
                (Holds::Path, Some(b')')) => {
                    len.is_some_and(|len| rest.len() > len + 1 && !rest[len + 1..].starts_with(REFERRER.as_bytes()))
                }
                // The path may have a blank. After it, at most one word precedes the text in parentheses.
                (Holds::Path, Some(b' ')) => len.is_some_and(|len| {
                    rest[len + 1..].split(|byte| *byte == b' ').take(2).all(|word| !word.starts_with(b"("))
                }),
                _ => false,
            };
            if again.is_some() || at < before || is_doubtful() {
                fields.clear();
                return Kind::Unrecognized;
            }
            before = at;
            let (Some(choice), Some(len)) = (chosen, len) else { continue };
            let (range, rule) = match label.holds {
                Holds::Path if label.usual => (start..start + len, REQUEST),
                Holds::Value | Holds::Path if label.end.is_none() => (start..start + len, UP_TO_END),
                Holds::Value | Holds::Path => (start..start + len, IN_LINE),
                Holds::Request => {
                    let Some(target) = target(&rest[..len]) else { continue };
                    target_field(target, start, REQUEST)
                }
            };
            fields.push(Field { choice, range, rule, object: None });
        }
        sort_fields(fields);
        without_overlaps(fields);
        Kind::Data
    }
}
