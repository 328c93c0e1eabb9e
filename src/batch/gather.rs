//! Gathers rows up to a few kilobytes, and runs the kernels over them as over one string.
//! If a row ends in an incomplete triplet, the gathering ends with it: so no triplet is read across
//! a boundary, and the kernels need not know of rows. A visitor counts, up to each boundary, the bytes that grow or
//! shrink: that tells where it is in the output.
//!
//! If a gathered row is at fault, each of these rows is done once more, by itself.

use alloc::{collections::TryReserveError, vec::Vec};

use super::direction::Direction;
use super::rows::{Nulls, Validity};
use super::{BatchError, Column, Offset, Rows};
use crate::codec::Codec;
use crate::sink;

/// Bytes that are gathered at most; a row with more goes by itself.
pub(super) const GATHER: usize = if cfg!(fuzzing) { 100 } else { 8 * 1024 };
/// Rows that are gathered at most.
pub(super) const ROWS: usize = 512;

/// Whether `row` may be gathered with others behind it.
#[inline]
pub(super) fn may_precede<D: Direction>(direction: &D, any: D::Codec<'_>, row: &[u8]) -> bool {
    direction.is_uniform() && any.decided_len(row) == row.len()
}

/// Appends what the rows of `src` become to `out`. Row `i` ends in `src` at `ends[i]`, the last one where `src` does; in what
/// was appended it then ends at `out_ends[i]`. Returns `false`, with `out` as it was, if a row must be done by itself.
pub(super) fn append_gathered<D: Direction>(
    direction: &D,
    src: &[u8],
    ends: &[usize],
    out_ends: &mut [usize],
    out: &mut Vec<u8>,
) -> Result<bool, TryReserveError> {
    let before = out.len();
    let codec = direction.codec(src);
    let (last, inner) = match out_ends.split_last_mut() {
        Some(split) => split,
        None => return Ok(true),
    };
    let error = if inner.is_empty() {
        sink::append(codec, src, out)?.error
    } else {
        inner.copy_from_slice(&ends[..inner.len()]);
        sink::append_with(codec, src, out, |src, dst| D::run(codec, src, dst, inner))?
    };
    if error.is_none() {
        for (end, hits) in ends.iter().zip(&mut *inner) {
            *hits = D::resized(*end, *hits);
        }
        *last = out.len() - before;
        if direction.accepts(&out[before..], inner) {
            return Ok(true);
        }
    }
    out.truncate(before);
    Ok(false)
}

/// Appends what `row` becomes to `out`. Returns whether it is valid; the error is that of row `number`.
pub(super) fn append_one<D: Direction>(
    direction: &D,
    row: &[u8],
    number: usize,
    out: &mut Vec<u8>,
) -> Result<bool, BatchError> {
    if direction.append_row(row, out)? {
        return Ok(true);
    }
    match direction.error_of(row)? {
        Some(error) => Err(BatchError::Row { row: number, error }),
        None => Ok(false),
    }
}

/// Appends what the rows become to `out`. After an error that is as it was.
pub(super) fn run<D: Direction, O: Offset>(
    direction: &D,
    rows: Rows<'_, O>,
    out: &mut Column<O>,
) -> Result<(), BatchError> {
    let (there, had_bits) = (out.offsets.len().saturating_sub(1), out.validity.is_some());
    let mut validity = match Validity::after(out.validity.take(), there) {
        Ok(validity) => validity,
        Err(bits) => {
            out.validity = bits;
            return Err(BatchError::Output);
        }
    };
    let (values_len, offsets_len) = (out.values.len(), out.offsets.len());
    let result = append_rows(direction, rows, &mut out.values, &mut out.offsets, &mut validity);
    if result.is_err() {
        out.values.truncate(values_len);
        out.offsets.truncate(offsets_len);
    }
    out.validity = if result.is_ok() { validity.finish() } else { validity.truncated(there, had_bits) };
    result
}

/// Appends what rows without nulls become to `out`, and where they end to `out_offsets`. After an error both are as they were.
pub(super) fn run_without_nulls<D: Direction, O: Offset>(
    direction: &D,
    values: &[u8],
    offsets: &[O],
    out: &mut Vec<u8>,
    out_offsets: &mut Vec<O>,
) -> Result<(), BatchError> {
    let mut column = Column { values: core::mem::take(out), offsets: core::mem::take(out_offsets), validity: None };
    let result = run(direction, Rows::new(values, offsets), &mut column);
    (*out, *out_offsets) = (column.values, column.offsets);
    result
}

fn append_rows<D: Direction, O: Offset>(
    direction: &D,
    rows: Rows<'_, O>,
    out: &mut Vec<u8>,
    out_offsets: &mut Vec<O>,
    validity: &mut Validity,
) -> Result<(), BatchError> {
    let Rows { values, offsets, .. } = rows;
    let Some((first, ends)) = offsets.split_first() else { return Ok(()) };
    let at = |offset: O| offset.try_into().ok();
    let offset = |len: usize, row: usize| O::try_from(len).map_err(|_| BatchError::TooLong(row));
    let nulls = Nulls::new(rows.validity, ends.len())?;
    let mut start: usize = at(*first).filter(|&start| start <= values.len()).ok_or(BatchError::Offset(0))?;
    out_offsets.try_reserve(offsets.len())?;
    match out_offsets.last() {
        Some(last) if at(*last) != Some(out.len()) => return Err(BatchError::Output),
        Some(_) => {}
        None => out_offsets.push(offset(out.len(), 0)?),
    }
    let any = direction.codec(&[]);
    let (mut gathered_ends, mut new_ends) = ([0; ROWS], [0; ROWS]);
    let mut row = 0;
    while row < ends.len() {
        // Gather `n` rows from `row` on, which are the bytes `start..end`.
        let (mut n, mut end) = (0, start);
        let mut skipped = None;
        for &stop in ends[row..].iter().take(ROWS) {
            let stop = at(stop).filter(|&stop: &usize| end <= stop && stop <= values.len());
            let stop = stop.ok_or(BatchError::Offset(row + n + 1))?;
            if stop > end && nulls.contains(row + n) {
                skipped = Some(stop);
                break;
            }
            if n > 0 && stop - start > GATHER {
                break;
            }
            let is_last = !may_precede(direction, any, &values[end..stop]);
            gathered_ends[n] = stop - start;
            (n, end) = (n + 1, stop);
            if is_last {
                break;
            }
        }
        let (src, base) = (&values[start..end], out.len());
        let (gathered_ends, new_ends) = (&gathered_ends[..n], &mut new_ends[..n]);
        if append_gathered(direction, src, gathered_ends, new_ends, out)? {
            if n > 0 {
                let last = offset(out.len(), row + n - 1)?;
                // The others are not beyond the last one, which has been found to fit.
                out_offsets.extend(new_ends.iter().map(|end| O::try_from(base + end).unwrap_or(last)));
            }
            validity.push_input(nulls, row, n)?;
        } else {
            let mut from = 0;
            for (number, &to) in (row..).zip(gathered_ends) {
                let is_valid = !nulls.contains(number) && append_one(direction, &src[from..to], number, out)?;
                validity.push(is_valid)?;
                out_offsets.push(offset(out.len(), number)?);
                from = to;
            }
        }
        (row, start) = (row + n, end);
        if let Some(end) = skipped {
            validity.push(false)?;
            out_offsets.push(offset(out.len(), row)?);
            (row, start) = (row + 1, end);
        }
    }
    Ok(())
}
