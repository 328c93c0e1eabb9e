//! The field `baggage`. Services use it to pass on names and values with a request ([W3C
//! Baggage](https://www.w3.org/TR/baggage/)).
//!
//! Values are percent-encoded UTF-8. This is not the encoding of forms: a space is `%20`, and `+` is a plus sign, as in
//! base64. Names are never encoded.
//!
//! ```
//! use percent_standards::http::baggage;
//!
//! let field = baggage::build([("userId", "alice"), ("token", "YQ+/=="), ("node", "DF 28")])?;
//! assert_eq!(field, "userId=alice,token=YQ+/==,node=DF%2028");
//!
//! let members: Result<Vec<_>, _> = baggage::parse("userId = alice;shared, node=DF%2028").collect();
//! let members = members?;
//! assert_eq!((members[0].key, &*members[0].value), ("userId", "alice"));
//! assert!(members[0].properties().eq([("shared", None)]));
//! assert_eq!((members[1].key, &*members[1].value), ("node", "DF 28"));
//! # Ok::<(), percent_standards::http::FieldError>(())
//! ```

use core::iter::FusedIterator;

use alloc::borrow::Cow;
use alloc::string::String;

use percent_simd::{AsBytes, ByteSet, Decoder, presets};

use super::{FieldError, FieldErrorKind, text};
use crate::memory;

/// The set `baggage-octet` without `%`. The set `cookie-octet` without `%` is the same.
const VALUE: ByteSet = presets::W3C_BAGGAGE.allowed();

/// Encodes a value ([W3C Baggage 3.2.1.3](https://www.w3.org/TR/baggage/#value)).
///
/// Each byte that isn't a `baggage-octet`, and each `%`, becomes a triplet. `+` and `=` stay. Borrows `value` if no
/// change is needed.
///
/// # Examples
///
/// ```
/// use percent_standards::http::baggage;
/// assert_eq!(baggage::encode_value("a b+c%,;\"\\=é"), "a%20b+c%25%2C%3B%22%5C=%C3%A9");
/// ```
///
/// # Panics
///
/// Panics if memory cannot be allocated. This holds for all functions of this module.
#[must_use]
pub fn encode_value(value: &str) -> Cow<'_, str> {
    presets::W3C_BAGGAGE.encode(value)
}

/// Decodes a value ([W3C Baggage 3.2.1.3](https://www.w3.org/TR/baggage/#value)).
///
/// Bytes that aren't UTF-8 become U+FFFD, one for each maximal ill-formed part, as the standard requires. A `%` that
/// starts no triplet stays, and so does `+`. Borrows `value` if no change is needed.
///
/// # Examples
///
/// ```
/// use percent_standards::http::baggage;
/// assert_eq!(baggage::decode_value("a%20b+c%FFd%zz"), "a b+c\u{FFFD}d%zz");
/// ```
#[must_use]
pub fn decode_value<I: AsBytes + ?Sized>(value: &I) -> Cow<'_, str> {
    Decoder::new().decode_utf8_lossy(value)
}

/// Writes members as a field ([W3C Baggage 3.2](https://www.w3.org/TR/baggage/#header-content)). Values are encoded.
///
/// Receivers must pass on at least 64 members and 8192 bytes, and may drop the rest. So don't write more.
///
/// # Examples
///
/// ```
/// use percent_standards::http::baggage;
/// assert_eq!(baggage::build([("a", "1, 2"), ("b", "")])?, "a=1%2C%202,b=");
/// assert_eq!(baggage::build([("a b", "1")]).unwrap_err().offset, 1);
/// # Ok::<(), percent_standards::http::FieldError>(())
/// ```
///
/// # Errors
///
/// If a key isn't a token, returns an error with the offset in this key. Keys can't be encoded, because receivers don't
/// decode them.
pub fn build<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<String, FieldError> {
    let mut field = String::new();
    for (key, value) in members {
        if let Some(offset) = text::first_not_in_token(key.as_bytes()) {
            return Err(FieldError::new(offset, FieldErrorKind::Key));
        }
        if !field.is_empty() {
            memory::push_str(&mut field, ",");
        }
        memory::push_str(&mut field, key);
        memory::push_str(&mut field, "=");
        memory::push_str(&mut field, &encode_value(value));
    }
    Ok(field)
}

/// Returns the members of a field, and an error for each malformed member
/// ([W3C Baggage 3.2](https://www.w3.org/TR/baggage/#header-content)).
///
/// - `,` separates members, and `;` separates a value from its properties. Each part is checked, then decoded, so
///   `%2C` and `%3B` are data.
/// - The first `=` ends the key. A value may contain `=`.
/// - Spaces and tabs around each part are removed.
/// - Empty members are skipped ([RFC 9110 5.6.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1.2)).
/// - A key may occur twice. The members keep their order.
///
/// If a request has several `baggage` fields, join them with `,`, or parse each field separately.
///
/// After an error, the iterator continues with the next member. The standard allows you to drop malformed members: use
/// `filter_map(Result::ok)`. The number of members isn't limited: use `take` to set a limit.
///
/// # Examples
///
/// ```
/// use percent_standards::http::{FieldErrorKind, baggage};
///
/// let mut members = baggage::parse("k%65y=YQ+/==,b=a c,c=%E9");
/// let first = members.next().unwrap()?;
/// assert_eq!((first.key, &*first.value), ("k%65y", "YQ+/=="));
/// let error = members.next().unwrap().unwrap_err();
/// assert_eq!((error.offset, error.kind), (16, FieldErrorKind::Value));
/// assert_eq!(members.next().unwrap()?.value, "\u{FFFD}");
/// # Ok::<(), percent_standards::http::FieldError>(())
/// ```
#[must_use]
pub fn parse(field: &str) -> Parse<'_> {
    Parse(parse_raw(field))
}

/// An iterator over the members of a field. [`parse`] creates it.
#[derive(Clone, Debug)]
pub struct Parse<'a>(ParseRaw<'a>);

/// Returns the members of a field as [`parse`] does, but doesn't decode them, so it doesn't allocate.
///
/// # Examples
///
/// ```
/// use percent_standards::http::baggage;
/// let member = baggage::parse_raw("node = DF%2028;x").next().unwrap()?;
/// assert_eq!((member.key, member.value, member.raw_properties()), ("node", "DF%2028", "x"));
/// # Ok::<(), percent_standards::http::FieldError>(())
/// ```
#[must_use]
pub fn parse_raw(field: &str) -> ParseRaw<'_> {
    ParseRaw { field, at: 0 }
}

/// An iterator over the undecoded members of a field. [`parse_raw`] creates it.
#[derive(Clone, Debug)]
pub struct ParseRaw<'a> {
    field: &'a str,
    /// The offset of the next member.
    at: usize,
}

/// A member of the field `baggage`, not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RawMember<'a> {
    /// The key, which is a token.
    pub key: &'a str,
    /// The value as written. [`decode_value`] decodes it.
    pub value: &'a str,
    /// The offset of the key in the field.
    pub offset: usize,
    /// The properties as written, without the first `;`.
    properties: &'a str,
}

impl<'a> RawMember<'a> {
    /// Returns the properties as written, to pass them on.
    #[must_use]
    pub const fn raw_properties(&self) -> &'a str {
        self.properties
    }
}

/// A member of the field `baggage`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Member<'a> {
    /// The key, which is a token and isn't decoded.
    pub key: &'a str,
    /// The decoded value.
    pub value: Cow<'a, str>,
    /// The offset of the key in the field.
    pub offset: usize,
    /// The properties as written, without the first `;`.
    properties: &'a str,
}

impl<'a> Member<'a> {
    /// Returns the properties in their order: the key of each property, and its decoded value if it has one.
    pub fn properties(&self) -> impl Iterator<Item = (&'a str, Option<Cow<'a, str>>)> + use<'a> {
        let parts = self.properties.split(';').map(|part| text::trimmed(part, 0).0);
        parts.filter(|part| !part.is_empty()).map(|part| match part.split_once('=') {
            Some((key, value)) => (text::trimmed(key, 0).0, Some(decode_value(text::trimmed(value, 0).0))),
            None => (part, None),
        })
    }

    /// Returns the properties as written, to pass them on.
    #[must_use]
    pub const fn raw_properties(&self) -> &'a str {
        self.properties
    }
}

impl<'a> Iterator for Parse<'a> {
    type Item = Result<Member<'a>, FieldError>;

    fn next(&mut self) -> Option<Result<Member<'a>, FieldError>> {
        let member = self.0.next()?;
        Some(member.map(|RawMember { key, value, offset, properties }| Member {
            key,
            value: decode_value(value),
            offset,
            properties,
        }))
    }
}

impl FusedIterator for Parse<'_> {}

impl<'a> Iterator for ParseRaw<'a> {
    type Item = Result<RawMember<'a>, FieldError>;

    fn next(&mut self) -> Option<Result<RawMember<'a>, FieldError>> {
        loop {
            let rest = self.field.get(self.at..)?;
            let member = rest.split_once(',').map_or(rest, |(member, _)| member);
            let start = self.at;
            self.at += member.len() + 1;
            let (member, offset) = text::trimmed(member, start);
            if !member.is_empty() {
                return Some(member_of(member, offset));
            }
        }
    }
}

impl FusedIterator for ParseRaw<'_> {}

/// Checks a member that starts at `offset` in the field.
fn member_of(member: &str, offset: usize) -> Result<RawMember<'_>, FieldError> {
    let (pair, properties) = member.split_once(';').unwrap_or((member, ""));
    let Some(value) = checked_pair(pair, offset)? else {
        return Err(FieldError::new(offset + pair.len(), FieldErrorKind::NoValue));
    };
    let mut at = offset + pair.len() + 1;
    for property in properties.split(';') {
        let (trimmed, start) = text::trimmed(property, at);
        if !trimmed.is_empty() {
            checked_pair(trimmed, start)?;
        }
        at += property.len() + 1;
    }
    let key = pair.split_once('=').map_or(pair, |(key, _)| key);
    Ok(RawMember { key: text::trimmed(key, 0).0, value, offset, properties })
}

/// Checks a key, and its value if it has one. Returns the undecoded value.
fn checked_pair(pair: &str, offset: usize) -> Result<Option<&str>, FieldError> {
    let (key, value) = pair.split_once('=').map_or((pair, None), |(key, value)| (key, Some(value)));
    let (trimmed, start) = text::trimmed(key, offset);
    if let Some(at) = text::first_not_in_token(trimmed.as_bytes()) {
        return Err(FieldError::new(start + at, FieldErrorKind::Key));
    }
    let Some(value) = value else { return Ok(None) };
    let (value, start) = text::trimmed(value, offset + key.len() + 1);
    match value.bytes().position(|byte| byte != b'%' && !VALUE.contains(byte)) {
        Some(at) => Err(FieldError::new(start + at, FieldErrorKind::Value)),
        None => Ok(Some(value)),
    }
}
