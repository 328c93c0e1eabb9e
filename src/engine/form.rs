//! Keeps a scanned block of a form: its bytes, its masks, and its decoded bytes.

use core::ops::Range;

use super::{Engine, Kernels};
use crate::isa::{BLOCK, COMPACTED};
use crate::kernel::form::FormBlock;
use crate::output::{OutputBuffer, text, unchecked};

/// The first 64 bytes of a form, scanned and decoded in one step. A *part* is a name or a value, given as a range of
/// lanes.
#[derive(Clone, Copy, Debug)]
pub struct ScannedForm<'a> {
    src: &'a [u8],
    block: FormBlock,
    /// The decoded bytes, if decoding changes any byte. They are two bytes shorter for every triplet.
    decoded: [u8; COMPACTED],
}

/// Returns the mask of the lanes of `part`.
#[inline]
fn lanes(&Range { start, end }: &Range<usize>) -> u64 {
    u64::MAX.unbounded_shl(start as u32) & !u64::MAX.unbounded_shl(end as u32)
}

impl Default for ScannedForm<'_> {
    #[inline]
    fn default() -> Self {
        ScannedForm { src: &[], block: FormBlock::EMPTY, decoded: [0; _] }
    }
}

impl<'a> ScannedForm<'a> {
    /// The number of bytes that one scan takes.
    pub const LEN: usize = BLOCK;

    /// Scans the first [`LEN`](Self::LEN) bytes of `src`. `separator` ends a pair, as `&` does.
    #[inline]
    pub fn scan(&mut self, engine: Option<&'static Engine>, src: &'a [u8], separator: u8) {
        self.src = &src[..src.len().min(BLOCK)];
        let decoded = OutputBuffer::initialized(&mut self.decoded).0.first_chunk_mut();
        Kernels::of(engine).scan_form_block(src, separator, &mut self.block, decoded.expect("it is long enough"));
    }

    /// Returns the scanned bytes.
    #[inline]
    #[must_use]
    pub fn src(&self) -> &'a [u8] {
        self.src
    }

    /// Returns the lanes of `&` and of the other separator.
    #[inline]
    #[must_use]
    pub fn separators(&self) -> u64 {
        self.block.separators
    }

    /// Returns the lanes of `=`.
    #[inline]
    #[must_use]
    pub fn equals(&self) -> u64 {
        self.block.equals
    }

    /// Returns whether a part has a `%` that starts no triplet.
    #[inline]
    #[must_use]
    pub fn is_malformed(&self, part: &Range<usize>) -> bool {
        self.block.malformed & lanes(part) != 0
    }

    /// Returns whether decoding changes a part.
    #[inline(always)]
    #[must_use]
    pub fn changes(&self, part: &Range<usize>) -> bool {
        self.block.changes & lanes(part) != 0
    }

    /// Returns the decoded bytes of a part. Call it only if decoding changes the block.
    ///
    /// # Panics
    ///
    /// Panics if decoding changes no byte of the block, if the part reaches beyond the scanned bytes, or if the part
    /// begins or ends inside a triplet.
    #[inline(always)]
    #[must_use]
    pub fn decoded(&self, part: &Range<usize>) -> &[u8] {
        let starts = self.block.starts;
        let ends = 1_u64.unbounded_shl(part.start as u32) | 1_u64.unbounded_shl(part.end as u32);
        assert!((starts << 1 | starts << 2) & ends == 0, "a delimiter inside a triplet");
        assert!(self.block.changes != 0 && part.end <= self.src.len());
        let start = part.start - 2 * self.block.triplets_before(part.start);
        let end = part.end - 2 * self.block.triplets_before(part.end);
        &self.decoded[start..end]
    }

    /// Returns the undecoded bytes of a part as text, or `None` if they aren't UTF-8.
    #[inline(always)]
    #[must_use]
    pub fn undecoded_text(&self, part: &Range<usize>) -> Option<&'a str> {
        self.checked(part, &self.src[part.clone()])
    }

    /// Returns the [`decoded`](Self::decoded) bytes of a part as text, or `None` if they aren't UTF-8.
    #[inline(always)]
    #[must_use]
    pub fn decoded_text(&self, part: &Range<usize>) -> Option<&str> {
        self.checked(part, self.decoded(part))
    }

    /// Returns `bytes` as text, or `None` if they aren't UTF-8. The caller passes the decoded or undecoded bytes of
    /// `part`.
    #[inline(always)]
    fn checked<'b>(&self, part: &Range<usize>, bytes: &'b [u8]) -> Option<&'b str> {
        if self.block.high & lanes(part) != 0 {
            return str::from_utf8(bytes).ok();
        }
        debug_assert!(bytes.is_ascii());
        // SAFETY: the kernel has found no byte above ASCII in the decoded bytes of these lanes. Decoding never turns a
        // byte above ASCII into an ASCII byte, so the undecoded bytes are ASCII too.
        Some(unchecked!(text(bytes)))
    }

    /// Splits the lanes from `start` to `end` at the byte `middle`. Returns the bytes before and after this byte as two
    /// texts. Returns `None` if any of the lanes has a byte above ASCII, or a byte that decoding would change.
    #[inline(always)]
    #[must_use]
    pub fn borrowed_ascii(&self, start: usize, middle: usize, end: usize) -> Option<(&'a str, &'a str)> {
        if (self.block.changes | self.block.high) & lanes(&(start..end)) != 0 {
            return None;
        }
        let both = &self.src[start..end];
        let (first, second) = (both.get(..middle - start)?, both.get(middle + 1 - start..).unwrap_or_default());
        debug_assert!(both.is_ascii());
        // SAFETY: decoding changes no byte of these lanes, and the kernel has found no byte above ASCII in them.
        Some((unchecked!(text(first)), unchecked!(text(second))))
    }
}
