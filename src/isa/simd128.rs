//! Implements [`Vec16`] with WebAssembly's fixed-width SIMD.
//!
//! SAFETY, for every `unsafe` block below: memory that is loaded or stored is an array of the length that the
//! instruction takes, and the instructions need no alignment. All other intrinsics are safe functions here, because a
//! WebAssembly runtime loads a module only if the runtime has all of the module's instructions.

use core::arch::wasm32::*;

use super::Out;
use super::vec16::Vec16;

/// Proves that the WebAssembly runtime has simd128.
#[derive(Clone, Copy)]
pub(crate) struct Simd128(());

impl Simd128 {
    #[target_feature(enable = "simd128")]
    #[inline]
    pub(crate) fn new() -> Self {
        Simd128(())
    }
}

impl Vec16 for Simd128 {
    type V = v128;

    #[inline(always)]
    fn load(self, src: &[u8; 16]) -> v128 {
        // SAFETY: 16 bytes are read.
        unsafe { v128_load(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: v128, room: &mut Out<16>) {
        // SAFETY: 16 bytes are written.
        unsafe { v128_store(room.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_low(self, v: v128, room: &mut Out<8>) {
        // SAFETY: 8 bytes are written.
        unsafe { v128_store64_lane::<0>(v, room.as_mut_ptr().cast()) }
    }

    #[inline(always)]
    fn from_u64x2(self, low: u64, high: u64) -> v128 {
        u64x2(low, high)
    }

    #[inline(always)]
    fn to_u64x2(self, v: v128) -> [u64; 2] {
        [u64x2_extract_lane::<0>(v), u64x2_extract_lane::<1>(v)]
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> v128 {
        u8x16_splat(byte)
    }

    #[inline(always)]
    fn upper_half(self, v: v128) -> v128 {
        u64x2_shuffle::<1, 1>(v, v)
    }

    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn or(self, a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }

    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        u8x16_add(a, b)
    }

    #[inline(always)]
    fn add_saturating(self, a: v128, b: v128) -> v128 {
        u8x16_add_sat(a, b)
    }

    #[inline(always)]
    fn min(self, a: v128, b: v128) -> v128 {
        u8x16_min(a, b)
    }

    #[inline(always)]
    fn sub_saturating(self, a: v128, b: v128) -> v128 {
        u8x16_sub_sat(a, b)
    }

    #[inline(always)]
    fn eq(self, a: v128, b: v128) -> v128 {
        u8x16_eq(a, b)
    }

    #[inline(always)]
    fn select(self, mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }

    #[inline(always)]
    fn high_nibble(self, v: v128) -> v128 {
        u8x16_shr(v, 4)
    }

    #[inline(always)]
    fn shl4(self, v: v128) -> v128 {
        u8x16_shl(v, 4)
    }

    #[inline(always)]
    fn table_lookup(self, row: v128, v: v128) -> v128 {
        // An index of 16 or more gives 0. After the AND, exactly the lanes with the top bit set have an index of 16 or
        // more.
        u8x16_swizzle(row, v128_and(v, u8x16_splat(0x8F)))
    }

    #[inline(always)]
    fn interleave8(self, a: v128, b: v128) -> (v128, v128) {
        (
            u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b),
            u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b),
        )
    }

    #[inline(always)]
    fn interleave16(self, a: v128, b: v128) -> (v128, v128) {
        (u16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b), u16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b))
    }

    #[inline(always)]
    fn lookahead(self, v: v128, after: v128) -> [v128; 2] {
        [
            u8x16_shuffle::<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>(v, after),
            u8x16_shuffle::<2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17>(v, after),
        ]
    }

    #[inline(always)]
    fn lookbehind(self, v: v128, before: v128) -> [v128; 3] {
        [
            u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before, v),
            u8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before, v),
            u8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before, v),
        ]
    }

    #[inline(always)]
    fn movemask(self, block: [v128; 4]) -> u64 {
        let [a, b, c, d] = block.map(|v| u64::from(u8x16_bitmask(v)));
        a | b << 16 | c << 32 | d << 48
    }

    #[inline(always)]
    fn any(self, v: v128) -> bool {
        v128_any_true(v)
    }
}
