//! Encodes and decodes many strings in one call. The strings are in arrays with the layout of Apache Arrow's strings
//! and binary data.
//!
//! - For offsets of 32 or 64 bits, call [`DecodeBatch::run`] or [`EncodeBatch::run`]. Methods like [`Decoder::batch`]
//!   make these types.
//! - For views, dictionaries and other arrays of the `arrow` crates, use
//!   [`percent-simd-arrow`](https://github.com/percent-simd/percent-simd/blob/main/crates/arrow/README.md).
//!
//! Null rows are never read, and stay null.
//!
//! # Examples
//!
//! ```
//! use percent_simd::batch::{Bitmap, Column, DecodeBatch, NotUtf8, Rows};
//! use percent_simd::Decoder;
//!
//! // `strict` makes a malformed `%` an error. No row fails the batch: rows with such a `%` become null, and so do rows
//! // that aren't UTF-8.
//! const URLS: DecodeBatch = Decoder::new().strict().batch().text(NotUtf8::Error).errors_to_null();
//!
//! let (values, offsets) = (b"caf%C3%A9%FF%4%20", [0, 9, 12, 14, 17]);
//! let mut column = Column::<i32>::default();
//! URLS.run(Rows::new(values, &offsets), &mut column)?;
//! assert!(column.rows().eq([Some("café".as_bytes()), None, None, Some(b" ")]));
//! assert_eq!((&column.offsets[..], column.validity.as_deref()), (&[0, 5, 5, 5, 6][..], Some(&[0b1001][..])));
//!
//! // This batch fails at the first error. The faulty row is null here, so its bytes aren't read.
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

/// The treatment of rows that don't decode to UTF-8, in a column of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotUtf8 {
    /// The row is faulty, as if it had a malformed `%`.
    Error,
    /// U+FFFD replaces every maximal ill-formed part, as in [`Decoder::decode_utf8_lossy`].
    Replace,
    /// Bytes that aren't UTF-8 stay percent-encoded, as in [`Decoder::decode_valid_utf8`].
    KeepEscaped,
}

/// Encodes columns. Made by [`Encoder::batch`] and [`RawEncoder::batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodeBatch {
    encoder: RawEncoder,
}

impl DecodeBatch {
    /// Requires UTF-8, and sets how rows that aren't UTF-8 are treated. By default, rows may have any bytes.
    #[must_use]
    pub const fn text(mut self, not_utf8: NotUtf8) -> DecodeBatch {
        self.text = Some(not_utf8);
        self
    }

    /// Turns faulty rows into nulls. By default a faulty row fails the batch.
    ///
    /// A row is faulty if one of these is true:
    ///
    /// - The decoder is strict, and the row has a malformed `%`.
    /// - The row has an escape of a rejected byte.
    /// - The decoded row isn't UTF-8, and [`text`](Self::text) has made that an error.
    #[must_use]
    pub const fn errors_to_null(mut self) -> DecodeBatch {
        self.errors_to_null = true;
        self
    }

    /// Appends the decoded rows to `out`. No escape is read across the end of a row.
    ///
    /// # Errors
    ///
    /// In these cases, returns an error and leaves `out` unchanged:
    ///
    /// - The offsets aren't ascending, or aren't within the values.
    /// - The bitmap is too short for the rows.
    /// - The arrays of `out` don't match each other.
    /// - The output is too long for the type of the offsets.
    /// - Memory can't be allocated.
    /// - A row is faulty, and [`errors_to_null`](Self::errors_to_null) isn't set.
    pub fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        gather::run(self, None, rows, out).map(drop)
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
    /// In these cases, returns an error and leaves `out` unchanged:
    ///
    /// - The offsets aren't ascending, or aren't within the values.
    /// - The bitmap is too short for the rows.
    /// - The arrays of `out` don't match each other.
    /// - The output is too long for the type of the offsets.
    /// - Memory can't be allocated.
    pub fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        gather::run(self, None, rows, out).map(drop)
    }
}

macro_rules! views {
    ($($batch:ident)*) => {
        $(impl $batch {
            /// Encodes or decodes rows given as views. If a row doesn't change, its view stays the same.
            ///
            /// # Errors
            ///
            /// Returns an error in these cases:
            ///
            /// - A view isn't within its buffer.
            /// - The bitmap is too short for the rows.
            /// - A new row or the number of buffers is too large for a view.
            /// - Memory can't be allocated.
            /// - A row is faulty, and [`errors_to_null`](DecodeBatch::errors_to_null) isn't set.
            #[doc(hidden)] // its types are in `internal`
            pub fn run_views(&self, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
                views::run(self, None, rows).map(|(column, _)| column)
            }
        })*
    };
}

views!(DecodeBatch EncodeBatch);

/// Decodes the first layer of rows that may have several layers.
impl DecodeBatch {
    /// Does the same as [`run`](Self::run), but returns the numbers of the rows that `later` would change. In these rows, escapes
    /// of invalid UTF-8 stay: the other bytes of a character may be in later layers.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run).
    #[doc(hidden)] // the crate for Arrow calls it
    pub fn run_layer<O: Offset>(
        &self,
        later: &Decoder,
        rows: Rows<'_, O>,
        out: &mut Column<O>,
    ) -> Result<Vec<usize>, BatchError> {
        gather::run(self, Some(later), rows, out)
    }

    /// Does the same as [`run_layer`](Self::run_layer), but for views.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_views`](Self::run_views).
    #[doc(hidden)] // the crate for Arrow calls it
    pub fn run_views_layer(&self, later: &Decoder, rows: Views<'_>) -> Result<(ViewColumn, Vec<usize>), BatchError> {
        views::run(self, Some(later), rows)
    }
}

impl Encoder {
    /// Returns an encoder for columns, with the options of this encoder.
    #[must_use]
    pub const fn batch(&self) -> EncodeBatch {
        self.raw().batch()
    }
}

impl RawEncoder {
    /// Returns an encoder for columns, with the options of this encoder.
    #[must_use]
    pub const fn batch(&self) -> EncodeBatch {
        EncodeBatch { encoder: *self }
    }
}

impl Decoder {
    /// Returns a decoder for columns, with the options of this decoder.
    #[must_use]
    pub const fn batch(&self) -> DecodeBatch {
        self.as_checked().batch()
    }
}

impl CheckedDecoder {
    /// Returns a decoder for columns, with the options of this decoder.
    #[must_use]
    pub const fn batch(&self) -> DecodeBatch {
        DecodeBatch { decoder: *self, text: None, errors_to_null: false }
    }
}
