//! Memory that may not be there. A caller can catch a panic; the collections of the standard library end the process.

use core::alloc::Layout;

use alloc::{collections::TryReserveError, string::String, vec::Vec};

/// Unwraps a result that only a lack of memory makes an error.
#[inline]
pub(crate) fn infallible<T>(result: Result<T, TryReserveError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => out_of_memory(error),
    }
}

#[cold]
fn out_of_memory(error: TryReserveError) -> ! {
    panic!("the result cannot be stored: {error}")
}

/// Returns an empty vector with space for exactly `capacity` items, or `None` if there is no memory for it.
///
/// `Vec` can be asked for memory that may not be there only by way of growing, which takes half as long again as the allocator does.
#[inline(always)] // or it returns through memory, for which the CPU waits
pub fn try_vec<T>(capacity: usize) -> Option<Vec<T>> {
    let layout = Layout::array::<T>(capacity).ok()?;
    if layout.size() == 0 {
        return Some(Vec::new());
    }
    // SAFETY: the layout is one of some bytes.
    let block = unsafe { alloc::alloc::alloc(layout) };
    if block.is_null() {
        return None;
    }
    // SAFETY: the block is new, of the allocator that `Vec` uses, and of the layout of as many items; none of them is in it.
    Some(unsafe { Vec::from_raw_parts(block.cast(), 0, capacity) })
}

/// Returns `bytes` as text, with U+FFFD for every maximal part that is not UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Result<String, TryReserveError> {
    let mut text = String::new();
    text.try_reserve(bytes.len())?;
    for chunk in bytes.utf8_chunks() {
        let replacement = if chunk.invalid().is_empty() { "" } else { "\u{FFFD}" };
        text.try_reserve(chunk.valid().len() + replacement.len())?;
        text.push_str(chunk.valid());
        text.push_str(replacement);
    }
    Ok(text)
}
