//! Text put together from its pieces.
#![cfg(feature = "alloc")]

use alloc::{string::String, vec::Vec};

use crate::memory;

/// Up to what length text is put together on the stack.
pub(super) const SCRATCH: usize = 256;

/// Builds text from its pieces, the last of them first, in one allocation of exactly its length.
pub(crate) fn build<'a>(pieces: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut stack = [0; SCRATCH];
    if let Some(start) = fill(&mut stack, pieces.clone()) {
        return memory::owned(String::from_utf8_lossy(&stack[start..]));
    }
    let mut bytes = memory::zeros(pieces.clone().fold(0, |sum: usize, piece| sum.saturating_add(piece.len())));
    fill(&mut bytes, pieces);
    into_text(bytes)
}

/// Fills `out` from its end, and returns where the text in it starts, if the pieces fit.
fn fill<'a>(out: &mut [u8], pieces: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut end = out.len();
    for piece in pieces {
        let start = end.checked_sub(piece.len())?;
        out[start..end].copy_from_slice(piece.as_bytes());
        end = start;
    }
    Some(end)
}

/// Returns the text in bytes that are text, which is not taken on trust here.
pub(super) fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
