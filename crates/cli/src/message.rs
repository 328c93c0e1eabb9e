//! Lines on standard error.

use std::io::{self, Write};

/// Writes a line to standard error, wherever that leads; without what drives a terminal.
pub fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(message));
}

/// `text` with an escape of Rust for each character that a terminal would obey or that turns text around.
pub fn printable(text: &str) -> String {
    let is_shown = |c: char| c == '\n' || !c.is_control() && !percent_simd::iri::is_bidi_control(c);
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match is_shown(c) {
            true => shown.push(c),
            false => shown.extend(c.escape_default()),
        }
        shown
    })
}

/// Like [`printable`], in one line.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}
