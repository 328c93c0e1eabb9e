//! Imports and exports columns through the Arrow PyCapsule interface, which pyarrow, polars, pandas, duckdb and others
//! support. No data is copied.
//!
//! The specification is Arrow's "The Arrow PyCapsule Interface" over the C data and C stream interfaces.

use std::collections::TryReserveError;
use std::ffi::CStr;
use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Utf8Type;
use arrow_array::{Array as _, ArrayRef, new_empty_array};
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use percent_simd_arrow::{Error, Errors, RowError, from_rows};
use percent_simd_host as host;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyIterator, PyList, PyMemoryView, PyString, PyTuple};

use crate::export::{export_stream, schema_of};
use crate::fault::{collect, column_error, guarded, no_memory, value_error};
use crate::import;
use crate::index::{Index, every, no_row};
use crate::list::from_values;
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
            let (array, faults) = from_values(&object)?;
            Ok(if faults.is_empty() { Column::Array(array) } else { Column::Surrogates(array, faults) })
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
