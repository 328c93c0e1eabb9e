//! Lines on standard error.

use std::io::{self, Write};

use percent_simd_records::guard::is_non_ascii_control;

/// Writes a line to standard error, ignoring errors. Characters that control a terminal are escaped.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(message));
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

/// Like [`printable`], but also escapes line feeds.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}
