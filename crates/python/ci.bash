# shellcheck shell=bash
part python crates/python crates/host crates/arrow integrations/functions.py docs/columns.md
step cargo test --quiet --locked -p percent-simd-arrow --features arrow-60,domains
# The suite of `wheels` tests the optimised library every night.
step env CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 crates/python/scripts/test
nightly env PERCENT_SIMD_SEED=random PERCENT_SIMD_CASES=20 crates/python/scripts/test
nightly crates/python/scripts/wheels
nightly crates/python/scripts/suites
nightly crates/python/scripts/spark 100000
