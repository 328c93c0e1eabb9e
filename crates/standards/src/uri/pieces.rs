//! Joins pieces of text that are given last piece first.
#![cfg(feature = "alloc")]

use alloc::{string::String, vec::Vec};

use crate::memory;

/// The size of the buffer on the stack, in bytes. Longer text is built on the heap.
pub(super) const SCRATCH: usize = 256;

/// Joins pieces that are given last piece first. Makes one allocation of exactly the needed length.
pub(crate) fn build<'a>(pieces: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut stack = [0; SCRATCH];
    if let Some(start) = fill(&mut stack, pieces.clone()) {
        return memory::owned(String::from_utf8_lossy(&stack[start..]));
    }
    let mut bytes = memory::zeros(pieces.clone().fold(0, |sum: usize, piece| sum.saturating_add(piece.len())));
    fill(&mut bytes, pieces);
    into_text(bytes)
}

/// Fills `out` from its end, and returns the offset at which the text starts. If the pieces don't fit, returns `None`.
fn fill<'a>(out: &mut [u8], pieces: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut end = out.len();
    for piece in pieces {
        let start = end.checked_sub(piece.len())?;
        out[start..end].copy_from_slice(piece.as_bytes());
        end = start;
    }
    Some(end)
}

/// Converts bytes that we know to be UTF-8. This crate has no unsafe code, so the conversion checks them again.
pub(super) fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
