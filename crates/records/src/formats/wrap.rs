//! Reads values from fields, and writes values into fields.

mod xml;

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3, memmem};
use percent_simd::{ByteSet, Encoder};

use crate::framing::{push_row, row};

/// How a value is written in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrap {
    /// The field is the value.
    Verbatim,
    /// The field is the text between the quotes of a JSON string.
    Json,
    /// The field is a CSV cell, in quotes if necessary (RFC 4180). The byte is the delimiter.
    Csv(u8),
    /// The field is XML text, with references such as `&amp;` for some characters.
    Xml {
        /// If true, all characters above ASCII are references, because the document has a charset other than UTF-8.
        is_ascii: bool,
    },
    /// The field is a value of CEF. In it, each of `\=`, `\\`, `\|`, `\n` and `\r` means one byte.
    Cef,
    /// The field is a length prefix and the value, as in RowBinary.
    Row,
}

impl Wrap {
    /// Returns the ASCII bytes that a value can't contain. Escapes of these bytes stay even if all other escapes are
    /// decoded.
    pub fn not_held(self) -> ByteSet {
        if matches!(self, Wrap::Xml { .. }) { xml::NOT_HELD } else { ByteSet::EMPTY }
    }

    /// Returns the value of the field that is written as `raw`. If `raw` isn't a valid field, returns `None`.
    #[inline]
    pub fn read(self, raw: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Wrap::Verbatim => Some(Cow::Borrowed(raw)),
            Wrap::Json => json_unescaped(raw),
            Wrap::Xml { is_ascii } => xml::unescaped(raw).filter(|_| !is_ascii || raw.is_ascii()),
            Wrap::Cef => Some(cef_unescaped(raw)),
            Wrap::Csv(_) => match raw {
                [b'"', inner @ .., b'"'] if memmem::find(inner, b"\"\"").is_some() => Some(Cow::Owned(unquoted(inner))),
                [b'"', inner @ .., b'"'] => Some(Cow::Borrowed(inner)),
                _ => Some(Cow::Borrowed(raw)),
            },
            Wrap::Row => row(raw).and_then(|(prefix, len)| raw.get(prefix..len)).map(Cow::Borrowed),
        }
    }

    /// Returns a function that finds an offset of the value in `raw`, the field as it is written. Call it with offsets in
    /// ascending order.
    pub(super) fn places(self, raw: &[u8]) -> impl FnMut(usize) -> usize {
        let mut written = usize::from(matches!(self, Wrap::Csv(_)) && raw.first() == Some(&b'"'));
        let mut read = 0;
        move |offset| {
            while read < offset {
                let (len, value) = self.piece(raw.get(written..).unwrap_or_default());
                (written, read) = (written + len, read + value);
            }
            written
        }
    }

    /// Returns two lengths of the first piece of `rest`, the rest of a valid field: as it is written, and in the value.
    fn piece(self, rest: &[u8]) -> (usize, usize) {
        let len = match (self, rest) {
            // Two escapes form a character above U+FFFF (RFC 8259 7).
            (Wrap::Json, [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'A'..=b'B' | b'a'..=b'b', ..]) => 12,
            (Wrap::Json, [b'\\', b'u', ..]) => 6,
            (Wrap::Json, [b'\\', ..]) | (Wrap::Cef, [b'\\', b'=' | b'\\' | b'|' | b'n' | b'r', ..]) => 2,
            (Wrap::Csv(_), [b'"', b'"', ..]) => 2,
            (Wrap::Xml { .. }, [b'&', ..]) => memchr(b';', rest).map_or(1, |at| at + 1),
            _ => return (1, 1),
        };
        let value = rest.get(..len).filter(|_| !matches!(self, Wrap::Csv(_))).and_then(|raw| self.read(raw));
        (len, value.map_or(1, |value| value.len().max(1)))
    }

    /// Appends `value` as a field. `old` is the field that `value` replaces, or is empty. A CSV field gets quotes if it
    /// needs them, or if `old` has quotes. Some programs write a `=` in CEF without a backslash. So we write a
    /// backslash before `=` only if `old` contains `\=`.
    pub fn write(self, value: &[u8], old: &[u8], out: &mut Vec<u8>) {
        match self {
            Wrap::Verbatim => out.extend(value),
            Wrap::Json => push_text(value, json_push, out),
            Wrap::Xml { is_ascii } => push_text(value, |text, out| xml::push_escaped(text, old, is_ascii, out), out),
            Wrap::Csv(delimiter) => push_cell(value, delimiter, old.first() == Some(&b'"'), out),
            Wrap::Cef => push_cef(value, memmem::find(old, b"\\=").is_some(), out),
            Wrap::Row => push_row(value, out),
        }
    }
}

/// Appends `value` to `out`. Calls `push` for each part of `value` that is UTF-8, and percent-encodes all other bytes.
fn push_text(value: &[u8], push: impl Fn(&str, &mut Vec<u8>), out: &mut Vec<u8>) {
    const ALL: Encoder = Encoder::new(ByteSet::EMPTY);
    for chunk in value.utf8_chunks() {
        push(chunk.valid(), out);
        ALL.encode_into_vec(chunk.invalid(), out);
    }
}

/// Returns the value of a JSON string. `inner` is the text between its quotes. If `inner` is invalid, returns `None`.
fn json_unescaped(inner: &[u8]) -> Option<Cow<'_, [u8]>> {
    if memchr2(b'\\', b'"', inner).is_none() {
        return std::str::from_utf8(inner).ok().map(|_| Cow::Borrowed(inner));
    }
    let quoted = [b"\"", inner, b"\""].concat();
    serde_json::from_slice::<String>(&quoted).ok().map(|text| Cow::Owned(text.into_bytes()))
}

/// Appends `text` as the content of a JSON string, without the quotes.
pub fn json_push(text: &str, out: &mut Vec<u8>) {
    // Serializing a string can't fail.
    let quoted = serde_json::to_string(text).unwrap_or_default();
    out.extend(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().bytes());
}

/// Returns the value of the CEF text `raw`. A backslash that doesn't start an escape of [`Wrap::Cef`] means itself.
fn cef_unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\\', raw) else { return Cow::Borrowed(raw) };
    let mut value = raw[..first].to_vec();
    let mut rest = &raw[first..];
    while let Some((&byte, after)) = rest.split_first() {
        let (byte, len) = match (byte, after.first()) {
            (b'\\', Some(&next @ (b'=' | b'\\' | b'|'))) => (next, 2),
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            _ => (byte, 1),
        };
        value.push(byte);
        rest = &rest[len..];
    }
    Cow::Owned(value)
}

/// Appends a value of CEF.
fn push_cef(value: &[u8], escapes_equals: bool, out: &mut Vec<u8>) {
    for &byte in value {
        match byte {
            b'=' if !escapes_equals => out.push(byte),
            b'=' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            byte => out.push(byte),
        }
    }
}

/// Returns the value of a quoted CSV cell that contains quotes. `inner` is the cell without its outer quotes.
fn unquoted(inner: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memmem::find(rest, b"\"\"") {
        value.extend(&rest[..=at]);
        rest = &rest[at + 2..];
    }
    value.extend(rest);
    value
}

/// Appends a CSV cell.
fn push_cell(value: &[u8], delimiter: u8, in_quotes: bool, out: &mut Vec<u8>) {
    let special = memchr3(b'"', b'\n', delimiter, value).or_else(|| memchr(b'\r', value)).is_some();
    // If blanks separate the columns, we quote every value. Without quotes, an empty value would disappear, and a tab
    // in a value would end it.
    if !special && !in_quotes && delimiter != b' ' {
        out.extend(value);
        return;
    }
    out.push(b'"');
    for (number, piece) in value.split(|&byte| byte == b'"').enumerate() {
        if number > 0 {
            out.extend(b"\"\"");
        }
        out.extend(piece);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each place divides the field into two parts that mean the two parts of the value.
    #[test]
    fn places_are_between_pieces() {
        let xml = Wrap::Xml { is_ascii: false };
        for (wrap, raw) in [
            (Wrap::Verbatim, "a\\nb&amp;\"\""),
            (Wrap::Json, r#"a\n\/\u0026\u00e9\ud83d\ude00\"z"#),
            (Wrap::Cef, r"a\=\\\|\n\x\"),
            (xml, "a&amp;&#233;&#x1F600;&lt;z"),
            (Wrap::Csv(b','), "\"a\"\"\"\"b\""),
            (Wrap::Csv(b','), "a\"b"),
        ] {
            let value = wrap.read(raw.as_bytes()).unwrap();
            let text = std::str::from_utf8(&value).unwrap();
            let mut places = wrap.places(raw.as_bytes());
            for at in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                let place = places(at);
                let head = match wrap {
                    Wrap::Csv(_) => raw[..place].strip_prefix('"').unwrap_or(&raw[..place]).replace("\"\"", "\""),
                    _ => String::from_utf8(wrap.read(&raw.as_bytes()[..place]).unwrap().into_owned()).unwrap(),
                };
                assert_eq!(head, text[..at], "{raw} {at}");
            }
        }
    }
}
