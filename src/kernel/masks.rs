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

/// Returns whether every byte of `src` is in a set of ASCII bytes. `row` is the lower half of the set's `NibbleTable`.
#[inline(always)]
pub(crate) fn all<I: Isa>(isa: I, row: &[u8; 16], src: &[u8]) -> bool {
    let wrong = |block| !isa.contains_mask_ascii(block, row);
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

/// Returns whether `src` has a `%` or, if `PLUS` is true, a `+`. Comparing with one or two bytes is faster than
/// [`all`], which looks up each byte in a table.
#[inline(always)]
pub(crate) fn has_change<I: Isa, const PLUS: bool>(isa: I, src: &[u8]) -> bool {
    // A lane of the result is 0 if it has one of the bytes.
    let differs = |block| {
        let lanes = isa.xor(block, b'%');
        if PLUS { isa.min(lanes, isa.xor(block, b'+')) } else { lanes }
    };
    let Some(last) = src.last_chunk::<BLOCK>() else { return isa.has(differs(load(isa, src, 0)), 0) };
    let (fours, blocks) = src.as_chunks::<BLOCK>().0.as_chunks::<4>();
    for [a, b, c, d] in fours {
        let [a, b] = [differs(isa.load(a)), differs(isa.load(b))];
        let [c, d] = [differs(isa.load(c)), differs(isa.load(d))];
        if isa.has(isa.min(isa.min(a, b), isa.min(c, d)), 0) {
            return true;
        }
    }
    let rest = blocks.iter().fold(differs(isa.load(last)), |rest, block| isa.min(rest, differs(isa.load(block))));
    isa.has(rest, 0)
}
