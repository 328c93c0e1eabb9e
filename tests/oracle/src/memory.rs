//! The system's memory, which each thread counts, and of which it can be denied some.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::Range;
use std::thread::LocalKey;

thread_local! {
    /// Blocks that this thread has asked for, those in the place of others among them.
    static REQUESTS: Cell<usize> = const { Cell::new(0) };
    /// Bytes of these.
    static REQUESTED: Cell<usize> = const { Cell::new(0) };
    /// Bytes that it has and has not given back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// Of the blocks asked for, those that are not smaller ones in the place of others.
    static REFUSABLE: Cell<usize> = const { Cell::new(0) };
    /// A request for more bytes is refused.
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// These requests are refused, by the number of [`REFUSABLE`] ones before them.
    static REFUSED: Cell<(usize, usize)> = const { Cell::new((usize::MAX, usize::MAX)) };
    /// Whether nothing is counted or refused.
    static IS_OUTSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The allocator of a suite that counts memory, or denies itself some:
/// `#[global_allocator] static MEMORY: memory::Watched = memory::Watched;`.
pub struct Watched;

/// Returns a block of `size` bytes from `allocate`, in the place of one of `before` bytes; null if the request is refused.
fn request(size: usize, before: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
    // There are no counters any more where a thread ends.
    let is_granted = IS_OUTSIDE.try_with(|outside| outside.get() || is_granted(size, before)).unwrap_or(true);
    let block = if is_granted { allocate() } else { std::ptr::null_mut() };
    if !block.is_null() {
        has(size as isize - before as isize);
    }
    block
}

/// Counts a request, and returns whether it is granted. An allocator does not refuse to make a block smaller.
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

// SAFETY: all is left to the system's allocator, or refused, which is allowed at any time.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        request(layout.size(), 0, || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        request(layout.size(), 0, || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        has(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        request(size, layout.size(), || unsafe { System.realloc(block, layout, size) })
    }
}

/// Runs with `value` in the place of what is there, which is there again afterwards.
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

/// Returns how many bytes of memory this thread has.
#[must_use]
pub fn live() -> isize {
    LIVE.get()
}

/// Returns how many blocks of memory `run` asks for, and how many bytes those have in all.
pub fn requests(run: impl FnOnce()) -> [usize; 2] {
    let before = [REQUESTS.get(), REQUESTED.get()];
    run();
    [REQUESTS.get() - before[0], REQUESTED.get() - before[1]]
}

/// Returns what `run` makes of it where no more than `limit` bytes can be had at once.
pub fn at_most<R>(limit: usize, run: impl FnOnce() -> R) -> R {
    with(&LIMIT, limit, run)
}

/// Returns what `run` makes of it where its requests of these numbers are refused, from 0 on, and whether it makes one of them.
/// A request to make a block smaller has no number.
pub fn refusing<R>(numbers: Range<usize>, run: impl FnOnce() -> R) -> (R, bool) {
    let before = REFUSABLE.get();
    let first = before + numbers.start;
    let result = with(&REFUSED, (first, before.saturating_add(numbers.end)), run);
    (result, REFUSABLE.get() > first)
}

/// Runs what neither counts nor is refused: what a test needs besides what it tests.
pub fn outside<R>(run: impl FnOnce() -> R) -> R {
    with(&IS_OUTSIDE, true, run)
}
