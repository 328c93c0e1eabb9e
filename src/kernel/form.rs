//! Scans a form (`application/x-www-form-urlencoded`) 64 bytes at a time, as its parts are too short for a call each.
//!
//! One scan finds the ends of pairs and of their parts, and decodes what is in them. Delimiters are no
//! hexadecimal digits, so a triplet never reaches over one: the block is decoded as a whole, and a part of it is found in
//! the result by counting the triplets before.

use super::load;
use crate::isa::{BLOCK, COMPACTED, Isa, Out};

/// The delimiters and triplets in the first 64 bytes of an input. A part with a delimiter after it is read rightly; a part
/// that reaches the end of the block may be cut inside a triplet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormBlock {
    /// `&`, and the other separator.
    pub(crate) separators: u64,
    /// `=`.
    pub(crate) equals: u64,
    /// Triplets, by their `%`.
    pub(crate) starts: u64,
    /// How many triplets start before every eighth lane, in a byte each.
    before: u64,
    /// `%` that start none.
    pub(crate) malformed: u64,
    /// Bytes that decoding would change: `+`, and triplets by their `%`.
    pub(crate) changes: u64,
    /// Bytes of 0x80 and above, decoded.
    pub(crate) high: u64,
}

impl FormBlock {
    /// A block in which nothing has been found.
    pub(crate) const EMPTY: FormBlock =
        FormBlock { separators: 0, equals: 0, starts: 0, before: 0, malformed: 0, changes: 0, high: 0 };

    /// Stores where triplets start, and counts them.
    #[inline(always)]
    pub(super) fn set_starts(&mut self, starts: u64) {
        const EACH: u64 = 0x0101_0101_0101_0101;
        self.starts = starts;
        let pairs = starts - (starts >> 1 & (0x55 * EACH));
        let fours = (pairs & (0x33 * EACH)) + (pairs >> 2 & (0x33 * EACH));
        let eights = (fours + (fours >> 4)) & (0x0F * EACH);
        self.before = eights.wrapping_mul(EACH) << 8;
    }

    /// Returns how many triplets start before `lane`. Called often, and most targets have no instruction that counts bits.
    #[inline(always)]
    pub(crate) fn triplets_before(&self, lane: usize) -> usize {
        /// The number of bits set in each byte.
        static ONES: [u8; 256] = {
            let mut ones = [0; 256];
            let mut bits = 0;
            while bits < 256 {
                ones[bits] = (bits as u8).count_ones() as u8;
                bits += 1;
            }
            ones
        };
        // None starts in the last two.
        let lane = lane.min(BLOCK - 1) as u32;
        let near = self.starts >> (lane & !7) & ((1 << (lane & 7)) - 1);
        (self.before >> (lane & !7)) as u8 as usize + usize::from(ONES[near as u8 as usize])
    }
}

/// Scans up to 64 bytes of `src`, where `separator` ends a pair as `&` does. If decoding changes any of them, puts them into
/// `out` decoded: two bytes less for every start.
#[inline(always)]
pub(crate) fn scan<I: Isa>(isa: I, src: &[u8], separator: u8, masks: &mut FormBlock, out: &mut Out<COMPACTED>) {
    let block = load(isa, src, 0);
    masks.separators = isa.eq_mask(block, b'&') | isa.eq_mask(block, separator);
    masks.equals = isa.eq_mask(block, b'=');
    let (percent_mask, pluses) = (isa.eq_mask(block, b'%'), isa.eq_mask(block, b'+'));
    let (mut starts, mut decoded) = (0, block);
    if percent_mask != 0 {
        let [next, after] = isa.lookahead(block);
        (starts, decoded) = isa.triplets(block, next, after);
    }
    if percent_mask | pluses != 0 {
        decoded = isa.select(pluses, isa.splat(b' '), decoded);
        isa.compact(decoded, !(starts << 1 | starts << 2), out);
    }
    masks.set_starts(starts);
    masks.malformed = percent_mask & !starts;
    masks.changes = starts | pluses;
    masks.high = isa.high_mask(decoded);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::below;

    #[test]
    fn triplets_before_every_lane() {
        let mut masks = FormBlock::EMPTY;
        // Multiples of an odd number: every byte of a mask takes every value.
        for number in 0..if cfg!(miri) { 100 } else { 100_000_u64 } {
            let starts = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) & below(BLOCK - 2);
            masks.set_starts(starts);
            for lane in 0..=BLOCK {
                let count = (starts & below(lane)).count_ones() as usize;
                assert_eq!(masks.triplets_before(lane), count, "{starts:x} {lane}");
            }
        }
        masks.set_starts(below(BLOCK - 2));
        assert_eq!([0, 8, 61, 62, 63, 64].map(|lane| masks.triplets_before(lane)), [0, 8, 61, 62, 62, 62]);
    }
}
