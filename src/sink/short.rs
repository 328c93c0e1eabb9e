//! Runs short inputs, as most components of URLs are, into a buffer on the stack, which shows how long the result is and
//! whether it differs. That takes less time than to scan first and to measure then.

use core::mem::MaybeUninit;

use crate::codec::{Codec, QuickCheck, ShortRun};
use crate::engine::{OutputBuffer, WORDS};
use crate::isa::EXPANDED;
use crate::kernel::scalar::SHORT;
use crate::kernel::{ShortFlags, Written};

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

/// Writes all of a short `src` to the front of `dst`. Returns how many bytes that makes; nothing, whatever `dst` holds then, if that is
/// too short, `src` is long, or something is malformed: then another way finds out which. What runs in one step is reached by a
/// jump, before anything is saved that only others need.
#[inline(never)]
pub(super) fn write<C: Codec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Written {
    codec.run_direct(src, dst, write_otherwise)
}

/// Like [`write`], in more than one step: by way of the stack where `dst` is not certain to be long enough.
#[inline(never)]
fn write_otherwise<C: Codec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Written {
    if let Plan::Long = plan_by_length(src) {
        return Written::NONE;
    }
    // A shorter one would have been copied.
    if src.len() > WORDS && codec.quick_check(src).unchanged {
        return dst.copy_short(src).into();
    }
    if C::has_room(src, &dst) {
        let ShortRun { out, flags } = codec.run_short(src, dst);
        return if flags.malformed { Written::NONE } else { Written::all(out.len()) };
    }
    let mut buffer = EMPTY;
    let ShortRun { out, flags } = codec.run_short(src, OutputBuffer::new(&mut buffer));
    if flags.malformed { Written::NONE } else { dst.copy_short(out).into() }
}
