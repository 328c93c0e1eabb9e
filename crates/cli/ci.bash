# shellcheck shell=bash
# The part `rust` runs the suites of `pct`. This part has its longer checks.
part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
nightly crates/cli/scripts/linear
