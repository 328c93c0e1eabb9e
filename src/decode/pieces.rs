//! [`DecodePieces`]: decoded bytes piece by piece.
#![forbid(unsafe_code)]

use super::{DecodeOptions, Decoder};
use crate::input::AsBytes;
use crate::kernel::PlusStart;
use crate::sink;
use crate::triplet::{UPPER, triplet};

impl Decoder {
    /// Returns the decoded bytes in pieces, without allocation: runs of the input that stay, and single bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// let pieces = percent_simd::Decoder::new().pieces("ab%20c");
    /// assert!(pieces.eq([&b"ab"[..], b" ", b"c"]));
    /// ```
    #[must_use]
    pub fn pieces<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> DecodePieces<'a> {
        let src = input.as_bytes();
        DecodePieces { options: *self.options(), plus: self.options().for_input(src).plus, rest: src }
    }
}

/// Decoded bytes in pieces, without allocation. Made by [`Decoder::pieces`].
///
/// As an iterator: each run that stays, borrowed from the input, and each byte that a triplet, or a `+`, stands for.
#[derive(Clone, Debug)]
pub struct DecodePieces<'a> {
    options: DecodeOptions,
    plus: PlusStart,
    rest: &'a [u8],
}

/// Every byte, to borrow one from.
static OCTETS: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = byte as u8;
        byte += 1;
    }
    bytes
};

impl<'a> Iterator for DecodePieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let changed = self.options.with_pluses(self.plus).first(self.rest).0;
        let start = changed.map_or(self.rest.len(), |at| sink::item_start(self.rest, at));
        let (read, piece) = match (start, triplet(self.rest, 0)) {
            (0, Some(byte)) if changed == Some(0) => (3, &OCTETS[byte as usize..][..1]),
            // Only its digits change: a triplet that is kept.
            (0, Some(byte)) => (3, &UPPER.triplet(byte)[..]),
            (0, None) => (1, &b" "[..]),
            (run, _) => (run, &self.rest[..run]),
        };
        self.rest = &self.rest[read..];
        self.plus = self.plus.advanced(read);
        Some(piece)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.rest.is_empty()), Some(self.rest.len()))
    }
}

impl core::iter::FusedIterator for DecodePieces<'_> {}
