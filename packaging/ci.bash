# shellcheck shell=bash
# The release workflow builds every artefact. This part builds those that one machine can build, and uses each without the sources.
# The parts `rust` and `python` test the crates and the wheels.
part release packaging crates/cli/scripts crates/capi/scripts crates/cli/Cargo.toml packages/npm/package.json
step packaging/scripts/dry-run versions pct c npm page manifests
nightly packaging/scripts/dry-run
