# shellcheck shell=bash
part duckdb integrations/duckdb integrations/functions.py crates/host
step integrations/duckdb/scripts/test
