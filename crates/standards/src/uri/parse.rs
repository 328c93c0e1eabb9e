//! Defines [`Uri`], a reference that is split into its components (RFC 3986 3, 4, 5.3 and Appendix B).

use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};
#[cfg(feature = "alloc")]
use core::ops::Range;

use memchr::{memchr, memchr3, memrchr};

use percent_simd::{AsBytes, ByteSet, Encoder, RawEncoder, SliceError, internal::ChangedBytes, sets};

use super::credentials::split_port;
use super::parts::{self, Parameters, Segments};
use super::ucschar::{FIRSTS_OF_NEITHER, find_refused, is_allowed_in_iri};

/// A URI reference (RFC 3986 4.1), split into its components.
///
/// An absent component isn't the same as an empty one: `http://h/?` has a query, and `http://h/` has none. The
/// components aren't decoded. `Display` joins the components again (5.3). So if you split a text and join it, you get
/// the original text.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::Uri;
///
/// let uri = Uri::split("foo://me@example.com:8042/over/there?name=ferret#");
/// assert_eq!((uri.scheme, uri.authority), (Some("foo"), Some("me@example.com:8042")));
/// assert_eq!((uri.path, uri.query, uri.fragment), ("/over/there", Some("name=ferret"), Some("")));
/// assert_eq!(uri.to_string(), "foo://me@example.com:8042/over/there?name=ferret#");
/// ```
///
/// [`UriBuf`](super::UriBuf) owns its text, and [`str::parse`] can return it.
///
/// If you set fields yourself, each field must be valid by the clause that its comment names. For example, if there is
/// no authority, the path must not start with `//`, because this would be read as an authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uri<'a> {
    /// The text before the first `:`. If a `/`, `?` or `#` comes before this `:`, there is no scheme (3.1).
    pub scheme: Option<&'a str>,
    /// The text after `//` (3.2).
    pub authority: Option<&'a str>,
    /// The path. It is never absent, but may be empty (3.3).
    pub path: &'a str,
    /// The text after the first `?` (3.4).
    pub query: Option<&'a str>,
    /// The text after the first `#` (3.5).
    pub fragment: Option<&'a str>,
}

/// An authority, split (RFC 3986 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authority<'a> {
    /// The text before the last `@` (3.2.1). The grammar allows at most one `@`.
    pub userinfo: Option<&'a str>,
    /// The host. It may be empty. An IP literal includes its brackets (3.2.2).
    pub host: &'a str,
    /// The text after the first `:` that follows the userinfo and isn't in brackets. This text may be empty (3.2.3).
    pub port: Option<&'a str>,
}

/// The form of a host (RFC 3986 3.2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HostKind {
    /// `IPv4address`: `127.0.0.1`.
    Ipv4,
    /// `IPv6address` in brackets: `[::1]`.
    Ipv6,
    /// `IPv6addrz` in brackets, with the zone that RFC 6874 adds: `[fe80::1%25eth0]`.
    Ipv6Zoned,
    /// `IPvFuture` in brackets: `[v7.x]`.
    IpvFuture,
    /// `reg-name`, which may be empty. Invalid IPv4 addresses like `256.0.0.1` are also a `reg-name`.
    RegName,
}

/// A component of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// The userinfo (RFC 3986 3.2.1).
    Userinfo,
    /// The host (RFC 3986 3.2.2).
    Host,
    /// The path (RFC 3986 3.3).
    Path,
    /// The query (RFC 3986 3.4).
    Query,
    /// The fragment (RFC 3986 3.5), and the f-component of a URN.
    Fragment,
    /// The namespace specific string of a URN (RFC 8141 2.2).
    Nss,
    /// The r-component of a URN (RFC 8141 2.3.1).
    RComponent,
    /// The q-component of a URN (RFC 8141 2.3.2).
    QComponent,
}

/// The first fault in a URI, an IRI, a URN, a part of these, a request target, or the path of a request.
///
/// The message is for the author of the text. It names the place and the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UriError {
    /// The offset of the fault, in bytes of the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: UriErrorKind,
}

impl UriError {
    /// Creates an error from its parts, for tests and for code that finds errors by other means.
    #[must_use]
    pub const fn new(offset: usize, kind: UriErrorKind) -> UriError {
        UriError { offset, kind }
    }
}

/// The kind of a [`UriError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UriErrorKind {
    /// A character that this component must not contain. Percent-encode it.
    Character(Component),
    /// A `%` without two hexadecimal digits after it (RFC 3986 2.1). If the `%` is data, write `%25`.
    Escape(Component),
    /// A character before the first `:` that can't be in a scheme (RFC 3986 3.1).
    ///
    /// If the text before the `:` isn't meant as a scheme, write this `:` as `%3A`, or put `./` before the text. The
    /// first segment of a relative path must not have a colon (4.2).
    Scheme,
    /// A character of a port that isn't a digit (RFC 3986 3.2.3).
    Port,
    /// Brackets that contain neither `IPv6address` nor `IPvFuture` (RFC 3986 3.2.2), or that aren't closed.
    IpLiteral,
    /// A missing scheme (RFC 3986 4.3, 5.1).
    NoScheme,
    /// A fragment in an absolute URI (RFC 3986 4.3) or in a request target (RFC 9112 3.2). Neither may have one.
    Fragment,
    /// A host that isn't a DNS name, or has no ASCII form (RFC 3987 3.1, `ToASCII`).
    Host,
    /// A path of a request that doesn't begin with `/`.
    NotRooted,
    /// A control character in the path of a request. It may be escaped.
    Control,
    /// A character in the path of a request that the caller has rejected. It is usually escaped.
    Rejected,
    /// The text doesn't begin with `urn:`, in upper or lower case (RFC 8141 2).
    NotUrn,
    /// A missing or invalid namespace identifier (RFC 8141 2.1).
    ///
    /// A valid identifier has 2 to 32 letters, digits and hyphens, and a `:` follows it. The identifier neither begins
    /// nor ends with a hyphen.
    Nid,
    /// An empty component that must not be empty.
    ///
    /// This is a component of a URN (RFC 8141 2), or the host of `http` and `https` (RFC 9110 4.2.1).
    Empty(Component),
    /// A NUL in the name of a URN (RFC 2141 2.4).
    Nul,
    /// A request target that has none of the forms that its method allows (RFC 9112 3.2).
    TargetForm,
    /// A character that base64 doesn't allow at this place, or the end of the text inside a group of four characters
    /// (Infra Standard 7).
    Base64,
    /// A mail address that lacks its local part, the `@` or the domain (RFC 6068 2). The offset is in bytes of this
    /// address.
    Address {
        /// The index of the address, from 0.
        index: usize,
    },
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.offset;
        match self.kind {
            UriErrorKind::Character(component) => {
                write!(f, "the character at byte {offset} is not allowed in the {component}")
            }
            UriErrorKind::Escape(component) => {
                write!(f, "the `%` at byte {offset}, in the {component}, is not followed by two hexadecimal digits")
            }
            UriErrorKind::Scheme => {
                write!(f, "the character at byte {offset} is not allowed at this place in a scheme")
            }
            UriErrorKind::Port => write!(f, "the character at byte {offset}, in the port, is not a digit"),
            UriErrorKind::IpLiteral => write!(f, "the bracket at byte {offset} does not begin an IP address"),
            UriErrorKind::NoScheme => write!(f, "the scheme is missing at byte {offset}"),
            UriErrorKind::Fragment => write!(f, "the fragment at byte {offset} is not allowed here"),
            UriErrorKind::Host => write!(f, "the host at byte {offset} is not a valid name"),
            UriErrorKind::NotRooted => write!(f, "the path at byte {offset} does not begin with `/`"),
            UriErrorKind::Control => write!(f, "the control character at byte {offset} is not allowed in the path"),
            UriErrorKind::Rejected => write!(f, "the character at byte {offset} is rejected in this path"),
            UriErrorKind::NotUrn => write!(f, "`urn:` is missing at byte {offset}"),
            UriErrorKind::Nid => write!(f, "there is no namespace identifier at byte {offset}"),
            UriErrorKind::Empty(component) => write!(f, "the {component} at byte {offset} is empty"),
            UriErrorKind::TargetForm => {
                write!(f, "the request target has no form that its method takes, from byte {offset} on")
            }
            UriErrorKind::Base64 => write!(f, "the base64 is malformed at byte {offset}"),
            UriErrorKind::Address { index } => {
                write!(
                    f,
                    "the address at index {index} does not have the form `local-part@domain`: see its byte {offset}"
                )
            }
            UriErrorKind::Nul => write!(f, "the byte 0 at byte {offset} is not allowed in a URN"),
        }
    }
}

impl core::error::Error for UriError {}

impl From<UriError> for SliceError<UriError> {
    fn from(error: UriError) -> Self {
        SliceError::Input(error)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Component::Userinfo => "userinfo",
            Component::Host => "host",
            Component::Path => "path",
            Component::Query => "query",
            Component::Fragment => "fragment",
            Component::Nss => "namespace specific string",
            Component::RComponent => "r-component",
            Component::QComponent => "q-component",
        })
    }
}

/// The characters that may follow the first one in `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (3.1).
const SCHEME: ByteSet = sets::ALPHANUMERIC.union(ByteSet::of(b"+-."));

/// The grammar for checking a reference.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// RFC 3986.
    Uri,
    /// RFC 3986 with RFC 6874: an IPv6 address may have a zone.
    ZonedUri,
    /// RFC 3987.
    Iri,
}

/// Returns the offset of the first character that makes `scheme` invalid.
pub(super) fn scheme_error(scheme: &[u8]) -> Option<usize> {
    let starts = scheme.first().is_some_and(u8::is_ascii_alphabetic);
    if starts { scheme.iter().position(|&byte| !SCHEME.contains(byte)) } else { Some(0) }
}

/// If a reference has an escaped scheme, returns its length in bytes. Otherwise returns 0.
///
/// An escaped scheme is text before the first `:` that contains a `%`. [RFC 3986 Appendix
/// B](https://www.rfc-editor.org/rfc/rfc3986#appendix-B) reads this text as a scheme. It isn't a scheme, but could
/// become one if it were decoded. So if you decode a whole reference, leave this text as it is.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::escaped_scheme_len;
///
/// assert_eq!(escaped_scheme_len("%6Aavascript:alert(1)"), 12);
/// assert_eq!(escaped_scheme_len("https://example.org/%6A"), 0);
/// ```
pub fn escaped_scheme_len<I: AsBytes + ?Sized>(reference: &I) -> usize {
    let bytes = reference.as_bytes();
    let before = &bytes[..memchr(b':', bytes).unwrap_or(0)];
    let is_escaped = memchr(b'%', before).is_some() && memchr3(b'/', b'?', b'#', before).is_none();
    if is_escaped { before.len() } else { 0 }
}

/// Splits `text` at the first `delimiter`. The delimiter is in neither part.
fn cut(text: &str, delimiter: u8) -> (&str, Option<&str>) {
    match memchr(delimiter, text.as_bytes()) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// The kinds of bytes at which a scan stops. The delimiters `:`, `@`, `?` and `#` have a bit each. All other bytes at
/// which it stops, for example brackets, have the bit `BAD`.
const COLON: u8 = 1;
const AT: u8 = 2;
const QUESTION: u8 = 4;
const HASH: u8 = 8;
const BAD: u8 = 16;

/// The kind of each byte.
static KINDS: [u8; 256] = {
    let mut kinds = [BAD; 256];
    kinds[b':' as usize] = COLON;
    kinds[b'@' as usize] = AT;
    kinds[b'?' as usize] = QUESTION;
    kinds[b'#' as usize] = HASH;
    kinds
};

/// A scan over the delimiters of a reference.
struct Stops<'a> {
    text: &'a [u8],
    next: ChangedBytes<'a>,
    /// The offset of the current delimiter.
    stop: Option<usize>,
    /// The kinds of the delimiters that the scan has passed.
    passed: u8,
}

impl<'a> Stops<'a> {
    #[inline(always)]
    fn new(text: &'a [u8], finder: &'a RawEncoder) -> Stops<'a> {
        let mut next = ChangedBytes::new(finder, text);
        let stop = next.next();
        Stops { text, next, stop, passed: 0 }
    }

    #[inline(always)]
    fn step(&mut self) {
        self.stop = self.next.next();
    }

    /// Moves to the next stop: a delimiter whose kind is in `ends`, or a `BAD` byte. Returns its offset and kind.
    ///
    /// The search includes the current stop. At the end of the text, the kind is 0.
    #[inline(always)]
    fn find(&mut self, ends: u8) -> (usize, u8) {
        while let Some(at) = self.stop {
            let kind = KINDS[usize::from(self.text[at])];
            if kind & (ends | BAD) != 0 {
                return (at, kind);
            }
            self.passed |= kind;
            self.step();
        }
        (self.text.len(), 0)
    }
}

/// Calls [`Uri::parse`].
impl<'a> TryFrom<&'a str> for Uri<'a> {
    type Error = UriError;

    fn try_from(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse(text)
    }
}

impl<'a> Uri<'a> {
    /// Splits any text with the regular expression of RFC 3986 Appendix B, which matches every text.
    ///
    /// This call doesn't check the components. For example, the scheme can be any text before a colon. If you need the
    /// checks, call [`parse`](Self::parse). Takes linear time, and doesn't allocate.
    ///
    /// Don't split the target of an HTTP request with this call, because it could read a path as a host. In a request
    /// line, `//private/a` is a path (RFC 9112 3.2.1). But as a reference, `//private/a` names the host `private` (RFC
    /// 3986 4.2). For request targets, call [`RequestTarget::split`](super::RequestTarget::split).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// assert_eq!(Uri::split("//h?"), Uri { authority: Some("h"), query: Some(""), ..Uri::default() });
    /// assert_eq!(Uri::split("1:?"), Uri { scheme: Some("1"), query: Some(""), ..Uri::default() });
    /// ```
    #[must_use]
    pub fn split(text: &'a str) -> Uri<'a> {
        Uri::scan::<false>(text).unwrap_or_default()
    }

    /// Splits any text in one pass that stops at each delimiter.
    ///
    /// If `CHECKS` is true, the pass also stops at every byte that no URI may contain. Then, if the text isn't a
    /// reference by RFC 3986, or if it has brackets, the result is `None`.
    ///
    /// One set of bytes is enough for all components. A component doesn't contain the delimiters at which it was split.
    /// All other characters that are allowed in a URI are allowed in every component. There are three exceptions, and
    /// the code checks them: brackets, a second `#` or `@`, and the characters that a scheme or a port can't have.
    #[inline(always)]
    fn scan<const CHECKS: bool>(text: &'a str) -> Option<Uri<'a>> {
        static SPLIT: RawEncoder = RawEncoder::new(ByteSet::of(b":?#").complement());
        static CHECK: RawEncoder =
            RawEncoder::new(sets::RFC3986_URI.difference(ByteSet::of(b":?#@[]"))).keep_triplets();
        // One search for the first slash is faster than stopping at each slash.
        static SLASH: RawEncoder = RawEncoder::new(ByteSet::of(b"/").complement());
        let bytes = text.as_bytes();
        let mut stops = Stops::new(bytes, if CHECKS { &CHECK } else { &SPLIT });
        let mut uri = Uri::default();
        let mut start = 0;
        if let (at, COLON) = stops.find(COLON | QUESTION | HASH) {
            let is_valid = scheme_error(&bytes[..at]).is_none();
            if is_valid || memchr(b'/', &bytes[..at]).is_none() {
                if CHECKS && !is_valid {
                    return None;
                }
                if at != 0 {
                    uri.scheme = Some(&text[..at]);
                    start = at + 1;
                }
                stops.step();
            }
        }
        let (end, kind) = stops.find(QUESTION | HASH);
        if bytes[start..end].starts_with(b"//") {
            start += 2;
            let slash = SLASH.first_changed(&bytes[start..end]);
            let authority = &text[start..slash.map_or(end, |at| start + at)];
            // `passed` also has the delimiters in the path. If only the path has a `:` or `@`, the check below isn't
            // necessary. It does no harm, because the authority then passes the check.
            let has_parts = stops.passed & (COLON | AT) != 0;
            if CHECKS && has_parts && !Authority::split(authority).is_plain() {
                return None;
            }
            uri.authority = Some(authority);
            start += authority.len();
        }
        uri.path = &text[start..end];
        let (mut end, mut kind) = (end, kind);
        if kind == QUESTION {
            stops.step();
            let query = end + 1;
            (end, kind) = stops.find(HASH);
            uri.query = Some(&text[query..end]);
        }
        if kind == HASH {
            uri.fragment = Some(&text[end + 1..]);
            stops.step();
            kind = if CHECKS { stops.find(HASH).1 } else { 0 };
        }
        (kind == 0).then_some(uri)
    }

    /// Splits and checks a `URI-reference` (RFC 3986 4.1).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Component, Uri, UriErrorKind};
    ///
    /// assert_eq!(Uri::parse("/caf%C3%A9?q")?.path, "/caf%C3%A9");
    /// let error = Uri::parse("http://h/a b").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (10, UriErrorKind::Character(Component::Path)));
    /// let error = Uri::parse("http://[::1/").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (7, UriErrorKind::IpLiteral));
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first fault according to the grammar of Appendix A, with its offset in bytes of `text`.
    pub fn parse(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse_as(text, Grammar::Uri)
    }

    /// Splits and checks like [`parse`](Self::parse). In an IPv6 address, allows a zone after `%25` (RFC 6874 2).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let uri = Uri::parse_zoned("http://[fe80::1%25eth0]:80/")?;
    /// assert_eq!(uri.host(), Some("[fe80::1%25eth0]"));
    /// assert!(Uri::parse("http://[fe80::1%25eth0]:80/").is_err());
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse).
    pub fn parse_zoned(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse_as(text, Grammar::ZonedUri)
    }

    /// Splits and checks an `absolute-URI` (RFC 3986 4.3). It has a scheme, and no fragment. A base URI must be an
    /// `absolute-URI` (5.1).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Uri, UriErrorKind};
    ///
    /// assert!(Uri::parse_absolute("urn:a:b").is_ok());
    /// assert_eq!(Uri::parse_absolute("/a").unwrap_err().kind, UriErrorKind::NoScheme);
    /// assert_eq!(Uri::parse_absolute("a:b#").unwrap_err().kind, UriErrorKind::Fragment);
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`parse`](Self::parse). It is also an error if the scheme is missing, or if there is a
    /// fragment.
    pub fn parse_absolute(text: &'a str) -> Result<Uri<'a>, UriError> {
        let uri = Uri::parse(text)?;
        match uri {
            Uri { scheme: None, .. } => Err(UriError { offset: 0, kind: UriErrorKind::NoScheme }),
            Uri { fragment: Some(fragment), .. } => {
                Err(UriError { offset: text.len() - fragment.len() - 1, kind: UriErrorKind::Fragment })
            }
            _ => Ok(uri),
        }
    }

    /// Splits `text`, and checks it according to `grammar`.
    pub(crate) fn parse_as(text: &'a str, grammar: Grammar) -> Result<Uri<'a>, UriError> {
        match Uri::scan::<true>(text) {
            Some(uri) => Ok(uri),
            None => Uri::split(text).checked(grammar),
        }
    }

    /// If these components are valid by `grammar`, returns them.
    fn checked(self, grammar: Grammar) -> Result<Uri<'a>, UriError> {
        match self.scheme {
            Some(scheme) => {
                scheme_error(scheme.as_bytes()).map_or(Ok(()), |offset| fault(offset, UriErrorKind::Scheme))?
            }
            None if self.authority.is_none() && self.path.starts_with(':') => fault(0, UriErrorKind::Scheme)?,
            None => {}
        }
        if let Some(authority) = self.authority {
            Authority::split(authority).check(self.authority_offset(), grammar)?;
        }
        check_component_at(self.path, self.path_offset(), Component::Path, grammar)?;
        if let Some(query) = self.query {
            check_component_at(query, self.query_offset(), Component::Query, grammar)?;
        }
        if let Some(fragment) = self.fragment {
            check_component_at(fragment, self.fragment_offset(), Component::Fragment, grammar)?;
        }
        Ok(self)
    }

    /// Returns true if there is a scheme and it is valid (3.1).
    pub(super) fn has_scheme(&self) -> bool {
        self.scheme.is_some_and(|scheme| scheme_error(scheme.as_bytes()).is_none())
    }

    pub(super) fn authority_offset(&self) -> usize {
        self.scheme.map_or(0, |scheme| scheme.len() + 1) + 2
    }

    /// Returns the range of the host. If there is no authority, returns `None`.
    #[cfg(feature = "alloc")]
    pub(crate) fn host_range(&self) -> Option<Range<usize>> {
        let Authority { userinfo, host, .. } = self.authority_parts()?;
        let start = self.authority_offset() + userinfo.map_or(0, |userinfo| userinfo.len() + 1);
        Some(start..start + host.len())
    }

    pub(super) fn path_offset(&self) -> usize {
        let start = self.scheme.map_or(0, |scheme| scheme.len() + 1);
        start + self.authority.map_or(0, |authority| authority.len() + 2)
    }

    pub(super) fn query_offset(&self) -> usize {
        self.path_offset() + self.path.len() + 1
    }

    pub(super) fn fragment_offset(&self) -> usize {
        self.path_offset() + self.path.len() + self.query.map_or(0, |query| query.len() + 1) + 1
    }

    /// Splits the authority. If there is no authority, returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// assert_eq!(Uri::split("http://h:80/").authority_parts().map(|parts| parts.host), Some("h"));
    /// assert_eq!(Uri::split("mailto:a@b").authority_parts(), None);
    /// ```
    #[must_use]
    pub fn authority_parts(&self) -> Option<Authority<'a>> {
        self.authority.map(Authority::split)
    }

    /// Returns the userinfo, which is the text before the `@` of the authority (3.2.1).
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let uri = Uri::split("ftp://me@[::1]:2121/");
    /// assert_eq!((uri.userinfo(), uri.host(), uri.port()), (Some("me"), Some("[::1]"), Some("2121")));
    /// ```
    #[must_use]
    pub fn userinfo(&self) -> Option<&'a str> {
        self.authority_parts()?.userinfo
    }

    /// Returns the host (3.2.2). If there is no authority, returns `None`.
    #[must_use]
    pub fn host(&self) -> Option<&'a str> {
        Some(self.authority_parts()?.host)
    }

    /// Returns the port as it is written (3.2.3).
    #[must_use]
    pub fn port(&self) -> Option<&'a str> {
        self.authority_parts()?.port
    }

    /// Returns the segments of the path, so that you can decode each of them separately. Offsets count from the start
    /// of the whole text.
    ///
    /// As in [`segments`](super::segments), the text before the first slash is also a segment, even if it is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let error = Uri::split("http://h/a/100%").segments().nth(2).unwrap().decode_strict().unwrap_err();
    /// assert_eq!(error.offset, 14);
    /// ```
    #[must_use]
    pub fn segments(&self) -> Segments<'a> {
        parts::segments_at(self.path, self.path_offset())
    }

    /// Returns the pairs of the query, so that you can decode each of them separately. Offsets count from the start of
    /// the whole text.
    ///
    /// If there is no query, there are no pairs. As in [`query_pairs`](super::query_pairs), a `+` stays a `+`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let mut pairs = Uri::split("/?a=1%262&b").query_pairs();
    /// let first = pairs.next().unwrap();
    /// assert_eq!((first.name.raw(), first.value.unwrap().decode_utf8_lossy().as_ref()), ("a", "1&2"));
    /// assert_eq!(pairs.next().unwrap().value, None);
    /// ```
    #[must_use]
    pub fn query_pairs(&self) -> Parameters<'a> {
        parts::pairs_at(self.query.unwrap_or_default(), b'&', self.query_offset())
    }
}

impl fmt::Display for Uri<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Uri { scheme, authority, path, query, fragment } = self;
        for (before, text, after) in
            [("", scheme, ":"), ("//", authority, ""), ("", &Some(*path), ""), ("?", query, ""), ("#", fragment, "")]
        {
            if let Some(text) = text {
                f.write_str(before)?;
                f.write_str(text)?;
                f.write_str(after)?;
            }
        }
        Ok(())
    }
}

impl<'a> Authority<'a> {
    /// Splits any text as the authority of a URI.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Authority, HostKind};
    ///
    /// let authority = Authority::split("me:secret@[::1]:8080");
    /// assert_eq!(authority, Authority { userinfo: Some("me:secret"), host: "[::1]", port: Some("8080") });
    /// assert_eq!(authority.host_kind(), Some(HostKind::Ipv6));
    /// ```
    #[must_use]
    pub fn split(authority: &'a str) -> Authority<'a> {
        let (userinfo, rest) = match memrchr(b'@', authority.as_bytes()) {
            Some(at) => (Some(&authority[..at]), &authority[at + 1..]),
            None => (None, authority),
        };
        let (host, port) = split_port(rest);
        Authority { userinfo, host, port }
    }

    /// Returns the form of the host. If the host isn't valid by the grammar, returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Authority, HostKind};
    ///
    /// let kind = |authority| Authority::split(authority).host_kind();
    /// assert_eq!(kind("127.0.0.1:80"), Some(HostKind::Ipv4));
    /// assert_eq!(kind("127.0.0.256"), Some(HostKind::RegName));
    /// assert_eq!(kind("[127.0.0.1]"), None);
    /// ```
    #[must_use]
    pub fn host_kind(&self) -> Option<HostKind> {
        match self.host.strip_prefix('[') {
            Some(literal) => ip_literal(literal.strip_suffix(']')?),
            None if self.host.parse::<Ipv4Addr>().is_ok() => Some(HostKind::Ipv4),
            None => {
                check_component_at(self.host, 0, Component::Host, Grammar::Uri).is_ok().then_some(HostKind::RegName)
            }
        }
    }

    /// Returns true if the authority is valid by every [`Grammar`]. The caller has already checked that the authority
    /// has no brackets, and only characters that a URI may contain.
    fn is_plain(&self) -> bool {
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        !self.userinfo.is_some_and(|userinfo| userinfo.contains('@')) && self.port.is_none_or(is_number)
    }

    /// Returns the first fault of this authority, which starts at `offset`.
    pub(super) fn check(&self, offset: usize, grammar: Grammar) -> Result<(), UriError> {
        let host_offset = offset + self.userinfo.map_or(0, |userinfo| userinfo.len() + 1);
        if let Some(userinfo) = self.userinfo {
            check_component_at(userinfo, offset, Component::Userinfo, grammar)?;
        }
        check_host(self.host, host_offset, grammar)?;
        match self.port.and_then(|port| port.bytes().position(|byte| !byte.is_ascii_digit())) {
            Some(at) => fault(host_offset + self.host.len() + 1 + at, UriErrorKind::Port),
            None => Ok(()),
        }
    }
}

fn fault(offset: usize, kind: UriErrorKind) -> Result<(), UriError> {
    Err(UriError { offset, kind })
}

/// Checks that a URI may contain `text` as this component (RFC 3986 3; RFC 8141 2).
///
/// If a component doesn't allow a character, this character must be written as triplets. For a path, one rule isn't
/// checked: if the URI has an authority, the path must be empty or start with `/`.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Component, UriErrorKind, check_component};
///
/// assert_eq!(check_component("q=a%20b", Component::Query), Ok(()));
/// let error = check_component("q=a b", Component::Query).unwrap_err();
/// assert_eq!((error.offset, error.kind), (3, UriErrorKind::Character(Component::Query)));
/// assert_eq!(check_component("[::1]", Component::Host), Ok(()));
/// ```
///
/// # Errors
///
/// Returns the first character that the component doesn't allow, or the first `%` that starts no triplet. If a host is
/// in brackets but isn't an IP literal, returns [`UriErrorKind::IpLiteral`].
pub fn check_component(text: &str, component: Component) -> Result<(), UriError> {
    match component {
        Component::Host => check_host(text, 0, Grammar::Uri),
        Component::Nss | Component::RComponent | Component::QComponent => check_urn_component(text, 0, component),
        _ => check_component_at(text, 0, component, Grammar::Uri),
    }
}

/// Returns the first fault of a host that starts at `offset`.
pub(super) fn check_host(host: &str, offset: usize, grammar: Grammar) -> Result<(), UriError> {
    if !host.starts_with('[') {
        return check_component_at(host, offset, Component::Host, grammar);
    }
    let Some(end) = memchr(b']', host.as_bytes()) else {
        return fault(offset, UriErrorKind::IpLiteral);
    };
    match ip_literal(&host[1..end]) {
        Some(HostKind::Ipv6Zoned) if grammar == Grammar::ZonedUri => {}
        Some(HostKind::Ipv6 | HostKind::IpvFuture) => {}
        _ => fault(offset, UriErrorKind::IpLiteral)?,
    }
    if end + 1 < host.len() { fault(offset + end + 1, UriErrorKind::Character(Component::Host)) } else { Ok(()) }
}

/// Returns the first fault of a component that starts at `offset`.
fn check_component_at(text: &str, offset: usize, component: Component, grammar: Grammar) -> Result<(), UriError> {
    // An encoder that keeps triplets changes exactly the characters that are faults. So the first change is the first
    // fault.
    const USERINFO: Encoder = super::USERINFO.keep_triplets();
    const HOST: Encoder = super::REG_NAME.keep_triplets();
    const PATH: Encoder = super::PATH.keep_triplets();
    const QUERY: Encoder = super::QUERY.keep_triplets();
    static ENCODERS: [Encoder; 4] = [USERINFO, HOST, PATH, QUERY];
    let [userinfo, host, path, query] = &ENCODERS;
    let found = match (grammar, component) {
        (Grammar::Iri, component) => find_iri_fault(text, component),
        (_, Component::Userinfo) => userinfo.first_changed(text),
        (_, Component::Host) => host.first_changed(text),
        (_, Component::Path | Component::Nss) => path.first_changed(text),
        (_, Component::Query | Component::Fragment | Component::RComponent | Component::QComponent) => {
            query.first_changed(text)
        }
    };
    match found {
        Some(at) if text.as_bytes()[at] == b'%' => fault(offset + at, UriErrorKind::Escape(component)),
        Some(at) => fault(offset + at, UriErrorKind::Character(component)),
        None => Ok(()),
    }
}

/// Returns the offset of the first character that this component of an IRI can't contain.
///
/// The component may contain triplets, and the characters of the same component in a URI. It may also contain the
/// characters above ASCII that an IRI allows there.
fn find_iri_fault(text: &str, component: Component) -> Option<usize> {
    const fn finder(set: ByteSet) -> RawEncoder {
        RawEncoder::new(set.union(ByteSet::range(0x80, 0xFF))).keep_triplets()
    }
    static USERINFO: RawEncoder = finder(sets::RFC3986_USERINFO);
    static HOST: RawEncoder = finder(sets::RFC3986_REG_NAME);
    static PATH: RawEncoder = finder(sets::RFC3986_PATH);
    static QUERY: RawEncoder = finder(sets::RFC3986_QUERY);
    /// Finds the first byte of each character above ASCII that a component can't contain. Also finds some characters
    /// that are allowed.
    static REFUSED: RawEncoder = RawEncoder::new(FIRSTS_OF_NEITHER.union(ByteSet::of(b"\xE2\xEE")).complement());
    let allowed = match component {
        Component::Userinfo => &USERINFO,
        Component::Host => &HOST,
        Component::Path => &PATH,
        _ => &QUERY,
    };
    let private = component == Component::Query;
    let ascii = allowed.first_changed(text);
    find_refused(&text[..ascii.unwrap_or(text.len())], &REFUSED, |c| !is_allowed_in_iri(c, private)).or(ascii)
}

/// Returns the first fault in a component of a URN. The component starts at `offset`.
///
/// Every component except the fragment must start with a `pchar` (RFC 8141 2).
pub(super) fn check_urn_component(text: &str, offset: usize, component: Component) -> Result<(), UriError> {
    match text.as_bytes().first() {
        _ if component == Component::Fragment => {}
        None => fault(offset, UriErrorKind::Empty(component))?,
        Some(b'/' | b'?') => fault(offset, UriErrorKind::Character(component))?,
        Some(_) => {}
    }
    check_component_at(text, offset, component, Grammar::Uri)
}

/// Returns the kind of the text between brackets (RFC 3986 3.2.2, RFC 6874 2). If it isn't a valid address, returns
/// `None`.
fn ip_literal(text: &str) -> Option<HostKind> {
    /// `1*( unreserved / sub-delims / ":" )`
    const FUTURE: ByteSet = sets::RFC3986_USERINFO;
    if is_ipv6(text) {
        return Some(HostKind::Ipv6);
    }
    if let Some(future) = text.strip_prefix(['v', 'V']) {
        let (version, address) = cut(future, b'.');
        let is_hex = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_address = address.is_some_and(|text| !text.is_empty() && text.bytes().all(|b| FUTURE.contains(b)));
        return (is_hex && is_address).then_some(HostKind::IpvFuture);
    }
    const ZONE: Encoder = Encoder::new(sets::RFC3986_UNRESERVED).keep_triplets();
    let (address, zone) = text.split_at(memchr(b'%', text.as_bytes())?);
    let zone = zone.strip_prefix("%25")?;
    (is_ipv6(address) && !zone.is_empty() && ZONE.first_changed(zone).is_none()).then_some(HostKind::Ipv6Zoned)
}

/// Returns true for an IPv6 address without brackets (RFC 3986 3.2.2, `IPv6address`).
#[inline(never)]
pub(super) fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok()
}

/// Splits a host before its zone (RFC 6874 2). For example, splits `[fe80::1%25eth0]` into `[fe80::1` and `%25eth0]`.
///
/// The letters of a zone are case-sensitive. The other letters of a host are not (RFC 3986 3.2.2).
pub(super) fn split_zone(host: &str) -> (&str, &str) {
    let zone = if host.starts_with('[') { host.as_bytes().windows(3).position(|three| three == b"%25") } else { None };
    host.split_at(zone.unwrap_or(host.len()))
}
