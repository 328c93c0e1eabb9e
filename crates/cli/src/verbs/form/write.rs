//! Joins pairs into forms.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr_iter};
use percent_simd::Decoder;
use percent_simd_records::diagnostic::{self, Diagnostic};
use percent_simd_records::verb::{FieldContext, Verb};
use percent_standards::charset::Charset;
use percent_standards::form::Serializer;
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json;
use super::nested::Dialect;
use crate::verbs::charset::bytes;

/// The verb that joins pairs into forms.
#[derive(Clone, Debug)]
pub struct Write {
    pub json: bool,
    pub limit: usize,
    pub semicolons: bool,
    pub percent_spaces: bool,
    pub charset: Charset,
    pub references: bool,
    pub nested: Option<Dialect>,
}

/// The offset of a pair, its name, and its value if it has one.
type Pair<'a> = (usize, Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

impl Verb for Write {
    fn apply(&self, value: &[u8], _: &FieldContext, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        if let Some(dialect) = self.nested {
            let start = out.len();
            dialect.push_form(value, self.serializer(out))?;
            // A separator inside a name or a value is encoded.
            let separator = if self.semicolons { b';' } else { b'&' };
            let form = &out[start..];
            if !form.is_empty() && memchr_iter(separator, form).count() >= self.limit {
                out.truncate(start);
                return Err(self.too_many(0));
            }
            return Ok(());
        }
        let pairs = if self.json { json_pairs(value)? } else { line_pairs(value) };
        if let Some((at, ..)) = pairs.get(self.limit) {
            return Err(self.too_many(*at));
        }
        let mut form = self.serializer(out);
        for (at, name, value) in &pairs {
            let name = self.bytes(*at, name)?;
            match value {
                Some(value) => form.append(name, self.bytes(*at, value)?),
                None => form.append_name(name),
            };
        }
        Ok(())
    }
}

impl Write {
    fn serializer<'o>(&self, out: &'o mut Vec<u8>) -> Serializer<&'o mut Vec<u8>> {
        let mut form = Serializer::append_to(out);
        if self.percent_spaces {
            form = form.percent_spaces();
        }
        if self.semicolons {
            form = form.semicolons();
        }
        form
    }

    fn too_many(&self, at: usize) -> Diagnostic {
        Diagnostic::new(at, format!("this pair exceeds the --limit of {}", self.limit))
    }

    /// Returns the bytes of a name or value in the charset. `at` is the offset of the line with this name or value.
    fn bytes<'a>(&self, at: usize, part: &'a [u8]) -> Result<Cow<'a, [u8]>, Diagnostic> {
        if self.charset == Charset::UTF_8 {
            return Ok(Cow::Borrowed(part));
        }
        let placed = |diagnostic: Diagnostic| Diagnostic { offset: at, ..diagnostic };
        bytes(diagnostic::text(part).map_err(placed)?, self.charset, self.references).map_err(placed)
    }
}

/// Reads pairs from lines.
fn line_pairs(value: &[u8]) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    let mut at = 0;
    for line in value.split_inclusive(|&byte| byte == b'\n') {
        let pair = line.strip_suffix(b"\n").unwrap_or(line);
        let pair = pair.strip_suffix(b"\r").unwrap_or(pair);
        if !pair.is_empty() {
            pairs.push(match memchr(b'\t', pair) {
                Some(tab) => {
                    let value = Decoder::new().decode(&pair[tab + 1..]);
                    (at, Decoder::new().decode(&pair[..tab]), Some(value))
                }
                None => (at, Decoder::new().decode(pair), None),
            });
        }
        at += line.len();
    }
    pairs
}

/// Reads pairs from a JSON array or object.
fn json_pairs(value: &[u8]) -> Result<Vec<Pair<'_>>, Diagnostic> {
    let Some(Pairs(pairs)) = json::read(value)? else { return Ok(Vec::new()) };
    let bytes = |text: String| Cow::Owned(text.into_bytes());
    Ok(pairs.into_iter().map(|(name, value)| (0, bytes(name), value.map(bytes))).collect())
}

/// The pairs of a JSON array or object, in their order.
struct Pairs(Vec<(String, Option<String>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        deserializer.deserialize_any(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array of [name, value], or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = items.next_element::<Vec<&RawValue>>()? {
            let (name, value) = match pair[..] {
                [name] => (name, None),
                [name, value] => (name, scalar(value)?),
                _ => return Err(bad_pair()),
            };
            pairs.push((string(name)?.ok_or_else(bad_pair)?, value));
        }
        Ok(Pairs(pairs))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Pairs, A::Error> {
        let mut pairs = Vec::new();
        while let Some((name, value)) = members.next_entry::<String, &RawValue>()? {
            if !value.get().starts_with('[') {
                pairs.push((name, scalar(value)?));
                continue;
            }
            for value in serde_json::from_str::<Vec<&RawValue>>(value.get()).map_err(de::Error::custom)? {
                pairs.push((name.clone(), scalar(value)?));
            }
        }
        Ok(Pairs(pairs))
    }
}

fn bad_pair<E: de::Error>() -> E {
    E::custom("a pair is [name, value], and a name is a string")
}

/// Returns the text of a string, or `None` for any other value.
fn string<E: de::Error>(value: &RawValue) -> Result<Option<String>, E> {
    match value.get().starts_with('"') {
        true => serde_json::from_str(value.get()).map(Some).map_err(E::custom),
        false => Ok(None),
    }
}

/// Returns the text of a value, or `None` for null. A number stays as it is written, because a float would round it (RFC 8259 6).
fn scalar<E: de::Error>(value: &RawValue) -> Result<Option<String>, E> {
    match value.get() {
        "null" => Ok(None),
        text if text.starts_with(['[', '{']) => Err(E::custom("a value is a string, a number, true, false or null")),
        text => Ok(Some(string(value)?.unwrap_or_else(|| text.to_string()))),
    }
}
