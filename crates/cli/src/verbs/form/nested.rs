//! Forms whose names have brackets: `a[b][]=c` as JSON objects and arrays.

use std::collections::HashSet;
use std::fmt;

use percent_simd_records::diagnostic::Diagnostic;
use percent_standards::form::{Brackets, CheckedParser, Config, Duplicates, Serializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize};
use serde_json::value::RawValue;

use super::{json, push_string, refused};

/// The programs whose rules for brackets we know.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Dialect {
    Php,
    Rails,
    #[value(name = "serde_qs")]
    SerdeQs,
}

impl Dialect {
    fn brackets(self) -> Brackets {
        match self {
            Dialect::Php => Brackets::PHP,
            Dialect::Rails => Brackets::RAILS,
            Dialect::SerdeQs => Brackets::SERDE_QS,
        }
    }

    /// Appends the JSON object of a form. If a name without brackets is repeated, the last value counts.
    pub fn push_json(
        self,
        parser: CheckedParser,
        strict: bool,
        form: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Diagnostic> {
        let nested = self.brackets();
        let config = Config { lossy_text: !strict, duplicates: Duplicates::Last, nested, ..Config::new() };
        let parser = if strict { parser.strict() } else { parser };
        let Json(json) = parser.config(config).deserialize(form).map_err(|error| match error.parse_error() {
            Some(error) => refused(error),
            None => Diagnostic::new(error.offset().unwrap_or(0), format!("{error:#}")),
        })?;
        out.extend(json);
        Ok(())
    }

    /// Appends the form of a JSON object to the serializer's output.
    pub fn push_form(self, json: &[u8], form: Serializer<&mut Vec<u8>>) -> Result<(), Diagnostic> {
        let Some(value) = json::read::<&RawValue>(json)? else { return Ok(()) };
        if !value.get().starts_with('{') {
            return Err(Diagnostic::new(0, "with --nested, a form is a JSON object"));
        }
        let value = Part { json: value, depth: 0 };
        form.nested(self.brackets()).serialize(&value).map_err(|error| Diagnostic::new(0, format!("{error:#}")))?;
        Ok(())
    }
}

/// A form, or a part of it, as JSON.
struct Json(Vec<u8>);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Json, D::Error> {
        from.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a form")
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        let mut out = Vec::new();
        push_string(text.as_bytes(), &mut out);
        Ok(Json(out))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Json, A::Error> {
        let mut out = vec![b'['];
        while let Some(Json(element)) = elements.next_element()? {
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend(element);
        }
        out.push(b']');
        Ok(Json(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut out = vec![b'{'];
        // The names so far that contain U+FFFD, which may replace invalid bytes. If two of them are equal, the form is
        // an error, because their bytes in the form may differ.
        let mut replaced = HashSet::new();
        while let Some((name, Json(value))) = members.next_entry::<String, Json>()? {
            if name.contains(char::REPLACEMENT_CHARACTER) && !replaced.insert(name.clone()) {
                return Err(de::Error::custom("two names that are not UTF-8 are the same name in JSON"));
            }
            if out.len() > 1 {
                out.push(b',');
            }
            push_string(name.as_bytes(), &mut out);
            out.push(b':');
            out.extend(value);
        }
        out.push(b'}');
        Ok(Json(out))
    }
}

/// A JSON value that becomes a form, or a part of one.
struct Part<'j> {
    json: &'j RawValue,
    /// The number of arrays and objects around this value.
    depth: u8,
}

impl<'j> Part<'j> {
    /// The maximum depth. This is PHP's limit, which is the highest of all dialects. We parse the text of each level
    /// again, so the limit also keeps the time linear.
    const DEEPEST: u8 = 64;

    /// Parses the text of an array, an object or a string.
    fn parse<T: Deserialize<'j>, E: ser::Error>(&self) -> Result<T, E> {
        if self.depth > Part::DEEPEST {
            return Err(ser::Error::custom(format_args!("more than {} arrays and objects are nested", Part::DEEPEST)));
        }
        serde_json::from_str(self.json.get()).map_err(ser::Error::custom)
    }

    fn inner(&self, json: &'j RawValue) -> Part<'j> {
        Part { json, depth: self.depth + 1 }
    }
}

impl Serialize for Part<'_> {
    fn serialize<S: ser::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.json.get().as_bytes().first() {
            Some(b'{') => {
                let members: Members = self.parse()?;
                to.collect_map(members.0.iter().map(|(name, value)| (name, self.inner(value))))
            }
            Some(b'[') => {
                let elements: Vec<&RawValue> = self.parse()?;
                to.collect_seq(elements.iter().map(|element| self.inner(element)))
            }
            Some(b'"') => to.serialize_str(&self.parse::<String, _>()?),
            Some(b'n') => {
                Err(ser::Error::custom("programs disagree about null in such forms; leave it out or use \"\""))
            }
            _ => to.serialize_str(self.json.get()),
        }
    }
}

/// The members of a JSON object, in their order.
struct Members<'j>(Vec<(String, &'j RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Members<'de>, D::Error> {
        from.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members<'de>, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = members.next_entry()? {
            all.push(member);
        }
        Ok(Members(all))
    }
}
