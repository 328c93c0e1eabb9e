//! Sets of bytes, as values.

use core::ffi::c_char;

use percent_simd::{ByteSet, presets};

use crate::memory::{bytes, name, put_name};
use crate::pct_status::{self, *};

/// Holds a set of bytes, as a value of 32 bytes: byte b is in it when bit b % 64 of words[b / 64] is set. All zeros is the empty
/// set. The functions below take and return sets by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct pct_set {
    /// The bits.
    pub words: [u64; 4],
}

impl From<ByteSet> for pct_set {
    fn from(set: ByteSet) -> pct_set {
        pct_set { words: set.words() }
    }
}

impl From<pct_set> for ByteSet {
    fn from(set: pct_set) -> ByteSet {
        ByteSet::from_words(set.words)
    }
}

/// Returns the set of the `len` bytes at `data`; the empty set if `data` is null. For a literal:
/// pct_set_of("/%", 2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_of(data: *const c_char, len: usize) -> pct_set {
    // SAFETY: the caller's promise.
    ByteSet::of(unsafe { bytes(data.cast(), len) }.unwrap_or_default()).into()
}

/// Returns the set of the bytes from `first` to `last`, both included; the empty set if first > last.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_range(first: u8, last: u8) -> pct_set {
    ByteSet::range(first, last).into()
}

/// Returns the set of the bytes that are in `a`, in `b`, or in both.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_union(a: pct_set, b: pct_set) -> pct_set {
    ByteSet::from(a).union(b.into()).into()
}

/// Returns the set of the bytes that are in both `a` and `b`.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_intersection(a: pct_set, b: pct_set) -> pct_set {
    ByteSet::from(a).intersection(b.into()).into()
}

/// Returns the set of the bytes that are in `a` and not in `b`.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_difference(a: pct_set, b: pct_set) -> pct_set {
    ByteSet::from(a).difference(b.into()).into()
}

/// Returns the set of the bytes that are not in `set`, those of 0x80 and above included.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_complement(set: pct_set) -> pct_set {
    ByteSet::from(set).complement().into()
}

/// Returns whether `byte` is in `set`.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_contains(set: pct_set, byte: u8) -> bool {
    ByteSet::from(set).contains(byte)
}

/// Stores the set of this name at `set`: one of the catalogue, such as "rfc3986-path", "rfc3986-unreserved",
/// "whatwg-query" or "ecma-encode-uri-component". These are sets of the bytes that stay as they are when encoding. The
/// case of letters does not matter, nor whether "-" or "_" is written. pct_set_name() lists them all.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME, or PCT_INVALID_ARGUMENT if a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_named(set_name: *const c_char, set: *mut pct_set) -> pct_status {
    if set_name.is_null() || set.is_null() {
        return PCT_INVALID_ARGUMENT;
    }
    // SAFETY: the caller's promise.
    match unsafe { name(set_name) }.and_then(presets::by_name) {
        None => PCT_UNKNOWN_NAME,
        Some(entry) => {
            // SAFETY: the caller's promise.
            unsafe { set.write(entry.allowed.into()) };
            PCT_OK
        }
    }
}

/// Writes the name of the set with this index in the catalogue to `out`, with a NUL at its end, and returns its length; 0
/// if there is none. Indices count from 0. If `cap` is not above the length, the name is cut off; `out` may be null if
/// `cap` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_name(index: usize, out: *mut c_char, cap: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { put_name(presets::CATALOGUE.get(index).map_or("", |entry| entry.name), out, cap) }
}
