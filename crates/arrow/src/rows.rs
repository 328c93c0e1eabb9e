//! Reads rows of every layout, and builds arrays.
//!
//! If memory runs out or offsets overflow, calls return an error. Arrow's own builders end the process if memory runs
//! out, and panic if offsets overflow.

use std::borrow::Cow;
use std::collections::TryReserveError;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType, StringViewType, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, GenericByteViewArray, NullArray, StructArray, downcast_integer_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use percent_simd::BatchError;
use percent_simd_host::{collect, extend, push, room};

use crate::Error;

/// If a row has at most this many bytes, its view contains the row. Otherwise the view refers to a buffer.
pub(crate) const INLINE: usize = 12;

/// Returns the rows of `array`, with `None` for nulls.
pub(crate) fn rows(array: &ArrayRef) -> Result<Vec<Option<&[u8]>>, Error> {
    fn collected<'a, T: AsRef<[u8]> + ?Sized + 'a>(
        rows: impl Iterator<Item = Option<&'a T>>,
    ) -> Result<Vec<Option<&'a [u8]>>, Error> {
        collect(rows.map(|row| Ok(row.map(T::as_ref))))
    }
    match array.data_type() {
        DataType::Utf8 => collected(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => collected(array.as_string::<i64>().iter()),
        DataType::Utf8View => collected(array.as_string_view().iter()),
        DataType::Binary => collected(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => collected(array.as_binary::<i64>().iter()),
        DataType::BinaryView => collected(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = rows(dictionary.values())?;
            let keys = dictionary.keys();
            downcast_integer_array! {
                keys => collect(keys.iter().enumerate().map(|(row, key)| match key {
                    None => Ok(None),
                    Some(key) => values.get(key.as_usize()).copied().ok_or(BatchError::Key(row).into()),
                })),
                other => Err(Error::Type(other.clone()))
            }
        }
        DataType::Null => collect((0..array.len()).map(|_| Ok(None))),
        other => Err(Error::Type(other.clone())),
    }
}

/// A validity bitmap that is being built.
pub(crate) struct Validity {
    bits: Vec<u8>,
    rows: usize,
    has_nulls: bool,
}

impl Validity {
    pub(crate) fn with_room(rows: usize) -> Result<Validity, TryReserveError> {
        Ok(Validity { bits: room(rows.div_ceil(8))?, rows: 0, has_nulls: false })
    }

    pub(crate) fn push(&mut self, is_valid: bool) -> Result<(), TryReserveError> {
        if self.rows.is_multiple_of(8) {
            push(&mut self.bits, 0)?;
        }
        self.bits[self.rows / 8] |= u8::from(is_valid) << (self.rows % 8);
        self.has_nulls |= !is_valid;
        self.rows += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Option<NullBuffer> {
        nulls_of(self.has_nulls.then_some(self.bits), self.rows)
    }
}

/// Returns the nulls of an array with `rows` rows.
pub(crate) fn nulls_of(validity: Option<Vec<u8>>, rows: usize) -> Option<NullBuffer> {
    validity.map(|bits| NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(bits), 0, rows)))
}

/// The offsets of rows or lists, while an array is being built.
pub(crate) struct Ends<O>(Vec<O>);

impl<O: ArrowNativeType + arrow_array::OffsetSizeTrait> Ends<O> {
    pub(crate) fn with_room(rows: usize) -> Result<Ends<O>, TryReserveError> {
        let mut ends = room(rows.saturating_add(1))?;
        ends.push(O::default());
        Ok(Ends(ends))
    }

    /// Appends the end of row number `row`.
    pub(crate) fn push(&mut self, end: usize, row: usize) -> Result<(), Error> {
        let end = O::from_usize(end).ok_or(BatchError::TooLong(row))?;
        Ok(push(&mut self.0, end)?)
    }

    pub(crate) fn finish(self) -> OffsetBuffer<O> {
        OffsetBuffer::new(ScalarBuffer::from(self.0))
    }
}

/// An array of strings with offsets, while it is being built.
pub(crate) struct Strings<T: ByteArrayType> {
    bytes: Vec<u8>,
    ends: Ends<T::Offset>,
}

impl<T: ByteArrayType> Strings<T> {
    pub(crate) fn with_room(rows: usize) -> Result<Strings<T>, TryReserveError> {
        Ok(Strings { bytes: Vec::new(), ends: Ends::with_room(rows)? })
    }

    /// Appends the string of row number `row`.
    pub(crate) fn push(&mut self, string: &[u8], row: usize) -> Result<(), Error> {
        extend(&mut self.bytes, string)?;
        self.ends.push(self.bytes.len(), row)
    }

    pub(crate) fn finish(self, nulls: Option<NullBuffer>) -> Result<ArrayRef, Error> {
        let bytes = Buffer::from_vec(self.bytes);
        Ok(Arc::new(GenericByteArray::<T>::try_new(self.ends.finish(), bytes, nulls)?))
    }
}

/// The memory of an array of views, while it is being built.
pub(crate) struct ViewBuffers {
    buffers: Vec<Buffer>,
    last: Vec<u8>,
}

impl ViewBuffers {
    /// Creates the memory of an array that has `buffers` already. Its views may refer to these buffers, and to strings
    /// that [`add`](Self::add) adds.
    pub(crate) fn new(buffers: Vec<Buffer>) -> ViewBuffers {
        ViewBuffers { buffers, last: Vec::new() }
    }

    /// Adds the string of row number `row`, and returns its view.
    pub(crate) fn add(&mut self, string: &[u8], row: usize) -> Result<u128, Error> {
        /// The approximate length of a buffer. It must be below 4 GiB, because the offset in a view has 32 bits.
        const BUFFER: usize = 1 << 24;
        if self.last.len() + string.len() > BUFFER && !self.last.is_empty() {
            push(&mut self.buffers, Buffer::from_vec(std::mem::take(&mut self.last)))?;
        }
        let fits = |len: usize| u32::try_from(len).map_err(|_| BatchError::TooLong(row));
        let view = make_view(string, fits(self.buffers.len())?, fits(self.last.len())?);
        if string.len() > INLINE {
            extend(&mut self.last, string)?;
        }
        Ok(view)
    }

    pub(crate) fn finish<T: ByteViewType>(
        mut self,
        views: Vec<u128>,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        push(&mut self.buffers, Buffer::from_vec(self.last))?;
        Ok(Arc::new(GenericByteViewArray::<T>::try_new(views.into(), self.buffers, nulls)?))
    }
}

/// Builds an array of `len` rows. It has the type `data_type`, or if that is a dictionary, the type of its values.
pub(crate) fn build<'r>(
    data_type: &DataType,
    len: usize,
    row: impl Fn(usize) -> Result<Option<Cow<'r, [u8]>>, Error>,
) -> Result<ArrayRef, Error> {
    type Row<'f, 'r> = &'f dyn Fn(usize) -> Result<Option<Cow<'r, [u8]>>, Error>;
    fn strings<T: ByteArrayType>(len: usize, row: Row<'_, '_>) -> Result<ArrayRef, Error> {
        let (mut strings, mut validity) = (Strings::<T>::with_room(len)?, Validity::with_room(len)?);
        for number in 0..len {
            let string = row(number)?;
            validity.push(string.is_some())?;
            strings.push(&string.unwrap_or_default(), number)?;
        }
        strings.finish(validity.finish())
    }
    fn views<T: ByteViewType>(len: usize, row: Row<'_, '_>) -> Result<ArrayRef, Error> {
        let (mut buffers, mut validity) = (ViewBuffers::new(Vec::new()), Validity::with_room(len)?);
        let mut views = room(len)?;
        for number in 0..len {
            let string = row(number)?;
            validity.push(string.is_some())?;
            views.push(buffers.add(&string.unwrap_or_default(), number)?);
        }
        buffers.finish::<T>(views, validity.finish())
    }
    match data_type {
        DataType::Utf8 => strings::<GenericStringType<i32>>(len, &row),
        DataType::LargeUtf8 => strings::<GenericStringType<i64>>(len, &row),
        DataType::Binary => strings::<GenericBinaryType<i32>>(len, &row),
        DataType::LargeBinary => strings::<GenericBinaryType<i64>>(len, &row),
        DataType::Utf8View => views::<StringViewType>(len, &row),
        DataType::BinaryView => views::<BinaryViewType>(len, &row),
        DataType::Dictionary(_, values) => build(values, len, row),
        DataType::Null => Ok(Arc::new(NullArray::new(len))),
        other => Err(Error::Type(other.clone())),
    }
}

/// An array of text with nulls, while it is being built.
pub(crate) struct Texts {
    strings: Strings<Utf8Type>,
    validity: Validity,
}

impl Texts {
    pub(crate) fn with_room(rows: usize) -> Result<Texts, Error> {
        Ok(Texts { strings: Strings::with_room(rows)?, validity: Validity::with_room(rows)? })
    }

    /// Appends the text of row number `row`, or a null.
    pub(crate) fn push(&mut self, text: Option<&str>, row: usize) -> Result<(), Error> {
        self.validity.push(text.is_some())?;
        self.strings.push(text.unwrap_or_default().as_bytes(), row)
    }

    pub(crate) fn finish(self) -> Result<ArrayRef, Error> {
        self.strings.finish(self.validity.finish())
    }
}

/// Builds an array of `len` structs whose fields are texts.
pub(crate) fn structs<N: AsRef<str>>(
    names: &[N],
    columns: Vec<Texts>,
    nulls: Option<NullBuffer>,
    len: usize,
) -> Result<ArrayRef, Error> {
    let fields: Fields = names.iter().map(|name| Field::new(name.as_ref(), DataType::Utf8, true)).collect();
    let columns = collect(columns.into_iter().map(Texts::finish))?;
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, nulls, len)?))
}

/// Builds an array of strings with offsets.
///
/// # Errors
///
/// Returns an error if the total length exceeds the offset type, if text isn't UTF-8, or if memory cannot be allocated.
pub fn from_rows<T: ByteArrayType>(rows: &[Option<&[u8]>]) -> Result<ArrayRef, Error> {
    let mut total = 0_usize;
    for (number, row) in rows.iter().enumerate() {
        total = total.saturating_add(row.map_or(0, <[u8]>::len));
        // Check the total length before any row is copied, because all rows together can be larger than the memory.
        T::Offset::from_usize(total).ok_or(BatchError::TooLong(number))?;
    }
    let (mut strings, mut validity) = (Strings::<T>::with_room(rows.len())?, Validity::with_room(rows.len())?);
    strings.bytes.try_reserve_exact(total)?;
    for (number, row) in rows.iter().enumerate() {
        strings.push(row.unwrap_or_default(), number)?;
        validity.push(row.is_some())?;
    }
    strings.finish(validity.finish())
}
