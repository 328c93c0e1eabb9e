//! The algorithms without vectors. The scalar engine consists of these functions. If the output is too short for the
//! result of a block, the kernels with vectors call these functions to fill the end of the output. The byte-by-byte
//! functions specify the results of all other kernels.

mod decode;
mod encode;

use super::form::FormBlock;
use crate::isa::{BLOCK, COMPACTED, Out};
use crate::output::{Cell, cell};
use crate::set::ByteSet;
use crate::triplet::triplet;

pub(crate) use decode::*;
pub(crate) use encode::*;

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

/// Writes a mask for each block of `src`, as long as `masks` has space. Bit *i* of a mask is set if byte *i* of its
/// block is in `set`.
pub(crate) fn masks(set: ByteSet, src: &[u8], masks: &mut [u64]) {
    for (mask, block) in masks.iter_mut().zip(src.chunks(BLOCK)) {
        *mask = block.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(set.contains(byte)));
    }
}

/// Returns whether every byte of `src` is in a set of ASCII bytes. `row` is the lower half of the set's `NibbleTable`.
pub(crate) fn all(row: &[u8; 16], src: &[u8]) -> bool {
    let contains = |byte: u8| byte.is_ascii() && row[usize::from(byte & 0xF)] >> (byte >> 4) & 1 != 0;
    src.iter().all(|&byte| contains(byte))
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
