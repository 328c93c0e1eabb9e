//! Checks that `form::from_str` reads back everything that `form::to_string` writes, except in the documented cases.
#![cfg(feature = "serde")]

use crate::common;
use crate::map::Map;

use std::cell::RefCell;
use std::fmt;

use common::*;
use percent_standards::form::{self, SerdeError};
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize};

/// The type of a field. It is chosen at run time, so one test covers many types.
#[derive(Clone, Debug)]
enum Type {
    Text,
    Number,
    Float,
    Bool,
    Char,
    Bytes,
    Unit,
    Marker,
    Variant,
    Option(Box<Type>),
    Newtype(Box<Type>),
    Seq(Box<Type>),
    Tuple(Vec<Type>),
}

/// A value of a [`Type`].
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Text(String),
    Number(i64),
    Float(f64),
    Bool(bool),
    Char(char),
    Bytes(Vec<u8>),
    Unit,
    Marker,
    Variant,
    None,
    Some(Box<Field>),
    Newtype(Box<Field>),
    Seq(Vec<Field>),
    Tuple(Vec<Field>),
}

impl Type {
    fn random(random: &mut Random, depth: usize) -> Type {
        let inner = |random: &mut Random| Box::new(Type::random(random, depth - 1));
        match random.below(if depth == 0 { 9 } else { 16 }) {
            0 => Type::Text,
            1 => Type::Number,
            2 => Type::Float,
            3 => Type::Bool,
            4 => Type::Char,
            5 => Type::Bytes,
            6 => Type::Unit,
            7 => Type::Marker,
            8 => Type::Variant,
            9..=11 => Type::Option(inner(random)),
            12 => Type::Newtype(inner(random)),
            13 | 14 => Type::Seq(inner(random)),
            _ => Type::Tuple((0..random.below(4)).map(|_| *inner(random)).collect()),
        }
    }

    fn value(&self, random: &mut Random) -> Field {
        match self {
            Type::Text => Field::Text(random.text(&["", "a", "&", "=", "+", "%41", "é", " ", "None"], 3)),
            Type::Number => Field::Number(random.next() as i64 >> random.below(64)),
            Type::Float => Field::Float([0.0, -0.5, 1e300, f64::INFINITY, f64::MIN_POSITIVE][random.below(5)]),
            Type::Bool => Field::Bool(random.one_in(2)),
            Type::Char => Field::Char(['a', '&', '\0', 'ж', '\u{10FFFF}'][random.below(5)]),
            Type::Bytes => Field::Bytes((0..random.below(3)).map(|_| random.next() as u8).collect()),
            Type::Unit => Field::Unit,
            Type::Marker => Field::Marker,
            Type::Variant => Field::Variant,
            Type::Option(_) if random.one_in(3) => Field::None,
            Type::Option(inner) => Field::Some(Box::new(inner.value(random))),
            Type::Newtype(inner) => Field::Newtype(Box::new(inner.value(random))),
            Type::Seq(inner) => Field::Seq((0..random.below(4)).map(|_| inner.value(random)).collect()),
            Type::Tuple(all) => Field::Tuple(all.iter().map(|inner| inner.value(random)).collect()),
        }
    }

    /// Returns the empty default value of the type, if it has one.
    fn default(&self) -> Option<Field> {
        match self {
            Type::Option(_) => Some(Field::None),
            Type::Newtype(inner) => inner.default().map(|inner| Field::Newtype(Box::new(inner))),
            Type::Seq(_) => Some(Field::Seq(Vec::new())),
            Type::Tuple(all) if all.is_empty() => Some(Field::Tuple(Vec::new())),
            _ => None,
        }
    }
}

impl Field {
    /// Returns the number of pairs that this value becomes. If `to_string` rejects the value, returns `None`.
    fn pairs(&self) -> Option<usize> {
        match self {
            Field::None => Some(0),
            Field::Some(inner) => inner.pairs().filter(|&pairs| pairs > 0),
            Field::Newtype(inner) => inner.pairs(),
            Field::Seq(all) | Field::Tuple(all) => all.iter().all(Field::is_element).then_some(all.len()),
            _ => Some(1),
        }
    }

    /// Returns true if this can be an element of a sequence.
    fn is_element(&self) -> bool {
        match self {
            Field::None | Field::Seq(_) | Field::Tuple(_) => false,
            Field::Some(inner) | Field::Newtype(inner) => inner.is_element(),
            _ => true,
        }
    }
}

impl Serialize for Field {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Field::Text(text) => serializer.serialize_str(text),
            Field::Number(number) => serializer.serialize_i64(*number),
            Field::Float(number) => serializer.serialize_f64(*number),
            Field::Bool(value) => serializer.serialize_bool(*value),
            Field::Char(c) => serializer.serialize_char(*c),
            Field::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Field::Unit => serializer.serialize_unit(),
            Field::Marker => serializer.serialize_unit_struct("Marker"),
            Field::Variant => serializer.serialize_unit_variant("Enum", 0, "Variant"),
            Field::None => serializer.serialize_none(),
            Field::Some(inner) => serializer.serialize_some(inner),
            Field::Newtype(inner) => serializer.serialize_newtype_struct("Newtype", inner),
            Field::Seq(all) => serializer.collect_seq(all),
            Field::Tuple(all) => {
                let mut tuple = serializer.serialize_tuple(all.len())?;
                all.iter().try_for_each(|inner| tuple.serialize_element(inner))?;
                tuple.end()
            }
        }
    }
}

/// Reads a value of this type in the same way as a derived implementation.
impl<'de> DeserializeSeed<'de> for &Type {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        match self {
            Type::Text => deserializer.deserialize_string(self),
            Type::Number => deserializer.deserialize_i64(self),
            Type::Float => deserializer.deserialize_f64(self),
            Type::Bool => deserializer.deserialize_bool(self),
            Type::Char => deserializer.deserialize_char(self),
            Type::Bytes => deserializer.deserialize_byte_buf(self),
            Type::Unit => deserializer.deserialize_unit(self),
            Type::Marker => deserializer.deserialize_unit_struct("Marker", self),
            Type::Variant => deserializer.deserialize_enum("Enum", &["Variant"], self),
            Type::Option(_) => deserializer.deserialize_option(self),
            Type::Newtype(_) => deserializer.deserialize_newtype_struct("Newtype", self),
            Type::Seq(_) => deserializer.deserialize_seq(self),
            Type::Tuple(all) => deserializer.deserialize_tuple(all.len(), self),
        }
    }
}

impl<'de> Visitor<'de> for &Type {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Field, E> {
        match self {
            Type::Text => Ok(Field::Text(text.into())),
            Type::Char if text.chars().count() == 1 => Ok(Field::Char(text.chars().next().unwrap())),
            _ => Err(E::custom("text")),
        }
    }

    fn visit_i64<E>(self, number: i64) -> Result<Field, E> {
        Ok(Field::Number(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Field, E> {
        Ok(Field::Float(number))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Field, E> {
        Ok(Field::Bool(value))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Field, E> {
        Ok(Field::Bytes(bytes.into()))
    }

    fn visit_unit<E>(self) -> Result<Field, E> {
        Ok(if matches!(self, Type::Unit) { Field::Unit } else { Field::Marker })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, variant: A) -> Result<Field, A::Error> {
        let (name, rest) = variant.variant::<String>()?;
        rest.unit_variant()?;
        if name == "Variant" { Ok(Field::Variant) } else { Err(serde::de::Error::custom(name)) }
    }

    fn visit_none<E>(self) -> Result<Field, E> {
        Ok(Field::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        let Type::Option(inner) = self else { return Err(serde::de::Error::custom("some")) };
        inner.deserialize(deserializer).map(|inner| Field::Some(Box::new(inner)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        let Type::Newtype(inner) = self else { return Err(serde::de::Error::custom("newtype")) };
        inner.deserialize(deserializer).map(|inner| Field::Newtype(Box::new(inner)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Field, A::Error> {
        let mut found = Vec::new();
        match self {
            Type::Seq(inner) => {
                while let Some(element) = seq.next_element_seed(&**inner)? {
                    found.push(element);
                }
                Ok(Field::Seq(found))
            }
            Type::Tuple(all) => {
                for (at, inner) in all.iter().enumerate() {
                    let element = seq.next_element_seed(inner)?;
                    found.push(element.ok_or_else(|| serde::de::Error::invalid_length(at, &self))?);
                }
                Ok(Field::Tuple(found))
            }
            _ => Err(serde::de::Error::custom("sequence")),
        }
    }
}

/// Reads a [`Struct`]. The type of its member `field` is `of`.
struct Around<'t> {
    of: &'t Type,
    /// True if the field has `#[serde(default)]`.
    has_default: bool,
}

#[derive(Serialize)]
struct Struct<'f> {
    a: u8,
    field: &'f Field,
    z: Option<u8>,
}

impl<'de> Visitor<'de> for Around<'_> {
    type Value = (u8, Field, Option<u8>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a struct")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut a, mut field, mut z) = (None, None, None);
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "a" => a = Some(map.next_value()?),
                "field" => field = Some(map.next_value_seed(self.of)?),
                "z" => z = map.next_value()?,
                _ => return Err(serde::de::Error::custom(name)),
            }
        }
        let missing = || match (self.of, self.of.default()) {
            (Type::Option(_), _) => Ok(Field::None),
            (_, Some(default)) if self.has_default => Ok(default),
            _ => Err(serde::de::Error::missing_field("field")),
        };
        Ok((a.unwrap(), field.map_or_else(missing, Ok)?, z))
    }
}

impl<'de> DeserializeSeed<'de> for Around<'_> {
    type Value = (u8, Field, Option<u8>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_struct("Struct", &["a", "field", "z"], self)
    }
}

/// Names with values. The first field is the type of the values. The second field is true for a map, and false for a
/// sequence of pairs.
struct Named<'t>(&'t Type, bool);

impl<'de> Visitor<'de> for Named<'_> {
    type Value = Vec<(String, Field)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Vec::new();
        while let Some(name) = map.next_key()? {
            found.push((name, map.next_value_seed(self.0)?));
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let pair = Type::Tuple(vec![Type::Text, self.0.clone()]);
        let mut found = Vec::new();
        while let Some(Field::Tuple(parts)) = seq.next_element_seed(&pair)? {
            let Ok([Field::Text(name), value]) = <[Field; 2]>::try_from(parts) else { unreachable!("a pair") };
            found.push((name, value));
        }
        Ok(found)
    }
}

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = Vec<(String, Field)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.1 { deserializer.deserialize_map(self) } else { deserializer.deserialize_seq(self) }
    }
}

thread_local! {
    /// The type and the kind of form that [`Read`] reads.
    static READ: RefCell<Option<(Type, Form)>> = const { RefCell::new(None) };
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Form {
    Struct { has_default: bool },
    Named { is_map: bool },
}

/// A value of the type in [`READ`]. We know this type only at run time. [`form::from_str`] accepts no seed, so we pass
/// the type in a global variable.
#[derive(Debug, PartialEq)]
enum Read {
    Struct((u8, Field, Option<u8>)),
    Named(Vec<(String, Field)>),
}

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Read, D::Error> {
        let (of, form) = READ.with_borrow(|read| read.clone().unwrap());
        match form {
            Form::Struct { has_default } => Around { of: &of, has_default }.deserialize(deserializer).map(Read::Struct),
            Form::Named { is_map } => Named(&of, is_map).deserialize(deserializer).map(Read::Named),
        }
    }
}

fn read(of: &Type, form: Form, text: &str) -> Result<Read, SerdeError> {
    READ.set(Some((of.clone(), form)));
    form::from_str(text)
}

/// Tests that every value that is written reads back as an equal value, except in the cases that `to_string` documents.
#[test]
fn written_values_read_back_equal() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut counts = [0; 5];
    for _ in 0..cases(100_000) {
        let of = Type::random(&mut random, 3);
        let field = of.value(&mut random);
        let written = form::to_string(Struct { a: 1, field: &field, z: Some(2) });
        let Some(pairs) = field.pairs() else {
            let error = written.expect_err("a form can't hold this value");
            assert_eq!(error.field(), Some("field"), "{field:?}: {error}");
            counts[0] += 1;
            continue;
        };
        let text = written.unwrap_or_else(|error| panic!("{field:?}: {error}"));
        assert_eq!(form::parse(&text).count(), pairs + 2, "{text}");
        for has_default in [false, true] {
            match read(&of, Form::Struct { has_default }, &text) {
                Ok(Read::Struct(found)) => assert_eq!(found, (1, field.clone(), Some(2)), "{of:?}: {text}"),
                Ok(found) => panic!("{found:?}"),
                Err(error) => {
                    let is_listed = pairs == 0 && !has_default && field != Field::None;
                    assert!(
                        is_listed && error.to_string() == "missing field `field`",
                        "{of:?}, {field:?}: {text}: {error}"
                    );
                    counts[1] += 1;
                }
            }
        }
        // If a value writes no pair, a map has no entry for it.
        let values: Vec<(&str, Field)> =
            ["a", "", "é&=", "%41"].iter().map(|&name| (name, of.value(&mut random))).collect();
        let map: Map<&str, &Field> = values.iter().map(|(name, value)| (*name, value)).collect();
        let has_form = values.iter().all(|(_, value)| value.pairs().is_some());
        let (as_map, as_pairs) = (form::to_string(&map), form::to_string(&values));
        assert_eq!((as_map.is_ok(), as_pairs.is_ok()), (has_form, has_form), "{values:?}");
        let (Ok(as_map), Ok(as_pairs)) = (as_map, as_pairs) else { continue };
        let Read::Named(found) = read(&of, Form::Named { is_map: true }, &as_map).unwrap() else { panic!("a map") };
        let there: Vec<(String, Field)> = map
            .0
            .iter()
            .filter(|(_, value)| value.pairs() != Some(0))
            .map(|(name, value)| (name.to_string(), (*value).clone()))
            .collect();
        counts[2] += usize::from(there.len() < map.0.len());
        assert_eq!(found, there, "{of:?}: {as_map}");
        // If a value has several elements, it is written as several pairs. So we compare the values only if each of
        // them is one pair.
        if values.iter().all(|(_, value)| value.pairs() == Some(1)) {
            let Read::Named(found) = read(&of, Form::Named { is_map: false }, &as_pairs).unwrap() else {
                panic!("pairs")
            };
            assert!(
                values.iter().map(|(name, value)| (*name, value)).eq(found.iter().map(|(n, v)| (&**n, v))),
                "{as_pairs}"
            );
            counts[3] += 1;
        } else {
            assert_eq!(form::parse(&as_pairs).count(), values.iter().map(|(_, value)| value.pairs().unwrap()).sum());
            counts[4] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > cases(100_000) / 100), "{counts:?}");
}

/// Returns true if the value contains `Some` of a value without pairs. Looks into `Some` and newtypes, but not into
/// sequences.
fn has_some_without_pairs(field: &Field) -> bool {
    match field {
        Field::Some(inner) => inner.pairs() == Some(0) || has_some_without_pairs(inner),
        Field::Newtype(inner) => has_some_without_pairs(inner),
        _ => false,
    }
}

/// Tests that `serde_urlencoded` writes and reads the same. The exceptions are the differences that docs/moving.md
/// lists.
#[test]
fn serde_urlencoded_does_the_same() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut counts = [0; 6];
    for _ in 0..cases(100_000) {
        let of = Type::random(&mut random, 2);
        let field = of.value(&mut random);
        let value = Struct { a: 1, field: &field, z: None };
        match (serde_urlencoded::to_string(&value), form::to_string(&value)) {
            (Ok(theirs), Ok(ours)) => {
                assert_eq!(ours, theirs, "{field:?}");
                counts[0] += 1;
            }
            (Ok(theirs), Err(error)) => {
                assert!(has_some_without_pairs(&field), "{field:?}: {theirs}: {error}");
                counts[1] += 1;
            }
            (Err(_), _) => {}
        }
        const PAIRS: [&str; 16] = [
            "a=1", "z=2", "field=1", "field=true", "field=%C3%A9", "field=%FF", "%66ield=a+b", "field",
            "field=Variant", "field=1e16", "b=%FF", "%FF", "&", "=", "a=7", "field=Marker",
        ];
        let text =
            format!("a=1&{}", (0..random.below(4)).map(|_| PAIRS[random.below(16)]).collect::<Vec<_>>().join("&"));
        let pairs: Vec<_> = form::Parser::new().parse_bytes(&text).collect();
        let is_text = pairs.iter().all(|(name, value)| str::from_utf8(name).and(str::from_utf8(value)).is_ok());
        let has_twice = pairs.iter().enumerate().any(|(i, pair)| pairs[..i].iter().any(|before| before.0 == pair.0));
        for form in [Form::Struct { has_default: false }, Form::Named { is_map: true }, Form::Named { is_map: false }] {
            let ours = read(&of, form, &text);
            READ.set(Some((of.clone(), form)));
            match (serde_urlencoded::from_str::<Read>(&text), ours) {
                (Ok(theirs), Ok(ours)) => {
                    assert!(ours == theirs || !is_text, "{of:?}: {text}: {ours:?}, {theirs:?}");
                    counts[2] += 1;
                }
                (Ok(theirs), Err(error)) => {
                    let is_repeated = has_twice && form != Form::Named { is_map: false };
                    assert!(!is_text || is_repeated, "{of:?}: {text}: {theirs:?}: {error}");
                    counts[3] += usize::from(!is_text);
                    counts[4] += usize::from(is_repeated);
                }
                (Err(_), Ok(_)) => counts[5] += 1,
                (Err(_), Err(_)) => {}
            }
        }
    }
    assert!(counts.iter().all(|&count| count > cases(100_000) / 200), "{counts:?}");
}
