//! Encodes short inputs.
#![forbid(unsafe_code)]

use super::{Check, SHORT, Short, ShortCodec, has_room};
use crate::codec::Encoding;
use crate::engine::Kernels;
use crate::isa::FEW;
use crate::kernel::encode::EXACT;
use crate::output::OutputBuffer;

impl Encoding<'_> {
    /// Returns the kernels if there is no option but `plus`, and the engine is already chosen. Calls no function.
    #[inline(always)]
    fn direct(&self) -> Option<Kernels> {
        if self.profile.simple { Kernels::known(self.engine) } else { None }
    }

    /// Encodes a `src` of few bytes directly into `dst`, and writes no byte after the output. Fails if `dst` is too
    /// short, or if the encoder, the engine or the length doesn't allow this.
    #[inline(always)]
    pub(crate) fn encode_exact(&self, src: &[u8], dst: OutputBuffer<'_>) -> Short {
        match self.direct() {
            Some(kernels) if src.len() <= EXACT && kernels.has_masked_stores() => {
                dst.encode_exact(kernels, self.profile, src)
            }
            _ => Short::NONE,
        }
    }
}

impl ShortCodec for Encoding<'_> {
    const IS_CHECK_QUICK: bool = false;
    const LONGEST: usize = SHORT;

    #[inline(always)] // if it is not inlined, a few clean bytes take 1.5 times as long
    fn check(&self, src: &[u8]) -> Check {
        let unchanged = match src.len() {
            0 => true,
            // Without space for output, this call succeeds only if all bytes stay.
            1..=FEW => self.direct().is_some_and(|kernels| {
                OutputBuffer::new(&mut []).encode_few(kernels, self.profile, src) != Short::NONE
            }),
            _ => self.is_clean(src),
        };
        Check { unchanged, ascii: unchanged }
    }

    #[inline(always)]
    fn is_clean(&self, src: &[u8]) -> bool {
        if cfg!(not(isa_simd)) {
            // Without vector engines, there are no tables.
            return self.profile.facts.plain && src.iter().all(|&byte| self.profile.allowed.contains(byte));
        }
        self.profile.simple && self.kernels().all_bytes(&self.profile.stays, src)
    }

    #[inline(always)]
    fn run_in_one_step(
        &self,
        src: &[u8],
        dst: OutputBuffer<'_>,
        fallback: impl FnOnce(&Self, &[u8], OutputBuffer<'_>) -> Short,
    ) -> Short {
        let Some(kernels) = self.direct() else { return fallback(self, src, dst) };
        match src.len() {
            1..=FEW if src.len() <= dst.len() => dst.encode_few(kernels, self.profile, src),
            0 => Short::written(0),
            n if n <= SHORT && has_room::<Self>(src, &dst) => dst.encode_short(kernels, self.profile, src),
            // Masked stores take longer than stores of whole registers, but less time than a copy.
            n if n <= EXACT && kernels.has_masked_stores() => dst.encode_exact(kernels, self.profile, src),
            _ => fallback(self, src, dst),
        }
    }

    #[inline(always)] // otherwise the result would go through memory
    fn run_with_room(&self, src: &[u8], mut dst: OutputBuffer<'_>) -> Short {
        if (1..=FEW).contains(&src.len())
            && let Some(kernels) = self.direct()
        {
            let result = dst.reborrow().encode_few(kernels, self.profile, src);
            if result != Short::NONE {
                return result;
            }
        }
        Short::written(self.kernels().encode_short(self.profile, src, &[], dst).len())
    }
}
