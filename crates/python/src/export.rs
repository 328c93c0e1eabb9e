//! Exports columns as schemas and streams of Arrow's C interface.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{ArrowError, DataType, Field};

/// Returns the schema of a nullable column of this type. Arrow's own conversion of a type says that the column has no
/// nulls. Some readers, for example nanoarrow, then ignore the nulls.
pub(crate) fn schema_of(data_type: &DataType) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(Field::new("", data_type.clone(), true))
}

/// The private data of a stream that we export.
struct Exported {
    data_type: DataType,
    chunks: std::vec::IntoIter<ArrayRef>,
    last_error: Option<CString>,
}

/// Returns a C stream of `chunks`. The crate arrow-array can't do this: it exports only streams of record batches, not
/// of single arrays.
pub(crate) fn export_stream(data_type: DataType, chunks: Vec<ArrayRef>) -> FFI_ArrowArrayStream {
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
