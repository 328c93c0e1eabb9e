//! Percent-encodes text in a charset, and decodes it.

use alloc::borrow::Cow;

use percent_simd::{AsBytes, CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, Encoder, internal};

use super::{Charset, UnmappableError};
use crate::memory;

/// Decoded text, and the charset that it was in. Returned by [`Charset::detect`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detected<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The charset of the input: UTF-8, or the charset that `detect` was called on.
    pub charset: Charset,
}

/// The maximum number of output bytes for one byte of text.
const GROWTH: usize = 24;

impl Charset {
    /// Returns an upper limit for the output of this module's encoding calls, in bytes: 24 times `text_len`.
    ///
    /// The limit holds for any charset and any set. U+000E in ISO-2022-JP grows most: it becomes the HTML character
    /// reference `&#65533;`, and a set may require that every byte of this reference is encoded. If the limit exceeds a
    /// `usize`, returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{ByteSet, Encoder};
    /// use percent_standards::charset::Charset;
    /// let long = Charset::ISO_2022_JP.percent_encode_html(&Encoder::new(ByteSet::EMPTY), "\u{E}");
    /// assert_eq!(long, "%26%23%36%35%35%33%33%3B"); // &#65533;
    /// assert_eq!(Charset::max_encoded_len(1), Some(long.len()));
    /// ```
    #[must_use]
    pub const fn max_encoded_len(text_len: usize) -> Option<usize> {
        text_len.checked_mul(GROWTH)
    }
}

impl Charset {
    /// Converts all of `text` to bytes and encodes them (RFC 3986 2.5).
    ///
    /// The URL Standard calls this "percent-encode after encoding" (1.3). But for a character that the charset lacks,
    /// the standard writes a reference, and this call returns an error. In a charset that isn't a superset of US-ASCII,
    /// an unescaped byte of the output can look like another character: in IBM037, `/` is the byte 0x61, so it can
    /// become `a`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, presets, sets};
    /// use percent_standards::charset::Charset;
    /// const QUERY: Encoder = presets::WHATWG_FORM;
    /// assert_eq!(Charset::SHIFT_JIS.percent_encode(&QUERY, "表 1")?, "%95%5C+1");
    /// assert_eq!(Charset::IBM037.percent_encode(&QUERY, "A1")?, "%C1%F1");
    /// let error = Charset::US_ASCII.percent_encode(&QUERY, "caf\u{E9}").unwrap_err();
    /// assert_eq!((error.offset, error.character), (3, 'é'));
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
    pub fn percent_encode<'a>(self, encoder: &Encoder, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        self.encode(text).map(|bytes| encode_cow(encoder, bytes))
    }

    /// Encodes like [`percent_encode`](Self::percent_encode), but first replaces each character that the charset
    /// lacks by a decimal numeric character reference.
    ///
    /// The characters of a reference are encoded like all other characters. In the example, the set has `&` and `;`,
    /// but lacks `#`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, presets, sets};
    /// use percent_standards::charset::Charset;
    /// let encoder = Encoder::new(sets::RFC3986_SEGMENT);
    /// assert_eq!(Charset::US_ASCII.percent_encode_html(&encoder, "é/"), "&%23233;%2F");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn percent_encode_html<'a>(self, encoder: &Encoder, text: &'a str) -> Cow<'a, str> {
        encode_cow(encoder, self.encode_html(text))
    }
}

fn encode_cow<'a>(encoder: &Encoder, bytes: Cow<'a, [u8]>) -> Cow<'a, str> {
    match bytes {
        Cow::Borrowed(bytes) => encoder.encode(bytes),
        Cow::Owned(bytes) => Cow::Owned(encoder.encode_to_string(&bytes)),
    }
}

impl Charset {
    /// Decodes `input` to bytes in this charset, and returns the text of these bytes. Borrows if no change is needed.
    ///
    /// The call first decodes the whole input to bytes, and then converts all bytes to text at once. Unescaped
    /// characters, and triplets that the decoder keeps, also count as bytes of this charset. So if the charset isn't a
    /// superset of US-ASCII, they become other characters: in IBM037, an `a` in the input becomes `/`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder};
    /// use percent_standards::charset::Charset;
    /// let decoder = Decoder::new();
    /// assert_eq!(Charset::ISO_2022_JP.percent_decode(decoder, "%1B$BF|K\\%1B(B")?, "日本");
    /// let error = Charset::US_ASCII.percent_decode(decoder, "%63af%E9").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::InvalidInCharset));
    /// let error = Charset::SHIFT_JIS.percent_decode(decoder.strict(), "%95%5C%").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (6, DecodeErrorKind::Truncated));
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first error in the input. It is either a triplet that the decoder doesn't accept, or a byte that
    /// isn't a character of this charset. The offset of the error is the offset of this triplet or byte in the input.
    /// For an escaped byte, it is the offset of its `%`.
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    pub fn percent_decode<'a, I: AsBytes + ?Sized>(
        self,
        decoder: impl Into<CheckedDecoder>,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.decode_with(&decoder.into(), input.as_bytes())
    }

    fn decode_with<'a>(self, decoder: &CheckedDecoder, src: &'a [u8]) -> Result<Cow<'a, str>, DecodeError> {
        if self == Charset::UTF_8 {
            return decoder.decode_utf8(src);
        }
        let text = match decoder.decode(src) {
            Ok(Cow::Borrowed(bytes)) => self.decode(bytes),
            Ok(Cow::Owned(bytes)) => self.decode(&bytes).map(|text| Cow::Owned(memory::owned(text))),
            // The bytes that were decoded before this error may contain a byte that isn't in the charset. If so, we
            // report this byte, because it comes first in the input.
            Err(error) => {
                self.decode_with(decoder, &src[..error.offset])?;
                return Err(error);
            }
        };
        text.map_err(|error: DecodeError| {
            DecodeError::new(internal::input_offset(decoder, src, error.offset), error.kind)
        })
    }

    /// Decodes `input` to bytes in this charset, and returns their text. Bytes that aren't a character become U+FFFD.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Decoder;
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::US_ASCII.percent_decode_lossy(&Decoder::new(), "%63af%E9"), "caf\u{FFFD}");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    #[must_use]
    pub fn percent_decode_lossy<'a, I: AsBytes + ?Sized>(self, decoder: &Decoder, input: &'a I) -> Cow<'a, str> {
        match decoder.decode(input) {
            Cow::Borrowed(bytes) => self.decode_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(memory::owned(self.decode_lossy(&bytes))),
        }
    }

    /// If all of `input` decodes to UTF-8, returns this text. Otherwise decodes in this charset. Also returns the
    /// charset of the text.
    ///
    /// Use this for links and logs of unknown origin. If text in another charset has characters above ASCII, it is
    /// almost never valid UTF-8 by chance.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Decoder;
    /// use percent_standards::charset::Charset;
    /// let old = Charset::WINDOWS_1252.detect(Decoder::new(), "caf%E9")?;
    /// assert_eq!((&*old.text, old.charset), ("café", Charset::WINDOWS_1252));
    /// let new = Charset::WINDOWS_1252.detect(Decoder::new(), "caf%C3%A9")?;
    /// assert_eq!((&*new.text, new.charset), ("café", Charset::UTF_8));
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first error in the input. It is either a triplet that the decoder doesn't accept, or a byte that
    /// isn't a character of this charset. The offset of the error is the offset of this triplet or byte in the input.
    /// For an escaped byte, it is the offset of its `%`.
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    pub fn detect<'a, I: AsBytes + ?Sized>(
        self,
        decoder: impl Into<CheckedDecoder>,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        let decoder = decoder.into();
        match decoder.decode_utf8(input) {
            Ok(text) => Ok(Detected { text, charset: Charset::UTF_8 }),
            Err(DecodeError { kind: DecodeErrorKind::InvalidUtf8, .. }) => {
                self.decode_with(&decoder, input.as_bytes()).map(|text| Detected { text, charset: self })
            }
            Err(error) => Err(error),
        }
    }

    /// Works like [`detect`](Self::detect), but can't fail.
    ///
    /// Bytes that aren't a character of this charset become U+FFFD.
    ///
    /// # Panics
    ///
    /// Panics, or aborts as the standard library does, if memory cannot be allocated. The text can have three times as
    /// many bytes as the input.
    #[must_use]
    pub fn detect_lossy<'a, I: AsBytes + ?Sized>(self, decoder: &Decoder, input: &'a I) -> Detected<'a> {
        match decoder.decode_utf8(input) {
            Ok(text) => Detected { text, charset: Charset::UTF_8 },
            Err(_) => Detected { text: self.percent_decode_lossy(decoder, input), charset: self },
        }
    }
}
