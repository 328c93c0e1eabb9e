//! Converts offsets in bytes to offsets in UTF-16, in which JavaScript counts.
#![forbid(unsafe_code)]

/// A text, and the last offset in it that was converted.
pub struct Units<'a> {
    text: &'a str,
    bytes: usize,
    units: usize,
}

impl<'a> Units<'a> {
    /// Starts at the beginning of a text.
    pub fn of(text: &'a str) -> Units<'a> {
        Units { text, bytes: 0, units: 0 }
    }

    /// Converts an offset. A call must not pass a smaller offset than the call before it.
    #[inline(never)]
    pub fn at(&mut self, offset: usize) -> u32 {
        let between = &self.text[self.bytes..offset];
        self.units += if between.is_ascii() { between.len() } else { between.encode_utf16().count() };
        self.bytes = offset;
        self.units as u32
    }
}
