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

import functools
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

import polars as pl
from polars.plugins import register_plugin_function

from . import ByteSet, Encoder, _native
from ._errors import ColumnError, EncodeErrors, Errors, PathErrors

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ExprNamespace", "SeriesNamespace", "column_error"]

_LIBRARY = Path(_native.__file__)


_FAULTY_ROW = re.compile(r'row (\d+) of its batch, (\w+) at byte (\d+): (.*) in "((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}


def column_error(error: BaseException) -> ColumnError | None:
    """Returns the ``ColumnError`` of a query that failed at a faulty row, or None if the query failed for another reason.

    ``error`` is the exception of Polars. Its message has the attributes of the ``ColumnError``. ``row`` counts from the start of
    the batch, because a plugin doesn't know where in the column its batch is.
    """
    found = _FAULTY_ROW.search(str(error))
    if not found:
        return None
    row, kind, offset, reason, value = found.groups()
    value = re.sub(r"\\(?:u\{(\w+)\}|(.))", lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), value)
    return ColumnError(reason, int(offset), kind, int(row), value)


# The options that are sets of characters.
_SETS = {"allowed", "keep", "protected", "reject"}


def _members(set: ByteSet | str | Buffer | None) -> bytes | None:
    return None if set is None else bytes(Encoder(set).allowed)


def _plain(value: Any) -> Any:
    """Returns an option in the form that the plugin reads: bytes are a list of numbers, and numbers have 64 bits."""
    if isinstance(value, bytes):
        return list(value)
    if hasattr(value, "item"):
        value = value.item()  # of a scalar of numpy
    return min(value, sys.maxsize) if isinstance(value, int) else value


@pl.api.register_expr_namespace("pct")
class ExprNamespace:
    """The operations of ``expression.pct``. A wrong option raises an error when the expression is built."""

    def __init__(self, expression: pl.Expr) -> None:
        self._expression = expression

    def _plugin(self, function: Callable[..., object], **options: Any) -> pl.Expr:
        """Returns the expression for a function of the package."""
        function([], **options)  # raises the error for a wrong option
        sets = {name: _members(options[name]) for name in _SETS & options.keys()}
        return self._registered(function.__name__, self._expression, **options | sets)

    def _registered(self, operation: str, *args: pl.Expr, **options: Any) -> pl.Expr:
        kwargs = {name: _plain(value) for name, value in options.items()}
        return register_plugin_function(
            plugin_path=_LIBRARY,
            function_name=operation,  # plans and errors show it
            args=args,
            kwargs={"operation": operation, **kwargs},
            is_elementwise=True,
        )

    def decode(
        self,
        *,
        errors: Errors = "keep",
        plus: bool = False,
        keep: ByteSet | str | Buffer | None = None,
        reject: ByteSet | str | Buffer | None = None,
        layers: int = 1,
        charset: str | None = None,
        detect: bool = False,
    ) -> pl.Expr:
        """Decodes each row; see ``percent_simd.decode_array``."""
        return self._plugin(
            _native.decode_array,
            errors=errors,
            plus=plus,
            keep=keep,
            reject=reject,
            layers=layers,
            charset=charset,
            detect=detect,
        )

    def encode(
        self,
        allowed: ByteSet | str | Buffer | None = None,
        *,
        set: str | None = None,
        plus: bool = False,
        charset: str | None = None,
        errors: EncodeErrors = "strict",
    ) -> pl.Expr:
        """Encodes each row. The characters of ``allowed``, or of the set called ``set``, stay; see
        ``percent_simd.encode_array``."""
        return self._plugin(
            _native.encode_array, allowed=allowed, set=set, plus=plus, charset=charset, errors=errors
        )

    def normalize(self) -> pl.Expr:
        """Normalizes each row as a URI; see ``percent_simd.normalize_array``."""
        return self._plugin(_native.normalize_array)

    def requote(self, allowed: ByteSet | str | Buffer, protected: ByteSet | str | Buffer | None = None) -> pl.Expr:
        """Requotes each row; see ``percent_simd.requote``."""
        return self._plugin(_native.requote_array, allowed=allowed, protected=protected)

    def repair(self) -> pl.Expr:
        """Repairs each row as a link; see ``percent_simd.repair``."""
        return self._plugin(_native.repair_array)

    def redact(self) -> pl.Expr:
        """Replaces the passwords of each row by ``***``; see ``percent_simd.redact``."""
        return self._plugin(_native.redact_array)

    def sort_query(self, *, drop: Iterable[str] = ()) -> pl.Expr:
        """Sorts the query of the URL in each row; see ``percent_simd.sort_query``."""
        return self._plugin(_native.sort_query_array, drop=_native._texts("drop", drop))

    def to_iri(self) -> pl.Expr:
        """Converts each row to an IRI for people to read; see ``percent_simd.uri_to_iri``."""
        return self._plugin(_native.uri_to_iri_array)

    def to_uri(self) -> pl.Expr:
        """Converts each row from an IRI to a URI; see ``percent_simd.iri_to_uri``."""
        return self._plugin(_native.iri_to_uri_array)

    def file_url_to_path(self, *, windows: bool | None = None, errors: PathErrors = "keep") -> pl.Expr:
        """Converts each row from a ``file:`` URL to a path; see ``percent_simd.file_url_to_path_array``."""
        return self._plugin(_native.file_url_to_path_array, windows=windows, errors=errors)

    def path_to_file_url(self, *, windows: bool | None = None, errors: PathErrors = "keep") -> pl.Expr:
        """Converts each row from a path to a ``file:`` URL; see ``percent_simd.path_to_file_url_array``."""
        return self._plugin(_native.path_to_file_url_array, windows=windows, errors=errors)

    def parse_url(self) -> pl.Expr:
        """Splits each row as a URL to a struct; see ``percent_simd.parse_url``."""
        return self._plugin(_native.parse_url)

    def query_param(self, name: str | Iterable[str] | pl.Expr, *, all: bool = False) -> pl.Expr:
        """Reads each row as a URL, and returns the value of a query parameter.

        - For a ``str``, returns the value of the first parameter with this name, or null. With ``all``, returns the list of
          the values of all parameters with this name.
        - For a list of ``str``, returns a struct with a field for each name.
        - For an expression, each row of ``name`` is the name for the same row.
        """
        if isinstance(name, pl.Series):
            name = pl.lit(name)
        if isinstance(name, pl.Expr):
            if all:
                raise TypeError("all needs one name, a str")
            return self._registered("query_param_by", self._expression, name)
        if not isinstance(name, str):
            name = _native._texts("name", name)
        _native.query_param([], name, all=all)  # raises the error for a wrong option
        if not isinstance(name, str):
            return self._registered("query_params", self._expression, names=name)
        return self._registered("query_values" if all else "query_param", self._expression, name=name)

    def parse_query(self) -> pl.Expr:
        """Reads each row as a URL, and returns its query parameters as a list of structs with name and value."""
        return self._plugin(_native.parse_query)


class _Direct(ExprNamespace):
    """Runs an operation on a series at once and without Polars."""

    def __init__(self, series: pl.Series) -> None:
        super().__init__(pl.lit(series))
        self._series = series

    def _plugin(self, function: Callable[..., object], **options: Any) -> pl.Expr:
        function(self._series, **options)
        return self._expression


@pl.api.register_series_namespace("pct")
class SeriesNamespace:
    """The operations of ``series.pct``: the same as those of ``expression.pct``.

    With ``errors="strict"``, a faulty row raises ``ColumnError``. In a query, Polars raises ``ComputeError``.
    """

    def __init__(self, series: pl.Series) -> None:
        self._series = series


def _of_series(method: Callable[..., pl.Expr]) -> Callable[..., pl.Series]:
    """Returns the method of ``series.pct`` for a method of ``expression.pct``."""

    @functools.wraps(method)
    def run(self: SeriesNamespace, *args: Any, **options: Any) -> pl.Series:
        try:
            return pl.select(method(ExprNamespace(pl.lit(self._series)), *args, **options)).to_series()
        except pl.exceptions.ComputeError as failure:
            # Polars passes on only the message. So run the operation again, for an error with attributes.
            try:
                method(_Direct(self._series), *args, **options)
            except ColumnError as error:
                raise error from None
            except Exception:
                raise failure from None
            raise

    return run


for _name, _method in list(vars(ExprNamespace).items()):
    if not _name.startswith("_"):
        setattr(SeriesNamespace, _name, _of_series(_method))
