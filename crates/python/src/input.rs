//! Converts arguments of Python's calls.

use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyMemoryView, PyString};

use crate::fault::{collect, guarded, new_error};
use crate::text::bytes_of;

/// Returns the value of an optional argument that sets a limit. `None` means no limit.
pub(crate) fn limit_of(name: &str, value: Option<Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    // An integer of numpy isn't an `int`, but has `__index__`.
    let value = if value.is_instance_of::<PyInt>() {
        value
    } else {
        value.getattr("__index__").map_or(Ok(value), |index| index.call0())?
    };
    // A number above the greatest `usize` is never reached, so it means no limit.
    if let Ok(number) = value.cast::<PyInt>() {
        return match number.extract::<usize>() {
            Ok(limit) => Ok(Some(limit)),
            Err(_) if number.gt(0)? => Ok(Some(usize::MAX)),
            Err(_) => Err(new_error::<PyValueError>(format!("{name} is 0 or more, not {number}"))),
        };
    }
    Err(new_error::<PyTypeError>(format!("{name} is an int, not {}", value.get_type().name()?)))
}

/// Returns an iterable of `str` as a list. A single `str` is an iterable of `str`, too, but is refused. `parameter` is the
/// name of the argument.
#[pyfunction(name = "_texts")]
pub(crate) fn texts(parameter: &str, texts: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let wrong = |of: &str, object: &Bound<'_, PyAny>| {
        let found = object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
        new_error::<PyTypeError>(format!("{parameter} must be an iterable of str, not {of}{found}"))
    };
    if texts.is_instance_of::<PyString>() {
        return Err(wrong("", texts));
    }
    collect(texts.try_iter().map_err(|_| wrong("", texts))?.map(|text| {
        let text = text?;
        Ok(text.cast::<PyString>().map_err(|_| wrong("of ", &text))?.to_str()?.to_owned())
    }))
}

/// Defines functions for `from_py_with`. Each extracts the option of its name. If the value is wrong, the message begins
/// with this name. pyo3 itself puts the name only into a note, which `str(exception)` lacks, and Python 3.10 has no notes.
macro_rules! options {
    ($($name:ident)*) => {$(
        pub(crate) fn $name<'a, 'py, T: FromPyObject<'a, 'py>>(value: &'a Bound<'py, PyAny>) -> PyResult<T> {
            value.extract().map_err(|error: T::Error| super::naming(value.py(), stringify!($name), error.into()))
        }
    )*};
}

pub(crate) mod option {
    use pyo3::prelude::*;

    options! {
        all allowed by_line charset detect dialect errors filename keep keep_triplets kind lowercase merge_slashes
        method name plus protected r#final r#type reject reject_separators semicolons set space_to_plus strict windows
    }
}

/// Returns an error whose message begins with the name of an option. Only a TypeError and a ValueError get the name: the
/// classes derived from them may have other arguments than a message.
fn naming(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let made = guarded(|| {
        let message = format!("{}: {}", name.trim_start_matches("r#"), error.value(py).str()?.to_str()?);
        let class = error.get_type(py);
        Ok(if class.is(PyTypeError::type_object(py)) {
            new_error::<PyTypeError>(message)
        } else if class.is(PyValueError::type_object(py)) {
            new_error::<PyValueError>(message)
        } else {
            error
        })
    });
    made.unwrap_or_else(|other| other)
}

/// The bytes of a `str` (in UTF-8) or of any bytes-like object.
pub(crate) enum Input<'py> {
    Text(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> FromPyObject<'_, 'py> for Input<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Input<'py>> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Input::Text(text.to_owned()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Input::Bytes(bytes.to_owned()));
        }
        guarded(|| {
            // With the stable ABI of Python 3.10, we can't use the buffer protocol ourselves, but `memoryview` can.
            let view = PyMemoryView::from(&object).map_err(|error| {
                // Pass on other exceptions, because the object raised them. For example, a released memoryview raises
                // ValueError.
                if !error.is_instance_of::<PyTypeError>(object.py()) {
                    return error;
                }
                let name = object.get_type().qualname().map_or_else(|_| "object".into(), |name| name.to_string());
                new_error::<PyTypeError>(format!("expected str or a bytes-like object, not {name}"))
            })?;
            Ok(Input::Bytes(bytes_of(&view)?))
        })
    }
}

impl Input<'_> {
    pub(crate) fn as_bytes(&self) -> PyResult<&[u8]> {
        match self {
            Input::Text(text) => Ok(text.to_str()?.as_bytes()),
            Input::Bytes(bytes) => Ok(bytes.as_bytes()),
        }
    }
}
