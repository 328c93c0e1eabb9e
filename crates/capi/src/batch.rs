//! Encodes and decodes many strings in one call.

use core::ffi::c_char;
use core::slice;

use percent_simd::batch::Offset;
use percent_simd::internal::BatchProgress;

use crate::codec::{Codec, Rows};
use crate::decode::{Decoding, pct_decoder};
use crate::encode::{Encoding, pct_encoder};
use crate::memory::{Region, apart, output};
use crate::pct_status::{self, *};
use crate::{answer, pct_result};

/// Converts each row with the codec at `memory`, and fills `result`.
///
/// # Safety
/// The C caller follows the rules of the header for all arguments: `rows + 1` offsets are readable at `offsets` and
/// writable at `out_offsets`.
unsafe fn batch<C: Codec, O: Offset + Ord>(
    memory: *const C::Memory,
    (values, values_len): (*const c_char, usize),
    (offsets, rows): (*const O, usize),
    (dst, cap): (*mut c_char, usize),
    out_offsets: *mut O,
    result: *mut pct_result,
) -> pct_status {
    let ends = rows.saturating_add(1);
    let written = [Region::of(dst, cap), Region::of(out_offsets, ends)];
    let read = [Region::of(values, values_len), Region::of(offsets, ends), Region::object::<C>(memory)];
    // SAFETY: the caller meets the `# Safety` conditions of this function. `answer` excludes an overlap.
    unsafe {
        answer(result, written, read, |result| {
            let (Some(codec), Some(out_offsets)) = (C::of(memory), output(out_offsets, ends)) else {
                return PCT_INVALID_ARGUMENT;
            };
            if offsets.is_null() || !offsets.is_aligned() {
                return PCT_INVALID_ARGUMENT;
            }
            let offsets = slice::from_raw_parts(offsets, ends);
            match apart(values.cast(), values_len, dst.cast(), cap) {
                Ok((values, dst)) => run_rows(codec, Rows { values, offsets, dst, out_offsets }, result),
                Err(status) => status,
            }
        })
    }
}

/// Converts all rows together. If a row fails or does not fit, converts this row and all later rows one by one, to find
/// the reason.
fn run_rows<C: Codec, O: Offset + Ord>(codec: &C, mut rows: Rows<'_, O>, total: &mut pct_result) -> pct_status {
    /// Up to this number of offsets, a call for each row is as fast as a batch.
    const FEW: usize = 4;
    // Check all offsets before the first row is converted. If the output is too short, `needed` is computed from the
    // first and the last offset, so these must be valid, too.
    if let Some(bad) = first_bad_row(rows.offsets, rows.values.len()) {
        total.read = bad;
        return PCT_BAD_OFFSETS;
    }
    if rows.offsets.len() > FEW {
        let BatchProgress { rows, written, changed, .. } = codec.run_rows(&mut rows);
        (total.read, total.written, total.changed) = (rows, written, changed.into());
    }
    let Rows { values, offsets, dst, out_offsets } = rows;
    let offset = |at: usize| offsets.get(at).and_then(|&offset| offset.try_into().ok()).unwrap_or_default();
    if let (0, Ok(zero), Some(first)) = (total.read, O::try_from(0), out_offsets.first_mut()) {
        first.write(zero);
    }
    while let Some(space) = out_offsets.get_mut(total.read + 1) {
        let row = values.get(offset(total.read)..offset(total.read + 1)).unwrap_or_default();
        let mut result = pct_result::EMPTY;
        let status = codec.run(row, dst.get_mut(total.written..).unwrap_or_default(), &mut result);
        if status == PCT_OUTPUT_TOO_SMALL {
            return total.set_needed(C::BOUND(offset(offsets.len() - 1) - offset(0)));
        }
        (total.changed, total.rejected) = (total.changed | result.changed, result.rejected);
        if status != PCT_OK {
            total.first_error = result.first_error;
            return status;
        }
        let Ok(end) = O::try_from(total.written + result.written) else { return PCT_BAD_OFFSETS };
        space.write(end);
        total.read += 1;
        total.written += result.written;
    }
    PCT_OK
}

/// Returns the index of the first row whose offsets do not ascend or are not within `len` bytes of values.
fn first_bad_row<O: Offset + Ord>(offsets: &[O], len: usize) -> Option<usize> {
    let within = |offset: &O| (*offset).try_into().is_ok_and(|offset: usize| offset <= len);
    // The loop has no branch. If the offsets ascend, and the first and the last offset are within the values, all
    // offsets are within the values.
    let ascending = offsets.windows(2).fold(true, |so_far, pair| so_far & (pair[0] <= pair[1]));
    if ascending && offsets.first().is_some_and(within) && offsets.last().is_some_and(within) {
        return None;
    }
    let is_good = |pair: &[O]| pair[0] <= pair[1] && pair.iter().all(within);
    Some(offsets.windows(2).position(|pair| !is_good(pair)).unwrap_or_default())
}

/// Encodes many strings in one call.
///
/// The layout is Arrow's variable-size binary layout. Row i is the bytes of `values` from offsets[i] up to, not
/// including, offsets[i+1]. There are `rows` + 1 offsets, in ascending order. The encoded rows go to `dst` without
/// gaps. Their `rows` + 1 offsets go to `out_offsets`, and the first of them is 0. `read` in the result is the number
/// of encoded rows.
///
/// All offsets are checked first, whatever the capacity. If row i is the first whose offsets do not ascend or are not
/// within the values, the call returns PCT_BAD_OFFSETS, `read` is i, and no row is converted.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with a `needed` that is enough for all rows; PCT_BAD_OFFSETS; PCT_OVERLAP; or
/// PCT_INVALID_ARGUMENT. PCT_BAD_OFFSETS can also mean that the output of the row with index `read` would end beyond
/// the greatest offset of the type.
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
    // SAFETY: the C caller follows the rules of the header.
    unsafe { batch::<Encoding, _>(encoder, (values, values_len), (offsets, rows), (dst, cap), out_offsets, result) }
}

/// Encodes many strings in one call, like pct_encode_batch32(), but with offsets of 64 bits.
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
    // SAFETY: the C caller follows the rules of the header.
    unsafe { batch::<Encoding, _>(encoder, (values, values_len), (offsets, rows), (dst, cap), out_offsets, result) }
}

/// Decodes many strings in one call, with the layout of pct_encode_batch32().
///
/// A triplet never continues in the next row. If a row is malformed or rejected, `read` is the index of that row, and
/// `first_error` is an offset in that row. The rows before it are valid. With a lenient decoder that rejects no bytes, no
/// row can fail.
///
/// Returns PCT_OK, PCT_OUTPUT_TOO_SMALL or PCT_BAD_OFFSETS as pct_encode_batch32() does; the errors of pct_decode();
/// PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
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
    // SAFETY: the C caller follows the rules of the header.
    unsafe { batch::<Decoding, _>(decoder, (values, values_len), (offsets, rows), (dst, cap), out_offsets, result) }
}

/// Decodes many strings in one call, like pct_decode_batch32(), but with offsets of 64 bits.
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
    // SAFETY: the C caller follows the rules of the header.
    unsafe { batch::<Decoding, _>(decoder, (values, values_len), (offsets, rows), (dst, cap), out_offsets, result) }
}

#[cfg(test)]
mod tests {
    use core::mem::MaybeUninit;

    use super::*;

    /// An offset type with 127 as its maximum, so that a test needs no output of 2 GiB.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Small(i8);

    impl Offset for Small {}

    impl TryFrom<usize> for Small {
        type Error = ();

        fn try_from(offset: usize) -> Result<Small, ()> {
            i8::try_from(offset).map(Small).map_err(drop)
        }
    }

    impl TryFrom<Small> for usize {
        type Error = ();

        fn try_from(Small(offset): Small) -> Result<usize, ()> {
            offset.try_into().map_err(drop)
        }
    }

    #[test]
    fn output_beyond_the_type_of_the_offsets_is_bad_offsets() {
        // SAFETY: `of` does not read a null pointer, and returns the lenient decoder for it.
        let lenient = unsafe { Decoding::of(core::ptr::null()) }.unwrap();
        let encoding = Encoding::new(percent_simd::RawEncoder::new(percent_simd::ByteSet::EMPTY), 0);
        for rows in [1, 2, 3, 12, 31, 42, 43, 60] {
            // Each `%` is encoded as `%25`, so each row becomes three times as long.
            let (values, offsets) = ([b'%'; 60], core::array::from_fn::<_, 61, _>(|at| Small(at as i8)));
            let offsets = &offsets[..=rows];
            let (mut out, mut ends) = ([MaybeUninit::uninit(); 200], [MaybeUninit::uninit(); 61]);
            let mut call = |codec: &dyn Fn(Rows<'_, Small>, &mut pct_result) -> pct_status| {
                let mut result = pct_result::EMPTY;
                let out_offsets = &mut ends[..=rows];
                (codec(Rows { values: &values, offsets, dst: &mut out, out_offsets }, &mut result), result)
            };
            let fit = rows.min(127 / 3);
            let (status, result) = call(&|rows, result| run_rows(&encoding, rows, result));
            assert_eq!(status, if fit == rows { PCT_OK } else { PCT_BAD_OFFSETS });
            assert_eq!((result.read, result.written, result.needed), (fit, 3 * fit, 0));
            let (status, result) = call(&|rows, result| run_rows(lenient, rows, result));
            assert_eq!((status, result.read, result.written), (PCT_OK, rows, rows));
        }
    }
}
