"""Tests ``pct``, the namespace of the plugin for Polars: eager, lazy and streaming, with nulls, views and categories."""

import doctest

import pytest

pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")

import percent_simd.polars  # noqa: E402

URLS = ["/caf%C3%A9?q=1+1&r=%FF", None, "/clean", "100%", "HTTP://A/%7e"] * 1000
DECODED = ["/café?q=1+1&r=%FF", None, "/clean", "100%", "HTTP://A/~"] * 1000


def test_eager_lazy_and_streaming():
    frame = pl.DataFrame({"url": URLS, "key": range(len(URLS))})
    decoded = pl.col("url").pct.decode()
    assert frame.select(decoded).to_series().to_list() == DECODED
    assert frame["url"].pct.decode().to_list() == DECODED and frame["url"].pct.decode().name == "url"
    lazy = frame.lazy().with_columns(decoded.alias("decoded")).filter(pl.col("key") >= 5)
    assert lazy.collect_schema()["decoded"] == pl.String
    for engine in ("in-memory", "streaming"):
        result = lazy.collect(engine=engine)
        assert result["decoded"].to_list() == DECODED[5:] and result.schema["decoded"] == pl.String


def test_every_operation():
    series = pl.Series("url", URLS[:5])
    assert series.pct.decode(errors="null").to_list() == [None, None, "/clean", None, "HTTP://A/~"]
    assert series.pct.decode(errors="replace").to_list()[0] == "/café?q=1+1&r=\ufffd"
    assert series.pct.decode(plus=True).to_list()[0] == "/café?q=1 1&r=%FF"
    assert series.pct.encode("/").to_list()[2:4] == ["/%63%6C%65%61%6E", "%31%30%30%25"]
    assert series.pct.encode(percent_simd.ByteSet.named("RFC3986_PATH")).to_list()[2:4] == ["/clean", "100%25"]
    assert pl.Series(["a b~"]).pct.encode().to_list() == ["a%20b~"] and pl.Series(["a b"]).pct.encode(plus=True).to_list() == ["a+b"]
    assert series.pct.normalize().to_list()[4] == "http://a/~"
    assert series.pct.query_param("q").to_list() == ["1 1", None, None, None, None]
    pairs = pl.DataFrame(series).lazy().select(pl.col("url").pct.parse_query())
    assert pairs.collect_schema()["url"] == pl.List(pl.Struct({"name": pl.String, "value": pl.String}))
    pairs = pairs.collect()["url"].to_list()
    assert pairs[0] == [{"name": "q", "value": "1 1"}, {"name": "r", "value": "\ufffd"}] and pairs[1:3] == [None, []]


def test_types():
    series = pl.Series("url", URLS)
    categories = series.cast(pl.Categorical)
    decoded = categories.pct.decode()
    assert decoded.dtype == pl.Categorical and decoded.to_list() == DECODED
    # Both categories decode to "A", so they become one.
    merged = pl.Series(["%41", "A", None, "%41"], dtype=pl.Categorical).pct.decode()
    assert merged.to_list() == ["A", "A", None, "A"] and merged.n_unique() == 2
    frame = pl.DataFrame({"url": categories})
    assert frame.lazy().select(pl.col("url").pct.decode()).collect_schema()["url"] == pl.Categorical
    # The categories of an Enum are fixed, but decoding makes new ones. So the result is not an Enum.
    fixed = pl.Series(["%41", None], dtype=pl.Enum(["%41", "b"])).pct.decode()
    assert fixed.cast(pl.String).to_list() == ["A", None]
    assert pl.Series("raw", [b"%FF", None]).pct.decode().to_list() == [b"\xff", None]
    assert series.head(0).pct.decode().to_list() == [] and series.head(0).pct.decode().dtype == pl.String
    assert pl.Series([None, None], dtype=pl.Null).pct.decode().to_list() == [None, None]
    assert pl.select(pl.lit("%41").pct.decode()).item() == "A"


def test_slices_and_chunks():
    series = pl.Series(URLS)
    assert series.slice(17, 900).pct.decode().to_list() == DECODED[17:917]
    chunked = pl.concat([series, series.slice(3, 5), series.head(0)], rechunk=False)
    assert chunked.n_chunks() >= 2 and chunked.pct.decode().to_list() == DECODED + DECODED[3:8]
    long = pl.Series(["a row that is too long to be inlined", "%41" * 30, "another that is too long to be inlined"])
    assert long.pct.decode().to_list() == [long[0], "A" * 30, long[2]]


def test_groups():
    frame = pl.DataFrame({"key": [1, 1, 2], "url": ["%41", "%42", "%43"]})
    grouped = frame.group_by("key", maintain_order=True).agg(pl.col("url").pct.decode())
    assert grouped["url"].to_list() == [["A", "B"], ["C"]]


def test_errors():
    frame = pl.DataFrame({"url": ["%41", "ab%zz"], "number": [1, 2]})
    with pytest.raises(pl.exceptions.ComputeError, match="row 1: .*byte 2"):
        frame.select(pl.col("url").pct.decode(errors="strict"))
    with pytest.raises(pl.exceptions.ComputeError, match='errors is "keep"'):
        frame.select(pl.col("url").pct.decode(errors="loud"))
    with pytest.raises(pl.exceptions.ComputeError, match="column of text or bytes, not of Int64"):
        frame.select(pl.col("number").pct.decode())


def test_many_threads_at_once():
    frame = pl.DataFrame({f"url{number}": URLS for number in range(16)})
    for _ in range(20):
        result = frame.select(pl.all().pct.decode(), pl.all().pct.query_param("q").name.suffix("_q"))
        assert result["url15"].to_list() == DECODED and result["url0_q"].null_count() == 4000


def test_examples():
    assert doctest.testmod(percent_simd.polars).failed == 0
