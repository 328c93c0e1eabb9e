# shellcheck shell=bash
part haproxy integrations/haproxy integrations/hostile.py crates/capi crates/capi-dylib
step integrations/haproxy/scripts/test
