//! Decodes UTF-8 byte by byte. Use it for text that isn't in memory as a whole.

/// The bytes so far of a character that isn't complete yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Utf8 {
    bytes: [u8; 4],
    len: usize,
}

/// The error for bytes that aren't UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotUtf8;

impl Utf8 {
    /// Adds a byte. If this byte completes a character, returns the character. If more bytes are needed, returns
    /// `None`.
    pub(crate) fn push(&mut self, byte: u8) -> Result<Option<char>, NotUtf8> {
        if self.len == 0 && byte.is_ascii() {
            return Ok(Some(char::from(byte)));
        }
        *self.bytes.get_mut(self.len).ok_or(NotUtf8)? = byte;
        self.len += 1;
        match str::from_utf8(self.bytes.get(..self.len).unwrap_or_default()) {
            Ok(text) => {
                self.len = 0;
                Ok(text.chars().next())
            }
            Err(error) if error.error_len().is_none() => Ok(None),
            Err(_) => Err(NotUtf8),
        }
    }

    /// Returns true if the text ends between characters.
    #[cfg(feature = "alloc")]
    pub(crate) const fn is_complete(self) -> bool {
        self.len == 0
    }
}
