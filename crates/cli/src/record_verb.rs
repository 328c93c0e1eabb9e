//! Verbs that deal with whole records: they choose some of them, or write something else in their place.
//!
//! A [`RecordVerb`] works in two steps. [`visit`](RecordVerb::visit) runs on any thread and appends text to the output of its
//! chunk. A verb that depends on the records before, such as one that numbers lines, leaves [`Mark`]s instead, of which
//! [`write`](RecordVerb::write) makes the output in the order of the input.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memrchr};

use percent_simd_records::formats::{Field, Kind, Syntax};
use percent_simd_records::framing::Framing;
use percent_simd_records::place::{Place, Places};
use percent_simd_records::transform::Transform;

/// A verb that works on records.
pub trait RecordVerb: Send + Sync {
    /// Finds the lines of `bytes` that could matter, and appends them to `lines` in ascending order. Returns `false` if every
    /// record has to be visited.
    fn find_candidates(&self, _bytes: &[u8], _scratch: &mut Vec<u8>, _lines: &mut Vec<Range<usize>>) -> bool {
        false
    }

    /// Whether records without a candidate need not be visited.
    fn skips(&self) -> bool {
        false
    }

    /// Appends what precedes the records of an input.
    fn begin(&self, _out: &mut Vec<u8>) {}

    /// Appends what comes of a record. `is_candidate` is `false` if no line of it is among those found.
    fn visit(&self, record: &RecordView, is_candidate: bool, out: &mut Vec<u8>, marks: &mut Vec<Mark>);

    /// Whether records that are too long to be taken apart are written as they are, all of which are asked about.
    fn passes_oversized(&self) -> bool {
        false
    }

    /// Whether the output is made by [`write`](Self::write).
    fn is_ordered(&self) -> bool {
        false
    }

    /// Appends what comes of the marks of a chunk. Returns whether to go on with the input.
    fn write(&self, _turn: &Turn, _out: &mut Vec<u8>) -> bool {
        true
    }

    /// Appends what follows the records of the input called `name`.
    fn end(&self, _name: &str, _out: &mut Vec<u8>) {}
}

/// A record, and what its format says of it.
pub struct RecordView<'a> {
    /// Offset in the chunk.
    pub start: usize,
    /// All of it, with what ends it.
    pub whole: &'a [u8],
    pub body: &'a [u8],
    pub kind: Kind,
    pub fields: &'a [Field],
    pub transforms: &'a [Transform],
    pub framing: Framing,
}

impl RecordView<'_> {
    /// Calls `each` with the number, the syntax and the value of every chosen field. Skips a field that its format can't read.
    pub fn each_value(&self, mut each: impl FnMut(usize, Syntax, Cow<[u8]>)) {
        for field in self.fields.iter().filter(|_| self.kind == Kind::Data) {
            self.transforms[field.rule].each_value(field.choice, &self.body[field.range.clone()], &mut each);
        }
    }

    /// Appends the record as it is, with an end, but without what may stand between records.
    pub fn push_whole(&self, out: &mut Vec<u8>) {
        out.extend(self.trimmed());
        self.push_end(out);
    }

    /// The record without its end, and without what may stand between records.
    pub fn trimmed(&self) -> &[u8] {
        match self.framing {
            Framing::Json => match (memchr(b'{', self.body), memrchr(b'}', self.body)) {
                (Some(start), Some(end)) if start < end => &self.body[start..=end],
                _ => self.body.trim_ascii(),
            },
            Framing::Tags => self.body.trim_ascii_start(),
            _ => self.body,
        }
    }

    /// Appends what ends the record, or a line end where nothing does.
    pub fn push_end(&self, out: &mut Vec<u8>) {
        let end = match (&self.whole[self.body.len()..], self.framing) {
            (b"" | b">", Framing::Null) => b"\0",
            (b"" | b">", _) => b"\n",
            (end, _) => end,
        };
        out.extend(end);
    }
}

/// Something to be dealt with in the order of the input.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The offset of the record in the chunk.
    pub start: usize,
    /// Its output, as a range of the output of the chunk.
    pub text: Range<usize>,
    /// The key by which the record is compared with others.
    pub key: u128,
    /// Whether it was chosen.
    pub is_hit: bool,
}

/// A chunk that has been visited, and its place.
pub struct Turn<'a> {
    /// The name of the input.
    pub name: &'a str,
    /// The place at which the chunk starts.
    pub place: Place,
    pub bytes: &'a [u8],
    /// The output of `visit`.
    pub text: &'a [u8],
    pub marks: &'a [Mark],
}

impl Turn<'_> {
    /// Calls `each` with the place of each mark, its text and itself, until it returns `false`. Returns whether it never did.
    pub fn each_mark(&self, mut each: impl FnMut(Place, &[u8], &Mark) -> bool) -> bool {
        let mut places = Places::new(self.place, self.bytes);
        self.marks.iter().all(|mark| each(places.at(mark.start), &self.text[mark.text.clone()], mark))
    }
}
