//! Implements [`Vec16`] with SSE4.2, which includes SSSE3's byte shuffle.
//!
//! SAFETY, for every `unsafe` block below: an [`Sse42`] exists only if [`Sse42::new`] could be called, so the CPU has
//! the features. Memory that is loaded or stored is an array of the length that the instruction takes, and the
//! instructions need no alignment.

use core::arch::asm;
use core::arch::x86_64::*;

use super::Out;
use super::vec16::Vec16;

/// Proves that the CPU has SSE4.2 (and so SSSE3 and SSE4.1) and POPCNT.
#[derive(Clone, Copy)]
pub(crate) struct Sse42(());

impl Sse42 {
    #[target_feature(enable = "sse4.2,popcnt")]
    #[inline]
    pub(crate) fn new() -> Self {
        Sse42(())
    }
}

impl Vec16 for Sse42 {
    type V = __m128i;

    #[inline(always)]
    fn load(self, src: &[u8; 16]) -> __m128i {
        // SAFETY: 16 bytes are read.
        unsafe { _mm_loadu_si128(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: __m128i, room: &mut Out<16>) {
        // SAFETY: 16 bytes are written.
        unsafe { _mm_storeu_si128(room.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_low(self, v: __m128i, room: &mut Out<8>) {
        // SAFETY: 8 bytes are written.
        unsafe { _mm_storel_epi64(room.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn from_u64x2(self, low: u64, high: u64) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_set_epi64x(high as i64, low as i64) }
    }

    #[inline(always)]
    fn to_u64x2(self, v: __m128i) -> [u64; 2] {
        // SAFETY: SSE4.1.
        unsafe { [_mm_cvtsi128_si64(v) as u64, _mm_extract_epi64::<1>(v) as u64] }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn upper_half(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_unpackhi_epi64(v, v) }
    }

    #[inline(always)]
    fn and(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_and_si128(a, b) }
    }

    #[inline(always)]
    fn or(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_or_si128(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    fn add(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_add_epi8(a, b) }
    }

    #[inline(always)]
    fn add_saturating(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_adds_epu8(a, b) }
    }

    #[inline(always)]
    fn min(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_min_epu8(a, b) }
    }

    #[inline(always)]
    fn sub_saturating(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_subs_epu8(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2.
        unsafe { _mm_cmpeq_epi8(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE4.1.
        unsafe { _mm_blendv_epi8(no, yes, mask) }
    }

    #[inline(always)]
    fn below16(self, v: __m128i, mask: __m128i) -> __m128i {
        // SAFETY: SSE2.
        let mut above = unsafe { _mm_adds_epu8(v, _mm_set1_epi8(0x70)) };
        // SAFETY: the assembly has no instruction. In `above`, the top bit of a lane is set if the lane of `v` is 16 or
        // more. The assembly hides this from the compiler, which would otherwise make a comparison that takes two
        // instructions.
        unsafe { asm!("/* {} */", inlateout(xmm_reg) above, options(pure, nomem, preserves_flags, nostack)) };
        // SAFETY: SSE2. In each lane of the result, only the top bit is right. Callers of `below16` use only this bit.
        unsafe { _mm_andnot_si128(above, mask) }
    }

    #[inline(always)]
    fn high_nibble(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2. SSE2 has no shift of bytes, so the AND clears the bits that come in from the neighbouring byte.
        unsafe { _mm_and_si128(_mm_srli_epi16::<4>(v), _mm_set1_epi8(15)) }
    }

    #[inline(always)]
    fn shl4(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2. The value of each byte is below 16, so the shift moves no bit into the next byte.
        unsafe { _mm_slli_epi16::<4>(v) }
    }

    #[inline(always)]
    fn table_lookup(self, row: __m128i, v: __m128i) -> __m128i {
        // SAFETY: SSSE3.
        unsafe { _mm_shuffle_epi8(row, v) }
    }

    #[inline(always)]
    fn interleave8(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        // SAFETY: SSE2.
        unsafe { (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)) }
    }

    #[inline(always)]
    fn interleave16(self, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        // SAFETY: SSE2.
        unsafe { (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)) }
    }

    #[inline(always)]
    fn lookahead(self, v: __m128i, after: __m128i) -> [__m128i; 2] {
        // SAFETY: SSSE3.
        unsafe { [_mm_alignr_epi8::<1>(after, v), _mm_alignr_epi8::<2>(after, v)] }
    }

    #[inline(always)]
    fn lookbehind(self, v: __m128i, before: __m128i) -> [__m128i; 3] {
        // SAFETY: SSSE3.
        unsafe {
            [_mm_alignr_epi8::<15>(v, before), _mm_alignr_epi8::<14>(v, before), _mm_alignr_epi8::<13>(v, before)]
        }
    }

    #[inline(always)]
    fn movemask(self, block: [__m128i; 4]) -> u64 {
        let [a, b, c, d] = block;
        // SAFETY: SSE2.
        let [a, b, c, d] =
            unsafe { [_mm_movemask_epi8(a), _mm_movemask_epi8(b), _mm_movemask_epi8(c), _mm_movemask_epi8(d)] };
        (a as u64) | (b as u64) << 16 | (c as u64) << 32 | (d as u64) << 48
    }

    #[inline(always)]
    fn any(self, v: __m128i) -> bool {
        // SAFETY: SSE4.1.
        unsafe { _mm_testz_si128(v, v) == 0 }
    }
}
