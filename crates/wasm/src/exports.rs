//! The functions of the full module.
//!
//! The caller writes its input into a buffer from [`buffer_new`], calls an operation with its address and length, and
//! reads the [`Output`] at the returned address. It frees both with [`buffer_free`] and [`output_free`]. The module keeps no state
//! between calls: the caller keeps the position of a stream.
//!
//! Each function converts addresses to slices and references, and calls a safe function of another module. All of them have the same
//! safety contract:
//!
//! - an address with a length points to as many initialised bytes, which no one else writes to during the call;
//! - the address of an [`Options`], [`Output`], [`Stream`] or [`Progress`] was returned by this module, or lies in a buffer of
//!   [`buffer_new`], which is aligned for them;
//! - [`stream_new`] or the last call for a stream has written the bytes of that [`Stream`]. The caller may have moved them.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use alloc::boxed::Box;
use core::slice;

use crate::codec::{self, Options, Output, Progress, Stream};
use crate::memory::out_of_memory;
use crate::{explain, repair, url};

/// The alignment of buffers: the widest number in the structures that callers write into them.
const ALIGN: usize = 8;

/// Allocates a buffer of `len` bytes with unspecified but initialised content.
#[unsafe(no_mangle)]
pub extern "C" fn buffer_new(len: usize) -> *mut u8 {
    let Ok(layout) = Layout::from_size_align(len.max(1), ALIGN) else { out_of_memory() };
    // SAFETY: the layout has a size of at least one.
    let buffer = unsafe { alloc_zeroed(layout) };
    if buffer.is_null() { out_of_memory() } else { buffer }
}

/// Frees a buffer.
///
/// # Safety
/// `buffer` is from [`buffer_new`] with this `len`, and isn't used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn buffer_free(buffer: *mut u8, len: usize) {
    if let Ok(layout) = Layout::from_size_align(len.max(1), ALIGN) {
        // SAFETY: by the contract it was allocated with this layout.
        unsafe { dealloc(buffer, layout) }
    }
}

/// Frees the result of an operation.
///
/// # Safety
/// `output` is the result of an operation, and isn't used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn output_free(output: *mut Output) {
    // SAFETY: every operation returns the address of a `Box`.
    drop(unsafe { Box::from_raw(output) });
}

/// Returns the bytes at an address.
///
/// # Safety
/// The contract of the module.
unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: the contract of this function.
    unsafe { slice::from_raw_parts(at, len) }
}

fn boxed(output: Output) -> *mut Output {
    Box::into_raw(Box::new(output))
}

/// Encodes the input with the [`Options`].
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::encode(bytes(input, len), &*options) })
}

/// Decodes the input with the [`Options`].
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::decode(bytes(input, len), &*options) })
}

/// Transforms a text by `kind`:
///
/// - 0 normalises a URI, 1 also by its scheme, 2 only its escapes; 3, 8 and 9 do the same leniently;
/// - 4 maps an IRI to a URI, 5 a URI to an IRI;
/// - 6 is ECMAScript's `escape`, 7 its `unescape`.
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transform(kind: u32, input: *const u8, len: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::transform(kind, bytes(input, len)) })
}

/// Returns 1 if decoding would change the input, because it has an escape; otherwise 0.
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn has_escape(input: *const u8, len: usize) -> u32 {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    u32::from(percent_simd::Decoder::new().first_changed(input).is_some())
}

/// Returns the size of a [`Stream`] in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn stream_size() -> usize {
    size_of::<Stream>()
}

/// Writes the state of a new stream to `stream`.
///
/// # Safety
/// The contract of the module, but these bytes may hold anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_new(stream: *mut Stream) {
    // SAFETY: the contract of the module.
    unsafe { stream.write(Stream::default()) }
}

/// Encodes the next piece of a stream, or decodes it if `encodes` is 0. Writes the numbers of a [`Progress`] to `progress`.
///
/// # Safety
/// The contract of the module, and `out` has `out_len` bytes and doesn't overlap the piece.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_push(
    stream: *mut Stream,
    encodes: u32,
    options: *const Options,
    piece: *const u8,
    len: usize,
    out: *mut u8,
    out_len: usize,
    progress: *mut Progress,
) {
    // SAFETY: the contract of the module.
    unsafe {
        let out = slice::from_raw_parts_mut(out, out_len);
        *progress = (*stream).push(encodes != 0, &*options, bytes(piece, len), out);
    }
}

/// Ends a stream, and writes the held bytes, at most 6.
///
/// # Safety
/// The contract of the module, and `out` has `out_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_finish(
    stream: *mut Stream,
    encodes: u32,
    options: *const Options,
    out: *mut u8,
    out_len: usize,
    progress: *mut Progress,
) {
    // SAFETY: the contract of the module.
    unsafe { *progress = (*stream).finish(encodes != 0, &*options, slice::from_raw_parts_mut(out, out_len)) }
}

/// Explains a text: see `explain.rs`. For text that isn't UTF-8 the output has only a status.
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn explain(input: *const u8, len: usize, classes: u32, plus: u32, max: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| explain::explain(text, classes, plus != 0, max)))
}

/// Splits a URL: see `url.rs`. For text that isn't UTF-8 the output has only a status.
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn split(input: *const u8, len: usize, is_query: u32, max: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| url::split(text, is_query != 0, max)))
}

/// Repairs a link: see `repair.rs`. For text that isn't UTF-8 the output has only a status.
///
/// # Safety
/// The contract of the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn repair(input: *const u8, len: usize, kinds: u32) -> *mut Output {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| repair::repair(text, kinds).into_bytes()))
}
