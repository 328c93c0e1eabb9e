//! Decodes four blocks at a time. Only the instruction sets with [`UNROLL4`](Isa::UNROLL4) do so.

use super::block::{Classified, Exception, Unescape};
use crate::isa::{BLOCK, COMPACTED, Isa, Out};
use crate::kernel::{DecodeProfile, Short, Visitor, WINDOW, digits_of, load, load_any};
use crate::output::Cell;
use crate::set::NibbleTable;
use crate::words::{chunk, room};

impl<I: Isa, const OPTIONS: bool> Unescape<'_, I, OPTIONS> {
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
}

/// Decodes four blocks at a time from offset `i` of `src` to offset `o` of `dst`. Returns the offsets in `src` and
/// `dst` after the last block.
///
/// Stops at the end of `src` or `dst`. Also stops before a group of four blocks if one of its blocks has a malformed
/// `%` or a rejected triplet. Each caller passes a constant as `exception`, so the compiler removes the code for its
/// other values.
#[inline(always)]
pub(super) fn decode_fours<I: Isa, const OPTIONS: bool>(
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
pub(super) const FOUR_DECODED: usize = 3 * BLOCK + COMPACTED;

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
