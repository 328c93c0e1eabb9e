//! An allocator that counts allocations while [`taken`] runs. A program that needs the counts declares
//! `#[global_allocator] static COUNTING: Counting = Counting;`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// The system's allocator, which counts while [`taken`] runs.
pub struct Counting;

static ON: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The allocations of a call.
#[derive(Clone, Copy)]
pub struct Taken {
    /// Allocations and reallocations.
    pub calls: usize,
    /// The highest number of bytes that the call held at one time.
    pub peak: usize,
}

/// Runs `call`, and returns its result and its allocations.
pub fn taken<R>(call: impl FnOnce() -> R) -> (R, Taken) {
    CALLS.store(0, Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    ON.store(true, Relaxed);
    let result = call();
    ON.store(false, Relaxed);
    (result, Taken { calls: CALLS.load(Relaxed), peak: PEAK.load(Relaxed).unsigned_abs() })
}

fn count(calls: usize, freed: usize, got: usize) {
    if ON.load(Relaxed) {
        CALLS.fetch_add(calls, Relaxed);
        let change = got as isize - freed as isize;
        PEAK.fetch_max(LIVE.fetch_add(change, Relaxed) + change, Relaxed);
    }
}

// SAFETY: every call is passed on to the system's allocator under the same contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, 0, layout.size());
        // SAFETY: the caller keeps the contract of this function, which is the contract of `System` too.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, 0, layout.size());
        // SAFETY: the caller keeps the contract of this function, which is the contract of `System` too.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, layout.size(), size);
        // SAFETY: the caller keeps the contract of this function, which is the contract of `System` too.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, layout.size(), 0);
        // SAFETY: the caller keeps the contract of this function, which is the contract of `System` too.
        unsafe { System.dealloc(block, layout) }
    }
}
