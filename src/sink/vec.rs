//! Into a `Vec`: a new one, or at the end of one.

use core::mem::MaybeUninit;

use alloc::{borrow::Cow, collections::TryReserveError, vec::Vec};

use super::{SHORT, run_at, short};
use crate::codec::{Codec, CodecResult, Encoding};
use crate::error::DecodeError;
use crate::kernel::Progress;

/// All of `src`, in one allocation of exactly its length, or `src` itself where nothing changes; whatever may be wrong with it.
#[inline]
pub(crate) fn cow<C: Codec>(codec: C, src: &[u8]) -> Result<Cow<'_, [u8]>, TryReserveError> {
    match short::cow(codec, src, |_, _, _| true) {
        Some(bytes) => Ok(bytes),
        None => Ok(cow_long(codec, src)?.0),
    }
}

/// Like [`cow`], up to the first error in `src`, and returns that too.
#[inline]
pub(crate) fn cow_with_report<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    match short::cow(codec, src, |_, _, outcome| outcome.malformed.is_none()) {
        Some(bytes) => {
            let written = bytes.len();
            Ok((bytes, CodecResult { written, ..CodecResult::NONE }))
        }
        None => match short::cow_with_report(codec, src) {
            Some(noted) => Ok(noted),
            None => cow_long(codec, src),
        },
    }
}

/// Like [`cow`], for long inputs and for short ones that found no memory.
#[inline(never)]
fn cow_long<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    if let Some(outcome) = codec.result_if_unchanged(src) {
        return Ok((Cow::Borrowed(src), outcome));
    }
    let mut vec = Vec::new();
    let outcome = append(codec, src, &mut vec)?;
    Ok((Cow::Owned(vec), outcome))
}

/// All of `src` as a new vector, in one allocation of exactly its length.
#[inline]
pub(super) fn to_vec(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    if src.len() <= SHORT
        && let Some(bytes) = short::to_vec(codec, src)
    {
        return Ok(bytes.into_vec());
    }
    to_vec_long(codec, src)
}

/// Like [`to_vec`], for long inputs and for short ones that found no memory.
#[inline(never)]
fn to_vec_long(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    let mut vec = Vec::new();
    if codec.result_if_unchanged(src).is_some() {
        vec.try_reserve_exact(src.len())?;
        vec.extend_from_slice(src);
    } else {
        append(codec, src, &mut vec)?;
    }
    Ok(vec)
}

/// All of `src` appended to `vec` by `run`, for which as much room is made as can be needed.
pub(crate) fn append_with<C: Codec>(
    codec: C,
    src: &[u8],
    vec: &mut Vec<u8>,
    run: impl FnOnce(&[u8], &mut [MaybeUninit<u8>]) -> Progress,
) -> Result<Option<DecodeError>, TryReserveError> {
    vec.try_reserve(src.len().saturating_mul(C::GROWTH))?;
    let progress = append_spare(vec, |spare| run(src, spare));
    Ok(if progress.read < src.len() { codec.error_at(src, progress.read) } else { None })
}

/// Appends what `run` writes into the spare room of `vec`, which is the output of a kernel.
#[inline]
fn append_spare(vec: &mut Vec<u8>, run: impl FnOnce(&mut [MaybeUninit<u8>]) -> Progress) -> Progress {
    let progress = run(vec.spare_capacity_mut());
    // SAFETY: a kernel has initialized as many bytes after the length, all within the capacity.
    unsafe { vec.set_len(vec.len() + progress.written) };
    progress
}

/// All of `src` appended to `vec`: exactly its length is allocated where nothing was, room to grow otherwise. The
/// output up to an error stays.
pub(crate) fn append<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    let before = vec.len();
    let growth = Growth::of(vec);
    let result = reserve(codec, src, vec, growth).and_then(|()| extend(codec, src, src.len(), vec, growth));
    if result.is_err() {
        vec.truncate(before);
    }
    result
}

/// How a vector gets more room.
#[derive(Clone, Copy)]
pub(super) enum Growth {
    /// By exactly as much as is needed: it had no memory, so this call is likely to be the only one.
    Exact,
    /// At least twofold, so that it takes linear time to append to it again and again.
    Amortized,
}

impl Growth {
    pub(super) fn of(vec: &Vec<u8>) -> Growth {
        if vec.capacity() == 0 { Growth::Exact } else { Growth::Amortized }
    }

    fn reserve(self, vec: &mut Vec<u8>, additional: usize) -> Result<(), TryReserveError> {
        match self {
            Growth::Exact => vec.try_reserve_exact(additional),
            Growth::Amortized => vec.try_reserve(additional),
        }
    }
}

/// Makes room for the output of `src`, as far as it can quickly be told; only where there is not room for the longest.
#[inline]
pub(super) fn reserve<C: Codec>(
    codec: C,
    src: &[u8],
    vec: &mut Vec<u8>,
    growth: Growth,
) -> Result<(), TryReserveError> {
    let spare = vec.capacity() - vec.len();
    if src.len().checked_mul(C::GROWTH).is_some_and(|longest| longest <= spare) {
        return Ok(());
    }
    growth.reserve(vec, codec.estimated_len(src).unwrap_or(usize::MAX))
}

/// Appends the output of the first `n` bytes of `src`; where that was told too short, with room for that of the rest.
#[inline]
pub(super) fn extend<C: Codec>(
    codec: C,
    src: &[u8],
    n: usize,
    vec: &mut Vec<u8>,
    growth: Growth,
) -> Result<CodecResult, TryReserveError> {
    let mut outcome = CodecResult::NONE;
    let mut read = 0;
    loop {
        let malformed = &mut outcome.malformed;
        let progress = append_spare(vec, |spare| run_at(codec, &src[read..n], read, spare, malformed).progress());
        outcome.written += progress.written;
        read += progress.read;
        if read == n {
            return Ok(outcome);
        }
        outcome.error = codec.error_at(src, read);
        if outcome.error.is_some() {
            return Ok(outcome);
        }
        growth.reserve(vec, codec.advanced(read).output_len(&src[read..]).unwrap_or(usize::MAX))?;
    }
}

/// What cannot fail but for memory, failing as the collections of the standard library do.
#[inline]
pub(crate) fn infallible<T>(result: Result<T, TryReserveError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => out_of_memory(error),
    }
}

#[cold]
fn out_of_memory(error: TryReserveError) -> ! {
    panic!("the result cannot be stored: {error}")
}
