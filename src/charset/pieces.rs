//! Text in a charset percent-encoded and back, piece by piece, without allocation: what the interface for C calls.

use core::convert::Infallible;

use super::text::{OnMalformed, TextDecoder, fail, replace};
use super::{Charset, Piece, UnmappableError, each_digit};
use crate::decode::DecodeOptions;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::AsBytes;
use crate::stream::EncodeStream;
use crate::{CheckedDecoder, RawEncoder, sink};

/// Bytes of output that are handed over at a time.
const ROOM: usize = if cfg!(fuzzing) { 32 } else { 1024 };

/// Encodes `bytes`, the next of `stream`, and hands the output to `put`.
fn push(stream: &mut EncodeStream, mut bytes: &[u8], put: &mut impl FnMut(&[u8])) {
    let mut room = [0; ROOM];
    while !bytes.is_empty() {
        let progress = stream.push(bytes, &mut room);
        put(&room[..progress.written]);
        bytes = &bytes[progress.read..];
    }
}

impl RawEncoder {
    /// Converts all of `text` to bytes, encodes those, and hands the result to `put` piece by piece, without allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{RawEncoder, charset::Charset, sets};
    /// let (mut out, encoder) = (Vec::new(), RawEncoder::new(sets::WHATWG_FORM).space_to_plus());
    /// encoder.encode_in_charset_pieces(Charset::SHIFT_JIS, "表 1", |piece| out.extend_from_slice(piece))?;
    /// assert_eq!(out, b"%95%5C+1");
    /// # Ok::<(), percent_simd::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that has no bytes in `charset`. What precedes it has been handed
    /// over.
    pub fn encode_in_charset_pieces(
        &self,
        charset: Charset,
        text: &str,
        put: impl FnMut(&[u8]),
    ) -> Result<(), UnmappableError> {
        self.pieces_in(charset, text, put, |_, offset, reference| Err(UnmappableError::at(text, offset, reference)))
    }

    /// Encodes like [`encode_in_charset_pieces`](Self::encode_in_charset_pieces), but replaces each character without bytes by a
    /// decimal numeric character reference first; the set decides whether its `&` and `;` are encoded.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{RawEncoder, charset::Charset, sets};
    /// let mut out = Vec::new();
    /// let encoder = RawEncoder::new(sets::RFC3986_SEGMENT);
    /// encoder.encode_in_charset_html_pieces(Charset::US_ASCII, "é/", |piece| out.extend_from_slice(piece));
    /// assert_eq!(out, b"&%23233;%2F");
    /// ```
    pub fn encode_in_charset_html_pieces(&self, charset: Charset, text: &str, put: impl FnMut(&[u8])) {
        let Ok(()) = self.pieces_in(charset, text, put, |push, _, character| {
            push(b"&#");
            each_digit(character, |digit| push(&[digit]));
            push(b";");
            Ok::<(), Infallible>(())
        });
    }

    /// Hands the encoded form of `text` to `put`. `unmappable` is called with each character without bytes, its offset, and a
    /// function that takes ASCII in its place.
    fn pieces_in<E>(
        &self,
        charset: Charset,
        text: &str,
        mut put: impl FnMut(&[u8]),
        unmappable: impl Fn(&mut dyn FnMut(&[u8]), usize, char) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stream = self.stream();
        if charset.is_same(text.as_bytes()) {
            push(&mut stream, text.as_bytes(), &mut put);
        } else {
            charset.convert(text, |piece| {
                match piece {
                    Piece::Bytes(bytes) => push(&mut stream, bytes, &mut put),
                    Piece::Unmappable(offset, reference) => {
                        let mut ascii = |bytes: &[u8]| {
                            bytes.iter().for_each(|&byte| push(&mut stream, &[charset.byte_of(byte)], &mut put));
                        };
                        unmappable(&mut ascii, offset, reference)?;
                    }
                }
                Ok(())
            })?;
        }
        let mut room = [0; ROOM];
        if let Ok(end) = stream.finish(&mut room) {
            put(&room[..end.written]);
        }
        Ok(())
    }
}

impl DecodeOptions {
    /// Hands the text of `src` in `charset` to `put`. `malformed` decides on bytes that stand for no character, whose offset in the
    /// decoded bytes it is given. Returns that offset as the inner error.
    fn text_pieces<E>(
        &self,
        charset: Charset,
        src: &[u8],
        malformed: OnMalformed<E>,
        mut put: impl FnMut(&str),
    ) -> Result<Result<(), DecodeError>, E> {
        let mut text = TextDecoder::new(charset);
        let (_, error) = sink::pieces(self.for_input(src), src, |bytes| text.push(bytes, false, malformed, &mut put))?;
        text.push(&[], true, malformed, &mut put)?;
        Ok(error.map_or(Ok(()), Err))
    }
}

impl CheckedDecoder {
    /// Decodes to text in `charset`, and hands it to `put` piece by piece, without allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Decoder, charset::Charset};
    /// let (mut out, decoder) = (String::new(), Decoder::new().as_checked());
    /// decoder.decode_charset_pieces(Charset::ISO_2022_JP, "%1B$BF|K\\%1B(B", |piece| out.push_str(piece))?;
    /// assert_eq!(out, "日本");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept, or with the offset in the input of the first byte,
    /// or its `%`, that stands for no character in `charset`, whichever comes first. The text before it has been handed over.
    pub fn decode_charset_pieces<I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &I,
        put: impl FnMut(&str),
    ) -> Result<(), DecodeError> {
        let (options, src) = (self.options(), input.as_bytes());
        options.text_pieces(charset, src, fail, put).unwrap_or_else(|offset| {
            let offset = sink::input_offset(options.for_input(src), src, offset);
            Err(DecodeError::new(offset, DecodeErrorKind::InvalidInCharset))
        })
    }

    /// Decodes like [`decode_charset_pieces`](Self::decode_charset_pieces), with U+FFFD for bytes that stand for no character in
    /// `charset`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Decoder, charset::Charset};
    /// let (mut out, decoder) = (String::new(), Decoder::new().strict());
    /// decoder.decode_charset_lossy_pieces(Charset::US_ASCII, "%63af%E9", |piece| out.push_str(piece))?;
    /// assert_eq!(out, "caf\u{FFFD}");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept. The text before it has been handed over.
    pub fn decode_charset_lossy_pieces<I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &I,
        put: impl FnMut(&str),
    ) -> Result<(), DecodeError> {
        let Ok(result) = self.options().text_pieces(charset, input.as_bytes(), replace, put);
        result
    }
}
