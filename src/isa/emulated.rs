//! Emulates instruction sets in plain Rust, with registers of 16, 32 and 64 bytes, for tests. So Miri, coverage and
//! mutation tests reach the code for every register width on any machine. Tests compare each real instruction set with
//! an emulated one, method by method.
//!
//! [`Emulated16`] implements [`Vec16`], so the generic code for registers of 16 bytes runs on it. [`Emulated`]
//! implements [`Isa`] in the way the documentation of [`Isa`] describes. If the documentation leaves bytes unspecified,
//! [`Emulated64`] writes garbage and [`Emulated32`] writes no byte. So tests find a kernel that relies on unspecified
//! bytes.

use core::array;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::vec16::Vec16;
use super::{BLOCK, COMPACTED, EXPANDED, FEW, FEW_EXPANDED, Isa, Out};
use crate::output::{EMPTY_CELL, cell};
use crate::triplet::{Digits, triplet};

/// The byte that is written in place of unspecified bytes.
const GARBAGE: u8 = 0xB7;

/// How many blocks [`Emulated`] has loaded so far. Tests measure work with this number, because a clock isn't reliable.
pub(crate) static LOADED: AtomicUsize = AtomicUsize::new(0);

/// An instruction set with registers of `LANES` bytes. A block has `REGISTERS` registers.
#[derive(Clone, Copy)]
pub(crate) struct Emulated<const LANES: usize, const REGISTERS: usize>(());

/// A block in two registers, as AVX2 has it.
pub(crate) type Emulated32 = Emulated<32, 2>;
/// A block in one register, as AVX-512 has it.
pub(crate) type Emulated64 = Emulated<64, 1>;

/// Writes `bytes` to the front of `room`. If `fill` is true, also writes garbage after them.
fn write<const N: usize>(bytes: impl Iterator<Item = u8>, fill: bool, room: &mut Out<N>) {
    let mut cells = room.iter_mut();
    for byte in bytes {
        if let Some(cell) = cells.next() {
            cell.write(byte);
        }
    }
    if fill {
        cells.for_each(|cell| _ = cell.write(GARBAGE));
    }
}

fn is_set(mask: u64, lane: usize) -> bool {
    mask >> lane & 1 == 1
}

/// Returns whether `byte` can follow the bytes `before` in well-formed UTF-8 (RFC 3629 4). `before` lists the nearest
/// byte first.
fn continues(byte: u8, before: [u8; 3]) -> bool {
    let [one, two, three] = before;
    let continuation = matches!(byte, 0x80..=0xBF);
    if continuation != (one >= 0xC0 || two >= 0xE0 || three >= 0xF0) {
        return false;
    }
    match one {
        0xC0 | 0xC1 | 0xF5.. => false,
        0xE0 => byte >= 0xA0,
        0xED => byte <= 0x9F,
        0xF0 => byte >= 0x90,
        0xF4 => byte <= 0x8F,
        _ => true,
    }
}

impl<const LANES: usize, const REGISTERS: usize> Emulated<LANES, REGISTERS> {
    pub(crate) fn new() -> Self {
        const { assert!(LANES * REGISTERS == BLOCK) };
        Emulated(())
    }

    /// Returns the block whose byte `i` is `byte(i)`.
    fn block(mut byte: impl FnMut(usize) -> u8) -> [[u8; LANES]; REGISTERS] {
        array::from_fn(|register| array::from_fn(|lane| byte(LANES * register + lane)))
    }

    /// Returns the lanes whose byte is `wanted`.
    fn mask(block: [[u8; LANES]; REGISTERS], wanted: impl Fn(u8) -> bool) -> u64 {
        let bytes = block.as_flattened().iter();
        bytes.enumerate().fold(0, |mask, (lane, &byte)| mask | u64::from(wanted(byte)) << lane)
    }
}

impl<const LANES: usize, const REGISTERS: usize> Isa for Emulated<LANES, REGISTERS> {
    type Block = [[u8; LANES]; REGISTERS];

    const UNROLL4: bool = REGISTERS == 1;
    const MASKED_STORES: bool = REGISTERS == 1;

    fn load(self, src: &[u8; BLOCK]) -> Self::Block {
        LOADED.fetch_add(1, Ordering::Relaxed);
        Self::block(|i| src[i])
    }

    fn load_part(self, src: &[u8]) -> Self::Block {
        debug_assert!(src.len() < BLOCK + usize::from(Self::MASKED_STORES));
        LOADED.fetch_add(1, Ordering::Relaxed);
        Self::block(|i| src.get(i).copied().unwrap_or(0))
    }

    fn load_few(self, src: &[u8]) -> Self::Block {
        debug_assert!((1..=FEW).contains(&src.len()));
        Self::block(|i| src.get(i).copied().unwrap_or(if i < FEW { 0 } else { GARBAGE }))
    }

    fn store_few(self, block: Self::Block, room: &mut Out<FEW>) {
        write(block.as_flattened().iter().copied(), false, room);
    }

    fn expand_few(self, block: Self::Block, escaped: u64, digits: &Digits, room: &mut Out<FEW_EXPANDED>) {
        let mut expanded = [EMPTY_CELL; EXPANDED];
        self.expand(block, escaped, FEW, digits, &mut expanded);
        let len = FEW + 2 * escaped.count_ones() as usize;
        // In `expanded`, garbage follows the result. The garbage isn't copied, so `room` stays unchanged after the
        // result.
        room[..len].copy_from_slice(&expanded[..len]);
    }

    fn store(self, block: Self::Block, room: &mut Out<BLOCK>) {
        write(block.as_flattened().iter().copied(), false, room);
    }

    fn splat(self, byte: u8) -> Self::Block {
        Self::block(|_| byte)
    }

    fn xor(self, block: Self::Block, bits: u8) -> Self::Block {
        block.map(|register| register.map(|byte| byte ^ bits))
    }

    fn eq_mask(self, block: Self::Block, byte: u8) -> u64 {
        Self::mask(block, |other| other == byte)
    }

    fn min(self, a: Self::Block, b: Self::Block) -> Self::Block {
        let (a, b) = (a.as_flattened(), b.as_flattened());
        Self::block(|i| a[i].min(b[i]))
    }

    fn high_mask(self, block: Self::Block) -> u64 {
        Self::mask(block, |byte| byte >= 0x80)
    }

    fn at_least_mask(self, block: Self::Block, byte: u8) -> u64 {
        Self::mask(block, |other| other >= byte)
    }

    fn contains_mask_ascii(self, block: Self::Block, row: &[u8; 16]) -> u64 {
        Self::mask(block, |byte| byte < 0x80 && row[usize::from(byte % 16)] >> (byte / 16) & 1 == 1)
    }

    fn select(self, lanes: u64, yes: Self::Block, no: Self::Block) -> Self::Block {
        let (yes, no) = (yes.as_flattened(), no.as_flattened());
        Self::block(|i| if is_set(lanes, i) { yes[i] } else { no[i] })
    }

    fn lookahead(self, block: Self::Block) -> [Self::Block; 2] {
        [1, 2].map(|by| Self::block(|i| block.as_flattened().get(i + by).copied().unwrap_or(0)))
    }

    fn triplets(self, block: Self::Block, next: Self::Block, after: Self::Block) -> (u64, Self::Block) {
        let [block, next, after] = [&block, &next, &after].map(|block| block.as_flattened());
        let mut starts = 0;
        let decoded = Self::block(|i| match triplet(&[block[i], next[i], after[i]], 0) {
            Some(byte) => {
                starts |= 1 << i;
                byte
            }
            None => block[i],
        });
        (starts, decoded)
    }

    fn expand(self, block: Self::Block, escaped: u64, n: usize, digits: &Digits, room: &mut Out<EXPANDED>) {
        let bytes = block.as_flattened()[..n].iter().enumerate().flat_map(|(i, &byte)| {
            let [triplet @ .., _] = digits.word(byte);
            let (written, len) = if is_set(escaped, i) { (triplet, 3) } else { ([byte, 0, 0], 1) };
            written.into_iter().take(len)
        });
        write(bytes, REGISTERS == 1, room);
    }

    fn compact(self, block: Self::Block, keep: u64, room: &mut Out<COMPACTED>) {
        let kept = block.as_flattened().iter().enumerate().filter(|&(i, _)| is_set(keep, i));
        write(kept.map(|(_, &byte)| byte), REGISTERS == 1, room);
    }

    fn compact_in_place(self, block: Self::Block, keep: u64, len: usize, buffer: &mut [u8]) -> Option<()> {
        if !Self::MASKED_STORES {
            return None;
        }
        let bytes = block.as_flattened().iter().enumerate().filter(|&(lane, _)| is_set(keep, lane));
        buffer.get_mut(..len)?.iter_mut().zip(bytes).for_each(|(cell, (_, &byte))| *cell = byte);
        Some(())
    }

    fn utf8_error(self, block: Self::Block, before: Self::Block) -> bool {
        let [block, before] = [&block, &before].map(|block| block.as_flattened());
        let at = |i: usize| if i < BLOCK { before[i] } else { block[i - BLOCK] };
        !(BLOCK..2 * BLOCK).all(|i| continues(at(i), [at(i - 1), at(i - 2), at(i - 3)]))
    }
}

/// Registers of 16 bytes, as SSE4.2, NEON and simd128 have them.
#[derive(Clone, Copy)]
pub(crate) struct Emulated16(());

impl Emulated16 {
    pub(crate) fn new() -> Self {
        Emulated16(())
    }
}

/// Joins `a` and `b`, and returns 16 lanes from lane `at` on.
fn across(a: [u8; 16], b: [u8; 16], at: usize) -> [u8; 16] {
    array::from_fn(|i| if at + i < 16 { a[at + i] } else { b[at + i - 16] })
}

/// Returns 0xFF for true, 0x00 for false.
fn all_or_none(is: bool) -> u8 {
    if is { 0xFF } else { 0x00 }
}

fn pairwise(a: [u8; 16], b: [u8; 16], of: impl Fn(u8, u8) -> u8) -> [u8; 16] {
    array::from_fn(|i| of(a[i], b[i]))
}

impl Vec16 for Emulated16 {
    type V = [u8; 16];

    fn load(self, src: &[u8; 16]) -> [u8; 16] {
        *src
    }

    fn store(self, v: [u8; 16], room: &mut Out<16>) {
        *room = v.map(cell);
    }

    fn store_low(self, v: [u8; 16], room: &mut Out<8>) {
        *room = array::from_fn(|i| cell(v[i]));
    }

    fn from_u64x2(self, low: u64, high: u64) -> [u8; 16] {
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    }

    fn to_u64x2(self, v: [u8; 16]) -> [u64; 2] {
        let text = u128::from_le_bytes(v);
        [text as u64, (text >> 64) as u64]
    }

    fn splat(self, byte: u8) -> [u8; 16] {
        [byte; 16]
    }

    fn upper_half(self, v: [u8; 16]) -> [u8; 16] {
        array::from_fn(|i| v[8 + i % 8])
    }

    fn and(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, |a, b| a & b)
    }

    fn or(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, |a, b| a | b)
    }

    fn xor(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, |a, b| a ^ b)
    }

    fn add(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, u8::wrapping_add)
    }

    fn add_saturating(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, u8::saturating_add)
    }

    fn min(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, u8::min)
    }

    fn sub_saturating(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, u8::saturating_sub)
    }

    fn eq(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        pairwise(a, b, |a, b| all_or_none(a == b))
    }

    fn select(self, mask: [u8; 16], yes: [u8; 16], no: [u8; 16]) -> [u8; 16] {
        array::from_fn(|i| if mask[i] == 0xFF { yes[i] } else { no[i] })
    }

    fn high_nibble(self, v: [u8; 16]) -> [u8; 16] {
        v.map(|byte| byte >> 4)
    }

    fn shl4(self, v: [u8; 16]) -> [u8; 16] {
        debug_assert!(v.iter().all(|&byte| byte < 16));
        v.map(|byte| byte << 4)
    }

    fn table_lookup(self, row: [u8; 16], v: [u8; 16]) -> [u8; 16] {
        v.map(|lane| if lane < 0x80 { row[usize::from(lane % 16)] } else { 0 })
    }

    fn interleave8(self, a: [u8; 16], b: [u8; 16]) -> ([u8; 16], [u8; 16]) {
        let half = |from: usize| array::from_fn(|i| if i % 2 == 0 { a[from + i / 2] } else { b[from + i / 2] });
        (half(0), half(8))
    }

    fn interleave16(self, a: [u8; 16], b: [u8; 16]) -> ([u8; 16], [u8; 16]) {
        let lane = |from: usize, i: usize| from + i / 4 * 2 + i % 2;
        let half = |from| array::from_fn(|i| if i % 4 < 2 { a[lane(from, i)] } else { b[lane(from, i)] });
        (half(0), half(8))
    }

    fn lookahead(self, v: [u8; 16], after: [u8; 16]) -> [[u8; 16]; 2] {
        [1, 2].map(|by| across(v, after, by))
    }

    fn lookbehind(self, v: [u8; 16], before: [u8; 16]) -> [[u8; 16]; 3] {
        [1, 2, 3].map(|by| across(before, v, 16 - by))
    }

    fn movemask(self, block: [[u8; 16]; 4]) -> u64 {
        let bytes = block.as_flattened().iter();
        bytes.enumerate().fold(0, |mask, (lane, &byte)| mask | u64::from(byte >> 7) << lane)
    }

    fn any(self, v: [u8; 16]) -> bool {
        v != [0; 16]
    }
}
