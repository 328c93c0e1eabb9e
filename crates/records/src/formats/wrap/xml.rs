//! Reads and writes the text of an XML element.

use std::borrow::Cow;
use std::io::Write;

use memchr::memmem;
use percent_simd::{ByteSet, Encoder};

/// The characters that have a predefined reference such as `&amp;` (XML 1.0, 2.4 and 4.6). The names are written
/// without `&`.
const ENTITIES: [(&str, char); 5] = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("apos;", '\'')];

/// Returns true for a character that XML can contain (XML 1.0, 2.2). Such a character can be written as itself or as a
/// reference.
const fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The control bytes that XML can't contain. CR is in the set because XML parsers convert it to LF (2.11).
pub const NOT_HELD: ByteSet = ByteSet::range(0, 0x1F).difference(ByteSet::of(b"\t\n"));

/// Returns the text that the XML text `raw` means. If `raw` is not well-formed, returns `None`.
pub fn unescaped(raw: &[u8]) -> Option<Cow<'_, [u8]>> {
    let text = str::from_utf8(raw).ok()?;
    if !text.chars().all(is_char) {
        return None;
    }
    if !text.contains('&') {
        return Some(Cow::Borrowed(raw));
    }
    let mut pieces = text.split('&');
    let mut out = pieces.next()?.to_string();
    for piece in pieces {
        if let Some((name, c)) = ENTITIES.iter().find(|(name, _)| piece.starts_with(name)) {
            out.push(*c);
            out.push_str(&piece[name.len()..]);
            continue;
        }
        let (number, rest) = piece.strip_prefix('#')?.split_once(';')?;
        let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
        if !digits.starts_with(|c: char| c.is_digit(radix)) {
            return None;
        }
        let c = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)?;
        // `push_escaped` writes each CR in the same form, so we don't accept both forms in one text.
        out.push(Some(c).filter(|&c| is_char(c) && !(c == '\r' && text.contains('\r')))?);
        out.push_str(rest);
    }
    Some(Cow::Owned(out.into_bytes()))
}

/// Appends `text` as the text of an element. Characters that XML can't contain are percent-encoded. `old` is
/// the text that `text` replaces. If `is_ascii` is true, characters above ASCII become references.
///
/// The element may be in a comment, which must not contain `--` (XML 1.0, 2.5). So if `old` has no `--`, we write no
/// `--`.
pub fn push_escaped(text: &str, old: &[u8], is_ascii: bool, out: &mut Vec<u8>) {
    const ALL: Encoder = Encoder::new(ByteSet::EMPTY);
    let splits_dashes = memmem::find(old, b"--").is_none();
    // XML parsers read a plain CR as a line end, and a reference as a CR (XML 1.0, 2.11).
    let has_returns = old.contains(&b'\r');
    for c in text.chars() {
        let mut utf8 = [0; 4];
        let bytes = c.encode_utf8(&mut utf8).as_bytes();
        let is_reference =
            is_ascii && !c.is_ascii() || splits_dashes && c == '-' && out.ends_with(b"-") || c == '\r' && !has_returns;
        match ENTITIES.iter().find(|(_, escaped)| *escaped == c) {
            Some((name, _)) => {
                out.push(b'&');
                out.extend(name.bytes());
            }
            None if is_char(c) && is_reference => {
                // Writing to a `Vec` can't fail.
                let _ = write!(out, "&#x{:X};", u32::from(c));
            }
            None if is_char(c) => out.extend(bytes),
            None => out.extend(ALL.encode(bytes).bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_only_if_it_is_well_formed() {
        for (raw, text) in [
            ("a&amp;b&#x41;&#66;&lt;&gt;&quot;&apos;\t\r\n\u{FFFD}\u{10FFFF}", "a&bAB<>\"'\t\r\n\u{FFFD}\u{10FFFF}"),
            ("&#xFFFD;&#x10FFFF;&#9;&#13;", "\u{FFFD}\u{10FFFF}\t\r"),
        ] {
            assert_eq!(unescaped(raw.as_bytes()).as_deref(), Some(text.as_bytes()), "{raw}");
        }
        for raw in [
            "&", "&a;", "&amp", "&#;", "&#x;", "&#+65;", "&#x+41;", "&#-1;", "&#X41;", "&#65", "&#0;", "&#1;",
            "&#xD800;", "&#xFFFE;", "&#65535;", "&#x110000;", "&#xFFFFFFFFF;", "\r&#13;", "\u{FFFE}", "\u{FFFF}",
            "a\0", "\u{1B}",
        ] {
            assert_eq!(unescaped(raw.as_bytes()), None, "{raw}");
        }
        assert_eq!(unescaped(b"\xFF"), None);
    }

    #[test]
    fn returns_keep_their_form() {
        for old in ["a\r\nb", "a&#xD;\nb"] {
            let (text, mut out) = (unescaped(old.as_bytes()).unwrap(), Vec::new());
            push_escaped(str::from_utf8(&text).unwrap(), old.as_bytes(), false, &mut out);
            assert_eq!(out, old.as_bytes());
        }
    }
}
