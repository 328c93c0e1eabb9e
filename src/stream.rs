//! Door: both directions over chunks that end anywhere, and as adapters for `std::io`.
//!
//! What a chunk leaves undecided is at most `%` and a digit, or, where escapes of `%` are kept, a latent triplet less its
//! last byte (see [`Decoder::keep`]). A stream holds those bytes until the next chunk, or
//! [`finish`](EncodeStream::finish), decides them; nothing else is buffered and nothing is allocated.
#![forbid(unsafe_code)]

use crate::decode::{CheckedDecoder, DecodeOptions, Decoder, Plus};
use crate::encode::{Encoder, RawEncoder};
use crate::error::{DecodeError, DecodeErrorKind, DecodeSliceError, OutputTooSmall};
use crate::kernel::{self, LATENT, PlusStart};
use crate::sink::{self, Codec};

#[cfg(feature = "std")]
pub use adapters::{StreamReader, StreamWriter};

/// How far a stream has come with a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the chunk that were read. If that is not all of it, the output was full, or an error follows: call again
    /// with the rest.
    pub read: usize,
    /// Bytes of output that were written.
    pub written: usize,
}

/// How a stream has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEnd {
    /// Bytes of output that were written.
    pub written: usize,
    /// Whether the input ended inside what could have been a triplet: `%`, or `%` and a digit. They were treated as any
    /// `%` that starts none.
    pub cut_off: bool,
}

impl StreamEnd {
    fn new(held: &Held, written: usize) -> StreamEnd {
        StreamEnd { written, cut_off: kernel::complete_triplets_len(held.as_slice()) < held.len }
    }
}

/// Bytes that were read but not yet dealt with.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    octets: [u8; LATENT],
    len: usize,
}

impl Held {
    fn as_slice(&self) -> &[u8] {
        &self.octets[..self.len]
    }

    fn replace(&mut self, octets: &[u8]) {
        let len = octets.len().min(LATENT);
        self.octets[..len].copy_from_slice(&octets[..len]);
        self.len = len;
    }
}

/// What `run` does to `chunk` in the light of what is held.
fn feed(
    held: &mut Held,
    decided_len: impl Fn(&[u8]) -> usize,
    mut run: impl FnMut(&[u8], &mut [u8]) -> kernel::Progress,
    chunk: &[u8],
    out: &mut [u8],
) -> Progress {
    let mut fed = Progress { read: 0, written: 0 };
    while held.len > 0 {
        let (before, mut joined) = (held.len, *held);
        let more = (LATENT - before).min(chunk.len() - fed.read);
        joined.octets[before..before + more].copy_from_slice(&chunk[fed.read..fed.read + more]);
        joined.len += more;
        let decided = decided_len(joined.as_slice());
        if decided == 0 {
            // The chunk ends before it is known what this is.
            *held = joined;
            fed.read += more;
            return fed;
        }
        let progress = run(&joined.as_slice()[..decided], &mut out[fed.written..]);
        fed.written += progress.written;
        fed.read += progress.read.saturating_sub(before);
        held.replace(&joined.as_slice()[progress.read.min(before)..before]);
        if progress.read < decided {
            return fed;
        }
    }
    let rest = &chunk[fed.read..];
    let decided = decided_len(rest);
    let progress = run(&rest[..decided], &mut out[fed.written..]);
    fed.read += progress.read;
    fed.written += progress.written;
    if progress.read == decided {
        held.replace(&rest[decided..]);
        fed.read = chunk.len();
    }
    fed
}

/// Encodes a stream, chunk by chunk. Made by [`Encoder::stream`] and [`RawEncoder::stream`].
///
/// ```
/// use percent_simd::{Encoder, sets};
///
/// let mut stream = Encoder::new(sets::RFC3986_PATH).keep_triplets().stream();
/// let mut out = [0; 16];
/// assert_eq!(stream.push(b"/a b%", &mut out).written, 6); // the % waits
/// assert_eq!(stream.push(b"2", &mut out).written, 0);
/// let fed = stream.push(b"0", &mut out);
/// assert_eq!(&out[..fed.written], b"%20");
/// assert!(!stream.finish(&mut out)?.cut_off);
/// # Ok::<(), percent_simd::OutputTooSmall>(())
/// ```
#[derive(Clone, Debug)]
pub struct EncodeStream {
    encoder: RawEncoder,
    held: Held,
}

impl EncodeStream {
    /// Encodes `chunk`, as far as `out` has room. A triplet is written whole or not at all, so `out` should have room
    /// for 3 bytes at least.
    pub fn push(&mut self, chunk: &[u8], out: &mut [u8]) -> Progress {
        let encoding = self.encoder.encoding();
        let run = |src: &[u8], out: &mut [u8]| encoding.fill(src, out, &mut None);
        feed(&mut self.held, |src| encoding.decided_len(src), run, chunk, out)
    }

    /// Ends the stream: writes what was held, at most 6 bytes. If `out` has too little room for it, says so, and may be
    /// called again.
    pub fn finish(&mut self, out: &mut [u8]) -> Result<StreamEnd, OutputTooSmall> {
        let written = sink::slice_init(self.encoder.encoding(), self.held.as_slice(), out)?.1.written;
        let end = StreamEnd::new(&self.held, written);
        self.held.len = 0;
        Ok(end)
    }
}

impl EncodeStream {
    /// Returns where the stream stands. [`Encoder::resume`] continues from there.
    #[must_use]
    pub fn suspend(&self) -> EncodeStreamState {
        EncodeStreamState { held: self.held }
    }
}

impl Encoder {
    /// Starts to encode a stream.
    #[must_use]
    pub fn stream(&self) -> EncodeStream {
        self.raw().stream()
    }

    /// Continues a stream of this encoder where it was suspended.
    #[must_use]
    pub fn resume(&self, state: EncodeStreamState) -> EncodeStream {
        self.raw().resume(state)
    }
}

impl RawEncoder {
    /// Starts to encode a stream.
    #[must_use]
    pub fn stream(&self) -> EncodeStream {
        self.resume(EncodeStreamState::default())
    }

    /// Continues a stream of this encoder where it was suspended.
    #[must_use]
    pub fn resume(&self, state: EncodeStreamState) -> EncodeStream {
        EncodeStream { encoder: *self, held: state.held }
    }
}

/// Decodes a stream, chunk by chunk. Made by [`Decoder::stream`] and [`CheckedDecoder::stream`].
///
/// ```
/// use percent_simd::Decoder;
///
/// let mut stream = Decoder::new().strict().stream();
/// let mut out = [0; 16];
/// assert_eq!(stream.push(b"a%4", &mut out)?.written, 1); // the %4 waits
/// let fed = stream.push(b"1b%zz", &mut out)?;
/// assert_eq!((fed.read, &out[..fed.written]), (2, &b"Ab"[..]));
/// let error = stream.push(b"%zz", &mut out).unwrap_err();
/// assert_eq!(error.offset, 5); // in the whole stream
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecodeStream {
    options: DecodeOptions,
    state: DecodeStreamState,
}

/// Holds the position of a [`DecodeStream`] between two chunks, without its decoder: few bytes, for callers that keep
/// many streams of one decoder. Made by [`DecodeStream::suspend`]; the default is the start of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecodeStreamState {
    held: Held,
    /// Whether a `?` has been read.
    query: bool,
    /// Bytes dealt with.
    offset: usize,
    malformed: Option<usize>,
    error: Option<DecodeError>,
}

/// Holds the position of an [`EncodeStream`] between two chunks, without its encoder. Made by
/// [`EncodeStream::suspend`]; the default is the start of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeStreamState {
    held: Held,
}

impl DecodeStream {
    fn run(&mut self, src: &[u8], out: &mut [u8]) -> kernel::Progress {
        let mut decoding = self.options.for_input(src);
        if self.state.query && self.options.plus == Plus::AfterQuery {
            decoding.plus = PlusStart::ALL;
        }
        let mut malformed = None;
        let progress = decoding.fill(src, out, &mut malformed);
        self.state.query |= decoding.plus.from < progress.read;
        self.state.malformed = self.state.malformed.or(malformed.map(|at| self.state.offset.saturating_add(at)));
        if progress.read < src.len() {
            self.state.error = decoding.error_at(src, progress.read).map(|error| error.shifted(self.state.offset));
        }
        self.state.offset = self.state.offset.saturating_add(progress.read);
        progress
    }

    /// Decodes `chunk`, as far as `out` has room; 3 bytes are always enough to get on, or 7 where escapes of `%` are kept.
    ///
    /// # Errors
    /// From a [`CheckedDecoder`] only: what is wrong at the start of `chunk`, with its offset in the whole stream, in bytes
    /// (counted no further than `usize::MAX`). What precedes it in a chunk comes first, as a success that ends there. The
    /// error stays: a stream cannot go on after it.
    pub fn push(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<Progress, DecodeError> {
        if let Some(error) = self.state.error {
            return Err(error);
        }
        // More cannot be read than this, and to look for a `?` beyond would be to look again the next time.
        let chunk = &chunk[..chunk.len().min(out.len().saturating_mul(3).saturating_add(3))];
        let mut held = self.state.held;
        let profile = self.options.profile;
        let fed = feed(&mut held, |src| profile.decided_len(src), |src, out| self.run(src, out), chunk, out);
        self.state.held = held;
        // What more bytes could have completed has been held back: these were followed by others.
        if let Some(DecodeError { kind: kind @ DecodeErrorKind::Truncated, .. }) = &mut self.state.error {
            *kind = DecodeErrorKind::NotHex;
        }
        match self.state.error {
            Some(error) if fed.read + fed.written == 0 => Err(error),
            _ => Ok(fed),
        }
    }

    /// Ends the stream: writes what was held, at most 6 bytes. If `out` has too little room for it, says so, and may be
    /// called again.
    ///
    /// # Errors
    /// From a strict decoder, if the stream ends inside a triplet; after an error, that error again.
    pub fn finish(&mut self, out: &mut [u8]) -> Result<StreamEnd, DecodeSliceError> {
        if let Some(error) = self.state.error {
            return Err(error.into());
        }
        let held = self.state.held;
        if out.len() < held.len {
            return Err(OutputTooSmall { needed: held.len }.into());
        }
        let progress = self.run(held.as_slice(), out);
        self.state.held.len = 0;
        match self.state.error {
            Some(error) => Err(error.into()),
            None => Ok(StreamEnd::new(&held, progress.written)),
        }
    }

    /// Returns where the stream stands. [`Decoder::resume`] continues from there.
    #[must_use]
    pub fn suspend(&self) -> DecodeStreamState {
        self.state
    }

    /// Offset, in bytes of the whole stream, of the first `%` so far that starts no triplet.
    #[must_use]
    pub fn malformed(&self) -> Option<usize> {
        // Of what is held it may be known already, if not what will come of it.
        let is_malformed = kernel::complete_triplets_len(self.state.held.as_slice()) > 0;
        self.state.malformed.or_else(|| is_malformed.then_some(self.state.offset))
    }
}

impl Decoder {
    /// Starts to decode a stream.
    #[must_use]
    pub fn stream(&self) -> DecodeStream {
        DecodeStream::new(*self.options())
    }

    /// Continues a stream of this decoder where it was suspended.
    ///
    /// ```
    /// use percent_simd::{Decoder, DecodeStreamState};
    ///
    /// const DECODER: Decoder = Decoder::new();
    /// let mut out = [0; 4];
    /// let mut stream = DECODER.resume(DecodeStreamState::default());
    /// stream.push(b"%4", &mut out)?;
    /// let state = stream.suspend();
    /// let progress = DECODER.resume(state).push(b"1", &mut out)?;
    /// assert_eq!(&out[..progress.written], b"A");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    #[must_use]
    pub fn resume(&self, state: DecodeStreamState) -> DecodeStream {
        DecodeStream { options: *self.options(), state }
    }
}

impl CheckedDecoder {
    /// Starts to decode a stream.
    #[must_use]
    pub fn stream(&self) -> DecodeStream {
        DecodeStream::new(*self.options())
    }

    /// Continues a stream of this decoder where it was suspended, as [`Decoder::resume`] does.
    #[must_use]
    pub fn resume(&self, state: DecodeStreamState) -> DecodeStream {
        DecodeStream { options: *self.options(), state }
    }
}

impl DecodeStream {
    fn new(options: DecodeOptions) -> DecodeStream {
        DecodeStream { options, state: DecodeStreamState::default() }
    }
}

#[cfg(feature = "std")]
mod adapters {
    use std::io::{self, ErrorKind, Read, Write};

    use super::{DecodeStream, EncodeStream};
    use crate::decode::{CheckedDecoder, Decoder};
    use crate::encode::{Encoder, RawEncoder};
    use crate::error::{DecodeError, DecodeSliceError};

    const BUFFER: usize = if cfg!(fuzzing) { 64 } else { 8 * 1024 };

    /// What the adapters need of a stream; implemented by [`EncodeStream`] and [`DecodeStream`] only.
    pub trait Stream: sealed::Sealed {}

    mod sealed {
        pub trait Sealed {
            fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> std::io::Result<super::super::Progress>;
            fn end(&mut self, out: &mut [u8]) -> std::io::Result<usize>;
        }
    }

    fn invalid(error: DecodeError) -> io::Error {
        io::Error::new(ErrorKind::InvalidData, error)
    }

    impl Stream for EncodeStream {}
    impl sealed::Sealed for EncodeStream {
        fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> io::Result<super::Progress> {
            Ok(self.push(chunk, out))
        }

        fn end(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.finish(out).map(|end| end.written).map_err(io::Error::other)
        }
    }

    impl Stream for DecodeStream {}
    impl sealed::Sealed for DecodeStream {
        fn feed(&mut self, chunk: &[u8], out: &mut [u8]) -> io::Result<super::Progress> {
            self.push(chunk, out).map_err(invalid)
        }

        fn end(&mut self, out: &mut [u8]) -> io::Result<usize> {
            self.finish(out).map(|end| end.written).map_err(|error| match error {
                DecodeSliceError::Decode(error) => invalid(error),
                DecodeSliceError::OutputTooSmall(error) => io::Error::other(error),
            })
        }
    }

    /// Encodes or decodes what is written to it, and writes the result to another writer.
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
    #[derive(Debug)]
    #[must_use = "call `finish`: without it an escape at the very end may be lost"]
    pub struct StreamWriter<W, S> {
        inner: W,
        stream: S,
        buffer: [u8; BUFFER],
    }

    impl<W: Write, S: Stream> StreamWriter<W, S> {
        fn new(inner: W, stream: S) -> Self {
            StreamWriter { inner, stream, buffer: [0; BUFFER] }
        }

        /// Writes what the stream holds back, at most six bytes, and gives back the writer, which is not flushed.
        ///
        /// # Errors
        /// Those of the writer; and of the kind `InvalidData`, with the [`DecodeError`] inside, where a strict decoder
        /// finds the end inside a triplet.
        pub fn finish(mut self) -> io::Result<W> {
            let written = self.stream.end(&mut self.buffer)?;
            self.inner.write_all(&self.buffer[..written])?;
            Ok(self.inner)
        }

        /// The writer underneath.
        pub fn get_ref(&self) -> &W {
            &self.inner
        }

        /// The stream, which knows what was malformed.
        pub fn stream(&self) -> &S {
            &self.stream
        }
    }

    impl<W: Write, S: Stream> Write for StreamWriter<W, S> {
        /// Reads all of `chunk`, or fails: of the kind `InvalidData`, with the [`DecodeError`] inside, where a checked
        /// decoder finds something wrong, what precedes it being written.
        fn write(&mut self, chunk: &[u8]) -> io::Result<usize> {
            let mut read = 0;
            while read < chunk.len() {
                let fed = self.stream.feed(&chunk[read..], &mut self.buffer)?;
                self.inner.write_all(&self.buffer[..fed.written])?;
                read += fed.read;
            }
            Ok(read)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.inner.flush()
        }
    }

    /// Reads from another reader, and encodes or decodes what comes.
    ///
    /// ```
    /// use std::io::Read;
    /// use percent_simd::{Encoder, sets};
    ///
    /// let mut text = String::new();
    /// Encoder::new(sets::RFC3986_UNRESERVED).reader(&b"50 %"[..]).read_to_string(&mut text)?;
    /// assert_eq!(text, "50%20%25");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[derive(Debug)]
    pub struct StreamReader<R, S> {
        inner: R,
        stream: S,
        input: Buffer,
        output: Buffer,
        ended: bool,
    }

    #[derive(Debug)]
    struct Buffer {
        octets: [u8; BUFFER],
        start: usize,
        end: usize,
    }

    impl Buffer {
        fn new() -> Buffer {
            Buffer { octets: [0; BUFFER], start: 0, end: 0 }
        }

        fn is_empty(&self) -> bool {
            self.start == self.end
        }
    }

    impl<R: Read, S: Stream> StreamReader<R, S> {
        fn new(inner: R, stream: S) -> Self {
            StreamReader { inner, stream, input: Buffer::new(), output: Buffer::new(), ended: false }
        }

        /// Gives back the reader. What was read from it and not yet given out is lost.
        pub fn into_inner(self) -> R {
            self.inner
        }

        /// The stream, which knows what was malformed.
        pub fn stream(&self) -> &S {
            &self.stream
        }

        /// Fills the output, unless the end has come.
        fn fill(&mut self) -> io::Result<()> {
            while self.output.is_empty() && !self.ended {
                if self.input.is_empty() {
                    let end = self.inner.read(&mut self.input.octets)?;
                    (self.input.start, self.input.end) = (0, end);
                }
                let written = if self.input.is_empty() {
                    let written = self.stream.end(&mut self.output.octets)?;
                    self.ended = true;
                    written
                } else {
                    let chunk = &self.input.octets[self.input.start..self.input.end];
                    let fed = self.stream.feed(chunk, &mut self.output.octets)?;
                    self.input.start += fed.read;
                    fed.written
                };
                (self.output.start, self.output.end) = (0, written);
            }
            Ok(())
        }
    }

    impl<R: Read, S: Stream> Read for StreamReader<R, S> {
        /// Fails, of the kind `InvalidData` with the [`DecodeError`] inside, where a checked decoder finds something
        /// wrong, once what precedes it has been given out.
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if out.is_empty() {
                return Ok(0);
            }
            self.fill()?;
            let ready = &self.output.octets[self.output.start..self.output.end];
            let n = ready.len().min(out.len());
            out[..n].copy_from_slice(&ready[..n]);
            self.output.start += n;
            Ok(n)
        }
    }

    macro_rules! adapters {
        ($($door:ty => $stream:ty),*) => {
            $(impl $door {
                /// A writer that puts what is written to it, as it comes out of this, into `inner`.
                pub fn writer<W: Write>(&self, inner: W) -> StreamWriter<W, $stream> {
                    StreamWriter::new(inner, self.stream())
                }

                /// A reader that gives what it reads from `inner`, as it comes out of this.
                pub fn reader<R: Read>(&self, inner: R) -> StreamReader<R, $stream> {
                    StreamReader::new(inner, self.stream())
                }
            })*
        };
    }

    adapters!(
        Encoder => EncodeStream,
        RawEncoder => EncodeStream,
        Decoder => DecodeStream,
        CheckedDecoder => DecodeStream
    );
}
