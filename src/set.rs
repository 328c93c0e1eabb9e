//! Defines [`ByteSet`], a set of byte values.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitOr, Not, Sub};
use core::str::FromStr;

/// A set of bytes: any of the 2^256 there are, as a `const`, `Copy` value of 32 bytes.
///
/// Build it at compile time or at run time with the same calls:
///
/// ```
/// use percent_simd::{ByteSet, sets};
///
/// const SLUG: ByteSet = ByteSet::range(b'a', b'z').union(ByteSet::of(b"-0123456789"));
/// assert!(SLUG.contains(b'x') && !SLUG.contains(b'X'));
///
/// // From a configuration file, say: everything the path component allows, but no comma.
/// let configured = ",";
/// let mine = sets::RFC3986_PATH - ByteSet::of(configured.as_bytes());
/// assert_eq!(mine.len(), sets::RFC3986_PATH.len() - 1);
/// ```
///
/// `Debug` shows the characters: `ByteSet(-.0-9A-Z_a-z~)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);
    /// All 256 bytes.
    pub const ALL: ByteSet = ByteSet([!0; 4]);
    /// 0x00 to 0x7F.
    pub const ASCII: ByteSet = ByteSet::range(0, 0x7F);
    /// The controls of ASCII: 0x00 to 0x1F and DEL.
    pub const CONTROLS: ByteSet = ByteSet::range(0, 0x1F).with(0x7F);

    /// The bytes in `bytes`.
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

    /// The bytes from `first` to `last`, both included; empty if `first > last`.
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

    /// Returns the set of the bytes for which `contains` returns `true`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_simd::ByteSet;
    ///
    /// assert_eq!(ByteSet::from_fn(|byte| byte.is_ascii_digit()), ByteSet::range(b'0', b'9'));
    /// ```
    ///
    /// An `AsciiSet` of the crate `percent-encoding` says what is encoded, a `ByteSet` what is not. So the one becomes the
    /// other:
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
        (0..=u8::MAX).filter(|&byte| contains(byte)).collect()
    }

    /// The set whose words are `words`: byte `b` is in it when bit `b % 64` of `words[b / 64]` is set.
    #[must_use]
    pub const fn from_words(words: [u64; 4]) -> ByteSet {
        ByteSet(words)
    }

    /// The words of the set, as [`from_words`](Self::from_words) takes them.
    #[must_use]
    pub const fn words(self) -> [u64; 4] {
        self.0
    }

    /// This set and `byte`.
    #[must_use]
    pub const fn with(mut self, byte: u8) -> ByteSet {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
        self
    }

    /// This set without `byte`.
    #[must_use]
    pub const fn without(mut self, byte: u8) -> ByteSet {
        self.0[(byte >> 6) as usize] &= !(1 << (byte & 63));
        self
    }

    /// The bytes in either set.
    #[must_use]
    pub const fn union(self, other: ByteSet) -> ByteSet {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        ByteSet([a | e, b | f, c | g, d | h])
    }

    /// The bytes in both sets.
    #[must_use]
    pub const fn intersection(self, other: ByteSet) -> ByteSet {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        ByteSet([a & e, b & f, c & g, d & h])
    }

    /// The bytes of this set that are not in `other`.
    #[must_use]
    pub const fn difference(self, other: ByteSet) -> ByteSet {
        self.intersection(other.complement())
    }

    /// The bytes that are not in this set, those of 0x80 and above included.
    #[must_use]
    pub const fn complement(self) -> ByteSet {
        let [a, b, c, d] = self.0;
        ByteSet([!a, !b, !c, !d])
    }

    /// Whether `byte` is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// How many bytes are in the set, 0 to 256.
    #[must_use]
    pub const fn len(self) -> usize {
        let [a, b, c, d] = self.0;
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as usize
    }

    /// Whether no byte is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        let [a, b, c, d] = self.0;
        a | b | c | d == 0
    }

    /// Whether no byte of 0x80 or above is in the set.
    #[must_use]
    #[inline]
    pub const fn is_ascii(self) -> bool {
        self.0[2] | self.0[3] == 0
    }

    /// Whether every byte of this set is in `other`.
    #[must_use]
    pub const fn is_subset(self, other: ByteSet) -> bool {
        self.difference(other).is_empty()
    }

    /// The bytes of the set, ascending.
    #[must_use]
    pub const fn iter(self) -> Iter {
        Iter(self)
    }

    /// The two rows by which a kernel classifies: byte `h * 16 + l` is in the set when bit `h % 8` of
    /// `rows.half[h / 8][l]` is set.
    pub(crate) const fn nibble_table(self) -> NibbleTable {
        if cfg!(not(isa_simd)) {
            return NibbleTable { half: [[0; 16]; 2] }; // nobody reads it
        }
        let [a, b, c, d] = self.0;
        let half = [half_table(a, b), half_table(c, d)];
        NibbleTable { half }
    }
}

/// The rows of 128 bytes: bit `h` of row `l` is that of byte `h * 16 + l`. Eight bytes with the bits of one low nibble each
/// are the columns of a matrix whose rows are at hand, so this is two transpositions.
const fn half_table(low: u64, high: u64) -> [u8; 16] {
    let even = transposed(even_bytes(low) | even_bytes(high) << 32);
    let odd = transposed(even_bytes(low >> 8) | even_bytes(high >> 8) << 32);
    (even as u128 | (odd as u128) << 64).to_le_bytes()
}

/// Bytes 0, 2, 4 and 6 of `word` side by side.
const fn even_bytes(word: u64) -> u64 {
    let word = word & 0x00FF_00FF_00FF_00FF;
    let word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF;
    (word | word >> 16) & 0x0000_0000_FFFF_FFFF
}

/// The transpose of a matrix of 8 by 8 bits, of which each byte is a row: swaps single bits, then blocks of 2 by 2, then of
/// 4 by 4 across the diagonal.
const fn transposed(matrix: u64) -> u64 {
    const fn swapped(matrix: u64, distance: u32, mask: u64) -> u64 {
        let swap = (matrix ^ matrix >> distance) & mask;
        matrix ^ swap ^ swap << distance
    }
    let matrix = swapped(matrix, 7, 0x00AA_00AA_00AA_00AA);
    let matrix = swapped(matrix, 14, 0x0000_CCCC_0000_CCCC);
    swapped(matrix, 28, 0x0000_0000_F0F0_F0F0)
}

/// A [`ByteSet`] laid out for 16-entry shuffles: the low nibble picks a byte, the high nibble a bit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NibbleTable {
    /// For the bytes below 0x80, and for those of 0x80 and above.
    pub(crate) half: [[u8; 16]; 2],
}

impl NibbleTable {
    /// Returns whether none of the upper bytes is in the set.
    #[inline(always)]
    pub(crate) fn is_ascii(&self) -> bool {
        u128::from_ne_bytes(self.half[1]) == 0
    }
}

/// Shows the set as [`Display`](fmt::Display) writes it.
impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ByteSet({self})")
    }
}

/// Writes characters and ranges of them, as in `-.0-9A-Z_a-z~`: what `FromStr` reads. Bytes that are no visible character of
/// ASCII are written `\xHH`, a backslash `\\`, and a hyphen `\-` where it is not the first character.
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

/// Why text is no [`ByteSet`], and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ParseByteSetError {
    /// Offset, in bytes of the text, of what cannot be read: an unknown escape, a hyphen that is neither first nor last nor
    /// between two characters, or the start of a range that ends before it starts.
    pub offset: usize,
}

impl fmt::Display for ParseByteSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the set cannot be read from byte {} on", self.offset)
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

/// Reads what [`Display`](fmt::Display) writes. Characters may come in any order and more than once; a hyphen stands for itself
/// at the end, too; a character above ASCII stands for the bytes of its UTF-8 form.
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
            // A hyphen at the very end is no range.
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

/// Reads the byte that is written at `at`. Returns it with the offset of what follows.
fn read_byte(text: &[u8], at: usize) -> Result<(u8, usize), ParseByteSetError> {
    let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
    match text[at..] {
        [b'\\', byte @ (b'\\' | b'-'), ..] => Ok((byte, at + 2)),
        [b'\\', b'x', high, low, ..] if let (Some(high), Some(low)) = (digit(high), digit(low)) => {
            Ok((high << 4 | low, at + 4))
        }
        [byte, ..] if byte != b'\\' && byte != b'-' => Ok((byte, at + 1)),
        _ => Err(ParseByteSetError { offset: at }),
    }
}

/// The bytes of a [`ByteSet`], ascending. Made by [`ByteSet::iter`].
#[derive(Clone, Debug)]
pub struct Iter(ByteSet);

impl Iterator for Iter {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let word = self.0.0.iter().position(|&word| word != 0)?;
        let byte = (word * 64) as u8 + self.0.0[word].trailing_zeros() as u8;
        self.0 = self.0.without(byte);
        Some(byte)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Iter {}
impl FusedIterator for Iter {}

impl IntoIterator for ByteSet {
    type Item = u8;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        self.iter()
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<T: IntoIterator<Item = u8>>(bytes: T) -> ByteSet {
        bytes.into_iter().fold(ByteSet::EMPTY, ByteSet::with)
    }
}

impl BitOr for ByteSet {
    type Output = ByteSet;
    /// [`ByteSet::union`].
    fn bitor(self, other: ByteSet) -> ByteSet {
        self.union(other)
    }
}

impl BitAnd for ByteSet {
    type Output = ByteSet;
    /// [`ByteSet::intersection`].
    fn bitand(self, other: ByteSet) -> ByteSet {
        self.intersection(other)
    }
}

impl Sub for ByteSet {
    type Output = ByteSet;
    /// [`ByteSet::difference`].
    fn sub(self, other: ByteSet) -> ByteSet {
        self.difference(other)
    }
}

impl Not for ByteSet {
    type Output = ByteSet;
    /// [`ByteSet::complement`].
    fn not(self) -> ByteSet {
        self.complement()
    }
}
