# What the fuzz-* scripts have in common; sourced by them.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! cargo fuzz --version >/dev/null 2>&1; then
    echo "== installing cargo-fuzz"
    cargo install cargo-fuzz --locked --quiet
fi

# The sanitizer and coverage flags are unstable; nothing else here is.
export RUSTC_BOOTSTRAP=1
host=$(rustc -vV | sed -n 's/^host: //p')
targets=${FUZZ_TARGETS:-$(cargo fuzz list)}
# The buffers of the library are small under the fuzzer, so that inputs of this length cross all seams several times.
longest=${FUZZ_MAX_LEN:-2048}

# A committed corpus is a file of lines, an input each in base64: so it shows in a diff, and is one file.
# unpack TARGET FOLDER: its inputs as files. pack TARGET FOLDER: the other way.
unpack() {
    python3 - "fuzz/seeds/$1.txt" "$2" <<'END'
import base64, hashlib, pathlib, sys
seeds, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
for line in seeds.read_text().split() if seeds.exists() else []:
    seed = base64.b64decode(line)
    (folder / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
END
}
pack() {
    python3 - "fuzz/seeds/$1.txt" "$2" <<'END'
import base64, pathlib, sys
seeds, folder = map(pathlib.Path, sys.argv[1:])
seeds.parent.mkdir(exist_ok=True)
inputs = sorted((path.read_bytes() for path in folder.iterdir()), key=lambda seed: (len(seed), seed))
seeds.write_text("".join(base64.b64encode(seed).decode() + "\n" for seed in inputs if seed))
END
}

# options TARGET: how libFuzzer is to run, its seeds and its dictionary among them. What it finds out goes to fuzz/corpus.
options() {
    mkdir -p "fuzz/corpus/$1" "fuzz/artifacts/$1"
    unpack "$1" "fuzz/target/seeds/$1"
    printf '%s\n' "fuzz/corpus/$1" "fuzz/target/seeds/$1"
    printf '%s\n' "-max_len=$longest" -len_control=10 -timeout="${FUZZ_TIMEOUT:-20}" -print_final_stats=1 -dict=fuzz/escapes.dict \
        "-artifact_prefix=fuzz/artifacts/$1/"
}
