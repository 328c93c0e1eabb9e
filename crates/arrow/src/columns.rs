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
use percent_simd_host::collect;

use crate::each::RowByRow;
use crate::operation::Operation;
use crate::rows::{INLINE, nulls_of};
use crate::{DecodeOptions, Error, Errors, Layers};

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

/// An operation that works on a whole column at once. If `is_text` is true, the rows are UTF-8, and the results must be
/// UTF-8, too.
pub(crate) trait Batch: Sized {
    /// Returns this operation in a form that makes failing rows null. Returns `None` if no row can fail.
    fn forgiving(&self) -> Option<Self>;

    /// Returns true if the operation changes no row, however `values` is divided into rows.
    fn changes_nothing(&self, values: &[u8]) -> bool;

    fn run<O: Offset>(&self, is_text: bool, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError>;

    fn run_views(&self, is_text: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError>;

    /// If [`run_views`](Self::run_views) decodes only the first layer, returns the decoders for the later layers. The
    /// caller then decodes these layers row by row.
    fn later_layers(&self) -> Option<&Layers> {
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
    fn forgiving(&self) -> Option<Self> {
        self.0.forgiving().map(Codec)
    }

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(
        &self,
        array: &GenericByteArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        if self.0.changes_nothing(values_of(array)) {
            return Ok(Arc::new(array.clone()));
        }
        let mut rows = Rows::new(array.value_data(), array.value_offsets());
        if let Some(nulls) = nulls {
            rows = rows.with_validity(bitmap(nulls));
        }
        let mut out = Column { values: Vec::new(), offsets: Vec::new(), validity: None };
        self.0.run(is_text(array.data_type()), rows, &mut out)?;
        let nulls = nulls_of(out.validity, array.len());
        let offsets = OffsetBuffer::new(ScalarBuffer::from(out.offsets));
        // SAFETY: a batch promises offsets that ascend from 0 to the length of the values. It also promises that the
        // results are text if the rows are text. If `T` is a type of text, the rows are text.
        Ok(Arc::new(unsafe { GenericByteArray::<T>::new_unchecked(offsets, Buffer::from_vec(out.values), nulls) }))
    }

    fn of_views<T: ByteViewType>(
        &self,
        array: &GenericByteViewArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        if self.changes_no_view(array) {
            return Ok(Arc::new(array.clone()));
        }
        let old = collect(array.data_buffers().iter().map(|buffer| Ok::<_, Error>(&buffer[..])))?;
        let mut rows = Views::new(array.views(), &old);
        if let Some(nulls) = nulls {
            rows = rows.with_validity(bitmap(nulls));
        }
        let out = self.0.run_views(is_text(array.data_type()), rows)?;
        let buffers = array.data_buffers().iter().cloned().chain(out.buffers.into_iter().map(Buffer::from_vec));
        let (buffers, nulls) = (buffers.collect::<Arc<[Buffer]>>(), nulls_of(out.validity, array.len()));
        // SAFETY: a batch promises that each view is a view of the input, or refers to a new buffer. It also promises
        // that the results are text if the rows are text. If `T` is a type of text, the rows are text.
        let array = unsafe { GenericByteViewArray::<T>::new_unchecked(out.views.into(), buffers, nulls) };
        let Some(layers) = self.0.later_layers() else { return Ok(Arc::new(array)) };
        let is_text = is_text(array.data_type());
        RowByRow::new(&|row| layers.decode_rest(row, is_text), layers.errors).of_views(&array, array.nulls())
    }
}

pub(crate) struct Decode {
    options: DecodeOptions,
    lenient: Decoder,
    later_layers: Option<Layers>,
}

impl Decode {
    pub(crate) fn new(options: DecodeOptions) -> Decode {
        Decode { lenient: options.decoders(options.keep, 0).0, later_layers: Layers::after_first(&options), options }
    }
}

impl Batch for Decode {
    fn forgiving(&self) -> Option<Decode> {
        let options = DecodeOptions { errors: Errors::Null, ..self.options.clone() };
        (self.options.errors == Errors::Strict).then(|| Decode::new(options))
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

    fn run<O: Offset>(&self, is_text: bool, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        self.options.batch(is_text).run(rows, out)?;
        self.later_layers.as_ref().map_or(Ok(()), |layers| layers.decode_column(out, is_text))
    }

    fn run_views(&self, is_text: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        self.options.batch(is_text).run_views(rows)
    }

    fn later_layers(&self) -> Option<&Layers> {
        self.later_layers.as_ref()
    }
}

pub(crate) struct Encode(pub(crate) Encoder);

impl Batch for Encode {
    fn forgiving(&self) -> Option<Encode> {
        None
    }

    fn changes_nothing(&self, values: &[u8]) -> bool {
        self.0.first_changed(values).is_none()
    }

    fn run<O: Offset>(&self, _: bool, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        self.0.batch().run(rows, out)
    }

    fn run_views(&self, _: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        self.0.batch().run_views(rows)
    }
}
