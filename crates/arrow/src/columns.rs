//! Wraps the codec's batches as operations.

use std::sync::Arc;

use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{ArrowNativeType as _, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use percent_simd::batch::Offset;
use percent_simd::batch::{Bitmap, Column, Rows};
use percent_simd::internal::{ViewColumn, Views};
use percent_simd::{BatchError, Decoder, Encoder};
use percent_simd_host::{collect, extend};

use crate::layers::{Group, LaterLayers, set_null};
use crate::operation::Operation;
use crate::rows::{INLINE, ViewBuffers, nulls_of};
use crate::{DecodeOptions, Error, Errors, Layers, RowFault};

/// Returns the validity bitmap of an array: a bit for each row, 0 for a null.
pub(crate) fn bitmap(nulls: &NullBuffer) -> Bitmap<'_> {
    Bitmap::new(nulls.validity(), nulls.offset())
}

/// Returns true if the rows of arrays of this type are text.
#[must_use]
pub fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        other => other.is_string(),
    }
}

/// Returns the bytes of the rows.
fn values_of<T: ByteArrayType>(array: &GenericByteArray<T>) -> &[u8] {
    let offsets = array.value_offsets();
    &array.value_data()[offsets[0].as_usize()..offsets[array.len()].as_usize()]
}

/// An operation that works on a whole column at once. If the rows are UTF-8, so are the results.
pub(crate) trait Batch {
    /// Returns the fault of a row, if the row is faulty.
    fn fault(&self, row: &[u8]) -> Option<RowFault>;

    /// Returns true if the operation changes no row, however `values` is divided into rows.
    fn changes_nothing(&self, values: &[u8]) -> bool;

    fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError>;

    /// Runs the operation over views. If the operation has [`later_layers`](Self::later_layers), decodes only the first
    /// layer, and also returns the numbers of the rows that have more layers.
    fn run_views(&self, rows: Views<'_>) -> Result<(ViewColumn, Vec<usize>), BatchError>;

    fn later_layers(&self) -> Option<&LaterLayers> {
        None
    }
}

/// Wraps a [`Batch`] as an [`Operation`].
pub(crate) struct Codec<B>(pub(crate) B);

impl<B: Batch> Codec<B> {
    /// Returns true if no row changes, and false if a row may change. Tests each buffer of `array` as a whole. If more
    /// than half of the bytes in the buffers belong to no row, skips this test and returns false.
    fn changes_no_view<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> bool {
        let mut long_rows_len = 0;
        for &view in array.views() {
            let len = view as u32 as usize;
            if len > INLINE {
                long_rows_len += len;
            } else if !self.0.changes_nothing(&view.to_le_bytes()[4..4 + len]) {
                return false;
            }
        }
        let buffers = array.data_buffers();
        let buffers_len: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        buffers_len <= 2 * long_rows_len && buffers.iter().all(|buffer| self.0.changes_nothing(buffer))
    }
}

impl<B: Batch> Operation for Codec<B> {
    fn fault(&self, row: &[u8]) -> Option<RowFault> {
        self.0.fault(row)
    }

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> Result<ArrayRef, Error> {
        if self.0.changes_nothing(values_of(array)) {
            return Ok(Arc::new(array.clone()));
        }
        let mut rows = Rows::new(array.value_data(), array.value_offsets());
        if let Some(nulls) = array.nulls() {
            rows = rows.with_validity(bitmap(nulls));
        }
        let mut out = Column { values: Vec::new(), offsets: Vec::new(), validity: None };
        self.0.run(rows, &mut out)?;
        let nulls = nulls_of(out.validity, array.len());
        let offsets = OffsetBuffer::new(ScalarBuffer::from(out.offsets));
        // SAFETY: a batch promises offsets that ascend from 0 to the length of the values. It also promises that the
        // results are text if the rows are text. If `T` is a type of text, the rows are text.
        Ok(Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(offsets, Buffer::from_vec(out.values), nulls) }))
    }

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> Result<ArrayRef, Error> {
        if self.changes_no_view(array) {
            return Ok(Arc::new(array.clone()));
        }
        let old = collect(array.data_buffers().iter().map(|buffer| Ok::<_, Error>(&buffer[..])))?;
        let mut rows = Views::new(array.views(), &old);
        if let Some(nulls) = array.nulls() {
            rows = rows.with_validity(bitmap(nulls));
        }
        let (out, pending) = self.0.run_views(rows)?;
        let buffers = array.data_buffers().iter().cloned().chain(out.buffers.into_iter().map(Buffer::from_vec));
        let (buffers, nulls) = (buffers.collect::<Arc<[Buffer]>>(), nulls_of(out.validity, array.len()));
        // SAFETY: a batch promises that each view is a view of the input, or refers to a new buffer. It also promises
        // that the results are text if the rows are text. If `T` is a type of text, the rows are text.
        let array = unsafe { GenericByteViewArray::<T>::new_unchecked(out.views.into(), buffers, nulls) };
        match self.0.later_layers() {
            Some(layers) => decode_later(layers, pending, &array),
            None => Ok(Arc::new(array)),
        }
    }
}

/// Decodes the layers after the first in the rows `pending`.
fn decode_later<T: ByteViewType>(
    layers: &LaterLayers,
    pending: Vec<usize>,
    array: &GenericByteViewArray<T>,
) -> Result<ArrayRef, Error> {
    let mut buffers = ViewBuffers::new(array.data_buffers().to_vec());
    let (mut views, mut validity) = (Vec::new(), None);
    extend(&mut views, array.views())?;
    let mut group = Group::default();
    let mut pending = pending.into_iter().peekable();
    while let Some(row) = pending.next() {
        group.add(row, array.value(row).as_ref())?;
        if pending.peek().is_none() || group.is_full() {
            group.decode(layers)?;
            for (row, text) in group.rows() {
                views[row] = match text {
                    Some(text) => buffers.add(text, row)?,
                    None => {
                        // The bitmap starts at bit 0, because `array` is the result of the first layer.
                        if let (None, Some(nulls)) = (&validity, array.nulls()) {
                            extend(validity.get_or_insert_default(), nulls.validity())?;
                        }
                        set_null(&mut validity, array.len(), row)?;
                        0
                    }
                };
            }
            group.clear();
        }
    }
    let nulls = nulls_of(validity, array.len()).or_else(|| array.nulls().cloned());
    buffers.finish::<T>(views, nulls)
}

pub(crate) struct Decode<'o> {
    options: &'o DecodeOptions,
    is_text: bool,
    lenient: Decoder,
    later_layers: Option<LaterLayers>,
}

impl Decode<'_> {
    pub(crate) fn new(options: &DecodeOptions, is_text: bool) -> Decode<'_> {
        let (lenient, later_layers) = (options.decoders(options.keep, 0).0, LaterLayers::new(options, is_text));
        Decode { options, is_text, lenient, later_layers }
    }
}

impl Batch for Decode<'_> {
    fn fault(&self, row: &[u8]) -> Option<RowFault> {
        Layers::new(self.options).decode_utf8(row, self.is_text).err().map(RowFault::from)
    }

    fn changes_nothing(&self, values: &[u8]) -> bool {
        // The end of a row and the start of the next row together can look like an escape. If so, `changes_nothing`
        // returns false, and the rows are decoded although no row changes.
        let is_error = || match self.options.errors {
            Errors::Keep | Errors::Replace => false,
            Errors::Null | Errors::Strict => self.lenient.first_malformed(values).is_some(),
        };
        self.lenient.first_changed(values).is_none() && !is_error()
    }

    fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        let first = self.options.batch(0, self.is_text);
        match &self.later_layers {
            Some(layers) => layers.run(&first, rows, out),
            None => first.run(rows, out),
        }
    }

    fn run_views(&self, rows: Views<'_>) -> Result<(ViewColumn, Vec<usize>), BatchError> {
        let first = self.options.batch(0, self.is_text);
        match &self.later_layers {
            Some(layers) => first.run_views_layer(layers.last(), rows),
            None => Ok((first.run_views(rows)?, Vec::new())),
        }
    }

    fn later_layers(&self) -> Option<&LaterLayers> {
        self.later_layers.as_ref()
    }
}

pub(crate) struct Encode(pub(crate) Encoder);

impl Batch for Encode {
    fn fault(&self, _: &[u8]) -> Option<RowFault> {
        None
    }

    fn changes_nothing(&self, values: &[u8]) -> bool {
        self.0.first_changed(values).is_none()
    }

    fn run<O: Offset>(&self, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        self.0.batch().run(rows, out)
    }

    fn run_views(&self, rows: Views<'_>) -> Result<(ViewColumn, Vec<usize>), BatchError> {
        Ok((self.0.batch().run_views(rows)?, Vec::new()))
    }
}
