#!/usr/bin/env python3
"""Runs two programs as ClickHouse does, in the engine of Python's chdb package: `pct decode --rowbinary`, and the functions of
this folder. Usage: test.py PCT PROGRAM"""

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree

import chdb
from chdb import session

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import functions  # noqa: E402

PCT, PROGRAM = map(os.path.abspath, sys.argv[1:3])
CALL = "executable('pct_decode.sh', RowBinary, 's String', (%s))"


def folder_of_scripts(engine):
    """Returns the folder where the engine looks for scripts. If a script is missing, the error names the folder."""
    try:
        engine.query("SELECT * FROM " + CALL % "SELECT ''")
    except Exception as error:
        return re.search(r"user scripts folder (\S+)/\.", str(error)).group(1)
    raise AssertionError("the script exists before it was written")


engine = session.Session()
folder = folder_of_scripts(engine)
os.makedirs(folder, exist_ok=True)


def write_script(name, command):
    """Writes a script that the engine finds under this name."""
    script = os.path.join(folder, name)
    with open(script, "w") as out:
        out.write("#!/bin/sh\nexec %s\n" % command)
    os.chmod(script, 0o755)


write_script("pct_decode.sh", shlex.quote(PCT) + " decode --rowbinary")

# SQL queries, each with its result as CSV.
CASES = {
    "SELECT hex(s) FROM " + CALL % "SELECT arrayJoin(['caf%C3%A9', '', '%FF%00', '100%', 'a%0Ab', '%zz'])": (
        '"636166C3A9"\n""\n"FF00"\n"31303025"\n"610A62"\n"257A7A"\n'
    ),
    "SELECT count(), countIf(s = unhex('FF') || toString(n) || repeat('A', n % 300)) FROM (SELECT s, rowNumberInAllBlocks() n FROM "
    + CALL % "SELECT '%FF' || toString(number) || repeat('%41', number % 300) FROM numbers(100000)"
    + ")": "100000,100000\n",
}
for query, wanted in CASES.items():
    got = str(engine.query(query, "CSV"))
    assert got == wanted, (query, got, wanted)

# The types of the results, from the configuration that the program prints.
CONFIG = xml.etree.ElementTree.fromstring(subprocess.check_output([PROGRAM, "--config"]))
TYPES = {entry.findtext("name"): entry.findtext("return_type") for entry in CONFIG}
ROWS = os.path.join(folder, "rows.json")
with open(ROWS, "w", encoding="utf-8") as out:
    out.writelines(json.dumps({"s": row}) + "\n" for row in functions.rows())


def call(sql):
    """Returns the results of a function for all rows. A function with options has a name of its own in ClickHouse."""
    name, option = re.fullmatch(r"(\w+)\(s(?:, ('.*'))?\)", sql).groups()
    if option and name != "url_param":
        name += "_with"
    script = name + ".sh"
    write_script(script, shlex.quote(PROGRAM) + " " + name)
    rows = "SELECT s%s FROM file('%s', 'JSONEachRow', 's Nullable(String)')" % (option and ", toNullable(%s)" % option or "", ROWS)
    result = "hex(r)" if TYPES[name] == "Nullable(String)" else "r"
    query = "SELECT %s r FROM executable('%s', RowBinary, 'r %s', (%s)) SETTINGS max_threads = 1, output_format_json_named_tuples_as_objects = 1"
    lines = str(engine.query(query % (result, script, TYPES[name], rows), "JSONCompactEachRow")).splitlines()
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
