//! The Python module `percent_simd._native`: a thin layer over the crate `percent-simd`.
//!
//! Each function of `urllib.parse` has a fast path for the usual types: `str` and `bytes` themselves (not subclasses)
//! with the default encoding. For any other argument that urllib accepts, the fast function calls urllib's original. So
//! the results cannot differ for these arguments.

mod arrow;
mod codec;
mod column;
mod export;
mod fault;
mod form;
mod http;
mod import;
mod index;
mod input;
mod list;
mod nested;
mod operation;
mod polars;
mod shortcut;
mod standards;
mod stream;
mod text;
mod urllib;
mod values;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[global_allocator]
static ALLOCATOR: percent_simd_host::Reserve = percent_simd_host::Reserve;

#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::arrow::{Array, ChunkedArray};
    #[pymodule_export]
    use super::codec::{ByteSet, Decoder, Encoder, set_names};
    #[pymodule_export]
    use super::column::{
        decode_array, encode_array, file_url_to_path_array, iri_to_uri_array, normalize_array, parse_query, parse_url,
        path_to_file_url_array, query_map, query_param, redact_array, repair_array, requote_array, sort_query_array,
        sql_decode, uri_to_iri_array,
    };
    #[pymodule_export]
    use super::form::{parse_form, serialize_form};
    #[pymodule_export]
    use super::http::{
        build_baggage, build_content_disposition, parse_baggage, parse_content_disposition, unescape_multipart,
    };
    #[pymodule_export]
    use super::input::texts;
    #[pymodule_export]
    use super::nested::{parse_nested, serialize_nested};
    #[pymodule_export]
    use super::standards::{
        canonical_query, file_url_to_path, iri_to_uri, normalize, normalize_path, path_to_file_url, redact, repair,
        requote, sort_query, split_target, uri_to_iri,
    };
    #[pymodule_export]
    use super::stream::{IncrementalDecoder, IncrementalEncoder};
    #[pymodule_export]
    use super::urllib::{
        parse_qs, parse_qsl, quote, quote_from_bytes, quote_plus, unquote, unquote_plus, unquote_to_bytes, urlencode,
    };
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        percent_simd_host::quiet();
        // pyo3 creates this type when it takes its first exception, and panics if there is no memory then. So create it
        // now.
        module.py().get_type::<pyo3::panic::PanicException>();
        // Each subinterpreter has its own `Sequence`. `PySequence::register` would use the class of the first interpreter.
        let sequence = module.py().import("collections.abc")?.getattr("Sequence")?;
        for class in [module.py().get_type::<Array>(), module.py().get_type::<ChunkedArray>()] {
            sequence.call_method1("register", (class,))?;
        }
        super::urllib::keep_originals(module.py())?;
        super::urllib::add_shortcuts(module)?;
        module.add("URL_FIELDS", PyTuple::new(module.py(), percent_simd_arrow::URL_FIELDS)?)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
