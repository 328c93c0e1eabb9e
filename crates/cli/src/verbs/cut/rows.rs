//! The rows of a record, and the forms of output: TSV, CSV, JSON and others.

use std::ops::Range;

use percent_simd::ByteSet;
use percent_simd_records::formats::{Rule, Syntax, Wrap};

use super::columns::Columns;

/// The form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Tsv,
    Csv,
    Json,
    Null,
    #[cfg(feature = "arrow")]
    Arrow,
}

impl Form {
    /// Returns the rule for values in this form of output.
    pub fn rule(self, syntax: Syntax) -> Rule {
        let (keep, wrap) = match self {
            Form::Tsv => (ByteSet::CONTROLS | ByteSet::of(b"\\"), Wrap::Verbatim),
            Form::Csv => (ByteSet::CONTROLS, Wrap::Csv(b',')),
            Form::Json => (ByteSet::EMPTY, Wrap::Json),
            Form::Null => (ByteSet::of(b"\0"), Wrap::Verbatim),
            #[cfg(feature = "arrow")]
            Form::Arrow => (ByteSet::EMPTY, Wrap::Verbatim),
        };
        Rule { keep, wrap, syntax }
    }

    /// Returns true if the output can hold bytes that are not UTF-8.
    pub fn writes_bytes(self) -> bool {
        matches!(self, Form::Tsv | Form::Csv)
    }

    pub fn separator(self) -> &'static [u8] {
        match self {
            Form::Tsv => b"\t",
            Form::Csv | Form::Json => b",",
            Form::Null => b"",
            #[cfg(feature = "arrow")]
            Form::Arrow => b"",
        }
    }

    /// Returns true if the output has no line of column names.
    pub fn has_no_header(self) -> bool {
        !matches!(self, Form::Tsv | Form::Csv)
    }

    /// Returns true if readers of the output find a cell by the name of its column, so that two columns can't have the same
    /// name.
    pub fn finds_by_name(self) -> bool {
        !matches!(self, Form::Tsv | Form::Csv | Form::Null)
    }
}

/// The cells of a row.
#[derive(Default)]
pub struct Cells {
    /// For each column, the range of its cell in the text, or `None` if the row lacks this cell.
    pub all: Vec<Option<Range<usize>>>,
    /// The numbers of the optional columns that have a cell in this row.
    pub optional: Vec<usize>,
}

/// Reusable memory for the rows of a record.
#[derive(Default)]
pub struct Row {
    pub cells: Cells,
    /// For each chosen field, true if `cells` has a value of it.
    pub taken: Vec<bool>,
    /// The cells of further values of these fields: the number of the value, the number of the column, and the range of the cell in
    /// the text. Each value is a row below the row of `cells`.
    pub more: Vec<(usize, usize, Range<usize>)>,
    pub text: Vec<u8>,
    pub scratch: Vec<u8>,
    pub guarded: Vec<u8>,
}

impl Cells {
    /// Removes all cells.
    pub fn clear(&mut self, columns: &Columns) {
        self.optional.clear();
        self.all.clear();
        self.all.resize(columns.all.len(), None);
    }

    /// Adds the cell of the column with the index `number`.
    pub fn set(&mut self, number: usize, cell: Range<usize>, columns: &Columns) {
        self.all[number] = Some(cell);
        if number >= columns.fixed {
            self.optional.push(number);
        }
    }
}

impl Row {
    /// Removes all values.
    pub fn clear(&mut self, columns: &Columns) {
        self.cells.clear(columns);
        self.taken.clear();
        self.taken.resize(columns.fields(), false);
        self.more.clear();
        self.text.clear();
    }

    /// Adds the text since `start` as a cell of the column with the index `number`. `more` is the number of the value if the row
    /// has another value of the same field.
    pub fn add(&mut self, more: Option<usize>, number: usize, start: usize, columns: &Columns) {
        let cell = start..self.text.len();
        match more {
            Some(value) => self.more.push((value, number, cell)),
            None => self.cells.set(number, cell, columns),
        }
    }
}
