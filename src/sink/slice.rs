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

/// The output, and how the run ended; or the length that would have been enough.
type SliceResult<'d> = Result<(&'d mut [u8], CodecResult), OutputTooSmall>;

/// Writes all of `src` to the front of `dst`.
#[inline(always)]
pub(crate) fn slice<'d, C: Codec>(codec: C, src: &[u8], mut dst: OutputBuffer<'d>) -> SliceResult<'d> {
    let written = match (slice_exact(&codec, src, &mut dst), short::plan_by_length(src)) {
        (Some(written), _) => Some(written),
        (None, Plan::Long) => None,
        (None, _) => slice_short(codec, src, dst.reborrow()),
    };
    match written {
        // SAFETY: as many bytes have been written there.
        Some(written) => Ok((unsafe { dst.first(written) }, CodecResult { written, ..CodecResult::NONE })),
        None => slice_long(codec, src, dst),
    }
}

/// Writes a short `src` straight to a `dst` that is as long. Returns how many bytes that makes; `None` if it takes another way.
#[inline(always)]
pub(crate) fn slice_exact<C: Codec>(codec: &C, src: &[u8], dst: &mut OutputBuffer<'_>) -> Option<usize> {
    if src.len() <= dst.len() { codec.run_exact(src, dst.reborrow()) } else { None }
}

/// Writes a short `src`. Returns how many bytes that were, in registers, unless there is something to report or `dst` is too short.
/// A few bytes take a jump to their kernel, before anything is saved that only others need.
#[inline(never)]
fn slice_short<C: Codec>(codec: C, src: &[u8], dst: OutputBuffer<'_>) -> Option<usize> {
    if src.len() <= dst.len()
        && let Some(kernels) = codec.few(src)
    {
        return codec.run_few(kernels, src, dst);
    }
    slice_by_stack(codec, src, dst)
}

/// Like [`slice_short`]: by way of the stack only where `dst` is not certain to be long enough.
#[inline(never)]
fn slice_by_stack<C: Codec>(codec: C, src: &[u8], mut dst: OutputBuffer<'_>) -> Option<usize> {
    if C::GROWTH * src.len() + C::SLACK <= dst.len() {
        let ShortRun { out, flags } = codec.run_short(src, dst);
        return if flags.malformed { None } else { Some(out.len()) };
    }
    if let Some(written) = codec.run_tight(src, dst.reborrow()) {
        return Some(written);
    }
    if src.len() > WORDS
        && let Plan::Unchanged { .. } = short::plan(&codec, src)
    {
        return dst.copy(src);
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
