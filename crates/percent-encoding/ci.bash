# shellcheck shell=bash
part drop-in crates/percent-encoding crates/form_urlencoded crates/standards/src/form
step crates/percent-encoding/scripts/test
