# shellcheck shell=bash
part clickhouse integrations/clickhouse integrations/functions.py crates/arrow crates/cli crates/records
step integrations/clickhouse/scripts/test
