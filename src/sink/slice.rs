//! Writes output to a caller's slice.

#[cfg(feature = "alloc")]
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use super::Output;
use super::short::{self, Plan};
use crate::codec::{Codec, CodecResult, ShortRun};
use crate::engine::{Done, OutputBuffer, WORDS};
#[cfg(feature = "alloc")]
use crate::error::DecodeError;
use crate::error::OutputTooSmall;
#[cfg(feature = "alloc")]
use crate::kernel::Progress;
use crate::kernel::scalar::WORD;

/// The output, and how the run ended; or the length that would have been enough.
type SliceResult<'d> = Result<(&'d mut [u8], CodecResult), OutputTooSmall>;

/// Writes all of `src` to the front of `dst`.
#[inline(always)]
pub(crate) fn slice<'d, C: Codec>(codec: C, src: &[u8], mut dst: OutputBuffer<'d>) -> SliceResult<'d> {
    if src.is_empty() {
        // SAFETY: of no bytes, all have been written.
        return Ok((unsafe { dst.first(0) }, CodecResult::NONE));
    }
    match slice_short(&codec, src, dst.reborrow()) {
        // SAFETY: as many bytes have been written there.
        Some(written) => Ok((unsafe { dst.first(written) }, CodecResult { written, ..CodecResult::NONE })),
        None => slice_long(codec, src, dst),
    }
}

/// Writes a short `src` straight to `dst`. Returns how many bytes that makes; `None` if it takes another way.
#[inline(always)]
pub(crate) fn slice_exact<C: Codec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Option<usize> {
    if let Some(written) = codec.copy_unchanged(src, dst.reborrow()) {
        return Some(written);
    }
    match codec.run_word(src) {
        Some(word) => dst.put_word(word),
        None => codec.run_exact(src, dst),
    }
}

/// Writes a short `src`. Returns how many bytes that makes, in registers, unless there is something to report or `dst` is too short.
/// A few bytes take a jump to their kernel, before anything is saved that only others need.
#[inline(never)]
fn slice_short<C: Codec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Option<usize> {
    if src.len() <= dst.len()
        && let Some(kernels) = codec.few(src)
    {
        return codec.run_few(kernels, src, dst);
    }
    match codec.copy_unchanged(src, dst.reborrow()) {
        Some(written) => Some(written),
        None if C::HAS_WORDS && src.len() <= WORD => slice_word(codec, src, dst),
        None => slice_changed(codec, src, dst),
    }
}

/// Like [`slice_changed`], for a `src` of a word at most.
#[inline(never)]
fn slice_word<C: Codec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Option<usize> {
    match codec.run_word(src) {
        Some(word) => dst.put_word(word),
        None => slice_changed(codec, src, dst),
    }
}

/// Writes a short `src`, by way of the stack only where `dst` is not certain to be long enough. Apart, so that what stays is copied
/// without saving registers.
#[inline(never)]
fn slice_changed<C: Codec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Option<usize> {
    if let Plan::Long = short::plan_by_length(src) {
        return None;
    }
    if let Some(written) = codec.run_exact(src, dst.reborrow()) {
        return Some(written);
    }
    // A shorter one would have been copied.
    if src.len() > WORDS && codec.quick_check(src).unchanged {
        return dst.copy(src);
    }
    if C::GROWTH * src.len() + C::SLACK <= dst.len() {
        let ShortRun { out, flags } = codec.run_short(src, dst);
        return if flags.malformed { None } else { Some(out.len()) };
    }
    if let Some(written) = codec.run_tight(src, dst.reborrow()) {
        return Some(written);
    }
    let mut buffer = short::EMPTY;
    let ShortRun { out, flags } = codec.run_short(src, OutputBuffer::new(&mut buffer));
    if flags.malformed { None } else { dst.copy(out) }
}

#[inline(never)]
fn slice_long<'d, C: Codec>(codec: C, src: &[u8], mut dst: OutputBuffer<'d>) -> SliceResult<'d> {
    /// Up to this length a search and a copy take less time than a kernel takes to begin and to end.
    const SEARCHED: usize = 2048;
    if src.len() <= SEARCHED
        && codec.quick_check(src).unchanged
        && let Some(written) = dst.copy(src)
    {
        // SAFETY: as many bytes have been written there.
        return Ok((unsafe { dst.first(written) }, CodecResult { written, ..CodecResult::NONE }));
    }
    let mut malformed = None;
    let Done { read, out } = codec.run(src, dst, &mut malformed);
    let mut result = CodecResult { written: out.len(), error: None, malformed };
    if read < src.len() {
        result.error = codec.error_at(src, read);
        if result.error.is_none() {
            return Err(OutputTooSmall { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    Ok((out, result))
}

/// A caller's slice that fills up from the front.
#[cfg(feature = "alloc")]
pub(crate) struct SliceOutput<'d> {
    memory: &'d mut [MaybeUninit<u8>],
    /// How many bytes kernels have written.
    len: usize,
}

#[cfg(feature = "alloc")]
impl<'d> SliceOutput<'d> {
    #[inline]
    pub(crate) fn new(memory: &'d mut [MaybeUninit<u8>]) -> SliceOutput<'d> {
        SliceOutput { memory, len: 0 }
    }
}

#[cfg(feature = "alloc")]
impl Output for SliceOutput<'_> {
    type Full = OutputTooSmall;

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: as many bytes have been written.
        unsafe { &*(&raw const self.memory[..self.len] as *const [u8]) }
    }

    #[inline]
    fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[inline]
    fn append<C: Codec>(&mut self, codec: C, src: &[u8]) -> Result<CodecResult, OutputTooSmall> {
        let (_, result) = slice(codec, src, OutputBuffer::new(&mut self.memory[self.len..]))?;
        self.len += result.written;
        Ok(result)
    }

    #[inline]
    fn append_with<C: Codec>(
        &mut self,
        codec: C,
        src: &[u8],
        run: impl FnOnce(&mut [MaybeUninit<u8>]) -> Progress,
    ) -> Result<Option<DecodeError>, OutputTooSmall> {
        let Progress { read, written } = run(&mut self.memory[self.len..]);
        if read == src.len() {
            self.len += written;
            return Ok(None);
        }
        let needed = src.len().saturating_mul(C::GROWTH);
        codec.error_at(src, read).map(Some).ok_or(OutputTooSmall { needed })
    }
}
