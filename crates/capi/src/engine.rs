//! The engines of this CPU.

use core::ffi::c_char;

use percent_simd::Engine;

use crate::memory::{name, put_name};

/// Writes the name of the engine with this index to `out`, with a NUL at its end, and returns the length of the name.
///
/// Returns 0 if no engine has this index. An engine is the codec compiled for one instruction set: "avx512", "avx2",
/// "sse42", "neon" or "scalar". The engines that this CPU can run have the indices from 0 on, best first. Engine 0 is
/// the default. If `cap` is not above the length, the name is cut off. `out` may be null if `cap` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_engine_name(index: usize, out: *mut c_char, cap: usize) -> usize {
    let engine = Engine::available().nth(index).map_or("", Engine::name);
    // SAFETY: the C caller follows the rules of the header.
    unsafe { put_name(engine, out, cap) }
}

/// Returns the engine of this name. If `engine` is null, returns `Some(None)`. If no engine has this name, or this CPU
/// cannot run the engine, returns `None`.
///
/// # Safety
/// `engine` is null or points to a string that ends in NUL.
pub(crate) unsafe fn by_name(engine: *const c_char) -> Option<Option<&'static Engine>> {
    if engine.is_null() {
        return Some(None);
    }
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    unsafe { name(engine) }.and_then(Engine::by_name).map(Some)
}
