//! Defines [`EncodeStream`], which encodes chunk by chunk.

use super::{Held, Progress, feed};
use crate::codec::Codec;
use crate::encode::{Encoder, RawEncoder};
use crate::error::OutputTooSmall;
use crate::sink;

/// Encodes a stream, chunk by chunk. Made by [`Encoder::stream`] and [`RawEncoder::stream`].
///
/// # Examples
///
/// ```
/// use percent_simd::{Encoder, sets};
///
/// let mut stream = Encoder::new(sets::RFC3986_PATH).keep_triplets().stream();
/// let mut out = [0; 16];
/// assert_eq!(stream.push(b"/a b%", &mut out).written, 6); // the % waits
/// assert_eq!(stream.push(b"2", &mut out).written, 0);
/// let progress = stream.push(b"0", &mut out);
/// assert_eq!(&out[..progress.written], b"%20");
/// assert_eq!(stream.finish(&mut out)?, 0);
/// # Ok::<(), percent_simd::OutputTooSmall>(())
/// ```
#[derive(Clone, Debug)]
pub struct EncodeStream {
    encoder: RawEncoder,
    held: Held,
}

/// Holds the position of an [`EncodeStream`] between two chunks, without its encoder.
///
/// The default is the start of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct EncodeStreamState {
    held: Held,
}

impl EncodeStream {
    /// Encodes as much of `chunk` as `out` has room for.
    ///
    /// A triplet is never split, so `out` should have room for at least 3 bytes.
    pub fn push(&mut self, chunk: &[u8], out: &mut [u8]) -> Progress {
        let encoding = self.encoder.encoding();
        let run =
            |src: &[u8], out: &mut [u8]| encoding.run(src, sink::OutputBuffer::initialized(out), &mut None).progress();
        feed(&mut self.held, |src| encoding.settled_prefix_len(src), run, chunk, out)
    }

    /// Ends the stream, and writes the bytes that were held back, at most 6. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The stream is then unchanged, so you can call `finish` again.
    pub fn finish(&mut self, out: &mut [u8]) -> Result<usize, OutputTooSmall> {
        let written =
            sink::slice(self.encoder.encoding(), self.held.as_slice(), sink::OutputBuffer::initialized(out))?.1.written;
        self.held.len = 0;
        Ok(written)
    }

    /// Returns the position of the stream.
    pub(crate) fn suspend(&self) -> EncodeStreamState {
        EncodeStreamState { held: self.held }
    }
}

impl Encoder {
    /// Starts to encode a stream.
    #[must_use]
    pub fn stream(&self) -> EncodeStream {
        self.raw().stream()
    }
}

impl RawEncoder {
    /// Starts to encode a stream.
    #[must_use]
    pub fn stream(&self) -> EncodeStream {
        self.resume(EncodeStreamState::default())
    }

    /// Continues a suspended stream of this encoder.
    pub(crate) fn resume(&self, state: EncodeStreamState) -> EncodeStream {
        EncodeStream { encoder: *self, held: state.held }
    }
}
