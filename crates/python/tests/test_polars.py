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
    # The categories of an Enum are fixed, so the result is an Enum with the decoded categories. Equal categories become
    # one.
    fixed = pl.Series("url", ["%41", None, "é;1"], dtype=pl.Enum(["%41", "b", "A", "é;1", "%zz"]))
    for errors, categories in (("keep", ["A", "b", "é;1", "%zz"]), ("null", ["A", "b", "é;1"]), ("strict", ["A", "b", "é;1"])):
        decoded = fixed.pct.decode(errors=errors)
        assert decoded.dtype == pl.Enum(categories) and decoded.to_list() == ["A", None, "é;1"]
        lazy = fixed.to_frame().lazy().select(pl.col("url").pct.decode(errors=errors))
        assert lazy.collect_schema()["url"] == pl.Enum(categories)
        assert lazy.collect(engine="streaming")["url"].to_list() == ["A", None, "é;1"]
    assert fixed.pct.parse_url().struct.field("path").to_list() == ["%41", None, "é;1"]
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


def test_plans_name_the_operation():
    frame = pl.LazyFrame({"url": URLS})
    assert ":decode_array(" in frame.select(pl.col("url").pct.decode()).explain()
    assert ":query_param_by(" in frame.select(pl.col("url").pct.query_param(pl.col("url"))).explain()


def test_groups():
    frame = pl.DataFrame({"key": [1, 1, 2], "url": ["%41", "%42", "%43"]})
    grouped = frame.group_by("key", maintain_order=True).agg(pl.col("url").pct.decode())
    assert grouped["url"].to_list() == [["A", "B"], ["C"]]


def test_errors():
    frame = pl.DataFrame({"url": ["%41", "ab%zz"], "number": [1, 2]})
    with pytest.raises(pl.exceptions.ComputeError, match='row 1 of its batch, .*byte 2.* in "ab%zz"'):
        frame.select(pl.col("url").pct.decode(errors="strict"))
    for value, offset, kind in (("ab%zz", 2, "not_hex"), ('"\\ in "\n\t\0é\x1b\u200b" %4', 18, "truncated"), ("%FF", 0, "invalid_utf8")):
        with pytest.raises(pl.exceptions.ComputeError) as failed:
            pl.DataFrame({"url": ["a", value]}).select(pl.col("url").pct.decode(errors="strict"))
        with pytest.raises(percent_simd.ColumnError) as caught:
            percent_simd.decode_array(["a", value], errors="strict")
        assert percent_simd.polars.column_error(failed.value).args == caught.value.args
        assert (caught.value.row, caught.value.offset, caught.value.kind, caught.value.value) == (1, offset, kind, value)
    assert percent_simd.polars.column_error(ValueError("row 1 of its batch")) is None
    # Polars runs the operation in batches. The error has the value of the row, and the number of the row in its batch.
    # `map_batches` gets the whole frame, so there the number counts from the start of the frame.
    clean = pl.DataFrame({"url": ["%41"] * 35_000})
    chunks = pl.concat([clean, clean, frame.select("url")], rechunk=False).lazy()
    decoded = pl.col("url").pct.decode(errors="strict")
    for engine in ("in-memory", "streaming"):
        with pytest.raises(pl.exceptions.ComputeError, match=r'row \d+ of its batch, .*byte 2.* in "ab%zz"'):
            chunks.select(decoded).collect(engine=engine)
    with pytest.raises(percent_simd.ColumnError) as caught:
        chunks.map_batches(lambda batch: pl.DataFrame({"url": percent_simd.decode_array(batch["url"], errors="strict")})).collect()
    assert (caught.value.row, caught.value.offset) == (70_001, 2)
    series = pl.concat([clean["url"], frame["url"]], rechunk=False)
    for column in (series, series.cast(pl.Categorical)):
        with pytest.raises(percent_simd.ColumnError) as caught:
            column.pct.decode(errors="strict")
        error = caught.value
        assert (error.row, error.offset, error.kind, error.value) == (35_001, 2, "not_hex", "ab%zz") and "byte 2" in error.reason
    with pytest.raises(percent_simd.ColumnError):
        pl.Series(["a"]).pct.file_url_to_path(errors="strict")
    with pytest.raises(pl.exceptions.ComputeError, match="column of text or bytes, not of Int64"):
        frame["number"].pct.decode()
    with pytest.raises(pl.exceptions.ComputeError, match="column of text or bytes, not of Int64"):
        frame.select(pl.col("number").pct.decode())


def test_options_and_new_operations():
    series = pl.Series("url", ["/a%2Fb?q=%2541&q=2&r=3", None, "/caf%E9"])
    assert series.pct.decode(keep="/", layers=2).to_list() == ["/a%2Fb?q=A&q=2&r=3", None, "/caf%E9"]
    assert series.pct.decode(reject="/", errors="null").to_list() == [None, None, None]
    assert series.pct.decode(charset="latin1").to_list()[2] == "/café"
    assert series.pct.query_param(["q", "r"]).to_list() == [{"q": "%41", "r": "3"}, None, {"q": None, "r": None}]
    assert series.pct.query_param("q", all=True).to_list() == [["%41", "2"], None, []]
    assert series.pct.redact().to_list() == series.to_list()
    assert pl.Series(["http://u:secret@h/"]).pct.redact().to_list() == ["http://u:***@h/"]
    assert pl.Series(["/?b=1&utm_x=2&a=3"]).pct.sort_query(drop=["utm_*"]).to_list() == ["/?a=3&b=1"]
    assert pl.Series(["/my file"]).pct.repair().to_list() == ["/my%20file"]
    assert pl.Series(["%41%2f"]).pct.requote("A").to_list() == ["A%2F"]
    assert pl.Series(["/%C3%A9"]).pct.to_iri().to_list() == ["/é"] and pl.Series(["/é"]).pct.to_uri().to_list() == ["/%C3%A9"]
    assert pl.Series(["é表"]).pct.encode(charset="latin-1", errors="replace").to_list() == ["%E9%26%2334920%3B"]
    with pytest.raises(percent_simd.ColumnError, match="row 0"):
        pl.Series(["表"]).pct.encode(charset="latin-1")
    assert pl.Series(["%25E9"]).pct.decode(charset="latin-1", layers=2).to_list() == ["é"]
    assert pl.Series(["file:///a%20b", "x"]).pct.file_url_to_path(windows=False, errors="null").to_list() == ["/a b", None]
    assert pl.Series(["/a b"]).pct.path_to_file_url(windows=False).to_list() == ["file:///a%20b"]
    frame = pl.DataFrame({"url": ["http://u:p@h:1/p?q#f"]}).lazy().select(pl.col("url").pct.parse_url())
    assert frame.collect().to_series().to_list() == [
        {"scheme": "http", "user": "u", "host": "h", "domain": None, "port": "1", "path": "/p", "query": "q", "fragment": "f"}
    ]
    assert list(frame.collect_schema()["url"].to_schema()) == list(percent_simd.URL_FIELDS)


def test_a_column_of_names():
    frame = pl.DataFrame({"url": ["/?a=1&b=2", "/?a=1&b=2", None, "/?c"] * 100, "key": ["a", "b", "a", None] * 100})
    expected = ["1", "2", None, None] * 100
    assert frame.select(pl.col("url").pct.query_param(pl.col("key"))).to_series().to_list() == expected
    for engine in ("in-memory", "streaming"):
        lazy = frame.lazy().with_columns(pl.col("url").pct.query_param(pl.col("key")).alias("value"))
        assert lazy.collect_schema()["value"] == pl.String and lazy.collect(engine=engine)["value"].to_list() == expected
    assert frame["url"].pct.query_param(frame["key"]).to_list() == expected
    # The columns may have different chunks, and a constant counts for all rows.
    urls = pl.concat([frame["url"][:33], frame["url"][33:]], rechunk=False)
    keys = pl.concat([frame["key"][:7], frame["key"][7:300], frame["key"][300:]], rechunk=False)
    assert urls.pct.query_param(keys).to_list() == expected
    assert frame["url"].pct.query_param(pl.lit("b")).to_list() == ["2", "2", None, None] * 100
    assert pl.select(pl.lit("/?a=1&b=2").pct.query_param(frame["key"])).to_series().to_list()[:4] == ["1", "2", "1", None]
    # The result has the type of the URLs, and categories become text.
    for dtype, result in ((pl.Binary, pl.Binary), (pl.Categorical, pl.String), (pl.Enum(["/?a=1&b=2", "/?c"]), pl.String)):
        lazy = frame.lazy().select(pl.col("url").cast(dtype).pct.query_param(pl.col("key").cast(pl.Categorical)))
        assert lazy.collect_schema()["url"] == lazy.collect().schema["url"] == result
        assert lazy.collect()["url"].cast(pl.String).to_list() == expected
    with pytest.raises(pl.exceptions.ComputeError, match="column of text or bytes, not of Int64"):
        frame.lazy().select(pl.col("url").pct.query_param(pl.lit(1, dtype=pl.Int64))).collect_schema()
    with pytest.raises(TypeError, match="all needs one name"):
        pl.col("url").pct.query_param(pl.col("key"), all=True)
    with pytest.raises(pl.exceptions.PolarsError, match="message: name has 3 rows, but the column has 400"):
        frame["url"].pct.query_param(frame["key"][:3])


def test_columns_without_rows():
    frame = pl.DataFrame({"url": ["/?a=1"], "key": ["a"]}).clear()
    for name in (pl.col("key"), pl.lit("a"), "a", ["a", "b"]):
        value = pl.col("url").pct.query_param(name)
        for result in (frame.select(value), *(frame.lazy().select(value).collect(engine=engine) for engine in ("in-memory", "streaming"))):
            assert result.height == 0 and result.schema == frame.lazy().select(value).collect_schema()
    assert frame["url"].pct.query_param(frame["key"]).to_list() == []
    assert pl.select(pl.lit("/?a=1").pct.query_param(frame["key"])).to_series().to_list() == []
    for dtype in (pl.String, pl.Binary, pl.Categorical, pl.Enum(["%41"]), pl.Null):
        empty = pl.Series([], dtype=dtype)
        for run in ("decode", "encode", "normalize", "parse_url", "parse_query", "redact"):
            assert getattr(empty.pct, run)().to_list() == []
    # A column of Arrow may have no chunk.
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    none = pa.chunked_array([], pa.string())
    for column in (percent_simd.decode_array(none), percent_simd.query_param(none, none), percent_simd.query_param(none, none)[:0]):
        assert pl.Series(column).to_list() == [] and pa.chunked_array(column).to_pylist() == list(column) == []


def test_many_threads_at_once():
    frame = pl.DataFrame({f"url{number}": URLS for number in range(16)})
    for _ in range(20):
        result = frame.select(pl.all().pct.decode(), pl.all().pct.query_param("q").name.suffix("_q"))
        assert result["url15"].to_list() == DECODED and result["url0_q"].null_count() == 4000


def test_examples():
    assert doctest.testmod(percent_simd.polars).failed == 0
