//! The quoting functions of `urllib.parse`, parameter for parameter.

use percent_simd::{ByteSet, Decoder, Encoder, Plus, form, sets};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::text::{bytes_or_new, detached, str_or_new};

/// The functions of `urllib.parse` as they were when this module was imported.
struct Originals {
    quote: Py<PyAny>,
    quote_plus: Py<PyAny>,
    quote_from_bytes: Py<PyAny>,
    unquote: Py<PyAny>,
    unquote_plus: Py<PyAny>,
    unquote_to_bytes: Py<PyAny>,
    urlencode: Py<PyAny>,
    parse_qsl: Py<PyAny>,
    parse_qs: Py<PyAny>,
}

static ORIGINALS: PyOnceLock<Originals> = PyOnceLock::new();

/// Remembers the functions of `urllib.parse`, before anything replaces them there.
pub(crate) fn keep_originals(py: Python<'_>) -> PyResult<()> {
    let urllib = py.import("urllib.parse")?;
    let get = |name| urllib.getattr(name).map(Bound::unbind);
    let originals = Originals {
        quote: get("quote")?,
        quote_plus: get("quote_plus")?,
        quote_from_bytes: get("quote_from_bytes")?,
        unquote: get("unquote")?,
        unquote_plus: get("unquote_plus")?,
        unquote_to_bytes: get("unquote_to_bytes")?,
        urlencode: get("urlencode")?,
        parse_qsl: get("parse_qsl")?,
        parse_qs: get("parse_qs")?,
    };
    // A second import finds them there already.
    let _ = ORIGINALS.set(py, originals);
    Ok(())
}

fn originals(py: Python<'_>) -> PyResult<&Originals> {
    ORIGINALS.get(py).ok_or_else(|| PyRuntimeError::new_err("percent_simd has not been imported as a package"))
}

/// An argument that may be left out. urllib tells some of those apart from `None`.
pub(crate) enum Optional<'py> {
    Missing,
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Optional<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Optional<'py>> {
        Ok(Optional::Given(object.to_owned()))
    }
}

impl<'py> Optional<'py> {
    /// Whether it is missing, or the string `default`.
    fn is(&self, default: &str) -> bool {
        match self {
            Optional::Missing => true,
            Optional::Given(object) => {
                object.cast_exact::<PyString>().is_ok_and(|text| text.to_str().is_ok_and(|text| text == default))
            }
        }
    }

    /// Whether it is missing, or `None`.
    fn is_none(&self) -> bool {
        match self {
            Optional::Missing => true,
            Optional::Given(object) => object.is_none(),
        }
    }

    /// Whether it is true in Python's sense; a missing one is not.
    fn is_true(&self) -> PyResult<bool> {
        match self {
            Optional::Missing => Ok(false),
            Optional::Given(object) => object.is_truthy(),
        }
    }

    fn add_to(&self, kwargs: &Bound<'py, PyDict>, name: &str) -> PyResult<()> {
        match self {
            Optional::Missing => Ok(()),
            Optional::Given(object) => kwargs.set_item(name, object),
        }
    }
}

/// Calls a function of urllib with the arguments that were given.
fn call_original<'py>(
    py: Python<'py>,
    function: &Py<PyAny>,
    first: &Bound<'py, PyAny>,
    others: &[(&str, &Optional<'py>)],
) -> PyResult<Bound<'py, PyAny>> {
    let kwargs = PyDict::new(py);
    for (name, argument) in others {
        argument.add_to(&kwargs, name)?;
    }
    function.bind(py).call((first,), Some(&kwargs))
}

const LENIENT: Decoder = Decoder::new();
const WITH_PLUS: Decoder = Decoder::new().plus(Plus::Always);
const QUOTE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED.with(b'/'));
const QUOTE_PLUS: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).space_to_plus();

/// Inputs up to this many bytes are decoded on the stack.
const SHORT: usize = 256;

/// The encoder for an argument `safe`, or `None` if urllib had better look at it: `safe` may be anything that holds integers.
fn encoder(safe: &Optional<'_>, default: &Encoder, space_to_plus: bool) -> Option<Encoder> {
    let Optional::Given(safe) = safe else { return Some(*default) };
    let safe = safe.cast_exact::<PyString>().ok()?.to_str().ok()?;
    let allowed = sets::RFC3986_UNRESERVED.union(ByteSet::of(safe.as_bytes()).intersection(ByteSet::ASCII));
    let encoder = Encoder::new(allowed);
    Some(if space_to_plus { encoder.space_to_plus() } else { encoder })
}

/// Encodes a `str` or a `bytes`; `None` for all other types, and for text that is not Unicode.
fn quoted<'py>(encoder: &Encoder, string: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let py = string.py();
    if let Ok(text) = string.cast_exact::<PyString>() {
        let encoded = detached(py, text.to_str().ok()?.as_bytes(), |src| encoder.encode(src));
        return Some(str_or_new(text, encoded));
    }
    let bytes = string.cast_exact::<PyBytes>().ok()?;
    let encoded = detached(py, bytes.as_bytes(), |src| encoder.encode(src));
    Some(PyString::new(py, &encoded))
}

/// Does the work of `quote` and `quote_plus`: `default` encodes where no `safe` is given, and `original` is urllib's function.
fn quote_with<'py>(
    string: &Bound<'py, PyAny>,
    [safe, encoding, errors]: [Optional<'py>; 3],
    default: &Encoder,
    space_to_plus: bool,
    original: fn(&Originals) -> &Py<PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if encoding.is_none()
        && errors.is_none()
        && let Some(encoder) = encoder(&safe, default, space_to_plus)
        && let Some(quoted) = quoted(&encoder, string)
    {
        return Ok(quoted.into_any());
    }
    let others = [("safe", &safe), ("encoding", &encoding), ("errors", &errors)];
    call_original(string.py(), original(originals(string.py())?), string, &others)
}

/// Replaces special characters in a string by their %XX escapes, like urllib.parse.quote.
#[pyfunction]
#[pyo3(signature = (string, safe = Optional::Missing, encoding = Optional::Missing, errors = Optional::Missing), text_signature = "(string, safe='/', encoding=None, errors=None)")]
pub(crate) fn quote<'py>(
    string: &Bound<'py, PyAny>,
    safe: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    quote_with(string, [safe, encoding, errors], &QUOTE, false, |originals| &originals.quote)
}

/// Like quote, but also replaces spaces by plus signs, like urllib.parse.quote_plus.
#[pyfunction]
#[pyo3(signature = (string, safe = Optional::Missing, encoding = Optional::Missing, errors = Optional::Missing), text_signature = "(string, safe='', encoding=None, errors=None)")]
pub(crate) fn quote_plus<'py>(
    string: &Bound<'py, PyAny>,
    safe: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    quote_with(string, [safe, encoding, errors], &QUOTE_PLUS, true, |originals| &originals.quote_plus)
}

/// Like quote, but takes bytes, like urllib.parse.quote_from_bytes.
#[pyfunction]
#[pyo3(signature = (bs, safe = Optional::Missing), text_signature = "(bs, safe='/')")]
pub(crate) fn quote_from_bytes<'py>(bs: &Bound<'py, PyAny>, safe: Optional<'py>) -> PyResult<Bound<'py, PyAny>> {
    if bs.is_exact_instance_of::<PyBytes>()
        && let Some(encoder) = encoder(&safe, &QUOTE, false)
        && let Some(quoted) = quoted(&encoder, bs)
    {
        return Ok(quoted.into_any());
    }
    call_original(bs.py(), &originals(bs.py())?.quote_from_bytes, bs, &[("safe", &safe)])
}

/// Decodes a `str` or `bytes` as UTF-8 with replacement characters; `None` for all other types, and text that is not Unicode.
fn unquoted<'py>(decoder: &Decoder, string: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let py = string.py();
    let text = string.cast_exact::<PyString>().ok();
    let src = match text {
        Some(text) => text.to_str().ok()?.as_bytes(),
        None => string.cast_exact::<PyBytes>().ok()?.as_bytes(),
    };
    if src.len() <= SHORT
        && let Ok(decoded) = decoder.decode_slice(src, &mut [0; SHORT])
    {
        match text {
            Some(text) if src == decoded => return Some(text.clone()),
            // Python checks that it is UTF-8; where it is not, it is decoded once more, with replacement characters.
            _ => {
                if let Ok(decoded) = PyString::from_bytes(py, decoded) {
                    return Some(decoded);
                }
            }
        }
    }
    let decoded = detached(py, src, |src| decoder.decode_utf8_lossy(src));
    Some(match text {
        Some(text) => str_or_new(text, decoded),
        None => PyString::new(py, &decoded),
    })
}

/// Replaces %XX escapes by the characters they stand for, like urllib.parse.unquote.
#[pyfunction]
#[pyo3(signature = (string, encoding = Optional::Missing, errors = Optional::Missing), text_signature = "(string, encoding='utf-8', errors='replace')")]
pub(crate) fn unquote<'py>(
    string: &Bound<'py, PyAny>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    if encoding.is("utf-8")
        && errors.is("replace")
        && let Some(text) = unquoted(&LENIENT, string)
    {
        return Ok(text.into_any());
    }
    let others = [("encoding", &encoding), ("errors", &errors)];
    call_original(string.py(), &originals(string.py())?.unquote, string, &others)
}

/// Like unquote, but also replaces plus signs by spaces, like urllib.parse.unquote_plus.
#[pyfunction]
#[pyo3(signature = (string, encoding = Optional::Missing, errors = Optional::Missing), text_signature = "(string, encoding='utf-8', errors='replace')")]
pub(crate) fn unquote_plus<'py>(
    string: &Bound<'py, PyAny>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    // urllib refuses bytes here.
    if string.is_exact_instance_of::<PyString>()
        && encoding.is("utf-8")
        && errors.is("replace")
        && let Some(text) = unquoted(&WITH_PLUS, string)
    {
        return Ok(text.into_any());
    }
    let others = [("encoding", &encoding), ("errors", &errors)];
    call_original(string.py(), &originals(string.py())?.unquote_plus, string, &others)
}

/// Replaces %XX escapes by the bytes they stand for, like urllib.parse.unquote_to_bytes.
#[pyfunction]
pub(crate) fn unquote_to_bytes<'py>(string: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = string.py();
    if let Ok(bytes) = string.cast_exact::<PyBytes>() {
        return Ok(bytes_or_new(bytes, detached(py, bytes.as_bytes(), |src| LENIENT.decode(src))).into_any());
    }
    if let Ok(text) = string.cast_exact::<PyString>()
        && let Ok(text) = text.to_str()
    {
        return Ok(PyBytes::new(py, &detached(py, text.as_bytes(), |src| LENIENT.decode(src))).into_any());
    }
    call_original(py, &originals(py)?.unquote_to_bytes, string, &[])
}

/// What `urlencode` writes: `name=value` pairs with `&` between them.
struct Pairs {
    encoder: Encoder,
    out: String,
}

impl Pairs {
    fn push(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        if !self.out.is_empty() {
            self.out.push('&');
        }
        Ok(self.append(name)? && {
            self.out.push('=');
            self.append(value)?
        })
    }

    /// Appends a name or a value; `false` if it is of a type that urllib had better look at.
    fn append(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            self.encoder.encode_into(bytes.as_bytes(), &mut self.out);
            return Ok(true);
        }
        if !is_scalar(object) {
            return Ok(false);
        }
        let text = object.str()?;
        let Ok(text) = text.to_str() else { return Ok(false) };
        self.encoder.encode_into(text, &mut self.out);
        Ok(true)
    }

    /// Appends all pairs of `query`; `false` if urllib had better look at it.
    fn push_all(&mut self, query: &Bound<'_, PyAny>, sequences: bool) -> PyResult<bool> {
        if let Ok(dict) = query.cast_exact::<PyDict>() {
            for (name, value) in dict {
                if !self.push_value(&name, &value, sequences)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let Ok(list) = query.cast_exact::<PyList>() else { return Ok(false) };
        for item in list {
            let Ok(pair) = item.cast_exact::<PyTuple>() else { return Ok(false) };
            if pair.len() != 2 || !self.push_value(&pair.get_item(0)?, &pair.get_item(1)?, sequences)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn push_value(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, sequences: bool) -> PyResult<bool> {
        if !sequences || value.is_exact_instance_of::<PyBytes>() || is_scalar(value) {
            return self.push(name, value);
        }
        if !value.is_exact_instance_of::<PyList>() && !value.is_exact_instance_of::<PyTuple>() {
            return Ok(false);
        }
        for value in value.try_iter()? {
            if !self.push(name, &value?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether `str()` of this is known to have no effect, and `len()` of it, unless it is a string, to be an error.
fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_none()
}

/// Encodes a dict or a sequence of pairs as a query string, like urllib.parse.urlencode.
#[pyfunction]
#[pyo3(signature = (query, doseq = Optional::Missing, safe = Optional::Missing, encoding = Optional::Missing, errors = Optional::Missing, quote_via = Optional::Missing), text_signature = "(query, doseq=False, safe='', encoding=None, errors=None, quote_via=...)")]
pub(crate) fn urlencode<'py>(
    query: &Bound<'py, PyAny>,
    doseq: Optional<'py>,
    safe: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
    quote_via: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = query.py();
    if matches!(quote_via, Optional::Missing)
        && encoding.is_none()
        && errors.is_none()
        && let Some(encoder) = encoder(&safe, &QUOTE_PLUS, true)
    {
        let mut pairs = Pairs { encoder, out: String::new() };
        if pairs.push_all(query, doseq.is_true()?)? {
            return Ok(PyString::new(py, &pairs.out).into_any());
        }
    }
    let others =
        [("doseq", &doseq), ("safe", &safe), ("encoding", &encoding), ("errors", &errors), ("quote_via", &quote_via)];
    call_original(py, &originals(py)?.urlencode, query, &others)
}

/// The arguments of `parse_qsl` and `parse_qs` after the first.
struct QueryArguments<'py> {
    keep_blank_values: Optional<'py>,
    strict_parsing: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
    max_num_fields: Optional<'py>,
    separator: Optional<'py>,
}

impl<'py> QueryArguments<'py> {
    fn named(&self) -> [(&'static str, &Optional<'py>); 6] {
        [
            ("keep_blank_values", &self.keep_blank_values),
            ("strict_parsing", &self.strict_parsing),
            ("encoding", &self.encoding),
            ("errors", &self.errors),
            ("max_num_fields", &self.max_num_fields),
            ("separator", &self.separator),
        ]
    }

    /// Hands every pair of the query string `qs` to `each`; `false` if urllib had better look at it.
    fn parse(
        &self,
        qs: &Bound<'py, PyAny>,
        mut each: impl FnMut(Bound<'py, PyString>, Bound<'py, PyString>) -> PyResult<()>,
    ) -> PyResult<bool> {
        let py = qs.py();
        let Ok(text) = qs.cast_exact::<PyString>() else { return Ok(false) };
        let Ok(text) = text.to_str() else { return Ok(false) };
        let usual = self.encoding.is("utf-8")
            && self.errors.is("replace")
            && self.separator.is("&")
            && self.max_num_fields.is_none()
            && !self.strict_parsing.is_true()?;
        if !usual {
            return Ok(false);
        }
        let keep_blank_values = self.keep_blank_values.is_true()?;
        for (name, value) in form::parse(text) {
            if keep_blank_values || !value.is_empty() {
                each(PyString::new(py, &name), PyString::new(py, &value))?;
            }
        }
        Ok(true)
    }
}

/// Parses a query string into a list of pairs, like urllib.parse.parse_qsl.
#[pyfunction]
#[pyo3(signature = (qs, keep_blank_values = Optional::Missing, strict_parsing = Optional::Missing, encoding = Optional::Missing, errors = Optional::Missing, max_num_fields = Optional::Missing, separator = Optional::Missing), text_signature = "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', max_num_fields=None, separator='&')")]
pub(crate) fn parse_qsl<'py>(
    qs: &Bound<'py, PyAny>,
    keep_blank_values: Optional<'py>,
    strict_parsing: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
    max_num_fields: Optional<'py>,
    separator: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = QueryArguments { keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator };
    let list = PyList::empty(qs.py());
    if arguments.parse(qs, |name, value| list.append((name, value)))? {
        return Ok(list.into_any());
    }
    call_original(qs.py(), &originals(qs.py())?.parse_qsl, qs, &arguments.named())
}

/// Parses a query string into a dict of lists, like urllib.parse.parse_qs.
#[pyfunction]
#[pyo3(signature = (qs, keep_blank_values = Optional::Missing, strict_parsing = Optional::Missing, encoding = Optional::Missing, errors = Optional::Missing, max_num_fields = Optional::Missing, separator = Optional::Missing), text_signature = "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', max_num_fields=None, separator='&')")]
pub(crate) fn parse_qs<'py>(
    qs: &Bound<'py, PyAny>,
    keep_blank_values: Optional<'py>,
    strict_parsing: Optional<'py>,
    encoding: Optional<'py>,
    errors: Optional<'py>,
    max_num_fields: Optional<'py>,
    separator: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = QueryArguments { keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator };
    let dict = PyDict::new(qs.py());
    let insert = |name: Bound<'py, PyString>, value: Bound<'py, PyString>| match dict.get_item(&name)? {
        Some(values) => values.cast::<PyList>()?.append(value),
        None => dict.set_item(name, PyList::new(value.py(), [&value])?),
    };
    if arguments.parse(qs, insert)? {
        return Ok(dict.into_any());
    }
    call_original(qs.py(), &originals(qs.py())?.parse_qs, qs, &arguments.named())
}
