//! Dot segments (RFC 3986 5.2.4), removed from the last segment on.
//!
//! The RFC's way is a stack: `..` takes back the segment that was pushed last. From the end it is a counter: `..` drops
//! the next segment that would stay. So nothing is written that is taken back, the length is known before anything is
//! written, and two paths can be compared without writing either. Only [`remove_in_place`] goes forward, as what it
//! reads is what it overwrites.

use core::mem;

use memchr::{memchr, memchr_iter};

#[cfg(feature = "alloc")]
use super::pieces::build;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// Which segments are dot segments, and removed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// None.
    Keep,
    /// `.` and `..`, to the letter of 5.2.4.
    Literal,
    /// `.` and `..`, where `%2E` is a dot (6.2.2.2).
    Decoded,
    /// Of a relative path that waits for its base, only `.`, where `%2E` is a dot: no base tells `./a` from `a`. What
    /// `..` removes depends on the base.
    Relative,
}

impl Dots {
    /// Returns how many dots `segment` is, 1 or 2, or 0 where it is no dot segment.
    pub(crate) fn count(self, segment: &[u8]) -> usize {
        let (mut rest, mut count) = (segment, 0);
        while !rest.is_empty() {
            rest = match rest {
                [b'.', rest @ ..] if self != Dots::Keep => rest,
                [b'%', b'2', b'e' | b'E', rest @ ..] if matches!(self, Dots::Decoded | Dots::Relative) => rest,
                _ => return 0,
            };
            count += 1;
            if count > if self == Dots::Relative { 1 } else { 2 } {
                return 0;
            }
        }
        count
    }

    /// Returns whether `path` has a dot segment.
    pub(crate) fn any(self, path: &str) -> bool {
        let path = path.as_bytes();
        let is_dots = |at: usize| {
            let rest = path.get(at..).unwrap_or_default();
            matches!(rest, [b'.' | b'%', ..]) && self.count(&rest[..memchr(b'/', rest).unwrap_or(rest.len())]) != 0
        };
        is_dots(0) || may_have_dots(path) && memchr_iter(b'/', path).any(|at| is_dots(at + 1))
    }

    /// Returns `path` without the dot segments at its start that no slash precedes (steps A and D).
    fn without_leading(self, mut path: &str) -> &str {
        loop {
            let end = memchr(b'/', path.as_bytes());
            if self.count(&path.as_bytes()[..end.unwrap_or(path.len())]) == 0 {
                return path;
            }
            path = end.map_or("", |end| &path[end + 1..]);
        }
    }
}

/// Returns whether `path` has `/.` or `/%2E` in it. Without branches, as few paths have.
fn may_have_dots(path: &[u8]) -> bool {
    let is_suspect =
        |a: u8, b: u8, c: u8, d: u8| (a == b'/') & ((b == b'.') | (b == b'%') & (c == b'2') & (d | 0x20 == b'e'));
    let Some(n) = path.len().checked_sub(3) else { return true };
    let lanes = path[..n].iter().zip(&path[1..]).zip(&path[2..]).zip(&path[3..]);
    lanes.fold(false, |found, (((&a, &b), &c), &d)| found | is_suspect(a, b, c, d)) || path[n..].contains(&b'.')
}

/// The pieces of a path without its dot segments, the last piece first: segments, each with the slash before it.
#[derive(Clone)]
pub(crate) struct Kept<'a> {
    /// The part of the path before `rest`: empty, or text that ends in a slash.
    front: &'a str,
    rest: Option<&'a str>,
    dots: Dots,
    is_last: bool,
    /// Segments to be dropped for a `..` behind them.
    drop: usize,
    /// Whether the next piece is the slash before the last piece, which was the first of `rest`.
    slash: bool,
    /// Whether a relative path needs a `./` in front, or it would be empty, absolute, or have a scheme.
    guard: bool,
}

impl<'a> Kept<'a> {
    /// Of the path that is `front` and then `rest`; `front` is empty or ends in a slash.
    pub(crate) fn new(front: &'a str, rest: &'a str, dots: Dots) -> Kept<'a> {
        let front = dots.without_leading(front);
        let kept = if front.is_empty() { dots.without_leading(rest) } else { rest };
        let first = &kept.as_bytes()[..memchr(b'/', kept.as_bytes()).unwrap_or(kept.len())];
        let guard = dots == Dots::Relative
            && kept.len() < rest.len()
            && (kept.is_empty() || kept.starts_with('/') || memchr(b':', first).is_some());
        Kept { front, rest: Some(kept), dots, is_last: true, drop: 0, slash: false, guard }
    }

    /// Returns whether the path starts with two slashes, and so would be read as an authority if there is none (3.3).
    pub(crate) fn looks_like_authority(self) -> bool {
        let (mut second, mut first) = ("", "");
        for piece in self.filter(|piece| !piece.is_empty()) {
            (second, first) = (first, piece);
        }
        first == "/" && second.starts_with('/')
    }
}

impl<'a> Iterator for Kept<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if mem::take(&mut self.slash) {
            return Some("/");
        }
        loop {
            let Some(rest) = self.rest else {
                return mem::take(&mut self.guard).then_some("./");
            };
            let (piece, segment, is_split) = match rest.bytes().rposition(|byte| byte == b'/') {
                Some(at) => {
                    self.rest = Some(&rest[..at]);
                    (&rest[at..], &rest[at + 1..], false)
                }
                None => {
                    self.rest = mem::take(&mut self.front).strip_suffix('/');
                    (rest, rest, self.rest.is_some())
                }
            };
            let is_last = mem::take(&mut self.is_last);
            match self.dots.count(segment.as_bytes()) {
                0 if self.drop == 0 => {
                    self.slash = is_split;
                    return Some(piece);
                }
                0 => self.drop -= 1,
                dots => {
                    self.drop += dots - 1;
                    // The slash before the last segment stays.
                    if is_last && (is_split || piece.len() > segment.len()) {
                        return Some("/");
                    }
                }
            }
        }
    }
}

/// Removes the dot segments `.` and `..` from a path (RFC 3986 5.2.4); `%2E` is a dot (6.2.2.2).
///
/// Borrows where there are none; nothing else is decoded. RFC 3986 removes dot segments before it decodes anything, but
/// `%2E` and `.` are equivalent, and browsers, curl and most servers take one for the other: a path that keeps its
/// `%2E%2E` leaves the root at the next decoder. [`remove_dot_segments_literally`] follows 5.2.4 to the letter.
///
/// As the algorithm has it, a relative path may become an absolute one: `a/../b` becomes `/b`, and so `foo:bar/../baz`
/// becomes `foo:/baz` when it is resolved or normalized.
///
/// The result is a path and no reference: `./javascript:x` becomes `javascript:x`, and `/.//evil` becomes `//evil`. Keep
/// scheme and authority apart from it, or call [`normalize`](fn@super::normalize) on the whole reference.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::remove_dot_segments;
///
/// assert_eq!(remove_dot_segments("/a/b/c/./../../g"), "/a/g");
/// assert_eq!(remove_dot_segments("mid/content=5/../6"), "mid/6");
/// assert_eq!(remove_dot_segments("/a/%2e%2E/b"), "/b");
/// assert_eq!(remove_dot_segments("../../a/.."), "/");
/// assert_eq!(remove_dot_segments("./javascript:x"), "javascript:x"); // a path, but no reference
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn remove_dot_segments(path: &str) -> Cow<'_, str> {
    without_dots(path, Dots::Decoded)
}

/// Removes the dot segments `.` and `..` from a path to the letter of RFC 3986 5.2.4; `%2E` is no dot.
///
/// Like [`remove_dot_segments`], but for whoever needs the algorithm of the RFC on the text as it stands. A `%2E%2E`
/// that stays is a dot segment to whoever decodes it later.
///
/// # Examples
///
/// ```
/// use percent_standards::uri::remove_dot_segments_literally;
///
/// assert_eq!(remove_dot_segments_literally("/a/%2E%2E/b/../c"), "/a/%2E%2E/c");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn remove_dot_segments_literally(path: &str) -> Cow<'_, str> {
    without_dots(path, Dots::Literal)
}

#[cfg(feature = "alloc")]
fn without_dots(path: &str, dots: Dots) -> Cow<'_, str> {
    if !dots.any(path) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(build(Kept::new("", path, dots)))
}

/// Removes the dot segments from an absolute path, in place, and returns how long it then is. Its `..` never get out of
/// the root.
#[cfg(feature = "alloc")]
pub(crate) fn remove_in_place(path: &mut [u8]) -> usize {
    // The path up to `written` is done, and begins with a slash where it is not empty; the rest is from `at` on.
    let (mut at, mut written) = (0, 0);
    while at < path.len() {
        let segment = &path[at + 1..];
        let len = memchr(b'/', segment).unwrap_or(segment.len());
        let next = at + 1 + len;
        match Dots::Decoded.count(&segment[..len]) {
            0 => {
                path[written..next].copy_within(at - written.., 0);
                written += next - at;
            }
            dots => {
                if dots == 2 {
                    written = memchr::memrchr(b'/', &path[..written]).unwrap_or(0);
                }
                // The slash before the last segment stays.
                if next == path.len() {
                    path[written] = b'/';
                    written += 1;
                }
            }
        }
        at = next;
    }
    written
}
