//! Defines [`Codec`]. The encoder and the decoder implement it, and batches call it.

use core::mem::MaybeUninit;

use percent_simd::batch::Offset;
use percent_simd::internal::BatchProgress;

use crate::memory::Opaque;
use crate::{pct_result, pct_status};

/// One direction of the codec: encoding or decoding.
pub(crate) trait Codec: Opaque {
    /// Returns the greatest length of the output for an input of this length.
    const BOUND: extern "C" fn(usize) -> usize;

    /// Returns the codec at `memory`. For a null pointer, returns the default codec, or `None` if this type has no default.
    ///
    /// # Safety
    /// The conditions of [`Opaque::get`] hold for `memory`, unless it is null.
    unsafe fn of<'a>(memory: *const Self::Memory) -> Option<&'a Self>;

    /// Converts all of `src` into `dst`.
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], result: &mut pct_result) -> pct_status;

    /// Converts rows, until one fails or does not fit.
    fn run_rows<O: Offset>(&self, rows: &mut Rows<'_, O>) -> BatchProgress;
}

/// The arguments of a batch. Encoding and decoding have the same.
pub(crate) struct Rows<'a, O> {
    pub(crate) values: &'a [u8],
    pub(crate) offsets: &'a [O],
    pub(crate) dst: &'a mut [MaybeUninit<u8>],
    pub(crate) out_offsets: &'a mut [MaybeUninit<O>],
}
