//! Encodes and decodes short inputs, which have up to [`SHORT`] bytes.
//!
//! # The problem
//!
//! Most components of URLs have 4 to 16 bytes. At that length, encoding or decoding costs less than the other work:
//! finding the engine, measuring the output, allocating, and passing the result through memory. Lengths also differ
//! from call to call, so branches on the exact length are often mispredicted, even inside a copy.
//!
//! # The idea
//!
//! Short inputs have their own code. It has three stages, which all sinks share:
//!
//! ```text
//! check    Tests whether all bytes stay. Most inputs need no other stage. Decoding reads only a few words, inline.
//! run      Writes into memory that may be too short. It tries one step, chosen by the length, and then the stack.
//! stack    Writes into a `Buffer` on the stack, which is always long enough. Then the exact length is known.
//! ```
//!
//! *run* and *stack* return a [`Short`]. This one register holds the length of the output, a bit for a malformed `%`,
//! and a bit for a possible byte above ASCII. The output is complete even if a `%` is malformed, so a lenient caller
//! uses it. A strict caller decodes again, up to the error. A caller that wants the offset of the malformed `%`
//! searches the input for it. These two cases are rare, so the second pass costs less than keeping offsets in every
//! call.
//!
//! Constants decide which code takes which length:
//!
//! | up to | constant | code |
//! | ---: | --- | --- |
//! | 8 bytes | `WORD` | decode in one word, without an engine |
//! | 16 bytes | `FEW` | encode in one register |
//! | 16 bytes | `TINY` | decode without a buffer, with the scalar engine |
//! | 21 bytes | `encode::EXACT` | encode without a buffer, with masked stores: the output fits in a block |
//! | 24 bytes | `decode::EXACT` | decode without a buffer, 16 bytes at a time, with vectors but no masked stores |
//! | 32 bytes | `WORDS` | check in four overlapping words (words.rs) |
//! | 64 bytes | `BLOCK` | decode without a buffer, with one masked store |
//! | 256 bytes | `SHORT` | the longest short input (128 without `simd`) |
//! | 8,192 bytes | `decode::EXACT_MASKED` | decode without a buffer, with masked stores |
//!
//! # Example
//!
//! `Decoder::decode` gets `caf%C3%A9 5% %41`, 16 bytes.
//!
//! 1. *check* reads the words `caf%`, `C3%A`, `9 5%` and ` %41`, and finds a `%`. So decoding may change the input, and
//!    the input can't be borrowed yet.
//! 2. The result is a new vector, so the input is decoded to the *stack*. The input is longer than 8 bytes, so an
//!    engine decodes it to `café 5% A`. The head of kernel/decode.rs shows how.
//! 3. The returned `Short` is 0x0300_000A: the length 10, the bit for a malformed `%` (1 << 25), and the bit for bytes
//!    above ASCII (1 << 24).
//! 4. A lenient decoder allocates exactly 10 bytes. A strict decoder compares the `Short` with 1 << 25. If the `Short`
//!    is at least 1 << 25, there is a malformed `%`. So the decoder runs again, and stops at the malformed `%`, at
//!    offset 11.
//!
//! # Why not the obvious way
//!
//! - *Use the code for long input.* It prepares for any length, any output size and any option. For a short input,
//!   preparing costs more than the work.
//! - *Measure, allocate, then write.* That reads the input twice. A run on the stack reads it once, and copying a short
//!   output takes little time.
//! - *Return a `Result<Vec<u8>, Error>` from each stage.* A `Result` passes through memory. A number stays in a
//!   register, and a function that ends by calling the next function can jump to it.

mod decode;
mod encode;

use crate::codec::Codec;
use crate::isa::EXPANDED;
pub(crate) use crate::kernel::Short;
pub(crate) use crate::kernel::scalar::SHORT;
use crate::output::{Cell, EMPTY_CELL, OutputBuffer};
use crate::words::WORDS;

/// Output memory for the longest output of a short input.
pub(crate) type Buffer = [Cell; 3 * SHORT + if cfg!(feature = "simd") { EXPANDED } else { 16 }];
pub(crate) const EMPTY: Buffer = [EMPTY_CELL; _];

/// The result of a quick check of a short input. A field that is `false` means "no" or "unknown".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// The output equals the input.
    pub(crate) unchanged: bool,
    /// All bytes are known to be ASCII.
    pub(crate) ascii: bool,
}

impl Check {
    const UNKNOWN: Check = Check { unchanged: false, ascii: false };
}

/// A codec with operations for short inputs.
pub(crate) trait ShortCodec: Codec {
    /// Whether [`check`](Self::check) takes so little time that [`run`] calls it first.
    const IS_CHECK_QUICK: bool;
    /// The longest input for which [`run`] can succeed.
    const LONGEST: usize;

    /// Checks a `src` of any length. If calling an engine would take less time than the check, skips the check. Both
    /// fields of the result are then `false`.
    fn check(&self, src: &[u8]) -> Check;

    /// Returns true if the output equals `src`, which may have any length. The result `false` means "no" or "unknown".
    /// Unlike [`check`](Self::check), this method doesn't skip an input if an engine is faster: it calls the engine.
    fn is_clean(&self, src: &[u8]) -> bool;

    /// Encodes or decodes all of `src` if one step is enough. Otherwise calls `fallback`. `dst` may be too short.
    fn run_in_one_step(
        &self,
        src: &[u8],
        dst: OutputBuffer<'_>,
        fallback: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Short,
    ) -> Short;

    /// Encodes or decodes all of a short `src`. `dst` must have space for the longest output, and for the bytes that a
    /// kernel may write after it.
    fn run_with_room(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short;
}

/// Checks whether `src` is short, and unchanged by the codec.
#[inline(always)]
pub(crate) fn check_short<C: ShortCodec>(codec: &C, src: &[u8]) -> Check {
    if src.len() > SHORT { Check::UNKNOWN } else { codec.check(src) }
}

/// Writes the output of a short `src` to the front of `dst`. Fails if `dst` is too short, if an error stops the codec,
/// or if `src` is long. But engines with masked stores also decode some long inputs here (see the table at the head of
/// this file).
#[inline(always)]
pub(crate) fn run<C: ShortCodec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Short {
    // The test is inlined, because a call that only fails takes a tenth of the time of encoding 512 bytes.
    if src.len() > C::LONGEST { Short::NONE } else { run_called(codec, src, dst) }
}

/// Does the work of [`run`].
#[inline(never)]
fn run_called<C: ShortCodec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Short {
    codec.run_in_one_step(
        src,
        dst,
        |codec, src, dst| {
            if src.len() > SHORT { Short::NONE } else { run_in_several_steps(codec, src, dst) }
        },
    )
}

/// Does the work of [`run`] if one step isn't enough. If `dst` may be too short, the output goes through the stack.
/// This is a separate function, so that [`run`] saves no registers.
#[inline(never)]
fn run_in_several_steps<C: ShortCodec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Short {
    // An unchanged input of up to `WORDS` bytes has been copied already.
    if C::IS_CHECK_QUICK && src.len() > WORDS && codec.check(src).unchanged {
        return dst.copy_short(src).into();
    }
    if has_room::<C>(src, &dst) {
        return codec.run_with_room(src, dst);
    }
    let mut buffer = EMPTY;
    let (out, result) = run_on_stack(codec, src, &mut buffer);
    if result != Short::NONE && dst.copy_short(out).is_some() { result } else { Short::NONE }
}

/// Encodes or decodes all of a short `src` into `buffer`. Returns the output, or an empty slice if an error stops the
/// codec.
#[inline(always)] // otherwise the result would go through memory
pub(crate) fn run_on_stack<'b, C: ShortCodec>(codec: &C, src: &[u8], buffer: &'b mut Buffer) -> (&'b [u8], Short) {
    let mut out = OutputBuffer::new(buffer);
    let result = codec.run_with_room(src, out.reborrow());
    (out.written(result.len().unwrap_or_default()), result)
}

/// Returns whether `dst` has space for the longest output of a short `src`, and for the bytes that a kernel may write
/// after it.
#[inline(always)]
fn has_room<C: Codec>(src: &[u8], dst: &OutputBuffer<'_>) -> bool {
    C::GROWTH * src.len() + C::SLACK <= dst.len()
}

/// Returns whether `out` equals `src`.
#[inline(always)]
pub(crate) fn is_unchanged<C: Codec>(codec: &C, src: &[u8], out: &[u8]) -> bool {
    out.len() == src.len() && (codec.facts().changes_resize || out == src)
}

/// Returns true if `result` is `Short::NONE`, or if a `%` was malformed and the codec can stop with an error.
#[inline(always)]
pub(crate) fn has_failed<C: Codec>(codec: &C, result: Short) -> bool {
    result.len_unless(codec.can_fail()).is_none()
}
