# shellcheck shell=bash
# The page holds the modules and the npm package, and `pct` holds the page.
part page web packages/npm crates/wasm crates/wasm-records crates/records crates/cli/src/verbs/page.rs crates/cli/build.rs
step web/scripts/test
