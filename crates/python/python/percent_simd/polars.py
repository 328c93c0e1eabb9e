"""``pl.col("url").pct``: percent-encoding for expressions and series of Polars. Importing this module registers it.

>>> import polars as pl
>>> import percent_simd.polars
>>> frame = pl.DataFrame({"url": ["/caf%C3%A9?q=1+1", None, "/100%?r=2"]})
>>> frame.select(pl.col("url").pct.decode()).to_series().to_list()
['/café?q=1+1', None, '/100%?r=2']
>>> frame.lazy().select(pl.col("url").pct.query_param("q")).collect().to_series().to_list()
['1 1', None, None]
"""

from __future__ import annotations

from typing import Any, Callable, Literal

import polars as pl

from . import decode_array, encode_array, normalize_array, parse_query, query_param

__all__ = ["ExprNamespace", "SeriesNamespace"]

_PAIRS = pl.List(pl.Struct({"name": pl.String, "value": pl.String}))


class _Operations:
    """The operations, each by way of ``_apply``: a function of columns, and the type of its result unless it is the input's."""

    def _apply(self, function: Callable[..., Any], dtype: pl.DataType | None = None, **options: Any) -> Any:
        raise NotImplementedError

    def decode(self, *, errors: Literal["keep", "null", "strict", "replace"] = "keep", plus: bool = False) -> Any:
        """Decodes each row; see ``percent_simd.decode_array``."""
        return self._apply(decode_array, errors=errors, plus=plus)

    def encode(self, allowed: Any = None, *, plus: bool = False) -> Any:
        """Encodes each row, but for the characters of ``allowed``; see ``percent_simd.encode_array``."""
        return self._apply(encode_array, allowed=allowed, plus=plus)

    def normalize(self) -> Any:
        """The normal form of each row, a URI; see ``percent_simd.normalize_array``."""
        return self._apply(normalize_array)

    def query_param(self, name: str) -> Any:
        """The value of the first query parameter called ``name`` of each row, a URL, or null."""
        return self._apply(query_param, name=name)

    def parse_query(self) -> Any:
        """The query parameters of each row, a URL, as a list of structs of name and value."""
        return self._apply(parse_query, dtype=_PAIRS)


def _series(function: Callable[..., Any], series: pl.Series, dtype: pl.DataType | None, options: dict[str, Any]) -> pl.Series:
    result = pl.Series(series.name, function(series, **options))
    wanted = dtype or series.dtype
    return result if result.dtype == wanted else result.cast(wanted)


@pl.api.register_series_namespace("pct")
class SeriesNamespace(_Operations):
    """``series.pct``"""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def _apply(self, function: Callable[..., Any], dtype: pl.DataType | None = None, **options: Any) -> pl.Series:
        return _series(function, self._series, dtype, options)


@pl.api.register_expr_namespace("pct")
class ExprNamespace(_Operations):
    """``expression.pct``"""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def _apply(self, function: Callable[..., Any], dtype: pl.DataType | None = None, **options: Any) -> pl.Expr:
        return self._expression.map_batches(
            lambda series: _series(function, series, dtype, options), return_dtype=dtype, is_elementwise=True
        )
