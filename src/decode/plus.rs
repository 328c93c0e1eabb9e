//! [`Plus`]: whether a `+` stands for a space, and where.
#![forbid(unsafe_code)]

use crate::find::memchr;

use crate::kernel::PlusStart;

/// Says which `+` are spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Plus {
    /// Never: `+` is `+`, as everywhere in a URI (RFC 3986 2.2).
    #[default]
    Never,
    /// Always, as in `application/x-www-form-urlencoded` (URL Standard 5.1).
    Always,
    /// After the first `?` of the input: right for whole request targets and URLs with a form in the query. For an input
    /// of many lines see [`DecodeStream::by_line`](crate::DecodeStream::by_line).
    AfterQuery,
}

/// Follows where a `+` stands for a space in an input that comes in parts.
///
/// Streams do this by themselves. It is for code that splits an input and decodes the parts with decoders of its own.
///
/// # Examples
///
/// ```
/// use percent_simd::{Decoder, Plus, internal::PlusState};
///
/// let mut state = PlusState::new(Plus::AfterQuery);
/// let parts = ["/a+b", "+c?d+e", "+f"];
/// let decoded = parts.map(|part| Decoder::new().plus(state.plus_for(part.as_bytes())).decode(part));
/// assert_eq!(decoded, [&b"/a+b"[..], b"+c?d e", b" f"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlusState {
    pub(crate) plus: Plus,
    /// Whether a question mark has been seen, if that matters.
    pub(crate) in_query: bool,
}

impl PlusState {
    /// Starts at the beginning of an input.
    #[must_use]
    pub const fn new(plus: Plus) -> PlusState {
        PlusState { plus, in_query: false }
    }

    /// Takes the next part of the input. Returns the offset in it from which on a `+` is a space, or `None` if none of it
    /// is.
    #[inline]
    pub(crate) fn advance(&mut self, part: &[u8]) -> Option<usize> {
        match self.plus {
            Plus::Never => None,
            Plus::Always => Some(0),
            Plus::AfterQuery if self.in_query => Some(0),
            Plus::AfterQuery => {
                let question = memchr(b'?', part);
                self.in_query = question.is_some();
                question
            }
        }
    }

    /// Takes the next part of the input. Returns the option by which to decode the part by itself.
    pub fn plus_for(&mut self, part: &[u8]) -> Plus {
        match self.advance(part) {
            None => Plus::Never,
            Some(0) => Plus::Always,
            Some(_) => Plus::AfterQuery,
        }
    }

    /// Does what [`advance`](Self::advance) does, as the kernels want it.
    #[inline]
    pub(crate) fn advance_to_start(&mut self, part: &[u8]) -> PlusStart {
        self.advance(part).map_or(PlusStart::NONE, |from| PlusStart { from })
    }
}
