//! Defines [`StreamWriter`], which encodes or decodes bytes on their way to another writer.

use core::fmt;
use std::io::{self, ErrorKind, Write};

use super::adapter::{Buffer, CodecStream};
use super::{DecodeStream, EncodeStream};
use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};

/// Encodes or decodes the bytes written to it, and passes them to another writer. Made by methods like
/// [`Encoder::writer`].
///
/// If the inner writer fails, repeat the failed call. No byte is lost or written twice, so non-blocking writers work
/// too (`WouldBlock`):
///
/// - [`write`](Write::write) returns the number of bytes of the chunk that it has taken.
/// - Output that the inner writer hasn't taken is kept until the next call.
/// - If a call has taken bytes before the inner writer failed, the call returns their number. The next call returns the
///   error.
/// - At the end, repeat [`try_finish`](Self::try_finish) until it succeeds. [`finish`](Self::finish) can't be repeated.
///
/// Dropping a `StreamWriter` also finishes the output, but ignores errors. To get these errors, call
/// [`finish`](Self::finish). After the inner writer has panicked, no more bytes are written, because the number of
/// bytes that it took is unknown.
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
    /// The inner writer. This field becomes `None` only in calls that consume `self`.
    inner: Option<W>,
    stream: S,
    /// The output of the stream that isn't written yet.
    pending: Buffer,
    ended: bool,
    /// True during a call of the inner writer. If this is true when `self` is dropped, the call has panicked.
    is_writing: bool,
}

/// The message of each `expect` on `inner`. `inner` is never `None`, because only [`StreamWriter::take`] takes it out,
/// and that call consumes `self`.
const IS_THERE: &str = "only `take` removes the inner writer";

impl<W: Write, S: CodecStream> StreamWriter<W, S> {
    fn new(inner: W, stream: S) -> Self {
        StreamWriter { inner: Some(inner), stream, pending: Buffer::new(), ended: false, is_writing: false }
    }

    /// Finishes the output, and returns the inner writer without flushing it.
    ///
    /// Writes all pending output, and the bytes that the stream holds back.
    ///
    /// # Errors
    ///
    /// Returns an error if the inner writer fails. `finish` then drops the inner writer. So if you want to repeat a
    /// failed write, call [`try_finish`](Self::try_finish) first. It is also an error if the input ends inside a
    /// triplet and the decoder is strict. This error has the kind `InvalidData` and the
    /// [`DecodeError`](crate::DecodeError) inside.
    pub fn finish(mut self) -> io::Result<W> {
        let finished = self.try_finish();
        let inner = self.take();
        finished.map(|()| inner)
    }

    /// Writes all pending output, and the bytes that the stream holds back. After that, every write fails.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`finish`](Self::finish). If the inner writer has failed, you can call `try_finish` again.
    /// It then continues at the first byte that the inner writer hasn't taken.
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

    /// Writes the pending output, as far as the inner writer takes it.
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
    /// Takes the inner writer out, so that dropping `self` writes no more output.
    fn take(mut self) -> W {
        self.inner.take().expect(IS_THERE)
    }

    /// Returns the inner writer.
    pub fn get_ref(&self) -> &W {
        self.inner.as_ref().expect(IS_THERE)
    }

    /// Returns the inner writer. If [`try_finish`](Self::try_finish) hasn't succeeded before, pending output is lost,
    /// and so are the bytes that the stream holds back.
    pub fn into_inner(self) -> W {
        self.take()
    }

    /// Returns the stream. A [`DecodeStream`] has the offset of the first malformed `%`.
    pub fn stream(&self) -> &S {
        &self.stream
    }
}

impl<W: Write> StreamWriter<W, DecodeStream> {
    /// Treats each line as a separate input, like [`DecodeStream::by_line`].
    pub fn by_line(mut self) -> Self {
        self.stream = self.stream.clone().by_line();
        self
    }
}

impl<W: Write, S: CodecStream> Write for StreamWriter<W, S> {
    /// Encodes or decodes `chunk` to the inner writer. Returns the number of bytes of `chunk` that were taken.
    ///
    /// If the inner writer doesn't fail and `chunk` has no faulty escape, all bytes are taken.
    ///
    /// # Errors
    ///
    /// Returns an error if the inner writer fails. It is also an error if a checked decoder finds a faulty escape at
    /// the start of `chunk`. This error has the kind `InvalidData` and the [`DecodeError`](crate::DecodeError) inside.
    /// The previous call has taken the bytes before the escape. A call that returns an error has taken no byte of
    /// `chunk`.
    fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
        if self.ended {
            return Err(io::Error::new(ErrorKind::InvalidInput, "cannot write after the output is finished"));
        }
        let mut read = 0;
        loop {
            // If this call has already taken bytes, it must report their number. Then the next call reports the error.
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

    /// Writes the pending output, and flushes the inner writer. An incomplete triplet stays held back.
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
            #[doc = concat!("Wraps `inner`. Bytes that you write to the result reach it ", $done, ".")]
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
