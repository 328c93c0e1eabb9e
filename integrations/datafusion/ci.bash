# shellcheck shell=bash
part datafusion integrations/datafusion crates/arrow crates/host
step integrations/datafusion/scripts/test
