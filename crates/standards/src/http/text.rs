//! Small functions on the text of fields.

use percent_simd::{ByteSet, sets};

#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// The characters of a `token` ([RFC 9110 5.6.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2)).
const TOKEN: ByteSet = sets::RFC8187_ATTR_CHAR.union(ByteSet::of(b"%'*"));

/// Returns the offset of the first byte that isn't allowed in a token. For empty text, which isn't a token either,
/// returns 0.
pub(super) fn first_not_in_token(text: &[u8]) -> Option<usize> {
    if text.is_empty() { Some(0) } else { text.iter().position(|&byte| !TOKEN.contains(byte)) }
}

/// Removes spaces and tabs around `text`, which begins at `offset` in a field. Returns the rest of `text`, and its
/// offset in the field.
pub(super) fn trimmed(text: &str, offset: usize) -> (&str, usize) {
    let blank = |c| matches!(c, ' ' | '\t');
    let start = text.trim_start_matches(blank);
    (start.trim_end_matches(blank), offset + (text.len() - start.len()))
}

/// Reads octets as ISO-8859-1: the value of an octet is the code point of its character.
#[cfg(feature = "alloc")]
pub(super) fn latin1(octets: Cow<'_, [u8]>) -> Cow<'_, str> {
    if let Cow::Borrowed(octets) = octets
        && octets.is_ascii()
        && let Ok(text) = str::from_utf8(octets)
    {
        return Cow::Borrowed(text);
    }
    let characters = octets.iter().map(|&octet| char::from(octet));
    let mut text = memory::string(characters.clone().map(char::len_utf8).sum());
    text.extend(characters);
    Cow::Owned(text)
}
