//! Percent-encoding of text in a charset, and back.

use alloc::borrow::Cow;
use alloc::string::String;
use core::convert::Infallible;

use super::{Charset, MalformedError, UnmappableError};
use crate::decode::DecodeOptions;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::{AsBytes, Source};
use crate::{CheckedDecoder, Decoder, Encoder, Plus, memory, sink};

/// Text that was in UTF-8 or in another charset. Returned by [`Decoder::decode_utf8_or`].
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
    /// use percent_simd::{ByteSet, Encoder, charset::Charset};
    /// let long = Encoder::new(ByteSet::EMPTY).encode_in_charset_html(Charset::ISO_2022_JP, "\u{E}");
    /// assert_eq!(long, "%26%23%36%35%35%33%33%3B"); // &#65533;
    /// assert_eq!(Charset::max_encoded_len(1), Some(long.len()));
    /// ```
    #[must_use]
    pub const fn max_encoded_len(text_len: usize) -> Option<usize> {
        text_len.checked_mul(GROWTH)
    }
}

impl Encoder {
    /// Converts all of `text` to bytes and encodes those (RFC 3986 2.5; URL Standard 1.3, "percent-encode after encoding",
    /// except for errors).
    ///
    /// In a charset that is no superset of US-ASCII the bytes that stay are not the characters of the text: in UTF-16BE
    /// `A` is `%00A`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// const QUERY: Encoder = Encoder::new(sets::WHATWG_FORM).space_to_plus();
    /// assert_eq!(QUERY.encode_in_charset(Charset::SHIFT_JIS, "表 1")?, "%95%5C+1");
    /// assert_eq!(QUERY.encode_in_charset(Charset::IBM037, "A1")?, "%C1%F1");
    /// let error = QUERY.encode_in_charset(Charset::US_ASCII, "caf\u{E9}").unwrap_err();
    /// assert_eq!((error.offset, error.character), (3, 'é'));
    /// # Ok::<(), percent_simd::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that has no bytes in `charset`.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn encode_in_charset<'a>(&self, charset: Charset, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        charset.encode(text).map(|bytes| self.encode_cow(bytes))
    }

    /// Encodes like [`encode_in_charset`](Self::encode_in_charset), but replaces each character without bytes by a decimal
    /// numeric character reference first; the set decides whether its `&` and `;` are encoded.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::RFC3986_SEGMENT);
    /// assert_eq!(encoder.encode_in_charset_html(Charset::US_ASCII, "é/"), "&%23233;%2F");
    /// ```
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn encode_in_charset_html<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        self.encode_cow(charset.encode_html(text))
    }

    fn encode_cow<'a>(&self, bytes: Cow<'a, [u8]>) -> Cow<'a, str> {
        match bytes {
            Cow::Borrowed(bytes) => self.encode(bytes),
            Cow::Owned(bytes) => Cow::Owned(self.encode_to_string(&bytes)),
        }
    }

    /// Leaves the characters of the set as they are, in US-ASCII, converts the text between them to bytes, run by run,
    /// and makes each of those a triplet, like `java.net.URLEncoder`.
    ///
    /// [`Charset::decode_runs`] is the way back.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::WHATWG_FORM).space_to_plus();
    /// assert_eq!(encoder.encode_runs_in_charset(Charset::UTF_16BE, "A/ é")?, "A%00%2F+%00%E9");
    /// # Ok::<(), percent_simd::charset::UnmappableError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset of the first character that has to be encoded and has no bytes in `charset`.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn encode_runs_in_charset<'a>(&self, charset: Charset, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        self.encode_runs(text, |at, run| {
            charset.encode(run).map_err(|error| UnmappableError { offset: at + error.offset, ..error })
        })
    }

    /// Encodes like [`encode_runs_in_charset`](Self::encode_runs_in_charset), but replaces each character without bytes by
    /// a decimal numeric character reference first.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// assert_eq!(encoder.encode_runs_in_charset_html(Charset::IBM037, "A €"), "A%40%50%7B8364%5E"); // A &#8364;
    /// ```
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    #[must_use]
    pub fn encode_runs_in_charset_html<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        match charset.referenced(text) {
            Cow::Borrowed(text) => self.encode_mappable(charset, text),
            Cow::Owned(text) => Cow::Owned(memory::owned(self.encode_mappable(charset, &text))),
        }
    }

    fn encode_mappable<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        let Ok(encoded) = self.encode_runs(text, |_, run| Ok::<_, Infallible>(charset.encode_html(run)));
        encoded
    }

    /// Copies the characters that stay, and encodes what `bytes` makes of each run between, given its offset.
    fn encode_runs<'a, E>(
        &self,
        text: &'a str,
        bytes: impl for<'r> Fn(usize, &'r str) -> Result<Cow<'r, [u8]>, E>,
    ) -> Result<Cow<'a, str>, E> {
        let escape = self.escaping_all();
        let is_plus = |at| self.writes_plus() && text.as_bytes()[at] == b' ';
        let mut out = String::new();
        let mut copied = 0;
        let mut changed = self.first_changed(text);
        while let Some(start) = changed {
            memory::push_str(&mut out, &text[copied..start]);
            let mut end = start;
            while end < text.len() && !is_plus(end) && !self.keeps(&text.as_bytes()[end..]) {
                end += 1;
            }
            if start < end {
                escape.encode_into(&*bytes(start, &text[start..end])?, &mut out);
            } else {
                memory::push_str(&mut out, "+");
                end += 1;
            }
            copied = end;
            changed = self.first_changed(&text[end..]).map(|after| end + after);
        }
        if copied == 0 {
            return Ok(Cow::Borrowed(text));
        }
        memory::push_str(&mut out, &text[copied..]);
        Ok(Cow::Owned(out))
    }
}

impl DecodeOptions {
    /// Decodes to text in `charset`, and returns where in the input it is not in `charset`, unless `lossy`.
    fn text_in<'a>(&self, charset: Charset, src: &'a [u8], lossy: bool) -> Result<Cow<'a, str>, DecodeError> {
        if charset == Charset::UTF_8 && !lossy {
            return memory::infallible(self.text(Source::Bytes(src)));
        }
        let (bytes, result) = memory::infallible(self.cow(src));
        let text = match bytes {
            Cow::Borrowed(bytes) if lossy => Ok(charset.decode_lossy(bytes)),
            Cow::Borrowed(bytes) => charset.decode(bytes),
            Cow::Owned(bytes) if lossy => Ok(Cow::Owned(memory::owned(charset.decode_lossy(&bytes)))),
            Cow::Owned(bytes) => charset.decode(&bytes).map(|text| Cow::Owned(memory::owned(text))),
        };
        let text = text.map_err(|MalformedError { offset }| {
            DecodeError::new(sink::input_offset(self.for_input(src), src, offset), DecodeErrorKind::InvalidInCharset)
        })?;
        result.error.map_or(Ok(text), Err)
    }
}

/// Returns `text` if it was in UTF-8, or else the text that `otherwise` makes of the input.
fn detected<'a>(
    text: Result<Cow<'a, str>, DecodeError>,
    charset: Charset,
    otherwise: impl FnOnce() -> Result<Cow<'a, str>, DecodeError>,
) -> Result<Detected<'a>, DecodeError> {
    match text {
        Ok(text) => Ok(Detected { text, charset: Charset::UTF_8 }),
        Err(DecodeError { kind: DecodeErrorKind::InvalidUtf8, .. }) => Ok(Detected { text: otherwise()?, charset }),
        Err(error) => Err(error),
    }
}

impl Decoder {
    /// Decodes to text in `charset`; borrows where nothing changes.
    ///
    /// The complete input becomes bytes first, and these become text, once. Characters that are not escaped, or kept, are
    /// bytes too; in a charset that is no superset of US-ASCII they mean other characters.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder, charset::Charset};
    /// let decoder = Decoder::new();
    /// assert_eq!(decoder.decode_charset(Charset::ISO_2022_JP, "%1B$BF|K\\%1B(B")?, "日本");
    /// let error = decoder.decode_charset(Charset::US_ASCII, "%63af%E9").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::InvalidInCharset));
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset in the input of the first byte, or its `%`, that stands for no character in `charset`.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_charset<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), false)
    }

    /// Decodes to text in `charset`, with U+FFFD for bytes that stand for no character there.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Decoder, charset::Charset};
    /// assert_eq!(Decoder::new().decode_charset_lossy(Charset::US_ASCII, "%63af%E9"), "caf\u{FFFD}");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    #[must_use]
    pub fn decode_charset_lossy<'a, I: AsBytes + ?Sized>(&self, charset: Charset, input: &'a I) -> Cow<'a, str> {
        match self.decode(input) {
            Cow::Borrowed(bytes) => charset.decode_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(memory::owned(charset.decode_lossy(&bytes))),
        }
    }

    /// Decodes to text in UTF-8 if all of it is UTF-8, and in `charset` otherwise; the result says in which.
    ///
    /// For links and logs of unknown origin: text of another charset is hardly ever UTF-8 by chance, if it is not
    /// ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Decoder, charset::Charset};
    /// let old = Decoder::new().decode_utf8_or(Charset::WINDOWS_1252, "caf%E9")?;
    /// assert_eq!((&*old.text, old.charset), ("café", Charset::WINDOWS_1252));
    /// let new = Decoder::new().decode_utf8_or(Charset::WINDOWS_1252, "caf%C3%A9")?;
    /// assert_eq!((&*new.text, new.charset), ("café", Charset::UTF_8));
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error with the offset in the input of the first byte, or its `%`, that stands for no character in `charset`.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_utf8_or<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset(charset, input))
    }

    /// Decodes to text in UTF-8 if all of it is UTF-8, and otherwise in `charset`, with U+FFFD for bytes that stand for no
    /// character there.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    #[must_use]
    pub fn decode_utf8_or_lossy<'a, I: AsBytes + ?Sized>(&self, charset: Charset, input: &'a I) -> Detected<'a> {
        match self.decode_utf8(input) {
            Ok(text) => Detected { text, charset: Charset::UTF_8 },
            Err(_) => Detected { text: self.decode_charset_lossy(charset, input), charset },
        }
    }
}

impl CheckedDecoder {
    /// Decodes to text in `charset`; borrows where nothing changes. Of several errors it returns the first in the input.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder, charset::Charset};
    /// let error = Decoder::new().strict().decode_charset(Charset::SHIFT_JIS, "%95%5C%").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (6, DecodeErrorKind::Truncated));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept, or with the offset in the input of the first byte,
    /// or its `%`, that stands for no character in `charset`, whichever comes first.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_charset<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), false)
    }

    /// Decodes to text in `charset`, with U+FFFD for bytes that stand for no character there.
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_charset_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), true)
    }

    /// Decodes to text in UTF-8 if all of it is UTF-8, and in `charset` otherwise; the result says in which.
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept, or with the offset in the input of the first byte,
    /// or its `%`, that stands for no character in `charset`, whichever comes first.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_utf8_or<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset(charset, input))
    }

    /// Decodes to text in UTF-8 if all of it is UTF-8, and otherwise in `charset`, with U+FFFD for bytes that stand for no
    /// character there.
    ///
    /// # Errors
    ///
    /// Returns an error for the first triplet that the decoder does not accept.
    ///
    /// # Panics
    ///
    /// Panics or, as the standard library does, aborts if memory cannot be allocated, for up to three times the bytes.
    pub fn decode_utf8_or_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset_lossy(charset, input))
    }
}

impl Charset {
    /// Decodes what [`Encoder::encode_runs_in_charset`] has written: runs of triplets are text in this charset, and the
    /// characters between them are text already. Borrows where nothing changes. A `%` that starts no triplet is kept;
    /// except for that, `java.net.URLDecoder` does so too.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Plus, charset::Charset};
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
            let text = Decoder::new().decode_charset(self, run);
            text.map_err(|error| error.shifted(at))
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
            decode_runs(input, plus, |_, run| Ok::<_, Infallible>(Decoder::new().decode_charset_lossy(self, run)));
        text
    }
}

/// Copies what is no triplet, its pluses replaced, and the text that `text` makes of each run of triplets, given its offset.
fn decode_runs<'a, E>(
    input: &'a str,
    plus: Plus,
    text: impl for<'r> Fn(usize, &'r str) -> Result<Cow<'r, str>, E>,
) -> Result<Cow<'a, str>, E> {
    // PlusStart between triplets: no triplet is decoded.
    let spaces = Decoder::new().plus(plus).keep(crate::ByteSet::ALL);
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
