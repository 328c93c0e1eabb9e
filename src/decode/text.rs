//! Decodes to bytes or text, and borrows the input if it doesn't change.
#![forbid(unsafe_code)]

use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};

use core::ops::Range;

use super::DecodeOptions;
use crate::codec::{Codec, CodecResult, Decoding};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::Source;
use crate::memory;
use crate::sink;
use crate::triplet::UPPER;

/// Text, and the error that stopped decoding before the end.
type TextResult<'a> = Result<(Cow<'a, str>, Option<DecodeError>), TryReserveError>;

impl DecodeOptions {
    /// Decodes to bytes, up to the first error. Borrows `src` if it doesn't change.
    #[inline]
    pub(crate) fn cow<'a>(&self, src: &'a [u8]) -> Result<(Cow<'a, [u8]>, CodecResult), TryReserveError> {
        sink::cow_with_report(self.for_input(src), src)
    }

    /// Decodes to text if `src` is short and valid. Borrows `src` if it doesn't change.
    ///
    /// This function is inlined, so that callers get the text in registers. The calls that return their result in
    /// memory are separate functions.
    #[inline(always)]
    pub(super) fn short_text<'a>(&self, src: Source<'a>) -> Option<Cow<'a, str>> {
        sink::short_text(self.for_input(src.bytes()), src)
    }

    /// Decodes to text. Borrows `src` if it doesn't change.
    #[inline]
    pub(crate) fn text<'a>(&self, src: Source<'a>) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        match self.short_text(src) {
            Some(text) => Ok(Ok(text)),
            None => self.long_text(src),
        }
    }

    /// Does the same as [`text`](Self::text), but without the shortcut for short input.
    #[inline]
    pub(super) fn long_text<'a>(&self, src: Source<'a>) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        DecodeOptions::text_or_error(self.for_input(src.bytes()), src)
    }

    /// Decodes to text in pieces. Checks the UTF-8 of each piece while the piece is in the nearest cache.
    #[inline(never)]
    fn text_or_error<'a>(
        decoding: Decoding,
        src: Source<'a>,
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        if let Some(text) = sink::unchanged_text(decoding, src) {
            return Ok(match text {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(at) => Err(DecodeError::new(at, DecodeErrorKind::InvalidUtf8)),
            });
        }
        let mut string = String::new();
        Ok(sink::append_text_long(decoding, src.bytes(), &mut string)?.map(|_| Cow::Owned(string)))
    }

    /// Decodes to text up to a faulty escape. U+FFFD replaces every maximal part that isn't UTF-8.
    pub(crate) fn lossy_text<'a>(&self, src: Source<'a>) -> TextResult<'a> {
        let decoding = self.for_input(src.bytes());
        if let Some(text) = sink::short_text(decoding, src) {
            return Ok((text, None));
        }
        let src = src.bytes();
        let (bytes, result) = self.cow(src)?;
        let text = match bytes {
            Cow::Borrowed(bytes) => match sink::checked_text(decoding, bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => Cow::Owned(replaced(decoding, bytes)?),
            },
            Cow::Owned(bytes) => Cow::Owned(match sink::checked_string(decoding, bytes) {
                Ok(text) => text,
                Err(bytes) => replaced(decoding, &bytes)?,
            }),
        };
        Ok((text, result.error))
    }

    /// Decodes to text up to a faulty escape. Bytes that aren't UTF-8 are percent-encoded in the result.
    pub(crate) fn valid_text<'a>(&self, src: Source<'a>) -> TextResult<'a> {
        match self.text(src)? {
            Ok(text) => return Ok((text, None)),
            Err(DecodeError { kind: DecodeErrorKind::InvalidUtf8, .. }) => {}
            Err(error) => return Ok((Cow::Borrowed(""), Some(error))),
        }
        let src = src.bytes();
        let (bytes, result) = self.cow(src)?;
        let mut out = Vec::new();
        out.try_reserve(bytes.len())?;
        self.append_valid(src, &bytes, memory::first_invalid(&bytes), &mut out)?;
        Ok((Cow::Owned(known_text(self.for_input(src), out)), result.error))
    }

    /// Appends `decoded`, the output of `src`, to `out`. Bytes that aren't UTF-8 are percent-encoded. `invalid` is the first
    /// part of `decoded` that isn't UTF-8.
    pub(crate) fn append_valid(
        &self,
        src: &[u8],
        decoded: &[u8],
        invalid: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<(), TryReserveError> {
        let decoding = self.for_input(src);
        let mut read = 0;
        memory::each_chunk(decoded, invalid, |valid, invalid| {
            memory::extend(out, valid)?;
            if invalid.is_empty() {
                return Ok(());
            }
            read += sink::input_offset(decoding.advanced(read), &src[read..], valid.len());
            for &byte in invalid {
                // An invalid byte is above ASCII, so it isn't a space that was a `+`. It was a triplet, or it was
                // unescaped.
                let (spelling, len) = match src[read..].first_chunk::<3>() {
                    Some(triplet @ [b'%', ..]) => (triplet, 3),
                    _ => (UPPER.triplet(byte), 1),
                };
                memory::extend(out, spelling)?;
                read += len;
            }
            Ok(())
        })
    }
}

/// Returns `bytes` as text. U+FFFD replaces every maximal part that isn't UTF-8.
fn replaced(decoding: Decoding, bytes: &[u8]) -> Result<String, TryReserveError> {
    let mut out = Vec::new();
    out.try_reserve(bytes.len())?;
    memory::extend_lossy(&mut out, bytes, memory::first_invalid(bytes))?;
    Ok(known_text(decoding, out))
}

/// Returns `bytes` as text. Their invalid parts must have been replaced.
fn known_text(decoding: Decoding, bytes: Vec<u8>) -> String {
    // This checks the bytes again, so that a bug in other code can't make invalid text.
    sink::checked_string(decoding, bytes).unwrap_or_else(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}
