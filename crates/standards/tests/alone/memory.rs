//! Tests what every public operation does if memory can't be allocated: it panics, as documented, and leaks no memory.
#![cfg(all(target_os = "linux", panic = "unwind", not(miri)))]

use percent_standards_oracle::refusal;
use percent_standards_oracle::work::OPERATIONS;

/// Operations that may end the process instead of panicking. In these, other libraries allocate: serde's types,
/// `encoding_rs`, `idna`, `unicode-security`, `BTreeSet`, and `str::to_lowercase`.
const ABORT: &[&str] = &[
    "Charset: text and bytes",
    "DataUrl",
    "DataUrl, its type",
    "charsets, decoded",
    "charsets, decoded or an error, and in pieces",
    "form::Config, names with brackets",
    "form::from_bytes, deserialize",
    "form::from_str, distinct names",
    "form::from_str, to_string",
    "form::legacy",
    "form::html in a charset, form::legacy by every option",
    "iri::host_to_ascii, host_to_unicode",
    "iri::host_to_ascii_with",
    "lint",
    "uri::registrable_domain",
    "uri::repair",
];

#[test]
fn operations_survive_each_failed_allocation() {
    let [_, panics, aborts] = refusal::operations_survive_each_failed_allocation(OPERATIONS, &[], ABORT);
    assert!(panics > 300 && aborts > 0);
}
