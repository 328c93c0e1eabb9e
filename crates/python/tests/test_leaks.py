"""Tests that operations on columns give back their memory."""

import pickle
from pathlib import Path

import percent_simd
import pytest

STATUS = Path("/proc/self/statm")
if not STATUS.exists():
    pytest.skip("the size of the process is only known on Linux", allow_module_level=True)

TEXTS = ["/caf%C3%A9?q=1&r=" + "x%41" * 25, None, "/100%"] * 3000


def resident():
    """Returns the memory of the process, in MB."""
    return int(STATUS.read_text().split()[1]) * 4096 / 1e6


def failed(call):
    with pytest.raises(percent_simd.ColumnError):
        call()


def operations():
    column = percent_simd.decode_array(TEXTS, layers=0)
    faulty = percent_simd.decode_array([*TEXTS, "%zz"], layers=0)
    names = percent_simd.decode_array(["q"] * len(TEXTS), layers=0)
    yield lambda: percent_simd.decode_array(column)
    yield lambda: percent_simd.decode_array(TEXTS)
    yield lambda: percent_simd.decode_array([*TEXTS, "\ud800"], errors="null")
    yield lambda: percent_simd.decode_array(column, charset="latin-1", layers=2)
    yield lambda: percent_simd.encode_array(column, charset="latin-1", errors="replace")
    yield lambda: percent_simd.query_param(column, names)
    yield lambda: percent_simd.parse_url(column)
    yield lambda: column[::-1]
    yield lambda: pickle.loads(pickle.dumps(column))
    yield lambda: failed(lambda: percent_simd.decode_array(faulty, errors="strict"))
    yield lambda: [bytes(buffer) for buffer in column.buffers() if buffer]


def frames():
    pl = pytest.importorskip("polars", reason="polars is not installed: pip install polars")
    pd = pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    import percent_simd.pandas
    import percent_simd.polars  # noqa: F401

    frame = pl.DataFrame({"url": TEXTS, "name": ["q"] * len(TEXTS)})
    categories = pd.Series(TEXTS, dtype="category")
    yield lambda: frame.select(pl.col("url").pct.decode())
    yield lambda: frame.select(pl.col("url").pct.query_param(pl.col("name")))
    yield lambda: categories.pct.decode()


@pytest.mark.parametrize("calls", [operations, frames])
def test_memory_comes_back(calls):
    # Each result has about 0.5 MB, so a leak of all results would be about 50 MB.
    for call in calls():
        for _ in range(10):
            call()
        before = resident()
        for _ in range(100):
            call()
        assert resident() - before < 25
