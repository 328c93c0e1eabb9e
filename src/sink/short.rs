//! What is short, as most of what URLs are made of is: run into a buffer on the stack, which shows how long the result is and
//! whether it differs. That is cheaper than to look first and measure then.
//!
//! What comes of it is handed back in two words, which stay in registers. A `Vec`, let alone a `Result` of one, goes through
//! memory: its words are written one by one and moved two at a time, for which a CPU waits.

use core::mem::MaybeUninit;

use crate::codec::{Codec, CodecResult};
use crate::isa::EXPANDED;

#[cfg(feature = "alloc")]
use crate::codec::Encoding;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, boxed::Box};
#[cfg(feature = "alloc")]
use core::alloc::Layout;

/// Inputs up to this length are short.
pub(super) const SHORT: usize = 256;

/// Inputs up to this length are looked at byte by byte first, without branches: that is done before a vector is loaded.
const TINY: usize = 16;

/// Out for whatever comes of what is short.
pub(super) type Buffer = [MaybeUninit<u8>; 3 * SHORT + EXPANDED];
pub(super) const EMPTY: Buffer = [MaybeUninit::uninit(); _];

/// Runs `codec` over all of `src`, which is short: what came of it is in `buffer`, or is `src`.
#[inline(always)]
pub(super) fn run<'b, C: Codec>(codec: C, src: &'b [u8], buffer: &'b mut Buffer) -> (&'b [u8], CodecResult) {
    if src.len() <= TINY && codec.is_clean(src) {
        return (src, CodecResult { written: src.len(), ..CodecResult::NONE });
    }
    let (out, outcome) = codec.run_short(src, buffer);
    (out, outcome)
}

/// All of `src`, `src` itself where nothing changes; if it is short, nothing is wrong with it, what comes of it is what to
/// `accept`, and there is memory.
#[cfg(feature = "alloc")]
#[inline]
pub(super) fn cow<C: Codec>(
    codec: C,
    src: &[u8],
    accept: impl Fn(&C, &[u8], &CodecResult) -> bool,
) -> Option<Cow<'_, [u8]>> {
    if src.len() > SHORT {
        return None;
    }
    match changed(codec, src, accept) {
        None => Some(Cow::Borrowed(src)),
        Some(bytes) if bytes.is_empty() => None,
        Some(bytes) => Some(Cow::Owned(bytes.into_vec())),
    }
}

/// Runs `codec` over `src` like [`cow`], with a result of two words: `None` if nothing changes, and an empty slice, which no
/// changed input becomes, if [`cow`] returns `None`.
#[cfg(feature = "alloc")]
#[inline(never)]
fn changed<C: Codec>(codec: C, src: &[u8], accept: impl Fn(&C, &[u8], &CodecResult) -> bool) -> Option<Box<[u8]>> {
    let mut buffer = EMPTY;
    let (bytes, outcome) = run(codec, src, &mut buffer);
    if outcome.error.is_some() || !accept(&codec, bytes, &outcome) {
        return Some(Box::default());
    }
    if bytes.len() == src.len() && (codec.same_len_means_same() || bytes == src) {
        return None;
    }
    Some(copy(bytes).unwrap_or_default())
}

/// All of `src`, up to what is wrong with it, and that; `None` if it is not short, or there is no memory.
#[cfg(feature = "alloc")]
#[cold]
pub(super) fn cow_with_report<C: Codec>(codec: C, src: &[u8]) -> Option<(Cow<'_, [u8]>, CodecResult)> {
    if src.len() > SHORT {
        return None;
    }
    let mut buffer = EMPTY;
    let (bytes, outcome) = run(codec, src, &mut buffer);
    let bytes = if bytes == src { Cow::Borrowed(src) } else { Cow::Owned(copy(bytes)?.into_vec()) };
    Some((bytes, outcome))
}

/// All of `src`, which is short, anew; `None` if there is no memory.
#[cfg(feature = "alloc")]
#[inline(never)]
pub(super) fn to_vec(codec: Encoding, src: &[u8]) -> Option<Box<[u8]>> {
    copy(run(codec, src, &mut { EMPTY }).0)
}

/// A copy of some bytes, or `None` if there is no memory for it. `Vec` can be asked for memory that may not be there only
/// by way of growing, which takes a quarter of the time that the allocator does.
#[cfg(feature = "alloc")]
#[inline]
fn copy(bytes: &[u8]) -> Option<Box<[u8]>> {
    if bytes.is_empty() {
        return Some(Box::default());
    }
    // SAFETY: the layout is one of some bytes.
    let block = unsafe { alloc::alloc::alloc(Layout::for_value(bytes)) };
    if block.is_null() {
        return None;
    }
    // SAFETY: the block is new, and has room for as many.
    unsafe { block.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    // SAFETY: the block is one of the allocator that `Box` uses, of this layout, and all of it has been written.
    Some(unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(block, bytes.len())) })
}
