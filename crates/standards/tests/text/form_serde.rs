//! Tests of forms as types. If `serde_urlencoded` supports a case, both must give the same result.
#![cfg(feature = "serde")]

use crate::common;
use crate::map::Map;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug};
use std::marker::PhantomData;

use common::*;
use percent_simd::DecodeErrorKind;
use percent_standards::form::{self, ParseError, Parser, SerdeError, Serializer};
use quickcheck::{Arbitrary, Gen};
use serde::de::{DeserializeOwned, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Checks that `value` is written as `form`, and that it is read back from `form`. Does the same with
/// `serde_urlencoded`.
#[track_caller]
fn both_ways<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, form: &str) {
    one_library(value, form);
    assert_eq!(serde_urlencoded::to_string(value).unwrap(), form, "serde_urlencoded");
    assert_eq!(&serde_urlencoded::from_str::<T>(form).unwrap(), value, "serde_urlencoded");
}

/// Checks that `value` is written as `form`, and that it is read back from `form`. Use this if `serde_urlencoded` lacks
/// the case or handles it in another way.
#[track_caller]
fn one_library<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, form: &str) {
    assert_eq!(form::to_string(value).unwrap(), form);
    assert_eq!(&form::from_str::<T>(form).unwrap(), value);
    assert_eq!(&form::from_bytes::<T>(form.as_bytes()).unwrap(), value);
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Default)]
struct Scalars {
    text: String,
    letter: char,
    yes: bool,
    byte: u8,
    small: i8,
    large: u64,
    negative: i64,
    ratio: f64,
}

#[derive(Serialize, Deserialize, PartialEq, Debug, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Order {
    Up,
    Down,
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Meters(u32);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Tags(Vec<String>);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Marker;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.into()).collect()
}

#[test]
fn scalars() {
    let value = Scalars {
        text: "a b&c=é".into(),
        letter: 'ж',
        yes: true,
        byte: 255,
        small: -128,
        large: u64::MAX,
        negative: i64::MIN,
        ratio: -0.5,
    };
    let form = "text=a+b%26c%3D%C3%A9&letter=%D0%B6&yes=true&byte=255&small=-128&large=18446744073709551615\
                &negative=-9223372036854775808&ratio=-0.5";
    both_ways(&value, form);
    one_library(&[("a", i128::MIN), ("b", i128::MAX)].map(|(name, n)| (name.to_string(), n)).to_vec(), {
        "a=-170141183460469231731687303715884105728&b=170141183460469231731687303715884105727"
    });
    for ratio in [0.0, 1.0, 1e300, 5e-324, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NEG_INFINITY] {
        let form = form::to_string([("r", ratio)]).unwrap();
        assert_eq!(form::from_str::<Vec<(String, f64)>>(&form).unwrap(), [("r".to_string(), ratio)]);
    }
}

#[test]
fn order_and_unknown_fields_do_not_matter() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Two {
        a: u8,
        b: u8,
    }
    for form in ["a=1&b=2", "b=2&a=1", "x=9&b=2&y&x=8&a=1&%FF=%FF", "&&b=2&&a=1&"] {
        assert_eq!(form::from_str::<Two>(form).unwrap(), Two { a: 1, b: 2 }, "{form}");
        assert_eq!(serde_urlencoded::from_str::<Two>(form).unwrap(), Two { a: 1, b: 2 }, "{form}");
    }
    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(deny_unknown_fields)]
    struct Denies {
        a: u8,
    }
    let error = form::from_str::<Denies>("a=1&bb=2").unwrap_err();
    assert_eq!((error.offset(), error.field()), (Some(4), None));
    assert_eq!(error.to_string(), "at byte 4: unknown field `bb`, expected `a`");
}

#[test]
fn options() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Options {
        a: Option<u8>,
        b: Option<Option<String>>,
    }
    both_ways(&Options { a: None, b: None }, "");
    both_ways(&Options { a: Some(1), b: None }, "a=1");
    both_ways(&Options { a: None, b: Some(Some(String::new())) }, "b=");
    let error = form::to_string(Options { a: Some(1), b: Some(None) }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field `b`: `Some` of an empty sequence or of `None` would be read as `None`; write `None`"
    );
    assert!(form::from_str::<Options>("a=").is_err());
    assert!(serde_urlencoded::from_str::<Options>("a=").is_err());
}

#[test]
fn sequences_are_repeated_names() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Lists {
        #[serde(default)]
        a: Vec<u8>,
        #[serde(default)]
        order: Vec<Order>,
        pair: (u8, String),
        tags: Option<Tags>,
    }
    let value = Lists {
        a: vec![1, 2, 1],
        order: vec![Order::Down],
        pair: (7, "x y".into()),
        tags: Some(Tags(strings(&["p", "q"]))),
    };
    one_library(&value, "a=1&a=2&a=1&order=down&pair=7&pair=x+y&tags=p&tags=q");
    // Between repeated names, there may be other names.
    let form = "a=1&pair=7&a=2&tags=p&order=down&tags=q&a=1&pair=x+y";
    assert_eq!(form::from_str::<Lists>(form).unwrap(), value);
    let none = Lists { a: vec![], order: vec![], pair: (0, String::new()), tags: None };
    one_library(&none, "pair=0&pair=");
}

#[test]
fn many_names_are_grouped_too() {
    let mut pairs = Vec::new();
    let mut expected: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for i in 0..2000 {
        let name = format!("n{}", i * 7919 % 613);
        pairs.push((name.clone(), i));
        expected.entry(name).or_default().push(i);
    }
    let form = form::to_string(&pairs).unwrap();
    assert_eq!(form::from_str::<BTreeMap<String, Vec<u32>>>(&form).unwrap(), expected);
    assert_eq!(form::from_str::<Vec<(String, u32)>>(&form).unwrap(), pairs);
}

#[test]
fn many_names_are_read() {
    // If each name were compared with all earlier names, this would take 300 times as long. `scripts/linear` counts the
    // instructions for this form.
    let pairs: Vec<(String, u32)> = (0..100_000).map(|i| (i.to_string(), i)).collect();
    let form = form::to_string(&pairs).unwrap();
    assert!(form::from_str::<HashMap<String, u32>>(&form).unwrap() == pairs.into_iter().collect());
}

#[test]
fn enums() {
    both_ways(&vec![("sort".to_string(), Order::Up)], "sort=up");
    let error = form::from_str::<Vec<(String, Order)>>("sort=up&sort=sideways").unwrap_err();
    assert_eq!((error.field(), error.offset()), (Some("sort"), Some(13)));
    assert_eq!(error.to_string(), "field `sort`, at byte 13: unknown variant `sideways`, expected `up` or `down`");
    let map: HashMap<Order2, u8> = form::from_str("Up=1").unwrap();
    assert_eq!(map[&Order2::Up], 1);

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Data {
        New(u8),
        Tuple(u8, u8),
        Struct { a: u8 },
    }
    for (name, value) in [("New", Data::New(1)), ("Tuple", Data::Tuple(1, 2)), ("Struct", Data::Struct { a: 1 })] {
        let error = form::to_string(&[("x", value)]).unwrap_err();
        assert_eq!(error.field(), Some("x"));
        assert_eq!(
            error.to_string(),
            "field `x`: a variant with data cannot be the value of a field of a form; `Serializer::nested` allows it"
        );
        let error = form::from_str::<Vec<(String, Data)>>(&format!("x={name}")).unwrap_err();
        assert_eq!((error.field(), error.offset()), (Some("x"), Some(2)), "{error}");
    }
}

#[derive(Deserialize, PartialEq, Eq, Hash, Debug)]
enum Order2 {
    Up,
}

/// Bytes, like the type in the crate `serde_bytes`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug, Clone)]
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = Bytes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

#[test]
fn bytes() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Announce {
        info_hash: Bytes,
        port: u16,
    }
    let value = Announce { info_hash: Bytes((0..=255).collect()), port: 6881 };
    let form = form::to_string(&value).unwrap();
    assert!(form.starts_with("info_hash=%00%01%02") && form.ends_with("%FE%FF&port=6881"));
    assert_eq!(form::from_str::<Announce>(&form).unwrap(), value);
    // Names can also be bytes.
    let map = Map::from([(Bytes(vec![0xFF]), Bytes(vec![0xFE]))]);
    one_library(&map, "%FF=%FE");
}

/// A sequence that was read, and the size hints that serde got: one before each element, and one at the end.
struct Foretold<T>(Vec<T>, Vec<Option<usize>>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Foretold<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Foretold<T>, D::Error> {
        struct Elements<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
            type Value = Foretold<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("elements")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Foretold<T>, A::Error> {
                let mut found = Foretold(Vec::new(), vec![elements.size_hint()]);
                while let Some(element) = elements.next_element()? {
                    found.0.push(element);
                    found.1.push(elements.size_hint());
                }
                Ok(found)
            }
        }
        deserializer.deserialize_seq(Elements(PhantomData))
    }
}

/// With size hints, a `Vec` needs only one allocation.
#[test]
fn pairs_are_counted_before_they_are_read() {
    let Foretold(pairs, left) = form::from_str::<Foretold<Foretold<String>>>("a=b&c=d&e").unwrap();
    assert_eq!(left, [Some(3), Some(2), Some(1), Some(0)]);
    for (Foretold(parts, left), expected) in pairs.iter().zip([["a", "b"], ["c", "d"], ["e", ""]]) {
        assert_eq!(parts, &expected);
        assert_eq!(left, &[Some(2), Some(1), Some(0)]);
    }
}

#[test]
fn text_is_borrowed_where_it_does_not_change() {
    #[derive(Deserialize, PartialEq, Debug)]
    struct Borrowed<'a> {
        plain: &'a str,
        #[serde(borrow)]
        either: Cow<'a, str>,
        bytes: &'a [u8],
    }
    let value: Borrowed = form::from_str("plain=abc&either=a+b&bytes=xyz").unwrap();
    assert_eq!(value, Borrowed { plain: "abc", either: Cow::Owned("a b".into()), bytes: b"xyz" });
    let long = format!("plain={0}&either={0}&bytes={0}", "é".repeat(100));
    assert_eq!(form::from_str::<Borrowed>(&long).unwrap().plain, "é".repeat(100));
    assert!(form::from_str::<Borrowed>("plain=a+c&either=a+b&bytes=xyz").is_err());
}

#[test]
fn maps_and_sequences_of_pairs() {
    both_ways(&Map::from([("a".to_string(), 1), ("b".to_string(), 2)]), "a=1&b=2");
    both_ways(&Map::from([(1, 'x'), (2, 'y')]), "1=x&2=y");
    both_ways(&vec![("b".to_string(), Some(1)), ("a".to_string(), Some(2)), ("b".to_string(), Some(3))], "b=1&a=2&b=3");
    one_library(&(("a".to_string(), 1), ("b".to_string(), "x".to_string())), "a=1&b=x");
    both_ways(&Vec::<(String, String)>::new(), "");
    one_library(&Map::from([("a".to_string(), vec![1, 2]), ("b".to_string(), vec![3])]), "a=1&a=2&b=3");
    assert!(form::from_str::<((String, u8), (String, u8))>("a=1").is_err());
    let error = form::from_str::<((String, u8),)>("a=1&b=2").unwrap_err();
    assert_eq!(error.offset(), Some(4));
}

#[test]
fn units_and_newtypes() {
    both_ways(&(), "");
    one_library(&Some(()), "");
    one_library(&vec![("a".to_string(), ())], "a=");
    one_library(&vec![("a".to_string(), Marker)], "a=Marker");
    one_library(&Map::from([("a".to_string(), vec![Marker, Marker])]), "a=Marker&a=Marker");
    one_library(&Map::from([("a".to_string(), vec![(), ()])]), "a=&a=");
    both_ways(&vec![("m".to_string(), Meters(5))], "m=5");
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Outer(Map<String, Meters>);
    one_library(&Outer(Map::from([("m".to_string(), Meters(5))])), "m=5");
    assert!(form::from_str::<()>("a").is_err());
    assert!(form::from_str::<Vec<(String, ())>>("a=1").is_err());
}

#[test]
fn flatten_default_rename() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Page {
        cursor: Option<String>,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Query {
        #[serde(rename = "n")]
        number: u32,
        #[serde(default = "ten")]
        limit: u32,
        #[serde(flatten)]
        page: Page,
        #[serde(flatten)]
        rest: Map<String, String>,
    }
    fn ten() -> u32 {
        10
    }
    let value = Query {
        number: 3,
        limit: 5,
        page: Page { cursor: Some("x".into()) },
        rest: Map::from([("z".into(), "1".into())]),
    };
    both_ways(&value, "n=3&limit=5&cursor=x&z=1");
    assert_eq!(form::from_str::<Query>("n=3").unwrap().limit, 10);
    #[derive(Deserialize, PartialEq, Debug)]
    #[serde(tag = "kind")]
    enum Tagged {
        Circle { name: String },
    }
    assert_eq!(form::from_str::<Tagged>("name=x&kind=Circle").unwrap(), Tagged::Circle { name: "x".into() });
}

#[track_caller]
fn refuses<T: DeserializeOwned + Debug>(form: &str, field: Option<&str>, offset: Option<usize>) -> SerdeError {
    let error = form::from_str::<T>(form).unwrap_err();
    assert_eq!((error.field(), error.offset()), (field, offset), "{error}");
    error
}

#[test]
fn errors_name_field_and_offset() {
    let error = refuses::<Scalars>("byte=256", Some("byte"), Some(5));
    assert_eq!(error.to_string(), "field `byte`, at byte 5: number too large to fit in target type");
    let error = refuses::<Scalars>("text=a&text=b", Some("text"), Some(12));
    assert_eq!(error.to_string(), "field `text`, at byte 12: given more than once");
    assert!(serde_urlencoded::from_str::<Scalars>("text=a&text=b").is_err());
    let error = refuses::<Scalars>("text=a", None, None);
    assert_eq!(error.to_string(), "missing field `letter`");
    let error = refuses::<Scalars>("text=%41%FF", Some("text"), Some(8));
    assert_eq!(error.parse_error().map(|error| error.offset()), Some(8));
    assert_eq!(error.to_string(), "field `text`: the decoded text is not UTF-8 from byte 8 of the input on");
    refuses::<Scalars>("letter=ab", Some("letter"), Some(7));
    refuses::<Vec<(String, Vec<Vec<u8>>)>>("a=1", Some("a"), Some(2));
    refuses::<Map<String, Map<String, u8>>>("a=1", Some("a"), Some(2));
    refuses::<Map<String, Scalars>>("a=1", Some("a"), Some(2));
    refuses::<Map<String, u8>>("b=1&a=1&a=2", Some("a"), Some(10));
    refuses::<Map<String, (u8, u8)>>("a=1&a=2&a=3", Some("a"), Some(10));
    refuses::<Map<String, (u8, u8)>>("a=1", Some("a"), Some(2));
    refuses::<Vec<(String, Vec<u8>)>>("a=1&b=x", Some("b"), Some(6));
    refuses::<Map<String, Vec<u8>>>("a=1&b=2&a=x", Some("a"), Some(10));
    refuses::<Vec<(u8, u8)>>("1=1&x=2", None, Some(4));
    refuses::<u8>("1", None, None);
    refuses::<Order>("up", None, None);

    let parse = |error: SerdeError| error.parse_error().unwrap();
    let error = Parser::new().limit(1).deserialize::<Map<String, u8>, _>("a=1&b=2").unwrap_err();
    assert_eq!(parse(error), ParseError::TooManyPairs { limit: 1, offset: 4 });
    let error = Parser::new().strict().deserialize::<Map<String, String>, _>("a=1&b=%").unwrap_err();
    assert!(matches!(parse(error), ParseError::Decode(error) if fault(error) == (6, DecodeErrorKind::Truncated)));
    assert_eq!(form::from_str::<Map<String, String>>("a=%&?%").unwrap()["?%"], "");
}

#[test]
fn values_without_a_form_are_refused_and_write_nothing() {
    #[track_caller]
    fn refuses<T: Serialize>(value: &T, field: Option<&str>) {
        macro_rules! written_onto {
            ($out:expr) => {{
                let mut form = Serializer::append_to($out);
                form.append("before", "");
                let error = form.serialize(value).unwrap_err();
                assert_eq!(error.field(), field, "{error}");
                form.append("after", "");
                form.finish()
            }};
        }
        assert_eq!(written_onto!(String::new()), "before=&after=");
        assert_eq!(written_onto!(Vec::new()), b"before=&after=");
        let mut url = String::from("/?");
        assert_eq!(written_onto!(&mut url), "/?before=&after=");
    }
    refuses(&1, None);
    refuses(&"text", None);
    refuses(&Order::Up, None);
    refuses(&["text"], None);
    refuses(&[("a", "b", "c")], None);
    refuses(&[("a",)], None);
    refuses(&[("ok", "1"), ("é", "2")].map(|(name, value)| ((name, value), value)), None);
    refuses(&[((), "a")], None);
    refuses(&Map::from([("ok", vec![vec![1]])]), Some("ok"));
    refuses(&Map::from([("ok", vec![Some(1), None])]), Some("ok"));
    refuses(&Map::from([("é", Map::from([("a", 1)]))]), Some("é"));
    refuses(&Map::from([("a", Scalars::default())]), Some("a"));
}

#[test]
fn appends() {
    let mut url = String::from("/?");
    Serializer::append_to(&mut url).percent_spaces().semicolons().serialize(&[("a", "x y"), ("b", "")]).unwrap();
    assert_eq!(url, "/?a=x%20y;b=");
    let mut bytes = Vec::new();
    Serializer::append_to(&mut bytes).serialize(&[("a", 1)]).unwrap().append("b", "2");
    assert_eq!(bytes, b"a=1&b=2");
    let map: Map<String, String> = Parser::new().semicolons().deserialize(&url[2..]).unwrap();
    assert_eq!(map["a"], "x y");
}

#[derive(Clone, Debug)]
struct Hostile(Vec<u8>);

impl Arbitrary for Hostile {
    fn arbitrary(g: &mut Gen) -> Hostile {
        let mut random = Random(u64::arbitrary(g) | 1);
        let most = [8, 40, 200][random.below(3)];
        let n = random.below(most);
        let mut input = random.hostile(n);
        for byte in &mut input {
            if random.one_in(4) {
                *byte = b"&&&===;ab%?1"[random.below(12)];
            }
        }
        Hostile(input)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Hostile>> {
        Box::new(self.0.shrink().map(Hostile))
    }
}

#[derive(Deserialize, Debug)]
#[allow(dead_code)] // only read from input
struct Everything<'a> {
    a: Option<String>,
    b: Option<Vec<u16>>,
    aa: Option<Order>,
    ab: Option<Cow<'a, str>>,
    ba: Option<Bytes>,
    #[serde(flatten)]
    rest: Map<String, String>,
}

#[test]
fn bytes_read_as_by_the_parser_for_any_input() {
    fn property(Hostile(input): Hostile) {
        let inside = |error: SerdeError| assert!(error.offset().is_none_or(|at| at <= input.len()), "{error}");
        let _ = form::from_bytes::<Everything>(&input).map_err(inside);
        let _ = form::from_bytes::<Map<String, Vec<String>>>(&input).map_err(inside);
        let _ = form::from_bytes::<Vec<(String, u8)>>(&input).map_err(inside);
        let _ = Parser::new().strict().limit(3).deserialize::<Everything, _>(&input).map_err(inside);
        // If names and values are read as bytes, a form always has the same pairs as the parser returns.
        let pairs: Vec<(Bytes, Bytes)> = form::from_bytes(&input).unwrap();
        let parsed: Vec<_> = Parser::new().parse_bytes(&input).collect();
        assert!(
            pairs.iter().map(|(name, value)| (&name.0[..], &value.0[..])).eq(parsed.iter().map(|(n, v)| (&**n, &**v)))
        );
        // The groups are in the order of their first names.
        let mut grouped: Map<Bytes, Vec<Bytes>> = Map::default();
        for (name, value) in pairs.clone() {
            match grouped.0.iter_mut().find(|group| group.0 == name) {
                Some(group) => group.1.push(value),
                None => grouped.0.push((name, vec![value])),
            }
        }
        assert_eq!(form::from_bytes::<Map<Bytes, Vec<Bytes>>>(&input).unwrap(), grouped);
        // We write the pairs as a form again.
        let form = form::to_string(&pairs).unwrap();
        assert_eq!(form::from_str::<Vec<(Bytes, Bytes)>>(&form).unwrap(), pairs);
        // If all names and values are text, `serde_urlencoded` returns the same pairs.
        if let Ok(pairs) = form::from_bytes::<Vec<(String, String)>>(&input) {
            assert_eq!(serde_urlencoded::from_bytes::<Vec<(String, String)>>(&input).unwrap(), pairs);
            assert_eq!(serde_urlencoded::to_string(&pairs).unwrap(), form);
        }
    }
    check(20_000, property as fn(Hostile));
}

/// Tests that `last_wins` does the same as `serde_urlencoded`: a map keeps the last value of a name, and a struct
/// reports a repeated name as an error.
#[test]
fn repeated_names_one_by_one() {
    use std::collections::HashMap;
    let parser = Parser::new().last_wins();
    for input in ["a=1&b=2&a=3", "a=1", "", "a&a&a=", "%61=1&a=2&b=%00"] {
        let map: HashMap<String, String> = parser.deserialize(input).unwrap();
        assert_eq!(map, serde_urlencoded::from_str::<HashMap<String, String>>(input).unwrap(), "{input}");
    }
    let many: String = (0..40).map(|n| format!("a{}={n}&", n % 15)).collect();
    let map: HashMap<String, u32> = parser.strict().deserialize(&many).unwrap();
    assert_eq!(map, serde_urlencoded::from_str::<HashMap<String, u32>>(&many).unwrap());

    #[derive(Deserialize, Debug, PartialEq)]
    struct Once {
        a: String,
    }
    assert!(parser.deserialize::<Once, _>("a=1&a=2").unwrap_err().to_string().contains("duplicate field"));
    assert!(serde_urlencoded::from_str::<Once>("a=1&a=2").unwrap_err().to_string().contains("duplicate field"));
    assert_eq!(parser.deserialize::<Once, _>("a=1").unwrap(), Once { a: "1".into() });
}

#[test]
fn forms_of_values_and_references() {
    assert_eq!(form::to_string([("a", "é")]).unwrap(), "a=%C3%A9");
    assert_eq!(form::to_string(&[("a", "é")][..]).unwrap(), "a=%C3%A9");
    assert_eq!(form::to_string(vec![("a", 1)]).unwrap(), serde_urlencoded::to_string(vec![("a", 1)]).unwrap());
}

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Both(u8, u8);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Named(String, u8);

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Pairs(Named, Named);

#[test]
fn tuple_structs_are_tuples_everywhere() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Form {
        a: Both,
    }
    // A tuple can be the values of a name, a pair, or a whole form.
    one_library(&Form { a: Both(1, 2) }, "a=1&a=2");
    one_library(&Pairs(Named("a".into(), 1), Named("b".into(), 2)), "a=1&b=2");
    assert_eq!(form::to_string([Named("a b".into(), 3)]).unwrap(), "a+b=3");
    let error = form::from_str::<Form>("a=1&a=2&a=3").unwrap_err();
    assert_eq!((error.offset(), error.field()), (Some(10), Some("a")));
    let error = form::from_str::<Form>("a=1").unwrap_err();
    assert_eq!(error.field(), Some("a"));
    let error = form::from_str::<Pairs>("a=1&b=2&c=3").unwrap_err();
    assert_eq!(error.offset(), Some(8));
    // If there is only one value, it can be read as a tuple with one element.
    #[derive(Deserialize, PartialEq, Debug)]
    struct One {
        a: (u8,),
    }
    assert_eq!(form::from_str::<One>("a=7").unwrap(), One { a: (7,) });
}

#[test]
fn none_and_unit_are_empty_forms_but_no_pairs() {
    assert_eq!(form::to_string(None::<Scalars>).unwrap(), "");
    assert_eq!(form::to_string(Marker).unwrap(), "");
    assert_eq!(form::from_str::<Marker>("").unwrap(), Marker);
    assert_eq!(form::from_str::<Marker>("a=1").unwrap_err().offset(), Some(0));
    for error in [
        form::to_string([None::<(u8, u8)>]).unwrap_err(),
        form::to_string([Marker]).unwrap_err(),
        form::to_string([((1, 2), 3)]).unwrap_err(),
        form::to_string([(Both(1, 2), 3)]).unwrap_err(),
        form::to_string([("a", [Both(1, 2)])]).unwrap_err(),
    ] {
        assert!(error.to_string().contains("cannot be"), "{error}");
    }
    assert_eq!(form::to_string([("a", 0.5_f32)]).unwrap(), "a=0.5");
}

#[test]
fn ignored_fields_can_be_any_bytes() {
    use serde::de::IgnoredAny;
    form::from_str::<IgnoredAny>("a=1&b=%FF").unwrap();
    #[derive(Deserialize, PartialEq, Debug)]
    struct Some {
        a: u8,
    }
    assert_eq!(form::from_str::<Some>("b=1&a=2&b=3&c=%zz").unwrap(), Some { a: 2 });
}

#[test]
fn a_repeated_name_is_an_error_for_every_single_value() {
    #[derive(Deserialize, Debug)]
    struct Of<T> {
        #[serde(rename = "a")]
        _a: T,
    }
    #[track_caller]
    fn refuses<T: DeserializeOwned + Debug>() {
        let error = form::from_str::<Of<T>>("a=Up&a=Up").unwrap_err();
        assert_eq!((error.offset(), error.field()), (Some(7), Some("a")), "{error}");
        assert_eq!(error.parse_error(), None);
        assert!(format!("{error:?}").contains("given more than once"), "{error:?}");
    }
    refuses::<Order>();
    refuses::<Marker>();
    refuses::<u8>();
    refuses::<String>();
}

#[test]
fn errors_of_a_type_come_with_its_field() {
    struct Refuses;
    impl Serialize for Refuses {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not today"))
        }
    }
    let error = form::to_string([("a b", Refuses)]).unwrap_err();
    assert_eq!((error.field(), error.to_string()), (Some("a b"), "field `a b`: not today".into()));

    struct Asks;
    impl<'de> Deserialize<'de> for Asks {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Asks, D::Error> {
            struct ValueFirst;
            impl<'de> Visitor<'de> for ValueFirst {
                type Value = Asks;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a map")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Asks, A::Error> {
                    map.next_value::<u8>().map(|_| Asks)
                }
            }
            deserializer.deserialize_map(ValueFirst)
        }
    }
    let error = form::from_str::<Asks>("a=1").map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "a value was asked for before its name");

    struct Bytes(Vec<u8>);
    impl<'de> Deserialize<'de> for Bytes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
            struct Any;
            impl Visitor<'_> for Any {
                type Value = Bytes;
                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                    Ok(Bytes(bytes.to_vec()))
                }
            }
            deserializer.deserialize_byte_buf(Any)
        }
    }
    let map = form::from_bytes::<Map<String, Bytes>>(b"a=%FF\xFEx").unwrap();
    assert_eq!(map["a"].0, b"\xFF\xFEx");
}

#[test]
fn a_pair_has_two_parts_and_an_element_is_a_value() {
    for error in [
        form::to_string([("a",)]).unwrap_err(),
        form::to_string([("a", "b", "c")]).unwrap_err(),
        form::to_string([("a", [Some(1), None])]).unwrap_err(),
    ] {
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(form::to_string([("a", [Some(1), Some(2)])]).unwrap(), "a=1&a=2");
}

#[test]
fn a_pair_reports_the_number_of_remaining_parts() {
    struct Hints(Vec<Option<usize>>);
    impl<'de> Deserialize<'de> for Hints {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Hints, D::Error> {
            struct Asking;
            impl<'de> Visitor<'de> for Asking {
                type Value = Hints;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a pair")
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Hints, A::Error> {
                    let mut hints = vec![parts.size_hint()];
                    while parts.next_element::<String>()?.is_some() {
                        hints.push(parts.size_hint());
                    }
                    hints.push(parts.size_hint());
                    Ok(Hints(hints))
                }
            }
            deserializer.deserialize_tuple(2, Asking)
        }
    }
    let pairs = form::from_str::<Vec<Hints>>("a=b").unwrap();
    assert_eq!(pairs[0].0, [Some(2), Some(1), Some(0), Some(0)]);
}

#[test]
fn documented_exceptions_do_not_read_back() {
    #[derive(Serialize, Deserialize, PartialEq, Debug, Default)]
    struct Lists {
        v: Vec<u8>,
        #[serde(default)]
        d: Vec<u8>,
        o: Option<Vec<u8>>,
    }
    let form = form::to_string(Lists::default()).unwrap();
    assert_eq!(form, "");
    assert_eq!(form::from_str::<Lists>(&form).unwrap_err().to_string(), "missing field `v`");
    let error = form::to_string(Lists { o: Some(vec![]), ..Lists::default() }).unwrap_err();
    assert_eq!(error.field(), Some("o"));
    assert!(error.to_string().ends_with("would be read as `None`; write `None`"), "{error}");

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Ten {
        #[serde(default = "ten")]
        a: Option<u8>,
    }
    fn ten() -> Option<u8> {
        Some(10)
    }
    let form = form::to_string(Ten { a: None }).unwrap();
    assert_eq!(form::from_str::<Ten>(&form).unwrap(), Ten { a: Some(10) });

    let map = Map::from([("a", Some(1)), ("b", None)]);
    assert_eq!(form::to_string(map).unwrap(), "a=1");
    assert_eq!(form::to_string([("a", None), ("b", Some(1))]).unwrap(), "b=1");
    assert_eq!(form::from_str::<Vec<(String, Vec<u8>)>>(&form::to_string([("a", [1, 2])]).unwrap()).unwrap().len(), 2);
    assert_eq!(form::to_string(None::<Map<String, u8>>).unwrap(), "");
    assert_eq!(form::from_str::<Option<Map<String, u8>>>("").unwrap(), Some(Map::default()));

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Flat<T> {
        a: u8,
        #[serde(flatten)]
        rest: Map<String, T>,
    }
    let flat = |rest: Vec<u8>| Flat { a: 1, rest: Map::from([("b".to_string(), rest)]) };
    let twice = Flat { a: 1, rest: Map::from([("a".to_string(), 2)]) };
    assert!(form::from_str::<Flat<u8>>(&form::to_string(twice).unwrap()).is_err());
    for values in [vec![2], vec![2, 3]] {
        assert!(form::from_str::<Flat<Vec<u8>>>(&form::to_string(flat(values)).unwrap()).is_err());
    }
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    struct Key(#[serde(serialize_with = "constant")] u8);
    fn constant<S: serde::Serializer>(_: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("k")
    }
    let form = form::to_string(Map::from([(Key(1), 1), (Key(2), 2)])).unwrap();
    assert_eq!(form, "k=1&k=2");
    assert!(form::from_str::<Map<String, u8>>(&form).is_err());
    assert_eq!(form::from_str::<Map<String, Vec<u8>>>(&form).unwrap()["k"], [1, 2]);

    let form = form::to_string([("a", f64::NAN)]).unwrap();
    assert!(form::from_str::<Vec<(String, f64)>>(&form).unwrap()[0].1.is_nan());
}

/// Tests that floats are written in the same way as by `ryu`, which `serde_urlencoded` uses. Tests that reading gives
/// the same bits.
#[test]
fn floats_are_written_as_by_ryu() {
    fn same(value: f64) {
        let theirs = serde_urlencoded::to_string([("a", value)]).unwrap();
        assert_eq!(form::to_string([("a", value)]).unwrap(), theirs, "{value:e}");
        let back = form::from_str::<Vec<(String, f64)>>(&theirs).unwrap()[0].1;
        assert!(back.to_bits() == value.to_bits() || value.is_nan(), "{theirs}");
    }
    fn same_single(value: f32) {
        let theirs = serde_urlencoded::to_string([("a", value)]).unwrap();
        assert_eq!(form::to_string([("a", value)]).unwrap(), theirs, "{value:e}");
        let back = form::from_str::<Vec<(String, f32)>>(&theirs).unwrap()[0].1;
        assert!(back.to_bits() == value.to_bits() || value.is_nan(), "{theirs}");
    }
    for (value, text) in [(1.0, "1.0"), (1e16, "1e16"), (1e15, "1000000000000000.0"), (1e-5, "0.00001"), (1e-6, "1e-6")]
    {
        assert_eq!(form::to_string([("a", value)]).unwrap(), format!("a={text}"));
    }
    let special =
        [0.0, f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, f64::EPSILON, f64::INFINITY, f64::NAN, 0.1, 0.3];
    special.into_iter().flat_map(|value| [value, -value]).for_each(same);
    // We test every power of ten, every power of two, and their neighbours.
    for exponent in -330..=330 {
        let ten: f64 = format!("1e{exponent}").parse().unwrap();
        for value in [ten, ten.next_up(), ten.next_down(), -ten, ten * 9.0, ten * 1.5] {
            same(value);
            same_single(value as f32);
        }
        let ten = ten as f32;
        [ten.next_up(), ten.next_down()].into_iter().for_each(same_single);
    }
    for exponent in -1074..=1023 {
        let two = 2f64.powi(exponent);
        [two, two.next_up(), two.next_down()].into_iter().for_each(same);
        same_single(two as f32);
    }
    // Numbers with random bits.
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..cases(300_000) {
        let bits = random.next();
        same(f64::from_bits(bits));
        same_single(f32::from_bits(bits as u32));
        // Small numbers with few digits, as people write them.
        let few = (bits >> 40) as f64 / [1.0, 1e2, 1e5, 1e10][random.below(4)];
        same(few);
        same_single(few as f32);
    }
}
