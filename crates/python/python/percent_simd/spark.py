"""Functions for Spark. Each executor passes whole Arrow batches from the JVM to the codec and back.

>>> from percent_simd import spark  # doctest: +SKIP
>>> frame.select(spark.decode()("url"), spark.query_param("q")("url"))  # doctest: +SKIP

Each function below returns a user-defined function for one column of strings or of binary values (Spark 4.1 or newer).
``register(session)`` makes functions with usual options known to SQL. With Spark 3.3 or newer, use ``map_in_arrow``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from . import _native
from ._errors import ColumnError, EncodeErrors, Errors

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession
    from typing_extensions import Buffer

    from . import ByteSet

__all__ = [
    "decode",
    "encode",
    "map_in_arrow",
    "normalize",
    "parse_query",
    "parse_url",
    "query_param",
    "redact",
    "register",
    "repair",
    "sort_query",
]

Operation = Callable[[Any], Any]
# Spark's types of results that are neither text nor bytes.
_PAIRS = "array<struct<name:string,value:string>>"
_PARTS = f"struct<{','.join(f'{name}:string' for name in _native.URL_FIELDS)}>"


def _udf(operation: Operation, result: str) -> Callable[..., Column]:
    operation(pa.array([], pa.string()))  # raises the error for a wrong option here, not in an executor

    from pyspark.sql.functions import arrow_udf

    def batch(column: pa.Array) -> pa.Array:
        return pa.array(operation(column))

    udf: Callable[..., Column] = arrow_udf(batch, result)
    return udf


def decode(
    *,
    errors: Errors = "keep",
    plus: bool = False,
    keep: ByteSet | str | Buffer | None = None,
    reject: ByteSet | str | Buffer | None = None,
    layers: int = 1,
    charset: str | None = None,
    detect: bool = False,
    result: str = "string",
) -> Callable[..., Column]:
    """Decodes a column. If a row cannot be decoded, the job ends only if ``errors`` is "strict"; see
    ``percent_simd.decode_array``.

    With ``result="binary"``, each row is decoded to bytes. Spark's ``url_decode`` reads ``+`` as a space, and fails on a
    malformed escape. If no escape is malformed, ``decode(plus=True, errors="replace")`` has the same result.
    """
    options: dict[str, Any] = {"errors": errors, "plus": plus, "keep": keep, "reject": reject}
    options |= {"layers": layers, "charset": charset, "detect": detect}

    def operation(column: pa.Array) -> Any:
        if result == "binary" and not charset:
            column = column.cast({pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}.get(column.type, column.type))
        return _native.decode_array(column, **options)

    return _udf(operation, result)


def encode(
    allowed: ByteSet | str | Buffer | None = None,
    *,
    set: str | None = None,
    plus: bool = False,
    charset: str | None = None,
    errors: EncodeErrors = "strict",
    result: str = "string",
) -> Callable[..., Column]:
    """Encodes a column. The characters of ``allowed``, or of the set called ``set``, stay; see
    ``percent_simd.encode_array``."""
    options: dict[str, Any] = {"set": set, "plus": plus, "charset": charset, "errors": errors}
    return _udf(lambda column: _native.encode_array(column, allowed, **options), result)


def normalize(*, result: str = "string") -> Callable[..., Column]:
    """Normalizes a column of URIs; see ``percent_simd.normalize_array``."""
    return _udf(_native.normalize_array, result)


def redact(*, result: str = "string") -> Callable[..., Column]:
    """Replaces passwords by ``***``; see ``percent_simd.redact``."""
    return _udf(_native.redact_array, result)


def repair(*, result: str = "string") -> Callable[..., Column]:
    """Repairs a column of links; see ``percent_simd.repair``."""
    return _udf(_native.repair_array, result)


def sort_query(*, drop: Iterable[str] = (), result: str = "string") -> Callable[..., Column]:
    """Sorts the queries of a column of URLs; see ``percent_simd.sort_query``."""
    names = _native._texts("drop", drop)
    return _udf(lambda column: _native.sort_query_array(column, drop=names), result)


def query_param(name: str, *, all: bool = False, result: str | None = None) -> Callable[..., Column]:
    """For each URL of a column, returns the value of the first query parameter called ``name``, or null if there is none.
    With ``all``, returns the list of the values of all parameters with this name."""
    result = result or ("array<string>" if all else "string")
    return _udf(lambda column: _native.query_param(column, name, all=all), result)


def parse_query() -> Callable[..., Column]:
    """For each URL of a column, returns its query parameters as an array of structs with name and value."""
    return _udf(_native.parse_query, _PAIRS)


def parse_url() -> Callable[..., Column]:
    """Splits each URL of a column to a struct; see ``percent_simd.parse_url``."""
    return _udf(_native.parse_url, _PARTS)


def _with_option(operation: Callable[[Any, str], Any], default: str | None) -> Callable[..., Column]:
    """Returns a function of two columns: the values, and an option for each value. Neighbouring rows with equal options
    are run together. If ``default`` is None, the option must be passed."""
    operation(pa.array([], pa.string()), default or "")  # raises an error of this package here, not in an executor

    from pyspark.sql.functions import arrow_udf

    def batch(*columns: pa.Array) -> pa.Array:
        if len(columns) == 1:
            if default is None:
                raise ValueError("the second argument is missing: url_param takes a URL and the name of a parameter")
            return pa.array(operation(columns[0], default))
        column, options = columns
        texts = options.to_pylist()
        parts = [pa.array([], column.type)]
        for option, group in itertools.groupby(range(len(texts)), texts.__getitem__):
            rows = list(group)
            part = column.slice(rows[0], len(rows))
            try:
                parts.append(pa.nulls(len(part), part.type) if option is None else pa.array(operation(part, option)))
            except ColumnError as error:
                # The number of the row counts from the start of the part.
                raise ColumnError(error.reason, error.offset, error.kind, rows[0] + error.row, error.value) from None
        return pa.concat_arrays(parts)

    udf: Callable[..., Column] = arrow_udf(batch, "string")
    return udf


def _part(name: str) -> Callable[..., Column]:
    """Returns a function for a part of each URL."""
    return _udf(lambda column: pc.struct_field(pa.array(_native.parse_url(column)), name), "string")


def register(session: SparkSession) -> None:
    """Makes functions known to SQL. docs/columns.md describes them: pct_decode, try_pct_decode, pct_decode_blob, pct_encode,
    pct_normalize, pct_redact, pct_repair, url_domain, url_host, url_param, url_params, url_parse, url_query and
    url_sort_query. Each takes a column of strings."""
    functions = {
        "pct_decode": _with_option(_native._sql_decode, ""),
        "try_pct_decode": decode(errors="null"),
        "pct_decode_blob": decode(result="binary"),
        "pct_encode": _with_option(lambda column, set: _native.encode_array(column, set=set), "rfc3986-unreserved"),
        "pct_normalize": normalize(),
        "pct_redact": redact(),
        "pct_repair": repair(),
        "url_domain": _part("domain"),
        "url_host": _part("host"),
        "url_param": _with_option(_native.query_param, None),
        "url_params": parse_query(),
        "url_parse": parse_url(),
        "url_query": _udf(_native._query_map, "map<string,string>"),
        "url_sort_query": sort_query(),
    }
    for name, function in functions.items():
        session.udf.register(name, function)


def map_in_arrow(columns: dict[str, Operation]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Returns a function for ``DataFrame.mapInArrow``. It applies an operation to each named column, as in
    ``{"url": decode_array}``, and keeps the other columns."""

    def batches(stream: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in stream:
            for name in columns.keys() - set(batch.schema.names):
                raise ValueError(f"no column is called {name!r}; the columns are {', '.join(batch.schema.names)}")
            arrays = [
                pa.array(columns[name](column)) if name in columns else column
                for name, column in zip(batch.schema.names, batch.columns)
            ]
            yield pa.RecordBatch.from_arrays(arrays, schema=batch.schema)

    return batches
