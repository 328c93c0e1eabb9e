//! The functions of the small module. The memory from `__heap_base` on belongs to the caller: it grows this memory, and divides
//! it into buffers.
//!
//! Each function converts addresses to slices and references, and calls a safe function of another module. All
//! functions have the same safety contract. An address with a length points to that many initialised bytes, and no one
//! else uses these bytes during the call. No two of these slices overlap. The address of an [`Outcome`] is a multiple
//! of 4.

use core::slice;

use percent_simd::ByteSet;

use crate::latin1;
use crate::small::{self, Outcome};

/// Encodes the input to `out`, which has space for three times as many bytes as the input. Returns the number of bytes
/// written, or all ones if the small module can't encode this input. `set` has a bit for each byte of ASCII, from byte 0
/// on: 1 if the byte stays. The flags are in `abi.rs`. If triplets stay, overwrites their `%` in the input.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *mut u8, len: usize, out: *mut u8, set: *const [u8; 16], flags: u32) -> usize {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let (input, out, set) = unsafe {
        (slice::from_raw_parts_mut(input, len), slice::from_raw_parts_mut(out, 3 * len), u128::from_le_bytes(*set))
    };
    small::encode(input, out, set, flags).unwrap_or(usize::MAX)
}

/// Decodes the input to `out`, which is as long as the input. First, each `+` of the input that means a space is
/// overwritten with a space, and each `%` of a kept triplet with another byte, in the input itself. `keep` has a bit for
/// each byte whose triplets stay, from byte 0 on. If it is null, no triplets stay.
///
/// # Safety
/// The caller fulfils the contract at the head of this module. `keep` is null or the address of 32 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(
    input: *mut u8,
    len: usize,
    out: *mut u8,
    flags: u32,
    outcome: *mut Outcome,
    keep: Option<&[u8; 32]>,
) {
    let word = |set: &[u8; 32], at: usize| u64::from_le_bytes(core::array::from_fn(|byte| set[8 * at + byte]));
    let keep = keep.map_or(ByteSet::EMPTY, |set| ByteSet::from_words(core::array::from_fn(|at| word(set, at))));
    // SAFETY: the caller fulfils the contract at the head of this module.
    unsafe {
        let (input, out) = (slice::from_raw_parts_mut(input, len), slice::from_raw_parts_mut(out, len));
        *outcome = small::decode(input, out, flags, keep);
    }
}

/// Counts the `%` in the input. From this count, the caller computes how many `%` are malformed: each decoded triplet makes the
/// output two bytes shorter than the input.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn percents(input: *const u8, len: usize) -> usize {
    // SAFETY: the caller fulfils the contract at the head of this module.
    small::percents(unsafe { slice::from_raw_parts(input, len) })
}

/// Converts `utf8` to Latin-1 in `out`, which is as long as `utf8`. Returns the length of the result, or all ones if a
/// character isn't in Latin-1.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn latin1(utf8: *const u8, len: usize, out: *mut u8) -> usize {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let (utf8, out) = unsafe { (slice::from_raw_parts(utf8, len), slice::from_raw_parts_mut(out, len)) };
    latin1::from_utf8(utf8, out).unwrap_or(usize::MAX)
}
