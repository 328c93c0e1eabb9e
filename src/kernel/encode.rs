//! Encodes 64 bytes at a time. It first classifies the bytes, then expands some of them to triplets.
//!
//! # The problem
//!
//! Encoding replaces each byte outside a set by three bytes: `%` and two hexadecimal digits. So the offset of a byte in
//! the output depends on all bytes before it. A loop over bytes also has a branch for each byte: escape it or not? If a
//! text mixes both kinds of bytes, no CPU can predict this branch.
//!
//! # The idea
//!
//! 1. *Classify.* Two table look-ups find the bytes to escape in all lanes at once (the head of isa/mod.rs explains
//!    them). The result is a mask.
//! 2. *Expand.* Every byte, escaped or not, becomes four lanes: `[byte, high digit, low digit, %]`. A shuffle then
//!    moves the lanes to write to the front: one for a byte that stays, three for an escaped byte. The mask bits of
//!    four bytes choose the shuffle from a table of 16 rows, so no branch depends on the data.
//! 3. *Store whole registers.* A store may write more bytes than the result has. The next store begins right after the
//!    result, so it overwrites the excess bytes.
//!
//! ```text
//! for each block of 64 bytes:
//!     escaped = !contains(set, block)
//!     with options:    remove spaces that become +, and the bytes of kept triplets, from `escaped`
//!     none escaped:    store the block
//!     one or two:      patch: store the block, store each triplet over its byte, store the following bytes after it
//!     more:            expand the block
//!     o += 64 + 2 * count_ones(escaped)
//! ```
//!
//! # Example
//!
//! `café & tea = ok` has 16 bytes, and a register of this example has 16 bytes too. The set is the unreserved
//! characters of RFC 3986.
//!
//! ```text
//! lane       0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15
//! byte       c  a  f C3 A9 20  & 20  t  e  a 20  = 20  o  k
//! escaped    .  .  .  1  1  1  1  1  .  .  .  1  1  1  .  .      the mask 0x38F8
//!
//! bytes         mask of the four   row of EXPAND4                       stored
//! c  a  f  C3   0b1000             0 4 8 15 13 14                       caf%C3        at  0
//! A9 20 &  20   0b1111             3 1 2 7 5 6 11 9 10 15 13 14         %A9%20%26%20  at  6
//! t  e  a  20   0b1000             0 4 8 15 13 14                       tea%20        at 18
//! =  20 o  k    0b0011             3 1 2 7 5 6 8 12                     %3D%20ok      at 24
//! ```
//!
//! The first row picks lanes of `c63% a61% f66% .C3%`: lanes 0, 4 and 8 are the unescaped bytes, and lanes 15, 13 and
//! 14 are `%C3`. The result has 16 + 2 * 8 = 32 bytes. Each store writes 16 bytes. The first store has a result of only
//! six bytes, so the second store, at offset 6, replaces the other ten.
//!
//! AVX-512 needs no table of shuffles. It spreads 21 bytes to 63 lanes, three for each byte. Then a single instruction
//! drops the unused lanes and closes the gaps.
//!
//! # Why not the obvious way
//!
//! - *Search for the next byte to escape, copy the run before it.* That takes a branch for each run. Runs are short in
//!   URLs, so many of these branches are mispredicted.
//! - *Look each byte up in a table of 256 words.* A word has the one or three bytes to write, and their number. No
//!   branch depends on the data, but each byte takes a store. The scalar kernel does this.
//! - *One shuffle for 16 bytes.* A table for every mask of 16 bits has 65,536 rows. Four bytes at a time need 16 rows,
//!   256 bytes in all.
//!
//! # Details
//!
//! 1. The code with `OPTIONS` false is only for profiles whose set keeps only ASCII, and whose only option may be
//!    `plus`. Callers pass a constant as `plus`. Then the ASCII half of the set's table is enough, and the loop is as
//!    short as possible. All other profiles use the code with `OPTIONS` true. It has branches on options, but they are
//!    predicted, because options never change during a call.
//! 2. With AVX-512 (`Isa::UNROLL4`), one branch decides for four blocks: if no byte needs an escape, all four are
//!    stored. Otherwise, each of the four has a branch, and is stored or expanded. AVX-512 never patches.
//! 3. Near the end of the output, a block is expanded into a spill (a buffer on the stack), and the result is copied to
//!    the output. If the result is longer than the remaining space, the scalar kernel fills this space byte by byte.

use super::{EncodeProfile, Progress, Visitor, below, digits_of, load, scalar};
use crate::isa::{BLOCK, EXPANDED, FEW, FEW_EXPANDED, Isa, Out, copy_spill};
use crate::output::{Cell, EMPTY_CELL, cell};
use crate::set::{ByteSet, NibbleTable};
use crate::words::{chunk, copy_few, room};

const HEX_DIGITS: NibbleTable = ByteSet::of(b"0123456789ABCDEFabcdef").nibble_table();

/// A block, and its masks.
struct Classified<B> {
    /// The bytes of the block. If spaces become `+`, this already has a `+` for each space.
    block: B,
    /// The bytes that become triplets.
    escaped: u64,
    /// The bytes that become triplets or `+`.
    changes: u64,
}

struct Classify<'p, I, const OPTIONS: bool> {
    isa: I,
    profile: &'p EncodeProfile,
    /// Whether a space becomes `+`.
    plus: bool,
    /// If a kept triplet began in the block before, the lanes of its digits in this block: lane 0, or lanes 0 and 1.
    kept: u64,
}

impl<I: Isa, const OPTIONS: bool> Classify<'_, I, OPTIONS> {
    /// Classifies `block` by the set, and finds the spaces that become `+`. Ignores kept triplets.
    #[inline(always)]
    fn members(&self, block: I::Block) -> Classified<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let escaped = if OPTIONS {
            !isa.contains_mask(block, &profile.table)
        } else {
            !isa.contains_mask_ascii(block, &profile.table.half[0])
        };
        let spaces = if self.plus { isa.eq_mask(block, b' ') } else { 0 };
        Classified { block: self.spaced(block), escaped, changes: escaped | spaces }
    }

    /// Removes the lanes of kept triplets from the masks of `found`. `block` starts at offset `at` of `src`.
    #[inline(always)]
    fn keep_triplets(&mut self, found: &mut Classified<I::Block>, src: &[u8], block: I::Block, at: usize) {
        let percents = self.isa.eq_mask(block, b'%');
        let digits = self.isa.contains_mask_ascii(block, &HEX_DIGITS.half[0]);
        let [mut next, mut after] = [digits >> 1, digits >> 2];
        // A `%` in the last two lanes is rare, so this branch is predicted.
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

    /// Classifies `block`, which starts at offset `at` of `src`. The resulting `escaped` may have lanes past the end of
    /// `src`.
    #[inline(always)]
    fn block(&mut self, src: &[u8], block: I::Block, at: usize) -> Classified<I::Block> {
        if !OPTIONS {
            return self.members(block);
        }
        let mut found = self.members(block);
        // If triplets are kept, the set of bytes that stay has no `%`. So a block that needs no escape has no `%`
        // either. All other blocks are searched for triplets, even without a `%`, because a test for `%` would be a
        // branch that can't be predicted.
        if self.profile.keep_triplets {
            if found.escaped == 0 {
                self.kept = 0;
            } else {
                self.keep_triplets(&mut found, src, block, at);
            }
        }
        found
    }

    /// Returns `block`. If spaces become `+`, the result has a `+` for each space.
    #[inline(always)]
    fn spaced(&self, block: I::Block) -> I::Block {
        if self.plus { self.isa.replace(block, block, b' ', b'+') } else { block }
    }
}

/// A block with at most this many bytes to escape is patched instead of expanded.
const PATCHES: usize = 2;

/// The number of input bytes that [`patch`] may read: a block, the byte after it, and 64 more. An unused patch replaces
/// the byte after the block, and copies the 64 bytes after that byte.
const PATCHED: usize = 2 * BLOCK + 1;

impl<I: Isa, const OPTIONS: bool> Classify<'_, I, OPTIONS> {
    /// Writes a block with at most [`PATCHES`] bytes to escape. `window` begins with the block.
    ///
    /// First stores the whole block. Then, for each byte to escape, overwrites the byte with its triplet, and stores
    /// the next 64 bytes of the input after the triplet. If there are fewer than [`PATCHES`] bytes to escape, the
    /// unused patches are written after the block, and the next block overwrites them. So no branch depends on the
    /// number of patches.
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

/// Encodes `src` into `dst`, until `src` ends or `dst` is full. Passes the masks of every block to `visit`.
#[inline(always)]
pub(crate) fn encode<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &EncodeProfile,
    plus: bool,
    src: &[u8],
    dst: &mut [Cell],
    visit: &mut impl Visitor,
) -> Progress {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, plus, kept: 0 };
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
                // We join the masks of the four blocks, so that one branch decides for all four. In an input with few
                // `%`, the CPU predicts this branch, but it wouldn't predict a branch for each block. There is no loop
                // over the blocks, because a loop would keep all four in memory instead of registers.
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
                // Expanding a block takes longer than a mispredicted branch, so each block of a group has a branch.
                if clean || found.escaped == 0 {
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
                // This loop only loads, tests and stores. It ends at the first block with a byte that needs an escape.
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
        // This is the last block of the input, or one of the last blocks of the output. If the output has no room for a
        // whole-register store, the block goes through a spill.
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

/// Encodes all of a short `src`, but copies the marked bytes. Returns the length of the output.
///
/// Bit `i` of word `k` of `marks` marks byte `64 * k + i`. Missing words mark no byte. If `marks` isn't empty, the
/// profile must not keep triplets, and a space must not be marked. `dst` needs space for the longest output and
/// [`EXPANDED`] more bytes.
///
/// Use it only for short inputs. On these, [`encode`] would spend more time on preparing for any length and any output
/// size than on the encoding.
#[inline(always)]
pub(crate) fn encode_short<I: Isa, const OPTIONS: bool>(
    isa: I,
    profile: &EncodeProfile,
    plus: bool,
    src: &[u8],
    marks: &[u64],
    dst: &mut [Cell],
) -> usize {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, plus, kept: 0 };
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

/// Encodes a `src` of 1 to [`FEW`] bytes by a set that keeps only ASCII. Returns the length of the output, or `None` if
/// `dst` is too short. There is one exception: if every byte is in the set and `dst` is too short, it returns the
/// length and writes no byte.
///
/// One branch depends on whether any byte is escaped, and one on the length. No branch depends on the lanes of the
/// escaped bytes.
#[inline(always)]
pub(crate) fn encode_few<I: Isa>(
    isa: I,
    profile: &EncodeProfile,
    plus: bool,
    src: &[u8],
    dst: &mut [Cell],
) -> Option<usize> {
    let n = src.len();
    let block = isa.load_few(src);
    let lanes = 1_u32.wrapping_shl(n as u32).wrapping_sub(1) as u16;
    let escaped = !isa.contains_mask_ascii(block, &profile.stays) & u64::from(lanes);
    if escaped == 0 {
        if let Some(room) = dst.first_chunk_mut() {
            isa.store_few(block, room);
        } else if let Some(dst) = dst.get_mut(..n) {
            copy_few(src, dst, cell);
        }
        return Some(n);
    }
    let (block, escaped) = spaced_few(isa, plus, block, escaped);
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

/// The length of the longest input of [`encode_exact`]. At this length, even the longest output fits in a block.
pub(crate) const EXACT: usize = BLOCK / 3;

/// Encodes a `src` of up to [`EXACT`] bytes by a set that keeps only ASCII. This function needs
/// [`MASKED_STORES`](Isa::MASKED_STORES). Returns the length of the output, or `None` if `dst` is too short. No branch
/// depends on the bytes.
#[inline(always)]
pub(crate) fn encode_exact<I: Isa>(isa: I, profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Option<usize> {
    let block = isa.load_part(src);
    let escaped = !isa.contains_mask_ascii(block, &profile.stays) & below(src.len());
    let (block, escaped) = spaced_few(isa, profile.plus, block, escaped);
    isa.expand_exact(block, escaped, src.len(), profile.digits, dst)
}

/// If spaces become `+`, returns `block` with a `+` for each space, and removes the lanes of spaces from `escaped`.
#[inline(always)]
fn spaced_few<I: Isa>(isa: I, plus: bool, block: I::Block, escaped: u64) -> (I::Block, u64) {
    if !plus {
        return (block, escaped);
    }
    let spaces = isa.eq_mask(block, b' ');
    (isa.select(spaces, isa.splat(b'+'), block), escaped & !spaces)
}

/// Continues byte by byte if the output of a block does not fit. If a kept triplet began in the block before, the
/// scalar kernel starts at the `%` of that triplet, so that it sees the whole triplet.
#[cold]
fn finish_bytewise(profile: &EncodeProfile, src: &[u8], i: usize, dst: &mut [Cell], o: usize, kept: u64) -> Progress {
    let back = match kept {
        0 => 0,
        1 => 2,
        _ => 1,
    };
    scalar::encode_from(profile, src, i - back, dst, o - back)
}

/// Finds the bytes that encoding would change. Passes their masks to `visit`, block by block. If `OPTIONS` is false, a
/// space that becomes `+` counts as escaped.
#[inline(always)]
pub(crate) fn scan<I: Isa, const OPTIONS: bool>(isa: I, profile: &EncodeProfile, src: &[u8], visit: &mut impl Visitor) {
    let mut classify = Classify::<I, OPTIONS> { isa, profile, plus: profile.plus, kept: 0 };
    let mut masks = |block, i| {
        if OPTIONS {
            let Classified { escaped, changes, .. } = classify.block(src, block, i);
            return (escaped, changes);
        }
        let changes = !isa.contains_mask_ascii(block, &profile.stays);
        (changes, changes)
    };
    let mut i = 0;
    while let Some(block) = chunk::<BLOCK>(src, i) {
        let (escaped, changes) = masks(isa.load(block), i);
        if !visit.block(i, escaped, changes) {
            return;
        }
        i += BLOCK;
    }
    if i < src.len() {
        let valid = below(src.len() - i);
        let (escaped, changes) = masks(load(isa, src, i), i);
        visit.block(i, escaped & valid, changes & valid);
    }
}
