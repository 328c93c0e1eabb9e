//! Decodes "%uXXXX", and bytes as ModSecurity does.

use core::ffi::c_char;
use core::ptr;

use percent_standards::{ecma, waf};

use crate::decode::{Decoding, PCT_DECODE_PLUS_AFTER_QUERY, pct_decoder, with_place};
use crate::memory::{Place, Region};
use crate::pct_status::{self, *};
use crate::{PCT_NONE, pct_result};

/// Decodes like pct_decode(), and also decodes "%uXXXX", the number of a UTF-16 code unit, to UTF-8.
///
/// IIS, old scripts and their logs write "%uXXXX". No standard defines this escape, so only this function and
/// pct_url_decode_uni() read it. A pair of adjacent surrogates is one character. A lone surrogate is a malformed "%",
/// and so is a "%u" without four digits. The option `keep` does not apply to "%uXXXX". The option `reject` applies if
/// the character is ASCII.
///
/// Works in place, like pct_decode(). Even with separate buffers `cap` must be at least `len`. The decoder must not
/// have PCT_DECODE_PLUS_AFTER_QUERY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_decode_u(
    decoder: *const pct_decoder,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    let decode_u = |decoding: &Decoding, place: Place, result: &mut pct_result| {
        if decoding.flags & PCT_DECODE_PLUS_AFTER_QUERY != 0 {
            return PCT_INVALID_ARGUMENT;
        }
        match place.in_place() {
            Some(buffer) => decode_u(decoding, buffer, result),
            None => result.set_needed(len),
        }
    };
    // SAFETY: the C caller follows the rules of the header.
    unsafe { with_place(decoder, Region::NONE, (src, len), (dst, cap), result, decode_u) }
}

/// Decodes like the transformation "urlDecodeUni" of ModSecurity and Coraza, for rules that expect this transformation.
///
/// "%XX" becomes a byte, "+" becomes a space, and "%uXXXX" or "%UXXXX" becomes one byte. If `map` is not null, it has
/// 65,536 numbers: for each code unit its byte, or -1. Without a map, or if the number is -1, a full-width form (FF01
/// to FF5E) becomes its ASCII character, and any other code unit becomes its lower byte. Malformed escapes stay. Use
/// the result for matching only.
///
/// Works in place, like pct_decode(). Even with separate buffers `cap` must be at least `len`.
///
/// Returns PCT_OK, PCT_OUTPUT_TOO_SMALL, PCT_OVERLAP or PCT_INVALID_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pct_url_decode_uni(
    map: *const i32,
    src: *const c_char,
    len: usize,
    dst: *mut c_char,
    cap: usize,
    result: *mut pct_result,
) -> pct_status {
    let table = Region::of(map, 1 << 16);
    // SAFETY: the C caller follows the rules of the header. A null pointer is not read.
    let map = unsafe { (!map.is_null()).then(|| &*map.cast::<[i32; 1 << 16]>()) };
    let mapped = |unit: u16| map.and_then(|map| map.get(usize::from(unit))).and_then(|&byte| u8::try_from(byte).ok());
    let decode_uni = |_: &Decoding, place: Place, result: &mut pct_result| {
        let Some(buffer) = place.in_place() else { return result.set_needed(len) };
        let pluses = buffer.contains(&b'+');
        result.read = len;
        result.written = waf::url_decode_uni_in_place(buffer, mapped).len();
        result.changed = u8::from(pluses || result.written != len);
        result.layers = result.changed.into();
        PCT_OK
    };
    // SAFETY: the C caller follows the rules of the header.
    unsafe { with_place(ptr::null(), table, (src, len), (dst, cap), result, decode_uni) }
}

fn decode_u(decoding: &Decoding, buffer: &mut [u8], result: &mut pct_result) -> pct_status {
    let mut status = PCT_OK;
    while let Some(rest) = buffer.get_mut(result.read..).filter(|rest| !rest.is_empty()) {
        // Decode the text before the next `%uXXXX`. If that `%uXXXX` is a lone surrogate, its `%` is malformed, so it
        // belongs to this text.
        let found = ecma::find_u_escape(rest);
        let until =
            found.map_or(rest.len(), |found| found.offset + if found.character.is_some() { 0 } else { found.len });
        let last = until == rest.len();
        let Some(plain) = rest.get_mut(..until) else { break };
        let mut piece = pct_result::EMPTY;
        let mut piece_status = decoding.decode(Place::Same(plain), &mut piece);
        if piece_status == PCT_TRUNCATED && !last {
            piece_status = PCT_NOT_HEX;
        }
        let start = result.read;
        if let Some(moved) = buffer.get_mut(result.written..start + piece.written) {
            let to = moved.as_mut_ptr();
            // SAFETY: `moved` ends at the end of the piece. `moved` starts at or before the piece, because decoding
            // never makes text longer. So `moved` contains the piece, and its first `piece.written` bytes can be written.
            unsafe { to.add(start - result.written).copy_to(to, piece.written) };
        }
        result.read += piece.read;
        result.written += piece.written;
        result.changed |= piece.changed;
        if result.first_error == PCT_NONE && piece.first_error != PCT_NONE {
            result.first_error = start + piece.first_error;
        }
        if piece_status != PCT_OK {
            (status, result.rejected) = (piece_status, piece.rejected);
            break;
        }
        let Some((found, character)) = found.and_then(|found| Some((found, found.character?))) else { continue };
        if character.is_ascii() && decoding.reject.contains(character as u8) {
            (status, result.rejected) = (PCT_REJECTED, character as u8);
            result.first_error = result.read;
            break;
        }
        let mut utf8 = [0; 4];
        let utf8 = character.encode_utf8(&mut utf8).as_bytes();
        if let Some(out) = buffer.get_mut(result.written..).and_then(|out| out.get_mut(..utf8.len())) {
            out.copy_from_slice(utf8);
        }
        result.written += utf8.len();
        result.read += found.len;
        result.changed = 1;
    }
    result.layers = result.changed.into();
    status
}

#[cfg(test)]
mod tests {
    use core::ptr;

    use super::*;
    use crate::pct_decode_layers;

    type Call<'a> = &'a dyn Fn(*const c_char, usize, *mut c_char, usize, *mut pct_result) -> pct_status;

    /// Calls that work on their own output. Miri checks their pointers in this test, because the suites take it too long.
    #[test]
    fn output_is_decoded_again() {
        // SAFETY: the pointers are to `input`, `buffer` and `result`.
        let units: Call =
            &|src, len, dst, cap, result| unsafe { pct_decode_u(ptr::null(), src, len, dst, cap, result) };
        // SAFETY: as above.
        let layers: Call =
            &|src, len, dst, cap, result| unsafe { pct_decode_layers(ptr::null(), src, len, dst, cap, 9, result) };
        for (call, input, expected) in [
            (units, &b"a%u0041b%41c%u20ACd%zz"[..], "aAbAc€d%zz"),
            (layers, b"a%252541b%2525%zz", "aAb%%zz"),
            (layers, b"", ""),
        ] {
            let (mut result, len) = (pct_result::EMPTY, input.len());
            let mut buffer = [0u8; 64];
            let dst = if len == 0 { ptr::null_mut() } else { buffer.as_mut_ptr().cast() };
            assert_eq!(call(input.as_ptr().cast(), len, dst, len, &mut result), PCT_OK);
            assert_eq!(buffer[..result.written], *expected.as_bytes());
            buffer[..len].copy_from_slice(input);
            let dst: *mut c_char = buffer.as_mut_ptr().cast();
            assert_eq!(call(dst, len, dst, len, &mut result), PCT_OK);
            assert_eq!(buffer[..result.written], *expected.as_bytes());
        }
    }
}
