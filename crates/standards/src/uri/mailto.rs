//! Builds and reads `mailto:` URIs ([RFC 6068](https://www.rfc-editor.org/rfc/rfc6068)).
//!
//! ```
//! use percent_standards::uri::mailto::{Mailto, build};
//!
//! let uri = build(&["gorby%kremvax@example.com"], &[("subject", "50% & more"), ("body", "Hi,\nbye")])?;
//! assert_eq!(uri, "mailto:gorby%25kremvax@example.com?subject=50%25%20%26%20more&body=Hi,%0D%0Abye");
//!
//! let mail = Mailto::parse(&uri).unwrap();
//! assert!(mail.addresses().eq([Ok("gorby%kremvax@example.com".into())]));
//! assert_eq!(mail.field("Subject").unwrap()?, "50% & more");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Four things to know (numbers in parentheses are sections of the RFC):
//!
//! - The URI is UTF-8. The charset of the mail has no influence (2).
//! - A `mailto:` URI is not a form. In reading and in writing, a space is `%20`, and a `+` is a plus sign (5).
//! - The author of the URI chooses the fields. If someone else wrote the URI, a mail program should take only the
//!   subject, the body, and fields that it knows to be harmless. It should show them before it sends the mail (4, 7).
//! - In HTML, write the `&` between fields as `&amp;` (2).
#![cfg(feature = "alloc")]

use alloc::borrow::Cow;
use alloc::string::String;

use percent_simd::{CheckedDecoder, DecodeError, Decoder, Encoder, sets};

use super::{UriError, UriErrorKind};
use crate::memory;
use crate::newline::Newline;

const ADDRESS: Encoder = Encoder::new(sets::RFC6068_LOCAL_PART);
const FIELD: Encoder = Encoder::new(sets::RFC6068_QCHAR);
const STRICT: CheckedDecoder = Decoder::new().strict();

/// Builds the URI of a mail that has these addresses and these fields (RFC 6068 2).
///
/// Each address has the form `local-part@domain`. Both lists may be empty.
///
/// | part | stays as it is | notes |
/// | --- | --- | --- |
/// | local part | `unreserved`, `:`, and all `sub-delims` except `&`, `,`, `;` and `=` (rule 1) | give quoted strings with their quotes |
/// | domain | as in the local part | prefer A-labels, because they stay; if a domain has characters above ASCII, they become triplets of UTF-8 (rule 4) |
/// | fields | `qchar` | a lone CR or LF becomes CRLF, as the body requires; other fields should have no line ends (5) |
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{UriErrorKind, mailto::build};
///
/// assert_eq!(build(&["\"not@me\"@example.org"], &[])?, "mailto:%22not%40me%22@example.org");
/// assert_eq!(build(&["a@x.example", "b@x.example"], &[])?, "mailto:a@x.example,b@x.example");
/// assert_eq!(build(&[], &[("to", "a@x.example"), ("body", "1+1 = 2")])?, "mailto:?to=a@x.example&body=1+1%20%3D%202");
/// assert_eq!(build(&["user@自然.example"], &[])?, "mailto:user@%E8%87%AA%E7%84%B6.example");
/// assert_eq!(build(&["a@x.example", "nobody"], &[]).unwrap_err().kind, UriErrorKind::Address { index: 1 });
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// Some old programs read a `+` as a space. For these programs, replace every `+` in the result by `%2B`. All other
/// programs read `%2B` as a plus sign, too.
///
/// # Errors
///
/// Returns an error for the first address that doesn't have the form `local-part@domain`. The offset of the error is
/// the place of the missing part, in bytes of this address.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
pub fn build(to: &[&str], fields: &[(&str, &str)]) -> Result<String, UriError> {
    let mut uri = memory::text("mailto:");
    for (index, address) in to.iter().enumerate() {
        if index > 0 {
            memory::push_str(&mut uri, ",");
        }
        let fault = |offset| UriError { offset, kind: UriErrorKind::Address { index } };
        let (local, domain) = address.rsplit_once('@').ok_or_else(|| fault(address.len()))?;
        if local.is_empty() || domain.is_empty() {
            return Err(fault(if local.is_empty() { 0 } else { address.len() }));
        }
        ADDRESS.encode_into(local, &mut uri);
        memory::push_str(&mut uri, "@");
        ADDRESS.encode_into(domain, &mut uri);
    }
    for (index, (name, value)) in fields.iter().enumerate() {
        memory::push_str(&mut uri, if index == 0 { "?" } else { "&" });
        FIELD.encode_into(&*Newline::CrLf.apply(name), &mut uri);
        memory::push_str(&mut uri, "=");
        FIELD.encode_into(&*Newline::CrLf.apply(value), &mut uri);
    }
    Ok(uri)
}

/// A `mailto:` URI, split but not decoded (RFC 6068 2).
///
/// The URI is split first, so an escaped `,`, `&`, `=` or `?` isn't a separator. Every returned value is decoded once
/// and checked. A malformed `%`, and text that isn't UTF-8, are errors with the offset in the URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailto<'a> {
    /// The text without its fragment.
    uri: &'a str,
    /// The offset at which the addresses end.
    to: usize,
}

const SCHEME: &str = "mailto:";

impl<'a> Mailto<'a> {
    /// Splits `uri` and drops its fragment. If the scheme isn't `mailto`, returns `None`. The case of the scheme
    /// doesn't matter.
    #[must_use]
    pub fn parse(uri: &'a str) -> Option<Mailto<'a>> {
        let scheme = uri.as_bytes().get(..SCHEME.len())?;
        if !scheme.eq_ignore_ascii_case(SCHEME.as_bytes()) {
            return None;
        }
        let uri = uri.split('#').next().unwrap_or(uri);
        let to = uri.find('?').unwrap_or(uri.len());
        Some(Mailto { uri, to })
    }

    /// Returns the primary recipients: the addresses before the fields. Skips empty addresses.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::mailto::Mailto;
    /// let mail = Mailto::parse("mailto:joe%2Cjim@example.com,jane%zz@example.com").unwrap();
    /// let addresses: Vec<_> = mail.addresses().collect();
    /// assert_eq!(addresses[0].as_deref(), Ok("joe,jim@example.com")); // it is split first
    /// assert_eq!(addresses[1].as_ref().unwrap_err().offset, 33);
    /// ```
    pub fn addresses(&self) -> impl Iterator<Item = Result<Cow<'a, str>, DecodeError>> + use<'a> {
        parts(self.uri, SCHEME.len(), self.to, ',').map(Part::decode)
    }

    /// Returns all primary recipients: the [addresses](Self::addresses), and the addresses in fields called `to`.
    ///
    /// The value of a field `to` is also a list of addresses (RFC 6068 2, rule 3).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::mailto::Mailto;
    /// let mail = Mailto::parse("mailto:a@x.example?cc=c@x.example&To=b@x.example,d@x.example").unwrap();
    /// let to: Result<Vec<_>, _> = mail.recipients().collect();
    /// assert_eq!(to.unwrap(), ["a@x.example", "b@x.example", "d@x.example"]);
    /// ```
    pub fn recipients(&self) -> impl Iterator<Item = Result<Cow<'a, str>, DecodeError>> + use<'a> {
        let lists = self.raw_fields().filter(|(name, _)| name.is("to"));
        let more = lists.flat_map(|(_, value)| parts(value.uri, value.start, value.end, ','));
        self.addresses().chain(more.map(Part::decode))
    }

    /// Returns the names and values of the fields, in order.
    ///
    /// If a field has no `=`, its value is empty. Names are case-insensitive (RFC 6068 2).
    pub fn fields(&self) -> impl Iterator<Item = Result<(Cow<'a, str>, Cow<'a, str>), DecodeError>> + use<'a> {
        self.raw_fields().map(|(name, value)| Ok((name.decode()?, value.decode()?)))
    }

    /// Returns the value of the first field called `name`. The case of ASCII letters doesn't matter.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Result<Cow<'a, str>, DecodeError>> {
        self.raw_fields().find(|(found, _)| found.is(name)).map(|(_, value)| value.decode())
    }

    fn raw_fields(&self) -> impl Iterator<Item = (Part<'a>, Part<'a>)> + use<'a> {
        let query = self.uri.len().min(self.to + 1);
        parts(self.uri, query, self.uri.len(), '&').map(|part| part.split_once('='))
    }
}

/// A part of a URI, not yet decoded.
#[derive(Clone, Copy)]
struct Part<'a> {
    uri: &'a str,
    start: usize,
    end: usize,
}

/// Returns the parts of `uri[start..end]` between separators. Skips empty parts.
fn parts(uri: &str, start: usize, end: usize, separator: char) -> impl Iterator<Item = Part<'_>> {
    let mut next = start;
    let parts = uri[start..end].split(separator).map(move |part| {
        let start = next;
        next += part.len() + separator.len_utf8();
        Part { uri, start, end: start + part.len() }
    });
    parts.filter(|part| part.start < part.end)
}

impl<'a> Part<'a> {
    fn text(self) -> &'a str {
        &self.uri[self.start..self.end]
    }

    fn split_once(self, separator: char) -> (Part<'a>, Part<'a>) {
        let at = self.text().find(separator).map(|at| self.start + at);
        let end = at.unwrap_or(self.end);
        let start = at.map_or(self.end, |at| at + separator.len_utf8());
        (Part { end, ..self }, Part { start, ..self })
    }

    fn decode(self) -> Result<Cow<'a, str>, DecodeError> {
        STRICT.decode_utf8(self.text()).map_err(|error| error.shifted(self.start))
    }

    fn is(self, name: &str) -> bool {
        self.decode().is_ok_and(|found| found.eq_ignore_ascii_case(name))
    }
}
