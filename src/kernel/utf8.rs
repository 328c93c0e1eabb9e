//! Checks that bytes are UTF-8 (RFC 3629), 64 at a time.

use super::load;
use crate::isa::{BLOCK, Isa};
use crate::words::chunk;

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
                && !any(fold(bytes, 0, |all, byte| all | byte), |all| all >= 0x80)
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

/// Returns the length of the longest prefix of `src` that is ASCII and holds no `%`, rounded down to groups of four blocks. One
/// pass, of which compilers make vectors, in place of one for each of the two.
#[inline(always)]
pub(crate) fn unescaped_ascii_len<I: Isa>(_: I, src: &[u8]) -> usize {
    let (groups, _) = src.as_chunks::<{ 4 * BLOCK }>();
    // Zero for a `%`, and negative above ASCII.
    let is_clean = |group: &&[u8; 4 * BLOCK]| {
        !any(fold(group, i8::MAX, |least, byte| least.min((byte ^ b'%') as i8)), |least| least <= 0)
    };
    4 * BLOCK * groups.iter().take_while(is_clean).count()
}

/// Folds four blocks into one, lane by lane.
#[inline(always)]
fn fold<T: Copy>(group: &[u8; 4 * BLOCK], start: T, join: impl Fn(T, u8) -> T) -> [T; BLOCK] {
    let mut all = [start; BLOCK];
    for block in group.as_chunks::<BLOCK>().0 {
        for (all, &byte) in all.iter_mut().zip(block) {
            *all = join(*all, byte);
        }
    }
    all
}

/// Returns whether that is so in a lane. All are asked, which takes two instructions.
#[inline(always)]
fn any<T: Copy>(lanes: [T; BLOCK], is: impl Fn(T) -> bool) -> bool {
    lanes.iter().fold(false, |any, &lane| any | is(lane))
}
