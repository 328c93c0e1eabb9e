//! Every public operation takes work in proportion to its input, on every kind of hostile input: eight times the input takes
//! about eight times the memory and, on the engines of plain Rust, eight times the blocks loaded. No clock is looked at;
//! `scripts/linear` counts every instruction. The blocks are those of the whole process, so this is one test.

use percent_simd_oracle::memory::{Watched, requests};
use percent_simd_oracle::work::{OPERATIONS, UNITS, hostile};

#[global_allocator]
static MEMORY: Watched = Watched;

/// Returns what `run` takes: requests for memory, bytes asked for, blocks loaded.
fn work_of(run: impl FnOnce()) -> [usize; 3] {
    #[cfg(percent_simd_emulated)]
    let loaded = percent_simd::emulated_blocks_loaded;
    #[cfg(not(percent_simd_emulated))]
    let loaded = || 0;
    let before = loaded();
    let [requests, bytes] = requests(run);
    [requests, bytes, loaded() - before]
}

#[test]
fn eight_times_the_input_is_eight_times_the_work() {
    const SHORT: usize = 8 * 1024;
    /// For 8 times the input: requests, bytes, blocks. A vector that grows by doubling asks for up to three times its bytes in
    /// all, so those may double besides; and what goes to a vector with little spare room, as it has before it grows, is copied
    /// without an engine, which is more of a short text than of a long one. Quadratic work would be 64 times as much.
    const MOST: [usize; 3] = [10, 16, 10];
    /// The part that does not depend on the length: requests, bytes, blocks.
    const FIXED: [usize; 3] = [16, 8 * 1024, 16];
    let mut all = [0; 3];
    for (name, operation) in OPERATIONS {
        for unit in UNITS {
            let [short, long] = [SHORT, 8 * SHORT].map(|len| hostile(unit, len));
            operation(&short); // what is set up once
            let [short, long] = [short, long].map(|text| work_of(|| operation(&text)));
            for i in 0..3 {
                let most = MOST[i] * short[i] + FIXED[i];
                assert!(
                    long[i] <= most,
                    "{name}, `{unit}`: {short:?}, for 8 times as much {long:?} (requests, bytes, blocks)"
                );
                all[i] += long[i];
            }
        }
    }
    assert!(all[0] > 0 && all[1] > 0);
    // If the engines of plain Rust are the best that there are, they have done it all.
    let emulated = percent_simd::Engine::active().name().starts_with("emulated");
    assert!(all[2] > 0 || !emulated);
}
