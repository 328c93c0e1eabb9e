//! Imports between the modules of `pct` and of `percent-simd-records` run one way, from top to bottom.

use percent_simd_oracle::architecture::assert_layers;

/// The modules of `pct`, from top to bottom. A module imports only modules of the rows below its own.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["verbs"],
    &["run"],
    &["output"],
    &["args", "pipeline", "progress"],
    &["report"],
    &["job"],
    &["record_verb"],
    &["tally"],
    &["findings"],
    &["user_formats", "compress", "inplace", "sets"],
    &["message", "signals"],
];

/// The modules of the crate `percent-simd-records`, likewise.
const RECORDS: &[&[&str]] =
    &[&["lib"], &["transform"], &["verb"], &["diagnostic", "guard"], &["formats", "place", "policy"], &["framing"]];

#[test]
fn imports_run_down() {
    assert_layers(env!("CARGO_MANIFEST_DIR"), LAYERS);
    assert_layers(concat!(env!("CARGO_MANIFEST_DIR"), "/../records"), RECORDS);
}
