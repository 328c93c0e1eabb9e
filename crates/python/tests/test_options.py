"""Checks that the error for a wrong option names the parameter and its valid values."""

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
        (lambda: ByteSet.named("RFC"), ValueError, r'no set is named "RFC"; percent_simd.set_names\(\) lists all names'),
        (lambda: Decoder().decode_layers("a", max=-1), ValueError, "max is 0 or more, not -1"),
        (lambda: Decoder().decode_layers("a", max=-BIG), ValueError, "max is 0 or more, not -"),
        (lambda: Decoder().decode_layers("a", max="3"), TypeError, "max is an int, not str"),
        (lambda: percent_simd.parse_form("a", limit=-1), ValueError, "limit is 0 or more, not -1"),
        (lambda: percent_simd.parse_form("a", limit=1.5), TypeError, "limit is an int, not float"),
        (lambda: Decoder(stric=True), TypeError, "stric"),
        (lambda: percent_simd.decode_array([], error="null"), TypeError, "error"),
    ],
)
def test_wrong_options(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: Decoder(strict="yes"), "strict"),
        (lambda: Decoder(keep=3), "keep"),
        (lambda: Encoder(None), "allowed"),
        (lambda: percent_simd.query_param([], 3), "name"),
        (lambda: percent_simd.decode_array([], plus="always"), "plus"),
    ],
)
def test_wrong_types(call, name):
    with pytest.raises(TypeError) as caught:
        call()
    assert name in str(caught.value) + "".join(getattr(caught.value, "__notes__", []))


def test_limits():
    assert Decoder().decode_layers("%2541", max=BIG) == Decoder().decode_layers("%2541") == (b"A", 2)
    assert Decoder().decode_layers("%2541", max=0) == (b"%2541", 0)
    assert percent_simd.parse_form("a=1&b=2", limit=BIG) == percent_simd.parse_form("a=1&b=2", limit=None)
    with pytest.raises(percent_simd.DecodeError):
        percent_simd.parse_form("a=1&b=2", limit=1)
    assert percent_simd.parse_form("", limit=0) == []


def test_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    import percent_simd.polars  # noqa: F401

    with pytest.raises(pl.exceptions.ComputeError, match='errors is "keep", "null", "strict" or "replace", not "loud"'):
        pl.Series([], dtype=pl.String).pct.decode(errors="loud")


def test_spark():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")
    from percent_simd import spark

    # The error is raised here, before a job is sent to an executor.
    with pytest.raises(ValueError, match='errors is "keep"'):
        spark.decode(errors="loud")
    import pyarrow as pa

    batches = [pa.record_batch({"url": ["%41"], "other": ["%42"]})]
    (batch,) = spark.map_in_arrow({"url": percent_simd.decode_array})(batches)
    assert batch.to_pydict() == {"url": ["A"], "other": ["%42"]}
    with pytest.raises(ValueError, match="no column is called 'ulr'; the columns are url, other"):
        list(spark.map_in_arrow({"ulr": percent_simd.decode_array})(batches))
