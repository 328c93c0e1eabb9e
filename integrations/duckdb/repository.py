#!/usr/bin/env python3
"""Signs extensions, and puts them into an extension repository: repository.py FOLDER KEY EXTENSION...

FOLDER: the new repository. KEY: a file with an RSA key of 2,048 bits, as `openssl genrsa 2048` prints it. EXTENSION: a file that
footer.py wrote, one for each platform. DuckDB 2 installs an extension from a repository if the repository's key has signed it.
"""

import gzip
import hashlib
import json
import pathlib
import subprocess
import sys

# DuckDB looks for extensions in a folder with the name of its version.
ENGINES = ["v2.0.0", "v2.0.1"]
CHUNK = 1 << 20


def openssl(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


def signed(extension, key):
    """Returns the extension with its signature in the last 256 bytes. The bytes before them are split into chunks, and the hashes
    of the chunks are hashed together. The signature is of that hash, as DuckDB expects."""
    content = extension[:-256]
    chunks = (content[at : at + CHUNK] for at in range(0, len(content), CHUNK))
    digest = hashlib.sha256(b"".join(hashlib.sha256(chunk).digest() for chunk in chunks)).digest()
    signature = openssl("pkeyutl", "-sign", "-inkey", key, "-pkeyopt", "digest:sha256", data=digest)
    if len(signature) != 256:
        sys.exit(f"{key}: the key must have 2,048 bits")
    return content + signature


def platform_of(extension):
    """Returns the platform in the footer: the second field from the end of the fields."""
    return extension[-320:-288].rstrip(b"\0").decode()


def main(folder, key, *extensions):
    folder = pathlib.Path(folder)
    for path in extensions:
        extension = pathlib.Path(path).read_bytes()
        packed = gzip.compress(signed(extension, key), mtime=0)
        for engine in ENGINES:
            target = folder / engine / platform_of(extension) / "percent_simd.duckdb_extension.gz"
            target.parent.mkdir(parents=True)
            target.write_bytes(packed)
    metadata = folder / ".well-known/duckdb-extension-repo.json"
    metadata.parent.mkdir()
    metadata.write_text(json.dumps({"signature_keys": [openssl("rsa", "-in", key, "-pubout").decode()]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
