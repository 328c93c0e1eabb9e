# shellcheck shell=bash
# The part `rust` runs the suites of `pct`. The part `logs` needs only the program, which `rust` has compiled before, so it takes seconds.
# The part `cli` also compiles arrow, and takes minutes.
part logs crates/cli crates/records examples/access.log
step cargo run --locked -p percent-simd-cli -- decode --format combined examples/access.log
step crates/cli/scripts/strangers # compares real samples with what Python reads in them

part cli crates/cli crates/records
step cargo test --locked -p percent-simd-cli --features arrow --test cli cut:: # compiles arrow, optimized
step cargo build --locked -p percent-simd-cli --features arrow
step crates/cli/scripts/arrow # reads the stream with pyarrow, Polars and DuckDB
nightly crates/cli/scripts/linear
