//! Every public operation takes work in proportion to its input. This is one test, alone in its binary.

use percent_standards_oracle::memory::Watched;
use percent_standards_oracle::work::{OPERATIONS, eight_times_the_input_is_eight_times_the_work as check};

#[global_allocator]
static MEMORY: Watched = Watched;

#[test]
fn eight_times_the_input_is_eight_times_the_work() {
    check(OPERATIONS);
}
