//! Converts UTF-16 to bytes and back.

use alloc::vec::Vec;

use percent_simd::{Engine, internal};

use crate::ecma::legacy::LANES;

/// Copies the ASCII text at the start of `units` to `out`, as much as fits. Returns the length of the copied text. The
/// bytes of `out` after this length are unspecified.
#[inline]
pub(super) fn narrow(units: &[u16], out: &mut [u8]) -> usize {
    let wide = narrow_lanes::<64>(units, out);
    let more = narrow_lanes::<16>(&units[wide..], &mut out[wide..]);
    let at = wide + more;
    at + narrow_lanes::<1>(&units[at..], &mut out[at..])
}

/// Does the same as [`narrow`], but reads `N` units at a time, and stops at the first `N` units that contain a
/// non-ASCII unit.
#[inline]
fn narrow_lanes<const N: usize>(units: &[u16], out: &mut [u8]) -> usize {
    let mut at = 0;
    for (units, out) in units.as_chunks::<N>().0.iter().zip(out.as_chunks_mut::<N>().0) {
        let mut all = 0;
        for (byte, unit) in out.iter_mut().zip(units) {
            *byte = *unit as u8;
            all |= unit;
        }
        if all >= 0x80 {
            break;
        }
        at += N;
    }
    at
}

/// Writes `units` to `out` as UTF-8. Stops at a lone surrogate, or if `out` is full. Up to 3 bytes of `out` may stay
/// unused. Returns the number of units read, and the number of bytes written.
pub fn to_utf8(engine: Option<&'static Engine>, units: &[u16], out: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    loop {
        let before = read;
        let ascii = narrow(&units[read..], &mut out[written..]);
        read += ascii;
        written += ascii;
        // If the next unit isn't a surrogate, converts many units at once.
        if units[read..].len() >= LANES && !(0xD800..0xE000).contains(&units[read]) {
            let (more, bytes) = internal::utf16_front(engine, &units[read..], &mut out[written..]);
            read += more;
            written += bytes;
        }
        let end = units.len().min(read + LANES);
        while read < end {
            let Some(out) = out[written..].first_chunk_mut::<4>() else { break };
            let unit = units[read];
            let low = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
            match unit {
                0..0x800 => {
                    // We handle ASCII without a branch. In text of two-byte letters, the spaces between words are
                    // ASCII, so the CPU would often mispredict a branch.
                    let is_ascii = unit < 0x80;
                    out[0] = if is_ascii { unit as u8 } else { 0xC0 | (unit >> 6) as u8 };
                    out[1] = low(0);
                    written += 2 - usize::from(is_ascii);
                    read += 1;
                }
                0xD800..0xE000 => {
                    let Some(Ok(character)) = char::decode_utf16(units[read..].iter().copied()).next() else {
                        return (read, written);
                    };
                    written += character.encode_utf8(out).len();
                    read += 2;
                }
                _ => {
                    out[..3].copy_from_slice(&[0xE0 | (unit >> 12) as u8, low(6), low(0)]);
                    written += 3;
                    read += 1;
                }
            }
        }
        if read == before {
            return (read, written);
        }
    }
}

/// Appends `bytes`, which are ASCII, to `out`.
pub(super) fn widen_ascii(bytes: &[u8], out: &mut Vec<u16>) {
    out.extend(bytes.iter().map(|&byte| u16::from(byte)));
}

/// Appends `text` to `out`, in UTF-16.
pub(in crate::ecma) fn widen(mut text: &str, out: &mut Vec<u16>) {
    while !text.is_empty() {
        let lanes = text.as_bytes().chunks(LANES).take_while(|lanes| lanes.is_ascii()).count();
        let (ascii, after) = text.split_at((lanes * LANES).min(text.len()));
        widen_ascii(ascii.as_bytes(), out);
        let mixed = (0..=LANES).rev().find(|&len| after.is_char_boundary(len)).unwrap_or(0);
        let (mixed, after) = after.split_at(mixed);
        let (mut units, mut len) = ([0; LANES], 0);
        for character in mixed.chars() {
            len += character.encode_utf16(&mut units[len..]).len();
        }
        out.extend_from_slice(&units[..len]);
        text = after;
    }
}
