//! Decoded bytes, and text, in new memory where something changes.
#![forbid(unsafe_code)]

use alloc::{borrow::Cow, collections::TryReserveError, string::String};

use super::DecodeOptions;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::sink::{self, Codec, CodecResult, Decoding};
use crate::triplet::UPPER;

/// Text, and what has stopped it short of the end.
type TextResult<'a> = Result<(Cow<'a, str>, Option<DecodeError>), TryReserveError>;

/// Appends `text`, or says that there is no memory.
fn try_push_str(out: &mut String, text: &str) -> Result<(), TryReserveError> {
    out.try_reserve(text.len())?;
    out.push_str(text);
    Ok(())
}

impl DecodeOptions {
    /// Decodes to bytes, up to what is wrong, or borrows them where nothing changes.
    #[inline]
    pub(crate) fn cow<'a>(&self, src: &'a [u8]) -> Result<(Cow<'a, [u8]>, CodecResult), TryReserveError> {
        sink::cow_with_report(self.for_input(src), src)
    }

    /// Decodes to text, or borrows it where nothing changes.
    #[inline]
    pub(crate) fn text<'a>(&self, src: &'a [u8]) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        let decoding = self.for_input(src);
        match sink::short_text(decoding, src) {
            Some(text) => Ok(Ok(text)),
            None => DecodeOptions::text_or_error(decoding, src),
        }
    }

    /// Decodes to text, which is checked piece by piece while it is in the nearest cache.
    #[inline(never)]
    fn text_or_error<'a>(
        decoding: Decoding,
        src: &'a [u8],
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        if decoding.result_if_unchanged(src).is_some() {
            return Ok(match sink::checked_text(decoding, src) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(at) => Err(DecodeError::new(at, DecodeErrorKind::InvalidUtf8)),
            });
        }
        let mut string = String::new();
        Ok(sink::append_text(decoding, src, &mut string)?.map(|_| Cow::Owned(string)))
    }

    /// Decodes to text with U+FFFD for every maximal part that is not UTF-8, up to an escape that is wrong.
    pub(super) fn lossy_text<'a>(&self, src: &'a [u8]) -> TextResult<'a> {
        let decoding = self.for_input(src);
        if let Some(text) = sink::short_text(decoding, src) {
            return Ok((text, None));
        }
        let (bytes, result) = self.cow(src)?;
        let text = match bytes {
            Cow::Borrowed(bytes) => match sink::checked_text(decoding, bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => Cow::Owned(replaced(bytes)?),
            },
            Cow::Owned(bytes) => Cow::Owned(match sink::checked_string(decoding, bytes) {
                Ok(text) => text,
                Err(bytes) => replaced(&bytes)?,
            }),
        };
        Ok((text, result.error))
    }

    /// Decodes to text in which what is not UTF-8 stays percent-encoded, up to an escape that is wrong.
    pub(super) fn valid_text<'a>(&self, src: &'a [u8]) -> TextResult<'a> {
        match self.text(src)? {
            Ok(text) => return Ok((text, None)),
            Err(DecodeError { kind: DecodeErrorKind::InvalidUtf8, .. }) => {}
            Err(error) => return Ok((Cow::Borrowed(""), Some(error))),
        }
        let decoding = self.for_input(src);
        let (bytes, result) = self.cow(src)?;
        let mut out = String::new();
        out.try_reserve(bytes.len())?;
        let mut read = 0;
        for chunk in bytes.utf8_chunks() {
            try_push_str(&mut out, chunk.valid())?;
            read += sink::input_offset(decoding.advanced(read), &src[read..], chunk.valid().len());
            for &byte in chunk.invalid() {
                // What is not UTF-8 is no ASCII, so it comes from a triplet or stands for itself.
                let (spelling, len) = match &src[read..] {
                    [b'%', high, low, ..] => ([b'%', *high, *low], 3),
                    _ => (*UPPER.triplet(byte), 1),
                };
                out.try_reserve(3)?;
                out.extend(spelling.map(char::from));
                read += len;
            }
        }
        Ok((Cow::Owned(out), result.error))
    }

    /// Checks, without storing it, that `text` decodes to UTF-8.
    pub(super) fn check_text(&self, text: &str) -> Result<(), DecodeError> {
        /// How much is decoded at a time.
        const PIECE: usize = if cfg!(fuzzing) { 64 } else { 4096 };
        let src = text.as_bytes();
        let decoding = self.for_input(src);
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
            let progress = decoding.advanced(read).fill(piece, &mut buffer[begun..], &mut None).progress();
            let filled = begun + progress.written;
            let stopped = progress.read < piece.len();
            let is_last = stopped || piece.len() == rest.len();
            let complete = if is_last { filled } else { sink::complete_utf8_len(&buffer[..filled]) };
            if !decoding.kernels().is_utf8(&buffer[..complete]) {
                let valid = buffer[..complete].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                let offset = sink::input_offset(decoding, src, checked + valid);
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
}

/// `bytes` with U+FFFD for every maximal part that is not UTF-8.
fn replaced(bytes: &[u8]) -> Result<String, TryReserveError> {
    let mut out = String::new();
    out.try_reserve(bytes.len())?;
    for chunk in bytes.utf8_chunks() {
        try_push_str(&mut out, chunk.valid())?;
        if !chunk.invalid().is_empty() {
            try_push_str(&mut out, "\u{FFFD}")?;
        }
    }
    Ok(out)
}
