//! Sets of bytes, passed by value.

use core::ffi::c_char;

use percent_simd::{ByteSet, presets};

use crate::memory::{Region, are_apart, bytes, name, put_name};
use crate::pct_status::{self, *};

/// Holds a set of bytes, as a value of 32 bytes.
///
/// Byte b is in the set if bit b % 64 of words[b / 64] is 1. All zeros is the empty set. The functions below take and
/// return sets by value.
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

/// Returns the set of the `len` bytes at `data`, or the empty set if `data` is null.
///
/// Example: pct_set_of("/%", 2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_of(data: *const c_char, len: usize) -> pct_set {
    // SAFETY: the C caller follows the rules of the header.
    ByteSet::of(unsafe { bytes(data.cast(), len) }.unwrap_or_default()).into()
}

/// Returns the set of the bytes from `first` to `last`, both included, or the empty set if first > last.
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

/// Returns the set of the bytes that are in `a` but not in `b`.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_difference(a: pct_set, b: pct_set) -> pct_set {
    ByteSet::from(a).difference(b.into()).into()
}

/// Returns the set of the bytes that are not in `set`, including bytes of 0x80 and above.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_complement(set: pct_set) -> pct_set {
    ByteSet::from(set).complement().into()
}

/// Returns true if `byte` is in `set`.
#[unsafe(no_mangle)]
pub extern "C" fn pct_set_contains(set: pct_set, byte: u8) -> bool {
    ByteSet::from(set).contains(byte)
}

/// Finds a set by its name in the catalogue, and stores it at `set`.
///
/// Examples are "rfc3986-path", "rfc3986-unreserved", "whatwg-query" and "ecma-encode-uri-component". Each set holds
/// the bytes that encoding keeps. The case of letters in a name does not matter, and "-" equals "_". pct_set_name()
/// lists all names.
///
/// Returns PCT_OK, PCT_UNKNOWN_NAME, PCT_OVERLAP, or PCT_INVALID_ARGUMENT if a pointer is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_named(set_name: *const c_char, set: *mut pct_set) -> pct_status {
    if set_name.is_null() || set.is_null() {
        return PCT_INVALID_ARGUMENT;
    }
    // SAFETY: the C caller follows the rules of the header.
    if !are_apart([Region::of(set, 1)], [unsafe { Region::name(set_name) }]) {
        return PCT_OVERLAP;
    }
    // SAFETY: the C caller follows the rules of the header.
    match unsafe { name(set_name) }.and_then(presets::by_name) {
        None => PCT_UNKNOWN_NAME,
        Some(entry) => {
            // SAFETY: the C caller follows the rules of the header.
            unsafe { set.write(entry.allowed.into()) };
            PCT_OK
        }
    }
}

/// Writes the name of the set with this index in the catalogue to `out`, with a NUL at its end, and returns the length
/// of the name.
///
/// Indices count from 0. Returns 0 if there is no set with this index. If `cap` is not above the length, the name is
/// cut off. `out` may be null if `cap` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_set_name(index: usize, out: *mut c_char, cap: usize) -> usize {
    // SAFETY: the C caller follows the rules of the header.
    unsafe { put_name(presets::CATALOGUE.get(index).map_or("", |entry| entry.name), out, cap) }
}
