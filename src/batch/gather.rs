//! Gathers rows until they have a few kilobytes, and runs the kernels over them as over one string.
//!
//! The rows that run together are called a *gathering*. If a row ends in an incomplete triplet, it is the last row of
//! its gathering. So no triplet is read across the boundary of two rows, and the kernels needn't know about rows. A
//! visitor counts the triplets that are written or decoded before each boundary. This count gives the offset of the
//! boundary in the output.
//!
//! If a gathered row is faulty, the rows of the gathering run again, one by one.

use alloc::{collections::TryReserveError, vec::Vec};

use super::direction::{Direction, RowCoder};
use super::rows::{Nulls, Validity};
use super::{BatchError, Column, Offset, Rows};
use crate::codec::Codec;
use crate::sink::Output;

/// The maximum number of gathered bytes. A longer row isn't gathered with other rows.
pub(super) const GATHER: usize = if cfg!(fuzzing) { 100 } else { 8 * 1024 };
/// The maximum number of gathered rows.
pub(super) const ROWS: usize = 512;
/// A batch with at most this many rows uses a smaller gatherer, which takes less time to set up.
pub(super) const FEW_ROWS: usize = 32;

/// Returns true if other rows may be gathered after `row`.
#[inline]
pub(super) fn may_precede<C: RowCoder>(coder: &C, shared: C::Codec<'_>, row: &[u8]) -> bool {
    coder.is_uniform() && shared.settled_prefix_len(row) == row.len()
}

/// Walks over rows in gatherings of at most `N` rows.
pub(super) struct Gatherer<'a, C: RowCoder, O, const N: usize> {
    coder: &'a C,
    /// The codec for all rows, if they are uniform.
    shared: C::Codec<'a>,
    values: &'a [u8],
    /// The ends of all rows.
    ends: &'a [O],
    nulls: Nulls<'a>,
    /// The number of the next row.
    row: usize,
    /// The offset of the next row in `values`.
    start: usize,
    gathered_ends: [usize; N],
}

/// Rows to run as one string.
pub(super) struct Gathering<'g, O> {
    /// The number of the first row.
    pub(super) first: usize,
    /// The bytes of all rows.
    pub(super) src: &'g [u8],
    /// The end of each row, as an offset in `src`.
    pub(super) ends: &'g mut [usize],
    /// True if the next row is null, and was left out.
    pub(super) null_follows: bool,
    /// The start of the first row, as an offset in the values of the whole array.
    start: usize,
    /// The end of each row, as an offset in the values of the whole array.
    stops: &'g [O],
}

impl<'g, O: Offset> Gathering<'g, O> {
    /// Returns the rows, even after `ends` has been overwritten.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'g [u8]> {
        let (src, start) = (self.src, self.start);
        let mut from = 0;
        self.stops.iter().map(move |&stop| {
            let to = at(stop).unwrap_or(start) - start;
            let row = &src[from..to];
            from = to;
            row
        })
    }
}

fn at<O: Offset>(offset: O) -> Option<usize> {
    offset.try_into().ok()
}

impl<'a, C: RowCoder, O: Offset, const N: usize> Gatherer<'a, C, O, N> {
    /// Returns a gatherer at the first row, or `None` if there are no offsets.
    #[inline]
    pub(super) fn new(coder: &'a C, rows: Rows<'a, O>) -> Result<Option<Self>, BatchError> {
        let Rows { values, offsets, validity } = rows;
        let Some((&first, ends)) = offsets.split_first() else { return Ok(None) };
        let nulls = Nulls::new(validity, ends.len())?;
        let start = at(first).filter(|&start| start <= values.len()).ok_or(BatchError::Offset(0))?;
        let (shared, gathered_ends) = (coder.codec(&[]), [0; _]);
        Ok(Some(Gatherer { coder, shared, values, ends, nulls, row: 0, start, gathered_ends }))
    }

    /// Gathers the next rows. Returns `None` after the last row.
    #[inline]
    pub(super) fn next(&mut self) -> Result<Option<Gathering<'_, O>>, BatchError> {
        let Gatherer { values, start, row: first, .. } = *self;
        if first == self.ends.len() {
            return Ok(None);
        }
        // Gather `n` rows with the bytes `start..end`.
        let (mut n, mut end) = (0, start);
        let mut skipped = None;
        for (&stop, gathered_end) in self.ends[first..].iter().zip(&mut self.gathered_ends) {
            let Some(stop) = at(stop).filter(|&stop: &usize| end <= stop && stop <= values.len()) else {
                if n > 0 {
                    break;
                }
                return Err(BatchError::Offset(first + 1));
            };
            if stop > end && self.nulls.contains(first + n) {
                skipped = Some(stop);
                break;
            }
            if n > 0 && stop - start > GATHER {
                break;
            }
            let is_last = !may_precede(self.coder, self.shared, &values[end..stop]);
            *gathered_end = stop - start;
            (n, end) = (n + 1, stop);
            if is_last {
                break;
            }
        }
        (self.row, self.start) = (first + n, end);
        if let Some(end) = skipped {
            (self.row, self.start) = (self.row + 1, end);
        }
        let (src, ends, stops) = (&values[start..end], &mut self.gathered_ends[..n], &self.ends[first..first + n]);
        Ok(Some(Gathering { first, src, ends, null_follows: skipped.is_some(), start, stops }))
    }
}

/// Appends the output of the rows of `src` to `out`.
///
/// Row `i` ends at `ends[i]` in `src`, and the last row ends with `src`. Each end is replaced by the end in the
/// appended output. Returns false and leaves `out` unchanged if the rows must run one by one.
#[inline]
pub(super) fn run_gathered<C: RowCoder, T: Output>(
    coder: &C,
    src: &[u8],
    ends: &mut [usize],
    out: &mut T,
) -> Result<bool, T::Full> {
    let before = out.bytes().len();
    let codec = coder.codec(src);
    let Some((last, inner)) = ends.split_last_mut() else { return Ok(true) };
    let error = if inner.is_empty() {
        out.append(codec, src)?.error
    } else {
        out.append_with(codec, src, |dst| C::run(codec, src, dst, inner))?
    };
    if error.is_some() {
        out.truncate(before);
        return Ok(false);
    }
    *last = out.bytes().len() - before;
    Ok(true)
}

/// Appends like [`run_gathered`]. Also returns false if the output doesn't meet the options of the batch.
pub(super) fn append_gathered<D: Direction>(
    direction: &D,
    src: &[u8],
    ends: &mut [usize],
    out: &mut Vec<u8>,
) -> Result<bool, TryReserveError> {
    let before = out.len();
    if !run_gathered(direction.coder(), src, ends, out)? {
        return Ok(false);
    }
    let inner = ends.len().saturating_sub(1);
    if direction.accepts(&out[before..], &ends[..inner]) {
        return Ok(true);
    }
    out.truncate(before);
    Ok(false)
}

/// Appends the output of row `number` to `out`. Returns false if the row becomes null.
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

/// Appends the output of the rows to `out`. After an error, `out` is unchanged.
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

/// Appends the output of rows without nulls to `out`, and their ends to `out_offsets`. After an error both are
/// unchanged.
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
    let offset = |len: usize, row: usize| O::try_from(len).map_err(|_| BatchError::TooLong(row));
    let Some(mut gatherer) = Gatherer::<_, _, ROWS>::new(direction.coder(), rows)? else { return Ok(()) };
    let nulls = gatherer.nulls;
    out_offsets.try_reserve(rows.offsets.len())?;
    match out_offsets.last() {
        Some(last) if at(*last) != Some(out.len()) => return Err(BatchError::Output),
        Some(_) => {}
        None => out_offsets.push(offset(out.len(), 0)?),
    }
    while let Some(mut gathering) = gatherer.next()? {
        let Gathering { first, src, ref mut ends, null_follows, .. } = gathering;
        let (n, base) = (ends.len(), out.len());
        if append_gathered(direction, src, ends, out)? {
            if n > 0 {
                let last = offset(out.len(), first + n - 1)?;
                // `last` fits the type of the offsets, and no other offset is larger.
                out_offsets.extend(ends.iter().map(|end| O::try_from(base + end).unwrap_or(last)));
            }
            validity.push_input(nulls, first, n)?;
        } else {
            for (number, row) in (first..).zip(gathering.rows()) {
                let is_valid = !nulls.contains(number) && append_one(direction, row, number, out)?;
                validity.push(is_valid)?;
                out_offsets.push(offset(out.len(), number)?);
            }
        }
        if null_follows {
            validity.push(false)?;
            out_offsets.push(offset(out.len(), first + n)?);
        }
    }
    Ok(())
}
