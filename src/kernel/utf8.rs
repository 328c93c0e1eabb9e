//! Checks that bytes are UTF-8 (RFC 3629), 64 at a time.

use super::load;
use crate::isa::{BLOCK, Isa};

/// Whether `src` is UTF-8. Where it is not, the standard library tells from where on: that path need not be fast.
#[inline(always)]
pub(crate) fn is_utf8<I: Isa>(isa: I, src: &[u8]) -> bool {
    let mut before = isa.splat(0);
    // Whether the last block ends above ASCII, and so perhaps within a sequence.
    let mut open = 0;
    let mut i = 0;
    // One block beyond the end, so that a sequence cut off there meets a zero.
    while i <= src.len() {
        let block = load(isa, src, i);
        let high = isa.high_mask(block);
        if high | open != 0 && isa.utf8_error(block, before) {
            return false;
        }
        before = block;
        open = high >> (BLOCK - 1);
        i += BLOCK;
    }
    true
}
