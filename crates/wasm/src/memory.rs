//! Records that memory ran out. After a trap, the caller of the module can then distinguish a lack of memory from a bug.

#[cfg(target_family = "wasm")]
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

static IS_OUT: AtomicBool = AtomicBool::new(false);

/// Returns 1 if an allocation has failed, otherwise 0.
#[unsafe(no_mangle)]
pub extern "C" fn is_out_of_memory() -> u32 {
    u32::from(IS_OUT.load(Relaxed))
}

/// Records that memory ran out, and panics.
#[cold]
pub fn out_of_memory() -> ! {
    IS_OUT.store(true, Relaxed);
    panic!("out of memory")
}

/// An allocator that calls another allocator, and records if an allocation fails.
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

// SAFETY: every call goes to another allocator, and its result is returned unchanged.
#[cfg(target_family = "wasm")]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Noting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of this function.
        self.noted(unsafe { self.0.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of this function.
        self.noted(unsafe { self.0.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, len: usize) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of this function.
        self.noted(unsafe { self.0.realloc(block, layout, len) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller fulfils the contract of this function.
        unsafe { self.0.dealloc(block, layout) }
    }
}
