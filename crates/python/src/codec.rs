//! The package's own types: sets of bytes, encoders and decoders.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::hash::{DefaultHasher, Hash, Hasher};

use percent_simd::presets::{self, Preset};
use percent_simd::{CheckedDecoder, DecodeError, DecodeStream, Decoder as Lenient, EncodeStream, Plus};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PySlice, PyString, PyTuple};

use crate::fault::{decoded_or_raise, guarded, new_error, no_memory};
use crate::input::{Input, limit_of, option};
use crate::operation;
use crate::stream::{IncrementalDecoder, IncrementalEncoder};
use crate::text::{bytes_of, bytes_or_new, detached, new_bytes, new_pair, new_str, new_tuple, str_or_new};

/// The default of `max` in `decode_layers`.
const LAYERS: usize = 5;

/// A set of bytes, made from its characters or bytes. `|`, `&`, `-`, `^` and `~` combine sets.
///
/// A `str` that is the name of a set raises ValueError. Use `ByteSet.named(name)` for that set.
#[pyclass(frozen, eq, hash, from_py_object, module = "percent_simd")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ByteSet(percent_simd::ByteSet);

#[pymethods]
impl ByteSet {
    #[new]
    #[pyo3(signature = (members = None))]
    fn new(members: Option<Input<'_>>) -> PyResult<ByteSet> {
        members.map_or(Ok(ByteSet(percent_simd::ByteSet::EMPTY)), |members| Ok(ByteSet(members_of(&members)?)))
    }

    /// Returns the set that has this name in the catalogue, such as "RFC3986_SEGMENT" or "WHATWG_FORM".
    #[staticmethod]
    fn named(name: &str) -> PyResult<ByteSet> {
        Ok(ByteSet(preset(name)?.allowed))
    }

    fn __or__(&self, other: ByteSet) -> ByteSet {
        ByteSet(self.0 | other.0)
    }

    fn __and__(&self, other: ByteSet) -> ByteSet {
        ByteSet(self.0 & other.0)
    }

    fn __sub__(&self, other: ByteSet) -> ByteSet {
        ByteSet(self.0.difference(other.0))
    }

    fn __xor__(&self, other: ByteSet) -> ByteSet {
        ByteSet(self.0.union(other.0).difference(self.0.intersection(other.0)))
    }

    fn __invert__(&self) -> ByteSet {
        ByteSet(self.0.complement())
    }

    fn __contains__(&self, byte: Member) -> bool {
        self.0.contains(byte.0)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __bool__(&self) -> bool {
        !self.0.is_empty()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        new_bytes(py, &self.0.iter().collect::<Vec<_>>())
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        guarded(|| new_str(py, &self.text(py)?))
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let bytes = self.__bytes__(py)?;
            new_tuple!(py, bytes)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, ByteSet>) -> PyResult<Bound<'py, PyTuple>> {
        new_pair(&slf.get_type(), &slf.get().__getnewargs__(slf.py())?)
    }
}

impl ByteSet {
    /// Returns the Python expression for this set.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("ByteSet({})", self.__bytes__(py)?.repr()?))
    }
}

/// A byte, given as an integer, or as a `str` or `bytes` with one element.
pub(crate) struct Member(u8);

impl<'py> FromPyObject<'_, 'py> for Member {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Member> {
        if let Ok(byte) = object.extract::<u8>() {
            return Ok(Member(byte));
        }
        match object.extract::<Input<'_>>()?.as_bytes()? {
            [byte] => Ok(Member(*byte)),
            _ => Err(new_error::<PyTypeError>("expected a byte: an integer below 256, or one ASCII character")),
        }
    }
}

fn preset(name: &str) -> PyResult<&'static Preset> {
    operation::preset(name).map_err(new_error::<PyValueError>)
}

/// Returns the error for a call that passes both `allowed` and `set`, or that needs one of them and passes neither.
pub(crate) fn two_sets() -> PyErr {
    new_error::<PyTypeError>("pass either allowed, the characters that stay, or set, the name of a set")
}

/// Returns the set of these characters or bytes. A `str` that is the name of a set is an error, because its author most
/// likely means the set of that name. `bytes` are never a name.
fn members_of(members: &Input<'_>) -> PyResult<percent_simd::ByteSet> {
    if let Input::Text(text) = members
        && let Some(entry) = presets::by_name(text.to_str()?)
    {
        let name = entry.name;
        return Err(new_error::<PyValueError>(format!(
            "{text:?} is the name of a set: write ByteSet.named(\"{name}\") for that set, or bytes for a set of \
             these characters"
        )));
    }
    Ok(percent_simd::ByteSet::of(members.as_bytes()?))
}

/// An argument that stands for a set: a `ByteSet`, or a `str` or `bytes` with the members of the set.
#[derive(Clone, Copy)]
pub(crate) struct Set(pub(crate) percent_simd::ByteSet);

impl<'py> FromPyObject<'_, 'py> for Set {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Set> {
        if let Ok(set) = object.extract::<ByteSet>() {
            return Ok(Set(set.0));
        }
        Ok(Set(members_of(&object.extract()?)?))
    }
}

fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a call that makes a copy of `object`, for pickles of every protocol. Protocols before 2 don't use
/// `__getnewargs_ex__`.
fn reduced<'py, T>(object: &Bound<'py, T>, arguments: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    guarded(|| {
        let py = object.py();
        let (class, args, kwargs) = (object.as_any().get_type(), arguments.get_item(0)?, arguments.get_item(1)?);
        new_pair(&py.import("copyreg")?.getattr("__newobj_ex__")?, &new_tuple!(py, class, args, kwargs)?)
    })
}

/// Percent-encodes text or bytes. Bytes of `allowed` stay, and every other byte becomes a triplet.
///
/// Instead of `allowed`, you can pass `set`: the name of a set or of a preset, such as "RFC3986_PATH" or
/// "PY_QUOTE_PLUS". `set_names()` lists the names. A preset sets its own options too.
#[pyclass(frozen, eq, module = "percent_simd")]
#[derive(PartialEq)]
pub(crate) struct Encoder {
    encoder: percent_simd::Encoder,
    allowed: percent_simd::ByteSet,
    lowercase: bool,
    space_to_plus: bool,
    keep_triplets: bool,
}

impl Encoder {
    pub(crate) fn stream(&self) -> EncodeStream {
        self.encoder.stream()
    }
}

#[pymethods]
impl Encoder {
    #[new]
    #[pyo3(signature = (allowed = None, *, set = None, lowercase = false, space_to_plus = false, keep_triplets = false))]
    fn new(
        #[pyo3(from_py_with = option::allowed)] allowed: Option<Set>,
        #[pyo3(from_py_with = option::set)] set: Option<&str>,
        #[pyo3(from_py_with = option::lowercase)] mut lowercase: bool,
        #[pyo3(from_py_with = option::space_to_plus)] mut space_to_plus: bool,
        #[pyo3(from_py_with = option::keep_triplets)] mut keep_triplets: bool,
    ) -> PyResult<Encoder> {
        let allowed = match (allowed, set) {
            (Some(allowed), None) => allowed.0,
            (None, Some(name)) => {
                let preset = preset(name)?;
                lowercase |= preset.lowercase;
                space_to_plus |= preset.space_to_plus;
                keep_triplets |= preset.keep_triplets;
                preset.allowed
            }
            _ => return Err(two_sets()),
        };
        let mut encoder = percent_simd::Encoder::new(allowed);
        if lowercase {
            encoder = encoder.lowercase();
        }
        if space_to_plus {
            encoder = encoder.space_to_plus();
        }
        if keep_triplets {
            encoder = encoder.keep_triplets();
        }
        Ok(Encoder { encoder, allowed, lowercase, space_to_plus, keep_triplets })
    }

    #[getter]
    fn allowed(&self) -> ByteSet {
        ByteSet(self.allowed)
    }

    /// Encodes text (as UTF-8) or bytes. If `data` is a `str` that would not change, returns the same object.
    fn encode<'py>(&self, py: Python<'py>, data: Input<'py>) -> PyResult<Bound<'py, PyString>> {
        let encoded = detached(py, data.as_bytes()?, |src| self.encoder.try_encode(src)).map_err(no_memory)?;
        match &data {
            Input::Text(text) => str_or_new(text, encoded),
            Input::Bytes(_) => new_str(py, &encoded),
        }
    }

    /// Returns True if encoding would change `data`.
    fn needs_encoding(&self, data: Input<'_>) -> PyResult<bool> {
        Ok(self.encoder.first_changed(data.as_bytes()?).is_some())
    }

    /// Returns an encoder for input in chunks.
    fn incremental(&self) -> IncrementalEncoder {
        IncrementalEncoder::new(self.stream())
    }

    fn __hash__(&self) -> u64 {
        hash_of(&(self.allowed.words(), self.lowercase, self.space_to_plus, self.keep_triplets))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let kwargs = PyDict::new(py);
            kwargs.set_item("lowercase", self.lowercase)?;
            kwargs.set_item("space_to_plus", self.space_to_plus)?;
            kwargs.set_item("keep_triplets", self.keep_triplets)?;
            let set = ByteSet(self.allowed).into_pyobject(py)?;
            new_pair(&new_tuple!(py, set)?, &kwargs)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Encoder>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(slf, &slf.get().__getnewargs_ex__(slf.py())?)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let mut text = format!("Encoder({}", guarded(|| ByteSet(self.allowed).text(py))?);
        for (set, name) in [
            (self.lowercase, "lowercase"),
            (self.space_to_plus, "space_to_plus"),
            (self.keep_triplets, "keep_triplets"),
        ] {
            if set {
                text += &format!(", {name}=True");
            }
        }
        new_str(py, &(text + ")"))
    }
}

enum AnyDecoder {
    Lenient(Lenient),
    Checked(CheckedDecoder),
}

/// Percent-decodes text or bytes.
///
/// A malformed `%` is kept, or raises an error with its offset if `strict` is set. Triplets of the bytes in `keep` stay
/// as they are. If `keep` has `%`, decoding makes no new triplets either: `%%41%41` stays. Triplets of the bytes in
/// `reject` are errors. `plus` says which `+` become spaces: "never" (no `+`), "always" (every `+`) or "after_query" (every `+`
/// after the first `?`).
#[pyclass(frozen, eq, module = "percent_simd")]
pub(crate) struct Decoder {
    decoder: AnyDecoder,
    options: Options,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Options {
    strict: bool,
    keep: [u64; 4],
    reject: [u64; 4],
    plus: String,
}

impl PartialEq for Decoder {
    fn eq(&self, other: &Decoder) -> bool {
        self.options == other.options
    }
}

impl Decoder {
    fn try_decode<'a>(&self, src: &'a [u8]) -> Result<Result<Cow<'a, [u8]>, DecodeError>, TryReserveError> {
        match &self.decoder {
            AnyDecoder::Lenient(decoder) => decoder.try_decode(src).map(Ok),
            AnyDecoder::Checked(decoder) => decoder.try_decode(src),
        }
    }

    pub(crate) fn stream(&self, by_line: bool) -> DecodeStream {
        let stream = match &self.decoder {
            AnyDecoder::Lenient(decoder) => decoder.stream(),
            AnyDecoder::Checked(decoder) => decoder.stream(),
        };
        if by_line { stream.by_line() } else { stream }
    }
}

#[pymethods]
impl Decoder {
    #[new]
    #[pyo3(signature = (*, strict = false, keep = None, reject = None, plus = "never"))]
    fn new(
        #[pyo3(from_py_with = option::strict)] strict: bool,
        #[pyo3(from_py_with = option::keep)] keep: Option<Set>,
        #[pyo3(from_py_with = option::reject)] reject: Option<Set>,
        #[pyo3(from_py_with = option::plus)] plus: &str,
    ) -> PyResult<Decoder> {
        let words = |set: Option<Set>| set.map_or([0; 4], |set| set.0.words());
        let options = Options { strict, keep: words(keep), reject: words(reject), plus: plus.into() };
        let plus = match plus {
            "never" => Plus::Never,
            "always" => Plus::Always,
            "after_query" => Plus::AfterQuery,
            _ => {
                return Err(new_error::<PyValueError>(format!(
                    "plus is \"never\", \"always\" or \"after_query\", not {plus:?}"
                )));
            }
        };
        let mut decoder = Lenient::new().plus(plus);
        if let Some(keep) = keep.filter(|keep| !keep.0.is_empty()) {
            decoder = decoder.keep(keep.0);
        }
        let decoder = match reject.filter(|reject| !reject.0.is_empty()) {
            Some(reject) if strict => AnyDecoder::Checked(decoder.strict().reject(reject.0)),
            Some(reject) => AnyDecoder::Checked(decoder.reject(reject.0)),
            None if strict => AnyDecoder::Checked(decoder.strict()),
            None => AnyDecoder::Lenient(decoder),
        };
        Ok(Decoder { decoder, options })
    }

    /// Decodes to bytes. If `data` is a `bytes` that would not change, returns the same object.
    fn decode<'py>(&self, py: Python<'py>, data: Input<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let decoded = detached(py, data.as_bytes()?, |src| self.try_decode(src));
        guarded(|| {
            let decoded = decoded_or_raise(py, decoded)?;
            match &data {
                Input::Bytes(bytes) => bytes_or_new(bytes, decoded),
                Input::Text(_) => new_bytes(py, &decoded),
            }
        })
    }

    /// Decodes to text. Invalid UTF-8 is an error, or becomes U+FFFD if `errors` is "replace".
    #[pyo3(signature = (data, errors = "strict"))]
    fn decode_str<'py>(
        &self,
        py: Python<'py>,
        data: Input<'py>,
        #[pyo3(from_py_with = option::errors)] errors: &str,
    ) -> PyResult<Bound<'py, PyString>> {
        let lossy = match errors {
            "strict" => false,
            "replace" => true,
            _ => return Err(new_error::<PyValueError>(format!("errors is \"strict\" or \"replace\", not {errors:?}"))),
        };
        let decoded = detached(py, data.as_bytes()?, |src| match (&self.decoder, lossy) {
            (AnyDecoder::Lenient(decoder), false) => decoder.as_checked().try_decode_utf8(src),
            (AnyDecoder::Lenient(decoder), true) => decoder.as_checked().try_decode_utf8_lossy(src),
            (AnyDecoder::Checked(decoder), false) => decoder.try_decode_utf8(src),
            (AnyDecoder::Checked(decoder), true) => decoder.try_decode_utf8_lossy(src),
        });
        guarded(|| {
            let decoded = decoded_or_raise(py, decoded)?;
            match &data {
                Input::Text(text) => str_or_new(text, decoded),
                Input::Bytes(_) => new_str(py, &decoded),
            }
        })
    }

    /// Decodes repeatedly, until the data no longer changes or `max` layers are decoded. Returns the bytes and the
    /// number of decoded layers.
    #[pyo3(signature = (data, max = None), text_signature = "($self, data, max=5)")]
    fn decode_layers<'py>(
        &self,
        py: Python<'py>,
        data: Input<'py>,
        max: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let max = limit_of("max", max)?.unwrap_or(LAYERS);
        let layers = detached(py, data.as_bytes()?, |src| match &self.decoder {
            AnyDecoder::Lenient(decoder) => decoder.as_checked().try_decode_layers(src, max),
            AnyDecoder::Checked(decoder) => decoder.try_decode_layers(src, max),
        });
        guarded(|| {
            let layers = decoded_or_raise(py, layers)?;
            new_pair(&new_bytes(py, &layers.bytes)?, &layers.layers.into_pyobject(py)?)
        })
    }

    /// Decodes a bytearray in place. Each decoded triplet makes the array two bytes shorter. After an error, the array
    /// is unchanged.
    fn decode_in_place(&self, array: &Bound<'_, PyByteArray>) -> PyResult<()> {
        let py = array.py();
        let data = bytes_of(array)?;
        // Keep the interpreter's lock. Otherwise another thread could append to the array now, and this call would drop the bytes.
        let decoded = self.try_decode(data.as_bytes());
        guarded(|| match decoded_or_raise(py, decoded)? {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(decoded) => array.set_item(PySlice::full(py), new_bytes(py, &decoded)?),
        })
    }

    /// Returns a decoder for input in chunks. With `by_line`, "after_query" looks for the first `?` of each line.
    #[pyo3(signature = (*, by_line = false))]
    fn incremental(&self, #[pyo3(from_py_with = option::by_line)] by_line: bool) -> IncrementalDecoder {
        IncrementalDecoder::new(self.stream(by_line))
    }

    fn __hash__(&self) -> u64 {
        hash_of(&self.options)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        guarded(|| {
            let kwargs = PyDict::new(py);
            kwargs.set_item("strict", self.options.strict)?;
            kwargs.set_item("keep", ByteSet(percent_simd::ByteSet::from_words(self.options.keep)))?;
            kwargs.set_item("reject", ByteSet(percent_simd::ByteSet::from_words(self.options.reject)))?;
            kwargs.set_item("plus", &self.options.plus)?;
            new_pair(&PyTuple::empty(py), &kwargs)
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Decoder>) -> PyResult<Bound<'py, PyTuple>> {
        reduced(slf, &slf.get().__getnewargs_ex__(slf.py())?)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let set = |words| ByteSet(percent_simd::ByteSet::from_words(words)).text(py);
        let Options { strict, keep, reject, plus } = &self.options;
        let strict = if *strict { "True" } else { "False" };
        guarded(|| {
            let (keep, reject) = (set(*keep)?, set(*reject)?);
            new_str(py, &format!("Decoder(strict={strict}, keep={keep}, reject={reject}, plus={plus:?})"))
        })
    }
}

/// Returns the names that `ByteSet.named` accepts.
#[pyfunction]
pub(crate) fn set_names(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    guarded(|| {
        let names = PyList::empty(py);
        presets::CATALOGUE.iter().try_for_each(|entry| names.append(new_str(py, entry.name)?))?;
        Ok(names)
    })
}
