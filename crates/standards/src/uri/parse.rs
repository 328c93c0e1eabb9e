//! Defines [`Uri`], a reference that is split into its components (RFC 3986 3, 4, 5.3 and Appendix B).

use core::fmt;
#[cfg(feature = "alloc")]
use core::ops::Range;

use memchr::{memchr, memchr3};

use percent_simd::{AsBytes, ByteSet, RawEncoder, internal::ChangedBytes, sets};

use super::authority::Authority;
use super::check::{Grammar, check_component_at, fault, scheme_error};
use super::error::{Component, UriError, UriErrorKind};
use super::parts::{self, Parameters, Segments};

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

    /// Returns true if there is no scheme, or if the scheme is valid. Otherwise the text isn't a reference, even if
    /// Appendix B splits it like one: in `127.0.0.1:80`, the text before the colon can be a host.
    pub(super) fn is_reference(&self) -> bool {
        self.scheme.is_none() || self.has_scheme()
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
