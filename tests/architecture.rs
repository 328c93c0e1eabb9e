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
        eprintln!("skipped: the sources are not at {}", root.display());
    }
    found
}

/// The code of a line, without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// The room a file is in, and how far down the way from sets to doors that is.
fn level(file: &str) -> usize {
    match file.split('/').next().unwrap().trim_end_matches(".rs") {
        "set" | "error" | "input" => 0,
        "isa" => 1,
        "kernel" => 2,
        "engine" => 3,
        "sink" => 4,
        "sets" => 5,
        "encode" | "decode" | "report" | "stream" | "batch" | "layers" => 6,
        _ => 7, // the standards, built on those doors
    }
}

#[test]
fn imports_run_one_way() {
    for (file, text) in sources("src") {
        if file == "lib.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for import in code(line).split("crate::").skip(1) {
                let room = import.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                // What lib.rs re-exports, as the catalogue imports it.
                let room = if room == "ByteSet" { "set" } else { room };
                assert!(level(room) <= level(&file), "src/{file}:{}: {} imports {room}", number + 1, file);
            }
        }
    }
}

#[test]
fn unsafe_is_where_design_says() {
    let rooms = [
        "isa/sse42.rs",
        "isa/avx2.rs",
        "isa/avx512.rs",
        "isa/neon.rs",
        "isa/simd128.rs",
        "engine.rs",
        "sink.rs",
        "sink/form.rs",
        "sink/short.rs",
        "encode.rs",
        "decode.rs",
    ];
    for (file, text) in sources("src") {
        for (number, line) in text.lines().enumerate() {
            let code = code(line).replace("unsafe_code", "");
            let is_test = file.ends_with("tests.rs");
            assert!(
                !code.contains("unsafe") || is_test || rooms.contains(&file.as_str()),
                "src/{file}:{}: unsafe outside its rooms",
                number + 1
            );
            assert!(
                !code.contains("core::arch") || file.starts_with("isa/"),
                "src/{file}:{}: an intrinsic outside isa/",
                number + 1
            );
        }
    }
    for (file, text) in sources("crates/cli/src") {
        assert!(!text.lines().any(|line| code(line).contains("unsafe {")), "crates/cli/src/{file}: unsafe");
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
        "crates/rivals/src",
    ] {
        for (file, text) in sources(folder) {
            for word in ["TODO", "FIXME", "todo!", "unimplemented!", "dbg!"] {
                assert!(!text.contains(word), "{folder}/{file}: {word}");
            }
        }
    }
}
