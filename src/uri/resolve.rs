//! Reference resolution (RFC 3986 5.2).

use alloc::string::String;

use super::dots::{Dots, Kept};
use super::normalize::build_uri;
use super::parse::{Uri, UriError, UriErrorKind};

impl Uri<'_> {
    /// The target that `reference` has where this is the base URI: RFC 3986 5.2.2, strictly, and 5.3.
    ///
    /// The base must have a scheme ([`UriErrorKind::NoScheme`] otherwise); its fragment does not matter (5.1). Nothing is
    /// decoded or otherwise normalised but for the segments of dots. Where the target has no authority and its path
    /// would start with `//`, `/.` is put in front, or the path would be read as an authority.
    ///
    /// ```
    /// use percent_simd::uri::Uri;
    ///
    /// let base = Uri::parse_absolute("http://a/b/c/d;p?q")?;
    /// assert_eq!(base.resolve(&Uri::parse("../g?y#s")?)?, "http://a/b/g?y#s");
    /// # Ok::<(), percent_simd::uri::UriError>(())
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    pub fn resolve(&self, reference: &Uri<'_>) -> Result<String, UriError> {
        if self.scheme.is_none() {
            return Err(UriError { offset: 0, kind: UriErrorKind::NoScheme });
        }
        let removed = |path| Kept::new("", path, Dots::Go);
        let mut target = Uri { fragment: reference.fragment, ..*reference };
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
                    Kept::new("", self.path, Dots::Stay)
                } else if reference.path.starts_with('/') {
                    removed(reference.path)
                } else {
                    Kept::new(self.folder(), reference.path, Dots::Go)
                }
            }
        };
        Ok(build_uri(&target, path, false))
    }

    /// What a relative path is merged to (5.2.3).
    fn folder(&self) -> &str {
        match self.path.rfind('/') {
            Some(at) => &self.path[..=at],
            None if self.authority.is_some() && self.path.is_empty() => "/",
            None => "",
        }
    }
}
