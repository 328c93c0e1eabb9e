//! Defines [`Isa`], the operations on blocks of 64 bytes that kernels need from a CPU. Each instruction set implements
//! it in its own file. Only this folder has intrinsics.
//!
//! # The problem
//!
//! Registers have 16 bytes with SSE4.2, NEON and WebAssembly, 32 with AVX2, and 64 with AVX-512. Without an
//! abstraction, every algorithm would be written five times. Intrinsics are also unsafe: the CPU must have the
//! instruction, and the memory must be as long as the register.
//!
//! # The idea
//!
//! *Blocks and masks.* A block is 64 bytes on every instruction set, in four, two or one registers. A search in a block
//! returns a `u64`, whose bit `i` is the result for byte `i`. So an algorithm is written once, in mask arithmetic. An
//! instruction set only has to load, classify, expand, compact and store.
//!
//! *Two proofs* make the generic code safe:
//!
//! - *The token.* A value of a type that implements [`Isa`] proves that the CPU has the instructions. The constructor
//!   `new` of the type has `#[target_feature]`, so only functions compiled with the same features may call it without
//!   `unsafe`.
//! - *The room.* Most methods write into an array. It has space for the longest result, and for the bytes that a
//!   whole-register store writes after the result. The other methods write exactly the result into a slice. If the
//!   slice is too short, they return `None`. No method takes a pointer.
//!
//! Methods are `#[inline(always)]` and have no `#[target_feature]`. They are inlined into the functions of an engine,
//! which have the features.
//!
//! # Classification
//!
//! Classification finds the bytes of a block that are in a set. The set is known only at run time. A set of ASCII bytes
//! has 128 bits, one for each possible byte, so it fits in a table of 16 bytes. The low nibble of a byte picks an entry
//! of the table, and the high nibble picks a bit of the entry. A shuffle looks up all lanes of a register in a table of
//! 16 entries at once. So two shuffles, one for the entry and one for the bit, classify a register.
//!
//! ```text
//! row = shuffle(table, low nibble)                                     (0 if the byte is 0x80 or above)
//! bit = shuffle([1, 2, 4, 8, 16, 32, 64, 128, and again], high nibble)
//! the byte is in the set if row & bit == bit
//! ```
//!
//! If a set has bytes above ASCII, we repeat these steps with a second table, and with each byte XORed with 0x80.
//!
//! # Example
//!
//! The input is `café & tea = ok`, 16 bytes. The set is the unreserved characters of RFC 3986. Its table is `A8 F8 F8
//! F8 F8 F8 F8 F8 F8 F8 F0 50 50 54 D4 70`.
//!
//! ```text
//! byte    c  a  f  .  .     &     t  e  a     =     o  k
//!        63 61 66 C3 A9 20 26 20 74 65 61 20 3D 20 6F 6B
//! row    F8 F8 F8 00 00 A8 F8 A8 F8 F8 F8 A8 54 A8 70 50
//! bit    40 40 40 10 04 04 04 04 80 40 40 04 08 04 40 40
//! in      1  1  1  .  .  .  .  .  1  1  1  .  .  .  1  1      the mask 0xC707
//! ```
//!
//! `=` is 3D, so its bit is 08. Entry D of the table is 54. It has the bits of `-`, `M` and `m` (2D, 4D and 6D), but
//! not 08. So `=` is not in the set.
//!
//! # Why not the obvious way
//!
//! - *Compare each byte with the ends of ranges* (`A` to `Z`, and so on). The work grows with the number of ranges, and
//!   a set that is known only at run time needs a loop over them.
//! - *A table of 256 entries.* No shuffle has so many entries, so each byte needs its own look-up. The scalar kernel
//!   does this.
//! - *Registers instead of blocks.* Every algorithm would have a carry between registers and one between blocks, and
//!   its masks would have three types.
//! - *Methods that write at a pointer.* Then all algorithms would be unsafe code. With arrays, they are safe Rust.

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

pub(crate) const BLOCK: usize = 64;

/// The number of bytes that fit in one register of every instruction set.
pub(crate) const FEW: usize = 16;

/// Length of the output memory of [`Isa::expand_few`]: 16 triplets, and the bytes that whole-register stores write
/// after them.
pub(crate) const FEW_EXPANDED: usize = 5 * FEW;

/// Length of the output memory of [`Isa::expand`]: 64 triplets, and the bytes that whole-register stores write after
/// them.
pub(crate) const EXPANDED: usize = 4 * BLOCK + 16;

/// Length of the output memory of [`Isa::compact`]: 64 bytes, and the bytes that whole-register stores write after
/// them.
pub(crate) const COMPACTED: usize = BLOCK + 8;

/// Memory for exactly `N` bytes of output.
pub(crate) type Out<const N: usize> = [Cell; N];

/// The operations of an instruction set on a block of 64 bytes. A value of the type proves that the CPU has the
/// instructions.
pub(crate) trait Isa: Copy {
    /// 64 bytes in registers.
    type Block: Copy;

    /// True if kernels test four blocks together. One test for four blocks is faster if a mispredicted branch takes
    /// longer than the work on a block.
    const UNROLL4: bool = false;

    /// True if the CPU has masked stores, which write only the lanes in a mask. If so,
    /// [`compact_exact`](Self::compact_exact) takes no longer than [`compact`](Self::compact), and
    /// [`compact_in_place`](Self::compact_in_place) works.
    const MASKED_STORES: bool = false;

    /// Loads a block.
    fn load(self, src: &[u8; BLOCK]) -> Self::Block;

    /// Loads a `src` of fewer than 64 bytes, followed by zeros. With [`MASKED_STORES`](Self::MASKED_STORES), `src` may
    /// have 64 bytes.
    fn load_part(self, src: &[u8]) -> Self::Block;

    /// Loads a `src` of 1 to [`FEW`] bytes, followed by zeros up to lane [`FEW`]. The lanes from [`FEW`] on are
    /// unspecified.
    fn load_few(self, src: &[u8]) -> Self::Block;

    /// Stores the block.
    fn store(self, block: Self::Block, room: &mut Out<BLOCK>);

    /// Stores the first [`FEW`] bytes of the block.
    fn store_few(self, block: Self::Block, room: &mut Out<FEW>);

    /// Returns `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Block;

    /// Returns every byte XORed with `bits`.
    fn xor(self, block: Self::Block, bits: u8) -> Self::Block;

    /// Returns the lanes whose byte is `byte`.
    fn eq_mask(self, block: Self::Block, byte: u8) -> u64;

    /// Returns whether a byte of `block` is `byte`.
    #[inline(always)]
    fn has(self, block: Self::Block, byte: u8) -> bool {
        self.eq_mask(block, byte) != 0
    }

    /// Returns the lanes in which at least one of four blocks has `byte`. The lanes in `except`, one mask for each
    /// block, are not searched.
    #[inline(always)]
    fn any_mask(self, [a, b, c, d]: [Self::Block; 4], except: [u64; 4], byte: u8) -> u64 {
        self.eq_mask(a, byte) & !except[0]
            | self.eq_mask(b, byte) & !except[1]
            | self.eq_mask(c, byte) & !except[2]
            | self.eq_mask(d, byte) & !except[3]
    }

    /// Returns the smaller byte of each lane.
    fn min(self, a: Self::Block, b: Self::Block) -> Self::Block;

    /// Returns the lanes whose byte is 0x80 or above.
    fn high_mask(self, block: Self::Block) -> u64;

    /// Returns the lanes whose byte is `byte` or above.
    fn at_least_mask(self, block: Self::Block, byte: u8) -> u64;

    /// Returns the lanes whose byte is ASCII and in the set. `row` is the lower half of the set's [`NibbleTable`].
    fn contains_mask_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64;

    /// Returns the lanes whose byte is in the set.
    #[inline(always)]
    fn contains_mask(self, block: Self::Block, table: &NibbleTable) -> u64 {
        let ascii = self.contains_mask_ascii(block, &table.half[0]);
        // Most sets have no byte above ASCII.
        if table.is_ascii() {
            return ascii;
        }
        ascii | self.contains_mask_ascii(self.xor(block, 0x80), &table.half[1])
    }

    /// Returns the byte of `yes` in each lane of `lanes`, and the byte of `no` in all other lanes.
    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block;

    /// Returns `block`, but with the byte `to` in lane *i* if the block `of` has the byte `from` in lane *i*.
    #[inline(always)]
    fn replace(self, block: Self::Block, of: Self::Block, from: u8, to: u8) -> Self::Block {
        self.select(self.eq_mask(of, from), self.splat(to), block)
    }

    /// Returns two blocks. Lane *i* of the first block has the byte of lane *i* + 1 of `block`, and lane *i* of the
    /// second block has the byte of lane *i* + 2. Zeros fill the last lanes.
    fn lookahead(self, block: Self::Block) -> [Self::Block; 2];

    /// Returns the lanes of `block` that start a triplet, and `block` with the decoded byte in these lanes. If `block`
    /// was loaded from offset *n*, `next` was loaded from *n* + 1, and `after` from *n* + 2. So lane *i* of `after` has
    /// the byte of lane *i* + 1 of `next`, and the last lane has a new byte.
    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block);

    /// Does the same as [`triplets`](Self::triplets), but does not decode a triplet of a byte in `kept`. Returns the
    /// lanes that start any triplet, the lanes that start a decoded triplet, and the decoded block.
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

    /// Writes the first `n` bytes in order, and turns the bytes in the lanes of `escaped` into triplets. All lanes of
    /// `escaped` must be below `n`. The result has `n + 2 * escaped.count_ones()` bytes. The bytes after the result are
    /// unspecified.
    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>);

    /// Does the same as [`expand`](Self::expand) for the first [`FEW`] bytes.
    fn expand_few(self, block: Self::Block, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>);

    /// Does the same as [`expand`](Self::expand), but writes to the front of `dst`, and no byte after the result.
    /// Returns the length of the result, or `None` if `dst` is too short.
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

    /// Writes the bytes in the lanes of `keep` in order, without gaps. The bytes after them are unspecified.
    fn compact(self, block: Self::Block, keep: u64, room: &mut Out<COMPACTED>);

    /// Writes the bytes in the first `len` lanes of `keep`, in order, to the front of `dst`. Writes no byte after them.
    /// Returns `None` if `dst` is too short.
    #[inline(always)]
    fn compact_exact(self, block: Self::Block, keep: u64, len: usize, dst: &mut [Cell]) -> Option<()> {
        let mut spill = [EMPTY_CELL; COMPACTED];
        self.compact(block, keep, &mut spill);
        copy_spill(&spill, len, dst)
    }

    /// Does the same as [`compact_exact`](Self::compact_exact), but writes into the buffer that also holds the input.
    /// Returns `None` without [`MASKED_STORES`](Self::MASKED_STORES).
    #[inline(always)]
    fn compact_in_place(self, _block: Self::Block, _keep: u64, _len: usize, _buffer: &mut [u8]) -> Option<()> {
        None
    }

    /// Decodes every triplet in up to 16 bytes. In `text`, zeros follow the bytes. Returns three values: the output,
    /// the number of bytes that decoding removes, and whether a `%` starts no triplet. Returns `None` if the
    /// instruction set has no registers of 16 bytes.
    #[inline(always)]
    fn decode_small(self, _text: [u64; 2]) -> Option<([u64; 2], usize, bool)> {
        None
    }

    /// Returns whether `block` has an error in UTF-8. `before` is the block before `block`. If the end of `block` cuts
    /// a sequence off, this is no error yet: the call for the next block checks the sequence.
    fn utf8_error(self, block: Self::Block, before: Self::Block) -> bool;
}

/// Copies the first `len` bytes of `spill`, a buffer on the stack, to the front of `dst`. Returns `None` if they don't
/// fit. This function is cold and not inlined, so that a caller saves vector registers only on the rare path that calls
/// it.
#[cold]
#[inline(never)]
pub(crate) fn copy_spill(spill: &[Cell], len: usize, dst: &mut [Cell]) -> Option<()> {
    dst.get_mut(..len)?.copy_from_slice(spill.get(..len)?);
    Some(())
}
