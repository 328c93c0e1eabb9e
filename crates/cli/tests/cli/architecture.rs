//! Imports between the modules run one way: from `main` down to `sets`; what knows records is the crate `percent-simd-records`.

use percent_simd_oracle::architecture::assert_layers;

/// The modules from top to bottom; a module imports only those of the rows below its own.
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

/// Those of the crate `percent-simd-records`.
const RECORDS: &[&[&str]] =
    &[&["lib"], &["transform"], &["verb"], &["diagnostic", "guard"], &["formats", "place", "policy"], &["framing"]];

#[test]
fn imports_run_down() {
    assert_layers(env!("CARGO_MANIFEST_DIR"), LAYERS);
    assert_layers(concat!(env!("CARGO_MANIFEST_DIR"), "/../records"), RECORDS);
}
