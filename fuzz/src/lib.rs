//! What the targets share: the oracle of the tests, and options made of the fuzzer's first bytes.

#[path = "../../tests/common/mod.rs"]
pub mod common;

pub use common::*;
use percent_simd::ByteSet;

/// The fuzzer's bytes: options are taken from the front, what is left is the input.
pub struct Choices<'d>(pub &'d [u8]);

impl<'d> Choices<'d> {
    /// The next byte; zero at the end.
    pub fn octet(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes([(); 8].map(|()| self.octet()))
    }

    pub fn set(&mut self) -> ByteSet {
        match self.octet() % 8 {
            0 => UNRESERVED,
            1 => ByteSet::EMPTY,
            2 => ByteSet::ALL,
            3 => ODD,
            4 => !UNRESERVED,
            5 => ByteSet::of(&[self.octet(), self.octet()]),
            _ => ByteSet::from_words([self.word(), self.word(), self.word(), self.word()]),
        }
    }

    pub fn encode(&mut self) -> Encode {
        let options = self.octet();
        let allowed = self.set();
        Encode { allowed, lower: options & 1 != 0, plus: options & 2 != 0, keep: options & 4 != 0 }
    }

    pub fn decode(&mut self) -> Decode {
        let options = self.octet();
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

    /// What is left.
    pub fn input(self) -> &'d [u8] {
        self.0
    }
}
