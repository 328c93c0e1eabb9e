//! [`DecodePieces`]: decoded bytes piece by piece.
#![forbid(unsafe_code)]

use super::{DecodeOptions, Decoder};
use crate::input::AsBytes;
use crate::isa::BLOCK;
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
        DecodePieces {
            options: *self.options(),
            plus: self.options().for_input(src).plus,
            src,
            done: 0,
            changes: 0,
            known: 0,
        }
    }
}

/// Decoded bytes in pieces, without allocation. Made by [`Decoder::pieces`].
///
/// As an iterator: each run that stays, borrowed from the input, and each byte that a triplet, or a `+`, stands for.
#[derive(Clone, Debug)]
pub struct DecodePieces<'a> {
    options: DecodeOptions,
    plus: PlusStart,
    src: &'a [u8],
    /// How much of `src` has been handed out.
    done: usize,
    /// Which of the bytes from there on, up to `known`, do not stay; of a triplet, its `%`. Where none is left, the bytes from
    /// `done` on are scanned.
    changes: u64,
    known: usize,
}

/// Every byte, to borrow one from.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        bytes[byte] = byte as u8;
        byte += 1;
    }
    bytes
};

/// The bytes of an input that do not stay.
struct NextChanges {
    /// Bytes before the first that does not, or before the triplet that it is of.
    run: usize,
    /// Which bytes from that on do not, up to `known`.
    changes: u64,
    known: usize,
}

/// Finds the first bytes of `src` that do not stay. Not inlined, so that the iterator can hold what it knows in registers.
#[inline(never)]
fn next_changes(options: &DecodeOptions, plus: PlusStart, src: &[u8]) -> NextChanges {
    /// Inputs up to this length are searched for a `%` first: that takes less time than a call of an engine.
    const NEAR: usize = 16;
    if src.len() <= NEAR && plus == PlusStart::NONE && !src.contains(&b'%') {
        return NextChanges { run: src.len(), changes: 0, known: src.len() };
    }
    let first = options.with_pluses(plus).firsts(src);
    match first.offset() {
        None => NextChanges { run: src.len(), changes: 0, known: src.len() },
        // Digits that change are not where their triplet begins.
        Some(at) if options.profile.upper => {
            let run = sink::item_start(src, at);
            NextChanges { run, changes: 1, known: run + 1 }
        }
        Some(run) => NextChanges { run, changes: first.changes >> (run - first.at), known: first.at + BLOCK },
    }
}

impl<'a> DecodePieces<'a> {
    #[inline]
    fn rest(&self) -> &'a [u8] {
        &self.src[self.done..]
    }

    /// Takes the run that is next; it is empty before what does not stay, and at the end.
    #[inline]
    fn run(&mut self) -> &'a [u8] {
        if self.changes & 1 != 0 {
            return &[];
        }
        let rest = self.rest();
        let run = if self.changes != 0 {
            let run = self.changes.trailing_zeros() as usize;
            self.changes >>= run;
            run
        } else if self.known < self.src.len() {
            let next = next_changes(&self.options, self.plus.advanced(self.done), rest);
            self.changes = next.changes;
            self.known = self.done + next.known;
            next.run
        } else {
            rest.len()
        };
        self.done += run;
        &rest[..run]
    }

    /// Takes the triplet or `+` that is next, which does not stay: after a [`run`](Self::run).
    #[inline]
    fn item(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest();
        let (read, piece): (usize, &[u8]) = match triplet(rest, 0) {
            // Only its digits change.
            Some(byte) if self.options.profile.upper && self.options.profile.keeps(byte) => (3, UPPER.triplet(byte)),
            Some(byte) => (3, &BYTES[byte as usize..][..1]),
            None if rest.is_empty() => return None,
            None => (1, b" "),
        };
        self.done += read;
        self.changes >>= read;
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
        let left = self.src.len() - self.done;
        (usize::from(left != 0), Some(left))
    }

    /// Does the work of `for_each`, `flatten` and `extend`.
    #[inline]
    fn fold<B, F: FnMut(B, &'a [u8]) -> B>(self, init: B, mut f: F) -> B {
        // A copy of its own, which is held in registers.
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
