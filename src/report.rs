//! Decodes and encodes into a caller's memory for callers that cannot hold a `Result` with a borrow in it, such as the interface for C:
//! they get lengths, error and first malformed `%` in one plain struct. Short input has calls of its own, which return one number.
#![forbid(unsafe_code)]

use crate::codec::{Codec, CodecResult};
use crate::decode::CheckedDecoder;
use crate::encode::RawEncoder;
use crate::error::{DecodeError, OutputTooSmall};
use crate::output::Cell;
use crate::{kernel, sink};

/// Describes what decoding into a caller's buffer did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeReport {
    /// Bytes of the input that were decoded: all of them, or those before the error.
    pub read: usize,
    /// Bytes that were written to the front of the output.
    pub written: usize,
    /// Offset, in bytes of the input, of the first `%` among the bytes read that starts no triplet and was copied.
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

/// Decodes `src` to the front of `out`, and reports what was written before an error, too.
///
/// # Errors
///
/// If `out` is too small; its contents are then unspecified.
#[inline]
pub fn decode_uninit_with_report(
    decoder: &CheckedDecoder,
    src: &[u8],
    out: &mut [Cell],
) -> Result<DecodeReport, OutputTooSmall> {
    let (_, result) = sink::slice(decoder.options().for_input(src), src, sink::OutputBuffer::new(out))?;
    Ok(DecodeReport::new(src, result))
}

/// Decodes `buffer` into its own front. After an error, the bytes from `written` up to `read` are unspecified, and those from
/// `read` on are as they were.
#[inline]
pub fn decode_in_place_with_report(decoder: &CheckedDecoder, buffer: &mut [u8]) -> DecodeReport {
    let result = decoder.options().in_place(buffer, true);
    DecodeReport::new(buffer, result)
}

/// The length above which [`decode_short_uninit`] and [`decode_short_in_place`] decode no input.
pub const DECODE_SHORT: usize = sink::SHORT;

/// Decodes a short `src` to the front of `out` in one step, if the decoder has no option but strictness and `out` is long
/// enough. Returns the number of bytes written, and the offset of the first malformed `%`. If it returns `None`, call
/// [`decode_uninit_with_report`]; `out` is then unspecified. It is inlined: for short input a report in memory takes as long as
/// the work.
#[inline(always)]
pub fn decode_short_uninit(decoder: &CheckedDecoder, src: &[u8], out: &mut [Cell]) -> Option<(usize, Option<usize>)> {
    let decoding = decoder.options().plain()?;
    let result = sink::slice_exact(&decoding, src, sink::OutputBuffer::new(out)).unless(decoding.is_strict());
    let written = result.len()?;
    Some((written, CodecResult::of_short(result, written).malformed.offset(src)))
}

/// Decodes a short `buffer` into its own front, like [`decode_short_uninit`], if no `%` is malformed. If it returns `None`, it has
/// done nothing.
#[inline(always)]
pub fn decode_short_in_place(decoder: &CheckedDecoder, buffer: &mut [u8]) -> Option<usize> {
    decoder.options().plain()?.run_in_place(buffer, true).len()
}

/// The length above which [`encode_short_uninit`] encodes no input.
pub const ENCODE_SHORT: usize = kernel::encode::EXACT;

/// Encodes a short `src` to the front of `out`, if that takes no buffer in between: the set is one of ASCII, there are no options
/// but lower-case digits, and the engine stores a part of a register. Returns the number of bytes written. If it returns
/// `None`, call [`RawEncoder::encode_uninit`]; the contents of `out` are then unspecified. It is inlined: for short input a call
/// takes as long as the work.
#[inline(always)]
pub fn encode_short_uninit(encoder: &RawEncoder, src: &[u8], out: &mut [Cell]) -> Option<usize> {
    encoder.encoding().encode_exact(src, sink::OutputBuffer::new(out)).len()
}
