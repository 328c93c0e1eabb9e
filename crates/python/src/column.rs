//! Operations on whole columns: decoding, encoding, normalisation, query parameters.

use arrow_array::ArrayRef;
use percent_simd::{Decoder, Encoder, Plus, sets};
use percent_simd_arrow::{self as columns, Error, Errors};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow::Column;
use crate::codec;
use crate::fault::{column_error, guarded, new_error};

/// Calls `each` on the chunks of `column`, with the interpreter's lock released.
fn transformed<'py>(
    py: Python<'py>,
    column: Column,
    each: impl Fn(&ArrayRef) -> Result<ArrayRef, Error> + Send,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| py.detach(|| column.map(each)).map_err(column_error)?.into_python(py))
}

/// Decodes every row of a column of text or bytes. The column keeps its type.
///
/// `errors` is the treatment of a row with a malformed escape. In a column of text, a row whose decoded bytes aren't
/// UTF-8 is treated in the same way:
///
/// - "keep" leaves the bad escapes of the row as they are;
/// - "null" makes the row a null;
/// - "strict" raises a ValueError that names the row;
/// - "replace" puts U+FFFD in place of invalid UTF-8.
#[pyfunction]
#[pyo3(signature = (column, *, errors = "keep", plus = false))]
pub(crate) fn decode_array<'py>(
    py: Python<'py>,
    column: Column,
    errors: &str,
    plus: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let errors: Errors = errors.parse().map_err(new_error::<PyValueError>)?;
    let decoder = Decoder::new().plus(if plus { Plus::Always } else { Plus::Never });
    transformed(py, column, |array| columns::decode(array, decoder, errors))
}

/// Encodes every row of a column of text or bytes. The column keeps its type. The bytes of `allowed` stay: by default
/// the unreserved characters of RFC 3986.
#[pyfunction]
#[pyo3(signature = (column, allowed = None, *, plus = false))]
pub(crate) fn encode_array<'py>(
    py: Python<'py>,
    column: Column,
    allowed: Option<codec::Set>,
    plus: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let encoder = Encoder::new(allowed.map_or(sets::RFC3986_UNRESERVED, |set| set.0));
    let encoder = if plus { encoder.space_to_plus() } else { encoder };
    transformed(py, column, |array| columns::encode(array, encoder))
}

/// Normalizes every row of a column of URIs (RFC 3986 6.2.2). A malformed `%` becomes `%25`.
#[pyfunction]
pub(crate) fn normalize_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    transformed(py, column, columns::normalize)
}

/// For every row of a column of URLs, returns the decoded value of the first query parameter called `name`, or a null
/// if there is no such parameter.
#[pyfunction]
pub(crate) fn query_param<'py>(py: Python<'py>, column: Column, name: &str) -> PyResult<Bound<'py, PyAny>> {
    transformed(py, column, |array| columns::query_param(array, name))
}

/// For every row of a column of URLs, returns the decoded query parameters as a list of (name, value) structs.
#[pyfunction]
pub(crate) fn parse_query(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    transformed(py, column, columns::parse_query)
}
