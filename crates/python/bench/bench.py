"""Measures the package beside urllib, yarl, urlquote and the functions of engines, and prints tables.

    python bench/bench.py [calls] [columns] [engines] [--write README.md]

Leaves out peers that are not installed. ``--write`` writes the tables into a file, between the marks for them. Three
environment variables hold paths: ``PCT_DUCKDB`` leads to the DuckDB extension, ``PCT_NOOP`` to the Polars plugin built
from noop.c, and ``PCT_RUST`` to a program that measures the Rust library. crates/python/scripts/bench installs and builds
everything.
Run it on a quiet machine.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import threading
import time
import urllib.parse

import percent_simd
import percent_simd._patch

ORIGINALS = {name: getattr(urllib.parse, name) for name in percent_simd._patch._NAMES}
TEXTS = {
    "7 bytes, clean": ("product", "product"),
    "44 bytes": ("/query/caf%C3%A9%20au%20lait?q=%E2%82%AC%205", "/search/café au lait & more sugar?q=€ 5&x"),
    "44 bytes, clean": ("/search/coffee/with/milk/and/sugar/and/more/", "/search/coffee/with/milk/and/sugar/and/more/"),
    "1 MB": ("/caf%C3%A9%20au%20lait" * 47_000, "/café au lait" * 70_000),
    "1 MB, ASCII": ("/cafe%2C%20au%20lait/x" * 47_000, "/cafe, au lait/" * 60_000),
}
IN_RUST = ("unquote", "unquote_to_bytes", "quote")
DENSE, CLEAN = TEXTS["44 bytes"][0], TEXTS["44 bytes, clean"][0]
ROWS = 1_000_000
# If a result has more than 32 MB, the C library requests the result's memory from the system at each call, page by
# page. With this many rows, every result has less than 32 MB. Engines pass even fewer rows at once.
COLUMN_ROWS = 250_000


def nanoseconds(function, argument):
    """Returns the shortest time of eleven runs, in nanoseconds per call. A busy machine only makes runs longer, so the
    shortest one is right."""
    start, calls = time.perf_counter_ns(), 0
    while time.perf_counter_ns() - start < 20_000_000:
        function(argument)
        calls += 1
    count = max(1, calls // 10)
    best = float("inf")
    for _ in range(11):
        start = time.perf_counter_ns()
        for _ in range(count):
            function(argument)
        best = min(best, (time.perf_counter_ns() - start) / count)
    return best


def per_row(function, rows=ROWS, runs=5):
    """Returns the shortest time of several runs, in nanoseconds per row."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter_ns()
        function()
        best = min(best, time.perf_counter_ns() - start)
    return best / rows


def least(measure, passes=4):
    """Measures the whole table several times, seconds apart, and returns the shortest time of each cell."""
    tables = [list(measure()) for _ in range(passes)]
    return [[rows[0][0], *(min(cells, key=lambda cell: cell or 0.0) for cells in zip(*(row[1:] for row in rows)))] for rows in zip(*tables)]


def table(head, rows, digits):
    lines = [f"| {' | '.join(head)} |", "| --- |" + " ---: |" * (len(head) - 1)]
    for what, *cells in rows:
        lines.append(f"| {what} | " + " | ".join("" if cell is None else f"{cell:,.{digits}f}" for cell in cells) + " |")
    return "\n".join(lines)


def rust(program, name, text):
    """Returns the time of the Rust library. ``program`` measures it, and is built from benches/one_call.rs."""
    return float(subprocess.run([program, name], input=text.encode(), capture_output=True, check=True).stdout)


def calls():
    peers = {}
    try:
        from yarl._quoting import _Quoter, _Unquoter

        peers["yarl"] = {"quote": _Quoter(safe="/"), "unquote": _Unquoter()}
    except ImportError:
        print("yarl is not installed: pip install yarl")
    try:
        import urlquote

        # urlquote accepts and returns only bytes.
        peers["urlquote"] = {"quote": lambda text: urlquote.quote(text.encode()), "unquote": lambda text: urlquote.unquote(text.encode())}
    except ImportError:
        print("urlquote is not installed: pip install urlquote")
    program = os.environ.get("PCT_RUST")

    def rows():
        for name in ("unquote", "unquote_plus", "unquote_to_bytes", "quote", "quote_plus", "parse_qsl"):
            for what, (encoded, decoded) in TEXTS.items():
                argument = decoded if name.startswith("quote") else encoded
                row = [nanoseconds(getattr(percent_simd, name), argument), nanoseconds(ORIGINALS[name], argument)]
                row += [nanoseconds(peer[name], argument) if name in peer else None for peer in peers.values()]
                row.append(rust(program, name, argument) if program and name in IN_RUST else None)
                yield [f"{name}, {what}", *row]

    return table(["ns per call", "percent_simd", "urllib", *peers, "the call in Rust"], least(rows), 0)


def at_once(function, threads):
    """Runs a function in several threads at once."""
    workers = [threading.Thread(target=function) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def columns():
    try:
        import pyarrow as pa
    except ImportError:
        return "pyarrow is not installed: pip install pyarrow"
    types = {"strings": pa.string(), "views": pa.string_view(), "bytes": pa.binary()}
    decode = percent_simd.decode_array

    def rows():
        for what, operation, text in (
            ("decode, 44 bytes", decode, DENSE),
            ("decode, 44 bytes, clean", decode, CLEAN),
            ("encode, 44 bytes", percent_simd.encode_array, TEXTS["44 bytes"][1]),
            ("query_param, 44 bytes", lambda column: percent_simd.query_param(column, "q"), DENSE),
        ):
            arrays = [pa.array([text] * COLUMN_ROWS, data_type) for data_type in types.values()]
            arrays.append(pa.array([f"{text}{number % 1000}" for number in range(COLUMN_ROWS)]).dictionary_encode())
            yield [what, *(per_row(lambda array=array: operation(array), COLUMN_ROWS) for array in arrays)]

    lines = [table(["ns per row", *types, "dictionary of 1,000"], least(rows), 1), ""]
    column, blob = pa.array([DENSE] * COLUMN_ROWS), bytes(8 << 20)

    def times():
        for work in (lambda: [decode(column) for _ in range(8)], lambda: hashlib.sha256(blob).digest()):
            yield ["", per_row(work, 1), per_row(lambda: at_once(work, 2), 2)]

    gains = [alone / two for _, alone, two in least(times, 9)]
    some = [DENSE] * 20_000
    loop = per_row(lambda: [urllib.parse.unquote(text) for text in some], len(some))
    lines.append(f"Two threads decode {gains[0]:.2f} times as many rows as one. For comparison, two threads compute {gains[1]:.2f} times as many of hashlib's")
    lines.append(f"`sha256` as one on this machine. A loop over urllib's `unquote` takes {loop:,.0f} ns per row.")
    return "\n".join(lines)


def polars_rows():
    try:
        import polars as pl
        from polars.plugins import register_plugin_function

        import percent_simd.polars  # noqa: F401
    except ImportError:
        print("polars is not installed: pip install polars")
        return
    noop = os.environ.get("PCT_NOOP")

    def select(frame, expression):
        frame.lazy().select(expression.str.len_bytes().sum()).collect()

    for what, text in (("44 bytes", DENSE), ("44 bytes, clean", CLEAN)):
        frame = pl.DataFrame({"url": [text] * ROWS})
        few = frame.head(20_000)
        url = pl.col("url")
        nothing = noop and register_plugin_function(plugin_path=noop, function_name="noop", args=url, is_elementwise=True, use_abs_path=True)
        yield [
            f"Polars, decode, {what}",
            per_row(lambda: select(frame, url.pct.decode())),
            None,
            per_row(lambda: select(few, url.map_elements(urllib.parse.unquote, return_dtype=pl.String)), len(few), 3),
            per_row(lambda: select(frame, nothing)) if noop else None,
        ]


def duckdb_rows():
    try:
        import duckdb
        import pyarrow  # noqa: F401
    except ImportError:
        print("duckdb is not installed: pip install duckdb pyarrow")
        return
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("SET threads = 1")
    extension = os.environ.get("PCT_DUCKDB")
    if extension:
        connection.execute(f"LOAD '{extension}'")
    connection.create_function("py_unquote", lambda text: urllib.parse.unquote(text), ["VARCHAR"], "VARCHAR")
    for what, text in (("44 bytes", DENSE), ("44 bytes, clean", CLEAN)):
        connection.execute(f"CREATE OR REPLACE TABLE urls AS SELECT '{text}' AS u FROM range({ROWS})")
        connection.execute("CREATE OR REPLACE TABLE few AS SELECT u FROM urls LIMIT 20000")

        def select(expression, source="urls"):
            connection.execute(f"SELECT sum(strlen({expression})) FROM {source}").fetchall()

        yield [
            f"DuckDB, decode, {what}",
            per_row(lambda: select("pct_decode(u)")) if extension else None,
            per_row(lambda: select("url_decode(u)")),
            per_row(lambda: select("py_unquote(u)", "few"), 20_000, 3),
            per_row(lambda: select("u")),
        ]


def engines():
    rows = [*least(polars_rows), *least(duckdb_rows)]
    head = ["ns per row of a query", "percent_simd", "the engine's own function", "a Python function with urllib", "no function"]
    return table(head, rows, 1)


def main():
    # After a block of this size is freed, the C library keeps this much memory for later requests. Without this call, results
    # of a megabyte would mostly measure page faults, in all columns.
    bytes(30 << 20)
    parts = {"calls": calls, "columns": columns, "engines": engines}
    wanted = [name for name in parts if name in sys.argv[1:]] or list(parts)
    found = {name: parts[name]() for name in wanted}
    print("\n\n".join(found.values()))
    if "--write" in sys.argv:
        path = sys.argv[sys.argv.index("--write") + 1]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name, tables in found.items():
            text, count = re.subn(
                f"(<!-- {name}:begin -->\n).*?(<!-- {name}:end -->)", lambda match: f"{match[1]}{tables}\n{match[2]}", text, flags=re.DOTALL
            )
            assert count == 1, f"{path} has no marks for {name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
