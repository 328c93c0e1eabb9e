//! Reads the first rows of a table whose delimiter, header and columns are unknown.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;

use memchr::{memchr, memmem};

use super::candidates::Candidates;
use super::format::Choice;
use super::role::{Hint, hint};
use super::shape::{Sample, compose, count, first_records, is_clock, without_mark};
use super::urls;
use super::values::{is_absent, is_sure};
use super::wrap::Wrap;
use crate::framing::{Framing, csv_field_end};

/// The formats of tables and their delimiters.
pub const TABLES: [(&str, u8); 4] = [("tsv", b'\t'), ("csv", b','), ("csv;", b';'), ("csv|", b'|')];

/// The maximum number of columns in a table with names. Only an input that is no real table has more. Without this limit, the
/// search for repeated names would take quadratic time.
pub const NAMED: usize = 4096;

/// The first rows of a table.
pub struct Table {
    /// The number of columns.
    pub width: usize,
    /// The number of records before the first row, such as a title, comments and empty lines.
    pub preamble: usize,
    /// If true, some record before the first row doesn't start like a comment. In this case, the delimiter may be
    /// wrong.
    pub is_doubtful: bool,
    /// If true, the records look like lines of `docker compose logs`. The bar after the name of a service isn't a delimiter.
    is_compose: bool,
    /// If true, the first row names the columns.
    pub has_header: bool,
    /// If true, another table follows after an empty line.
    has_next: bool,
    /// If true, a blank is before and after each delimiter in nearly all rows.
    is_padded: bool,
    /// If true, cells may be in quotes, and a cell in quotes may have delimiters and line ends.
    is_quoted: bool,
    /// The name of each column. It is the name in the header if no other column has the same name there. Otherwise, and in a
    /// table with more than [`NAMED`] columns, it is the column's number.
    pub names: Vec<String>,
    rows: Vec<Vec<Vec<u8>>>,
}

impl Table {
    /// If `format` is the name of a format of tables, returns the first rows of an input that starts with `head`.
    pub fn of(format: &str, head: &[u8]) -> Option<Table> {
        let (_, delimiter) = TABLES.into_iter().find(|(name, _)| *name == format)?;
        Table::read(head, delimiter, 1)
    }

    /// Reads the first rows of `head`, the start of an input, with the delimiter `delimiter`. If the records are no
    /// table, returns `None`. A table has at least `least` columns, and a row after its header. At least nine of ten
    /// rows have the same number of columns.
    ///
    /// We count the columns because all delimiters except the tab can also occur in a URL.
    pub fn read(head: &[u8], delimiter: u8, least: usize) -> Option<Table> {
        let is_quoted = delimiter != b'\t' || memchr(b'"', head).is_some() && has_quoted_cells(without_mark(head));
        let framing = if is_quoted { Framing::Csv(delimiter) } else { Framing::Lines };
        let records = first_records(framing, head);
        // In Markdown, a row of dashes separates the header from the rows.
        let is_line = |record: &[u8]| {
            record.windows(3).any(|part| part == b"---") && record.iter().all(|byte| b"| :-".contains(byte))
        };
        if records.iter().any(|(_, record)| is_line(record)) {
            return None;
        }
        let all: Vec<_> =
            records.iter().map(|&(number, record)| (number, cells(record, delimiter, is_quoted))).collect();
        let is_comment = |at: usize| records[at].1.starts_with(b"#") || records[at].1.starts_with(b"sep=");
        // A title has no URL. We don't skip a record with a URL.
        let is_title = |at: usize| all[at].1.len() == 1 && urls::next(records[at].1, 0).is_none();
        let is_before = |at: usize| is_comment(at) || is_title(at);
        // There may be more titles than rows.
        let titles = (0..all.len()).take_while(|&at| is_before(at)).count();
        let titles = if titles < all.len() { titles } else { 0 };
        // In an export of Google Analytics, a table of days follows after an empty line.
        let is_next = |at: &usize| {
            let (before, next) = (&all[at - 1], &all[*at]);
            next.0 > before.0 + 1 && next.1.len() != before.1.len() && is_header(&next.1)
        };
        let next = (titles + 2..all.len()).find(is_next);
        let end = next.unwrap_or(all.len());
        let mut counts: HashMap<usize, usize> = HashMap::new();
        for (_, (_, row)) in all[..end].iter().enumerate().filter(|(at, _)| *at >= titles && !is_comment(*at)) {
            *counts.entry(row.len()).or_default() += 1;
        }
        let (width, _) = counts.into_iter().max_by_key(|&(width, count)| (count, width))?;
        let mut start = (0..end).find(|&at| all[at].1.len() == width && !is_comment(at))?;
        // A header may look like a comment, as in `#id,url` or `#Fields: time,url`.
        let has_names = |at: usize| all[at].1.len() == width && is_header(&all[at].1);
        if width > 1 && start > 0 && has_names(start - 1) && !has_names(start) {
            start -= 1;
        }
        // A text may have a comma in each line. So below a title, the header of two columns must name URLs.
        let is_of_urls = |cell: &Vec<u8>| hint(&String::from_utf8_lossy(cell)) == Hint::Url;
        let is_table = width > 2 || has_names(start) && all[start].1.iter().any(is_of_urls);
        let is_before = |at: usize| is_comment(at) || is_table && is_title(at);
        if width < least || !(0..start).all(is_before) {
            return None;
        }
        let preamble = all[start].0;
        let is_doubtful = !(0..start).all(is_comment);
        let rows = all.into_iter().take(end).enumerate().skip(start).filter(|&(at, _)| at == start || !is_comment(at));
        let rows: Vec<_> = rows.map(|(_, (_, row))| row).collect();
        let fitting = rows.iter().filter(|row| row.len() == width).count();
        if 10 * fitting < 9 * rows.len() {
            return None;
        }
        let padded = [b' ', delimiter, b' '];
        let is_padded = |at: &usize| memmem::find_iter(records[*at].1, &padded).count() + 1 == width;
        let is_padded = width > 1 && rows.len() > 1 && 10 * (start..end).filter(is_padded).count() >= 9 * rows.len();
        let trimmed = |cell: Vec<u8>| if is_padded { cell.trim_ascii().to_vec() } else { cell };
        let rows = rows.into_iter().filter(|row| row.len() == width);
        let rows: Vec<Vec<_>> = rows.map(|row| row.into_iter().map(trimmed).collect()).collect();
        // Lines may end with a separator, as in SQL.
        let has_text = |column: &usize| rows.iter().any(|row| !row[*column].is_empty());
        if (0..width).filter(has_text).count() < least.min(width) {
            return None;
        }
        let first = rows.first()?;
        // A name is no value of its column. `docker compose logs` writes the same service before each line.
        let has_bars = delimiter == b'|' && width > 1;
        let repeats = |row: &Vec<Vec<u8>>| has_bars && !first[0].is_empty() && row[0] == first[0] && row != first;
        let has_header = (is_header(first) || is_above_numbers(&rows)) && !rows[1..].iter().any(repeats);
        if has_header && rows.len() < 2 {
            return None;
        }
        let lines: Vec<&[u8]> = records.iter().map(|&(_, record)| record).collect();
        let is_compose = has_bars && !has_header && Sample { head, lines }.most(|line| compose(line).is_some());
        let name = |column: usize| {
            let name = first[column].trim_ascii();
            let is_same = |other: &&Vec<u8>| other.trim_ascii().eq_ignore_ascii_case(name);
            let is_unique = || first.iter().filter(is_same).count() == 1;
            let text = std::str::from_utf8(name).ok().filter(|_| has_header && width <= NAMED && is_unique());
            let text = text.filter(|text| !text.is_empty() && text.parse::<usize>().is_err());
            text.map_or_else(|| (column + 1).to_string(), str::to_string)
        };
        let (has_next, names) = (next.is_some(), (0..width).map(name).collect());
        Some(Table {
            width,
            preamble,
            is_doubtful,
            is_compose,
            has_header,
            has_next,
            is_padded,
            is_quoted,
            names,
            rows,
        })
    }

    /// Returns true if the delimiter surely separates columns. A single URL may contain commas. So if the table has
    /// only one row, one of its cells must be text that can't be a part of a URL.
    pub fn is_sure(&self) -> bool {
        !self.is_compose && !self.is_torn() && (self.rows.len() > 1 || self.rows[0].iter().any(|cell| is_no_name(cell)))
    }

    /// Returns true if brackets open in the first cell of most rows, but close in another cell, as in `('192.0.2.1', 80) GET` and
    /// `{'a': 1, 'b': 2}`. The delimiter is then a part of a value.
    fn is_torn(&self) -> bool {
        let is_it = |row: &&Vec<Vec<u8>>| {
            let Some(open @ (b'(' | b'[' | b'{')) = row[0].first() else { return false };
            let close = if *open == b'(' { b')' } else { open + 2 };
            count(&row[0], *open) > count(&row[0], close)
        };
        2 * self.rows.iter().filter(is_it).count() > self.rows.len()
    }

    /// Adds to `choice` how the records and the header are read.
    pub fn describe(&self, choice: &mut Choice) {
        choice.header = Some(self.has_header);
        choice.preamble = self.preamble;
        (choice.is_exact, choice.is_padded, choice.is_quoted) = (self.has_next, self.is_padded, self.is_quoted);
    }

    /// Returns the columns with their values.
    pub fn candidates(&self) -> Candidates {
        let mut candidates = Candidates::default();
        for (number, row) in self.rows.iter().enumerate().skip(usize::from(self.has_header)) {
            for (name, cell) in self.names.iter().zip(row) {
                candidates.push(name, number, cell);
            }
        }
        candidates
    }
}

/// Returns true if the first row names columns of numbers: at least one column has only numbers below its first cell. No
/// such column starts with a number or a placeholder.
fn is_above_numbers(rows: &[Vec<Vec<u8>>]) -> bool {
    let is_number = |cell: &[u8]| !cell.is_empty() && cell.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    let mut is_above = false;
    for (column, name) in rows[0].iter().enumerate().filter(|_| rows.len() > 1) {
        if rows[1..].iter().all(|row| is_number(&row[column])) {
            if is_number(name) || is_absent(name) {
                return false;
            }
            is_above = true;
        }
    }
    is_above && !has_value(&rows[0])
}

/// Returns true if a cell of `row` is a value that can't be a name: a URL, an address or a time of day.
fn has_value(row: &[Vec<u8>]) -> bool {
    let has_scheme = |cell: &[u8]| memmem::find(cell, b"://").is_some();
    row.iter().any(|cell| is_sure(cell) || has_scheme(cell) || is_no_name(cell))
}

/// Returns true if `row` can name columns. Logs of firewalls have no header, but their first record may contain a word
/// like `url`.
///
/// A URL, an address or a time of day is never a name. A number, a date or a path can be a name, as in
/// `Page URL,2025,2026`, but only if another cell is a name that hints at URLs.
pub fn is_header(row: &[Vec<u8>]) -> bool {
    let is_url_name = |cell: &Vec<u8>| matches!(hint(&String::from_utf8_lossy(cell)), Hint::Url | Hint::Maybe);
    let mut names = row.iter().filter(|cell| !is_value(cell));
    !has_value(row) && (!row.iter().any(|cell| is_value(cell)) || names.any(is_url_name))
}

/// Returns true for a number, a date, or a path that starts with `/`.
fn is_value(cell: &[u8]) -> bool {
    let cell = cell.trim_ascii();
    let is_in_number = |byte: &u8| byte.is_ascii_digit() || b".,:/+-% ".contains(byte);
    cell.starts_with(b"/") || cell.iter().any(u8::is_ascii_digit) && cell.iter().all(is_in_number)
}

/// Returns true for a cell that can't be the name of a column: an IP address with or without a port, or text that
/// contains a time like `10:21:40`.
fn is_no_name(cell: &[u8]) -> bool {
    let is_address = std::str::from_utf8(cell.trim_ascii()).is_ok_and(|text| {
        let host = text.rsplit_once(':').map_or(text, |(host, _)| host.trim_matches(['[', ']']));
        [text, host].into_iter().any(|host| host.parse::<IpAddr>().is_ok())
    });
    is_address || cell.windows(8).any(is_clock)
}

/// Returns true if TSV that starts with `head` has the quotes of CSV, as Excel and pandas write them. In other TSV, such as a log,
/// a quote is a byte of its cell, also at the start of the cell. So three conditions hold for all records in `head`:
///
/// - Each quote that opens a cell closes directly before a tab or a line end.
/// - A cell has tabs or line ends, but not both. A record with such a cell has as many cells as its neighbours. So the quotes of
///   two values that a client chooses don't count as the quotes of one cell.
/// - One cell has a tab or a line end, or all cells of the first record are in quotes.
fn has_quoted_cells(head: &[u8]) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Start,
        Plain,
        Quoted,
        /// After a quote in quotes.
        Quote,
    }
    let (mut at, mut is_sure, mut is_all) = (At::Start, false, true);
    // The number of cells, and the tabs and line ends in the quotes of a cell.
    let (mut count, mut before, mut has_tab, mut has_line) = (1, 0, false, false);
    // Whether this record and the record before it have such a cell.
    let (mut is_long, mut was_long) = (false, false);
    for &byte in head {
        at = match (at, byte) {
            (At::Start | At::Quote, b'"') => At::Quoted,
            (At::Quoted, b'"') => At::Quote,
            (At::Quoted, _) => {
                has_tab |= byte == b'\t';
                has_line |= byte == b'\n';
                At::Quoted
            }
            (_, b'\t' | b'\n') => {
                if has_tab && has_line {
                    return false;
                }
                is_all &= at == At::Quote;
                is_sure |= has_tab || has_line;
                is_long |= has_tab || has_line;
                (has_tab, has_line) = (false, false);
                count += 1;
                if byte == b'\n' {
                    if (is_long || was_long) && before != 0 && count != before {
                        return false;
                    }
                    is_sure |= before == 0 && is_all && count > 2;
                    (before, count, was_long, is_long) = (count, 1, is_long, false);
                }
                At::Start
            }
            (At::Quote, b'\r') => At::Quote,
            (At::Quote, _) => return false,
            _ => At::Plain,
        };
    }
    // The last cell may end after `head`.
    is_sure && !(has_tab && has_line)
}

/// Returns the cells of a row, without their quotes. If a quoted cell has no closing quote, this cell extends to the
/// end of the row. If `is_quoted` is false, a quote is only a byte.
pub fn cells(row: &[u8], delimiter: u8, is_quoted: bool) -> Vec<Vec<u8>> {
    let (mut cells, mut at) = (Vec::new(), 0);
    loop {
        let closed = if is_quoted { csv_field_end(row, at).unwrap_or(row.len()) } else { at };
        let end = memchr(delimiter, &row[closed..]).map_or(row.len(), |len| closed + len);
        cells.push(Wrap::Csv(delimiter).read(&row[at..end]).map_or_else(Vec::new, Cow::into_owned));
        if end == row.len() {
            return cells;
        }
        at = end + 1;
    }
}
