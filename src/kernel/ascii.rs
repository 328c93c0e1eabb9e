//! Checks that bytes are ASCII, 64 at a time.

use super::load;
use crate::isa::{BLOCK, Isa};

/// Returns whether `src` has no byte of 0x80 or above.
#[inline(always)]
pub(crate) fn is_ascii<I: Isa>(isa: I, src: &[u8]) -> bool {
    let (blocks, rest) = src.as_chunks::<BLOCK>();
    blocks.iter().all(|block| isa.high_mask(isa.load(block)) == 0) && isa.high_mask(load(isa, rest, 0)) == 0
}
