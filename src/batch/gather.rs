//! Gathers rows until they have a few kilobytes, and runs the kernels over them as over one string.
//!
//! The rows that are encoded or decoded together are called a *gathering*. If a row ends in an incomplete triplet, it
//! is the last row of its gathering. So no triplet is read across the boundary of two rows, and the kernels needn't
//! know about rows. While a kernel runs, it counts the triplets that it writes or decodes before each boundary. This
//! count gives the offset of the boundary in the output.
//!
//! A faulty row causes little extra work: no row is decoded twice. If an error stops the kernel, a search finds the next
//! faulty row, and the kernel goes on with the rows between the two. If the output must be UTF-8, it is checked after
//! the kernel has run. The output of a row that isn't UTF-8 is then replaced, or the row is marked as faulty.

use alloc::{collections::TryReserveError, vec::Vec};

use super::direction::{Direction, RowCoder};
use super::rows::{Nulls, Validity};
use super::{BatchError, Column, Offset, Rows};
use crate::codec::Codec;
use crate::decode::Decoder;
use crate::error::DecodeError;
use crate::isa::BLOCK;
use crate::memory;
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

/// Joins rows to groups (gatherings) of at most `N` rows.
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

/// Rows that are encoded or decoded as one string.
pub(super) struct Gathering<'g, O> {
    /// The number of the first row.
    pub(super) first: usize,
    /// The bytes of all rows.
    pub(super) src: &'g [u8],
    /// The end of each row, as an offset in `src`.
    pub(super) ends: &'g mut [usize],
    /// True if the row after these rows is null. The gatherer skips this row.
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

/// Appends the output of the rows of `src`, from row `first` on, to `out`. Row `first` starts at `start`.
///
/// Row `i` ends at `ends[i]` in `src`, and the last row ends at the end of `src`. Replaces each of `ends` from `first`
/// on by the end of the row's output. If a row is faulty, returns its error. In that case, some of the ends after the
/// error, and the output from the faulty row on, are unspecified.
#[inline]
pub(super) fn run_gathered<C: RowCoder, T: Output>(
    coder: &C,
    src: &[u8],
    (first, start): (usize, usize),
    ends: &mut [usize],
    out: &mut T,
) -> Result<Option<DecodeError>, T::Full> {
    let before = out.bytes().len();
    let codec = coder.codec(src);
    let Some((last, inner)) = ends[first..].split_last_mut() else { return Ok(None) };
    let rest = &src[start..];
    let error = if inner.is_empty() {
        out.append(codec, rest)?.error
    } else {
        out.append_with(codec, rest, |dst| C::run(codec, src, start, dst, inner))?
    };
    if error.is_none() {
        *last = out.bytes().len() - before;
    }
    Ok(error)
}

/// A bit for each row of a gathering.
type RowBits = [u64; ROWS / 64];

/// Returns the index of the first row whose bit is set, from row `row` on.
fn first_set(bits: &RowBits, row: usize) -> Option<usize> {
    let mut from = row;
    bits.iter().enumerate().skip(row / 64).find_map(|(word, bits)| {
        let bits = bits & (!0 << (from % 64));
        from = 0;
        (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize)
    })
}

fn is_set(bits: &RowBits, row: usize) -> bool {
    bits[row / 64] >> (row % 64) & 1 == 1
}

fn set(bits: &mut RowBits, row: usize) {
    bits[row / 64] |= 1 << (row % 64);
}

/// Appends the rows of gatherings, and finds the faulty ones.
pub(super) struct Appender<'l> {
    /// A decoder for a later layer. The rows that it would change are pending.
    later: Option<&'l Decoder>,
    /// The pending rows of the last gathering.
    pending: RowBits,
    /// The faulty rows of the last gathering. A faulty row has no output.
    faulty: RowBits,
    /// A copy of the output of a gathering, made only if the output of a row isn't UTF-8.
    unchecked: Vec<u8>,
}

impl<'l> Appender<'l> {
    pub(super) const fn new(later: Option<&'l Decoder>) -> Appender<'l> {
        Appender { later, pending: [0; _], faulty: [0; _], unchecked: Vec::new() }
    }

    pub(super) fn is_faulty(&self, row: usize) -> bool {
        is_set(&self.faulty, row)
    }

    /// Returns the index of the first faulty row in the last gathering, from row `row` on.
    fn faulty_from(&self, row: usize) -> Option<usize> {
        first_set(&self.faulty, row)
    }

    /// Returns the pending rows of the last gathering.
    pub(super) fn pending_rows(&self) -> impl Iterator<Item = usize> {
        let mut from = 0;
        core::iter::from_fn(move || {
            let row = first_set(&self.pending, from)?;
            from = row + 1;
            Some(row)
        })
    }

    /// Appends the output of the rows of `src` to `out`. Row `i` ends at `ends[i]` in `src`. The end of the row's
    /// output is written to `out_ends[i]`. `number(i)` returns the index of row `i` in the whole batch.
    pub(super) fn append<D: Direction>(
        &mut self,
        direction: &D,
        number: impl Fn(usize) -> usize,
        src: &[u8],
        ends: &[usize],
        out_ends: &mut [usize],
        out: &mut Vec<u8>,
    ) -> Result<(), BatchError> {
        self.faulty = [0; _];
        out_ends.copy_from_slice(ends);
        let (coder, base) = (direction.coder(), out.len());
        let start_of = |row: usize| ends[..row].last().copied().unwrap_or_default();
        // The next run decodes the rows from `rows` up to `limit`.
        let (mut rows, mut limit) = (0, ends.len());
        loop {
            if limit > rows {
                let (first, start, written) = (rows, start_of(rows), out.len() - base);
                let error = run_gathered(coder, &src[..start_of(limit)], (first, start), &mut out_ends[..limit], out)?;
                rows = error.map_or(limit, |error| {
                    let is_before = |end: &&usize| **end <= start + error.offset;
                    first + ends[first..limit].iter().take_while(is_before).count()
                });
                out_ends[first..rows].iter_mut().for_each(|end| *end += written);
            }
            if rows == ends.len() {
                break;
            }
            set(&mut self.faulty, rows);
            if !direction.makes_null() {
                break;
            }
            // The bytes of the faulty row before its error may have produced output. We remove this output.
            let end = out_ends[..rows].last().copied().unwrap_or_default();
            out.truncate(base + end);
            out_ends[rows] = end;
            // Faulty rows are often next to each other. So search for the next one, because a search takes less time than
            // a run that stops. The last run may have changed the ends, so we set them to their offsets in `src` again.
            rows += 1;
            let start = start_of(rows);
            limit = coder
                .first_fault(&src[start..])
                .map_or(ends.len(), |at| rows + ends[rows..].iter().take_while(|&&end| end <= start + at).count());
            out_ends[rows..limit].copy_from_slice(&ends[rows..limit]);
        }
        if let Some(later) = self.later {
            self.find_pending(later, &out[base..], &out_ends[..rows]);
        }
        self.mend(direction, src, &ends[..rows], &mut out_ends[..rows], out, base)?;
        match self.faulty_from(0) {
            Some(row) if !direction.makes_null() => {
                Err(BatchError::Row { row: number(row), error: direction.error_of(row_of(src, ends, row))? })
            }
            _ => Ok(()),
        }
    }

    /// Finds the rows that `later` changes. `output` has the output of all rows.
    fn find_pending(&mut self, later: &Decoder, output: &[u8], ends: &[usize]) {
        self.pending = [0; _];
        let (mut row, mut start) = (0, 0);
        while let Some(found) = later.first_changed(&output[start..]) {
            row += ends[row..].iter().take_while(|&&end| end <= start + found).count();
            // The end of a row and the start of the next row together can look like an escape.
            let (from, end) = (ends[..row].last().copied().unwrap_or_default(), ends[row]);
            if later.first_changed(&output[from..end]).is_some() {
                set(&mut self.pending, row);
            }
            (row, start) = (row + 1, end);
        }
    }

    /// If the batch requires UTF-8, replaces the output of each row that isn't UTF-8, or marks the row as faulty. The
    /// output of the rows starts at offset `base` of `out`.
    fn mend<D: Direction>(
        &mut self,
        direction: &D,
        src: &[u8],
        ends: &[usize],
        out_ends: &mut [usize],
        out: &mut Vec<u8>,
        base: usize,
    ) -> Result<(), TryReserveError> {
        let Some(mut refused) = direction.first_refused(&out[base..], 0, out_ends) else { return Ok(()) };
        let mut unchecked = core::mem::take(&mut self.unchecked);
        unchecked.clear();
        memory::extend(&mut unchecked, &out[base..])?;
        out.truncate(base);
        // The next row, and its offset in `unchecked`.
        let (mut row, mut start) = (0, 0);
        loop {
            // Keep the output of the rows before the refused row.
            if let Some(&stop) = out_ends[row..refused].last() {
                let moved = (out.len() - base).wrapping_sub(start);
                memory::extend(out, &unchecked[start..stop])?;
                out_ends[row..refused].iter_mut().for_each(|end| *end = end.wrapping_add(moved));
                start = stop;
            }
            row = refused;
            let Some(&end) = out_ends.get(row) else { break };
            let mut output = &unchecked[start..end];
            let mut invalid = direction.first_invalid(output);
            // Rows that aren't UTF-8 are often next to each other, so check the next row by itself first.
            while !invalid.is_empty() {
                let is_pending = self.later.is_some() && is_set(&self.pending, row);
                if !direction.append_mended(row_of(src, ends, row), output, invalid, is_pending, out)? {
                    set(&mut self.faulty, row);
                }
                start += output.len();
                out_ends[row] = out.len() - base;
                row += 1;
                output = match out_ends.get(row) {
                    Some(&end) if end - start <= BLOCK => &unchecked[start..end],
                    _ => &[],
                };
                invalid = direction.first_invalid(output);
            }
            refused =
                direction.first_refused(&unchecked, start, &out_ends[row..]).map_or(ends.len(), |next| row + next);
        }
        self.unchecked = unchecked;
        Ok(())
    }
}

/// Returns the bytes of row `row` of `src`.
fn row_of<'s>(src: &'s [u8], ends: &[usize], row: usize) -> &'s [u8] {
    &src[ends[..row].last().copied().unwrap_or_default()..ends[row]]
}

/// Appends the output of the rows to `out`. After an error, `out` is unchanged. Returns the numbers of the rows of the batch
/// that `later` would change.
pub(super) fn run<D: Direction, O: Offset>(
    direction: &D,
    later: Option<&Decoder>,
    rows: Rows<'_, O>,
    out: &mut Column<O>,
) -> Result<Vec<usize>, BatchError> {
    let (there, had_bits) = (out.offsets.len().saturating_sub(1), out.validity.is_some());
    let mut validity = match Validity::after(out.validity.take(), there) {
        Ok(validity) => validity,
        Err(bits) => {
            out.validity = bits;
            return Err(BatchError::Output);
        }
    };
    let (values_len, offsets_len) = (out.values.len(), out.offsets.len());
    let result = append_rows(direction, later, rows, &mut out.values, &mut out.offsets, &mut validity);
    if result.is_err() {
        out.values.truncate(values_len);
        out.offsets.truncate(offsets_len);
    }
    out.validity = if result.is_ok() { validity.finish() } else { validity.truncated(there, had_bits) };
    result
}

fn append_rows<D: Direction, O: Offset>(
    direction: &D,
    later: Option<&Decoder>,
    rows: Rows<'_, O>,
    out: &mut Vec<u8>,
    out_offsets: &mut Vec<O>,
    validity: &mut Validity,
) -> Result<Vec<usize>, BatchError> {
    let offset = |len: usize, row: usize| O::try_from(len).map_err(|_| BatchError::TooLong(row));
    let Some(mut gatherer) = Gatherer::<_, _, ROWS>::new(direction.coder(), rows)? else { return Ok(Vec::new()) };
    let nulls = gatherer.nulls;
    out_offsets.try_reserve(rows.offsets.len())?;
    match out_offsets.last() {
        Some(last) if at(*last) != Some(out.len()) => return Err(BatchError::Output),
        Some(_) => {}
        None => out_offsets.push(offset(out.len(), 0)?),
    }
    let mut appender = Appender::new(later);
    let mut pending = Vec::new();
    let mut out_ends = [0; ROWS];
    while let Some(gathering) = gatherer.next()? {
        let Gathering { first, src, ref ends, null_follows, .. } = gathering;
        let (n, base) = (ends.len(), out.len());
        let out_ends = &mut out_ends[..n];
        appender.append(direction, |row| first + row, src, ends, out_ends, out)?;
        if n > 0 {
            let last = offset(out.len(), first + n - 1)?;
            // `last` fits the type of the offsets, and no other offset is larger. So the conversion never fails.
            out_offsets.extend(out_ends.iter().map(|end| O::try_from(base + *end).unwrap_or(last)));
        }
        for row in appender.pending_rows() {
            memory::extend(&mut pending, &[first + row])?;
        }
        let mut row = 0;
        while let Some(faulty) = appender.faulty_from(row) {
            if faulty > row {
                validity.push_input(nulls, first + row, faulty - row)?;
            }
            validity.push(false)?;
            row = faulty + 1;
        }
        validity.push_input(nulls, first + row, n - row)?;
        if null_follows {
            validity.push(false)?;
            out_offsets.push(offset(out.len(), first + n)?);
        }
    }
    Ok(pending)
}
