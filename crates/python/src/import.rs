//! Imports arrays of other libraries through Arrow's C data and C stream interfaces: with checks, and without a copy.
//!
//! An exporter promises that an array is valid, but mistakes are common: some code passes an array twice, or passes it
//! with the schema of another array. So we check all counts, offsets and pointers before we use them. Two promises
//! cannot be checked: that the memory at a non-null pointer is as large as the counts and offsets claim, and that text
//! is UTF-8.

use std::ffi::{CStr, c_char, c_int};
use std::mem::align_of;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryViewType, ByteArrayType, ByteViewType, GenericBinaryType, GenericStringType,
    Int8Type, Int16Type, Int32Type, Int64Type, StringViewType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, DictionaryArray, GenericByteArray, GenericByteViewArray, NullArray, PrimitiveArray, new_empty_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};
use percent_simd_arrow::Error;
use percent_simd_host::{Fault, collect, guarded, push, room};

/// A view holds a row of up to this many bytes in itself.
const INLINE: usize = 12;

fn wrong(message: impl Into<String>) -> Error {
    Error::Arrow(ArrowError::CDataInterface(message.into()))
}

/// Returns the type that a schema describes. It is an error if our columns can't have this type.
///
/// # Safety
/// `schema` is a valid schema of Arrow's C data interface, or a released one.
pub(crate) unsafe fn type_of(schema: &FFI_ArrowSchema) -> Result<DataType, Error> {
    if schema.release().is_none() {
        return Err(wrong("the schema was released already"));
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        match schema.dictionary() {
            None => plain_type_of(schema),
            Some(values) => {
                let keys = key_type(format_of(schema)?)?;
                Ok(DataType::Dictionary(Box::new(keys), Box::new(plain_type_of(values)?)))
            }
        }
    }
}

/// Returns the format string of a schema, which encodes its type.
///
/// # Safety
/// The condition of [`type_of`] holds for `schema`.
unsafe fn format_of(schema: &FFI_ArrowSchema) -> Result<&str, Error> {
    // SAFETY: by the interface the first field is null or points to a string that ends in NUL.
    let format = unsafe {
        let format = *std::ptr::from_ref(schema).cast::<*const c_char>();
        if format.is_null() { None } else { CStr::from_ptr(format).to_str().ok() }
    };
    format.ok_or_else(|| wrong("the schema has no format, or its format is not UTF-8"))
}

/// # Safety
/// The condition of [`type_of`] holds for `schema`.
unsafe fn plain_type_of(schema: &FFI_ArrowSchema) -> Result<DataType, Error> {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let format = unsafe { format_of(schema) }?;
    Ok(match format {
        "u" => DataType::Utf8,
        "U" => DataType::LargeUtf8,
        "vu" => DataType::Utf8View,
        "z" => DataType::Binary,
        "Z" => DataType::LargeBinary,
        "vz" => DataType::BinaryView,
        "n" => DataType::Null,
        _ => {
            // Return the right error: either the format is a type that columns can't have, or it is invalid. The call
            // is guarded, because arrow-schema panics for some invalid formats.
            return Err(match guarded(|| DataType::try_from(schema)) {
                Ok(Ok(other)) => Error::Type(other),
                _ => wrong(format!("the schema has the format {format:?}, which Arrow does not define")),
            });
        }
    })
}

fn key_type(format: &str) -> Result<DataType, Error> {
    Ok(match format {
        "c" => DataType::Int8,
        "C" => DataType::UInt8,
        "s" => DataType::Int16,
        "S" => DataType::UInt16,
        "i" => DataType::Int32,
        "I" => DataType::UInt32,
        "l" => DataType::Int64,
        "L" => DataType::UInt64,
        _ => {
            return Err(wrong(format!(
                "the keys of a dictionary have the format {format:?}, which is not an integer format"
            )));
        }
    })
}

/// The fields of an [`FFI_ArrowArray`]. We need this struct, because the fields of `FFI_ArrowArray` are private.
#[repr(C)]
struct Fields {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const FFI_ArrowArray,
    dictionary: *const FFI_ArrowArray,
}

/// Takes ownership of an array, and returns it as a column.
///
/// # Safety
/// `array` is a valid array of Arrow's C data interface, or a released one, and no other code uses it.
pub(crate) unsafe fn import(array: FFI_ArrowArray, data_type: &DataType) -> Result<ArrayRef, Error> {
    if array.is_released() {
        return Err(wrong("the array was released, or taken over before: a capsule can be used once"));
    }
    let owner = Arc::new(array);
    // SAFETY: the caller meets the `# Safety` conditions of this function. The owner lives as long as the buffers.
    unsafe { Part::new(&owner, &owner)?.into_array(data_type) }
}

/// An array, or the dictionary of an array. `owner` keeps its buffers alive.
struct Part<'a> {
    owner: &'a Arc<FFI_ArrowArray>,
    buffers: &'a [*const u8],
    dictionary: Option<&'a FFI_ArrowArray>,
    offset: usize,
    len: usize,
    null_count: i64,
    n_children: i64,
}

impl<'a> Part<'a> {
    /// Checks the offset, the length and the counts in the fields of `array`.
    ///
    /// # Safety
    /// The conditions of [`import`] hold for `array`, and `owner` owns it.
    unsafe fn new(owner: &'a Arc<FFI_ArrowArray>, array: &'a FFI_ArrowArray) -> Result<Part<'a>, Error> {
        // SAFETY: the interface defines that an array has these fields in this order.
        let fields = unsafe { &*std::ptr::from_ref(array).cast::<Fields>() };
        let size = |name: &str, size: i64| {
            // An element has at most 16 bytes. The array's offset and its length must each be below this limit, so the
            // offset of its end in bytes fits into an `isize`.
            let size = usize::try_from(size).ok().filter(|&size| size < isize::MAX as usize / 32);
            size.ok_or_else(|| wrong(format!("the array's {name} is negative or too large")))
        };
        let (offset, len) = (size("offset", fields.offset)?, size("length", fields.length)?);
        let n_buffers = size("n_buffers", fields.n_buffers)?;
        if !(-1..=fields.length).contains(&fields.null_count) {
            return Err(wrong(format!("the array has {} rows, and a null_count of {}", len, fields.null_count)));
        }
        if n_buffers > 0 && fields.buffers.is_null() {
            return Err(wrong("the array has no buffers"));
        }
        // SAFETY: the array is valid, so it has `n_buffers` pointers.
        let buffers =
            if n_buffers == 0 { &[][..] } else { unsafe { std::slice::from_raw_parts(fields.buffers, n_buffers) } };
        // SAFETY: the array is valid, so this pointer is null, or points to an array that `owner` owns.
        let dictionary = unsafe { fields.dictionary.as_ref() };
        Ok(Part {
            owner,
            buffers,
            dictionary,
            offset,
            len,
            null_count: fields.null_count,
            n_children: fields.n_children,
        })
    }

    /// # Safety
    /// The conditions of [`import`] hold for the array.
    unsafe fn into_array(self, data_type: &DataType) -> Result<ArrayRef, Error> {
        let misfit = |what: &str| wrong(format!("the array is not of the type {data_type}: it has {what}"));
        if *data_type == DataType::Null {
            return Ok(Arc::new(NullArray::new(self.len)));
        }
        let n_buffers = self.buffers.len();
        let fits = match data_type {
            DataType::Utf8View | DataType::BinaryView => n_buffers >= 3,
            DataType::Dictionary(..) => n_buffers == 2,
            _ => n_buffers == 3,
        };
        if !fits {
            return Err(misfit(&format!("{n_buffers} buffers")));
        }
        if self.n_children != 0 {
            return Err(misfit(&format!("{} children", self.n_children)));
        }
        if self.dictionary.is_some() != matches!(data_type, DataType::Dictionary(..)) {
            return Err(misfit(if self.dictionary.is_some() { "a dictionary" } else { "no dictionary" }));
        }
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            match data_type {
                DataType::Dictionary(keys, values) => match **keys {
                    DataType::Int8 => self.dictionary::<Int8Type>(values),
                    DataType::Int16 => self.dictionary::<Int16Type>(values),
                    DataType::Int32 => self.dictionary::<Int32Type>(values),
                    DataType::Int64 => self.dictionary::<Int64Type>(values),
                    DataType::UInt8 => self.dictionary::<UInt8Type>(values),
                    DataType::UInt16 => self.dictionary::<UInt16Type>(values),
                    DataType::UInt32 => self.dictionary::<UInt32Type>(values),
                    DataType::UInt64 => self.dictionary::<UInt64Type>(values),
                    _ => Err(Error::Type(data_type.clone())),
                },
                // An array without rows may have no offset at all.
                _ if self.len == 0 => Ok(new_empty_array(data_type)),
                DataType::Utf8 => self.strings::<GenericStringType<i32>>(),
                DataType::LargeUtf8 => self.strings::<GenericStringType<i64>>(),
                DataType::Binary => self.strings::<GenericBinaryType<i32>>(),
                DataType::LargeBinary => self.strings::<GenericBinaryType<i64>>(),
                DataType::Utf8View => self.views::<StringViewType>(),
                DataType::BinaryView => self.views::<BinaryViewType>(),
                other => Err(Error::Type(other.clone())),
            }
        }
    }

    /// Returns `len` bytes of the buffer with this index, from `start` on.
    ///
    /// # Safety
    /// The conditions of [`import`] hold for the array. The buffer is null, or it has these bytes.
    unsafe fn bytes(&self, index: usize, start: usize, len: usize) -> Result<Buffer, Error> {
        if len == 0 {
            return Ok(Buffer::from_vec(Vec::<u8>::new()));
        }
        let first = NonNull::new(self.buffers[index].cast_mut());
        let first = first.ok_or_else(|| wrong(format!("the array's buffer {index} is missing")))?;
        // SAFETY: the caller meets the `# Safety` conditions of this function. The owner keeps the buffer alive.
        unsafe { Ok(Buffer::from_custom_allocation(first.add(start), len, self.owner.clone())) }
    }

    /// Returns `count` elements of the buffer with this index, from the array's offset on. Copies them if they are not
    /// aligned.
    ///
    /// # Safety
    /// The conditions of [`import`] hold for the array. The buffer is null, or it has these elements.
    unsafe fn elements<T: ArrowNativeType>(&self, index: usize, count: usize) -> Result<ScalarBuffer<T>, Error> {
        let size = size_of::<T>();
        // SAFETY: the caller meets the `# Safety` conditions of this function. `new` checked that the products do not
        // overflow.
        let buffer = unsafe { self.bytes(index, self.offset * size, count * size) }?;
        let first = buffer.as_ptr().cast::<T>();
        if count == 0 {
            return Ok(ScalarBuffer::from(Vec::new()));
        }
        if first.addr().is_multiple_of(align_of::<T>()) {
            return Ok(ScalarBuffer::new(buffer, 0, count));
        }
        let mut aligned = room(count)?;
        // SAFETY: the buffer has `count` elements.
        aligned.extend((0..count).map(|number| unsafe { first.add(number).read_unaligned() }));
        Ok(aligned.into())
    }

    /// Returns the nulls, or `None` if no row is null. It is an error if their number differs from the array's
    /// `null_count`, unless that is -1, which means that the number is unknown.
    ///
    /// # Safety
    /// The conditions of [`import`] hold for the array.
    unsafe fn nulls(&self) -> Result<Option<NullBuffer>, Error> {
        let is_missing = self.buffers[0].is_null();
        let nulls = if is_missing || self.len == 0 {
            None
        } else {
            let (start, shift) = (self.offset / 8, self.offset % 8);
            // SAFETY: the array is valid, so it has a bit for each row.
            let mut bits = unsafe { self.bytes(0, start, (shift + self.len).div_ceil(8)) }?;
            if shift > 0 {
                // If the bits begin inside a byte, move them to the start of a byte now. Otherwise a later copy would
                // do this, by a call that ends the process if memory runs out.
                let mut moved = room(bits.len())?;
                moved.extend((0..self.len.div_ceil(8)).map(|byte| {
                    let next = bits.get(byte + 1).copied().unwrap_or_default();
                    bits[byte] >> shift | next << (8 - shift)
                }));
                bits = Buffer::from_vec(moved);
            }
            Some(NullBuffer::new(BooleanBuffer::new(bits, 0, self.len)))
        };
        let counted = nulls.as_ref().map_or(0, NullBuffer::null_count);
        if self.null_count >= 0 && self.null_count as usize != counted {
            let found = if is_missing { "no bitmap".into() } else { format!("a bitmap with {counted} nulls") };
            return Err(wrong(format!("the array has a null_count of {}, and {found}", self.null_count)));
        }
        Ok(nulls.filter(|nulls| nulls.null_count() > 0))
    }

    /// # Safety
    /// The conditions of [`import`] hold for the array. It has offsets and at least one row.
    unsafe fn strings<T: ByteArrayType>(&self) -> Result<ArrayRef, Error> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let (nulls, offsets) = unsafe { (self.nulls()?, self.elements::<T::Offset>(1, self.len + 1)?) };
        let ascend = offsets.windows(2).fold(true, |ascend, ends| ascend & (ends[0] <= ends[1]));
        if !ascend || offsets[0] < T::Offset::default() {
            return Err(wrong("the array's offsets are negative, or do not ascend"));
        }
        // SAFETY: the interface says that the values end at the last offset, and that text is UTF-8. The offsets
        // ascend, as checked.
        unsafe {
            let values = self.bytes(2, 0, offsets[self.len].as_usize())?;
            Ok(Arc::new(GenericByteArray::<T>::new_unchecked(OffsetBuffer::new_unchecked(offsets), values, nulls)))
        }
    }

    /// # Safety
    /// The conditions of [`import`] hold for the array. It has views and at least one row.
    unsafe fn views<T: ByteViewType>(&self) -> Result<ArrayRef, Error> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let (nulls, views) = unsafe { (self.nulls()?, self.elements::<u128>(1, self.len)?) };
        // The data buffers are between the views and the last buffer. The last buffer holds the lengths of the data
        // buffers.
        let count = self.buffers.len() - 3;
        let lengths = self.buffers[self.buffers.len() - 1].cast::<i64>();
        if count > 0 && lengths.is_null() {
            return Err(wrong("the lengths of the array's buffers are missing"));
        }
        let buffers = collect((0..count).map(|number| {
            // SAFETY: the last buffer has a length for each data buffer.
            let len = unsafe { lengths.add(number).read_unaligned() };
            let len = usize::try_from(len).map_err(|_| wrong("the length of a buffer of the array is negative"))?;
            // SAFETY: the interface says that the data buffer has this length.
            unsafe { self.bytes(2 + number, 0, len) }
        }))?;
        let is_within = |view: u128| {
            let (len, buffer, start) = (view as u32 as usize, (view >> 64) as u32 as usize, (view >> 96) as usize);
            len <= INLINE
                || buffers.get(buffer).is_some_and(|buffer: &Buffer| {
                    i32::try_from(len).is_ok() && start.checked_add(len).is_some_and(|end| end <= buffer.len())
                })
        };
        for (row, &view) in views.iter().enumerate() {
            if !is_within(view) && nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                return Err(wrong(format!("the array's row {row} is not within its buffers")));
            }
        }
        // SAFETY: the views of all rows that aren't null are within the buffers, as checked. The interface says that
        // text is UTF-8.
        unsafe { Ok(Arc::new(GenericByteViewArray::<T>::new_unchecked(views, buffers.into(), nulls))) }
    }

    /// # Safety
    /// The conditions of [`import`] hold for the array. It has a dictionary.
    unsafe fn dictionary<K: ArrowDictionaryKeyType>(&self, values: &DataType) -> Result<ArrayRef, Error> {
        let Some(dictionary) = self.dictionary else { return Err(wrong("the array's dictionary is missing")) };
        // SAFETY: the caller meets the `# Safety` conditions of this function. `owner` also owns the dictionary.
        let (nulls, keys, values) = unsafe {
            let values = Part::new(self.owner, dictionary)?.into_array(values)?;
            (self.nulls()?, self.elements::<K::Native>(1, self.len)?, values)
        };
        Ok(Arc::new(DictionaryArray::try_new(PrimitiveArray::<K>::try_new(keys, nulls)?, values)?))
    }
}

/// Takes ownership of all arrays of a stream.
///
/// # Safety
/// `stream` is a valid stream of Arrow's C stream interface, or a released one, and no other code uses it.
pub(crate) unsafe fn import_stream(mut stream: FFI_ArrowArrayStream) -> Result<(DataType, Vec<ArrayRef>), Error> {
    let (Some(get_schema), Some(get_next), Some(_)) = (stream.get_schema(), stream.get_next(), stream.release()) else {
        return Err(wrong("the stream was released, or taken over before: a capsule can be used once"));
    };
    let (mut schema, mut chunks) = (FFI_ArrowSchema::empty(), Vec::new());
    // SAFETY: the stream is not released, and the interface defines these calls.
    unsafe {
        let code = get_schema(&raw mut stream, &raw mut schema);
        succeeded(&mut stream, code)?;
        let data_type = type_of(&schema)?;
        loop {
            let mut array = FFI_ArrowArray::empty();
            let code = get_next(&raw mut stream, &raw mut array);
            succeeded(&mut stream, code)?;
            if array.is_released() {
                return Ok((data_type, chunks));
            }
            push(&mut chunks, import(array, &data_type)?)?;
        }
    }
}

/// If the return code of a call is not 0, turns it into an error.
///
/// # Safety
/// `stream` is not released, and its last call returned `code`.
unsafe fn succeeded(stream: &mut FFI_ArrowArrayStream, code: c_int) -> Result<(), Error> {
    const ENOMEM: c_int = 12;
    if code == 0 {
        return Ok(());
    }
    if code == ENOMEM {
        return Err(Fault::Memory.into());
    }
    let get_last_error = stream.get_last_error();
    // SAFETY: the caller meets the `# Safety` conditions of this function. The text lives until the next call of the
    // stream.
    let error = unsafe {
        let text = get_last_error.map_or(std::ptr::null(), |get| get(std::ptr::from_mut(stream)));
        if text.is_null() { format!("error {code}") } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    };
    Err(wrong(format!("the stream failed: {error}")))
}
