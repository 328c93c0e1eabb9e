//! Whole references and components, by the specifications: normal forms, requoting, targets and paths of requests, IRIs.

use percent_simd::ByteSet;
use percent_standards::iri;
use percent_standards::uri::{self, PathNormalizer, RequestTarget, Requoter, TargetForm, UriErrorKind};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::codec::{Set, decode_error, exception};
use crate::fault::guarded;
use crate::text::{new_str, new_tuple, str_or_new};

fn uri_error(py: Python<'_>, error: uri::UriError) -> PyErr {
    let kind = match error.kind {
        UriErrorKind::Character(_) => "character",
        UriErrorKind::Escape(_) => "escape",
        UriErrorKind::NotRooted => "not_rooted",
        UriErrorKind::Control => "control",
        UriErrorKind::Fragment => "fragment",
        UriErrorKind::TargetForm => "target_form",
        _ => "other",
    };
    exception(py, "UriError", error.to_string(), error.offset, kind)
}

/// The normal form of a URI (RFC 3986 6.2.2): escapes of unreserved characters decoded, all others in upper case, the
/// scheme and the host in lower case, dot segments removed. A malformed `%` is kept, or, where `strict` is set, is an error.
#[pyfunction]
#[pyo3(signature = (uri, *, strict = false))]
pub(crate) fn normalize<'py>(uri: &Bound<'py, PyString>, strict: bool) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let text = uri.to_str()?;
        let normal = if strict {
            uri::normalize(text).map_err(|error| decode_error(uri.py(), error))?
        } else {
            uri::sanitize(text)
        };
        str_or_new(uri, normal)
    })
}

/// The safe form of the path of an HTTP request: unreserved characters decoded, dot segments removed after that and never out
/// of the root, `%2F`, `%5C` and `%25` kept. Controls, escaped or not, and a path that does not begin with "/" raise UriError;
/// what may not stand in a path is escaped, or, where `strict` is set, raises UriError too.
#[pyfunction]
#[pyo3(signature = (path, *, strict = false))]
pub(crate) fn normalize_path<'py>(path: &Bound<'py, PyString>, strict: bool) -> PyResult<Bound<'py, PyString>> {
    let normalizer = if strict { PathNormalizer::new().strict() } else { PathNormalizer::new() };
    guarded(|| {
        let normal = normalizer.normalize(path.to_str()?).map_err(|error| uri_error(path.py(), error))?;
        str_or_new(path, normal)
    })
}

/// Splits the target of a request (RFC 9112 3.2), with a method as a server does, without as a reader of logs does.
#[pyfunction]
pub(crate) fn split_target<'py>(
    target: &Bound<'py, PyString>,
    method: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = target.py();
    guarded(|| {
        let text = target.to_str()?;
        let split = match method {
            Some(method) => RequestTarget::parse(method.to_str()?, text).map_err(|error| uri_error(py, error))?,
            None => RequestTarget::split(text),
        };
        let form = match split.form() {
            TargetForm::Origin => "origin",
            TargetForm::Absolute => "absolute",
            TargetForm::Authority => "authority",
            TargetForm::Asterisk => "asterisk",
            _ => "invalid",
        };
        let new = |part: Option<&str>| match part {
            Some(part) => new_str(py, part).map(Bound::into_any),
            None => Ok(py.None().into_bound(py)),
        };
        let (scheme, authority) = (new(split.scheme())?, new(split.authority())?);
        let (path, query) = (new(Some(split.path()))?, new(split.query())?);
        let form = new(Some(form))?;
        new_tuple!(py, form, scheme, authority, path, query)
    })
}

/// Writes a component so that exactly what has to be percent-encoded is, however it was written: characters of `allowed` are
/// decoded, all others encoded, those of `protected` stay as they are, a stray `%` becomes `%25`. Doing so again changes nothing.
#[pyfunction]
#[pyo3(signature = (text, allowed, protected = None))]
pub(crate) fn requote<'py>(
    text: &Bound<'py, PyString>,
    allowed: Set,
    protected: Option<Set>,
) -> PyResult<Bound<'py, PyString>> {
    let requoter = Requoter::new(allowed.0).protect(protected.map_or(ByteSet::EMPTY, |set| set.0));
    guarded(|| str_or_new(text, requoter.requote(text.to_str()?)))
}

/// The URI of an IRI (RFC 3987 3.1): characters beyond ASCII are percent-encoded in UTF-8.
#[pyfunction]
pub(crate) fn iri_to_uri<'py>(iri: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(iri, iri::to_uri(iri.to_str()?)))
}

/// The IRI of a URI, to be read by people (RFC 3987 3.2): what is UTF-8 beyond ASCII is decoded, and nothing else.
#[pyfunction]
pub(crate) fn uri_to_iri<'py>(uri: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(uri, iri::to_iri(uri.to_str()?)))
}
