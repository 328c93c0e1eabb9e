//! Normalizes the path of a request, for comparing it, routing by it, and opening a file by it.

use alloc::{borrow::Cow, string::String};
use core::{fmt, mem};

use memchr::memchr;

use percent_simd::{AsBytes, ByteSet, CheckedDecoder, Decoder, Encoder, OutputTooSmall, internal, sets};

use super::dots::{Dots, remove_in_place};
use super::parse::{Component, UriError, UriErrorKind};
use super::pieces::into_text;
use crate::memory;

/// Finds, and encodes, whatever may not stand in a path.
static ESCAPE: Encoder = super::PATH.keep_triplets();

/// Decodes unreserved characters, writes other triplets in upper case, and refuses those of controls.
static UNESCAPE: CheckedDecoder =
    Decoder::new().keep_upper(sets::RFC3986_UNRESERVED.union(ByteSet::CONTROLS).complement()).reject(ByteSet::CONTROLS);

/// Normalizes the path of a request: [`PathNormalizer::normalize`] without options.
///
/// # Errors
///
/// A path that does not begin with `/`, and controls, escaped or not.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::normalize_path;
///
/// assert_eq!(normalize_path("/static/%2e%2e/%7euser/a%2fb")?, "/~user/a%2Fb");
/// assert!(normalize_path("/a%00.png").is_err());
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
///
/// # Panics
///
/// If memory cannot be allocated.
pub fn normalize_path(path: &str) -> Result<Cow<'_, str>, UriError> {
    PathNormalizer::new().normalize(path)
}

/// Normalizes the paths of requests, so that what is checked is what is used.
///
/// The path is that of a request target, without the query. In this order:
///
/// 1. A path that does not begin with `/` is refused, and so is every control, `%00` included, escaped or not.
/// 2. Whatever may not stand in a path becomes triplets: `%25` for a `%` that starts none, `%5C` for a backslash. With
///    [`strict`](Self::strict) it is refused.
/// 3. Triplets of unreserved characters are decoded, once; all others stay, with digits in upper case (RFC 3986 6.2.2).
///    So `%2F`, `%5C`, `%25`, `%3B` and what is not ASCII remain triplets, and no new one comes about.
/// 4. Dot segments are removed (5.2.4), those that were written `%2E` too. No `..` gets out of the root.
///
/// The result is a path by the grammar (3.3), in ASCII, and normal: normalizing it again changes nothing. It has no dot
/// segment, so its [`segments`](super::segments), once decoded, may be opened one below the other if none of them has a
/// `/` in it (on Windows, no `\` and no `:` either). Look for these in the decoded segment: a `/` comes out of `%2F`, while a `:`
/// may stand in a path as it is. `examples/request_path.rs` shows all of it.
///
/// Take the path from [`RequestTarget`](super::RequestTarget), not from [`Uri`](super::Uri), which reads `//h/x` as a host and a
/// path.
///
/// Empty segments stay. So the result may begin with `//`, and is then no reference by itself: a `Location` is to be
/// built with scheme and host in front. A file system skips them: to open a file by the result, refuse `//` in it, or a rule for
/// `/private` doesn't see `//private`. What is special to one server only, as `;` is in `/..;/`, is that server's to
/// handle.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{PathNormalizer, UriErrorKind};
///
/// const LENIENT: PathNormalizer = PathNormalizer::new();
/// assert_eq!(LENIENT.normalize("/a/%2E%2E/../etc//%70asswd")?, "/etc//passwd");
/// assert_eq!(LENIENT.normalize(r"/a\b/100%")?, "/a%5Cb/100%25");
/// assert_eq!(LENIENT.normalize("/%252e%252e/a")?, "/%252e%252e/a"); // was encoded twice, and is decoded by nobody
///
/// let error = LENIENT.strict().normalize("/100%/a").unwrap_err();
/// assert_eq!(error.offset, 4);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathNormalizer {
    strict: bool,
}

impl PathNormalizer {
    /// Creates a normalizer that escapes what may not stand in a path.
    #[must_use]
    pub const fn new() -> PathNormalizer {
        PathNormalizer { strict: false }
    }

    /// Refuses paths that are not valid by the grammar (RFC 3986 3.3): those with a malformed `%`, or with a character that
    /// would have to be escaped.
    #[must_use]
    pub const fn strict(mut self) -> PathNormalizer {
        self.strict = true;
        self
    }

    /// Returns the normal form of `path`. Borrows where it is normal already.
    ///
    /// # Errors
    ///
    /// - [`NotRooted`](UriErrorKind::NotRooted) if `path` does not begin with `/`;
    /// - [`Control`](UriErrorKind::Control) at a control or the triplet of one;
    /// - with [`strict`](Self::strict), [`Escape`](UriErrorKind::Escape) at a `%` that starts no triplet, and
    ///   [`Character`](UriErrorKind::Character) at a character that may not stand in a path.
    ///
    /// Offsets are in bytes of `path`.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn normalize<'a>(&self, path: &'a str) -> Result<Cow<'a, str>, UriError> {
        let escapes = self.check(path.as_bytes())?;
        let decodes = has_percent(path.as_bytes()) && UNESCAPE.first_changed(path).is_some();
        if !escapes && !decodes && !Dots::Decoded.any(path) {
            return Ok(Cow::Borrowed(path));
        }
        let mut normal = if escapes { ESCAPE.encode_to_string(path) } else { memory::text(path) };
        finish(&mut normal);
        Ok(Cow::Owned(normal))
    }

    /// Replaces `path` by its normal form. Allocates only where something has to be escaped.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::PathNormalizer;
    ///
    /// let mut path = String::from("/a/../%41/%2e");
    /// PathNormalizer::new().normalize_in_place(&mut path)?;
    /// assert_eq!(path, "/A/");
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`normalize`](Self::normalize); `path` is as it was then.
    ///
    /// # Panics
    ///
    /// If memory cannot be allocated.
    pub fn normalize_in_place(&self, path: &mut String) -> Result<(), UriError> {
        if self.check(path.as_bytes())? {
            *path = ESCAPE.encode_to_string(path);
        }
        finish(path);
        Ok(())
    }

    /// Writes the normal form of `path`, which may be any bytes, to the front of `out`, and returns it.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::PathNormalizer;
    ///
    /// let mut out = [0; 16];
    /// assert_eq!(PathNormalizer::new().normalize_slice(b"/a/../\xE9", &mut out)?, b"/%E9");
    /// # Ok::<(), percent_standards::uri::PathSliceError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`normalize`](Self::normalize), and that `out` is too small: it must have room for the path with what may
    /// not stand in it escaped, before any segment goes. What `out` holds is then unspecified.
    pub fn normalize_slice<'o, I: AsBytes + ?Sized>(
        &self,
        path: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], PathSliceError> {
        let path = path.as_bytes();
        self.check(path)?;
        let escaped = ESCAPE.raw().encode_slice(path, out)?;
        let len = finish_bytes(escaped);
        Ok(&mut escaped[..len])
    }

    /// Returns whether something has to be escaped.
    fn check(&self, path: &[u8]) -> Result<bool, UriError> {
        let fault = |offset, kind| Err(UriError { offset, kind });
        if path.first() != Some(&b'/') {
            return fault(0, UriErrorKind::NotRooted);
        }
        let change = ESCAPE.first_changed(path);
        let control = change.and_then(|at| Some(at + path[at..].iter().position(u8::is_ascii_control)?));
        let escaped_control = if has_percent(path) { UNESCAPE.check(path).err() } else { None };
        let controls = [control, escaped_control.map(|error| error.offset)];
        let first = controls.into_iter().flatten().min();
        match change {
            Some(at) if self.strict && first.is_none_or(|control| at < control) => match path[at] {
                b'%' => fault(at, UriErrorKind::Escape(Component::Path)),
                _ => fault(at, UriErrorKind::Character(Component::Path)),
            },
            _ => first.map_or(Ok(change.is_some()), |control| fault(control, UriErrorKind::Control)),
        }
    }
}

/// Returns whether there may be a triplet, which most paths have none of.
fn has_percent(path: &[u8]) -> bool {
    memchr(b'%', path).is_some()
}

/// Why [`PathNormalizer::normalize_slice`] failed: the error of the path, or of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathSliceError {
    /// The path is at fault.
    Path(UriError),
    /// The buffer is too small.
    OutputTooSmall(OutputTooSmall),
}

impl From<UriError> for PathSliceError {
    fn from(error: UriError) -> PathSliceError {
        PathSliceError::Path(error)
    }
}

impl From<OutputTooSmall> for PathSliceError {
    fn from(error: OutputTooSmall) -> PathSliceError {
        PathSliceError::OutputTooSmall(error)
    }
}

impl fmt::Display for PathSliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PathSliceError::Path(error) => error.fmt(f),
            PathSliceError::OutputTooSmall(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PathSliceError {}

/// Decodes a path that is one by the grammar and has no control in it, and removes its dot segments.
fn finish(path: &mut String) {
    let mut bytes = mem::take(path).into_bytes();
    let len = finish_bytes(&mut bytes);
    bytes.truncate(len);
    *path = into_text(bytes);
}

/// Like [`finish`], but returns how long the path then is.
fn finish_bytes(path: &mut [u8]) -> usize {
    let len = internal::decode_in_place_with_report(&UNESCAPE, path).written;
    remove_in_place(&mut path[..len])
}
