//! Dot segments (RFC 3986 5.2.4), removed from the last segment on.
//!
//! The RFC's way is a stack: `..` takes back what was put last. From the end it is a counter: `..` drops the next
//! segment that would stay. So nothing is put that is taken back, the length is known before anything is written, and two
//! paths can be compared without writing either.

use core::mem;

use memchr::{memchr, memchr_iter};

#[cfg(feature = "alloc")]
use super::resolve::build;
#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// What is done about the segments of dots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dots {
    /// They stay.
    Stay,
    /// `.` and `..` go (5.2.4).
    Go,
    /// They go, and `%2E` is a dot (6.2.2.2).
    EscapedGo,
}

impl Dots {
    /// How many dots `segment` is: 1 or 2, or 0 where it is something else or stays.
    pub(crate) fn count(self, segment: &[u8]) -> usize {
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
    pub(crate) fn any(self, path: &str) -> bool {
        let path = path.as_bytes();
        let goes = |at: usize| {
            let rest = path.get(at..).unwrap_or_default();
            matches!(rest, [b'.' | b'%', ..]) && self.count(&rest[..memchr(b'/', rest).unwrap_or(rest.len())]) != 0
        };
        goes(0) || may_have_dots(path) && memchr_iter(b'/', path).any(|at| goes(at + 1))
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

/// Whether `path` has `/.` or `/%2E` in it: a test without branches, as few paths have.
fn may_have_dots(path: &[u8]) -> bool {
    let is_suspect =
        |a: u8, b: u8, c: u8, d: u8| (a == b'/') & ((b == b'.') | (b == b'%') & (c == b'2') & (d | 0x20 == b'e'));
    let Some(n) = path.len().checked_sub(3) else { return true };
    let lanes = path[..n].iter().zip(&path[1..]).zip(&path[2..]).zip(&path[3..]);
    lanes.fold(false, |found, (((&a, &b), &c), &d)| found | is_suspect(a, b, c, d)) || path[n..].contains(&b'.')
}

/// What stays of a path, from the end, piece by piece: the segments, each with the slash before it.
#[derive(Clone)]
pub(crate) struct Kept<'a> {
    /// What precedes `rest` in the path: nothing, or something that ends in a slash.
    front: &'a str,
    rest: Option<&'a str>,
    dots: Dots,
    is_last: bool,
    /// Segments to be dropped for a `..` behind them.
    drop: usize,
    /// The next piece is the slash of the last, which is in `front` while that was not.
    slash: bool,
}

impl<'a> Kept<'a> {
    /// Of the path that is `front` and then `rest`; `front` is empty or ends in a slash.
    pub(crate) fn new(front: &'a str, rest: &'a str, dots: Dots) -> Kept<'a> {
        let front = dots.without_leading(front);
        let rest = if front.is_empty() { dots.without_leading(rest) } else { rest };
        Kept { front, rest: Some(rest), dots, is_last: true, drop: 0, slash: false }
    }

    /// Whether what is left starts with two slashes, and so would be read as an authority if there is none (3.3).
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
            let rest = self.rest?;
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
    Cow::Owned(build(Kept::new("", path, Dots::Go)))
}
