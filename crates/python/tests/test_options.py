"""Checks that the error for a wrong option names the parameter and its valid values."""

import doctest

import percent_simd
import pytest
from percent_simd import ByteSet, Decoder, Encoder

BIG = 2**80


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: Decoder(plus="sometimes"), ValueError, 'plus is "never", "always" or "after_query", not "sometimes"'),
        (lambda: Decoder().decode_str("a", errors="ignore"), ValueError, 'errors is "strict" or "replace", not "ignore"'),
        (lambda: percent_simd.decode_array([], errors="loud"), ValueError, 'errors is "keep", "null", "strict" or "replace", not "loud"'),
        (lambda: percent_simd.decode_array(["\ud800"], errors="loud"), ValueError, 'errors is "keep", "null", "strict" or "replace", not "loud"'),
        (lambda: ByteSet.named("RFC"), ValueError, r'no set is named "RFC"; percent_simd.set_names\(\) lists all names'),
        (lambda: Decoder().decode_layers("a", max=-1), ValueError, "max is 0 or more, not -1"),
        (lambda: Decoder().decode_layers("a", max=-BIG), ValueError, "max is 0 or more, not -"),
        (lambda: Decoder().decode_layers("a", max="3"), TypeError, "max is an int, not str"),
        (lambda: percent_simd.parse_form("a", limit=-1), ValueError, "limit is 0 or more, not -1"),
        (lambda: percent_simd.parse_form("a", limit=1.5), TypeError, "limit is an int, not float"),
        (lambda: percent_simd.decode_array([], layers=-1), ValueError, "layers is 0 or more, not -1"),
        (lambda: percent_simd.decode_array([], layers=-BIG), ValueError, "layers is 0 or more, not -"),
        (lambda: percent_simd.decode_array([], layers=1.5), TypeError, "layers is an int, not float"),
        (lambda: percent_simd.decode_array([], charset="no"), ValueError, 'charset "no" is unknown; the charsets are UTF-8, IBM866, .*US-ASCII'),
        (lambda: percent_simd.file_url_to_path_array([], errors="replace"), ValueError, 'errors is "keep", "null" or "strict", not "replace"'),
        (lambda: percent_simd.path_to_file_url_array([], errors="loud"), ValueError, 'errors is "keep", "null" or "strict", not "loud"'),
        (lambda: percent_simd._native._sql_decode([], "plus=true"), ValueError, "plus has no value: write plus, not plus=true"),
        (lambda: percent_simd._native._sql_decode([], "layers"), ValueError, "layers needs a number, as in layers=3"),
        (lambda: Decoder(stric=True), TypeError, "stric"),
        (lambda: percent_simd.decode_array([], error="null"), TypeError, "error"),
    ],
)
def test_wrong_options(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Decoder(strict="yes"), "strict: 'str' object is not an instance of 'bool'"),
        (lambda: Decoder(keep=3), "keep: expected str or a bytes-like object, not int"),
        (lambda: Decoder(plus=None), "plus: 'None' is not an instance of 'str'"),
        (lambda: Decoder().incremental().decode(b"", final="yes"), "final: 'str' object is not an instance of 'bool'"),
        (lambda: Encoder(None), "pass either allowed, "),
        (lambda: Encoder(set=3), "set: 'int' object is not an instance of 'str'"),
        (lambda: percent_simd.query_param([], 3), "name must be an iterable of str, not int"),
        (lambda: percent_simd.query_param([], ["a", 3]), "name must be an iterable of str, not of int"),
        (lambda: percent_simd.query_param([], "a", all="yes"), "all: 'str' object is not an instance of 'bool'"),
        (lambda: percent_simd.sort_query("", drop=3), "drop must be an iterable of str, not int"),
        (lambda: percent_simd.sort_query("", drop="utm_*"), "drop must be an iterable of str, not str"),
        (lambda: percent_simd.sort_query_array([], drop=[b"a"]), "drop must be an iterable of str, not of bytes"),
        (lambda: percent_simd.repair("", without="spaces"), "without must be an iterable of str, not str"),
        (lambda: percent_simd.decode_array([], plus="always"), "plus: 'str' object is not an instance of 'bool'"),
        (lambda: percent_simd.decode_array([], charset=3), "charset: 'int' object is not an instance of 'str'"),
        (lambda: percent_simd.requote("", "a", 3), "protected: expected str or a bytes-like object, not int"),
        (lambda: percent_simd.file_url_to_path("", windows="yes"), "windows: 'str' object is not an instance of 'bool'"),
        (lambda: percent_simd.split_target("/", method=3), "method: 'int' object is not an instance of 'str'"),
        (lambda: percent_simd.build_content_disposition(type=3), "type: 'int' object is not an instance of 'str'"),
    ],
)
def test_wrong_types(call, message):
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_options_pass_on_other_exceptions():
    with pytest.raises(UnicodeEncodeError):
        Encoder(set="\ud800")


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: Encoder("rfc3986-path"), "allowed: "),
        (lambda: Encoder(allowed="RFC3986_PATH"), "allowed: "),
        (lambda: ByteSet("rfc3986-path"), ""),
        (lambda: Decoder(keep="RFC3986-Path"), "keep: "),
        (lambda: percent_simd.encode_array([], "rfc3986_path"), "allowed: "),
        (lambda: percent_simd.requote("a", "rfc3986-path"), "allowed: "),
    ],
)
def test_a_name_is_not_taken_for_characters(call, name):
    with pytest.raises(ValueError, match=rf"^{name}'(?i:rfc3986.path)' is the name of a set: write ByteSet.named\(\"RFC3986_PATH\"\)"):
        call()


def test_sets_by_name():
    path = ByteSet.named("RFC3986_PATH")
    assert Encoder(set="rfc3986-path") == Encoder(path) == percent_simd.presets.RFC3986_PATH
    assert Encoder(allowed=b"rfc3986-path").allowed == ByteSet(b"rfc3986-path") != path
    assert Encoder(allowed="abc").encode("abcd") == "abc%64"
    # A preset also sets its options.
    assert Encoder(set="PY_QUOTE_PLUS").encode("a b") == percent_simd.presets.PY_QUOTE_PLUS.encode("a b") == "a+b"
    assert Encoder(set="dotnet-httputility").encode("/") == "%2f"
    for name in percent_simd.set_names():
        assert getattr(percent_simd.presets, name).allowed == ByteSet.named(name)
    assert set(dir(percent_simd.presets)) == set(percent_simd.set_names())
    assert doctest.testmod(percent_simd.presets).failed == 0
    with pytest.raises(AttributeError, match="there is no preset 'RFC'"):
        percent_simd.presets.RFC
    assert list(percent_simd.encode_array(["/a b"], set="rfc3986-path")) == ["/a%20b"]
    for wrong in (lambda: Encoder(), lambda: Encoder("a", set="PURL"), lambda: percent_simd.encode_array([], "a", set="PURL")):
        with pytest.raises(TypeError, match="pass either allowed, the characters that stay, or set"):
            wrong()
    for wrong in (lambda: Encoder(set="RFC"), lambda: percent_simd.encode_array([], set="RFC")):
        with pytest.raises(ValueError, match='no set is named "RFC"'):
            wrong()


def test_limits():
    assert Decoder().decode_layers("%2541", max=BIG) == Decoder().decode_layers("%2541") == (b"A", 2)
    assert Decoder().decode_layers("%2541", max=0) == (b"%2541", 0)
    assert percent_simd.parse_form("a=1&b=2", limit=BIG) == percent_simd.parse_form("a=1&b=2", limit=None)
    with pytest.raises(percent_simd.DecodeError):
        percent_simd.parse_form("a=1&b=2", limit=1)
    assert percent_simd.parse_form("", limit=0) == []
    assert list(percent_simd.decode_array(["%252541"], layers=BIG)) == ["A"]
    assert list(percent_simd.decode_array(["%252541"], layers=0)) == ["%252541"]


def test_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    import percent_simd.polars  # noqa: F401

    # A wrong option is found when the expression is built.
    with pytest.raises(ValueError, match='errors is "keep", "null", "strict" or "replace", not "loud"'):
        pl.col("url").pct.decode(errors="loud")
    with pytest.raises(ValueError, match="is the name of a set"):
        pl.col("url").pct.encode("rfc3986-path")
    with pytest.raises(ValueError, match='no set is named "RFC"'):
        pl.col("url").pct.encode(set="RFC")
    with pytest.raises(ValueError, match='errors is "keep", "null" or "strict", not "replace"'):
        pl.col("url").pct.file_url_to_path(errors="replace")
    with pytest.raises(ValueError, match="layers is 0 or more, not -1"):
        pl.col("url").pct.decode(layers=-1)
    for wrong in (3, None, [3]):
        with pytest.raises(TypeError, match="name must be an iterable of str, not "):
            pl.col("url").pct.query_param(wrong)
    with pytest.raises(ValueError, match='the name "a" is repeated: pass each name once'):
        pl.col("url").pct.query_param(["a", "a"])
    with pytest.raises(TypeError, match="drop must be an iterable of str, not int"):
        pl.col("url").pct.sort_query(drop=3)
    for parameter in ("keep", "reject"):
        with pytest.raises(TypeError, match=f"^{parameter}: expected str or a bytes-like object, not int"):
            pl.col("url").pct.decode(**{parameter: 3})
    for layers in (2**63, BIG):
        assert pl.Series(["%252541"]).pct.decode(layers=layers).to_list() == ["A"]
    np = pytest.importorskip("numpy", reason="numpy is not installed: pip install numpy")
    assert pl.Series(["%2541+"]).pct.decode(layers=np.int8(2), plus=np.bool_(True)).to_list() == ["A "]
    assert pl.Series(["/a b"]).pct.encode(set="rfc3986-path").to_list() == ["/a%20b"]
    assert pl.Series(["/a b"]).pct.encode(set="py-quote-plus").to_list() == ["%2Fa+b"]


def test_spark():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    from percent_simd import spark

    # The error is raised here, before a job is sent to an executor.
    with pytest.raises(ValueError, match='errors is "keep"'):
        spark.decode(errors="loud")
    with pytest.raises(ValueError, match="is the name of a set"):
        spark.encode("rfc3986-path")
    with pytest.raises(TypeError, match="drop must be an iterable of str, not int"):
        spark.sort_query(drop=3)
    import pyarrow as pa

    batches = [pa.record_batch({"url": ["%41"], "other": ["%42"]})]
    (batch,) = spark.map_in_arrow({"url": percent_simd.decode_array})(batches)
    assert batch.to_pydict() == {"url": ["A"], "other": ["%42"]}
    with pytest.raises(ValueError, match="no column is called 'ulr'; the columns are url, other"):
        list(spark.map_in_arrow({"ulr": percent_simd.decode_array})(batches))
