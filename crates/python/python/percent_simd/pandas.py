"""Adds ``series.pct`` and ``index.pct``: percent-encoding for pandas. Importing this module registers it.

>>> import pandas as pd
>>> import percent_simd.pandas
>>> urls = pd.Series(["/caf%C3%A9?q=1+1", None, "/100%?r=2"])
>>> urls.pct.decode().tolist()
['/café?q=1+1', nan, '/100%?r=2']
>>> urls.pct.query_param("q").tolist()
['1 1', nan, nan]

Rows may be of any type of text or bytes: ``str``, ``object``, ``category``, or a type of pyarrow, in one chunk or in many. The
result has the same type, the same index, the same name and the same ``attrs``. An ordered category becomes unordered if two
of its values become one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

import numpy as np
import pandas as pd

from . import _native
from ._errors import ColumnError, EncodeErrors, Errors, PathErrors

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from . import ByteSet

__all__ = ["Accessor", "decode_series", "encode_series"]

Data = TypeVar("Data", pd.Series, pd.Index)


def _run(data: Data, operation: Callable[[Any], Any]) -> Data:
    """Runs an operation on columns over the rows of a series or an index."""
    dtype = data.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        # The categories become a dictionary, and each one is transformed once.
        codes, categories = data.array.codes, dtype.categories
        column: Any
        try:
            column, text_type = _dictionary(codes, categories.tolist()), _text_type(dtype)
        except (ColumnError, TypeError):
            # A category is not text, or has a lone surrogate. The rows matter: perhaps no row has this category, or ``errors``
            # allows the fault. If not, the error names the first row with this category.
            column, text_type = _rows(data), "category"
        result = operation(column)
        _, (data_type, parts) = result.__reduce__()
        if data_type[0] == "Dictionary":
            codes, texts = _codes(parts, codes.dtype), _native.Array._from_parts(data_type[2], parts[3][0]).to_pylist()
            ordered = dtype.ordered and len(texts) == len(categories)
            dtype = pd.CategoricalDtype(pd.Index(texts, dtype=categories.dtype), ordered)
            return _like(data, pd.Categorical.from_codes(codes, dtype=dtype))
        is_text = isinstance(data_type, str)
        return _like(data, result.to_pylist(), text_type if is_text else object)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        import pyarrow as pa

        column = data.array.__arrow_array__()
        result = pa.chunked_array(operation(column))
        stays = result.type == column.type or isinstance(dtype, pd.StringDtype) and pa.types.is_string(result.type)
        return _like(data, (dtype if stays else pd.ArrowDtype(result.type)).__from_arrow__(result))
    results = operation(_rows(data)).to_pylist()
    # A missing row stays the object that it is: None, nan or NA.
    missing = zip(data.tolist(), results, data.isna().tolist())
    results = [row if is_missing else result for row, result, is_missing in missing]
    has_lists = any(isinstance(result, (list, dict)) for result in results)
    return _like(data, results, object if has_lists else dtype)


def _dictionary(codes: Any, categories: list[Any]) -> _native.Array:
    """Returns the rows of a categorical as a dictionary."""
    _, (values_type, values) = _native.decode_array(categories, layers=0).__reduce__()
    data_type = ("Dictionary", codes.dtype.name.title(), values_type)
    validity = np.packbits(codes >= 0, bitorder="little").tobytes()
    return _native.Array._from_parts(data_type, (len(codes), validity, [codes.tobytes()], [values]))


def _codes(parts: tuple[Any, ...], dtype: Any) -> Any:
    """Returns the codes of a categorical from the parts of a dictionary."""
    length, validity, (keys,), _ = parts
    codes = np.frombuffer(keys, dtype)
    if validity is None:
        return codes
    return np.where(np.unpackbits(np.frombuffer(validity, np.uint8), count=length, bitorder="little"), codes, dtype.type(-1))


def _text_type(dtype: Any) -> Any:
    """Returns the type of text that is made from rows of a type."""
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    if isinstance(dtype, pd.ArrowDtype):
        import pyarrow as pa

        texts = (pa.string(), pa.large_string(), pa.string_view())
        return dtype if dtype.pyarrow_dtype in texts else pd.ArrowDtype(pa.string())
    return dtype if isinstance(dtype, pd.StringDtype) or dtype == object else pd.StringDtype(na_value=np.nan)


def _rows(data: pd.Series | pd.Index) -> list[Any]:
    """Returns the rows of a series or an index, with None for missing values."""
    return [None if is_missing else row for row, is_missing in zip(data.tolist(), data.isna().tolist())]


def _like(data: Data, values: Any, dtype: Any = None) -> Data:
    """Returns a series or an index with the index and the name of ``data``."""
    if isinstance(data, pd.Index):
        return pd.Index(values, dtype=dtype, name=data.name)
    return pd.Series(values, dtype=dtype, index=data.index, name=data.name).__finalize__(data)


@pd.api.extensions.register_series_accessor("pct")
@pd.api.extensions.register_index_accessor("pct")
class Accessor(Generic[Data]):
    """The operations of ``series.pct`` and ``index.pct``."""

    def __init__(self, data: Data) -> None:
        if not isinstance(data, (pd.Series, pd.Index)):
            other = "for other columns, use percent_simd.decode_array and its like"
            raise TypeError(f"expected a Series or an Index, not {type(data).__name__}; {other}")
        if isinstance(data, pd.MultiIndex):
            raise TypeError("a MultiIndex has several values in each row; use index.get_level_values(level).pct for one level")
        self._data = data

    def _run(self, function: Callable[..., Any], *args: Any, **options: Any) -> Data:
        return _run(self._data, lambda column: function(column, *args, **options))

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
    ) -> Data:
        """Decodes each row; see ``percent_simd.decode_array``."""
        return self._run(
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
    ) -> Data:
        """Encodes each row. The characters of ``allowed``, or of the set called ``set``, stay; see
        ``percent_simd.encode_array``."""
        return self._run(_native.encode_array, allowed, set=set, plus=plus, charset=charset, errors=errors)

    def normalize(self) -> Data:
        """Normalizes each row as a URI; see ``percent_simd.normalize_array``."""
        return self._run(_native.normalize_array)

    def requote(self, allowed: ByteSet | str | Buffer, protected: ByteSet | str | Buffer | None = None) -> Data:
        """Requotes each row; see ``percent_simd.requote``."""
        return self._run(_native.requote_array, allowed, protected)

    def repair(self) -> Data:
        """Repairs each row as a link; see ``percent_simd.repair``."""
        return self._run(_native.repair_array)

    def redact(self) -> Data:
        """Replaces the passwords of each row by ``***``; see ``percent_simd.redact``."""
        return self._run(_native.redact_array)

    def sort_query(self, *, drop: Iterable[str] = ()) -> Data:
        """Sorts the query of the URL in each row; see ``percent_simd.sort_query``."""
        return self._run(_native.sort_query_array, drop=drop)

    def to_iri(self) -> Data:
        """Converts each row to an IRI for people to read; see ``percent_simd.uri_to_iri``."""
        return self._run(_native.uri_to_iri_array)

    def to_uri(self) -> Data:
        """Converts each row from an IRI to a URI; see ``percent_simd.iri_to_uri``."""
        return self._run(_native.iri_to_uri_array)

    def file_url_to_path(self, *, windows: bool | None = None, errors: PathErrors = "keep") -> Data:
        """Converts each row from a ``file:`` URL to a path; see ``percent_simd.file_url_to_path_array``."""
        return self._run(_native.file_url_to_path_array, windows=windows, errors=errors)

    def path_to_file_url(self, *, windows: bool | None = None, errors: PathErrors = "keep") -> Data:
        """Converts each row from a path to a ``file:`` URL; see ``percent_simd.path_to_file_url_array``."""
        return self._run(_native.path_to_file_url_array, windows=windows, errors=errors)

    def parse_url(self) -> pd.DataFrame:
        """Splits each row as a URL. Returns a frame with a column for each part; see ``percent_simd.parse_url``."""
        return self._frame(self._run(_native.parse_url), list(_native.URL_FIELDS))

    def query_param(self, name: str | Iterable[str] | pd.Series | pd.Index, *, all: bool = False) -> Any:
        """Reads each row as a URL, and returns the value of a query parameter.

        - For a ``str``, returns the value of the first parameter with this name, or a missing value. With ``all``, returns
          the list of the values of all parameters with this name.
        - For a list of ``str``, returns a frame with a column for each name.
        - For a series or an index, each row of ``name`` is the name for the row at the same position. If ``name`` and the
          column are series, they must have the same index. ``all`` is then not possible.
        """
        if isinstance(name, (pd.Series, pd.Index)):
            if len(name) != len(self._data):
                raise ValueError(f"name has {len(name)} rows, but the column has {len(self._data)}")
            if isinstance(name, pd.Series) and isinstance(self._data, pd.Series) and not name.index.equals(self._data.index):
                other = "pass name.reindex(series.index), or pd.Index(name) to take the names by position"
                raise ValueError(f"name has another index than the column: {other}")
            column = _native.decode_array(_rows(name), layers=0)
            return self._run(_native.query_param, column, all=all)
        if isinstance(name, str):
            return self._run(_native.query_param, name, all=all)
        names = _native._texts("name", name)
        return self._frame(self._run(_native.query_param, names, all=all), names)

    def parse_query(self) -> Data:
        """Reads each row as a URL, and returns its query parameters as a list of dicts with name and value."""
        return self._run(_native.parse_query)

    def _frame(self, rows: Data, names: list[str]) -> pd.DataFrame:
        dicts = [row if isinstance(row, dict) else {} for row in rows.tolist()]
        index = rows.index if isinstance(rows, pd.Series) else None
        dtype = _text_type(self._data.dtype)
        columns = {name: pd.Series([row.get(name) for row in dicts], index, dtype) for name in names}
        return pd.DataFrame(columns, index=index).__finalize__(rows)


def decode_series(data: Data, **options: Any) -> Data:
    """Decodes a series or an index, like ``data.pct.decode(**options)``."""
    return Accessor(data).decode(**options)


def encode_series(data: Data, allowed: ByteSet | str | Buffer | None = None, **options: Any) -> Data:
    """Encodes a series or an index, like ``data.pct.encode(allowed, **options)``."""
    return Accessor(data).encode(allowed, **options)
