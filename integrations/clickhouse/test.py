#!/usr/bin/env python3
"""Runs executable functions in the engine of Python's chdb package: `pct decode --rowbinary`, as docs/pct/cluster.md configures it, and
the functions of this folder, as their program configures them. Usage: test.py PCT PROGRAM"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import chdb
from chdb import session

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import functions  # noqa: E402

PCT, PROGRAM = map(os.path.abspath, sys.argv[1:3])
with open(os.path.join(HERE, "../../docs/pct/cluster.md"), encoding="utf-8") as page:
    (of_pct,) = re.findall("<function>.*?</function>", page.read(), re.DOTALL)
config = subprocess.check_output([PROGRAM, "--config"], text=True).replace("</functions>", of_pct + "</functions>")

# The engine looks for the configuration of functions, and for their programs, in this folder.
scripts = tempfile.TemporaryDirectory()
folder = scripts.name
with open(os.path.join(folder, "udf_config.xml"), "w", encoding="utf-8") as out:
    out.write(config)
shutil.copy(PCT, os.path.join(folder, "pct"))
shutil.copy(PROGRAM, os.path.join(folder, "percent-simd-clickhouse"))
chdb.g_udf_path = folder
engine = session.Session()

# SQL queries, each with its result as CSV.
CASES = {
    "SELECT hex(url_decode(arrayJoin(['caf%C3%A9', '', '%FF%00', '100%', 'a%0Ab', '%zz'])))": (
        '"636166C3A9"\n""\n"FF00"\n"31303025"\n"610A62"\n"257A7A"\n'
    ),
    "SELECT count(), countIf(url_decode('%FF' || toString(number) || repeat('%41', number % 300)) = unhex('FF') || toString(number) || "
    "repeat('A', number % 300)) FROM numbers(100000)": "100000,100000\n",
}
for query, wanted in CASES.items():
    got = str(engine.query(query, "CSV"))
    assert got == wanted, (query, got, wanted)

# The types of the results.
TYPES = {entry.findtext("name"): entry.findtext("return_type") for entry in xml.etree.ElementTree.fromstring(config)}
ROWS = os.path.join(folder, "rows.json")
with open(ROWS, "w", encoding="utf-8") as out:
    out.writelines(json.dumps({"s": row}) + "\n" for row in functions.rows())
engine.query("CREATE DATABASE test")
engine.query("USE test")
engine.query("CREATE TABLE shared (s Nullable(String)) ENGINE = Memory")
engine.query("INSERT INTO shared SELECT s FROM file('%s', 'JSONEachRow', 's Nullable(String)')" % ROWS)


def named(sql):
    """Returns a query in which each function with options has the name that it has in ClickHouse."""
    return re.sub(r"(pct_\w+)\((s|NULL),", r"\1_with(\2,", sql)


def call(sql):
    """Returns the results of a function for all rows."""
    sql = named(sql)
    result = "hex(r)" if TYPES[sql.partition("(")[0]] == "Nullable(String)" else "r"
    query = "SELECT %s FROM (SELECT %s r FROM shared) SETTINGS max_threads = 1, output_format_json_named_tuples_as_objects = 1"
    lines = str(engine.query(query % (result, sql), "JSONCompactEachRow")).splitlines()
    values = [json.loads(line)[0] for line in lines]
    return [bytes.fromhex(value) if result == "hex(r)" and value is not None else value for value in values]


def expected(oracle, sql):
    """Returns the results as ClickHouse has them. Its maps, lists and tuples can't be null."""
    for value in functions.expected(oracle):
        if sql == "url_params(s)":
            yield [{"name": name, "value": text} for name, text in value or []]
        elif sql == "url_query(s)":
            yield value or {}
        elif sql == "url_parse(s)":
            yield value or dict.fromkeys(functions.parse(""))
        else:
            yield value.encode() if isinstance(value, str) else value


# After a query has failed, the functions work again.
functions.assert_wrong(lambda query: engine.query(named(query)))
for sql, *_, oracle in functions.FUNCTIONS:
    for text, found, other in zip(functions.rows(), call(sql), expected(oracle, sql), strict=True):
        assert found == other, "%s of %r: %r, not %r" % (sql, text, found, other)


def own(name, text):
    return bytes.fromhex(str(engine.query("SELECT hex(%s('%s'))" % (name, text), "TSVRaw")).strip())


functions.assert_builtins("ClickHouse", own)


def skipping(text):
    """Decodes as decodeURLComponent does: it copies a malformed `%` and the next two bytes, although they can begin an escape."""
    value = lambda escape: bytes.fromhex(escape[1].decode()) if re.fullmatch(b"[0-9A-Fa-f]{2}", escape[1]) else escape[0]
    return re.sub(b"(?s)%(..)", value, text.encode())


for name, sql in {"decodeURLComponent": "pct_decode_blob(s)", "encodeURLComponent": "pct_encode(s)"}.items():
    lines = str(engine.query("SELECT hex(%s(s)) FROM file('%s', 'JSONEachRow', 's String')" % (name, ROWS), "TSVRaw")).split("\n")
    for text, line, ours in zip(functions.rows(), lines, call(sql)):
        if text is None:
            continue
        if name.startswith("decode") and re.search("(?s)%(?![0-9A-Fa-f]{2}).?%", text):
            ours = skipping(text)
        assert bytes.fromhex(line) == ours, (name, text, line, ours)
print("chdb %s: %d queries passed, %d functions equal their oracles" % (chdb.__version__, len(CASES), len(functions.FUNCTIONS)))
