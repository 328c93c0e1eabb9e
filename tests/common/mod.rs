//! What every suite shares: the naive oracle, which shares nothing with the crate but the names of its types, and
//! inputs.
#![allow(dead_code)]

use std::borrow::Cow;
use std::iter::FusedIterator;

use percent_simd::{
    ByteSet, CheckedDecoder, DecodeError, DecodeErrorKind, DecodeSliceError, Decoder, Engine, Plus, RawEncoder,
};

/// Whether to do about a twentieth of everything, for emulators: `PERCENT_SIMD_THIN=1`, at run time or at compile time.
pub fn thin() -> bool {
    let says_so = |value: &str| !matches!(value, "" | "0");
    option_env!("PERCENT_SIMD_THIN").is_some_and(says_so)
        || std::env::var("PERCENT_SIMD_THIN").is_ok_and(|v| says_so(&v))
}

/// `n`, or a twentieth of it.
pub fn scale(n: usize) -> usize {
    if thin() { n.div_ceil(20) } else { n }
}

/// `items`, or each twentieth of them from one that differs from `phase` to `phase`.
pub fn thinned<T>(items: impl Iterator<Item = T>, phase: usize) -> impl Iterator<Item = T> {
    let step = if thin() { 20 } else { 1 };
    items.skip(phase % step).step_by(step)
}

/// What is left lies within the bounds that an iterator tells, at each of its items; at its end, which is one, both are 0.
#[track_caller]
pub fn assert_size_hints<I: FusedIterator + Clone>(mut items: I) {
    loop {
        let (least, most) = items.size_hint();
        let (most, left) = (most.expect("an upper bound"), items.clone().count());
        assert!(least <= left && left <= most, "{least}..={most} of {left}");
        if items.next().is_none() {
            break;
        }
    }
    assert!(items.next().is_none());
    assert_eq!(items.size_hint(), (0, Some(0)));
}

/// Every engine that runs here.
pub fn engines() -> Vec<&'static Engine> {
    Engine::available().collect()
}

/// Whether `set` has `byte`, told from its words.
fn has(set: ByteSet, octet: u8) -> bool {
    let [a, b, c, d] = set.words();
    let word = match octet {
        0..64 => a,
        64..128 => b,
        128..192 => c,
        _ => d,
    };
    word & (1 << (octet % 64)) != 0
}

fn hex_digit(value: u8, lower: bool) -> u8 {
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

/// The byte that the triplet at the start of `input` stands for.
pub fn octet(input: &[u8]) -> Option<u8> {
    match *input {
        [b'%', high, low, ..] => Some(16 * hex_value(high)? + hex_value(low)?),
        _ => None,
    }
}

/// Offset of the first byte of the item `from` that is not the same in `to`, if it is not all the same.
fn differs(from: &[u8], to: &[u8]) -> Option<usize> {
    if from.len() != to.len() {
        return Some(0);
    }
    (0..from.len()).find(|&i| from[i] != to[i])
}

/// Encoding, one byte at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encode {
    pub allowed: ByteSet,
    pub lower: bool,
    pub plus: bool,
    pub keep: bool,
}

impl Encode {
    pub const fn new(allowed: ByteSet) -> Encode {
        Encode { allowed, lower: false, plus: false, keep: false }
    }

    /// Tells `each` of every item of the input, and of what it becomes, until it returns `false`.
    fn walk(self, input: &[u8], mut each: impl FnMut(usize, &[u8], &[u8]) -> bool) {
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            let triplet = [b'%', hex_digit(byte / 16, self.lower), hex_digit(byte % 16, self.lower)];
            let (read, piece) = if self.keep && octet(&input[i..]).is_some() {
                (3, &input[i..i + 3])
            } else if self.plus && byte == b' ' {
                (1, &b"+"[..])
            } else if has(self.allowed, byte) && !(self.keep && byte == b'%') {
                (1, &input[i..=i])
            } else {
                (1, &triplet[..])
            };
            if !each(i, &input[i..i + read], piece) {
                return;
            }
            i += read;
        }
    }

    pub fn run(self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(3 * input.len());
        self.walk(input, |_, _, piece| {
            out.extend_from_slice(piece);
            true
        });
        out
    }

    pub fn first_changed(self, input: &[u8]) -> Option<usize> {
        let mut first = None;
        self.walk(input, |at, from, to| {
            first = differs(from, to).map(|i| at + i);
            first.is_none()
        });
        first
    }

    /// Whether the result is ASCII for any input.
    pub fn is_ascii(self) -> bool {
        let [_, _, c, d] = self.allowed.words();
        c == 0 && d == 0
    }

    /// The encoder under test that should do the same.
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

/// Decoding, one byte at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decode {
    pub strict: bool,
    pub plus_always: bool,
    pub plus_after_query: bool,
    pub keep: ByteSet,
    pub upper: bool,
    pub reject: ByteSet,
}

pub const LENIENT: Decode = Decode {
    strict: false,
    plus_always: false,
    plus_after_query: false,
    keep: ByteSet::EMPTY,
    upper: false,
    reject: ByteSet::EMPTY,
};

pub const STRICT: Decode = Decode { strict: true, ..LENIENT };

/// An error as the oracle tells it: offset in the input, and kind.
pub type Fault = (usize, DecodeErrorKind);

#[derive(Debug, Default)]
pub struct Decoded {
    pub out: Vec<u8>,
    /// For each byte of `out`, where in the input it comes from.
    pub from: Vec<usize>,
    pub malformed: Option<usize>,
    pub error: Option<Fault>,
    pub first_changed: Option<usize>,
}

impl Decoded {
    /// As text: of all that is wrong, what is first in the input.
    pub fn text(&self) -> Result<&str, Fault> {
        match std::str::from_utf8(&self.out) {
            Err(error) => Err((self.from[error.valid_up_to()], DecodeErrorKind::InvalidUtf8)),
            Ok(text) => self.error.map_or(Ok(text), Err),
        }
    }

    pub fn result(&self) -> Result<&[u8], Fault> {
        self.error.map_or(Ok(&self.out), Err)
    }
}

pub fn fault(error: DecodeError) -> Fault {
    (error.offset, error.kind)
}

impl Decode {
    pub fn run(self, input: &[u8]) -> Decoded {
        let mut d = Decoded {
            out: Vec::with_capacity(input.len()),
            from: Vec::with_capacity(input.len()),
            ..Decoded::default()
        };
        let mut query = false;
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            query |= byte == b'?';
            let mut piece = [byte, 0, 0];
            let (mut read, mut len) = (1, 1);
            match octet(&input[i..]) {
                Some(octet) if has(self.keep, octet) => {
                    (read, len) = (3, 3);
                    piece.copy_from_slice(&input[i..i + 3]);
                    if self.upper {
                        piece = [b'%', hex_digit(octet / 16, false), hex_digit(octet % 16, false)];
                    }
                }
                Some(octet) if has(self.reject, octet) => {
                    d.error = Some((i, DecodeErrorKind::Rejected(octet)));
                    return d;
                }
                Some(octet) => (read, piece[0]) = (3, octet),
                None if byte == b'%' => {
                    d.malformed = d.malformed.or(Some(i));
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
            for &octet in &piece[..len] {
                d.out.push(octet);
                d.from.push(i);
            }
            i += read;
        }
        d
    }

    /// Whether an error can come of it.
    pub fn is_checked(self) -> bool {
        self.strict || self.reject != ByteSet::EMPTY
    }

    /// The decoder under test that should do the same, but for `strict` and `reject`.
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

    /// The decoder under test that should do the same.
    pub fn decoder(self, engine: &'static Engine) -> AnyDecoder {
        let lenient = self.lenient(engine);
        match (self.strict, self.reject == ByteSet::EMPTY) {
            (false, true) => AnyDecoder::Lenient(lenient),
            (true, true) => AnyDecoder::Checked(lenient.strict()),
            (false, false) => AnyDecoder::Checked(lenient.reject(self.reject)),
            (true, false) => AnyDecoder::Checked(lenient.strict().reject(self.reject)),
        }
    }

    /// The same as a decoder that checks, even if there is nothing to check.
    pub fn checked(self, engine: &'static Engine) -> CheckedDecoder {
        match self.decoder(engine) {
            AnyDecoder::Lenient(decoder) => decoder.reject(ByteSet::EMPTY),
            AnyDecoder::Checked(decoder) => decoder,
        }
    }
}

/// Either decoder, so that suites need not tell them apart.
#[derive(Clone, Copy, Debug)]
pub enum AnyDecoder {
    Lenient(Decoder),
    Checked(CheckedDecoder),
}

impl AnyDecoder {
    pub fn decode<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, [u8]>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode(input)),
            AnyDecoder::Checked(decoder) => decoder.decode(input).map_err(fault),
        }
    }

    pub fn utf8<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, str>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.decode_utf8(input),
            AnyDecoder::Checked(decoder) => decoder.decode_utf8(input),
        }
        .map_err(fault)
    }

    pub fn lossy<'a>(&self, input: &'a [u8]) -> Result<Cow<'a, str>, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_utf8_lossy(input)),
            AnyDecoder::Checked(decoder) => decoder.decode_utf8_lossy(input).map_err(fault),
        }
    }

    pub fn slice(&self, input: &[u8], out: &mut [u8]) -> Result<usize, DecodeSliceError> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_slice(input, out)?.len()),
            AnyDecoder::Checked(decoder) => Ok(decoder.decode_slice(input, out)?.len()),
        }
    }

    pub fn in_place<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b mut [u8], Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decode_in_place(buffer)),
            AnyDecoder::Checked(decoder) => decoder.decode_in_place(buffer).map_err(fault),
        }
    }

    pub fn string(&self, string: String) -> Result<String, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.decode_string(string),
            AnyDecoder::Checked(decoder) => decoder.decode_string(string),
        }
        .map_err(fault)
    }

    pub fn decoded_len(&self, input: &[u8]) -> Result<usize, Fault> {
        match self {
            AnyDecoder::Lenient(decoder) => Ok(decoder.decoded_len(input)),
            AnyDecoder::Checked(decoder) => decoder.decoded_len(input).map_err(fault),
        }
    }

    pub fn first_changed(&self, input: &[u8]) -> Option<usize> {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.first_changed(input),
            AnyDecoder::Checked(decoder) => decoder.first_changed(input),
        }
    }

    pub fn stream(&self) -> percent_simd::DecodeStream {
        match self {
            AnyDecoder::Lenient(decoder) => decoder.stream(),
            AnyDecoder::Checked(decoder) => decoder.stream(),
        }
    }
}

/// RFC 3986 2.3, said here once more.
pub const UNRESERVED: ByteSet = ByteSet::of(b"-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
/// A set without rhyme or reason: about half of all bytes, space and `a` among them, `%` and `+` not.
pub const ODD: ByteSet =
    ByteSet::from_words([0x2B8E_5A11_9C3D_F04D, 0x93C6_D21A_7E05_B84E, 0xE15C_3A97_0F62_D8B4, 0x5D29_A6F3_C18E_7043]);

/// Encodings that between them use every option and every kind of set.
pub fn encodings() -> Vec<Encode> {
    let plain = Encode::new(UNRESERVED);
    let ascii = ByteSet::range(0, 0x7F);
    vec![
        plain,
        Encode { lower: true, ..plain },
        Encode { plus: true, ..plain },
        Encode { keep: true, ..plain },
        Encode { lower: true, plus: true, keep: true, ..plain },
        Encode::new(ByteSet::EMPTY),
        Encode::new(ascii),
        Encode { keep: true, ..Encode::new(ascii) },
        Encode::new(ODD),
        Encode { plus: true, keep: true, ..Encode::new(!ODD) },
        Encode::new(ByteSet::ALL.without(b'%')),
        Encode { keep: true, ..Encode::new(ByteSet::ALL) },
    ]
}

/// Decodings that between them use every option.
pub fn decodings() -> Vec<Decode> {
    let few = ByteSet::of(b"\0\n\r\xFF");
    vec![
        LENIENT,
        STRICT,
        Decode { plus_always: true, ..LENIENT },
        Decode { plus_after_query: true, strict: true, ..LENIENT },
        Decode { keep: ODD, ..LENIENT },
        Decode { keep: !UNRESERVED, upper: true, ..LENIENT },
        Decode { keep: !ODD, upper: true, plus_always: true, strict: true, ..LENIENT },
        Decode { reject: few, ..LENIENT },
        Decode { reject: few, keep: ByteSet::of(b"/%\n"), upper: true, plus_always: true, ..STRICT },
        Decode { keep: ByteSet::ALL, upper: true, ..LENIENT },
    ]
}

/// A buffer that tells when something is written outside of the part that was given out.
pub struct Canary(Vec<u8>);

impl Canary {
    const BEFORE: usize = 64;
    const AFTER: usize = 384;
    const BIRD: [u8; Self::AFTER] = [0xA5; Self::AFTER];

    pub fn new(most: usize) -> Canary {
        Canary(vec![0xA5; Self::BEFORE + most + Self::AFTER])
    }

    /// What `write` makes of exactly `n` bytes.
    #[track_caller]
    pub fn lend<R>(&mut self, n: usize, write: impl FnOnce(&mut [u8]) -> R) -> R {
        let end = Self::BEFORE + n;
        self.0[end..end + Self::AFTER].fill(0xA5);
        let result = write(&mut self.0[Self::BEFORE..end]);
        assert!(self.0[..Self::BEFORE] == Self::BIRD[..Self::BEFORE], "written before the front of {n}");
        assert!(self.0[end..end + Self::AFTER] == Self::BIRD, "written past the end of {n}");
        result
    }

    pub fn written(&self, n: usize) -> &[u8] {
        &self.0[Self::BEFORE..Self::BEFORE + n]
    }
}

/// For messages: bytes as text, as far as they are.
pub fn show(octets: &[u8]) -> String {
    octets.escape_ascii().to_string()
}

/// A small generator for inputs, so that suites need no more than the crate (xorshift64*).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn set(&mut self) -> ByteSet {
        let words = [self.next(), self.next(), self.next(), self.next()];
        match self.below(4) {
            0 => ByteSet::from_words([words[0], words[1], 0, 0]),
            1 => ByteSet::from_words(words.map(|word| word & self.next())),
            2 => ByteSet::from_words(words.map(|word| word | self.next())),
            _ => ByteSet::from_words(words),
        }
    }

    pub fn encode(&mut self) -> Encode {
        let allowed = self.set();
        if self.one_in(3) {
            return Encode::new(allowed & ByteSet::range(0, 0x7F));
        }
        Encode { allowed, lower: self.one_in(2), plus: self.one_in(4), keep: self.one_in(3) }
    }

    pub fn decode(&mut self) -> Decode {
        let strict = self.one_in(6);
        if self.one_in(2) {
            return Decode { strict, ..LENIENT };
        }
        let plus = self.below(4);
        let keep = if self.one_in(2) { self.set() } else { ByteSet::EMPTY };
        let mut reject = ByteSet::EMPTY;
        if self.one_in(6) {
            reject = self.set() & self.set() & self.set() & self.set() & self.set();
        }
        let (plus_always, plus_after_query) = (plus == 0, plus == 1);
        Decode { strict, plus_always, plus_after_query, keep, upper: self.one_in(2), reject }
    }

    /// `n` bytes that look like trouble: escapes whole, cut, malformed and nested, pluses, runs of text, UTF-8 whole
    /// and torn.
    pub fn hostile(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(n + 12);
        let density = [1, 3, 10, 40, 200][self.below(5)];
        let text = self.one_in(2);
        while out.len() < n {
            if !self.one_in(density) {
                out.push(b"abcXYZ019/?+ &=~"[self.below(16)]);
                continue;
            }
            match self.below(14) {
                0 => out.push(b'%'),
                1 => out.extend(b"%%"),
                2 => out.extend([b'%', b"0aFgG%"[self.below(6)]]),
                3 => out.extend(b"%25"),
                4 if text => out.push(self.next() as u8 & 0x7F),
                4 => out.push(self.next() as u8),
                5 => out.push(b'+'),
                6 => out.extend([b'%', b"/:@G`g09afAF"[self.below(12)], b"/:@G`g09afAF"[self.below(12)]]),
                7 => out.extend(b"%E2%82%AC"),
                8 => out.extend("é€\u{10FFFF}\u{D7FF}\u{E000}ж".bytes()),
                9 => {
                    let cut = if text { 0 } else { self.below(3) };
                    let character = char::from_u32(self.next() as u32 % 0x11_0000).unwrap_or('\u{FFFD}');
                    let mut utf8 = [0; 4];
                    let utf8 = character.encode_utf8(&mut utf8).as_bytes();
                    for &byte in &utf8[..utf8.len() - cut.min(utf8.len() - 1)] {
                        out.extend([b'%', hex_digit(byte / 16, cut == 1), hex_digit(byte % 16, cut == 1)]);
                    }
                }
                _ => {
                    let byte = if text { self.next() as u8 & 0x7F } else { self.next() as u8 };
                    let lower = self.one_in(2);
                    out.extend([b'%', hex_digit(byte / 16, lower), hex_digit(byte % 16, lower)]);
                }
            }
        }
        while text && std::str::from_utf8(&out[..n]).is_err() {
            // Whole characters only: those that are above ASCII here came from text.
            out[n - 1] = b'a';
            let valid = std::str::from_utf8(&out[..n]).map_or_else(|error| error.valid_up_to(), str::len);
            out[valid..n].fill(b'a');
        }
        out.truncate(n);
        out
    }
}
