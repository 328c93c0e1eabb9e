//! Encodes and decodes text in a charset piece by piece, without allocation. The C interface uses these calls.

use core::convert::Infallible;

use percent_simd::{
    AsBytes, CheckedDecoder, DecodeError, DecodeErrorKind, EncodeStream, RawEncoder, SliceError, internal,
};

use super::builtin::Piece;
use super::convert::each_digit;
use super::text::{OnMalformed, TextDecoder, fail, replace};
use super::{Charset, UnmappableError};

/// The maximum number of output bytes that `put` gets at a time.
const ROOM: usize = if cfg!(fuzzing) { 32 } else { 1024 };

/// Encodes `bytes`, which are the next input of `stream`, and passes the output to `put`.
fn push(stream: &mut EncodeStream, mut bytes: &[u8], put: &mut impl FnMut(&[u8])) {
    let mut room = [0; ROOM];
    while !bytes.is_empty() {
        let progress = stream.push(bytes, &mut room);
        put(&room[..progress.written]);
        bytes = &bytes[progress.read..];
    }
}

impl Charset {
    /// Converts all of `text` to bytes, encodes them, and passes the result to `put` piece by piece, without
    /// allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{RawEncoder, presets};
    /// use percent_standards::charset::Charset;
    /// let (mut out, encoder) = (Vec::new(), *presets::WHATWG_FORM.raw());
    /// Charset::SHIFT_JIS.percent_encode_pieces(&encoder, "表 1", |piece| out.extend_from_slice(piece))?;
    /// assert_eq!(out, b"%95%5C+1");
    /// # Ok::<(), percent_standards::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that the charset lacks. `put` has then received the
    /// output for the text before this character.
    pub fn percent_encode_pieces(
        self,
        encoder: &RawEncoder,
        text: &str,
        put: impl FnMut(&[u8]),
    ) -> Result<(), UnmappableError> {
        self.encode_pieces(encoder, text, put, |_, offset, reference| Err(UnmappableError::at(text, offset, reference)))
    }

    /// Encodes like [`percent_encode_pieces`](Self::percent_encode_pieces), but first replaces each character that
    /// the charset lacks by a decimal numeric character reference.
    ///
    /// The characters of a reference are encoded like all other characters. In the example, the set has `&` and `;`,
    /// but lacks `#`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{RawEncoder, presets, sets};
    /// use percent_standards::charset::Charset;
    /// let mut out = Vec::new();
    /// let encoder = RawEncoder::new(sets::RFC3986_SEGMENT);
    /// Charset::US_ASCII.percent_encode_html_pieces(&encoder, "é/", |piece| out.extend_from_slice(piece));
    /// assert_eq!(out, b"&%23233;%2F");
    /// ```
    pub fn percent_encode_html_pieces(self, encoder: &RawEncoder, text: &str, put: impl FnMut(&[u8])) {
        let Ok(()) = self.encode_pieces(encoder, text, put, |push, _, character| {
            push(b"&#");
            each_digit(character, |digit| push(&[digit]));
            push(b";");
            Ok::<(), Infallible>(())
        });
    }

    /// Passes the encoded `text` to `put`. For each character that the charset lacks, calls `unmappable` with three
    /// arguments: a function that encodes an ASCII replacement, the offset of the character, and the character that a
    /// numeric reference would name.
    fn encode_pieces<E>(
        self,
        encoder: &RawEncoder,
        text: &str,
        mut put: impl FnMut(&[u8]),
        unmappable: impl Fn(&mut dyn FnMut(&[u8]), usize, char) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stream = encoder.stream();
        if self.is_same(text.as_bytes()) {
            push(&mut stream, text.as_bytes(), &mut put);
        } else {
            self.convert(text, |piece| {
                match piece {
                    Piece::Bytes(bytes) => push(&mut stream, bytes, &mut put),
                    Piece::Unmappable(offset, reference) => {
                        let mut ascii = |bytes: &[u8]| {
                            bytes.iter().for_each(|&byte| push(&mut stream, &[self.byte_of(byte)], &mut put));
                        };
                        unmappable(&mut ascii, offset, reference)?;
                    }
                }
                Ok(())
            })?;
        }
        let mut room = [0; ROOM];
        if let Ok(ended) = stream.finish(&mut room) {
            put(&room[..ended]);
        }
        Ok(())
    }

    /// Decodes `input` to bytes in this charset, and passes their text to `put` piece by piece, without allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Decoder;
    /// use percent_standards::charset::Charset;
    /// let (mut out, decoder) = (String::new(), Decoder::new().as_checked());
    /// Charset::ISO_2022_JP.percent_decode_pieces(&decoder, "%1B$BF|K\\%1B(B", |piece| out.push_str(piece))?;
    /// assert_eq!(out, "日本");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first error in the input. It is either a triplet that the decoder doesn't accept, or a byte that
    /// isn't a character of this charset. The offset of the error is the offset of this triplet or byte in the input.
    /// For an escaped byte, it is the offset of its `%`. `put` has then received the text before the error.
    pub fn percent_decode_pieces<I: AsBytes + ?Sized>(
        self,
        decoder: &CheckedDecoder,
        input: &I,
        put: impl FnMut(&str),
    ) -> Result<(), DecodeError> {
        let src = input.as_bytes();
        self.decode_pieces(decoder, src, fail, put).unwrap_or_else(|offset| {
            let offset = internal::input_offset(decoder, src, offset);
            Err(DecodeError::new(offset, DecodeErrorKind::InvalidInCharset))
        })
    }

    /// Decodes like [`percent_decode_pieces`](Self::percent_decode_pieces), but replaces bytes that aren't a character
    /// of this charset by U+FFFD.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Decoder;
    /// use percent_standards::charset::Charset;
    /// let (mut out, decoder) = (String::new(), Decoder::new().strict());
    /// Charset::US_ASCII.percent_decode_lossy_pieces(&decoder, "%63af%E9", |piece| out.push_str(piece))?;
    /// assert_eq!(out, "caf\u{FFFD}");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder doesn't accept. `put` has then received the text before
    /// that triplet.
    pub fn percent_decode_lossy_pieces<I: AsBytes + ?Sized>(
        self,
        decoder: &CheckedDecoder,
        input: &I,
        put: impl FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Ok(result) = self.decode_pieces(decoder, input.as_bytes(), replace, put);
        result
    }

    /// Passes the text of `src` to `put`. If some bytes aren't a character, calls `malformed` with their offset in the
    /// decoded bytes. The outer `Err` is an error of `malformed`, and the inner `Err` is an error of `decoder`.
    fn decode_pieces<E>(
        self,
        decoder: &CheckedDecoder,
        mut src: &[u8],
        malformed: OnMalformed<E>,
        mut put: impl FnMut(&str),
    ) -> Result<Result<(), DecodeError>, E> {
        let mut text = TextDecoder::new(self);
        let mut stream = decoder.stream();
        let mut room = [0; ROOM];
        let error = loop {
            let progress = match stream.push(src, &mut room) {
                Ok(progress) => progress,
                Err(error) => break Some(error),
            };
            text.push(&room[..progress.written], false, malformed, &mut put)?;
            src = &src[progress.read..];
            if src.is_empty() {
                break match stream.finish(&mut room) {
                    Ok(ended) => {
                        text.push(&room[..ended], false, malformed, &mut put)?;
                        None
                    }
                    Err(SliceError::Input(error)) => Some(error),
                    Err(SliceError::OutputTooSmall(_)) => None, // never happens, because `room` is enough
                };
            }
        };
        text.push(&[], true, malformed, &mut put)?;
        Ok(error.map_or(Ok(()), Err))
    }
}
