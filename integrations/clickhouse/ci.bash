# shellcheck shell=bash
part clickhouse integrations/clickhouse integrations/functions.py crates/arrow crates/cli crates/records docs/pct/cluster.md
step integrations/clickhouse/scripts/test
