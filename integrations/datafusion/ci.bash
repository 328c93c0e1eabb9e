# shellcheck shell=bash
part datafusion integrations/datafusion integrations/functions.py crates/arrow crates/host
step integrations/datafusion/scripts/test
