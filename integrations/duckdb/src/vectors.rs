//! Copies rows between the engine's vectors and columns, and registers functions. All `unsafe` code is here.
//!
//! The engine expands constants and dictionaries before a call, so they look like any other column. If all arguments
//! are constants, the engine uses the result of the first row for all rows.
//!
//! We copy the rows of a chunk together, and run them as a batch of the library. The engine stores all results of the
//! batch as one string, and each row of the result refers to a part of it.

use std::ffi::{CString, c_char, c_void};
use std::sync::OnceLock;
use std::{ptr, slice};

use libduckdb_sys as ffi;
use percent_simd::batch::Column;
use percent_simd_arrow::sql::{Builder, Failure, Function, Returns, URL_FIELDS, lossy, pairs, parts};
use percent_simd_host::{Fault, collect, guarded, room};

/// The calls of the engine that allocate memory. If memory runs out, they throw a C++ exception, which passes through
/// our functions to the engine. So these calls and our functions are declared `C-unwind`. [`guarded`] can't catch a C++
/// exception, so we never make such a call inside it.
struct Engine {
    assign: unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t, *const c_char, ffi::idx_t),
    ensure_validity: unsafe extern "C-unwind" fn(ffi::duckdb_vector),
    reserve: unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
    set_size: unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
    set_error: unsafe extern "C-unwind" fn(ffi::duckdb_function_info, *const c_char),
}

static ENGINE: OnceLock<Engine> = OnceLock::new();

impl Engine {
    /// # Safety
    /// `calls` has the calls that the engine passes to extensions.
    unsafe fn new(calls: &ffi::duckdb_ext_api_v1) -> Option<Engine> {
        // SAFETY: the two types differ only in the name of the calling convention. Both names mean the same convention.
        unsafe {
            Some(Engine {
                assign: std::mem::transmute::<
                    unsafe extern "C" fn(ffi::duckdb_vector, ffi::idx_t, *const c_char, ffi::idx_t),
                    unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t, *const c_char, ffi::idx_t),
                >(calls.duckdb_vector_assign_string_element_len?),
                ensure_validity: std::mem::transmute::<
                    unsafe extern "C" fn(ffi::duckdb_vector),
                    unsafe extern "C-unwind" fn(ffi::duckdb_vector),
                >(calls.duckdb_vector_ensure_validity_writable?),
                reserve: std::mem::transmute::<
                    unsafe extern "C" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
                    unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
                >(calls.duckdb_list_vector_reserve?),
                set_size: std::mem::transmute::<
                    unsafe extern "C" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
                    unsafe extern "C-unwind" fn(ffi::duckdb_vector, ffi::idx_t) -> ffi::duckdb_state,
                >(calls.duckdb_list_vector_set_size?),
                set_error: std::mem::transmute::<
                    unsafe extern "C" fn(ffi::duckdb_function_info, *const c_char),
                    unsafe extern "C-unwind" fn(ffi::duckdb_function_info, *const c_char),
                >(calls.duckdb_scalar_function_set_error?),
            })
        }
    }
}

/// The type of the functions that DuckDB calls.
type Call = unsafe extern "C-unwind" fn(ffi::duckdb_function_info, ffi::duckdb_data_chunk, ffi::duckdb_vector);

/// We copy rows together, or store them as one string, up to about this many bytes in total. A single row can have
/// more.
const MOST: usize = 1 << 26;
/// The engine's `duckdb_string_t` holds a string of up to this many bytes in itself.
const INLINE: usize = 12;
/// The longest string that the engine supports.
const LONGEST: usize = u32::MAX as usize;

/// A vector of strings from the engine.
struct Strings<'c> {
    strings: &'c [ffi::duckdb_string_t],
    validity: *mut u64,
}

impl<'c> Strings<'c> {
    /// # Safety
    /// The chunk has `rows` rows. Its column `index` holds strings, and their bytes stay valid for `'c`.
    unsafe fn new(chunk: ffi::duckdb_data_chunk, index: usize, rows: usize) -> Strings<'c> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            let vector = ffi::duckdb_data_chunk_get_vector(chunk, index as u64);
            let data = ffi::duckdb_vector_get_data(vector).cast();
            let strings = if rows == 0 { &[] } else { slice::from_raw_parts(data, rows) };
            Strings { strings, validity: ffi::duckdb_vector_get_validity(vector) }
        }
    }

    fn len(&self) -> usize {
        self.strings.len()
    }

    /// Returns the string in `row`, or `None` if it is null.
    #[inline]
    fn get(&self, row: usize) -> Option<&'c [u8]> {
        // SAFETY: the mask is a null pointer if all rows are valid. Otherwise it has a bit for each row.
        if !self.validity.is_null() && unsafe { *self.validity.add(row / 64) } >> (row % 64) & 1 == 0 {
            return None;
        }
        let string = self.strings.get(row)?;
        // SAFETY: a valid row has a string. If it has up to 12 bytes, they are inside the string. A longer string
        // points to its bytes.
        unsafe {
            let inlined = &string.value.inlined;
            let len = inlined.length as usize;
            let start = if len <= INLINE { inlined.inlined.as_ptr() } else { string.value.pointer.ptr };
            Some(slice::from_raw_parts(start.cast(), len))
        }
    }
}

/// A vector of the engine that our function has to fill.
struct Out(ffi::duckdb_vector);

impl Out {
    /// Stores the rows of `column` in the rows of the vector, from row `first` on.
    ///
    /// # Safety
    /// The vector has these rows, and its type is VARCHAR or BLOB. Exceptions of the engine may pass through this
    /// function.
    unsafe fn put(&self, engine: &Engine, first: usize, column: &Column<usize>) -> Result<(), Failure> {
        let offsets = &column.offsets;
        let rows = offsets.len().saturating_sub(1);
        let mut from = 0;
        while from < rows {
            let fits = |to: &usize| {
                let len = offsets[*to] - offsets[from];
                len <= MOST || *to == from + 1 && len <= LONGEST
            };
            let to = (from + 1..=rows).take_while(fits).last();
            let to = to.ok_or_else(|| failure("a result has more than 4 GiB, the limit of the engine's strings"))?;
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            unsafe { self.put_part(engine, first + from, &column.values, &offsets[from..=to])? };
            from = to;
        }
        if let Some(bits) = &column.validity {
            // SAFETY: the caller meets the `# Safety` conditions of this function.
            unsafe {
                (engine.ensure_validity)(self.0);
                let validity = ffi::duckdb_vector_get_validity(self.0);
                for row in (0..rows).filter(|row| bits[row / 8] >> (row % 8) & 1 == 0) {
                    ffi::duckdb_validity_set_row_invalid(validity, (first + row) as u64);
                }
            }
        }
        Ok(())
    }

    /// Stores rows with one call of the engine. `offsets` has the start of the first row in `values`, then the end of
    /// each row.
    ///
    /// # Safety
    /// The conditions of `put` hold, and the rows have at most [`LONGEST`] bytes in total.
    unsafe fn put_part(&self, engine: &Engine, first: usize, values: &[u8], offsets: &[usize]) -> Result<(), Failure> {
        let (start, end) = (offsets[0], offsets[offsets.len() - 1]);
        let total = end - start;
        // SAFETY: the caller meets the `# Safety` conditions of this function. The engine copies all values to memory
        // that the vector keeps and never moves. In row `first` it stores a string that points to this memory. So the
        // string of each row may point to a part of this memory. A string of up to 12 bytes holds its bytes in itself.
        unsafe {
            let strings = ffi::duckdb_vector_get_data(self.0).cast::<ffi::duckdb_string_t>().add(first);
            let mut base: *const u8 = ptr::null();
            if total > INLINE {
                strings.write(inlined(&[]));
                let bytes = values[start..end].as_ptr().cast();
                (engine.assign)(self.0, first as u64, bytes, total as u64);
                let copied = &*strings;
                if copied.value.inlined.length as usize != total {
                    return Err(failure("the engine refused a result as invalid text"));
                }
                base = copied.value.pointer.ptr.cast();
            }
            for (row, ends) in offsets.windows(2).enumerate() {
                let bytes = &values[ends[0]..ends[1]];
                strings.add(row).write(if bytes.len() <= INLINE {
                    inlined(bytes)
                } else {
                    referring(bytes, base.add(ends[0] - start))
                });
            }
        }
        Ok(())
    }
}

/// Returns a string that holds its bytes, at most 12, in itself.
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

/// Returns a string that points to its bytes at `start`. There must be more than 12 bytes.
#[inline]
fn referring(bytes: &[u8], start: *const u8) -> ffi::duckdb_string_t {
    let pointer = ffi::duckdb_string_t__bindgen_ty_1__bindgen_ty_1 {
        length: bytes.len() as u32,
        prefix: [0, 1, 2, 3].map(|at| bytes[at] as std::ffi::c_char),
        ptr: start.cast_mut().cast(),
    };
    ffi::duckdb_string_t { value: ffi::duckdb_string_t__bindgen_ty_1 { pointer } }
}

fn failure(message: &str) -> Failure {
    Failure(message.to_owned())
}

/// Makes the query fail, and reports the reason to the engine.
///
/// # Safety
/// `info` belongs to a call of `function`, and this call hasn't returned.
unsafe fn fail(engine: &Engine, info: ffi::duckdb_function_info, function: Function, failure: &Failure) {
    let message = format!("{}: {}", function.name(), failure.0.replace('\0', "\\0"));
    let message = CString::new(message).unwrap_or_default();
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe { (engine.set_error)(info, message.as_ptr()) }
}

unsafe extern "C-unwind" fn call(
    info: ffi::duckdb_function_info,
    chunk: ffi::duckdb_data_chunk,
    out: ffi::duckdb_vector,
) {
    let Some(engine) = ENGINE.get() else { return };
    // SAFETY: `add` stored the function in the extra information. The engine passes a chunk with a column of strings for each
    // parameter, and a vector for as many rows.
    unsafe {
        let function = *ffi::duckdb_scalar_function_get_extra_info(info).cast::<Function>();
        let rows = ffi::duckdb_data_chunk_get_size(chunk) as usize;
        let strings = Strings::new(chunk, 0, rows);
        let done = match function.returns() {
            Returns::Text | Returns::Bytes => {
                let has_option = ffi::duckdb_data_chunk_get_column_count(chunk) > 1;
                let options = has_option.then(|| Strings::new(chunk, 1, rows));
                put_strings(engine, out, function, &strings, options.as_ref())
            }
            Returns::Map | Returns::Pairs => {
                let lists = guarded(|| lists(function, &strings)).map_err(Failure::from).flatten();
                lists.and_then(|lists| lists.put(engine, out))
            }
            Returns::Parts => {
                let columns = guarded(|| structs(&strings)).map_err(Failure::from).flatten();
                columns.and_then(|columns| put_structs(engine, out, &strings, &columns))
            }
        };
        if let Err(failure) = done {
            fail(engine, info, function, &failure);
        }
    }
}

/// Runs a function whose results are strings, and stores the results in a vector.
///
/// # Safety
/// The vector has these rows, and its type is VARCHAR or BLOB. Exceptions of the engine may pass through this function.
unsafe fn put_strings(
    engine: &Engine,
    out: ffi::duckdb_vector,
    function: Function,
    strings: &Strings<'_>,
    options: Option<&Strings<'_>>,
) -> Result<(), Failure> {
    let mut first = 0;
    while first < strings.len() {
        let (end, column) = guarded(|| run(function, strings, options, first)).map_err(Failure::from).flatten()?;
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe { Out(out).put(engine, first, &column)? };
        first = end;
    }
    Ok(())
}

/// Runs the function over the rows from `first` on, up to about [`MOST`] bytes. Stops before a row whose option differs
/// from that of row `first`. Returns the index of the row after the last row that was run, and the results.
fn run(
    function: Function,
    strings: &Strings<'_>,
    options: Option<&Strings<'_>>,
    first: usize,
) -> Result<(usize, Column<usize>), Failure> {
    let option = options.map(|options| options.get(first));
    let (mut end, mut bytes) = (first, 0);
    while end < strings.len() && (end == first || bytes < MOST) {
        if options.map(|options| options.get(end)) != option {
            break;
        }
        bytes += strings.get(end).map_or(0, <[u8]>::len);
        end += 1;
    }
    let mut gathered = Builder::with_capacity(end - first, bytes)?;
    let is_null = option == Some(None);
    for row in first..end {
        gathered.push(strings.get(row).filter(|_| !is_null))?;
    }
    let gathered = gathered.finish();
    Ok((end, if is_null { gathered } else { function.run(&gathered, option.flatten())? }))
}

/// The results for all rows of a chunk, if a result is a list of pairs or a map. The engine stores a map as a list of
/// pairs.
struct Lists {
    /// For each row, the number of pairs in this row and all rows before it. `None` if the row is null.
    ends: Vec<Option<u64>>,
    names: Column<usize>,
    values: Column<usize>,
}

/// Reads the parameters of each row.
fn lists(function: Function, strings: &Strings<'_>) -> Result<Lists, Failure> {
    let rows = strings.len();
    let (mut names, mut values) = (Builder::with_capacity(rows, 0)?, Builder::with_capacity(rows, 0)?);
    let (mut ends, mut count) = (room(rows)?, 0);
    for row in 0..rows {
        let string = strings.get(row);
        if let Some(string) = string {
            pairs(&lossy(string)?, function.returns() == Returns::Map, |name, value| {
                names.push(Some(name.as_bytes()))?;
                values.push(Some(value.as_bytes()))?;
                count += 1;
                Ok::<_, Failure>(())
            })?;
        }
        ends.push(string.map(|_| count));
    }
    Ok(Lists { ends, names: names.finish(), values: values.finish() })
}

impl Lists {
    /// Stores the lists in a vector.
    ///
    /// # Safety
    /// The vector has a list for each of these rows. The items of the lists are structs of two strings. This function
    /// reserves room in the vectors of the two strings before it writes to them. Exceptions of the engine may pass through
    /// this function.
    unsafe fn put(&self, engine: &Engine, out: ffi::duckdb_vector) -> Result<(), Failure> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            let entries = ffi::duckdb_vector_get_data(out).cast::<ffi::duckdb_list_entry>();
            let mut offset = 0;
            for (row, end) in self.ends.iter().enumerate() {
                if end.is_none() {
                    (engine.ensure_validity)(out);
                    ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(out), row as u64);
                }
                let end = end.unwrap_or(offset);
                entries.add(row).write(ffi::duckdb_list_entry { offset, length: end - offset });
                offset = end;
            }
            if (engine.reserve)(out, offset) != ffi::duckdb_state_DuckDBSuccess
                || (engine.set_size)(out, offset) != ffi::duckdb_state_DuckDBSuccess
            {
                return Err(Fault::Memory.into());
            }
            let structs = ffi::duckdb_list_vector_get_child(out);
            for (index, column) in [&self.names, &self.values].into_iter().enumerate() {
                Out(ffi::duckdb_struct_vector_get_child(structs, index as u64)).put(engine, 0, column)?;
            }
        }
        Ok(())
    }
}

/// Splits the URL in each row. Returns a column for each component.
fn structs(strings: &Strings<'_>) -> Result<Vec<Column<usize>>, Failure> {
    let rows = strings.len();
    let mut columns = collect(URL_FIELDS.iter().map(|_| Builder::with_capacity(rows, 0)))?;
    for row in 0..rows {
        let url = strings.get(row).map(lossy).transpose()?;
        let fields = url.as_deref().map(parts).unwrap_or_default();
        for (column, field) in columns.iter_mut().zip(fields) {
            column.push(field.as_deref().map(str::as_bytes))?;
        }
    }
    collect(columns.into_iter().map(|column| Ok(column.finish())))
}

/// Stores the columns in a vector of structs.
///
/// # Safety
/// The vector has these rows, and a vector of text for each column. Exceptions of the engine may pass through this function.
unsafe fn put_structs(
    engine: &Engine,
    out: ffi::duckdb_vector,
    strings: &Strings<'_>,
    columns: &[Column<usize>],
) -> Result<(), Failure> {
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        for row in (0..strings.len()).filter(|&row| strings.get(row).is_none()) {
            (engine.ensure_validity)(out);
            ffi::duckdb_validity_set_row_invalid(ffi::duckdb_vector_get_validity(out), row as u64);
        }
        for (index, column) in columns.iter().enumerate() {
            Out(ffi::duckdb_struct_vector_get_child(out, index as u64)).put(engine, 0, column)?;
        }
    }
    Ok(())
}

/// A connection to the database, which registers functions while the extension is being loaded.
pub(crate) struct Registry {
    connection: ffi::duckdb_connection,
    good: bool,
}

impl Registry {
    /// Connects to the database. Returns `None` if the engine does not have this C interface.
    ///
    /// # Safety
    /// The engine passed these arguments to the extension.
    pub(crate) unsafe fn new(
        info: ffi::duckdb_extension_info,
        access: *const ffi::duckdb_extension_access,
    ) -> Option<Registry> {
        // SAFETY: the caller meets the `# Safety` conditions of this function.
        unsafe {
            if !matches!(ffi::duckdb_rs_extension_api_init(info, access, "v1.2.0"), Ok(true)) {
                return None;
            }
            let calls = (*access).get_api?(info, c"v1.2.0".as_ptr()).cast::<ffi::duckdb_ext_api_v1>();
            let engine = Engine::new(calls.as_ref()?)?;
            // If the extension is loaded again, `ENGINE` already has the same calls. So the result of `set` doesn't
            // matter.
            let _ = ENGINE.set(engine);
            let database = (*access).get_database?(info);
            let mut connection = ptr::null_mut();
            let state = ffi::duckdb_connect(*database, &mut connection);
            (state == ffi::duckdb_state_DuckDBSuccess).then_some(Registry { connection, good: true })
        }
    }

    /// Adds a function, once for each number of arguments that it can have and for each type of its first argument.
    pub(crate) fn add(&mut self, function: &'static Function) {
        let name = CString::new(function.name()).unwrap_or_default();
        // SAFETY: the connection is open, and `function` lives as long as the program. This function destroys all objects that
        // it creates. The two types of `call` differ only in the name of the calling convention, and both names mean the same
        // convention.
        unsafe {
            let call = std::mem::transmute::<
                Call,
                unsafe extern "C" fn(ffi::duckdb_function_info, ffi::duckdb_data_chunk, ffi::duckdb_vector),
            >(call);
            let mut text = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
            let mut blob = ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB);
            let mut returns = type_of(function.returns(), text);
            let mut set = ffi::duckdb_create_scalar_function_set(name.as_ptr());
            let firsts = if function.takes_bytes() { &[text, blob][..] } else { &[text] };
            for &first in firsts {
                for &count in function.arguments() {
                    let mut overload = ffi::duckdb_create_scalar_function();
                    ffi::duckdb_scalar_function_set_name(overload, name.as_ptr());
                    ffi::duckdb_scalar_function_add_parameter(overload, first);
                    for _ in 1..count {
                        ffi::duckdb_scalar_function_add_parameter(overload, text);
                    }
                    ffi::duckdb_scalar_function_set_return_type(overload, returns);
                    let info = ptr::from_ref(function).cast_mut().cast::<c_void>();
                    ffi::duckdb_scalar_function_set_extra_info(overload, info, None);
                    // Without this, the engine doesn't call a function with a constant null, and a wrong option is no error.
                    ffi::duckdb_scalar_function_set_special_handling(overload);
                    ffi::duckdb_scalar_function_set_function(overload, Some(call));
                    self.good &=
                        ffi::duckdb_add_scalar_function_to_set(set, overload) == ffi::duckdb_state_DuckDBSuccess;
                    ffi::duckdb_destroy_scalar_function(&mut overload);
                }
            }
            self.good &=
                ffi::duckdb_register_scalar_function_set(self.connection, set) == ffi::duckdb_state_DuckDBSuccess;
            ffi::duckdb_destroy_scalar_function_set(&mut set);
            ffi::duckdb_destroy_logical_type(&mut text);
            ffi::duckdb_destroy_logical_type(&mut blob);
            ffi::duckdb_destroy_logical_type(&mut returns);
        }
    }

    /// Closes the connection. Returns true if all functions were added.
    pub(crate) fn finish(mut self) -> bool {
        // SAFETY: the connection is open, and isn't used after this.
        unsafe { ffi::duckdb_disconnect(&mut self.connection) };
        self.good
    }
}

/// Creates the type of a result. `text` is the type VARCHAR. The caller destroys the created type.
///
/// # Safety
/// The engine is loading the extension, and has created `text`.
unsafe fn type_of(returns: Returns, text: ffi::duckdb_logical_type) -> ffi::duckdb_logical_type {
    /// # Safety
    /// The conditions of [`type_of`] hold.
    unsafe fn struct_of(text: ffi::duckdb_logical_type, names: &[&str]) -> ffi::duckdb_logical_type {
        let names: Vec<CString> = names.iter().map(|&name| CString::new(name).unwrap_or_default()).collect();
        let mut pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let mut types = vec![text; names.len()];
        // SAFETY: the caller meets the `# Safety` conditions of this function. The engine copies the types and the names.
        unsafe { ffi::duckdb_create_struct_type(types.as_mut_ptr(), pointers.as_mut_ptr(), names.len() as u64) }
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe {
        match returns {
            Returns::Text => ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR),
            Returns::Bytes => ffi::duckdb_create_logical_type(ffi::DUCKDB_TYPE_DUCKDB_TYPE_BLOB),
            Returns::Map => ffi::duckdb_create_map_type(text, text),
            Returns::Pairs => {
                let mut pair = struct_of(text, &["name", "value"]);
                let list = ffi::duckdb_create_list_type(pair);
                ffi::duckdb_destroy_logical_type(&mut pair);
                list
            }
            Returns::Parts => struct_of(text, &URL_FIELDS),
        }
    }
}
