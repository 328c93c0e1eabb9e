//! Percent-encoding of text in a charset, and back.

use alloc::borrow::Cow;
use alloc::string::String;
use core::convert::Infallible;

use super::{Charset, MalformedError, UnmappableError};
use crate::decode::DecodeOptions;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::input::AsBytes;
use crate::{CheckedDecoder, Decoder, Encoder, Plus, sink};

/// What text in UTF-8 or another charset came to. Made by [`Decoder::decode_utf8_or`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// What it was in: UTF-8, or the charset that was given for the case that it isn't.
    pub charset: Charset,
}

/// Bytes of output for a byte of text, at most.
const GROWTH: usize = 24;

impl Charset {
    /// How long `text_len` bytes of text can become, in bytes, in any charset, with any set, by the calls to encode of
    /// this module: 24 times as long; `None` if a `usize` can't say.
    ///
    /// What gets that long is U+000E in ISO-2022-JP: it becomes a reference to U+FFFD, of which a set may let nothing
    /// stay.
    ///
    /// ```
    /// use percent_simd::{ByteSet, Encoder, charset::Charset};
    /// let long = Encoder::new(ByteSet::EMPTY).encode_octets_html(Charset::ISO_2022_JP, "\u{E}");
    /// assert_eq!(long, "%26%23%36%35%35%33%33%3B"); // &#65533;
    /// assert_eq!(Charset::max_encoded_len(1), Some(long.len()));
    /// ```
    #[must_use]
    pub const fn max_encoded_len(text_len: usize) -> Option<usize> {
        text_len.checked_mul(GROWTH)
    }
}

impl Encoder {
    /// Takes `text` to bytes, all of it, and encodes those (RFC 3986 2.5; URL Standard 1.3, "percent-encode after
    /// encoding", but for errors); or says which character has no bytes.
    ///
    /// In a charset that is no superset of US-ASCII what stays is not what stood in the text: in UTF-16BE `A` is
    /// `%00A`.
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
    /// # Panics
    /// As `String` does, where memory cannot be had.
    pub fn encode_in_charset<'a>(&self, charset: Charset, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        charset.encode(text).map(|octets| self.encode_cow(octets))
    }

    /// The same with a decimal numeric character reference in place of each character without bytes, as if it stood in
    /// the text; so whether its `&` and `;` are encoded is up to the set.
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::RFC3986_SEGMENT);
    /// assert_eq!(encoder.encode_octets_html(Charset::US_ASCII, "é/"), "&%23233;%2F");
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[must_use]
    pub fn encode_octets_html<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        self.encode_cow(charset.encode_html(text))
    }

    fn encode_cow<'a>(&self, octets: Cow<'a, [u8]>) -> Cow<'a, str> {
        match octets {
            Cow::Borrowed(octets) => self.encode(octets),
            Cow::Owned(octets) => Cow::Owned(self.encode_to_string(&octets)),
        }
    }

    /// Leaves the characters of the set as they are, in US-ASCII, takes the text between them to bytes, run by run,
    /// and makes each of those a triplet; or says which character has no bytes. So does `java.net.URLEncoder`.
    ///
    /// [`Charset::decode_characters`] is the way back.
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::WHATWG_FORM).space_to_plus();
    /// assert_eq!(encoder.encode_runs_in_charset(Charset::UTF_16BE, "A/ é")?, "A%00%2F+%00%E9");
    /// # Ok::<(), percent_simd::charset::UnmappableError>(())
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    pub fn encode_runs_in_charset<'a>(&self, charset: Charset, text: &'a str) -> Result<Cow<'a, str>, UnmappableError> {
        self.encode_runs(text, |at, run| {
            charset.encode(run).map_err(|error| UnmappableError { offset: at + error.offset, ..error })
        })
    }

    /// The same with a decimal numeric character reference in place of each character without bytes, as if it stood in
    /// the text.
    ///
    /// ```
    /// use percent_simd::{Encoder, charset::Charset, sets};
    /// let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// assert_eq!(encoder.encode_characters_html(Charset::IBM037, "A €"), "A%40%50%7B8364%5E"); // A &#8364;
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[must_use]
    pub fn encode_characters_html<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        match charset.referenced(text) {
            Cow::Borrowed(text) => self.encode_mappable(charset, text),
            Cow::Owned(text) => Cow::Owned(self.encode_mappable(charset, &text).into_owned()),
        }
    }

    fn encode_mappable<'a>(&self, charset: Charset, text: &'a str) -> Cow<'a, str> {
        let Ok(encoded) = self.encode_runs(text, |_, run| Ok::<_, Infallible>(charset.encode_html(run)));
        encoded
    }

    /// Copies the characters that stay, and makes triplets of what `bytes` makes of each run between, with its offset.
    fn encode_runs<'a, E>(
        &self,
        text: &'a str,
        octets: impl for<'r> Fn(usize, &'r str) -> Result<Cow<'r, [u8]>, E>,
    ) -> Result<Cow<'a, str>, E> {
        let escape = self.escaping_all();
        let is_plus = |at| self.writes_plus() && text.as_bytes()[at] == b' ';
        let mut out = String::new();
        let mut copied = 0;
        let mut changed = self.first_changed(text);
        while let Some(start) = changed {
            out.push_str(&text[copied..start]);
            let mut end = start;
            while end < text.len() && !is_plus(end) && !self.keeps(&text.as_bytes()[end..]) {
                end += 1;
            }
            if start < end {
                escape.encode_into(&*octets(start, &text[start..end])?, &mut out);
            } else {
                out.push('+');
                end += 1;
            }
            copied = end;
            changed = self.first_changed(&text[end..]).map(|after| end + after);
        }
        if copied == 0 {
            return Ok(Cow::Borrowed(text));
        }
        out.push_str(&text[copied..]);
        Ok(Cow::Owned(out))
    }
}

impl DecodeOptions {
    /// The decoded text, and where in the input it is not in `charset`, unless `lossy`; or what else is wrong.
    fn text_in<'a>(&self, charset: Charset, src: &'a [u8], lossy: bool) -> Result<Cow<'a, str>, DecodeError> {
        if charset == Charset::UTF_8 && !lossy {
            return sink::infallible(self.text(src));
        }
        let (octets, outcome) = sink::infallible(self.cow(src));
        let text = match octets {
            Cow::Borrowed(octets) if lossy => Ok(charset.decode_lossy(octets)),
            Cow::Borrowed(octets) => charset.decode(octets),
            Cow::Owned(octets) if lossy => Ok(Cow::Owned(charset.decode_lossy(&octets).into_owned())),
            Cow::Owned(octets) => charset.decode(&octets).map(|text| Cow::Owned(text.into_owned())),
        };
        let text = text.map_err(|MalformedError { offset }| {
            DecodeError::new(sink::input_offset(self.for_input(src), src, offset), DecodeErrorKind::InvalidInCharset)
        })?;
        outcome.error.map_or(Ok(text), Err)
    }
}

/// `text`, which was in UTF-8, or what `otherwise` makes of the input if it wasn't.
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
    /// The decoded text, in `charset`; `input` itself where nothing changes; or where in the input it is not in that.
    ///
    /// The complete input becomes bytes first, and these become text, once. What is not escaped, or kept, are bytes
    /// too; in a charset that is no superset of US-ASCII they are other characters than they look like.
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
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_charset<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), false)
    }

    /// The decoded text, in `charset`, with U+FFFD for what is not in that.
    ///
    /// ```
    /// use percent_simd::{Decoder, charset::Charset};
    /// assert_eq!(Decoder::new().decode_charset_lossy(Charset::US_ASCII, "%63af%E9"), "caf\u{FFFD}");
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    #[must_use]
    pub fn decode_charset_lossy<'a, I: AsBytes + ?Sized>(&self, charset: Charset, input: &'a I) -> Cow<'a, str> {
        match self.decode(input) {
            Cow::Borrowed(octets) => charset.decode_lossy(octets),
            Cow::Owned(octets) => Cow::Owned(charset.decode_lossy(&octets).into_owned()),
        }
    }

    /// The decoded text, in UTF-8 if all of it is that, in `charset` if not; and in which it was; or where in the input
    /// it is in neither.
    ///
    /// For links and logs of unknown origin: text of another charset is hardly ever UTF-8 by chance, if it is not
    /// ASCII.
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
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_utf8_or<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset(charset, input))
    }

    /// The decoded text, in UTF-8 if all of it is that, in `charset`, with U+FFFD for what is not in that, otherwise;
    /// and in which it was.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    #[must_use]
    pub fn decode_utf8_or_lossy<'a, I: AsBytes + ?Sized>(&self, charset: Charset, input: &'a I) -> Detected<'a> {
        match self.decode_utf8(input) {
            Ok(text) => Detected { text, charset: Charset::UTF_8 },
            Err(_) => Detected { text: self.decode_charset_lossy(charset, input), charset },
        }
    }
}

impl CheckedDecoder {
    /// The decoded text, in `charset`; `input` itself where nothing changes; or what is wrong with it, and where. Of
    /// several errors the one that is first in the input is told.
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder, charset::Charset};
    /// let error = Decoder::new().strict().decode_charset(Charset::SHIFT_JIS, "%95%5C%").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (6, DecodeErrorKind::Truncated));
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_charset<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), false)
    }

    /// The decoded text, in `charset`, with U+FFFD for what is not in that; or which escape is wrong.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_charset_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Cow<'a, str>, DecodeError> {
        self.options().text_in(charset, input.as_bytes(), true)
    }

    /// The decoded text, in UTF-8 if all of it is that, in `charset` if not; and in which it was; or what is wrong.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_utf8_or<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset(charset, input))
    }

    /// The decoded text, in UTF-8 if all of it is that, in `charset`, with U+FFFD for what is not in that, otherwise;
    /// and in which it was; or which escape is wrong.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_utf8_or_lossy<'a, I: AsBytes + ?Sized>(
        &self,
        charset: Charset,
        input: &'a I,
    ) -> Result<Detected<'a>, DecodeError> {
        detected(self.decode_utf8(input), charset, || self.decode_charset_lossy(charset, input))
    }
}

impl Charset {
    /// Decodes what [`Encoder::encode_runs_in_charset`] has written: triplets, run by run, are text in this charset; what
    /// stands between them is text already. `input` itself where nothing changes; or where in the input a triplet is
    /// not in the charset. A `%` that starts no triplet is kept. So does `java.net.URLDecoder`, but for that.
    ///
    /// ```
    /// use percent_simd::{Plus, charset::Charset};
    /// assert_eq!(Charset::UTF_16BE.decode_characters("A%00%2F+%00%E9", Plus::Always)?, "A/ é");
    /// let error = Charset::UTF_16BE.decode_characters("100%, %00%2F%00", Plus::Never).unwrap_err();
    /// assert_eq!(error.offset, 12);
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    pub fn decode_characters(self, input: &str, plus: Plus) -> Result<Cow<'_, str>, DecodeError> {
        decode_runs(input, plus, |at, run| {
            let text = Decoder::new().decode_charset(self, run);
            text.map_err(|error| error.shifted(at))
        })
    }

    /// The same with U+FFFD for what is not in the charset.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had for three times the bytes.
    #[must_use]
    pub fn decode_characters_lossy(self, input: &str, plus: Plus) -> Cow<'_, str> {
        let Ok(text) =
            decode_runs(input, plus, |_, run| Ok::<_, Infallible>(Decoder::new().decode_charset_lossy(self, run)));
        text
    }
}

/// Copies what is no triplet, with its pluses, and what `text` makes of each run of triplets, with its offset.
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
        out.push_str(&input[copied..start]);
        out.push_str(&text(start, &input[start..end])?);
        (copied, rest) = (end, end);
    }
    if copied == 0 {
        return Ok(input);
    }
    out.push_str(&input[copied..]);
    Ok(Cow::Owned(out))
}
