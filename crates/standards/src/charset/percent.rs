//! Percent-encoding of text in a charset, and back.

use alloc::borrow::Cow;
use alloc::string::String;
use core::convert::Infallible;

use percent_simd::{AsBytes, ByteSet, CheckedDecoder, DecodeError, DecodeErrorKind, Decoder, Encoder, Plus, internal};

use super::{Charset, MalformedError, UnmappableError};
use crate::memory;

/// Text that was in UTF-8 or in another charset. Returned by [`Charset::detect`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Detected<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// The charset it was in: UTF-8, or the one that was given.
    pub charset: Charset,
}

/// Bytes of output for a byte of text, at most.
const GROWTH: usize = 24;

impl Charset {
    /// Returns the most bytes that the encoding calls of this module make of `text_len` bytes of text, in any charset, with
    /// any set: 24 times as many; `None` if that does not fit a `usize`.
    ///
    /// The longest is that of U+000E in ISO-2022-JP: a reference to U+FFFD, every byte of which a set may encode.
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
    /// Converts all of `text` to bytes and encodes those (RFC 3986 2.5; URL Standard 1.3, "percent-encode after encoding",
    /// except for errors).
    ///
    /// In a charset that is no superset of US-ASCII the bytes that stay are not the characters of the text: in UTF-16BE
    /// `A` is `%00A`.
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
    /// Returns an error with the offset of the first character that has no bytes in this charset.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn percent_encode<'a>(self, encoder: &Encoder, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        self.encode(text).map(|bytes| encode_cow(encoder, bytes))
    }

    /// Encodes like [`percent_encode`](Self::percent_encode), but replaces each character without bytes by a decimal
    /// numeric character reference first; the set decides whether its `&` and `;` are encoded.
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
    /// If memory cannot be allocated.
    #[must_use]
    pub fn percent_encode_html<'a>(self, encoder: &Encoder, text: &'a str) -> Cow<'a, str> {
        encode_cow(encoder, self.encode_html(text))
    }

    /// Leaves the characters of the set as they are, in US-ASCII, converts the text between them to bytes, run by run,
    /// and makes each of those a triplet, like `java.net.URLEncoder`.
    ///
    /// [`decode_runs`](Self::decode_runs) is the way back.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, presets, sets};
    /// use percent_standards::charset::Charset;
    /// let encoder = presets::WHATWG_FORM;
    /// assert_eq!(Charset::UTF_16BE.encode_runs(&encoder, "A/ é")?, "A%00%2F+%00%E9");
    /// # Ok::<(), percent_standards::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that has to be encoded and has no bytes in this charset.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn encode_runs<'a>(self, encoder: &Encoder, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        encode_runs(encoder, text, |at, run| {
            self.encode(run).map_err(|error| UnmappableError { offset: at + error.offset, ..error })
        })
    }

    /// Encodes like [`encode_runs`](Self::encode_runs), but replaces each character without bytes by a decimal numeric
    /// character reference first.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, presets, sets};
    /// use percent_standards::charset::Charset;
    /// let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// assert_eq!(Charset::IBM037.encode_runs_html(&encoder, "A €"), "A%40%50%7B8364%5E"); // A &#8364;
    /// ```
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn encode_runs_html<'a>(self, encoder: &Encoder, text: &'a str) -> Cow<'a, str> {
        match self.referenced(text) {
            Cow::Borrowed(text) => self.encode_mappable(encoder, text),
            Cow::Owned(text) => Cow::Owned(memory::owned(self.encode_mappable(encoder, &text))),
        }
    }

    fn encode_mappable<'a>(self, encoder: &Encoder, text: &'a str) -> Cow<'a, str> {
        let Ok(encoded) = encode_runs(encoder, text, |_, run| Ok::<_, Infallible>(self.encode_html(run)));
        encoded
    }
}

fn encode_cow<'a>(encoder: &Encoder, bytes: Cow<'a, [u8]>) -> Cow<'a, str> {
    match bytes {
        Cow::Borrowed(bytes) => encoder.encode(bytes),
        Cow::Owned(bytes) => Cow::Owned(encoder.encode_to_string(&bytes)),
    }
}

/// Copies the characters that stay, and encodes what `bytes` makes of each run between, given its offset.
fn encode_runs<'a, E>(
    encoder: &Encoder,
    text: &'a str,
    bytes: impl for<'r> Fn(usize, &'r str) -> Result<Cow<'r, [u8]>, E>,
) -> Result<Cow<'a, str>, E> {
    let src = text.as_bytes();
    let mut escape = Encoder::new(ByteSet::EMPTY);
    if encoder.triplet(0xFF) == "%ff" {
        escape = escape.lowercase();
    }
    let writes_plus = encoder.pieces(" ").next() == Some("+");
    let is_plus = |at: usize| writes_plus && src[at] == b' ';
    let stays = |at: usize| match src[at] {
        // The digits after it may decide.
        b'%' => encoder.first_changed(&src[at..src.len().min(at + 3)]) != Some(0),
        byte => byte.is_ascii() && encoder.allowed().contains(byte),
    };
    let mut out = String::new();
    let mut copied = 0;
    let mut changed = encoder.first_changed(text);
    while let Some(start) = changed {
        memory::push_str(&mut out, &text[copied..start]);
        let mut end = start;
        while end < text.len() && !is_plus(end) && !stays(end) {
            end += 1;
        }
        if start < end {
            escape.encode_into(&*bytes(start, &text[start..end])?, &mut out);
        } else {
            memory::push_str(&mut out, "+");
            end += 1;
        }
        copied = end;
        changed = encoder.first_changed(&text[end..]).map(|after| end + after);
    }
    if copied == 0 {
        return Ok(Cow::Borrowed(text));
    }
    memory::push_str(&mut out, &text[copied..]);
    Ok(Cow::Owned(out))
}

impl Charset {
    /// Decodes to text in this charset; borrows where nothing changes. Of several errors it returns the first in the input.
    ///
    /// The complete input becomes bytes first, and these become text, once. Characters that are not escaped, or kept, are
    /// bytes too; in a charset that is no superset of US-ASCII they mean other characters.
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
    /// Returns an error for the first triplet that the decoder does not accept, or with the offset in the input of the first byte,
    /// or its `%`, that stands for no character in this charset, whichever comes first.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
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
            // What precedes the error may be no text, which is then the first error.
            Err(error) => {
                self.decode_with(decoder, &src[..error.offset])?;
                return Err(error);
            }
        };
        text.map_err(|MalformedError { offset }| {
            let offset = internal::input_offset(decoder, src, offset);
            DecodeError::new(offset, DecodeErrorKind::InvalidInCharset)
        })
    }

    /// Decodes to text in this charset, with U+FFFD for bytes that stand for no character there.
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
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    #[must_use]
    pub fn percent_decode_lossy<'a, I: AsBytes + ?Sized>(self, decoder: &Decoder, input: &'a I) -> Cow<'a, str> {
        match decoder.decode(input) {
            Cow::Borrowed(bytes) => self.decode_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(memory::owned(self.decode_lossy(&bytes))),
        }
    }

    /// Decodes to text in UTF-8 if all of it is UTF-8, and in this charset otherwise; the result says in which.
    ///
    /// For links and logs of unknown origin: text of another charset is hardly ever UTF-8 by chance, if it is not
    /// ASCII.
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
    /// Returns an error for the first triplet that the decoder does not accept, or with the offset in the input of the first byte,
    /// or its `%`, that stands for no character in this charset, whichever comes first.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
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

    /// Decodes to text in UTF-8 if all of it is UTF-8, and otherwise in this charset, with U+FFFD for bytes that stand for
    /// no character there.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    #[must_use]
    pub fn detect_lossy<'a, I: AsBytes + ?Sized>(self, decoder: &Decoder, input: &'a I) -> Detected<'a> {
        match decoder.decode_utf8(input) {
            Ok(text) => Detected { text, charset: Charset::UTF_8 },
            Err(_) => Detected { text: self.percent_decode_lossy(decoder, input), charset: self },
        }
    }
}

impl Charset {
    /// Decodes what [`encode_runs`](Self::encode_runs) has written: runs of triplets are text in this charset, and the
    /// characters between them are text already. Borrows where nothing changes. A `%` that starts no triplet is kept;
    /// except for that, `java.net.URLDecoder` does so too.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::Plus;
    /// use percent_standards::charset::Charset;
    /// assert_eq!(Charset::UTF_16BE.decode_runs("A%00%2F+%00%E9", Plus::Always)?, "A/ é");
    /// let error = Charset::UTF_16BE.decode_runs("100%, %00%2F%00", Plus::Never).unwrap_err();
    /// assert_eq!(error.offset, 12);
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset in the input of the first triplet that stands for no character in this charset.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_runs(self, input: &str, plus: Plus) -> Result<Cow<'_, str>, DecodeError> {
        decode_runs(input, plus, |at, run| {
            let text = self.percent_decode(Decoder::new(), run);
            text.map_err(|error| DecodeError::new(at + error.offset, error.kind))
        })
    }

    /// Decodes like [`decode_runs`](Self::decode_runs), with U+FFFD for bytes that stand for no character in the charset.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    #[must_use]
    pub fn decode_runs_lossy(self, input: &str, plus: Plus) -> Cow<'_, str> {
        let Ok(text) =
            decode_runs(input, plus, |_, run| Ok::<_, Infallible>(self.percent_decode_lossy(&Decoder::new(), run)));
        text
    }
}

/// Copies what is no triplet, its pluses replaced, and the text that `text` makes of each run of triplets, given its offset.
fn decode_runs<'a, E>(
    input: &'a str,
    plus: Plus,
    text: impl for<'r> Fn(usize, &'r str) -> Result<Cow<'r, str>, E>,
) -> Result<Cow<'a, str>, E> {
    // Pluses between triplets: no triplet is decoded.
    let spaces = Decoder::new().plus(plus).keep(ByteSet::ALL);
    let input = match spaces.decode_utf8(input) {
        Ok(spaced) => spaced,
        Err(_) => Cow::Borrowed(input), // it is text
    };
    let is_triplet = |at: usize| {
        let triplet = input.as_bytes().get(at..at + 3);
        triplet.is_some_and(|triplet| triplet[0] == b'%' && triplet[1..].iter().all(u8::is_ascii_hexdigit))
    };
    let mut out = String::new();
    let mut copied = 0;
    let mut rest = 0;
    while let Some(start) = Decoder::new().first_changed(&input[rest..]).map(|at| rest + at) {
        let mut end = start;
        while is_triplet(end) {
            end += 3;
        }
        memory::push_str(&mut out, &input[copied..start]);
        memory::push_str(&mut out, &text(start, &input[start..end])?);
        (copied, rest) = (end, end);
    }
    if copied == 0 {
        return Ok(input);
    }
    memory::push_str(&mut out, &input[copied..]);
    Ok(Cow::Owned(out))
}
