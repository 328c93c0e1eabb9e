//! The rules of DESIGN.md that a grep can hold: which way imports run, and where `unsafe` and intrinsics are.
#![cfg(not(target_family = "wasm"))]

use std::fs;
use std::path::{Path, PathBuf};

/// All Rust files below `folder`, with their path from there.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn walk(at: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        let entries = fs::read_dir(at).unwrap_or_else(|error| panic!("{}: {error}", at.display()));
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(&path, root, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    if root.exists() {
        walk(&root, &root, &mut found);
    } else {
        percent_simd_oracle::skip(format!("the sources are not at {}", root.display()));
    }
    found
}

/// The code of a line, without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Which modules each module may import, from the ground up. A new pair is a decision: it goes here with the change that
/// needs it. Nothing imports a module further down, so there is no circle.
const IMPORTS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("input", &[]),
    ("memory", &[]),
    ("set", &[]),
    ("triplet", &[]),
    ("words", &[]),
    ("isa", &["set", "triplet", "words"]),
    ("kernel", &["error", "isa", "set", "triplet", "words"]),
    ("engine", &["isa", "kernel", "set", "triplet", "words"]),
    ("codec", &["engine", "error", "isa", "kernel", "triplet"]),
    ("short", &["codec", "engine", "isa", "kernel", "words"]),
    ("sink", &["codec", "engine", "error", "input", "isa", "kernel", "memory", "set", "short", "words"]),
    ("plain", &["engine", "error", "kernel", "set"]),
    ("sets", &["set"]),
    ("encode", &["codec", "engine", "error", "input", "isa", "kernel", "memory", "set", "sets", "sink", "triplet"]),
    ("decode", &["codec", "engine", "error", "input", "isa", "kernel", "memory", "set", "sink", "triplet"]),
    ("report", &["codec", "decode", "error", "input", "sink"]),
    ("stream", &["codec", "decode", "encode", "error", "kernel", "sink", "triplet"]),
    ("batch", &["codec", "decode", "encode", "error", "input", "kernel", "short", "sink"]),
    // The standards, built on the entry points.
    ("newline", &["input", "memory"]),
    ("charset", &["decode", "encode", "error", "input", "memory", "set", "sink", "stream"]),
    ("ecma", &["decode", "encode", "engine", "error", "input", "kernel", "memory", "set", "sets", "sink", "triplet"]),
    ("http", &["decode", "encode", "error", "input", "memory", "sets"]),
    ("uri", &["decode", "encode", "error", "input", "memory", "newline", "set", "sets", "sink", "triplet"]),
    ("iri", &["decode", "encode", "error", "memory", "set", "sets", "triplet", "uri"]),
    ("whatwg", &["charset", "decode", "encode", "input", "memory", "set", "sets", "uri"]),
    ("waf", &["decode", "ecma", "input", "memory"]),
    (
        "form",
        &[
            "charset", "decode", "encode", "engine", "error", "input", "isa", "memory", "newline", "set", "sets",
            "sink", "whatwg",
        ],
    ),
];

/// Pairs that run against the order of [`IMPORTS`]: each is one type or function, for the reason given.
const UPWARD: &[(&str, &str)] = &[
    ("uri", "iri"),    // a part of a URI as an IRI has it
    ("uri", "whatwg"), // the dot segments of the URL Standard
];

/// The module in which what lib.rs re-exports is defined.
fn home(name: &str) -> &str {
    match name {
        "AsBytes" => "input",
        "ByteSet" => "set",
        "Encoder" | "RawEncoder" => "encode",
        "Decoder" | "CheckedDecoder" | "Plus" => "decode",
        "DecodeError" | "DecodeErrorKind" | "DecodeSliceError" | "OutputTooSmall" => "error",
        module => module,
    }
}

/// The modules that a file names after `crate::`.
fn imports(text: &str) -> impl Iterator<Item = String> {
    let code: String = text.lines().map(code).flat_map(|line| [line, "\n"]).collect();
    let names = |path: &str| -> Vec<String> {
        let word = |path: &str| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_string();
        let Some(list) = path.strip_prefix('{') else { return vec![word(path)] };
        let list = list.split('}').next().unwrap();
        list.split(',').map(|name| word(name.trim())).filter(|name| !name.is_empty()).collect()
    };
    code.split("crate::").skip(1).flat_map(names).collect::<Vec<_>>().into_iter()
}

#[test]
fn imports_are_those_of_the_table() {
    let row = |module: &str| IMPORTS.iter().position(|(name, _)| *name == module);
    for (number, (module, allowed)) in IMPORTS.iter().enumerate() {
        for import in *allowed {
            assert!(
                row(import).is_some_and(|row| row < number),
                "{module} may not import {import}, a row further down"
            );
        }
    }
    for (file, text) in sources("src") {
        let module = file.split('/').next().unwrap().trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let Some(number) = row(module) else { panic!("src/{file}: give {module} a row in IMPORTS") };
        for import in imports(&text) {
            let import = home(&import);
            let allowed = import == module || IMPORTS[number].1.contains(&import) || UPWARD.contains(&(module, import));
            assert!(allowed, "src/{file} imports {import}: if it should, {module}'s row in IMPORTS says so");
        }
    }
}

#[test]
fn no_pair_runs_upward_for_nothing() {
    for &(module, import) in UPWARD {
        let uses =
            |(file, text): &(String, String)| file.starts_with(module) && imports(text).any(|name| name == import);
        let sources = sources("src");
        assert!(
            sources.is_empty() || sources.iter().any(uses),
            "{module} no longer imports {import}: remove it from UPWARD"
        );
    }
}

#[test]
fn unsafe_is_where_design_says() {
    let may = |file: &str| {
        file.starts_with("isa/")
            && !file.contains("mod.rs")
            && !file.contains("vec16")
            && !file.contains("emulated")
            && !file.contains("tables")
            || file == "engine.rs"
            || file.starts_with("engine/")
            || file.starts_with("sink/")
            || file == "memory.rs"
    };
    for (file, text) in sources("src") {
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
        for (file, text) in sources(folder) {
            assert!(!text.lines().any(|line| code(line).contains("unsafe {")), "{folder}/{file}: unsafe");
        }
    }
}

#[test]
fn kernels_forbid_unsafe() {
    let kernel = sources("src").into_iter().find(|(file, _)| file == "kernel/mod.rs");
    assert!(kernel.is_none_or(|(_, text)| text.contains("#![forbid(unsafe_code)]")));
}

#[test]
fn nothing_is_left_to_do() {
    for folder in [
        "src",
        "benches",
        "fuzz/fuzz_targets",
        "crates/cli/src",
        "crates/form_urlencoded/src",
        "crates/percent-encoding/src",
        "crates/records/src",
        "crates/rivals/src",
    ] {
        for (file, text) in sources(folder) {
            for word in ["TODO", "FIXME", "todo!", "unimplemented!", "dbg!"] {
                assert!(!text.contains(word), "{folder}/{file}: {word}");
            }
        }
    }
}

#[test]
fn every_suite_has_a_time_limit() {
    let is_of_a_binary = |name: &str| !name.contains('/') || name.ends_with("/main.rs");
    let limited =
        |text: &str| ["percent_simd_oracle", "mod common;", "mod process;"].iter().any(|way| text.contains(way));
    for suites in [
        "tests",
        "crates/capi/tests",
        "crates/cli/tests",
        "crates/form_urlencoded/tests",
        "crates/percent-encoding/tests",
        "crates/wasm/tests",
        "examples",
    ] {
        for (name, text) in sources(suites).iter().filter(|(name, _)| is_of_a_binary(name)) {
            // An example may have no tests.
            let is_tested = suites != "examples" || text.contains("#[test]");
            assert!(limited(text) || !is_tested, "{suites}/{name} does not bring the oracle, which ends what hangs");
        }
    }
    for units in ["src", "crates/cli/src", "crates/records/src", "crates/wasm/src", "crates/wasm-records/src"] {
        let sources = sources(units);
        assert!(
            sources.is_empty() || sources.iter().any(|(_, text)| text.contains("use percent_simd_oracle as _;")),
            "no file of {units} brings the oracle, which ends what hangs"
        );
    }
}

/// Public functions that take no more than a few instructions, or as many as the set, the error or the name that they are asked
/// for has bytes: they need not be counted. So do the `try_` twins of functions that are.
const TAKE_NO_TIME: &[&str] = &[
    // of a byte, a character or a set
    "bytes",
    "classify",
    "complement",
    "contains",
    "difference",
    "from_fn",
    "from_words",
    "intersection",
    "is_ascii",
    "is_bidi_control",
    "is_iprivate",
    "is_reserved",
    "is_subset",
    "is_ucschar",
    "is_unreserved",
    "iter",
    "range",
    "reserved",
    "symmetric_difference",
    "triplet",
    "union",
    "unreserved",
    "with",
    "words",
    // of options, and what they are
    "all",
    "allowed",
    "is_ascii_compatible",
    "name",
    "output_encoding",
    "restart",
    "to_ascii",
    "with_engine",
    // of engines
    "active",
    "available",
    // a field
    "as_str",
    "bounds",
    "error",
    "form",
    "get_mut",
    "get_ref",
    "input",
    "into_inner",
    "into_input",
    "language",
    "offset",
    "parse_error",
    "path",
    "path_or_root",
    "query",
    "rest",
    "scheme",
    "value",
    "value_offset",
    // of a length
    "max_encoded_len",
];

#[test]
fn every_public_function_is_among_the_operations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path));
    let (Ok(public), Ok(operations)) = (read("scripts/public-api.txt"), read("tests/oracle/src/work.rs")) else {
        return percent_simd_oracle::skip("which functions are counted: the list of public names is not here");
    };
    let words: Vec<&str> = operations.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut names: Vec<&str> = public
        .lines()
        .filter_map(|line| line.split_once(".html: pub ")?.1.split_once("fn "))
        .filter(|(qualifiers, _)| ["", "const ", "unsafe ", "const unsafe "].contains(qualifiers))
        .map(|(_, rest)| rest.split(['(', '<']).next().unwrap())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 200, "{}", names.len());
    for name in names.iter().filter(|name| !name.starts_with("try_")) {
        let is_counted = words.contains(name);
        assert!(is_counted || TAKE_NO_TIME.contains(name), "{name} is not among tests/oracle/src/work.rs's operations");
    }
    for name in TAKE_NO_TIME {
        assert!(names.contains(name), "{name} is not public");
    }
}
