"""Runs the functions that the engines share on the same thousand rows, in Python, pyarrow, pandas and Polars. The suites of
DuckDB, DataFusion and ClickHouse do the same."""

import importlib.util
import re
import urllib.parse
from pathlib import Path

import percent_simd
import pytest

ROOT = Path(__file__).resolve().parents[3]
if not (ROOT / "integrations/functions.py").exists():
    pytest.skip("the table of functions is only in the repository", allow_module_level=True)
# Load the file by its path. If integrations/ were in sys.path, `import datafusion` in other tests would find the folder
# integrations/datafusion.
spec = importlib.util.spec_from_file_location("functions", ROOT / "integrations/functions.py")
functions = importlib.util.module_from_spec(spec)
spec.loader.exec_module(functions)

CALLS = {
    "pct_decode(s)": ("decode", (), {}),
    "pct_decode(s, 'plus replace')": ("decode", (), {"plus": True, "errors": "replace"}),
    "pct_decode(s, 'null')": ("decode", (), {"errors": "null"}),
    "pct_decode(s, 'layers=3')": ("decode", (), {"layers": 3}),
    "pct_decode(s, 'null layers=3')": ("decode", (), {"errors": "null", "layers": 3}),
    "pct_decode(s, 'keep=/&')": ("decode", (), {"keep": "/&"}),
    "try_pct_decode(s)": ("decode", (), {"errors": "null"}),
    "pct_encode(s)": ("encode", (), {}),
    "pct_encode(s, 'rfc3986-path')": ("encode", (), {"set": "rfc3986-path"}),
    "pct_normalize(s)": ("normalize", (), {}),
    "pct_repair(s)": ("repair", (), {}),
    "pct_redact(s)": ("redact", (), {}),
    "url_parse(s)": ("parse_url", (), {}),
    "url_param(s, 'q')": ("query_param", ("q",), {}),
    "url_params(s)": ("parse_query", (), {}),
    "url_query(s)": ("parse_query", (), {}),
    "url_sort_query(s)": ("sort_query", (), {}),
}
# The functions for columns. We prefer a name with "_array", because the same name without it may be a function for one
# text.
NATIVE = {name: getattr(percent_simd, name + "_array", None) or getattr(percent_simd, name) for name, _, _ in CALLS.values()}


def in_python(name, args, options):
    yield NATIVE[name](functions.rows(), *args, **options).to_pylist()


def in_pyarrow(name, args, options):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    for data_type in (pa.string(), pa.large_string(), pa.string_view()):
        yield NATIVE[name](pa.array(functions.rows(), data_type), *args, **options).to_pylist()
    column = pa.array(functions.rows())
    yield NATIVE[name](column.dictionary_encode(), *args, **options).to_pylist()
    yield NATIVE[name](pa.chunked_array([column[:7], column[7:7], column[7:]]), *args, **options).to_pylist()


def in_pandas(name, args, options):
    pd = pytest.importorskip("pandas", minversion="3", reason="pandas is not installed: pip install 'pandas>=3'")
    import percent_simd.pandas  # noqa: F401

    for dtype in ("str", "object", "category"):
        series = getattr(pd.Series(functions.rows(), dtype=dtype).pct, name)(*args, **options)
        if name == "parse_url":
            frame = series.astype(object)
            rows = frame.where(frame.notna(), None).to_dict("records")
            yield [None if text is None else row for text, row in zip(functions.rows(), rows)]
            continue
        yield [None if is_missing else row for row, is_missing in zip(series.tolist(), series.isna())]


def in_polars(name, args, options):
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    import percent_simd.polars  # noqa: F401

    series = pl.Series("s", functions.rows())
    yield getattr(series.pct, name)(*args, **options).to_list()
    lazy = series.to_frame().lazy().select(getattr(pl.col("s").pct, name)(*args, **options))
    yield lazy.collect(engine="streaming")["s"].to_list()


@pytest.mark.parametrize("engine", [in_python, in_pyarrow, in_pandas, in_polars])
@pytest.mark.parametrize("sql", list(CALLS))
def test_the_same_result_in_each_engine(sql, engine):
    expected = functions.expected(next(row[-1] for row in functions.FUNCTIONS if row[0] == sql))
    for found in engine(*CALLS[sql]):
        if sql == "url_query(s)":
            # A map has the first value of each name.
            found = [None if row is None else {pair["name"]: pair["value"] for pair in reversed(row)} for row in found]
        if sql == "url_params(s)":
            found = [None if row is None else [(pair["name"], pair["value"]) for pair in row] for row in found]
        for text, one, other in zip(functions.rows(), found, expected, strict=True):
            assert one == other, text


def test_bytes():
    blobs = [None if row is None else row.encode() for row in functions.rows()]
    expected = functions.expected(functions.urllib.parse.unquote_to_bytes)
    assert percent_simd.decode_array(blobs).to_pylist() == expected


def test_the_documentation_has_the_table():
    text = (ROOT / "docs/columns.md").read_text(encoding="utf-8")
    assert functions.table() in text and functions.builtins() in text


def test_the_table_has_each_function_of_sql():
    source = (ROOT / "crates/arrow/src/sql.rs").read_text(encoding="utf-8")
    (names,) = re.findall(r"fn name\(self\).*?\{(.*?)\n    \}", source, re.DOTALL)
    assert {row[0].partition("(")[0] for row in functions.FUNCTIONS} == set(re.findall('=> "(.*)"', names))


def test_pythons_own_functions():
    own = {'quote(safe="")': lambda row: urllib.parse.quote(row, safe=""), "unquote": urllib.parse.unquote, "unquote_plus": urllib.parse.unquote_plus}
    functions.assert_builtins("Python", lambda name, row: own[name](row))


def test_the_options_that_equal_urllib():
    rows = functions.rows()
    of = {"errors": "replace"}
    for options, function in ((of, functions.urllib.parse.unquote), ({**of, "plus": True}, functions.urllib.parse.unquote_plus)):
        assert percent_simd.decode_array(rows, **options).to_pylist() == functions.expected(function)


def test_the_options_that_equal_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install duckdb")
    connection = duckdb.connect()
    functions.assert_builtins("DuckDB", lambda name, row: connection.execute(f"SELECT {name}(?)", [row]).fetchone()[0])
    decoded, encoded = percent_simd.decode_array(functions.rows()), percent_simd.encode_array(functions.rows())
    failed = 0
    for text, one, other in zip(functions.rows(), decoded, encoded):
        assert connection.execute("SELECT url_encode(?)", [text]).fetchone()[0] == other
        try:
            assert connection.execute("SELECT url_decode(?)", [text]).fetchone()[0] == one
        except duckdb.Error:
            failed += 1
    assert 0 < failed < 900, "DuckDB fails for invalid UTF-8"
