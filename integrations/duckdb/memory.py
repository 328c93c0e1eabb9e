#!/usr/bin/env python3
"""Refuses memory to the extension and to the engine: memory.py EXTENSION

If a request is refused, the query must fail or return its result, and the next query must work. LD_PRELOAD must have the
library built from crates/host/failing-malloc.c. integrations/duckdb/scripts/test builds and sets it.
"""

import ctypes
import os
import resource
import sys

import duckdb

ALLOCATOR = ctypes.CDLL(None)
FUNCTIONS = [
    "pct_decode(u)",
    "pct_decode(u, 'replace')",
    "pct_decode(u, 'null')",
    "pct_decode(u, e)",
    "try_pct_decode(u)",
    "pct_decode_blob(u)",
    "pct_encode(u)",
    "pct_encode(u, 'rfc3986-path')",
    "pct_encode(encode(u))",
    "pct_redact(u)",
    "url_host(u)",
    "pct_normalize(u)",
    "url_param(u, 'q')",
    "url_query(u)",
    "url_params(u)",
    "url_parse(u)",
    "url_domain('//a.example.com' || u)",
    "pct_decode(u, 'plus layers=2')",
]
ERRORS = ["pct_decode(u, 'strict')", "pct_decode(u, 'loud')", "pct_encode(u, 'none')"]


def connect(extension):
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": 1})
    connection.execute("LOAD '%s'" % os.path.abspath(extension).replace("'", "''"))
    for name, rows, text in (("small", 40, "'/%41%zz?q=%FF&r=' || i"), ("large", 4, "'/%41%zz?q=%FF&r=' || repeat('%41 +é', 50000)")):
        connection.execute(
            "CREATE TABLE %s AS SELECT CASE WHEN i %% 5 = 4 THEN NULL ELSE %s END u, "
            "CASE i %% 3 WHEN 0 THEN 'keep' WHEN 1 THEN 'replace' END e FROM range(%d) t(i)" % (name, text, rows)
        )
    return connection


def outcome(connection, query):
    """Returns the rows of a query, or its error."""
    try:
        return connection.execute(query).fetchall()
    except (duckdb.Error, MemoryError) as error:
        return "%s: %s" % (type(error).__name__, error)


def is_out_of_memory(found):
    return isinstance(found, str) and any(words in found.lower() for words in ("out of memory", "memoryerror", "bad_alloc", "allocat"))


def check(connection, query, start):
    """Runs a query many times, each time with one request for memory refused. Returns how many times it failed."""
    expected = outcome(connection, query)
    assert not is_out_of_memory(expected), expected
    number = failed = 0
    while True:
        start(number)
        try:
            found = outcome(connection, query)
        finally:
            refused = ALLOCATOR.fail_never()
        assert found == expected or is_out_of_memory(found), "%s, request %d: %.500s" % (query, number, found)
        assert outcome(connection, "SELECT pct_decode('%41')") == [("A",)], "after %s, request %d" % (query, number)
        failed += found != expected
        if not refused:
            return failed
        number += 1


def main():
    extension = sys.argv[1]
    connection = connect(extension)
    # Refuse requests of the extension, however small they are.
    assert ALLOCATOR.fail_in(os.path.basename(extension).encode())
    failed = 0
    for function in FUNCTIONS + ERRORS:
        for table in ("small", "large"):
            for refuse in (ALLOCATOR.fail_once, ALLOCATOR.fail_from):
                failed += check(connection, "SELECT %s FROM %s" % (function, table), lambda number: refuse(number, 0))
    # The loop above refuses only the extension's requests. The engine has its own allocator, so limit the address space:
    # then the engine's large requests fail, and its exceptions pass through the extension.
    limited = 0
    for function in FUNCTIONS:
        query = "SELECT sum(length(r::VARCHAR)) FROM (SELECT %s r FROM (SELECT '/?q=' || repeat('%%41 é', 3000000) u, 'keep' e))" % function
        for megabytes in range(0, 240, 20):
            before = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (before + (megabytes << 20), resource.RLIM_INFINITY))
            try:
                found = outcome(connection, query)
            finally:
                resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            limited += is_out_of_memory(found)
            assert is_out_of_memory(found) or isinstance(found, list), "%s: %.500s" % (query, found)
            assert outcome(connection, "SELECT pct_decode('%41')") == [("A",)], query
    assert failed > 100 and limited > 20, (failed, limited)
    print("duckdb %s: %d queries without memory failed with an error" % (duckdb.__version__, failed + limited))


if __name__ == "__main__":
    main()
