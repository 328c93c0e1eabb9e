//! Normalizes only some components of a URI.

use alloc::borrow::Cow;

use percent_simd::DecodeError;

use super::Normalizer;
use super::authority::Authority;
use super::dots::{Dots, Kept};
use super::normalize::{cased, dots_of, kept_port, lowered, normalize_escapes};
use super::parse::Uri;
use super::resolve::build_uri;
use crate::memory;

/// A step of a [`Normalizer`], for [`Normalizer::only`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// The scheme becomes lower case (RFC 3986 6.2.2.1).
    Scheme = 1,
    /// The host becomes lower case (6.2.2.1). With [`canonical_ipv6`](Normalizer::canonical_ipv6), an IPv6 address also
    /// gets its canonical form.
    Host = 2,
    /// An empty port is removed (3.2.3). With [`by_scheme`](Normalizer::by_scheme), a default port is removed too.
    Port = 4,
    /// In all components, triplets of unreserved characters are decoded, and the digits of other triplets become upper
    /// case (6.2.2.1, 6.2.2.2).
    Escapes = 8,
    /// Dot segments are removed (6.2.2.3). With [`by_scheme`](Normalizer::by_scheme), an empty path becomes `/`.
    Path = 16,
}

impl Normalizer {
    /// Does only these steps. By default, a normalizer does all steps.
    ///
    /// If you leave out [`Step::Escapes`], a malformed `%` is not an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{Normalizer, Step};
    ///
    /// // Normalizes only the origin. How the path is written stays up to the server.
    /// const ORIGIN: Normalizer = Normalizer::new().by_scheme().only(&[Step::Scheme, Step::Host, Step::Port]);
    /// assert_eq!(ORIGIN.normalize("HTTP://Host:80/%7Eb/../100%")?, "http://host/%7Eb/../100%");
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn only(mut self, steps: &[Step]) -> Normalizer {
        const ALL: u8 =
            Step::Scheme as u8 | Step::Host as u8 | Step::Port as u8 | Step::Escapes as u8 | Step::Path as u8;
        self.skipped = ALL;
        let mut at = 0;
        while at < steps.len() {
            self.skipped &= !(steps[at] as u8);
            at += 1;
        }
        self
    }

    const fn does(&self, step: Step) -> bool {
        self.skipped & step as u8 == 0
    }

    /// Normalizes `uri`, but leaves out some steps.
    pub(super) fn normalize_some<'a>(&self, uri: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        let text = if self.does(Step::Escapes) { normalize_escapes(uri)? } else { Cow::Borrowed(uri) };
        let mut normal = Uri::split(&text);
        if !normal.is_reference() {
            return Ok(text);
        }
        let authority;
        if let Some(parts) = normal.authority_parts() {
            let Authority { userinfo, host, port } = parts;
            let (user, at) = userinfo.map_or(("", ""), |user| (user, "@"));
            let canonical = if self.does(Step::Host) { self.canonical_host(host) } else { None };
            let port = if self.does(Step::Port) { kept_port(&normal, parts, self.by_scheme) } else { port };
            let (colon, port) = port.map_or(("", ""), |port| (":", port));
            authority = memory::concat(&[user, at, canonical.as_deref().unwrap_or(host), colon, port]);
            normal.authority = Some(&authority);
        }
        if self.does(Step::Path) && self.adds_root(&normal) {
            normal.path = "/";
        }
        let dots = if self.does(Step::Path) { dots_of(&normal) } else { Dots::Keep };
        let ranges = cased(&normal).map(|[scheme, host]| {
            [(Step::Scheme, scheme), (Step::Host, host)].map(|(step, range)| if self.does(step) { range } else { 0..0 })
        });
        let built = lowered(build_uri(&normal, Kept::new("", normal.path, dots)), ranges);
        Ok(if built == uri { Cow::Borrowed(uri) } else { Cow::Owned(built) })
    }
}
