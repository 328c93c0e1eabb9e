//! Tests of `form::Config`: empty values, checkboxes, repeated names, and names with brackets. For names with brackets,
//! the oracle is a naive version of PHP's algorithm, and one of Rack's.
#![cfg(feature = "serde")]

use crate::common;
use crate::map::Map;

use std::fmt::{self, Debug};

use common::{Random, cases, scale};
use percent_simd::ByteSet;
use percent_standards::form::{self, Brackets, Config, Duplicates, ParseError, Parser, Serializer};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

const PLAIN: Config = Config::new();
const PHP: Config = Config { duplicates: Duplicates::Last, nested: Brackets::PHP, ..PLAIN };
const RAILS: Config = Config { duplicates: Duplicates::Last, nested: Brackets::RAILS, ..PLAIN };
const SERDE_QS: Config = Config { duplicates: Duplicates::Last, nested: Brackets::SERDE_QS, ..PLAIN };
const ALL: [Config; 3] = [PHP, RAILS, SERDE_QS];

#[track_caller]
fn reads<T: DeserializeOwned + PartialEq + Debug>(config: Config, form: &str, expected: T) {
    assert_eq!(config.deserialize::<T, _>(form).unwrap(), expected, "{form}");
}

#[track_caller]
fn refuses<T: DeserializeOwned + Debug>(config: Config, form: &str, field: &str, offset: usize) -> String {
    let error = config.deserialize::<T, _>(form).unwrap_err();
    assert_eq!((error.field(), error.offset()), (Some(field), Some(offset)), "{form}: {error}");
    error.to_string()
}

/// <https://github.com/nox/serde_urlencoded/issues/36>
#[test]
fn empty_values() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Fields {
        text: String,
        number: Option<u32>,
    }
    let config = Config { empty_as_none: true, ..PLAIN };
    reads(config, "text=&number=", Fields { text: String::new(), number: None });
    reads(config, "text&number", Fields { text: String::new(), number: None });
    reads(config, "text=&number=7", Fields { text: String::new(), number: Some(7) });
    refuses::<Fields>(PLAIN, "text=&number=", "number", 13);
    refuses::<Fields>(config, "text=&number=+", "number", 13);
    reads(config, "a=&a=1", Map::from([("a".to_string(), vec![None, Some(1)])]));
    let last = Config { duplicates: Duplicates::Last, ..config };
    reads(last, "a=1&a=", Map::from([("a".to_string(), None::<u8>)]));
    reads(
        Config { nested: Brackets::PHP, ..config },
        "a[b]=",
        Map::from([("a".to_string(), Map::from([("b".to_string(), None::<u8>)]))]),
    );
}

/// <https://github.com/murar8/axum_typed_multipart/issues/107>
#[test]
fn checkboxes() {
    let config = Config { bool_on: true, ..PLAIN };
    for (text, expected) in [("on", true), ("true", true), ("1", true), ("off", false), ("false", false), ("0", false)]
    {
        reads(config, &format!("ok={text}"), vec![("ok".to_string(), expected)]);
    }
    for text in ["", "ON", "yes", "2", "on+"] {
        refuses::<Vec<(String, bool)>>(config, &format!("ok={text}"), "ok", 3);
    }
    refuses::<Vec<(String, bool)>>(PLAIN, "ok=on", "ok", 3);
    // Rails sends a hidden 0 before the value of the checkbox.
    let rails = Config { duplicates: Duplicates::Last, ..config };
    reads(rails, "ok=0&ok=1", Map::from([("ok".to_string(), true)]));
}

#[test]
fn text_that_is_not_utf8() {
    let config = Config { lossy_text: true, ..PLAIN };
    reads(
        config,
        "a=%FFb&%FE=c",
        vec![("a".to_string(), "\u{FFFD}b".to_string()), ("\u{FFFD}".to_string(), "c".to_string())],
    );
    refuses::<Vec<(String, String)>>(PLAIN, "a=%FFb", "a", 2);
    refuses::<Vec<(String, u8)>>(config, "a=%FF", "a", 2);
    // https://github.com/elixir-plug/plug/issues/925: a type that asks for bytes gets the bytes.
    #[derive(Deserialize)]
    struct Raw<'a> {
        #[serde(borrow)]
        q: &'a [u8],
    }
    assert_eq!(config.deserialize::<Raw<'_>, _>(&b"q=\x9F"[..]).unwrap().q, [0x9F]);
}

#[test]
fn repeated_names() {
    fn map<T>(value: T) -> Map<String, T> {
        Map::from([("a".to_string(), value)])
    }
    refuses::<Map<String, u8>>(PLAIN, "a=1&a=2&a=3", "a", 6);
    for (duplicates, expected) in [(Duplicates::First, 1), (Duplicates::Last, 3), (Duplicates::Separate, 3)] {
        let config = Config { duplicates, ..PLAIN };
        reads(config, "a=1&a=2&a=3", map(expected));
        reads(Config { nested: Brackets::PHP, ..config }, "a=1&a=2&a=3", map(expected));
    }
    for duplicates in [Duplicates::Error, Duplicates::First, Duplicates::Last] {
        reads(Config { duplicates, ..PLAIN }, "a=1&a=2&a=3", map(vec![1, 2, 3]));
    }
    // `last_wins` is the same as `Separate`.
    assert_eq!(Parser::new().last_wins().deserialize::<Map<String, u8>, _>("a=1&a=2").unwrap(), map(2));
}

/// <https://github.com/elixir-plug/plug/issues/880>
#[test]
fn rejected_characters() {
    let parser = Parser::new().reject(ByteSet::of(b"\0"));
    let errors = |form: &'static str| {
        let offsets: Vec<_> = parser.parse(form).filter_map(Result::err).map(|error| error.offset()).collect();
        let also: Vec<_> = parser.parse_utf8(form).filter_map(Result::err).map(|error| error.offset()).collect();
        assert_eq!(offsets, also, "{form:?}");
        offsets
    };
    assert_eq!(errors("q=foo%00"), [5]);
    assert_eq!(errors("q=foo\0"), [5]);
    assert_eq!(errors("%00=a&b=c&d\0=e"), [0, 11]);
    assert_eq!(errors("q=%2500&%0=%%00"), [12]);
    assert_eq!(errors("a=%&b=1"), []);
    let error = parser.deserialize::<Vec<(String, String)>, _>("a=1&q=%00").unwrap_err();
    assert_eq!(error.parse_error(), Some(ParseError::Rejected { byte: 0, offset: 6 }));
    assert_eq!(error.to_string(), "the character 0x00 at byte 6 is not allowed here, escaped or not");
    // A `+` counts as a space.
    let spaces = Parser::new().reject(ByteSet::of(b" "));
    assert_eq!(spaces.parse("a+b").next(), Some(Err(ParseError::Rejected { byte: b' ', offset: 1 })));
    // If there are two errors, the first error in the input is reported.
    let strict = parser.strict();
    let offset = |form: &str| strict.parse(form).next().unwrap().unwrap_err().offset();
    assert_eq!((offset("a=%zz%00"), offset("a=%00%zz")), (2, 2));
    assert!(matches!(strict.parse("a=%00%zz").next(), Some(Err(ParseError::Rejected { .. }))));
    let mut random = Random::seeded(79);
    for _ in 0..cases(5_000) {
        let n = random.below(200);
        let form = random.hostile(n);
        let set = ByteSet::of(&[random.below(256) as u8, b'A']);
        let is_rejected = |part: &[u8]| part.iter().any(|&byte| set.contains(byte));
        let expected: Vec<bool> =
            Parser::new().parse_bytes(&form).map(|(name, value)| is_rejected(&name) || is_rejected(&value)).collect();
        let got: Vec<bool> = Parser::new().reject(set).parse_bytes(&form).map(|pair| pair.is_err()).collect();
        assert_eq!(got, expected, "{}", form.escape_ascii());
    }
}

/// A value of any form. The members are in the order of the form.
#[derive(Clone, PartialEq, Debug)]
enum Any {
    Text(String),
    List(Vec<Any>),
    Map(Vec<(String, Any)>),
}

impl<'de> Deserialize<'de> for Any {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Any, D::Error> {
        struct AnyVisitor;
        impl<'de> Visitor<'de> for AnyVisitor {
            type Value = Any;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_str<E>(self, text: &str) -> Result<Any, E> {
                Ok(Any::Text(text.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Any, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = elements.next_element()? {
                    list.push(element);
                }
                Ok(Any::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Any, A::Error> {
                let mut map = Vec::new();
                while let Some(member) = members.next_entry()? {
                    map.push(member);
                }
                Ok(Any::Map(map))
            }
        }
        deserializer.deserialize_any(AnyVisitor)
    }
}

/// Writes the value as JSON does, without quotes.
impl fmt::Display for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Any::Text(text) => f.write_str(text),
            Any::List(list) => {
                let list: Vec<_> = list.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", list.join(","))
            }
            Any::Map(map) => {
                let map: Vec<_> = map.iter().map(|(key, value)| format!("{key}:{value}")).collect();
                write!(f, "{{{}}}", map.join(","))
            }
        }
    }
}

fn shown(config: Config, form: &str) -> String {
    config
        .deserialize::<Any, _>(form)
        .map_or_else(|error| format!("error at {:?}", error.offset()), |any| any.to_string())
}

#[test]
fn common_names() {
    for (form, expected) in [
        // https://github.com/samscott89/serde_qs/issues/79
        ("officers%5B0%5D%5Bfirst_name%5D=x", "{officers:[{first_name:x}]}"),
        // https://github.com/samscott89/serde_qs/issues/44
        ("user_ids%5B%5D=1&user_ids%5B%5D=2", "{user_ids:[1,2]}"),
        ("a[b][]=c", "{a:{b:[c]}}"),
        ("a[b][]=c&a[b][]=d&a[e]=f", "{a:{b:[c,d],e:f}}"),
        ("a[1]=x&a[0]=y", "{a:[y,x]}"),
        ("a[7]=x&a[99999999999]=y&a[3]=z", "{a:[z,x,y]}"),
        ("a[0]=x&a[b]=y", "{a:{0:x,b:y}}"),
        ("a[01]=x", "{a:{01:x}}"),
        ("a[b]=1&a[b]=2", "{a:{b:2}}"),
        ("a[+]=1", "{a:{ :1}}"),
        ("a]=1&b]c=2", "{a]:1,b]c:2}"),
        ("a%5bb%5D=1", "{a:{b:1}}"),
        ("a=1", "{a:1}"),
        ("a[b&c", "error"),
        ("", "{}"),
    ] {
        for config in ALL {
            if form == "a[+]=1" && config == PHP || expected == "error" {
                continue; // the dialects differ here: the test `dialects` has these cases
            }
            assert_eq!(shown(config, form), expected, "{form} {config:?}");
        }
    }
    assert_eq!(shown(PLAIN, "a[b]=1"), "{a[b]:1}");
}

/// Tests the rows of the table in the documentation of `Brackets`. The sources are
/// <https://github.com/php/php-src/blob/master/main/php_variables.c>,
/// <https://github.com/rack/rack/blob/main/lib/rack/query_parser.rb>, and `de/parse.rs` of `serde_qs` 1.
#[test]
fn dialects() {
    const NO: &str = "error at Some(0)";
    for (form, php, rails, serde_qs) in [
        ("a[][b]=1&a[][c]=2", "{a:[{b:1},{c:2}]}", "{a:[{b:1,c:2}]}", NO),
        ("a[][b]=1&a[][b]=2", "{a:[{b:1},{b:2}]}", "{a:[{b:1},{b:2}]}", NO),
        (
            "a[][b][c]=1&a[][b][d]=2&a[][b][c]=3",
            "{a:[{b:{c:1}},{b:{d:2}},{b:{c:3}}]}",
            "{a:[{b:{c:1,d:2}},{b:{c:3}}]}",
            NO,
        ),
        ("a[][b][]=1&a[][b][]=2", "{a:[{b:[1]},{b:[2]}]}", "{a:[{b:[1,2]}]}", NO),
        ("a[][]=1&a[][]=2", "{a:[[1],[2]]}", "{a:[[1],[2]]}", NO),
        ("a=1&a[b]=2", "{a:{b:2}}", "error at Some(4)", "error at Some(4)"),
        ("a[b]=1&a=2", "{a:2}", "{a:2}", "error at Some(7)"),
        ("a[b]=1&a=2&a[c]=3", "{a:{c:3}}", "error at Some(11)", "error at Some(7)"),
        ("a[]=1&a[b]=2", "{a:{0:1,b:2}}", "error at Some(6)", "error at Some(6)"),
        ("a[5]=1&a[]=2", "{a:[1,2]}", "error at Some(7)", "error at Some(7)"),
        ("a[]=1&a[0]=2", "{a:[2]}", "error at Some(6)", "error at Some(6)"),
        ("a[b=1", "{a_b:1}", "{a:{[b:1}}", NO),
        ("a[=1", "{a_:1}", "{a[:1}", NO),
        ("a[b[c.d=1", "{a_b_c_d:1}", "{a:{[b[c.d:1}}", NO),
        ("a[b][c=1", "{a:{b:1}}", "{a:{b:{[c:1}}}", NO),
        ("a[b][=1", "{a:{b:1}}", "{a:{[b][:1}}", NO),
        ("a[b]c=1", "{a:{b:1}}", "{a:{b:{c:1}}}", NO),
        ("a[]c=1", "{a:[1]}", "{a:[{c:1}]}", NO),
        ("++a.b+c=1", "{a_b_c:1}", "{  a.b c:1}", "{  a.b c:1}"),
        ("a.b[c.d]=1", "{a_b:{c.d:1}}", "{a.b:{c.d:1}}", "{a.b:{c.d:1}}"),
        ("[a]=1", "{}", "{[a]:1}", "{[a]:1}"),
        ("+[a]=1", "{}", "{ :{a:1}}", "{ :{a:1}}"),
        ("[a][b]=1", "{}", "{[a]:{b:1}}", "{[a]:{b:1}}"),
        ("a[+]=1", "{a:[1]}", "{a:{ :1}}", "{a:{ :1}}"),
        ("=1", "{}", "{}", "{:1}"),
    ] {
        assert_eq!([PHP, RAILS, SERDE_QS].map(|config| shown(config, form)), [php, rails, serde_qs], "{form}");
    }
}

#[test]
fn depth_is_limited() {
    for (config, limit) in [(PHP, 64), (RAILS, 31), (SERDE_QS, 5)] {
        let form = |depth| format!("x=1&a{}=1", "[b]".repeat(depth));
        assert!(config.deserialize::<Any, _>(&form(limit)).is_ok(), "{config:?}");
        let name = &form(limit + 1)[4..][..1 + 3 * (limit + 1)];
        let message = refuses::<Any>(config, &form(limit + 1), name, 4);
        assert!(message.ends_with("the name has more brackets than the limit"), "{message}");
        let flat = Config { nested: config.nested.depth(0), ..config };
        assert!(flat.deserialize::<Any, _>("a=1").is_ok() && flat.deserialize::<Any, _>("a[]=1").is_err());
    }
    let long = format!("a{}=1", "[".repeat(scale(100_000)));
    assert!(ALL.map(|config| config.deserialize::<Any, _>(&long).is_ok()) == [true, true, false]);
    let error = Parser::new().limit(2).config(PHP).deserialize::<Any, _>("a[]=1&a[]=2&a[]=3").unwrap_err();
    assert_eq!(error.parse_error(), Some(ParseError::TooManyPairs { limit: 2, offset: 12 }));
}

#[test]
fn errors_name_the_path() {
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Officer {
        name: String,
        age: u8,
    }
    #[derive(Deserialize, Debug)]
    #[allow(dead_code)]
    struct Company {
        officers: Vec<Officer>,
    }
    for config in ALL {
        let refuses = |form, field, offset| refuses::<Company>(config, form, field, offset);
        let message = refuses("officers[0][name]=a&officers[0][age]=x", "officers[0][age]", 37);
        assert_eq!(message, "field `officers[0][age]`, at byte 37: invalid digit found in string");
        let message = refuses("x=1&officers[0][name]=a", "officers[0]", 4);
        assert_eq!(message, "field `officers[0]`, at byte 4: missing field `age`");
        refuses("officers[x][name]=a", "officers[x]", 0);
        refuses("officers[0]=a", "officers[0]", 12);
        refuses("officers=a", "officers", 9);
        refuses("officers%5B0%5D%5Bname%5D%5B%5D=a", "officers[0][name]", 0);
    }
    refuses::<Map<String, (u8, u8)>>(PHP, "a[]=1&a[]=2&a[]=3", "a[]", 16);
    refuses::<Map<String, u8>>(PHP, "a[b]=1", "a", 0);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
enum Shape {
    Point,
    Circle(u8),
    Line(u8, u8),
    Box { wide: u8, high: Option<u8> },
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone)]
struct Everything {
    text: String,
    #[serde(default)]
    numbers: Vec<u8>,
    map: Map<String, Map<u8, bool>>,
    #[serde(default)]
    shapes: Vec<Shape>,
    #[serde(default)]
    matrix: Vec<Vec<i8>>,
    pair: (char, u8),
    next: Option<Box<Everything>>,
    unit: (),
}

fn everything(random: &mut Random, depth: usize) -> Everything {
    const KEYS: [&str; 8] = ["a", "é", "[", "x[y", "0", "10", "a b", "%5D&="];
    let shape = |random: &mut Random| match random.below(4) {
        0 => Shape::Circle(7),
        1 => Shape::Line(1, 2),
        2 => Shape::Box { wide: 3, high: None },
        _ => Shape::Box { wide: 3, high: Some(4) },
    };
    let inner = |random: &mut Random| (0..1 + random.below(3)).map(|key| (key as u8 * 5, key == 1)).collect();
    Everything {
        text: KEYS[random.below(8)].into(),
        numbers: (0..random.below(3) as u8).collect(),
        map: (0..1 + random.below(3)).map(|_| (KEYS[random.below(8)].to_string(), inner(random))).collect(),
        shapes: (0..random.below(3)).map(|_| shape(random)).collect(),
        matrix: (0..random.below(3)).map(|n| (0..=n as i8).collect()).collect(),
        pair: ('x', 1),
        next: (depth > 0).then(|| Box::new(everything(random, depth - 1))),
        unit: (),
    }
}

#[test]
fn structures_are_written_and_read() {
    let mut random = Random::seeded(83);
    for _ in 0..cases(500) {
        let value = everything(&mut random, 1);
        for config in ALL {
            let config = Config { nested: config.nested.depth(9), ..config };
            let mut form = Serializer::new().nested(config.nested);
            form.serialize(&value).unwrap();
            let form = form.finish();
            reads(config, &form, value.clone());
            // We get the same pairs if the brackets aren't escaped.
            let raw = form.replace("%5B", "[").replace("%5D", "]");
            if raw.matches(['[', ']']).count() == form.matches("%5").count() {
                reads(config, &raw, value.clone());
            }
        }
    }
}

#[track_caller]
fn writes<T: Serialize>(brackets: Brackets, value: &T, expected: &str) {
    let mut form = Serializer::new().nested(brackets);
    match form.serialize(value) {
        Ok(_) => {
            let form = form.finish().replace("%5B", "[").replace("%5D", "]");
            assert_eq!(form, expected);
        }
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[test]
fn written_names() {
    fn map<T>(key: &str, value: T) -> Map<String, T> {
        Map::from([(key.to_string(), value)])
    }
    let value = map("a", map("b", vec!["c", "d"]));
    writes(Brackets::PHP, &value, "a[b][0]=c&a[b][1]=d");
    writes(Brackets::SERDE_QS, &value, "a[b][0]=c&a[b][1]=d");
    writes(Brackets::RAILS, &value, "a[b][]=c&a[b][]=d");
    writes(Brackets::RAILS, &map("officers", vec![map("first_name", "x")]), "officers[0][first_name]=x");
    writes(Brackets::PHP, &map("a", Shape::Point), "a=Point");
    writes(Brackets::PHP, &map("a", Shape::Line(1, 2)), "a[Line][0]=1&a[Line][1]=2");
    writes(Brackets::PHP, &vec![("a", map("b", 1))], "a[b]=1");
    let name = "this name would be read as another name, because brackets have a meaning";
    writes(Brackets::PHP, &map("a[", 1), &format!("field `a[`: {name}"));
    writes(Brackets::PHP, &map("a.b", 1), &format!("field `a.b`: {name}"));
    writes(Brackets::RAILS, &map("a.b", 1), "a.b=1");
    writes(Brackets::RAILS, &map("", 1), &format!("field ``: {name}"));
    writes(Brackets::RAILS, &map("a", map("", 1)), &format!("field ``: {name}"));
    writes(Brackets::RAILS, &map("a", map("]", 1)), &format!("field `]`: {name}"));
    writes(Brackets::OFF, &map("a[", 1), "a[=1");
    let lost = "field `a`: an element of a sequence must write a pair, because `None` and gaps are lost";
    writes(
        Brackets::PHP,
        &map("a", vec![Some(1), None]),
        "field `a`: `None` cannot be an element of a sequence in a form",
    );
    writes(Brackets::PHP, &map("a", vec![Vec::<u8>::new()]), lost);
    let mixed = vec![Shape::Point, Shape::Circle(1)];
    writes(Brackets::PHP, &map("a", mixed.clone()), "a[0]=Point&a[1][Circle]=1");
    writes(Brackets::RAILS, &map("a", mixed), "field `a`: Rails reads no sequence that has both values and structures");
    let deep = "field `a[b]`: the name has more brackets than the limit";
    writes(Brackets::PHP.depth(1), &value, deep);
    writes(
        Brackets::OFF,
        &value,
        "field `a`: a map cannot be the value of a field of a form; `Serializer::nested` allows it",
    );
}

#[test]
fn numbers_in_flattened_types() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Page {
        #[serde(with = "form::as_text")]
        page: u32,
        #[serde(with = "form::as_text")]
        ratio: f64,
        #[serde(default, with = "form::as_text::option")]
        size: Option<i8>,
        q: String,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Search {
        id: u8,
        #[serde(flatten)]
        page: Page,
    }
    for (size, form) in [(None, "id=1&page=2&ratio=0.5&q=3"), (Some(-4), "id=1&page=2&ratio=0.5&size=-4&q=3")] {
        let search = Search { id: 1, page: Page { page: 2, ratio: 0.5, size, q: "3".into() } };
        assert_eq!(form::from_str::<Search>(form).unwrap(), search);
        assert_eq!(form::to_string(&search).unwrap(), form);
    }
    assert_eq!(form::from_str::<Search>("id=1&page=2&ratio=0&size=&q=").unwrap().page.size, None);
    // If the type isn't flattened, the error names the field.
    let error = form::from_str::<Page>("page=x").unwrap_err();
    assert_eq!((error.field(), error.offset()), (Some("page"), Some(5)));
}

/// PHP's algorithm. As in PHP, an array keeps the order of its members. Here all keys are texts. A key counts as a
/// number if it has only digits, and no leading zero except in `0`.
mod php {
    #[derive(Clone, Debug)]
    pub enum Value {
        Text(String),
        Array(Vec<(String, Value)>),
    }

    fn next(array: &[(String, Value)]) -> String {
        let numbers = array.iter().filter_map(|(key, _)| super::number(key));
        numbers.max().map_or(0, |number| number + 1).to_string()
    }

    pub fn register(array: &mut Vec<(String, Value)>, name: &str, value: &str) {
        let name = name.trim_start_matches(' ');
        let bracket = name.find('[').unwrap_or(name.len());
        let mut key = Some(name[..bracket].replace([' ', '.'], "_"));
        if bracket == 0 {
            return;
        }
        let (mut array, mut rest) = (array, &name[bracket..]);
        while let Some(inside) = rest.strip_prefix('[') {
            let search = usize::from(inside.starts_with([' ', '\t', '\n', '\r', '\x0B', '\x0C']));
            let Some(end) = inside[search..].find(']').map(|at| at + search) else {
                if rest.len() == name.len() - bracket {
                    key = key.map(|key| key + &rest.replace([' ', '.', '['], "_"));
                }
                break;
            };
            let at = key.take().unwrap_or_else(|| next(array));
            array = entry(array, at);
            key = if inside[..end].len() == search { None } else { Some(inside[..end].to_string()) };
            rest = &inside[end + 1..];
        }
        let key = key.unwrap_or_else(|| next(array));
        let value = Value::Text(value.to_string());
        match array.iter_mut().find(|(found, _)| *found == key) {
            Some(found) => found.1 = value,
            None => array.push((key, value)),
        }
    }

    fn entry(array: &mut Vec<(String, Value)>, key: String) -> &mut Vec<(String, Value)> {
        let at = array.iter().position(|(found, _)| *found == key).unwrap_or_else(|| {
            array.push((key, Value::Array(Vec::new())));
            array.len() - 1
        });
        if let Value::Text(_) = array[at].1 {
            array[at].1 = Value::Array(Vec::new());
        }
        match &mut array[at].1 {
            Value::Array(array) => array,
            Value::Text(_) => unreachable!(),
        }
    }
}

/// Rack's algorithm.
mod rack {
    #[derive(Clone, Debug)]
    pub enum Value {
        Text(String),
        Array(Vec<Value>),
        Hash(Vec<(String, Value)>),
    }

    pub type Hash = Vec<(String, Value)>;

    fn get<'h>(hash: &'h mut Hash, key: &str) -> Option<&'h mut Value> {
        hash.iter_mut().find(|(found, _)| found == key).map(|(_, value)| value)
    }

    fn set(hash: &mut Hash, key: &str, value: Value) {
        match get(hash, key) {
            Some(found) => *found = value,
            None => hash.push((key.into(), value)),
        }
    }

    fn has_key(hash: &Hash, key: &str) -> bool {
        if key.contains("[]") {
            return false;
        }
        let mut now = Some(hash);
        for part in key.split(['[', ']']).filter(|part| !part.is_empty()) {
            let Some((_, value)) = now.and_then(|hash| hash.iter().find(|(found, _)| found == part)) else {
                return false;
            };
            now = if let Value::Hash(hash) = value { Some(hash) } else { None };
        }
        true
    }

    /// Stores a value under its name. If the types conflict, returns false.
    pub fn normalize(params: &mut Hash, name: &str, value: &str, depth: usize) -> bool {
        let text = || Value::Text(value.into());
        let (key, after) = if depth == 0 {
            let start = name.chars().next().map_or(0, char::len_utf8);
            match name[start..].find('[') {
                Some(at) => name.split_at(at + start),
                None => (name, ""),
            }
        } else if name.starts_with('[')
            && let Some(end) = name.find(']')
        {
            (&name[1..end], &name[end + 1..])
        } else {
            (name, "")
        };
        if key.is_empty() {
            return true;
        }
        if after.is_empty() {
            set(params, key, text());
        } else if after == "[" {
            set(params, name, text());
        } else if let Some(rest) = after.strip_prefix("[]") {
            if get(params, key).is_none() {
                set(params, key, Value::Array(Vec::new()));
            }
            let Some(Value::Array(array)) = get(params, key) else { return false };
            if rest.is_empty() {
                array.push(text());
                return true;
            }
            let simple = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
            let child = simple.filter(|child| !child.is_empty() && !child.contains(['[', ']'])).unwrap_or(rest);
            if let Some(Value::Hash(last)) = array.last_mut()
                && !has_key(last, child)
            {
                return normalize(last, child, value, depth + 1);
            }
            let mut hash = Hash::new();
            let is_good = normalize(&mut hash, child, value, depth + 1);
            array.push(Value::Hash(hash));
            return is_good;
        } else {
            if get(params, key).is_none() {
                set(params, key, Value::Hash(Vec::new()));
            }
            let Some(Value::Hash(hash)) = get(params, key) else { return false };
            return normalize(hash, after, value, depth + 1);
        }
        true
    }
}

fn number(key: &str) -> Option<u64> {
    let is_canonical = key.bytes().all(|byte| byte.is_ascii_digit()) && (key == "0" || !key.starts_with('0'));
    if is_canonical { key.parse().ok() } else { None }
}

/// Reads an array in the way that `Any` is read: if all keys are numbers, it is a list.
fn array(mut members: Vec<(String, Any)>, is_root: bool) -> Any {
    if is_root || members.iter().any(|(key, _)| number(key).is_none()) {
        return Any::Map(members);
    }
    members.sort_by_key(|(key, _)| number(key));
    Any::List(members.into_iter().map(|(_, value)| value).collect())
}

fn from_php(value: php::Value) -> Any {
    match value {
        php::Value::Text(text) => Any::Text(text),
        php::Value::Array(members) => {
            array(members.into_iter().map(|(key, value)| (key, from_php(value))).collect(), false)
        }
    }
}

fn from_rack(value: rack::Value) -> Any {
    match value {
        rack::Value::Text(text) => Any::Text(text),
        rack::Value::Array(list) => Any::List(list.into_iter().map(from_rack).collect()),
        rack::Value::Hash(members) => {
            array(members.into_iter().map(|(key, value)| (key, from_rack(value))).collect(), false)
        }
    }
}

#[test]
fn hostile_names_are_read_as_php_and_rack_read_them() {
    const TOKENS: [&str; 14] = ["a", "b", "[", "]", "[]", "[a]", "[b]", "[0]", "[1]", "[2]", ".", " ", "[ ]", "é"];
    let mut random = Random::seeded(89);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..cases(20_000) {
        let pairs: Vec<(String, String)> = (0..random.below(6))
            .map(|number| {
                let mut name = String::from(if random.below(4) > 0 { "a" } else { "" });
                (0..random.below(6)).for_each(|_| name.push_str(TOKENS[random.below(TOKENS.len())]));
                (name, number.to_string())
            })
            .collect();
        let form = form::serialize(&pairs);
        let mut members = Vec::new();
        pairs.iter().for_each(|(name, value)| php::register(&mut members, name, value));
        let expected = array(members.into_iter().map(|(key, value)| (key, from_php(value))).collect(), true);
        assert_eq!(PHP.deserialize::<Any, _>(&form).unwrap(), expected, "{pairs:?}");

        // We skip names that are affected by two odd rules of Rack. After `[]`, Rack reads another `[]` as a key. If
        // the key is `[b` or `]b`, Rack looks for the key `b`.
        let is_clean = |rest: &str| {
            rest.split_inclusive(']')
                .all(|part| part.starts_with('[') && part.ends_with(']') && part.matches('[').count() == 1)
        };
        let is_odd = |name: &str| {
            name.contains("[][]") || name.split("[]").skip(1).any(|rest| rest.contains(['[', ']']) && !is_clean(rest))
        };
        if pairs.iter().any(|(name, _)| is_odd(name)) {
            continue;
        }
        let mut hash = rack::Hash::new();
        let is_good = pairs.iter().all(|(name, value)| rack::normalize(&mut hash, name, value, 0));
        match RAILS.deserialize::<Any, _>(&form) {
            Ok(got) => {
                assert!(is_good, "{pairs:?}");
                let members = hash.into_iter().map(|(key, value)| (key, from_rack(value))).collect();
                assert_eq!(got, array(members, true), "{pairs:?}");
                read += 1;
            }
            Err(error) => {
                assert!(!is_good, "{pairs:?}: {error}");
                refused += 1;
            }
        }
        // If a form is valid for `serde_qs`, all dialects read it in the same way. The exceptions are names with
        // characters that PHP replaces, empty names, and names that start with `[`.
        if let Ok(got) = SERDE_QS.deserialize::<Any, _>(&form)
            && !form.contains(['.', '+'])
            && pairs.iter().all(|(name, _)| !name.starts_with('[') && !name.is_empty())
        {
            assert_eq!(got, expected, "{pairs:?}");
        }
    }
    assert!(read > 100 && refused > 20, "{read} {refused}");
}

#[test]
fn many_names_take_no_quadratic_time() {
    let count = scale(20_000);
    for config in ALL {
        for name in
            [|n| format!("a[{n}]=1&"), |n| format!("a{n}[b]=1&"), |n| format!("a[b][x{n}]=1&"), |_| "a[]=1&".into()]
        {
            let form: String = (0..count).rev().map(name as fn(usize) -> String).collect();
            assert!(config.deserialize::<Any, _>(&form).is_ok());
        }
    }
    let form: String = (0..count).map(|n| format!("a[][b{}]=1&", n % 3)).collect();
    assert!(RAILS.deserialize::<Any, _>(&form).is_ok());
}
