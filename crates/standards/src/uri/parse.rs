//! [`Uri`]: a reference and its components (RFC 3986 3, 4, 5.3 and Appendix B).

use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};
#[cfg(feature = "alloc")]
use core::ops::Range;

use memchr::{memchr, memchr3, memrchr};

use percent_simd::{AsBytes, ByteSet, Encoder, RawEncoder, internal::ChangedBytes, sets};

use super::parts::{self, Parameters, Segments};
use super::ucschar::{FIRSTS_OF_NEITHER, find_refused, may_stand};

/// A URI reference (RFC 3986 4.1), split into its components.
///
/// A component that is absent differs from one that is empty: `http://h/?` has a query, `http://h/` has none. Nothing
/// is decoded. `Display` puts the components together again, as section 5.3 has it: what was split comes out as it was.
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
/// For a value of its own, as [`str::parse`] returns, see [`UriBuf`](super::UriBuf).
///
/// The fields can be set, too; keep them valid by their clauses then. A path
/// that starts with `//` where there is no authority would be read as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uri<'a> {
    /// The text before the first `:`, where no `/`, `?` or `#` precedes that (3.1).
    pub scheme: Option<&'a str>,
    /// The text after `//` (3.2).
    pub authority: Option<&'a str>,
    /// The path, which is always there, if only empty (3.3).
    pub path: &'a str,
    /// The text after the first `?` (3.4).
    pub query: Option<&'a str>,
    /// The text after the first `#` (3.5).
    pub fragment: Option<&'a str>,
}

/// An authority, split (RFC 3986 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Authority<'a> {
    /// The text before the last `@` (3.2.1). The grammar allows one at most.
    pub userinfo: Option<&'a str>,
    /// The host, an IP literal with its brackets; it may be empty (3.2.2).
    pub host: &'a str,
    /// The text after the first `:` of the rest, but for colons within brackets; it may be empty (3.2.3).
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
    /// `reg-name`, which may be empty. What looks like an IPv4 address but is none is a name: `256.0.0.1`.
    RegName,
}

/// A component of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Component {
    /// RFC 3986 3.2.1.
    Userinfo,
    /// RFC 3986 3.2.2.
    Host,
    /// RFC 3986 3.3.
    Path,
    /// RFC 3986 3.4.
    Query,
    /// RFC 3986 3.5, and the f-component of a URN.
    Fragment,
    /// The namespace specific string of a URN (RFC 8141 2.2).
    Nss,
    /// The r-component of a URN (RFC 8141 2.3.1).
    RComponent,
    /// The q-component of a URN (RFC 8141 2.3.2).
    QComponent,
}

/// The first fault of a text that should be a URI, an IRI, a URN, a part of one, or the target or path of a request.
///
/// The message is for whoever wrote the text: place and fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UriError {
    /// Offset of the fault, in bytes of the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: UriErrorKind,
}

impl UriError {
    /// Makes a value of its parts, for tests and for code that finds the like by other means.
    #[must_use]
    pub const fn new(offset: usize, kind: UriErrorKind) -> UriError {
        UriError { offset, kind }
    }
}

/// The kind of a [`UriError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UriErrorKind {
    /// A character that may not stand in this component. It has to be percent-encoded.
    Character(Component),
    /// A `%` that is not followed by two hexadecimal digits (RFC 3986 2.1). A `%` that is data is written `%25`.
    Escape(Component),
    /// A character that may not stand in a scheme (RFC 3986 3.1) before the first `:`. If no scheme is meant, that `:`
    /// is to be written `%3A`, or `./` put in front: the first segment of a relative path has no colon (4.2).
    Scheme,
    /// A character of a port that is no digit (RFC 3986 3.2.3).
    Port,
    /// Brackets that hold neither `IPv6address` nor `IPvFuture` (RFC 3986 3.2.2), or are not closed.
    IpLiteral,
    /// There is no scheme where one is required (RFC 3986 4.3, 5.1).
    NoScheme,
    /// There is a fragment in an absolute URI (RFC 3986 4.3) or in a request target (RFC 9112 3.2).
    Fragment,
    /// The host is no name of the DNS, or has no form in ASCII (RFC 3987 3.1, `ToASCII`).
    Host,
    /// The path of a request does not begin with `/`.
    NotRooted,
    /// A control, escaped or not, in the path of a request.
    Control,
    /// The text does not begin with `urn:`, in any case (RFC 8141 2).
    NotUrn,
    /// There is no namespace identifier: 2 to 32 letters, digits and hyphens, no hyphen first or last, and a `:`
    /// (RFC 8141 2.1).
    Nid,
    /// A component is empty, but the scheme requires it: those of a URN (RFC 8141 2), and the host of `http` and `https` (RFC 9110
    /// 4.2.1).
    Empty(Component),
    /// A NUL in the name of a URN (RFC 2141 2.4).
    Nul,
    /// A request target in no form that its method takes (RFC 9112 3.2).
    TargetForm,
    /// A character that base64 doesn't allow there, or the end of the text inside a group (Infra Standard 7).
    Base64,
    /// An address of a mail that lacks its local part, its `@` or its domain (RFC 6068 2). The offset is in this address.
    Address {
        /// Which address it is, from 0.
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
            UriErrorKind::Scheme => write!(f, "the character at byte {offset} is not allowed there in a scheme"),
            UriErrorKind::Port => write!(f, "the character at byte {offset}, in the port, is not a digit"),
            UriErrorKind::IpLiteral => write!(f, "the bracket at byte {offset} does not begin an IP address"),
            UriErrorKind::NoScheme => write!(f, "the scheme is missing at byte {offset}"),
            UriErrorKind::Fragment => write!(f, "the fragment at byte {offset} is not allowed here"),
            UriErrorKind::Host => write!(f, "the host at byte {offset} is not a valid name"),
            UriErrorKind::NotRooted => write!(f, "the path at byte {offset} does not begin with `/`"),
            UriErrorKind::Control => write!(f, "the control character at byte {offset} is not allowed in the path"),
            UriErrorKind::NotUrn => write!(f, "`urn:` is missing at byte {offset}"),
            UriErrorKind::Nid => write!(f, "there is no namespace identifier at byte {offset}"),
            UriErrorKind::Empty(component) => write!(f, "the {component} at byte {offset} is empty"),
            UriErrorKind::TargetForm => {
                write!(f, "the request target has no form that its method takes, from byte {offset} on")
            }
            UriErrorKind::Base64 => write!(f, "the base64 is malformed at byte {offset}"),
            UriErrorKind::Address { index } => {
                write!(f, "the address at index {index} is not of the form `local-part@domain`, at its byte {offset}")
            }
            UriErrorKind::Nul => write!(f, "the byte 0 at byte {offset} is not allowed in a URN"),
        }
    }
}

impl core::error::Error for UriError {}

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

/// `scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (3.1), but for the first.
const SCHEME: ByteSet = sets::ALPHANUMERIC.union(ByteSet::of(b"+-."));

/// By which grammar a reference is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    /// RFC 3986.
    Uri,
    /// RFC 3986 with RFC 6874: an IPv6 address may have a zone.
    ZonedUri,
    /// RFC 3987.
    Iri,
}

/// Returns the offset of the first character that may not be in a scheme.
pub(super) fn scheme_error(scheme: &[u8]) -> Option<usize> {
    let starts = scheme.first().is_some_and(u8::is_ascii_alphabetic);
    if starts { scheme.iter().position(|&byte| !SCHEME.contains(byte)) } else { Some(0) }
}

/// Returns the length, in bytes, of the text before the first `:` where
/// [RFC 3986 Appendix B](https://www.rfc-editor.org/rfc/rfc3986#appendix-B) takes it for a scheme but a `%` is in it;
/// otherwise 0.
///
/// Such a text is no scheme, but could be one if it were decoded. To decode a whole reference, leave it as it is.
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

/// Returns the text before the first of `delimiter`, and after it.
fn cut(text: &str, delimiter: u8) -> (&str, Option<&str>) {
    match memchr(delimiter, text.as_bytes()) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// The delimiters at which a reference is split, a bit each, and everything else that a scan for them stops at.
const COLON: u8 = 1;
const AT: u8 = 2;
const QUESTION: u8 = 4;
const HASH: u8 = 8;
const BAD: u8 = 16;

/// Which of them each byte is.
static KINDS: [u8; 256] = {
    let mut kinds = [BAD; 256];
    kinds[b':' as usize] = COLON;
    kinds[b'@' as usize] = AT;
    kinds[b'?' as usize] = QUESTION;
    kinds[b'#' as usize] = HASH;
    kinds
};

/// Walks over the delimiters of a reference.
struct Stops<'a> {
    text: &'a [u8],
    next: ChangedBytes<'a>,
    /// The offset of the delimiter that was found last.
    stop: Option<usize>,
    /// The kinds of those that were passed over.
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

    /// Goes to the first of `ends` or of what is none, which may be where it is now. Returns its offset and its kind; the end of the
    /// text has the kind 0.
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

/// [`Uri::parse`].
impl<'a> TryFrom<&'a str> for Uri<'a> {
    type Error = UriError;

    fn try_from(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse(text)
    }
}

impl<'a> Uri<'a> {
    /// Splits any text: the expression of RFC 3986 Appendix B, which matches whatever it is given.
    ///
    /// The result is only as good as the input: the scheme is whatever precedes a colon. Linear, and without
    /// allocation.
    ///
    /// Don't split the target of an HTTP request with this, or a path could be read as a host: `//private/a` in a request line is a
    /// path (RFC 9112 3.2.1), but a reference to the host `private` (RFC 3986 4.2). Call
    /// [`RequestTarget::split`](super::RequestTarget::split) for that.
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

    /// Splits any text, in one pass that stops at delimiters; with `CHECKS` at all that may not stand anywhere in a URI, too. Then it
    /// returns `None` if the text is no reference by RFC 3986, or has brackets.
    ///
    /// Split at its delimiters, a component has none of those left. So what may stand anywhere in a URI may stand in each of
    /// them, but for brackets, a second `#` or `@`, and what a scheme or a port may not have.
    #[inline(always)]
    fn scan<const CHECKS: bool>(text: &'a str) -> Option<Uri<'a>> {
        static SPLIT: RawEncoder = RawEncoder::new(ByteSet::of(b":?#").complement());
        static CHECK: RawEncoder =
            RawEncoder::new(sets::RFC3986_URI.difference(ByteSet::of(b":?#@[]"))).keep_triplets();
        // Stops at each slash would take more time than one look for the first.
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
            // They may be those of the path, too.
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

    /// Splits a `URI-reference` (RFC 3986 4.1), or says where it is none: the first fault, by the grammar of Appendix
    /// A.
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
    /// The first fault, by the grammar of Appendix A, with its offset in bytes of `text`.
    pub fn parse(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse_as(text, Grammar::Uri)
    }

    /// Like [`parse`](Self::parse), but an IPv6 address may have a zone, after `%25` (RFC 6874 2).
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
    /// Those of [`parse`](Self::parse).
    pub fn parse_zoned(text: &'a str) -> Result<Uri<'a>, UriError> {
        Uri::parse_as(text, Grammar::ZonedUri)
    }

    /// Splits an `absolute-URI` (RFC 3986 4.3): with a scheme, without a fragment. What a base URI is to be (5.1).
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
    /// Those of [`parse`](Self::parse), a missing scheme, and a fragment.
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

    /// Splits `text`, if it is by the grammar.
    pub(crate) fn parse_as(text: &'a str, grammar: Grammar) -> Result<Uri<'a>, UriError> {
        match Uri::scan::<true>(text) {
            Some(uri) => Ok(uri),
            None => Uri::split(text).checked(grammar),
        }
    }

    /// Returns these components, if they are by the grammar.
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

    /// Returns whether the scheme is there and is one by the grammar (3.1).
    pub(super) fn has_scheme(&self) -> bool {
        self.scheme.is_some_and(|scheme| scheme_error(scheme.as_bytes()).is_none())
    }

    pub(super) fn authority_offset(&self) -> usize {
        self.scheme.map_or(0, |scheme| scheme.len() + 1) + 2
    }

    /// Returns where the host is; absent only where the authority is.
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

    /// Returns the authority, split; absent where the authority is.
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

    /// Returns what precedes the `@` (3.2.1).
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

    /// Returns the host (3.2.2); absent only where the authority is.
    #[must_use]
    pub fn host(&self) -> Option<&'a str> {
        Some(self.authority_parts()?.host)
    }

    /// Returns the port, as it is written (3.2.3).
    #[must_use]
    pub fn port(&self) -> Option<&'a str> {
        self.authority_parts()?.port
    }

    /// Returns the segments of the path, to be decoded one by one. Offsets count from the start of the whole text.
    ///
    /// As of [`segments`](super::segments): what precedes the first slash is a segment, if only an empty one.
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

    /// Returns the pairs of the query, to be decoded one by one; none where there is no query. Offsets count from the
    /// start of the whole text.
    ///
    /// As of [`query_pairs`](super::query_pairs): a `+` is a `+`.
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
        let bytes = rest.as_bytes();
        let from = match bytes.first() {
            // An IP literal that does not end takes everything.
            Some(b'[') => memchr(b']', bytes).unwrap_or(bytes.len()),
            _ => 0,
        };
        match memchr(b':', &bytes[from..]) {
            Some(at) => Authority { userinfo, host: &rest[..from + at], port: Some(&rest[from + at + 1..]) },
            None => Authority { userinfo, host: rest, port: None },
        }
    }

    /// Returns what the host is by the grammar; `None` where it is nothing that the grammar has.
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

    /// Returns whether this is by every grammar, where all in it may stand somewhere in a URI, and no bracket is in it.
    fn is_plain(&self) -> bool {
        let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        !self.userinfo.is_some_and(|userinfo| userinfo.contains('@')) && self.port.is_none_or(is_number)
    }

    /// Says what is wrong with this authority, which starts at `offset`.
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

/// Checks that `text` may stand in a URI as `component`, with all that is not allowed there in triplets (RFC 3986 3; RFC 8141 2).
///
/// A path is not checked for what depends on the components before it: with an authority it is empty or starts with a `/`.
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
/// The first character that is not allowed there, or the first `%` that starts no triplet; where a host is between brackets and no
/// IP literal, that.
pub fn check_component(text: &str, component: Component) -> Result<(), UriError> {
    match component {
        Component::Host => check_host(text, 0, Grammar::Uri),
        Component::Nss | Component::RComponent | Component::QComponent => check_urn_component(text, 0, component),
        _ => check_component_at(text, 0, component, Grammar::Uri),
    }
}

/// Says what is wrong with a host that starts at `offset`.
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

/// Says what is wrong with a component that starts at `offset`.
fn check_component_at(text: &str, offset: usize, component: Component, grammar: Grammar) -> Result<(), UriError> {
    // An encoder that lets triplets pass would change the first character that is at fault.
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

/// Returns the offset of the first character that may not stand in a component of an IRI: neither in a triplet, nor of
/// those that may stand in that component of a URI, nor beyond ASCII one that may stand in this one.
fn find_iri_fault(text: &str, component: Component) -> Option<usize> {
    const fn finder(set: ByteSet) -> RawEncoder {
        RawEncoder::new(set.union(ByteSet::range(0x80, 0xFF))).keep_triplets()
    }
    static USERINFO: RawEncoder = finder(sets::RFC3986_USERINFO);
    static HOST: RawEncoder = finder(sets::RFC3986_REG_NAME);
    static PATH: RawEncoder = finder(sets::RFC3986_PATH);
    static QUERY: RawEncoder = finder(sets::RFC3986_QUERY);
    /// Finds the first bytes of the characters beyond ASCII that may not stand in a component, and of others.
    static REFUSED: RawEncoder = RawEncoder::new(FIRSTS_OF_NEITHER.union(ByteSet::of(b"\xE2\xEE")).complement());
    let allowed = match component {
        Component::Userinfo => &USERINFO,
        Component::Host => &HOST,
        Component::Path => &PATH,
        _ => &QUERY,
    };
    let private = component == Component::Query;
    let ascii = allowed.first_changed(text);
    find_refused(&text[..ascii.unwrap_or(text.len())], &REFUSED, |c| !may_stand(c, private)).or(ascii)
}

/// Says what is wrong with a component of a URN, which starts at `offset`. Where it is not the fragment, it starts with
/// a `pchar` (RFC 8141 2).
pub(super) fn check_urn_component(text: &str, offset: usize, component: Component) -> Result<(), UriError> {
    match text.as_bytes().first() {
        _ if component == Component::Fragment => {}
        None => fault(offset, UriErrorKind::Empty(component))?,
        Some(b'/' | b'?') => fault(offset, UriErrorKind::Character(component))?,
        Some(_) => {}
    }
    check_component_at(text, offset, component, Grammar::Uri)
}

/// Returns what stands between brackets (RFC 3986 3.2.2, RFC 6874 2).
fn ip_literal(text: &str) -> Option<HostKind> {
    /// `1*( unreserved / sub-delims / ":" )`
    const FUTURE: ByteSet = sets::RFC3986_USERINFO;
    if text.parse::<Ipv6Addr>().is_ok() {
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
    (address.parse::<Ipv6Addr>().is_ok() && !zone.is_empty() && ZONE.first_changed(zone).is_none())
        .then_some(HostKind::Ipv6Zoned)
}

/// Returns a host, and in an IP literal the zone with the `%25` before it, the bracket with it (RFC 6874 2): its
/// letters have a case, those of all else of a host have none (RFC 3986 3.2.2).
pub(super) fn split_zone(host: &str) -> (&str, &str) {
    let zone = if host.starts_with('[') { host.as_bytes().windows(3).position(|three| three == b"%25") } else { None };
    host.split_at(zone.unwrap_or(host.len()))
}
