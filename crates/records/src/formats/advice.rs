//! The message for an input that no format fits.

use super::candidates::Candidate;
use super::format::IS_MODULE;
use super::role::Hint;
use super::shape::{Sample, count, is_object, starts_with_tag};
use super::table::{TABLES, Table};

/// Returns a message: why an input is skipped, and what the user can do.
pub fn unrecognized(sample: &Sample) -> String {
    const SHOWN: usize = 60;
    let line = sample.lines.first().copied().unwrap_or_default();
    let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned();
    let more = if line.len() > SHOWN { "..." } else { "" };
    // The options of `pct` are of no use for the users of the WebAssembly module.
    if IS_MODULE {
        return format!("has no known format. It starts with `{shown}`{more}");
    }
    let column = likely_column(sample);
    let likely = match line {
        _ if starts_with_tag(sample.head) => ": xml",
        _ if column.is_some() => column.as_deref().unwrap_or_default(),
        _ if sample.most(is_object) => ": ndjson",
        _ if sample.most(|line| count(line, b'\t') > 0) => ": tsv",
        _ if sample.most(|line| count(line, b',') > 0) => ": csv",
        _ => "",
    };
    format!(
        "has no known format, so it is skipped. It starts with `{shown}`{more}; name a --format{likely}; \
         `pct formats` lists all. --format text keeps all delimiters, quotes and blanks escaped"
    )
}

/// If the input is a table, returns the options that read the column that most probably has URLs.
fn likely_column(sample: &Sample) -> Option<String> {
    let read = |(name, delimiter)| Some((name, Table::read(sample.head, delimiter, 2)?));
    let (format, table) =
        TABLES.into_iter().filter_map(read).max_by_key(|(_, table)| (!table.is_doubtful, table.width))?;
    let candidates = table.candidates();
    let rank = |column: &&Candidate| {
        let is_named = matches!(column.hint(), Hint::Url | Hint::Maybe | Hint::Route);
        (is_named, column.values.iter().filter(|(_, value)| value.contains(&b'/')).count())
    };
    let column = candidates.all.iter().rev().max_by_key(rank).filter(|column| rank(column) > (false, 0))?;
    Some(format!(" and a column, as in --format '{format}' {}", field_option(&column.name)))
}

/// Returns `text` in quotes, as an argument for a shell. The names of fields are from an input, so a name could otherwise start
/// a command in the shell of the user who pastes it.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the option `-f` for the field called `name`, as text for a shell.
pub fn field_option(name: &str) -> String {
    format!("-f {}", quoted(&name.replace(',', "\\,")))
}
