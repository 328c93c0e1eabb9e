# shellcheck shell=bash
part capi crates/capi crates/capi-dylib examples/access.log
step crates/capi/scripts/test
step crates/capi/scripts/cross
