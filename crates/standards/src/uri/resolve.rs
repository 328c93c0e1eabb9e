//! Resolves references (RFC 3986 5.2).

use alloc::string::String;

use super::dots::{Dots, Kept};
use super::error::{UriError, UriErrorKind};
use super::parse::Uri;
use super::pieces::build;

impl Uri<'_> {
    /// Resolves `reference`. The base URI is `self`. Uses the strict algorithm (RFC 3986 5.2.2 and 5.3).
    ///
    /// Dot segments are removed, and `%2E` counts as a dot, as in [`remove_dot_segments`](super::remove_dot_segments).
    /// So you get the same result if you normalize before resolving or after it. The only escape that is decoded is
    /// `%2E`, and no other part is normalized. [`resolve_literally`](Self::resolve_literally) follows the RFC exactly.
    ///
    /// Three details:
    ///
    /// - The fragment of the base is ignored (5.1).
    /// - If the target has no authority, and its path would start with `//`, we put `/.` before the path. Otherwise the
    ///   path would be read as an authority.
    /// - As in the RFC's algorithm, `..` can make a rootless path absolute: if the base is `foo:`, `bar/../baz` becomes
    ///   `foo:/baz`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let base = Uri::parse_absolute("http://a/b/c/d;p?q")?;
    /// assert_eq!(base.resolve(&Uri::parse("../g?y#s")?)?, "http://a/b/g?y#s");
    /// assert_eq!(base.resolve(&Uri::parse("%2e%2E/g")?)?, "http://a/b/g");
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the base has no scheme, returns [`UriErrorKind::NoScheme`].
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn resolve(&self, reference: &Uri<'_>) -> Result<String, UriError> {
        self.resolved(reference, Dots::Decoded)
    }

    /// Resolves `reference` exactly as RFC 3986 5.2.4 does: `%2E` is not a dot.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::Uri;
    ///
    /// let base = Uri::parse_absolute("http://a/b/c")?;
    /// assert_eq!(base.resolve_literally(&Uri::parse("%2E%2E/../g")?)?, "http://a/b/g");
    /// assert_eq!(base.resolve(&Uri::parse("%2E%2E/../g")?)?, "http://a/g");
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the base has no scheme, returns [`UriErrorKind::NoScheme`].
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn resolve_literally(&self, reference: &Uri<'_>) -> Result<String, UriError> {
        self.resolved(reference, Dots::Literal)
    }

    fn resolved(&self, reference: &Uri<'_>, dots: Dots) -> Result<String, UriError> {
        if self.scheme.is_none() {
            return Err(UriError { offset: 0, kind: UriErrorKind::NoScheme });
        }
        let removed = |path| Kept::new("", path, if reference.is_reference() { dots } else { Dots::Keep });
        let mut target = *reference;
        let path = if reference.scheme.is_some() {
            removed(reference.path)
        } else {
            target.scheme = self.scheme;
            if reference.authority.is_some() {
                removed(reference.path)
            } else {
                target.authority = self.authority;
                if reference.path.is_empty() {
                    target.query = reference.query.or(self.query);
                    Kept::new("", self.path, Dots::Keep)
                } else if reference.path.starts_with('/') {
                    removed(reference.path)
                } else {
                    Kept::new(self.folder(), reference.path, dots)
                }
            }
        };
        Ok(build_uri(&target, path))
    }

    /// Returns the path of this base up to its last slash. If there is an authority and the path is empty, returns `/`.
    /// A relative path is appended to the result (5.2.3).
    fn folder(&self) -> &str {
        match self.path.rfind('/') {
            Some(at) => &self.path[..=at],
            None if self.authority.is_some() && self.path.is_empty() => "/",
            None => "",
        }
    }
}

/// Builds the URI with `path` as its path (5.3). If the path would be read as an authority, puts `/.` before it.
pub(super) fn build_uri(uri: &Uri<'_>, path: Kept<'_>) -> String {
    let guard = if uri.authority.is_none() && path.clone().looks_like_authority() { "/." } else { "" };
    let before = |mark, text: Option<_>| [text.unwrap_or_default(), if text.is_some() { mark } else { "" }];
    let pieces = before("#", uri.fragment)
        .into_iter()
        .chain(before("?", uri.query))
        .chain(path)
        .chain([guard])
        .chain(before("//", uri.authority))
        .chain([if uri.scheme.is_some() { ":" } else { "" }, uri.scheme.unwrap_or_default()]);
    build(pieces)
}
