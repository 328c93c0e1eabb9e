//! Writes queries in a canonical form.

use core::ffi::c_char;

use percent_standards::uri::CanonicalQuery;

use crate::memory::{Region, name, write_only};
use crate::pct_status::{self, *};
use crate::{Others, answer_apart, pct_result};

/// AWS Signature Version 4, and V4 signatures of Google Cloud Storage: sorts by name and value, encodes everything
/// but letters, digits and "-._~", and always writes "=". A "+" is a plus sign.
pub const PCT_QUERY_SIGV4: u32 = 1;
/// The parameters of OAuth 1.0 (RFC 5849 3.4.1.3): like PCT_QUERY_SIGV4, but "+" is a space.
pub const PCT_QUERY_OAUTH1: u32 = 2;
/// A key for a cache: sorts by name, and changes no pair. Pairs with the same name keep their order.
pub const PCT_QUERY_CACHE_KEY: u32 = 3;
/// Keeps all pairs as they are written, in their order, except the pairs that you drop by name.
pub const PCT_QUERY_AS_WRITTEN: u32 = 4;

/// The greatest number of names in a list of names to drop.
const MOST_NAMES: usize = 64;

/// Writes a query, without its "?", in a canonical form, so that equal queries become equal text.
///
/// `kind` is one of the PCT_QUERY_ constants. `drop` is null or a string with the names of pairs to drop, separated by
/// commas, at most 64. "*" at the end of a name stands for any text: "utm_*,fbclid". Names are compared after decoding.
///
/// The call cannot work in place. A `cap` of 8 * len + 8 is always sufficient. If the call has to sort, it needs room behind
/// the result: 8 bytes for each pair.
///
/// Returns PCT_OK; PCT_OUTPUT_TOO_SMALL, with `needed`; PCT_OVERLAP; or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_canonical_query(
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    kind: u32,
    drop: *const c_char,
    result: *mut pct_result,
) -> pct_status {
    let mut names = [""; MOST_NAMES];
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        let query = dropped(drop, &mut names).and_then(|names| Some(canonical(kind)?.drop_names(names)));
        let others = Others { read: [Region::name(drop), Region::NONE], ..Others::NONE };
        answer_apart(query, others, (src, len), (dst, cap), result, |query, src, dst, result| {
            // `canonicalize_slice` writes only initialised bytes.
            match query.canonicalize_slice(src, write_only(dst)) {
                Ok(text) => {
                    (result.read, result.written) = (src.len(), text.len());
                    result.changed = u8::from(*text != *src);
                    PCT_OK
                }
                Err(error) => result.set_needed(error.needed),
            }
        })
    }
}

fn canonical(kind: u32) -> Option<CanonicalQuery<'static>> {
    Some(match kind {
        PCT_QUERY_SIGV4 => CanonicalQuery::sigv4(),
        PCT_QUERY_OAUTH1 => CanonicalQuery::oauth1(),
        PCT_QUERY_CACHE_KEY => CanonicalQuery::cache_key(),
        PCT_QUERY_AS_WRITTEN => CanonicalQuery::as_written(),
        _ => return None,
    })
}

/// Splits the list of names into `names`, and returns them. Returns `None` if the list is too long or not UTF-8.
///
/// # Safety
/// `list` is null or points to a string that ends in NUL.
unsafe fn dropped<'n, 'a>(list: *const c_char, names: &'n mut [&'a str; MOST_NAMES]) -> Option<&'n [&'a str]> {
    if list.is_null() {
        return Some(&[]);
    }
    let mut found = 0;
    // SAFETY: the caller meets the `# Safety` conditions of this function.
    for part in unsafe { name(list)? }.split(',').filter(|part| !part.is_empty()) {
        *names.get_mut(found)? = part;
        found += 1;
    }
    Some(&names[..found])
}
