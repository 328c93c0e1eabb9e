//! Copies short texts and the delimiters between them into one buffer, and encodes them in one call; delimiters stay.

use super::ascii::AsciiEncoding;
use crate::codec::Encoding;
use crate::isa::{BLOCK, EXPANDED};
use crate::output::{EMPTY_CELL, OutputBuffer, text, unchecked};
use crate::words::small_bytes;

/// Bytes to be encoded together, with marks at those that stay whatever the set says: up to `N` blocks of them.
pub struct Gather<const N: usize> {
    blocks: [[u8; BLOCK]; N],
    /// Which bytes of each block stay. All of these are ASCII.
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
    /// Returns how many bytes there is space for.
    #[inline]
    pub fn space(&self) -> usize {
        N * BLOCK - self.len
    }

    /// Adds a byte that stays as it is.
    ///
    /// # Panics
    ///
    /// If it is not ASCII, or there is no space for it.
    #[inline]
    pub fn push_delimiter(&mut self, delimiter: u8) {
        assert!(delimiter.is_ascii());
        self.marks[self.len / BLOCK] |= 1 << (self.len % BLOCK);
        self.blocks[self.len / BLOCK][self.len % BLOCK] = delimiter;
        self.len += 1;
    }

    /// Adds bytes to be encoded. Most are few: they are stored with what follows them, which the next ones overwrite.
    ///
    /// # Panics
    ///
    /// If there is no space for them.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        let rest = &mut self.blocks.as_flattened_mut()[self.len..];
        match rest.first_chunk_mut::<16>() {
            Some(out) if bytes.len() < 16 => *out = small_bytes(bytes),
            _ => rest[..bytes.len()].copy_from_slice(bytes),
        }
        self.len += bytes.len();
    }

    /// Encodes all that was added, hands the text to `put`, and starts over.
    #[inline]
    pub fn encode<R>(&mut self, encoding: AsciiEncoding, put: impl FnOnce(&str) -> R) -> R {
        let mut out = [[EMPTY_CELL; EXPANDED]; N];
        let bytes = &self.blocks.as_flattened()[..self.len];
        let Encoding { profile, .. } = encoding.encoding();
        let kernels = encoding.encoding().kernels();
        let encoded = kernels.encode_short(profile, bytes, &self.marks, OutputBuffer::new(out.as_flattened_mut()));
        // SAFETY: this encoding has written it, but for the delimiters, which are ASCII too.
        let result = put(unchecked!(text(encoded)));
        (self.marks, self.len) = ([0; _], 0);
        result
    }
}
