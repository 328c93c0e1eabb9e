//! Implements [`Vec16`] with NEON (Advanced SIMD of AArch64, little-endian).
//!
//! SAFETY, for every `unsafe` block below: a [`Neon`] exists only if [`Neon::new`] could be called, so the CPU has the
//! feature. Memory that is loaded or stored is an array of the length that the instruction takes, and the instructions
//! need no alignment.

use core::arch::aarch64::*;
use core::arch::asm;

use super::Out;
use super::vec16::Vec16;

/// Proves that the CPU has NEON.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn new() -> Self {
        Neon(())
    }
}

/// The bit of each lane in a mask. A byte of the mask has the bits of eight lanes.
static LANE_BIT: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

impl Vec16 for Neon {
    type V = uint8x16_t;

    #[inline(always)]
    fn load(self, src: &[u8; 16]) -> uint8x16_t {
        // SAFETY: 16 bytes are read.
        unsafe { vld1q_u8(src.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, v: uint8x16_t, room: &mut Out<16>) {
        // SAFETY: 16 bytes are written.
        unsafe { vst1q_u8(room.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn store_low(self, v: uint8x16_t, room: &mut Out<8>) {
        // SAFETY: 8 bytes are written.
        unsafe { vst1_u8(room.as_mut_ptr().cast(), vget_low_u8(v)) }
    }

    #[inline(always)]
    fn from_u64x2(self, low: u64, high: u64) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high))) }
    }

    #[inline(always)]
    fn to_u64x2(self, v: uint8x16_t) -> [u64; 2] {
        // SAFETY: NEON.
        unsafe { [vgetq_lane_u64::<0>(vreinterpretq_u64_u8(v)), vgetq_lane_u64::<1>(vreinterpretq_u64_u8(v))] }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vdupq_n_u8(byte) }
    }

    #[inline(always)]
    fn upper_half(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vextq_u8::<8>(v, v) }
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vandq_u8(a, b) }
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vorrq_u8(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { veorq_u8(a, b) }
    }

    #[inline(always)]
    fn add(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vaddq_u8(a, b) }
    }

    #[inline(always)]
    fn add_saturating(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vqaddq_u8(a, b) }
    }

    #[inline(always)]
    fn min(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vminq_u8(a, b) }
    }

    #[inline(always)]
    fn sub_saturating(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vqsubq_u8(a, b) }
    }

    #[inline(always)]
    fn eq(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vceqq_u8(a, b) }
    }

    #[inline(always)]
    fn select(self, mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vbslq_u8(mask, yes, no) }
    }

    #[inline(always)]
    fn high_nibble(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vshrq_n_u8::<4>(v) }
    }

    #[inline(always)]
    fn shl4(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON.
        unsafe { vshlq_n_u8::<4>(v) }
    }

    #[inline(always)]
    fn table_lookup(self, row: uint8x16_t, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON. An index of 16 or more gives 0. After the AND, exactly the lanes with the top bit set have an
        // index of 16 or more.
        unsafe { vqtbl1q_u8(row, vandq_u8(v, vdupq_n_u8(0x8F))) }
    }

    #[inline(always)]
    fn interleave8(self, a: uint8x16_t, b: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
        // SAFETY: NEON.
        unsafe { (vzip1q_u8(a, b), vzip2q_u8(a, b)) }
    }

    #[inline(always)]
    fn interleave16(self, a: uint8x16_t, b: uint8x16_t) -> (uint8x16_t, uint8x16_t) {
        // SAFETY: NEON.
        unsafe {
            let (a, b) = (vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
            (vreinterpretq_u8_u16(vzip1q_u16(a, b)), vreinterpretq_u8_u16(vzip2q_u16(a, b)))
        }
    }

    #[inline(always)]
    fn lookahead(self, v: uint8x16_t, after: uint8x16_t) -> [uint8x16_t; 2] {
        // SAFETY: NEON.
        unsafe { [vextq_u8::<1>(v, after), vextq_u8::<2>(v, after)] }
    }

    #[inline(always)]
    fn lookbehind(self, v: uint8x16_t, before: uint8x16_t) -> [uint8x16_t; 3] {
        // SAFETY: NEON.
        unsafe { [vextq_u8::<15>(before, v), vextq_u8::<14>(before, v), vextq_u8::<13>(before, v)] }
    }

    #[inline(always)]
    fn movemask(self, block: [uint8x16_t; 4]) -> u64 {
        let mut bit = self.load(&LANE_BIT);
        // SAFETY: the assembly has no instruction. It hides the bits from the compiler. If the compiler knew that the
        // bits differ, it would turn the additions below into ORs, and no instruction ORs neighbouring lanes.
        unsafe { asm!("/* {:v} */", inlateout(vreg) bit, options(pure, nomem, preserves_flags, nostack)) };
        // SAFETY: NEON. The shift makes a lane 0xFF if its top bit is set, and 0x00 otherwise. (If the lanes have only
        // these two values already, compilers remove the shift.) The AND leaves the lane's own bit. Then neighbouring
        // lanes are added three times, which gathers eight lanes in one.
        unsafe {
            let [a, b, c, d] =
                block.map(|v| vandq_u8(vreinterpretq_u8_s8(vshrq_n_s8::<7>(vreinterpretq_s8_u8(v))), bit));
            let sum = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vget_lane_u64::<0>(vreinterpret_u64_u8(vpadd_u8(vget_low_u8(sum), vget_high_u8(sum))))
        }
    }

    #[inline(always)]
    fn any(self, v: uint8x16_t) -> bool {
        // SAFETY: NEON. Wider lanes are faster to reduce.
        unsafe { vmaxvq_u32(vreinterpretq_u32_u8(v)) != 0 }
    }
}
