//! The records and formats of `pct` as a WebAssembly module: plain functions over linear memory, without imports.
//!
//! The caller writes into a buffer from [`buffer_new`], calls [`records_push`] with its address and length, and gets the address
//! and length of the output from [`records_state`]. As in `crates/wasm`, a panic becomes a trap. Only this file and `memory.rs`
//! have `unsafe` code. All functions of this file have the same safety contract:
//!
//! - an address with a length points to at least that number of initialised bytes, and no other code writes to them during the
//!   call;
//! - the address of a [`Records`] was returned by [`records_new`].
//!
//! The web page creates an instance of the module for each file, so buffers and records are never freed.

#[path = "../../wasm/src/memory.rs"]
mod memory;
mod records;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: memory::Noting<std::alloc::System> = memory::Noting(std::alloc::System);

#[cfg(test)]
use percent_simd_oracle as _; // aborts a suite that hangs

use std::slice;

use percent_simd::ByteSet;

pub use records::{Records, flag, status};

/// Allocates a buffer of `len` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn buffer_new(len: usize) -> *mut u8 {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(len).is_err() {
        memory::out_of_memory();
    }
    bytes.resize(len, 0_u8);
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// Starts a file: see [`Records::new`]. `set` is the address of 32 bytes, with a bit for each byte value. A name that isn't UTF-8
/// is an unknown format or field.
///
/// # Safety
/// The caller fulfils the contract at the head of this file.
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
    // SAFETY: the caller fulfils the contract at the head of this file.
    let (format, fields, set) =
        unsafe { (slice::from_raw_parts(format, format_len), slice::from_raw_parts(fields, fields_len), &*set) };
    let text = |bytes| String::from_utf8_lossy(bytes);
    let members: Vec<u8> = (0..=u8::MAX).filter(|byte| set[usize::from(byte >> 3)] >> (byte & 7) & 1 == 1).collect();
    Box::into_raw(Box::new(Records::new(&text(format), &text(fields), ByteSet::of(&members), flags, layers)))
}

/// Rewrites the records that the next piece of the file completes.
///
/// # Safety
/// The caller fulfils the contract at the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_push(records: *mut Records, piece: *const u8, len: usize) {
    // SAFETY: the caller fulfils the contract at the head of this file.
    unsafe { (*records).push(slice::from_raw_parts(piece, len)) }
}

/// Ends the file.
///
/// # Safety
/// The caller fulfils the contract at the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_finish(records: *mut Records) {
    // SAFETY: the caller fulfils the contract at the head of this file.
    unsafe { (*records).finish() }
}

/// Writes five numbers: address and length of the last call's output, the status, the number of records and fields that didn't match
/// the format, and the number of malformed escapes.
///
/// # Safety
/// The caller fulfils the contract at the head of this file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn records_state(records: *const Records, state: *mut [usize; 5]) {
    // SAFETY: the caller fulfils the contract at the head of this file.
    let (records, state) = unsafe { (&*records, &mut *state) };
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (unrecognized, malformed) = (number(records.unrecognized()), number(records.malformed()));
    *state = [records.output.as_ptr() as usize, records.output.len(), records.status as usize, unrecognized, malformed];
}
