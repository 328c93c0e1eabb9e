//! Decodes as web application firewalls do: the transformation `urlDecodeUni` of ModSecurity and Coraza.
//!
//! Firewall rules are written for the results of this transformation. So this module copies it exactly, even if it
//! contradicts a standard. Use a result only to match rules. The transformation is defined in the [ModSecurity
//! Reference Manual
//! (v3)](https://github.com/owasp-modsecurity/ModSecurity/wiki/Reference-Manual-%28v3.x%29#urldecodeuni).
//!
//! The transformation differs from [`ecma::decode_with_u`](crate::ecma::decode_with_u):
//!
//! - `+` is a space at all places.
//! - `%UXXXX` is an escape, like `%uXXXX`.
//! - `%uXXXX` becomes one byte. If there is a map that has the code unit, the byte is from the map. Otherwise a
//!   full-width form, `%uFF01` to `%uFF5E`, becomes its ASCII character, and any other code unit becomes its lower
//!   byte: `%u2541` is `A`.
//! - A surrogate is treated like any other code unit.
//!
//! For every input, the result equals the result of ModSecurity, with and without the map of `SecUnicodeMapFile`.
//! Coraza has the map of code page 20127 built in. This module has no map, so you pass one.

use alloc::borrow::Cow;

use percent_simd::{AsBytes, Decoder, Plus};

use crate::ecma::{LONGEST, find_unit};
use crate::memory;

const DECODE: Decoder = Decoder::new().plus(Plus::Always);

/// Decodes like `t:urlDecodeUni` without a map. Borrows the input if no change is needed.
///
/// # Examples
///
/// ```
/// use percent_standards::waf::url_decode_uni;
/// assert_eq!(url_decode_uni("%uFF1Cscript%u003e+1%zz"), &b"<script> 1%zz"[..]);
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn url_decode_uni<I: AsBytes + ?Sized>(input: &I) -> Cow<'_, [u8]> {
    let src = input.as_bytes();
    if DECODE.first_changed(src).is_none() && find_unit::<true>(src).is_none() {
        return Cow::Borrowed(src);
    }
    let mut out = memory::copy(src);
    let len = url_decode_uni_in_place(&mut out, |_| None).len();
    out.truncate(len);
    Cow::Owned(out)
}

/// Decodes like `t:urlDecodeUni`. The result replaces the start of `buffer`, and is returned.
///
/// To find out if the call has changed the input, check if the result is shorter than `buffer`, or if the input has a
/// `+`. `map` returns the byte for the code unit of a `%uXXXX`. If the map lacks the code unit, it returns `None`.
///
/// # Examples
///
/// ```
/// use percent_standards::waf::url_decode_uni_in_place;
/// let mut buffer = *b"%u0107%41+%u0141";
/// let decoded = url_decode_uni_in_place(&mut buffer, |unit| (unit == 0x107).then_some(b'c'));
/// assert_eq!(decoded, b"cA A");
/// ```
pub fn url_decode_uni_in_place<F: FnMut(u16) -> Option<u8>>(buffer: &mut [u8], mut map: F) -> &mut [u8] {
    let (mut read, mut written) = (0, 0);
    loop {
        let found = find_unit::<true>(&buffer[read..]);
        let end = found.map_or(buffer.len(), |(offset, _)| read + offset);
        let len = DECODE.decode_in_place(&mut buffer[read..end]).len();
        // The slice begins at `written`. So the compiler needs no bounds check for the target of the copy.
        buffer[written..read + len].copy_within(read - written.., 0);
        written += len;
        let Some((_, unit)) = found else { return &mut buffer[..written] };
        buffer[written] = map(unit).unwrap_or_else(|| to_byte(unit));
        written += 1;
        read = end + LONGEST;
    }
}

/// Returns the lower byte of a code unit. For a full-width form, returns its ASCII character.
const fn to_byte(unit: u16) -> u8 {
    match unit {
        0xFF01..=0xFF5E => (unit - 0xFF00) as u8 + 0x20,
        _ => unit as u8,
    }
}
