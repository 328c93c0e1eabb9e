//! Reads and writes a value as text. Use it for types that serde reads by guessing.
//!
//! Serde reads the fields of a `flatten`ed struct, of an `untagged` enum, and of an enum with a `tag` before it knows
//! their types. In a form, a number looks like any other text. So serde stores every value as text. If the type of a
//! field is a number, serde later reports an error, because it doesn't accept text for a number. Mark fields with
//! numbers like this:
//!
//! ```
//! use percent_standards::form;
//!
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Page {
//!     #[serde(with = "form::as_text")]
//!     page: u32,
//!     #[serde(default, with = "form::as_text::option")]
//!     size: Option<u32>,
//! }
//!
//! #[derive(serde::Serialize, serde::Deserialize, PartialEq, Debug)]
//! struct Search {
//!     q: String,
//!     #[serde(flatten)]
//!     page: Page,
//! }
//!
//! let search: Search = form::from_str("q=1&page=2")?;
//! assert_eq!(search, Search { q: "1".into(), page: Page { page: 2, size: None } });
//! assert_eq!(form::to_string(&search)?, "q=1&page=2");
//! # Ok::<(), form::SerdeError>(())
//! ```

use core::fmt::{self, Display};
use core::marker::PhantomData;
use core::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;

struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Reads a value from text, with [`FromStr`].
///
/// # Errors
///
/// Returns an error if the text can't be read.
pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_str(Text(PhantomData))
}

/// Writes a value as text, with [`Display`].
///
/// # Errors
///
/// Returns the errors of the serializer.
pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads and writes an `Option` as text. Empty text is `None`. Also add `default`, so that a missing field is `None`,
/// too.
pub mod option {
    use super::{Display, FromStr, PhantomData, Serializer, Text, Visitor, de, fmt};
    use serde::de::Deserializer;

    struct Optional<T>(PhantomData<T>);

    impl<'de, T: FromStr<Err: Display>> Visitor<'de> for Optional<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("text or nothing")
        }

        fn visit_none<E: de::Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_unit<E: de::Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
            deserializer.deserialize_str(self)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<T>, E> {
            if text.is_empty() { Ok(None) } else { Text(PhantomData).visit_str(text).map(Some) }
        }
    }

    /// Reads an optional value from text, with [`FromStr`].
    ///
    /// # Errors
    ///
    /// Returns an error if the text can't be read.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_option(Optional(PhantomData))
    }

    /// Writes an optional value as text, with [`Display`].
    ///
    /// # Errors
    ///
    /// Returns the errors of the serializer.
    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.serialize_some(&format_args!("{value}")),
            None => serializer.serialize_none(),
        }
    }
}
