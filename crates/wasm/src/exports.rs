//! The functions of the full module.
//!
//! The caller writes its input into a buffer from [`buffer_new`], calls an operation with the buffer's address and the
//! length, and reads the [`Output`] at the returned address. Then it frees the buffer with [`buffer_free`] and the output
//! with [`output_free`]. The module keeps no state between calls: the caller keeps the position of a stream.
//!
//! Each function converts addresses to slices and references, and calls a safe function of another module. All functions
//! have the same safety contract:
//!
//! - an address with a length points to that many initialised bytes, and no one else writes to them during the call;
//! - the address of an [`Options`], [`Output`], [`Stream`] or [`Progress`] was returned by this module, or lies in a buffer of
//!   [`buffer_new`], which is aligned for these types;
//! - the bytes of a [`Stream`] come from [`stream_new`], or from the last call for this stream. The caller may have moved them.

use alloc::alloc::{Layout, alloc_zeroed, dealloc};
use alloc::boxed::Box;
use core::slice;

use crate::codec::{self, Options, Output};
use crate::memory::out_of_memory;
use crate::stream::{Progress, Stream};
use crate::{explain, lint, repair, url};

/// The alignment of buffers in bytes. It is enough for the widest number in the structures that callers write into
/// buffers.
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
/// `buffer` comes from [`buffer_new`] with this `len`. The caller doesn't use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn buffer_free(buffer: *mut u8, len: usize) {
    if let Ok(layout) = Layout::from_size_align(len.max(1), ALIGN) {
        // SAFETY: `buffer_new` allocated the buffer with this layout.
        unsafe { dealloc(buffer, layout) }
    }
}

/// Frees the result of an operation.
///
/// # Safety
/// `output` is the result of an operation. The caller doesn't use it again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn output_free(output: *mut Output) {
    // SAFETY: every operation returns the address of a `Box`.
    drop(unsafe { Box::from_raw(output) });
}

/// Returns the bytes at an address.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
unsafe fn bytes<'a>(at: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: the caller fulfils the contract at the head of this module.
    unsafe { slice::from_raw_parts(at, len) }
}

fn boxed(output: Output) -> *mut Output {
    Box::into_raw(Box::new(output))
}

/// Encodes the input with the [`Options`].
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn encode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    boxed(unsafe { codec::encode(bytes(input, len), &*options) })
}

/// Decodes the input with the [`Options`].
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(input: *const u8, len: usize, options: *const Options) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    boxed(unsafe { codec::decode(bytes(input, len), &*options) })
}

/// Transforms a text. `kind` selects the operation:
///
/// - 0 normalises a URI. 1 also applies the rules of its scheme. 2 normalises only its escapes. A malformed `%` is an
///   error.
/// - 3, 8 and 9 do the same as 0, 1 and 2, but write a malformed `%` as `%25`.
/// - 4 converts an IRI to a URI. 5 converts a URI to an IRI.
/// - 6 does the same as ECMAScript's `escape`. 7 does the same as `unescape`.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transform(kind: u32, input: *const u8, len: usize) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    boxed(unsafe { codec::transform(kind, bytes(input, len)) })
}

/// Returns 1 if the input has an escape, so that decoding would change it. Otherwise returns 0.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn has_escape(input: *const u8, len: usize) -> u32 {
    // SAFETY: the caller fulfils the contract at the head of this module.
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
/// The caller fulfils the contract at the head of this module, but the bytes at `stream` may be anything.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_new(stream: *mut Stream) {
    // SAFETY: the caller fulfils the contract at the head of this module.
    unsafe { stream.write(Stream::default()) }
}

/// Encodes the next piece of a stream, or decodes it if `encodes` is 0. Writes a [`Progress`] to `progress`.
///
/// # Safety
/// The caller fulfils the contract at the head of this module. `out` has `out_len` bytes and doesn't overlap the piece.
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
    // SAFETY: the caller fulfils the contract at the head of this module.
    unsafe {
        let out = slice::from_raw_parts_mut(out, out_len);
        *progress = (*stream).push(encodes != 0, &*options, bytes(piece, len), out);
    }
}

/// Ends a stream, and writes the bytes that it has held back, at most 6.
///
/// # Safety
/// The caller fulfils the contract at the head of this module. `out` has `out_len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stream_finish(
    stream: *mut Stream,
    encodes: u32,
    options: *const Options,
    out: *mut u8,
    out_len: usize,
    progress: *mut Progress,
) {
    // SAFETY: the caller fulfils the contract at the head of this module.
    unsafe { *progress = (*stream).finish(encodes != 0, &*options, slice::from_raw_parts_mut(out, out_len)) }
}

/// Explains a text, as `explain.rs` describes. If the text isn't UTF-8, the output has only a status.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn explain(input: *const u8, len: usize, classes: u32, plus: u32, max: usize) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| explain::explain(text, classes, plus != 0, max)))
}

/// Splits a URL, as `url.rs` describes. If the text isn't UTF-8, the output has only a status.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn split(input: *const u8, len: usize, is_query: u32, max: usize) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| url::split(text, is_query != 0, max)))
}

/// Hides the passwords of all URLs in the input.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redact(input: *const u8, len: usize) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let input = unsafe { bytes(input, len) };
    boxed(Output::new(percent_standards::uri::redact_bytes(input).into_owned()))
}

/// Repairs a link, as `repair.rs` describes. If the text isn't UTF-8, the output has only a status.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn repair(input: *const u8, len: usize, kinds: u32) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| repair::repair(text, kinds).into_bytes()))
}

/// Lists the faults of a text, as `lint.rs` describes. If the text isn't UTF-8, the output has only a status.
///
/// # Safety
/// The caller fulfils the contract at the head of this module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lint(input: *const u8, len: usize, max: usize) -> *mut Output {
    // SAFETY: the caller fulfils the contract at the head of this module.
    let input = unsafe { bytes(input, len) };
    boxed(codec::of_text(input, |text| lint::findings(text, max)))
}
