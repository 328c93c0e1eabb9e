//! Rows as Python objects, and arrays as parts that Python can pickle.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, GenericBinaryType, GenericStringType};
use arrow_array::{Array, ArrayRef, downcast_integer_array, make_array};
use arrow_buffer::{ArrowNativeType as _, Buffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field};
use percent_simd_arrow::from_rows;
use percent_simd_host::{self as host, Fault};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList, PySlice, PyString, PyTuple};

use crate::fault::{collect, column_error, fault, new_error, no_memory, value_error};
use crate::text::{new_bytes, new_str, new_tuple};

/// Returns a row of an array that one of our operations can return. `row` is less than the length of the array.
pub(crate) fn value<'py>(py: Python<'py>, array: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    Ok(match array.data_type() {
        DataType::Utf8 => new_str(py, array.as_string::<i32>().value(row))?.into_any(),
        DataType::LargeUtf8 => new_str(py, array.as_string::<i64>().value(row))?.into_any(),
        DataType::Utf8View => new_str(py, array.as_string_view().value(row))?.into_any(),
        DataType::Binary => new_bytes(py, array.as_binary::<i32>().value(row))?.into_any(),
        DataType::LargeBinary => new_bytes(py, array.as_binary::<i64>().value(row))?.into_any(),
        DataType::BinaryView => new_bytes(py, array.as_binary_view().value(row))?.into_any(),
        DataType::Null => py.None().into_bound(py),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let keys = dictionary.keys();
            let key = downcast_integer_array! {
                keys => keys.value(row).as_usize(),
                other => return Err(unknown(other))
            };
            if key >= dictionary.values().len() {
                return Err(new_error::<PyValueError>(format!("the key of row {row} is beyond the dictionary")));
            }
            value(py, dictionary.values(), key)?
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            (0..items.len()).try_for_each(|item| list.append(value(py, &items, item)?))?;
            list.into_any()
        }
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(new_str(py, field.name())?, value(py, column, row)?)?;
            }
            dict.into_any()
        }
        other => return Err(unknown(other)),
    })
}

fn unknown(data_type: &DataType) -> PyErr {
    new_error::<PyTypeError>(format!("rows of type {data_type} have no Python objects"))
}

/// Returns the Python expression for the rows of a column. Shortens long rows, and leaves out rows in the middle.
pub(crate) fn summary(py: Python<'_>, len: usize, value: impl Fn(usize) -> PyResult<Py<PyAny>>) -> PyResult<String> {
    /// At most this many rows are shown at the start. The last row is always shown, too.
    const FIRST: usize = 5;
    /// At most this many characters of a row are shown.
    const WIDTH: isize = 60;
    let mut text = String::from("[");
    for row in (0..len).filter(|&row| row < FIRST || row + 1 == len) {
        if row > 0 {
            text += ", ";
        }
        if row > FIRST {
            text += "..., ";
        }
        let shown = value(row)?.bind(py).repr()?;
        // Shorten the text before we copy it, because a row can be large.
        let start = shown.get_item(PySlice::new(py, 0, WIDTH, 1))?;
        text += start.cast::<PyString>()?.to_str()?;
        if shown.len()? > WIDTH as usize {
            text += "...";
        }
    }
    Ok(text + "]")
}

/// The parts of an array: its length, its validity, its buffers, and the parts of its children. The type isn't a part.
type Parts<'py> = (usize, Option<Bound<'py, PyBytes>>, Vec<Bound<'py, PyBytes>>, Vec<Bound<'py, PyTuple>>);

/// Returns the parts of an array.
pub(crate) fn parts<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Bound<'py, PyTuple>> {
    fn of<'py>(py: Python<'py>, data: &ArrayData) -> PyResult<Bound<'py, PyTuple>> {
        let nulls = data.nulls().map(|nulls| new_bytes(py, &nulls.inner().sliced())).transpose()?;
        let buffers = collect(data.buffers().iter().map(|buffer| new_bytes(py, buffer)))?;
        let children = collect(data.child_data().iter().map(|child| of(py, child)))?;
        let (len, nulls) = (data.len().into_pyobject(py)?, nulls.into_pyobject(py)?);
        let (buffers, children) = (buffers.into_pyobject(py)?, children.into_pyobject(py)?);
        new_tuple!(py, len, nulls, buffers, children)
    }
    of(py, &compact(array)?.to_data())
}

/// Returns an array with the same rows. If the rows are strings, leaves out the bytes before the first row and after
/// the last row, which a slice can have.
fn compact(array: &ArrayRef) -> PyResult<ArrayRef> {
    fn of<T: ByteArrayType>(array: &ArrayRef) -> PyResult<ArrayRef> {
        let strings = array.as_bytes::<T>();
        let offsets = strings.value_offsets();
        if offsets[strings.len()].as_usize() - offsets[0].as_usize() == strings.value_data().len() {
            return Ok(array.clone());
        }
        let rows = collect(strings.iter().map(|row| Ok(row.map(AsRef::as_ref))))?;
        from_rows::<T>(&rows).map_err(column_error)
    }
    match array.data_type() {
        DataType::Utf8 => of::<GenericStringType<i32>>(array),
        DataType::LargeUtf8 => of::<GenericStringType<i64>>(array),
        DataType::Binary => of::<GenericBinaryType<i32>>(array),
        DataType::LargeBinary => of::<GenericBinaryType<i64>>(array),
        _ => Ok(array.clone()),
    }
}

/// Returns the array that has these parts. Checks them, because a pickle can come from anywhere.
pub(crate) fn from_parts(data_type: &DataType, parts: &Bound<'_, PyTuple>) -> PyResult<ArrayRef> {
    fn of(data_type: &DataType, parts: &Bound<'_, PyTuple>) -> PyResult<ArrayData> {
        let (len, nulls, buffers, children): Parts<'_> = parts.extract()?;
        let fields = match data_type {
            DataType::List(item) => vec![item.data_type()],
            DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
            DataType::Dictionary(_, values) => vec![&**values],
            _ => Vec::new(),
        };
        if fields.len() != children.len() {
            return Err(new_error::<PyValueError>(format!(
                "an array of type {data_type} has {} children",
                fields.len()
            )));
        }
        let children = collect(fields.iter().zip(&children).map(|(field, child)| of(field, child)))?;
        let buffer = |bytes: &Bound<'_, PyBytes>| {
            let mut vec = Vec::new();
            host::extend(&mut vec, bytes.as_bytes()).map_err(no_memory)?;
            Ok(Buffer::from_vec(vec))
        };
        ArrayDataBuilder::new(data_type.clone())
            .len(len)
            .null_bit_buffer(nulls.as_ref().map(buffer).transpose()?)
            .buffers(collect(buffers.iter().map(buffer))?)
            .child_data(children)
            .align_buffers(true)
            .build()
            .map_err(value_error)
    }
    // arrow panics for some invalid buffers.
    match host::guarded(|| of(data_type, parts).map(make_array)) {
        Ok(array) => array,
        Err(Fault::Internal(_)) => Err(new_error::<PyValueError>("the pickle has invalid buffers")),
        Err(memory) => Err(fault(memory)),
    }
}

/// The types that have no other types as parts.
const PLAIN: [DataType; 15] = [
    DataType::Utf8,
    DataType::LargeUtf8,
    DataType::Utf8View,
    DataType::Binary,
    DataType::LargeBinary,
    DataType::BinaryView,
    DataType::Null,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::UInt8,
    DataType::UInt16,
    DataType::UInt32,
    DataType::UInt64,
];

/// Returns a type as Python objects, for a pickle: its name, or a tuple of the name and the types of the parts. A struct
/// also has the names of its fields.
pub(crate) fn type_to_python<'py>(py: Python<'py>, data_type: &DataType) -> PyResult<Bound<'py, PyAny>> {
    let nullable = |field: &Field| PyBool::new(py, field.is_nullable()).to_owned();
    Ok(match data_type {
        DataType::Dictionary(keys, values) => {
            let (name, keys) = (new_str(py, "Dictionary")?, type_to_python(py, keys)?);
            let values = type_to_python(py, values)?;
            new_tuple!(py, name, keys, values)?.into_any()
        }
        DataType::List(item) => {
            let (name, nullable) = (new_str(py, "List")?, nullable(item));
            let item = type_to_python(py, item.data_type())?;
            new_tuple!(py, name, item, nullable)?.into_any()
        }
        DataType::Struct(fields) => {
            let list = PyList::empty(py);
            for field in fields {
                let (name, nullable) = (new_str(py, field.name())?, nullable(field));
                let field = type_to_python(py, field.data_type())?;
                list.append(new_tuple!(py, name, field, nullable)?)?;
            }
            let name = new_str(py, "Struct")?;
            new_tuple!(py, name, list)?.into_any()
        }
        plain => new_str(py, &plain.to_string())?.into_any(),
    })
}

/// Returns the type in a pickle. Our types have at most `depth` levels of parts.
pub(crate) fn type_from_python(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<DataType> {
    let wrong = || new_error::<PyValueError>("the pickle has an invalid type");
    if let Ok(name) = object.cast::<PyString>() {
        let name = name.to_str()?;
        return PLAIN.into_iter().find(|plain| plain.to_string() == name).ok_or_else(wrong);
    }
    let depth = depth.checked_sub(1).ok_or_else(wrong)?;
    let tuple = object.cast::<PyTuple>().map_err(|_| wrong())?;
    let name: Bound<'_, PyString> = tuple.get_item(0)?.cast_into().map_err(|_| wrong())?;
    Ok(match (name.to_str()?, tuple.len()) {
        ("Dictionary", 3) => {
            let (keys, values) =
                (type_from_python(&tuple.get_item(1)?, depth)?, type_from_python(&tuple.get_item(2)?, depth)?);
            if !keys.is_integer() {
                return Err(wrong());
            }
            DataType::Dictionary(Box::new(keys), Box::new(values))
        }
        ("List", 3) => {
            let item = type_from_python(&tuple.get_item(1)?, depth)?;
            DataType::List(Arc::new(Field::new("item", item, tuple.get_item(2)?.extract()?)))
        }
        ("Struct", 2) => {
            let fields = collect(tuple.get_item(1)?.try_iter()?.map(|field| {
                let (name, field, nullable): (String, Bound<'_, PyAny>, bool) = field?.extract()?;
                Ok(Field::new(name, type_from_python(&field, depth)?, nullable))
            }))?;
            DataType::Struct(fields.into())
        }
        _ => return Err(wrong()),
    })
}
