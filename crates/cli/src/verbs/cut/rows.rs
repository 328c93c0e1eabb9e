//! The forms of output: TSV, CSV, JSON and others.

use percent_simd::ByteSet;
use percent_simd_records::formats::{Rule, Syntax, Wrap};

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
