//! Encoding.
//!
//! ```text
//! for each block of 64 bytes:
//!     escaped = bytes not in the set          (full: less kept triplets, less spaces, in the place of which goes a +)
//!     if none: store the block
//!     if few:  store it, and patch it: each triplet, and behind it the bytes that follow
//!     else:    expand it: every byte of `escaped` grows to a triplet
//! ```
//!
//! 1. `OPTIONS` is false where the profile is a set of ASCII and nothing else: one table look-up decides, and the loop is
//!    as short as it gets. Everything else goes the other way, in which the options are branches that never change.
//! 2. Where four blocks are tested together the loop on clean text has one branch for 256 bytes, and on other text
//!    none that depends on the data but at the ends.
//! 3. Near the end of the output a block is expanded into a spill and copied. If it does not fit even so, the scalar
//!    kernel fills what room there is, byte by byte.

use super::{EncodeProfile, Progress, Visitor, below, digits_of, load, scalar};
use crate::isa::{BLOCK, EXPANDED, FEW, FEW_EXPANDED, Isa, Out, copy_spill};
use crate::output::{Cell, EMPTY_CELL, cell};
use crate::set::{ByteSet, NibbleTable};
use crate::words::{chunk, copy_few, room};

const HEX_DIGITS: NibbleTable = ByteSet::of(b"0123456789ABCDEFabcdef").nibble_table();

/// The encoded form of a block.
struct Classified<B> {
    /// The bytes, spaces replaced.
    block: B,
    /// Which become triplets.
    escaped: u64,
    /// Which do not stay.
    changes: u64,
}

struct Classify<'p, I, const OPTIONS: bool> {
    isa: I,
    profile: &'p EncodeProfile,
    /// Bytes of this block that belong to a kept triplet which began in the one before.
    kept: u64,
}

impl<I: Isa, const OPTIONS: bool> Classify<'_, I, OPTIONS> {
    /// Classifies `block` by the set alone, and spaces that become `+`.
    #[inline(always)]
    fn members(&self, block: I::Block) -> Classified<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        if !OPTIONS {
            let escaped = !isa.contains_mask_ascii(block, &profile.table.half[0]);
            return Classified { block, escaped, changes: escaped };
        }
        let mut escaped = !isa.contains_mask(block, &profile.table);
        let mut spaces = 0;
        if profile.plus {
            spaces = isa.eq_mask(block, b' ');
            escaped &= !spaces;
        }
        Classified { block: self.spaced(block), escaped, changes: escaped | spaces }
    }

    /// Takes the triplets that are kept out of what `found` escapes of `block`, the one at `at`.
    #[inline(always)]
    fn keep_triplets(&mut self, found: &mut Classified<I::Block>, src: &[u8], block: I::Block, at: usize) {
        let percents = self.isa.eq_mask(block, b'%');
        let digits = self.isa.contains_mask_ascii(block, &HEX_DIGITS.half[0]);
        let [mut next, mut after] = [digits >> 1, digits >> 2];
        // Rare, so that to look at two more bytes is a branch that can be predicted.
        if percents >> (BLOCK - 2) != 0 {
            let is_digit = |at: usize| u64::from(src.get(at).is_some_and(u8::is_ascii_hexdigit));
            let [first, second] = [is_digit(at + BLOCK), is_digit(at + BLOCK + 1)];
            next |= first << (BLOCK - 1);
            after |= first << (BLOCK - 2) | second << (BLOCK - 1);
        }
        let starts = percents & next & after;
        let [digits, next_digits] = digits_of(starts);
        let kept = starts | digits | self.kept;
        found.escaped &= !kept;
        found.changes &= !kept;
        self.kept = next_digits;
    }

    /// Classifies `block`, the one at `at`. Lanes past the end of `src` may be in `escaped`.
    #[inline(always)]
    fn block(&mut self, src: &[u8], block: I::Block, at: usize) -> Classified<I::Block> {
        if !OPTIONS {
            return self.members(block);
        }
        let mut found = self.members(block);
        // A block of which all stays has no `%`: it is in no set where triplets are kept. Any other is looked at for triplets
        // without a second branch, which nobody could predict.
        if self.profile.keep_triplets {
            if found.escaped == 0 {
                self.kept = 0;
            } else {
                self.keep_triplets(&mut found, src, block, at);
            }
        }
        found
    }

    /// Returns `block`, of which nothing else is known, with a `+` in the place of each space, if that is what they become.
    #[inline(always)]
    fn spaced(&self, block: I::Block) -> I::Block {
        if OPTIONS && self.profile.plus { self.isa.replace(block, block, b' ', b'+') } else { block }
    }
}

/// Escapes of a block up to which it is copied and patched, in place of being expanded.
const PATCHES: usize = 2;

/// Bytes of the input that [`patch`] reads: a block, and as many from the byte after it on.
const PATCHED: usize = 2 * BLOCK + 1;

impl<I: Isa, const OPTIONS: bool> Classify<'_, I, OPTIONS> {
    /// Expands the block that `window` begins with, of which [`PATCHES`] bytes at most become triplets: copies it, writes each
    /// triplet over it, and copies what follows that to where it belongs. A patch that is not needed is written behind the
    /// block, where the next one goes: so there is no branch.
    #[inline(always)]
    fn patch(&self, window: &[u8; PATCHED], mut escaped: u64, room: &mut Out<EXPANDED>) {
        let Classify { isa, profile, .. } = *self;
        if let (Some(block), Some(room)) = (window.first_chunk(), room.first_chunk_mut()) {
            isa.store(self.spaced(isa.load(block)), room);
        }
        for earlier in 0..PATCHES {
            let lane = escaped.trailing_zeros() as usize;
            escaped &= escaped.wrapping_sub(1);
            let at = lane + 2 * earlier;
            if let Some(room) = self::room::<4>(room, at) {
                *room = profile.digits.word(window[lane]).map(cell);
            }
            if let (Some(after), Some(room)) = (chunk::<BLOCK>(window, lane + 1), self::room::<BLOCK>(room, at + 3)) {
                isa.store(self.spaced(isa.load(after)), room);
            }
        }
    }
}

/// Encodes `src` into `dst` as far as that has room, and tells `visit` of every block that was.
#[inline(always)]
pub(crate) fn encode<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &EncodeProfile,
    src: &[u8],
    dst: &mut [Cell],
    visit: &mut impl Visitor,
) -> Progress {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, kept: 0 };
    let digits = profile.digits;
    let (mut i, mut o) = (0, 0);
    if I::UNROLL4 {
        while let (Some(four), Some(room)) = (chunk::<{ 4 * BLOCK }>(src, i), room::<{ 9 * BLOCK + EXPANDED }>(dst, o))
        {
            let (blocks, _) = four.as_chunks::<BLOCK>();
            let mut founds = [
                classify.members(isa.load(&blocks[0])),
                classify.members(isa.load(&blocks[1])),
                classify.members(isa.load(&blocks[2])),
                classify.members(isa.load(&blocks[3])),
            ];
            let is_clean =
                |[a, b, c, d]: &[Classified<I::Block>; 4]| a.escaped | b.escaped | c.escaped | d.escaped == 0;
            let mut clean = is_clean(&founds);
            if OPTIONS && profile.keep_triplets && !clean {
                // Without a loop, which would keep all of them in memory. Where `%` is rare, a test for four blocks is predicted, as
                // one for each is not.
                let [a, b, c, d] = &mut founds;
                let percents = isa.eq_mask(isa.load(&blocks[0]), b'%')
                    | isa.eq_mask(isa.load(&blocks[1]), b'%')
                    | isa.eq_mask(isa.load(&blocks[2]), b'%')
                    | isa.eq_mask(isa.load(&blocks[3]), b'%');
                if percents | classify.kept != 0 {
                    classify.keep_triplets(a, src, isa.load(&blocks[0]), i);
                    classify.keep_triplets(b, src, isa.load(&blocks[1]), i + BLOCK);
                    classify.keep_triplets(c, src, isa.load(&blocks[2]), i + 2 * BLOCK);
                    classify.keep_triplets(d, src, isa.load(&blocks[3]), i + 3 * BLOCK);
                    clean = is_clean(&founds);
                }
            } else {
                classify.kept = 0;
            }
            let mut at = 0;
            for found in founds {
                if clean {
                    if let Some(room) = self::room(room, at) {
                        isa.store(found.block, room);
                    }
                } else if let Some(room) = self::room(room, at) {
                    isa.expand(found.block, found.escaped, BLOCK, digits, room);
                    at += 2 * found.escaped.count_ones() as usize;
                }
                at += BLOCK;
                visit.block(i, found.escaped, found.changes);
                i += BLOCK;
            }
            o += at;
        }
    }
    loop {
        while let (Some(block), Some(room)) = (chunk::<BLOCK>(src, i), room::<EXPANDED>(dst, o)) {
            let found = classify.block(src, isa.load(block), i);
            visit.block(i, found.escaped, found.changes);
            let grown = 2 * found.escaped.count_ones() as usize;
            if found.escaped == 0 {
                if let Some(room) = room.first_chunk_mut() {
                    isa.store(found.block, room);
                }
            } else if !I::UNROLL4
                && grown <= 2 * PATCHES
                && let Some(window) = chunk(src, i)
            {
                classify.patch(window, found.escaped, room);
            } else {
                isa.expand(found.block, found.escaped, BLOCK, digits, room);
            }
            i += BLOCK;
            o += BLOCK + grown;
            if !I::UNROLL4 && found.escaped == 0 {
                // As long as blocks stay: nothing but to load, test and store.
                let (blocks, _) = src[i..].as_chunks::<BLOCK>();
                let (rooms, _) = dst[o..].as_chunks_mut::<BLOCK>();
                for (block, room) in blocks.iter().zip(rooms) {
                    let kept = classify.kept;
                    let found = classify.block(src, isa.load(block), i);
                    if found.escaped != 0 {
                        classify.kept = kept;
                        break;
                    }
                    isa.store(found.block, room);
                    visit.block(i, 0, found.changes);
                    i += BLOCK;
                    o += BLOCK;
                }
            }
        }
        // The last block, or one of the last of the output: by way of a spill where there is no room to spare.
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Progress { read: i, written: o };
        }
        let kept = classify.kept;
        let found = classify.block(src, load(isa, src, i), i);
        let escaped = found.escaped & below(n);
        let written = n + 2 * escaped.count_ones() as usize;
        let mut spill: Out<EXPANDED> = [EMPTY_CELL; _];
        let (room, spilled) = match room(dst, o) {
            Some(room) => (room, false),
            None => (&mut spill, true),
        };
        if escaped != 0 {
            isa.expand(found.block, escaped, n, digits, room);
        } else if let Some(room) = room.first_chunk_mut() {
            isa.store(found.block, room);
        }
        if spilled && dst.get_mut(o..).and_then(|dst| copy_spill(&spill, written, dst)).is_none() {
            return finish_bytewise(profile, src, i, dst, o, kept);
        }
        visit.block(i, escaped, found.changes);
        i += n;
        o += written;
    }
}

/// Encodes all of a short `src`, but for the bytes that are marked: bit `i` of word `k` of `marks`, of which there may be too
/// few, speaks of byte `64 * k + i`. How many bytes that makes; `dst` has room for the longest that can be, and [`EXPANDED`]
/// more. Where there are marks, the profile keeps no triplets, and no space is marked.
///
/// For calls whose work is less than what it takes to be ready for any length and any room.
#[inline(always)]
pub(crate) fn encode_short<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &EncodeProfile,
    src: &[u8],
    marks: &[u64],
    dst: &mut [Cell],
) -> usize {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, kept: 0 };
    let mut o = 0;
    for (k, rest) in src.chunks(BLOCK).enumerate() {
        let Some(room) = room::<EXPANDED>(dst, o) else { return o };
        let Classified { block, escaped, .. } = classify.block(src, load(isa, rest, 0), BLOCK * k);
        let mark = if OPTIONS { marks.get(k).copied().unwrap_or_default() } else { 0 };
        let escaped = escaped & !mark & below(rest.len());
        if escaped != 0 {
            isa.expand(block, escaped, rest.len(), profile.digits, room);
        } else if let Some(room) = room.first_chunk_mut() {
            isa.store(block, room);
        }
        o += rest.len() + 2 * escaped.count_ones() as usize;
    }
    o
}

/// Encodes all of a `src` of 1 to [`FEW`] bytes by a set of ASCII alone. Returns how many bytes that makes; `None` if `dst` is too
/// short, but never if nothing changes. No branch depends on which bytes are escaped, and one alone on the length.
#[inline(always)]
pub(crate) fn encode_few<I: Isa>(isa: I, profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Option<usize> {
    let n = src.len();
    let block = isa.load_few(src);
    let lanes = 1_u32.wrapping_shl(n as u32).wrapping_sub(1) as u16;
    let escaped = !isa.contains_mask_ascii(block, &profile.table.half[0]) & u64::from(lanes);
    if escaped == 0 {
        if let Some(room) = dst.first_chunk_mut() {
            isa.store_few(block, room);
        } else if let Some(dst) = dst.get_mut(..n) {
            copy_few(src, dst, cell);
        }
        return Some(n);
    }
    let written = n + 2 * escaped.count_ones() as usize;
    let spills = dst.len() < FEW_EXPANDED;
    if spills && I::MASKED_STORES {
        return isa.expand_exact(block, escaped, n.min(FEW), profile.digits, dst);
    }
    if spills && dst.len() < written {
        return None;
    }
    let mut spill = [EMPTY_CELL; _];
    isa.expand_few(block, escaped, profile.digits, dst.first_chunk_mut().unwrap_or(&mut spill));
    if spills {
        copy_few(&spill[..written.min(FEW_EXPANDED)], dst.get_mut(..written)?, |byte| byte);
    }
    Some(written)
}

/// Bytes of the longest input that [`encode_exact`] takes: all that comes of it is a block at most.
pub(crate) const EXACT: usize = BLOCK / 3;

/// Encodes all of a `src` of [`EXACT`] bytes at most by a set of ASCII alone, with [`MASKED_STORES`](Isa::MASKED_STORES). Returns how
/// many bytes that makes; `None` if `dst` is too short. No branch depends on the bytes.
#[inline(always)]
pub(crate) fn encode_exact<I: Isa>(isa: I, profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Option<usize> {
    let block = isa.load_part(src);
    let escaped = !isa.contains_mask_ascii(block, &profile.table.half[0]) & below(src.len());
    isa.expand_exact(block, escaped, src.len(), profile.digits, dst)
}

/// Goes on byte by byte where a block does not fit. Of a kept triplet that reaches into the block, what was written
/// is taken back first, so that the scalar kernel sees it whole.
#[cold]
fn finish_bytewise(profile: &EncodeProfile, src: &[u8], i: usize, dst: &mut [Cell], o: usize, kept: u64) -> Progress {
    let back = match kept {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    scalar::encode_from(profile, src, i - back, dst, o - back)
}

/// Tells `visit` of every block what encoding would change in it.
#[inline(always)]
pub(crate) fn scan<I: Isa, const OPTIONS: bool>(isa: I, profile: &EncodeProfile, src: &[u8], visit: &mut impl Visitor) {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, kept: 0 };
    let mut i = 0;
    while let Some(block) = chunk::<BLOCK>(src, i) {
        let Classified { escaped, changes, .. } = classify.block(src, isa.load(block), i);
        if !visit.block(i, escaped, changes) {
            return;
        }
        i += BLOCK;
    }
    if i < src.len() {
        let valid = below(src.len() - i);
        let Classified { escaped, changes, .. } = classify.block(src, load(isa, src, i), i);
        visit.block(i, escaped & valid, changes & valid);
    }
}
