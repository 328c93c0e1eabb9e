//! The rules of DESIGN.md that a text search can check: the direction of imports, and the places of `unsafe` and intrinsics.
#![cfg(not(target_family = "wasm"))]

use percent_simd_oracle::architecture::{
    assert_finished, assert_imports, assert_operations, assert_time_limits, code, sources,
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Each module, and the modules that it may import. A module may import only modules above it in this list, so imports
/// form no circle. Before you add a module to a row, check that the row's module really should depend on the added
/// module.
const IMPORTS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("find", &[]),
    ("input", &[]),
    ("output", &[]),
    ("set", &[]),
    ("triplet", &[]),
    ("words", &["output"]),
    ("memory", &["words"]),
    ("isa", &["output", "set", "triplet", "words"]),
    ("kernel", &["error", "find", "isa", "output", "set", "triplet", "words"]),
    ("engine", &["find", "isa", "kernel", "output", "set", "triplet", "words"]),
    ("codec", &["engine", "error", "find", "isa", "kernel", "output", "triplet"]),
    ("short", &["codec", "engine", "find", "isa", "kernel", "output", "set", "words"]),
    (
        "sink",
        &[
            "codec", "engine", "error", "find", "input", "isa", "kernel", "memory", "output", "set", "short",
            "triplet", "words",
        ],
    ),
    ("plain", &["engine", "error", "kernel", "output", "set", "triplet"]),
    ("sets", &["set"]),
    ("encode", &["codec", "engine", "error", "input", "isa", "kernel", "memory", "set", "short", "sink", "triplet"]),
    ("presets", &["encode", "set", "sets"]),
    (
        "decode",
        &["codec", "engine", "error", "find", "input", "isa", "kernel", "memory", "set", "short", "sink", "triplet"],
    ),
    ("report", &["codec", "decode", "encode", "error", "kernel", "output", "sink"]),
    ("stream", &["codec", "decode", "encode", "error", "find", "kernel", "sink", "triplet"]),
    ("batch", &["codec", "decode", "encode", "error", "input", "isa", "kernel", "memory", "output", "short", "sink"]),
    (
        "internal",
        &[
            "batch", "decode", "encode", "engine", "error", "input", "isa", "kernel", "output", "plain", "report",
            "set", "short", "sink", "stream", "triplet",
        ],
    ),
];

/// Returns the module that defines `name`. lib.rs re-exports that name.
fn home(name: &str) -> &str {
    match name {
        "AsBytes" => "input",
        "ByteSet" => "set",
        "Encoder" | "RawEncoder" => "encode",
        "Decoder" | "CheckedDecoder" | "Plus" => "decode",
        "DecodeError" | "DecodeErrorKind" | "SliceError" | "OutputTooSmall" => "error",
        module => module,
    }
}

#[test]
fn imports_follow_the_table() {
    assert_imports(ROOT, IMPORTS, home);
}

#[test]
fn unsafe_is_only_in_the_files_that_design_lists() {
    let may = |file: &str| {
        file.starts_with("isa/")
            && !file.contains("mod.rs")
            && !file.contains("vec16")
            && !file.contains("emulated")
            && !file.contains("tables")
            || file == "engine/table.rs"
            || file == "output/mod.rs"
            || file == "output/trusting.rs"
    };
    for (file, text) in sources(ROOT, "src") {
        for (number, line) in text.lines().enumerate() {
            let code = code(line).replace("unsafe_code", "");
            let is_test = file.ends_with("tests.rs");
            assert!(
                !code.contains("unsafe") || is_test || may(&file),
                "src/{file}:{}: unsafe outside of the files that may have it",
                number + 1
            );
            assert!(
                !code.contains("core::arch") || file.starts_with("isa/"),
                "src/{file}:{}: an intrinsic outside isa/",
                number + 1
            );
        }
    }
    for folder in ["crates/cli/src", "crates/records/src"] {
        for (file, text) in sources(ROOT, folder) {
            assert!(!text.lines().any(|line| code(line).contains("unsafe {")), "{folder}/{file}: unsafe");
        }
    }
}

#[test]
fn unchecked_calls_are_few_and_explained() {
    for (file, text) in sources(ROOT, "src") {
        let lines: Vec<&str> = text.lines().collect();
        for (number, _) in lines.iter().enumerate().filter(|(_, line)| code(line).contains("unchecked!(")) {
            let place = format!("src/{file}:{}", number + 1);
            let may = ["engine.rs", "engine/form.rs", "output/mod.rs"].contains(&&*file) || file.starts_with("sink/");
            assert!(may, "{place}: an unchecked call outside of the files that may have it");
            let above = lines[..number].iter().rev().take(3);
            let is_explained =
                above.take_while(|line| !line.trim().is_empty()).any(|line| line.contains("// SAFETY: "));
            assert!(is_explained, "{place}: state above it why this is sound, in a comment `// SAFETY: `");
        }
    }
}

#[test]
fn kernels_forbid_unsafe() {
    let kernel = sources(ROOT, "src").into_iter().find(|(file, _)| file == "kernel/mod.rs");
    assert!(kernel.is_none_or(|(_, text)| text.contains("#![forbid(unsafe_code)]")));
}

#[test]
fn error_types_are_few() {
    let files = ["src", "crates/standards/src"].map(|folder| sources(ROOT, folder));
    let lines = files.iter().flatten().flat_map(|(_, text)| text.lines());
    let types: Vec<&str> = lines.filter(|line| line.contains(" core::error::Error for ")).collect();
    assert!(types.len() < 15, "a variant or kind of one of these may be enough: {types:#?}");
}

#[test]
fn the_sources_hold_no_unfinished_code() {
    assert_finished(
        ROOT,
        &[
            "src", "benches", "fuzz/fuzz_targets", "crates/arrow/src", "crates/capi/src", "crates/cli/src",
            "crates/form_urlencoded/src", "crates/host/src", "crates/percent-encoding/src", "crates/python/src",
            "crates/records/src", "crates/rivals/src", "crates/wasm/src", "crates/wasm-records/src",
            "integrations/clickhouse/src", "integrations/datafusion/src", "integrations/duckdb/src",
        ],
    );
}

#[test]
fn every_suite_has_a_time_limit() {
    assert_time_limits(
        ROOT,
        &[
            "tests",
            "crates/capi/tests",
            "crates/cli/tests",
            "crates/form_urlencoded/tests",
            "crates/percent-encoding/tests",
        ],
        // We don't list crates/records/src. Its tests also run from the published package, and that package can't depend on the
        // oracle, because the oracle isn't published.
        &["crates/cli/src", "crates/wasm/src", "crates/wasm-records/src"],
    );
}

/// The public functions whose work `work.rs` needn't measure. Each takes a few instructions, or its work depends only on a set,
/// an error or a name. `try_` functions needn't be listed.
const TAKE_NO_TIME: &[&str] = &[
    // functions that take a byte, a character or a set
    "complement", "contains", "difference", "from_fn", "from_words", "intersection", "iter", "range", "triplet",
    "union", "with", "words", // functions that set or return options
    "allowed", "escaping", "name", "to_ascii", "with_engine",
    // functions that choose or describe engines
    "active", "available", // functions that return a field
    "get_ref", "into_inner", "shifted",
];

#[test]
fn every_public_function_is_among_the_operations() {
    let hidden = ["engine/", "internal.rs", "isa/", "kernel/", "plain.rs", "report.rs", "sink/"];
    assert_operations(ROOT, &hidden, include_str!("../oracle/src/work.rs"), TAKE_NO_TIME);
}
