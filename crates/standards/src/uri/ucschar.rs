//! The characters beyond ASCII that an IRI may hold (RFC 3987 2.2, 4.1), and the search for those that it may not.

use percent_simd::{ByteSet, RawEncoder};

/// `ucschar` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)): what an IRI may hold beyond ASCII.
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
        // No private planes, and of no plane the last two.
        0x1_0000..=0xD_FFFF => code & 0xFFFF <= 0xFFFD,
        _ => false,
    }
}

/// `iprivate` ([RFC 3987 2.2](https://www.rfc-editor.org/rfc/rfc3987#section-2.2)): what its query may hold too.
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

/// Returns whether the character is invisible and changes the direction of the text around it: `Bidi_Control`
/// ([UAX #44](https://www.unicode.org/reports/tr44/#Bidi_Control)). Whatever shows text decoded had better leave these
/// encoded, for with them it reads as something else than it is.
///
/// [RFC 3987 4.1](https://www.rfc-editor.org/rfc/rfc3987#section-4.1) keeps seven of them out of IRIs, LRM, RLM, LRE, RLE,
/// PDF, LRO and RLO. The others are newer, ALM, LRI, RLI, FSI and PDI, and hide what is written just as well.
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

/// Returns whether the character must not stand in an IRI though the grammar has it (4.1).
const fn is_forbidden(character: char) -> bool {
    matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}')
}

/// Returns whether an IRI may hold the character, which is not ASCII; `private`, in its query.
pub(crate) const fn may_stand(character: char, private: bool) -> bool {
    (is_ucschar(character) || private && is_iprivate(character)) && !is_forbidden(character)
}

/// First bytes of the characters that are neither `ucschar` nor `iprivate`, and of others.
pub(crate) const FIRSTS_OF_NEITHER: ByteSet = ByteSet::of(b"\xC2\xEF").union(ByteSet::range(0xF0, 0xF4));

/// Returns the offset of the first character that `refuses` refuses; it is not ASCII, and `firsts` finds its first
/// byte.
pub(crate) fn find_refused(text: &str, firsts: &RawEncoder, refuses: impl Fn(char) -> bool) -> Option<usize> {
    /// Bytes that are looked at one by one where there has been a suspect: they come in rows.
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
