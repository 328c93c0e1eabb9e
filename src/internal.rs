//! Exports the hidden calls that the other crates of this project need. Any release may change or remove them.

use core::borrow::Borrow;

use crate::decode::{CheckedDecoder, Plus};
use crate::encode::{EncodePieces, Encoder, RawEncoder};
use crate::engine::{Engine, Kernels};
use crate::error::{DecodeError, OutputTooSmall, SliceError};
use crate::kernel::PlusStart;
use crate::output::OutputBuffer;
use crate::set::ByteSet;
use crate::short::ShortCodec;
use crate::stream::{DecodeStream, EncodeStream};

#[cfg(feature = "alloc")]
use crate::{
    decode::Decoder,
    input::AsBytes,
    sink::{self, ascii::AsciiEncoding},
};

#[cfg(feature = "alloc")]
pub use crate::batch::rows::used_values;
#[cfg(feature = "alloc")]
pub use crate::batch::slices::{BatchProgress, decode_batch_uninit, encode_batch_uninit};
#[cfg(feature = "alloc")]
pub use crate::batch::views::{ViewColumn, Views};
#[cfg(feature = "alloc")]
pub use crate::decode::Decoded;
pub use crate::decode::PlusState;
pub use crate::encode::ChangedBytes;
pub use crate::engine::form::ScannedForm;
#[cfg(feature = "alloc")]
pub use crate::output::try_vec;
pub use crate::output::{Cell, EMPTY_CELL};
pub use crate::plain::{decode_plain, encode_plain};
pub use crate::report::*;
#[cfg(feature = "alloc")]
pub use crate::sink::{complete_utf8_len, gather::Gather};
pub use crate::stream::{DecodeStreamState, EncodeStreamState};
pub use crate::triplet::triplet;

/// Starts or continues a stream of `encoder`. A caller with many streams can keep one encoder for all of them.
#[must_use]
pub fn resume_encoding(encoder: &RawEncoder, state: EncodeStreamState) -> EncodeStream {
    encoder.resume(state)
}

/// Returns the position of the stream, for [`resume_encoding`].
#[must_use]
pub fn suspend_encoding(stream: &EncodeStream) -> EncodeStreamState {
    stream.suspend()
}

/// Starts or continues a stream of `decoder`. If the stream runs by line, call [`DecodeStream::by_line`] again.
#[must_use]
pub fn resume_decoding(decoder: &CheckedDecoder, state: DecodeStreamState) -> DecodeStream {
    decoder.resume(state)
}

/// Returns the position of the stream, for [`resume_decoding`].
#[must_use]
pub fn suspend_decoding(stream: &DecodeStream) -> DecodeStreamState {
    stream.suspend()
}

/// Counts the offsets of a stream from its first byte that is not decoded yet, and forgets its first malformed `%`. Returns the number
/// of bytes between the old start and the new one. A caller that adds these numbers as 64 bits knows all offsets, even if a `usize`
/// has only 32 bits.
pub fn restart_offsets(state: &mut DecodeStreamState) -> usize {
    state.restart_offsets()
}

/// Decodes `input`, and finds the first `%` that starts no triplet.
#[cfg(feature = "alloc")]
#[must_use]
pub fn decode_with_report<'a, I: AsBytes + ?Sized>(decoder: &Decoder, input: &'a I) -> Decoded<'a> {
    decoder.decode_with_report(input)
}

/// Returns the input after the pieces that `pieces` has returned so far.
#[must_use]
#[inline]
pub fn rest<'a, E: Borrow<Encoder>>(pieces: &EncodePieces<'a, E>) -> &'a [u8] {
    pieces.rest()
}

/// Encodes like [`Encoder::encode_uninit`]. Unlike that call, this call also exists without the feature `simd`.
///
/// # Errors
///
/// Returns an error if `out` is too small.
#[inline]
pub fn encode_cells<'o>(encoder: &Encoder, src: &[u8], out: &'o mut [Cell]) -> Result<&'o str, OutputTooSmall> {
    encoder.ascii().slice(src, OutputBuffer::new(out))
}

/// Decodes like [`CheckedDecoder::decode_uninit`]. Unlike that call, this call also exists without the feature `simd`.
///
/// # Errors
///
/// Returns an error if the input is malformed or has a rejected byte, or `out` is too small.
#[inline]
pub fn decode_cells<'o>(
    decoder: &CheckedDecoder,
    src: &[u8],
    out: &'o mut [Cell],
) -> Result<&'o mut [u8], SliceError<DecodeError>> {
    decoder.decode_cells(src, OutputBuffer::new(out))
}

/// Returns the codec of `encoder`, for a [`Gather`].
#[cfg(feature = "alloc")]
#[inline]
pub fn ascii(encoder: &Encoder) -> AsciiEncoding<'_> {
    encoder.ascii()
}

/// Finds the bytes of `input` that are in `set`. Bit *i* of mask *n* belongs to byte 64 *n* + *i*.
///
/// - Bits beyond the end of the input are 0.
/// - If there are too few masks for the input, only the blocks that have a mask are searched.
/// - The last block of the input has a mask even if the block is incomplete. Masks after this mask stay unchanged.
pub fn find_members(engine: &Engine, set: ByteSet, input: &[u8], masks: &mut [u64]) {
    engine.find_members(set, input, masks);
}

/// Returns true if encoding `src` changes no byte. The result `false` means "no" or "unknown".
///
/// If `encoder` is a constant without options, this call is faster than [`Encoder::first_changed`].
#[inline(always)] // so that the compiler drops the code for options that a constant encoder doesn't have
#[must_use]
pub fn encodes_to_itself(encoder: &Encoder, src: &[u8]) -> bool {
    encoder.raw().encoding().is_clean(src)
}

/// Returns true if decoding `src` changes no byte. The result `false` means "no" or "unknown": it is `false` for every
/// `src` with a `%`, and with [`Plus`] also for every `src` with a `+`.
///
/// If `decoder` is a constant, this call is faster than [`CheckedDecoder::first_changed`].
#[inline(always)] // so that the compiler drops the code for options that a constant decoder doesn't have
#[must_use]
pub fn decodes_to_itself(decoder: &CheckedDecoder, src: &[u8]) -> bool {
    let options = decoder.options();
    let plus = if options.plus == Plus::Never { PlusStart::NONE } else { PlusStart::ALL };
    options.with_pluses(plus).is_clean(src)
}

/// Returns the error for the malformed `%` at `offset` of `src`.
pub fn malformed(src: &[u8], offset: usize) -> DecodeError {
    DecodeError::malformed(src, offset)
}

/// Returns the offset in `src` of the byte or triplet that becomes the output byte at offset `at`.
#[cfg(feature = "alloc")]
pub fn input_offset(decoder: &CheckedDecoder, src: &[u8], at: usize) -> usize {
    sink::input_offset(decoder.options().for_input(src), src, at)
}

/// Returns `bytes` as text, or `None` if they aren't UTF-8.
#[cfg(feature = "alloc")]
pub fn text(bytes: &[u8]) -> Option<&str> {
    const ANY: Decoder = Decoder::new();
    sink::checked_text(ANY.options().with_pluses(PlusStart::NONE), bytes).ok()
}

/// Converts the front of the UTF-16 `units` to UTF-8, and writes the result to `out`. Returns the number of units read
/// and of bytes written.
#[inline]
pub fn utf16_front(engine: Option<&'static Engine>, units: &[u16], out: &mut [u8]) -> (usize, usize) {
    let progress = Kernels::of(engine).utf16_front(units, OutputBuffer::initialized(out)).progress();
    (progress.read, progress.written)
}

/// Returns the number of blocks that the emulated engines have loaded so far, for tests that count work.
#[cfg(percent_simd_emulated)]
pub fn emulated_blocks_loaded() -> usize {
    cfg_if::cfg_if! {
        if #[cfg(isa_emulated)] { crate::isa::emulated::LOADED.load(core::sync::atomic::Ordering::Relaxed) } else { 0 }
    }
}
