//! Normalizes the paths of requests.

use core::ffi::c_char;

use percent_simd::SliceError;
use percent_standards::uri::{PathNormalizer, Separators, UriErrorKind};

use crate::memory::write_only;
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// Refuses a malformed "%" and every character that paths do not allow. Without this flag, both are escaped.
pub const PCT_PATH_STRICT: u32 = 1;
/// Removes empty segments, except the last: "//a//b/" becomes "/a/b/". Use this flag if the path names a file.
pub const PCT_PATH_MERGE_SLASHES: u32 = 2;
/// Refuses "%2F" and "%5C", and a raw backslash. Use this flag if another program decodes the path after your check.
pub const PCT_PATH_REJECT_SEPARATORS: u32 = 4;

/// Normalizes the path of a request, without the query. Do your checks on the normalized path, and after that use only
/// this path, never the original one.
///
/// 1. A path that does not begin with "/" is refused. A control is refused too, escaped ("%00") or not.
/// 2. Each byte that paths do not allow becomes a triplet: "%25" for a malformed "%", "%5C" for a backslash.
/// 3. Triplets of unreserved characters are decoded once. All other triplets stay, with their digits in upper case. So
///    "%2F" remains, or is refused with PCT_PATH_REJECT_SEPARATORS.
/// 4. Dot segments are removed, even if they were written "%2E". No ".." leads above the root.
///
/// Normalizing the result again changes nothing. `flags` is 0 or PCT_PATH_ flags, combined with |. The call cannot work
/// in place. `cap` must have room for the path after the second step, which is at most three times `len`.
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
        answer_apart(normalizer(flags), Others::NONE, (src, len), (dst, cap), result, |normalizer, src, dst, result| {
            // `normalize_slice` writes only initialised bytes to `dst`.
            normalize(src, write_only(dst), normalizer, result)
        })
    }
}

/// Returns the normalizer with these options, or `None` if a flag is unknown.
fn normalizer(flags: u32) -> Option<PathNormalizer> {
    if flags & !(PCT_PATH_STRICT | PCT_PATH_MERGE_SLASHES | PCT_PATH_REJECT_SEPARATORS) != 0 {
        return None;
    }
    let mut normalizer = PathNormalizer::new();
    if flags & PCT_PATH_STRICT != 0 {
        normalizer = normalizer.strict();
    }
    if flags & PCT_PATH_MERGE_SLASHES != 0 {
        normalizer = normalizer.merge_slashes();
    }
    if flags & PCT_PATH_REJECT_SEPARATORS != 0 {
        normalizer = normalizer.separators(Separators::Reject);
    }
    Some(normalizer)
}

fn normalize(src: &[u8], dst: &mut [u8], normalizer: PathNormalizer, result: &mut pct_result) -> pct_status {
    match normalizer.normalize_slice(src, dst) {
        Ok(normal) => {
            (result.read, result.written) = (src.len(), normal.len());
            result.changed = u8::from(*normal != *src);
            PCT_OK
        }
        Err(SliceError::Input(error)) => {
            result.first_error = error.offset;
            if matches!(error.kind, UriErrorKind::Escape(_)) { PCT_NOT_HEX } else { PCT_BAD_PATH }
        }
        Err(SliceError::OutputTooSmall(error)) => result.set_needed(error.needed),
    }
}
