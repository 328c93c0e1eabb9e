"""Counts instructions with valgrind's callgrind. scripts/linear and scripts/instructions share this module."""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Callgrind counts each byte of a `rep movsb` as an instruction. If growing a `Vec` happened to move it, the move would
# look expensive. So turn off `rep movsb`.
ENVIRONMENT = os.environ | {"PERCENT_SIMD_LIMIT": "0", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-ERMS,-FSRM"}

root = Path(__file__).resolve().parent.parent


def build(package, program, *options):
    """Compiles a program, installs valgrind, and returns the path of the program."""
    if not shutil.which("valgrind"):
        subprocess.run(["bash", "-c", "set -e; source scripts/common.bash; need valgrind"], cwd=root, check=True)
    subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "-p", package, "--bin", program, *options],
                   cwd=root, check=True)
    return str(Path(os.environ.get("CARGO_TARGET_DIR", root / "target")) / "release" / program)


def counted(program, *arguments):
    """Runs a program, which calls `percent_simd_mark` before and after each measured call. For each call, the program prints a line
    of fields, separated by tabs. Returns the fields and the number of instructions of each call."""
    with tempfile.TemporaryDirectory() as folder:
        lines = subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--dump-before=percent_simd_mark", "--dump-instr=no",
             f"--callgrind-out-file={folder}/out", program, *arguments],
            check=True, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT,
        ).stdout.splitlines()
        # A dump has the counts between two calls of `percent_simd_mark`, so every second dump covers a measured call.
        dumps = sorted(glob.glob(f"{folder}/out.*"), key=lambda name: int(name.rsplit(".", 1)[1]))
        counts = [int(re.search(r"^(?:totals|summary): (\d+)", Path(dump).read_text(), re.M).group(1)) for dump in dumps][1::2]
    if not lines or len(counts) < len(lines):
        sys.exit(f"{program} {' '.join(arguments)}: {len(lines)} calls, but {len(counts)} counts")
    return [(*line.split("\t"), count) for line, count in zip(lines, counts)]
