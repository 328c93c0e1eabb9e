//! Code that the targets share: the oracle of the tests, and functions that make options from the fuzzer's first bytes.

pub use percent_standards_oracle::*;

use percent_simd::{ByteSet, Engine};

/// Returns the engine that the fuzzer's last byte chooses, and the bytes before it.
///
/// A run compares only one engine with the oracle. With all four engines, a run would take four times as long, so the fuzzer would
/// try only a quarter of the inputs.
pub fn engine_of(data: &[u8]) -> (&'static Engine, &[u8]) {
    let (&last, rest) = data.split_last().unwrap_or((&0, &[]));
    let engines = Engine::available();
    let chosen = usize::from(last) % engines.clone().count();
    (engines.clone().nth(chosen).unwrap_or(Engine::active()), rest)
}

/// The fuzzer's bytes. The functions take options from the beginning. The remaining bytes are the input.
pub struct Choices<'d>(pub &'d [u8]);

impl<'d> Choices<'d> {
    /// Takes the next byte, or zero at the end.
    pub fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    /// Takes a number below `n`, which is at most 256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.byte()))
    }

    /// Takes a set.
    pub fn set(&mut self) -> ByteSet {
        match self.below(8) {
            0 => UNRESERVED,
            1 => ByteSet::EMPTY,
            2 => ByteSet::ALL,
            3 => ODD,
            4 => !UNRESERVED,
            5 => ByteSet::of(&[self.byte(), self.byte()]),
            _ => ByteSet::from_words([self.word(), self.word(), self.word(), self.word()]),
        }
    }

    /// Takes the options of an encoder.
    pub fn encode(&mut self) -> Encode {
        let options = self.byte();
        let allowed = self.set();
        Encode { allowed, lower: options & 1 != 0, plus: options & 2 != 0, keep: options & 4 != 0 }
    }

    /// Takes the options of a decoder.
    pub fn decode(&mut self) -> Decode {
        let options = self.byte();
        let keep = if options & 1 != 0 { self.set() } else { ByteSet::EMPTY };
        let reject = if options & 2 != 0 { self.set() } else { ByteSet::EMPTY };
        Decode {
            strict: options & 4 != 0,
            plus_always: options & 8 != 0,
            plus_after_query: options & 16 != 0,
            upper: options & 32 != 0,
            keep,
            reject,
        }
    }

    /// Takes up to `n` bytes. `n` is at most 255.
    pub fn some(&mut self, n: usize) -> &'d [u8] {
        let n = self.below(n + 1).min(self.0.len());
        let (some, rest) = self.0.split_at(n);
        self.0 = rest;
        some
    }

    /// Returns the remaining bytes.
    pub fn input(self) -> &'d [u8] {
        self.0
    }

    /// Returns the remaining bytes as text, with U+FFFD for each part that is not UTF-8.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.0).into_owned()
    }
}
