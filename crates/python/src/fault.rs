//! Faults as exceptions: a lack of memory is a MemoryError, a mistake of this package a RuntimeError. Both are `Exception`s, which
//! programs catch; a panic that pyo3 finds is none.

use std::collections::TryReserveError;

use percent_simd_host::{self as host, Fault};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;

pub(crate) fn fault(fault: Fault) -> PyErr {
    match fault {
        Fault::Memory => PyMemoryError::new_err("out of memory"),
        Fault::Internal(_) => PyRuntimeError::new_err(fault.to_string()),
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
