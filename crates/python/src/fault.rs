//! Turns faults into exceptions. A lack of memory becomes a MemoryError, and a bug in this package becomes a
//! RuntimeError. Both are `Exception`s, so programs can catch them. The exception that pyo3 raises for a panic is not
//! an `Exception`.

use std::collections::TryReserveError;
use std::fmt;

use arrow_schema::ArrowError;
use percent_simd::{BatchError, DecodeError};
use percent_simd_arrow::{Error, RowError, kind_of};
use percent_simd_host::{self as host, Fault};
use percent_standards::uri::file::{FileError, FileErrorKind};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, ffi};

use crate::text::new_str;

/// Why an operation has no result.
pub(crate) enum Failure {
    /// An option has an invalid value.
    Option(String),
    Column(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Column(error)
    }
}

impl From<TryReserveError> for Failure {
    fn from(error: TryReserveError) -> Failure {
        Failure::Column(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Option(message) => f.write_str(message),
            Failure::Column(error) => error.fmt(f),
        }
    }
}

/// Returns an exception with a message, and creates it now. pyo3 would create it only when it is raised. If there were no
/// memory at that point, pyo3 would end the process.
pub(crate) fn new_error<E: PyTypeInfo>(message: impl AsRef<str>) -> PyErr {
    let made = Python::attach(|py| {
        guarded(|| Ok(PyErr::from_value(py.get_type::<E>().call1((new_str(py, message.as_ref())?,))?)))
    });
    made.unwrap_or_else(|no_memory| no_memory)
}

pub(crate) fn fault(fault: Fault) -> PyErr {
    match fault {
        // SAFETY: this thread is attached to the interpreter. The call raises an exception that Python has allocated in
        // advance.
        Fault::Memory => Python::attach(|py| unsafe {
            ffi::PyErr_NoMemory();
            PyErr::fetch(py)
        }),
        Fault::Internal(_) => new_error::<PyRuntimeError>(fault.to_string()),
    }
}

pub(crate) fn no_memory(error: TryReserveError) -> PyErr {
    fault(error.into())
}

/// Runs `work`, and turns a panic into an exception. Every call from Python that can panic runs its work through this
/// function.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    host::guarded(work).unwrap_or_else(|panic| Err(fault(panic)))
}

/// Collects the items of an iterator, or returns its first exception.
pub(crate) fn collect<T>(items: impl Iterator<Item = PyResult<T>>) -> PyResult<Vec<T>> {
    let mut vec = Vec::new();
    for item in items {
        host::push(&mut vec, item?).map_err(no_memory)?;
    }
    Ok(vec)
}

/// Returns an exception of the package: a ValueError with an offset and a kind.
pub(crate) fn exception(py: Python<'_>, class: &str, message: String, offset: usize, kind: &str) -> PyErr {
    let class = py.import("percent_simd._errors").and_then(|module| module.getattr(class));
    match class.and_then(|class| class.call1((message, offset, kind))) {
        Ok(exception) => PyErr::from_value(exception),
        Err(other) => other,
    }
}

pub(crate) fn decode_error(py: Python<'_>, error: DecodeError) -> PyErr {
    exception(py, "DecodeError", error.to_string(), error.offset, kind_of(error.kind))
}

/// Returns the value, or the exception for invalid input or for a lack of memory.
pub(crate) fn decoded_or_raise<T>(
    py: Python<'_>,
    result: Result<Result<T, DecodeError>, TryReserveError>,
) -> PyResult<T> {
    result.map_err(no_memory)?.map_err(|error| decode_error(py, error))
}

/// Returns the exception for an error of a column.
pub(crate) fn column_error(wrong: Error) -> PyErr {
    match wrong {
        Error::Row(RowError { row, fault, value }) => Python::attach(|py| {
            let class = py.import("percent_simd._errors").and_then(|module| module.getattr("ColumnError"));
            match class.and_then(|class| class.call1((fault.reason, fault.offset, fault.kind, row, value))) {
                Ok(exception) => PyErr::from_value(exception),
                Err(other) => other,
            }
        }),
        Error::Type(_) => new_error::<PyTypeError>(wrong.to_string()),
        Error::Batch(BatchError::Memory(wrong)) => no_memory(wrong),
        Error::Fault(wrong) => fault(wrong),
        wrong => new_error::<PyValueError>(wrong.to_string()),
    }
}

/// Returns the exception for an array that Arrow refuses.
pub(crate) fn value_error(wrong: ArrowError) -> PyErr {
    new_error::<PyValueError>(wrong.to_string())
}

/// Returns the kind of an error in one word.
pub(crate) fn file_kind(error: &FileError) -> &'static str {
    match error.kind {
        FileErrorKind::Scheme => "scheme",
        FileErrorKind::Query => "query",
        FileErrorKind::Fragment => "fragment",
        FileErrorKind::Relative => "relative",
        FileErrorKind::Device => "device",
        FileErrorKind::Host => "host",
        FileErrorKind::Share => "share",
        FileErrorKind::Separator => "separator",
        FileErrorKind::Nul => "nul",
        FileErrorKind::Escape => "escape",
        FileErrorKind::NotUtf8 => "not_utf8",
        _ => "other",
    }
}

/// Returns the exception for a failed operation on a column.
pub(crate) fn failure(failure: Failure) -> PyErr {
    match failure {
        Failure::Option(message) => new_error::<PyValueError>(message),
        Failure::Column(error) => column_error(error),
    }
}
