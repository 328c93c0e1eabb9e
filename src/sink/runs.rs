//! Walks over an input from one changed byte to the next.
#![forbid(unsafe_code)]

use crate::isa::BLOCK;
use crate::kernel::FirstChange;

/// A walk over an input. Callers ask for its facts one by one, so these can be held in registers.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'a> {
    src: &'a [u8],
    /// How many bytes of `src` were handed out.
    done: usize,
    /// The bytes that change, from `done` up to `known`, and of a decoded triplet its `%`. If no change is left, the
    /// bytes from `done` on are scanned, because a kept triplet may begin before `known`.
    changes: u64,
    known: usize,
}

/// The first bytes of an input that change.
pub(crate) struct NextChanges {
    /// Bytes before the first change.
    run: usize,
    /// The bytes that change, from the first one up to `known`.
    changes: u64,
    known: usize,
}

impl NextChanges {
    /// All `len` bytes of the input are unchanged.
    #[inline]
    pub(crate) const fn none(len: usize) -> NextChanges {
        NextChanges { run: len, changes: 0, known: len }
    }

    /// The byte behind the first `run` changes. The rest is unknown.
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

    /// Returns the rest of the input.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.src[self.done..]
    }

    /// Returns the next run of unchanged bytes. It is empty before a byte that changes, and at the end. `find` finds
    /// the changes in the rest of the input, and is given the offset of that rest.
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

    /// Takes `len` bytes that change. Call it after a [`run`](Self::run).
    #[inline]
    pub(crate) fn take(&mut self, len: usize) {
        self.done += len;
        self.changes >>= len;
    }
}
