//! Verbs that work on whole records. They choose some of the records, or write a different text in place of each
//! record.
//!
//! A [`RecordVerb`] works in two steps. [`visit`](RecordVerb::visit) runs on any thread and appends text to the buffer of its
//! chunk. If the output depends on earlier records, as line numbers do, `visit` also sets [`Mark`]s. Later,
//! [`write`](RecordVerb::write) turns the text and the marks into output, in the order of the input.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memrchr};

use percent_simd_records::formats::{Bounds, Field, Format, Kind, Syntax, json_string_end};
use percent_simd_records::framing::{Framing, element_start};
use percent_simd_records::place::{Place, Places};
use percent_simd_records::transform::{Transform, each_value_of_rows};

/// A verb for records.
pub trait RecordVerb: Send + Sync {
    /// Finds the candidates: the lines of `bytes` that could affect the output. Appends them to `lines` in ascending order. Returns
    /// false if every record has to be visited.
    fn find_candidates(&self, _bytes: &[u8], _scratch: &mut Vec<u8>, _lines: &mut Vec<Range<usize>>) -> bool {
        false
    }

    /// If the verb writes its own records instead of the records of the input, returns the bounds of the values in its
    /// records.
    fn table(&self) -> Option<Bounds> {
        None
    }

    /// Returns true if records without a candidate need not be visited.
    fn skips(&self) -> bool {
        false
    }

    /// Appends text before the first record of an input.
    fn begin(&self, _out: &mut Vec<u8>) {}

    /// Appends the output for a record. `is_candidate` is true if `find_candidates` found one of its lines.
    fn visit(&self, record: &RecordView, is_candidate: bool, out: &mut Vec<u8>, marks: &mut Vec<Mark>);

    /// Returns true if a record that is too long to be split into fields is written unchanged. This method is called
    /// for each piece of the record, and again for the report.
    fn passes_oversized(&self) -> bool {
        false
    }

    /// Appends the output for a record that is too long to be split into fields. This method is called once for each
    /// such record.
    fn visit_oversized(&self, _out: &mut Vec<u8>) {}

    /// Returns true if [`write`](Self::write) makes the output. Otherwise the text of `visit` is the output.
    fn is_ordered(&self) -> bool {
        false
    }

    /// Appends the output for the marks of a chunk. Returns true if the run should go on.
    fn write(&self, _turn: &Turn, _out: &mut Vec<u8>) -> bool {
        true
    }

    /// After the last record of an input, returns a message if the output lacks values because the input doesn't fit the
    /// options.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Appends text after the last record of the input called `name`.
    fn end(&self, _name: &[u8], _out: &mut Vec<u8>) {}
}

/// A record, split into fields by its format.
pub struct RecordView<'a> {
    /// The offset of the record in the chunk.
    pub start: usize,
    /// The record with its end.
    pub whole: &'a [u8],
    pub body: &'a [u8],
    pub kind: Kind,
    pub fields: &'a [Field],
    pub transforms: &'a [Transform],
    pub format: &'a dyn Format,
}

impl RecordView<'_> {
    /// Calls `each` for every chosen field, with the field's index among the chosen fields, its syntax and its value.
    /// Skips fields that the format can't read.
    pub fn each_value(&self, mut each: impl FnMut(usize, Syntax, Cow<[u8]>)) {
        for field in self.fields.iter().filter(|_| self.kind == Kind::Data) {
            self.transforms[field.rule].each_value(field.choice, &self.body[field.range.clone()], &mut each);
        }
    }

    /// Does the same as [`each_value`](Self::each_value), but row by row. The first argument of `each` is the number of the row.
    pub fn each_value_of_rows(&self, mut each: impl FnMut(usize, usize, Syntax, Cow<[u8]>)) {
        if self.kind == Kind::Data {
            each_value_of_rows(self.format, self.transforms, self.body, self.fields, &mut each);
        }
    }

    /// Appends the record and its end. Leaves out text between records, such as the commas of a JSON array. An element of a
    /// document becomes one line, as in NDJSON.
    pub fn push_whole(&self, out: &mut Vec<u8>) {
        let record = self.trimmed();
        // The end of a document is no record.
        if record.is_empty() && matches!(self.format.framing(), Framing::Elements(_)) {
            return;
        }
        let start = out.len();
        out.extend(record);
        self.join_lines(start, out);
        self.push_end(out);
    }

    /// If the record is an element of a document, removes the line ends and the indentation in its text, which starts at
    /// `start` in `out`. A line end inside a string stays, because it isn't JSON.
    pub fn join_lines(&self, start: usize, out: &mut Vec<u8>) {
        let is_element = self.kind == Kind::Data && matches!(self.format.framing(), Framing::Elements(_));
        if !is_element || memchr2(b'\r', b'\n', &out[start..]).is_none() {
            return;
        }
        // `out[at..end]` is the text that follows in the line.
        let (mut at, mut end, mut to) = (start, start, start);
        while at < out.len() {
            // The tokens of JSON are short, so a loop finds their ends sooner than a search in blocks.
            let len = out[end..].iter().position(|byte| matches!(byte, b'"' | b'\r' | b'\n'));
            end = len.map_or(out.len(), |len| end + len);
            if out.get(end) == Some(&b'"') {
                let len = json_string_end(&out[end + 1..]);
                end = len.map_or(out.len(), |len| end + 1 + len + 1);
                continue;
            }
            let blanks = out[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            out.copy_within(at..end, to);
            to += end - at;
            end += blanks;
            at = end;
        }
        out.truncate(to);
    }

    /// Returns the record without its end, and without text between records, such as the commas of a JSON array.
    pub fn trimmed(&self) -> &[u8] {
        match self.format.framing() {
            // Keep all text, because the object may begin anywhere in it.
            Framing::Json | Framing::Elements(_) if self.kind == Kind::Unrecognized => self.body.trim_ascii(),
            Framing::Json => match (memchr(b'{', self.body), memrchr(b'}', self.body)) {
                (Some(start), Some(end)) if start < end => &self.body[start..=end],
                _ => self.body.trim_ascii(),
            },
            Framing::Elements(key) => element_start(self.body, key).map_or(b"", |start| &self.body[start..]),
            Framing::Tags => self.body.trim_ascii_start(),
            _ => self.body,
        }
    }

    /// Appends the end of the record, or a line end if the record has none.
    pub fn push_end(&self, out: &mut Vec<u8>) {
        let end = match (&self.whole[self.body.len()..], self.format.framing()) {
            (b"" | b">", Framing::Null) => b"\0",
            (b"" | b">", _) => b"\n",
            (end, _) => end,
        };
        out.extend(end);
    }
}

/// Describes the text that `visit` has appended for a record. Several threads visit chunks at the same time. Later,
/// `write` gets the marks of each chunk, in the order of the input.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The offset of the record in the chunk.
    pub start: usize,
    /// The range of the record's text in the output of the chunk.
    pub text: Range<usize>,
    /// The key for comparing the record with other records.
    pub key: u128,
    /// If true, the verb has chosen this record.
    pub is_hit: bool,
}

/// A chunk whose records have been visited, and its place in the input.
pub struct Turn<'a> {
    /// The name of the input.
    pub name: &'a [u8],
    /// The place where the chunk starts.
    pub place: Place,
    pub bytes: &'a [u8],
    /// The text that `visit` has appended for the records of the chunk.
    pub text: &'a [u8],
    pub marks: &'a [Mark],
}

impl Turn<'_> {
    /// Calls `each` for every mark, with the place and the text of its record. If `each` returns false, stops and returns false.
    pub fn each_mark(&self, mut each: impl FnMut(Place, &[u8], &Mark) -> bool) -> bool {
        let mut places = Places::new(self.place, self.bytes);
        self.marks.iter().all(|mark| each(places.at(mark.start), &self.text[mark.text.clone()], mark))
    }
}
