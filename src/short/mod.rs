//! Short inputs, up to [`SHORT`] bytes, as most components of URLs are.
//!
//! What a call costs around the work weighs more than the work here: to find the engine, to measure, to allocate, to hand the
//! result back through memory. So a short input takes a path of its own, in three steps that every sink shares:
//!
//! ```text
//! check   are all bytes known to stay?          a few words, inlined: most inputs are borrowed or copied here
//! run     into memory that may be too short     one step by the length, reached by a jump; by the stack if nothing else fits
//! stack   into a Buffer, which always fits      shows how long the result is, so one exact allocation follows
//! ```
//!
//! Each answers with [`Short`], one register: the length of the output, whether a `%` was malformed, whether a byte may be
//! above ASCII. A malformed `%` does not void the output, so a lenient caller uses it as it is. A strict one, and one that
//! wants the offset, scan the input for it: that is rare, and takes less time than to carry offsets along.
//!
//! Which step takes which length is decided by the constants below, and nowhere else.

mod decode;
mod encode;

use crate::codec::Codec;
use crate::isa::EXPANDED;
pub(crate) use crate::kernel::Short;
pub(crate) use crate::kernel::scalar::SHORT;
use crate::output::{Cell, EMPTY_CELL, OutputBuffer};
use crate::words::WORDS;

/// Output space for all that a short input can become.
pub(crate) type Buffer = [Cell; 3 * SHORT + if cfg!(feature = "simd") { EXPANDED } else { 16 }];
pub(crate) const EMPTY: Buffer = [EMPTY_CELL; _];

/// The result of looking at a short input. A fact that is false may only be unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    /// The output is the input.
    pub(crate) unchanged: bool,
    /// All of the input is known to be ASCII.
    pub(crate) ascii: bool,
}

impl Check {
    const UNKNOWN: Check = Check { unchanged: false, ascii: false };
}

/// A direction, as far as short inputs are concerned.
pub(crate) trait ShortCodec: Codec {
    /// Looks at an input of any length, as far as that takes less time than a call of an engine.
    fn look(&self, src: &[u8]) -> Check;

    /// Runs over all of `src` into a `dst` that may be too short, if one step is enough; by `otherwise` if not.
    fn run_direct(
        &self,
        src: &[u8],
        dst: OutputBuffer<'_>,
        otherwise: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Short,
    ) -> Short;

    /// Runs over all of a short `src` into a `dst` with room for the longest output and for what a kernel may write behind it.
    fn run_with_room(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short;
}

/// Checks whether `src` is short and comes out as it is.
#[inline(always)]
pub(crate) fn check<C: ShortCodec>(codec: &C, src: &[u8]) -> Check {
    if src.len() > SHORT { Check::UNKNOWN } else { codec.look(src) }
}

/// Writes all of a short `src` to the front of `dst`. Fails if `dst` is too short, `src` is long, or an error stops the codec.
#[inline(never)]
pub(crate) fn run<C: ShortCodec>(codec: &C, src: &[u8], dst: OutputBuffer<'_>) -> Short {
    codec.run_direct(src, dst, run_otherwise)
}

/// Like [`run`], in more than one step: by way of the stack if `dst` is not certain to be long enough. Apart, so that [`run`]
/// saves no registers.
#[inline(never)]
fn run_otherwise<C: ShortCodec>(codec: &C, src: &[u8], mut dst: OutputBuffer<'_>) -> Short {
    if src.len() > SHORT {
        return Short::NONE;
    }
    // A shorter one would have been copied.
    if src.len() > WORDS && codec.look(src).unchanged {
        return dst.copy_short(src).into();
    }
    if has_room::<C>(src, &dst) {
        return codec.run_with_room(src, dst);
    }
    let mut buffer = EMPTY;
    let (out, result) = run_on_stack(codec, src, &mut buffer);
    if result != Short::NONE && dst.copy_short(out).is_some() { result } else { Short::NONE }
}

/// Runs over all of a short `src` into `buffer`. Returns the output, which is empty if an error stops the codec.
#[inline(always)] // what it returns would go through memory
pub(crate) fn run_on_stack<'b, C: ShortCodec>(codec: &C, src: &[u8], buffer: &'b mut Buffer) -> (&'b [u8], Short) {
    let mut out = OutputBuffer::new(buffer);
    let result = codec.run_with_room(src, out.reborrow());
    (out.written(result.len().unwrap_or_default()), result)
}

/// Returns whether `dst` has room for the longest that can come of a short `src`, and for what a kernel may write behind it.
#[inline(always)]
fn has_room<C: Codec>(src: &[u8], dst: &OutputBuffer<'_>) -> bool {
    C::GROWTH * src.len() + C::SLACK <= dst.len()
}

/// Returns whether `src` came out as it is.
#[inline(always)]
pub(crate) fn is_unchanged<C: Codec>(codec: &C, src: &[u8], out: &[u8]) -> bool {
    out.len() == src.len() && (codec.facts().resizes || out == src)
}

/// Returns whether a run failed, or would have been stopped by an error.
#[inline(always)]
pub(crate) fn has_failed<C: Codec>(codec: &C, result: Short) -> bool {
    result.len_unless(codec.is_strict()).is_none()
}
