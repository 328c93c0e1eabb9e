# shellcheck shell=bash
# The part `rust` runs the suites of `pct`. This part has its longer checks.
part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
step cargo build --locked -p percent-simd-cli --features arrow
step crates/cli/scripts/arrow # reads the stream with pyarrow, Polars and DuckDB
step cargo run --locked -p percent-simd-cli -- decode --format combined examples/access.log
step crates/cli/scripts/strangers # compares real samples with what Python reads in them
nightly crates/cli/scripts/linear
