"""Functions for Spark. Each executor passes whole Arrow batches from the JVM to the codec and back.

>>> from percent_simd import spark  # doctest: +SKIP
>>> frame.select(spark.decode()("url"), spark.query_param("q")("url"))  # doctest: +SKIP

Each function below returns a user-defined function for one column of strings or of binary values (Spark 4.1 or newer).
With Spark 3.3 or newer, use ``map_in_arrow``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Literal

import pyarrow as pa

from . import decode_array, encode_array, normalize_array
from . import query_param as _query_param

if TYPE_CHECKING:
    from pyspark.sql import Column

__all__ = ["decode", "encode", "map_in_arrow", "normalize", "query_param"]

Operation = Callable[[Any], Any]


def _udf(operation: Operation, result: str) -> Callable[..., Column]:
    operation(pa.array([], pa.string()))  # raises the error for a wrong option here, not in an executor

    from pyspark.sql.functions import arrow_udf

    def batch(column: pa.Array) -> pa.Array:
        return pa.array(operation(column))

    return arrow_udf(batch, result)


def decode(
    *, errors: Literal["keep", "null", "strict", "replace"] = "keep", plus: bool = False, result: str = "string"
) -> Callable[..., Column]:
    """Decodes a column. ``result`` is the type of the result, "string" or "binary". If a row cannot be decoded, the job ends
    only if ``errors`` is "strict"; see ``percent_simd.decode_array``."""
    return _udf(lambda column: decode_array(column, errors=errors, plus=plus), result)


def encode(
    allowed: Any = None, *, set: str | None = None, plus: bool = False, result: str = "string"
) -> Callable[..., Column]:
    """Encodes a column. The characters of ``allowed``, or of the set called ``set``, stay; see
    ``percent_simd.encode_array``."""
    return _udf(lambda column: encode_array(column, allowed, set=set, plus=plus), result)


def normalize(*, result: str = "string") -> Callable[..., Column]:
    """Normalizes a column of URIs; see ``percent_simd.normalize_array``."""
    return _udf(normalize_array, result)


def query_param(name: str, *, result: str = "string") -> Callable[..., Column]:
    """For each URL of a column, returns the value of the first query parameter called ``name``, or null if there is none."""
    return _udf(lambda column: _query_param(column, name), result)


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
