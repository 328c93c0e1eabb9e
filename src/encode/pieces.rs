//! [`EncodePieces`]: encoded text in pieces.
#![forbid(unsafe_code)]

use core::fmt;

use crate::sink::ascii::{AsciiEncoding, AsciiRuns};

/// Encoded text in pieces, without allocation. Made by [`Encoder::pieces`](crate::Encoder::pieces).
///
/// As an iterator: each longest run that stays, borrowed from the input, and each triplet or `+`, which is static.
/// `Display` writes what is left, ignoring width and the like.
#[derive(Clone, Debug)]
pub struct EncodePieces<'e, 'a>(AsciiRuns<'e, 'a>);

impl<'e, 'a> EncodePieces<'e, 'a> {
    #[inline]
    pub(super) fn new(encoding: AsciiEncoding<'e>, src: &'a [u8]) -> EncodePieces<'e, 'a> {
        EncodePieces(AsciiRuns::new(encoding, src))
    }

    /// Returns the input that is left.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// const PATH: Encoder = Encoder::new(sets::RFC3986_PATH);
    /// let mut pieces = PATH.pieces("/a b");
    /// assert_eq!((pieces.next(), pieces.rest()), (Some("/a"), &b" b"[..]));
    /// ```
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.0.rest()
    }

    /// Returns how a byte that does not stay is written.
    #[inline]
    fn written(&self, byte: u8) -> &'static str {
        let encoding = self.0.encoding();
        if byte == b' ' && encoding.encoding().profile.plus { "+" } else { encoding.triplet(byte) }
    }
}

impl<'a> Iterator for EncodePieces<'_, 'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let run = self.0.run();
        if !run.is_empty() {
            return Some(run);
        }
        let byte = self.0.byte()?;
        Some(self.written(byte))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rest().len();
        (usize::from(left != 0), Some(left))
    }

    /// Does the work of `for_each`, `collect` and `String::extend`: `f` gets a constant length for triplets.
    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, mut f: F) -> B {
        // A copy of its own, which is held in registers.
        let mut pieces = self;
        let mut folded = init;
        loop {
            let run = pieces.0.run();
            if !run.is_empty() {
                folded = f(folded, run);
            }
            folded = match pieces.0.byte() {
                Some(byte) if pieces.0.encoding().encoding().profile.plus && byte == b' ' => f(folded, "+"),
                Some(byte) => f(folded, pieces.0.encoding().triplet(byte)),
                None => return folded,
            };
        }
    }
}

impl core::iter::FusedIterator for EncodePieces<'_, '_> {}

impl fmt::Display for EncodePieces<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.encoding().pieces(self.rest(), |piece| f.write_str(piece))
    }
}
