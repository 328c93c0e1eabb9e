//! Normalizes URIs (RFC 3986 6.2.2, 6.2.3).

use percent_simd::{ByteSet, CheckedDecoder, DecodeError, Decoder, RawEncoder, SliceError, sets};

use super::authority::Authority;
use super::dots::Dots;
use super::parse::Uri;

#[cfg(feature = "alloc")]
use super::authority::split_zone;
#[cfg(feature = "alloc")]
use super::dots::Kept;
#[cfg(feature = "alloc")]
use super::parse::escaped_scheme_len;
#[cfg(feature = "alloc")]
use super::pieces::{SCRATCH, into_text};
#[cfg(feature = "alloc")]
use super::resolve::build_uri;
#[cfg(feature = "alloc")]
use crate::memory;
#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String};
#[cfg(feature = "alloc")]
use core::{fmt::Write, net::Ipv6Addr, ops::Range};
#[cfg(feature = "alloc")]
use memchr::memchr;

/// Returns the default port of a scheme (RFC 3986 3.2.3). The scheme may be in upper or lower case.
///
/// Knows the schemes that have an authority, and whose specification names a port.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::default_port;
///
/// assert_eq!(default_port("HTTPS"), Some(443));
/// assert_eq!(default_port("mailto"), None);
/// ```
#[must_use]
pub fn default_port(scheme: &str) -> Option<u16> {
    const PORTS: &[(&str, u16)] = &[
        ("http", 80),       // RFC 9110
        ("https", 443),     // RFC 9110
        ("ws", 80),         // RFC 6455
        ("wss", 443),       // RFC 6455
        ("ftp", 21),        // RFC 1738
        ("ldap", 389),      // RFC 4516
        ("telnet", 23),     // RFC 4248
        ("gopher", 70),     // RFC 4266
        ("nntp", 119),      // RFC 5538
        ("imap", 143),      // RFC 5092
        ("pop", 110),       // RFC 2384
        ("rtsp", 554),      // RFC 7826
        ("rtsps", 322),     // RFC 7826
        ("coap", 5683),     // RFC 7252
        ("coaps", 5684),    // RFC 7252
        ("ipp", 631),       // RFC 3510
        ("ipps", 631),      // RFC 7472
        ("dict", 2628),     // RFC 2229
        ("wais", 210),      // RFC 4156
        ("prospero", 1525), // RFC 4157
        ("acap", 674),      // RFC 2244
        ("mupdate", 3905),  // RFC 3656
        ("nfs", 2049),      // RFC 2224
        ("tftp", 69),       // RFC 3617
        ("icap", 1344),     // RFC 3507
        ("vnc", 5900),      // RFC 7869
        ("rsync", 873),     // RFC 5781
        ("snmp", 161),      // RFC 4088
        ("sieve", 4190),    // RFC 5804
        ("ssh", 22),        // RFC 4251 defines the protocol; the scheme has no RFC
        ("sftp", 22),       // RFC 4251, as for `ssh`
    ];
    PORTS.iter().find(|(name, _)| scheme.eq_ignore_ascii_case(name)).map(|&(_, port)| port)
}

/// Returns the port to keep. Drops an empty port (3.2.3). If `by_scheme` is true, also drops the default port of the
/// scheme (6.2.3). If the host is empty, keeps the port; see [`Normalizer`].
pub(super) fn kept_port<'a>(uri: &Uri<'a>, authority: Authority<'a>, by_scheme: bool) -> Option<&'a str> {
    let is_default = |mut port: &str| {
        while let Some(rest) = port.strip_prefix('0').or(port.strip_prefix("%30")) {
            port = rest;
        }
        let mut digits = [0; 5];
        let digits = Decoder::new().decode_slice(port, &mut digits).ok()?;
        // We check the digits first, because `parse` would accept a sign.
        let number = str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(number.parse() == Ok(default_port(uri.scheme?)?))
    };
    let is_dropped = |port: &str| port.is_empty() || by_scheme && is_default(port) == Some(true);
    authority.port.filter(|port| authority.host.is_empty() || !is_dropped(port))
}

/// Returns the rule for removing dot segments (6.2.2.3). A relative path isn't resolved yet, so we remove only the dot
/// segments that have no effect with any base.
pub(super) fn dots_of(uri: &Uri<'_>) -> Dots {
    if uri.scheme.is_none() && !uri.path.starts_with('/') { Dots::Relative } else { Dots::Decoded }
}

/// Decodes triplets of unreserved characters, and writes the digits of all other triplets in upper case (6.2.2.1,
/// 6.2.2.2).
#[cfg(feature = "alloc")]
static ESCAPES: CheckedDecoder = Decoder::new().keep_upper(sets::RFC3986_UNRESERVED.complement()).strict();

/// Finds a `%` or an upper-case letter in the scheme and the authority.
#[cfg(feature = "alloc")]
static FRONT: RawEncoder = RawEncoder::new(ByteSet::of(b"%").union(ByteSet::range(b'A', b'Z')).complement());

/// Finds a `%` or a `.` after the authority. They may start a triplet or a dot segment.
#[cfg(feature = "alloc")]
static REST: RawEncoder = RawEncoder::new(ByteSet::of(b"%.").complement());

/// Encodes each `%` that starts no triplet as `%25`.
#[cfg(feature = "alloc")]
static STRAY: RawEncoder = RawEncoder::new(ByteSet::ALL).keep_triplets();

/// Normalizes the triplets of any text: of a component, or of a whole reference (RFC 3986 6.2.2.1, 6.2.2.2).
///
/// Decodes the triplets of unreserved characters, and writes the digits of all other triplets in upper case. Reserved
/// characters aren't decoded, and no character is encoded, so the text keeps its meaning.
///
/// The result has a scheme only if the text has one. If the text before the first `:` contains a `%`, but no `/`, `?`
/// or `#`, the text before the `:` stays as it is.
///
/// Borrows if the text is already normal. Otherwise allocates once, or twice if the text has an escaped scheme.
///
/// # Errors
///
/// If a `%` starts no triplet, returns an error with the offset of this `%` in bytes of the text.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::normalize_escapes;
///
/// assert_eq!(normalize_escapes("%7euser%2f%c3%a9")?, "~user%2F%C3%A9");
/// assert_eq!(normalize_escapes("%2541")?, "%2541");
/// assert_eq!(normalize_escapes("%6Aavascript:alert(1)")?, "%6Aavascript:alert(1)"); // no scheme before, none after
/// assert_eq!(normalize_escapes("%%34%31").unwrap_err().offset, 0);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[cfg(feature = "alloc")]
pub fn normalize_escapes(text: &str) -> Result<Cow<'_, str>, DecodeError> {
    let (scheme, rest) = text.split_at(escaped_scheme_len(text));
    if !scheme.is_empty() {
        // We include the `:` in the checked text. Otherwise, if an incomplete triplet comes before the `:`, the error
        // would be that the input is truncated.
        ESCAPES.check(&text[..=scheme.len()])?;
    }
    Ok(match ESCAPES.decode(rest).map_err(|error| error.shifted(scheme.len()))? {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) if scheme.is_empty() => Cow::Owned(into_text(bytes)),
        Cow::Owned(bytes) => Cow::Owned(memory::concat(&[scheme, &into_text(bytes)])),
    })
}

/// Normalizes triplets as [`normalize_escapes`] does, but accepts a malformed `%`.
///
/// Each malformed `%` becomes `%25` first, so no new triplet can appear.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::uri::sanitize_escapes("%%34%31"), "%2541");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn sanitize_escapes(text: &str) -> Cow<'_, str> {
    sanitized(text, normalize_escapes)
}

/// Normalizes a URI or a reference by its syntax. This is [`Normalizer::normalize`] without options.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::normalize;
///
/// assert_eq!(normalize("HTTP://ex%41mple.%c3%89.COM/%2e%2e/A")?, "http://example.%C3%89.com/A");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
///
/// # Errors
///
/// If a `%` starts no triplet, returns an error with the offset of this `%` in bytes of `uri`.
#[cfg(feature = "alloc")]
pub fn normalize(uri: &str) -> Result<Cow<'_, str>, DecodeError> {
    Normalizer::new().normalize(uri)
}

/// Normalizes as [`normalize`] does, but writes a malformed `%` as `%25`. This is [`Normalizer::sanitize`] without
/// options.
///
/// # Examples
///
/// ```
/// assert_eq!(percent_standards::uri::sanitize("HTTP://a/./100%"), "http://a/100%25");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn sanitize(uri: &str) -> Cow<'_, str> {
    Normalizer::new().sanitize(uri)
}

/// Normalizes URIs and references. Equivalent URIs become equal text (RFC 3986 6.2.2, 6.2.3).
///
/// By default, it normalizes only by syntax, which is right for any scheme:
///
/// - **Triplets.** Triplets of unreserved characters are decoded. The digits of other triplets become upper case
///   (6.2.2.1, 6.2.2.2).
/// - **Case.** The scheme and the host become lower case (6.2.2.1). The zone of an IPv6 address (RFC 6874) keeps its
///   case, because zones are case-sensitive on most systems.
/// - **Dot segments.** `.` and `..` are removed, even if they are written with `%2E` (6.2.2.3). A relative path isn't
///   resolved yet, so only `.` is removed from it. If the path would then be empty, be absolute, or start with a
///   scheme, a `.` is kept (`./a:b`).
/// - **No false authority.** If the normalized path would be read as an authority, it gets a `/.` at its start.
/// - **Port.** An empty port is removed with its `:` (3.2.3). It stays if the host is empty, because browsers refuse
///   `http://:/x`, but read `x` as the host of `http:///x` (URL Standard 4.4).
///
/// Two more steps are optional: [`by_scheme`](Self::by_scheme) and [`canonical_ipv6`](Self::canonical_ipv6). With
/// [`only`](Self::only), you can leave out steps.
///
/// Reserved characters aren't decoded, and no character is encoded. By the algorithm of 5.2.4, a `..` can make a
/// rootless path absolute: `foo:bar/../baz` becomes `foo:/baz`. Normalizing a second time has no effect.
///
/// Borrows if no change is needed. Otherwise makes one allocation of exactly the needed length. If dot segments are
/// removed from text of more than 256 bytes, it also allocates a temporary buffer.
///
/// Text that isn't a URI reference is split as in Appendix B. If the text before the first colon isn't a valid scheme,
/// only triplets change: `127.0.0.1:80/../a` and `1http://Host` stay. [`Uri::parse`](super::Uri::parse) rejects text
/// that isn't a reference.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Normalizer {
    pub(super) by_scheme: bool,
    canonical_ipv6: bool,
    /// A bit for each [`Step`](super::Step). If the bit is set, the step is left out.
    pub(super) skipped: u8,
}

#[cfg(feature = "alloc")]
impl Normalizer {
    /// Creates a normalizer by syntax, without options.
    #[must_use]
    pub const fn new() -> Normalizer {
        Normalizer { by_scheme: false, canonical_ipv6: false, skipped: 0 }
    }

    /// Also applies the rules that all schemes with an authority share (6.2.3).
    ///
    /// The [default port](default_port) is removed, even if it has leading zeros. An empty path becomes `/`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Normalizer;
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

    /// Also writes IPv6 addresses in the [canonical form](https://www.rfc-editor.org/rfc/rfc5952#section-4) of RFC
    /// 5952.
    ///
    /// According to its sections 4 and 5, the longest run of zeros becomes `::`, numbers lose their leading zeros, and
    /// letters become lower case. In an IPv4-mapped address, the last 32 bits are written with dots.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Normalizer;
    ///
    /// const CANONICAL: Normalizer = Normalizer::new().canonical_ipv6();
    /// assert_eq!(CANONICAL.normalize("http://[2001:DB8:0:0:1:0:0:01]:80/")?, "http://[2001:db8::1:0:0:1]:80/");
    /// assert_eq!(CANONICAL.normalize("http://[::FFFF:c000:201]/")?, "http://[::ffff:192.0.2.1]/");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn canonical_ipv6(mut self) -> Normalizer {
        self.canonical_ipv6 = true;
        self
    }

    /// Returns the normal form of `uri`.
    ///
    /// # Errors
    ///
    /// If a `%` starts no triplet, returns an error with the offset of this `%` in bytes of `uri`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Normalizer;
    ///
    /// let normalizer = Normalizer::new();
    /// assert_eq!(normalizer.normalize("http://a/b/%2E/c/../%64")?, "http://a/b/d");
    /// assert_eq!(normalizer.normalize("a:/.//b")?, "a:/.//b");
    /// assert_eq!(normalizer.normalize("http://a/100%").unwrap_err().offset, 12);
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn normalize<'a>(&self, uri: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        if self.skipped != 0 {
            return self.normalize_some(uri);
        }
        let parts = Uri::split(uri);
        let (front, rest) = uri.split_at(parts.path_offset());
        let (is_front_normal, is_plain) = (FRONT.first_changed(front).is_none(), REST.first_changed(rest).is_none());
        let is_rebuilt = self.rebuilds_authority(&parts) || self.adds_root(&parts) || !is_plain && has_dots(&parts);
        if !is_rebuilt && is_front_normal && is_plain {
            return Ok(Cow::Borrowed(uri));
        }
        if !parts.is_reference() {
            return normalize_escapes(uri);
        }
        if is_rebuilt {
            let rebuilt = self.rebuilt(uri, &parts)?;
            return Ok(if rebuilt == uri { Cow::Borrowed(uri) } else { Cow::Owned(rebuilt) });
        }
        let has_triplets = memchr(b'%', uri.as_bytes()).is_some();
        let normal = if has_triplets { normalize_escapes(uri)? } else { Cow::Borrowed(uri) };
        if is_front_normal {
            return Ok(normal);
        }
        // If a triplet before the host or inside it was decoded, the range of the host has changed.
        let cased = if has_triplets { cased(&Uri::split(&normal)) } else { cased(&parts) };
        let changes = cased.iter().flatten().any(|range| has_upper(normal.get(range.clone()).unwrap_or_default()));
        Ok(if changes { Cow::Owned(lowered(memory::owned(normal), cased)) } else { normal })
    }

    /// Returns the normal form of `uri`. A malformed `%` becomes `%25` first. If there is one, the call allocates once
    /// more than [`normalize`](Self::normalize).
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(percent_standards::uri::Normalizer::new().sanitize("HTTP://a/100%/%7e"), "http://a/100%25/~");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[must_use]
    pub fn sanitize<'a>(&self, uri: &'a str) -> Cow<'a, str> {
        sanitized(uri, |uri| self.normalize(uri))
    }

    /// Returns true if `uri` has an empty path, and this path has to become `/`.
    pub(super) fn adds_root(&self, uri: &Uri<'_>) -> bool {
        self.by_scheme && uri.authority.is_some() && uri.path.is_empty()
    }

    fn rebuilds_authority(&self, uri: &Uri<'_>) -> bool {
        let Some(authority) = uri.authority else { return false };
        if !self.by_scheme && !self.canonical_ipv6 && !authority.ends_with(':') {
            return false;
        }
        let authority = Authority::split(authority);
        authority.port != kept_port(uri, authority, self.by_scheme) || self.canonical_host(authority.host).is_some()
    }

    /// Returns the canonical form of an IPv6 address. If `canonical_ipv6` isn't set, or if the host isn't an IPv6
    /// address or is already canonical, returns `None`.
    pub(super) fn canonical_host(&self, host: &str) -> Option<String> {
        const LONGEST: usize = "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255".len();
        let (address, zone) = split_zone(host);
        let address = address.strip_prefix('[').filter(|_| self.canonical_ipv6)?;
        let (address, end) = address.split_at(address.find(']').unwrap_or(address.len()));
        let address: Ipv6Addr = address.parse().ok()?;
        let mut canonical = memory::string("[".len() + LONGEST + end.len() + zone.len());
        _ = write!(canonical, "[{address}{end}{zone}"); // never fails: the text has room for it
        (canonical != host).then_some(canonical)
    }

    /// Builds the normal form from its components. First decodes into a scratch buffer, because only then we know the
    /// length of the result. The buffer is on the stack if possible.
    fn rebuilt(&self, uri: &str, parts: &Uri<'_>) -> Result<String, DecodeError> {
        // A scheme has no escapes.
        let (scheme, rest) = uri.split_at(parts.scheme.map_or(0, str::len));
        let place = |error: DecodeError| error.shifted(scheme.len());
        let mut stack = [0; SCRATCH];
        let heap;
        let bytes = match stack.get_mut(..uri.len()) {
            Some(out) => {
                let (head, tail) = out.split_at_mut(scheme.len());
                head.copy_from_slice(scheme.as_bytes());
                let decoded = match ESCAPES.decode_slice(rest, tail) {
                    Err(SliceError::Input(error)) => return Err(place(error)),
                    // The decoded text fits, because decoding never makes text longer.
                    decoded => decoded.map_or(0, |decoded| decoded.len()),
                };
                &out[..scheme.len() + decoded]
            }
            None => {
                let decoded = ESCAPES.decode(rest).map_err(place)?;
                let mut all = memory::vec(scheme.len() + decoded.len());
                all.extend_from_slice(scheme.as_bytes());
                all.extend_from_slice(&decoded);
                heap = all;
                &heap[..]
            }
        };
        let text = String::from_utf8_lossy(bytes);
        let mut normal = Uri::split(&text);
        let authority;
        if self.rebuilds_authority(&normal)
            && let Some(parts) = normal.authority_parts()
        {
            let Authority { userinfo, host, .. } = parts;
            let (user, at) = userinfo.map_or(("", ""), |user| (user, "@"));
            let canonical = self.canonical_host(host);
            let port = kept_port(&normal, parts, self.by_scheme);
            let (colon, port) = port.map_or(("", ""), |port| (":", port));
            authority = memory::concat(&[user, at, canonical.as_deref().unwrap_or(host), colon, port]);
            normal.authority = Some(&authority);
        }
        if self.adds_root(&normal) {
            normal.path = "/";
        }
        let path = Kept::new("", normal.path, dots_of(&normal));
        Ok(lowered(build_uri(&normal, path), cased(&normal)))
    }
}

/// Returns true if dot segments have to be removed.
#[cfg(feature = "alloc")]
fn has_dots(uri: &Uri<'_>) -> bool {
    // A `/.` before two slashes stays, because without it the path would be read as an authority.
    let path = match (uri.authority, uri.path.strip_prefix("/.")) {
        (None, Some(guarded)) if guarded.starts_with("//") => guarded,
        _ => uri.path,
    };
    dots_of(uri).any(path)
}

/// Normalizes `text`. If a malformed `%` prevents this, encodes each malformed `%` first.
#[cfg(feature = "alloc")]
fn sanitized(text: &str, normalize: impl Fn(&str) -> Result<Cow<'_, str>, DecodeError>) -> Cow<'_, str> {
    normalize(text).unwrap_or_else(|_| {
        let clean = memory::owned(STRAY.encode_str(text));
        Cow::Owned(match normalize(&clean) {
            Ok(Cow::Owned(normal)) => normal,
            _ => clean,
        })
    })
}

/// Returns the ranges of the scheme and of the host. If neither the scheme nor the authority has an upper-case letter,
/// returns `None`.
#[cfg(feature = "alloc")]
pub(super) fn cased(uri: &Uri<'_>) -> Option<[Range<usize>; 2]> {
    let upper = |text: Option<&str>| {
        text.is_some_and(|text| text.bytes().fold(false, |found, byte| found | byte.is_ascii_uppercase()))
    };
    if !upper(uri.scheme) && !upper(uri.authority) {
        return None;
    }
    let scheme = uri.scheme.map_or(0, str::len);
    let mut host = uri.host_range().unwrap_or_default();
    host.end = host.start + split_zone(uri.host().unwrap_or_default()).0.len();
    Some([0..scheme, host])
}

/// Returns true if `text` has an upper-case letter outside of triplets.
#[cfg(feature = "alloc")]
fn has_upper(text: &str) -> bool {
    let upper = |text: &str| text.bytes().any(|byte| byte.is_ascii_uppercase());
    let (first, rest) = text.split_at(text.find('%').unwrap_or(text.len()));
    upper(first) || rest.split('%').any(|run| upper(run.get(2..).unwrap_or_default()))
}

/// Converts the letters in the ranges of `cased` to lower case, except the digits of triplets. The triplets of `text`
/// must already be normal.
#[cfg(feature = "alloc")]
pub(super) fn lowered(mut text: String, cased: Option<[Range<usize>; 2]>) -> String {
    for range in cased.into_iter().flatten() {
        let mut rest = text.get_mut(range).unwrap_or_default();
        while !rest.is_empty() {
            let (run, triplet) = rest.split_at_mut(rest.find('%').unwrap_or(rest.len()));
            run.make_ascii_lowercase();
            rest = triplet.get_mut(3..).unwrap_or_default();
        }
    }
    text
}
