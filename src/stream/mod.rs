//! Encodes and decodes chunks that end anywhere, and adapts `std::io`.
//!
//! A chunk may end inside a triplet. A stream then holds the bytes of this triplet back. The next chunk, or a call of
//! [`finish`](EncodeStream::finish), decides how these bytes are treated. A stream holds back at most two bytes, `%`
//! and a digit. If escapes of `%` are kept, the stream holds back up to six bytes, because
//! [a triplet may hide](crate::Decoder::keep) in `%%32%46`. A stream buffers no other bytes, and never allocates.
#![forbid(unsafe_code)]

use crate::kernel::LATENT;

#[cfg(feature = "std")]
mod adapter;
#[cfg(feature = "bytes")]
mod buf;
mod decode;
mod encode;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod writer;

#[cfg(feature = "std")]
pub use adapter::CodecStream;
pub use decode::{DecodeStream, DecodeStreamState};
pub use encode::{EncodeStream, EncodeStreamState};
// Kernels and streams share this type.
pub use crate::kernel::Progress;
#[cfg(feature = "std")]
pub use reader::StreamReader;
#[cfg(feature = "std")]
pub use writer::StreamWriter;

/// Bytes that were read but not yet processed.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    bytes: [u8; LATENT],
    len: usize,
}

impl Held {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn replace(&mut self, bytes: &[u8]) {
        let len = bytes.len().min(LATENT);
        self.bytes[..len].copy_from_slice(&bytes[..len]);
        self.len = len;
    }
}

/// Encodes or decodes the held bytes, and then `chunk` up to the length that `settled_prefix_len` returns. Later input
/// can't change the output of the bytes before that length.
fn feed(
    held: &mut Held,
    settled_prefix_len: impl Fn(&[u8]) -> usize,
    mut run: impl FnMut(&[u8], &mut [u8]) -> Progress,
    chunk: &[u8],
    out: &mut [u8],
) -> Progress {
    let mut fed = Progress { read: 0, written: 0 };
    // First the held bytes are processed, each time together with the next bytes of the chunk.
    while held.len > 0 {
        let (before, mut joined) = (held.len, *held);
        let more = (LATENT - before).min(chunk.len());
        joined.bytes[before..before + more].copy_from_slice(&chunk[..more]);
        joined.len += more;
        let decided = settled_prefix_len(joined.as_slice());
        if decided == 0 {
            // The chunk is too short to decide how the held bytes are treated.
            *held = joined;
            fed.read = more;
            return fed;
        }
        let progress = run(&joined.as_slice()[..decided], &mut out[fed.written..]);
        fed.written += progress.written;
        fed.read = progress.read.saturating_sub(before);
        held.replace(&joined.as_slice()[progress.read.min(before)..before]);
        if progress.read < decided {
            return fed;
        }
    }
    let rest = &chunk[fed.read..];
    let decided = settled_prefix_len(rest);
    let progress = run(&rest[..decided], &mut out[fed.written..]);
    fed.read += progress.read;
    fed.written += progress.written;
    if progress.read == decided {
        held.replace(&rest[decided..]);
        fed.read = chunk.len();
    }
    fed
}
