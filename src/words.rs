//! Reads and writes up to 64 bytes in words that overlap.
//!
//! Lengths of short inputs differ from call to call. So a branch on the length is often mispredicted, and a copy of an
//! unpredictable length takes as long as all other work. But four words of `N` bytes, which may overlap, cover every
//! length from `N` to `4 * N`:
//!
//! ```text
//! 11 bytes   abcdefghijk
//! N = 4      abcd             at 0
//!                efgh         at min(4, 11 - 4)
//!                   hijk      at min(8, 11 - 4)
//!                   hijk      at 11 - 4
//! ```
//!
//! So for an input of up to 32 bytes, the code only chooses between three cases: 1 to 3 bytes, 4 to 16 bytes in words
//! of 4 bytes, and 17 to 32 bytes in words of 8 bytes. No branch depends on the exact length. `copy_few` copies 16 to
//! 64 bytes in words of 16 bytes.
#![forbid(unsafe_code)]

use crate::output::{Cell, cell};

/// Returns the `N` bytes at `at`, or `None` if there are fewer.
#[inline(always)]
pub(crate) fn chunk<const N: usize>(src: &[u8], at: usize) -> Option<&[u8; N]> {
    src.get(at..)?.first_chunk()
}

/// Returns memory for `N` bytes at offset `at`, or `None` if there is less. This function avoids indexing: an index may
/// panic, so it would compile to a call at opt-level "z".
#[inline(always)]
pub(crate) fn room<const N: usize>(dst: &mut [Cell], at: usize) -> Option<&mut [Cell; N]> {
    dst.get_mut(at..)?.first_chunk_mut()
}

/// Inputs up to this length are read as four words. Without the feature `simd`, this is 0, to keep the code small.
pub(crate) const WORDS: usize = if cfg!(not(feature = "simd")) { 0 } else { 4 * size_of::<u64>() };

/// All bytes of an input of up to [`WORDS`] bytes, in words, or as one to three bytes.
pub(crate) enum Words<'a> {
    Long(&'a [u64]),
    Bytes([u8; 3]),
}

/// If `src` has `N` to `4 * N` bytes, returns all of them in four words of `N` bytes. If there are fewer than `4 * N`
/// bytes, the words overlap, so some bytes are in several words. Returns `None` for every other length.
#[inline(always)]
pub(crate) fn overlapping<const N: usize>(src: &[u8]) -> Option<[[u8; N]; 4]> {
    if src.len() > 4 * N {
        return None;
    }
    let last = src.len().checked_sub(N)?;
    let word = |at| chunk(src, at).copied();
    Some([word(0)?, word(last.min(N))?, word(last.min(2 * N))?, word(last)?])
}

/// Joins four words of four bytes to two words of eight bytes.
#[inline(always)]
pub(crate) fn joined(words: [[u8; 4]; 4]) -> [u64; 2] {
    let [a, b, c, d] = words.map(|word| u64::from(u32::from_le_bytes(word)));
    [a | b << 32, c | d << 32]
}

/// Writes the words that [`overlapping`] has read. `dst` must be as long as the `src` that was read.
#[inline(always)]
pub(crate) fn store_overlapping<const N: usize>(words: [[u8; N]; 4], dst: &mut [Cell]) {
    let last = dst.len().saturating_sub(N);
    for (at, word) in [0, N, 2 * N, last].into_iter().zip(words) {
        if let Some(room) = room(dst, at.min(last)) {
            *room = word.map(cell);
        }
    }
}

/// Returns the bytes of a `src` of one to three bytes. If `src` has one or two bytes, a byte is repeated: the result
/// for `ab` is `abb`.
#[inline(always)]
pub(crate) fn few_bytes(src: &[u8]) -> Option<[u8; 3]> {
    Some([*src.first()?, *src.get(src.len() / 2)?, *src.last()?])
}

/// Copies the 1 to 64 items of `src` to a `dst` of the same length, and converts each with `new`. This function stores
/// a word before it loads the next one, because four loaded words would take registers that the kernel needs.
#[inline(always)]
pub(crate) fn copy_few<T: Copy>(src: &[T], dst: &mut [Cell], new: impl Fn(T) -> Cell + Copy) {
    match src.len() {
        16.. => copy_overlapping::<T, 16>(src, dst, new),
        4.. => copy_overlapping::<T, 4>(src, dst, new),
        n => {
            for at in [0, n / 2, n.wrapping_sub(1)] {
                if let (Some(&byte), Some(cell)) = (src.get(at), dst.get_mut(at)) {
                    *cell = new(byte);
                }
            }
        }
    }
}

/// Copies `N` to `4 * N` cells.
#[inline(always)]
fn copy_overlapping<T: Copy, const N: usize>(src: &[T], dst: &mut [Cell], new: impl Fn(T) -> Cell + Copy) {
    let (Some(last), Some(dst)) = (src.len().checked_sub(N), dst.get_mut(..src.len())) else { return };
    copy_word::<T, N>(src, dst, 0, new);
    copy_word::<T, N>(src, dst, last.min(N), new);
    copy_word::<T, N>(src, dst, last.min(2 * N), new);
    copy_word::<T, N>(src, dst, last, new);
}

/// Copies `N` items from offset `at` of `src` to the same offset of `dst`, and converts each with `new`. This is a
/// function, because closures are not always inlined.
#[inline(always)]
fn copy_word<T: Copy, const N: usize>(src: &[T], dst: &mut [Cell], at: usize, new: impl Fn(T) -> Cell + Copy) {
    if let (Some(&word), Some(room)) = (src.get(at..).and_then(<[T]>::first_chunk::<N>), room::<N>(dst, at)) {
        *room = word.map(new);
    }
}

/// Returns 1 to 3 bytes as a little-endian number.
#[inline(always)]
pub(crate) fn load_tiny(src: &[u8]) -> u32 {
    let n = src.len();
    let byte = |at: usize| src.get(at).map_or(0, |&byte| u32::from(byte).wrapping_shl(8 * at as u32));
    byte(0) | byte(n / 2) | byte(n.wrapping_sub(1))
}

/// Copies `src`, which has at most 15 bytes, and fills the rest of the result with zeros.
#[inline(always)]
pub(crate) fn small_bytes(src: &[u8]) -> [u8; 16] {
    let [low, high] = load_small(src);
    (u128::from(low) | u128::from(high) << 64).to_le_bytes()
}

/// Returns up to 16 bytes as a little-endian number of 16 bytes. Its high bytes are zeros if `src` is shorter. Uses no
/// loop and no buffer.
#[inline(always)]
pub(crate) fn load_small(src: &[u8]) -> [u64; 2] {
    let n = src.len();
    if let (Some(&head), Some(&tail)) = (src.first_chunk(), src.last_chunk()) {
        let (head, tail) = (u64::from_le_bytes(head), u64::from_le_bytes(tail));
        return [head, tail.unbounded_shr(8 * (16 - n as u32))];
    }
    if let (Some(&head), Some(&tail)) = (src.first_chunk(), src.last_chunk()) {
        let (head, tail) = (u32::from_le_bytes(head), u32::from_le_bytes(tail));
        return [u64::from(head) | u64::from(tail) << (8 * (n - 4)), 0];
    }
    match *src {
        [] => [0, 0],
        [a] => [u64::from(a), 0],
        [a, b] => [u64::from(u16::from_le_bytes([a, b])), 0],
        [a, b, c, ..] => [u64::from(u32::from_le_bytes([a, b, c, 0])), 0],
    }
}

/// Fills a `dst` of up to 16 bytes with the lowest bytes of a little-endian number.
#[inline(always)]
pub(crate) fn store_small<T: Copy>([low, high]: [u64; 2], dst: &mut [T], cell: impl Fn(u8) -> T + Copy) {
    let n = dst.len();
    if let Some(last @ 0..=8) = n.checked_sub(8) {
        let bits = 8 * last as u32;
        let word = low.unbounded_shr(bits) | high.unbounded_shl(64 - bits);
        if let Some(room) = dst.first_chunk_mut() {
            *room = low.to_le_bytes().map(cell);
        }
        if let Some(room) = dst.last_chunk_mut() {
            *room = word.to_le_bytes().map(cell);
        }
    } else if let Some(last @ 0..4) = n.checked_sub(4) {
        if let Some(room) = dst.first_chunk_mut() {
            *room = (low as u32).to_le_bytes().map(cell);
        }
        if let Some(room) = dst.last_chunk_mut() {
            *room = ((low >> (8 * last)) as u32).to_le_bytes().map(cell);
        }
    } else if let [first, .., last] = dst {
        (*first, *last) = (cell(low as u8), cell((low >> (8 * (n - 1))) as u8));
        dst[n / 2] = cell((low >> (8 * (n / 2))) as u8);
    } else if let [only] = dst {
        *only = cell(low as u8);
    }
}

/// Writes the first `len` bytes of `word` to the front of `dst`. Returns `None` if `dst` is too short.
#[inline(always)]
pub(crate) fn store_word(word: u64, len: usize, dst: &mut [Cell]) -> Option<()> {
    match dst.first_chunk_mut() {
        Some(room) => *room = word.to_le_bytes().map(cell),
        None => store_small([word, 0], dst.get_mut(..len)?, cell),
    }
    Some(())
}

/// Returns a mask of the bytes of `word` that equal `byte`. In the mask, an equal byte is 0x80, and every other byte is
/// 0.
#[inline(always)]
pub(crate) fn byte_mask(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let zero = word ^ u64::from_le_bytes([byte; 8]);
    !((zero & LOW) + LOW | zero | LOW)
}

/// Returns `word` with a space in place of each `+`.
#[inline(always)]
pub(crate) fn spaced(word: u64) -> u64 {
    word ^ (byte_mask(word, b'+') >> 7) * u64::from(b'+' ^ b' ')
}
