//! Defines [`Visitor`], which receives the masks that a kernel has found, and its implementations.

use super::below;
use crate::isa::BLOCK;

/// Receives the masks that a kernel has found, block by block.
pub(crate) trait Visitor {
    /// Receives the block at offset `at`. When encoding, `hits` are the lanes that become triplets. When decoding, they
    /// are the lanes of each `%` whose triplet becomes a byte. `changes` are all lanes that change. Returns `false` to
    /// end a scan.
    fn block(&mut self, at: usize, hits: u64, changes: u64) -> bool;
}

/// Ignores the blocks.
impl Visitor for () {
    #[inline(always)]
    fn block(&mut self, _: usize, _: u64, _: u64) -> bool {
        true
    }
}

/// Counts the bytes or triplets that encoding or decoding would change, or finds the first change.
pub(crate) struct Survey {
    /// Whether to stop at the first change.
    pub(crate) until_change: bool,
    /// When encoding, the number of bytes that would become triplets. When decoding, the number of triplets that would
    /// become bytes.
    pub(crate) count: usize,
    /// The first block in which a byte would change.
    pub(crate) first: FirstChange,
}

impl Survey {
    pub(crate) const fn new(until_change: bool) -> Survey {
        Survey { until_change, count: 0, first: FirstChange { at: 0, changes: 0 } }
    }
}

/// The first block with a change, and its mask. If there is no change, the mask is 0.
#[derive(Clone, Copy)]
pub(crate) struct FirstChange {
    pub(crate) at: usize,
    pub(crate) changes: u64,
}

impl FirstChange {
    /// Returns the offset of the first change.
    #[inline(always)]
    pub(crate) fn offset(&self) -> Option<usize> {
        (self.changes != 0).then(|| self.at + self.changes.trailing_zeros() as usize)
    }
}

impl Visitor for Survey {
    #[inline(always)]
    fn block(&mut self, at: usize, hits: u64, changes: u64) -> bool {
        self.count += hits.count_ones() as usize;
        if self.until_change && changes != 0 {
            self.first = FirstChange { at, changes };
            return false;
        }
        true
    }
}

/// Replaces each input offset in `bounds` by the matching output offset. The input offsets ascend. If `GROWS` is true,
/// each byte that becomes a triplet makes the output two bytes longer. If `GROWS` is false, each decoded triplet makes
/// the output two bytes shorter. The kernel starts at offset `start` of the input.
pub(crate) struct OutputBounds<'b, const GROWS: bool> {
    bounds: &'b mut [usize],
    start: usize,
    done: usize,
    /// The difference in bytes between the output and the input so far. If `GROWS` is false, this number includes the
    /// input before `start`, which has no output.
    resized: usize,
}

impl<'b, const GROWS: bool> OutputBounds<'b, GROWS> {
    pub(crate) fn new(bounds: &'b mut [usize], start: usize) -> Self {
        OutputBounds { bounds, start, done: 0, resized: start }
    }

    /// Replaces the offsets at the end of the input, which no block has replaced.
    pub(crate) fn finish(self) {
        for bound in &mut self.bounds[self.done..] {
            *bound = Self::moved(*bound, self.resized);
        }
    }

    #[inline(always)]
    fn moved(bound: usize, by: usize) -> usize {
        if GROWS { bound.wrapping_add(by) } else { bound.wrapping_sub(by) }
    }
}

impl<const GROWS: bool> Visitor for OutputBounds<'_, GROWS> {
    #[inline(always)]
    fn block(&mut self, at: usize, hits: u64, _: u64) -> bool {
        let at = self.start + at;
        while let Some(bound) = self.bounds.get_mut(self.done).filter(|bound| **bound - at < BLOCK) {
            let before = (hits & below(*bound - at)).count_ones() as usize;
            *bound = Self::moved(*bound, self.resized + 2 * before);
            self.done += 1;
        }
        self.resized += 2 * hits.count_ones() as usize;
        true
    }
}
