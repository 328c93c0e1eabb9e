//! JSON formats. Fields are strings in objects, chosen by JSON pointer (RFC 6901). A `*` in a pointer matches every member or
//! element. JSON log formats differ only in their pointers to URLs.

mod scan;
mod shapes;

use std::iter;

use memchr::memmem;
use percent_simd::ByteSet;

use self::scan::Scan;
pub use self::scan::each_key;
pub use self::shapes::*;
use super::format::{Choice, ExtraField, Field, Format, Kind, Layout, Rule, Schema, Syntax};
use super::role;
use super::shape::CONTROLS;
use super::wrap::Wrap;
use crate::framing::{Framing, element_start};

/// The maximum number of pointers. Each pointer has a bit of a `u128`.
const MOST: usize = 128;

const URL: usize = 0;
const TARGET: usize = 1;
const QUERY: usize = 2;
/// A number or a word, for fields of the context.
const WORD: usize = 3;

pub struct Json {
    /// The parts of each pointer, and its rule.
    pointers: Vec<(Vec<String>, usize)>,
    schema: Schema,
    spans_lines: bool,
    elements: Option<&'static str>,
    layers: usize,
}

impl Json {
    pub fn new(shape: &Shape, choice: &Choice) -> Result<Json, String> {
        let usual = shape.urls.iter().chain(shape.queries).copied();
        let mut schema = Schema::new(choice, usual, CONTEXT.iter().copied());
        for name in &mut schema.names {
            // Users also write pointers from the start of the document.
            if let Some(rest) = name.strip_prefix(shape.document).filter(|rest| rest.starts_with('/')) {
                *name = rest.to_string();
            }
        }
        if schema.names.len() > MOST {
            return Err(format!("{} pointers are too many; {MOST} can be looked for at once", schema.names.len()));
        }
        let is_in = |pointers: &[&str], name: &str| {
            pointers.iter().any(|pointer| pointer.trim_start_matches('/') == name.trim_start_matches('/'))
        };
        let rule_of = |name: &str| match role::syntax_of(name.rsplit('/').next().unwrap_or_default()) {
            _ if is_in(shape.queries, name) => QUERY,
            Syntax::Target => TARGET,
            _ if is_in(shape.targets, name) => TARGET,
            _ => URL,
        };
        let pointer = |name: &String| Ok((parts(name)?, rule_of(name)));
        let pointers = schema.names.iter().map(pointer).collect::<Result<_, String>>()?;
        for name in &mut schema.names {
            *name = name.rsplit('/').next().unwrap_or_default().to_string();
        }
        let rule = |syntax| Rule { keep: CONTROLS, wrap: Wrap::Json, syntax };
        let word = Rule { wrap: Wrap::Verbatim, ..rule(Syntax::Reference) };
        schema.rules = vec![rule(Syntax::Reference), rule(Syntax::Target), rule(Syntax::Query), word];
        Ok(Json { pointers, schema, spans_lines: shape.spans_lines, elements: shape.elements, layers: shape.layers })
    }

    /// Returns the format with additional bytes whose escapes stay.
    pub fn keeping(mut self, keep: ByteSet) -> Json {
        self.schema.rules.iter_mut().for_each(|rule| rule.keep = rule.keep | keep);
        self
    }

    /// Returns the pointers of `mask` whose part at `depth` is `*` or passes the test.
    fn fitting(&self, mask: u128, depth: usize, fits: impl Fn(&str) -> bool) -> u128 {
        let fits = |part: &String| part == "*" || fits(part);
        let fitting = bits(mask).filter(|&pointer| self.pointers[pointer].0.get(depth).is_some_and(&fits));
        fitting.fold(0, |all, pointer| all | 1 << pointer)
    }

    /// Returns the first pointer of `mask` that ends at `depth`.
    fn ending(&self, mask: u128, depth: usize) -> Option<usize> {
        bits(mask).find(|&pointer| self.pointers[pointer].0.len() == depth)
    }

    /// Returns a format whose fields are the members with these names. It is for JSON objects inside other formats.
    pub fn strings(members: &[&str]) -> Result<Json, String> {
        let choice =
            Choice { fields: members.iter().map(|member| (*member).to_string()).collect(), ..Choice::default() };
        Json::new(&S_NDJSON, &choice)
    }
}

/// Returns the numbers of the set bits, lowest first.
fn bits(mut mask: u128) -> impl Iterator<Item = usize> {
    iter::from_fn(move || {
        let lowest = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lowest
    })
}

/// Returns the parts of a pointer. Text without a slash is the name of a member.
fn parts(pointer: &str) -> Result<Vec<String>, String> {
    let inner = pointer.strip_prefix('/').unwrap_or(pointer);
    let unescaped = |part: &str| {
        let plain = part.replace("~0", "").replace("~1", "");
        match plain.contains('~') {
            true => Err(format!("`{pointer}` is no JSON pointer: after a ~ comes 0 or 1 (RFC 6901 3)")),
            false => Ok(part.replace("~1", "/").replace("~0", "~")),
        }
    };
    inner.split('/').map(unescaped).collect()
}

impl Format for Json {
    fn framing(&self) -> Framing {
        match self.elements {
            Some(key) => Framing::Elements(key),
            None if self.spans_lines => Framing::Json,
            None => Framing::Lines,
        }
    }

    fn layers(&self) -> usize {
        self.layers
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Member
    }

    // A `%` may be written as the JSON escape `\u0025`.
    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut scan = Scan { text: record, at: 0 };
        if record.starts_with(b"\xEF\xBB\xBF") {
            scan.at = 3;
        }
        if let Some(key) = self.elements {
            match element_start(record, key) {
                Some(start) => scan.at = start,
                // This is the end of the document, unless another document follows.
                None if memmem::find(record, key.as_bytes()).is_none() => return Kind::Comment,
                None => return Kind::Unrecognized,
            }
        }
        if self.spans_lines {
            // If one array contains all objects, its brackets and commas lie between the records.
            let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte);
            let end = record.iter().rposition(|byte| !is_between(byte)).map_or(0, |end| end + 1);
            scan.at += record[scan.at.min(end)..end].iter().take_while(|byte| is_between(byte)).count();
            scan.text = &record[..end];
        }
        if scan.at >= scan.text.trim_ascii_end().len() {
            return Kind::Comment;
        }
        if scan.run(self, fields).is_some() {
            return Kind::Data;
        }
        fields.clear();
        Kind::Unrecognized
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pointers: &[&str], line: &str) -> Option<Vec<String>> {
        let choice = Choice { fields: pointers.iter().map(|p| (*p).to_string()).collect(), ..Choice::default() };
        let mut fields = Vec::new();
        match Json::new(&S_NDJSON, &choice).unwrap().fields(line.as_bytes(), &mut Layout::default(), &mut fields) {
            Kind::Data => Some(fields.iter().map(|field| line[field.range.clone()].to_string()).collect()),
            _ => None,
        }
    }

    #[test]
    fn pointers_find_strings() {
        let line = r#" {"a":{"b":"1","c":["2",{"d":"3"},"4"]},"b":"5","x/y":"6","m~n":"7","\u0061":"8","e":-1.5e3} "#;
        for (pointer, expected) in [
            ("/a/b", vec!["1"]),
            ("/a/c/0", vec!["2"]),
            ("/a/c/1/d", vec!["3"]),
            ("/a/c/*", vec!["2", "4"]),
            ("/*/b", vec!["1"]),
            ("/b", vec!["5"]),
            ("b", vec!["5"]),
            ("/x~1y", vec!["6"]),
            ("/m~0n", vec!["7"]),
            ("/a", vec!["8"]),
            ("/e", vec![]),
            ("/nothing", vec![]),
        ] {
            assert_eq!(found(&[pointer], line).unwrap(), expected, "{pointer}");
        }
        assert_eq!(found(&["/b", "/a/b"], line).unwrap(), ["1", "5"]);
        assert!(Json::new(&S_NDJSON, &Choice { fields: vec!["/a~2".into()], ..Choice::default() }).is_err());
    }

    #[test]
    fn each_key_visits_the_object_of_a_field() {
        for (pointer, line, expected) in [
            ("/a", r#"{"a":"1"}"#, vec!["a"]),
            (
                "/a",
                r#" { "x" : [ {"p":"}"} , 2 ] , "\u0061" : "1","y":{"q":{}},"z":-1.5e3,"":null , "b\"":"" } "#,
                vec!["x", "a", "y", "z", "", "b\""],
            ),
            ("/o/a", r#"{"x":1,"o":{"c":[],"a":"1","d":"{"},"y":2}"#, vec!["c", "a", "d"]),
            ("/0/a", r#"[{"a":"1","b":2},{"c":3}]"#, vec!["a", "b"]),
        ] {
            let choice = Choice { fields: vec![pointer.into()], ..Choice::default() };
            let mut fields = Vec::new();
            Json::new(&S_NDJSON, &choice).unwrap().fields(line.as_bytes(), &mut Layout::default(), &mut fields);
            let mut keys = Vec::new();
            each_key(line.as_bytes(), fields[0].object.unwrap(), |key| {
                keys.push(String::from_utf8(key.to_vec()).unwrap());
            });
            assert_eq!(keys, expected, "{line}");
        }
        each_key(b"{}", 0, |_| panic!("a key"));
        // An array element belongs to no object.
        let choice = Choice { fields: vec!["/a/0".into()], ..Choice::default() };
        let mut fields = Vec::new();
        Json::new(&S_NDJSON, &choice).unwrap().fields(br#"{"a":["1"]}"#, &mut Layout::default(), &mut fields);
        assert_eq!((fields.len(), fields[0].object), (1, None));
    }

    #[test]
    fn records_that_are_not_json_are_unrecognized() {
        let line = r#"{"a":"%41","b":[1,{"c":null}],"d":true}"#;
        assert!(found(&["/a"], line).is_some());
        for end in 0..line.len() {
            assert_eq!(found(&["/a"], &line[..end]), None, "{}", &line[..end]);
        }
        for line in [
            "{]",
            "{\"a\":\"%41\"}}",
            "{\"a\":\"%41\"} x",
            "{\"a\" \"%41\"}",
            "{a:1}",
            "[1,]x",
            "{\"b\":[}],\"a\":\"%41\"}",
        ] {
            assert_eq!(found(&["/a"], line), None, "{line}");
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(found(&["/*"], &deep), None);
    }
}
