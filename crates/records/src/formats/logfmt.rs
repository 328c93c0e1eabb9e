//! logfmt, the format that many Go programs write: `key=value` and `key="value"` between spaces.

use memchr::{memchr, memchr_iter, memchr2, memmem};
use percent_simd::ByteSet;

use super::candidates::Candidates;
use super::format::{Bounds, Choice, Field, Format, Kind, Layout, Row, Rule, Schema, Syntax, shown};
use super::role;
use super::shape::{IN_QUOTES, IN_SPACES, VERSION, is_absolute};
use super::token::{quote, request_in, target_field};
use super::urls::next_in_text;
use super::wrap::Wrap;
use crate::framing::Framing;

pub const LOGFMT: Row = Row {
    name: "logfmt",
    help: shown("key=value between spaces, by key"),
    fields: shown("url, uri, path, request, target, referer, query, ..."),
    build: |choice| Ok(Box::new(Logfmt::new(choice)?)),
    sniff: |sample| sample.most(|line| pairs(line).is_some_and(|pairs| pairs.len() >= 2 && is_mostly(line, &pairs))),
};

/// The names of keys with URLs. These keys are chosen if the user chooses no key.
const USUAL: [&str; 16] = [
    "url", "uri", "path", "request", "request_uri", "requesturi", "target", "referer", "referrer", "http_referer",
    "http_referrer", "http.target", "url.full", "location", "query", "fwd_path",
];

/// Each field has five rules. Field `n` has rule `RULES * n + BARE` for a value without quotes, and rule
/// `RULES * n + QUOTED` for a value in quotes. Two rules are for the target of a request line in quotes: one
/// for a target without spaces, one for a target with spaces. The last rule is for a value in single quotes.
const RULES: usize = 5;
const BARE: usize = 0;
const QUOTED: usize = 1;
const REQUEST: usize = 2;
const SINGLE: usize = 4;

struct Logfmt {
    schema: Schema,
}

impl Logfmt {
    fn new(choice: &Choice) -> Result<Logfmt, String> {
        let mut schema = Schema::new(choice, USUAL.iter().copied(), role::context(choice));
        let space = ByteSet::of(b" ");
        let single = IN_SPACES | ByteSet::of(b"'");
        let keeps = [IN_SPACES | ByteSet::of(b"=,"), IN_QUOTES, IN_QUOTES | space, IN_QUOTES | space | VERSION, single];
        // Loops are smaller than `flat_map`.
        let mut rules = Vec::new();
        for name in &schema.names {
            let syntax = choice.found_syntax(name).unwrap_or_else(|| role::syntax_of(name));
            keeps.iter().for_each(|&keep| rules.push(Rule { keep, wrap: Wrap::Verbatim, syntax }));
        }
        schema.set_rules(rules, next_in_text);
        Ok(Logfmt { schema })
    }
}

/// A key, the bounds of its value, and the rule of the value: `BARE`, `QUOTED` or `SINGLE`.
type Pair<'a> = (&'a [u8], std::ops::Range<usize>, usize);

/// Returns the pairs of a line. If the line has no pair, if its quotes don't close, or if it has a URL outside of pairs,
/// returns `None`.
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
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.@/".contains(byte);
        if key.first() == Some(&b'/') && memchr(b'?', key).is_some() {
            // A target before the pairs, as in `/x?y=z status=200`. Its query is no pair.
            at += memchr(b' ', &line[at..]).unwrap_or(line.len() - at);
            continue;
        }
        if line.get(key_end) != Some(&b'=') {
            // A URL outside of pairs would be lost.
            if is_absolute(key) {
                return None;
            }
            // A key without a value.
            at = key_end;
            continue;
        }
        if key.is_empty() || !key.iter().all(is_key) {
            return None;
        }
        let start = key_end + 1;
        if line.get(start) == Some(&b'"') {
            let end = start + 1 + quote(&line[start + 1..])?;
            // Some programs write a comma between the pairs. A bracket ends structured data of syslog (RFC 5424 6.3).
            let rest = &line[end + 1..];
            at = end + if rest.starts_with(b", ") || rest.starts_with(b"]") { 2 } else { 1 };
            if line.get(at).is_some_and(|&next| next != b' ' && next != b'[') {
                return None;
            }
            pairs.push((key, start + 1..end, QUOTED));
        } else if let Some(len) = single(&line[start..]) {
            pairs.push((key, start + 1..start + len - 1, SINGLE));
            at = start + len;
        } else {
            let end = line[start..].iter().position(|&byte| byte == b' ').map_or(line.len(), |len| start + len);
            let value = &line[start..end];
            let len = if end < line.len() { value.strip_suffix(b",").unwrap_or(value).len() } else { value.len() };
            pairs.push((key, start..start + len, BARE));
            at = end;
        }
    }
    (!pairs.is_empty()).then_some(pairs)
}

/// If `text` starts with a value in single quotes, returns its length with the quotes. A single quote may also be an
/// apostrophe. So a quote closes the value only before a blank, and no other value in quotes may start before it.
fn single(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"'")?;
    // The search ends at the next value in quotes, so that it takes linear time for many values without a second quote.
    let before_next = memmem::find(inner, b"='").map_or(inner, |at| &inner[..at]);
    let is_close = |at: &usize| inner.get(at + 1).is_none_or(|&next| next == b' ');
    memchr_iter(b'\'', before_next).find(is_close).map(|at| at + 2)
}

/// Returns true if the line has at most four words outside of pairs for each pair. A log of another format may have two
/// words with a `=` in a long line.
fn is_mostly(line: &[u8], pairs: &[Pair]) -> bool {
    // Programs align the pairs with several blanks.
    let words = |text: &[u8]| text.windows(2).filter(|pair| pair[0] == b' ' && pair[1] != b' ').count();
    let (mut at, mut all) = (0, 0);
    for (_, value, _) in pairs {
        all += words(&line[at..value.start]);
        at = value.end;
    }
    all + words(&line[at..]) <= 5 * pairs.len()
}

impl Format for Logfmt {
    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        Bounds::Quote
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        Candidates::of_records(Framing::Lines, head, &|record, push| {
            for (key, range, _) in pairs(record).unwrap_or_default() {
                push(key, &record[range]);
            }
        })
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(pairs) = pairs(record) else {
            return if record.trim_ascii().is_empty() { Kind::Comment } else { Kind::Unrecognized };
        };
        for (key, range, around) in pairs {
            if let Some(choice) = self.schema.choice_of(key) {
                let is_target = || self.schema.rules[RULES * choice].syntax == Syntax::Target;
                let is_request = around != BARE && is_target() && !self.schema.is_mixed(choice);
                let (range, rule) = match if is_request { request_in(&record[range.clone()]) } else { None } {
                    Some(target) if around == QUOTED => target_field(target, range.start, REQUEST),
                    Some((target, _)) => target_field((target, false), range.start, around),
                    None => (range, around),
                };
                fields.push(Field { choice, range, rule: RULES * choice + rule, object: None });
            }
        }
        Kind::Data
    }
}

#[cfg(test)]
mod tests {
    use super::single;

    #[test]
    fn a_single_quote_closes_before_a_blank_and_the_next_value() {
        for (text, len) in [
            ("'a b' c=d", Some(5)),
            ("'a'", Some(3)),
            ("'it's b' c", Some(8)),
            ("'a b", None),
            ("'a b='c'", None),
            ("'a'b", None),
            ("a'", None),
        ] {
            assert_eq!(single(text.as_bytes()), len, "{text}");
        }
    }
}
