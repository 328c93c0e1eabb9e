//! Defines [`ByteSet`], a set of byte values.

use core::fmt;
use core::ops::{BitAnd, BitOr, Not, Sub};
use core::str::FromStr;

/// A set of bytes, as a `Copy` value of 32 bytes that can be a `const`. All 2^256 sets are possible.
///
/// You build sets at compile time and at run time with the same calls:
///
/// ```
/// use percent_simd::{ByteSet, sets};
///
/// const SLUG: ByteSet = ByteSet::range(b'a', b'z').union(ByteSet::of(b"-0123456789"));
/// assert!(SLUG.contains(b'x') && !SLUG.contains(b'X'));
///
/// // At run time, for example from a configuration file: all bytes that a path allows, except the comma.
/// let configured = ",";
/// let mine = sets::RFC3986_PATH - ByteSet::of(configured.as_bytes());
/// assert_eq!(mine.len(), sets::RFC3986_PATH.len() - 1);
/// ```
///
/// `Debug` shows the characters, as in `ByteSet(-.0-9A-Z_a-z~)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The empty set.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// All 256 bytes.
    pub const ALL: ByteSet = ByteSet([!0; 4]);
    /// The bytes 0x00 to 0x7F.
    pub const ASCII: ByteSet = ByteSet::range(0, 0x7F);
    /// The controls of ASCII: 0x00 to 0x1F, and DEL.
    pub const CONTROLS: ByteSet = ByteSet::range(0, 0x1F).with(0x7F);

    /// Returns the set of the bytes in `bytes`.
    #[must_use]
    pub const fn of(bytes: &[u8]) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        let mut i = 0;
        while i < bytes.len() {
            set = set.with(bytes[i]);
            i += 1;
        }
        set
    }

    /// Returns the bytes from `first` to `last`, both included. The set is empty if `first > last`.
    #[must_use]
    pub const fn range(first: u8, last: u8) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        let mut byte = first as usize;
        while byte <= last as usize {
            set = set.with(byte as u8);
            byte += 1;
        }
        set
    }

    /// Returns the set of the bytes that `contains` accepts.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::ByteSet;
    ///
    /// assert_eq!(ByteSet::from_fn(|byte| byte.is_ascii_digit()), ByteSet::range(b'0', b'9'));
    /// ```
    ///
    /// An `AsciiSet` of the crate `percent-encoding` holds the bytes to encode, and a `ByteSet` holds the bytes that
    /// stay. To convert an `AsciiSet`:
    ///
    /// ```
    /// use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
    /// use percent_simd::ByteSet;
    ///
    /// fn allowed(encoded: &'static AsciiSet) -> ByteSet {
    ///     ByteSet::from_fn(|byte| percent_encode(&[byte], encoded).next().is_some_and(|piece| piece.len() == 1))
    /// }
    ///
    /// const FRAGMENT: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');
    /// assert_eq!(allowed(FRAGMENT), percent_simd::sets::WHATWG_FRAGMENT);
    /// ```
    #[must_use]
    pub fn from_fn(mut contains: impl FnMut(u8) -> bool) -> ByteSet {
        (0..=u8::MAX).filter(|&byte| contains(byte)).fold(ByteSet::EMPTY, ByteSet::with)
    }

    /// Makes a set from its words.
    ///
    /// Byte `b` is in the set if bit `b % 64` of `words[b / 64]` is set.
    #[must_use]
    pub const fn from_words(words: [u64; 4]) -> ByteSet {
        ByteSet(words)
    }

    /// Returns the words of the set, in the layout of [`from_words`](Self::from_words).
    #[must_use]
    pub const fn words(self) -> [u64; 4] {
        self.0
    }

    /// Returns this set with `byte` added.
    #[must_use]
    pub const fn with(mut self, byte: u8) -> ByteSet {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
        self
    }

    /// Returns this set with `byte` removed.
    #[must_use]
    pub const fn without(mut self, byte: u8) -> ByteSet {
        self.0[(byte >> 6) as usize] &= !(1 << (byte & 63));
        self
    }

    /// Returns the bytes that are in either set.
    #[must_use]
    pub const fn union(self, other: ByteSet) -> ByteSet {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        ByteSet([a | e, b | f, c | g, d | h])
    }

    /// Returns the bytes that are in both sets.
    #[must_use]
    pub const fn intersection(self, other: ByteSet) -> ByteSet {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        ByteSet([a & e, b & f, c & g, d & h])
    }

    /// Returns the bytes of this set that aren't in `other`.
    #[must_use]
    pub const fn difference(self, other: ByteSet) -> ByteSet {
        self.intersection(other.complement())
    }

    /// Returns all bytes that aren't in this set, including bytes of 0x80 and above.
    #[must_use]
    pub const fn complement(self) -> ByteSet {
        let [a, b, c, d] = self.0;
        ByteSet([!a, !b, !c, !d])
    }

    /// Returns true if `byte` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// Returns the number of bytes in the set, from 0 to 256.
    #[must_use]
    pub const fn len(self) -> usize {
        let [a, b, c, d] = self.0;
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as usize
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// Returns true if all bytes of the set are below 0x80.
    #[inline]
    pub(crate) const fn is_ascii(self) -> bool {
        self.0[2] | self.0[3] == 0
    }

    /// Returns the bytes of the set in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> + Clone {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    /// Returns the two rows that a kernel uses to classify bytes.
    ///
    /// Byte `h * 16 + l` is in the set if bit `h % 8` of `half[h / 8][l]` is set.
    pub(crate) const fn nibble_table(self) -> NibbleTable {
        if cfg!(not(isa_simd)) {
            return NibbleTable { half: [[0; 16]; 2] }; // only vector engines read it
        }
        let [a, b, c, d] = self.0;
        let half = [half_table(a, b), half_table(c, d)];
        NibbleTable { half }
    }
}

/// Returns half of a [`NibbleTable`]. `low` and `high` are the two words of this half of the set, 128 bits. In entry
/// `l`, bit `h` is set if bit `h * 16 + l` of these 128 bits is set.
///
/// An entry holds the bits of bytes with the same low nibble. In `low` and `high`, bits of bytes with the same high
/// nibble are side by side. So transposing the bits, as two matrices of 8 by 8, gives the entries.
const fn half_table(low: u64, high: u64) -> [u8; 16] {
    let even = transposed(even_bytes(low) | even_bytes(high) << 32);
    let odd = transposed(even_bytes(low >> 8) | even_bytes(high >> 8) << 32);
    (even as u128 | (odd as u128) << 64).to_le_bytes()
}

/// Returns bytes 0, 2, 4 and 6 of `word` side by side.
const fn even_bytes(word: u64) -> u64 {
    let word = word & 0x00FF_00FF_00FF_00FF;
    let word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF;
    (word | word >> 16) & 0x0000_0000_FFFF_FFFF
}

/// Transposes a matrix of 8 by 8 bits. Each byte is a row.
///
/// Swaps single bits across the diagonal, then blocks of 2 by 2, then blocks of 4 by 4.
const fn transposed(matrix: u64) -> u64 {
    const fn swapped(matrix: u64, distance: u32, mask: u64) -> u64 {
        let swap = (matrix ^ matrix >> distance) & mask;
        matrix ^ swap ^ swap << distance
    }
    let matrix = swapped(matrix, 7, 0x00AA_00AA_00AA_00AA);
    let matrix = swapped(matrix, 14, 0x0000_CCCC_0000_CCCC);
    swapped(matrix, 28, 0x0000_0000_F0F0_F0F0)
}

/// A [`ByteSet`] in the layout for 16-entry shuffles. The low nibble of a byte selects an entry, and the high nibble
/// selects a bit of the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NibbleTable {
    /// The row for bytes below 0x80, and the row for bytes of 0x80 and above.
    pub(crate) half: [[u8; 16]; 2],
}

impl NibbleTable {
    /// Returns true if all bytes of the set are below 0x80.
    #[inline(always)]
    pub(crate) fn is_ascii(&self) -> bool {
        u128::from_ne_bytes(self.half[1]) == 0
    }
}

/// Shows the set in the notation of [`Display`](fmt::Display).
impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteSet({self})")
    }
}

/// Writes characters and ranges, as in `-.0-9A-Z_a-z~`. `FromStr` reads this notation.
///
/// - A byte that isn't a visible character of ASCII is written `\xHH`.
/// - A backslash is written `\\`.
/// - A hyphen at the start is written `-`. Any other hyphen is written `\-`.
///
/// # Examples
///
/// ```
/// use percent_simd::{ByteSet, sets};
///
/// assert_eq!(sets::RFC3986_UNRESERVED.to_string(), "-.0-9A-Z_a-z~");
/// assert_eq!("-.0-9A-Z_a-z~".parse(), Ok(sets::RFC3986_UNRESERVED));
/// assert_eq!((ByteSet::CONTROLS | ByteSet::of(b"+-\\")).to_string(), r"\x00-\x1F+\-\\\x7F");
/// ```
impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut byte = 0usize;
        let mut is_first = true;
        while byte < 256 {
            let start = byte;
            while byte < 256 && self.contains(byte as u8) {
                byte += 1;
            }
            match byte - start {
                0 => byte += 1,
                run @ 1..=2 => {
                    for b in start..start + run {
                        write_byte(f, b as u8, is_first)?;
                        is_first = false;
                    }
                }
                _ => {
                    write_byte(f, start as u8, is_first)?;
                    f.write_str("-")?;
                    write_byte(f, (byte - 1) as u8, false)?;
                    is_first = false;
                }
            }
        }
        Ok(())
    }
}

fn write_byte(f: &mut fmt::Formatter<'_>, byte: u8, is_first: bool) -> fmt::Result {
    match byte {
        b'\\' => f.write_str(r"\\"),
        b'-' if !is_first => f.write_str(r"\-"),
        0x21..=0x7E => write!(f, "{}", char::from(byte)),
        _ => write!(f, "\\x{byte:02X}"),
    }
}

/// The error for text that isn't in the notation of a [`ByteSet`], with the offset of the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseByteSetError {
    /// Offset of the fault, in bytes of the text.
    ///
    /// The fault is one of these:
    ///
    /// - an unknown escape
    /// - a hyphen in the middle that is not between two characters
    /// - the start of a range whose last byte is smaller than its first
    pub offset: usize,
}

impl fmt::Display for ParseByteSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the set is malformed at byte {}", self.offset)
    }
}

impl core::error::Error for ParseByteSetError {}

/// Returns an error of the kind `InvalidInput`, with the [`ParseByteSetError`] inside.
#[cfg(feature = "std")]
impl From<ParseByteSetError> for std::io::Error {
    fn from(error: ParseByteSetError) -> std::io::Error {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, error)
    }
}

/// Reads the notation of [`Display`](fmt::Display), and more:
///
/// - Characters may come in any order, and more than once.
/// - A hyphen at the end means the byte `-`, like a hyphen at the start.
/// - A character above ASCII means all bytes of its UTF-8 form.
impl FromStr for ByteSet {
    type Err = ParseByteSetError;

    fn from_str(text: &str) -> Result<ByteSet, ParseByteSetError> {
        let text = text.as_bytes();
        let mut set = ByteSet::EMPTY;
        let mut at = 0;
        while at < text.len() {
            let error = ParseByteSetError { offset: at };
            let (first, next) = match text[at] {
                b'-' if at == 0 || at + 1 == text.len() => (b'-', at + 1),
                _ => read_byte(text, at)?,
            };
            // A hyphen at the very end makes no range.
            let is_range = text[at].is_ascii() && text.get(next) == Some(&b'-') && next + 1 < text.len();
            if is_range {
                let (last, end) = read_byte(text, next + 1)?;
                if last < first || !text[next + 1].is_ascii() {
                    return Err(error);
                }
                set = set.union(ByteSet::range(first, last));
                at = end;
            } else {
                set = set.with(first);
                at = next;
            }
        }
        Ok(set)
    }
}

/// Reads the notation of one byte, which begins at offset `at` of `text`. Returns this byte, and the offset after its
/// notation.
fn read_byte(text: &[u8], at: usize) -> Result<(u8, usize), ParseByteSetError> {
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    match text[at..] {
        [b'\\', byte @ (b'\\' | b'-'), ..] => Ok((byte, at + 2)),
        [b'\\', b'x', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            Ok((value(high) << 4 | value(low), at + 4))
        }
        [byte, ..] if byte != b'\\' && byte != b'-' => Ok((byte, at + 1)),
        _ => Err(ParseByteSetError { offset: at }),
    }
}

impl BitOr for ByteSet {
    type Output = ByteSet;
    /// Calls [`ByteSet::union`].
    fn bitor(self, other: ByteSet) -> ByteSet {
        self.union(other)
    }
}

impl BitAnd for ByteSet {
    type Output = ByteSet;
    /// Calls [`ByteSet::intersection`].
    fn bitand(self, other: ByteSet) -> ByteSet {
        self.intersection(other)
    }
}

impl Sub for ByteSet {
    type Output = ByteSet;
    /// Calls [`ByteSet::difference`].
    fn sub(self, other: ByteSet) -> ByteSet {
        self.difference(other)
    }
}

impl Not for ByteSet {
    type Output = ByteSet;
    /// Calls [`ByteSet::complement`].
    fn not(self) -> ByteSet {
        self.complement()
    }
}
