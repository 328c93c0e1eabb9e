//! Passes many lines at once to a verb. Lines near a finding are passed one by one.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memrchr};
use percent_simd_records::verb::VerbConfig;

use super::fields::Fields;
use super::pass::Pass;
use crate::chunk::Stop;

/// The maximum number of bytes that a verb gets at once, in whole lines. A longer line is passed alone.
const WINDOW: usize = 16 * 1024;

/// If a range of lines has a finding, we halve the range until it has at most this number of bytes. Then we pass the
/// lines of the range one by one.
const FEW: usize = 512;

/// The plan for a verb if every line is one field. `fields` is the plan for lines that are processed one by one.
pub struct Lines {
    pub config: Arc<VerbConfig>,
    pub fields: Fields,
}

impl Lines {
    pub fn run(&self, pass: &mut Pass) -> Option<Stop> {
        let len = pass.chunk.bytes().len();
        let mut done = 0;
        if pass.mark_len > 0 {
            done = memchr(b'\n', pass.chunk.bytes()).map_or(len, |at| at + 1);
            let start = if self.config.verb.keeps_mark() { 0 } else { pass.mark_len };
            let stop = self.fields.each(pass, start..done);
            if stop.is_some() || pass.stops() {
                return stop;
            }
        }
        while done < len {
            let bytes = &pass.chunk.bytes()[done..];
            let window = memrchr(b'\n', &bytes[..bytes.len().min(WINDOW)]).map(|at| at + 1);
            let end = done + window.or_else(|| memchr(b'\n', bytes).map(|at| at + 1)).unwrap_or(bytes.len());
            let stop = self.part(pass, done..end);
            if stop.is_some() || pass.stops() {
                return stop;
            }
            done = end;
        }
        None
    }

    /// If the verb can, processes all lines in `range` of the chunk at once. Otherwise calls itself for each half of a
    /// long range, and processes the lines of a short range one by one.
    fn part(&self, pass: &mut Pass, range: Range<usize>) -> Option<Stop> {
        let lines = &pass.chunk.bytes()[range.clone()];
        if lines.ends_with(b"\n") && self.config.verb.apply_lines(lines, self.fields.guard(), pass.out) {
            pass.copied = range.end;
            return None;
        }
        let middle =
            memrchr(b'\n', &lines[..lines.len() / 2]).filter(|_| lines.len() > FEW).map(|at| range.start + at + 1);
        let Some(middle) = middle else { return self.fields.each(pass, range) };
        let stop = self.part(pass, range.start..middle);
        if stop.is_some() || pass.stops() {
            return stop;
        }
        self.part(pass, middle..range.end)
    }
}
