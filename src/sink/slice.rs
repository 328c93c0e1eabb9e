//! Writes output to a caller's slice.

#[cfg(feature = "alloc")]
use super::Output;
use crate::codec::{Codec, CodecResult};
use crate::engine::KernelRun;
#[cfg(feature = "alloc")]
use crate::error::DecodeError;
use crate::error::OutputTooSmall;
#[cfg(feature = "alloc")]
use crate::kernel::Progress;
use crate::output::{self, Cell, OutputBuffer, unchecked};
use crate::short::{self, Short, ShortCodec};

/// The written part of `dst`, and the result of the codec. If `dst` is too short, the error has the length that `dst`
/// needs.
type SliceResult<'d> = Result<(&'d mut [u8], CodecResult), OutputTooSmall>;

/// Writes the output of `src` to the front of `dst`.
#[inline(always)]
pub(crate) fn slice<'d, C: ShortCodec>(codec: C, src: &[u8], mut dst: OutputBuffer<'d>) -> SliceResult<'d> {
    if src.is_empty() {
        // SAFETY: the returned slice has no bytes.
        return Ok((unchecked!(dst.assume_written(0)), CodecResult::NONE));
    }
    let result = short::run(&codec, src, dst.reborrow());
    match result.len_unless(codec.can_fail()) {
        // SAFETY: the run has written this many bytes to the front of `dst`.
        Some(written) => Ok((unchecked!(dst.assume_written(written)), CodecResult::of_short(result, written))),
        None => slice_long(&codec, src, dst),
    }
}

/// Writes the output of a short `src` to `dst` in one step. Fails if that isn't possible.
#[inline(always)]
pub(crate) fn slice_exact<C: ShortCodec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Short {
    codec.run_in_one_step(src, dst, |_, _, _| Short::NONE)
}

/// Does the work of [`slice`] if the input is long or has an error, or if `dst` may be too short. `codec` is a
/// reference, because a copy would be slow. [`slice`] has just written the fields of `codec` one by one. A copy loads
/// two fields at once, and then the CPU must wait until both are in the cache.
#[cold] // so that the compiler keeps the code for short inputs together
#[inline(never)]
fn slice_long<'d, C: ShortCodec>(codec: &C, src: &[u8], dst: OutputBuffer<'d>) -> SliceResult<'d> {
    let mut malformed = None;
    let KernelRun { read, out } = codec.run(src, dst, &mut malformed);
    let mut result = CodecResult { written: out.len(), error: None, malformed: malformed.into() };
    if read < src.len() {
        result.error = codec.stop_error(src, read);
        if result.error.is_none() {
            return Err(OutputTooSmall { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    Ok((out, result))
}

/// A caller's slice, filled from the front.
#[cfg(feature = "alloc")]
pub(crate) struct SliceOutput<'d> {
    memory: &'d mut [Cell],
    /// How many bytes kernels have written.
    len: usize,
}

#[cfg(feature = "alloc")]
impl<'d> SliceOutput<'d> {
    #[inline]
    pub(crate) fn new(memory: &'d mut [Cell]) -> SliceOutput<'d> {
        SliceOutput { memory, len: 0 }
    }
}

#[cfg(feature = "alloc")]
impl Output for SliceOutput<'_> {
    type Full = OutputTooSmall;

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: kernels have written this many bytes.
        unchecked!(output::bytes(&self.memory[..self.len]))
    }

    #[inline]
    fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    #[inline]
    fn append<C: ShortCodec>(&mut self, codec: C, src: &[u8]) -> Result<CodecResult, OutputTooSmall> {
        let (_, result) = slice(codec, src, OutputBuffer::new(&mut self.memory[self.len..]))?;
        self.len += result.written;
        Ok(result)
    }

    #[inline]
    fn append_with<C: Codec>(
        &mut self,
        codec: C,
        src: &[u8],
        run: impl FnOnce(&mut [Cell]) -> Progress,
    ) -> Result<Option<DecodeError>, OutputTooSmall> {
        let Progress { read, written } = run(&mut self.memory[self.len..]);
        if read == src.len() {
            self.len += written;
            return Ok(None);
        }
        let needed = src.len().saturating_mul(C::GROWTH);
        codec.stop_error(src, read).map(Some).ok_or(OutputTooSmall { needed })
    }
}
