//! Whole columns at once: decoded, encoded, normalised, searched for a query parameter.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder, make_view};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{
    ArrowNativeType as _, BooleanBuffer, Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::{DataType, Field, Fields};
use percent_simd::batch::{self, Bitmap, DecodeBatch, NotUtf8, Rows, ViewColumn, Views};
use percent_simd::{BatchError, CheckedDecoder, Decoder, Encoder, Offset, form, uri};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrow::{Column, value_error};
use crate::codec;

/// Does something to each row of a column, and keeps its type.
trait Operation: Sync {
    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> PyResult<ArrayRef>;

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> PyResult<ArrayRef>;
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

/// An operation that the library has for whole columns. If `is_text`, the rows are UTF-8, and so are the results.
trait Batch: Sync {
    /// Whether no row changes, whichever rows `values` consist of.
    fn changes_nothing(&self, values: &[u8]) -> bool;

    fn run<O: Offset>(&self, is_text: bool, rows: Rows<'_, O>, out: &mut batch::Column<O>) -> Result<(), BatchError>;

    fn run_views(&self, is_text: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError>;
}

impl Decode {
    fn batch(&self, is_text: bool) -> DecodeBatch {
        let (batch, not_utf8) = match self.errors {
            Errors::Keep => (self.lenient.batch(), NotUtf8::KeepEscaped),
            Errors::Replace => (self.lenient.batch(), NotUtf8::Replace),
            Errors::Null => (self.strict.batch().errors_to_null(), NotUtf8::Error),
            Errors::Strict => (self.strict.batch(), NotUtf8::Error),
        };
        if is_text { batch.text(not_utf8) } else { batch }
    }
}

impl Batch for Decode {
    fn changes_nothing(&self, values: &[u8]) -> bool {
        // Where two rows meet there may seem to be an escape: then they are decoded, and come out as they are.
        let no_errors =
            matches!(self.errors, Errors::Keep | Errors::Replace) || self.lenient.first_malformed(values).is_none();
        no_errors && self.lenient.first_changed(values).is_none()
    }

    fn run<O: Offset>(&self, is_text: bool, rows: Rows<'_, O>, out: &mut batch::Column<O>) -> Result<(), BatchError> {
        self.batch(is_text).run(rows, out)
    }

    fn run_views(&self, is_text: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        self.batch(is_text).run_views(rows)
    }
}

struct Encode(Encoder);

impl Batch for Encode {
    fn changes_nothing(&self, values: &[u8]) -> bool {
        !self.0.needs_encoding(values)
    }

    fn run<O: Offset>(&self, _: bool, rows: Rows<'_, O>, out: &mut batch::Column<O>) -> Result<(), BatchError> {
        self.0.batch().run(rows, out)
    }

    fn run_views(&self, _: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        self.0.batch().run_views(rows)
    }
}

/// A [`Batch`] as an operation.
struct Whole<B>(B);

/// Which rows of `nulls` are valid.
fn bitmap(nulls: &NullBuffer) -> Bitmap<'_> {
    Bitmap::new(nulls.validity(), nulls.offset())
}

/// The nulls of `rows` rows.
fn nulls(validity: Option<Vec<u8>>, rows: usize) -> Option<NullBuffer> {
    validity.map(|bits| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, rows)))
}

fn batch_error(error: BatchError) -> PyErr {
    match error {
        BatchError::TooLong(row) => PyValueError::new_err(format!(
            "the column would be too long from row {row} on: use its type with 64-bit offsets"
        )),
        BatchError::Memory(error) => PyMemoryError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    }
}

impl<B: Batch> Operation for Whole<B> {
    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> PyResult<ArrayRef> {
        let (offsets, values) = (array.value_offsets(), array.value_data());
        let range = offsets[0].as_usize()..offsets[array.len()].as_usize();
        if self.0.changes_nothing(&values[range]) {
            return Ok(Arc::new(array.clone()));
        }
        let mut rows = Rows::new(values, offsets);
        if let Some(nulls) = array.nulls() {
            rows = rows.with_validity(bitmap(nulls));
        }
        let mut out = batch::Column { values: Vec::new(), offsets: Vec::new(), validity: None };
        self.0.run(is_text(array.data_type()), rows, &mut out).map_err(batch_error)?;
        from_parts::<T>(out.values, out.offsets, nulls(out.validity, array.len()))
    }

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> PyResult<ArrayRef> {
        let old: Vec<&[u8]> = array.data_buffers().iter().map(|buffer| &buffer[..]).collect();
        let mut rows = Views::new(array.views(), &old);
        if let Some(nulls) = array.nulls() {
            rows = rows.with_validity(bitmap(nulls));
        }
        let out = self.0.run_views(is_text(array.data_type()), rows).map_err(batch_error)?;
        let buffers = array.data_buffers().iter().cloned().chain(out.buffers.into_iter().map(Buffer::from_vec));
        let buffers: Vec<Buffer> = buffers.collect();
        let nulls = nulls(out.validity, array.len());
        let array = GenericByteViewArray::<T>::try_new(out.views.into(), buffers, nulls).map_err(value_error)?;
        Ok(Arc::new(array))
    }
}

/// An operation that looks at each row by itself, and at text only.
trait EachText: Sync {
    /// Whether bytes that are not UTF-8 stay as they are; otherwise they are a null.
    const KEEPS_BYTES: bool;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>>;
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

/// What `operation` makes of `array`: an array of the same type. Rows that do not change share their memory with it.
fn transform<P: Operation>(array: &ArrayRef, operation: &P) -> PyResult<ArrayRef> {
    match array.data_type() {
        DataType::Utf8 => operation.of_offsets::<GenericStringType<i32>>(array.as_bytes()),
        DataType::LargeUtf8 => operation.of_offsets::<GenericStringType<i64>>(array.as_bytes()),
        DataType::Binary => operation.of_offsets::<GenericBinaryType<i32>>(array.as_bytes()),
        DataType::LargeBinary => operation.of_offsets::<GenericBinaryType<i64>>(array.as_bytes()),
        DataType::Utf8View => operation.of_views::<StringViewType>(array.as_byte_view()),
        DataType::BinaryView => operation.of_views::<BinaryViewType>(array.as_byte_view()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            Ok(dictionary.with_values(transform(dictionary.values(), operation)?))
        }
        DataType::Null => Ok(array.clone()),
        other => Err(wrong_type(other)),
    }
}

/// Whether the type is one of text.
fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
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

/// An [`EachText`] as an operation.
struct RowByRow<T>(T);

impl<E: EachText> RowByRow<E> {
    /// What `row` becomes, `None` being a null.
    fn row<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        let Ok(text) = str::from_utf8(row) else {
            return E::KEEPS_BYTES.then_some(Cow::Borrowed(row));
        };
        self.0.text(text).map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })
    }
}

impl<E: EachText> Operation for RowByRow<E> {
    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> PyResult<ArrayRef> {
        let (mut out, mut ends) = (Vec::new(), vec![T::Offset::default()]);
        let mut nulls = NullBufferBuilder::new(array.len());
        for row in 0..array.len() {
            let result = if array.is_null(row) { None } else { self.row(array.value(row).as_ref()) };
            nulls.append(result.is_some());
            out.extend_from_slice(&result.unwrap_or_default());
            ends.push(T::Offset::from_usize(out.len()).ok_or_else(|| batch_error(BatchError::TooLong(row)))?);
        }
        from_parts::<T>(out, ends, nulls.finish())
    }

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> PyResult<ArrayRef> {
        /// New values are gathered in buffers of about this many bytes: an offset has 32 bits.
        const BUFFER: usize = 1 << 24;
        let mut buffers = array.data_buffers().to_vec();
        let mut out = Vec::new();
        let mut nulls = NullBufferBuilder::new(array.len());
        let mut views = array.views().to_vec();
        for (row, view) in views.iter_mut().enumerate() {
            // What is behind a null may be no view.
            let bytes: &[u8] = if array.is_null(row) { &[] } else { array.value(row).as_ref() };
            let result = if array.is_null(row) { None } else { self.row(bytes) };
            nulls.append(result.is_some());
            match result {
                Some(Cow::Borrowed(same)) if same == bytes => {}
                None => *view = 0,
                Some(new) => {
                    if out.len() + new.len() > BUFFER && !out.is_empty() {
                        buffers.push(Buffer::from_vec(std::mem::take(&mut out)));
                    }
                    let fits = |len: usize| u32::try_from(len).map_err(|_| batch_error(BatchError::TooLong(row)));
                    *view = make_view(&new, fits(buffers.len())?, fits(out.len())?);
                    if new.len() > 12 {
                        out.extend_from_slice(&new);
                    }
                }
            }
        }
        buffers.push(Buffer::from_vec(out));
        let array = GenericByteViewArray::<T>::try_new(views.into(), buffers, nulls.finish()).map_err(value_error)?;
        Ok(Arc::new(array))
    }
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
    transformed(py, column, Whole(Decode { lenient, strict: lenient.strict(), errors: Errors::parse(errors)? }))
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
    transformed(py, column, Whole(Encode(if plus { encoder.space_to_plus() } else { encoder })))
}

/// The normal form of every row of a column of URIs (RFC 3986 6.2.2). A malformed `%` stays as it is.
#[pyfunction]
pub(crate) fn normalize_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    transformed(py, column, RowByRow(Normalize))
}

/// The query of a URL or reference: what stands after the first `?`, up to a `#`.
fn query(reference: &str) -> &str {
    uri::Uri::split(reference).query.unwrap_or_default()
}

/// The decoded value of the first query parameter called `name` of every row of a column of URLs; null where there is none.
#[pyfunction]
pub(crate) fn query_param<'py>(py: Python<'py>, column: Column, name: String) -> PyResult<Bound<'py, PyAny>> {
    transformed(py, column, RowByRow(QueryParam(name)))
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
