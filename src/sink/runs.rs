//! Walks over an input from one byte that does not stay as it is to the next.
#![forbid(unsafe_code)]

use crate::isa::BLOCK;
use crate::kernel::FirstChange;

/// A walk over an input. What is known of it is asked for piece by piece, so that it can be held in registers.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'a> {
    src: &'a [u8],
    /// How much of `src` has been handed out.
    done: usize,
    /// Which of the bytes from there on, up to `known`, do not stay; of a triplet that is decoded, its `%`. Where none is left,
    /// the bytes from `done` on are scanned, as a kept triplet may begin before `known`.
    changes: u64,
    known: usize,
}

/// The first bytes of an input that do not stay.
pub(crate) struct NextChanges {
    /// Bytes before the first that does not.
    run: usize,
    /// Which bytes from that on do not, up to `known`.
    changes: u64,
    known: usize,
}

impl NextChanges {
    /// All of the input, of `len` bytes, stays.
    #[inline]
    pub(crate) const fn none(len: usize) -> NextChanges {
        NextChanges { run: len, changes: 0, known: len }
    }

    /// The byte behind the first `run` does not stay; what follows is not known.
    #[inline]
    pub(crate) const fn one(run: usize) -> NextChanges {
        NextChanges { run, changes: 1, known: run + 1 }
    }

    /// Returns the changes that a kernel has found in an input of `len` bytes.
    #[inline]
    pub(crate) fn of(first: FirstChange, len: usize) -> NextChanges {
        match first.offset() {
            Some(run) => NextChanges { run, changes: first.changes >> (run - first.at), known: first.at + BLOCK },
            None => NextChanges::none(len),
        }
    }
}

impl<'a> Runs<'a> {
    #[inline]
    pub(crate) const fn new(src: &'a [u8]) -> Runs<'a> {
        Runs { src, done: 0, changes: 0, known: 0 }
    }

    /// Returns the input that is left.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.src[self.done..]
    }

    /// Returns the run that is next; it is empty before a byte that does not stay, and at the end. `find` finds what does not stay
    /// in the rest of the input, which begins at the offset that it is given.
    #[inline(always)]
    pub(crate) fn run(&mut self, find: impl FnOnce(usize, &'a [u8]) -> NextChanges) -> &'a [u8] {
        if self.changes & 1 != 0 {
            return &[];
        }
        let rest = self.rest();
        let run = if self.changes != 0 {
            let run = self.changes.trailing_zeros() as usize;
            self.changes >>= run;
            run
        } else if self.known < self.src.len() {
            let next = find(self.done, rest);
            self.changes = next.changes;
            self.known = self.done + next.known;
            next.run
        } else {
            rest.len()
        };
        self.done += run;
        &rest[..run]
    }

    /// Takes `len` bytes that do not stay: after a [`run`](Self::run).
    #[inline]
    pub(crate) fn take(&mut self, len: usize) {
        self.done += len;
        self.changes >>= len;
    }
}
