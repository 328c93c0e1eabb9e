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


# Each engine yields for each type of a column a function, which returns the results for the rows.
def in_python(rows, name, args, options):
    yield lambda: NATIVE[name](rows, *args, **options).to_pylist()


def in_pyarrow(rows, name, args, options):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    column = pa.array(rows, pa.string())
    columns = [pa.array(rows, data_type) for data_type in (pa.string(), pa.large_string(), pa.string_view())]
    columns += [column.dictionary_encode(), pa.chunked_array([column[:7], column[7:7], column[7:]])]
    for one in columns if rows else [*columns, pa.chunked_array([], pa.string())]:
        yield lambda one=one: NATIVE[name](one, *args, **options).to_pylist()


def in_pandas(rows, name, args, options):
    pd = pytest.importorskip("pandas", minversion="3", reason="pandas is not installed: pip install 'pandas>=3'")
    import percent_simd.pandas  # noqa: F401

    def run(dtype):
        series = getattr(pd.Series(rows, dtype=dtype).pct, name)(*args, **options)
        if name == "parse_url":
            frame = series.astype(object)
            found = frame.where(frame.notna(), None).to_dict("records")
            return [None if text is None else row for text, row in zip(rows, found)]
        return [None if is_missing else row for row, is_missing in zip(series.tolist(), series.isna())]

    for dtype in ("str", "object", "category"):
        yield lambda dtype=dtype: run(dtype)


def in_polars(rows, name, args, options):
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    import percent_simd.polars  # noqa: F401

    series = pl.Series("s", rows, pl.String)
    yield lambda: getattr(series.pct, name)(*args, **options).to_list()
    yield lambda: getattr(series.cast(pl.Categorical).pct, name)(*args, **options).to_list()
    lazy = series.to_frame().lazy()
    yield lambda: lazy.select(getattr(pl.col("s").pct, name)(*args, **options)).collect(engine="streaming")["s"].to_list()


@pytest.mark.parametrize("engine", [in_python, in_pyarrow, in_pandas, in_polars])
@pytest.mark.parametrize("sql", list(CALLS))
def test_the_same_result_in_each_engine(sql, engine):
    expected = functions.expected(next(row[-1] for row in functions.FUNCTIONS if row[0] == sql))
    for run in engine(functions.rows(), *CALLS[sql]):
        found = run()
        if sql == "url_query(s)":
            # A map has the first value of each name.
            found = [None if row is None else {pair["name"]: pair["value"] for pair in reversed(row)} for row in found]
        if sql == "url_params(s)":
            found = [None if row is None else [(pair["name"], pair["value"]) for pair in row] for row in found]
        for text, one, other in zip(functions.rows(), found, expected, strict=True):
            assert one == other, text


@pytest.mark.parametrize("engine", [in_python, in_pyarrow, in_pandas, in_polars])
@pytest.mark.parametrize("rows", [["a"], [None, None], []], ids=["a row", "nulls", "no rows"])
def test_a_wrong_option_is_an_error_for_every_value(rows, engine):
    for _, name, options, message in functions.WRONG:
        for run in engine(rows, name, (), options):
            with pytest.raises(ValueError, match=re.escape(message)):
                run()


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
