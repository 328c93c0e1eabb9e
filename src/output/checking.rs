//! Implements output memory without unsafe code: the memory is zeroed first, and text is checked.
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};

/// The functions of this module check text, so callers need not check it.
#[cfg(feature = "alloc")]
pub(crate) const TRUSTS: bool = false;

/// A byte of output memory.
pub type Cell = u8;
/// A byte of output memory before it is written.
pub const EMPTY_CELL: Cell = 0;

#[inline(always)]
pub(crate) const fn cell(byte: u8) -> Cell {
    byte
}

/// Returns memory as cells.
#[inline(always)]
pub(super) fn cells(memory: &mut [u8]) -> &mut [Cell] {
    memory
}

/// Returns cells as bytes.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn bytes(cells: &[Cell]) -> &[u8] {
    cells
}

/// Returns cells as bytes.
#[inline(always)]
pub(super) fn bytes_mut(cells: &mut [Cell]) -> &mut [u8] {
    cells
}

/// Copies `bytes` to `cells`.
///
/// # Panics
///
/// Panics if their lengths differ.
#[inline(always)]
pub(super) fn copy(bytes: &[u8], cells: &mut [Cell]) {
    cells.copy_from_slice(bytes);
}

/// Panics without the error of the conversion. The code that prints this error would add 3 KB to a program.
#[cold]
fn not_text() -> ! {
    panic!("encoded or checked output is UTF-8")
}

/// Returns bytes as text.
///
/// # Panics
///
/// Panics if `bytes` aren't UTF-8, which would be a bug in this crate.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_else(|_| not_text())
}

/// Returns bytes as text.
///
/// # Panics
///
/// Panics if `bytes` aren't UTF-8, which would be a bug in this crate.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|_| not_text())
}

/// Returns bytes as text, if they are UTF-8.
#[inline]
pub(crate) fn text_if(bytes: &[u8], _: impl FnOnce(&[u8]) -> bool) -> Option<&str> {
    str::from_utf8(bytes).ok()
}

/// Returns bytes as text. If they are not UTF-8, returns them unchanged.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn string_if(bytes: Vec<u8>, _: impl FnOnce(&[u8]) -> bool) -> Result<String, Vec<u8>> {
    String::from_utf8(bytes).map_err(|error| error.into_bytes())
}

/// Appends the output of `run` to `vec`. `run` gets the first `most` bytes of the spare capacity, or the whole spare
/// capacity if it has fewer bytes.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn append(vec: &mut Vec<u8>, most: usize, run: impl FnOnce(&mut [Cell]) -> usize) {
    let len = vec.len();
    // This zeroes only as much memory as the input needs. Zeroing the whole capacity each time would make repeated
    // appending take quadratic time.
    vec.resize(len.saturating_add(most).min(vec.capacity()), EMPTY_CELL);
    let written = run(&mut vec[len..]);
    vec.truncate(len + written);
}

/// Returns an empty vector with space for `capacity` items, or `None` if memory can't be allocated.
#[cfg(feature = "alloc")]
pub fn try_vec<T>(capacity: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity).ok()?;
    Some(vec)
}
