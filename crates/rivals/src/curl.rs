//! Calls `curl_easy_escape` and `curl_easy_unescape`.
#![cfg(feature = "libcurl")]

use std::ffi::{c_char, c_int, c_void};
use std::{ptr, slice};

unsafe extern "C" {
    fn curl_easy_escape(curl: *mut c_void, string: *const c_char, length: c_int) -> *mut c_char;
    fn curl_easy_unescape(curl: *mut c_void, string: *const c_char, len: c_int, out_len: *mut c_int) -> *mut c_char;
    fn curl_free(block: *mut c_void);
}

/// A block that libcurl returned. Dropping it frees it.
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
        // SAFETY: the block has this many bytes.
        unsafe { slice::from_raw_parts(self.start.cast::<u8>(), self.len) }.to_vec()
    }
}

/// Returns a string as libcurl takes it. If the length is 0, libcurl reads up to a zero byte, so an empty string needs one.
fn argument(text: &str) -> Option<(*const c_char, c_int)> {
    let start = if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() };
    Some((start, c_int::try_from(text.len()).ok()?))
}

pub fn escape(text: &str) -> Option<Block> {
    let (start, length) = argument(text)?;
    // SAFETY: pointer and length are those of a slice. Since libcurl 7.82 the handle is not used.
    let start = unsafe { curl_easy_escape(ptr::null_mut(), start, length) };
    // SAFETY: the returned string ends with a zero.
    (!start.is_null()).then(|| Block { start, len: unsafe { libc::strlen(start) } })
}

pub fn unescape(text: &str) -> Option<Block> {
    let (start, length) = argument(text)?;
    let mut len = 0;
    // SAFETY: as above; the last pointer is valid for writes.
    let start = unsafe { curl_easy_unescape(ptr::null_mut(), start, length, &raw mut len) };
    (!start.is_null()).then(|| Block { start, len: usize::try_from(len).unwrap_or_default() })
}
