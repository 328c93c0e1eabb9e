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
#[inline(always)]
pub(crate) fn slice<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> SliceResult<'d> {
    let written = match short::plan_by_length(src) {
        Plan::Long => None,
        _ => slice_short(codec, src, dst),
    };
    match written {
        // SAFETY: as many bytes have been written there.
        Some(written) => Ok((unsafe { initialized(dst, written) }, CodecResult { written, ..CodecResult::NONE })),
        None => slice_long(codec, src, dst),
    }
}

/// Like [`slice`], into memory that is initialized.
#[inline(always)]
pub(crate) fn slice_init<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [u8]) -> SliceResult<'d> {
    // SAFETY: nothing here writes bytes that are not initialized.
    slice(codec, src, unsafe { uninit(dst) })
}

/// Writes a short `src`: by way of the stack only where `dst` is not certain to be long enough. Returns how many bytes that were,
/// in registers, unless there is something to report.
#[inline(never)]
fn slice_short<C: Codec>(codec: C, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Option<usize> {
    let is_certain = C::GROWTH * src.len() + EXPANDED <= dst.len();
    if !is_certain && let Plan::Unchanged { .. } = short::plan(&codec, src) {
        dst.get_mut(..src.len())?.iter_mut().zip(src).for_each(|(room, &byte)| _ = room.write(byte));
        return Some(src.len());
    }
    let mut buffer = short::EMPTY;
    let ShortRun { out, flags } = codec.run_short(src, if is_certain { &mut *dst } else { &mut buffer });
    if flags.malformed {
        return None;
    }
    let written = out.len();
    if !is_certain {
        dst.get_mut(..written)?.copy_from_slice(&buffer[..written]);
    }
    Some(written)
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
