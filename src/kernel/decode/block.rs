//! The state and the masks that decode one block.

use crate::isa::{BLOCK, Isa};
use crate::kernel::{DecodeProfile, Visitor, below, digits_of, load_any};
use crate::output::{Cell, cell};
use crate::set::NibbleTable;
use crate::triplet::triplet;
use crate::words::{chunk, room};

/// A decoded block, and its masks. The lane of a triplet is the lane of its `%`.
#[derive(Clone, Copy)]
pub(super) struct Classified<B> {
    /// The bytes, with the decoded byte in place of each `%`.
    pub(super) block: B,
    /// Triplets to decode.
    pub(super) starts: u64,
    /// Triplets that are not decoded. These are the kept triplets or, without a kept set, the rejected triplets.
    pub(super) stay: u64,
    /// The lanes of the digits of decoded triplets. They include the digits of a triplet that began in the block
    /// before.
    pub(super) digit_lanes: u64,
    /// All lanes whose byte changes.
    pub(super) changes: u64,
    pub(super) malformed: u64,
    pub(super) rejected: u64,
}

impl<B> Classified<B> {
    /// Returns the masks of a block without a `%`.
    #[inline(always)]
    pub(super) fn unchanged(block: B) -> Self {
        Classified { block, starts: 0, stay: 0, digit_lanes: 0, changes: 0, malformed: 0, rejected: 0 }
    }
}

pub(super) struct Unescape<'p, I, const OPTIONS: bool> {
    pub(super) isa: I,
    profile: &'p DecodeProfile,
    /// Whether each `+` is a space.
    pluses: bool,
    /// The bytes whose triplets are not decoded. This is the kept set or, without a kept set, the rejected set.
    pub(super) except: Option<&'p NibbleTable>,
    /// All lanes if triplets of `except` are rejected, or no lanes if they are kept.
    reject_mask: u64,
    /// The rejected bytes, if the decoder has a kept and a rejected set. If it has only a rejected set, `except` has
    /// the bytes of that set.
    pub(super) reject: Option<&'p NibbleTable>,
    pub(super) carry: Carry,
}

/// How triplets of the bytes in `except` are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Exception {
    /// The triplets are kept.
    Kept,
    /// The triplets are kept, and their digits become upper-case.
    Upper,
    /// The triplets stop the decoding.
    Rejected,
}

/// The state that one block hands to the next.
#[derive(Clone, Copy)]
pub(super) struct Carry {
    /// A mask of the first lanes of the block, if they have the digits of a triplet that the block before decoded.
    /// These lanes are dropped.
    pub(super) digit_lanes: u64,
    /// A mask of the first lanes of the block, if they have the digits of a triplet that the block before kept. These
    /// digits become upper-case.
    pub(super) kept: u64,
    /// Offsets in the input of the start and the end of the last latent triplet.
    pub(super) latent: (usize, usize),
}

impl Carry {
    pub(super) const NONE: Carry = Carry { digit_lanes: 0, kept: 0, latent: (0, 0) };
}

impl<'p, I: Isa, const OPTIONS: bool> Unescape<'p, I, OPTIONS> {
    #[inline(always)]
    pub(super) fn new(isa: I, profile: &'p DecodeProfile, pluses: bool) -> Self {
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
    pub(super) fn percent_mask(&self, block: I::Block) -> u64 {
        self.isa.eq_mask(block, b'%')
    }

    /// Returns `block`, with a space for each `+` if the decoder reads `+` as a space.
    #[inline(always)]
    pub(super) fn spaced(&self, block: I::Block) -> I::Block {
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
    pub(super) fn carried(&self) -> u64 {
        self.carry.digit_lanes | self.carry.kept
    }

    /// Classifies a block. `next` was loaded one byte after `block`, and `after` two bytes after `block`. Triplets of
    /// the bytes in `except` are not decoded.
    #[inline(always)]
    pub(super) fn classify(
        &self,
        [block, next, after]: [I::Block; 3],
        except: Option<&NibbleTable>,
    ) -> Classified<I::Block> {
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
    pub(super) fn drop_digits(&mut self, found: &mut Classified<I::Block>) {
        let [digits, next_digits] = digits_of(found.starts);
        found.digit_lanes = digits | self.carry.digit_lanes;
        self.carry.digit_lanes = next_digits;
    }

    /// Makes the digits of kept triplets upper-case, including the digits in the carry.
    #[inline(always)]
    pub(super) fn upper_digits(&mut self, found: &mut Classified<I::Block>) {
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
    pub(super) fn block<const LATENT: bool>(
        &mut self,
        blocks: [I::Block; 3],
        src: &[u8],
        at: usize,
    ) -> Classified<I::Block> {
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
    pub(super) fn decode_exact(&mut self, src: &[u8], i: &mut usize, dst: &mut [Cell], o: &mut usize) -> Option<u64> {
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
    pub(super) fn decode_one(
        &self,
        src: &[u8],
        i: &mut usize,
        dst: &mut [Cell],
        o: &mut usize,
        visit: &mut impl Visitor,
    ) -> bool {
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

    /// Returns true if the block `found` ends the loops, because it has a rejected triplet, or a malformed `%` in a
    /// lane of `malformed_mask`. The code after the loops then handles the block.
    #[inline(always)]
    pub(super) fn leaves_loop(found: &Classified<I::Block>, malformed_mask: u64) -> bool {
        found.malformed & malformed_mask | found.rejected != 0
    }

    /// Returns the lanes in which the loops look for a malformed `%` after the first one was found. If latent triplets
    /// are kept, these are all lanes, because any malformed `%` may begin a latent triplet. Otherwise, the result is 0.
    #[inline(always)]
    pub(super) fn later_malformed_mask(&self) -> u64 {
        if OPTIONS && self.profile.keeps_latent() { !0 } else { 0 }
    }

    /// Returns whether a latent triplet that began earlier ends after offset `at`. The loops can't decode a block that
    /// begins inside a latent triplet.
    #[inline(always)]
    pub(super) fn latent_reaches(&self, at: usize) -> bool {
        OPTIONS && self.carry.latent.1 > at
    }

    /// Returns the lanes of `found` that stop the decoding.
    #[inline(always)]
    pub(super) fn stop_mask(&self, found: &Classified<I::Block>) -> u64 {
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
