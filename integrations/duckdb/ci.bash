# shellcheck shell=bash
part duckdb integrations/duckdb integrations/functions.py crates/arrow crates/host
step integrations/duckdb/scripts/test --quick
nightly integrations/duckdb/scripts/test
