//! Turns pointers and lengths into slices, and turns an opaque C struct into the Rust value in it.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;
use core::slice;

use crate::pct_status::{self, *};

/// Returns the bytes at `data`, or `None` if `data` and `len` cannot describe a slice.
///
/// # Safety
/// If `data` is not null and `len` is at most `isize::MAX`, the bytes are readable and no code writes to them.
pub(crate) unsafe fn bytes<'a>(data: *const u8, len: usize) -> Option<&'a [u8]> {
    match len {
        0 => Some(&[]),
        _ if data.is_null() || len > isize::MAX as usize => None,
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        _ => Some(unsafe { slice::from_raw_parts(data, len) }),
    }
}

/// Returns an output buffer as bytes, for a call that only writes to it.
///
/// # Safety
/// The call writes only initialized bytes, and reads only bytes that it has written.
pub(crate) unsafe fn write_only(dst: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    // SAFETY: both types have the same layout, and the caller meets the `# Safety` conditions of this function.
    unsafe { slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), dst.len()) }
}

/// Returns the caller's array for output, or `None` if `data` and `len` cannot describe a slice.
///
/// # Safety
/// If `data` is not null and the items have at most `isize::MAX` bytes, the items are writable, and no other code accesses
/// them.
pub(crate) unsafe fn output<'a, T>(data: *mut T, len: usize) -> Option<&'a mut [MaybeUninit<T>]> {
    match len {
        0 => Some(&mut []),
        _ if data.is_null() || len > isize::MAX as usize / size_of::<T>() || !data.is_aligned() => None,
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        _ => Some(unsafe { slice::from_raw_parts_mut(data.cast(), len) }),
    }
}

/// A region of the caller's memory that a call reads or writes.
#[derive(Clone, Copy)]
pub(crate) struct Region {
    start: usize,
    len: usize,
}

impl Region {
    /// An empty region, which overlaps no other region: no slice contains the greatest address.
    pub(crate) const NONE: Region = Region { start: usize::MAX, len: 0 };

    /// Returns the region of `len` items at `data`. If no slice can have this address and this length, returns an empty
    /// region, because the call then accesses no byte at `data`.
    #[inline(always)]
    pub(crate) fn of<T>(data: *const T, len: usize) -> Region {
        let is_slice = !data.is_null() && 0 < len && len <= MOST / size_of::<T>();
        if is_slice { Region { start: data.addr(), len: len * size_of::<T>() } } else { Region::NONE }
    }

    /// Returns the region of the value in an opaque C struct.
    #[inline(always)]
    pub(crate) fn object<T: Opaque>(memory: *const T::Memory) -> Region {
        Region::of(memory.cast::<Tagged<T>>(), 1)
    }

    /// Returns the region of a string that ends in NUL, or an empty region for a null pointer.
    ///
    /// # Safety
    /// `name` is null or points to a string that ends in NUL.
    pub(crate) unsafe fn name(name: *const c_char) -> Region {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let len = if name.is_null() { 0 } else { unsafe { CStr::from_ptr(name) }.count_bytes() + 1 };
        Region::of(name, len)
    }

    /// Returns the region of a struct that begins with its own size, or an empty region for a null pointer.
    ///
    /// # Safety
    /// `options` is null, or its first field is readable and holds a size in bytes.
    pub(crate) unsafe fn options<T>(options: *const T) -> Region {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let size = if options.is_null() { 0 } else { unsafe { options.cast::<usize>().read() } };
        Region::of(options.cast::<u8>(), size)
    }

    /// Returns true if the two regions share a byte.
    #[inline(always)]
    fn overlaps(self, other: Region) -> bool {
        let contains = |region: Region, at: usize| at.wrapping_sub(region.start) < region.len;
        contains(self, other.start) | contains(other, self.start)
    }
}

/// Returns true if no written region shares a byte with another region of the call.
///
/// Every function that writes to the caller's memory calls this first, with the regions of all its arguments. So if the
/// function then makes a mutable reference from an argument, no other argument refers to the same memory.
#[inline(always)]
pub(crate) fn are_apart<const W: usize, const R: usize>(written: [Region; W], read: [Region; R]) -> bool {
    // The compiler unrolls loops over indices. It doesn't unroll a chain of iterators.
    let mut overlap = false;
    for at in 0..W {
        for other in at + 1..W {
            overlap |= written[at].overlaps(written[other]);
        }
        for other in read {
            overlap |= written[at].overlaps(other);
        }
    }
    !overlap
}

/// Returns the regions of the output and of the input. If the call works in place, the region of the output contains
/// the input, and the other region is empty.
#[inline(always)]
pub(crate) fn place_regions(src: *const c_char, len: usize, dst: *mut c_char, cap: usize) -> (Region, Region) {
    match is_same(src, dst) {
        true => (Region::of(dst, if cap <= MOST { cap.max(len) } else { cap }), Region::of(src, 0)),
        false => (Region::of(dst, cap), Region::of(src, len)),
    }
}

/// Returns true if input and output begin at the same address, so that the call works in place.
#[inline(always)]
fn is_same<T>(src: *const T, dst: *mut T) -> bool {
    src.addr() == dst.addr() && !dst.is_null()
}

/// The memory of a call's input and of its output.
pub(crate) enum Place<'a> {
    /// The output goes to a separate buffer.
    Apart(&'a [u8], &'a mut [MaybeUninit<u8>]),
    /// The output overwrites the input, from its first byte on.
    Same(&'a mut [u8]),
}

impl<'a> Place<'a> {
    /// Returns the input if the call works in place. Otherwise copies the input to the output buffer and returns the
    /// copy, or returns `None` if the input does not fit.
    pub(crate) fn in_place(self) -> Option<&'a mut [u8]> {
        match self {
            Place::Same(buffer) => Some(buffer),
            // SAFETY: `dst` has at least `src.len()` bytes and does not overlap `src`. The copy initialises these
            // bytes.
            Place::Apart(src, dst) if src.len() <= dst.len() => unsafe {
                dst.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(src.as_ptr(), src.len());
                Some(slice::from_raw_parts_mut(dst.as_mut_ptr().cast(), src.len()))
            },
            Place::Apart(..) => None,
        }
    }

    /// Returns the same memory, for a call that ends before `self` is used again.
    pub(crate) fn reborrow(&mut self) -> Place<'_> {
        match self {
            Place::Apart(src, dst) => Place::Apart(src, dst),
            Place::Same(buffer) => Place::Same(buffer),
        }
    }

    /// Returns the first `len` bytes of the output.
    ///
    /// # Safety
    /// A call has written these bytes.
    pub(crate) unsafe fn output(self, len: usize) -> &'a mut [u8] {
        let output = match self {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            Place::Apart(_, dst) => dst.get_mut(..len).map(|dst| unsafe { write_only(dst) }),
            Place::Same(buffer) => buffer.get_mut(..len),
        };
        output.unwrap_or_default()
    }

    /// Splits the input after `len` bytes. Also splits a separate output buffer after `len` bytes. If that buffer is
    /// shorter than `len`, splits it at its end.
    pub(crate) fn split_at(self, len: usize) -> (Place<'a>, Place<'a>) {
        // A C program must not see a panic, so a `len` that is too great means the whole input.
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

    #[inline]
    pub(crate) fn src(&self) -> &[u8] {
        match self {
            Place::Apart(src, _) => src,
            Place::Same(buffer) => buffer,
        }
    }
}

const MOST: usize = isize::MAX as usize;

/// Returns the input and the output of a call that also works in place.
///
/// # Safety
/// The buffers begin at the same address or do not overlap. The conditions of [`bytes`] hold for the input, and the
/// conditions of [`output`] for the output.
pub(crate) unsafe fn place<'a>(src: *const u8, len: usize, dst: *mut u8, cap: usize) -> Result<Place<'a>, pct_status> {
    if 0 < len && len <= MOST && cap <= MOST && is_same(src, dst) {
        // The addresses are equal, so the call works in place, even if `cap` is 0. In place, `cap` must be at least
        // `len`.
        if cap < len {
            return Err(PCT_OUTPUT_TOO_SMALL);
        }
        // SAFETY: the caller meets the `# Safety` conditions of this function. The buffer is the input, so its bytes are
        // initialised.
        return Ok(Place::Same(unsafe { slice::from_raw_parts_mut(dst, len) }));
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe { apart(src, len, dst, cap).map(|(src, dst)| Place::Apart(src, dst)) }
}

/// Returns the input and the output of a call that cannot work in place.
///
/// # Safety
/// The buffers do not overlap. The conditions of [`bytes`] hold for the input, and the conditions of [`output`] for the
/// output.
pub(crate) unsafe fn apart<'a>(
    src: *const u8,
    len: usize,
    dst: *mut u8,
    cap: usize,
) -> Result<(&'a [u8], &'a mut [MaybeUninit<u8>]), pct_status> {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    match unsafe { (bytes(src, len), output(dst, cap)) } {
        (Some(src), Some(dst)) => Ok((src, dst)),
        _ => Err(PCT_INVALID_ARGUMENT),
    }
}

/// A value in an opaque C struct. The tag before the value marks the struct as initialised.
#[repr(C)]
pub(crate) struct Tagged<T> {
    tag: u64,
    value: T,
}

impl<T: Opaque> Tagged<T> {
    /// Makes a value in the library's own memory. A C caller may get a pointer to this value.
    pub(crate) const fn new(value: T) -> Tagged<T> {
        Tagged { tag: T::TAG, value }
    }
}

/// A type whose values are stored in opaque C structs, in the caller's memory.
pub(crate) trait Opaque: Sized {
    /// The opaque C struct.
    type Memory;
    /// A number that identifies the type. Uninitialised memory is unlikely to hold this number by accident.
    const TAG: u64;
    /// Checks at compile time that the value fits the struct.
    const FITS: () = assert!(
        size_of::<Tagged<Self>>() <= size_of::<Self::Memory>()
            && align_of::<Tagged<Self>>() <= align_of::<Self::Memory>()
    );

    /// Stores the value. If `value` is an error, clears the tag instead, and returns the error's status. If the memory
    /// overlaps a region of `read`, writes no byte.
    ///
    /// Every call refuses memory without the tag. So if a caller overlooks the error, it cannot go on with an older
    /// value in the same memory.
    ///
    /// # Safety
    /// `memory` is null or valid for writing.
    unsafe fn store<const R: usize>(
        value: Result<Self, pct_status>,
        memory: *mut Self::Memory,
        read: [Region; R],
    ) -> pct_status {
        let () = Self::FITS;
        if memory.is_null() {
            return PCT_INVALID_ARGUMENT;
        }
        if !are_apart([Region::object::<Self>(memory)], read) {
            return PCT_OVERLAP;
        }
        // SAFETY: the caller meets the `# Safety` conditions of this function. `FITS` shows that a `Tagged`
        // fits. Its first field is the tag, a `u64`.
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

    /// Returns the value if one was stored.
    ///
    /// # Safety
    /// `memory` is null, or its first eight bytes are readable. If these bytes are the tag, `memory` holds a value of
    /// this type, and no code writes to it.
    unsafe fn get<'a>(memory: *const Self::Memory) -> Option<&'a Self> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            (!memory.is_null() && memory.cast::<u64>().read() == Self::TAG)
                .then(|| &(*memory.cast::<Tagged<Self>>()).value)
        }
    }

    /// Returns the value for writing if one was stored.
    ///
    /// # Safety
    /// As for [`get`](Self::get), and no other code accesses the value.
    unsafe fn get_mut<'a>(memory: *mut Self::Memory) -> Option<&'a mut Self> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            (!memory.is_null() && memory.cast::<u64>().read() == Self::TAG)
                .then(|| &mut (*memory.cast::<Tagged<Self>>()).value)
        }
    }
}

/// Returns this version's options from a struct that begins with its own size.
///
/// If the caller was compiled with an older header, its struct is smaller. The missing fields become zero, the default.
/// If the struct is larger, it comes from a newer header. It is accepted only if all fields that this library does not
/// know are zero.
///
/// # Safety
/// The first field of `options` is readable and holds a size in bytes. That many bytes are readable at `options`. A `T`
/// of zeros is valid.
pub(crate) unsafe fn options<T: Copy>(options: *const T) -> Option<T> {
    const LARGEST: usize = 4096;
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let size = unsafe { options.cast::<usize>().read() };
    if !(size_of::<usize>()..=LARGEST).contains(&size) {
        return None;
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let given = unsafe { slice::from_raw_parts(options.cast::<u8>(), size) };
    let unknown = given.get(size_of::<T>()..).unwrap_or_default();
    if unknown.iter().any(|&byte| byte != 0) {
        return None;
    }
    let mut known = MaybeUninit::<T>::zeroed();
    // SAFETY: `given` and `known` both have at least as many bytes as are copied. A `T` of zeros is valid.
    unsafe {
        known.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(given.as_ptr(), size.min(size_of::<T>()));
        Some(known.assume_init())
    }
}

/// Returns a name as `&str`, or `None` if it is null or not UTF-8.
///
/// # Safety
/// `name` is null or points to a string that ends in NUL.
pub(crate) unsafe fn name<'a>(name: *const c_char) -> Option<&'a str> {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })?.to_str().ok()
}

/// Writes `text` and a NUL to `out`. If both don't fit into `cap` bytes, cuts off the end of `text`. Returns the full
/// length of `text`.
///
/// # Safety
/// `out` is valid for writing `cap` bytes.
pub(crate) unsafe fn put_name(text: &str, out: *mut c_char, cap: usize) -> usize {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    if let Some([room @ .., _]) = unsafe { output(out.cast::<u8>(), cap) } {
        let len = text.len().min(room.len());
        // SAFETY: `out` has room for one byte more than `room`.
        unsafe {
            out.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), len);
            out.add(len).write(0);
        }
    }
    text.len()
}
