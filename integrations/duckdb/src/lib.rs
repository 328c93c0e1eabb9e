//! Percent-encoding in DuckDB: scalar functions, registered through the C interface for extensions. See README.md.
//!
//! The functions are a table of the crate `percent-simd-arrow`. All code that touches the engine's memory is in `vectors.rs`.

mod vectors;

use libduckdb_sys as ffi;
use percent_simd_arrow::sql::Function;

use vectors::Registry;

#[global_allocator]
static ALLOCATOR: percent_simd_host::Reserve = percent_simd_host::Reserve;

/// Registers the functions. DuckDB calls this when it loads the extension.
///
/// # Safety
/// `info` and `access` are valid. The C interface for extensions promises this.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn percent_simd_init_c_api(
    info: ffi::duckdb_extension_info,
    access: *const ffi::duckdb_extension_access,
) -> bool {
    percent_simd_host::quiet();
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    let Some(mut registry) = (unsafe { Registry::new(info, access) }) else { return false };
    Function::ALL.iter().for_each(|function| registry.add(function));
    registry.finish()
}
