//! The same without vectors: the engine where there are none, and what the others fall back on where output room runs
//! out. Octet by octet, so it says plainly what the others must do.

use core::mem::MaybeUninit;

use super::{
    DecodeProfile, EncodeProfile, Progress, Scanned, Stop, Visit, chunk, room, triplet,
};

/// What happens to the octet at `at`, if no kept triplet covers it.
enum Fate {
    Stay(u8),
    Escape(u8),
    /// A valid triplet, kept.
    Triplet,
}

#[inline(always)]
fn fate(profile: &EncodeProfile, src: &[u8], at: usize) -> Fate {
    match src[at] {
        b' ' if profile.plus => Fate::Stay(b'+'),
        b'%' if profile.keep_triplets && triplet(src, at).is_some() => Fate::Triplet,
        byte if profile.allowed.contains(byte) => Fate::Stay(byte),
        byte => Fate::Escape(byte),
    }
}

/// Encodes all of `src`, as far as `dst` has room.
pub(crate) fn encode(profile: &EncodeProfile, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
    const STEP: usize = 32;
    let (mut i, mut o) = (0, 0);
    if profile.is_plain() {
        // Every octet stores four: itself or its triplet, and slack that the next one overwrites. No branch depends on
        // the data. The mask on the offset changes nothing: it spares the check.
        while let (Some(octets), Some(room)) = (chunk::<STEP>(src, i), room::<{ 4 * STEP + 4 }>(dst, o)) {
            let mut at = 0;
            for &byte in octets {
                let escape = !profile.allowed.contains(byte);
                let word = if escape { profile.digits.words[byte as usize] } else { [byte; 4] };
                if let Some(room) = room[at & (4 * STEP - 1)..].first_chunk_mut::<4>() {
                    room.write_copy_of_slice(&word);
                }
                at += 1 + 2 * usize::from(escape);
            }
            i += STEP;
            o += at;
        }
    }
    encode_from(profile, src, i, dst, o)
}

/// Encodes `src` from `i` on into `dst` from `o` on, as far as that has room.
pub(crate) fn encode_from(
    profile: &EncodeProfile,
    src: &[u8],
    mut i: usize,
    dst: &mut [MaybeUninit<u8>],
    mut o: usize,
) -> Progress {
    while i < src.len() {
        let (read, octets) = match fate(profile, src, i) {
            Fate::Stay(byte) => (1, &[byte][..]),
            Fate::Escape(byte) => (1, &profile.digits.triplet(byte)[..]),
            Fate::Triplet => (3, &src[i..i + 3]),
        };
        match dst.get_mut(o..o + octets.len()) {
            Some(room) => room.write_copy_of_slice(octets),
            None => return Progress { read: i, written: o, stop: Stop::Full, malformed: None },
        };
        i += read;
        o += octets.len();
    }
    Progress { read: i, written: o, stop: Stop::Done, malformed: None }
}

/// Tells `visit` of every block what encoding would change in it.
pub(crate) fn encode_scan(profile: &EncodeProfile, src: &[u8], visit: &mut impl Visit) {
    let mut after_triplet = 0;
    for at in (0..src.len()).step_by(64) {
        let (mut hits, mut changes) = (0, 0);
        for i in at..src.len().min(at + 64) {
            if i < after_triplet {
                continue;
            }
            let bit = 1 << (i - at);
            match fate(profile, src, i) {
                Fate::Escape(_) => (hits, changes) = (hits | bit, changes | bit),
                Fate::Stay(byte) => changes |= if byte == src[i] { 0 } else { bit },
                Fate::Triplet => after_triplet = i + 3,
            }
        }
        if !visit.block(at, hits, changes) {
            return;
        }
    }
}

/// What happens to the `%` at `at`.
enum Escape {
    Malformed,
    Reject,
    Keep,
    Decode(u8),
}

#[inline(always)]
fn escape(profile: &DecodeProfile, src: &[u8], at: usize) -> Escape {
    match triplet(src, at) {
        None => Escape::Malformed,
        Some(byte) if profile.keep.is_some_and(|(keep, _)| keep.contains(byte)) => Escape::Keep,
        Some(byte) if profile.reject.is_some_and(|(reject, _)| reject.contains(byte)) => Escape::Reject,
        Some(byte) => Escape::Decode(byte),
    }
}

/// Decodes all of `src`, as far as `dst` has room.
pub(crate) fn decode(profile: &DecodeProfile, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
    decode_from(profile, src, 0, dst, 0, None)
}

/// Decodes `src` from `i` on into `dst` from `o` on, as far as that has room, or until there is trouble. `malformed` is
/// what was found before `i`.
pub(crate) fn decode_from(
    profile: &DecodeProfile,
    src: &[u8],
    mut i: usize,
    dst: &mut [MaybeUninit<u8>],
    mut o: usize,
    mut malformed: Option<usize>,
) -> Progress {
    const STEP: usize = 32;
    while i < src.len() {
        // A stretch without escapes is tested and copied whole; compilers make vectors of both where there are any.
        while let (Some(octets), Some(room)) = (chunk::<STEP>(src, i), room::<STEP>(dst, o)) {
            let plus = if i + STEP > profile.plus_from { b'+' } else { b'%' };
            if octets.iter().fold(false, |busy, &byte| busy | (byte == b'%') | (byte == plus)) {
                break;
            }
            room.write_copy_of_slice(octets);
            i += STEP;
            o += STEP;
        }
        let end = src.len().min(i + STEP);
        while i < end {
            let mut kept = [0; 3];
            let (read, octets) = match src[i] {
                b'%' => match escape(profile, src, i) {
                    Escape::Decode(byte) => (3, &[byte][..]),
                    Escape::Keep => {
                        kept.copy_from_slice(&src[i..i + 3]);
                        if profile.upper {
                            kept.make_ascii_uppercase();
                        }
                        (3, &kept[..])
                    }
                    Escape::Reject => return Progress { read: i, written: o, stop: Stop::Rejected, malformed },
                    Escape::Malformed => {
                        malformed = malformed.or(Some(i));
                        if profile.strict {
                            return Progress { read: i, written: o, stop: Stop::Malformed, malformed };
                        }
                        (1, &b"%"[..])
                    }
                },
                b'+' if i >= profile.plus_from => (1, &b" "[..]),
                byte => (1, &[byte][..]),
            };
            match dst.get_mut(o..o + octets.len()) {
                Some(room) => room.write_copy_of_slice(octets),
                None => return Progress { read: i, written: o, stop: Stop::Full, malformed },
            };
            i += read;
            o += octets.len();
        }
    }
    Progress { read: i, written: o, stop: Stop::Done, malformed }
}

/// Tells `visit` of every block what decoding would change in it, up to where decoding would stop.
pub(crate) fn decode_scan(profile: &DecodeProfile, src: &[u8], visit: &mut impl Visit) -> Scanned {
    let mut malformed = None;
    let mut after_triplet = 0;
    let mut upper = false;
    for at in (0..src.len()).step_by(64) {
        let (mut hits, mut changes) = (0, 0);
        let mut trouble = None;
        for i in at..src.len().min(at + 64) {
            let bit = 1 << (i - at);
            if i < after_triplet {
                changes |= if upper && src[i].is_ascii_lowercase() { bit } else { 0 };
                continue;
            }
            if src[i] == b'+' && i >= profile.plus_from {
                changes |= bit;
            }
            if src[i] != b'%' {
                continue;
            }
            match escape(profile, src, i) {
                Escape::Malformed => {
                    malformed = malformed.or(Some(i));
                    trouble = profile.strict.then_some((Stop::Malformed, i));
                }
                Escape::Reject => trouble = Some((Stop::Rejected, i)),
                Escape::Keep => (after_triplet, upper) = (i + 3, profile.upper),
                Escape::Decode(_) => {
                    (after_triplet, upper) = (i + 3, false);
                    (hits, changes) = (hits | bit, changes | bit);
                }
            }
            if trouble.is_some() {
                break;
            }
        }
        if !visit.block(at, hits, changes) {
            return Scanned { stop: Stop::Done, at, malformed };
        }
        if let Some((stop, at)) = trouble {
            return Scanned { stop, at, malformed };
        }
    }
    Scanned { stop: Stop::Done, at: src.len(), malformed }
}
