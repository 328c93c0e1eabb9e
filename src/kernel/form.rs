//! Scans a form (`application/x-www-form-urlencoded`) 64 bytes at a time. A *part* is a name or a value. Parts are so
//! short that a call for each part would take longer than its decoding.
//!
//! One scan finds the ends of pairs and parts, and decodes the block. A delimiter is no hexadecimal digit, so it is
//! never inside a triplet, and the block can be decoded as a whole. Each triplet before a part moves the part two bytes
//! to the front. So counting these triplets gives the offset of the part in the decoded bytes.

use super::load;
use crate::isa::{BLOCK, COMPACTED, Isa, Out};

/// The delimiters and triplets in the first 64 bytes of an input, as masks. A part is complete if a delimiter follows
/// it. A part that reaches the end of the block may end inside a triplet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormBlock {
    /// The lanes of `&` and of the caller's separator.
    pub(crate) separators: u64,
    pub(crate) equals: u64,
    /// The lanes of each `%` that starts a triplet.
    pub(crate) starts: u64,
    /// Byte `k` is the number of triplets that start before lane `8 * k`.
    before: u64,
    pub(crate) malformed: u64,
    /// The lanes of each `+`, and of each `%` that starts a triplet.
    pub(crate) changes: u64,
    /// The lanes whose decoded byte is 0x80 or above.
    pub(crate) high: u64,
}

impl FormBlock {
    pub(crate) const EMPTY: FormBlock =
        FormBlock { separators: 0, equals: 0, starts: 0, before: 0, malformed: 0, changes: 0, high: 0 };

    /// Sets the starts of triplets, and counts them. First counts them in each group of two lanes, then in each group
    /// of four, then in each group of eight.
    #[inline(always)]
    pub(super) fn set_starts(&mut self, starts: u64) {
        const EACH: u64 = 0x0101_0101_0101_0101;
        self.starts = starts;
        let pairs = starts - (starts >> 1 & (0x55 * EACH));
        let fours = (pairs & (0x33 * EACH)) + (pairs >> 2 & (0x33 * EACH));
        let eights = (fours + (fours >> 4)) & (0x0F * EACH);
        self.before = eights.wrapping_mul(EACH) << 8;
    }

    /// Returns how many triplets start before `lane`. This function is called often, and most targets have no
    /// instruction that counts bits, so a table counts them.
    #[inline(always)]
    pub(crate) fn triplets_before(&self, lane: usize) -> usize {
        /// The number of set bits of each byte.
        static ONES: [u8; 256] = {
            let mut ones = [0; 256];
            let mut bits = 0;
            while bits < 256 {
                ones[bits] = (bits as u8).count_ones() as u8;
                bits += 1;
            }
            ones
        };
        // No triplet starts in the last two lanes, so lane 64 has the same count as lane 63.
        let lane = lane.min(BLOCK - 1) as u32;
        let near = self.starts >> (lane & !7) & ((1 << (lane & 7)) - 1);
        (self.before >> (lane & !7)) as u8 as usize + usize::from(ONES[near as u8 as usize])
    }
}

/// Scans up to 64 bytes of `src`. `separator` ends a pair, as `&` does. If decoding changes any byte, writes the
/// decoded block to `out`, two bytes shorter for each triplet.
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
        // Multiples of an odd number give each byte of the mask each of its 256 values.
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
