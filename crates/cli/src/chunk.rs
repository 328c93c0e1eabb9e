//! A chunk of an input, and the result of processing it.

use std::ops::Range;

use percent_simd_records::formats::{Field, Layout};

use crate::findings::{Fit, Found, Stats};
use crate::record_verb::Mark;
use crate::tally::{Attack, Tally};

/// The maximum length in bytes of a record that is split into fields. A longer record stays as it is.
pub const LONGEST: usize = 8 << 20;

/// Consecutive records of the input, or a piece of one record.
#[derive(Default)]
pub struct Chunk {
    pub buffer: Vec<u8>,
    /// From its offset `start` on, `buffer` holds `ahead` bytes of input. The first `len` of these bytes are the chunk, and the
    /// others are later input.
    pub start: usize,
    pub len: usize,
    pub ahead: usize,
    /// The number of chunks before this one.
    pub number: u64,
    /// The columns that the input has named before the start of the chunk.
    pub layout: Layout,
    /// Whether the chunk continues a record that had a `?` in an earlier chunk.
    pub in_query: bool,
    /// `Some` if the chunk is a piece of a record that is too long. The value is true for the first piece.
    pub too_long: Option<bool>,
    /// Whether this is the last chunk.
    pub last: bool,
}

impl Chunk {
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.len]
    }

    /// Returns the bytes of the chunk, for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.start..self.start + self.len]
    }

    /// Returns the chunk and all bytes after it that are in the buffer.
    pub fn bytes_ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.start + self.ahead]
    }
}

/// Memory that is reused from chunk to chunk.
#[derive(Default)]
pub struct Scratch {
    pub fields: Vec<Field>,
    /// Scratch memory for the bytes of a value or of a whole chunk.
    pub text: Vec<u8>,
    pub candidates: Vec<Range<usize>>,
    pub tally: Option<Tally>,
}

/// The result of processing a chunk, without the output text.
pub struct Outcome {
    pub stats: Stats,
    pub fit: Fit,
    pub attacks: Vec<Attack>,
    /// The reason to stop the job, if there is one. The output for the records before the stop is complete.
    pub stop: Option<Stop>,
    /// The [`Mark`]s that a [`RecordVerb`](crate::record_verb::RecordVerb) has made for records of the chunk.
    pub marks: Vec<Mark>,
}

/// A reason to stop a job.
pub enum Stop {
    /// A finding, if the policy for it is `fail`.
    Found(Found),
    /// A RowBinary row that is cut off or has a bad length. Holds the offset of the row in the chunk.
    Row(usize),
    /// A result that can't be added as a member, because its object already has a member with the same name. Holds the offset of the
    /// field in the chunk, and the message.
    Taken(usize, String),
}
