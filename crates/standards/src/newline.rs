//! Normalizes line ends. Some standards require this before encoding.
//!
//! `mailto:` URIs ([RFC 6068 5](https://www.rfc-editor.org/rfc/rfc6068#section-5)), forms ([HTML
//! 4.10.22.4](https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#constructing-form-data-set)) and
//! XForms need line breaks as `%0D%0A`. Other standards leave line breaks as they are. Choose a [`Newline`] and apply
//! it before you encode:
//!
//! ```
//! use percent_standards::newline::Newline;
//! use percent_simd::{Encoder, sets};
//!
//! let body = Newline::CrLf.apply("one\ntwo\r\n");
//! assert_eq!(Encoder::new(sets::RFC6068_QCHAR).encode(&*body), "one%0D%0Atwo%0D%0A");
//! ```
//!
//! With `CrLf`, one line feed becomes the six bytes `%0D%0A`. So the encoded text can be six times as long as the
//! input.

use core::iter;

use memchr::{memchr_iter, memchr2};

#[cfg(feature = "alloc")]
use crate::memory;
use percent_simd::AsBytes;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

/// The form that each line end gets. A line end is CR LF, a lone CR, or a lone LF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Newline {
    /// Line ends stay as they are.
    #[default]
    Keep,
    /// LF, U+000A.
    Lf,
    /// CR, U+000D.
    Cr,
    /// CR LF.
    CrLf,
}

/// A line and its line end. Only the last line can have an empty line end.
type Line<'a> = (&'a [u8], &'a [u8]);

impl Newline {
    /// Returns the text of a line end. If every line end is allowed, returns `None`.
    const fn end(self) -> Option<&'static str> {
        match self {
            Newline::Keep => None,
            Newline::Lf => Some("\n"),
            Newline::Cr => Some("\r"),
            Newline::CrLf => Some("\r\n"),
        }
    }

    /// Returns true if every line of `input` has the right line end.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::newline::Newline;
    /// assert!(Newline::CrLf.is_applied("a\r\nb") && !Newline::CrLf.is_applied("a\r\nb\n"));
    /// ```
    #[must_use]
    pub fn is_applied<I: AsBytes + ?Sized>(self, input: &I) -> bool {
        let is_right = |&end: &&[u8]| self.end().is_none_or(|right| end == right.as_bytes());
        lines(input.as_bytes()).map(|(_, end)| end).filter(|end| !end.is_empty()).all(|end| is_right(&end))
    }

    /// Returns the exact length of the result in bytes. If it exceeds a `usize`, returns `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::newline::Newline;
    /// assert_eq!(Newline::CrLf.applied_len("a\nb\r"), Some(6));
    /// ```
    #[must_use]
    pub fn applied_len<I: AsBytes + ?Sized>(self, input: &I) -> Option<usize> {
        let src = input.as_bytes();
        let Some(right) = self.end() else { return Some(src.len()) };
        let bytes = memchr_iter(b'\r', src).count() + memchr_iter(b'\n', src).count();
        let pairs = src.iter().zip(src.iter().skip(1)).filter(|&(&a, &b)| (a == b'\r') & (b == b'\n')).count();
        (src.len() - bytes).checked_add((bytes - pairs).checked_mul(right.len())?)
    }

    /// Normalizes the line ends of `text`. Borrows `text` if no change is needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::newline::Newline;
    /// assert_eq!(Newline::CrLf.apply("a\nb\rc\r\nd\n\re"), "a\r\nb\r\nc\r\nd\r\n\r\ne");
    /// assert_eq!(Newline::Lf.apply("a\r\nb"), "a\nb");
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn apply(self, text: &str) -> Cow<'_, str> {
        match self.end() {
            Some(right) if !self.is_applied(text) => {
                let mut out = memory::string(self.applied_len(text).unwrap_or(usize::MAX));
                let mut rest = text;
                for (line, end) in lines(text.as_bytes()) {
                    let (line, after) = rest.split_at(line.len());
                    out.push_str(line);
                    out.push_str(if end.is_empty() { "" } else { right });
                    rest = &after[end.len()..];
                }
                Cow::Owned(out)
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// Normalizes the line ends of bytes, as [`apply`](Self::apply) does for text. In the charset of the text, the
    /// bytes 0D and 0A must always mean CR and LF, as in every superset of ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_standards::newline::Newline;
    /// assert_eq!(Newline::Lf.apply_bytes(b"\xE9\r\n"), &b"\xE9\n"[..]);
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if memory cannot be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn apply_bytes<I: AsBytes + ?Sized>(self, input: &I) -> Cow<'_, [u8]> {
        let src = input.as_bytes();
        match self.end() {
            Some(right) if !self.is_applied(src) => {
                let mut out = memory::vec(self.applied_len(src).unwrap_or(usize::MAX));
                for (line, end) in lines(src) {
                    out.extend_from_slice(line);
                    out.extend_from_slice(if end.is_empty() { b"" } else { right.as_bytes() });
                }
                Cow::Owned(out)
            }
            _ => Cow::Borrowed(src),
        }
    }
}

/// Returns the lines of `src`.
fn lines(src: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut rest = src;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let is_empty = matches!(rest[0], b'\r' | b'\n'); // empty lines often come one after another
        let len = if is_empty { Some(0) } else { memchr2(b'\r', b'\n', rest) };
        let (line, after) = rest.split_at(len.unwrap_or(rest.len()));
        let (end, after) = after.split_at(if after.starts_with(b"\r\n") { 2 } else { after.len().min(1) });
        rest = after;
        Some((line, end))
    })
}
