//! Defines [`RawEncoder`], whose set may contain bytes above ASCII.
#![forbid(unsafe_code)]

use core::fmt;
use core::hash::{Hash, Hasher};
#[cfg(feature = "simd")]
use core::mem::MaybeUninit;

use super::Encoder;
use crate::codec::{Codec, Encoding};
use crate::engine::Engine;
use crate::error::OutputTooSmall;
use crate::input::AsBytes;
use crate::isa::BLOCK;
use crate::kernel::{EncodeProfile, FirstChange};
#[cfg(feature = "alloc")]
use crate::memory;
use crate::set::ByteSet;
use crate::short::ShortCodec;
use crate::sink;
use crate::triplet;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Percent-encodes bytes by a set that may contain bytes of 0x80 and above.
///
/// For example, use it for IRIs. They keep letters of all scripts readable. The output is text only if the input is
/// text:
///
/// ```
/// use percent_simd::{ByteSet, RawEncoder, sets};
///
/// const READABLE: RawEncoder = RawEncoder::new(sets::RFC3986_PATH.union(ByteSet::range(0x80, 0xFF)));
/// assert_eq!(READABLE.encode_str("/år 2000"), "/år%202000");
/// assert_eq!(READABLE.encode(b"/\xE5r 2000"), &b"/\xE5r%202000"[..]); // Latin-1 stays Latin-1: bytes
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RawEncoder {
    pub(super) profile: EncodeProfile,
    engine: Option<&'static Engine>,
    /// The set that the caller passed.
    allowed: ByteSet,
}

/// Hashes the set and the options, but not the engine. Equal encoders have equal hashes.
impl Hash for RawEncoder {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.allowed, self.profile.allowed, self.profile.plus, self.profile.keep_triplets).hash(state);
    }
}

impl RawEncoder {
    /// Shows an encoder with its set and the options that differ from the default.
    pub(super) fn show(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(name);
        shown.field("allowed", &self.allowed);
        if self.profile.digits.triplet(0xFF) != triplet::UPPER.triplet(0xFF) {
            shown.field("lowercase", &true);
        }
        if self.profile.plus {
            shown.field("space_to_plus", &true);
        }
        if self.profile.keep_triplets {
            shown.field("keep_triplets", &true);
        }
        if let Some(engine) = self.engine {
            shown.field("engine", &engine.name());
        }
        shown.finish()
    }
}

/// Shows the set, and the options that differ from the default.
impl fmt::Debug for RawEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show("RawEncoder", f)
    }
}

impl RawEncoder {
    /// Makes an encoder that leaves the bytes of `allowed` as they are.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> RawEncoder {
        RawEncoder::of(allowed, allowed)
    }

    /// Makes an encoder that leaves the bytes of `allowed` as they are. Its method [`allowed`](Self::allowed) returns
    /// `given`, the set that the caller passed.
    pub(super) const fn of(given: ByteSet, allowed: ByteSet) -> RawEncoder {
        RawEncoder { profile: EncodeProfile::new(allowed), engine: None, allowed: given }
    }

    /// Writes hexadecimal digits in lower case. The default is upper case, which RFC 3986 2.1 asks for.
    #[must_use]
    pub const fn lowercase(mut self) -> RawEncoder {
        self.profile.digits = &triplet::LOWER;
        self
    }

    /// Writes a space as `+`, even if the set contains the space (URL Standard 1.3, "spaceAsPlus").
    ///
    /// The set shouldn't contain `+`, because spaces and pluses would look the same in the output.
    #[must_use]
    pub const fn space_to_plus(mut self) -> RawEncoder {
        self.profile = self.profile.with_plus();
        self
    }

    /// Leaves valid triplets as they are, so that encoded data isn't encoded again (RFC 6570 3.2.3).
    ///
    /// Any other `%` becomes `%25`, even if the set contains `%`.
    #[must_use]
    pub const fn keep_triplets(mut self) -> RawEncoder {
        self.profile = self.profile.keeping_triplets();
        self
    }

    /// Uses `engine` instead of the best one.
    #[must_use]
    pub const fn with_engine(mut self, engine: &'static Engine) -> RawEncoder {
        self.engine = Some(engine);
        self
    }

    /// Returns the set that this encoder was made from.
    #[must_use]
    pub const fn allowed(&self) -> ByteSet {
        self.allowed
    }

    #[inline]
    pub(crate) fn encoding(&self) -> Encoding<'_> {
        Encoding { profile: &self.profile, engine: self.engine }
    }

    /// Returns the encoded bytes. They borrow `input`, without allocation, if and only if they equal `input`.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_encode`](Self::try_encode) returns an error instead.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, [u8]> {
        memory::infallible(self.try_encode(input))
    }

    /// Does the same as [`encode`](Self::encode), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated.
    #[cfg(feature = "alloc")]
    pub fn try_encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, TryReserveError> {
        sink::cow(self.encoding(), input.as_bytes())
    }

    /// Returns the encoded text. It borrows `text` if and only if it equals `text`.
    ///
    /// Characters above ASCII stay if the set contains all bytes from 0x80 to 0xFF. If the set contains only some of
    /// these bytes, encoding could split a character. So then all characters above ASCII are encoded.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode_str<'a>(&self, text: &'a str) -> Cow<'a, str> {
        const HIGH: ByteSet = ByteSet::range(0x80, 0xFF);
        memory::infallible(if HIGH.difference(self.allowed).is_empty() {
            sink::text::cow_of_text(self.encoding(), text)
        } else {
            self.to_ascii().try_encode(text)
        })
    }
}

impl RawEncoder {
    /// Appends the encoded bytes to `out`. Returns the number of bytes appended.
    ///
    /// # Panics
    ///
    /// Panics if memory can't be allocated; [`try_encode_into`](Self::try_encode_into) returns an error instead.
    #[cfg(feature = "alloc")]
    pub fn encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        memory::infallible(self.try_encode_into(input, out))
    }

    /// Does the same as [`encode_into`](Self::encode_into), but does not panic.
    ///
    /// # Errors
    ///
    /// Returns an error if memory can't be allocated; `out` is then unchanged.
    #[cfg(feature = "alloc")]
    pub fn try_encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, TryReserveError> {
        Ok(sink::append(self.encoding(), input.as_bytes(), out)?.written)
    }

    /// Writes the encoded bytes to the front of `out`, and returns them.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified.
    pub fn encode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        sink::slice(self.encoding(), input.as_bytes(), sink::OutputBuffer::initialized(out)).map(|(encoded, _)| encoded)
    }

    /// Does the same as [`encode_slice`](Self::encode_slice), but takes uninitialised memory.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` is too small. The error has the length that `out` needs, and the contents of `out` are
    /// then unspecified.
    #[cfg(feature = "simd")]
    pub fn encode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        sink::slice(self.encoding(), input.as_bytes(), sink::OutputBuffer::new(out)).map(|(encoded, _)| encoded)
    }

    /// Writes the encoded bytes to `out`, without allocation. Returns the number of bytes written.
    ///
    /// # Errors
    ///
    /// Returns an error if `out` returns an error.
    #[cfg(feature = "std")]
    pub fn encode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        Ok(sink::pieces(self.encoding(), input.as_bytes(), |piece| out.write_all(piece))?.0)
    }

    /// Returns the exact length of the encoded form in bytes, or `None` if a `usize` can't hold it.
    #[must_use]
    pub fn encoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.encoding().output_len(input.as_bytes())
    }

    /// Returns the offset of the first byte of `input` that encoding would change.
    #[must_use]
    pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        let (src, codec) = (input.as_bytes(), self.encoding());
        if codec.check(src).unchanged { None } else { codec.first(src) }
    }

    /// Returns an [`Encoder`] with the options of this encoder and the ASCII part of its set.
    #[must_use]
    pub const fn to_ascii(mut self) -> Encoder {
        self.profile = self.profile.with_allowed(self.profile.allowed.intersection(ByteSet::ASCII));
        Encoder::of_ascii(self)
    }
}

/// Iterates over the offsets of the bytes that encoding would change. Searches 64 bytes at a time.
pub struct ChangedBytes<'a> {
    encoding: Encoding<'a>,
    src: &'a [u8],
    /// The block that was scanned last, and the changes in it that were not returned yet.
    block: FirstChange,
    /// The offset of the byte after that block.
    scanned: usize,
}

impl<'a> ChangedBytes<'a> {
    /// Returns the offsets of all bytes of `src` that `encoder` would change.
    #[inline]
    #[must_use]
    pub fn new(encoder: &'a RawEncoder, src: &'a [u8]) -> ChangedBytes<'a> {
        ChangedBytes { encoding: encoder.encoding(), src, block: FirstChange { at: 0, changes: 0 }, scanned: 0 }
    }
}

impl Iterator for ChangedBytes<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.block.changes == 0 {
            if self.scanned >= self.src.len() {
                return None;
            }
            self.block = next_block(self.encoding, self.src, self.scanned);
            self.scanned = if self.block.changes == 0 { self.src.len() } else { self.block.at + BLOCK };
        }
        let at = self.block.offset()?;
        self.block.changes &= self.block.changes - 1;
        Some(at)
    }
}

/// Finds the first block with a change after the `scanned` bytes.
///
/// This function isn't inlined and takes only the values that it needs, so that the iterator can stay in registers.
#[inline(never)]
fn next_block(encoding: Encoding<'_>, src: &[u8], mut scanned: usize) -> FirstChange {
    if encoding.profile.keep_triplets {
        // If a kept triplet begins in the last block and ends in the next block, continue after the triplet. A scan
        // that begins at the digits of this triplet doesn't know that they belong to a kept triplet, and may report
        // them as changes.
        let reaches = |at: &usize| triplet::triplet(src, *at).is_some();
        scanned = (scanned.saturating_sub(2)..scanned).find(reaches).map_or(scanned, |at| at + 3);
    }
    let FirstChange { at, changes } = encoding.first_change(&src[scanned..]);
    FirstChange { at: scanned + at, changes }
}
