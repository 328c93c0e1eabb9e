//! Defines [`RequestTarget`], the target of an HTTP request. It is not a URI reference (RFC 9112 3.2).
//!
//! `//private/a.txt` shows the difference. As a reference, it names the host `private` (RFC 3986 4.2). As a request
//! target, it is in origin-form, and the whole text is a path (RFC 9112 3.2.1). If a program splits it as a reference,
//! the program checks one path and serves another.

use core::ops::Range;

use memchr::{memchr, memchr3, memrchr};

use percent_simd::{AsBytes, ByteSet, RawEncoder};

use super::authority::Authority;
use super::check::{Grammar, check_host, scheme_error};
use super::error::{Component, UriError, UriErrorKind};
use super::parts::{self, Parameters, Segments};
use super::schemes::{WITH_HOST, is_one_of};

/// The form of a request target ([RFC 9112 3.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TargetForm {
    /// origin-form (3.2.1): a path that begins with `/`, and a query if there is one. `//h/x` is also a path.
    Origin,
    /// absolute-form (3.2.2): a URI with its scheme, like `http://h/x?q`. Clients send it to proxies.
    Absolute,
    /// authority-form (3.2.3): a host and a port, like `h:443`. `CONNECT` requires it.
    Authority,
    /// asterisk-form (3.2.4): `*`. It is for an `OPTIONS` request about the whole server.
    Asterisk,
    /// The target has none of these forms. It is split into a path and a query at the first `?`.
    Invalid,
}

/// The components of a request target, as ranges of its bytes.
///
/// Use this if the target may not be UTF-8, or if you need offsets. For text, use [`RequestTarget`].
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{TargetBounds, TargetForm};
///
/// let bounds = TargetBounds::split(b"//h/\xFF?q");
/// assert_eq!((bounds.form(), bounds.authority()), (TargetForm::Origin, None));
/// assert_eq!((bounds.path(), bounds.query()), (0..5, Some(6..7)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetBounds {
    form: TargetForm,
    /// The start and the end of the authority. In absolute-form, `://` precedes it, so the scheme ends three bytes
    /// before the start.
    authority: Option<(usize, usize)>,
    path: (usize, usize),
    /// The length of the target. If the path ends before this offset, a `?` and the query follow.
    len: usize,
}

impl TargetBounds {
    /// Splits any bytes, by the rules of [`RequestTarget::split`].
    #[must_use]
    pub fn split<I: AsBytes + ?Sized>(target: &I) -> TargetBounds {
        let target = target.as_bytes();
        match target {
            [b'/', ..] => TargetBounds::with_path(TargetForm::Origin, None, 0, target),
            b"*" => TargetBounds::without_path(TargetForm::Asterisk, target),
            _ if is_host_and_port(target) => TargetBounds::without_path(TargetForm::Authority, target),
            _ => TargetBounds::absolute(target)
                .unwrap_or_else(|| TargetBounds::with_path(TargetForm::Invalid, None, 0, target)),
        }
    }

    /// Splits and checks a target whose method you don't know. [`RequestTarget::parse`] also checks the method.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`RequestTarget::parse`]. A target without any of the four forms has the error
    /// [`TargetForm`](UriErrorKind::TargetForm). The characters of a host and port in authority-form aren't checked.
    pub fn parse<I: AsBytes + ?Sized>(target: &I) -> Result<TargetBounds, UriError> {
        let target = target.as_bytes();
        TargetBounds::split(target).checked(target)
    }

    /// Returns the form.
    #[must_use]
    pub fn form(&self) -> TargetForm {
        self.form
    }

    /// Returns the range of the scheme. Only absolute-form has one.
    #[must_use]
    pub fn scheme(&self) -> Option<Range<usize>> {
        let end = || self.authority.map_or(self.path.0, |(start, _)| start - "//".len()) - ":".len();
        (self.form == TargetForm::Absolute).then(|| 0..end())
    }

    /// Returns the range of the authority. Authority-form has an authority. Absolute-form has one if `//` follows the
    /// scheme.
    #[must_use]
    pub fn authority(&self) -> Option<Range<usize>> {
        self.authority.map(|(start, end)| start..end)
    }

    /// Returns the range of the path. In authority-form and asterisk-form, it is an empty range at the end of the
    /// target.
    #[must_use]
    pub fn path(&self) -> Range<usize> {
        self.path.0..self.path.1
    }

    /// Returns the range of the query, which follows the first `?`.
    #[must_use]
    pub fn query(&self) -> Option<Range<usize>> {
        (self.path.1 < self.len).then(|| self.path.1 + 1..self.len)
    }

    /// Returns the bounds of a target that has no path.
    fn without_path(form: TargetForm, target: &[u8]) -> TargetBounds {
        let len = target.len();
        let authority = (form == TargetForm::Authority).then_some((0, len));
        TargetBounds { form, authority, path: (len, len), len }
    }

    /// Returns the bounds of a target whose path starts at `start`. The path ends at the first `?` after `start`.
    fn with_path(form: TargetForm, authority: Option<(usize, usize)>, start: usize, target: &[u8]) -> TargetBounds {
        let end = memchr(b'?', &target[start..]).map_or(target.len(), |at| start + at);
        TargetBounds { form, authority, path: (start, end), len: target.len() }
    }

    /// Returns the bounds of a target that begins with a scheme.
    fn absolute(target: &[u8]) -> Option<TargetBounds> {
        let start = memchr(b':', target).filter(|&colon| scheme_error(&target[..colon]).is_none())? + 1;
        let authority = target[start..].starts_with(b"//").then(|| {
            let start = start + "//".len();
            // A `#` also ends the authority. Otherwise we would find another host than URI parsers do (RFC 3986 3.2).
            (start, memchr3(b'/', b'?', b'#', &target[start..]).map_or(target.len(), |at| start + at))
        });
        let path = authority.map_or(start, |(_, end)| end);
        Some(TargetBounds::with_path(TargetForm::Absolute, authority, path, target))
    }

    /// Returns `self`. If `target` has no valid form, has a `#`, a space or a control character, or is a URI whose
    /// authority isn't valid, returns an error.
    fn checked(self, target: &[u8]) -> Result<TargetBounds, UriError> {
        /// Finds the bytes that are forbidden in every target.
        static REFUSED: RawEncoder = RawEncoder::new(ByteSet::CONTROLS.union(ByteSet::of(b" #")).complement());
        let fault = |offset, kind| Err(UriError { offset, kind });
        if self.form == TargetForm::Invalid {
            return fault(0, UriErrorKind::TargetForm);
        }
        if self.form == TargetForm::Absolute {
            self.check_authority(target)?;
        }
        match REFUSED.first_changed(target) {
            Some(at) if target[at] == b'#' => fault(at, UriErrorKind::Fragment),
            Some(at) if at < self.path.0 => fault(at, UriErrorKind::Character(Component::Host)),
            Some(at) if at < self.path.1 => fault(at, UriErrorKind::Character(Component::Path)),
            Some(at) => fault(at, UriErrorKind::Character(Component::Query)),
            None => Ok(self),
        }
    }

    /// Returns the first fault of the authority of a target in absolute-form.
    ///
    /// Parsers find different paths in a URI whose authority isn't valid. Browsers and Node.js read `\` as `/`, and skip further
    /// slashes. They find the path `/a` in `http://h\a` and in `http:///h/a`.
    fn check_authority(self, target: &[u8]) -> Result<(), UriError> {
        let fault = |offset, kind| Err(UriError { offset, kind });
        let range = self.authority().unwrap_or(self.path.0..self.path.0);
        let offset = range.start;
        let authority = match str::from_utf8(&target[range]) {
            Ok(text) => Authority::split(text),
            Err(error) => return fault(offset + error.valid_up_to(), UriErrorKind::Character(Component::Host)),
        };
        authority.check(offset, Grammar::Uri)?;
        let scheme = &target[self.scheme().unwrap_or_default()];
        if is_one_of(scheme, &WITH_HOST) && authority.host.is_empty() {
            let user = authority.userinfo.map_or(0, |user| user.len() + 1);
            return fault(offset + user, UriErrorKind::Empty(Component::Host));
        }
        Ok(())
    }
}

/// Returns true if `target` is a host, a `:` and a number. The port is required, because `CONNECT` has no default port
/// (RFC 9110 9.3.6).
fn is_host_and_port(target: &[u8]) -> bool {
    let Some((host, port)) = memrchr(b':', target).map(|colon| (&target[..colon], &target[colon + 1..])) else {
        return false;
    };
    let name = match host {
        [b'[', address @ .., b']'] => address,
        name if memchr(b':', name).is_none() => name,
        _ => return false,
    };
    let is_in_host = |byte: &u8| !b"/?#@[]".contains(byte);
    let is_number = !port.is_empty() && port.iter().all(u8::is_ascii_digit);
    is_number && !name.is_empty() && name.iter().all(is_in_host)
}

/// The target of an HTTP request, split (RFC 9112 3.2).
///
/// A target isn't a URI reference, so don't split it with [`Uri::split`](super::Uri::split):
///
/// | target | form | authority | path | query |
/// | --- | --- | --- | --- | --- |
/// | `/a?q` | origin | | `/a` | `q` |
/// | `//private/a` | origin | | `//private/a` | |
/// | `http://h/a?q` | absolute | `h` | `/a` | `q` |
/// | `http://h?q` | absolute | `h` | empty, means `/` | `q` |
/// | `h:443` | authority | `h:443` | empty | |
/// | `*` | asterisk | | empty | |
///
/// The parts aren't decoded. Which call do you need?
///
/// - A reader of logs calls [`split`](Self::split), which accepts any text.
/// - A server calls [`parse`](Self::parse), and answers 400 (Bad Request) if it fails. Before the server uses the path,
///   it passes [`path_or_root`](Self::path_or_root) to [`normalize_path`](super::normalize_path).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{RequestTarget, TargetForm, normalize_path};
///
/// let target = RequestTarget::parse("GET", "//private/%61.txt?q=1")?;
/// assert_eq!((target.form(), target.authority()), (TargetForm::Origin, None));
/// assert_eq!((target.path(), target.query()), ("//private/%61.txt", Some("q=1")));
/// assert_eq!(normalize_path(target.path_or_root())?, "//private/a.txt");
///
/// assert_eq!(RequestTarget::parse("GET", "/admin#").unwrap_err().offset, 6);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestTarget<'a> {
    text: &'a str,
    bounds: TargetBounds,
}

impl<'a> RequestTarget<'a> {
    /// Splits any text. Use it to read logs.
    ///
    /// - A target has no fragment, so a `#` is an ordinary character (RFC 9112 3.2). It belongs to the path or to the
    ///   query.
    /// - If the method is unknown, `h:443` could be authority-form, or a URI with the scheme `h`. This call reads a
    ///   host, a `:` and digits as authority-form.
    /// - Text that has none of the forms is [`Invalid`](TargetForm::Invalid). It has no authority, because we would
    ///   have to invent a host.
    ///
    /// Takes linear time, and doesn't allocate.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{RequestTarget, TargetForm};
    ///
    /// let parts = |text| {
    ///     let target = RequestTarget::split(text);
    ///     (target.form(), target.authority(), target.path(), target.query())
    /// };
    /// assert_eq!(parts("/a#b?c"), (TargetForm::Origin, None, "/a#b", Some("c")));
    /// assert_eq!(parts("http://u@h:80?"), (TargetForm::Absolute, Some("u@h:80"), "", Some("")));
    /// assert_eq!(parts("[::1]:443"), (TargetForm::Authority, Some("[::1]:443"), "", None));
    /// assert_eq!(parts("index.html"), (TargetForm::Invalid, None, "index.html", None));
    /// ```
    #[must_use]
    pub fn split(text: &'a str) -> RequestTarget<'a> {
        RequestTarget { text, bounds: TargetBounds::split(text) }
    }

    /// Splits and checks the target of a request with this method. Use it in a server.
    ///
    /// The method decides which forms are allowed. `CONNECT` requires authority-form, and no other method allows
    /// authority-form. Only `OPTIONS` allows `*`. For the path of an extended `CONNECT` (`:path` in RFC 8441), pass
    /// `GET` as the method.
    ///
    /// Browsers send characters that the grammar excludes, for example `[`, `|` and `^` in a query. This call accepts
    /// these characters, and it accepts a malformed `%`. To reject both, call
    /// [`check_component`](super::check_component) with the path, and again with the query.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{RequestTarget, UriErrorKind};
    ///
    /// assert_eq!(RequestTarget::parse("CONNECT", "h:443")?.authority(), Some("h:443"));
    /// assert_eq!(RequestTarget::parse("GET", "http://h?x[]=1")?.path_or_root(), "/");
    ///
    /// let error = RequestTarget::parse("GET", "*").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (0, UriErrorKind::TargetForm));
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first of these errors, with its offset in bytes:
    ///
    /// - [`TargetForm`](UriErrorKind::TargetForm) for a target whose form the method doesn't allow;
    /// - [`Fragment`](UriErrorKind::Fragment) for a `#` (RFC 9112 3.2);
    /// - [`Character`](UriErrorKind::Character) for a space or a control character;
    /// - [`Character`](UriErrorKind::Character), [`Escape`](UriErrorKind::Escape),
    ///   [`IpLiteral`](UriErrorKind::IpLiteral) or [`Port`](UriErrorKind::Port) for an authority that isn't valid (RFC
    ///   3986 3.2);
    /// - [`Empty`](UriErrorKind::Empty) for a URI without a host if its scheme is `http` or `https` (RFC 9110 4.2.1), `ws`,
    ///   `wss` or `ftp`.
    pub fn parse(method: &str, text: &'a str) -> Result<RequestTarget<'a>, UriError> {
        let target = text.as_bytes();
        let split = TargetBounds::split(target);
        let bounds = match (method, split.form) {
            ("CONNECT", _) => {
                check_host_and_port(text)?;
                TargetBounds::without_path(TargetForm::Authority, target)
            }
            (_, TargetForm::Authority) => TargetBounds::absolute(target).unwrap_or(split),
            _ => split,
        };
        let target = RequestTarget { text, bounds };
        match (method, bounds.form) {
            ("CONNECT", _) | ("OPTIONS", TargetForm::Asterisk) => {}
            (_, TargetForm::Authority | TargetForm::Asterisk) => {
                return Err(UriError { offset: 0, kind: UriErrorKind::TargetForm });
            }
            _ => {}
        }
        bounds.checked(text.as_bytes()).map(|_| target)
    }

    /// Returns the ranges of the components.
    #[must_use]
    pub fn bounds(&self) -> TargetBounds {
        self.bounds
    }

    /// Returns the form.
    #[must_use]
    pub fn form(&self) -> TargetForm {
        self.bounds.form
    }

    /// Returns the scheme. Only absolute-form has one.
    #[must_use]
    pub fn scheme(&self) -> Option<&'a str> {
        self.bounds.scheme().map(|range| &self.text[range])
    }

    /// Returns the authority. Authority-form has an authority. Absolute-form has one if `//` follows the scheme.
    ///
    /// In the other forms, the host is in the field `Host` or in `:authority` (RFC 9112 3.3).
    #[must_use]
    pub fn authority(&self) -> Option<&'a str> {
        self.bounds.authority().map(|range| &self.text[range])
    }

    /// Returns the authority, split into user, host and port.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::RequestTarget;
    ///
    /// let host = |text| RequestTarget::split(text).authority_parts().map(|parts| parts.host);
    /// assert_eq!(host("http://u@h:80/"), Some("h"));
    /// assert_eq!(host("[::1]:443"), Some("[::1]"));
    /// assert_eq!(host("//h/"), None);
    /// ```
    #[must_use]
    pub fn authority_parts(&self) -> Option<Authority<'a>> {
        self.authority().map(Authority::split)
    }

    /// Returns the path as it is written. In authority-form and asterisk-form, it is empty.
    #[must_use]
    pub fn path(&self) -> &'a str {
        &self.text[self.bounds.path()]
    }

    /// Returns the path. If the target is a URI with an authority and an empty path, returns `/` (RFC 9110 4.2.3).
    ///
    /// The result doesn't depend on the method. But if the method is `OPTIONS`, `http://h` means `*` (RFC 9112 3.2.4).
    /// Then don't use the `/`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::RequestTarget;
    ///
    /// assert_eq!(RequestTarget::split("http://h?x=1").path_or_root(), "/");
    /// assert_eq!(RequestTarget::split("/a").path_or_root(), "/a");
    /// assert_eq!(RequestTarget::split("*").path_or_root(), "");
    /// ```
    #[must_use]
    pub fn path_or_root(&self) -> &'a str {
        let is_root = self.form() == TargetForm::Absolute && self.bounds.authority.is_some() && self.path().is_empty();
        if is_root { "/" } else { self.path() }
    }

    /// Returns the query, which follows the first `?`.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        self.bounds.query().map(|range| &self.text[range])
    }

    /// Returns the segments of the path, so that you can decode each of them separately. Offsets count from the start
    /// of the target.
    ///
    /// As in [`segments`](super::segments), the text before the first slash is also a segment, even if it is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::RequestTarget;
    ///
    /// let error = RequestTarget::split("http://h/a/100%").segments().nth(2).unwrap().decode_strict().unwrap_err();
    /// assert_eq!(error.offset, 14);
    /// ```
    #[must_use]
    pub fn segments(&self) -> Segments<'a> {
        parts::segments_at(self.path(), self.bounds.path.0)
    }

    /// Returns the pairs of the query, so that you can decode each of them separately. Offsets count from the start of
    /// the target.
    ///
    /// As in [`query_pairs`](super::query_pairs), a `+` stays a `+`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::RequestTarget;
    ///
    /// let pair = RequestTarget::split("//h/?a=1%262&b").query_pairs().next().unwrap();
    /// assert_eq!((pair.name.raw(), pair.name.offset(), pair.value.unwrap().decode_utf8_lossy().as_ref()), ("a", 5, "1&2"));
    /// ```
    #[must_use]
    pub fn query_pairs(&self) -> Parameters<'a> {
        let start = self.bounds.query().map_or(self.text.len(), |query| query.start);
        parts::pairs_at(self.query().unwrap_or_default(), b'&', start)
    }
}

/// Checks the target of a `CONNECT`: `uri-host ":" port` (RFC 9112 3.2.3). Neither part may be empty (RFC 9110 9.3.6).
fn check_host_and_port(text: &str) -> Result<(), UriError> {
    let fault = |offset, kind| Err(UriError { offset, kind });
    if text.starts_with('/') || text == "*" {
        return fault(0, UriErrorKind::TargetForm);
    }
    let Authority { userinfo, host, port } = Authority::split(text);
    if let Some(userinfo) = userinfo {
        // The text ends with the `@`, which a host can't contain. So this check fails, at the `@` or before it.
        check_host(&text[..=userinfo.len()], 0, Grammar::Uri)?;
    }
    check_host(host, 0, Grammar::Uri)?;
    let Some(port) = port else { return fault(text.len(), UriErrorKind::TargetForm) };
    match port.bytes().position(|byte| !byte.is_ascii_digit()) {
        _ if host.is_empty() => fault(0, UriErrorKind::Empty(Component::Host)),
        Some(at) => fault(host.len() + 1 + at, UriErrorKind::Port),
        None if port.parse::<u16>().is_err() => fault(host.len() + 1, UriErrorKind::TargetForm),
        None => Ok(()),
    }
}
