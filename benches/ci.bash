# shellcheck shell=bash
# Runs each benchmark once, compiles crates/rivals (another workspace), and compares the counts of instructions with
# docs/measured/instructions.tsv.
part benches src benches crates/rivals tests/oracle docs/measured/instructions.tsv scripts/instructions scripts/callgrind.py
step cargo test --workspace --locked --bench contests # with the features of `cargo test --workspace`, so that cargo reuses its libraries
step cargo check --locked --manifest-path crates/rivals/Cargo.toml
step scripts/instructions
nightly scripts/table --quick
nightly scripts/calls --quick
nightly scripts/benchmarks --quick
nightly crates/rivals/scripts/right --print
nightly crates/rivals/scripts/watch
