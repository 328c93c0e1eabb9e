//! Calls the codec in codec.c.

use std::ffi::c_int;
use std::slice;

use crate::Output;

unsafe extern "C" {
    fn calls_prepare();
    fn calls_decode(src: *const u8, n: usize, dst: *mut u8, room: usize, plus: c_int) -> usize;
    fn calls_encode(src: *const u8, n: usize, dst: *mut u8, room: usize) -> usize;
    fn calls_decode_new(src: *const u8, n: usize, plus: c_int, len: *mut usize) -> *mut u8;
    fn calls_encode_new(src: *const u8, n: usize, borrow: c_int, len: *mut usize) -> *mut u8;
}

/// Fills the codec's tables. Call this once, before any other function here.
pub fn prepare() {
    // SAFETY: the program has only one thread at this time.
    unsafe { calls_prepare() }
}

/// The result of a call: the input, or a block from `malloc`. Dropping a `Block` frees the memory from `malloc`.
pub struct Block<'a> {
    src: &'a [u8],
    start: *mut u8,
    len: usize,
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        if self.start.cast_const() != self.src.as_ptr() {
            // SAFETY: the block came from `malloc`, and is freed once.
            unsafe { libc::free(self.start.cast()) }
        }
    }
}

impl Output for Block<'_> {
    fn bytes(self, _: &crate::Scratch) -> Option<Vec<u8>> {
        // SAFETY: the block has `len` bytes.
        Some(unsafe { slice::from_raw_parts(self.start, self.len) }.to_vec())
    }
}

pub fn decode_new(src: &[u8], plus: bool) -> Block<'_> {
    let mut len = 0;
    // SAFETY: the pointer and the length come from a slice. The last pointer points to `len`, which the call overwrites.
    let start = unsafe { calls_decode_new(src.as_ptr(), src.len(), plus.into(), &raw mut len) };
    assert!(!start.is_null());
    Block { src, start, len }
}

pub fn encode_new(src: &[u8], borrow: bool) -> Block<'_> {
    let mut len = 0;
    // SAFETY: the pointer and the length come from a slice. The last pointer points to `len`, which the call overwrites.
    let start = unsafe { calls_encode_new(src.as_ptr(), src.len(), borrow.into(), &raw mut len) };
    assert!(!start.is_null());
    Block { src, start, len }
}

pub fn decode(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: pointers and lengths come from slices.
    unsafe { calls_decode(src.as_ptr(), src.len(), dst.as_mut_ptr(), dst.len(), 0) }
}

pub fn encode(src: &[u8], dst: &mut [u8]) -> usize {
    // SAFETY: pointers and lengths come from slices.
    unsafe { calls_encode(src.as_ptr(), src.len(), dst.as_mut_ptr(), dst.len()) }
}

/// Appends the output of the C codec to `out`. `room` is the greatest possible length of the output.
pub fn append(src: &[u8], room: usize, out: &mut Vec<u8>, is_encoding: bool) {
    out.reserve(room);
    let spare = out.spare_capacity_mut();
    let (dst, room) = (spare.as_mut_ptr().cast::<u8>(), spare.len());
    // SAFETY: pointers and lengths come from slices. `out` has enough room, so the call wrote as many bytes as it returned.
    unsafe {
        let written = match is_encoding {
            true => calls_encode(src.as_ptr(), src.len(), dst, room),
            false => calls_decode(src.as_ptr(), src.len(), dst, room, 0),
        };
        out.set_len(out.len() + written);
    }
}
