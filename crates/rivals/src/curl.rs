//! Calls `curl_easy_escape` and `curl_easy_unescape`.
#![cfg(feature = "libcurl")]

use std::ffi::{c_char, c_int, c_void};
use std::{ptr, slice};

unsafe extern "C" {
    fn curl_easy_escape(curl: *mut c_void, string: *const c_char, length: c_int) -> *mut c_char;
    fn curl_easy_unescape(curl: *mut c_void, string: *const c_char, len: c_int, out_len: *mut c_int) -> *mut c_char;
    fn curl_free(block: *mut c_void);
}

/// A block of memory from libcurl. Dropping it frees the memory.
pub struct Block {
    start: *mut c_char,
    len: usize,
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: libcurl returned the block, and it is freed once.
        unsafe { curl_free(self.start.cast()) }
    }
}

impl Block {
    pub fn to_vec(&self) -> Vec<u8> {
        // SAFETY: the block has `len` bytes.
        unsafe { slice::from_raw_parts(self.start.cast::<u8>(), self.len) }.to_vec()
    }
}

/// Returns the pointer and the length of `text`, for libcurl. If the length is 0, libcurl reads up to a NUL, so an
/// empty `text` is replaced by a string that ends with a NUL.
fn argument(text: &str) -> Option<(*const c_char, c_int)> {
    let start = if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() };
    Some((start, c_int::try_from(text.len()).ok()?))
}

pub fn escape(text: &str) -> Option<Block> {
    let (start, length) = argument(text)?;
    // SAFETY: the pointer and the length come from a slice. libcurl 7.82 and later ignore the handle.
    let start = unsafe { curl_easy_escape(ptr::null_mut(), start, length) };
    // SAFETY: the returned string ends with a NUL.
    (!start.is_null()).then(|| Block { start, len: unsafe { libc::strlen(start) } })
}

pub fn unescape(text: &str) -> Option<Block> {
    let (start, length) = argument(text)?;
    let mut len = 0;
    // SAFETY: the pointer and the length come from a slice. The call may write to `len`.
    let start = unsafe { curl_easy_unescape(ptr::null_mut(), start, length, &raw mut len) };
    (!start.is_null()).then(|| Block { start, len: usize::try_from(len).unwrap_or_default() })
}
