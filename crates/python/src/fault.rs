//! Faults as exceptions: a lack of memory is a MemoryError, a mistake of this package a RuntimeError. Both are `Exception`s, which
//! programs catch; a panic that pyo3 finds is none.

use std::collections::TryReserveError;

use percent_simd_host::{self as host, Fault};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, ffi};

use crate::text::new_str;

/// Returns an exception with a message, made now: pyo3 would make it when it is raised, and end the process if there is no
/// memory for it then.
pub(crate) fn new_error<E: PyTypeInfo>(message: impl AsRef<str>) -> PyErr {
    let made = Python::attach(|py| {
        guarded(|| Ok(PyErr::from_value(py.get_type::<E>().call1((new_str(py, message.as_ref())?,))?)))
    });
    made.unwrap_or_else(|no_memory| no_memory)
}

pub(crate) fn fault(fault: Fault) -> PyErr {
    match fault {
        // SAFETY: this thread is attached to the interpreter. The call raises an exception that Python has ready.
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

/// Runs `work`; if it panics, that is an exception. All calls from Python go through here, but for those that cannot panic.
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
