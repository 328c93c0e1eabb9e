//! Many strings in one call.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use core::slice;

use percent_simd::batch::{BatchProgress, Offset};

use crate::decode::{Decoding, pct_decoder};
use crate::encode::{Encoding, pct_encoder};
use crate::memory::{Opaque, apart, overlap};
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

    /// Runs over rows, as far as nothing is to be told of one.
    fn run_rows<O: Offset>(&self, rows: &mut Rows<'_, O>) -> BatchProgress;
}

/// The arguments of a batch that do not depend on the direction.
pub(crate) struct Rows<'a, O> {
    pub(crate) values: &'a [u8],
    pub(crate) offsets: &'a [O],
    pub(crate) dst: &'a mut [MaybeUninit<u8>],
    pub(crate) out_offsets: &'a mut [MaybeUninit<O>],
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
    let ends = (out_offsets.addr(), size_of_val(offsets));
    let others = [(values.as_ptr().addr(), values.len()), (dst.as_ptr().addr(), dst.len())];
    if overlap(ends, (offsets.as_ptr().addr(), ends.1)) || others.into_iter().any(|other| overlap(ends, other)) {
        return Err(PCT_OVERLAP);
    }
    // SAFETY: the caller's promise; nobody else has them.
    let out_offsets = unsafe { slice::from_raw_parts_mut(out_offsets.cast(), rows + 1) };
    Ok(Rows { values, offsets, dst, out_offsets })
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

/// Runs over rows together, and then over the first that cannot be done so by itself, which tells why.
fn run_rows<C: Codec, O: Offset>(codec: &C, mut rows: Rows<'_, O>, total: &mut pct_result) -> pct_status {
    /// So many are done one by one in no more time.
    const FEW: usize = 4;
    if rows.offsets.len() > FEW {
        let BatchProgress { rows, written, changed, .. } = codec.run_rows(&mut rows);
        (total.read, total.written, total.changed) = (rows, written, changed.into());
    }
    let Rows { values, offsets, dst, out_offsets } = rows;
    let offset = |at: usize| offsets.get(at).and_then(|&offset| offset.try_into().ok());
    while let (Ok(end), Some(space)) = (O::try_from(total.written), out_offsets.get_mut(total.read)) {
        space.write(end);
        if total.read + 1 == offsets.len() {
            return PCT_OK;
        }
        let row = match (offset(total.read), offset(total.read + 1)) {
            (Some(start), Some(end)) => values.get(start..end),
            _ => None,
        };
        let (Some(row), Some(dst)) = (row, dst.get_mut(total.written..)) else { break };
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
        total.read += 1;
        total.written += result.written;
    }
    PCT_BAD_OFFSETS
}

/// Encodes many strings in one call. Row i is the bytes of `values` from offsets[i] up to offsets[i + 1]; there are
/// `rows` + 1 offsets, ascending, as in Arrow's variable-size binary layout. The encoded rows go to `dst`, one behind the
/// other, and their `rows` + 1 offsets, from 0 on, to `out_offsets`. `read` in the result is how many rows were done. What is
/// written must not overlap what is read.
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
