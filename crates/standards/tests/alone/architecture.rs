//! Checks this crate against the rules of DESIGN.md that a search of the sources can check.
#![cfg(not(target_family = "wasm"))]

use percent_standards_oracle::architecture::{assert_finished, assert_imports, assert_operations, assert_time_limits};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The modules that each module may import. A module may import only modules in rows above its own, so there are no
/// cycles.
///
/// A new import is a decision. Add it to this table in the same change that needs it.
const IMPORTS: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("memory", &[]),
    ("output", &[]),
    ("utf8", &[]),
    ("newline", &["memory"]),
    ("charset", &["memory"]),
    ("ecma", &["error", "memory"]),
    ("http", &["error", "memory", "output", "utf8"]),
    ("uri", &["ecma", "error", "memory", "newline", "output", "utf8"]),
    ("iri", &["memory", "uri"]),
    ("whatwg", &["charset", "memory", "uri"]),
    ("waf", &["ecma", "memory"]),
    ("form", &["charset", "http", "memory", "newline", "whatwg"]),
    ("io", &["charset", "ecma", "form", "http", "uri"]),
];

#[test]
fn imports_follow_the_table() {
    assert_imports(ROOT, IMPORTS, |module| module);
}

#[test]
fn the_sources_hold_no_unfinished_code() {
    assert_finished(ROOT, &["src"]);
}

#[test]
fn every_suite_has_a_time_limit() {
    assert_time_limits(ROOT, &["tests"], &[]);
}

/// Public functions whose instructions we don't count.
///
/// They take only a few instructions, or time in proportion to a name that the caller passes. Or a counted operation calls
/// them.
const TAKE_NO_TIME: &[&str] = &[
    // functions on a byte or a character
    "classify", "is_bidi_control", "is_iprivate", "is_reserved", "is_ucschar", "is_unreserved", "reserved",
    "unreserved", // options and their values
    "all", "is_ascii_compatible", "name", "output_encoding", "with_engine",
    // functions that return a field
    "as_slice", "as_str", "bounds", "bytes", "disposition_type", "language", "offset", "parse_error", "path_or_root",
    "reason", "scheme", "value", "value_offset",    // functions on a length
    "max_encoded_len", // a hidden part of `encode_uri`, which is counted
    "to_utf8",
];

#[test]
fn every_public_function_is_among_the_operations() {
    assert_operations(ROOT, &[], include_str!("../oracle/src/work.rs"), TAKE_NO_TIME);
}
