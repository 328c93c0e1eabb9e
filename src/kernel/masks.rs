//! Finds the bytes of an input that are in a set, 64 at a time.

use super::{below, load};
use crate::isa::{BLOCK, FEW, Isa};
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

/// Compares all bytes of `src` with a set of ASCII bytes. If `inside` is true, returns whether every byte is in the set.
/// If `inside` is false, returns whether no byte is in the set. `row` is the lower half of the set's `NibbleTable`.
#[inline(always)]
pub(crate) fn all<I: Isa>(isa: I, row: &[u8; 16], inside: bool, src: &[u8]) -> bool {
    let flip = if inside { !0 } else { 0 };
    let wrong = |block| isa.contains_mask_ascii(block, row) ^ flip;
    match src.last_chunk::<BLOCK>() {
        // Loading the last 64 bytes, some of them a second time, is faster than loading a part of a block.
        Some(last) => {
            let (blocks, _) = src.as_chunks::<BLOCK>();
            blocks.iter().all(|block| wrong(isa.load(block)) == 0) && wrong(isa.load(last)) == 0
        }
        None => {
            let block = if (1..=FEW).contains(&src.len()) { isa.load_few(src) } else { load(isa, src, 0) };
            wrong(block) & below(src.len()) == 0
        }
    }
}
