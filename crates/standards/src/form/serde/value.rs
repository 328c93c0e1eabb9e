//! Implements serde's `Deserializer` for a name, a value, and the values of a repeated name.

use core::str::{FromStr, ParseBoolError};

use alloc::borrow::Cow;
use alloc::string::String;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use percent_simd::{DecodeError, DecodeErrorKind};

use super::config::{Config, Duplicates};
use super::error::SerdeError;
use super::field::{Field, Part};
use crate::form::{DECODER, ParseError};

#[derive(Clone, Copy)]
pub(super) struct Name<'f, 'de> {
    pub(super) part: &'f Part<'de>,
    /// The offset of the pair in the input.
    pub(super) offset: usize,
    pub(super) config: Config,
}

#[derive(Clone, Copy)]
pub(super) struct One<'f, 'de> {
    pub(super) field: &'f Field<'de>,
    /// True if the value is an element of a sequence.
    pub(super) element: bool,
    pub(super) config: Config,
}

impl<'f, 'de> Name<'f, 'de> {
    pub(super) fn of(field: &'f Field<'de>, config: Config) -> Name<'f, 'de> {
        Name { part: &field.name, offset: field.offset, config }
    }

    fn part(self) -> &'f Part<'de> {
        self.part
    }

    fn place(self) -> usize {
        self.offset
    }

    fn is_none(self) -> bool {
        false
    }

    #[cold]
    fn not_utf8(self) -> SerdeError {
        SerdeError::message("the name is not UTF-8")
    }
}

impl<'f, 'de> One<'f, 'de> {
    fn part(self) -> &'f Part<'de> {
        &self.field.value
    }

    fn place(self) -> usize {
        self.field.value_offset
    }

    /// Returns true if this value means `None`, for a type that is an `Option`.
    fn is_none(self) -> bool {
        self.config.empty_as_none && self.part().bytes().is_empty()
    }

    #[cold]
    fn not_utf8(self) -> SerdeError {
        let error = DECODER.decode_utf8(self.field.raw).err();
        let error = error.unwrap_or(DecodeError::new(0, DecodeErrorKind::InvalidUtf8));
        ParseError::Decode(error.shifted(self.field.value_offset)).into()
    }
}

/// Defines the method `text` of names and values.
macro_rules! text {
    ($($part:ident)+) => {
        $(
            impl<'f> $part<'f, '_> {
                /// Returns the name or value as text.
                #[inline]
                fn text(self) -> Result<Cow<'f, str>, SerdeError> {
                    match self.part() {
                        Part::Text(text) => Ok(Cow::Borrowed(text)),
                        Part::Bytes(bytes) => self.text_of_bytes(bytes),
                    }
                }

                #[cold]
                fn text_of_bytes(self, bytes: &'f [u8]) -> Result<Cow<'f, str>, SerdeError> {
                    if self.config.lossy_text { Ok(String::from_utf8_lossy(bytes)) } else { Err(self.not_utf8()) }
                }
            }
        )+
    };
}

text!(Name One);

/// Reads a `bool`.
fn bool_of(text: &str, config: Config) -> Result<bool, ParseBoolError> {
    match text {
        "on" | "1" if config.bool_on => Ok(true),
        "off" | "0" if config.bool_on => Ok(false),
        text => text.parse(),
    }
}

/// Reads numbers from the text of a name or value.
macro_rules! scalars {
    ($($deserialize:ident $visit:ident $type:ty;)+) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
                let text = self.text()?;
                let value = <$type>::from_str(&text).map_err(|error| SerdeError::message(error).at(self.place()))?;
                visitor.$visit(value)
            }
        )+
    };
}

/// Defines the methods that names and values share.
macro_rules! part {
    () => {
        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            let visited = match self.part() {
                Part::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
                Part::Text(Cow::Owned(text)) => visitor.visit_str(text),
                Part::Bytes(bytes) if self.config.lossy_text => visitor.visit_str(&String::from_utf8_lossy(bytes)),
                Part::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
                Part::Bytes(Cow::Owned(bytes)) => visitor.visit_bytes(bytes),
            };
            visited.map_err(|error: SerdeError| error.at(self.place()))
        }

        fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            let visited = match self.part() {
                Part::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_bytes(str::as_bytes(text)),
                Part::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
                part => visitor.visit_bytes(part.bytes()),
            };
            visited.map_err(|error: SerdeError| error.at(self.place()))
        }

        fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            self.deserialize_bytes(visitor)
        }

        fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            match self.part() {
                Part::Bytes(_) if !self.config.lossy_text => Err(self.not_utf8()),
                _ => self.deserialize_any(visitor),
            }
        }

        fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            self.deserialize_str(visitor)
        }

        fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            self.deserialize_str(visitor)
        }

        fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            if self.is_none() { visitor.visit_none() } else { visitor.visit_some(self) }
        }

        fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            let value = bool_of(&self.text()?, self.config);
            visitor.visit_bool(value.map_err(|error| SerdeError::message(error).at(self.place()))?)
        }

        fn deserialize_enum<V: Visitor<'de>>(
            self,
            _: &'static str,
            _: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            let variant = Variant(&self.text()?);
            visitor.visit_enum(variant).map_err(|error| error.at(self.place()))
        }

        fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            visitor.visit_unit()
        }

        as_newtype!();

        scalars! {
            deserialize_i8 visit_i8 i8;
            deserialize_i16 visit_i16 i16;
            deserialize_i32 visit_i32 i32;
            deserialize_i64 visit_i64 i64;
            deserialize_i128 visit_i128 i128;
            deserialize_u8 visit_u8 u8;
            deserialize_u16 visit_u16 u16;
            deserialize_u32 visit_u32 u32;
            deserialize_u64 visit_u64 u64;
            deserialize_u128 visit_u128 u128;
            deserialize_f32 visit_f32 f32;
            deserialize_f64 visit_f64 f64;
        }
    };
}

/// Reports a type that can't be the value of a field.
#[cold]
fn refused<T>(what: &str, offset: usize) -> Result<T, SerdeError> {
    Err(SerdeError::message(format_args!("{what} cannot be the value of a field of a form")).at(offset))
}

macro_rules! refuse_maps {
    () => {
        fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, SerdeError> {
            refused("a map", self.place())
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            _: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, SerdeError> {
            refused("a struct", self.place())
        }
    };
}

impl<'de> Deserializer<'de> for Name<'_, 'de> {
    type Error = SerdeError;

    part!();
    refuse_maps!();

    forward_to_deserialize_any! { unit unit_struct seq tuple tuple_struct identifier }
}

impl<'de> Deserializer<'de> for One<'_, 'de> {
    type Error = SerdeError;

    part!();
    refuse_maps!();
    tuples_as_sequences!();

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.part().bytes().is_empty() {
            return visitor.visit_unit();
        }
        Err(SerdeError::message("the type takes an empty value").at(self.place()))
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, SerdeError> {
        if self.part().bytes() == name.as_bytes() {
            return visitor.visit_unit();
        }
        self.deserialize_unit(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.element {
            return refused("a sequence in a sequence", self.place());
        }
        Several { fields: core::slice::from_ref(self.field), at: 0, config: self.config }.deserialize_seq(visitor)
    }

    forward_to_deserialize_any! { identifier }
}

/// The values of a repeated name. The first value is in `fields[at]`.
#[derive(Clone, Copy)]
pub(super) struct Several<'f, 'de> {
    pub(super) fields: &'f [Field<'de>],
    pub(super) at: usize,
    pub(super) config: Config,
}

impl<'f, 'de> Several<'f, 'de> {
    /// Returns the value for a type that takes only one value.
    fn one(self) -> Result<One<'f, 'de>, SerdeError> {
        let mut field = &self.fields[self.at];
        match self.config.duplicates {
            Duplicates::Error => return Err(self.repeated()),
            Duplicates::First => {}
            Duplicates::Last | Duplicates::Separate => {
                while let Some(next) = field.next {
                    field = &self.fields[next];
                }
            }
        }
        Ok(One { field, element: false, config: self.config })
    }

    /// Returns the offset of the second value.
    fn place(&self) -> usize {
        let first = &self.fields[self.at];
        first.next.map_or(first.value_offset, |next| self.fields[next].value_offset)
    }

    #[cold]
    fn repeated(&self) -> SerdeError {
        SerdeError::message("given more than once").at(self.place())
    }
}

/// Defines the methods that read types with only one value.
macro_rules! one {
    ($($deserialize:ident)+) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
                self.one()?.$deserialize(visitor)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for Several<'_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.one() {
            Ok(one) => one.deserialize_any(visitor),
            Err(_) => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let mut values = Values { fields: self.fields, at: Some(self.at), config: self.config };
        let value = visitor.visit_seq(&mut values)?;
        match values.at {
            None => Ok(value),
            Some(at) => {
                let error = SerdeError::message("the name is repeated more often than the type takes values");
                Err(error.at(self.fields[at].value_offset))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.one().is_ok_and(One::is_none) { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    as_newtype!();
    refuse_maps!();
    tuples_as_sequences!();

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.one()?.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, SerdeError> {
        self.one()?.deserialize_unit_struct(name, visitor)
    }

    one! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier
    }
}

/// Passes the values of a repeated name to serde one by one.
struct Values<'f, 'de> {
    fields: &'f [Field<'de>],
    at: Option<usize>,
    config: Config,
}

impl<'de> SeqAccess<'de> for &mut Values<'_, 'de> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        let Some(at) = self.at else {
            return Ok(None);
        };
        let field = &self.fields[at];
        self.at = field.next;
        seed.deserialize(One { field, element: true, config: self.config })
            .map_err(|error| error.at(field.value_offset))
            .map(Some)
    }
}

/// The variant of an enum. The value is its name.
struct Variant<'f>(&'f str);

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = SerdeError;
    type Variant = Unit;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Unit), SerdeError> {
        seed.deserialize(self.0.into_deserializer()).map(|variant| (variant, Unit))
    }
}

/// The data of an enum variant. The value of a field can only be a variant without data, so all methods for data fail.
struct Unit;

impl Unit {
    fn refused<T>() -> Result<T, SerdeError> {
        Err(SerdeError::message("a variant with data cannot be the value of a field of a form"))
    }
}

impl<'de> VariantAccess<'de> for Unit {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, SerdeError> {
        Unit::refused()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, SerdeError> {
        Unit::refused()
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, SerdeError> {
        Unit::refused()
    }
}
