//! Gathers short texts and the delimiters between them in one buffer, and encodes the texts in one call. The delimiters
//! stay unescaped.

use super::ascii::AsciiEncoding;
use crate::codec::Encoding;
use crate::isa::{BLOCK, EXPANDED};
use crate::output::{EMPTY_CELL, OutputBuffer, text, unchecked};
use crate::words::small_bytes;

/// Texts to encode together, and the delimiters between them: up to `N` blocks. A delimiter stays unescaped even if it
/// isn't in the encoder's set.
pub struct Gather<const N: usize> {
    blocks: [[u8; BLOCK]; N],
    /// For each block, a mask of the bytes that stay unescaped. These bytes are ASCII.
    marks: [u64; N],
    len: usize,
}

impl<const N: usize> Default for Gather<N> {
    #[inline]
    fn default() -> Gather<N> {
        Gather { blocks: [[0; _]; _], marks: [0; _], len: 0 }
    }
}

impl<const N: usize> Gather<N> {
    /// Returns how many more bytes fit.
    #[inline]
    pub fn space(&self) -> usize {
        N * BLOCK - self.len
    }

    /// Adds a byte that stays unescaped.
    ///
    /// # Panics
    ///
    /// Panics if `delimiter` isn't ASCII, or doesn't fit.
    #[inline]
    pub fn push_delimiter(&mut self, delimiter: u8) {
        assert!(delimiter.is_ascii());
        self.marks[self.len / BLOCK] |= 1 << (self.len % BLOCK);
        self.blocks[self.len / BLOCK][self.len % BLOCK] = delimiter;
        self.len += 1;
    }

    /// Adds bytes to encode. Most callers add few bytes. So if there are fewer than 16 bytes, this stores 16 bytes at
    /// once, and the next call overwrites the excess bytes.
    ///
    /// # Panics
    ///
    /// Panics if `bytes` don't fit.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        let rest = &mut self.blocks.as_flattened_mut()[self.len..];
        match rest.first_chunk_mut::<16>() {
            Some(out) if bytes.len() < 16 => *out = small_bytes(bytes),
            _ => rest[..bytes.len()].copy_from_slice(bytes),
        }
        self.len += bytes.len();
    }

    /// Encodes all added bytes, hands the text to `put`, and starts over.
    #[inline]
    pub fn encode<R>(&mut self, encoding: AsciiEncoding, put: impl FnOnce(&str) -> R) -> R {
        let mut out = [[EMPTY_CELL; EXPANDED]; N];
        let bytes = &self.blocks.as_flattened()[..self.len];
        let Encoding { profile, .. } = encoding.encoding();
        let kernels = encoding.encoding().kernels();
        let encoded = kernels.encode_short(profile, bytes, &self.marks, OutputBuffer::new(out.as_flattened_mut()));
        // SAFETY: this encoding has written all bytes except the delimiters, which are ASCII too.
        let result = put(unchecked!(text(encoded)));
        (self.marks, self.len) = ([0; _], 0);
        result
    }
}
