//! Percent-encoding of Arrow arrays: decodes, encodes and normalizes them, and reads the queries of URLs.
//!
//! An array contains text or bytes: with 32-bit or 64-bit offsets, as views, or as a dictionary. The result has the
//! type of the input, unless its function says otherwise. Rows that don't change share their memory with the input.
//!
//! In a dictionary, each value is transformed once. The new dictionary has distinct values and no null. So two rows are
//! equal if and only if their keys are equal. A row is null if and only if its key is null.
//!
//! # Examples
//!
//! ```
//! # #[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
//! # fn main() {}
//! # #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
//! # fn main() -> Result<(), percent_simd_arrow::Error> {
//! use std::sync::Arc;
//!
//! use percent_simd::Decoder;
//! use percent_simd_arrow::arrow_array::{ArrayRef, StringArray};
//! use percent_simd_arrow::{Errors, decode, query_param};
//!
//! let urls: ArrayRef = Arc::new(StringArray::from(vec![Some("/caf%C3%A9?page=2"), None, Some("/100%")]));
//! let decoded: ArrayRef = Arc::new(StringArray::from(vec![Some("/café?page=2"), None, Some("/100%")]));
//! assert_eq!(&decode(&urls, Decoder::new(), Errors::Keep)?, &decoded);
//!
//! let pages: ArrayRef = Arc::new(StringArray::from(vec![Some("2"), None, None]));
//! assert_eq!(&query_param(&urls, "page")?, &pages);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! The feature `arrow-59` or `arrow-60` chooses the version of arrow that your arrays come from. Set exactly one of the
//! two. Without a feature, the crate is empty. The module [`arrow_array`] has the array types of that version.
#![cfg(any(feature = "arrow-59", feature = "arrow-60"))]

#[cfg(all(feature = "arrow-59", feature = "arrow-60"))]
compile_error!("set one of the features `arrow-59` and `arrow-60`, not both: an array is of one version of arrow");

#[cfg(feature = "arrow-59")]
pub extern crate arrow_array_59 as arrow_array;
#[cfg(feature = "arrow-60")]
pub extern crate arrow_array_60 as arrow_array;
#[cfg(feature = "arrow-59")]
extern crate arrow_buffer_59 as arrow_buffer;
#[cfg(feature = "arrow-60")]
extern crate arrow_buffer_60 as arrow_buffer;
#[cfg(feature = "arrow-59")]
extern crate arrow_schema_59 as arrow_schema;
#[cfg(feature = "arrow-60")]
extern crate arrow_schema_60 as arrow_schema;

mod columns;
mod dictionary;
mod each;
mod pairs;
mod rows;

use std::collections::TryReserveError;
use std::fmt;
use std::str::FromStr;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use percent_simd::{BatchError, Decoder, Encoder};
use percent_simd_host::{Fault, guarded};
use percent_standards::uri;

use crate::columns::Operation;

pub use pairs::{parse_query, query_map};
pub use rows::from_rows;

/// What happens to a row with a malformed escape. In an array of text, the same happens to a row that decodes to invalid
/// UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// Escapes that can't be decoded stay as they are.
    Keep,
    /// The row becomes a null.
    Null,
    /// The call fails and reports the row.
    Strict,
    /// A malformed `%` stays, and U+FFFD replaces bytes that aren't UTF-8.
    Replace,
}

impl FromStr for Errors {
    type Err = String;

    fn from_str(name: &str) -> Result<Errors, String> {
        match name {
            "keep" => Ok(Errors::Keep),
            "null" => Ok(Errors::Null),
            "strict" => Ok(Errors::Strict),
            "replace" => Ok(Errors::Replace),
            _ => Err(format!("errors is \"keep\", \"null\", \"strict\" or \"replace\", not {name:?}")),
        }
    }
}

/// Why a call has no result.
#[derive(Debug)]
pub enum Error {
    /// The array is neither of text nor of bytes.
    Type(DataType),
    /// A row is malformed, or the result can't be stored.
    Batch(BatchError),
    /// Memory could not be allocated, or this library has a bug.
    Fault(Fault),
    /// Arrow can't build an array from the parts of the result.
    Arrow(ArrowError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Type(data_type) => write!(f, "expected a column of text or bytes, not of {data_type}"),
            Error::Batch(BatchError::TooLong(row)) => {
                write!(
                    f,
                    "the result is too long from row {row} on: use the type with 64-bit offsets, or fewer rows at a time"
                )
            }
            Error::Batch(error) => error.fmt(f),
            Error::Fault(fault) => fault.fmt(f),
            Error::Arrow(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<BatchError> for Error {
    fn from(error: BatchError) -> Error {
        Error::Batch(error)
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Fault(fault)
    }
}

impl From<TryReserveError> for Error {
    fn from(error: TryReserveError) -> Error {
        Error::Fault(error.into())
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Error {
        Error::Arrow(error)
    }
}

/// Runs `work`, and turns a panic into an error.
fn sound(work: impl FnOnce() -> Result<ArrayRef, Error>) -> Result<ArrayRef, Error> {
    guarded(work)?
}

/// Decodes each row. An array of text gives text. `errors` is the treatment of rows that can't be decoded.
///
/// # Errors
///
/// Returns an error if the array has another type, if a row can't be decoded and `errors` is [`Errors::Strict`], or if
/// the result can't be stored.
pub fn decode(array: &ArrayRef, decoder: Decoder, errors: Errors) -> Result<ArrayRef, Error> {
    sound(|| transform(array, &columns::Codec(columns::Decode::new(decoder, errors))))
}

/// Encodes each row.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn encode(array: &ArrayRef, encoder: Encoder) -> Result<ArrayRef, Error> {
    sound(|| transform(array, &columns::Codec(columns::Encode(encoder))))
}

/// Normalizes each row as a URI (RFC 3986 6.2.2).
///
/// A malformed `%` becomes `%25`. A row that isn't UTF-8 stays as it is.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn normalize(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(|| transform(array, &each::RowByRow(each::Normalize)))
}

/// Returns the decoded value of the first query parameter called `name` in each row.
///
/// A row is a URL or reference. The result is null if the row has no such parameter.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn query_param(array: &ArrayRef, name: &str) -> Result<ArrayRef, Error> {
    sound(|| transform(array, &each::RowByRow(each::QueryParam(name))))
}

/// Returns the query of a URL or reference: the text after the first `?`, up to a `#`.
fn query(reference: &str) -> &str {
    uri::Uri::split(reference).query.unwrap_or_default()
}

/// Runs `operation` over `array`. The result has the same type.
fn transform<P: Operation>(array: &ArrayRef, operation: &P) -> Result<ArrayRef, Error> {
    match array.as_any_dictionary_opt() {
        Some(dictionary) => dictionary::transform(dictionary, operation),
        None => columns::transform_values(array, array.nulls(), operation),
    }
}
