//! The operations on columns as a plugin of Polars. It uses version 0.1 of the C interface of plugins, as in
//! polars-ffi.
//!
//! Polars finds the functions below by name in the library that `import percent_simd` loads. It calls them from its own
//! threads, without the interpreter's lock. No function here takes that lock.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::{ptr, slice};

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, Field, Metadata};
use percent_simd_arrow::{Error, RowError};
use percent_simd_host::{guarded, push, room};

use crate::fault::Failure;
use crate::import;
use crate::operation::{Operation, query_param_by};

/// The version of the interface: the major number in the upper 16 bits, the minor number in the lower 16 bits.
const VERSION: u32 = 1;

/// A series in the layout of the plugin interface.
#[repr(C)]
pub struct SeriesExport {
    field: *mut FFI_ArrowSchema,
    arrays: *mut *mut FFI_ArrowArray,
    len: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

/// Reads the operation and its options. `register_plugin_function` gets them as keyword arguments, which Polars pickles.
fn operation(kwargs: &[u8]) -> Result<Operation, String> {
    serde_pickle::from_slice(kwargs, Default::default()).map_err(text)
}

/// The key of the metadata with the categories of an Enum. The metadata has for each category its length in bytes, a
/// semicolon, and its text.
const CATEGORIES: &str = "_PL_ENUM_VALUES2";

/// Returns a column of this field without rows. If it is an Enum, the dictionary has all categories.
fn empty_column(field: &Field) -> ArrayRef {
    let empty = arrow_array::new_empty_array(field.data_type());
    let Some(mut rest) = field.metadata().get(CATEGORIES).map(String::as_str) else { return empty };
    if !matches!(field.data_type(), DataType::Dictionary(_, values) if **values == DataType::Utf8View) {
        return empty;
    }
    let mut categories = StringViewBuilder::new();
    while let Some((len, tail)) = rest.split_once(';') {
        let Some((category, tail)) = len.parse().ok().and_then(|len| tail.split_at_checked(len)) else { return empty };
        categories.append_value(category);
        rest = tail;
    }
    empty.as_any_dictionary().with_values(Arc::new(categories.finish()))
}

/// Returns the name and the type of the result. To find the type, runs the operation on a column without rows.
fn result_field(operation: &Operation, input: &Field) -> Result<Field, String> {
    let result = operation.run(&empty_column(input), 0).map_err(text)?;
    let field = Field::new(input.name(), result.data_type().clone(), true);
    let Some(dictionary) = result.as_any_dictionary_opt() else { return Ok(field) };
    // The metadata of an Enum lists its categories, which are fixed. So the result is another Enum: each category is replaced by
    // its result, in the same order. The new dictionary depends only on the old one, so it is the same in all batches.
    let mut metadata: Metadata = input.metadata().clone();
    metadata.retain(|key, _| !key.starts_with("_PL_ENUM"));
    if let (true, Some(values)) = (input.metadata().contains_key(CATEGORIES), dictionary.values().as_string_view_opt())
    {
        let categories: String =
            values.iter().flatten().map(|category| format!("{};{category}", category.len())).collect();
        metadata.insert(CATEGORIES, categories);
    }
    Ok(field.with_metadata(metadata))
}

/// Returns the field of a result of [`query_param_by`].
fn value_field(urls: &Field, names: &Field) -> Result<Field, String> {
    let result = query_param_by(&[empty_column(urls)], &[empty_column(names)]).map_err(text)?;
    Ok(Field::new(urls.name(), result[0].data_type().clone(), true))
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// Returns the message for a failure. A streaming query passes its rows in batches, and a batch doesn't know the number of
/// its first row. So the message says that the number counts from the start of the batch. `column_error` in polars.py
/// reads the message of a faulty row.
fn in_batch(failure: &Failure) -> String {
    match failure {
        Failure::Column(Error::Row(error)) => {
            let RowError { row, fault, value } = error;
            format!("row {row} of its batch, {} at byte {}: {} in {value:?}", fault.kind, fault.offset, fault.reason)
        }
        other => other.to_string(),
    }
}

/// Takes ownership of a series. Returns at least one chunk, because Polars refuses a result without chunks.
///
/// # Safety
/// `export` is a series that has not been released and that no other code uses.
unsafe fn import(export: &mut SeriesExport) -> Result<(Field, Vec<ArrayRef>), String> {
    // SAFETY: the series is valid, so it has a schema, and `len` arrays of this schema that may be moved out.
    unsafe {
        let pointers = readable(export.arrays, export.len);
        let data_type = import::type_of(&*export.field).map_err(text);
        let field = Field::try_from(&*export.field).map_err(text);
        let mut chunks: Result<Vec<ArrayRef>, String> = Ok(Vec::new());
        for &array in pointers {
            // Move every array out, even after an error. An array that stays there would never be released.
            let array = FFI_ArrowArray::from_raw(array);
            chunks = chunks.and_then(|mut chunks| {
                let data_type = data_type.as_ref().map_err(String::clone)?;
                push(&mut chunks, import::import(array, data_type).map_err(text)?).map_err(text)?;
                Ok(chunks)
            });
        }
        if let Some(release) = export.release {
            release(export);
        }
        let (field, mut chunks) = (field?, chunks?);
        if chunks.is_empty() {
            push(&mut chunks, empty_column(&field)).map_err(text)?;
        }
        Ok((field, chunks))
    }
}

/// The private data of a series that we export. The consumer moves the contents of the arrays out.
struct Exported {
    field: FFI_ArrowSchema,
    arrays: Vec<*mut FFI_ArrowArray>,
}

unsafe extern "C" fn release(export: *mut SeriesExport) {
    // SAFETY: the consumer calls this once for each series from `export` below. Its private data and arrays are boxes.
    unsafe {
        let exported = Box::from_raw((*export).private_data.cast::<Exported>());
        for array in exported.arrays {
            drop(Box::from_raw(array.cast::<ManuallyDrop<FFI_ArrowArray>>()));
        }
        (*export).release = None;
        (*export).private_data = ptr::null_mut();
    }
}

fn export(field: &Field, chunks: &[ArrayRef]) -> Result<SeriesExport, String> {
    let field = FFI_ArrowSchema::try_from(field).map_err(text)?;
    let mut arrays = room(chunks.len()).map_err(text)?;
    arrays.extend(chunks.iter().map(|chunk| Box::into_raw(Box::new(FFI_ArrowArray::new(&chunk.to_data())))));
    let mut exported = Box::new(Exported { field, arrays });
    Ok(SeriesExport {
        field: &raw mut exported.field,
        arrays: exported.arrays.as_mut_ptr(),
        len: exported.arrays.len(),
        release: Some(release),
        private_data: Box::into_raw(exported).cast(),
    })
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Returns the value of `run`. If `run` returns an error or panics, returns `None`, and stores the message for
/// [`_polars_plugin_get_last_error_message`].
fn or_last_error<T>(run: impl FnOnce() -> Result<T, String>) -> Option<T> {
    let error = match guarded(run) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(error)) => error.replace('\0', "\\0"),
        Err(fault) => fault.to_string(),
    };
    LAST_ERROR.set(CString::new(error).unwrap_or_default());
    None
}

/// # Safety
/// `len` is 0, or `len` values at `start` are readable for `'a`.
unsafe fn readable<'a, T>(start: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    if len == 0 { &[] } else { unsafe { slice::from_raw_parts(start, len) } }
}

/// Returns the version of the plugin interface.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_version() -> u32 {
    VERSION
}

/// Returns why the last call of this thread left its output empty.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with_borrow(|error| CStr::as_ptr(error))
}

/// Runs an operation on a series.
///
/// # Safety
/// The caller fulfils the contract of the plugin interface: `inputs` points to `inputs_len` series, which the call takes
/// over; `kwargs` points to `kwargs_len` bytes; and `out` points to an empty series.
unsafe fn run(
    inputs: *mut SeriesExport,
    inputs_len: usize,
    kwargs: *const u8,
    kwargs_len: usize,
    out: *mut SeriesExport,
) {
    let result = or_last_error(|| {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let (inputs, kwargs) = unsafe { (slice::from_raw_parts_mut(inputs, inputs_len), readable(kwargs, kwargs_len)) };
        // Take all series over, even if one of them is invalid. Otherwise the others would never be released.
        // SAFETY: the series are valid, and nobody else uses them.
        let mut series = inputs.iter_mut().map(|input| unsafe { import(input) }).collect::<Vec<_>>().into_iter();
        match (series.next().transpose()?, series.next().transpose()?) {
            (Some((field, chunks)), None) => {
                let operation = operation(kwargs)?;
                let (mut start, mut results) = (0, room(chunks.len()).map_err(text)?);
                for chunk in &chunks {
                    results.push(operation.run(chunk, start).map_err(|failure| in_batch(&failure))?);
                    start += chunk.len();
                }
                export(&result_field(&operation, &field)?, &results)
            }
            (Some((field, chunks)), Some((name_field, names))) => {
                export(&value_field(&field, &name_field)?, &query_param_by(&chunks, &names).map_err(text)?)
            }
            _ => Err("expected a column".into()),
        }
    });
    if let Some(series) = result {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe { ptr::write(out, series) };
    }
}

/// Writes the name and the type of an operation's result to `out`, as a schema.
///
/// # Safety
/// The caller fulfils the contract of the plugin interface: `fields` points to `fields_len` schemas, `kwargs` to
/// `kwargs_len` bytes, and `out` to an empty schema.
unsafe fn field(
    fields: *const FFI_ArrowSchema,
    fields_len: usize,
    out: *mut FFI_ArrowSchema,
    kwargs: *const u8,
    kwargs_len: usize,
) {
    let result = or_last_error(|| {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        let (fields, kwargs) = unsafe { (readable(fields, fields_len), readable(kwargs, kwargs_len)) };
        let fields = fields.iter().map(|field| Field::try_from(field).map_err(text)).collect::<Result<Vec<_>, _>>()?;
        let field = match &fields[..] {
            [field] => result_field(&operation(kwargs)?, field)?,
            [urls, names] => value_field(urls, names)?,
            _ => return Err("expected a column".into()),
        };
        FFI_ArrowSchema::try_from(&field).map_err(text)
    });
    if let Some(schema) = result {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe { ptr::write(out, schema) };
    }
}

/// For each operation, exports the two functions of the plugin with the operation's name. Polars shows this name in
/// plans and errors. The operation that runs is the one in the keyword arguments.
macro_rules! export {
    ($($operation:ident)*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("_polars_plugin_", stringify!($operation)))]
            unsafe extern "C" fn run_operation(
                inputs: *mut SeriesExport,
                inputs_len: usize,
                kwargs: *const u8,
                kwargs_len: usize,
                out: *mut SeriesExport,
                _context: *const c_void,
            ) {
                // SAFETY: the caller fulfils the contract of the plugin interface.
                unsafe { run(inputs, inputs_len, kwargs, kwargs_len, out) }
            }

            #[unsafe(export_name = concat!("_polars_plugin_field_", stringify!($operation)))]
            unsafe extern "C" fn field_of_operation(
                fields: *const FFI_ArrowSchema,
                fields_len: usize,
                out: *mut FFI_ArrowSchema,
                kwargs: *const u8,
                kwargs_len: usize,
            ) {
                // SAFETY: the caller fulfils the contract of the plugin interface.
                unsafe { field(fields, fields_len, out, kwargs, kwargs_len) }
            }
        };
    )*};
}

export! {
    decode_array encode_array normalize_array requote_array repair_array redact_array sort_query_array uri_to_iri_array iri_to_uri_array
    file_url_to_path_array path_to_file_url_array parse_url parse_query query_param query_params query_values query_param_by
}
