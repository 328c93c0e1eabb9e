//! Drives an engine into whatever the result goes to. The only place that loops on
//! [`Progress`](crate::kernel::Progress), and with its rooms nearly the only one outside isa/ and engine.rs with `unsafe`.

use core::mem::MaybeUninit;

use crate::engine::{Done, Engine, Kernels};
use crate::error::{DecodeError, DecodeErrorKind, OutputTooSmall};
use crate::kernel::{self, DecodeProfile, EncodeProfile, FirstChange, PlusStart, Progress, Scan};
use crate::triplet::complete_triplets_len;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

pub(crate) mod form;
mod short;

use short::SHORT;

/// One direction, as the sinks see it.
pub(crate) trait Codec: Copy {
    /// Bytes of output for an input of `src`, up to where that would stop; `None` if that does not fit a `usize`.
    fn output_len(&self, src: &[u8]) -> Option<usize>;
    /// Like [`output_len`](Self::output_len) if nothing is malformed and nothing is kept, otherwise perhaps less; quicker.
    fn estimated_len(&self, src: &[u8]) -> Option<usize>;
    /// Returns the result of a run that would write `src` itself; `None` if anything changes.
    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult>;
    /// Bytes of output for one of input, at most.
    const GROWTH: usize;
    /// Where a `%` starts no triplet, and `malformed` is none, decoding puts its offset there.
    fn run<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>], malformed: &mut Option<usize>) -> Done<'d>;
    /// Runs over all of `src`, which is [`SHORT`], into `dst`, which has room for the longest that can come of it, and
    /// [`EXPANDED`](crate::isa::EXPANDED) more.
    fn run_short<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> (&'d mut [u8], CodecResult);
    /// [`run`](Self::run) into memory that is initialized.
    fn fill<'d>(&self, src: &[u8], dst: &'d mut [u8], malformed: &mut Option<usize>) -> Done<'d>;
    /// What is wrong at `at`, where a run over `src` has ended; nothing, if it was for want of room.
    fn error_at(&self, src: &[u8], at: usize) -> Option<DecodeError>;
    /// Whether every change makes the output longer, or every one shorter: of the same length are only the same bytes.
    fn same_len_means_same(&self) -> bool;
    /// Whether `src`, of which there is little, comes out as it is; told only if that is quickly found.
    fn is_clean(&self, src: &[u8]) -> bool;
    /// The codec for the input without its first `read` bytes.
    fn advanced(self, read: usize) -> Self;
    /// Length of the longest prefix of `src` that comes out the same whatever follows it.
    fn decided_len(&self, src: &[u8]) -> usize;
}

/// Encoding with an engine, the active one if none is given.
#[derive(Clone, Copy)]
pub(crate) struct Encoding<'p> {
    pub(crate) profile: &'p EncodeProfile,
    pub(crate) engine: Option<&'static Engine>,
}

/// Decoding with an engine, the active one if none is given.
#[derive(Clone, Copy)]
pub(crate) struct Decoding<'p> {
    pub(crate) profile: &'p DecodeProfile,
    pub(crate) plus: PlusStart,
    pub(crate) engine: Option<&'static Engine>,
}

impl Encoding<'_> {
    #[inline]
    pub(crate) fn kernels(&self) -> Kernels {
        Kernels::of(self.engine)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> Option<usize> {
        self.firsts(src).offset()
    }

    /// The first bytes that would not stay.
    #[inline]
    pub(crate) fn firsts(&self, src: &[u8]) -> FirstChange {
        self.kernels().encode_first(self.profile, src)
    }
}

impl Codec for Encoding<'_> {
    const GROWTH: usize = 3;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        self.kernels().encode_count(self.profile, src).checked_mul(2)?.checked_add(src.len())
    }

    #[inline]
    fn estimated_len(&self, src: &[u8]) -> Option<usize> {
        self.output_len(src)
    }

    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult> {
        let same = CodecResult { written: src.len(), error: None, malformed: None };
        self.first(src).is_none().then_some(same)
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>], _: &mut Option<usize>) -> Done<'d> {
        self.kernels().encode(self.profile, src, dst)
    }

    #[inline]
    fn run_short<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> (&'d mut [u8], CodecResult) {
        let out = self.kernels().encode_short(self.profile, src, &[], dst);
        let written = out.len();
        (out, CodecResult { written, ..CodecResult::NONE })
    }

    #[inline]
    fn fill<'d>(&self, src: &[u8], dst: &'d mut [u8], _: &mut Option<usize>) -> Done<'d> {
        self.kernels().encode_initialized(self.profile, src, dst)
    }

    #[inline]
    fn error_at(&self, _: &[u8], _: usize) -> Option<DecodeError> {
        None
    }

    #[inline]
    fn same_len_means_same(&self) -> bool {
        !self.profile.plus
    }

    #[inline]
    fn is_clean(&self, src: &[u8]) -> bool {
        let allowed = self.profile.allowed;
        self.profile.is_plain() && src.iter().fold(true, |all, &byte| all & allowed.contains(byte))
    }

    fn advanced(self, _: usize) -> Self {
        self
    }

    #[inline]
    fn decided_len(&self, src: &[u8]) -> usize {
        if self.profile.keep_triplets { complete_triplets_len(src) } else { src.len() }
    }
}

impl Decoding<'_> {
    #[inline]
    pub(crate) fn kernels(&self) -> Kernels {
        Kernels::of(self.engine)
    }

    #[inline]
    pub(crate) fn count(&self, src: &[u8]) -> (usize, Scan) {
        self.kernels().decode_count(self.profile, self.plus, src)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> (Option<usize>, Scan) {
        self.kernels().decode_first(self.profile, self.plus, src)
    }
}

impl Codec for Decoding<'_> {
    const GROWTH: usize = 1;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        let (triplets, scanned) = self.count(src);
        Some(scanned.stopped_at - 2 * triplets)
    }

    #[inline]
    fn estimated_len(&self, src: &[u8]) -> Option<usize> {
        if self.profile.keep.is_some() {
            return self.output_len(src);
        }
        // Where each `%` starts a triplet, counting them will do.
        Some(src.len().saturating_sub(2 * self.kernels().count_percent(src)))
    }

    fn result_if_unchanged(&self, src: &[u8]) -> Option<CodecResult> {
        let (first, scanned) = self.first(src);
        let same = CodecResult { written: src.len(), error: None, malformed: scanned.malformed };
        (first.is_none() && scanned.stopped_at == src.len()).then_some(same)
    }

    #[inline]
    fn run<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>], malformed: &mut Option<usize>) -> Done<'d> {
        self.kernels().decode(self.profile, self.plus, src, dst, malformed)
    }

    #[inline]
    fn run_short<'d>(&self, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> (&'d mut [u8], CodecResult) {
        if !self.profile.is_plain(self.plus) {
            return run_all(*self, src, dst);
        }
        match self.kernels().decode_short(src, dst) {
            Ok(out) => {
                let written = out.len();
                (out, CodecResult { written, ..CodecResult::NONE })
            }
            Err(dst) => run_all(*self, src, dst),
        }
    }

    #[inline]
    fn fill<'d>(&self, src: &[u8], dst: &'d mut [u8], malformed: &mut Option<usize>) -> Done<'d> {
        self.kernels().decode_initialized(self.profile, self.plus, src, dst, malformed)
    }

    #[inline]
    fn error_at(&self, src: &[u8], at: usize) -> Option<DecodeError> {
        kernel::error_at(self.profile, src, at)
    }

    #[inline]
    fn same_len_means_same(&self) -> bool {
        self.plus == PlusStart::NONE && !self.profile.upper
    }

    #[inline]
    fn is_clean(&self, src: &[u8]) -> bool {
        self.plus == PlusStart::NONE && src.iter().fold(true, |all, &byte| all & (byte != b'%'))
    }

    fn advanced(self, read: usize) -> Self {
        Decoding { plus: self.plus.advanced(read), ..self }
    }

    #[inline]
    fn decided_len(&self, src: &[u8]) -> usize {
        self.profile.decided_len(src)
    }
}

/// What a run of the codec over all of an input came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CodecResult {
    /// Bytes of output.
    pub(crate) written: usize,
    /// What stopped it short of the end.
    pub(crate) error: Option<DecodeError>,
    /// The first `%` that starts no triplet.
    pub(crate) malformed: Option<usize>,
}

impl CodecResult {
    /// What comes of nothing.
    const NONE: CodecResult = CodecResult { written: 0, error: None, malformed: None };
}

/// Runs `codec` over all of `src` into `dst`, as far as that has room. Returns the part of it that was written.
#[inline]
fn run_all<'d, C: Codec>(codec: C, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> (&'d mut [u8], CodecResult) {
    let mut outcome = CodecResult::NONE;
    let Done { read, out } = codec.run(src, dst, &mut outcome.malformed);
    outcome.written = out.len();
    if read < src.len() {
        outcome.error = codec.error_at(src, read);
    }
    (out, outcome)
}

/// All of `src` into `dst`, and the part of that which was written; if it is too small, what would have been enough.
pub(crate) fn slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut malformed = None;
    let done = codec.run(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}

#[inline]
fn finish_slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    Done { read, out }: Done<'d>,
    malformed: Option<usize>,
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut outcome = CodecResult { written: out.len(), error: None, malformed };
    if read < src.len() {
        outcome.error = codec.error_at(src, read);
        if outcome.error.is_none() {
            return Err(OutputTooSmall { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    Ok((out, outcome))
}

/// Like [`slice`], into memory that is initialized.
pub(crate) fn slice_init<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [u8],
) -> Result<(&'d mut [u8], CodecResult), OutputTooSmall> {
    let mut malformed = None;
    let done = codec.fill(src, dst, &mut malformed);
    finish_slice(codec, src, done, malformed)
}

/// Bytes of output that fit the buffers on the stack.
const BUFFER: usize = if cfg!(fuzzing) { 192 } else { 6 * 1024 };

/// How much of `src` to take so that at most `room` bytes come out, and no triplet is cut.
fn safe_len<C: Codec>(codec: &C, src: &[u8], room: usize) -> usize {
    src.get(..room / C::GROWTH).map_or(src.len(), |src| codec.decided_len(src))
}

/// Runs `codec` over `piece`, which starts at `read` of the whole input: offsets are in that.
fn run_at<'d, C: Codec>(
    codec: C,
    piece: &[u8],
    read: usize,
    dst: &'d mut [MaybeUninit<u8>],
    malformed: &mut Option<usize>,
) -> Done<'d> {
    let mut here = None;
    let done = codec.advanced(read).run(piece, dst, &mut here);
    *malformed = malformed.or(here.map(|at| read + at));
    done
}

/// Puts all of `src` through a buffer on the stack and hands it to `put` piece by piece. Returns how many bytes of output
/// those were, which may be more than a `usize` holds, and what stopped it short of the end.
#[inline]
pub(crate) fn pieces<C: Codec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(u64, Option<DecodeError>), E> {
    if src.len() > SHORT {
        return pieces_long(codec, src, put);
    }
    if src.is_empty() {
        return Ok((0, None));
    }
    let mut buffer = short::EMPTY;
    let (bytes, outcome) = short::run(codec, src, &mut buffer);
    put(bytes)?;
    Ok((outcome.written as u64, outcome.error))
}

#[inline(never)]
fn pieces_long<C: Codec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(u64, Option<DecodeError>), E> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    let mut written = 0;
    let mut read = 0;
    while read < src.len() {
        let rest = &src[read..];
        let piece = &rest[..safe_len(&codec, rest, BUFFER)];
        let done = run_at(codec, piece, read, &mut buffer, &mut None);
        put(done.out)?;
        written += done.out.len() as u64;
        read += done.read;
        if done.read < piece.len() {
            return Ok((written, codec.error_at(src, read)));
        }
    }
    Ok((written, None))
}

/// Decodes `buffer` into its own front, by way of a buffer on the stack: so a vector stored whole never overtakes what
/// is yet to be read, and what the compiler is told about both is true.
pub(crate) fn in_place(decoding: Decoding, buffer: &mut [u8]) -> CodecResult {
    let (first, scanned) = decoding.first(buffer);
    let start = first.map_or(scanned.stopped_at, |first| item_start(buffer, first));
    let mut outcome = CodecResult { written: start, error: None, malformed: scanned.malformed };
    let mut read = start;
    let mut piece = [MaybeUninit::uninit(); BUFFER];
    while read < buffer.len() && outcome.error.is_none() {
        let rest = &buffer[read..];
        let src = &rest[..safe_len(&decoding, rest, BUFFER)];
        let done = run_at(decoding, src, read, &mut piece, &mut outcome.malformed);
        if done.read < src.len() {
            outcome.error = decoding.error_at(buffer, read + done.read);
        }
        let at = outcome.written;
        outcome.written += done.out.len();
        buffer[at..outcome.written].copy_from_slice(done.out);
        read += done.read;
    }
    outcome
}

/// Where the byte, or the triplet, starts of which the byte at `changed` is the first that does not stay.
pub(crate) fn item_start(src: &[u8], changed: usize) -> usize {
    match src[..=changed] {
        [.., b'%' | b'+'] => changed,
        [.., b'%', _] => changed - 1,
        _ => changed.saturating_sub(2),
    }
}

/// All of `src`, in one allocation of exactly its length, or `src` itself where nothing changes; whatever may be wrong with it.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn cow<C: Codec>(codec: C, src: &[u8]) -> Result<Cow<'_, [u8]>, TryReserveError> {
    match short::cow(codec, src, |_, _, _| true) {
        Some(bytes) => Ok(bytes),
        None => Ok(cow_long(codec, src)?.0),
    }
}

/// Like [`cow`], up to the first error in `src`, and returns that too.
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
#[inline]
fn to_vec(codec: Encoding, src: &[u8]) -> Result<Vec<u8>, TryReserveError> {
    if src.len() <= SHORT
        && let Some(bytes) = short::to_vec(codec, src)
    {
        return Ok(bytes.into_vec());
    }
    to_vec_long(codec, src)
}

/// Like [`to_vec`], for long inputs and for short ones that found no memory.
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
#[inline]
fn append_spare(vec: &mut Vec<u8>, run: impl FnOnce(&mut [MaybeUninit<u8>]) -> Progress) -> Progress {
    let progress = run(vec.spare_capacity_mut());
    // SAFETY: a kernel has initialized as many bytes after the length, all within the capacity.
    unsafe { vec.set_len(vec.len() + progress.written) };
    progress
}

/// All of `src` appended to `vec`: exactly its length is allocated where nothing was, room to grow otherwise. The
/// output up to an error stays.
#[cfg(feature = "alloc")]
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
#[cfg(feature = "alloc")]
#[derive(Clone, Copy)]
enum Growth {
    /// By exactly as much as is needed: it had no memory, so this call is likely to be the only one.
    Exact,
    /// At least twofold, so that it takes linear time to append to it again and again.
    Amortized,
}

#[cfg(feature = "alloc")]
impl Growth {
    fn of(vec: &Vec<u8>) -> Growth {
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
#[cfg(feature = "alloc")]
#[inline]
fn reserve<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>, growth: Growth) -> Result<(), TryReserveError> {
    let spare = vec.capacity() - vec.len();
    if src.len().checked_mul(C::GROWTH).is_some_and(|longest| longest <= spare) {
        return Ok(());
    }
    growth.reserve(vec, codec.estimated_len(src).unwrap_or(usize::MAX))
}

/// Appends the output of the first `n` bytes of `src`; where that was told too short, with room for that of the rest.
#[cfg(feature = "alloc")]
#[inline]
fn extend<C: Codec>(
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

/// All of `src`, decoded, appended to `string`; where in the input it ceases to be UTF-8, or stops, `string` is as it
/// was. Each piece is checked while it is in the nearest cache. Of several errors the one that is first in the input
/// is told.
#[cfg(feature = "alloc")]
pub(crate) fn append_text(
    decoding: Decoding,
    src: &[u8],
    string: &mut String,
) -> Result<Result<usize, DecodeError>, TryReserveError> {
    const PIECE: usize = if cfg!(fuzzing) { 128 } else { 16 * 1024 };
    let before = string.len();
    let mut vec = core::mem::take(string).into_bytes();
    let growth = Growth::of(&vec);
    let mut reserved = reserve(decoding, src, &mut vec, growth);
    let mut error = None;
    let mut read = 0;
    let mut checked = before;
    while read < src.len() && error.is_none() && reserved.is_ok() {
        let rest = &src[read..];
        let n = safe_len(&decoding, rest, PIECE);
        match extend(decoding.advanced(read), rest, n, &mut vec, growth) {
            Ok(outcome) => error = outcome.error.map(|error| error.shifted(read)),
            Err(error) => reserved = Err(error),
        }
        read += n;
        let fresh = &vec[checked..];
        let complete = if read < src.len() && error.is_none() { complete_utf8_len(fresh) } else { fresh.len() };
        if !decoding.kernels().is_utf8(&fresh[..complete]) {
            let at = checked - before + valid_up_to(fresh);
            error = Some(DecodeError::new(input_offset(decoding, src, at), DecodeErrorKind::InvalidUtf8));
        }
        checked += complete;
    }
    if error.is_some() || reserved.is_err() {
        vec.truncate(before);
    }
    let written = vec.len() - before;
    // SAFETY: what was there before is UTF-8, and everything after it has been checked or is gone.
    *string = unsafe { text(vec) };
    reserved.map(|()| error.map_or(Ok(written), Err))
}

/// Length of `bytes` without a sequence at its end that more bytes could complete.
pub(crate) fn complete_utf8_len(bytes: &[u8]) -> usize {
    let lead = bytes.iter().rev().take(3).position(|&byte| byte >= 0xC0);
    match lead {
        Some(after) if after + 1 < bytes[bytes.len() - 1 - after].leading_ones() as usize => bytes.len() - 1 - after,
        _ => bytes.len(),
    }
}

fn valid_up_to(bytes: &[u8]) -> usize {
    str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Offset in the input of what the byte at `at` of the output comes from.
#[cfg(feature = "alloc")]
pub(crate) fn input_offset(decoding: Decoding, src: &[u8], at: usize) -> usize {
    let mut buffer = [MaybeUninit::uninit(); 512];
    let (mut read, mut written) = (0, 0);
    while written < at {
        let room = &mut buffer[..(at - written).min(512)];
        let done = decoding.advanced(read).run(&src[read..], room, &mut None);
        read += done.read;
        written += done.out.len();
        if done.out.is_empty() {
            break;
        }
    }
    read
}

/// `src` as text, or from where on it is not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn checked_text<'a>(decoding: Decoding, src: &'a [u8]) -> Result<&'a str, usize> {
    if decoding.kernels().is_utf8(src) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { str::from_utf8_unchecked(src) });
    }
    Err(valid_up_to(src))
}

/// All of `src` as text, `src` itself where nothing changes, if it is short, nothing is wrong with it, and there is memory.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn short_text<'a>(decoding: Decoding, src: &'a [u8]) -> Option<Cow<'a, str>> {
    let bytes = short::cow(decoding, src, |decoding, bytes, _| decoding.kernels().is_utf8(bytes))?;
    // SAFETY: just found to be UTF-8, or the same as what was.
    Some(unsafe { cow_text(bytes) })
}

/// Makes text of `bytes`, or gives them back where they are not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn checked_string(decoding: Decoding, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    if decoding.kernels().is_utf8(&bytes) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { text(bytes) });
    }
    Err(bytes)
}

/// All of `src` as text, by a codec whose output is ASCII; `src` itself where nothing changes.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn cow_ascii<'a>(codec: Encoding, src: &'a [u8]) -> Result<Cow<'a, str>, TryReserveError> {
    assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the set is one of ASCII, so all that is written is, and all that stays.
    Ok(unsafe { cow_text(cow(codec, src)?) })
}

/// All of `src` as new text, by a codec whose output is ASCII.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn to_ascii_string(codec: Encoding, src: &[u8]) -> Result<String, TryReserveError> {
    assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the set is one of ASCII, so all that is written is.
    Ok(unsafe { text(to_vec(codec, src)?) })
}

/// All of `src` appended to `string`, by a codec whose output is ASCII.
#[cfg(feature = "alloc")]
pub(crate) fn append_ascii(codec: Encoding, src: &[u8], string: &mut String) -> Result<(), TryReserveError> {
    assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the set is one of ASCII, so each byte appended is.
    append(codec, src, unsafe { string.as_mut_vec() })?;
    Ok(())
}

/// Text from bytes.
///
/// # Safety
/// They are UTF-8.
#[cfg(feature = "alloc")]
pub(crate) unsafe fn text(bytes: Vec<u8>) -> String {
    debug_assert!(str::from_utf8(&bytes).is_ok());
    // SAFETY: the caller's promise.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// Text from bytes, borrowed or not.
///
/// # Safety
/// They are UTF-8.
#[cfg(feature = "alloc")]
#[inline]
unsafe fn cow_text(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        // SAFETY: the caller's promise.
        Cow::Borrowed(bytes) => Cow::Borrowed(unsafe { str::from_utf8_unchecked(bytes) }),
        // SAFETY: the caller's promise.
        Cow::Owned(bytes) => Cow::Owned(unsafe { text(bytes) }),
    }
}

/// What cannot fail but for memory, failing as the collections of the standard library do.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn infallible<T>(result: Result<T, TryReserveError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => out_of_memory(error),
    }
}

#[cfg(feature = "alloc")]
#[cold]
fn out_of_memory(error: TryReserveError) -> ! {
    panic!("the result cannot be stored: {error}")
}
