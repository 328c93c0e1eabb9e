//! Forms from and to the types of a program, with serde.

/// A newtype is what is in it.
macro_rules! as_newtype {
    () => {
        fn deserialize_newtype_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            visitor: V,
        ) -> Result<V::Value, DeserializeError> {
            visitor.visit_newtype_struct(self)
        }
    };
}

mod de;
mod entry;
mod ser;
mod value;

#[cfg(feature = "std")]
pub use de::from_reader;
pub use de::{from_bytes, from_str};
pub use entry::DeserializeError;
pub use ser::{SerializeError, to_string};
