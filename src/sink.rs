//! Drives an engine into whatever the result goes to. The only place that loops on
//! [`Progress`](crate::kernel::Progress), and the only one outside isa/ and engine.rs with `unsafe`.

use core::mem::MaybeUninit;

use crate::engine::Engine;
use crate::error::{DecodeError, DecodeErrorKind, NoRoom};
use crate::kernel::{self, DecodeProfile, EncodeProfile, Progress, Stop};

#[cfg(feature = "alloc")]
use alloc::{collections::TryReserveError, string::String, vec::Vec};

/// One direction, as the sinks see it.
pub(crate) trait Codec: Copy {
    /// Octets of output for an input of `src`, up to where that would stop; `None` if that does not fit a `usize`.
    fn output_len(&self, src: &[u8]) -> Option<usize>;
    /// Octets of output for one of input, at most.
    const GROWTH: usize;
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress;
    /// The codec for the input without its first `read` octets.
    fn advanced(self, read: usize) -> Self;
}

/// Encoding with an engine, the active one if none is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    pub(crate) profile: EncodeProfile,
    pub(crate) engine: Option<&'static Engine>,
}

/// Decoding with an engine, the active one if none is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoding {
    pub(crate) profile: DecodeProfile,
    pub(crate) engine: Option<&'static Engine>,
}

impl Encoding {
    #[inline]
    pub(crate) fn engine(&self) -> &'static Engine {
        self.engine.unwrap_or_else(Engine::active)
    }

    #[inline]
    pub(crate) fn first(&self, src: &[u8]) -> Option<usize> {
        self.engine().encode_first(&self.profile, src)
    }
}

impl Codec for Encoding {
    const GROWTH: usize = 3;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        self.engine().encode_count(&self.profile, src).checked_mul(2)?.checked_add(src.len())
    }

    #[inline]
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
        self.engine().encode(&self.profile, src, dst)
    }

    fn advanced(self, _: usize) -> Encoding {
        self
    }
}

impl Decoding {
    #[inline]
    pub(crate) fn engine(&self) -> &'static Engine {
        self.engine.unwrap_or_else(Engine::active)
    }
}

impl Codec for Decoding {
    const GROWTH: usize = 1;

    #[inline]
    fn output_len(&self, src: &[u8]) -> Option<usize> {
        let (triplets, scanned) = self.engine().decode_count(&self.profile, src);
        Some(scanned.at - 2 * triplets)
    }

    #[inline]
    fn run(&self, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Progress {
        self.engine().decode(&self.profile, src, dst)
    }

    fn advanced(mut self, read: usize) -> Decoding {
        self.profile = self.profile.advanced(read);
        self
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
    /// Adds what became of the input from `read` on. At an error the whole input tells what it is.
    fn add(&mut self, progress: Progress, src: &[u8], read: usize) {
        self.written += progress.written;
        self.malformed = self.malformed.or(progress.malformed.map(|at| read + at));
        self.error = stopped(progress.stop, src, read + progress.read);
    }
}

/// The error for a stop at `at`.
pub(crate) fn stopped(stop: Stop, src: &[u8], at: usize) -> Option<DecodeError> {
    match stop {
        Stop::Done | Stop::Full => None,
        Stop::Malformed => Some(DecodeError::malformed(src, at)),
        Stop::Rejected => {
            let byte = kernel::triplet(src, at).unwrap_or_default();
            Some(DecodeError::new(at, DecodeErrorKind::Rejected(byte)))
        }
    }
}

/// All of `src` into `dst`; if that is too small, what would have been enough.
pub(crate) fn slice<C: Codec>(codec: C, src: &[u8], dst: &mut [MaybeUninit<u8>]) -> Result<Outcome, NoRoom> {
    let progress = codec.run(src, dst);
    if progress.stop == Stop::Full {
        return Err(NoRoom { needed: codec.output_len(src).unwrap_or(usize::MAX) });
    }
    let error = stopped(progress.stop, src, progress.read);
    Ok(Outcome { written: progress.written, error, malformed: progress.malformed })
}

/// Octets of output that fit the buffers on the stack.
const BUFFER: usize = 6 * 1024;

/// How much of `src` to take so that at most `room` octets come out, and no triplet is cut.
fn cut<C: Codec>(src: &[u8], room: usize) -> usize {
    src.get(..room / C::GROWTH).map_or(src.len(), kernel::whole)
}

/// All of `src` through a buffer on the stack, piece by piece, each handed to `put`.
pub(crate) fn pieces<C: Codec, E>(
    codec: C,
    src: &[u8],
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Outcome, E> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER];
    let mut outcome = Outcome { written: 0, error: None, malformed: None };
    let mut read = 0;
    while read < src.len() {
        let rest = &src[read..];
        let progress = codec.advanced(read).run(&rest[..cut::<C>(rest, BUFFER)], &mut buffer);
        put(initialised(&buffer, progress.written))?;
        outcome.add(progress, src, read);
        if outcome.error.is_some() {
            break;
        }
        read += progress.read;
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
fn in_place_if(
    decoding: Decoding,
    buffer: &mut [u8],
    accept: impl Fn(&[u8], bool) -> Result<usize, usize>,
) -> Outcome {
    let (first, scanned) = decoding.engine().decode_first(&decoding.profile, buffer);
    let start = first.map_or(scanned.at, |first| item_start(buffer, first));
    let error = if first.is_none() { stopped(scanned.stop, buffer, scanned.at) } else { None };
    let mut outcome = Outcome { written: start, error, malformed: scanned.malformed };
    let mut read = start;
    let mut piece = [MaybeUninit::uninit(); BUFFER];
    while read < buffer.len() && outcome.error.is_none() {
        let rest = &buffer[read..];
        let here = decoding.advanced(read);
        let src = &rest[..cut::<Decoding>(rest, BUFFER)];
        let mut progress = here.run(src, &mut piece);
        let last = progress.stop != Stop::Done || src.len() == rest.len();
        let accepted = accept(initialised(&piece, progress.written), last);
        let good = accepted.unwrap_or_else(|good| good);
        if good < progress.written {
            progress = here.run(src, &mut piece[..good]);
        }
        let at = outcome.written;
        outcome.add(progress, buffer, read);
        buffer[at..outcome.written].copy_from_slice(initialised(&piece, progress.written));
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
pub(crate) fn initialised(buffer: &[MaybeUninit<u8>], written: usize) -> &[u8] {
    // SAFETY: `written` comes from the `Progress` of a kernel, which has initialised as many octets.
    unsafe { buffer[..written].assume_init_ref() }
}

/// The same, mutably.
pub(crate) fn initialised_mut(buffer: &mut [MaybeUninit<u8>], written: usize) -> &mut [u8] {
    // SAFETY: `written` comes from the `Progress` of a kernel, which has initialised as many octets.
    unsafe { buffer[..written].assume_init_mut() }
}

/// A caller's buffer as the kernels want it. They write octets to it and nothing else.
pub(crate) fn uninit(buffer: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: the layout is the same, and the kernels only ever store initialised octets.
    unsafe { &mut *(core::ptr::from_mut(buffer) as *mut [MaybeUninit<u8>]) }
}

/// Text from what encoding to ASCII has written.
pub(crate) fn ascii(encoded: &[u8]) -> &str {
    debug_assert!(encoded.is_ascii());
    // SAFETY: called only with the output of an encoder whose set is one of ASCII: every octet is one that the set
    // allows, `%`, `+` or a hexadecimal digit.
    unsafe { str::from_utf8_unchecked(encoded) }
}

/// All of `src` appended to `vec`: exactly its length is allocated where nothing was, room to grow otherwise. The
/// output up to an error stays.
#[cfg(feature = "alloc")]
pub(crate) fn append<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<Outcome, TryReserveError> {
    reserve(codec, src, vec)?;
    let progress = append_reserved(codec, src, vec);
    let error = stopped(progress.stop, src, progress.read);
    Ok(Outcome { written: progress.written, error, malformed: progress.malformed })
}

/// Makes room for the output of `src`. It is measured only where there is not room for the longest it can be.
#[cfg(feature = "alloc")]
#[inline]
fn reserve<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Result<(), TryReserveError> {
    let spare = vec.capacity() - vec.len();
    if src.len().checked_mul(C::GROWTH).is_some_and(|longest| longest <= spare) {
        return Ok(());
    }
    let len = codec.output_len(src).unwrap_or(usize::MAX);
    if vec.capacity() == 0 { vec.try_reserve_exact(len) } else { vec.try_reserve(len) }
}

/// Appends the output of `src`, for which there is room.
#[cfg(feature = "alloc")]
#[inline]
fn append_reserved<C: Codec>(codec: C, src: &[u8], vec: &mut Vec<u8>) -> Progress {
    let progress = codec.run(src, vec.spare_capacity_mut());
    debug_assert_ne!(progress.stop, Stop::Full);
    // SAFETY: a kernel has initialised as many octets after the length, all within the capacity.
    unsafe { vec.set_len(vec.len() + progress.written) };
    progress
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
    let reserved = reserve(decoding, src, &mut vec);
    let mut error = None;
    let mut read = 0;
    let mut checked = before;
    while read < src.len() && error.is_none() && reserved.is_ok() {
        let rest = &src[read..];
        let progress = append_reserved(decoding.advanced(read), &rest[..cut::<Decoding>(rest, PIECE)], &mut vec);
        error = stopped(progress.stop, src, read + progress.read);
        read += progress.read;
        let fresh = &vec[checked..];
        let complete = if read < src.len() && error.is_none() { complete(fresh) } else { fresh.len() };
        if !decoding.engine().is_utf8(&fresh[..complete]) {
            let at = checked - before + valid_up_to(fresh);
            error = Some(DecodeError::new(input_offset(decoding, src, at), DecodeErrorKind::InvalidUtf8));
        }
        checked += complete;
    }
    if error.is_some() {
        vec.truncate(before);
    }
    let written = vec.len() - before;
    // What was there before is UTF-8, and everything after it has been checked or is gone.
    *string = text(vec);
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
fn input_offset(decoding: Decoding, src: &[u8], at: usize) -> usize {
    let mut buffer = [MaybeUninit::uninit(); 512];
    let (mut read, mut written) = (0, 0);
    while written < at {
        let room = &mut buffer[..(at - written).min(512)];
        let progress = decoding.advanced(read).run(&src[read..], room);
        read += progress.read;
        written += progress.written;
        if progress.stop != Stop::Full {
            break;
        }
    }
    read
}

/// `src` as text, or from where on it is not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn checked_text(decoding: Decoding, src: &[u8]) -> Result<&str, usize> {
    if decoding.engine().is_utf8(src) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { str::from_utf8_unchecked(src) });
    }
    Err(valid_up_to(src))
}

/// `octets` as text, with U+FFFD for what is not UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn lossy_text(decoding: Decoding, octets: Vec<u8>) -> String {
    if decoding.engine().is_utf8(&octets) {
        // Just found to be UTF-8.
        return text(octets);
    }
    String::from_utf8_lossy(&octets).into_owned()
}

/// All of `src` appended to `string`, by a codec whose output is ASCII.
#[cfg(feature = "alloc")]
pub(crate) fn append_ascii(codec: Encoding, src: &[u8], string: &mut String) -> Result<(), TryReserveError> {
    debug_assert!(codec.profile.allowed.is_ascii());
    // SAFETY: the encoder's set is one of ASCII, so each octet appended is.
    append(codec, src, unsafe { string.as_mut_vec() })?;
    Ok(())
}

/// Text from octets that the caller knows to be UTF-8.
#[cfg(feature = "alloc")]
pub(crate) fn text(octets: Vec<u8>) -> String {
    debug_assert!(str::from_utf8(&octets).is_ok());
    // SAFETY: each caller says why: the octets were found to be UTF-8, or UTF-8 with ASCII octets put in the place of
    // ASCII octets.
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
