//! Decodes without vectors.

use core::hint::select_unpredictable;

use super::{SHORT, SMALL, TINY, WORD, put_replaced};
use crate::isa::BLOCK;
use crate::kernel::{DecodeProfile, LATENT, PlusStart, Progress, Scan, Short, Visitor, put};
use crate::output::{Cell, cell};
use crate::triplet::{HEX, NOT_HEX, triplet};
use crate::words::{byte_mask, chunk, load_small, room, spaced, store_small};

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

/// Decodes every triplet of a short input, up to [`SHORT`] bytes; see [`decode_short`](crate::kernel::decode::decode_short).
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
