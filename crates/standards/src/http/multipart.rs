//! Undoes the escapes of names in `multipart/form-data`.

use alloc::borrow::Cow;

use percent_simd::{ByteSet, Decoder, RawEncoder};

/// All bytes except the three that are escaped: LF, CR and `"`. `%` isn't escaped.
const STAYS: ByteSet = ByteSet::ALL.difference(ByteSet::of(b"\n\r\""));

pub(crate) const ENCODER: RawEncoder = RawEncoder::new(STAYS);
const DECODER: Decoder = Decoder::new().keep(STAYS);

/// Decodes the name of a field or of a file in `multipart/form-data`, as browsers write it ([HTML
/// 4.10.22.7](https://html.spec.whatwg.org/#multipart-form-data)).
///
/// `%22` becomes `"`, `%0D` becomes CR, and `%0A` becomes LF. The digits may be in upper or lower case. All other
/// escapes stay: browsers don't escape `%`, so the user typed `%20`. Borrows `name` if no change is needed.
///
/// The result is ambiguous in one case. If the user typed `%22`, the browser also sends `%22`, and this call returns
/// `"`. The inverse is `form::html::multipart_escape`.
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
