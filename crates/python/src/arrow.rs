//! Imports and exports columns through the Arrow PyCapsule interface, which pyarrow, polars, pandas, duckdb and others
//! support. No data is copied.
//!
//! The specification is Arrow's "The Arrow PyCapsule Interface" over the C data and C stream interfaces.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{BinaryType, Utf8Type};
use arrow_array::{Array as _, ArrayRef, new_empty_array};
use arrow_schema::{ArrowError, DataType, Field};
use percent_simd_arrow::{Error, from_rows};
use percent_simd_host as host;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyString, PyTuple};

use crate::fault::{collect, column_error, guarded, new_error, no_memory};
use crate::import;
use crate::text::{new_pair, new_str};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

pub(crate) fn value_error(wrong: ArrowError) -> PyErr {
    new_error::<PyValueError>(wrong.to_string())
}

/// A column: one array, or several chunks of the same type.
pub(crate) enum Column {
    Array(ArrayRef),
    Chunks(DataType, Vec<ArrayRef>),
}

impl Column {
    /// Calls `each` with each chunk, and returns the results as a column.
    pub(crate) fn map(self, each: impl Fn(&ArrayRef) -> Result<ArrayRef, Error>) -> Result<Column, Error> {
        Ok(match self {
            Column::Array(array) => Column::Array(each(&array)?),
            Column::Chunks(data_type, chunks) => {
                let data_type = each(&new_empty_array(&data_type))?.data_type().clone();
                Column::Chunks(data_type, host::collect(chunks.iter().map(each))?)
            }
        })
    }

    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Column::Array(array) => Bound::new(py, Array(array))?.into_any(),
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
            from_values(&object).map(Column::Array)
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

fn not_a_column() -> PyErr {
    new_error::<PyTypeError>(
        "expected a column with the Arrow PyCapsule interface (pyarrow, polars, pandas, duckdb, ...), or a list of str or \
         of bytes, with None for nulls",
    )
}

/// Returns an array of the `str` or `bytes` objects that `object` yields, with nulls for `None`.
fn from_values(object: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(not_a_column());
    }
    // Iterating over a numpy array would yield numpy's scalars. Its `tolist` returns Python objects.
    let values = if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    let values = collect(values.try_iter().map_err(|_| not_a_column())?)?;
    let is_bytes = values.iter().any(|value| value.is_instance_of::<PyBytes>());
    let rows = collect(values.iter().map(|value| {
        Ok(if value.is_none() {
            None
        } else if is_bytes {
            Some(value.cast::<PyBytes>().map_err(|_| not_a_column())?.as_bytes())
        } else {
            Some(value.cast::<PyString>().map_err(|_| not_a_column())?.to_str()?.as_bytes())
        })
    }))?;
    let array = if is_bytes { from_rows::<BinaryType>(&rows) } else { from_rows::<Utf8Type>(&rows) };
    array.map_err(column_error)
}

/// Returns the schema of a nullable column of this type. A schema made from the type alone would promise that there
/// are no nulls. Some readers, such as nanoarrow, rely on this promise.
fn schema_of(data_type: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(Field::new("", data_type.clone(), true))
}

fn export_schema<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, schema_of(data_type).map_err(value_error)?, SCHEMA)
}

/// A column in Arrow's memory layout. `pyarrow.array(column)`, `polars.Series(column)` and others accept it without a
/// copy.
#[pyclass(frozen, module = "percent_simd")]
pub(crate) struct Array(ArrayRef);

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

    #[getter]
    fn null_count(&self) -> usize {
        self.0.null_count()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        new_str(py, &format!("<percent_simd.Array of {} rows, {}>", self.0.len(), self.0.data_type()))
    }
}

/// A column of several chunks. `pyarrow.chunked_array(column)`, `polars.Series(column)` and others accept it without a
/// copy.
#[pyclass(frozen, module = "percent_simd")]
pub(crate) struct ChunkedArray {
    data_type: DataType,
    chunks: Vec<ArrayRef>,
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

    #[getter]
    fn null_count(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.null_count()).sum()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        new_str(py, &format!("<percent_simd.ChunkedArray of {} rows, {}>", self.__len__(), self.data_type))
    }
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

    /// Stores the value of `result` at `out`, or its error in the stream.
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
