//! Error logs of nginx and Apache, with a label before each value.
//!
//! Both servers write text of the client between the labels, and nginx escapes no byte of this text. So a value may contain
//! quotes: it ends at a quote only if the next label or the end of the line follows. A request line ends with its version, as in
//! ` HTTP/1.1", `. A line can be read in two ways if it contains a label twice, if its labels are not in their usual order or not
//! outside of the request, or if a request line can have two ends. Then we copy the line unchanged.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memmem, memrchr};
use percent_simd::ByteSet;

use super::format::{
    Choice, Field, Format, IS_MODULE, Kind, Layout, Row, Rule, Schema, Syntax, field_names, row, unknown,
};
use super::role::schema_of;
use super::shape::{IN_QUOTES, IN_SPACES, VERSION, is_digits};
use super::token::{is_ipv6, sort_fields, target, target_field, without_overlaps};
use super::values::is_file;
use super::wrap::Wrap;

/// A value after a label.
struct Label {
    name: &'static str,
    text: &'static str,
    /// The byte that ends the value, and the text after it. If the value ends with the line, this is empty.
    end: &'static str,
    /// If true, the value is a request line, and the field is its target.
    request: bool,
    /// If true, this is a default field, so a record may contain the label only once even if the field isn't chosen.
    usual: bool,
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
    /// The messages that name a target or a path: the name of the field, and the text before and after its value. If there is no
    /// text after the value, it ends with the message.
    messages: &'static [[&'static str; 3]],
    fits: fn(&[u8]) -> bool,
}

const S_NGINX: Shape = Shape {
    name: "nginx-error",
    places: &[("time", |_| Some(0..19))],
    fields: "target, upstream, referrer; client, host, time",
    labels: &[
        // The level `debug` has a line for each part of a request.
        Label { name: "target", text: " http request line: \"", end: "\", ", request: true, usual: true },
        Label { name: "referrer", text: " http header: \"Referer: ", end: "\", ", request: false, usual: true },
        Label { name: "referrer", text: " http2 header: \"referer: ", end: "\", ", request: false, usual: true },
        Label { name: "client", text: ", client: ", end: ",", request: false, usual: false },
        Label { name: "target", text: ", request: \"", end: "\", ", request: true, usual: true },
        Label { name: "upstream", text: ", upstream: \"", end: "\", ", request: false, usual: true },
        Label { name: "host", text: ", host: \"", end: "\", ", request: false, usual: false },
        Label { name: "referrer", text: ", referrer: \"", end: "\", ", request: false, usual: true },
    ],
    messages: &[],
    fits: is_nginx,
};
const S_APACHE: Shape = Shape {
    name: "apache-error",
    places: &[("time", |line| Some(1..memchr(b']', line)?)), ("client", apache_client)],
    fields: "target, referrer; client, host, time; path",
    labels: &[
        Label { name: "target", text: " AH00126: Invalid URI in request ", end: "", request: true, usual: true },
        // ModSecurity writes these two. Apache has already decoded the path.
        Label { name: "host", text: " [hostname \"", end: "\"]", request: false, usual: false },
        Label { name: "path", text: " [uri \"", end: "\"]", request: false, usual: false },
        Label { name: "referrer", text: ", referer: ", end: "", request: false, usual: true },
    ],
    // Apache has already decoded the paths.
    messages: &[
        ["target", " AH00127: Cannot map ", " to file"],
        ["target", " invalid URI path (", ")"],
        ["path", " failure for \"", "\""],
        ["path", " not found: ", ""],
        ["path", " returned by ", ""],
        ["path", " for the URL ", " (scheme "],
        ["path", " access to ", " denied ("],
        ["path", " access to ", " failed ("],
        ["path", " requested uri ", ""],
        ["path", " to uri '", "'"],
    ],
    fits: is_apache,
};

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
///
/// Since version 2.4, Apache writes the module before the level, and a port after each address. An IPv6 address with a port
/// could be another address, so this port doesn't belong to the client.
fn apache_client(line: &[u8]) -> Option<Range<usize>> {
    let (mut at, mark, mut has_module) = (0, b"[client ", false);
    while line.get(at) == Some(&b'[') {
        let end = at + memchr(b']', &line[at..])?;
        if line[at..].starts_with(mark) {
            let start = at + mark.len();
            // The address may be in brackets of its own.
            let end = start + value_len(&line[start..], "] ")?;
            // A port has only digits, so the module rewrites the same bytes without this search.
            let is_port = |colon: &usize| is_ipv6(&line[start..*colon]) && is_digits(&line[colon + 1..end]);
            let colon = memrchr(b':', &line[..end])
                .filter(|colon| !IS_MODULE && has_module && *colon > start && is_port(colon));
            return Some(start..colon.unwrap_or(end));
        }
        has_module |= at > 0 && !line[at..end].contains(&b' ') && line[at..end].contains(&b':');
        at = end + 2;
    }
    None
}

/// Returns true if `text` starts with `next`, or if it is the end of a line.
fn is_after_value(text: &[u8], next: &str) -> bool {
    text.starts_with(next.as_bytes()) || text.trim_ascii_start().is_empty()
}

/// Returns the length of the value at the start of `text`. The value ends at the first byte of `end`, if the rest of `end` or the
/// end of the line follows. If no such place exists, the first of these bytes ends the value.
fn value_len(text: &[u8], end: &str) -> Option<usize> {
    let Some(&byte) = end.as_bytes().first() else { return Some(text.len()) };
    memchr_iter(byte, text).find(|&at| is_after_value(&text[at + 1..], &end[1..])).or_else(|| memchr(byte, text))
}

/// Does the same for a request line. If the request line can have two ends, returns an error.
fn request_len(text: &[u8], end: &str) -> Result<Option<usize>, ()> {
    let versions = memmem::find_iter(text, b" HTTP/");
    if end.is_empty() {
        // No byte marks the end of this request, so it must have exactly one version.
        return if versions.count() == 1 { Ok(Some(text.len())) } else { Err(()) };
    }
    let mut ends = versions.filter_map(|at| {
        let start = at + b" HTTP/".len();
        let len = text[start..].iter().position(|byte| !byte.is_ascii_digit() && *byte != b'.')?;
        let after = text[start + len..].strip_prefix(b"\"")?;
        is_after_value(after, &end[1..]).then_some(start + len)
    });
    match (ends.next(), ends.next()) {
        (Some(_), Some(_)) => Err(()),
        (Some(len), None) => Ok(Some(len)),
        // The client sent no version, or the line is cut off in a request that contains a quote.
        _ => match value_len(text, end) {
            Some(len) if !is_after_value(&text[len + 1..], &end[1..]) => Err(()),
            Some(len) if memmem::find(&text[len..], b" HTTP/").is_some() => Err(()),
            len => Ok(len),
        },
    }
}

const IN_LINE: usize = 0;
/// The rule for a target. The rule after it is for a target with spaces.
const REQUEST: usize = 1;
/// The rule for a value that ends with the line or contains a quote. In this value, spaces stay escaped, because a decoded space
/// would look like a space between words, or like the one in `", `.
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

    /// Adds the target or the path in a message. If the message can be read in two ways, returns false. A client chooses its user name
    /// and its path, so these may have the text of another message. A path of the operating system is the file of a server.
    fn read_message(&self, record: &[u8], fields: &mut Vec<Field>) -> bool {
        let message = &record[..memmem::find(record, b", referer: ").unwrap_or(record.len())];
        let choice = |name: &str| {
            self.chosen.iter().position(|chosen| matches!(chosen, Chosen::Label(label) if label.name == name))
        };
        let all = self.shape.messages.iter();
        let chosen = all.clone().filter_map(|parts| Some((parts, choice(parts[0])?)));
        let mut found = chosen.filter_map(|(parts, choice)| Some((parts, choice, value_in(message, parts)?)));
        let Some((parts, choice, value)) = found.next() else { return true };
        if value.is_doubtful || all.filter(|other| *other != parts).any(|other| value_in(message, other).is_some()) {
            return false;
        }
        let is_path = value.rule == IN_LINE;
        if !is_path || !is_file(&message[value.range.clone()]) {
            fields.push(Field { choice, range: value.range, rule: value.rule, object: None });
        }
        true
    }
}

/// A target or a path in a message.
struct InMessage {
    range: Range<usize>,
    rule: usize,
    /// If true, the value may have another end or start.
    is_doubtful: bool,
}

/// Returns the target or the path between the texts of `parts`, which are an element of [`Shape::messages`].
fn value_in(message: &[u8], &[name, before, after]: &[&str; 3]) -> Option<InMessage> {
    let mut places = memmem::find_iter(message, before);
    let start = places.next()? + before.len();
    let rest = &message[start..];
    let mut ends = memmem::find_iter(rest, after);
    let value = &rest[..if after.is_empty() { rest.len() } else { ends.next()? }];
    let (target, rule) = match target(value).filter(|_| name == "target" && !value.starts_with(b"/")) {
        Some(target) => target_field(target, 0, REQUEST),
        None => (0..value.len(), if name == "target" { REQUEST } else { IN_LINE }),
    };
    let has_end = !after.is_empty() && ends.next().is_some();
    let has_start = places.next().is_some();
    let is_doubtful = has_end || has_start || memmem::find_iter(value, b" HTTP/").count() > 1;
    let range = start + target.start..start + target.end;
    (has_start || value[target].starts_with(b"/")).then_some(InMessage { range, rule, is_doubtful })
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
        if !self.shape.messages.is_empty() && !self.read_message(record, fields) {
            fields.clear();
            return Kind::Unrecognized;
        }
        let mut before = 0;
        for label in self.shape.labels {
            let is_it = |chosen: &Chosen| matches!(chosen, Chosen::Label(chosen) if chosen.name == label.name);
            let chosen = self.chosen.iter().position(is_it);
            if !label.usual && chosen.is_none() {
                continue;
            }
            let mut places = memmem::find_iter(record, label.text);
            let (Some(at), again) = (places.next(), places.next()) else { continue };
            let start = at + label.text.len();
            let rest = &record[start..];
            let len = if label.request { request_len(rest, label.end) } else { Ok(value_len(rest, label.end)) };
            let Some(len) = len.ok().filter(|_| again.is_none() && at >= before) else {
                fields.clear();
                return Kind::Unrecognized;
            };
            before = if label.end.is_empty() { at } else { start + len.unwrap_or_default() };
            let (Some(choice), Some(len)) = (chosen, len) else { continue };
            let (range, rule) = match label.request {
                false if label.end.is_empty() || rest[..len].contains(&b'"') => (start..start + len, UP_TO_END),
                false => (start..start + len, IN_LINE),
                true => {
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
