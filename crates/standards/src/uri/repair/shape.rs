//! Checks that a repaired link leads to the same place.
//!
//! A program may check a link before the link is repaired. The repaired link must not surprise this program. So no
//! repair may add a host, a component, a segment or a dot segment. We can't check this for each repair separately:
//! `%u002E` becomes an escaped dot, joined lines can form `..`, and a line break can be inside a host. So we compare
//! the [`Shape`] of the whole link before all repairs and after them.
//!
//! Programs read links differently, and we take the most lenient reading:
//!
//! - In `http` and other special schemes, browsers read `\` as `/`, and skip any number of slashes before the host (URL
//!   Standard 4.4).
//! - Some servers decode `%2E`, `%2F` and `%5C` before they split a path.
//!
//! Browsers also remove line breaks. People don't: they see `http:\\ev`, and then another line. So for this check, a
//! line break is an ordinary byte.

use super::{Change, Sink};
use crate::uri::schemes::{SPECIAL, is_one_of};

/// The component of the next byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The scheme, or the path of a link without a scheme.
    Start,
    /// The slashes before the authority.
    Slashes,
    Authority,
    Path,
    Query,
    Fragment,
}

/// The facts that a repair must not change.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Facts {
    has_scheme: bool,
    has_authority: bool,
    has_userinfo: bool,
    has_query: bool,
    has_fragment: bool,
    /// The number of slashes and backslashes before the query. They may be escaped.
    separators: usize,
    /// The number of dot segments between slashes (RFC 3986 3.3). Their dots may be escaped.
    dot_segments: usize,
    /// The number of dot segments if backslashes and escaped slashes also separate segments.
    lenient_dot_segments: usize,
}

/// The start of a segment.
#[derive(Clone, Copy, Default)]
struct Segment {
    dots: usize,
    has_text: bool,
}

impl Segment {
    /// Ends the segment. If it is a dot segment, returns 1. Otherwise returns 0.
    fn end(&mut self) -> usize {
        let Segment { dots, has_text } = core::mem::take(self);
        usize::from(matches!(dots, 1 | 2) && !has_text)
    }
}

/// The facts about a link that arrives in pieces.
pub(super) struct Shape<'a> {
    place: Place,
    /// The offset of the next byte.
    at: usize,
    /// The first bytes of the scheme.
    scheme: [u8; 5],
    is_special: bool,
    slashes: usize,
    /// The host with its port that we expect.
    expected: &'a [u8],
    is_expected: bool,
    /// The start and the end of the host with its port.
    host: (usize, usize),
    segment: Segment,
    lenient_segment: Segment,
    /// If the last byte was the first digit of an escape, this is the digit. If the last byte was the `%`, this is 16.
    digit: Option<u32>,
    facts: Facts,
}

impl<'a> Shape<'a> {
    /// Returns the shape of an empty link. `expected` is the host with its port that the link should have.
    fn new(expected: &'a [u8]) -> Shape<'a> {
        Shape {
            place: Place::Start,
            at: 0,
            scheme: [0; 5],
            is_special: true,
            slashes: 0,
            expected,
            is_expected: true,
            host: (0, 0),
            segment: Segment::default(),
            lenient_segment: Segment::default(),
            digit: None,
            facts: Facts::default(),
        }
    }

    /// Returns true if `link` and the text that `write` writes have the same shape.
    pub(super) fn is_kept(link: &str, write: impl FnOnce(&mut Shape<'_>)) -> bool {
        let mut before = Shape::new(&[]);
        before.text(link);
        before.finish();
        let host = link.as_bytes().get(before.host.0..before.host.1).unwrap_or_default();
        let mut after = Shape::new(host);
        write(&mut after);
        after.finish();
        after.facts == before.facts && after.is_expected && after.host.1 - after.host.0 == host.len()
    }

    fn push(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Start, b':') if self.at > 0 => {
                let scheme = self.scheme.get(..self.at).unwrap_or_default();
                self.is_special = is_one_of(scheme, &SPECIAL);
                (self.facts.has_scheme, self.place, self.at) = (true, Place::Slashes, self.at + 1);
                (self.segment, self.lenient_segment, self.digit) = Default::default();
                return;
            }
            (Place::Start, b'/' | b'\\') if self.at == 0 => (self.place, self.slashes) = (Place::Slashes, 1),
            (Place::Start, b':' | b'/' | b'\\') => self.place = Place::Path,
            (Place::Start, b'?' | b'#') => self.start(byte),
            (Place::Start, _) => {
                if let Some(to) = self.scheme.get_mut(self.at) {
                    *to = byte;
                }
            }
            (Place::Slashes, _) if self.is_slash(byte) && (self.is_special || self.slashes < 2) => self.slashes += 1,
            (Place::Slashes, _) => {
                self.end_slashes();
                return self.push(byte);
            }
            (Place::Authority, _) if self.is_slash(byte) || matches!(byte, b'?' | b'#') => self.start(byte),
            (Place::Authority, b'@') => {
                (self.facts.has_userinfo, self.is_expected, self.host.0) = (true, true, self.at + 1);
            }
            (Place::Authority, _) => {
                self.is_expected &= self.expected.get(self.at - self.host.0) == Some(&byte);
            }
            (Place::Path, b'?' | b'#') | (Place::Query, b'#') => self.start(byte),
            (Place::Path | Place::Query | Place::Fragment, _) => {}
        }
        if !matches!(self.place, Place::Query | Place::Fragment) {
            self.push_to_segment(byte);
        }
        if self.place == Place::Authority {
            self.host.1 = self.at + 1;
        }
        self.at += 1;
    }

    fn is_slash(&self, byte: u8) -> bool {
        byte == b'/' || byte == b'\\' && self.is_special
    }

    /// Decides if the slashes are before an authority or belong to a path. Called at the first byte after them.
    fn end_slashes(&mut self) {
        self.facts.has_authority = self.slashes >= 2 || self.is_special && self.facts.has_scheme;
        self.host = (self.at, self.at);
        self.place = if self.facts.has_authority { Place::Authority } else { Place::Path };
    }

    /// Starts the component that follows this delimiter.
    fn start(&mut self, delimiter: u8) {
        self.place = match delimiter {
            b'?' => Place::Query,
            b'#' => Place::Fragment,
            _ => Place::Path,
        };
        self.facts.has_query |= delimiter == b'?';
        self.facts.has_fragment |= delimiter == b'#';
    }

    fn push_to_segment(&mut self, byte: u8) {
        let digit = char::from(byte).to_digit(16);
        match (self.digit.take(), digit) {
            (Some(16), Some(digit)) => self.digit = Some(digit),
            (Some(high @ 0..16), Some(low)) => self.symbol((16 * high + low) as u8, true),
            (before, _) => {
                if before.is_some() {
                    self.symbol(b'%', false);
                }
                match byte {
                    b'%' => self.digit = Some(16),
                    _ => self.symbol(byte, false),
                }
            }
        }
    }

    /// Adds a byte to the segments. The byte may come from an escape.
    fn symbol(&mut self, byte: u8, is_escaped: bool) {
        let (is_dot, is_separator) = (byte == b'.', matches!(byte, b'/' | b'\\'));
        self.facts.separators += usize::from(is_separator);
        if byte == b'/' && !is_escaped {
            self.facts.dot_segments += self.segment.end();
        } else {
            self.segment.dots += usize::from(is_dot);
            self.segment.has_text |= !is_dot;
        }
        if is_separator {
            self.facts.lenient_dot_segments += self.lenient_segment.end();
        } else {
            self.lenient_segment.dots += usize::from(is_dot);
            self.lenient_segment.has_text |= !is_dot;
        }
    }

    /// Ends the link.
    fn finish(&mut self) {
        if self.place == Place::Slashes {
            self.end_slashes();
        }
        if self.digit.take().is_some() {
            self.symbol(b'%', false);
        }
        self.facts.dot_segments += self.segment.end();
        self.facts.lenient_dot_segments += self.lenient_segment.end();
    }
}

impl Sink for Shape<'_> {
    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.push(byte));
    }

    fn change(&mut self, _: Change) {}
}
