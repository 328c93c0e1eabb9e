//! Parses literals and variables (RFC 6570 2.1 to 2.4).

use percent_simd::{ByteSet, RawEncoder, internal::triplet, sets};

use super::error::{TemplateError, TemplateErrorKind, fault};
use super::{Modifier, Operator, Variable};

/// If there is a triplet at `at`, returns the total length of the triplets that encode one character. If there is no
/// triplet, returns `None`.
///
/// If the triplets don't encode a character, returns the length of one triplet.
pub(super) fn escaped_character(text: &[u8], at: usize) -> Option<usize> {
    let mut bytes = [triplet(text, at)?, 0, 0, 0];
    let len = match bytes[0] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    };
    for (i, byte) in bytes.iter_mut().enumerate().take(len).skip(1) {
        *byte = triplet(text, at + 3 * i).unwrap_or_default();
    }
    Some(if str::from_utf8(&bytes[..len]).is_ok() && !bytes[1..len].contains(&0) { 3 * len } else { 3 })
}

/// Returns the variables of an expression, up to the first fault. `list` is the text of the expression after the
/// operator. In the template, `list` starts at `offset`.
pub(super) fn variables(
    operator: Operator,
    list: &str,
    offset: usize,
) -> impl Iterator<Item = Result<Variable<'_>, TemplateError>> {
    let mut offset = offset;
    list.split(',').map(move |text| {
        let start = offset;
        offset += text.len() + 1;
        variable(operator, text, start)
    })
}

/// `varspec = varname [ modifier-level4 ]` (2.3)
fn variable(operator: Operator, text: &str, offset: usize) -> Result<Variable<'_>, TemplateError> {
    let (name, modifier) = text.split_at(name_len(text, offset)?);
    let number = |digits: &str| match digits.as_bytes() {
        [b'1'..=b'9', rest @ ..] if rest.len() <= 3 && rest.iter().all(u8::is_ascii_digit) => digits.parse().ok(),
        _ => None,
    };
    let modifier = match (modifier, modifier.strip_prefix(':')) {
        ("", _) => Some(Modifier::None),
        ("*", _) => Some(Modifier::Explode),
        (_, Some(digits)) => number(digits).map(Modifier::Prefix),
        _ => None,
    };
    match modifier {
        Some(modifier) => Ok(Variable { operator, name, modifier, offset }),
        None => fault(offset + name.len(), TemplateErrorKind::Modifier),
    }
}

/// Returns the length of the name at the start of `text`: `varname = varchar *( ["."] varchar )` (2.3). In the
/// template, `text` starts at `offset`.
fn name_len(text: &str, offset: usize) -> Result<usize, TemplateError> {
    let bytes = text.as_bytes();
    let (mut at, mut is_part) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        (at, is_part) = match byte {
            b'%' if triplet(bytes, at).is_none() => fault(offset + at, TemplateErrorKind::Escape)?,
            b'%' => (at + 3, true),
            b'.' if is_part => (at + 1, false),
            b':' | b'*' => break,
            b'_' => (at + 1, true),
            byte if byte.is_ascii_alphanumeric() => (at + 1, true),
            _ => fault(offset + at, TemplateErrorKind::Name)?,
        };
    }
    if is_part { Ok(at) } else { fault(offset + at, TemplateErrorKind::Name) }
}

/// Returns the first fault in a literal (2.1). The literal starts at `offset`.
pub(super) fn literal_error(literal: &str, offset: usize) -> Option<TemplateError> {
    static ASCII: RawEncoder = RawEncoder::new(sets::RFC3986_URI.union(ByteSet::range(0x80, 0xFF))).keep_triplets();
    let high = literal.char_indices().find(|&(_, c)| !c.is_ascii() && !is_literal(c)).map(|(at, _)| at);
    let at = [ASCII.first_changed(literal), high].into_iter().flatten().min()?;
    let kind = match literal.as_bytes()[at] {
        b'%' => TemplateErrorKind::Escape,
        _ => TemplateErrorKind::Literal,
    };
    Some(TemplateError { offset: offset + at, kind })
}

/// `ucschar / iprivate` (1.5, the same as in RFC 3987 2.2)
fn is_literal(c: char) -> bool {
    match c as u32 {
        0xA0..=0xFDCF | 0xFDF0..=0xFFEF => true,
        0xE_0000..=0xE_0FFF => false,
        high => high >= 0x1_0000 && high & 0xFFFF <= 0xFFFD,
    }
}
