//! Writes output to a `String`. Encoded text is ASCII, and decoded text is checked.

use core::convert::Infallible;

use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

use super::ascii::AsciiEncoding;
use super::vec::{self, ShortCow, extend, reserve_if_new, trim};
use super::{complete_utf8_len, in_place, input_offset, safe_len};
use crate::codec::{Codec, Decoding, Encoding};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::Source;
use crate::kernel::PlusStart;
use crate::output::{self, OutputBuffer, unchecked};
use crate::set::ByteSet;
use crate::short::{self, SHORT, Short, ShortCodec};

/// Appends the decoded `src` to `string`. If the input has several errors, returns the first one. After an error,
/// `string` is unchanged.
pub(crate) fn append_text(
    decoding: Decoding,
    src: &[u8],
    string: &mut String,
) -> Result<Result<usize, DecodeError>, TryReserveError> {
    let mut buffer = short::EMPTY;
    let bytes = if short::check_short(&decoding, src).unchanged {
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

/// Appends like [`append_text`], for inputs of any length.
#[inline(never)]
pub(crate) fn append_text_long(
    decoding: Decoding,
    src: &[u8],
    string: &mut String,
) -> Result<Result<usize, DecodeError>, TryReserveError> {
    cfg_if::cfg_if! {
        if #[cfg(feature = "simd")] {
            // SAFETY: all bytes that stay in the string have been checked.
            unchecked!(output::append_text(string, |vec| {
                let before = vec.len();
                let result = append_checked(decoding, src, vec);
                if !matches!(result, Ok(Ok(_))) {
                    vec.truncate(before);
                }
                result
            }))
        } else {
            let before = string.len();
            reserve_text(decoding, src, string)?;
            let mut append = |text: &str| string.try_reserve(text.len()).map(|()| string.push_str(text));
            let result = text_pieces(decoding, src, &mut append);
            if !matches!(result, Ok(Ok(()))) {
                string.truncate(before);
            }
            result.map(|result| result.map(|()| string.len() - before))
        }
    }
}

/// Reserves exactly the length of the output of `src` if `string` has no memory. Otherwise may reserve more.
#[cfg(not(feature = "simd"))]
fn reserve_text<C: Codec>(codec: C, src: &[u8], string: &mut String) -> Result<(), TryReserveError> {
    let len = codec.output_len(src).unwrap_or(usize::MAX);
    if string.capacity() == 0 { string.try_reserve_exact(len) } else { string.try_reserve(len) }
}

/// Appends the decoded `src`. Checks each piece while it is in the nearest cache. After an error, the bytes that were
/// appended to `vec` are unspecified.
#[cfg(feature = "simd")]
fn append_checked(
    decoding: Decoding,
    src: &[u8],
    vec: &mut Vec<u8>,
) -> Result<Result<usize, DecodeError>, TryReserveError> {
    const PIECE: usize = if cfg!(fuzzing) { 128 } else { 16 * 1024 };
    let before = vec.len();
    let is_new = reserve_if_new(decoding, src, vec)?;
    let (mut read, mut checked) = (0, before);
    while read < src.len() {
        let rest = &src[read..];
        let n = safe_len(&decoding, rest, PIECE);
        let stopped = extend(decoding.advanced(read), rest, n, vec)?.error.map(|error| error.shifted(read));
        read += n;
        let fresh = &vec[checked..];
        let complete = if read < src.len() && stopped.is_none() { complete_utf8_len(fresh) } else { fresh.len() };
        if !decoding.kernels().is_utf8(&fresh[..complete]) {
            let at = checked - before + valid_up_to(fresh);
            return Ok(Err(DecodeError::new(input_offset(decoding, src, at), DecodeErrorKind::InvalidUtf8)));
        }
        if let Some(error) = stopped {
            return Ok(Err(error));
        }
        checked += complete;
    }
    if is_new {
        trim(vec)?;
    }
    Ok(Ok(vec.len() - before))
}

fn valid_up_to(bytes: &[u8]) -> usize {
    str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

/// Returns `None` if decoding would change `src`. Otherwise returns `src` as text, or the offset of the first byte that
/// isn't UTF-8.
pub(crate) fn unchanged_text<'a>(decoding: Decoding, src: Source<'a>) -> Option<Result<&'a str, usize>> {
    let bytes = match src {
        Source::Text(text) => return decoding.result_if_clean(text.as_bytes()).map(|_| Ok(text)),
        Source::Bytes(bytes) => bytes,
    };
    let ascii = if decoding.plus == PlusStart::NONE { decoding.kernels().unescaped_ascii_len(bytes) } else { 0 };
    let rest = &bytes[ascii..];
    decoding.advanced(ascii).result_if_clean(rest)?;
    // SAFETY: the bytes before `rest` are ASCII, and the kernel finds every byte of `rest` that is not UTF-8.
    let text = unchecked!(output::text_if(bytes, |_| decoding.kernels().is_utf8(rest)));
    Some(text.ok_or_else(|| ascii + valid_up_to(rest)))
}

/// Returns `src` as text, or the offset of the first byte that isn't UTF-8.
pub(crate) fn checked_text<'a>(decoding: Decoding, src: &'a [u8]) -> Result<&'a str, usize> {
    // SAFETY: the kernel finds every byte that is not UTF-8.
    unchecked!(output::text_if(src, |src| decoding.kernels().is_utf8(src))).ok_or_else(|| valid_up_to(src))
}

/// Decodes a short `src` to text, or borrows it if it is unchanged. Returns `None` if `src` is long, has an error or
/// needs a check for UTF-8, or if memory can't be allocated.
///
/// If this function weren't inlined, the result would pass through memory. For an unchanged input, that would take
/// twice as long as the check.
#[inline(always)]
pub(crate) fn short_text<'a>(decoding: Decoding, src: Source<'a>) -> Option<Cow<'a, str>> {
    let bytes = src.bytes();
    if bytes.len() > SHORT {
        return None;
    }
    let check = decoding.check(bytes);
    if !check.unchanged {
        match ShortCow::new(decoding, bytes, is_no_text) {
            ShortCow::Borrowed => {}
            // SAFETY: the output is ASCII, or has been found to be UTF-8.
            ShortCow::Owned(bytes) => {
                return unchecked!(output::string_if(bytes.into_vec(), |_| true)).ok().map(Cow::Owned);
            }
            ShortCow::Failed => return None,
        }
    }
    match src {
        Source::Text(text) => Some(Cow::Borrowed(text)),
        Source::Bytes(bytes) if check.ascii => {
            // SAFETY: the check of all bytes has found no byte above ASCII.
            Some(Cow::Borrowed(unchecked!(output::text(bytes))))
        }
        Source::Bytes(_) => None,
    }
}

/// Returns whether the output of a short input is not text, or ends at an error.
fn is_no_text(decoding: &Decoding, out: &[u8], result: Short) -> bool {
    let is_unchecked = result.is_high() && output::TRUSTS;
    short::has_failed(decoding, result) || is_unchecked && !decoding.kernels().is_utf8(out)
}

/// Returns `bytes` as text. If they are not UTF-8, returns them unchanged.
pub(crate) fn checked_string(decoding: Decoding, bytes: Vec<u8>) -> Result<String, Vec<u8>> {
    // SAFETY: the kernel finds every byte that is not UTF-8.
    unchecked!(output::string_if(bytes, |bytes| decoding.kernels().is_utf8(bytes)))
}

impl AsciiEncoding<'_> {
    /// Encodes `src`, or borrows it if it is unchanged.
    #[inline(always)]
    pub(crate) fn cow(self, src: Source<'_>) -> Result<Cow<'_, str>, TryReserveError> {
        Ok(match (vec::cow(self.encoding(), src.bytes())?, src) {
            // SAFETY: the set keeps only ASCII, so all written bytes are ASCII.
            (Cow::Owned(bytes), _) => Cow::Owned(unchecked!(output::string(bytes))),
            (Cow::Borrowed(_), Source::Text(text)) => Cow::Borrowed(text),
            // SAFETY: the set keeps only ASCII, so all unchanged bytes are ASCII.
            (Cow::Borrowed(bytes), Source::Bytes(_)) => Cow::Borrowed(unchecked!(output::text(bytes))),
        })
    }

    /// Encodes `src` to a new string.
    #[inline(always)]
    pub(crate) fn string(self, src: &[u8]) -> Result<String, TryReserveError> {
        // SAFETY: the set keeps only ASCII, so all written bytes are ASCII.
        Ok(unchecked!(output::string(vec::to_vec(self.encoding(), src)?)))
    }

    /// Appends the encoded `src` to `string`.
    pub(crate) fn append(self, src: &[u8], string: &mut String) -> Result<usize, TryReserveError> {
        cfg_if::cfg_if! {
            if #[cfg(feature = "simd")] {
                // SAFETY: the set keeps only ASCII, so each appended byte is ASCII.
                let vec = unchecked!(string.as_mut_vec());
                Ok(vec::append(self.encoding(), src, vec)?.written)
            } else {
                let before = string.len();
                reserve_text(self.encoding(), src, string)?;
                let mut append = |piece: &str| string.try_reserve(piece.len()).map(|()| string.push_str(piece));
                let result = self.pieces(src, &mut append);
                if result.is_err() {
                    string.truncate(before);
                }
                result.map(|()| string.len() - before)
            }
        }
    }
}

/// Encodes `src` by a set that has every byte above ASCII, or borrows it if it is unchanged.
///
/// # Panics
///
/// Panics if the set lacks a byte above ASCII.
pub(crate) fn cow_of_text<'a>(encoding: Encoding, src: &'a str) -> Result<Cow<'a, str>, TryReserveError> {
    assert!(ByteSet::range(0x80, 0xFF).difference(encoding.profile.allowed).is_empty());
    Ok(match vec::cow(encoding, src.as_bytes())? {
        // SAFETY: `src` is UTF-8. All its bytes of 0x80 and above stay, in the same order. The bytes between them are
        // ASCII, and their output is ASCII. So the output is UTF-8 too.
        Cow::Owned(bytes) => Cow::Owned(unchecked!(output::string(bytes))),
        Cow::Borrowed(_) => Cow::Borrowed(src),
    })
}

/// Decodes `string` in place. If `string` has an error, returns the first error and the unchanged string.
pub(crate) fn decode_string(decoding: Decoding, mut string: String) -> Result<String, (DecodeError, String)> {
    if short::check_short(&decoding, string.as_bytes()).unchanged {
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
    // SAFETY: `check_text` has found that exactly these decoded bytes are UTF-8.
    Ok(unchecked!(output::string(vec)))
}

/// Checks that `text` decodes to UTF-8, without storing the output.
fn check_text(decoding: Decoding, text: &str) -> Result<(), DecodeError> {
    let src = text.as_bytes();
    if decoding.result_if_clean(src).is_some() {
        return Ok(());
    }
    let Ok(result) = text_pieces(decoding, src, &mut |_| Ok::<_, Infallible>(()));
    result
}

/// Decodes `src` through a buffer on the stack, and hands the text to `put` piece by piece, up to the first error.
fn text_pieces<E>(
    decoding: Decoding,
    src: &[u8],
    put: &mut dyn FnMut(&str) -> Result<(), E>,
) -> Result<Result<(), DecodeError>, E> {
    /// The size of the buffer, in bytes.
    const PIECE: usize = if cfg!(fuzzing) { 64 } else { 4096 };
    let mut buffer = [0; PIECE];
    // The first `begun` bytes of the buffer are the start of an incomplete character. `checked` is the number of output
    // bytes before this character. `read` is the number of input bytes that were decoded.
    let (mut begun, mut checked, mut read) = (0, 0, 0);
    while read < src.len() {
        let rest = &src[read..];
        let piece = rest.get(..PIECE - begun).map_or(rest, |piece| &piece[..decoding.settled_prefix_len(piece)]);
        let free = OutputBuffer::initialized(&mut buffer[begun..]);
        let progress = decoding.advanced(read).run(piece, free, &mut None).progress();
        let filled = begun + progress.written;
        let stopped = progress.read < piece.len();
        let is_last = stopped || piece.len() == rest.len();
        let complete = if is_last { filled } else { complete_utf8_len(&buffer[..filled]) };
        match checked_text(decoding, &buffer[..complete]) {
            Ok(text) => put(text)?,
            Err(valid) => {
                let offset = input_offset(decoding, src, checked + valid);
                return Ok(Err(DecodeError::new(offset, DecodeErrorKind::InvalidUtf8)));
            }
        }
        read += progress.read;
        if stopped && let Some(error) = decoding.stop_error(src, read) {
            return Ok(Err(error));
        }
        buffer.copy_within(complete..filled, 0);
        (begun, checked) = (filled - complete, checked + complete);
    }
    Ok(Ok(()))
}
