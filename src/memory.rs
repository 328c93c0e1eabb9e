//! Panics if memory runs out, because a caller can catch a panic. The standard library's collections would end the
//! process.

use alloc::{collections::TryReserveError, string::String};

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
