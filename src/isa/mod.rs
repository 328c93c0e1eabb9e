//! Every intrinsic of the crate, and nothing else: what a kernel may ask of a CPU, as a trait, and one file per
//! instruction set that answers.
//!
//! A block is 64 octets on every instruction set, held in as many registers as that takes, and what a verb finds
//! in it is a `u64`: bit `i` speaks of octet `i`. So an algorithm is written once, in mask arithmetic, and an
//! instruction set says only how it loads, classifies, expands and compacts.
//!
//! Two proofs make the generic code safe:
//! - *The token.* A type that implements [`Isa`] can be had only inside a function compiled with the features it
//!   needs: its constructor `here` is a safe `#[target_feature]` function, which nothing else may call safely.
//! - *The room.* Verbs write into arrays of a fixed length that hold the longest result plus one vector of slack,
//!   never at a pointer.
//!
//! Verbs are `#[inline(always)]` and without features of their own; they take those of the engine's shell into
//! which they are inlined.

use core::mem::MaybeUninit;

use crate::set::Rows;

#[cfg(isa_x86)]
pub(crate) mod avx2;
#[cfg(isa_x86)]
pub(crate) mod avx512;
#[cfg(isa_neon)]
pub(crate) mod neon;
#[cfg(isa_simd128)]
pub(crate) mod simd128;
#[cfg(isa_x86)]
pub(crate) mod sse42;
pub(crate) mod tables;
#[cfg(isa_simd)]
mod vec16;

#[cfg(all(test, isa_simd))]
mod tests;

use tables::Digits;

/// Octets in a block.
pub(crate) const BLOCK: usize = 64;

/// What [`Isa::expand`] may write into: 64 triplets and slack.
pub(crate) const EXPANDED: usize = 4 * BLOCK + 16;

/// What [`Isa::compact`] may write into: 64 octets and slack.
pub(crate) const COMPACTED: usize = BLOCK + 8;

/// Output space of exactly `N` octets.
pub(crate) type Room<const N: usize> = [MaybeUninit<u8>; N];

/// What an instruction set can do with a block of 64 octets. Having the value proves that the CPU has it.
pub(crate) trait Isa: Copy {
    /// 64 octets in registers.
    type Block: Copy;

    /// Whether four blocks are tested together before one is looked at. It pays where the work on a block costs
    /// less than a mispredicted branch.
    const SUPER: bool = false;

    /// The octets of `src`.
    fn load(self, src: &[u8; BLOCK]) -> Self::Block;

    /// The octets of `src`, of which there are fewer than 64, followed by zeros.
    fn load_part(self, src: &[u8]) -> Self::Block;

    /// Writes the block as it is.
    fn store(self, block: Self::Block, room: &mut Room<BLOCK>);

    /// Every octet `byte`.
    fn splat(self, byte: u8) -> Self::Block;

    /// Every octet XORed with `bits`.
    fn xor(self, block: Self::Block, bits: u8) -> Self::Block;

    /// Which octets are `byte`.
    fn eq(self, block: Self::Block, byte: u8) -> u64;

    /// Which octets are 0x80 or above.
    fn high(self, block: Self::Block) -> u64;

    /// Which octets below 0x80 are in the set that has `row` as the lower half of its [`Rows`].
    fn member_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64;

    /// Which octets are in the set.
    #[inline(always)]
    fn member(self, block: Self::Block, rows: &Rows) -> u64 {
        self.member_ascii(block, &rows.half[0]) | self.member_ascii(self.xor(block, 0x80), &rows.half[1])
    }

    /// Octet `i` from `yes` where bit `i` of `lanes` is set, from `no` elsewhere.
    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block;

    /// The octets of a block moved to the lane before their own, and to the one before that; zeros follow the last.
    fn following(self, block: Self::Block) -> [Self::Block; 2];

    /// Which octets of `block` start a valid triplet, `next` and `after` being the octets one and two further on;
    /// and the block with the `%` of each replaced by the octet that the triplet stands for.
    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block);

    /// Writes the first `n` octets one after the other, those of `escaped` (a subset of the first `n`) as triplets.
    /// What follows the `n + 2 * escaped.count_ones()` octets of the result is anything.
    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Room<EXPANDED>);

    /// Writes the octets of `keep` one after the other. What follows them is anything.
    fn compact(self, block: Self::Block, keep: u64, room: &mut Room<COMPACTED>);

    /// Whether `block`, preceded by `before`, holds an octet that no well-formed UTF-8 has there. A sequence that
    /// the end of the block cuts off is found wanting in the next one.
    fn utf8_error(self, block: Self::Block, before: Self::Block) -> bool;
}

/// Sixteen octets of `src` from `at` on; of a shorter rest, `None`.
#[inline(always)]
fn chunk16(src: &[u8], at: usize) -> Option<&[u8; 16]> {
    src.get(at..)?.first_chunk()
}

/// Up to 15 octets as a little-endian number, zeros above, by overlapping loads: no loop, no buffer.
#[inline(always)]
pub(crate) fn load_small(src: &[u8]) -> [u64; 2] {
    let n = src.len();
    if let (Some(&head), Some(&tail)) = (src.first_chunk(), src.last_chunk()) {
        let (head, tail) = (u64::from_le_bytes(head), u64::from_le_bytes(tail));
        return [head, tail.unbounded_shr(8 * (16 - n as u32))];
    }
    if let (Some(&head), Some(&tail)) = (src.first_chunk(), src.last_chunk()) {
        let (head, tail) = (u32::from_le_bytes(head), u32::from_le_bytes(tail));
        return [u64::from(head) | u64::from(tail) << (8 * (n - 4)), 0];
    }
    match *src {
        [] => [0, 0],
        [a] => [u64::from(a), 0],
        [a, b] => [u64::from(u16::from_le_bytes([a, b])), 0],
        [a, b, c, ..] => [u64::from(u32::from_le_bytes([a, b, c, 0])), 0],
    }
}
