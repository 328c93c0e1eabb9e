//! [`Encoder`] for text out, [`RawEncoder`] for any set.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::mem::MaybeUninit;

use crate::engine::Engine;
use crate::error::OutputTooSmall;
use crate::input::AsBytes;
use crate::kernel::EncodeProfile;
use crate::set::ByteSet;
use crate::sink::{self, Codec, Encoding};
use crate::triplet;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Percent-encodes bytes to text.
///
/// Made from the set of bytes that stay as they are; every other byte becomes a triplet, `%` and two hexadecimal
/// digits (RFC 3986 2.1). Bytes of 0x80 and above always become triplets, whatever the set says, so the result is
/// ASCII, thus text; where they are to stay, use a [`RawEncoder`].
///
/// ```
/// use percent_simd::{ByteSet, Encoder, sets};
///
/// const SEGMENT: Encoder = Encoder::new(sets::RFC3986_SEGMENT);
/// assert_eq!(SEGMENT.encode("AC/DC & Ελλάς"), "AC%2FDC%20&%20%CE%95%CE%BB%CE%BB%CE%AC%CF%82");
///
/// // Any bytes, any set.
/// let hex_only = Encoder::new(ByteSet::EMPTY).lowercase();
/// assert_eq!(hex_only.encode(b"\x00\xFF"), "%00%ff");
/// ```
///
/// A value of a hundred-odd bytes, `Copy`, best kept in a `const` or a `static`. What it does not do is decide where
/// encoding belongs: encode each component *before* joining them, once (RFC 3986 2.4).
///
/// Two are equal that were made alike: same set, same options, same engine.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encoder(RawEncoder);

/// Percent-encodes bytes by a set that may hold bytes of 0x80 and above.
///
/// Text comes out of it only where text goes in, as with IRIs, in which letters of all scripts stay readable:
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
    profile: EncodeProfile,
    engine: Option<&'static Engine>,
    /// The set as it was given.
    allowed: ByteSet,
}

/// Equal encoders have equal sets and options; the other fields follow from those.
impl Hash for RawEncoder {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.allowed, self.profile.allowed, self.profile.plus, self.profile.keep_triplets).hash(state);
    }
}

impl RawEncoder {
    /// Shows an encoder with its set and the options that are not the default.
    fn show(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

/// Shows the set, and the options that are not the default.
impl fmt::Debug for RawEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show("RawEncoder", f)
    }
}

/// Shows the set, and the options that are not the default.
impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.show("Encoder", f)
    }
}

impl RawEncoder {
    /// An encoder that leaves the bytes of `allowed` as they are.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> RawEncoder {
        RawEncoder::of(allowed, allowed)
    }

    /// An encoder that was given the set `given`, and leaves the bytes of `allowed` as they are.
    const fn of(given: ByteSet, allowed: ByteSet) -> RawEncoder {
        let profile =
            EncodeProfile { allowed, rows: allowed.rows(), digits: &triplet::UPPER, plus: false, keep_triplets: false };
        RawEncoder { profile, engine: None, allowed: given }
    }

    /// Writes hexadecimal digits in lower case. RFC 3986 2.1 asks for upper case, which is the default.
    #[must_use]
    pub const fn lowercase(mut self) -> RawEncoder {
        self.profile.digits = &triplet::LOWER;
        self
    }

    /// Writes a space as `+`, whether it is in the set or not (URL Standard 1.3, "spaceAsPlus"). The set should lack
    /// `+`, or spaces and pluses come out the same.
    #[must_use]
    pub const fn space_to_plus(mut self) -> RawEncoder {
        self.profile.plus = true;
        self
    }

    /// Leaves valid triplets as they are, so that what is already encoded is not encoded again (RFC 6570 3.2.3). Any
    /// other `%` becomes `%25`, whether it is in the set or not.
    #[must_use]
    pub const fn keep_triplets(mut self) -> RawEncoder {
        let allowed = self.profile.allowed.without(b'%');
        self.profile.allowed = allowed;
        self.profile.rows = allowed.rows();
        self.profile.keep_triplets = true;
        self
    }

    /// Uses `engine` in place of the best one.
    #[must_use]
    pub const fn with_engine(mut self, engine: &'static Engine) -> RawEncoder {
        self.engine = Some(engine);
        self
    }

    /// The set that this encoder was made from.
    #[must_use]
    pub const fn allowed(&self) -> ByteSet {
        self.allowed
    }

    #[inline]
    pub(crate) fn encoding(&self) -> Encoding<'_> {
        Encoding { profile: &self.profile, engine: self.engine }
    }

    /// The encoded bytes; `input` itself where nothing changes.
    ///
    /// # Panics
    /// As `Vec` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, [u8]> {
        let src = input.as_bytes();
        sink::infallible(sink::cow(self.encoding(), src))
    }

    /// The encoded text; `text` itself where nothing changes.
    ///
    /// Characters above ASCII stay where the set has all of 0x80 to 0xFF. A set with only some of those would tear
    /// characters apart, so under it they all become triplets.
    ///
    /// # Panics
    /// As `String` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn encode_str<'a>(&self, text: &'a str) -> Cow<'a, str> {
        const HIGH: ByteSet = ByteSet::range(0x80, 0xFF);
        if !HIGH.is_subset(self.allowed) {
            return self.to_ascii().encode(text);
        }
        match self.encode(text) {
            Cow::Borrowed(_) => Cow::Borrowed(text),
            // SAFETY: bytes of 0x80 and above all stay, in their order, and what is between them was and is ASCII.
            Cow::Owned(bytes) => Cow::Owned(unsafe { sink::text(bytes) }),
        }
    }
}

impl RawEncoder {
    /// Appends the encoded bytes to `out`; how many those are.
    ///
    /// # Panics
    /// As `Vec` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    pub fn encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        sink::infallible(self.try_encode_into(input, out))
    }

    /// Appends the encoded bytes to `out`; how many those are, or why they could not be stored, in which case `out`
    /// is as it was.
    #[cfg(feature = "alloc")]
    pub fn try_encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, TryReserveError> {
        Ok(sink::append(self.encoding(), input.as_bytes(), out)?.written)
    }

    /// Writes the encoded bytes to the front of `out`; those bytes, or how much room they need, in which case what
    /// `out` holds is unspecified.
    pub fn encode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        sink::slice_init(self.encoding(), input.as_bytes(), out).map(|(encoded, _)| encoded)
    }

    /// Like [`encode_slice`](Self::encode_slice), but writes into memory that need not be initialised.
    pub fn encode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        sink::slice(self.encoding(), input.as_bytes(), out).map(|(encoded, _)| encoded)
    }

    /// Writes the encoded bytes to `out`; how many those are. Nothing is allocated.
    #[cfg(feature = "std")]
    pub fn encode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        Ok(sink::pieces(self.encoding(), input.as_bytes(), |piece| out.write_all(piece))?.0)
    }

    /// Exactly how many bytes the encoded form has; `None` if a `usize` can't say.
    #[must_use]
    pub fn encoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.encoding().output_len(input.as_bytes())
    }

    /// Offset of the first byte of `input` that would not stay as it is.
    #[must_use]
    pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.encoding().first(input.as_bytes())
    }

    /// Length of the longest prefix of `src` that stays as it is. Runs are short in most texts: the first bytes are
    /// looked at one by one before an engine is called.
    #[inline]
    fn unchanged_len(&self, src: &[u8]) -> usize {
        const NEAR: usize = 16;
        let EncodeProfile { allowed, plus, keep_triplets, .. } = self.profile;
        if keep_triplets || plus && allowed.contains(b' ') {
            return self.unchanged_beyond(src, 0);
        }
        let near = src.len().min(NEAR);
        match src[..near].iter().position(|&byte| !allowed.contains(byte)) {
            Some(run) => run,
            None if near == src.len() => near,
            None => self.unchanged_beyond(src, near),
        }
    }

    /// Like `unchanged_len`, of `src` whose first `known` bytes stay.
    #[inline(never)]
    fn unchanged_beyond(&self, src: &[u8], known: usize) -> usize {
        self.first_changed(&src[known..]).map_or(src.len(), |run| known + run)
    }

    /// Whether anything in `input` would not stay as it is.
    #[must_use]
    pub fn needs_encoding<I: AsBytes + ?Sized>(&self, input: &I) -> bool {
        self.first_changed(input).is_some()
    }

    /// Returns an [`Encoder`] with the options of this one and the ASCII part of its set.
    #[must_use]
    pub const fn to_ascii(mut self) -> Encoder {
        let allowed = self.profile.allowed.intersection(ByteSet::ASCII);
        self.profile.allowed = allowed;
        self.profile.rows = allowed.rows();
        Encoder(self)
    }
}

/// Text from bytes.
///
/// # Safety
/// They were written by an [`Encoder`], or it would change none of them: its set is one of ASCII, so they all are in that,
/// or are `%`, `+` or a hexadecimal digit.
unsafe fn ascii(encoded: &[u8]) -> &str {
    debug_assert!(encoded.is_ascii());
    // SAFETY: ASCII is UTF-8.
    unsafe { str::from_utf8_unchecked(encoded) }
}

impl Encoder {
    #[inline]
    pub(crate) fn encoding(&self) -> Encoding<'_> {
        self.0.encoding()
    }

    /// An encoder that leaves the bytes of `allowed` as they are, as far as they are ASCII.
    #[must_use]
    pub const fn new(allowed: ByteSet) -> Encoder {
        Encoder(RawEncoder::of(allowed, allowed.intersection(ByteSet::ASCII)))
    }

    /// Writes hexadecimal digits in lower case. RFC 3986 2.1 asks for upper case, which is the default.
    #[must_use]
    pub const fn lowercase(self) -> Encoder {
        Encoder(self.0.lowercase())
    }

    /// Writes a space as `+`, whether it is in the set or not (URL Standard 1.3, "spaceAsPlus"). The set should lack
    /// `+`, or spaces and pluses come out the same.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// assert_eq!(Encoder::new(sets::WHATWG_FORM).space_to_plus().encode("1 + 1"), "1+%2B+1");
    /// ```
    #[must_use]
    pub const fn space_to_plus(self) -> Encoder {
        Encoder(self.0.space_to_plus())
    }

    /// Leaves valid triplets as they are, so that what is already encoded is not encoded again (RFC 6570 3.2.3). Any
    /// other `%` becomes `%25`, whether it is in the set or not.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// let encoder = Encoder::new(sets::RFC3986_PATH).keep_triplets();
    /// assert_eq!(encoder.encode("/100% a%20b"), "/100%25%20a%20b");
    /// ```
    #[must_use]
    pub const fn keep_triplets(self) -> Encoder {
        Encoder(self.0.keep_triplets())
    }

    /// Uses `engine` in place of the best one.
    #[must_use]
    pub const fn with_engine(self, engine: &'static Engine) -> Encoder {
        Encoder(self.0.with_engine(engine))
    }

    /// The set that this encoder was made from.
    #[must_use]
    pub const fn allowed(&self) -> ByteSet {
        self.0.allowed()
    }

    /// The encoded text; `input` itself exactly where nothing changes, which needs no allocation.
    ///
    /// # Panics
    /// As `String` does: if the result is longer than `isize::MAX`. [`try_encode`](Self::try_encode) does not.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        sink::infallible(self.try_encode(input))
    }

    /// The encoded text; `input` itself exactly where nothing changes; or why it could not be stored.
    #[cfg(feature = "alloc")]
    pub fn try_encode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, TryReserveError> {
        sink::cow_ascii(self.0.encoding(), input.as_bytes())
    }

    /// The encoded text as a new `String`, in one allocation of exactly its length.
    ///
    /// # Panics
    /// As `String` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn encode_to_string<I: AsBytes + ?Sized>(&self, input: &I) -> String {
        sink::infallible(self.try_encode_to_string(input))
    }

    /// The encoded text as a new `String`, in one allocation of exactly its length; or why that failed.
    #[cfg(feature = "alloc")]
    #[inline]
    pub fn try_encode_to_string<I: AsBytes + ?Sized>(&self, input: &I) -> Result<String, TryReserveError> {
        sink::to_ascii_string(self.0.encoding(), input.as_bytes())
    }

    /// Appends the encoded text to `out`.
    ///
    /// # Panics
    /// As `String` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    pub fn encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) {
        sink::infallible(self.try_encode_into(input, out));
    }

    /// Appends the encoded text to `out`, or says why it could not be stored, in which case `out` is as it was.
    #[cfg(feature = "alloc")]
    pub fn try_encode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<(), TryReserveError> {
        sink::append_ascii(self.0.encoding(), input.as_bytes(), out)
    }

    /// Appends the encoded text to `out`, which holds bytes; how many bytes those are.
    ///
    /// # Panics
    /// As `Vec` does: if the result is longer than `isize::MAX`.
    #[cfg(feature = "alloc")]
    pub fn encode_into_vec<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        self.0.encode_into(input, out)
    }

    /// Writes the encoded text to the front of `out`; that text, or how many bytes it needs, in which case what `out`
    /// holds is unspecified.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// let encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// let mut buffer = [0; 8];
    /// assert_eq!(encoder.encode_slice("a b", &mut buffer).unwrap(), "a%20b");
    /// assert_eq!(encoder.encode_slice("a & b", &mut buffer).unwrap_err().needed, 11);
    /// ```
    pub fn encode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o str, OutputTooSmall> {
        // SAFETY: written by this encoder.
        self.0.encode_slice(input, out).map(|encoded| unsafe { ascii(encoded) })
    }

    /// Like [`encode_slice`](Self::encode_slice), but writes into memory that need not be initialised.
    pub fn encode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o str, OutputTooSmall> {
        // SAFETY: written by this encoder.
        self.0.encode_uninit(input, out).map(|encoded| unsafe { ascii(encoded) })
    }

    /// The encoded text as pieces of text, without allocation: runs that stay, and triplets. Also `Display`.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// const ENCODER: Encoder = Encoder::new(sets::RFC3986_UNRESERVED);
    /// let pieces = ENCODER.pieces("a b c");
    /// assert_eq!(format!("/{pieces}/"), "/a%20b%20c/");
    /// assert!(pieces.eq(["a", "%20", "b", "%20", "c"]));
    /// ```
    #[must_use]
    #[inline]
    pub fn pieces<'e, 'a, I: AsBytes + ?Sized>(&'e self, input: &'a I) -> EncodePieces<'e, 'a> {
        EncodePieces { encoder: self, src: input.as_bytes(), done: 0, changes: 0, known: 0 }
    }

    /// Writes the encoded text to `out`. Nothing is allocated.
    pub fn encode_fmt<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl fmt::Write + ?Sized)) -> fmt::Result {
        // SAFETY: written by this encoder, or it changes none of them.
        sink::pieces(self.0.encoding(), input.as_bytes(), |piece| out.write_str(unsafe { ascii(piece) }))?;
        Ok(())
    }

    /// Writes the encoded text to `out`; how many bytes those are. Nothing is allocated.
    #[cfg(feature = "std")]
    pub fn encode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        self.0.encode_io(input, out)
    }

    /// Exactly how many bytes the encoded text has; `None` if a `usize` can't say.
    #[must_use]
    pub fn encoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.0.encoded_len(input)
    }

    /// Offset of the first byte of `input` that would not stay as it is.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// assert_eq!(Encoder::new(sets::RFC3986_PATH).first_changed("/a b"), Some(2));
    /// ```
    #[must_use]
    #[inline]
    pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        self.0.first_changed(input)
    }

    /// Whether anything in `input` would not stay as it is.
    #[must_use]
    pub fn needs_encoding<I: AsBytes + ?Sized>(&self, input: &I) -> bool {
        self.0.needs_encoding(input)
    }

    /// `input` in two: what stays as it is up to the first byte that does not, and the rest from there.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// const PATH: Encoder = Encoder::new(sets::RFC3986_PATH);
    /// assert_eq!(PATH.split_unchanged("/a b"), ("/a", &b" b"[..]));
    /// ```
    #[must_use]
    #[inline]
    pub fn split_unchanged<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> (&'a str, &'a [u8]) {
        let src = input.as_bytes();
        let (run, rest) = src.split_at(self.0.unchanged_len(src));
        // SAFETY: nothing in it would change.
        (unsafe { ascii(run) }, rest)
    }

    /// The triplet of `byte`, with digits in the case of this encoder, whether the byte is in its set or not.
    ///
    /// ```
    /// use percent_simd::{ByteSet, Encoder};
    /// assert_eq!(Encoder::new(ByteSet::EMPTY).triplet(b'/'), "%2F");
    /// ```
    #[must_use]
    #[inline]
    pub fn triplet(&self, byte: u8) -> &'static str {
        // SAFETY: a triplet is ASCII.
        unsafe { ascii(self.0.profile.digits.triplet(byte)) }
    }

    /// An encoder that writes triplets as this one does, and of every byte.
    #[cfg(feature = "encoding")]
    pub(crate) const fn escaping_all(mut self) -> Encoder {
        self.0.profile.allowed = ByteSet::EMPTY;
        self.0.profile.rows = ByteSet::EMPTY.rows();
        self.0.profile.plus = false;
        self.0.profile.keep_triplets = false;
        self
    }

    /// Whether a space becomes `+`.
    #[cfg(feature = "encoding")]
    pub(crate) const fn writes_plus(&self) -> bool {
        self.0.profile.plus
    }

    /// Whether what `input` starts with, a byte or a triplet, stays.
    #[cfg(feature = "encoding")]
    pub(crate) fn keeps(&self, input: &[u8]) -> bool {
        let EncodeProfile { allowed, keep_triplets, .. } = self.0.profile;
        match *input {
            [b'%', high, low, ..] if keep_triplets && high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
            [byte, ..] => allowed.contains(byte),
            [] => false,
        }
    }

    /// Returns this encoder as one for any set.
    #[must_use]
    pub const fn raw(&self) -> &RawEncoder {
        &self.0
    }
}

impl From<Encoder> for RawEncoder {
    fn from(encoder: Encoder) -> RawEncoder {
        encoder.0
    }
}

impl crate::sets::Entry {
    /// The encoder that writes as this system does: with its set, its way to write a space, its case of digits.
    ///
    /// ```
    /// let python = percent_simd::sets::by_name("py-quote-plus").unwrap().encoder();
    /// assert_eq!(python.encode("a b/c"), "a+b%2Fc");
    /// ```
    #[must_use]
    pub const fn encoder(&self) -> Encoder {
        let mut encoder = Encoder::new(self.allowed);
        if self.space_to_plus {
            encoder = encoder.space_to_plus();
        }
        if self.lowercase {
            encoder = encoder.lowercase();
        }
        if self.keep_triplets {
            encoder = encoder.keep_triplets();
        }
        encoder
    }
}

/// Encoded text in pieces, without allocation. Made by [`Encoder::pieces`].
///
/// As an iterator: each longest run that stays, borrowed from the input, and each triplet or `+`, which is static.
/// `Display` writes what is left, ignoring width and the like.
#[derive(Clone, Debug)]
pub struct EncodePieces<'e, 'a> {
    encoder: &'e Encoder,
    src: &'a [u8],
    /// How much of `src` has been handed out.
    done: usize,
    /// Which of the bytes from there on, up to `known`, do not stay.
    changes: u64,
    known: usize,
}

impl<'a> EncodePieces<'_, 'a> {
    /// What is left of the input.
    ///
    /// ```
    /// use percent_simd::{Encoder, sets};
    /// const PATH: Encoder = Encoder::new(sets::RFC3986_PATH);
    /// let mut pieces = PATH.pieces("/a b");
    /// assert_eq!((pieces.next(), pieces.rest()), (Some("/a"), &b" b"[..]));
    /// ```
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.src[self.done..]
    }

    /// The run that is next; empty where a byte is that does not stay, or nothing.
    #[inline]
    fn run(&mut self) -> &'a str {
        if self.changes & 1 != 0 {
            return "";
        }
        let rest = self.rest();
        let run = match self.changes {
            0 if self.known < self.src.len() => self.scan(),
            0 => rest.len(),
            changes => changes.trailing_zeros() as usize,
        };
        self.done += run;
        // Those of a look are of a block, and the blocks before it are in the run.
        self.changes >>= run % 64;
        // SAFETY: nothing in it would change.
        unsafe { ascii(&rest[..run]) }
    }

    /// The byte that is next, which does not stay: after a [`run`](Self::run).
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let &byte = self.src.get(self.done)?;
        self.done += 1;
        self.changes >>= 1;
        Some(byte)
    }

    /// Sees what does not stay of the bytes that are left, where those known all do; how many stay before the first. Those
    /// known are looked at again: a kept triplet may begin in them.
    #[inline]
    fn scan(&mut self) -> usize {
        /// What is this short is looked at as far as its first change: that is done before an engine is called.
        const NEAR: usize = 8;
        let rest = self.rest();
        if rest.len() <= NEAR {
            let run = self.encoder.0.unchanged_len(rest);
            self.changes = u64::from(run < rest.len()) << run;
            self.known = self.done + run + 1;
            return run;
        }
        let first = self.encoder.encoding().firsts(rest);
        self.changes = first.changes;
        match first.offset() {
            Some(run) => {
                self.known = self.done + first.at + 64;
                run
            }
            None => {
                self.known = self.src.len();
                rest.len()
            }
        }
    }

    #[inline]
    fn is_plus(&self, byte: u8) -> bool {
        byte == b' ' && self.encoder.0.profile.plus
    }
}

impl<'a> Iterator for EncodePieces<'_, 'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let run = self.run();
        if !run.is_empty() {
            return Some(run);
        }
        let byte = self.byte()?;
        Some(if self.is_plus(byte) { "+" } else { self.encoder.triplet(byte) })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.src.len() - self.done;
        (usize::from(left != 0), Some(left))
    }

    /// What `for_each`, `collect` and `String::extend` come down to: of triplets, `f` sees how long they are.
    #[inline]
    fn fold<B, F: FnMut(B, &'a str) -> B>(self, init: B, mut f: F) -> B {
        // A copy of its own, which is held in registers.
        let mut pieces = self;
        let mut folded = init;
        loop {
            let run = pieces.run();
            if !run.is_empty() {
                folded = f(folded, run);
            }
            folded = match pieces.byte() {
                Some(byte) if pieces.is_plus(byte) => f(folded, "+"),
                Some(byte) => f(folded, pieces.encoder.triplet(byte)),
                None => return folded,
            };
        }
    }
}

impl core::iter::FusedIterator for EncodePieces<'_, '_> {}

impl fmt::Display for EncodePieces<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.encoder.encode_fmt(self.rest(), f)
    }
}
