//! Undoes the escapes that a program adds when it writes a log of lines: nginx, Apache, and programs that write logfmt.

use memchr::memchr;
use percent_simd_records::formats::{Bounds, Format, Wrap, innermost};
use percent_simd_records::transform::server_log_escape;

/// Returns true if values of `format` can have escapes of the log. JSON and similar formats
/// remove their escapes themselves.
pub fn has_log_escapes(format: &dyn Format) -> bool {
    let inner = innermost(format);
    let format = inner.as_deref().unwrap_or(format);
    // If a quote without a backslash ends a value, a backslash starts an escape.
    let is_quoted = || format.bounds() == Bounds::Quote;
    format.has_log_escapes() || is_quoted() && format.schema().rules.iter().all(|rule| rule.wrap == Wrap::Verbatim)
}

/// If `value` has escapes of the log, returns the text without them. The backslash of a value may also be a character of the
/// URL, so a search also has to read the value as it is.
///
/// A byte above ASCII becomes a percent-escape, which means the same in a URL.
pub fn without_log_escapes(value: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut done, mut at) = (0, 0);
    while let Some(len) = memchr(b'\\', &value[at..]) {
        at += len;
        let Some((character, len)) = log_escape(&value[at..]) else {
            at += 1;
            continue;
        };
        out.extend(&value[done..at]);
        match character {
            Character::Byte(byte @ 0x80..) => out.extend(format!("%{byte:02X}").bytes()),
            Character::Byte(byte) => out.push(byte),
            Character::Unicode(c) => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
        at += len;
        done = at;
    }
    (done > 0).then(|| {
        out.extend(&value[done..]);
        out
    })
}

/// The meaning of an escape.
enum Character {
    Byte(u8),
    Unicode(char),
}

/// If `text` starts with an escape, returns its meaning and its length. `pct decode --unescape-log` undoes only the escapes of servers,
/// because its output must have the same meaning. A search undoes more:
///
/// - Other programs write letters for more characters.
/// - JSON writes `\uHHHH` (RFC 8259 7), and Go (`%q`) also `\UHHHHHHHH`.
fn log_escape(text: &[u8]) -> Option<(Character, usize)> {
    if let Some((byte, len)) = server_log_escape(text) {
        return Some((Character::Byte(byte), len));
    }
    let hexadecimal = |at: usize, digits: usize| {
        let mut digits = text.get(at..at + digits)?.iter();
        digits.try_fold(0, |number, &digit| Some(number * 16 + char::from(digit).to_digit(16)?))
    };
    let byte = match text.get(1)? {
        &byte @ (b'/' | b'\'') => byte,
        b'a' => 7,
        b'f' => 12,
        b'U' => return Some((Character::Unicode(char::from_u32(hexadecimal(2, 8)?)?), 10)),
        b'u' => {
            let first = hexadecimal(2, 4)?;
            if let Some(c) = char::from_u32(first) {
                return Some((Character::Unicode(c), 6));
            }
            // Two escapes form a character above U+FFFF.
            let second = hexadecimal(8, 4).filter(|_| text[6..].starts_with(b"\\u"))?;
            let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
            let c = char::decode_utf16(pair).next()?.ok()?;
            return Some((Character::Unicode(c), 12));
        }
        _ => return None,
    };
    Some((Character::Byte(byte), 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_logs_are_undone() {
        for (value, expected) in [
            (r"/a", None),
            (r"/a\", None),
            (r"/a\xg0\u12\U0011FFFF\ud800\ud800x\ud800\n", Some("/a\\xg0\\u12\\U0011FFFF\\ud800\\ud800x\\ud800\n")),
            (r"\\x41\x41", Some("\\x41A")),
            (r"\xC3\xA9\x00\x22", Some("%C3%A9\0\"")),
            (r"\u0000\u00e9\ud83d\ude00\U0001F600\/", Some("\0é😀😀/")),
        ] {
            let undone = without_log_escapes(value.as_bytes()).map(|undone| String::from_utf8(undone).unwrap());
            assert_eq!(undone.as_deref(), expected, "{value}");
        }
    }
}
