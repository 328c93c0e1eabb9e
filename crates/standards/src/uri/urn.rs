//! Parses, compares, normalizes and encodes URNs (RFC 8141).

use core::fmt;

use memchr::memchr;

use percent_simd::{AsBytes, ByteSet, Encoder, internal::triplet, sets};

use super::check::check_urn_component;
use super::equivalent::Equivalence;
use super::error::{Component, UriError, UriErrorKind};
#[cfg(feature = "alloc")]
use crate::memory;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
#[cfg(feature = "alloc")]
use percent_simd::Decoder;

/// A URN, split into its parts (RFC 8141 2). `Display` joins the parts again.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::urn::Urn;
///
/// let urn = Urn::parse("urn:example:a123%2Cz456?+resolver?=query#part")?;
/// assert_eq!((urn.nid, urn.nss), ("example", "a123%2Cz456"));
/// assert_eq!((urn.r, urn.q, urn.f), (Some("resolver"), Some("query"), Some("part")));
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Urn<'a> {
    /// The scheme as it is written: `urn`, in upper or lower case.
    pub scheme: &'a str,
    /// The namespace identifier: 2 to 32 letters, digits and hyphens (2.1).
    pub nid: &'a str,
    /// The namespace specific string (2.2).
    pub nss: &'a str,
    /// The r-component, after `?+` (2.3.1).
    pub r: Option<&'a str>,
    /// The q-component, after `?=` (2.3.2).
    pub q: Option<&'a str>,
    /// The f-component, after `#` (2.3.3).
    pub f: Option<&'a str>,
}

impl fmt::Display for Urn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.scheme, self.nid, self.nss)?;
        for (before, component) in [("?+", self.r), ("?=", self.q), ("#", self.f)] {
            if let Some(component) = component {
                write!(f, "{before}{component}")?;
            }
        }
        Ok(())
    }
}

fn fault<T>(offset: usize, kind: UriErrorKind) -> Result<T, UriError> {
    Err(UriError { offset, kind })
}

/// `NID = (alphanum) 0*30(ldh) (alphanum)`, `ldh = alphanum / "-"` (2)
fn is_nid(nid: &str) -> bool {
    let [first, .., last] = nid.as_bytes() else { return false };
    let ldh = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    nid.len() <= 32 && first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() && nid.bytes().all(ldh)
}

/// Splits `text` at the first `delimiter`. The delimiter is in neither part.
fn cut<'a, const N: usize>(text: &'a str, delimiter: &[u8; N]) -> (&'a str, Option<&'a str>) {
    match text.as_bytes().windows(N).position(|window| window == delimiter) {
        Some(at) => (&text[..at], Some(&text[at + N..])),
        None => (text, None),
    }
}

impl<'a> Urn<'a> {
    /// Splits and checks a `namestring` (RFC 8141 2).
    ///
    /// The first `?=` ends an r-component. Inside a q-component, `?+` and `?=` are data.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Component, UriErrorKind, urn::Urn};
    ///
    /// let error = Urn::parse("urn:example:a?b").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (13, UriErrorKind::Character(Component::Nss)));
    /// assert_eq!(Urn::parse("urn:-x:a").unwrap_err().kind, UriErrorKind::Nid);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first fault, with its offset in bytes of `text`.
    pub fn parse(text: &'a str) -> Result<Urn<'a>, UriError> {
        let (scheme, rest) = match text.split_at_checked(3) {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("urn") && rest.starts_with(':') => (scheme, &rest[1..]),
            _ => return fault(0, UriErrorKind::NotUrn),
        };
        let (nid, rest) = match memchr(b':', rest.as_bytes()) {
            Some(at) if is_nid(&rest[..at]) => (&rest[..at], &rest[at + 1..]),
            _ => return fault(4, UriErrorKind::Nid),
        };
        let offset = text.len() - rest.len();
        let (rest, f) = cut(rest, b"#");
        let (name, q, r);
        match memchr(b'?', rest.as_bytes()) {
            Some(at) if rest[at..].starts_with("?+") => {
                name = &rest[..at];
                let (before, after) = cut(&rest[at + 2..], b"?=");
                (r, q) = (Some(before), after);
            }
            Some(at) if rest[at..].starts_with("?=") => (name, r, q) = (&rest[..at], None, Some(&rest[at + 2..])),
            // If there is a `?`, it stays in `name`. An NSS can't contain a `?`, so the check of the NSS below reports
            // it.
            _ => (name, r, q) = (rest, None, None),
        }
        check_urn_component(name, offset, Component::Nss)?;
        let mut offset = offset + name.len();
        for (text, component) in [(r, Component::RComponent), (q, Component::QComponent)] {
            if let Some(text) = text {
                check_urn_component(text, offset + 2, component)?;
                offset += text.len() + 2;
            }
        }
        if let Some(f) = f {
            check_urn_component(f, offset + 1, Component::Fragment)?;
        }
        Ok(Urn { scheme, nid, nss: name, r, q, f })
    }

    /// Returns true if two URNs are equivalent (RFC 8141 3.1).
    ///
    /// The NID and the NSS must be equal. The case of `urn`, of the NID and of hexadecimal digits doesn't matter. The
    /// r-, q- and f-components are ignored, and triplets aren't decoded.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::urn::Urn;
    ///
    /// assert!(Urn::parse("URN:Ex:a#b")?.is_equivalent(&Urn::parse("urn:ex:a")?));
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    #[must_use]
    pub fn is_equivalent(&self, other: &Urn<'_>) -> bool {
        self.nid.eq_ignore_ascii_case(other.nid) && same_but_for_digits(self.nss.as_bytes(), other.nss.as_bytes())
    }
}

/// Returns true if the two texts are equal, or differ only in the case of the digits of triplets.
fn same_but_for_digits(a: &[u8], b: &[u8]) -> bool {
    // A digit of a triplet is one or two bytes after the `%`.
    let is_digit = |at: usize| {
        let percent = |back: usize| at.checked_sub(back).is_some_and(|at| triplet(a, at).is_some());
        percent(1) || percent(2)
    };
    a == b
        || a.len() == b.len()
            && a.iter().zip(b).enumerate().all(|(at, (x, y))| x == y || x.eq_ignore_ascii_case(y) && is_digit(at))
}

/// Compares two URNs for equivalence (RFC 8141 3.1).
///
/// If the texts differ, and one of them isn't a URN, returns [`Unknown`](Equivalence::Unknown).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Equivalence::*, urn};
///
/// assert_eq!(urn::equivalent("URN:EXAMPLE:a123%2cz456", "urn:example:a123%2Cz456?=q"), Equivalent);
/// assert_eq!(urn::equivalent("urn:example:%41", "urn:example:A"), Different);
/// assert_eq!(urn::equivalent("urn:example:a", "http://example/"), Unknown);
/// ```
#[must_use]
pub fn equivalent(a: &str, b: &str) -> Equivalence {
    if a == b {
        return Equivalence::Equivalent;
    }
    match (Urn::parse(a), Urn::parse(b)) {
        (Ok(a), Ok(b)) if a.is_equivalent(&b) => Equivalence::Equivalent,
        (Ok(_), Ok(_)) => Equivalence::Different,
        _ => Equivalence::Unknown,
    }
}

/// Returns the normal form of a URN. Equivalent URNs have the same normal form (RFC 8141 3.1).
///
/// In the normal form, `urn` and the NID are in lower case, the digits of triplets are in upper case, and there is no
/// r-, q- or f-component.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::urn;
///
/// assert_eq!(urn::normalize("URN:ISBN:a%2c%41#f")?, "urn:isbn:a%2C%41");
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// # Errors
///
/// If the text isn't a URN, returns an error.
///
/// # Panics
///
/// Panics if memory cannot be allocated.
#[cfg(feature = "alloc")]
pub fn normalize(text: &str) -> Result<Cow<'_, str>, UriError> {
    static UPPER: Decoder = Decoder::new().keep_upper(ByteSet::ALL);
    let urn = Urn::parse(text)?;
    let name = &text[.."urn::".len() + urn.nid.len() + urn.nss.len()];
    let head = name.len() - urn.nss.len();
    let is_upper = name.as_bytes()[..head].iter().any(u8::is_ascii_uppercase);
    if !is_upper && UPPER.first_changed(urn.nss).is_none() {
        return Ok(Cow::Borrowed(name));
    }
    let mut normal = memory::string(name.len());
    normal.push_str(&name[..head]);
    normal.make_ascii_lowercase();
    // All triplets are kept, so the result is UTF-8, and this can't fail.
    let _ = UPPER.decode_into_string(urn.nss, &mut normal);
    Ok(Cow::Owned(normal))
}

/// Encodes bytes as the NSS of a URN (RFC 8141 2.2), or as a part of an NSS.
///
/// A slash stays as it is, but an NSS can't start with a slash. The set is [`sets::RFC8141_NSS`].
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::uri::urn::NSS.encode("a/b?c~é"), "a/b%3Fc~%C3%A9");
/// ```
pub const NSS: Encoder = Encoder::new(sets::RFC8141_NSS);

/// Encodes bytes as the NSS of a URN according to the older RFC 2141 (2.2). It encodes more bytes than RFC 8141.
///
/// The set is [`sets::RFC2141_TRANS`]. This encoder accepts the byte 0, but [`encode_nss_2141`] rejects it.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::uri::urn::NSS_2141.encode("a/b?c~é"), "a%2Fb%3Fc%7E%C3%A9");
/// ```
pub const NSS_2141: Encoder = Encoder::new(sets::RFC2141_TRANS);

/// Encodes the bytes of a name as the NSS of a URN, according to RFC 2141 2.2.
///
/// Every byte that isn't in `trans` is encoded, including `/`, `?`, `#` and `%`. The bytes in `trans` stay, because the
/// RFC forbids encoding them.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::urn;
///
/// assert_eq!(urn::encode_nss_2141("a/b~é")?, "a%2Fb%7E%C3%A9");
/// assert_eq!(urn::encode_nss_2141("a\0").unwrap_err().offset, 1);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// # Errors
///
/// Returns an error for the byte 0 (2.4), and for an empty name.
#[cfg(feature = "alloc")]
pub fn encode_nss_2141<I: AsBytes + ?Sized>(name: &I) -> Result<Cow<'_, str>, UriError> {
    let bytes = name.as_bytes();
    match memchr(0, bytes) {
        Some(offset) => fault(offset, UriErrorKind::Nul),
        None if bytes.is_empty() => fault(0, UriErrorKind::Empty(Component::Nss)),
        None => Ok(NSS_2141.encode(bytes)),
    }
}
