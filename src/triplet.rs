//! Triplets, `%` and two hexadecimal digits (RFC 3986 2.1): how they are written, and how they are read.
#![forbid(unsafe_code)]

/// How bytes are written as triplets: the digits, and each triplet, followed by a byte to spare.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    pub(crate) row: [u8; 16],
    pub(crate) words: [[u8; 4]; 256],
}

impl Digits {
    const fn new(row: [u8; 16]) -> Digits {
        let mut words = [[b'%', 0, 0, 0]; 256];
        let mut byte = 0;
        while byte < 256 {
            words[byte][1] = row[byte >> 4];
            words[byte][2] = row[byte & 15];
            byte += 1;
        }
        Digits { row, words }
    }

    /// Returns `%XX` for `byte`.
    pub(crate) fn triplet(&self, byte: u8) -> &[u8; 3] {
        let [triplet @ .., _] = &self.words[byte as usize];
        triplet
    }
}

/// RFC 3986 2.1: producers should use upper case.
pub(crate) static UPPER: Digits = Digits::new(*b"0123456789ABCDEF");
/// For callers that ask for lower case.
pub(crate) static LOWER: Digits = Digits::new(*b"0123456789abcdef");

/// Marks a byte that is no hexadecimal digit in [`HEX`].
pub(crate) const NOT_HEX: u8 = 0xFF;

/// The value of each hexadecimal digit (RFC 5234 `HEXDIG`, either case), [`NOT_HEX`] for every other byte.
pub(crate) static HEX: [u8; 256] = {
    let mut hex = [NOT_HEX; 256];
    let mut value = 0;
    while value < 16 {
        hex[UPPER.row[value] as usize] = value as u8;
        hex[LOWER.row[value] as usize] = value as u8;
        value += 1;
    }
    hex
};

/// Returns the byte that the triplet at `at` stands for, if one starts there (RFC 3986 2.1).
#[inline(always)]
pub(crate) fn triplet(src: &[u8], at: usize) -> Option<u8> {
    let [percent, high, low] = *src.get(at..)?.first_chunk()?;
    let (high, low) = (HEX[high as usize], HEX[low as usize]);
    (percent == b'%' && high | low != NOT_HEX).then_some(high << 4 | low)
}

/// Returns the length of `src` without the front of a triplet at its end: a `%`, or `%` and a hexadecimal digit.
pub(crate) fn complete_triplets_len(src: &[u8]) -> usize {
    match *src {
        [.., b'%'] => src.len() - 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => src.len() - 2,
        _ => src.len(),
    }
}
