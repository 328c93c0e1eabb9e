//! Defines [`StreamReader`], which encodes or decodes what is read from another reader.

use core::fmt;
use std::io::{self, BufRead, Read};

use super::adapter::{Buffer, CodecStream};
use super::{DecodeStream, EncodeStream};
use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};

/// Reads from another reader, and encodes or decodes what comes. Made by [`Encoder::reader`] and its siblings.
///
/// It has buffers of its own, 16 KiB of them, so the other reader needs none.
///
/// # Examples
///
/// ```
/// use std::io::{BufRead, Read};
/// use percent_simd::{Decoder, Encoder, sets};
///
/// let mut text = String::new();
/// Encoder::new(sets::RFC3986_UNRESERVED).reader(&b"50 %"[..]).read_to_string(&mut text)?;
/// assert_eq!(text, "50%20%25");
///
/// let lines: Vec<String> = Decoder::new().reader(&b"a%20b\n%41"[..]).lines().collect::<Result<_, _>>()?;
/// assert_eq!(lines, ["a b", "A"]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct StreamReader<R, S> {
    inner: R,
    stream: S,
    input: Buffer,
    output: Buffer,
    ended: bool,
}

impl<R: Read, S: CodecStream> StreamReader<R, S> {
    fn new(inner: R, stream: S) -> Self {
        StreamReader { inner, stream, input: Buffer::new(), output: Buffer::new(), ended: false }
    }

    /// Fills the output, unless the end has come. Where the reader fails, nothing is lost.
    fn fill(&mut self) -> io::Result<()> {
        while self.output.is_empty() && !self.ended {
            if self.input.is_empty() {
                let inner = &mut self.inner;
                self.input.fill(|buffer| inner.read(buffer))?;
            }
            let (stream, input) = (&mut self.stream, &mut self.input);
            if input.is_empty() {
                self.output.fill(|out| stream.end(out))?;
                self.ended = true;
            } else {
                self.output.fill(|out| {
                    let progress = stream.feed(input.filled(), out)?;
                    input.consume(progress.read);
                    Ok(progress.written)
                })?;
            }
        }
        Ok(())
    }
}

impl<R, S> StreamReader<R, S> {
    /// Returns the reader underneath.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns the reader underneath. What is read from it directly does not come out of this.
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Gives back the reader. What was read from it and not yet given out is lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the stream, which knows what was malformed.
    pub fn stream(&self) -> &S {
        &self.stream
    }
}

impl<R> StreamReader<R, DecodeStream> {
    /// Treats each line as an input of its own, as [`DecodeStream::by_line`] does.
    #[must_use]
    pub fn by_line(mut self) -> Self {
        self.stream = self.stream.by_line();
        self
    }
}

impl<R: Read, S: CodecStream> Read for StreamReader<R, S> {
    /// # Errors
    ///
    /// Like [`fill_buf`](BufRead::fill_buf).
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let ready = self.fill_buf()?;
        let n = ready.len().min(out.len());
        out[..n].copy_from_slice(&ready[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: Read, S: CodecStream> BufRead for StreamReader<R, S> {
    /// Returns what has come out of the stream, after reading on if that is nothing yet; nothing at the end.
    ///
    /// # Errors
    ///
    /// Those of the reader underneath, after which the call can be repeated; and of the kind `InvalidData`, with the
    /// [`DecodeError`](crate::DecodeError) inside, where a checked decoder finds something wrong, once what precedes it has
    /// been given out.
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.output.filled())
    }

    fn consume(&mut self, n: usize) {
        self.output.consume(n);
    }
}

impl<R: fmt::Debug, S: fmt::Debug> fmt::Debug for StreamReader<R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamReader")
            .field("inner", &self.inner)
            .field("stream", &self.stream)
            .field("input", &self.input.filled().len())
            .field("output", &self.output.filled().len())
            .finish_non_exhaustive()
    }
}

macro_rules! reader {
    ($($codec:ty => $stream:ty, $done:literal),*) => {
        $(impl $codec {
            #[doc = concat!("Wraps `inner`: what you read from the result are its bytes, ", $done, ".")]
            pub fn reader<R: Read>(&self, inner: R) -> StreamReader<R, $stream> {
                StreamReader::new(inner, self.stream())
            }
        })*
    };
}

reader!(
    Encoder => EncodeStream, "encoded",
    RawEncoder => EncodeStream, "encoded",
    Decoder => DecodeStream, "decoded",
    CheckedDecoder => DecodeStream, "decoded"
);
