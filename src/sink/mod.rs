//! Runs an engine and writes its output to each kind of destination, a file for each. Outside isa/ and engine/ this is the
//! only code with `unsafe`.

pub(crate) mod ascii;
#[cfg(feature = "alloc")]
pub(crate) mod gather;
mod in_place;
pub(crate) mod runs;
mod slice;
#[cfg(feature = "alloc")]
pub(crate) mod text;
#[cfg(feature = "alloc")]
mod vec;

pub(crate) use crate::output::OutputBuffer;
pub(crate) use crate::short::SHORT;
#[cfg(feature = "alloc")]
pub(crate) use crate::short::is_unchanged;
#[cfg(feature = "alloc")]
pub(crate) use in_place::first_item;
pub(crate) use in_place::{in_place, in_place_from, item_start};
#[cfg(feature = "alloc")]
pub(crate) use slice::SliceOutput;
pub(crate) use slice::{slice, slice_exact};
#[cfg(feature = "alloc")]
pub(crate) use text::{append_text, append_text_long, checked_string, checked_text, short_text, unchanged_text};
#[cfg(feature = "alloc")]
pub(crate) use vec::{append, cow, cow_or_error, cow_with_report};

use crate::codec::{Codec, CodecResult, Decoding};
use crate::engine::Done;
use crate::error::DecodeError;
use crate::kernel::{LATENT, Progress};
use crate::output::{Cell, EMPTY_CELL};
use crate::short::{self, ShortCodec};

/// Bytes of output that fit the buffers on the stack.
const BUFFER: usize = if cfg!(fuzzing) { 192 } else { 6 * 1024 };

/// Memory to whose end output is appended.
#[cfg(feature = "alloc")]
pub(crate) trait Output {
    /// Says that there is too little memory.
    type Full;

    /// Returns what was appended so far.
    fn bytes(&self) -> &[u8];

    /// Removes what is behind the first `len` bytes.
    fn truncate(&mut self, len: usize);

    /// Appends all of `src`, up to an error.
    fn append<C: ShortCodec>(&mut self, codec: C, src: &[u8]) -> Result<CodecResult, Self::Full>;

    /// Appends what `run`, a kernel, makes of all of `src`. Returns the error that stopped it, after which what was appended is
    /// unspecified.
    fn append_with<C: Codec>(
        &mut self,
        codec: C,
        src: &[u8],
        run: impl FnOnce(&mut [Cell]) -> Progress,
    ) -> Result<Option<DecodeError>, Self::Full>;
}

/// How much of `src` to take so that at most `room` bytes come out, and no triplet is cut.
fn safe_len<C: Codec>(codec: &C, src: &[u8], room: usize) -> usize {
    src.get(..room / C::GROWTH).map_or(src.len(), |src| codec.decided_len(src))
}

/// Runs `codec` over `piece`, which starts at `read` of the whole input: offsets are in that.
fn run_at<'d, C: Codec>(
    codec: C,
    piece: &[u8],
    read: usize,
    dst: OutputBuffer<'d>,
    malformed: &mut Option<usize>,
) -> Done<'d> {
    let mut here = None;
    let done = codec.advanced(read).run(piece, dst, &mut here);
    *malformed = malformed.or(here.map(|at| read + at));
    done
}

/// Puts all of `src` through a buffer on the stack and hands it to `put` piece by piece. Returns how many bytes of output
/// those were, which may be more than a `usize` holds, and what stopped it short of the end.
#[inline]
pub(crate) fn pieces<C: ShortCodec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(u64, Option<DecodeError>), E> {
    if src.is_empty() {
        return Ok((0, None));
    }
    if short::check(&codec, src).unchanged {
        return put(src).map(|()| (src.len() as u64, None));
    }
    if src.len() <= SHORT {
        let mut buffer = short::EMPTY;
        let (out, result) = short::run_on_stack(&codec, src, &mut buffer);
        if !short::has_failed(&codec, result) {
            return put(out).map(|()| (out.len() as u64, None));
        }
    }
    pieces_long(codec, src, put)
}

#[inline(never)]
fn pieces_long<C: Codec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(u64, Option<DecodeError>), E> {
    /// Bytes that are searched before they are handed on as they are: they stay in the nearest cache.
    const SEARCHED: usize = if cfg!(fuzzing) { 96 } else { 8 * 1024 };
    let mut buffer = [EMPTY_CELL; BUFFER];
    let mut written = 0;
    let mut read = 0;
    // Whether the last piece came out unchanged: the next one is then likely to be unchanged, too.
    let mut stays = true;
    while read < src.len() {
        let rest = &src[read..];
        if stays {
            let piece = &rest[..rest.len().min(SEARCHED)];
            let mut unchanged = codec.advanced(read).unchanged_prefix_len(piece);
            if unchanged < rest.len() {
                unchanged = codec.decided_len(&rest[..unchanged]);
            }
            // A shorter piece is not worth a call of `put`.
            if unchanged == rest.len() || unchanged >= SEARCHED / 4 {
                put(&rest[..unchanged])?;
                written += unchanged as u64;
                read += unchanged;
                stays = unchanged + LATENT > SEARCHED;
                continue;
            }
        }
        let piece = &rest[..safe_len(&codec, rest, BUFFER)];
        let done = run_at(codec, piece, read, OutputBuffer::new(&mut buffer), &mut None);
        put(done.out)?;
        written += done.out.len() as u64;
        read += done.read;
        stays = done.read == done.out.len();
        if done.read < piece.len() {
            return Ok((written, codec.error_at(src, read)));
        }
    }
    Ok((written, None))
}

/// Length of `bytes` without a sequence at its end that more bytes could complete.
#[must_use]
pub fn complete_utf8_len(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|&byte| byte >= 0xC0);
    match lead {
        Some(after) if after + 1 < bytes[bytes.len() - 1 - after].leading_ones() as usize => bytes.len() - 1 - after,
        _ => bytes.len(),
    }
}

/// Offset in the input of what the byte at `at` of the output comes from.
#[cfg(feature = "alloc")]
pub(crate) fn input_offset(decoding: Decoding, src: &[u8], at: usize) -> usize {
    let mut buffer = [EMPTY_CELL; 512];
    let (mut read, mut written) = (0, 0);
    while written < at {
        let part = OutputBuffer::new(&mut buffer[..(at - written).min(512)]);
        let done = decoding.advanced(read).run(&src[read..], part, &mut None);
        read += done.read;
        written += done.out.len();
        if done.out.is_empty() {
            break;
        }
    }
    read
}
