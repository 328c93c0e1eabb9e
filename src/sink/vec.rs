//! Writes output to a new `Vec`, or to the end of an existing `Vec`.

use alloc::{borrow::Cow, boxed::Box, collections::TryReserveError, vec::Vec};

use super::{Output, run_piece};
use crate::codec::{Codec, CodecResult, Encoding, Malformed, run_all};
use crate::error::DecodeError;
use crate::kernel::Progress;
use crate::output::{self, Cell, OutputBuffer, unchecked};
use crate::short::{self, SHORT, Short, ShortCodec};

/// The result of running a codec over a short input.
pub(super) enum ShortCow {
    Borrowed,
    Owned(Box<[u8]>),
    /// `refused` returned true, or memory can't be allocated.
    Failed,
}

impl ShortCow {
    /// Encodes or decodes a short `src`. The result is `Failed` if `refused` returns true for the output.
    #[inline(always)]
    pub(super) fn new<C: ShortCodec>(codec: C, src: &[u8], refused: impl FnMut(&C, &[u8], Short) -> bool) -> ShortCow {
        let mut failed = false;
        match (changed(codec, src, refused, &mut failed), failed) {
            (_, true) => ShortCow::Failed,
            (Some(bytes), false) => ShortCow::Owned(bytes),
            (None, false) => ShortCow::Borrowed,
        }
    }
}

/// Encodes or decodes `src`. Returns the output if it differs from `src`.
///
/// The two returned words stay in registers. A `Vec` or a `Result` would go through memory. In memory, the result would
/// be written in words and read in vectors, and the CPU would wait. So a failure, which is rare, is reported in
/// `failed`.
#[inline(never)]
fn changed<C: ShortCodec>(
    codec: C,
    src: &[u8],
    mut refused: impl FnMut(&C, &[u8], Short) -> bool,
    failed: &mut bool,
) -> Option<Box<[u8]>> {
    let mut buffer = short::EMPTY;
    let (out, result) = short::run_on_stack(&codec, src, &mut buffer);
    // This writes only after a failure, so that callers keep `failed` in a register.
    if result == Short::NONE || refused(&codec, out, result) {
        *failed = true;
        return None;
    }
    if short::is_unchanged(&codec, src, out) {
        return None;
    }
    let copied = copy(out);
    if copied.is_none() {
        *failed = true;
    }
    copied
}

/// Returns a copy of `bytes`, or `None` if memory can't be allocated.
#[inline]
fn copy(bytes: &[u8]) -> Option<Box<[u8]>> {
    let mut vec = output::try_vec(bytes.len())?;
    vec.extend_from_slice(bytes);
    Some(vec.into_boxed_slice())
}

/// Encodes or decodes `src` with a codec that never fails. Borrows `src` if it is unchanged. Otherwise allocates
/// exactly the length of the output, but when decoding a long input, up to a quarter of the memory stays unused.
#[inline(always)]
pub(crate) fn cow<C: ShortCodec>(codec: C, src: &[u8]) -> Result<Cow<'_, [u8]>, TryReserveError> {
    if src.len() > SHORT {
        return Ok(cow_long(codec, src)?.0);
    }
    if codec.check(src).unchanged {
        return Ok(Cow::Borrowed(src));
    }
    match ShortCow::new(codec, src, |codec, _, result| short::has_failed(codec, result)) {
        ShortCow::Borrowed => Ok(Cow::Borrowed(src)),
        ShortCow::Owned(bytes) => Ok(Cow::Owned(bytes.into_vec())),
        ShortCow::Failed => Ok(cow_long(codec, src)?.0),
    }
}

/// Does the same as [`cow`], for a codec that can stop with an error.
#[inline(always)]
pub(crate) fn cow_or_error<C: ShortCodec>(
    codec: C,
    src: &[u8],
) -> Result<Result<Cow<'_, [u8]>, DecodeError>, TryReserveError> {
    if src.len() <= SHORT {
        if codec.check(src).unchanged {
            return Ok(Ok(Cow::Borrowed(src)));
        }
        match ShortCow::new(codec, src, |codec, _, result| short::has_failed(codec, result)) {
            ShortCow::Borrowed => return Ok(Ok(Cow::Borrowed(src))),
            ShortCow::Owned(bytes) => return Ok(Ok(Cow::Owned(bytes.into_vec()))),
            ShortCow::Failed => {}
        }
    }
    let (bytes, result) = if src.len() <= SHORT { cow_reported(codec, src)? } else { cow_long(codec, src)? };
    Ok(result.error.map_or(Ok(bytes), Err))
}

/// Does the same as [`cow`], up to the first error. Also returns the error, and the first malformed `%`. For a short
/// `src` without an error, the first malformed `%` is [`UNKNOWN`](Malformed::UNKNOWN).
pub(crate) fn cow_with_report<C: ShortCodec>(
    codec: C,
    src: &[u8],
) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    if src.len() > SHORT {
        return cow_long(codec, src);
    }
    let bytes = match ShortCow::new(codec, src, |codec, _, result| short::has_failed(codec, result)) {
        ShortCow::Borrowed => Cow::Borrowed(src),
        ShortCow::Owned(bytes) => Cow::Owned(bytes.into_vec()),
        ShortCow::Failed => return cow_reported(codec, src),
    };
    let written = bytes.len();
    Ok((bytes, CodecResult { written, error: None, malformed: Malformed::UNKNOWN }))
}

/// Does the same as [`cow_with_report`], for short inputs that have an error, or for which an allocation has failed.
#[cold]
#[inline(never)]
fn cow_reported<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    let mut buffer = short::EMPTY;
    let (out, result) = run_all(codec, src, OutputBuffer::new(&mut buffer));
    if out == src {
        return Ok((Cow::Borrowed(src), result));
    }
    Ok((Cow::Owned(exact(out)?), result))
}

/// Returns `bytes` in an allocation of their exact length.
fn exact(bytes: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(bytes.len())?;
    vec.extend_from_slice(bytes);
    Ok(vec)
}

/// Does the same as [`cow_with_report`], for long inputs, and for short inputs if [`ShortCow`] has failed.
#[inline(never)]
fn cow_long<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    // If every change makes the output longer or shorter, we look only for changes of the length.
    let resizes = codec.facts().changes_resize;
    if !resizes && let Some(result) = codec.result_if_clean(src) {
        return Ok((Cow::Borrowed(src), result));
    }
    let count = codec.resize_count(src);
    if resizes && count == 0 {
        return Ok((Cow::Borrowed(src), CodecResult { written: src.len(), ..CodecResult::NONE }));
    }
    let mut vec = Vec::new();
    vec.try_reserve_exact(codec.capacity_of_count(src, count).unwrap_or(usize::MAX))?;
    let result = extend(codec, src, src.len(), &mut vec)?;
    if resizes && result.written == src.len() {
        return Ok((Cow::Borrowed(src), result));
    }
    trim(&mut vec)?;
    Ok((Cow::Owned(vec), result))
}

/// Encodes `src` to a new vector of exactly the output's length.
#[inline(always)]
pub(super) fn to_vec(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    let bytes = if short::check_short(&codec, src).unchanged {
        copy(src)
    } else if src.len() <= SHORT {
        copy_of_output(codec, src)
    } else {
        None
    };
    match bytes {
        Some(bytes) => Ok(bytes.into_vec()),
        None => to_vec_long(codec, src),
    }
}

/// Returns the output of a short `src`, or `None` if memory can't be allocated.
#[inline(never)]
fn copy_of_output(codec: Encoding, src: &[u8]) -> Option<Box<[u8]>> {
    copy(short::run_on_stack(&codec, src, &mut { short::EMPTY }).0)
}

/// Encodes like [`to_vec`], for long inputs, and for short inputs if an allocation has failed.
#[inline(never)]
fn to_vec_long(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    if let Some(vec) = to_vec_of_len(codec, src)? {
        return Ok(vec);
    }
    let mut vec = Vec::new();
    append_long(codec, src, &mut vec)?;
    Ok(vec)
}

/// Encodes `src` to a new vector as long as `src`, without measuring the output first. Returns `None` if the output has
/// a different length than `src`.
///
/// If encoding changes one of the first bytes, this function returns before it allocates. Otherwise it returns after
/// the first piece whose output has a different length than the piece.
fn to_vec_of_len(codec: Encoding, src: &[u8]) -> Result<Option<Vec<u8>>, TryReserveError> {
    const PIECE: usize = if cfg!(fuzzing) { 128 } else { 16 * 1024 };
    let first = &src[..src.len().min(PIECE / 4)];
    if codec.first(first).is_some() {
        return Ok(None);
    }
    let mut vec = Vec::new();
    vec.try_reserve_exact(src.len())?;
    while vec.len() < src.len() {
        let rest = &src[vec.len()..];
        let piece = rest.get(..PIECE).map_or(rest, |piece| &piece[..codec.settled_prefix_len(piece)]);
        let progress = append_spare::<Encoding>(&mut vec, piece.len(), |spare| {
            codec.run(piece, OutputBuffer::new(spare), &mut None).progress()
        });
        if progress != (Progress { read: piece.len(), written: piece.len() }) {
            return Ok(None);
        }
    }
    Ok(Some(vec))
}

impl Output for Vec<u8> {
    type Full = TryReserveError;

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }

    #[inline]
    fn append<C: ShortCodec>(&mut self, codec: C, src: &[u8]) -> Result<CodecResult, TryReserveError> {
        append(codec, src, self)
    }

    #[inline]
    fn append_with<C: Codec>(
        &mut self,
        codec: C,
        src: &[u8],
        run: impl FnOnce(&mut [Cell]) -> Progress,
    ) -> Result<Option<DecodeError>, TryReserveError> {
        self.try_reserve(src.len().saturating_mul(C::GROWTH))?;
        let Progress { read, .. } = append_spare::<C>(self, src.len(), run);
        Ok(if read < src.len() { codec.stop_error(src, read) } else { None })
    }
}

/// Appends the output for `len` bytes of input. The kernel `run` writes the output to the spare capacity of `vec`.
#[inline]
fn append_spare<C: Codec>(vec: &mut Vec<u8>, len: usize, run: impl FnOnce(&mut [Cell]) -> Progress) -> Progress {
    let most = len.saturating_mul(C::GROWTH).saturating_add(C::SLACK);
    let mut progress = Progress { read: 0, written: 0 };
    // SAFETY: a kernel returns how many bytes it has written, and it has initialized all of them.
    unchecked!(output::append(vec, most, |spare| {
        progress = run(spare);
        progress.written
    }));
    progress
}

/// Appends the output of `src` to `vec`. If `vec` has no memory, at most a quarter of its new memory is unused. If it has
/// memory, it may get more than it needs, so that repeated appending is fast. The output before an error stays.
#[inline(always)]
pub(crate) fn append<C: ShortCodec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    if src.is_empty() {
        return Ok(CodecResult::NONE);
    }
    if vec.len() < vec.capacity() {
        let mut written = None;
        append_spare::<C>(vec, src.len(), |spare| {
            written = short::run(&codec, src, OutputBuffer::new(spare)).len_unless(codec.can_fail());
            Progress { read: src.len(), written: written.unwrap_or_default() }
        });
        if let Some(written) = written {
            return Ok(CodecResult { written, error: None, malformed: Malformed::UNKNOWN });
        }
    }
    append_otherwise(&codec, src, vec)
}

/// Does the work of [`append`] if the input is long or has an error, or if `vec` must grow.
#[inline(never)]
fn append_otherwise<C: ShortCodec>(codec: &C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    if src.len() > SHORT {
        return append_long(*codec, src, vec);
    }
    let mut buffer = short::EMPTY;
    let (out, result) = match short::check_short(codec, src).unchanged {
        true => (src, Short::written(src.len())),
        false => short::run_on_stack(codec, src, &mut buffer),
    };
    if !short::has_failed(codec, result)
        && let Some(written) = append_bytes(out, vec)
    {
        return Ok(CodecResult::of_short(result, written));
    }
    append_long(*codec, src, vec)
}

/// Appends `bytes`. Returns their number, or `None` if memory can't be allocated.
#[inline]
fn append_bytes(bytes: &[u8], vec: &mut Vec<u8>) -> Option<usize> {
    match vec.capacity() {
        0 => vec.try_reserve_exact(bytes.len()),
        _ => vec.try_reserve(bytes.len()),
    }
    .ok()?;
    vec.extend_from_slice(bytes);
    Some(bytes.len())
}

/// Appends like [`append`], for inputs of any length.
#[inline(never)]
pub(super) fn append_long<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    let before = vec.len();
    let is_new = reserve_if_new(codec, src, vec)?;
    let mut result = extend(codec, src, src.len(), vec);
    // Frees unused memory, except after an error in the input: the caller may then append another input.
    if is_new
        && let Ok(CodecResult { error: None, .. }) = result
        && let Err(error) = trim(vec)
    {
        result = Err(error);
    }
    if result.is_err() {
        vec.truncate(before);
    }
    result
}

/// If `vec` has no memory, reserves the capacity for the output of `src`, and returns true. Otherwise returns false.
#[inline]
pub(super) fn reserve_if_new<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<bool, TryReserveError> {
    let is_new = vec.capacity() == 0;
    if is_new {
        vec.try_reserve_exact(codec.capacity(src).unwrap_or(usize::MAX))?;
    }
    Ok(is_new)
}

/// If more than a quarter of the memory of `vec` is unused, moves the bytes to an allocation of their exact length.
///
/// `shrink_to_fit` would end the program if the allocator refuses.
#[inline]
pub(super) fn trim(vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
    let unused = vec.capacity() - vec.len();
    if unused > vec.capacity() / 4 {
        *vec = exact(vec)?;
    }
    Ok(())
}

/// Appends the output of the first `n` bytes of `src`. If the capacity is too small, reserves more for the unread input.
/// The capacity then at least doubles, so that repeated appending takes linear time.
#[inline]
pub(super) fn extend<C: Codec>(
    codec: C,
    src: &[u8],
    n: usize,
    vec: &mut Vec<u8>,
) -> Result<CodecResult, TryReserveError> {
    let mut result = CodecResult::NONE;
    let mut malformed = None;
    let mut read = 0;
    loop {
        let progress = append_spare::<C>(vec, n - read, |spare| {
            run_piece(codec, &src[read..n], read, OutputBuffer::new(spare), &mut malformed).progress()
        });
        result.malformed = malformed.into();
        result.written += progress.written;
        read += progress.read;
        if read == n {
            return Ok(result);
        }
        result.error = codec.stop_error(src, read);
        if result.error.is_some() {
            return Ok(result);
        }
        vec.try_reserve(codec.advanced(read).capacity(&src[read..]).unwrap_or(usize::MAX))?;
    }
}
