//! Compares two files in packages/npm with the library's catalogue of sets. catalogue.js has the sets, and names.d.ts
//! has the type of their names. If the environment has `CATALOGUE=write`, writes both files instead.

use std::fmt::Write as _;
use std::{env, fs};

use percent_simd::presets::{CATALOGUE, Preset};

use crate::abi::flag;

/// Returns the set as hexadecimal digits, from byte 0 on, without zeros at the end.
fn bits(entry: &Preset) -> String {
    let bytes = entry.allowed.words().map(u64::to_le_bytes).concat();
    let len = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes[..len].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_npm_package_has_the_catalogue_of_the_library() {
    let mut expected = String::from(
        "// Made by crates/wasm/src/catalogue.rs. Each entry has a name, a clause, the bits of the set in hexadecimal from byte 0 on, and flags.\n\
         export const CATALOGUE = [\n",
    );
    for entry in CATALOGUE {
        let flags = [
            (entry.lowercase, flag::LOWERCASE),
            (entry.space_to_plus, flag::PLUS),
            (entry.keep_triplets, flag::KEEP_TRIPLETS),
        ];
        let flags: u32 = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
        writeln!(expected, "  [\"{}\", \"{}\", \"{}\", {flags}],", entry.name, entry.clause, bits(entry)).unwrap();
    }
    expected.push_str("];\n");
    let mut names = String::from(
        "// Made by crates/wasm/src/catalogue.rs.\n\n/** The names of the catalogue. */\nexport type CatalogueName =\n",
    );
    for entry in CATALOGUE {
        writeln!(names, "  | \"{}\"", entry.name).unwrap();
    }
    names.insert(names.len() - 1, ';');
    check("catalogue.js", &expected);
    check("names.d.ts", &names);
}

fn check(name: &str, expected: &str) {
    let path = [env!("CARGO_MANIFEST_DIR"), "/../../packages/npm/", name].concat();
    if env::var_os("CATALOGUE").is_some_and(|value| value == "write") {
        fs::write(&path, expected).unwrap();
    }
    assert!(
        fs::read_to_string(path).is_ok_and(|text| text == expected),
        "{name} is stale: CATALOGUE=write cargo test writes it anew"
    );
}
