//! The generator of inputs. What is escaped in them is escaped by every peer, whatever its set: no space, which
//! some write as `+`, and none of `!~*'()`, about which systems differ.

use std::fmt;

use crate::oracle;

const PLAIN: &[u8; 65] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
const ESCAPED: &[u8; 8] = b"&?/=%\"<#";

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Every byte is independently escaped with this probability, in percent.
    Escaped(f64),
    /// Words of Russian: two bytes for every letter, both escaped.
    Cyrillic,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Escaped(0.0) => f.write_str("clean"),
            Kind::Escaped(percent) => write!(f, "{percent}%"),
            Kind::Cyrillic => f.write_str("Cyrillic"),
        }
    }
}

impl Kind {
    /// `count` different strings of `len` bytes: raw ones, or encoded ones.
    pub fn strings(self, encoded: bool, len: usize, count: usize) -> Vec<String> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        (0..count).map(|_| self.string(encoded, len, &mut random)).collect()
    }

    fn string(self, encoded: bool, len: usize, random: &mut Random) -> String {
        let mut out = String::with_capacity(len);
        let mut buffer = [0; 4];
        loop {
            let raw = &*self.char(random).encode_utf8(&mut buffer);
            let item = if encoded { oracle::encode(raw) } else { raw.to_string() };
            if out.len() + item.len() > len {
                break;
            }
            out.push_str(&item);
        }
        out.extend((out.len()..len).map(|_| '.'));
        out
    }

    fn char(self, random: &mut Random) -> char {
        match self {
            Kind::Escaped(percent) if (random.below(1_000_000) as f64) < percent * 10_000.0 => random.of(ESCAPED),
            Kind::Escaped(_) => random.of(PLAIN),
            Kind::Cyrillic if random.below(7) == 0 => '-',
            Kind::Cyrillic => char::from_u32('а' as u32 + random.below(32) as u32).unwrap_or('я'),
        }
    }

    /// `count` forms of six pairs, names and values together of about `len` bytes.
    pub fn forms(self, len: usize, count: usize) -> Vec<Vec<(String, String)>> {
        let mut random = Random(0xD1B5_4A32_D192_ED03);
        let mut part = |len: usize| {
            let len = len / 2 + random.below(len + 1);
            self.string(false, len, &mut random)
        };
        (0..count).map(|_| (0..6).map(|_| (part(len / 18), part(len / 9))).collect()).collect()
    }
}

/// xorshift64*
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (((self.next() >> 32) * bound as u64) >> 32) as usize
    }

    fn of(&mut self, chars: &[u8]) -> char {
        char::from(chars[self.below(chars.len())])
    }
}
