//! Forms as pairs of bytes, as the URL Standard defines them.

use percent_simd::ByteSet;
use percent_standards::form::{self, ParseError, Parser};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::codec::Set;
use crate::fault::{collect, guarded};
use crate::fault::{decode_error, exception};
use crate::input::{Input, limit_of, option};
use crate::text::{new_bytes, new_pair, new_str};

fn form_error(py: Python<'_>, error: ParseError) -> PyErr {
    match error {
        ParseError::Decode(error) => decode_error(py, error),
        ParseError::Rejected { offset, .. } => exception(py, "DecodeError", error.to_string(), offset, "rejected"),
        error => exception(py, "DecodeError", error.to_string(), error.offset(), "too_many_pairs"),
    }
}

/// Parses a form (URL Standard 5.1) into pairs of bytes, so that binary values such as hashes survive.
///
/// With `semicolons`, a ";" ends a pair too. More than `limit` pairs raise DecodeError. With `strict`, a malformed
/// `%` also raises DecodeError. So does a decoded name or value with a character of `reject`, such as "\0".
#[pyfunction]
#[pyo3(signature = (data, *, strict = false, limit = None, semicolons = false, reject = None))]
pub(crate) fn parse_form<'py>(
    py: Python<'py>,
    data: Input<'py>,
    #[pyo3(from_py_with = option::strict)] strict: bool,
    limit: Option<Bound<'py, PyAny>>,
    #[pyo3(from_py_with = option::semicolons)] semicolons: bool,
    #[pyo3(from_py_with = option::reject)] reject: Option<Set>,
) -> PyResult<Bound<'py, PyList>> {
    let parser = if semicolons { Parser::new().semicolons() } else { Parser::new() };
    let parser = parser.limit(limit_of("limit", limit)?.unwrap_or(usize::MAX));
    let parser = parser.reject(reject.map_or(ByteSet::EMPTY, |set| set.0));
    let parser = if strict { parser.strict() } else { parser };
    guarded(|| {
        let pairs = PyList::empty(py);
        for pair in parser.parse_bytes(data.as_bytes()?) {
            let (name, value) = pair.map_err(|error| form_error(py, error))?;
            pairs.append(new_pair(&new_bytes(py, &name)?, &new_bytes(py, &value)?)?)?;
        }
        Ok(pairs)
    })
}

/// Writes pairs of text or bytes as a form (URL Standard 5.2). `parse_form` returns the same pairs.
#[pyfunction]
pub(crate) fn serialize_form<'py>(pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let inputs = collect(pairs.try_iter()?.map(|pair| pair?.extract::<(Input<'_>, Input<'_>)>()))?;
        let bytes = collect(inputs.iter().map(|(name, value)| Ok((name.as_bytes()?, value.as_bytes()?))))?;
        new_str(pairs.py(), &form::serialize(bytes))
    })
}
