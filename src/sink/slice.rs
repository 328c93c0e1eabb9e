//! Into a slice of the caller's.

use core::mem::MaybeUninit;

use crate::codec::{Codec, CodecResult};
use crate::engine::Done;
use crate::error::OutputTooSmall;

/// All of `src` into `dst`, and the part of that which was written; if it is too small, what would have been enough.
pub(crate) fn slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut malformed = None;
    let done = codec.run(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}

#[inline]
fn finish_slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    Done { read, out }: Done<'d>,
    malformed: Option<usize>,
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut outcome = CodecResult { written: out.len(), error: None, malformed };
    if read < src.len() {
        outcome.error = codec.error_at(src, read);
        if outcome.error.is_none() {
            return Err(OutputTooSmall { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    Ok((out, outcome))
}

/// Like [`slice`], into memory that is initialized.
pub(crate) fn slice_init<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [u8],
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut malformed = None;
    let done = codec.fill(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}
