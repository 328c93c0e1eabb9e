//! Checks that bytes are UTF-8 (RFC 3629), 64 at a time.

use super::{chunk, load};
use crate::isa::{BLOCK, Isa};

/// Blocks of ASCII after which more of them are looked for.
const QUIET: usize = 4;

/// Whether `src` is UTF-8. Where it is not, the standard library tells from where on: that path need not be fast.
#[inline(always)]
pub(crate) fn is_utf8<I: Isa>(isa: I, src: &[u8]) -> bool {
    let mut before = isa.splat(0);
    // Whether the last block ends above ASCII, and so perhaps within a sequence.
    let mut open = 0;
    let mut i = 0;
    // Blocks of ASCII in a row.
    let mut quiet = 0;
    // One block beyond the end, so that a sequence cut off there meets a zero.
    while i <= src.len() {
        if quiet >= QUIET {
            // One test for as many as four blocks. Compilers make vectors of it.
            while let Some(bytes) = chunk::<{ 4 * BLOCK }>(src, i)
                && bytes.iter().fold(0, |all, &byte| all | byte) < 0x80
            {
                i += 4 * BLOCK;
            }
            quiet = 0;
        }
        let block = load(isa, src, i);
        let high = isa.high_mask(block);
        quiet = if high == 0 { quiet + 1 } else { 0 };
        if high | open != 0 && isa.utf8_error(block, before) {
            return false;
        }
        before = block;
        open = high >> (BLOCK - 1);
        i += BLOCK;
    }
    true
}
