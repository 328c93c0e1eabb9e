//! Finds the bytes of an input that are in a set, 64 at a time.

use super::load;
use crate::isa::{BLOCK, Isa};
use crate::set::ByteSet;

/// Writes a mask for each block of `src`, as long as `masks` has space. Bit *i* of a mask is set if byte *i* of its
/// block is in `set`.
#[inline(always)]
pub(crate) fn masks<I: Isa>(isa: I, set: ByteSet, src: &[u8], masks: &mut [u64]) {
    let table = set.nibble_table();
    let (blocks, rest) = src.as_chunks::<BLOCK>();
    for (mask, block) in masks.iter_mut().zip(blocks) {
        *mask = isa.contains_mask(isa.load(block), &table);
    }
    if let Some(mask) = masks.get_mut(blocks.len()).filter(|_| !rest.is_empty()) {
        *mask = isa.contains_mask(load(isa, rest, 0), &table) & !(u64::MAX << rest.len());
    }
}
