//! The functions of the full module.
//!
//! The caller writes its input into a buffer of [`buffer_new`], calls an operation with its address and length, and
//! reads the [`Output`] whose address comes back. It gives both back with [`buffer_free`] and [`output_free`]. Nothing
//! is kept between calls: the caller keeps the position of a stream.
//!
//! Every function here turns addresses into slices and references and calls a safe function of another module. The safety
//! contract is one for all:
//!
//! - an address with a length is that of as many initialised bytes, which nothing else writes to during the call;
//! - the address of [`Options`], [`Output`], [`Stream`] or [`Progress`] is one that this module returned, or one in a buffer of
//!   [`buffer_new`], which is aligned for them;
//! - [`stream_new`] or the last call for a stream has written the bytes of that [`Stream`]. The caller may have moved them.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use alloc::boxed::Box;
use core::slice;

use crate::codec::{self, Options, Output, Progress, Stream};
use crate::memory::out_of_memory;
use crate::{explain, url};

/// The alignment of buffers: that of the widest number in the structures which callers write into them.
const ALIGN: usize = 8;

/// Allocates a buffer of `len` bytes. Its content is unspecified but initialised.
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
/// `buffer` is one of [`buffer_new`] with this `len`, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn buffer_free(buffer: *mut u8, len: usize) {
    if let Ok(layout) = Layout::from_size_align(len.max(1), ALIGN) {
        // SAFETY: by the contract it was allocated with this layout.
        unsafe { dealloc(buffer, layout) }
    }
}

/// Frees what an operation returned.
///
/// # Safety
/// `output` is the result of an operation, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn output_free(output: *mut Output) {
    // SAFETY: every operation returns the address of a box.
    drop(unsafe { Box::from_raw(output) });
}

/// The bytes at an address.
///
/// # Safety
/// As the module says.
unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: passed on.
    unsafe { slice::from_raw_parts(at, len) }
}

fn boxed(output: Output) -> *mut Output {
    Box::into_raw(Box::new(output))
}

/// Encodes the input with the [`Options`].
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::encode(bytes(input, len), &*options) })
}

/// Decodes the input with the [`Options`].
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::decode(bytes(input, len), &*options) })
}

/// Does to a text what `kind` says: 0 normalises a URI, 1 by its scheme too, 2 its escapes alone; 3, 8 and 9 do so leniently; 4 maps
/// an IRI to a URI, 5 a URI to an IRI; 6 is `escape` of ECMAScript, 7 its `unescape`.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transform(kind: u32, input: *const u8, len: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    boxed(unsafe { codec::transform(kind, bytes(input, len)) })
}

/// Returns whether decoding would change the input: 0 if not, 1 if it holds an escape.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn has_escape(input: *const u8, len: usize) -> u32 {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    u32::from(percent_simd::Decoder::new().first_changed(input).is_some())
}

/// Returns how many bytes a [`Stream`] has.
#[unsafe(no_mangle)]
pub extern "C" fn stream_size() -> usize {
    size_of::<Stream>()
}

/// Writes the start of a stream.
///
/// # Safety
/// As the module says; these bytes may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_new(stream: *mut Stream) {
    // SAFETY: the contract of the module.
    unsafe { stream.write(Stream::default()) }
}

/// Gives a stream that encodes, or that decodes if `encodes` is 0, its next piece, and writes to `progress` how far that got.
///
/// # Safety
/// As the module says; `out` has `out_len` bytes and is not the piece.
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

/// Ends a stream: writes the bytes that it held, 6 at most.
///
/// # Safety
/// As the module says; `out` has `out_len` bytes.
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

/// Explains a text: see `explain.rs`. Text that is not UTF-8 gives nothing but the status.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn explain(input: *const u8, len: usize, classes: u32, plus: u32, max: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| explain::explain(text, classes, plus != 0, max)))
}

/// Takes a URL apart: see `url.rs`. Text that is not UTF-8 gives nothing but the status.
///
/// # Safety
/// As the module says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn split(input: *const u8, len: usize, is_query: u32, max: usize) -> *mut Output {
    // SAFETY: the contract of the module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| url::split(text, is_query != 0, max)))
}
