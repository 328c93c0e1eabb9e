//! Writes output to a new `Vec`, or to the end of one.

use alloc::{borrow::Cow, boxed::Box, collections::TryReserveError, vec::Vec};

use super::{Output, run_at};
use crate::codec::{Codec, CodecResult, Encoding, Malformed, run_all};
use crate::error::DecodeError;
use crate::kernel::Progress;
use crate::output::{self, Cell, OutputBuffer, unchecked};
use crate::short::{self, SHORT, Short, ShortCodec};

/// What a short input becomes.
pub(super) enum ShortCow {
    Borrowed,
    Owned(Box<[u8]>),
    /// The output is refused, or there is no memory for it.
    Failed,
}

impl ShortCow {
    /// Runs over all of `src`, which is short, if its output is not `refused`.
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

/// Runs over all of `src`. Returns the output if it is not `src`: two words, which stay in registers, where a `Vec`, let alone
/// a `Result` of one, goes through memory, written in words and read in vectors, for which a CPU waits. So a failure, which
/// is rare, takes another way.
#[inline(never)]
fn changed<C: ShortCodec>(
    codec: C,
    src: &[u8],
    mut refused: impl FnMut(&C, &[u8], Short) -> bool,
    failed: &mut bool,
) -> Option<Box<[u8]>> {
    let mut buffer = short::EMPTY;
    let (out, result) = short::run_on_stack(&codec, src, &mut buffer);
    // Written to on failure alone: that it is none stays in the caller's registers otherwise.
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

/// Returns a copy of `bytes`, or `None` if there is no memory for it.
#[inline]
fn copy(bytes: &[u8]) -> Option<Box<[u8]>> {
    let mut vec = output::try_vec(bytes.len())?;
    vec.extend_from_slice(bytes);
    Some(vec.into_boxed_slice())
}

/// Runs over all of `src`, by a codec that nothing stops, in one allocation of exactly the output's length; borrows `src` where
/// nothing changes.
#[inline(always)]
pub(crate) fn cow<C: ShortCodec>(codec: C, src: &[u8]) -> Result<Cow<'_, [u8]>, TryReserveError> {
    if src.len() > SHORT {
        return Ok(cow_long(codec, src)?.0);
    }
    if codec.look(src).unchanged {
        return Ok(Cow::Borrowed(src));
    }
    match ShortCow::new(codec, src, |codec, _, result| short::has_failed(codec, result)) {
        ShortCow::Borrowed => Ok(Cow::Borrowed(src)),
        ShortCow::Owned(bytes) => Ok(Cow::Owned(bytes.into_vec())),
        ShortCow::Failed => Ok(cow_long(codec, src)?.0),
    }
}

/// Like [`cow`], by a codec that an error may stop.
#[inline(always)]
pub(crate) fn cow_or_error<C: ShortCodec>(
    codec: C,
    src: &[u8],
) -> Result<Result<Cow<'_, [u8]>, DecodeError>, TryReserveError> {
    if src.len() <= SHORT {
        if codec.look(src).unchanged {
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

/// Like [`cow`], up to the first error in `src`; returns that too, and where the first malformed `%` is.
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

/// Like [`cow_with_report`], for short inputs that an error stops, and those that have found no memory.
#[cold]
#[inline(never)]
fn cow_reported<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    let mut buffer = short::EMPTY;
    let (out, result) = run_all(codec, src, OutputBuffer::new(&mut buffer));
    if out == src {
        return Ok((Cow::Borrowed(src), result));
    }
    let mut vec = Vec::new();
    vec.try_reserve_exact(out.len())?;
    vec.extend_from_slice(out);
    Ok((Cow::Owned(vec), result))
}

/// Like [`cow_with_report`], for long inputs, and for short ones that [`ShortCow`] gives up.
#[inline(never)]
fn cow_long<C: Codec>(codec: C, src: &[u8]) -> Result<(Cow<'_, [u8]>, CodecResult), TryReserveError> {
    if let Some(result) = codec.result_if_unchanged(src) {
        return Ok((Cow::Borrowed(src), result));
    }
    let mut vec = Vec::new();
    let result = append_long(codec, src, &mut vec)?;
    Ok((Cow::Owned(vec), result))
}

/// Encodes all of `src` to a new vector of exactly its length.
#[inline(always)]
pub(super) fn to_vec(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    let bytes = if short::check(&codec, src).unchanged {
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

/// Returns the output of a short `src`, or `None` if there is no memory for it.
#[inline(never)]
fn copy_of_output(codec: Encoding, src: &[u8]) -> Option<Box<[u8]>> {
    copy(short::run_on_stack(&codec, src, &mut { short::EMPTY }).0)
}

/// Like [`to_vec`], for long inputs and for short ones that found no memory.
#[inline(never)]
fn to_vec_long(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    if let Some(vec) = to_vec_of_len(codec, src)? {
        return Ok(vec);
    }
    let mut vec = Vec::new();
    append_long(codec, src, &mut vec)?;
    Ok(vec)
}

/// Encodes all of `src` to a new vector, without having measured it; `None` if that has another length. Where the first few bytes
/// change it is told so before there is memory for it, and elsewhere after the piece that does.
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
        let piece = rest.get(..PIECE).map_or(rest, |piece| &piece[..codec.decided_len(piece)]);
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
        Ok(if read < src.len() { codec.error_at(src, read) } else { None })
    }
}

/// Appends the output of a kernel for `len` bytes of input, which `run` writes to the spare capacity of `vec`.
#[inline]
fn append_spare<C: Codec>(vec: &mut Vec<u8>, len: usize, run: impl FnOnce(&mut [Cell]) -> Progress) -> Progress {
    let most = len.saturating_mul(C::GROWTH).saturating_add(C::SLACK);
    let mut progress = Progress { read: 0, written: 0 };
    // SAFETY: a kernel has initialized as many bytes as it says.
    unchecked!(output::append(vec, most, |spare| {
        progress = run(spare);
        progress.written
    }));
    progress
}

/// Appends all of `src` to `vec`: allocates exactly its length where nothing was, space to grow otherwise. The output up to
/// an error stays.
#[inline(always)]
pub(crate) fn append<C: ShortCodec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    if src.is_empty() {
        return Ok(CodecResult::NONE);
    }
    if vec.len() < vec.capacity() {
        let mut written = None;
        append_spare::<C>(vec, src.len(), |spare| {
            written = short::run(&codec, src, OutputBuffer::new(spare)).len_unless(codec.is_strict());
            Progress { read: src.len(), written: written.unwrap_or_default() }
        });
        if let Some(written) = written {
            return Ok(CodecResult { written, error: None, malformed: Malformed::UNKNOWN });
        }
    }
    append_otherwise(codec, src, vec)
}

/// Like [`append`], for inputs that are long, that an error stops, or for whose output there is no room yet.
#[inline(never)]
fn append_otherwise<C: ShortCodec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
    if src.len() > SHORT {
        return append_long(codec, src, vec);
    }
    let mut buffer = short::EMPTY;
    let (out, result) = match short::check(&codec, src).unchanged {
        true => (src, Short::written(src.len())),
        false => short::run_on_stack(&codec, src, &mut buffer),
    };
    if !short::has_failed(&codec, result)
        && let Some(written) = append_bytes(out, vec)
    {
        return Ok(CodecResult::of_short(result, written));
    }
    append_long(codec, src, vec)
}

/// Appends `bytes`. Returns how many those are, or `None` if there is no memory for them.
#[inline]
fn append_bytes(bytes: &[u8], vec: &mut Vec<u8>) -> Option<usize> {
    if vec.capacity() - vec.len() < bytes.len() {
        Growth::of(vec).reserve(vec, bytes.len()).ok()?;
    }
    vec.extend_from_slice(bytes);
    Some(bytes.len())
}

/// Like [`append`], for inputs of any length.
#[inline(never)]
pub(super) fn append_long<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<CodecResult, TryReserveError> {
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
    let mut result = CodecResult::NONE;
    let mut malformed = None;
    let mut read = 0;
    loop {
        let progress = append_spare::<C>(vec, n - read, |spare| {
            run_at(codec, &src[read..n], read, OutputBuffer::new(spare), &mut malformed).progress()
        });
        result.malformed = malformed.into();
        result.written += progress.written;
        read += progress.read;
        if read == n {
            return Ok(result);
        }
        result.error = codec.error_at(src, read);
        if result.error.is_some() {
            return Ok(result);
        }
        growth.reserve(vec, codec.advanced(read).output_len(&src[read..]).unwrap_or(usize::MAX))?;
    }
}
