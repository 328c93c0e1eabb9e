//! Returns names and values from a scanned block of a form, decoded or borrowed.

use core::ops::Range;

use crate::engine::Kernels;
use crate::engine::form::{ScannedForm, lanes};

#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, boxed::Box};

/// Reads the parts of the first 64 bytes of a form. Parts are named by their lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormBlockReader<'a> {
    scanned: ScannedForm<'a>,
}

impl<'a> FormBlockReader<'a> {
    /// Returns one that has scanned nothing.
    pub(super) const fn new() -> FormBlockReader<'a> {
        FormBlockReader { scanned: ScannedForm::new() }
    }

    /// Scans the first bytes of `src`, where `separator` ends a pair as `&` does.
    #[inline]
    pub(super) fn scan(&mut self, kernels: Kernels, src: &'a [u8], separator: u8) {
        self.scanned.scan(kernels, src, separator);
    }

    #[inline]
    pub(super) fn src(&self) -> &'a [u8] {
        self.scanned.src()
    }

    #[inline]
    pub(super) fn separators(&self) -> u64 {
        self.scanned.masks().separators
    }

    #[inline]
    pub(super) fn equals(&self) -> u64 {
        self.scanned.masks().equals
    }

    /// Returns whether a `%` of a part starts no triplet.
    #[inline]
    pub(super) fn is_malformed(&self, part: &Range<usize>) -> bool {
        self.scanned.masks().malformed & lanes(part) != 0
    }
}

#[cfg(feature = "alloc")]
impl<'a> FormBlockReader<'a> {
    /// Returns whether decoding changes a part.
    #[inline(always)]
    fn changes(&self, part: &Range<usize>) -> bool {
        self.scanned.masks().changes & lanes(part) != 0
    }

    /// Returns what is in the lanes from `start` to `end`, without the byte at `middle`, as two texts; `None` unless all of it
    /// is ASCII, and decoding leaves it as it is.
    #[inline(always)]
    pub(super) fn borrowed_ascii(&self, start: usize, middle: usize, end: usize) -> Option<(&'a str, &'a str)> {
        self.scanned.borrowed_ascii(start, middle, end)
    }

    /// Decodes a part.
    #[inline(always)]
    pub(super) fn bytes(&self, part: &Range<usize>) -> Cow<'a, [u8]> {
        if !self.changes(part) {
            return Cow::Borrowed(&self.src()[part.clone()]);
        }
        Cow::Owned(self.decoded_bytes(part.start, part.end).into_vec())
    }

    /// Decodes a part to text; `None` if it is not UTF-8.
    #[inline(always)]
    pub(super) fn text(&self, part: &Range<usize>) -> Option<Cow<'a, str>> {
        if !self.changes(part) {
            return self.scanned.text(part).map(Cow::Borrowed);
        }
        self.decoded_text(part.start, part.end).map(|text| Cow::Owned(text.into_string()))
    }

    /// Decodes a part to text, with U+FFFD for what is not UTF-8.
    #[inline(always)]
    pub(super) fn text_lossy(&self, part: &Range<usize>) -> Cow<'a, str> {
        self.text(part).unwrap_or_else(|| Cow::Owned(self.replaced(part.start, part.end).into_string()))
    }

    // Of what decoding changes come back two words, in registers: what comes back in memory is written in words and
    // read in vectors, for which the CPU has to wait.

    #[inline(never)]
    fn decoded_bytes(&self, start: usize, end: usize) -> Box<[u8]> {
        memory::copy(self.scanned.decoded(&(start..end))).into_boxed_slice()
    }

    #[inline(never)]
    fn decoded_text(&self, start: usize, end: usize) -> Option<Box<str>> {
        self.scanned.decoded_text(&(start..end)).map(|text| memory::text(text).into_boxed_str())
    }

    #[cold]
    #[inline(never)]
    fn replaced(&self, start: usize, end: usize) -> Box<str> {
        memory::infallible(memory::lossy(&self.bytes(&(start..end)))).into_boxed_str()
    }
}
