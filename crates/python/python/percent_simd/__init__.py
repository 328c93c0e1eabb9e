"""Percent-encoding (URL encoding) at memory speed.

The package has the functions of ``urllib.parse`` under the same names, and their results are equal. It adds strict
decoding that reports the offset of an error, sets of bytes, layers, normalisation, and operations on whole columns in
Arrow's memory layout.
"""

from ._errors import DecodeError, UriError
from ._native import (
    Array,
    ByteSet,
    ChunkedArray,
    Decoder,
    Encoder,
    IncrementalDecoder,
    IncrementalEncoder,
    __version__,
    decode_array,
    encode_array,
    iri_to_uri,
    normalize,
    normalize_array,
    normalize_path,
    parse_form,
    parse_qs,
    parse_qsl,
    parse_query,
    query_param,
    quote,
    quote_from_bytes,
    quote_plus,
    requote,
    serialize_form,
    set_names,
    unquote,
    unquote_plus,
    unquote_to_bytes,
    uri_to_iri,
    urlencode,
)
from ._patch import patch_urllib
from ._streams import DecodingReader, iterdecode, iterencode
from ._target import RequestTarget, split_target

__all__ = [
    "Array",
    "ByteSet",
    "ChunkedArray",
    "DecodeError",
    "Decoder",
    "DecodingReader",
    "Encoder",
    "IncrementalDecoder",
    "IncrementalEncoder",
    "RequestTarget",
    "UriError",
    "decode_array",
    "encode_array",
    "iri_to_uri",
    "iterdecode",
    "iterencode",
    "normalize",
    "normalize_array",
    "normalize_path",
    "parse_form",
    "parse_qs",
    "parse_qsl",
    "parse_query",
    "patch_urllib",
    "query_param",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "requote",
    "serialize_form",
    "set_names",
    "split_target",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "uri_to_iri",
    "urlencode",
]
