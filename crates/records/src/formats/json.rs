//! JSON formats. Fields are strings in objects, chosen by JSON pointer (RFC 6901). A `*` in a pointer matches every
//! member or element. In a list of headers, an element is an object with a name and a value, and its name leads to its value:
//! `/request/headers/Referer`. JSON log formats differ only in their pointers to URLs. A format's own pointers match members
//! without regard to case.

mod attributes;
mod scan;
mod shapes;

use std::iter;
use std::ops::Range;

use memchr::{memchr, memmem};
use percent_simd::ByteSet;

pub use self::attributes::{Attribute, attribute_parts, attributes};
use self::scan::Scan;
pub use self::scan::each_key;
pub use self::shapes::*;
use super::candidates::Candidates;
use super::format::{Bounds, Choice, ExtraField, Field, Format, IS_MODULE, Kind, Layout, Parts, Rule, Schema, Syntax};
use super::role;
use super::shape::{CONTROLS, VERSION, empty_lines};
use super::token::{request_in, target_field};
use super::urls::next_in_text;
use super::wrap::Wrap;
use crate::framing::{Framing, element_start};

/// The maximum number of pointers, and of the parts of a pointer. Each pointer has a bit of a `u128`.
const MOST: usize = 128;

const URL: usize = 0;
const TARGET: usize = 1;
const QUERY: usize = 2;
/// The index of the rule for context fields. The values of these fields may be numbers or words.
const WORD: usize = 3;
/// The index of the rule for the target in a request line. The rule after it is for a target with spaces.
const REQUEST: usize = 4;

/// The number of buckets of keys.
const BUCKETS: usize = 64;

/// The maximum depth of objects and arrays in which we look for fields with URLs that the format doesn't know.
const DEEPEST: usize = 32;

/// A pointer to a field.
struct Pointer {
    /// The parts of the pointer. `/a/b` has the parts `a` and `b`.
    parts: Vec<String>,
    /// The index of the rule of the field.
    rule: usize,
    /// If true, keys match the parts without regard to case.
    any_case: bool,
}

pub struct Json {
    pointers: Vec<Pointer>,
    /// For each depth and each [`bucket`] of keys, a mask of pointers. The mask has the pointers that can match a key in this
    /// bucket: their part at this depth is in the same bucket or is `*`. So we compare a key with only a few pointers.
    by_bucket: Vec<[u128; BUCKETS]>,
    /// A mask of the pointers with a `*`.
    with_star: u128,
    schema: Schema,
    /// The pointers of the schema's names, as the user writes them.
    names: Vec<String>,
    /// If true, all pointers also lead to numbers, `true` and `false`. If false, only the pointers of context fields do.
    words: bool,
    spans_lines: bool,
    elements: Option<&'static str>,
    layers: usize,
    /// The number of pointers that could be added.
    room: usize,
}

impl Json {
    pub fn new(shape: &Shape, choice: &Choice) -> Result<Json, String> {
        let usual = shape.urls.iter().chain(shape.queries).copied();
        let context = shape.context.iter().chain(CONTEXT).chain(ORIGINS).copied();
        let context = context.filter(|pointer| role::is_context(role::member(pointer), choice));
        let mut schema = Schema::new(choice, usual, context);
        for name in &mut schema.names {
            // Users may also write a pointer from the start of the document.
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
            _ if choice.found_syntax(name).is_some_and(Syntax::is_query) => QUERY,
            Syntax::Target => TARGET,
            _ if is_in(shape.targets, name) || choice.found_syntax(name) == Some(Syntax::Target) => TARGET,
            _ => URL,
        };
        // RFC 6901 compares names exactly, so a user's pointer matches a key only if the case of all letters is the
        // same.
        let is_chosen = !choice.fields.is_empty() && !choice.is_found;
        let own =
            [shape.urls, shape.queries].into_iter().filter(|_| !is_chosen).chain([CONTEXT, ORIGINS, shape.context]);
        let own: Vec<&str> = own.flatten().copied().collect();
        let pointer = |name: &String| {
            Ok(Pointer { parts: parts(name)?, rule: rule_of(name), any_case: own.contains(&name.as_str()) })
        };
        let pointers = schema.names.iter().map(pointer).collect::<Result<Vec<_>, String>>()?;
        let depth = pointers.iter().map(|pointer| pointer.parts.len()).max().unwrap_or_default();
        let mut by_bucket = vec![[0; BUCKETS]; depth];
        for (number, pointer) in pointers.iter().enumerate() {
            for (part, masks) in pointer.parts.iter().zip(&mut by_bucket) {
                let bucket = bucket(part.as_bytes());
                let masks = if part == "*" { &mut masks[..] } else { &mut masks[bucket..=bucket] };
                masks.iter_mut().for_each(|mask| *mask |= 1 << number);
            }
        }
        let has_star = |pointer: &Pointer| u128::from(!IS_MODULE && pointer.parts.iter().any(|part| part == "*"));
        let with_star = pointers.iter().rev().fold(0, |mask, pointer| mask << 1 | has_star(pointer));
        let names = schema.names.clone();
        for name in &mut schema.names {
            // The elements of an array have the name of the array.
            *name = role::member(name).to_string();
        }
        let rule = |syntax| Rule { keep: CONTROLS, wrap: Wrap::Json, syntax };
        let word = Rule { wrap: Wrap::Verbatim, ..rule(Syntax::Reference) };
        // In a request line, a decoded space could end the target.
        let request = |keep| Rule { keep: CONTROLS | keep | ByteSet::of(b" "), ..rule(Syntax::Target) };
        let rules = vec![
            rule(Syntax::Reference),
            rule(Syntax::Target),
            rule(Syntax::Query),
            word,
            request(ByteSet::EMPTY),
            request(VERSION),
        ];
        schema.set_rules(rules, next_in_text);
        // No verb needs origins together with all other context fields.
        let room = MOST.saturating_sub(CONTEXT.len() + shape.context.len() + schema.asked);
        let Shape { spans_lines, elements, layers, .. } = *shape;
        Ok(Json {
            pointers,
            by_bucket,
            with_star,
            schema,
            names,
            words: choice.words && is_chosen,
            spans_lines,
            elements,
            layers,
            room,
        })
    }

    /// Adds the bytes of `keep` to every rule, so escapes of these bytes stay. Returns the changed format.
    pub fn keeping(mut self, keep: ByteSet) -> Json {
        self.schema.rules.iter_mut().for_each(|rule| rule.keep = rule.keep | keep);
        self
    }

    /// Returns the pointers of `mask` whose part at `depth` is `*` or fits `key`. `mask` and the result are both masks
    /// of pointers.
    fn fitting(&self, mask: u128, depth: usize, key: &[u8]) -> u128 {
        let near = mask & self.by_bucket.get(depth).map_or(0, |masks| masks[bucket(key)]);
        let fits = |&number: &usize| {
            let pointer = &self.pointers[number];
            let part = &pointer.parts[depth];
            part == "*" || part.as_bytes() == key || pointer.any_case && key.eq_ignore_ascii_case(part.as_bytes())
        };
        bits(near).filter(fits).fold(0, |all, number| all | 1 << number)
    }

    /// Returns the first pointer of `mask` that ends at `depth`.
    fn ending(&self, mask: u128, depth: usize) -> Option<usize> {
        bits(mask).find(|&number| self.pointers[number].parts.len() == depth)
    }

    /// Returns the pointers of `mask` that end after `depth` and one more part, if this part can be the name of a
    /// [pair](Scan::pair).
    fn named(&self, mask: u128, depth: usize) -> u128 {
        let is_name = |part: &str| part != "*" && part.parse::<usize>().is_err();
        let ends = |parts: &[String]| parts.len() == depth + 1 && is_name(&parts[depth]);
        bits(mask)
            .filter(|&number| !IS_MODULE && ends(&self.pointers[number].parts))
            .fold(0, |all, number| all | 1 << number)
    }

    /// Returns a scan of `record`. The scan starts at the object, after the brackets and commas that lie between the
    /// elements of an array.
    fn scan<'a>(&self, record: &'a [u8]) -> Scan<'a> {
        let text = record.trim_ascii();
        if !self.spans_lines && text.starts_with(b"[") && text.ends_with(b"]") {
            return Scan { text: record, at: 0 };
        }
        // If all objects are elements of one array, the brackets and commas of this array lie between the records. Many
        // programs write each element on its own line.
        let is_between = |byte: &u8| byte.is_ascii_whitespace() || b"[],".contains(byte);
        let end = record.iter().rposition(|byte| !is_between(byte)).map_or(0, |end| end + 1);
        let start = record[..end].iter().take_while(|byte| is_between(byte)).count();
        Scan { text: &record[..end], at: start }
    }

    /// Returns a format whose fields are the members called `members`. Formats whose records contain JSON objects use
    /// it to read these objects.
    pub fn strings(members: &[&str]) -> Result<Json, String> {
        let choice =
            Choice { fields: members.iter().map(|member| (*member).to_string()).collect(), ..Choice::default() };
        Json::new(&S_NDJSON, &choice)
    }
}

/// Returns the range of the target in the string `text`, and the index of its rule. The string may be a request line.
fn target_in(text: &[u8]) -> (Range<usize>, usize) {
    match if text.starts_with(b"/") { None } else { request_in(text) } {
        Some(target) => target_field(target, 0, REQUEST),
        None => (0..text.len(), TARGET),
    }
}

/// Returns the bucket of `key`. Keys that differ only in upper and lower case are in the same bucket.
fn bucket(key: &[u8]) -> usize {
    (key.len() + 5 * usize::from(key.last().map_or(0, |last| last | 0x20))) % BUCKETS
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
        if !IS_MODULE && memchr(b'~', part.as_bytes()).is_none() {
            return Ok(part.to_string());
        }
        let plain = part.replace("~0", "").replace("~1", "");
        match plain.contains('~') {
            true => Err(format!("`{pointer}` is no JSON pointer: after a ~ comes 0 or 1 (RFC 6901 3)")),
            false => Ok(part.replace("~1", "/").replace("~0", "~")),
        }
    };
    let parts: Vec<String> = inner.split('/').map(unescaped).collect::<Result<_, _>>()?;
    if parts.len() > MOST {
        return Err(format!("a pointer with {} parts is too long; {MOST} are possible", parts.len()));
    }
    Ok(parts)
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

    fn bounds(&self) -> Bounds {
        Bounds::Quote
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn extra_field(&self) -> ExtraField {
        ExtraField::Member
    }

    fn shown_names(&self) -> &[String] {
        &self.names[..self.schema.asked]
    }

    fn shown_name(&self, choice: usize) -> &str {
        &self.names[choice]
    }

    /// The names are JSON pointers. In a pointer, `*` stands for the elements of an array.
    fn candidates(&self, head: &[u8]) -> Candidates {
        Candidates::of_records(self.framing(), head, &|record, push| {
            let mut each = |pointer: &str, range: Range<usize>| {
                if let Some(value) = Wrap::Json.read(&record[range]) {
                    push(pointer.as_bytes(), &value);
                }
            };
            let _ = self.scan(record).strings(&mut String::new(), DEEPEST, &mut each);
        })
    }

    fn has_chosen(&self, name: &str) -> bool {
        let Ok(parts) = parts(name) else { return false };
        let fits = |(part, own): (&String, &String)| own == "*" || part.eq_ignore_ascii_case(own);
        let mut asked = self.pointers[..self.schema.asked].iter();
        asked.any(|own| own.parts.len() == parts.len() && parts.iter().zip(&own.parts).all(fits))
    }

    fn room(&self) -> usize {
        self.room
    }

    /// In a pointer, a `*` stands for each element of an array, or each member of an object. These are the parts.
    fn parts(&self, record: &[u8], fields: &[Field], joins_only: bool) -> Option<Parts> {
        let has_star = |field: &Field| self.with_star >> field.choice & 1 != 0;
        if IS_MODULE || fields.len() < 2 || !fields.iter().any(has_star) {
            return None;
        }
        let mut scan = self.scan(record);
        if let Some(key) = self.elements {
            scan.at = element_start(record, key)?;
        }
        let is_star =
            |field: &Field, depth, _| self.pointers[field.choice].parts.get(depth).is_some_and(|part| part == "*");
        Some(scan.parts(fields, 0, joins_only, is_star))
    }

    // A `%` may be written as the JSON escape `\u0025`, so a record with a backslash can't be skipped.
    fn mark(&self) -> Option<u8> {
        Some(b'\\')
    }

    fn others(&self, chunk: &[u8], _: &Layout) -> u64 {
        if self.spans_lines { 0 } else { empty_lines(chunk) }
    }

    fn fields(&self, record: &[u8], _: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        let mut scan = self.scan(record);
        if let Some(key) = self.elements {
            match element_start(record, key) {
                Some(start) => scan.at = start,
                // A record without `key`, the key of the array, is the text after the last element. Such a record is
                // copied as a comment.
                None if memmem::find(record, key.as_bytes()).is_none() => return Kind::Comment,
                None => return Kind::Unrecognized,
            }
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
            "{]", "{\"a\":\"%41\"}}", "{\"a\":\"%41\"} x", "{\"a\" \"%41\"}", "{a:1}", "[1,]x",
            "{\"b\":[}],\"a\":\"%41\"}",
        ] {
            assert_eq!(found(&["/a"], line), None, "{line}");
        }
        let deep = "[".repeat(1_000_000);
        assert_eq!(found(&["/*"], &deep), None);
        let pointer = "/*".repeat(MOST);
        assert_eq!(found(&[&pointer], &deep), None);
        assert_eq!(found(&[&pointer], &["[".repeat(MOST), "\"a\"".into(), "]".repeat(MOST)].concat()).unwrap(), ["a"]);
        let longer = Choice { fields: vec![pointer + "/*"], ..Choice::default() };
        assert!(Json::new(&S_NDJSON, &longer).is_err());
    }
}
