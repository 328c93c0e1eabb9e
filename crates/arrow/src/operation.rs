//! Runs an operation over arrays of every layout.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType,
};
use arrow_array::{Array, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_schema::DataType;
use percent_simd::batch::Offset;

use crate::rows::rows;
use crate::{Error, Errors, RowError, RowFault};

/// An operation changes the rows of an array and keeps the array's type. A faulty row becomes null, even if the call then
/// fails: [`fault`](Self::fault) finds the faulty rows among the new nulls.
pub(crate) trait Operation {
    /// Returns the fault of a row, if the row is faulty.
    fn fault(&self, row: &[u8]) -> Option<RowFault>;

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> Result<ArrayRef, Error>;

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> Result<ArrayRef, Error>;
}

/// Runs `operation` over an array that isn't a dictionary. It has the values of `len` rows: `value_of` returns the
/// index of a row's value, or `None` for a null.
///
/// # Errors
///
/// With [`Errors::Strict`], returns the fault of the first faulty row.
pub(crate) fn transform_values<P: Operation>(
    array: &ArrayRef,
    errors: Errors,
    len: usize,
    value_of: impl Fn(usize) -> Option<usize>,
    operation: &P,
) -> Result<ArrayRef, Error> {
    let new = run(array, operation)?;
    if errors == Errors::Strict && new.null_count() > array.null_count() {
        let is_new_null = |&value: &usize| new.is_null(value) && array.is_valid(value);
        for (row, value) in (0..len).filter_map(|row| Some((row, value_of(row).filter(is_new_null)?))) {
            let fault = rows(&array.slice(value, 1))?.first().copied().flatten().and_then(|row| operation.fault(row));
            if let Some(fault) = fault {
                return Err(Error::Row(RowError { row, fault, value: String::new() }));
            }
        }
    }
    Ok(new)
}

fn run<P: Operation>(array: &ArrayRef, operation: &P) -> Result<ArrayRef, Error> {
    match array.data_type() {
        DataType::Utf8 => operation.of_offsets::<GenericStringType<i32>>(array.as_bytes()),
        DataType::LargeUtf8 => operation.of_offsets::<GenericStringType<i64>>(array.as_bytes()),
        DataType::Binary => operation.of_offsets::<GenericBinaryType<i32>>(array.as_bytes()),
        DataType::LargeBinary => operation.of_offsets::<GenericBinaryType<i64>>(array.as_bytes()),
        DataType::Utf8View => operation.of_views::<StringViewType>(array.as_byte_view()),
        DataType::BinaryView => operation.of_views::<BinaryViewType>(array.as_byte_view()),
        DataType::Null => Ok(array.clone()),
        other => Err(Error::Type(other.clone())),
    }
}
