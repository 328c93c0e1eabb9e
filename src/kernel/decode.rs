//! Decoding.
//!
//! ```text
//! for each block of 64 octets:
//!     if it holds no % (full: and no + to replace), and nothing is carried in: store the block
//!     starts = lanes of % with hexadecimal digits in the next two         (lenient: all others are data)
//!     put the octet that it stands for in the place of each start         (full: less those kept)
//!     drop the two lanes after each start, some of them in the next block: carry
//!     compact the block to the lanes that are left
//! ```
//!
//! 1. The two octets after a block are read with two more loads. They depend on nothing, so what one block hands to
//!    the next is the carry and the output offset: a few cycles.
//! 2. `FULL` is false where every triplet is decoded and nothing else happens. Everything else goes the other way, in
//!    which the options are branches that never change.
//! 3. At trouble (a malformed `%` in strict decoding, a rejected octet) the lanes before it are written, and that is how
//!    far the decoding has come: the caller sees what stands there, and words the error.

use core::mem::MaybeUninit;

use super::{DecodeProfile, Pluses, Progress, Scanned, Visit, below, carried, chunk, copy_spill, load, room, scalar};
use crate::isa::{BLOCK, COMPACTED, Isa, Room};
use crate::set::ByteSet;

/// What a block becomes.
struct Found<B> {
    /// The octets, with what triplets stand for in the place of their `%`.
    block: B,
    /// Triplets to be decoded, by their `%`.
    starts: u64,
    /// Lanes that belong to a triplet decoded, but for its `%`.
    dropped: u64,
    /// Lanes that do not stay as they are.
    changes: u64,
    /// `%` that start no triplet.
    malformed: u64,
    /// Triplets of rejected octets.
    rejected: u64,
}

struct Reduce<'p, I, const FULL: bool> {
    isa: I,
    profile: &'p DecodeProfile,
    plus: Pluses,
    /// Lanes of this block to be dropped, as they belong to a triplet decoded in the one before.
    dropped: u64,
    /// Lanes of this block that are digits of a triplet kept in the one before.
    kept: u64,
}

/// Digits that upper-casing changes.
const LOWER_DIGITS: [u8; 16] = ByteSet::range(b'a', b'f').rows().half[0];

impl<I: Isa, const FULL: bool> Reduce<'_, I, FULL> {
    /// Lanes of the block at `at` for which a `+` is a space.
    #[inline(always)]
    fn plus_lanes(&self, at: usize) -> u64 {
        if FULL { !below(self.plus.from.saturating_sub(at)) } else { 0 }
    }

    /// Lanes at which there is something to do, `block` being the one at `at`.
    #[inline(always)]
    fn busy(&self, block: I::Block, at: usize) -> u64 {
        let mut busy = self.isa.eq(block, b'%');
        if FULL && self.plus != Pluses::NONE {
            busy |= self.isa.eq(block, b'+') & self.plus_lanes(at);
        }
        busy
    }

    /// Whether the block before reaches into this one.
    #[inline(always)]
    fn carried(&self) -> u64 {
        self.dropped | self.kept
    }

    /// What becomes of the block at `at`, given with those one and two octets further on.
    #[inline(always)]
    fn block(&mut self, [block, next, after]: [I::Block; 3], at: usize) -> Found<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let percents = isa.eq(block, b'%');
        let (mut starts, mut decoded) = isa.triplets(block, next, after);
        let malformed = percents & !starts;
        let (mut rejected, mut changed) = (0, 0);
        if FULL {
            if let Some((_, rows)) = &profile.reject {
                rejected = isa.member(decoded, rows) & starts;
            }
            if let Some((_, rows)) = &profile.keep {
                let kept = isa.member(decoded, rows) & starts;
                starts &= !kept;
                rejected &= !kept;
                decoded = isa.select(kept, block, decoded);
                if profile.upper {
                    let digits = kept << 1 | kept << 2 | self.kept;
                    self.kept = carried(kept);
                    changed = digits & isa.member_ascii(block, &LOWER_DIGITS);
                    decoded = isa.select(changed, isa.xor(block, 0x20), decoded);
                }
            }
            if self.plus != Pluses::NONE {
                let plus = isa.eq(block, b'+') & self.plus_lanes(at);
                decoded = isa.select(plus, isa.splat(b' '), decoded);
                changed |= plus;
            }
        }
        let dropped = starts << 1 | starts << 2 | self.dropped;
        self.dropped = carried(starts);
        Found { block: decoded, starts, dropped, changes: starts | changed, malformed, rejected }
    }

    /// Which lanes of `found` end the decoding.
    #[inline(always)]
    fn trouble(&self, found: &Found<I::Block>) -> u64 {
        let strict = if self.profile.strict { found.malformed } else { 0 };
        strict | if FULL { found.rejected } else { 0 }
    }
}

/// Octets that decide a block: its own and the next two.
const WINDOW: usize = BLOCK + 2;

/// The block at `at` of `window`, and those one and two octets further on.
#[inline(always)]
fn load_window<I: Isa, const N: usize>(isa: I, window: &[u8; N], at: usize) -> [I::Block; 3] {
    [load(isa, window, at), load(isa, window, at + 1), load(isa, window, at + 2)]
}

/// The same at any place of `src`. At its end nothing follows, and one load will do.
#[inline(always)]
fn load_any<I: Isa>(isa: I, src: &[u8], at: usize) -> [I::Block; 3] {
    let block = load(isa, src, at);
    if at + BLOCK >= src.len() {
        let [next, after] = isa.following(block);
        [block, next, after]
    } else {
        [block, load(isa, src, at + 1), load(isa, src, at + 2)]
    }
}

/// Decodes `src` into `dst` as far as that has room, or until there is trouble, and tells `visit` of every block that was.
#[inline(always)]
pub(crate) fn decode<I: Isa, const FULL: bool>(
    isa: I,
    profile: &DecodeProfile,
    plus: Pluses,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    malformed: &mut Option<usize>,
    visit: &mut impl Visit,
) -> Progress {
    let mut reduce = Reduce::<I, FULL> { isa, profile, plus, dropped: 0, kept: 0 };
    let (mut i, mut o) = (0, 0);
    // The lanes at which a malformed `%` is looked at: none once it is known where the first is, and that does not stop.
    let mut watch = !0;
    loop {
        if I::SUPER {
            while let (Some(four), Some(room)) =
                (chunk::<{ 3 * BLOCK + WINDOW }>(src, i), room::<{ 3 * BLOCK + COMPACTED }>(dst, o))
            {
                let windows = [
                    load_window(isa, four, 0),
                    load_window(isa, four, BLOCK),
                    load_window(isa, four, 2 * BLOCK),
                    load_window(isa, four, 3 * BLOCK),
                ];
                let busy = reduce.busy(windows[0][0], i)
                    | reduce.busy(windows[1][0], i + BLOCK)
                    | reduce.busy(windows[2][0], i + 2 * BLOCK)
                    | reduce.busy(windows[3][0], i + 3 * BLOCK)
                    | reduce.carried();
                let mut at = 0;
                if busy == 0 {
                    for [block, ..] in windows {
                        if let Some(room) = self::room(room, at) {
                            isa.store(block, room);
                        }
                        visit.block(i + at, 0, 0);
                        at += BLOCK;
                    }
                } else {
                    let before = (reduce.dropped, reduce.kept);
                    let founds = [
                        reduce.block(windows[0], i),
                        reduce.block(windows[1], i + BLOCK),
                        reduce.block(windows[2], i + 2 * BLOCK),
                        reduce.block(windows[3], i + 3 * BLOCK),
                    ];
                    let trouble = founds.iter().fold(0, |all, found| all | found.malformed & watch | found.rejected);
                    if trouble != 0 {
                        (reduce.dropped, reduce.kept) = before;
                        break;
                    }
                    for (k, found) in founds.into_iter().enumerate() {
                        if let Some(room) = self::room(room, at) {
                            isa.compact(found.block, !found.dropped, room);
                        }
                        at += found.dropped.count_zeros() as usize;
                        visit.block(i + k * BLOCK, found.starts, found.changes);
                    }
                }
                i += 4 * BLOCK;
                o += at;
            }
        }
        while let (Some(window), Some(room)) = (chunk::<WINDOW>(src, i), room::<COMPACTED>(dst, o)) {
            let blocks @ [block, ..] = load_window(isa, window, 0);
            if reduce.busy(block, i) | reduce.carried() == 0 {
                if let Some(room) = room.first_chunk_mut() {
                    isa.store(block, room);
                }
                visit.block(i, 0, 0);
                o += BLOCK;
            } else {
                let before = (reduce.dropped, reduce.kept);
                let found = reduce.block(blocks, i);
                if found.malformed & watch | found.rejected != 0 {
                    (reduce.dropped, reduce.kept) = before;
                    break;
                }
                isa.compact(found.block, !found.dropped, room);
                visit.block(i, found.starts, found.changes);
                o += found.dropped.count_zeros() as usize;
            }
            i += BLOCK;
        }
        // The last block, or one with trouble in it, or one of the last of the output.
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Progress { read: i, written: o };
        }
        let (dropped, kept) = (reduce.dropped, reduce.kept);
        let found = reduce.block(load_any(isa, src, i), i);
        let trouble = reduce.trouble(&found);
        let stop_at = trouble & trouble.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let keep = lanes & !found.dropped;
        let written = keep.count_ones() as usize;
        let mut spill: Room<COMPACTED> = [MaybeUninit::uninit(); _];
        let (room, spilled) = match room(dst, o) {
            Some(room) => (room, false),
            None => (&mut spill, true),
        };
        isa.compact(found.block, keep, room);
        if spilled && copy_spill(&spill, written, dst, o).is_none() {
            return rest(profile, plus, (src, i), (dst, o), (dropped, kept), malformed);
        }
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            *malformed = Some(i + bad.trailing_zeros() as usize);
            watch = 0;
        }
        o += written;
        visit.block(i, found.starts & lanes, found.changes & lanes);
        if trouble != 0 {
            return Progress { read: i + stop_at.trailing_zeros() as usize, written: o };
        }
        i += n;
    }
}

/// Decodes every triplet of a short `src`, for which `dst` has room, and [`COMPACTED`] more. How many octets that makes, and
/// whether each `%` started one.
///
/// For calls whose work is less than what it takes to be ready for any length, any room and any options.
#[inline(always)]
pub(crate) fn decode_few<I: Isa>(isa: I, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> (usize, bool) {
    let mut reduce =
        Reduce::<I, false> { isa, profile: &DecodeProfile::LENIENT, plus: Pluses::NONE, dropped: 0, kept: 0 };
    let (mut o, mut malformed) = (0, 0);
    for at in (0..src.len()).step_by(BLOCK) {
        let Some(room) = room::<COMPACTED>(dst, o) else { break };
        let found = reduce.block(load_any(isa, src, at), at);
        let keep = below(src.len() - at) & !found.dropped;
        isa.compact(found.block, keep, room);
        o += keep.count_ones() as usize;
        malformed |= found.malformed;
    }
    (o, malformed == 0)
}

/// Goes on octet by octet where a block does not fit. What the block before carries in is behind us: the digits of a
/// decoded triplet are skipped, and a kept triplet is taken back so that the scalar kernel sees it whole.
#[cold]
fn rest(
    profile: &DecodeProfile,
    plus: Pluses,
    (src, i): (&[u8], usize),
    (dst, o): (&mut [MaybeUninit<u8>], usize),
    (dropped, kept): (u64, u64),
    malformed: &mut Option<usize>,
) -> Progress {
    let skip = dropped.count_ones() as usize;
    let back = match kept {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    scalar::decode_from(profile, plus, (src, i + skip - back), (dst, o - back), malformed)
}

/// How many `%` are in `src`.
#[inline(always)]
pub(crate) fn percents<I: Isa>(isa: I, src: &[u8]) -> usize {
    let (blocks, rest) = src.as_chunks::<BLOCK>();
    let mut count = isa.eq(load(isa, rest, 0), b'%').count_ones() as usize;
    for block in blocks {
        count += isa.eq(isa.load(block), b'%').count_ones() as usize;
    }
    count
}

/// Tells `visit` of every block what decoding would change in it, up to where decoding would stop.
#[inline(always)]
pub(crate) fn scan<I: Isa, const FULL: bool>(
    isa: I,
    profile: &DecodeProfile,
    plus: Pluses,
    src: &[u8],
    visit: &mut impl Visit,
) -> Scanned {
    let mut malformed = None;
    let mut reduce = Reduce::<I, FULL> { isa, profile, plus, dropped: 0, kept: 0 };
    // As in `decode`.
    let mut watch = !0;
    let mut i = 0;
    loop {
        while let Some(window) = chunk::<WINDOW>(src, i) {
            let blocks @ [block, ..] = load_window(isa, window, 0);
            let (mut hits, mut changes) = (0, 0);
            // Where a test costs more than the work there is none.
            if I::SUPER || reduce.busy(block, i) | reduce.carried() != 0 {
                let before = (reduce.dropped, reduce.kept);
                let found = reduce.block(blocks, i);
                if found.malformed & watch | found.rejected != 0 {
                    (reduce.dropped, reduce.kept) = before;
                    break;
                }
                (hits, changes) = (found.starts, found.changes);
            }
            if !visit.block(i, hits, changes) {
                return Scanned { at: i, malformed };
            }
            i += BLOCK;
        }
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Scanned { at: src.len(), malformed };
        }
        let found = reduce.block(load_any(isa, src, i), i);
        let trouble = reduce.trouble(&found);
        let stop_at = trouble & trouble.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            malformed = Some(i + bad.trailing_zeros() as usize);
            watch = 0;
        }
        if !visit.block(i, found.starts & lanes, found.changes & lanes) {
            return Scanned { at: i, malformed };
        }
        if trouble != 0 {
            return Scanned { at: i + stop_at.trailing_zeros() as usize, malformed };
        }
        i += n;
    }
}
