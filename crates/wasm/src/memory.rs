//! Notes that memory could not be allocated, so that the caller of a module can tell that from a fault after a trap.

#[cfg(target_family = "wasm")]
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

static IS_OUT: AtomicBool = AtomicBool::new(false);

/// Returns 1 if a request for memory has failed, or else 0.
#[unsafe(no_mangle)]
pub extern "C" fn is_out_of_memory() -> u32 {
    u32::from(IS_OUT.load(Relaxed))
}

/// Panics because no allocator could have the memory that is needed.
#[cold]
pub fn out_of_memory() -> ! {
    IS_OUT.store(true, Relaxed);
    panic!("out of memory")
}

/// An allocator that notes a failure of the one in it.
#[cfg(target_family = "wasm")]
pub struct Noting<A>(pub A);

#[cfg(target_family = "wasm")]
impl<A> Noting<A> {
    fn noted(&self, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            IS_OUT.store(true, Relaxed);
        }
        block
    }
}

// SAFETY: every call is passed on to an allocator, and so is its result.
#[cfg(target_family = "wasm")]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Noting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the contract of this function.
        self.noted(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the contract of this function.
        self.noted(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // SAFETY: the contract of this function.
        self.noted(unsafe { self.0.realloc(block, layout, len) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the contract of this function.
        unsafe { self.0.dealloc(block, layout) }
    }
}
