//! Decodes a buffer in place: the result is at its front.

use core::mem::MaybeUninit;

use super::short::{self, Plan};
use super::{BUFFER, run_at, safe_len};
use crate::codec::{Codec, CodecResult, Decoding, ShortRun};
use crate::engine::OutputBuffer;
use crate::triplet::triplet;

/// Buffers up to this length are decoded byte by byte, which takes less time than an engine and the way by the stack.
pub(crate) const TINY: usize = 32;

/// Decodes `buffer` into its own front, by way of a buffer on the stack: so a vector stored whole never overtakes what
/// is yet to be read, and what the compiler is told about both is true.
pub(crate) fn in_place(decoding: Decoding, buffer: &mut [u8]) -> CodecResult {
    match short::plan(&decoding, buffer) {
        Plan::Unchanged { .. } => return CodecResult { written: buffer.len(), ..CodecResult::NONE },
        Plan::Short if buffer.len() <= TINY && decoding.facts().plain => return in_place_bytewise(decoding, buffer),
        Plan::Short => {
            let mut piece = short::EMPTY;
            let ShortRun { out, flags } = decoding.run_short(buffer, OutputBuffer::new(&mut piece));
            if !flags.malformed {
                buffer[..out.len()].copy_from_slice(out);
                return CodecResult { written: out.len(), ..CodecResult::NONE };
            }
        }
        Plan::Long => {}
    }
    let (first, scanned) = decoding.first(buffer);
    let start = first.map_or(scanned.stopped_at, |first| item_start(buffer, first));
    let result = in_place_from(decoding, buffer, start);
    CodecResult { malformed: scanned.malformed.or(result.malformed), ..result }
}

/// Decodes like [`in_place`] every triplet of a `buffer` of up to [`TINY`] bytes, and nothing else. Inlined, because a
/// call and a result in memory take as long as the work.
#[inline(always)]
pub(crate) fn in_place_tiny(decoding: Decoding<false>, buffer: &mut [u8]) -> CodecResult {
    match decoding.quick_check(buffer).unchanged {
        true => CodecResult { written: buffer.len(), ..CodecResult::NONE },
        false => in_place_bytewise(decoding, buffer),
    }
}

/// Decodes like [`in_place`], where no triplet is kept or rejected.
#[inline(always)]
fn in_place_bytewise<const OPTIONS: bool>(decoding: Decoding<OPTIONS>, buffer: &mut [u8]) -> CodecResult {
    let (mut result, mut read) = (CodecResult::NONE, 0);
    while let Some(&byte) = buffer.get(read) {
        let (len, decoded) = match byte {
            b'%' => match triplet(buffer, read) {
                Some(decoded) => (3, decoded),
                None => {
                    result.malformed = result.malformed.or(Some(read));
                    if decoding.is_strict() {
                        result.error = decoding.error_at(buffer, read);
                        break;
                    }
                    (1, byte)
                }
            },
            b'+' if OPTIONS && read >= decoding.plus.from => (1, b' '),
            _ => (1, byte),
        };
        buffer[result.written] = decoded;
        result.written += 1;
        read += len;
    }
    result
}

/// Decodes like [`in_place`], from `start` on, where a byte or a triplet begins; before it nothing changes.
pub(crate) fn in_place_from(decoding: Decoding, buffer: &mut [u8], start: usize) -> CodecResult {
    let mut result = CodecResult { written: start, error: None, malformed: None };
    let mut read = start;
    let mut piece = [MaybeUninit::uninit(); BUFFER];
    while read < buffer.len() && result.error.is_none() {
        let rest = &buffer[read..];
        let src = &rest[..safe_len(&decoding, rest, BUFFER)];
        let done = run_at(decoding, src, read, OutputBuffer::new(&mut piece), &mut result.malformed);
        if done.read < src.len() {
            result.error = decoding.error_at(buffer, read + done.read);
        }
        let at = result.written;
        result.written += done.out.len();
        buffer[at..result.written].copy_from_slice(done.out);
        read += done.read;
    }
    result
}

/// Returns where the first byte or triplet begins that does not stay, or that stops the decoding.
#[cfg(feature = "alloc")]
pub(crate) fn first_item(decoding: Decoding, src: &[u8]) -> Option<usize> {
    match decoding.first(src) {
        (Some(first), _) => Some(item_start(src, first)),
        (None, scanned) => (scanned.stopped_at < src.len()).then_some(scanned.stopped_at),
    }
}

/// Returns where the byte or the triplet starts whose first byte that does not stay is at `changed`.
pub(crate) fn item_start(src: &[u8], changed: usize) -> usize {
    match src[..=changed] {
        [.., b'%' | b'+'] => changed,
        [.., b'%', _] => changed - 1,
        _ => changed.saturating_sub(2),
    }
}
