//! Defines [`EncodePieces`], an iterator over encoded text.
#![forbid(unsafe_code)]

use core::borrow::Borrow;
use core::fmt;

use super::Encoder;
use crate::input::AsBytes;
use crate::sink::ascii::AsciiRuns;

/// Encoded text in pieces, without allocation. Made by [`Encoder::pieces`](crate::Encoder::pieces).
///
/// A piece is a stretch of unchanged input, as long as possible, or a static string with a triplet or `+`. `Display`
/// writes the pieces that the iterator hasn't returned yet, and ignores width and other format options.
///
/// The value contains a copy of the encoder, which has somewhat more than a hundred bytes. To refer to an encoder
/// instead, use [`new`](Self::new).
#[derive(Clone, Debug)]
pub struct EncodePieces<'a, E = Encoder> {
    encoder: E,
    runs: AsciiRuns<'a>,
}

impl<'a, E: Borrow<Encoder>> EncodePieces<'a, E> {
    /// Returns the pieces of `input`, encoded by `encoder`, which may be a reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{EncodePieces, Encoder, sets};
    /// static PATH: Encoder = Encoder::new(sets::RFC3986_PATH);
    /// struct Link<'a>(EncodePieces<'a, &'static Encoder>);
    /// assert_eq!(Link(EncodePieces::new(&PATH, "/a b")).0.to_string(), "/a%20b");
    /// ```
    #[must_use]
    #[inline]
    pub fn new<I: AsBytes + ?Sized>(encoder: E, input: &'a I) -> EncodePieces<'a, E> {
        EncodePieces { encoder, runs: AsciiRuns::new(input.as_bytes()) }
    }

    /// Returns the input after the pieces that were returned so far.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.runs.rest()
    }

    /// Takes the next unchanged bytes. The result is empty if the next byte changes, or if the input has ended.
    #[inline]
    fn run(&mut self) -> &'a str {
        self.runs.run(self.encoder.borrow().ascii())
    }
}

impl<'a, E: Borrow<Encoder>> Iterator for EncodePieces<'a, E> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let run = self.run();
        if !run.is_empty() {
            return Some(run);
        }
        let (byte, encoder) = (self.runs.byte()?, self.encoder.borrow());
        Some(if byte == b' ' && encoder.writes_plus() { "+" } else { encoder.triplet(byte) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rest().len();
        (usize::from(left != 0), Some(left))
    }

    /// `for_each`, `collect` and `String::extend` call this. The code calls `f` at a separate place for each
    /// kind of piece, so at the place for triplets the compiler knows that the piece has three bytes.
    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, mut f: F) -> B {
        // We copy the iterator to a local variable, so that it stays in registers.
        let mut pieces = self;
        let mut folded = init;
        loop {
            let run = pieces.run();
            if !run.is_empty() {
                folded = f(folded, run);
            }
            let encoder = pieces.encoder.borrow();
            folded = match pieces.runs.byte() {
                Some(b' ') if encoder.writes_plus() => f(folded, "+"),
                Some(byte) => f(folded, encoder.triplet(byte)),
                None => return folded,
            };
        }
    }
}

impl<E: Borrow<Encoder>> core::iter::FusedIterator for EncodePieces<'_, E> {}

impl<E: Borrow<Encoder>> fmt::Display for EncodePieces<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.encoder.borrow().encode_fmt(self.rest(), f)
    }
}
