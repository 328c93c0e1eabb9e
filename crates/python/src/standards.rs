//! Functions for whole references and components: normal forms, requoting, targets and paths of requests, IRIs.

use std::borrow::Cow;

use percent_simd::ByteSet;
use percent_standards::iri;
use percent_standards::uri::file::{self, FileError};
use percent_standards::uri::{
    self, CanonicalQuery, PathNormalizer, RepairKind, Repairer, RequestTarget, Requoter, Separators, TargetForm,
    UriErrorKind,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::codec::Set;
use crate::fault::{decode_error, exception, file_kind, guarded};
use crate::input::{option, texts};
use crate::operation::style;
use crate::text::{new_str, new_tuple, str_or_new};

fn uri_error(py: Python<'_>, error: uri::UriError) -> PyErr {
    let kind = match error.kind {
        UriErrorKind::Character(_) => "character",
        UriErrorKind::Escape(_) => "escape",
        UriErrorKind::NotRooted => "not_rooted",
        UriErrorKind::Control => "control",
        UriErrorKind::Rejected => "rejected",
        UriErrorKind::Fragment => "fragment",
        UriErrorKind::TargetForm => "target_form",
        _ => "other",
    };
    exception(py, "UriError", error.to_string(), error.offset, kind)
}

fn file_error(py: Python<'_>, error: FileError) -> PyErr {
    exception(py, "UriError", error.to_string(), error.offset, file_kind(&error))
}

/// Returns the `file:` URL of an absolute path (RFC 8089). If `windows` is true, the rules of Windows apply. If it is
/// false, the rules of Unix apply, and if it is None, the rules of this system. A path without a URL raises UriError.
#[pyfunction]
#[pyo3(signature = (path, *, windows = None))]
pub(crate) fn path_to_file_url<'py>(
    path: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::windows)] windows: Option<bool>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let url = file::from_path_with(path.to_str()?, style(windows)).map_err(|error| file_error(path.py(), error))?;
        new_str(path.py(), &url)
    })
}

/// Returns the path of a `file:` URL (RFC 8089). `windows` selects the system's rules, as in `path_to_file_url`.
///
/// `%2F`, `%00` and, by the rules of Windows, `%5C` raise UriError, because they would add a segment or a NUL to the
/// path. A path that is not UTF-8 also raises UriError.
#[pyfunction]
#[pyo3(signature = (url, *, windows = None))]
pub(crate) fn file_url_to_path<'py>(
    url: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::windows)] windows: Option<bool>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let path = file::to_text_with(url.to_str()?, style(windows)).map_err(|error| file_error(url.py(), error))?;
        new_str(url.py(), &path)
    })
}

/// Replaces the passwords of URLs in a text by `***`, before you log or show it (RFC 3986 3.2.1).
///
/// The text may be a URL, a URL that does not parse, `user:password@host` without a scheme, or a log with several URLs.
/// If a URL does not parse, all text from its first `:` to the last `@` of the line is hidden.
#[pyfunction]
pub(crate) fn redact<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(text, uri::redact(text.to_str()?)))
}

/// Returns the normal form of a URI (RFC 3986 6.2.2).
///
/// Decodes the escapes of unreserved characters, gives all other escapes upper-case digits, writes the scheme and the
/// host in lower case, and removes dot segments. A malformed `%` becomes `%25`, or raises DecodeError if `strict` is
/// set.
#[pyfunction]
#[pyo3(signature = (uri, *, strict = false))]
pub(crate) fn normalize<'py>(
    uri: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::strict)] strict: bool,
) -> PyResult<Bound<'py, PyString>> {
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

/// Returns the path of an HTTP request in a form that is safe to check and to open.
///
/// First decodes unreserved characters. Then removes dot segments, which never lead above the root. `%2F`, `%5C` and
/// `%25` stay. Two things raise UriError: a control, escaped or not, and a path that does not begin with "/". Other
/// characters that paths do not allow are escaped, or raise UriError if `strict` is set.
///
/// `merge_slashes` removes empty segments, except the last. `reject_separators` raises UriError for `%2F`, `%5C` and a
/// backslash. Set `reject_separators` if another program decodes the path after your check.
#[pyfunction]
#[pyo3(signature = (path, *, strict = false, merge_slashes = false, reject_separators = false))]
pub(crate) fn normalize_path<'py>(
    path: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::strict)] strict: bool,
    #[pyo3(from_py_with = option::merge_slashes)] merge_slashes: bool,
    #[pyo3(from_py_with = option::reject_separators)] reject_separators: bool,
) -> PyResult<Bound<'py, PyString>> {
    let mut normalizer = if strict { PathNormalizer::new().strict() } else { PathNormalizer::new() };
    if merge_slashes {
        normalizer = normalizer.merge_slashes();
    }
    if reject_separators {
        normalizer = normalizer.separators(Separators::Reject);
    }
    guarded(|| {
        let normal = normalizer.normalize(path.to_str()?).map_err(|error| uri_error(path.py(), error))?;
        str_or_new(path, normal)
    })
}

/// Applies `canonical`, and drops the pairs whose names are in `drop`.
fn canonicalized<'py>(
    query: &Bound<'py, PyString>,
    canonical: CanonicalQuery<'_>,
    drop: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    guarded(|| {
        let names = drop.map_or(Ok(Vec::new()), |drop| texts("drop", drop))?;
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        str_or_new(query, canonical.drop_names(&names).canonicalize(query.to_str()?))
    })
}

/// Sorts the pairs of a query by name, as `URLSearchParams.sort()` does, and changes no pair. Use it for the key of a
/// cache.
///
/// Pairs with the same name keep their order. The pairs whose names are in `drop` are left out. `*` at the end of a
/// name stands for any text: `["utm_*", "fbclid"]`.
#[pyfunction]
#[pyo3(signature = (query, *, drop = None))]
pub(crate) fn sort_query<'py>(
    query: &Bound<'py, PyString>,
    drop: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    canonicalized(query, CanonicalQuery::cache_key(), drop)
}

/// Returns the canonical query for a signature. Its pairs are sorted by name and value, and everything except letters,
/// digits and `-._~` is encoded.
///
/// `kind` is "sigv4" (AWS Signature Version 4, Google Cloud Storage) or "oauth1" (RFC 5849 3.4.1.3). In the query, `+` is
/// a plus sign for "sigv4" and a space for "oauth1". `drop` is the same as for `sort_query`.
#[pyfunction]
#[pyo3(signature = (query, kind = "sigv4", *, drop = None))]
pub(crate) fn canonical_query<'py>(
    query: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::kind)] kind: &str,
    drop: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    let canonical = match kind {
        "sigv4" => CanonicalQuery::sigv4(),
        "oauth1" => CanonicalQuery::oauth1(),
        _ => return Err(PyValueError::new_err("kind must be \"sigv4\" or \"oauth1\"")),
    };
    canonicalized(query, canonical, drop)
}

/// Splits the target of a request (RFC 9112 3.2). With a method, checks it as a server does. Without a method, accepts
/// every target, as a reader of logs does.
#[pyfunction]
pub(crate) fn split_target<'py>(
    target: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::method)] method: Option<Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = target.py();
    guarded(|| {
        let text = target.to_str()?;
        let split = match &method {
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

/// Rewrites a component so that it is percent-encoded exactly as needed, whatever was escaped in `text`.
///
/// Characters of `allowed` are decoded, and all others are encoded. Escapes of characters of `protected` stay, even if the
/// characters are in `allowed`. A malformed `%` becomes `%25`. Requoting the result changes nothing.
#[pyfunction]
#[pyo3(signature = (text, allowed, protected = None))]
pub(crate) fn requote<'py>(
    text: &Bound<'py, PyString>,
    #[pyo3(from_py_with = option::allowed)] allowed: Set,
    #[pyo3(from_py_with = option::protected)] protected: Option<Set>,
) -> PyResult<Bound<'py, PyString>> {
    let requoter = Requoter::new(allowed.0).protect(protected.map_or(ByteSet::EMPTY, |set| set.0));
    guarded(|| str_or_new(text, requoter.requote(text.to_str()?)))
}

/// Repairs a link that someone pasted. Returns the link, and a list of the repairs.
///
/// Repairs spaces, raw letters, a bare `%`, line breaks and other faults that have only one remedy. A valid URI and
/// faults with several remedies stay. A host changes only to Punycode, or to an IPv6 address in brackets. Each
/// repair is a tuple `(start, end, kind, reason)`, where `start` and `end` are indices in `link`. Faults of the kinds in
/// `without` stay.
#[pyfunction]
#[pyo3(signature = (link, *, without = None))]
pub(crate) fn repair<'py>(
    link: &Bound<'py, PyString>,
    without: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = link.py();
    let mut repairer = Repairer::new();
    for name in without.map_or(Ok(Vec::new()), |without| texts("without", without))? {
        let found = RepairKind::ALL.iter().find(|kind| kind.name() == name);
        repairer = repairer.without(*found.ok_or_else(|| {
            let names: Vec<_> = RepairKind::ALL.iter().map(|kind| kind.name()).collect();
            PyValueError::new_err(format!("there is no kind of repair {name:?}; there are {}", names.join(", ")))
        })?);
    }
    guarded(|| {
        let text = link.to_str()?;
        let repaired = repairer.repair(text);
        let list = PyList::empty(py);
        // Changes come in the order of their starts.
        let (mut at, mut start) = (0, 0);
        for change in &repaired.changes {
            start += text[at..change.range.start].chars().count();
            at = change.range.start;
            let end = start + text[change.range.clone()].chars().count();
            list.append((start, end, change.kind.name(), change.reason()))?;
        }
        // For a borrowed text, `str_or_new` returns `link`. But if only text around the link was removed, the borrowed
        // text is shorter than `link`, so we need a new string.
        let text = match repaired.text {
            Cow::Borrowed(part) if part.len() < text.len() => new_str(py, part)?,
            text => str_or_new(link, text)?,
        };
        new_tuple!(py, text, list)
    })
}

/// Returns the URI for an IRI (RFC 3987 3.1): percent-encodes the characters beyond ASCII in UTF-8.
#[pyfunction]
pub(crate) fn iri_to_uri<'py>(iri: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(iri, iri::to_uri(iri.to_str()?)))
}

/// Returns the IRI for a URI, for people to read (RFC 3987 3.2).
///
/// Decodes the escapes of unreserved characters, and of characters beyond ASCII that IRIs allow. Keeps the escapes of
/// reserved characters, of `%`, of bidi controls and of invalid UTF-8.
#[pyfunction]
pub(crate) fn uri_to_iri<'py>(uri: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    guarded(|| str_or_new(uri, iri::to_iri(uri.to_str()?)))
}
