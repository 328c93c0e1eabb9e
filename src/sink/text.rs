//! Writes output to a `String`: encoded text, which is ASCII, and decoded text, which is checked.

use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

use super::ascii::AsciiEncoding;
use super::vec::{self, Growth, ShortCow, extend, reserve};
use super::{complete_utf8_len, in_place, input_offset, safe_len};
use crate::codec::{Codec, Decoding, Encoding};
use crate::engine::OutputBuffer;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::Source;
use crate::kernel::PlusStart;
use crate::set::ByteSet;
use crate::short::{self, SHORT, Short, ShortCodec};

/// Appends all of `src`, decoded, to `string`; where in the input it ceases to be UTF-8, or stops, `string` is as it was. Of
/// several errors the one that is first in the input is returned.
pub(crate) fn append_text(
    decoding: Decoding,
    src: &[u8],
    string: &mut String,
) -> Result<Result<usize, DecodeError>, TryReserveError> {
    let mut buffer = short::EMPTY;
    let bytes = if short::check(&decoding, src).unchanged {
        src
    } else if src.len() > SHORT {
        return append_text_long(decoding, src, string);
    } else {
        let (out, result) = short::run_on_stack(&decoding, src, &mut buffer);
        if short::has_failed(&decoding, result) {
            return append_text_long(decoding, src, string);
        }
        out
    };
    let Ok(text) = checked_text(decoding, bytes) else { return append_text_long(decoding, src, string) };
    string.try_reserve(text.len())?;
    string.push_str(text);
    Ok(Ok(text.len()))
}

/// Like [`append_text`], for inputs of any length. Each piece is checked while it is in the nearest cache.
#[inline(never)]
pub(crate) fn append_text_long(
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
            Ok(result) => error = result.error.map(|error| error.shifted(read)),
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
    debug_assert!(str::from_utf8(&vec[before..]).is_ok()); // not all of it again for each row
    // SAFETY: what was there before is UTF-8, and everything after it has been checked or is gone.
    *string = unsafe { String::from_utf8_unchecked(vec) };
    reserved.map(|()| error.map_or(Ok(written), Err))
}

fn valid_up_to(bytes: &[u8]) -> usize {
    str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Returns `src` as text, if decoding would not change it, or from where on it is not UTF-8; `None` if it would.
pub(crate) fn unchanged_text<'a>(decoding: Decoding, src: Source<'a>) -> Option<Result<&'a str, usize>> {
    let bytes = match src {
        Source::Text(text) => return decoding.result_if_unchanged(text.as_bytes()).map(|_| Ok(text)),
        Source::Bytes(bytes) => bytes,
    };
    let ascii = if decoding.plus == PlusStart::NONE { decoding.kernels().unescaped_ascii_len(bytes) } else { 0 };
    let rest = &bytes[ascii..];
    decoding.advanced(ascii).result_if_unchanged(rest)?;
    Some(match decoding.kernels().is_utf8(rest) {
        // SAFETY: what is before the rest is ASCII, and that has just been found to be UTF-8.
        true => Ok(unsafe { str::from_utf8_unchecked(bytes) }),
        false => Err(ascii + valid_up_to(rest)),
    })
}

/// `src` as text, or from where on it is not UTF-8.
pub(crate) fn checked_text<'a>(decoding: Decoding, src: &'a [u8]) -> Result<&'a str, usize> {
    if decoding.kernels().is_utf8(src) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { str::from_utf8_unchecked(src) });
    }
    Err(valid_up_to(src))
}

/// Decodes all of `src` to text, if it is short; borrows it where nothing changes. Returns `None` where it is long, something is
/// wrong with it, it has yet to be checked, or there is no memory.
///
/// Inlined into callers: what returns through memory takes twice as long as to see that nothing changes.
#[inline(always)]
pub(crate) fn short_text<'a>(decoding: Decoding, src: Source<'a>) -> Option<Cow<'a, str>> {
    let bytes = src.bytes();
    if bytes.len() > SHORT {
        return None;
    }
    let check = decoding.look(bytes);
    if !check.unchanged {
        match ShortCow::new(decoding, bytes, is_no_text) {
            ShortCow::Borrowed => {}
            // SAFETY: it has been found to be ASCII, or UTF-8.
            ShortCow::Owned(bytes) => return Some(Cow::Owned(unsafe { text(bytes.into_vec()) })),
            ShortCow::Failed => return None,
        }
    }
    match src {
        Source::Text(text) => Some(Cow::Borrowed(text)),
        Source::Bytes(bytes) if check.ascii => {
            debug_assert!(bytes.is_ascii());
            // SAFETY: a check of all of it has found no byte above ASCII.
            Some(Cow::Borrowed(unsafe { str::from_utf8_unchecked(bytes) }))
        }
        Source::Bytes(_) => None,
    }
}

/// Returns whether the output of a short input is no text, or ends at an error.
fn is_no_text(decoding: &Decoding, out: &[u8], result: Short) -> bool {
    short::has_failed(decoding, result) || result.is_high() && !decoding.kernels().is_utf8(out)
}

/// Makes text of `bytes`, or gives them back where they are not UTF-8.
pub(crate) fn checked_string(decoding: Decoding, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    if decoding.kernels().is_utf8(&bytes) {
        // SAFETY: just found to be UTF-8.
        return Ok(unsafe { text(bytes) });
    }
    Err(bytes)
}

impl AsciiEncoding<'_> {
    /// Encodes all of `src`, or borrows it where nothing changes.
    #[inline(always)]
    pub(crate) fn cow(self, src: &[u8]) -> Result<Cow<'_, str>, TryReserveError> {
        // SAFETY: the set is one of ASCII, so all that is written is, and all that stays.
        Ok(unsafe { cow_text(vec::cow(self.encoding(), src)?) })
    }

    /// Encodes all of `src` to a new string.
    #[inline(always)]
    pub(crate) fn string(self, src: &[u8]) -> Result<String, TryReserveError> {
        // SAFETY: the set is one of ASCII, so all that is written is.
        Ok(unsafe { text(vec::to_vec(self.encoding(), src)?) })
    }

    /// Appends all of `src`, encoded, to `string`.
    pub(crate) fn append(self, src: &[u8], string: &mut String) -> Result<usize, TryReserveError> {
        // SAFETY: the set is one of ASCII, so each byte appended is.
        Ok(vec::append(self.encoding(), src, unsafe { string.as_mut_vec() })?.written)
    }
}

/// Encodes all of `src` by a set that has every byte above ASCII, or borrows it where nothing changes.
///
/// # Panics
///
/// If the set has not.
pub(crate) fn cow_of_text<'a>(encoding: Encoding, src: &'a str) -> Result<Cow<'a, str>, TryReserveError> {
    assert!(ByteSet::range(0x80, 0xFF).is_subset(encoding.profile.allowed));
    // SAFETY: bytes of 0x80 and above all stay, in their order, and what is between them was and is ASCII.
    Ok(unsafe { cow_text(vec::cow(encoding, src.as_bytes())?) })
}

/// Decodes `string` in place; or returns it as it was with the error, which is the first in it.
pub(crate) fn decode_string(decoding: Decoding, mut string: String) -> Result<String, (DecodeError, String)> {
    if short::check(&decoding, string.as_bytes()).unchanged {
        return Ok(string);
    }
    if string.len() <= SHORT {
        let mut buffer = short::EMPTY;
        let (out, result) = short::run_on_stack(&decoding, string.as_bytes(), &mut buffer);
        if !short::has_failed(&decoding, result)
            && let Ok(text) = checked_text(decoding, out)
        {
            string.clear();
            string.push_str(text);
            return Ok(string);
        }
    }
    if let Err(error) = check_text(decoding, &string) {
        return Err((error, string));
    }
    let mut vec = string.into_bytes();
    let written = in_place(decoding, &mut vec, false).written;
    vec.truncate(written);
    // SAFETY: this is what the check has seen, and found to be UTF-8.
    Ok(unsafe { text(vec) })
}

/// Checks, without storing it, that `text` decodes to UTF-8.
fn check_text(decoding: Decoding, text: &str) -> Result<(), DecodeError> {
    /// How much is decoded at a time.
    const PIECE: usize = if cfg!(fuzzing) { 64 } else { 4096 };
    let src = text.as_bytes();
    if decoding.result_if_unchanged(src).is_some() {
        return Ok(());
    }
    let mut buffer = [0; PIECE];
    // Bytes at the front of the buffer that are the beginning of a character, bytes of output before them, and bytes of
    // the input that have been read.
    let (mut begun, mut checked, mut read) = (0, 0, 0);
    while read < src.len() {
        let rest = &src[read..];
        let piece = rest.get(..PIECE - begun).map_or(rest, |piece| &piece[..decoding.decided_len(piece)]);
        let free = OutputBuffer::initialized(&mut buffer[begun..]);
        let progress = decoding.advanced(read).run(piece, free, &mut None).progress();
        let filled = begun + progress.written;
        let stopped = progress.read < piece.len();
        let is_last = stopped || piece.len() == rest.len();
        let complete = if is_last { filled } else { complete_utf8_len(&buffer[..filled]) };
        if !decoding.kernels().is_utf8(&buffer[..complete]) {
            let valid = buffer[..complete].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
            let offset = input_offset(decoding, src, checked + valid);
            return Err(DecodeError::new(offset, DecodeErrorKind::InvalidUtf8));
        }
        read += progress.read;
        if stopped && let Some(error) = decoding.error_at(src, read) {
            return Err(error);
        }
        buffer.copy_within(complete..filled, 0);
        (begun, checked) = (filled - complete, checked + complete);
    }
    Ok(())
}

/// Text from bytes.
///
/// # Safety
/// They are UTF-8.
unsafe fn text(bytes: Vec<u8>) -> String {
    debug_assert!(str::from_utf8(&bytes).is_ok());
    // SAFETY: the caller's promise.
    unsafe { String::from_utf8_unchecked(bytes) }
}

/// Text from bytes, borrowed or not.
///
/// # Safety
/// They are UTF-8.
#[inline(always)]
unsafe fn cow_text(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    // SAFETY: the caller's promise, whichever it is.
    unsafe {
        match bytes {
            Cow::Borrowed(bytes) => Cow::Borrowed(str::from_utf8_unchecked(bytes)),
            Cow::Owned(bytes) => Cow::Owned(text(bytes)),
        }
    }
}
