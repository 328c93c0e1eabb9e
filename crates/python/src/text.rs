//! Passes text and bytes between Python and Rust with as few copies as possible.
//!
//! This module creates Python objects itself, because pyo3's own calls panic if memory runs out.

use std::borrow::Cow;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

/// From this many bytes on, an input is processed with the interpreter's lock released. For shorter inputs, releasing and
/// taking the lock costs more than the work.
const DETACH_LEN: usize = 16 * 1024;

/// Runs `work` on `src`, without the interpreter's lock if `src` is long.
pub(crate) fn detached<'a, T: Send>(py: Python<'_>, src: &'a [u8], work: impl FnOnce(&'a [u8]) -> T + Send) -> T {
    if src.len() < DETACH_LEN { work(src) } else { py.detach(|| work(src)) }
}

/// Returns a new `str`.
pub(crate) fn new_str<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: the slice has `text.len()` bytes, at most `isize::MAX`. The result is a new reference to a `str`, or null.
    unsafe {
        let new = ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as isize);
        Ok(Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked())
    }
}

/// Returns a new `bytes`.
pub(crate) fn new_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    // SAFETY: the slice has `bytes.len()` bytes, at most `isize::MAX`. The result is a new reference to a `bytes`, or null.
    unsafe {
        let new = ffi::PyBytes_FromStringAndSize(bytes.as_ptr().cast(), bytes.len() as isize);
        Ok(Bound::from_owned_ptr_or_err(py, new)?.cast_into_unchecked())
    }
}

/// Returns a new `tuple` of these objects.
macro_rules! new_tuple {
    ($py:ident, $($item:ident),+) => {{
        const LEN: isize = [$(stringify!($item)),+].len() as isize;
        // SAFETY: the call gets `LEN` objects, and the tuple takes its own references. The result is a new `tuple`, or null.
        unsafe {
            Bound::from_owned_ptr_or_err($py, pyo3::ffi::PyTuple_Pack(LEN, $($item.as_ptr()),+))
                .map(|tuple| tuple.cast_into_unchecked::<PyTuple>())
        }
    }};
}

pub(crate) use new_tuple;

/// Returns a new `tuple` of the two objects.
pub(crate) fn new_pair<'py, A, B>(first: &Bound<'py, A>, second: &Bound<'py, B>) -> PyResult<Bound<'py, PyTuple>> {
    let py = first.py();
    new_tuple!(py, first, second)
}

/// Returns a copy of a bytes-like object, such as a `bytearray`.
pub(crate) fn bytes_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    // SAFETY: the result is a new reference to a `bytes`, or null.
    unsafe {
        let new = ffi::PyBytes_FromObject(object.as_ptr());
        Ok(Bound::from_owned_ptr_or_err(object.py(), new)?.cast_into_unchecked())
    }
}

/// Returns `original` if `text` is borrowed, because then it is unchanged. Otherwise returns a new `str`.
pub(crate) fn str_or_new<'py>(original: &Bound<'py, PyString>, text: Cow<'_, str>) -> PyResult<Bound<'py, PyString>> {
    match text {
        Cow::Borrowed(_) => Ok(original.clone()),
        Cow::Owned(text) => new_str(original.py(), &text),
    }
}

/// Returns `original` if `bytes` is borrowed, because then it is unchanged. Otherwise returns a new `bytes`.
pub(crate) fn bytes_or_new<'py>(original: &Bound<'py, PyBytes>, bytes: Cow<'_, [u8]>) -> PyResult<Bound<'py, PyBytes>> {
    match bytes {
        Cow::Borrowed(_) => Ok(original.clone()),
        Cow::Owned(bytes) => new_bytes(original.py(), &bytes),
    }
}
