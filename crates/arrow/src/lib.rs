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
mod urls;

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;
use std::str::FromStr;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use percent_simd::{BatchError, ByteSet, DecodeError, DecodeErrorKind, Decoder, Encoder, Plus};
use percent_simd_host::{Fault, guarded};
use percent_standards::{form, uri};

use crate::columns::Operation;

pub use pairs::{parse_query, query_map, query_param_by, query_params, query_values};
pub use rows::from_rows;
pub use urls::parse_url;

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

/// The fault of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The offset of the fault, in bytes of the row.
    pub offset: usize,
    /// The kind of the fault in one word, such as `"truncated"`.
    pub kind: &'static str,
    /// The fault in words.
    pub reason: String,
}

impl From<DecodeError> for RowFault {
    fn from(error: DecodeError) -> RowFault {
        RowFault { offset: error.offset, kind: kind_of(error.kind), reason: error.to_string() }
    }
}

/// Returns the kind of an error in one word: `"truncated"`, `"not_hex"`, `"rejected"`, `"invalid_utf8"`,
/// `"invalid_in_charset"` or `"other"`.
#[must_use]
pub fn kind_of(kind: DecodeErrorKind) -> &'static str {
    match kind {
        DecodeErrorKind::Truncated => "truncated",
        DecodeErrorKind::NotHex => "not_hex",
        DecodeErrorKind::Rejected(_) => "rejected",
        DecodeErrorKind::InvalidUtf8 => "invalid_utf8",
        DecodeErrorKind::InvalidInCharset => "invalid_in_charset",
        _ => "other",
    }
}

/// A row that can't be transformed, for [`Errors::Strict`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The number of the row, from 0.
    pub row: usize,
    /// The fault of the row.
    pub fault: RowFault,
    /// The first characters of the row.
    pub value: String,
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {} in {:?}", self.row, self.fault.reason, self.value)
    }
}

/// Why a call has no result.
#[derive(Debug)]
pub enum Error {
    /// The array is neither of text nor of bytes.
    Type(DataType),
    /// A row can't be transformed.
    Row(RowError),
    /// The array has invalid numbers, or the result can't be stored.
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
            Error::Row(error) => error.fmt(f),
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
        match error {
            BatchError::Row { row, error } => Error::Row(RowError { row, fault: error.into(), value: String::new() }),
            error => Error::Batch(error),
        }
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

/// Runs `work` on an array. Turns a panic into an error, and adds the value of the row to an error of a row.
fn sound(array: &ArrayRef, work: impl FnOnce() -> Result<ArrayRef, Error>) -> Result<ArrayRef, Error> {
    guarded(work)?.map_err(|error| match error {
        Error::Row(RowError { row, fault, .. }) => {
            let value = guarded(|| shortened(&array.slice(row, 1))).unwrap_or_default();
            Error::Row(RowError { row, fault, value })
        }
        error => error,
    })
}

/// Returns the first characters of an array's only row.
fn shortened(array: &ArrayRef) -> String {
    /// As many bytes are enough to recognize a row.
    const LEN: usize = 100;
    let row = rows::rows(array).ok().and_then(|rows| rows.first().copied().flatten()).unwrap_or_default();
    match row.get(..LEN) {
        Some(start) if row.len() > LEN => format!("{}...", String::from_utf8_lossy(start).trim_end_matches('\u{FFFD}')),
        _ => String::from_utf8_lossy(row).into_owned(),
    }
}

/// Decodes each row. An array of text gives text. `errors` is the treatment of rows that can't be decoded.
///
/// # Errors
///
/// Returns an error if the array has another type, if a row can't be decoded and `errors` is [`Errors::Strict`], or if
/// the result can't be stored.
pub fn decode(array: &ArrayRef, decoder: Decoder, errors: Errors) -> Result<ArrayRef, Error> {
    sound(array, || transform(array, &columns::Codec(columns::Decode::new(decoder, decoder.strict(), errors))))
}

/// Decodes each row up to `max` times, until no row changes.
///
/// As in [`Decoder::decode_layers`](percent_simd::CheckedDecoder::decode_layers), only the first layer reads `+` as a
/// space, and a malformed `%` is a fault only in the first layer. An escape of a byte in `reject` is a fault in every
/// layer. The offset of a fault counts bytes of the row after the layers before.
///
/// With [`Errors::Keep`] and [`Errors::Replace`], `reject` is ignored. To leave escapes, use [`Decoder::keep`].
///
/// # Errors
///
/// Returns the errors of [`decode`].
pub fn decode_layers(
    array: &ArrayRef,
    decoder: Decoder,
    reject: ByteSet,
    errors: Errors,
    max: usize,
) -> Result<ArrayRef, Error> {
    sound(array, || {
        let mut array = array.clone();
        for layer in 0..max {
            let decoder = if layer == 0 { decoder } else { decoder.plus(Plus::Never) };
            let strict = if layer == 0 { decoder.strict() } else { decoder.as_checked() };
            let strict = if reject.is_empty() { strict } else { strict.reject(reject) };
            let decoded = transform(&array, &columns::Codec(columns::Decode::new(decoder, strict, errors)))?;
            let is_last = decoded == array;
            array = decoded;
            if is_last {
                break;
            }
        }
        Ok(array)
    })
}

/// Transforms the bytes of each row. `None` makes a row null.
///
/// If `each` returns a fault, `errors` is the treatment of the row. [`Errors::Keep`] and [`Errors::Replace`] leave it as
/// it is. In a dictionary, `each` is called once for each value.
///
/// # Errors
///
/// Returns an error if the array has another type, if a row is faulty and `errors` is [`Errors::Strict`], if the result of
/// a row of text isn't UTF-8, or if the result can't be stored.
pub fn map_bytes(
    array: &ArrayRef,
    errors: Errors,
    each: impl for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>,
) -> Result<ArrayRef, Error> {
    sound(array, || transform(array, &each::RowByRow { each: &each, errors }))
}

/// Transforms the text of each row, like [`map_bytes`]. A row that isn't UTF-8 is faulty.
///
/// # Examples
///
/// ```
/// # #[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
/// # fn main() {}
/// # #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
/// # fn main() -> Result<(), percent_simd_arrow::Error> {
/// use std::sync::Arc;
///
/// use percent_simd_arrow::arrow_array::{ArrayRef, StringArray};
/// use percent_simd_arrow::{Errors, map_text};
/// use percent_standards::uri;
///
/// let urls: ArrayRef = Arc::new(StringArray::from(vec![Some("ftp://me:secret@h/"), None]));
/// let redacted: ArrayRef = Arc::new(StringArray::from(vec![Some("ftp://me:***@h/"), None]));
/// assert_eq!(&map_text(&urls, Errors::Keep, |url| Ok(uri::redact(url)))?, &redacted);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// Returns the errors of [`map_bytes`].
pub fn map_text(
    array: &ArrayRef,
    errors: Errors,
    each: impl for<'r> Fn(&'r str) -> Result<Cow<'r, str>, RowFault>,
) -> Result<ArrayRef, Error> {
    map_bytes(array, errors, |row| {
        let text =
            str::from_utf8(row).map_err(|error| DecodeError::new(error.valid_up_to(), DecodeErrorKind::InvalidUtf8))?;
        each(text).map(|text| Some(bytes(text)))
    })
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// Encodes each row.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn encode(array: &ArrayRef, encoder: Encoder) -> Result<ArrayRef, Error> {
    sound(array, || transform(array, &columns::Codec(columns::Encode(encoder))))
}

/// Normalizes each row as a URI (RFC 3986 6.2.2).
///
/// A malformed `%` becomes `%25`. A row that isn't UTF-8 stays as it is.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn normalize(array: &ArrayRef) -> Result<ArrayRef, Error> {
    map_text(array, Errors::Keep, |row| Ok(uri::sanitize(row)))
}

/// Returns the decoded value of the first query parameter called `name` in each row.
///
/// A row is a URL or reference. The result is null if the row has no such parameter.
///
/// # Errors
///
/// Returns an error if the array has another type, or the result can't be stored.
pub fn query_param(array: &ArrayRef, name: &str) -> Result<ArrayRef, Error> {
    map_bytes(array, Errors::Keep, |row| {
        let Ok(text) = str::from_utf8(row) else { return Ok(None) };
        Ok(form::parse(query(text)).find(|(found, _)| found == name).map(|(_, value)| bytes(value)))
    })
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
