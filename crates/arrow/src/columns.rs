//! Runs an operation over arrays of every layout. Also wraps the codec's batches as operations.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{ArrowNativeType as _, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use percent_simd::batch::Offset;
use percent_simd::batch::{Bitmap, Column, DecodeBatch, Rows};
use percent_simd::internal::{ViewColumn, Views};
use percent_simd::{BatchError, Decoder, Encoder};
use percent_simd_host::collect;

use crate::rows::nulls_of;
use crate::{DecodeOptions, Error, Errors};

/// A view holds a row of up to this many bytes in itself.
pub(crate) const INLINE: usize = 12;

/// An operation changes the rows of an array and keeps the array's type. It skips the rows that are null in `nulls`:
/// all null rows of `array`, and possibly more rows.
pub(crate) trait Operation: Sized {
    /// Returns this operation in a form that makes failing rows null. Returns `None` if no row can fail.
    fn forgiving(&self) -> Option<Self>;

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(
        &self,
        array: &GenericByteArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error>;

    fn of_views<T: ByteViewType>(
        &self,
        array: &GenericByteViewArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error>;
}

pub(crate) fn transform_values<P: Operation>(
    array: &ArrayRef,
    nulls: Option<&NullBuffer>,
    operation: &P,
) -> Result<ArrayRef, Error> {
    match array.data_type() {
        DataType::Utf8 => operation.of_offsets::<GenericStringType<i32>>(array.as_bytes(), nulls),
        DataType::LargeUtf8 => operation.of_offsets::<GenericStringType<i64>>(array.as_bytes(), nulls),
        DataType::Binary => operation.of_offsets::<GenericBinaryType<i32>>(array.as_bytes(), nulls),
        DataType::LargeBinary => operation.of_offsets::<GenericBinaryType<i64>>(array.as_bytes(), nulls),
        DataType::Utf8View => operation.of_views::<StringViewType>(array.as_byte_view(), nulls),
        DataType::BinaryView => operation.of_views::<BinaryViewType>(array.as_byte_view(), nulls),
        DataType::Null => Ok(array.clone()),
        other => Err(Error::Type(other.clone())),
    }
}

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

/// Returns true if `is_settled` returns true for the bytes of all rows. `is_settled` gets one row or many rows at once.
pub(crate) fn all_settled(array: &ArrayRef, is_settled: &dyn Fn(&[u8]) -> bool) -> bool {
    match array.data_type() {
        DataType::Utf8 => is_settled(values_of::<GenericStringType<i32>>(array.as_bytes())),
        DataType::LargeUtf8 => is_settled(values_of::<GenericStringType<i64>>(array.as_bytes())),
        DataType::Binary => is_settled(values_of::<GenericBinaryType<i32>>(array.as_bytes())),
        DataType::LargeBinary => is_settled(values_of::<GenericBinaryType<i64>>(array.as_bytes())),
        DataType::Utf8View => {
            let array = array.as_string_view();
            all_buffers_settled(array, is_settled) || array.iter().flatten().all(|row| is_settled(row.as_bytes()))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view();
            all_buffers_settled(array, is_settled) || array.iter().flatten().all(is_settled)
        }
        DataType::Dictionary(..) => all_settled(array.as_any_dictionary().values(), is_settled),
        other => other.is_null(),
    }
}

/// Returns the bytes of the rows.
fn values_of<T: ByteArrayType>(array: &GenericByteArray<T>) -> &[u8] {
    let offsets = array.value_offsets();
    &array.value_data()[offsets[0].as_usize()..offsets[array.len()].as_usize()]
}

/// Tests each buffer of `array` as a whole. If more than half of the bytes in the buffers belong to no row, skips this
/// test and returns false.
fn all_buffers_settled<T: ByteViewType>(array: &GenericByteViewArray<T>, is_settled: &dyn Fn(&[u8]) -> bool) -> bool {
    let mut long_rows_len = 0;
    for &view in array.views() {
        let len = view as u32 as usize;
        if len > INLINE {
            long_rows_len += len;
        } else if !is_settled(&view.to_le_bytes()[4..4 + len]) {
            return false;
        }
    }
    let buffers = array.data_buffers();
    let buffers_len: usize = buffers.iter().map(|buffer| buffer.len()).sum();
    buffers_len <= 2 * long_rows_len && buffers.iter().all(|buffer| is_settled(buffer))
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
}

/// Wraps a [`Batch`] as an [`Operation`].
pub(crate) struct Codec<B>(pub(crate) B);

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
        if all_buffers_settled(array, &|bytes| self.0.changes_nothing(bytes)) {
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
        Ok(Arc::new(unsafe { GenericByteViewArray::<T>::new_unchecked(out.views.into(), buffers, nulls) }))
    }
}

/// Decodes the first layer.
pub(crate) struct Decode<'o> {
    options: &'o DecodeOptions,
    errors: Errors,
    lenient: Decoder,
}

impl Decode<'_> {
    pub(crate) fn new(options: &DecodeOptions) -> Decode<'_> {
        Decode { options, errors: options.errors, lenient: options.decoders(options.keep, 0).0 }
    }

    fn batch(&self, is_text: bool) -> DecodeBatch {
        DecodeOptions { errors: self.errors, ..*self.options }.batch(is_text)
    }
}

impl Batch for Decode<'_> {
    fn forgiving(&self) -> Option<Self> {
        (self.errors == Errors::Strict).then_some(Decode { errors: Errors::Null, ..*self })
    }

    fn changes_nothing(&self, values: &[u8]) -> bool {
        // The end of a row and the start of the next row together can look like an escape. If so, the function
        // returns false, and the rows are decoded although no row changes.
        let is_error = || match self.errors {
            Errors::Keep | Errors::Replace => false,
            Errors::Null | Errors::Strict => self.lenient.first_malformed(values).is_some(),
        };
        self.lenient.first_changed(values).is_none() && !is_error()
    }

    fn run<O: Offset>(&self, is_text: bool, rows: Rows<'_, O>, out: &mut Column<O>) -> Result<(), BatchError> {
        self.batch(is_text).run(rows, out)
    }

    fn run_views(&self, is_text: bool, rows: Views<'_>) -> Result<ViewColumn, BatchError> {
        self.batch(is_text).run_views(rows)
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
