//! Writes rows to the caller's slices, without allocation.

use core::mem::MaybeUninit;

use super::direction::RowCoder;
use super::gather::{FEW_ROWS, Gatherer, Gathering, ROWS, run_gathered};
use super::{Offset, Rows};
use crate::decode::CheckedDecoder;
use crate::encode::RawEncoder;
use crate::output::Cell;
use crate::sink::{Output, SliceOutput, is_unchanged};

/// The progress of a batch into slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchProgress {
    /// The number of rows written. These are all rows, or the rows before the first row that could not be written.
    pub rows: usize,
    /// The number of bytes written to the front of the output.
    pub written: usize,
    /// True if the output of one of these rows differs from the row.
    pub changed: bool,
}

/// Encodes row after row to the front of `out`. Writes 0 and then the end of each encoded row to `out_offsets`.
///
/// Stops before the first row that fails for one of these reasons:
///
/// - Its offsets aren't ascending, or aren't within the values.
/// - `out` or `out_offsets` has no space for the encoded row.
/// - The type of the offsets can't hold the end of the encoded row.
///
/// To get the reason, encode the row by itself. The bytes of `out` after the written ones are unspecified.
pub fn encode_batch_uninit<O: Offset>(
    encoder: &RawEncoder,
    values: &[u8],
    offsets: &[O],
    out: &mut [Cell],
    out_offsets: &mut [MaybeUninit<O>],
) -> BatchProgress {
    write(encoder, Rows::new(values, offsets), out, out_offsets)
}

/// Does the same as [`encode_batch_uninit`], but decodes. Also stops before the first faulty row.
pub fn decode_batch_uninit<O: Offset>(
    decoder: &CheckedDecoder,
    values: &[u8],
    offsets: &[O],
    out: &mut [Cell],
    out_offsets: &mut [MaybeUninit<O>],
) -> BatchProgress {
    write(decoder, Rows::new(values, offsets), out, out_offsets)
}

/// Writes the output of the rows to `out`, and the ends of the output rows to `out_offsets`, up to the first row that
/// fails.
#[inline]
fn write<C: RowCoder, O: Offset>(
    coder: &C,
    rows: Rows<'_, O>,
    out: &mut [Cell],
    out_offsets: &mut [MaybeUninit<O>],
) -> BatchProgress {
    if rows.offsets.len() <= FEW_ROWS {
        write_rows::<C, O, FEW_ROWS>(coder, rows, out, out_offsets)
    } else {
        write_rows::<C, O, ROWS>(coder, rows, out, out_offsets)
    }
}

/// Does the work of [`write`]. Encodes or decodes groups of up to `N` rows together.
fn write_rows<C: RowCoder, O: Offset, const N: usize>(
    coder: &C,
    rows: Rows<'_, O>,
    out: &mut [Cell],
    out_offsets: &mut [MaybeUninit<O>],
) -> BatchProgress {
    let mut done = BatchProgress { rows: 0, written: 0, changed: false };
    let Some((first, out_offsets)) = out_offsets.split_first_mut() else { return done };
    let Ok(zero) = O::try_from(0) else { return done };
    // The caller reads this offset even if no row is written.
    first.write(zero);
    let Ok(Some(mut gatherer)) = Gatherer::<_, _, N>::new(coder, rows) else { return done };
    let mut out = SliceOutput::new(out);
    while let Ok(Some(mut gathering)) = gatherer.next() {
        let Gathering { src, ref mut ends, .. } = gathering;
        let (n, base) = (ends.len(), out.bytes().len());
        let spaces = out_offsets.get_mut(done.rows..).and_then(|rest| rest.get_mut(..n));
        if let (Some(spaces), Ok(None)) = (spaces, run_gathered(coder, src, (0, 0), ends, &mut out))
            && let Ok(last) = O::try_from(out.bytes().len())
        {
            for (space, end) in spaces.iter_mut().zip(ends.iter()) {
                // `last` fits the type of the offsets, and this offset isn't larger. So the conversion never fails.
                space.write(O::try_from(base + end).unwrap_or(last));
            }
            done.add(coder, n, src, &out);
            continue;
        }
        out.truncate(base);
        for row in gathering.rows() {
            let error = out.append(coder.codec(row), row).map(|result| result.error);
            let end = O::try_from(out.bytes().len());
            let (Ok(None), Ok(end), Some(space)) = (error, end, out_offsets.get_mut(done.rows)) else { return done };
            space.write(end);
            done.add(coder, 1, row, &out);
        }
    }
    done
}

impl BatchProgress {
    /// Counts `rows` more rows, whose bytes are `src`. Their output is at the end of `out`.
    #[inline]
    fn add<C: RowCoder>(&mut self, coder: &C, rows: usize, src: &[u8], out: &SliceOutput<'_>) {
        self.rows += rows;
        self.changed = self.changed || !is_unchanged(&coder.codec(src), src, &out.bytes()[self.written..]);
        self.written = out.bytes().len();
    }
}
