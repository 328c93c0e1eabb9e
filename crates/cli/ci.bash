# shellcheck shell=bash
# `rust` runs the suites; this part has the longer checks.
part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
nightly crates/cli/scripts/linear
