"""The namespace ``pct`` of Polars: eager, lazy, streaming; nulls, categories."""

import doctest

import pytest

pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")

import percent_simd.polars  # noqa: E402

URLS = ["/caf%C3%A9?q=1+1&r=%FF", None, "/clean", "100%", "HTTP://A/%7e"] * 1000


def test_eager_lazy_and_streaming():
    frame = pl.DataFrame({"url": URLS, "key": range(len(URLS))})
    expected = ["/café?q=1+1&r=%FF", None, "/clean", "100%", "HTTP://A/~"] * 1000
    decoded = pl.col("url").pct.decode()
    assert frame.select(decoded).to_series().to_list() == expected
    assert frame["url"].pct.decode().to_list() == expected
    lazy = frame.lazy().with_columns(decoded.alias("decoded")).filter(pl.col("key") >= 5)
    for engine in ("in-memory", "streaming"):
        result = lazy.collect(engine=engine)
        assert result["decoded"].to_list() == expected[5:] and result.schema["decoded"] == pl.String


def test_every_operation():
    series = pl.Series("url", URLS[:5])
    assert series.pct.decode(errors="null").to_list() == [None, None, "/clean", None, "HTTP://A/~"]
    assert series.pct.encode("/").to_list()[2:4] == ["/%63%6C%65%61%6E", "%31%30%30%25"]
    assert series.pct.normalize().to_list()[4] == "http://a/~"
    assert series.pct.query_param("q").to_list() == ["1 1", None, None, None, None]
    pairs = pl.DataFrame(series).select(pl.col("url").pct.parse_query())["url"]
    assert pairs.to_list()[0] == [{"name": "q", "value": "1 1"}, {"name": "r", "value": "\ufffd"}]
    assert pairs.dtype.inner.fields[0].name == "name"
    categories = series.cast(pl.Categorical)
    assert categories.pct.decode().to_list() == series.pct.decode().to_list()
    assert pl.Series("raw", [b"%FF", None]).pct.decode().to_list() == [b"\xff", None]
    assert series.head(0).pct.decode().to_list() == []


def test_groups():
    frame = pl.DataFrame({"key": [1, 1, 2], "url": ["%41", "%42", "%43"]})
    grouped = frame.group_by("key", maintain_order=True).agg(pl.col("url").pct.decode())
    assert grouped["url"].to_list() == [["A", "B"], ["C"]]


def test_examples():
    assert doctest.testmod(percent_simd.polars).failed == 0
