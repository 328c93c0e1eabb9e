//! Decodes a buffer in place. The output is at the start of the buffer.

use super::{BUFFER, run_piece, safe_len};
use crate::codec::{Codec, CodecResult, Decoding};
use crate::kernel::Short;
use crate::output::{EMPTY_CELL, OutputBuffer};
use crate::short::{self, SHORT};

/// Decodes `buffer` in place.
///
/// If [`Decoding::run_in_place`] can't decode the buffer, the output goes through a second buffer, on the stack. There
/// are two reasons: a store of a whole register must not overwrite unread input, and the input (`&[u8]`) and the output
/// (`&mut`) of a kernel must be different memory. If `locate_malformed` is true, the result has the offset of the first
/// malformed `%`. That offset can't be found later, because the buffer is overwritten.
#[inline(always)] // so that the result for an unchanged buffer is in registers
pub(crate) fn in_place(decoding: Decoding, buffer: &mut [u8], locate_malformed: bool) -> CodecResult {
    let refused = locate_malformed || decoding.can_fail();
    let mut result = decoding.run_in_place(buffer, refused);
    if result == Short::NONE && buffer.len() <= SHORT {
        result = in_place_short(decoding, buffer, refused);
    }
    match result.len() {
        Some(written) => CodecResult::of_short(result, written),
        None => in_place_long(decoding, buffer),
    }
}

/// Decodes a short `buffer` through the stack. Fails if an error stops the decoding. If `refused` is true, also fails
/// if a `%` is malformed. After a failure, the buffer is unchanged.
#[inline(never)]
fn in_place_short(decoding: Decoding, buffer: &mut [u8], refused: bool) -> Short {
    if short::check_short(&decoding, buffer).unchanged {
        return Short::written(buffer.len());
    }
    let mut piece = short::EMPTY;
    let (out, result) = short::run_on_stack(&decoding, buffer, &mut piece);
    let result = result.unless(refused);
    match buffer.get_mut(..out.len()) {
        Some(front) if result != Short::NONE => front.copy_from_slice(out),
        _ => return Short::NONE,
    }
    result
}

#[inline(never)]
fn in_place_long(decoding: Decoding, buffer: &mut [u8]) -> CodecResult {
    let (first, scanned) = decoding.first(buffer);
    if first.is_none() && scanned.stopped_at == buffer.len() {
        return CodecResult { written: buffer.len(), error: None, malformed: scanned.malformed.into() };
    }
    let start = first.map_or(scanned.stopped_at, |first| item_start(buffer, first));
    let result = in_place_from(decoding, buffer, start);
    match scanned.malformed {
        None => result,
        first => CodecResult { malformed: first.into(), ..result },
    }
}

/// Decodes like [`in_place`], from `start` on. Decoding must leave all bytes before `start` unchanged, and `start` must
/// not be inside a triplet.
pub(crate) fn in_place_from(decoding: Decoding, buffer: &mut [u8], start: usize) -> CodecResult {
    let mut result = CodecResult { written: start, ..CodecResult::NONE };
    let mut malformed = None;
    let mut read = start;
    let mut piece = [EMPTY_CELL; BUFFER];
    while read < buffer.len() && result.error.is_none() {
        let rest = &buffer[read..];
        let src = &rest[..safe_len(&decoding, rest, BUFFER)];
        let done = run_piece(decoding, src, read, OutputBuffer::new(&mut piece), &mut malformed);
        if done.read < src.len() {
            result.error = decoding.stop_error(buffer, read + done.read);
        }
        let at = result.written;
        result.written += done.out.len();
        buffer[at..result.written].copy_from_slice(done.out);
        read += done.read;
    }
    result.malformed = malformed.into();
    result
}

/// Returns the start of the first byte or triplet that would change, or that would stop the decoding.
#[cfg(feature = "alloc")]
pub(crate) fn first_item(decoding: Decoding, src: &[u8]) -> Option<usize> {
    match decoding.first(src) {
        (Some(first), _) => Some(item_start(src, first)),
        (None, scanned) => (scanned.stopped_at < src.len()).then_some(scanned.stopped_at),
    }
}

/// Returns the start of the byte or triplet whose first changed byte is at `changed`. The two offsets differ only in a
/// kept triplet whose digits become upper-case: its first changed byte is a digit.
pub(crate) fn item_start(src: &[u8], changed: usize) -> usize {
    match src[..=changed] {
        [.., b'%' | b'+'] => changed,
        [.., b'%', _] => changed - 1,
        _ => changed.saturating_sub(2),
    }
}
