//! Operations on whole columns: decoding, encoding, normalisation, query parameters.

use arrow_array::Array as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arrow::Column;
use crate::codec::{self, Set};
use crate::fault::{column_error, failure, guarded, new_error};
use crate::input::{limit_of, option, texts};
use crate::operation::{Operation, query_param_by};

/// Runs `operation` on the chunks of `column`, with the interpreter's lock released.
fn run<'py>(py: Python<'py>, column: Column, operation: &Operation) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        if let Column::Surrogates(array, _) = &column {
            // A wrong option is an error before a row is.
            operation.run(&array.slice(0, 0), 0).map_err(failure)?;
        }
        let column = column.without_surrogates(operation.errors()).map_err(column_error)?;
        py.detach(|| column.map(|array, start| operation.run(array, start))).map_err(failure)?.into_python(py)
    })
}

fn members(set: Set) -> Vec<u8> {
    set.0.iter().collect()
}

/// Decodes every row of a column of text or bytes. The column keeps its type.
///
/// `errors` is the treatment of a row with a malformed escape. In a column of text, a row whose decoded bytes aren't
/// UTF-8 is treated in the same way:
///
/// - "keep" leaves the bad escapes of the row as they are;
/// - "null" makes the row a null;
/// - "strict" raises a ColumnError that names the row;
/// - "replace" puts U+FFFD in place of invalid UTF-8.
///
/// With `plus`, a `+` becomes a space. Escapes of the characters in `keep` stay. If `keep` has `%`, decoding makes no new
/// escapes either: `%%41%41` stays. An escape of a character in `reject` makes its row faulty. Rows are decoded up to
/// `layers` times.
///
/// If the escapes are bytes in a charset other than UTF-8, pass its name as `charset`. In a column of text, characters above
/// ASCII stay. With "keep", a faulty row then stays as it is. With `detect`, rows that are valid UTF-8 are read as UTF-8, and
/// all other rows in this charset.
#[pyfunction]
#[pyo3(signature = (
    column, *, errors = "keep", plus = false, keep = None, reject = None, layers = None, charset = None, detect = false
), text_signature = "(column, *, errors='keep', plus=False, keep=None, reject=None, layers=1, charset=None, detect=False)")]
#[allow(clippy::too_many_arguments, reason = "each is an option by name")]
pub(crate) fn decode_array<'py>(
    py: Python<'py>,
    column: Column,
    #[pyo3(from_py_with = option::errors)] errors: &str,
    #[pyo3(from_py_with = option::plus)] plus: bool,
    #[pyo3(from_py_with = option::keep)] keep: Option<Set>,
    #[pyo3(from_py_with = option::reject)] reject: Option<Set>,
    layers: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = option::charset)] charset: Option<String>,
    #[pyo3(from_py_with = option::detect)] detect: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let layers = limit_of("layers", layers)?.unwrap_or(1);
    let (keep, reject) = (keep.map(members), reject.map(members));
    run(py, column, &Operation::DecodeArray { errors: errors.into(), plus, keep, reject, layers, charset, detect })
}

/// Decodes every row of a column, with the options of `pct_decode` in SQL. `percent_simd.spark` calls this function.
#[pyfunction(name = "_sql_decode")]
pub(crate) fn sql_decode<'py>(py: Python<'py>, column: Column, options: String) -> PyResult<Bound<'py, PyAny>> {
    run(py, column, &Operation::SqlDecode { options })
}

/// For every row of a column of URLs, returns a map of the decoded query parameters. `percent_simd.spark` calls this
/// function.
#[pyfunction(name = "_query_map")]
pub(crate) fn query_map(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::QueryMap)
}

/// Encodes every row of a column of text or bytes. The column keeps its type.
///
/// The bytes of `allowed` stay. Instead of `allowed`, you can pass `set`: the name of a set or of a preset, such as
/// "RFC3986_PATH". The default is the unreserved characters of RFC 3986. With `plus`, a space becomes `+`.
///
/// With `charset`, the rows become bytes of this charset, which are then encoded. `errors` is the treatment of a row with a
/// character that the charset lacks: "strict" raises a ColumnError, "null" makes the row a null, and "replace" writes the
/// character as `&#8364;`, as browsers do.
#[pyfunction]
#[pyo3(signature = (column, allowed = None, *, set = None, plus = false, charset = None, errors = "strict"))]
#[allow(clippy::too_many_arguments, reason = "each is an option by name")]
pub(crate) fn encode_array<'py>(
    py: Python<'py>,
    column: Column,
    #[pyo3(from_py_with = option::allowed)] allowed: Option<Set>,
    #[pyo3(from_py_with = option::set)] set: Option<String>,
    #[pyo3(from_py_with = option::plus)] plus: bool,
    #[pyo3(from_py_with = option::charset)] charset: Option<String>,
    #[pyo3(from_py_with = option::errors)] errors: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if allowed.is_some() && set.is_some() {
        return Err(codec::two_sets());
    }
    let (allowed, errors) = (allowed.map(members), errors.into());
    run(py, column, &Operation::EncodeArray { allowed, set, plus, charset, errors })
}

/// Normalizes every row of a column of URIs (RFC 3986 6.2.2). A malformed `%` becomes `%25`.
#[pyfunction]
pub(crate) fn normalize_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::NormalizeArray)
}

/// Requotes every row of a column of components, as `requote` does.
#[pyfunction]
#[pyo3(signature = (column, allowed, protected = None))]
pub(crate) fn requote_array(
    py: Python<'_>,
    column: Column,
    #[pyo3(from_py_with = option::allowed)] allowed: Set,
    #[pyo3(from_py_with = option::protected)] protected: Option<Set>,
) -> PyResult<Bound<'_, PyAny>> {
    let operation = Operation::RequoteArray { allowed: members(allowed), protected: protected.map(members) };
    run(py, column, &operation)
}

/// Repairs every row of a column of links, as `repair` does.
#[pyfunction]
pub(crate) fn repair_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::RepairArray)
}

/// Replaces passwords by `***` in every row of a column, as `redact` does.
#[pyfunction]
pub(crate) fn redact_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::RedactArray)
}

/// Sorts the query of every row of a column of URLs, as `sort_query` does for a query.
#[pyfunction]
#[pyo3(signature = (column, *, drop = None))]
pub(crate) fn sort_query_array<'py>(
    py: Python<'py>,
    column: Column,
    drop: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let drop = drop.map_or(Ok(Vec::new()), |drop| texts("drop", drop))?;
    run(py, column, &Operation::SortQueryArray { drop })
}

/// Converts every row of a column of URIs to an IRI for people to read, as `uri_to_iri` does.
#[pyfunction]
pub(crate) fn uri_to_iri_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::UriToIriArray)
}

/// Converts every row of a column of IRIs to a URI, as `iri_to_uri` does.
#[pyfunction]
pub(crate) fn iri_to_uri_array(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::IriToUriArray)
}

/// Converts every row of a column of `file:` URLs to a path, as `file_url_to_path` does. `errors` is the treatment of a
/// row without a path: "keep" leaves the row as it is, "null" makes it a null, and "strict" raises a ColumnError.
#[pyfunction]
#[pyo3(signature = (column, *, windows = None, errors = "keep"))]
pub(crate) fn file_url_to_path_array<'py>(
    py: Python<'py>,
    column: Column,
    #[pyo3(from_py_with = option::windows)] windows: Option<bool>,
    #[pyo3(from_py_with = option::errors)] errors: &str,
) -> PyResult<Bound<'py, PyAny>> {
    run(py, column, &Operation::FileUrlToPathArray { windows, errors: errors.into() })
}

/// Converts every row of a column of paths to a `file:` URL, as `path_to_file_url` does. `errors` is the same as for
/// `file_url_to_path_array`.
#[pyfunction]
#[pyo3(signature = (column, *, windows = None, errors = "keep"))]
pub(crate) fn path_to_file_url_array<'py>(
    py: Python<'py>,
    column: Column,
    #[pyo3(from_py_with = option::windows)] windows: Option<bool>,
    #[pyo3(from_py_with = option::errors)] errors: &str,
) -> PyResult<Bound<'py, PyAny>> {
    run(py, column, &Operation::PathToFileUrlArray { windows, errors: errors.into() })
}

/// Splits every row of a column of URLs into a struct of texts. `URL_FIELDS` has the names of its fields.
///
/// All fields except `domain` have the text of the URL, undecoded. `domain` is the registrable domain of the host, by
/// the public suffix list, in lower case. A field is null if the URL lacks it.
#[pyfunction]
pub(crate) fn parse_url(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::ParseUrl)
}

/// For every row of a column of URLs, returns the decoded value of a query parameter.
///
/// - If `name` is a `str`, the result is the value of the first parameter with this name, or a null. With `all`, the
///   result is the list of the values of all parameters with this name.
/// - If `name` is a list of `str`, the result is a struct with a field for each name.
/// - If `name` is a column with the Arrow PyCapsule interface, each row of `name` is the name for the same row of
///   `column`. If `column` is a dictionary, the result isn't a dictionary, but has the type of the dictionary's values.
#[pyfunction]
#[pyo3(signature = (column, name, *, all = false))]
pub(crate) fn query_param<'py>(
    py: Python<'py>,
    column: Column,
    name: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = option::all)] all: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(name) = name.cast::<PyString>() {
        let name = name.to_str()?.to_owned();
        let operation = if all { Operation::QueryValues { name } } else { Operation::QueryParam { name } };
        return run(py, column, &operation);
    }
    if all {
        return Err(new_error::<PyTypeError>("all needs one name, a str"));
    }
    if !name.hasattr("__arrow_c_array__")? && !name.hasattr("__arrow_c_stream__")? {
        return run(py, column, &Operation::QueryParams { names: texts("name", name)? });
    }
    let names: Column = name.extract()?;
    guarded(|| {
        let chunks = |column: Column| column.without_surrogates(None).map(Column::into_chunks).map_err(column_error);
        let (rows, names) = (chunks(column)?, chunks(names)?);
        let pieces = py.detach(|| query_param_by(&rows, &names)).map_err(column_error)?;
        Column::Chunks(pieces[0].data_type().clone(), pieces).into_python(py)
    })
}

/// For every row of a column of URLs, returns the decoded query parameters as a list of (name, value) structs.
#[pyfunction]
pub(crate) fn parse_query(py: Python<'_>, column: Column) -> PyResult<Bound<'_, PyAny>> {
    run(py, column, &Operation::ParseQuery)
}
