//! Formats that a user has written down, in a file of TOML: `formats.toml` in the folder `pct` of the user's configuration, or what
//! `--formats` names.
//!
//! ```toml
//! [[format]]
//! name = "edge"
//! help = "our edge servers"
//! nginx = '$remote_addr [$time_local] "$request" $status "$http_referer" $args_seen'
//! urls = ["request", "http_referer"]  # if not given, variables that are known to hold URLs
//! queries = ["args_seen"]             # those of them that hold a query without its `?`
//! keep = "#{}"                        # what stays escaped besides
//!
//! [[format]]
//! name = "app"
//! json = ["/req/url", "/req/headers/Referer/*"]
//! recognize = ['"svc":"app"']         # what a line has in it; if not given, a line that fits is enough
//! ```

use std::env;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use memchr::memmem;
use percent_simd::ByteSet;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::json::{Json, Shape};
use super::pattern::Pattern;
use super::sniff::Sample;
use super::{Choice, FORMATS, Format, Kind, nested};

/// A format of a user's.
pub struct UserFormat {
    pub name: String,
    pub help: String,
    source: Source,
    /// Fields with URLs, and those of them that are queries.
    urls: Vec<String>,
    queries: Vec<String>,
    keep: ByteSet,
    recognize: Vec<String>,
}

enum Source {
    Nginx(String),
    Apache(String),
    Json(&'static Shape),
}

impl UserFormat {
    /// The format, with the fields of `choice`.
    pub fn build(&self, choice: &Choice) -> Result<Box<dyn Format>, String> {
        let mut choice = choice.clone();
        if choice.fields.is_empty() {
            choice.fields.clone_from(&self.urls);
        }
        Ok(match &self.source {
            Source::Nginx(pattern) => Box::new(Pattern::nginx(pattern, &choice)?.adapted(&self.queries, self.keep)),
            Source::Apache(pattern) => Box::new(Pattern::apache(pattern, &choice)?.adapted(&self.queries, self.keep)),
            Source::Json(shape) => Box::new(Json::new(shape, &choice)?.keeping(self.keep)),
        })
    }

    /// Whether an input is in this format.
    pub fn sniff(&self, sample: &Sample) -> bool {
        if !self.recognize.is_empty() {
            return sample.most(|line| self.recognize.iter().all(|text| memmem::find(line, text.as_bytes()).is_some()));
        }
        let Ok(format) = self.build(&Choice::default()) else { return false };
        sample.most(|line| {
            let mut fields = Vec::new();
            format.fields(line, &mut format.layout(), &mut fields) == Kind::Data && !fields.is_empty()
        })
    }

    /// The fields that are worked on if none is named.
    pub fn fields(&self) -> String {
        if self.urls.is_empty() { "variables with URLs".into() } else { self.urls.join(", ") }
    }
}

/// The formats of the user, of whom the file is read once; or what is wrong in it, and where.
pub fn all() -> Result<&'static [UserFormat], &'static str> {
    static ALL: OnceLock<Result<Vec<UserFormat>, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| match path() {
        None => Ok(Vec::new()),
        Some((path, is_named)) => match fs::read_to_string(&path) {
            Ok(text) => parse(&text).map_err(|(at, what)| {
                let line = 1 + text[..at.min(text.len())].matches('\n').count();
                format!("{}:{line}: {what}", path.display())
            }),
            Err(error) if !is_named && error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        },
    });
    all.as_deref().map_err(String::as_str)
}

/// The file of formats, and whether it was named. The command line is read for it before it is parsed, because `--format` may
/// stand in front of `--formats`, and needs what it names.
fn path() -> Option<(PathBuf, bool)> {
    let mut args = env::args_os().take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        if arg == "--formats" {
            return Some((args.next()?.into(), true));
        }
        if let Some(path) = arg.to_str().and_then(|arg| arg.strip_prefix("--formats=")) {
            return Some((path.into(), true));
        }
    }
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some((config.join("pct").join("formats.toml"), false))
}

/// An error, with the offset of its byte.
type Wrong = (usize, String);

/// The keys of a format.
const KEYS: [&str; 9] = ["name", "help", "nginx", "apache", "json", "urls", "queries", "keep", "recognize"];

fn parse(text: &str) -> Result<Vec<UserFormat>, Wrong> {
    let file = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, format!("this is not TOML: {}; a format starts with [[format]]", error.message()))
    })?;
    let mut formats: Vec<UserFormat> = Vec::new();
    for (key, value) in file.get_ref() {
        let at = key.span().start;
        let DeValue::Array(tables) = value.get_ref() else {
            return Err((at, format!("`{}` is not known here; a format starts with [[format]]", key.get_ref())));
        };
        if key.get_ref() != "format" {
            return Err((at, format!("`{}` is not known here; a format starts with [[format]]", key.get_ref())));
        }
        for table in tables {
            let DeValue::Table(table_of) = table.get_ref() else {
                return Err((table.span().start, "a format is a table; start it with [[format]]".into()));
            };
            let format = format(table_of, table.span())?;
            if formats.iter().any(|other| other.name == format.name) {
                let name = &format.name;
                return Err((
                    table.span().start,
                    format!("there are two formats `{name}`; give this one another name"),
                ));
            }
            formats.push(format);
        }
    }
    Ok(formats)
}

fn format(table: &DeTable, span: Range<usize>) -> Result<UserFormat, Wrong> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(&&**key.get_ref())) {
        let keys = KEYS.join(", ");
        return Err((key.span().start, format!("`{}` is not known; a format has {keys}", key.get_ref())));
    }
    let name = string(table, "name")?.ok_or((span.start, "this format has no name; add name = \"...\"".to_string()))?;
    let at_name = place(table, "name", &span);
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
    {
        return Err((at_name, format!("`{name}` is no name; use a to z, 0 to 9, - and _")));
    }
    let is_taken = FORMATS.iter().any(|row| row.name == name)
        || nested::ENVELOPES.iter().any(|envelope| envelope.name == name)
        || ["auto", "nginx", "apache", "varnish", "traefik-clf"].contains(&&*name);
    if is_taken {
        return Err((at_name, format!("pct has a format `{name}` already; choose another name")));
    }
    let (mut urls, queries) = (strings(table, "urls")?, strings(table, "queries")?);
    let sources = (string(table, "nginx")?, string(table, "apache")?, table.contains_key("json"));
    let (source, key) = match sources {
        (Some(pattern), None, false) => (Source::Nginx(pattern), "nginx"),
        (None, Some(pattern), false) => (Source::Apache(pattern), "apache"),
        (None, None, true) => {
            let pointers = strings(table, "json")?;
            urls.clone_from(&pointers);
            urls.extend(queries.iter().filter(|query| !pointers.contains(query)).cloned());
            // It is there for as long as the process is.
            let leak = |names: Vec<String>| -> &'static [&'static str] {
                Vec::leak(names.into_iter().map(|name| &*String::leak(name)).collect())
            };
            let shape = Shape::new(String::leak(name.clone()), leak(pointers), leak(queries.clone()));
            (Source::Json(Box::leak(Box::new(shape))), "json")
        }
        _ => {
            return Err((
                span.start,
                format!("format `{name}` needs one of nginx = '...', apache = '...' and json = [...], and one only"),
            ));
        }
    };
    let format = UserFormat {
        help: string(table, "help")?.unwrap_or_else(|| "yours".into()),
        keep: ByteSet::of(string(table, "keep")?.unwrap_or_default().as_bytes()),
        recognize: strings(table, "recognize")?,
        name,
        source,
        urls,
        queries,
    };
    match format.build(&Choice::default()) {
        Ok(_) => Ok(format),
        Err(message) => Err((place(table, key, &span), message.trim_start_matches("pct: ").to_string())),
    }
}

/// Returns the offset of the value of `key`, or else of the table.
fn place(table: &DeTable, key: &str, span: &Range<usize>) -> usize {
    table.get(key).map_or(span.start, |value| value.span().start)
}

fn string(table: &DeTable, key: &str) -> Result<Option<String>, Wrong> {
    table.get(key).map(|value| one(value, key)).transpose()
}

fn one(value: &Spanned<DeValue>, key: &str) -> Result<String, Wrong> {
    match value.get_ref() {
        DeValue::String(text) => Ok(text.to_string()),
        _ => Err((value.span().start, format!("`{key}` holds text; put it in quotes"))),
    }
}

fn strings(table: &DeTable, key: &str) -> Result<Vec<String>, Wrong> {
    let Some(value) = table.get(key) else { return Ok(Vec::new()) };
    match value.get_ref() {
        DeValue::Array(all) if !all.is_empty() => all.iter().map(|value| one(value, key)).collect(),
        _ => Err((value.span().start, format!("`{key}` is a list of names; write [\"...\"]"))),
    }
}
