//! Forms (`application/x-www-form-urlencoded`), whose parts are too short for a call each.
//!
//! To parse: where pairs and their parts end, and what stands in them, in one look at a window of 64 octets. Delimiters
//! are no hexadecimal digits, so a triplet never reaches over one: the window is decoded as a whole, and a part of it is
//! found in the result by counting the triplets before.
//!
//! To serialise: all parts in a row, with their delimiters, which are marked and so stay.

use core::mem::MaybeUninit;

use crate::isa::{BLOCK, COMPACTED, Isa, Room};

/// What is where in the first 64 octets of an input. What the end of the window cuts off may be seen wrongly; of a part
/// with a delimiter after it all is as it should be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// `&`, and the other octet that ends a pair.
    pub(crate) separators: u64,
    /// `=`.
    pub(crate) equals: u64,
    /// Triplets, by their `%`.
    pub(crate) starts: u64,
    /// `%` that start none.
    pub(crate) malformed: u64,
    /// Octets that decoding would change: `+`, and triplets by their `%`.
    pub(crate) changes: u64,
    /// Octets of 0x80 and above, decoded.
    pub(crate) high: u64,
    /// If anything changes, the window decoded: two octets less for every start.
    pub(crate) decoded: Room<COMPACTED>,
}

impl Window {
    /// One of nothing.
    pub(crate) const EMPTY: Window = Window {
        separators: 0,
        equals: 0,
        starts: 0,
        malformed: 0,
        changes: 0,
        high: 0,
        decoded: [MaybeUninit::uninit(); _],
    };
}

/// Looks at up to 64 octets of `src`; `second` ends a pair as `&` does.
#[inline(always)]
pub(crate) fn look<I: Isa>(isa: I, src: &[u8], second: u8, window: &mut Window) {
    let block = match src.first_chunk::<BLOCK>() {
        Some(block) => isa.load(block),
        None => isa.load_part(src),
    };
    window.separators = isa.eq(block, b'&') | isa.eq(block, second);
    window.equals = isa.eq(block, b'=');
    let (percents, pluses) = (isa.eq(block, b'%'), isa.eq(block, b'+'));
    let (mut starts, mut decoded) = (0, block);
    if percents != 0 {
        let [next, after] = isa.following(block);
        (starts, decoded) = isa.triplets(block, next, after);
    }
    if percents | pluses != 0 {
        decoded = isa.select(pluses, isa.splat(b' '), decoded);
        isa.compact(decoded, !(starts << 1 | starts << 2), &mut window.decoded);
    }
    window.starts = starts;
    window.malformed = percents & !starts;
    window.changes = starts | pluses;
    window.high = isa.high(decoded);
}
