//! Defines [`DecodeStream`], which decodes chunk by chunk.

use crate::find::memchr;

use super::{Held, Progress, feed};
use crate::codec::Codec;
use crate::decode::{CheckedDecoder, DecodeOptions, Decoder, Plus, PlusState};
use crate::error::{DecodeError, DecodeErrorKind, OutputTooSmall, SliceError};
use crate::sink;
use crate::triplet::complete_triplets_len;

/// Decodes a stream, chunk by chunk. Made by [`Decoder::stream`] and [`CheckedDecoder::stream`].
///
/// # Examples
///
/// ```
/// use percent_simd::Decoder;
///
/// let mut stream = Decoder::new().strict().stream();
/// let mut out = [0; 16];
/// assert_eq!(stream.push(b"a%4", &mut out)?.written, 1); // the %4 waits
/// let progress = stream.push(b"1b%zz", &mut out)?;
/// assert_eq!((progress.read, &out[..progress.written]), (2, &b"Ab"[..]));
/// let error = stream.push(b"%zz", &mut out).unwrap_err();
/// assert_eq!(error.offset, 5); // in the whole stream
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecodeStream {
    options: DecodeOptions,
    state: DecodeStreamState,
    by_line: bool,
}

/// Holds the position of a [`DecodeStream`] between two chunks, without its decoder.
///
/// This type is small. So a caller with many streams can keep one decoder for all of them. The default is the start of
/// a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct DecodeStreamState {
    held: Held,
    /// True if a `?` has been read.
    in_query: bool,
    /// The number of bytes processed.
    offset: usize,
    malformed: Option<usize>,
    error: Option<DecodeError>,
}

impl DecodeStreamState {
    /// Implements `internal::restart_offsets`.
    pub(crate) fn restart_offsets(&mut self) -> usize {
        let decoded = core::mem::take(&mut self.offset);
        self.malformed = None;
        self.error = self.error.map(|error| DecodeError { offset: error.offset.saturating_sub(decoded), ..error });
        decoded
    }
}

impl DecodeStream {
    /// Treats each line as a separate input. By default the whole stream is one input.
    ///
    /// With [`Plus::AfterQuery`], each line is searched for its own first `?`. A `+` before this `?` stays. Only
    /// unescaped line feeds end a line of the input. If an escape of a line feed isn't [kept](Decoder::keep), it adds a
    /// line to the output.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::Read;
    /// use percent_simd::{ByteSet, Decoder, Plus};
    ///
    /// let log = "/a?x=1+2\n/b+c?y=3+4%0A\n";
    /// let decoder = Decoder::new().plus(Plus::AfterQuery).keep(ByteSet::of(b"\r\n"));
    /// let mut decoded = String::new();
    /// decoder.reader(log.as_bytes()).by_line().read_to_string(&mut decoded)?;
    /// assert_eq!(decoded, "/a?x=1 2\n/b+c?y=3 4%0A\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn by_line(mut self) -> DecodeStream {
        self.by_line = true;
        self
    }

    /// Decodes `src`, line by line if `by_line` is set. `src` must not end inside a possible triplet.
    fn run(&mut self, src: &[u8], out: &mut [u8]) -> Progress {
        if !self.by_line || self.options.plus != Plus::AfterQuery {
            return self.run_part(src, out);
        }
        let mut total = Progress { read: 0, written: 0 };
        while total.read < src.len() {
            let rest = &src[total.read..];
            let end = memchr(b'\n', rest).map(|at| at + 1);
            let line = &rest[..end.unwrap_or(rest.len())];
            let progress = self.run_part(line, &mut out[total.written..]);
            total.read += progress.read;
            total.written += progress.written;
            if progress.read < line.len() {
                break;
            }
            self.state.in_query &= end.is_none();
        }
        total
    }

    fn run_part(&mut self, src: &[u8], out: &mut [u8]) -> Progress {
        let state = &mut self.state;
        let mut plus = PlusState { plus: self.options.plus, in_query: state.in_query };
        let decoding = self.options.with_pluses(plus.advance_to_start(src));
        let mut malformed = None;
        let progress = decoding.run(src, sink::OutputBuffer::initialized(out), &mut malformed).progress();
        // The question mark counts only if it is in the part of `src` that has been read.
        state.in_query |= plus.in_query && decoding.plus.from < progress.read;
        state.malformed = state.malformed.or(malformed.map(|at| state.offset.saturating_add(at)));
        if progress.read < src.len() {
            state.error = decoding.stop_error(src, progress.read).map(|error| error.shifted(state.offset));
        }
        state.offset = state.offset.saturating_add(progress.read);
        progress
    }

    /// Decodes as much of `chunk` as `out` has room for.
    ///
    /// If `out` has fewer than 3 bytes (7 if triplets of `%` are kept), this call may make no progress.
    ///
    /// # Errors
    ///
    /// Returns an error if `chunk` starts with a faulty escape. Only a [`CheckedDecoder`] returns this error. The
    /// offset in the error counts bytes from the start of the stream, up to `usize::MAX`. If other bytes come before
    /// the faulty escape, this call returns their progress, and the next call returns the error. The error is
    /// permanent: all later calls return it too.
    pub fn push(&mut self, chunk: &[u8], out: &mut [u8]) -> Result<Progress, DecodeError> {
        if let Some(error) = self.state.error {
            return Err(error);
        }
        // We cut the chunk to the bytes whose output may fit in `out`. The bytes after them needn't be searched for
        // `?`, because the next call gets them again.
        let chunk = &chunk[..chunk.len().min(out.len().saturating_mul(3).saturating_add(3))];
        let mut held = self.state.held;
        let profile = self.options.profile;
        let progress =
            feed(&mut held, |src| profile.settled_prefix_len(src), |src, out| self.run(src, out), chunk, out);
        self.state.held = held;
        // `run` reports `Truncated` if its `src` ends with a `%`, or with a `%` and a digit. But a `%` that may still
        // start a triplet is held back. So the input has a byte after this `src`, and this byte isn't a digit.
        if let Some(DecodeError { kind: kind @ DecodeErrorKind::Truncated, .. }) = &mut self.state.error {
            *kind = DecodeErrorKind::NotHex;
        }
        match self.state.error {
            Some(error) if progress.read + progress.written == 0 => Err(error),
            _ => Ok(progress),
        }
    }

    /// Ends the stream, and writes the bytes that were held back, at most 6. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error in these cases:
    ///
    /// - `out` is too small. You can then call `finish` again.
    /// - The decoder is strict, and the stream ends inside a triplet.
    /// - An earlier call returned an error. This call returns the same error.
    pub fn finish(&mut self, out: &mut [u8]) -> Result<usize, SliceError<DecodeError>> {
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
            None => Ok(progress.written),
        }
    }

    /// Returns the position of the stream.
    pub(crate) fn suspend(&self) -> DecodeStreamState {
        self.state
    }

    /// Returns the offset of the first malformed `%` so far, in bytes of the whole stream.
    #[must_use]
    pub fn first_malformed(&self) -> Option<usize> {
        // If `out` was full, the stream may hold a `%` that it has already found to be malformed.
        let is_malformed = complete_triplets_len(self.state.held.as_slice()) > 0;
        self.state.malformed.or_else(|| is_malformed.then_some(self.state.offset))
    }
}

macro_rules! stream {
    ($decoder:ident) => {
        impl $decoder {
            /// Starts to decode a stream.
            #[must_use]
            pub fn stream(&self) -> DecodeStream {
                self.resume(DecodeStreamState::default())
            }

            /// Continues a suspended stream of this decoder.
            pub(crate) fn resume(&self, state: DecodeStreamState) -> DecodeStream {
                DecodeStream { options: *self.options(), state, by_line: false }
            }
        }
    };
}

stream!(Decoder);
stream!(CheckedDecoder);
