//! Decodes and encodes into a caller's memory, for callers such as the C interface, which can't hold a `Result` with a
//! borrow. Most calls return lengths, the error and the first malformed `%` in one struct. The calls for short input
//! return only numbers.
#![forbid(unsafe_code)]

use crate::codec::{Codec, CodecResult};
use crate::decode::CheckedDecoder;
use crate::encode::RawEncoder;
use crate::error::{DecodeError, OutputTooSmall};
use crate::output::Cell;
use crate::{kernel, sink};

/// Describes the decoding into a caller's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeReport {
    /// Bytes of the input that were decoded: all of them, or the bytes before the error.
    pub read: usize,
    /// Bytes that were written to the front of the output.
    pub written: usize,
    /// Offset in the input of the first `%` that starts no triplet and was copied. It is less than `read`.
    pub first_malformed: Option<usize>,
    /// The error that stopped the decoder.
    pub error: Option<DecodeError>,
}

impl DecodeReport {
    #[inline]
    fn new(src: &[u8], result: CodecResult) -> DecodeReport {
        let CodecResult { written, error, malformed } = result;
        let read = error.map_or(src.len(), |error| error.offset);
        DecodeReport { read, written, first_malformed: malformed.offset(src).filter(|&at| at < read), error }
    }
}

/// Decodes `src` to the front of `out`. After an error, the report also counts the bytes written before the error.
///
/// # Errors
///
/// Returns an error if `out` is too small. The contents of `out` are then unspecified.
#[inline]
pub fn decode_uninit_with_report(
    decoder: &CheckedDecoder,
    src: &[u8],
    out: &mut [Cell],
) -> Result<DecodeReport, OutputTooSmall> {
    let (_, result) = sink::slice(decoder.options().for_input(src), src, sink::OutputBuffer::new(out))?;
    Ok(DecodeReport::new(src, result))
}

/// Decodes `buffer` in place. The output is at the start of the buffer. After an error, the bytes from `written` up to
/// `read` are unspecified, and the bytes from `read` on are unchanged.
#[inline]
pub fn decode_in_place_with_report(decoder: &CheckedDecoder, buffer: &mut [u8]) -> DecodeReport {
    let result = decoder.options().in_place(buffer, true);
    DecodeReport::new(buffer, result)
}

/// The maximum length of the input of [`decode_short_uninit`] and [`decode_short_in_place`].
pub const DECODE_SHORT: usize = sink::SHORT;

/// Decodes a short `src` to the start of `out` in one step. Returns the number of bytes written, and the offset of the
/// first malformed `%`, if there is one.
///
/// Returns `None` in four cases:
///
/// - The decoder has an option other than `strict`.
/// - The decoder is strict, and `src` has an error.
/// - `out` is too short.
/// - One step is not enough.
///
/// The contents of `out` are then unspecified, and the caller must call [`decode_uninit_with_report`].
///
/// This function is inlined, so that the result stays in registers. For a short input, writing a report to memory takes
/// as long as the decoding.
#[inline(always)]
pub fn decode_short_uninit(decoder: &CheckedDecoder, src: &[u8], out: &mut [Cell]) -> Option<(usize, Option<usize>)> {
    let decoding = decoder.options().plain()?;
    let result = sink::slice_exact(&decoding, src, sink::OutputBuffer::new(out)).unless(decoding.can_fail());
    let written = result.len()?;
    Some((written, CodecResult::of_short(result, written).malformed.offset(src)))
}

/// Decodes a short `buffer` in place. The output is at the start of the buffer. The input must be as short as for
/// [`decode_short_uninit`]. If a `%` is malformed, or if only [`decode_in_place_with_report`] can decode the input,
/// returns `None` and leaves the buffer unchanged.
#[inline(always)]
pub fn decode_short_in_place(decoder: &CheckedDecoder, buffer: &mut [u8]) -> Option<usize> {
    decoder.options().plain()?.run_in_place(buffer, true).len()
}

/// The maximum length of the input of [`encode_short_uninit`].
pub const ENCODE_SHORT: usize = kernel::encode::EXACT;

/// Encodes a short `src` to the front of `out` without another buffer. Returns the number of bytes written.
///
/// This works only under three conditions:
///
/// - The set keeps only ASCII.
/// - The encoder has no option other than lower-case digits.
/// - The engine can store a part of a register.
///
/// If the result is `None`, the contents of `out` are unspecified, and the caller must call
/// [`RawEncoder::encode_uninit`].
///
/// This function is inlined, because for a short input, a call takes as long as the encoding.
#[inline(always)]
pub fn encode_short_uninit(encoder: &RawEncoder, src: &[u8], out: &mut [Cell]) -> Option<usize> {
    // A caller concludes from the length of the output that the input changed. So a space must not become `+`.
    let encoding = encoder.encoding();
    if !encoding.profile.facts.plain {
        return None;
    }
    encoding.encode_exact(src, sink::OutputBuffer::new(out)).len()
}
