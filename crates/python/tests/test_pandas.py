"""Tests ``series.pct`` and ``index.pct`` with every type of rows that pandas has, in one chunk and in many."""

import doctest
import subprocess
import sys
import urllib.parse

import percent_simd
import pytest

pd = pytest.importorskip("pandas", minversion="3", reason="pandas is not installed: pip install 'pandas>=3'")

import percent_simd.pandas  # noqa: E402
from percent_simd.pandas import decode_series, encode_series  # noqa: E402

URLS = ["/caf%C3%A9?q=1+1", None, "/clean", "100%", "/%FF"]
DECODED = ["/café?q=1+1", None, "/clean", "100%", "/%FF"]


def rows(data):
    """Returns the rows of a series or an index, with ``None`` for missing values."""
    return [None if missing else row for row, missing in zip(data.tolist(), data.isna())]


def series_of_every_type():
    yield pd.Series(URLS, dtype="str")
    yield pd.Series(URLS, dtype=object)
    yield pd.Series(URLS, dtype="category")
    yield pd.Series(URLS, dtype="string[python]")
    yield pd.Series(URLS, dtype=pd.StringDtype("python", na_value=float("nan")))
    try:
        import pyarrow as pa
    except ImportError:
        return
    yield pd.Series(URLS, dtype="string[pyarrow]")
    for data_type in (pa.string(), pa.large_string(), pa.string_view()):
        yield pd.Series(URLS, dtype=pd.ArrowDtype(data_type))
    yield pd.Series(pd.array(pa.array(URLS).dictionary_encode(), dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))))


@pytest.mark.parametrize("series", list(series_of_every_type()), ids=lambda series: str(series.dtype)[:40])
def test_every_type(series):
    series = pd.Series(series.array, index=[f"row {number}" for number in range(5)], name="url")
    decoded = series.pct.decode()
    assert rows(decoded) == DECODED and decoded.name == "url" and decoded.index.equals(series.index)
    if isinstance(series.dtype, pd.CategoricalDtype):
        assert list(decoded.cat.categories) == ["/%FF", "/café?q=1+1", "/clean", "100%"]
    else:
        assert decoded.dtype == series.dtype
    assert rows(series.pct.decode(errors="null")) == [DECODED[0], None, DECODED[2], None, None]
    assert rows(decode_series(series, plus=True))[0] == "/café?q=1 1"
    assert rows(encode_series(series, "/"))[2] == "/%63%6C%65%61%6E"
    assert rows(series.pct.query_param("q")) == ["1 1", None, None, None, None]
    pairs = series.pct.parse_query()
    assert pairs.iloc[0] == [{"name": "q", "value": "1 1"}] and list(pairs.iloc[2]) == []
    frame = series.pct.query_param(["q", "r"])
    assert list(frame.columns) == ["q", "r"] and rows(frame["q"]) == ["1 1", None, None, None, None]
    assert frame.index.equals(series.index) and rows(frame["r"]) == [None] * 5
    assert rows(series.pct.parse_url()["path"]) == ["/caf%C3%A9", None, "/clean", "100%", "/%FF"]
    with pytest.raises(percent_simd.ColumnError) as caught:
        series.pct.decode(errors="strict")
    assert (caught.value.row, caught.value.value) in [(3, "100%"), (4, "/%FF")]
    index = pd.Index(series, name="url")
    assert rows(index.pct.decode()) == DECODED and index.pct.decode().name == "url"
    assert isinstance(decode_series(index), pd.Index)
    empty = series[:0].pct.decode()
    assert rows(empty) == [] and isinstance(empty.dtype, type(series.dtype))
    assert series.pct.decode(layers=0).dtype == series.dtype


def test_forty_chunks():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    for dtype in ("str", pd.ArrowDtype(pa.string())):
        parts = [pd.Series(URLS, dtype=dtype) for _ in range(40)]
        series = pd.concat(parts, ignore_index=True)
        assert series.array.__arrow_array__().num_chunks == 40
        decoded = series.pct.decode()
        assert rows(decoded) == DECODED * 40 and decoded.dtype == series.dtype
        faulty = pd.concat([pd.Series(["a", "b", "c"], dtype=dtype), pd.Series(["%zz"], dtype=dtype)], ignore_index=True)
        with pytest.raises(percent_simd.ColumnError) as caught:
            faulty.pct.decode(errors="strict")
        assert caught.value.row == 3
        assert rows(series.pct.query_param(pd.Series(["q"] * 200))) == ["1 1", None, None, None, None] * 40


def test_a_series_of_names():
    urls = ["/?a=1&b=2", "/?a=1&b=2", None, "/?c"]
    for dtype in ("str", object, "category"):
        for names in (pd.Series(["a", "b", "a", None], dtype="str"), pd.Series(["a", "b", "a", None], dtype="category"), pd.Index(["a", "b", "a", None])):
            value = pd.Series(urls, dtype=dtype, name="url").pct.query_param(names)
            assert rows(value) == ["1", "2", None, None] and value.name == "url"
    series = pd.Series(urls)
    with pytest.raises(TypeError, match="expected str or None in row 1, not int"):
        series.pct.query_param(pd.Series(["a", 1, "b", "c"], dtype=object))
    with pytest.raises(TypeError, match="expected str or None in row 0, not int"):
        series.pct.query_param(pd.Series([1, 2, 3, 4]))
    with pytest.raises(TypeError, match="all needs one name, a str"):
        series.pct.query_param(pd.Series(["a", "b", "a", None]), all=True)
    with pytest.raises(ValueError, match="name has 1 rows, but the column has 4"):
        series.pct.query_param(pd.Series(["a"]))
    # In pandas, rows with equal labels belong together. So sorted rows don't get the names of other rows.
    names = pd.Series(["a", "b", "a", None])
    sorted_rows = series[::-1]
    with pytest.raises(ValueError, match="name has another index than the column: pass name.reindex"):
        sorted_rows.pct.query_param(names)
    assert rows(sorted_rows.pct.query_param(names.reindex(sorted_rows.index))) == [None, None, "2", "1"]
    assert rows(sorted_rows.pct.query_param(pd.Index(names))) == [None, None, "1", None]


def test_bytes():
    assert pd.Series([b"%FF", None]).pct.decode().tolist() == [b"\xff", None]
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    dtype = pd.ArrowDtype(pa.binary())
    decoded = pd.Series([b"%FF", None], dtype=dtype).pct.decode()
    assert decoded.dtype == dtype and rows(decoded) == [b"\xff", None]


def test_missing_values_stay():
    decoded = pd.Series(["%41", None, float("nan"), pd.NA], dtype=object).pct.decode()
    assert decoded.tolist()[:2] == ["A", None] and decoded.tolist()[2] != decoded.tolist()[2] and decoded.tolist()[3] is pd.NA


def test_categories_that_become_equal():
    series = pd.Series(["%41", "A", None, "%42", "A"], dtype="category")
    decoded = series.pct.decode()
    assert list(decoded.cat.categories) == ["A", "B"] and decoded.value_counts().to_dict() == {"A": 3, "B": 1}
    assert decoded.isna().sum() == 1


def test_categories_without_rows_or_values():
    for series in (
        pd.Series([None, None], dtype="category"),
        pd.Series([], dtype="category"),
        pd.Series([float("nan")] * 2).astype("category"),
        pd.Series([None], dtype=pd.CategoricalDtype(["a"])),
    ):
        decoded = series.pct.decode()
        assert decoded.dtype == series.dtype and rows(decoded) == [None] * len(series)
        assert rows(series.pct.query_param("q")) == rows(series.pct.parse_url()["path"]) == [None] * len(series)


def test_the_type_of_categories_stays():
    texts = ["%62", "a", "%63"]
    for categories in (pd.Index(texts, dtype=object), pd.Index(texts, dtype="str"), pd.Index(texts, dtype="string[python]")):
        for ordered in (False, True):
            series = pd.Series(["a", "%62", None], dtype=pd.CategoricalDtype(categories, ordered))
            decoded = series.pct.decode()
            assert decoded.dtype == pd.CategoricalDtype(pd.Index(["b", "a", "c"], dtype=categories.dtype), ordered)
            assert rows(decoded) == ["a", "b", None] and series.pct.decode(layers=0).dtype == series.dtype
            assert series.pct.parse_url()["path"].dtype == series.pct.query_param(pd.Series(["q"] * 3)).dtype == categories.dtype
    merged = pd.Series(["a"], dtype=pd.CategoricalDtype(["a", "%61"], ordered=True)).pct.decode()
    assert merged.dtype == pd.CategoricalDtype(["a"], ordered=False)
    blobs = pd.Series([b"%FF", None, b"a"], dtype="category").pct.decode()
    assert rows(blobs) == [b"\xff", None, b"a"] and isinstance(blobs.dtype, pd.CategoricalDtype)
    many = pd.Series([f"%{number:02X}{number}" for number in range(65, 91)] * 20 + [f"{number}" for number in range(1000)], dtype="category")
    assert many.cat.codes.dtype == "int16" and rows(many.pct.decode()) == [urllib.parse.unquote(text) for text in many]
    # An unused category is no error.
    unused = pd.Series(["a", "%zz"], dtype="category")[:1]
    assert rows(unused.pct.decode(errors="strict")) == ["a"]


def test_categories_need_no_pyarrow():
    code = """if True:
        import sys
        sys.modules["pyarrow"] = None
        import pandas as pd
        import percent_simd.pandas
        series = pd.Series(["%41", None, "A"], dtype="category")
        assert series.pct.decode().isna().tolist() == [False, True, False]
        assert list(series.pct.decode().cat.categories) == ["A"]
        assert pd.Series(["?q=%41"], dtype="category").pct.query_param(["q"])["q"].tolist() == ["A"]
        assert pd.Series(["%41"]).pct.decode().tolist() == ["A"]
    """
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_part_of_a_url_is_text():
    dtypes = [object, "category"]
    try:
        import pyarrow as pa
    except ImportError:
        pass
    else:
        dtypes += [pd.ArrowDtype(data_type) for data_type in (pa.binary(), pa.large_binary(), pa.dictionary(pa.int8(), pa.binary()))]
    for dtype in dtypes:
        frame = pd.Series([b"/a?q=%FF", None], dtype=dtype).pct.parse_url()
        assert rows(frame["path"]) == ["/a", None] and rows(frame["host"]) == [None, None]
        assert len(set(map(str, frame.dtypes))) == 1
        assert rows(pd.Series([b"/a?q=1", None], dtype=dtype).pct.query_param(["q"])["q"]) == ["1", None]


def test_attributes_stay():
    for dtype in ("str", object, "category"):
        series = pd.Series(["?q=%41"], dtype=dtype)
        series.attrs["source"] = "log"
        for result in (series.pct.decode(), series.pct.parse_query(), series.pct.parse_url(), series.pct.query_param(["q"]), decode_series(series)):
            assert result.attrs == {"source": "log"}


def test_other_objects_are_refused():
    for wrong in (["%41"], "a", None, pd.DataFrame({"a": ["a"]})):
        for function in (decode_series, encode_series):
            with pytest.raises(TypeError, match=f"expected a Series or an Index, not {type(wrong).__name__}; for other columns, use"):
                function(wrong)


def test_columns_of_other_types_are_refused():
    for series in (pd.Series([1, 2]), pd.Series([1, "a"], dtype=object), pd.Series([["a"]])):
        with pytest.raises(TypeError):
            series.pct.decode()
    with pytest.raises(ValueError, match='errors is "keep"'):
        pd.Series(["a"]).pct.decode(errors="loud")
    with pytest.raises(ValueError, match="is the name of a set"):
        pd.Series(["a"]).pct.encode("rfc3986-path")


def test_other_operations():
    series = pd.Series(["http://u:secret@h/my file?b=1&a=2"])
    assert series.pct.redact()[0] == "http://u:***@h/my file?b=1&a=2"
    assert series.pct.repair()[0].startswith("http://") and "/my%20file" in series.pct.repair()[0]
    assert series.pct.sort_query()[0].endswith("?a=2&b=1")
    assert pd.Series(["HTTP://A/%7e"]).pct.normalize()[0] == "http://a/~"
    assert pd.Series(["%41%2f"]).pct.requote("A")[0] == "A%2F"
    assert pd.Series(["/%C3%A9"]).pct.to_iri()[0] == "/é"
    assert pd.Series(["/é"]).pct.to_uri()[0] == "/%C3%A9"
    assert pd.Series(["é"]).pct.encode(charset="latin-1")[0] == "%E9"
    assert pd.Series(["/a b"]).pct.path_to_file_url(windows=False)[0] == "file:///a%20b"
    assert pd.Series(["file:///a%20b"]).pct.file_url_to_path(windows=False)[0] == "/a b"
    assert pd.Series(["?q=1&q=2"]).pct.query_param("q", all=True)[0] == ["1", "2"]


def test_examples():
    assert doctest.testmod(percent_simd.pandas).failed == 0


def test_categories_that_are_not_text():
    categories = pd.Index(["b\ud800", "%41", 3], dtype=object)

    def series(*codes, index=categories):
        return pd.Series(pd.Categorical.from_codes(codes, index))

    # An error has the number of the row, not of the category, and an unused category does no harm.
    for operation in ("decode", "encode", "normalize", "parse_url"):
        with pytest.raises(percent_simd.ColumnError) as caught:
            getattr(series(1, -1, 1, 0, 0).pct, operation)()
        assert (caught.value.row, caught.value.offset, caught.value.kind) == (3, 1, "invalid_utf8")
    with pytest.raises(TypeError, match="expected str or None in row 2, not int"):
        series(1, -1, 2).pct.decode()
    for errors, faulty in (("null", None), ("replace", "b\ufffd")):
        decoded = series(1, -1, 0).pct.decode(errors=errors)
        assert rows(decoded) == ["A", None, faulty] and decoded.dtype == "category"
    assert rows(series(1, -1).pct.decode()) == ["A", None]
    assert list(series(1, 1).pct.decode().cat.categories) == ["A"]
    index = pd.Index(series(1, 0)).pct.decode(errors="replace")
    assert isinstance(index, pd.CategoricalIndex) and index.tolist() == ["A", "b\ufffd"]


def test_an_index_of_several_levels():
    index = pd.MultiIndex.from_arrays([["%41", "b"], ["%42", "c"]], names=["x", "y"])
    with pytest.raises(TypeError, match="use index.get_level_values"):
        index.pct.decode()
    assert index.get_level_values("x").pct.decode().tolist() == ["A", "b"]


def test_wrong_names():
    urls = pd.Series(["?a=1"])
    for wrong in (3, None, [3], [None]):
        with pytest.raises(TypeError, match="name must be an iterable of str, not "):
            urls.pct.query_param(wrong)
