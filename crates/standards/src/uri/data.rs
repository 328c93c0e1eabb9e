//! Builds and reads `data:` URLs.
//!
//! The syntax comes from [RFC 2397](https://www.rfc-editor.org/rfc/rfc2397). Reading follows browsers: [Fetch Standard
//! 6](https://fetch.spec.whatwg.org/#data-urls) at commit 586cd2a44c2a of 2 July 2026.
//!
//! ```
//! use percent_standards::uri::data::{self, DataUrl};
//!
//! let url = DataUrl::parse("data:text/html,<p>1+1%20=%202</p>#top").unwrap();
//! assert_eq!(url.media_type(), "text/html");
//! assert_eq!(url.decode()?, &b"<p>1+1 = 2</p>"[..]); // `+` is data, and the fragment isn't part of it
//!
//! assert_eq!(data::build("", "1+1 = 2"), "data:,1+1%20=%202");
//! assert_eq!(data::build_base64("image/gif", b"GIF89a"), "data:image/gif;base64,R0lGODlh");
//! # Ok::<(), percent_standards::uri::UriError>(())
//! ```
#![cfg(feature = "alloc")]

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use percent_simd::{AsBytes, Decoder, Encoder, internal, sets};

use super::{UriError, UriErrorKind};
use crate::memory;

/// Keeps the `urlchar` of RFC 2397 3: `reserved / unreserved / escaped` of RFC 2396, which excludes `#`.
const DATA: Encoder = Encoder::new(sets::RFC2396_URIC);
/// Encodes like [`DATA`], but also escapes `,`, because it would end the media type.
const MEDIA_TYPE: Encoder = Encoder::new(sets::RFC2396_URIC.without(b','));

/// These two escape the bytes that the URL serializer would have escaped.
const C0_CONTROL: Encoder = Encoder::new(sets::WHATWG_C0_CONTROL);
const QUERY: Encoder = Encoder::new(sets::WHATWG_QUERY);

const SCHEME: &str = "data:";

/// The media type of a `data:` URL that has no valid media type (RFC 2397 2).
const DEFAULT: &str = "text/plain;charset=US-ASCII";

/// A `data:` URL, split but not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataUrl<'a> {
    /// The text without its fragment.
    url: &'a str,
    media_type: &'a str,
    base64: bool,
    /// The offset at which the data starts.
    body: usize,
}

impl<'a> DataUrl<'a> {
    /// Splits `url`. If the scheme isn't `data`, or if the URL has no `,`, returns `None`. The case of the scheme
    /// doesn't matter.
    ///
    /// These are steps 2 to 9 of the [`data:` URL processor](https://fetch.spec.whatwg.org/#data-url-processor) in
    /// Fetch Standard 6. In browsers, the URL parser runs before these steps. This call doesn't do three things that
    /// the parser does:
    ///
    /// - It removes tabs and line ends. This call keeps them as data, and [`forgiving_base64`] skips them.
    /// - It removes spaces and C0 controls at both ends of the URL. With one of them at the start, this call returns
    ///   `None`. At the end, this call keeps them as data.
    /// - If `data:` is followed by a `/`, it removes dot segments. If `//` follows, it can refuse the URL.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::data::DataUrl;
    /// assert!(DataUrl::parse("DATA: ;  Base64 ,YQ").is_some_and(|url| url.is_base64()));
    /// assert!(DataUrl::parse("data:base64,YQ").is_some_and(|url| !url.is_base64()));
    /// assert!(DataUrl::parse("data:text/plain").is_none());
    /// assert!(DataUrl::parse("data:text/plain#,a").is_none());
    /// ```
    #[must_use]
    pub fn parse(url: &'a str) -> Option<DataUrl<'a>> {
        let scheme = url.as_bytes().get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME.as_bytes()) {
            return None;
        }
        let url = &url[..memchr::memchr(b'#', url.as_bytes()).unwrap_or(url.len())];
        let comma = memchr::memchr(b',', url.as_bytes())?;
        let written = url[SCHEME.len()..comma].trim_start_matches(is_http_whitespace);
        let media_type = written.trim_end_matches(is_http_whitespace);
        // The URL parser escapes spaces in a query, and in a path that starts with a slash.
        let escapes_spaces = written.contains('?') || url[SCHEME.len()..].starts_with('/');
        let stripped =
            without_base64(media_type).filter(|before| !escapes_spaces || !written[before.len()..].contains(' '));
        Some(DataUrl { url, media_type: stripped.unwrap_or(media_type), base64: stripped.is_some(), body: comma + 1 })
    }

    /// Returns true if the data is base64.
    #[must_use]
    pub const fn is_base64(&self) -> bool {
        self.base64
    }

    /// Returns the media type as it is written, with its parameters and escapes.
    ///
    /// The rules are steps 11 to 14 of [Fetch Standard 6](https://fetch.spec.whatwg.org/#data-url-processor):
    ///
    /// - If the URL has only parameters, `text/plain` is put before them.
    /// - If there is no media type, or if its form isn't `type/subtype`, the result is `text/plain;charset=US-ASCII`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::data::DataUrl;
    /// let media_type = |url| DataUrl::parse(url).unwrap().media_type().into_owned();
    /// assert_eq!(media_type("data:,"), "text/plain;charset=US-ASCII");
    /// assert_eq!(media_type("data:;charset=utf-8;base64,"), "text/plain;charset=utf-8");
    /// assert_eq!(media_type("data:plain,"), "text/plain;charset=US-ASCII");
    /// ```
    #[must_use]
    pub fn media_type(&self) -> Cow<'a, str> {
        let media_type = self.media_type.trim_end_matches(is_http_whitespace);
        if media_type.starts_with(';') {
            return Cow::Owned(memory::concat(&["text/plain", media_type]));
        }
        Cow::Borrowed(if split_mime_type(media_type).is_some() { media_type } else { DEFAULT })
    }

    /// Returns the MIME type as a field `Content-Type` would have it: parsed and serialized.
    ///
    /// The rules are steps 11 to 14 of [Fetch Standard 6](https://fetch.spec.whatwg.org/#data-url-processor), and [MIME
    /// Sniffing Standard 4.4 and 4.5](https://mimesniff.spec.whatwg.org/#parsing-a-mime-type):
    ///
    /// - The type, the subtype and the names of parameters are in lower case, without spaces around them.
    /// - Parameters that are malformed or repeat a name are removed.
    /// - Values are quoted if necessary.
    /// - If the type can't be parsed, the result is `text/plain;charset=US-ASCII`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::data::DataUrl;
    ///
    /// let url = DataUrl::parse("data:Text/HTML; Charset=UTF-8;a;charset=gbk,").unwrap();
    /// assert_eq!(url.mime_type(), "text/html;charset=UTF-8");
    /// assert_eq!(url.media_type(), "Text/HTML; Charset=UTF-8;a;charset=gbk");
    /// assert_eq!(DataUrl::parse("data:text,").unwrap().mime_type(), "text/plain;charset=US-ASCII");
    /// ```
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated, panics or ends the process, as the standard library does.
    #[must_use]
    pub fn mime_type(&self) -> String {
        let default = if self.media_type.starts_with(';') { "text/plain" } else { "" };
        // In the standard, the URL serializer runs before this step, and escapes all bytes that aren't printable ASCII.
        // In a query, it also escapes some others.
        let query = self.media_type.find('?').unwrap_or(self.media_type.len());
        let (path, query) = self.media_type.split_at(query);
        let media_type = [default, &*C0_CONTROL.encode(path), &*QUERY.encode(query)].concat();
        serialized_mime_type(&media_type).unwrap_or_else(|| DEFAULT.into())
    }

    /// Returns the data. It is percent-decoded first. If it is [base64](Self::is_base64), it is then base64-decoded.
    ///
    /// A malformed `%` is kept. [`forgiving_base64`] decodes base64. Borrows from the URL if no change is needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::data::DataUrl;
    /// let url = DataUrl::parse("data:;base64,%59%6D%46%79").unwrap();
    /// assert_eq!(url.decode().unwrap(), &b"bar"[..]);
    /// let url = DataUrl::parse("data:;base64,%59%6D%2D%79").unwrap();
    /// assert_eq!(url.decode().unwrap_err().offset, 19);
    /// assert_eq!(DataUrl::parse("data:,100%").unwrap().decode().unwrap(), &b"100%"[..]);
    /// ```
    ///
    /// # Errors
    ///
    /// For malformed base64, returns an error with the offset in bytes of the URL.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn decode(&self) -> Result<Cow<'a, [u8]>, UriError> {
        const ONCE: Decoder = Decoder::new();
        let body = &self.url.as_bytes()[self.body..];
        let bytes = ONCE.decode(body);
        if !self.base64 {
            return Ok(bytes);
        }
        let data = forgiving_base64(&bytes).map_err(|error| {
            let in_body = internal::input_offset(&ONCE.into(), body, error.offset);
            UriError { offset: self.body + in_body, ..error }
        });
        data.map(Cow::Owned)
    }
}

/// Removes `;` and `base64` from the end of `media_type`. If it doesn't end with them, returns `None`.
fn without_base64(media_type: &str) -> Option<&str> {
    const BASE64: &str = "base64";
    let at = media_type.len().checked_sub(BASE64.len())?;
    let (before, token) = media_type.split_at_checked(at)?;
    let before = before.trim_end_matches(' ').strip_suffix(';')?;
    token.eq_ignore_ascii_case(BASE64).then_some(before)
}

fn is_http_whitespace(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' ')
}

/// Returns true if `text` consists of one or more HTTP token code points.
fn is_token(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}

/// Splits a MIME type into its type, its subtype, and its parameters. The parameters start with `;`.
///
/// If steps 1 to 9 of MIME Sniffing Standard 4.4 fail, returns `None`.
fn split_mime_type(media_type: &str) -> Option<(&str, &str, &str)> {
    let (essence, parameters) = media_type.split_at(media_type.find(';').unwrap_or(media_type.len()));
    let (kind, subtype) = essence.trim_matches(is_http_whitespace).split_once('/')?;
    (is_token(kind) && is_token(subtype)).then_some((kind, subtype, parameters))
}

/// Parses a MIME type that is printable ASCII, and serializes it (MIME Sniffing Standard 4.4 and 4.5).
fn serialized_mime_type(media_type: &str) -> Option<String> {
    let (kind, subtype, mut rest) = split_mime_type(media_type)?;
    let mut mime_type = [kind, "/", subtype].concat().to_ascii_lowercase();
    let mut names = BTreeSet::new();
    while let Some(parameter) = rest.strip_prefix(';') {
        let parameter = parameter.trim_start_matches(is_http_whitespace);
        let (name, after) = parameter.split_at(parameter.find([';', '=']).unwrap_or(parameter.len()));
        let name = name.to_ascii_lowercase();
        let Some(after) = after.strip_prefix('=') else {
            rest = after;
            continue;
        };
        let (value, is_given);
        (value, is_given, rest) = match after.strip_prefix('"') {
            Some(quoted) => {
                let (value, after) = quoted_string(quoted);
                (value, true, &after[after.find(';').unwrap_or(after.len())..])
            }
            None => {
                let (raw, after) = after.split_at(after.find(';').unwrap_or(after.len()));
                let raw = raw.trim_end_matches(is_http_whitespace);
                (raw.into(), !raw.is_empty(), after)
            }
        };
        if is_given && is_token(&name) && !names.contains(&name) {
            mime_type.extend([";", &name, "="]);
            if is_token(&value) {
                mime_type.push_str(&value);
            } else {
                mime_type.push('"');
                mime_type.push_str(&value.replace('\\', r"\\").replace('"', "\\\""));
                mime_type.push('"');
            }
            names.insert(name);
        }
    }
    Some(mime_type)
}

/// Takes the text after the opening quote of an HTTP quoted string. Returns the value of the string, and the text after
/// the closing quote (Fetch Standard 2.2).
fn quoted_string(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '"' => break,
            // If the text ends with a backslash, the backslash means itself.
            '\\' => value.push(characters.next().unwrap_or(c)),
            c => value.push(c),
        }
    }
    (value, characters.as_str())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each base64 character. For every other byte, it is 64.
const VALUES: [u8; 256] = {
    let mut values = [64; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// Decodes base64 as browsers do ([Infra Standard 7, "forgiving-base64 decode"][infra]).
///
/// ASCII whitespace is skipped, the `=` at the end may be missing, and bits that don't fill a whole byte are dropped.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::data::forgiving_base64;
/// assert_eq!(forgiving_base64("YW\nJ j").unwrap(), b"abc");
/// assert_eq!(forgiving_base64("YQ").unwrap(), forgiving_base64("YQ==").unwrap());
/// assert_eq!(forgiving_base64("YQ=").unwrap_err().offset, 2);
/// assert_eq!(forgiving_base64("YWJjZ").unwrap_err().offset, 5);
/// ```
///
/// [infra]: https://infra.spec.whatwg.org/#forgiving-base64-decode
///
/// # Errors
///
/// For malformed base64, returns an error with the offset in bytes of `input`.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
pub fn forgiving_base64<I: AsBytes + ?Sized>(input: &I) -> Result<Vec<u8>, UriError> {
    let input = input.as_bytes();
    let fault = |offset| Err(UriError { offset, kind: UriErrorKind::Base64 });
    let mut bytes = memory::vec(input.len() / 4 * 3 + 3);
    // The lowest 24 bits are the last four characters. The higher bits are from earlier characters.
    let (mut bits, mut characters) = (0u32, 0usize);
    let mut characters_of = input.iter().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace());
    let mut padding = None;
    for (offset, &byte) in characters_of.by_ref() {
        let value = VALUES[usize::from(byte)];
        if value == 64 {
            padding = Some((offset, byte));
            break;
        }
        bits = bits << 6 | u32::from(value);
        characters += 1;
        if characters.is_multiple_of(4) {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
        }
    }
    if let Some((offset, byte)) = padding {
        // From this byte on, the text may only have the one or two `=` that complete the group of four.
        let more = characters_of.map(|(_, &byte)| byte);
        let expected: &[u8] = match characters % 4 {
            2 => b"=",
            3 => b"",
            _ => return fault(offset),
        };
        if byte != b'=' || !more.eq(expected.iter().copied()) {
            return fault(offset);
        }
    }
    match characters % 4 {
        1 => return fault(input.len()),
        2 => bytes.push((bits >> 4) as u8),
        3 => bytes.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        _ => {}
    }
    Ok(bytes)
}

/// Builds a `data:` URL of percent-encoded data (RFC 2397 3). Use it for text.
///
/// `media_type` may have parameters. If it is empty, it means `text/plain;charset=US-ASCII`. In both arguments,
/// characters that a URL can't contain are escaped.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::data::build;
/// assert_eq!(build("text/plain;charset=utf-8", "#1 — né"),
/// "data:text/plain;charset=utf-8,%231%20%E2%80%94%20n%C3%A9");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn build<D: AsBytes + ?Sized>(media_type: &str, data: &D) -> String {
    let mut url = head(media_type);
    // `;base64` would make the data base64. With an escaped `4`, it is a parameter of the media type.
    if without_base64(&url).is_some() {
        url.truncate(url.len() - 1);
        memory::push_str(&mut url, "%34");
    }
    memory::push_str(&mut url, ",");
    DATA.encode_into(data, &mut url);
    url
}

/// Builds a `data:` URL of base64 data, padded with `=` (RFC 4648 4). Use it for data that isn't text.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[must_use]
pub fn build_base64<D: AsBytes + ?Sized>(media_type: &str, data: &D) -> String {
    let mut url = head(media_type);
    memory::push_str(&mut url, ";base64,");
    let data = data.as_bytes();
    memory::infallible(url.try_reserve(data.len().div_ceil(3).saturating_mul(4)));
    for chunk in data.chunks(768) {
        let mut characters = [b'='; 1024];
        for (four, three) in characters.chunks_exact_mut(4).zip(chunk.chunks(3)) {
            let mut bytes = [0; 4];
            bytes[1..=three.len()].copy_from_slice(three);
            let bits = u32::from_be_bytes(bytes);
            for (i, character) in four.iter_mut().take(three.len() + 1).enumerate() {
                *character = ALPHABET[(bits >> (18 - 6 * i)) as usize & 63];
            }
        }
        // `DATA` keeps every base64 character, so this call only appends them.
        DATA.encode_into(&characters[..4 * chunk.len().div_ceil(3)], &mut url);
    }
    url
}

fn head(media_type: &str) -> String {
    let mut url = memory::text(SCHEME);
    MEDIA_TYPE.encode_into(media_type, &mut url);
    url
}
