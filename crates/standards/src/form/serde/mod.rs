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

pub mod as_text;
mod config;
mod de;
mod error;
mod field;
mod names;
mod nested;
mod ser;
mod tree;
mod value;

pub use config::{Brackets, Config, Duplicates};
pub use de::{from_bytes, from_str};
pub use error::SerdeError;
pub use ser::to_string;
