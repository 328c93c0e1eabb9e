//! Iterates over the members of the field `baggage`.

use core::ffi::c_char;
use core::str;

use percent_standards::http::baggage;

use crate::memory::{Region, are_apart, bytes};
use crate::pct_status::{self, *};
use crate::{PCT_NONE, pct_pair};

/// Stores the next member of a header field "baggage" at `member` (W3C Baggage 3.2).
///
/// `*at` is the position in the field. Set it to 0 before the first call. `name` is the key, which is not encoded. `value` is
/// undecoded: decode it with pct_decode() and a null decoder, and replace invalid UTF-8 by U+FFFD. A "+" is a plus sign.
/// Properties after a ";" are checked and left out. Empty members are skipped. To write a value, use the encoder
/// "w3c-baggage".
///
/// If the status is not PCT_OK, name and value are empty. With PCT_OVERLAP, the member stays as it is. Returns:
///
/// - PCT_OK.
/// - PCT_END if there is no further member.
/// - PCT_BAD_FIELD if the member is malformed, with the offset of the fault in `offset`. The next call returns the
///   member after the malformed one, so you can drop malformed members, as the standard allows.
/// - PCT_OVERLAP.
/// - PCT_INVALID_ARGUMENT, which can also mean that `*at` is after the end of the field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_baggage_next(
    src: *const c_char,
    len: usize,
    at: *mut usize,
    member: *mut pct_pair,
) -> pct_status {
    if !are_apart([Region::of(at, 1), Region::of(member, 1)], [Region::of(src, len)]) {
        return PCT_OVERLAP;
    }
    // SAFETY: the C caller follows the rules of the header.
    unsafe {
        if member.is_null() {
            return PCT_INVALID_ARGUMENT;
        }
        let (status, found) = match (bytes(src.cast(), len), at.as_mut()) {
            (Some(field), Some(at)) => next(field, at),
            _ => (PCT_INVALID_ARGUMENT, pct_pair::empty(&[], PCT_NONE)),
        };
        member.write(found);
        status
    }
}

fn next(field: &[u8], at: &mut usize) -> (pct_status, pct_pair) {
    let empty = |offset| pct_pair::empty(field, offset);
    let Some(mut rest) = field.get(*at..) else { return (PCT_INVALID_ARGUMENT, empty(PCT_NONE)) };
    while !rest.is_empty() {
        let start = *at;
        let end = rest.iter().position(|&byte| byte == b',').unwrap_or(rest.len());
        let member = rest.get(..end).unwrap_or(rest);
        rest = rest.get(end + 1..).unwrap_or_default();
        *at = field.len() - rest.len();
        // Only ASCII is allowed.
        let text = match str::from_utf8(member) {
            Ok(text) => text,
            Err(error) => return (PCT_BAD_FIELD, empty(start + error.valid_up_to())),
        };
        match baggage::parse_raw(text).next() {
            None => {}
            Some(Err(error)) => return (PCT_BAD_FIELD, empty(start + error.offset)),
            Some(Ok(member)) => {
                let pair = pct_pair {
                    name: member.key.as_ptr().cast(),
                    name_len: member.key.len(),
                    value: member.value.as_ptr().cast(),
                    value_len: member.value.len(),
                    offset: start + member.offset,
                    has_value: true,
                };
                return (PCT_OK, pair);
            }
        }
    }
    (PCT_END, empty(PCT_NONE))
}
