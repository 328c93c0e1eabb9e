//! Encodes and decodes from a [`bytes::Buf`] into a [`bytes::BufMut`].

use bytes::{Buf, BufMut};

use super::Progress;
use crate::decode::{CheckedDecoder, Decoder};
use crate::encode::{Encoder, RawEncoder};
use crate::error::{DecodeError, SliceError};

/// The maximum number of bytes to put into the output at a time.
const PIECE: usize = if cfg!(fuzzing) { 64 } else { 4 * 1024 };

/// Passes the chunks of `input` to `push` until all are read, and puts the output into `out`. Returns the length of the
/// output.
fn pump<E>(
    mut input: impl Buf,
    out: &mut (impl BufMut + ?Sized),
    buffer: &mut [u8],
    mut push: impl FnMut(&[u8], &mut [u8]) -> Result<Progress, E>,
) -> Result<u64, E> {
    let mut total = 0;
    while input.has_remaining() {
        let Progress { read, written } = push(input.chunk(), buffer)?;
        input.advance(read);
        out.put_slice(&buffer[..written]);
        total += written as u64;
    }
    Ok(total)
}

macro_rules! encode_buf {
    ($encoder:ident) => {
        impl $encoder {
            /// Encodes all remaining bytes of `input` into `out`. Chunks may end anywhere. Returns the number of bytes
            /// written.
            ///
            /// # Examples
            ///
            /// ```
            /// use bytes::{Buf, BytesMut};
            /// use percent_simd::{Encoder, sets};
            ///
            /// let (input, mut out) = ((&b"a b"[..]).chain(&b"/c"[..]), BytesMut::from("/"));
            /// assert_eq!(Encoder::new(sets::RFC3986_SEGMENT).encode_buf(input, &mut out), 9);
            /// assert_eq!(out, "/a%20b%2Fc");
            /// ```
            ///
            /// # Panics
            ///
            /// Panics if `out` is full, like [`BufMut::put_slice`].
            pub fn encode_buf(&self, input: impl Buf, out: &mut (impl BufMut + ?Sized)) -> u64 {
                let (mut stream, mut buffer) = (self.stream(), [0; PIECE]);
                let pushed = pump(input, out, &mut buffer, |chunk, buffer| {
                    Ok::<_, core::convert::Infallible>(stream.push(chunk, buffer))
                });
                let Ok(pushed) = pushed;
                // This writes the few bytes that the stream holds back.
                let ended = stream.finish(&mut buffer).unwrap_or_default();
                out.put_slice(&buffer[..ended]);
                pushed + ended as u64
            }
        }
    };
}

encode_buf!(Encoder);
encode_buf!(RawEncoder);

impl CheckedDecoder {
    /// Decodes all remaining bytes of `input` into `out`. Chunks may end anywhere. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error if the input has a faulty escape. The decoded bytes before it may be in `out`.
    ///
    /// # Panics
    ///
    /// Panics if `out` is full, like [`BufMut::put_slice`].
    pub fn decode_buf(&self, input: impl Buf, out: &mut (impl BufMut + ?Sized)) -> Result<u64, DecodeError> {
        let (mut stream, mut buffer) = (self.stream(), [0; PIECE]);
        let pushed = pump(input, out, &mut buffer, |chunk, buffer| stream.push(chunk, buffer))?;
        let ended = match stream.finish(&mut buffer) {
            Ok(ended) => ended,
            Err(SliceError::Input(error)) => return Err(error),
            // This never happens, because the stream holds back only a few bytes, and the buffer has space for them.
            Err(SliceError::OutputTooSmall(_)) => 0,
        };
        out.put_slice(&buffer[..ended]);
        Ok(pushed + ended as u64)
    }
}

impl Decoder {
    /// Decodes all remaining bytes of `input` into `out`. Chunks may end anywhere. Returns the number of bytes written.
    ///
    /// # Examples
    ///
    /// ```
    /// use bytes::{Buf, Bytes};
    /// use percent_simd::Decoder;
    ///
    /// // An escape may begin in one chunk and end in the next.
    /// let (input, mut out) = (Bytes::from("caf%C3%").chain(&b"A9"[..]), Vec::new());
    /// assert_eq!(Decoder::new().decode_buf(input, &mut out), 5);
    /// assert_eq!(out, "café".as_bytes());
    ///
    /// // `Bytes` is an input of every other call, too.
    /// assert_eq!(Decoder::new().decode_utf8(&Bytes::from("%41"))?, "A");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if `out` is full, like [`BufMut::put_slice`].
    pub fn decode_buf(&self, input: impl Buf, out: &mut (impl BufMut + ?Sized)) -> u64 {
        // A lenient decoder accepts any input.
        self.as_checked().decode_buf(input, out).unwrap_or_default()
    }
}
