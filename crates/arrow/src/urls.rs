//! Splits URLs to structs.

use arrow_array::ArrayRef;
use percent_simd_host::collect;
use percent_standards::uri::Uri;

use crate::rows::{Texts, Validity, lossy, rows, structs};
use crate::{Error, sound};

/// The names of the fields, in the order of a URL.
const FIELDS: [&str; 7] = ["scheme", "user", "host", "port", "path", "query", "fragment"];

/// Splits the URL or reference in each row to a struct of texts (RFC 3986 3).
///
/// The fields are `scheme`, `user`, `host`, `port`, `path`, `query` and `fragment`, as they are written: decode each one
/// afterwards. A field is null if the URL lacks it. The path is never null, but may be empty. `user` ends at the first
/// `:`, so there is no password in the result. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array is neither of text nor of bytes, if a field of all rows exceeds 2 GiB, or if memory cannot
/// be allocated.
pub fn parse_url(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(array, || {
        let rows = rows(array)?;
        let mut columns = collect(FIELDS.iter().map(|_| Texts::with_room(rows.len())))?;
        let mut nulls = Validity::with_room(rows.len())?;
        for (number, row) in rows.into_iter().enumerate() {
            nulls.push(row.is_some())?;
            let text = row.map(lossy).transpose()?;
            let uri = text.as_deref().map(Uri::split);
            let authority = uri.as_ref().and_then(Uri::authority_parts);
            let user = authority.and_then(|authority| authority.userinfo?.split(':').next());
            let fields = [
                uri.as_ref().and_then(|uri| uri.scheme),
                user,
                authority.map(|authority| authority.host),
                authority.and_then(|authority| authority.port),
                uri.as_ref().map(|uri| uri.path),
                uri.as_ref().and_then(|uri| uri.query),
                uri.as_ref().and_then(|uri| uri.fragment),
            ];
            columns.iter_mut().zip(fields).try_for_each(|(column, field)| column.push(field, number))?;
        }
        structs(&FIELDS, columns, nulls.finish(), array.len())
    })
}
