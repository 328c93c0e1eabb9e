//! Defines [`StreamReader`], which encodes or decodes the bytes of another reader.

use core::fmt;
use std::io::{self, BufRead, Read};

use super::adapter::{Buffer, CodecStream};
use super::{DecodeStream, EncodeStream};
use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};

/// Reads from another reader, and encodes or decodes its bytes. Made by methods like [`Encoder::reader`].
///
/// A `StreamReader` contains buffers of 16 KiB in total, so the other reader needs no buffer.
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

    /// Fills the output buffer if the input hasn't ended. If the inner reader fails, no bytes are lost.
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
    /// Returns the inner reader.
    pub fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns the inner reader. Bytes that were read from it but not yet returned are lost.
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the stream. A [`DecodeStream`] has the offset of the first malformed `%`.
    pub fn stream(&self) -> &S {
        &self.stream
    }
}

impl<R> StreamReader<R, DecodeStream> {
    /// Treats each line as a separate input, like [`DecodeStream::by_line`].
    #[must_use]
    pub fn by_line(mut self) -> Self {
        self.stream = self.stream.by_line();
        self
    }
}

impl<R: Read, S: CodecStream> Read for StreamReader<R, S> {
    /// # Errors
    ///
    /// Returns the errors of [`fill_buf`](BufRead::fill_buf).
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
    /// Returns output of the stream. If there is none, reads more input first. The result is empty at the end of the
    /// input.
    ///
    /// # Errors
    ///
    /// Returns an error if the inner reader fails; you can then repeat the call. It is also an error if a checked
    /// decoder finds a faulty escape. This error has the kind `InvalidData` and the [`DecodeError`](crate::DecodeError)
    /// inside. The calls before it return all bytes before the escape.
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
            #[doc = concat!("Wraps `inner`. You read its bytes, ", $done, ", from the result.")]
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
