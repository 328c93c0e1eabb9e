//! What every suite shares: the naive oracle, which shares nothing with the crate, and inputs.
#![allow(dead_code)]

use percent_simd::{ByteSet, DecodeErrorKind};

/// Encoding, one octet at a time.
#[derive(Clone, Copy)]
pub struct Encode {
    pub allowed: ByteSet,
    pub lower: bool,
    pub plus: bool,
    pub keep: bool,
}

impl Encode {
    pub fn run(self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            if self.keep && octet(&input[i..]).is_some() {
                out.extend(&input[i..i + 3]);
                i += 3;
                continue;
            }
            if self.plus && byte == b' ' {
                out.push(b'+');
            } else if self.allowed.contains(byte) && !(self.keep && byte == b'%') {
                out.push(byte);
            } else if self.lower {
                out.extend(format!("%{byte:02x}").bytes());
            } else {
                out.extend(format!("%{byte:02X}").bytes());
            }
            i += 1;
        }
        out
    }
}

/// The octet that the triplet at the start of `input` stands for.
pub fn octet(input: &[u8]) -> Option<u8> {
    match input {
        [b'%', high, low, ..] => {
            let high = (*high as char).to_digit(16)?;
            let low = (*low as char).to_digit(16)?;
            Some((16 * high + low) as u8)
        }
        _ => None,
    }
}

/// Decoding, one octet at a time.
#[derive(Clone, Copy)]
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

pub struct Decoded {
    pub out: Vec<u8>,
    /// For each octet of `out`, where in the input it comes from.
    pub from: Vec<usize>,
    pub malformed: Option<usize>,
    pub error: Option<(usize, DecodeErrorKind)>,
}

impl Decode {
    pub fn run(self, input: &[u8]) -> Decoded {
        let mut d = Decoded { out: Vec::new(), from: Vec::new(), malformed: None, error: None };
        let mut query = false;
        let mut i = 0;
        while i < input.len() {
            let byte = input[i];
            query |= byte == b'?';
            let (read, piece) = match octet(&input[i..]) {
                Some(octet) if self.keep.contains(octet) => {
                    let triplet = input[i..i + 3].to_vec();
                    (3, if self.upper { triplet.to_ascii_uppercase() } else { triplet })
                }
                Some(octet) if self.reject.contains(octet) => {
                    d.error = Some((i, DecodeErrorKind::Rejected(octet)));
                    return d;
                }
                Some(octet) => (3, vec![octet]),
                None if byte == b'%' => {
                    d.malformed = d.malformed.or(Some(i));
                    if self.strict {
                        let rest = &input[i + 1..];
                        let short = rest.is_empty() || (rest.len() == 1 && rest[0].is_ascii_hexdigit());
                        let kind = if short { DecodeErrorKind::Truncated } else { DecodeErrorKind::NotHex };
                        d.error = Some((i, kind));
                        return d;
                    }
                    (1, vec![byte])
                }
                None if byte == b'+' && (self.plus_always || self.plus_after_query && query) => (1, vec![b' ']),
                None => (1, vec![byte]),
            };
            for octet in piece {
                d.out.push(octet);
                d.from.push(i);
            }
            i += read;
        }
        d
    }
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

    pub fn set(&mut self) -> ByteSet {
        let words = [self.next(), self.next(), self.next(), self.next()];
        match self.below(4) {
            0 => ByteSet::from_words([words[0], words[1], 0, 0]),
            1 => ByteSet::from_words(words.map(|word| word & self.next())),
            2 => ByteSet::from_words(words.map(|word| word | self.next())),
            _ => ByteSet::from_words(words),
        }
    }

    /// `n` octets that look like trouble: escapes whole, cut, malformed and nested, pluses, runs of text.
    pub fn hostile(&mut self, n: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(n + 8);
        let density = [1, 3, 10, 40][self.below(4)];
        while out.len() < n {
            if self.below(density) != 0 {
                out.push(b"abcXYZ019/?+ &=~"[self.below(16)]);
                continue;
            }
            match self.below(12) {
                0 => out.push(b'%'),
                1 => out.extend(b"%%"),
                2 => out.extend([b'%', b"0aFgG%"[self.below(6)]]),
                3 => out.extend(b"%25"),
                4 => out.push(self.next() as u8),
                5 => out.push(b'+'),
                6 => out.extend([b'%', b"/:@G`g09afAF"[self.below(12)], b"/:@G`g09afAF"[self.below(12)]]),
                7 => out.extend(b"%E2%82%AC"),
                _ => {
                    let hex: &[u8; 16] = if self.below(2) == 0 { b"0123456789abcdef" } else { b"0123456789ABCDEF" };
                    out.extend([b'%', hex[self.below(16)], hex[self.below(16)]]);
                }
            }
        }
        out.truncate(n);
        out
    }
}
