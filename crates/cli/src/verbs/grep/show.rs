//! The record verb of `pct grep`, which chooses records and writes them.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use percent_simd::ByteSet;
use percent_simd_records::formats::{Bounds, Kind, Syntax};
use percent_simd_records::framing::Framing;
use percent_simd_records::guard::Guard;
use percent_simd_records::place::Place;
use percent_simd_records::transform::Effects;
use serde_json::json;

use super::matcher::Matcher;
use crate::message::{printable_name, push_json, with_text};
use crate::record_verb::{Mark, RecordVerb, RecordView, Turn};
use crate::report::Paint;
use crate::user_formats::attacks::Kinds;

/// The kind of output. The chosen records are the records that match. With -v, they are the records that don't match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Record,
    Decoded,
    Matches,
    Json,
    /// The number of chosen records of each file.
    Count,
    /// The names of files with chosen records.
    Name,
    Nothing,
}

/// The form of the output.
pub struct Style {
    pub output: Shown,
    pub names: bool,
    /// Each name ends with NUL, and has its raw bytes.
    pub null_names: bool,
    pub numbers: bool,
    pub before: usize,
    pub after: usize,
    pub limit: u64,
    pub keeps_header: bool,
    pub paint: Paint,
}

impl Style {
    pub fn has_context(&self) -> bool {
        self.before + self.after > 0 && matches!(self.output, Shown::Record | Shown::Decoded)
    }

    /// Returns true if the output for a record does not depend on earlier records.
    pub fn is_simple(&self) -> bool {
        let shown = matches!(self.output, Shown::Record | Shown::Decoded | Shown::Matches);
        shown && !self.names && !self.numbers && !self.has_context() && self.limit == u64::MAX
    }
}

/// The search in one input.
pub struct Grep {
    pub matcher: Matcher,
    pub names: Vec<String>,
    /// For each field, true if it is searched like a query.
    pub is_query: Vec<bool>,
    pub invert: bool,
    pub style: Arc<Style>,
    /// Whether a record of any input was chosen.
    pub found: Arc<AtomicBool>,
    /// Whether `write_with_context` has written a record of any input.
    pub wrote: Arc<AtomicBool>,
    pub state: Mutex<State>,
}

/// The state of the search, which changes with each record of an input.
#[derive(Default)]
pub struct State {
    chosen: u64,
    /// The last records that were not written. Each record is stored as its number and its output.
    before: VecDeque<(u64, Vec<u8>)>,
    /// The number of context records that still have to be written after the last chosen record.
    after: usize,
    /// `records` is the number of records so far. `last_written` is the number of the last written record.
    records: u64,
    last_written: Option<u64>,
}

impl Grep {
    /// Calls `each` with the number, the syntax and the value of every chosen field.
    fn each_value(&self, record: &RecordView, mut each: impl FnMut(usize, Syntax, Cow<[u8]>)) {
        record.each_value(|choice, syntax, value| {
            let is_query = self.is_query.get(choice).is_some_and(|&is_query| is_query);
            each(choice, if is_query { Syntax::Query } else { syntax }, value);
        });
    }

    /// Appends the output for a record, and a mark for each of its lines.
    fn show(&self, record: &RecordView, out: &mut Vec<u8>, marks: &mut Vec<Mark>, is_hit: bool) {
        let mut mark = |text: Range<usize>| {
            if !self.style.is_simple() {
                marks.push(Mark { start: record.start, text, key: 0, is_hit });
            }
        };
        let start = out.len();
        match self.style.output {
            Shown::Record => record.push_whole(out),
            Shown::Decoded => {
                self.push_decoded(record, out);
                record.push_end(out);
            }
            Shown::Matches => {
                let guard = Guard::new(ByteSet::CONTROLS);
                self.each_value(record, |_, syntax, value| {
                    self.matcher.each_match(&value, syntax, |text, found| {
                        let start = out.len();
                        self.style.push_match(&text[found], &guard, out);
                        record.push_end(out);
                        mark(start..out.len());
                    });
                });
                return;
            }
            Shown::Json => {
                let (mut matches, mut attacks) = (Vec::new(), 0);
                self.each_value(record, |choice, syntax, value| {
                    attacks |= self.matcher.attacks_in(&value, syntax);
                    self.matcher.each_match(&value, syntax, |text, found| {
                        let shown = json!({ "field": self.names.get(choice), "start": found.start, "end": found.end });
                        matches.push(with_text(with_text(shown, "value", text), "match", &text[found]));
                    });
                });
                let mut shown = with_text(json!({ "matches": matches }), "record", record.trimmed());
                if attacks != 0 {
                    shown["attacks"] = Kinds::get().of(attacks).map(|kind| &*kind.name).collect();
                }
                push_json(&shown, out);
                out.push(b'\n');
            }
            Shown::Count | Shown::Name | Shown::Nothing => {}
        }
        mark(start..out.len());
    }

    /// Appends the record as `pct decode` writes it.
    fn push_decoded(&self, record: &RecordView, out: &mut Vec<u8>) {
        let (mut scratch, mut effects) = (Vec::new(), Effects::default());
        let trimmed = record.trimmed();
        // The offset of the trimmed record in the body.
        let first = trimmed.as_ptr().addr() - record.body.as_ptr().addr();
        let (mut at, start) = (first, out.len());
        for field in record.fields {
            let (before, raw) = (&record.body[at..field.range.start], &record.body[field.range.clone()]);
            if record.transforms[field.rule].field(before, raw, &mut scratch, out, &mut effects) {
                at = field.range.end;
            }
        }
        out.extend(&record.body[at..first + trimmed.len()]);
        record.join_lines(start, out);
    }

    /// Appends the name of the input, and `end`.
    fn push_name(&self, name: &[u8], end: &str, out: &mut Vec<u8>) {
        let paint = self.style.paint;
        if self.style.null_names {
            paint.around("35", out, |out| out.extend_from_slice(name));
            out.push(0);
        } else {
            paint.around("35", out, |out| out.extend_from_slice(&printable_name(name)));
            out.extend_from_slice(end.as_bytes());
        }
    }

    /// Appends the prefix of a line: the file name and the line number.
    fn prefix(&self, name: &[u8], place: Place, separator: char, out: &mut Vec<u8>) {
        let paint = self.style.paint;
        if self.style.names {
            self.push_name(name, &paint.with("36", &separator.to_string()), out);
        }
        if self.style.numbers {
            out.extend(paint.with("32", &place.line.to_string()).bytes());
            out.extend(paint.with("36", &separator.to_string()).bytes());
        }
    }

    /// If the record is chosen, writes the context records before it, and the record. If it is context after a chosen
    /// record, writes it. Otherwise stores it, because it may be context before a later chosen record.
    fn write_with_context(
        &self,
        state: &mut State,
        name: &[u8],
        place: Place,
        text: &[u8],
        is_hit: bool,
        out: &mut Vec<u8>,
    ) {
        let number = state.records;
        state.records += 1;
        let is_written = is_hit || state.after > 0;
        if !is_written {
            let mut line = Vec::new();
            self.prefix(name, place, '-', &mut line);
            line.extend(text);
            state.before.push_back((number, line));
            if state.before.len() > self.style.before {
                state.before.pop_front();
            }
            return;
        }
        let first = if is_hit { state.before.front().map_or(number, |(first, _)| *first) } else { number };
        // As in ripgrep, a line `--` separates records that don't follow each other, even records of different files.
        let wrote = self.wrote.swap(true, Ordering::Relaxed);
        if wrote && state.last_written.is_none_or(|last| last + 1 < first) {
            out.extend(b"--\n");
        }
        if is_hit {
            state.before.drain(..).for_each(|(_, line)| out.extend(line));
            state.after = self.style.after;
        } else {
            state.after -= 1;
        }
        self.prefix(name, place, if is_hit { ':' } else { '-' }, out);
        out.extend(text);
        state.last_written = Some(number);
    }
}

impl Style {
    /// Appends a match. Bytes that control a terminal or could forge a line are escaped.
    fn push_match(&self, text: &[u8], guard: &Guard, out: &mut Vec<u8>) {
        let (on, off) = if self.paint.0 { (&b"\x1B[1;31m"[..], &b"\x1B[0m"[..]) } else { (&b""[..], &b""[..]) };
        out.extend(on);
        guard.push_bytes(text, out);
        out.extend(off);
    }
}

impl RecordVerb for Grep {
    fn table(&self) -> Option<Bounds> {
        (self.style.output == Shown::Json).then_some(Bounds::Quote)
    }

    fn find_candidates(&self, bytes: &[u8], scratch: &mut Vec<u8>, lines: &mut Vec<Range<usize>>) -> bool {
        self.matcher.find_candidates(bytes, scratch, lines)
    }

    fn skips(&self) -> bool {
        !self.invert && !self.style.has_context() && !self.style.keeps_header
    }

    fn visit(&self, record: &RecordView, is_candidate: bool, out: &mut Vec<u8>, marks: &mut Vec<Mark>) {
        if matches!(record.kind, Kind::Header | Kind::Comment) {
            if self.style.keeps_header {
                let start = out.len();
                record.push_whole(out);
                marks.push(Mark { start: record.start, text: start..out.len(), key: 0, is_hit: false });
            }
            return;
        }
        if record.format.framing() == Framing::Json && record.trimmed().is_empty() {
            // This is white space between objects.
            return;
        }
        let mut is_hit = false;
        if is_candidate {
            self.each_value(record, |_, syntax, value| is_hit = is_hit || self.matcher.is_match(&value, syntax));
        }
        is_hit ^= self.invert;
        if is_hit && self.style.limit > 0 {
            self.found.store(true, Ordering::Relaxed);
        }
        if is_hit || self.style.has_context() {
            self.show(record, out, marks, is_hit);
        }
    }

    fn passes_oversized(&self) -> bool {
        // Records that are too long are not searched, so they count as records without a match.
        self.invert && matches!(self.style.output, Shown::Record | Shown::Decoded)
    }

    fn visit_oversized(&self, _: &mut Vec<u8>) {
        self.found.fetch_or(self.passes_oversized(), Ordering::Relaxed);
    }

    fn is_ordered(&self) -> bool {
        !self.style.is_simple()
    }

    fn write(&self, turn: &Turn, out: &mut Vec<u8>) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        let mut last_start = None;
        turn.each_mark(|place, text, mark| {
            if self.style.has_context() {
                let is_full = state.chosen >= self.style.limit;
                if is_full && state.after == 0 {
                    return false;
                }
                // After the last chosen record, a record that matches is context, too.
                let is_chosen = mark.is_hit && !is_full;
                state.chosen += u64::from(is_chosen);
                self.write_with_context(state, turn.name, place, text, is_chosen, out);
                return true;
            }
            if !mark.is_hit {
                out.extend(text);
                return true;
            }
            // A record may have several lines of output, and we count it only once.
            let is_new = last_start.replace(mark.start) != Some(mark.start);
            if is_new && state.chosen >= self.style.limit {
                return false;
            }
            state.chosen += u64::from(is_new);
            match self.style.output {
                Shown::Name | Shown::Nothing => return false,
                Shown::Count => {}
                Shown::Json => {
                    let place = json!({ "line": place.line, "offset": place.offset });
                    push_json(&with_text(place, "file", turn.name), out);
                    // The place and `text` are JSON objects. We join them into one object.
                    out.pop();
                    out.push(b',');
                    out.extend(&text[1..]);
                }
                Shown::Record | Shown::Decoded | Shown::Matches => {
                    self.prefix(turn.name, place, ':', out);
                    out.extend(text);
                }
            }
            true
        })
    }

    fn end(&self, name: &[u8], out: &mut Vec<u8>) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let output = self.style.output;
        if state.chosen == 0 || !matches!(output, Shown::Count | Shown::Name) {
            return;
        }
        if output == Shown::Name {
            return self.push_name(name, "\n", out);
        }
        if self.style.names {
            self.push_name(name, ":", out);
        }
        out.extend(format!("{}\n", state.chosen).bytes());
    }
}
