//! The generator of random inputs.

use percent_simd::ByteSet;

use crate::budget::chosen_seed;
use crate::codec::hex_digit;
use crate::{Decode, Encode, LENIENT};

/// A random number generator: xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
/// scrambled", 2016). The seed must not be 0.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Returns a generator with this seed. If the variable `PERCENT_SIMD_SEED` is set, it changes the seed.
    pub fn seeded(seed: u64) -> Random {
        Random(match chosen_seed() {
            Some(chosen) => seed.wrapping_add(chosen) | 1,
            None => seed,
        })
    }

    /// Returns the next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    /// Returns true in one of `n` cases on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Returns one of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Returns a text of up to `most` pieces, each picked from `pieces`.
    pub fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| *self.pick(pieces)).collect()
    }

    /// Returns a random set: of ASCII bytes, of few bytes, of many bytes, or of about half of all bytes.
    pub fn set(&mut self) -> ByteSet {
        let words = [self.next(), self.next(), self.next(), self.next()];
        match self.below(4) {
            0 => ByteSet::from_words([words[0], words[1], 0, 0]),
            1 => ByteSet::from_words(words.map(|word| word & self.next())),
            2 => ByteSet::from_words(words.map(|word| word | self.next())),
            _ => ByteSet::from_words(words),
        }
    }

    /// Returns an encoder with random options.
    pub fn encode(&mut self) -> Encode {
        let allowed = self.set();
        if self.one_in(3) {
            return Encode::new(allowed & ByteSet::range(0, 0x7F));
        }
        let (lower, plus, keep) = (self.one_in(2), self.one_in(4), self.one_in(3));
        Encode { lower, plus, keep, ..Encode::new(allowed) }
    }

    /// Returns a decoder with random options.
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

    /// Returns `n` hostile bytes: escapes that are whole, cut off, malformed or nested; pluses; runs of text; valid and invalid UTF-8.
    pub fn hostile(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(n + 12);
        let density = [1, 3, 10, 40, 200][self.below(5)];
        let text = self.one_in(2);
        while out.len() < n {
            if !self.one_in(density) {
                out.push(b"abcXYZ019/?+ &=~"[self.below(16)]);
                continue;
            }
            match self.below(15) {
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
                10 => out.extend_from_slice([&b"%%32%46"[..], b"%%3%%32f", b"%a%62", b"%%41F"][self.below(4)]),
                _ => {
                    let byte = if text { self.next() as u8 & 0x7F } else { self.next() as u8 };
                    let lower = self.one_in(2);
                    out.extend([b'%', hex_digit(byte / 16, lower), hex_digit(byte % 16, lower)]);
                }
            }
        }
        while text && std::str::from_utf8(&out[..n]).is_err() {
            // All bytes above ASCII belong to whole characters, so only the last character can be invalid: `n` may cut it off.
            // Replace it by `a`.
            out[n - 1] = b'a';
            let valid = std::str::from_utf8(&out[..n]).map_or_else(|error| error.valid_up_to(), str::len);
            out[valid..n].fill(b'a');
        }
        out.truncate(n);
        out
    }
}
