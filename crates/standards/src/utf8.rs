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
    #[cfg(any(feature = "alloc", test))]
    pub(crate) const fn is_complete(self) -> bool {
        self.len == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Option<std::string::String> {
        let mut utf8 = Utf8::default();
        let mut text = std::string::String::new();
        for &byte in bytes {
            text.extend(utf8.push(byte).ok()?);
        }
        utf8.is_complete().then_some(text)
    }

    #[test]
    fn every_sequence_of_boundary_bytes_equals_from_utf8() {
        let bytes = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ];
        for a in bytes {
            for b in bytes {
                for c in bytes {
                    for d in bytes {
                        let all = [a, b, c, d];
                        for len in 0..=4 {
                            let expected = str::from_utf8(&all[..len]).ok().map(Into::into);
                            assert_eq!(read(&all[..len]), expected, "{:x?}", &all[..len]);
                        }
                    }
                }
            }
        }
    }
}
