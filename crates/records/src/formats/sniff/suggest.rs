//! Suggests formats to the user.

use std::sync::Arc;

use memchr::memchr;

use super::{is_any_text, recognize};
use crate::formats::names::Name;
use crate::formats::shape::{Sample, is_url};
use crate::formats::table::TABLES;
use crate::formats::user::UserFormat;

/// Returns the likely format of an input that starts with `head`, to suggest it to the user.
pub fn suggest(head: &[u8], users: &[Arc<UserFormat>]) -> Option<Name> {
    let guess = recognize(&Name::Auto { or_text: false }, head, users).ok()?;
    Some(guess.name).filter(|name| !is_any_text(name))
}

/// If an input that starts with `head` is a log or a table and not a list of URLs, returns its format.
pub fn log_or_table(head: &[u8], users: &[Arc<UserFormat>]) -> Option<Name> {
    if Sample::new(head).all(is_url) {
        return None;
    }
    // A table with one column is a list with a header.
    let is_list = |name: &Name| {
        let mut tables = TABLES.iter().filter(|(table, _)| name.text() == *table);
        tables.any(|&(_, delimiter)| memchr(delimiter, head).is_none())
    };
    suggest(head, users).filter(|name| !is_list(name))
}

/// Formats that are only a syntax, such as CSV. A record of a special format may also fit one of these formats.
const GENERAL: [&str; 12] =
    ["lines", "text", "words", "urls", "ndjson", "json", "logfmt", "ltsv", "tsv", "csv", "csv;", "csv|"];

/// If an input that starts with `head` isn't in the format `name`, but in another one, returns the other format.
///
/// JSON formats find members by their names. So a JSON format can find a field in a record of another format.
pub fn mistaken(name: &Name, head: &[u8], users: &[Arc<UserFormat>]) -> Option<Name> {
    let special = |name: &Name| match name {
        Name::Row(row) if !GENERAL.contains(&row.name) => Some(*row),
        _ => None,
    };
    // Only JSON formats can read a record of another format without a mismatch, because they find members by their
    // names.
    let is_json = head.trim_ascii_start().first().is_some_and(|first| b"{[".contains(first));
    let row = special(name).filter(|row| is_json && !(row.sniff)(&Sample::new(head)))?;
    suggest(head, users).filter(|better| special(better).is_some_and(|better| better.name != row.name))
}
