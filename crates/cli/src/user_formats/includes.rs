//! Reads the configuration of a server with the files that it includes: `include` of nginx, `Include` and `IncludeOptional` of
//! Apache. Each include is replaced by the text of its files, as the server does it.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

/// The maximum number of files that include each other.
const DEEPEST: usize = 32;

/// A configuration with the text of its included files.
pub struct Configuration {
    pub text: String,
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// A message about the first file that is included and can't be read.
    pub missing: Option<String>,
}

impl Configuration {
    /// Reads the configuration at `path`.
    ///
    /// # Errors
    ///
    /// Returns a message if the file at `path` itself can't be read.
    pub fn read(path: &Path, is_nginx: bool) -> Result<Configuration, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let mut base = folder_of(path);
        if !is_nginx && let Some(root) = lines(&text).find_map(|(_, line)| argument(line, &["ServerRoot"])) {
            base.push(root.0);
        }
        let mut files = Files { is_nginx, base, seen: Vec::new(), read: vec![path.into()], missing: None };
        files.seen.extend(fs::canonicalize(path));
        let text = files.with_includes(&text, path, 0);
        Ok(Configuration { text, files: files.read, missing: files.missing })
    }
}

/// The files of a configuration.
struct Files {
    is_nginx: bool,
    /// The folder of relative paths.
    base: PathBuf,
    /// The files that were read, with their full paths. Each is included only once.
    seen: Vec<PathBuf>,
    read: Vec<PathBuf>,
    missing: Option<String>,
}

impl Files {
    /// Returns `text`, the text of the file `from`, with the texts of its included files.
    fn with_includes(&mut self, text: &str, from: &Path, depth: usize) -> String {
        let includes = if self.is_nginx { nginx_includes(text) } else { apache_includes(text) };
        let (mut whole, mut done) = (String::new(), 0);
        for Include { range, path, may_lack } in includes {
            whole += &text[done..range.start];
            done = range.end;
            for file in self.find(&path, from, may_lack, depth) {
                let Ok(full) = fs::canonicalize(&file) else { continue };
                if self.seen.contains(&full) {
                    continue;
                }
                self.seen.push(full);
                match fs::read(&file) {
                    Ok(bytes) => {
                        self.read.push(file.clone());
                        whole += "\n";
                        whole += &self.with_includes(&String::from_utf8_lossy(&bytes), &file, depth + 1);
                        whole += "\n";
                    }
                    Err(error) => self.miss(&file, from, &error.to_string()),
                }
            }
        }
        whole += &text[done..];
        whole
    }

    /// Returns the files that an include of `path` reads, in the order of the server.
    fn find(&mut self, path: &str, from: &Path, may_lack: bool, depth: usize) -> Vec<PathBuf> {
        let is_glob = path.contains(['*', '?', '[']);
        let named = self.base.join(path);
        let places = [named.clone(), folder_of(from).join(path)];
        let found = |place: &PathBuf| -> Vec<PathBuf> {
            let all = if is_glob { matches(place) } else { vec![place.clone()] };
            all.into_iter().filter(|path| path.exists()).collect()
        };
        let all = places.iter().map(found).find(|all| !all.is_empty()).unwrap_or_default();
        if depth >= DEEPEST && !all.is_empty() {
            self.miss(&all[0], from, "too many files include each other");
            return Vec::new();
        }
        if all.is_empty() && !is_glob && !may_lack {
            self.miss(&named, from, "no such file");
        }
        let is_file = |path: &PathBuf| fs::metadata(path).is_ok_and(|kind| kind.is_file());
        // Apache also includes the files of a folder.
        let inside = |path: PathBuf| {
            let walk = WalkBuilder::new(path).standard_filters(false).sort_by_file_name(Ord::cmp).build();
            walk.filter_map(|entry| Some(entry.ok()?.into_path())).filter(is_file).collect::<Vec<_>>()
        };
        match self.is_nginx {
            true => {
                let (files, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_file);
                others.iter().for_each(|other| self.miss(other, from, "it is no file"));
                files
            }
            false => all.into_iter().flat_map(inside).collect(),
        }
    }

    fn miss(&mut self, file: &Path, from: &Path, why: &str) {
        let message = || format!("cannot read {}, which {} includes: {why}", file.display(), from.display());
        self.missing.get_or_insert_with(message);
    }
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).into()
}

/// Returns the paths that match `pattern`, in alphabetical order. A wildcard matches no `/`, and no dot at the start of a name.
fn matches(pattern: &Path) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str();
        let glob =
            name.to_str().filter(|name| matches!(component, Component::Normal(_)) && name.contains(['*', '?', '[']));
        let Some(glob) = glob else {
            found.iter_mut().for_each(|path| path.push(name));
            continue;
        };
        let Ok(rules) = OverrideBuilder::new("").add(&format!("/{glob}")).and_then(|rules| rules.build()) else {
            return Vec::new();
        };
        let is_match = |name: &OsStr| {
            let is_hidden = name.as_encoded_bytes().starts_with(b".") && !glob.starts_with('.');
            !is_hidden && rules.matched(name, false).is_whitelist()
        };
        let inside = |folder: PathBuf| {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let names = fs::read_dir(here).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.file_name()));
            let mut paths: Vec<_> = names.filter(|name| is_match(name)).map(|name| folder.join(name)).collect();
            paths.sort();
            paths
        };
        found = found.into_iter().flat_map(inside).collect();
    }
    found
}

/// A directive that includes files.
struct Include {
    /// The place of the directive in its file.
    range: Range<usize>,
    path: String,
    may_lack: bool,
}

/// Returns the includes of a configuration of nginx. A directive ends with `;`, `{` or `}`.
fn nginx_includes(text: &str) -> Vec<Include> {
    let (mut includes, mut words) = (Vec::new(), Vec::<(usize, &str)>::new());
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = match c {
            ';' | '{' | '}' => {
                if let (';', [(start, "include"), (_, path)]) = (c, &words[..]) {
                    includes.push(Include { range: *start..at + 1, path: (*path).into(), may_lack: false });
                }
                words.clear();
                1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let mut ends = rest[1..].char_indices().scan(false, |is_escaped, (end, next)| {
                    let is_end = next == c && !*is_escaped;
                    *is_escaped = next == '\\' && !*is_escaped;
                    Some(is_end.then_some(end + 1))
                });
                let end = ends.find_map(|end| end).unwrap_or(rest.len());
                words.push((at, &rest[1..end.max(1)]));
                rest.len().min(end + 1)
            }
            c if c.is_ascii_whitespace() => 1,
            _ => {
                let end = rest.find(|c: char| c.is_ascii_whitespace() || ";{}".contains(c)).unwrap_or(rest.len());
                words.push((at, &rest[..end]));
                end
            }
        };
        at += len;
    }
    includes
}

/// Returns the includes of a configuration of Apache.
fn apache_includes(text: &str) -> Vec<Include> {
    let include = |(start, line): (usize, &str)| {
        let (path, is_optional) = argument(line, &["Include", "IncludeOptional"])?;
        Some(Include { range: start..start + line.len(), path: path.into(), may_lack: is_optional == 1 })
    };
    lines(text).filter_map(include).collect()
}

/// Returns the lines of a text, each with its offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |next, line| {
        let start = *next;
        *next += line.len();
        Some((start, line.trim_end()))
    })
}

/// If `line` is one of `directives` of Apache, returns its argument, and the index of the directive.
fn argument<'a>(line: &'a str, directives: &[&str]) -> Option<(&'a str, usize)> {
    let (name, rest) = line.trim_start().split_once(|c: char| c.is_ascii_whitespace())?;
    let at = directives.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    let rest = rest.trim();
    let unquoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(rest);
    Some((unquoted, at))
}
