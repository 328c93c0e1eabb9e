//! Lines and columns of an input.

use memchr::{memchr_iter, memrchr};

/// A place in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the line, from 1.
    pub line: u64,
    /// The offset of the line's first byte.
    pub line_start: u64,
    /// The offset of the place, in bytes.
    pub offset: u64,
    line_end: u8,
}

/// Below this length, a loop over the bytes is faster than calls of `memchr`.
const SHORT: usize = 32;

impl Place {
    /// Returns the start of an input whose records end with `line_end`.
    pub fn start(line_end: u8) -> Place {
        Place { line: 1, line_start: 0, offset: 0, line_end }
    }

    /// Moves the place forward over `bytes`, which are the next bytes of the input.
    pub fn advance(&mut self, bytes: &[u8]) {
        if bytes.len() < SHORT {
            for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == self.line_end) {
                self.line += 1;
                self.line_start = self.offset + at as u64 + 1;
            }
        } else if let Some(end) = memrchr(self.line_end, bytes) {
            self.line += memchr_iter(self.line_end, bytes).count() as u64;
            self.line_start = self.offset + end as u64 + 1;
        }
        self.offset += bytes.len() as u64;
    }

    /// Formats a message: the `name` of the input, the place, and the text `what`.
    pub fn said(&self, name: &str, what: &str) -> String {
        format!("{name}:{}: byte {} (column {}): {what}", self.line, self.offset, self.column())
    }

    /// Returns the byte that ends a line.
    pub fn line_end(&self) -> u8 {
        self.line_end
    }

    /// Returns the column in bytes, from 1.
    pub fn column(&self) -> u64 {
        self.offset - self.line_start + 1
    }
}

/// Finds the lines and columns of several offsets. Pass the offsets in ascending order.
pub struct Places<'a> {
    bytes: &'a [u8],
    place: Place,
    done: usize,
}

impl<'a> Places<'a> {
    /// Returns a finder for `bytes`. `place` is the place of the first of these bytes.
    pub fn new(place: Place, bytes: &'a [u8]) -> Places<'a> {
        Places { bytes, place, done: 0 }
    }

    /// Returns the place of the byte at `offset` of the finder's bytes. `offset` must not be smaller than in the
    /// previous call.
    pub fn at(&mut self, offset: usize) -> Place {
        self.place.advance(self.bytes.get(self.done..offset).unwrap_or_default());
        self.done = self.done.max(offset);
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_length_lead_to_the_same_place() {
        let text = b"a\n\nbc\ndefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n0123\n\n\n4";
        for end in 0..=text.len() {
            let mut whole = Place::start(b'\n');
            whole.advance(&text[..end]);
            let line_start = text[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let lines = text[..end].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!((whole.line, whole.column()), (lines as u64 + 1, (end - line_start) as u64 + 1));
            for middle in 0..=end {
                let mut place = Place::start(b'\n');
                place.advance(&text[..middle]);
                place.advance(&text[middle..end]);
                assert_eq!(place, whole, "{middle} of {end}");
            }
        }
    }
}
