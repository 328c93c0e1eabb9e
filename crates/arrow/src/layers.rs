//! Decodes rows that were encoded several times.
//!
//! The escapes of one character above ASCII can be in different layers. For example, `%C3%A9` is `é`. In `%C3%25A9`, the
//! escape `%C3` is in the first layer, and the escape `%A9` is in the second. So the escapes of bytes above ASCII stay
//! until the last layer, which decodes them together. This doesn't change the result of the other layers: an escape
//! consists of ASCII characters, so a byte above ASCII can't become part of one.
//!
//! A batch decodes the first layer of a column. Escapes of invalid UTF-8 stay. If the column then has escapes left, only
//! the rows with these escapes are decoded further, one by one, by a call that takes linear time for all layers.

use std::borrow::Cow;

use percent_simd::batch::{Column, Offset};
use percent_simd::{BatchError, ByteSet, CheckedDecoder, DecodeError, Decoder};

#[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
use crate::RowFault;
use crate::options::{DecodeOptions, Errors};
use crate::url::bytes;

/// Decodes all layers of a row, in linear time.
#[derive(Debug)]
pub struct Layers {
    /// Decodes the outer layers: all layers except the last.
    outer: CheckedDecoder,
    /// Decodes the last layer, and copies malformed escapes.
    pub lenient: Decoder,
    /// Decodes the last layer. With [`Errors::Null`] and [`Errors::Strict`], returns an error for a faulty escape.
    pub checked: CheckedDecoder,
    pub(crate) errors: Errors,
    max: usize,
}

impl Layers {
    /// Creates the decoders for all layers of a row.
    #[must_use]
    pub fn new(options: &DecodeOptions) -> Layers {
        Layers::after(0, options)
    }

    /// Creates the decoders for the layers after the first, if there can be more than one layer.
    pub(crate) fn after_first(options: &DecodeOptions) -> Option<Layers> {
        (options.layers > 1).then(|| Layers::after(1, options))
    }

    /// Creates the decoders for a row of which `layers` layers have already been decoded.
    fn after(layers: usize, options: &DecodeOptions) -> Layers {
        let (_, outer) = options.decoders(options.keep | !ByteSet::ASCII, layers);
        let (lenient, checked) = options.decoders(options.keep, options.layers.saturating_sub(1));
        Layers { outer, lenient, checked, errors: options.errors, max: options.layers.saturating_sub(layers) }
    }

    /// Decodes the outer layers of a row, and then calls `last` to decode the last layer.
    ///
    /// # Errors
    ///
    /// Returns the error of a faulty escape in the outer layers, with its offset in `row`. If `last` fails, returns the
    /// error of `last`. But with [`Errors::Keep`], if the outer layers have changed the row, ignores this error, and
    /// returns the row as these layers have changed it.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    pub fn decode<'r>(
        &self,
        row: &'r [u8],
        last: impl for<'a> Fn(&'a [u8]) -> Result<Cow<'a, [u8]>, DecodeError>,
    ) -> Result<Cow<'r, [u8]>, DecodeError> {
        let Some(max) = self.max.checked_sub(1) else { return Ok(Cow::Borrowed(row)) };
        let bytes = match self.outer.decode_layers(row, max)?.bytes {
            Cow::Borrowed(row) => return last(row),
            Cow::Owned(bytes) => bytes,
        };
        match last(&bytes).map(changed) {
            Err(error) if self.errors != Errors::Keep => Err(error),
            changed => Ok(Cow::Owned(changed.ok().flatten().unwrap_or(bytes))),
        }
    }

    /// Decodes all layers of a row. If `is_text` is true, the row is UTF-8, and so is the result.
    pub(crate) fn decode_utf8<'r>(&self, row: &'r [u8], is_text: bool) -> Result<Cow<'r, [u8]>, DecodeError> {
        self.decode(row, |row| match self.errors {
            _ if !is_text => self.checked.decode(row),
            Errors::Keep => self.checked.decode_valid_utf8(row).map(bytes),
            Errors::Replace => self.checked.decode_utf8_lossy(row).map(bytes),
            Errors::Null | Errors::Strict => self.checked.decode_utf8(row).map(bytes),
        })
    }

    /// Decodes a row that may have no more escapes.
    #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
    pub(crate) fn decode_rest<'r>(&self, row: &'r [u8], is_text: bool) -> Result<Option<Cow<'r, [u8]>>, RowFault> {
        if self.lenient.first_changed(row).is_none() {
            return Ok(Some(Cow::Borrowed(row)));
        }
        Ok(Some(self.decode_utf8(row, is_text)?))
    }

    /// Decodes the layers after the first in a column. If `is_text` is true, the rows are UTF-8.
    ///
    /// # Errors
    ///
    /// With [`Errors::Strict`], returns the first row that can't be decoded.
    pub(crate) fn decode_column<O: Offset>(&self, column: &mut Column<O>, is_text: bool) -> Result<(), BatchError> {
        let Column { values, offsets, validity } = column;
        let at = |offset: O| offset.try_into().unwrap_or(usize::MAX);
        let offset = |end, row| O::try_from(end).map_err(|_| BatchError::TooLong(row));
        // No row gets longer, so the rows are moved to the left in place. `row` is the first row that hasn't been moved,
        // `read` its start, and `written` its new start.
        let (mut row, mut read, mut written) = (0, 0, 0);
        loop {
            let found = self.lenient.first_changed(&values[read..]);
            // Move all rows before the next row that has an escape.
            let next = match found {
                Some(found) => row + offsets[row + 1..].partition_point(|&end| at(end) <= read + found),
                None => offsets.len().saturating_sub(1),
            };
            if next > row {
                let end = at(offsets[next]);
                if read > written {
                    values.copy_within(read..end, written);
                    for (number, end) in (row + 1..).zip(&mut offsets[row + 1..=next]) {
                        *end = offset(at(*end) - (read - written), number)?;
                    }
                }
                (row, read, written) = (next, end, written + end - read);
            }
            if found.is_none() {
                values.truncate(written);
                return Ok(());
            }
            let end = at(offsets[row + 1]);
            match self.decode_utf8(&values[read..end], is_text).map(changed) {
                Ok(None) => {
                    values.copy_within(read..end, written);
                    written += end - read;
                }
                Ok(Some(text)) => {
                    values[written..written + text.len()].copy_from_slice(&text);
                    written += text.len();
                }
                Err(_) if self.errors == Errors::Null => {
                    let (bits, len) = (validity.get_or_insert_default(), (offsets.len() - 1).div_ceil(8));
                    bits.try_reserve(len - bits.len())?;
                    bits.resize(len, 0xFF);
                    bits[row / 8] &= !(1 << (row % 8));
                }
                Err(error) => return Err(BatchError::Row { row, error }),
            }
            offsets[row + 1] = offset(written, row)?;
            (row, read) = (row + 1, end);
        }
    }
}

/// Returns the decoded row, or `None` if decoding has not changed it.
fn changed(row: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match row {
        Cow::Borrowed(_) => None,
        Cow::Owned(row) => Some(row),
    }
}
