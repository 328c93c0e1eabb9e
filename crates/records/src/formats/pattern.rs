//! Logs defined by the format string of a server: nginx `log_format`, Apache `LogFormat`.
//!
//! Both servers escape the quotes in values. So a quote of the format string corresponds to the next unescaped quote of
//! the record. The variables between two quotes are a run, for example `$remote_addr - $remote_user [$time_local] "`.
//! Blanks and brackets in the values of these variables are not escaped. A variable is free if clients choose its
//! value. If a run has one free variable, we find all other variables, starting from both ends of the run. The free
//! variable gets the text between these variables. If a run has several free variables, there may be several ways to
//! divide the text among the free variables. If the value of a chosen variable depends on the way, we copy the record
//! unchanged.

mod pasted;
mod values;

use std::ops::Range;

use memchr::{memchr, memmem};
use percent_simd::ByteSet;

use self::values::Values;
use super::format::{
    Bounds, Choice, ExtraField, Field, Format, Kind, Layout, Rule, Schema, Syntax, field_names, unknown, usual_names,
};
use super::role::{self, Hint};
use super::shape::{self, IN_QUOTES, IN_SPACES, VERSION};
use super::token::{Quotes, sort_fields, target, target_field};
use super::wrap::Wrap;

pub use self::pasted::configured;

/// The nginx variables that hold a URL or a part of a URL. nginx has decoded the last three.
const USUAL_NGINX: &str = "request, request_uri, http_referer, args, query_string, upstream_http_location, \
                           sent_http_location;; uri, document_uri, fastcgi_path_info";
/// The Apache variables that hold a URL or a part of a URL. Apache has decoded `%U`.
const USUAL_APACHE: &str = "r, Referer, q, Location;; U";

/// Field names that work in every format, each with the nginx variable and the Apache variable for it.
const ALIASES: [(&str, [&str; 2]); 5] = [
    ("target", ["request", "r"]),
    ("url", ["request", "r"]),
    ("referrer", ["http_referer", "Referer"]),
    ("referer", ["http_referer", "Referer"]),
    ("user-agent", ["http_user_agent", "User-Agent"]),
];

/// A variable of the format string, and the literal text after it.
struct Part {
    name: String,
    values: Values,
    /// The index of the variable among the chosen fields. If it wasn't chosen, this is `None`.
    choice: Option<usize>,
    rule: usize,
    in_quotes: bool,
    /// If true, the value starts with a host. The field is the rest, from the first slash.
    has_host: bool,
    after: Vec<u8>,
}

impl Part {
    fn is_free(&self) -> bool {
        matches!(self.values, Values::Free)
    }

    /// Returns the offset of the first quote in the text after the variable.
    fn quote(&self) -> Option<usize> {
        memchr(b'"', &self.after)
    }
}

pub struct Pattern {
    before: Vec<u8>,
    parts: Vec<Part>,
    schema: Schema,
    /// How the server writes quotes, or `None` if the pattern doesn't belong to a built-in format. The pattern of a
    /// built-in format describes the whole record.
    built_in: Option<Quotes>,
}

impl Pattern {
    /// Builds the pattern of a `log_format`, for example `$remote_addr "$request" $status`.
    pub fn nginx(format: &str, choice: &Choice) -> Result<Pattern, String> {
        Builder::parse(&pasted::nginx(format)?, None)?.build("nginx", USUAL_NGINX, choice)
    }

    /// Builds the pattern of a built-in format. `template` describes a line, in the syntax of a `log_format`.
    ///
    /// The fields of the pattern are the names in `names` that `template` contains. Also returns the indices of these
    /// names in `names`.
    pub fn built_in(template: &str, quotes: Quotes, names: &[String]) -> Result<(Pattern, Vec<usize>), String> {
        let builder = Builder::parse(template, Some(quotes))?;
        let numbers: Vec<usize> = (0..names.len()).filter(|&at| builder.position(&names[at]).is_some()).collect();
        let names: Vec<String> = numbers.iter().map(|&at| names[at].clone()).collect();
        let schema = Schema { asked: names.len(), names, ..Schema::default() };
        Ok((builder.with_fields("", schema)?, numbers))
    }

    /// Builds the pattern of a `LogFormat`, for example `%h \"%r\" %>s %{Referer}i`.
    pub fn apache(format: &str, choice: &Choice) -> Result<Pattern, String> {
        let format = pasted::apache(format)?;
        let mut pattern = Builder::default();
        let mut rest = &format[..];
        while let Some(at) = rest.find('%') {
            pattern.literal(&rest[..at]);
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix('%') {
                pattern.literal("%");
                rest = after;
                continue;
            }
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "!,<>".contains(c));
            let braced = rest.strip_prefix('{').and_then(|inner| inner.split_once('}'));
            let (argument, after) = braced.map_or((None, rest), |(argument, after)| (Some(argument), after));
            // If a directive starts with `^`, its name has two letters, as in `%^FB`.
            let after = after.strip_prefix('^').and_then(|after| after.get(1..)).unwrap_or(after);
            let Some(letter) = after.chars().next() else {
                return Err(format!("`{format}` ends in the middle of a directive; write %% for a %"));
            };
            rest = &after[letter.len_utf8()..];
            // Apache writes `%t` as a time in brackets.
            match (letter, argument) {
                ('t', None) => {
                    pattern.literal("[");
                    pattern.variable("t")?;
                    pattern.literal("]");
                }
                (_, Some(argument)) => pattern.variable(argument)?,
                _ => pattern.variable(&letter.to_string())?,
            }
        }
        pattern.literal(rest);
        pattern.build("apache", USUAL_APACHE, choice)
    }
}

impl Pattern {
    /// Treats the fields in `targets` as targets of requests, and the fields in `queries` as queries. Adds the bytes of
    /// `keep` to every rule, so escapes of these bytes stay.
    pub fn adapted(mut self, targets: &[String], queries: &[String], keep: ByteSet) -> Pattern {
        // The rules of field `n` have the indices `2 * n` and `2 * n + 1`.
        for (at, rule) in self.schema.rules.iter_mut().enumerate() {
            rule.keep = rule.keep | keep;
            for (names, syntax) in [(targets, Syntax::Target), (queries, Syntax::Query)] {
                if names.contains(&self.schema.names[at / 2]) {
                    rule.syntax = syntax;
                }
            }
        }
        self
    }
}

#[derive(Default)]
struct Builder {
    before: Vec<u8>,
    parts: Vec<Part>,
    built_in: Option<Quotes>,
}

impl Builder {
    /// Reads a `log_format`.
    fn parse(format: &str, built_in: Option<Quotes>) -> Result<Builder, String> {
        let mut pattern = Builder { built_in, ..Builder::default() };
        let mut rest = format;
        while let Some(at) = rest.find('$') {
            pattern.literal(&rest[..at]);
            rest = &rest[at + 1..];
            let name = match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((name, after)) => {
                    rest = after;
                    name
                }
                None => {
                    let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                    let (name, after) = rest.split_at(len);
                    rest = after;
                    name
                }
            };
            pattern.variable(name)?;
        }
        pattern.literal(rest);
        Ok(pattern)
    }

    fn literal(&mut self, text: &str) {
        let end = self.parts.last_mut().map_or(&mut self.before, |part| &mut part.after);
        end.extend(text.bytes());
    }

    fn variable(&mut self, name: &str) -> Result<(), String> {
        if name.is_empty() {
            return Err("a variable of the format has no name".into());
        }
        let literal = self.parts.last().map_or(&self.before, |part| &part.after);
        if literal.is_empty() && !self.parts.is_empty() {
            if self.join(name) {
                return Ok(());
            }
            return Err(format!("the start of `{name}` is unknown; there must be text between two variables"));
        }
        let in_quotes = literal.last() == Some(&b'"');
        let values = match Values::of(name) {
            _ if self.built_in.is_some() => Values::of_built_in(name),
            // Between quotes, a variable may have any value. Only a status and a method keep their form.
            Values::Status => Values::Status,
            Values::Word if matches!(name, "request_method" | "m") => Values::Word,
            _ if in_quotes => Values::Free,
            values => values,
        };
        let after = Vec::new();
        self.parts.push(Part { name: name.into(), values, choice: None, rule: 0, in_quotes, has_host: false, after });
        Ok(())
    }

    /// If `name` continues the URL in the last variable, joins the two. So `$scheme://$host$request_uri` is one variable,
    /// `request_uri`, and `%U%q` is `U`. Otherwise returns false.
    fn join(&mut self, name: &str) -> bool {
        const PATHS: &[&str] = &["request_uri", "uri", "document_uri", "U"];
        const QUERIES: &[&str] = &["is_args", "args", "query_string", "q"];
        const AUTHORITY: &[&str] =
            &["scheme", "host", "http_host", "server_name", "server_port", "Host", "v", "V", "p"];
        const JOINTS: &[&[u8]] = &[b"", b":", b"://"];
        const SCHEMES: &[&[u8]] = &[b"http://", b"https://"];
        let is_in = |names: &[&str], part: &Part| names.contains(&part.name.as_str());
        if QUERIES.contains(&name) && self.parts.last().is_some_and(|last| is_in(PATHS, last)) {
            return true;
        }
        if !PATHS.contains(&name) || !self.parts.last().is_some_and(|last| is_in(AUTHORITY, last)) {
            return false;
        }
        let mut has_scheme = false;
        while let Some(part) = self.parts.pop_if(|part| is_in(AUTHORITY, part) && JOINTS.contains(&&part.after[..])) {
            has_scheme |= part.name == "scheme";
        }
        let literal = self.parts.last_mut().map_or(&mut self.before, |part| &mut part.after);
        if let Some(len) = SCHEMES.iter().find_map(|scheme| literal.strip_suffix(*scheme)).map(<[u8]>::len) {
            has_scheme = true;
            literal.truncate(len);
        }
        let in_quotes = literal.last() == Some(&b'"');
        let (values, after) = (Values::of(name), Vec::new());
        let has_host = !has_scheme;
        self.parts.push(Part { name: name.into(), values, choice: None, rule: 0, in_quotes, has_host, after });
        true
    }

    fn build(self, format: &str, usual: &'static str, choice: &Choice) -> Result<Pattern, String> {
        let owned: Vec<String> = self.parts.iter().map(|part| part.name.clone()).collect();
        let there: Vec<&str> = owned.iter().map(String::as_str).collect();
        if there.is_empty() {
            return Err(format!("there is no variable in that {format} format"));
        }
        // A header or a variable of the user may hold a URL, too, such as `$http_x_original_uri`.
        let known = field_names(usual);
        let is_own = |name: &&str| role::hint(name) == Hint::Url && !known.iter().any(|k| k.eq_ignore_ascii_case(name));
        let own = there.iter().copied().filter(is_own);
        let mut usual: Vec<&str> = usual_names(usual, choice).filter(|name| there.contains(name)).collect();
        usual.extend(own);
        let is_asked = |name: &&str| choice.fields.iter().any(|field| field == name) || usual.contains(name);
        let context =
            there.iter().copied().filter(|name| role::is_context(name, choice)).filter(|name| !is_asked(name));
        let schema = Schema::new(choice, usual.iter().copied(), context);
        if schema.asked == 0 {
            let there = there.join(", ");
            return Err(format!("no variable of that {format} format is known to hold a URL; name a field of {there}"));
        }
        self.with_fields(format, schema)
    }

    /// Returns the index of the variable for this field.
    fn position(&self, field: &str) -> Option<usize> {
        let lower = field.to_ascii_lowercase();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or([""; 2], |(_, names)| *names);
        let is_it = |name: &str| name.eq_ignore_ascii_case(field) || alias.iter().any(|a| name.eq_ignore_ascii_case(a));
        self.parts.iter().position(|part| is_it(&part.name))
    }

    /// Builds a pattern that finds the fields of `schema`.
    fn with_fields(mut self, format: &str, mut schema: Schema) -> Result<Pattern, String> {
        for (choice, field) in schema.names.iter().enumerate() {
            let Some(at) = self.position(field) else {
                let there: Vec<&str> = self.parts.iter().map(|part| part.name.as_str()).collect();
                return Err(unknown(field, format, &there));
            };
            let before = at.checked_sub(1).map_or(self.before.clone(), |before| self.parts[before].after.clone());
            let part = &mut self.parts[at];
            part.choice = Some(choice);
            part.rule = schema.rules.len();
            let is_request = is_request(&part.name);
            let keep = if part.in_quotes && !is_request { IN_QUOTES } else { IN_SPACES };
            // The literal texts before and after the variable mark the bounds of its value. So escapes of the first
            // byte of each literal text stay in the value.
            let beside = [part.after.first(), before.first()];
            let keep = beside.into_iter().flatten().fold(keep, |keep, &next| keep.with(next));
            let syntax = role::syntax_of(&part.name);
            schema.rules.push(Rule { keep, wrap: Wrap::Verbatim, syntax });
            // Each variable has a second rule, for a target that contains spaces.
            schema.rules.push(Rule { keep: keep | VERSION, wrap: Wrap::Verbatim, syntax });
        }
        // After the last chosen variable, we need only the variables up to the next quote, and skip the rest. A pattern
        // of a built-in format checks all variables.
        let last = self.parts.iter().rposition(|part| part.choice.is_some()).map_or(0, |last| {
            let quote = self.parts[last..].iter().position(|part| part.quote().is_some());
            quote.map_or(self.parts.len(), |len| last + len + 1)
        });
        if self.built_in.is_none() {
            self.parts.truncate(last);
        }
        Ok(Pattern { before: self.before, parts: self.parts, schema, built_in: self.built_in })
    }
}

fn is_request(name: &str) -> bool {
    matches!(name, "request" | "r")
}

impl Format for Pattern {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        let has_quotes = self.parts.iter().any(|part| part.quote().is_some());
        if has_quotes && self.built_in != Some(Quotes::Plain) { Bounds::Quote } else { Bounds::Record }
    }

    /// If the pattern ends with a quote, text may follow the fields.
    fn extra_field(&self) -> ExtraField {
        let is_open = self.built_in.is_none() && self.parts.last().is_some_and(|part| part.quote().is_some());
        if is_open { ExtraField::quoted(b"") } else { ExtraField::Nowhere }
    }

    fn has_log_escapes(&self) -> bool {
        true
    }

    fn is_delimited(&self) -> bool {
        let is_bound = |text: &[u8]| memchr(b'%', text).is_none() && !text.first().is_some_and(u8::is_ascii_hexdigit);
        is_bound(&self.before) && self.parts.iter().all(|part| is_bound(&part.after))
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if self.read(record, fields).is_none() {
            fields.clear();
            return Kind::Unrecognized;
        }
        sort_fields(fields);
        Kind::Data
    }
}

impl Pattern {
    /// Adds the fields of `record`, in any order. If the record doesn't fit the pattern, or can be read in two ways,
    /// returns `None`.
    pub fn read(&self, record: &[u8], fields: &mut Vec<Field>) -> Option<()> {
        let quotes = self.built_in.unwrap_or(Quotes::Backslash);
        let mut at = record.strip_prefix(&self.before[..]).map(|_| self.before.len())?;
        let mut parts = &self.parts[..];
        while !parts.is_empty() {
            let len = parts.iter().position(|part| part.quote().is_some()).map_or(parts.len(), |last| last + 1);
            let (run, rest) = parts.split_at(len);
            parts = rest;
            let last = run.last()?;
            let end = match last.quote() {
                Some(quote_at) => at + quotes.close(&record[at..])?.checked_sub(quote_at)?,
                None => record.len().checked_sub(last.after.len()).filter(|&end| end >= at)?,
            };
            if !record[end..].starts_with(&last.after) {
                return None;
            }
            self.read_run(run, record, at..end, fields)?;
            at = end + last.after.len();
        }
        (self.built_in.is_none() || at == record.len()).then_some(())
    }

    /// Adds the fields of a run of variables. `bounds` is the range of the run in the record.
    fn read_run(&self, run: &[Part], record: &[u8], bounds: Range<usize>, fields: &mut Vec<Field>) -> Option<()> {
        let Range { mut start, mut end } = bounds;
        let (mut first, mut last) = (0, run.len() - 1);
        while first < last && !run[first].is_free() {
            let len = memmem::find(&record[start..end], &run[first].after)?;
            add(&run[first], record, start..start + len, fields)?;
            start += len + run[first].after.len();
            first += 1;
        }
        while first < last && !run[last].is_free() {
            let between = &run[last - 1].after;
            let at = start + shape::last(&record[start..end], between)?;
            add(&run[last], record, at + between.len()..end, fields)?;
            end = at;
            last -= 1;
        }
        if first == last {
            return add(&run[first], record, start..end, fields);
        }
        let several = &run[first..=last];
        let (final_part, others) = several.split_last()?;
        // For each variable, we find the leftmost bounds that are possible, then the rightmost ones. If they differ for
        // a chosen variable, the record can be read in two ways.
        let mut starts = vec![start];
        let mut at = start;
        for part in others {
            at += memmem::find(&record[at..end], &part.after)? + part.after.len();
            starts.push(at);
        }
        let mut right = end;
        for (number, part) in others.iter().enumerate().rev() {
            let is_wanted = part.choice.is_some() || several[number + 1].choice.is_some();
            right = start + shape::last(&record[start..right], &part.after)?;
            if is_wanted && right + part.after.len() != starts[number + 1] {
                return None;
            }
        }
        for (number, part) in others.iter().enumerate() {
            add(part, record, starts[number]..starts[number + 1] - part.after.len(), fields)?;
        }
        add(final_part, record, *starts.last()?..end, fields)
    }
}

/// If this variable was chosen, adds its field. If the text at `range` can't be a value of the variable, returns
/// `None`.
fn add(part: &Part, record: &[u8], range: Range<usize>, fields: &mut Vec<Field>) -> Option<()> {
    let range = part.values.trim(record, range);
    let text = &record[range.clone()];
    if !part.values.has(text) {
        return None;
    }
    let Some(choice) = part.choice else { return Some(()) };
    let start = Some(0).filter(|_| !part.has_host).or_else(|| memchr(b'/', text)).unwrap_or(0);
    let value = if is_request(&part.name) { target(text) } else { Some((start..text.len(), false)) };
    if let Some(value) = value {
        let (range, rule) = target_field(value, range.start, part.rule);
        fields.push(Field { choice, range, rule, object: None });
    }
    Some(())
}
