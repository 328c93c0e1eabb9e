//! The parts of a URL.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2, memmem};
use percent_simd::{ByteSet, RawEncoder};
use percent_standards::uri::TargetBounds;

use crate::formats::Syntax;

/// The part of a URL to work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The path, without scheme and authority.
    Path,
    /// The query, without its `?`.
    Query,
    /// The value of each pair of the query.
    Values,
    /// The fragment, without its `#`.
    Fragment,
}

impl Part {
    /// Each part and its name.
    pub const NAMES: [(&str, Part); 4] =
        [("path", Part::Path), ("query", Part::Query), ("values", Part::Values), ("fragment", Part::Fragment)];

    /// Returns the bytes whose escapes stay. If they were decoded, they would move the bounds of the part or of its
    /// pairs. A decoded `+` would be read as a space.
    pub(super) fn keep(self) -> ByteSet {
        match self {
            Part::Path => ByteSet::of(b"/?#"),
            Part::Query => ByteSet::of(b"#&=+"),
            Part::Values => ByteSet::of(b"#&+"),
            Part::Fragment => ByteSet::EMPTY,
        }
    }

    /// Returns the ranges of the part in a value. Only `Values` can have several ranges.
    pub(super) fn ranges(self, url: &[u8], syntax: Syntax) -> Vec<Range<usize>> {
        let one = |range| std::iter::once(range).collect();
        let end = url.len();
        let (path, query, fragment) = match syntax {
            Syntax::Query => (0..0, 0..end, end..end),
            Syntax::Target => {
                let bounds = TargetBounds::split(url);
                (bounds.path(), bounds.query().unwrap_or(end..end), end..end)
            }
            Syntax::Reference => {
                let fragment = memchr(b'#', url).unwrap_or(end);
                let question = memchr(b'?', &url[..fragment]).unwrap_or(fragment);
                let query = (question + 1).min(fragment)..fragment;
                (path_start(&url[..question])..question, query, (fragment + 1).min(end)..end)
            }
        };
        match self {
            Part::Path => one(path),
            Part::Query => one(query),
            Part::Fragment => one(fragment),
            Part::Values => {
                let mut values = Vec::new();
                let mut at = query.start;
                for pair in url[query].split(|&byte| byte == b'&') {
                    if let Some(equals) = memchr(b'=', pair) {
                        values.push(at + equals + 1..at + pair.len());
                    }
                    at += pair.len() + 1;
                }
                values
            }
        }
    }
}

/// Returns the start of the path of `reference`, which the caller passes without the query and the fragment.
fn path_start(reference: &[u8]) -> usize {
    // The path comes after the authority and the scheme, if the reference has them.
    let authority = memmem::find(reference, b"://")
        .filter(|&at| !reference[..at].contains(&b'/'))
        .map_or(if reference.starts_with(b"//") { 2 } else { 0 }, |at| at + 3);
    match authority {
        // The text before a `:` is a scheme, or would be a scheme if its escapes were decoded.
        0 => memchr2(b':', b'/', reference).filter(|&at| reference[at] == b':').map_or(0, |colon| colon + 1),
        at => memchr(b'/', &reference[at..]).map_or(reference.len(), |slash| at + slash),
    }
}

/// Escapes each `:` in the first segment of the path that starts at `start`. Otherwise the text before the `:` would be
/// read as a scheme (RFC 3986 4.2).
///
/// The segment had no `:` before it was decoded, so every `:` in it comes from an escape.
pub fn escape_colons_of_first_segment(out: &mut Vec<u8>, start: usize) {
    const NO_COLON: RawEncoder = RawEncoder::new(ByteSet::ALL.without(b':'));
    let end = memchr(b'/', &out[start..]).map_or(out.len(), |slash| start + slash);
    if let Cow::Owned(segment) = NO_COLON.encode(&out[start..end]) {
        out.splice(start..end, segment);
    }
}
