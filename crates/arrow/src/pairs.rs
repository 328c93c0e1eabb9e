//! Reads the parameters of queries to lists or to maps.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Utf8Type;
use arrow_array::{Array as _, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use percent_simd_host::collect;
use percent_standards::form;

use crate::rows::{Ends, Strings, Texts, Validity, build, rows, structs};
use crate::url::{self, lossy, of_url, param, query};
use crate::{Error, sound};

/// Returns the decoded query parameters of each row as a list of structs. Each row is a URL or a reference.
///
/// A struct has the fields `name` and `value`, both text. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if the names or the values of all pairs exceed 2
/// GiB, or if memory cannot be allocated.
pub fn parse_query(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(array, || {
        let fields = vec![Field::new("name", DataType::Utf8, false), Field::new("value", DataType::Utf8, false)];
        let Pairs { lists, entries, nulls } = pairs(array, fields, false)?;
        let item = Field::new("item", entries.data_type().clone(), false);
        Ok(Arc::new(ListArray::try_new(Arc::new(item), lists, Arc::new(entries), nulls)?))
    })
}

/// Returns the decoded query parameters of each row as a map from text to text. Each row is a URL or a reference.
///
/// The map has the fields `entries`, `key` and `value`. If a name is repeated, the map has the first value. Bytes that
/// aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if the names or the values of all pairs exceed 2
/// GiB, or if memory cannot be allocated.
pub fn query_map(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(array, || {
        let fields = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)];
        let Pairs { lists, entries, nulls } = pairs(array, fields, true)?;
        let field = Field::new("entries", entries.data_type().clone(), false);
        Ok(Arc::new(MapArray::try_new(Arc::new(field), lists, entries, nulls, false)?))
    })
}

/// Returns the decoded values of several query parameters of each row as a struct of texts, with a field for each name.
///
/// A field is null if the row has no parameter of this name. If a name is repeated in a row, the field has the first
/// value of this name. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error in these cases:
///
/// - two of `names` are equal;
/// - the array contains neither text nor bytes;
/// - the values of one name in all rows together exceed 2 GiB;
/// - memory cannot be allocated.
pub fn query_params(array: &ArrayRef, names: &[String]) -> Result<ArrayRef, Error> {
    sound(array, || {
        let mut numbers = HashMap::new();
        numbers.try_reserve(names.len())?;
        for (number, name) in names.iter().enumerate() {
            if numbers.insert(name.as_str(), number).is_some() {
                return Err(ArrowError::InvalidArgumentError(format!(
                    "the name {name:?} is repeated: pass each name once"
                ))
                .into());
            }
        }
        let rows = rows(array)?;
        let mut columns = collect(names.iter().map(|_| Texts::with_room(rows.len())))?;
        let mut nulls = Validity::with_room(rows.len())?;
        for (number, row) in rows.into_iter().enumerate() {
            nulls.push(row.is_some())?;
            let text = lossy(row.unwrap_or_default())?;
            let mut found = vec![None; names.len()];
            for (name, value) in form::parse(query(&text)) {
                if let Some(&at) = numbers.get(&*name)
                    && found[at].is_none()
                {
                    found[at] = Some(value);
                }
            }
            columns.iter_mut().zip(found).try_for_each(|(column, value)| column.push(value.as_deref(), number))?;
        }
        structs(names, columns, nulls.finish(), array.len())
    })
}

/// Returns the decoded values of all query parameters of each row that are called `name`, as a list of texts.
///
/// The list is empty if the row has no such parameter. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array contains neither text nor bytes, if the values exceed 2 GiB, or if memory cannot be
/// allocated.
pub fn query_values(array: &ArrayRef, name: &str) -> Result<ArrayRef, Error> {
    sound(array, || {
        let rows = rows(array)?;
        let mut values = Strings::<Utf8Type>::with_room(0)?;
        let (mut lists, mut nulls) = (Ends::with_room(rows.len())?, Validity::with_room(rows.len())?);
        let mut len = 0;
        for (number, row) in rows.into_iter().enumerate() {
            nulls.push(row.is_some())?;
            let text = lossy(row.unwrap_or_default())?;
            for (_, value) in form::parse(query(&text)).filter(|(found, _)| found == name) {
                values.push(value.as_bytes(), number)?;
                len += 1;
            }
            lists.push(len, number)?;
        }
        let item = Field::new("item", DataType::Utf8, false);
        Ok(Arc::new(ListArray::try_new(Arc::new(item), lists.finish(), values.finish(None)?, nulls.finish())?))
    })
}

/// Returns the decoded value of one query parameter of each row. The same row of `names` has the name of the parameter.
/// If a row has several parameters of this name, returns the value of the first.
///
/// The result has the type of `array`. If `array` is a dictionary, the result has the type of the dictionary's values,
/// because one value of the dictionary can have a different result in each row.
///
/// The result is null if the row or its name is null, or if the row has no such parameter. Bytes that aren't UTF-8 become
/// U+FFFD. If one of the arrays has a single row, this row is used for all rows of the other array.
///
/// # Errors
///
/// Returns an error if the arrays have different lengths, if one contains neither text nor bytes, if the values are too
/// long for the type of the result, or if memory cannot be allocated.
pub fn query_param_by(array: &ArrayRef, names: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(array, || {
        let (urls, names) = (rows(array)?, rows(names)?);
        let len = match (urls.len(), names.len()) {
            (len, 1) | (1, len) => len,
            (len, others) if len == others => len,
            (urls, names) => {
                let message = format!("there are {urls} rows and {names} names");
                return Err(ArrowError::InvalidArgumentError(message).into());
            }
        };
        build(array.data_type(), len, |number| {
            let pair = (urls[number.min(urls.len() - 1)], names[number.min(names.len() - 1)]);
            let (Some(row), Some(wanted)) = pair else { return Ok(None) };
            Ok(of_url(row, |url| param(url, wanted))?)
        })
    })
}

/// The parameters of all rows as structs, and for each row the list of its structs.
struct Pairs {
    lists: OffsetBuffer<i32>,
    entries: StructArray,
    nulls: Option<NullBuffer>,
}

/// Returns the parameters of each row. If `distinct` is true, returns only the first parameter of each name.
fn pairs(array: &ArrayRef, fields: Vec<Field>, distinct: bool) -> Result<Pairs, Error> {
    let rows = rows(array)?;
    let (mut names, mut values) = (Strings::<Utf8Type>::with_room(0)?, Strings::<Utf8Type>::with_room(0)?);
    let (mut lists, mut nulls) = (Ends::with_room(rows.len())?, Validity::with_room(rows.len())?);
    let mut pairs = 0;
    for (number, row) in rows.into_iter().enumerate() {
        nulls.push(row.is_some())?;
        let text = lossy(row.unwrap_or_default())?;
        url::pairs(&text, distinct, |name, value| {
            names.push(name.as_bytes(), number)?;
            values.push(value.as_bytes(), number)?;
            pairs += 1;
            Ok::<_, Error>(())
        })?;
        lists.push(pairs, number)?;
    }
    let entries = StructArray::try_new(Fields::from(fields), vec![names.finish(None)?, values.finish(None)?], None)?;
    Ok(Pairs { lists: lists.finish(), entries, nulls: nulls.finish() })
}
