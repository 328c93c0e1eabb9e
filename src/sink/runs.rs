//! Walks over an input from one changed byte to the next.
#![forbid(unsafe_code)]

use crate::isa::BLOCK;
use crate::kernel::FirstChange;

/// A walk over an input. Its methods return no references to its fields, so that the compiler can keep the fields in
/// registers.
#[derive(Clone, Debug)]
pub(crate) struct Runs<'a> {
    src: &'a [u8],
    /// How many bytes of `src` were already returned.
    done: usize,
    /// A mask of the bytes that change, from offset `done` (bit 0) up to offset `known`. For a decoded triplet, only
    /// the bit of its `%` is set. When no bit is left, the next scan begins at `done`, not at `known`, because a kept
    /// triplet may begin before `known` and end after it.
    changes: u64,
    known: usize,
}

/// The first bytes of an input that change.
pub(crate) struct NextChanges {
    /// The number of bytes before the first change.
    run: usize,
    /// A mask of the bytes that change, from the first change (bit 0) up to offset `known`.
    changes: u64,
    known: usize,
}

impl NextChanges {
    /// All `len` bytes of the input are unchanged.
    #[inline]
    pub(crate) const fn none(len: usize) -> NextChanges {
        NextChanges { run: len, changes: 0, known: len }
    }

    /// The first `run` bytes are unchanged, and the next byte changes. Whether later bytes change is unknown.
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

    /// Returns the input that was not returned yet.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.src[self.done..]
    }

    /// Returns the next run of unchanged bytes. The run is empty if the next byte changes, or if the input has ended.
    /// `find` takes the offset of the remaining input and the remaining input itself, and returns the next changes.
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
