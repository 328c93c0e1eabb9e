//! Runs short inputs, as most components of URLs are, into a buffer on the stack, which shows how long the result is and
//! whether it differs. That takes less time than to scan first and to measure then.

use core::mem::MaybeUninit;

use crate::codec::{Codec, QuickCheck};
use crate::isa::EXPANDED;
use crate::kernel::ShortFlags;
use crate::kernel::scalar::SHORT;

/// Output space for all that a short input can become.
pub(super) type Buffer = [MaybeUninit<u8>; 3 * SHORT + EXPANDED];
pub(super) const EMPTY: Buffer = [MaybeUninit::uninit(); _];

/// How a sink runs over an input.
pub(super) enum Plan {
    /// Its output is itself; whether all of it is known to be ASCII.
    Unchanged { ascii: bool },
    /// Into a [`Buffer`], in one call.
    Short,
    /// Piece by piece.
    Long,
}

/// Returns the plan for `src`. Every sink asks here, and nowhere else, whether an input is short.
#[inline(always)]
pub(super) fn plan<C: Codec>(codec: &C, src: &[u8]) -> Plan {
    match plan_by_length(src) {
        Plan::Long => Plan::Long,
        short => match codec.quick_check(src) {
            QuickCheck { unchanged: true, ascii } => Plan::Unchanged { ascii },
            _ => short,
        },
    }
}

/// Like [`plan`], by the length alone.
#[inline(always)]
pub(super) fn plan_by_length(src: &[u8]) -> Plan {
    if src.len() > SHORT { Plan::Long } else { Plan::Short }
}

/// Returns whether `src` came out as it is.
#[inline(always)]
pub(crate) fn is_unchanged<C: Codec>(codec: &C, src: &[u8], out: &[u8]) -> bool {
    out.len() == src.len() && (codec.facts().resizes || out == src)
}

/// Returns whether a run with these flags may have met an error.
#[inline(always)]
pub(super) fn may_have_failed<C: Codec>(codec: &C, flags: ShortFlags) -> bool {
    flags.malformed && codec.is_strict()
}
