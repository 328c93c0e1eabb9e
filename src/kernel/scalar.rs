//! The algorithms without vectors. The scalar engine consists of these functions. If the output is too short for the
//! result of a block, the kernels with vectors call these functions to fill the end of the output. The byte-by-byte
//! functions specify the results of all other kernels.

use core::hint::select_unpredictable;

use super::form::FormBlock;
use super::{DecodeProfile, EncodeProfile, LATENT, PlusStart, Progress, Scan, Short, Visitor, put};
use crate::isa::{BLOCK, COMPACTED, Out, copy_spill};
use crate::output::{Cell, EMPTY_CELL, cell};
use crate::set::ByteSet;
use crate::triplet::{HEX, NOT_HEX, triplet};
use crate::words::{byte_mask, chunk, load_small, room, spaced, store_small};

/// The length of two words. The scalar engine decodes inputs up to this length without a buffer. Vector engines without
/// masked stores decode this many bytes at a time.
pub(crate) const TINY: usize = 16;

/// Inputs up to this length are decoded in one word, which takes less time than calling an engine.
pub(crate) const WORD: usize = size_of::<u64>();

/// The length of the longest input that counts as short, in bytes.
pub(crate) const SHORT: usize = if cfg!(feature = "simd") { 256 } else { 128 };

/// True if small code matters more than fast code. Then only the byte-by-byte functions are used.
const SMALL: bool = cfg!(not(feature = "simd"));

/// Writes `bytes` to `room`, which has the same length, with `to` in place of each `from`. This function doesn't call
/// `map` of an array, which is not always inlined.
#[inline(always)]
fn put_replaced(room: &mut [Cell], bytes: &[u8], from: u8, to: u8) {
    for (room, &byte) in room.iter_mut().zip(bytes) {
        *room = cell(if byte == from { to } else { byte });
    }
}

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

/// How decoding treats a `%`.
enum PercentAction {
    Malformed,
    Reject,
    Keep,
    Decode(u8),
}

/// Returns how decoding treats the `%` at `at`.
#[inline(always)]
fn percent_action(profile: &DecodeProfile, src: &[u8], at: usize) -> PercentAction {
    match triplet(src, at) {
        None => PercentAction::Malformed,
        Some(byte) if profile.keeps(byte) => PercentAction::Keep,
        Some(byte) if profile.rejects(byte) => PercentAction::Reject,
        Some(byte) => PercentAction::Decode(byte),
    }
}

/// Decodes `src` into `dst`, until `src` ends, `dst` is full, or an error stops the kernel. If `pluses` is true, each
/// `+` is a space.
pub(crate) fn decode(
    profile: &DecodeProfile,
    pluses: bool,
    src: &[u8],
    dst: &mut [Cell],
    malformed: &mut Option<usize>,
) -> Progress {
    match profile.facts.plain && !pluses {
        true => decode_plain(profile, src, dst, malformed),
        false => decode_steps::<true>(profile, pluses, src, dst, malformed),
    }
}

/// Decodes every triplet, and copies all other bytes.
pub(crate) fn decode_plain(
    profile: &DecodeProfile,
    src: &[u8],
    dst: &mut [Cell],
    malformed: &mut Option<usize>,
) -> Progress {
    match SMALL {
        true => decode_plain_from(profile.strict, (src, 0), (dst, 0), malformed),
        false => decode_steps::<false>(profile, false, src, dst, malformed),
    }
}

/// Decodes in steps. If `OPTIONS` is false, it decodes every triplet and copies all other bytes. If `OPTIONS` is true,
/// it supports every option. Each kind of text has its own shortcut:
///
/// - Text with few escapes: eight bytes are stored as they are, and decoding continues after the first triplet among
///   them.
/// - Text without escapes: 32 bytes are tested and copied at once. Compilers vectorize the test and the copy if the
///   target has vectors.
/// - Text in a script other than Latin is one triplet after another: four triplets are decoded at a time.
#[inline(always)]
fn decode_steps<const OPTIONS: bool>(
    profile: &DecodeProfile,
    pluses: bool,
    src: &[u8],
    dst: &mut [Cell],
    malformed: &mut Option<usize>,
) -> Progress {
    const STEP: usize = 32;
    const RUN: usize = 4;
    /// A step reads eight bytes, and a latent triplet may begin at the last of them. So this is space for seven bytes
    /// and the longest latent triplet.
    const ROOM: usize = 7 + LATENT;
    let pluses = OPTIONS && pluses;
    let all = !OPTIONS || profile.facts.plain;
    let decodes = |byte: u8| all || !profile.keeps(byte) && !profile.rejects(byte);
    let (mut i, mut o) = (0, 0);
    loop {
        while let (Some(bytes), Some(room)) = (chunk::<STEP>(src, i), room::<STEP>(dst, o)) {
            if bytes.iter().fold(false, |busy, &byte| busy | (byte == b'%')) {
                break;
            }
            match pluses {
                true => put_replaced(room, bytes, b'+', b' '),
                false => put(room, bytes),
            }
            (i, o) = (i + STEP, o + STEP);
        }
        let end = i + STEP;
        while i < end {
            let (Some(window), Some(room)) = (chunk::<{ 3 * RUN }>(src, i), room::<ROOM>(dst, o)) else {
                if !OPTIONS {
                    return decode_plain_from(profile.strict, (src, i), (dst, o), malformed);
                }
                let plus = if pluses { PlusStart::ALL } else { PlusStart::NONE };
                return decode_from(profile, plus, (src, i), (dst, o), malformed);
            };
            if (window[0] == b'%') & (window[3] == b'%') & (window[6] == b'%') & (window[9] == b'%')
                && let (Some(a), Some(b)) = (triplet(window, 0), triplet(window, 3))
                && let (Some(c), Some(d)) = (triplet(window, 6), triplet(window, 9))
                && decodes(a) & decodes(b) & decodes(c) & decodes(d)
            {
                put(&mut room[..RUN], &[a, b, c, d]);
                (i, o) = (i + 3 * RUN, o + RUN);
                continue;
            }
            let word = u64::from_le_bytes(*window.first_chunk().unwrap_or(&[0; 8]));
            put(&mut room[..8], &if pluses { spaced(word) } else { word }.to_le_bytes());
            let mut percents = byte_mask(word, b'%');
            let (read, written) = loop {
                if percents == 0 {
                    break (8, 8);
                }
                let lane = percents.trailing_zeros() as usize / 8;
                percents &= percents - 1;
                let len = match triplet(window, lane) {
                    Some(byte) if !OPTIONS || !profile.rejects(byte) => {
                        if !OPTIONS || profile.keep.is_none() {
                            room[lane] = cell(byte);
                            break (lane + 3, lane + 1);
                        }
                        // There is no branch on whether the triplet is kept, because the CPU could not predict it.
                        let keeps = profile.keeps(byte);
                        if let Some(digits) = chunk::<2>(window, lane + 1) {
                            let lower = u8::from(profile.upper) << 5;
                            // A hexadecimal digit is lower-case if and only if it is `a` or above.
                            let digit = |digit: u8| digit ^ if digit >= b'a' { lower } else { 0 };
                            put(&mut room[lane + 1..lane + 3], &digits.map(digit));
                        }
                        room[lane] = cell(select_unpredictable(keeps, b'%', byte));
                        break (lane + 3, lane + select_unpredictable(keeps, 3, 1));
                    }
                    Some(_) => return Progress { read: i + lane, written: o + lane },
                    None => {
                        *malformed = malformed.or(Some(i + lane));
                        if profile.strict {
                            return Progress { read: i + lane, written: o + lane };
                        }
                        // The store above has already copied the malformed `%`.
                        if !OPTIONS || !profile.keeps_latent() {
                            continue;
                        }
                        match profile.latent_len(src, i + lane) {
                            Some(len @ 1..) => len,
                            _ => continue,
                        }
                    }
                };
                put(&mut room[lane..lane + len], &src[i + lane..i + lane + len]);
                break (lane + len, lane + len);
            };
            (i, o) = (i + read, o + written);
        }
    }
}

/// Continues [`decode_plain`] byte by byte, from offset `i` of `src` and offset `o` of `dst` on, until `src` ends,
/// `dst` is full, or an error stops the kernel.
pub(crate) fn decode_plain_from(
    strict: bool,
    (src, mut i): (&[u8], usize),
    (dst, mut o): (&mut [Cell], usize),
    malformed: &mut Option<usize>,
) -> Progress {
    while let Some(&byte) = src.get(i) {
        let decoded = triplet(src, i);
        if decoded.is_none() && byte == b'%' {
            *malformed = malformed.or(Some(i));
            if strict {
                break;
            }
        }
        let Some(room) = dst.get_mut(o) else { break };
        *room = cell(decoded.unwrap_or(byte));
        i += if decoded.is_some() { 3 } else { 1 };
        o += 1;
    }
    Progress { read: i, written: o }
}

/// Decodes every triplet of a short input, up to [`SHORT`] bytes; see [`decode_short`](super::decode::decode_short).
pub(crate) fn decode_short(plus: PlusStart, src: &[u8], dst: &mut [Cell]) -> Short {
    let mut spaced = [0; SHORT];
    let src = if plus == PlusStart::NONE {
        src
    } else {
        let (before, after) = src.split_at(plus.from.min(src.len()));
        let spaced = &mut spaced[..src.len()];
        spaced[..before.len()].copy_from_slice(before);
        for (spaced, &byte) in spaced[before.len()..].iter_mut().zip(after) {
            *spaced = if byte == b'+' { b' ' } else { byte };
        }
        spaced
    };
    let mut malformed = None;
    let progress = decode_plain(&DecodeProfile::LENIENT, src, dst, &mut malformed);
    // The output isn't searched for bytes above ASCII. So the last argument is true: the output may have such bytes.
    Short::new(progress.written, malformed.is_some(), true)
}

/// Decodes every triplet of a `src` of up to [`WORD`] bytes. If `pluses` is true, also decodes every `+` to a space.
/// Returns the output as a little-endian word, followed by zeros.
///
/// The branches depend on the number of triplets, but not on their offsets.
#[inline(always)]
pub(crate) fn decode_word(src: &[u8], pluses: bool) -> (u64, Short) {
    debug_assert!(src.len() <= WORD);
    if src.len() == 3
        && let Some(byte) = triplet(src, 0)
    {
        return (byte.into(), Short::new(1, false, !byte.is_ascii()));
    }
    let ([mut word, _], mut written) = (load_small(src), src.len());
    if pluses {
        word = spaced(word);
    }
    let mut malformed = false;
    let mut percents = byte_mask(word, b'%');
    while percents != 0 {
        // The mask marks a byte by its highest bit. Subtracting 7 gives the number of bits before the byte.
        let at = percents.trailing_zeros() - 7;
        let triplet = word >> at;
        let [_, high, low, ..] = triplet.to_le_bytes();
        let (high, low) = (HEX[usize::from(high)], HEX[usize::from(low)]);
        if high | low == NOT_HEX {
            malformed = true;
            percents &= percents - 1;
            continue;
        }
        let decoded = triplet >> 24 << 8 | u64::from(high << 4 | low);
        word = word & !(!0 << at) | decoded << at;
        percents = percents >> 16 & !0xFF << at;
        written -= 2;
    }
    (word, Short::new(written, malformed, word & u64::from_le_bytes([0x80; WORD]) != 0))
}

/// Decodes every triplet of `src`, and writes the result to the start of `dst`. Fails if `src` has more than [`TINY`]
/// bytes, if `pluses` is true, or if `dst` is too short.
pub(crate) fn decode_tiny(src: &[u8], pluses: bool, dst: &mut [Cell]) -> Short {
    if src.len() > TINY || pluses {
        return Short::NONE;
    }
    let mut malformed = None;
    let Progress { read, written } = decode_plain_from(false, (src, 0), (dst, 0), &mut malformed);
    if read < src.len() { Short::NONE } else { Short::new(written, malformed.is_some(), true) }
}

/// Decodes like [`decode_word`], in place. If `refused` is true and a `%` is malformed, the buffer stays unchanged.
pub(crate) fn decode_word_in_place(buffer: &mut [u8], refused: bool) -> Short {
    let (word, result) = decode_word(buffer, false);
    let result = result.unless(refused);
    if result != Short::NONE {
        store_small([word, 0], buffer, |byte| byte);
    }
    result
}

/// Writes a mask for each block of `src`, as long as `masks` has space. Bit *i* of a mask is set if byte *i* of its
/// block is in `set`.
pub(crate) fn masks(set: ByteSet, src: &[u8], masks: &mut [u64]) {
    for (mask, block) in masks.iter_mut().zip(src.chunks(BLOCK)) {
        *mask = block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(set.contains(byte)));
    }
}

/// Compares all bytes of `src` with a set of ASCII bytes. If `inside` is true, returns whether every byte is in the set.
/// If `inside` is false, returns whether no byte is in the set. `row` is the lower half of the set's `NibbleTable`.
pub(crate) fn all(row: &[u8; 16], inside: bool, src: &[u8]) -> bool {
    let contains = |byte: u8| byte.is_ascii() && row[usize::from(byte & 0xF)] >> (byte >> 4) & 1 != 0;
    src.iter().all(|&byte| contains(byte) == inside)
}

/// Decodes `src` from offset `i` on into `dst` from offset `o` on, until `src` ends, `dst` is full, or an error stops
/// the kernel.
pub(crate) fn decode_from(
    profile: &DecodeProfile,
    plus: PlusStart,
    (src, mut i): (&[u8], usize),
    (dst, mut o): (&mut [Cell], usize),
    malformed: &mut Option<usize>,
) -> Progress {
    const STEP: usize = 32;
    while i < src.len() {
        // Text without escapes is tested and copied 32 bytes at a time. Compilers vectorize the test and the copy if
        // the target has vectors.
        while let (Some(step), Some(room)) = (chunk::<STEP>(src, i), room::<STEP>(dst, o)) {
            let space = if i + STEP > plus.from { b'+' } else { b'%' };
            if step.iter().fold(false, |busy, &byte| busy | (byte == b'%') | (byte == space)) {
                break;
            }
            put(room, step);
            i += STEP;
            o += STEP;
        }
        let end = src.len().min(i + STEP);
        while i < end {
            let mut kept = [0; 3];
            let (read, written) = match src[i] {
                b'%' => match percent_action(profile, src, i) {
                    PercentAction::Decode(byte) => (3, &[byte][..]),
                    PercentAction::Keep => {
                        kept.copy_from_slice(&src[i..i + 3]);
                        if profile.upper {
                            kept.make_ascii_uppercase();
                        }
                        (3, &kept[..])
                    }
                    PercentAction::Reject => return Progress { read: i, written: o },
                    PercentAction::Malformed => {
                        *malformed = malformed.or(Some(i));
                        if profile.strict {
                            return Progress { read: i, written: o };
                        }
                        let latent = if profile.keeps_latent() { profile.latent_len(src, i) } else { None };
                        let len = latent.unwrap_or_default().max(1);
                        (len, &src[i..i + len])
                    }
                },
                b'+' if i >= plus.from => (1, &b" "[..]),
                byte => (1, &[byte][..]),
            };
            match dst.get_mut(o..o + written.len()) {
                Some(room) => put(room, written),
                None => return Progress { read: i, written: o },
            };
            i += read;
            o += written.len();
        }
    }
    Progress { read: i, written: o }
}

/// Finds the bytes that decoding every triplet would change, up to the first error. Passes their masks to `visit`,
/// block by block.
pub(crate) fn decode_scan_plain(strict: bool, src: &[u8], visit: &mut impl Visitor) -> Scan {
    let mut malformed = None;
    for at in (0..src.len()).step_by(BLOCK) {
        let block = &src[at..src.len().min(at + BLOCK)];
        let (mut hits, mut stop) = (0, None);
        if block.iter().fold(false, |busy, &byte| busy | (byte == b'%')) {
            for i in (at..at + block.len()).filter(|&i| src[i] == b'%') {
                if triplet(src, i).is_some() {
                    hits |= 1 << (i - at);
                    continue;
                }
                malformed = malformed.or(Some(i));
                if strict {
                    stop = Some(i);
                    break;
                }
            }
        }
        if !visit.block(at, hits, hits) {
            return Scan { stopped_at: at, malformed };
        }
        if let Some(stopped_at) = stop {
            return Scan { stopped_at, malformed };
        }
    }
    Scan { stopped_at: src.len(), malformed }
}

/// Finds the bytes that decoding would change, up to the first error. Passes their masks to `visit`, block by block.
pub(crate) fn decode_scan(profile: &DecodeProfile, plus: PlusStart, src: &[u8], visit: &mut impl Visitor) -> Scan {
    let mut malformed = None;
    let mut after_triplet = 0;
    let mut upper = false;
    for at in (0..src.len()).step_by(64) {
        let (mut hits, mut changes) = (0, 0);
        let mut stop = None;
        let block = &src[at..src.len().min(at + 64)];
        let space = if at + 64 > plus.from { b'+' } else { b'%' };
        if after_triplet <= at && !block.iter().fold(false, |busy, &byte| busy | (byte == b'%') | (byte == space)) {
            if !visit.block(at, 0, 0) {
                return Scan { stopped_at: at, malformed };
            }
            continue;
        }
        for i in at..src.len().min(at + 64) {
            let bit = 1 << (i - at);
            if i < after_triplet {
                changes |= if upper && src[i].is_ascii_lowercase() { bit } else { 0 };
                continue;
            }
            if src[i] == b'+' && i >= plus.from {
                changes |= bit;
            }
            if src[i] != b'%' {
                continue;
            }
            match percent_action(profile, src, i) {
                PercentAction::Malformed => {
                    malformed = malformed.or(Some(i));
                    stop = profile.strict.then_some(i);
                    if profile.keeps_latent() {
                        (after_triplet, upper) = (i + profile.latent_len(src, i).unwrap_or_default(), false);
                    }
                }
                PercentAction::Reject => stop = Some(i),
                PercentAction::Keep => (after_triplet, upper) = (i + 3, profile.upper),
                PercentAction::Decode(_) => {
                    (after_triplet, upper) = (i + 3, false);
                    (hits, changes) = (hits | bit, changes | bit);
                }
            }
            if stop.is_some() {
                break;
            }
        }
        if !visit.block(at, hits, changes) {
            return Scan { stopped_at: at, malformed };
        }
        if let Some(at) = stop {
            return Scan { stopped_at: at, malformed };
        }
    }
    Scan { stopped_at: src.len(), malformed }
}

/// Scans up to 64 bytes of a form; see [`form::scan`](super::form::scan).
pub(crate) fn scan_form_block(src: &[u8], separator: u8, masks: &mut FormBlock, decoded: &mut Out<COMPACTED>) {
    let src = &src[..src.len().min(BLOCK)];
    let FormBlock { separators, equals, malformed, changes, high, .. } = masks;
    (*separators, *equals, *malformed, *changes, *high) = (0, 0, 0, 0, 0);
    let (mut i, mut o, mut starts) = (0, 0, 0);
    while i < src.len() {
        let bit = 1 << i;
        let (read, byte) = match (src[i], triplet(src, i)) {
            (_, Some(byte)) => {
                starts |= bit;
                (3, byte)
            }
            (b'+', None) => {
                *changes |= bit;
                (1, b' ')
            }
            (byte, None) => {
                *malformed |= if byte == b'%' { bit } else { 0 };
                *equals |= if byte == b'=' { bit } else { 0 };
                *separators |= if byte == b'&' || byte == separator { bit } else { 0 };
                (1, byte)
            }
        };
        *high |= if byte >= 0x80 { bit } else { 0 };
        decoded[o] = cell(byte);
        (i, o) = (i + read, o + 1);
    }
    *changes |= starts;
    masks.set_starts(starts);
}

/// Encodes a short input, but copies the marked bytes; see [`encode_short`](super::encode::encode_short).
pub(crate) fn encode_short(profile: &EncodeProfile, src: &[u8], marks: &[u64], dst: &mut [Cell]) -> usize {
    if marks.is_empty() {
        return encode(profile, src, dst).written;
    }
    encode_bytes(profile, src, marks, dst).1
}
