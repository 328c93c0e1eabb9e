//! The generator of inputs.

use std::fmt;

use percent_simd_oracle::Random;

use crate::Op;

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Each byte is escaped with this probability, in percent, independently of all other bytes.
    Escaped(f64),
    /// Like `Escaped`, with at least one escape in every string.
    Dirty(f64),
    /// Words of Russian. Every letter has two bytes, and both bytes are escaped.
    Cyrillic,
    /// Every byte value with equal probability.
    Random,
    /// Runs of 1 to 256 bytes. In every second run, no byte is escaped. In the other runs, each byte is escaped with a
    /// probability of 30%.
    Runs,
    /// This text, repeated. Its escapes may be malformed.
    Repeat(&'static str),
}

/// The kinds in the tables.
pub const KINDS: [Kind; 9] = [
    Kind::Escaped(0.0),
    Kind::Escaped(0.1),
    Kind::Escaped(1.0),
    Kind::Escaped(3.0),
    Kind::Escaped(10.0),
    Kind::Escaped(30.0),
    Kind::Escaped(100.0),
    Kind::Cyrillic,
    Kind::Random,
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Escaped(0.0) => f.write_str("clean"),
            Kind::Escaped(percent) => write!(f, "{percent}%"),
            Kind::Dirty(percent) => write!(f, "{percent}% dirty"),
            Kind::Cyrillic => f.write_str("Cyrillic"),
            Kind::Random => f.write_str("random"),
            Kind::Runs => f.write_str("runs"),
            Kind::Repeat(text) => write!(f, "all {text}"),
        }
    }
}

/// The bytes that inputs contain.
struct Alphabet {
    plain: &'static [u8],
    escaped: &'static [u8],
    /// The byte between words.
    gap: u8,
}

/// The alphabet for contests of this library.
const ALL: Alphabet = Alphabet {
    plain: b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~",
    escaped: b" &?/=%\"<",
    gap: b' ',
};

/// The bytes that every peer encodes in the same way. The space is missing, because some peers write it as `+`. `!~*'()` are
/// missing, because some peers keep them and others escape them.
const PORTABLE: Alphabet = Alphabet {
    plain: b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._",
    escaped: b"&?/=%\"<#",
    gap: b'-',
};

impl Kind {
    /// Returns `count` different texts of `len` bytes that every peer encodes in the same way. If `is_encoded` is true,
    /// the texts are encoded.
    ///
    /// # Panics
    /// Panics if this kind is [`Kind::Random`], which isn't text.
    #[must_use]
    pub fn texts(self, is_encoded: bool, len: usize, count: usize) -> Vec<String> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        (0..count).map(|_| self.text(is_encoded, len, &mut random)).collect()
    }

    fn text(self, is_encoded: bool, len: usize, random: &mut Random) -> String {
        let raw = self.raw(len, &PORTABLE, random);
        String::from_utf8(if is_encoded { encoded(&raw, false) } else { raw }).expect("text")
    }

    /// Returns `count` forms of six pairs. The names and values of a form have about `len` bytes in total.
    ///
    /// # Panics
    /// Panics if this kind is [`Kind::Random`], which isn't text.
    #[must_use]
    pub fn forms(self, len: usize, count: usize) -> Vec<Vec<(String, String)>> {
        let mut random = Random(0xD1B5_4A32_D192_ED03);
        let mut part = |len: usize| {
            let len = len / 2 + random.below(len + 1);
            self.text(false, len, &mut random)
        };
        (0..count).map(|_| (0..6).map(|_| (part(len / 18), part(len / 9))).collect()).collect()
    }

    /// Returns `count` different strings of `len` bytes as inputs of `op`.
    #[must_use]
    pub fn strings(self, op: Op, len: usize, count: usize) -> Vec<Vec<u8>> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut string = || {
            let raw = self.raw(len, &ALL, &mut random);
            if op.decodes() && !matches!(self, Kind::Repeat(_)) { encoded(&raw, op == Op::DecodePlus) } else { raw }
        };
        let dirty = |string: &[u8]| match self {
            Kind::Dirty(_) if op.decodes() => string.contains(&b'%'),
            Kind::Dirty(_) => string.iter().any(|&byte| escapes(byte)),
            _ => true,
        };
        (0..count)
            .map(|_| std::iter::repeat_with(&mut string).find(|string| dirty(string)).unwrap_or_default())
            .collect()
    }

    fn raw(self, len: usize, alphabet: &Alphabet, random: &mut Random) -> Vec<u8> {
        let mut out = Vec::with_capacity(len);
        match self {
            Kind::Escaped(percent) | Kind::Dirty(percent) => {
                out.extend((0..len).map(|_| alphabet.mixed(random, percent)))
            }
            Kind::Random => out.extend((0..len).map(|_| random.below(256) as u8)),
            Kind::Repeat(text) => out.extend(text.bytes().cycle().take(len)),
            Kind::Cyrillic => {
                let mut letters = 0;
                while len - out.len() >= 2 {
                    if letters == 0 {
                        letters = 2 + random.below(10);
                        out.push(alphabet.gap);
                    } else {
                        letters -= 1;
                        let letter = ('а'..='я').nth(random.below(32)).unwrap_or('я');
                        out.extend(letter.encode_utf8(&mut [0; 2]).bytes());
                    }
                }
                out.resize(len, b'.');
            }
            Kind::Runs => {
                let (mut run, mut percent) = (0, 30.0);
                out.extend((0..len).map(|_| {
                    if run == 0 {
                        (run, percent) = (1 + random.below(256), 30.0 - percent);
                    }
                    run -= 1;
                    alphabet.mixed(random, percent)
                }));
            }
        }
        out
    }
}

/// Returns true if `byte` is not in `RFC3986_UNRESERVED`.
pub(crate) const fn escapes(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~'))
}

/// Encodes `raw`. Cuts the result between two characters, and pads it with dots, so that the result is as long as
/// `raw`.
fn encoded(raw: &[u8], plus: bool) -> Vec<u8> {
    let (mut out, mut whole) = (Vec::with_capacity(raw.len() + 3), 0);
    for &byte in raw {
        if byte & 0xC0 != 0x80 && out.len() <= raw.len() {
            whole = out.len();
        }
        match byte {
            _ if out.len() > raw.len() => break,
            b' ' if plus => out.push(b'+'),
            byte if escapes(byte) => out.extend(format_args!("%{byte:02X}").to_string().into_bytes()),
            byte => out.push(byte),
        }
    }
    if out.len() > raw.len() {
        out.truncate(whole);
    }
    out.resize(raw.len(), b'.');
    out
}

impl Alphabet {
    /// Returns a random byte. With a probability of `percent`, it is a byte that encoding escapes.
    fn mixed(&self, random: &mut Random, percent: f64) -> u8 {
        let is_escaped = (random.below(1_000_000) as f64) < percent * 10_000.0;
        *random.pick(if is_escaped { self.escaped } else { self.plain })
    }
}
