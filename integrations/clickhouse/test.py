#!/usr/bin/env python3
"""Runs `pct decode --rowbinary` as ClickHouse does, in the engine of Python's chdb package: test.py PCT"""

import os
import re
import shlex
import sys

import chdb
from chdb import session

PCT = os.path.abspath(sys.argv[1])
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
script = os.path.join(folder, "pct_decode.sh")
with open(script, "w") as out:
    out.write("#!/bin/sh\nexec %s decode --rowbinary\n" % shlex.quote(PCT))
os.chmod(script, 0o755)

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
print("chdb %s: %d queries passed" % (chdb.__version__, len(CASES)))
