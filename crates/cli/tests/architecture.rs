//! Imports between the modules run one way: from `main` down to `sets`; what knows records is the crate `percent-simd-records`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use percent_simd_oracle as _; // ends a suite that hangs

/// The modules from top to bottom. Each imports only modules of the rows below its own.
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
    &["findings"],
    &["user_formats", "compress", "inplace", "sets"],
    &["message", "signals"],
];

/// The files of `plan`.
const PLANS: &[&[&str]] =
    &[&["lines"], &["fields"], &["beside", "bulk", "records", "tally"], &["pass", "walk"], &["policies"]];

/// Those of the crate `percent-simd-records`.
const RECORDS: &[&[&str]] =
    &[&["lib"], &["transform"], &["verb"], &["diagnostic", "guard"], &["formats", "place", "policy"], &["framing"]];

/// The files of its `formats`.
const FORMATS: &[&[&str]] = &[
    &["sniff"],
    &["names"],
    &["nested", "user"],
    &["access", "delimited", "json", "labelled", "logfmt", "pattern", "sitemap", "spaced", "warc", "whole"],
    &["role", "token"],
    &["format"],
    &["wrap"],
    &["shape"],
];

fn layer(layers: &[&[&str]], module: &str) -> usize {
    layers.iter().position(|row| row.contains(&module)).unwrap_or_else(|| panic!("`{module}` has no layer"))
}

/// The modules that a source names behind `path`, without its tests.
fn imports(source: &str, path: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let names = |rest: &str| match rest.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap().split(',').map(|item| name(item.trim_start())).collect(),
        None => vec![name(rest)],
    };
    let is_module = |name: &String| name.starts_with(|c: char| c.is_ascii_lowercase());
    code.split(path).skip(1).flat_map(names).filter(is_module).collect()
}

/// Checks the sources in `folder`, which is the room `room` of its crate or, if that is empty, all of it. Returns how many
/// there are.
fn check(folder: &str, room: &str, layers: &[&[&str]]) -> usize {
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
            // What a room shows to others is a matter of the crate.
            if module == "tests" || module == "mod" {
                continue;
            }
            seen += 1;
            let source = fs::read_to_string(&path).unwrap();
            let mut named = imports(&source, &format!("crate::{room}"));
            if !room.is_empty() && relative.components().count() == 1 {
                named.append(&mut imports(&source, "super::"));
            }
            for import in named {
                let is_down = layer(layers, &module) < layer(layers, &import) || module == import;
                assert!(is_down, "{} imports `{import}`, which is not below it", path.display());
            }
        }
    }
    seen
}

#[test]
fn imports_run_down() {
    let seen = check("src", "", LAYERS) + check("src/plan", "plan::", PLANS);
    assert!(seen > 60, "{seen} files");
    // A package holds one crate only.
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("../records/src").exists() {
        let seen = check("../records/src", "", RECORDS) + check("../records/src/formats", "formats::", FORMATS);
        assert!(seen > 50, "{seen} files");
    }
}
