//! Decoding.
//!
//! ```text
//! for each block of 64 bytes:
//!     (full: put a space in the place of each + if that is asked for)
//!     if it holds no %, and nothing is carried in: store the block
//!     starts = lanes of % with hexadecimal digits in the next two         (lenient: all others are data)
//!     put the byte that it stands for in the place of each start         (full: less those kept)
//!     drop the two lanes after each start, some of them in the next block: carry
//!     compact the block to the lanes that are left
//! ```
//!
//! 1. The two bytes after a block are read with two more loads. They depend on nothing, so what one block hands to
//!    the next is the carry and the output offset: a few cycles.
//! 2. `OPTIONS` is false where every triplet is decoded and nothing else happens. Everything else goes the other way, in
//!    which the options are branches that never change. Four blocks at once have a loop for each of the common options, as
//!    there a branch in every block costs more than what it decides.
//! 3. Where latent triplets stay (see `DecodeProfile::keeps_latent`), the byte-wise rule is asked about each malformed `%`
//!    that has a triplet behind it. That is rare, and what it finds is copied: lanes less to decode, perhaps some of
//!    the next block.
//! 4. At an error (a malformed `%` in strict decoding, a rejected byte) the lanes before it are written and the kernel
//!    returns. The caller makes the error from the input at that offset.

use super::{
    DecodeProfile, PlusStart, Progress, Scan, Short, Visitor, WINDOW, below, digits_of, load, load_any, load_window,
    scalar,
};
use crate::isa::{BLOCK, COMPACTED, Isa};
use crate::output::{Cell, cell};
use crate::set::NibbleTable;
use crate::triplet::complete_triplets_len;
use crate::words::{chunk, load_small, room, spaced, store_small};

/// The decoded form of a block.
#[derive(Clone, Copy)]
struct Classified<B> {
    /// The bytes, with what triplets stand for in the place of their `%`.
    block: B,
    /// Triplets to be decoded, by their `%`.
    starts: u64,
    /// Triplets that are not: those kept, or if there are none, those rejected.
    stay: u64,
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
    /// Each `+` is a space.
    pluses: bool,
    /// Triplets that are not decoded: those kept, or if there are none, those rejected.
    except: Option<&'p NibbleTable>,
    /// All lanes if triplets of `except` are rejected, none if they are kept.
    reject_mask: u64,
    /// Triplets that are rejected, where others are kept.
    reject: Option<&'p NibbleTable>,
    carry: Carry,
}

/// The treatment of triplets that are not decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Exception {
    /// They are kept.
    Kept,
    /// They are kept, with digits in upper case.
    Upper,
    /// They stop the decoding.
    Rejected,
}

/// The state that one block leaves to the next.
#[derive(Clone, Copy)]
struct Carry {
    /// Lanes to be dropped, as they belong to a triplet decoded in the block before.
    digit_lanes: u64,
    /// Lanes that are digits of a triplet kept in the block before, if those are to be upper-case.
    kept: u64,
    /// Offsets in the input at which the last latent triplet that stays starts and ends.
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

    /// Returns the lanes that may start a triplet.
    #[inline(always)]
    fn busy(&self, block: I::Block) -> u64 {
        self.isa.eq_mask(block, b'%')
    }

    /// Returns `block` with a space in the place of each `+`, if that is what they are.
    #[inline(always)]
    fn spaced(&self, block: I::Block) -> I::Block {
        if OPTIONS && self.pluses { self.isa.replace(block, block, b'+', b' ') } else { block }
    }

    /// Returns the lanes that a triplet of the block before covers.
    #[inline(always)]
    fn carried(&self) -> u64 {
        self.carry.digit_lanes | self.carry.kept
    }

    /// Classifies a block, given with those one and two bytes further on. Triplets of the bytes in `except` are not decoded.
    #[inline(always)]
    fn classify(&self, [block, next, after]: [I::Block; 3], except: Option<&NibbleTable>) -> Classified<I::Block> {
        let isa = self.isa;
        let blocks = [block, next, after];
        let (valid, starts, block) = match except {
            Some(table) if OPTIONS => isa.triplets_except(block, next, after, table),
            _ => {
                let (starts, decoded) = isa.triplets(block, next, after);
                (starts, starts, decoded)
            }
        };
        let (stay, malformed) = (valid & !starts, isa.malformed(blocks, valid));
        Classified { block, starts, stay, digit_lanes: 0, changes: starts, malformed, rejected: 0 }
    }

    /// Marks the digits of what is decoded, those of the block before among them.
    #[inline(always)]
    fn drop_digits(&mut self, found: &mut Classified<I::Block>) {
        let [digits, next_digits] = digits_of(found.starts);
        found.digit_lanes = digits | self.carry.digit_lanes;
        self.carry.digit_lanes = next_digits;
    }

    /// Makes the digits of what is kept upper-case, those of the block before among them.
    #[inline(always)]
    fn upper_digits(&mut self, found: &mut Classified<I::Block>) {
        let [digits, next_digits] = digits_of(found.stay);
        let digits = digits | self.carry.kept;
        self.carry.kept = next_digits;
        // No hexadecimal digit is above the lower-case ones.
        let lower = digits & self.isa.at_least_mask(found.block, b'a');
        // Most texts have one kind of digits.
        if I::UNROLL4 || lower != 0 {
            found.block = self.isa.select(lower, self.isa.xor(found.block, 0x20), found.block);
            found.changes |= lower;
        }
    }

    /// Decodes the block at `at` of `src`, given with those one and two bytes further on. Unless `LATENT`, no latent triplet stays,
    /// and none reaches into it.
    #[inline(always)]
    fn block<const LATENT: bool>(&mut self, blocks: [I::Block; 3], src: &[u8], at: usize) -> Classified<I::Block> {
        let (isa, profile) = (self.isa, self.profile);
        let mut found = self.classify(blocks, self.except);
        if OPTIONS {
            found.rejected = match self.reject {
                None => found.stay & self.reject_mask,
                Some(table) => isa.contains_mask(found.block, table) & found.starts,
            };
            if self.pluses {
                found.block = isa.replace(found.block, blocks[0], b'+', b' ');
            }
            if LATENT && profile.keeps_latent() {
                // Nothing is known here of what follows the last two lanes.
                let latent = found.malformed & (found.starts >> 1 | found.starts >> 2 | 0b11 << 62);
                if latent != 0 || self.carry.latent.1 > at {
                    let (lanes, last) = latent_lanes(profile, self.carry.latent, src, at, latent);
                    self.carry.latent = last;
                    found.starts &= !lanes;
                    found.changes = found.starts;
                    // No `+` is among them.
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

    /// Returns which triplets of `found` that are kept have a lower-case digit.
    #[inline(always)]
    fn lower_digits(&self, found: &Classified<I::Block>, [_, next, after]: [I::Block; 3]) -> u64 {
        found.stay & (self.isa.at_least_mask(next, b'a') | self.isa.at_least_mask(after, b'a'))
    }

    /// Completes four blocks that have been classified, of `windows`. If `upper`, the digits of what is kept become upper-case, and
    /// nothing is malformed.
    #[inline(always)]
    fn complete_fours(
        &mut self,
        windows: [[I::Block; 3]; 4],
        mut founds: [Classified<I::Block>; 4],
        upper: bool,
    ) -> [Classified<I::Block>; 4] {
        // No loops, which would not be unrolled at opt-level "z".
        let [a, b, c, d] = &mut founds;
        if OPTIONS && self.pluses {
            a.block = self.isa.replace(a.block, windows[0][0], b'+', b' ');
            b.block = self.isa.replace(b.block, windows[1][0], b'+', b' ');
            c.block = self.isa.replace(c.block, windows[2][0], b'+', b' ');
            d.block = self.isa.replace(d.block, windows[3][0], b'+', b' ');
        }
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
            // Most texts have one kind of digits.
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

    /// Returns whether the step after the loops is to look at `found`: it may end the decoding, or holds a malformed `%` in
    /// `malformed_mask`.
    #[inline(always)]
    fn leaves_loop(found: &Classified<I::Block>, malformed_mask: u64) -> bool {
        found.malformed & malformed_mask | found.rejected != 0
    }

    /// Returns the lanes of `found` for which four blocks are not done at once. They may be any that start no triplet.
    #[inline(always)]
    fn leaves_fours(&self, exception: Exception, [block, ..]: [I::Block; 3], found: &Classified<I::Block>) -> u64 {
        match exception {
            Exception::Rejected => self.busy(block) & !found.starts,
            Exception::Kept | Exception::Upper => found.malformed,
        }
    }

    /// Returns the lanes at which the loops look for a malformed `%` once it is known where the first is: all if it may begin a
    /// latent triplet, none otherwise.
    #[inline(always)]
    fn later_malformed_mask(&self) -> u64 {
        if OPTIONS && self.profile.keeps_latent() { !0 } else { 0 }
    }

    /// Returns whether a latent triplet reaches over `at`, so that the loops cannot take the block there.
    #[inline(always)]
    fn in_latent(&self, at: usize) -> bool {
        OPTIONS && self.carry.latent.1 > at
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

/// Decodes `src` into `dst` as far as that has room, or up to an error, and shows `visit` every block decoded. If `pluses`, each
/// `+` is a space.
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
    // The lanes at which a malformed `%` is looked at: none once it is known where the first is, and that does not stop.
    let mut malformed_mask = !0;
    loop {
        if I::UNROLL4 && !unescape.in_latent(i) {
            // A loop for each of these, as a branch in every block costs more than the option. The others go block by block.
            (i, o) = match unescape.except {
                Some(table) if OPTIONS && table.is_ascii() && unescape.reject.is_none() => {
                    // Which is known to the compiler.
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
        let in_latent = unescape.in_latent(i);
        while !in_latent && let (Some(window), Some(room)) = (chunk::<WINDOW>(src, i), room::<COMPACTED>(dst, o)) {
            let block = load(isa, window, 0);
            if unescape.busy(block) | unescape.carried() == 0 {
                if let Some(room) = room.first_chunk_mut() {
                    isa.store(unescape.spaced(block), room);
                }
                visit.block(i, 0, 0);
                i += BLOCK;
                o += BLOCK;
                if I::UNROLL4 {
                    continue;
                }
                // As long as blocks stay: nothing but to load, test and store.
                let (blocks, _) = src[i..].as_chunks::<BLOCK>();
                let (rooms, _) = dst[o..].as_chunks_mut::<BLOCK>();
                for (block, room) in blocks.iter().zip(rooms) {
                    let block = isa.load(block);
                    if unescape.busy(block) != 0 {
                        break;
                    }
                    isa.store(unescape.spaced(block), room);
                    visit.block(i, 0, 0);
                    i += BLOCK;
                    o += BLOCK;
                }
            } else {
                let before = unescape.carry;
                // Loaded only here: registers of 16 bytes are too few to hold three blocks over the loop above.
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
        // The last block, or one that may stop the decoding, or one for which the output may be too small.
        let n = (src.len() - i).min(BLOCK);
        if n == 0 {
            return Progress { read: i, written: o };
        }
        let before = unescape.carry;
        let found = unescape.block::<true>(load_any(isa, src, i), src, i);
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
            if !OPTIONS {
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

/// Decodes four blocks at a time from `i` of `src` to `o` of `dst`, as far as that has room, or up to four of which one
/// leaves the loop. What happens to triplets of the bytes in `except` is known to the compiler. Returns the offsets after
/// them.
#[inline(always)]
fn decode_fours<I: Isa, const OPTIONS: bool>(
    unescape: &mut Unescape<'_, I, OPTIONS>,
    except: Option<&NibbleTable>,
    exception: Exception,
    (src, mut i, dst, mut o, malformed_mask, visit): (&[u8], usize, &mut [Cell], usize, u64, &mut impl Visitor),
) -> (usize, usize) {
    let isa = unescape.isa;
    while let (Some(four), Some(room)) =
        (chunk::<{ 3 * BLOCK + WINDOW }>(src, i), room::<{ 3 * BLOCK + COMPACTED }>(dst, o))
    {
        let windows = [
            load_window(isa, four, 0),
            load_window(isa, four, BLOCK),
            load_window(isa, four, 2 * BLOCK),
            load_window(isa, four, 3 * BLOCK),
        ];
        let busy = unescape.busy(windows[0][0])
            | unescape.busy(windows[1][0])
            | unescape.busy(windows[2][0])
            | unescape.busy(windows[3][0])
            | unescape.carried();
        let mut at = 0;
        if busy == 0 {
            for [block, ..] in windows {
                if let Some(room) = self::room(room, at) {
                    isa.store(unescape.spaced(block), room);
                }
                visit.block(i + at, 0, 0);
                at += BLOCK;
            }
        } else {
            let [a, b, c, d] = windows;
            let founds = [
                unescape.classify(a, except),
                unescape.classify(b, except),
                unescape.classify(c, except),
                unescape.classify(d, except),
            ];
            // Without a branch for each.
            let leaves = unescape.leaves_fours(exception, windows[0], &founds[0])
                | unescape.leaves_fours(exception, windows[1], &founds[1])
                | unescape.leaves_fours(exception, windows[2], &founds[2])
                | unescape.leaves_fours(exception, windows[3], &founds[3]);
            if leaves & if exception == Exception::Kept { malformed_mask } else { !0 } != 0 {
                break;
            }
            let founds = unescape.complete_fours(windows, founds, exception == Exception::Upper);
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
    (i, o)
}

/// Decodes every triplet of a short `src`, and every `+` from `plus` on to a space. `dst` has room for it, and [`COMPACTED`]
/// more unless `EXACT`.
///
/// For inputs so short that to be ready for any length, any output size and any options would cost more than the work.
#[inline(always)]
pub(crate) fn decode_short<I: Isa, const EXACT: bool>(isa: I, src: &[u8], dst: &mut [Cell], plus: PlusStart) -> Short {
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false);
    let (mut o, mut malformed, mut high) = (0, 0, 0);
    for at in (0..src.len()).step_by(BLOCK) {
        let blocks @ [block, ..] = load_any(isa, src, at);
        let found = unescape.block::<false>(blocks, src, at);
        let keep = below(src.len() - at) & !found.digit_lanes;
        let written = keep.count_ones() as usize;
        let mut decoded = found.block;
        if plus != PlusStart::NONE {
            let pluses = isa.eq_mask(block, b'+') & !below(plus.from.saturating_sub(at));
            decoded = isa.select(pluses, isa.splat(b' '), decoded);
        }
        let stored = if EXACT {
            dst.get_mut(o..).and_then(|dst| isa.compact_exact(decoded, keep, written, dst))
        } else {
            room(dst, o).map(|room| isa.compact(decoded, keep, room))
        };
        if stored.is_none() {
            return Short::NONE;
        }
        o += written;
        malformed |= found.malformed;
        high |= isa.high_mask(decoded);
    }
    Short::new(o, malformed != 0, high != 0)
}

/// Decodes every triplet of a `src` of a block at most, with [`MASKED_STORES`](Isa::MASKED_STORES): returns the block, which of its
/// bytes are the output, and the result of storing these. There is no loop, so all is kept in few registers.
#[inline(always)]
fn decoded_block<I: Isa>(isa: I, src: &[u8], pluses: bool) -> (I::Block, u64, Short) {
    let mut block = isa.load_part(src);
    if pluses {
        block = isa.replace(block, block, b'+', b' ');
    }
    let [next, after] = isa.lookahead(block);
    let found =
        Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false).block::<false>([block, next, after], src, 0);
    // Triplets end before the input does.
    let written = src.len().saturating_sub(found.digit_lanes.count_ones() as usize);
    (found.block, !found.digit_lanes, Short::new(written, found.malformed != 0, true))
}

/// Bytes up to which an input is decoded 16 at a time, without masked stores.
pub(crate) const EXACT: usize = 24;

/// Decodes every triplet of a `src` of few bytes, 16 at a time, if there are registers of 16 bytes.
#[inline(always)]
pub(crate) fn decode_tiny<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (mut rest, mut o, mut malformed) = (src, 0, false);
    while !rest.is_empty() {
        // No triplet is cut.
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
            // Two stores from which two words can be read.
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

/// Decodes like [`decode_tiny`], in place. Does nothing if a `%` is malformed and that is `refused`.
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

/// Decodes every triplet of a `src` of a block at most, with [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn decode_block<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (block, keep, result) = decoded_block(isa, src, pluses);
    match result.len().and_then(|written| isa.compact_exact(block, keep, written, dst)) {
        Some(()) => result,
        None => Short::NONE,
    }
}

/// Copies `src`, longer than a block, to `dst` as long as there is no `%`. Returns whether that was all.
#[inline(always)]
pub(crate) fn copy_clean<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell]) -> bool {
    let (blocks, _) = src.as_chunks::<BLOCK>();
    let (rooms, _) = dst.as_chunks_mut::<BLOCK>();
    let mut busy = 0;
    for (block, room) in blocks.iter().zip(rooms) {
        let block = isa.load(block);
        busy |= isa.eq_mask(block, b'%');
        isa.store(block, room);
    }
    // The last block overlaps the one before it.
    let end = src.len();
    if let (Some(block), Some(room)) = (src.last_chunk(), dst.get_mut(..end).and_then(|dst| dst.last_chunk_mut())) {
        let block = isa.load(block);
        busy |= isa.eq_mask(block, b'%');
        isa.store(block, room);
    }
    busy == 0
}

/// Decodes every triplet of a short `buffer` into its own front, with [`MASKED_STORES`](Isa::MASKED_STORES), which write no byte
/// that is yet to be read. Does nothing if a `%` is malformed and that is `refused`.
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
    if count_percent(isa, buffer) == 0 {
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
        // There is room: no output is longer than the input that was read.
        if let Some(room) = buffer.get_mut(o..) {
            let _ = isa.compact_in_place(found.block, keep, written, room);
        }
        o += written;
    }
    Short::new(o, malformed != 0, true)
}

/// Continues byte by byte where a block does not fit the output. The carry of the block before is resolved first: the digits
/// of a decoded triplet are skipped, and a kept triplet is taken back, so that the scalar kernel sees all of it.
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
    let mut unescape = Unescape::<I, OPTIONS>::new(isa, profile, false);
    let plus_lanes = |block: I::Block, at: usize| {
        let some = OPTIONS && plus != PlusStart::NONE;
        if some { isa.eq_mask(block, b'+') & !below(plus.from.saturating_sub(at)) } else { 0 }
    };
    // As in `decode`.
    let mut malformed_mask = !0;
    let mut i = 0;
    loop {
        let in_latent = unescape.in_latent(i);
        while !in_latent && let Some(window) = chunk::<WINDOW>(src, i) {
            let blocks @ [block, ..] = load_window(isa, window, 0);
            let (mut hits, mut changes) = (0, plus_lanes(block, i));
            // There is no test where it costs more than the work.
            if I::UNROLL4 && !OPTIONS || unescape.busy(block) | unescape.carried() != 0 {
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
