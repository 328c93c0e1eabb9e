//! Converts UTF-16 to UTF-8, 16 code units at a time. Each code unit becomes a word of four bytes, of which one to
//! three are kept.

use super::Progress;
use crate::isa::{BLOCK, COMPACTED, Isa};
use crate::output::Cell;
use crate::words::room;

/// Code units per block of words.
const UNITS: usize = BLOCK / 4;

/// Writes the first code units to `dst` as UTF-8, 16 at a time. Stops if the next 16 units include a surrogate, if
/// fewer than 16 units remain, or if `dst` may be too short for the next 16.
#[inline(always)]
pub(crate) fn to_utf8<I: Isa>(isa: I, units: &[u16], dst: &mut [Cell]) -> Progress {
    let (mut i, mut o) = (0, 0);
    loop {
        while let (Some(units), Some(room)) = (chunk_of::<BLOCK>(units, i), room::<BLOCK>(dst, o)) {
            // Compilers vectorize this loop.
            if units.iter().fold(0, |all, &unit| all | unit) >= 0x80 {
                break;
            }
            isa.store(isa.load(&units.map(|unit| unit as u8)), room);
            i += BLOCK;
            o += BLOCK;
        }
        let (Some(units), Some(room)) = (chunk_of::<UNITS>(units, i), room::<COMPACTED>(dst, o)) else { break };
        if units.iter().fold(false, |any, unit| any | (unit & 0xF800 == 0xD800)) {
            break;
        }
        let mut bytes = [0; BLOCK];
        for (bytes, &unit) in bytes.as_chunks_mut().0.iter_mut().zip(units) {
            *bytes = word(unit.into()).to_le_bytes();
        }
        let block = isa.load(&bytes);
        // Keep the first byte of each word, and all bytes above ASCII.
        let keep = isa.high_mask(block) | u64::MAX / 0xF;
        isa.compact(block, keep, room);
        i += UNITS;
        o += keep.count_ones() as usize;
    }
    Progress { read: i, written: o }
}

/// Returns the UTF-8 of a code unit as a little-endian word, padded with zeros. The unit must not be a surrogate.
#[inline(always)]
fn word(unit: u32) -> u32 {
    let two = 0x80C0 | unit >> 6 | (unit & 0x3F) << 8;
    let three = 0x80_80E0 | unit >> 12 | (unit << 2 & 0x3F00) | (unit & 0x3F) << 16;
    if unit < 0x80 {
        unit
    } else if unit < 0x800 {
        two
    } else {
        three
    }
}

#[inline(always)]
fn chunk_of<const N: usize>(units: &[u16], at: usize) -> Option<&[u16; N]> {
    units.get(at..)?.first_chunk()
}
