//! Many strings in one call, in the layouts of Apache Arrow's strings and binary data, as plain arrays.
//!
//! [`Decoder::decode_batch`] and [`Encoder::encode_batch`] take rows without nulls, with offsets of 32 or 64 bits. Columns with
//! nulls go to [`DecodeBatch::run`] or [`EncodeBatch::run`]; [`Decoder::batch`] and its siblings make these. For views,
//! dictionaries and other arrays of the `arrow` crates there is
//! [`percent-simd-arrow`](https://github.com/percent-simd/percent-simd/blob/main/crates/arrow/README.md).
//!
//! Rows that are null are not looked at, and stay null.
//!
//! # Examples
//!
//! ```
//! use percent_simd::batch::{Bitmap, Column, DecodeBatch, NotUtf8, Rows};
//! use percent_simd::Decoder;
//!
//! // Rows with a malformed `%` (which `strict` makes an error), or not UTF-8, become null: no row fails the batch.
//! const URLS: DecodeBatch = Decoder::new().strict().batch().text(NotUtf8::Error).errors_to_null();
//!
//! let (values, offsets) = (b"caf%C3%A9%FF%4%20", [0, 9, 12, 14, 17]);
//! let mut column = Column::<i32>::default();
//! URLS.run(Rows::new(values, &offsets), &mut column)?;
//! assert!(column.rows().eq([Some("café".as_bytes()), None, None, Some(b" ")]));
//! assert_eq!((&column.offsets[..], column.validity.as_deref()), (&[0, 5, 5, 5, 6][..], Some(&[0b1001][..])));
//!
//! // Garbage behind a null is no error, here of a batch that fails at the first one.
//! let strict = Decoder::new().strict().batch();
//! let rows = Rows::new(values, &offsets).with_validity(Bitmap::new(&[0b1011], 0));
//! strict.run(rows, &mut Column::default())?;
//! # Ok::<(), percent_simd::BatchError>(())
//! ```
#![forbid(unsafe_code)]

use alloc::vec::Vec;

use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};

mod direction;
pub(crate) mod error;
mod gather;
pub(crate) mod rows;
pub(crate) mod slices;
pub(crate) mod views;

use error::BatchError;
pub use rows::{Bitmap, Column, Offset, Rows};
use views::{ViewColumn, Views};

/// Decodes columns. Made by [`Decoder::batch`] and [`CheckedDecoder::batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodeBatch {
    decoder: CheckedDecoder,
    text: Option<NotUtf8>,
    errors_to_null: bool,
}

/// The treatment of a row that does not decode to UTF-8, in a column of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotUtf8 {
    /// The row is at fault, as if it were malformed.
    Error,
    /// U+FFFD stands for every maximal ill-formed part, as in [`Decoder::decode_utf8_lossy`].
    Replace,
    /// Bytes that are not UTF-8 stay percent-encoded, as in [`Decoder::decode_valid_utf8`].
    KeepEscaped,
}

/// Encodes columns. Made by [`Encoder::batch`] and [`RawEncoder::batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodeBatch {
    encoder: RawEncoder,
}

impl DecodeBatch {
    /// Makes all rows UTF-8, and says what becomes of those that are not. By default rows are bytes.
    #[must_use]
    pub const fn text(mut self, not_utf8: NotUtf8) -> DecodeBatch {
        self.text = Some(not_utf8);
        self
    }

    /// Makes a row null that cannot be decoded: malformed where the decoder is strict, rejected, or not UTF-8 under
    /// [`text`](Self::text). By default such a row fails the batch.
    #[must_use]
    pub const fn errors_to_null(mut self) -> DecodeBatch {
        self.errors_to_null = true;
        self
    }

    /// Appends the decoded rows to `out`. No escape is read across the end of a row.
    ///
    /// # Errors
    ///
    /// If the offsets are not ascending or not within the values, the bitmap ends before the rows do, the arrays of `out` do
    /// not fit each other, the output is too long for the type of the offsets, memory cannot be allocated, or a row is at fault,
    /// unless [`errors_to_null`](Self::errors_to_null) was asked for; `out` is then as it was.
    pub fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        gather::run(self, rows, out)
    }

    /// Decodes rows given as views. The views of rows that do not change stay as they are.
    ///
    /// # Errors
    ///
    /// If a view is not within its buffer, the bitmap ends before the rows do, a decoded row or the number of buffers is too
    /// large for a view, memory cannot be allocated, or a row is at fault, unless [`errors_to_null`](Self::errors_to_null) was
    /// asked for.
    #[doc(hidden)] // its types are in `internal`
    pub fn run_views(&self, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        views::run(self, rows)
    }
}

impl EncodeBatch {
    /// Appends the encoded rows to `out`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::batch::{Bitmap, Column, EncodeBatch, Rows};
    /// use percent_simd::{Encoder, sets};
    ///
    /// const SEGMENTS: EncodeBatch = Encoder::new(sets::RFC3986_SEGMENT).batch();
    /// let mut column = Column::<i64>::default();
    /// SEGMENTS.run(Rows::new(b"a/b100%", &[0, 3, 3, 7]).with_validity(Bitmap::new(&[0b101], 0)), &mut column)?;
    /// assert!(column.rows().eq([Some(&b"a%2Fb"[..]), None, Some(b"100%25")]));
    /// # Ok::<(), percent_simd::BatchError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the offsets are not ascending or not within the values, the bitmap ends before the rows do, the arrays of `out` do
    /// not fit each other, the output is too long for the type of the offsets, or memory cannot be allocated; `out` is then as it
    /// was.
    pub fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        gather::run(self, rows, out)
    }

    /// Encodes rows given as views. The views of rows that do not change stay as they are.
    ///
    /// # Errors
    ///
    /// If a view is not within its buffer, the bitmap ends before the rows do, an encoded row or the number of buffers is too
    /// large for a view, or memory cannot be allocated.
    #[doc(hidden)] // its types are in `internal`
    pub fn run_views(&self, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        views::run(self, rows)
    }
}

macro_rules! encode_batch {
    ($encoder:ident, $self:ident => $raw:expr) => {
        impl $encoder {
            /// Returns an [`EncodeBatch`] with the options of this encoder: it encodes columns.
            #[must_use]
            pub const fn batch(&$self) -> EncodeBatch {
                EncodeBatch { encoder: $raw }
            }

            /// Encodes row after row: row `i` is the bytes of `values` from `offsets[i]` up to `offsets[i + 1]`. The
            /// encoded rows are appended to `out`; to `out_offsets` the offset at which each ends, preceded by that at
            /// which the first begins if there was none yet. For columns with nulls, and in other layouts, see
            /// [`batch`](Self::batch).
            ///
            /// # Examples
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
            ///
            /// If the offsets are not ascending or not within the values, `out_offsets` does not end with the length of
            /// `out`, the output is too long for the type of the offsets, or memory cannot be allocated; `out` and `out_offsets`
            /// are then as they were.
            pub fn encode_batch<O: Offset>(
                &$self,
                values: &[u8],
                offsets: &[O],
                out: &mut Vec<u8>,
                out_offsets: &mut Vec<O>,
            ) -> Result<(), BatchError> {
                gather::run_without_nulls(&$self.batch(), values, offsets, out, out_offsets)
            }
        }
    };
}

macro_rules! decode_batch {
    ($decoder:ident, $self:ident => $checked:expr) => {
        impl $decoder {
            /// Returns a decoder for columns, with the options of this one.
            #[must_use]
            pub const fn batch(&$self) -> DecodeBatch {
                DecodeBatch { decoder: $checked, text: None, errors_to_null: false }
            }

            /// Decodes row after row: row `i` is the bytes of `values` from `offsets[i]` up to `offsets[i + 1]`. The
            /// decoded rows are appended to `out`; to `out_offsets` the offset at which each ends, preceded by that at
            /// which the first begins if there was none yet. No escape is read across the end of a row. For columns of
            /// text or with nulls, and in other layouts, see [`batch`](Self::batch).
            ///
            /// # Examples
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
            ///
            /// If the offsets are not ascending or not within the values, `out_offsets` does not end with the length of
            /// `out`, the output is too long for the type of the offsets, memory cannot be allocated, or, of a
            /// [`CheckedDecoder`], a row is at fault; `out` and `out_offsets` are then as they were.
            pub fn decode_batch<O: Offset>(
                &$self,
                values: &[u8],
                offsets: &[O],
                out: &mut Vec<u8>,
                out_offsets: &mut Vec<O>,
            ) -> Result<(), BatchError> {
                gather::run_without_nulls(&$self.batch(), values, offsets, out, out_offsets)
            }
        }
    };
}

encode_batch!(Encoder, self => *self.raw());
encode_batch!(RawEncoder, self => *self);
decode_batch!(Decoder, self => self.as_checked());
decode_batch!(CheckedDecoder, self => *self);
