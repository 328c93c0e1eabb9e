//! Checks the rules of DESIGN.md that a text search can check. The suites `architecture` of the codec, of the standards and of
//! `pct` call these functions.

use std::fs;
use std::path::Path;

/// Returns the path and the text of each Rust file in a folder and its subfolders. Paths are relative to the folder. If the
/// folder is missing, as in a published package, returns no files.
pub fn sources(crate_root: &str, folder: &str) -> Vec<(String, String)> {
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
    let root = Path::new(crate_root).join(folder);
    let mut found = Vec::new();
    if root.exists() {
        walk(&root, &root, &mut found);
    } else {
        crate::skip(format!("the sources are not at {}", root.display()));
    }
    found
}

/// Returns the code of a line, without its comment.
pub fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Returns the modules that a file uses: the lower-case names that directly follow one of `paths` (`crate::`, for
/// example), each by itself or in a list in braces. Skips the unit tests at the end of the file.
fn imports(text: &str, paths: &[&str]) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code: String = text.lines().map(code).flat_map(|line| [line, "\n"]).collect();
    let names = |path: &str| -> Vec<String> {
        let word = |path: &str| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_string();
        let Some(list) = path.strip_prefix('{') else { return vec![word(path)] };
        // For `{a::{b, c}, d}`, return only `a` and `d`. `b` and `c` are in the module `a`.
        let (mut depth, mut outer) = (0, String::new());
        for character in list.chars() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                _ if depth == 0 => outer.push(character),
                _ => {}
            }
        }
        outer.split(',').map(|name| word(name.trim())).filter(|name| !name.is_empty()).collect()
    };
    let is_module = |name: &String| name.starts_with(|c: char| c.is_ascii_lowercase());
    let after = |path: &&str| code.split(*path).skip(1).flat_map(names).filter(is_module).collect::<Vec<_>>();
    paths.iter().flat_map(after).collect()
}

/// Asserts that each module of a crate imports only the modules in its row of `table`. A row may list only modules whose own
/// rows are above it. `home` takes a name that lib.rs re-exports, and returns the module that defines the name.
pub fn assert_imports(crate_root: &str, table: &[(&str, &[&str])], home: fn(&str) -> &str) {
    assert_imports_of(crate_root, "", table, home);
}

/// Asserts the same as [`assert_imports`] for the submodules of the module `room`. If `room` is empty, checks the whole crate.
fn assert_imports_of(crate_root: &str, room: &str, table: &[(&str, &[&str])], home: fn(&str) -> &str) {
    let folder = if room.is_empty() { "src".to_string() } else { format!("src/{room}") };
    let path = if room.is_empty() { "crate::".to_string() } else { format!("crate::{room}::") };
    let row = |module: &str| table.iter().position(|(name, _)| *name == module);
    for (number, (module, allowed)) in table.iter().enumerate() {
        for import in *allowed {
            assert!(
                row(import).is_some_and(|row| row < number),
                "{module} may not import {import}, whose row is further down"
            );
        }
    }
    let sources = sources(crate_root, &folder);
    let module = |file: &str| file.split('/').next().unwrap().trim_end_matches(".rs").to_string();
    for (name, _) in table {
        let is_there = sources.is_empty() || sources.iter().any(|(file, _)| module(file) == *name);
        assert!(is_there, "{name} has a row in the table of imports, but no file");
    }
    for (file, text) in &sources {
        let module = &module(file)[..];
        if ["lib", "tests", "mod"].contains(&module) {
            continue;
        }
        // If a file is directly in the folder of the module `room`, then `super::name` in this file is another
        // submodule of `room`.
        let is_in_room = !room.is_empty() && !file.contains('/');
        let paths: &[&str] = if is_in_room { &[&path, "super::"] } else { &[&path] };
        let Some(number) = row(module) else { panic!("{folder}/{file}: give {module} a row in the table of imports") };
        for import in imports(text, paths) {
            let import = home(&import);
            let allowed = import == module || table[number].1.contains(&import);
            assert!(allowed, "{folder}/{file} imports {import}: if it should, add it to {module}'s row in the table");
        }
    }
}

/// Asserts that each module imports only modules of lower layers. `layers` begins with the top layer. The modules are
/// submodules of the module `room`. If `room` is empty, they are the modules of the crate.
pub fn assert_layers(crate_root: &str, room: &str, layers: &[&[&str]]) {
    let (mut table, mut below) = (Vec::new(), Vec::new());
    for layer in layers.iter().rev() {
        table.extend(layer.iter().map(|module| (*module, below.clone())));
        below.extend_from_slice(layer);
    }
    let table: Vec<(&str, &[&str])> = table.iter().map(|(module, below)| (*module, &below[..])).collect();
    assert_imports_of(crate_root, room, &table, |module| module);
}

/// Asserts that no file in `folders` has a mark of unfinished code, like `TODO`.
pub fn assert_finished(crate_root: &str, folders: &[&str]) {
    for folder in folders {
        for (file, text) in sources(crate_root, folder) {
            for word in ["TODO", "FIXME", "todo!", "unimplemented!", "dbg!"] {
                assert!(!text.contains(word), "{folder}/{file}: {word}");
            }
        }
    }
}

/// Asserts that all tests have a time limit. A program that hangs is ended if it uses one of the crates whose name ends
/// in `_oracle`. So each test program in the folders `suites`, and the unit tests in each of `units`, must use one of
/// these crates.
pub fn assert_time_limits(crate_root: &str, suites: &[&str], units: &[&str]) {
    let is_of_a_binary = |name: &str| !name.contains('/') || name.ends_with("/main.rs");
    let ways = ["percent_simd_oracle", "percent_standards_oracle", "mod common;", "mod process;"];
    for suites in suites {
        for (name, text) in sources(crate_root, suites).iter().filter(|(name, _)| is_of_a_binary(name)) {
            let is_limited = ways.iter().any(|way| text.contains(way));
            assert!(is_limited, "{suites}/{name} does not use the oracle, which ends a program that hangs");
        }
    }
    for units in units {
        let sources = sources(crate_root, units);
        let brings = |text: &str| text.contains("_oracle as _;");
        assert!(
            sources.is_empty() || sources.iter().any(|(_, text)| brings(text)),
            "no file of {units} uses the oracle, which ends a program that hangs"
        );
    }
}

/// Asserts that the text `operations` names each public function of the crate. Only `try_` functions and the functions in
/// `take_no_time` may be missing. Functions in the files and folders `hidden` don't count as public.
pub fn assert_operations(crate_root: &str, hidden: &[&str], operations: &str, take_no_time: &[&str]) {
    let words: Vec<&str> = operations.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let mut names = Vec::new();
    for (file, text) in sources(crate_root, "src") {
        if hidden.iter().any(|hidden| file.starts_with(hidden)) {
            continue;
        }
        for line in text.lines().map(str::trim_start) {
            let function = ["pub fn ", "pub const fn "].iter().find_map(|start| line.strip_prefix(start));
            let name = function.and_then(|rest| rest.split(['(', '<']).next());
            names.extend(name.filter(|name| !name.starts_with('$')).map(str::to_string)); // `$name` is in a macro
        }
    }
    if names.is_empty() {
        return; // the folder is missing, and `sources` has printed that
    }
    for name in names.iter().filter(|name| !name.starts_with("try_")) {
        let is_counted = words.contains(&name.as_str());
        assert!(is_counted || take_no_time.contains(&name.as_str()), "{name} is not among the operations of work.rs");
    }
    for name in take_no_time {
        assert!(names.iter().any(|public| public == name), "{name} is not public");
    }
}
