//! Decodes rows that were encoded several times.
//!
//! The escapes of one character above ASCII can be in different layers. For example, `%C3%A9` is `é`. In `%C3%25A9`, the
//! escape `%C3` is in the first layer, and the escape `%A9` is in the second. So the escapes of bytes above ASCII stay
//! until the last layer, which decodes them together. This doesn't change the result of the other layers: an escape
//! consists of ASCII characters, so a byte above ASCII can't become part of one.
//!
//! A batch decodes the first layer of a column, and finds the rows that have escapes left. All other rows are done, also
//! rows that aren't UTF-8. Only the rows with escapes are decoded further, and until then, their escapes of invalid UTF-8
//! stay. They are copied to groups, and each layer of a group is decoded as a batch. So a row with several layers takes a
//! few times as long as a row with one layer. A call that takes linear time for all layers decodes rows with very many
//! layers.

use std::borrow::Cow;
use std::collections::TryReserveError;

use percent_simd::batch::{Bitmap, Column, DecodeBatch, Offset, Rows};
use percent_simd::{BatchError, ByteSet, CheckedDecoder, DecodeError, Decoder};
use percent_simd_host::{extend, push};

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
    errors: Errors,
    max: usize,
}

impl Layers {
    /// Creates the decoders for all layers of a row.
    #[must_use]
    pub fn new(options: &DecodeOptions) -> Layers {
        let (_, outer) = options.decoders(options.keep | !ByteSet::ASCII, 0);
        let (lenient, checked) = options.decoders(options.keep, options.layers.saturating_sub(1));
        Layers { outer, lenient, checked, errors: options.errors, max: options.layers }
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
}

/// Decodes the layers after the first in columns.
#[derive(Debug)]
pub(crate) struct LaterLayers {
    /// Decodes the outer layers: all layers except the first and the last.
    outer: Decoder,
    outer_checked: CheckedDecoder,
    outer_count: usize,
    /// Decodes the last layer.
    last: Decoder,
    last_batch: DecodeBatch,
}

impl LaterLayers {
    /// Creates the decoders, if there can be more than one layer.
    pub(crate) fn new(options: &DecodeOptions, is_text: bool) -> Option<LaterLayers> {
        let last_layer = options.layers.checked_sub(1).filter(|&last| last > 0)?;
        let (outer, outer_checked) = options.decoders(options.keep | !ByteSet::ASCII, 1);
        let (last, _) = options.decoders(options.keep, last_layer);
        let last_batch = options.batch(last_layer, is_text);
        Some(LaterLayers { outer, outer_checked, outer_count: last_layer - 1, last, last_batch })
    }

    /// Returns the decoder of the last layer. It changes the rows that have later layers.
    #[cfg(any(feature = "arrow-59", feature = "arrow-60"))]
    pub(crate) fn last(&self) -> &Decoder {
        &self.last
    }

    /// Returns true if no later layer changes any row, however `values` is divided into rows.
    pub(crate) fn changes_nothing(&self, values: &[u8]) -> bool {
        self.last.first_changed(values).is_none()
    }

    /// Decodes all layers of the first batch's `rows`. Appends them to `column`, which must be empty. Faulty rows become null.
    pub(crate) fn run<O: Offset>(
        &self,
        first: &DecodeBatch,
        rows: Rows<'_, O>,
        column: &mut Column<O>,
    ) -> Result<(), BatchError> {
        let pending = first.run_layer(&self.last, rows, column)?;
        let at = |offset: O| offset.try_into().unwrap_or(usize::MAX);
        let offset = |end, row| O::try_from(end).map_err(|_| BatchError::TooLong(row));
        let Column { values, offsets, validity } = column;
        let rows = offsets.len().saturating_sub(1);
        let mut group = Group::default();
        // No row gets longer, so the rows are moved to the left. `moved` is the first row that hasn't been moved, `read`
        // its start, and `written` its new start.
        let (mut moved, mut read, mut written) = (0, 0, 0);
        let mut pending = pending.into_iter();
        loop {
            let next = pending.next();
            if let Some(row) = next {
                let start = if row == moved { read } else { at(offsets[row]) };
                group.add(row, &values[start..at(offsets[row + 1])])?;
                if !group.is_full() {
                    continue;
                }
            }
            group.decode(self)?;
            // Move the rows before `row`. Replace the rows of the group.
            for (number, text) in group.rows().chain(next.is_none().then_some((rows, None))) {
                if number > moved {
                    let end = at(offsets[number]);
                    if read > written {
                        values.copy_within(read..end, written);
                        for (row, end) in (moved..).zip(&mut offsets[moved + 1..=number]) {
                            *end = offset(at(*end) - (read - written), row)?;
                        }
                    }
                    written += end - read;
                }
                if number == rows {
                    values.truncate(written);
                    return Ok(());
                }
                read = at(offsets[number + 1]);
                match text {
                    Some(text) => {
                        values[written..written + text.len()].copy_from_slice(text);
                        written += text.len();
                    }
                    None => set_null(validity, rows, number)?,
                }
                offsets[number + 1] = offset(written, number)?;
                moved = number + 1;
            }
            group.clear();
        }
    }
}

/// Rows that have more than one layer. They are decoded together.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The number of each row in its column.
    numbers: Vec<usize>,
    rows: Column<usize>,
    spare: Column<usize>,
}

impl Group {
    /// Adds row number `number` of a column.
    pub(crate) fn add(&mut self, number: usize, row: &[u8]) -> Result<(), TryReserveError> {
        push(&mut self.numbers, number)?;
        extend(&mut self.rows.values, row)?;
        if self.rows.offsets.is_empty() {
            push(&mut self.rows.offsets, 0)?;
        }
        push(&mut self.rows.offsets, self.rows.values.len())
    }

    /// Returns true if the rows should be decoded before more rows are added.
    pub(crate) fn is_full(&self) -> bool {
        /// This many bytes fit in the caches.
        const BYTES: usize = 1 << 14;
        self.rows.values.len() >= BYTES
    }

    /// Decodes the layers after the first in all rows.
    pub(crate) fn decode(&mut self, layers: &LaterLayers) -> Result<(), BatchError> {
        /// The number of layers that are decoded in all rows together. A row with more layers is then decoded by
        /// itself, in linear time.
        const TOGETHER: usize = 4;
        for layer in 0..layers.outer_count {
            if layers.outer.first_changed(&self.rows.values).is_none() {
                break;
            }
            self.spare.clear();
            if layer < TOGETHER {
                layers.outer_checked.batch().errors_to_null().run(rows(&self.rows), &mut self.spare)?;
            } else {
                let Group { rows, spare, numbers } = self;
                push(&mut spare.offsets, 0)?;
                for (row, bytes) in rows.rows().enumerate() {
                    let left = layers.outer_count - layer;
                    match bytes.map(|bytes| layers.outer_checked.try_decode_layers(bytes, left)).transpose()? {
                        Some(Ok(decoded)) => extend(&mut spare.values, &decoded.bytes)?,
                        Some(Err(_)) | None => set_null(&mut spare.validity, numbers.len(), row)?,
                    }
                    push(&mut spare.offsets, spare.values.len())?;
                }
            }
            std::mem::swap(&mut self.rows, &mut self.spare);
            if layer == TOGETHER {
                break;
            }
        }
        // The outer layers leave bytes above ASCII as they are, so rows without an escape are still UTF-8.
        if !layers.changes_nothing(&self.rows.values) {
            self.spare.clear();
            layers.last_batch.run(rows(&self.rows), &mut self.spare)?;
            std::mem::swap(&mut self.rows, &mut self.spare);
        }
        Ok(())
    }

    /// Returns the number of each row, and its bytes or `None` for a null.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Option<&[u8]>)> {
        self.numbers.iter().copied().zip(self.rows.rows())
    }

    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.rows.clear();
    }
}

/// Makes row `row` of `rows` rows null.
pub(crate) fn set_null(validity: &mut Option<Vec<u8>>, rows: usize, row: usize) -> Result<(), TryReserveError> {
    let (bits, len) = (validity.get_or_insert_default(), rows.div_ceil(8));
    bits.try_reserve(len - bits.len())?;
    bits.resize(len, 0xFF);
    bits[row / 8] &= !(1 << (row % 8));
    Ok(())
}

/// Returns the rows of `column`, in the form that batches take.
#[must_use]
pub fn rows<O: Offset>(column: &Column<O>) -> Rows<'_, O> {
    let rows = Rows::new(&column.values, &column.offsets);
    match &column.validity {
        Some(bits) => rows.with_validity(Bitmap::new(bits, 0)),
        None => rows,
    }
}

/// Returns the decoded row, or `None` if decoding has not changed it.
fn changed(row: Cow<'_, [u8]>) -> Option<Vec<u8>> {
    match row {
        Cow::Borrowed(_) => None,
        Cow::Owned(row) => Some(row),
    }
}
