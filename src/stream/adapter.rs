//! Defines [`CodecStream`], the trait of the streams in readers and writers, and the buffer of readers and writers.

use std::io;

use super::{DecodeStream, EncodeStream, Progress};
use crate::error::SliceError;

/// A stream for [`StreamReader`](super::StreamReader) and [`StreamWriter`](super::StreamWriter): an [`EncodeStream`] or
/// a [`DecodeStream`]. Other types can't implement this trait.
pub trait CodecStream: sealed::Sealed {}

impl CodecStream for EncodeStream {}
impl CodecStream for DecodeStream {}

pub(super) mod sealed {
    pub trait Sealed {
        /// Calls `push`, and converts its error for readers and writers.
        fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> std::io::Result<super::Progress>;
        /// Calls `finish`. Returns the number of bytes written.
        fn end(&mut self, out: &mut [u8]) -> std::io::Result<usize>;
    }
}

impl sealed::Sealed for EncodeStream {
    fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> io::Result<Progress> {
        Ok(self.push(chunk, out))
    }

    fn end(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.finish(out).map_err(io::Error::other)
    }
}

impl sealed::Sealed for DecodeStream {
    fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> io::Result<Progress> {
        self.push(chunk, out).map_err(io::Error::from)
    }

    fn end(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.finish(out).map_err(|error| match error {
            SliceError::Input(error) => error.into(),
            error => io::Error::other(error),
        })
    }
}

/// A buffer whose bytes from `start` to `end` haven't been consumed yet.
pub(super) struct Buffer {
    bytes: [u8; Buffer::SIZE],
    start: usize,
    end: usize,
}

impl Buffer {
    const SIZE: usize = if cfg!(fuzzing) { 64 } else { 8 * 1024 };

    pub(super) fn new() -> Buffer {
        Buffer { bytes: [0; Buffer::SIZE], start: 0, end: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the bytes that haven't been consumed yet.
    pub(super) fn filled(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Consumes `n` bytes, or all if there are fewer.
    pub(super) fn consume(&mut self, n: usize) {
        self.start += n.min(self.end - self.start);
    }

    /// Lets `write` fill the buffer, which must be empty. `write` returns the number of bytes written.
    pub(super) fn fill(&mut self, write: impl FnOnce(&mut [u8]) -> io::Result<usize>) -> io::Result<()> {
        debug_assert!(self.is_empty());
        let written = write(&mut self.bytes)?;
        (self.start, self.end) = (0, written.min(Buffer::SIZE));
        Ok(())
    }
}
