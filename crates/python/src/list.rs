//! Reads lists of `str` or `bytes` as arrays.

use arrow_array::ArrayRef;
use arrow_array::types::{BinaryType, Utf8Type};
use percent_simd_arrow::{RowError, RowFault, from_rows, shortened};
use percent_simd_host as host;
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFloat, PyString};

use crate::fault::{collect, column_error, new_error, no_memory};

/// Returns the error for a list whose rows have different types. `value`, in row `row`, is the first of another type.
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

/// Returns the text as UTF-8, with U+FFFD for each lone surrogate. Also returns the fault of the first surrogate.
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

/// Returns an array of the `str` or `bytes` objects that `object` yields, with nulls for `None`, NaN and `NA`.
///
/// Each lone surrogate of a text becomes U+FFFD. The vector has one fault for each row with lone surrogates, in the order
/// of the rows.
pub(crate) fn from_values(object: &Bound<'_, PyAny>) -> PyResult<(ArrayRef, Vec<RowError>)> {
    // Iterating over a numpy array would yield numpy's scalars. The array's method `tolist` returns Python objects. If the
    // array has no dimension, it returns one object instead of a list.
    let values = if object.hasattr("tolist")? { object.call_method0("tolist")? } else { object.clone() };
    if values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() {
        return Err(not_a_column());
    }
    let values = collect(values.try_iter().map_err(|error| {
        // Only a TypeError means that the object is no column. A MemoryError, for example, is passed on.
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
        return Ok((from_rows::<BinaryType>(&rows).map_err(column_error)?, Vec::new()));
    }
    replaced.iter().for_each(|(text, fault)| rows[fault.row] = Some(text));
    let array = from_rows::<Utf8Type>(&rows).map_err(column_error)?;
    Ok((array, replaced.into_iter().map(|(_, fault)| fault).collect()))
}
