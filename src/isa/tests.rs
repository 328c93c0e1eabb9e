//! Tests every method of [`Isa`], on every instruction set of this CPU, against plain Rust. Each suite begins with
//! examples of the method. Then it tests all inputs, or samples if there are too many.
//!
//! With `PERCENT_SIMD_THIN=1` in the environment, only a sample of the inputs is tested. Use it on emulated CPUs, which
//! are slow.

use core::hint::black_box;
use core::str;
use std::vec;
use std::vec::Vec;

use super::emulated::Emulated32;
use super::tables;
use super::{BLOCK, COMPACTED, EXPANDED, FEW, FEW_EXPANDED, Isa, Out};
use crate::output::cell;
use crate::set::ByteSet;
use crate::triplet::{HEX, LOWER, NOT_HEX, UPPER};

/// Defines a module of tests for an instruction set. The module calls each suite from a function that is compiled with
/// the CPU features of the instruction set.
macro_rules! on {
    ($name:ident, $token:ty, $works:expr, [$($feature:tt),+]) => {
        on!($name, $token, $works, #[target_feature($(enable = $feature),+)]);
    };
    ($name:ident, $token:ty, $works:expr, #[$features:meta]) => {
        on!($name, $token, $works, #[$features] [
            store load_part few splat_and_xor eq_mask any_mask min high_mask at_least_mask contains_mask_ascii contains_mask select replace
            lookahead triplets triplets_except expand expand_few expand_exact compact compact_exact decode_small utf8_error
            every_method_as_emulated
        ]);
    };
    ($name:ident, $token:ty, $works:expr, #[$features:meta] $suites:tt) => {
        mod $name {
            fn works() -> bool {
                let works = $works;
                if !works {
                    std::eprintln!("not tested, because this CPU does not have it: {}", stringify!($name));
                }
                works
            }
            on!($token, #[$features] $suites);
        }
    };
    ($token:ty, #[$features:meta] [$($suite:ident)+]) => {
        $(
            #[test]
            #[allow(unused_unsafe)] // WebAssembly has no CPU on which the call would be unsafe.
            fn $suite() {
                #[$features]
                fn shell() {
                    super::$suite(<$token>::new());
                }
                if works() {
                    // SAFETY: the CPU has the features.
                    unsafe { shell() }
                }
            }
        )+
    };
}

#[cfg(isa_sse42)]
macro_rules! on_x86 {
    ($name:ident, $token:ty, [$($feature:tt),+]) => {
        on!($name, $token, $(std::arch::is_x86_feature_detected!($feature))&&+, [$($feature),+]);
    };
}

#[cfg(isa_sse42)]
on_x86!(sse42, crate::isa::sse42::Sse42, ["sse4.2", "popcnt"]);
#[cfg(isa_avx2)]
on_x86!(avx2, crate::isa::avx2::Avx2, ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]);
#[cfg(isa_avx512)]
on_x86!(
    avx512,
    crate::isa::avx512::Avx512,
    ["avx512f", "avx512bw", "avx512vl", "avx512vbmi", "avx512vbmi2", "avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
);
#[cfg(isa_neon)]
on!(neon, crate::isa::neon::Neon, true, ["neon"]);
#[cfg(isa_simd128)]
on!(simd128, crate::isa::simd128::Simd128, true, ["simd128"]);
on!(emulated16, crate::isa::emulated::Emulated16, true, #[inline(never)]);
on!(emulated32, crate::isa::emulated::Emulated32, true, #[inline(never)]);
on!(emulated64, crate::isa::emulated::Emulated64, true, #[inline(never)]);

type Bytes = [u8; BLOCK];

/// Under an interpreter, one in `STEP` inputs is tested, because testing all inputs would take too long. `STEP` is
/// prime, so that every lane and every byte is tested.
const STEP: usize = if cfg!(miri) { 29 } else { 1 };

/// Returns numbers below `end`: all numbers on a real CPU, a sample on an emulated CPU, and a smaller sample under an
/// interpreter.
fn every(end: usize) -> impl Iterator<Item = usize> {
    /// One in this many numbers is in the sample. This number is prime, like [`STEP`].
    const THIN: usize = if cfg!(miri) { 8009 } else { 11 };
    let thin = std::env::var_os("PERCENT_SIMD_THIN").is_some();
    (0..end).step_by(if thin { THIN } else { 1 })
}

/// SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    fn bytes(&mut self) -> Bytes {
        let mut bytes = [0; BLOCK];
        for eight in bytes.chunks_exact_mut(8) {
            eight.copy_from_slice(&self.word().to_le_bytes());
        }
        bytes
    }

    /// Returns a random mask: few bits, many bits, a range of bits, or any.
    fn mask(&mut self) -> u64 {
        match self.below(4) {
            0 => self.word() & self.word() & self.word(),
            1 => self.word() | self.word() | self.word(),
            2 => u64::MAX.unbounded_shl(self.below(65) as u32) ^ u64::MAX.unbounded_shl(self.below(65) as u32),
            _ => self.word(),
        }
    }
}

/// Returns a block with the byte `first + i` in lane `i`. If `first` takes all 256 values, each lane gets every byte.
fn wheel(first: usize) -> Bytes {
    core::array::from_fn(|i| (first + i) as u8)
}

/// Returns `text`, followed by dots.
fn dotted(text: &[u8]) -> Bytes {
    let mut bytes = [b'.'; BLOCK];
    bytes[..text.len()].copy_from_slice(text);
    bytes
}

/// Returns the lanes whose byte is `wanted`.
fn bits(bytes: &Bytes, mut wanted: impl FnMut(u8) -> bool) -> u64 {
    let mut bits = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        bits |= u64::from(wanted(byte)) << i;
    }
    bits
}

fn is_set(mask: u64, i: usize) -> bool {
    mask >> i & 1 == 1
}

/// Output memory between guard bytes.
#[repr(C)]
struct Cell<const N: usize> {
    below: [u8; BLOCK],
    room: Out<N>,
    above: [u8; BLOCK],
}

impl<const N: usize> Cell<N> {
    const WALL: [u8; BLOCK] = [0xC3; BLOCK];

    fn new() -> Cell<N> {
        Cell { below: Cell::<N>::WALL, room: [cell(0xEE); N], above: Cell::<N>::WALL }
    }

    /// Checks that the guard bytes are unchanged, and returns the output.
    fn open(&mut self) -> [u8; N] {
        let Cell { below, room, above } = black_box(self);
        assert!(*below == Cell::<N>::WALL && *above == Cell::<N>::WALL, "written outside of the room");
        // SAFETY: `new` has written all bytes, and the methods write no uninitialised byte.
        room.map(|byte| unsafe { byte.assume_init() })
    }
}

#[inline(always)]
fn stored<I: Isa>(isa: I, block: I::Block) -> Bytes {
    let mut cell = Cell::new();
    isa.store(block, &mut black_box(&mut cell).room);
    cell.open()
}

#[inline(always)]
fn store<I: Isa>(isa: I) {
    let text = b"64 bytes go in, one of each lane, and the same 64 bytes come out";
    assert_eq!(stored(isa, isa.load(text)), *text);

    for first in (0..256).step_by(STEP) {
        assert_eq!(stored(isa, isa.load(&wheel(first))), wheel(first));
    }
}

#[inline(always)]
fn load_part<I: Isa>(isa: I) {
    assert_eq!(stored(isa, isa.load_part(b"")), [0; BLOCK]);
    assert_eq!(stored(isa, isa.load_part(b"abc"))[..5], *b"abc\0\0");

    let mut random = Random(1);
    for n in (0..BLOCK).step_by(STEP) {
        for _ in every(50) {
            // The bytes before and after `part` must not be loaded.
            let around: Vec<u8> = (0..3 * BLOCK).map(|_| random.word() as u8 | 1).collect();
            let at = random.below(2 * BLOCK);
            let part = &around[at..at + n];
            let mut expected = [0; BLOCK];
            expected[..n].copy_from_slice(part);
            assert_eq!(stored(isa, isa.load_part(part)), expected, "{n}");
            let alone = part.to_vec().into_boxed_slice();
            assert_eq!(stored(isa, isa.load_part(&alone)), expected, "{n}");
        }
    }
    // The test puts inputs at the end of a page, for which some engines have special code.
    const PAGE: usize = 4096;
    let bytes: Vec<u8> = (0..2 * PAGE).map(|_| random.word() as u8 | 1).collect();
    let end = PAGE - bytes.as_ptr().addr() % PAGE;
    for n in (0..BLOCK).step_by(STEP) {
        for at in (end.saturating_sub(2 * BLOCK)..end + 1).step_by(STEP) {
            let mut expected = [0; BLOCK];
            expected[..n].copy_from_slice(&bytes[at..at + n]);
            assert_eq!(stored(isa, isa.load_part(&bytes[at..at + n])), expected, "{n}");
        }
    }
}

/// Returns the first 16 bytes of a block.
#[inline(always)]
fn stored_few<I: Isa>(isa: I, block: I::Block) -> [u8; FEW] {
    let mut cell = Cell::new();
    isa.store_few(block, &mut black_box(&mut cell).room);
    cell.open()
}

#[inline(always)]
fn few<I: Isa>(isa: I) {
    assert_eq!(stored_few(isa, isa.load_few(b"abc")), *b"abc\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(stored_few(isa, isa.load_few(b"0123456789ABC")), *b"0123456789ABC\0\0\0");

    let mut random = Random(12);
    const PAGE: usize = 4096;
    let bytes: Vec<u8> = (0..2 * PAGE).map(|_| random.word() as u8 | 1).collect();
    let end = PAGE - bytes.as_ptr().addr() % PAGE;
    for n in 1..=FEW {
        for at in end.saturating_sub(2 * FEW)..end + 1 {
            let mut expected = [0; FEW];
            expected[..n].copy_from_slice(&bytes[at..at + n]);
            assert_eq!(stored_few(isa, isa.load_few(&bytes[at..at + n])), expected, "{n}");
        }
        // The allocation of `alone` ends with its last byte, so that tools find a read beyond it.
        let alone = bytes[end..end + n].to_vec().into_boxed_slice();
        assert_eq!(stored_few(isa, isa.load_few(&alone))[..n], *alone);
    }
}

#[inline(always)]
fn splat_and_xor<I: Isa>(isa: I) {
    assert_eq!(stored(isa, isa.splat(b'x')), [b'x'; BLOCK]);
    assert_eq!(stored(isa, isa.xor(isa.splat(b'x'), 0x20)), [b'X'; BLOCK]);

    let mut random = Random(2);
    for byte in (0..=255).step_by(STEP) {
        assert_eq!(stored(isa, isa.splat(byte)), [byte; BLOCK]);
        let bytes = random.bytes();
        assert_eq!(stored(isa, isa.xor(isa.load(&bytes), byte)), bytes.map(|b| b ^ byte));
    }
}

#[inline(always)]
fn lookahead<I: Isa>(isa: I) {
    let ordinals: Bytes = core::array::from_fn(|lane| lane as u8 + 1);
    let [next, after] = isa.lookahead(isa.load(&ordinals)).map(|block| stored(isa, block));
    assert_eq!((next[0], next[62], next[63]), (2, 64, 0));
    assert_eq!((after[0], after[61], after[62], after[63]), (3, 64, 0, 0));

    let mut random = Random(9);
    for _ in every(256) {
        let bytes = random.bytes();
        for (by, block) in isa.lookahead(isa.load(&bytes)).into_iter().enumerate() {
            let expected: Bytes = core::array::from_fn(|lane| bytes.get(lane + by + 1).copied().unwrap_or(0));
            assert_eq!(stored(isa, block), expected);
        }
    }
}

#[inline(always)]
fn eq_mask<I: Isa>(isa: I) {
    assert_eq!(isa.eq_mask(isa.load(&dotted(b"%a%%b")), b'%'), 0b01101);
    assert_eq!(isa.eq_mask(isa.splat(b'%'), b'%'), !0);

    for first in every(256) {
        let block = isa.load(&wheel(first));
        for byte in (0..=255).step_by(STEP) {
            assert_eq!(isa.eq_mask(block, byte), bits(&wheel(first), |b| b == byte), "{first} {byte}");
            assert_eq!(isa.has(block, byte), wheel(first).contains(&byte), "{first} {byte}");
        }
    }
}

#[inline(always)]
fn any_mask<I: Isa>(isa: I) {
    let other = isa.load(&dotted(b"&%$"));
    assert_eq!(isa.any_mask([other; 4], [0; 4], b'%'), 0b010);
    assert_eq!(isa.any_mask([other; 4], [!0; 4], b'%'), 0);
    // One block has `byte` in one lane. The byte must be found, except if `except` leaves out this lane of this block.
    for byte in [0, 1, b'%', b'%' ^ 1, 0x7F, 0x80, 0xFE, 0xFF] {
        for lane in 0..BLOCK {
            let mut bytes = [!byte; BLOCK];
            bytes[lane] = byte;
            let (block, clean) = (isa.load(&bytes), isa.splat(byte ^ 1));
            for k in 0..4 {
                let mut blocks = [clean; 4];
                blocks[k] = block;
                let mut except = [!0; 4];
                assert_eq!(isa.any_mask(blocks, [0; 4], byte), 1 << lane, "{byte} in lane {lane} of block {k}");
                assert_eq!(isa.any_mask(blocks, except, byte), 0);
                except[k] = !(1 << lane);
                assert_eq!(isa.any_mask(blocks, except, byte), 1 << lane);
                except = [0; 4];
                except[k] = 1 << lane;
                assert_eq!(isa.any_mask(blocks, except, byte), 0);
            }
        }
    }
}

fn min<I: Isa>(isa: I) {
    let smaller = |byte: u8, text: &Bytes| stored(isa, isa.min(isa.splat(byte), isa.load(text)));
    assert_eq!(smaller(0x80, &dotted(b"\x00\x7F\x80\x81\xFF"))[..6], [0, 0x7F, 0x80, 0x80, 0x80, b'.']);
}

#[inline(always)]
fn high_mask<I: Isa>(isa: I) {
    assert_eq!(isa.high_mask(isa.load(&dotted("aé€".as_bytes()))), 0b111110);

    for first in (0..256).step_by(STEP) {
        assert_eq!(isa.high_mask(isa.load(&wheel(first))), bits(&wheel(first), |byte| byte >= 0x80), "{first}");
    }
    let mut random = Random(3);
    for _ in every(5000) {
        let lanes = random.mask();
        let low = random.bytes();
        let bytes: Bytes = core::array::from_fn(|i| low[i] & 0x7F | u8::from(is_set(lanes, i)) << 7);
        assert_eq!(isa.high_mask(isa.load(&bytes)), lanes);
    }
}

#[inline(always)]
fn at_least_mask<I: Isa>(isa: I) {
    assert_eq!(isa.at_least_mask(isa.load(&dotted(b"aZ`g\xFF0")), b'a'), 0b011001);

    for first in every(256) {
        let block = isa.load(&wheel(first));
        for byte in (0..=255).step_by(STEP) {
            assert_eq!(isa.at_least_mask(block, byte), bits(&wheel(first), |b| b >= byte), "{first} {byte}");
        }
    }
}

/// Returns sets of every kind: regular sets, all sets of one byte, and random sets.
fn sets() -> impl Iterator<Item = ByteSet> {
    let mut random = Random(4);
    let regular = [
        ByteSet::EMPTY,
        ByteSet::ALL,
        ByteSet::ASCII,
        ByteSet::CONTROLS,
        ByteSet::ASCII.complement(),
        ByteSet::of(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~"),
    ];
    let single = every(256).flat_map(|byte| {
        let set = ByteSet::EMPTY.with(byte as u8);
        [set, set.complement()]
    });
    let random =
        every(500).map(move |_| ByteSet::from_words([random.mask(), random.mask(), random.mask(), random.mask()]));
    regular.into_iter().chain(single).chain(random)
}

#[inline(always)]
fn contains_mask_ascii<I: Isa>(isa: I) {
    let digits = ByteSet::range(b'0', b'9').nibble_table();
    assert_eq!(isa.contains_mask_ascii(isa.load(&dotted(b"a1b23")), &digits.half[0]), 0b11010);
    // 0xB1 differs from '1' only in the top bit.
    assert_eq!(isa.contains_mask_ascii(isa.load(&dotted(b"1\xB1")), &digits.half[0]), 0b01);

    for set in sets() {
        let row = set.nibble_table().half[0];
        for first in (0..256).step_by(STEP) {
            let bytes = wheel(first);
            let expected = bits(&bytes, |byte| byte < 0x80 && set.contains(byte));
            assert_eq!(isa.contains_mask_ascii(isa.load(&bytes), &row), expected, "{set:?} {first}");
        }
    }
}

#[inline(always)]
fn contains_mask<I: Isa>(isa: I) {
    let set = ByteSet::of(b"1\xC3\xA9");
    assert_eq!(isa.contains_mask(isa.load(&dotted(b"a1\xC3\xA9\xB1")), &set.nibble_table()), 0b01110);

    for set in sets() {
        let rows = set.nibble_table();
        for first in (0..256).step_by(STEP) {
            let bytes = wheel(first);
            let expected = bits(&bytes, |byte| set.contains(byte));
            assert_eq!(isa.contains_mask(isa.load(&bytes), &rows), expected, "{set:?} {first}");
        }
    }
}

#[inline(always)]
fn select<I: Isa>(isa: I) {
    let selected = isa.select(0b0101, isa.splat(b'y'), isa.splat(b'n'));
    assert_eq!(stored(isa, selected)[..5], *b"ynynn");

    let mut random = Random(5);
    let single = (0..BLOCK).step_by(STEP).map(|lane| 1 << lane);
    let masks: Vec<u64> = [0, !0].into_iter().chain(single).chain(every(10_000).map(|_| random.mask())).collect();
    for lanes in masks {
        let (yes, no) = (random.bytes(), random.bytes());
        let expected: Bytes = core::array::from_fn(|i| if is_set(lanes, i) { yes[i] } else { no[i] });
        let selected = isa.select(lanes, isa.load(&yes), isa.load(&no));
        assert_eq!(stored(isa, selected), expected, "{lanes:x}");
    }
}

#[inline(always)]
fn replace<I: Isa>(isa: I) {
    assert_eq!(
        stored(isa, isa.replace(isa.load(&dotted(b"abcde")), isa.load(&dotted(b"a+b++")), b'+', b' '))[..6],
        *b"a c  ."
    );

    for first in every(256) {
        for from in every(256) {
            let (from, to) = (from as u8, (from as u8).wrapping_mul(7));
            let expected = wheel(first).map(|byte| if byte == from { to } else { byte });
            let block = isa.load(&wheel(first));
            assert_eq!(stored(isa, isa.replace(block, block, from, to)), expected, "{first} {from}");
        }
    }
}

/// Returns the decoded byte of the triplet, or `None` if the three bytes aren't a triplet.
fn triplet(block: u8, next: u8, after: u8) -> Option<u8> {
    let high = char::from(next).to_digit(16)?;
    let low = char::from(after).to_digit(16)?;
    (block == b'%').then_some((high * 16 + low) as u8)
}

/// Returns two blocks in which the bytes `one` and `other` alternate. The first begins with `one`, and the second with
/// `other`.
fn alternating([one, other]: [u8; 2]) -> [Bytes; 2] {
    [[one, other], [other, one]].map(|pair| core::array::from_fn(|i| pair[i % 2]))
}

/// Returns the block without its first byte, followed by `last`, which is the byte after the block.
fn one_further(bytes: &Bytes, last: u8) -> Bytes {
    core::array::from_fn(|i| bytes.get(i + 1).copied().unwrap_or(last))
}

#[inline(always)]
fn check_triplets<I: Isa>(isa: I, block: &Bytes, next: &Bytes, after: &Bytes) {
    let (starts, decoded) = isa.triplets(isa.load(block), isa.load(next), isa.load(after));
    let decoded = stored(isa, decoded);
    for i in 0..BLOCK {
        let expected = triplet(block[i], next[i], after[i]);
        let found = is_set(starts, i).then_some(decoded[i]);
        let context = [block[i], next[i], after[i]];
        assert_eq!(found, expected, "{context:x?} in lane {i}");
        assert_eq!(decoded[i], expected.unwrap_or(block[i]), "{context:x?} in lane {i}");
    }
}

#[inline(always)]
fn triplets<I: Isa>(isa: I) {
    let text = b"%41%e9%E9 %4 %4g%g4%%41";
    let [block, next, after] = [0, 1, 2].map(|at| dotted(&text[at..]));
    let (starts, decoded) = isa.triplets(isa.load(&block), isa.load(&next), isa.load(&after));
    assert_eq!(starts, 0b0001_0000_0000_0000_0100_1001);
    assert_eq!(stored(isa, decoded)[..text.len()], *b"A41\xE9e9\xE9E9 %4 %4g%g4%A41");

    // Tests every pair of bytes after `%`. In the odd lanes, the two bytes are swapped.
    for pair in every(0x10000) {
        let [next, after] = alternating((pair as u16).to_le_bytes());
        check_triplets(isa, &[b'%'; BLOCK], &next, &after);
    }
    // Tests every byte before two digits, in every lane.
    let mut random = Random(6);
    for first in (0..256).step_by(STEP) {
        let next = random.bytes().map(|byte| UPPER.row[byte as usize & 15]);
        check_triplets(isa, &wheel(first), &next, &one_further(&next, b'7'));
    }
    // Tests triplets mixed with other bytes.
    for _ in every(20_000) {
        let mix = random.bytes().map(|byte| b"%%%09afAF/:`g@G\xE3"[byte as usize & 15]);
        let next = one_further(&mix, b'0');
        let after = one_further(&next, b'0');
        check_triplets(isa, &mix, &next, &after);
    }
}

#[inline(always)]
fn check_triplets_except<I: Isa>(isa: I, [block, next, after]: [&Bytes; 3], set: ByteSet) {
    let (valid, starts, decoded) =
        isa.triplets_except(isa.load(block), isa.load(next), isa.load(after), &set.nibble_table());
    let decoded = stored(isa, decoded);
    for i in 0..BLOCK {
        let byte = triplet(block[i], next[i], after[i]);
        let context = ([block[i], next[i], after[i]], set);
        assert_eq!(is_set(valid, i), byte.is_some(), "{context:x?} in lane {i}");
        assert_eq!(is_set(starts, i), byte.is_some_and(|byte| !set.contains(byte)), "{context:x?} in lane {i}");
        let expected = byte.filter(|&byte| !set.contains(byte)).unwrap_or(block[i]);
        assert_eq!(decoded[i], expected, "{context:x?} in lane {i}");
    }
}

#[inline(always)]
fn triplets_except<I: Isa>(isa: I) {
    let text = b"%41%42%C3%43%c4%4";
    let [block, next, after] = [0, 1, 2].map(|at| dotted(&text[at..]));
    let kept = ByteSet::of(b"B\xC3").nibble_table();
    let (valid, starts, decoded) = isa.triplets_except(isa.load(&block), isa.load(&next), isa.load(&after), &kept);
    assert_eq!((valid, starts), (0b001_001_001_001_001, 0b001_001_000_000_001));
    assert_eq!(stored(isa, decoded)[..text.len()], *b"A41%42%C3C43\xC4c4%4");

    // Tests the triplet of every byte in the even lanes, and the triplet with swapped digits in the odd lanes.
    for set in sets() {
        for first in every(256) {
            let [next, after] = alternating([4, 0].map(|shift| UPPER.row[first >> shift & 15]));
            check_triplets_except(isa, [&[b'%'; BLOCK], &next, &after], set);
        }
    }
    // Tests triplets mixed with other bytes.
    let mut random = Random(12);
    for _ in every(5000) {
        let mix = random.bytes().map(|byte| b"%%%09afAF/:`g@G\xE3"[byte as usize & 15]);
        let next = one_further(&mix, b'0');
        let after = one_further(&next, b'0');
        let set = ByteSet::from_words([random.mask(), random.mask(), random.mask(), random.mask()]);
        check_triplets_except(isa, [&mix, &next, &after], set);
    }
}

#[inline(always)]
fn check_expand<I: Isa>(isa: I, bytes: &Bytes, escaped: u64, n: usize) {
    for digits in [&UPPER, &LOWER] {
        let mut expected = [0; 3 * BLOCK];
        let mut o = 0;
        for (i, &byte) in bytes[..n].iter().enumerate() {
            if is_set(escaped, i) {
                let [high, low] = [byte >> 4, byte & 15].map(|nibble| digits.row[nibble as usize]);
                expected[o..o + 3].copy_from_slice(&[b'%', high, low]);
                o += 3;
            } else {
                expected[o] = byte;
                o += 1;
            }
        }
        let mut cell = Cell::<EXPANDED>::new();
        isa.expand(isa.load(bytes), escaped, n, digits, &mut black_box(&mut cell).room);
        assert_eq!(cell.open()[..o], expected[..o], "{escaped:x} {n}");
    }
}

#[inline(always)]
fn expand<I: Isa>(isa: I) {
    let mut cell = Cell::<EXPANDED>::new();
    isa.expand(isa.load(&dotted(b"a b\xE9")), 0b1010, 4, &UPPER, &mut cell.room);
    assert_eq!(cell.open()[..8], *b"a%20b%E9");
    isa.expand(isa.load(&dotted(b"a b\xE9")), 0b1010, 4, &LOWER, &mut cell.room);
    assert_eq!(cell.open()[..8], *b"a%20b%e9");

    let mut random = Random(7);
    for n in (1..=BLOCK).step_by(STEP) {
        let first = !0 >> (BLOCK - n);
        let regular = [0, !0, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA];
        let single = every(n).map(|lane| 1 << lane);
        let masks: Vec<u64> = regular.into_iter().chain(single).chain(every(100).map(|_| random.mask())).collect();
        for escaped in masks {
            check_expand(isa, &random.bytes(), escaped & first, n);
        }
    }
    // Tests every byte in every lane, and every mask of 16 lanes in every quarter of a block.
    for first in every(256) {
        check_expand(isa, &wheel(first), !0, BLOCK);
    }
    for lanes in every(0x10000) {
        for quarter in 0..4 {
            check_expand(isa, &wheel(lanes), (lanes as u64) << (16 * quarter), BLOCK);
        }
    }
}

#[inline(always)]
fn expand_few<I: Isa>(isa: I) {
    let mut cell = Cell::<FEW_EXPANDED>::new();
    isa.expand_few(isa.load_few(b"a b\xE9"), 0b1010, &UPPER, &mut cell.room);
    assert_eq!(cell.open()[..8], *b"a%20b%E9");
    isa.expand_few(isa.load_few(b"a b\xE9"), 0b1010, &LOWER, &mut cell.room);
    assert_eq!(cell.open()[..8], *b"a%20b%e9");

    // Tests every mask of 16 lanes, with different bytes each time.
    for lanes in every(0x10000) {
        let bytes = wheel(lanes);
        let mut expected = Vec::new();
        for (lane, &byte) in bytes[..FEW].iter().enumerate() {
            match is_set(lanes as u64, lane) {
                true => expected.extend(&UPPER.word(byte)[..3]),
                false => expected.push(byte),
            }
        }
        let mut cell = Cell::<FEW_EXPANDED>::new();
        isa.expand_few(isa.load_few(&bytes[..FEW]), lanes as u64, &UPPER, &mut black_box(&mut cell).room);
        assert_eq!(cell.open()[..expected.len()], expected, "{lanes:x}");
    }
}

#[inline(always)]
fn check_compact<I: Isa>(isa: I, bytes: &Bytes, keep: u64) {
    let mut expected = [0; BLOCK];
    let mut o = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if is_set(keep, i) {
            expected[o] = byte;
            o += 1;
        }
    }
    let mut cell = Cell::<COMPACTED>::new();
    isa.compact(isa.load(bytes), keep, &mut black_box(&mut cell).room);
    assert_eq!(cell.open()[..o], expected[..o], "{keep:x}");
}

#[inline(always)]
fn compact<I: Isa>(isa: I) {
    let mut cell = Cell::<COMPACTED>::new();
    isa.compact(isa.load(&dotted(b"A41/B42")), 0b0011001, &mut cell.room);
    assert_eq!(cell.open()[..3], *b"A/B");

    let mut random = Random(8);
    for lane in (0..=BLOCK).step_by(STEP) {
        let one = 1u64.unbounded_shl(lane as u32);
        for keep in [one, !one, one.wrapping_sub(1)] {
            check_compact(isa, &random.bytes(), keep);
        }
    }
    for _ in every(50_000) {
        check_compact(isa, &random.bytes(), random.mask());
    }
    // Tests every mask of 16 lanes in every quarter of a block. The lanes outside the quarter are all dropped, random,
    // or all kept.
    for lanes in every(0x10000) {
        for quarter in 0..4 {
            let lanes = (lanes as u64) << (16 * quarter);
            let others = !(0xFFFF << (16 * quarter));
            for others in [0, random.word() & others, others] {
                check_compact(isa, &wheel(lanes as usize), lanes | others);
            }
        }
    }
}

#[inline(always)]
fn expand_exact<I: Isa>(isa: I) {
    let mut random = Random(10);
    for _ in every(20_000) {
        let (bytes, n) = (random.bytes(), random.below(BLOCK + 1));
        let escaped = random.mask() & u64::MAX.unbounded_shr((BLOCK - n) as u32);
        let mut wanted = Vec::new();
        for (lane, &byte) in bytes[..n].iter().enumerate() {
            if escaped >> lane & 1 == 1 {
                wanted.extend([b'%', UPPER.row[usize::from(byte >> 4)], UPPER.row[usize::from(byte & 15)]]);
            } else {
                wanted.push(byte);
            }
        }
        let len = (wanted.len() + random.below(5)).saturating_sub(random.below(3));
        let mut out = vec![cell(0xA5); len + 8];
        let written = isa.expand_exact(isa.load(&bytes), escaped, n, &UPPER, &mut out[..len]);
        assert_eq!(written, (wanted.len() <= len).then_some(wanted.len()));
        // SAFETY: `out` was initialised, and the bytes that the method writes are initialised too.
        let out: Vec<u8> = out.iter().map(|byte| unsafe { byte.assume_init() }).collect();
        wanted.truncate(written.unwrap_or(0));
        wanted.resize(out.len(), 0xA5);
        assert_eq!(out, wanted, "{escaped:#x} {n}");
    }
}

/// Checks that `compact_in_place` and `compact_exact` write the right bytes to `out`, and no other byte.
fn check_compact_exact<I: Isa>(isa: I, bytes: &[u8; BLOCK], keep: u64, len: usize, out: &mut [u8]) {
    let kept = (0..BLOCK).filter(|lane| keep >> lane & 1 == 1).map(|lane| bytes[lane]).take(len);
    let fits = len <= out.len();
    let mut expected = out.to_vec();
    if fits {
        expected.iter_mut().zip(kept).for_each(|(cell, byte)| *cell = byte);
    }
    let before = out.to_vec();
    let in_place = isa.compact_in_place(isa.load(bytes), keep, len, out);
    assert_eq!(in_place.is_some(), fits && I::MASKED_STORES);
    assert_eq!(out, if in_place.is_some() { &*expected } else { &*before }, "{keep:#x} {len}");
    out.copy_from_slice(&before);
    // SAFETY: the layout is the same, and the bytes that the method writes are initialised.
    let room = unsafe { &mut *(core::ptr::from_mut(&mut *out) as *mut [crate::output::Cell]) };
    assert_eq!(isa.compact_exact(isa.load(bytes), keep, len, room).is_some(), fits);
    assert_eq!(out, &*expected, "{keep:#x} {len}");
}

#[inline(always)]
fn compact_exact<I: Isa>(isa: I) {
    let mut out = *b".....";
    check_compact_exact(isa, &dotted(b"A41/B42"), 0b0011001, 3, &mut out);
    assert_eq!(out, *b"A/B..");

    let mut random = Random(9);
    for _ in every(20_000) {
        let (bytes, keep) = (random.bytes(), random.mask());
        let len = random.below(keep.count_ones() as usize + 1);
        let mut out: Vec<u8> = (0..random.below(BLOCK + 8)).map(|_| random.word() as u8).collect();
        check_compact_exact(isa, &bytes, keep, len, &mut out);
    }
    // The test puts outputs at the end of a page, and at the end of an allocation.
    const PAGE: usize = 4096;
    let mut memory: Vec<u8> = (0..2 * PAGE).map(|_| random.word() as u8).collect();
    let end = PAGE - memory.as_ptr().addr() % PAGE;
    for len in (0..=BLOCK).step_by(STEP) {
        let keep = u64::MAX.unbounded_shr((BLOCK - len) as u32);
        for at in (end.saturating_sub(BLOCK + 1)..end + 1).step_by(STEP) {
            check_compact_exact(isa, &random.bytes(), keep, len, &mut memory[at..]);
        }
        check_compact_exact(isa, &random.bytes(), keep, len, &mut vec![0; len].into_boxed_slice());
    }
    // With masked stores, `load_part` can also load a whole block.
    if I::MASKED_STORES {
        let bytes: [u8; BLOCK] = random.bytes();
        assert_eq!(stored(isa, isa.load_part(&bytes)), bytes);
    }
}

/// The bytes of two blocks.
type Pair = [u8; 2 * BLOCK];

/// Returns the expected result of `decode_small`: the output followed by zeros, the number of bytes that decoding
/// removes, and whether a `%` is malformed.
fn small_decoded(text: &[u8]) -> ([u8; 16], usize, bool) {
    let (mut out, mut i, mut o, mut malformed) = ([0; 16], 0, 0, false);
    let at = |i: usize| text.get(i).copied().unwrap_or(0);
    while i < text.len() {
        let decoded = triplet(at(i), at(i + 1), at(i + 2));
        malformed |= decoded.is_none() && text[i] == b'%';
        out[o] = decoded.unwrap_or(text[i]);
        (i, o) = (i + if decoded.is_some() { 3 } else { 1 }, o + 1);
    }
    (out, i - o, malformed)
}

fn check_decode_small<I: Isa>(isa: I, text: &[u8]) {
    let mut padded = [0; 16];
    padded[..text.len()].copy_from_slice(text);
    let words = |bytes: [u8; 16]| [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()));
    let found = isa.decode_small(words(padded)).map(|([low, high], shorter, malformed)| {
        let mut bytes = (u128::from(low) | u128::from(high) << 64).to_le_bytes();
        bytes[text.len() - shorter..].fill(0);
        (bytes, shorter, malformed)
    });
    assert_eq!(found, Some(small_decoded(text)), "{text:x?}");
}

/// Tests [`Isa::decode_small`].
fn decode_small<I: Isa>(isa: I) {
    if isa.decode_small([0; 2]).is_none() {
        return;
    }
    assert_eq!(small_decoded(b"a%20%E9"), (*b"a \xE9\0\0\0\0\0\0\0\0\0\0\0\0\0", 4, false));
    for text in
        [&b""[..], b"a%20%E9", b"%", b"%4", b"%4g", b"%%41", b"%41%42%43%44%45g", b"0123456789abc%7e", b"%25%32%35"]
    {
        check_decode_small(isa, text);
    }
    // Tests triplets at every combination of offsets, and a malformed `%` at every offset.
    for places in every(1 << 14) {
        let mut text = *b"abcdefghijklmnop";
        let mut at = 0;
        while at < 14 {
            if places >> at & 1 == 1 {
                text[at..at + 3].copy_from_slice(b"%c3");
                at += 2;
            }
            at += 1;
        }
        check_decode_small(isa, &text);
        text[places % 16] = b'%';
        check_decode_small(isa, &text);
    }
    let mut random = Random(1);
    for _ in every(20_000) {
        let text: Vec<u8> = (0..random.below(17)).map(|_| b"%%%%4aAfFg0+\xE9/:@G`"[random.below(18)]).collect();
        check_decode_small(isa, &text);
    }
}

/// Returns whether `utf8_error` must find an error in the second block. The result is false if only a byte after the
/// block can show the error: if the end of the block cuts a sequence off, or if its last byte looks like a lead byte.
fn utf8_wrong(pair: &Pair) -> bool {
    match str::from_utf8(pair) {
        Ok(_) => false,
        Err(error) => {
            let last = error.valid_up_to() == 2 * BLOCK - 1 && pair[2 * BLOCK - 1] >= 0xC0;
            error.error_len().is_some() && !last
        }
    }
}

#[inline(always)]
fn check_utf8<I: Isa>(isa: I, bytes: &[u8], at: usize) {
    let mut pair = [b'.'; 2 * BLOCK];
    pair[at..at + bytes.len()].copy_from_slice(bytes);
    let (blocks, _) = pair.as_chunks::<BLOCK>();
    // If the first block has an error, the call for the first block finds it. The result for the second block is then
    // unspecified, so the test skips it.
    let mut first = [b'.'; 2 * BLOCK];
    first[BLOCK..].copy_from_slice(&blocks[0]);
    if !utf8_wrong(&first) {
        let found = isa.utf8_error(isa.load(&blocks[1]), isa.load(&blocks[0]));
        assert_eq!(found, utf8_wrong(&pair), "{bytes:x?} at {at}");
    }
}

#[inline(always)]
fn utf8_error<I: Isa>(isa: I) {
    let dots = isa.splat(b'.');
    assert!(!isa.utf8_error(isa.load(&dotted("aé€😀".as_bytes())), dots));
    assert!(isa.utf8_error(isa.load(&dotted(b"a\xC3(")), dots));
    // If the end of the block cuts a sequence off and the next block doesn't continue it, the error is found in the
    // next block.
    let mut bytes = [b'.'; BLOCK];
    bytes[63] = 0xC3;
    assert!(!isa.utf8_error(isa.load(&bytes), dots));
    assert!(isa.utf8_error(dots, isa.load(&bytes)));

    // Tests every pair of bytes: inside the second block, across its beginning, and at its end.
    for two in every(0x10000) {
        let bytes = (two as u16).to_be_bytes();
        for at in [BLOCK - 1, BLOCK, BLOCK + 1 + two % 61, 2 * BLOCK - 2] {
            check_utf8(isa, &bytes, at);
        }
    }
    // Tests all sequences of four bytes at the limits of the grammar (RFC 3629 4).
    let edges = b"\x00\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF";
    let n = edges.len();
    for four in every(n.pow(4)) {
        let bytes = [four / n.pow(3), four / n.pow(2), four / n, four].map(|edge| edges[edge % n]);
        let across = BLOCK - 1 - four % 3;
        for at in [across, BLOCK + four % 61] {
            check_utf8(isa, &bytes, at);
        }
    }
    // Tests a text of all characters in order.
    let text: Vec<char> = every(0x11_0000).filter_map(|scalar| char::from_u32(scalar as u32)).collect();
    let text: std::string::String = text.into_iter().collect();
    let (blocks, _) = text.as_bytes().as_chunks::<BLOCK>();
    for pair in blocks.windows(2) {
        assert!(!isa.utf8_error(isa.load(&pair[1]), isa.load(&pair[0])), "{pair:x?}");
    }
    // Replaces a byte in a text of several blocks by a random byte.
    let mut random = Random(9);
    for _ in every(20_000) {
        let mut at = random.below(text.len() - 4 * BLOCK);
        while !text.is_char_boundary(at) {
            at += 1;
        }
        let mut bytes = [b'.'; 4 * BLOCK];
        bytes[..3 * BLOCK].copy_from_slice(&text.as_bytes()[at..at + 3 * BLOCK]);
        bytes[random.below(3 * BLOCK)] = random.word() as u8;
        let (blocks, _) = bytes.as_chunks::<BLOCK>();
        let mut found = isa.utf8_error(isa.load(&blocks[0]), dots);
        for pair in blocks.windows(2) {
            found |= isa.utf8_error(isa.load(&pair[1]), isa.load(&pair[0]));
        }
        assert_eq!(found, str::from_utf8(&bytes).is_err(), "{bytes:x?}");
    }
}

/// Returns random bytes. Some bytes are more frequent, because methods treat them specially: escapes, delimiters, and
/// the edges of UTF-8.
fn telling(random: &mut Random) -> Bytes {
    let edges = b"%%%%%%09afAF/:`g@G+=&\x7F\x80\x8F\x90\xA0\xBF\xC3\xE0\xED\xF0\xF4";
    let (choice, bytes) = (random.mask(), random.bytes());
    core::array::from_fn(|i| if is_set(choice, i) { bytes[i] } else { edges[bytes[i] as usize % edges.len()] })
}

/// Compares every method with the same method of [`Emulated32`], on the same block.
#[inline(always)]
fn every_method_as_emulated<I: Isa>(isa: I) {
    let model = Emulated32::new();
    let mut random = Random(11);
    for _ in every(20_000) {
        let [one, two] = core::array::from_fn(|_| telling(&mut random));
        let three = one_further(&two, random.bytes()[0]);
        let (a, b, c) = (isa.load(&one), isa.load(&two), isa.load(&three));
        let (x, y, z) = (model.load(&one), model.load(&two), model.load(&three));
        let (lanes, n, byte) = (random.mask(), 1 + random.below(BLOCK), one[random.below(BLOCK)]);
        let set = ByteSet::from_words([random.mask(), random.mask(), random.mask(), random.mask()]).nibble_table();
        let part = &one[..n - 1];

        assert_eq!(stored(isa, isa.load_part(part)), stored(model, model.load_part(part)), "load_part");
        assert_eq!(stored(isa, isa.splat(byte)), stored(model, model.splat(byte)), "splat");
        assert_eq!(stored(isa, isa.xor(a, byte)), stored(model, model.xor(x, byte)), "xor");
        assert_eq!(isa.eq_mask(a, byte), model.eq_mask(x, byte), "eq_mask");
        let except = [random.mask(), random.mask(), random.mask(), random.mask()];
        let any = isa.any_mask([a, b, a, b], except, byte);
        assert_eq!(any, model.any_mask([x, y, x, y], except, byte), "any_mask");
        assert_eq!(isa.has(a, byte), model.has(x, byte), "has");
        assert_eq!(isa.has(a, byte ^ 1), model.has(x, byte ^ 1), "has");
        assert_eq!(stored(isa, isa.min(a, b)), stored(model, model.min(x, y)), "min");
        assert_eq!(isa.high_mask(a), model.high_mask(x), "high_mask");
        assert_eq!(isa.at_least_mask(a, byte), model.at_least_mask(x, byte), "at_least_mask");
        let row = &set.half[0];
        assert_eq!(isa.contains_mask_ascii(a, row), model.contains_mask_ascii(x, row), "contains_mask_ascii");
        assert_eq!(isa.contains_mask(a, &set), model.contains_mask(x, &set), "contains_mask");
        assert_eq!(stored(isa, isa.select(lanes, a, b)), stored(model, model.select(lanes, x, y)), "select");
        assert_eq!(stored(isa, isa.replace(b, a, byte, 7)), stored(model, model.replace(y, x, byte, 7)), "replace");
        let [ahead, model_ahead] =
            [isa.lookahead(a).map(|block| stored(isa, block)), model.lookahead(x).map(|block| stored(model, block))];
        assert_eq!(ahead, model_ahead, "lookahead");
        let ((starts, decoded), (model_starts, model_decoded)) = (isa.triplets(a, b, c), model.triplets(x, y, z));
        assert_eq!(starts, model_starts, "triplets");
        assert_eq!(stored(isa, decoded), stored(model, model_decoded), "triplets");
        let (valid, starts, decoded) = isa.triplets_except(a, b, c, &set);
        let (model_valid, model_starts, model_decoded) = model.triplets_except(x, y, z, &set);
        assert_eq!((valid, starts), (model_valid, model_starts), "triplets_except");
        assert_eq!(stored(isa, decoded), stored(model, model_decoded), "triplets_except");
        assert_eq!(isa.utf8_error(a, b), model.utf8_error(x, y), "utf8_error");

        let few = &one[..n.min(FEW)];
        let (d, w) = (isa.load_few(few), model.load_few(few));
        assert_eq!(stored_few(isa, d), stored_few(model, w), "load_few");
        let found = isa.contains_mask_ascii(d, row) as u16;
        assert_eq!(found, model.contains_mask_ascii(w, row) as u16, "contains_mask_ascii of few");
        let len = FEW + 2 * found.count_ones() as usize;
        let [mut cell, mut model_cell] = [(); 2].map(|()| Cell::<FEW_EXPANDED>::new());
        isa.expand_few(d, found.into(), &UPPER, &mut black_box(&mut cell).room);
        model.expand_few(w, found.into(), &UPPER, &mut model_cell.room);
        assert_eq!(cell.open()[..len], model_cell.open()[..len], "expand_few");

        let escaped = lanes & !0 >> (BLOCK - n);
        let len = n + 2 * escaped.count_ones() as usize;
        let [mut cell, mut model_cell] = [(); 2].map(|()| Cell::<EXPANDED>::new());
        isa.expand(a, escaped, n, &UPPER, &mut black_box(&mut cell).room);
        model.expand(x, escaped, n, &UPPER, &mut model_cell.room);
        assert_eq!(cell.open()[..len], model_cell.open()[..len], "expand");
        let len = lanes.count_ones() as usize;
        let [mut cell, mut model_cell] = [(); 2].map(|()| Cell::<COMPACTED>::new());
        isa.compact(a, lanes, &mut black_box(&mut cell).room);
        model.compact(x, lanes, &mut model_cell.room);
        assert_eq!(cell.open()[..len], model_cell.open()[..len], "compact");
    }
}

/// Prints the tables of the engines, for the prover that `scripts/prove` runs. Each table is one line, with its name
/// and its numbers.
#[test]
#[ignore = "for scripts/prove"]
fn tables_for_the_prover() {
    fn line<T: std::fmt::Display>(name: &str, numbers: impl IntoIterator<Item = T>) {
        let numbers: Vec<_> = numbers.into_iter().map(|number| std::format!("{number}")).collect();
        std::println!("prove {name} {}", numbers.join(" "));
    }
    line("hex", HEX);
    line("not_hex", [NOT_HEX]);
    line("upper", UPPER.row);
    line("lower", LOWER.row);
    line("upper_words", (0..=255).flat_map(|byte| UPPER.word(byte)));
    line("lower_words", (0..=255).flat_map(|byte| LOWER.word(byte)));
    line("expand4", tables::EXPAND4.0.into_iter().flatten());
    line("compact8", tables::COMPACT8);
    line("tail_shift", tables::TAIL_SHIFT);
    line("nibble_bit", tables::NIBBLE_BIT);
    line("first_high", tables::utf8::FIRST_HIGH);
    line("first_low", tables::utf8::FIRST_LOW);
    line("second_high", tables::utf8::SECOND_HIGH);
    line("third", [tables::utf8::THIRD]);
    line("fourth", [tables::utf8::FOURTH]);
    // This prints the rows of each set that has only one byte. The rows of any other set are the union of the rows of
    // its bytes. The loop below tests that union.
    let rows = |set: ByteSet| set.nibble_table().half.as_flattened().to_vec();
    line("rows", (0..=255).flat_map(|byte| rows(ByteSet::of(&[byte]))));
    let mut random = Random(10);
    for _ in 0..10_000 {
        let set = ByteSet::from_words([random.word(), random.word(), random.word(), random.word()]);
        let mut union = std::vec![0; 32];
        for byte in set.iter() {
            union.iter_mut().zip(rows(ByteSet::of(&[byte]))).for_each(|(all, one)| *all |= one);
        }
        assert_eq!(rows(set), union);
    }
}
