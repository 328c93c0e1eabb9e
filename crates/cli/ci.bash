# shellcheck shell=bash
# The part `rust` runs the test suites. This part runs the longer checks.
part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
nightly crates/cli/scripts/linear
