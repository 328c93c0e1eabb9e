//! Panics if memory runs out, because a caller can catch a panic. The standard library's collections would end the
//! process.

use alloc::{collections::TryReserveError, string::String, vec::Vec};
use core::ops::Range;

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

/// Appends `bytes`, or returns an error if memory can't be allocated.
#[inline]
pub(crate) fn extend(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), TryReserveError> {
    out.try_reserve(bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Returns the first maximal part of `bytes` that isn't UTF-8. Faster than the standard library if `bytes` is short and
/// most of it is ASCII.
pub(crate) fn first_invalid(bytes: &[u8]) -> Option<Range<usize>> {
    let mut at = 0;
    loop {
        while let Some(word) = bytes[at..].first_chunk().map(|word| u64::from_le_bytes(*word) & 0x8080_8080_8080_8080) {
            at += word.trailing_zeros() as usize / 8;
            if word != 0 {
                break;
            }
        }
        at += bytes[at..].iter().position(|byte| !byte.is_ascii())?;
        // No character has more than four bytes.
        match str::from_utf8(&bytes[at..bytes.len().min(at + 4)]) {
            Ok(text) => at += text.len(),
            Err(error) if error.valid_up_to() > 0 => at += error.valid_up_to(),
            Err(error) => return Some(at..error.error_len().map_or(bytes.len(), |len| at + len)),
        }
    }
}

/// Calls `each` with a valid part of `bytes` and with the invalid part after it, like `utf8_chunks`. The last invalid part
/// is empty. `invalid` is the first invalid part, from [`first_invalid`].
#[inline]
pub(crate) fn each_chunk(
    mut bytes: &[u8],
    mut invalid: Option<Range<usize>>,
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), TryReserveError>,
) -> Result<(), TryReserveError> {
    while let Some(Range { start, end }) = invalid {
        each(&bytes[..start], &bytes[start..end])?;
        bytes = &bytes[end..];
        invalid = first_invalid(bytes);
    }
    each(bytes, &[])
}

/// Returns `bytes` as text. U+FFFD replaces every maximal invalid part.
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
