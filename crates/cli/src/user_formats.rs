//! Formats that a user defines in a TOML file: `pct/formats.toml` in the user's configuration folder, or the file that `--formats`
//! names.
//!
//! ```toml
//! [[format]]
//! name = "edge"
//! help = "our edge servers"
//! nginx = '$remote_addr [$time_local] "$request" $status "$http_referer" $args_seen'
//! urls = ["request", "http_referer"]  # optional; the default is the variables known to hold URLs
//! queries = ["args_seen"]             # optional: the variables that hold a query without its `?`
//! targets = ["seen"]                  # optional: the variables that hold the target of a request, as `$request_uri` does
//! keep = "#{}"                        # optional: further characters that stay escaped
//!
//! [[format]]
//! name = "app"
//! json = ["/req/url", "/req/headers/Referer/*"]
//! recognize = ['"svc":"app"']         # optional: texts that occur together in at least half of the first lines
//!                                     # by default, at least half of the first lines must fit the format
//! ```

pub mod attacks;
mod includes;

use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use self::includes::Configuration;
use percent_simd::ByteSet;
use percent_simd_records::formats::{
    Choice, Guess, Name, Source, UserFormat, configured, list as list_formats, log_or_table as log_or_table_format,
    mistaken as mistaken_format, resolve, suggest,
};
use regex::bytes::RegexSet;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::message::complain;

/// The contents of the user's file.
#[derive(Debug, Default)]
struct File {
    formats: Vec<Arc<UserFormat>>,
    attacks: Vec<attacks::Kind>,
    /// The patterns of `attacks`.
    patterns: RegexSet,
}

/// Returns the formats of the user, or the first error in the file that defines them.
fn formats() -> Result<&'static [Arc<UserFormat>], &'static str> {
    all().map(|file| &*file.formats)
}

/// Returns the first error in the user's file.
pub fn check() -> Result<(), &'static str> {
    all().map(|_| ())
}

/// Returns the contents of the user's file. We read this file only once.
fn all() -> Result<&'static File, &'static str> {
    static ALL: OnceLock<Result<File, String>> = OnceLock::new();
    let all = ALL.get_or_init(|| match path() {
        None => Ok(File::default()),
        Some((path, is_named)) => match fs::read_to_string(path) {
            Ok(text) => parse(&text).map_err(|(at, what)| {
                let line = 1 + text[..at.min(text.len())].matches('\n').count();
                format!("{}:{line}: {what}", path.display())
            }),
            Err(error) if !*is_named && error.kind() == std::io::ErrorKind::NotFound => Ok(File::default()),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        },
    });
    all.as_ref().map_err(String::as_str)
}

/// Returns the format called `text`, which may be a format of the user.
///
/// `text` may also be `nginx:@PATH` or `apache:@PATH`, with the path of a server's configuration. The name of a format
/// in this configuration may follow: `nginx:@PATH:NAME`.
pub fn parse_name(text: &str) -> Result<Name, String> {
    for (server, name) in [("nginx", Name::Nginx as fn(String) -> Name), ("apache", Name::Apache)] {
        let path = text.strip_prefix(server).and_then(|rest| rest.strip_prefix(":@"));
        if let Some(path) = path {
            return from_configuration(path, server == "nginx").map(name);
        }
    }
    // We report an error in the user's formats only if `text` could name one of these formats.
    let name = Name::parse(text, formats().unwrap_or_default());
    match (&name, check()) {
        (Err(_) | Ok(Name::Auto { .. }), Err(message)) => Err(message.into()),
        _ => name,
    }
}

/// Returns the format of the configuration at `path`. The name of the format may follow the path, after a colon.
fn from_configuration(path: &str, is_nginx: bool) -> Result<String, String> {
    let (path, name) = match path.rsplit_once(':') {
        Some((file, name)) if !Path::new(path).exists() => (file, Some(name)),
        _ => (path, None),
    };
    let Configuration { text, files, missing } = Configuration::read(Path::new(path), is_nginx)?;
    CONFIGURATIONS.lock().unwrap_or_else(PoisonError::into_inner).extend(files);
    let format = configured(&text, is_nginx, name).map_err(|message| format!("{path} {message}"));
    match (missing, name) {
        (Some(message), _) if format.is_err() => Err(message),
        // A copied configuration often lacks files without formats, such as `mime.types`. So the only format that we found is the
        // right one, unless a missing file has another.
        (Some(message), None) => {
            complain(&format!("pct: {message}; if its format is in another file, name it: @{path}:NAME"));
            format
        }
        _ => format,
    }
}

/// Returns the format of an input that starts with `head`, or a message; see [`resolve`].
pub fn recognize(name: &Name, head: &[u8]) -> Result<Guess, String> {
    resolve(name, head, formats().unwrap_or_default())
}

/// If the format of an input that starts with `head` is certain, returns this format.
pub fn better(head: &[u8]) -> Option<Name> {
    suggest(head, formats().unwrap_or_default())
}

/// If an input that starts with `head` is a log or a table and not a list of URLs, returns its format.
pub fn log_or_table(head: &[u8]) -> Option<Name> {
    log_or_table_format(head, formats().unwrap_or_default())
}

/// If an input that starts with `head` isn't in the format `name` but in another format, returns the other format.
pub fn mistaken(name: &Name, head: &[u8]) -> Option<Name> {
    mistaken_format(name, head, formats().unwrap_or_default())
}

/// The configurations of servers that were read for a format.
static CONFIGURATIONS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Returns the files that define formats: the user's formats, which need not exist, and configurations of servers.
pub fn files() -> Vec<PathBuf> {
    let mut files = CONFIGURATIONS.lock().unwrap_or_else(PoisonError::into_inner).clone();
    files.extend(path().map(|(path, _)| path.clone()));
    files
}

/// Returns a line for each format, or the error in the formats of the user.
pub fn list() -> Result<String, &'static str> {
    formats().map(list_formats)
}

/// Returns the path of the file with the user's formats, and true if the user named it with `--formats`. We read `--formats` before
/// the command line is parsed, because the parser of `--format` needs the formats.
fn path() -> Option<&'static (PathBuf, bool)> {
    static PATH: OnceLock<Option<(PathBuf, bool)>> = OnceLock::new();
    PATH.get_or_init(find).as_ref()
}

fn find() -> Option<(PathBuf, bool)> {
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

/// The byte offset of an error, and its message.
type Wrong = (usize, String);

/// The keys that a format can have.
const KEYS: [&str; 10] = ["name", "help", "nginx", "apache", "json", "urls", "targets", "queries", "keep", "recognize"];

/// The end of messages about a wrong key.
const STARTS: &str = "a format starts with [[format]], and a kind of attack with [[attack]]";

fn parse(text: &str) -> Result<File, Wrong> {
    let file = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        (at, format!("this is not TOML: {}; {STARTS}", error.message()))
    })?;
    let File { mut formats, mut attacks, mut patterns } = File::default();
    for (key, value) in file.get_ref() {
        let at = key.span().start;
        let DeValue::Array(tables) = value.get_ref() else {
            return Err((at, format!("unknown key `{}`; {STARTS}", key.get_ref())));
        };
        if key.get_ref() == "attack" {
            for table in tables {
                let DeValue::Table(table_of) = table.get_ref() else {
                    return Err((table.span().start, "a kind of attack is a table; start it with [[attack]]".into()));
                };
                attacks.push(attacks::parse(table_of, table.span(), &attacks)?);
            }
            patterns = attacks::patterns(&attacks).map_err(|what| (at, what))?;
            continue;
        }
        if key.get_ref() != "format" {
            return Err((at, format!("unknown key `{}`; {STARTS}", key.get_ref())));
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
            formats.push(format.into());
        }
    }
    Ok(File { formats, attacks, patterns })
}

fn format(table: &DeTable, span: Range<usize>) -> Result<UserFormat, Wrong> {
    if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(&&**key.get_ref())) {
        let keys = KEYS.join(", ");
        return Err((key.span().start, format!("unknown key `{}`; a format has {keys}", key.get_ref())));
    }
    let name = string(table, "name")?.ok_or((span.start, "this format has no name; add name = \"...\"".to_string()))?;
    let at_name = place(table, "name", &span);
    Name::check_new(&name).map_err(|what| (at_name, what))?;
    let [mut urls, targets, queries] =
        [strings(table, "urls")?, strings(table, "targets")?, strings(table, "queries")?];
    let sources = (string(table, "nginx")?, string(table, "apache")?, table.contains_key("json"));
    let (source, key) = match sources {
        (Some(pattern), None, false) => (Source::Nginx(pattern), "nginx"),
        (None, Some(pattern), false) => (Source::Apache(pattern), "apache"),
        (None, None, true) => {
            let pointers = strings(table, "json")?;
            urls.clone_from(&pointers);
            urls.extend(targets.iter().chain(&queries).filter(|name| !pointers.contains(name)).cloned());
            (Source::Json, "json")
        }
        _ => {
            return Err((
                span.start,
                format!("format `{name}` needs exactly one of nginx = '...', apache = '...' and json = [...]"),
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
        targets,
        queries,
    };
    match format.build(&Choice::default()) {
        Ok(_) => Ok(format),
        Err(message) => Err((place(table, key, &span), message)),
    }
}

/// Returns the offset of the value of `key`. If the table lacks the key, returns the offset of the table.
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
