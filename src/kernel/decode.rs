//! Decoding.
//!
//! ```text
//! for each block of 64 bytes:
//!     if it holds no % (full: and no + to replace), and nothing is carried in: store the block
//!     starts = lanes of % with hexadecimal digits in the next two         (lenient: all others are data)
//!     put the byte that it stands for in the place of each start         (full: less those kept)
//!     drop the two lanes after each start, some of them in the next block: carry
//!     compact the block to the lanes that are left
//! ```
//!
//! 1. The two bytes after a block are read with two more loads. They depend on nothing, so what one block hands to
//!    the next is the carry and the output offset: a few cycles.
//! 2. `OPTIONS` is false where every triplet is decoded and nothing else happens. Everything else goes the other way, in
//!    which the options are branches that never change.
//! 3. Where latent triplets stay (see `DecodeProfile::keeps_latent`), the byte-wise rule is asked about each malformed `%`
//!    that has a triplet behind it. That is rare, and what it finds is copied: lanes less to decode, perhaps some of
//!    the next block.
//! 4. At an error (a malformed `%` in strict decoding, a rejected byte) the lanes before it are written and the kernel
//!    returns. The caller makes the error from the input at that offset.

use core::mem::MaybeUninit;

use super::{
    DecodeProfile, PlusStart, Progress, Scan, ShortDecoded, ShortFlags, Visitor, WINDOW, below, carried, chunk,
    copy_spill, load, load_any, load_window, room, scalar,
};
use crate::isa::{BLOCK, COMPACTED, Isa, Out};
use crate::set::ByteSet;

/// The decoded form of a block.
struct Classified<B> {
    /// The bytes, with what triplets stand for in the place of their `%`.
    block: B,
    /// Triplets to be decoded, by their `%`.
    starts: u64,
    /// Lanes that belong to a triplet decoded, but for its `%`.
    digit_lanes: u64,
    /// Lanes that do not stay as they are.
    changes: u64,
    /// `%` that start no triplet.
    malformed: u64,
    /// Triplets of rejected bytes.
    rejected: u64,
}

struct Unescape<'p, I, const OPTIONS: bool> {
    isa: I,
    profile: &'p DecodeProfile,
    plus: PlusStart,
    carry: Carry,
}

/// The state that one block leaves to the next.
#[derive(Clone, Copy)]
struct Carry {
    /// Lanes to be dropped, as they belong to a triplet decoded in the block before.
    digit_lanes: u64,
    /// Lanes that are digits of a triplet kept in the block before.
    kept: u64,
    /// Offsets in the input at which the last latent triplet that stays starts and ends.
    latent: (usize, usize),
}

impl Carry {
    const NONE: Carry = Carry { digit_lanes: 0, kept: 0, latent: (0, 0) };
}

/// Digits that upper-casing changes.
const LOWER_DIGITS: [u8; 16] = ByteSet::range(b'a', b'f').nibble_table().half[0];

impl<I: Isa, const OPTIONS: bool> Unescape<'_, I, OPTIONS> {
    /// Returns the lanes of the block at `at` in which a `+` is a space.
    #[inline(always)]
    fn plus_lanes(&self, at: usize) -> u64 {
        if OPTIONS { !below(self.plus.from.saturating_sub(at)) } else { 0 }
    }

    /// Returns the lanes of the block at `at` that may change.
    #[inline(always)]
    fn busy(&self, block: I::Block, at: usize) -> u64 {
        let mut busy = self.isa.eq_mask(block, b'%');
        if OPTIONS && self.plus != PlusStart::NONE {
            busy |= self.isa.eq_mask(block, b'+') & self.plus_lanes(at);
        }
        busy
    }

    /// Returns the lanes that a triplet of the block before covers.
    #[inline(always)]
    fn carried(&self) -> u64 {
        self.carry.digit_lanes | self.carry.kept
    }

    /// Classifies the block at `at` of `src`, given with those one and two bytes further on.
    #[inline(always)]
    fn block(&mut self, [block, next, after]: [I::Block; 3], src: &[u8], at: usize) -> Classified<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let percent_mask = isa.eq_mask(block, b'%');
        let (mut starts, mut decoded) = isa.triplets(block, next, after);
        let malformed = percent_mask & !starts;
        let (mut rejected, mut changed) = (0, 0);
        if OPTIONS {
            if let Some((_, table)) = &profile.reject {
                rejected = isa.contains_mask(decoded, table) & starts;
            }
            if let Some((_, table)) = &profile.keep {
                let kept = isa.contains_mask(decoded, table) & starts;
                starts &= !kept;
                rejected &= !kept;
                let mut stay = kept;
                // Nothing is known here of what follows the last two lanes.
                let begun = malformed & (starts >> 1 | starts >> 2 | 0b11 << 62);
                if profile.keeps_latent() && (begun != 0 || self.carry.latent.1 > at) {
                    let (lanes, last) = latent_lanes(profile, self.carry.latent, src, at, begun);
                    self.carry.latent = last;
                    stay |= lanes;
                    starts &= !stay;
                }
                decoded = isa.select(stay, block, decoded);
                if profile.upper {
                    let digits = kept << 1 | kept << 2 | self.carry.kept;
                    self.carry.kept = carried(kept);
                    changed = digits & isa.contains_mask_ascii(block, &LOWER_DIGITS);
                    decoded = isa.select(changed, isa.xor(block, 0x20), decoded);
                }
            }
            if self.plus != PlusStart::NONE {
                let plus = isa.eq_mask(block, b'+') & self.plus_lanes(at);
                decoded = isa.select(plus, isa.splat(b' '), decoded);
                changed |= plus;
            }
        }
        let digit_lanes = starts << 1 | starts << 2 | self.carry.digit_lanes;
        self.carry.digit_lanes = carried(starts);
        Classified { block: decoded, starts, digit_lanes, changes: starts | changed, malformed, rejected }
    }

    /// Returns the lanes of `found` that end the decoding.
    #[inline(always)]
    fn stop_mask(&self, found: &Classified<I::Block>) -> u64 {
        let strict = if self.profile.strict { found.malformed } else { 0 };
        strict | if OPTIONS { found.rejected } else { 0 }
    }
}

/// Returns the lanes of the block at `at` that belong to a latent triplet, given the malformed `%` that may begin one and the
/// `last` one before; and the last one now. By value: a reference to it would keep all of the carry in memory.
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

/// Decodes `src` into `dst` as far as that has room, or up to an error, and shows `visit` every block decoded.
#[inline(always)]
pub(crate) fn decode<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &DecodeProfile,
    plus: PlusStart,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
    malformed: &mut Option<usize>,
    visit: &mut impl Visitor,
) -> Progress {
    let mut unescape = Unescape::<I, OPTIONS> { isa, profile, plus, carry: Carry::NONE };
    let (mut i, mut o) = (0, 0);
    // The lanes at which a malformed `%` is looked at: none once it is known where the first is, and that does not stop.
    let mut malformed_mask = !0;
    loop {
        if I::UNROLL4 {
            while let (Some(four), Some(room)) =
                (chunk::<{ 3 * BLOCK + WINDOW }>(src, i), room::<{ 3 * BLOCK + COMPACTED }>(dst, o))
            {
                let windows = [
                    load_window(isa, four, 0),
                    load_window(isa, four, BLOCK),
                    load_window(isa, four, 2 * BLOCK),
                    load_window(isa, four, 3 * BLOCK),
                ];
                let busy = unescape.busy(windows[0][0], i)
                    | unescape.busy(windows[1][0], i + BLOCK)
                    | unescape.busy(windows[2][0], i + 2 * BLOCK)
                    | unescape.busy(windows[3][0], i + 3 * BLOCK)
                    | unescape.carried();
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
                    let before = unescape.carry;
                    let founds = [
                        unescape.block(windows[0], src, i),
                        unescape.block(windows[1], src, i + BLOCK),
                        unescape.block(windows[2], src, i + 2 * BLOCK),
                        unescape.block(windows[3], src, i + 3 * BLOCK),
                    ];
                    let stop =
                        founds.iter().fold(0, |all, found| all | found.malformed & malformed_mask | found.rejected);
                    if stop != 0 {
                        unescape.carry = before;
                        break;
                    }
                    for (k, found) in founds.into_iter().enumerate() {
                        if let Some(room) = self::room(room, at) {
                            isa.compact(found.block, !found.digit_lanes, room);
                        }
                        at += found.digit_lanes.count_zeros() as usize;
                        visit.block(i + k * BLOCK, found.starts, found.changes);
                    }
                }
                i += 4 * BLOCK;
                o += at;
            }
        }
        while let (Some(window), Some(room)) = (chunk::<WINDOW>(src, i), room::<COMPACTED>(dst, o)) {
            let block = load(isa, window, 0);
            if unescape.busy(block, i) | unescape.carried() == 0 {
                if let Some(room) = room.first_chunk_mut() {
                    isa.store(block, room);
                }
                visit.block(i, 0, 0);
                i += BLOCK;
                o += BLOCK;
                if I::UNROLL4 || OPTIONS {
                    continue;
                }
                // As long as blocks stay: nothing but to load, test and store.
                let (blocks, _) = src[i..].as_chunks::<BLOCK>();
                let (rooms, _) = dst[o..].as_chunks_mut::<BLOCK>();
                for (block, room) in blocks.iter().zip(rooms) {
                    let block = isa.load(block);
                    if unescape.busy(block, i) != 0 {
                        break;
                    }
                    isa.store(block, room);
                    visit.block(i, 0, 0);
                    i += BLOCK;
                    o += BLOCK;
                }
            } else {
                let before = unescape.carry;
                // Loaded only here: registers of 16 bytes are too few to hold three blocks over the loop above.
                let found = unescape.block(load_window(isa, window, 0), src, i);
                if found.malformed & malformed_mask | found.rejected != 0 {
                    unescape.carry = before;
                    break;
                }
                isa.compact(found.block, !found.digit_lanes, room);
                visit.block(i, found.starts, found.changes);
                o += found.digit_lanes.count_zeros() as usize;
                i += BLOCK;
            }
        }
        // The last block, or one that may stop the decoding, or one for which the output may be too small.
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Progress { read: i, written: o };
        }
        let before = unescape.carry;
        let found = unescape.block(load_any(isa, src, i), src, i);
        let stop = unescape.stop_mask(&found);
        let stop_at = stop & stop.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let keep = lanes & !found.digit_lanes;
        let written = keep.count_ones() as usize;
        let mut spill: Out<COMPACTED> = [MaybeUninit::uninit(); _];
        let (room, spilled) = match room(dst, o) {
            Some(room) => (room, false),
            None => (&mut spill, true),
        };
        isa.compact(found.block, keep, room);
        if spilled && copy_spill(&spill, written, dst, o).is_none() {
            if !OPTIONS {
                let at = i + before.digit_lanes.count_ones() as usize;
                return scalar::decode_plain_from(profile.strict, (src, at), (dst, o), malformed);
            }
            return finish_bytewise(profile, plus, (src, i), (dst, o), before, malformed);
        }
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            *malformed = Some(i + bad.trailing_zeros() as usize);
            malformed_mask = 0;
        }
        o += written;
        visit.block(i, found.starts & lanes, found.changes & lanes);
        if stop != 0 {
            return Progress { read: i + stop_at.trailing_zeros() as usize, written: o };
        }
        i += n;
    }
}

/// Decodes every triplet of a short `src`, and every `+` from `plus` on to a space. `dst` has room for it, and [`COMPACTED`]
/// more.
///
/// For inputs so short that to be ready for any length, any output size and any options would cost more than the work.
#[inline(always)]
pub(crate) fn decode_short<I: Isa>(isa: I, plus: PlusStart, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> ShortDecoded {
    let mut unescape =
        Unescape::<I, false> { isa, profile: &DecodeProfile::LENIENT, plus: PlusStart::NONE, carry: Carry::NONE };
    let (mut o, mut malformed, mut high) = (0, 0, 0);
    for at in (0..src.len()).step_by(BLOCK) {
        let Some(room) = room::<COMPACTED>(dst, o) else { break };
        let blocks @ [block, ..] = load_any(isa, src, at);
        let found = unescape.block(blocks, src, at);
        let keep = below(src.len() - at) & !found.digit_lanes;
        let mut decoded = found.block;
        if plus != PlusStart::NONE {
            let pluses = isa.eq_mask(block, b'+') & !below(plus.from.saturating_sub(at));
            decoded = isa.select(pluses, isa.splat(b' '), decoded);
        }
        isa.compact(decoded, keep, room);
        o += keep.count_ones() as usize;
        malformed |= found.malformed;
        high |= isa.high_mask(decoded);
    }
    ShortDecoded::new(o, ShortFlags { malformed: malformed != 0, high: high != 0 })
}

/// Continues byte by byte where a block does not fit the output. The carry of the block before is resolved first: the digits
/// of a decoded triplet are skipped, and a kept triplet is taken back, so that the scalar kernel sees all of it.
#[cold]
fn finish_bytewise(
    profile: &DecodeProfile,
    plus: PlusStart,
    (src, i): (&[u8], usize),
    (dst, o): (&mut [MaybeUninit<u8>], usize),
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

/// Returns how many `%` are in `src`.
#[inline(always)]
pub(crate) fn count_percent<I: Isa>(isa: I, src: &[u8]) -> usize {
    let (blocks, rest) = src.as_chunks::<BLOCK>();
    let mut count = isa.eq_mask(load(isa, rest, 0), b'%').count_ones() as usize;
    for block in blocks {
        count += isa.eq_mask(isa.load(block), b'%').count_ones() as usize;
    }
    count
}

/// Shows `visit` what decoding would change, block by block, up to where decoding would stop.
#[inline(always)]
pub(crate) fn scan<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &DecodeProfile,
    plus: PlusStart,
    src: &[u8],
    visit: &mut impl Visitor,
) -> Scan {
    let mut malformed = None;
    let mut unescape = Unescape::<I, OPTIONS> { isa, profile, plus, carry: Carry::NONE };
    // As in `decode`.
    let mut malformed_mask = !0;
    let mut i = 0;
    loop {
        while let Some(window) = chunk::<WINDOW>(src, i) {
            let blocks @ [block, ..] = load_window(isa, window, 0);
            let (mut hits, mut changes) = (0, 0);
            // Where a test costs more than the work there is none.
            if I::UNROLL4 && !OPTIONS || unescape.busy(block, i) | unescape.carried() != 0 {
                let before = unescape.carry;
                let found = unescape.block(blocks, src, i);
                if found.malformed & malformed_mask | found.rejected != 0 {
                    unescape.carry = before;
                    break;
                }
                (hits, changes) = (found.starts, found.changes);
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
        let found = unescape.block(load_any(isa, src, i), src, i);
        let stop = unescape.stop_mask(&found);
        let stop_at = stop & stop.wrapping_neg();
        let lanes = below(n) & stop_at.wrapping_sub(1);
        let bad = found.malformed & (lanes | stop_at);
        if bad != 0 && malformed.is_none() {
            malformed = Some(i + bad.trailing_zeros() as usize);
            malformed_mask = 0;
        }
        if !visit.block(i, found.starts & lanes, found.changes & lanes) {
            return Scan { stopped_at: i, malformed };
        }
        if stop != 0 {
            return Scan { stopped_at: i + stop_at.trailing_zeros() as usize, malformed };
        }
        i += n;
    }
}
