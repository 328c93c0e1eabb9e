//! Implements [`Isa`] with AVX-512 and VBMI2 (Ice Lake, Zen 4 and later). A register has 64 bytes, and masks have their
//! own registers. Expanding and compacting use an instruction of VBMI2 that compresses bytes: it drops some lanes and
//! closes the gaps. We use only its form that writes to a register. On Zen 4, its form that writes to memory is slow
//! microcode.
//!
//! SAFETY, for every block below: an [`Avx512`] exists only if [`Avx512::new`] could be called, so the CPU has the
//! features. Memory that is loaded or stored is an array of the length that the instruction takes, and the instructions
//! need no alignment.

use core::arch::x86_64::*;
use core::mem::MaybeUninit;

use super::tables::{NIBBLE_BIT, utf8};
use super::{BLOCK, COMPACTED, EXPANDED, FEW, FEW_EXPANDED, Isa, Out};
use crate::set::NibbleTable;
use crate::triplet::{Digits, HEX, NOT_HEX};

/// Proves that the CPU has AVX-512 F, BW, VL, VBMI and VBMI2, and AVX2 and BMI2.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx2,bmi1,bmi2,lzcnt,popcnt")]
    #[inline]
    pub(crate) fn new() -> Self {
        Avx512(())
    }
}

/// Entry *i* is the only hexadecimal digit whose low six bits are *i*. If no digit has these bits, entry *i* is a byte
/// whose low six bits aren't *i*. So a byte is a digit if and only if it equals the entry at its low six bits.
static DIGIT: [u8; 64] = by_low_bits(false);
/// The value of each hexadecimal digit. The index is the low six bits of the digit: entry `b'F' & 63` is 15.
static VALUE: [u8; 64] = by_low_bits(true);
/// For each hexadecimal digit, the bit that a [`NibbleTable`] uses for bytes whose high nibble is the value of the
/// digit. The index is the low six bits of the digit. The first row has the bits for the digits 0 to 7, and 0 for the
/// digits 8 to F. The second row has the bits for the digits 8 to F, and 0 for the digits 0 to 7.
static VALUE_BIT: [[u8; 64]; 2] = {
    let mut rows = [by_low_bits(true); 2];
    let mut low = 0;
    while low < 64 {
        let value = rows[0][low] as usize;
        rows[0][low] = if value < 8 { NIBBLE_BIT[value] } else { 0 };
        rows[1][low] = if value < 8 { 0 } else { NIBBLE_BIT[value] };
        low += 1;
    }
    rows
};

const fn by_low_bits(value: bool) -> [u8; 64] {
    let mut row = [0; 64];
    let mut low = 0;
    while low < 64 {
        row[low] = if value { 0 } else { !(low as u8) };
        let mut byte = low;
        while byte < 256 {
            if HEX[byte] != NOT_HEX {
                row[low] = if value { HEX[byte] } else { byte as u8 };
            }
            byte += 64;
        }
        low += 1;
    }
    row
}

/// A mask of the lanes 0, 3, 6 and so on up to 60.
const THIRDS: u64 = 0x1249_2492_4924_9249;
/// The number of bytes that one step of [`Isa::expand`] takes.
const STEP: usize = 21;

/// The shuffles that expand the first, the second and the third 21 bytes of a block. A shuffle lists the source of each
/// of 63 output lanes. Sources below 64 are lanes of a register that has `%` or the unescaped byte. Sources from 64 on
/// are lanes of a register with the high digits. In the output lanes of `THIRDS << 2`, the source is a lane of a third
/// register, which has the low digits.
static TRIPLETS: [[u8; 64]; 3] = {
    let mut rows = [[0; 64]; 3];
    let mut k = 0;
    while k < 3 {
        let mut lane = 0;
        while lane < 63 {
            let byte = (21 * k + lane / 3) as u8;
            rows[k][lane] = if lane % 3 == 1 { 64 + byte } else { byte };
            lane += 1;
        }
        k += 1;
    }
    rows
};

#[target_feature(enable = "avx512f")]
#[inline]
fn row64(row: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read.
    unsafe { _mm512_loadu_si512(row.as_ptr().cast()) }
}

/// Loads 16 bytes into each quarter of a register.
#[target_feature(enable = "avx512f")]
#[inline]
fn row16(row: &[u8; 16]) -> __m512i {
    // SAFETY: 16 bytes are read.
    unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(row.as_ptr().cast())) }
}

/// The smallest page size on x86-64.
const PAGE: usize = 4096;

/// Loads `src` for [`Isa::load_part`], if the memory page of `src` ends less than 64 bytes after the start of `src`.
///
/// A masked-out lane never faults. But if the next page is missing, the CPU takes some six hundred cycles to suppress
/// the fault. So if `src` ends on this page, we load the last 64 bytes of the page, and move the bytes of `src` to the
/// first lanes.
///
/// # Safety
/// The CPU has AVX-512 BW and VBMI2. `lanes` has as many lanes as `src` has bytes. `left` is the number of bytes from
/// the start of `src` to the end of its page: 1 to 63.
#[cold]
#[inline(always)]
unsafe fn load_near_page(src: &[u8], lanes: u64, left: usize) -> __m512i {
    let before = if src.len() <= left { BLOCK - left } else { 0 };
    let lanes = lanes << before;
    // SAFETY: only the lanes of the mask are read, and these are the bytes of `src`.
    let block = unsafe { _mm512_maskz_loadu_epi8(lanes, src.as_ptr().wrapping_sub(before).cast()) };
    // SAFETY: the caller's promise.
    unsafe { _mm512_maskz_compress_epi8(lanes, block) }
}

/// Stores the first `len` bytes of `block` at `dst`. If a masked-out lane is on a missing page, a store takes hundreds
/// of cycles, as a load does. So stores near the end of a page call [`store_near_page`].
///
/// # Safety
/// The CPU has AVX-512 BW, VBMI2 and BMI2. `len` bytes may be written at `dst`.
#[inline(always)]
unsafe fn store_exact(block: __m512i, dst: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    let lanes = unsafe { _bzhi_u64(!0, len.min(BLOCK) as u32) };
    let left = PAGE - dst.addr() % PAGE;
    if left < BLOCK {
        // SAFETY: the caller's promise.
        unsafe { store_near_page(block, lanes, dst, left) }
    } else {
        // SAFETY: only the lanes of the mask are written, and these are the `len` bytes at `dst`.
        unsafe { _mm512_mask_storeu_epi8(dst.cast(), lanes, block) }
    }
}

/// Stores like [`store_exact`], if the page of `dst` ends less than 64 bytes after `dst`.
///
/// If all bytes to write are on this page, we make a masked store to the last 64 bytes of the page. [`load_near_page`]
/// gives the reason. This function is inlined, because a call would give all callers a stack frame.
///
/// # Safety
/// The CPU has AVX-512 BW and VBMI2. `lanes` has a lane for each byte to write, and these bytes may be written at `dst`.
/// `left` is the number of bytes from `dst` to the end of its page: 1 to 63.
#[cold]
#[inline(always)]
unsafe fn store_near_page(block: __m512i, lanes: u64, dst: *mut u8, left: usize) {
    let before = if lanes.count_ones() as usize <= left { BLOCK - left } else { 0 };
    let lanes = lanes << before;
    // SAFETY: the caller's promise; only the lanes of the mask are written, and these are the bytes at `dst`.
    unsafe {
        let block = _mm512_maskz_expand_epi8(lanes, block);
        _mm512_mask_storeu_epi8(dst.wrapping_sub(before).cast(), lanes, block);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn high_nibble(v: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<4>(v), _mm512_set1_epi8(15))
}

/// For every lane, the result of reading three bytes as a triplet.
struct Triplets {
    /// 0 if the first byte is a `%` and the other two are digits.
    wrong: __m512i,
    /// The high and the low nibble of the decoded byte, if the second and the third byte are digits.
    nibbles: [__m512i; 2],
}

/// Reads the bytes of `block`, `next` and `after` as triplets. The caller then needs only one comparison into a mask
/// register for all three bytes. This saves time, because operations on mask registers are the bottleneck of the loop.
///
/// This function is inlined at every level of optimization, because vectors don't stay in registers across a call.
#[inline(always)]
fn read(_: Avx512, block: __m512i, next: __m512i, after: __m512i) -> Triplets {
    // SAFETY: AVX-512 BW and VBMI.
    unsafe {
        let (digit, value) = (row64(&DIGIT), row64(&VALUE));
        let wrong = _mm512_xor_si512(block, _mm512_set1_epi8(b'%' as i8));
        // 0xBE computes (a ^ b) | c.
        let wrong = _mm512_ternarylogic_epi32::<0xBE>(_mm512_permutexvar_epi8(next, digit), next, wrong);
        let wrong = _mm512_ternarylogic_epi32::<0xBE>(_mm512_permutexvar_epi8(after, digit), after, wrong);
        let high = _mm512_permutexvar_epi8(next, _mm512_slli_epi16::<4>(value));
        Triplets { wrong, nibbles: [high, _mm512_permutexvar_epi8(after, value)] }
    }
}

/// Expands the 21 bytes that `lanes` chooses. The bytes in the lanes of `escaped` become triplets. Returns the result
/// and its length. `first` has the first output byte of each input byte, which is the unescaped byte or `%`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn triplets21([first, high, low]: [__m512i; 3], lanes: &[u8; 64], escaped: u64) -> (__m512i, usize) {
    let lanes = row64(lanes);
    let triplets = _mm512_permutex2var_epi8(first, lanes, high);
    let triplets = _mm512_mask_permutexvar_epi8(triplets, THIRDS << 2, lanes, low);
    let written = THIRDS | _pdep_u64(escaped, THIRDS) * 7;
    (_mm512_maskz_compress_epi8(written, triplets), written.count_ones() as usize)
}

/// Writes 21 bytes, expanded by [`triplets21`], at offset `o` of `room`. Returns the offset after the output.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
#[inline]
fn expand21(parts: [__m512i; 3], lanes: &[u8; 64], escaped: u64, room: &mut Out<EXPANDED>, o: usize) -> usize {
    let (triplets, written) = triplets21(parts, lanes, escaped);
    debug_assert!(o <= 2 * 63);
    if let Some(room) = crate::words::room::<BLOCK>(room, o & 127) {
        // SAFETY: 64 bytes are written.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), triplets) }
    }
    o + written
}

/// Returns three registers with the parts of triplets: `%` or the unescaped byte, the high digit and the low digit.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn parts(block: __m512i, escaped: u64, digits: &Digits) -> [__m512i; 3] {
    let row = row16(&digits.row);
    [
        _mm512_mask_blend_epi8(escaped, block, _mm512_set1_epi8(b'%' as i8)),
        _mm512_shuffle_epi8(row, high_nibble(block)),
        _mm512_shuffle_epi8(row, _mm512_and_si512(block, _mm512_set1_epi8(15))),
    ]
}

impl Isa for Avx512 {
    type Block = __m512i;

    const UNROLL4: bool = true;
    const MASKED_STORES: bool = true;

    #[inline(always)]
    fn load(self, src: &[u8; BLOCK]) -> __m512i {
        // SAFETY: 64 bytes are read.
        unsafe { _mm512_loadu_si512(src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_part(self, src: &[u8]) -> __m512i {
        // SAFETY: the CPU has the features.
        let lanes = unsafe { _bzhi_u64(!0, src.len().min(BLOCK) as u32) };
        let at = src.as_ptr().addr() % PAGE;
        if at > PAGE - BLOCK {
            // SAFETY: 1 to 63 bytes are left on the page, and `lanes` has a lane for each byte of `src`.
            return unsafe { load_near_page(src, lanes, PAGE - at) };
        }
        // SAFETY: only the lanes of the mask are read, and these are the bytes of `src`.
        unsafe { _mm512_maskz_loadu_epi8(lanes, src.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_few(self, src: &[u8]) -> __m512i {
        if src.as_ptr().addr() % PAGE > PAGE - FEW {
            return self.load_part(src);
        }
        // SAFETY: the CPU has the features. Only the lanes of the mask are read, and these are the bytes of `src`.
        unsafe {
            let lanes = _bzhi_u32(0xFFFF, src.len() as u32) as u16;
            _mm512_zextsi128_si512(_mm_maskz_loadu_epi8(lanes, src.as_ptr().cast()))
        }
    }

    #[inline(always)]
    fn store_few(self, block: __m512i, room: &mut Out<FEW>) {
        // SAFETY: 16 bytes are written.
        unsafe { _mm_storeu_si128(room.as_mut_ptr().cast(), _mm512_castsi512_si128(block)) }
    }

    #[inline(always)]
    fn expand_few(self, block: __m512i, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>) {
        // SAFETY: AVX-512 BW, VBMI and VBMI2; 64 bytes are written.
        unsafe {
            let (triplets, _) = triplets21(parts(block, escaped, digits), &TRIPLETS[0], escaped);
            _mm512_storeu_si512(room.as_mut_ptr().cast(), triplets);
        }
    }

    #[inline(always)]
    fn store(self, block: __m512i, room: &mut Out<BLOCK>) {
        // SAFETY: 64 bytes are written.
        unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), block) }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> __m512i {
        // SAFETY: AVX-512 F.
        unsafe { _mm512_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn xor(self, block: __m512i, bits: u8) -> __m512i {
        // SAFETY: AVX-512 F.
        unsafe { _mm512_xor_si512(block, _mm512_set1_epi8(bits as i8)) }
    }

    #[inline(always)]
    fn eq_mask(self, block: __m512i, byte: u8) -> u64 {
        // SAFETY: AVX-512 BW.
        unsafe { _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn min(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: AVX-512 BW.
        unsafe { _mm512_min_epu8(a, b) }
    }

    #[inline(always)]
    fn high_mask(self, block: __m512i) -> u64 {
        // SAFETY: AVX-512 BW.
        unsafe { _mm512_movepi8_mask(block) }
    }

    #[inline(always)]
    fn at_least_mask(self, block: __m512i, byte: u8) -> u64 {
        // SAFETY: AVX-512 BW.
        unsafe { _mm512_cmpge_epu8_mask(block, _mm512_set1_epi8(byte as i8)) }
    }

    #[inline(always)]
    fn contains_mask_ascii(self, block: __m512i, row: &[u8; 16]) -> u64 {
        // SAFETY: AVX-512 BW.
        unsafe {
            let bit = _mm512_shuffle_epi8(row16(&NIBBLE_BIT), high_nibble(block));
            _mm512_test_epi8_mask(_mm512_shuffle_epi8(row16(row), block), bit)
        }
    }

    #[inline(always)]
    fn select(self, lanes: u64, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX-512 BW.
        unsafe { _mm512_mask_blend_epi8(lanes, no, yes) }
    }

    #[inline(always)]
    fn lookahead(self, block: __m512i) -> [__m512i; 2] {
        // SAFETY: AVX-512 F and BW.
        unsafe {
            let across = _mm512_alignr_epi64::<2>(_mm512_setzero_si512(), block);
            [_mm512_alignr_epi8::<1>(across, block), _mm512_alignr_epi8::<2>(across, block)]
        }
    }

    #[inline(always)]
    fn any_mask(self, [a, b, c, d]: [__m512i; 4], except: [u64; 4], byte: u8) -> u64 {
        // SAFETY: AVX-512 BW.
        unsafe {
            let other = |block, except| {
                let bits = self.xor(block, byte);
                _mm512_mask_max_epu8(bits, except, bits, _mm512_set1_epi8(1))
            };
            let [a, b, c, d] = [other(a, except[0]), other(b, except[1]), other(c, except[2]), other(d, except[3])];
            let least = _mm512_min_epu8(_mm512_min_epu8(a, b), _mm512_min_epu8(c, d));
            _mm512_testn_epi8_mask(least, least)
        }
    }

    #[inline(always)]
    fn triplets(self, block: __m512i, next: __m512i, after: __m512i) -> (u64, __m512i) {
        let Triplets { wrong, nibbles: [high, low] } = read(self, block, next, after);
        // SAFETY: AVX-512 BW.
        unsafe {
            let starts = _mm512_testn_epi8_mask(wrong, wrong);
            (starts, _mm512_mask_add_epi8(block, starts, high, low))
        }
    }

    #[inline(always)]
    fn triplets_except(self, block: __m512i, next: __m512i, after: __m512i, kept: &NibbleTable) -> (u64, u64, __m512i) {
        // SAFETY: AVX-512 BW and VBMI.
        unsafe {
            let Triplets { wrong, nibbles: [high, low] } = read(self, block, next, after);
            let mut row = _mm512_shuffle_epi8(row16(&kept.half[0]), low);
            let mut bit = _mm512_permutexvar_epi8(next, row64(&VALUE_BIT[0]));
            if !kept.is_ascii() {
                row = _mm512_and_si512(row, bit);
                let upper = _mm512_shuffle_epi8(row16(&kept.half[1]), low);
                bit = _mm512_permutexvar_epi8(next, row64(&VALUE_BIT[1]));
                // 0xF8 computes a | (b & c).
                row = _mm512_ternarylogic_epi32::<0xF8>(row, upper, bit);
                bit = row;
            }
            // 0xF8 computes a | (b & c).
            let kept = _mm512_ternarylogic_epi32::<0xF8>(wrong, row, bit);
            let starts = _mm512_testn_epi8_mask(kept, kept);
            (_mm512_testn_epi8_mask(wrong, wrong), starts, _mm512_mask_add_epi8(block, starts, high, low))
        }
    }

    #[inline(always)]
    fn expand(self, block: __m512i, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>) {
        // SAFETY: AVX-512 BW, VBMI and VBMI2.
        unsafe {
            let parts = parts(block, escaped, digits);
            let o = expand21(parts, &TRIPLETS[0], escaped, room, 0);
            if n <= STEP {
                return;
            }
            let o = expand21(parts, &TRIPLETS[1], escaped >> STEP, room, o);
            if n <= 2 * STEP {
                return;
            }
            let o = expand21(parts, &TRIPLETS[2], escaped >> (2 * STEP), room, o);
            if n <= 3 * STEP {
                return;
            }
            let last = _mm_extract_epi8::<15>(_mm512_extracti32x4_epi32::<3>(block)) as u8;
            // This selects the byte or its triplet without a branch, because a branch could not be predicted.
            let triplet = u32::from_le_bytes(digits.word(last));
            let word = (u32::from(last) ^ triplet) & ((escaped as i64 >> 63) as u32) ^ u32::from(last);
            if let Some(room) = crate::words::room::<4>(room, o & 255) {
                *room = word.to_le_bytes().map(MaybeUninit::new);
            }
        }
    }

    #[inline(always)]
    fn expand_exact(
        self,
        block: __m512i,
        escaped: u64,
        n: usize,
        digits: &Digits,
        dst: &mut [MaybeUninit<u8>],
    ) -> Option<usize> {
        let written = n + 2 * escaped.count_ones() as usize;
        let room = dst.get_mut(..written)?;
        if n > STEP {
            let mut spill = [MaybeUninit::uninit(); EXPANDED];
            self.expand(block, escaped, n, digits, &mut spill);
            super::copy_spill(&spill, written, room)?;
            return Some(written);
        }
        // SAFETY: AVX-512 BW, VBMI and VBMI2; only bytes of `room` are written, and the written bytes are initialised.
        unsafe {
            let (triplets, _) = triplets21(parts(block, escaped, digits), &TRIPLETS[0], escaped);
            store_exact(triplets, room.as_mut_ptr().cast(), room.len());
        }
        Some(written)
    }

    #[inline(always)]
    fn compact(self, block: __m512i, keep: u64, room: &mut Out<COMPACTED>) {
        if let Some(room) = room.first_chunk_mut() {
            // SAFETY: AVX-512 VBMI2.
            self.store(unsafe { _mm512_maskz_compress_epi8(keep, block) }, room);
        }
    }

    #[inline(always)]
    fn compact_exact(self, block: __m512i, keep: u64, len: usize, dst: &mut [MaybeUninit<u8>]) -> Option<()> {
        debug_assert!(len <= keep.count_ones() as usize);
        let room = dst.get_mut(..len)?;
        // SAFETY: AVX-512 VBMI2; only bytes of `room` are written, and the written bytes are initialised.
        unsafe { store_exact(_mm512_maskz_compress_epi8(keep, block), room.as_mut_ptr().cast(), room.len()) };
        Some(())
    }

    #[inline(always)]
    fn compact_in_place(self, block: __m512i, keep: u64, len: usize, buffer: &mut [u8]) -> Option<()> {
        let room = buffer.get_mut(..len)?;
        // SAFETY: AVX-512 VBMI2; only bytes of `room` are written.
        unsafe { store_exact(_mm512_maskz_compress_epi8(keep, block), room.as_mut_ptr(), room.len()) };
        Some(())
    }

    #[inline(always)]
    fn utf8_error(self, block: __m512i, before: __m512i) -> bool {
        // SAFETY: AVX-512 BW.
        unsafe {
            let across = _mm512_alignr_epi64::<6>(block, before);
            let one = _mm512_alignr_epi8::<15>(block, across);
            let two = _mm512_alignr_epi8::<14>(block, across);
            let three = _mm512_alignr_epi8::<13>(block, across);
            let wrong = _mm512_ternarylogic_epi32::<0x80>(
                _mm512_shuffle_epi8(row16(&utf8::FIRST_HIGH), high_nibble(one)),
                _mm512_shuffle_epi8(row16(&utf8::FIRST_LOW), _mm512_and_si512(one, _mm512_set1_epi8(15))),
                _mm512_shuffle_epi8(row16(&utf8::SECOND_HIGH), high_nibble(block)),
            );
            let third = _mm512_subs_epu8(two, _mm512_set1_epi8(utf8::THIRD as i8));
            let fourth = _mm512_subs_epu8(three, _mm512_set1_epi8(utf8::FOURTH as i8));
            let must = _mm512_and_si512(_mm512_or_si512(third, fourth), _mm512_set1_epi8(0x80_u8 as i8));
            _mm512_test_epi8_mask(_mm512_xor_si512(must, wrong), _mm512_set1_epi8(!0)) != 0
        }
    }
}
