#!/bin/bash -eu
# Builds every fuzz target into $OUT, each with its seeds, its dictionary and its options. OSS-Fuzz sets $SANITIZER, $SRC, $OUT
# and other variables. To try this script on your machine: SRC=.. OUT=/tmp/out fuzz/oss-fuzz/build.sh.
cd "$(dirname "$0")/../.."
# In OSS-Fuzz's container this file is beside the clone.
if [[ ! -d fuzz/fuzz_targets ]]; then cd "$SRC/percent-simd"; fi

cargo fuzz build -O --debug-assertions
host=$(rustc -vV | sed -n 's/^host: //p')
for source in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$source" .rs)
    cp "fuzz/target/$host/release/$name" "$OUT/"
    cp fuzz/escapes.dict "$OUT/$name.dict"
    # Under the fuzzer the library's buffers are small, so an input of 2 KiB is longer than each of them.
    printf '[libfuzzer]\nmax_len = 2048\nlen_control = 10\n' >"$OUT/$name.options"
    python3 - "fuzz/seeds/$name.txt" "$OUT/${name}_seed_corpus.zip" <<'END'
import base64, hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as corpus:
    for line in open(sys.argv[1]):
        seed = base64.b64decode(line)
        corpus.writestr(zipfile.ZipInfo(hashlib.sha1(seed).hexdigest()), seed)
END
done
