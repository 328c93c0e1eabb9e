//! Rows in and out of the engine's vectors, and functions into its catalogue: all that is `unsafe`.
//!
//! The engine flattens what it hands over, so a constant or a dictionary is a column like any other; where all arguments
//! are constant it takes the first row for all.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::{ptr, slice};

use libduckdb_sys as ffi;

/// Why a query fails.
pub(crate) type Failure = String;

/// The type of a result.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// VARCHAR, which is UTF-8.
    Text,
    /// BLOB.
    Blob,
}

/// A function of strings that gives a string, or a null. A null among its arguments makes one.
pub(crate) trait Scalar: Default {
    const NAME: &CStr;
    /// How many arguments there may be.
    const PARAMETERS: &[usize];
    const RETURNS: Kind = Kind::Text;

    /// Returns what becomes of a row. The value is the same one for all rows of a chunk.
    fn row<'r>(&mut self, row: &[&'r [u8]]) -> Result<Option<Cow<'r, [u8]>>, Failure>;
}

/// A function of a string that gives a map from text to text.
pub(crate) trait Map {
    const NAME: &CStr;

    /// Returns the pairs, whose keys differ.
    fn row(row: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)>;
}

/// The most arguments that a function has.
const MOST: usize = 2;

/// A column of strings that the engine hands over.
struct Column<'c> {
    strings: &'c [ffi::duckdb_string_t],
    validity: *mut u64,
}

impl<'c> Column<'c> {
    /// # Safety
    /// The chunk has `rows` rows, and strings in its column of this index; they live for `'c`.
    unsafe fn new(chunk: ffi::duckdb_data_chunk, index: usize, rows: usize) -> Column<'c> {
        // SAFETY: the caller's promise.
        unsafe {
            let vector = ffi::duckdb_data_chunk_get_vector(chunk, index as u64);
            let data = ffi::duckdb_vector_get_data(vector).cast();
            let strings = if rows == 0 { &[] } else { slice::from_raw_parts(data, rows) };
            Column { strings, validity: ffi::duckdb_vector_get_validity(vector) }
        }
    }

    /// Returns the string in `row`, or none where there is a null.
    fn get(&self, row: usize) -> Option<&'c [u8]> {
        // SAFETY: the mask has a bit for each row, and is null where all rows are valid.
        if !self.validity.is_null() && unsafe { *self.validity.add(row / 64) } >> (row % 64) & 1 == 0 {
            return None;
        }
        let string = self.strings.get(row)?;
        // SAFETY: a valid row holds a string, in itself up to 12 bytes, and behind a pointer from there on.
        unsafe {
            let inlined = &string.value.inlined;
            let len = inlined.length as usize;
            let start = if len <= inlined.inlined.len() { inlined.inlined.as_ptr() } else { string.value.pointer.ptr };
            Some(slice::from_raw_parts(start.cast(), len))
        }
    }
}

/// A vector that the engine wants filled.
struct Out(ffi::duckdb_vector);

impl Out {
    /// # Safety
    /// `row` is one of the vector.
    unsafe fn put(&self, row: usize, value: Option<&[u8]>) {
        // SAFETY: the caller's promise.
        unsafe {
            match value {
                Some(bytes) => {
                    let (start, len) = (bytes.as_ptr().cast(), bytes.len() as u64);
                    ffi::duckdb_vector_assign_string_element_len(self.0, row as u64, start, len);
                }
                None => {
                    ffi::duckdb_vector_ensure_validity_writable(self.0);
                    ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(self.0), row as u64);
                }
            }
        }
    }
}

unsafe extern "C" fn call_scalar<S: Scalar>(
    info: ffi::duckdb_function_info,
    chunk: ffi::duckdb_data_chunk,
    out: ffi::duckdb_vector,
) {
    // SAFETY: the engine calls this with a chunk of as many strings as there are parameters, and a vector for as many rows.
    unsafe {
        let rows = ffi::duckdb_data_chunk_get_size(chunk) as usize;
        let count = (ffi::duckdb_data_chunk_get_column_count(chunk) as usize).min(MOST);
        let columns: Vec<Column<'_>> = (0..count).map(|index| Column::new(chunk, index, rows)).collect();
        let mut function = S::default();
        let out = Out(out);
        for row in 0..rows {
            let mut arguments: [&[u8]; MOST] = [&[]; MOST];
            let all = columns.iter().zip(&mut arguments).all(|(column, argument)| match column.get(row) {
                Some(string) => {
                    *argument = string;
                    true
                }
                None => false,
            });
            match if all { function.row(&arguments[..count]) } else { Ok(None) } {
                Ok(value) => out.put(row, value.as_deref()),
                Err(failure) => {
                    let message = CString::new(failure.replace('\0', "\\0")).unwrap_or_default();
                    return ffi::duckdb_scalar_function_set_error(info, message.as_ptr());
                }
            }
        }
    }
}

unsafe extern "C" fn call_map<M: Map>(
    info: ffi::duckdb_function_info,
    chunk: ffi::duckdb_data_chunk,
    out: ffi::duckdb_vector,
) {
    // SAFETY: the engine calls this with a chunk of strings, and a vector of maps for as many rows: a list of structs of two
    // strings, whose children have the room that is reserved before they are written.
    unsafe {
        let rows = ffi::duckdb_data_chunk_get_size(chunk) as usize;
        let column = Column::new(chunk, 0, rows);
        let maps: Vec<_> = (0..rows).map(|row| column.get(row).map(M::row)).collect();
        let total = maps.iter().flatten().map(Vec::len).sum::<usize>() as u64;
        if ffi::duckdb_list_vector_reserve(out, total) != ffi::duckdb_state_DuckDBSuccess
            || ffi::duckdb_list_vector_set_size(out, total) != ffi::duckdb_state_DuckDBSuccess
        {
            return ffi::duckdb_scalar_function_set_error(info, c"url_query: there is too little memory".as_ptr());
        }
        let entries = ffi::duckdb_vector_get_data(out).cast::<ffi::duckdb_list_entry>();
        let pairs = ffi::duckdb_list_vector_get_child(out);
        let (keys, values) =
            (Out(ffi::duckdb_struct_vector_get_child(pairs, 0)), Out(ffi::duckdb_struct_vector_get_child(pairs, 1)));
        let mut offset = 0;
        for (row, map) in maps.iter().enumerate() {
            let length = map.as_ref().map_or(0, Vec::len);
            entries.add(row).write(ffi::duckdb_list_entry { offset: offset as u64, length: length as u64 });
            let Some(map) = map else {
                Out(out).put(row, None);
                continue;
            };
            for (key, value) in map {
                keys.put(offset, Some(key.as_bytes()));
                values.put(offset, Some(value.as_bytes()));
                offset += 1;
            }
        }
    }
}

/// The catalogue of a database, while the extension is loaded.
pub(crate) struct Registry {
    connection: ffi::duckdb_connection,
    good: bool,
}

impl Registry {
    /// Connects, or returns none where the engine has no such interface.
    ///
    /// # Safety
    /// The arguments are those that the engine hands to an extension.
    pub(crate) unsafe fn new(
        info: ffi::duckdb_extension_info,
        access: *const ffi::duckdb_extension_access,
    ) -> Option<Registry> {
        // SAFETY: the caller's promise.
        unsafe {
            if !matches!(ffi::duckdb_rs_extension_api_init(info, access, "v1.2.0"), Ok(true)) {
                return None;
            }
            let database = (*access).get_database?(info);
            let mut connection = ptr::null_mut();
            let state = ffi::duckdb_connect(*database, &mut connection);
            (state == ffi::duckdb_state_DuckDBSuccess).then_some(Registry { connection, good: true })
        }
    }

    /// Adds a function of strings, with all numbers of arguments that it takes.
    pub(crate) fn scalar<S: Scalar>(&mut self) {
        let returns = match S::RETURNS {
            Kind::Text => ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR,
            Kind::Blob => ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB,
        };
        // SAFETY: the connection is open.
        unsafe {
            let returns = ffi::duckdb_create_logical_type(returns);
            self.add(S::NAME, S::PARAMETERS, returns, call_scalar::<S>);
        }
    }

    /// Adds a function that gives maps.
    pub(crate) fn map<M: Map>(&mut self) {
        // SAFETY: the connection is open.
        unsafe {
            let mut text = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
            let returns = ffi::duckdb_create_map_type(text, text);
            ffi::duckdb_destroy_logical_type(&mut text);
            self.add(M::NAME, &[1], returns, call_map::<M>);
        }
    }

    /// # Safety
    /// The connection is open, and `call` is for these parameters and this type, which is destroyed.
    unsafe fn add(
        &mut self,
        name: &CStr,
        parameters: &[usize],
        mut returns: ffi::duckdb_logical_type,
        call: unsafe extern "C" fn(ffi::duckdb_function_info, ffi::duckdb_data_chunk, ffi::duckdb_vector),
    ) {
        // SAFETY: the caller's promise; what is created here is destroyed here.
        unsafe {
            let mut text = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
            let mut set = ffi::duckdb_create_scalar_function_set(name.as_ptr());
            for &count in parameters {
                let mut function = ffi::duckdb_create_scalar_function();
                ffi::duckdb_scalar_function_set_name(function, name.as_ptr());
                for _ in 0..count {
                    ffi::duckdb_scalar_function_add_parameter(function, text);
                }
                ffi::duckdb_scalar_function_set_return_type(function, returns);
                ffi::duckdb_scalar_function_set_function(function, Some(call));
                self.good &= ffi::duckdb_add_scalar_function_to_set(set, function) == ffi::duckdb_state_DuckDBSuccess;
                ffi::duckdb_destroy_scalar_function(&mut function);
            }
            self.good &=
                ffi::duckdb_register_scalar_function_set(self.connection, set) == ffi::duckdb_state_DuckDBSuccess;
            ffi::duckdb_destroy_scalar_function_set(&mut set);
            ffi::duckdb_destroy_logical_type(&mut text);
            ffi::duckdb_destroy_logical_type(&mut returns);
        }
    }

    /// Disconnects, and returns whether all functions were added.
    pub(crate) fn finish(mut self) -> bool {
        // SAFETY: the connection is open, and nobody uses it any more.
        unsafe { ffi::duckdb_disconnect(&mut self.connection) };
        self.good
    }
}
