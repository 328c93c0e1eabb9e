#!/usr/bin/env python3
"""Makes a loadable extension of a shared library: footer.py LIBRARY PLATFORM VERSION EXTENSION

DuckDB reads the last 512 bytes of the file: eight fields of 32 bytes, the last one first, and 256 for a signature, which
is empty here, so the extension loads where `allow_unsigned_extensions` is set.
"""

import sys

library, platform, version, extension = sys.argv[1:]
# The version is that of the C interface which the extension asks for, by which one file suits many versions of DuckDB.
fields = ["", "", "", "C_STRUCT", version, "v1.2.0", platform, "4"]
footer = b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)
header = b"\x00\x93\x04\x10duckdb_signature\x80\x04"  # a custom section, as it would be in WebAssembly
with open(extension, "wb") as out:
    out.write(open(library, "rb").read() + header + footer)
