//! Imports between the modules run one way: from `main` down to `sets`; what knows records is the crate `percent-simd-records`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use percent_simd_oracle as _; // ends a suite that hangs

/// The modules from top to bottom; one imports those of the rows below its own, and none beside it but as said here.
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

fn layer(layers: &[&[&str]], module: &str) -> usize {
    layers.iter().position(|row| row.contains(&module)).unwrap_or_else(|| panic!("`{module}` has no layer"))
}

/// The modules that a source names, without its tests.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    code.split("crate::").skip(1).map(name).filter(|name: &String| !name.is_empty()).collect()
}

/// Checks the sources in `folder`, and returns how many there are.
fn check(folder: &str, layers: &[&[&str]]) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let (mut seen, mut folders) = (0, vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let relative = path.strip_prefix(&root).unwrap().with_extension("");
            let module = relative.components().next().unwrap().as_os_str().to_str().unwrap().to_string();
            if module == "tests" {
                continue;
            }
            seen += 1;
            for import in imports(&fs::read_to_string(&path).unwrap()) {
                let is_down = layer(layers, &module) < layer(layers, &import) || module == import;
                assert!(is_down, "{} imports `{import}`, which is not below it", path.display());
            }
        }
    }
    seen
}

#[test]
fn imports_run_down() {
    let seen = check("src", LAYERS);
    assert!(seen > 25, "{seen} files");
    // A package holds one crate only.
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/src").exists() {
        let seen = check("../records/src", RECORDS);
        assert!(seen > 15, "{seen} files");
    }
}
