//! Returns names and values of a form from a scanned block. They are decoded or borrowed.
#![cfg(feature = "alloc")]

use alloc::{borrow::Cow, boxed::Box};
use core::ops::Range;

use percent_simd::internal::ScannedForm;

use crate::memory;

/// Decodes the name or value at `part` of the block. If it stays the same, borrows it.
#[inline(always)]
pub(super) fn bytes<'a>(block: &ScannedForm<'a>, part: &Range<usize>) -> Cow<'a, [u8]> {
    if !block.changes(part) {
        return Cow::Borrowed(&block.src()[part.clone()]);
    }
    Cow::Owned(decoded_bytes(block, part.start, part.end).into_vec())
}

/// Decodes the name or value at `part` of the block to text. If the result isn't UTF-8, returns `None`.
#[inline(always)]
pub(super) fn text<'a>(block: &ScannedForm<'a>, part: &Range<usize>) -> Option<Cow<'a, str>> {
    if !block.changes(part) {
        return block.undecoded_text(part).map(Cow::Borrowed);
    }
    decoded_text(block, part.start, part.end).map(|text| Cow::Owned(text.into_string()))
}

// The two functions below return a box, which fits into two registers. A larger type would be returned in memory: the
// function would write it word by word, and the caller would read it as a vector. If a wide read follows so soon after
// narrow writes, the CPU stalls.

#[inline(never)]
fn decoded_bytes(block: &ScannedForm, start: usize, end: usize) -> Box<[u8]> {
    memory::copy(block.decoded(&(start..end))).into_boxed_slice()
}

#[inline(never)]
fn decoded_text(block: &ScannedForm, start: usize, end: usize) -> Option<Box<str>> {
    block.decoded_text(&(start..end)).map(|text| memory::text(text).into_boxed_str())
}
