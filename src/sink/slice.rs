//! Into a slice of the caller's.

use core::mem::MaybeUninit;
use core::ptr;

use super::short::{self, SHORT};
use crate::codec::{Codec, CodecResult};
use crate::engine::Done;
use crate::error::OutputTooSmall;

/// All of `src` into `dst`, and the part of that which was written; if it is too small, what would have been enough.
pub(crate) fn slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    if src.len() <= SHORT {
        return slice_short(codec, src, |out| put(out, dst));
    }
    let mut malformed = None;
    let done = codec.run(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}

/// Runs `codec` over all of `src`, which is short, and hands what comes of it to `put`, which returns it where it is to be, or
/// `None` if it does not fit there. By way of the stack, as a kernel is slow to begin where it may touch nothing beyond.
#[inline]
fn slice_short<'d, C: Codec>(
    codec: C,
    src: &[u8],
    put: impl FnOnce(&[u8]) -> Option<&'d mut [u8]>,
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut buffer = short::EMPTY;
    let (out, outcome) = codec.run_short(src, &mut buffer);
    match put(out) {
        Some(out) => Ok((out, outcome)),
        None => Err(OutputTooSmall { needed: out.len() }),
    }
}

/// Copies `out` to the front of `dst`, if it fits, and returns that part.
fn put<'d>(out: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> Option<&'d mut [u8]> {
    let dst = dst.get_mut(..out.len())?;
    // SAFETY: both have as many bytes, and do not overlap; then all of `dst` is initialized.
    unsafe {
        dst.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(out.as_ptr(), out.len());
        Some(&mut *(ptr::from_mut(dst) as *mut [u8]))
    }
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
    if src.len() <= SHORT {
        return slice_short(codec, src, |out| {
            let dst = dst.get_mut(..out.len())?;
            dst.copy_from_slice(out);
            Some(dst)
        });
    }
    let mut malformed = None;
    let done = codec.fill(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}
