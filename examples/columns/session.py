"""Reads the requests of a log with DuckDB, decodes them in Polars, and asks DuckDB about the result."""

import sys
from pathlib import Path

import duckdb
import percent_simd.polars  # adds `.pct` to columns of Polars
import polars as pl
import pyarrow as pa
from percent_simd import decode_array

LOG = Path(__file__).parent.parent / "access.log"


def requests(log: str) -> pl.DataFrame:
    """Returns the targets of a log in the Common or Combined Log Format, with their parts decoded."""
    lines = duckdb.sql(
        """
        SELECT regexp_extract(line, '"[A-Z]+ (\\S+) HTTP/', 1) AS target
        FROM read_csv(?, columns = {'line': 'VARCHAR'}, delim = '\x01', quote = '', escape = '', header = false)
        """,
        params=[log],
    ).pl()
    # First we split, then we decode: an escaped `?` belongs to the path.
    path = pl.col("target").str.splitn("?", 2).struct[0]
    return lines.select(
        "target",
        path.pct.decode(errors="keep").alias("path"),
        pl.col("target").pct.query_param("q").alias("words"),
    )


def connect(log: str) -> duckdb.DuckDBPyConnection:
    """Returns a connection with a table `requests` and the function `pct_decode`."""
    connection = duckdb.connect()
    connection.register("requests", requests(log).to_arrow())
    connection.create_function(
        "pct_decode", lambda column: pa.chunked_array(decode_array(column)), ["VARCHAR"], "VARCHAR", type="arrow"
    )
    return connection


if __name__ == "__main__":
    connection = connect(sys.argv[1] if len(sys.argv) > 1 else str(LOG))
    connection.sql("SELECT path, count(*) AS requests FROM requests GROUP BY path ORDER BY requests DESC, path LIMIT 5").show()
    connection.sql("SELECT words FROM requests WHERE words IS NOT NULL").show()
    connection.sql("SELECT pct_decode(target) AS text FROM requests WHERE target LIKE '/authors/%'").show()
