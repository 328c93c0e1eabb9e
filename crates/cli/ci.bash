# shellcheck shell=bash
# The part `rust` runs the normal suites. These steps take longer.
part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
nightly crates/cli/scripts/linear
