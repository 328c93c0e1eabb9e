# shellcheck shell=bash
# The checks of the codec, of the crates that are built on it, and of the whole repository. .ci/run reads
# this file.

part rust src build.rs tests examples benches crates Cargo.toml Cargo.lock rustfmt.toml README.md docs/calls.md docs/moving.md \
    ':!crates/python' ':!crates/capi-dylib' ':!crates/rivals'
step cargo test --workspace --locked
step cargo fmt --all --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
step scripts/check-features
nightly scripts/check-features --full
step scripts/package --check
nightly scripts/package
# All properties with a hundred times the cases, from a random seed, which is printed.
nightly env PERCENT_SIMD_SEED=random PERCENT_SIMD_CASES=100 PERCENT_SIMD_LIMIT=0 cargo test --locked --workspace --tests
# Inputs above 4 GiB, with offsets around 2^31 and 2^32. These tests take minutes and 10 GiB of memory.
nightly env PERCENT_SIMD_LIMIT=0 cargo test --locked --release -p percent-simd --test limits huge:: -- --ignored --test-threads 1
nightly env PERCENT_SIMD_LIMIT=0 cargo test --locked --release -p percent-standards --test text limits::beyond_32_bits -- --ignored
nightly crates/standards/scripts/idna

part links .
step scripts/check-links
step scripts/prose
step scripts/charts --check
step packaging/scripts/versions
step scripts/plant --check
step upstream/check

part engines src build.rs tests examples/engines.rs crates/standards Cargo.toml Cargo.lock scripts/test-on scripts/wasi.mjs
step scripts/test-on emulated
step scripts/test-on x86-levels
step scripts/test-on wasm
# s390x (big-endian), i686, Miri and the sanitizers aren't here: the matrix of .github/workflows/ci.yml runs them.
nightly scripts/test-on emulated-full
nightly scripts/test-on riscv64
nightly scripts/test-on armv7
nightly scripts/test-on powerpc64
nightly scripts/test-on wasm-full

# GitHub also runs all suites on real AArch64 machines.
part aarch64 src build.rs tests examples/engines.rs crates/standards Cargo.toml Cargo.lock scripts/test-on
step scripts/test-on aarch64
nightly scripts/test-on aarch64-full

part fuzz fuzz src build.rs tests/oracle crates/standards crates/records crates/capi crates/percent-encoding crates/form_urlencoded scripts/fuzz
step env FUZZ_RUNS=3000 scripts/fuzz smoke
nightly env FUZZ_RUNS=2000000 FUZZ_SEED=0 scripts/fuzz smoke

part faults src build.rs tests crates/standards crates/capi Cargo.toml Cargo.lock scripts/plant
step scripts/plant --together
nightly scripts/plant

part proofs src tests crates/standards scripts/prove scripts/prove.py scripts/linear
step scripts/prove
nightly scripts/linear

part size src crates/standards scripts/size docs/size.md Cargo.toml
step scripts/size --check

part dependencies '*Cargo.lock' '*Cargo.toml' deny.toml typos.toml scripts/check-dependencies .github
step scripts/check-dependencies
