"""Adds ``pl.col("url").pct``: percent-encoding for expressions and series of Polars. Importing this module registers it.

The operations are a plugin. Polars calls it from its own threads, without the interpreter's lock and without a copy.

>>> import polars as pl
>>> import percent_simd.polars
>>> frame = pl.DataFrame({"url": ["/caf%C3%A9?q=1+1", None, "/100%?r=2"]})
>>> frame.select(pl.col("url").pct.decode()).to_series().to_list()
['/café?q=1+1', None, '/100%?r=2']
>>> frame.lazy().select(pl.col("url").pct.query_param("q")).collect().to_series().to_list()
['1 1', None, None]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from polars.plugins import register_plugin_function

from . import ByteSet, Encoder, _native

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ExprNamespace", "SeriesNamespace"]

_LIBRARY = Path(_native.__file__)


@pl.api.register_expr_namespace("pct")
class ExprNamespace:
    """The operations of ``expression.pct``."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def _plugin(self, operation: str, **options: Any) -> pl.Expr:
        return register_plugin_function(
            plugin_path=_LIBRARY,
            function_name="pct",
            args=self._expression,
            kwargs={"operation": operation, **options},
            is_elementwise=True,
        )

    def decode(self, *, errors: Literal["keep", "null", "strict", "replace"] = "keep", plus: bool = False) -> pl.Expr:
        """Decodes each row; see ``percent_simd.decode_array``."""
        return self._plugin("decode", errors=errors, plus=plus)

    def encode(self, allowed: ByteSet | str | Buffer | None = None, *, plus: bool = False) -> pl.Expr:
        """Encodes each row. The characters of ``allowed`` stay; see ``percent_simd.encode_array``."""
        kept = ByteSet.named("RFC3986_UNRESERVED") if allowed is None else Encoder(allowed).allowed
        return self._plugin("encode", allowed=list(bytes(kept)), plus=plus)

    def normalize(self) -> pl.Expr:
        """Normalizes each row as a URI; see ``percent_simd.normalize_array``."""
        return self._plugin("normalize")

    def query_param(self, name: str) -> pl.Expr:
        """Reads each row as a URL. Returns the value of its first query parameter called ``name``, or null if there is none."""
        return self._plugin("query_param", name=name)

    def parse_query(self) -> pl.Expr:
        """Reads each row as a URL, and returns its query parameters as a list of structs with name and value."""
        return self._plugin("parse_query")


@pl.api.register_series_namespace("pct")
class SeriesNamespace:
    """The operations of ``series.pct``: the same as those of ``expression.pct``."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series
        self._expression = ExprNamespace(pl.lit(series))

    def decode(self, *, errors: Literal["keep", "null", "strict", "replace"] = "keep", plus: bool = False) -> pl.Series:
        return self._run(self._expression.decode(errors=errors, plus=plus))

    def encode(self, allowed: ByteSet | str | Buffer | None = None, *, plus: bool = False) -> pl.Series:
        return self._run(self._expression.encode(allowed, plus=plus))

    def normalize(self) -> pl.Series:
        return self._run(self._expression.normalize())

    def query_param(self, name: str) -> pl.Series:
        return self._run(self._expression.query_param(name))

    def parse_query(self) -> pl.Series:
        return self._run(self._expression.parse_query())

    def _run(self, expression: pl.Expr) -> pl.Series:
        return pl.select(expression).to_series()
