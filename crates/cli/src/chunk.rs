//! A chunk of an input, and the result of working on it.

use std::ops::Range;

use percent_simd_records::formats::{Field, Layout};

use crate::findings::{Fit, Found, Stats};
use crate::record_verb::Mark;
use crate::tally::{Attack, Tally};

/// The longest record whose fields are looked for; a longer one stays as it is.
pub const LONGEST: usize = 8 << 20;

/// Some records, or a piece of one, in the order of the input.
#[derive(Default)]
pub struct Chunk {
    pub buffer: Vec<u8>,
    /// Its start in the buffer, and its length; the bytes from its end up to `ahead` from its start are those that follow.
    pub start: usize,
    pub len: usize,
    pub ahead: usize,
    /// How many came before.
    pub number: u64,
    /// The columns as they are known at its start.
    pub layout: Layout,
    /// Whether it starts behind the `?` of a record that another chunk holds the start of.
    pub in_query: bool,
    /// Whether it is a piece of a record too long to be dealt with, and if so the first.
    pub too_long: Option<bool>,
    /// Whether there is no more to come.
    pub last: bool,
}

impl Chunk {
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.len]
    }

    /// Returns the chunk, and the bytes that follow as far as they are known.
    pub fn bytes_ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.ahead]
    }
}

/// Memory that is used again from chunk to chunk.
#[derive(Default)]
pub struct Scratch {
    pub fields: Vec<Field>,
    /// For a value, or a chunk.
    pub text: Vec<u8>,
    pub candidates: Vec<Range<usize>>,
    pub tally: Option<Tally>,
}

/// The result of a chunk, besides its output.
pub struct Outcome {
    pub stats: Stats,
    pub fit: Fit,
    pub attacks: Vec<Attack>,
    /// The reason to stop; the output before it has been written.
    pub stop: Option<Stop>,
    /// The marks of a verb for records.
    pub marks: Vec<Mark>,
}

/// A reason to end a job.
pub enum Stop {
    /// A finding that a policy does not let pass.
    Found(Found),
    /// A row that is cut off, or whose length makes no sense, at this offset in the chunk.
    Row(usize),
    /// A field at this offset in the chunk whose result has the name of another member of its object, and the message.
    Taken(usize, String),
}
