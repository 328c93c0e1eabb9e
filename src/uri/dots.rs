//! Dot segments (RFC 3986 5.2.4), removed from the last segment on.
//!
//! The RFC's way is a stack: `..` takes back what was put last. From the end it is a counter: `..` drops the next
//! segment that would stay. So nothing is put that is taken back, the length is known before anything is written, and two
//! paths can be compared without writing either.

use core::mem;

use memchr::{memchr, memchr_iter, memrchr};

#[cfg(feature = "alloc")]
use super::normalize::build;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// What is done about the segments of dots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dots {
    /// They stay.
    Stay,
    /// `.` and `..` go (5.2.4).
    Go,
    /// They go, and `%2E` is a dot (6.2.2.2).
    EscapedGo,
}

impl Dots {
    /// How many dots `segment` is: 1 or 2, or 0 where it is something else or stays.
    fn count(self, segment: &[u8]) -> usize {
        let (mut rest, mut count) = (segment, 0);
        while !rest.is_empty() {
            rest = match rest {
                [b'.', rest @ ..] if self != Dots::Stay => rest,
                [b'%', b'2', b'e' | b'E', rest @ ..] if self == Dots::EscapedGo => rest,
                _ => return 0,
            };
            count += 1;
            if count > 2 {
                return 0;
            }
        }
        count
    }

    /// Whether any segment of `path` goes.
    pub(super) fn any(self, path: &str) -> bool {
        let path = path.as_bytes();
        let goes = |at: usize| {
            // Most segments start with neither.
            matches!(path.get(at), Some(b'.' | b'%')) && {
                let rest = &path[at..];
                self.count(&rest[..memchr(b'/', rest).unwrap_or(rest.len())]) != 0
            }
        };
        goes(0) || memchr_iter(b'/', path).any(|at| goes(at + 1))
    }

    /// `path` without the segments of dots that it starts with, where no slash precedes them (step A and D).
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

/// The segments that stay, from the last, each with whether a slash precedes it.
#[derive(Clone)]
pub(super) struct Kept<'a> {
    /// What precedes `rest` in the path: nothing, or something that ends in a slash.
    front: &'a str,
    rest: Option<&'a str>,
    dots: Dots,
    is_last: bool,
    /// Segments to be dropped for a `..` behind them.
    drop: usize,
}

impl<'a> Kept<'a> {
    /// Those of the path that is `front` and then `rest`; `front` is empty or ends in a slash.
    pub(super) fn new(front: &'a str, rest: &'a str, dots: Dots) -> Kept<'a> {
        let front = dots.without_leading(front);
        let rest = if front.is_empty() { dots.without_leading(rest) } else { rest };
        Kept { front, rest: Some(rest), dots, is_last: true, drop: 0 }
    }

    fn segment(&mut self) -> Option<(bool, &'a str)> {
        let rest = self.rest?;
        if let Some(at) = memrchr(b'/', rest.as_bytes()) {
            self.rest = Some(&rest[..at]);
            return Some((true, &rest[at + 1..]));
        }
        self.rest = mem::take(&mut self.front).strip_suffix('/');
        Some((self.rest.is_some(), rest))
    }

    /// What is left of the path, from the end, piece by piece.
    pub(super) fn pieces(self) -> impl Iterator<Item = &'a str> + Clone {
        self.flat_map(|(slash, segment)| [segment, if slash { "/" } else { "" }])
    }

    /// Whether what is left starts with two slashes, and so would be read as an authority if there is none (3.3).
    pub(super) fn looks_like_authority(self) -> bool {
        let (mut second, mut first) = (None, None);
        // The first segment of an absolute path is what precedes its slash: nothing.
        for piece in self.filter(|piece| *piece != (false, "")) {
            (second, first) = (first, Some(piece));
        }
        first == Some((true, "")) && second.is_some()
    }
}

impl<'a> Iterator for Kept<'a> {
    type Item = (bool, &'a str);

    fn next(&mut self) -> Option<(bool, &'a str)> {
        loop {
            let (slash, segment) = self.segment()?;
            let is_last = mem::take(&mut self.is_last);
            match self.dots.count(segment.as_bytes()) {
                0 if self.drop == 0 => return Some((slash, segment)),
                0 => self.drop -= 1,
                dots => {
                    self.drop += dots - 1;
                    // The slash before the last segment stays.
                    if is_last && slash {
                        return Some((true, ""));
                    }
                }
            }
        }
    }
}

/// Removes the segments `.` and `..` from a path: RFC 3986 5.2.4, to the letter.
///
/// Nothing is decoded: `%2E` is no dot here, but see [`normalize`](super::normalize). Borrows where no segment is one of
/// dots. As the algorithm has it, a relative path may become an absolute one: `a/../b` becomes `/b`.
///
/// ```
/// use percent_simd::uri::remove_dot_segments;
///
/// assert_eq!(remove_dot_segments("/a/b/c/./../../g"), "/a/g");
/// assert_eq!(remove_dot_segments("mid/content=5/../6"), "mid/6");
/// assert_eq!(remove_dot_segments("../../a/.."), "/");
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn remove_dot_segments(path: &str) -> Cow<'_, str> {
    if !Dots::Go.any(path) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(build(Kept::new("", path, Dots::Go).pieces().map(|piece| (piece, false))))
}
