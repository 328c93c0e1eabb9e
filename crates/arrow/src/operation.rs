//! Runs an operation over arrays of every layout.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use percent_simd::batch::Offset;

use crate::Error;

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
