//! Reads and writes the types of a program as forms, with serde.

/// Reads a newtype as its inner value.
macro_rules! as_newtype {
    () => {
        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            visitor.visit_newtype_struct(self)
        }
    };
}

/// Deserializes tuples as sequences.
macro_rules! tuples_as_sequences {
    () => {
        fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, SerdeError> {
            self.deserialize_seq(visitor)
        }

        fn deserialize_tuple_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            _: usize,
            visitor: V,
        ) -> Result<V::Value, SerdeError> {
            self.deserialize_seq(visitor)
        }
    };
}

pub mod as_text;
mod config;
mod de;
mod error;
mod field;
mod names;
mod ser;
mod text;
mod tree;
mod value;

pub use config::{Brackets, Config, Duplicates};
pub use de::{from_bytes, from_str};
pub use error::SerdeError;
pub use ser::to_string;
