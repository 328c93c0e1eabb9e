//! The records and formats of `pct` as a WebAssembly module: plain functions over linear memory. It imports nothing.
//!
//! The caller writes into a buffer of [`buffer_new`], calls [`records_push`] with its address and length, and reads what came of
//! it where the five numbers that [`records_state`] writes say. This file is the only one with `unsafe` in it, and its contract is
//! one for all functions:
//!
//! - an address with a length is that of as many initialised bytes, which nothing else writes to during the call;
//! - a [`Records`] is addressed by what [`records_new`] returned, before [`records_free`].

mod records;

#[cfg(test)]
use percent_simd_oracle as _; // ends a suite that hangs

use std::slice;

use percent_simd::ByteSet;

pub use records::{Records, flag, status};

/// Allocates a buffer of `len` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn buffer_new(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Frees a buffer.
///
/// # Safety
/// `buffer` is one of [`buffer_new`] with this `len`, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn buffer_free(buffer: *mut u8, len: usize) {
    // SAFETY: by the contract, the box that `buffer_new` made of a slice of this length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(buffer, len)) });
}

/// Starts a file; see [`Records::new`]. `set` is the address of 32 bytes. Text that is not UTF-8 names no format and no field.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_new(
    format: *const u8,
    format_len: usize,
    fields: *const u8,
    fields_len: usize,
    set: *const [u8; 32],
    flags: u32,
    layers: usize,
) -> *mut Records {
    // SAFETY: the contract of the module.
    let (format, fields, set) =
        unsafe { (slice::from_raw_parts(format, format_len), slice::from_raw_parts(fields, fields_len), &*set) };
    let text = |bytes| String::from_utf8_lossy(bytes);
    let members: Vec<u8> = (0..=u8::MAX).filter(|byte| set[usize::from(byte >> 3)] >> (byte & 7) & 1 == 1).collect();
    Box::into_raw(Box::new(Records::new(&text(format), &text(fields), ByteSet::of(&members), flags, layers)))
}

/// Takes the next piece of the file.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_push(records: *mut Records, piece: *const u8, len: usize) {
    // SAFETY: the contract of the module.
    unsafe { (*records).push(slice::from_raw_parts(piece, len)) }
}

/// Ends the file.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_finish(records: *mut Records) {
    // SAFETY: the contract of the module.
    unsafe { (*records).finish() }
}

/// Writes the address and length of the output of the last call, the status, and the numbers of what was not in the format and of
/// malformed escapes.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_state(records: *const Records, state: *mut [usize; 5]) {
    // SAFETY: the contract of the module.
    let (records, state) = unsafe { (&*records, &mut *state) };
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (unrecognized, malformed) = (number(records.unrecognized()), number(records.malformed()));
    *state = [records.output.as_ptr() as usize, records.output.len(), records.status as usize, unrecognized, malformed];
}

/// Frees a file.
///
/// # Safety
/// As the module says; it is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_free(records: *mut Records) {
    // SAFETY: `records_new` returns the address of a box.
    drop(unsafe { Box::from_raw(records) });
}
