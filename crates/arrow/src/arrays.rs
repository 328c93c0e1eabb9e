//! The calls that transform arrays, and their errors.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::fmt;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use percent_simd::{BatchError, DecodeError, DecodeErrorKind, Encoder};
use percent_simd_host::{Fault, guarded};
use percent_standards::uri;

use crate::columns::is_text;
use crate::operation::{Operation, transform_values};
use crate::url::{bytes, of_url, param};
use crate::{DecodeOptions, Errors, columns, dictionary, each, rows};

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

/// The error of a call with [`Errors::Strict`] if a row can't be transformed.
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
    /// The array contains neither text nor bytes.
    Type(DataType),
    /// A row can't be transformed.
    Row(RowError),
    /// The array has invalid offsets or lengths, or the result can't be stored.
    Batch(BatchError),
    /// Memory could not be allocated, or this library has a bug.
    Fault(Fault),
    /// Arrow can't build an array from the parts of the result.
    Arrow(ArrowError),
}

impl Error {
    /// Returns the same error for a column that has `rows` rows before the array. The numbers of rows then count from the
    /// start of the column.
    ///
    /// # Examples
    ///
    /// ```
    /// # #[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
    /// # fn main() {}
    /// # #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
    /// # fn main() -> Result<(), String> {
    /// use std::sync::Arc;
    ///
    /// use percent_simd_arrow::arrow_array::{Array, ArrayRef, StringArray};
    /// use percent_simd_arrow::{DecodeOptions, decode};
    ///
    /// let urls: ArrayRef = Arc::new(StringArray::from(vec!["/a", "/b", "/100%"]));
    /// let options: DecodeOptions = "strict".parse()?;
    /// let error = decode(&urls.slice(1, 2), &options).unwrap_err();
    /// assert!(error.to_string().starts_with("row 1: "));
    /// assert!(error.after(1).to_string().starts_with("row 2: "));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn after(self, rows: usize) -> Error {
        match self {
            Error::Row(RowError { row, fault, value }) => Error::Row(RowError { row: rows + row, fault, value }),
            Error::Batch(BatchError::TooLong(row)) => Error::Batch(BatchError::TooLong(rows + row)),
            other => other,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Type(data_type) => {
                let remedy = match data_type {
                    DataType::Struct(_) => "pass one of its fields or columns",
                    _ => "cast it to text or bytes",
                };
                write!(f, "expected a column of text or bytes, not of {data_type}: {remedy}")
            }
            Error::Row(error) => error.fmt(f),
            Error::Batch(BatchError::TooLong(row)) => {
                write!(
                    f,
                    "the result is too long from row {row} on: use the type with 64-bit offsets, or fewer rows at a time"
                )
            }
            Error::Batch(error) => error.fmt(f),
            Error::Fault(fault) => fault.fmt(f),
            // Arrow's text would begin with "Invalid argument error".
            Error::Arrow(ArrowError::InvalidArgumentError(message)) => f.write_str(message),
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

/// Runs `work` on an array. Turns a panic into an error. If a row has an error, adds the value of the row to the error.
pub(crate) fn sound(array: &ArrayRef, work: impl FnOnce() -> Result<ArrayRef, Error>) -> Result<ArrayRef, Error> {
    guarded(work)?.map_err(|error| match error {
        Error::Row(RowError { row, fault, .. }) => {
            let value = guarded(|| first_row(&array.slice(row, 1))).unwrap_or_default();
            Error::Row(RowError { row, fault, value })
        }
        error => error,
    })
}

/// Returns the first characters of an array's first row.
fn first_row(array: &ArrayRef) -> String {
    shortened(rows::rows(array).ok().and_then(|rows| rows.first().copied().flatten()).unwrap_or_default())
}

/// Returns the first characters of a row, as errors show them.
#[must_use]
pub fn shortened(row: &[u8]) -> String {
    /// An error shows at most this many bytes of a row, which are enough to recognize the row.
    const LEN: usize = 100;
    if row.len() <= LEN {
        return String::from_utf8_lossy(row).into_owned();
    }
    // A character has at most three bytes after its first one, and these bytes are 80 to BF. Don't cut a character in two.
    let end = (LEN - 3..=LEN).rev().find(|&at| !matches!(row[at], 0x80..=0xBF)).unwrap_or(LEN);
    format!("{}...", String::from_utf8_lossy(&row[..end]))
}

/// Decodes each row. The result for an array of text is text.
///
/// With several layers, each row is decoded up to that many times, until it no longer changes, in linear time. As in
/// [`Decoder::decode_layers`](percent_simd::CheckedDecoder::decode_layers), only the first layer reads `+` as a space,
/// and a malformed `%` is a fault only in the first layer. The offset of a fault in the last layer isn't an offset in
/// the original row, but in the row after the other layers have been decoded.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if a row can't be decoded and `options.errors` is
/// [`Errors::Strict`], or if the result can't be stored.
pub fn decode(array: &ArrayRef, options: &DecodeOptions) -> Result<ArrayRef, Error> {
    sound(array, || {
        if options.layers == 0 {
            return Ok(array.clone());
        }
        let decode = columns::Decode::new(options, is_text(array.data_type()));
        transform(array, options.errors, &columns::Codec(decode))
    })
}

/// Transforms the bytes of each row. If `each` returns `None`, the row becomes null.
///
/// If `each` returns a fault for a row, `errors` is the treatment of this row. [`Errors::Keep`] and [`Errors::Replace`]
/// leave the row as it is. In a dictionary, `each` is called once for each value.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if a row is faulty and `errors` is
/// [`Errors::Strict`], if the result of a row of text isn't UTF-8, or if the result can't be stored.
pub fn map_bytes(
    array: &ArrayRef,
    errors: Errors,
    each: impl for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>,
) -> Result<ArrayRef, Error> {
    sound(array, || transform(array, errors, &each::RowByRow::new(&each, errors)))
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

/// Encodes each row.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, or if the result can't be stored.
pub fn encode(array: &ArrayRef, encoder: Encoder) -> Result<ArrayRef, Error> {
    sound(array, || transform(array, Errors::Keep, &columns::Codec(columns::Encode(encoder))))
}

/// Normalizes each row as a URI (RFC 3986 6.2.2).
///
/// A malformed `%` becomes `%25`. A row that isn't UTF-8 stays as it is.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, or if the result can't be stored.
pub fn normalize(array: &ArrayRef) -> Result<ArrayRef, Error> {
    map_text(array, Errors::Keep, |row| Ok(uri::sanitize(row)))
}

/// Returns the decoded value of the first query parameter called `name` in each row.
///
/// A row is a URL or reference. The result is null if the row has no such parameter. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, or if the result can't be stored.
pub fn query_param(array: &ArrayRef, name: &str) -> Result<ArrayRef, Error> {
    map_url(array, |url| param(url, name.as_bytes()))
}

/// Returns the host of the URL in each row, as it is written. The result is null if the URL has no host.
///
/// # Errors
///
/// Returns the errors of [`query_param`].
pub fn host(array: &ArrayRef) -> Result<ArrayRef, Error> {
    map_url(array, |url| uri::Uri::split(url).host().map(Cow::Borrowed))
}

/// Returns the registrable domain of the host of the URL in each row, decoded and in lower case. The result is null if
/// the host has no registrable domain; see [`uri::registrable_domain`].
///
/// # Errors
///
/// Returns the errors of [`query_param`].
#[cfg(feature = "domains")]
pub fn domain(array: &ArrayRef) -> Result<ArrayRef, Error> {
    map_url(array, |url| crate::url::domain(url).map(Cow::Owned))
}

/// Returns a part of the URL in each row.
fn map_url(array: &ArrayRef, each: impl for<'u> Fn(&'u str) -> Option<Cow<'u, str>>) -> Result<ArrayRef, Error> {
    // If memory runs out, `guarded` turns the panic into an error.
    map_bytes(array, Errors::Keep, |row| Ok(of_url(row, &each).unwrap_or_else(|error| panic!("{error}"))))
}

/// Runs `operation` over `array`. The result has the same type.
fn transform<P: Operation>(array: &ArrayRef, errors: Errors, operation: &P) -> Result<ArrayRef, Error> {
    match array.as_any_dictionary_opt() {
        Some(dictionary) => dictionary::transform(dictionary, errors, operation),
        None => transform_values(array, errors, array.len(), Some, operation),
    }
}
