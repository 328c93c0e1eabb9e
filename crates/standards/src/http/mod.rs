//! Percent-encoding in HTTP fields: parameters, file names, baggage, cookies, and messages of gRPC.
//!
//! These values aren't URIs, and each kind of value has its own set.
//!
//! | you want | use |
//! | --- | --- |
//! | to read or write `Content-Disposition`, for example a download's file name | `ContentDisposition` |
//! | a parameter of another field, or of a mail, even if it is split into `name*0*`, `name*1*` | `Parameters` |
//! | one value of `filename*` or `title*`, strictly | `ExtValue` |
//! | the field `baggage` | `baggage` |
//! | another list of `name=value` | [`pairs`] |
//! | the value of a cookie | `encode_cookie_value`, `decode_cookie_value` |
//! | the field `grpc-message` | `encode_grpc_message`, `decode_grpc_message` |
//! | the name of a field or file in `multipart/form-data` | `multipart_unescape` |
//!
//! ```
//! use percent_standards::http;
//!
//! let value = http::ExtValue::parse("UTF-8'en'%C2%A3%20rates")?;
//! assert_eq!((value.value(), value.language()), ("£ rates", "en"));
//! assert_eq!(http::ExtValue::new("€ rates").to_string(), "UTF-8''%E2%82%AC%20rates");
//!
//! assert_eq!(http::encode_cookie_value("a; b=\"c\""), "a%3B%20b=%22c%22");
//! assert_eq!(http::encode_grpc_message("100 %: é"), "100 %25: %C3%A9");
//! # Ok::<(), http::FieldError>(())
//! ```
//!
//! The set of an encoder has the bytes that stay. So to encode every byte, use the empty set:
//!
//! ```
//! use percent_simd::{ByteSet, Encoder};
//! assert_eq!(Encoder::new(ByteSet::EMPTY).encode("AB"), "%41%42");
//! ```

#[cfg(feature = "alloc")]
pub mod baggage;
#[cfg(feature = "alloc")]
mod content_disposition;
mod error;
#[cfg(feature = "alloc")]
pub(crate) mod multipart;
mod pairs;
#[cfg(feature = "alloc")]
mod parameters;
mod text;

use core::fmt;

use percent_simd::{AsBytes, Decoder, Encoder, RawEncoder, internal, sets};

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

#[cfg(feature = "alloc")]
pub use content_disposition::ContentDisposition;
pub use error::{FieldError, FieldErrorKind};
#[cfg(feature = "alloc")]
pub use multipart::multipart_unescape;
pub use pairs::{ListPair, Pairs, pairs};
#[cfg(feature = "alloc")]
pub use parameters::Parameters;

/// The character encoding that an `ext-value` names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExtCharset {
    /// `UTF-8`, the only encoding that this crate writes ([RFC 8187
    /// 3.2.1](https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1)).
    #[default]
    Utf8,
    /// `ISO-8859-1`. [RFC 5987 3.2.1](https://www.rfc-editor.org/rfc/rfc5987#section-3.2.1) required recipients to
    /// support it, too.
    Iso8859_1,
}

/// The value of a parameter whose name ends in `*`: `ext-value = charset "'" [ language ] "'" value-chars`
/// ([RFC 8187 3.2.1](https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1)).
///
/// `Display` always writes UTF-8, because producers must not use any other charset.
///
/// # Examples
///
/// ```
/// use percent_standards::http::ExtValue;
/// let value = ExtValue::parse("iso-8859-1'en'%A3%20rates")?;
/// assert_eq!(value.value(), "£ rates");
/// assert_eq!(value.to_string(), "UTF-8'en'%C2%A3%20rates");
/// # Ok::<(), percent_standards::http::FieldError>(())
/// ```
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExtValue<'a> {
    charset: ExtCharset,
    language: &'a str,
    value: Cow<'a, str>,
}

#[cfg(feature = "alloc")]
impl<'a> ExtValue<'a> {
    /// Creates a value without a language.
    #[must_use]
    pub fn new(value: impl Into<Cow<'a, str>>) -> ExtValue<'a> {
        ExtValue { charset: ExtCharset::Utf8, language: "", value: value.into() }
    }

    /// Sets the language by its tag ([RFC 5646 2.1](https://www.rfc-editor.org/rfc/rfc5646#section-2.1)).
    ///
    /// A tag consists of subtags, and each has one to eight letters and digits. `-` separates the subtags. The empty
    /// string means that there is no language.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::ExtValue;
    /// assert_eq!(ExtValue::new("é").with_language("fr-CA")?.to_string(), "UTF-8'fr-CA'%C3%A9");
    /// assert_eq!(ExtValue::new("é").with_language("f'r").unwrap_err().offset, 1);
    /// # Ok::<(), percent_standards::http::FieldError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `language` doesn't have the form of a language tag, returns an error with the offset in `language`.
    pub fn with_language(self, language: &'a str) -> Result<ExtValue<'a>, FieldError> {
        match wrong_language(language.as_bytes()) {
            Some(at) => Err(FieldError::new(at, FieldErrorKind::Language)),
            None => Ok(ExtValue { language, ..self }),
        }
    }

    /// Reads an `ext-value`.
    ///
    /// After an error, ignore the parameter. If the field also has the parameter with the same name but without the
    /// `*`, use that one (RFC 8187 4.2).
    ///
    /// If the value has no triplets, it is borrowed. It may contain any character, including control characters and
    /// `/`. Check it before you use it as a file name ([RFC 6266
    /// 4.3](https://www.rfc-editor.org/rfc/rfc6266#section-4.3)).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::http::{ExtValue, FieldErrorKind};
    /// let error = ExtValue::parse("UTF-8''a b").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (8, FieldErrorKind::Character));
    /// let error = ExtValue::parse("UTF-8''%FC").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (7, FieldErrorKind::InvalidUtf8));
    /// ```
    ///
    /// # Errors
    ///
    /// If `input` isn't an extended value, returns an error with the offset in bytes of `input`.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated. This holds for all functions of this module.
    pub fn parse<I: AsBytes + ?Sized>(input: &'a I) -> Result<ExtValue<'a>, FieldError> {
        let src = input.as_bytes();
        let mut quotes = memchr::memchr_iter(b'\'', src);
        let (Some(first), Some(second)) = (quotes.next(), quotes.next()) else {
            return Err(FieldError::new(src.len(), FieldErrorKind::Quote));
        };
        let charset = if src[..first].eq_ignore_ascii_case(b"UTF-8") {
            ExtCharset::Utf8
        } else if src[..first].eq_ignore_ascii_case(b"ISO-8859-1") {
            ExtCharset::Iso8859_1
        } else {
            return Err(FieldError::new(0, FieldErrorKind::Charset));
        };
        let start = first + 1;
        let language = match (wrong_language(&src[start..second]), str::from_utf8(&src[start..second])) {
            (None, Ok(language)) => language,
            (at, _) => return Err(FieldError::new(start + at.unwrap_or(0), FieldErrorKind::Language)),
        };
        let start = second + 1;
        let value = value(charset, &src[start..]).map_err(|error| FieldError::new(start + error.offset, error.kind))?;
        Ok(ExtValue { charset, language, value })
    }

    /// Returns the value as text.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the value as text, borrowed if possible.
    #[must_use]
    pub fn into_value(self) -> Cow<'a, str> {
        self.value
    }

    /// Returns the language tag. If the value has no language, the tag is empty.
    #[must_use]
    pub fn language(&self) -> &'a str {
        self.language
    }

    /// Returns the charset that the input named. If the value was created by [`new`](Self::new), this is UTF-8.
    #[must_use]
    pub fn charset(&self) -> ExtCharset {
        self.charset
    }
}

#[cfg(feature = "alloc")]
impl fmt::Display for ExtValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ENCODER: Encoder = Encoder::new(sets::RFC8187_ATTR_CHAR);
        write!(f, "UTF-8'{}'", self.language)?;
        ENCODER.encode_fmt(&*self.value, f)
    }
}

/// Returns the offset of the first error in a language tag. If the tag is valid or empty, returns `None`.
fn wrong_language(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    for subtag in tag.split(|&byte| byte == b'-') {
        let letters = subtag.iter().take(8).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if letters < subtag.len() || subtag.is_empty() && !tag.is_empty() {
            return Some(at + letters);
        }
        at += subtag.len() + 1;
    }
    None
}

/// Decodes `value-chars = *( pct-encoded / attr-char )` to text.
#[cfg(feature = "alloc")]
fn value(charset: ExtCharset, src: &[u8]) -> Result<Cow<'_, str>, FieldError> {
    const CHARS: RawEncoder = RawEncoder::new(sets::RFC8187_ATTR_CHAR).keep_triplets();
    const DECODER: Decoder = Decoder::new();
    let wrong = CHARS.first_changed(src);
    let value = &src[..wrong.unwrap_or(src.len())];
    let text = match charset {
        ExtCharset::Utf8 => DECODER.decode_utf8(value)?,
        ExtCharset::Iso8859_1 => match DECODER.decode_utf8(value) {
            Ok(text) if text.is_ascii() => text,
            _ => text::latin1(DECODER.decode(value)),
        },
    };
    match wrong {
        None => Ok(text),
        Some(at) if src[at] != b'%' => Err(FieldError::new(at, FieldErrorKind::Character)),
        Some(at) => Err(internal::malformed(src, at).into()),
    }
}

/// Encodes any bytes as a `cookie-value` ([RFC 6265 4.1.1](https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1)).
///
/// Each byte that isn't a `cookie-octet`, and each `%`, becomes a triplet. [`decode_cookie_value`] is the inverse. No
/// standard requires this encoding. Each server chooses its own encoding. Borrows `input` if no change is needed.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::http::encode_cookie_value("50%, \"é\""), "50%25%2C%20%22%C3%A9%22");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_cookie_value<I: AsBytes + ?Sized>(input: &I) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(sets::COOKIE_VALUE_DATA);
    ENCODER.encode(input)
}

/// Decodes a value that [`encode_cookie_value`] encoded.
///
/// Keeps a malformed `%`, because another server may have written it without an encoding. Keeps quotes around the
/// value, because they are part of it (RFC 6265 5.2). Borrows `value` if no change is needed.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::http::decode_cookie_value("50%25%20100%"), &b"50% 100%"[..]);
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn decode_cookie_value<I: AsBytes + ?Sized>(value: &I) -> Cow<'_, [u8]> {
    Decoder::new().decode(value)
}

/// Encodes a message for the field `grpc-message`
/// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses)).
///
/// The characters of ASCII from the space to `~` stay, except `%`. Borrows `message` if no change is needed.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::http::encode_grpc_message("é: 100%\n"), "%C3%A9: 100%25%0A");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn encode_grpc_message(message: &str) -> Cow<'_, str> {
    const ENCODER: Encoder = Encoder::new(sets::GRPC_MESSAGE);
    ENCODER.encode(message)
}

/// Decodes the message in a field `grpc-message`. As the specification requires, this can't fail.
///
/// A malformed `%` is copied, and bytes that aren't UTF-8 become U+FFFD. Borrows `field` if no change is needed.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::http::decode_grpc_message("%C3%A9: 100% %FF"), "é: 100% \u{FFFD}");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn decode_grpc_message<I: AsBytes + ?Sized>(field: &I) -> Cow<'_, str> {
    Decoder::new().decode_utf8_lossy(field)
}
