//! Defines [`UnmappableError`].

use core::fmt;

/// The error for a character that has no bytes in a charset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct UnmappableError {
    /// The offset of the character, in bytes of the text.
    pub offset: usize,
    /// The character.
    pub character: char,
}

impl UnmappableError {
    /// Creates an error from its parts, for tests and for code that finds the error in another way.
    #[must_use]
    pub const fn new(offset: usize, character: char) -> UnmappableError {
        UnmappableError { offset, character }
    }

    /// Returns the error for the character at `offset` of `text`. If `text` has no character at `offset`, the character
    /// in the error is `reference`.
    pub(super) fn at(text: &str, offset: usize, reference: char) -> UnmappableError {
        let character = text.get(offset..).and_then(|rest| rest.chars().next()).unwrap_or(reference);
        UnmappableError { offset, character }
    }
}

impl fmt::Display for UnmappableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnmappableError { offset, character } = *self;
        write!(
            f,
            "the character U+{:04X} at byte {offset} is not in the charset; use UTF-8 or numeric references",
            u32::from(character)
        )
    }
}

impl core::error::Error for UnmappableError {}
