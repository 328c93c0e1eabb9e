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
//! 3. At a stop (a malformed `%` in strict decoding, a rejected octet) the lanes before it are written, and the offset
//!    returned: the caller words the error.

use core::mem::MaybeUninit;

use super::{
    DecodeProfile, Progress, Scanned, Stop, Visit, below, carried, chunk, copy_spill, load, room, scalar,
};
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
        if FULL { !below(self.profile.plus_from.saturating_sub(at)) } else { 0 }
    }

    /// Lanes at which there is something to do, `block` being the one at `at`.
    #[inline(always)]
    fn busy(&self, block: I::Block, at: usize) -> u64 {
        let mut busy = self.isa.eq(block, b'%');
        if FULL && self.profile.plus_from != usize::MAX {
            busy |= self.isa.eq(block, b'+') & self.plus_lanes(at);
        }
        busy
    }

    /// Whether the block before reaches into this one.
    #[inline(always)]
    fn carried(&self) -> u64 {
        self.dropped | self.kept
    }

    #[inline(always)]
    fn block(&mut self, src: &[u8], block: I::Block, at: usize) -> Found<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let percents = isa.eq(block, b'%');
        let (mut starts, mut decoded) = isa.triplets(block, load(isa, src, at + 1), load(isa, src, at + 2));
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
            if profile.plus_from != usize::MAX {
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

/// The state of a decoding in progress.
struct Decode<'p, I, const FULL: bool> {
    reduce: Reduce<'p, I, FULL>,
    i: usize,
    o: usize,
    malformed: Option<usize>,
}

impl<I: Isa, const FULL: bool> Decode<'_, I, FULL> {
    /// Decodes one block of `n` octets; what to return if that ends it.
    #[inline(always)]
    fn step(&mut self, src: &[u8], block: I::Block, n: usize, dst: &mut [MaybeUninit<u8>]) -> Option<Progress> {
        let (dropped, kept) = (self.reduce.dropped, self.reduce.kept);
        let found = self.reduce.block(src, block, self.i);
        let trouble = self.reduce.trouble(&found);
        let mut lanes = below(n);
        if trouble != 0 {
            lanes &= below(trouble.trailing_zeros() as usize);
        }
        let keep = lanes & !found.dropped;
        let written = keep.count_ones() as usize;
        let fits = if let Some(room) = room(dst, self.o) {
            self.reduce.isa.compact(found.block, keep, room);
            Some(())
        } else {
            let mut spill: Room<COMPACTED> = [MaybeUninit::uninit(); _];
            self.reduce.isa.compact(found.block, keep, &mut spill);
            copy_spill(&spill, written, dst, self.o)
        };
        if fits.is_none() {
            return Some(self.rest(src, dst, dropped, kept));
        }
        if found.malformed & lanes != 0 && self.malformed.is_none() {
            self.malformed = Some(self.i + (found.malformed & lanes).trailing_zeros() as usize);
        }
        self.o += written;
        if trouble == 0 {
            self.i += n;
            return None;
        }
        let lane = trouble & trouble.wrapping_neg();
        self.i += lane.trailing_zeros() as usize;
        let stop = if found.malformed & lane != 0 { Stop::Malformed } else { Stop::Rejected };
        Some(self.progress(stop))
    }

    #[inline(always)]
    fn progress(&self, stop: Stop) -> Progress {
        let malformed = match stop {
            Stop::Malformed => self.malformed.or(Some(self.i)),
            _ => self.malformed,
        };
        Progress { read: self.i, written: self.o, stop, malformed }
    }

    /// Goes on octet by octet where a block does not fit. What the block before carries in is behind us: the digits of
    /// a decoded triplet are skipped, and a kept triplet is taken back so that the scalar kernel sees it whole.
    #[cold]
    fn rest(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], dropped: u64, kept: u64) -> Progress {
        let skip = dropped.count_ones() as usize;
        let back = match kept {
            0 => 0,
            1 => 2,
            _ => 1,
        };
        let (i, o) = (self.i + skip - back, self.o - back);
        scalar::decode_from(self.reduce.profile, src, i, dst, o, self.malformed)
    }
}

/// Decodes `src` into `dst` as far as that has room, or until there is trouble.
#[inline(always)]
pub(crate) fn decode<I: Isa, const FULL: bool>(
    isa: I,
    profile: &DecodeProfile,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
) -> Progress {
    const FOUR: usize = 4 * BLOCK;
    let reduce = Reduce::<I, FULL> { isa, profile, dropped: 0, kept: 0 };
    let mut decode = Decode { reduce, i: 0, o: 0, malformed: None };
    if I::SUPER {
        while let (Some(four), Some(room)) =
            (chunk::<FOUR>(src, decode.i), room::<{ 3 * BLOCK + COMPACTED }>(dst, decode.o))
        {
            let (blocks, _) = four.as_chunks::<BLOCK>();
            let [a, b, c, d] = [&blocks[0], &blocks[1], &blocks[2], &blocks[3]].map(|block| isa.load(block));
            let i = decode.i;
            let busy = decode.reduce.busy(a, i)
                | decode.reduce.busy(b, i + BLOCK)
                | decode.reduce.busy(c, i + 2 * BLOCK)
                | decode.reduce.busy(d, i + 3 * BLOCK)
                | decode.reduce.carried();
            if busy == 0 {
                for (k, block) in [a, b, c, d].into_iter().enumerate() {
                    if let Some(room) = self::room(room, k * BLOCK) {
                        isa.store(block, room);
                    }
                }
                decode.i += FOUR;
                decode.o += FOUR;
                continue;
            }
            for block in [a, b, c, d] {
                if let Some(progress) = decode.step(src, block, BLOCK, dst) {
                    return progress;
                }
            }
        }
    }
    while let Some(block) = chunk::<BLOCK>(src, decode.i) {
        let block = isa.load(block);
        if decode.reduce.busy(block, decode.i) | decode.reduce.carried() == 0 {
            if let Some(room) = room(dst, decode.o) {
                isa.store(block, room);
                decode.i += BLOCK;
                decode.o += BLOCK;
                continue;
            }
        }
        if let Some(progress) = decode.step(src, block, BLOCK, dst) {
            return progress;
        }
    }
    let rest = &src[decode.i..];
    if !rest.is_empty() {
        if let Some(progress) = decode.step(src, isa.load_part(rest), rest.len(), dst) {
            return progress;
        }
    }
    decode.progress(Stop::Done)
}

/// Tells `visit` of every block what decoding would change in it, up to where decoding would stop.
#[inline(always)]
pub(crate) fn scan<I: Isa, const FULL: bool>(
    isa: I,
    profile: &DecodeProfile,
    src: &[u8],
    visit: &mut impl Visit,
) -> Scanned {
    let mut malformed = None;
    let mut reduce = Reduce::<I, FULL> { isa, profile, dropped: 0, kept: 0 };
    let mut i = 0;
    while i < src.len() {
        let block = load(isa, src, i);
        if reduce.busy(block, i) | reduce.carried() == 0 {
            if !visit.block(i, 0, 0) {
                return Scanned { stop: Stop::Done, at: i, malformed };
            }
        } else {
            let found = reduce.block(src, block, i);
            let trouble = reduce.trouble(&found);
            let lane = trouble & trouble.wrapping_neg();
            let lanes = below(src.len() - i) & lane.wrapping_sub(1);
            let bad = found.malformed & (lanes | lane);
            if bad != 0 && malformed.is_none() {
                malformed = Some(i + bad.trailing_zeros() as usize);
            }
            if !visit.block(i, found.starts & lanes, found.changes & lanes) {
                return Scanned { stop: Stop::Done, at: i, malformed };
            }
            if trouble != 0 {
                let stop = if found.malformed & lane != 0 { Stop::Malformed } else { Stop::Rejected };
                return Scanned { stop, at: i + lane.trailing_zeros() as usize, malformed };
            }
        }
        i += BLOCK;
    }
    Scanned { stop: Stop::Done, at: src.len(), malformed }
}
