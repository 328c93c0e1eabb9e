//! Checks that bytes are UTF-8 (RFC 3629), 64 at a time.
//!
//! # The problem
//!
//! A lead byte announces its continuation bytes: one after C2 to DF, two after E0 to EF, three after F0 to F4. Even
//! with the right number of continuation bytes, some pairs of bytes are errors: overlong forms, surrogates, and
//! characters above U+10FFFF. Decoded output must pass this test before it can be text.
//!
//! # The idea
//!
//! This is the algorithm of J. Keiser and D. Lemire (isa/tables.rs has the reference and the tables). Almost every
//! error is visible in two neighbouring bytes. Each kind of error has a bit. Each of three tables of 16 bytes lists the
//! errors that are possible:
//!
//! - after a first byte with this high nibble,
//! - after a first byte with this low nibble,
//! - with a second byte that has this high nibble.
//!
//! If all three entries for a pair have the bit of an error, the pair has this error. So three shuffles and two ANDs
//! test every pair of a register.
//!
//! The bit `TWO_CONTS` (0x80) is different, because it isn't always an error. It marks two continuation bytes in a row.
//! They are valid if and only if the second one is the third or fourth byte of a sequence. It is the third byte if the
//! byte two lanes before it is E0 or above. It is the fourth byte if the byte three lanes before it is F0 or above. In
//! these lanes, `must` has the bit. So `wrong` XOR `must` is 0 in every lane if and only if there is no error.
//!
//! ```text
//! for each block, and for one block of zeros after the end:
//!     one, two, three = the bytes one, two and three lanes before       (the first ones from the block before)
//!     wrong = FIRST_HIGH[one / 16] & FIRST_LOW[one % 16] & SECOND_HIGH[byte / 16]
//!     must  = 0x80 where two >= E0 or three >= F0
//!     error if wrong ^ must != 0 in any lane
//! ```
//!
//! # Example
//!
//! 16 bytes: `té €😀`, then the surrogate ED A0 80, then two dots. The first byte follows a byte of ASCII.
//!
//! ```text
//! byte    74 C3 A9 20 E2 82 AC F0 9F 98 80 ED A0 80 2E 2E
//! wrong    .  .  .  .  .  . 80  .  . 80 80  . 10 80  .  .
//! must     .  .  .  .  .  . 80  .  . 80 80  .  . 80  .  .
//! XOR      .  .  .  .  .  .  .  .  .  .  .  . 10  .  .  .
//! ```
//!
//! In the pair ED A0, the first byte has the high nibble E, whose entry is 0x15 (too short, overlong, surrogate). Its
//! low nibble D has the entry 0xDB. The second byte has the high nibble A, whose entry is 0xBA. All three entries have
//! 0x10, the bit of surrogates. In the first 11 bytes, which are well-formed, the XOR is 0.
//!
//! # Why not the obvious way
//!
//! - *The standard library* checks ASCII in words, but all other text byte by byte, with branches on the lengths of
//!   sequences. If this check finds an error, vector engines call the standard library to find its offset.
//! - *A state machine over bytes.* Each byte waits for the state after the byte before it. In our algorithm, a block
//!   needs only the last three bytes of the block before, and no lane waits for another lane.

use super::load;
use crate::isa::{BLOCK, Isa};
use crate::words::chunk;

/// After this many blocks of ASCII in a row, four are tested at once.
const QUIET: usize = 4;

/// Returns `None` if `src` is UTF-8. Otherwise returns the offset of the block in which the first error was found. The
/// characters that end at least three bytes before this offset are valid. A caller that needs the exact offset finds it
/// with the standard library.
#[inline(always)]
pub(crate) fn utf8_error<I: Isa>(isa: I, src: &[u8]) -> Option<usize> {
    let mut before = isa.splat(0);
    // Nonzero if the last byte of the block before is above ASCII. If so, a sequence possibly continues in this block.
    let mut open = 0;
    let mut i = 0;
    // Blocks of ASCII in a row.
    let mut quiet = 0;
    // If `src` ends with a whole block, the loop adds a block of zeros. So a zero always follows the last byte. If the
    // end cuts a sequence off, the zero makes it an error.
    while i <= src.len() {
        if quiet >= QUIET {
            // This tests four blocks at once. Compilers vectorize the test.
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
            return Some(i);
        }
        before = block;
        open = high >> (BLOCK - 1);
        i += BLOCK;
    }
    None
}

/// Returns the length of the longest prefix of `src` that is ASCII and has no `%`, rounded down to a multiple of four
/// blocks. One pass tests both conditions, and compilers vectorize it.
#[inline(always)]
pub(crate) fn unescaped_ascii_len<I: Isa>(_: I, src: &[u8]) -> usize {
    let (groups, _) = src.as_chunks::<{ 4 * BLOCK }>();
    // After the XOR, a `%` is zero, a byte above ASCII is negative, and every other byte is positive.
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

/// Returns whether the function `is` returns true for any lane. It is called for all lanes without a branch, and
/// compilers make two instructions of these calls.
#[inline(always)]
fn any<T: Copy>(lanes: [T; BLOCK], is: impl Fn(T) -> bool) -> bool {
    lanes.iter().fold(false, |any, &lane| any | is(lane))
}
