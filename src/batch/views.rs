//! Encodes or decodes rows given as views. A view has 16 bytes: the length of the row, and then either the row itself,
//! or the place of the row in a buffer.

use alloc::vec::Vec;

use super::BatchError;
use super::direction::{Direction, RowCoder};
use super::gather::{Appender, GATHER, ROWS, may_precede};
use super::rows::{Bitmap, Nulls, Validity};
use crate::decode::Decoder;
use crate::memory;

/// The length of the longest row that is stored in its view, in bytes.
const INLINE: usize = 12;
/// If the last buffer has at least this many bytes, new values go to a new buffer. So all offsets fit in 32 bits.
const BUFFER: usize = if cfg!(fuzzing) { 300 } else { 1 << 24 };

/// Rows to encode or decode, as Arrow's views.
///
/// A view is 16 bytes in little-endian order. The first 4 bytes are the length of the row. For a row of up to 12 bytes,
/// the other 12 bytes are the row, padded with zeros. For a longer row, the other 12 bytes are three parts of 4 bytes:
/// the first bytes of the row, the index of its buffer, and its offset in this buffer.
///
/// # Examples
///
/// ```
/// use percent_simd::internal::Views;
///
/// let buffer = b"/100%25%20escaped";
/// let views = [3 | u128::from_le_bytes(*b"\0\0\0\0%41\0\0\0\0\0\0\0\0\0"), 17 | 0x30_30_31_2F << 32];
/// let decoded = percent_simd::Decoder::new().batch().run_views(Views::new(&views, &[buffer]))?;
/// // New values are in new buffers, whose indices follow the indices of the input buffers.
/// assert_eq!(decoded.buffers, [b"/100% escaped"]);
/// assert_eq!(decoded.views, [1 | 0x41 << 32, 13 | 0x30_30_31_2F << 32 | 1 << 64]);
/// # Ok::<(), percent_simd::BatchError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Views<'a> {
    views: &'a [u128],
    buffers: &'a [&'a [u8]],
    validity: Option<Bitmap<'a>>,
}

impl<'a> Views<'a> {
    /// Takes a view for each row, and the buffers to which the views refer.
    #[must_use]
    pub const fn new(views: &'a [u128], buffers: &'a [&'a [u8]]) -> Views<'a> {
        Views { views, buffers, validity: None }
    }

    /// Sets the bitmap of valid rows. The views of nulls are never read.
    #[must_use]
    pub const fn with_validity(mut self, validity: Bitmap<'a>) -> Views<'a> {
        self.validity = Some(validity);
        self
    }
}

/// Encoded or decoded rows as views.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewColumn {
    /// A view for each row. If the row doesn't change, this is its view in the input. If the row is null, the view is
    /// 0.
    pub views: Vec<u128>,
    /// The buffers of changed rows. Their indices follow the indices of the input's buffers.
    pub buffers: Vec<Vec<u8>>,
    /// A bit for each row, the least significant bit of a byte first: 1 if the row is valid, 0 if it is null. `None` if
    /// no row is null.
    pub validity: Option<Vec<u8>>,
}

/// Returns the row of `view`, or `None` if the row isn't within `buffers`. `inline` has the bytes of the view.
#[inline]
fn row_of<'v>(view: u128, inline: &'v [u8; 16], buffers: &'v [&[u8]]) -> Option<&'v [u8]> {
    let len = view as u32 as usize;
    if len <= INLINE {
        return Some(&inline[4..4 + len]);
    }
    let (buffer, offset) = ((view >> 64) as u32 as usize, (view >> 96) as usize);
    buffers.get(buffer)?.get(offset..)?.get(..len)
}

/// Returns the view of `row`. A long row is in `buffer` at `offset`.
#[inline]
fn view_of(row: &[u8], buffer: u32, offset: u32) -> Option<u128> {
    let len = u128::from(u32::try_from(row.len()).ok()?);
    let mut bytes = [0; 16];
    if row.len() <= INLINE {
        bytes[4..4 + row.len()].copy_from_slice(row);
        return Some(u128::from_le_bytes(bytes) | len);
    }
    bytes[4..8].copy_from_slice(&row[..4]);
    Some(u128::from_le_bytes(bytes) | len | u128::from(buffer) << 64 | u128::from(offset) << 96)
}

/// Consecutive rows that are next to each other in a buffer, so that one call can check all of them.
///
/// In most columns, few rows change. So one call for a group takes less time than a call for each row.
struct Group<'v> {
    /// The number of the row after the group.
    end: usize,
    /// The bytes of all rows.
    bytes: &'v [u8],
    /// True if no row changes. If false, a row possibly changes.
    is_clean: bool,
}

impl<'v> Group<'v> {
    /// Finds and checks the group that begins with row number `first`. This row has the bytes `row`, and isn't null.
    fn from<D: Direction>(
        direction: &D,
        rows: Views<'v>,
        nulls: Nulls<'_>,
        first: usize,
        row: &'v [u8],
        shared: <D::Coder as RowCoder>::Codec<'_>,
    ) -> Group<'v> {
        let view = rows.views[first];
        let mut end = first + 1;
        if row.len() <= INLINE {
            return Group { end, bytes: row, is_clean: false };
        }
        let mut last = row;
        let (buffer, start) = ((view >> 64) as u32, (view >> 96) as usize);
        let rest = &rows.buffers[buffer as usize][start..];
        let mut len = last.len();
        for (number, &view) in rows.views.iter().enumerate().skip(end) {
            let row_len = view as u32 as usize;
            let follows = row_len > INLINE
                && (view >> 64) as u32 == buffer
                && (view >> 96) as usize == start + len
                && len < GATHER;
            // No triplet may begin in one row and end in the next.
            if !follows || nulls.contains(number) || !may_precede(direction.coder(), shared, last) {
                break;
            }
            let Some(row) = rest[len..].get(..row_len) else { break };
            last = row;
            len += row_len;
            end = number + 1;
        }
        let bytes = &rest[..len];
        Group { end, bytes, is_clean: end > first + 1 && direction.is_clean(bytes) }
    }
}

/// The state of a batch of views. Rows that possibly change are copied one after another, and encoded or decoded as one
/// string.
struct Gathering<'r, D> {
    direction: &'r D,
    rows: Views<'r>,
    column: ViewColumn,
    validity: Validity,
    /// The last buffer of new values.
    out: Vec<u8>,
    /// The bytes of the gathered rows, one row after another.
    src: Vec<u8>,
    /// The end of each gathered row in `src`.
    ends: Vec<usize>,
    /// The number of each gathered row.
    numbers: Vec<usize>,
    out_ends: [usize; ROWS],
    appender: Appender<'r>,
    /// The numbers of the pending rows.
    pending: Vec<usize>,
    /// The indices of the faulty rows that have become null, in ascending order.
    made_null: Vec<usize>,
}

/// Encodes or decodes the rows. Also returns the numbers of the rows that `later` would change.
pub(super) fn run<D: Direction>(
    direction: &D,
    later: Option<&Decoder>,
    rows: Views<'_>,
) -> Result<(ViewColumn, Vec<usize>), BatchError> {
    let nulls = Nulls::new(rows.validity, rows.views.len())?;
    let mut column = ViewColumn::default();
    column.views.try_reserve_exact(rows.views.len())?;
    let validity = Validity::after(None, 0).map_err(|_| BatchError::Output)?;
    let mut gathering = Gathering {
        direction,
        rows,
        column,
        validity,
        out: Vec::new(),
        src: Vec::new(),
        ends: Vec::new(),
        numbers: Vec::new(),
        out_ends: [0; ROWS],
        appender: Appender::new(later),
        pending: Vec::new(),
        made_null: Vec::new(),
    };
    let shared = direction.coder().codec(&[]);
    let mut number = 0;
    while number < rows.views.len() {
        if nulls.contains(number) {
            gathering.column.views.push(0);
            number += 1;
            continue;
        }
        let view = rows.views[number];
        let inline = view.to_le_bytes();
        let first = row_of(view, &inline, rows.buffers).ok_or(BatchError::View(number))?;
        let group = Group::from(direction, rows, nulls, number, first, shared);
        let views = &rows.views[number..group.end];
        gathering.column.views.extend_from_slice(views);
        if !group.is_clean {
            let mut rest = group.bytes;
            for (number, &view) in (number..).zip(views) {
                let (row, after) = rest.split_at(view as u32 as usize);
                rest = after;
                if !direction.is_clean(row) {
                    gathering.gather(number, row, shared)?;
                }
            }
        }
        number = group.end;
    }
    gathering.flush()?;
    gathering.finish(nulls)
}

impl<'r, D: Direction> Gathering<'r, D> {
    /// Adds row `number`, which may change.
    fn gather(
        &mut self,
        number: usize,
        row: &[u8],
        shared: <D::Coder as RowCoder>::Codec<'_>,
    ) -> Result<(), BatchError> {
        if self.ends.len() == ROWS || self.src.len() + row.len() > GATHER {
            self.flush()?;
        }
        self.src.try_reserve(row.len())?;
        self.ends.try_reserve(1)?;
        self.numbers.try_reserve(1)?;
        self.src.extend_from_slice(row);
        self.ends.push(self.src.len());
        self.numbers.push(number);
        if may_precede(self.direction.coder(), shared, row) { Ok(()) } else { self.flush() }
    }

    /// Encodes or decodes the gathered rows.
    fn flush(&mut self) -> Result<(), BatchError> {
        let n = self.ends.len();
        if n == 0 {
            return Ok(());
        }
        if self.out.len() >= BUFFER {
            self.end_buffer()?;
        }
        let base = self.out.len();
        // The end of the kept values. Two kinds of values are dropped: unchanged values, and short values, which are
        // stored in their views.
        let mut kept = base;
        let out_ends = &mut self.out_ends[..n];
        let numbers = &self.numbers;
        self.appender.append(self.direction, |row| numbers[row], &self.src, &self.ends, out_ends, &mut self.out)?;
        let (mut from, mut start) = (0, base);
        for row in 0..n {
            let (to, stop) = (self.ends[row], base + self.out_ends[row]);
            let number = self.numbers[row];
            if self.appender.is_faulty(row) {
                self.column.views[number] = 0;
                self.made_null.try_reserve(1)?;
                self.made_null.push(number);
            } else {
                kept = self.place(number, from..to, start..stop, kept)?;
            }
            (from, start) = (to, stop);
        }
        for row in self.appender.pending_rows() {
            memory::extend(&mut self.pending, &[self.numbers[row]])?;
        }
        self.out.truncate(kept);
        self.src.clear();
        self.ends.clear();
        self.numbers.clear();
        Ok(())
    }

    /// Makes the view of row `number`. `src` is the range of the row's input, and `new` is the range of its output.
    ///
    /// If the output is too long for the view, moves the output to offset `kept` of the last buffer. Returns the new
    /// end of the kept values.
    fn place(
        &mut self,
        number: usize,
        src: core::ops::Range<usize>,
        new: core::ops::Range<usize>,
        kept: usize,
    ) -> Result<usize, BatchError> {
        let bytes = &self.out[new.clone()];
        if self.src[src] == *bytes {
            return Ok(kept);
        }
        let buffer = self.rows.buffers.len() + self.column.buffers.len();
        let at = u32::try_from(buffer).ok().zip(u32::try_from(kept).ok());
        let view = at.and_then(|(buffer, offset)| view_of(bytes, buffer, offset));
        self.column.views[number] = view.ok_or(BatchError::TooLong(number))?;
        if new.len() <= INLINE {
            return Ok(kept);
        }
        let end = kept + new.len();
        self.out.copy_within(new, kept);
        Ok(end)
    }

    /// Begins a new buffer.
    fn end_buffer(&mut self) -> Result<(), BatchError> {
        self.column.buffers.try_reserve(1)?;
        self.column.buffers.push(core::mem::take(&mut self.out));
        Ok(())
    }

    fn finish(mut self, nulls: Nulls<'_>) -> Result<(ViewColumn, Vec<usize>), BatchError> {
        if !self.out.is_empty() {
            self.end_buffer()?;
        }
        let mut next = 0;
        for &number in &self.made_null {
            self.validity.push_input(nulls, next, number - next)?;
            self.validity.push(false)?;
            next = number + 1;
        }
        self.validity.push_input(nulls, next, self.column.views.len() - next)?;
        self.column.validity = self.validity.finish();
        Ok((self.column, self.pending))
    }
}
