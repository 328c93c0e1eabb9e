#!/usr/bin/env python3
"""Turns a shared library into a loadable extension: footer.py LIBRARY PLATFORM VERSION EXTENSION

DuckDB reads the last 512 bytes of the file: eight fields of 32 bytes, in reverse order, and 256 bytes for a signature. The
signature is empty, so the extension loads only if `allow_unsigned_extensions` is set. repository.py signs it.
"""

import sys

library, platform, version, extension = sys.argv[1:]
# `v1.2.0` is the version of the C interface that the extension needs, not a version of DuckDB. Every version of DuckDB
# with this interface loads the same file.
fields = ["", "", "", "C_STRUCT", version, "v1.2.0", platform, "4"]
footer = b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)
header = b"\x00\x93\x04\x10duckdb_signature\x80\x04"  # the header of a custom section, as in WebAssembly
with open(extension, "wb") as out:
    out.write(open(library, "rb").read() + header + footer)
