//! Reads the components and the parameters of one URL or reference.

use std::borrow::Cow;
use std::collections::{HashSet, TryReserveError};

use percent_standards::form;
use percent_standards::uri::Uri;

/// The names of the components that [`parts`] returns, in the order of a URL.
pub const URL_FIELDS: [&str; if cfg!(feature = "domains") { 8 } else { 7 }] = [
    "scheme",
    "user",
    "host",
    #[cfg(feature = "domains")]
    "domain",
    "port",
    "path",
    "query",
    "fragment",
];

/// Splits a URL or reference into the components that [`URL_FIELDS`] names (RFC 3986 3).
///
/// The components are as written. Only `domain`, the registrable domain of the host, is decoded and in lower case. `user` ends
/// at the first `:`, so there is no password in the result.
pub fn parts(url: &str) -> [Option<Cow<'_, str>>; URL_FIELDS.len()] {
    let uri = Uri::split(url);
    let authority = uri.authority_parts();
    let user = authority.and_then(|authority| authority.userinfo?.split(':').next());
    [
        uri.scheme.map(Cow::Borrowed),
        user.map(Cow::Borrowed),
        authority.map(|authority| Cow::Borrowed(authority.host)),
        #[cfg(feature = "domains")]
        domain(url).map(Cow::Owned),
        authority.and_then(|authority| authority.port).map(Cow::Borrowed),
        Some(Cow::Borrowed(uri.path)),
        uri.query.map(Cow::Borrowed),
        uri.fragment.map(Cow::Borrowed),
    ]
}

/// Returns the registrable domain of a URL's host.
#[cfg(feature = "domains")]
pub(crate) fn domain(url: &str) -> Option<String> {
    percent_standards::uri::registrable_domain(Uri::split(url).host()?)
}

/// Returns the query of a URL or reference: the text after the first `?`, up to a `#`.
pub(crate) fn query(url: &str) -> &str {
    Uri::split(url).query.unwrap_or_default()
}

/// Returns the decoded value of the first parameter called `name`.
pub(crate) fn param<'u>(url: &'u str, name: &[u8]) -> Option<Cow<'u, str>> {
    form::parse(query(url)).find(|(found, _)| found.as_bytes() == name).map(|(_, value)| value)
}

/// Passes each decoded parameter of a URL to `each`. If `distinct` is true, passes only the first parameter of each name.
///
/// # Errors
///
/// Returns the error of `each`, or an error if memory cannot be allocated.
pub fn pairs<E: From<TryReserveError>>(
    url: &str,
    distinct: bool,
    mut each: impl FnMut(&str, &str) -> Result<(), E>,
) -> Result<(), E> {
    let mut seen = HashSet::new();
    for (name, value) in form::parse(query(url)) {
        if !seen.contains(&name) {
            each(&name, &value)?;
            if distinct {
                seen.try_reserve(1)?;
                seen.insert(name);
            }
        }
    }
    Ok(())
}

/// Converts `bytes` to text, with U+FFFD for each maximal part that isn't UTF-8.
///
/// # Errors
///
/// Returns an error if memory cannot be allocated.
pub fn lossy(bytes: &[u8]) -> Result<Cow<'_, str>, TryReserveError> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        let replacement = if chunk.invalid().is_empty() { "" } else { "\u{FFFD}" };
        text.try_reserve(chunk.valid().len() + replacement.len())?;
        text.push_str(chunk.valid());
        text.push_str(replacement);
    }
    Ok(Cow::Owned(text))
}

/// Returns a part of the URL in `row`. Bytes that aren't UTF-8 become U+FFFD.
pub(crate) fn of_url<'r>(
    row: &'r [u8],
    each: impl for<'u> Fn(&'u str) -> Option<Cow<'u, str>>,
) -> Result<Option<Cow<'r, [u8]>>, TryReserveError> {
    Ok(match lossy(row)? {
        Cow::Borrowed(url) => each(url).map(bytes),
        Cow::Owned(url) => each(&url).map(|part| Cow::Owned(part.into_owned().into_bytes())),
    })
}

/// Returns the bytes of a text, without a copy. The Python package calls this function, too.
#[doc(hidden)]
#[must_use]
pub fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}
