//! Decodes into a caller's memory, and reports lengths, error and first malformed `%` in one plain struct, for callers
//! that cannot hold a `Result` with a borrow in it, such as the interface for C.
#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use crate::codec::{Codec, CodecResult};
use crate::decode::CheckedDecoder;
use crate::error::{DecodeError, OutputTooSmall};
use crate::input::AsBytes;
use crate::sink;

/// Describes what decoding into a caller's buffer did. `Decoder::decode_with_report` returns a
/// `Decoded` instead, with the bytes.
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

impl CheckedDecoder {
    /// Decodes `input` to the front of `out`, and reports what was written before an error, too.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use percent_simd::Decoder;
    ///
    /// let mut out = [MaybeUninit::uninit(); 8];
    /// let report = Decoder::new().strict().decode_uninit_with_report("a%20b%zz", &mut out)?;
    /// assert_eq!((report.read, report.written, report.error.map(|error| error.offset)), (5, 3, Some(5)));
    /// let report = Decoder::new().as_checked().decode_uninit_with_report("a%20b%zz", &mut out)?;
    /// assert_eq!((report.read, report.written, report.first_malformed), (8, 6, Some(5)));
    /// # Ok::<(), percent_simd::OutputTooSmall>(())
    /// ```
    ///
    /// # Errors
    /// If `out` is too small; what it holds is then unspecified.
    #[inline]
    pub fn decode_uninit_with_report<I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &mut [MaybeUninit<u8>],
    ) -> Result<DecodeReport, OutputTooSmall> {
        let src = input.as_bytes();
        let (_, result) = sink::slice(self.options().for_input(src), src, sink::OutputBuffer::new(out))?;
        Ok(DecodeReport::new(src, result))
    }

    /// Length above which an input is never decoded by [`decode_short_uninit`](Self::decode_short_uninit) and its sibling.
    pub const SHORT_LEN: usize = sink::SHORT;

    /// Decodes a short `input` to the front of `out` in one step, if the decoder has no option but strictness and `out` is long
    /// enough. Returns the number of bytes written, and the offset of the first malformed `%`. If it returns `None`, call
    /// [`decode_uninit_with_report`](Self::decode_uninit_with_report); `out` is then unspecified. It is inlined: for short input a
    /// report in memory takes as long as the work.
    ///
    /// ```
    /// let (decoder, mut out) = (percent_simd::Decoder::new().as_checked(), [core::mem::MaybeUninit::uninit(); 4]);
    /// assert_eq!(decoder.decode_short_uninit("%41b", &mut out), Some((2, None)));
    /// assert_eq!(decoder.strict().decode_short_uninit("%4", &mut out), None);
    /// ```
    #[inline(always)]
    pub fn decode_short_uninit<I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &mut [MaybeUninit<u8>],
    ) -> Option<(usize, Option<usize>)> {
        let (decoding, src) = (self.options().plain()?, input.as_bytes());
        let result = sink::slice_exact(&decoding, src, sink::OutputBuffer::new(out)).unless(decoding.is_strict());
        let written = result.len()?;
        Some((written, CodecResult::of_short(result, written).malformed.offset(src)))
    }

    /// Decodes a short `buffer` into its own front, like [`decode_short_uninit`](Self::decode_short_uninit), if no `%` is malformed. If
    /// it returns `None`, it has done nothing.
    #[inline(always)]
    pub fn decode_short_in_place(&self, buffer: &mut [u8]) -> Option<usize> {
        self.options().plain()?.run_in_place(buffer, true).len()
    }

    /// Decodes `buffer` into its own front. After an error, the bytes from `written` up to `read` are unspecified, and
    /// those from `read` on are as they were.
    ///
    /// ```
    /// let mut buffer = *b"a%20b%zz%41";
    /// let report = percent_simd::Decoder::new().strict().decode_in_place_with_report(&mut buffer);
    /// assert_eq!((&buffer[..report.written], &buffer[report.read..]), (&b"a b"[..], &b"%zz%41"[..]));
    /// ```
    #[inline]
    pub fn decode_in_place_with_report(&self, buffer: &mut [u8]) -> DecodeReport {
        let result = self.options().in_place(buffer, true);
        DecodeReport::new(buffer, result)
    }
}
