//! Defines [`DecodePieces`], an iterator over decoded bytes.
#![forbid(unsafe_code)]

use super::{DecodeOptions, Decoder};
use crate::input::AsBytes;
use crate::kernel::PlusStart;
use crate::sink;
use crate::sink::runs::{NextChanges, Runs};
use crate::triplet::{UPPER, triplet};

impl Decoder {
    /// Returns the decoded bytes in pieces, without allocation. A piece is a stretch of unchanged input, or a single
    /// decoded byte.
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
        DecodePieces { options: *self.options(), plus: self.options().for_input(src).plus, runs: Runs::new(src) }
    }
}

/// Iterates over decoded bytes in pieces. Made by [`Decoder::pieces`](crate::Decoder::pieces).
///
/// Each stretch of unchanged input is one piece, borrowed from the input. Each byte that was decoded from a triplet or
/// `+` is a piece of its own.
#[derive(Clone, Debug)]
pub struct DecodePieces<'a> {
    options: DecodeOptions,
    plus: PlusStart,
    runs: Runs<'a>,
}

/// All bytes, so that a decoded byte can be borrowed from this array.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = byte as u8;
        byte += 1;
    }
    bytes
};

/// Finds the first bytes of `src` that change. This function isn't inlined, so that the state of the iterator can stay
/// in registers.
#[inline(never)]
fn next_changes(options: &DecodeOptions, plus: PlusStart, src: &[u8]) -> NextChanges {
    /// Inputs up to this length are searched for a `%` first, which takes less time than a call of an engine.
    const NEAR: usize = 16;
    if src.len() <= NEAR && plus == PlusStart::NONE && !src.contains(&b'%') {
        return NextChanges::none(src.len());
    }
    let first = options.with_pluses(plus).first_change(src);
    match first.offset() {
        // The changed byte may be a digit of a triplet, so go back to the start of the triplet.
        Some(at) if options.profile.upper => NextChanges::one(sink::item_start(src, at)),
        _ => NextChanges::of(first, src.len()),
    }
}

impl<'a> DecodePieces<'a> {
    /// Takes the next unchanged bytes. The result is empty if the next byte changes, or if the input has ended.
    #[inline]
    fn run(&mut self) -> &'a [u8] {
        self.runs.run(|done, rest| next_changes(&self.options, self.plus.advanced(done), rest))
    }

    /// Takes the triplet or `+` that changes next. Call it after [`run`](Self::run).
    #[inline]
    fn item(&mut self) -> Option<&'a [u8]> {
        let rest = self.runs.rest();
        let (read, piece): (usize, &[u8]) = match triplet(rest, 0) {
            // The triplet is kept, and only its digits change.
            Some(byte) if self.options.profile.upper && self.options.profile.keeps(byte) => (3, UPPER.triplet(byte)),
            Some(byte) => (3, &BYTES[byte as usize..][..1]),
            None if rest.is_empty() => return None,
            None => (1, b" "),
        };
        self.runs.take(read);
        Some(piece)
    }
}

impl<'a> Iterator for DecodePieces<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let run = self.run();
        if run.is_empty() { self.item() } else { Some(run) }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.runs.rest().len();
        (usize::from(left != 0), Some(left))
    }

    /// `for_each`, `flatten` and `extend` call this.
    #[inline]
    fn fold<B, F: FnMut(B, &'a [u8]) -> B>(self, init: B, mut f: F) -> B {
        // We copy the iterator to a local variable, so that it stays in registers.
        let mut pieces = self;
        let mut folded = init;
        loop {
            let run = pieces.run();
            if !run.is_empty() {
                folded = f(folded, run);
            }
            match pieces.item() {
                Some(piece) => folded = f(folded, piece),
                None => return folded,
            }
        }
    }
}

impl core::iter::FusedIterator for DecodePieces<'_> {}
