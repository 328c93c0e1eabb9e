//! From pointers and lengths to slices, and from a caller's opaque memory to what is kept in it.

use core::mem::MaybeUninit;
use core::slice;

use crate::pct_status::{self, *};

/// Returns the bytes at `data`; `None` if there cannot be any.
///
/// # Safety
/// If `data` is not null and `len` not above `isize::MAX`, the bytes are readable and nobody writes to them.
pub(crate) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Option<&'a [u8]> {
    match len {
        0 => Some(&[]),
        _ if data.is_null() || len > isize::MAX as usize => None,
        // SAFETY: the caller's promise.
        _ => Some(unsafe { slice::from_raw_parts(data, len) }),
    }
}

/// Returns the caller's output.
///
/// # Safety
/// If `data` is not null and `len` not above `isize::MAX`, the bytes are writable and nobody else has them.
unsafe fn output<'a>(data: *mut u8, len: usize) -> Option<&'a mut [MaybeUninit<u8>]> {
    match len {
        0 => Some(&mut []),
        _ if data.is_null() || len > isize::MAX as usize => None,
        // SAFETY: the caller's promise.
        _ => Some(unsafe { slice::from_raw_parts_mut(data.cast(), len) }),
    }
}

/// Returns whether two stretches of memory, each at an address and of a length, have a byte in common. Neither reaches over the end
/// of the address space.
#[inline]
pub(crate) fn overlap((a, a_len): (usize, usize), (b, b_len): (usize, usize)) -> bool {
    a_len > 0 && b_len > 0 && a < b + b_len && b < a + a_len
}

/// Says where the output of a call goes.
pub(crate) enum Place<'a> {
    /// To a buffer of its own.
    Apart(&'a [u8], &'a mut [MaybeUninit<u8>]),
    /// To the front of the input.
    Same(&'a mut [u8]),
}

impl<'a> Place<'a> {
    /// Copies the input to where the output is to be, if that has the space.
    pub(crate) fn in_place(self) -> Option<&'a mut [u8]> {
        match self {
            Place::Same(buffer) => Some(buffer),
            // SAFETY: `dst` has as many bytes, which this initialises, and the two do not overlap.
            Place::Apart(src, dst) if src.len() <= dst.len() => unsafe {
                dst.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(src.as_ptr(), src.len());
                Some(slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), src.len()))
            },
            Place::Apart(..) => None,
        }
    }

    /// Returns the first `len` bytes of the input, and the rest, each with where its output is to be if it has as many bytes.
    pub(crate) fn split_at(self, len: usize) -> (Place<'a>, Place<'a>) {
        // C is to see no panics, so a length beyond the end is that of all.
        match self {
            Place::Same(buffer) => {
                let (front, rest) = buffer.split_at_mut(len.min(buffer.len()));
                (Place::Same(front), Place::Same(rest))
            }
            Place::Apart(src, dst) => {
                let (front, rest) = src.split_at(len.min(src.len()));
                let (to_front, to_rest) = dst.split_at_mut(len.min(dst.len()));
                (Place::Apart(front, to_front), Place::Apart(rest, to_rest))
            }
        }
    }

    /// Returns the input.
    #[inline]
    pub(crate) fn src(&self) -> &[u8] {
        match self {
            Place::Apart(src, _) => src,
            Place::Same(buffer) => buffer,
        }
    }
}

/// The greatest length of a slice.
const MOST: usize = isize::MAX as usize;

/// Returns the input and the output of a call that also works in place.
///
/// # Safety
/// As for [`bytes`] and [`output`], where the two do not overlap or begin at the same address.
pub(crate) unsafe fn place<'a>(src: *const u8, len: usize, dst: *mut u8, cap: usize) -> Result<Place<'a>, pct_status> {
    if 0 < len && len <= MOST && cap <= MOST && src.addr() == dst.addr() && !dst.is_null() {
        // The caller means to work in place, even if `cap` is 0: less than the input never is enough.
        if cap < len {
            return Err(PCT_OUTPUT_TOO_SMALL);
        }
        // SAFETY: the caller's promise; the bytes are those of the input, so they are initialised.
        return Ok(Place::Same(unsafe { slice::from_raw_parts_mut(dst, len) }));
    }
    // SAFETY: the caller's promise.
    unsafe { apart(src, len, dst, cap).map(|(src, dst)| Place::Apart(src, dst)) }
}

/// Returns the input and the output of a call that cannot work in place.
///
/// # Safety
/// As for [`bytes`] and [`output`].
pub(crate) unsafe fn apart<'a>(
    src: *const u8,
    len: usize,
    dst: *mut u8,
    cap: usize,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), pct_status> {
    if len > MOST || cap > MOST || len > 0 && src.is_null() || cap > 0 && dst.is_null() {
        return Err(PCT_INVALID_ARGUMENT);
    }
    if overlap((src.addr(), len), (dst.addr(), cap)) {
        return Err(PCT_OVERLAP);
    }
    // SAFETY: the caller's promise; the two do not overlap.
    match unsafe { (bytes(src, len), output(dst, cap)) } {
        (Some(src), Some(dst)) => Ok((src, dst)),
        _ => Err(PCT_INVALID_ARGUMENT),
    }
}

/// Holds a value in an opaque struct of C, after a tag that says so.
#[repr(C)]
pub(crate) struct Tagged<T> {
    tag: u64,
    value: T,
}

impl<T: Opaque> Tagged<T> {
    /// A value of this library's own, for a caller to point to.
    pub(crate) const fn new(value: T) -> Tagged<T> {
        Tagged { tag: T::TAG, value }
    }
}

/// A value that lives in a caller's memory.
pub(crate) trait Opaque: Sized {
    /// The struct of C.
    type Memory;
    /// A number that memory does not hold by accident, one for each type.
    const TAG: u64;
    /// Holds if the value fits the struct.
    const FITS: () = assert!(
        size_of::<Tagged<Self>>() <= size_of::<Self::Memory>()
            && align_of::<Tagged<Self>>() <= align_of::<Self::Memory>()
    );

    /// Stores the value. Without one, leaves no tag of an older value: a caller that overlooks the status then has an object
    /// that every call refuses, and not one with other options.
    ///
    /// # Safety
    /// `memory` is null or valid for writing.
    unsafe fn store(value: Result<Self, pct_status>, memory: *mut Self::Memory) -> pct_status {
        let () = Self::FITS;
        if memory.is_null() {
            return PCT_INVALID_ARGUMENT;
        }
        // SAFETY: the caller's promise; it fits, and begins with the tag.
        unsafe {
            match value {
                Ok(value) => memory.cast::<Tagged<Self>>().write(Tagged { tag: Self::TAG, value }),
                Err(status) => {
                    memory.cast::<u64>().write(0);
                    return status;
                }
            }
        }
        PCT_OK
    }

    /// Returns the value, if one was stored.
    ///
    /// # Safety
    /// `memory` is null, or its first eight bytes are readable, and if they are the tag, it holds a value of this type
    /// that nobody writes to.
    unsafe fn get<'a>(memory: *const Self::Memory) -> Option<&'a Self> {
        // SAFETY: the caller's promise.
        unsafe {
            (!memory.is_null() && memory.cast::<u64>().read() == Self::TAG)
                .then(|| &(*memory.cast::<Tagged<Self>>()).value)
        }
    }

    /// Returns the value, if one was stored, to be changed.
    ///
    /// # Safety
    /// As for [`get`](Self::get), and nobody else has it.
    unsafe fn get_mut<'a>(memory: *mut Self::Memory) -> Option<&'a mut Self> {
        // SAFETY: the caller's promise.
        unsafe {
            (!memory.is_null() && memory.cast::<u64>().read() == Self::TAG)
                .then(|| &mut (*memory.cast::<Tagged<Self>>()).value)
        }
    }
}

/// Returns options as the library knows them, from a struct that begins with its own size.
///
/// A caller that was compiled with an older header has a smaller struct: what it lacks is zero, the default. A larger
/// one comes from a newer header, and is refused unless what this library does not know is zero.
///
/// # Safety
/// `options` is valid for reading its first field, and for as many bytes as that says. Zeros are a valid `T`.
pub(crate) unsafe fn options<T: Copy>(options: *const T) -> Option<T> {
    const LARGEST: usize = 4096;
    // SAFETY: the caller's promise.
    let size = unsafe { options.cast::<usize>().read() };
    if !(size_of::<usize>()..=LARGEST).contains(&size) {
        return None;
    }
    // SAFETY: the caller's promise.
    let given = unsafe { slice::from_raw_parts(options.cast::<u8>(), size) };
    let unknown = given.get(size_of::<T>()..).unwrap_or_default();
    if unknown.iter().any(|&byte| byte != 0) {
        return None;
    }
    let mut known = MaybeUninit::<T>::zeroed();
    // SAFETY: both have as many bytes, and zeros are a `T`.
    unsafe {
        known.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(given.as_ptr(), size.min(size_of::<T>()));
        Some(known.assume_init())
    }
}

/// Returns a name, for looking it up.
///
/// # Safety
/// `name` is null or a string that ends in NUL.
pub(crate) unsafe fn name<'a>(name: *const core::ffi::c_char) -> Option<&'a str> {
    // SAFETY: the caller's promise.
    (!name.is_null()).then(|| unsafe { core::ffi::CStr::from_ptr(name) })?.to_str().ok()
}

/// Writes `text` and a NUL to `out`, as much of it as there is room for, and returns its length.
///
/// # Safety
/// `out` is valid for writing `cap` bytes.
pub(crate) unsafe fn put_name(text: &str, out: *mut core::ffi::c_char, cap: usize) -> usize {
    // SAFETY: the caller's promise.
    if let Some([room @ .., _]) = unsafe { output(out.cast(), cap) } {
        let len = text.len().min(room.len());
        // SAFETY: `out` has room for one byte more than `room`.
        unsafe {
            out.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), len);
            out.add(len).write(0);
        }
    }
    text.len()
}
