//! Writes output to a caller's slice.

use core::mem::MaybeUninit;

use super::short::{self, Plan};
use crate::codec::{Codec, CodecResult, ShortRun};
use crate::engine::{Done, initialized, uninit};
use crate::error::OutputTooSmall;
use crate::isa::EXPANDED;

/// The output, and how the run ended; or the length that would have been enough.
type SliceResult<'d> = Result<(&'d mut [u8], CodecResult), OutputTooSmall>;

/// Writes all of `src` to the front of `dst`.
#[inline]
pub(crate) fn slice<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> SliceResult<'d> {
    match short::plan_by_length(src) {
        Plan::Long => slice_long(codec, src, dst),
        _ => slice_short(codec, src, dst),
    }
}

/// Like [`slice`], into memory that is initialized.
#[inline]
pub(crate) fn slice_init<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [u8]) -> SliceResult<'d> {
    // SAFETY: nothing here writes bytes that are not initialized.
    slice(codec, src, unsafe { uninit(dst) })
}

/// Writes a short `src`: by way of the stack only where `dst` is not certain to be long enough.
#[inline(never)]
fn slice_short<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> SliceResult<'d> {
    let mut buffer = short::EMPTY;
    let is_certain = C::GROWTH * src.len() + EXPANDED <= dst.len();
    let ShortRun { out, flags } = codec.run_short(src, if is_certain { &mut *dst } else { &mut buffer });
    let written = out.len();
    if flags.malformed || written > dst.len() {
        return slice_long(codec, src, dst);
    }
    if !is_certain {
        dst[..written].copy_from_slice(&buffer[..written]);
    }
    // SAFETY: the run has written as many bytes there, or they have been copied from where it has.
    Ok((unsafe { initialized(dst, written) }, CodecResult { written, ..CodecResult::NONE }))
}

#[inline(never)]
fn slice_long<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> SliceResult<'d> {
    let mut malformed = None;
    let Done { read, out } = codec.run(src, dst, &mut malformed);
    let mut result = CodecResult { written: out.len(), error: None, malformed };
    if read < src.len() {
        result.error = codec.error_at(src, read);
        if result.error.is_none() {
            return Err(OutputTooSmall { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    Ok((out, result))
}
