# shellcheck shell=bash
part nginx integrations/nginx integrations/hostile.py crates/capi crates/capi-dylib
step integrations/nginx/scripts/test
