//! Walks over the records of a chunk, and skips records that have no byte of interest (a byte that can change a
//! record).

use percent_simd::Plus;
use percent_simd_records::formats::Format;
use percent_simd_records::framing::{Framing, Record};
use percent_simd_records::transform::{Action, Spec, Triggers};

use crate::chunk::Chunk;

/// All records of the first `INSPECTED_CHUNKS` chunks are compared with the format. After these chunks, we compare one record in
/// each `INSPECTED_EVERY` bytes.
const INSPECTED_CHUNKS: u64 = 4;
const INSPECTED_EVERY: usize = 32 * 1024;

/// A walk over the records of a chunk, or of a part of a chunk.
pub struct Walk<'a> {
    bytes: &'a [u8],
    framing: Framing,
    /// The end of the record that [`next`](Self::next) returned last.
    done: usize,
    /// If true, we can find the start of a record from any byte inside the record, and skip the records before it.
    is_local: bool,
    /// The next record to compare with the format is the first record that ends after this offset.
    next_inspected: usize,
    /// The number of bytes between two compared records.
    inspected_every: usize,
    /// If true, [`next`](Self::next) has skipped records.
    pub has_skipped: bool,
}

/// A record of a walk.
pub struct Step {
    pub start: usize,
    pub record: Record,
    /// The offset of the first byte of interest in the record, if there is one.
    pub first: Option<usize>,
}

impl<'a> Walk<'a> {
    /// Starts a walk at the offset `from` of `bytes`, which are the first bytes of `chunk`. The walk skips records only
    /// if `may_skip` is true.
    pub fn new(
        format: &dyn Format,
        is_strict: bool,
        chunk: &Chunk,
        bytes: &'a [u8],
        from: usize,
        may_skip: bool,
    ) -> Walk<'a> {
        let framing = format.framing();
        let (next_inspected, inspected_every) = match chunk.number {
            _ if format.is_whole() => (usize::MAX, 0),
            _ if is_strict => (from, 0),
            ..INSPECTED_CHUNKS => (from, 0),
            _ => (from, INSPECTED_EVERY),
        };
        let is_local = may_skip && framing.is_local(&bytes[from..]);
        Walk { bytes, framing, done: from, is_local, next_inspected, inspected_every, has_skipped: false }
    }

    /// Returns the next record. If records can be skipped, this is the next record that has a byte of interest or is due for
    /// inspection.
    ///
    /// `find` gets an offset, and returns the offset of the first byte of interest from there on. If no byte of
    /// interest follows, `find` returns the length of all bytes. If `is_header` is true, the next record isn't skipped.
    pub fn next(&mut self, is_header: bool, find: impl FnOnce(usize) -> usize) -> Option<Step> {
        let (bytes, done) = (self.bytes, self.done);
        if done == bytes.len() {
            return None;
        }
        let wanted = find(done);
        let (start, record) = if self.is_local && !is_header {
            let next = wanted.min(self.next_inspected.max(done));
            if next == bytes.len() {
                self.has_skipped = true;
                return None;
            }
            let (start, record) = self.framing.around(bytes, done, next);
            self.has_skipped |= start > done;
            (start, record)
        } else {
            (done, self.framing.first(&bytes[done..]))
        };
        self.done = start + record.len;
        Some(Step { start, record, first: (wanted < self.done).then(|| wanted - start) })
    }

    /// Returns true if the record of the last call of `next` has to be compared with its format, even if it has no byte of
    /// interest.
    pub fn inspects(&mut self) -> bool {
        let inspects = self.next_inspected < self.done;
        if inspects {
            self.next_inspected = self.done + self.inspected_every;
        }
        inspects
    }

    /// From now on, compares all records with their format.
    pub fn inspect_all(&mut self) {
        (self.next_inspected, self.inspected_every) = (self.done, 0);
    }
}

/// Finds the records that may change.
pub struct Filter {
    /// A record without any of these bytes stays as it is.
    triggers: Triggers,
    /// `Some` if a `+` is a space only after a `?`. In this case, `?` is one of `triggers`, and this field holds the
    /// bytes that can change the text after the `?` of a record.
    from_question: Option<Triggers>,
}

impl Filter {
    /// The filter that skips no record.
    pub const ALL: Filter = Filter { triggers: Triggers::Any, from_question: None };

    /// Returns the filter that finds the records that the action of `spec` may change.
    pub fn of(format: &dyn Format, spec: &Spec) -> Filter {
        let plus = match spec.action {
            Action::Encode(_) | Action::Verb(_) => return Filter::ALL,
            Action::Normalize => Plus::Never,
            Action::Decode { .. } if spec.keep.contains(b' ') => Plus::Never,
            Action::Decode { plus } => plus,
        };
        let mark = if spec.unescape_log { Some(b'\\') } else { format.mark() };
        let triggers = |plus| Triggers::percent_and(plus, mark);
        let has_query_field = || format.schema().rules.iter().any(|rule| rule.syntax.is_query());
        match plus {
            Plus::Never => Filter { triggers: triggers(None), from_question: None },
            // A `+` is a space only after a `?`. We search for `?`, which is rarer than `+`: many logs have a `+` in every date.
            Plus::AfterQuery if format.inner().is_none() && !has_query_field() => {
                Filter { triggers: triggers(Some(b'?')), from_question: Some(triggers(Some(b'+'))) }
            }
            _ => Filter { triggers: triggers(Some(b'+')), from_question: None },
        }
    }

    /// Returns the offset of the first byte of interest.
    pub fn find(&self, bytes: &[u8]) -> Option<usize> {
        self.triggers.find(bytes)
    }

    /// Returns true if a record has to be processed. `rest` is the end of the record, from the first byte of interest.
    pub fn is_needed(&self, rest: &[u8]) -> bool {
        match self.from_question {
            Some(triggers) if rest.first() == Some(&b'?') => triggers.find(rest).is_some(),
            _ => true,
        }
    }
}
