//! Lines on standard error.

use std::borrow::Cow;
use std::io::{self, Write};

use percent_simd_records::guard::{is_non_ascii_control, non_ascii_controls};
use percent_standards::uri::data;
use serde_json::{Map, Value};

/// Writes a line to standard error, ignoring errors. Characters that control a terminal are escaped.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(message));
}

/// Joins names for a message. After the first twelve, only writes the number of the others.
pub fn listed<N: AsRef<str>>(names: &[N]) -> String {
    const MOST: usize = 12;
    let shown: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    let more = names.len() - shown.len();
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// Escapes characters that are unsafe to print, as in a Rust string: `\u{1b}`.
///
/// These characters control a terminal, end a line for some programs, or change the direction of text. Noncharacters
/// are unsafe too, because XML and HTML can't hold them.
pub fn printable(text: &str) -> String {
    let is_noncharacter = |c: char| matches!(c, '\u{FDD0}'..='\u{FDEF}') || u32::from(c) & 0xFFFE == 0xFFFE;
    let is_hidden = |c: char| c != '\n' && (c.is_ascii_control() || is_non_ascii_control(c) || is_noncharacter(c));
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match is_hidden(c) {
            false => shown.push(c),
            true => shown.extend(c.escape_default()),
        }
        shown
    })
}

/// Escapes the characters of a file name as [`printable_line`] does. Bytes that aren't UTF-8 stay, so that a program
/// that reads our output finds the file.
pub fn printable_name(name: &[u8]) -> Cow<'_, [u8]> {
    // Most names are like this, and `grep -H` writes the name before each line.
    if name.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(name);
    }
    let parts =
        name.utf8_chunks().flat_map(|chunk| [printable_line(chunk.valid()).into_bytes(), chunk.invalid().into()]);
    Cow::Owned(parts.flatten().collect())
}

/// Returns `bytes` as a member of a JSON object. JSON can't hold bytes that aren't UTF-8. If there are some, the text has
/// U+FFFD in their place, and a second member, whose name ends in `_base64`, has the bytes.
pub fn text_members(name: &str, bytes: &[u8]) -> Map<String, Value> {
    let mut members = Map::from_iter([(name.to_string(), String::from_utf8_lossy(bytes).into())]);
    if str::from_utf8(bytes).is_err() {
        let url = data::build_base64("", bytes);
        members.insert(format!("{name}_base64"), url["data:;base64,".len()..].into());
    }
    members
}

/// Adds the members of [`text_members`] to a JSON object.
pub fn with_text(mut object: Value, name: &str, bytes: &[u8]) -> Value {
    if let Value::Object(members) = &mut object {
        members.extend(text_members(name, bytes));
    }
    object
}

/// Appends `json`. JSON allows raw controls above ASCII, but they can control a terminal or deceive a reader. So we escape
/// them.
pub fn push_json(json: &Value, out: &mut Vec<u8>) {
    let (text, mut done) = (json.to_string(), 0);
    for (at, control) in non_ascii_controls(&text) {
        out.extend(format!("{}\\u{:04x}", &text[done..at], u32::from(control)).bytes());
        done = at + control.len_utf8();
    }
    out.extend(text[done..].bytes());
}

/// Like [`printable`], but also escapes line feeds.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}
