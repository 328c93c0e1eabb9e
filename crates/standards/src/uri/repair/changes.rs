//! Reports the changes of all steps, in the order in which they start.

use core::iter::Peekable;
use core::ops::Range;

use super::layout::Cuts;
use super::{Change, RepairKind, Sink};

/// Maps changes of the joined link to ranges of the input. Reports these changes and the cuts.
pub(super) struct Changes<'a> {
    /// The offset in the input at which the link starts, without its surroundings.
    start: usize,
    /// The last change, as a range of the joined link. The next change may extend it.
    pending: Option<(Range<usize>, RepairKind)>,
    /// The cuts that are not reported yet.
    cuts: Peekable<Cuts<'a>>,
    /// The cuts that are not counted in `removed` yet.
    uncounted: Peekable<Cuts<'a>>,
    /// The number of bytes that the counted cuts removed.
    removed: usize,
}

impl<'a> Changes<'a> {
    pub(super) fn new(start: usize, cuts: Cuts<'a>) -> Changes<'a> {
        Changes { start, pending: None, cuts: cuts.clone().peekable(), uncounted: cuts.peekable(), removed: 0 }
    }

    /// Adds a change of a range of the joined link. Adjacent changes of the same kind are merged.
    pub(super) fn push(&mut self, range: Range<usize>, kind: RepairKind, sink: &mut dyn Sink) {
        match &mut self.pending {
            Some((last, last_kind)) if *last_kind == kind && last.end == range.start => last.end = range.end,
            _ => {
                self.flush(sink);
                self.pending = Some((range, kind));
            }
        }
    }

    /// Reports the remaining changes.
    pub(super) fn finish(mut self, sink: &mut dyn Sink) {
        self.flush(sink);
        while let Some(cut) = self.cuts.next() {
            self.report(cut.range, RepairKind::LineBreak, sink);
        }
    }

    /// Reports the pending change, and the cuts before it.
    fn flush(&mut self, sink: &mut dyn Sink) {
        let Some((Range { start, end }, kind)) = self.pending.take() else { return };
        let start = start + self.removed_until(|cut_end, removed| cut_end <= start + removed);
        let end = end + self.removed_until(|cut_end, removed| cut_end < end + removed);
        while let Some(cut) = self.cuts.next_if(|cut| cut.range.start < start) {
            self.report(cut.range, RepairKind::LineBreak, sink);
        }
        self.report(start..end, kind, sink);
    }

    /// Counts the next cuts for as long as `is_before` returns true. `is_before` gets the end of the cut's new text, as
    /// an offset in the link before all cuts, and the number of bytes that the counted cuts removed. Returns this
    /// number after the last counted cut.
    fn removed_until(&mut self, is_before: impl Fn(usize, usize) -> bool) -> usize {
        let removed = &mut self.removed;
        while let Some(cut) = self.uncounted.next_if(|cut| is_before(cut.range.start + cut.new.len(), *removed)) {
            *removed += cut.removed();
        }
        *removed
    }

    fn report(&self, range: Range<usize>, kind: RepairKind, sink: &mut dyn Sink) {
        sink.change(Change { range: self.start + range.start..self.start + range.end, kind });
    }
}
