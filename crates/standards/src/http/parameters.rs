//! Reads the parameters of a field: `; name=value; name*=UTF-8''value; name*0=val; name*1=ue`.
//!
//! A parameter can be written in four ways. If a field has several of them, the first row of this table that can be
//! read wins. The order in the field doesn't matter:
//!
//! | form | specification |
//! | --- | --- |
//! | `name*=UTF-8''%E2%82%AC` | RFC 8187 3.2, RFC 6266 4.3 |
//! | `name*0*=UTF-8''%E2; name*1*=%82%AC; name*2=.txt` | RFC 2231 3 and 4.1 |
//! | `name="a \"quoted\" value"` | RFC 9110 5.6.6 |
//! | `name=value` | RFC 9110 5.6.6 |
//!
//! A character may be split over two sections, so the octets of all sections are joined first. Then the charset is
//! decoded once.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use percent_simd::{AsBytes, Decoder};

use super::text;
use crate::memory;

/// The parameters of a field such as `Content-Disposition` or `Content-Type`, read as leniently as browsers and mail
/// programs do.
///
/// - Names are compared without regard to case. The first of several equal parameters counts.
/// - A value that isn't quoted ends at the next `;`, so it may contain spaces and characters that tokens don't allow.
/// - A quoted string without an end goes to the end of the field. Text between its end and the next `;` is ignored.
/// - A value with `*` may be quoted. Its charset is `UTF-8` (also as `utf8`, or empty) or `ISO-8859-1` (also as `latin1`).
///   If it has another charset, no `'`, or invalid UTF-8, it is ignored. A malformed `%` stays.
/// - Raw bytes that aren't UTF-8 are read as ISO-8859-1.
///
/// To read one `name*` strictly, use [`ExtValue`](super::ExtValue).
///
/// # Examples
///
/// ```
/// use percent_standards::http::Parameters;
///
/// // RFC 2231 3 and 4.1: the character is split over two sections.
/// let parameters = Parameters::of("application/x; name*0*=UTF-8''%E2%98; NAME*1*=%83; name*2=\".txt\"");
/// assert_eq!(parameters.get("name").unwrap(), "☃.txt");
///
/// let parameters = Parameters::of("attachment; filename=\"a;b\"; title*=UTF-8'en'%C2%A3; title=L");
/// assert_eq!(parameters.get("filename").unwrap(), "a;b");
/// assert_eq!(parameters.get("title").unwrap(), "£");
/// assert_eq!(parameters.get("size"), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The field from its first `;` on, or from its start if it begins with a parameter.
    rest: &'a [u8],
    /// True if a `\` in a quoted string is an ordinary character.
    literal_backslash: bool,
}

impl<'a> Parameters<'a> {
    /// Takes the parameters of a field: the text after the first `;`, or the whole field if there is a `=` before it.
    #[must_use]
    pub fn of<I: AsBytes + ?Sized>(field: &'a I) -> Parameters<'a> {
        split(field.as_bytes()).1
    }

    pub(super) const fn with_literal_backslash(self, literal_backslash: bool) -> Parameters<'a> {
        Parameters { literal_backslash, ..self }
    }

    /// Returns the value of the parameter `name`, decoded. `name` has no `*`.
    ///
    /// Takes time in proportion to the field, and sorts the sections of `name`. Borrows from the field if no change is
    /// needed.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let (mut extended, mut plain) = (None, None);
        let mut sections = Vec::new();
        for (place, parameter) in self.iter().enumerate() {
            let Some(kind) = kind_of(parameter.name, name.as_bytes()) else { continue };
            match kind {
                Kind::Plain => plain = plain.or(Some(parameter)),
                Kind::Extended => extended = extended.or_else(|| extended_text(parameter.value())),
                Kind::Section(number, is_encoded) => {
                    memory::push(&mut sections, Section { number, place, is_encoded, parameter });
                }
            }
        }
        let joined = || joined_text(sections);
        extended.or_else(joined).or_else(|| plain.map(|parameter| text_of(parameter.value())))
    }

    const fn iter(&self) -> Iter<'a> {
        Iter { rest: self.rest, literal_backslash: self.literal_backslash }
    }
}

/// Splits a field into its first element and its parameters. If a `=` comes before the first `;`, the field has only
/// parameters.
pub(super) fn split(field: &[u8]) -> (&[u8], Parameters<'_>) {
    let (first, rest) = match memchr::memchr2(b';', b'=', field) {
        Some(at) if field[at] == b';' => (&field[..at], &field[at + 1..]),
        Some(_) => (&field[..0], field),
        None => (field, &field[field.len()..]),
    };
    (first.trim_ascii(), Parameters { rest, literal_backslash: false })
}

/// A parameter as it is written.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    name: &'a [u8],
    /// The text inside the quotes, or the trimmed text.
    raw: &'a [u8],
    /// True if `raw` has a `\` that escapes the next byte (RFC 9110 5.6.4, `quoted-pair`).
    has_pairs: bool,
}

impl<'a> Parameter<'a> {
    /// Returns the value without `quoted-pair`s.
    fn value(&self) -> Cow<'a, [u8]> {
        if !self.has_pairs {
            return Cow::Borrowed(self.raw);
        }
        let mut value = memory::vec(self.raw.len());
        let mut rest = self.raw.iter();
        while let Some(&byte) = rest.next() {
            let byte = if byte == b'\\' { *rest.next().unwrap_or(&byte) } else { byte };
            value.push(byte);
        }
        Cow::Owned(value)
    }
}

struct Iter<'a> {
    rest: &'a [u8],
    literal_backslash: bool,
}

impl<'a> Iterator for Iter<'a> {
    type Item = Parameter<'a>;

    fn next(&mut self) -> Option<Parameter<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let end = memchr::memchr2(b';', b'=', self.rest).unwrap_or(self.rest.len());
            let (name, after) = self.rest.split_at(end);
            let Some(after) = after.strip_prefix(b"=") else {
                // An element without `=` is no parameter.
                self.rest = after.get(1..).unwrap_or_default();
                continue;
            };
            let name = name.trim_ascii();
            let after = after.trim_ascii_start();
            let (raw, has_pairs, after) = match after.strip_prefix(b"\"") {
                Some(quoted) => self.quoted(quoted),
                None => {
                    let (raw, after) = after.split_at(memchr::memchr(b';', after).unwrap_or(after.len()));
                    (raw.trim_ascii_end(), false, after)
                }
            };
            self.rest = memchr::memchr(b';', after).map_or(&after[after.len()..], |at| &after[at + 1..]);
            return Some(Parameter { name, raw, has_pairs });
        }
    }
}

impl<'a> Iter<'a> {
    /// Splits the content of a quoted string from the text after its `"`. Also returns true if the content has a
    /// `quoted-pair`.
    fn quoted(&self, text: &'a [u8]) -> (&'a [u8], bool, &'a [u8]) {
        let escape = if self.literal_backslash { b'"' } else { b'\\' };
        let (mut at, mut has_pairs) = (0, false);
        while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', escape, rest)) {
            at += found;
            if text[at] == b'"' {
                return (&text[..at], has_pairs, &text[at + 1..]);
            }
            has_pairs = true;
            at += 2;
        }
        (text, has_pairs, &text[text.len()..])
    }
}

/// How a parameter is written.
enum Kind {
    Plain,
    /// `name*`
    Extended,
    /// `name*1`, or `name*1*` if it is percent-encoded.
    Section(u32, bool),
}

/// A section of a parameter. Sections sort by their number, then by their place in the field.
struct Section<'a> {
    number: u32,
    place: usize,
    is_encoded: bool,
    parameter: Parameter<'a>,
}

/// Returns how a parameter is written if it belongs to `name`.
fn kind_of(written: &[u8], name: &[u8]) -> Option<Kind> {
    let (base, suffix) = written.split_at_checked(name.len())?;
    if !base.eq_ignore_ascii_case(name) {
        return None;
    }
    match suffix {
        b"" => Some(Kind::Plain),
        b"*" => Some(Kind::Extended),
        [b'*', section @ ..] => {
            let (digits, is_encoded) = match section {
                [digits @ .., b'*'] => (digits, true),
                digits => (digits, false),
            };
            // RFC 2231 7: no leading zeros.
            if digits.len() > 1 && digits.starts_with(b"0") || !digits.iter().all(u8::is_ascii_digit) {
                return None;
            }
            let number = str::from_utf8(digits).ok()?.parse().ok()?;
            Some(Kind::Section(number, is_encoded))
        }
        _ => None,
    }
}

/// Joins the sections from 0 to the first missing number. Returns `None` if there is no section 0.
fn joined_text<'a>(mut sections: Vec<Section<'_>>) -> Option<Cow<'a, str>> {
    sections.sort_unstable_by_key(|section| (section.number, section.place));
    // The first of several equal sections counts.
    sections.dedup_by_key(|section| section.number);
    let mut charset = Charset::Utf8;
    let mut octets: Vec<u8> = Vec::new();
    for (section, expected) in sections.iter().zip(0..) {
        if section.number != expected {
            break;
        }
        let value = section.parameter.value();
        if !section.is_encoded {
            memory::extend(&mut octets, &value);
            continue;
        }
        let mut chars = &*value;
        if expected == 0 {
            (charset, chars) = split_charset(chars)?;
        }
        memory::extend(&mut octets, &Decoder::new().decode(chars));
    }
    if sections.first()?.number == 0 { charset.text(Cow::Owned(octets)) } else { None }
}

/// Reads a value with a charset: `UTF-8''%E2%82%AC`.
fn extended_text(value: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    const DECODER: Decoder = Decoder::new();
    match value {
        Cow::Borrowed(value) => {
            let (charset, chars) = split_charset(value)?;
            charset.text(DECODER.decode(chars))
        }
        Cow::Owned(value) => {
            let (charset, chars) = split_charset(&value)?;
            charset.text(Cow::Owned(DECODER.decode(chars).into_owned()))
        }
    }
}

#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Latin1,
}

/// Splits `charset'language'chars`.
fn split_charset(value: &[u8]) -> Option<(Charset, &[u8])> {
    let mut parts = value.splitn(3, |&byte| byte == b'\'');
    let (label, _language, chars) = (parts.next()?, parts.next()?, parts.next()?);
    let is = |names: [&str; 2]| names.iter().any(|name| label.eq_ignore_ascii_case(name.as_bytes()));
    let charset = if label.is_empty() || is(["utf-8", "utf8"]) {
        Charset::Utf8
    } else if is(["iso-8859-1", "latin1"]) {
        Charset::Latin1
    } else {
        return None;
    };
    Some((charset, chars))
}

impl Charset {
    /// Converts octets to text. Returns `None` if they aren't in the charset.
    fn text(self, octets: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
        if let Charset::Latin1 = self {
            return Some(text::latin1(octets));
        }
        match octets {
            Cow::Borrowed(octets) => str::from_utf8(octets).ok().map(Cow::Borrowed),
            Cow::Owned(octets) => String::from_utf8(octets).ok().map(Cow::Owned),
        }
    }
}

/// Reads a value that names no charset: UTF-8 if possible, otherwise ISO-8859-1.
pub(super) fn text_of(octets: Cow<'_, [u8]>) -> Cow<'_, str> {
    match octets {
        Cow::Borrowed(octets) => match str::from_utf8(octets) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => text::latin1(Cow::Borrowed(octets)),
        },
        Cow::Owned(octets) => match String::from_utf8(octets) {
            Ok(text) => Cow::Owned(text),
            Err(error) => text::latin1(Cow::Owned(error.into_bytes())),
        },
    }
}
