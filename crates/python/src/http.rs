//! Fields of HTTP: `Content-Disposition` and `baggage`.

use std::fmt::{self, Write};

use percent_simd_host::{self as host, Fault};
use percent_standards::http::{ContentDisposition, FieldError, FieldErrorKind, baggage, multipart_unescape};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::fault::{collect, exception, fault, guarded, new_error};
use crate::input::{Input, option};
use crate::text::{new_pair, new_str, new_tuple, str_or_new};

/// Formatted text. Writing fails if there is no memory; `to_string` would end the process.
struct Text(Vec<u8>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        host::extend(&mut self.0, text.as_bytes()).map_err(|_| fmt::Error)
    }
}

/// Returns a text, or None.
fn optional<'py>(py: Python<'py>, text: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    match text {
        Some(text) => new_str(py, text).map(Bound::into_any),
        None => Ok(py.None().into_bound(py)),
    }
}

/// Reads the field Content-Disposition (RFC 6266). Returns its type, name, filename and safe file name.
#[pyfunction]
pub(crate) fn parse_content_disposition<'py>(py: Python<'py>, field: Input<'py>) -> PyResult<Bound<'py, PyTuple>> {
    guarded(|| {
        let parsed = ContentDisposition::parse(field.as_bytes()?);
        let kind = new_str(py, parsed.disposition_type())?;
        let (name, filename) = (optional(py, parsed.name())?, optional(py, parsed.filename())?);
        let file_name = optional(py, parsed.file_name())?;
        new_tuple!(py, kind, name, filename, file_name)
    })
}

/// Writes the field Content-Disposition, so that all browsers read it (RFC 6266 appendix D).
///
/// If the file name is not plain ASCII, the parameter `filename` has a substitute in ASCII, and `filename*` has the
/// name in UTF-8. `type` is "attachment", "inline" or "form-data". "form-data" needs `name`, and is written as browsers
/// write parts of forms.
#[pyfunction]
#[pyo3(signature = (filename = None, *, r#type = "attachment", name = None))]
pub(crate) fn build_content_disposition<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = option::filename)] filename: Option<Bound<'py, PyString>>,
    #[pyo3(from_py_with = option::r#type)] r#type: &str,
    #[pyo3(from_py_with = option::name)] name: Option<Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let field = match (r#type, &name) {
            ("attachment", None) => ContentDisposition::attachment(),
            ("inline", None) => ContentDisposition::inline(),
            ("form-data", Some(name)) => ContentDisposition::form_data(name.to_str()?),
            ("form-data", None) => return Err(new_error::<PyValueError>("form-data needs a name")),
            ("attachment" | "inline", Some(_)) => return Err(new_error::<PyValueError>("only form-data has a name")),
            _ => return Err(new_error::<PyValueError>("the type must be attachment, inline or form-data")),
        };
        let field = match &filename {
            Some(filename) => field.with_filename(filename.to_str()?),
            None => field,
        };
        let mut text = Text(Vec::new());
        write!(text, "{field}").map_err(|_| fault(Fault::Memory))?;
        new_str(py, &String::from_utf8(text.0)?)
    })
}

/// Decodes the name of a field or file from multipart/form-data: only the escapes of `"`, CR and LF, as browsers write
/// them (HTML 4.10.22.7).
#[pyfunction]
#[pyo3(name = "multipart_unescape")]
pub(crate) fn unescape_multipart<'py>(name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(name, multipart_unescape(name.to_str()?)))
}

fn baggage_error(py: Python<'_>, error: FieldError) -> PyErr {
    let kind = match error.kind {
        FieldErrorKind::Key => "key",
        FieldErrorKind::NoValue => "no_value",
        FieldErrorKind::Value => "value",
        _ => "other",
    };
    exception(py, "DecodeError", error.to_string(), error.offset, kind)
}

/// Reads the field baggage (W3C Baggage 3.2) into a list of (key, value, properties). Properties are pairs of a key and
/// a value or None.
///
/// Values are decoded: a "+" stays, and invalid UTF-8 becomes U+FFFD. A malformed member is skipped, or raises DecodeError
/// if `strict` is set.
#[pyfunction]
#[pyo3(signature = (field, *, strict = false))]
pub(crate) fn parse_baggage<'py>(
    field: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::strict)] strict: bool,
) -> PyResult<Bound<'py, PyList>> {
    let py = field.py();
    guarded(|| {
        let members = PyList::empty(py);
        for member in baggage::parse(field.to_str()?) {
            let member = match member {
                Ok(member) => member,
                Err(_) if !strict => continue,
                Err(error) => return Err(baggage_error(py, error)),
            };
            let properties = PyList::empty(py);
            for (key, value) in member.properties() {
                let key = new_str(py, key)?;
                properties.append(new_pair(&key, &optional(py, value.as_deref())?)?)?;
            }
            let (key, value) = (new_str(py, member.key)?, new_str(py, &member.value)?);
            members.append(new_tuple!(py, key, value, properties)?)?;
        }
        Ok(members)
    })
}

/// Writes pairs of a key and a value as the field baggage (W3C Baggage 3.2). A key that is not a token raises DecodeError.
#[pyfunction]
pub(crate) fn build_baggage<'py>(pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    let py = pairs.py();
    guarded(|| {
        let texts =
            collect(pairs.try_iter()?.map(|pair| pair?.extract::<(Bound<'_, PyString>, Bound<'_, PyString>)>()))?;
        let members = collect(texts.iter().map(|(key, value)| Ok((key.to_str()?, value.to_str()?))))?;
        new_str(py, &baggage::build(members).map_err(|error| baggage_error(py, error))?)
    })
}
