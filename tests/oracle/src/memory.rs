//! An allocator that counts each thread's requests for memory, and can refuse some.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Range;
use std::thread::LocalKey;

thread_local! {
    /// How many blocks of memory this thread has requested, including reallocations.
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
    /// The total size of these requests in bytes.
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
    /// The bytes that this thread has allocated, minus the bytes that it has freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The number of requests that can be refused. These are all requests except the ones that make a block smaller.
    static REFUSABLE: Cell<usize> = const { Cell::new(0) };
    /// Requests for more bytes than this are refused.
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// If this is `(a, b)`, requests number `a` to `b - 1` are refused. [`REFUSABLE`] counts the requests.
    static REFUSED: Cell<(usize, usize)> = const { Cell::new((usize::MAX, usize::MAX)) };
    /// True while requests are neither counted nor refused.
    static IS_OUTSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The allocator for suites that count memory or refuse it. A suite installs it with
/// `#[global_allocator] static MEMORY: memory::Watched = memory::Watched;`.
pub struct Watched;

/// Calls `allocate` for a block of `size` bytes, which replaces a block of `before` bytes. Returns null if the request is
/// refused.
fn request(size: usize, before: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    // At the end of a thread, the counters no longer exist, so requests can't be counted. Grant them.
    let is_granted = IS_OUTSIDE.try_with(|outside| outside.get() || is_granted(size, before)).unwrap_or(true);
    let block = if is_granted { allocate() } else { std::ptr::null_mut() };
    if !block.is_null() {
        has(size as isize - before as isize);
    }
    block
}

/// Counts a request, and returns true if it is granted. A request that makes a block smaller is always granted.
fn is_granted(size: usize, before: usize) -> bool {
    REQUESTS.set(REQUESTS.get() + 1);
    REQUESTED.set(REQUESTED.get() + size);
    if size <= before {
        return true;
    }
    let number = REFUSABLE.replace(REFUSABLE.get() + 1);
    let (first, end) = REFUSED.get();
    size <= LIMIT.get() && !(first..end).contains(&number)
}

fn has(more: isize) {
    _ = LIVE.try_with(|live| live.set(live.get() + more));
}

// SAFETY: every request goes to the system's allocator or is refused, which an allocator may do at any time.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: `System.alloc` and this function have the same contract, and our caller upholds it.
        request(layout.size(), 0, || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        request(layout.size(), 0, || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        has(-(layout.size() as isize));
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        request(size, layout.size(), || unsafe { System.realloc(block, layout, size) })
    }
}

/// Sets `key` to `value` while `run` runs, then restores the old value.
fn with<T: Copy + 'static, R>(key: &'static LocalKey<Cell<T>>, value: T, run: impl FnOnce() -> R) -> R {
    struct Restore<T: Copy + 'static>(&'static LocalKey<Cell<T>>, T);
    impl<T: Copy> Drop for Restore<T> {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(key, key.replace(value));
    run()
}

/// Returns the bytes that this thread has allocated and not freed.
#[must_use]
pub fn live() -> isize {
    LIVE.get()
}

/// Returns the number of blocks that `run` requests, and their total size in bytes.
pub fn requests(run: impl FnOnce()) -> [usize; 2] {
    let before = [REQUESTS.get(), REQUESTED.get()];
    run();
    [REQUESTS.get() - before[0], REQUESTED.get() - before[1]]
}

/// Returns the result of `run`. While it runs, each request for more than `limit` bytes is refused.
pub fn at_most<R>(limit: usize, run: impl FnOnce() -> R) -> R {
    with(&LIMIT, limit, run)
}

/// Runs `run`, and refuses its requests with these numbers. Returns its result, and true if a request was refused. Requests
/// are numbered from 0. A request that makes a block smaller has no number.
pub fn refusing<R>(numbers: Range<usize>, run: impl FnOnce() -> R) -> (R, bool) {
    let before = REFUSABLE.get();
    let first = before + numbers.start;
    let result = with(&REFUSED, (first, before.saturating_add(numbers.end)), run);
    (result, REFUSABLE.get() > first)
}

/// Runs code of the test itself, whose requests are neither counted nor refused.
pub fn outside<R>(run: impl FnOnce() -> R) -> R {
    with(&IS_OUTSIDE, true, run)
}
