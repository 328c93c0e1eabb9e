//! [`Plus`]: whether a `+` stands for a space, and where.
#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use crate::find::memchr;

use crate::kernel::PlusStart;

/// Whether a `+` stands for a space.
///
/// # Examples
///
/// ```
/// use percent_simd::Plus;
///
/// assert_eq!("after-query".parse(), Ok(Plus::AfterQuery));
/// assert_eq!(Plus::AfterQuery.to_string(), "after-query");
/// assert!("sometimes".parse::<Plus>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Plus {
    /// Never: `+` is `+`, as everywhere in a URI (RFC 3986 2.2).
    #[default]
    Never,
    /// Always, as in `application/x-www-form-urlencoded` (URL Standard 5.1).
    Always,
    /// After the first `?` of the input: right for whole request targets and URLs with a form in the query. For an input
    /// in parts see [`PlusState`], for one of many lines [`DecodeStream::by_line`](crate::DecodeStream::by_line).
    AfterQuery,
}

impl Plus {
    const ALL: [(Plus, &'static str); 3] =
        [(Plus::Never, "never"), (Plus::Always, "always"), (Plus::AfterQuery, "after-query")];
}

impl fmt::Display for Plus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Plus::ALL.iter().find(|(plus, _)| plus == self).map_or("", |(_, name)| name))
    }
}

/// The text is none of `never`, `always` and `after-query`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParsePlusError;

impl fmt::Display for ParsePlusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("neither `never` nor `always` nor `after-query`")
    }
}

impl core::error::Error for ParsePlusError {}

impl FromStr for Plus {
    type Err = ParsePlusError;

    fn from_str(text: &str) -> Result<Plus, ParsePlusError> {
        Plus::ALL.iter().find(|(_, name)| *name == text).map(|&(plus, _)| plus).ok_or(ParsePlusError)
    }
}

impl TryFrom<&str> for Plus {
    type Error = ParsePlusError;

    fn try_from(text: &str) -> Result<Plus, ParsePlusError> {
        text.parse()
    }
}

/// Follows where a `+` stands for a space in an input that comes in parts.
///
/// Streams do this by themselves. It is for code that splits an input and decodes the parts with decoders of its own.
///
/// # Examples
///
/// ```
/// use percent_simd::{Plus, PlusState};
///
/// let mut state = PlusState::new(Plus::AfterQuery);
/// assert_eq!(state.advance(b"/a+b"), None); // no `+` of this part is a space
/// assert_eq!(state.advance(b"/c?d+e"), Some(2)); // those after the `?` are
/// assert_eq!(state.advance(b"+f"), Some(0)); // from here on all are
/// state.restart();
/// assert_eq!(state.advance(b"/a+b"), None);
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
    pub fn advance(&mut self, part: &[u8]) -> Option<usize> {
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

    /// Does what [`advance`](Self::advance) does. Returns the option by which to decode the part by itself.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::{Decoder, Plus, PlusState};
    ///
    /// let mut state = PlusState::new(Plus::AfterQuery);
    /// let decoded = ["/a+b", "+c?d+e", "+f"].map(|part| Decoder::new().plus(state.plus_for(part.as_bytes())).decode(part));
    /// assert_eq!(decoded, [&b"/a+b"[..], b"+c?d e", b" f"]);
    /// ```
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

    /// Starts over: what comes next is the beginning of another input.
    pub fn restart(&mut self) {
        self.in_query = false;
    }
}
