"""Runs a Spark job in a cluster of two executors. Compares its results with one process, kills a worker and an executor, and measures times.

    python tests/spark_job.py [ROWS [FILE]]

FILE has URLs, one per line. They are repeated up to ROWS rows. The default is five URLs, one of which has malformed escapes. Needs
pyspark 4.1 or newer, pyarrow and Java 17; crates/python/scripts/spark installs them and runs this program.
"""

import itertools
import os
import signal
import sys
import time
from pathlib import Path

import percent_simd
import pyarrow as pa
from percent_simd import spark as functions
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import arrow_udf, col, expr, udf

PARTS = 8
ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
FILE = sys.argv[2] if len(sys.argv) > 2 else None

FIVE = [
    "/search/caf%C3%A9%20au%20lait?q=%E2%82%AC+5&page=2",
    "/index.html",
    "/articles/2026/11/a-story-without-any-escape?ref=front",
    "/100%/of%2Fit?q=%FF",
    "/%D0%BF%D1%83%D1%82%D1%8C?utm_source=mail&utm_campaign=%D0%BE%D1%81%D0%B5%D0%BD%D1%8C",
]


def timed(what, frame):
    """Returns the seconds of the best of three runs of a job that processes every row."""
    best = float("inf")
    for _ in range(3):
        began = time.perf_counter()
        frame.write.format("noop").mode("overwrite").save()
        best = min(best, time.perf_counter() - began)
    print(f"{what:36} {best:6.2f} s", flush=True)
    return best


def urls_of(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n") for line in file]


def compare_functions(session):
    """Compares the functions for SQL with the oracles that all engines share."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "integrations"))
    import functions as shared

    functions.register(session)
    rows = list(enumerate(shared.rows()))
    session.createDataFrame(rows, "id int, s string").createOrReplaceTempView("shared")
    calls = [f"{sql} AS f{number}" for number, (sql, *_) in enumerate(shared.FUNCTIONS)]
    found = session.sql(f"SELECT {', '.join(calls)} FROM shared ORDER BY id").collect()
    for number, (sql, *_, oracle) in enumerate(shared.FUNCTIONS):
        for (_, text), row, other in zip(rows, found, shared.expected(oracle), strict=True):
            one = row[number]
            if sql == "url_params(s)" and one is not None:
                one = [(pair["name"], pair["value"]) for pair in one]
            if sql == "url_parse(s)" and one is not None:
                one = one.asDict()
            assert one == other, (sql, text, one, other)
    shared.assert_wrong(lambda query: session.sql(query).collect())
    faulty = [("%41", "null"), (None, "null"), ("%42", "strict"), ("ab%zz", "strict")]
    session.createDataFrame(faulty, "u string, e string").coalesce(1).createOrReplaceTempView("options")
    for query, message in {
        "SELECT url_param('?a=b')": "the second argument is missing",
        "SELECT pct_decode(u, e) FROM options": "row 3: the `%` at byte 2",
    }.items():
        try:
            session.sql(query).collect()
        except Exception as error:
            assert message in str(error), (query, error)
        else:
            raise AssertionError(f"{query}: no error")
    shared.assert_builtins("Spark", lambda name, row: session.sql(f"SELECT {name}('{row}')").first()[0])
    encoded = session.table("shared").select("s", functions.encode(set="java-urlencoder")("s"), expr("url_encode(s)"))
    for text, ours, theirs in encoded.collect():
        assert ours == theirs, text
    # Spark's own function reads + as a space, and returns U+FFFD for invalid UTF-8.
    plus = session.table("shared").select("id", functions.decode(errors="replace", plus=True)("s").alias("ours"), expr("try_url_decode(s)").alias("theirs"))
    for row in plus.where("theirs IS NOT NULL AND NOT contains(theirs, '\ufffd')").collect():
        assert row["ours"] == row["theirs"], (row, rows[row["id"]])
    print(f"{len(shared.FUNCTIONS)} functions of SQL equal their oracles")


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def executor_pid():
    """Returns the process of the executor: it starts a daemon, which starts the Python workers."""
    pid = parent_of(os.getppid())
    assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return pid


def killing(pid, killed):
    """Returns a function that decodes batches. It kills the process `pid()` once, after the first batch of a part. The file
    `killed` shows that this has happened, because a part can run in another process again."""
    batches = itertools.count()

    def decode(column: pa.Array) -> pa.Array:
        if TaskContext.get().partitionId() == 3 and next(batches) > 0 and not killed.exists():
            killed.write_text(str(pid()))
            os.kill(int(killed.read_text()), signal.SIGKILL)
            time.sleep(60)  # until the killed executor takes this process with it
        return pa.array(percent_simd.decode_array(column))

    return decode


def main():
    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", max(1, min(20_000, ROWS // PARTS // 4)))
        .config("spark.python.worker.faulthandler.enabled", "true")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    compare_functions(session)
    urls = urls_of(FILE) if FILE else FIVE
    texts = [urls[number % len(urls)] for number in range(ROWS)]
    frame = session.createDataFrame(pa.table({"id": range(ROWS), "url": texts})).repartition(PARTS).cache()
    frame.count()

    alone = pa.array(percent_simd.decode_array(texts)).to_pylist()
    result = frame.select("id", functions.decode()("url").alias("url")).orderBy("id").toArrow()
    assert result.column("url").to_pylist() == alone, "the cluster and one process differ"
    mapped = frame.mapInArrow(functions.map_in_arrow({"url": percent_simd.decode_array}), frame.schema)
    assert mapped.orderBy("id").toArrow().column("url").to_pylist() == alone, "mapInArrow and one process differ"
    print(f"{ROWS} rows: two executors and one process are equal, by arrow_udf and by mapInArrow")

    for victim, pid in {"Python worker": os.getpid, "executor": executor_pid}.items():
        killed = Path.cwd() / f"{victim}.killed"
        result = frame.select("id", arrow_udf(killing(pid, killed), "string")("url").alias("url")).orderBy("id").toArrow()
        assert result.column("id").to_pylist() == list(range(ROWS)), f"rows were lost or doubled with the {victim}"
        assert result.column("url").to_pylist() == alone, f"rows differ without the {victim}"
        print(f"one {victim} was killed in the middle (process {killed.read_text()}), and no row is missing")

    # Spark's own function fails on a malformed escape, so give it rows without malformed escapes.
    clean = frame.where("try_url_decode(url) IS NOT NULL").cache()
    clean.count()
    same = arrow_udf(lambda column: column, "string")
    plain = udf(lambda text: __import__("urllib.parse").parse.unquote(text), "string")
    timed("scan", clean.select("url"))
    identity = timed("an arrow_udf that returns its input", clean.select(same("url")))
    ours = timed("percent_simd.spark.decode", clean.select(functions.decode()("url")))
    timed("Spark's url_decode (+ is a space)", clean.select(expr("url_decode(url)")))
    timed("a Python udf with urllib's unquote", clean.select(plain(col("url"))))
    print(f"percent_simd.spark.decode / returning the input: {ours / identity:.2f}")
    session.stop()


if __name__ == "__main__":
    main()
