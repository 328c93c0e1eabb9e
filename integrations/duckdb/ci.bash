# shellcheck shell=bash
part duckdb integrations/duckdb crates/host
step integrations/duckdb/scripts/test
