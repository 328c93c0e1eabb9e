//! Encoding.
//!
//! ```text
//! for each block of 64 octets:
//!     escaped = octets not in the set          (full: less spaces that become +, less kept triplets)
//!     if none: store the block
//!     else:    expand it: every octet of `escaped` grows to a triplet
//! ```
//!
//! 1. `FULL` is false where the profile is a set of ASCII and nothing else: one table look-up decides, and the loop is
//!    as short as it gets. Everything else goes the other way, in which the options are branches that never change.
//! 2. Where four blocks are tested together the loop on clean text has one branch for 256 octets, and on other text
//!    none that depends on the data but at the ends.
//! 3. Near the end of the output a block is expanded into a spill and copied. If it does not fit even so, the scalar
//!    kernel fills what room there is, octet by octet.

use core::mem::MaybeUninit;

use super::{EncodeProfile, Progress, Stop, Visit, below, carried, chunk, copy_spill, load, room, scalar};
use crate::isa::{BLOCK, EXPANDED, Isa, Room};

/// What a block becomes.
struct Found<B> {
    /// The octets, spaces replaced.
    block: B,
    /// Which become triplets.
    escaped: u64,
    /// Which do not stay.
    changes: u64,
}

struct Classify<'p, I, const FULL: bool> {
    isa: I,
    profile: &'p EncodeProfile,
    /// Octets of this block that belong to a kept triplet which began in the one before.
    kept: u64,
}

impl<I: Isa, const FULL: bool> Classify<'_, I, FULL> {
    /// Reads the block at `at`; lanes past the end of `src` are zeros, and may be in `escaped`.
    #[inline(always)]
    fn block(&mut self, src: &[u8], at: usize) -> Found<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let mut block = load(isa, src, at);
        if !FULL {
            let escaped = !isa.member_ascii(block, &profile.rows.half[0]);
            return Found { block, escaped, changes: escaped };
        }
        let mut escaped = !isa.member(block, &profile.rows);
        let mut spaces = 0;
        if profile.keep_triplets {
            let (starts, _) = isa.triplets(block, load(isa, src, at + 1), load(isa, src, at + 2));
            escaped &= !(starts | starts << 1 | starts << 2 | self.kept);
            self.kept = carried(starts);
        }
        if profile.plus {
            spaces = isa.eq(block, b' ');
            block = isa.select(spaces, isa.splat(b'+'), block);
            escaped &= !spaces;
        }
        Found { block, escaped, changes: escaped | spaces }
    }
}

/// Encodes `src` into `dst` as far as that has room.
#[inline(always)]
pub(crate) fn encode<I: Isa, const FULL: bool>(
    isa: I,
    profile: &EncodeProfile,
    src: &[u8],
    dst: &mut [MaybeUninit<u8>],
) -> Progress {
    const FOUR: usize = 4 * BLOCK;
    let mut classify = Classify::<I, FULL> { isa, profile, kept: 0 };
    let (mut i, mut o) = (0, 0);
    if I::SUPER {
        while let (Some(_), Some(room)) = (chunk::<FOUR>(src, i), room::<{ 3 * 3 * BLOCK + EXPANDED }>(dst, o)) {
            let a = classify.block(src, i);
            let b = classify.block(src, i + BLOCK);
            let c = classify.block(src, i + 2 * BLOCK);
            let d = classify.block(src, i + 3 * BLOCK);
            let mut at = 0;
            if a.escaped | b.escaped | c.escaped | d.escaped == 0 {
                for found in [a, b, c, d] {
                    if let Some(room) = self::room(room, at) {
                        isa.store(found.block, room);
                    }
                    at += BLOCK;
                }
            } else {
                for found in [a, b, c, d] {
                    if let Some(room) = self::room(room, at) {
                        isa.expand(found.block, found.escaped, BLOCK, profile.digits, room);
                    }
                    at += BLOCK + 2 * found.escaped.count_ones() as usize;
                }
            }
            i += FOUR;
            o += at;
        }
    }
    while chunk::<BLOCK>(src, i).is_some() {
        let kept = classify.kept;
        let Found { block, escaped, .. } = classify.block(src, i);
        let written = BLOCK + 2 * escaped.count_ones() as usize;
        let fits = if escaped == 0 {
            room(dst, o).map(|room| isa.store(block, room))
        } else if let Some(room) = room(dst, o) {
            isa.expand(block, escaped, BLOCK, profile.digits, room);
            Some(())
        } else {
            let mut spill: Room<EXPANDED> = [MaybeUninit::uninit(); _];
            isa.expand(block, escaped, BLOCK, profile.digits, &mut spill);
            copy_spill(&spill, written, dst, o)
        };
        if fits.is_none() {
            return rest(profile, src, i, dst, o, kept);
        }
        i += BLOCK;
        o += written;
    }
    let n = src.len() - i;
    if n > 0 {
        let kept = classify.kept;
        let Found { block, escaped, .. } = classify.block(src, i);
        let escaped = escaped & below(n);
        let written = n + 2 * escaped.count_ones() as usize;
        let fits = if let Some(room) = room(dst, o) {
            isa.expand(block, escaped, n, profile.digits, room);
            Some(())
        } else {
            let mut spill: Room<EXPANDED> = [MaybeUninit::uninit(); _];
            isa.expand(block, escaped, n, profile.digits, &mut spill);
            copy_spill(&spill, written, dst, o)
        };
        if fits.is_none() {
            return rest(profile, src, i, dst, o, kept);
        }
        o += written;
    }
    Progress { read: src.len(), written: o, stop: Stop::Done, malformed: None }
}

/// Goes on octet by octet where a block does not fit. Of a kept triplet that reaches into the block, what was written
/// is taken back first, so that the scalar kernel sees it whole.
#[cold]
fn rest(
    profile: &EncodeProfile,
    src: &[u8],
    i: usize,
    dst: &mut [MaybeUninit<u8>],
    o: usize,
    kept: u64,
) -> Progress {
    let back = match kept {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    scalar::encode_from(profile, src, i - back, dst, o - back)
}

/// Tells `visit` of every block what encoding would change in it.
#[inline(always)]
pub(crate) fn scan<I: Isa, const FULL: bool>(isa: I, profile: &EncodeProfile, src: &[u8], visit: &mut impl Visit) {
    let mut classify = Classify::<I, FULL> { isa, profile, kept: 0 };
    let mut i = 0;
    while i < src.len() {
        let valid = below(src.len() - i);
        let Found { escaped, changes, .. } = classify.block(src, i);
        if !visit.block(i, escaped & valid, changes & valid) {
            return;
        }
        i += BLOCK;
    }
}
