//! [`StreamWriter`]: what is written to it goes through a stream into another writer.

use core::fmt;
use std::io::{self, ErrorKind, Write};

use super::adapter::{Buffer, CodecStream};
use super::{DecodeStream, EncodeStream};
use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};

/// Encodes or decodes what is written to it, and writes the result to another writer. Made by [`Encoder::writer`] and
/// its siblings.
///
/// Nothing is lost and nothing is written twice where the other writer fails, if the failed call is repeated:
/// [`write`](Write::write) says how much of the chunk it has taken, and what the other writer has not taken yet is kept
/// until the next call. So it works on writers that do not block (`WouldBlock`). Where a call has taken something before
/// the other writer failed, the next call reports that.
///
/// Dropping it finishes the output, too, but ignores errors: call [`finish`](Self::finish) to see them. After the other writer has
/// panicked, nothing more is written, because nobody knows how much it took.
///
/// # Examples
///
/// ```
/// use std::io::Write;
/// use percent_simd::Decoder;
///
/// let mut writer = Decoder::new().writer(Vec::new());
/// writer.write_all(b"a%4")?;
/// writer.write_all(b"1b%4")?;
/// assert_eq!(writer.finish()?, b"aAb%4");
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use = "call `finish`: if it is dropped instead, errors at the end are ignored"]
pub struct StreamWriter<W: Write, S: CodecStream> {
    /// The writer underneath. Only calls that take `self` take it out.
    inner: Option<W>,
    stream: S,
    /// The output of the stream that is yet to be written.
    pending: Buffer,
    ended: bool,
    /// Whether the writer underneath is at work; when this is dropped, whether it has panicked.
    is_writing: bool,
}

/// The reason why there is a writer underneath: only [`StreamWriter::take`] takes it out, and takes all of `self`.
const IS_THERE: &str = "the writer is there until this is taken apart";

impl<W: Write, S: CodecStream> StreamWriter<W, S> {
    fn new(inner: W, stream: S) -> Self {
        StreamWriter { inner: Some(inner), stream, pending: Buffer::new(), ended: false, is_writing: false }
    }

    /// Writes what is kept, and what the stream holds back, and returns the writer, which is not flushed.
    ///
    /// # Errors
    ///
    /// Those of the writer, which is then dropped; where a failed write can be repeated, call
    /// [`try_finish`](Self::try_finish) before. An error of the kind `InvalidData`, with the
    /// [`DecodeError`](crate::DecodeError) inside, where a strict decoder finds the end inside a triplet.
    pub fn finish(mut self) -> io::Result<W> {
        let finished = self.try_finish();
        let inner = self.take();
        finished.map(|()| inner)
    }

    /// Writes what is kept, and what the stream holds back. After that nothing more can be written.
    ///
    /// # Errors
    ///
    /// Like [`finish`](Self::finish), but this can be called again, and goes on where the writer has failed.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Write;
    /// use percent_simd::Decoder;
    ///
    /// let mut writer = Decoder::new().writer(Vec::new());
    /// writer.write_all(b"100%")?;
    /// writer.try_finish()?;
    /// assert_eq!(writer.into_inner(), b"100%");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn try_finish(&mut self) -> io::Result<()> {
        self.write_pending()?;
        if !self.ended {
            let stream = &mut self.stream;
            self.pending.fill(|out| stream.end(out))?;
            self.ended = true;
        }
        self.write_pending()
    }

    /// Writes what has come out of the stream, as far as the writer takes it.
    fn write_pending(&mut self) -> io::Result<()> {
        while !self.pending.is_empty() {
            self.is_writing = true;
            let written = self.inner.as_mut().expect(IS_THERE).write(self.pending.filled());
            self.is_writing = false;
            match written {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(written) => self.pending.consume(written),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<W: Write, S: CodecStream> Drop for StreamWriter<W, S> {
    fn drop(&mut self) {
        if self.inner.is_some() && !self.is_writing {
            _ = self.try_finish();
        }
    }
}

impl<W: Write, S: CodecStream> StreamWriter<W, S> {
    /// Takes the writer out, after which nothing is written on drop.
    fn take(mut self) -> W {
        self.inner.take().expect(IS_THERE)
    }

    /// Returns the writer underneath.
    pub fn get_ref(&self) -> &W {
        self.inner.as_ref().expect(IS_THERE)
    }

    /// Returns the writer underneath. What is written to it directly may come before what was written to this.
    pub fn get_mut(&mut self) -> &mut W {
        self.inner.as_mut().expect(IS_THERE)
    }

    /// Gives back the writer. What is kept, or held back by the stream, is lost, unless
    /// [`try_finish`](Self::try_finish) has succeeded.
    pub fn into_inner(self) -> W {
        self.take()
    }

    /// Returns the stream, which knows what was malformed.
    pub fn stream(&self) -> &S {
        &self.stream
    }
}

impl<W: Write> StreamWriter<W, DecodeStream> {
    /// Treats each line as an input of its own, as [`DecodeStream::by_line`] does.
    pub fn by_line(mut self) -> Self {
        self.stream = self.stream.clone().by_line();
        self
    }
}

impl<W: Write, S: CodecStream> Write for StreamWriter<W, S> {
    /// Encodes or decodes `chunk` and writes the result to the writer underneath. Returns how much of `chunk` was taken:
    /// all of it, unless that writer fails, or something is wrong with the rest.
    ///
    /// # Errors
    ///
    /// Those of the writer underneath, and of the kind `InvalidData`, with the [`DecodeError`](crate::DecodeError) inside,
    /// where a checked decoder finds something wrong at the start of `chunk`: what precedes that has been taken by the call
    /// before. A call that returns an error has taken nothing of `chunk`.
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.ended {
            return Err(io::Error::new(ErrorKind::InvalidInput, "written to after the end"));
        }
        let mut read = 0;
        loop {
            // The bytes taken have to be reported, so an error waits for the next call.
            match self.write_pending() {
                Err(error) if read == 0 => return Err(error),
                Err(_) => return Ok(read),
                Ok(()) if read == chunk.len() => return Ok(read),
                Ok(()) => {}
            }
            let (stream, rest, before) = (&mut self.stream, &chunk[read..], read);
            let fed = self.pending.fill(|out| {
                let progress = stream.feed(rest, out)?;
                read += progress.read;
                Ok(progress.written)
            });
            match fed {
                Err(error) if before == 0 => return Err(error),
                Err(_) => return Ok(before),
                Ok(()) => {}
            }
        }
    }

    /// Writes what is kept, and flushes the writer underneath. A triplet that has only begun stays held back.
    fn flush(&mut self) -> io::Result<()> {
        self.write_pending()?;
        self.inner.as_mut().expect(IS_THERE).flush()
    }
}

impl<W: Write + fmt::Debug, S: CodecStream + fmt::Debug> fmt::Debug for StreamWriter<W, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamWriter")
            .field("inner", self.get_ref())
            .field("stream", &self.stream)
            .field("pending", &self.pending.filled().len())
            .finish_non_exhaustive()
    }
}

macro_rules! writer {
    ($($codec:ty => $stream:ty, $done:literal),*) => {
        $(impl $codec {
            #[doc = concat!("Wraps `inner`: what you write to the result goes there ", $done, ".")]
            pub fn writer<W: Write>(&self, inner: W) -> StreamWriter<W, $stream> {
                StreamWriter::new(inner, self.stream())
            }
        })*
    };
}

writer!(
    Encoder => EncodeStream, "encoded",
    RawEncoder => EncodeStream, "encoded",
    Decoder => DecodeStream, "decoded",
    CheckedDecoder => DecodeStream, "decoded"
);
