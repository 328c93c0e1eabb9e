//! Decodes inputs that are too short for the preparations of [`decode`](super::decode).

use super::block::{Carry, Exception, Unescape};
use super::fours::{FOUR_DECODED, decode_four_short, decode_fours};
use crate::isa::{BLOCK, Isa};
use crate::kernel::{DecodeProfile, PlusStart, Short, below, load, load_any, scalar};
use crate::output::{Cell, cell};
use crate::triplet::complete_triplets_len;
use crate::words::{load_small, room, spaced, store_small};

/// Decodes every triplet of a short `src`. From the offset in `plus` on, also decodes every `+` to a space. `dst` must
/// have space for the output and for [`COMPACTED`] more bytes.
///
/// Use it only for short inputs. On these, [`decode`](super::decode) would spend more time on preparing for any length, any output
/// size and any options than on the decoding.
#[inline(always)]
pub(crate) fn decode_short<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], plus: PlusStart) -> Short {
    if I::UNROLL4
        && let Some(pluses) = plus.always()
        && let Some(result) = decode_four_short(isa, src, dst, pluses)
    {
        return result;
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false);
    let (mut o, mut malformed, mut high) = (0, 0, 0);
    for at in (0..src.len()).step_by(BLOCK) {
        let blocks @ [block, ..] = load_any(isa, src, at);
        let found = unescape.block::<false>(blocks, src, at);
        let keep = below(src.len() - at) & !found.digit_lanes;
        let mut decoded = found.block;
        if plus == PlusStart::ALL {
            decoded = isa.replace(decoded, block, b'+', b' ');
        } else if plus != PlusStart::NONE {
            let pluses = isa.eq_mask(block, b'+') & plus.lanes(at);
            decoded = isa.select(pluses, isa.splat(b' '), decoded);
        }
        let Some(room) = room(dst, o) else { return Short::NONE };
        isa.compact(decoded, keep, room);
        o += keep.count_ones() as usize;
        malformed |= found.malformed;
        high |= isa.high_mask(decoded);
    }
    Short::new(o, malformed != 0, high != 0)
}

/// Engines with masked stores decode inputs up to this length without a buffer. A strict decoder decodes the whole input
/// before it learns of a malformed `%`, so this length must not be large.
pub(crate) const EXACT_MASKED: usize = 128 * BLOCK;

/// Decodes every triplet of a `src` of more than one and at most two blocks. If `pluses` is true, also decodes every `+`
/// to a space. The `Isa` must have [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn decode_two<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
    if copy_clean(isa, src, dst, pluses) {
        return Short::written(src.len());
    }
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let (mut i, mut o, mut malformed) = (0, 0, 0);
    while i < src.len() {
        let Some(found) = unescape.decode_exact(src, &mut i, dst, &mut o) else { return Short::NONE };
        malformed |= found;
    }
    Short::new(o, malformed != 0, true)
}

/// Decodes like [`decode_two`], but takes more than two blocks, and at most [`EXACT_MASKED`] bytes.
///
/// This function knows the options and handles no errors. So outside of its loop, it takes half of the time of
/// [`decode`](super::decode).
#[inline(always)]
pub(crate) fn decode_many<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> Short {
    let mut unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    let (mut i, mut o, mut malformed_mask) = (0, 0, !0);
    loop {
        let unread = (src, i, &mut *dst, o, malformed_mask, &mut ());
        (i, o) = decode_fours(&mut unescape, None, Exception::Kept, unread);
        let (Some(rest), Some(room)) = (src.get(i..), dst.get_mut(o..)) else { return Short::NONE };
        // `decode_fours` stops before the last block, and earlier if `dst` is just as long as the output. If the rest has
        // no `%`, a copy is faster than the loop below. If the text so far has at most one escape in 128 bytes, the rest
        // probably has none. In other text, this branch would often be mispredicted.
        let is_sparse = (i - o) * BLOCK <= i;
        let fits = !rest.is_empty() && rest.len() < FOUR_DECODED;
        if is_sparse && fits && unescape.carried() == 0 && copy_clean(isa, rest, room, pluses) {
            return Short::new(o + rest.len(), malformed_mask == 0, true);
        }
        loop {
            if i == src.len() {
                return Short::new(o, malformed_mask == 0, true);
            }
            let Some(malformed) = unescape.decode_exact(src, &mut i, dst, &mut o) else { return Short::NONE };
            if malformed & malformed_mask != 0 {
                malformed_mask = 0;
                break;
            }
        }
    }
}

/// Decodes a `src` of at most a block. This function needs [`MASKED_STORES`](Isa::MASKED_STORES). Returns the block,
/// the mask of the bytes to store, and the result that the caller returns after storing them. This function has no
/// loop, so it needs few registers.
#[inline(always)]
fn decoded_block<I: Isa>(isa: I, src: &[u8], pluses: bool) -> (I::Block, u64, Short) {
    let mut block = isa.load_part(src);
    if pluses {
        block = isa.replace(block, block, b'+', b' ');
    }
    let [next, after] = isa.lookahead(block);
    let found =
        Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, false).block::<false>([block, next, after], src, 0);
    // No triplet reaches beyond the input, so all dropped lanes are within `src`.
    let written = src.len().saturating_sub(found.digit_lanes.count_ones() as usize);
    (found.block, !found.digit_lanes, Short::new(written, found.malformed != 0, true))
}

/// Engines without masked stores decode inputs up to this length without a buffer, 16 bytes at a time.
pub(crate) const EXACT: usize = 24;

/// Decodes a `src` of few bytes, 16 at a time. Fails if the instruction set has no registers of 16 bytes.
#[inline(always)]
pub(crate) fn decode_tiny<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (mut rest, mut o, mut malformed) = (src, 0, false);
    while !rest.is_empty() {
        // A part must not end inside a triplet.
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
            // This makes two stores of one word each. A caller soon reads the output in words, and each load then gets
            // its word from a single store, which is fast.
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

/// Decodes like [`decode_tiny`], in place. If `refused` is true and a `%` is malformed, the buffer stays unchanged.
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

/// Decodes every triplet of `src`, which has at most 64 bytes. The `Isa` must have
/// [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn decode_block<I: Isa>(isa: I, src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    let (block, keep, result) = decoded_block(isa, src, pluses);
    match result.len().and_then(|written| isa.compact_exact(block, keep, written, dst)) {
        Some(()) => result,
        None => Short::NONE,
    }
}

/// Copies `src` to `dst`. If `pluses` is true, writes a space for each `+`. Returns true if `dst` is long enough and `src`
/// has no `%`. Otherwise the contents of `dst` are unspecified. The `Isa` must have
/// [`MASKED_STORES`](Isa::MASKED_STORES).
#[inline(always)]
pub(crate) fn copy_clean<I: Isa>(isa: I, src: &[u8], dst: &mut [Cell], pluses: bool) -> bool {
    let unescape = Unescape::<I, false>::new(isa, &DecodeProfile::LENIENT, pluses);
    if src.len() <= BLOCK {
        let block = load(isa, src, 0);
        return !isa.has(block, b'%') && isa.compact_exact(unescape.spaced(block), !0, src.len(), dst).is_some();
    }
    let (blocks, _) = src.as_chunks::<BLOCK>();
    let (Some(last), Some(dst)) = (src.last_chunk(), dst.get_mut(..src.len())) else { return false };
    let last = isa.load(last);
    if blocks.iter().fold(isa.eq_mask(last, b'%'), |found, block| found | isa.eq_mask(isa.load(block), b'%')) != 0 {
        return false;
    }
    // The last block overlaps the one before it.
    if let Some(room) = dst.last_chunk_mut() {
        isa.store(unescape.spaced(last), room);
    }
    for (block, room) in blocks.iter().zip(dst.as_chunks_mut::<BLOCK>().0) {
        isa.store(unescape.spaced(isa.load(block)), room);
    }
    true
}

/// Decodes a short `buffer` in place. This function needs [`MASKED_STORES`](Isa::MASKED_STORES), because all other
/// stores would write over unread bytes. If `refused` is true and a `%` is malformed, the buffer stays unchanged.
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
    let (blocks, rest) = buffer.as_chunks::<BLOCK>();
    let in_rest = isa.eq_mask(load(isa, rest, 0), b'%');
    if blocks.iter().fold(in_rest, |found, block| found | isa.eq_mask(isa.load(block), b'%')) == 0 {
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
        // The output always fits, because it is never longer than the input that was already read.
        if let Some(room) = buffer.get_mut(o..) {
            let _ = isa.compact_in_place(found.block, keep, written, room);
        }
        o += written;
    }
    Short::new(o, malformed != 0, true)
}
