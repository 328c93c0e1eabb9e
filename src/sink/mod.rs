//! Sinks run an engine, and write its output to a destination. Each kind of destination has a file.
//!
//! # The problem
//!
//! A kernel writes into memory of a fixed length, and returns two numbers: bytes read and bytes written. Callers want a
//! `Vec`, a `String`, a slice, the buffer that holds the input, or pieces for `fmt` and `io`. Each destination has its
//! own rules for growing, for errors, and for text.
//!
//! # The idea
//!
//! These two numbers are offsets at which the kernel can be resumed. So every sink has the same loop, and sinks differ
//! only in their memory:
//!
//! ```text
//! loop:
//!     piece = the next bytes of the input, cut so that it doesn't end inside a triplet   (Codec::settled_prefix_len)
//!     room  = spare capacity, a buffer on the stack, or the caller's slice
//!     progress = codec.run(piece, room)
//!     read += progress.read;  written += progress.written
//!     all input read:             done
//!     codec.stop_error(read):     return the error
//!     otherwise the room was full: make more, and resume
//! ```
//!
//! | file | destination | memory |
//! | --- | --- | --- |
//! | slice.rs | a caller's slice | never grows; if it is too short, the error has the needed length |
//! | vec.rs | a new or existing `Vec`, `Cow` | for short input exact, after a run on the stack; else measured (encoding) or as long as the input |
//! | text.rs | a new or existing `String` | like vec.rs; each piece is checked while it is in the nearest cache |
//! | ascii.rs | encoded output as `&str` | like slice.rs and this file; the output is ASCII, so it isn't checked |
//! | in_place.rs | the front of the input's own buffer | a buffer on the stack |
//! | this file | pieces for a closure | a buffer on the stack |
//! | gather.rs | several short texts at once | a buffer on the stack |
//! | runs.rs | the unchanged runs of an input | borrowed |
//!
//! # Example
//!
//! `caf%C3%A9 5% %41`, 16 bytes, is decoded in pieces. In this example the buffer has 8 bytes. The real buffer has 6
//! KiB.
//!
//! ```text
//! read  next 8 bytes   piece      output
//!    0  caf%C3%A       caf%C3     c a f C3        the cut `%A` may begin a triplet
//!    6  %A9 5% %       %A9 5%_    A9 20 5 % 20    the last `%` may begin a triplet (_ is a space)
//!   13  %41            %41        A
//! ```
//!
//! The output of the first piece ends with C3, the first half of `é`. A sink of bytes passes C3 on. A sink of text
//! holds C3 back (see [`complete_utf8_len`]), and checks it together with the next piece.
//!
//! # Why not the obvious way
//!
//! - *Allocate the longest output.* When encoding, that is three times the input.
//! - *Always measure the output first.* That reads the input twice. Slices, pieces and short input need no length in
//!   advance.
//! - *Let kernels write into the buffer that holds the input.* A store of a whole register would overwrite bytes that
//!   are not yet read. Only masked stores avoid that.
//!
//! Only output/, engine.rs, engine/form.rs and this folder call [`unchecked!`](crate::output). Above each call, a
//! comment has the fact that makes it sound.

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
use crate::engine::KernelRun;
use crate::error::DecodeError;
use crate::kernel::{LATENT, Progress};
use crate::output::{Cell, EMPTY_CELL};
use crate::short::{self, ShortCodec};
#[cfg(feature = "alloc")]
use crate::{
    triplet::triplet,
    words::{byte_mask, load_small},
};

/// The size of a buffer on the stack, in bytes.
const BUFFER: usize = if cfg!(fuzzing) { 192 } else { 6 * 1024 };

/// A destination to which output is appended.
#[cfg(feature = "alloc")]
pub(crate) trait Output {
    /// The error if the output doesn't fit.
    type Full;

    /// Returns the bytes that were appended so far.
    fn bytes(&self) -> &[u8];

    /// Keeps only the first `len` bytes.
    fn truncate(&mut self, len: usize);

    /// Appends the output of `src`, up to an error.
    fn append<C: ShortCodec>(&mut self, codec: C, src: &[u8]) -> Result<CodecResult, Self::Full>;

    /// Appends the output of `run`, a kernel that reads all of `src`. If an error stops the kernel, returns the error.
    /// If `self` is a vector, it then has the output before the error. If `self` is a slice, it has no output of `run`.
    fn append_with<C: Codec>(
        &mut self,
        codec: C,
        src: &[u8],
        run: impl FnOnce(&mut [Cell]) -> Progress,
    ) -> Result<Option<DecodeError>, Self::Full>;
}

/// Returns the length of a prefix of `src` whose output always fits in `room` bytes. The prefix doesn't end inside a
/// triplet.
fn safe_len<C: Codec>(codec: &C, src: &[u8], room: usize) -> usize {
    src.get(..room / C::GROWTH).map_or(src.len(), |src| codec.settled_prefix_len(src))
}

/// Runs `codec` over `piece`, which starts at offset `read` of the whole input. Sets `malformed` to the offset of the
/// first malformed `%` in the whole input.
#[inline]
fn run_piece<'d, C: Codec>(
    codec: C,
    piece: &[u8],
    read: usize,
    dst: OutputBuffer<'d>,
    malformed: &mut Option<usize>,
) -> KernelRun<'d> {
    let mut here = None;
    let done = codec.advanced(read).run(piece, dst, &mut here);
    *malformed = malformed.or(here.map(|at| read + at));
    done
}

/// Encodes or decodes `src` through a buffer on the stack, and hands the output to `put` piece by piece. Returns the
/// length of the output, which may exceed a `usize`, and the error that stopped the codec.
#[inline]
pub(crate) fn pieces<C: ShortCodec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(u64, Option<DecodeError>), E> {
    if src.is_empty() {
        return Ok((0, None));
    }
    if short::check_short(&codec, src).unchanged {
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
    /// We search this many bytes for a change. If none changes, they go to `put` without a copy, while they are still
    /// in the nearest cache.
    const SEARCHED: usize = if cfg!(fuzzing) { 96 } else { 8 * 1024 };
    let mut buffer = [EMPTY_CELL; BUFFER];
    let mut written = 0;
    let mut read = 0;
    // True if the last piece was unchanged. If so, the next piece is likely to be unchanged too.
    let mut stays = true;
    while read < src.len() {
        let rest = &src[read..];
        if stays {
            let piece = &rest[..rest.len().min(SEARCHED)];
            let mut unchanged = codec.advanced(read).clean_prefix_len(piece);
            if unchanged < rest.len() {
                unchanged = codec.settled_prefix_len(&rest[..unchanged]);
            }
            // A short unchanged piece isn't worth a call of `put`. It goes through the buffer, together with the bytes
            // after it.
            if unchanged == rest.len() || unchanged >= SEARCHED / 4 {
                put(&rest[..unchanged])?;
                written += unchanged as u64;
                read += unchanged;
                stays = unchanged + LATENT > SEARCHED;
                continue;
            }
        }
        let piece = &rest[..safe_len(&codec, rest, BUFFER)];
        let done = run_piece(codec, piece, read, OutputBuffer::new(&mut buffer), &mut None);
        put(done.out)?;
        written += done.out.len() as u64;
        read += done.read;
        stays = done.read == done.out.len();
        if done.read < piece.len() {
            return Ok((written, codec.stop_error(src, read)));
        }
    }
    Ok((written, None))
}

/// Returns the length of `bytes` without an incomplete UTF-8 sequence at the end.
#[must_use]
pub fn complete_utf8_len(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|&byte| byte >= 0xC0);
    match lead {
        Some(after) if after + 1 < bytes[bytes.len() - 1 - after].leading_ones() as usize => bytes.len() - 1 - after,
        _ => bytes.len(),
    }
}

/// Returns the offset in the input of the byte or triplet that became the byte at `at` of the output.
#[cfg(feature = "alloc")]
pub(crate) fn input_offset(decoding: Decoding, src: &[u8], at: usize) -> usize {
    if !decoding.profile.keeps_latent() && at <= SHORT {
        // Every triplet has become one byte, unless it is kept.
        let (mut read, mut rest) = (0, at);
        while rest > 0 {
            let unread = src.get(read..).unwrap_or_default();
            let word = unread.first_chunk().map_or_else(|| load_small(unread)[0], |word| u64::from_le_bytes(*word));
            // This is 8 if the word has no `%`.
            let run = (byte_mask(word, b'%').trailing_zeros() as usize / 8).min(rest);
            read += run;
            rest -= run;
            if run < 8 && rest > 0 {
                let triplet = triplet(src, read);
                read += if triplet.is_some() { 3 } else { 1 };
                rest -= if triplet.is_some_and(|byte| decoding.profile.keeps(byte)) { 3.min(rest) } else { 1 };
            }
        }
        return read;
    }
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
