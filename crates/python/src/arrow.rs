//! Imports and exports columns through the Arrow PyCapsule interface, which pyarrow, polars, pandas, duckdb and others
//! support. No data is copied.
//!
//! The specification is Arrow's "The Arrow PyCapsule Interface" over the C data and C stream interfaces.

use std::collections::TryReserveError;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ops::Range;
use std::ptr;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{BinaryType, Utf8Type};
use arrow_array::{Array as _, ArrayRef, make_array, new_empty_array};
use arrow_buffer::Buffer;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field};
use percent_simd_arrow::{Error, Errors, RowError, RowFault, from_rows, shortened};
use percent_simd_host as host;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyFloat, PyIterator, PyList, PyMemoryView, PySlice, PyString, PyTuple};

use crate::fault::{collect, column_error, guarded, new_error, no_memory, value_error};
use crate::import;
use crate::text::{new_pair, new_str};
use crate::values::{self, summary, value};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The greatest number of nested types in the type of a result: a list of structs of dictionaries has three.
const DEPTH: usize = 3;

/// A column: one array, or several chunks of the same type.
pub(crate) enum Column {
    Array(ArrayRef),
    Chunks(DataType, Vec<ArrayRef>),
    /// Texts, some of them with lone surrogates. UTF-8 can't represent lone surrogates, so each surrogate became U+FFFD
    /// in the array. The vector has a fault for each row with a lone surrogate, in the order of the rows. It is never
    /// empty.
    Surrogates(ArrayRef, Vec<RowError>),
}

impl Column {
    /// Calls `each` with each chunk, and returns the results as a column. In an error, the number of the row counts
    /// from the start of the column.
    pub(crate) fn map<E: From<TryReserveError>>(
        self,
        each: impl Fn(&ArrayRef, usize) -> Result<ArrayRef, E>,
    ) -> Result<Column, E> {
        Ok(match self {
            Column::Array(array) | Column::Surrogates(array, _) => Column::Array(each(&array, 0)?),
            Column::Chunks(data_type, chunks) => {
                let data_type = each(&new_empty_array(&data_type), 0)?.data_type().clone();
                let mut start = 0;
                let chunks = host::collect(chunks.iter().map(|chunk| {
                    start += chunk.len();
                    each(chunk, start - chunk.len())
                }))?;
                Column::Chunks(data_type, chunks)
            }
        })
    }

    /// Applies `errors` to the rows with lone surrogates. [`Errors::Keep`] is an error, because these rows can't stay.
    pub(crate) fn without_surrogates(self, errors: Option<Errors>) -> Result<Column, Error> {
        let Column::Surrogates(array, mut faults) = self else { return Ok(self) };
        Ok(Column::Array(match errors {
            Some(Errors::Replace) => array,
            Some(Errors::Null) => {
                let mut rows: Vec<_> = array.as_string::<i32>().iter().map(|row| row.map(str::as_bytes)).collect();
                faults.iter().for_each(|fault| rows[fault.row] = None);
                from_rows::<Utf8Type>(&rows)?
            }
            Some(Errors::Keep | Errors::Strict) | None => return Err(Error::Row(faults.swap_remove(0))),
        }))
    }

    /// Returns the column as one chunk or more.
    pub(crate) fn into_chunks(self) -> Vec<ArrayRef> {
        match self {
            Column::Array(array) | Column::Surrogates(array, _) => vec![array],
            Column::Chunks(data_type, chunks) if chunks.is_empty() => vec![new_empty_array(&data_type)],
            Column::Chunks(_, chunks) => chunks,
        }
    }

    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Column::Array(array) | Column::Surrogates(array, _) => Bound::new(py, Array(array))?.into_any(),
            Column::Chunks(data_type, chunks) => Bound::new(py, ChunkedArray { data_type, chunks })?.into_any(),
        })
    }
}

impl<'py> FromPyObject<'_, 'py> for Column {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Column> {
        guarded(|| {
            if object.hasattr("__arrow_c_array__")? {
                let (schema, array) =
                    object.call_method0("__arrow_c_array__")?.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
                return import_array(&schema, &array).map(Column::Array);
            }
            if object.hasattr("__arrow_c_stream__")? {
                return import_stream(&object.call_method0("__arrow_c_stream__")?);
            }
            from_values(&object)
        })
    }
}

fn capsule_pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    Ok(capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.as_ptr().cast())
}

fn import_array(schema: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let schema: *mut FFI_ArrowSchema = capsule_pointer(schema, SCHEMA)?;
    let array: *mut FFI_ArrowArray = capsule_pointer(array, ARRAY)?;
    // SAFETY: the PyCapsule interface says that capsules of these names hold initialised values of these types. The
    // capsules keep the values alive, and we may take over their contents.
    unsafe {
        let data_type = import::type_of(&*schema).map_err(column_error)?;
        import::import(FFI_ArrowArray::from_raw(array), &data_type).map_err(column_error)
    }
}

fn import_stream(stream: &Bound<'_, PyAny>) -> PyResult<Column> {
    let stream: *mut FFI_ArrowArrayStream = capsule_pointer(stream, STREAM)?;
    // SAFETY: as for arrays: the capsule of this name holds an initialised stream, and we may take over its contents.
    let (data_type, chunks) =
        unsafe { import::import_stream(FFI_ArrowArrayStream::from_raw(stream)) }.map_err(column_error)?;
    Ok(Column::Chunks(data_type, chunks))
}

/// Returns the error for a list in which the value of this row doesn't have the type of the other values.
fn not_a_value(row: usize, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let name = value.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
    new_error::<PyTypeError>(format!("expected {expected} or None in row {row}, not {name}"))
}

fn not_a_column() -> PyErr {
    new_error::<PyTypeError>(
        "expected a column with the Arrow PyCapsule interface (pyarrow, polars, pandas, duckdb, ...), or a list of str or \
         of bytes, with None or NaN for nulls",
    )
}

/// Returns the UTF-8 of a text in which each lone surrogate is U+FFFD, and the fault of the first one.
fn surrogates_replaced(row: usize, text: &Bound<'_, PyString>) -> PyResult<(Vec<u8>, RowError)> {
    const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let mut bytes = Vec::new();
    host::extend(&mut bytes, encoded.cast::<PyBytes>()?.as_bytes()).map_err(no_memory)?;
    let mut first = None;
    for at in 0..bytes.len() - 2 {
        // U+D800 to U+DFFF are ED A0 80 to ED BF BF.
        if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            first.get_or_insert(at);
            bytes[at..at + 3].copy_from_slice(REPLACEMENT);
        }
    }
    let offset = first.unwrap_or_default();
    let reason = format!("the lone surrogate at byte {offset} has no UTF-8");
    let fault = RowFault { offset, kind: "invalid_utf8", reason };
    let value = shortened(&bytes);
    Ok((bytes, RowError { row, fault, value }))
}

/// Returns true if this value in a list means a null: `None`, NaN, or the `NA` of pandas.
fn is_null(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_nan = || value.cast::<PyFloat>().is_ok_and(|number| number.value().is_nan());
    Ok(value.is_none() || is_nan() || value.get_type().name()? == "NAType")
}

/// Returns a column of the `str` or `bytes` objects that `object` yields, with nulls for `None`, NaN and `NA`.
fn from_values(object: &Bound<'_, PyAny>) -> PyResult<Column> {
    // Iterating over a numpy array would yield numpy's scalars. The array's method `tolist` returns Python objects. If the
    // array has no dimension, it returns one object instead of a list.
    let values = if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(not_a_column());
    }
    let values = collect(values.try_iter().map_err(|error| {
        // Other errors, such as MemoryError, don't come from the type of the object.
        if error.is_instance_of::<PyTypeError>(object.py()) { not_a_column() } else { error }
    })?)?;
    let is_bytes = values.iter().any(|value| value.is_instance_of::<PyBytes>());
    let mut replaced = Vec::new();
    let mut rows = collect(values.iter().enumerate().map(|(row, value)| {
        Ok(if !is_bytes && let Ok(text) = value.cast::<PyString>() {
            match text.to_str() {
                Err(error) if error.is_instance_of::<PyUnicodeEncodeError>(object.py()) => {
                    host::push(&mut replaced, surrogates_replaced(row, text)?).map_err(no_memory)?;
                    None
                }
                text => Some(text?.as_bytes()),
            }
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            Some(bytes.as_bytes())
        } else if is_null(value)? {
            None
        } else {
            return Err(not_a_value(row, value, if is_bytes { "bytes" } else { "str" }));
        })
    }))?;
    if is_bytes {
        return Ok(Column::Array(from_rows::<BinaryType>(&rows).map_err(column_error)?));
    }
    replaced.iter().for_each(|(text, fault)| rows[fault.row] = Some(text));
    let array = from_rows::<Utf8Type>(&rows).map_err(column_error)?;
    if replaced.is_empty() {
        return Ok(Column::Array(array));
    }
    Ok(Column::Surrogates(array, replaced.into_iter().map(|(_, fault)| fault).collect()))
}

/// Returns the schema of a nullable column of this type. A schema made from the type alone would promise that there
/// are no nulls. Some readers, such as nanoarrow, rely on this promise.
fn schema_of(data_type: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(Field::new("", data_type.clone(), true))
}

fn export_schema<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema_of(data_type).map_err(value_error)?, SCHEMA)
}

/// Returns how many items of `rows` equal `value`.
fn count<'py>(rows: &Bound<'py, PyList>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    rows.call_method1("count", (value,))
}

/// Returns the index of the first item of `rows` that equals `value`. `range` has the optional bounds of `list.index`.
fn index<'py>(
    rows: &Bound<'py, PyList>,
    value: &Bound<'py, PyAny>,
    range: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let value = PyTuple::new(rows.py(), [value.clone()])?;
    rows.getattr("index")?.call1(value.add(range)?.cast::<PyTuple>()?)
}

/// A column in Arrow's memory layout. `pyarrow.array(column)`, `polars.Series(column)` and others accept it without a
/// copy.
///
/// It is a sequence of `str`, `bytes`, lists or dicts, with None for nulls. `column[2:5]` is a column that shares the
/// memory of `column`. A slice with another step, such as `column[::-1]`, is a copy.
#[pyclass(frozen, eq, sequence, module = "percent_simd")]
pub(crate) struct Array(ArrayRef);

impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        *self.0 == *other.0
    }
}

#[pymethods]
impl Array {
    /// Returns the schema and the array as two capsules. Ignores `requested_schema`, which the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema;
        guarded(|| {
            let schema = export_schema(py, self.0.data_type())?;
            let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&self.0.to_data()), ARRAY)?;
            new_pair(&schema, &array)
        })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| export_schema(py, self.0.data_type()))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| {
            let array = match Index::new(index, self.0.len())? {
                Index::Row(row) => return value(py, &self.0, row),
                Index::Rows(rows) => Array(self.0.slice(rows.start, rows.len())),
                Index::Steps(start, step, len) => Array(every(&self.0, start, step, len)?),
            };
            Ok(Bound::new(py, array)?.into_any())
        })
    }

    fn __iter__<'py>(slf: &Bound<'py, Array>) -> PyResult<Bound<'py, PyIterator>> {
        by_index(slf)
    }

    /// Returns the rows as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let list = PyList::empty(py);
            (0..self.0.len()).try_for_each(|row| list.append(value(py, &self.0, row)?))?;
            Ok(list)
        })
    }

    /// Returns how many rows equal `value`.
    fn count<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        count(&self.to_pylist(py)?, value)
    }

    /// Returns the number of the first row that equals `value`. Raises ValueError if there is none.
    #[pyo3(signature = (value, *range))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        range: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        index(&self.to_pylist(py)?, value, range)
    }

    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    /// Returns the memory of the rows: the validity bitmap, or None, and then the buffers of Arrow's layout for this
    /// type, as read-only memoryviews. The buffers of a dictionary are its keys.
    fn buffers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let data = self.0.to_data();
            let validity = data.nulls().map(|nulls| nulls.inner().sliced());
            let list = PyList::empty(py);
            list.append(validity.map(|bitmap| view_of(py, bitmap)).transpose()?)?;
            data.buffers().iter().try_for_each(|buffer| list.append(view_of(py, buffer.clone())?))?;
            Ok(list)
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let data_type = values::type_to_python(py, self.0.data_type())?;
            let rebuild = py.get_type::<Array>().getattr("_from_parts")?;
            new_pair(&rebuild, &new_pair(&data_type, &values::parts(py, &self.0)?)?)
        })
    }

    /// Returns the array that was pickled.
    #[staticmethod]
    fn _from_parts(data_type: &Bound<'_, PyAny>, parts: &Bound<'_, PyTuple>) -> PyResult<Array> {
        guarded(|| Ok(Array(values::from_parts(&values::type_from_python(data_type, DEPTH)?, parts)?)))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| {
            let rows = summary(py, self.0.len(), |row| Ok(value(py, &self.0, row)?.unbind()))?;
            new_str(py, &format!("<percent_simd.Array of {} rows, {}: {rows}>", self.0.len(), self.0.data_type()))
        })
    }
}

/// A column of several chunks. `pyarrow.chunked_array(column)`, `polars.Series(column)` and others accept it without a
/// copy.
///
/// Like `Array`, it is a sequence of rows. Two columns with the same rows are equal, even if their chunks differ.
#[pyclass(frozen, eq, sequence, module = "percent_simd")]
pub(crate) struct ChunkedArray {
    data_type: DataType,
    chunks: Vec<ArrayRef>,
}

impl ChunkedArray {
    /// Returns the rows in this range.
    fn slice(&self, rows: Range<usize>) -> ChunkedArray {
        let (mut start, mut chunks) = (0, Vec::new());
        for chunk in &self.chunks {
            let (from, to) = (rows.start.clamp(start, start + chunk.len()), rows.end.clamp(start, start + chunk.len()));
            if from < to {
                chunks.push(chunk.slice(from - start, to - from));
            }
            start += chunk.len();
        }
        ChunkedArray { data_type: self.data_type.clone(), chunks }
    }

    /// Returns `len` rows: `start`, `start + step`, and so on. Each chunk of the result has rows of only one chunk of
    /// `self`.
    fn every(&self, start: usize, step: isize, len: usize) -> PyResult<ChunkedArray> {
        let (mut row, mut rest, mut chunks) = (start, len, Vec::new());
        while let Some((chunk, at)) = self.place(row).filter(|_| rest > 0) {
            let to_the_end = if step > 0 { chunk.len() - 1 - at } else { at };
            let count = rest.min(to_the_end / step.unsigned_abs() + 1);
            chunks.push(every(chunk, at, step, count)?);
            row = row.wrapping_add_signed(step.wrapping_mul(count as isize));
            rest -= count;
        }
        Ok(ChunkedArray { data_type: self.data_type.clone(), chunks })
    }

    /// Returns the chunk of a row, and the number of the row in the chunk. If the column doesn't have this row, returns
    /// `None`.
    fn place(&self, mut row: usize) -> Option<(&ArrayRef, usize)> {
        for chunk in &self.chunks {
            if row < chunk.len() {
                return Some((chunk, row));
            }
            row -= chunk.len();
        }
        None
    }

    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let (chunk, row) = self.place(row).ok_or_else(no_row)?;
        value(py, chunk, row)
    }
}

impl PartialEq for ChunkedArray {
    fn eq(&self, other: &ChunkedArray) -> bool {
        let mut start = 0;
        self.data_type == other.data_type
            && self.__len__() == other.__len__()
            && self.chunks.iter().all(|chunk| {
                start += chunk.len();
                let mut at = 0;
                other.slice(start - chunk.len()..start).chunks.iter().all(|part| {
                    at += part.len();
                    &chunk.slice(at - part.len(), part.len()) == part
                })
            })
    }
}

#[pymethods]
impl ChunkedArray {
    /// Returns the chunks as a capsule with a stream. Ignores `requested_schema`, which the interface allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(|| {
            let mut chunks = host::room(self.chunks.len()).map_err(no_memory)?;
            chunks.extend(self.chunks.iter().cloned());
            PyCapsule::new_with_value(py, export_stream(self.data_type.clone(), chunks), STREAM)
        })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(|| export_schema(py, &self.data_type))
    }

    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let chunks = PyList::empty(py);
            self.chunks.iter().try_for_each(|chunk| chunks.append(Bound::new(py, Array(chunk.clone()))?))?;
            Ok(chunks)
        })
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| match Index::new(index, self.__len__())? {
            Index::Row(row) => self.value(py, row),
            Index::Rows(rows) => Ok(Bound::new(py, self.slice(rows))?.into_any()),
            Index::Steps(start, step, len) => Ok(Bound::new(py, self.every(start, step, len)?)?.into_any()),
        })
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let chain = py.import("itertools")?.getattr("chain")?;
        chain.call_method1("from_iterable", (self.chunks(py)?,))?.try_iter()
    }

    /// Returns the rows as a list.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        guarded(|| {
            let list = PyList::empty(py);
            for chunk in &self.chunks {
                (0..chunk.len()).try_for_each(|row| list.append(value(py, chunk, row)?))?;
            }
            Ok(list)
        })
    }

    /// Returns how many rows equal `value`.
    fn count<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        count(&self.to_pylist(py)?, value)
    }

    /// Returns the number of the first row that equals `value`. Raises ValueError if there is none.
    #[pyo3(signature = (value, *range))]
    fn index<'py>(
        &self,
        py: Python<'py>,
        value: &Bound<'py, PyAny>,
        range: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        index(&self.to_pylist(py)?, value, range)
    }

    #[getter]
    fn null_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.null_count()).sum()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let data_type = values::type_to_python(py, &self.data_type)?;
            let rebuild = py.get_type::<ChunkedArray>().getattr("_from_parts")?;
            let chunks = PyList::empty(py);
            self.chunks.iter().try_for_each(|chunk| chunks.append(values::parts(py, chunk)?))?;
            new_pair(&rebuild, &new_pair(&data_type, &chunks)?)
        })
    }

    /// Returns the column that was pickled.
    #[staticmethod]
    fn _from_parts(data_type: &Bound<'_, PyAny>, chunks: Vec<Bound<'_, PyTuple>>) -> PyResult<ChunkedArray> {
        guarded(|| {
            let data_type = values::type_from_python(data_type, DEPTH)?;
            let chunks = collect(chunks.iter().map(|parts| values::from_parts(&data_type, parts)))?;
            Ok(ChunkedArray { data_type, chunks })
        })
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| {
            let rows = summary(py, self.__len__(), |row| Ok(self.value(py, row)?.unbind()))?;
            new_str(
                py,
                &format!(
                    "<percent_simd.ChunkedArray of {} rows in {} chunks, {}: {rows}>",
                    self.__len__(),
                    self.chunks.len(),
                    self.data_type
                ),
            )
        })
    }
}

/// The rows that an index selects.
enum Index {
    Row(usize),
    Rows(Range<usize>),
    /// The first row, the step to the next row, and the number of rows.
    Steps(usize, isize, usize),
}

impl Index {
    fn new(index: &Bound<'_, PyAny>, len: usize) -> PyResult<Index> {
        // An array has at most `isize::MAX` rows.
        let rows = len as isize;
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(rows)?;
            let (start, step, len) = (indices.start as usize, indices.step, indices.slicelength);
            return Ok(if step == 1 { Index::Rows(start..start + len) } else { Index::Steps(start, step, len) });
        }
        let row: isize = index.extract().map_err(|error: PyErr| {
            // No column has a row whose number doesn't fit.
            if error.is_instance_of::<PyOverflowError>(index.py()) { no_row() } else { error }
        })?;
        let row = if row < 0 { row + rows } else { row };
        if (0..rows).contains(&row) { Ok(Index::Row(row as usize)) } else { Err(no_row()) }
    }
}

/// Returns `len` rows of an array: `start`, `start + step`, and so on.
fn every(array: &ArrayRef, start: usize, step: isize, len: usize) -> PyResult<ArrayRef> {
    let data = array.to_data();
    let mut rows = MutableArrayData::try_new(vec![&data], false, len).map_err(value_error)?;
    let mut row = start;
    for _ in 0..len {
        rows.try_extend(0, row, row + 1).map_err(value_error)?;
        row = row.wrapping_add_signed(step);
    }
    Ok(make_array(rows.freeze()))
}

fn no_row() -> PyErr {
    new_error::<PyIndexError>("the column has no such row")
}

/// Returns an iterator that reads one row after another.
fn by_index<'py>(sequence: &Bound<'py, Array>) -> PyResult<Bound<'py, PyIterator>> {
    // SAFETY: the argument is a sequence. The result is a new reference to an iterator, or null.
    unsafe {
        let new = ffi::PySeqIter_New(sequence.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(sequence.py(), new)?.cast_into_unchecked())
    }
}

/// Owns the memory behind a memoryview.
#[pyclass(frozen)]
struct Memory {
    _buffer: Buffer,
}

/// Returns a read-only memoryview of a buffer, without a copy.
///
/// With the stable ABI of Python 3.10, a class can't offer its memory as a buffer, but an array of `ctypes` can. The
/// array keeps the buffer alive, because the buffer is one of its attributes.
fn view_of<'py>(py: Python<'py>, buffer: Buffer) -> PyResult<Bound<'py, PyAny>> {
    if buffer.is_empty() {
        // The address of an empty buffer may be invalid.
        return Ok(PyMemoryView::from(&PyBytes::new(py, b""))?.into_any());
    }
    let (address, len) = (buffer.as_ptr() as usize, buffer.len());
    let bytes = py.import("ctypes")?.getattr("c_ubyte")?.mul(len)?.call_method1("from_address", (address,))?;
    bytes.setattr("_owner", Bound::new(py, Memory { _buffer: buffer })?)?;
    PyMemoryView::from(&bytes)?.call_method1("cast", ("B",))?.call_method0("toreadonly")
}

/// The private data of a stream that we export.
struct Exported {
    data_type: DataType,
    chunks: std::vec::IntoIter<ArrayRef>,
    last_error: Option<CString>,
}

/// Returns a C stream of `chunks`. The crate arrow-array can't do this: it exports only streams of record batches, not
/// of single arrays.
fn export_stream(data_type: DataType, chunks: Vec<ArrayRef>) -> FFI_ArrowArrayStream {
    /// Returns the private data of a stream from [`export_stream`].
    ///
    /// # Safety
    /// `stream` comes from [`export_stream`] and is not yet released. No other code uses it meanwhile, because the
    /// interface allows only one thread at a time.
    unsafe fn state<'s>(stream: *mut FFI_ArrowArrayStream) -> &'s mut Exported {
        // SAFETY: the private data is the box from `export_stream`, which only `release` frees.
        unsafe { &mut *(*stream).private_data().cast::<Exported>() }
    }

    /// If `result` is a value, stores it at `out`. If `result` is an error, stores it in the stream.
    ///
    /// # Safety
    /// The conditions of `state` hold for `stream`, and `out` is writable.
    unsafe fn answer<T>(stream: *mut FFI_ArrowArrayStream, result: Result<T, ArrowError>, out: *mut T) -> c_int {
        const EINVAL: c_int = 22;
        match result {
            Ok(value) => {
                // SAFETY: by the `# Safety` conditions of this function, `out` is writable.
                unsafe { ptr::write(out, value) };
                0
            }
            Err(error) => {
                // SAFETY: the caller meets the `# Safety` conditions of this function.
                unsafe { state(stream) }.last_error = CString::new(error.to_string()).ok();
                EINVAL
            }
        }
    }

    unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowSchema) -> c_int {
        // SAFETY: Arrow's C stream interface calls this with a stream that has not been released and with space for a
        // schema.
        unsafe { answer(stream, schema_of(&state(stream).data_type), out) }
    }

    unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, out: *mut FFI_ArrowArray) -> c_int {
        // SAFETY: Arrow's C stream interface calls this with a stream that has not been released and with space for an
        // array.
        unsafe {
            let next = state(stream).chunks.next();
            let array = next.map_or_else(FFI_ArrowArray::empty, |chunk| FFI_ArrowArray::new(&chunk.to_data()));
            answer(stream, Ok(array), out)
        }
    }

    unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
        // SAFETY: Arrow's C stream interface calls this with a stream that has not been released.
        unsafe { state(stream) }.last_error.as_ref().map_or(ptr::null(), |error| error.as_ptr())
    }

    unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
        // SAFETY: Arrow's C stream interface calls this once for each stream. The stream's private data is the box from
        // `export_stream`. Null callbacks mark the stream as released.
        unsafe {
            drop(Box::from_raw((*stream).private_data().cast::<Exported>()));
            (*stream).set_private_data(ptr::null_mut());
            (*stream).set_release(None);
        }
    }

    let exported = Box::new(Exported { data_type, chunks: chunks.into_iter(), last_error: None });
    let private_data = Box::into_raw(exported).cast::<c_void>();
    // SAFETY: the callbacks expect the private data to be this box. `release` frees it.
    unsafe {
        FFI_ArrowArrayStream::new_unchecked(
            Some(get_schema),
            Some(get_next),
            Some(get_last_error),
            Some(release),
            private_data,
        )
    }
}
