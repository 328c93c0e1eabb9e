//! Rows in and out of the engine's vectors, and functions into its catalogue: all that is `unsafe`.
//!
//! The engine flattens what it hands over, so a constant or a dictionary is a column like any other; where all arguments
//! are constant it takes the first row for all.
//!
//! The rows of a chunk are copied together, run as a batch of the library, and handed over as one string, of which each row
//! is then a part.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::{ptr, slice};

use libduckdb_sys as ffi;
use percent_simd::batch::{Bitmap, Column, Rows};

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
pub(crate) trait Scalar {
    const NAME: &CStr;
    /// How many arguments there may be: one, two, or either.
    const PARAMETERS: &[usize];
    const RETURNS: Kind = Kind::Text;

    /// Returns what becomes of the rows of the first argument, in all of which the second one, if there is one, is `option`.
    fn run(rows: &Column<usize>, option: Option<&[u8]>) -> Result<Column<usize>, Failure>;
}

/// A function of a string that gives a map from text to text.
pub(crate) trait Map {
    const NAME: &CStr;

    /// Hands the pairs, whose keys differ, to `each`.
    fn row(row: &[u8], each: impl FnMut(&str, &str));
}

/// Rows that are copied together have about this many bytes at most. The engine's strings are shorter than 4 GB.
const MOST: usize = 1 << 26;
/// Strings up to this length are within the engine's `duckdb_string_t`.
const INLINE: usize = 12;

/// Rows one behind the other, which are run as a batch.
#[derive(Default)]
pub(crate) struct Builder {
    values: Vec<u8>,
    offsets: Vec<usize>,
    /// A bit for each row, 1 where it is not null.
    validity: Vec<u8>,
    has_nulls: bool,
}

impl Builder {
    pub(crate) fn with_capacity(rows: usize, bytes: usize) -> Builder {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let validity = Vec::with_capacity(rows.div_ceil(8));
        Builder { values: Vec::with_capacity(bytes), offsets, validity, has_nulls: false }
    }

    #[inline]
    pub(crate) fn push(&mut self, row: Option<&[u8]>) {
        let number = self.offsets.len() - 1;
        if number.is_multiple_of(8) {
            self.validity.push(0xFF);
        }
        match row {
            Some(bytes) => self.values.extend_from_slice(bytes),
            None => {
                self.has_nulls = true;
                if let Some(last) = self.validity.last_mut() {
                    *last &= !(1 << (number % 8));
                }
            }
        }
        self.offsets.push(self.values.len());
    }

    pub(crate) fn finish(self) -> Column<usize> {
        Column { values: self.values, offsets: self.offsets, validity: self.has_nulls.then_some(self.validity) }
    }
}

/// Returns the rows of `column` for a batch.
pub(crate) fn rows(column: &Column<usize>) -> Rows<'_, usize> {
    let rows = Rows::new(&column.values, &column.offsets);
    match &column.validity {
        Some(bits) => rows.with_validity(Bitmap::new(bits, 0)),
        None => rows,
    }
}

/// Returns what `each` makes of each row that is not null.
pub(crate) fn each_row(column: &Column<usize>, each: impl Fn(&[u8]) -> Option<Cow<'_, [u8]>>) -> Column<usize> {
    let mut out = Builder::with_capacity(column.offsets.len(), column.values.len());
    for row in column.rows() {
        out.push(row.and_then(&each).as_deref());
    }
    out.finish()
}

/// A vector of strings that the engine hands over.
struct Strings<'c> {
    strings: &'c [ffi::duckdb_string_t],
    validity: *mut u64,
}

impl<'c> Strings<'c> {
    /// # Safety
    /// The chunk has `rows` rows, and strings in its column of this index; they live for `'c`.
    unsafe fn new(chunk: ffi::duckdb_data_chunk, index: usize, rows: usize) -> Strings<'c> {
        // SAFETY: the caller's promise.
        unsafe {
            let vector = ffi::duckdb_data_chunk_get_vector(chunk, index as u64);
            let data = ffi::duckdb_vector_get_data(vector).cast();
            let strings = if rows == 0 { &[] } else { slice::from_raw_parts(data, rows) };
            Strings { strings, validity: ffi::duckdb_vector_get_validity(vector) }
        }
    }

    /// Returns the string in `row`, or none where there is a null.
    #[inline]
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
            let start = if len <= INLINE { inlined.inlined.as_ptr() } else { string.value.pointer.ptr };
            Some(slice::from_raw_parts(start.cast(), len))
        }
    }
}

/// A vector that the engine wants filled.
struct Out(ffi::duckdb_vector);

impl Out {
    /// Puts the rows of `column` from row `first` on.
    ///
    /// # Safety
    /// These are rows of the vector, which is one of VARCHAR or BLOB.
    unsafe fn put(&self, first: usize, column: &Column<usize>) -> Result<(), Failure> {
        let rows = column.offsets.len().saturating_sub(1);
        let total = column.values.len();
        if rows == 0 {
            return Ok(());
        }
        if u32::try_from(total).is_err() {
            return Err("a result is longer than the engine's strings may be".into());
        }
        // SAFETY: the caller's promise. The engine copies the values to memory that the vector keeps and never moves, and puts a
        // string that refers to them in row `first`; each row may refer to a part of it. A row up to 12 bytes is in itself.
        unsafe {
            let strings = ffi::duckdb_vector_get_data(self.0).cast::<ffi::duckdb_string_t>().add(first);
            let mut base: *const u8 = ptr::null();
            if total > INLINE {
                strings.write(inlined(&[]));
                let start = column.values.as_ptr().cast();
                ffi::duckdb_vector_assign_string_element_len(self.0, first as u64, start, total as u64);
                let copied = &*strings;
                if copied.value.inlined.length as usize != total {
                    return Err("the engine takes a result for no text".into());
                }
                base = copied.value.pointer.ptr.cast();
            }
            let mut from = 0;
            for (row, &to) in column.offsets[1..].iter().enumerate() {
                let bytes = &column.values[from..to];
                strings.add(row).write(if bytes.len() <= INLINE {
                    inlined(bytes)
                } else {
                    referring(bytes, base.add(from))
                });
                from = to;
            }
            if let Some(bits) = &column.validity {
                ffi::duckdb_vector_ensure_validity_writable(self.0);
                let validity = ffi::duckdb_vector_get_validity(self.0);
                for row in (0..rows).filter(|row| bits[row / 8] >> (row % 8) & 1 == 0) {
                    ffi::duckdb_validity_set_row_invalid(validity, (first + row) as u64);
                }
            }
        }
        Ok(())
    }
}

/// Returns a string of at most 12 bytes, which is within it.
#[inline]
fn inlined(bytes: &[u8]) -> ffi::duckdb_string_t {
    let mut within = [0; INLINE];
    within[..bytes.len()].copy_from_slice(bytes);
    let inlined = ffi::duckdb_string_t__bindgen_ty_1__bindgen_ty_2 {
        length: bytes.len() as u32,
        inlined: within.map(|byte| byte as std::ffi::c_char),
    };
    ffi::duckdb_string_t { value: ffi::duckdb_string_t__bindgen_ty_1 { inlined } }
}

/// Returns a string of more than 12 bytes, which are at `start`.
#[inline]
fn referring(bytes: &[u8], start: *const u8) -> ffi::duckdb_string_t {
    let pointer = ffi::duckdb_string_t__bindgen_ty_1__bindgen_ty_1 {
        length: bytes.len() as u32,
        prefix: [0, 1, 2, 3].map(|at| bytes[at] as std::ffi::c_char),
        ptr: start.cast_mut().cast(),
    };
    ffi::duckdb_string_t { value: ffi::duckdb_string_t__bindgen_ty_1 { pointer } }
}

/// Tells the engine that a query fails, and why.
///
/// # Safety
/// `info` is that of a call which has not returned.
unsafe fn fail(info: ffi::duckdb_function_info, failure: &str) {
    let message = CString::new(failure.replace('\0', "\\0")).unwrap_or_default();
    // SAFETY: the caller's promise.
    unsafe { ffi::duckdb_scalar_function_set_error(info, message.as_ptr()) }
}

unsafe extern "C" fn call_scalar<S: Scalar>(
    info: ffi::duckdb_function_info,
    chunk: ffi::duckdb_data_chunk,
    out: ffi::duckdb_vector,
) {
    // SAFETY: the engine calls this with a chunk of as many strings as there are parameters, and a vector for as many rows.
    unsafe {
        let rows = ffi::duckdb_data_chunk_get_size(chunk) as usize;
        let strings = Strings::new(chunk, 0, rows);
        let options = (ffi::duckdb_data_chunk_get_column_count(chunk) > 1).then(|| Strings::new(chunk, 1, rows));
        let mut first = 0;
        while first < rows {
            // Rows are taken together that have one option, up to a number of bytes.
            let option = options.as_ref().map(|options| options.get(first));
            let (mut end, mut bytes) = (first, 0);
            while end < rows && (end == first || bytes < MOST) {
                if options.as_ref().map(|options| options.get(end)) != option {
                    break;
                }
                bytes += strings.get(end).map_or(0, <[u8]>::len);
                end += 1;
            }
            let mut gathered = Builder::with_capacity(end - first, bytes);
            let is_null = option == Some(None);
            for row in first..end {
                gathered.push(strings.get(row).filter(|_| !is_null));
            }
            let gathered = gathered.finish();
            let done = if is_null { Ok(gathered) } else { S::run(&gathered, option.flatten()) };
            if let Err(failure) = done.and_then(|column| Out(out).put(first, &column)) {
                return fail(info, &failure);
            }
            first = end;
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
        let strings = Strings::new(chunk, 0, rows);
        let entries = ffi::duckdb_vector_get_data(out).cast::<ffi::duckdb_list_entry>();
        let (mut keys, mut values) = (Builder::with_capacity(rows, 0), Builder::with_capacity(rows, 0));
        let mut pairs = 0;
        for row in 0..rows {
            let offset = pairs;
            match strings.get(row) {
                Some(string) => M::row(string, |key, value| {
                    keys.push(Some(key.as_bytes()));
                    values.push(Some(value.as_bytes()));
                    pairs += 1;
                }),
                None => {
                    ffi::duckdb_vector_ensure_validity_writable(out);
                    ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(out), row as u64);
                }
            }
            entries.add(row).write(ffi::duckdb_list_entry { offset, length: pairs - offset });
        }
        if ffi::duckdb_list_vector_reserve(out, pairs) != ffi::duckdb_state_DuckDBSuccess
            || ffi::duckdb_list_vector_set_size(out, pairs) != ffi::duckdb_state_DuckDBSuccess
        {
            return fail(info, "there is too little memory");
        }
        let structs = ffi::duckdb_list_vector_get_child(out);
        for (index, column) in [keys, values].into_iter().enumerate() {
            let child = Out(ffi::duckdb_struct_vector_get_child(structs, index as u64));
            if let Err(failure) = child.put(0, &column.finish()) {
                return fail(info, &failure);
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
