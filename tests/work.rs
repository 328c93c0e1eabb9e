//! Every public operation takes work in proportion to its input, on every kind of hostile input: eight times the input takes
//! about eight times the memory and, on the engines of plain Rust, eight times the blocks loaded. No clock is looked at;
//! `scripts/linear` counts every instruction. The counts are those of the whole process, so this is one test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use percent_simd_oracle::work::{OPERATIONS, UNITS, hostile};

/// How often memory was asked for, and how many bytes in all.
static REQUESTS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The system's memory, counted.
struct Counting;

fn count(size: usize) {
    REQUESTS.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(size, Ordering::Relaxed);
}

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static MEMORY: Counting = Counting;

/// Requests for memory, bytes asked for, blocks loaded.
fn work() -> [usize; 3] {
    #[cfg(percent_simd_emulated)]
    let loaded = percent_simd::emulated_blocks_loaded();
    #[cfg(not(percent_simd_emulated))]
    let loaded = 0;
    [REQUESTS.load(Ordering::Relaxed), BYTES.load(Ordering::Relaxed), loaded]
}

/// Returns what `run` adds to each.
fn work_of(run: impl FnOnce()) -> [usize; 3] {
    let before = work();
    run();
    let after = work();
    std::array::from_fn(|i| after[i] - before[i])
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
