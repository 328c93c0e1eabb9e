//! Makes calls panic if memory runs out, because a caller can catch a panic. The standard library's collections would
//! end the process.

use alloc::{collections::TryReserveError, vec::Vec};
use core::ops::Range;

use crate::words::load_small;

/// Unwraps a result whose only error is a lack of memory.
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

/// Appends `items`, or returns an error if memory can't be allocated.
#[inline]
pub(crate) fn extend<T: Copy>(out: &mut Vec<T>, items: &[T]) -> Result<(), TryReserveError> {
    out.try_reserve(items.len())?;
    out.extend_from_slice(items);
    Ok(())
}

/// Returns the first maximal part of `bytes` that isn't UTF-8. The part is empty if all of `bytes` is UTF-8. This function
/// is faster than the standard library if `bytes` is short and most of it is ASCII.
pub(crate) fn first_invalid(bytes: &[u8]) -> Range<usize> {
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.first_chunk::<32>().is_some_and(|block| block.is_ascii()) {
            at += 32;
            continue;
        }
        let word = rest.first_chunk().map_or_else(|| load_small(rest)[0], |word| u64::from_le_bytes(*word));
        let high = word & 0x8080_8080_8080_8080;
        if high == 0 {
            at += 8;
            continue;
        }
        at += high.trailing_zeros() as usize / 8;
        // A byte above ASCII is invalid by itself if no continuation byte follows it. This test is a shortcut for
        // Latin-1 text: there, ASCII follows most bytes above ASCII.
        if bytes.get(at + 1).is_none_or(|next| next & 0xC0 != 0x80) {
            return at..at + 1;
        }
        // No character has more than four bytes.
        let Some(chunk) = bytes[at..bytes.len().min(at + 4)].utf8_chunks().next() else { break };
        if chunk.valid().is_empty() {
            return at..at + chunk.invalid().len();
        }
        at += chunk.valid().len();
    }
    bytes.len()..bytes.len()
}

/// Calls `each` with every valid part of `bytes` and the invalid part after it, as `utf8_chunks` returns them. In the
/// last call, the invalid part is empty. `invalid` is the first invalid part, from [`first_invalid`].
#[inline]
pub(crate) fn each_chunk(
    mut bytes: &[u8],
    mut invalid: Range<usize>,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), TryReserveError>,
) -> Result<(), TryReserveError> {
    while !invalid.is_empty() {
        each(&bytes[..invalid.start], &bytes[invalid.clone()])?;
        bytes = &bytes[invalid.end..];
        invalid = first_invalid(bytes);
    }
    each(bytes, &[])
}

/// Appends `bytes` to `out`. U+FFFD replaces every maximal invalid part. `invalid` is the first of these parts, from
/// [`first_invalid`].
pub(crate) fn extend_lossy(out: &mut Vec<u8>, bytes: &[u8], invalid: Range<usize>) -> Result<(), TryReserveError> {
    each_chunk(bytes, invalid, |valid, invalid| {
        extend(out, valid)?;
        if invalid.is_empty() { Ok(()) } else { extend(out, "\u{FFFD}".as_bytes()) }
    })
}
