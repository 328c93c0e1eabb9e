"""Percent-encoding (URL encoding) at memory speed.

The functions of ``urllib.parse`` under their own names, with equal results; and what urllib lacks: strict decoding with the
offset of the error, sets of bytes, layers, normalisation; and whole columns at once, in Arrow's memory layout.
"""

from types import TracebackType

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

_REPLACED = (
    "parse_qs",
    "parse_qsl",
    "quote",
    "quote_from_bytes",
    "quote_plus",
    "unquote",
    "unquote_plus",
    "unquote_to_bytes",
    "urlencode",
)


class patch_urllib:
    """Puts the functions of this package in the place of those of ``urllib.parse``, until ``undo()`` is called.

    As a context manager it is undone at the end of the block. Names that other modules have imported from ``urllib.parse``
    before are not affected.
    """

    def __init__(self) -> None:
        import urllib.parse

        self._before = {name: getattr(urllib.parse, name) for name in _REPLACED}
        for name in _REPLACED:
            setattr(urllib.parse, name, globals()[name])

    def undo(self) -> None:
        """Puts the functions back that were there before."""
        import urllib.parse

        for name, function in self._before.items():
            setattr(urllib.parse, name, function)
        self._before = {}

    def __enter__(self) -> "patch_urllib":
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        traceback: "TracebackType | None",
    ) -> None:
        self.undo()
