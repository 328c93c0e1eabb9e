//! An allocator with a reserve of memory. If the system refuses a small request, the reserve serves that request.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size of a slot in bytes. The reserve serves requests of up to this size.
const SLOT: usize = 2048;
/// The number of slots, and so of requests that the reserve can serve at the same time. One call of the library makes
/// about ten small requests.
const SLOTS: usize = 256;

/// The system's allocator, with a reserve of slots for requests of up to 2 KiB.
///
/// Larger requests can still fail. Their size grows with the input, so make them with calls that return an error.
pub struct Reserve;

#[repr(align(2048))]
struct Memory(UnsafeCell<[u8; SLOT * SLOTS]>);

// SAFETY: only the owner of a slot uses the bytes of the slot. To become its owner, code sets the slot's bit in
// `USED`.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; SLOT * SLOTS]));

/// A bit for each slot: 1 if it is in use.
static USED: [AtomicU64; SLOTS / 64] = [const { AtomicU64::new(0) }; SLOTS / 64];

/// Returns the index of the slot at `block`, or `None` if the system allocated the block.
fn slot_of(block: *mut u8) -> Option<usize> {
    let distance = (block as usize).wrapping_sub(MEMORY.0.get() as usize);
    (distance < SLOT * SLOTS).then_some(distance / SLOT)
}

/// Takes a slot. Returns null if the request is too large or all slots are in use.
#[cold]
fn take(layout: Layout) -> *mut u8 {
    if layout.size() > SLOT || layout.align() > SLOT {
        return ptr::null_mut();
    }
    for (word, used) in USED.iter().enumerate() {
        let taken = used
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, |bits| (bits != u64::MAX).then(|| bits | (bits + 1)));
        if let Ok(before) = taken {
            let slot = word * 64 + before.trailing_ones() as usize;
            return MEMORY.0.get().cast::<u8>().wrapping_add(slot * SLOT);
        }
    }
    ptr::null_mut()
}

/// Gives a slot back to the reserve.
#[cold]
fn give_back(slot: usize) {
    USED[slot / 64].fetch_and(!(1 << (slot % 64)), Ordering::Release);
}

// SAFETY: a block comes from the system, or it is a slot that has no other owner until it is given back. A slot is as
// large as the largest request that it serves, and it is aligned for each request, because the reserve starts at a
// multiple of the slot size. No call here panics.
unsafe impl GlobalAlloc for Reserve {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of `GlobalAlloc::alloc`, and `System.alloc` has the same contract.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { take(layout) } else { block }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller fulfils the contract of `GlobalAlloc::alloc_zeroed`, and `System.alloc_zeroed` has the
        // same contract.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            return block;
        }
        let slot = take(layout);
        if !slot.is_null() {
            // SAFETY: we own the slot, and it is at least as large as the request.
            unsafe { slot.write_bytes(0, layout.size()) };
        }
        slot
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match slot_of(block) {
            Some(slot) => give_back(slot),
            // SAFETY: the block isn't in the reserve, so the system's allocator returned it for this layout.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let slot = slot_of(block);
        if slot.is_none() {
            // SAFETY: as in `dealloc`, the block isn't in the reserve. The caller fulfils the contract of
            // `GlobalAlloc::realloc`.
            let moved = unsafe { System.realloc(block, layout, new_size) };
            if !moved.is_null() {
                return moved;
            }
        } else if new_size <= SLOT {
            return block;
        }
        // SAFETY: the caller fulfils the contract of `GlobalAlloc::realloc`, so the new layout is valid. Both blocks
        // are at least as long as the copy.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(block, layout.size().min(new_size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}
