//! The interface for C: thin glue over `percent-simd`, which has every loop, table and set.
//!
//! The documentation of each item is written for `include/percent_simd.h`, which cbindgen generates from this crate, so
//! it speaks of C. `crates/capi-dylib` makes the library.
//!
//! Three rules hold for every function. It checks its arguments before it makes a slice or a reference from them; it
//! neither allocates nor panics; and what a caller keeps in its own memory (an encoder, a decoder, a stream, an iterator)
//! begins with a tag, so that memory which was never initialised is an error and not undefined.
#![no_std]
#![allow(non_camel_case_types)] // the names are those of C
#![allow(clippy::missing_safety_doc)] // the header's introduction says it once for all functions

mod memory;

// In the order of the header.
mod decode;

mod encode;

mod set;

mod charset;

mod target;

mod path;

mod form;

mod stream;

mod batch;

mod engine;

pub use batch::*;
pub use charset::*;
pub use decode::*;
pub use encode::*;
pub use engine::*;
pub use form::*;
pub use path::*;
pub use set::*;
pub use stream::*;
pub use target::*;

use core::ffi::c_char;
use core::mem::MaybeUninit;

use percent_simd::{DecodeError, DecodeErrorKind};

/// Stands for "nowhere" as an offset, and as a length for "more than a size_t can say": SIZE_MAX.
pub const PCT_NONE: usize = usize::MAX;

/// Says what a call came to. Every value above PCT_OUTPUT_TOO_SMALL is an error in the input or in the arguments. Later
/// versions may add values: treat those you do not know as errors.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pct_status {
    /// Says that all was done.
    PCT_OK = 0,
    /// Says that there is nothing more: an iterator has come to its end.
    PCT_END = 1,
    /// The output buffer is too small; `needed` in the result says what is enough. Its contents are unspecified.
    PCT_OUTPUT_TOO_SMALL = 2,
    /// The input ends inside a triplet ("%" or "%4"), and the decoder is strict.
    PCT_TRUNCATED = 3,
    /// A "%" is not followed by two hexadecimal digits, and the decoder is strict.
    PCT_NOT_HEX = 4,
    /// A triplet stands for a byte that the decoder was told to reject; `rejected` in the result is that byte.
    PCT_REJECTED = 5,
    /// A form has more pairs than the limit.
    PCT_TOO_MANY_PAIRS = 6,
    /// The offsets of a batch are negative, not ascending, beyond the values, or cannot express the output.
    PCT_BAD_OFFSETS = 7,
    /// A request path does not begin with "/", or has a control or, strictly, a character that may not stand in it.
    PCT_BAD_PATH = 8,
    /// No set, charset or engine has this name, or this CPU cannot run the engine.
    PCT_UNKNOWN_NAME = 9,
    /// An argument is not as the function's description asks: a null pointer with a length other than 0, a length above
    /// PTRDIFF_MAX, an unknown flag, options of an unknown size, or an object that was not initialised.
    PCT_INVALID_ARGUMENT = 10,
    /// Input and output overlap without beginning at the same address, or the call cannot work in place.
    PCT_OVERLAP = 11,
    /// A character of the text has no bytes in the charset.
    PCT_UNMAPPABLE = 12,
    /// Bytes stand for no character in the charset; or what is to be encoded in one is not UTF-8.
    PCT_NOT_TEXT = 13,
    /// A request target is in none of the forms of RFC 9112 3.2, or has a "#", a blank or a control.
    PCT_BAD_TARGET = 14,
}

use pct_status::*;

/// Describes what a call did. Every function that takes a `pct_result *` fills all of it, whatever the status; the pointer may be
/// null. Offsets and lengths are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_result {
    /// Bytes of the input that were dealt with: all of them where the status is PCT_OK (but for a stream, which stops
    /// where the output is full), those before the error otherwise.
    pub read: usize,
    /// Bytes of the output that were written; these are good even if an error follows.
    pub written: usize,
    /// With PCT_OUTPUT_TOO_SMALL, the capacity that is enough (SIZE_MAX if no buffer can be); otherwise 0.
    pub needed: usize,
    /// Offset in the input of the first malformed or rejected triplet, or PCT_NONE. A lenient decoder copies malformed
    /// ones and goes on, so this may be set where the status is PCT_OK.
    pub first_error: usize,
    /// Counts how many times decoding has changed something: 0 or 1, or more from pct_decode_layers().
    pub layers: u32,
    /// 1 if what was written differs from what was read, 0 if it is the same.
    pub changed: u8,
    /// With PCT_REJECTED, the byte that the triplet stands for; otherwise 0.
    pub rejected: u8,
    /// 0.
    pub reserved: u16,
}

impl pct_result {
    const NOTHING: pct_result = pct_result {
        read: 0,
        written: 0,
        needed: 0,
        first_error: PCT_NONE,
        layers: 0,
        changed: 0,
        rejected: 0,
        reserved: 0,
    };

    /// Says that `needed` bytes of output would be enough, and returns the status for that.
    fn set_needed(&mut self, needed: usize) -> pct_status {
        self.needed = needed;
        PCT_OUTPUT_TOO_SMALL
    }

    /// Adds the decoder's error, and returns its status.
    fn set_error(&mut self, error: DecodeError) -> pct_status {
        self.first_error = error.offset;
        match error.kind {
            DecodeErrorKind::Truncated => PCT_TRUNCATED,
            DecodeErrorKind::Rejected(byte) => {
                self.rejected = byte;
                PCT_REJECTED
            }
            DecodeErrorKind::NotHex => PCT_NOT_HEX,
            _ => PCT_NOT_TEXT,
        }
    }
}

/// Runs `call` on the caller's result, or on one that nobody looks at, and returns the status.
///
/// The result is filled in where it is to be: a struct that is returned goes through memory twice, written word by word and
/// read two words at a time, for which a CPU waits longer than a short call takes.
///
/// # Safety
/// `result` is null or valid for writing.
#[inline(always)]
unsafe fn answer(result: *mut pct_result, call: impl FnOnce(&mut pct_result) -> pct_status) -> pct_status {
    let mut ignored = MaybeUninit::uninit();
    let result = if result.is_null() { ignored.as_mut_ptr() } else { result };
    // SAFETY: the caller's promise; it is written before it is borrowed.
    call(unsafe {
        result.write(pct_result::NOTHING);
        &mut *result
    })
}

/// Runs `call` with `object`, input and output, for a function that cannot work in place. Without an object an argument was invalid.
///
/// # Safety
/// As the functions of C promise: of the `len` bytes at `src`, of the `cap` at `dst`, and of `result`.
#[inline(always)]
unsafe fn answer_apart<T>(
    object: Option<T>,
    (src, len): (*const c_char, usize),
    (dst, cap): (*mut c_char, usize),
    result: *mut pct_result,
    call: impl FnOnce(T, &[u8], &mut [MaybeUninit<u8>], &mut pct_result) -> pct_status,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        answer(result, |result| match (object, memory::apart(src.cast(), len, dst.cast(), cap)) {
            (Some(object), Ok((src, dst))) => call(object, src, dst, result),
            (None, _) => PCT_INVALID_ARGUMENT,
            (_, Err(status)) => status,
        })
    }
}

/// Returns the version of the library that is loaded: major * 65536 + minor * 256 + patch.
#[unsafe(no_mangle)]
pub extern "C" fn pct_version() -> u32 {
    const fn number(digits: &str) -> u32 {
        let (bytes, mut value, mut i) = (digits.as_bytes(), 0, 0);
        while i < bytes.len() {
            value = value * 10 + (bytes[i] - b'0') as u32;
            i += 1;
        }
        value
    }
    const VERSION: u32 = number(env!("CARGO_PKG_VERSION_MAJOR")) << 16
        | number(env!("CARGO_PKG_VERSION_MINOR")) << 8
        | number(env!("CARGO_PKG_VERSION_PATCH"));
    VERSION
}

/// Numbers the version of the binary interface that this header describes.
pub const PCT_ABI_VERSION: u32 = 0;

/// Returns the version of the binary interface of the library that is loaded. A program that was compiled with a header of
/// the same PCT_ABI_VERSION runs with it.
#[unsafe(no_mangle)]
pub extern "C" fn pct_abi_version() -> u32 {
    PCT_ABI_VERSION
}
