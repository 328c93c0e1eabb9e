//! Runs short inputs, as most components of URLs are, into a buffer on the stack, which shows how long the result is and
//! whether it differs. That takes less time than to scan first and to measure then.

use core::mem::MaybeUninit;

use crate::codec::{Codec, Look};
use crate::isa::EXPANDED;
use crate::kernel::Seen;

/// Inputs up to this length are short.
const SHORT: usize = 256;

/// Output space for all that a short input can become.
pub(super) type Buffer = [MaybeUninit<u8>; 3 * SHORT + EXPANDED];
pub(super) const EMPTY: Buffer = [MaybeUninit::uninit(); _];

/// How an input is to be dealt with.
pub(super) enum Way {
    /// Its output is itself; whether all of it is known to be ASCII.
    Unchanged { ascii: bool },
    /// By way of a [`Buffer`].
    Short,
    /// Piece by piece.
    Long,
}

/// Decides how to deal with `src`. Every sink asks here, and nowhere else, whether an input is short.
#[inline(always)]
pub(super) fn way<C: Codec>(codec: &C, src: &[u8]) -> Way {
    match by_length(src) {
        Way::Long => Way::Long,
        way => match codec.look(src) {
            Look { unchanged: true, ascii } => Way::Unchanged { ascii },
            _ => way,
        },
    }
}

/// Like [`way`], for sinks that write all of the output in any case: they look only if that is sure to pay.
#[inline(always)]
pub(super) fn way_to_copy<C: Codec>(codec: &C, src: &[u8]) -> Way {
    if C::LOOKS_FAST { way(codec, src) } else { by_length(src) }
}

/// Like [`way`], without a look at the bytes.
#[inline(always)]
pub(super) fn by_length(src: &[u8]) -> Way {
    if src.len() > SHORT { Way::Long } else { Way::Short }
}

/// Returns whether `src` came out as it is.
#[inline(always)]
pub(super) fn is_unchanged<C: Codec>(codec: &C, src: &[u8], out: &[u8]) -> bool {
    out.len() == src.len() && (codec.facts().resizes || out == src)
}

/// Returns whether a run that has `seen` this may have stopped at an error.
#[inline(always)]
pub(super) fn may_have_failed<C: Codec>(codec: &C, seen: Seen) -> bool {
    seen.malformed && codec.is_strict()
}
