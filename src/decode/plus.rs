//! Defines [`Plus`], the option for spaces written as `+`.
#![forbid(unsafe_code)]

use crate::find::memchr;

use crate::kernel::PlusStart;

/// Selects which `+` are decoded to spaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Plus {
    /// Never. Each `+` stays, because a `+` in a URI is not a space (RFC 3986 2.2).
    #[default]
    Never,
    /// Always, as in `application/x-www-form-urlencoded` (URL Standard 5.1).
    Always,
    /// After the first `?` of the input. Use it for whole request targets, and for URLs with a form in the query. For
    /// an input of many lines see [`DecodeStream::by_line`](crate::DecodeStream::by_line).
    AfterQuery,
}

/// Tracks which `+` are spaces in an input that comes in parts.
///
/// Streams do this for you. Use this type if your code splits an input and decodes each part with its own decoder.
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
    /// True if a question mark has been read. Only used for [`Plus::AfterQuery`].
    pub(crate) in_query: bool,
}

impl PlusState {
    /// Starts at the beginning of an input.
    #[must_use]
    pub const fn new(plus: Plus) -> PlusState {
        PlusState { plus, in_query: false }
    }

    /// Takes the next part of the input. Returns the offset in this part from which on every `+` is a space.
    ///
    /// Returns `None` if no `+` of the part is a space.
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

    /// Takes the next part of the input. Returns the option with which to decode this part.
    pub fn plus_for(&mut self, part: &[u8]) -> Plus {
        match self.advance(part) {
            None => Plus::Never,
            Some(0) => Plus::Always,
            Some(_) => Plus::AfterQuery,
        }
    }

    /// Calls [`advance`](Self::advance), and returns the result in the type for kernels.
    #[inline]
    pub(crate) fn advance_to_start(&mut self, part: &[u8]) -> PlusStart {
        self.advance(part).map_or(PlusStart::NONE, |from| PlusStart { from })
    }
}
