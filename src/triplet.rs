//! Writes and reads triplets: `%` and two hexadecimal digits (RFC 3986 2.1).
#![forbid(unsafe_code)]

/// The hexadecimal digits in upper or lower case, and a table of all triplets with these digits.
///
/// Without the feature `simd`, programs must be small. So [`Digits::word`] makes each triplet from its digits. Only
/// programs that call [`Digits::triplet`] contain a table, because this function returns a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    pub(crate) row: [u8; 16],
    #[cfg(feature = "simd")]
    words: [[u8; 4]; 256],
}

impl Digits {
    const fn new(row: [u8; 16]) -> Digits {
        Digits {
            row,
            #[cfg(feature = "simd")]
            words: words(row),
        }
    }

    /// Returns `%XX` for `byte`, padded to 4 bytes.
    #[inline(always)]
    pub(crate) fn word(&self, byte: u8) -> [u8; 4] {
        cfg_if::cfg_if! {
            if #[cfg(not(feature = "simd"))] {
                word(&self.row, byte)
            } else {
                self.words[byte as usize]
            }
        }
    }

    /// Returns `%XX` for `byte`.
    pub(crate) fn triplet(&'static self, byte: u8) -> &'static [u8; 3] {
        cfg_if::cfg_if! {
            if #[cfg(not(feature = "simd"))] {
                static BOTH: [[[u8; 4]; 256]; 2] = [words(UPPER.row), words(LOWER.row)];
                let words = &BOTH[usize::from(*self == LOWER)];
            } else {
                let words = &self.words;
            }
        }
        let [triplet @ .., _] = &words[byte as usize];
        triplet
    }
}

#[inline(always)]
const fn word(row: &[u8; 16], byte: u8) -> [u8; 4] {
    [b'%', row[byte as usize >> 4], row[byte as usize & 15], 0]
}

/// Returns the padded triplets of all bytes.
const fn words(row: [u8; 16]) -> [[u8; 4]; 256] {
    let mut words = [[0; 4]; 256];
    let mut byte = 0;
    while byte < 256 {
        words[byte] = word(&row, byte as u8);
        byte += 1;
    }
    words
}

/// Upper-case digits, which producers should use (RFC 3986 2.1).
pub(crate) static UPPER: Digits = Digits::new(*b"0123456789ABCDEF");
/// Lower-case digits, for callers that ask for them.
pub(crate) static LOWER: Digits = Digits::new(*b"0123456789abcdef");

/// The value in [`HEX`] of a byte that isn't a hexadecimal digit.
pub(crate) const NOT_HEX: u8 = 0xFF;

/// The value of each hexadecimal digit (RFC 5234 `HEXDIG`, either case), and [`NOT_HEX`] for every other byte.
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

/// Returns the decoded byte of the triplet at `at`, or `None` if no triplet starts there (RFC 3986 2.1).
#[inline(always)]
#[must_use]
pub fn triplet(src: &[u8], at: usize) -> Option<u8> {
    let [percent, high, low] = *src.get(at..)?.first_chunk()?;
    let (high, low) = (HEX[high as usize], HEX[low as usize]);
    (percent == b'%' && high | low != NOT_HEX).then_some(high << 4 | low)
}

/// Returns the length of `src` without an incomplete triplet at its end. An incomplete triplet is a `%`, or a `%` and
/// one hexadecimal digit.
pub(crate) fn complete_triplets_len(src: &[u8]) -> usize {
    match *src {
        [.., b'%'] => src.len() - 1,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => src.len() - 2,
        _ => src.len(),
    }
}
