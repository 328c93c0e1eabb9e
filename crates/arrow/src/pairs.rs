//! The parameters of queries, as lists and as maps.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, MapBuilder, MapFieldNames, StringBuilder, StructBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use percent_standards::form;

use crate::{Error, query};

/// Returns the query parameters of each row, a URL or reference, decoded: a list of structs, of `name` and `value`, both text.
/// Bytes that are not UTF-8 become U+FFFD.
///
/// # Errors
///
/// If the array is neither of text nor of bytes.
pub fn parse_query(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let fields =
        Fields::from(vec![Field::new("name", DataType::Utf8, false), Field::new("value", DataType::Utf8, false)]);
    let pairs =
        StructBuilder::new(fields.clone(), vec![Box::new(StringBuilder::new()), Box::new(StringBuilder::new())]);
    let mut lists = ListBuilder::new(pairs).with_field(Field::new("item", DataType::Struct(fields), false));
    for row in rows(array)? {
        let text = row.map(String::from_utf8_lossy);
        for (name, value) in text.iter().flat_map(|text| form::parse(query(text))) {
            let pairs = lists.values();
            for (field, text) in [(0, name), (1, value)] {
                if let Some(builder) = pairs.field_builder::<StringBuilder>(field) {
                    builder.append_value(text);
                }
            }
            pairs.append(true);
        }
        lists.append(row.is_some());
    }
    Ok(Arc::new(lists.finish()))
}

/// Returns the query parameters of each row, a URL or reference, decoded: a map from text to text, with the fields `entries`,
/// `key` and `value`. Of those with one name it has the first. Bytes that are not UTF-8 become U+FFFD.
///
/// # Errors
///
/// If the array is neither of text nor of bytes.
pub fn query_map(array: &ArrayRef) -> Result<ArrayRef, Error> {
    let names = MapFieldNames { entry: "entries".into(), key: "key".into(), value: "value".into() };
    let mut maps = MapBuilder::new(Some(names), StringBuilder::new(), StringBuilder::new());
    let mut seen = HashSet::new();
    for row in rows(array)? {
        seen.clear();
        let text = row.map(String::from_utf8_lossy);
        for (name, value) in text.iter().flat_map(|text| form::parse(query(text))) {
            if !seen.contains(&*name) {
                maps.keys().append_value(&name);
                maps.values().append_value(value);
                seen.insert(name.into_owned());
            }
        }
        maps.append(row.is_some())?;
    }
    Ok(Arc::new(maps.finish()))
}

/// Returns the rows of `array`, `None` where they are null.
fn rows(array: &ArrayRef) -> Result<Vec<Option<&[u8]>>, Error> {
    fn collect<'a, T: AsRef<[u8]> + ?Sized + 'a>(rows: impl Iterator<Item = Option<&'a T>>) -> Vec<Option<&'a [u8]>> {
        rows.map(|row| row.map(T::as_ref)).collect()
    }
    Ok(match array.data_type() {
        DataType::Utf8 => collect(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => collect(array.as_string::<i64>().iter()),
        DataType::Utf8View => collect(array.as_string_view().iter()),
        DataType::Binary => collect(array.as_binary::<i32>().iter()),
        DataType::LargeBinary => collect(array.as_binary::<i64>().iter()),
        DataType::BinaryView => collect(array.as_binary_view().iter()),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let values = rows(dictionary.values())?;
            if values.is_empty() {
                return Ok(vec![None; array.len()]);
            }
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            keys.map(|(row, key)| if array.is_null(row) { None } else { values.get(key).copied().flatten() }).collect()
        }
        DataType::Null => vec![None; array.len()],
        other => return Err(Error::Type(other.clone())),
    })
}
