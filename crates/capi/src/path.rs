//! Normalizes the paths of requests.

use core::ffi::c_char;
use core::slice;

use percent_standards::uri::{PathNormalizer, PathSliceError, UriErrorKind};

use crate::pct_status::{self, *};
use crate::{answer_apart, pct_result};

/// Refuses a malformed "%" and every character that paths do not allow. Without this flag, both are escaped.
pub const PCT_PATH_STRICT: u32 = 1;

/// Normalizes the path of a request, without the query. Check and use the normalized path, so that both see the same
/// path.
///
/// 1. A path that does not begin with "/" is refused. A control is refused too, escaped ("%00") or not.
/// 2. Each byte that paths do not allow becomes a triplet: "%25" for a malformed "%", "%5C" for a backslash.
/// 3. Triplets of unreserved characters are decoded once. All other triplets stay, such as "%2F". Their digits become
///    upper case.
/// 4. Dot segments are removed, even if they were written "%2E". No ".." leads above the root.
///
/// Normalizing the result again changes nothing. `flags` is 0 or PCT_PATH_STRICT. The call cannot work in place. `cap`
/// must have room for the path after the second step, which is at most three times `len`.
///
/// Returns PCT_OK; PCT_NOT_HEX (strict only); PCT_BAD_PATH for every other fault of the path, with its offset in
/// `first_error`; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_normalize_path(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    flags: u32,
    result: *mut pct_result,
) -> pct_status {
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let is_strict = (flags & !PCT_PATH_STRICT == 0).then_some(flags & PCT_PATH_STRICT != 0);
        answer_apart(is_strict, (src, len), (dst, cap), result, |is_strict, src, dst, result| {
            // `normalize_slice` writes only initialised bytes to `dst`.
            let dst = slice::from_raw_parts_mut(dst.as_mut_ptr().cast::<u8>(), dst.len());
            normalize(src, dst, is_strict, result)
        })
    }
}

fn normalize(src: &[u8], dst: &mut [u8], strict: bool, result: &mut pct_result) -> pct_status {
    let normalizer = if strict { PathNormalizer::new().strict() } else { PathNormalizer::new() };
    match normalizer.normalize_slice(src, dst) {
        Ok(normal) => {
            (result.read, result.written) = (src.len(), normal.len());
            result.changed = u8::from(*normal != *src);
            PCT_OK
        }
        Err(PathSliceError::Path(error)) => {
            result.first_error = error.offset;
            if matches!(error.kind, UriErrorKind::Escape(_)) { PCT_NOT_HEX } else { PCT_BAD_PATH }
        }
        Err(PathSliceError::OutputTooSmall(error)) => result.set_needed(error.needed),
        Err(_) => PCT_BAD_PATH,
    }
}
