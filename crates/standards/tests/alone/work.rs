//! Tests that the work of every public operation is proportional to the length of its input.

use percent_standards_oracle::work::{OPERATIONS, eight_times_the_input_is_eight_times_the_work as check};

#[test]
fn eight_times_the_input_is_eight_times_the_work() {
    check(OPERATIONS);
}
