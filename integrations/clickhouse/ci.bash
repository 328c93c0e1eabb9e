# shellcheck shell=bash
part clickhouse integrations/clickhouse crates/cli crates/records
step integrations/clickhouse/scripts/test
