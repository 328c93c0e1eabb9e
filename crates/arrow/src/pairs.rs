//! Reads the parameters of queries to lists or to maps.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::types::Utf8Type;
use arrow_array::{Array as _, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use percent_standards::form;

use crate::rows::{Ends, Strings, Validity, lossy, rows};
use crate::{Error, query, sound};

/// Returns the decoded query parameters of each row as a list of structs. Each row is a URL or a reference.
///
/// A struct has the fields `name` and `value`, both text. Bytes that aren't UTF-8 become U+FFFD.
///
/// # Errors
///
/// Returns an error if the array is neither of text nor of bytes, if the names or the values of all pairs exceed 2
/// GiB, or if memory cannot be allocated.
pub fn parse_query(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(|| {
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
/// Returns an error if the array is neither of text nor of bytes, if the names or the values of all pairs exceed 2
/// GiB, or if memory cannot be allocated.
pub fn query_map(array: &ArrayRef) -> Result<ArrayRef, Error> {
    sound(|| {
        let fields = vec![Field::new("key", DataType::Utf8, false), Field::new("value", DataType::Utf8, true)];
        let Pairs { lists, entries, nulls } = pairs(array, fields, true)?;
        let field = Field::new("entries", entries.data_type().clone(), false);
        Ok(Arc::new(MapArray::try_new(Arc::new(field), lists, entries, nulls, false)?))
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
        let mut seen = HashSet::new();
        for (name, value) in form::parse(query(&text)) {
            if !seen.contains(&name) {
                names.push(name.as_bytes(), number)?;
                values.push(value.as_bytes(), number)?;
                pairs += 1;
                if distinct {
                    seen.try_reserve(1)?;
                    seen.insert(name);
                }
            }
        }
        lists.push(pairs, number)?;
    }
    let entries = StructArray::try_new(Fields::from(fields), vec![names.finish(None)?, values.finish(None)?], None)?;
    Ok(Pairs { lists: lists.finish(), entries, nulls: nulls.finish() })
}
