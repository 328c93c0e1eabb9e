//! Door: [`Decoder`], which cannot fail, and [`CheckedDecoder`], which says what is wrong.

use core::mem::MaybeUninit;

use crate::engine::Engine;
use crate::error::{DecodeError, DecodeErrorKind, DecodeSliceError, OutputTooSmall};
use crate::input::AsBytes;
use crate::isa::tables;
use crate::kernel::{self, DecodeProfile, PlusStart};
use crate::set::ByteSet;
use crate::sink::{self, Codec, CodecResult, Decoding};

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, collections::TryReserveError, string::String, vec::Vec};
#[cfg(feature = "std")]
use std::io;

/// Whether a `+` stands for a space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Plus {
    /// Never: `+` is `+`, as everywhere in a URI (RFC 3986 2.2).
    #[default]
    Never,
    /// Always, as in `application/x-www-form-urlencoded` (URL Standard 5.1).
    Always,
    /// After the first `?` of the input: right for whole request targets and URLs with a form in the query.
    AfterQuery,
}

/// Percent-decodes, leniently: it cannot fail.
///
/// By itself this is the URL Standard's percent-decode (1.3): a triplet becomes its byte, once; a `%` that starts none
/// is copied, as is everything else, `+` included. The result is bytes, of which nothing is known: whoever decodes
/// checks last.
///
/// ```
/// use percent_simd::{Decoder, Plus, sets};
///
/// assert_eq!(Decoder::new().decode("100%25 %41%zz"), &b"100% A%zz"[..]);
/// assert_eq!(Decoder::new().decode_utf8("%CE%B1")?, "α");
///
/// const QUERY: Decoder = Decoder::new().plus(Plus::AfterQuery);
/// assert_eq!(QUERY.decode("/a+b?q=1+1%2B"), &b"/a+b?q=1 1+"[..]);
///
/// // All but what would change where the path splits, or make new triplets.
/// const PATH: Decoder = Decoder::new().keep(percent_simd::ByteSet::of(b"/\\%\0"));
/// assert_eq!(PATH.decode("/AC%2FDC/%7E"), &b"/AC%2FDC/~"[..]);
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
///
/// Where malformed escapes are to be errors, ask for [`strict`](Self::strict); where some bytes are, for
/// [`reject`](Self::reject).
#[derive(Clone, Copy, Debug)]
pub struct Decoder(DecodeOptions);

/// Percent-decodes, and fails where the input is not as it should be: with the offset in the input, and why.
///
/// Made by [`Decoder::strict`] and [`Decoder::reject`].
///
/// ```
/// use percent_simd::{ByteSet, DecodeErrorKind, Decoder};
///
/// const STRICT: percent_simd::CheckedDecoder = Decoder::new().strict().reject(ByteSet::CONTROLS);
/// let error = STRICT.decode("a%20b%zz").unwrap_err();
/// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::NotHex));
/// let error = STRICT.decode("a%20b%00").unwrap_err();
/// assert_eq!((error.offset, error.kind), (5, DecodeErrorKind::Rejected(0)));
/// assert_eq!(STRICT.decode_utf8("%CE%B1")?, "α");
/// # Ok::<(), percent_simd::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CheckedDecoder(DecodeOptions);

/// What both decoders are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecodeOptions {
    pub(crate) plus: Plus,
    pub(crate) profile: DecodeProfile,
    engine: Option<&'static Engine>,
}

impl DecodeOptions {
    /// Where a `+` starts to be a space is known once the input is.
    #[inline]
    pub(crate) fn for_input(&self, src: &[u8]) -> Decoding<'_> {
        let plus = match self.plus {
            Plus::Never => PlusStart::NONE,
            Plus::Always => PlusStart::ALL,
            Plus::AfterQuery => memchr::memchr(b'?', src).map_or(PlusStart::NONE, |from| PlusStart { from }),
        };
        self.with_pluses(plus)
    }

    #[inline]
    pub(crate) fn with_pluses(&self, plus: PlusStart) -> Decoding<'_> {
        Decoding { profile: &self.profile, plus, engine: self.engine }
    }
}

impl Decoder {
    /// A decoder that decodes every triplet and copies everything else.
    #[must_use]
    pub const fn new() -> Decoder {
        Decoder(DecodeOptions { plus: Plus::Never, profile: DecodeProfile::LENIENT, engine: None })
    }
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new()
    }
}

macro_rules! options {
    ($decoder:ident) => {
        impl $decoder {
            /// Says whether a `+` stands for a space. By default it never does.
            #[must_use]
            pub const fn plus(mut self, plus: Plus) -> $decoder {
                self.0.plus = plus;
                self
            }

            /// Leaves triplets as they are whose byte is in `keep`.
            ///
            /// Where `keep` holds `%`, decoding twice gives what decoding once gives: no new triplet comes about. So
            /// *latent triplets* stay too. Such a one is a `%` that starts no triplet, followed by two hexadecimal digits
            /// of which at least one is written as a triplet that would be decoded:
            ///
            /// ```
            /// use percent_simd::{ByteSet, Decoder};
            /// let path = Decoder::new().keep(ByteSet::of(b"/%"));
            /// // Not `/a%2Fb`, which the next decoder would take for `/a/b`.
            /// assert_eq!(path.decode("/a%%32%46b"), &b"/a%%32%46b"[..]);
            /// assert_eq!(path.decode("/a%2%46b"), &b"/a%2%46b"[..]);
            /// ```
            ///
            /// A set without `%` lets `%25` be decoded, and `%252F` become `%2F`: its result must not be decoded again.
            #[must_use]
            pub const fn keep(mut self, keep: ByteSet) -> $decoder {
                self.0.profile.keep = Some((keep, keep.rows()));
                self.0.profile.upper = false;
                self
            }

            /// Leaves triplets whose byte is in `keep`, and writes their hexadecimal digits in upper case.
            ///
            /// What RFC 3986 6.2.2 does to the escapes of a URI (case and percent-encoding normalization):
            ///
            /// ```
            /// use percent_simd::{Decoder, sets};
            /// let normalize = Decoder::new().keep_upper(!sets::RFC3986_UNRESERVED);
            /// assert_eq!(normalize.decode("/%7euser%2f%c3%a9"), &b"/~user%2F%C3%A9"[..]);
            /// ```
            #[must_use]
            pub const fn keep_upper(self, keep: ByteSet) -> $decoder {
                let mut decoder = self.keep(keep);
                decoder.0.profile.upper = true;
                decoder
            }

            /// Fails at triplets whose byte is in `reject`, unless it is in the set of those kept. Bytes that stand in
            /// the input unescaped are not looked at.
            #[must_use]
            pub const fn reject(self, reject: ByteSet) -> CheckedDecoder {
                let mut options = self.0;
                options.profile.reject = Some((reject, reject.rows()));
                CheckedDecoder(options)
            }

            /// Fails at a `%` that starts no triplet.
            #[must_use]
            pub const fn strict(self) -> CheckedDecoder {
                let mut options = self.0;
                options.profile.strict = true;
                CheckedDecoder(options)
            }

            /// Uses `engine` in place of the best one.
            #[must_use]
            pub const fn with_engine(mut self, engine: &'static Engine) -> $decoder {
                self.0.engine = Some(engine);
                self
            }

            /// Offset of the first byte of `input` that would not stay as it is, as far as there is no error before it.
            #[must_use]
            pub fn first_changed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
                self.0.for_input(input.as_bytes()).first(input.as_bytes()).0
            }

            pub(crate) const fn options(&self) -> &DecodeOptions {
                &self.0
            }
        }
    };
}

options!(Decoder);
options!(CheckedDecoder);

/// What a lenient decoding came to.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The decoded bytes; the input itself exactly where nothing changes.
    pub bytes: Cow<'a, [u8]>,
    /// Offset, in bytes of the input, of the first `%` that starts no triplet.
    pub first_malformed: Option<usize>,
}

impl DecodeOptions {
    /// Decodes to bytes, up to what is wrong, or borrows them where nothing changes.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn cow<'a>(&self, src: &'a [u8]) -> Result<(Cow<'a, [u8]>, CodecResult), TryReserveError> {
        sink::cow_with_report(self.for_input(src), src)
    }

    /// Decoded bytes as text, with U+FFFD for what is not UTF-8.
    #[cfg(feature = "alloc")]
    fn lossy<'a>(&self, octets: Cow<'a, [u8]>) -> Cow<'a, str> {
        let decoding = self.with_pluses(PlusStart::NONE);
        match octets {
            Cow::Borrowed(octets) => match sink::checked_text(decoding, octets) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(octets),
            },
            Cow::Owned(octets) => Cow::Owned(sink::lossy_text(decoding, octets)),
        }
    }

    /// The same as text.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn text<'a>(&self, src: &'a [u8]) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        let decoding = self.for_input(src);
        match sink::short_text(decoding, src) {
            Some(text) => Ok(Ok(text)),
            None => DecodeOptions::text_or_error(decoding, src),
        }
    }

    /// The same as text, checked piece by piece while it is in the nearest cache.
    #[cfg(feature = "alloc")]
    #[inline(never)]
    fn text_or_error<'a>(
        decoding: Decoding,
        src: &'a [u8],
    ) -> Result<Result<Cow<'a, str>, DecodeError>, TryReserveError> {
        if decoding.find_change(src).is_some() {
            return Ok(match sink::checked_text(decoding, src) {
                Ok(text) => Ok(Cow::Borrowed(text)),
                Err(at) => Err(DecodeError::new(at, DecodeErrorKind::InvalidUtf8)),
            });
        }
        let mut string = String::new();
        Ok(sink::append_text(decoding, src, &mut string)?.map(|_| Cow::Owned(string)))
    }

    /// Decodes in place, from the front of `buffer` on.
    fn in_place(&self, buffer: &mut [u8]) -> CodecResult {
        sink::in_place(self.for_input(buffer), buffer)
    }
}

impl Decoder {
    /// The decoded bytes; `input` itself exactly where nothing changes, which needs no allocation.
    ///
    /// # Panics
    /// As `Vec` does, where memory cannot be had; [`try_decode`](Self::try_decode) does not.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, [u8]> {
        let src = input.as_bytes();
        sink::infallible(sink::cow(self.0.for_input(src), src))
    }

    /// The decoded bytes, and where the first `%` is that starts no triplet.
    ///
    /// ```
    /// let decoded = percent_simd::Decoder::new().decode_with_report("%41 100%");
    /// assert_eq!((&decoded.bytes[..], decoded.first_malformed), (&b"A 100%"[..], Some(7)));
    /// ```
    ///
    /// # Panics
    /// As `Vec` does, where memory cannot be had; [`try_decode`](Self::try_decode) does not.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn decode_with_report<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Decoded<'a> {
        sink::infallible(self.try_decode(input))
    }

    /// The same, or why the bytes could not be stored.
    #[cfg(feature = "alloc")]
    pub fn try_decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Decoded<'a>, TryReserveError> {
        let (bytes, outcome) = self.0.cow(input.as_bytes())?;
        Ok(Decoded { bytes, first_malformed: outcome.malformed })
    }

    /// The decoded text; `input` itself exactly where nothing changes; or where in the input it ceases to be UTF-8.
    ///
    /// ```
    /// use percent_simd::{DecodeErrorKind, Decoder};
    /// assert_eq!(Decoder::new().decode_utf8("%C3%A9")?, "é");
    /// let error = Decoder::new().decode_utf8("ab%C3%A9%C0%AF").unwrap_err();
    /// assert_eq!((error.offset, error.kind), (8, DecodeErrorKind::InvalidUtf8)); // an overlong `/`
    /// # Ok::<(), percent_simd::DecodeError>(())
    /// ```
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        sink::infallible(self.0.text(input.as_bytes()))
    }

    /// The decoded text, with U+FFFD for every maximal ill-formed part, as [`String::from_utf8_lossy`] has it.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Cow<'a, str> {
        let src = input.as_bytes();
        sink::short_text(self.0.for_input(src), src).unwrap_or_else(|| self.0.lossy(self.decode(src)))
    }

    /// Appends the decoded bytes to `out`; how many those are.
    ///
    /// # Panics
    /// As `Vec` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> usize {
        sink::infallible(self.try_decode_into(input, out))
    }

    /// The same, or why the bytes could not be stored, in which case `out` is as it was.
    #[cfg(feature = "alloc")]
    pub fn try_decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, TryReserveError> {
        let src = input.as_bytes();
        Ok(sink::append(self.0.for_input(src), src, out)?.written)
    }

    /// Appends the decoded text to `out`, or says where in the input it ceases to be UTF-8, in which case `out` is as
    /// it was.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        sink::infallible(sink::append_text(self.0.for_input(src), src, out))
    }

    /// Writes the decoded bytes to the front of `out`; those bytes, or how much room they need, in which case what
    /// `out` holds is unspecified.
    ///
    /// ```
    /// use percent_simd::{Decoder, OutputTooSmall};
    /// let mut buffer = [0; 3];
    /// assert_eq!(Decoder::new().decode_slice("%41b%43", &mut buffer).unwrap(), b"AbC");
    /// assert_eq!(Decoder::new().decode_slice("%41bcd", &mut buffer), Err(OutputTooSmall { needed: 4 }));
    /// ```
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let src = input.as_bytes();
        sink::slice_init(self.0.for_input(src), src, out).map(|(decoded, _)| decoded)
    }

    /// The same into memory that need not be initialised.
    pub fn decode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], OutputTooSmall> {
        let src = input.as_bytes();
        sink::slice(self.0.for_input(src), src, out).map(|(decoded, _)| decoded)
    }

    /// Decodes `buffer` into its own front; the decoded bytes. What follows them is unspecified.
    ///
    /// ```
    /// let mut buffer = *b"a%20b";
    /// assert_eq!(percent_simd::Decoder::new().decode_in_place(&mut buffer), b"a b");
    /// ```
    pub fn decode_in_place<'b>(&self, buffer: &'b mut [u8]) -> &'b mut [u8] {
        let written = self.0.in_place(buffer).written;
        &mut buffer[..written]
    }

    /// Decodes a vector where it stands.
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn decode_vec(&self, mut vec: Vec<u8>) -> Vec<u8> {
        let written = self.0.in_place(&mut vec).written;
        vec.truncate(written);
        vec
    }

    /// Decodes a string where it stands, or says where it ceases to be UTF-8.
    #[cfg(feature = "alloc")]
    pub fn decode_string(&self, string: String) -> Result<String, DecodeError> {
        self.as_checked().decode_string(string)
    }

    /// Writes the decoded bytes to `out`; how many those are. Nothing is allocated.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        Ok(sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?.0)
    }

    /// Exactly how many bytes the decoded form has.
    #[must_use]
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        let src = input.as_bytes();
        self.0.for_input(src).output_len(src).unwrap_or(src.len())
    }

    /// Returns the length of the longest prefix of `input` that decodes to the same whatever follows it: where to cut input
    /// that is decoded piece by piece.
    ///
    /// ```
    /// let decoder = percent_simd::Decoder::new();
    /// assert_eq!((decoder.decided_len("a%4"), decoder.decided_len("a%4z")), (1, 4));
    /// ```
    #[must_use]
    pub fn decided_len<I: AsBytes + ?Sized>(&self, input: &I) -> usize {
        self.0.profile.decided_len(input.as_bytes())
    }

    /// Offset of the first `%` of `input` that starts no triplet.
    #[must_use]
    pub fn first_malformed<I: AsBytes + ?Sized>(&self, input: &I) -> Option<usize> {
        let src = input.as_bytes();
        self.strict().options().for_input(src).count(src).1.malformed
    }

    /// The decoded bytes in pieces, without allocation: runs of the input that stay, and single bytes.
    ///
    /// ```
    /// let pieces = percent_simd::Decoder::new().pieces("ab%20c");
    /// assert!(pieces.eq([&b"ab"[..], b" ", b"c"]));
    /// ```
    #[must_use]
    pub fn pieces<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> DecodePieces<'a> {
        let src = input.as_bytes();
        DecodePieces { options: self.0, plus: self.0.for_input(src).plus, rest: src }
    }

    /// Returns this decoder as one that checks, though it finds nothing wrong but ill-formed UTF-8: for code that takes
    /// either kind.
    #[must_use]
    pub const fn as_checked(&self) -> CheckedDecoder {
        CheckedDecoder(self.0)
    }
}

impl CheckedDecoder {
    /// The decoded bytes; `input` itself exactly where nothing changes; or what is wrong with it.
    ///
    /// # Panics
    /// As `Vec` does, where memory cannot be had; [`try_decode`](Self::try_decode) does not.
    #[cfg(feature = "alloc")]
    pub fn decode<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, [u8]>, DecodeError> {
        sink::infallible(self.try_decode(input))
    }

    /// The same, or why the bytes could not be stored.
    #[cfg(feature = "alloc")]
    pub fn try_decode<'a, I: AsBytes + ?Sized>(
        &self,
        input: &'a I,
    ) -> Result<Result<Cow<'a, [u8]>, DecodeError>, TryReserveError> {
        let (bytes, outcome) = self.0.cow(input.as_bytes())?;
        Ok(outcome.error.map_or(Ok(bytes), Err))
    }

    /// The decoded text; `input` itself exactly where nothing changes; or what is wrong with it.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_utf8<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        sink::infallible(self.0.text(input.as_bytes()))
    }

    /// The decoded text, with U+FFFD for every maximal ill-formed part; or which escape is wrong.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_utf8_lossy<'a, I: AsBytes + ?Sized>(&self, input: &'a I) -> Result<Cow<'a, str>, DecodeError> {
        let src = input.as_bytes();
        match sink::short_text(self.0.for_input(src), src) {
            Some(text) => Ok(text),
            None => Ok(self.0.lossy(self.decode(src)?)),
        }
    }

    /// Appends the decoded bytes to `out`; how many those are; or what is wrong, in which case `out` is as it was.
    ///
    /// # Panics
    /// As `Vec` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_into<I: AsBytes + ?Sized>(&self, input: &I, out: &mut Vec<u8>) -> Result<usize, DecodeError> {
        let (src, before) = (input.as_bytes(), out.len());
        let outcome = sink::infallible(sink::append(self.0.for_input(src), src, out));
        match outcome.error {
            None => Ok(outcome.written),
            Some(error) => {
                out.truncate(before);
                Err(error)
            }
        }
    }

    /// Appends the decoded text to `out`; how many bytes that is; or what is wrong, in which case `out` is as it was.
    ///
    /// # Panics
    /// As `String` does, where memory cannot be had.
    #[cfg(feature = "alloc")]
    pub fn decode_into_string<I: AsBytes + ?Sized>(&self, input: &I, out: &mut String) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        sink::infallible(sink::append_text(self.0.for_input(src), src, out))
    }

    /// Writes the decoded bytes to the front of `out`; those bytes, or what is wrong with the input, or how much room
    /// they need. After an error what `out` holds is unspecified.
    pub fn decode_slice<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [u8],
    ) -> Result<&'o mut [u8], DecodeSliceError> {
        let src = input.as_bytes();
        let (decoded, outcome) = sink::slice_init(self.0.for_input(src), src, out)?;
        outcome.error.map_or(Ok(decoded), |error| Err(error.into()))
    }

    /// The same into memory that need not be initialised.
    pub fn decode_uninit<'o, I: AsBytes + ?Sized>(
        &self,
        input: &I,
        out: &'o mut [MaybeUninit<u8>],
    ) -> Result<&'o mut [u8], DecodeSliceError> {
        let src = input.as_bytes();
        let (decoded, outcome) = sink::slice(self.0.for_input(src), src, out)?;
        outcome.error.map_or(Ok(decoded), |error| Err(error.into()))
    }

    /// Decodes `buffer` into its own front; the decoded bytes, or what is wrong. After an error the part of the buffer
    /// before the offset has been decoded already.
    pub fn decode_in_place<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], DecodeError> {
        let outcome = self.0.in_place(buffer);
        match outcome.error {
            None => Ok(&mut buffer[..outcome.written]),
            Some(error) => Err(error),
        }
    }

    /// Decodes a vector where it stands, or says what is wrong.
    #[cfg(feature = "alloc")]
    pub fn decode_vec(&self, mut vec: Vec<u8>) -> Result<Vec<u8>, DecodeError> {
        let written = self.decode_in_place(&mut vec)?.len();
        vec.truncate(written);
        Ok(vec)
    }

    /// Decodes a string where it stands, or says what is wrong.
    #[cfg(feature = "alloc")]
    pub fn decode_string(&self, string: String) -> Result<String, DecodeError> {
        let mut vec = string.into_bytes();
        let written = sink::text_in_place(self.0.for_input(&vec), &mut vec)?;
        vec.truncate(written);
        // SAFETY: what is left was found to be UTF-8.
        Ok(unsafe { sink::text(vec) })
    }

    /// Writes the decoded bytes to `out`; how many those are. What is wrong with the input comes as an error of the
    /// kind `InvalidData` with the [`DecodeError`] inside; what precedes it has been written. Nothing is allocated but
    /// for that error.
    #[cfg(feature = "std")]
    pub fn decode_io<I: AsBytes + ?Sized>(&self, input: &I, out: &mut (impl io::Write + ?Sized)) -> io::Result<u64> {
        let src = input.as_bytes();
        let (written, error) = sink::pieces(self.0.for_input(src), src, |piece| out.write_all(piece))?;
        match error {
            None => Ok(written),
            Some(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
    }

    /// Exactly how many bytes the decoded form has, or what is wrong with the input.
    pub fn decoded_len<I: AsBytes + ?Sized>(&self, input: &I) -> Result<usize, DecodeError> {
        let src = input.as_bytes();
        let decoding = self.0.for_input(src);
        let (triplets, scanned) = decoding.count(src);
        let error = if scanned.stopped_at < src.len() { decoding.error_at(src, scanned.stopped_at) } else { None };
        error.map_or(Ok(scanned.stopped_at - 2 * triplets), Err)
    }

    /// What is wrong with `input`, if anything is; its bytes are not looked at as text.
    pub fn check<I: AsBytes + ?Sized>(&self, input: &I) -> Result<(), DecodeError> {
        self.decoded_len(input).map(|_| ())
    }
}

/// Decoded bytes in pieces, without allocation. Made by [`Decoder::pieces`].
///
/// As an iterator: each run that stays, borrowed from the input, and each byte that a triplet, or a `+`, stands for.
#[derive(Clone, Debug)]
pub struct DecodePieces<'a> {
    options: DecodeOptions,
    plus: PlusStart,
    rest: &'a [u8],
}

/// Every byte, to borrow one from.
static OCTETS: [u8; 256] = {
    let mut octets = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        octets[byte] = byte as u8;
        byte += 1;
    }
    octets
};

impl<'a> Iterator for DecodePieces<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let changed = self.options.with_pluses(self.plus).first(self.rest).0;
        let start = changed.map_or(self.rest.len(), |at| sink::item_start(self.rest, at));
        let (read, piece) = match (start, kernel::triplet(self.rest, 0)) {
            (0, Some(octet)) if changed == Some(0) => (3, &OCTETS[octet as usize..][..1]),
            // Only its digits change: a triplet that is kept.
            (0, Some(octet)) => (3, &tables::UPPER.triplet(octet)[..]),
            (0, None) => (1, &b" "[..]),
            (run, _) => (run, &self.rest[..run]),
        };
        self.rest = &self.rest[read..];
        self.plus = self.plus.advanced(read);
        Some(piece)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (usize::from(!self.rest.is_empty()), Some(self.rest.len()))
    }
}

impl core::iter::FusedIterator for DecodePieces<'_> {}
