//! Implements [`Isa`] for registers of 16 bytes, which SSE4.2, NEON and simd128 have. Every type that implements
//! [`Vec16`] also implements [`Isa`], with four registers for a block. This file has no intrinsic and no `unsafe`. Each
//! instruction set implements the methods of [`Vec16`] in its own file, most of them in one or two instructions.

use super::tables::{COMPACT8, EXPAND4, NIBBLE_BIT, ORDER, TAIL_SHIFT, utf8};
use super::{BLOCK, COMPACTED, EXPANDED, FEW, FEW_EXPANDED, Isa, Out};
use crate::set::NibbleTable;
use crate::triplet::Digits;
use crate::words::{chunk, joined, load_small, load_tiny, overlapping, room as room_at};

/// Operations on 16 bytes. Each lane of a mask is 0x00 or 0xFF.
pub(crate) trait Vec16: Copy {
    type V: Copy;

    fn load(self, src: &[u8; 16]) -> Self::V;
    fn store(self, v: Self::V, room: &mut Out<16>);
    /// Stores the lower eight lanes.
    fn store_low(self, v: Self::V, room: &mut Out<8>);
    /// Returns the little-endian bytes of `low` in the lower eight lanes, and of `high` in the upper eight lanes.
    fn from_u64x2(self, low: u64, high: u64) -> Self::V;
    /// Returns the lower eight lanes and the upper eight lanes, each as a little-endian number.
    fn to_u64x2(self, v: Self::V) -> [u64; 2];
    fn splat(self, byte: u8) -> Self::V;
    /// Moves the upper eight lanes to the lower eight lanes. The other lanes are unspecified.
    fn upper_half(self, v: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Returns `a + b`, at most 255.
    fn add_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    /// Returns `a - b`, at least 0.
    fn sub_saturating(self, a: Self::V, b: Self::V) -> Self::V;
    fn eq(self, a: Self::V, b: Self::V) -> Self::V;
    /// Returns the lane of `yes` if the lane of `mask` is 0xFF, and the lane of `no` if the lane of `mask` is 0x00.
    fn select(self, mask: Self::V, yes: Self::V, no: Self::V) -> Self::V;
    /// Returns the lane of `mask` if the lane of `v` is below 16, and 0x00 otherwise. Only the top bit of each lane of
    /// the result is specified. So pass the result only to [`select`](Self::select) and [`movemask`](Self::movemask).
    #[inline(always)]
    fn below16(self, v: Self::V, mask: Self::V) -> Self::V {
        self.and(self.eq(self.min(v, self.splat(15)), v), mask)
    }
    /// Returns the high nibble of each lane.
    fn high_nibble(self, v: Self::V) -> Self::V;
    /// Returns each lane shifted up by four bits. The value of each lane must be below 16.
    fn shl4(self, v: Self::V) -> Self::V;
    /// Returns `row[lane % 16]`, or 0 if the lane is 0x80 or above.
    fn table_lookup(self, row: Self::V, v: Self::V) -> Self::V;
    /// Returns a0 b0 a1 b1 ... of the lower eight lanes, and a8 b8 a9 b9 ... of the upper eight lanes.
    fn interleave8(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Interleaves like [`interleave8`](Self::interleave8), but pairs of lanes instead of lanes.
    fn interleave16(self, a: Self::V, b: Self::V) -> (Self::V, Self::V);
    /// Returns two registers. Lane *i* of the first has lane *i* + 1 of `v`, and lane *i* of the second has lane *i* +
    /// 2. The first lanes of `after` fill the last lanes.
    fn lookahead(self, v: Self::V, after: Self::V) -> [Self::V; 2];
    /// Returns three registers. Lane *i* has lane *i* - 1 of `v` in the first register, lane *i* - 2 in the second, and
    /// lane *i* - 3 in the third. The last lanes of `before` fill the first lanes.
    fn lookbehind(self, v: Self::V, before: Self::V) -> [Self::V; 3];
    /// Returns the top bits of 64 lanes.
    fn movemask(self, block: [Self::V; 4]) -> u64;
    /// Returns whether any bit is set.
    fn any(self, v: Self::V) -> bool;
}

/// Applies `$each` to each register of `$block`, and returns the results as a block.
macro_rules! each {
    ($block:expr, |$v:ident| $each:expr) => {{
        let [a, b, c, d] = $block;
        [
            {
                let $v = a;
                $each
            },
            {
                let $v = b;
                $each
            },
            {
                let $v = c;
                $each
            },
            {
                let $v = d;
                $each
            },
        ]
    }};
}

/// Loads fewer than 64 bytes, followed by zeros. If `src` has at least 16 bytes, no branch depends on its length. For a
/// register that `src` fills only in part, the function loads the last 16 bytes of `src`, and shuffles the bytes that
/// belong to this register to the first lanes.
#[inline(always)]
pub(super) fn load_part<T: Vec16>(isa: T, src: &[u8]) -> [T::V; 4] {
    let zero = isa.splat(0);
    let Some(last) = src.len().checked_sub(16) else {
        let [low, high] = load_small(src);
        return [isa.from_u64x2(low, high), zero, zero, zero];
    };
    let first = chunk(src, 0).map_or(zero, |bytes| isa.load(bytes));
    [first, load_register(isa, src, 16, last), load_register(isa, src, 32, last), load_register(isa, src, 48, last)]
}

/// Loads 1 to 16 bytes, followed by zeros.
#[inline(always)]
pub(super) fn load_few<T: Vec16>(isa: T, src: &[u8]) -> T::V {
    match (overlapping(src), ORDER.get(src.len().wrapping_sub(4))) {
        (Some(words), Some(order)) => {
            let [low, high] = joined(words);
            isa.table_lookup(isa.from_u64x2(low, high), isa.load(order))
        }
        _ => isa.from_u64x2(u64::from(load_tiny(src)), 0),
    }
}

/// Writes 16 bytes. The bytes of `escaped` become triplets.
#[inline(always)]
pub(super) fn expand_few<T: Vec16>(isa: T, v: T::V, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>) {
    let mut o = 0;
    for (i, quads) in quads(isa, v, digits).into_iter().enumerate() {
        let escaped = escaped << 4 >> (4 * i) & 0xF0;
        let row = &EXPAND4.0[escaped as usize / 16];
        // At most 12 bytes come before these four bytes, and become at most 36 bytes of output. So `o & 63` equals `o`.
        // The AND only avoids the bounds check.
        debug_assert!(o <= 36);
        if let Some(room) = room_at(room, o & 63) {
            isa.store(isa.table_lookup(quads, isa.load(row)), room);
        }
        o += 4 + 2 * escaped.count_ones() as usize;
    }
}

/// Returns `[byte, high digit, low digit, %]` for each of 16 bytes, in four registers.
#[inline(always)]
fn quads<T: Vec16>(isa: T, v: T::V, digits: &Digits) -> [T::V; 4] {
    let digits = isa.load(&digits.row);
    let high = isa.table_lookup(digits, isa.high_nibble(v));
    let low = isa.table_lookup(digits, isa.and(v, isa.splat(15)));
    let (a, b) = isa.interleave8(v, high);
    let (c, d) = isa.interleave8(low, isa.splat(b'%'));
    let ((q0, q1), (q2, q3)) = (isa.interleave16(a, c), isa.interleave16(b, d));
    [q0, q1, q2, q3]
}

/// Loads 16 bytes from offset `at` of `src`. If fewer remain, zeros follow. The last 16 bytes of `src` begin at `last`.
/// This is a function, because closures are not always inlined.
#[inline(always)]
fn load_register<T: Vec16>(isa: T, src: &[u8], at: usize, last: usize) -> T::V {
    let from = at.min(last);
    match (chunk(src, from), chunk(&TAIL_SHIFT, (at - from).min(16))) {
        (Some(bytes), Some(shift)) => isa.table_lookup(isa.load(bytes), isa.load(shift)),
        _ => isa.splat(0),
    }
}

/// Returns 0xFF in the lanes of the mask `lanes`, and 0x00 in all other lanes.
#[inline(always)]
pub(super) fn mask<T: Vec16>(isa: T, lanes: u16) -> T::V {
    let [low, high] = lanes.to_le_bytes();
    let bit = isa.load(&NIBBLE_BIT);
    let own = isa.from_u64x2(u64::from(low) * 0x0101_0101_0101_0101, u64::from(high) * 0x0101_0101_0101_0101);
    isa.eq(isa.and(own, bit), bit)
}

/// Returns the value of each hexadecimal digit, and 16 or more for any other byte.
///
/// This is W. Mula's method. It computes two values for each byte. The first is the digit's value if the byte is `0` to
/// `9`. The second is the digit's value if the byte is a letter from `A` to `F`, in upper or lower case. A value whose
/// condition doesn't hold is 16 or more. The result is the smaller of the two values.
#[inline(always)]
fn hex_value<T: Vec16>(isa: T, v: T::V) -> T::V {
    // '0'..='9' become 0xF6..=0xFF. After subtracting 6 they are 0xF0..=0xF9, and all other bytes are less. After
    // subtracting 0xF0, the digits are 0 to 9, and all other bytes wrap around to 16 or more.
    let digit = isa.sub_saturating(isa.add(v, isa.splat(0xFF - b'9')), isa.splat(6));
    let digit = isa.add(digit, isa.splat(0x10));
    let letter = isa.add(isa.and(v, isa.splat(0xDF)), isa.splat(b'A'.wrapping_neg()));
    isa.min(digit, isa.add_saturating(letter, isa.splat(10)))
}

/// In lane *i*, the arguments have three bytes: `block` has byte *i*, `high` has the [`hex_value`] of byte *i* + 1, and
/// `low` has the [`hex_value`] of byte *i* + 2. Returns three vectors. The first marks the lanes
/// of `block` that start a triplet. For these lanes, the second has the value of the high digit, and the third has the
/// decoded byte.
#[inline(always)]
fn triplet<T: Vec16>(isa: T, block: T::V, high: T::V, low: T::V) -> (T::V, T::V, T::V) {
    let fifteen = isa.splat(15);
    let start = isa.below16(isa.or(high, low), isa.eq(block, isa.splat(b'%')));
    let high = isa.and(high, fifteen);
    (start, high, isa.or(isa.shl4(high), low))
}

/// Returns the [`hex_value`] of each byte of two blocks, `next` and `after`, as a pair for each register. Lane *i* of
/// `after` has the byte of lane *i* + 1 of `next`. So the values for `after` are the values for `next`, moved by one
/// lane. Only the last lane of `after` has a byte that `next` lacks, so only the last register of `after` is read.
#[inline(always)]
fn hex_values<T: Vec16>(isa: T, [a, b, c, d]: [T::V; 4], [.., last]: [T::V; 4]) -> [[T::V; 2]; 4] {
    let [a, b, c, d, last] =
        [hex_value(isa, a), hex_value(isa, b), hex_value(isa, c), hex_value(isa, d), hex_value(isa, last)];
    [[a, isa.lookahead(a, b)[0]], [b, isa.lookahead(b, c)[0]], [c, isa.lookahead(c, d)[0]], [d, last]]
}

/// Decodes up to 16 bytes: see [`Isa::decode_small`].
#[inline(always)]
pub(super) fn decode_small<T: Vec16>(isa: T, [low, high]: [u64; 2]) -> ([u64; 2], usize, bool) {
    let zero = isa.splat(0);
    let v = isa.from_u64x2(low, high);
    let [next, after] = isa.lookahead(v, zero);
    let (start, _, value) = triplet(isa, v, hex_value(isa, next), hex_value(isa, after));
    let starts = isa.movemask([start, zero, zero, zero]);
    let malformed = starts != isa.movemask([isa.eq(v, isa.splat(b'%')), zero, zero, zero]);
    let decoded = isa.select(start, value, v);
    let dropped = starts << 1 | starts << 2;
    let [keep, keep_above] = (!dropped as u16).to_le_bytes();
    let lanes = isa.from_u64x2(COMPACT8[keep as usize], COMPACT8[keep_above as usize]);
    let lanes = isa.or(lanes, isa.from_u64x2(0, u64::from_ne_bytes([8; 8])));
    let [low, high] = isa.to_u64x2(isa.table_lookup(decoded, lanes));
    // Moves the kept upper lanes right behind the kept lower lanes.
    let bits = 8 * keep.count_ones();
    let text = [low & !u64::MAX.unbounded_shl(bits) | high.unbounded_shl(bits), high.unbounded_shr(64 - bits)];
    (text, dropped.count_ones() as usize, malformed)
}

/// Writes the lanes of `keep` at offset `o` of `room`. Returns the offset after them.
#[inline(always)]
pub(super) fn compact<T: Vec16>(isa: T, v: T::V, keep: u16, room: &mut Out<COMPACTED>, o: usize) -> usize {
    let [low, high] = keep.to_le_bytes();
    let lanes = isa.from_u64x2(COMPACT8[low as usize], COMPACT8[high as usize]);
    let v = isa.table_lookup(v, isa.or(lanes, isa.from_u64x2(0, u64::from_ne_bytes([8; 8]))));
    let middle = o + low.count_ones() as usize;
    store8(isa, v, room, o);
    store8(isa, isa.upper_half(v), room, middle);
    middle + high.count_ones() as usize
}

#[inline(always)]
fn store8<T: Vec16>(isa: T, v: T::V, room: &mut Out<COMPACTED>, o: usize) {
    // The lanes before these eight have written at most one byte each, so `o` is less than `BLOCK`. So the AND doesn't
    // change `o`. It only avoids the bounds check.
    debug_assert!(o < BLOCK);
    if let Some(room) = room_at(room, o & (BLOCK - 1)) {
        isa.store_low(v, room);
    }
}

/// Writes four bytes, given in the form of [`quads`], at offset `o` of `room`. Bits 4 to 7 of `escaped` are 1 for the
/// bytes to escape. Returns the offset after the output.
#[inline(always)]
pub(super) fn expand4<T: Vec16>(isa: T, quads: T::V, escaped: u64, room: &mut Out<EXPANDED>, o: usize) -> usize {
    let escaped = escaped & 0xF0;
    let row = &EXPAND4.0[escaped as usize / 16];
    // At most 60 bytes come before these four bytes, and become at most 180 bytes of output. So the AND doesn't change
    // `o`. It only avoids the bounds check.
    debug_assert!(o <= 180);
    if let Some(room) = room_at(room, o & (4 * BLOCK - 1)) {
        isa.store(isa.table_lookup(quads, isa.load(row)), room);
    }
    o + 4 + 2 * escaped.count_ones() as usize
}

impl<T: Vec16> Isa for T {
    type Block = [T::V; 4];

    #[inline(always)]
    fn load(self, src: &[u8; BLOCK]) -> Self::Block {
        let (quarters, _) = src.as_chunks::<16>();
        [
            Vec16::load(self, &quarters[0]),
            Vec16::load(self, &quarters[1]),
            Vec16::load(self, &quarters[2]),
            Vec16::load(self, &quarters[3]),
        ]
    }

    #[inline(always)]
    fn load_part(self, src: &[u8]) -> Self::Block {
        load_part(self, src)
    }

    #[inline(always)]
    fn load_few(self, src: &[u8]) -> Self::Block {
        let v = load_few(self, src);
        [v, v, v, v]
    }

    #[inline(always)]
    fn store_few(self, [v, ..]: Self::Block, room: &mut Out<FEW>) {
        Vec16::store(self, v, room);
    }

    #[inline(always)]
    fn expand_few(self, [v, ..]: Self::Block, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>) {
        expand_few(self, v, escaped, digits, room);
    }

    #[inline(always)]
    fn store(self, block: Self::Block, room: &mut Out<BLOCK>) {
        // The array is split once, so that no length is compared before each store.
        if let ([a, b, c, d], _) = room.as_chunks_mut::<16>() {
            Vec16::store(self, block[0], a);
            Vec16::store(self, block[1], b);
            Vec16::store(self, block[2], c);
            Vec16::store(self, block[3], d);
        }
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::Block {
        let v = Vec16::splat(self, byte);
        [v, v, v, v]
    }

    #[inline(always)]
    fn xor(self, block: Self::Block, bits: u8) -> Self::Block {
        let bits = Vec16::splat(self, bits);
        each!(block, |v| Vec16::xor(self, v, bits))
    }

    #[inline(always)]
    fn eq_mask(self, block: Self::Block, byte: u8) -> u64 {
        let byte = Vec16::splat(self, byte);
        self.movemask(each!(block, |v| Vec16::eq(self, v, byte)))
    }

    #[inline(always)]
    fn has(self, block: Self::Block, byte: u8) -> bool {
        let byte = Vec16::splat(self, byte);
        let [a, b, c, d] = each!(block, |v| Vec16::eq(self, v, byte));
        self.any(self.or(self.or(a, b), self.or(c, d)))
    }

    #[inline(always)]
    fn min(self, a: Self::Block, b: Self::Block) -> Self::Block {
        [
            Vec16::min(self, a[0], b[0]),
            Vec16::min(self, a[1], b[1]),
            Vec16::min(self, a[2], b[2]),
            Vec16::min(self, a[3], b[3]),
        ]
    }

    #[inline(always)]
    fn high_mask(self, block: Self::Block) -> u64 {
        self.movemask(block)
    }

    #[inline(always)]
    fn at_least_mask(self, block: Self::Block, byte: u8) -> u64 {
        let byte = Vec16::splat(self, byte);
        self.movemask(each!(block, |v| Vec16::eq(self, self.min(v, byte), byte)))
    }

    #[inline(always)]
    fn contains_mask_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64 {
        let row = Vec16::load(self, row);
        let bits = Vec16::load(self, &NIBBLE_BIT);
        self.movemask(each!(block, |v| {
            let bit = self.table_lookup(bits, self.high_nibble(v));
            let has = self.and(self.table_lookup(row, v), bit);
            Vec16::eq(self, has, bit)
        }))
    }

    #[inline(always)]
    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block {
        [
            Vec16::select(self, mask(self, lanes as u16), yes[0], no[0]),
            Vec16::select(self, mask(self, (lanes >> 16) as u16), yes[1], no[1]),
            Vec16::select(self, mask(self, (lanes >> 32) as u16), yes[2], no[2]),
            Vec16::select(self, mask(self, (lanes >> 48) as u16), yes[3], no[3]),
        ]
    }

    #[inline(always)]
    fn replace(self, block: Self::Block, of: Self::Block, from: u8, to: u8) -> Self::Block {
        let (from, to) = (Vec16::splat(self, from), Vec16::splat(self, to));
        let mut replaced = block;
        for i in 0..4 {
            replaced[i] = Vec16::select(self, Vec16::eq(self, of[i], from), to, block[i]);
        }
        replaced
    }

    #[inline(always)]
    fn lookahead(self, [a, b, c, d]: Self::Block) -> [Self::Block; 2] {
        let [a1, a2] = Vec16::lookahead(self, a, b);
        let [b1, b2] = Vec16::lookahead(self, b, c);
        let [c1, c2] = Vec16::lookahead(self, c, d);
        let [d1, d2] = Vec16::lookahead(self, d, Vec16::splat(self, 0));
        [[a1, b1, c1, d1], [a2, b2, c2, d2]]
    }

    #[inline(always)]
    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block) {
        let mut starts = block;
        let mut decoded = block;
        let values = hex_values(self, next, after);
        for i in 0..4 {
            let (start, _, value) = triplet(self, block[i], values[i][0], values[i][1]);
            starts[i] = start;
            decoded[i] = Vec16::select(self, start, value, block[i]);
        }
        (self.movemask(starts), decoded)
    }

    #[inline(always)]
    fn triplets_except(
        self,
        block: Self::Block,
        next: Self::Block,
        after: Self::Block,
        kept: &NibbleTable,
    ) -> (u64, u64, Self::Block) {
        let is_ascii = kept.is_ascii();
        let [low_half, high_half] = [Vec16::load(self, &kept.half[0]), Vec16::load(self, &kept.half[1])];
        let bits = Vec16::load(self, &NIBBLE_BIT);
        let top = Vec16::splat(self, 0x80);
        let zero = Vec16::splat(self, 0);
        let (mut valid, mut starts, mut decoded) = (block, block, block);
        let values = hex_values(self, next, after);
        for i in 0..4 {
            let (start, high, value) = triplet(self, block[i], values[i][0], values[i][1]);
            let bit = self.table_lookup(bits, high);
            let mut row = self.table_lookup(low_half, value);
            if !is_ascii {
                // Each byte is looked up in both halves of the table. The look-up in the wrong half returns 0.
                row = self.or(row, self.table_lookup(high_half, Vec16::xor(self, value, top)));
            }
            valid[i] = start;
            starts[i] = self.and(start, Vec16::eq(self, self.and(row, bit), zero));
            decoded[i] = Vec16::select(self, starts[i], value, block[i]);
        }
        (self.movemask(valid), self.movemask(starts), decoded)
    }

    #[inline(always)]
    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>) {
        let mut o = 0;
        for (i, v) in block.into_iter().enumerate() {
            if n <= 16 * i {
                break;
            }
            let [q0, q1, q2, q3] = quads(self, v, digits);
            let escaped = escaped >> (16 * i);
            o = expand4(self, q0, escaped << 4, room, o);
            o = expand4(self, q1, escaped, room, o);
            o = expand4(self, q2, escaped >> 4, room, o);
            o = expand4(self, q3, escaped >> 8, room, o);
        }
    }

    #[inline(always)]
    fn compact(self, [a, b, c, d]: Self::Block, keep: u64, room: &mut Out<COMPACTED>) {
        let o = compact(self, a, keep as u16, room, 0);
        let o = compact(self, b, (keep >> 16) as u16, room, o);
        // Some short inputs end here, so this branch saves more time than it takes. A branch after every register would
        // make whole blocks slower.
        if keep >> 32 == 0 {
            return;
        }
        let o = compact(self, c, (keep >> 32) as u16, room, o);
        compact(self, d, (keep >> 48) as u16, room, o);
    }

    #[inline(always)]
    fn decode_small(self, text: [u64; 2]) -> Option<([u64; 2], usize, bool)> {
        Some(decode_small(self, text))
    }

    #[inline(always)]
    fn utf8_error(self, block: Self::Block, before: Self::Block) -> bool {
        let first_high = Vec16::load(self, &utf8::FIRST_HIGH);
        let first_low = Vec16::load(self, &utf8::FIRST_LOW);
        let second_high = Vec16::load(self, &utf8::SECOND_HIGH);
        let mut error = Vec16::splat(self, 0);
        let mut before = before[3];
        for v in block {
            let [one, two, three] = self.lookbehind(v, before);
            let one_low = self.and(one, Vec16::splat(self, 15));
            let wrong = self.and(
                self.and(self.table_lookup(first_high, self.high_nibble(one)), self.table_lookup(first_low, one_low)),
                self.table_lookup(second_high, self.high_nibble(v)),
            );
            let third = self.sub_saturating(two, Vec16::splat(self, utf8::THIRD));
            let fourth = self.sub_saturating(three, Vec16::splat(self, utf8::FOURTH));
            let must = self.and(self.or(third, fourth), Vec16::splat(self, 0x80));
            error = self.or(error, Vec16::xor(self, must, wrong));
            before = v;
        }
        self.any(error)
    }
}
