//! Checks that modules of `pct` and of `percent-simd-records` import only modules of lower layers.

use percent_simd_oracle::architecture::assert_layers;

/// The modules of `pct`, from top to bottom. A module may import only modules of lower rows.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["verbs"],
    &["run"],
    &["output"],
    &["args", "pipeline", "progress"],
    &["report"],
    &["job"],
    &["plan"],
    &["chunk"],
    &["record_verb"],
    &["tally"],
    &["component"],
    &["findings"],
    &["folders", "later"],
    &["user_formats", "compress", "inplace", "sets"],
    &["closed", "message", "redact", "signals"],
];

/// The layers of the files in the folder `plan` of `pct`.
const PLANS: &[&[&str]] =
    &[&["lines"], &["fields"], &["beside", "bulk", "records", "tally"], &["pass", "walk"], &["policies"]];

/// The layers of the modules of the crate `percent-simd-records`.
const RECORDS: &[&[&str]] =
    &[&["lib"], &["transform"], &["verb"], &["diagnostic", "guard"], &["formats", "place", "policy"], &["framing"]];

/// The layers of the files in the folder `formats` of `percent-simd-records`.
const FORMATS: &[&[&str]] = &[
    &["sniff"],
    &["outside"],
    &["names"],
    &["line", "nested", "or_urls", "otlp", "user"],
    &["inside"],
    &[
        "access", "advice", "audit", "delimited", "events", "json", "labelled", "logfmt", "markup", "pairs", "pattern",
        "spaced", "warc", "whole", "words",
    ],
    &["found", "table"],
    &["urls"],
    &["values"],
    &["role", "token"],
    &["format"],
    &["candidates", "wrap"],
    &["facts", "shape"],
];

#[test]
fn imports_run_down() {
    let pct = env!("CARGO_MANIFEST_DIR");
    assert_layers(pct, "", LAYERS);
    assert_layers(pct, "plan", PLANS);
    let records = concat!(env!("CARGO_MANIFEST_DIR"), "/../records");
    assert_layers(records, "", RECORDS);
    assert_layers(records, "formats", FORMATS);
}
