//! Converts text to bytes, and bytes to text.

use alloc::borrow::Cow;
use alloc::string::String;

use encoding_rs::{EncoderResult, Encoding};

use percent_simd::{AsBytes, DecodeError, DecodeErrorKind};

use super::builtin::{CHUNK, Piece};
use super::error::UnmappableError;
use super::text::{self, TextDecoder};
use super::{Charset, Kind, builtin};
use crate::memory;

/// Appends `before`, then the code point of `character` in decimal, then `after`.
pub(crate) fn push_reference(out: &mut String, before: &str, character: char, after: &str) {
    memory::infallible(out.try_reserve(before.len() + "1114111".len() + after.len()));
    out.push_str(before);
    each_digit(character, |digit| out.push(char::from(digit)));
    out.push_str(after);
}

/// Calls `each` with the decimal digits of the code point of `character`. This takes a third of the time of `fmt`. Each
/// character that the charset lacks is written as digits, so the time matters if the charset lacks every character of a
/// text.
pub(super) fn each_digit(character: char, mut each: impl FnMut(u8)) {
    let code = u32::from(character);
    for place in [1_000_000, 100_000, 10_000, 1000, 100, 10, 1] {
        if code >= place {
            each(b'0' + (code / place % 10) as u8);
        }
    }
}

impl Charset {
    /// Converts `text` to bytes (Encoding Standard 4.1, error mode "fatal"). Borrows `text` if its bytes stay the same.
    ///
    /// In ISO-2022-JP, U+000E, U+000F and U+001B are errors, because their bytes would shift to another set of
    /// characters (Encoding Standard 12.2.2). The output in ISO-2022-JP ends in the initial state, US-ASCII.
    ///
    /// The replacement encoding has no encoder, so it encodes as UTF-8.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::ISO_2022_JP.encode("本")?, &b"\x1B$BK\\\x1B(B"[..]);
    /// assert_eq!(Charset::IBM037.encode("A1")?, &b"\xC1\xF1"[..]);
    /// # Ok::<(), percent_standards::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that the charset lacks.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, UnmappableError> {
        if self.is_same(text.as_bytes()) {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        let mut bytes = memory::vec(text.len());
        self.convert(text, |piece| match piece {
            Piece::Bytes(piece) => {
                memory::extend(&mut bytes, piece);
                Ok(())
            }
            Piece::Unmappable(offset, reference) => Err(UnmappableError::at(text, offset, reference)),
        })?;
        Ok(Cow::Owned(bytes))
    }

    /// Converts `text` to bytes. Replaces each character that the charset lacks by a decimal numeric character
    /// reference, `&#N;`.
    ///
    /// This is the error mode "html" (Encoding Standard 4.1). You can't undo the replacement, because the text may
    /// already contain references of its own. In ISO-2022-JP, U+000E, U+000F and U+001B become references to U+FFFD.
    /// Borrows `text` if its bytes stay the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::ISO_8859_1.encode_html("5 €"), &b"5 &#8364;"[..]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn encode_html(self, text: &str) -> Cow<'_, [u8]> {
        if self.is_same(text.as_bytes()) {
            return Cow::Borrowed(text.as_bytes());
        }
        let (mut bytes, mut reference) = (memory::vec(text.len()), String::new());
        self.convert_all(text, |piece| match piece {
            Piece::Bytes(piece) => memory::extend(&mut bytes, piece),
            Piece::Unmappable(_, character) => {
                reference.clear();
                push_reference(&mut reference, "&#", character, ";");
                memory::infallible(bytes.try_reserve(reference.len()));
                bytes.extend(reference.bytes().map(|byte| self.byte_of(byte)));
            }
        });
        Cow::Owned(bytes)
    }

    /// Converts `bytes` to text (Encoding Standard 4.1, error mode "fatal"). If `bytes` is already this text in UTF-8,
    /// borrows `bytes`.
    ///
    /// A byte order mark becomes the character U+FEFF. The replacement encoding decodes only empty input.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::UTF_32LE.decode(b"A\0\0\0")?, "A");
    /// assert_eq!(Charset::SHIFT_JIS.decode(b"\x95\\, \xFD").unwrap_err().offset, 4);
    /// # Ok::<(), percent_standards::codec::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first byte that isn't a character of this charset.
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    pub fn decode<O: AsBytes + ?Sized>(self, bytes: &O) -> Result<Cow<'_, str>, DecodeError> {
        let bytes = bytes.as_bytes();
        let kind = match self == Charset::UTF_8 {
            true => DecodeErrorKind::InvalidUtf8,
            false => DecodeErrorKind::InvalidInCharset,
        };
        let fault = |offset| DecodeError::new(offset, kind);
        match self.0 {
            Kind::Whatwg(encoding) => encoding
                .decode_without_bom_handling_and_without_replacement(bytes)
                .ok_or_else(|| fault(self.first_malformed(bytes))),
            Kind::Builtin(charset) => text::convert(charset, bytes, text::fail).map_err(fault),
        }
    }

    /// Converts `bytes` to text. Bytes that aren't a character of this charset become U+FFFD.
    ///
    /// This is the error mode "replacement" (Encoding Standard 4.1). If `bytes` is already this text in UTF-8, borrows
    /// `bytes`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::SHIFT_JIS.decode_lossy(b"\x95\\, \xFD"), "表, \u{FFFD}");
    /// assert_eq!(Charset::US_ASCII.decode_lossy(b"caf\xE9"), "caf\u{FFFD}");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    #[must_use]
    pub fn decode_lossy<O: AsBytes + ?Sized>(self, bytes: &O) -> Cow<'_, str> {
        let bytes = bytes.as_bytes();
        match self.0 {
            Kind::Whatwg(encoding) => encoding.decode_without_bom_handling(bytes).0,
            Kind::Builtin(charset) => {
                let Ok(text) = text::convert(charset, bytes, text::replace);
                text
            }
        }
    }

    /// Returns true if the UTF-8 text `text` has the same bytes in this charset.
    pub(crate) fn is_same(self, text: &[u8]) -> bool {
        match self.0 {
            Kind::Whatwg(encoding) if encoding == encoding_rs::UTF_16BE || encoding == encoding_rs::UTF_16LE => false,
            Kind::Whatwg(encoding) if encoding.output_encoding() == encoding_rs::UTF_8 => true,
            Kind::Whatwg(encoding) if encoding == encoding_rs::ISO_2022_JP => {
                Encoding::iso_2022_jp_ascii_valid_up_to(text) == text.len()
            }
            Kind::Whatwg(_) => Encoding::ascii_valid_up_to(text) == text.len(),
            Kind::Builtin(charset) => charset.is_ascii_compatible() && Encoding::ascii_valid_up_to(text) == text.len(),
        }
    }

    /// Returns the byte for `ascii`, which is a digit, `&`, `#` or `;`. Numeric references like `&#8364;` consist of
    /// these characters. We write a reference for a character that the charset lacks. UTF-16 and UTF-32 lack no
    /// character, so don't call this function for them.
    ///
    /// ISO-2022-JP has three states. In the states ASCII and Roman, the byte is `ascii` itself. In the third state, JIS
    /// X 0208, it isn't, but the encoder leaves this state before it reports an unmappable character.
    pub(super) fn byte_of(self, ascii: u8) -> u8 {
        match self.0 {
            Kind::Whatwg(_) => ascii,
            Kind::Builtin(charset) => charset.byte_of(ascii),
        }
    }

    /// Calls `each` with each piece of the converted `text`. Here `each` can't fail.
    pub(crate) fn convert_all(self, text: &str, mut each: impl FnMut(Piece<'_>)) {
        let Ok(()) = self.convert(text, |piece| {
            each(piece);
            Ok::<(), core::convert::Infallible>(())
        });
    }

    /// Calls `each` with each piece of the converted `text`, until `each` fails. One encoder converts the whole `text`,
    /// so its state is kept from piece to piece.
    pub(super) fn convert<E>(self, text: &str, mut each: impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        let encoding = match self.0 {
            Kind::Builtin(charset) => return charset.convert(text, each),
            Kind::Whatwg(encoding) if encoding == encoding_rs::UTF_16BE => {
                return builtin::convert_utf16(text, u16::to_be_bytes, each);
            }
            Kind::Whatwg(encoding) if encoding == encoding_rs::UTF_16LE => {
                return builtin::convert_utf16(text, u16::to_le_bytes, each);
            }
            Kind::Whatwg(encoding) => encoding,
        };
        let mut encoder = encoding.new_encoder();
        let mut buffer = [0; CHUNK];
        let mut read = 0;
        loop {
            let rest = text.get(read..).unwrap_or_default();
            let (result, more, written) = encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
            read += more;
            each(Piece::Bytes(&buffer[..written]))?;
            match result {
                EncoderResult::InputEmpty => return Ok(()),
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => {
                    let length = rest.get(..more).and_then(|done| done.chars().next_back()).map_or(0, char::len_utf8);
                    each(Piece::Unmappable(read - length, character))?;
                }
            }
        }
    }

    /// Returns the offset of the first byte that isn't a character. The caller knows that `bytes` contains one.
    pub(super) fn first_malformed(self, bytes: &[u8]) -> usize {
        TextDecoder::new(self).push(bytes, true, text::fail, |_| ()).err().unwrap_or(bytes.len())
    }
}
