//! Envelopes: formats whose records contain records of another format. For example, containers, journals and syslog add
//! a prefix to the lines of a log.

mod color;
mod logger;

use std::sync::Arc;

use memchr::{memchr, memmem};

use super::format::{Bounds, ExtraField, Field, Format, IS_MODULE, Kind, Layout, Parts, Schema, forward, shown};
use super::inside::Inside;
use super::json::Json;
use super::shape::{Sample, compose, has_all, is_clock, is_digits, is_in_name, is_object, without_mark};
use super::wrap::Wrap;

/// An envelope: a format whose records contain records of another format.
pub struct Envelope {
    /// The name.
    pub name: &'static str,
    /// A one-line description.
    pub help: &'static str,
    /// Returns true if the first lines of an input look like this envelope.
    pub sniff: fn(&Sample) -> bool,
    /// If true, records of other formats may start like this envelope, so `auto` tries all other formats first.
    pub is_vague: bool,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// The line consists of a prefix and the record. The function returns the length of the prefix.
    Prefix(fn(&[u8]) -> Option<usize>),
    /// The line is a JSON object, and the member with this name contains the record.
    Member(&'static str),
    /// The line is the record, with colors.
    Colors,
}

macro_rules! prefix {
    ($name:literal, $prefix:ident, $help:literal) => {
        Envelope {
            name: $name,
            help: shown($help),
            sniff: |sample| sample.most(|line| $prefix(line).is_some()),
            is_vague: false,
            form: Form::Prefix($prefix),
        }
    };
}

macro_rules! member {
    ($name:literal, $pointer:literal, $members:expr, $help:literal) => {
        Envelope {
            name: $name,
            help: shown($help),
            sniff: |sample| sample.most(|line| is_object(line) && has_all(line, &$members)),
            is_vague: false,
            form: Form::Member($pointer),
        }
    };
}

/// All envelopes. On the command line, a user writes `NAME` or `NAME:FORMAT`. FORMAT may be another envelope.
pub const ENVELOPES: &[Envelope] = &[
    prefix!("cri", cri, "container logs of Kubernetes: a time, a stream, a tag, and the record"),
    prefix!("kubectl", kubectl, "`kubectl logs --prefix`: the pod and the container in brackets, and the record"),
    member!(
        "docker",
        "/log",
        ["\"log\"", "\"stream\""],
        "container logs of Docker: JSON objects with the record in `log`"
    ),
    member!(
        "journald",
        "/MESSAGE",
        ["\"MESSAGE\"", "\"__"],
        "`journalctl -o json`: objects with the record in `MESSAGE`"
    ),
    prefix!("compose", compose, "`docker compose logs`: a service, a vertical bar, and the record"),
    prefix!("syslog", syslog, "a header of syslog before the record: RFC 3164, RFC 5424, or with a time of RFC 3339"),
    Envelope {
        name: "ansi",
        help: shown("colors and other sequences of a terminal (ANSI) in any place of the record; they stay"),
        sniff: |sample| sample.lines.iter().any(|line| color::without(line).is_some()),
        is_vague: true,
        form: Form::Colors,
    },
    Envelope {
        // If a level follows the time, the time is only the start of a prefix that a logging library writes. The
        // envelope `logger` removes the whole prefix.
        sniff: |sample| sample.most(|line| stamp(line).is_some_and(|start| !starts_with_level(&line[start..]))),
        is_vague: true,
        ..prefix!(
            "stamp",
            stamp,
            "a time of RFC 3339 before the record, as of `docker logs -t` and `kubectl logs --timestamps`"
        )
    },
    Envelope {
        sniff: |sample| sample.most(|line| after_text(line) < line.len()),
        is_vague: true,
        ..prefix!(
            "prefix",
            after_any_text,
            "any text before a JSON object, CEF or LEEF, which ends with the line, as of zap, CDXJ and logging libraries"
        )
    },
    Envelope {
        sniff: |sample| sample.lines.iter().any(|line| logger::logger(line) > 0),
        is_vague: true,
        ..prefix!(
            "logger",
            after_logger,
            "times, levels, tags and names of loggers before the record, as of Python, Ruby, Go and Java"
        )
    },
];

/// Returns the length of the prefix of a logging library. A line without a prefix may also be a record, so this
/// function returns 0 for it.
fn after_logger(line: &[u8]) -> Option<usize> {
    Some(logger::logger(line))
}

/// Returns the length of a prefix like `2016-10-06T00:17:09.669794202Z stdout F `, which Kubernetes writes.
fn cri(line: &[u8]) -> Option<usize> {
    let time = stamp(line)?;
    let rest = &line[time..];
    let stream = [&b"stdout "[..], b"stderr "].into_iter().find(|stream| rest.starts_with(stream))?.len();
    // `F` marks a whole line, and `P` a part of a line. More tags may follow after colons.
    let tag = memchr(b' ', &rest[stream..])?;
    let is_tag = matches!(&rest[stream..stream + tag], [b'F' | b'P'] | [b'F' | b'P', b':', ..]);
    is_tag.then_some(time + stream + tag + 1)
}

/// Returns the length of a prefix like `[pod/web-7c5d/nginx] `, which `kubectl` writes.
fn kubectl(line: &[u8]) -> Option<usize> {
    let pod = line.strip_prefix(b"[pod/")?;
    let len = pod.iter().take_while(|&&byte| is_in_name(byte) || byte == b'/').count();
    pod[len..].starts_with(b"] ").then_some(b"[pod/".len() + len + 2)
}

/// Returns the offset of the JSON object, the CEF or the LEEF that ends with the line. If there are two, the
/// second one is text in a value of the first one. If there is none, returns the length of the line.
fn after_text(line: &[u8]) -> usize {
    let ends_object = line.trim_ascii_end().ends_with(b"}");
    let object = ends_object.then(|| memmem::find(line, b"{\"")).flatten().unwrap_or(line.len());
    // The header of CEF and LEEF starts with a version and a bar: `CEF:0|`, `LEEF:2.0|`.
    let is_header = |at: &usize| {
        let version = line[at + 3..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        version > 0 && line.get(at + 3 + version) == Some(&b'|')
    };
    let header = memmem::find_iter(&line[..object], b"EF:").find(is_header);
    let start = header.map(|at| match &line[..at] {
        [.., b'C'] => at - 1,
        [.., b'L', b'E'] => at - 2,
        _ => object,
    });
    start.unwrap_or(object)
}

fn after_any_text(line: &[u8]) -> Option<usize> {
    Some(after_text(line))
}

/// Returns the length of a prefix like `2025-01-22T13:09:20.606136+01:00 `.
fn stamp(line: &[u8]) -> Option<usize> {
    let len = time_len(line)?;
    (line.get(len) == Some(&b' ')).then_some(len + 1)
}

/// Returns the length of a syslog header. The header may start with a priority like `<34>`. Headers in files lack the
/// priority. The header has one of these forms:
///
/// - `Oct 11 22:14:15 host app[1]: ` (RFC 3164 4.1). The host and the program name may be missing;
/// - the same words with a time of RFC 3339, as rsyslog writes by default;
/// - `1 2003-10-11T22:14:15.003Z host app 1 ID47 - ` (RFC 5424 6);
/// - only the priority (RFC 3164 4.3.2), as many firewalls write it.
///
/// Before the priority, the header may also have the length of the message (RFC 6587 3.4.1).
fn syslog(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = if digits > 0 && line[digits..].starts_with(b" <") { digits + 1 } else { 0 };
    if let Some(rest) = line[at..].strip_prefix(b"<") {
        let len = memchr(b'>', &rest[..rest.len().min(4)])?;
        if !is_digits(&rest[..len]) {
            return None;
        }
        at += len + 2;
    }
    if let Some(rest) = line[at..].strip_prefix(b"1 ") {
        return Some(at + 2 + syslog_5424(rest)?);
    }
    let has_priority = line[..at].ends_with(b">");
    // Some devices write a blank after the priority.
    at += usize::from(has_priority && line.get(at) == Some(&b' '));
    let bsd = bsd_time(&line[at..]);
    let Some(time) = bsd.or_else(|| stamp(&line[at..])) else { return has_priority.then_some(at) };
    at += time;
    let start = at;
    // The program name contains no blank and ends with a colon. A host may come before it.
    for _ in 0..2 {
        let Some(len) = memchr(b' ', &line[at..]) else { break };
        let word = &line[at..at + len];
        at += len + 1;
        if is_tag(word) {
            return Some(at);
        }
    }
    // Devices often write a host but no program name. If ` - ` follows the first word, the word is no host, but the
    // client of an access log. A level is no host, either.
    let len = memchr(b' ', &line[start..]).unwrap_or(0);
    let is_host = len > 0 && line[start..start + len].iter().all(|&byte| is_in_name(byte) || byte == b':');
    let has_host = is_host && !line[start + len..].starts_with(b" - ") && !starts_with_level(&line[start..]);
    match has_host {
        true => Some(start + len + 1),
        // A time of RFC 3339 without a priority or a host is no syslog header.
        false => (has_priority || bsd.is_some()).then_some(start),
    }
}

/// Returns the length of `2003-10-11T22:14:15.003Z host app 1 ID47 - ` at the start of `line`. In place of the last
/// dash, there may be data in brackets.
fn syslog_5424(line: &[u8]) -> Option<usize> {
    let mut at = if line.starts_with(b"- ") { 2 } else { stamp(line)? };
    for _ in 0..4 {
        at += memchr(b' ', &line[at..])? + 1;
    }
    match line.get(at) {
        Some(b'-') => at += 1,
        Some(b'[') => {
            while line.get(at) == Some(&b'[') {
                at += data_len(&line[at..])?;
            }
        }
        // Heroku leaves out the data.
        _ => return Some(at),
    }
    let rest = line[at..].strip_prefix(b" ")?;
    Some(at + 1 + rest.len() - without_mark(rest).len())
}

/// Returns the length of the first element of structured data (RFC 5424 6.3): `[id name="value" ...]`. A value may
/// contain `\"`, `\\` and `\]`.
fn data_len(data: &[u8]) -> Option<usize> {
    let mut in_value = false;
    let mut at = 1;
    loop {
        match data.get(at)? {
            b'\\' if in_value => at += 1,
            b'"' => in_value = !in_value,
            b']' if !in_value => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// Returns the length of the RFC 3339 time at the start of `line`. systemd may write the UTC offset without a colon.
fn time_len(line: &[u8]) -> Option<usize> {
    const FORM: &[u8; 19] = b"0000-00-00T00:00:00";
    let fits = |(&byte, &form): (&u8, &u8)| byte == form || form == b'0' && byte.is_ascii_digit();
    let mut at = FORM.len();
    if !line.get(..at)?.iter().zip(FORM).all(fits) {
        return None;
    }
    let digits = |at: usize| line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if line.get(at).is_some_and(|byte| b".,".contains(byte)) {
        at += 1 + digits(at + 1);
    }
    match line.get(at) {
        Some(b'Z') => at += 1,
        Some(b'+' | b'-') => match (digits(at + 1), line.get(at + 3)) {
            (4, _) => at += 5,
            (2, Some(b':')) if digits(at + 4) == 2 => at += 6,
            _ => return None,
        },
        _ => {}
    }
    Some(at)
}

/// Returns the length of `Oct 11 22:14:15 ` at the start of `line`. systemd can add a fraction of a second.
fn bsd_time(line: &[u8]) -> Option<usize> {
    const MONTHS: [&[u8]; 12] =
        [b"Jan ", b"Feb ", b"Mar ", b"Apr ", b"May ", b"Jun ", b"Jul ", b"Aug ", b"Sep ", b"Oct ", b"Nov ", b"Dec "];
    let day = MONTHS.iter().find_map(|month| line.strip_prefix(*month))?;
    // RFC 3164 has a blank before a single digit. Some programs leave it out.
    let len = match day {
        [b' ' | b'0'..=b'3', b'0'..=b'9', b' ', ..] => 3,
        [b'1'..=b'9', b' ', ..] => 2,
        _ => return None,
    };
    let clock = day.get(len..).filter(|clock| is_clock(clock))?;
    let fraction = match clock.get(8) {
        Some(b'.') => 1 + clock[9..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    (clock.get(8 + fraction) == Some(&b' ')).then_some(4 + len + 8 + fraction + 1)
}

/// Returns true if the first word of `text` is a level of a log.
fn starts_with_level(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    logger::is_level(&text[..memchr(b' ', text).unwrap_or(text.len())])
}

/// Returns true for a program name of syslog: `nginx:`, `app[1]:`, `postfix/smtpd[1]:`.
fn is_tag(word: &[u8]) -> bool {
    let Some(word) = word.strip_suffix(b":") else { return false };
    let len = word.iter().take_while(|&&byte| is_in_name(byte) || b"/@()".contains(&byte)).count();
    let process = &word[len..];
    len > 0 && (process.is_empty() || process.starts_with(b"[") && process.ends_with(b"]"))
}

impl Envelope {
    /// Returns true if the envelope is text around or before the record. Colors are no text.
    pub fn has_text(&self) -> bool {
        !matches!(self.form, Form::Colors)
    }

    /// Returns the records inside the first lines of an input.
    pub fn contents(&self, sample: &Sample) -> Vec<Vec<u8>> {
        let content = |line: &&[u8]| match self.form {
            Form::Prefix(prefix) => Some(line[prefix(line)?..].to_vec()),
            Form::Colors => Some(color::without(line).map_or_else(|| line.to_vec(), |plain| plain.text)),
            Form::Member(member) => {
                let json = Json::strings(&[member]).ok()?;
                let mut fields = Vec::new();
                json.fields(line, &mut Layout::default(), &mut fields);
                let value = Wrap::Json.read(&line[fields.first()?.range.clone()])?.into_owned();
                Some(value.strip_suffix(b"\n").map_or(value.clone(), <[u8]>::to_vec))
            }
        };
        sample.lines.iter().filter_map(content).collect()
    }

    /// Returns a format for input in this envelope. The records inside the envelope have the format `inner`.
    ///
    /// # Errors
    ///
    /// Returns a message if `inner` has a header in its first line, because records inside an envelope can't have one. After
    /// a prefix, a line such as `#Fields:` can name the columns.
    pub fn around(&self, inner: Box<dyn Format>) -> Result<Box<dyn Format>, String> {
        let has_directive = !IS_MODULE && inner.mark() == Some(b'#') && matches!(self.form, Form::Prefix(_));
        if inner.has_header() && !has_directive {
            return Err(format!(
                "records inside {} have no header that names these columns{}",
                self.name,
                shown("; in csv and tsv, columns also have numbers, as in -f 1")
            ));
        }
        Ok(match self.form {
            Form::Prefix(prefix) => Box::new(Prefixed { prefix: Some(prefix), inner }),
            Form::Colors => Box::new(Prefixed { prefix: None, inner }),
            Form::Member(member) => Box::new(Inside::new(Box::new(Json::strings(&[member])?), inner)?),
        })
    }
}

/// A format in which each record comes after a prefix, or has colors.
struct Prefixed {
    /// Returns the length of the prefix. If the records have colors instead, this is `None`.
    prefix: Option<fn(&[u8]) -> Option<usize>>,
    inner: Box<dyn Format>,
}

impl Prefixed {
    /// If lines with `#` name the columns of the inner format, calls `each` for these lines and the comments in `text`, without
    /// their prefixes.
    fn directives<'a>(&self, text: &'a [u8], each: &mut dyn FnMut(&'a [u8])) {
        let Some(prefix) = self.prefix.filter(|_| !IS_MODULE && self.inner.has_header()) else { return };
        for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| memchr(b'#', line).is_some()) {
            let record = prefix(line).map_or(&b""[..], |start| &line[start..]);
            if record.starts_with(b"#") {
                each(record);
            }
        }
    }
}

impl Format for Prefixed {
    forward! {
        inner:
        schema -> &Schema, shown_names -> &[String], extra_field -> ExtraField, mark -> Option<u8>, bounds -> Bounds,
        has_log_escapes -> bool, is_delimited -> bool, layers -> usize, layout -> Layout, has_header -> bool,
    }

    fn shown_name(&self, choice: usize) -> &str {
        self.inner.shown_name(choice)
    }

    fn mismatch(&self, head: &[u8], to: Option<&str>, has_cells: bool) -> Option<String> {
        let mut directives = Vec::new();
        self.directives(head, &mut |record| directives.extend_from_slice(record));
        if directives.is_empty() { None } else { self.inner.mismatch(&directives, to, has_cells) }
    }

    fn advance(&self, chunk: &[u8], layout: &mut Layout) {
        self.directives(chunk, &mut |record| self.inner.advance(record, layout));
    }

    fn others(&self, chunk: &[u8], layout: &Layout) -> u64 {
        let mut others = 0;
        self.directives(chunk, &mut |record| others += self.inner.others(record, layout));
        others
    }

    fn inner(&self) -> Option<Arc<dyn Format>> {
        self.inner.inner()
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(prefix) = self.prefix else {
            return color::fields(record, fields, |text, fields| self.inner.fields(text, layout, fields));
        };
        let Some(start) = prefix(record) else { return Kind::Unrecognized };
        let kind = self.inner.fields(&record[start..], layout, fields);
        fields.iter_mut().for_each(|field| field.shift(start));
        kind
    }

    fn parts(&self, record: &[u8], fields: &[Field], joins_only: bool) -> Option<Parts> {
        if IS_MODULE {
            return None;
        }
        let Some(prefix) = self.prefix else {
            return color::parts(record, fields, |text, fields| self.inner.parts(text, fields, joins_only));
        };
        let start = prefix(record)?;
        let moved = |field: &Field| {
            let range = field.range.start.checked_sub(start)?..field.range.end - start;
            Some(Field { range, object: None, ..*field })
        };
        let moved: Vec<Field> = fields.iter().map(moved).collect::<Option<_>>()?;
        let parts = self.inner.parts(&record[start..], &moved, joins_only)?;
        Some(parts.into_iter().map(|part| part.map(|part| part.start + start..part.end + start)).collect())
    }
}
