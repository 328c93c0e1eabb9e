//! Implements output memory with unsafe code: the memory is uninitialized, and text isn't checked.

use core::mem::MaybeUninit;
use core::ptr;

#[cfg(feature = "alloc")]
use alloc::{collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "alloc")]
use core::alloc::Layout;

/// The functions of this module don't check text, so callers must check it.
#[cfg(feature = "alloc")]
pub(crate) const TRUSTS: bool = true;

/// A byte of output memory.
pub type Cell = MaybeUninit<u8>;
/// A byte of output memory before it is written.
pub const EMPTY_CELL: Cell = Cell::uninit();

#[inline(always)]
pub(crate) const fn cell(byte: u8) -> Cell {
    Cell::new(byte)
}

/// Returns initialized memory as cells.
///
/// # Safety
/// Only initialized bytes are written to the cells.
#[inline(always)]
pub(super) unsafe fn cells(memory: &mut [u8]) -> &mut [Cell] {
    // SAFETY: the layout is the same, and the caller promises to write only initialized bytes to the cells.
    unsafe { &mut *(ptr::from_mut(memory) as *mut [Cell]) }
}

/// Returns cells as bytes.
///
/// # Safety
/// All cells have been written.
#[inline(always)]
pub(super) unsafe fn bytes_mut(cells: &mut [Cell]) -> &mut [u8] {
    // SAFETY: the layout is the same, and the caller promises that all cells are written.
    unsafe { &mut *(ptr::from_mut(cells) as *mut [u8]) }
}

/// Returns cells as bytes.
///
/// # Safety
/// All cells have been written.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) unsafe fn bytes(cells: &[Cell]) -> &[u8] {
    // SAFETY: the layout is the same, and the caller promises that all cells are written.
    unsafe { &*(ptr::from_ref(cells) as *const [u8]) }
}

/// Copies `bytes` to `cells`.
///
/// # Panics
///
/// Panics if their lengths differ.
#[inline(always)]
pub(super) fn copy(bytes: &[u8], cells: &mut [Cell]) {
    assert!(bytes.len() == cells.len());
    // SAFETY: `cells` has the same length as `bytes`. It is borrowed mutably, so the two don't overlap.
    unsafe { cells.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}

/// Returns bytes as text.
///
/// # Safety
/// `bytes` are UTF-8.
#[inline(always)]
pub(crate) unsafe fn text(bytes: &[u8]) -> &str {
    // Debug builds check only texts of up to 64 KiB, so that repeated calls on a long text stay fast.
    debug_assert!(bytes.len() > 1 << 16 || str::from_utf8(bytes).is_ok());
    // SAFETY: the caller's promise.
    unsafe { str::from_utf8_unchecked(bytes) }
}

/// Returns bytes as text.
///
/// # Safety
/// `bytes` are UTF-8.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) unsafe fn string(bytes: Vec<u8>) -> String {
    debug_assert!(str::from_utf8(&bytes).is_ok());
    // SAFETY: the caller's promise.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// Returns bytes as text, if they pass `is_utf8`.
///
/// # Safety
/// Bytes that pass are UTF-8.
#[inline(always)]
pub(crate) unsafe fn text_if(bytes: &[u8], is_utf8: impl FnOnce(&[u8]) -> bool) -> Option<&str> {
    // SAFETY: the caller's promise.
    is_utf8(bytes).then(|| unsafe { text(bytes) })
}

/// Returns bytes as text if they pass `is_utf8`. If not, returns them unchanged.
///
/// # Safety
/// Bytes that pass are UTF-8.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) unsafe fn string_if(bytes: Vec<u8>, is_utf8: impl FnOnce(&[u8]) -> bool) -> Result<String, Vec<u8>> {
    // SAFETY: the caller's promise.
    if is_utf8(&bytes) { Ok(unsafe { string(bytes) }) } else { Err(bytes) }
}

/// Appends the output of `run` to `vec`. `run` gets the spare capacity of `vec`, and needs at most `most` bytes of it.
///
/// # Safety
/// If `run` returns `n`, it has written the first `n` bytes of the spare capacity.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) unsafe fn append(vec: &mut Vec<u8>, most: usize, run: impl FnOnce(&mut [Cell]) -> usize) {
    _ = most;
    let written = run(vec.spare_capacity_mut());
    // SAFETY: the caller promises that `run` has written these bytes, and they are within the spare capacity.
    unsafe { vec.set_len(vec.len() + written) };
}

/// Runs `run`, which appends to the bytes of `text`. If `run` panics, `text` is empty.
///
/// # Safety
/// When `run` returns, it has appended UTF-8 and changed no other byte.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) unsafe fn append_text<T>(
    text: &mut String,
    run: impl FnOnce(&mut Vec<u8>) -> Result<T, TryReserveError>,
) -> Result<T, TryReserveError> {
    let mut vec = core::mem::take(text).into_bytes();
    let result = run(&mut vec);
    // SAFETY: the first bytes were UTF-8, and the caller promises that the appended bytes are UTF-8.
    *text = unsafe { String::from_utf8_unchecked(vec) };
    result
}

/// Returns an empty vector with space for exactly `capacity` items, or `None` if memory can't be allocated.
///
/// This function calls the allocator directly, because `Vec::try_reserve_exact` takes 1.5 times as long.
#[cfg(feature = "alloc")]
#[inline(always)] // otherwise the result would go through memory, and the CPU would wait for it
pub fn try_vec<T>(capacity: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(capacity).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout has at least one byte.
    let block = unsafe { alloc::alloc::alloc(layout) };
    if block.is_null() {
        return None;
    }
    // SAFETY: the block is new, from the allocator that `Vec` uses, and has the layout of `capacity` items. The vector
    // has no item yet.
    Some(unsafe { Vec::from_raw_parts(block.cast(), 0, capacity) })
}
