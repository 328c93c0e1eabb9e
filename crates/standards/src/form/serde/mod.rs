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

mod de;
mod error;
mod field;
mod ser;
mod value;

pub use de::{from_bytes, from_str};
pub use error::SerdeError;
pub use ser::to_string;
