//! Decodes 64 bytes at a time. It first finds the triplets, then drops their digits.
//!
//! # The problem
//!
//! Decoding replaces three bytes by one byte, so the offset of a byte in the output depends on all triplets before it.
//! A triplet can start in one block and end in the next. A `%` that starts no triplet is data in lenient decoding, and
//! an error in strict decoding.
//!
//! # The idea
//!
//! `%` is no hexadecimal digit, so triplets never overlap. Whether a triplet starts at a byte depends only on that byte
//! and the next two bytes. So three loads, at offsets 0, 1 and 2, find the triplets in all lanes at once. No lane waits
//! for another lane.
//!
//! The decoded byte replaces the `%`. Then the lanes of the two digits are dropped, and the kept lanes close the gaps.
//! If a triplet begins in the last two lanes, one or both of its digits are in the next block. The carry tells the next
//! block to drop these lanes too.
//!
//! ```text
//! for each block of 64 bytes:
//!     [block, next, after] = the bytes at i, at i + 1 and at i + 2
//!     with options:   a space replaces each +
//!     no % and no carry: store the block; with registers of 16 or 32 bytes, also decode the next block up to its
//!                        first triplet, and go on after it
//!     starts = lanes with % in block, and a hexadecimal digit in next and in after      (minus kept triplets)
//!     replace the % in the lanes of `starts` by (value of next) * 16 + (value of after)
//!     [dropped, carry] = (starts << 1 | starts << 2 | carry), cut after lane 63
//!     compact: move the other lanes to the front, and store them
//!     o += 64 - count_ones(dropped)
//! ```
//!
//! To compact eight lanes, the mask of the lanes to keep picks a shuffle from a table. AVX-512 has an instruction that
//! compacts.
//!
//! # Example
//!
//! `caf%C3%A9 5% %41` has 16 bytes. The `%` in lane 11 is malformed, because a space follows it.
//!
//! ```text
//! lane       0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//! block      c  a  f  %  C  3  %  A  9 20  5  % 20  %  4  1
//! next       a  f  %  C  3  %  A  9 20  5  % 20  %  4  1  .
//! after      f  %  C  3  %  A  9 20  5  % 20  %  4  1  .  .
//! starts     .  .  .  1  .  .  1  .  .  .  .  .  .  1  .  .      0x2048
//! malformed  .  .  .  .  .  .  .  .  .  .  .  1  .  .  .  .      0x0800: the lanes with %, except `starts`
//! decoded    c  a  f C3  C  3 A9  A  9 20  5  % 20  A  4  1
//! dropped    .  .  .  .  1  1  .  1  1  .  .  .  .  .  1  1      0xC1B0
//!
//! lanes      kept    row of COMPACT8    stored
//! 0 to 7     0x4F    0 1 2 3 6          c a f C3 A9    at 0
//! 8 to 15    0x3E    1 2 3 4 5          20 5 % 20 A    at 5
//! ```
//!
//! The result is `café 5% A`, 10 bytes. If the block ended with lane 13, the carry would be `0b11`: the next block
//! would drop its first two lanes.
//!
//! # Why not the obvious way
//!
//! - *Search for `%`, copy the run before it.* That takes a branch for each escape. In text that is not Latin, every
//!   character is escaped, so there is a branch every three bytes. In Latin text, runs have any length, so many of the
//!   branches are mispredicted.
//! - *A state machine over bytes.* Each byte waits for the state after the byte before it.
//! - *Look back for a `%`, instead of ahead for digits.* A block would then wait for more results of the block before.
//!   Looking ahead takes two more loads, but no load waits for a result. So a block waits only for the carry and the
//!   output offset of the block before. Both are ready after a few cycles.
//! - *One shuffle for 16 lanes.* A table for every mask of 16 bits has 65,536 rows. Eight lanes at a time need 256 rows
//!   of 8 bytes.
//!
//! # Details
//!
//! 1. The code with `OPTIONS` false decodes every triplet, turns every `+` into a space if `pluses` is true, and copies
//!    all other bytes. Callers pass a constant as `pluses`, so the compiler makes a kernel for true and one for false.
//!    All other profiles use the code with `OPTIONS` true. It has branches on options, but they are predicted, because
//!    options never change during a call. The loop that decodes four blocks at once is compiled again for each common
//!    option. With one loop, a branch in every block would take more time than the work for the option.
//! 2. A latent triplet, such as `%%32F`, becomes a triplet (`%2F`) if its digits are decoded (see
//!    `DecodeProfile::keeps_latent`). To keep latent triplets, a byte-by-byte function checks each malformed `%` that
//!    has a triplet one or two bytes later. Such a `%` is rare. All lanes of a latent triplet are copied, not decoded,
//!    even its lanes in the next block.
//! 3. A triplet after a clean block is probably alone. Then the digits are read from a table, and the next block begins
//!    after the triplet. This takes a quarter of the instructions of a whole block. If the next block has a `%`, too, it
//!    is decoded whole.
//! 4. At an error (a malformed `%` in strict decoding, or a rejected byte), the kernel writes the lanes before the
//!    error and returns. From the input at that offset, the caller finds out which error it is.

use super::{
    DecodeProfile, PlusStart, Progress, Scan, Short, Visitor, WINDOW, below, digits_of, load, load_any, load_window,
    scalar,
};
use crate::isa::{BLOCK, COMPACTED, Isa, Out};
use crate::output::{Cell, cell};
use crate::set::NibbleTable;
use crate::triplet::{complete_triplets_len, triplet};
use crate::words::{chunk, load_small, room, spaced, store_small};

/// A decoded block, and its masks. The lane of a triplet is the lane of its `%`.
#[derive(Clone, Copy)]
struct Classified<B> {
    /// The bytes, with the decoded byte in place of each `%`.
    block: B,
    /// Triplets to decode.
    starts: u64,
    /// Triplets that are not decoded. These are the kept triplets or, without a kept set, the rejected triplets.
    stay: u64,
    /// The lanes of the digits of decoded triplets. They include the digits of a triplet that began in the block
    /// before.
    digit_lanes: u64,
    /// All lanes whose byte changes.
    changes: u64,
    malformed: u64,
    rejected: u64,
}

impl<B> Classified<B> {
    /// Returns the masks of a block without a `%`.
    #[inline(always)]
    fn unchanged(block: B) -> Self {
        Classified { block, starts: 0, stay: 0, digit_lanes: 0, changes: 0, malformed: 0, rejected: 0 }
    }
}

struct Unescape<'p, I, const OPTIONS: bool> {
    isa: I,
    profile: &'p DecodeProfile,
    /// Whether each `+` is a space.
    pluses: bool,
    /// The bytes whose triplets are not decoded. This is the kept set or, without a kept set, the rejected set.
    except: Option<&'p NibbleTable>,
    /// All lanes if triplets of `except` are rejected, or no lanes if they are kept.
    reject_mask: u64,
    /// The rejected bytes, if the decoder has a kept and a rejected set. If it has only a rejected set, `except` has
    /// the bytes of that set.
    reject: Option<&'p NibbleTable>,
    carry: Carry,
}

/// How triplets of the bytes in `except` are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exception {
    /// The triplets are kept.
    Kept,
    /// The triplets are kept, and their digits become upper-case.
    Upper,
    /// The triplets stop the decoding.
    Rejected,
}

/// The state that one block hands to the next.
#[derive(Clone, Copy)]
struct Carry {
    /// A mask of the first lanes of the block, if they have the digits of a triplet that the block before decoded.
    /// These lanes are dropped.
    digit_lanes: u64,
    /// A mask of the first lanes of the block, if they have the digits of a triplet that the block before kept. These
    /// digits become upper-case.
    kept: u64,
    /// Offsets in the input of the start and the end of the last latent triplet.
    latent: (usize, usize),
}

impl Carry {
    const NONE: Carry = Carry { digit_lanes: 0, kept: 0, latent: (0, 0) };
}

impl<'p, I: Isa, const OPTIONS: bool> Unescape<'p, I, OPTIONS> {
    #[inline(always)]
    fn new(isa: I, profile: &'p DecodeProfile, pluses: bool) -> Self {
        let [keep, reject] = [&profile.keep, &profile.reject].map(|set| set.as_ref().map(|(_, table)| table));
        Unescape {
            isa,
            profile,
            pluses,
            except: keep.or(reject),
            reject_mask: if OPTIONS && keep.is_none() { !0 } else { 0 },
            reject: reject.filter(|_| keep.is_some()),
            carry: Carry::NONE,
        }
    }

    /// Returns the lanes of `%`.
    #[inline(always)]
    fn percent_mask(&self, block: I::Block) -> u64 {
        self.isa.eq_mask(block, b'%')
    }

    /// Returns `block`, with a space for each `+` if the decoder reads `+` as a space.
    #[inline(always)]
    fn spaced(&self, block: I::Block) -> I::Block {
        if self.pluses { self.isa.replace(block, block, b'+', b' ') } else { block }
    }

    /// Returns the three registers of a window. If pluses are spaces, `block` has a space for each `+`. The other two
    /// registers are only searched for digits, so they keep each `+`.
    #[inline(always)]
    fn spaced_window(&self, [block, next, after]: [I::Block; 3]) -> [I::Block; 3] {
        [self.spaced(block), next, after]
    }

    /// Returns the lanes that belong to a triplet that began in the block before.
    #[inline(always)]
    fn carried(&self) -> u64 {
        self.carry.digit_lanes | self.carry.kept
    }

    /// Classifies a block. `next` was loaded one byte after `block`, and `after` two bytes after `block`. Triplets of
    /// the bytes in `except` are not decoded.
    #[inline(always)]
    fn classify(&self, [block, next, after]: [I::Block; 3], except: Option<&NibbleTable>) -> Classified<I::Block> {
        let (valid, starts, decoded) = match except {
            Some(table) if OPTIONS => self.isa.triplets_except(block, next, after, table),
            _ => {
                let (starts, decoded) = self.isa.triplets(block, next, after);
                (starts, starts, decoded)
            }
        };
        let (stay, malformed) = (valid & !starts, self.percent_mask(block) & !valid);
        Classified { block: decoded, starts, stay, digit_lanes: 0, changes: starts, malformed, rejected: 0 }
    }

    /// Adds the digits of decoded triplets to `digit_lanes`, including the digits in the carry, and sets the next
    /// carry.
    #[inline(always)]
    fn drop_digits(&mut self, found: &mut Classified<I::Block>) {
        let [digits, next_digits] = digits_of(found.starts);
        found.digit_lanes = digits | self.carry.digit_lanes;
        self.carry.digit_lanes = next_digits;
    }

    /// Makes the digits of kept triplets upper-case, including the digits in the carry.
    #[inline(always)]
    fn upper_digits(&mut self, found: &mut Classified<I::Block>) {
        let [digits, next_digits] = digits_of(found.stay);
        let digits = digits | self.carry.kept;
        self.carry.kept = next_digits;
        // A hexadecimal digit is lower-case if and only if it is `a` or above.
        let lower = digits & self.isa.at_least_mask(found.block, b'a');
        // Most texts write hexadecimal digits in one case only, so this branch is predicted.
        if I::UNROLL4 || lower != 0 {
            found.block = self.isa.select(lower, self.isa.xor(found.block, 0x20), found.block);
            found.changes |= lower;
        }
    }

    /// Decodes the block at offset `at` of `src`. `blocks` are the registers loaded at `at`, `at + 1` and `at + 2`. If
    /// `LATENT` is false and the block has a part of a kept latent triplet, the result is wrong.
    #[inline(always)]
    fn block<const LATENT: bool>(&mut self, blocks: [I::Block; 3], src: &[u8], at: usize) -> Classified<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let blocks = self.spaced_window(blocks);
        let mut found = self.classify(blocks, self.except);
        if OPTIONS {
            found.rejected = match self.reject {
                None => found.stay & self.reject_mask,
                Some(table) => isa.contains_mask(found.block, table) & found.starts,
            };
            if LATENT && profile.keeps_latent() {
                // A malformed `%` begins a latent triplet only if a triplet starts one or two lanes later. For the last
                // two lanes, this triplet may start in the next block, so they are always checked.
                let latent = found.malformed & (found.starts >> 1 | found.starts >> 2 | 0b11 << 62);
                if latent != 0 || self.carry.latent.1 > at {
                    let (lanes, last) = latent_lanes(profile, self.carry.latent, src, at, latent);
                    self.carry.latent = last;
                    found.starts &= !lanes;
                    found.changes = found.starts;
                    // In `blocks[0]`, a space may have replaced each `+`. The lanes of latent triplets have no `+`, so
                    // in these lanes `blocks[0]` still has the input bytes.
                    found.block = isa.select(lanes, blocks[0], found.block);
                }
            }
            if profile.upper {
                self.upper_digits(&mut found);
            }
        }
        self.drop_digits(&mut found);
        found
    }

    /// Decodes the block at offset `i` of `src` to offset `o` of `dst`, and advances both offsets. Writes only the
    /// output. Returns the lanes of malformed `%`, or `None` if `dst` is too short.
    #[inline(always)]
    fn decode_exact(&mut self, src: &[u8], i: &mut usize, dst: &mut [Cell], o: &mut usize) -> Option<u64> {
        let found = self.block::<false>(load_any(self.isa, src, *i), src, *i);
        let n = (src.len() - *i).min(BLOCK);
        let keep = below(n) & !found.digit_lanes;
        let written = keep.count_ones() as usize;
        self.isa.compact_exact(found.block, keep, written, dst.get_mut(*o..)?)?;
        (*i, *o) = (*i + n, *o + written);
        Some(found.malformed)
    }

    /// Decodes the block at offset `i` of `src` up to the end of its first triplet, and advances both offsets. Writes a
    /// whole block at offset `o` of `dst`. `i` is at least the length of a block.
    ///
    /// Returns false and advances nothing if there are options, or if the first `%` is malformed. Does the same if the
    /// block has no whole triplet, or if `src` or `dst` is too short for a block.
    #[inline(always)]
    fn decode_one(&self, src: &[u8], i: &mut usize, dst: &mut [Cell], o: &mut usize, visit: &mut impl Visitor) -> bool {
        let (Some(block), Some(room)) = (chunk(src, *i), room::<BLOCK>(dst, *o)) else { return false };
        let block = self.isa.load(block);
        let lane = self.percent_mask(block).trailing_zeros() as usize;
        match triplet(src, *i + lane) {
            Some(byte) if !OPTIONS && lane <= BLOCK - 3 => {
                self.isa.store(self.spaced(block), room);
                room[lane] = cell(byte);
                (*i, *o) = (*i + lane + 3, *o + lane + 1);
                // The visitor gets the block that ends with the triplet.
                let hit = 1_u64 << (BLOCK - 3);
                visit.block(*i - BLOCK, hit, hit);
                true
            }
            _ => false,
        }
    }

    /// Returns the kept triplets of `found` that have a lower-case digit.
    #[inline(always)]
    fn lower_digits(&self, found: &Classified<I::Block>, [_, next, after]: [I::Block; 3]) -> u64 {
        found.stay & (self.isa.at_least_mask(next, b'a') | self.isa.at_least_mask(after, b'a'))
    }

    /// Finds the lanes to drop in four blocks, which [`classify`](Self::classify) has already classified. If `upper` is
    /// true, also makes the digits of kept triplets upper-case. In that case, every `%` of the blocks must start a
    /// triplet.
    #[inline(always)]
    fn complete_fours(
        &mut self,
        windows: [[I::Block; 3]; 4],
        mut founds: [Classified<I::Block>; 4],
        upper: bool,
    ) -> [Classified<I::Block>; 4] {
        // These aren't loops, because opt-level "z" would not unroll loops.
        let [a, b, c, d] = &mut founds;
        self.drop_digits(a);
        self.drop_digits(b);
        self.drop_digits(c);
        self.drop_digits(d);
        if OPTIONS && upper {
            let lower = self.lower_digits(a, windows[0])
                | self.lower_digits(b, windows[1])
                | self.lower_digits(c, windows[2])
                | self.lower_digits(d, windows[3])
                | self.carry.kept;
            // Most texts write hexadecimal digits in one case only, so this branch is predicted.
            if lower == 0 {
                [_, self.carry.kept] = digits_of(d.stay);
            } else {
                self.upper_digits(a);
                self.upper_digits(b);
                self.upper_digits(c);
                self.upper_digits(d);
            }
        }
        founds
    }

    /// Returns true if the block `found` ends the loops, because it has a rejected triplet, or a malformed `%` in a
    /// lane of `malformed_mask`. The code after the loops then handles the block.
    #[inline(always)]
    fn leaves_loop(found: &Classified<I::Block>, malformed_mask: u64) -> bool {
        found.malformed & malformed_mask | found.rejected != 0
    }

    /// Returns the lanes in which the loops look for a malformed `%` after the first one was found. If latent triplets
    /// are kept, these are all lanes, because any malformed `%` may begin a latent triplet. Otherwise, the result is 0.
    #[inline(always)]
    fn later_malformed_mask(&self) -> u64 {
        if OPTIONS && self.profile.keeps_latent() { !0 } else { 0 }
    }

    /// Returns whether a latent triplet that began earlier ends after offset `at`. The loops can't decode a block that
    /// begins inside a latent triplet.
    #[inline(always)]
    fn latent_reaches(&self, at: usize) -> bool {
        OPTIONS && self.carry.latent.1 > at
    }

    /// Returns the lanes of `found` that stop the decoding.
    #[inline(always)]
    fn stop_mask(&self, found: &Classified<I::Block>) -> u64 {
        let strict = if self.profile.strict { found.malformed } else { 0 };
        strict | if OPTIONS { found.rejected } else { 0 }
    }
}

/// Returns the lanes of latent triplets in the block at offset `at`, and the start and the end of the last latent
/// triplet.
///
/// `begun` has the lane of each malformed `%` that may begin a latent triplet. `last` is the start and the end of the
/// last latent triplet so far. `last` is passed by value, because a reference would keep the whole carry in memory
/// instead of registers.
#[cold]
#[inline(never)]
fn latent_lanes(
    profile: &DecodeProfile,
    mut last: (usize, usize),
    src: &[u8],
    at: usize,
    mut begun: u64,
) -> (u64, (usize, usize)) {
    let mut lanes = below(last.1.saturating_sub(at));
    while begun != 0 {
        let lane = begun.trailing_zeros() as usize;
        begun &= begun - 1;
        let len = profile.latent_len(src, at + lane).unwrap_or_default();
        if len != 0 {
            lanes |= below(lane + len) & !below(lane);
            last = (at + lane, at + lane + len);
        }
    }
    (lanes, last)
}

/// Decodes `src` into `dst`, until `src` ends, `dst` is full, or an error stops the kernel. Passes the masks of every
/// decoded block to `visit`. If `pluses` is true, each `+` is a space. If `malformed` is `None`, sets `malformed` to
/// the offset of the first malformed `%`.
#[inline(always)]
pub(crate) fn decode<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &DecodeProfile,
    pluses: bool,
    src: &[u8],
    dst: &mut [Cell],
    malformed: &mut Option<usize>,
    visit: &mut impl Visitor,
) -> Progress {
    let mut unescape = Unescape::<I, OPTIONS>::new(isa, profile, pluses);
    let (mut i, mut o) = (0, 0);
    // The loops look for a malformed `%` in the lanes of this mask. Lenient decoding reports only the first malformed
    // `%`, so the mask then becomes 0. But if latent triplets are kept, the mask stays, because each malformed `%` may
    // begin one.
    let mut malformed_mask = !0;
    loop {
        if I::UNROLL4 && !unescape.latent_reaches(i) {
            // There is a loop for each of four cases: no set, a kept set, a kept set with upper-case digits, and a
            // rejected set. A branch in every block would take more time than the work for the option. The set must
            // have only ASCII. With all other options, blocks are decoded one by one.
            (i, o) = match unescape.except {
                Some(table) if OPTIONS && table.is_ascii() && unescape.reject.is_none() => {
                    // The zeros in this table show the compiler that the set has only ASCII.
                    let table = Some(&NibbleTable { half: [table.half[0], [0; 16]] });
                    let rest = (src, i, &mut *dst, o, malformed_mask, &mut *visit);
                    match (&profile.keep, profile.upper) {
                        (None, _) => decode_fours(&mut unescape, table, Exception::Rejected, rest),
                        (Some(_), true) => decode_fours(&mut unescape, table, Exception::Upper, rest),
                        (Some(_), false) => decode_fours(&mut unescape, table, Exception::Kept, rest),
                    }
                }
                Some(_) if OPTIONS => (i, o),
                _ => decode_fours(
                    &mut unescape,
                    None,
                    Exception::Kept,
                    (src, i, &mut *dst, o, malformed_mask, &mut *visit),
                ),
            };
        }
        let latent_reaches = unescape.latent_reaches(i);
        while !latent_reaches && let (Some(window), Some(room)) = (chunk::<WINDOW>(src, i), room::<COMPACTED>(dst, o)) {
            let block = load(isa, window, 0);
            if !isa.has(block, b'%') && unescape.carried() == 0 {
                if let Some(room) = room.first_chunk_mut() {
                    isa.store(unescape.spaced(block), room);
                }
                visit.block(i, 0, 0);
                let mut start = i;
                i += BLOCK;
                o += BLOCK;
                if I::UNROLL4 {
                    continue;
                }
                loop {
                    // This loop only loads, tests and stores. It ends at the first block with a `%`.
                    let (blocks, _) = src[i..].as_chunks::<BLOCK>();
                    let (rooms, _) = dst[o..].as_chunks_mut::<BLOCK>();
                    for (block, room) in blocks.iter().zip(rooms) {
                        let block = isa.load(block);
                        if isa.has(block, b'%') {
                            break;
                        }
                        isa.store(unescape.spaced(block), room);
                        visit.block(i, 0, 0);
                        i += BLOCK;
                        o += BLOCK;
                    }
                    // After a clean block, the text is probably sparse: the blocks after the triplet are clean, too.
                    if i == start || !unescape.decode_one(src, &mut i, dst, &mut o, visit) {
                        break;
                    }
                    start = i;
                }
            } else {
                let before = unescape.carry;
                // The three blocks of the window are loaded only here. If registers have 16 bytes, there are too few
                // registers to hold three blocks during the loop above.
                let found = unescape.block::<false>(load_window(isa, window, 0), src, i);
                if Unescape::<I, OPTIONS>::leaves_loop(&found, malformed_mask) {
                    unescape.carry = before;
                    break;
                }
                isa.compact(found.block, !found.digit_lanes, room);
                visit.block(i, found.starts, found.changes);
                o += found.digit_lanes.count_zeros() as usize;
                i += BLOCK;
            }
        }
        // This is the last block, or a block that possibly stops the decoding, or a block for which the output is
        // possibly too short.
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Progress { read: i, written: o };
        }
        let block = load(isa, src, i);
        let is_clean = !isa.has(block, b'%') && unescape.carried() == 0 && !latent_reaches;
        if is_clean && let Some(room) = room::<BLOCK>(dst, o) {
            isa.store(unescape.spaced(block), room);
            visit.block(i, 0, 0);
            (i, o) = (i + n, o + n);
            continue;
        }
        let before = unescape.carry;
        let found = match is_clean {
            true => Classified::unchanged(unescape.spaced(block)),
            false => unescape.block::<true>(load_any(isa, src, i), src, i),
        };
        let stop = unescape.stop_mask(&found);
        let stop_at = stop & stop.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let keep = lanes & !found.digit_lanes;
        let written = keep.count_ones() as usize;
        let stored = match room(dst, o) {
            Some(room) => {
                isa.compact(found.block, keep, room);
                Some(())
            }
            None => dst.get_mut(o..).and_then(|dst| isa.compact_exact(found.block, keep, written, dst)),
        };
        if stored.is_none() {
            if !OPTIONS && !pluses {
                let at = i + before.digit_lanes.count_ones() as usize;
                return scalar::decode_plain_from(profile.strict, (src, at), (dst, o), malformed);
            }
            let plus = if pluses { PlusStart::ALL } else { PlusStart::NONE };
            return finish_bytewise(profile, plus, (src, i), (dst, o), before, malformed);
        }
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            *malformed = Some(i + bad.trailing_zeros() as usize);
            malformed_mask = unescape.later_malformed_mask();
        }
        o += written;
        visit.block(i, found.starts & lanes, found.changes & lanes);
        if stop != 0 {
            return Progress { read: i + stop_at.trailing_zeros() as usize, written: o };
        }
        i += n;
    }
}

/// Decodes four blocks at a time from offset `i` of `src` to offset `o` of `dst`. Returns the offsets in `src` and
/// `dst` after the last block.
///
/// Stops at the end of `src` or `dst`. Also stops before a group of four blocks if one of its blocks has a malformed
/// `%` or a rejected triplet. Each caller passes a constant as `exception`, so the compiler removes the code for its
/// other values.
#[inline(always)]
fn decode_fours<I: Isa, const OPTIONS: bool>(
    unescape: &mut Unescape<'_, I, OPTIONS>,
    except: Option<&NibbleTable>,
    exception: Exception,
    (src, mut i, dst, mut o, malformed_mask, visit): (&[u8], usize, &mut [Cell], usize, u64, &mut impl Visitor),
) -> (usize, usize) {
    let malformed_mask = if exception == Exception::Kept { malformed_mask } else { !0 };
    while let (Some(four), Some(room)) = (chunk::<{ 3 * BLOCK + WINDOW }>(src, i), room::<FOUR_DECODED>(dst, o)) {
        let group = Group::<I, true>::new(unescape, four);
        let Some(written) = decode_four(unescape, group, (except, exception), malformed_mask, room, (i, FOUR), visit)
        else {
            return (i, o);
        };
        i += FOUR;
        o += written;
    }
    let n = (src.len() - i).min(FOUR);
    if except.is_none()
        && n > BLOCK
        && let Some(room) = room(dst, o)
    {
        let group = Group::<I, false>::new(unescape, &src[i..]);
        if let Some(written) = decode_four(unescape, group, (except, exception), malformed_mask, room, (i, n), visit) {
            i += n;
            o += written;
        }
    }
    (i, o)
}

/// Four blocks. If pluses are spaces, `blocks` has a space for each `+`. If `FULL` is true, `src` has at least the four
/// blocks and the two bytes after them. Otherwise `src` is all of the remaining input, and zeros follow it.
struct Group<'s, I: Isa, const FULL: bool> {
    isa: I,
    src: &'s [u8],
    blocks: [I::Block; 4],
}

impl<'s, I: Isa, const FULL: bool> Group<'s, I, FULL> {
    #[inline(always)]
    fn new<const OPTIONS: bool>(unescape: &Unescape<'_, I, OPTIONS>, src: &'s [u8]) -> Self {
        let isa = unescape.isa;
        let block = |k: usize| unescape.spaced(load(isa, src, k * BLOCK));
        Group { isa, src, blocks: [block(0), block(1), block(2), block(3)] }
    }

    /// Returns block `k`, and the blocks that begin one and two bytes later. [`new`](Self::new) doesn't load these two
    /// blocks, because most groups have no `%`. The two blocks are only searched for digits, so they keep each `+` even
    /// if pluses are spaces.
    #[inline(always)]
    fn window(&self, k: usize) -> [I::Block; 3] {
        let (isa, block, at) = (self.isa, self.blocks[k], k * BLOCK);
        if FULL {
            return [block, load(isa, self.src, at + 1), load(isa, self.src, at + 2)];
        }
        let [_, next, after] = load_any(isa, self.src, at);
        [block, next, after]
    }
}

/// The length of four blocks.
const FOUR: usize = 4 * BLOCK;
/// The space that [`decode_four`] needs.
const FOUR_DECODED: usize = 3 * BLOCK + COMPACTED;

/// Decodes four blocks. Their first `n` bytes are the input at offset `i`, and all other bytes are zeros. Returns the
/// length of the output. Returns `None` without writing if a block has a rejected triplet, or a malformed `%` in a lane
/// of `malformed_mask`.
#[inline(always)]
fn decode_four<I: Isa, const OPTIONS: bool, const FULL: bool>(
    unescape: &mut Unescape<'_, I, OPTIONS>,
    group: Group<'_, I, FULL>,
    (except, exception): (Option<&NibbleTable>, Exception),
    malformed_mask: u64,
    room: &mut Out<FOUR_DECODED>,
    (i, n): (usize, usize),
    visit: &mut impl Visitor,
) -> Option<usize> {
    let isa = unescape.isa;
    let mut at = 0;
    if isa.any_mask(group.blocks, [0; 4], b'%') | unescape.carried() == 0 {
        for block in group.blocks {
            if let Some(room) = self::room(room, at) {
                isa.store(block, room);
            }
            if at < n {
                visit.block(i + at, 0, 0);
            }
            at += BLOCK;
        }
        return Some(n);
    }
    let windows = [group.window(0), group.window(1), group.window(2), group.window(3)];
    let [a, b, c, d] = windows;
    let founds = [
        unescape.classify(a, except),
        unescape.classify(b, except),
        unescape.classify(c, except),
        unescape.classify(d, except),
    ];
    // One branch decides for all four blocks whether they can be decoded together.
    let [a, b, c, d] = &founds;
    let leaves = if except.is_none() {
        isa.any_mask(group.blocks, [a.starts, b.starts, c.starts, d.starts], b'%')
    } else {
        let stay = if exception == Exception::Rejected { a.stay | b.stay | c.stay | d.stay } else { 0 };
        a.malformed | b.malformed | c.malformed | d.malformed | stay
    };
    if leaves & malformed_mask != 0 {
        return None;
    }
    let founds = unescape.complete_fours(windows, founds, exception == Exception::Upper);
    for (k, found) in founds.into_iter().enumerate() {
        if let Some(room) = self::room(room, at) {
            isa.compact(found.block, !found.digit_lanes, room);
        }
        at += found.digit_lanes.count_zeros() as usize;
        if k * BLOCK < n {
            visit.block(i + k * BLOCK, found.starts, found.changes);
        }
    }
    Some(at - (FOUR - n))
}

/// Decodes every triplet of a `src` of three or four blocks. If `pluses` is true, also decodes every `+` to a space.
/// Returns `None` for other lengths, if `dst` has less space than [`FOUR_DECODED`], and if a `%` is malformed.
#[inline(always)]
pub(crate) fn decode_four_short<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> Option<Short> {
    let n = src.len();
    // `decode_four` branches on the data. In one or two blocks, a mispredicted branch costs more than all the work.
    if n <= 2 * BLOCK || n > FOUR {
        return None;
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let group = Group::<I, false>::new(&unescape, src);
    let [a, b, c, d] = group.blocks;
    let high = isa.high_mask(a) | isa.high_mask(b) | isa.high_mask(c) | isa.high_mask(d);
    let written = decode_four(&mut unescape, group, (None, Exception::Kept), !0, room(dst, 0)?, (0, n), &mut ())?;
    // A triplet possibly decodes to a byte above ASCII. So if there is any triplet, the result has the flag `high`.
    Some(Short::new(written, false, high != 0 || written != n))
}

/// Decodes every triplet of a short `src`. From the offset in `plus` on, also decodes every `+` to a space. `dst` must
/// have space for the output and for [`COMPACTED`] more bytes.
///
/// Use it only for short inputs. On these, [`decode`] would spend more time on preparing for any length, any output
/// size and any options than on the decoding.
#[inline(always)]
pub(crate) fn decode_short<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], plus: PlusStart) -> Short {
    if I::UNROLL4
        && let Some(pluses) = plus.always()
        && let Some(result) = decode_four_short(isa, src, dst, pluses)
    {
        return result;
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false);
    let (mut o, mut malformed, mut high) = (0, 0, 0);
    for at in (0..src.len()).step_by(BLOCK) {
        let blocks @ [block, ..] = load_any(isa, src, at);
        let found = unescape.block::<false>(blocks, src, at);
        let keep = below(src.len() - at) & !found.digit_lanes;
        let mut decoded = found.block;
        if plus == PlusStart::ALL {
            decoded = isa.replace(decoded, block, b'+', b' ');
        } else if plus != PlusStart::NONE {
            let pluses = isa.eq_mask(block, b'+') & !below(plus.from.saturating_sub(at));
            decoded = isa.select(pluses, isa.splat(b' '), decoded);
        }
        let Some(room) = room(dst, o) else { return Short::NONE };
        isa.compact(decoded, keep, room);
        o += keep.count_ones() as usize;
        malformed |= found.malformed;
        high |= isa.high_mask(decoded);
    }
    Short::new(o, malformed != 0, high != 0)
}

/// Engines with masked stores decode inputs up to this length without a buffer. A strict decoder decodes the whole input
/// before it learns of a malformed `%`, so this length must not be large.
pub(crate) const EXACT_MASKED: usize = 128 * BLOCK;

/// Decodes every triplet of a `src` of more than one and at most two blocks. If `pluses` is true, also decodes every `+`
/// to a space. The `Isa` must have [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn decode_two<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
    if copy_clean(isa, src, dst, pluses) {
        return Short::written(src.len());
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let (mut i, mut o, mut malformed) = (0, 0, 0);
    while i < src.len() {
        let Some(found) = unescape.decode_exact(src, &mut i, dst, &mut o) else { return Short::NONE };
        malformed |= found;
    }
    Short::new(o, malformed != 0, true)
}

/// Decodes like [`decode_two`], but takes more than two blocks, and at most [`EXACT_MASKED`] bytes.
///
/// This function knows the options and handles no errors. So outside of its loop, it takes half of the time of
/// [`decode`].
#[inline(always)]
pub(crate) fn decode_many<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let (mut i, mut o, mut malformed_mask) = (0, 0, !0);
    loop {
        let unread = (src, i, &mut *dst, o, malformed_mask, &mut ());
        (i, o) = decode_fours(&mut unescape, None, Exception::Kept, unread);
        let (Some(rest), Some(room)) = (src.get(i..), dst.get_mut(o..)) else { return Short::NONE };
        // If `dst` is just as long as the output, `decode_fours`, which needs more space, stops before the last blocks.
        // If these blocks have no `%`, a copy is faster than the loop below.
        if rest.len() < FOUR_DECODED && unescape.carried() == 0 && copy_clean(isa, rest, room, pluses) {
            return Short::new(o + rest.len(), malformed_mask == 0, true);
        }
        loop {
            if i == src.len() {
                return Short::new(o, malformed_mask == 0, true);
            }
            let Some(malformed) = unescape.decode_exact(src, &mut i, dst, &mut o) else { return Short::NONE };
            if malformed & malformed_mask != 0 {
                malformed_mask = 0;
                break;
            }
        }
    }
}

/// Decodes a `src` of at most a block. This function needs [`MASKED_STORES`](Isa::MASKED_STORES). Returns the block,
/// the mask of the bytes to store, and the result that the caller returns after storing them. This function has no
/// loop, so it needs few registers.
#[inline(always)]
fn decoded_block<I: Isa>(isa: I, src: &[u8], pluses: bool) -> (I::Block, u64, Short) {
    let mut block = isa.load_part(src);
    if pluses {
        block = isa.replace(block, block, b'+', b' ');
    }
    let [next, after] = isa.lookahead(block);
    let found =
        Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false).block::<false>([block, next, after], src, 0);
    // No triplet reaches beyond the input, so all dropped lanes are within `src`.
    let written = src.len().saturating_sub(found.digit_lanes.count_ones() as usize);
    (found.block, !found.digit_lanes, Short::new(written, found.malformed != 0, true))
}

/// Engines without masked stores decode inputs up to this length without a buffer, 16 bytes at a time.
pub(crate) const EXACT: usize = 24;

/// Decodes a `src` of few bytes, 16 at a time. Fails if the instruction set has no registers of 16 bytes.
#[inline(always)]
pub(crate) fn decode_tiny<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (mut rest, mut o, mut malformed) = (src, 0, false);
    while !rest.is_empty() {
        // A part must not end inside a triplet.
        let (part, after) = match rest.get(..scalar::TINY) {
            Some(part) => rest.split_at(complete_triplets_len(part)),
            None => (rest, &[][..]),
        };
        rest = after;
        let mut text = load_small(part);
        if pluses {
            text = text.map(spaced);
        }
        let Some((text, dropped, has_malformed)) = isa.decode_small(text) else { return Short::NONE };
        malformed |= has_malformed;
        let written = part.len().saturating_sub(dropped);
        let Some(dst) = dst.get_mut(o..) else { return Short::NONE };
        match (dst.first_chunk_mut::<{ scalar::TINY }>(), written) {
            // This makes two stores of one word each. A caller soon reads the output in words, and each load then gets
            // its word from a single store, which is fast.
            (Some(room), _) => store_small(text, room, cell),
            (None, written) => match dst.get_mut(..written) {
                Some(room) => store_small(text, room, cell),
                None => return Short::NONE,
            },
        }
        o += written;
    }
    Short::new(o, malformed, true)
}

/// Decodes like [`decode_tiny`], in place. If `refused` is true and a `%` is malformed, the buffer stays unchanged.
#[inline(always)]
pub(crate) fn decode_tiny_in_place<I: Isa>(isa: I, buffer: &mut [u8], refused: bool) -> Short {
    if buffer.len() > scalar::TINY {
        return Short::NONE;
    }
    let Some((text, dropped, malformed)) = isa.decode_small(load_small(buffer)) else { return Short::NONE };
    let result = Short::new(buffer.len().saturating_sub(dropped), malformed, true).unless(refused);
    if result != Short::NONE {
        store_small(text, buffer, |byte| byte);
    }
    result
}

/// Decodes every triplet of `src`, which has at most 64 bytes. The `Isa` must have
/// [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn decode_block<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (block, keep, result) = decoded_block(isa, src, pluses);
    match result.len().and_then(|written| isa.compact_exact(block, keep, written, dst)) {
        Some(()) => result,
        None => Short::NONE,
    }
}

/// Copies `src`, which has more than 64 bytes, to `dst`. If `pluses` is true, writes a space for each `+`. Returns
/// whether `src` has no `%`. If `src` has a `%`, the contents of `dst` are unspecified.
#[inline(always)]
pub(crate) fn copy_clean<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> bool {
    let unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let (blocks, _) = src.as_chunks::<BLOCK>();
    let (Some(last), Some(dst)) = (src.last_chunk(), dst.get_mut(..src.len())) else { return false };
    let last = isa.load(last);
    if blocks.iter().fold(isa.eq_mask(last, b'%'), |found, block| found | isa.eq_mask(isa.load(block), b'%')) != 0 {
        return false;
    }
    // The last block overlaps the one before it.
    if let Some(room) = dst.last_chunk_mut() {
        isa.store(unescape.spaced(last), room);
    }
    for (block, room) in blocks.iter().zip(dst.as_chunks_mut::<BLOCK>().0) {
        isa.store(unescape.spaced(isa.load(block)), room);
    }
    true
}

/// Decodes a short `buffer` in place. This function needs [`MASKED_STORES`](Isa::MASKED_STORES), because all other
/// stores would write over unread bytes. If `refused` is true and a `%` is malformed, the buffer stays unchanged.
#[inline(always)]
pub(crate) fn decode_short_in_place<I: Isa>(isa: I, buffer: &mut [u8], refused: bool) -> Short {
    if buffer.len() <= BLOCK {
        let (block, keep, result) = decoded_block(isa, buffer, false);
        let result = result.unless(refused);
        return match result.len().and_then(|written| isa.compact_in_place(block, keep, written, buffer)) {
            Some(()) => result,
            None => Short::NONE,
        };
    }
    let (blocks, rest) = buffer.as_chunks::<BLOCK>();
    let in_rest = isa.eq_mask(load(isa, rest, 0), b'%');
    if blocks.iter().fold(in_rest, |found, block| found | isa.eq_mask(isa.load(block), b'%')) == 0 {
        return Short::written(buffer.len());
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false);
    let mut malformed = 0;
    if refused {
        for at in (0..buffer.len()).step_by(BLOCK) {
            malformed |= unescape.block::<false>(load_any(isa, buffer, at), buffer, at).malformed;
        }
        if malformed != 0 {
            return Short::NONE;
        }
        unescape.carry = Carry::NONE;
    }
    let mut o = 0;
    for at in (0..buffer.len()).step_by(BLOCK) {
        let found = unescape.block::<false>(load_any(isa, buffer, at), buffer, at);
        malformed |= found.malformed;
        let keep = below(buffer.len() - at) & !found.digit_lanes;
        let written = keep.count_ones() as usize;
        // The output always fits, because it is never longer than the input that was already read.
        if let Some(room) = buffer.get_mut(o..) {
            let _ = isa.compact_in_place(found.block, keep, written, room);
        }
        o += written;
    }
    Short::new(o, malformed != 0, true)
}

/// Continues byte by byte if the output of a block does not fit.
///
/// First handles a triplet that began in the block before. If it was decoded, its remaining digits are skipped. If it
/// is a kept or latent triplet, the scalar kernel starts at its `%`.
#[cold]
fn finish_bytewise(
    profile: &DecodeProfile,
    plus: PlusStart,
    (src, i): (&[u8], usize),
    (dst, o): (&mut [Cell], usize),
    carry: Carry,
    malformed: &mut Option<usize>,
) -> Progress {
    let skip = carry.digit_lanes.count_ones() as usize;
    let back = match (carry.latent, carry.kept) {
        ((start, end), _) if end > i => i - start,
        (_, 0) => 0,
        (_, 1) => 2,
        _ => 1,
    };
    scalar::decode_from(profile, plus, (src, i + skip - back), (dst, o - back), malformed)
}

/// Returns whether `src` has a `%`.
///
/// A search that stops at the first `%` would stop after a number of blocks that no CPU can predict. So the only branches
/// on bytes of `src` are those after each group of blocks.
#[inline(always)]
pub(crate) fn has_percent<I: Isa>(isa: I, src: &[u8]) -> bool {
    const GROUP: usize = 32;
    let (blocks, rest) = src.as_chunks::<BLOCK>();
    let mut marks = isa.mark(isa.splat(0), load(isa, rest, 0), b'%');
    for group in blocks.chunks(GROUP) {
        marks = group.iter().fold(marks, |marks, block| isa.mark(marks, isa.load(block), b'%'));
        if isa.high_mask(marks) != 0 {
            return true;
        }
    }
    isa.high_mask(marks) != 0
}

/// Finds the bytes that decoding would change, up to the first error. Passes their masks to `visit`, block by block.
#[inline(always)]
pub(crate) fn scan<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &DecodeProfile,
    plus: PlusStart,
    src: &[u8],
    visit: &mut impl Visitor,
) -> Scan {
    let mut malformed = None;
    let mut unescape = Unescape::<I, OPTIONS>::new(isa, profile, false);
    let plus_lanes = |block: I::Block, at: usize| {
        let some = OPTIONS && plus != PlusStart::NONE;
        if some { isa.eq_mask(block, b'+') & !below(plus.from.saturating_sub(at)) } else { 0 }
    };
    // The loop looks for a malformed `%` in the lanes of this mask, as in `decode`.
    let mut malformed_mask = !0;
    let mut i = 0;
    loop {
        let latent_reaches = unescape.latent_reaches(i);
        while !latent_reaches && let Some(window) = chunk::<WINDOW>(src, i) {
            let blocks @ [block, ..] = load_window(isa, window, 0);
            let (mut hits, mut changes) = (0, plus_lanes(block, i));
            // Only a block with a `%` or a carry must be classified. But with `UNROLL4` and without options, every
            // block is classified, because the test for a `%` would take longer than classifying.
            if I::UNROLL4 && !OPTIONS || unescape.percent_mask(block) | unescape.carried() != 0 {
                let before = unescape.carry;
                let found = unescape.block::<false>(blocks, src, i);
                if Unescape::<I, OPTIONS>::leaves_loop(&found, malformed_mask) {
                    unescape.carry = before;
                    break;
                }
                (hits, changes) = (found.starts, changes | found.changes);
            }
            if !visit.block(i, hits, changes) {
                return Scan { stopped_at: i, malformed };
            }
            i += BLOCK;
        }
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Scan { stopped_at: src.len(), malformed };
        }
        let blocks @ [block, ..] = load_any(isa, src, i);
        let found = unescape.block::<true>(blocks, src, i);
        let changes = found.changes | plus_lanes(block, i);
        let stop = unescape.stop_mask(&found);
        let stop_at = stop & stop.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            malformed = Some(i + bad.trailing_zeros() as usize);
            malformed_mask = unescape.later_malformed_mask();
        }
        if !visit.block(i, found.starts & lanes, changes & lanes) {
            return Scan { stopped_at: i, malformed };
        }
        if stop != 0 {
            return Scan { stopped_at: i + stop_at.trailing_zeros() as usize, malformed };
        }
        i += n;
    }
}
