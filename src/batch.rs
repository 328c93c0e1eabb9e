//! Many strings in one call, as values and offsets (the layout of Apache Arrow's variable-size binary).
//!
//! Rows are gathered until a few kilobytes of them stand together, and the kernels run over those as over one string.
//! Where a row ends in what more bytes could make a triplet, the gathering ends with it: so no triplet is read across
//! a boundary, and the kernels need not know of rows. A visitor counts, up to each boundary, the bytes that grow or
//! shrink: that tells where it is in the output.
#![forbid(unsafe_code)]

use alloc::{collections::TryReserveError, vec::Vec};
use core::fmt;
use core::mem::MaybeUninit;

use crate::codec::{Codec, Decoding, Encoding};
use crate::decode::{CheckedDecoder, DecodeOptions, Decoder, Plus};
use crate::encode::{Encoder, RawEncoder};
use crate::error::DecodeError;
use crate::kernel::Progress;
use crate::sink;

/// Bytes that are gathered at most; a row with more goes by itself.
const GATHER: usize = if cfg!(fuzzing) { 100 } else { 8 * 1024 };
/// Rows that are gathered at most.
const ROWS: usize = 512;

/// A type of offsets: `i32` and `i64`, as Arrow has them, `u32`, `u64` and `usize`.
pub trait Offset: Copy + sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        fn get(self) -> Option<usize>;
        fn new(offset: usize) -> Option<Self>
        where
            Self: Sized;
    }
}

macro_rules! offsets {
    ($($type:ty)*) => {
        $(impl sealed::Sealed for $type {
            #[inline]
            fn get(self) -> Option<usize> {
                usize::try_from(self).ok()
            }

            #[inline]
            fn new(offset: usize) -> Option<$type> {
                <$type>::try_from(offset).ok()
            }
        }
        impl Offset for $type {})*
    };
}

offsets!(i32 i64 u32 u64 usize);

/// Why a batch was not done. The output is then as it was before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// This row is at fault; the offset in the error is in bytes of the row.
    Row {
        /// The number of the row, from 0.
        row: usize,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// The offset with this index is negative, less than the one before, or beyond the values.
    Offset(usize),
    /// The offsets of earlier output do not end where that output ends, so that they cannot be continued.
    Output,
    /// The output of the rows up to this one ends at an offset that the type of the offsets can't hold.
    TooLong(usize),
    /// The output cannot be stored.
    Memory(TryReserveError),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Row { row, error } => write!(f, "row {row}: {error}"),
            BatchError::Offset(index) => {
                write!(f, "offset {index} is negative, less than the one before, or beyond the values")
            }
            BatchError::Output => f.write_str("the offsets of the output do not end where the output ends"),
            BatchError::TooLong(row) => {
                write!(
                    f,
                    "the output up to row {row} is too long for the type of the offsets; use a wider one, or smaller batches"
                )
            }
            BatchError::Memory(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for BatchError {}

impl From<TryReserveError> for BatchError {
    fn from(error: TryReserveError) -> BatchError {
        BatchError::Memory(error)
    }
}

/// What a batch needs of a direction.
trait Rows: Copy {
    type Codec: Codec;

    /// The codec for one row; for several, if that is the same for all.
    fn codec(self, row: &[u8]) -> Self::Codec;
    /// Whether it is.
    fn is_uniform(self) -> bool;
    /// Runs `codec` over `src` into `dst`, which has room for it, and at each of `bounds` puts how many bytes before it
    /// grow or shrink by two.
    fn run(codec: Self::Codec, src: &[u8], dst: &mut [MaybeUninit<u8>], bounds: &mut [usize]) -> Progress;
    /// The output length of `len` bytes of which `hits` grow or shrink. A triplet that starts in them ends in them.
    fn resized(len: usize, hits: usize) -> usize;
}

impl<'p> Rows for Encoding<'p> {
    type Codec = Encoding<'p>;

    fn codec(self, _: &[u8]) -> Encoding<'p> {
        self
    }

    fn is_uniform(self) -> bool {
        true
    }

    fn run(codec: Encoding, src: &[u8], dst: &mut [MaybeUninit<u8>], bounds: &mut [usize]) -> Progress {
        codec.kernels().encode_rows(codec.profile, src, dst, bounds)
    }

    #[inline]
    fn resized(len: usize, hits: usize) -> usize {
        len + 2 * hits
    }
}

impl<'p> Rows for &'p DecodeOptions {
    type Codec = Decoding<'p>;

    fn codec(self, row: &[u8]) -> Decoding<'p> {
        self.for_input(row)
    }

    fn is_uniform(self) -> bool {
        self.plus != Plus::AfterQuery
    }

    fn run(codec: Decoding, src: &[u8], dst: &mut [MaybeUninit<u8>], bounds: &mut [usize]) -> Progress {
        codec.kernels().decode_rows(codec.profile, codec.plus, src, dst, bounds)
    }

    #[inline]
    fn resized(len: usize, hits: usize) -> usize {
        len - 2 * hits
    }
}

/// Runs `direction` over each row of `values`. On an error the output is as it was.
fn rows<R: Rows, O: Offset>(
    direction: R,
    values: &[u8],
    offsets: &[O],
    out: &mut Vec<u8>,
    out_offsets: &mut Vec<O>,
) -> Result<(), BatchError> {
    let before = (out.len(), out_offsets.len());
    let result = append_rows(direction, values, offsets, out, out_offsets);
    if result.is_err() {
        out.truncate(before.0);
        out_offsets.truncate(before.1);
    }
    result
}

fn append_rows<R: Rows, O: Offset>(
    direction: R,
    values: &[u8],
    offsets: &[O],
    out: &mut Vec<u8>,
    out_offsets: &mut Vec<O>,
) -> Result<(), BatchError> {
    let Some((first, ends)) = offsets.split_first() else { return Ok(()) };
    let mut start = first.get().filter(|&start| start <= values.len()).ok_or(BatchError::Offset(0))?;
    out_offsets.try_reserve(offsets.len())?;
    match out_offsets.last() {
        Some(last) if last.get() != Some(out.len()) => return Err(BatchError::Output),
        Some(_) => {}
        None => out_offsets.push(O::new(out.len()).ok_or(BatchError::TooLong(0))?),
    }
    let (uniform, any) = (direction.is_uniform(), direction.codec(&[]));
    let mut bounds = [0; ROWS];
    let mut row = 0;
    while row < ends.len() {
        // Gather rows `row..next`, which are the bytes `start..end`.
        let (mut next, mut end) = (row, start);
        for &stop in ends[row..].iter().take(ROWS) {
            let stop = stop.get().filter(|&stop| end <= stop && stop <= values.len());
            let stop = stop.ok_or(BatchError::Offset(next + 1))?;
            if next > row && stop - start > GATHER {
                break;
            }
            let alone = !uniform || any.decided_len(&values[end..stop]) < stop - end;
            bounds[next - row] = stop - start;
            (next, end) = (next + 1, stop);
            if alone {
                break;
            }
        }
        let src = &values[start..end];
        let base = out.len();
        let codec = direction.codec(src);
        let bounds = &mut bounds[..next - row - 1];
        let error = if bounds.is_empty() {
            sink::append(codec, src, out)?.error
        } else {
            sink::append_with(codec, src, out, |src, dst| R::run(codec, src, dst, bounds))?
        };
        if let Some(error) = error {
            let (row, offset) = locate(ends, row, start, start + error.offset);
            return Err(BatchError::Row { row, error: DecodeError { offset, ..error } });
        }
        let last = O::new(out.len()).ok_or(BatchError::TooLong(next - 1))?;
        out_offsets.extend(ends[row..].iter().zip(bounds).map(|(end, hits)| {
            let len = end.get().unwrap_or_default() - start;
            // It is not beyond the last one, which has been found to fit.
            O::new(base + R::resized(len, *hits)).unwrap_or(last)
        }));
        out_offsets.push(last);
        (row, start) = (next, end);
    }
    Ok(())
}

/// The row, from `row` on, that holds the byte at `at`, and where in it; `start` is where the first of them starts.
fn locate<O: Offset>(ends: &[O], mut row: usize, mut start: usize, at: usize) -> (usize, usize) {
    while let Some(end) = ends.get(row).and_then(|end| end.get()).filter(|&end| end <= at) {
        (row, start) = (row + 1, end);
    }
    (row, at - start)
}

macro_rules! encode_batch {
    ($encoder:ident, $raw:expr) => {
        impl $encoder {
            /// Encodes row after row: row `i` is the bytes of `values` from `offsets[i]` up to `offsets[i + 1]`. The
            /// encoded rows are appended to `out`; to `out_offsets` the offset at which each ends, preceded by that at
            /// which the first begins if there was none yet.
            ///
            /// ```
            /// use percent_simd::{Encoder, sets};
            ///
            /// let (mut out, mut ends) = (Vec::new(), Vec::new());
            /// Encoder::new(sets::RFC3986_SEGMENT).encode_batch(b"a/b100%", &[0, 3, 3, 7], &mut out, &mut ends)?;
            /// assert_eq!((&out[..], &ends[..]), (&b"a%2Fb100%25"[..], &[0, 5, 5, 11][..]));
            /// # Ok::<(), percent_simd::BatchError>(())
            /// ```
            ///
            /// # Errors
            /// If the offsets are not ascending or not within the values, `out_offsets` does not end with the length of `out`, the
            /// output is too long for the type of the
            /// offsets, or memory cannot be had; `out` and `out_offsets` are then as they were.
            pub fn encode_batch<O: Offset>(
                &self,
                values: &[u8],
                offsets: &[O],
                out: &mut Vec<u8>,
                out_offsets: &mut Vec<O>,
            ) -> Result<(), BatchError> {
                let raw: fn(&$encoder) -> &RawEncoder = $raw;
                rows(raw(self).encoding(), values, offsets, out, out_offsets)
            }
        }
    };
}

encode_batch!(Encoder, Encoder::raw);
encode_batch!(RawEncoder, |encoder| encoder);

macro_rules! decode_batch {
    ($decoder:ident) => {
        impl $decoder {
            /// Decodes row after row: row `i` is the bytes of `values` from `offsets[i]` up to `offsets[i + 1]`. The
            /// decoded rows are appended to `out`; to `out_offsets` the offset at which each ends, preceded by that at
            /// which the first begins if there was none yet. No escape is read across the end of a row.
            ///
            /// ```
            /// use percent_simd::Decoder;
            ///
            /// let (mut out, mut ends) = (Vec::new(), Vec::new());
            /// Decoder::new().decode_batch(b"%41%42%4", &[0i64, 6, 8], &mut out, &mut ends)?;
            /// assert_eq!((&out[..], &ends[..]), (&b"AB%4"[..], &[0, 2, 4][..]));
            /// # Ok::<(), percent_simd::BatchError>(())
            /// ```
            ///
            /// # Errors
            /// If the offsets are not ascending or not within the values, `out_offsets` does not end with the length of `out`, the
            /// output is too long for the type of the
            /// offsets, memory cannot be had, or, of a [`CheckedDecoder`], a row is at fault; `out` and `out_offsets`
            /// are then as they were.
            pub fn decode_batch<O: Offset>(
                &self,
                values: &[u8],
                offsets: &[O],
                out: &mut Vec<u8>,
                out_offsets: &mut Vec<O>,
            ) -> Result<(), BatchError> {
                rows(self.options(), values, offsets, out, out_offsets)
            }
        }
    };
}

decode_batch!(Decoder);
decode_batch!(CheckedDecoder);
