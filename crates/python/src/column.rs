//! Whole columns at once: decoded, encoded, normalised, searched for a query parameter.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder, make_view};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{ArrowNativeType as _, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use percent_simd::{CheckedDecoder, Decoder, Encoder, Offset, form, uri};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrow::{Column, value_error};
use crate::codec;

/// What is wrong with a row, in words.
type RowError = String;

/// What is done to each row of a column.
trait Operation: Sync {
    /// Whether no row changes, whichever rows `values` consist of.
    fn changes_nothing(&self, values: &[u8]) -> bool;

    /// Appends what all rows become to `out`, and where each ends to `ends`; `false` if each row must be looked at by itself.
    /// What was appended may then be anything.
    fn batch<O: Offset>(&self, values: &[u8], offsets: &[O], out: &mut Vec<u8>, ends: &mut Vec<O>) -> bool;

    /// What `row` becomes, `None` being a null. If `is_text`, the row is UTF-8, and so is the result.
    fn row<'r>(&self, row: &'r [u8], is_text: bool) -> Result<Option<Cow<'r, [u8]>>, RowError>;
}

/// What is done about a row that is malformed or, in a column of text, would not be UTF-8.
#[derive(Clone, Copy, PartialEq)]
enum Errors {
    /// Escapes that cannot be decoded stay as they are.
    Keep,
    /// The row becomes a null.
    Null,
    /// The call fails, and names the row.
    Strict,
    /// A malformed `%` stays; what is not UTF-8 becomes U+FFFD.
    Replace,
}

impl Errors {
    fn parse(name: &str) -> PyResult<Errors> {
        match name {
            "keep" => Ok(Errors::Keep),
            "null" => Ok(Errors::Null),
            "strict" => Ok(Errors::Strict),
            "replace" => Ok(Errors::Replace),
            _ => Err(PyValueError::new_err(format!(
                "errors is \"keep\", \"null\", \"strict\" or \"replace\", not {name:?}"
            ))),
        }
    }
}

struct Decode {
    lenient: Decoder,
    /// The same, with malformed escapes as errors.
    strict: CheckedDecoder,
    errors: Errors,
}

impl Operation for Decode {
    fn changes_nothing(&self, values: &[u8]) -> bool {
        // Where two rows meet there may seem to be an escape: then each row is looked at.
        let no_errors =
            matches!(self.errors, Errors::Keep | Errors::Replace) || self.lenient.first_malformed(values).is_none();
        no_errors && self.lenient.first_changed(values).is_none()
    }

    fn batch<O: Offset>(&self, values: &[u8], offsets: &[O], out: &mut Vec<u8>, ends: &mut Vec<O>) -> bool {
        match self.errors {
            Errors::Keep | Errors::Replace => self.lenient.decode_batch(values, offsets, out, ends).is_ok(),
            Errors::Null | Errors::Strict => self.strict.decode_batch(values, offsets, out, ends).is_ok(),
        }
    }

    fn row<'r>(&self, row: &'r [u8], is_text: bool) -> Result<Option<Cow<'r, [u8]>>, RowError> {
        match (self.errors, is_text) {
            (Errors::Keep | Errors::Replace, false) => Ok(Some(self.lenient.decode(row))),
            (Errors::Keep, true) => Ok(Some(into_bytes(self.lenient.decode_valid_utf8(row)))),
            (Errors::Replace, true) => Ok(Some(into_bytes(self.lenient.decode_utf8_lossy(row)))),
            (Errors::Null | Errors::Strict, _) => {
                let decoded =
                    if is_text { self.strict.decode_utf8(row).map(into_bytes) } else { self.strict.decode(row) };
                match decoded {
                    Ok(decoded) => Ok(Some(decoded)),
                    Err(_) if self.errors == Errors::Null => Ok(None),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
    }
}

struct Encode(Encoder);

impl Operation for Encode {
    fn changes_nothing(&self, values: &[u8]) -> bool {
        !self.0.needs_encoding(values)
    }

    fn batch<O: Offset>(&self, values: &[u8], offsets: &[O], out: &mut Vec<u8>, ends: &mut Vec<O>) -> bool {
        self.0.encode_batch(values, offsets, out, ends).is_ok()
    }

    fn row<'r>(&self, row: &'r [u8], _: bool) -> Result<Option<Cow<'r, [u8]>>, RowError> {
        Ok(Some(into_bytes(self.0.encode(row))))
    }
}

/// An operation that looks at each row by itself, and at text only.
trait EachText: Sync {
    /// Whether bytes that are not UTF-8 stay as they are; otherwise they are a null.
    const KEEPS_BYTES: bool;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>>;
}

impl<T: EachText> Operation for T {
    fn changes_nothing(&self, _: &[u8]) -> bool {
        false
    }

    fn batch<O: Offset>(&self, _: &[u8], _: &[O], _: &mut Vec<u8>, _: &mut Vec<O>) -> bool {
        false
    }

    fn row<'r>(&self, row: &'r [u8], _: bool) -> Result<Option<Cow<'r, [u8]>>, RowError> {
        let Ok(text) = str::from_utf8(row) else {
            return Ok(Self::KEEPS_BYTES.then_some(Cow::Borrowed(row)));
        };
        Ok(self.text(text).map(into_bytes))
    }
}

struct Normalize;

impl EachText for Normalize {
    const KEEPS_BYTES: bool = true;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>> {
        Some(uri::sanitize(row))
    }
}

struct QueryParam(String);

impl EachText for QueryParam {
    const KEEPS_BYTES: bool = false;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>> {
        form::parse(query(row)).find(|(name, _)| *name == self.0).map(|(_, value)| value)
    }
}

fn into_bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// What `operation` makes of `array`: an array of the same type. Rows that do not change share their memory with it.
fn transform<P: Operation>(array: &ArrayRef, operation: &P) -> PyResult<ArrayRef> {
    match array.data_type() {
        DataType::Utf8 => of_offsets::<GenericStringType<i32>, P>(array.as_bytes(), operation),
        DataType::LargeUtf8 => of_offsets::<GenericStringType<i64>, P>(array.as_bytes(), operation),
        DataType::Binary => of_offsets::<GenericBinaryType<i32>, P>(array.as_bytes(), operation),
        DataType::LargeBinary => of_offsets::<GenericBinaryType<i64>, P>(array.as_bytes(), operation),
        DataType::Utf8View => of_views::<StringViewType, P>(array.as_byte_view(), operation),
        DataType::BinaryView => of_views::<BinaryViewType, P>(array.as_byte_view(), operation),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            Ok(dictionary.with_values(transform(dictionary.values(), operation)?))
        }
        DataType::Null => Ok(array.clone()),
        other => Err(wrong_type(other)),
    }
}

/// The error for row `number`.
fn row_error(number: usize, error: RowError) -> PyErr {
    PyValueError::new_err(format!("row {number}: {error}"))
}

/// Whether the type is one of text.
fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn of_offsets<T: ByteArrayType<Offset: Offset>, P: Operation>(
    array: &GenericByteArray<T>,
    operation: &P,
) -> PyResult<ArrayRef> {
    let (offsets, values) = (array.value_offsets(), array.value_data());
    let range = offsets[0].as_usize()..offsets[array.len()].as_usize();
    if operation.changes_nothing(&values[range]) {
        return Ok(Arc::new(array.clone()));
    }
    let (mut out, mut ends) = (Vec::new(), Vec::new());
    if operation.batch(values, offsets, &mut out, &mut ends)
        && let Ok(array) = from_parts::<T>(out, ends, array.nulls().cloned())
    {
        return Ok(array);
    }
    let is_text = is_text(array.data_type());
    let (mut out, mut ends, mut nulls) = (Vec::new(), vec![T::Offset::default()], NullBufferBuilder::new(array.len()));
    for row in 0..array.len() {
        let bytes: &[u8] = array.value(row).as_ref();
        let result = if array.is_null(row) {
            None
        } else {
            operation.row(bytes, is_text).map_err(|error| row_error(row, error))?
        };
        nulls.append(result.is_some());
        out.extend_from_slice(&result.unwrap_or_default());
        let end = T::Offset::from_usize(out.len());
        ends.push(
            end.ok_or_else(|| PyValueError::new_err("the column would be too long: use its type with 64-bit offsets"))?,
        );
    }
    from_parts::<T>(out, ends, nulls.finish())
}

/// An array of values, offsets and nulls; the error tells where the values are not of its type.
fn from_parts<T: ByteArrayType>(
    values: Vec<u8>,
    offsets: Vec<T::Offset>,
    nulls: Option<NullBuffer>,
) -> PyResult<ArrayRef> {
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let array = GenericByteArray::<T>::try_new(offsets, Buffer::from_vec(values), nulls).map_err(value_error)?;
    Ok(Arc::new(array))
}

fn of_views<T: ByteViewType, P: Operation>(array: &GenericByteViewArray<T>, operation: &P) -> PyResult<ArrayRef> {
    /// New values are gathered in buffers of about this many bytes: an offset has 32 bits.
    const BUFFER: usize = 1 << 24;
    let is_text = is_text(array.data_type());
    let mut buffers = array.data_buffers().to_vec();
    let (mut out, mut changed) = (Vec::new(), false);
    let mut nulls = NullBufferBuilder::new(array.len());
    let mut views = array.views().to_vec();
    for (row, view) in views.iter_mut().enumerate() {
        if array.is_null(row) {
            nulls.append(false);
            continue;
        }
        let bytes: &[u8] = array.value(row).as_ref();
        let result = if operation.changes_nothing(bytes) {
            Some(Cow::Borrowed(bytes))
        } else {
            operation.row(bytes, is_text).map_err(|error| row_error(row, error))?
        };
        nulls.append(result.is_some());
        match result {
            Some(Cow::Borrowed(same)) if same == bytes => {}
            None => (*view, changed) = (0, true),
            Some(new) => {
                if out.len() + new.len() > BUFFER && !out.is_empty() {
                    buffers.push(Buffer::from_vec(std::mem::take(&mut out)));
                }
                let too_long = |_| PyValueError::new_err(format!("row {row}: the value would be too long"));
                let buffer = u32::try_from(buffers.len()).map_err(too_long)?;
                *view = make_view(&new, buffer, u32::try_from(out.len()).map_err(too_long)?);
                if new.len() > 12 {
                    out.extend_from_slice(&new);
                }
                changed = true;
            }
        }
    }
    if !changed {
        return Ok(Arc::new(array.clone()));
    }
    buffers.push(Buffer::from_vec(out));
    let array = GenericByteViewArray::<T>::try_new(views.into(), buffers, nulls.finish()).map_err(value_error)?;
    Ok(Arc::new(array))
}

fn transformed<'py>(py: Python<'py>, column: Column, operation: impl Operation + Send) -> PyResult<Bound<'py, PyAny>> {
    py.detach(|| column.map(|array| transform(array, &operation)))?.into_python(py)
}

/// Decodes every row of a column of text or bytes, which keeps its type. `errors` says what becomes of a row with a malformed
/// escape or, in a column of text, of one that would not be UTF-8: "keep" leaves such escapes as they are, "null" makes the
/// row a null, "strict" raises a ValueError that names the row, "replace" puts U+FFFD for what is not UTF-8.
#[pyfunction]
#[pyo3(signature = (column, *, errors = "keep", plus = false))]
pub(crate) fn decode_array<'py>(
    py: Python<'py>,
    column: Column,
    errors: &str,
    plus: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let lenient = Decoder::new().plus(if plus { percent_simd::Plus::Always } else { percent_simd::Plus::Never });
    transformed(py, column, Decode { lenient, strict: lenient.strict(), errors: Errors::parse(errors)? })
}

/// Encodes every row of a column of text or bytes, which keeps its type; what is in `allowed` stays, by default the unreserved
/// characters of RFC 3986.
#[pyfunction]
#[pyo3(signature = (column, allowed = None, *, plus = false))]
pub(crate) fn encode_array<'py>(
    py: Python<'py>,
    column: Column,
    allowed: Option<codec::Set>,
    plus: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let encoder = Encoder::new(allowed.map_or(percent_simd::sets::RFC3986_UNRESERVED, |set| set.0));
    transformed(py, column, Encode(if plus { encoder.space_to_plus() } else { encoder }))
}

/// The normal form of every row of a column of URIs (RFC 3986 6.2.2). A malformed `%` stays as it is.
#[pyfunction]
pub(crate) fn normalize_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    transformed(py, column, Normalize)
}

/// The query of a URL or reference: what stands after the first `?`, up to a `#`.
fn query(reference: &str) -> &str {
    uri::Uri::split(reference).query.unwrap_or_default()
}

/// The decoded value of the first query parameter called `name` of every row of a column of URLs; null where there is none.
#[pyfunction]
pub(crate) fn query_param<'py>(py: Python<'py>, column: Column, name: String) -> PyResult<Bound<'py, PyAny>> {
    transformed(py, column, QueryParam(name))
}

/// The query parameters of every row of a column of URLs, decoded: a list of (name, value) structs each.
#[pyfunction]
pub(crate) fn parse_query(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    py.detach(|| column.map(parsed))?.into_python(py)
}

/// The rows of `array`, with `None` for nulls.
fn rows(array: &ArrayRef) -> PyResult<Vec<Option<&[u8]>>> {
    fn collect<'a, T: AsRef<[u8]> + ?Sized + 'a>(rows: impl Iterator<Item = Option<&'a T>>) -> Vec<Option<&'a [u8]>> {
        rows.map(|row| row.map(T::as_ref)).collect()
    }
    Ok(match array.data_type() {
        DataType::Utf8 => collect(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => collect(array.as_string::<i64>().iter()),
        DataType::Utf8View => collect(array.as_string_view().iter()),
        DataType::Binary => collect(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => collect(array.as_binary::<i64>().iter()),
        DataType::BinaryView => collect(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = rows(dictionary.values())?;
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            keys.map(|(row, key)| if array.is_null(row) { None } else { values.get(key).copied().flatten() }).collect()
        }
        DataType::Null => vec![None; array.len()],
        other => return Err(wrong_type(other)),
    })
}

fn wrong_type(data_type: &DataType) -> PyErr {
    PyTypeError::new_err(format!("expected a column of text or bytes, not of {data_type}"))
}

fn parsed(array: &ArrayRef) -> PyResult<ArrayRef> {
    let fields =
        Fields::from(vec![Field::new("name", DataType::Utf8, false), Field::new("value", DataType::Utf8, false)]);
    let pairs =
        StructBuilder::new(fields.clone(), vec![Box::new(StringBuilder::new()), Box::new(StringBuilder::new())]);
    let mut lists = ListBuilder::new(pairs).with_field(Field::new("item", DataType::Struct(fields), false));
    for row in rows(array)? {
        let text = row.map(String::from_utf8_lossy);
        for (name, value) in text.iter().flat_map(|text| form::parse(query(text))) {
            let pairs = lists.values();
            for (field, text) in [(0, name), (1, value)] {
                if let Some(builder) = pairs.field_builder::<StringBuilder>(field) {
                    builder.append_value(text);
                }
            }
            pairs.append(true);
        }
        lists.append(row.is_some());
    }
    Ok(Arc::new(lists.finish()))
}
