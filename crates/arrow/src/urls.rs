//! Splits URLs into structs.

use arrow_array::ArrayRef;
use percent_simd_host::collect;

use crate::rows::{Texts, Validity, rows, structs};
use crate::url::{URL_FIELDS, lossy, parts};
use crate::{Error, sound};

/// Splits the URL or reference in each row into a struct of texts (RFC 3986 3).
///
/// The fields are those of [`URL_FIELDS`], as they are written in the URL. So decode each field afterwards. Only
/// `domain`, the registrable domain of the host, is decoded and in lower case. This field needs the feature `domains`.
/// A field is null if the URL lacks it. The path is never null, but may be empty. `user` ends at the first `:`, so
/// there is no password in the result. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if the texts of a field in all rows together exceed 2 GiB, or
/// if memory cannot be allocated.
pub fn parse_url(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(array, || {
        let rows = rows(array)?;
        let mut columns = collect(URL_FIELDS.iter().map(|_| Texts::with_room(rows.len())))?;
        let mut nulls = Validity::with_room(rows.len())?;
        for (number, row) in rows.into_iter().enumerate() {
            nulls.push(row.is_some())?;
            let text = row.map(lossy).transpose()?;
            let fields = text.as_deref().map(parts).unwrap_or_default();
            columns.iter_mut().zip(fields).try_for_each(|(column, field)| column.push(field.as_deref(), number))?;
        }
        structs(&URL_FIELDS, columns, nulls.finish(), array.len())
    })
}
