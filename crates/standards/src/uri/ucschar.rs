//! Defines the characters above ASCII that an IRI may contain (RFC 3987 2.2, 4.1), and finds characters that an IRI
//! can't contain.

use percent_simd::{ByteSet, RawEncoder};

/// Returns true for a `ucschar`, which any component of an IRI may contain.
///
/// These are characters above ASCII ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)).
///
/// # Examples
///
/// ```
/// assert!(percent_standards::iri::is_ucschar('é') && !percent_standards::iri::is_ucschar('\u{FFFD}'));
/// ```
#[must_use]
pub const fn is_ucschar(character: char) -> bool {
    let code = character as u32;
    match code {
        0xA0..=0xD7FF | 0xF900..=0xFDCF | 0xFDF0..=0xFFEF | 0xE_1000..=0xE_FFFD => true,
        // All planes except the private planes. The last two characters of each plane are excluded.
        0x1_0000..=0xD_FFFF => code & 0xFFFF <= 0xFFFD,
        _ => false,
    }
}

/// Returns true for an `iprivate`, which only the query of an IRI may contain.
///
/// These are private characters ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)).
///
/// # Examples
///
/// ```
/// assert!(percent_standards::iri::is_iprivate('\u{E000}') && !percent_standards::iri::is_iprivate('é'));
/// ```
#[must_use]
pub const fn is_iprivate(character: char) -> bool {
    matches!(character as u32, 0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD)
}

/// Returns true for an invisible character that changes the direction of the text around it.
///
/// Unicode calls these characters `Bidi_Control` ([UAX #44](https://www.unicode.org/reports/tr44/#Bidi_Control)). If
/// you decode text to show it, keep these characters encoded. Otherwise the text can look different from its content.
///
/// - [RFC 3987 4.1](https://www.rfc-editor.org/rfc/rfc3987#section-4.1) forbids seven of them in IRIs: LRM, RLM, LRE,
///   RLE, PDF, LRO and RLO.
/// - Five are newer, and equally dangerous: ALM, LRI, RLI, FSI and PDI.
///
/// # Examples
///
/// ```
/// use percent_standards::iri::is_bidi_control;
/// assert!(is_bidi_control('\u{202E}') && is_bidi_control('\u{2066}') && !is_bidi_control('א'));
/// ```
#[must_use]
pub const fn is_bidi_control(character: char) -> bool {
    is_forbidden(character) || matches!(character, '\u{61C}' | '\u{2066}'..='\u{2069}')
}

/// Returns true if RFC 3987 4.1 forbids the character in an IRI, although the grammar allows it.
const fn is_forbidden(character: char) -> bool {
    matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}')
}

/// Returns true if an IRI may contain this character above ASCII. If the character is in a query, `private` is true:
/// only a query may contain an `iprivate`.
pub(crate) const fn is_allowed_in_iri(character: char, private: bool) -> bool {
    (is_ucschar(character) || private && is_iprivate(character)) && !is_forbidden(character)
}

/// The first bytes of the characters that are neither `ucschar` nor `iprivate`. Some allowed characters also begin with
/// these bytes.
pub(crate) const FIRSTS_OF_NEITHER: ByteSet = ByteSet::of(b"\xC2\xEF").union(ByteSet::range(0xF0, 0xF4));

/// Returns the offset of the first character for which `refuses` returns true.
///
/// Refused characters must be above ASCII, and `firsts` must stop at their first bytes.
pub(crate) fn find_refused(text: &str, firsts: &RawEncoder, refuses: impl Fn(char) -> bool) -> Option<usize> {
    /// After `firsts` has stopped, we check the characters of this many bytes one by one. `firsts` would often stop
    /// again after a few bytes, and each call of it takes longer than checking a character.
    const NEAR: usize = 32;
    let mut at = 0;
    loop {
        at += firsts.first_changed(&text[at..])?;
        let end = at + NEAR;
        for character in text[at..].chars() {
            if !character.is_ascii() && refuses(character) {
                return Some(at);
            }
            at += character.len_utf8();
            if at >= end {
                break;
            }
        }
    }
}
