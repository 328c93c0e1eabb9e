//! Logs by the format string of the server that writes them: nginx `log_format`, Apache `LogFormat`.

use memchr::{memchr, memmem};
use percent_simd::ByteSet;

use super::{
    Choice, ExtraField, Field, Format, IN_QUOTES, IN_SPACES, Kind, Layout, Plan, Rule, Syntax, VERSION, Wrap, quote,
    role, target, unknown,
};

/// Variables of nginx that hold a URL, or part of one, as the client sent it; `$uri` has been decoded already.
const USUAL_NGINX: [&str; 6] =
    ["request", "request_uri", "http_referer", "args", "query_string", "upstream_http_location"];
/// Like the list above, for Apache; `%U` has been decoded already.
const USUAL_APACHE: [&str; 4] = ["r", "Referer", "q", "Location"];

/// Names that go with every format, and the variables of these servers.
const ALIASES: [(&str, [&str; 2]); 5] = [
    ("target", ["request", "r"]),
    ("url", ["request", "r"]),
    ("referrer", ["http_referer", "Referer"]),
    ("referer", ["http_referer", "Referer"]),
    ("user-agent", ["http_user_agent", "User-Agent"]),
];

/// A variable, and the text behind it.
struct Part {
    name: String,
    /// Which of the chosen fields it is.
    choice: Option<usize>,
    rule: usize,
    in_quotes: bool,
    after: Vec<u8>,
}

pub struct Pattern {
    before: Vec<u8>,
    parts: Vec<Part>,
    plan: Plan,
}

impl Pattern {
    /// From a `log_format`, such as `$remote_addr "$request" $status`.
    pub fn nginx(format: &str, choice: &Choice) -> Result<Pattern, String> {
        let mut pattern = Builder::default();
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
        pattern.build("nginx", &USUAL_NGINX, choice)
    }

    /// From a `LogFormat`, such as `%h \"%r\" %>s %{Referer}i`.
    pub fn apache(format: &str, choice: &Choice) -> Result<Pattern, String> {
        let format = format.replace("\\\"", "\"").replace("\\t", "\t");
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
            // `%^` starts a directive of two letters.
            let after = after.strip_prefix('^').and_then(|after| after.get(1..)).unwrap_or(after);
            let Some(letter) = after.chars().next() else {
                return Err(format!("`{format}` ends in the middle of a directive; write %% for a %"));
            };
            rest = &after[letter.len_utf8()..];
            // Brackets of %t are part of the value.
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
        pattern.build("apache", &USUAL_APACHE, choice)
    }
}

impl Pattern {
    /// The pattern, in which the fields of these names are targets or queries, and escapes of `keep` stay.
    pub fn adapted(mut self, targets: &[String], queries: &[String], keep: ByteSet) -> Pattern {
        // Each field has two rules.
        for (at, rule) in self.plan.rules.iter_mut().enumerate() {
            rule.keep |= keep;
            for (names, syntax) in [(targets, Syntax::Target), (queries, Syntax::Query)] {
                if names.contains(&self.plan.names[at / 2]) {
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
}

impl Builder {
    fn literal(&mut self, text: &str) {
        let end = self.parts.last_mut().map_or(&mut self.before, |part| &mut part.after);
        end.extend(text.bytes());
    }

    fn variable(&mut self, name: &str) -> Result<(), String> {
        let literal = self.parts.last().map_or(&self.before, |part| &part.after);
        if literal.is_empty() && !self.parts.is_empty() {
            return Err(format!("nothing tells where `{name}` starts; there must be text between two variables"));
        }
        if name.is_empty() {
            return Err("a variable of the format has no name".into());
        }
        let in_quotes = literal.last() == Some(&b'"');
        self.parts.push(Part { name: name.into(), choice: None, rule: 0, in_quotes, after: Vec::new() });
        Ok(())
    }

    fn build(mut self, format: &str, usual: &[&str], choice: &Choice) -> Result<Pattern, String> {
        let owned: Vec<String> = self.parts.iter().map(|part| part.name.clone()).collect();
        let there: Vec<&str> = owned.iter().map(String::as_str).collect();
        if there.is_empty() {
            return Err(format!("there is no variable in that {format} format"));
        }
        let usual: Vec<&str> = usual.iter().copied().filter(|name| there.contains(name)).collect();
        let is_asked = |name: &&str| choice.fields.iter().any(|field| field == name) || usual.contains(name);
        let context = there.iter().copied().filter(|name| role::is_context(name)).filter(|name| !is_asked(name));
        let mut plan = Plan::new(choice, usual.iter().copied(), context);
        if plan.asked == 0 {
            let there = there.join(", ");
            return Err(format!("no variable of that {format} format is known to hold a URL; name a field of {there}"));
        }
        for (choice, field) in plan.names.iter().enumerate() {
            let lower = field.to_ascii_lowercase();
            let alias = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or([""; 2], |(_, names)| *names);
            let is_it =
                |name: &str| name.eq_ignore_ascii_case(field) || alias.iter().any(|a| name.eq_ignore_ascii_case(a));
            let Some(at) = self.parts.iter().position(|part| is_it(&part.name)) else {
                return Err(unknown(field, format, &there));
            };
            let part = &mut self.parts[at];
            part.choice = Some(choice);
            part.rule = plan.rules.len();
            let is_request = is_request(&part.name);
            let keep = if part.in_quotes && !is_request { IN_QUOTES } else { IN_SPACES };
            let keep = keep | part.after.first().map_or(ByteSet::EMPTY, |&next| ByteSet::EMPTY.with(next));
            let syntax = role::syntax_of(&part.name);
            plan.rules.push(Rule { keep, wrap: Wrap::Verbatim, syntax });
            // The next rule is for a target with spaces in it.
            plan.rules.push(Rule { keep: keep | VERSION, wrap: Wrap::Verbatim, syntax });
        }
        // Behind the last chosen variable nothing matters.
        let last = self.parts.iter().rposition(|part| part.choice.is_some()).map_or(0, |last| last + 1);
        self.parts.truncate(last);
        Ok(Pattern { before: self.before, parts: self.parts, plan })
    }
}

fn is_request(name: &str) -> bool {
    matches!(name, "request" | "r")
}

impl Format for Pattern {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Column { before: b" \"".into(), after: b"\"".into(), header: Vec::new(), absent: "-" }
    }

    fn has_log_escapes(&self) -> bool {
        true
    }

    fn is_delimited(&self) -> bool {
        let is_bound = |text: &[u8]| memchr(b'%', text).is_none() && !text.first().is_some_and(u8::is_ascii_hexdigit);
        is_bound(&self.before) && self.parts.iter().all(|part| is_bound(&part.after))
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if !record.starts_with(&self.before) {
            return Kind::Unrecognized;
        }
        let mut at = self.before.len();
        for part in &self.parts {
            let rest = &record[at..];
            let len = match part.after.first() {
                Some(b'"') if part.in_quotes => quote(rest),
                Some(&next) if part.after.len() == 1 => memchr(next, rest),
                Some(_) => memmem::find(rest, &part.after),
                None => Some(rest.len()),
            };
            let Some(len) = len.filter(|&len| rest[len..].starts_with(&part.after)) else { return Kind::Unrecognized };
            if let Some(choice) = part.choice {
                let value = if is_request(&part.name) { target(&rest[..len]) } else { Some((0..len, false)) };
                if let Some((value, has_spaces)) = value {
                    let range = at + value.start..at + value.end;
                    fields.push(Field { choice, range, rule: part.rule + usize::from(has_spaces), object: None });
                }
            }
            at += len + part.after.len();
        }
        Kind::Data
    }
}
