//! The functions of the small module. Its memory is the caller's from `__heap_base` on, to grow and to divide.
//!
//! Every function here turns addresses into slices and references and calls a safe function of another module. The safety
//! contract is one for all: an address with a length is that of as many initialised bytes, which nothing else uses during the
//! call; two of them do not overlap; and an [`Outcome`] is addressed by a multiple of 4.

use core::slice;

use crate::latin1;
use crate::small::{self, Outcome};

/// Encodes the input to `out`, which has space for three times as many bytes, and returns how many that makes. The bytes that stay
/// are those of ASCII whose bits are set, from the lowest on. The flags are those of `abi.rs`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *const u8, len: usize, out: *mut u8, set: *const [u8; 16], flags: u32) -> usize {
    // SAFETY: the contract of the module.
    let (input, out, set) = unsafe {
        (slice::from_raw_parts(input, len), slice::from_raw_parts_mut(out, 3 * len), u128::from_le_bytes(*set))
    };
    small::encode(input, out, set, flags)
}

/// Decodes the input to `out`, which has space for as many bytes. Writes over each `+` of the input that is a space.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(input: *mut u8, len: usize, out: *mut u8, flags: u32, outcome: *mut Outcome) {
    // SAFETY: the contract of the module.
    unsafe {
        let (input, out) = (slice::from_raw_parts_mut(input, len), slice::from_raw_parts_mut(out, len));
        *outcome = small::decode(input, out, flags);
    }
}

/// Counts every `%` of the input. Those that decoding leaves are malformed, for every other shortens it by two bytes.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn percents(input: *const u8, len: usize) -> usize {
    // SAFETY: the contract of the module.
    small::percents(unsafe { slice::from_raw_parts(input, len) })
}

/// Writes the Latin-1 of UTF-8 to `out`, which has space for as many bytes, and returns its length; all ones if some character is not
/// in Latin-1.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn latin1(utf8: *const u8, len: usize, out: *mut u8) -> usize {
    // SAFETY: the contract of the module.
    let (utf8, out) = unsafe { (slice::from_raw_parts(utf8, len), slice::from_raw_parts_mut(out, len)) };
    latin1::from_utf8(utf8, out).unwrap_or(usize::MAX)
}
