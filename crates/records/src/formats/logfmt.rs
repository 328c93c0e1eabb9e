//! logfmt: `key=value` and `key="value"` between spaces, as written by Go programs.

use memchr::memchr2;
use percent_simd::ByteSet;

use super::format::{Choice, Field, Format, Kind, Layout, Row, Rule, Schema};
use super::role;
use super::shape::{IN_QUOTES, IN_SPACES};
use super::token::quote;
use super::wrap::Wrap;

pub const LOGFMT: Row = Row {
    name: "logfmt",
    help: "key=value between spaces, by key",
    fields: "url, uri, path, request, target, referer, query, ...",
    build: |choice| Ok(Box::new(Logfmt::new(choice)?)),
    sniff: |sample| sample.most(|line| pairs(line).is_some_and(|pairs| pairs.len() >= 2)),
};

/// The names of keys with URLs. They are chosen if the user chooses no key.
const USUAL: [&str; 13] = [
    "url",
    "uri",
    "path",
    "request",
    "request_uri",
    "requesturi",
    "target",
    "referer",
    "referrer",
    "http_referer",
    "location",
    "query",
    "fwd_path",
];

/// Each field has two rules. Rule `2 * n + BARE` is for a value of field `n` without quotes, `2 * n + QUOTED` for a value in
/// quotes.
const BARE: usize = 0;
const QUOTED: usize = 1;

struct Logfmt {
    schema: Schema,
}

impl Logfmt {
    fn new(choice: &Choice) -> Result<Logfmt, String> {
        let mut schema = Schema::new(choice, USUAL.iter().copied(), role::context());
        let rules = schema.names.iter().flat_map(|name| {
            let syntax = role::syntax_of(name);
            [IN_SPACES | ByteSet::of(b"="), IN_QUOTES].map(|keep| Rule { keep, wrap: Wrap::Verbatim, syntax })
        });
        schema.rules = rules.collect();
        Ok(Logfmt { schema })
    }
}

/// A key, the bounds of its value, and true if the value is in quotes.
type Pair<'a> = (&'a [u8], std::ops::Range<usize>, bool);

/// Returns the pairs of a line. Returns `None` if the line has no pair, or if its quotes don't close.
fn pairs(line: &[u8]) -> Option<Vec<Pair<'_>>> {
    let mut pairs = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at] == b' ' {
            at += 1;
            continue;
        }
        let key_end = at + memchr2(b'=', b' ', &line[at..]).unwrap_or(line.len() - at);
        let key = &line[at..key_end];
        if line.get(key_end) != Some(&b'=') {
            // A key without a value.
            at = key_end;
            continue;
        }
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.@/".contains(byte);
        if key.is_empty() || !key.iter().all(is_key) {
            return None;
        }
        let start = key_end + 1;
        if line.get(start) == Some(&b'"') {
            let end = start + 1 + quote(&line[start + 1..])?;
            if line.get(end + 1).is_some_and(|&next| next != b' ') {
                return None;
            }
            pairs.push((key, start + 1..end, true));
            at = end + 1;
        } else {
            let end = line[start..].iter().position(|&byte| byte == b' ').map_or(line.len(), |len| start + len);
            pairs.push((key, start..end, false));
            at = end;
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

impl Format for Logfmt {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(pairs) = pairs(record) else {
            return if record.trim_ascii().is_empty() { Kind::Comment } else { Kind::Unrecognized };
        };
        for (key, range, in_quotes) in pairs {
            if let Some(choice) = self.schema.names.iter().position(|name| key.eq_ignore_ascii_case(name.as_bytes())) {
                let rule = 2 * choice + if in_quotes { QUOTED } else { BARE };
                fields.push(Field { choice, range, rule, object: None });
            }
        }
        Kind::Data
    }
}
