//! If memory can't be allocated, every public operation returns an error or panics as documented, and leaks no memory.
#![cfg(all(target_os = "linux", panic = "unwind", not(miri)))]

use percent_simd_oracle::refusal;
use percent_simd_oracle::work::OPERATIONS;

/// The operations that return an error if memory runs out. The operations that are not in this list panic.
const GO_ON: &[&str] = &[
    "a batch of text, one row",
    "a batch of views, 20 bytes each",
    "a batch with a later layer, rows of 10 bytes",
    "a batch of views with a later layer, 20 bytes each",
    "a batch with nulls, its rows read",
    "batch::used_values",
    "a batch to decode, rows of 10 bytes",
    "a batch to encode, rows of 10 bytes",
];

#[test]
fn operations_survive_each_failed_allocation() {
    let [errors, panics, _] = refusal::operations_survive_each_failed_allocation(OPERATIONS, GO_ON, &[]);
    assert!(errors > 50 && panics > 60);
}
