# shellcheck shell=bash
# Runs each benchmark once, and compiles crates/rivals, which is another workspace.
part benches benches crates/rivals tests/oracle
step cargo test --locked -p percent-simd-bench --benches
step cargo check --locked --manifest-path crates/rivals/Cargo.toml
nightly scripts/table --quick
nightly scripts/calls --quick
nightly scripts/benchmarks --quick
