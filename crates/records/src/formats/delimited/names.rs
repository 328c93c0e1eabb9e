//! Reads the names of columns from a header, or from a directive such as `#Fields:`.

use std::borrow::Cow;

use memchr::memchr;

use super::{Column, Delimited, Shape};
use crate::formats::candidates::Candidates;
use crate::formats::format::{Choice, Field, Format, Layout};
use crate::formats::shape::{self, first_records};
use crate::formats::table::NAMED;
use crate::formats::wrap::Wrap;

/// The name of a column.
pub(super) type Name<'a> = Cow<'a, [u8]>;

/// Returns the [places](Layout::places) of the chosen columns at the positions `columns`, and of `named`, the columns with
/// their names in ascending order. A column that is chosen by its number may repeat the name of another. If two choices lead
/// to a column, the first choice gets it.
pub(super) fn places(columns: &[Option<usize>], named: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut places = named;
    for (choice, at) in columns.iter().enumerate().rev() {
        let Some(at) = *at else { continue };
        match places.binary_search_by_key(&at, |&(at, _)| at) {
            Ok(place) => places[place].1 = choice,
            Err(place) => places.insert(place, (at, choice)),
        }
    }
    places
}

impl Delimited {
    /// Returns two lists. The first has the position of each chosen column in the list `names`. If several columns have the
    /// name of one, it is the position of the first. The second list has the position of each column with one of these names, and the
    /// index of the chosen column. `has_others` is that of the [`Layout`], and is set if it isn't yet.
    pub(super) fn columns(
        &self,
        names: &[Name],
        has_others: &mut Option<bool>,
    ) -> (Vec<Option<usize>>, Vec<(usize, usize)>) {
        // An input may have thousands of names, and name them again in many lines. So we look up each name only once.
        let mut first = vec![None; self.chosen.len()];
        let mut named = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            let Some(&choice) = self.by_name.get(name.as_str()) else { continue };
            if first[choice].is_none() || choice < self.schema.asked {
                named.push((at, choice));
            }
            first[choice] = first[choice].or(Some(at));
        }
        let at = |column: &Column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => self.by_name.get(name.as_str()).and_then(|&choice| first[choice]),
        };
        let mut columns: Vec<_> = self.chosen.iter().map(at).collect();
        // If the input has another column of `usual`, we drop the column `fallback`, unless decoded fields are chosen, too. Its
        // first line with names decides, so that all of its records are read in the same way.
        let has_others = *has_others.get_or_insert(columns.iter().flatten().count() > 1);
        let is_fallback = |name: &String| self.drops_fallback && name == self.shape.fallback;
        let fallback = self.schema.names.iter().position(is_fallback);
        if let Some(fallback) = fallback.filter(|_| has_others) {
            columns[fallback] = None;
            named.retain(|&(_, choice)| choice != fallback);
        }
        (columns, named)
    }

    /// Returns the names in a header.
    pub(super) fn header_names<'a>(&self, record: &'a [u8]) -> Vec<Name<'a>> {
        let record = shape::without_nuls(record);
        let (mut names, mut at) = (Vec::new(), 0);
        while let Some(end) = self.end(record, at) {
            // Programs also quote the names in a header of TSV.
            let name = Wrap::Csv(self.shape.delimiter).read(&record[at..end]).unwrap_or_default();
            names.push(match name {
                Cow::Borrowed(name) => Cow::Borrowed(name.trim_ascii()),
                Cow::Owned(name) => Cow::Owned(name.trim_ascii().to_vec()),
            });
            if end == record.len() {
                break;
            }
            at = end + 1;
        }
        names
    }

    /// Changes `layout` to the layout that applies after `line`, a line that names the columns.
    pub(super) fn read_names(&self, line: &[u8], names: &[Name], layout: &mut Layout) {
        let mut has_others = layout.has_others;
        let (columns, named) = self.columns(names, &mut has_others);
        *layout = Layout {
            places: places(&columns, named),
            columns,
            has_tabs: self.has_tabs(line),
            width: Some(names.len()),
            has_stem: names.iter().any(|name| name.eq_ignore_ascii_case(b"cs-uri-stem")),
            has_others,
            ..Layout::default()
        };
    }

    /// Returns true if the columns of this format are words, and tabs separate the column names in `line`.
    pub(super) fn has_tabs(&self, line: &[u8]) -> bool {
        let names = line.strip_prefix(self.shape.directive.as_bytes()).unwrap_or(line).trim_ascii();
        self.shape.is_spaced && memchr(b'\t', names).is_some() && memchr(b' ', names).is_none()
    }

    /// Returns the column names of an input that starts with `head`, from its header or its first directive. If `head`
    /// doesn't contain all of this line, returns `None`.
    pub(super) fn header<'a>(&self, head: &'a [u8]) -> Option<Vec<Name<'a>>> {
        let head = shape::without_mark(head);
        let mut at = if self.header { self.preamble_len(head, self.preamble).0 } else { 0 };
        while at < head.len() {
            let record = self.framing().first(&head[at..]);
            let body = &head[at..at + record.body];
            let is_whole = record.len > record.body;
            match self.directive_names(body) {
                Some(names) if is_whole => return Some(names),
                _ if self.header && is_whole => return Some(self.header_names(body)),
                _ if self.header || !(self.shape.comments && body.starts_with(b"#")) => return None,
                _ => at += record.len,
            }
        }
        None
    }

    /// Returns the columns of the first records of an input that starts with `head`, if a line with `#` names them.
    pub(super) fn named(&self, head: &[u8]) -> Option<Candidates> {
        let names = self.header(head).filter(|names| self.shape.comments && names.len() <= NAMED)?;
        let fields = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let all = Delimited::new(self.shape, &Choice { fields, ..Choice::default() }).ok()?;
        let (mut layout, mut candidates) = (all.layout(), Candidates::default());
        for (number, record) in first_records(all.framing(), head) {
            let mut fields = Vec::new();
            all.fields(record, &mut layout, &mut fields);
            for Field { choice, range, rule, .. } in fields {
                let value = all.schema.rules[rule].wrap.read(&record[range]);
                candidates.push(&all.schema.names[choice], number, &value.unwrap_or_default());
            }
        }
        Some(candidates)
    }

    /// Reads up to `most` records at the start of `bytes`. Returns the total length and the count of these records.
    pub(super) fn preamble_len(&self, bytes: &[u8], most: usize) -> (usize, usize) {
        let (mut at, mut count) = (0, 0);
        while count < most && at < bytes.len() {
            at += self.framing().first(&bytes[at..]).len;
            count += 1;
        }
        (at, count)
    }

    /// Returns the column names in `record`, or `None` if it isn't a line that names columns.
    pub(super) fn directive_names<'a>(&self, record: &'a [u8]) -> Option<Vec<Name<'a>>> {
        let Shape { directive, separator, .. } = *self.shape;
        let has_directive = self.shape.comments && !directive.is_empty();
        let rest = record.strip_prefix(directive.as_bytes()).filter(|_| has_directive)?;
        // The directive of URLhaus, `# id,`, contains the first column name, `id`.
        let names = if directive.ends_with(',') { &record[2..] } else { rest };
        let is_name = |name: &&[u8]| separator != b' ' && separator != b'\t' || !name.is_empty();
        let is_end = |&byte: &u8| byte == separator || separator == b' ' && byte == b'\t';
        Some(names.split(is_end).filter(is_name).map(Cow::Borrowed).collect())
    }
}
