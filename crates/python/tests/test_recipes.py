"""Runs the recipes that README.md has for other libraries, for each library that is installed."""

import percent_simd
import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install pyarrow")

URLS = ["/caf%C3%A9?q=1+1", None, "/clean", "100%"] * 500
DECODED = ["/café?q=1+1", None, "/clean", "100%"] * 500


def plain(series):
    """Returns the values of a pandas series, with ``None`` for missing values."""
    return [value if isinstance(value, str) else None for value in series.tolist()]


def test_pandas():
    pd = pytest.importorskip("pandas", minversion="3", reason="pandas is not installed: pip install 'pandas>=3'")
    import percent_simd.pandas  # noqa: F401

    series = pd.concat([pd.Series(URLS, dtype="str")] * 3)
    decoded = series.pct.decode()
    assert decoded.dtype == series.dtype and plain(decoded) == DECODED * 3


def test_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed: pip install duckdb")
    urls = pa.table({"url": URLS})  # noqa: F841 (the query reads it)
    connection = duckdb.connect()

    def pct_decode(column):
        return pa.chunked_array(percent_simd.decode_array(column))

    connection.create_function("pct_decode", pct_decode, ["VARCHAR"], "VARCHAR", type="arrow")
    assert [row[0] for row in connection.sql("SELECT pct_decode(url) FROM urls").fetchall()] == DECODED


def test_datafusion():
    datafusion = pytest.importorskip("datafusion", reason="datafusion is not installed: pip install datafusion")

    def pct_decode(column):
        return pa.array(percent_simd.decode_array(column))

    context = datafusion.SessionContext()
    context.register_udf(datafusion.udf(pct_decode, [pa.string()], pa.string(), "immutable", name="pct_decode"))
    context.from_arrow(pa.table({"url": URLS}), name="urls")
    batches = context.sql("SELECT pct_decode(url) AS url FROM urls").collect()
    assert [row for batch in batches for row in batch.column(0).to_pylist()] == DECODED


def test_dask():
    pytest.importorskip("dask.dataframe", reason="dask is not installed: pip install 'dask[dataframe]'")
    import dask.dataframe as dd
    import pandas as pd
    from percent_simd.pandas import decode_series

    def decoded(part):
        return part.assign(url=decode_series(part["url"]))

    frame = dd.from_pandas(pd.DataFrame({"url": pd.Series(URLS, dtype="str")}), npartitions=3)
    result = frame.map_partitions(decoded, meta=frame._meta).compute(scheduler="synchronous")["url"]
    assert plain(result) == DECODED


def test_ray():
    ray = pytest.importorskip("ray", reason="ray is not installed: pip install 'ray[data]'")
    import ray.data

    def decoded(batch):
        url = pa.chunked_array(percent_simd.decode_array(batch.column("url")))
        return batch.set_column(batch.schema.get_field_index("url"), "url", url)

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        rows = ray.data.from_arrow(pa.table({"number": range(len(URLS)), "url": URLS})).repartition(4)
        result = rows.map_batches(decoded, batch_format="pyarrow").sort("number").take_all()
    finally:
        ray.shutdown()
    assert [row["url"] for row in result] == DECODED
