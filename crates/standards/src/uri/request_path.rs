//! Normalizes the path of a request, so that you can compare the path, use it for routing, and open a file by it.

use alloc::{borrow::Cow, string::String};
use core::mem;

use memchr::{memchr, memchr_iter, memmem};

use percent_simd::{AsBytes, ByteSet, CheckedDecoder, Decoder, Encoder, SliceError, internal, sets};

use super::dots::{Dots, remove_in_place};
use super::error::{Component, UriError, UriErrorKind};
use super::pieces::into_text;
use crate::memory;

/// Finds and encodes every character that a path can't contain.
static ESCAPE: Encoder = super::PATH.keep_triplets();

/// Decodes unreserved characters, and writes the digits of other triplets in upper case. Rejects triplets of control
/// characters.
static UNESCAPE: CheckedDecoder =
    Decoder::new().keep_upper(sets::RFC3986_UNRESERVED.union(ByteSet::CONTROLS).complement()).reject(ByteSet::CONTROLS);

/// Normalizes the path of a request. This is [`PathNormalizer::normalize`] without options.
///
/// # Errors
///
/// If a path doesn't begin with `/`, or has a control character, returns an error. The control character may be
/// escaped.
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
/// Panics if memory cannot be allocated.
pub fn normalize_path(path: &str) -> Result<Cow<'_, str>, UriError> {
    PathNormalizer::new().normalize(path)
}

/// Normalizes paths of requests. Use the result for your checks, and for all later steps.
///
/// Pass the path of a request target, without the query. Take the path from [`RequestTarget`](super::RequestTarget),
/// not from [`Uri`](super::Uri), because `Uri` reads `//h/x` as a host and a path. These are the steps, in order:
///
/// 1. Reject a path that doesn't begin with `/`. Also reject a path that contains a control character, raw or escaped
///    (`%00`).
/// 2. Encode every character that a path can't contain: a `%` that starts no triplet becomes `%25`, and a backslash
///    becomes `%5C`. If [`strict`](Self::strict) is set, reject the path instead.
/// 3. Decode the triplets of unreserved characters, once. Write the digits of all other triplets in upper case (RFC
///    3986 6.2.2). So `%2F`, `%5C`, `%25`, `%3B` and triplets of bytes above ASCII stay, and no new triplet appears.
/// 4. Remove dot segments (5.2.4), even if they are written with `%2E`. A `..` never leaves the root.
///
/// The result is ASCII, a valid path (3.3), and normal: normalizing it a second time has no effect.
///
/// # Before you open a file
///
/// The result has no dot segments. So you can decode its [`segments`](super::segments), and open each segment inside
/// the folder of the previous segment. But first make two checks:
///
/// - **Decoded segments.** Reject a decoded segment that contains `/` (on Windows also `\` and `:`, and a `.` or a space
///   at the end). Check after decoding, because a `/` inside a segment comes from `%2F`. A `:` can be raw, or come from
///   `%3A`.
/// - **Empty segments.** They stay in the result, but a file system skips them. So reject `//`. Otherwise a rule for
///   `/private` doesn't match `//private`.
///
/// `examples/request_path.rs` shows the whole procedure.
///
/// # Which options
///
/// A rule like "everyone may read `/public`" looks at the normal path. It is safe only if the program that later acts
/// on the path sees the same segments. This program may decode `%2F` before it splits the path, or may skip empty
/// segments. Then `/public/..%2f..%2fadmin` passes the rule and reaches `/admin` (CVE-2026-34908). So the right options
/// depend on this program:
///
/// | You | Normalizer | Because |
/// | --- | --- | --- |
/// | route, and decode each segment yourself | `new()` | `%2F` is data inside a segment: `/repos/a%2Fb` |
/// | route by a prefix, and something else decodes | `.separators(Reject)` | no later program finds a separator that the rule didn't see |
/// | map the path to a file | `.separators(Reject).merge_slashes()`; on Windows also `.reject(ByteSet::of(b":"))` | a file system skips empty segments, and has no `/` in a name |
/// | forward the request (proxy) | `.separators(Reject)`, and send the *normal* path | you don't know what the server behind you decodes |
/// | forward to a server that needs `%2F` (GitLab, npm) | `new()`, and rules by whole segments, not by prefix | `%2F` must arrive |
/// | sign it with AWS Signature Version 4 | `.merge_slashes()`; for S3 don't normalize | the specification removes empty segments, except for S3 |
///
/// On Windows, also refuse a segment with a raw `:`, because [`reject`](Self::reject) looks only at escapes. And refuse a
/// decoded segment that ends with `.` or a space, or that is the name of a device such as `NUL`. Windows opens `private`
/// for the name `private.`, so a rule for `/private` would not match.
///
/// # Other uses
///
/// - The result may begin with `//`. As a reference, this path names a host. So if you write the path into a `Location`
///   field, put the scheme and the host before it.
/// - Some servers give a character a special meaning, for example `;` in `/..;/`. If you write such a server, its code
///   must handle this character.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::{PathNormalizer, UriErrorKind};
///
/// const LENIENT: PathNormalizer = PathNormalizer::new();
/// assert_eq!(LENIENT.normalize("/a/%2E%2E/../etc//%70asswd")?, "/etc//passwd");
/// assert_eq!(LENIENT.normalize(r"/a\b/100%")?, "/a%5Cb/100%25");
/// assert_eq!(LENIENT.normalize("/%252e%252e/a")?, "/%252e%252e/a"); // encoded twice, so `%25` stays a triplet
///
/// let error = LENIENT.strict().normalize("/100%/a").unwrap_err();
/// assert_eq!(error.offset, 4);
/// # Ok::<(), percent_standards::uri::UriError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PathNormalizer {
    strict: bool,
    merge_slashes: bool,
    separators: Separators,
    rejected: ByteSet,
}

/// How a [`PathNormalizer`] treats an escaped separator, `%2F` or `%5C`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Separators {
    /// Keeps escaped separators. Each of them is data inside a segment.
    #[default]
    Keep,
    /// Rejects the path. If the path has a raw backslash, it is rejected too, because the backslash would become `%5C`.
    Reject,
}

/// `/`, and the separator of Windows.
const SEPARATORS: ByteSet = ByteSet::of(b"/\\");

impl PathNormalizer {
    /// Creates a normalizer. It encodes the characters that a path can't contain.
    #[must_use]
    pub const fn new() -> PathNormalizer {
        PathNormalizer { strict: false, merge_slashes: false, separators: Separators::Keep, rejected: ByteSet::EMPTY }
    }

    /// Merges slashes: removes empty segments, except the last one. So `//a///b//` becomes `/a/b/`.
    ///
    /// File systems, Go's `path.Clean` and nginx also skip empty segments. The empty segments are removed before the
    /// dot segments, so `/a//../b` becomes `/b`. Without this option, the `..` removes the empty segment, and the
    /// result is `/a/b`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::PathNormalizer;
    ///
    /// const MERGED: PathNormalizer = PathNormalizer::new().merge_slashes();
    /// assert_eq!(MERGED.normalize("//v1/service//action")?, "/v1/service/action");
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    #[must_use]
    pub const fn merge_slashes(mut self) -> PathNormalizer {
        self.merge_slashes = true;
        self
    }

    /// Keeps or rejects escaped separators. The default is [`Separators::Keep`].
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::{PathNormalizer, Separators, UriErrorKind};
    ///
    /// const STRAIGHT: PathNormalizer = PathNormalizer::new().separators(Separators::Reject);
    /// let error = STRAIGHT.normalize("/validate-sso/..%2f..%2fproxy").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (16, UriErrorKind::Rejected));
    /// ```
    #[must_use]
    pub const fn separators(mut self, separators: Separators) -> PathNormalizer {
        self.separators = separators;
        self
    }

    /// Rejects a path that has one of these bytes as a triplet, or whose normal form would have it as a triplet.
    ///
    /// A raw character that a path may contain is accepted, even if it is in `set`. For example, if `;` is in `set`,
    /// `%3B` is rejected and `;` isn't. But a raw `?`, `#`, `\` or malformed `%` that is in `set` is rejected, because
    /// it would become a triplet in the normal form.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::ByteSet;
    /// use percent_standards::uri::PathNormalizer;
    ///
    /// const PLAIN: PathNormalizer = PathNormalizer::new().reject(ByteSet::of(b"/\\;%?#"));
    /// assert_eq!(PLAIN.normalize("/git%40host;v=1")?, "/git%40host;v=1");
    /// assert_eq!(PLAIN.normalize("/a%3Bb").unwrap_err().offset, 2);
    /// assert_eq!(PLAIN.normalize("/100%").unwrap_err().offset, 4);
    /// # Ok::<(), percent_standards::uri::UriError>(())
    /// ```
    #[must_use]
    pub const fn reject(mut self, set: ByteSet) -> PathNormalizer {
        self.rejected = set;
        self
    }

    /// Rejects paths that aren't valid by the grammar (RFC 3986 3.3).
    ///
    /// A path isn't valid if it has a malformed `%`, or a character that must be encoded.
    #[must_use]
    pub const fn strict(mut self) -> PathNormalizer {
        self.strict = true;
        self
    }

    /// Returns the normal form of `path`. If `path` is already normal, borrows it.
    ///
    /// # Errors
    ///
    /// Returns one of these errors:
    ///
    /// - [`NotRooted`](UriErrorKind::NotRooted) if `path` doesn't begin with `/`;
    /// - [`Control`](UriErrorKind::Control) for a control character, raw or as a triplet;
    /// - [`Rejected`](UriErrorKind::Rejected) for a character that [`reject`](Self::reject) or
    ///   [`separators`](Self::separators) rejects;
    /// - if [`strict`](Self::strict) is set, [`Escape`](UriErrorKind::Escape) for a `%` that starts no triplet, and
    ///   [`Character`](UriErrorKind::Character) for a character that a path can't contain.
    ///
    /// Offsets are in bytes of `path`.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn normalize<'a>(&self, path: &'a str) -> Result<Cow<'a, str>, UriError> {
        let escapes = self.check(path.as_bytes())?;
        let decodes = has_percent(path.as_bytes()) && UNESCAPE.first_changed(path).is_some();
        let merges = self.merge_slashes && memmem::find(path.as_bytes(), b"//").is_some();
        if !escapes && !decodes && !merges && !Dots::Decoded.any(path) {
            return Ok(Cow::Borrowed(path));
        }
        let mut normal = if escapes { ESCAPE.encode_to_string(path) } else { memory::text(path) };
        self.finish(&mut normal);
        Ok(Cow::Owned(normal))
    }

    /// Replaces `path` by its normal form. Allocates only if a character has to be encoded.
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
    /// Returns the errors of [`normalize`](Self::normalize). After an error, `path` is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    pub fn normalize_in_place(&self, path: &mut String) -> Result<(), UriError> {
        if self.check(path.as_bytes())? {
            *path = ESCAPE.encode_to_string(path);
        }
        self.finish(path);
        Ok(())
    }

    /// Writes the normal form of `path` to the start of `out`, and returns it. `path` may contain any bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::uri::PathNormalizer;
    ///
    /// let mut out = [0; 16];
    /// assert_eq!(PathNormalizer::new().normalize_slice(b"/a/../\xE9", &mut out)?, b"/%E9");
    /// # Ok::<(), percent_standards::codec::SliceError<percent_standards::uri::UriError>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`normalize`](Self::normalize). Also returns an error if `out` is too small. `out` needs
    /// room for the whole path with its invalid characters encoded, because dot segments are removed only after the
    /// encoding. After an error, the contents of `out` are unspecified.
    pub fn normalize_slice<'o, I: AsBytes + ?Sized>(
        &self,
        path: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], SliceError<UriError>> {
        let path = path.as_bytes();
        self.check(path)?;
        let escaped = ESCAPE.raw().encode_slice(path, out)?;
        let len = self.finish_bytes(escaped);
        Ok(&mut escaped[..len])
    }

    /// Checks a path. Returns true if a character of the path has to be encoded.
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
        if let Some(at) = self.rejected_at(path, change)
            && first.is_none_or(|control| at < control)
            && !(self.strict && change.is_some_and(|change| change <= at))
        {
            return fault(at, UriErrorKind::Rejected);
        }
        match change {
            Some(at) if self.strict && first.is_none_or(|control| at < control) => match path[at] {
                b'%' => fault(at, UriErrorKind::Escape(Component::Path)),
                _ => fault(at, UriErrorKind::Character(Component::Path)),
            },
            _ => first.map_or(Ok(change.is_some()), |control| fault(control, UriErrorKind::Control)),
        }
    }

    /// Finds the first character of `path` whose triplet is rejected, and returns its offset. The character is a
    /// triplet in `path`, or becomes a triplet in the normal form. `change` is the offset of the first character that
    /// has to be escaped.
    fn rejected_at(&self, path: &[u8], change: Option<usize>) -> Option<usize> {
        let separators = if self.separators == Separators::Reject { SEPARATORS } else { ByteSet::EMPTY };
        let rejected = self.rejected | separators;
        if rejected.is_empty() {
            return None;
        }
        let triplet =
            memchr_iter(b'%', path).find(|&at| internal::triplet(path, at).is_some_and(|byte| rejected.contains(byte)));
        // If a `%` starts a triplet, it isn't a raw character, and the search above has already looked at it.
        let is_escaped = |at: usize| match path[at] {
            b'%' => internal::triplet(path, at).is_none(),
            byte => !sets::RFC3986_PATH.contains(byte),
        };
        let raw = change.and_then(|from| (from..path.len()).find(|&at| rejected.contains(path[at]) && is_escaped(at)));
        [triplet, raw].into_iter().flatten().min()
    }

    /// Decodes a valid path that has no control characters, and removes its dot segments.
    fn finish(self, path: &mut String) {
        let mut bytes = mem::take(path).into_bytes();
        let len = self.finish_bytes(&mut bytes);
        bytes.truncate(len);
        *path = into_text(bytes);
    }

    /// Does the same as [`finish`](Self::finish), but in bytes. Returns the new length of the path.
    fn finish_bytes(self, path: &mut [u8]) -> usize {
        let len = internal::decode_in_place_with_report(&UNESCAPE, path).written;
        remove_in_place(&mut path[..len], self.merge_slashes)
    }
}

/// Returns true if the path may have a triplet. Most paths have no `%`, so they have none.
fn has_percent(path: &[u8]) -> bool {
    memchr(b'%', path).is_some()
}
