# shellcheck shell=bash
# Each benchmark runs once, and the other workspace of benchmarks compiles.
part benches benches crates/rivals tests/oracle
step cargo test --locked -p percent-simd-bench --benches
step cargo check --locked --manifest-path crates/rivals/Cargo.toml
nightly scripts/table --quick
nightly scripts/calls --quick
nightly scripts/benchmarks --quick
