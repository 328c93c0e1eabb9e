//! Operations that transform one row after another.

use std::borrow::Cow;

use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array as _, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::NullBuffer;
use percent_simd::batch::Offset;
use percent_simd_host::extend;

use crate::operation::Operation;
use crate::rows::{Strings, Validity, ViewBuffers};
use crate::{Error, Errors, RowError, RowFault};

/// An operation that calls a function with each row. If the function returns `None`, the row becomes null.
pub(crate) struct RowByRow<'f, F> {
    each: &'f F,
    errors: Errors,
}

impl<'f, F: for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>> RowByRow<'f, F> {
    pub(crate) fn new(each: &'f F, errors: Errors) -> RowByRow<'f, F> {
        RowByRow { each, errors }
    }

    /// Returns the new row, or `None` if the row becomes null. `number` is the index of the row, which an error
    /// reports.
    fn row<'r>(&self, number: usize, row: &'r [u8]) -> Result<Option<Cow<'r, [u8]>>, Error> {
        (self.each)(row).or_else(|fault| match self.errors {
            Errors::Keep | Errors::Replace => Ok(Some(Cow::Borrowed(row))),
            Errors::Null => Ok(None),
            Errors::Strict => Err(Error::Row(RowError { row: number, fault, value: String::new() })),
        })
    }
}

impl<F: for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>> Operation for RowByRow<'_, F> {
    fn forgiving(&self) -> Option<Self> {
        (self.errors == Errors::Strict).then_some(RowByRow { each: self.each, errors: Errors::Null })
    }

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(
        &self,
        array: &GenericByteArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        let (mut out, mut new_nulls) = (Strings::<T>::with_room(array.len())?, Validity::with_room(array.len())?);
        for row in 0..array.len() {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let result = if is_null { None } else { self.row(row, array.value(row).as_ref())? };
            new_nulls.push(result.is_some())?;
            out.push(&result.unwrap_or_default(), row)?;
        }
        out.finish(new_nulls.finish())
    }

    fn of_views<T: ByteViewType>(
        &self,
        array: &GenericByteViewArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        let mut buffers = ViewBuffers::new(array.data_buffers().to_vec());
        let mut new_nulls = Validity::with_room(array.len())?;
        let mut views = Vec::new();
        extend(&mut views, array.views())?;
        for (row, view) in views.iter_mut().enumerate() {
            // Don't read the view of a null row, because it may be invalid.
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let bytes: &[u8] = if is_null { &[] } else { array.value(row).as_ref() };
            let result = if is_null { None } else { self.row(row, bytes)? };
            new_nulls.push(result.is_some())?;
            match result {
                Some(Cow::Borrowed(same)) if same == bytes => {}
                None => *view = 0,
                Some(new) => *view = buffers.add(&new, row)?,
            }
        }
        buffers.finish::<T>(views, new_nulls.finish())
    }
}
