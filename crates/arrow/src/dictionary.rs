//! Transforms dictionaries. Each value is transformed once, and then the keys are changed to match.
//!
//! Two values can become equal, and a value can become null. A program that compares keys would then see equal rows as
//! different, or miss a null. So the new dictionary has each value once and no null, in the old order, and the keys
//! refer to the new dictionary. The new dictionary never has more values than the old one, so the type of the keys
//! stays large enough.
//!
//! The new dictionary depends only on the old dictionary, not on the rows. So if the chunks of a column share a
//! dictionary, the new chunks have equal dictionaries, as files in Arrow's format require. Only errors depend on the
//! rows: an operation fails only for a value that a row uses.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType,
    StringViewType,
};
use arrow_array::{
    AnyDictionaryArray, Array, ArrayRef, DictionaryArray, GenericByteViewArray, PrimitiveArray, downcast_integer_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;
use percent_simd::internal::used_values;
use percent_simd_host::{push, room};

use crate::columns::bitmap;
use crate::operation::{Operation, transform_values};
use crate::rows::{Strings, Validity, rows};
use crate::{Error, Errors};

/// Runs `operation` over a dictionary. The keys of the result have the same type as before.
pub(crate) fn transform<P: Operation>(
    dictionary: &dyn AnyDictionaryArray,
    errors: Errors,
    operation: &P,
) -> Result<ArrayRef, Error> {
    let (keys, values) = (dictionary.keys(), dictionary.values());
    // Checks that each key has a value.
    downcast_integer_array! {
        keys => used_values(keys.values(), keys.nulls().map(bitmap), values.len())?,
        other => return Err(Error::Type(other.clone()))
    };
    let value_of = |row: usize| {
        downcast_integer_array! {
            keys => keys.is_valid(row).then(|| keys.value(row).as_usize()),
            _ => None
        }
    };
    merged(dictionary, &transform_values(values, errors, keys.len(), value_of, operation)?)
}

/// Builds the new dictionary from the new values. The new dictionary has each value once and no null.
fn merged(dictionary: &dyn AnyDictionaryArray, values: &ArrayRef) -> Result<ArrayRef, Error> {
    let rows = rows(values)?;
    let mut numbers = HashMap::new();
    numbers.try_reserve(rows.len())?;
    // `kept` lists the values of the new dictionary by their indices in the old one. `new_numbers` has the new index of each
    // old value, or `None` for a null.
    let (mut kept, mut new_numbers) = (room(rows.len())?, room(rows.len())?);
    for (number, row) in rows.iter().enumerate() {
        new_numbers.push(row.map(|row| {
            *numbers.entry(row).or_insert_with(|| {
                kept.push(number);
                kept.len() - 1
            })
        }));
    }
    if kept.len() == rows.len() {
        return Ok(dictionary.with_values(values.clone()));
    }
    let values = picked(values, &rows, &kept)?;
    let keys = dictionary.keys();
    downcast_integer_array! {
        keys => with_numbers(keys, &new_numbers, values),
        other => Err(Error::Type(other.clone()))
    }
}

/// Returns an array of the values at the indices `numbers`. `rows` has the same values as `values`, as slices.
fn picked(values: &ArrayRef, rows: &[Option<&[u8]>], numbers: &[usize]) -> Result<ArrayRef, Error> {
    fn strings<T: ByteArrayType>(rows: &[Option<&[u8]>], numbers: &[usize]) -> Result<ArrayRef, Error> {
        let mut strings = Strings::<T>::with_room(numbers.len())?;
        for &number in numbers {
            strings.push(rows[number].unwrap_or_default(), number)?;
        }
        strings.finish(None)
    }
    fn views<T: ByteViewType>(array: &GenericByteViewArray<T>, numbers: &[usize]) -> Result<ArrayRef, Error> {
        let mut views = room(numbers.len())?;
        views.extend(numbers.iter().map(|&number| array.views()[number]));
        Ok(Arc::new(GenericByteViewArray::<T>::try_new(views.into(), array.data_buffers().to_vec(), None)?))
    }
    match values.data_type() {
        DataType::Utf8 => strings::<GenericStringType<i32>>(rows, numbers),
        DataType::LargeUtf8 => strings::<GenericStringType<i64>>(rows, numbers),
        DataType::Binary => strings::<GenericBinaryType<i32>>(rows, numbers),
        DataType::LargeBinary => strings::<GenericBinaryType<i64>>(rows, numbers),
        DataType::Utf8View => views::<StringViewType>(values.as_byte_view(), numbers),
        DataType::BinaryView => views::<BinaryViewType>(values.as_byte_view(), numbers),
        DataType::Null => Ok(values.slice(0, 0)),
        other => Err(Error::Type(other.clone())),
    }
}

/// Replaces each key by the new index of its value. If the value is null, the key becomes null.
fn with_numbers<K: ArrowDictionaryKeyType>(
    keys: &PrimitiveArray<K>,
    new_numbers: &[Option<usize>],
    values: ArrayRef,
) -> Result<ArrayRef, Error> {
    let (mut new_keys, mut validity) = (room(keys.len())?, Validity::with_room(keys.len())?);
    for key in keys {
        let number = key.and_then(|key| *new_numbers.get(key.as_usize())?);
        validity.push(number.is_some())?;
        push(&mut new_keys, K::Native::usize_as(number.unwrap_or_default()))?;
    }
    let keys = PrimitiveArray::<K>::new(new_keys.into(), validity.finish());
    Ok(Arc::new(DictionaryArray::try_new(keys, values)?))
}
