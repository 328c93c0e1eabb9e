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
//!
//! # Files
//!
//! This file has the loops over an input of any length. `block.rs` has the masks and the state of one block, `fours.rs`
//! has groups of four blocks, and `short.rs` has short inputs.

mod block;
mod fours;
mod short;

use super::{DecodeProfile, PlusStart, Progress, Scan, Visitor, WINDOW, below, load, load_any, load_window, scalar};
use crate::isa::{BLOCK, COMPACTED, Isa};
use crate::output::Cell;
use crate::set::NibbleTable;
use crate::words::{chunk, room};
use block::{Carry, Classified, Exception, Unescape};
use fours::decode_fours;

pub(crate) use fours::decode_four_short;
pub(crate) use short::{
    EXACT, EXACT_MASKED, decode_block, decode_many, decode_short, decode_short_in_place, decode_tiny,
    decode_tiny_in_place, decode_two,
};

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
        if some { isa.eq_mask(block, b'+') & plus.lanes(at) } else { 0 }
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
