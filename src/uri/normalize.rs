//! Normalisation (RFC 3986 6.2.2, 6.2.3).

use super::dots::Dots;
use super::parse::Uri;

#[cfg(feature = "alloc")]
use super::dots::Kept;
#[cfg(feature = "alloc")]
use super::parse::{Authority, split_zone};
#[cfg(feature = "alloc")]
use crate::{ByteSet, CheckedDecoder, DecodeError, Decoder, RawEncoder, sets};
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec};

/// The port that a scheme has where none is written, in lower case or not (RFC 3986 3.2.3): of the schemes whose
/// specification says so and that have an authority.
///
/// ```
/// use percent_simd::uri::default_port;
///
/// assert_eq!(default_port("HTTPS"), Some(443));
/// assert_eq!(default_port("mailto"), None);
/// ```
#[must_use]
pub fn default_port(scheme: &str) -> Option<u16> {
    const PORTS: &[(&str, u16)] = &[
        ("http", 80),     // RFC 9110 4.2.1
        ("https", 443),   // RFC 9110 4.2.2
        ("ws", 80),       // RFC 6455 3
        ("wss", 443),     // RFC 6455 3
        ("ftp", 21),      // RFC 1738 3.2
        ("ldap", 389),    // RFC 4516 2
        ("telnet", 23),   // RFC 4248
        ("gopher", 70),   // RFC 4266 2.1
        ("nntp", 119),    // RFC 5538 3
        ("imap", 143),    // RFC 5092 3
        ("pop", 110),     // RFC 2384 2
        ("rtsp", 554),    // RFC 7826 4.2
        ("rtsps", 322),   // RFC 7826 4.2
        ("coap", 5683),   // RFC 7252 6.1
        ("coaps", 5684),  // RFC 7252 6.2
        ("ipp", 631),     // RFC 3510 4.2
        ("ipps", 631),    // RFC 7472 4.2
        ("dict", 2628),   // RFC 2229 5
        ("wais", 210),    // RFC 4156
        ("prospero", 1525), // RFC 4157
        ("acap", 674),    // RFC 2244 4
        ("mupdate", 3905), // RFC 3656
        ("beep", 605),
        ("nfs", 2049),    // RFC 2224 2
        ("tftp", 69),     // RFC 3617 3
        ("icap", 1344),   // RFC 3507 4.2
        ("vnc", 5900),    // RFC 7869 2
        ("ssh", 22),
        ("sftp", 22),
    ];
    PORTS.iter().find(|(name, _)| scheme.eq_ignore_ascii_case(name)).map(|&(_, port)| port)
}

/// What 6.2.3 leaves of a port: nothing where it is empty or the default of the scheme.
pub(super) fn port_beside<'a>(uri: &Uri<'a>, port: Option<&'a str>) -> Option<&'a str> {
    // `parse` takes signs and zeros in front.
    let number = |port: &str| if port.starts_with(|c| matches!(c, '1'..='9')) { port.parse().ok() } else { None };
    let is_default = |port: &str| number(port).is_some_and(|port| uri.scheme.and_then(default_port) == Some(port));
    port.filter(|port| !port.is_empty() && !is_default(port))
}

/// What is done about the segments of dots in a path: they go, but where it is relative and so waits for a base, by
/// which to be resolved (6.2.2.3).
pub(super) fn dots_of(uri: &Uri<'_>) -> Dots {
    if uri.scheme.is_some() || uri.path.starts_with('/') { Dots::EscapedGo } else { Dots::Stay }
}

/// Triplets of what is unreserved are decoded, and all others get digits in upper case (6.2.2.1, 6.2.2.2).
#[cfg(feature = "alloc")]
static ESCAPES: CheckedDecoder = Decoder::new().keep_upper(sets::RFC3986_UNRESERVED.complement()).strict();

/// A `%` that starts no triplet becomes `%25`.
#[cfg(feature = "alloc")]
static STRAY: RawEncoder = RawEncoder::new(ByteSet::ALL).keep_triplets();

/// Normalises the escapes of any text, be it a component or a whole URI: triplets of unreserved characters are decoded,
/// and the digits of all others become upper case (RFC 3986 6.2.2.1, 6.2.2.2).
///
/// Reserved characters are never decoded and nothing is encoded, so what the text says stays the same. A malformed `%` is
/// an error; its offset is one in bytes of the text. Borrows where the text is normal already, else allocates once.
///
/// ```
/// use percent_simd::uri::normalize_escapes;
///
/// assert_eq!(normalize_escapes("%7euser%2f%c3%a9")?, "~user%2F%C3%A9");
/// assert_eq!(normalize_escapes("%2541")?, "%2541");
/// assert_eq!(normalize_escapes("%%34%31").unwrap_err().offset, 0);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
pub fn normalize_escapes(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    ESCAPES.decode_utf8(text)
}

/// The same, but a malformed `%` is no error: it becomes `%25` before anything else is done, so that no new escape comes
/// about.
///
/// ```
/// assert_eq!(percent_simd::uri::sanitize_escapes("%%34%31"), "%2541");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn sanitize_escapes(text: &str) -> Cow<'_, str> {
    sanitized(text, normalize_escapes)
}

/// Normalises a URI or a reference by its syntax: [`Normalizer::normalize`] with nothing else asked for.
///
/// ```
/// use percent_simd::uri::normalize;
///
/// assert_eq!(normalize("HTTP://ex%41mple.%c3%89.COM/%2e%2e/A")?, "http://example.%C3%89.com/A");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
pub fn normalize(uri: &str) -> Result<Cow<'_, str>, DecodeError> {
    Normalizer::new().normalize(uri)
}

/// The same, but a malformed `%` becomes `%25`: [`Normalizer::sanitize`] with nothing else asked for.
#[cfg(feature = "alloc")]
#[must_use]
pub fn sanitize(uri: &str) -> Cow<'_, str> {
    Normalizer::new().sanitize(uri)
}

/// Normalises URIs and references, so that more of those that mean the same are the same (RFC 3986 6.2.2, 6.2.3).
///
/// By syntax, which is right for any scheme:
/// - triplets of unreserved characters are decoded, the digits of others become upper case (6.2.2.1, 6.2.2.2);
/// - the scheme and the host become lower case (6.2.2.1), but for the zone of an IPv6 address (RFC 6874), whose letters
///   have a case on most systems;
/// - the segments `.` and `..` are removed, `%2E` being a dot (6.2.2.3), but not from a relative path, which is yet to be
///   resolved;
/// - where that leaves a path that would be read as an authority, `/.` is put in front of it.
///
/// And [by scheme](Self::by_scheme), if asked for. Reserved characters are never decoded and nothing is encoded.
///
/// It borrows where nothing changes, and else allocates once, exactly as much as the result takes. Doing it twice
/// is doing it once. Text that is no URI reference is dealt with as Appendix B splits it; where no scheme is one by the
/// grammar, what stands before the first colon is left as it is. To have such text refused, call
/// [`Uri::parse`](super::Uri::parse) before.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Normalizer {
    by_scheme: bool,
}

#[cfg(feature = "alloc")]
impl Normalizer {
    /// A normaliser by syntax.
    #[must_use]
    pub const fn new() -> Normalizer {
        Normalizer { by_scheme: false }
    }

    /// Also does what all schemes with an authority have in common (6.2.3): a port that is empty or the
    /// [default](default_port) goes, and the empty path becomes `/`.
    ///
    /// ```
    /// use percent_simd::uri::Normalizer;
    ///
    /// const BY_SCHEME: Normalizer = Normalizer::new().by_scheme();
    /// for same in ["http://example.com", "http://example.com/", "http://example.com:/", "http://example.com:80/"] {
    ///     assert_eq!(BY_SCHEME.normalize(same)?, "http://example.com/");
    /// }
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn by_scheme(mut self) -> Normalizer {
        self.by_scheme = true;
        self
    }

    /// The normal form, or where a malformed `%` is, in bytes of the text.
    ///
    /// ```
    /// use percent_simd::uri::Normalizer;
    ///
    /// let normalizer = Normalizer::new();
    /// assert_eq!(normalizer.normalize("http://a/b/%2E/c/../%64")?, "http://a/b/d");
    /// assert_eq!(normalizer.normalize("a:/.//b")?, "a:/.//b");
    /// assert_eq!(normalizer.normalize("http://a/100%").unwrap_err().offset, 12);
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    pub fn normalize<'a>(&self, uri: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        let parts = Uri::split(uri);
        Ok(if self.rebuilds(&parts) {
            ESCAPES.check(uri)?;
            let rebuilt = self.rebuilt(&parts);
            if rebuilt == uri { Cow::Borrowed(uri) } else { Cow::Owned(rebuilt) }
        } else {
            match ESCAPES.decode_utf8(uri)? {
                Cow::Borrowed(_) if !has_upper(&parts) => Cow::Borrowed(uri),
                normal => Cow::Owned(lowered(normal.into_owned())),
            }
        })
    }

    /// The normal form; a malformed `%` becomes `%25` before anything else is done (and takes an allocation more).
    ///
    /// ```
    /// assert_eq!(percent_simd::uri::Normalizer::new().sanitize("HTTP://a/100%/%7e"), "http://a/100%25/~");
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[must_use]
    pub fn sanitize<'a>(&self, uri: &'a str) -> Cow<'a, str> {
        sanitized(uri, |uri| self.normalize(uri))
    }

    /// Whether more has to be done than to normalise escapes and change the case.
    fn rebuilds(&self, uri: &Uri<'_>) -> bool {
        // What is no scheme stays as it is; its escapes too.
        let odd_scheme = uri.scheme.is_some_and(|scheme| scheme.contains('%'));
        // Two slashes after `/.` have it for a guard.
        let path = match (uri.authority, uri.path.strip_prefix("/.")) {
            (None, Some(guarded)) if guarded.starts_with("//") => guarded,
            _ => uri.path,
        };
        odd_scheme || dots_of(uri).any(path) || self.by_scheme && self.differs_by_scheme(uri)
    }

    fn differs_by_scheme(&self, uri: &Uri<'_>) -> bool {
        let Some(Authority { port, .. }) = uri.authority_parts() else { return false };
        uri.path.is_empty() || port != port_beside(uri, port)
    }

    #[cold]
    fn rebuilt(&self, uri: &Uri<'_>) -> String {
        let mut uri = *uri;
        if self.by_scheme && let (Some(authority), Some(parts)) = (uri.authority, uri.authority_parts()) {
            if parts.port != port_beside(&uri, parts.port) {
                let port = parts.port.map_or(0, |port| port.len() + 1);
                uri.authority = Some(&authority[..authority.len() - port]);
            }
            if uri.path.is_empty() {
                uri.path = "/";
            }
        }
        lowered(build_uri(&uri, Kept::new("", uri.path, dots_of(&uri)), true))
    }
}

/// Normalises, and where a malformed `%` is in the way, encodes those first.
#[cfg(feature = "alloc")]
fn sanitized(text: &str, normalize: impl Fn(&str) -> Result<Cow<'_, str>, DecodeError>) -> Cow<'_, str> {
    normalize(text).unwrap_or_else(|_| {
        let clean = STRAY.encode_str(text).into_owned();
        Cow::Owned(match normalize(&clean) {
            Ok(Cow::Owned(normal)) => normal,
            _ => clean,
        })
    })
}

/// Whether the scheme or the host has letters in upper case that are no digits of triplets.
#[cfg(feature = "alloc")]
fn has_upper(uri: &Uri<'_>) -> bool {
    let upper = |text: &str| text.bytes().any(|byte| byte.is_ascii_uppercase());
    let upper_letter = |text: &str| {
        let (first, rest) = text.split_at(text.find('%').unwrap_or(text.len()));
        upper(first) || rest.split('%').any(|run| upper(run.get(2..).unwrap_or_default()))
    };
    uri.has_scheme() && uri.scheme.is_some_and(upper)
        || uri.authority.is_some_and(|authority| upper_letter(split_zone(Authority::split(authority).host).0))
}

/// The URI, its escapes normal already, with its scheme and host in lower case.
#[cfg(feature = "alloc")]
fn lowered(mut uri: String) -> String {
    let parts = Uri::split(&uri);
    let scheme = if parts.has_scheme() { parts.scheme.map_or(0, str::len) } else { 0 };
    let (start, len) = match parts.authority_parts() {
        Some(Authority { userinfo, host, .. }) => {
            let start = parts.authority_offset() + userinfo.map_or(0, |userinfo| userinfo.len() + 1);
            (start, split_zone(host).0.len())
        }
        None => (0, 0),
    };
    if let Some(scheme) = uri.get_mut(..scheme) {
        scheme.make_ascii_lowercase();
    }
    let mut rest = uri.get_mut(start..start + len).unwrap_or_default();
    loop {
        let (run, triplet) = rest.split_at_mut(rest.find('%').unwrap_or(rest.len()));
        run.make_ascii_lowercase();
        match triplet.get_mut(3..) {
            Some(after) => rest = after,
            None => return uri,
        }
    }
}

/// A URI with `path` for its path: RFC 3986 5.3. With `escapes`, those of it are normalised, which must not be malformed.
#[cfg(feature = "alloc")]
pub(super) fn build_uri(uri: &Uri<'_>, path: Kept<'_>, escapes: bool) -> String {
    let guard = if uri.authority.is_none() && path.clone().looks_like_authority() { "/." } else { "" };
    let optional = |before, text: Option<_>| [text.unwrap_or_default(), if text.is_some() { before } else { "" }];
    let pieces = optional("#", uri.fragment)
        .into_iter()
        .chain(optional("?", uri.query))
        .chain(path.pieces())
        .chain([guard])
        .chain(optional("//", uri.authority))
        .map(|piece| (piece, escapes));
    let scheme = [if uri.scheme.is_some() { ":" } else { "" }, uri.scheme.unwrap_or_default()];
    build(pieces.chain(scheme.map(|piece| (piece, false))))
}

/// Text from its pieces, the last of them first, in one allocation of exactly its length. The escapes of those that are
/// marked are normalised.
#[cfg(feature = "alloc")]
pub(super) fn build<'a>(pieces: impl Iterator<Item = (&'a str, bool)> + Clone) -> String {
    static ESCAPES: Decoder = Decoder::new().keep_upper(sets::RFC3986_UNRESERVED.complement());
    let pieces = pieces.filter(|(piece, _)| !piece.is_empty()).map(|(piece, escapes)| {
        let escapes = escapes && piece.contains('%');
        (piece, escapes, if escapes { ESCAPES.decoded_len(piece) } else { piece.len() })
    });
    let len = pieces.clone().fold(0usize, |sum, (_, _, len)| sum.saturating_add(len));
    let mut text = vec![0; len];
    let mut at = len;
    for (piece, escapes, len) in pieces {
        let room = &mut text[at - len..at];
        if escapes {
            // It has exactly the room that it needs.
            let _ = ESCAPES.decode_slice(piece, room);
        } else {
            room.copy_from_slice(piece.as_bytes());
        }
        at -= len;
    }
    // ASCII in the place of ASCII leaves UTF-8 what it was.
    String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
