//! Passes text and bytes in and out of Python without more copies than it must.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// Inputs from this many bytes on are worked on with the interpreter's lock released: below it, giving the lock away and
/// taking it back costs more than the work.
const DETACH_LEN: usize = 16 * 1024;

/// Runs `work` on `src`, without the interpreter's lock if `src` is long.
pub(crate) fn detached<'a, T: Send>(py: Python<'_>, src: &'a [u8], work: impl FnOnce(&'a [u8]) -> T + Send) -> T {
    if src.len() < DETACH_LEN { work(src) } else { py.detach(|| work(src)) }
}

/// Returns `original` if nothing changed, or else the new text.
pub(crate) fn str_or_new<'py>(original: &Bound<'py, PyString>, text: Cow<'_, str>) -> Bound<'py, PyString> {
    match text {
        Cow::Borrowed(_) => original.clone(),
        Cow::Owned(text) => PyString::new(original.py(), &text),
    }
}

/// Returns `original` if nothing changed, or else the new bytes.
pub(crate) fn bytes_or_new<'py>(original: &Bound<'py, PyBytes>, bytes: Cow<'_, [u8]>) -> Bound<'py, PyBytes> {
    match bytes {
        Cow::Borrowed(_) => original.clone(),
        Cow::Owned(bytes) => PyBytes::new(original.py(), &bytes),
    }
}
