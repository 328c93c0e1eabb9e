//! Errors in values, and the messages about them.

use std::borrow::Cow;

use percent_simd::DecodeErrorKind;

use crate::policy::Policy;

/// A message about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The offset of the error in the value. [`Diagnostics::place`] converts it to an offset in the chunk.
    pub offset: usize,
    /// The number of bytes that the message is about.
    pub len: usize,
    /// The name of the kind of error, for output in JSON.
    pub kind: &'static str,
    /// The message: the error and how to fix it.
    pub text: Cow<'static, str>,
}

impl Diagnostic {
    /// Returns a diagnostic for the byte at `offset`.
    pub fn new(offset: usize, text: impl Into<Cow<'static, str>>) -> Diagnostic {
        Diagnostic { offset, len: 1, kind: "", text: text.into() }
    }

    /// Returns a diagnostic for an escape that can't be decoded.
    pub fn of_escape(offset: usize, kind: DecodeErrorKind) -> Diagnostic {
        Diagnostic::new(
            offset,
            match kind {
                DecodeErrorKind::Truncated => "the escape is incomplete; write `%25` for a literal `%`",
                DecodeErrorKind::NotHex => "no two hexadecimal digits follow this `%`; write `%25` for a literal `%`",
                DecodeErrorKind::InvalidUtf8 => "from here on, the decoded bytes are not UTF-8",
                DecodeErrorKind::InvalidInCharset => {
                    "from here on, the decoded bytes are not in the charset; choose another charset"
                }
                _ => "this escape is rejected",
            },
        )
    }

    /// Returns the diagnostic, with `by` bytes added to its offset.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Diagnostic {
        self.offset += by;
        self
    }
}

/// Returns the value as text.
///
/// # Errors
///
/// Reports the first byte that isn't UTF-8.
pub fn text(value: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(value)
        .map_err(|error| Diagnostic::new(error.valid_up_to(), "this is not UTF-8, so it is not text; convert it first"))
}

/// The diagnostics that a job has collected from its records.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// The first diagnostics, up to the limit.
    pub list: Vec<Diagnostic>,
    /// The maximum length of `list`.
    pub limit: usize,
    /// The number of all diagnostics, also beyond `limit`.
    pub count: u64,
    /// If true, the output leaves out the current record.
    pub skips: bool,
    /// If true, the job stops.
    pub stops: bool,
}

impl Diagnostics {
    /// Returns true if `list` has room for another diagnostic.
    pub fn is_telling(&self) -> bool {
        self.list.len() < self.limit
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.count += 1;
        if self.is_telling() {
            self.list.push(diagnostic);
        }
    }

    /// Adds `diagnostic`, which is about a value that can't be converted. Depending on the policy `on_bad`, sets
    /// `skips` or `stops`.
    pub fn bad(&mut self, diagnostic: Diagnostic, on_bad: Policy) {
        if on_bad == Policy::Fail && self.stops {
            return;
        }
        if on_bad == Policy::Fail {
            // The diagnostic that stops the job is always printed.
            self.limit = usize::MAX;
        }
        self.push(diagnostic);
        self.skips |= on_bad != Policy::Keep;
        self.stops |= on_bad == Policy::Fail;
    }

    /// Changes the offsets of the diagnostics in `list[first..]`: from offsets in a value to offsets in the chunk.
    /// `start` is the offset of the field in the chunk.
    ///
    /// If the field is written verbatim, `width` is the length of the value. If the field has quotes or escapes of its
    /// format, offsets in the value don't match offsets in the field. In this case, `width` is `None`, and all
    /// diagnostics in `list[first..]` get the offset `start`.
    pub fn place(&mut self, first: usize, start: usize, width: Option<usize>) {
        for diagnostic in self.list.get_mut(first..).unwrap_or_default() {
            diagnostic.offset = start + width.map_or(0, |width| diagnostic.offset.min(width));
        }
    }
}
