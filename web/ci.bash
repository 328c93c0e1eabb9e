# shellcheck shell=bash
# The page contains the modules and the npm package, and the program `pct` contains the page.
part page web packages/npm crates/wasm crates/wasm-records crates/records crates/cli/src/verbs/page.rs crates/cli/build.rs
step web/scripts/test
nightly packages/npm/scripts/everywhere
