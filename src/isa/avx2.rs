//! Implements [`Isa`] with AVX2, which has registers of 32 bytes. Work that needs registers of 16 bytes uses the code
//! for SSE4.2.
//!
//! SAFETY, for every `unsafe` block below: an [`Avx2`] exists only if [`Avx2::new`] could be called, so the CPU has the
//! features. Memory that is loaded or stored is an array of the length that the instruction takes, and the instructions
//! need no alignment.

use core::arch::x86_64::*;

use super::sse42::Sse42;
use super::tables::{NIBBLE_BIT, utf8};
use super::vec16;
use super::{BLOCK, COMPACTED, EXPANDED, FEW, FEW_EXPANDED, Isa, Out};
use crate::set::NibbleTable;
use crate::triplet::Digits;

/// Proves that the CPU has AVX2, BMI1, BMI2, LZCNT and the features of [`Sse42`].
#[derive(Clone, Copy)]
pub(crate) struct Avx2(Sse42);

impl Avx2 {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub(crate) fn new() -> Self {
        Avx2(Sse42::new())
    }
}

/// Loads 16 bytes into both halves of a register.
#[target_feature(enable = "avx2")]
#[inline]
fn twice(row: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read.
    unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(row.as_ptr().cast())) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn high_nibble(v: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_srli_epi16::<4>(v), _mm256_set1_epi8(15))
}

/// Returns the value of each hexadecimal digit, and 16 or more for any other byte: see `vec16::hex_value`.
#[target_feature(enable = "avx2")]
#[inline]
fn hex_value(v: __m256i) -> __m256i {
    let digit = _mm256_add_epi8(v, _mm256_set1_epi8((0xFF - b'9') as i8));
    let digit = _mm256_sub_epi8(_mm256_subs_epu8(digit, _mm256_set1_epi8(6)), _mm256_set1_epi8(0xF0_u8 as i8));
    let letter = _mm256_sub_epi8(_mm256_and_si256(v, _mm256_set1_epi8(0xDF_u8 as i8)), _mm256_set1_epi8(b'A' as i8));
    _mm256_min_epu8(digit, _mm256_adds_epu8(letter, _mm256_set1_epi8(10)))
}

/// Returns the same as [`bits`], but hides from the compiler that the number comes from a vector. If LLVM saw that two
/// branches each compute a number from a vector, it would keep the vector, and gather its bits one by one after the
/// branches.
#[target_feature(enable = "avx2")]
#[inline]
fn opaque_bits(v: [__m256i; 2]) -> u64 {
    let mut bits = bits(v);
    // SAFETY: the assembly has no instruction.
    unsafe { core::arch::asm!("/* {} */", inout(reg) bits, options(pure, nomem, nostack, preserves_flags)) }
    bits
}

/// If `block` was loaded from offset *n*, `next` was loaded from *n* + 1, and `after` from *n* + 2. Returns three
/// vectors: the lanes of `block` that start a triplet, and for these lanes the value of the high digit and the decoded
/// byte.
///
/// This function is inlined at every level of optimization, because vectors don't stay in registers across a call.
#[inline(always)]
fn triplet(_: Avx2, block: __m256i, next: __m256i, after: __m256i) -> (__m256i, __m256i, __m256i) {
    // SAFETY: AVX2.
    unsafe {
        let fifteen = _mm256_set1_epi8(15);
        let (high, low) = (hex_value(next), hex_value(after));
        let either = _mm256_or_si256(high, low);
        let valid = _mm256_cmpeq_epi8(_mm256_min_epu8(either, fifteen), either);
        let start = _mm256_and_si256(valid, _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'%' as i8)));
        let high = _mm256_and_si256(high, fifteen);
        (start, high, _mm256_or_si256(_mm256_slli_epi16::<4>(high), low))
    }
}

/// Returns 0xFF in the lanes of ASCII bytes that are in the set. `row` is the lower half of the set's table.
#[target_feature(enable = "avx2")]
#[inline]
fn contains_ascii([low, high]: [__m256i; 2], row: &[u8; 16]) -> [__m256i; 2] {
    let (row, bit) = (twice(row), twice(&NIBBLE_BIT));
    let low_bit = _mm256_shuffle_epi8(bit, high_nibble(low));
    let high_bit = _mm256_shuffle_epi8(bit, high_nibble(high));
    [
        _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(row, low), low_bit), low_bit),
        _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(row, high), high_bit), high_bit),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn bits([low, high]: [__m256i; 2]) -> u64 {
    u64::from(_mm256_movemask_epi8(low) as u32) | u64::from(_mm256_movemask_epi8(high) as u32) << 32
}

/// Returns 0xFF in the lanes of the mask `lanes`, and 0x00 in all other lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn mask(lanes: u32) -> __m256i {
    let own = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bit = twice(&NIBBLE_BIT);
    _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(lanes as i32), own), bit), bit)
}

#[target_feature(enable = "avx2")]
#[inline]
fn halves(v: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)]
}

#[target_feature(enable = "avx2")]
#[inline]
fn utf8_wrong(v: __m256i, before: __m256i) -> __m256i {
    let across = _mm256_permute2x128_si256::<0x21>(before, v);
    let one = _mm256_alignr_epi8::<15>(v, across);
    let two = _mm256_alignr_epi8::<14>(v, across);
    let three = _mm256_alignr_epi8::<13>(v, across);
    let wrong = _mm256_and_si256(
        _mm256_and_si256(
            _mm256_shuffle_epi8(twice(&utf8::FIRST_HIGH), high_nibble(one)),
            _mm256_shuffle_epi8(twice(&utf8::FIRST_LOW), _mm256_and_si256(one, _mm256_set1_epi8(15))),
        ),
        _mm256_shuffle_epi8(twice(&utf8::SECOND_HIGH), high_nibble(v)),
    );
    let third = _mm256_subs_epu8(two, _mm256_set1_epi8(utf8::THIRD as i8));
    let fourth = _mm256_subs_epu8(three, _mm256_set1_epi8(utf8::FOURTH as i8));
    let must = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(0x80_u8 as i8));
    _mm256_xor_si256(must, wrong)
}

impl Isa for Avx2 {
    type Block = [__m256i; 2];

    #[inline(always)]
    fn load(self, src: &[u8; BLOCK]) -> Self::Block {
        // SAFETY: 64 bytes are read.
        unsafe { [_mm256_loadu_si256(src.as_ptr().cast()), _mm256_loadu_si256(src[32..].as_ptr().cast())] }
    }

    #[inline(always)]
    fn load_part(self, src: &[u8]) -> Self::Block {
        let [a, b, c, d] = vec16::load_part(self.0, src);
        // SAFETY: AVX2.
        unsafe { [_mm256_set_m128i(b, a), _mm256_set_m128i(d, c)] }
    }

    #[inline(always)]
    fn load_few(self, src: &[u8]) -> Self::Block {
        // SAFETY: AVX2.
        unsafe { [_mm256_zextsi128_si256(vec16::load_few(self.0, src)); 2] }
    }

    #[inline(always)]
    fn store_few(self, [low, _]: Self::Block, room: &mut Out<FEW>) {
        // SAFETY: AVX2; 16 bytes are written.
        unsafe { _mm_storeu_si128(room.as_mut_ptr().cast(), _mm256_castsi256_si128(low)) }
    }

    #[inline(always)]
    fn expand_few(self, [low, _]: Self::Block, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>) {
        // SAFETY: AVX2.
        vec16::expand_few(self.0, unsafe { _mm256_castsi256_si128(low) }, escaped, digits, room);
    }

    #[inline(always)]
    fn store(self, [low, high]: Self::Block, room: &mut Out<BLOCK>) {
        // SAFETY: 64 bytes are written.
        unsafe {
            _mm256_storeu_si256(room.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(room[32..].as_mut_ptr().cast(), high);
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::Block {
        // SAFETY: AVX2.
        unsafe { [_mm256_set1_epi8(byte as i8); 2] }
    }

    #[inline(always)]
    fn xor(self, [low, high]: Self::Block, bits: u8) -> Self::Block {
        // SAFETY: AVX2.
        unsafe {
            let bits = _mm256_set1_epi8(bits as i8);
            [_mm256_xor_si256(low, bits), _mm256_xor_si256(high, bits)]
        }
    }

    #[inline(always)]
    fn eq_mask(self, [low, high]: Self::Block, byte: u8) -> u64 {
        // SAFETY: AVX2.
        unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            bits([_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte)])
        }
    }

    #[inline(always)]
    fn has(self, [low, high]: Self::Block, byte: u8) -> bool {
        // SAFETY: AVX2.
        unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            let equal = _mm256_or_si256(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte));
            _mm256_movemask_epi8(equal) != 0
        }
    }

    #[inline(always)]
    fn min(self, a: Self::Block, b: Self::Block) -> Self::Block {
        // SAFETY: AVX2.
        unsafe { [_mm256_min_epu8(a[0], b[0]), _mm256_min_epu8(a[1], b[1])] }
    }

    #[inline(always)]
    fn high_mask(self, block: Self::Block) -> u64 {
        // SAFETY: AVX2.
        unsafe { bits(block) }
    }

    #[inline(always)]
    fn at_least_mask(self, [low, high]: Self::Block, byte: u8) -> u64 {
        // SAFETY: AVX2.
        unsafe {
            let byte = _mm256_set1_epi8(byte as i8);
            bits([
                _mm256_cmpeq_epi8(_mm256_min_epu8(low, byte), byte),
                _mm256_cmpeq_epi8(_mm256_min_epu8(high, byte), byte),
            ])
        }
    }

    #[inline(always)]
    fn contains_mask_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64 {
        // SAFETY: AVX2.
        unsafe { bits(contains_ascii(block, row)) }
    }

    #[inline(always)]
    fn contains_mask(self, block: Self::Block, table: &NibbleTable) -> u64 {
        // SAFETY: AVX2.
        let ascii = unsafe { opaque_bits(contains_ascii(block, &table.half[0])) };
        if table.is_ascii() {
            return ascii;
        }
        // SAFETY: AVX2.
        ascii | unsafe { opaque_bits(contains_ascii(self.xor(block, 0x80), &table.half[1])) }
    }

    #[inline(always)]
    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block {
        // SAFETY: AVX2.
        unsafe {
            [
                _mm256_blendv_epi8(no[0], yes[0], mask(lanes as u32)),
                _mm256_blendv_epi8(no[1], yes[1], mask((lanes >> 32) as u32)),
            ]
        }
    }

    #[inline(always)]
    fn replace(self, [low, high]: Self::Block, of: Self::Block, from: u8, to: u8) -> Self::Block {
        // SAFETY: AVX2.
        unsafe {
            let (from, to) = (_mm256_set1_epi8(from as i8), _mm256_set1_epi8(to as i8));
            [
                _mm256_blendv_epi8(low, to, _mm256_cmpeq_epi8(of[0], from)),
                _mm256_blendv_epi8(high, to, _mm256_cmpeq_epi8(of[1], from)),
            ]
        }
    }

    #[inline(always)]
    fn lookahead(self, [low, high]: Self::Block) -> [Self::Block; 2] {
        // SAFETY: AVX2.
        unsafe {
            let middle = _mm256_permute2x128_si256::<0x21>(low, high);
            let end = _mm256_permute2x128_si256::<0x81>(high, high);
            [
                [_mm256_alignr_epi8::<1>(middle, low), _mm256_alignr_epi8::<1>(end, high)],
                [_mm256_alignr_epi8::<2>(middle, low), _mm256_alignr_epi8::<2>(end, high)],
            ]
        }
    }

    #[inline(always)]
    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block) {
        // SAFETY: AVX2.
        unsafe {
            // This isn't a loop, because opt-level "z" would not unroll a loop.
            let (low, _, low_value) = triplet(self, block[0], next[0], after[0]);
            let (high, _, high_value) = triplet(self, block[1], next[1], after[1]);
            let decoded =
                [_mm256_blendv_epi8(block[0], low_value, low), _mm256_blendv_epi8(block[1], high_value, high)];
            (opaque_bits([low, high]), decoded)
        }
    }

    #[inline(always)]
    fn triplets_except(
        self,
        block: Self::Block,
        next: Self::Block,
        after: Self::Block,
        kept: &NibbleTable,
    ) -> (u64, u64, Self::Block) {
        // SAFETY: AVX2.
        unsafe {
            let [low_half, high_half] = [twice(&kept.half[0]), twice(&kept.half[1])];
            let top = _mm256_set1_epi8(0x80_u8 as i8);
            let (mut valid, mut starts, mut decoded) = (block, block, block);
            for i in 0..2 {
                let (start, high, value) = triplet(self, block[i], next[i], after[i]);
                let bit = _mm256_shuffle_epi8(twice(&NIBBLE_BIT), high);
                // Each byte is looked up in both halves of the table. The look-up in the wrong half returns 0.
                let row = _mm256_or_si256(
                    _mm256_shuffle_epi8(low_half, value),
                    _mm256_shuffle_epi8(high_half, _mm256_xor_si256(value, top)),
                );
                let has = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), bit);
                valid[i] = start;
                starts[i] = _mm256_andnot_si256(has, start);
                decoded[i] = _mm256_blendv_epi8(block[i], value, starts[i]);
            }
            (opaque_bits(valid), opaque_bits(starts), decoded)
        }
    }

    #[inline(always)]
    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>) {
        let mut o = 0;
        for (i, v) in block.into_iter().enumerate() {
            if n <= 32 * i {
                break;
            }
            // SAFETY: AVX2.
            let [[a0, b0], [a1, b1], [a2, b2], [a3, b3]] = unsafe {
                let digits = twice(&digits.row);
                let percent = _mm256_set1_epi8(b'%' as i8);
                let high = _mm256_shuffle_epi8(digits, high_nibble(v));
                let low = _mm256_shuffle_epi8(digits, _mm256_and_si256(v, _mm256_set1_epi8(15)));
                let (a, b) = (_mm256_unpacklo_epi8(v, high), _mm256_unpackhi_epi8(v, high));
                let (c, d) = (_mm256_unpacklo_epi8(low, percent), _mm256_unpackhi_epi8(low, percent));
                [
                    halves(_mm256_unpacklo_epi16(a, c)),
                    halves(_mm256_unpackhi_epi16(a, c)),
                    halves(_mm256_unpacklo_epi16(b, d)),
                    halves(_mm256_unpackhi_epi16(b, d)),
                ]
            };
            let escaped = escaped >> (32 * i);
            o = vec16::expand4(self.0, a0, escaped << 4, room, o);
            o = vec16::expand4(self.0, a1, escaped, room, o);
            o = vec16::expand4(self.0, a2, escaped >> 4, room, o);
            o = vec16::expand4(self.0, a3, escaped >> 8, room, o);
            if n <= 32 * i + 16 {
                break;
            }
            o = vec16::expand4(self.0, b0, escaped >> 12, room, o);
            o = vec16::expand4(self.0, b1, escaped >> 16, room, o);
            o = vec16::expand4(self.0, b2, escaped >> 20, room, o);
            o = vec16::expand4(self.0, b3, escaped >> 24, room, o);
        }
    }

    #[inline(always)]
    fn compact(self, [low, high]: Self::Block, keep: u64, room: &mut Out<COMPACTED>) {
        // SAFETY: AVX2.
        let [[a, b], [c, d]] = unsafe { [halves(low), halves(high)] };
        let o = vec16::compact(self.0, a, keep as u16, room, 0);
        let o = vec16::compact(self.0, b, (keep >> 16) as u16, room, o);
        if keep >> 32 == 0 {
            return;
        }
        let o = vec16::compact(self.0, c, (keep >> 32) as u16, room, o);
        vec16::compact(self.0, d, (keep >> 48) as u16, room, o);
    }

    #[inline(always)]
    fn decode_small(self, text: [u64; 2]) -> Option<([u64; 2], usize, bool)> {
        Some(vec16::decode_small(self.0, text))
    }

    #[inline(always)]
    fn utf8_error(self, [low, high]: Self::Block, [_, before]: Self::Block) -> bool {
        // SAFETY: AVX2.
        unsafe {
            let wrong = _mm256_or_si256(utf8_wrong(low, before), utf8_wrong(high, low));
            _mm256_testz_si256(wrong, wrong) == 0
        }
    }
}
