//! Undoes the escapes of names in `multipart/form-data`.

use alloc::borrow::Cow;

use percent_simd::{ByteSet, Decoder, RawEncoder};

/// All bytes except the three that are escaped: LF, CR and `"`. `%` isn't escaped.
const STAYS: ByteSet = ByteSet::ALL.difference(ByteSet::of(b"\n\r\""));

pub(crate) const ENCODER: RawEncoder = RawEncoder::new(STAYS);
const DECODER: Decoder = Decoder::new().keep(STAYS);

/// Decodes a field name or a file name that a browser wrote in `multipart/form-data` ([HTML
/// 4.10.22.7](https://html.spec.whatwg.org/#multipart-form-data)).
///
/// `%22` becomes `"`, `%0D` becomes CR, and `%0A` becomes LF. The digits may be in upper or lower case. All other
/// escapes stay. For example, `%20` stays: browsers don't escape `%`, so the name itself has a `%20`. Borrows `name` if
/// no change is needed.
///
/// The result can be wrong if the name itself has one of the three decoded escapes. For example, the browser sends
/// `%22` for `%22` and for `"`, and this call returns `"`. The inverse is `form::html::multipart_escape`.
///
/// # Examples
///
/// ```
/// use percent_standards::http::multipart_unescape;
/// assert_eq!(multipart_unescape("a%22b%0d%0A%20%25%41"), "a\"b\r\n%20%25%41");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn multipart_unescape(name: &str) -> Cow<'_, str> {
    DECODER.decode_utf8_lossy(name) // no text is lost, because only ASCII is decoded
}
