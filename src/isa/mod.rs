//! Defines [`Isa`], the operations on blocks of 64 bytes that kernels ask of a CPU, and implements it in a file for each
//! instruction set. No other folder has an intrinsic.
//!
//! A block is 64 bytes on every instruction set, held in as many registers as that takes, and what a verb finds
//! in it is a `u64`: bit `i` speaks of byte `i`. So an algorithm is written once, in mask arithmetic, and an
//! instruction set says only how it loads, classifies, expands and compacts.
//!
//! Two proofs make the generic code safe:
//! - *The token.* A type that implements [`Isa`] can be had only inside a function compiled with the features it
//!   needs: its constructor `new` is a safe `#[target_feature]` function, which nothing else may call safely.
//! - *The room.* Verbs write into arrays of a fixed length that hold the longest result plus one vector of slack, or, if they
//!   are told how many bytes, into a slice that has as many; never at a pointer.
//!
//! Verbs are `#[inline(always)]` and without features of their own; they take those of the engine's shell into
//! which they are inlined.

use crate::set::NibbleTable;

#[cfg(isa_avx2)]
pub(crate) mod avx2;
#[cfg(isa_avx512)]
pub(crate) mod avx512;
#[cfg(any(isa_emulated, all(test, isa_simd)))]
pub(crate) mod emulated;
#[cfg(isa_neon)]
pub(crate) mod neon;
#[cfg(isa_simd128)]
pub(crate) mod simd128;
#[cfg(isa_sse42)]
pub(crate) mod sse42;
pub(crate) mod tables;
#[cfg(isa_simd)]
mod vec16;

#[cfg(all(test, isa_simd))]
mod tests;

use crate::output::{Cell, EMPTY_CELL};
use crate::triplet::Digits;

/// Bytes in a block.
pub(crate) const BLOCK: usize = 64;

/// Bytes that fit one register of every instruction set.
pub(crate) const FEW: usize = 16;

/// The output of [`Isa::expand_few`]: 16 triplets, and slack for each store to be one of a register.
pub(crate) const FEW_EXPANDED: usize = 5 * FEW;

/// The output of [`Isa::expand`]: 64 triplets and slack.
pub(crate) const EXPANDED: usize = 4 * BLOCK + 16;

/// The output of [`Isa::compact`]: 64 bytes and slack.
pub(crate) const COMPACTED: usize = BLOCK + 8;

/// Output space of exactly `N` bytes.
pub(crate) type Out<const N: usize> = [Cell; N];

/// Defines what an instruction set can do with a block of 64 bytes. Having the value proves that the CPU has it.
pub(crate) trait Isa: Copy {
    /// 64 bytes in registers.
    type Block: Copy;

    /// Whether four blocks are tested together before one is looked at. It pays where the work on a block costs
    /// less than a mispredicted branch.
    const UNROLL4: bool = false;

    /// Whether a part of a block is stored by a mask: [`compact_exact`](Self::compact_exact) takes as long as
    /// [`compact`](Self::compact) does, and there is [`compact_in_place`](Self::compact_in_place).
    const MASKED_STORES: bool = false;

    /// The bytes of `src`.
    fn load(self, src: &[u8; BLOCK]) -> Self::Block;

    /// The bytes of `src`, of which there are fewer than 64, or as many with [`MASKED_STORES`](Self::MASKED_STORES), followed by
    /// zeros.
    fn load_part(self, src: &[u8]) -> Self::Block;

    /// The bytes of `src`, 1 to [`FEW`], followed by zeros up to that many. The lanes behind are anything.
    fn load_few(self, src: &[u8]) -> Self::Block;

    /// Writes the block as it is.
    fn store(self, block: Self::Block, room: &mut Out<BLOCK>);

    /// Writes the first [`FEW`] bytes of the block as they are.
    fn store_few(self, block: Self::Block, room: &mut Out<FEW>);

    /// Every byte `byte`.
    fn splat(self, byte: u8) -> Self::Block;

    /// Every byte XORed with `bits`.
    fn xor(self, block: Self::Block, bits: u8) -> Self::Block;

    /// Which bytes are `byte`.
    fn eq_mask(self, block: Self::Block, byte: u8) -> u64;

    /// Which bytes are 0x80 or above.
    fn high_mask(self, block: Self::Block) -> u64;

    /// Which bytes are `byte` or above.
    fn at_least_mask(self, block: Self::Block, byte: u8) -> u64;

    /// Which bytes below 0x80 are in the set that has `row` as the lower half of its [`NibbleTable`].
    fn contains_mask_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64;

    /// Which bytes are in the set.
    #[inline(always)]
    fn contains_mask(self, block: Self::Block, table: &NibbleTable) -> u64 {
        let ascii = self.contains_mask_ascii(block, &table.half[0]);
        // Most sets hold none of the upper bytes.
        if table.is_ascii() {
            return ascii;
        }
        ascii | self.contains_mask_ascii(self.xor(block, 0x80), &table.half[1])
    }

    /// Byte `i` from `yes` where bit `i` of `lanes` is set, from `no` elsewhere.
    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block;

    /// The bytes of `block`, with `to` in the lanes in which `of` has `from`.
    #[inline(always)]
    fn replace(self, block: Self::Block, of: Self::Block, from: u8, to: u8) -> Self::Block {
        self.select(self.eq_mask(of, from), self.splat(to), block)
    }

    /// The bytes of a block moved to the lane before their own, and to the one before that; zeros follow the last.
    fn lookahead(self, block: Self::Block) -> [Self::Block; 2];

    /// Which bytes of `block` start a valid triplet, `next` and `after` being the bytes one and two further on, so that `after` is
    /// `next` moved by a lane, but for its last; and the block with the `%` of each replaced by the byte that the triplet stands for.
    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block);

    /// Like [`triplets`](Self::triplets), but for the triplets of the bytes in `kept`: which bytes of `block` start a triplet, which
    /// one of another byte, and the block with these others decoded.
    #[inline(always)]
    fn triplets_except(
        self,
        block: Self::Block,
        next: Self::Block,
        after: Self::Block,
        kept: &NibbleTable,
    ) -> (u64, u64, Self::Block) {
        let (starts, decoded) = self.triplets(block, next, after);
        let kept = starts & self.contains_mask(decoded, kept);
        (starts, starts & !kept, self.select(kept, block, decoded))
    }

    /// Which `%` of `block` start no triplet, given those that start one.
    #[inline(always)]
    fn malformed(self, [block, ..]: [Self::Block; 3], valid: u64) -> u64 {
        self.eq_mask(block, b'%') & !valid
    }

    /// Writes the first `n` bytes one after the other, those of `escaped` (a subset of the first `n`) as triplets.
    /// The bytes after the `n + 2 * escaped.count_ones()` of the result may be anything.
    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>);

    /// Expands like [`expand`](Self::expand) the first [`FEW`] bytes.
    fn expand_few(self, block: Self::Block, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>);

    /// Expands like [`expand`](Self::expand) to the front of `dst`, and writes nothing behind the result. Returns how many bytes that
    /// has; `None` if `dst` is too short.
    #[inline(always)]
    fn expand_exact(
        self,
        block: Self::Block,
        escaped: u64,
        n: usize,
        digits: &Digits,
        dst: &mut [Cell],
    ) -> Option<usize> {
        let written = n + 2 * escaped.count_ones() as usize;
        let mut spill = [EMPTY_CELL; EXPANDED];
        self.expand(block, escaped, n, digits, &mut spill);
        copy_spill(&spill, written, dst)?;
        Some(written)
    }

    /// Writes the bytes of `keep` one after the other. What follows them is anything.
    fn compact(self, block: Self::Block, keep: u64, room: &mut Out<COMPACTED>);

    /// Writes the first `len` of the bytes of `keep` one after the other to the front of `dst`, and nothing behind them. `None` if
    /// it is too short.
    #[inline(always)]
    fn compact_exact(self, block: Self::Block, keep: u64, len: usize, dst: &mut [Cell]) -> Option<()> {
        let mut spill = [EMPTY_CELL; COMPACTED];
        self.compact(block, keep, &mut spill);
        copy_spill(&spill, len, dst)
    }

    /// Like [`compact_exact`](Self::compact_exact), to memory that is read, too. `None` without
    /// [`MASKED_STORES`](Self::MASKED_STORES).
    #[inline(always)]
    fn compact_in_place(self, _block: Self::Block, _keep: u64, _len: usize, _buffer: &mut [u8]) -> Option<()> {
        None
    }

    /// Decodes every triplet of up to 16 bytes, zeros after them: returns the result, how many bytes shorter that is, and whether a
    /// `%` starts no triplet. `None` without registers of 16 bytes.
    #[inline(always)]
    fn decode_small(self, _text: [u64; 2]) -> Option<([u64; 2], usize, bool)> {
        None
    }

    /// Whether `block`, preceded by `before`, holds a byte that no well-formed UTF-8 has there. A sequence that
    /// the end of the block cuts off is found wanting in the next one.
    fn utf8_error(self, block: Self::Block, before: Self::Block) -> bool;
}

/// Copies the first `len` bytes of a `spill` to the front of `dst`, if they fit. Out of line and cold, so that no vector register
/// is saved where it is not called.
#[cold]
#[inline(never)]
pub(crate) fn copy_spill(spill: &[Cell], len: usize, dst: &mut [Cell]) -> Option<()> {
    dst.get_mut(..len)?.copy_from_slice(spill.get(..len)?);
    Some(())
}
