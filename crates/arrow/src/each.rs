//! Operations that transform one row of text after another.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array as _, ArrayRef, GenericByteArray, GenericByteViewArray};
use arrow_buffer::{Buffer, NullBuffer};
use percent_simd::BatchError;
use percent_simd::batch::Offset;
use percent_simd_host::extend;
use percent_standards::{form, uri};

use crate::columns::{INLINE, Operation};
use crate::rows::{Strings, Validity};
use crate::{Error, query};

/// Transforms a row of text. `None` makes the row null.
pub(crate) trait EachText {
    /// If true, rows that aren't UTF-8 stay as they are. If false, they become null.
    const KEEPS_BYTES: bool;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>>;
}

pub(crate) struct Normalize;

impl EachText for Normalize {
    const KEEPS_BYTES: bool = true;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>> {
        Some(uri::sanitize(row))
    }
}

pub(crate) struct QueryParam<'n>(pub(crate) &'n str);

impl EachText for QueryParam<'_> {
    const KEEPS_BYTES: bool = false;

    fn text<'r>(&self, row: &'r str) -> Option<Cow<'r, str>> {
        form::parse(query(row)).find(|(name, _)| *name == self.0).map(|(_, value)| value)
    }
}

/// Wraps an [`EachText`] as an [`Operation`].
pub(crate) struct RowByRow<T>(pub(crate) T);

impl<E: EachText> RowByRow<E> {
    /// Returns the new row, or `None` if it becomes null.
    fn row<'r>(&self, row: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        let Ok(text) = str::from_utf8(row) else {
            return E::KEEPS_BYTES.then_some(Cow::Borrowed(row));
        };
        self.0.text(text).map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        })
    }
}

impl<E: EachText> Operation for RowByRow<E> {
    fn forgiving(&self) -> Option<Self> {
        None
    }

    fn of_offsets<T: ByteArrayType<Offset: Offset>>(
        &self,
        array: &GenericByteArray<T>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Error> {
        let (mut out, mut new_nulls) = (Strings::<T>::with_room(array.len())?, Validity::with_room(array.len())?);
        for row in 0..array.len() {
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let result = if is_null { None } else { self.row(array.value(row).as_ref()) };
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
        /// The approximate length of a buffer of new values. It must be below 4 GiB, because the offset in a view has
        /// 32 bits.
        const BUFFER: usize = 1 << 24;
        let mut buffers = array.data_buffers().to_vec();
        let mut out = Vec::new();
        let mut new_nulls = Validity::with_room(array.len())?;
        let mut views = Vec::new();
        extend(&mut views, array.views())?;
        for (row, view) in views.iter_mut().enumerate() {
            // Don't read the view of a null row, because it may be invalid.
            let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
            let bytes: &[u8] = if is_null { &[] } else { array.value(row).as_ref() };
            let result = if is_null { None } else { self.row(bytes) };
            new_nulls.push(result.is_some())?;
            match result {
                Some(Cow::Borrowed(same)) if same == bytes => {}
                None => *view = 0,
                Some(new) => {
                    if out.len() + new.len() > BUFFER && !out.is_empty() {
                        buffers.push(Buffer::from_vec(std::mem::take(&mut out)));
                    }
                    let fits = |len: usize| u32::try_from(len).map_err(|_| BatchError::TooLong(row));
                    *view = make_view(&new, fits(buffers.len())?, fits(out.len())?);
                    if new.len() > INLINE {
                        extend(&mut out, &new)?;
                    }
                }
            }
        }
        buffers.push(Buffer::from_vec(out));
        Ok(Arc::new(GenericByteViewArray::<T>::try_new(views.into(), buffers, new_nulls.finish())?))
    }
}
