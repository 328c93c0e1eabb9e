//! Deserializes the types of a program from a form.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use percent_simd::AsBytes;

use super::config::Config;
use super::error::SerdeError;
use super::field::{Field, Part};
use super::text::Text;
use super::tree::Tree;
use super::value::{Members, Value};
use crate::form::parse::CheckedParser;
use crate::form::{ParseError, Parser};
use crate::memory;

/// Deserializes a value of type `T` from a form.
///
/// # Examples
///
/// ```
/// use percent_standards::form;
///
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Search {
///     q: String,
///     page: Option<u32>,
///     #[serde(default)]
///     tag: Vec<String>,
/// }
///
/// let search: Search = form::from_str("q=a+b&tag=x&tag=y")?;
/// assert_eq!(search, Search { q: "a b".into(), page: None, tag: vec!["x".into(), "y".into()] });
///
/// let error = form::from_str::<Search>("q=a&page=two").unwrap_err();
/// assert_eq!(error.to_string(), "field `page`, at byte 9: invalid digit found in string");
/// # Ok::<(), form::SerdeError>(())
/// ```
///
/// A form can be:
/// - a struct or a map: each name is a field, in any order. Unknown names are ignored, or are an error if the type
///   denies them;
/// - a sequence of pairs, such as a `Vec<(String, String)>`, which keeps their order and all repetitions;
/// - `()`, if there are no pairs.
///
/// A value can be:
/// - text, which must be UTF-8, or any bytes (for types that call `deserialize_bytes`, such as the types of
///   `serde_bytes`);
/// - a number, `bool` or `char`, as [`FromStr`](core::str::FromStr) reads it;
/// - `()`, if the value is empty;
/// - a unit variant of an enum, by its name;
/// - an `Option`, which is `None` if the name is missing;
/// - a newtype around any of these;
/// - a sequence or a tuple of these: it takes the values of a repeated name, in their order.
///
/// A repeated name is an error if the type takes only one value. This holds for maps, too. A value that is a map, a
/// struct, or an enum variant with data is also an error. [`Config`](super::Config) changes both rules.
///
/// Serde sometimes buffers values before it knows their types (`flatten`, `untagged`, `tag`). Then it treats every
/// value as text. In these types, mark numbers with [`as_text`](super::as_text).
///
/// This function does the same as [`Parser::deserialize`] without options. A malformed escape stays as it is.
///
/// # Memory
///
/// All pairs are read before serde gets the first pair, because serde gets all values of a repeated name together. If a
/// form has many short pairs, it takes up to 120 bytes of memory for each byte of input. If a form comes from outside,
/// limit its length, or limit the number of pairs with [`Parser::limit`]:
///
/// ```
/// use percent_standards::form::Parser;
///
/// let parser = Parser::new().limit(1000);
/// assert!(parser.deserialize::<Vec<(String, String)>, _>(&"a=1&".repeat(1000)).is_ok());
/// assert!(parser.deserialize::<Vec<(String, String)>, _>(&"a=1&".repeat(1001)).is_err());
/// ```
///
/// # Errors
///
/// If `T` doesn't accept the form, returns an error. The error has the field and the offset if they are known.
pub fn from_str<'de, T: Deserialize<'de>>(input: &'de str) -> Result<T, SerdeError> {
    Parser::new().deserialize(input)
}

/// Deserializes a value of type `T` from a form that is given as bytes. The rules are the same as for [`from_str`].
///
/// # Examples
///
/// ```
/// let pairs: Vec<(String, u8)> = percent_standards::form::from_bytes(b"a=1&a=2&b=3")?;
/// assert_eq!(pairs, [("a".into(), 1), ("a".into(), 2), ("b".into(), 3)]);
/// # Ok::<(), percent_standards::form::SerdeError>(())
/// ```
///
/// # Errors
///
/// Returns the errors of [`from_str`].
pub fn from_bytes<'de, T: Deserialize<'de>>(input: &'de [u8]) -> Result<T, SerdeError> {
    Parser::new().deserialize(input)
}

impl Parser {
    /// Deserializes a value of type `T` from a form. The rules are the same as for [`from_str`].
    ///
    /// # Examples
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// let map: BTreeMap<String, u8> = percent_standards::form::Parser::new().semicolons().deserialize("a=1;b=2")?;
    /// assert_eq!(map["b"], 2);
    /// # Ok::<(), percent_standards::form::SerdeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_str`].
    pub fn deserialize<'de, T: Deserialize<'de>, I: AsBytes + ?Sized>(&self, input: &'de I) -> Result<T, SerdeError> {
        self.limit(usize::MAX).deserialize(input)
    }
}

impl CheckedParser {
    /// Deserializes a value of type `T` from a form. The rules are the same as for [`from_str`].
    ///
    /// # Examples
    ///
    /// ```
    /// let strict = percent_standards::form::Parser::new().strict().limit(100);
    /// let error = strict.deserialize::<Vec<(String, String)>, _>("a=1&b=100%").unwrap_err();
    /// assert_eq!(error.offset(), Some(9));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`from_str`], and the errors of the parser's own checks.
    pub fn deserialize<'de, T: Deserialize<'de>, I: AsBytes + ?Sized>(&self, input: &'de I) -> Result<T, SerdeError> {
        T::deserialize(Form::new(self, input.as_bytes())?)
    }
}

/// A form that will be deserialized.
struct Form<'de> {
    fields: Vec<Field<'de>>,
    config: Config,
}

impl<'de> Form<'de> {
    fn new(parser: &CheckedParser, input: &'de [u8]) -> Result<Form<'de>, ParseError> {
        /// The first capacity of `fields`. It is enough for the pairs of most forms.
        const USUAL: usize = 8;
        let mut scanner = parser.scanner(input);
        let mut fields = memory::vec(scanner.max_pairs_left().min(USUAL));
        while let Some(pair) = scanner.next_checked() {
            let pair = pair?;
            let field = match scanner.borrowed_ascii(pair) {
                Some((name, value)) => {
                    let (name, value) = (Part::Text(Cow::Borrowed(name)), Part::Text(Cow::Borrowed(value)));
                    Field::new(scanner.raw(pair), name, value)
                }
                None => Field::decoded(&scanner, pair),
            };
            memory::push(&mut fields, field);
        }
        Ok(Form { fields, config: parser.serde_config() })
    }
}

impl<'de> Deserializer<'de> for Form<'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_map(Members::of_form(&Tree::new(self.fields, self.config)?))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let tree = Tree::of_pairs(self.fields, self.config);
        let mut pairs = Pairs { tree: &tree, next: 0 };
        let value = visitor.visit_seq(&mut pairs)?;
        match tree.fields.get(pairs.next) {
            None => Ok(value),
            Some(field) => Err(SerdeError::message("the form has more pairs than the type takes").at(field.offset)),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.fields.first() {
            None => visitor.visit_unit(),
            Some(field) => Err(SerdeError::message("the type takes a form without pairs").at(field.offset)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, SerdeError> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_some(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    as_newtype!();
    tuples_as_sequences!();

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf map struct enum identifier
    }
}

/// Passes the pairs to serde one by one.
struct Pairs<'t, 'de> {
    tree: &'t Tree<'de>,
    next: usize,
}

impl<'de> SeqAccess<'de> for &mut Pairs<'_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        let (tree, at) = (self.tree, self.next);
        let Some(field) = tree.fields.get(at) else {
            return Ok(None);
        };
        self.next += 1;
        seed.deserialize(Pair { tree, at, taken: 0 }).map_err(|error| error.at(field.offset)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.tree.fields.len() - self.next)
    }
}

/// A pair that serde reads as a tuple: first the name, and then the value.
struct Pair<'t, 'de> {
    tree: &'t Tree<'de>,
    at: usize,
    taken: usize,
}

impl<'de> Deserializer<'de> for Pair<'_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_seq(self)
    }

    as_newtype!();

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> SeqAccess<'de> for Pair<'_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        self.taken += 1;
        match self.taken {
            1 => {
                let field = &self.tree.fields[self.at];
                seed.deserialize(Text::name(&field.name, field.offset, &self.tree.config)).map(Some)
            }
            2 => Value::of_pairs(self.tree, self.at).read(seed).map(Some),
            _ => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(2 - self.taken.min(2))
    }
}
