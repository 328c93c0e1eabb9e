//! Provides output memory, and converts bytes to text if they are known to be text.
//!
//! Two facts make this codec fast, but the compiler can't check them. A kernel has written the bytes that it reports,
//! so output memory needn't be zeroed first. And encoded or checked output is UTF-8, so it isn't checked again. This
//! folder has the code twice. Only trusting.rs relies on the two facts:
//!
//! - With the feature `simd` (trusting.rs), the functions are `unsafe` and trust their caller.
//! - Without `simd` (checking.rs), functions of the same names zero memory and check text. The crate then has no unsafe
//!   code at all.
//!
//! A caller wraps the call in [`unchecked!`], below a comment with the fact that makes it sound.

cfg_if::cfg_if! {
    if #[cfg(feature = "simd")] {
        mod trusting;
        use trusting as variant;
    } else {
        mod checking;
        use checking as variant;
    }
}

#[cfg(all(feature = "alloc", feature = "simd"))]
pub(crate) use variant::append_text;
#[cfg(feature = "alloc")]
pub use variant::try_vec;
pub use variant::{Cell, EMPTY_CELL};
#[cfg(feature = "alloc")]
pub(crate) use variant::{TRUSTS, append, bytes, string, string_if};
pub(crate) use variant::{cell, text, text_if};

/// Calls a function that trusts its caller. The comment above the call gives the reason.
#[cfg(feature = "simd")]
macro_rules! unchecked {
    ($call:expr) => {
        // SAFETY: the comment above the use of this macro has the reason.
        unsafe { $call }
    };
}

/// Calls a function of checking.rs, which needs no promise of the caller: it checks the fact that the function of the
/// same name in trusting.rs relies on.
#[cfg(not(feature = "simd"))]
macro_rules! unchecked {
    ($call:expr) => {
        $call
    };
}
pub(crate) use unchecked;

/// Output memory, initialized or not. Initialized memory stays initialized: only kernels and copies write to it, and they
/// write only initialized bytes.
pub(crate) struct OutputBuffer<'d>(pub(crate) &'d mut [Cell]);

impl<'d> OutputBuffer<'d> {
    #[inline(always)]
    pub(crate) fn new(memory: &'d mut [Cell]) -> OutputBuffer<'d> {
        OutputBuffer(memory)
    }

    /// Returns a buffer of initialized memory.
    #[inline(always)]
    pub(crate) fn initialized(memory: &'d mut [u8]) -> OutputBuffer<'d> {
        // SAFETY: only initialized bytes are written through this type.
        OutputBuffer(unchecked!(variant::cells(memory)))
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub(crate) fn reborrow(&mut self) -> OutputBuffer<'_> {
        OutputBuffer(self.0)
    }

    /// Copies `bytes` to the front. Returns their number, or `None` if they don't fit.
    #[inline(always)]
    pub(crate) fn copy(&mut self, bytes: &[u8]) -> Option<usize> {
        variant::copy(bytes, self.0.get_mut(..bytes.len())?);
        Some(bytes.len())
    }

    /// Returns the first `len` bytes.
    ///
    /// # Safety
    /// These bytes have been written, or were initialized before.
    #[cfg(feature = "simd")]
    #[inline(always)]
    pub(crate) unsafe fn assume_written(self, len: usize) -> &'d mut [u8] {
        // SAFETY: the caller's promise.
        unsafe { variant::bytes_mut(&mut self.0[..len]) }
    }

    /// Returns the first `len` bytes.
    #[cfg(not(feature = "simd"))]
    #[inline(always)]
    pub(crate) fn assume_written(self, len: usize) -> &'d mut [u8] {
        variant::bytes_mut(&mut self.0[..len])
    }
}
