//! The quoting functions of `urllib.parse`, with the same parameters.

use std::borrow::Cow;
use std::sync::OnceLock;

use percent_simd::{ByteSet, Decoder, Encoder, Plus, internal, sets};
use percent_simd_host::Fault;
use percent_standards::form;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::fault::{fault, guarded, new_error, no_memory};
use crate::shortcut::shortcuts;
use crate::text::{bytes_or_new, detached, new_bytes, new_pair, new_str, str_or_new};

/// The key of a function of `urllib.parse` in the dict that [`originals`] returns.
macro_rules! original_key {
    ($name:ident) => {
        concat!("percent_simd.urllib.", stringify!($name))
    };
}

/// Defines functions of `urllib.parse`. Each has the names of its arguments, a signature for Python's `help`, and a body.
/// All arguments except the first are optional.
///
/// If the body returns `None`, urllib's own function does the work. Some versions of urllib have private arguments. If
/// a call has a private argument, urllib's own function does the work, too. `**kwargs` would accept private arguments
/// too, but would cost 20 ns per call.
macro_rules! functions {
    ($($(#[doc = $doc:literal])+ fn $name:ident($first:ident $(, $argument:ident)* $(; $private:ident)?) $signature:literal $work:block)+) => {
        /// Stores the functions of `urllib.parse` before other code can replace them.
        pub(crate) fn keep_originals(py: Python<'_>) -> PyResult<()> {
            let (urllib, originals) = (py.import("urllib.parse")?, originals(py)?);
            $(
                // If the module is imported again, the function is already stored.
                let key = original_key!($name);
                if !originals.contains(key)? {
                    originals.set_item(key, urllib.getattr(stringify!($name))?)?;
                }
            )+
            Ok(())
        }

        $(
            $(#[doc = $doc])+
            #[pyfunction]
            #[allow(clippy::too_many_arguments, reason = "urllib's function has this many")]
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
                            call_original(original_key!($name), $first, &kwargs)
                        }
                    }
                })
            }
        )+
    };
}

/// Returns the dict of this interpreter. It has the functions of `urllib.parse` as they were when this module was first
/// imported in this interpreter.
///
/// They can't be in a static variable. A subinterpreter that imports this module has its own `urllib.parse`, and its functions
/// don't work after the subinterpreter has ended.
fn originals(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    // SAFETY: this thread is attached to the interpreter. The result is a borrowed reference to a dict, or null if there is
    // no memory for the dict.
    let dict = unsafe {
        let dict = ffi::PyInterpreterState_GetDict(ffi::PyInterpreterState_Get());
        Bound::from_borrowed_ptr_or_opt(py, dict)
    };
    Ok(dict.ok_or_else(|| fault(Fault::Memory))?.cast_into::<PyDict>()?)
}

/// An optional argument of a call. For some arguments, urllib treats a missing argument and `None` differently.
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

    /// Returns true if the argument is missing, or is the string `default`.
    fn is(&self, default: &str) -> bool {
        match self {
            Optional::Missing => true,
            Optional::Given(object) => {
                object.cast_exact::<PyString>().is_ok_and(|text| text.to_str().is_ok_and(|text| text == default))
            }
        }
    }

    /// Returns true if the argument is missing, or is `None`.
    fn is_none(&self) -> bool {
        match self {
            Optional::Missing => true,
            Optional::Given(object) => object.is_none(),
        }
    }

    /// Returns true if the argument is given and Python takes it for true. Returns `None` if urllib must find out: for
    /// some objects, Python runs code to find out, and urllib doesn't do so in every call.
    fn is_true(&self) -> PyResult<Option<bool>> {
        match self {
            Optional::Missing => Ok(Some(false)),
            Optional::Given(object) if is_scalar(object) => object.is_truthy().map(Some),
            Optional::Given(_) => Ok(None),
        }
    }

    fn add_to(&self, kwargs: &Bound<'py, PyDict>, name: &str) -> PyResult<()> {
        match self {
            Optional::Missing => Ok(()),
            Optional::Given(object) => kwargs.set_item(name, object),
        }
    }
}

/// Calls a function of urllib with the given arguments.
#[cold]
fn call_original<'py>(
    key: &str,
    first: &Bound<'py, PyAny>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = first.py();
    let not_imported = || new_error::<PyRuntimeError>("percent_simd has not been imported as a package");
    let function = originals(py)?.get_item(new_str(py, key)?)?.ok_or_else(not_imported)?;
    function.call((first,), Some(kwargs))
}

const LENIENT: Decoder = Decoder::new();
const WITH_PLUS: Decoder = Decoder::new().plus(Plus::Always);
const QUOTE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED.with(b'/'));
const QUOTE_PLUS: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).space_to_plus();

/// An input of up to this many bytes is decoded on the stack.
const SHORT: usize = 256;

/// Returns the encoder for an argument `safe`. If `safe` is not a `str`, returns `None`: urllib accepts any object that
/// holds integers, so urllib must do the work. If `plus` is true, a space becomes a `+`, and the default for `safe` has
/// no `/`.
fn encoder(safe: &Optional<'_>, plus: bool) -> Option<Encoder> {
    let Optional::Given(safe) = safe else { return Some(if plus { QUOTE_PLUS } else { QUOTE }) };
    let safe = safe.cast_exact::<PyString>().ok()?.to_str().ok()?;
    let allowed = sets::RFC3986_UNRESERVED.union(ByteSet::of(safe.as_bytes()).intersection(ByteSet::ASCII));
    let encoder = Encoder::new(allowed);
    Some(if plus { encoder.space_to_plus() } else { encoder })
}

/// Encodes a `str` or a `bytes`. Returns `None` for all other types, and for text with lone surrogates.
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

/// Implements `quote` and `quote_plus` for the encoding UTF-8.
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

/// Decodes a `str` or `bytes` to UTF-8 text, with U+FFFD for invalid bytes. Returns `None` for all other types, and for
/// text with lone surrogates.
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

/// Converts `bytes` from UTF-8 to a `str`. Every maximal ill-formed part becomes U+FFFD.
fn from_utf8<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    // A Python string stores all characters in 1, 2 or 4 bytes each. If Python decodes UTF-8, it starts with 1 byte per
    // character, and copies the text to a wider form when it meets a character that needs more. If Python gets all
    // characters at once, it first chooses the right form.
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
        // SAFETY: outside Windows a `wchar_t` has 32 bits, as a `char` has, and the array has `len` of them. The result
        // is a new reference to a `str`, or null.
        return unsafe { owned_str(py, ffi::PyUnicode_FromWideChar(chars.as_ptr().cast(), len)) };
    }
    // SAFETY: the slice has `bytes.len()` bytes, at most `isize::MAX`. The result is a new reference to a `str`, or null.
    unsafe {
        owned_str(py, ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), bytes.len() as isize, c"replace".as_ptr()))
    }
}

/// Takes ownership of a new `str`.
///
/// # Safety
///
/// `text` is an owned reference to an object that is a `str`, or null with an exception set.
unsafe fn owned_str(py: Python<'_>, text: *mut ffi::PyObject) -> PyResult<Bound<'_, PyString>> {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe { Ok(Bound::from_owned_ptr_or_err(py, text)?.cast_into_unchecked()) }
}

/// Implements `unquote` and `unquote_plus` for the encoding UTF-8 with U+FFFD for invalid bytes.
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

    /// Appends a name or a value. Returns `false` if urllib must handle its type.
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

    /// Appends all pairs of `query`. Returns `false` if urllib must handle the query.
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
        if value.len()? == 0 {
            // urllib quotes the name even if there is no value for it, so the name must be valid.
            let end = self.out.len();
            let is_done = self.append(name)?;
            self.out.truncate(end);
            return Ok(is_done);
        }
        for value in value.try_iter()? {
            if !self.push(name, &value?)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns true if we know two things about the object: `str()` on the object has no side effect, and if the object
/// isn't a string, `len()` on it is an error.
fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_none()
}

/// The options for parsing a query string of UTF-8 pairs with `&` between them.
struct QueryOptions {
    keep_blank_values: bool,
}

impl QueryOptions {
    /// Takes the arguments of `parse_qsl` and `parse_qs`. Returns `None` if urllib must handle them.
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
            && strict_parsing.is_true()? == Some(false);
        let keep_blank_values = keep_blank_values.is_true()?;
        Ok(keep_blank_values.filter(|_| usual).map(|keep_blank_values| QueryOptions { keep_blank_values }))
    }

    /// Calls `each` with every pair of the query string `qs`. Returns `false` if urllib must handle the string.
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

shortcuts! {
    quote encodes_to_itself QUOTE;
    // The set has no space. So a string that this encoder leaves unchanged has no space that must become a `+`.
    quote_plus encodes_to_itself Encoder::new(sets::RFC3986_UNRESERVED);
    unquote decodes_to_itself LENIENT.as_checked();
    unquote_plus decodes_to_itself WITH_PLUS.as_checked();
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
        // If `bs` is text, urllib raises the error.
        match encoder(&safe, false) {
            Some(encoder) if bs.is_exact_instance_of::<PyBytes>() => encoded(&encoder, bs)?,
            _ => None,
        }
    }

    /// Replaces %XX escapes by their characters, like urllib.parse.unquote.
    fn unquote(string, encoding, errors) "(string, encoding='utf-8', errors='replace')" {
        unquoted(string, &encoding, &errors, &LENIENT)?
    }

    /// Like unquote, but also replaces plus signs by spaces, like urllib.parse.unquote_plus.
    fn unquote_plus(string, encoding, errors) "(string, encoding='utf-8', errors='replace')" {
        // If `string` is bytes, urllib raises the error.
        if string.is_exact_instance_of::<PyString>() {
            unquoted(string, &encoding, &errors, &WITH_PLUS)?
        } else {
            None
        }
    }

    /// Replaces %XX escapes by their bytes, like urllib.parse.unquote_to_bytes.
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
            && let Some(sequences) = doseq.is_true()?
        {
            let mut pairs = Pairs { encoder, out: String::new() };
            let done = pairs.push_all(query, sequences)?;
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
