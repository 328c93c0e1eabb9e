//! Every public operation does work in proportion to its input.

use percent_simd_oracle::work::{OPERATIONS, eight_times_the_input_is_eight_times_the_work as check};

#[test]
fn eight_times_the_input_is_eight_times_the_work() {
    #[cfg(all(feature = "std", not(target_family = "wasm")))]
    crate::first_call::begin();
    check(OPERATIONS);
}
