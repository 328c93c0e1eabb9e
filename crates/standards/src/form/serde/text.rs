//! Implements serde's `Deserializer` for the text of a name, and for the text of a value.

use core::fmt;
use core::str::FromStr;

use alloc::borrow::Cow;
use alloc::string::String;

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use percent_simd::{DecodeError, DecodeErrorKind};

use super::config::Config;
use super::error::SerdeError;
use super::field::{Field, Part};
use crate::form::{DECODER, ParseError};

/// The text of a name, or of one value.
#[derive(Clone, Copy)]
pub(super) struct Text<'f, 'de> {
    pub(super) part: &'f Part<'de>,
    /// The offset of the text in the input.
    pub(super) offset: usize,
    /// The pair, if this is its value.
    pair: Option<&'f Field<'de>>,
    config: &'f Config,
}

impl<'f, 'de> Text<'f, 'de> {
    #[inline]
    pub(super) fn name(part: &'f Part<'de>, offset: usize, config: &'f Config) -> Text<'f, 'de> {
        Text { part, offset, pair: None, config }
    }

    #[inline]
    pub(super) fn value(field: &'f Field<'de>, config: &'f Config) -> Text<'f, 'de> {
        Text { part: &field.value, offset: field.value_offset, pair: Some(field), config }
    }

    /// Checks that the text is UTF-8, and returns it.
    #[inline]
    pub(super) fn get(self) -> Result<Cow<'f, str>, SerdeError> {
        match self.part {
            Part::Text(text) => Ok(Cow::Borrowed(text)),
            Part::Bytes(bytes) if self.config.lossy_text => Ok(String::from_utf8_lossy(bytes)),
            Part::Bytes(_) => Err(self.not_utf8()),
        }
    }

    #[cold]
    fn not_utf8(self) -> SerdeError {
        let Some(pair) = self.pair else {
            return SerdeError::message("the name is not UTF-8");
        };
        let error = DECODER.decode_utf8(pair.raw).err();
        let error = error.unwrap_or(DecodeError::new(0, DecodeErrorKind::InvalidUtf8));
        ParseError::Decode(error.shifted(self.offset)).into()
    }

    #[inline]
    fn parse<T: FromStr<Err: fmt::Display>>(self) -> Result<T, SerdeError> {
        self.get()?.parse().map_err(|error| SerdeError::message(error).at(self.offset))
    }

    fn parse_bool(self) -> Result<bool, SerdeError> {
        match &*self.get()? {
            "on" | "1" if self.config.bool_on => Ok(true),
            "off" | "0" if self.config.bool_on => Ok(false),
            _ => self.parse(),
        }
    }
}

/// Defines methods that read numbers.
macro_rules! numbers {
    ($($deserialize:ident $visit:ident)+) => {
        $(
            fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
                visitor.$visit(self.parse()?)
            }
        )+
    };
}

impl<'de> Deserializer<'de> for Text<'_, 'de> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let visited = match self.part {
            Part::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Part::Text(Cow::Owned(text)) => visitor.visit_str(text),
            Part::Bytes(bytes) if self.config.lossy_text => visitor.visit_str(&String::from_utf8_lossy(bytes)),
            Part::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
            Part::Bytes(Cow::Owned(bytes)) => visitor.visit_bytes(bytes),
        };
        visited.map_err(|error: SerdeError| error.at(self.offset))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let visited = match self.part {
            Part::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_bytes(str::as_bytes(text)),
            Part::Bytes(Cow::Borrowed(bytes)) => visitor.visit_borrowed_bytes(bytes),
            part => visitor.visit_bytes(part.bytes()),
        };
        visited.map_err(|error: SerdeError| error.at(self.offset))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.part {
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
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_bool(self.parse_bool()?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.get()?;
        visitor.visit_enum(self).map_err(|error| error.at(self.offset))
    }

    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, SerdeError> {
        Err(refused("a map", self.offset))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, SerdeError> {
        Err(refused("a struct", self.offset))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    as_newtype!();

    numbers! {
        deserialize_i8 visit_i8
        deserialize_i16 visit_i16
        deserialize_i32 visit_i32
        deserialize_i64 visit_i64
        deserialize_i128 visit_i128
        deserialize_u8 visit_u8
        deserialize_u16 visit_u16
        deserialize_u32 visit_u32
        deserialize_u64 visit_u64
        deserialize_u128 visit_u128
        deserialize_f32 visit_f32
        deserialize_f64 visit_f64
    }

    forward_to_deserialize_any! { unit unit_struct seq tuple tuple_struct identifier }
}

/// The text is the name of a variant without data.
impl<'de> EnumAccess<'de> for Text<'_, 'de> {
    type Error = SerdeError;
    type Variant = NoData;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, NoData), SerdeError> {
        Ok((seed.deserialize(self)?, NoData))
    }
}

/// The missing data of a variant.
pub(super) struct NoData;

impl NoData {
    fn refused<T>() -> Result<T, SerdeError> {
        Err(SerdeError::message("a variant with data cannot be the value of a field of a form"))
    }
}

impl<'de> VariantAccess<'de> for NoData {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, SerdeError> {
        NoData::refused()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, SerdeError> {
        NoData::refused()
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, SerdeError> {
        NoData::refused()
    }
}

/// Returns the error for a type that can't be the value of a field.
#[cold]
pub(super) fn refused(what: &str, offset: usize) -> SerdeError {
    SerdeError::message(format_args!("{what} cannot be the value of a field of a form")).at(offset)
}
