//! Many strings in one call.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use core::slice;

use crate::decode::{Decoding, pct_decoder};
use crate::encode::{Encoding, pct_encoder};
use crate::memory::{Opaque, apart};
use crate::pct_status::{self, *};
use crate::{answer, pct_result};

/// One direction.
pub(crate) trait Codec: Opaque {
    /// How long the output for an input of this length can be at most.
    const BOUND: extern "C" fn(usize) -> usize;

    /// Returns what is at `memory`, or stands for a null pointer.
    ///
    /// # Safety
    /// As for [`Opaque::get`].
    unsafe fn of<'a>(memory: *const Self::Memory) -> Option<&'a Self>;

    /// Runs over all of `src` into `dst`.
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], result: &mut pct_result) -> pct_status;
}

/// An offset as Arrow has it.
trait Offset: Copy + TryInto<usize> + TryFrom<usize> {}

impl Offset for i32 {}
impl Offset for i64 {}

/// The arguments of a batch that do not depend on the direction.
struct Rows<'a, O> {
    values: &'a [u8],
    dst: &'a mut [MaybeUninit<u8>],
    offsets: &'a [O],
    out_offsets: *mut O,
}

/// # Safety
/// As the functions of C promise: `rows + 1` offsets are readable at `offsets` and writable at `out_offsets`.
unsafe fn arguments<'a, O: Offset>(
    values: *const c_char,
    values_len: usize,
    offsets: *const O,
    rows: usize,
    dst: *mut c_char,
    cap: usize,
    out_offsets: *mut O,
) -> Result<Rows<'a, O>, pct_status> {
    let most = isize::MAX as usize / size_of::<O>();
    if offsets.is_null() || out_offsets.is_null() || rows >= most {
        return Err(PCT_INVALID_ARGUMENT);
    }
    // SAFETY: the caller's promise.
    let (values, dst) = unsafe { apart(values.cast(), values_len, dst.cast(), cap)? };
    // SAFETY: the caller's promise.
    let offsets = unsafe { slice::from_raw_parts(offsets, rows + 1) };
    Ok(Rows { values, dst, offsets, out_offsets })
}

/// Runs the codec at `memory` over each row.
///
/// # Safety
/// As for [`arguments`].
unsafe fn batch<C: Codec, O: Offset>(
    memory: *const C::Memory,
    rows: Result<Rows<'_, O>, pct_status>,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        answer(result, |result| match (C::of(memory), rows) {
            (Some(codec), Ok(rows)) => run_rows(codec, rows, result),
            (None, _) => PCT_INVALID_ARGUMENT,
            (_, Err(status)) => status,
        })
    }
}

/// # Safety
/// As for [`arguments`].
unsafe fn run_rows<C: Codec, O: Offset>(codec: &C, rows: Rows<'_, O>, total: &mut pct_result) -> pct_status {
    let Rows { values, mut dst, offsets, out_offsets } = rows;
    let offset = |at: usize| offsets.get(at).and_then(|&offset| offset.try_into().ok());
    while let Ok(end) = O::try_from(total.written) {
        // SAFETY: the caller's promise; `read` is the index of an offset.
        unsafe { out_offsets.add(total.read).write(end) };
        if total.read + 1 == offsets.len() {
            return PCT_OK;
        }
        let row = match (offset(total.read), offset(total.read + 1)) {
            (Some(start), Some(end)) => values.get(start..end),
            _ => None,
        };
        let Some(row) = row else { return PCT_BAD_OFFSETS };
        let mut result = pct_result::NOTHING;
        let status = codec.run(row, dst, &mut result);
        if status == PCT_OUTPUT_TOO_SMALL {
            let start: usize = offset(0).unwrap_or_default();
            let end: usize = offset(offsets.len() - 1).unwrap_or_default();
            return total.set_needed(C::BOUND(end.saturating_sub(start)));
        }
        (total.changed, total.rejected) = (total.changed | result.changed, result.rejected);
        if status != PCT_OK {
            total.first_error = result.first_error;
            return status;
        }
        let Some(rest) = dst.get_mut(result.written..) else { break };
        dst = rest;
        total.read += 1;
        total.written += result.written;
    }
    PCT_BAD_OFFSETS
}

/// Encodes many strings in one call. Row i is the bytes of `values` from offsets[i] up to offsets[i + 1]; there are
/// `rows` + 1 offsets, ascending, as in Arrow's variable-size binary layout. The encoded rows go to `dst`, one behind the
/// other, and their `rows` + 1 offsets, from 0 on, to `out_offsets`. `read` in the result is how many rows were done.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with what is enough in any case as `needed`; PCT_BAD_OFFSETS, for the row with the
/// index `read`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encode_batch32(
    encoder: *const pct_encoder,
    values: *const c_char,
    values_len: usize,
    offsets: *const i32,
    rows: usize,
    dst: *mut c_char,
    cap: usize,
    out_offsets: *mut i32,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        batch::<Encoding, _>(encoder, arguments(values, values_len, offsets, rows, dst, cap, out_offsets), result)
    }
}

/// Encodes many strings in one call, like pct_encode_batch32(), with offsets of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_encode_batch64(
    encoder: *const pct_encoder,
    values: *const c_char,
    values_len: usize,
    offsets: *const i64,
    rows: usize,
    dst: *mut c_char,
    cap: usize,
    out_offsets: *mut i64,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        batch::<Encoding, _>(encoder, arguments(values, values_len, offsets, rows, dst, cap, out_offsets), result)
    }
}

/// Decodes many strings in one call, with the layout of pct_encode_batch32(). No triplet is read across the end of a row.
/// After an error the row at fault is the one with the index `read`, and `first_error` is an offset in that row; the rows
/// before it are good. A lenient decoder finds nothing wrong, so no row can fail the others.
///
/// Returns PCT_OK, PCT_OUTPUT_TOO_SMALL or PCT_BAD_OFFSETS as there; the errors of pct_decode(); PCT_OVERLAP; or
/// PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_batch32(
    decoder: *const pct_decoder,
    values: *const c_char,
    values_len: usize,
    offsets: *const i32,
    rows: usize,
    dst: *mut c_char,
    cap: usize,
    out_offsets: *mut i32,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        batch::<Decoding, _>(decoder, arguments(values, values_len, offsets, rows, dst, cap, out_offsets), result)
    }
}

/// Decodes many strings in one call, like pct_decode_batch32(), with offsets of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_batch64(
    decoder: *const pct_decoder,
    values: *const c_char,
    values_len: usize,
    offsets: *const i64,
    rows: usize,
    dst: *mut c_char,
    cap: usize,
    out_offsets: *mut i64,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the caller's promise.
    unsafe {
        batch::<Decoding, _>(decoder, arguments(values, values_len, offsets, rows, dst, cap, out_offsets), result)
    }
}
