//! The interface for C. This crate is thin glue: every loop, table and set is in `percent-simd`.
//!
//! cbindgen generates `include/percent_simd.h` from this crate. So the documentation of each public item is written for C
//! programmers. `crates/capi-dylib` builds the library.
//!
//! Three rules hold for every function:
//!
//! - It checks its arguments before it makes a slice or a reference from them.
//! - It neither allocates nor panics.
//! - Each object in the caller's memory (an encoder, a decoder, a stream, an iterator) begins with a tag. If the tag is
//!   missing, the memory is uninitialised, and the call returns an error. Without this check, the call would have
//!   undefined behaviour.
//!
//! SAFETY comments rely on the header. Its introduction has rules for all calls, and each function has its own rules. For
//! example, if `len` bytes at `src` are the input, the C caller must pass that many readable bytes.
#![no_std]
#![allow(non_camel_case_types)] // C names
#![allow(clippy::missing_safety_doc)] // the header's introduction states the rules once, for all functions

mod codec;
mod memory;

// The header has its sections in the order of these modules.
mod decode;
mod decode_u;

mod encode;

mod set;

mod charset;

mod target;

mod path;

mod query;
mod redact;
mod repair;

mod file;

mod form;

mod baggage;
mod disposition;

mod stream;

mod batch;

mod engine;

pub use baggage::*;
pub use batch::*;
pub use charset::*;
pub use decode::*;
pub use decode_u::*;
pub use disposition::*;
pub use encode::*;
pub use engine::*;
pub use file::*;
pub use form::*;
pub use path::*;
pub use query::*;
pub use redact::*;
pub use repair::*;
pub use set::*;
pub use stream::*;
pub use target::*;

use core::ffi::c_char;
use core::mem::MaybeUninit;

use memory::{Region, are_apart};
use percent_simd::{DecodeError, DecodeErrorKind};

/// Means "no offset", or a length that does not fit into a size_t: SIZE_MAX.
pub const PCT_NONE: usize = usize::MAX;

/// Names the outcome of a call.
///
/// Every value above PCT_OUTPUT_TOO_SMALL is an error in the input or in the arguments. Later versions may add values.
/// Treat values that you do not know as errors.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pct_status {
    /// The call succeeded. It has processed all of its input, or, for a stream, as much as the output has room for.
    PCT_OK = 0,
    /// An iterator has reached its end.
    PCT_END = 1,
    /// The output buffer is too small. `needed` in the result is a sufficient capacity. The contents of the buffer are
    /// unspecified.
    PCT_OUTPUT_TOO_SMALL = 2,
    /// The input ends inside a triplet ("%" or "%4"), and the decoder is strict.
    PCT_TRUNCATED = 3,
    /// A "%" is not followed by two hexadecimal digits, and the decoder is strict.
    PCT_NOT_HEX = 4,
    /// A triplet encodes a byte that the decoder rejects. That byte is in `rejected` of the result.
    PCT_REJECTED = 5,
    /// A form has more pairs than the limit.
    PCT_TOO_MANY_PAIRS = 6,
    /// The offsets of a batch are negative, not ascending, or beyond the values. Or the type of the offsets is too
    /// small for the output.
    PCT_BAD_OFFSETS = 7,
    /// A request path does not begin with "/", contains a control, or contains a character that a flag refuses. Or the
    /// path of a file has no "file:" URL. Or a "file:" URL has no path of a file.
    PCT_BAD_PATH = 8,
    /// No set, charset or engine has this name, or this CPU cannot run the engine.
    PCT_UNKNOWN_NAME = 9,
    /// An argument breaks the rules of the function: a null pointer with a length other than 0, a length above
    /// PTRDIFF_MAX, an unknown flag, options of an unknown size, or an object that was not initialised.
    PCT_INVALID_ARGUMENT = 10,
    /// Input and output overlap without beginning at the same address, or the call cannot work in place. Or other memory
    /// that the call writes to overlaps an argument.
    PCT_OVERLAP = 11,
    /// A character of the text has no bytes in the charset.
    PCT_UNMAPPABLE = 12,
    /// Decoded bytes are no character of the charset, or the text to encode is not UTF-8.
    PCT_NOT_TEXT = 13,
    /// A request target matches no form of RFC 9112 3.2, or contains a "#", a blank or a control.
    PCT_BAD_TARGET = 14,
    /// A member of a header field does not have the form that the field's standard requires.
    PCT_BAD_FIELD = 15,
}

use pct_status::*;

/// Describes the outcome of a call in detail.
///
/// Every function that takes a `pct_result *` fills all of it, whatever the status, unless it overlaps another argument.
/// The pointer may be null. Offsets and lengths are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_result {
    /// Number of input bytes that were processed. With PCT_OK this is the whole input, or less if the output of a
    /// stream is full. After an error it is the number of bytes before the error.
    pub read: usize,
    /// Number of output bytes that were written. These bytes are valid even if an error follows, except after
    /// PCT_OUTPUT_TOO_SMALL.
    pub written: usize,
    /// With PCT_OUTPUT_TOO_SMALL, a sufficient capacity, or SIZE_MAX if no buffer can be large enough. Otherwise 0.
    pub needed: usize,
    /// Offset in the input of the first malformed or rejected triplet, or PCT_NONE. A lenient decoder copies malformed
    /// triplets and continues, so this field can be set even with PCT_OK.
    pub first_error: usize,
    /// Number of decoding passes that changed the text: 0 or 1, or more from pct_decode_layers().
    pub layers: u32,
    /// 1 if the output differs from the input, 0 if they are equal.
    pub changed: u8,
    /// With PCT_REJECTED, the byte that the triplet encodes. Otherwise 0.
    pub rejected: u8,
    /// Always 0.
    pub reserved: u16,
}

impl pct_result {
    const EMPTY: pct_result = pct_result {
        read: 0,
        written: 0,
        needed: 0,
        first_error: PCT_NONE,
        layers: 0,
        changed: 0,
        rejected: 0,
        reserved: 0,
    };

    /// Stores `needed` as a sufficient capacity, and returns the status for an output that is too small.
    fn set_needed(&mut self, needed: usize) -> pct_status {
        self.needed = needed;
        PCT_OUTPUT_TOO_SMALL
    }

    /// Stores the decoder's error, and returns its status.
    fn set_error(&mut self, error: DecodeError) -> pct_status {
        self.first_error = offset_or_none(Some(error.offset));
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

/// Converts an optional offset. In a long stream, `usize::MAX` means that the offset is too large, which is not PCT_NONE.
pub(crate) fn offset_or_none(offset: Option<usize>) -> usize {
    offset.map_or(PCT_NONE, |offset| offset.min(PCT_NONE - 1))
}

/// Runs `call` and returns its status. `call` fills the caller's result, or a dummy if the caller passed a null
/// pointer.
///
/// `written` and `read` are the other regions that the call writes and reads. If a written region overlaps another one,
/// returns PCT_OVERLAP instead. If the result overlaps another region, it is not filled.
///
/// `call` does not return a struct, because the compiler would write the struct word by word and read it two words at a
/// time. The CPU stalls on this read for longer than a short call takes.
///
/// # Safety
/// `result` is null or valid for writing.
#[inline(always)]
unsafe fn answer<const W: usize, const R: usize>(
    result: *mut pct_result,
    written: [Region; W],
    read: [Region; R],
    call: impl FnOnce(&mut pct_result) -> pct_status,
) -> pct_status {
    let mut ignored = MaybeUninit::uninit();
    let own = [Region::of(result, 1)];
    if !are_apart(own, written) || !are_apart(own, read) {
        return PCT_OVERLAP;
    }
    let result = if result.is_null() { ignored.as_mut_ptr() } else { result };
    // SAFETY: the caller meets the `# Safety` conditions of this function. The result is written before it is borrowed.
    let result = unsafe {
        result.write(pct_result::EMPTY);
        &mut *result
    };
    if are_apart(written, read) { call(result) } else { PCT_OVERLAP }
}

/// The memory that a call accesses, in addition to its input, its output and its result.
struct Others {
    written: [Region; 2],
    read: [Region; 2],
}

impl Others {
    const NONE: Others = Others { written: [Region::NONE; 2], read: [Region::NONE; 2] };
}

/// Calls `call` with `object`, input and output. Use it for a function that cannot work in place.
///
/// `object` is `None` if it is made from arguments, and one of these arguments is invalid.
///
/// # Safety
/// The C caller follows the rules of the header for the `len` bytes at `src`, the `cap` bytes at `dst`, and `result`.
#[inline(always)]
unsafe fn answer_apart<T>(
    object: Option<T>,
    others: Others,
    (src, len): (*const c_char, usize),
    (dst, cap): (*mut c_char, usize),
    result: *mut pct_result,
    call: impl FnOnce(T, &[u8], &mut [MaybeUninit<u8>], &mut pct_result) -> pct_status,
) -> pct_status {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        let Others { written: [first, second], read: [third, fourth] } = others;
        let written = [Region::of(dst, cap), first, second];
        let read = [Region::of(src, len), third, fourth];
        answer(result, written, read, |result| match (object, memory::apart(src.cast(), len, dst.cast(), cap)) {
            (Some(object), Ok((src, dst))) => call(object, src, dst, result),
            (None, _) => PCT_INVALID_ARGUMENT,
            (_, Err(status)) => status,
        })
    }
}

/// Returns the version of the loaded library: major * 65536 + minor * 256 + patch.
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

/// The version of the binary interface that this header describes.
pub const PCT_ABI_VERSION: u32 = 0;

/// Returns the version of the binary interface of the loaded library.
///
/// A program runs with every library that returns the same number as PCT_ABI_VERSION in the header that the program was
/// compiled with.
#[unsafe(no_mangle)]
pub extern "C" fn pct_abi_version() -> u32 {
    PCT_ABI_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a 32-bit machine, a stream of 4 GiB has offsets that don't fit.
    #[test]
    fn an_offset_that_is_too_large_is_no_missing_offset() {
        for (offset, expected) in
            [(None, PCT_NONE), (Some(0), 0), (Some(usize::MAX - 1), PCT_NONE - 1), (Some(usize::MAX), PCT_NONE - 1)]
        {
            assert_eq!(offset_or_none(offset), expected, "{offset:?}");
        }
        let mut result = pct_result::EMPTY;
        let status = result.set_error(DecodeError::new(usize::MAX, DecodeErrorKind::NotHex));
        assert_eq!((status, result.first_error), (PCT_NOT_HEX, PCT_NONE - 1));
    }
}
