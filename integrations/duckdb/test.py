#!/usr/bin/env python3
"""Runs the tests in the engine of Python's duckdb package: test.py EXTENSION [--speed]"""

import gzip
import os
import subprocess
import sys
import tempfile
import time

import duckdb

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import functions  # noqa: E402


def connect(extension):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.execute("LOAD '%s'" % os.path.abspath(extension).replace("'", "''"))
    return connection


def show(value):
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s=%s" % pair for pair in value.items())
    return str(value) or "(empty)"


def blocks(path):
    """Yields each statement of a file: its line number, its kind, its text, and the expected lines."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file] + [""]
    at = 0
    while at < len(lines):
        if not lines[at] or lines[at].startswith("#"):
            at += 1
            continue
        end = lines.index("", at)
        block = lines[at + 1 : end]
        cut = block.index("----") if "----" in block else len(block)
        yield at + 1, lines[at], "\n".join(block[:cut]), block[cut + 1 :]
        at = end


def test(connection, path):
    ran = 0
    for number, asked, statement, expected in blocks(path):
        place = "%s:%d" % (path, number)
        try:
            rows = connection.execute(statement).fetchall()
        except duckdb.Error as error:
            assert asked == "statement error" and expected[0] in str(error), "%s: %s" % (place, error)
        else:
            assert asked != "statement error", "%s: no error" % place
            found = ["\t".join(show(value) for value in row) for row in rows]
            assert asked == "statement ok" or found == expected, "%s: %s" % (place, found)
        ran += 1
    return ran


def test_functions(connection):
    """Compares each function with its oracle, on the rows that all engines share."""
    connection.execute("CREATE OR REPLACE TABLE shared (number INTEGER, s VARCHAR)")
    connection.executemany("INSERT INTO shared VALUES (?, ?)", list(enumerate(functions.rows())))
    for sql, *_, oracle in functions.FUNCTIONS:
        found = connection.execute("SELECT %s FROM shared ORDER BY number" % sql).fetchall()
        for text, (one,), other in zip(functions.rows(), found, functions.expected(oracle)):
            if sql == "url_params(s)" and one is not None:
                one = [(pair["name"], pair["value"]) for pair in one]
            assert one == other, "%s of %r: %r, not %r" % (sql, text, one, other)
    functions.assert_wrong(lambda query: connection.execute(query).fetchall())
    return len(functions.FUNCTIONS)


def test_version(connection):
    """Checks that DuckDB shows the version of the crate. A release refuses a crate whose version isn't the release's."""
    with open(os.path.join(HERE, "Cargo.toml"), encoding="utf-8") as file:
        version = next(line.split('"')[1] for line in file if line.startswith("version = "))
    shown = connection.execute("SELECT extension_version FROM duckdb_extensions() WHERE extension_name = 'percent_simd'").fetchall()
    assert shown == [(version,)], shown


def test_folding(connection):
    """Checks that a call on constants runs once, when the query is planned: the plan contains its result."""
    plan = connection.execute("EXPLAIN SELECT pct_decode('%41'), url_query('?a=1')['a'], url_parse('//h').host FROM range(3)").fetchall()[0][1]
    assert all(constant in plan for constant in ("'A'", "'1'", "'h'")), plan


def test_repository(extension):
    """Installs the extension from a signed repository. Checks that DuckDB refuses a copy that was changed after it was signed."""
    with tempfile.TemporaryDirectory() as work:
        key, changed = os.path.join(work, "key.pem"), os.path.join(work, "changed")
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        for folder in ("signed", "changed"):
            arguments = [os.path.join(work, folder), key, extension]
            subprocess.run([sys.executable, os.path.join(HERE, "repository.py"), *arguments], check=True)
        for folder, _, names in os.walk(changed):
            for path in [os.path.join(folder, name) for name in names if name.endswith(".gz")]:
                with gzip.open(path) as file:
                    content = file.read()
                with gzip.open(path, "wb") as file:
                    file.write(b"\0" + content[1:])
        folders = {"extension_directory": os.path.join(work, "extensions"), "extension_repository_directory": os.path.join(work, "keys")}
        connection = duckdb.connect(config=folders)
        connection.execute("SET allow_extension_repositories = 'allowed'")
        for name in ("changed", "signed"):
            connection.execute("CREATE EXTENSION REPOSITORY %s WITH PREFIX '%s'" % (name, os.path.join(work, name)))
        try:
            connection.execute("INSTALL percent_simd FROM changed")
        except duckdb.IOException as error:
            assert "valid signature" in str(error), error
        else:
            raise AssertionError("a changed extension was installed")
        connection.execute("INSTALL percent_simd FROM signed")
        connection.execute("LOAD percent_simd FROM signed")
        assert connection.execute("SELECT pct_decode('%41')").fetchall() == [("A",)]


def seconds(connection, query):
    """Returns the shortest time of several runs of a query."""
    best = 1e9
    for _ in range(7):
        start = time.perf_counter()
        connection.execute(query).fetchall()
        best = min(best, time.perf_counter() - start)
    return best


def speed(connection):
    """Compares the functions with the engine's own, on a million rows and with one thread."""
    connection.execute("SET threads = 1")
    for title, url in {
        "44 bytes, 4 escapes": "'/search%2Fitems?q=caf%C3%A9&page=' || (1000000 + i) || '%26x'",
        "44 bytes, clean": "'/search/items/of/the/day?q=coffee&p=' || (1000000 + i)",
    }.items():
        connection.execute("CREATE OR REPLACE TABLE urls AS SELECT %s u FROM range(1000000) t(i)" % url)
        scan = seconds(connection, "SELECT sum(length(u)) FROM urls")
        for ours, theirs in [("pct_decode", "url_decode"), ("pct_encode", "url_encode")]:
            times = [seconds(connection, "SELECT sum(length(%s(u))) FROM urls" % name) - scan for name in (ours, theirs)]
            print(
                "%-20s  %s %.0f ns a row, %s %.0f ns: %.2fx"
                % (title, ours, times[0] * 1e3, theirs, times[1] * 1e3, times[1] / times[0])
            )


connection = connect(sys.argv[1])
if "--speed" in sys.argv:
    speed(connection)
else:
    ran = test(connection, os.path.join(HERE, "pct.test"))
    shared = test_functions(connection)
    test_version(connection)
    test_folding(connection)
    test_repository(sys.argv[1])
    print("duckdb %s: %d statements passed, %d functions equal their oracles" % (duckdb.__version__, ran, shared))
