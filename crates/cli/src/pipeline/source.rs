//! Cuts an input into chunks.

use std::io::{self, ErrorKind, Read};

use percent_simd_records::formats;
use percent_simd_records::framing::{EndScan, Framing};

use crate::chunk::{Chunk, LONGEST};
use crate::job::Job;

/// A file that several threads can read at once, at any offset.
pub trait Blocks: Send + Sync {
    /// Fills `buffer` with the bytes at `offset`. Returns the number of bytes read, which is less than the length of `buffer` only
    /// at the end of the file.
    fn read_block(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// The space before a block in its buffer, in bytes. This space takes the start of a record that began in the previous
/// block.
const FRONT: usize = 64 * 1024;

/// A block that a thread has claimed and will read.
pub struct Claim<'a> {
    blocks: &'a dyn Blocks,
    pub number: u64,
    offset: u64,
    len: usize,
}

impl Claim<'_> {
    /// Reads the block into `chunk`, after `FRONT` bytes of space. Returns the number of bytes read.
    pub fn read(&self, chunk: &mut Chunk) -> io::Result<usize> {
        if chunk.buffer.len() != FRONT + self.len {
            chunk.buffer.clear();
            chunk.buffer.resize(FRONT + self.len, 0);
        }
        self.blocks.read_block(self.offset, &mut chunk.buffer[FRONT..])
    }
}

/// The result of taking the next chunk from a source.
pub enum Taken {
    Chunk,
    /// The block can't be cut at the end of a record, so its bytes go to the next chunk.
    Nothing,
    End,
}

/// Cuts an input into chunks.
pub struct Source<'a, R> {
    input: R,
    /// The input, if it is a file that can be read at any offset.
    blocks: Option<&'a dyn Blocks>,
    offset: u64,
    claimed: u64,
    pub taken: u64,
    job: &'a Job,
    block: usize,
    /// If true, each chunk is filled before it is processed, even if we have to wait for more input.
    fills: bool,
    pub chunk: Chunk,
    held: Vec<u8>,
    is_passing: bool,
    /// If true, we have found the end of the record that is skipped because it is too long.
    has_passed: bool,
    /// The search for the end of the skipped record, if the framing needs an [`EndScan`].
    end_scan: Option<EndScan>,
    error: Option<io::Error>,
}

impl<'a, R: Read> Source<'a, R> {
    /// Returns a source of chunks of `block` bytes. If `fills` is false, a chunk may have fewer bytes, because it ends
    /// where a read ends.
    pub fn new(input: R, job: &'a Job, block: usize, fills: bool) -> Source<'a, R> {
        let chunk = Chunk { layout: job.format.layout(), ..Chunk::default() };
        let (held, is_passing, error) = (Vec::new(), false, None);
        Source {
            input,
            blocks: None,
            offset: 0,
            claimed: 0,
            taken: 0,
            job,
            block,
            fills,
            chunk,
            held,
            is_passing,
            has_passed: false,
            end_scan: None,
            error,
        }
    }

    /// Sets the file whose blocks several threads can read at once.
    pub fn with_blocks(self, blocks: Option<&'a dyn Blocks>) -> Source<'a, R> {
        Source { blocks, ..self }
    }

    /// Claims the next block. Returns `None` if the source has no `blocks`, or if its last block was read. The caller
    /// reads the block, and passes it to [`put`](Self::put) when the turn of this block comes.
    pub fn claim(&mut self) -> Option<Claim<'a>> {
        let blocks = self.blocks.filter(|_| !self.chunk.last)?;
        let claim = Claim { blocks, number: self.claimed, offset: self.offset, len: self.block };
        self.claimed += 1;
        self.offset += self.block as u64;
        Some(claim)
    }

    /// Completes `chunk` after a block was read into it. The bytes held back from earlier blocks go in front of the
    /// block. The bytes after the last whole record are held back for the next chunk.
    pub fn put(&mut self, chunk: &mut Chunk, read: io::Result<usize>) -> io::Result<Taken> {
        self.taken += 1;
        if self.chunk.last {
            return Ok(Taken::End);
        }
        let read = read.unwrap_or_else(|error| {
            self.error = Some(error);
            0
        });
        self.chunk.last = read < self.block;
        let held = self.held.len();
        let filled = held + read;
        chunk.start = FRONT.saturating_sub(held);
        let is_long = held > FRONT;
        if is_long {
            // The bytes of a long record aren't copied again for each block.
            self.held.extend(&chunk.buffer[FRONT..FRONT + read]);
            chunk.buffer = std::mem::take(&mut self.held);
        } else {
            chunk.buffer[chunk.start..FRONT].copy_from_slice(&self.held);
        }
        let bytes = &chunk.buffer[chunk.start..chunk.start + filled];
        let end = match self.cut(bytes, held) {
            // If more records follow the skipped record, they become a chunk of their own.
            end if self.chunk.last && self.is_passing && end < filled => {
                self.chunk.last = false;
                end
            }
            _ if self.chunk.last => filled,
            0 => self.cut_record(bytes, held),
            end => end,
        };
        if end == 0 && self.chunk.last {
            return self.error.take().map_or(Ok(Taken::End), Err);
        }
        if end == 0 && is_long {
            self.held = std::mem::take(&mut chunk.buffer);
        } else {
            self.held.clear();
            self.held.extend(&bytes[end..]);
        }
        if end == 0 {
            return Ok(Taken::Nothing);
        }
        (chunk.len, chunk.ahead) = (end, filled);
        self.settle(chunk);
        Ok(Taken::Chunk)
    }

    /// Fills `chunk` with the next bytes. Returns false at the end of the input.
    pub fn next(&mut self, chunk: &mut Chunk) -> io::Result<bool> {
        if self.chunk.last {
            return self.error.take().map_or(Ok(false), Err);
        }
        // If the buffer has grown for an earlier long record, we free the buffer.
        let room = self.block.max(self.held.len() + 1);
        if chunk.buffer.len() > 2 * room {
            chunk.buffer = Vec::new();
        }
        if chunk.buffer.len() < room {
            chunk.buffer.resize(room, 0);
        }
        chunk.start = 0;
        let mut filled = self.held.len();
        // The bytes held back have no place for a cut.
        let mut searched = filled;
        let mut scan: Option<EndScan> = None;
        chunk.buffer[..filled].copy_from_slice(&self.held);
        let end = loop {
            let read = self.read(&mut chunk.buffer[filled..]);
            filled += read;
            let (is_full, last) = (filled == chunk.buffer.len(), read == 0);
            if last {
                // If more records follow the skipped record, they become a chunk of their own.
                let end = if self.is_passing { self.cut(&chunk.buffer[..filled], searched) } else { filled };
                self.chunk.last = end == filled;
                break end;
            }
            if self.fills && !is_full {
                continue;
            }
            // A record that arrives in many reads is not searched again from its start after each read.
            let new = &chunk.buffer[searched..filled];
            let goes_on = scan.as_mut().is_some_and(|scan| scan.end(new).is_none());
            let bytes = &chunk.buffer[..filled];
            let end = if goes_on { 0 } else { self.cut(bytes, searched) };
            if end > 0 {
                break end;
            }
            if !goes_on {
                scan = self.job.format.framing().scan_after(bytes);
            }
            searched = filled;
            if is_full {
                let end = self.cut_record(&chunk.buffer, 0);
                if end > 0 {
                    break end;
                }
                chunk.buffer.resize(2 * filled, 0);
            }
        };
        if end == 0 {
            return self.error.take().map_or(Ok(false), Err);
        }
        self.held.clear();
        self.held.extend(&chunk.buffer[end..filled]);
        (chunk.len, chunk.ahead) = (end, filled);
        self.settle(chunk);
        Ok(true)
    }

    /// Reads some bytes. Returns 0 at the end of the input or after an error.
    fn read(&mut self, buffer: &mut [u8]) -> usize {
        loop {
            match self.input.read(buffer) {
                Ok(read) => {
                    self.offset += read as u64;
                    return read;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.error = Some(error);
                    return 0;
                }
            }
        }
    }

    /// Returns the last offset in `bytes` where a chunk can end, or 0 if there is none. Earlier calls returned 0 for
    /// `bytes[..searched]`.
    fn cut(&mut self, bytes: &[u8], searched: usize) -> usize {
        if !self.is_passing {
            return self.job.cut(bytes, searched);
        }
        let end = match &mut self.end_scan {
            Some(scan) => scan.end(bytes),
            None => self.job.resume(bytes),
        };
        self.has_passed = end.is_some();
        end.unwrap_or(bytes.len())
    }

    /// Returns an offset in `bytes` where a chunk can end inside a long record, or 0 if there is none. An earlier call returned 0
    /// for `bytes[..tried]`.
    fn cut_record(&mut self, bytes: &[u8], tried: usize) -> usize {
        let is_piecemeal = self.job.is_piecemeal();
        let longest = match self.job.format.framing() {
            _ if self.job.is_bulk() || is_piecemeal && self.job.verb().is_some() => 0,
            Framing::Rows => usize::MAX,
            _ => LONGEST.max(self.block),
        };
        match is_piecemeal {
            _ if bytes.len() < longest => 0,
            true => self.job.decided(bytes, if tried < longest { 0 } else { tried }),
            false => bytes.len(),
        }
    }

    /// Completes `chunk`, and updates the state for the next chunk.
    fn settle(&mut self, chunk: &mut Chunk) {
        let state = &mut self.chunk;
        chunk.number = state.number;
        state.number += 1;
        chunk.last = state.last;
        chunk.in_query = state.in_query;
        chunk.layout.clone_from(&state.layout);
        let bytes = chunk.bytes();
        let is_inside = !chunk.last && self.job.is_inside(bytes);
        state.in_query = is_inside && (state.in_query || memchr::memchr(b'?', bytes).is_some());
        let was_passing = self.is_passing;
        let framing = self.job.format.framing();
        self.is_passing = match framing.end_scan() {
            Some(_) if was_passing => !chunk.last && !self.has_passed,
            Some(_) if chunk.last || chunk.len < LONGEST || framing.whole(bytes) > 0 => false,
            Some(mut scan) => {
                let goes_on = scan.end(bytes).is_none();
                self.end_scan = Some(scan);
                goes_on
            }
            None => {
                let has_ends = framing.end().is_some() && !self.job.is_piecemeal();
                has_ends && is_inside && (was_passing || chunk.len >= LONGEST)
            }
        };
        let is_piece = was_passing || self.is_passing;
        if !is_piece {
            self.job.format.advance(formats::without_mark(bytes), &mut state.layout);
        }
        chunk.too_long = is_piece.then_some(!was_passing);
    }
}
