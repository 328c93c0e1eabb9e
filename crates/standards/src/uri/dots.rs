//! Removes the dot segments `.` and `..` from paths (RFC 3986 5.2.4), starting at the last segment.
//!
//! # The problem
//!
//! A `..` removes the nearest kept segment before it. So whether a segment is kept depends on the segments after it. A
//! program that reads the path from its start doesn't know the later segments yet.
//!
//! # The idea
//!
//! We read the segments from the last to the first. When we reach a segment, we have already read every `..` that can
//! remove it. We only have to count the `..` that haven't removed a segment yet. We call these `..` open. So a counter
//! replaces the stack of kept segments:
//!
//! ```text
//! open = 0
//! for each segment of the path, last segment first:
//!     if it is "." or "..":
//!         if it is "..":              open += 1
//!         if it is the last segment:  emit "/"
//!     else if open > 0:               open -= 1
//!     else:                           emit "/" and the segment
//! ```
//!
//! If a `..` is still open at the start of the path, there is no segment that it could remove, and it is ignored.
//! [`Kept`] is this loop, as an iterator. Its field `drop` is the counter. A relative path may start with dot segments
//! that follow no slash. [`Kept`] removes them before the loop (steps A and D of the RFC).
//!
//! # An example
//!
//! `/a/b/../c/.` becomes `/a/c/`:
//!
//! | segment | step | open | emitted so far |
//! | --- | --- | --- | --- |
//! | `.` | the last segment: emit `/` | 0 | `/` |
//! | `c` | emit `/c` | 0 | `/c/` |
//! | `..` | count it | 1 | `/c/` |
//! | `b` | remove it | 0 | `/c/` |
//! | `a` | emit `/a` | 0 | `/a/c/` |
//!
//! # Why not the loop of the RFC
//!
//! The loop of 5.2.4 moves segments from an input buffer to an output buffer. At each `..`, it removes the segment that
//! it wrote last. Our loop reads from the end, which has three advantages:
//!
//! - We never write a byte that is removed later, so we can emit the pieces without any buffer.
//! - A first pass over the pieces adds up the exact length of the result, so one allocation is enough.
//! - We can compare two paths piece by piece, without writing either of them (`equivalent.rs`).
//!
//! Only [`remove_in_place`] reads from the start. It overwrites its own input, so the result has to start at the start
//! of the input.

use core::mem;

use memchr::{memchr, memchr_iter};

#[cfg(feature = "alloc")]
use super::pieces::build;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// The rule for removing segments. It decides which segments are dot segments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// Removes no segment.
    Keep,
    /// Removes `.` and `..`, exactly as 5.2.4 does.
    Literal,
    /// Removes `.` and `..`. A dot may be written `%2E` (6.2.2.2).
    Decoded,
    /// Removes only `.`, which may be written `%2E`.
    ///
    /// Use this for a relative path that isn't resolved yet. `./a` and `a` give the same target with every base. But
    /// which segment a `..` removes depends on the base.
    Relative,
}

impl Dots {
    /// If `segment` is a dot segment by this rule, returns the number of its dots. Otherwise returns 0.
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

    /// Returns true if `path` has a dot segment.
    pub(crate) fn any(self, path: &str) -> bool {
        let path = path.as_bytes();
        let is_dots = |at: usize| {
            let rest = path.get(at..).unwrap_or_default();
            matches!(rest, [b'.' | b'%', ..]) && self.count(&rest[..memchr(b'/', rest).unwrap_or(rest.len())]) != 0
        };
        is_dots(0) || may_have_dots(path) && memchr_iter(b'/', path).any(|at| is_dots(at + 1))
    }

    /// If `path` starts with dot segments that follow no slash, removes them (5.2.4, steps A and D).
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

/// Returns true if `path` may have `/.` or `/%2E`. Few paths have them, so the loop tests all bytes without a branch.
fn may_have_dots(path: &[u8]) -> bool {
    let is_suspect =
        |a: u8, b: u8, c: u8, d: u8| (a == b'/') & ((b == b'.') | (b == b'%') & (c == b'2') & (d | 0x20 == b'e'));
    let Some(n) = path.len().checked_sub(3) else { return true };
    let lanes = path[..n].iter().zip(&path[1..]).zip(&path[2..]).zip(&path[3..]);
    lanes.fold(false, |found, (((&a, &b), &c), &d)| found | is_suspect(a, b, c, d)) || path[n..].contains(&b'.')
}

/// Yields the pieces of a path without its dot segments, starting with the last piece.
///
/// A piece is a segment and the slash before it.
#[derive(Clone)]
pub(crate) struct Kept<'a> {
    /// The unread part of the path that comes before `rest`. It is empty or ends in a slash.
    front: &'a str,
    rest: Option<&'a str>,
    dots: Dots,
    is_last: bool,
    /// The number of segments that we still have to remove: one for each `..` that hasn't removed a segment yet.
    drop: usize,
    /// True if the next piece is the slash at the end of `front`. We have just returned the segment after this slash,
    /// but without the slash.
    slash: bool,
    /// True if a relative path needs `./` before it. Without `./`, the path would be empty, be absolute, or start with
    /// a scheme.
    guard: bool,
}

impl<'a> Kept<'a> {
    /// Creates an iterator over the path `front` + `rest`. `front` is empty or ends in a slash.
    pub(crate) fn new(front: &'a str, rest: &'a str, dots: Dots) -> Kept<'a> {
        let front = dots.without_leading(front);
        let kept = if front.is_empty() { dots.without_leading(rest) } else { rest };
        let first = &kept.as_bytes()[..memchr(b'/', kept.as_bytes()).unwrap_or(kept.len())];
        let guard = dots == Dots::Relative
            && kept.len() < rest.len()
            && (kept.is_empty() || kept.starts_with('/') || memchr(b':', first).is_some());
        Kept { front, rest: Some(kept), dots, is_last: true, drop: 0, slash: false, guard }
    }

    /// Returns true if the path starts with two slashes. If a URI has no authority, this path would be read as its
    /// authority (3.3).
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

/// Removes the dot segments `.` and `..` from a path (RFC 3986 5.2.4). `%2E` counts as a dot (6.2.2.2).
///
/// Call this only for a path. For a whole reference, call [`normalize`](fn@super::normalize). Borrows if the path has
/// no dot segments. The only escape that is decoded is `%2E`.
///
/// RFC 3986 removes dot segments before it decodes escapes. But `%2E` and `.` are equivalent, and browsers, curl and
/// most servers treat them alike. If `%2E%2E` stayed in the path, the next program that decodes the path could leave
/// the root. [`remove_dot_segments_literally`] follows 5.2.4 exactly.
///
/// Two results may surprise you:
///
/// - By the RFC's algorithm, a relative path can become absolute: `a/../b` becomes `/b`. So `foo:bar/../baz` becomes
///   `foo:/baz` when it is resolved or normalized.
/// - The result is a path, not a reference: `./javascript:x` becomes `javascript:x`, and `/.//evil` becomes `//evil`.
///   So don't parse it as a reference.
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
/// assert_eq!(remove_dot_segments("./javascript:x"), "javascript:x"); // this is a path, not a reference
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn remove_dot_segments(path: &str) -> Cow<'_, str> {
    without_dots(path, Dots::Decoded)
}

/// Removes the dot segments `.` and `..` exactly as RFC 3986 5.2.4 does. `%2E` is not a dot.
///
/// Call this only if you need the RFC's algorithm for the text as it is written. If a `%2E%2E` remains, it becomes a
/// dot segment as soon as someone decodes it. In all other cases, call [`remove_dot_segments`].
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

/// Removes the dot segments from an absolute path, in place. Returns the new length of the path. A `..` at the root has
/// no effect. If `merge_slashes` is true, also removes all empty segments except the last one.
#[cfg(feature = "alloc")]
pub(crate) fn remove_in_place(path: &mut [u8], merge_slashes: bool) -> usize {
    // `path[..written]` is finished: it is empty or starts with a slash. `path[at..]` is still unread.
    let (mut at, mut written) = (0, 0);
    while at < path.len() {
        let segment = &path[at + 1..];
        let len = memchr(b'/', segment).unwrap_or(segment.len());
        let next = at + 1 + len;
        match Dots::Decoded.count(&segment[..len]) {
            0 if merge_slashes && len == 0 && next < path.len() => {}
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
