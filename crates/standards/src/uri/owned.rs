//! Defines [`UriBuf`], a URI that owns its text.

use core::fmt;
use core::str::FromStr;

use alloc::string::String;

use percent_simd::AsBytes;

use super::{Uri, UriError};
use crate::memory;

/// A valid URI reference that owns its text. Use it for a field of a struct, or for a command-line option.
///
/// [`Uri`] borrows from the text, so [`str::parse`] can't return a `Uri`. It can return a `UriBuf`. The text stays as
/// it was written. Two values are equal if their texts are equal. To compare what they mean, call
/// [`equivalent`](super::equivalent).
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{Uri, UriBuf};
///
/// let base: UriBuf = "http://host/a/b?q".parse()?;
/// assert_eq!(base.as_uri().path, "/a/b");
/// assert_eq!(base.as_uri().resolve(&Uri::parse("../c")?)?, "http://host/c");
/// assert_eq!("http://host/a b".parse::<UriBuf>().unwrap_err().offset, 13);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UriBuf(String);

impl UriBuf {
    /// Splits the text into its components. Each call takes linear time.
    #[must_use]
    pub fn as_uri(&self) -> Uri<'_> {
        Uri::split(&self.0)
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Calls [`Uri::parse`].
impl FromStr for UriBuf {
    type Err = UriError;

    fn from_str(text: &str) -> Result<UriBuf, UriError> {
        Uri::parse(text).map(|_| UriBuf(memory::text(text)))
    }
}

/// Calls [`Uri::parse`]. Takes over the memory of the text.
impl TryFrom<String> for UriBuf {
    type Error = UriError;

    fn try_from(text: String) -> Result<UriBuf, UriError> {
        Uri::parse(&text)?;
        Ok(UriBuf(text))
    }
}

impl From<UriBuf> for String {
    fn from(uri: UriBuf) -> String {
        uri.0
    }
}

impl AsRef<str> for UriBuf {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsBytes for UriBuf {
    fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    fn as_text(&self) -> Option<&str> {
        Some(&self.0)
    }
}

impl fmt::Display for UriBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
