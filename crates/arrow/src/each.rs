//! Operations that transform one row after another.

use std::borrow::Cow;

use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array as _, ArrayRef, GenericByteArray, GenericByteViewArray};
use percent_simd::batch::Offset;
use percent_simd_host::extend;

use crate::operation::Operation;
use crate::rows::{Strings, Validity, ViewBuffers};
use crate::{Error, Errors, RowFault};

/// An operation that calls a function with each row. If the function returns `None`, the row becomes null.
pub(crate) struct RowByRow<'f, F> {
    each: &'f F,
    errors: Errors,
}

impl<'f, F: for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>> RowByRow<'f, F> {
    pub(crate) fn new(each: &'f F, errors: Errors) -> RowByRow<'f, F> {
        RowByRow { each, errors }
    }

    /// Returns the new row, or `None` if the row becomes null.
    fn row<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        (self.each)(row).unwrap_or(match self.errors {
            Errors::Keep | Errors::Replace => Some(Cow::Borrowed(row)),
            Errors::Null | Errors::Strict => None,
        })
    }
}

impl<F: for<'r> Fn(&'r [u8]) -> Result<Option<Cow<'r, [u8]>>, RowFault>> Operation for RowByRow<'_, F> {
    fn fault(&self, row: &[u8]) -> Option<RowFault> {
        (self.each)(row).err()
    }

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(&self, array: &GenericByteArray<T>) -> Result<ArrayRef, Error> {
        let (mut out, mut new_nulls) = (Strings::<T>::with_room(array.len())?, Validity::with_room(array.len())?);
        for row in 0..array.len() {
            let is_null = array.is_null(row);
            let result = if is_null { None } else { self.row(array.value(row).as_ref()) };
            new_nulls.push(result.is_some())?;
            out.push(&result.unwrap_or_default(), row)?;
        }
        out.finish(new_nulls.finish())
    }

    fn of_views<T: ByteViewType>(&self, array: &GenericByteViewArray<T>) -> Result<ArrayRef, Error> {
        let mut buffers = ViewBuffers::new(array.data_buffers().to_vec());
        let mut new_nulls = Validity::with_room(array.len())?;
        let mut views = Vec::new();
        extend(&mut views, array.views())?;
        for (row, view) in views.iter_mut().enumerate() {
            // Don't read the view of a null row, because it may be invalid.
            let is_null = array.is_null(row);
            let bytes: &[u8] = if is_null { &[] } else { array.value(row).as_ref() };
            let result = if is_null { None } else { self.row(bytes) };
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
