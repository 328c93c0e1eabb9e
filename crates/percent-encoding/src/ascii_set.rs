//! [`AsciiSet`]: the bytes that are encoded.

use core::{fmt, ops};

use percent_simd::{ByteSet, Encoder};

use crate::PercentEncode;

/// A set of the ASCII bytes that are encoded. Bytes from 0x80 on are always encoded.
///
/// You make a set from other sets, at compile time or at run time.
///
/// # Examples
///
/// ```
/// use percent_encoding::{AsciiSet, CONTROLS};
///
/// /// The URL Standard's fragment percent-encode set.
/// const FRAGMENT: &AsciiSet = &CONTROLS.add_all(b" \"<>`");
/// assert_eq!(FRAGMENT, &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AsciiSet {
    /// Bit `b % 32` of word `b / 32` is set if byte `b` is in the set.
    mask: [u32; 4],
    /// An encoder that keeps the bytes outside of this set, because an [`Encoder`] is made from the bytes that stay.
    encoder: Encoder,
}

impl AsciiSet {
    /// The empty set.
    pub const EMPTY: AsciiSet = AsciiSet::of([0; 4]);

    const fn of(mask: [u32; 4]) -> AsciiSet {
        let [a, b, c, d] = mask;
        let stay = ByteSet::from_words([!(a as u64 | (b as u64) << 32), !(c as u64 | (d as u64) << 32), 0, 0]);
        AsciiSet { mask, encoder: Encoder::new(stay) }
    }

    #[inline]
    pub(crate) const fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// Returns true if `byte` is in the set. Bytes from 0x80 on are in no set.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_encoding::CONTROLS;
    /// assert!(CONTROLS.contains(b'\n') && !CONTROLS.contains(b' ') && !CONTROLS.contains(0x80));
    /// ```
    #[inline]
    #[must_use]
    pub const fn contains(&self, byte: u8) -> bool {
        byte < 0x80 && self.mask[(byte >> 5) as usize] >> (byte & 31) & 1 == 1
    }

    /// Returns true if `byte` would be encoded. These are the bytes of the set, and all bytes that are not ASCII.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_encoding::CONTROLS;
    /// assert!("é\n".bytes().all(|byte| CONTROLS.should_percent_encode(byte)));
    /// ```
    #[inline]
    #[must_use]
    pub const fn should_percent_encode(&self, byte: u8) -> bool {
        byte >= 0x80 || self.contains(byte)
    }

    /// Returns this set with `byte`.
    ///
    /// # Panics
    ///
    /// Panics if `byte` is not ASCII. In a constant, the panic is an error at compile time.
    pub const fn add(&self, byte: u8) -> AsciiSet {
        self.add_all(&[byte])
    }

    /// Returns this set without `byte`.
    ///
    /// # Panics
    ///
    /// Panics if `byte` is not ASCII. In a constant, the panic is an error at compile time.
    pub const fn remove(&self, byte: u8) -> AsciiSet {
        self.remove_all(&[byte])
    }

    /// Returns this set with all of `bytes`.
    ///
    /// # Panics
    ///
    /// Panics if a byte is not ASCII. In a constant, the panic is an error at compile time.
    #[must_use]
    pub const fn add_all(&self, bytes: &[u8]) -> AsciiSet {
        let mut mask = self.mask;
        let mut i = 0;
        while i < bytes.len() {
            mask[(bytes[i] >> 5) as usize] |= 1 << (bytes[i] & 31);
            i += 1;
        }
        AsciiSet::of(mask)
    }

    /// Returns this set without any of `bytes`.
    ///
    /// # Panics
    ///
    /// Panics if a byte is not ASCII. In a constant, the panic is an error at compile time.
    #[must_use]
    pub const fn remove_all(&self, bytes: &[u8]) -> AsciiSet {
        let mut mask = self.mask;
        let mut i = 0;
        while i < bytes.len() {
            mask[(bytes[i] >> 5) as usize] &= !(1 << (bytes[i] & 31));
            i += 1;
        }
        AsciiSet::of(mask)
    }

    /// Returns the bytes that are in at least one of the sets. Sets are `Copy`, so you can write `a.union(*CONTROLS)`.
    pub const fn union(&self, other: AsciiSet) -> AsciiSet {
        let ([a, b, c, d], [e, f, g, h]) = (self.mask, other.mask);
        AsciiSet::of([a | e, b | f, c | g, d | h])
    }

    /// Returns the ASCII bytes that are not in this set.
    pub const fn complement(&self) -> AsciiSet {
        let [a, b, c, d] = self.mask;
        AsciiSet::of([!a, !b, !c, !d])
    }

    /// Percent-encodes `input`, like [`percent_encode`](crate::percent_encode). The set needn't be `'static`.
    ///
    /// # Examples
    ///
    /// ```
    /// use percent_encoding::NON_ALPHANUMERIC;
    /// let configured = "-_";
    /// let set = NON_ALPHANUMERIC.remove_all(configured.as_bytes());
    /// assert_eq!(set.encode(b"a-b_c.d").to_string(), "a-b_c%2Ed");
    /// ```
    #[inline]
    #[must_use]
    pub fn encode<'a>(&'a self, input: &'a [u8]) -> PercentEncode<'a> {
        PercentEncode::new(input, self)
    }
}

impl fmt::Debug for AsciiSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsciiSet").field("mask", &self.mask).finish()
    }
}

/// Unites two sets, like [`AsciiSet::union`].
impl ops::Add for AsciiSet {
    type Output = AsciiSet;

    fn add(self, other: AsciiSet) -> AsciiSet {
        self.union(other)
    }
}

/// Complements a set, like [`AsciiSet::complement`].
impl ops::Not for AsciiSet {
    type Output = AsciiSet;

    fn not(self) -> AsciiSet {
        self.complement()
    }
}

/// The ASCII controls, 0x00 to 0x1F and 0x7F, without the space.
///
/// They are the ASCII part of the URL Standard's "C0 control percent-encode set" (1.3).
pub const CONTROLS: &AsciiSet = &AsciiSet::of([!0, 0, 0, 1 << 31]);

/// All of ASCII except letters and digits.
pub const NON_ALPHANUMERIC: &AsciiSet = &AsciiSet::of([!0, !0x03FF_0000, !0x07FF_FFFE, !0x07FF_FFFE]);
