//! Drives an engine into whatever the result goes to. The only place that loops on
//! [`Progress`](crate::kernel::Progress), and the only one outside isa/ and engine.rs with `unsafe`.

use core::mem::MaybeUninit;
use core::ops::Range;

use crate::engine::Engine;
use crate::error::{DecodeError, DecodeErrorKind, NoRoom};
#[cfg(feature = "alloc")]
use crate::isa::load_small;
use crate::isa::{BLOCK, EXPANDED};
use crate::kernel::form::Window;
use crate::kernel::{self, DecodeProfile, EncodeProfile, Pluses, Progress, Scanned, Stop};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

/// One direction, as the sinks see it.
pub(crate) trait Codec: Copy {
    /// Octets of output for an input of `src`, up to where that would stop; `None` if that does not fit a `usize`.
    fn output_len(&self, src: &[u8]) -> Option<usize>;
    /// The same if nothing is malformed and nothing is kept; otherwise it may be less. Quickly told.
    fn likely_len(&self, src: &[u8]) -> Option<usize>;
    /// What comes of `src` if that is `src` itself.
    fn unchanged(&self, src: &[u8]) -> Option<Outcome>;
    /// Octets of output for one of input, at most.
    const GROWTH: usize;
    /// Where a `%` starts no triplet, and `malformed` is none, decoding puts its offset there.
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], malformed: &mut Option<usize>) -> Progress;
    /// [`run`](Self::run) into memory that is initialised.
    fn fill(&self, src: &[u8], dst: &mut [u8], malformed: &mut Option<usize>) -> Progress {
        // SAFETY: the kernels write octets, and nothing else.
        self.run(src, unsafe { uninit(dst) }, malformed)
    }
    /// Why a run over `src` has ended at `read`.
    fn stop(&self, src: &[u8], read: usize) -> Stop;
    /// Whether every change makes the output longer, or every one shorter.
    fn only_resizes(&self) -> bool;
    /// Whether `src`, of which there is little, comes out as it is; told only if that is quickly found.
    fn is_untouched(&self, src: &[u8]) -> bool;
    /// The codec for the input without its first `read` octets.
    fn advanced(self, read: usize) -> Self;
    /// Length of the longest prefix of `src` that more input cannot change the reading of.
    fn whole(&self, src: &[u8]) -> usize;
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
    pub(crate) plus: Pluses,
    pub(crate) engine: Option<&'static Engine>,
}

impl Encoding<'_> {
    #[inline]
    pub(crate) fn engine(&self) -> &'static Engine {
        self.engine.unwrap_or_else(Engine::active)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> Option<usize> {
        self.engine().encode_first(self.profile, src)
    }
}

impl Codec for Encoding<'_> {
    const GROWTH: usize = 3;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        self.engine().encode_count(self.profile, src).checked_mul(2)?.checked_add(src.len())
    }

    #[inline]
    fn likely_len(&self, src: &[u8]) -> Option<usize> {
        self.output_len(src)
    }

    fn unchanged(&self, src: &[u8]) -> Option<Outcome> {
        let same = Outcome { written: src.len(), error: None, malformed: None };
        self.first(src).is_none().then_some(same)
    }

    #[inline]
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], _: &mut Option<usize>) -> Progress {
        self.engine().encode(self.profile, src, dst)
    }

    #[inline]
    fn stop(&self, src: &[u8], read: usize) -> Stop {
        if read == src.len() { Stop::Done } else { Stop::Full }
    }

    #[inline]
    fn only_resizes(&self) -> bool {
        !self.profile.plus
    }

    #[inline]
    fn is_untouched(&self, src: &[u8]) -> bool {
        let allowed = self.profile.allowed;
        self.profile.is_plain() && src.iter().fold(true, |all, &octet| all & allowed.contains(octet))
    }

    fn advanced(self, _: usize) -> Self {
        self
    }

    #[inline]
    fn whole(&self, src: &[u8]) -> usize {
        if self.profile.keep_triplets { kernel::whole(src) } else { src.len() }
    }
}

impl Decoding<'_> {
    #[inline]
    pub(crate) fn engine(&self) -> &'static Engine {
        self.engine.unwrap_or_else(Engine::active)
    }
}

impl Decoding<'_> {
    #[inline]
    pub(crate) fn count(&self, src: &[u8]) -> (usize, Scanned) {
        self.engine().decode_count(self.profile, self.plus, src)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> (Option<usize>, Scanned) {
        self.engine().decode_first(self.profile, self.plus, src)
    }
}

impl Codec for Decoding<'_> {
    const GROWTH: usize = 1;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        let (triplets, scanned) = self.count(src);
        Some(scanned.at - 2 * triplets)
    }

    #[inline]
    fn likely_len(&self, src: &[u8]) -> Option<usize> {
        if self.profile.keep.is_some() {
            return self.output_len(src);
        }
        // Where each `%` starts a triplet, counting them will do.
        Some(src.len().saturating_sub(2 * self.engine().percents(src)))
    }

    fn unchanged(&self, src: &[u8]) -> Option<Outcome> {
        let (first, scanned) = self.first(src);
        let same = Outcome { written: src.len(), error: None, malformed: scanned.malformed };
        (first.is_none() && scanned.at == src.len()).then_some(same)
    }

    #[inline]
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>], malformed: &mut Option<usize>) -> Progress {
        self.engine().decode(self.profile, self.plus, src, dst, malformed)
    }

    #[inline]
    fn stop(&self, src: &[u8], read: usize) -> Stop {
        kernel::stop(self.profile, src, read)
    }

    #[inline]
    fn only_resizes(&self) -> bool {
        self.plus == Pluses::NONE && !self.profile.upper
    }

    #[inline]
    fn is_untouched(&self, src: &[u8]) -> bool {
        self.plus == Pluses::NONE && src.iter().fold(true, |all, &octet| all & (octet != b'%'))
    }

    fn advanced(self, read: usize) -> Self {
        Decoding { plus: self.plus.advanced(read), ..self }
    }

    #[inline]
    fn whole(&self, src: &[u8]) -> usize {
        kernel::whole(src)
    }
}

/// What a run of the codec over all of an input came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    /// Octets of output.
    pub(crate) written: usize,
    /// What stopped it short of the end.
    pub(crate) error: Option<DecodeError>,
    /// The first `%` that starts no triplet.
    pub(crate) malformed: Option<usize>,
}

impl Outcome {
    /// What comes of nothing.
    const NONE: Outcome = Outcome { written: 0, error: None, malformed: None };

    /// Runs `codec` over all of `src` into `dst`, which must have room for it.
    #[inline]
    fn of<C: Codec>(codec: C, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Outcome {
        let mut outcome = Outcome::NONE;
        let progress = codec.run(src, dst, &mut outcome.malformed);
        outcome.written = progress.written;
        if progress.read < src.len() {
            outcome.error = error(&codec, src, progress.read);
        }
        outcome
    }
}

/// What is wrong at `at`, where decoding has stopped; nothing, if that was for want of room.
#[cold]
pub(crate) fn error(codec: &impl Codec, src: &[u8], at: usize) -> Option<DecodeError> {
    match codec.stop(src, at) {
        Stop::Done | Stop::Full => None,
        Stop::Malformed => Some(DecodeError::malformed(src, at)),
        Stop::Rejected(octet) => Some(DecodeError::new(at, DecodeErrorKind::Rejected(octet))),
    }
}

/// All of `src` into `dst`, and the part of that which was written; if it is too small, what would have been enough.
pub(crate) fn slice<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
) -> Result<(&'d mut [u8], Outcome), NoRoom> {
    let mut outcome = Outcome::NONE;
    let progress = codec.run(src, dst, &mut outcome.malformed);
    outcome.written = progress.written;
    if progress.read < src.len() {
        outcome.error = error(&codec, src, progress.read);
        if outcome.error.is_none() {
            return Err(NoRoom { needed: codec.output_len(src).unwrap_or(usize::MAX) });
        }
    }
    // SAFETY: the kernel says that it has written as many.
    Ok((unsafe { initialised_mut(dst, outcome.written) }, outcome))
}

/// The same into memory that is initialised.
pub(crate) fn slice_init<'d, C: Codec>(
    codec: C,
    src: &[u8],
    dst: &'d mut [u8],
) -> Result<(&'d mut [u8], Outcome), NoRoom> {
    // SAFETY: the kernels write octets, and nothing else.
    slice(codec, src, unsafe { uninit(dst) })
}

/// Octets of output that fit the buffers on the stack.
const BUFFER: usize = 6 * 1024;

/// How much of `src` to take so that at most `room` octets come out, and no triplet is cut.
fn cut<C: Codec>(codec: &C, src: &[u8], room: usize) -> usize {
    src.get(..room / C::GROWTH).map_or(src.len(), |src| codec.whole(src))
}

/// Runs `codec` over `piece`, which starts at `read` of the whole input: offsets are in that.
fn run_at<C: Codec>(
    codec: C,
    piece: &[u8],
    read: usize,
    dst: &mut [MaybeUninit<u8>],
    malformed: &mut Option<usize>,
) -> Progress {
    let mut here = None;
    let progress = codec.advanced(read).run(piece, dst, &mut here);
    *malformed = malformed.or(here.map(|at| read + at));
    progress
}

/// All of `src` through a buffer on the stack, piece by piece, each handed to `put`.
pub(crate) fn pieces<C: Codec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    let mut outcome = Outcome::NONE;
    let mut read = 0;
    while read < src.len() {
        let rest = &src[read..];
        let piece = &rest[..cut(&codec, rest, BUFFER)];
        let progress = run_at(codec, piece, read, &mut buffer, &mut outcome.malformed);
        // SAFETY: the kernel says that it has written as many.
        put(unsafe { initialised(&buffer, progress.written) })?;
        outcome.written += progress.written;
        read += progress.read;
        if progress.read < piece.len() {
            outcome.error = error(&codec, src, read);
            break;
        }
    }
    Ok(outcome)
}

/// Decodes `buffer` into its own front, by way of a buffer on the stack: so a vector stored whole never overtakes what
/// is yet to be read, and what the compiler is told about both is true.
pub(crate) fn in_place(decoding: Decoding, buffer: &mut [u8]) -> Outcome {
    in_place_if(decoding, buffer, |piece, _| Ok(piece.len()))
}

/// The same for text: how long it is, or where in the input it ceases to be UTF-8, or stops.
#[cfg(feature = "alloc")]
pub(crate) fn text_in_place(decoding: Decoding, buffer: &mut [u8]) -> Result<usize, DecodeError> {
    let outcome = in_place_if(decoding, buffer, |piece, last| {
        let complete = if last { piece.len() } else { complete(piece) };
        if decoding.engine().is_utf8(&piece[..complete]) { Ok(complete) } else { Err(valid_up_to(piece)) }
    });
    outcome.error.map_or(Ok(outcome.written), Err)
}

/// Decodes in place what `accept` lets pass: of each piece of output, and whether it is the last before the end or an
/// error, it says how much is good so far, the rest to be decoded anew with what follows, or where it is not UTF-8.
fn in_place_if(decoding: Decoding, buffer: &mut [u8], accept: impl Fn(&[u8], bool) -> Result<usize, usize>) -> Outcome {
    let (first, scanned) = decoding.first(buffer);
    let start = first.map_or(scanned.at, |first| item_start(buffer, first));
    let mut outcome = Outcome { written: start, error: None, malformed: scanned.malformed };
    if first.is_none() && start < buffer.len() {
        outcome.error = error(&decoding, buffer, start);
    }
    let mut read = start;
    let mut piece = [MaybeUninit::uninit(); BUFFER];
    while read < buffer.len() && outcome.error.is_none() {
        let rest = &buffer[read..];
        let src = &rest[..cut(&decoding, rest, BUFFER)];
        let mut progress = run_at(decoding, src, read, &mut piece, &mut outcome.malformed);
        let stopped = progress.read < src.len();
        // SAFETY: the kernel says that it has written as many; so below.
        let decoded = unsafe { initialised(&piece, progress.written) };
        let accepted = accept(decoded, stopped || src.len() == rest.len());
        let good = accepted.unwrap_or_else(|good| good);
        if good < progress.written {
            progress = run_at(decoding, src, read, &mut piece[..good], &mut outcome.malformed);
        }
        if stopped {
            outcome.error = error(&decoding, buffer, read + progress.read);
        }
        let at = outcome.written;
        outcome.written += progress.written;
        // SAFETY: as above.
        buffer[at..outcome.written].copy_from_slice(unsafe { initialised(&piece, progress.written) });
        read += progress.read;
        if accepted.is_err() {
            outcome.error = Some(DecodeError::new(read, DecodeErrorKind::InvalidUtf8));
        }
    }
    outcome
}

/// Where the octet, or the triplet, starts of which the octet at `changed` is the first that does not stay.
pub(crate) fn item_start(src: &[u8], changed: usize) -> usize {
    match src[..=changed] {
        [.., b'%' | b'+'] => changed,
        [.., b'%', _] => changed - 1,
        _ => changed.saturating_sub(2),
    }
}

/// The first `written` octets of `buffer`.
///
/// # Safety
/// They are initialised: a kernel has told that it has written as many.
unsafe fn initialised(buffer: &[MaybeUninit<u8>], written: usize) -> &[u8] {
    // SAFETY: the caller's promise.
    unsafe { &*(core::ptr::from_ref(&buffer[..written]) as *const [u8]) }
}

/// The same, mutably.
///
/// # Safety
/// As there.
unsafe fn initialised_mut(buffer: &mut [MaybeUninit<u8>], written: usize) -> &mut [u8] {
    // SAFETY: the caller's promise.
    unsafe { &mut *(core::ptr::from_mut(&mut buffer[..written]) as *mut [u8]) }
}

/// A caller's buffer as the kernels want it.
///
/// # Safety
/// Nothing uninitialised is written to it.
unsafe fn uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the layout is the same; the rest is the caller's promise.
    unsafe { &mut *(core::ptr::from_mut(buffer) as *mut [MaybeUninit<u8>]) }
}

/// Inputs up to this length are run into a buffer on the stack, which shows how long the result is and whether it
/// differs: cheaper than to look first and measure then.
#[cfg(feature = "alloc")]
const SHORT: usize = 256;

/// Inputs up to this length are looked at octet by octet first, without branches: that is done before a vector is loaded.
#[cfg(feature = "alloc")]
const TINY: usize = 16;

/// All of `src` as a new vector, in one allocation of exactly its length; `None` where it is `src` itself.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn changed<C: Codec>(codec: C, src: &[u8]) -> Result<(Option<Vec<u8>>, Outcome), TryReserveError> {
    if src.len() > SHORT {
        return changed_long(codec, src);
    }
    if src.len() <= TINY && codec.is_untouched(src) {
        return Ok((None, Outcome { written: src.len(), ..Outcome::NONE }));
    }
    let mut buffer = [MaybeUninit::uninit(); 3 * SHORT + EXPANDED];
    let outcome = Outcome::of(codec, src, &mut buffer);
    // SAFETY: the kernel says that it has written as many.
    let result = unsafe { initialised(&buffer, outcome.written) };
    if outcome.error.is_none() && result.len() == src.len() && (codec.only_resizes() || result == src) {
        return Ok((None, outcome));
    }
    let mut vec = Vec::new();
    vec.try_reserve_exact(result.len())?;
    vec.extend_from_slice(result);
    Ok((Some(vec), outcome))
}

#[cfg(feature = "alloc")]
fn changed_long<C: Codec>(codec: C, src: &[u8]) -> Result<(Option<Vec<u8>>, Outcome), TryReserveError> {
    if let Some(outcome) = codec.unchanged(src) {
        return Ok((None, outcome));
    }
    let mut vec = Vec::new();
    let outcome = append(codec, src, &mut vec)?;
    Ok((Some(vec), outcome))
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
    let progress = run(src, vec.spare_capacity_mut());
    // SAFETY: a kernel has initialised as many octets after the length, all within the capacity.
    unsafe { vec.set_len(vec.len() + progress.written) };
    Ok(if progress.read < src.len() { error(&codec, src, progress.read) } else { None })
}

/// All of `src` appended to `vec`: exactly its length is allocated where nothing was, room to grow otherwise. The
/// output up to an error stays.
#[cfg(feature = "alloc")]
pub(crate) fn append<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<Outcome, TryReserveError> {
    let before = vec.len();
    let result = reserve(codec, src, vec).and_then(|()| extend(codec, src, src.len(), vec));
    if result.is_err() {
        vec.truncate(before);
    }
    result
}

/// Makes room for the output of `src`, as far as it can quickly be told; only where there is not room for the longest.
#[cfg(feature = "alloc")]
#[inline]
fn reserve<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
    let spare = vec.capacity() - vec.len();
    if src.len().checked_mul(C::GROWTH).is_some_and(|longest| longest <= spare) {
        return Ok(());
    }
    let len = codec.likely_len(src).unwrap_or(usize::MAX);
    if vec.capacity() == 0 { vec.try_reserve_exact(len) } else { vec.try_reserve(len) }
}

/// Appends the output of the first `n` octets of `src`; where that was told too short, with room for that of the rest.
#[cfg(feature = "alloc")]
#[inline]
fn extend<C: Codec>(codec: C, src: &[u8], n: usize, vec: &mut Vec<u8>) -> Result<Outcome, TryReserveError> {
    let mut outcome = Outcome::NONE;
    let mut read = 0;
    loop {
        let progress = run_at(codec, &src[read..n], read, vec.spare_capacity_mut(), &mut outcome.malformed);
        // SAFETY: a kernel has initialised as many octets after the length, all within the capacity.
        unsafe { vec.set_len(vec.len() + progress.written) };
        outcome.written += progress.written;
        read += progress.read;
        if read == n {
            return Ok(outcome);
        }
        outcome.error = error(&codec, src, read);
        if outcome.error.is_some() {
            return Ok(outcome);
        }
        vec.try_reserve_exact(codec.advanced(read).output_len(&src[read..]).unwrap_or(usize::MAX))?;
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
    const PIECE: usize = 16 * 1024;
    let before = string.len();
    let mut vec = core::mem::take(string).into_bytes();
    let mut reserved = reserve(decoding, src, &mut vec);
    let mut error = None;
    let mut read = 0;
    let mut checked = before;
    while read < src.len() && error.is_none() && reserved.is_ok() {
        let rest = &src[read..];
        let n = cut(&decoding, rest, PIECE);
        match extend(decoding.advanced(read), rest, n, &mut vec) {
            Ok(outcome) => error = outcome.error.map(|error| error.shifted(read)),
            Err(error) => reserved = Err(error),
        }
        read += n;
        let fresh = &vec[checked..];
        let complete = if read < src.len() && error.is_none() { complete(fresh) } else { fresh.len() };
        if !decoding.engine().is_utf8(&fresh[..complete]) {
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

/// Length of `octets` without a sequence at its end that more octets could complete.
pub(crate) fn complete(octets: &[u8]) -> usize {
    let lead = octets.iter().rev().take(3).position(|&octet| octet >= 0xC0);
    match lead {
        Some(after) if after + 1 < octets[octets.len() - 1 - after].leading_ones() as usize => octets.len() - 1 - after,
        _ => octets.len(),
    }
}

fn valid_up_to(octets: &[u8]) -> usize {
    str::from_utf8(octets).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Offset in the input of what the octet at `at` of the output comes from.
#[cfg(feature = "alloc")]
pub(crate) fn input_offset(decoding: Decoding, src: &[u8], at: usize) -> usize {
    let mut buffer = [MaybeUninit::uninit(); 512];
    let (mut read, mut written) = (0, 0);
    while written < at {
        let room = &mut buffer[..(at - written).min(512)];
        let progress = decoding.advanced(read).run(&src[read..], room, &mut None);
        read += progress.read;
        written += progress.written;
        if progress.written == 0 {
            break;
        }
    }
    read
}

/// `src` as text, or from where on it is not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn checked_text<'a>(decoding: Decoding, src: &'a [u8]) -> Result<&'a str, usize> {
    if decoding.engine().is_utf8(src) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { str::from_utf8_unchecked(src) });
    }
    Err(valid_up_to(src))
}

/// All of `src` as text, `src` itself where nothing changes, if it is short and nothing is wrong with it.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn short_text<'a>(decoding: Decoding, src: &'a [u8]) -> Result<Option<Cow<'a, str>>, TryReserveError> {
    if src.len() > SHORT {
        return Ok(None);
    }
    let (changed, outcome) = changed(decoding, src)?;
    if outcome.error.is_some() {
        return Ok(None);
    }
    Ok(match changed {
        None => checked_text(decoding, src).ok().map(Cow::Borrowed),
        // SAFETY: just found to be UTF-8.
        Some(octets) => decoding.engine().is_utf8(&octets).then(|| Cow::Owned(unsafe { text(octets) })),
    })
}

/// `octets` as text, with U+FFFD for what is not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn lossy_text(decoding: Decoding, octets: Vec<u8>) -> String {
    if decoding.engine().is_utf8(&octets) {
        // SAFETY: just found to be UTF-8.
        return unsafe { text(octets) };
    }
    String::from_utf8_lossy(&octets).into_owned()
}

/// All of `src` as text, by a codec whose output is ASCII; `None` where it is `src` itself.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn changed_ascii(codec: Encoding, src: &[u8]) -> Result<Option<String>, TryReserveError> {
    assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the set is one of ASCII, so all that is written is.
    Ok(changed(codec, src)?.0.map(|octets| unsafe { text(octets) }))
}

/// All of `src` appended to `string`, by a codec whose output is ASCII.
#[cfg(feature = "alloc")]
pub(crate) fn append_ascii(codec: Encoding, src: &[u8], string: &mut String) -> Result<(), TryReserveError> {
    assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the set is one of ASCII, so each octet appended is.
    append(codec, src, unsafe { string.as_mut_vec() })?;
    Ok(())
}

/// Text from octets.
///
/// # Safety
/// They are UTF-8.
#[cfg(feature = "alloc")]
pub(crate) unsafe fn text(octets: Vec<u8>) -> String {
    debug_assert!(str::from_utf8(&octets).is_ok());
    // SAFETY: the caller's promise.
    unsafe { String::from_utf8_unchecked(octets) }
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

/// The first octets of a form, up to 64, seen and decoded in one go. Parts of them are named by their lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormWindow<'a> {
    src: &'a [u8],
    window: Window,
}

/// Those from `start` to `end`.
#[inline]
fn lanes(&Range { start, end }: &Range<usize>) -> u64 {
    u64::MAX.unbounded_shl(start as u32) & !u64::MAX.unbounded_shl(end as u32)
}

impl<'a> FormWindow<'a> {
    /// One that has seen nothing.
    pub(crate) const fn new() -> FormWindow<'a> {
        FormWindow { src: &[], window: Window::EMPTY }
    }

    /// Looks at `src`, where `second` ends a pair as `&` does.
    #[inline]
    pub(crate) fn look(&mut self, engine: &Engine, src: &'a [u8], second: u8) {
        self.src = &src[..src.len().min(BLOCK)];
        engine.form_look(src, second, &mut self.window);
    }

    #[inline]
    pub(crate) fn src(&self) -> &'a [u8] {
        self.src
    }

    #[inline]
    pub(crate) fn separators(&self) -> u64 {
        self.window.separators
    }

    #[inline]
    pub(crate) fn equals(&self) -> u64 {
        self.window.equals
    }

    /// Whether a `%` of a part starts no triplet.
    #[inline]
    pub(crate) fn is_malformed(&self, part: &Range<usize>) -> bool {
        self.window.malformed & lanes(part) != 0
    }

    /// A part that decoding changes, decoded.
    #[inline(always)]
    fn decoded(&self, part: &Range<usize>) -> &[u8] {
        let starts = self.window.starts;
        let ends = 1_u64.unbounded_shl(part.start as u32) | 1_u64.unbounded_shl(part.end as u32);
        assert!((starts << 1 | starts << 2) & ends == 0, "a delimiter inside a triplet");
        assert!(self.window.changes != 0 && part.end <= self.src.len());
        let triplets = |part: &Range<usize>| (starts & lanes(part)).count_ones() as usize;
        let start = part.start - 2 * triplets(&(0..part.start));
        let end = start + part.len() - 2 * triplets(part);
        // SAFETY: something changes, so the kernel has written the octets of `src`, two less for every start; and there are
        // as many before the end of the part, which is not inside a triplet.
        let decoded = unsafe { initialised(&self.window.decoded, end) };
        &decoded[start..]
    }

    /// What is in the lanes from `start` to `end`, as it is, as text, without the octet at `middle`; if all that is ASCII,
    /// and decoding leaves it as it is.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn plain(&self, start: usize, middle: usize, end: usize) -> Option<(&'a str, &'a str)> {
        if (self.window.changes | self.window.high) & lanes(&(start..end)) != 0 {
            return None;
        }
        let both = &self.src[start..end];
        let (first, second) = (both.get(..middle - start)?, both.get(middle + 1 - start..).unwrap_or_default());
        // SAFETY: the kernel has found no octet above ASCII in these lanes.
        Some(unsafe { (known(first), known(second)) })
    }

    /// The same where decoding changes nothing in the first part and something in the second, which is decoded.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn changed_value(&self, start: usize, middle: usize, end: usize) -> Option<(&'a str, &str)> {
        let (first, second) = (start..middle, end.min(middle + 1)..end);
        let window = &self.window;
        if window.changes & lanes(&first) | window.high & lanes(&(start..end)) != 0
            || window.changes & lanes(&second) == 0
        {
            return None;
        }
        // SAFETY: the kernel has found no octet above ASCII in these lanes, before decoding or after it.
        Some(unsafe { (known(&self.src[first]), known(self.decoded(&second))) })
    }

    /// A part, decoded.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn octets(&self, part: &Range<usize>) -> Cow<'a, [u8]> {
        if self.window.changes & lanes(part) == 0 {
            return Cow::Borrowed(&self.src[part.clone()]);
        }
        Cow::Owned(self.decoded(part).into())
    }

    /// A part, decoded, as text, with U+FFFD for what is not UTF-8.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn text_lossy(&self, part: &Range<usize>) -> Cow<'a, str> {
        let ascii = self.window.high & lanes(part) == 0;
        // SAFETY, of both: where `ascii` says so, the kernel has found no octet above ASCII in these lanes, before decoding
        // or after it; and what is decoded is that of these lanes.
        #[allow(clippy::undocumented_unsafe_blocks)]
        if self.window.changes & lanes(part) == 0 {
            let octets = &self.src[part.clone()];
            if ascii { Cow::Borrowed(unsafe { known(octets) }) } else { String::from_utf8_lossy(octets) }
        } else {
            let octets = self.decoded(part);
            Cow::Owned(if ascii { unsafe { known(octets) }.into() } else { lossy(octets) })
        }
    }

    /// A part, decoded, as text, if it is UTF-8.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn text(&self, part: &Range<usize>) -> Option<Cow<'a, str>> {
        let ascii = self.window.high & lanes(part) == 0;
        // SAFETY, of both: as above.
        #[allow(clippy::undocumented_unsafe_blocks)]
        if self.window.changes & lanes(part) == 0 {
            let octets = &self.src[part.clone()];
            Some(Cow::Borrowed(if ascii { unsafe { known(octets) } } else { str::from_utf8(octets).ok()? }))
        } else {
            let octets = self.decoded(part);
            let text = if ascii { unsafe { known(octets) } } else { str::from_utf8(octets).ok()? };
            Some(Cow::Owned(text.into()))
        }
    }
}

/// Text from octets.
///
/// # Safety
/// They are UTF-8.
#[cfg(feature = "alloc")]
#[inline]
unsafe fn known(octets: &[u8]) -> &str {
    debug_assert!(str::from_utf8(octets).is_ok());
    // SAFETY: the caller's promise.
    unsafe { str::from_utf8_unchecked(octets) }
}

/// Octets as text of its own, with U+FFFD for what is not UTF-8.
#[cfg(feature = "alloc")]
#[inline(never)]
fn lossy(octets: &[u8]) -> String {
    // Most are; of these it is told sooner so.
    str::from_utf8(octets).map_or_else(|_| String::from_utf8_lossy(octets).into_owned(), String::from)
}

/// How a pair of a form is written.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy)]
pub(crate) struct FormPair<'a> {
    /// What goes before it.
    pub(crate) separator: Option<u8>,
    pub(crate) name: &'a [u8],
    pub(crate) value: Option<&'a [u8]>,
}

#[cfg(feature = "alloc")]
impl FormPair<'_> {
    /// Octets with the delimiters, before encoding.
    #[inline]
    fn len(&self) -> usize {
        self.name.len().saturating_add(self.value.map_or(0, <[u8]>::len)).saturating_add(2)
    }

    /// Appends the pair to `vec`, which is as it was if that cannot be.
    #[inline]
    pub(crate) fn append(&self, codec: Encoding, vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
        /// What a new vector has room for: more pairs are to come.
        const FIRST: usize = 128;
        let mut gather = FormGather::<2>::new();
        if !gather.takes(codec, self) {
            return self.append_long(codec, vec);
        }
        gather.push(self);
        gather.encoded(codec, |octets| {
            vec.try_reserve(if vec.capacity() == 0 { octets.len().max(FIRST) } else { octets.len() })?;
            vec.extend_from_slice(octets);
            Ok(())
        })
    }

    #[cold]
    fn append_long(&self, codec: Encoding, vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
        let before = vec.len();
        let mut all = || {
            vec.try_reserve(2)?;
            vec.extend(self.separator);
            append(codec, self.name, vec)?;
            if let Some(value) = self.value {
                vec.try_reserve(1)?;
                vec.push(b'=');
                append(codec, value, vec)?;
            }
            Ok(())
        };
        let result = all();
        if result.is_err() {
            vec.truncate(before);
        }
        result
    }

    /// Appends the pair to `string`.
    #[inline]
    pub(crate) fn append_text(&self, codec: Encoding, string: &mut String) -> Result<(), TryReserveError> {
        assert!(codec.profile.allowed.is_ascii() && self.separator.is_none_or(|separator| separator.is_ascii()));
        // SAFETY: the set is one of ASCII, so each octet appended is.
        self.append(codec, unsafe { string.as_mut_vec() })
    }
}

/// Pairs of a form side by side, delimiters marked, to be encoded together: up to `N` blocks of them.
#[cfg(feature = "alloc")]
struct FormGather<const N: usize> {
    blocks: [[u8; BLOCK]; N],
    marks: [u64; N],
    len: usize,
}

#[cfg(feature = "alloc")]
impl<const N: usize> FormGather<N> {
    #[inline]
    fn new() -> FormGather<N> {
        FormGather { blocks: [[0; _]; _], marks: [0; _], len: 0 }
    }

    /// Whether there is room for a pair, and it is one to be encoded here.
    #[inline]
    fn takes(&self, codec: Encoding, pair: &FormPair) -> bool {
        pair.len() <= N * BLOCK - self.len && !codec.profile.keep_triplets
    }

    #[inline]
    fn push(&mut self, pair: &FormPair) {
        if let Some(separator) = pair.separator {
            self.mark(separator);
        }
        self.put(pair.name);
        if let Some(value) = pair.value {
            self.mark(b'=');
            self.put(value);
        }
    }

    #[inline]
    fn mark(&mut self, delimiter: u8) {
        self.marks[self.len / BLOCK] |= 1 << (self.len % BLOCK);
        self.blocks[self.len / BLOCK][self.len % BLOCK] = delimiter;
        self.len += 1;
    }

    /// Most are short: they are stored with what follows them, which the next one overwrites.
    #[inline]
    fn put(&mut self, octets: &[u8]) {
        let rest = &mut self.blocks.as_flattened_mut()[self.len..];
        match rest.first_chunk_mut::<16>() {
            Some(room) if octets.len() < 16 => {
                let [low, high] = load_small(octets);
                room[..8].copy_from_slice(&low.to_le_bytes());
                room[8..].copy_from_slice(&high.to_le_bytes());
            }
            _ => rest[..octets.len()].copy_from_slice(octets),
        }
        self.len += octets.len();
    }

    /// What `put` makes of all pairs, encoded; they are gone then.
    #[inline]
    fn encoded<R>(&mut self, codec: Encoding, put: impl FnOnce(&[u8]) -> R) -> R {
        let mut room = [[MaybeUninit::uninit(); EXPANDED]; N];
        let room = room.as_flattened_mut();
        let octets = &self.blocks.as_flattened()[..self.len];
        let written = codec.engine().form_encode(codec.profile, octets, &self.marks, room);
        (self.marks, self.len) = ([0; _], 0);
        // SAFETY: the kernel says that it has written as many.
        put(unsafe { initialised(room, written) })
    }
}

/// Gathers the pairs of a form, so that one allocation of exactly their length will do, if they are few.
#[cfg(feature = "alloc")]
pub(crate) struct FormText<'p> {
    codec: Encoding<'p>,
    gather: FormGather<8>,
    text: String,
}

#[cfg(feature = "alloc")]
impl<'p> FormText<'p> {
    #[inline]
    pub(crate) fn new(codec: Encoding<'p>) -> FormText<'p> {
        assert!(codec.profile.allowed.is_ascii());
        FormText { codec, gather: FormGather::new(), text: String::new() }
    }

    /// Adds a pair.
    #[inline]
    pub(crate) fn push(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        assert!(pair.separator.is_none_or(|separator| separator.is_ascii()));
        if !self.gather.takes(self.codec, pair) {
            return self.push_long(pair);
        }
        self.gather.push(pair);
        Ok(())
    }

    #[inline(never)]
    fn push_long(&mut self, pair: &FormPair) -> Result<(), TryReserveError> {
        self.flush(String::try_reserve)?;
        if !self.gather.takes(self.codec, pair) {
            return pair.append_text(self.codec, &mut self.text);
        }
        self.gather.push(pair);
        Ok(())
    }

    /// Moves to the string what was gathered.
    #[inline]
    fn flush(
        &mut self,
        reserve: impl FnOnce(&mut String, usize) -> Result<(), TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let text = &mut self.text;
        self.gather.encoded(self.codec, |octets| {
            reserve(text, octets.len())?;
            debug_assert!(octets.is_ascii());
            // SAFETY: the set and the delimiters are ASCII, so each octet that was written is.
            text.push_str(unsafe { str::from_utf8_unchecked(octets) });
            Ok(())
        })
    }

    /// All the pairs.
    #[inline]
    pub(crate) fn finish(&mut self) -> Result<String, TryReserveError> {
        self.flush(String::try_reserve_exact)?;
        Ok(core::mem::take(&mut self.text))
    }
}
