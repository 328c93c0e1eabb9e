//! Writes short outputs to the memory of a caller.

use super::{Kernels, written_by_kernel};
use crate::isa::BLOCK;
use crate::kernel::{EncodeProfile, Short};
use crate::output::{OutputBuffer, cell};
use crate::words::{WORDS, Words, copy_few, few_bytes, joined, overlapping, store_overlapping, store_word};

impl<'d> OutputBuffer<'d> {
    /// Copies like [`copy`](Self::copy), but faster for lengths up to [`BLOCK`].
    #[inline(always)]
    pub(crate) fn copy_short(&mut self, bytes: &[u8]) -> Option<usize> {
        if bytes.len() > BLOCK {
            return self.copy(bytes);
        }
        copy_few(bytes, self.0.get_mut(..bytes.len())?, cell);
        Some(bytes.len())
    }

    /// Copies a `src` of up to [`WORDS`] bytes to the front of this memory if `check` returns true. `check` gets the
    /// bytes in words.
    ///
    /// Lengths differ from call to call. If the CPU can't predict the length of a copy, the copy takes as long as all
    /// other work of the call. So this function always copies the same number of words. If `src` is shorter than all
    /// these words, they overlap (see words.rs).
    #[inline(always)]
    pub(crate) fn copy_words(self, src: &[u8], check: impl Fn(Words) -> bool) -> Option<usize> {
        let dst = self.0.get_mut(..src.len())?;
        if src.len() > WORDS {
            return None;
        }
        if let Some(words) = overlapping::<4>(src) {
            if !check(Words::Long(&joined(words))) {
                return None;
            }
            store_overlapping(words, dst);
        } else if let Some(words) = overlapping::<8>(src) {
            if !check(Words::Long(&words.map(u64::from_le_bytes))) {
                return None;
            }
            store_overlapping(words, dst);
        } else if let Some(bytes) = few_bytes(src) {
            if !check(Words::Bytes(bytes)) {
                return None;
            }
            let len = dst.len();
            for (at, byte) in [0, len / 2, len.wrapping_sub(1)].into_iter().zip(bytes) {
                *dst.get_mut(at)? = cell(byte);
            }
        }
        Some(src.len())
    }

    /// Encodes 1 to 16 bytes into this memory: see [`Kernels::encode_few_plain`].
    #[inline(always)]
    pub(crate) fn encode_few(self, kernels: Kernels, profile: &EncodeProfile, src: &[u8]) -> Short {
        match profile.plus {
            false => kernels.encode_few_plain(profile, src, self.0),
            true => kernels.encode_few_pluses(profile, src, self.0),
        }
    }

    /// Encodes a short `src` into this memory. The set keeps only ASCII, and the only option is `plus`. The memory must have
    /// space for the longest output, and for the bytes that a whole-register store writes after it.
    #[inline(always)]
    pub(crate) fn encode_short(self, kernels: Kernels, profile: &EncodeProfile, src: &[u8]) -> Short {
        Short::written(match profile.plus {
            false => kernels.encode_short_plain(profile, src, self.0),
            true => kernels.encode_short_pluses(profile, src, self.0),
        })
    }

    /// Encodes a short `src` into this memory: see [`Kernels::encode_exact`].
    #[inline(always)]
    pub(crate) fn encode_exact(self, kernels: Kernels, profile: &EncodeProfile, src: &[u8]) -> Short {
        kernels.encode_exact(profile, src, self.0)
    }

    /// Decodes a short `src` into this memory: see [`Kernels::decode_exact`].
    #[inline(always)]
    pub(crate) fn decode_exact(self, kernels: Kernels, src: &[u8], pluses: bool) -> Short {
        kernels.decode_exact(src, self.0, pluses)
    }

    /// Writes the first `len` bytes of `word` to the front of this memory. Returns `None` if they don't fit.
    #[inline(always)]
    pub(crate) fn put_word(self, word: u64, len: usize) -> Option<()> {
        store_word(word, len, self.0)
    }

    /// Returns the first `written` bytes, which a kernel has written.
    #[inline(always)]
    pub(crate) fn written(self, written: usize) -> &'d mut [u8] {
        written_by_kernel(self, written)
    }
}
