//! Records inside of records: what containers, journals and syslog put around the lines of a log.

use std::sync::Arc;

use memchr::{memchr, memmem};

use super::json::{Json, unescaped};
use super::sniff::{self, Sample};
use super::{CONTROLS, ExtraField, Field, Format, Kind, Layout, Plan, Rule, Syntax, Wrap};

/// A format whose records hold records of another one.
pub struct Envelope {
    /// Returns its name.
    pub name: &'static str,
    /// Its description, in a line.
    pub help: &'static str,
    /// Whether an input has it, by its first lines.
    pub sniff: fn(&Sample) -> bool,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    /// The length of what stands before the record, which reaches to the end of the line.
    Prefix(fn(&[u8]) -> Option<usize>),
    /// The member of an object of JSON that holds the record.
    Member(&'static str),
}

/// All envelopes: `NAME` or `NAME:FORMAT` on the command line.
pub const ENVELOPES: &[Envelope] = &[
    Envelope {
        name: "cri",
        help: "lines of containers as Kubernetes keeps them: a time, a stream, a tag, and the record",
        sniff: |sample| sample.most(|line| cri(line).is_some()),
        form: Form::Prefix(cri),
    },
    Envelope {
        name: "docker",
        help: "lines of containers as Docker keeps them: objects of JSON with the record in `log`",
        sniff: |sample| {
            let has = |line: &[u8], member: &str| memmem::find(line, member.as_bytes()).is_some();
            sample.most(|line| sniff::is_object(line) && has(line, "\"log\"") && has(line, "\"stream\""))
        },
        form: Form::Member("/log"),
    },
    Envelope {
        name: "journald",
        help: "`journalctl -o json`: objects with the record in `MESSAGE`",
        sniff: |sample| {
            let has = |line: &[u8], member: &str| memmem::find(line, member.as_bytes()).is_some();
            sample.most(|line| sniff::is_object(line) && has(line, "\"MESSAGE\"") && has(line, "\"__"))
        },
        form: Form::Member("/MESSAGE"),
    },
    Envelope {
        name: "cdxj",
        help: "CDXJ: a key, which stays, a time, and an object of JSON",
        sniff: |sample| sample.most(|line| cdxj(line).is_some_and(|start| sniff::is_object(&line[start..]))),
        form: Form::Prefix(cdxj),
    },
    Envelope {
        name: "syslog",
        help: "syslog, with its header in front of the record",
        sniff: |sample| sample.most(|line| syslog(line).is_some()),
        form: Form::Prefix(syslog),
    },
];

/// `2016-10-06T00:17:09.669794202Z stdout F `
fn cri(line: &[u8]) -> Option<usize> {
    let mut words = line.splitn(4, |&byte| byte == b' ');
    let (time, stream, tag) = (words.next()?, words.next()?, words.next()?);
    let is_it = sniff::is_time(time) && matches!(stream, b"stdout" | b"stderr") && matches!(tag, b"F" | b"P");
    is_it.then_some(time.len() + stream.len() + tag.len() + 3).filter(|&len| len <= line.len())
}

/// `com,example)/ 20230101120000 `
fn cdxj(line: &[u8]) -> Option<usize> {
    let key = memchr(b' ', line)?;
    let time = line.get(key + 1..key + 15)?;
    let is_it =
        time.iter().all(u8::is_ascii_digit) && line.get(key + 15) == Some(&b' ') && line.get(key + 16) == Some(&b'{');
    is_it.then_some(key + 16)
}

/// `<34>Oct 11 22:14:15 host app[1]: `, the priority being left out in files; or `<34>1 2003-10-11T22:14:15.003Z host app 1
/// ID47 - ` (RFC 3164 4.1, RFC 5424 6).
fn syslog(line: &[u8]) -> Option<usize> {
    let priority = match line.strip_prefix(b"<") {
        Some(rest) => {
            let len = memchr(b'>', &rest[..rest.len().min(4)])?;
            rest[..len].iter().all(u8::is_ascii_digit).then_some(len + 2)?
        }
        None => 0,
    };
    let rest = &line[priority..];
    if priority > 0 && rest.starts_with(b"1 ") {
        // Time, host, application, process, message; then data, of which only none is known.
        let mut at = priority + 2;
        for _ in 0..5 {
            at += memchr(b' ', &line[at..])? + 1;
        }
        return line[at..].starts_with(b"- ").then_some(at + 2);
    }
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let is_month = rest.len() > 16 && MONTHS.chunks(3).any(|month| rest.starts_with(month));
    if !is_month || rest[3] != b' ' || rest[9] != b':' || rest[12] != b':' || rest[15] != b' ' {
        return None;
    }
    let host = 16 + memchr(b' ', &rest[16..])? + 1;
    // The name of the program has no space in it, and ends with a colon.
    let tag = memmem::find(&rest[host..], b": ").filter(|&len| memchr(b' ', &rest[host..host + len]).is_none())?;
    Some(priority + host + tag + 2)
}

impl Envelope {
    /// Returns the contents of the first records.
    pub fn contents(&self, sample: &Sample) -> Vec<Vec<u8>> {
        let content = |line: &&[u8]| match self.form {
            Form::Prefix(prefix) => Some(line[prefix(line)?..].to_vec()),
            Form::Member(member) => {
                let json = Json::strings(&[member]).ok()?;
                let mut fields = Vec::new();
                json.fields(line, &mut Layout::default(), &mut fields);
                let value = unescaped(&line[fields.first()?.range.clone()])?.into_owned();
                Some(value.strip_suffix(b"\n").map_or(value.clone(), <[u8]>::to_vec))
            }
        };
        sample.lines.iter().filter_map(content).collect()
    }

    /// Returns the format of these around records of `inner`.
    ///
    /// # Errors
    ///
    /// A message, where `inner` has a header, which records inside of others do not have.
    pub fn around(&self, inner: Box<dyn Format>) -> Result<Box<dyn Format>, String> {
        if inner.has_header() {
            return Err(format!(
                "records inside of {} have no header, so theirs cannot be a format with columns",
                self.name
            ));
        }
        Ok(match self.form {
            Form::Prefix(prefix) => Box::new(Prefixed { prefix, inner }),
            Form::Member(member) => Box::new(Held {
                json: Json::strings(&[member])?,
                plan: Plan::of_one(&member[1..], Rule { keep: CONTROLS, wrap: Wrap::Json, syntax: Syntax::Reference }),
                inner: inner.into(),
            }),
        })
    }
}

/// Records behind a prefix.
struct Prefixed {
    prefix: fn(&[u8]) -> Option<usize>,
    inner: Box<dyn Format>,
}

impl Format for Prefixed {
    fn plan(&self) -> &Plan {
        self.inner.plan()
    }

    fn extra_field(&self) -> ExtraField {
        self.inner.extra_field()
    }

    fn mark(&self) -> Option<u8> {
        self.inner.mark()
    }

    fn has_log_escapes(&self) -> bool {
        self.inner.has_log_escapes()
    }

    fn layers(&self) -> usize {
        self.inner.layers()
    }

    fn is_delimited(&self) -> bool {
        self.inner.is_delimited()
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(start) = (self.prefix)(record) else { return Kind::Unrecognized };
        let kind = self.inner.fields(&record[start..], layout, fields);
        for field in fields {
            field.range = field.range.start + start..field.range.end + start;
            field.object = field.object.map(|object| object + start);
        }
        kind
    }
}

/// Records in a string of an object of JSON.
struct Held {
    json: Json,
    plan: Plan,
    inner: Arc<dyn Format>,
}

impl Format for Held {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Member
    }

    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn has_log_escapes(&self) -> bool {
        self.inner.has_log_escapes()
    }

    fn is_delimited(&self) -> bool {
        self.inner.is_delimited()
    }

    fn inner(&self) -> Option<Arc<dyn Format>> {
        Some(Arc::clone(&self.inner))
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        self.json.fields(record, layout, fields)
    }
}
