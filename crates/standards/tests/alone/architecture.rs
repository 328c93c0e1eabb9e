//! The rules of DESIGN.md that a grep can hold, for this crate.
#![cfg(not(target_family = "wasm"))]

use percent_standards_oracle::architecture::{assert_finished, assert_imports, assert_operations, assert_time_limits};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Which modules each module may import, from the ground up. A new pair is a decision: it goes here with the change that
/// needs it. No module imports one further down, so there is no circle.
const IMPORTS: &[(&str, &[&str])] = &[
    ("memory", &[]),
    ("newline", &["memory"]),
    ("charset", &["memory"]),
    ("ecma", &["memory"]),
    ("http", &["memory"]),
    ("uri", &["memory", "newline"]),
    ("iri", &["memory", "uri"]),
    ("whatwg", &["charset", "memory", "uri"]),
    ("waf", &["ecma", "memory"]),
    ("form", &["charset", "memory", "newline", "whatwg"]),
    ("io", &["charset", "ecma", "form", "http", "uri"]),
];

#[test]
fn imports_are_those_of_the_table() {
    assert_imports(ROOT, IMPORTS, |module| module);
}

#[test]
fn nothing_is_left_to_do() {
    assert_finished(ROOT, &["src"]);
}

#[test]
fn every_suite_has_a_time_limit() {
    assert_time_limits(ROOT, &["tests"], &[]);
}

/// Public functions that take no more than a few instructions, or as many as the name that they are asked for has bytes: they
/// need not be counted.
const TAKE_NO_TIME: &[&str] = &[
    // of a byte or a character
    "classify",
    "is_bidi_control",
    "is_iprivate",
    "is_reserved",
    "is_ucschar",
    "is_unreserved",
    "reserved",
    "unreserved",
    // of options, and what they are
    "all",
    "is_ascii_compatible",
    "name",
    "output_encoding",
    "with_engine",
    // a field
    "as_str",
    "bounds",
    "bytes",
    "language",
    "offset",
    "parse_error",
    "path_or_root",
    "scheme",
    "value",
    "value_offset",
    // of a length
    "max_encoded_len",
];

#[test]
fn every_public_function_is_among_the_operations() {
    assert_operations(ROOT, &[], include_str!("../oracle/src/work.rs"), TAKE_NO_TIME);
}
