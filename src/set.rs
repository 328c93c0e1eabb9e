//! [`ByteSet`]: which bytes something applies to.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{BitAnd, BitOr, Not, Sub};

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
/// let mine = sets::RFC3986_PATH - ByteSet::of_str(configured);
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

    /// The bytes of the UTF-8 form of `text`.
    #[must_use]
    pub const fn of_str(text: &str) -> ByteSet {
        ByteSet::of(text.as_bytes())
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
    pub(crate) const fn rows(self) -> Rows {
        let mut half = [[0u8; 16]; 2];
        let mut byte = 0;
        while byte < 256 {
            if self.contains(byte as u8) {
                half[byte >> 7][byte & 15] |= 1 << (byte >> 4 & 7);
            }
            byte += 1;
        }
        Rows { half }
    }
}

/// A [`ByteSet`] laid out for 16-entry shuffles: the low nibble picks a byte, the high nibble a bit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// For the bytes below 0x80, and for those of 0x80 and above.
    pub(crate) half: [[u8; 16]; 2],
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByteSet(")?;
        let mut byte = 0usize;
        while byte < 256 {
            let start = byte;
            while byte < 256 && self.contains(byte as u8) {
                byte += 1;
            }
            match byte - start {
                0 => byte += 1,
                run @ 1..=2 => (start..start + run).try_for_each(|b| write_octet(f, b as u8))?,
                _ => {
                    write_octet(f, start as u8)?;
                    f.write_str("-")?;
                    write_octet(f, (byte - 1) as u8)?;
                }
            }
        }
        f.write_str(")")
    }
}

fn write_octet(f: &mut fmt::Formatter<'_>, byte: u8) -> fmt::Result {
    match byte {
        b'\\' => f.write_str(r"\\"),
        0x21..=0x7E => write!(f, "{}", byte as char),
        _ => write!(f, "\\x{byte:02X}"),
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

impl Extend<u8> for ByteSet {
    fn extend<T: IntoIterator<Item = u8>>(&mut self, bytes: T) {
        *self = bytes.into_iter().fold(*self, ByteSet::with);
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
