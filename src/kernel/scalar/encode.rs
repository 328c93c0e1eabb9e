//! Encodes without vectors.

use core::hint::select_unpredictable;

use super::{SMALL, put_replaced};
use crate::isa::{BLOCK, Out, copy_spill};
use crate::kernel::{EncodeProfile, Progress, Short, Visitor, put};
use crate::output::{Cell, EMPTY_CELL, cell};
use crate::triplet::triplet;
use crate::words::{chunk, room};

/// How encoding treats a byte outside kept triplets.
enum ByteAction {
    Stay(u8),
    Escape(u8),
    /// The byte starts a valid triplet, which is kept.
    Triplet,
}

/// Returns how encoding treats the byte at `at`, which must not be a digit of a kept triplet.
#[inline(always)]
fn byte_action(profile: &EncodeProfile, src: &[u8], at: usize) -> ByteAction {
    match src[at] {
        b' ' if profile.plus => ByteAction::Stay(b'+'),
        b'%' if profile.keep_triplets && triplet(src, at).is_some() => ByteAction::Triplet,
        byte if profile.allowed.contains(byte) => ByteAction::Stay(byte),
        byte => ByteAction::Escape(byte),
    }
}

/// Returns the encoded form of `byte`: one or three bytes in a little-endian word. The highest byte of the word is the
/// number of these bytes.
#[inline(always)]
fn word(profile: &EncodeProfile, byte: u8) -> u32 {
    let stays = profile.allowed.contains(byte) | profile.plus & (byte == b' ');
    let written = if profile.plus & (byte == b' ') { b'+' } else { byte };
    let triplet = u32::from_le_bytes(profile.digits.word(byte)) | 3 << 24;
    select_unpredictable(stays, u32::from(written) | 1 << 24, triplet)
}

/// Encodes `src` into `dst`, until `src` ends or `dst` is full.
pub(crate) fn encode(profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Progress {
    /// For inputs of this length or longer, building a table of all 256 words saves time.
    const LONG: usize = 1024;
    let (i, o) = if SMALL {
        encode_bytes(profile, src, &[], dst)
    } else if src.len() < LONG {
        encode_words(profile, src, dst, |byte| word(profile, byte))
    } else {
        let mut words = [0; 256];
        for byte in 0..=255 {
            words[byte as usize] = word(profile, byte);
        }
        encode_words(profile, src, dst, |byte| words[byte as usize])
    };
    encode_from(profile, src, i, dst, o)
}

/// Encodes byte by byte, but copies the marked bytes. Stops when `dst` has fewer than four bytes left. Returns how much
/// it has read and written.
fn encode_bytes(profile: &EncodeProfile, src: &[u8], marks: &[u64], dst: &mut [Cell]) -> (usize, usize) {
    let (mut i, mut o) = (0, 0);
    while let (Some(&byte), Some(room)) = (src.get(i), room::<4>(dst, o)) {
        let marked = marks.get(i / BLOCK).is_some_and(|mark| mark >> (i % BLOCK) & 1 == 1);
        let kept = if profile.keep_triplets && triplet(src, i).is_some() { chunk::<3>(src, i) } else { None };
        let (read, word) = match kept {
            Some(&[percent, high, low]) => (3, u32::from_le_bytes([percent, high, low, 3])),
            None if marked => (1, u32::from(byte) | 1 << 24),
            None => (1, word(profile, byte)),
        };
        *room = word.to_le_bytes().map(cell);
        i += read;
        o += (word >> 24) as usize;
    }
    (i, o)
}

/// The number of bytes that a step of [`encode_words`] takes. `ENCODE_ROOM` is the output space that the step needs.
const ENCODE_STEP: usize = 32;

const ENCODE_ROOM: usize = 4 * ENCODE_STEP + 4;

/// Encodes up to [`ENCODE_STEP`] bytes, a word for each byte. Returns the length of the output. This function is
/// inlined, so that the loop over a whole step is unrolled.
#[inline(always)]
fn encode_step(bytes: &[u8], room: &mut Out<ENCODE_ROOM>, word: &impl Fn(u8) -> u32) -> usize {
    let mut at = 0;
    for &byte in bytes {
        let word = word(byte);
        if let Some(room) = room[at & (4 * ENCODE_STEP - 1)..].first_chunk_mut::<4>() {
            *room = word.to_le_bytes().map(cell);
        }
        at += (word >> 24) as usize;
    }
    at
}

/// Returns the offset of the first triplet that starts in the first `n` bytes of `src`, or `n` if there is no triplet.
/// `n` is at most [`ENCODE_STEP`]. This function isn't inlined, so that the program has one copy of the code.
#[inline(never)]
fn first_triplet(src: &[u8], n: usize) -> usize {
    // This tests a whole step at once. Compilers vectorize the test.
    let some = chunk::<{ ENCODE_STEP + 2 }>(src, 0).is_none_or(|window| {
        let starts = |at: usize| window[at + 1].is_ascii_hexdigit() & window[at + 2].is_ascii_hexdigit();
        (0..ENCODE_STEP).fold(false, |some, at| some | (window[at] == b'%') & starts(at))
    });
    if some { (0..n).find(|&at| src[at] == b'%' && triplet(src, at).is_some()).unwrap_or(n) } else { n }
}

/// Encodes several bytes at a time (a step), until the output of a step doesn't fit. Returns how much it has read and
/// written.
///
/// For each byte of input, we store a word of four bytes, and the next store overwrites the excess bytes. So no branch
/// depends on the data. In `encode_step`, the `&` on the offset only avoids a bounds check. A step ends before a kept
/// triplet.
#[inline(always)]
fn encode_words(profile: &EncodeProfile, src: &[u8], dst: &mut [Cell], word: impl Fn(u8) -> u32) -> (usize, usize) {
    const STEP: usize = ENCODE_STEP;
    const ROOM: usize = ENCODE_ROOM;
    /// After this many steps in which no byte became a triplet, each further step is tested first. If it needs no
    /// triplet either, it is copied whole. We don't test every step, because among many triplets, the CPU couldn't
    /// predict the branch of this test.
    const QUIET: usize = 8;
    // Returns the number of bytes of the step before the first kept triplet.
    let before_triplet = |i: usize, bytes: &[u8]| {
        if profile.keep_triplets { first_triplet(&src[i..], bytes.len()) } else { bytes.len() }
    };
    let (mut i, mut o, mut quiet) = (0, 0, 0);
    while let (Some(bytes), Some(room)) = (chunk::<STEP>(src, i), room::<ROOM>(dst, o)) {
        if quiet >= QUIET && bytes.iter().fold(0, |len, &byte| len | word(byte) >> 24) == 1 {
            match profile.plus {
                true => put_replaced(&mut room[..STEP], bytes, b' ', b'+'),
                false => put(&mut room[..STEP], bytes),
            }
            (i, o) = (i + STEP, o + STEP);
            continue;
        }
        let n = before_triplet(i, bytes);
        if n < STEP {
            let written = encode_step(&bytes[..n], room, &word);
            put(&mut room[written..written + 3], &src[i + n..i + n + 3]);
            (i, o, quiet) = (i + n + 3, o + written + 3, 0);
            continue;
        }
        let written = encode_step(bytes, room, &word);
        quiet = if written == STEP { quiet + 1 } else { 0 };
        (i, o) = (i + STEP, o + written);
    }
    // Near the end of the input or of the output, each step first writes to a spill (a buffer on the stack).
    while i < src.len() {
        let bytes = &src[i..src.len().min(i + STEP)];
        let bytes = &bytes[..before_triplet(i, bytes)];
        let mut spill = [EMPTY_CELL; ROOM];
        let written = encode_step(bytes, &mut spill, &word);
        if bytes.is_empty() || dst.get_mut(o..).and_then(|dst| copy_spill(&spill, written, dst)).is_none() {
            break;
        }
        (i, o) = (i + bytes.len(), o + written);
    }
    (i, o)
}

/// Encodes `src` from offset `i` on into `dst` from offset `o` on, until `src` ends or `dst` is full.
pub(crate) fn encode_from(
    profile: &EncodeProfile,
    src: &[u8],
    mut i: usize,
    dst: &mut [Cell],
    mut o: usize,
) -> Progress {
    while i < src.len() {
        let (read, bytes) = match byte_action(profile, src, i) {
            ByteAction::Stay(byte) => (1, &[byte][..]),
            ByteAction::Escape(byte) => (1, &profile.digits.word(byte)[..3]),
            ByteAction::Triplet => (3, &src[i..i + 3]),
        };
        match dst.get_mut(o..o + bytes.len()) {
            Some(room) => put(room, bytes),
            None => return Progress { read: i, written: o },
        };
        i += read;
        o += bytes.len();
    }
    Progress { read: i, written: o }
}

/// Finds the bytes that encoding would change. Passes their masks to `visit`, block by block.
pub(crate) fn encode_scan(profile: &EncodeProfile, src: &[u8], visit: &mut impl Visitor) {
    let mut after_triplet = 0;
    let plain = profile.facts.plain;
    for at in (0..src.len()).step_by(64) {
        let (mut hits, mut changes) = (0, 0);
        if plain {
            let block = &src[at..src.len().min(at + 64)];
            for (lane, &byte) in block.iter().enumerate() {
                hits |= u64::from(!profile.allowed.contains(byte)) << lane;
            }
            if !visit.block(at, hits, hits) {
                return;
            }
            continue;
        }
        for i in at..src.len().min(at + 64) {
            if i < after_triplet {
                continue;
            }
            let bit = 1 << (i - at);
            match byte_action(profile, src, i) {
                ByteAction::Escape(_) => (hits, changes) = (hits | bit, changes | bit),
                ByteAction::Stay(byte) => changes |= if byte == src[i] { 0 } else { bit },
                ByteAction::Triplet => after_triplet = i + 3,
            }
        }
        if !visit.block(at, hits, changes) {
            return;
        }
    }
}

/// Encodes a short input, but copies the marked bytes; see [`encode_short`](crate::kernel::encode::encode_short).
pub(crate) fn encode_short(profile: &EncodeProfile, src: &[u8], marks: &[u64], dst: &mut [Cell]) -> usize {
    if marks.is_empty() {
        return encode(profile, src, dst).written;
    }
    encode_bytes(profile, src, marks, dst).1
}

/// Encodes all of a `src` of few bytes. Fails if `dst` is too short.
pub(crate) fn encode_few(profile: &EncodeProfile, src: &[u8], dst: &mut [Cell]) -> Short {
    if dst.len() < src.len() {
        return Short::NONE;
    }
    let Progress { read, written } = encode(profile, src, dst);
    if read == src.len() { Short::written(written) } else { Short::NONE }
}
