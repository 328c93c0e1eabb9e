//! The oracle: encodes and decodes one byte at a time, as the standards describe it. From the library it uses only types, not
//! functions.

use std::borrow::Cow;

use percent_simd::{
    ByteSet, CheckedDecoder, DecodeError, DecodeErrorKind, DecodeStream, Decoder, Engine, Plus, RawEncoder, SliceError,
};

/// Returns true if `set` has `byte`. Tests a bit of the set's words, so that a fault in the library's `contains` can't hide
/// here.
pub fn has(set: ByteSet, byte: u8) -> bool {
    let [a, b, c, d] = set.words();
    let word = match byte {
        0..64 => a,
        64..128 => b,
        128..192 => c,
        _ => d,
    };
    word & (1 << (byte % 64)) != 0
}

/// Returns the hexadecimal digit of `value`.
pub fn hex_digit(value: u8, lower: bool) -> u8 {
    match value {
        0..10 => b'0' + value,
        _ if lower => b'a' + (value - 10),
        _ => b'A' + (value - 10),
    }
}

fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Returns the byte that the triplet at the start of `input` decodes to, or `None` if no triplet starts there.
pub fn triplet(input: &[u8]) -> Option<u8> {
    match *input {
        [b'%', high, low, ..] => Some(16 * hex_value(high)? + hex_value(low)?),
        _ => None,
    }
}

/// Compares an item of the input with its output. Returns the offset of the first byte that differs, or 0 if the lengths
/// differ, or `None` if the two are equal.
fn differs(from: &[u8], to: &[u8]) -> Option<usize> {
    if from.len() != to.len() {
        return Some(0);
    }
    (0..from.len()).find(|&i| from[i] != to[i])
}

/// The oracle for encoders, with all their options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encode {
    /// Bytes that stay.
    pub allowed: ByteSet,
    /// Writes digits in lower case.
    pub lower: bool,
    /// A space becomes `+`.
    pub plus: bool,
    /// Triplets of the input stay as they are.
    pub keep: bool,
}

impl Encode {
    /// Creates an encoder that escapes all bytes outside of `allowed`.
    pub const fn new(allowed: ByteSet) -> Encode {
        Encode { allowed, lower: false, plus: false, keep: false }
    }

    /// Calls `each` for every item (a byte or a kept triplet) with its offset, its bytes and their encoding. Stops if `each`
    /// returns `false`.
    fn walk(self, input: &[u8], mut each: impl FnMut(usize, &[u8], &[u8]) -> bool) {
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            let encoded = [b'%', hex_digit(byte / 16, self.lower), hex_digit(byte % 16, self.lower)];
            let (read, piece) = if self.keep && triplet(&input[i..]).is_some() {
                (3, &input[i..i + 3])
            } else if self.plus && byte == b' ' {
                (1, &b"+"[..])
            } else if has(self.allowed, byte) && !(self.keep && byte == b'%') {
                (1, &input[i..=i])
            } else {
                (1, &encoded[..])
            };
            if !each(i, &input[i..i + read], piece) {
                return;
            }
            i += read;
        }
    }

    /// Encodes `input`.
    pub fn run(self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(3 * input.len());
        self.walk(input, |_, _, piece| {
            out.extend_from_slice(piece);
            true
        });
        out
    }

    /// Returns the offset of the first byte that encoding changes, or `None` if it changes no byte.
    pub fn first_changed(self, input: &[u8]) -> Option<usize> {
        let mut first = None;
        self.walk(input, |at, from, to| {
            first = differs(from, to).map(|i| at + i);
            first.is_none()
        });
        first
    }

    /// Returns true if the output is ASCII for every input.
    pub fn is_ascii(self) -> bool {
        let [_, _, c, d] = self.allowed.words();
        c == 0 && d == 0
    }

    /// Returns the library's encoder with the same options.
    pub fn encoder(self, engine: &'static Engine) -> RawEncoder {
        let mut encoder = RawEncoder::new(self.allowed).with_engine(engine);
        if self.lower {
            encoder = encoder.lowercase();
        }
        if self.plus {
            encoder = encoder.space_to_plus();
        }
        if self.keep {
            encoder = encoder.keep_triplets();
        }
        encoder
    }
}

/// The oracle for decoders, with all their options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decode {
    /// A malformed `%` is an error.
    pub strict: bool,
    /// A `+` is a space.
    pub plus_always: bool,
    /// A `+` after the first `?` is a space.
    pub plus_after_query: bool,
    /// Triplets of these bytes stay.
    pub keep: ByteSet,
    /// Writes the digits of kept triplets in upper case.
    pub upper: bool,
    /// If a triplet of one of these bytes isn't kept, it is an error.
    pub reject: ByteSet,
}

/// The default options: every triplet is decoded, and all other bytes are copied.
pub const LENIENT: Decode = Decode {
    strict: false,
    plus_always: false,
    plus_after_query: false,
    keep: ByteSet::EMPTY,
    upper: false,
    reject: ByteSet::EMPTY,
};

/// The options of [`LENIENT`], except that a malformed `%` is an error.
pub const STRICT: Decode = Decode { strict: true, ..LENIENT };

/// The offset of an error in the input, and its kind.
pub type Fault = (usize, DecodeErrorKind);

/// The result of decoding.
#[derive(Debug, Default)]
pub struct Decoded {
    /// The output, up to an error.
    pub out: Vec<u8>,
    /// For each byte of `out`, the offset in the input at which its item begins. An item is a triplet or a byte.
    pub from: Vec<usize>,
    /// The offset of the first `%` that starts no triplet.
    pub malformed: Option<usize>,
    /// The error that ended decoding.
    pub error: Option<Fault>,
    /// The offset of the first byte of the input that decoding changes.
    pub first_changed: Option<usize>,
}

impl Decoded {
    /// Returns the output as text. If there are several errors, returns the one that is first in the input.
    ///
    /// # Errors
    /// Returns the error that ended decoding, or an error if the output is not UTF-8.
    pub fn text(&self) -> Result<&str, Fault> {
        match std::str::from_utf8(&self.out) {
            Err(error) => Err((self.from[error.valid_up_to()], DecodeErrorKind::InvalidUtf8)),
            Ok(text) => self.error.map_or(Ok(text), Err),
        }
    }

    /// Returns the result of decoding an input in two parts: `self` is the result of the first `len` bytes, and `rest` is the
    /// result of the other bytes. The first part must end with a whole item, and the options must not include `plus_after_query`.
    ///
    /// # Panics
    /// Panics if the first part has an error.
    #[must_use]
    pub fn then(&self, rest: &Decoded, len: usize) -> Decoded {
        assert_eq!(self.error, None, "an error in the first part");
        let after = |at: usize| len + at;
        Decoded {
            out: [&self.out[..], &rest.out].concat(),
            from: self.from.iter().copied().chain(rest.from.iter().copied().map(after)).collect(),
            malformed: self.malformed.or(rest.malformed.map(after)),
            error: rest.error.map(|(at, kind)| (after(at), kind)),
            first_changed: self.first_changed.or(rest.first_changed.map(after)),
        }
    }

    /// Returns the output.
    ///
    /// # Errors
    /// Returns the error that ended decoding.
    pub fn result(&self) -> Result<&[u8], Fault> {
        self.error.map_or(Ok(&self.out), Err)
    }
}

/// Returns the library's error as a [`Fault`].
pub fn fault(error: DecodeError) -> Fault {
    (error.offset, error.kind)
}

impl Decode {
    /// Returns true if latent triplets stay. A latent triplet is a malformed `%` that becomes a triplet if the triplets after
    /// it are decoded.
    pub fn keeps_latent(self) -> bool {
        !self.strict && has(self.keep, b'%')
    }

    /// If the `%` at `at` starts a latent triplet, returns the end of this latent triplet. Otherwise returns `None`.
    fn latent_end(self, input: &[u8], at: usize) -> Option<usize> {
        let mut end = at + 1;
        for _ in 0..2 {
            end += match triplet(&input[end..]) {
                Some(byte) => {
                    let stays = has(self.keep, byte) || has(self.reject, byte);
                    hex_value(byte).filter(|_| !stays).map(|_| 3)?
                }
                None => hex_value(*input.get(end)?).map(|_| 1)?,
            };
        }
        Some(end)
    }

    /// Decodes `input`.
    pub fn run(self, input: &[u8]) -> Decoded {
        self.run_with_latent(input, self.keeps_latent())
    }

    /// Decodes `input`, and keeps latent triplets only if `keeps_latent` is true.
    pub fn run_with_latent(self, input: &[u8], keeps_latent: bool) -> Decoded {
        let mut d = Decoded {
            out: Vec::with_capacity(input.len()),
            from: Vec::with_capacity(input.len()),
            ..Decoded::default()
        };
        let mut query = false;
        let mut latent_end = 0;
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            query |= byte == b'?';
            if i < latent_end {
                d.out.push(byte);
                d.from.push(i);
                i += 1;
                continue;
            }
            let mut piece = [byte, 0, 0];
            let (mut read, mut len) = (1, 1);
            match triplet(&input[i..]) {
                Some(byte) if has(self.keep, byte) => {
                    (read, len) = (3, 3);
                    piece.copy_from_slice(&input[i..i + 3]);
                    if self.upper {
                        piece = [b'%', hex_digit(byte / 16, false), hex_digit(byte % 16, false)];
                    }
                }
                Some(byte) if has(self.reject, byte) => {
                    d.error = Some((i, DecodeErrorKind::Rejected(byte)));
                    return d;
                }
                Some(byte) => (read, piece[0]) = (3, byte),
                None if byte == b'%' => {
                    d.malformed = d.malformed.or(Some(i));
                    latent_end = self.latent_end(input, i).filter(|_| keeps_latent).unwrap_or(0);
                    if self.strict {
                        let kind = match input[i + 1..] {
                            [] => DecodeErrorKind::Truncated,
                            [digit] if hex_value(digit).is_some() => DecodeErrorKind::Truncated,
                            _ => DecodeErrorKind::NotHex,
                        };
                        d.error = Some((i, kind));
                        return d;
                    }
                }
                None if byte == b'+' && (self.plus_always || self.plus_after_query && query) => piece[0] = b' ',
                None => len = 1,
            }
            if d.first_changed.is_none() {
                d.first_changed = differs(&input[i..i + read], &piece[..len]).map(|at| i + at);
            }
            for &byte in &piece[..len] {
                d.out.push(byte);
                d.from.push(i);
            }
            i += read;
        }
        d
    }

    /// Returns true if the options allow errors.
    pub fn is_checked(self) -> bool {
        self.strict || self.reject != ByteSet::EMPTY
    }

    /// Returns the library's decoder with the same options except `strict` and `reject`.
    pub fn lenient(self, engine: &'static Engine) -> Decoder {
        let mut decoder = Decoder::new().with_engine(engine);
        if self.plus_always {
            decoder = decoder.plus(Plus::Always);
        } else if self.plus_after_query {
            decoder = decoder.plus(Plus::AfterQuery);
        }
        match (self.keep == ByteSet::EMPTY, self.upper) {
            (true, _) => decoder,
            (false, true) => decoder.keep_upper(self.keep),
            (false, false) => decoder.keep(self.keep),
        }
    }

    /// Returns the library's decoder with the same options.
    pub fn decoder(self, engine: &'static Engine) -> AnyDecoder {
        let lenient = self.lenient(engine);
        match (self.strict, self.reject == ByteSet::EMPTY) {
            (false, true) => AnyDecoder::Lenient(lenient),
            (true, true) => AnyDecoder::Checked(lenient.strict()),
            (false, false) => AnyDecoder::Checked(lenient.reject(self.reject)),
            (true, false) => AnyDecoder::Checked(lenient.strict().reject(self.reject)),
        }
    }

    /// Returns the library's decoder as a `CheckedDecoder`, even if the options allow no error.
    pub fn checked(self, engine: &'static Engine) -> CheckedDecoder {
        match self.decoder(engine) {
            AnyDecoder::Lenient(decoder) => decoder.reject(ByteSet::EMPTY),
            AnyDecoder::Checked(decoder) => decoder,
        }
    }
}

/// A `Decoder` or a `CheckedDecoder`, so that suites needn't distinguish them. Each method calls the decoder's method of the
/// same or a similar name.
#[derive(Clone, Copy, Debug)]
pub enum AnyDecoder {
    /// A decoder that can't fail.
    Lenient(Decoder),
    /// A decoder that can fail.
    Checked(CheckedDecoder),
}

impl AnyDecoder {
    /// Calls the decoder's `decode`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn decode<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode(input)),
            AnyDecoder::Checked(decoder) => decoder.decode(input).map_err(fault),
        }
    }

    /// Calls the decoder's `decode_utf8`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn utf8<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, str>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.decode_utf8(input),
            AnyDecoder::Checked(decoder) => decoder.decode_utf8(input),
        }
        .map_err(fault)
    }

    /// Calls the decoder's `decode_utf8_lossy`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn lossy<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, str>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_utf8_lossy(input)),
            AnyDecoder::Checked(decoder) => decoder.decode_utf8_lossy(input).map_err(fault),
        }
    }

    /// Calls the decoder's `decode_slice`, and returns the length of the result.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn slice(&self, input: &[u8], out: &mut [u8]) -> Result<usize, SliceError<DecodeError>> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_slice(input, out)?.len()),
            AnyDecoder::Checked(decoder) => Ok(decoder.decode_slice(input, out)?.len()),
        }
    }

    /// Calls the decoder's `decode_in_place`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn in_place<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_in_place(buffer)),
            AnyDecoder::Checked(decoder) => decoder.decode_in_place(buffer).map_err(fault),
        }
    }

    /// Calls the decoder's `decode_string`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn string(&self, mut string: String) -> Result<String, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.decode_string(&mut string),
            AnyDecoder::Checked(decoder) => decoder.decode_string(&mut string),
        }
        .map_err(fault)?;
        Ok(string)
    }

    /// Calls the decoder's `decoded_len`.
    ///
    /// # Errors
    /// Returns the error of the call.
    pub fn decoded_len(&self, input: &[u8]) -> Result<usize, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decoded_len(input)),
            AnyDecoder::Checked(decoder) => decoder.decoded_len(input).map_err(fault),
        }
    }

    /// Calls the decoder's `first_changed`.
    pub fn first_changed(&self, input: &[u8]) -> Option<usize> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.first_changed(input),
            AnyDecoder::Checked(decoder) => decoder.first_changed(input),
        }
    }

    /// Calls the decoder's `stream`.
    pub fn stream(&self) -> DecodeStream {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.stream(),
            AnyDecoder::Checked(decoder) => decoder.stream(),
        }
    }
}
