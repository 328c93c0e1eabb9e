//! The quoting functions of `urllib.parse`, parameter for parameter.

use std::borrow::Cow;

use percent_simd::{ByteSet, Decoder, Encoder, Plus, sets};
use percent_standards::form;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::fault::{guarded, new_error, no_memory};
use crate::text::{bytes_or_new, detached, new_bytes, new_pair, new_str, str_or_new};

/// Defines functions of `urllib.parse` by their arguments, of which all but the first may be left out, and a signature for
/// Python's `help`. A body that comes to `None` leaves the work to urllib's own function, as does a private argument, which some
/// versions have. `**kwargs` would take those too, and cost 20 ns a call.
macro_rules! functions {
    ($($(#[doc = $doc:literal])+ fn $name:ident($first:ident $(, $argument:ident)* $(; $private:ident)?) $signature:literal $work:block)+) => {
        /// The functions of `urllib.parse` as they were when this module was imported.
        struct Originals {
            $($name: Py<PyAny>),+
        }

        /// Remembers the functions of `urllib.parse`, before anything replaces them there.
        pub(crate) fn keep_originals(py: Python<'_>) -> PyResult<()> {
            let urllib = py.import("urllib.parse")?;
            let originals = Originals { $($name: urllib.getattr(stringify!($name))?.unbind()),+ };
            // A second import finds them there already.
            let _ = ORIGINALS.set(py, originals);
            Ok(())
        }

        $(
            $(#[doc = $doc])+
            #[pyfunction]
            #[allow(clippy::too_many_arguments, reason = "urllib's function has as many")]
            #[pyo3(signature = ($first $(, $argument = Optional::Missing)* $(, *, $private = Optional::Missing)?), text_signature = $signature)]
            pub(crate) fn $name<'py>(
                $first: &Bound<'py, PyAny>,
                $($argument: Optional<'py>,)*
                $($private: Optional<'py>,)?
            ) -> PyResult<Bound<'py, PyAny>> {
                guarded(|| {
                    let done: Option<Bound<'py, PyAny>> = if true $(&& $private.is_missing())? { $work } else { None };
                    match done {
                        Some(result) => Ok(result),
                        None => {
                            let kwargs = PyDict::new($first.py());
                            $($argument.add_to(&kwargs, stringify!($argument))?;)*
                            $($private.add_to(&kwargs, stringify!($private))?;)?
                            call_original(|originals| &originals.$name, $first, &kwargs)
                        }
                    }
                })
            }
        )+
    };
}

static ORIGINALS: PyOnceLock<Originals> = PyOnceLock::new();

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
    fn is_missing(&self) -> bool {
        matches!(self, Optional::Missing)
    }

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
#[cold]
fn call_original<'py>(
    original: fn(&Originals) -> &Py<PyAny>,
    first: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = first.py();
    let not_imported = || new_error::<PyRuntimeError>("percent_simd has not been imported as a package");
    let function = original(ORIGINALS.get(py).ok_or_else(not_imported)?);
    function.bind(py).call((first,), Some(kwargs))
}

const LENIENT: Decoder = Decoder::new();
const WITH_PLUS: Decoder = Decoder::new().plus(Plus::Always);
const QUOTE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED.with(b'/'));
const QUOTE_PLUS: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).space_to_plus();

/// Inputs up to this many bytes are decoded on the stack.
const SHORT: usize = 256;

/// The encoder for an argument `safe`, or `None` if urllib had better look at it: `safe` may be anything that holds integers.
/// With `plus`, a space becomes a `+`, and a `/` does not stay by default.
fn encoder(safe: &Optional<'_>, plus: bool) -> Option<Encoder> {
    let Optional::Given(safe) = safe else { return Some(if plus { QUOTE_PLUS } else { QUOTE }) };
    let safe = safe.cast_exact::<PyString>().ok()?.to_str().ok()?;
    let allowed = sets::RFC3986_UNRESERVED.union(ByteSet::of(safe.as_bytes()).intersection(ByteSet::ASCII));
    let encoder = Encoder::new(allowed);
    Some(if plus { encoder.space_to_plus() } else { encoder })
}

/// Encodes a `str` or a `bytes`; `None` for all other types, and for text that is not Unicode.
fn encoded<'py>(encoder: &Encoder, string: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = string.py();
    if let Ok(text) = string.cast_exact::<PyString>() {
        let Ok(src) = text.to_str() else { return Ok(None) };
        let encoded = detached(py, src.as_bytes(), |src| encoder.try_encode(src)).map_err(no_memory)?;
        return Ok(Some(str_or_new(text, encoded)?.into_any()));
    }
    let Ok(bytes) = string.cast_exact::<PyBytes>() else { return Ok(None) };
    let encoded = detached(py, bytes.as_bytes(), |src| encoder.try_encode(src)).map_err(no_memory)?;
    Ok(Some(new_str(py, &encoded)?.into_any()))
}

/// Does the work of `quote` and `quote_plus`, if the text is to be encoded as UTF-8.
fn quoted<'py>(
    string: &Bound<'py, PyAny>,
    safe: &Optional<'py>,
    encoding: &Optional<'py>,
    errors: &Optional<'py>,
    plus: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match encoder(safe, plus) {
        Some(encoder) if encoding.is_none() && errors.is_none() => encoded(&encoder, string),
        _ => Ok(None),
    }
}

/// Decodes a `str` or `bytes` as UTF-8 with replacement characters; `None` for all other types, and text that is not Unicode.
fn decoded<'py>(decoder: &Decoder, string: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = string.py();
    let text = string.cast_exact::<PyString>().ok();
    let src = match text {
        Some(text) => text.to_str().ok().map(str::as_bytes),
        None => string.cast_exact::<PyBytes>().ok().map(|bytes| bytes.as_bytes()),
    };
    let Some(src) = src else { return Ok(None) };
    if src.len() <= SHORT
        && let Ok(decoded) = decoder.decode_slice(src, &mut [0; SHORT])
    {
        return Ok(Some(match text {
            Some(text) if src == decoded => text.clone().into_any(),
            _ => from_utf8(py, decoded)?.into_any(),
        }));
    }
    Ok(Some(match (detached(py, src, |src| decoder.try_decode(src)).map_err(no_memory)?, text) {
        (Cow::Borrowed(_), Some(text)) => text.clone().into_any(),
        (decoded, _) => from_utf8(py, &decoded)?.into_any(),
    }))
}

/// Returns the text that `bytes` are in UTF-8, with U+FFFD for every maximal ill-formed part.
fn from_utf8<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // Python makes its text of UTF-8 in the widest form so far, and copies all of it at each wider character. Of characters that
    // are all there it takes the widest first.
    let mut chars = ['\0'; 128];
    if cfg!(not(windows))
        && bytes.len() <= chars.len()
        && !bytes.is_ascii()
        && let Ok(text) = str::from_utf8(bytes)
    {
        let mut len = 0;
        for (to, char) in chars.iter_mut().zip(text.chars()) {
            *to = char;
            len += 1;
        }
        // SAFETY: a `wchar_t` has the 32 bits of a `char`, but on Windows, and the array has `len` of them; for the result see below.
        return unsafe { owned_str(py, ffi::PyUnicode_FromWideChar(chars.as_ptr().cast(), len)) };
    }
    // SAFETY: the slice has so many bytes, which are at most `isize::MAX`; the result is a new reference to a `str`, or null.
    unsafe {
        owned_str(py, ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), bytes.len() as isize, c"replace".as_ptr()))
    }
}

/// Takes a new `str`.
///
/// # Safety
///
/// `text` is a reference of our own to an object that is a `str`, or null with an exception set.
unsafe fn owned_str(py: Python<'_>, text: *mut ffi::PyObject) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: the caller's promise.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked()) }
}

/// Does the work of `unquote` and `unquote_plus`, if the bytes are UTF-8 to be decoded with replacement characters.
fn unquoted<'py>(
    string: &Bound<'py, PyAny>,
    encoding: &Optional<'py>,
    errors: &Optional<'py>,
    decoder: &Decoder,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if encoding.is("utf-8") && errors.is("replace") { decoded(decoder, string) } else { Ok(None) }
}

/// The output of `urlencode`: `name=value` pairs with `&` between them.
struct Pairs {
    encoder: Encoder,
    out: String,
}

impl Pairs {
    fn push(&mut self, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.out.try_reserve(2).map_err(no_memory)?;
        if !self.out.is_empty() {
            self.out.push('&');
        }
        Ok(self.append(name)? && {
            self.out.try_reserve(1).map_err(no_memory)?;
            self.out.push('=');
            self.append(value)?
        })
    }

    /// Appends a name or a value; `false` if it is of a type that urllib had better look at.
    fn append(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            self.encoder.try_encode_into(bytes.as_bytes(), &mut self.out).map_err(no_memory)?;
            return Ok(true);
        }
        if !is_scalar(object) {
            return Ok(false);
        }
        let text = object.str()?;
        let Ok(text) = text.to_str() else { return Ok(false) };
        self.encoder.try_encode_into(text, &mut self.out).map_err(no_memory)?;
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

/// How a query string is parsed that consists of pairs with `&` between them, of text in UTF-8.
struct QueryOptions {
    keep_blank_values: bool,
}

impl QueryOptions {
    /// Takes the arguments of `parse_qsl` and `parse_qs`; `None` if they ask for something else.
    fn new(
        keep_blank_values: &Optional<'_>,
        strict_parsing: &Optional<'_>,
        encoding: &Optional<'_>,
        errors: &Optional<'_>,
        max_num_fields: &Optional<'_>,
        separator: &Optional<'_>,
    ) -> PyResult<Option<QueryOptions>> {
        let usual = encoding.is("utf-8")
            && errors.is("replace")
            && separator.is("&")
            && max_num_fields.is_none()
            && !strict_parsing.is_true()?;
        if usual { Ok(Some(QueryOptions { keep_blank_values: keep_blank_values.is_true()? })) } else { Ok(None) }
    }

    /// Hands every pair of the query string `qs` to `each`; `false` if urllib had better look at it.
    fn for_each_pair<'py>(
        &self,
        qs: &Bound<'py, PyAny>,
        mut each: impl FnMut(Bound<'py, PyString>, Bound<'py, PyString>) -> PyResult<()>,
    ) -> PyResult<bool> {
        let py = qs.py();
        let Ok(text) = qs.cast_exact::<PyString>() else { return Ok(false) };
        let Ok(text) = text.to_str() else { return Ok(false) };
        for (name, value) in form::parse(text) {
            if self.keep_blank_values || !value.is_empty() {
                each(new_str(py, &name)?, new_str(py, &value)?)?;
            }
        }
        Ok(true)
    }
}

functions! {
    /// Replaces special characters in a string by their %XX escapes, like urllib.parse.quote.
    fn quote(string, safe, encoding, errors) "(string, safe='/', encoding=None, errors=None)" {
        quoted(string, &safe, &encoding, &errors, false)?
    }

    /// Like quote, but also replaces spaces by plus signs, like urllib.parse.quote_plus.
    fn quote_plus(string, safe, encoding, errors) "(string, safe='', encoding=None, errors=None)" {
        quoted(string, &safe, &encoding, &errors, true)?
    }

    /// Like quote, but takes bytes, like urllib.parse.quote_from_bytes.
    fn quote_from_bytes(bs, safe) "(bs, safe='/')" {
        // urllib refuses text here.
        match encoder(&safe, false) {
            Some(encoder) if bs.is_exact_instance_of::<PyBytes>() => encoded(&encoder, bs)?,
            _ => None,
        }
    }

    /// Replaces %XX escapes by the characters they stand for, like urllib.parse.unquote.
    fn unquote(string, encoding, errors) "(string, encoding='utf-8', errors='replace')" {
        unquoted(string, &encoding, &errors, &LENIENT)?
    }

    /// Like unquote, but also replaces plus signs by spaces, like urllib.parse.unquote_plus.
    fn unquote_plus(string, encoding, errors) "(string, encoding='utf-8', errors='replace')" {
        // urllib refuses bytes here.
        if string.is_exact_instance_of::<PyString>() {
            unquoted(string, &encoding, &errors, &WITH_PLUS)?
        } else {
            None
        }
    }

    /// Replaces %XX escapes by the bytes they stand for, like urllib.parse.unquote_to_bytes.
    fn unquote_to_bytes(string) "(string)" {
        let py = string.py();
        if let Ok(bytes) = string.cast_exact::<PyBytes>() {
            let decoded = detached(py, bytes.as_bytes(), |src| LENIENT.try_decode(src)).map_err(no_memory)?;
            Some(bytes_or_new(bytes, decoded)?.into_any())
        } else if let Ok(text) = string.cast_exact::<PyString>()
            && let Ok(text) = text.to_str()
        {
            let decoded = detached(py, text.as_bytes(), |src| LENIENT.try_decode(src)).map_err(no_memory)?;
            Some(new_bytes(py, &decoded)?.into_any())
        } else {
            None
        }
    }

    /// Encodes a dict or a sequence of pairs as a query string, like urllib.parse.urlencode.
    fn urlencode(query, doseq, safe, encoding, errors, quote_via)
        "(query, doseq=False, safe='', encoding=None, errors=None, quote_via=...)"
    {
        if quote_via.is_missing()
            && encoding.is_none()
            && errors.is_none()
            && let Some(encoder) = encoder(&safe, true)
        {
            let mut pairs = Pairs { encoder, out: String::new() };
            let done = pairs.push_all(query, doseq.is_true()?)?;
            if done { Some(new_str(query.py(), &pairs.out)?.into_any()) } else { None }
        } else {
            None
        }
    }

    /// Parses a query string into a list of pairs, like urllib.parse.parse_qsl.
    fn parse_qsl(qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator; _stacklevel)
        "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', max_num_fields=None, separator='&')"
    {
        let list = PyList::empty(qs.py());
        match QueryOptions::new(&keep_blank_values, &strict_parsing, &encoding, &errors, &max_num_fields, &separator)? {
            Some(options) if options.for_each_pair(qs, |name, value| list.append(new_pair(&name, &value)?))? => Some(list.into_any()),
            _ => None,
        }
    }

    /// Parses a query string into a dict of lists, like urllib.parse.parse_qs.
    fn parse_qs(qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator)
        "(qs, keep_blank_values=False, strict_parsing=False, encoding='utf-8', errors='replace', max_num_fields=None, separator='&')"
    {
        let dict = PyDict::new(qs.py());
        let insert = |name: Bound<'_, PyString>, value: Bound<'_, PyString>| match dict.get_item(&name)? {
            Some(values) => values.cast::<PyList>()?.append(value),
            None => dict.set_item(name, PyList::new(value.py(), [&value])?),
        };
        match QueryOptions::new(&keep_blank_values, &strict_parsing, &encoding, &errors, &max_num_fields, &separator)? {
            Some(options) if options.for_each_pair(qs, insert)? => Some(dict.into_any()),
            _ => None,
        }
    }
}
