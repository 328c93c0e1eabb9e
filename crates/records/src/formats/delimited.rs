//! Columns: CSV, TSV, W3C extended, CloudFront, Zeek, URLhaus, Umbrella, BunnyCDN.
//!
//! If a client's text contains a delimiter, all columns after this text shift. So we count the columns. If a record has
//! more columns than the header names, we copy the record unchanged. If a line with `#` names the columns, we also copy
//! a record with fewer columns.

mod names;
mod shapes;

use std::collections::HashMap;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem, memrchr};
use percent_simd::ByteSet;

use self::names::{Name, places};
pub use self::shapes::*;
use super::candidates::Candidates;
use super::format::{Bounds, Choice, ExtraField, Field, Format, IS_MODULE, Kind, Layout, Rule, Schema, Syntax, Use};
use super::role;
use super::shape::{self, CONTROLS, IN_QUOTES, IN_SPACES, empty_lines, lines_that_start_with};
use super::token::{REQUEST, REQUEST_WITH_SPACES, has_version, line_rules, request_in};
use super::urls::next_in_text;
use super::wrap::Wrap;
use crate::framing::{Framing, csv_field_end};

/// A format of columns.
struct Shape {
    name: &'static str,
    delimiter: u8,
    /// If true, fields may be in quotes (RFC 4180).
    quotes: bool,
    /// If true, a column is a word or a string in quotes, and any number of blanks and tabs separates columns.
    is_spaced: bool,
    /// The start of a line that names the columns. If it is empty, the first line of the input names them.
    directive: &'static str,
    /// The separator between the column names.
    separator: u8,
    /// If true, lines that start with `#` are comments, not records.
    comments: bool,
    /// The names of columns with URLs. These columns are chosen if the user chooses no column.
    usual: &'static [&'static str],
    /// A column of `usual` that the program has decoded. It is chosen with [`Use::Read`]. Without it, it is chosen if
    /// the input has no other column of `usual`.
    fallback: &'static str,
    /// Columns that every version of the format has, with their positions. We use these positions if no line of the
    /// input names the columns.
    known: &'static [(&'static str, usize)],
    /// Returns true if a record fits the format. We call this function if no line has named the columns.
    is_known: fn(&[u8]) -> bool,
    /// Returns true for a record of the format that has other columns. We copy it.
    is_other: fn(&[u8]) -> bool,
    /// If true, a record with a further column doesn't fit.
    is_fixed: bool,
    layers: usize,
}

/// How a column is chosen.
enum Column {
    Number(usize),
    Name(String),
}

pub struct Delimited {
    shape: &'static Shape,
    header: bool,
    chosen: Vec<Column>,
    /// The index of the first chosen column with each name.
    by_name: HashMap<String, usize>,
    /// If true, the user chose no columns, so the header may lack some of the chosen columns.
    usual: bool,
    /// If true, the column `fallback` of the shape is only chosen if the input has no other usual column.
    drops_fallback: bool,
    schema: Schema,
    /// The index of the rule for the target of a request line. The next rule is for a target with blanks.
    requests: usize,
    /// The positions of the chosen columns. These positions apply until a header or directive names the columns.
    known: Vec<Option<usize>>,
    /// The number of records before the header.
    preamble: usize,
    /// If true, each record has as many columns as the header. Otherwise a record of CSV or TSV may end early.
    is_exact: bool,
    /// If true, blanks around a cell without quotes belong to no value.
    is_padded: bool,
}

/// Returns true for TSV. The format has no quotes, but some programs write cells in quotes.
fn has_loose_quotes(shape: &Shape) -> bool {
    shape.directive.is_empty() && !shape.quotes
}

impl Delimited {
    fn new(shape: &'static Shape, choice: &Choice) -> Result<Delimited, String> {
        let shape = if choice.is_quoted && has_loose_quotes(shape) { &S_TSV_QUOTED } else { shape };
        let mut schema = Schema::new(choice, shape.usual.iter().copied(), role::context(choice));
        let mut chosen = Vec::new();
        for name in &schema.names {
            chosen.push(match name.parse::<usize>() {
                Ok(0) => return Err("columns are numbered from 1".into()),
                Ok(number) => Column::Number(number - 1),
                Err(_) => Column::Name(name.to_ascii_lowercase()),
            });
        }
        schema.set_role_names(|choice| {
            let is_it = |(_, at): &&(_, usize)| matches!(&chosen[choice], Column::Number(number) if number == at);
            shape.known.iter().find(is_it).map(|(name, _)| *name)
        });
        let mut by_name = HashMap::new();
        for (choice, column) in chosen.iter().enumerate().rev() {
            if let Column::Name(name) = column {
                by_name.insert(name.clone(), choice);
            }
        }
        let has_names = chosen[..schema.asked].iter().any(|column| matches!(column, Column::Name(_)));
        let known = chosen.iter().map(|column| match column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => shape.known.iter().find(|(known, _)| known == name).map(|&(_, at)| at),
        });
        let comment = if shape.comments { ByteSet::of(b"#") } else { ByteSet::EMPTY };
        let (keep, wrap) = match shape.delimiter {
            delimiter if shape.quotes => (CONTROLS | comment, Wrap::Csv(delimiter)),
            b' ' => (IN_SPACES | comment, Wrap::Verbatim),
            // Programs that load TSV read a backslash as the start of an escape.
            delimiter => (CONTROLS | comment | ByteSet::of(&[delimiter, b'\\']), Wrap::Verbatim),
        };
        // Each column has a rule. If blanks separate the columns, or in TSV, each column has a second rule, for a value in
        // quotes. TSV has no quotes, but some programs put quotes around cells, as in CSV.
        let rules = |keep, wrap| {
            let syntax = |name: &String| choice.found_syntax(name).unwrap_or_else(|| role::syntax_of(name));
            let rule = move |name: &String| Rule { keep, wrap, syntax: syntax(name) };
            schema.names.iter().map(rule).collect::<Vec<_>>()
        };
        let mut all = rules(keep, wrap);
        if shape.is_spaced {
            all.extend(rules(IN_QUOTES | comment, Wrap::Csv(b' ')));
        } else if has_loose_quotes(shape) {
            all.extend(rules(IN_QUOTES, Wrap::Verbatim));
        }
        // A cell may be a request line. Its target may be in quotes, too, so the bytes that would end either stay escaped.
        let requests = all.len();
        let is_usual = choice.fields.is_empty() || choice.is_found;
        let own = keep | ByteSet::of(&[shape.delimiter]);
        all.extend_from_slice(&line_rules(own, Syntax::Target)[REQUEST..=REQUEST_WITH_SPACES]);
        schema.set_rules(all, next_in_text);
        Ok(Delimited {
            shape,
            requests,
            header: shape.directive.is_empty() && choice.header.unwrap_or(has_names),
            known: known.collect(),
            chosen,
            by_name,
            usual: is_usual,
            drops_fallback: is_usual && choice.usage != Use::Read,
            preamble: choice.preamble,
            is_exact: choice.is_exact || !shape.directive.is_empty(),
            is_padded: choice.is_padded,
            schema,
        })
    }

    /// Returns the end of the column that starts at `at`. Returns `None` if its quotes don't close, or if text follows the closing
    /// quote.
    fn end(&self, record: &[u8], at: usize) -> Option<usize> {
        let closed = if self.shape.quotes { csv_field_end(record, at)? } else { at };
        let end = memchr(self.shape.delimiter, &record[closed..]).map_or(record.len(), |end| closed + end);
        (closed == at || closed == end).then_some(end)
    }

    fn data(&self, record: &[u8], layout: &Layout, fields: &mut Vec<Field>) -> Kind {
        let Some(&(last, _)) = layout.places.last() else {
            // A record of IIS without other columns has a path that IIS has decoded.
            let is_known = self.shape.directive.is_empty() || layout.has_stem;
            return if self.usual && is_known { Kind::Data } else { Kind::Unrecognized };
        };
        if layout.width.is_none() && !(self.shape.is_known)(record) {
            return if (self.shape.is_other)(record) { Kind::Comment } else { Kind::Unrecognized };
        }
        let fits = match self.shape.is_spaced {
            // Most programs write a value with blanks as a string in quotes. But for IIS, quotes are ordinary bytes. So
            // if a record doesn't fit with strings in quotes, we read it again and take quotes for ordinary bytes.
            true => {
                // A record that contains no tab has blanks between its columns, even if tabs separate the column names.
                let has_tabs = layout.has_tabs && memchr(b'\t', record).is_some();
                self.words(record, layout, has_tabs, true, fields)
                    || layout.width.is_some() && {
                        fields.clear();
                        self.words(record, layout, has_tabs, false, fields)
                    }
            }
            false => self.cells(record, layout, last, fields),
        };
        if !fits {
            fields.clear();
            return Kind::Unrecognized;
        }
        Kind::Data
    }

    /// If the column at the position `column` is chosen, adds a field with the bounds `range`. If the cell is a request line, the
    /// field is its target.
    fn add(
        &self,
        record: &[u8],
        column: usize,
        range: Range<usize>,
        in_quotes: bool,
        layout: &Layout,
        fields: &mut Vec<Field>,
    ) {
        let Some(choice) = layout.choice_of(column) else { return };
        let inner = match &record[range.clone()] {
            [b'"', .., b'"'] => range.start + 1..range.end - 1,
            _ => range.clone(),
        };
        let text = &record[inner.clone()];
        // Words between blanks may be forged more easily than cells, so they are never request lines.
        let is_cell = !self.shape.is_spaced && !self.schema.is_mixed(choice);
        let is_likely = is_cell && (text.first().is_some_and(u8::is_ascii_uppercase) || has_version(text));
        let request = if is_likely { request_in(text) } else { None };
        let (range, rule) = match request {
            Some((target, has_spaces)) => {
                (inner.start + target.start..inner.start + target.end, self.requests + usize::from(has_spaces))
            }
            None if in_quotes => (range, self.chosen.len() + choice),
            None => (range, choice),
        };
        fields.push(Field { choice, range, rule, object: None });
    }

    /// Adds the cells of the chosen columns. If the record doesn't have the columns that the header names, returns
    /// false.
    fn cells(&self, record: &[u8], layout: &Layout, last: usize, fields: &mut Vec<Field>) -> bool {
        let (mut at, mut count) = (0, 0);
        while count <= last {
            let Some(end) = self.end(record, at) else { return false };
            match &record[at..end] {
                [b'"', .., b'"'] if has_loose_quotes(self.shape) => {
                    self.add(record, count, at + 1..end - 1, true, layout, fields)
                }
                cell if self.is_padded && cell.first() != Some(&b'"') => {
                    let start = end - cell.trim_ascii_start().len();
                    let len = record[start..end].trim_ascii_end().len();
                    self.add(record, count, start..start + len, false, layout, fields)
                }
                _ => self.add(record, count, at..end, false, layout, fields),
            }
            count += 1;
            at = end + 1;
            if end == record.len() {
                break;
            }
        }
        // Without a header, a record may be of another kind: it ends before the chosen columns, and has a URL.
        let is_other = || !IS_MODULE && fields.is_empty() && next_in_text(record, 0).is_some();
        let Some(width) = layout.width else { return !is_other() };
        // After the last chosen column, we only count the columns.
        let rest = record.get(at..).unwrap_or_default();
        if self.shape.quotes && memchr(b'"', rest).is_some() {
            while at <= record.len() {
                let Some(end) = self.end(record, at) else { return false };
                count += 1;
                at = end + 1;
            }
        } else if at <= record.len() {
            count += 1 + shape::count(rest, self.shape.delimiter);
        }
        if self.is_exact { count == width } else { count <= width }
    }

    /// Adds the words of the chosen columns. If `has_tabs` is true, only tabs separate columns, as in logs of ISA
    /// Server. If `has_strings` is true, a column may also be a string in quotes. If the record doesn't have the
    /// columns that the header names, returns false.
    fn words(
        &self,
        record: &[u8],
        layout: &Layout,
        has_tabs: bool,
        has_strings: bool,
        fields: &mut Vec<Field>,
    ) -> bool {
        let is_blank = |byte: u8| byte == b'\t' || byte == b' ' && !has_tabs;
        let (mut at, mut count) = (0, 0);
        loop {
            at += record[at..].iter().take_while(|&&byte| is_blank(byte)).count();
            let rest = &record[at..];
            if rest.is_empty() {
                return layout.width.is_none_or(|width| count == width);
            }
            let is_string = has_strings && rest[0] == b'"';
            let end = match is_string {
                true => match csv_field_end(record, at) {
                    Some(end) if record.get(end).is_none_or(|&next| is_blank(next)) => end,
                    _ => return false,
                },
                false => {
                    let blank = if has_tabs { b'\t' } else { b' ' };
                    memchr2(blank, b'\t', rest).map_or(record.len(), |len| at + len)
                }
            };
            let is_query = |choice: usize| matches!(&self.chosen[choice], Column::Name(name) if name == "cs-uri-query");
            // ProxySG writes a query with its `?`. IIS leaves out the `?`. So if a query of IIS starts with `?`, the
            // client sent two of them.
            let has_mark = !layout.has_stem && !is_string && rest[0] == b'?' && end > at + 1;
            let choice = layout.choice_of(count);
            let start = at + usize::from(has_mark && choice.is_some_and(is_query));
            self.add(record, count, start..end, is_string, layout, fields);
            count += 1;
            at = end;
        }
    }
}

impl Format for Delimited {
    fn framing(&self) -> Framing {
        if self.shape.quotes { Framing::Csv(self.shape.delimiter) } else { Framing::Lines }
    }

    fn schema(&self) -> &Schema {
        &self.schema
    }

    fn bounds(&self) -> Bounds {
        match self.shape.delimiter {
            delimiter if self.shape.quotes => Bounds::Csv(delimiter),
            b'\t' => Bounds::Tab,
            _ => Bounds::Record,
        }
    }

    fn extra_field(&self) -> ExtraField {
        // Only `pct` adds columns.
        if self.shape.is_fixed || IS_MODULE {
            return ExtraField::Nowhere;
        }
        let header = if self.shape.directive.is_empty() { self.shape.delimiter } else { self.shape.separator };
        ExtraField::Column {
            before: vec![self.shape.delimiter],
            after: Vec::new(),
            header: vec![header],
            absent: if self.shape.directive.is_empty() { "" } else { "-" },
        }
    }

    fn candidates(&self, head: &[u8]) -> Candidates {
        if !IS_MODULE { self.named(head).unwrap_or_default() } else { Candidates::default() }
    }

    fn mark(&self) -> Option<u8> {
        self.shape.comments.then_some(b'#')
    }

    fn layers(&self) -> usize {
        self.shape.layers
    }

    fn has_header(&self) -> bool {
        // Only a header can give the position of a column that the format doesn't know.
        self.header || self.shape.comments || self.known.iter().all(Option::is_none)
    }

    fn mismatch(&self, head: &[u8], to: Option<&str>, has_cells: bool) -> Option<String> {
        let there = self.header(head)?;
        let (columns, named) = self.columns(&there, &mut None);
        let present =
            || self.schema.asked_names().iter().zip(&columns).filter(|(_, at)| at.is_some()).map(|(name, _)| name);
        // Only `pct` has `--to`.
        if let Some(to) = to.filter(|_| !IS_MODULE) {
            if head.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"#Fields:") && self.has_tabs(line)) {
                return Some("tabs between its columns, so --to can't add one".into());
            }
            if !to.contains("{}") && present().count() > 1 {
                return Some(format!(
                    "the columns {}, and `--to {to}` is one name; put {{}} in it to give each its own name, as in --to '{{}}_decoded'",
                    present().map(String::as_str).collect::<Vec<_>>().join(", ")
                ));
            }
            let is_there = |name: &String| there.iter().any(|there| there.eq_ignore_ascii_case(name.as_bytes()));
            if let Some(name) = present().map(|name| to.replace("{}", name)).find(is_there) {
                return Some(format!("a column `{name}` already; name another with --to"));
            }
        }
        let text = |names: &[Name]| {
            let names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name)).collect();
            names.join(", ")
        };
        let missing: Vec<Name> = self
            .schema
            .asked_names()
            .iter()
            .zip(&columns)
            .filter(|(_, at)| at.is_none())
            .map(|(name, _)| name.as_bytes().into())
            .collect();
        // If the user names no columns, the header needs only one of the default columns.
        match missing.len() {
            0 => {}
            some if self.usual && some < self.schema.asked => {}
            _ if self.usual => {
                return Some(format!(
                    "no column that is known to hold URLs; there are {}; name one with -f",
                    text(&there)
                ));
            }
            _ => return Some(format!("no column {}; there are {}", text(&missing), text(&there))),
        }
        // Only `pct` writes cells.
        let is_repeated = |&&(at, choice): &&(usize, usize)| columns[choice] != Some(at);
        let &(_, choice) = named.iter().find(is_repeated).filter(|_| !IS_MODULE && has_cells)?;
        Some(format!("several columns `{}`; choose one by its number, with -f", self.schema.names[choice]))
    }

    fn layout(&self) -> Layout {
        Layout {
            columns: self.known.clone(),
            places: places(&self.known, Vec::new()),
            header: self.header,
            preamble: if self.header { self.preamble } else { 0 },
            ..Layout::default()
        }
    }

    fn fields(&self, record: &[u8], layout: &mut Layout, fields: &mut Vec<Field>) -> Kind {
        if layout.preamble > 0 {
            layout.preamble -= 1;
            return Kind::Comment;
        }
        if layout.header {
            self.read_names(record, &self.header_names(record), layout);
            return Kind::Header;
        }
        // In a table, an empty line is not a record. Programs that read tables skip it.
        if record.is_empty() && self.shape.directive.is_empty() {
            return Kind::Comment;
        }
        if self.shape.comments && record.first() == Some(&b'#') {
            let Some(names) = self.directive_names(record) else { return Kind::Comment };
            self.read_names(record, &names, layout);
            return Kind::Header;
        }
        if self.shape.is_spaced && record.trim_ascii().is_empty() {
            return Kind::Comment;
        }
        self.data(record, layout, fields)
    }

    fn advance(&self, chunk: &[u8], layout: &mut Layout) {
        if layout.header && !chunk.is_empty() {
            let (at, count) = self.preamble_len(chunk, layout.preamble);
            layout.preamble -= count;
            if at < chunk.len() {
                let record = self.framing().first(&chunk[at..]);
                let line = &chunk[at..at + record.body];
                self.read_names(line, &self.header_names(line), layout);
            }
        }
        if self.shape.directive.is_empty() || !self.shape.comments {
            return;
        }
        let has_others = layout.has_others;
        let directive = self.shape.directive.as_bytes();
        let mut read = |at: usize| {
            let (_, record) = Framing::Lines.around(chunk, at, at);
            let line = &chunk[at..at + record.body];
            self.read_names(line, &self.directive_names(line).unwrap_or_default(), layout);
        };
        // The first directive of the input decides whether `fallback` is read.
        if self.drops_fallback && has_others.is_none() {
            let is_line = |at: &usize| *at == 0 || chunk[at - 1] == b'\n';
            memmem::find_iter(chunk, directive).find(is_line).into_iter().for_each(&mut read);
        }
        // If the chunk has several directives, the last directive names the columns after the chunk.
        let mut end = chunk.len();
        while let Some(at) = shape::last(&chunk[..end], directive) {
            let line = memrchr(b'\n', &chunk[..at]).map_or(0, |before| before + 1);
            if line == at {
                return read(at);
            }
            end = line;
        }
    }

    fn others(&self, chunk: &[u8], layout: &Layout) -> u64 {
        let (comments, skips_empty) = (self.shape.comments, self.shape.directive.is_empty() || self.shape.is_spaced);
        let (start, header) = if layout.header { self.preamble_len(chunk, layout.preamble + 1) } else { (0, 0) };
        let chunk = &chunk[start..];
        let others = if self.framing().is_local(chunk) {
            let comments = if comments { lines_that_start_with(chunk, b"#") } else { 0 };
            comments + if skips_empty { empty_lines(chunk) } else { 0 }
        } else {
            let (mut at, mut others) = (0, 0);
            while at < chunk.len() {
                let record = self.framing().first(&chunk[at..]);
                others += u64::from(comments && chunk[at] == b'#' || skips_empty && record.body == 0);
                at += record.len;
            }
            others
        };
        others + header as u64
    }
}
