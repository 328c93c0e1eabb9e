//! Values that are not as they should be, and what is said of them.

use std::borrow::Cow;

use percent_simd::DecodeErrorKind;

use crate::policy::Policy;

/// Something to be said of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// In the value; once that has been placed, in the chunk.
    pub offset: usize,
    /// How many bytes there are meant.
    pub len: usize,
    /// Its name in JSON.
    pub kind: &'static str,
    /// The error, and advice.
    pub text: Cow<'static, str>,
}

impl Diagnostic {
    /// Returns what `text` says of the byte at `offset`.
    pub fn new(offset: usize, text: impl Into<Cow<'static, str>>) -> Diagnostic {
        Diagnostic { offset, len: 1, kind: "", text: text.into() }
    }

    /// Describes an escape that is in error.
    pub fn of_escape(offset: usize, kind: DecodeErrorKind) -> Diagnostic {
        Diagnostic::new(
            offset,
            match kind {
                DecodeErrorKind::Truncated => "an escape is cut off here; write `%25` for a `%` as such",
                DecodeErrorKind::NotHex => "no two hexadecimal digits follow this `%`; write `%25` for a `%` as such",
                DecodeErrorKind::InvalidUtf8 => "from here on this is not UTF-8, decoded",
                DecodeErrorKind::InvalidInCharset => "from here on this is not in the charset, decoded; name another",
                _ => "this escape is not accepted",
            },
        )
    }

    /// Returns the diagnostic for a value that stands `by` bytes further on.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Diagnostic {
        self.offset += by;
        self
    }
}

/// Returns the text of a value.
///
/// # Errors
///
/// Says where it ceases to be UTF-8.
pub fn text(value: &[u8]) -> Result<&str, Diagnostic> {
    std::str::from_utf8(value).map_err(|error| {
        Diagnostic::new(error.valid_up_to(), "this is not UTF-8, so it is no text; decode or encode it before")
    })
}

/// Diagnostics on some records.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// The first so many of them.
    pub list: Vec<Diagnostic>,
    /// How many are kept in the list.
    pub limit: usize,
    /// How many there were.
    pub count: u64,
    /// Whether the record is to be left out.
    pub skips: bool,
    /// Whether nothing is to be done any more.
    pub stops: bool,
}

impl Diagnostics {
    /// Whether the next diagnostic is told.
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

    /// Takes note of a value that nothing comes of.
    pub fn bad(&mut self, diagnostic: Diagnostic, on_bad: Policy) {
        if on_bad == Policy::Fail && self.stops {
            return;
        }
        if on_bad == Policy::Fail {
            // A diagnostic that ends the run is printed in any case.
            self.limit = usize::MAX;
        }
        self.push(diagnostic);
        self.skips |= on_bad != Policy::Keep;
        self.stops |= on_bad == Policy::Fail;
    }

    /// Says of the diagnostics from `first` on where the value stands, `width` bytes long as it is written there; where it is
    /// not written as it is, only its start is known.
    pub fn place(&mut self, first: usize, start: usize, width: Option<usize>) {
        for diagnostic in self.list.get_mut(first..).unwrap_or_default() {
            diagnostic.offset = start + width.map_or(0, |width| diagnostic.offset.min(width));
        }
    }
}
